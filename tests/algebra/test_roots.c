// Closed forms against Arb over random and nasty coefficients; certified isolation with
// multiplicities.
#include "unit.h"

#include "algebra/solve/roots.h"

#include <complex.h>
#include <flint/fmpq_poly.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}
static double uniform(void) { // -1 .. 1
    return (double)(int64_t)next_random() * 0x1p-63;
}

// |f(x)| over the sum of its terms' moduli, in 200 bits.
static double backward_error(int n, const double *c, double re, double im) {
    acb_t x, v, p, t;
    arb_t size, a;
    acb_init(x), acb_init(v), acb_init(p), acb_init(t), arb_init(size), arb_init(a);
    acb_set_d_d(x, re, im);
    acb_one(p);
    for (int i = n; i >= 0; i--) {
        arb_set_d(a, c[i]);
        acb_mul_arb(t, p, a, 200);
        acb_add(v, v, t, 200);
        acb_abs(a, t, 200);
        arb_add(size, size, a, 200);
        acb_mul(p, p, x, 200);
    }
    acb_abs(a, v, 200);
    arb_div(a, a, size, 200);
    double e = arf_get_d(arb_midref(a), ARF_RND_NEAR);
    acb_clear(x), acb_clear(v), acb_clear(p), acb_clear(t), arb_clear(size), arb_clear(a);
    return e;
}

// Largest distance of a root of ours from Arb's over the distance that a relative change of 1e-15
// in the coefficients may cause, matched greedily; only meaningful for square-free polynomials.
static double worst_backward = 0;
static void check_closed(int n, const double *c) {
    double re[4], im[4];
    int degree = n;
    const double *lead = c;
    while (degree >= 0 && *lead == 0) lead++, degree--;
    int count = ct_roots_closed(re, im, n, c);
    assert_int_equal(count, degree < 0 ? -1 : degree);
    for (int k = 0; k < count; k++) {
        assert_true(isfinite(re[k]) && isfinite(im[k]));
        double e =
            re[k] == 0 && im[k] == 0 ? (c[n] == 0 ? 0 : 1) : backward_error(n, c, re[k], im[k]);
        worst_backward = fmax(worst_backward, e);
        if (e > 1e-14) {
            print_message("backward error %.2e of root %.17g %+.17gi of", e, re[k], im[k]);
            for (int i = 0; i <= n; i++) print_message(" %.17g", c[i]);
            print_message("\n");
        }
        assert_true(e < 1e-14);
    }
}

static void expand(int n, const double complex *roots, double lead, double *c) {
    double complex p[5] = {1};
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i > 0; i--) p[i] -= roots[k] * p[i - 1];
    for (int i = 0; i <= n; i++) c[i] = lead * creal(p[i]);
}

static void closed_forms_of_random_coefficients(void **state) {
    (void)state;
    for (int trial = 0; trial < 40000; trial++) {
        int n = 1 + trial % 4, spread = (trial / 4) % 5;
        static const double decades[] = {0, 2, 8, 20, 60};
        double c[5];
        for (int i = 0; i <= n; i++) c[i] = uniform() * pow(10, decades[spread] * uniform());
        if (trial % 7 == 0) c[next_random() % (unsigned)(n + 1)] = 0;
        check_closed(n, c);
    }
    print_message("worst relative backward error so far %.2e\n", worst_backward);
}

static void closed_forms_of_given_roots(void **state) {
    (void)state;
    for (int trial = 0; trial < 40000; trial++) {
        int n = 2 + trial % 3, decades = (trial / 3) % 12;
        double complex z[4];
        for (int k = 0; k < n; k++) z[k] = uniform() * pow(10, decades * uniform());
        if (trial % 2) z[1] = conj(z[0] += CMPLX(0, uniform())); // a pair
        if (trial % 5 == 0)
            z[n - 1] = creal(z[n - 1]), z[n - 2] = trial % 2 && n == 3 ? z[0] : z[n - 1];
        if (n == 3 && trial % 2) z[1] = conj(z[0]);
        if (n == 4 && trial % 3 == 0) z[2] = z[0], z[3] = z[1]; // double ones
        if (trial % 11 == 0)
            for (int k = 1; k < n; k++) z[k] = creal(z[0]), z[0] = creal(z[0]);
        double c[5];
        expand(n, z, pow(10, 5 * uniform()), c);
        check_closed(n, c);
    }
    print_message("worst relative backward error so far %.2e\n", worst_backward);
}

static void closed_forms_of_nasty_coefficients(void **state) {
    (void)state;
    static const double nasty[][5] = {
        {1, -4, 6, -4, 1}, // (x - 1)^4
        {1, 0, 0, 0, 0},
        {1, 0, 2, 0, 1}, // (x^2 + 1)^2
        {1, 0, -2, 0, 1},
        {1e-300, 1, 2, 3, 4},
        {1e-300, 1e-200, 1e-100, 1, 1e100},
        {1e300, 1e-300, 1e-300, 1, -1e-300},
        {1, -1e10, 1, -1e10, 1},
        {1, 1e8, 1, 0, 0},
        {0, 0, 1, 2e8, 1},
        {0, 1, -3, 3, -1},
        {0, 1, -3.0000000001, 3, -1},
        {0, 1e-200, -3, 3e100, -1},
        {0, 0, 1e-300, 1, 1},
        {0, 0, 1e200, 2e200, 1e200},
        {1, -10, 35, -50, 24},
        {1, 2e-170, 3, 2e170, 1},
        {1, -1.0000001, 0, 0, 1e-30},
        {3, 0, 0, 0, -3e-40},
        {1, 0, 0, 0, 1},
        {1, 0, 1e-20, 0, -1},
        {1, 4, 6, 4, 1 + 0x1p-52},
        {0, 0, 0, 5e-324, 1e-10},
    };
    for (size_t i = 0; i < sizeof nasty / sizeof *nasty; i++) {
        if (i == 22) { // its root is no double
            double re[4], im[4];
            assert_int_equal(ct_roots_closed(re, im, 4, nasty[i]), 1);
            assert_true(isinf(re[0]));
            continue;
        }
        check_closed(4, nasty[i]);
    }
    double re[4], im[4];
    static const double zero[5] = {0}, no[] = {1, NAN}, constant[] = {0, 3};
    assert_int_equal(ct_roots_closed(re, im, 4, zero), -1);
    assert_int_equal(ct_roots_closed(re, im, 1, no), -1);
    assert_int_equal(ct_roots_closed(re, im, 1, constant), 0);
}

// Simple, well separated roots: digits as Arb's.
static void closed_forms_agree_with_arb(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    for (int trial = 0; trial < 400; trial++) {
        int n = 2 + trial % 3;
        double c[5], re[4], im[4];
        fmpz_poly_t f;
        fmpz_poly_init(f);
        for (int i = 0; i <= n; i++) {
            c[i] = (double)((int64_t)(next_random() % 2001) - 1000);
            if (i == 0 && c[i] == 0) c[i] = 7;
            fmpz_poly_set_coeff_si(f, n - i, (slong)c[i]);
        }
        ct_roots roots;
        assert_int_equal(ct_roots_isolate(ctx, &roots, f, 64), CT_OK);
        int count = ct_roots_closed(re, im, n, c), multiple = 0;
        for (int k = 0; k < roots.n; k++) {
            double x = arf_get_d(arb_midref(acb_realref(roots.root[k].at)), ARF_RND_NEAR);
            double y = arf_get_d(arb_midref(acb_imagref(roots.root[k].at)), ARF_RND_NEAR);
            double near = HUGE_VAL;
            for (int j = 0; j < count; j++) near = fmin(near, hypot(re[j] - x, im[j] - y));
            multiple |= roots.root[k].multiplicity > 1;
            if (!multiple) assert_true(near <= 1e-7 * (1e-3 + hypot(x, y)));
        }
        ct_roots_clear(&roots);
        fmpz_poly_clear(f);
    }
    ct_context_free(ctx);
}

static void isolation_counts_multiplicities(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    fmpz_poly_t f, g;
    fmpz_poly_init(f), fmpz_poly_init(g);
    fmpz_poly_set_str(f, "1  6"); // 6 (x - 3)^3 (x^2 + 1)^2 (x^2 - 2)(10^30 x - 3 * 10^30 - 1)
    fmpz_poly_set_str(g, "2  -3 1"), fmpz_poly_pow(g, g, 3), fmpz_poly_mul(f, f, g);
    fmpz_poly_set_str(g, "3  1 0 1"), fmpz_poly_pow(g, g, 2), fmpz_poly_mul(f, f, g);
    fmpz_poly_set_str(g, "3  -2 0 1"), fmpz_poly_mul(f, f, g);
    fmpz_poly_set_str(g, "2  -3000000000000000000000000000001 1000000000000000000000000000000");
    fmpz_poly_mul(f, f, g);
    ct_roots r;
    assert_int_equal(ct_roots_isolate(ctx, &r, f, 64), CT_OK);
    static const int multiplicities[] = {1, 1, 3, 1, 2, 2};
    assert_int_equal(r.n, 6);
    assert_int_equal(r.n_real, 4);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(r.root[i].multiplicity, multiplicities[i]);
        assert_int_equal(arb_is_zero(acb_imagref(r.root[i].at)), i < 4);
        for (int j = 0; j < i; j++) assert_false(acb_overlaps(r.root[i].at, r.root[j].at));
    }
    assert_true(arb_contains_si(acb_realref(r.root[2].at), 3));
    ct_roots_clear(&r);
    fmpz_poly_zero(f);
    assert_int_equal(ct_roots_isolate(ctx, &r, f, 64), CT_USAGE);
    fmpz_poly_set_si(f, 5);
    assert_int_equal(ct_roots_isolate(ctx, &r, f, 64), CT_OK);
    assert_int_equal(r.n, 0);
    fmpz_poly_clear(f), fmpz_poly_clear(g);
    ct_context_free(ctx);
}

// Wilkinson: 20 real roots although in doubles many come out complex.
static void wilkinson(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    fmpz_poly_t f, g;
    fmpz_poly_init(f), fmpz_poly_init(g);
    fmpz_poly_one(f);
    for (slong k = 1; k <= 20; k++) {
        fmpz_poly_set_coeff_si(g, 1, 1);
        fmpz_poly_set_coeff_si(g, 0, -k);
        fmpz_poly_mul(f, f, g);
    }
    ct_roots r;
    assert_int_equal(ct_roots_isolate(ctx, &r, f, 53), CT_OK);
    assert_int_equal(r.n_real, 20);
    for (int k = 0; k < 20; k++) assert_true(arb_contains_si(acb_realref(r.root[k].at), k + 1));
    ct_roots_clear(&r);
    fmpz_poly_clear(f), fmpz_poly_clear(g);
    ct_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_of_random_coefficients),
        cmocka_unit_test(closed_forms_of_given_roots),
        cmocka_unit_test(closed_forms_of_nasty_coefficients),
        cmocka_unit_test(closed_forms_agree_with_arb),
        cmocka_unit_test(isolation_counts_multiplicities),
        cmocka_unit_test(wilkinson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
