// Closures where they end: dead centres, drives out of reach, lengths that do not fit, both
// branches, limit positions that inertia passes, code that is run with other lengths than those it
// was made for. Nothing may be wrong without being said.
#include "closure/closure_runs.h"

#include "kernel/ctk_internal.h"

static const char four_bar[] =
    "cotree: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {a: 0.4, b: 0.4, g: 1, c: 1}\n"
    "bodies:\n"
    "  left:  {mass: 1, inertia: 0.02, com: [a/2, 0, 0], points: {A: [a, 0, 0]}}\n"
    "  right: {mass: 1, inertia: 0.02, com: [b/2, 0, 0], points: {B: [b, 0, 0]}}\n"
    "  bar:   {mass: 2, inertia: 0.1, com: [c/2, 0, 0], points: {B: [c, 0, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, left], axis: z}\n"
    "  C: {type: revolute, between: [ground, right], at: [[g, 0, 0], [0, 0, 0]], axis: z}\n"
    "  A: {type: revolute, between: [left, bar], at: [A, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [bar, right], at: [B, B], axis: z}\n";

static mech made_of(const char *name, const char *mechanism, const char *more) {
    char *text = ct_format("%s%s\n", mechanism, more);
    mech k = mech_text(name, text, NULL);
    ct_free(text);
    return k;
}

static run_settings settings(const char *method, double time, double step) {
    return (run_settings){.method = method,
                          .integrator = "rk4",
                          .time = time,
                          .step = step,
                          .output_step = time / 10};
}

static void assert_finite(const table *t) {
    for (int i = 0; i < t->n * t->columns; i++) assert_true(isfinite(t->value[i]));
}

static void assert_same(const table *a, const table *b, double tolerance) {
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n * a->columns; i++)
        if (!(difference(a->value[i], b->value[i]) <= tolerance))
            fail_msg("%s: %.17g instead of %.17g", a->names[i % a->columns], a->value[i],
                     b->value[i]);
}

// dead centres ------------------------------------------------------------------------------------
// The slide cannot be independent there: that is said, and others are taken.
static void dead_centre(void **state) {
    (void)state;
    mech k = made_of("dead", slider_crank,
                     "initial: {O: [0, 1]}\nguess: {slide: 0.8}\nindependent: [slide]"),
         free_choice = made_of("dead", slider_crank, "initial: {O: [0, 1]}\nguess: {slide: 0.8}");
    assert_made(&k);
    run_settings w = settings("triangular", 0.3, 1e-3);
    table have = run_mech(&k, &w, NULL), want = run_mech(&free_choice, &w, NULL);
    assert_true(has_message(k.ctx, "cannot be the independent ones here"));
    assert_same(&have, &want, 1e-10);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    mech_clear(&free_choice);
}

// A slide that is driven from there has two ways to go.
static void driven_from_dead_centre(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", NULL};
    for (int i = 0; i < 2; i++) {
        mech k = made_of("driven", slider_crank, "motions: {slide: 0.8 - 0.1*t^2}");
        assert_made(&k);
        run_settings w = settings(methods[i], 0.3, 1e-3);
        table t;
        assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
        assert_true(has_message(k.ctx, "'slide'"));
        assert_finite(&t);
        table_clear(&t);
        mech_clear(&k);
    }
}

// A parallelogram that starts flat may go on as one or crossed.
static void flat_start(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "partition", NULL};
    for (int i = 0; i < 3; i++) {
        mech k = made_of("flat", four_bar, "initial: {O: [0, 1]}");
        assert_made(&k);
        run_settings w = settings(methods[i], 0.1, 1e-3);
        table t;
        assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
        assert_true(has_message(k.ctx, "the initial position is singular"));
        assert_true(has_message(k.ctx, "at t = 0 the loop through 'B'"));
        table_clear(&t);
        mech_clear(&k);
    }
}

// A hair beside it, in an oblique line, rates depend on the last digits: every method says so.
// Farther off none does.
static void nearly_flat_start(void **state) {
    (void)state;
    static const char *const more[] = {"initial: {O: [atan(0.75) + 2e-6, 1]}\nguess: {A: -2e-6}",
                                       "initial: {O: [atan(0.75) + 1e-2, 1]}\nguess: {A: -1e-2}"};
    char *oblique = ct_format("%s", four_bar);
    memcpy(strstr(oblique, "[[g, 0, 0]"), "[[.8,.6,0]", strlen("[[.8,.6,0]"));
    for (int i = 0; i < 2; i++) {
        mech k = made_of("nearly_flat", oblique, more[i]);
        assert_made(&k);
        run_settings w = settings("newton-loops", 0.01, 1e-3);
        table t;
        run_rows(&k, &w, &t, NULL);
        assert_true(has_message(k.ctx, "the initial position is nearly singular") == (i == 0));
        table_clear(&t);
        mech_clear(&k);
    }
    ct_free(oblique);
}

// reach -------------------------------------------------------------------------------------------
// The slide is drawn beyond l1 + l2 at t = 1/3: rows up to there are right, then step, joint and
// time are named.
static void out_of_reach(void **state) {
    (void)state;
    mech k = made_of("reach", slider_crank,
                     "motions: {slide: 0.7 + 0.3*t}\nguess: {O: 0.5, A: -1, B: 0.5}");
    assert_made(&k);
    run_settings w = settings("triangular", 0.5, 1e-3);
    table t;
    assert_int_equal(run_rows(&k, &w, &t, NULL), CT_NUMERICS);
    assert_true(has_message(k.ctx, "error: at t = 0.33"));
    assert_true(has_message(k.ctx, "step 'distance between crank and piston through rod'"));
    assert_true(has_message(k.ctx, "at joint 'O' has no solution: out of reach"));
    assert_finite(&t);
    assert_int_equal(t.n, 7);
    for (int i = 0; i < t.n; i++) {
        double s = 0.7 + 0.3 * table_at(&t, i, 0);
        double angle = acos((s * s + 0.3 * 0.3 - 0.5 * 0.5) / (2 * s * 0.3));
        assert_near(table_at(&t, i, table_column(&t, "O")), angle, 1e-12);
    }
    table_clear(&t);
    mech_clear(&k);
}

static void lengths_that_do_not_fit(void **state) {
    (void)state;
    char *text = ct_format("%sinitial: {O: [1, 1]}\n", four_bar);
    const char *set[] = {"c=2.5"};
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, "long", text, strlen(text), 1, set, &k.model);
    mech_continue(&k, NULL);
    assert_int_equal(k.status, CT_NUMERICS);
    assert_true(has_message(k.ctx, "does not assemble; open loops: 'B'"));
    mech_clear(&k);
    ct_free(text);
}

// branches ----------------------------------------------------------------------------------------
// Without gravity the two branches of the same slide are mirror images.
static void both_branches(void **state) {
    (void)state;
    table t[2];
    for (int i = 0; i < 2; i++) {
        char *more = ct_format("initial: {slide: [0.6, -0.4]}\nguess: {O: %s}\n"
                               "forces: {lift: {type: force, on: piston, vector: [2, 0, 0]}}",
                               i ? "-0.5" : "0.5");
        char *level = ct_strdup(slider_crank);
        memcpy(strstr(level, "-9.81"), "    0", 5);
        mech k = made_of("branch", level, more);
        assert_made(&k);
        run_settings w = settings("triangular", 0.3, 1e-3);
        t[i] = run_mech(&k, &w, NULL);
        mech_clear(&k);
        ct_free(level);
        ct_free(more);
    }
    int o = table_column(t, "O"), slide = table_column(t, "slide");
    for (int i = 0; i < t[0].n; i++) {
        assert_true(table_at(t, i, o) > 0.1);
        assert_near(table_at(t, i, o), -table_at(t + 1, i, o), 1e-12);
        assert_near(table_at(t, i, slide), table_at(t + 1, i, slide), 1e-12);
    }
    table_clear(t);
    table_clear(t + 1);
}

// A dead centre that inertia passes, with the slide independent: numerics take over before it, and
// neither positions nor energy jump.
static void inertia_passes(void **state) {
    (void)state;
    const char *more = "initial: {O: [1, -4]}\nguess: {A: -1.5, B: 0.5, slide: 0.6}\n"
                       "independent: [slide]";
    static const double steps[] = {1e-3, 1e-4};
    for (int i = 0; i < 2; i++) {
        mech k = made_of("pass", slider_crank, more), plain = made_of("pass", slider_crank, more);
        assert_made(&k);
        run_settings w = settings(NULL, 1, steps[i]), p = settings("partition", 1, 1e-4);
        ct_run_summary summary;
        table have = run_mech(&k, &w, &summary), want = run_mech(&plain, &p, NULL);
        assert_true(has_message(k.ctx, "going on with method partition"));
        assert_string_equal(summary.method, "triangular, partition at limit positions");
        assert_true(summary.energy_drift < 1e-6);
        assert_true(summary.max_residual < 1e-11);
        assert_true(table_last(&have, "O") < -6); // once round
        assert_same(&have, &want, 1e-5);
        table_clear(&have);
        table_clear(&want);
        mech_clear(&k);
        mech_clear(&plain);
    }
}

// other lengths -----------------------------------------------------------------------------------
// Its code is for parallelograms, of whatever size: anything else has a status.
static void other_lengths(void **state) {
    (void)state;
    static const double sets[][4] = {
        {0.4, 0.4, 1, 1},      {0.5, 0.5, 1.3, 1.3},  {0.4, 0.45, 1, 1},
        {0.4, 0.4, 1, 1.0001}, {0.5, 0.4, 1.3, 1.35}, {0.4, 0.4 + 1e-8, 1, 1},
    };
    mech k = made_of("lengths", four_bar, "initial: {O: [1, 1]}\nguess: {C: 1, A: -1, B: 1}");
    assert_made(&k);
    ct_run_options o;
    ct_run_options_init(&o);
    o.method = "triangular";
    ct_runner r;
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    assert_true(ct_system_closure(k.s)->components);
    for (int i = 0; i < 6; i++) {
        double open;
        ctk_status status = steps_with(r.code.model, sets[i], NULL, NULL, 200, 1e-3, &open);
        if (i < 2) {
            assert_int_equal(status, CTK_OK);
            assert_true(open < 1e-12);
        } else {
            assert_int_not_equal(status, CTK_OK);
        }
    }
    ct_runner_close(&r);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_centre),   cmocka_unit_test(driven_from_dead_centre),
        cmocka_unit_test(flat_start),    cmocka_unit_test(nearly_flat_start),
        cmocka_unit_test(out_of_reach),  cmocka_unit_test(lengths_that_do_not_fit),
        cmocka_unit_test(both_branches), cmocka_unit_test(inertia_passes),
        cmocka_unit_test(other_lengths),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
