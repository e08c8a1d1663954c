// Reports: text that must stay text in HTML, DOT and LaTeX; Graphviz that is missing, slow or
// wrong; what steps need; and pages of mechanisms of every kind.
#include "harness.h"

#include "report/report.h"
#include "view/web_files.h"

#include <sys/wait.h>
#include <time.h>

static void is_text(ct_text *t, const char *expected) {
    assert_string_equal(t->s ? t->s : "", expected);
    ct_text_clear(t);
}

static void names_are_escaped(void **state) {
    (void)state;
    ct_text t = {0};
    ct_html(&t, "</script><img onerror=\"x\"> & 'y'");
    is_text(&t, "&lt;/script&gt;&lt;img onerror=&quot;x&quot;&gt; &amp; &#39;y&#39;");
    ct_html_name(&t, "<b>");
    is_text(&t, "<bdi class=\"name\">&lt;b&gt;</bdi>");
    ct_dot_string(&t, "a\"];b->c;//\\N\\G&lt;\n\x01");
    is_text(&t, "\"a\\\"];b->c;//\\\\N\\\\G&amp;lt;  \"");
    ct_dot_part(&t, "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D", 2); // characters, not bytes
    is_text(&t, "\xD7\xA9\xD7\x9C…");
}

static void numbers_are_short(void **state) {
    (void)state;
    ct_text t = {0};
    ct_html_number(&t, -1.5e-17);
    is_text(&t, "−1.5·10<sup>−17</sup>");
    ct_html_number(&t, NAN);
    is_text(&t, "–");
    ct_html_number(&t, 58118);
    is_text(&t, "58\u202F118");
    ct_html_count(&t, 1234567);
    is_text(&t, "1\u202F234\u202F567");
    ct_html_count(&t, 123);
    is_text(&t, "123");
}

static void formulas_keep_their_names(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"\\frac{1}{3}\\,x + 0.25", "\\frac{1}{3}\\,x + 0.25"},
        {"\\frac{9957688252039089}{3197341352448800000000}\\,x", "3.1144 \\cdot 10^{-6}\\,x"},
        {"0.034716125\\,x^{2}", "0.034716\\,x^{2}"},
        {"\\frac{2635}{388281}\\,\\sqrt{3998338}\\,x", "13.57\\,x"},
        {"\\sqrt{3998338}", "1999.6"},
        {"\\sqrt{2}", "\\sqrt{2}"},
        {"\\mathrm{a0.123456789}", "\\mathrm{a0.123456789}"},
        {"\\text{\\frac{12345678}{3} \\} 0.123456789} + 1",
         "\\text{\\frac{12345678}{3} \\} 0.123456789} + 1"},
        {"w_{12}^{10}", "w_{12}^{10}"},
        {"", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = ct_tex_rounded(pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
        ct_free(text);
    }
}

// Graphviz
// -------------------------------------------------------------------------------------------
static char *script(const char *text) {
    char *path = ct_format("%s/test_report_%d.sh", CT_BUILD_DIR, (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, 0755);
    return path;
}

static ct_dot_status run_script(const char *text, double seconds, char **svg) {
    char *path = script(text);
    ct_dot_status status = ct_dot_run(path, "digraph {}", seconds, NULL, svg);
    unlink(path);
    ct_free(path);
    return status;
}

static void graphviz_may_be_anything(void **state) {
    (void)state;
    char *svg = NULL;
    assert_int_equal(ct_dot_run("no-such-program-anywhere", "digraph {}", 1, NULL, &svg),
                     CT_DOT_MISSING);
    assert_null(svg);
    assert_int_equal(run_script("#!/bin/sh\nexit 3\n", 5, &svg), CT_DOT_FAILED);
    assert_int_equal(run_script("#!/bin/sh\necho nothing\n", 5, &svg), CT_DOT_FAILED);
    assert_int_equal(run_script("#!/bin/sh\necho '<svg'\nexit 1\n", 5, &svg), CT_DOT_FAILED);
    double start = ct_seconds();
    assert_int_equal(run_script("#!/bin/sh\nexec sleep 30\n", 0.3, &svg), CT_DOT_FAILED);
    assert_true(ct_seconds() - start < 10);
    assert_null(svg);
    // prolog, comments and titles go; the input arrives; nothing is interpreted
    assert_int_equal(
        run_script("#!/bin/sh\nread x\necho '<?xml?><!-- a --><svg><!-- b --><title>n1</title>"
                   "<g/></svg>'\ntest \"$x $1\" = 'digraph {} -Tsvg'\n",
                   5, &svg),
        CT_DOT_DONE);
    assert_string_equal(svg, "<svg><g/></svg>");
    ct_free(svg);
}

// plots
// ------------------------------------------------------------------------------------------------
static void plots_stay_inside(void **state) {
    (void)state;
    enum { N = 5000 };
    static double x[N], y[N];
    for (int logarithmic = 0; logarithmic < 2; logarithmic++)
        for (int kind = 0; kind < 4; kind++) {
            ct_text t = {0};
            for (int i = 0; i < N; i++) {
                x[i] = i;
                y[i] = kind == 0   ? 0
                       : kind == 1 ? sin(i)
                       : kind == 2 ? NAN
                       : i % 7     ? 1e-16
                                   : INFINITY;
            }
            ct_curve c = {"<c>", N, x, y};
            ct_plot_svg(&t, "<t>", "x", "y", logarithmic, 1, &c);
            assert_null(strstr(t.s, "nan"));
            assert_null(strstr(t.s, "inf"));
            assert_null(strstr(t.s, "<t>"));
            assert_null(strstr(t.s, "<c>"));
            const char *s = strstr(t.s, "points=\"");
            for (s = s ? s + 8 : ""; *s && *s != '"';) { // x,y x,y ...
                char *end;
                double px = strtod(s, &end), py = strtod(end + 1, &end);
                assert_true(px >= 0 && px <= 640 && py >= 0 && py <= 230);
                s = *end == ' ' ? end + 1 : end;
            }
            ct_text_clear(&t);
        }
}

// steps
// ------------------------------------------------------------------------------------------------
static void steps_need_what_is_before_them(void **state) {
    (void)state;
    static const char *const models[] = {"four_bar", "double_wishbone", "andrews", "gough_stewart",
                                         "four_bar_chain_5"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char *path = model_path(models[m]);
        mech k = {.ctx = ct_context_new()};
        assert_int_equal(ct_model_read(k.ctx, path, 0, NULL, &k.model), CT_OK);
        mech_continue(&k, NULL);
        assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
        const ct_closure *c = ct_system_closure(k.s);
        bool *needs = ct_flow_needs(c);
        int width = c->r + c->n_steps;
        for (int i = 0; i < c->n_steps; i++) {
            int n = 0;
            for (int j = 0; j < width; j++) n += needs[i * width + j];
            assert_true(n > 0 || c->steps[i].method == CT_STEP_GIVEN);
            for (int j = 0; j <= c->n_steps - 1 && c->triangular; j++)
                if (needs[i * width + c->r + j]) assert_true(j < i);
        }
        if (m == 0) // crank -> rocker -> coupler, and nothing twice
            assert_true(needs[0] && !needs[1] && !needs[2] && !needs[3] && needs[4] && !needs[5]);
        ct_free(needs);
        // the formulas hold names for people only
        ct_solution_text *x = ct_solution_new(c, ct_system_state(k.s)->q0);
        for (int i = 0; i < c->n_steps; i++) {
            ct_lines lines = {0};
            ct_solution_equations(x, i, &lines);
            ct_solution_formulas(x, i, &lines);
            for (int l = 0; l < lines.n; l++) {
                assert_null(strstr(lines.item[l], " of "));
                assert_null(strstr(lines.item[l], "\xEE\x80\x80"));
                assert_non_null(strstr(lines.item[l], " = "));
            }
            ct_lines_clear(&lines);
        }
        ct_solution_free(x);
        mech_clear(&k);
        ct_free(path);
    }
}

// pages
// ------------------------------------------------------------------------------------------------
static void need_pages(void) {
    if (!strcmp(ct_web_files[0].name, "missing")) skip();
}

static char *page_of(const char *path, double time, ct_report_info *info, char **messages) {
    mech k = {.ctx = ct_context_new()};
    ct_run_options options;
    char *html = NULL;
    assert_int_equal(ct_model_read(k.ctx, path, 0, NULL, &k.model), CT_OK);
    mech_continue(&k, NULL);
    ct_run_options_init(&options);
    options.time = time;
    ct_status status = ct_report_page(k.ctx, k.s, &options, false, &html, info);
    *messages = ct_report_messages(k.ctx);
    assert_int_equal(status, CT_OK);
    assert_int_equal(strlen(html), info->bytes);
    assert_true(info->bytes < 8000000);
    assert_string_equal(html + info->bytes - 8, "</html>\n");
    for (int i = 0; i < info->n_sections; i++) {
        char *section = ct_format("<section id=\"%s\">", info->sections[i]);
        assert_non_null(strstr(html, section));
        ct_free(section);
    }
    mech_clear(&k);
    return html;
}

static void every_kind_of_model_has_a_page(void **state) {
    (void)state;
    need_pages();
    static const struct {
        const char *model, *says;
    } cases[] = {{"four_bar", "a \\cos u + b \\sin u = c"},
                 {"double_pendulum", "There are no loops: every coordinate is independent"},
                 {"landing_gear", "Driven motion"},
                 {"free_body", "There are no chords"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ct_report_info info;
        char *messages, *path = model_path(cases[i].model);
        char *html = page_of(path, 0.05, &info, &messages);
        assert_non_null(strstr(html, cases[i].says));
        assert_non_null(strstr(html, "srcdoc=\""));
        ct_string_free(html);
        ct_free(messages);
        ct_free(path);
    }
}

// Numbers by hand: a weight of 2 kg on a spring that is 0.3 m long at the start and 0.25 m free, driven
// down with 1 m/s, so that the damper pulls too.
static void forces_have_their_tables(void **state) {
    (void)state;
    need_pages();
    static const char text[] =
        "cotree: 1\ngravity: [0, 0, -9.81]\nbodies: {weight: {mass: 2}}\n"
        "joints: {S: {type: prismatic, between: [ground, weight], axis: -z}}\n"
        "forces:\n  coil: {type: spring, between: [ground, weight], stiffness: 400, damping: 3, "
        "length: 0.25}\n"
        "motions: {S: 0.3 + t}\nsimulate: {time: 0.01, step: 1e-3}\n";
    mech k = mech_text("spring.yaml", text, NULL);
    ct_run_options options;
    ct_report_info info;
    char *html = NULL;
    ct_run_options_init(&options);
    assert_int_equal(ct_report_page(k.ctx, k.s, &options, false, &html, &info), CT_OK);
    const char *at = strstr(html, "Springs at the start");
    assert_non_null(at);
    // free, now, stretched, 400 * 0.05 + 3 * 1
    static const char *const cells[] = {">0.25<", ">0.3<", ">0.05<", ">23<", ">N<"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        at = strstr(at, cells[i]);
        assert_non_null(at);
    }
    assert_non_null(strstr(html, "largest reactions"));
    // the motion holds the weight: at the start 2 * 9.81 - 23 against its sense
    const char *efforts = strstr(html, "<h3>Efforts</h3>");
    assert_non_null(efforts);
    assert_non_null(strstr(efforts, ">3.38<"));
    ct_string_free(html);
    mech_clear(&k);
}

// A crank that is driven to where its loop locks.
static void a_run_that_fails_is_told(void **state) {
    (void)state;
    need_pages();
    ct_report_info info;
    char *messages, *path = ct_format("%s/tests/report/locks.yaml", CT_SOURCE_DIR);
    char *html = page_of(path, -1, &info, &messages);
    assert_non_null(messages);
    assert_non_null(strstr(messages, "the run failed, and the report says so"));
    assert_non_null(strstr(html, "<p>The run failed:</p>"));
    ct_string_free(html);
    ct_free(messages);
    ct_free(path);
}

static void hostile_names_stay_text(void **state) {
    (void)state;
    need_pages();
    ct_report_info info;
    char *messages, *path = ct_format("%s/tests/report/hostile.yaml", CT_SOURCE_DIR);
    char *html = page_of(path, -1, &info, &messages);
    static const char *const bad[] = {"<img",         "<svg onload", "<b>&",
                                      "<script>hurt", "<u>",         "</style>\""};
    char *start = strstr(html, "<main>"), *end = start ? strstr(start, "srcdoc=\"") : NULL;
    assert_non_null(end);
    *end = '\0'; // what follows is the viewer, which has its own tests, and the scripts
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(strstr(start, bad[i]));
    ct_string_free(html);
    ct_free(messages);
    ct_free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(formulas_keep_their_names),
        cmocka_unit_test(graphviz_may_be_anything),
        cmocka_unit_test(plots_stay_inside),
        cmocka_unit_test(steps_need_what_is_before_them),
        cmocka_unit_test(every_kind_of_model_has_a_page),
        cmocka_unit_test(forces_have_their_tables),
        cmocka_unit_test(a_run_that_fails_is_told),
        cmocka_unit_test(hostile_names_stay_text),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
