// Printers: the text reads back as the same node, C compiles to the same value, LaTeX as it should
// look.
#include "unit.h"

#include "expr/random_expr.h"

#include <unistd.h>

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static void is_printed(const char *text, ct_style style, const char *want) {
    char *got = ct_print(pool, rx_ex(pool, text), style);
    if (strcmp(got, want)) print_error("%s is printed as %s, not as %s\n", text, got, want);
    assert_string_equal(got, want);
    ct_free(got);
}

static void text_style(void **state) {
    (void)state;
    rx_ex(pool, "x + y + z"); // the order of the symbols
    static const rx_pair cases[] = {{"0", "0"},
                                    {"-3/2", "-1.5"},
                                    {"1/3", "1/3"},
                                    {"0.0000001", "1/10000000"},
                                    {"1e20", "100000000000000000000"},
                                    {"y + x", "x + y"},
                                    {"2*x - y/3 + 1", "2*x - 1/3*y + 1"},
                                    {"-x", "-x"},
                                    {"-x*y", "-x*y"},
                                    {"x^2*y^-1", "x^2/y"},
                                    {"1/(x*y)", "1/(x*y)"},
                                    {"-1/x", "-1/x"},
                                    {"(x + y)^2", "(x + y)^2"},
                                    {"x*(y - z)", "x*(y - z)"},
                                    {"x/(y - z)", "x/(y - z)"},
                                    {"-2*(x + y)", "-2*x - 2*y"},
                                    {"z*(2*x + 2*y)", "2*(x + y)*z"},
                                    {"(x^y)^2", "(x^y)^2"},
                                    {"x^(y + 1)", "x^(y + 1)"},
                                    {"(1/3)^x", "(1/3)^x"},
                                    {"(-2)^x", "(-2)^x"},
                                    {"x'^2", "x'^2"},
                                    {"J.1'", "J.1'"},
                                    {"`two words`'", "`two words`'"},
                                    {"sin(x - y)", "sin(x - y)"},
                                    {"if(x < y, 1, -x)", "if(x < y, 1, -x)"},
                                    {"2*(x <= y)", "2*(x <= y)"},
                                    {"atan2(x, max(y, z))", "atan2(x, max(y, z))"},
                                    {"2*pi*x", "2*pi*x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_printed(cases[i].a, CT_STYLE_TEXT, cases[i].b);
    char *text = ct_print(pool, ct_undefined(pool), CT_STYLE_TEXT);
    assert_string_equal(text, "undefined");
    ct_free(text);
}

static void c_and_latex_style(void **state) {
    (void)state;
    rx_ex(pool, "x + y + z");
    static const rx_pair c[] = {{"3*x", "3.0*x"},
                                {"x/3", "0.33333333333333331*x"},
                                {"0.1", "0.1"},
                                {"1e30", "1e+30"},
                                {"1e400*x", "INFINITY*x"},
                                {"x^3*y^5", "x*x*x*pow(y, 5.0)"},
                                {"x/y/z", "x/(y*z)"},
                                {"x^p", "pow(x, p)"},
                                {"abs(x) + min(x, y)", "fabs(x) + fmin(x, y)"},
                                {"sign(x)", "(double)((x > 0) - (x < 0))"},
                                {"(x < y)/(x == y)", "(double)(x < y)/((double)(x == y))"},
                                {"if(x <= y, x, 1)", "(x <= y ? x : 1.0)"},
                                {"if(x, y, z)", "(x != 0 ? y : z)"},
                                {"J.1'", "J_1_d"}};
    static const rx_pair latex[] = {{"x/y", "\\frac{x}{y}"},
                                    {"x/3", "\\frac{1}{3}\\,x"},
                                    {"(1/3)^x", "\\left(\\frac{1}{3}\\right)^{x}"},
                                    {"sqrt(x + 1)", "\\sqrt{x + 1}"},
                                    {"x'^2", "\\dot{x}^{2}"},
                                    {"pi*l_1", "\\pi\\,\\mathrm{l\\_1}"},
                                    {"sin(x)^2", "\\operatorname{sin}\\left(x\\right)^{2}"},
                                    {"x <= y", "x \\le y"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) is_printed(c[i].a, CT_STYLE_C, c[i].b);
    for (size_t i = 0; i < sizeof latex / sizeof *latex; i++)
        is_printed(latex[i].a, CT_STYLE_LATEX, latex[i].b);
}

static void tables_and_wholes(void **state) {
    (void)state;
    double x[] = {0, 1, 2}, y[] = {0, 1, 0};
    int cam = ct_table_define(pool, "cam", 3, x, y, false);
    ct_ex u = rx_ex(pool, "u");
    struct {
        ct_ex ex;
        ct_style style;
        const char *want;
    } cases[] = {{ct_table(pool, cam, 0, u), CT_STYLE_TEXT, "table(cam, u)"},
                 {ct_table(pool, cam, 2, u), CT_STYLE_TEXT, "table''(cam, u)"},
                 {ct_table(pool, cam, 1, u), CT_STYLE_C, "table_cam(1, u)"},
                 {ct_mul(pool, u, ct_let(pool, rx_ex(pool, "u + v"))), CT_STYLE_TEXT, "u*(u + v)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = ct_print(pool, cases[i].ex, cases[i].style);
        assert_string_equal(text, cases[i].want);
        ct_free(text);
    }
}

// Sums of sines and cosines are read term by term, and a part of them may find another identity.
static bool holds_trig(ct_pool *p, ct_ex a) {
    for (int i = 0; i < ct_child_count(p, a); i++)
        if (holds_trig(p, ct_child(p, a, i))) return true;
    return ct_ex_op(p, a) == CT_OP_SIN || ct_ex_op(p, a) == CT_OP_COS;
}

static void text_reads_back(void **state) {
    (void)state;
    int wrong = 0, other = 0, all = 0;
    for (int k = 0; k < 500; k++) {
        rx_world w;
        double at[RX_SYMBOLS];
        rx_begin(&w, (uint64_t)(5000 + k), 100);
        rx_place(&w, false, at);
        for (int i = 0; i < w.n; i++) {
            char *text = ct_print(w.pool, w.node[i].ex, CT_STYLE_TEXT);
            ct_ex back = CT_ZERO;
            ct_parse_error e = {0, ""};
            bool ok = rx_parse(w.pool, text, &back, &e);
            all++;
            if (ok && back != w.node[i].ex && holds_trig(w.pool, back)) {
                double was = ct_eval(w.pool, w.node[i].ex, rx_symbol_value, &(rx_point){&w, at});
                double is = ct_eval(w.pool, back, rx_symbol_value, &(rx_point){&w, at});
                ok = isnan(was) || fabs(was - is) <= 1e-9 * (1 + fabs(was));
                other++;
            } else {
                ok = ok && back == w.node[i].ex;
            }
            if (!ok && !wrong++) {
                char *again = ct_print(w.pool, back, CT_STYLE_TEXT);
                print_error("%s\n  reads back as %s %s\n", text, again, e.message);
                ct_free(again);
            }
            ct_free(text);
        }
        rx_end(&w);
    }
    print_message("%d of %d read back as another node\n", other, all);
    assert_int_equal(wrong, 0);
    assert_true(other < all / 1000);
}

// a batch in C -----------------------------------------------------------------------------------
enum { WORLDS = 8, SIZE = 60 };

static void write_world(FILE *file, rx_world *w, const double *at) {
    fprintf(file, "    {\n        double a = %a, b_1 = %a, a_d = %a, p = %a, t = %a;\n", at[0],
            at[1], at[2], at[3], at[4]);
    fprintf(file, "        (void)a; (void)b_1; (void)a_d; (void)p; (void)t;\n");
    for (int i = 0; i < w->n; i++) {
        char *text = ct_print(w->pool, w->node[i].ex, CT_STYLE_C);
        fprintf(file, "        printf(\"%%a\\n\", (double)(%s));\n", text);
        ct_free(text);
    }
    fprintf(file, "    }\n");
}

static void c_computes_the_same(void **state) {
    (void)state;
    if (system("cc --version > /dev/null 2>&1") != 0) {
        print_message("no cc: the C style is not run here\n");
        skip();
    }
    char *folder = ct_temporary("print");
    assert_non_null(mkdtemp(folder));
    char *source = ct_format("%s/batch.c", folder), *program = ct_format("%s/batch", folder);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fprintf(file, "#include <math.h>\n#include <stdio.h>\nint main(void)\n{\n");
    static rx_world worlds[WORLDS];
    double at[WORLDS][RX_SYMBOLS];
    for (int k = 0; k < WORLDS; k++) {
        rx_begin(&worlds[k], (uint64_t)(7000 + k), SIZE);
        rx_place(&worlds[k], false, at[k]);
        write_world(file, &worlds[k], at[k]);
    }
    fprintf(file, "    return 0;\n}\n");
    fclose(file);
    char *command = ct_format(
        "cc -std=c99 -O0 -ffp-contract=off -Werror=implicit -Werror=div-by-zero %s -o %s -lm",
        source, program);
    assert_int_equal(system(command), 0);
    FILE *pipe = popen(program, "r");
    assert_non_null(pipe);
    int checked = 0, wrong = 0;
    for (int k = 0; k < WORLDS; k++) {
        rx_value naive[RX_NODES];
        rx_eval(&worlds[k], at[k], naive);
        for (int i = 0; i < worlds[k].n; i++) {
            char line[128];
            assert_non_null(fgets(line, sizeof line, pipe));
            double x = strtod(line, NULL);
            if (!rx_is_sound(naive[i])) continue;
            checked++;
            if (fabs(x - naive[i].v) <= 500 * naive[i].err + 1e-13 * fabs(naive[i].v)) continue;
            char *text = ct_print(worlds[k].pool, worlds[k].node[i].ex, CT_STYLE_C);
            if (!wrong++)
                print_error("%s\n  is %.17g in C, should be %.17g\n", text, x, naive[i].v);
            ct_free(text);
        }
        rx_end(&worlds[k]);
    }
    assert_int_equal(pclose(pipe), 0);
    unlink(source);
    unlink(program);
    rmdir(folder);
    ct_free(folder);
    ct_free(source);
    ct_free(program);
    ct_free(command);
    assert_int_equal(wrong, 0);
    assert_true(checked > 300);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(text_style), TEST(c_and_latex_style),
                                       TEST(tables_and_wholes), cmocka_unit_test(text_reads_back),
                                       cmocka_unit_test(c_computes_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
