// What the kernel does when it cannot go on: every failure is named, and the last valid state is
// kept.
#include "kernel/kernel_run.h"

static const double PI = 3.14159265358979323846;

typedef struct snapshot {
    double t, work, residual, q[8], qd[8], qdd[8];
} snapshot;

static snapshot photograph(const ctk_sim *sim) {
    snapshot s;
    memset(&s, 0, sizeof s);
    s.t = sim->t;
    s.work = sim->work;
    s.residual = sim->residual;
    for (int i = 0; i < sim->model->n; i++) {
        s.q[i] = sim->q[i];
        s.qd[i] = sim->qd[i];
        s.qdd[i] = sim->qdd[i];
    }
    return s;
}

static int closure_failed(ctk_status status) {
    return status == CTK_SINGULAR_CLOSURE || status == CTK_NO_CONVERGENCE || status == CTK_JUMPED;
}

// x cannot carry a turning pendulum past its side. With any integrator, speed and step, the failure
// comes before the motion is wrong: never reflected, never on the other side.
static void test_newton_stops_at_the_side(void **state) {
    (void)state;
    static const int x_only[] = {0};
    srand(2);
    for (int trial = 0; trial < 400; trial++) {
        double start = -1.3 + 2.6 * rand() / RAND_MAX, speed = 7 + 20.0 * rand() / RAND_MAX;
        double advance = pow(10, -2.5 + 2.1 * rand() / RAND_MAX); // radians in each step
        double q[] = {sin(start), -cos(start)}, qd[] = {speed * cos(start), speed * sin(start)};
        run r;
        run_options(&r, CTK_NEWTON, (ctk_integrator)(trial % RUN_EXPLICIT_COUNT));
        r.options.independent = x_only;
        assert_ok(run_start(&r, &kernel_pendulum_xy, NULL, q, qd));
        ctk_status status = CTK_OK;
        snapshot before;
        for (int i = 0; i < 4 / advance && status == CTK_OK; i++) {
            before = photograph(&r.sim);
            status = ctk_step(&r.sim, advance / speed);
            assert_true(r.sim.q[0] * r.sim.qd[1] > r.sim.q[1] * r.sim.qd[0]);
            assert_true(r.sim.q[1] < 0 && r.sim.residual < 1e-14);
        }
        assert_true(closure_failed(status));
        snapshot after = photograph(&r.sim);
        assert_memory_equal(&before, &after, sizeof after);
        run_stop(&r);
    }
}

// A parallelogram at its flat position may continue as an antiparallelogram: no method that needs
// Phi_d passes.
static void test_parallelogram_never_folds(void **state) {
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        double speed = 9 + 0.05 * trial, fast[] = {speed, 0, speed}, q[] = {-1, 0, -1};
        run r;
        run_options(&r, trial % 2 ? CTK_NEWTON : CTK_PARTITION,
                    (ctk_integrator)(trial / 2 % RUN_EXPLICIT_COUNT));
        assert_ok(run_start(&r, &kernel_parallelogram, NULL, q, fast));
        ctk_status status = CTK_OK;
        for (int i = 0; i < 2000 && status == CTK_OK; i++) {
            status = ctk_step(&r.sim, 1e-3 * (1 + trial % 7));
            assert_near(r.sim.q[0], r.sim.q[2], 1e-9);
            assert_near(r.sim.q[1], 0, 1e-9);
        }
        assert_true(closure_failed(status));
        assert_true(r.sim.q[0] < 0 && r.sim.where >= 0 && r.sim.where < 2);
        run_stop(&r);
    }
}

// Where no position exists any more: a crank too long for its four-bar.
static void test_unreachable(void **state) {
    (void)state;
    const double p[] = {1.2, 1, 0.8, 1.5, 0}, q[] = {0.3, 1.5, 2.2}, qd[] = {4, 0, 0};
    static const int crank[] = {0};
    for (int i = 0; i < RUN_EXPLICIT_COUNT; i++) {
        run r;
        run_options(&r, CTK_NEWTON, (ctk_integrator)i);
        r.options.independent = crank;
        assert_ok(run_start(&r, &kernel_four_bar, p, q, qd));
        assert_true(closure_failed(run_steps(&r, 2000, 1e-3)));
        assert_true(r.sim.residual < 1e-14 && r.sim.max_residual < 1e-14);
        run_stop(&r);
    }
}

// A thousand radians a second, up to a tenth of a radian in each step, is no jump.
static void test_fast_is_not_a_jump(void **state) {
    (void)state;
    const double p[] = {0.5, 1.2, 1, 1.3, 0}, fast[] = {1000, 0, 0};
    static const int crank[] = {0};
    for (int k = 0; k < 2; k++) {
        run r;
        run_options(&r, k ? CTK_PARTITION : CTK_NEWTON, CTK_RK4);
        if (k == 0) r.options.independent = crank;
        assert_ok(run_start(&r, &kernel_four_bar, p, NULL, fast));
        assert_ok(run_steps(&r, 3000, 1e-4));
        assert_true(r.sim.max_residual < 1e-13 && r.sim.q[0] > 100);
        run_stop(&r);
    }
}

// One accepted state, then a trial a whole radian away: followed in pieces to the same branch.
static void test_distant_trial(void **state) {
    (void)state;
    static const int crank[] = {0};
    run r;
    run_options(&r, CTK_NEWTON, CTK_RK4);
    r.options.independent = crank;
    assert_ok(run_start(&r, &kernel_four_bar, NULL, NULL, NULL));
    double y[3], ydot[3], far[3];
    ctk_state_get(&r.sim, y);
    far[0] = y[0] + 1, far[1] = y[1], far[2] = 0;
    assert_ok(ctk_state_derivative(&r.sim, 0.5, far, ydot));
    double once = ydot[1];
    for (int i = 1; i <= 100; i++) {
        y[0] = far[0] - 1 + i * 0.01;
        assert_ok(ctk_state_accept(&r.sim, 0, y, NULL));
    }
    assert_near(r.sim.qdd[0], once, 1e-9 * fabs(once));
    run_stop(&r);
}

static void test_singular_mass(void **state) {
    (void)state;
    const double massless[] = {0, 1, 9.81};
    for (int m = CTK_AUGMENTED; m <= CTK_PARTITION; m++) {
        run r;
        run_options(&r, (ctk_method)m, CTK_RK4);
        assert_int_equal(run_start(&r, &kernel_pendulum_xy, massless, NULL, NULL),
                         CTK_SINGULAR_MASS);
        run_stop(&r);
        run_options(&r, (ctk_method)m, CTK_RK4);
        assert_int_equal(run_start(&r, &kernel_pendulum_angle, massless, NULL, NULL),
                         CTK_SINGULAR_MASS);
        assert_int_equal(r.sim.where, 0);
        run_stop(&r);
    }
}

static void test_not_finite(void **state) {
    (void)state;
    const double bad[] = {NAN, 0};
    for (int m = CTK_AUGMENTED; m <= CTK_PARTITION; m++)
        for (int i = 0; i < RUN_EXPLICIT_COUNT; i++) {
            run r;
            run_options(&r, (ctk_method)m, (ctk_integrator)i);
            assert_ok(run_start(&r, &kernel_pendulum_xy, NULL, NULL, NULL));
            assert_ok(run_steps(&r, 5, 1e-3));
            snapshot before = photograph(&r.sim);
            r.sim.u[0] = i % 2 ? INFINITY : NAN;
            assert_int_equal(ctk_step(&r.sim, 1e-3), CTK_NOT_FINITE);
            snapshot after = photograph(&r.sim);
            assert_memory_equal(&before, &after, sizeof after);
            r.sim.u[0] = 0; // and goes on as if nothing had happened
            assert_ok(run_steps(&r, 5, 1e-3));
            run_stop(&r);
            run_options(&r, (ctk_method)m, (ctk_integrator)i);
            assert_int_equal(run_start(&r, &kernel_pendulum_xy, NULL, bad, NULL), CTK_NOT_FINITE);
            assert_int_equal(r.sim.where, 0);
            run_stop(&r);
        }
    run r;
    run_options(&r, CTK_AUGMENTED, CTK_EULER);
    assert_ok(run_start(&r, &kernel_pendulum_angle, NULL, NULL, NULL));
    r.sim.u[0] = 1e308;
    assert_int_equal(run_steps(&r, 100, 1e3), CTK_NOT_FINITE);
    assert_true(isfinite(r.sim.q[0]) && isfinite(r.sim.qd[0]) && isfinite(r.sim.qdd[0]) &&
                isfinite(r.sim.work));
    assert_int_equal(ctk_step(&r.sim, NAN), CTK_BAD_OPTION);
    run_stop(&r);
}

static void test_bad_start(void **state) {
    (void)state;
    static const int outside[] = {2}, x_only[] = {0};
    const double at_side[] = {1, 0}, upward[] = {0, 1}, far_away[] = {1.2, 0.4, 1.4};
    run r;
    run_options(&r, CTK_NEWTON, CTK_RK4);
    r.options.independent = outside;
    assert_int_equal(run_start(&r, &kernel_pendulum_xy, NULL, NULL, NULL), CTK_BAD_OPTION);
    run_stop(&r);
    r.options.independent = x_only;
    assert_int_equal(run_start(&r, &kernel_pendulum_xy, NULL, at_side, upward),
                     CTK_SINGULAR_CLOSURE);
    assert_int_equal(r.sim.where, 0);
    run_stop(&r);
    run_options(&r, CTK_NEWTON, (ctk_integrator)7);
    assert_int_equal(run_start(&r, &kernel_pendulum_xy, NULL, NULL, NULL), CTK_BAD_OPTION);
    run_stop(&r);
    run_options(&r, CTK_AUGMENTED, CTK_RK4);
    r.options.tolerance = NAN;
    assert_int_equal(run_start(&r, &kernel_pendulum_xy, NULL, NULL, NULL), CTK_BAD_OPTION);
    run_stop(&r);
    for (int m = CTK_AUGMENTED; m <= CTK_PARTITION; m++) {
        run_options(&r, (ctk_method)m, CTK_RK4);
        assert_int_equal(run_start(&r, &kernel_too_many, NULL, NULL, NULL), CTK_SINGULAR_CLOSURE);
        run_stop(&r);
        run_options(&r, (ctk_method)m, CTK_RK4); // a rough guess is assembled
        assert_ok(run_start(&r, &kernel_four_bar, NULL, far_away, NULL));
        assert_true(r.sim.residual < 1e-14);
        assert_int_equal(ctk_kinematics(&r.sim, 1), CTK_BAD_OPTION);
        run_stop(&r);
        ctk_model closed = kernel_four_bar; // as generated for a closure alone
        closed.acceleration = NULL;
        closed.dynamics = NULL;
        run_options(&r, (ctk_method)m, CTK_RK4);
        assert_int_equal(run_start(&r, &closed, NULL, NULL, NULL), CTK_CLOSURE_ONLY);
        run_stop(&r);
    }
}

// Flat parallelogram: the constraints are dependent; only the penalty method may start there.
static void test_start_at_singular_position(void **state) {
    (void)state;
    const double q[] = {0, 0, 0}, qd[] = {1, 0, 1};
    for (int m = CTK_AUGMENTED; m <= CTK_PARTITION; m++) {
        run r;
        run_options(&r, (ctk_method)m, CTK_RK4);
        ctk_status status = run_start(&r, &kernel_parallelogram, NULL, q, qd);
        assert_int_equal(status, m == CTK_PENALTY ? CTK_OK : CTK_SINGULAR_CLOSURE);
        if (m == CTK_PENALTY) {
            assert_ok(run_steps(&r, 100, 1e-3));
            assert_near(r.sim.q[0], r.sim.q[2], 1e-6);
        }
        run_stop(&r);
    }
}

static void test_kinematics_stops(void **state) {
    (void)state;
    const double short_rod[] = {1, 0.8, 10}, q[] = {0, 0, 1.8};
    run r;
    run_options(&r, CTK_NEWTON, CTK_RK4);
    assert_ok(run_start(&r, &kernel_slider_crank, short_rod, q, NULL));
    ctk_status status = CTK_OK;
    double limit = asin(0.8) / 10;
    while (status == CTK_OK && r.sim.t < 1) status = ctk_kinematics(&r.sim, r.sim.t + 1e-3);
    assert_true(closure_failed(status));
    assert_true(r.sim.t < limit && r.sim.t > limit - 2e-3 && r.sim.residual < 1e-11);
    snapshot before = photograph(&r.sim);
    assert_true(closure_failed(
        ctk_kinematics(&r.sim, PI / 10))); // a position on the far side, out of reach
    snapshot after = photograph(&r.sim);
    assert_memory_equal(&before, &after, sizeof after);
    run_stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_stops_at_the_side),
        cmocka_unit_test(test_parallelogram_never_folds),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_fast_is_not_a_jump),
        cmocka_unit_test(test_distant_trial),
        cmocka_unit_test(test_singular_mass),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_start),
        cmocka_unit_test(test_start_at_singular_position),
        cmocka_unit_test(test_kinematics_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
