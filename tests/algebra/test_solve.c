// The three mechanisms of the source and plain systems, all solutions, by every method.
#include "algebra/test_solve_checks.h"

#include "algebra/printed.h"

// the examples of the source --------------------------------------------------------------------

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
    example_of_the_source(
        &(example){"eight_link", "x1", 29, 377, 16, 29, 16, 2, printed_eight_link, 2e-7});
}
static void stewart_platform(void **state) {
    (void)state;
    example_of_the_source(
        &(example){"platform", "r5", 43, 739, 40, 15, 20, 0, printed_platform, 1e-9});
}
static void general_stewart_mechanism(void **state) {
    (void)state;
    example_of_the_source(
        &(example){"stewart", "r5", 68, 1951, 40, 68, 40, 0, printed_stewart, 1e-9});
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_link_mechanism),
        cmocka_unit_test(stewart_platform),
        cmocka_unit_test(general_stewart_mechanism),
        cmocka_unit_test(plain_systems),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
