// Small systems with known answers: multiple solutions, none, infinitely many, planted; limits.
#include "algebra/test_solve_checks.h"

// small ones ------------------------------------------------------------------------------------
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
        ct_free(point);
        fmpq_clear(value);
        ct_polys_clear(ring, &in);
        ct_ring_free(ring);
    }
}

// limits ----------------------------------------------------------------------------------------
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
            o.budget.seconds = seconds;
            ct_status status = ct_solve(ctx, ring, &in, &o, &s);
            assert_true(status == CT_OK || status == CT_NUMERICS);
            if (seconds < 0.002) assert_int_equal(status, CT_NUMERICS);
            ct_solutions_clear(&s);
        }
        volatile sig_atomic_t stop = 1;
        ct_solve_options_init(&o);
        o.method = (ct_solve_method)method;
        o.budget.stop = &stop;
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
    fmpz_one(big), fmpz_mul_2exp(big, big, 100000);
    ct_poly *f = ct_polys_add(&in);
    ct_poly_push(ring, f, (uint32_t[]){0}, big);
    fmpz_set_si(big, -1);
    ct_poly_push(ring, f, (uint32_t[]){1}, big);
    ct_poly_canonical(ring, f);
    assert_int_equal(ct_solve(ctx, ring, &in, NULL, &s), CT_NUMERICS); // 2^100000 is no double
    fmpz_clear(big);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangular_example), cmocka_unit_test(multiple_solutions),
        cmocka_unit_test(no_solution),        cmocka_unit_test(infinitely_many_solutions),
        cmocka_unit_test(planted_solutions),  cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(extreme_systems),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
