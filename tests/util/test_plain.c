// Numbers have a point in every locale: text written and read, a model, its generated code and its
// results in a program that calls setlocale with a comma.
#include "harness.h"

#include <locale.h>

// A locale with a decimal comma: one that is there, or one made in a folder of the test; false where
// neither can be had.
static bool speak_comma(void) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8", "ru_RU.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i])) return !strcmp(localeconv()->decimal_point, ",");
    mkdir(CT_BUILD_DIR "/locales", 0777);
    if (system("localedef -i de_DE -f UTF-8 " CT_BUILD_DIR "/locales/de_DE.UTF-8 >/dev/null 2>&1"))
        return false;
    setenv("LOCPATH", CT_BUILD_DIR "/locales", 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && !strcmp(localeconv()->decimal_point, ",");
}

static int needs_comma(void **state) {
    (void)state;
    if (!speak_comma()) {
        print_message("SKIPPED: 1 test, no locale with a decimal comma and no localedef\n");
        skip();
    }
    return 0;
}

static int back_to_point(void **state) {
    (void)state;
    setlocale(LC_ALL, "C");
    return 0;
}

static void text_has_a_point(void **state) {
    char small[32], *end;
    needs_comma(state);
    snprintf(small, sizeof small, "%g", 0.5);
    assert_string_equal(small, "0,5"); // the program's own text is its own affair
    char *text = ct_format("%g %.3f", 0.5, 1.25);
    assert_string_equal(text, "0.5 1.250");
    ct_free(text);
    assert_float_equal(ct_strtod("2.5e-1;", &end), 0.25, 0);
    assert_string_equal(end, ";");
    snprintf(small, sizeof small, "%g", 0.5);
    assert_string_equal(small, "0,5"); // and stays so
    back_to_point(state);
}

// What a program gets: generated files and rows.
typedef struct results {
    char *files; // the model and its program
    double last;
} results;

static results everything(void) {
    static const char text[] =
        "cotree: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "parameters: {l: 0.55}\n"
        "tables: {f: {x: [0, 0.5, 1.5], y: [0.1, 0.2, 0.05]}}\n"
        "bodies:\n"
        "  arm: {mass: 1.5, inertia: 0.1, com: [l/2, 0, 0], points: {A: [l, 0, 0]}}\n"
        "  rod: {mass: 0.3, inertia: 0.01, points: {B: [0.75, 0, 0]}}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, arm], axis: z}\n"
        "  A: {type: revolute, between: [arm, rod], at: [A, [0, 0, 0]], axis: z}\n"
        "  S: {type: inline, between: [ground, rod], at: [[0, 0.125, 0], B], axis: x}\n"
        "forces: {m: {type: actuator, joint: O, value: \"table(f, t) - 0.25*O'\"}}\n"
        "initial: {O: [0.5, 1.5]}\n"
        "outputs: {tip: \"y(arm.A)/2.5\"}\n"
        "simulate: {time: 0.25, step: 1e-3, output_step: 0.05}\n";
    mech m = mech_text("comma", text, NULL);
    assert_made(&m);
    table t = run_mech(&m, &(run_settings){0}, NULL);
    results r = {.last = table_last(&t, "tip")};
    table_clear(&t);
    // generated files
    char *folder = temporary_folder(), *path = ct_format("%s/comma.c", folder);
    ct_generate_info info;
    ct_run_options o;
    ct_run_options_init(&o);
    assert_int_equal(ct_generate(m.ctx, m.s, "c", folder, &o, &info), CT_OK);
    char *source = read_text(path), *program = ct_format("%s/main.c", folder);
    char *main_text = read_text(program);
    r.files = ct_format("%s%s", source, main_text);
    ct_free(path);
    ct_free(program);
    ct_free(source);
    ct_free(main_text);
    remove_folder(folder);
    mech_clear(&m);
    return r;
}

static void a_comma_changes_nothing(void **state) {
    results point = everything();
    needs_comma(state);
    results comma = everything();
    back_to_point(state);
    assert_string_equal(point.files, comma.files);
    assert_true(point.last == comma.last);
    ct_free(point.files);
    ct_free(comma.files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(text_has_a_point, back_to_point),
        cmocka_unit_test_teardown(a_comma_changes_nothing, back_to_point),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
