// How the equations of a closure grow with the mechanism: deep loops take so many operations as they
// have bodies, freedoms that do not touch each other as many as there are.
#include "harness.h"

#include "closure/describe.h"

static double operations(const char *name, const char *text) {
    mech k = mech_text(name, text, NULL);
    assert_made(&k);
    assert_int_equal(ct_close_named(k.ctx, k.s, 0, NULL), CT_OK);
    const ct_closure *c = k.s->closed->closure;
    double total =
        ct_operations_total(c->position_operations) + ct_operations_total(c->dynamics_operations);
    mech_clear(&k);
    return total;
}

static void add_hinge(ct_text *joints, const char *name, int i, const char *a, double at_a,
                      const char *b, double at_b) {
    ct_text_printf(joints,
                   "  %s%d: {type: revolute, between: [%s, %s], at: [[%g, 0, 0], [%g, 0, 0]], "
                   "axis: z}\n",
                   name, i, a, b, at_a, at_b);
}

// A scissor lift: two bars for each stage, crossed in the middle, one foot on a rail.
static char *scissors(int stages) {
    const double angle = 0.6, pi = acos(-1);
    ct_text bodies = {0}, joints = {0}, guess = {0};
    ct_text_printf(&bodies, "cotree: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                            "  foot: {mass: 0.5, inertia: 0.01}\n");
    ct_text_printf(&joints,
                   "joints:\n  rail: {type: prismatic, between: [ground, foot], axis: x}\n");
    ct_text_printf(&guess, "initial: {pin0: %g}\nguess:\n  rail: %.17g\n  toe0: %.17g\n", angle,
                   cos(angle), pi - angle);
    add_hinge(&joints, "pin", 0, "ground", 0, "a0", -0.5);
    add_hinge(&joints, "toe", 0, "foot", 0, "b0", -0.5);
    for (int i = 0; i < stages; i++) {
        char *a = ct_scratch_format("a%d", i), *b = ct_scratch_format("b%d", i);
        ct_text_printf(&bodies, "  %s: {mass: 1, inertia: 0.1}\n  %s: {mass: 1, inertia: 0.1}\n", a,
                       b);
        add_hinge(&joints, "middle", i, a, 0, b, 0);
        ct_text_printf(&guess, "  middle%d: %.17g\n", i, pi - 2 * angle);
        if (i == 0) continue;
        add_hinge(&joints, "left", i, ct_scratch_format("b%d", i - 1), 0.5, a, -0.5);
        add_hinge(&joints, "right", i, ct_scratch_format("a%d", i - 1), 0.5, b, -0.5);
        ct_text_printf(&guess, "  left%d: %.17g\n  right%d: %.17g\n", i, 2 * angle - pi, i,
                       pi - 2 * angle);
    }
    ct_text_printf(&bodies, "%s%s", joints.s, guess.s);
    ct_text_clear(&joints);
    ct_text_clear(&guess);
    return bodies.s;
}

static void deep_loops(void **state) {
    (void)state;
    static const int stages[] = {4, 8, 12};
    double count[3];
    for (int i = 0; i < 3; i++) {
        char *text = scissors(stages[i]);
        count[i] = operations("scissors", text);
        ct_free(text);
    }
    print_message("scissors of 4, 8, 12 stages: %g, %g, %g operations\n", count[0], count[1],
                  count[2]);
    assert_true(count[2] - count[1] < 1.15 * (count[1] - count[0]));
}

static void pendulums_apart(void **state) {
    (void)state;
    ct_text text = {0}, joints = {0};
    ct_text_printf(&text, "cotree: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    ct_text_printf(&joints, "joints:\n");
    for (int i = 0; i < 40; i++) {
        ct_text_printf(&text, "  b%d: {mass: %g, com: [%g, 0, 0], inertia: 0.02}\n", i, 1 + 0.1 * i,
                       0.5 + 0.01 * i);
        add_hinge(&joints, "h", i, "ground", i, ct_scratch_format("b%d", i), 0);
    }
    ct_text_printf(&text, "%s", joints.s);
    double count = operations("pendulums", text.s);
    print_message("40 pendulums: %g operations\n", count);
    assert_true(count <= 120);
    ct_text_clear(&text);
    ct_text_clear(&joints);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(deep_loops),
                                       cmocka_unit_test(pendulums_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
