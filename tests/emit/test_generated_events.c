// Events in generated code: the program computes what `simulate` does where the rates of motions jump,
// for every way in which they do, by every kind of method, with other parameters and with inputs that
// the caller writes.
#include "harness.h"

static const char *filled(const char *format, ...) CT_PRINTF(1, 2);
static const char *filled(const char *format, ...) {
    static char texts[2][4096]; // one may be an argument of the other
    static int turn;
    char *text = texts[turn = !turn];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof *texts, format, list);
    va_end(list);
    assert_true(n > 0 && (size_t)n < sizeof *texts);
    return text;
}

// A driven arm with a bob, about an oblique axis.
static const char arm[] =
    "cotree: 1\nname: m\ngravity: [0, -9.81, 0]\nparameters: {T: 0.06}\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {P: [1, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.2, 0.15], com: [0.3, 0, 0.1]}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, arm], axis: [1, 2, 2]}\n"
    "  A: {type: revolute, between: [arm, bob], at: [P, [0, 0, 0]], axis: [2, 1, 2]}\n"
    "tables: {ramp: {x: [0, 0.03, 0.0614], y: [0, 0.1, 0.3]}}\n"
    "motions: {O: \"%s\"}\ninitial: {A: [0.3, 0]}\n"
    "simulate: {time: 0.1, step: 1e-3, output_step: 5e-3}\n";

// Five bars with two freedoms, one of them driven; an equation drives a slider beside.
static const char loop[] =
    "cotree: 1\nname: m\nparameters: {T: 0.06}\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: 0.1, com: [0.2, 0, 0], points: {P: [0.4, 0, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, com: [0.4, 0.1, 0], points: {P: [0.8, 0, 0]}}\n"
    "  c: {mass: 1, inertia: 0.1, com: [0.3, 0, 0], points: {P: [0.7, 0, 0]}}\n"
    "  d: {mass: 3, inertia: 0.1, com: [0.2, 0, 0], points: {P: [0.5, 0, 0]}}\n"
    "  s: {mass: 1, inertia: 0.1}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, a], axis: z}\n"
    "  B: {type: revolute, between: [a, b], at: [P, [0, 0, 0]], axis: z}\n"
    "  D: {type: revolute, between: [ground, d], at: [[1, 0, 0], [0, 0, 0]], axis: z}\n"
    "  C: {type: revolute, between: [d, c], at: [P, [0, 0, 0]], axis: z}\n"
    "  E: {type: revolute, between: [b, c], at: P, axis: z}\n"
    "  S: {type: prismatic, between: [ground, s], axis: x}\n"
    "  e: {type: constraint, equation: \"S*(1 + t) - D - abs(t - 0.0323)\"}\n"
    "tables: {ramp: {x: [0, 0.03, 0.0614], y: [0, 0.1, 0.3]}}\n"
    "motions: {A: \"1.9 + %s\"}\ninitial: {D: [1.1, 0.5]}\nguess: {B: -1.6, C: 0.9, E: 1}\n"
    "simulate: {time: 0.1, step: 1e-3, output_step: 5e-3}\n";

// The program in a folder of its own, run with arguments. Fails where something is wrong, or said.
static table program(mech *k, const run_settings *w, const char *arguments) {
    char *folder = temporary_folder();
    ct_run_options o = run_options(w, NULL);
    ct_generate_info info;
    const int said = ct_message_count(k->ctx);
    assert_int_equal(ct_generate(k->ctx, k->s, "c", folder, &o, &info), CT_OK);
    for (int i = said; i < ct_message_count(k->ctx); i++)
        assert_null(strstr(ct_message(k->ctx, i), "warning"));
    char *command = ct_format("cd %s && %s/tests/quick_cc -std=c99 -w -o m *.c -lm && ./m %s "
                              "> out.csv 2> log || cat log >&2",
                              folder, CT_SOURCE_DIR, arguments);
    assert_int_equal(system(command), 0);
    char *csv = ct_format("%s/out.csv", folder);
    table t = table_read(csv);
    ct_free(csv);
    ct_free(command);
    remove_folder(folder);
    return t;
}

static double off_by(const table *a, const table *b) {
    double worst = 0;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->columns, b->columns);
    for (int i = 0; i < a->n; i++)
        for (int c = 0; c < a->columns; c++) {
            const double x = table_at(a, i, c), y = table_at(b, i, c);
            worst = fmax(worst, fabs(x - y) / (1 + fabs(y)));
        }
    return worst;
}

// Rows of the program against those of a run.
static double compare(const char *text, const run_settings *w) {
    mech k = mech_text("m", text, NULL);
    assert_made(&k);
    table have = program(&k, w, ""), want = run_mech(&k, w, NULL);
    const double worst = off_by(&have, &want);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    return worst;
}

// kinks -------------------------------------------------------------------------------------------
static const char *const kinks[] = {
    "min(t, 0.05)",                                     // at a row
    "min(t, 0.0503)",                                   // within a step
    "0.3*max(t - 0.0121, 0) - 0.7*max(t - 0.0123, 0)",  // two in one step
    "abs(t - 0.042) + if(t < 0.042, 0, 2*(t - 0.042))", // two at once, at a step
    "if(t < T/3, t, T/3)",                              // by a parameter
    "table(ramp, t)",                                   // the end of a table
    "asin(sin(40*t))/40",                               // an inner function turns back
    "sqrt((t - 0.031)^2)",
    "abs(cos(300*t + 1))/300", // many
    "max(t - 0.05, 0)^2",      // of the acceleration
};

static void a_program_passes_kinks_as_a_run_does(void **state) {
    (void)state;
    static const run_settings ways[] = {
        {.method = "triangular", .integrator = "rk4"},
        {.method = "partition", .integrator = "rk4"},
        {.method = "augmented", .integrator = "ab4"},
        {.method = "hybrid", .integrator = "trapezoid"},
        {.method = "newton-loops", .integrator = "rk2"},
        {.method = "recursive", .integrator = "hht"},
    };
    const size_t n_ways = sizeof ways / sizeof *ways, n = sizeof kinks / sizeof *kinks;
    int failures = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        const char *text = i < n ? filled(arm, kinks[i]) : filled(loop, kinks[i - n]);
        for (size_t j = 0; j < n_ways; j++) {
            // each kink by one way, every second one with loops; all pairs in long tests
            if (!soaking() && (j != i % n_ways || (i >= n && i % 2))) continue;
            const double worst = compare(text, ways + j);
            if (worst <= 1e-9) continue;
            print_error("%s, %s, %s: off by %g\n", i < n ? "arm" : "loop", kinks[i % n],
                        ways[j].method, worst);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

// The end of the arm with smooth ramps in the place of the kink, extrapolated to sharp ones.
static void a_kink_is_the_limit_of_smooth_ramps(void **state) {
    (void)state;
    static const char *const width[] = {"1e-4", "5e-5", "2.5e-5"};
    const run_settings w = {
        .integrator = "cvode", .rtol = 1e-13, .atol = 1e-15, .output_step = 0.1};
    double end[3];
    for (int i = 0; i < 3; i++) {
        mech k = mech_text(
            "m", filled(arm, filled("0.5*(t + 0.05 - sqrt((t - 0.05)^2 + %s^2))", width[i])), NULL);
        assert_made(&k);
        table t = run_mech(&k, &w, NULL);
        end[i] = table_last(&t, "A'");
        table_clear(&t);
        mech_clear(&k);
    }
    mech k = mech_text("m", filled(arm, "min(t, T)"), NULL);
    assert_made(&k);
    table t = program(&k, &(run_settings){.integrator = "rk4"}, "T=0.05");
    assert_near(table_last(&t, "A'"), (8 * end[2] - 6 * end[1] + end[0]) / 3, 1e-7);
    table_clear(&t);
    mech_clear(&k);
}

// Other parameters move the kink, and joints that come at the same instant share its impulse.
static void a_kink_moves_with_parameters(void **state) {
    (void)state;
    const run_settings w = {.method = "partition", .integrator = "rk4"};
    char *with = ct_strdup(filled(arm, "min(t, T)"));
    char *text = ct_format(
        "%.*s  pin: {type: spherical, between: [ground, bob], at: [[0, 0, 0], [0.3, 0, 0]], "
        "active: t >= T, attach: here}\n%s",
        (int)(strstr(with, "tables:") - with), with, strstr(with, "tables:"));
    const char *const set[] = {"T=0.04"};
    mech k = mech_text("m", text, NULL);
    assert_made(&k);
    table have = program(&k, &w, "T=0.04");
    mech other = {.ctx = ct_context_new()};
    other.status = ct_model_read_text(other.ctx, "m", text, strlen(text), 1, set, &other.model);
    mech_continue(&other, NULL);
    assert_made(&other);
    table want = run_mech(&other, &w, NULL);
    assert_true(off_by(&have, &want) < 1e-9);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    mech_clear(&other);
    ct_free(text);
    ct_free(with);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_passes_kinks_as_a_run_does),
        cmocka_unit_test(a_kink_is_the_limit_of_smooth_ramps),
        cmocka_unit_test(a_kink_moves_with_parameters),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
