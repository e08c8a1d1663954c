// Values that --set changes: whatever a parameter is set to, the run is that of the file with this
// value written in, rows, success and complaints. Most values are run by the code of the file's own,
// and the equations are not written at all; values that change the form of the equations, rows that
// bind, or the closure get equations of their own.
#include "harness.h"

enum { PARAMETERS = 6, CASES = 5, DRAWS = 2 };
static const double EQUAL = 1e-9; // of numbers in a row: another closure has other rounding

typedef struct setting {
    const char *name, *value;
    bool own; // the values need equations of their own
} setting;

typedef struct example {
    const char *name;
    const char *parameter[PARAMETERS][2]; // name, value in the file
    setting set[CASES];                   // values that matter
    double spread;                        // of random ones, relative
    bool special;     // the file's own values are special: others need equations
    bool driven;      // by kinematics, too
    const char *text; // behind the parameters
} example;

#define BARS MOVING_BARS "initial: {A: a}\n"
#define MOVING_BARS                                                                                \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  b1: {mass: 1, inertia: 0.2, com: [l1/2, 0, 0], points: {E: [l1, 0, 0]}}\n"                  \
    "  b2: {mass: 1, inertia: 0.2, com: [l2/2, 0, 0], points: {E: [l2, 0, 0]}}\n"                  \
    "  b3: {mass: 1, inertia: 0.2, com: [l3/2, 0, 0], points: {E: [l3, 0, 0]}}\n"                  \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, b1], axis: z}\n"                                      \
    "  B: {type: revolute, between: [b1, b2], at: [E, [0, 0, 0]], axis: z}\n"                      \
    "  C: {type: revolute, between: [b2, b3], at: [E, E], axis: z}\n"                              \
    "  D: {type: revolute, between: [ground, b3], at: [[l4, 0, 0], [0, 0, 0]], axis: z}\n"         \
    "guess: {B: -0.8, D: 1.1}\n"

#define HINGES(axis)                                                                               \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [l/2, 0, 0], points: {E: [l, 0, 0]}}\n"         \
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.2, 0.1, 0]}\n"                               \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, between: [ground, a], axis: z}\n"                                       \
    "  B: {type: revolute, between: [a, b], at: [E, [0, 0, 0]], axis: " axis "}\n"                 \
    "initial: {A: [0.3, 1]}\n"

#define TYRE                                                                                       \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {carrier: {mass: 40, inertia: [1, 1, 1]}, wheel: {mass: 20, inertia: [0.6, 1, "       \
    "0.6]}}\n"                                                                                     \
    "joints:\n"                                                                                    \
    "  p: {type: free, between: [ground, carrier]}\n"                                              \
    "  w: {type: revolute, between: [carrier, wheel], at: [[0, 0, 0], [e, 0, 0]], axis: y}\n"      \
    "forces:\n"                                                                                    \
    "  T: {type: tyre, on: wheel, radius: r, stiffness: 175000, damping: 500, coefficients: "      \
    "{FNOMIN: 3800, BREFF: 7, DREFF: 0.25, FREFF: 0.01, LONGVL: 16.7, PCX1: 1.5587, PDX1: 1.09, "  \
    "PDX2: -0.079, PEX1: 0.274, PKX1: 19.7, PKX3: 0.124, PCY1: 1.4675, PDY1: 0.94, PEY1: 0.004, "  \
    "PKY1: -12.5, PKY2: 1.39, RBX1: 14.9, RBX2: -10.5, RCX1: 1.13, RBY1: 5.5, RBY2: 2.8, "         \
    "RCY1: 1.08, QBZ1: 9.28, QBZ9: 13.9, QCZ1: 1.11, QDZ1: 0.143}}\n"                              \
    "initial: {p.x: [0, 10], p.y: [0, 0], p.z: [r - 0.01, 0], w: [0, 30]}\n"

static const example examples[] = {
    {"four_bar",
     {{"l1", "1"}, {"l2", "2.2"}, {"l3", "1.4"}, {"l4", "2"}, {"a", "1"}},
     {{"l3", "1", false},
      {"l2", "2", false},
      {"l1", "0", false},
      {"a", "7.5", false},
      {"l2", "9", true}},
     0.05,
     false,
     false,
     BARS},
    {"parallelogram",
     {{"l1", "1"}, {"l2", "2"}, {"l3", "1"}, {"l4", "2"}, {"a", "1"}},
     {{"l3", "1.4", true}, {"l2", "2.2", true}, {"a", "0.2", false}},
     0.05,
     true,
     false,
     BARS},
    // axes that become parallel, or turn round: a sign is decided on where the model is read
    {"axes",
     {{"tilt", "0.5"}, {"l", "0.4"}},
     {{"tilt", "0", false}, {"tilt", "pi/2", false}, {"l", "0", false}},
     0.2,
     false,
     false,
     HINGES("[sin(tilt), 0, cos(tilt)]")},
    {"reversed",
     {{"s", "2"}, {"l", "0.4"}},
     {{"s", "-2", true}, {"s", "3", false}},
     0.2,
     true,
     false,
     HINGES("[0, 0, s]")},
    // a wheel on its axle, and beside it
    {"wheel",
     {{"e", "0"}, {"r", "0.3"}},
     {{"e", "0.01", true}, {"r", "0.31", false}},
     0,
     false,
     false,
     TYRE},
    {"eccentric",
     {{"e", "0.01"}, {"r", "0.3"}},
     {{"e", "0", true}, {"e", "0.02", false}},
     0,
     false,
     false,
     TYRE},
    // a spring without a length, and what cannot be assembled
    {"spring",
     {{"x", "0.5"}, {"k", "30"}, {"m", "2"}},
     {{"x", "0", true}, {"k", "0", false}},
     0.2,
     false,
     false,
     "bodies: {a: {mass: m, inertia: 0.1, points: {P: [0.1, 0, 0]}}}\n"
     "joints: {X: {type: prismatic, between: [ground, a], axis: x}}\n"
     "forces: {S: {type: spring, between: [ground, a], stiffness: k, force: 1}}\n"
     "initial: {X: x}\n"},
    // a ball that starts in its lock; a table of a parameter
    {"ball",
     {{"b", "0.3"}, {"l", "0.5"}, {"w", "1"}},
     {{"b", "pi/2", false}, {"l", "0.7", false}},
     0.1,
     false,
     false,
     "gravity: [0, 0, -9.81]\n"
     "bodies: {top: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0, 0, l]}}\n"
     "joints: {S: {type: spherical, between: [ground, top]}}\n"
     "initial: {S.1: [0, w], S.2: [b, 0], S.3: [0, 5]}\n"},
    {"table",
     {{"y", "2"}, {"m", "1"}},
     {{"y", "3", false}},
     0.2,
     false,
     false,
     "tables: {F: {x: [0, 1, 2], y: [0, y, 1]}}\n"
     "bodies: {a: {mass: m, inertia: 0.1}}\n"
     "joints: {X: {type: prismatic, between: [ground, a], axis: x}}\n"
     "forces: {f: {type: actuator, joint: X, value: \"table(F, 1 + X)\"}}\n"},
    // three parallel cranks, of which one is redundant; turned round one by one, and no more parallel
    {"cranks",
     {{"r", "1"}, {"s", "1"}, {"d", "2"}},
     {{"s", "-1", false}, {"r", "-1", false}, {"d", "-2", false}, {"s", "0.9", true}},
     0,
     false,
     false,
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  a: {mass: 1, inertia: 0.1, com: [r/2, 0, 0], points: {E: [r, 0, 0]}}\n"
     "  b: {mass: 1, inertia: 0.1, com: [r/2, 0, 0], points: {E: [r, 0, 0]}}\n"
     "  c: {mass: 1, inertia: 0.1, com: [s*r/2, 0, 0], points: {E: [s*r, 0, 0]}}\n"
     "  p: {mass: 2, inertia: 0.5, com: [d, 0, 0], points: {B: [d, 0, 0], C: [2*d, 0, 0]}}\n"
     "joints:\n"
     "  A: {type: revolute, between: [ground, a], axis: z}\n"
     "  B: {type: revolute, between: [ground, b], at: [[d, 0, 0], [0, 0, 0]], axis: z}\n"
     "  C: {type: revolute, between: [ground, c], at: [[2*d, 0, 0], [0, 0, 0]], axis: z}\n"
     "  D: {type: revolute, between: [a, p], at: [E, [0, 0, 0]], axis: z}\n"
     "  E: {type: revolute, between: [b, p], at: [E, B], axis: z}\n"
     "  F: {type: revolute, between: [c, p], at: [E, C], axis: z}\n"
     "initial: {A: [1, 0]}\n"
     "guess: {B: 1, C: 1, D: -1, E: -1, F: -1}\n"},
    // a driven motion, with a parameter that others decide on
    {"driven",
     {{"r", "0.1"}, {"l", "0.4"}, {"w", "5"}, {"e", "r/10"}},
     {{"e", "0", true}, {"r", "0.2", false}, {"w", "0", false}, {"r", "0.5", false}},
     0.2,
     false,
     true,
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  crank: {mass: 1, inertia: 0.01, points: {A: [r, 0, 0]}}\n"
     "  rod: {mass: 1, inertia: 0.02, com: [l/2, 0, 0], points: {B: [l, 0, 0]}}\n"
     "  slide: {mass: 1, inertia: 0.01}\n"
     "joints:\n"
     "  O: {type: revolute, between: [ground, crank], axis: z}\n"
     "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
     "  B: {type: revolute, between: [rod, slide], at: [B, [0, 0, 0]], axis: z}\n"
     "  X: {type: prismatic, between: [ground, slide], at: [[0, e, 0], [0, 0, 0]], axis: x}\n"
     "motions: {O: w*t + l}\n"
     "guess: {X: r + l}\n"},
    // a driven crank that comes to the end of its range on the way, with one length
    {"rocking",
     {{"l1", "1"}, {"l2", "2.2"}, {"l3", "1.4"}, {"l4", "2"}, {"a", "0.9"}, {"w", "-20"}},
     {{"l3", "1.3", false}, {"w", "2", false}, {"l3", "0.9", true}, {"l2", "9", true}},
     0.02,
     false,
     true,
     MOVING_BARS "motions: {A: a + w*t}\n"},
    // a driven ball
    {"driven ball",
     {{"b", "0.3"}, {"l", "0.5"}, {"w", "1"}},
     {{"l", "0.7", false}, {"b", "-0.4", false}},
     0.1,
     false,
     true,
     "gravity: [0, 0, -9.81]\n"
     "bodies: {top: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0, 0, l]}}\n"
     "joints: {S: {type: spherical, between: [ground, top]}}\n"
     "motions: {S.1: w*t, S.2: b + t/10, S.3: 2*t}\n"
     "outputs: {height: z(top.com)}\n"}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

// The text of an example, with one value in the place of that of the file (NULL: none).
static char *text_of(const example *x, const char *name, const char *value) {
    ct_text text = {0};
    ct_text_add(&text, "cotree: 1\nparameters:\n");
    for (int i = 0; i < PARAMETERS && x->parameter[i][0]; i++)
        ct_text_printf(&text, "  %s: %s\n", x->parameter[i][0],
                       name && !strcmp(name, x->parameter[i][0]) ? value : x->parameter[i][1]);
    ct_text_add(&text, x->text);
    return ct_text_take(&text);
}

typedef struct outcome {
    ct_status status;
    table rows;
    char *said;
    bool by_file; // by the code of the file's own values
} outcome;

static outcome run_once(const example *x, const char *text, const char *set, bool kinematics) {
    outcome o = {0};
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_system *s = NULL;
    ct_run_options options;
    ct_run_summary summary;
    ct_run_options_init(&options);
    options.time = 0.05;
    options.step = 1e-3;
    options.output_step = 1e-2;
    options.row = table_row;
    options.row_data = &o.rows;
    char *name = ct_format("%s.yaml", x->name);
    o.status = ct_model_read_text(ctx, name, text, strlen(text), set ? 1 : 0, &set, &model);
    if (!o.status) o.status = ct_formulate(ctx, model, NULL, &s);
    if (!o.status)
        o.status = (kinematics ? ct_kinematics : ct_simulate)(ctx, s, &options, &summary);
    o.by_file = s && s->has_file_key && (kinematics ? s->waits : !s->needs_own);
    ct_text said = {0};
    for (int i = 0; i < ct_message_count(ctx); i++)
        ct_text_printf(&said, "%s\n", ct_message(ctx, i));
    ct_text_add(&said, "");
    o.said = ct_text_take(&said);
    ct_system_free(s);
    ct_model_free(model);
    ct_context_free(ctx);
    ct_free(name);
    return o;
}

static void outcome_clear(outcome *o) {
    table_clear(&o->rows);
    ct_free(o->said);
}

// A run with --set beside one of the file with the value written in.
static void compare_by(const example *x, const char *name, const char *value, const bool *own,
                       bool kinematics) {
    char *file = text_of(x, NULL, NULL), *written = text_of(x, name, value),
         *set = ct_format("%s=%s", name, value);
    outcome a = run_once(x, file, set, kinematics), b = run_once(x, written, NULL, kinematics);
    if (a.status != b.status || a.rows.n != b.rows.n || (a.status && strcmp(a.said, b.said)))
        fail_msg("%s --set %s: status %d, %d rows, %s; written in: %d, %d rows, %s", x->name, set,
                 a.status, a.rows.n, a.said, b.status, b.rows.n, b.said);
    if (own && a.by_file == *own)
        fail_msg("%s --set %s: equations of its own: %d", x->name, set, !a.by_file);
    for (int i = 0; i < a.rows.n * a.rows.columns; i++)
        if (difference(a.rows.value[i], b.rows.value[i]) > EQUAL)
            fail_msg("%s --set %s: row %d column %d: %.17g, written in %.17g", x->name, set,
                     i / a.rows.columns, i % a.rows.columns, a.rows.value[i], b.rows.value[i]);
    outcome_clear(&a);
    outcome_clear(&b);
    ct_free(set);
    ct_free(written);
    ct_free(file);
}

static void compare(const example *x, const char *name, const char *value, const bool *own) {
    compare_by(x, name, value, own, false);
    if (x->driven) compare_by(x, name, value, own, true);
}

static void values_that_matter(void **state) {
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        char *file = text_of(examples + i, NULL, NULL);
        outcome o = run_once(examples + i, file, NULL, false);
        if (o.status) fail_msg("%s", o.said);
        outcome_clear(&o);
        ct_free(file);
        for (int k = 0; k < CASES && examples[i].set[k].name; k++) {
            const setting *s = examples[i].set + k;
            compare(examples + i, s->name, s->value, &s->own);
        }
    }
}

static void random_values(void **state) {
    (void)state;
    uint64_t seed = 15;
    char value[40];
    for (int i = 0; i < EXAMPLES; i++)
        for (int k = 0; k < PARAMETERS && examples[i].parameter[k][0]; k++)
            for (int draw = 0; draw < DRAWS; draw++) {
                char *end;
                double own = strtod(examples[i].parameter[k][1], &end);
                snprintf(value, sizeof value, "%.17g",
                         (own ? own : 0.1) * (1 + examples[i].spread * noise(&seed)));
                const bool expected = false;
                bool plain = !*end && examples[i].spread > 0 && !examples[i].special;
                if (plain)
                    compare(examples + i, examples[i].parameter[k][0], value, &expected);
                else
                    compare(examples + i, examples[i].parameter[k][0], value, NULL);
            }
}

// Whether the run of the file was there before, with or without a cache: the same bits.
static void bits_do_not_depend_on_the_cache(void **state) {
    (void)state;
    const example *x = examples;
    char *file = text_of(x, NULL, NULL), *folder = temporary_folder();
    setenv("XDG_CACHE_HOME", folder, 1);
    outcome first = run_once(x, file, "l2=2.1", false), second = run_once(x, file, "l2=2.1", false);
    setenv("COTREE_CACHE_SIZE", "0", 1);
    outcome without = run_once(x, file, "l2=2.1", false);
    unsetenv("COTREE_CACHE_SIZE");
    shared_cache(state);
    size_t numbers = (size_t)first.rows.n * (size_t)first.rows.columns;
    assert_true(numbers && first.by_file && second.by_file && without.by_file);
    assert_memory_equal(first.rows.value, second.rows.value, numbers * sizeof(double));
    assert_memory_equal(first.rows.value, without.rows.value, numbers * sizeof(double));
    outcome_clear(&first);
    outcome_clear(&second);
    outcome_clear(&without);
    ct_free(file);
    remove_folder(folder);
}

// A delta robot whose platform keeps its orientation, with one rod longer: another closure is found,
// and a note says so. The rows are those of the file with this length.
static void another_closure_is_told(void **state) {
    (void)state;
    static const char rod[] = "C0r: [0.06, -0.06, -0.8]";
    char *text = read_text(CT_SOURCE_DIR "/tests/mechanisms/delta_ss.yaml"),
         *at = strstr(text, rod);
    assert_non_null(at);
    char *file = ct_format("%.*sC0r: [0.06, -0.06, -0.8 + d]%s\nparameters: {d: 0}\n",
                           (int)(at - text), text, at + strlen(rod));
    char *written =
        ct_format("%.*sC0r: [0.06, -0.06, -0.803]%s\n", (int)(at - text), text, at + strlen(rod));
    const example delta = {.name = "delta"};
    outcome a = run_once(&delta, file, "d=-0.003", false),
            b = run_once(&delta, written, NULL, false);
    if (a.status || b.status) fail_msg("%s%s", a.said, b.said);
    if (!strstr(a.said,
                "note: with these values the closure for those of the file is not possible"))
        fail_msg("no note: '%s'", a.said);
    assert_false(a.by_file);
    assert_int_equal(a.rows.n, b.rows.n);
    for (int i = 0; i < a.rows.n * a.rows.columns; i++)
        assert_true(difference(a.rows.value[i], b.rows.value[i]) < 1e-7);
    outcome_clear(&a);
    outcome_clear(&b);
    ct_free(text);
    ct_free(file);
    ct_free(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_that_matter),
                                       cmocka_unit_test(random_values),
                                       cmocka_unit_test(another_closure_is_told),
                                       cmocka_unit_test(bits_do_not_depend_on_the_cache)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
