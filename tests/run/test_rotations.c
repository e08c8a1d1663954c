// Rotations have no singular position: runs pass the lock of the angles that results show, these
// continue, and a lock ends a run only where something needs the rate of an angle there.
#include "harness.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_of_a_chord_continue),
        cmocka_unit_test(a_driven_angle_ends_in_the_lock),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
