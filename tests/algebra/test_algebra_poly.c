// Polynomials: orders, canonical form, text, arithmetic, and what expressions become.
#include "algebra/fixture.h"

static const char *const xyz[] = {"x", "y", "z"};

static void assert_text(const ct_ring *ring, const char *from, const char *expected) {
    ct_poly f;
    ct_poly_init(&f);
    assert_int_equal(ct_poly_parse(ctx, ring, &f, from), CT_OK);
    char *text = print_poly(ring, &f);
    assert_string_equal(text, expected);
    ct_free(text);
    ct_poly_clear(ring, &f);
}

static void orders_sort_terms(void **state) {
    (void)state;
    const char *sum = "z^3 + x*z^2 + y^2*z + x^2 + y + 5 - 2*x";
    ct_ring *lex = ct_ring_simple(ctx, 3, xyz, CT_LEX);
    ct_ring *deglex = ct_ring_simple(ctx, 3, xyz, CT_DEGLEX);
    ct_ring *degrevlex = ct_ring_simple(ctx, 3, xyz, CT_DEGREVLEX);
    ct_order_block blocks[] = {{1, CT_DEGREVLEX}, {2, CT_DEGREVLEX}};
    ct_ring *elimination = ct_ring_new(ctx, 3, xyz, 2, blocks, 0, NULL);
    assert_text(lex, sum, "x^2 + x*z^2 - 2*x + y^2*z + y + z^3 + 5");
    assert_text(deglex, sum, "x*z^2 + y^2*z + z^3 + x^2 - 2*x + y + 5");
    assert_text(degrevlex, sum, "y^2*z + x*z^2 + z^3 + x^2 - 2*x + y + 5");
    assert_text(elimination, sum, "x^2 + x*z^2 - 2*x + y^2*z + z^3 + y + 5");
    ct_ring_free(lex);
    ct_ring_free(deglex);
    ct_ring_free(degrevlex);
    ct_ring_free(elimination);
}

static void canonical_is_primitive(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 3, xyz, CT_DEGREVLEX);
    assert_text(ring, "0.1*x - 0.25*y", "2*x - 5*y");
    assert_text(ring, "-6*x + 4", "3*x - 2");
    assert_text(ring, "(x + y)^2 - x^2 - 2*x*y - y^2", "0");
    assert_text(ring, "(x - y)*(x + y)/7", "x^2 - y^2");
    assert_text(ring, "x^1000000 - x^999999*y", "x^1000000 - x^999999*y");
    ct_ring_free(ring);
}

static void refused(const ct_ring *ring, const char *text) {
    ct_poly f;
    ct_poly_init(&f);
    assert_int_not_equal(ct_poly_parse(ctx, ring, &f, text), CT_OK);
    assert_true(ct_message_count(ctx) > 0);
    ct_messages_clear(ctx);
    ct_poly_clear(ring, &f);
}

static void what_is_no_polynomial_is_refused(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 3, xyz, CT_LEX);
    const char *const wrong[] = {"1/x",
                                 "sqrt(x)",
                                 "x^y",
                                 "w + 1",
                                 "x +",
                                 "sin(x)",
                                 "x^(1/2)",
                                 "x^2000000000",
                                 "x^(10^30)",
                                 "(x + y)^5000",
                                 "x^900000000*y^900000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refused(ring, wrong[i]);
    ct_ring_free(ring);
}

static void rings_check_their_size(void **state) {
    (void)state;
    const char *names[100];
    for (int k = 0; k < 100; k++) names[k] = "x";
    assert_null(ct_ring_simple(ctx, 0, names, CT_LEX));
    assert_null(ct_ring_simple(ctx, 65, names, CT_LEX));
    ct_order_block blocks[] = {{2, CT_LEX}, {2, CT_LEX}};
    assert_null(ct_ring_new(ctx, 3, xyz, 2, blocks, 0, NULL));
    assert_int_equal(ct_message_count(ctx), 3);
    ct_messages_clear(ctx);
}

// (f + g) h = f h + g h at random points, and text reads back as what was printed.
static void random_arithmetic(void **state) {
    (void)state;
    uint64_t seed = 12345;
    ct_ring *ring = ct_ring_simple(ctx, 3, xyz, CT_DEGREVLEX);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    for (int round = 0; round < 100; round++) {
        ct_poly f, g, h, sum, left, right, part;
        ct_poly *all[] = {&f, &g, &h, &sum, &left, &right, &part};
        for (int i = 0; i < 7; i++) ct_poly_init(all[i]);
        for (int i = 0; i < 3; i++) random_poly(ring, all[i], &seed, 6, 4, 20);
        ct_poly_combine(ring, &sum, one, &f, one, &g);
        assert_int_equal(ct_poly_mul(ctx, ring, &left, &sum, &h), CT_OK);
        assert_int_equal(ct_poly_mul(ctx, ring, &right, &f, &h), CT_OK);
        assert_int_equal(ct_poly_mul(ctx, ring, &part, &g, &h), CT_OK);
        ct_poly_combine(ring, &right, one, &right, one, &part);
        assert_true(ct_poly_equal(ring, &left, &right));
        ct_poly_canonical(ring, &left);
        char *text = print_poly(ring, &left);
        assert_int_equal(ct_poly_parse(ctx, ring, &right, text), CT_OK);
        assert_true(ct_poly_equal(ring, &left, &right));
        ct_free(text);
        for (int i = 0; i < 7; i++) ct_poly_clear(ring, all[i]);
    }
    fmpz_clear(one);
    ct_ring_free(ring);
}

static void values_are_exact(void **state) {
    (void)state;
    ct_ring *ring = ct_ring_simple(ctx, 3, xyz, CT_LEX);
    ct_poly f;
    ct_poly_init(&f);
    assert_int_equal(ct_poly_parse(ctx, ring, &f, "3*x^2*y - z + 7"), CT_OK);
    fmpq point[3], value;
    for (int k = 0; k < 3; k++) fmpq_init(&point[k]);
    fmpq_init(&value);
    fmpq_set_si(&point[0], 1, 2);
    fmpq_set_si(&point[1], -4, 3);
    fmpq_set_si(&point[2], 5, 1);
    ct_poly_value(ring, &value, &f, point);
    assert_true(fmpq_equal_si(&value, 1)); // 3 * 1/4 * -4/3 - 5 + 7
    for (int k = 0; k < 3; k++) fmpq_clear(&point[k]);
    fmpq_clear(&value);
    ct_poly_clear(ring, &f);
    ct_ring_free(ring);
}

// expressions ------------------------------------------------------------------------------------
static bool resolve(void *pool, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)offset;
    (void)error;
    *value = ct_symbol(pool, CT_SYMBOL_OTHER, name);
    return !primes;
}

static ct_ex expression(ct_pool *pool, const char *text) {
    ct_names names = {.data = pool, .resolve = resolve};
    ct_parse_error error;
    ct_ex e;
    assert_true(ct_parse(pool, text, &names, &e, &error));
    return e;
}

static void assert_system(const char *const *equations, const char *const *unknowns,
                          const char *const *expected, int n_known) {
    ct_pool *pool = ct_pool_new();
    ct_ex e[8], u[8];
    int n = 0, m = 0;
    for (; equations[n]; n++) e[n] = expression(pool, equations[n]);
    for (; unknowns[m]; m++) u[m] = expression(pool, unknowns[m]);
    ct_poly_system s;
    assert_int_equal(ct_poly_system_from_expr(ctx, pool, n, e, m, u, CT_LEX, &s), CT_OK);
    assert_int_equal(s.n_known, n_known);
    for (int i = 0; i < s.equations.n; i++) {
        assert_non_null(expected[i]);
        char *text = print_poly(s.ring, &s.equations.p[i]);
        assert_string_equal(text, expected[i]);
        ct_free(text);
    }
    assert_null(expected[s.equations.n]);
    ct_poly_system_clear(&s);
    ct_pool_free(pool);
}

static void angles_become_pairs(void **state) {
    (void)state;
    assert_system(
        (const char *[]){"0.3*cos(th) + 0.4*sin(be) - s", "0.3*sin(th) - 0.4*cos(be)", NULL},
        (const char *[]){"th", "be", "s", NULL},
        (const char *[]){"3*c_th + 4*s_be - 10*s", "3*s_th - 4*c_be", "c_th^2 + s_th^2 - 1",
                         "c_be^2 + s_be^2 - 1", NULL},
        0);
    assert_system((const char *[]){"sin(a + b) - 1/2", NULL}, (const char *[]){"a", "b", NULL},
                  (const char *[]){"2*c_a*s_b + 2*s_a*c_b - 1", "c_a^2 + s_a^2 - 1",
                                   "c_b^2 + s_b^2 - 1", NULL},
                  0);
    assert_system((const char *[]){"cos(3*a/2) + sin(a/2)", NULL}, (const char *[]){"a", NULL},
                  (const char *[]){"c_a^3 - 3*c_a*s_a^2 + s_a", "c_a^2 + s_a^2 - 1", NULL}, 0);
}

static void known_parts_become_symbols(void **state) {
    (void)state;
    assert_system((const char *[]){"l*cos(a) + sqrt(m)*exp(n) - x^2", "l + sin(q) + x", NULL},
                  (const char *[]){"a", "x", NULL},
                  (const char *[]){"(l)*c_a + (-1)*x^2 + (k2)", "(1)*x + (k3)",
                                   "(1)*c_a^2 + (1)*s_a^2 + (-1)", NULL},
                  3);
    assert_system(
        (const char *[]){"cos(a + q) - r", NULL}, (const char *[]){"a", NULL},
        (const char *[]){"(k1)*c_a + (-k2)*s_a + (-r)", "(1)*c_a^2 + (1)*s_a^2 + (-1)", NULL}, 3);
}

static void mixed_use_of_an_angle_is_refused(void **state) {
    (void)state;
    ct_pool *pool = ct_pool_new();
    ct_ex e = expression(pool, "a - sin(a)"), f = expression(pool, "exp(a)"),
          u = expression(pool, "a");
    ct_poly_system s;
    assert_int_equal(ct_poly_system_from_expr(ctx, pool, 1, &e, 1, &u, CT_LEX, &s), CT_WRONG_MODEL);
    assert_int_equal(ct_poly_system_from_expr(ctx, pool, 1, &f, 1, &u, CT_LEX, &s), CT_WRONG_MODEL);
    ct_pool_free(pool);
    ct_messages_clear(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_sort_terms),
        cmocka_unit_test(canonical_is_primitive),
        cmocka_unit_test(what_is_no_polynomial_is_refused),
        cmocka_unit_test(rings_check_their_size),
        cmocka_unit_test(random_arithmetic),
        cmocka_unit_test(values_are_exact),
        cmocka_unit_test(angles_become_pairs),
        cmocka_unit_test(known_parts_become_symbols),
        cmocka_unit_test(mixed_use_of_an_angle_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
