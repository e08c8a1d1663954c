// Implicit integrators with the hybrid, the semi-recursive and the recursive formulation: order two on every kind of
// mechanism, published energies, stiff forces, derivatives of forces against differences of these, and
// what does not go together.
#include "harness.h"

#include "kernel/ctk_internal.h"

static double last_error(const table *have, const table *want) {
    double worst = 0;
    for (int k = 0; k < have->columns; k++) {
        int c = table_column(want, have->names[k]);
        if (c >= 0)
            worst = fmax(
                worst, difference(table_at(have, have->n - 1, k), table_at(want, want->n - 1, c)));
    }
    return worst;
}

static const char *const methods[] = {"hybrid", "semi-recursive", "recursive", "partition"};
static const char *const integrators[] = {"trapezoid", "hht", "generalized-alpha"};

// order -------------------------------------------------------------------------------------------
// One model for each kind of trouble; the time of its run, the step.
static const struct {
    const char *name;
    double time, step;
} smooth[] = {
    {"four_bar", 0.4, 4e-3},          // plane
    {"spatial_four_bar", 0.4, 4e-3},  // balls in a loop
    {"free_body", 0.4, 4e-3},         // a whole rotation, in the frame of its body
    {"spherical_zxz", 0.2, 2e-3},     // angles that forces name
    {"bricard", 0.2, 4e-3},           // redundant rows
    {"closure_massless", 0.2, 4e-3},  // a body without mass
    {"motion_coordinate", 0.2, 4e-3}, // rows of time
    {"screw", 0.2, 4e-3},
    {"tyre_rig", 0.2, 2e-3},
};

// Halving the step divides the error by four, by every method and integrator.
static void errors_are_of_second_order(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++)
        for (int j = 0; j < 6; j++) {
            double time = smooth[i].time, error[2];
            mech k = mech_model(smooth[i].name, NULL);
            assert_made(&k);
            table want = run_mech(
                &k, &(run_settings){.integrator = "cvode", .time = time, .output_step = time},
                NULL);
            for (int half = 0; half < 2; half++) {
                ct_run_summary summary;
                table have = run_mech(&k,
                                      &(run_settings){.method = methods[j < 4 ? j : 0],
                                                      .integrator = integrators[j < 4 ? 0 : j - 3],
                                                      .time = time,
                                                      .step = smooth[i].step / (1 + half),
                                                      .output_step = time},
                                      &summary);
                error[half] = last_error(&have, &want);
                if (!(summary.unconverged == 0 && summary.iterations < (j == 2 ? 5.5 : 2.2)))
                    fail_msg("%s, %d: %.3g iterations", smooth[i].name, j, summary.iterations);
                assert_true(summary.max_residual < 1e-8);
                table_clear(&have);
            }
            if (!(error[0] > 3.4 * error[1] && error[0] < 4.6 * error[1]))
                fail_msg("%s, %d: %.3e, %.3e", smooth[i].name, j, error[0], error[1]);
            table_clear(&want);
            mech_clear(&k);
        }
}

// known figures -----------------------------------------------------------------------------------
// The double four-bar passes its flat position ten times. Its energy is that of the trapezoid on the
// exact equation of its one freedom.
static void energies_of_the_double_four_bar(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.03, 0.05, 0.1},
                        want[] = {-0.01367, -0.12282, -0.34028, -1.34276};
    mech k = mech_model("double_four_bar", NULL);
    assert_made(&k);
    for (int i = 0; i < 12; i++) {
        ct_run_summary summary;
        table t = run_mech(&k,
                           &(run_settings){.method = methods[i / 4],
                                           .step = steps[i % 4],
                                           .output_step = steps[i % 4]},
                           &summary);
        int c = table_column(&t, "energy");
        double off = 0;
        for (int r = 0; r < t.n; r++) {
            double e = table_at(&t, r, c) - table_at(&t, 0, c);
            if (fabs(e) > fabs(off)) off = e;
        }
        assert_near(off, want[i % 4], 0.001 * fabs(want[i % 4]));
        assert_true(summary.iterations <= (i < 8 ? 2.2 : 3.5) && summary.max_residual < 1e-8);
        assert_string_equal(summary.integrator, "trapezoid");
        table_clear(&t);
    }
    mech_clear(&k);
}

// A parallelogram that starts flat, where it has one freedom more and no regular coordinate: hybrid goes on
// and recursive go on with the energy of the start, semi-recursive names the joint.
static void singular_starts(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  left:  {mass: 1, inertia: 1/12, com: [0.5, 0, 0], points: {tip: [1, 0, 0]}}\n"
        "  rod:   {mass: 1, inertia: 1/12, com: [0.5, 0, 0], points: {end: [1, 0, 0]}}\n"
        "  right: {mass: 1, inertia: 1/12, com: [0.5, 0, 0], points: {tip: [1, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, left], axis: z}\n"
        "  D: {type: revolute, between: [left, rod], at: [tip, [0, 0, 0]], axis: z}\n"
        "  B: {type: revolute, between: [ground, right], at: [[1, 0, 0], [0, 0, 0]], axis: z}\n"
        "  E: {type: revolute, between: [rod, right], at: [end, tip], axis: z}\n"
        "initial: {A: [0, 3], B: [0, 3]}\n"
        "guess: {D: 0, E: 0}\n"
        "outputs: {energy: kinetic + potential}\n";
    mech k = mech_text("flat", text, NULL);
    assert_made(&k);
    table t;
    for (int i = 0; i < 2; i++) {
        t = run_mech(&k, &(run_settings){.method = methods[2 * i], .step = 1e-3, .time = 0.3},
                     NULL);
        assert_near(table_last(&t, "energy"), table_at(&t, 0, table_column(&t, "energy")), 1e-4);
        assert_near(table_last(&t, "A"), table_last(&t, "B"), 1e-9);
        assert_true(table_last(&t, "A") > 0.3);
        table_clear(&t);
    }
    assert_int_equal(run_rows(&k, &(run_settings){.method = "semi-recursive"}, &t, NULL),
                     CT_NUMERICS);
    assert_true(has_message(k.ctx, "the loop through 'E' is in a singular position"));
    table_clear(&t);
    mech_clear(&k);
}

// A tyre, a hard stop, a kerb and a rod without mass: every step converges with the derivatives of the
// forces, long ones do not without. Steps are divided at the kerb; where long ones meet the stop is chance.
static void stiff_forces_converge(void **state) {
    (void)state;
    static const struct {
        double step, tolerance;
    } runs[] = {{1e-3, 0.2e-3}, {5e-3, 2e-3}, {0.01, 15e-3}, {0.03, 15e-3}};
    mech k = mech_model("quarter_car", NULL);
    assert_made(&k);
    for (int i = 0; i < 8; i++) {
        ct_run_summary summary;
        table t = run_mech(
            &k,
            &(run_settings){
                .method = methods[i / 4], .step = runs[i % 4].step, .time = 4, .output_step = 0.5},
            &summary);
        int c = table_column(&t, "heave");
        assert_near(table_at(&t, 5, c), -0.0066687, 1e-6);
        assert_near(table_at(&t, 7, c), -0.0779951, runs[i % 4].tolerance);
        assert_true(summary.unconverged == 0 && summary.iterations < 2.7);
        table_clear(&t);
    }
    table t = {0};
    ct_run_options o =
        run_options(&(run_settings){.method = "hybrid", .step = 0.01, .time = 4}, &t);
    o.tangent = "none";
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_NUMERICS);
    for (int i = 0; i < t.n * t.columns; i++) assert_true(isfinite(t.value[i]));
    table_clear(&t);
    mech_clear(&k);
}

// The fixed point of recursive contracts for short steps; for long ones it says what to do. Its results are
// those of hybrid.
static void stiff_forces_bound_the_fixed_point(void **state) {
    (void)state;
    mech k = mech_model("quarter_car", NULL);
    assert_made(&k);
    ct_run_summary summary;
    run_settings w = {.method = "recursive", .step = 1e-3, .time = 4, .output_step = 0.5};
    table t = run_mech(&k, &w, &summary);
    int c = table_column(&t, "heave");
    assert_near(table_at(&t, 5, c), -0.0066687, 1e-6);
    assert_near(table_at(&t, 7, c), -0.0779951, 0.6e-3);
    assert_true(summary.unconverged == 0 && summary.iterations < 3);
    table_clear(&t);
    w.step = 0.01;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "does not contract") &&
                has_message(k.ctx, "or --method hybrid"));
    for (int i = 0; i < t.n * t.columns; i++) assert_true(isfinite(t.value[i]));
    table_clear(&t);
    mech_clear(&k);
}

// A body without mass or inertia that nothing holds has no acceleration.
static void free_bodies_without_mass_are_named(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: 1, com: [0.5, 0, 0], points: {tip: [1, 0, 0]}}\n"
        "  rod: {mass: 0, inertia: 0, points: {end: [1, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, arm], axis: z}\n"
        "  B: {type: revolute, between: [arm, rod], at: [tip, [0, 0, 0]], axis: z}\n"
        "initial: {A: [0, 1]}\n";
    for (int i = 0; i < 3; i++) {
        mech k = mech_text("free_rod", text, NULL);
        assert_made(&k);
        table t = {0};
        assert_int_equal(run_rows(&k, &(run_settings){.method = methods[i]}, &t, NULL),
                         CT_NUMERICS);
        if (!has_message(k.ctx, "'B'")) fail_msg("%s", methods[i]);
        table_clear(&t);
        mech_clear(&k);
    }
}

// The recursion by itself: q'' of the tree solves M q'' = F, and its answer to a force M x = f, with M and F
// of the same mechanism written for another method.
static void recursion_solves_the_mass_matrix(void **state) {
    (void)state;
    static const char *const names[] = {"double_pendulum", "free_body",     "spherical_zxz",
                                        "delta",           "vehicle_14dof", "gough_stewart"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ct_runner r[2];
        mech k[2];
        for (int j = 0; j < 2; j++) {
            static ct_run_options o[2];
            k[j] = mech_model(names[i], NULL);
            assert_made(k + j);
            ct_run_options_init(o + j);
            o[j].method = j ? "recursive" : "hybrid";
            assert_int_equal(ct_runner_open(r + j, k[j].ctx, k[j].s, o + j, false), CT_OK);
        }
        ctk_sim *m = &r[0].sim, *x = &r[1].sim;
        const int n = m->model->n;
        assert_true(x->model->recursion && !x->model->n_light);
        ctk_equations(m, 0, m->q, m->qd);
        ctk_equations(x, 0, m->q, m->qd);
        double f[128], answer[128], largest = 0;
        for (int j = 0; j < n; j++) f[j] = sin(1 + 3 * j);
        x->model->answer(x->c, 0, x->space.implicit.numbers, f, answer);
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(m->space.forcing[j]));
        for (int j = 0; j < n; j++) {
            const double *row = m->space.mass + j * n;
            double size = largest + 1;
            for (int l = 0; l < n; l++) size += fabs(row[l] * answer[l]);
            assert_near(ctk_dot(n, row, x->space.implicit.tree), m->space.forcing[j], 1e-11 * size);
            assert_near(ctk_dot(n, row, answer), f[j], 1e-11 * size);
        }
        for (int j = 0; j < 2; j++) {
            ct_runner_close(r + j);
            mech_clear(k + j);
        }
    }
}

// A four-bar that rocks: coordinates of semi-recursive change twice in each swing, and add no energy.
static void changes_of_coordinates_add_no_energy(void **state) {
    (void)state;
    mech k = mech_model("four_bar_falling", NULL);
    assert_made(&k);
    for (int i = 0; i < 3; i++) {
        ct_run_summary summary;
        table t = run_mech(&k,
                           &(run_settings){.method = methods[i],
                                           .integrator = "generalized-alpha",
                                           .step = 0.01,
                                           .time = 20,
                                           .output_step = 1},
                           &summary);
        if (!(summary.energy_drift < 0.01)) fail_msg("%s: %.3e", methods[i], summary.energy_drift);
        table_clear(&t);
    }
    mech_clear(&k);
}

// With rho = 1 generalized-alpha is the trapezoid; with less, the largest energy falls from each tenth
// of a long run to the next.
static void dissipation(void **state) {
    (void)state;
    mech k = mech_model("double_four_bar", NULL);
    assert_made(&k);
    table t[3] = {{0}};
    static const double rho[] = {-1, 1, 0.8};
    for (int i = 0; i < 3; i++) {
        run_settings w = {.method = "hybrid",
                          .integrator = i ? "generalized-alpha" : "trapezoid",
                          .time = i < 2 ? 1 : 100,
                          .step = 0.02,
                          .output_step = 0.02};
        ct_run_options o = run_options(&w, t + i);
        const char *const *names;
        o.rho = rho[i];
        assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_OK);
        int n = ct_result_columns(k.s, false, &names);
        table_names(t + i, n, names);
    }
    for (int i = 0; i < t[0].n * t[0].columns; i++) assert_near(t[0].value[i], t[1].value[i], 1e-9);
    int c = table_column(t + 2, "energy");
    double most[10];
    for (int i = 0; i < 10; i++) most[i] = -HUGE_VAL;
    for (int r = 1; r < t[2].n; r++) {
        int part = (r - 1) * 10 / (t[2].n - 1);
        most[part] = fmax(most[part], table_at(t + 2, r, c));
    }
    for (int i = 1; i < 10; i++) assert_true(most[i] < most[i - 1]);
    assert_true(most[1] < table_at(t + 2, 0, c));
    for (int i = 0; i < 3; i++) table_clear(t + i);
    mech_clear(&k);
}

// derivatives of the forces -----------------------------------------------------------------------
static void forces_at(const ctk_sim *sim, const double *q, const double *qd, double *forcing) {
    const ctk_space *s = &sim->space;
    double power;
    sim->model->dynamics(sim->c, sim->t, q, qd, sim->u, s->mass, forcing, s->phi, s->phi_q,
                         s->phi_t, s->gamma, &power);
}

// Central differences of F, along turns for rotations; the largest difference to K or C, relative to
// the largest entry.
static double slope_error(const ctk_sim *sim, bool of_rates, int n_entries, const int *places,
                          const double *entries) {
    const ctk_model *m = sim->model;
    const double e = 1e-6;
    double q[128], d[64], f[2][64], qd[64], worst = 0, largest = 1e-6;
    for (int k = 0; k < m->n; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(q, sim->q, (size_t)(m->n + m->n_rotations) * sizeof *q);
            memcpy(qd, sim->qd, (size_t)m->n * sizeof *qd);
            memset(d, 0, sizeof d);
            d[k] = side ? e : -e;
            if (of_rates)
                qd[k] += d[k];
            else
                ctk_move(m, 1, d, q);
            forces_at(sim, q, qd, f[side]);
        }
        for (int i = 0; i < m->n; i++) {
            double slope = 0, want = (f[0][i] - f[1][i]) / (2 * e);
            for (int j = 0; j < n_entries; j++)
                if (places[j] == i * m->n + k) slope = entries[j];
            worst = fmax(worst, fabs(slope - want));
            largest = fmax(largest, fabs(want));
        }
    }
    return worst / largest;
}

static void slopes_are_derivatives(void **state) {
    (void)state;
    static const char *const names[] = {"four_bar",      "free_body",        "spherical_zxz",
                                        "spherical_xyz", "spatial_four_bar", "engine_mount",
                                        "laws",          "tyre_rig",         "spring_platform",
                                        "gear_rack",     "vehicle_14dof",    "quarter_car"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mech k = mech_model(names[i], NULL);
        assert_made(&k);
        ct_run_options o;
        ct_run_options_init(&o);
        o.method = "hybrid";
        ct_runner r;
        assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
        const ctk_model *m = r.code.model;
        for (int s = 0; s < 20; s++) assert_int_equal(ctk_step(&r.sim, 1e-3), CTK_OK);
        assert_int_equal(ctk_refresh(&r.sim), CTK_OK);
        const ctk_implicit_space *x = &r.sim.space.implicit;
        m->tangent(r.sim.c, r.sim.t, r.sim.q, r.sim.qd, r.sim.u, x->stiffness, x->damping);
        double stiffness =
            slope_error(&r.sim, false, m->n_stiffness, m->stiffness_places, x->stiffness);
        double damping = slope_error(&r.sim, true, m->n_damping, m->damping_places, x->damping);
        if (!(stiffness < 1e-5 && damping < 1e-6))
            fail_msg("%s: %.2e %.2e", names[i], stiffness, damping);
        ct_runner_close(&r);
        mech_clear(&k);
    }
}

// what does not go --------------------------------------------------------------------------------
static void what_does_not_go_is_said(void **state) {
    (void)state;
    static const struct {
        const char *method, *integrator, *tangent, *message;
        double iterations, rho, hht;
    } cases[] = {
        {"hybrid", "rk4", NULL, "needs an implicit integrator, not rk4: try --integrator trapezoid",
         -1, -1, -1},
        {"semi-recursive", "cvode", NULL, "try --integrator trapezoid", -1, -1, -1},
        {"triangular", "trapezoid", NULL,
         "needs method hybrid, semi-recursive, global, recursive or partition", -1, -1, -1},
        {"augmented", "hht", NULL, "needs method hybrid", -1, -1, -1},
        {"recursive", "ab4", NULL, "needs an implicit integrator, not ab4", -1, -1, -1},
        {"partition", "ida", NULL, "it has method augmented, not partition", -1, -1, -1},
        {"hybrid", NULL, "some", "unknown tangent", -1, -1, -1},
        {"hybrid", NULL, NULL, "whole number", 2.5, -1, -1},
        {"hybrid", "generalized-alpha", NULL, "rho must be", -1, 1.1, -1},
        {"hybrid", "hht", NULL, "hht must be", -1, -1, 0.5},
        {"global", "rk4", NULL, "method global needs an implicit integrator", -1, -1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mech k = mech_model("four_bar", NULL);
        assert_made(&k);
        ct_run_options o;
        ct_run_options_init(&o);
        o.method = cases[i].method;
        o.integrator = cases[i].integrator;
        o.tangent = cases[i].tangent;
        o.iterations = cases[i].iterations;
        o.rho = cases[i].rho;
        o.hht = cases[i].hht;
        assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_USAGE);
        if (!has_message(k.ctx, cases[i].message)) fail_msg("no message '%s'", cases[i].message);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_of_second_order),
        cmocka_unit_test(energies_of_the_double_four_bar),
        cmocka_unit_test(singular_starts),
        cmocka_unit_test(stiff_forces_converge),
        cmocka_unit_test(stiff_forces_bound_the_fixed_point),
        cmocka_unit_test(free_bodies_without_mass_are_named),
        cmocka_unit_test(recursion_solves_the_mass_matrix),
        cmocka_unit_test(changes_of_coordinates_add_no_energy),
        cmocka_unit_test(dissipation),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(what_does_not_go_is_said),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
