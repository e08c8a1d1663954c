// Forces that follow from the motion, against what is known of them in closed form: Hertz and
// Hunt-Crossley impacts, sliding and resting on a slope, work and energy; all methods alike.
#include "harness.h"

// A sphere of 1 kg that flies down on a plane with 1.5 m/s, without gravity.
#define SPHERE                                                                                     \
    "cotree: 1\nbodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004]}}\njoints: {pose: {type: " \
    "free, between: "                                                                              \
    "[ground, ball]}}\ninitial: {pose.z: [0.11, -1.5]}\nforces: {floor: {type: contact, between: " \
    "[ground, ball], plane: z, radius: 0.1, stiffness: 1e6, exponent: 1.5"
static const run_settings impact = {
    .integrator = "cvode", .time = 0.02, .step = 1e-5, .rtol = 1e-11, .atol = 1e-13};

// Deepest place (5 m v^2 / (4 k))^(2/5), and the speed comes back.
static void hertz(void **state) {
    (void)state;
    mech k = mech_text("hertz", SPHERE "}}\n", NULL);
    table t = run_mech(&k, &impact, NULL);
    double deepest = 0;
    int z = table_column(&t, "pose.z");
    for (int i = 0; i < t.n; i++) deepest = fmax(deepest, 0.1 - table_at(&t, i, z));
    const double expected = pow(5 * 1.5 * 1.5 / (4 * 1e6), 0.4);
    assert_near(deepest, expected, 1e-3 * expected); // rows are 1e-5 s apart
    assert_near(table_last(&t, "pose.z'"), 1.5, 1e-8);
    table_clear(&t);
    mech_clear(&k);
}

// The speed w after an impact with v: a (v + w) = log((1 + a v) / (1 - a w)), for any k and e.
static void restitution(void **state) {
    (void)state;
    const double a = 0.2, v = 1.5;
    double low = 0, high = v;
    for (int i = 0; i < 100; i++) {
        const double w = 0.5 * (low + high), gap = a * (v + w) - log((1 + a * v) / (1 - a * w));
        if (gap > 0)
            low = w;
        else
            high = w;
    }
    mech k = mech_text("restitution", SPHERE ", dissipation: 0.2}}\n", NULL);
    table t = run_mech(&k, &impact, NULL);
    assert_near(table_last(&t, "pose.z'"), low, 1e-7);
    table_clear(&t);
    mech_clear(&k);
}

// Sliding down a slope with a = g (sin - mu cos); with more friction it comes to rest but for the
// creep s tan / sqrt(mu^2 - tan^2) of the smooth law.
static void slope(void **state) {
    (void)state;
    const double g = 9.81, angle = 0.3, k = 1e5, slip = 1e-3;
    for (int i = 0; i < 2; i++) {
        const double mu = i ? 0.5 : 0.2, v0 = i ? 0.2 : 1, time = i ? 1 : 0.5;
        char *text = ct_format(
            "cotree: 1\ngravity: [%.17g, 0, %.17g]\nbodies: {block: {mass: 2, inertia: [1e3, 1e3, "
            "1e3]}}\n"
            "joints: {pose: {type: free, between: [ground, block]}}\n"
            "initial: {pose.x: [0, %.17g], pose.z: %.17g}\n"
            "forces: {floor: {type: contact, between: [ground, block], plane: z, stiffness: %g, "
            "damping: 200, friction: %g}}\n",
            g * sin(angle), -g * cos(angle), v0, -2 * g * cos(angle) / k, k, mu);
        mech m = mech_text("slope", text, NULL);
        const run_settings w = {
            .integrator = "cvode", .time = time, .step = 1e-2, .rtol = 1e-10, .atol = 1e-12};
        table t = run_mech(&m, &w, NULL);
        const double a = g * (sin(angle) - mu * cos(angle));
        if (i == 0) {
            assert_near(table_last(&t, "pose.x"), v0 * time + 0.5 * a * time * time, 1e-5);
            assert_near(table_last(&t, "pose.x'"), v0 + a * time, 1e-5);
        } else {
            const double creep = slip * tan(angle) / sqrt(mu * mu - tan(angle) * tan(angle));
            assert_near(table_last(&t, "pose.x'"), creep, 1e-7);
        }
        table_clear(&t);
        mech_clear(&m);
        ct_free(text);
    }
}

// A cart between two stops, with friction and air: kinetic energy is lost to them alone.
static void energy(void **state) {
    (void)state;
    mech k = mech_text(
        "energy",
        "cotree: 1\nbodies: {cart: {mass: 2, points: {C: [0.1, 0, 0]}}}\n"
        "points: {O: [-1, 0, 0]}\n"
        "joints: {s: {type: prismatic, between: [ground, cart], axis: x}}\n"
        "initial: {s: [0, 3]}\n"
        "forces:\n"
        "  stop: {type: limit, joint: s, upper: 0.4, lower: -0.2, stiffness: 1e4, damping: 5}\n"
        "  rub: {type: friction, joint: s, coulomb: 2, static: 3, viscous: 0.1}\n"
        "  air: {type: drag, on: cart, linear: 0.2, quadratic: 0.3, wind: [1, 0, 0]}\n"
        "  law: {type: spring, between: [ground.O, cart.C], length: 0.2,\n"
        "        force: \"if(extension > 0, 5*extension^3, 0) + 0.1*rate\"}\n",
        NULL);
    const run_settings w = {
        .integrator = "cvode", .time = 1, .step = 1e-2, .rtol = 1e-11, .atol = 1e-13};
    ct_run_summary summary;
    table t = run_mech(&k, &w, &summary);
    assert_true(summary.energy_drift < 1e-8);
    table_clear(&t);
    mech_clear(&k);
}

// All laws at once, by every method.
static void methods(void **state) {
    (void)state;
    static const char *const names[] = {"triangular", "partition", "newton", "augmented"};
    table first = {0};
    for (int i = 0; i < 4; i++) {
        mech k = mech_model("laws", NULL);
        const run_settings w = {
            .method = names[i], .integrator = "cvode", .rtol = 1e-11, .atol = 1e-13};
        ct_run_summary summary;
        table t = run_mech(&k, &w, &summary);
        assert_true(summary.energy_drift < 1e-9);
        for (int c = 0; i && c < t.columns; c++)
            assert_near(table_at(&t, t.n - 1, c), table_at(&first, first.n - 1, c), 1e-8);
        if (i)
            table_clear(&t);
        else
            first = t;
        mech_clear(&k);
    }
    table_clear(&first);
}

// A bushing that is turned far pulls back about its axis with k r, and its potential is k r^2 / 2:
// what swings on it reaches the same angle on the other side.
static void turned_far(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        char *text = ct_format("cotree: 1\nbodies: {wheel: {mass: 1, inertia: [0.5, 0.5, 0.5]}}\n"
                               "joints: {h: {type: revolute, between: [ground, wheel], axis: %c}}\n"
                               "initial: {h: 3.1}\n"
                               "forces: {coil: {type: bushing, between: [ground, wheel], "
                               "stiffness: [0, 0, 0, 8, 8, 8]}}\n",
                               "xyz"[axis]);
        mech k = mech_text("turned", text, NULL);
        // half a period: pi / omega, omega^2 = 8 / 0.5
        const run_settings w = {.integrator = "cvode",
                                .time = 0.78539816339744831,
                                .step = 1e-2,
                                .rtol = 1e-11,
                                .atol = 1e-12};
        table t = run_mech(&k, &w, NULL);
        assert_near(table_last(&t, "h"), -3.1, 1e-7);
        assert_near(table_last(&t, "h'"), 0, 1e-6);
        table_clear(&t);
        mech_clear(&k);
        ct_free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hertz),  cmocka_unit_test(restitution), cmocka_unit_test(slope),
        cmocka_unit_test(energy), cmocka_unit_test(methods),     cmocka_unit_test(turned_far),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
