// Second runs: what is kept of a model and its run takes the place of its equations. Rows and
// messages are the same bits as without a cache, also where the equations are needed after all;
// entries that were cut short or hold something else are made anew.
#include "harness.h"

#include "run/kept/prepared.h"
#include "util/cache/cache.h"

static int own_cache(void **state) {
    *state = temporary_folder();
    unsetenv("COTREE_CACHE_SIZE");
    return setenv("XDG_CACHE_HOME", *state, 1);
}

static int end_cache(void **state) {
    remove_folder(*state);
    return shared_cache(state);
}

typedef struct outcome {
    ct_status status;
    table rows;
    char *said;
    bool waited, waits; // the equations, before and after the run
} outcome;

static void outcome_clear(outcome *o) {
    table_clear(&o->rows);
    ct_free(o->said);
}

// One run of a model as the command line makes it.
static outcome run_once(const char *path, const char *method, bool kinematics, double time) {
    outcome o = {0};
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_system *s = NULL;
    ct_run_options options;
    ct_run_summary summary;
    ct_run_options_init(&options);
    options.method = method;
    options.time = time;
    options.row = table_row;
    options.row_data = &o.rows;
    o.status = ct_model_read(ctx, path, 0, NULL, &model);
    if (!o.status) o.status = ct_formulate(ctx, model, NULL, &s);
    o.waited = s && s->waits;
    if (!o.status)
        o.status = (kinematics ? ct_kinematics : ct_simulate)(ctx, s, &options, &summary);
    o.waits = s && s->waits;
    ct_text said = {0};
    for (int i = 0; i < ct_message_count(ctx); i++)
        ct_text_printf(&said, "%s\n", ct_message(ctx, i));
    ct_text_add(&said, "");
    o.said = ct_text_take(&said);
    ct_system_free(s);
    ct_model_free(model);
    ct_context_free(ctx);
    return o;
}

static void assert_same(const outcome *a, const outcome *b) {
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->said ? a->said : "", b->said ? b->said : "");
    assert_int_equal(a->rows.n, b->rows.n);
    assert_int_equal(a->rows.columns, b->rows.columns);
    size_t numbers = (size_t)a->rows.n * (size_t)a->rows.columns;
    if (numbers) assert_memory_equal(a->rows.value, b->rows.value, numbers * sizeof(double));
}

// Without a cache, then twice with one. The second run needs no equations where the first one came
// to its end (needed: it fails on the way, and they explain it).
static void run_thrice(const char *path, const char *method, bool kinematics, double time,
                       bool needed) {
    setenv("COTREE_CACHE_SIZE", "0", 1);
    outcome alone = run_once(path, method, kinematics, time);
    unsetenv("COTREE_CACHE_SIZE");
    assert_false(alone.waited);
    for (int i = 0; i < 2; i++) {
        outcome o = run_once(path, method, kinematics, time);
        assert_same(&alone, &o);
        assert_int_equal(o.waited, i == 1);
        assert_int_equal(o.waits, i == 1 && !needed);
        outcome_clear(&o);
    }
    outcome_clear(&alone);
}

static void write_model(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

// Closed forms, iterations, a method without a closure, free rotations, springs.
static void second_runs(void **state) {
    (void)state;
    static const struct {
        const char *name, *method;
    } cases[] = {{"four_bar", NULL},        {"four_bar", "partition"}, {"trammel", NULL},
                 {"free_body", NULL},       {"one_rail", "augmented"}, {"landing_gear", NULL},
                 {"spatial_four_bar", NULL}};
    // a model with another method finds what formulating has left: see the order of the first two
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = model_path(cases[i].name);
        if (i == 1) {
            outcome o = run_once(path, cases[i].method, false, 0.02);
            assert_true(o.waited && !o.waits);
            outcome_clear(&o);
        } else {
            run_thrice(path, cases[i].method, false, 0.02, false);
        }
        ct_free(path);
    }
}

static const char two_bodies[] =
    "cotree: 1\n"
    "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, a], axis: z}\n"
    "  B: {type: revolute, between: [a, b], at: [[1, 0, 0], [0, 0, 0]], axis: z}\n";

// A driven motion has a system of its own; a run that fails needs the equations for its message.
static void other_ends(void **state) {
    char *path = ct_format("%s/model.yaml", (char *)*state);
    char *driven = ct_format("%smotions: {A: 0.5 + t, B: t^2}\n", two_bodies);
    char *fails = ct_format("%soutputs: {root: sqrt(0.01 - t)}\n", two_bodies);
    write_model(path, driven);
    run_thrice(path, NULL, true, 0.05, false);
    write_model(path, fails);
    run_thrice(path, NULL, false, 0.05, true);
    outcome o = run_once(path, NULL, false, 0.05);
    assert_int_equal(o.status, CT_NUMERICS);
    assert_non_null(strstr(o.said, "'root' is not a finite number"));
    outcome_clear(&o);
    ct_free(driven);
    ct_free(fails);
    ct_free(path);
}

// Rows of the second system of a model, whose first one (freed before it, or not) may wait.
static outcome run_second(const char *path, bool freed) {
    outcome o = {0};
    ct_context *ctx = ct_context_new();
    ct_model *model;
    ct_system *first, *second;
    ct_run_options options;
    ct_run_summary summary;
    ct_run_options_init(&options);
    options.time = 0.02;
    options.method = "augmented"; // code from the pool that both share
    options.row = table_row;
    options.row_data = &o.rows;
    assert_int_equal(ct_model_read(ctx, path, 0, NULL, &model), CT_OK);
    assert_int_equal(ct_formulate(ctx, model, "absolute", &first), CT_OK);
    o.waited = first->waits;
    if (freed) ct_system_free(first);
    assert_int_equal(ct_formulate(ctx, model, NULL, &second), CT_OK);
    assert_false(second->waits);
    if (!freed) assert_false(first->waits);
    o.status = ct_simulate(ctx, second, &options, &summary);
    ct_system_free(second);
    if (!freed) ct_system_free(first);
    ct_model_free(model);
    ct_context_free(ctx);
    return o;
}

static void several_systems(void **state) {
    (void)state;
    char *path = model_path("five_bar");
    setenv("COTREE_CACHE_SIZE", "0", 1);
    outcome alone = run_second(path, false);
    unsetenv("COTREE_CACHE_SIZE");
    for (int i = 0; i < 4; i++) {
        outcome o = run_second(path, i % 2 == 1);
        assert_int_equal(o.waited, i > 0);
        assert_same(&alone, &o);
        outcome_clear(&o);
    }
    outcome_clear(&alone);
    ct_free(path);
}

// Counts of a model, and the run of its system after them. positions: without equations of motion.
static outcome check_and_run(const char *path, bool positions, ct_check_info *info) {
    outcome o = {0};
    ct_context *ctx = ct_context_new();
    ct_model *model;
    ct_system *s;
    ct_run_options options;
    ct_run_summary summary;
    ct_run_options_init(&options);
    options.time = 0.02;
    options.row = table_row;
    options.row_data = &o.rows;
    assert_int_equal(ct_model_read(ctx, path, 0, NULL, &model), CT_OK);
    o.status = (positions ? ct_formulate_positions : ct_formulate)(ctx, model, NULL, &s);
    assert_int_equal(o.status, CT_OK);
    o.waited = s->waits;
    assert_int_equal(ct_check(ctx, s, info), CT_OK);
    o.waits = s->waits && !s->f;
    info->name = NULL; // the model's
    info->inputs = NULL;
    info->redundant_joints = NULL;
    o.status = ct_simulate(ctx, s, &options, &summary);
    ct_system_free(s);
    ct_model_free(model);
    ct_context_free(ctx);
    return o;
}

// Freedoms need no equations of motion, with and without a cache; a run after them is the same.
static void positions_alone(void **state) {
    (void)state;
    static const char *const names[] = {"four_bar", "free_body", "parallel_four_bar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = model_path(names[i]);
        ct_check_info all, alone;
        setenv("COTREE_CACHE_SIZE", "0", 1);
        outcome right = check_and_run(path, false, &all);
        assert_false(right.waited);
        for (int k = 0; k < 3; k++) {
            if (k) unsetenv("COTREE_CACHE_SIZE");
            outcome o = check_and_run(path, true, &alone);
            assert_true(o.waited && o.waits);
            assert_same(&right, &o);
            outcome_clear(&o);
            assert_true(all.residual < 1e-12 && alone.residual < 1e-12);
            alone.residual = all.residual; // to rounding: sums are in another order
            assert_memory_equal(&all, &alone, sizeof all);
        }
        outcome_clear(&right);
        ct_free(path);
    }
}

// Every part of a record but the whole is refused, and so are other texts; runs go on with what they
// compute.
static void damaged_records(void **state) {
    (void)state;
    char *path = model_path("four_bar");
    outcome right = run_once(path, NULL, false, 0.02);
    ct_context *ctx = ct_context_new();
    ct_model *model;
    assert_int_equal(ct_model_read(ctx, path, 0, NULL, &model), CT_OK);
    ct_digest key = ct_kept_key(model, NULL, path, false);
    size_t n;
    char *whole = ct_cache_read(CT_CACHE_STARTS, key, &n);
    ct_kept_system kept;
    assert_non_null(whole);
    assert_true(n > 100);
    for (size_t k = 0; k <= n + 1; k++) {
        char *part = ct_alloc(n + 2, 1);
        memcpy(part, whole, n);
        assert_true(ct_cache_write(CT_CACHE_STARTS, key, part, k));
        ct_scope scope;
        assert_int_equal(ct_scope_enter(&scope, ctx, NULL), CT_OK);
        bool good = ct_kept_system_read(key, &kept);
        ct_scope_leave(&scope, NULL);
        assert_int_equal(good, k == n);
        ct_free(part);
    }
    // numbers that no count can be
    memset(whole, 0x7f, n);
    assert_true(ct_cache_write(CT_CACHE_STARTS, key, whole, n));
    for (int i = 0; i < 2; i++) {
        outcome o = run_once(path, NULL, false, 0.02);
        assert_same(&right, &o);
        assert_int_equal(o.waited, i == 1);
        outcome_clear(&o);
    }
    ct_free(whole);
    ct_model_free(model);
    ct_context_free(ctx);
    outcome_clear(&right);
    ct_free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(second_runs, own_cache, end_cache),
        cmocka_unit_test_setup_teardown(other_ends, own_cache, end_cache),
        cmocka_unit_test_setup_teardown(several_systems, own_cache, end_cache),
        cmocka_unit_test_setup_teardown(positions_alone, own_cache, end_cache),
        cmocka_unit_test_setup_teardown(damaged_records, own_cache, end_cache),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
