// How far runs are off: never silently. Steps that are too long are noticed by the estimated error of
// one step and by the energy; `auto` then takes cvode, a named integrator warns or fails.
#include "harness.h"

#define ARM                                                                                        \
    "cotree: 1\n"                                                                                  \
    "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}}\n"                                   \
    "joints: {O: {type: revolute, between: [ground, arm], axis: z}}\n"                             \
    "forces: {k: {type: torsion, joint: O, stiffness: %g, damping: %g}}\n"                         \
    "initial: {O: [0.1, 0]}\n"                                                                     \
    "simulate: {time: 1, step: 1e-3}\n"
#define PARALLELOGRAM                                                                              \
    "cotree: 1\n"                                                                                  \
    "parameters: {a: 0.3, b: 0.8, c: 0.3 + 1e-6, d: 0.8}\n"                                        \
    "bodies:\n"                                                                                    \
    "  crank:  {mass: 1, inertia: 1*a^2/12, com: [a/2, 0, 0], points: {A: [a, 0, 0]}}\n"           \
    "  rod:    {mass: 1, inertia: 1*b^2/12, com: [b/2, 0, 0], points: {B: [b, 0, 0]}}\n"           \
    "  rocker: {mass: 1, inertia: 1*c^2/12, com: [c/2, 0, 0], points: {C: [c, 0, 0]}}\n"           \
    "joints:\n"                                                                                    \
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"                                   \
    "  A: {type: revolute, between: [crank, rod], at: [A, [0,0,0]], axis: z}\n"                    \
    "  D: {type: revolute, between: [ground, rocker], at: [[d,0,0],[0,0,0]], axis: z}\n"           \
    "  B: {type: revolute, between: [rod, rocker], at: [B, C], axis: z}\n"                         \
    "initial: {O: [1.0, 6]}\n"                                                                     \
    "guess: {A: -1.0, D: 1.0, B: 1.0}\n"                                                           \
    "simulate: {time: 3, step: 0.001}\n"
// a motor whose speed is held with the gain kp, on links that weigh next to nothing
#define WIPER                                                                                      \
    "cotree: 1\n"                                                                                  \
    "parameters: {kp: %g, w: 6, a: 0.04, b: 0.3, c: 0.07, d: 0.3}\n"                               \
    "bodies:\n"                                                                                    \
    "  crank: {mass: 0.02, inertia: 0.02*a^2/12, com: [a/2, 0, 0], points: {A: [a, 0, 0]}}\n"      \
    "  rod:   {mass: 0.03, inertia: 0.03*b^2/12, com: [b/2, 0, 0], points: {B: [b, 0, 0]}}\n"      \
    "  arm:   {mass: 0.05, inertia: 0.05*c^2/12, com: [c/2, 0, 0], points: {C: [c, 0, 0]}}\n"      \
    "joints:\n"                                                                                    \
    "  motor: {type: revolute, between: [ground, crank], axis: z}\n"                               \
    "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"                  \
    "  B: {type: revolute, between: [rod, arm], at: [B, C], axis: z}\n"                            \
    "  D: {type: revolute, between: [ground, arm], at: [[d, 0, 0], [0, 0, 0]], axis: z}\n"         \
    "forces: {drive: {type: actuator, joint: motor, value: kp*(w - motor')}}\n"                    \
    "initial: {motor: [1.0, 0]}\n"                                                                 \
    "guess: {A: -0.9, B: 1.2, D: 1.3}\n"                                                           \
    "simulate: {time: 0.3, step: 1e-3}\n"
// comes to a gimbal lock, on the way to which partition changes its coordinates
#define BALL                                                                                       \
    "cotree: 1\n"                                                                                  \
    "points: {P0: [0.736, 0.669, -0.604], P1: [-0.256, 0.289, 0.036], P3: [0.087, 0.364, "         \
    "-0.599]}\n"                                                                                   \
    "bodies:\n"                                                                                    \
    "  b1: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                                  \
    "  b2: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"                                                  \
    "joints:\n"                                                                                    \
    "  j0: {type: cylindrical, between: [ground, b1], at: P0, axis: z}\n"                          \
    "  j1: {type: spherical, between: [b1, b2], at: P1}\n"                                         \
    "  j3: {type: cylindrical, between: [b2, ground], at: P3, axis: y}\n"                          \
    "initial: {j0.angle: [0, 2.5]}\n"                                                              \
    "forces: {k: {type: torsion, joint: j1.2, stiffness: 0.2}}\n"                                  \
    "simulate: {time: 1, step: 0.001}\n"

static mech model(const char *format, double a, double b) {
    char *text = ct_format(format, a, b);
    mech k = mech_text("accuracy", text, NULL);
    ct_free(text);
    assert_made(&k);
    return k;
}

// known models ----------------------------------------------------------------------------------
static const struct {
    const char *format;
    double a, b;
    const char *column;
    double right, tolerance;
} known[] = {
    {ARM, 3e6, 0, "O", 0.0965318874, 1e-6}, // 0.1 cos(sqrt(3e6 / 0.35))
    {ARM, 10, 1e3, "O", 0.0990049495, 1e-6},
    {PARALLELOGRAM, 0, 0, "O", 19.6819, 5e-4},
    {WIPER, 0.9, 0, "motor'", 6.00105734, 1e-6},
};

// By default they are right, in one set of rows that a note explains.
static void auto_is_right(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        mech k = model(known[i].format, known[i].a, known[i].b);
        ct_run_summary summary;
        table t = run_mech(&k, &(run_settings){0}, &summary);
        assert_string_equal(summary.integrator, "cvode");
        assert_true(summary.local_error < 1e-8 && summary.energy_drift < 1e-4);
        assert_true(has_message(k.ctx, "note: at t = ") && has_message(k.ctx, "by cvode"));
        assert_false(has_message(k.ctx, "limit position"));
        assert_int_equal(ct_message_count(k.ctx), 1);
        assert_near(table_last(&t, known[i].column), known[i].right, known[i].tolerance);
        for (int r = 1; r < t.n; r++) assert_true(table_at(&t, r, 0) > table_at(&t, r - 1, 0));
        table_clear(&t);
        mech_clear(&k);
    }
}

// With a step of fixed length they fail, and the message names the step and a remedy; rows are kept.
static void worthless_runs_fail(void **state) {
    (void)state;
    static const char *const integrators[] = {"euler", "rk2", "rk4", "ab4"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int j = i == 0 ? 0 : 2; j < 4; j++) {
            mech k = model(known[i].format, known[i].a, known[i].b);
            table t;
            ct_status status =
                run_rows(&k, &(run_settings){.integrator = integrators[j]}, &t, NULL);
            assert_int_equal(status, CT_NUMERICS);
            assert_true(has_message(k.ctx, "the step of 0.001 s is too long for") &&
                        has_message(k.ctx, "or --integrator cvode"));
            assert_true(t.n > 1);
            table_clear(&t);
            mech_clear(&k);
        }
}

// Between good and worthless there is a warning, with time, step and a better one.
static void long_steps_are_warned_of(void **state) {
    (void)state;
    mech k = model(ARM, 1000, 0); // 53 rad/s
    ct_run_summary summary;
    table t = run_mech(&k, &(run_settings){.integrator = "rk4", .step = 0.01}, &summary);
    assert_true(summary.local_error > 1e-3 && summary.local_error < 1e-2);
    assert_true(has_message(k.ctx, "warning: at t = 0.01 the step of 0.01 s is too long for rk4") &&
                has_message(k.ctx, "try --step 0.002, or --integrator cvode"));
    table_clear(&t);
    // where rk4 is good enough it is what runs, and nobody talks of it
    ct_messages_clear(k.ctx);
    t = run_mech(&k, &(run_settings){.step = 0.001}, &summary);
    assert_string_equal(summary.integrator, "rk4");
    assert_true(summary.local_error < 1e-5);
    assert_int_equal(ct_message_count(k.ctx), 0);
    table_clear(&t);
    mech_clear(&k);
}

// cvode ends, whatever happens.
static void cvode_makes_progress(void **state) {
    (void)state;
    mech k = model(BALL, 0, 0);
    table t;
    ct_status status = run_rows(&k, &(run_settings){.integrator = "cvode"}, &t, NULL);
    assert_int_equal(status, CT_NUMERICS);
    assert_true(has_message(k.ctx, "at t = 0.518") && has_message(k.ctx, "'j1'"));
    assert_near(table_at(&t, t.n - 1, 0), 0.518, 1e-12);
    table_clear(&t);
    mech_clear(&k);
    // a force that changes its sign at once
    k = mech_text("chatter",
                  "cotree: 1\n"
                  "bodies: {b: {mass: 1, inertia: 1}}\n"
                  "joints: {J: {type: prismatic, between: [ground, b], axis: x}}\n"
                  "forces: {f: {type: actuator, joint: J, value: \"-1e3*sign(J')*(1 + t) + 1\"}}\n"
                  "initial: {J: [0, 1e-2]}\n",
                  NULL);
    assert_made(&k);
    assert_int_equal(run_rows(&k, &(run_settings){.integrator = "cvode"}, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "cvode makes no progress because of 'J'"));
    table_clear(&t);
    mech_clear(&k);
    // friction that lets the body stick: the force changes its sign faster than steps can follow,
    // and rk4 stands in
    k = mech_text("stick",
                  "cotree: 1\n"
                  "bodies: {b: {mass: 1, inertia: 1}}\n"
                  "joints: {J: {type: prismatic, between: [ground, b], axis: x}}\n"
                  "forces: {f: {type: actuator, joint: J, value: \"-9*sign(J') + 1\"}}\n"
                  "initial: {J: [0, 1]}\n"
                  "simulate: {time: 0.5, step: 1e-3}\n",
                  NULL);
    assert_made(&k);
    assert_int_equal(run_rows(&k, &(run_settings){.integrator = "cvode"}, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "at t = 0.125 cvode stopped because of 'J'"));
    assert_true(t.n > 120); // it comes to rest after 0.125 s
    table_clear(&t);
    ct_messages_clear(k.ctx);
    ct_run_summary summary;
    t = run_mech(&k, &(run_settings){0}, &summary);
    assert_true(has_message(k.ctx, "warning: at t = ") && has_message(k.ctx, "rk4 stands"));
    assert_string_equal(summary.integrator, "rk4");
    assert_true(t.n == 501 && summary.local_error > 1e-3);
    assert_near(table_last(&t, "J"), 0.0625, 1e-3);
    table_clear(&t);
    mech_clear(&k);
}

// a scan ----------------------------------------------------------------------------------------
// Largest difference of a column, in parts of its largest value.
static double off_by(const table *have, const table *want) {
    double worst = have->n == want->n ? 0 : INFINITY;
    for (int c = 1; have->n == want->n && c < want->columns; c++) {
        double size = 0, off = 0;
        for (int i = 0; i < want->n; i++) {
            size = fmax(size, fabs(table_at(want, i, c)));
            off = fmax(off, fabs(table_at(have, i, c) - table_at(want, i, c)));
        }
        if (size > 0) worst = fmax(worst, off / size);
    }
    return worst;
}

// Returns 1 if a run is off and says nothing. Errors of a named integrator add up over the periods
// of an oscillation, and their sum is an estimate: twice of what auto accepts.
static int is_silent(mech *k, const table *want, const char *integrator, double step) {
    table have;
    ct_run_summary summary = {0};
    ct_messages_clear(k->ctx);
    run_settings w = {.integrator = integrator, .step = step, .time = 0.3, .output_step = 0.03};
    ct_status status = run_rows(k, &w, &have, &summary);
    bool chosen = !strcmp(integrator, "auto"), said = has_message(k->ctx, "warning");
    double off = off_by(&have, want), limit = chosen ? 1e-2 : 2e-2;
    bool bad = status ? chosen || status != CT_NUMERICS : off > limit && !said;
    if (bad)
        print_error("%s, step %g: off by %.2g, local error %.2g, energy %.2g, status %d\n",
                    integrator, step, off, summary.local_error, summary.energy_drift, status);
    table_clear(&have);
    return bad;
}

// Stiff and soft, damped and not, with short and long steps.
static void nothing_is_silently_wrong(void **state) {
    (void)state;
    static const double stiffness[] = {10, 1e3, 1e5}, damping[] = {0, 30}, gains[] = {0.01, 0.9},
                        steps[] = {3e-4, 1e-3, 3e-3, 0.01, 0.03};
    static const char *const integrators[] = {"auto", "rk4", "ab4", "rk2", "euler"};
    int wrong = 0;
    for (int i = 0; i < 8; i++) {
        mech k =
            i < 6 ? model(ARM, stiffness[i / 2], damping[i % 2]) : model(WIPER, gains[i - 6], 0);
        run_settings tight = {
            .integrator = "cvode", .time = 0.3, .output_step = 0.03, .rtol = 1e-12, .atol = 1e-14};
        table want = run_mech(&k, &tight, NULL);
        for (int s = 0; s < 5; s++)
            for (int j = 0; j < 5; j++) {
                int silent = is_silent(&k, &want, integrators[j], steps[s]);
                if (silent) print_error("  in model %d\n", i);
                wrong += silent;
            }
        table_clear(&want);
        mech_clear(&k);
    }
    assert_int_equal(wrong, 0);
}

// A vibration over many periods that a motion excites: no step is bad, no energy is kept, but rk4
// would be late.
static void vibrations_add_up(void **state) {
    (void)state;
    mech k = mech_text("shaken",
                       "cotree: 1\n"
                       "bodies: {base: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
                       "joints:\n"
                       "  B: {type: prismatic, between: [ground, base], axis: x}\n"
                       "  J: {type: prismatic, between: [base, b], axis: x}\n"
                       "forces: {f: {type: torsion, joint: J, stiffness: 9e4}}\n"
                       "motions: {B: 0.1*sin(10*t)}\n"
                       "initial: {J: [0.01, 0]}\n"
                       "simulate: {time: 3, step: 1e-3, output_step: 0.1}\n",
                       NULL);
    assert_made(&k);
    ct_run_summary summary;
    table tight = run_mech(&k, &(run_settings){.integrator = "cvode", .rtol = 1e-12}, NULL);
    table rk4 = run_mech(&k, &(run_settings){.integrator = "rk4"}, &summary);
    assert_true(summary.local_error < 1e-3 && isnan(summary.energy_drift));
    assert_true(has_message(k.ctx, "warning: at t = 3 the steps of 0.001 s are too long for rk4"));
    ct_messages_clear(k.ctx);
    table chosen = run_mech(&k, &(run_settings){0}, &summary);
    assert_string_equal(summary.integrator, "cvode");
    assert_true(has_message(k.ctx, "their errors add up to"));
    assert_true(off_by(&rk4, &tight) > 2e-2);
    assert_true(off_by(&chosen, &tight) < 1e-3);
    table_clear(&tight);
    table_clear(&rk4);
    table_clear(&chosen);
    mech_clear(&k);
}

// Swings over many periods: rk2 is late by 6 % of the way of three radians, while no step is
// bad and the energy holds.
static void swings_add_up(void **state) {
    (void)state;
    mech k = mech_file(CT_MODELS_DIR "/pendulum.yaml", NULL);
    assert_made(&k);
    const run_settings fine = {.integrator = "rk4", .time = 200, .step = 2e-3, .output_step = 200};
    table want = run_mech(&k, &fine, NULL);
    static const double steps[] = {0.01, 0.0025};
    for (int i = 0; i < 2; i++) {
        ct_messages_clear(k.ctx);
        ct_run_summary summary;
        const run_settings w = {
            .integrator = "rk2", .time = 200, .step = steps[i], .output_step = 200};
        table have = run_mech(&k, &w, &summary);
        assert_true(summary.local_error < 1e-3 && summary.energy_drift < 1e-2);
        double late = fabs(table_last(&have, "swing") - table_last(&want, "swing"));
        assert_true((late > 0.02 * 3) == !i);
        assert_true(has_message(k.ctx, "their errors add up to") == !i);
        table_clear(&have);
    }
    table_clear(&want);
    mech_clear(&k);
}

// rows that wait --------------------------------------------------------------------------------
typedef struct stopper {
    int rows;
    volatile sig_atomic_t *stop;
} stopper;

static int count_row(void *data, int n, const double *values) {
    (void)n, (void)values;
    ((stopper *)data)->rows++;
    return 0;
}

static void stop_early(void *data, const ct_progress *p) {
    stopper *s = data;
    if (p->share > 0) *s->stop = 1;
}

// A run that is stopped while its rows wait hands them over.
static void a_stop_keeps_rows(void **state) {
    (void)state;
    mech k = model(ARM, 10, 0);
    volatile sig_atomic_t stop = 0;
    stopper s = {.stop = &stop};
    ct_run_options o;
    ct_run_options_init(&o);
    o.time = 1e4;
    o.row = count_row;
    o.row_data = &s;
    o.stop = &stop;
    ct_set_progress(k.ctx, stop_early, &s);
    ct_run_summary summary;
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_INTERRUPTED);
    assert_true(s.rows > 1 && summary.interrupted && summary.time < 1e4);
    mech_clear(&k);
}

// A caller that takes no more rows ends the run.
static int refuse_row(void *data, int n, const double *values) {
    (void)n, (void)values;
    return ++*(int *)data == 3;
}

static void a_row_may_be_refused(void **state) {
    (void)state;
    mech k = model(ARM, 10, 0);
    int rows = 0;
    ct_run_options o;
    ct_run_options_init(&o);
    o.row = refuse_row;
    o.row_data = &rows;
    ct_run_summary summary;
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_INTERNAL);
    assert_int_equal(rows, 3);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_right),
        cmocka_unit_test(worthless_runs_fail),
        cmocka_unit_test(long_steps_are_warned_of),
        cmocka_unit_test(cvode_makes_progress),
        cmocka_unit_test(nothing_is_silently_wrong),
        cmocka_unit_test(vibrations_add_up),
        cmocka_unit_test(swings_add_up),
        cmocka_unit_test(a_stop_keeps_rows),
        cmocka_unit_test(a_row_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
