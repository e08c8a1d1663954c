// Gröbner bases: worked examples, the three mechanisms of Dhingra et al., classic systems beside
// Singular, unlucky primes.
#include "algebra/fixture.h"
#include "algebra/singular.h"

static void line_and_cubic(void **state) {
    (void)state;
    assert_basis(LIST("x", "y"), CT_LEX, LIST("4*x^2*y + 9*x*y + 4*x - 7*y - 4", "x*y - y + 3"),
                 LIST("2*y^2 - 17*y + 8", "8*x - 6*y + 43"));
    assert_basis(LIST("x", "y"), CT_LEX,
                 LIST("x^2 + y^2 - 6*x - 2*y + 5", "x^2 - 6*x - y + 7", "x - 4*y + 3"),
                 LIST("y - 2", "x - 5"));
    assert_basis(LIST("x", "y"), CT_LEX,
                 LIST("x^2 + y^2 - 6*x - 2*y + 5", "x^2 - 6*x - y + 7", "x - 4*y + 3.000001"),
                 LIST("1"));
}

static const char *const quadrics[] = {"x^2 + y^2 + z^2 - 8*x + 2*y - 8",
                                       "3*x^2 - 2*x*y - y^2 + 2*y*z + 2*z - 4", "2*x - 10*y - 3*z",
                                       NULL};

static void two_quadrics_and_a_plane(void **state) {
    (void)state;
    ct_ring *lex = ct_ring_simple(ctx, 3, LIST("x", "y", "z"), CT_LEX);
    ct_ring *drl = ct_ring_simple(ctx, 3, LIST("x", "y", "z"), CT_DEGREVLEX);
    ct_polys in = {0}, in_drl = {0}, basis = {0}, by_degree = {0}, changed = {0};
    assert_true(parse_all(ctx, lex, &in, quadrics) && parse_all(ctx, drl, &in_drl, quadrics));
    assert_int_equal(ct_groebner(ctx, lex, &basis, &in, NULL), CT_OK);
    assert_int_equal(ct_groebner(ctx, drl, &by_degree, &in_drl, NULL), CT_OK);
    char *text = print_poly(lex, &basis.p[0]);
    assert_string_equal(text, "34953*z^4 - 28960*z^3 - 508448*z^2 + 463360*z - 812800");
    ct_free(text);
    assert_int_equal(by_degree.n, 4);
    bool found = false;
    for (int i = 0; i < 4; i++) {
        text = print_poly(drl, &by_degree.p[i]);
        found = found || !strcmp(text, "368*y*z - 65*z^2 + 4864*y + 1640*z + 816");
        ct_free(text);
    }
    assert_true(found);
    ct_ideal_info info = ct_ideal(drl, &by_degree);
    assert_int_equal(info.dimension, 0);
    assert_int_equal(info.degree, 4);
    assert_int_equal(ct_change_order(ctx, lex, &changed, drl, &by_degree, NULL), CT_OK);
    assert_true(ct_polys_equal(lex, &changed, &basis));
    fmpq point[3], value;
    for (int k = 0; k < 3; k++) fmpq_init(&point[k]);
    fmpq_init(&value);
    static const int real[2][3] = {{1, -1, 4}, {4, 2, -4}};
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 3; k++) fmpq_set_si(&point[k], real[s][k], 1);
        for (int i = 0; i < basis.n; i++) {
            ct_poly_value(lex, &value, &basis.p[i], point);
            assert_true(fmpq_is_zero(&value));
        }
    }
    ct_polys_clear(lex, &in);
    ct_polys_clear(drl, &in_drl);
    ct_polys_clear(lex, &basis);
    ct_polys_clear(drl, &by_degree);
    ct_polys_clear(lex, &changed);
    ct_ring_free(lex);
    ct_ring_free(drl);
}

// Three orders of the slider-crank, each solved from the unknowns that come last.
static void slider_crank_orders(void **state) {
    (void)state;
    const char *const *loop =
        LIST("3/10*ct + 2/5*sb - s", "3/10*st - 2/5*cb", "ct^2 + st^2 - 1", "cb^2 + sb^2 - 1");
    // drive beta: s_th = 4/3 c_be, c_th^2 = (16 s_be^2 - 7)/9, s = 3/10 c_th + 2/5 s_be
    assert_basis(
        LIST("s", "ct", "st", "cb", "sb"), CT_LEX, loop,
        LIST("cb^2 + sb^2 - 1", "3*st - 4*cb", "9*ct^2 - 16*sb^2 + 7", "10*s - 3*ct - 4*sb"));
    // drive theta: c_be = 3/4 s_th, s_be^2 = (9 c_th^2 + 7)/16
    assert_basis(
        LIST("s", "sb", "cb", "st", "ct"), CT_LEX, loop,
        LIST("st^2 + ct^2 - 1", "4*cb - 3*st", "16*sb^2 - 9*ct^2 - 7", "10*s - 4*sb - 3*ct"));
    // drive s: 60 s c_th = 100 s^2 - 7
    ct_ring *ring = ct_ring_simple(ctx, 5, LIST("cb", "sb", "st", "ct", "s"), CT_LEX);
    ct_polys in = {0}, basis = {0};
    ct_poly f;
    ct_poly_init(&f);
    assert_true(parse_all(ctx, ring, &in, loop));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    assert_int_equal(ct_poly_parse(ctx, ring, &f, "60*s*ct - 100*s^2 + 7"), CT_OK);
    assert_true(ct_poly_equal(ring, &f, &basis.p[0]));
    assert_int_equal(ct_ideal(ring, &basis).dimension, 1);
    ct_poly_clear(ring, &f);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

// systems ----------------------------------------------------------------------------------------
typedef struct expected_size {
    const char *name;
    int generators, terms, degree; // 0: not known beforehand
} expected_size;
static const expected_size sizes[] = {{"eight_link", 29, 377, 16}, {"platform", 43, 739, 40},
                                      {"stewart", 68, 1951, 40},   {"cyclic5", 20, 0, 70},
                                      {"katsura6", 41, 0, 64},     {"eco8", 59, 0, 64},
                                      {"noon4", 0, 0, 73}};

static void systems_have_known_sizes(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ct_polys in = {0}, basis = {0};
        ct_ring *ring = read_system(ctx, sizes[k].name, CT_DEGREVLEX, &in);
        assert_non_null(ring);
        ct_groebner_stats stats;
        assert_int_equal(
            ct_groebner(ctx, ring, &basis, &in, &(ct_groebner_options){.stats = &stats}), CT_OK);
        if (sizes[k].generators) assert_int_equal(basis.n, sizes[k].generators);
        if (sizes[k].terms) assert_int_equal(ct_polys_terms(&basis), sizes[k].terms);
        ct_ideal_info info = ct_ideal(ring, &basis);
        assert_int_equal(info.dimension, 0);
        assert_int_equal(info.degree, sizes[k].degree);
        uint32_t *standard;
        assert_int_equal(ct_standard_monomials(ring, &basis, &standard), sizes[k].degree);
        ct_free(standard);
        assert_true(ct_is_groebner(ring, &basis, 998244353));
        assert_true(ct_is_reduced(ring, &basis));
        assert_true(stats.bytes < 300000000);
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
        ct_ring_free(ring);
    }
}

// True graded lex has more generators than what the source calls so.
static void mechanisms_in_graded_lex(void **state) {
    (void)state;
    static const int generators[] = {31, 47, 86};
    for (int k = 0; k < 3; k++) {
        ct_polys in = {0}, basis = {0};
        ct_ring *ring = read_system(ctx, sizes[k].name, CT_DEGLEX, &in);
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        assert_int_equal(basis.n, generators[k]);
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
        ct_ring_free(ring);
    }
}

static void systems_agree_with_singular(void **state) {
    (void)state;
    if (!have_singular()) skip();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!strcmp(sizes[k].name, "stewart")) continue; // ten seconds: see the measurements
        ct_polys in = {0}, basis = {0}, theirs = {0};
        ct_ring *ring = read_system(ctx, sizes[k].name, CT_DEGREVLEX, &in);
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        assert_true(singular_basis(ctx, ring, &theirs, &in, "dp"));
        assert_true(same_sets(ring, &basis, &theirs));
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
        ct_polys_clear(ring, &theirs);
        ct_ring_free(ring);
    }
}

// unlucky primes ---------------------------------------------------------------------------------
// Starting from tiny primes, where zeros are frequent and degrees collapse, gives the same basis.
static void unlucky_primes_are_found_out(void **state) {
    (void)state;
    static const char *const names[] = {"cyclic5", "noon4", "platform", "eight_link"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ct_polys in = {0}, basis = {0};
        ct_ring *ring = read_system(ctx, names[k], CT_DEGREVLEX, &in);
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        for (uint32_t first = 5; first < 300; first = 2 * first + 1) {
            ct_polys other = {0};
            ct_groebner_options options = {.first_prime = first};
            assert_int_equal(ct_groebner(ctx, ring, &other, &in, &options), CT_OK);
            assert_true(ct_polys_equal(ring, &basis, &other));
            ct_polys_clear(ring, &other);
        }
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
        ct_ring_free(ring);
    }
}

// 12 y = y modulo 11: the first prime misses an element, which only the check of the inputs tells.
static void a_prime_that_hides_an_element(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 2, LIST("x", "y"), CT_DEGREVLEX);
    ct_polys in = {0}, basis = {0}, expected = {0};
    ct_groebner_stats stats;
    ct_groebner_options options = {.first_prime = 11, .stats = &stats};
    assert_true(parse_all(ctx, ring, &in, LIST("x^2 + y", "x^2 + 12*y")));
    assert_true(parse_all(ctx, ring, &expected, LIST("y", "x^2")));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &options), CT_OK);
    assert_true(ct_polys_equal(ring, &basis, &expected));
    assert_true(stats.unlucky > 0);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_polys_clear(ring, &expected);
    ct_ring_free(ring);
}

static void modulo_a_prime(void **state) {
    (void)state;
    ct_polys in = {0}, basis = {0}, residues = {0};
    ct_ring *ring = read_system(ctx, "katsura6", CT_DEGREVLEX, &in);
    ct_groebner_options options = {.prime = 1000003};
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    assert_int_equal(ct_groebner(ctx, ring, &residues, &in, &options), CT_OK);
    assert_int_equal(basis.n, residues.n);
    for (int i = 0; i < basis.n; i++) {
        ct_poly difference; // monic residues times the leading coefficient are the residues
        ct_poly_init(&difference);
        fmpz_t minus;
        fmpz_init_set_si(minus, -1);
        ct_poly_combine(ring, &difference, minus, &basis.p[i], basis.p[i].coefs, &residues.p[i]);
        for (slong k = 0; k < difference.n; k++)
            assert_int_equal(fmpz_fdiv_ui(difference.coefs + k, options.prime), 0);
        fmpz_clear(minus);
        ct_poly_clear(ring, &difference);
    }
    options.prime = 1000004;
    assert_int_equal(ct_groebner(ctx, ring, &residues, &in, &options), CT_USAGE);
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_polys_clear(ring, &residues);
    ct_ring_free(ring);
}

// the checker ------------------------------------------------------------------------------------
static void the_checker_says_no(void **state) {
    (void)state;
    ct_polys in = {0}, basis = {0};
    ct_ring *ring = read_system(ctx, "noon4", CT_DEGREVLEX, &in);
    assert_false(ct_is_groebner(ring, &in, 0));
    assert_false(ct_is_groebner(ring, &in, 1000003));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    for (int i = 0; i < basis.n; i += 3) { // any changed coefficient of a tail is noticed
        ct_poly *f = &basis.p[i];
        if (f->n < 2) continue;
        fmpz_add_ui(f->coefs + f->n - 1, f->coefs + f->n - 1, 1);
        assert_false(ct_is_groebner(ring, &basis, 1000003));
        fmpz_sub_ui(f->coefs + f->n - 1, f->coefs + f->n - 1, 1);
    }
    assert_true(ct_is_groebner(ring, &basis, 1000003));
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_and_cubic),
        cmocka_unit_test(two_quadrics_and_a_plane),
        cmocka_unit_test(slider_crank_orders),
        cmocka_unit_test(systems_have_known_sizes),
        cmocka_unit_test(mechanisms_in_graded_lex),
        cmocka_unit_test(systems_agree_with_singular),
        cmocka_unit_test(unlucky_primes_are_found_out),
        cmocka_unit_test(a_prime_that_hides_an_element),
        cmocka_unit_test(modulo_a_prime),
        cmocka_unit_test(the_checker_says_no),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
