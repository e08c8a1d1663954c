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

// Entries of M that were put off, times accelerations, against the sweep over bodies that took their
// place.
static void assert_entries(const ct_formulation *f) {
    assert_false(ct_formulation_has_entries(f));
    ct_formulation_entries(f);
    assert_true(ct_formulation_has_entries(f));
    size_t n = (size_t)f->n;
    double *mass = ct_alloc(n * n, sizeof *mass), *inertia = ct_alloc(n, sizeof *inertia);
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    uint64_t random = 5;
    for (int k = 0; k < f->n; k++) {
        double q = noise(&random), qdd = noise(&random);
        ct_numbers_set(&x, 1, f->q + k, &q);
        ct_numbers_set(&x, 1, f->qdd + k, &qdd);
        inertia[k] = qdd;
    }
    double *given = ct_alloc(n, sizeof *given), off = 0, most = 0;
    memcpy(given, inertia, n * sizeof *given);
    ct_numbers_eval(&x, f->n * f->n, f->mass, mass);
    ct_numbers_eval(&x, f->n, f->inertia, inertia);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += mass[i * n + k] * given[k];
        off = fmax(off, fabs(sum - inertia[i]));
        most = fmax(most, fabs(inertia[i]));
    }
    print_message("M q'' of %d coordinates by entries and by sweeps: %.1e of %.1e\n", f->n, off,
                  most);
    assert_true(most > 1 && off < 1e-11 * most);
    ct_numbers_clear(&x);
    ct_free(mass);
    ct_free(inertia);
    ct_free(given);
}

// So large that entries of M are put off: the operations go on along the line.
static void many_stages(void **state) {
    (void)state;
    enum { FEW = 20, MANY = 52 };
    char *few = scissors(FEW), *many = scissors(MANY);
    double short_one = operations("scissors", few);
    mech k = mech_text("scissors", many, NULL);
    assert_made(&k);
    assert_int_equal(ct_close_named(k.ctx, k.s, 0, NULL), CT_OK);
    const ct_closure *c = k.s->closed->closure;
    assert_true(c->triangular);
    double long_one =
        ct_operations_total(c->position_operations) + ct_operations_total(c->dynamics_operations);
    print_message("scissors of %d stages: %g operations\n", MANY, long_one);
    assert_true(long_one < 1.15 * short_one * MANY / FEW);
    assert_entries(k.s->f);
    mech_clear(&k);
    ct_free(few);
    ct_free(many);
}

// A ladder: rungs between two rails. All rungs but two are redundant, and depend on the others only
// where the loops are closed: such a position is not singular.
static char *ladder(int rungs) {
    ct_text text = {0}, joints = {0};
    ct_text_printf(&text, "cotree: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                          "  left: {mass: 3, inertia: 1, com: [1, 0, 0]}\n"
                          "  right: {mass: 3, inertia: 1, com: [1, 0, 0]}\n");
    ct_text_printf(&joints,
                   "joints:\n"
                   "  foot: {type: revolute, between: [ground, left], axis: z}\n"
                   "  heel: {type: revolute, between: [ground, right], at: [[0, 1, 0], [0, 0, 0]], "
                   "axis: z}\n");
    for (int i = 1; i <= rungs; i++) {
        ct_text_printf(&text, "  g%d: {mass: 1, inertia: 0.1, com: [0, 0.5, 0]}\n", i);
        add_hinge(&joints, "l", i, "left", 0.5 * i, ct_scratch_format("g%d", i), 0);
        ct_text_printf(
            &joints,
            "  r%d: {type: revolute, between: [right, g%d], at: [[%g, 0, 0], [0, 1, 0]], "
            "axis: z}\n",
            i, i, 0.5 * i);
    }
    ct_text_printf(&text, "%sinitial: {foot: 0.1}\n", joints.s);
    ct_text_clear(&joints);
    return text.s;
}

static void ladders(void **state) {
    (void)state;
    static const int rungs[] = {3, 5, 12, 24};
    double count[4];
    for (int i = 0; i < 4; i++) {
        char *text = ladder(rungs[i]);
        mech k = mech_text("ladder", text, NULL);
        assert_made(&k);
        assert_int_equal(ct_close_named(k.ctx, k.s, 0, NULL), CT_OK);
        assert_false(has_message(k.ctx, "singular"));
        const ct_closure *c = k.s->closed->closure;
        assert_true(c->triangular);
        assert_int_equal(c->n_iterated, 0);
        assert_int_equal(c->r, 1);
        count[i] = ct_operations_total(c->position_operations) +
                   ct_operations_total(c->dynamics_operations);
        mech_clear(&k);
        ct_free(text);
    }
    print_message("ladders of 3, 5, 12, 24 rungs: %g, %g, %g, %g operations\n", count[0], count[1],
                  count[2], count[3]);
    assert_true(count[3] < 1.15 * 2 * count[2]);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(deep_loops), cmocka_unit_test(many_stages),
                                       cmocka_unit_test(ladders),
                                       cmocka_unit_test(pendulums_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
