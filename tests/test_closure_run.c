// Running with a closure: positions iterated or in closed form against the methods that close the
// loops numerically; limits of the motion; generated code.
#include "harness.h"

// Step of rk4, so that the error of integration, which depends on the coordinates, does not count.
typedef struct treatment {
    const char *name;
    double time, step;
} treatment;

static const treatment usual = {"", 0.5, 1e-4};
static const treatment treatments[] = {
    {"andrews", 0.03, 2e-6},              // 1400 rad/s
    {"serial_arm_7", 0.5, 5e-5},
    {"spatial_slider_crank", 0.5, 5e-5},
};

static treatment treatment_of(const char *name) {
    for (size_t i = 0; i < sizeof treatments / sizeof *treatments; i++)
        if (!strcmp(treatments[i].name, name)) return treatments[i];
    return usual;
}

static void iterate_all(mech *k) {
    assert_int_equal(
        ct_closure_new(k->ctx, k->s->f, NULL, k->s->m, k->s->rows, k->s->q0, &k->s->closure),
        CT_OK);
}

static double largest_difference(const table *a, const table *b) {
    double worst = 0;
    if (a->n != b->n || a->columns != b->columns) return INFINITY;
    for (int i = 0; i < a->n * a->columns; i++) {
        double d = difference(a->value[i], b->value[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static int compare(const char *name, mech *k, const char *method, const table *want) {
    treatment how = treatment_of(name);
    run_settings w = {.method = method,
                      .integrator = "rk4",
                      .time = how.time,
                      .step = how.step,
                      .output_step = how.time / 10};
    table have;
    ct_run_summary summary = {0};
    ct_status status = run_rows(k, &w, &have, &summary);
    double off = status ? INFINITY : largest_difference(&have, want);
    bool good = off <= 1e-9 && summary.max_residual < 1e-11;
    print_message("%-24s %-13s differs by %.1e, residual %.1e\n", name, method, off,
                  summary.max_residual);
    if (!good) {
        print_error("%s, %s: status %d\n", name, method, status);
        print_messages(k->ctx);
    }
    table_clear(&have);
    return !good;
}

static int check(const char *path) {
    char *name = stem(path);
    mech plain = mech_file(path, NULL), iterated = mech_file(path, NULL),
         closed = mech_file(path, NULL);
    treatment how = treatment_of(name);
    assert_made(&plain);
    iterate_all(&iterated);
    run_settings w = {.method = "partition",
                      .integrator = "rk4",
                      .time = how.time,
                      .step = how.step,
                      .output_step = how.time / 10};
    table want = run_mech(&plain, &w, NULL);
    int failures = compare(name, &iterated, "triangular", &want);
    failures += compare(name, &iterated, "newton-loops", &want);
    failures += compare(name, &closed, NULL, &want);
    table_clear(&want);
    mech_clear(&plain);
    mech_clear(&iterated);
    mech_clear(&closed);
    free(name);
    return failures;
}

static void every_model(void **state) {
    (void)state;
    glob_t files = all_files("/*.yaml");
    int failures = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) failures += check(files.gl_pathv[i]);
    globfree(&files);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_model)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
