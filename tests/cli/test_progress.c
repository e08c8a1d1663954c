// Progress: the stages of long calls in their order, shares that grow, and stopping where a stage
// says that it can be stopped.
#include "cotree.h"
#include "harness.h"
#include "util/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };
typedef struct record {
    int calls, n; // n: stages
    const char *stage[MOST];
    double share; // the last one of the stage
    bool stops[MOST];
    const char *stop_at; // sets `stop` when this stage has come to `stop_share`
    double stop_share;
    volatile sig_atomic_t stop;
} record;

static void take(void *data, const ct_progress *p) {
    record *r = data;
    r->calls++;
    assert_non_null(p->stage);
    assert_true(p->share <= 1 + 1e-9);
    if (!r->n || strcmp(r->stage[r->n - 1], p->stage)) {
        assert_true(r->n < MOST);
        r->stage[r->n] = p->stage;
        r->stops[r->n++] = p->stops;
    } else
        assert_true(p->share >= r->share);
    r->share = p->share;
    if (r->stop_at && !strcmp(p->stage, r->stop_at) && p->share >= r->stop_share) r->stop = 1;
}

// These stages came, in this order, others between them allowed.
static void assert_stages(const record *r, const char *const *want) {
    int at = 0;
    for (; *want; want++) {
        while (at < r->n && strcmp(r->stage[at], *want)) at++;
        if (at == r->n) fail_msg("the stage '%s' is missing", *want);
    }
}

typedef struct opened {
    ct_context *ctx;
    ct_model *model;
    ct_system *system;
} opened;

static opened open_model(const char *name, record *r) {
    char path[512];
    opened o = {.ctx = ct_context_new()};
    snprintf(path, sizeof path, "%s/%s.yaml", CT_MODELS_DIR, name);
    ct_set_progress(o.ctx, take, r);
    assert_int_equal(ct_model_read(o.ctx, path, 0, NULL, &o.model), CT_OK);
    assert_int_equal(ct_formulate(o.ctx, o.model, NULL, &o.system), CT_OK);
    return o;
}

static void close_model(opened *o) {
    ct_system_free(o->system);
    ct_model_free(o->model);
    ct_context_free(o->ctx);
}

static void test_simulate(void **state) {
    (void)state;
    record r = {0};
    ct_run_options options;
    ct_run_summary sum;
    opened o = open_model("four_bar", &r);
    ct_run_options_init(&options);
    options.time = 200;
    options.output_step = 200; // shares also within a row
    options.stop = &r.stop;
    assert_int_equal(ct_simulate(o.ctx, o.system, &options, &sum), CT_OK);
    assert_stages(&r, (const char *const[]){"reading the model", "writing the equations",
                                            "assembling", "closing the loops", "writing the code",
                                            "integrating", NULL});
    assert_false(r.stops[0]);
    assert_true(r.stops[r.n - 1]);
    assert_string_equal(r.stage[r.n - 1], "integrating");
    int calls = r.calls;
    ct_set_progress(o.ctx, NULL, NULL);
    options.time = 1;
    assert_int_equal(ct_simulate(o.ctx, o.system, &options, &sum), CT_OK);
    assert_int_equal(r.calls, calls);
    close_model(&o);
}

// A run that would take hours ends where the callback wishes.
static void test_stop(void **state) {
    (void)state;
    static const char *const integrators[] = {"rk4", "cvode"};
    for (int i = 0; i < 2; i++) {
        record r = {.stop_at = "integrating", .stop_share = 1e-6};
        ct_run_options options;
        ct_run_summary sum;
        opened o = open_model("four_bar", &r);
        ct_run_options_init(&options);
        options.time = 1e6;
        options.output_step = i ? 1e6 : 10;
        options.integrator = integrators[i];
        options.stop = &r.stop;
        assert_int_equal(ct_simulate(o.ctx, o.system, &options, &sum), CT_INTERRUPTED);
        assert_true(sum.interrupted && sum.time < 5e5);
        close_model(&o);
    }
}

static void test_kinematics(void **state) {
    (void)state;
    record r = {.stop_at = "moving", .stop_share = 1e-6};
    ct_run_options options;
    ct_run_summary sum;
    opened o = open_model("landing_gear", &r);
    ct_run_options_init(&options);
    options.output_step = options.time = 3;
    options.step = 1e-8; // one row after many steps
    options.stop = &r.stop;
    assert_int_equal(ct_kinematics(o.ctx, o.system, &options, &sum), CT_INTERRUPTED);
    assert_true(sum.time < 3);
    assert_string_equal(r.stage[r.n - 1], "moving");
    close_model(&o);
}

static void test_others(void **state) {
    (void)state;
    record r = {.stop_at = "measuring"};
    ct_bench_options options;
    ct_bench_result *result = NULL;
    ct_close_info *info = NULL;
    opened o = open_model("four_bar", &r);
    assert_int_equal(ct_close_describe(o.ctx, o.system, 0, NULL, &info), CT_OK);
    ct_close_info_free(info);
    assert_stages(&r, (const char *const[]){"looking for an order to close the loops in",
                                            "closing the loops", NULL});
    ct_bench_options_init(&options);
    options.stop = &r.stop;
    assert_int_equal(ct_bench(o.ctx, o.system, &options, &result), CT_INTERRUPTED);
    assert_null(result);
    assert_stages(&r, (const char *const[]){"trying each approach", "measuring", NULL});

    char *folder = ct_temporary("progress");
    ct_run_options run;
    ct_generate_info generated;
    assert_non_null(mkdtemp(folder));
    ct_run_options_init(&run);
    assert_int_equal(ct_generate(o.ctx, o.system, "c", folder, &run, &generated), CT_OK);
    assert_string_equal(r.stage[r.n - 1], "writing the files");
    for (int i = 0; i < generated.n_files; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, generated.files[i]);
        unlink(path);
    }
    rmdir(folder);
    ct_free(folder);
    close_model(&o);
}

static void test_configurations(void **state) {
    (void)state;
    record r = {0};
    char path[512];
    ct_configurations_result *result = NULL;
    ct_context *ctx = ct_context_new();
    ct_set_progress(ctx, take, &r);
    snprintf(path, sizeof path, "%s/four_bar.yaml", CT_MODELS_DIR);
    assert_int_equal(ct_configurations(ctx, path, 0, NULL, NULL, &result), CT_OK);
    ct_configurations_free(result);
    assert_stages(&r, (const char *const[]){"writing the loops as polynomials",
                                            "basis modulo a prime", "eliminant and roots", NULL});
    ct_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulate), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_kinematics),
                                       cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_configurations)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
