// Limit positions of a closure: passed again and again, told once, with the energy kept; not seen
// where there are none, however coarse the steps; and the ends of driven motions.
#include "closure/closure_runs.h"

#include "kernel/ctk_internal.h"

static const char turning[] = "initial: {O: [1, -4]}\nguess: {A: -1.5, B: 0.5, slide: 0.6}\n";
static const char swinging[] = "initial: {O: [-0.25, 0]}\nguess: {A: 0.5, B: -0.2, slide: 0.7}\n";

static mech made_of(const char *more, const char *end) {
    char *text = ct_format("%s%s%s\n", slider_crank, more, end);
    mech k = mech_text("slider", text, NULL);
    ct_free(text);
    assert_made(&k);
    return k;
}

static mech by_slide(const char *more) {
    return made_of(more, "independent: [slide]");
}

// passing -----------------------------------------------------------------------------------------
// The crank turns round and round, which the slide describes for half a turn only. Reference: the
// crank is independent, and there is no limit.
static void passed_many_times(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double step, drift, off;
    } cases[] = {{"rk4", 1e-3, 1e-6, 1e-3},
                 {"rk4", 2e-4, 1e-8, 1e-5},
                 {"ab4", 2e-4, 1e-6, 1e-4},
                 {"cvode", 1e-2, 1e-6, 1e-3}};
    for (int i = 0; i < 4; i++) {
        mech k = by_slide(turning), plain = made_of(turning, "independent: [O]");
        run_settings w = {.integrator = cases[i].integrator,
                          .time = 5,
                          .step = cases[i].step,
                          .output_step = 0.05};
        ct_run_summary have, want;
        table a = run_mech(&k, &w, &have);
        w = (run_settings){.integrator = "rk4", .time = 5, .step = 1e-4, .output_step = 0.05};
        table b = run_mech(&plain, &w, &want);
        double turns = fabs(table_last(&b, "O") - 1) / 3.14159265358979;
        print_message("%s %g: %d times, %d branches, drift %.1e, off %.1e\n", cases[i].integrator,
                      cases[i].step, have.limits, have.branch_changes, have.energy_drift,
                      largest_difference(&a, &b));
        assert_int_equal(want.limits, 0);
        assert_true(have.limits >= 10 && fabs(have.limits - turns) < 2);
        assert_int_equal(have.branch_changes, have.limits);
        assert_true(have.energy_drift < cases[i].drift);
        assert_true(have.max_residual < 1e-11);
        assert_true(largest_difference(&a, &b) < cases[i].off);
        // told once
        assert_int_equal(ct_message_count(k.ctx), 1);
        assert_true(has_message(k.ctx, "at joint 'O' comes close to a limit position"));
        assert_string_equal(have.method, "triangular, partition at limit positions");
        table_clear(&a);
        table_clear(&b);
        mech_clear(&k);
        mech_clear(&plain);
    }
}

// A model whose limit positions are met by its own motion.
static void five_bar(void **state) {
    (void)state;
    mech k = mech_model("five_bar", NULL);
    assert_made(&k);
    run_settings w = {.time = 10, .step = 1e-3, .output_step = 0.1};
    ct_run_summary have;
    table t = run_mech(&k, &w, &have);
    assert_true(have.limits >= 5 && have.branch_changes >= 5);
    assert_true(have.energy_drift < 1e-7);
    assert_int_equal(ct_message_count(k.ctx), 1);
    table_clear(&t);
    mech_clear(&k);
}

// Chains of three or four links, on ground at both ends, that swing through limit positions of the
// coordinates which they are closed with.
static char *chain(bool four, double l1, double l2, double l3, double l4, double ground, double a,
                   double rate) {
    char *text = ct_format("cotree: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                           "  m1: {mass: 1, inertia: 0.01, com: [%g, 0, 0]}\n"
                           "  m2: {mass: 1.3, inertia: 0.01, com: [%g, 0, 0]}\n"
                           "  m3: {mass: 1.6, inertia: 0.01, com: [%g, 0, 0]}\n",
                           l1 / 2, l2 / 2, l3 / 2);
    char *more = ct_format(
        "%s%s%s"
        "  a: {type: revolute, between: [ground, m1], axis: z}\n"
        "  b: {type: revolute, between: [m1, m2], at: [[%g, 0, 0], [0, 0, 0]], axis: z}\n"
        "  c: {type: revolute, between: [m2, m3], at: [[%g, 0, 0], [%g, 0, 0]], axis: z}\n",
        text, four ? "  m4: {mass: 1.9, inertia: 0.01, com: [0.1, 0, 0]}\n" : "", "joints:\n", l1,
        l2, l3);
    char *last = ct_format(
        "  d: {type: revolute, between: [m4, m3], at: [[%g, 0, 0], [0, 0, 0]], axis: z}\n", l4);
    char *all = ct_format(
        "%s%s"
        "  e: {type: revolute, between: [ground, %s], at: [[%g, 0, 0], [0, 0, 0]], axis: z}\n"
        "initial: {a: [%g, %g]}\nguess: {b: %g, e: %g, c: 1.2%s}\n",
        more, four ? last : "", four ? "m4" : "m3", ground, a, rate, four ? 0.3 : -0.5,
        four ? 1.0 : 1.5, four ? ", d: 0.5" : "");
    ct_free(text);
    ct_free(more);
    ct_free(last);
    return all;
}

// Where a closed form with other coordinates is regular at a limit, it goes on: as accurately as
// partition all the way, with the same bits in a second run, by interpreted code, and told once.
static void other_coordinates(void **state) {
    (void)state;
    const double size[][7] = {{0.5, 0.538, 0.207, 0.515, 0.383, 1.66, -3.93},
                              {0.416, 0.471, 0.282, 0, 0.545, 1, 8.77},
                              {0.3, 0.5, 0.45, 0.25, 0.4, 1.2, 3}};
    for (int i = 0; i < 6; i++) {
        const double *x = size[i / 2];
        char *text = chain(x[3] > 0, x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
        mech k = mech_text("chain", text, NULL), again = mech_text("chain", text, NULL),
             plain = mech_text("chain", text, NULL);
        assert_made(&k);
        run_settings w = {.integrator = i % 2 ? "cvode" : "rk4",
                          .time = 1.5,
                          .step = 2e-4,
                          .output_step = 0.05,
                          .rtol = i % 2 ? 1e-11 : 0};
        ct_run_summary have, same, want;
        table a = run_mech(&k, &w, &have), c = run_mech(&again, &w, &same);
        w.method = "partition";
        table b = run_mech(&plain, &w, &want);
        print_message("%d: %d times, %d branches, drift %.1e and %.1e, off %.1e; %s\n", i,
                      have.limits, have.branch_changes, have.energy_drift, want.energy_drift,
                      largest_difference(&a, &b), have.method);
        assert_true(have.limits > 0);
        assert_true(!strncmp(have.method, "triangular, independent coordinates changed", 43));
        assert_true(have.energy_drift < 2 * want.energy_drift + 1e-9);
        assert_true(have.max_residual < 1e-12);
        assert_true(largest_difference(&a, &b) < 1e-5);
        assert_true(has_message(k.ctx, "going on with independent coordinates "));
        assert_true(largest_difference(&a, &c) == 0);
        assert_int_equal(same.limits, have.limits);
        table_clear(&a);
        table_clear(&b);
        table_clear(&c);
        mech_clear(&k);
        mech_clear(&again);
        mech_clear(&plain);
        ct_free(text);
    }
}

// Adapted steps shrink on the way to a limit position; they leave the closure before their errors count,
// however far apart rows are. Chains of all sizes, over several limits each.
static void energy_at_limits(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 6; i++) {
        double l[5];
        for (int j = 0; j < 5; j++) l[j] = 0.45 + 0.12 * noise(&seed);
        char *text = chain(true, l[0], l[1], l[2], l[3], 0.7 * l[4], 1.5, -3);
        run_settings w = {
            .integrator = "cvode", .time = 2, .output_step = 0.2, .rtol = 1e-12, .atol = 1e-12};
        for (int named = 0; named < 2; named++) {
            char *with = ct_format("%s%s", text, named ? "independent: [a, b]\n" : "");
            mech k = mech_text("chain", with, NULL);
            assert_made(&k);
            ct_run_summary have;
            table t = run_mech(&k, &w, &have);
            print_message("%d: %d times, drift %.1e; %s\n", i, have.limits, have.energy_drift,
                          have.method);
            assert_true(have.energy_drift < 1e-8);
            table_clear(&t);
            mech_clear(&k);
            ct_free(with);
        }
        ct_free(text);
    }
}

// Coordinates that the model names, and a method that is asked for, are kept at limits.
static void named_coordinates(void **state) {
    (void)state;
    char *text = chain(true, 0.5, 0.538, 0.207, 0.515, 0.383, 1.66, -3.93);
    char *named = ct_format("%sindependent: [a, e]\n", text);
    mech k = mech_text("chain", named, NULL), plain = mech_text("chain", text, NULL);
    run_settings w = {.time = 1.5, .step = 1e-3, .output_step = 0.05};
    ct_run_summary have;
    table a = run_mech(&k, &w, &have), b;
    assert_string_equal(have.method, "triangular, partition at limit positions");
    assert_false(has_message(k.ctx, "going on with independent coordinates"));
    w.method = "triangular";
    assert_int_equal(run_rows(&plain, &w, &b, NULL), CT_NUMERICS);
    table_clear(&a);
    table_clear(&b);
    mech_clear(&k);
    mech_clear(&plain);
    ct_free(named);
    ct_free(text);
}

// The start is a little way from a limit, in closed form or iterated.
static void close_start(void **state) {
    (void)state;
    static const double angles[] = {0.02, 0.1, 0.3};
    for (int i = 0; i < 6; i++) {
        char *start = ct_format("initial: {O: [%g, -1.5]}\nguess: {A: %g, B: %g, slide: 0.8}\n",
                                angles[i / 2], -1.6 * angles[i / 2], 0.6 * angles[i / 2]);
        mech k = by_slide(start), plain = made_of(start, "independent: [O]");
        if (i % 2) iterate_all(&k);
        run_settings w = {.time = 0.4, .step = 1e-3, .output_step = 0.02};
        ct_run_summary have;
        table a = run_mech(&k, &w, &have), b = run_mech(&plain, &w, NULL);
        print_message("%g %s: %d times, drift %.1e, off %.1e\n", angles[i / 2],
                      i % 2 ? "iterated" : "", have.limits, have.energy_drift,
                      largest_difference(&a, &b));
        assert_true(have.limits > 0);
        assert_true(have.energy_drift < 1e-8);
        assert_true(largest_difference(&a, &b) < 1e-7);
        table_clear(&a);
        table_clear(&b);
        mech_clear(&k);
        mech_clear(&plain);
        ct_free(start);
    }
}

// none there --------------------------------------------------------------------------------------
// It swings to a quarter of a radian from the dead point and back: a method that was asked for goes
// on, whatever the step, and as accurately as others do.
static void no_limit(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", NULL};
    static const double steps[] = {0.02, 0.01, 0.005, 0.001};
    for (int i = 0; i < 12; i++) {
        mech k = by_slide(swinging), plain = by_slide(swinging);
        run_settings w = {.method = methods[i / 4], .time = 5, .step = steps[i % 4]};
        w.output_step = 0.1;
        ct_run_summary have, want;
        table a = run_mech(&k, &w, &have);
        w.method = "partition";
        table b = run_mech(&plain, &w, &want);
        assert_int_equal(have.branch_changes, 0);
        assert_true(have.energy_drift < 20 * want.energy_drift);
        table_clear(&a);
        table_clear(&b);
        mech_clear(&k);
        mech_clear(&plain);
    }
}

// A method that was asked for ends right at a limit, and all before it is right.
static void ends_at_limit(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops"};
    static const double steps[] = {0.02, 0.005, 0.001};
    mech plain = made_of(turning, "independent: [O]");
    run_settings w = {.time = 0.3, .step = 1e-5, .output_step = 0.001};
    table b = run_mech(&plain, &w, NULL);
    double limit = 0; // where the crank is at 0
    for (int i = 1; i < b.n && !limit; i++)
        if (table_at(&b, i, table_column(&b, "O")) < 0) limit = table_at(&b, i, 0);
    for (int i = 0; i < 6; i++) {
        mech k = by_slide(turning);
        table a;
        double h = steps[i % 3];
        w = (run_settings){.method = methods[i / 3], .time = 2, .step = h, .output_step = h};
        assert_int_equal(run_rows(&k, &w, &a, NULL), CT_NUMERICS);
        double last = table_at(&a, a.n - 1, 0);
        print_message("%s %g: the limit is at %g, the end at %g\n", methods[i / 3], h, limit, last);
        assert_true(last < limit && last > limit - 2 * h - 1e-3);
        int row = (int)(last * 1000 + 0.5);
        for (int c = 1; c < a.columns; c++) {
            double have = table_at(&a, a.n - 1, c), want = table_at(&b, row, c);
            assert_true(difference(have, want) < 1e-3);
        }
        table_clear(&a);
        mech_clear(&k);
    }
    table_clear(&b);
    mech_clear(&plain);
}

// driven ------------------------------------------------------------------------------------------
static const char bent[] = "guess: {O: 0.5, A: -1, B: 0.5}";

// Drawn beyond its reach: step, joint and time, by either command, whoever chose the method.
static void out_of_reach(void **state) {
    (void)state;
    static const char *const methods[] = {NULL, "triangular"};
    for (int i = 0; i < 4; i++) {
        mech k = made_of("motions: {slide: 0.7 + 0.3*t}\n", bent);
        run_settings w = {.method = methods[i / 2],
                          .kinematics = i % 2,
                          .time = 0.5,
                          .step = 1e-3,
                          .output_step = 0.05};
        table t;
        assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
        assert_true(has_message(k.ctx, "error: at t = 0.333 step 'distance between crank and "
                                       "piston through rod' at joint 'O' has no solution: out of "
                                       "reach or a limit position; last valid state kept"));
        assert_false(has_message(k.ctx, "partition"));
        assert_int_equal(ct_message_count(k.ctx), 1);
        table_clear(&t);
        mech_clear(&k);
    }
}

// The same beside a freedom: partition cannot help either, and the step is named.
static void out_of_reach_beside_freedom(void **state) {
    (void)state;
    char *text = ct_format("%s  hang: {type: revolute, between: [piston, bob], axis: z}\n"
                           "motions: {slide: 0.7 + 0.3*t}\ninitial: {hang: [0.5, 0]}\n%s\n",
                           slider_crank, bent);
    char *with = ct_format("%.*s  bob: {mass: 0.1, inertia: 1e-4, com: [0, -0.1, 0]}\n%s",
                           (int)(strstr(text, "joints:") - text), text, strstr(text, "joints:"));
    mech k = mech_text("bob", with, NULL);
    assert_made(&k);
    run_settings w = {.time = 0.5, .step = 1e-3, .output_step = 0.05};
    table t;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "error: at t = 0.33"));
    assert_true(
        has_message(k.ctx, "piston through rod' at joint 'O' has no solution: out of reach"));
    table_clear(&t);
    mech_clear(&k);
    ct_free(text);
    ct_free(with);
}

// A slide that comes to the dead point and turns back leaves two ways to go on, wherever the steps
// fall; one that turns back before it does not.
static void dead_point_inside_of_a_step(void **state) {
    (void)state;
    static const double steps[] = {0.001, 0.0013, 0.05, 0.07};
    for (int i = 0; i < 8; i++) {
        mech k = made_of(i < 4 ? "motions: {slide: 0.8 - 0.1*(t - 1)^2}\n"
                               : "motions: {slide: 0.799 - 0.099*(t - 1)^2}\n",
                         bent);
        double h = steps[i % 4];
        run_settings w = {.kinematics = true, .time = 2, .step = h, .output_step = h};
        table t;
        ct_status status = run_rows(&k, &w, &t, NULL);
        assert_int_equal(status, i < 4 ? CT_NUMERICS : CT_OK);
        if (i < 4) assert_true(has_message(k.ctx, "at joint 'O' has no solution"));
        if (i < 4) assert_true(fabs(table_at(&t, t.n - 1, 0) - 1) <= 1.001 * h);
        for (int r = 0; r < t.n; r++) assert_true(table_at(&t, r, table_column(&t, "O")) > 0);
        table_clear(&t);
        mech_clear(&k);
    }
}

// Driven models: positions, velocities and accelerations as by Newton's iteration over all rows.
static void kinematics(void **state) {
    (void)state;
    static const char *const models[] = {"landing_gear", "stephenson3_beta", "stephenson3_theta",
                                         "kin_points", "kin_spatial"};
    static const char *const methods[] = {NULL, "newton-loops"};
    for (int i = 0; i < 10; i++) {
        mech k = mech_model(models[i / 2], NULL), plain = mech_model(models[i / 2], NULL);
        run_settings w = {.kinematics = true, .method = methods[i % 2]};
        ct_run_summary have, want;
        table a = run_mech(&k, &w, &have);
        w.method = "newton";
        table b = run_mech(&plain, &w, &want);
        assert_string_equal(have.method, i % 2 ? "newton-loops" : "triangular");
        assert_string_equal(want.method, "newton");
        assert_true(strstr(a.names[a.columns - 1], "''") || a.columns > 3 * k.model->n_coordinates);
        assert_true(largest_difference(&a, &b) < 1e-9);
        assert_true(have.max_residual < 1e-12);
        table_clear(&a);
        table_clear(&b);
        mech_clear(&k);
        mech_clear(&plain);
    }
}

static void kinematic_methods(void **state) {
    (void)state;
    mech k = made_of("motions: {slide: 0.7}\n", bent);
    run_settings w = {.kinematics = true, .method = "penalty"};
    table t;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_USAGE);
    assert_true(has_message(k.ctx, "has the methods triangular, newton-loops and newton"));
    table_clear(&t);
    mech_clear(&k);
}

// generated code ----------------------------------------------------------------------------------
// The program passes limits as `simulate` does.
static void generated(void **state) {
    (void)state;
    mech k = by_slide(turning);
    run_settings w = {.time = 1, .step = 1e-3, .output_step = 0.05};
    ct_run_summary summary;
    table want = run_mech(&k, &w, &summary), have = run_generated(&k, &w);
    assert_true(summary.limits >= 2);
    assert_true(largest_difference(&have, &want) < 1e-9);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
}

// A long model is compiled for its closure alone: at a limit, code with everything takes its place
// and goes on from the same state. Other methods are there when they are asked for.
static void long_model(void **state) {
    (void)state;
    mech k = mech_model("vehicle", NULL), plain = mech_model("vehicle", NULL);
    assert_made(&k);
    ct_run_options o;
    ct_run_options_init(&o);
    ct_runner r;
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    assert_null(r.code.model->dynamics);
    for (int i = 0; i < 5; i++) assert_int_equal(ctk_step(&r.sim, 1e-3), CTK_OK);
    assert_int_equal(ct_runner_look(&r, CT_LOOK_WHOLE), CT_OK);
    int n = r.code.model->n;
    double *q = ct_alloc((size_t)n, sizeof *q), t = r.sim.t;
    memcpy(q, r.sim.q, (size_t)n * sizeof *q);
    assert_true(ct_runner_complete(&r, CTK_NO_SOLUTION));
    assert_non_null(r.code.model->dynamics);
    assert_true(r.sim.t == t);
    for (int i = 0; i < n; i++) assert_near(r.sim.q[i], q[i], 1e-12);
    assert_int_equal(ctk_cross_limit(&r.sim), CTK_OK);
    assert_int_equal(ctk_step(&r.sim, 1e-3), CTK_OK);
    ct_free(q);
    ct_runner_close(&r);
    run_settings w = {.time = 0.005, .step = 1e-3, .output_step = 0.005};
    table a = run_mech(&k, &w, NULL);
    w.method = "augmented";
    table b = run_mech(&plain, &w, NULL);
    assert_true(largest_difference(&a, &b) < 1e-6);
    table_clear(&a);
    table_clear(&b);
    mech_clear(&k);
    mech_clear(&plain);
}

// With its closure alone a model cannot pass: who wants to must hear of a limit as early as a
// complete one leaves it; who does not goes on until shortly before it.
static void incomplete(void **state) {
    (void)state;
    mech k = by_slide(turning);
    ct_run_options o;
    ct_run_options_init(&o);
    ct_runner r;
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    ctk_model part = *r.code.model;
    double end[3], *doubles = ct_alloc(ctk_doubles(&part), sizeof *doubles);
    int *ints = ct_alloc(ctk_ints(&part), sizeof *ints);
    for (int way = 0; way < 3; way++) { // complete; its closure alone, with and without pass
        ctk_sim sim;
        ctk_options options = r.plan.kernel;
        part.dynamics = way ? NULL : r.code.model->dynamics;
        part.acceleration = way ? NULL : r.code.model->acceleration;
        options.cross_limits = way < 2;
        assert_int_equal(ctk_init(&sim, &part, &options, NULL, NULL, 0, NULL, NULL, doubles, ints),
                         CTK_OK);
        ctk_status status = CTK_OK;
        while (status == CTK_OK && !sim.crossing_limit && sim.t < 1) {
            end[way] = sim.t;
            status = ctk_step(&sim, 1e-4);
        }
        assert_int_equal(status, way ? CTK_NO_SOLUTION : CTK_OK);
    }
    assert_true(end[0] == end[1]);
    assert_true(end[2] > end[1] + 90e-4 && end[2] < end[1] + 110e-4);
    ct_free(doubles);
    ct_free(ints);
    ct_runner_close(&r);
    mech_clear(&k);
}

// A closure whose rates would open the loops is not taken.
static const ctk_closure *honest;

static int wrong_rates(const double *c, double t, const double *qi, const double *qdi,
                       const double *qddi, const double *u, const double *b, const double *w,
                       const double *v, double *q, double *qd, double *qdd) {
    int code = honest->expansion(c, t, qi, qdi, qddi, u, b, w, v, q, qd, qdd);
    qd[1] += 1e-3;
    return code;
}

static void rates_that_open(void **state) {
    (void)state;
    mech k = by_slide(turning);
    ct_run_options o;
    ct_run_options_init(&o);
    ct_runner r;
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    ctk_model model = *r.code.model;
    ctk_closure closure = *model.closure;
    double *doubles = ct_alloc(ctk_doubles(&model), sizeof *doubles);
    int *ints = ct_alloc(ctk_ints(&model), sizeof *ints);
    honest = model.closure;
    model.closure = &closure;
    for (int pass = 0; pass < 2; pass++)
        for (int wrong = 0; wrong < 2; wrong++) {
            ctk_sim sim;
            ctk_options options = r.plan.kernel;
            options.cross_limits = pass;
            closure.expansion = wrong ? wrong_rates : honest->expansion;
            ctk_status status =
                ctk_init(&sim, &model, &options, NULL, NULL, 0, NULL, NULL, doubles, ints);
            assert_int_equal(status, wrong && !pass ? CTK_SINGULAR_CLOSURE : CTK_OK);
            assert_int_equal(sim.crossing_limit, wrong && pass);
        }
    ct_free(doubles);
    ct_free(ints);
    ct_runner_close(&r);
    mech_clear(&k);
}

// A closure that loses digits for a while is left for partition, and taken again when it has them.
static int lost_digits(const double *c, double t, const double *qi, const double *qdi,
                       const double *qddi, const double *u, const double *b, const double *w,
                       const double *v, double *q, double *qd, double *qdd) {
    int code = honest->expansion(c, t, qi, qdi, qddi, u, b, w, v, q, qd, qdd);
    if (t > 2e-3 && t < 1e-2) q[1] += 1e-8;
    return code;
}

static void digits_that_are_lost(void **state) {
    (void)state;
    enum { STEPS = 200 };
    mech k = by_slide(turning);
    ct_run_options o;
    ct_run_options_init(&o);
    ct_runner r;
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    ctk_model model = *r.code.model;
    ctk_closure closure = *model.closure;
    double end[2] = {0}, *doubles = ct_alloc(ctk_doubles(&model), sizeof *doubles);
    int *ints = ct_alloc(ctk_ints(&model), sizeof *ints), by_partition = 0;
    honest = model.closure;
    model.closure = &closure;
    for (int lost = 0; lost < 2; lost++) {
        ctk_sim sim;
        ctk_options options = r.plan.kernel;
        options.cross_limits = 1;
        closure.expansion = lost ? lost_digits : honest->expansion;
        assert_int_equal(ctk_init(&sim, &model, &options, NULL, NULL, 0, NULL, NULL, doubles, ints),
                         CTK_OK);
        for (int i = 0; i < STEPS; i++) {
            assert_int_equal(ctk_step(&sim, 1e-4), CTK_OK);
            assert_int_equal(ctk_refresh(&sim), CTK_OK);
            by_partition += sim.crossing_limit;
        }
        assert_int_equal(sim.limits_crossed, lost);
        assert_int_equal(sim.crossing_limit, 0);
        assert_true(sim.max_residual < 1e-7);
        end[lost] = sim.q[1];
    }
    assert_true(by_partition > 60 && by_partition < 180);
    assert_near(end[0], end[1], 1e-8);
    ct_free(doubles);
    ct_free(ints);
    ct_runner_close(&r);
    mech_clear(&k);
}

// What is left of the energy is what the integrator loses: the double four-bar is a pendulum,
// 3 phi'' = 3.5 g sin(phi), and Runge and Kutta's formula for that gives the same energy.
static void only_truncation(void **state) {
    (void)state;
    mech k = mech_model("double_four_bar", NULL);
    run_settings w = {.integrator = "rk4", .time = 10, .step = 0.01, .output_step = 0.01};
    table a = run_mech(&k, &w, NULL);
    const long double g = 9.81L, h = 0.01L, f = 3.5L / 3 * g;
    long double p = 0, v = 1, worst = 0;
    assert_int_equal(a.n, 1001);
    for (int i = 1; i < a.n; i++) {
        long double v1 = v, a1 = f * sinl(p), v2 = v + h / 2 * a1, a2 = f * sinl(p + h / 2 * v1);
        long double v3 = v + h / 2 * a2, a3 = f * sinl(p + h / 2 * v2);
        long double v4 = v + h * a3, a4 = f * sinl(p + h * v3);
        p += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        long double energy = 1.5L * v * v + 3.5L * g * cosl(p);
        assert_near(table_at(&a, i, table_column(&a, "energy")), (double)energy, 1e-11);
        worst = fmaxl(worst, fabsl(energy - 35.835L));
    }
    assert_true(worst > 1.0e-6L && worst < 1.1e-6L); // J
    table_clear(&a);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passed_many_times),
        cmocka_unit_test(five_bar),
        cmocka_unit_test(other_coordinates),
        cmocka_unit_test(energy_at_limits),
        cmocka_unit_test(named_coordinates),
        cmocka_unit_test(close_start),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(ends_at_limit),
        cmocka_unit_test(out_of_reach),
        cmocka_unit_test(out_of_reach_beside_freedom),
        cmocka_unit_test(dead_point_inside_of_a_step),
        cmocka_unit_test(kinematics),
        cmocka_unit_test(kinematic_methods),
        cmocka_unit_test(generated),
        cmocka_unit_test(long_model),
        cmocka_unit_test(incomplete),
        cmocka_unit_test(rates_that_open),
        cmocka_unit_test(digits_that_are_lost),
        cmocka_unit_test(only_truncation),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
