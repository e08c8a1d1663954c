// Properties on random ideals: the checker agrees, inputs reduce to zero, change of order and
// direct computation agree; dimension, degree, quotient and saturation against what they mean.
#include "algebra/fixture.h"

static const char *const names[] = {"x", "y", "z", "w"};

static void convert_all(const ct_ring *to, ct_polys *out, const ct_ring *from, const ct_polys *in) {
    for (int i = 0; i < in->n; i++) ct_poly_convert(to, ct_polys_add(out), from, &in->p[i], NULL);
}

static void assert_inputs_reduce(const ct_ring *ring, const ct_polys *in, const ct_polys *basis) {
    ct_poly r;
    ct_poly_init(&r);
    for (int i = 0; i < in->n; i++) {
        assert_true(ct_remainder(ring, &r, &in->p[i], basis, 0));
        assert_int_equal(r.n, 0);
    }
    ct_poly_clear(ring, &r);
}

// Bases in every kind of order hold what a basis promises, and have the same dimension and, where
// it is zero, the same degree.
static void random_ideals(void **state) {
    (void)state;
    uint64_t seed = 42;
    for (int round = 0; round < 120; round++) {
        int n = 2 + (int)(draw(&seed) % 3), m = 1 + (int)(draw(&seed) % 4),
            bits = 2 + (int)(draw(&seed) % 12);
        ct_order_block halves[] = {{n / 2, CT_DEGREVLEX}, {n - n / 2, CT_DEGREVLEX}};
        ct_ring *rings[] = {
            ct_ring_simple(ctx, n, names, CT_DEGREVLEX), ct_ring_simple(ctx, n, names, CT_DEGLEX),
            ct_ring_new(ctx, n, names, 2, halves, 0, NULL), ct_ring_simple(ctx, n, names, CT_LEX)};
        ct_polys in = {0};
        for (int i = 0; i < m; i++) random_poly(rings[0], ct_polys_add(&in), &seed, 4, 2, bits);
        ct_ideal_info first = {0};
        for (int k = 0; k < 4; k++) {
            ct_polys converted = {0}, basis = {0};
            convert_all(rings[k], &converted, rings[0], &in);
            ct_groebner_options options = {.budget.seconds = 20};
            assert_int_equal(ct_groebner(ctx, rings[k], &basis, &converted, &options), CT_OK);
            assert_true(ct_is_groebner(rings[k], &basis, k ? 1000003 : 0));
            assert_true(ct_is_reduced(rings[k], &basis));
            assert_inputs_reduce(rings[k], &converted, &basis);
            ct_ideal_info info = ct_ideal(rings[k], &basis);
            if (k == 0) first = info;
            assert_int_equal(info.dimension, first.dimension);
            if (info.dimension == 0) assert_int_equal(info.degree, first.degree);
            ct_polys_clear(rings[k], &converted);
            ct_polys_clear(rings[k], &basis);
        }
        ct_polys_clear(rings[0], &in);
        for (int k = 0; k < 4; k++) ct_ring_free(rings[k]);
    }
}

static void change_of_order_equals_direct(void **state) {
    (void)state;
    uint64_t seed = 7;
    int tried = 0;
    for (int round = 0; round < 60; round++) {
        int n = 2 + (int)(draw(&seed) % 2);
        ct_ring *drl = ct_ring_simple(ctx, n, names, CT_DEGREVLEX),
                *lex = ct_ring_simple(ctx, n, names, CT_LEX);
        ct_polys in = {0}, in_lex = {0}, basis = {0}, changed = {0}, direct = {0}, modular = {0};
        for (int i = 0; i < n; i++) random_poly(drl, ct_polys_add(&in), &seed, 5, 2, 6);
        convert_all(lex, &in_lex, drl, &in);
        assert_int_equal(ct_groebner(ctx, drl, &basis, &in, NULL), CT_OK);
        if (ct_ideal(drl, &basis).dimension <= 0) {
            tried++;
            ct_groebner_options tiny = {.first_prime = 31};
            assert_int_equal(ct_groebner(ctx, lex, &direct, &in_lex, NULL), CT_OK);
            assert_int_equal(ct_change_order(ctx, lex, &changed, drl, &basis, NULL), CT_OK);
            assert_true(ct_polys_equal(lex, &changed, &direct));
            assert_int_equal(ct_change_order(ctx, lex, &changed, drl, &basis, &tiny), CT_OK);
            assert_true(ct_polys_equal(lex, &changed, &direct));
            ct_groebner_options prime = {.prime = 1000003};
            assert_int_equal(ct_change_order(ctx, lex, &modular, drl, &basis, &prime), CT_OK);
            assert_int_equal(modular.n, direct.n);
        } else {
            assert_int_equal(ct_change_order(ctx, lex, &changed, drl, &basis, NULL),
                             CT_WRONG_MODEL);
        }
        ct_polys_clear(drl, &in);
        ct_polys_clear(drl, &basis);
        ct_polys_clear(lex, &in_lex);
        ct_polys_clear(lex, &changed);
        ct_polys_clear(lex, &direct);
        ct_polys_clear(lex, &modular);
        ct_ring_free(drl);
        ct_ring_free(lex);
    }
    assert_true(tried > 30);
    ct_messages_clear(ctx);
}

// Lex of the 8-link: one polynomial of degree 16 in the last unknown, all others linear in the
// rest.
static void eight_link_in_lex(void **state) {
    (void)state;
    ct_polys in = {0}, basis = {0}, lex_basis = {0};
    ct_ring *drl = read_system(ctx, "eight_link", CT_DEGREVLEX, &in);
    ct_order_block block = {drl->n, CT_LEX};
    ct_ring *lex = ct_ring_reorder(ctx, drl, 1, &block);
    assert_int_equal(ct_groebner(ctx, drl, &basis, &in, NULL), CT_OK);
    assert_int_equal(ct_change_order(ctx, lex, &lex_basis, drl, &basis, NULL), CT_OK);
    assert_int_equal(lex_basis.n, 12);
    assert_int_equal(lex_basis.p[0].exps[11], 16);
    for (int i = 1; i < 12; i++) assert_int_equal(ct_monomial_degree(lex, lex_basis.p[i].exps), 1);
    assert_true(ct_is_groebner(lex, &lex_basis, 1000003));
    // the eliminant is the printed one
    fmpz *c = lex_basis.p[0].coefs;
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_fmpz_frac(q, c + 1, c);
    assert_true(ct_rational_double(q) > -2.3008073 && ct_rational_double(q) < -2.3008071);
    fmpq_clear(q);
    ct_groebner_stats stats;
    ct_groebner_options hurry = {.budget.seconds = 1e-6, .stats = &stats};
    assert_int_equal(ct_change_order(ctx, lex, &lex_basis, drl, &basis, &hurry), CT_NUMERICS);
    assert_int_equal(stats.limit, CT_LIMIT_TIME);
    ct_messages_clear(ctx);
    ct_polys_clear(drl, &in);
    ct_polys_clear(drl, &basis);
    ct_polys_clear(lex, &lex_basis);
    ct_ring_free(drl);
    ct_ring_free(lex);
}

// ideals -----------------------------------------------------------------------------------------
typedef struct ideal_case {
    const char *const *text;
    int dimension;
    slong degree;
} ideal_case;
static void dimension_and_degree(void **state) {
    (void)state;
    const ideal_case cases[] = {
        {LIST("x^2 + y^2 + z^2 - 1"), 3, 2}, // a quadric in four unknowns
        {LIST("x*y", "x*z"), 3, 1},          // a hyperplane and a line of lower dimension
        {LIST("x*y"), 3, 2},                 // two hyperplanes
        {LIST("y - x^2", "z - x^3"), 2, 3},  // twisted cubic times a line
        {LIST("x^3 - 1", "y^2", "z", "w^5"), 0, 30},
        {LIST("x", "y", "z", "w", "x + 1"), -1, 0},
        {LIST("0"), 4, 1},
    };
    ct_ring *ring = ct_ring_simple(ctx, 4, names, CT_DEGREVLEX);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_polys in = {0}, basis = {0};
        assert_true(parse_all(ctx, ring, &in, cases[k].text));
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        ct_ideal_info info = ct_ideal(ring, &basis);
        assert_int_equal(info.dimension, cases[k].dimension);
        assert_int_equal(info.degree, cases[k].degree);
        int free_unknowns = 0;
        for (uint64_t f = info.free; f; f &= f - 1) free_unknowns++;
        assert_int_equal(free_unknowns, info.dimension < 0 ? 0 : info.dimension);
        uint32_t *standard;
        slong n = ct_standard_monomials(ring, &basis, &standard);
        assert_int_equal(n, info.dimension > 0 ? -1 : info.degree);
        ct_free(standard);
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
    }
    ct_ring_free(ring);
}

// Multiplications commute, and x_k * 1 is where it should be.
static void multiplications_commute(void **state) {
    (void)state;
    const uint32_t p = 2147483629;
    ct_polys in = {0}, basis = {0};
    ct_ring *ring = read_system(ctx, "platform", CT_DEGREVLEX, &in);
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    static uint32_t a[1600], b[1600];
    for (int k = 0; k + 1 < ring->n; k++) {
        assert_true(ct_multiplication_matrix(ring, &basis, k, p, a));
        assert_true(ct_multiplication_matrix(ring, &basis, k + 1, p, b));
        for (int i = 0; i < 40; i++)
            for (int j = 0; j < 40; j++) {
                uint64_t ab = 0, ba = 0;
                for (int l = 0; l < 40; l++) {
                    ab = (ab + (uint64_t)a[40 * i + l] * b[40 * l + j]) % p;
                    ba = (ba + (uint64_t)b[40 * i + l] * a[40 * l + j]) % p;
                }
                assert_int_equal(ab, ba);
            }
    }
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

static void assert_saturation(const char *const *in_text, const char *const *by_text,
                              const char *const *expected) {
    ct_ring *ring = ct_ring_simple(ctx, 3, names, CT_DEGREVLEX);
    ct_polys in = {0}, by = {0}, out = {0}, wanted = {0};
    assert_true(parse_all(ctx, ring, &in, in_text) && parse_all(ctx, ring, &by, by_text));
    assert_true(parse_all(ctx, ring, &wanted, expected));
    assert_int_equal(ct_saturate(ctx, ring, &out, &in, &by, NULL), CT_OK);
    assert_true(ct_polys_equal(ring, &out, &wanted));
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &by);
    ct_polys_clear(ring, &out);
    ct_polys_clear(ring, &wanted);
    ct_ring_free(ring);
}

static void saturation_drops_components(void **state) {
    (void)state;
    assert_saturation(LIST("x*y", "x*z"), LIST("x"), LIST("z", "y"));
    assert_saturation(LIST("x^3*(y - 1)", "y*(z - 2)*x"), LIST("x", "y"), LIST("z - 2", "y - 1"));
    assert_saturation(LIST("x^2", "x*y"), LIST("x"), LIST("1"));
    assert_saturation(LIST("x - y"), LIST("z"), LIST("x - y"));
    assert_saturation(LIST("x - y"), LIST("0"), LIST("1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ideals),           cmocka_unit_test(change_of_order_equals_direct),
        cmocka_unit_test(eight_link_in_lex),       cmocka_unit_test(dimension_and_degree),
        cmocka_unit_test(multiplications_commute), cmocka_unit_test(saturation_drops_components),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
