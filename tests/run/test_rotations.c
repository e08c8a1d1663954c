// Rotations have no singular position: runs pass the lock of the angles that results show, these
// continue, and a lock ends a run only where something needs the rate of an angle there.
#include "harness.h"

#include "kernel/inline/ctk_angles.h"

// A ball between two cylindrical joints: j1.2 passes a right angle at t = 0.516, j1.3 stays 0.
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
    "simulate: {time: 1, step: 0.001}\n"

// No column of angles moves farther in a row than its rates allow.
static void assert_continuous(const table *t, const char *joint, double most) {
    for (int i = 1; i <= 3; i++) {
        char *name = ct_format("%s.%d", joint, i);
        int k = table_column(t, name);
        for (int row = 1; row < t->n; row++)
            if (!(fabs(table_at(t, row, k) - table_at(t, row - 1, k)) <= most))
                fail_msg("%s jumps at t = %g", name, table_at(t, row, 0));
        ct_free(name);
    }
}

static void angles_of_a_chord_continue(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "partition"};
    for (int i = 0; i < 2; i++) {
        mech m = mech_text("ball", BALL "initial: {j0.angle: [0, 2.5]}\n", NULL);
        run_settings w = {.method = methods[i]};
        if (!i) w.method = NULL;
        assert_made(&m);
        table t = run_mech(&m, &w, NULL);
        assert_continuous(&t, "j1", 0.02);
        assert_near(table_last(&t, "j1.1"), -0.740830401769, 1e-7);
        assert_near(table_last(&t, "j1.2"), 3.39413171802, 1e-7);
        assert_near(table_last(&t, "j1.3"), 0, 1e-12);
        assert_near(table_last(&t, "j1.2'"), -table_last(&t, "j3.angle'"), 1e-9);
        table_clear(&t);
        mech_clear(&m);
    }
}

// A motion of one of the three angles has no way on from the lock, whatever the method.
static void a_driven_angle_ends_in_the_lock(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", "newton"};
    for (int i = 0; i < 3; i++) {
        mech m = mech_text("driven", BALL "motions: {j1.1: -1.46*t}\n", NULL);
        run_settings w = {.method = methods[i], .kinematics = true};
        table t = {0};
        assert_made(&m);
        assert_int_equal(run_rows(&m, &w, &t, NULL), CT_NUMERICS);
        assert_true(has_message(m.ctx, "joint 'j1' is in gimbal lock"));
        assert_true(has_message(m.ctx, "motion 'j1.1' needs the rate"));
        assert_near(table_at(&t, t.n - 1, 0), 0.816, 2e-3);
        table_clear(&t);
        mech_clear(&m);
    }
}

// Simulated, it goes on beyond the lock to a limit position, which is to blame there.
static void a_limit_position_is_no_lock(void **state) {
    (void)state;
    mech m = mech_text("driven", BALL "motions: {j1.1: -1.46*t}\n", NULL);
    table t = {0};
    assert_made(&m);
    run_settings w = {.time = 1, .step = 1e-3};
    assert_int_equal(run_rows(&m, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(m.ctx, "out of reach or a limit position"));
    assert_false(has_message(m.ctx, "gimbal lock"));
    assert_near(table_last(&t, "j0.angle"), 1.46 * table_last(&t, "t"), 1e-9);
    table_clear(&t);
    mech_clear(&m);
}

// Motions through the lock, at the default step, against tests/oracle (maximal coordinates, a formula
// of eighth order): three outputs at the end.
static const struct {
    const char *name, *joint, *output[3];
    double value[3];
} shown[] = {
    {"pendulum", "S", {"x", "y", "z"}, {-0.07816197191, 0.89920039161, -0.43049896850}},
    {"book", "pose", {"x", "y", "z"}, {1.14497281609, -0.14967979867, -16.05858260070}},
    {"gyroscope", "tip", {"x", "y", "z"}, {-0.02796869051, 0.09366247187, 0.02907049561}},
    {"satellite", "pose", {"lx", "ly", "lz"}, {2.17020870924, -0.09937277391, 0.76633814393}},
    {"top", "tip", {"x", "y", "z"}, {-0.02318792705, -0.13812176682, 0.06917150836}},
    {"robot", "wrist", {"x", "y", "z"}, {0.47072553901, 0.36746657518, -0.56530277368}},
    {"ball_in_loop", "ball", {"ax", "ay", "az"}, {0.04385612920, 0.79593234224, 0.46310887927}},
};

static mech shown_mech(int i, const char *rule) {
    char *path = ct_format("%s/tests/models/rotations/%s.yaml", CT_SOURCE_DIR, shown[i].name);
    mech m = mech_file(path, rule);
    ct_free(path);
    assert_made(&m);
    return m;
}

static void motions_pass_the_lock(void **state) {
    (void)state;
    static const struct {
        const char *method, *integrator, *rule;
    } how[] = {{NULL, NULL, NULL},
               {"partition", "rk4", NULL},
               {"augmented", "rk4", NULL},
               {"newton", "cvode", NULL},
               {"partition", "rk4", "absolute"}};
    int models = sizeof shown / sizeof *shown, ways = sizeof how / sizeof *how;
    for (int i = 0; i < models; i++)
        for (int k = 0; k < ways; k++) {
            if (k > 1 && (i + k) % 3 && !soaking()) continue; // a third of the others
            mech m = shown_mech(i, how[k].rule);
            run_settings w = {.method = how[k].method, .integrator = how[k].integrator};
            table t = run_mech(&m, &w, NULL);
            for (int j = 0; j < 3; j++)
                assert_near(table_last(&t, shown[i].output[j]), shown[i].value[j], 1e-6);
            table_clear(&t);
            mech_clear(&m);
        }
}

// The kernel's own count: newton and partition choose other independent coordinates on the way of a
// plate whose ball turns over, components of its spin among them, and the motion is that of the oracle.
static void coordinates_are_chosen_anew(void **state) {
    (void)state;
    enum { BALL_IN_LOOP = 6, STEPS = 1000 };
    static const ctk_method methods[] = {CTK_NEWTON, CTK_PARTITION};
    for (int i = 0; i < 2; i++) {
        mech m = shown_mech(BALL_IN_LOOP, NULL);
        ct_emit_input in;
        ct_emission code;
        ct_loaded loaded;
        ct_scope scope;
        // code with whole rotations and without a closure
        assert_int_equal(ct_scope_enter(&scope, m.ctx, &m.s->memory), CT_OK);
        assert_int_equal(ct_integrate_whole(m.ctx, m.s), CT_OK);
        ct_emit_input_fill(m.s, "model", &in);
        ct_emit(&in, &code);
        assert_int_equal(ct_load(m.ctx, &code, "model", &loaded), CT_OK);
        ct_emission_clear(&code);
        // the run
        const ctk_model *k = loaded.model;
        double *doubles = ct_scratch(ctk_doubles(k) + 1, sizeof *doubles),
               *y = ct_scratch((size_t)k->n_outputs + 1, sizeof *y);
        int *ints = ct_scratch(ctk_ints(k) + 1, sizeof *ints);
        ctk_sim sim;
        ctk_options options;
        ctk_options_init(&options);
        options.method = methods[i];
        assert_true(k->n_rotations > 0);
        assert_int_equal(ctk_init(&sim, k, &options, NULL, NULL, 0, NULL, NULL, doubles, ints),
                         CTK_OK);
        for (int step = 0; step < STEPS; step++)
            assert_int_equal(ctk_step(&sim, 1.0 / STEPS), CTK_OK);
        print_message("method %d: chosen anew %d times\n", (int)methods[i], sim.reselections);
        assert_true(sim.reselections > 0);
        // outputs of the model stand in front of the two energies
        assert_int_equal(ctk_refresh(&sim), CTK_OK);
        ctk_outputs(&sim, y);
        for (int j = 0; j < 3; j++)
            assert_near(y[k->n_outputs - 5 + j], shown[BALL_IN_LOOP].value[j], 1e-6);
        ct_unload(&loaded);
        ct_scope_leave(&scope, &m.s->memory);
        mech_clear(&m);
    }
}

// Angular momentum about the joint (free: about the centre of mass, which is its origin), in the
// frame of ground, from the angles and rates in a row.
static void momentum(const table *t, int row, const char *joint, const int *axis,
                     const double *inertia, double *l) {
    double angle[3], rate[3], r[3][3], e[3][3], u[3], own[3];
    for (int i = 0; i < 3; i++) {
        char *name = ct_format("%s.%d", joint, i + 1), *primed = ct_format("%s.%d'", joint, i + 1);
        angle[i] = table_at(t, row, table_column(t, name));
        rate[i] = table_at(t, row, table_column(t, primed));
        ct_free(name);
        ct_free(primed);
    }
    ctk_angles_matrix(axis, angle, r, e);
    for (int i = 0; i < 3; i++) u[i] = e[i][0] * rate[0] + e[i][1] * rate[1] + e[i][2] * rate[2];
    for (int i = 0; i < 3; i++)
        own[i] = inertia[i] * (r[0][i] * u[0] + r[1][i] * u[1] + r[2][i] * u[2]);
    for (int i = 0; i < 3; i++) l[i] = r[i][0] * own[0] + r[i][1] * own[1] + r[i][2] * own[2];
}

// Over 100 s, energy and angular momentum stay: all of it for a free body, its vertical part where
// gravity acts on a body on a ball.
static void cvode_keeps_energy_and_momentum(void **state) {
    (void)state;
    static const struct {
        int shown, axis[3];
        double inertia[3];
        bool is_free;
    } all[] = {{1, {2, 1, 0}, {0.002, 0.005, 0.006}, true},
               // a heavy top: with the mass at its height, 0.8 * 0.12^2
               {4, {2, 0, 2}, {0.004 + 0.01152, 0.004 + 0.01152, 0.006}, false}};
    for (int i = 0; i < 2; i++) {
        mech m = shown_mech(all[i].shown, NULL);
        run_settings w = {.integrator = "cvode", .time = 100, .output_step = 1, .rtol = 1e-12};
        w.atol = 1e-14;
        ct_run_summary summary;
        table t = run_mech(&m, &w, &summary);
        assert_true(summary.energy_drift < 1e-9);
        double first[3], l[3], size;
        momentum(&t, 0, shown[all[i].shown].joint, all[i].axis, all[i].inertia, first);
        size = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
        for (int row = 1; row < t.n; row++) {
            momentum(&t, row, shown[all[i].shown].joint, all[i].axis, all[i].inertia, l);
            for (int k = all[i].is_free ? 0 : 2; k < 3; k++)
                assert_near(l[k] / size, first[k] / size, 1e-9);
        }
        table_clear(&t);
        mech_clear(&m);
    }
}

// Energy stays, and with it the length of the parameters, which nothing else would show.
static void cvode_keeps_the_energy(void **state) {
    (void)state;
    mech m = shown_mech(0, NULL);
    run_settings w = {.integrator = "cvode", .time = 100, .output_step = 1, .rtol = 1e-12};
    w.atol = 1e-14;
    ct_run_summary summary;
    table t = run_mech(&m, &w, &summary);
    assert_true(summary.energy_drift < 1e-9);
    double x = table_last(&t, "x"), y = table_last(&t, "y"), z = table_last(&t, "z");
    assert_near(x * x + y * y + z * z, 1, 1e-14);
    table_clear(&t);
    mech_clear(&m);
}

// Which way angles go past the lock does not depend on the step: a book passes it at a distance of
// 0.002, 0.012 in a step.
static void angles_do_not_depend_on_the_step(void **state) {
    (void)state;
    double last[2][3];
    for (int i = 0; i < 2; i++) {
        mech m = shown_mech(1, NULL);
        run_settings w = {.time = 1, .step = i ? 1e-4 : 1e-3, .output_step = i ? 1e-4 : 1e-3};
        table t = run_mech(&m, &w, NULL);
        last[i][0] = table_last(&t, "pose.1");
        last[i][1] = table_last(&t, "pose.2");
        last[i][2] = table_last(&t, "pose.3");
        table_clear(&t);
        mech_clear(&m);
    }
    for (int k = 0; k < 3; k++) assert_near(last[0][k], last[1][k], 1e-6);
}

// Nor on the distance of rows, between which angles are followed only where they have turned far enough.
static void angles_do_not_depend_on_rows(void **state) {
    (void)state;
    enum { APART = 50 };
    for (int i = 0; i < (int)(sizeof shown / sizeof *shown); i++) {
        mech near = shown_mech(i, NULL), far = shown_mech(i, NULL);
        run_settings w = {.integrator = "rk4", .time = 1, .step = 1e-3, .output_step = 1e-3};
        table a = run_mech(&near, &w, NULL);
        w.output_step *= APART;
        table b = run_mech(&far, &w, NULL);
        assert_int_equal(a.n, APART * (b.n - 1) + 1);
        for (int r = 0; r < b.n; r++)
            for (int c = 0; c < b.columns; c++)
                assert_near(table_at(&a, APART * r, c), table_at(&b, r, c),
                            1e-9 * (1 + fabs(table_at(&b, r, c))));
        table_clear(&a);
        table_clear(&b);
        mech_clear(&near);
        mech_clear(&far);
    }
}

// A closure in the angles of a ball that come near their lock: partition leads past it, and back to the
// closure; right by tests/oracle. So it does where the method is named.
static void partition_leads_past_the_lock(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  plate: {mass: 2, inertia: [0.1, 0.12, 0.2], points: {A: [0.3, 0, 0], B: [-0.2, 0.3, 0], "
        "C: [-0.2, -0.3, 0]}}\n"
        "  rod: {mass: 0.3, inertia: [0.02, 0.02, 0.001], com: [0, 0, -0.5], points: {E: [0, 0, "
        "-1]}}\n"
        "joints:\n"
        "  top: {type: spherical, between: [ground, rod], at: [[0.3, 0, 1], [0, 0, 0]]}\n"
        "  ball: {type: spherical, between: [rod, plate], at: [E, A], orient: [[0, 0, 0], [0.17, "
        "-0.74, 0.96]]}\n"
        "  lb: {type: link, between: [ground, plate], at: [[-0.2, 0.3, 1], B]}\n"
        "initial: {top.1: [0, 0.2], top.2: [0.1, 0.5], top.3: [0.05, 0], ball.1: [1.23, 8], "
        "ball.2: "
        "[0.38, 20]}\n"
        "guess: {ball.3: 0}\n"
        "outputs: {x: x(plate.C), y: y(plate.C), z: z(plate.C)}\n"
        "simulate: {time: 1, step: 1e-3}\n";
    static const struct {
        const char *method; // NULL: nobody names one
        double step, off;
    } runs[] = {{NULL, 1e-3, 1e-6}, {NULL, 5e-4, 1e-7}, {"triangular", 1e-3, 1e-6}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        mech m = mech_text("leads_past", text, NULL);
        run_settings w = {.method = runs[i].method, .step = runs[i].step};
        ct_run_summary summary;
        assert_made(&m);
        table t = run_mech(&m, &w, &summary);
        assert_string_equal(summary.method, "triangular, partition at limit positions");
        assert_true(has_message(m.ctx, "the three angles of 'ball' come near their lock"));
        assert_near(table_last(&t, "x"), 0.060490740841, runs[i].off);
        assert_near(table_last(&t, "y"), 0.863857652338, runs[i].off);
        assert_near(table_last(&t, "z"), 0.373622390522, runs[i].off);
        table_clear(&t);
        mech_clear(&m);
    }
}

// Turned as a whole, into the lock of its angles at the start and elsewhere, a model moves the same.
static void turned_models_move_the_same(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies:\n"
        "  hub: {mass: 3, inertia: [0.2, 0.3, 0.4, 0.01, 0.02, 0], points: {P: [0.3, 0, 0]}}\n"
        "  arm: {mass: 1, inertia: [0.02, 0.05, 0.05], com: [0.2, 0, 0], points: {T: [0.5, 0, "
        "0]}}\n"
        "joints:\n"
        "  pose: {type: free, between: [ground, hub], orient: [[0, 0, 0], [%s]]}\n"
        "  hinge: {type: revolute, between: [hub, arm], at: [P, [0, 0, 0]], axis: z}\n"
        "initial: {pose.1: %s, pose.2: %s, pose.3: 0, hinge: [0.3, 4]}\n"
        "outputs: {d: \"distance(ground.O, arm.T)\", h: hinge}\n"
        "points: {O: [0, 0, 0]}\n"
        "simulate: {time: 1, step: 1e-3}\n";
    static const char *const starts[][3] = {{"0, 0, 0", "0", "0"},
                                            {"0, pi/2, 0", "0", "pi/2"},
                                            {"0, -pi/2, 0", "0.7", "-pi/2"},
                                            {"0.3, 0.2, 0.9", "1", "pi/2"}};
    double d[4], h[4];
    for (int i = 0; i < 4; i++) {
        char *model = ct_format(text, starts[i][0], starts[i][1], starts[i][2]);
        mech m = mech_text("turned", model, NULL);
        run_settings w = {0};
        assert_made(&m);
        table t = run_mech(&m, &w, NULL);
        d[i] = table_last(&t, "d");
        h[i] = table_last(&t, "hinge");
        table_clear(&t);
        mech_clear(&m);
        ct_free(model);
        assert_near(h[i], h[0], 1e-9);
        assert_near(d[i], d[0], 1e-9);
    }
}

// A torsion on one angle of a ball, and the same pendulum on a hinge. The body turns about one axis,
// so that both move alike: through the lock by the middle angle, and by the first one over many turns.
static void torsions_follow_single_angles(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\ngravity: [0, 0, %s]\n"
        "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0, 0, -0.5]}}\n"
        "joints: {s: {type: %s, between: [ground, a]}}\n"
        "forces: {k: {type: torsion, joint: %s, stiffness: %s, damping: 0.1, angle: 0.3}}\n"
        "initial: {%s}\nsimulate: {time: 1.5, step: 1e-3}\n";
    static const struct {
        const char *gravity, *angle, *axis, *stiffness, *ball, *hinge;
    } cases[] = {
        {"-9.81", "s.2", "revolute, axis: y", "4", "s.1: 0, s.2: [1.3, 12], s.3: 0",
         "s: [1.3, 12]"},
        {"-9.81", "s.2", "revolute, axis: y", "4", "s.1: 0, s.2: [pi/2, 12], s.3: 0",
         "s: [pi/2, 12]"},
        {"0", "s.1", "revolute, axis: z", "0.05", "s.1: [0, 30], s.2: 0, s.3: 0", "s: [0, 30]"}};
    static const char *const methods[] = {NULL, "partition", "augmented"}, *const integrators[] = {
                                                                               "rk4", "cvode"};
    for (int i = 0; i < 3; i++) {
        char *hinge = ct_format(text, cases[i].gravity, cases[i].axis, "s", cases[i].stiffness,
                                cases[i].hinge),
             *ball = ct_format(text, cases[i].gravity, "spherical", cases[i].angle,
                               cases[i].stiffness, cases[i].ball);
        mech h = mech_text("hinge", hinge, NULL), b = mech_text("ball", ball, NULL);
        assert_made(&h);
        assert_made(&b);
        run_settings tight = {.integrator = "cvode", .rtol = 1e-11, .atol = 1e-12};
        table reference = run_mech(&h, &tight, NULL);
        double end = table_last(&reference, "s");
        for (int k = 0; k < 6; k++) {
            run_settings w = {.method = methods[k % 3], .integrator = integrators[k / 3]};
            if (k / 3) w.rtol = 1e-10, w.atol = 1e-11;
            table t = run_mech(&b, &w, NULL);
            assert_near(table_last(&t, cases[i].angle), end, 1e-8);
            table_clear(&t);
        }
        if (i == 2) assert_true(end > 6 * M_PI); // several turns
        table_clear(&reference);
        mech_clear(&h);
        mech_clear(&b);
        ct_free(hinge);
        ct_free(ball);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_pass_the_lock),
        cmocka_unit_test(coordinates_are_chosen_anew),
        cmocka_unit_test(cvode_keeps_the_energy),
        cmocka_unit_test(cvode_keeps_energy_and_momentum),
        cmocka_unit_test(angles_do_not_depend_on_the_step),
        cmocka_unit_test(angles_do_not_depend_on_rows),
        cmocka_unit_test(partition_leads_past_the_lock),
        cmocka_unit_test(turned_models_move_the_same),
        cmocka_unit_test(angles_of_a_chord_continue),
        cmocka_unit_test(a_driven_angle_ends_in_the_lock),
        cmocka_unit_test(a_limit_position_is_no_lock),
        cmocka_unit_test(torsions_follow_single_angles),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
