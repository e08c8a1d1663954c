// Steps of higher degree and closures that factor: degrees against `configurations`, motions of
// random lengths against Newton's iteration, positions where polynomials have double roots or say
// nothing, limits that must be named.
#include "harness.h"

#include "kernel/ctk_internal.h"

// degrees ----------------------------------------------------------------------------------------
static const struct {
    const char *path, *method;
    int degree, step;
} degrees[] = {
    {"models/trammel.yaml", "quartic", 4, 0},
    {"tests/models/closure_quartic_slot.yaml", "quartic", 4, 0},
    {"tests/models/closure_two_slides.yaml", "quartic", 4, 0},
    {"tests/models/closure_three_slides.yaml", "quadratic", 2, 0},
    {"tests/models/closure_swivel.yaml", "polynomial", 6, 0},
    {"models/stephenson3_beta.yaml", "polynomial", 6, 1},
    {"models/landing_gear.yaml", "polynomial", 6, 1},
};

static mech source_model(const char *name) {
    char *path = ct_format("%s/%s", CT_SOURCE_DIR, name);
    mech k = mech_file(path, NULL);
    ct_free(path);
    assert_made(&k);
    return k;
}

static const ct_closure *closure_of(mech *k) {
    run_settings w = {.method = "triangular", .integrator = "rk4", .time = 1e-3, .step = 1e-3};
    table t = run_mech(k, &w, NULL);
    table_clear(&t);
    return ct_system_closure(k->s);
}

static void as_many_as_there_are_solutions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        mech k = source_model(degrees[i].path);
        const ct_closure *c = closure_of(&k);
        const ct_step *s = c->steps + degrees[i].step;
        assert_string_equal(ct_step_method_name(s->method), degrees[i].method);
        assert_int_equal(s->degree, degrees[i].degree);
        assert_int_equal(c->n_iterated, 0);
        assert_int_equal(c->triangular, degrees[i].degree <= 4);
        char *path = ct_format("%s/%s", CT_SOURCE_DIR, degrees[i].path);
        ct_configurations_options o;
        ct_configurations_options_init(&o);
        ct_configurations_result *r;
        assert_int_equal(ct_configurations(k.ctx, path, 0, NULL, &o, &r), CT_OK);
        assert_int_equal(r->multiplicity, degrees[i].degree);
        ct_configurations_free(r);
        ct_free(path);
        mech_clear(&k);
    }
}

// random lengths ---------------------------------------------------------------------------------
typedef struct run {
    ctk_sim sim;
    double *doubles;
    int *ints;
    ctk_status status;
} run;

static run run_start(const ctk_model *m, ctk_method method, const double *p, const double *q,
                     const double *qd) {
    run r = {.doubles = ct_alloc(ctk_doubles(m), sizeof(double)),
             .ints = ct_alloc(ctk_ints(m), sizeof(int))};
    ctk_options o;
    ctk_options_init(&o);
    o.method = method;
    r.status = ctk_init(&r.sim, m, &o, p, NULL, 0, q, qd, r.doubles, r.ints);
    return r;
}

static void run_end(run *r) {
    ct_free(r->doubles);
    ct_free(r->ints);
}

// One code, lengths of its own every time: closed form and Newton's iteration stay together as long
// as the first goes on.
static int same_motion(const ctk_model *m, const double *p, int steps) {
    run newton = run_start(m, CTK_PARTITION, p, NULL, NULL),
        closed = run_start(m, CTK_TRIANGULAR, p, newton.sim.q, newton.sim.qd);
    int k = 0;
    bool assembled = !newton.status;
    for (; k < steps && assembled && !closed.status; k++) {
        assert_int_equal(newton.status, CTK_OK);
        closed.status = ctk_step(&closed.sim, 1.25e-4);
        newton.status = ctk_step(&newton.sim, 1.25e-4);
        if (closed.status) break;
        assert_int_equal(ctk_refresh(&closed.sim), CTK_OK);
        assert_true(closed.sim.residual < 1e-12);
        for (int i = 0; i < m->n; i++) assert_true(fabs(closed.sim.q[i] - newton.sim.q[i]) < 1e-6);
    }
    if (assembled && closed.status) assert_int_equal(closed.status, CTK_NO_SOLUTION);
    run_end(&closed);
    run_end(&newton);
    return k;
}

static void random_lengths(void **state) {
    (void)state;
    static const char *const names[] = {"models/trammel.yaml",
                                        "tests/models/closure_quartic_slot.yaml",
                                        "tests/models/closure_two_slides.yaml",
                                        "tests/models/closure_swivel.yaml",
                                        "models/one_rail.yaml",
                                        "tests/mechanisms/tip_tilt.yaml",
                                        "tests/mechanisms/three_feet.yaml",
                                        "tests/mechanisms/pointing.yaml",
                                        "tests/mechanisms/raised_plate.yaml"};
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum { TRIALS = 25, STEPS = 2400 };
        mech k = source_model(names[i]);
        ct_run_options o;
        ct_run_options_init(&o);
        o.method = "triangular";
        ct_runner r;
        assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
        const ctk_model *m = r.code.model;
        long total = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            double p[16];
            for (int j = 0; j < m->n_parameters; j++)
                p[j] = m->parameters[j] != 0 ? m->parameters[j] * (1 + 0.04 * noise(&seed))
                                             : 0.03 * noise(&seed);
            total += same_motion(m, p, STEPS);
        }
        print_message("%s: %ld of %d steps\n", names[i], total, TRIALS * STEPS);
        assert_true(total > TRIALS * STEPS / 3);
        ct_runner_close(&r);
        mech_clear(&k);
    }
}

// positions that are special ---------------------------------------------------------------------
// At t = 0.5, exactly on a step, two places of Watt's linkage have the same rod: the polynomial for
// its angle has a double root, and the two equations for the second unknown are the same.
static void through_a_double_root(void **state) {
    (void)state;
    mech k = source_model("tests/models/closure_watt.yaml"),
         plain = source_model("tests/models/closure_watt.yaml");
    run_settings w = {.method = "triangular",
                      .integrator = "rk4",
                      .time = 1,
                      .step = 1e-3,
                      .output_step = 0.05},
                 n = w;
    n.method = "partition";
    ct_run_summary summary;
    table have = run_mech(&k, &w, &summary), want = run_mech(&plain, &n, NULL);
    assert_true(summary.max_residual < 1e-12);
    assert_int_equal(have.n, want.n);
    for (int i = 0; i < have.n * have.columns; i++)
        assert_true(difference(have.value[i], want.value[i]) < 1e-9);
    assert_near(table_at(&have, 10, table_column(&have, "drive")), 0, 1e-15);
    assert_near(table_at(&have, 10, table_column(&have, "O")), acos(0), 1e-12);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    mech_clear(&plain);
}

// r sin(phi - theta / 2) = g sin(theta / 2): turn after turn, through theta = 0.
static void kites_turn(void **state) {
    (void)state;
    mech k = source_model("tests/models/closure_kites.yaml");
    run_settings w = {
        .method = "triangular", .integrator = "rk4", .time = 60, .step = 1e-3, .output_step = 0.01};
    ct_run_summary summary;
    table t = run_mech(&k, &w, &summary);
    assert_true(summary.max_residual < 1e-12);
    assert_true(summary.energy_drift < 1e-9);
    int o = table_column(&t, "O"), c = table_column(&t, "C");
    for (int i = 0; i < t.n; i++) {
        double half = (table_at(&t, i, o) - 0.3) / 2, phi = table_at(&t, i, c) - 0.3;
        assert_near(sin(phi - half), 0.4 * sin(half), 1e-10);
        assert_true(cos(phi - half) > 0.9); // and never the other solution
    }
    assert_true(table_last(&t, "O") > 13); // twice round
    table_clear(&t);
    mech_clear(&k);
}

static const char kite[] =
    "cotree: 1\n"
    "parameters: {g: 0.4, a: 0.4, b: 1, c: 1}\n"
    "bodies:\n"
    "  crank:    {mass: 1, inertia: 0.02, com: [a/2, 0, 0], points: {A: [a, 0, 0]}}\n"
    "  follower: {mass: 1, inertia: 0.1, com: [b/2, 0, 0], points: {B: [b, 0, 0]}}\n"
    "  bar:      {mass: 2, inertia: 0.1, com: [c/2, 0, 0], points: {B: [c, 0, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"
    "  C: {type: revolute, between: [ground, follower], at: [[g, 0, 0], [0, 0, 0]], axis: z}\n"
    "  A: {type: revolute, between: [crank, bar], at: [A, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [bar, follower], at: [B, B], axis: z}\n";

// Code for a kite is for kites of any size, by crank or by follower, and refuses others.
static void other_kites(void **state) {
    (void)state;
    static const char *const starts[] = {"initial: {O: [1, 3]}\nguess: {C: 0.8}\n",
                                         "initial: {C: [1, 3]}\nguess: {O: 0.9}\n"};
    static const double sets[][4] = {
        {0.4, 0.4, 1, 1}, {0.5, 0.5, 1.2, 1.2}, {0.4, 0.41, 1, 1}, {0.4, 0.4, 1, 1.0001}};
    for (int i = 0; i < 2; i++) {
        char *text = ct_format("%s%s", kite, starts[i]);
        mech k = mech_text("kite", text, NULL);
        ct_free(text);
        assert_made(&k);
        ct_run_options o;
        ct_run_options_init(&o);
        o.method = "triangular";
        ct_runner r;
        assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
        assert_true(ct_system_closure(k.s)->components);
        for (int j = 0; j < 4; j++) {
            run a = run_start(r.code.model, CTK_TRIANGULAR, sets[j], NULL, NULL);
            for (int n = 0; n < 6000 && !a.status; n++) a.status = ctk_step(&a.sim, 1e-3);
            if (!a.status) a.status = ctk_refresh(&a.sim);
            // by its follower, flat positions depend on the lengths only through their ratio
            if (j < 2)
                assert_int_equal(a.status, CTK_OK);
            else
                assert_int_not_equal(a.status, CTK_OK);
            assert_true(a.status || a.sim.max_residual < 1e-12);
            run_end(&a);
        }
        ct_runner_close(&r);
        mech_clear(&k);
    }
}

// Where the shortest and the longest link are as long together as the others, a four-bar is flat
// once in a turn and goes on without turning back.
static void change_point(void **state) {
    (void)state;
    char *text = ct_format("%sinitial: {O: [1, 3]}\nguess: {C: 1.8}\n", kite);
    static const char lengths[] = "{g: 0.9, a: 0.3, b: 0.5, c: 0.7}";
    char *place = strstr(text, "{g: 0.4, a: 0.4, b: 1, c: 1}"), *end = place + 28;
    char *whole = ct_format("%.*s%s%s", (int)(place - text), text, lengths, end);
    mech k = mech_text("change", whole, NULL);
    assert_made(&k);
    run_settings w = {
        .method = "triangular", .integrator = "rk4", .time = 10, .step = 1e-3, .output_step = 0.01};
    ct_run_summary summary;
    table t = run_mech(&k, &w, &summary);
    assert_true(ct_system_closure(k.s)->components);
    assert_true(summary.max_residual < 1e-12);
    assert_true(summary.energy_drift < 1e-8);
    int o = table_column(&t, "O"), c = table_column(&t, "C"), rate = table_column(&t, "C'");
    for (int i = 1; i < t.n; i++) {
        assert_true(table_at(&t, i, o) > table_at(&t, i - 1, o));
        // no jump of the follower, nor of its rate
        assert_true(fabs(table_at(&t, i, c) - table_at(&t, i - 1, c)) < 0.1);
        assert_true(fabs(table_at(&t, i, rate) - table_at(&t, i - 1, rate)) < 1);
    }
    assert_true(table_last(&t, "O") > 25);
    table_clear(&t);
    mech_clear(&k);
    ct_free(text);
    ct_free(whole);
}

// By its slider, x = 2 l cos(crank): x = 0 is passed, x = -2 l is the end and is named.
static void isosceles_by_its_slider(void **state) {
    (void)state;
    char *path = ct_format("%s/tests/models/closure_isosceles.yaml", CT_SOURCE_DIR),
         *text = read_text(path), *start = strstr(text, "initial:");
    *start = 0;
    char *whole = ct_format("%smotions: {x: 0.4 - 0.5*t}\nguess: {O: 0.9}\n", text);
    mech k = mech_text("isosceles", whole, NULL);
    assert_made(&k);
    run_settings w = {
        .method = "triangular", .integrator = "rk4", .time = 2.6, .step = 1e-3, .output_step = 0.1};
    table t;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "at joint 'O' has no solution"));
    assert_true(t.n > 20);
    for (int i = 0; i < t.n; i++)
        assert_near(cos(table_at(&t, i, table_column(&t, "O"))),
                    (0.4 - 0.5 * table_at(&t, i, 0)) / 0.8, 1e-10);
    table_clear(&t);
    mech_clear(&k);
    ct_free(path);
    ct_free(text);
    ct_free(whole);
}

// limits -----------------------------------------------------------------------------------------
// The crank is drawn away until circle and ellipse touch: rows up to there are right, then it is
// said where.
static void limit_of_a_quartic(void **state) {
    (void)state;
    char *path = ct_format("%s/models/trammel.yaml", CT_SOURCE_DIR), *text = read_text(path),
         *start = strstr(text, "initial:");
    *start = 0;
    char *change = strstr(text, "drive: {type: revolute");
    memcpy(change, "drive: {type: prismatic", 23);
    char *whole = ct_strdup(text), *joint = strstr(whole, "drive: {type: prismatic"),
         *rest = strchr(joint, '\n');
    char *all =
        ct_format("%.*sdrive: {type: prismatic, between: [ground, crank], at: [[xo, yo, 0], "
                  "[0, 0, 0]], axis: x}%s"
                  "motions: {drive: -0.4*t}\nguess: {along: 0.616, up: 0.78, A: 2}\n",
                  (int)(joint - whole), whole, rest);
    mech k = mech_text("limit", all, NULL), plain = mech_text("limit", all, NULL);
    assert_made(&k);
    run_settings w = {
        .method = "triangular", .integrator = "rk4", .time = 5, .step = 1e-3, .output_step = 0.02};
    table t;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "is in a singular position: what the motions ask for is out of "
                                   "reach behind it, or branches meet there"));
    assert_true(t.n > 5);
    w.method = "partition";
    w.time = table_at(&t, t.n - 1, 0);
    table want = run_mech(&plain, &w, NULL);
    for (int i = 0; i < t.n * t.columns; i++)
        assert_true(difference(t.value[i], want.value[i]) < 1e-6);
    table_clear(&t);
    table_clear(&want);
    mech_clear(&k);
    mech_clear(&plain);
    ct_free(path);
    ct_free(text);
    ct_free(whole);
    ct_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_there_are_solutions),
        cmocka_unit_test(random_lengths),
        cmocka_unit_test(through_a_double_root),
        cmocka_unit_test(kites_turn),
        cmocka_unit_test(other_kites),
        cmocka_unit_test(change_point),
        cmocka_unit_test(isosceles_by_its_slider),
        cmocka_unit_test(limit_of_a_quartic),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
