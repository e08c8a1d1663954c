// The expression language: precedence, numbers, names, calls, and what is said about mistakes,
// where.
#include "unit.h"

#include "expr/random_expr.h"

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static ct_ex symbol(const char *name) {
    return ct_symbol(pool, CT_SYMBOL_COORDINATE, name);
}

static ct_ex ex(const char *text) {
    return rx_ex(pool, text);
}

static void precedence(void **state) {
    (void)state;
    ct_ex a = symbol("a"), b = symbol("b"), c = symbol("c"), minus = ct_int(pool, -1);
    assert_int_equal(ex("-a^2"), ct_mul(pool, minus, ct_power_int(pool, a, 2)));
    assert_int_equal(ex("(-a)^2"), ct_power_int(pool, a, 2));
    assert_int_equal(ex("a^b^c"), ct_power(pool, a, ct_power(pool, b, c)));
    assert_int_equal(ex("(a^b)^c"), ct_power(pool, ct_power(pool, a, b), c));
    assert_int_equal(ex("2^3^2"), ct_int(pool, 512));
    assert_int_equal(ex("2^-3"), ct_rational(pool, 1, 8));
    assert_int_equal(ex("2^--3"), ct_int(pool, 8));
    assert_int_equal(ex("-2^-2"), ct_rational(pool, -1, 4));
    assert_int_equal(ex("a^-b"), ct_power(pool, a, ct_neg(pool, b)));
    assert_int_equal(ex("-a*b"), ct_product(pool, 3, (ct_ex[]){minus, a, b}));
    assert_int_equal(ex("a*-b"), ex("-a*b"));
    assert_int_equal(ex("a - -b"), ct_add(pool, a, b));
    assert_int_equal(ex("+a"), a);
    assert_int_equal(ex("8/4/2"), CT_ONE);
    assert_int_equal(ex("8/4*2"), ct_int(pool, 4));
    assert_int_equal(ex("8 - 4 - 2"), ct_int(pool, 2));
    assert_int_equal(ex("2 + 3*4"), ct_int(pool, 14));
    assert_int_equal(ex("(2 + 3)*4"), ct_int(pool, 20));
    assert_int_equal(ex("a/b*c"), ct_mul(pool, ct_div(pool, a, b), c));
    assert_int_equal(ex("\t a \n+\r b "), ct_add(pool, a, b));
}

static void comparisons_and_if(void **state) {
    (void)state;
    ct_ex a = symbol("a"), b = symbol("b"), less = ct_apply(pool, CT_OP_LESS, (ct_ex[]){a, b});
    assert_int_equal(ex("a < b"), less);
    assert_int_equal(ex("b > a"), less);
    assert_int_equal(ex("b >= a"), ct_apply(pool, CT_OP_LESS_EQUAL, (ct_ex[]){a, b}));
    assert_int_equal(ex("a <= b"), ex("b >= a"));
    assert_int_equal(ex("a == b"), ct_apply(pool, CT_OP_EQUAL, (ct_ex[]){a, b}));
    assert_int_equal(ex("a != b"), ct_sub(pool, CT_ONE, ex("a == b")));
    assert_int_equal(ex("a + 1 < 2*b"),
                     ct_apply(pool, CT_OP_LESS, (ct_ex[]){ex("a + 1"), ex("2*b")}));
    assert_int_equal(ex("2*(a < b)"), ct_mul(pool, ct_int(pool, 2), less));
    assert_int_equal(ex("if(a < b, a, b)"), ct_if(pool, less, a, b));
    assert_int_equal(ex("if(2 > 1, a, b)"), a);
    assert_int_equal(ex("max(a, b, a + 1, 2)"), ex("max(max(max(a, b), a + 1), 2)"));
    assert_int_equal(ex("min(3, 1, 2)"), CT_ONE);
}

static bool is_rational(const char *text, const char *numerator, const char *denominator) {
    fmpq_t v;
    fmpq_init(v);
    bool ok = ct_number_get(pool, ex(text), v);
    char *p = fmpz_get_str(NULL, 10, fmpq_numref(v)), *q = fmpz_get_str(NULL, 10, fmpq_denref(v));
    ok = ok && !strcmp(p, numerator) && !strcmp(q, denominator);
    flint_free(p);
    flint_free(q);
    fmpq_clear(v);
    return ok;
}

static void numbers(void **state) {
    (void)state;
    assert_true(is_rational("0.1", "1", "10"));
    assert_true(is_rational(".5", "1", "2"));
    assert_true(is_rational("5.", "5", "1"));
    assert_true(is_rational("9.81", "981", "100"));
    assert_true(is_rational("1e-3", "1", "1000"));
    assert_true(is_rational("2.5E+2", "250", "1"));
    assert_true(is_rational("00012", "12", "1"));
    assert_true(is_rational("0e300", "0", "1"));
    assert_true(
        is_rational("123456789012345678901234567890", "123456789012345678901234567890", "1"));
    assert_true(is_rational("1e400/1e398", "100", "1"));
    char *many = ct_alloc(2101, 1);
    memset(many, '7', 2000);
    assert_int_equal(ct_ex_op(pool, ex(many)), CT_OP_NUMBER);
    ct_free(many);
}

static void names(void **state) {
    (void)state;
    assert_int_equal(ex("J.1"), symbol("J.1"));
    assert_int_equal(ex("body.point.x1_2"), symbol("body.point.x1_2"));
    assert_int_equal(ex("J.1'"), ct_symbol(pool, CT_SYMBOL_RATE, "J.1'"));
    assert_int_equal(ex("J '"), ex("J'"));
    assert_int_equal(ex("`two words`"), symbol("two words"));
    assert_int_equal(ex("`2nd`'^2"),
                     ct_power_int(pool, ct_symbol(pool, CT_SYMBOL_RATE, "2nd'"), 2));
    assert_int_equal(ex("`two words`.1"), symbol("two words.1"));
    assert_int_equal(ex("a.`b c`.`d`'"), ct_symbol(pool, CT_SYMBOL_RATE, "a.b c.d'"));
    assert_int_equal(ex("`\xc3\xa9"
                        "paule`"),
                     symbol("\xc3\xa9"
                            "paule"));
}

typedef struct mistake {
    const char *text;
    size_t offset;
    const char *part;
} mistake;

static bool no_name(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)data, (void)primes, (void)offset, (void)value;
    if (strcmp(name, "unknown")) return rx_resolve(pool, name, primes, offset, value, error);
    snprintf(error->message, sizeof error->message, "nobody knows '%s'", name);
    return false;
}

static bool is_point_call(void *data, const char *function) {
    (void)data;
    return !strcmp(function, "x") || !strcmp(function, "distance");
}

// x(one point), distance(two points)
static bool point_call(void *data, const char *function, int n, const char *const *args,
                       size_t offset, ct_ex *value, ct_parse_error *error) {
    (void)data, (void)offset;
    if (n != (*function == 'x' ? 1 : 2)) {
        snprintf(error->message, sizeof error->message, "wrong number of points");
        return false;
    }
    char *name = ct_format("%s(%s)", function, args[n - 1]);
    *value = ct_symbol(pool, CT_SYMBOL_OTHER, name);
    ct_free(name);
    return true;
}

static int find_table(void *data, const char *name) {
    (void)data;
    return strcmp(name, "cam") ? -1 : 0;
}

static const ct_names all_names = {NULL, no_name, is_point_call, point_call, find_table};

static void mistakes_are_placed(void **state) {
    (void)state;
    static const mistake mistakes[] = {
        {"", 0, "an expression is empty"},
        {"   ", 3, "too early"},
        {"a +", 3, "ends too early"},
        {"a + * b", 4, "unexpected '*'"},
        {"a b", 2, "expected an operator or the end"},
        {"2pi", 1, "write 2*pi, not 2pi"},
        {"a + 3x", 5, "expected an operator after the number"},
        {"1e", 1, "expected an operator after the number"},
        {"a + .", 4, "needs a digit"},
        {"1.2.3", 3, "expected an operator or the end"},
        {"1 + 1e401", 4, "out of range"},
        {"1e99999999999999999999", 0, "out of range"},
        {"1e-2401", 0, "out of range"},
        {"(a + b", 6, "ends before its closing )"},
        {"(a + b]", 6, "expected ) here"},
        {"a + b)", 5, "one ) too many"},
        {"()", 1, "unexpected ')'"},
        {"a < b < c", 6, "expected an operator or the end"},
        {"a = b", 2, "expected an operator or the end"},
        {"a'''", 3, "expected an operator or the end"},
        {"'a", 0, "unexpected '''"},
        {"2*unknown + 1", 2, "nobody knows 'unknown'"},
        {"2*unknown'", 2, "nobody knows 'unknown'"},
        {"1 + sni(a)", 4, "unknown function 'sni'; did you mean 'sin'?"},
        {"artan2(a, b)", 0, "did you mean 'atan2'?"},
        {"frobnicate(a)", 0, "unknown function 'frobnicate'"},
        {"1 + sin()", 4, "sin takes 1 argument, not 0"},
        {"sin(a, b)", 0, "sin takes 1 argument, not 2"},
        {"atan2(a)", 0, "atan2 takes 2 arguments, not 1"},
        {"if(a, b)", 0, "if takes 3 arguments, not 2"},
        {"min(a)", 0, "min takes 2 arguments, not 1"},
        {"min(1,2,3,4,5,6,7,8,9)", 20, "too many arguments for min"},
        {"sin(a", 5, "expected ) after the arguments of sin"},
        {"sin(a +)", 7, "unexpected ')'"},
        {"sin a", 4, "expected an operator or the end"},
        {"1/0", 1, "division by zero"},
        {"2 + a/(b - b)", 5, "division by zero"},
        {"0^-1", 1, "not defined or too large"},
        {"a * 0 ^ -1", 6, "not defined or too large"},
        {"10^10^10", 2, "not defined or too large"},
        {"(-8)^(1/3)", 4, "not defined or too large"},
        {"1 + log(-1)", 4, "log is not defined here"},
        {"sqrt(-2)", 0, "sqrt is not defined here"},
        {"asin(1.5)", 0, "asin is not defined here"},
        {"`a b", 0, "closing backquote"},
        {"a + ``", 5, "a name is empty"},
        {"a.`b", 2, "closing backquote"},
        {"`a`.", 3, "expected an operator or the end"},
        {"a + \xc3\xa9", 4, "unexpected character"},
        {"\xff", 0, "unexpected character"},
        {"a\x01", 1, "expected an operator or the end"},
        {"1 + x(3)", 6, "takes names, as those of points"},
        {"x(a.b", 5, "expected ) after the arguments of x"},
        {"1 + x(a, b)", 4, "wrong number of points"},
        {"distance(a, )", 12, "takes names, as those of points"},
        {"table(3, a)", 6, "takes the name of a table first"},
        {"table(cma, a)", 6, "there is no table 'cma'"},
        {"table(cam)", 9, "table takes two arguments"},
        {"table(cam, a, b)", 12, "expected ) after table(name, x"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        ct_ex value;
        ct_parse_error e = {999, "no mistake seen"};
        bool ok = ct_parse(pool, m->text, &all_names, &value, &e);
        if (!ok && e.offset == m->offset && strstr(e.message, m->part)) continue;
        print_error("'%s': %zu: %s (expected %zu: %s)\n", m->text, e.offset, e.message, m->offset,
                    m->part);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void calls_with_names(void **state) {
    (void)state;
    double t[] = {0, 1}, y[] = {0, 2};
    int cam = ct_table_define(pool, "cam", 2, t, y, false);
    ct_ex value;
    ct_parse_error e;
    assert_true(ct_parse(pool, "2*x( body.tip )", &all_names, &value, &e));
    assert_int_equal(
        value, ct_mul(pool, ct_int(pool, 2), ct_symbol(pool, CT_SYMBOL_OTHER, "x(body.tip)")));
    assert_true(ct_parse(pool, "distance(a.p, `b c`)", &all_names, &value, &e));
    assert_int_equal(value, ct_symbol(pool, CT_SYMBOL_OTHER, "distance(b c)"));
    assert_true(ct_parse(pool, "x(`a b`.`p q`)", &all_names, &value, &e));
    assert_int_equal(value, ct_symbol(pool, CT_SYMBOL_OTHER, "x(a b.p q)"));
    assert_true(ct_parse(pool, "table(cam, 2*a)", &all_names, &value, &e));
    assert_int_equal(value, ct_table(pool, cam, 0, ex("2*a")));
    assert_false(ct_parse(pool, "a", NULL, &value, &e)); // no names at all
    assert_non_null(strstr(e.message, "unknown name 'a'"));
    assert_true(ct_parse(pool, "1 + 1", NULL, &value, &e));
}

// `count` copies of `piece`, then `last`, then `count` of `close`
static char *repeat(const char *piece, const char *last, const char *close, int count) {
    ct_text t = {0};
    for (int i = 0; i < count; i++) ct_text_add(&t, piece);
    ct_text_add(&t, last);
    for (int i = 0; i < count; i++) ct_text_add(&t, close);
    return ct_text_take(&t);
}

static bool parses(char *text, const char *part) {
    ct_ex value;
    ct_parse_error e = {0};
    bool ok = rx_parse(pool, text, &value, &e);
    if (!ok && part) assert_non_null(strstr(e.message, part));
    assert_true(ok || e.offset <= strlen(text));
    ct_free(text);
    return ok;
}

static void depth_and_length(void **state) {
    (void)state;
    assert_true(parses(repeat("(", "a", ")", 150), NULL));
    assert_true(parses(repeat("sin(", "a", ")", 150), NULL));
    assert_true(parses(repeat("a + ", "a", "", 100000), NULL));
    assert_true(parses(repeat("1/3*", "a", "", 500), NULL));
    static const char *const nested[][3] = {{"(", "a", ")"},      {"-", "a", ""}, {"2^", "1", ""},
                                            {"sin(", "a", ")"},   {"(", "", ""},  {"+", "", ""},
                                            {"if(", "1", ",2,3)"}};
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
        assert_false(
            parses(repeat(nested[i][0], nested[i][1], nested[i][2], 100000), "nested too deeply"));
    assert_false(parses(repeat("7", "7", "", 2000), "more than 2000 digits"));
    assert_false(parses(repeat("n", "n", "", 5000), "too long"));
    assert_false(parses(repeat("f", "(1)", "", 3000), "unknown function"));
}

static void random_bytes_never_crash(void **state) {
    (void)state;
    static const char *const pieces[] = {"a", "+",   "-",      "*",   "/",    "^", "(",   ")", ",",
                                         "<", "==",  "sin(",   "if(", "1e9",  ".", "'",   "`", " ",
                                         "0", "2.5", "table(", "x(",  "\xc3", "!", "max("};
    rx_world random = {.state = 5};
    int right = 0;
    for (int k = 0; k < 20000; k++) {
        ct_text t = {0};
        for (int i = rx_below(&random, 8); i >= 0; i--)
            ct_text_add(&t, pieces[rx_below(&random, 25)]);
        ct_ex value;
        ct_parse_error e = {0};
        bool ok = ct_parse(pool, t.s, &all_names, &value, &e);
        assert_true(ok || (e.offset <= t.n && e.message[0]));
        assert_false(ok && value == ct_undefined(pool));
        right += ok;
        ct_text_clear(&t);
    }
    assert_true(right > 500);
}

static void identifiers(void **state) {
    (void)state;
    assert_true(ct_is_identifier("a") && ct_is_identifier("_a1") && ct_is_identifier("A_b_2"));
    assert_false(ct_is_identifier("") || ct_is_identifier("1a") || ct_is_identifier("a.b") ||
                 ct_is_identifier("a b"));
    assert_false(ct_is_identifier("\xc3\xa9"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(precedence),
                                       TEST(comparisons_and_if),
                                       TEST(numbers),
                                       TEST(names),
                                       TEST(mistakes_are_placed),
                                       TEST(calls_with_names),
                                       TEST(depth_and_length),
                                       TEST(random_bytes_never_crash),
                                       TEST(identifiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
