// The size of a mechanism does not matter: of some millimetres, a metre or a kilometre, it moves
// alike, in times that go with the square root of the length.
#include "harness.h"

// A crank that turns through both dead points of its slides, one of them by a rod without mass.
static const char machine[] =
    "cotree: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {k: 1}\n"
    "bodies:\n"
    "  crank:  {mass: 0.2, inertia: 0.002*k^2, com: [0.15*k, 0, 0]}\n"
    "  rod:    {mass: 0.5, inertia: 0.01*k^2, com: [0.25*k, 0, 0]}\n"
    "  piston: {mass: 1, inertia: 1e-3*k^2}\n"
    "  valve:  {mass: 0.3, inertia: 1e-3*k^2}\n"
    "joints:\n"
    "  O:     {type: revolute, between: [ground, crank], axis: z}\n"
    "  A:     {type: revolute, between: [crank, rod], at: [[0.3*k, 0, 0], [0, 0, 0]], axis: z}\n"
    "  B:     {type: revolute, between: [rod, piston], at: [[0.5*k, 0, 0], [0, 0, 0]], axis: z}\n"
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"
    "  lift:  {type: prismatic, between: [ground, valve], axis: y}\n"
    "  link:  {type: link, between: [crank, valve], at: [[0.2*k, 0, 0], [0, 0, 0]], length: "
    "0.7*k}\n"
    "initial: {O: [1, -4/sqrt(k)]}\n"
    "guess: {A: -1.5, B: 0.5, slide: 0.6*k, lift: 0.8*k}\n";

static mech of_size(const char *size, const char *end) {
    char *text = ct_format("%s%s", machine, end);
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, "machine", text, strlen(text), 1, &size, &k.model);
    mech_continue(&k, NULL);
    assert_made(&k);
    ct_free(text);
    return k;
}

// The crank's angle at the same share of the time.
static double motion(const char *size, double k, const char *method, const char *end) {
    const double unit = sqrt(k);
    mech x = of_size(size, end);
    ct_run_summary sum;
    run_settings w = {.method = method,
                      .integrator = "rk4",
                      .time = 2 * unit,
                      .step = 1e-3 * unit,
                      .output_step = 2 * unit};
    table t = run_mech(&x, &w, &sum);
    double angle = table_last(&t, "O");
    print_message("%s %s %s O = %.12f, residual %.1e, drift %.1e\n", method ? method : "default",
                  size, end, angle, sum.max_residual, sum.energy_drift);
    assert_true(sum.max_residual < 1e-12 * fmax(k, k * k));
    assert_true(sum.energy_drift < 2e-7);
    table_clear(&t);
    mech_clear(&x);
    return angle;
}

static void moves_alike(void **state) {
    (void)state;
    static const struct {
        const char *method, *end;
    } cases[] = {{"triangular", ""},
                 {"newton", ""},
                 {"newton-loops", ""},
                 {"partition", ""},
                 {NULL, "independent: [slide]"}}; // at whose limits partition takes over
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double metre = motion("k=1", 1, cases[i].method, cases[i].end);
        assert_true(fabs(metre - 1) > 2 * acos(-1)); // more than a turn
        double small = motion("k=1/1024", 1 / 1024.0, cases[i].method, cases[i].end);
        double large = motion("k=1024", 1024, cases[i].method, cases[i].end);
        assert_true(fabs(small - metre) < 1e-6 && fabs(large - metre) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_alike)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
