// Certified isolation of roots: multiplicities, roots closer than doubles can tell, Wilkinson.
#include "unit.h"

#include "algebra/solve/roots_inside.h"

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
        cmocka_unit_test(isolation_counts_multiplicities),
        cmocka_unit_test(wilkinson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
