// Accelerations of trees by articulated bodies, in both kinds of frames, against M q'' = F with the
// entries of M: random trees with all kinds of joints, axes along coordinates, parallel, at random, either
// way round, with frames of their own, loads on bodies and joints; chains whose operations must grow in
// proportion to their bodies.
#include "harness.h"

#include "formulate/dynamics.h"
#include "formulate/sweep/links.h"

static double between(uint64_t *random, double from, double to) {
    return from + (to - from) * (noise(random) + 1) / 2;
}

static int one_of(uint64_t *random, int n) {
    return (int)between(random, 0, n) % n;
}

static void vector(ct_text *t, uint64_t *random, const char *key, double size) {
    ct_text_printf(t, "%s[%.3f, %.3f, %.3f]", key, size * noise(random), size * noise(random),
                   size * noise(random));
}

static void direction(ct_text *t, uint64_t *random) {
    static const char *const named[] = {"x", "y", "z", "-x", "-y", "-z"};
    if (one_of(random, 3))
        ct_text_printf(t, "%s", named[one_of(random, 6)]);
    else
        vector(t, random, "", 1);
}

static void joint(ct_text *t, uint64_t *random, int b, bool chain) {
    static const char *const kinds[] = {"revolute",    "revolute",  "revolute", "prismatic",
                                        "cylindrical", "universal", "planar",   "spherical"};
    const char *kind = chain ? "revolute" : kinds[one_of(random, 8)];
    int p = chain ? b - 1 : one_of(random, b);
    char *parent = p ? ct_format("b%d", p) : ct_strdup("ground");
    // slides are carried by the first body
    bool back = !one_of(random, 4) && (!strcmp(kind, "revolute") || !strcmp(kind, "universal"));
    char *own = ct_format("b%d", b);
    ct_text_printf(t, "  j%d: {type: %s, between: [%s, %s], at: [", b, kind, back ? own : parent,
                   back ? parent : own);
    vector(t, random, "", 0.5);
    vector(t, random, ", ", 0.3);
    ct_text_add(t, "]");
    if (!one_of(random, 3)) vector(t, random, ", orient: ", 1);
    if (!strcmp(kind, "universal")) {
        ct_text_add(t, one_of(random, 2) ? ", axes: [x, y]" : ", axes: [[0.6, 0, 0.8], y]");
    } else if (strcmp(kind, "spherical")) {
        ct_text_add(t, ", axis: ");
        direction(t, random);
    }
    ct_text_add(t, "}\n");
    ct_free(parent);
    ct_free(own);
}

static char *tree(uint64_t *random, int n, bool chain) {
    ct_text t = {0};
    ct_text_add(
        &t,
        "cotree: 1\nname: tree\ngravity: [0.3, 1, -9.81]\nparameters: {m: 1.3, l: 0.2}\nbodies:\n");
    for (int b = 1; b <= n; b++) {
        ct_text_printf(&t, "  b%d: {mass: %s, inertia: [0.02, 0.03, 0.025, %.4f, %.4f, 0.001]", b,
                       one_of(random, 3) ? "0.9" : "m", 0.003 * noise(random),
                       0.003 * noise(random));
        vector(&t, random, ", com: ", 0.2);
        ct_text_add(&t, ", points: {P: [0.1, l, 0]}}\n");
    }
    ct_text_add(&t, "joints:\n");
    for (int b = 1; b <= n; b++) joint(&t, random, b, chain);
    if (!chain)
        ct_text_printf(&t,
                       "forces:\n  pull: {type: spring, between: [ground, b%d.P], stiffness: 20, "
                       "damping: 1}\n",
                       n);
    return ct_text_take(&t);
}

// Largest  |M q'' - F|  of what its terms are, at a random state.
static double residual(const ct_formulation *f, const ct_accelerations *x, ct_numbers *numbers,
                       uint64_t *random) {
    size_t n = (size_t)f->n;
    double *q = ct_alloc(n, sizeof *q), *qd = ct_alloc(n, sizeof *qd),
           *qdd = ct_alloc(n, sizeof *qdd), *mass = ct_alloc(n * n, sizeof *mass),
           *force = ct_alloc(n, sizeof *force), t = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        q[i] = 0.4 + 0.7 * noise(random);
        qd[i] = 2 * noise(random);
    }
    ct_numbers_set(numbers, f->n, f->q, q);
    ct_numbers_set(numbers, f->n, f->qd, qd);
    ct_numbers_set(numbers, 1, &f->model->time, &t);
    ct_numbers_eval(numbers, f->n, x->qdd, qdd);
    ct_numbers_eval(numbers, f->n * f->n, f->mass, mass);
    ct_numbers_eval(numbers, f->n, f->forcing, force);
    for (size_t i = 0; i < n; i++) {
        double sum = -force[i], size = fabs(force[i]);
        for (size_t j = 0; j < n; j++) {
            sum += mass[i * n + j] * qdd[j];
            size += fabs(mass[i * n + j] * qdd[j]);
        }
        if (!(fabs(sum) <= worst * size)) worst = fabs(sum) / size;
    }
    ct_free(q);
    ct_free(qd);
    ct_free(qdd);
    ct_free(mass);
    ct_free(force);
    return worst;
}

static double both_frames(mech *k, uint64_t *random) {
    const ct_formulation *f = ct_system_formulation(k->s);
    if (f->in_angles) f = f->in_angles;
    size_t n = (size_t)f->n;
    double worst = 0;
    ct_numbers numbers;
    ct_model_numbers(k->model, &numbers);
    ct_formulation_entries(f);
    ct_substitution *known = ct_formulation_known(f);
    ct_loads loads;
    ct_loads_build(f->layout, known, &loads);
    assert_true(ct_formulation_is_tree(f));
    for (int along = 0; along < 2; along++) {
        ct_accelerations x = {ct_alloc(n, sizeof(ct_ex)), ct_alloc(n, sizeof(ct_ex)),
                              ct_alloc(n, sizeof(ct_ex))};
        ct_sweep_articulated(f->layout, &loads, along, false, &x);
        for (int state = 0; state < 2; state++)
            worst = fmax(worst, residual(f, &x, &numbers, random));
        // pivots and what they are measured by
        double *pivot = ct_alloc(2 * n, sizeof *pivot);
        ct_numbers_eval(&numbers, f->n, x.pivot, pivot);
        ct_numbers_eval(&numbers, f->n, x.scale, pivot + n);
        for (size_t i = 0; i < 2 * n; i++) assert_true(pivot[i] > 0);
        ct_free(pivot);
        ct_free(x.qdd);
        ct_free(x.pivot);
        ct_free(x.scale);
    }
    ct_loads_clear(&loads);
    ct_substitution_free(known);
    ct_numbers_clear(&numbers);
    return worst;
}

static void trees_of_all_joints(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < (soaking() ? 300 : 25); i++) {
        char *text = tree(&random, 2 + one_of(&random, 6), false);
        mech k = mech_text("tree", text, "joint");
        if (k.status) print_messages(k.ctx);
        double worst = k.status ? INFINITY : both_frames(&k, &random);
        if (!(worst < 1e-9)) print_error("off by %.1e:\n%s", worst, text);
        assert_true(worst < 1e-9);
        mech_clear(&k);
        ct_free(text);
    }
}

static double chain_operations(int n) {
    uint64_t random = 5;
    char *text = tree(&random, n, true);
    mech k = mech_text("tree", text, "joint");
    assert_int_equal(k.status, CT_OK);
    const ct_formulation *f = ct_system_formulation(k.s);
    ct_accelerations x;
    ct_formulation_accelerations(f, false, &x);
    double c = ct_operations_total(ct_count_shared(f->pool, f->n, x.qdd));
    mech_clear(&k);
    ct_free(text);
    return c;
}

static void operations_grow_with_bodies(void **state) {
    (void)state;
    double first = chain_operations(20), second = chain_operations(40),
           third = chain_operations(80);
    print_message("operations: %g, %g, %g\n", first, second, third);
    assert_true(second - first < 20 * 600);
    assert_true(third - second < 1.1 * 2 * (second - first));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_of_all_joints),
                                       cmocka_unit_test(operations_grow_with_bodies)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
