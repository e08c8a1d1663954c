// Derivatives of every function against differences, total time derivatives, substitution,
// evaluation and operation counts.
#include "unit.h"

#include "expr/random_expr.h"

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static ct_ex ex(const char *text) {
    return rx_ex(pool, text);
}

// x, y, p and t by name; rates are 10 times that
typedef struct place {
    double x, y, p, t;
} place;

static double value_at(void *data, ct_ex symbol) {
    const place *at = data;
    const char *name = ct_symbol_name(pool, symbol);
    double v = *name == 'x'   ? at->x
               : *name == 'y' ? at->y
               : *name == 'p' ? at->p
               : *name == 't' ? at->t
                              : NAN;
    return ct_symbol_kind_of(pool, symbol) == CT_SYMBOL_RATE ? 10 * v : v;
}

static double at(ct_ex a, double x, double y) {
    return ct_eval(pool, a, value_at, &(place){x, y, 0.7, 0.3});
}

static bool near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static void every_rule_agrees_with_differences(void **state) {
    (void)state;
    static const struct {
        const char *f;
        double low, high;
    } rules[] = {{"x^2*y - 3*x", -2, 2},
                 {"p*x^-3", 0.5, 2},
                 {"1/(x^2 + y)", 0.5, 2},
                 {"sqrt(x)", 0.2, 3},
                 {"sqrt(x^2 + y^2)", 0.2, 2},
                 {"sin(2*x + y)", -3, 3},
                 {"cos(x*y)", -3, 3},
                 {"tan(x)", -1.3, 1.3},
                 {"asin(x/2)", -1.8, 1.8},
                 {"acos(x/2)", -1.8, 1.8},
                 {"atan(3*x)", -2, 2},
                 {"exp(-x*y)", -1, 1},
                 {"log(x + 3)", -2, 2},
                 {"abs(x)", 0.2, 2},
                 {"abs(x)", -2, -0.2},
                 {"sign(x)*x^2", 0.2, 2},
                 {"atan2(x, y)", -2, 2},
                 {"atan2(y, x)", 0.1, 2},
                 {"min(x^2, 2*x)", 0.2, 1.8},
                 {"min(x^2, 2*x)", 2.2, 3},
                 {"max(x^2, 2*x)", 0.2, 1.8},
                 {"max(x^2, 2*x)", 2.2, 3},
                 {"if(x < 1, sin(x), x^3)", -1, 0.9},
                 {"if(x < 1, sin(x), x^3)", 1.1, 2},
                 {"(x < 0)*exp(x) + (x >= 0)*cos(x)", 0.1, 2},
                 {"(x < 0)*exp(x) + (x <= 0)*cos(x)", -2, -0.1},
                 {"x + 0*(x == 1)", -2, 0.9},
                 {"x^p", 0.2, 2},
                 {"p^x", -2, 2},
                 {"(x^2 + 1)^(x*y)", -1, 1},
                 {"x^(1/3)", 0.2, 2}};
    rx_world random = {.state = 7};
    ct_ex x = ex("x");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ct_ex f = ex(rules[i].f), df = ct_diff(pool, f, x), ddf = ct_diff(pool, df, x);
        for (int k = 0; k < 20; k++) {
            double u = rx_real(&random, rules[i].low, rules[i].high),
                   y = rx_real(&random, 0.2, 1.5), h = 1e-5;
            double d1 = (at(f, u + h, y) - at(f, u - h, y)) / (2 * h);
            double d2 = (at(df, u + h, y) - at(df, u - h, y)) / (2 * h);
            if (!near(at(df, u, y), d1, 1e-7) || !near(at(ddf, u, y), d2, 1e-7))
                fail_msg("%s at x = %g: %g (%g), then %g (%g)", rules[i].f, u, at(df, u, y), d1,
                         at(ddf, u, y), d2);
        }
    }
}

static void rules_give_these_nodes(void **state) {
    (void)state;
    static const rx_pair rules[] = {{"x^3", "3*x^2"},
                                    {"y^2", "0"},
                                    {"pi + 3", "0"},
                                    {"sin(x)", "cos(x)"},
                                    {"cos(2*x)", "-2*sin(2*x)"},
                                    {"tan(x)", "1 + tan(x)^2"},
                                    {"exp(3*x)", "3*exp(3*x)"},
                                    {"log(x)", "1/x"},
                                    {"sqrt(x)", "0.5/sqrt(x)"},
                                    {"asin(x)", "1/sqrt(1 - x^2)"},
                                    {"acos(x)", "-1/sqrt(1 - x^2)"},
                                    {"atan(x)", "1/(1 + x^2)"},
                                    {"abs(x)", "sign(x)"},
                                    {"sign(x)", "0"},
                                    {"x < y", "0"},
                                    {"max(x, y)", "if(x < y, 0, 1)"},
                                    {"if(y, x^2, x)", "if(y, 2*x, 1)"},
                                    {"x*y", "y"},
                                    {"(x + y)^4", "4*(x + y)^3"},
                                    {"sin(x)^2 + cos(x)^2", "0"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (ct_diff(pool, ex(rules[i].a), ex("x")) != ex(rules[i].b))
            fail_msg("(%s)' is not %s", rules[i].a, rules[i].b);
}

static void total_time_derivative(void **state) {
    (void)state;
    ct_ex q = ex("x"), rate = ex("x'"), t = ex("t"),
          acceleration = ct_symbol(pool, CT_SYMBOL_ACCELERATION, "x''");
    ct_derivation *d = ct_derivation_new(pool);
    ct_derivation_map(d, q, rate);
    ct_derivation_map(d, rate, acceleration);
    ct_derivation_map(d, t, CT_ONE);
    assert_int_equal(ct_derive(d, ex("sin(x) + p*t^2")), ex("cos(x)*x' + 2*p*t"));
    ct_ex twice = ct_derive(d, ct_derive(d, ex("sin(x)")));
    ct_ex want = ct_sub(pool, ct_mul(pool, ex("cos(x)"), acceleration), ex("sin(x)*x'^2"));
    assert_int_equal(twice, want);
    assert_int_equal(ct_derive(d, ex("p*y'")), CT_ZERO);
    ct_derivation_free(d);
}

static void substitution_is_simultaneous(void **state) {
    (void)state;
    ct_ex x = ex("x"), y = ex("y");
    ct_substitution *s = ct_substitution_new(pool);
    ct_substitution_map(s, x, y);
    ct_substitution_map(s, y, x);
    assert_int_equal(ct_substitute(s, ex("x - 2*y + sin(x)/y^3")), ex("y - 2*x + sin(y)/x^3"));
    assert_int_equal(ct_substitute(s, ex("atan2(x, y) + if(x < y, x^p, 1)")),
                     ex("atan2(y, x) + if(y < x, y^p, 1)"));
    assert_int_equal(ct_substitute(s, ex("x + y")), ex("x + y"));
    assert_int_equal(ct_substitute(s, ex("z*t")), ex("z*t"));
    ct_substitution_free(s);
    s = ct_substitution_new(pool);
    ct_substitution_map(s, x, ex("x + 1"));
    ct_substitution_map(s, y, ct_rational(pool, 1, 2));
    assert_int_equal(ct_substitute(s, ex("x^2 + y")), ex("(x + 1)^2 + 1/2"));
    assert_int_equal(ct_substitute(s, ex("sin(pi*y/3)*x")), ex("(x + 1)/2"));
    assert_int_equal(ct_substitute(s, ex("1/(2*y - 1)")), ct_undefined(pool));
    ct_substitution_free(s);
}

static double counted(void *data, ct_ex symbol) {
    (void)symbol;
    ++*(int *)data;
    return 2;
}

static void evaluation(void **state) {
    (void)state;
    assert_true(at(ex("2*x^2 - y/4 + p"), 3, 2) == 18 - 0.5 + 0.7);
    assert_true(at(ex("x^-2*y^5"), 2, 2) == 8);
    assert_true(at(ex("x' + t"), 3, 0) == 30.3);
    assert_true(at(ex("if(x < y, 1, 2) + 4*(x == y) + 8*(x <= y)"), 1, 1) == 14);
    assert_true(at(ex("min(x, y) + 10*max(x, y) + 100*sign(x)"), -1, 2) == -81);
    assert_true(near(at(ex("atan2(x, y)"), -1, -1), -3 * acos(-1) / 4, 1e-15));
    assert_true(isnan(at(ex("sqrt(x)"), -1, 0)));
    assert_true(isinf(at(ex("1/x"), 0, 0)));
    // a shared symbol is asked for once
    int calls = 0;
    ct_ex roots[] = {ex("x + sin(x)"), ex("x^2"), ex("x"), CT_ONE};
    double out[4];
    ct_eval_many(pool, 4, roots, counted, &calls, out);
    assert_int_equal(calls, 1);
    assert_true(out[0] == 2 + sin(2) && out[1] == 4 && out[2] == 2 && out[3] == 1);
    assert_true(near(ct_constant_value(pool, ex("pi/4 + sqrt(2)")), atan(1) + sqrt(2), 1e-15));
    assert_true(isnan(ct_constant_value(pool, ex("x + 1"))));
    assert_true(isnan(ct_constant_value(pool, ex("sign(x)")))); // 0 for a NaN, were it evaluated
    assert_true(isnan(ct_constant_value(pool, ex("if(x < y, 1, 2)"))));
}

static void exact_values(void **state) {
    (void)state;
    fmpq_t v;
    fmpq_init(v);
    assert_true(ct_number_get(pool, ex("(1/3 + 1/7)*2 + sin(pi/6)"), v));
    assert_true(fmpz_equal_si(fmpq_numref(v), 61) && fmpz_equal_si(fmpq_denref(v), 42));
    assert_false(ct_number_get(pool, ex("x"), v));
    assert_false(ct_number_get(pool, ex("sqrt(2)"), v));
    assert_false(ct_number_get(pool, ct_undefined(pool), v));
    // the nearest double, also where numerator and denominator alone are not doubles
    assert_true(ct_number_get(pool, ex("0.1"), v) && ct_rational_double(v) == 0.1);
    assert_true(ct_number_get(pool, ex("123456789012345678901234567890.125"), v));
    assert_true(ct_rational_double(v) == 123456789012345678901234567890.125);
    assert_true(ct_number_get(pool, ex("3e400/(2e399)"), v) && ct_rational_double(v) == 15);
    assert_true(ct_number_get(pool, ex("9007199254740993/9007199254740992"), v) &&
                ct_rational_double(v) == 1);
    assert_true(ct_number_get(pool, ex("1e-310"), v) && ct_rational_double(v) == 1e-310);
    assert_true(ct_number_get(pool, ex("-1e400"), v) && ct_rational_double(v) == -INFINITY);
    fmpq_clear(v);
}

static void is_count(ct_operations c, double add, double mul, double div, double func) {
    assert_true(c.add == add && c.mul == mul && c.div == div && c.func == func);
    assert_true(ct_operations_total(c) == add + mul + div + func);
}

static void operation_counts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double add, mul, div, func;
    } counts[] = {{"x", 0, 0, 0, 0},
                  {"x + y + 1", 2, 0, 0, 0},
                  {"x - 2*y", 1, 1, 0, 0},
                  {"3*x*y", 0, 2, 0, 0},
                  {"-x", 0, 0, 0, 0},
                  {"x^5", 0, 3, 0, 0},
                  {"x/y", 0, 0, 1, 0},
                  {"1/(x*y^2)", 0, 2, 1, 0},
                  {"sin(2*x)", 0, 1, 0, 1},
                  {"abs(x)", 1, 0, 0, 0},
                  {"if(x < y, x, y)", 2, 0, 0, 0},
                  {"x^p", 0, 0, 0, 1},
                  {"sin(p)*p^7 + sqrt(2)", 0, 0, 0, 0},
                  {"sin(p + 1)*x", 0, 1, 0, 0},
                  {"t*p", 0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ct_ex a = ex(counts[i].text);
        is_count(ct_count_shared(pool, 1, &a), counts[i].add, counts[i].mul, counts[i].div,
                 counts[i].func);
        is_count(ct_count_expanded(pool, 1, &a), counts[i].add, counts[i].mul, counts[i].div,
                 counts[i].func);
    }
    ct_ex roots[] = {ex("sin(x)*y"), ex("sin(x) + sin(x)*y"), ex("sin(x)*y")};
    is_count(ct_count_shared(pool, 3, roots), 1, 1, 0, 1);
    is_count(ct_count_expanded(pool, 3, roots), 1, 3, 0, 4);
    // written out in full, a tower of n squares of sums has 2^n leaves
    ct_ex tower = ex("x");
    for (int i = 0; i < 200; i++)
        tower = ct_add(pool, ct_mul(pool, tower, ct_sin(pool, tower)), CT_ONE);
    assert_true(ct_operations_total(ct_count_shared(pool, 1, &tower)) == 600);
    assert_true(ct_operations_total(ct_count_expanded(pool, 1, &tower)) == 3 * (pow(2, 200) - 1));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_rule_agrees_with_differences),
                                       TEST(rules_give_these_nodes),
                                       TEST(total_time_derivative),
                                       TEST(substitution_is_simultaneous),
                                       TEST(evaluation),
                                       TEST(exact_values),
                                       TEST(operation_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
