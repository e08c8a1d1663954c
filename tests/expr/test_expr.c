// Canonical construction: what must come out as one node, what must not, exact values, undefined
// constants, and looking at nodes.
#include "unit.h"

#include "expr/random_expr.h"

#include "expr/pool.h"

#include <stdlib.h>

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static void numbers_are_exact(void **state) {
    (void)state;
    static const rx_pair same[] = {{"1/3 + 1/6", "0.5"},
                                   {"0.1 + 0.2", "0.3"},
                                   {"2^-3", "1/8"},
                                   {"(2/3)^3", "8/27"},
                                   {"(-2)^3", "-8"},
                                   {"0^0", "1"},
                                   {"2^0", "1"},
                                   {"7 - 7", "0"},
                                   {"10^30/10^29", "10"},
                                   {"1e30 + 1 - 1e30", "1"},
                                   {"4^0.5", "2"},
                                   {"8^(3/2)", "16*sqrt(2)"},
                                   {"min(2, 3)", "2"},
                                   {"max(1/3, 1/4)", "1/3"},
                                   {"2 < 3", "1"},
                                   {"3 <= 2", "0"},
                                   {"2 == 2", "1"},
                                   {"2 != 2", "0"},
                                   {"if(0, x, y)", "y"},
                                   {"if(-2, x, y)", "x"},
                                   {"sign(-3)", "-1"},
                                   {"sign(0)", "0"},
                                   {"abs(-1/3)", "1/3"},
                                   {"exp(0)", "1"},
                                   {"log(1)", "0"},
                                   {"atan2(0, -2)", "pi"},
                                   {"atan2(-1, 0)", "-pi/2"},
                                   {"atan2(0, 3)", "0"},
                                   {"tan(0)", "0"},
                                   {"if(x, y, y)", "y"},
                                   {"(x + 1) < (x + 2)", "1"},
                                   {"max(x, x + 1)", "x + 1"},
                                   {"min(x, x)", "x"}};
    ONE_NODE(same);
    assert_int_equal(ct_int(pool, 0), CT_ZERO);
    assert_int_equal(ct_rational(pool, -3, -3), CT_ONE);
    assert_int_equal(ct_rational(pool, 6, -4), ct_neg(pool, rx_ex(pool, "1.5")));
}

static void sums_and_products_are_canonical(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"x + 0", "x"},
        {"x*1", "x"},
        {"x*0", "0"},
        {"x - x", "0"},
        {"x/x", "1"},
        {"x + y + x", "2*x + y"},
        {"x*y*x", "x^2*y"},
        {"x*y - y*x", "0"},
        {"2*x*3*y", "6*(y*x)"},
        {"(x^2)^3", "x^6"},
        {"x^3/x^5", "x^-2"},
        {"(x*y)^2", "x^2*y^2"},
        {"-(x - y)", "y - x"},
        {"-(-x)", "x"},
        {"(x + y) + (z - y)", "x + z"},
        {"2*(x + y) - 2*x", "2*y"},
        {"(2*x + 2*y)/(x + y)", "2"},
        {"(x - y)/(y - x)", "-1"},
        {"(2*x + 4*y)*(x + 2*y)", "2*(x + 2*y)^2"},
        {"(x - y)^2", "(y - x)^2"},
        {"(3*x + 6)^2/9", "(x + 2)^2"},
        {"x/2 + x/3", "5/6*x"},
        {"(x + 1/2)*2", "2*x + 1"},
        {"x*(y + z) + (z + y)*x", "2*x*(y + z)"},
    };
    static const rx_pair apart[] = {{"x*(y + z)", "x*y + x*z"},
                                    {"(x + y)^2", "x^2 + 2*x*y + y^2"},
                                    {"x - y", "y - x"},
                                    {"a.b", "a_b"},
                                    {"x", "x'"},
                                    {"x^2", "x^3"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

static void multiples_of_a_sum_share_it(void **state) {
    (void)state;
    ct_ex s = rx_ex(pool, "x + 2*y - 3"), m = rx_ex(pool, "-3/7*x - 6/7*y + 9/7");
    assert_int_equal(ct_ex_op(pool, s), CT_OP_SUM);
    assert_int_equal(ct_ex_op(pool, m), CT_OP_PRODUCT);
    assert_int_equal(ct_child_count(pool, m), 3);
    assert_int_equal(ct_child(pool, m, 0), ct_rational(pool, -3, 7));
    assert_int_equal(ct_child(pool, m, 1), s);
    assert_int_equal(ct_child(pool, m, 2), CT_ONE);
    // constant, then coefficient and term in turn, the first coefficient 1
    assert_int_equal(ct_child_count(pool, s), 5);
    assert_int_equal(ct_child(pool, s, 0), ct_int(pool, -3));
    assert_int_equal(ct_child(pool, s, 1), CT_ONE);
    assert_int_equal(ct_child(pool, s, 2), rx_ex(pool, "x"));
    assert_int_equal(ct_child(pool, s, 3), ct_int(pool, 2));
}

static void roots_and_absolutes(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"sqrt(x)^2", "x"},
        {"sqrt(x)*sqrt(x)*sqrt(x)", "x*sqrt(x)"},
        {"sqrt(x)^5", "x^2*sqrt(x)"},
        {"sqrt(x)^-3", "1/(x*sqrt(x))"},
        {"x/sqrt(x)", "sqrt(x)"},
        {"sqrt(x)/x", "1/sqrt(x)"},
        {"x^0.5", "sqrt(x)"},
        {"x^(-3/2)", "1/sqrt(x)^3"},
        {"sqrt(x^2)", "abs(x)"},
        {"sqrt(4*x^2)", "2*abs(x)"},
        {"sqrt(9*x)", "3*sqrt(x)"},
        {"sqrt(x^6)", "abs(x^3)"},
        {"sqrt(2)*sqrt(2)", "2"},
        {"1/sqrt(2)", "sqrt(2)/2"},
        {"sqrt(8)", "2*sqrt(2)"},
        {"sqrt(1/2)", "sqrt(2)/2"},
        {"sqrt(49/36)", "7/6"},
        {"sqrt(10201)", "101"},
        {"sqrt(0)", "0"},
        {"sqrt(12*x)", "2*sqrt(3)*sqrt(x)"},
        {"abs(-x)", "abs(x)"},
        {"abs(3*x)", "3*abs(x)"},
        {"abs(x)^2", "x^2"},
        {"abs(x)^3", "abs(x)*abs(x)*abs(x)"},
        {"x^2/abs(x)", "abs(x)"},
        {"abs(x)/x^2", "1/abs(x)"},
        {"abs(abs(x))", "abs(x)"},
        {"abs(-2*sqrt(x))", "2*sqrt(x)"},
        {"abs(exp(x))", "exp(x)"},
        {"abs(x - y)", "abs(y - x)"},
        {"sign(-x)", "-sign(x)"},
        {"sign(2*x)", "sign(x)"},
        {"sign(-pi)", "-1"},
        {"abs(-pi)", "pi"},
    };
    static const rx_pair apart[] = {{"sqrt(x^2)", "x"},
                                    {"abs(x)", "x"},
                                    {"sign(x)*abs(x)", "x"},
                                    {"sqrt(-x)", "-sqrt(x)"},
                                    {"x/abs(x)", "1"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

// Of a number with many digits the root is one of the order of one, whatever is taken out; it is
// the same node however it is come by, and its square is the number.
static void roots_of_long_numbers(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"sqrt(0.12345678901234567)^2", "0.12345678901234567"},
        {"sqrt(0.12345678901234567*4)", "2*sqrt(0.12345678901234567)"},
        {"sqrt(0.24691357802469134)*sqrt(2)", "sqrt(2)*sqrt(0.24691357802469134)"},
        {"sqrt(0.98517525542466511)*sqrt(0.98517525542466511)", "0.98517525542466511"},
        {"1/sqrt(98517525542466511e10)", "sqrt(98517525542466511e10)/98517525542466511e10"},
    };
    static const char *const roots[] = {"sqrt(0.12345678901234567)", "sqrt(0.24691357802469134)",
                                        "sqrt(98517525542466511*12345678901234567)",
                                        "sqrt(0.98517525542466511^7 + 3.1^12)"};
    ONE_NODE(same);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        ct_ex a = rx_ex(pool, roots[i]), *root;
        int n = ct_walk(pool, 1, &a, &root), found = 0;
        for (int k = 0; k < n; k++) {
            if (ct_ex_op(pool, root[k]) != CT_OP_SQRT) continue;
            double x = ct_eval(pool, root[k], NULL, NULL);
            assert_true(x >= 0.5 && x <= 2);
            ct_ex inner = ct_child(pool, root[k], 0);
            assert_int_equal(ct_sqrt(pool, inner), root[k]); // made again it is itself
            found++;
        }
        assert_int_equal(found, 1);
        ct_free(root);
    }
}

static void functions_and_their_inverses(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"sin(asin(x))", "x"},         {"cos(acos(x))", "x"},
        {"tan(atan(x))", "x"},         {"log(exp(x))", "x"},
        {"asin(-x)", "-asin(x)"},      {"acos(-x)", "pi - acos(x)"},
        {"atan(-x)", "-atan(x)"},      {"asin(1)", "pi/2"},
        {"asin(-1)", "-pi/2"},         {"acos(1)", "0"},
        {"acos(0)", "pi/2"},           {"acos(-1)", "pi"},
        {"atan(1)", "pi/4"},           {"atan(0)", "0"},
        {"tan(-x)", "-tan(x)"},        {"sin(-x)", "-sin(x)"},
        {"cos(-x)", "cos(x)"},         {"cos(x - y)", "cos(y - x)"},
        {"sin(x - y)", "-sin(y - x)"}, {"sin(-2)", "-sin(2)"},
    };
    static const rx_pair apart[] = {{"asin(sin(x))", "x"},
                                    {"atan(tan(x))", "x"},
                                    {"atan2(sin(x), cos(x))", "x"},
                                    {"exp(log(x))", "0"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

static void undefined_constants_spread(void **state) {
    (void)state;
    ct_ex u = ct_undefined(pool), x = rx_ex(pool, "x"), minus = ct_int(pool, -1),
          two = ct_int(pool, 2);
    ct_ex huge = ct_power_int(pool, two, 6000), big = ct_int(pool, 1L << 40);
    const ct_ex born[] = {ct_div(pool, CT_ONE, CT_ZERO),
                          ct_div(pool, x, ct_sub(pool, x, x)),
                          ct_rational(pool, 1, 0),
                          ct_power_int(pool, CT_ZERO, -1),
                          ct_power(pool, CT_ZERO, ct_rational(pool, -1, 3)),
                          ct_power(pool, minus, ct_rational(pool, 1, 3)),
                          ct_apply(pool, CT_OP_LOG, &minus),
                          ct_apply(pool, CT_OP_LOG, (ct_ex[]){CT_ZERO}),
                          ct_sqrt(pool, minus),
                          ct_apply(pool, CT_OP_ASIN, &two),
                          ct_apply(pool, CT_OP_ACOS, &two),
                          ct_power_int(pool, two, 1000000),
                          ct_power_int(pool, huge, 4),
                          ct_product(pool, 4, (ct_ex[]){huge, huge, huge, huge}),
                          ct_power(pool, x, big),
                          ct_power_int(pool, ct_power_int(pool, x, 1 << 15), 1 << 15)};
    for (size_t i = 0; i < sizeof born / sizeof *born; i++) assert_int_equal(born[i], u);
    assert_int_not_equal(huge, u);
    assert_int_equal(ct_power_int(pool, minus, 1000001), minus);
    assert_int_equal(ct_power_int(pool, CT_ZERO, 1000000), CT_ZERO);
    const ct_ex grown[] = {ct_add(pool, u, x),
                           ct_mul(pool, u, CT_ZERO),
                           ct_mul(pool, CT_ZERO, u),
                           ct_sub(pool, u, u),
                           ct_div(pool, u, u),
                           ct_power_int(pool, u, 0),
                           ct_power(pool, u, x),
                           ct_power(pool, x, u),
                           ct_sin(pool, u),
                           ct_sqrt(pool, u),
                           ct_let(pool, u),
                           ct_table(pool, 0, 0, u),
                           ct_if(pool, CT_ONE, x, u),
                           ct_diff(pool, u, x),
                           ct_neg(pool, u),
                           ct_apply(pool, CT_OP_MAX, (ct_ex[]){x, u}),
                           ct_sum(pool, 2, (ct_ex[]){x, u})};
    for (size_t i = 0; i < sizeof grown / sizeof *grown; i++) assert_int_equal(grown[i], u);
    assert_true(isnan(ct_constant_value(pool, u)));
}

static void let_keeps_a_value_whole(void **state) {
    (void)state;
    ct_ex x = rx_ex(pool, "x"), s = rx_ex(pool, "x + y"), l = ct_let(pool, s);
    assert_int_equal(ct_ex_op(pool, l), CT_OP_LET);
    assert_int_equal(ct_let(pool, l), l);
    assert_int_equal(ct_let(pool, x), x);
    assert_int_not_equal(ct_sub(pool, l, s), CT_ZERO);
    assert_int_equal(ct_let(pool, ct_mul(pool, ct_int(pool, -2), s)),
                     ct_mul(pool, ct_int(pool, -2), l));
    assert_int_not_equal(ct_sub(pool, l, x), rx_ex(pool, "y"));
    assert_int_equal(ct_diff(pool, l, x), CT_ONE);
}

// x <- (let(x / 1000 + 1))^2, as in a chain of loops: every constant stays near 1.
static void let_holds_factors_of_usual_size(void **state) {
    (void)state;
    ct_ex y = ct_symbol(pool, CT_SYMBOL_PARAMETER, "y"), x = y;
    for (int k = 0; k < 20; k++) {
        ct_ex sum = ct_add(pool, x, ct_rational(pool, 1, 3));
        x = ct_power_int(pool, ct_let(pool, ct_mul(pool, ct_rational(pool, 3, 1000), sum)), 2);
    }
    for (ct_ex a = 0; a < ct_pool_size(pool); a++)
        if (ct_op_of(pool, a) == CT_OP_NUMBER) {
            double value = fabs(ct_rational_double(ct_value(pool, a)));
            assert_true(value == 0 || (value > 1e-100 && value < 1e100));
        }
}

static void kinds_symbols_and_dependence(void **state) {
    (void)state;
    ct_ex t = rx_ex(pool, "t"), x = rx_ex(pool, "x"), p = rx_ex(pool, "p"),
          rate = rx_ex(pool, "x'");
    ct_ex e = rx_ex(pool, "p*sin(x + x')^2 + 3*pi");
    assert_int_equal(ct_ex_kinds(pool, e),
                     1u << CT_SYMBOL_PARAMETER | 1u << CT_SYMBOL_COORDINATE | 1u << CT_SYMBOL_RATE);
    assert_int_equal(ct_ex_kinds(pool, rx_ex(pool, "sqrt(2)*pi")), 0);
    assert_true(ct_depends(pool, e, x) && ct_depends(pool, e, rate) && ct_depends(pool, e, p));
    assert_false(ct_depends(pool, e, t));
    assert_false(ct_depends(pool, e, rx_ex(pool, "y")));
    assert_true(ct_depends(pool, x, x));
    ct_ex *symbols, roots[] = {rx_ex(pool, "x' + x"), e, t};
    assert_int_equal(ct_ex_symbols(pool, 3, roots, &symbols), 4);
    const ct_ex want[] = {t, x, p, rate};
    assert_memory_equal(symbols, want, sizeof want);
    assert_int_equal(ct_ex_symbols(pool, 1, (ct_ex[]){CT_ONE}, &symbols), 0);
    assert_string_equal(ct_symbol_name(pool, rate), "x'");
    assert_int_equal(ct_symbol_kind_of(pool, rate), CT_SYMBOL_RATE);
    assert_int_not_equal(ct_symbol(pool, CT_SYMBOL_OTHER, "x"), x);
}

static void many_nodes_stay_themselves(void **state) {
    (void)state;
    enum { N = 20000 };
    static ct_ex first[N];
    char name[32];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "s%d", i);
        ct_ex s = ct_symbol(pool, CT_SYMBOL_OTHER, name);
        first[i] = ct_add(pool, ct_mul(pool, ct_rational(pool, i, 7919), s), CT_ONE);
    }
    for (int i = 0; i < N; i += 10) { // one name, two kinds
        snprintf(name, sizeof name, "s%d", i);
        assert_int_not_equal(ct_symbol(pool, CT_SYMBOL_INPUT, name),
                             ct_symbol(pool, CT_SYMBOL_OTHER, name));
    }
    size_t size = ct_pool_size(pool);
    for (int i = N - 1; i >= 0; i--) {
        snprintf(name, sizeof name, "s%d", i);
        ct_ex s = ct_symbol(pool, CT_SYMBOL_OTHER, name);
        assert_int_equal(ct_add(pool, CT_ONE, ct_mul(pool, s, ct_rational(pool, i, 7919))),
                         first[i]);
    }
    assert_int_equal(ct_pool_size(pool), size);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
// A copy has the same nodes; what is made in it has the numbers that it would have had in the other,
// which does not see it.
static void copies_are_independent(void **state) {
    (void)state;
    ct_ex x = ct_symbol(pool, CT_SYMBOL_PARAMETER, "x"),
          a = ct_add(pool, x, ct_rational(pool, 3, 7)), first[2] = {0};
    ct_table_define(pool, "s", 3, (double[]){0, 1, 2}, (double[]){0, 1, 4}, false);
    size_t size = ct_pool_size(pool);
    for (int time = 0; time < 2; time++) {
        ct_pool *copy = ct_pool_copy(pool);
        ct_ex y = ct_symbol(copy, CT_SYMBOL_INPUT, time ? "z" : "y"), sum = y;
        for (int k = 1; k < 5000; k++)
            sum = ct_add(copy, ct_mul(copy, sum, a), ct_rational(copy, k, 10007 + time));
        if (!time) first[0] = y, first[1] = sum;
        if (time) assert_true(y == first[0] && sum == first[1]);
        assert_true(ct_add(copy, x, ct_rational(copy, 3, 7)) == a);
        assert_true(ct_symbol(copy, CT_SYMBOL_PARAMETER, "x") == x);
        assert_float_equal(ct_table_value(copy, 0, 0, 1), 1, 1e-15);
        ct_pool_free(copy);
        assert_int_equal(ct_pool_size(pool), size);
    }
    assert_true(ct_add(pool, x, ct_rational(pool, 3, 7)) == a);
    assert_int_equal(ct_pool_size(pool), size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_exact),
        TEST(sums_and_products_are_canonical),
        TEST(multiples_of_a_sum_share_it),
        TEST(roots_and_absolutes),
        TEST(roots_of_long_numbers),
        TEST(functions_and_their_inverses),
        TEST(undefined_constants_spread),
        TEST(let_keeps_a_value_whole),
        TEST(let_holds_factors_of_usual_size),
        TEST(kinds_symbols_and_dependence),
        TEST(many_nodes_stay_themselves),
        TEST(copies_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
