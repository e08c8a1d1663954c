// Resultants as printed in the source; determinants of hidden-variable matrices, characteristic
// polynomials, univariate representations and lexicographic bases tell the same.
#include "algebra/fixture.h"

#include "algebra/eliminate/eliminate.h"
#include "algebra/lift.h"

static uint64_t seed = 88172645463325252u;
static int random_between(int a, int b) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return a + (int)(seed % (uint64_t)(b - a + 1));
}

static ct_poly *parse(const ct_ring *ring, ct_polys *list, const char *text) {
    ct_poly *f = ct_polys_add(list);
    assert_int_equal(ct_poly_parse(ctx, ring, f, text), CT_OK);
    return f;
}

static void expect(const ct_ring *ring, const ct_poly *f, const char *text) {
    ct_poly g;
    ct_poly_init(&g);
    assert_int_equal(ct_poly_parse(ctx, ring, &g, text), CT_OK);
    assert_true(ct_poly_equal(ring, f, &g));
    ct_poly_clear(ring, &g);
}

static void resultants_of_the_source(void **state) {
    (void)state;
    const char *names[] = {"x", "y", "z"};
    ct_ring *ring = ct_ring_simple(ctx, 3, names, CT_LEX);
    ct_polys f = {0};
    parse(ring, &f, "x^2 + y^2 + z^2 - 8*x + 2*y - 8");
    parse(ring, &f, "3*x^2 - 2*x*y - y^2 + 2*y*z + 2*z - 4");
    parse(ring, &f, "2*x - 10*y - 3*z");
    ct_poly f12, f13, f123;
    ct_poly_init(&f12), ct_poly_init(&f13), ct_poly_init(&f123);
    assert_int_equal(ct_resultant(ctx, ring, &f12, f.p, f.p + 1, 0), CT_OK);
    assert_int_equal(ct_resultant(ctx, ring, &f13, f.p, f.p + 2, 0), CT_OK);
    expect(ring, &f12,
           "20*y^4 - 16*y^3*z + 24*y^3 + 32*y^2*z^2 - 72*y^2*z - 444*y^2 - 12*y*z^3 - 4*y*z^2 + "
           "408*y*z"
           " + 208*y + 9*z^4 - 12*z^3 - 116*z^2 + 464*z - 368");
    expect(ring, &f13, "104*y^2 + 60*y*z - 152*y + 13*z^2 - 48*z - 32");
    assert_int_equal(ct_resultant(ctx, ring, &f123, &f12, &f13, 1), CT_OK);
    ct_poly wanted;
    ct_poly_init(&wanted);
    static const char *const c[] = {"26746035600",    "-153807171200",   "-509155874048",
                                    "4842191929344",  "-3082535620608",  "-32918369501184",
                                    "67097262882816", "-82913048657920", "48247183769600"};
    fmpz_t v;
    fmpz_init(v);
    for (uint32_t i = 0; i < 9; i++) {
        fmpz_set_str(v, c[i], 10);
        ct_poly_push(ring, &wanted, (uint32_t[]){0, 0, 8 - i}, v);
    }
    assert_true(ct_poly_equal(ring, &f123, &wanted)); // content and sign kept
    ct_poly zero;
    ct_poly_init(&zero);
    assert_int_equal(ct_resultant(ctx, ring, &f12, &zero, &f13, 1), CT_OK);
    assert_int_equal(f12.n, 0);
    assert_int_equal(ct_resultant(ctx, ring, &f12, &zero, &f13, 3), CT_USAGE);
    fmpz_clear(v);
    ct_poly_clear(ring, &f12), ct_poly_clear(ring, &f13), ct_poly_clear(ring, &f123);
    ct_poly_clear(ring, &wanted);
    ct_polys_clear(ring, &f);
    ct_ring_free(ring);
}

// random systems --------------------------------------------------------------------------------
static void random_dense(const ct_ring *ring, ct_poly *f, uint32_t degree, int share) {
    uint32_t e[4] = {0};
    fmpz_t c;
    fmpz_init(c);
    for (e[0] = 0; e[0] <= degree; e[0]++)
        for (e[1] = 0; e[0] + e[1] <= degree; e[1]++)
            for (e[2] = 0; e[2] <= (ring->n > 2 ? degree - e[0] - e[1] : 0); e[2]++) {
                bool pure = e[0] == degree || e[1] == degree || e[2] == degree;
                if (!pure && random_between(0, 99) >= share) continue;
                fmpz_set_si(c, random_between(-9, 9));
                if (!fmpz_is_zero(c)) ct_poly_push(ring, f, e, c);
            }
    fmpz_clear(c);
    ct_poly_canonical(ring, f);
}

static void same_primitive(const fmpz_poly_t a, const fmpz_poly_t b) {
    fmpz_poly_t p, q;
    fmpz_poly_init(p), fmpz_poly_init(q);
    fmpz_poly_primitive_part(p, a), fmpz_poly_primitive_part(q, b);
    assert_true(fmpz_poly_equal(p, q));
    fmpz_poly_clear(p), fmpz_poly_clear(q);
}

// The element of a lexicographic basis in the last unknown alone.
static void last_of_lex(const ct_ring *ring, const ct_polys *basis, fmpz_poly_t f) {
    ct_order_block lex = {ring->n, CT_LEX};
    ct_ring *to = ct_ring_reorder(ctx, ring, 1, &lex);
    ct_polys out = {0};
    assert_int_equal(ct_change_order(ctx, to, &out, ring, basis, NULL), CT_OK);
    fmpz_poly_zero(f);
    for (slong i = 0; i < out.p[0].n; i++)
        fmpz_poly_set_coeff_fmpz(f, ct_poly_exps(to, out.p, i)[ring->n - 1], out.p[0].coefs + i);
    ct_polys_clear(to, &out);
    ct_ring_free(to);
}

static int checked[3];
static void check_system(const ct_ring *ring, const ct_polys *basis) {
    ct_quotient q;
    ct_quotient_mod m;
    assert_true(ct_quotient_init(&q, ring, basis));
    assert_int_equal(q.d, ct_ideal(ring, basis).degree);
    assert_true(ct_quotient_mod_init(&m, &q, ct_lift_prime(1UL << 58)));
    ct_zeros zeros = ct_quotient_zeros(&m);
    fmpz_poly_t det, lex, completed;
    fmpz_poly_init(det), fmpz_poly_init(lex), fmpz_poly_init(completed);
    for (int hide = 0; hide < ring->n; hide++) {
        slong weights[CT_UNKNOWNS_MAX] = {0};
        weights[hide] = 1;
        ct_hidden h;
        assert_int_equal(ct_hidden_complete(ctx, &h, &q, hide, NULL), CT_OK);
        assert_int_equal(ct_hidden_determinant(ctx, &h, completed, NULL), CT_OK);
        assert_int_equal(fmpz_poly_degree(completed), q.d);
        ct_hidden_clear(&h);
        assert_int_equal(ct_hidden_search(ctx, &h, &m, hide, NULL), CT_OK);
        assert_int_equal(ct_hidden_determinant(ctx, &h, det, NULL), CT_OK);
        checked[h.kind]++;
        bool separates = ct_separates(&m, &zeros, weights);
        if (h.kind != CT_HIDDEN_SUBSET && zeros.radical) same_primitive(det, completed);
        ct_hidden_clear(&h);
        if (hide == ring->n - 1) last_of_lex(ring, basis, lex);
        if (hide == ring->n - 1 && zeros.radical && separates) same_primitive(lex, completed);
        if (!separates) continue;
        ct_rur rur;
        assert_int_equal(ct_rur_compute(ctx, &rur, &q, &zeros, weights, hide, NULL), CT_OK);
        same_primitive(rur.eliminant, completed);
        assert_int_equal(fmpz_poly_degree(rur.radical), zeros.distinct);
        ct_rur_clear(&rur);
    }
    fmpz_poly_clear(det), fmpz_poly_clear(lex), fmpz_poly_clear(completed);
    ct_quotient_mod_clear(&m);
    ct_quotient_clear(&q);
}

static void eliminants_agree(void **state) {
    (void)state;
    const char *names[] = {"x", "y", "z"};
    int finite = 0;
    for (int trial = 0; trial < 60; trial++) {
        int n = 2 + trial % 2;
        ct_ring *ring = ct_ring_simple(ctx, n, names, CT_DEGREVLEX);
        ct_polys in = {0}, basis = {0};
        for (int i = 0; i < n; i++)
            random_dense(ring, ct_polys_add(&in), (uint32_t)random_between(1, n == 2 ? 4 : 2),
                         20 + trial);
        if (trial % 4 == 0 && in.p[0].n) { // a square: multiple solutions
            ct_poly square;
            ct_poly_init(&square);
            assert_int_equal(ct_poly_mul(ctx, ring, &square, in.p, in.p), CT_OK);
            ct_poly_swap(in.p, &square);
            ct_poly_clear(ring, &square);
        }
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        if (ct_ideal(ring, &basis).dimension == 0) finite++, check_system(ring, &basis);
        ct_polys_clear(ring, &in), ct_polys_clear(ring, &basis);
        ct_ring_free(ring);
    }
    print_message("%d finite systems; matrices of the basis %d, of a subset %d, completed %d\n",
                  finite, checked[0], checked[1], checked[2]);
    assert_true(finite > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resultants_of_the_source),
        cmocka_unit_test(eliminants_agree),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
