// Method global, natural coordinates with an augmented Lagrangian: order two on every kind of
// mechanism, energies of the literature, columns and reactions as by other methods, singular starts,
// other values of parameters, derivatives of forces.
#include "harness.h"

#include "kernel/ctk_internal.h"

static double worst_difference(const table *have, const table *want, int from) {
    double worst = 0;
    assert_int_equal(have->columns, want->columns);
    for (int r = from; r < have->n; r++)
        for (int k = 0; k < have->columns; k++) {
            int c = table_column(want, have->names[k]);
            assert_true(c >= 0);
            worst = fmax(worst, difference(table_at(have, r, k), table_at(want, r, c)));
        }
    return worst;
}

// Halving the step divides the error by four. Models in the plane and in space: loops, balls, springs,
// contact, tyres, motions, gears, redundant rows, bodies without mass, bodies without joints, angles
// over many turns.
static void errors_are_of_second_order(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double time, step;
    } smooth[] = {
        {"four_bar", 0.4, 4e-3},          {"spatial_four_bar", 0.4, 4e-3},
        {"free_body", 0.4, 4e-3},         {"spherical_zxz", 0.2, 1e-3},
        {"bricard", 0.2, 4e-3},           {"closure_massless", 0.2, 4e-3},
        {"motion_coordinate", 0.2, 4e-3}, {"screw", 0.2, 4e-3},
        {"tyre_rig", 0.2, 1e-3},          {"gear_rack", 0.2, 4e-3},
        {"link_rods", 0.2, 4e-3},         {"motion_point", 0.2, 4e-3},
        {"governor", 0.2, 4e-3},          {"engine_mount", 0.1, 1e-3},
        {"inline_inplane", 0.2, 4e-3},    {"closure_tilted", 0.2, 4e-3},
    };
    static const char *const integrators[] = {"trapezoid", "hht", "generalized-alpha"};
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        double time = smooth[i].time, error[2];
        const char *integrator = integrators[i < 3 ? 0 : i % 3];
        mech k = mech_model(smooth[i].name, NULL);
        assert_made(&k);
        table want = run_mech(
            &k, &(run_settings){.integrator = "cvode", .time = time, .output_step = time}, NULL);
        for (int half = 0; half < 2; half++) {
            ct_run_summary summary;
            table have = run_mech(&k,
                                  &(run_settings){.method = "global",
                                                  .integrator = integrator,
                                                  .time = time,
                                                  .step = smooth[i].step / (1 + half),
                                                  .output_step = time},
                                  &summary);
            error[half] = worst_difference(&have, &want, 1);
            assert_true(summary.unconverged == 0 && summary.iterations < 2.2);
            assert_true(summary.max_residual < 1e-8 && summary.natural_coordinates > 0);
            table_clear(&have);
        }
        if (!(error[0] > 3.4 * error[1] && error[0] < 4.6 * error[1]))
            fail_msg("%s, %s: %.3e, %.3e", smooth[i].name, integrator, error[0], error[1]);
        table_clear(&want);
        mech_clear(&k);
    }
}

// The double four-bar passes its flat position ten times. Energy is lost in the projection of rates:
// -0.092, -0.98 and -3.05 J by a prototype, -0.21, -0.83 and -9.03 J in the literature.
static void energies_of_the_double_four_bar(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.03, 0.05}, least[] = {-0.22, -1.1, -4},
                        found[] = {-0.0915, -0.980, -3.050};
    mech k = mech_model("double_four_bar", NULL);
    assert_made(&k);
    for (int i = 0; i < 3; i++) {
        ct_run_summary summary;
        table t = run_mech(
            &k, &(run_settings){.method = "global", .step = steps[i], .output_step = steps[i]},
            &summary);
        int c = table_column(&t, "energy");
        double low = 0, high = 0;
        for (int r = 0; r < t.n; r++) {
            double e = table_at(&t, r, c) - table_at(&t, 0, c);
            low = fmin(low, e);
            high = fmax(high, e);
        }
        assert_true(low > least[i] && high < 1e-6);
        assert_near(low, found[i], 0.01 * fabs(found[i]));
        assert_true(summary.unconverged == 0 && summary.natural_coordinates == 6);
        table_clear(&t);
    }
    mech_clear(&k);
}

// Rows of results, reactions among them, are those of the hybrid formulation.
static void columns_and_reactions_agree(void **state) {
    (void)state;
    static const char *const names[] = {"four_bar",  "governor", "link_rods",
                                        "gear_rack", "laws",     "two_loops"};
    static const char *const methods[] = {"global", "hybrid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mech k = mech_model(names[i], NULL);
        assert_made(&k);
        table t[2] = {{0}};
        for (int j = 0; j < 2; j++) {
            ct_run_options o = run_options(
                &(run_settings){
                    .method = methods[j], .time = 0.02, .step = 2e-4, .output_step = 0.01},
                t + j);
            o.reactions = "";
            assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_OK);
        }
        assert_int_equal(t[0].columns, t[1].columns);
        for (int r = 0; r < t[0].n * t[0].columns; r++)
            if (!(difference(t[0].value[r], t[1].value[r]) < 1e-4))
                fail_msg("%s: %g, %g", names[i], t[0].value[r], t[1].value[r]);
        table_clear(t);
        table_clear(t + 1);
        mech_clear(&k);
    }
}

// A parallelogram that starts flat goes on with the energy of the start, a pendulum counts its turns.
static void singular_starts_and_turns(void **state) {
    (void)state;
    static const char flat[] =
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
    static const char turning[] =
        "cotree: 1\n"
        "bodies: {wheel: {mass: 1, inertia: 1}, hand: {mass: 1, inertia: 1}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, wheel], axis: z}\n"
        "  B: {type: revolute, between: [ground, hand], axis: z}\n"
        "  g: {type: gear, joints: [A, B], ratio: 1/12}\n"
        "initial: {A: [0, 20]}\n";
    mech k = mech_text("flat", flat, NULL);
    assert_made(&k);
    table t = run_mech(&k, &(run_settings){.method = "global", .step = 1e-3, .time = 0.3}, NULL);
    assert_near(table_last(&t, "energy"), table_at(&t, 0, table_column(&t, "energy")), 1e-3);
    assert_near(table_last(&t, "A"), table_last(&t, "B"), 1e-9);
    assert_true(table_last(&t, "A") > 0.3);
    table_clear(&t);
    mech_clear(&k);
    k = mech_text("turning", turning, NULL);
    assert_made(&k);
    t = run_mech(&k, &(run_settings){.method = "global", .step = 1e-3, .time = 2}, NULL);
    assert_near(table_last(&t, "A"), 40, 0.01);
    assert_near(table_last(&t, "B"), table_last(&t, "A") / 12, 1e-9);
    table_clear(&t);
    mech_clear(&k);
}

// Stiff forces with long steps.
static void stiff_forces_converge(void **state) {
    (void)state;
    mech k = mech_model("quarter_car", NULL);
    assert_made(&k);
    ct_run_summary summary;
    table t = run_mech(
        &k, &(run_settings){.method = "global", .step = 1e-3, .time = 4, .output_step = 0.5},
        &summary);
    int c = table_column(&t, "heave");
    assert_near(table_at(&t, 5, c), -0.0066687, 1e-6);
    assert_near(table_at(&t, 7, c), -0.0779951, 0.6e-3);
    assert_true(summary.unconverged == 0 && summary.iterations < 2.7);
    table_clear(&t);
    mech_clear(&k);
}

// After a run by one method, one by another; values that are set, where a bar loses its length.
static void methods_follow_each_other(void **state) {
    (void)state;
    mech k = mech_model("four_bar", NULL);
    assert_made(&k);
    static const char *const methods[] = {"triangular", "global", "hybrid", "global"};
    table t[4];
    for (int i = 0; i < 4; i++)
        t[i] = run_mech(
            &k,
            &(run_settings){.method = methods[i], .time = 0.1, .step = 1e-3, .output_step = 0.1},
            NULL);
    for (int i = 1; i < 4; i++) assert_true(worst_difference(t + i, t, 1) < 1e-4);
    assert_true(worst_difference(t + 3, t + 1, 1) == 0);
    for (int i = 0; i < 4; i++) table_clear(t + i);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_of_second_order),
        cmocka_unit_test(energies_of_the_double_four_bar),
        cmocka_unit_test(columns_and_reactions_agree),
        cmocka_unit_test(singular_starts_and_turns),
        cmocka_unit_test(stiff_forces_converge),
        cmocka_unit_test(methods_follow_each_other),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
