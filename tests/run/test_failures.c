// Runs that fail say when, where and why: numbers that are not finite by the name of what the user
// wrote, three angles in gimbal lock, springs without a direction, steps that are too long.
#include "harness.h"

#define ARM                                                                                        \
    "cotree: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}}\n"                                   \
    "joints: {O: {type: revolute, between: [ground, arm], axis: z}}\n"                             \
    "simulate: {time: 1, step: 1e-2}\n"
#define PLATE                                                                                      \
    "cotree: 1\n"                                                                                  \
    "bodies: {a: {mass: 1, inertia: 0.1}}\n"                                                       \
    "joints: {J: {type: planar, between: [ground, a], axis: z}}\n"                                 \
    "simulate: {time: 1, step: 1e-2}\n"
#define TOP                                                                                        \
    "cotree: 1\n"                                                                                  \
    "bodies: {top: {mass: 1, inertia: [0.1, 0.1, 0.05], com: [0, 0, 0.3]}}\n"                      \
    "simulate: {time: 1, step: 1e-2}\n"
#define CRANK                                                                                      \
    "cotree: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  crank:  {mass: 0.2, inertia: 0.002, com: [0.15, 0, 0], points: {A: [0.3, 0, 0]}}\n"         \
    "  rod:    {mass: 0.5, inertia: 0.006, com: [0.2, 0, 0], points: {B: [0.4, 0, 0]}}\n"          \
    "  piston: {mass: 1, inertia: 1e-3}\n"                                                         \
    "joints:\n"                                                                                    \
    "  O:     {type: revolute, between: [ground, crank], axis: z}\n"                               \
    "  A:     {type: revolute, between: [crank, rod], at: [A, [0,0,0]], axis: z}\n"                \
    "  B:     {type: revolute, between: [rod, piston], at: [B, [0,0,0]], axis: z}\n"               \
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"                             \
    "initial: {O: [pi/4, 0]}\n"                                                                    \
    "guess: {A: -1.0}\n"                                                                           \
    "simulate: {time: 1, step: 1e-3}\n"

typedef struct failing {
    const char *name, *text, *says;
    double from, to; // time of the last row that is kept; below zero: none
} failing;
static const failing cases[] = {
    {"actuator", ARM "forces: {drive: {type: actuator, joint: O, value: \"sqrt(0.5 - t)\"}}\n",
     "the value of force 'drive' is not a finite number", 0.49, 0.505},
    {"vector", ARM "forces: {push: {type: force, on: arm, vector: [0, \"log(1 + O)\", 0]}}\n",
     "the vector of force 'push' is not a finite number", 0.3, 0.6},
    {"stiffness",
     PLATE "forces: {s: {type: spring, between: [ground, a], stiffness: \"asin(2*t)\"}}\n"
           "initial: {J.x: 1}\n",
     "the stiffness of force 's' is not a finite number", 0.49, 0.505},
    {"motion", ARM "motions: {O: sqrt(0.5 - t)}\n", "motion 'O' is not a finite number", 0.48, 0.5},
    {"output", ARM "outputs: {fine: O, bad: \"log(0.8 - t)\"}\n",
     "at t = 0.8 the output 'bad' is not a finite number", 0.785, 0.795},
    {"output at the start", ARM "outputs: {bad: 1/t}\n",
     "at t = 0 the output 'bad' is not a finite number", -1, -1},
    {"lock at the start",
     TOP "joints: {S: {type: spherical, between: [ground, top]}}\n"
         "forces: {hold: {type: torsion, joint: S.1, stiffness: 1}}\n"
         "initial: {S.2: [pi/2, 0]}\n",
     "at t = 0 joint 'S' is in gimbal lock", -1, -1},
    {"lock on the way",
     TOP "joints: {S: {type: spherical, between: [ground, top]}}\n"
         "forces: {drive: {type: torsion, joint: S.1, stiffness: 1}}\n"
         "initial: {S.1: [0, 0], S.2: [0, pi], S.3: [0, 0]}\n",
     "force 'drive' needs the rate of each", 0.485, 0.505},
    {"lock of a proper sequence",
     TOP "joints: {S: {type: free, between: [ground, top], sequence: zxz}}\n"
         "forces: {hold: {type: torsion, joint: S.3, stiffness: 1}}\n",
     "at t = 0 joint 'S' is in gimbal lock", -1, -1},
    {"spring without a direction",
     PLATE "forces: {s: {type: spring, between: [ground, a], stiffness: 10, length: 1}}\n",
     "at t = 0 the ends of spring 's' lie on each other", -1, -1},
};
static const failing stiff[] = {
    // for fixed steps alone
    {"stiff spring in a loop",
     CRANK "forces: {s: {type: spring, between: [ground, piston], stiffness: 1e8, length: 0.5}}\n",
     "the step of 0.001 s is too long for", 0, 0.1},
    {"stiff actuator",
     PLATE "forces: {s: {type: actuator, joint: J.x, value: \"-1e9*(J.x + J.x')\"}}\n"
           "initial: {J.x: 0.1}\n",
     "the step of 0.01 s is too long for", 0, 0.2},
};

// Returns 1 if the run does not fail as it should.
static int is_wrong(const failing *f, const char *method, const char *integrator) {
    mech m = mech_text(f->name, f->text, NULL);
    table t = {0};
    run_settings w = {.method = method, .integrator = integrator};
    assert_made(&m);
    ct_status status = run_rows(&m, &w, &t, NULL);
    double last = t.n ? table_at(&t, t.n - 1, 0) : -1;
    bool rows = last >= f->from && last <= f->to;
    for (int j = 0; j < t.n * t.columns; j++) rows = rows && isfinite(t.value[j]);
    bool good = status == CT_NUMERICS && has_message(m.ctx, f->says) &&
                !has_message(m.ctx, "without mass") && !has_message(m.ctx, "limit position") &&
                !has_message(m.ctx, "'?'") && rows;
    if (!good) {
        print_error("%s, %s, %s: status %d, last row at %g\n", f->name, method, integrator, status,
                    last);
        print_messages(m.ctx);
    }
    table_clear(&t);
    mech_clear(&m);
    return !good;
}

// Every method that goes without a closure and the one with it say the same, and every integrator.
static void failures_name_their_cause(void **state) {
    (void)state;
    static const char *const ways[][2] = {{"triangular", "rk4"},   {"partition", "rk4"},
                                          {"augmented", "rk4"},    {"triangular", "auto"},
                                          {"triangular", "cvode"}, {"partition", "cvode"}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 6; k++) wrong += is_wrong(cases + i, ways[k][0], ways[k][1]);
    for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++)
        for (int k = 0; k < 3; k++) wrong += is_wrong(stiff + i, ways[k][0], ways[k][1]);
    assert_int_equal(wrong, 0);
}

// What makes sense although it looks like the above.
static void sound_models_run(void **state) {
    (void)state;
    static const char *const texts[] = {
        // no tension, so no direction is needed
        PLATE "forces: {s: {type: spring, between: [ground, a], stiffness: 10, damping: 1}}\n",
        // beside the lock, in it, and in that of a proper sequence
        TOP "joints: {S: {type: spherical, between: [ground, top]}}\n"
            "forces: {hold: {type: torsion, joint: S.1, stiffness: 1}}\n"
            "initial: {S.2: [pi/2 - 0.1, 0]}\n",
        TOP "joints: {S: {type: spherical, between: [ground, top]}}\n"
            "initial: {S.2: [pi/2, 0]}\n",
        TOP "joints: {S: {type: free, between: [ground, top], sequence: zxz}}\n",
        // the middle angle has a rate in the lock
        TOP "joints: {S: {type: spherical, between: [ground, top]}}\n"
            "forces: {hold: {type: torsion, joint: S.2, stiffness: 1}}\n"
            "initial: {S.2: [pi/2, 0]}\n",
        // stiff, with steps that are short enough
        PLATE "forces: {s: {type: actuator, joint: J.x, value: \"-1e4*J.x\"}}\n"
              "initial: {J.x: 0.1}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mech m = mech_text("sound", texts[i], NULL);
        table t = {0};
        run_settings w = {.time = 0.05};
        assert_made(&m);
        ct_status status = run_rows(&m, &w, &t, NULL);
        print_messages(m.ctx);
        assert_int_equal(status, CT_OK);
        table_clear(&t);
        mech_clear(&m);
    }
}

// A real limit position is still called one.
static void limit_positions_are_named(void **state) {
    (void)state;
    mech m = mech_text("limit",
                       "cotree: 1\n"
                       "bodies:\n"
                       "  crank: {mass: 1, inertia: 0.1, points: {A: [1, 0, 0]}}\n"
                       "  rod: {mass: 1, inertia: 0.1, points: {B: [0.8, 0, 0]}}\n"
                       "  piston: {mass: 1, inertia: 0.1}\n"
                       "joints:\n"
                       "  O: {type: revolute, between: [ground, crank], axis: z}\n"
                       "  A: {type: revolute, between: [crank, rod], at: [A, [0,0,0]], axis: z}\n"
                       "  B: {type: revolute, between: [rod, piston], at: [B, [0,0,0]], axis: z}\n"
                       "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"
                       "independent: [O]\n"
                       "initial: {O: [0, 2]}\n"
                       "guess: {slide: 1.8}\n"
                       "simulate: {time: 1, step: 1e-3}\n",
                       NULL);
    table t = {0};
    run_settings w = {.method = "triangular"};
    assert_made(&m);
    assert_int_equal(run_rows(&m, &w, &t, NULL), CT_NUMERICS);
    print_messages(m.ctx);
    assert_true(has_message(m.ctx, "limit position"));
    table_clear(&t);
    mech_clear(&m);
}

// constants ---------------------------------------------------------------------------------------
// A scissor lift: crossed bars on crossed bars, one freedom. With numbers for its parameters every
// stage squares what the one before hands on.
static char *scissor_lift(int stages) {
    ct_text t = {0};
    ct_text_add(&t,
                "cotree: 1\nparameters: {L: 1.3}\nbodies:\n  foot: {mass: 0.3, inertia: 1e-3}\n");
    for (int i = 0; i < stages; i++)
        for (int s = 'a'; s <= 'b'; s++)
            ct_text_printf(&t,
                           "  %c%d: {mass: 1.7, inertia: 0.2, points: {mid: [L/2, 0, 0], end: [L, "
                           "0, 0]}}\n",
                           s, i);
    ct_text_add(&t, "joints:\n  J: {type: revolute, between: [ground, a0], axis: z}\n"
                    "  rail: {type: prismatic, between: [ground, foot], axis: x}\n"
                    "  F: {type: revolute, between: [foot, b0], axis: z}\n");
    for (int i = 0; i < stages; i++) {
        ct_text_printf(
            &t, "  M%d: {type: revolute, between: [a%d, b%d], at: [mid, mid], axis: z}\n", i, i, i);
        for (int s = 0; s < 2 && i; s++)
            ct_text_printf(
                &t,
                "  %c%d: {type: revolute, between: [%c%d, %c%d], at: [end, [0, 0, 0]], axis: z}\n",
                s ? 'Q' : 'P', i, s ? 'b' : 'a', i - 1, s ? 'a' : 'b', i);
    }
    ct_text_add(&t, "initial: {J: [0.5, 0]}\nguess: {F: pi-0.5, rail: L*cos(0.5)");
    for (int i = 0; i < stages; i++) ct_text_printf(&t, ", M%d: pi-1", i);
    for (int i = 1; i < stages; i++) ct_text_printf(&t, ", P%d: pi-1, Q%d: 1-pi", i, i);
    ct_text_add(&t, "}\nsimulate: {time: 0.01, step: 1e-3}\n");
    return ct_text_take(&t);
}

static void constants_stay_finite(void **state) {
    (void)state;
    enum { STAGES = 12 }; // the eleventh had 10^308
    char *text = scissor_lift(STAGES);
    mech m = {.ctx = ct_context_new()};
    ct_set_fold(m.ctx, true);
    m.status = ct_model_read_text(m.ctx, "lift", text, strlen(text), 0, NULL, &m.model);
    if (!m.status) mech_continue(&m, NULL);
    table t = {0};
    run_settings w = {.method = "triangular"};
    assert_made(&m);
    ct_status status = run_rows(&m, &w, &t, NULL);
    print_messages(m.ctx);
    assert_int_equal(status, CT_OK);
    assert_int_equal(t.n, 11);
    table_clear(&t);
    mech_clear(&m);
    ct_free(text);
}

static void code_without_a_finite_number_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        ct_status status;
    } codes[] = {
        {"/* inf, nan */ static const char *x = \"NAN \\\" inf\"; info = inf_1 + nano;", CT_OK},
        {"int f(void) {\n    t1 = t0 - inf;\n}\n", CT_NUMERICS},
        {"t1 = -nan*t2;", CT_NUMERICS},
        {"t1 = NAN;", CT_NUMERICS},
        {"", CT_OK}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        ct_context *ctx = ct_context_new();
        assert_int_equal(ct_code_check(ctx, codes[i].text), codes[i].status);
        if (i == 1) assert_true(has_message(ctx, "('t1 = t0 - inf;')"));
        ct_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_name_their_cause),
        cmocka_unit_test(sound_models_run),
        cmocka_unit_test(limit_positions_are_named),
        cmocka_unit_test(constants_stay_finite),
        cmocka_unit_test(code_without_a_finite_number_is_refused),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
