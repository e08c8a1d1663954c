// The run-time kernel on mechanisms with known motion: orders, energy, agreement of the methods,
// whole turns.
#include "kernel/kernel_run.h"

static const double PI = 3.14159265358979323846;

static const ctk_method methods[] = {CTK_AUGMENTED, CTK_BAUMGARTE, CTK_PENALTY, CTK_NEWTON,
                                     CTK_PARTITION};
enum { METHODS = sizeof methods / sizeof *methods };

// Period of a pendulum released at angle a: 4 sqrt(L / g) K(sin(a / 2)), K by the
// arithmetic-geometric mean.
static double pendulum_period(double length, double g, double angle) {
    double a = 1, b = cos(angle / 2);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * PI * sqrt(length / g) / a;
}

static void test_pendulum_period(void **state) {
    (void)state;
    const double period = pendulum_period(1, 9.81, 2.0), q[] = {sin(2.0), -cos(2.0)}, qd[] = {0, 0},
                 angle[] = {2.0};
    for (int k = 0; k < METHODS; k++) {
        if (methods[k] == CTK_NEWTON) continue; // y alone cannot carry it past the lowest point
        run r;
        run_options(&r, methods[k], CTK_RK4);
        assert_ok(run_start(&r, &kernel_pendulum_xy, NULL, q, qd));
        assert_ok(run_steps(&r, 4000, period / 4000));
        assert_near(r.sim.q[0], q[0], 1e-8);
        assert_near(r.sim.q[1], q[1], 1e-8);
        if (methods[k] == CTK_PARTITION)
            assert_true(r.sim.max_residual < 1e-14 && r.sim.reselections >= 4);
        run_stop(&r);
    }
    for (int k = 0; k < METHODS; k++) { // open tree: all methods are the same equation
        run r;
        run_options(&r, methods[k], CTK_RK4);
        assert_ok(run_start(&r, &kernel_pendulum_angle, NULL, angle, qd));
        assert_ok(run_steps(&r, 4000, period / 4000));
        assert_near(r.sim.q[0], 2.0, 1e-9);
        run_stop(&r);
    }
}

// Whole turns: partition changes its coordinate at each side and follows the angle.
static void test_partition_turns(void **state) {
    (void)state;
    const ctk_integrator integrators[] = {CTK_RK2, CTK_RK4, CTK_AB4};
    for (int k = 0; k < 3; k++) {
        const double fast[] = {9, 0};
        run r, angle;
        run_options(&r, CTK_PARTITION, integrators[k]);
        run_options(&angle, CTK_NEWTON, CTK_RK4);
        assert_ok(run_start(&r, &kernel_pendulum_xy, NULL, NULL, fast));
        assert_ok(run_start(&angle, &kernel_pendulum_angle, NULL, NULL, fast));
        for (int i = 0; i < 3000; i++) {
            assert_ok(ctk_step(&r.sim, 1e-3));
            assert_ok(ctk_step(&angle.sim, 1e-3));
            double tolerance = integrators[k] == CTK_RK2 ? 1e-2 : 1e-6;
            assert_near(r.sim.q[0], sin(angle.sim.q[0]), tolerance);
            assert_near(r.sim.q[1], -cos(angle.sim.q[0]), tolerance);
            assert_near(r.sim.qd[0] * r.sim.q[0] + r.sim.qd[1] * r.sim.q[1], 0, 1e-12);
        }
        assert_true(angle.sim.q[0] > 6 * PI && r.sim.reselections >= 12 &&
                    r.sim.max_residual < 1e-14);
        run_stop(&r);
        run_stop(&angle);
    }
}

// Long steps: selection changes inside a step, and closure follows the branch in pieces.
static void test_partition_long_steps(void **state) {
    (void)state;
    const double speeds[] = {9, 12, 20}, steps[] = {0.005, 0.01, 0.02};
    for (int s = 0; s < 3; s++)
        for (int k = 0; k < 3; k++) {
            const double fast[] = {speeds[s], 0};
            run r;
            run_options(&r, CTK_PARTITION, CTK_RK4);
            assert_ok(run_start(&r, &kernel_pendulum_xy, NULL, NULL, fast));
            int turns = 0;
            double last = 0;
            for (int i = 0; i < 300; i++) {
                assert_ok(ctk_step(&r.sim, steps[k]));
                double angle = atan2(r.sim.q[0], -r.sim.q[1]);
                if (angle < last - PI) turns++;
                last = angle;
                assert_true(r.sim.q[1] * r.sim.qd[0] <
                            r.sim.q[0] * r.sim.qd[1]); // always the same way round
            }
            assert_true(turns >= 300 * steps[k] * (speeds[s] - 4) / (2 * PI) - 1);
            run_stop(&r);
        }
}

static double state_after(const ctk_model *model, ctk_method method, ctk_integrator integrator,
                          int steps, double time) {
    static const int crank[] = {0};
    run r;
    run_options(&r, method, integrator);
    if (model->m == 2) r.options.independent = crank;
    r.options.open = 1; // euler drifts
    assert_ok(run_start(&r, model, NULL, NULL, NULL));
    assert_ok(run_steps(&r, steps, time / steps));
    double q = r.sim.q[0];
    run_stop(&r);
    return q;
}

static void test_orders(void **state) {
    (void)state;
#define X(enumerator, name, order, stages, past) order,
    const int orders[] = {CTK_INTEGRATORS(X)};
#undef X
    const ctk_model *models[] = {&kernel_four_bar, &kernel_pendulum_angle};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < RUN_EXPLICIT_COUNT; i++)
            for (int j = 0; j < 2; j++) {
                ctk_method method = j ? CTK_NEWTON : CTK_AUGMENTED;
                double exact = state_after(models[k], method, CTK_RK4, 20000, 0.5);
                double coarse =
                    fabs(state_after(models[k], method, (ctk_integrator)i, 200, 0.5) - exact);
                double fine =
                    fabs(state_after(models[k], method, (ctk_integrator)i, 400, 0.5) - exact);
                assert_near(log2(coarse / fine), orders[i], 0.3);
            }
}

static void test_methods_agree(void **state) {
    (void)state;
    const double h = 1e-3;
    run r[METHODS];
    for (int k = 0; k < METHODS; k++) {
        run_options(&r[k], methods[k], CTK_RK4);
        assert_ok(run_start(&r[k], &kernel_four_bar, NULL, NULL, NULL));
        r[k].sim.u[0] = 1.5;
    }
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < METHODS; k++) {
            assert_ok(ctk_step(&r[k].sim, h));
            for (int j = 0; j < 3 && k; j++) {
                assert_near(r[k].sim.q[j], r[0].sim.q[j], 1e-6);
                assert_near(r[k].sim.qd[j], r[0].sim.qd[j], 1e-5);
                assert_near(r[k].sim.qdd[j], r[0].sim.qdd[j], 1e-3);
            }
            assert_near(r[k].sim.work, r[0].sim.work, 1e-6);
        }
    for (int k = 0; k < METHODS; k++) {
        if (methods[k] >= CTK_NEWTON) assert_true(r[k].sim.max_residual < 1e-13);
        run_stop(&r[k]);
    }
}

static double energy(const run *r) {
    double y[2];
    const ctk_sim *s = &r->sim;
    s->model->outputs(s->c, s->t, s->q, s->qd, s->u, y);
    return y[0] + y[1];
}

// Kinetic and potential energy grow by the work of the torque, through changes of the torque.
static void test_energy_and_work(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        run r;
        run_options(&r, methods[k], CTK_RK4);
        assert_ok(run_start(&r, &kernel_four_bar, NULL, NULL, NULL));
        double start = energy(&r);
        for (int i = 0; i < 8; i++) {
            r.sim.u[0] = i % 2 ? -2 : 3;
            assert_ok(run_steps(&r, 250, 5e-4));
            assert_near(energy(&r) - start, r.sim.work, methods[k] >= CTK_NEWTON ? 1e-9 : 1e-6);
        }
        run_stop(&r);
    }
}

// Parallel cranks on massless couplers swing as one pendulum.
static void test_parallelogram_chain(void **state) {
    (void)state;
    const double angle[] = {PI / 2 - 1}, speed[] = {1}, unit[] = {1, 1, 9.81};
    run one;
    run_options(&one, CTK_NEWTON, CTK_RK4);
    assert_ok(run_start(&one, &kernel_pendulum_angle, unit, angle, speed));
    assert_ok(run_steps(&one, 1000, 1e-3));
    for (int k = 0; k < METHODS; k++) {
        run r;
        run_options(&r, methods[k], CTK_RK4);
        assert_ok(run_start(&r, &kernel_chain, NULL, NULL, NULL));
        assert_ok(run_steps(&r, 1000, 1e-3));
        for (int j = 0; j < r.sim.model->n; j++)
            assert_near(r.sim.q[j], j <= KERNEL_CHAIN ? one.sim.q[0] - PI / 2 : 0, 1e-8);
        run_stop(&r);
    }
    run_stop(&one);
}

// x = a cos th + sqrt(b^2 - a^2 sin^2 th), from slow steps to a radian in each.
static void test_slider_crank_kinematics(void **state) {
    (void)state;
    const double steps[] = {1e-3, 1e-2, 0.1, 0.37};
    for (int k = 0; k < 4; k++) {
        run r;
        run_options(&r, CTK_NEWTON, CTK_RK4);
        assert_ok(run_start(&r, &kernel_slider_crank, NULL, NULL, NULL));
        for (int i = 1; i < 200; i++) {
            const double t = i * steps[k], w = 10, th = w * t, a = 1, b = 2.5;
            assert_ok(ctk_kinematics(&r.sim, t));
            double s = sqrt(b * b - a * a * sin(th) * sin(th)),
                   ds = -a * a * sin(th) * cos(th) * w / s;
            double dds = (-a * a * cos(2 * th) * w * w - ds * ds) / s;
            assert_near(r.sim.q[2], a * cos(th) + s, 1e-12);
            assert_near(r.sim.qd[2], -a * w * sin(th) + ds, 1e-10);
            assert_near(r.sim.qdd[2], -a * w * w * cos(th) + dds, 1e-8);
            assert_true(r.sim.residual < 1e-11);
        }
        run_stop(&r);
    }
}

// the slider-crank turned by an input instead of time: th = u

static void turned_position(const double *c, double t, const double *q, const double *u,
                            double *phi, double *phi_q) {
    slider_position(c, t, q, u, phi, phi_q);
    phi[2] = q[0] - u[0];
}

static void turned_velocity(const double *c, double t, const double *q, const double *u,
                            double *phi_q, double *phi_t) {
    slider_velocity(c, t, q, u, phi_q, phi_t);
    phi_t[2] = 0;
}

static void turned_dynamics(const double *c, double t, const double *q, const double *qd,
                            const double *u, double *mass, double *forcing, double *phi,
                            double *phi_q, double *phi_t, double *gamma, double *power) {
    slider_dynamics(c, t, q, qd, u, mass, forcing, phi, phi_q, phi_t, gamma, power);
    turned_velocity(c, t, q, u, phi_q, phi_t);
    turned_position(c, t, q, u, phi, phi_q);
}

// Inputs may move the constraints: the loops follow, in pieces if need be.
static void test_input_in_a_constraint(void **state) {
    (void)state;
    ctk_model model = kernel_slider_crank;
    model.n_inputs = 1;
    model.position = turned_position;
    model.velocity = turned_velocity;
    model.dynamics = turned_dynamics;
    const double increments[] = {0.01, 0.5, 2};
    for (int k = 0; k < 6; k++) {
        run r;
        run_options(&r, CTK_NEWTON, CTK_RK4);
        assert_ok(run_start(&r, &model, NULL, NULL, NULL));
        for (int i = 1; i < 20; i++) {
            double th = r.sim.u[0] = i * increments[k % 3];
            assert_ok(k < 3 ? ctk_kinematics(&r.sim, 0) : ctk_step(&r.sim, 1e-3));
            assert_near(r.sim.q[2], cos(th) + sqrt(6.25 - sin(th) * sin(th)), 1e-12);
        }
        run_stop(&r);
    }
}

// No freedom left: nothing but the work is integrated, and the motion is that of kinematics.
static void test_no_freedom(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        run r;
        run_options(&r, methods[k], CTK_RK4);
        assert_ok(run_start(&r, &kernel_slider_crank, NULL, NULL, NULL));
        assert_ok(run_steps(&r, 500, 1e-3));
        double x = cos(5.0) + sqrt(6.25 - sin(5.0) * sin(5.0));
        assert_near(r.sim.q[2], x, 1e-7);
        assert_near(r.sim.work, x - 3.5, 1e-7);
        if (methods[k] >= CTK_NEWTON) assert_int_equal(r.sim.state_size, 1);
        run_stop(&r);
        run_options(&r, methods[k], CTK_AB4);
        assert_ok(run_start(&r, &kernel_nothing, NULL, NULL, NULL));
        assert_ok(run_steps(&r, 10, 0.1));
        assert_near(r.sim.work, 1, 1e-14);
        run_stop(&r);
    }
}

// An outer integrator sees the same derivative, wherever it asks and in whatever order.
static void test_outer_integrator(void **state) {
    (void)state;
    run r;
    run_options(&r, CTK_PARTITION, CTK_RK4);
    assert_ok(run_start(&r, &kernel_four_bar, NULL, NULL, NULL));
    double y[3], far[3], first[3], second[3];
    int reselected;
    assert_int_equal(r.sim.state_size, 3);
    ctk_state_get(&r.sim, y);
    assert_ok(ctk_state_derivative(&r.sim, 0, y, first));
    memcpy(far, y, sizeof y);
    far[0] += 0.8;
    assert_ok(ctk_state_derivative(&r.sim, 0.1, far, second));
    assert_ok(ctk_state_derivative(&r.sim, 0, y, second));
    assert_memory_equal(first, second, sizeof first);
    far[0] = y[0] + 0.1;
    assert_ok(ctk_state_derivative(&r.sim, 0.1, far, first));
    assert_ok(ctk_state_accept(&r.sim, 0.1, far, &reselected));
    assert_near(r.sim.t, 0.1, 0);
    ctk_state_get(&r.sim, y);
    assert_ok(ctk_state_derivative(&r.sim, 0.1, y, second));
    for (int i = 0; i < 3; i++) assert_near(first[i], second[i], 1e-10);
    run_stop(&r);
}

// Light and heavy, small and large: the penalty takes its scale from the mechanism.
static void test_penalty_scale(void **state) {
    (void)state;
    const double masses[] = {1e-6, 1, 1e5}, lengths[] = {1e-2, 1, 50};
    for (int k = 0; k < 9; k++) {
        const double p[] = {masses[k / 3], lengths[k % 3], 9.81}, l = p[1],
                     q[] = {l * sin(1.0), -l * cos(1.0)};
        const double at_rest[] = {0, 0}, period = pendulum_period(l, 9.81, 1.0);
        run r;
        run_options(&r, CTK_PENALTY, CTK_RK4);
        assert_ok(run_start(&r, &kernel_pendulum_xy, p, q, at_rest));
        assert_ok(run_steps(&r, 2000, period / 2000));
        assert_near(r.sim.q[0] / l, q[0] / l, 1e-6);
        run_stop(&r);
    }
}

// local errors ----------------------------------------------------------------------------------
// Largest estimated error of a fall from the side in steps of h.
static double estimate(const ctk_model *model, ctk_method method, ctk_integrator integrator,
                       const double *p, const double *q, double h, double time) {
    const double at_rest[] = {0, 0};
    run r;
    double t = -1;
    int where = -2;
    run_options(&r, method, integrator);
    r.options.open = 1; // long steps drift
    assert_ok(run_start(&r, model, p, q, at_rest));
    assert_true(ctk_local_error(&r.sim, &where, &t) == 0 && where == -1);
    assert_ok(run_steps(&r, (int)(time / h + 0.5), h));
    double error = ctk_local_error(&r.sim, &where, &t);
    assert_true(where >= 0 && where < model->n && t > 0 && t <= r.sim.t);
    assert_true(ctk_local_error(&r.sim, NULL, NULL) == error);
    run_stop(&r);
    return error;
}

// The estimate falls with the order of its formula, in any coordinates.
static void test_local_error(void **state) {
    (void)state;
    static const struct {
        ctk_integrator integrator;
        int order;
    } of[] = {{CTK_EULER, 1}, {CTK_RK2, 2}, {CTK_RK4, 3}, {CTK_AB4, 4}};
    const double angle[] = {1.2}, xy[] = {sin(1.2), -cos(1.2)};
    for (int i = 0; i < 4; i++) {
        double coarse =
            estimate(&kernel_pendulum_angle, CTK_NEWTON, of[i].integrator, NULL, angle, 0.02, 1);
        double fine =
            estimate(&kernel_pendulum_angle, CTK_NEWTON, of[i].integrator, NULL, angle, 0.01, 1);
        assert_near(log2(coarse / fine), of[i].order, 0.35);
        // other coordinates, chosen anew on the way
        for (int k = 0; k < METHODS; k++) {
            if (methods[k] == CTK_NEWTON) continue;
            double other =
                estimate(&kernel_pendulum_xy, methods[k], of[i].integrator, NULL, xy, 0.01, 1);
            assert_true(other > fine / 30 && other < fine * 1000);
        }
    }
}

// Neither the unit of length nor that of time changes it: a pendulum s^2 as long is s times slower.
static void test_local_error_has_no_unit(void **state) {
    (void)state;
    const double scales[] = {1e-3, 1, 1e3}, angle[] = {2.0};
    for (int i = 0; i < 4; i++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            const double p[] = {2, scales[k] * scales[k], 9.81};
            error[k] = estimate(&kernel_pendulum_angle, CTK_PARTITION, (ctk_integrator)i, p, angle,
                                0.01 * scales[k], scales[k]);
        }
        assert_near(error[0] / error[1], 1, 1e-6);
        assert_near(error[2] / error[1], 1, 1e-6);
    }
}

// A mechanism at rest has no error, one that is unstable has a large one.
static void test_local_error_of_extremes(void **state) {
    (void)state;
    const double hanging[] = {0}, off[] = {0.1}, at_rest[] = {0}, stiff[] = {1, 1e-4, 10};
    run r;
    run_options(&r, CTK_PARTITION, CTK_RK4);
    assert_ok(run_start(&r, &kernel_pendulum_angle, NULL, hanging, at_rest));
    assert_ok(run_steps(&r, 100, 0.01));
    assert_near(ctk_local_error(&r.sim, NULL, NULL), 0, 1e-6);
    run_stop(&r);
    assert_ok(run_start(&r, &kernel_pendulum_angle, stiff, off, at_rest)); // 316 rad/s
    assert_ok(run_steps(&r, 100, 0.01));
    assert_true(ctk_local_error(&r.sim, NULL, NULL) > 0.1);
    run_stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_period),
        cmocka_unit_test(test_partition_turns),
        cmocka_unit_test(test_partition_long_steps),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_methods_agree),
        cmocka_unit_test(test_energy_and_work),
        cmocka_unit_test(test_parallelogram_chain),
        cmocka_unit_test(test_slider_crank_kinematics),
        cmocka_unit_test(test_input_in_a_constraint),
        cmocka_unit_test(test_no_freedom),
        cmocka_unit_test(test_outer_integrator),
        cmocka_unit_test(test_penalty_scale),
        cmocka_unit_test(test_local_error),
        cmocka_unit_test(test_local_error_has_no_unit),
        cmocka_unit_test(test_local_error_of_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
