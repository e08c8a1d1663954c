// Events: joints that come and go, forces that switch, motions whose rates jump. Against closed forms,
// the balance of energy and momentum, other methods, and limits of smooth motions.
#include "harness.h"

#include <stdarg.h>

// A text with values in it, until eight more were made.
static const char *filled(const char *format, ...) {
    enum { TEXTS = 8, LONG = 4096 };
    static char text[TEXTS][LONG];
    static int next;
    char *to = text[next++ % TEXTS];
    va_list values;
    va_start(values, format);
    assert_true(vsnprintf(to, LONG, format, values) < LONG);
    va_end(values);
    return to;
}

// Methods with an integrator that each of them takes.
static const run_settings ways[] = {
    {.method = "partition", .integrator = "rk4"},
    {.method = "newton", .integrator = "rk4"},
    {.method = "augmented", .integrator = "rk4"},
    {.method = "baumgarte", .integrator = "rk4"},
    {.method = "penalty", .integrator = "rk4"},
    {.method = "partition", .integrator = "ab4"},
    {.method = "partition", .integrator = "cvode"},
    {.method = "hybrid", .integrator = "trapezoid"},
    {.method = "hybrid", .integrator = "hht"},
    {.method = "hybrid", .integrator = "generalized-alpha"},
    {.method = "semi-recursive", .integrator = "trapezoid"},
    {.method = "global", .integrator = "trapezoid"},
    {.method = "recursive", .integrator = "trapezoid"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool is_implicit(const run_settings *w) {
    return !strcmp(w->integrator ? w->integrator : "", "trapezoid") || !strcmp(w->method, "hybrid");
}

// closed forms ------------------------------------------------------------------------------------
// The bar that a pin catches turns at 1.5 rad/s, has lost 1/8 J, and flies on at 0.75 m/s.
static void a_caught_bar_turns_and_flies_on(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        run_settings w = ways[i];
        ct_run_summary summary;
        mech k = mech_model("caught_bar", NULL);
        assert_made(&k);
        w.output_step = 0.25;
        if (is_implicit(&w)) w.step = 1e-4;
        table t = run_mech(&k, &w, &summary);
        const double tolerance = is_implicit(&w) ? 1e-7 : 1e-6;
        assert_near(table_at(&t, 1, table_column(&t, "fly.angle'")), 1.5, 1e-13);
        assert_near(table_last(&t, "fly.angle'"), 1.5, tolerance);
        assert_near(table_last(&t, "speed"), 0.75, tolerance);
        assert_near(summary.impact_loss, 0.125, 1e-13);
        assert_int_equal(summary.n_events, 2);
        assert_string_equal(summary.events[0].joint, "pin");
        assert_true(summary.events[0].becomes && !summary.events[1].becomes);
        assert_true(summary.events[0].time == 0.25 && summary.events[1].time == 1.5);
        assert_near(summary.events[0].loss, 0.125, 1e-13);
        assert_true(summary.energy_drift < (is_implicit(&w) ? 1e-7 : 1e-6));
        // right-continuous
        const int active = table_column(&t, "active.pin");
        assert_true(table_at(&t, 0, active) == 0 && table_at(&t, 1, active) == 1);
        assert_true(table_at(&t, 5, active) == 1 && table_at(&t, 6, active) == 0);
        table_clear(&t);
        mech_clear(&k);
    }
}

static const char rope[] =
    "cotree: 1\ngravity: [0, -9.81, 0]\n"
    "bodies: {ball: {mass: 2, inertia: 0.01}}\n"
    "joints:\n"
    "  fly: {type: planar, between: [ground, ball], axis: z}\n"
    "  rope: {type: link, between: [ground, ball], at: [[0, 0, 0], [0, 0, 0]], length: 0.5,\n"
    "    active: \"%s\", attach: %s}\n"
    "initial: {fly.x: [0.3, 0], fly.y: [0, 0], fly.angle: [0, 0]}\n"
    "simulate: {time: 0.7, step: 1e-2, output_step: 0.7}\n";

// A ball falls until its rope is taut: sqrt(2 y / g), whatever the step is, and the rope takes the
// velocity along it.
static void a_condition_of_the_state_is_located(void **state) {
    (void)state;
    const double fall = sqrt(2 * 0.4 / 9.81), v = 9.81 * fall, lost = v * 0.8;
    const char *text = filled(rope, "if(held, 1, x(ball)^2 + y(ball)^2 >= 0.25)", "closed");
    for (int i = 0; i < WAYS; i++) {
        ct_run_summary summary;
        mech k = mech_text("rope", text, NULL);
        assert_made(&k);
        table t = run_mech(&k, &ways[i], &summary);
        assert_int_equal(summary.n_events, 1);
        assert_near(summary.events[0].time, fall, 1e-10);
        assert_near(summary.impact_loss, lost * lost, 1e-8); // m/2 v^2, m = 2
        assert_int_equal(summary.late_events, 0);
        table_clear(&t);
        mech_clear(&k);
    }
}

// Without dividing steps the event waits for the end of one.
static void events_may_wait_for_the_end_of_a_step(void **state) {
    (void)state;
    table t = {0};
    ct_run_summary summary;
    mech k =
        mech_text("rope", filled(rope, "if(held, 1, x(ball)^2 + y(ball)^2 >= 0.25)", "here"), NULL);
    ct_run_options o = run_options(&(run_settings){0}, &t);
    assert_made(&k);
    o.events = "step";
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_OK);
    assert_near(summary.events[0].time, 0.29, 1e-12);
    table_clear(&t);
    mech_clear(&k);
}

// balances ----------------------------------------------------------------------------------------
static const char flight[] =
    "cotree: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.2, 0.25], com: [0.1, 0, 0.05], points: {P: [0.5, 0.1, 0]}}\n"
    "  b: {mass: 1, inertia: [0.05, 0.06, 0.04], com: [0.3, 0, 0.1], points: {Q: [0.6, 0, 0.1]}}\n"
    "joints:\n"
    "  F: {type: free, between: [ground, a]}\n"
    "  S: {type: spherical, between: [a, b], at: [P, [0, 0, 0]]}\n"
    "  hold: {%s, active: (t >= 0.1003)*(t < 0.2), attach: here}\n"
    "  tie: {type: link, between: [ground, a], at: [[0, 0, 1], P], active: t > 0.15, attach: "
    "here}\n"
    "initial: {F.x: [0, 1], F.y: [0, 0.5], F.z: [0, 2], F.1: [0.1, 1], F.2: [0.2, -2], F.3: [0, "
    "3],\n"
    "          S.1: [0.3, 1], S.2: [-0.2, 2], S.3: [0, -1]}\n"
    "simulate: {time: 0.3, step: 5e-4, output_step: 0.1}\n";
// Every type of joint and constraint between bodies, with rows of every kind.
static const char *const types[] = {
    "type: spherical, between: [ground, b], at: [[0, 0, 0], Q]",
    "type: revolute, between: [ground, b], at: [[0, 0, 0], Q], axis: [1, 1, 0]",
    "type: universal, between: [a, b], at: [[0, 0, 0], Q], axes: [x, y]",
    "type: prismatic, between: [ground, b], at: [[0, 0, 0], Q], axis: y",
    "type: cylindrical, between: [b, a], axis: z",
    "type: planar, between: [ground, b], axis: x",
    "type: point, between: [ground, b]",
    "type: fixed, between: [a, b]",
    "type: link, between: [a, b], at: [[0, 0, 0], Q], length: 1",
    "type: inline, between: [ground, b], at: [[0, 0, 0], Q], axis: [0, 1, 1]",
    "type: inplane, between: [b, ground], at: [[0, 0, 0], [1, 0, 0]], axis: z",
    "type: parallel, between: [ground, a], axis: [1, 0, 1]",
    "type: perpendicular, between: [a, b], axes: [x, y]",
    "type: gear, joints: [F.x, F.y], ratio: 2",
    "type: constraint, equation: \"F.x + 0.5*F.z - 0.1*t\"",
};

// Energy less work and losses stays, and methods agree, through events of every type of joint.
static void energy_balances_through_events_of_every_joint(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const bool moves = strstr(types[i], "*t") != NULL;
        mech k = mech_text("flight", filled(flight, types[i]), NULL);
        table t[3];
        static const char *const methods[] = {"partition", "augmented", "hybrid"};
        assert_made(&k);
        for (int j = 0; j < 3; j++) {
            ct_run_summary summary;
            t[j] = run_mech(&k, &(run_settings){.method = methods[j]}, &summary);
            assert_int_equal(summary.n_events, 3);
            assert_true(summary.impact_loss > 0 && summary.events[1].loss >= 0);
            if (!moves) assert_true(summary.energy_drift < (j < 2 ? 1e-8 : 1e-5));
            for (int c = 0; c < t[j].columns && j; c++)
                assert_near(table_at(&t[j], t[j].n - 1, c), table_at(&t[0], t[0].n - 1, c),
                            j < 2 ? 1e-7 : 2e-4);
        }
        for (int j = 0; j < 3; j++) table_clear(&t[j]);
        mech_clear(&k);
    }
}

// Momentum of every body: two balls in flight that become one joint exchange an impulse J at its
// point. Each body has changed its momentum by J, and its spin by the moment of J.
static void impulses_balance_the_momentum_of_every_body(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\ngravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], points: {P: [0.5, 0.1, 0]}}\n"
        "  b: {mass: 1, inertia: [0.05, 0.05, 0.05], points: {Q: [0.1, 0.2, -0.3]}}\n"
        "joints:\n"
        "  F: {type: free, between: [ground, a]}\n"
        "  G: {type: free, between: [ground, b]}\n"
        "  catch: {type: spherical, between: [a, b], at: [P, Q], active: t >= 0.1, attach: here}\n"
        "initial: {F.x: [0, 1], F.y: [0, 0.5], F.z: [0, 2], F.1: [0.1, 1], F.2: [0.2, -2], F.3: "
        "[0, 3],\n"
        "  G.x: [1, -1], G.y: [0.2, 0], G.z: [0, 1], G.1: [0, 2], G.2: [0.3, 1], G.3: [0, -1]}\n"
        "outputs: {ax: x(a), ay: y(a), az: z(a), bx: x(b), by: y(b), bz: z(b),\n"
        "  aux: vx(a), auy: vy(a), auz: vz(a), bux: vx(b), buy: vy(b), buz: vz(b),\n"
        "  awx: wx(a), awy: wy(a), awz: wz(a), bwx: wx(b), bwy: wy(b), bwz: wz(b),\n"
        "  qx: x(b.Q), qy: y(b.Q), qz: z(b.Q)}\n"
        "simulate: {time: 0.2, step: 1e-2, output_step: 0.1}\n";
    static const char *const part[] = {"x", "y", "z"};
    mech k = mech_text("catch", text, NULL);
    assert_made(&k);
    // before: the same flight without the joint, whose velocities and spins (of spheres) stay
    table t = run_mech(&k, &(run_settings){.method = "partition", .integrator = "rk4"}, NULL);
    double j[3], arm[2][3], dw[2][3];
    for (int i = 0; i < 3; i++) {
        double dv[2];
        for (int s = 0; s < 2; s++) {
            const char *body = s ? "b" : "a";
            int v = table_column(&t, filled("%su%s", body, part[i])),
                w = table_column(&t, filled("%sw%s", body, part[i]));
            dv[s] = table_at(&t, 1, v) - table_at(&t, 0, v);
            dw[s][i] = table_at(&t, 1, w) - table_at(&t, 0, w);
            arm[s][i] = table_at(&t, 1, table_column(&t, filled("q%s", part[i]))) -
                        table_at(&t, 1, table_column(&t, filled("%s%s", body, part[i])));
        }
        j[i] = dv[1] * 1;
        assert_near(2 * dv[0], -j[i], 1e-12);
    }
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++) {
            const int m = (i + 1) % 3, n = (i + 2) % 3;
            const double moment = arm[s][m] * j[n] - arm[s][n] * j[m];
            assert_near((s ? 0.05 : 0.1) * dw[s][i], s ? moment : -moment, 1e-12);
        }
    assert_true(fabs(j[0]) > 0.1);
    table_clear(&t);
    mech_clear(&k);
}

// motions and forces ------------------------------------------------------------------------------
static const char arm[] =
    "cotree: 1\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {P: [1, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: 0.1, com: [0.3, 0, 0]}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, arm], axis: z}\n"
    "  A: {type: revolute, between: [arm, bob], at: [P, [0, 0, 0]], axis: z}\n"
    "motions: {O: \"%s\"}\ninitial: {A: [0.3, 0]}\n"
    "simulate: {time: 1, step: 1e-4, output_step: 1}\n";

static void end_of_arm(const char *motion, const run_settings *w, double *angle, double *rate) {
    mech k = mech_text("arm", filled(arm, motion), NULL);
    assert_made(&k);
    table t = run_mech(&k, w, NULL);
    *angle = table_last(&t, "A");
    *rate = table_last(&t, "A'");
    table_clear(&t);
    mech_clear(&k);
}

// A kink is the limit of smooth ramps, extrapolated from three of them.
static void a_kink_is_the_limit_of_smooth_ramps(void **state) {
    (void)state;
    double angle[3], rate[3], a, b;
    static const char *const width[] = {"1e-4", "5e-5", "2.5e-5"};
    for (int i = 0; i < 3; i++)
        end_of_arm(filled("0.5*(t + 0.5 - sqrt((t - 0.5)^2 + %s^2))", width[i]),
                   &(run_settings){.integrator = "cvode", .rtol = 1e-13, .atol = 1e-15}, angle + i,
                   rate + i);
    const double limit = (8 * angle[2] - 6 * angle[1] + angle[0]) / 3,
                 rate_limit = (8 * rate[2] - 6 * rate[1] + rate[0]) / 3;
    // the last two jump in two parts, with a value of their own at the kink
    static const char *const kinks[] = {
        "min(t, 0.5)", "if(t < 0.5, t, 0.5)", "0.5*(t + 0.5 - abs(t - 0.5))",
        "abs(t - 0.5)/2 + if(t < 0.5, 1.5*t - 0.25, 0.5 - t/2 + 0.25)",
        "abs(t - 0.5)/4 + if(t < 0.5, 1.25*t, 0.75 - t/4) - 0.125"};
    for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++) {
        end_of_arm(kinks[i], &(run_settings){.integrator = "rk4"}, &a, &b);
        assert_near(a, limit, 1e-8);
        assert_near(b, rate_limit, 1e-8);
    }
    // where no step is divided for events
    mech k = mech_text("arm", filled(arm, "min(t, 0.5)"), NULL);
    assert_made(&k);
    table t = {0};
    ct_run_options o = run_options(&(run_settings){.integrator = "rk4"}, &t);
    o.events = "step";
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_OK);
    assert_near(t.value[t.n * t.columns - 1], rate_limit, 1e-8);
    table_clear(&t);
    mech_clear(&k);
    // by every method, the closed ones too
    static const char *const closed[] = {"triangular", "newton-loops"};
    for (int i = 0; i < WAYS + 2; i++) {
        run_settings w = i < WAYS ? ways[i] : (run_settings){.method = closed[i - WAYS]};
        end_of_arm("min(t, 0.5)", &w, &a, &b);
        assert_near(a, limit, 1e-7);
        assert_near(b, rate_limit, 1e-7);
    }
}

// The same kink by an input that follows an expression, or rows of a file.
static void a_kink_may_come_from_an_input(void **state) {
    (void)state;
    double angle, rate;
    end_of_arm("min(t, 0.5)", &(run_settings){.integrator = "rk4"}, &angle, &rate);
    for (int from_file = 0; from_file < 2; from_file++) {
        char *folder = temporary_folder();
        const char *path = filled("%s/rows.csv", folder);
        mech k = {.ctx = ct_context_new()};
        char text[2048];
        snprintf(text, sizeof text, "%sinputs: {drive: 0}\n", filled(arm, "drive"));
        assert_int_equal(ct_model_read_text(k.ctx, "arm", text, strlen(text), 0, NULL, &k.model),
                         CT_OK);
        FILE *file = fopen(path, "w");
        fputs("t,drive\n0,0\n0.25,0.25\n0.5,0.5\n", file);
        fclose(file);
        k.status = from_file ? ct_input_file(k.ctx, k.model, path, false)
                             : ct_input_expression(k.ctx, k.model, "drive=min(t, 0.5)");
        assert_int_equal(k.status, CT_OK);
        mech_continue(&k, NULL);
        assert_made(&k);
        table t = run_mech(&k, &(run_settings){.integrator = "rk4"}, NULL);
        assert_near(table_last(&t, "A"), angle, 1e-9);
        assert_near(table_last(&t, "A'"), rate, 1e-9);
        table_clear(&t);
        mech_clear(&k);
        remove_folder(folder);
    }
}

static const char switching[] =
    "cotree: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {P: [1, 0, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, com: [0.3, 0, 0]}\n"
    "inputs: {push: 1}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, a], axis: z}\n"
    "  A: {type: revolute, between: [a, b], at: [P, [0, 0, 0]], axis: z}\n"
    "forces:\n"
    "  f: {type: actuator, joint: O, value: \"if(t < 0.5123, 3*A*push, -2*sin(t))\"}\n"
    "  g: {type: actuator, joint: A, value: \"max(0, t - 0.77)*5 + (t > 0.3)*abs(t - 0.61)\"}\n"
    "initial: {O: 0.3, A: [0.3, 0]}\n"
    "simulate: {time: 1, output_step: 1}\n";

static double error_of(mech *k, const run_settings *w, const table *want) {
    table t = run_mech(k, w, NULL);
    double worst = 0;
    for (int c = 1; c < t.columns; c++)
        worst = fmax(worst, fabs(table_last(&t, t.names[c]) - table_last(want, t.names[c])));
    table_clear(&t);
    return worst;
}

// The order of integrators stays where forces switch: 4 for rk4, 2 for implicit ones.
static void switching_forces_keep_the_order(void **state) {
    (void)state;
    mech k = mech_text("switching", switching, NULL);
    assert_made(&k);
    table want =
        run_mech(&k, &(run_settings){.integrator = "cvode", .rtol = 1e-13, .atol = 1e-15}, NULL);
    static const char *const methods[] = {"partition", "triangular", "augmented"};
    for (int i = 0; i < 3; i++) {
        run_settings w = {.method = methods[i], .integrator = "rk4", .step = 5e-3};
        const double coarse = error_of(&k, &w, &want);
        w.step /= 2;
        const double fine = error_of(&k, &w, &want);
        assert_true(coarse > 12 * fine && coarse < 1e-8);
    }
    static const char *const integrators[] = {"trapezoid", "hht", "generalized-alpha"};
    for (int i = 0; i < 6; i++) {
        run_settings w = {.method = i < 3 ? "hybrid" : "semi-recursive",
                          .integrator = integrators[i % 3],
                          .step = 2.5e-3};
        const double coarse = error_of(&k, &w, &want);
        w.step /= 2;
        const double ratio = coarse / error_of(&k, &w, &want);
        assert_true(ratio > 3.4 && ratio < 4.6);
    }
    table_clear(&want);
    mech_clear(&k);
}

// gaps and failures -------------------------------------------------------------------------------
static const char gap[] =
    "cotree: 1\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: 0.01, com: [0.3, 0, 0], points: {P: [0.6, 0, 0]}}\n"
    "  b: {mass: 1, inertia: 0.01, com: [0.3, 0, 0], points: {P: [0.5, 0.001, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, a], axis: z}\n"
    "  Q: {type: revolute, between: [ground, b], at: [[0.1, 0, 0], [0, 0, 0]], axis: z}\n"
    "  lock: {type: inline, between: [a, b], at: P, axis: x, active: t >= 0.1, gap: %s}\n"
    "initial: {O: 0.2, Q: 0.2}\nsimulate: {time: 0.2, step: 1e-2}\n";

// A gap is closed where the joint may, and is else an error that names joint, time and gap.
static void gaps_are_closed_or_refused(void **state) {
    (void)state;
    ct_run_summary summary;
    mech k = mech_text("gap", filled(gap, "0.05"), NULL);
    assert_made(&k);
    table t = run_mech(&k, &(run_settings){.method = "partition"}, &summary);
    assert_true(summary.events[0].gap > 1e-3 && summary.events[0].gap < 0.05);
    assert_true(summary.max_residual < 1e-10);
    table_clear(&t);
    mech_clear(&k);
    k = mech_text("gap", filled(gap, "0"), NULL);
    assert_made(&k);
    assert_int_equal(run_rows(&k, &(run_settings){.method = "partition"}, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "at t = 0.1 joint 'lock' becomes active and stands open by"));
    table_clear(&t);
    mech_clear(&k);
    // a condition that its own joint changes
    k = mech_text("rope", filled(rope, "1 - held", "here"), NULL);
    assert_made(&k);
    assert_int_equal(run_rows(&k, &(run_settings){.method = "partition"}, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "joint 'rope' comes and goes 64 times within 8 steps"));
    table_clear(&t);
    mech_clear(&k);
}

// A joint that holds from the start belongs to the initial position, and takes no impulse.
static void a_joint_that_holds_from_the_start_is_assembled(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.02, com: [0.1, 0, 0], points: {P: [0.2, 0, 0]}}\n"
        "  b: {mass: 1, inertia: 0.03, com: [0.25, 0, 0], points: {Q: [0.5, 0, 0]}}\n"
        "  c: {mass: 1, inertia: 0.02, com: [0.2, 0, 0], points: {Q: [0.4, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: z}\n"
        "  B: {type: revolute, between: [a, b], at: [P, [0, 0, 0]], axis: z}\n"
        "  D: {type: revolute, between: [ground, c], at: [[0.5, 0, 0], [0, 0, 0]], axis: z}\n"
        "  C: {type: revolute, between: [b, c], at: Q, axis: z%s}\n"
        "initial: {A: [1, 2]}\nguess: {B: -0.5, D: 1.5}\n"
        "simulate: {time: 0.4, step: 1e-3, output_step: 0.2}\n";
    ct_check_info info;
    ct_run_summary summary;
    mech whole = mech_text("whole", filled(text, ""), NULL),
         k = mech_text("breaks", filled(text, ", active: t < 0.4"), NULL);
    assert_made(&whole);
    assert_made(&k);
    assert_int_equal(ct_check(k.ctx, k.s, &info), CT_OK);
    assert_int_equal(info.dof, 1);
    assert_int_equal(info.joints, 4);
    table want = run_mech(&whole, &(run_settings){0}, NULL),
          t = run_mech(&k, &(run_settings){0}, &summary);
    assert_int_equal(summary.n_events, 1);
    assert_true(summary.impact_loss == 0);
    assert_true(has_message(k.ctx, "method partition takes the place of triangular"));
    static const char *const same[] = {"A", "B", "D", "A'", "B'", "D'"};
    for (int i = 0; i < 6; i++)
        assert_near(table_last(&t, same[i]), table_last(&want, same[i]), 1e-9);
    table_clear(&want);
    table_clear(&t);
    mech_clear(&whole);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_caught_bar_turns_and_flies_on),
        cmocka_unit_test(a_condition_of_the_state_is_located),
        cmocka_unit_test(events_may_wait_for_the_end_of_a_step),
        cmocka_unit_test(energy_balances_through_events_of_every_joint),
        cmocka_unit_test(impulses_balance_the_momentum_of_every_body),
        cmocka_unit_test(a_kink_is_the_limit_of_smooth_ramps),
        cmocka_unit_test(a_kink_may_come_from_an_input),
        cmocka_unit_test(switching_forces_keep_the_order),
        cmocka_unit_test(gaps_are_closed_or_refused),
        cmocka_unit_test(a_joint_that_holds_from_the_start_is_assembled),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
