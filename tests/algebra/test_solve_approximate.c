// Approximate bases with bracket coefficients: the examples of the source, and convergence to exact
// bases.
#include "algebra/fixture.h"

#include "algebra/groebner/approximate.h"

#include <math.h>

static ct_brackets basis_of(const ct_ring *ring, int n, const char *const *texts, int digits) {
    ct_polys in = {0};
    for (int i = 0; i < n; i++)
        assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), texts[i]), CT_OK);
    ct_brackets out = {0};
    ct_approximate_options o = {.digits = digits};
    assert_int_equal(ct_groebner_approximate(ctx, ring, &out, &in, &o), CT_OK);
    ct_polys_clear(ring, &in);
    return out;
}

static void coefficient(const ct_bracket_poly *f, slong i, double value, double tolerance) {
    double c = arf_get_d(arb_midref(f->c + i), ARF_RND_NEAR);
    if (!(fabs(c - value) <= tolerance)) print_message("%.12g where %.12g was wanted\n", c, value);
    assert_true(fabs(c - value) <= tolerance);
}

static void shape(const ct_ring *ring, const ct_brackets *b, int i, const char *text) {
    ct_text t = {0};
    ct_brackets_print(ring, &t, b->p + i, 6);
    char *s = ct_text_take(&t);
    assert_string_equal(s, text);
    free(s);
}

static const char *const xy[] = {"x", "y"};

static void perturbed_system(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 2, xy, CT_LEX);
    static const char *const h[] = {"4*x^2*y + 9*x*y + 4*x - 7*y - 4", "x*y - y + 3.000001"};
    for (int digits = 0; digits <= 8; digits += 8) { // exact data, and data of eight digits
        ct_brackets b = basis_of(ring, 2, h, digits);
        assert_int_equal(b.n, 2);
        assert_int_equal(b.p[0].n, 3);
        coefficient(b.p, 1, -8.5000027, 2e-7);
        coefficient(b.p, 2, 4.0000034, 2e-7);
        coefficient(b.p + 1, 1, -0.74999962, 1e-8);
        coefficient(b.p + 1, 2, 5.3749988, 2e-7);
        coefficient(b.p, 1, -12750004250000.0 / 1500000000000.0, 1e-9);
        ct_brackets_clear(&b);
    }
    ct_brackets rough = basis_of(ring, 2, h, 5); // 3.0000 +- 0.00005: brackets hold the exact basis
    assert_int_equal(rough.n, 2);
    coefficient(rough.p, 1, -8.5, 1e-3);
    assert_true(mag_get_d(arb_radref(rough.p[0].c + 1)) > 1e-6);
    ct_brackets_clear(&rough);
    ct_ring_free(ring);
}

static void overdetermined_system(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 2, xy, CT_LEX);
    static const char *const f[] = {"x^2 + y^2 - 6*x - 2*y + 5", "x^2 - 6*x - y + 7",
                                    "x - 4*y + 3.000001"};
    for (int digits = 3; digits <= 6; digits++) {
        ct_brackets b = basis_of(ring, 3, f, digits);
        assert_int_equal(b.n, 2);
        shape(ring, &b, 0, "y - 2");
        shape(ring, &b, 1, "x - 5");
        ct_brackets_clear(&b);
    }
    ct_brackets exact = basis_of(ring, 3, f, 0);
    assert_int_equal(exact.n, 1);
    shape(ring, &exact, 0, "1");
    ct_brackets_clear(&exact);
    ct_ring_free(ring);
}

static void agrees_with_the_exact_basis(void **state) {
    (void)state;
    const char *names[] = {"x", "y", "z"};
    static const char *const f[] = {"x^2 + y^2 + z^2 - 8*x + 2*y - 8",
                                    "3*x^2 - 2*x*y - y^2 + 2*y*z + 2*z - 4", "2*x - 10*y - 3*z"};
    for (int order = CT_LEX; order <= CT_DEGREVLEX; order++) {
        ct_ring *ring = ct_ring_simple(ctx, 3, names, (ct_order)order);
        ct_polys in = {0}, exact = {0};
        for (int i = 0; i < 3; i++)
            assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), f[i]), CT_OK);
        assert_int_equal(ct_groebner(ctx, ring, &exact, &in, NULL), CT_OK);
        ct_brackets b = basis_of(ring, 3, f, 0);
        assert_int_equal(b.n, exact.n);
        for (int i = 0; i < b.n; i++) {
            assert_int_equal(b.p[i].n, exact.p[i].n);
            for (slong k = 0; k < b.p[i].n; k++) {
                fmpq_t c;
                fmpq_init(c);
                fmpq_set_fmpz_frac(c, exact.p[i].coefs + k, exact.p[i].coefs);
                assert_true(arb_contains_fmpq(b.p[i].c + k, c));
                assert_memory_equal(b.p[i].exps + 3 * k, ct_poly_exps(ring, exact.p + i, k), 12);
                fmpq_clear(c);
            }
        }
        ct_brackets_clear(&b);
        ct_polys_clear(ring, &in), ct_polys_clear(ring, &exact);
        ct_ring_free(ring);
    }
}

static void limits_and_edges(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 2, xy, CT_LEX);
    ct_polys in = {0};
    ct_brackets out = {0};
    assert_int_equal(ct_groebner_approximate(ctx, ring, &out, &in, NULL), CT_OK);
    assert_int_equal(out.n, 0);
    ct_polys_add(&in); // a zero polynomial
    assert_int_equal(ct_groebner_approximate(ctx, ring, &out, &in, NULL), CT_OK);
    assert_int_equal(out.n, 0);
    volatile sig_atomic_t stop = 1;
    ct_approximate_options o = {.stop = &stop};
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), "x^2*y - 3"), CT_OK);
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), "x*y^2 - 2"), CT_OK);
    assert_int_equal(ct_groebner_approximate(ctx, ring, &out, &in, &o), CT_INTERRUPTED);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perturbed_system),
        cmocka_unit_test(overdetermined_system),
        cmocka_unit_test(agrees_with_the_exact_basis),
        cmocka_unit_test(limits_and_edges),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
