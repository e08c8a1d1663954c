// All solutions of the examples of the source and of plain systems, by every method; multiple
// solutions, none, infinitely many; limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algebra/solve.h"
#include "algebra/systems.h"

#include <math.h>

static ct_context *ctx;

static ct_solutions solve_by(const ct_ring *ring, const ct_polys *in, ct_solve_method method) {
    ct_solve_options o;
    ct_solve_options_init(&o);
    o.method = method;
    ct_solutions s;
    assert_int_equal(ct_solve(ctx, ring, in, &o, &s), CT_OK);
    return s;
}

static ct_solutions solve_texts(ct_ring **ring, int n_names, const char *const *names, int n,
                                const char *const *texts, ct_solve_method method) {
    *ring = ct_ring_simple(ctx, n_names, names, CT_LEX);
    ct_polys in = {0};
    for (int i = 0; i < n; i++)
        assert_int_equal(ct_poly_parse(ctx, *ring, ct_polys_add(&in), texts[i]), CT_OK);
    ct_solutions s = solve_by(*ring, &in, method);
    ct_polys_clear(*ring, &in);
    return s;
}

// Multiplicities add up, residuals are small, complex ones come in pairs, nothing twice.
static void check_solutions(const ct_solutions *s, int n) {
    int total = 0, real = 0;
    for (int i = 0; i < s->count; i++) {
        const ct_solution *a = s->solutions + i;
        total += a->multiplicity;
        real += a->real;
        assert_true(a->certified);
        assert_true(a->residual < 1e-10);
        bool conjugate = false;
        for (int j = 0; j < s->count; j++) {
            const ct_solution *b = s->solutions + j;
            bool same = true, mirrored = true;
            for (int k = 0; k < n; k++) {
                same &= a->re[k] == b->re[k] && a->im[k] == b->im[k];
                mirrored &= fabs(a->re[k] - b->re[k]) <= 1e-12 * (1 + fabs(a->re[k])) &&
                            fabs(a->im[k] + b->im[k]) <= 1e-12 * (1 + fabs(a->im[k]));
            }
            assert_true(same == (i == j));
            conjugate |= mirrored;
        }
        assert_true(conjugate);
        for (int k = 0; k < n && a->real; k++) assert_true(a->im[k] == 0);
        if (i) assert_true(s->solutions[i - 1].real >= a->real);
    }
    assert_int_equal(total, s->degree);
    assert_int_equal(real, s->n_real);
}

// the examples of the source
// -----------------------------------------------------------------------
static const double eight_link[] = {1,
                                    -2.300807210,
                                    9.154401868,
                                    0.1203191792,
                                    -10.46924935,
                                    31.75664714,
                                    -11.06912500,
                                    -8.465327682,
                                    50.66174232,
                                    -26.34720696,
                                    -2.852887181,
                                    30.78856558,
                                    -25.56451701,
                                    3.960569625,
                                    10.28770088,
                                    -7.132207031,
                                    1.232747445};
static const double platform[] = {1,
                                  1.143340390e2,
                                  -1.979590755e3,
                                  -1.575566167e5,
                                  -2.598196663e6,
                                  1.200400872e8,
                                  -9.316495301e8,
                                  0.6390674695e11,
                                  0.8842245138e12,
                                  -0.2662428208e14,
                                  -0.7236977977e13,
                                  0.1276963861e16,
                                  -0.1434754786e16,
                                  0.1317590548e17,
                                  -0.7865134521e17,
                                  0.2257516769e18,
                                  -0.4413968688e18,
                                  0.5740470384e18,
                                  -0.4359031655e18,
                                  0.1704868635e18,
                                  -0.2639182255e17};
static const double stewart[] = {1,
                                 -40.34068436,
                                 2613.674295,
                                 48741.59612,
                                 -428723.4299,
                                 -4274132.197,
                                 -83540302.79,
                                 -1100933043,
                                 0.1759214513e11,
                                 0.1965350860e12,
                                 0.1048048526e13,
                                 -0.2345420202e14,
                                 0.1519869349e15,
                                 -0.2532142007e16,
                                 0.5763041011e16,
                                 -0.1262508992e18,
                                 0.1708093186e19,
                                 -0.1280226550e20,
                                 0.1277021571e21,
                                 -0.1438435067e21,
                                 0.2959635899e22,
                                 -0.5268108151e23,
                                 0.7036209479e23,
                                 -0.4607232515e24,
                                 0.9532463122e25,
                                 -0.1808866634e26,
                                 0.2100680317e27,
                                 -0.2058612826e28,
                                 0.6893379360e28,
                                 -0.3848331827e29,
                                 0.1749687727e30,
                                 -0.3684514761e30,
                                 0.1092764420e31,
                                 -0.2122101006e31,
                                 -0.1577335438e31,
                                 0.5167452234e31,
                                 0.4545748611e31,
                                 -0.9804725966e31,
                                 0.9522001983e31,
                                 -0.1610650914e32,
                                 0.9994869958e31};

static double ratio(const char *a, const char *b) {
    fmpz_t p, q;
    fmpz_init(p), fmpz_init(q);
    assert_int_equal(fmpz_set_str(p, a, 10) | fmpz_set_str(q, b, 10), 0);
    slong e, f;
    double x = fmpz_get_d_2exp(&e, p), y = fmpz_get_d_2exp(&f, q);
    fmpz_clear(p), fmpz_clear(q);
    return ldexp(x / y, (int)(e - f));
}

typedef struct example {
    const char *name, *hidden;
    int generators, terms, degree, matrix, eliminant, real;
    const double *printed;
    double tolerance;
} example;

static void example_of_the_source(const example *x) {
    ct_polys in = {0};
    ct_ring *ring = read_system(ctx, x->name, CT_DEGREVLEX, &in);
    assert_non_null(ring);
    ct_solutions s = solve_by(ring, &in, CT_SOLVE_SYLVESTER);
    assert_int_equal(s.generators, x->generators);
    assert_int_equal(s.terms, x->terms);
    assert_int_equal(s.degree, x->degree);
    assert_int_equal(s.matrix, x->matrix);
    assert_string_equal(ring->names[s.variable], x->hidden);
    assert_int_equal(s.eliminant_degree, x->eliminant);
    assert_int_equal(s.count, x->degree);
    assert_int_equal(s.n_real, x->real);
    assert_string_equal(s.method, "sylvester");
    double worst = 0;
    for (int i = 0; i <= x->eliminant; i++)
        worst = fmax(worst, fabs(ratio(s.coefficients[i], s.coefficients[0]) / x->printed[i] - 1));
    print_message("%s: eliminant agrees with the printed one to %.1e; basis %.3f s, all %.3f s\n",
                  x->name, worst, s.basis_seconds, s.total_seconds);
    assert_true(worst < x->tolerance);
    check_solutions(&s, ring->n);
    for (int method = CT_SOLVE_RUR; method <= CT_SOLVE_EIGEN;
         method++) { // the same by every method
        ct_solutions t = solve_by(ring, &in, (ct_solve_method)method);
        check_solutions(&t, ring->n);
        assert_int_equal(t.count, s.count);
        assert_int_equal(t.n_real, s.n_real);
        assert_string_equal(t.method, method == CT_SOLVE_RUR ? "rur" : "eigen");
        for (int i = 0; i < s.count; i++) {
            double nearest = HUGE_VAL;
            for (int j = 0; j < t.count; j++) {
                double far = 0;
                for (int k = 0; k < ring->n; k++)
                    far = fmax(far, hypot(s.solutions[i].re[k] - t.solutions[j].re[k],
                                          s.solutions[i].im[k] - t.solutions[j].im[k]));
                nearest = fmin(nearest, far);
            }
            assert_true(nearest < 1e-10);
        }
        ct_solutions_clear(&t);
    }
    ct_solutions_clear(&s);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

static void eight_link_mechanism(void **state) {
    (void)state;
    example_of_the_source(&(example){"eight_link", "x1", 29, 377, 16, 29, 16, 2, eight_link, 2e-7});
}
static void stewart_platform(void **state) {
    (void)state;
    example_of_the_source(&(example){"platform", "r5", 43, 739, 40, 15, 20, 0, platform, 1e-9});
}
static void general_stewart_mechanism(void **state) {
    (void)state;
    example_of_the_source(&(example){"stewart", "r5", 68, 1951, 40, 68, 40, 0, stewart, 1e-9});
}

static void plain_systems(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int solutions, real;
    } all[] = {{"cyclic5", 70, 10}, {"katsura6", 64, 32}, {"noon4", 73, 15}, {"eco8", 64, 8}};
    for (int i = 0; i < 4; i++) {
        ct_polys in = {0};
        ct_ring *ring = read_system(ctx, all[i].name, CT_LEX, &in);
        assert_non_null(ring);
        for (int method = CT_SOLVE_SYLVESTER; method <= CT_SOLVE_EIGEN; method++) {
            ct_solutions s = solve_by(ring, &in, (ct_solve_method)method);
            print_message("%s by %s: %.3f s\n", all[i].name, s.method, s.total_seconds);
            assert_int_equal(s.count, all[i].solutions);
            assert_int_equal(s.n_real, all[i].real);
            assert_int_equal(s.eliminant_degree, s.degree);
            check_solutions(&s, ring->n);
            ct_solutions_clear(&s);
        }
        ct_polys_clear(ring, &in);
        ct_ring_free(ring);
    }
}

// small ones
// ---------------------------------------------------------------------------------------
static const char *const xyz[] = {"x", "y", "z"};

static void triangular_example(void **state) {
    (void)state;
    static const char *const f[] = {"x^2 + y^2 + z^2 - 8*x + 2*y - 8",
                                    "3*x^2 - 2*x*y - y^2 + 2*y*z + 2*z - 4", "2*x - 10*y - 3*z"};
    static const char *const wanted[] = {"34953", "-28960", "-508448", "463360", "-812800"};
    for (int method = CT_SOLVE_SYLVESTER; method <= CT_SOLVE_EIGEN; method++) {
        ct_ring *ring;
        ct_solutions s = solve_texts(&ring, 3, xyz, 3, f, (ct_solve_method)method);
        assert_int_equal(s.eliminant_degree, 4);
        assert_int_equal(s.variable, 2);
        for (int i = 0; i <= 4; i++) assert_string_equal(s.coefficients[i], wanted[i]);
        assert_int_equal(s.count, 4);
        assert_int_equal(s.n_real, 2);
        check_solutions(&s, 3);
        assert_true(s.solutions[0].re[0] == 4 && s.solutions[0].re[1] == 2 &&
                    s.solutions[0].re[2] == -4);
        assert_true(s.solutions[1].re[0] == 1 && s.solutions[1].re[1] == -1 &&
                    s.solutions[1].re[2] == 4);
        ct_solutions_clear(&s);
        ct_ring_free(ring);
    }
}

static void multiple_solutions(void **state) {
    (void)state;
    static const struct {
        int n;
        const char *f[3];
        int degree, count, real, largest;
    } all[] = {{2, {"x^2 + y^2 - 2", "x*y - 1"}, 4, 2, 2, 2}, // two circles' tangent points
               {3, {"x^2", "x*y", "y^2"}, 3, 1, 1, 3},        // not on a curve
               {2, {"(x - 1)^2*(x - 2)", "y - x^2"}, 3, 2, 2, 2},
               {2, {"x^4", "y^3"}, 12, 1, 1, 12},
               {2, {"(x^2 + 1)^3", "(y - 3*x)^2"}, 12, 2, 0, 6},
               {2, {"(x^2 - 2)^2", "(y^2 - 3)*(y - 1)"}, 12, 6, 6, 2},
               {2, {"3*x - 2", "y + x"}, 1, 1, 1, 1},
               {2, {"x^2 - x", "y^2 - y"}, 4, 4, 4, 1}, // no unknown alone separates
               {3, {"x^2 - x", "y^2 - y", "x^2 - x"}, 4, 4, 4, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int method = CT_SOLVE_SYLVESTER; method <= CT_SOLVE_EIGEN; method++) {
            ct_ring *ring;
            ct_solutions s =
                solve_texts(&ring, 2, xyz, all[i].n, all[i].f, (ct_solve_method)method);
            assert_int_equal(s.degree, all[i].degree);
            assert_int_equal(s.count, all[i].count);
            assert_int_equal(s.n_real, all[i].real);
            check_solutions(&s, 2);
            int largest = 0;
            for (int k = 0; k < s.count; k++)
                if (s.solutions[k].multiplicity > largest) largest = s.solutions[k].multiplicity;
            assert_int_equal(largest, all[i].largest);
            ct_solutions_clear(&s);
            ct_ring_free(ring);
        }
    }
}

static void no_solution(void **state) {
    (void)state;
    static const char *const f[] = {"x + y - 3", "x*y - 2", "x - 5",    "y^2 - 7*y",
                                    "z^2 - x",   "0",       "x + y - 4"};
    ct_ring *ring;
    ct_solutions s = solve_texts(&ring, 3, xyz, 7, f, CT_SOLVE_SYLVESTER);
    assert_int_equal(s.dimension, -1);
    assert_int_equal(s.count, 0);
    assert_int_equal(s.n_offending, 3); // x + y = 3, x y = 2, x = 5: a minimal contradiction
    assert_int_equal(s.offending[0] + s.offending[1] + s.offending[2], 3);
    ct_solutions_clear(&s);
    ct_ring_free(ring);
    static const char *const one[] = {"x", "3"};
    s = solve_texts(&ring, 1, xyz, 2, one, CT_SOLVE_SYLVESTER);
    assert_int_equal(s.n_offending, 1);
    assert_int_equal(s.offending[0], 1);
    ct_solutions_clear(&s);
    ct_ring_free(ring);
}

static void infinitely_many_solutions(void **state) {
    (void)state;
    static const char *const f[] = {"x*y", "x*z"}, *const g[] = {"x^2 + y^2 - 1", "x^2 + y^2 - 1"};
    ct_ring *ring;
    ct_solutions s = solve_texts(&ring, 3, xyz, 2, f, CT_SOLVE_SYLVESTER);
    assert_int_equal(s.dimension, 2);
    assert_int_equal(s.free, 6);
    ct_solutions_clear(&s);
    ct_ring_free(ring);
    s = solve_texts(&ring, 3, xyz, 2, g, CT_SOLVE_RUR);
    assert_int_equal(s.dimension, 2);
    assert_true(s.free & 4);
    ct_solutions_clear(&s);
    ct_ring_free(ring);
    s = solve_texts(&ring, 3, xyz, 0, NULL, CT_SOLVE_RUR);
    assert_int_equal(s.dimension, 3);
    ct_solutions_clear(&s);
    ct_ring_free(ring);
}

// A solution that was planted is found, real and exact.
static void planted_solutions(void **state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int trial = 0; trial < 24; trial++) {
        int n = 2 + trial % 2;
        ct_ring *ring = ct_ring_simple(ctx, n, xyz, CT_DEGREVLEX);
        ct_polys in = {0};
        fmpq *point = ct_alloc(3, sizeof *point);
        fmpq_t value;
        fmpq_init(value);
        for (int k = 0; k < n; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            fmpq_init(point + k);
            fmpq_set_si(point + k, (slong)(seed % 41) - 20, 8);
        }
        for (int i = 0; i < n + trial % 3 / 2; i++) { // f - f(point), times the denominator
            ct_poly *f = ct_polys_add(&in);
            random_poly(ring, f, &seed, 9, 3, 9);
            ct_poly_value(ring, value, f, point);
            for (slong k = 0; k < f->n; k++)
                fmpz_mul(f->coefs + k, f->coefs + k, fmpq_denref(value));
            fmpz_neg(fmpq_numref(value), fmpq_numref(value));
            ct_poly_push(ring, f, (uint32_t[3]){0}, fmpq_numref(value));
            ct_poly_canonical(ring, f);
        }
        ct_solutions s = solve_by(ring, &in, (ct_solve_method)(trial / 2 % 3));
        if (s.dimension == 0) {
            check_solutions(&s, n);
            bool found = false;
            for (int i = 0; i < s.count && s.solutions[i].real; i++) {
                bool same = true;
                for (int k = 0; k < n; k++) same &= s.solutions[i].re[k] == fmpq_get_d(point + k);
                found |= same;
            }
            assert_true(found);
        }
        assert_true(s.dimension >= 0);
        ct_solutions_clear(&s);
        for (int k = 0; k < n; k++) fmpq_clear(point + k);
        free(point);
        fmpq_clear(value);
        ct_polys_clear(ring, &in);
        ct_ring_free(ring);
    }
}

// limits
// -------------------------------------------------------------------------------------------
static void limits_are_kept(void **state) {
    (void)state;
    ct_polys in = {0};
    ct_ring *ring = read_system(ctx, "stewart", CT_DEGREVLEX, &in);
    assert_non_null(ring);
    ct_solve_options o;
    ct_solutions s;
    for (int method = CT_SOLVE_SYLVESTER; method <= CT_SOLVE_EIGEN; method++) {
        for (double seconds = 0.001; seconds < 1;
             seconds *= 1.7) { // wherever it strikes, nothing leaks
            ct_solve_options_init(&o);
            o.method = (ct_solve_method)method;
            o.seconds = seconds;
            ct_status status = ct_solve(ctx, ring, &in, &o, &s);
            assert_true(status == CT_OK || status == CT_NUMERICS);
            if (seconds < 0.002) assert_int_equal(status, CT_NUMERICS);
            ct_solutions_clear(&s);
        }
        volatile sig_atomic_t stop = 1;
        ct_solve_options_init(&o);
        o.method = (ct_solve_method)method;
        o.stop = &stop;
        assert_int_equal(ct_solve(ctx, ring, &in, &o, &s), CT_INTERRUPTED);
    }
    o = (ct_solve_options){.hide = 15};
    assert_int_equal(ct_solve(ctx, ring, &in, &o, &s), CT_USAGE);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

static void extreme_systems(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 1, xyz, CT_LEX);
    ct_polys in = {0};
    ct_solutions s;
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), "x^1000000 - 1"), CT_OK);
    assert_int_equal(ct_solve(ctx, ring, &in, NULL, &s), CT_NUMERICS); // a million solutions
    ct_polys_clear(ring, &in);
    fmpz_t big;
    fmpz_init(big);
    fmpz_one(big), fmpz_mul_2exp(big, big, 1000000);
    ct_poly *f = ct_polys_add(&in);
    ct_poly_push(ring, f, (uint32_t[]){0}, big);
    fmpz_set_si(big, -1);
    ct_poly_push(ring, f, (uint32_t[]){1}, big);
    ct_poly_canonical(ring, f);
    assert_int_equal(ct_solve(ctx, ring, &in, NULL, &s), CT_NUMERICS); // 2^1000000 is no double
    fmpz_clear(big);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

static int setup(void **state) {
    (void)state;
    ctx = ct_context_new();
    return 0;
}
static int teardown(void **state) {
    (void)state;
    ct_context_free(ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_link_mechanism),
        cmocka_unit_test(stewart_platform),
        cmocka_unit_test(general_stewart_mechanism),
        cmocka_unit_test(plain_systems),
        cmocka_unit_test(triangular_example),
        cmocka_unit_test(multiple_solutions),
        cmocka_unit_test(no_solution),
        cmocka_unit_test(infinitely_many_solutions),
        cmocka_unit_test(planted_solutions),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(extreme_systems),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
