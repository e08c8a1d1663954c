// Examples of a publication on real-time formulations (Cuadrado, Dopico, Gonzalez and Naya 2003) beside the
// double four-bar and the quarter car, which other tests have: a car on stairs, an arm whose hand is pinned.
#include "harness.h"

// The whole car on its stairs, stops as soft as its leaves: every step up to 0.035 s converges. Before the
// stairs the motion is smooth but for the bends of the ramp.
static void car_on_stairs(void **state) {
    (void)state;
    static const double steps[] = {5e-3, 0.01, 0.02, 0.035}, iterations[] = {2.2, 2.6, 3.1, 4.9};
    static const char *const soft[] = {"stop=35906"};
    mech k = mech_file_set(CT_MODELS_DIR "/iltis.yaml", NULL, 1, soft);
    assert_made(&k);
    ct_check_info info;
    assert_int_equal(ct_check(k.ctx, k.s, &info), CT_OK);
    assert_true(info.coordinates == 26 && info.constraints == 16 && info.dof == 10);
    table fine = {0};
    for (int i = 0; i < 4; i++) {
        ct_run_summary summary;
        table t = run_mech(
            &k,
            &(run_settings){.method = "hybrid", .step = steps[i], .time = 8, .output_step = 3.5},
            &summary);
        assert_true(summary.unconverged == 0 && summary.iterations < iterations[i] &&
                    summary.most_iterations <= 9);
        if (i == 0) fine = t;
        // on the ramp's end, and at rest behind the stairs
        int c = table_column(&t, "body.z");
        assert_near(table_at(&t, 1, c), table_at(&fine, 1, c), 5e-3);
        assert_near(table_at(&t, 3, c), table_at(&fine, 3, c), 1e-4);
        if (i) table_clear(&t);
    }
    table_clear(&fine);
    mech_clear(&k);
}

// Where the car rests: what the benchmark says to its last digit, -7.083 mm and 0.1465 degrees.
static void car_at_rest(void **state) {
    (void)state;
    mech k = mech_model("iltis", NULL);
    assert_made(&k);
    ct_equilibrium_options o;
    ct_equilibrium_options_init(&o);
    ct_equilibrium_info *r = NULL;
    assert_int_equal(ct_equilibrium(k.ctx, k.s, &o, &r), CT_OK);
    double height = NAN, pitch = NAN;
    for (int i = 0; i < r->n; i++) {
        if (!strcmp(r->names[i], "body.z")) height = r->values[i];
        if (!strcmp(r->names[i], "body.2")) pitch = r->values[i];
    }
    assert_near(height, 0.57 - 7.0832e-3, 0.5e-7);
    assert_near(pitch, 0.0025575, 0.5e-7);
    ct_equilibrium_free(r);
    mech_clear(&k);
}

// An arm whose hand is pinned for a while: where the hand is in the end, against rk4.
static void hand_that_was_pinned(void **state) {
    (void)state;
    static const struct { double step, error; } runs[] = {{0.01, 0.8e-3}, {1e-3, 0.015e-3}};
    static const char *const hand[] = {"hand_x", "hand_y", "hand_z"};
    mech k = mech_model("puma", NULL);
    assert_made(&k);
    table want = run_mech(
        &k,
        &(run_settings){.method = "partition", .integrator = "rk4", .step = 2e-3, .output_step = 8},
        NULL);
    double error[4];
    for (int i = 0; i < 4; i++) {
        table t = run_mech(&k,
                           &(run_settings){.method = i / 2 ? "semi-recursive" : "hybrid",
                                           .integrator = "trapezoid",
                                           .step = runs[i % 2].step,
                                           .output_step = 8},
                           NULL);
        double squares = 0;
        for (int c = 0; c < 3; c++) {
            double d = table_last(&t, hand[c]) - table_last(&want, hand[c]);
            squares += d * d;
        }
        error[i] = sqrt(squares);
        assert_true(error[i] < runs[i % 2].error);
        table_clear(&t);
    }
    // both methods have the same error
    for (int i = 0; i < 2; i++) assert_near(error[i + 2], error[i], 0.02 * error[i]);
    table_clear(&want);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(car_on_stairs),
        cmocka_unit_test(car_at_rest),
        cmocka_unit_test(hand_that_was_pinned),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
