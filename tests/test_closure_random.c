// Mechanisms whose closure is delicate (tests/models/closure_*.yaml), with the model's parameters
// and with random ones, in closed form against coordinate partitioning with an adaptive integrator;
// and each of their coordinates in turn as the independent one.
#include "harness.h"

enum { SETS = 3 }; // of parameters, the model's own first

static glob_t closure_models(void) {
    glob_t g;
    char *pattern = ct_format("%s/tests/models/closure_*.yaml", CT_SOURCE_DIR);
    assert_int_equal(glob(pattern, 0, NULL, &g), 0);
    free(pattern);
    assert_true(g.gl_pathc >= 10);
    return g;
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

// Without `independent:`: it names coordinates of the closure's trees, not of the first ones.
static mech plain(const char *path, int n_set, const char *const *set) {
    char *text = read_text(path), *line = strstr(text, "\nindependent:");
    if (line) line[1] = '#';
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, path, text, strlen(text), n_set, set, &k.model);
    mech_continue(&k, NULL);
    free(text);
    return k;
}

static int compare(const char *path, int number, int n_set, const char *const *set) {
    char *name = stem(path);
    mech a = mech_file_set(path, NULL, n_set, set), b = plain(path, n_set, set);
    assert_made(&a);
    assert_made(&b);
    run_settings closed = {.method = "triangular",
                           .integrator = "rk4",
                           .time = 0.5,
                           .step = 5e-4,
                           .output_step = 0.05},
                 numeric = {.method = "partition",
                            .integrator = "cvode",
                            .time = 0.5,
                            .step = 1e-3,
                            .output_step = 0.05,
                            .rtol = 1e-11,
                            .atol = 1e-12};
    table have, want = run_mech(&b, &numeric, NULL);
    ct_run_summary summary = {.max_residual = INFINITY};
    ct_status status = run_rows(&a, &closed, &have, &summary);
    double off = largest_difference(&have, &want);
    bool good = !status && off < 1e-7 && summary.max_residual < 1e-11 && a.s->flow;
    print_message("%-24s %d: differs by %.1e, residual %.1e\n", name, number, off,
                  summary.max_residual);
    if (!good) {
        print_error("%s with parameters %d: status %d, %s\n", name, number, status,
                    a.s->flow ? "along a flow" : "no flow");
        for (int i = 0; i < n_set; i++) print_error("  %s\n", set[i]);
        print_messages(a.ctx);
    }
    table_clear(&have);
    table_clear(&want);
    mech_clear(&a);
    mech_clear(&b);
    free(name);
    return !good;
}

static void random_parameters(void **state) {
    (void)state;
    glob_t files = closure_models();
    uint64_t random = 11;
    int failures = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        for (int number = 0; number < SETS; number++) {
            char *set[2];
            for (int k = 0; k < 2; k++)
                set[k] = ct_format("d%d=%.6f", k + 1, number ? 0.05 * noise(&random) : 0);
            failures += compare(files.gl_pathv[i], number, 2, (const char *const *)set);
            free(set[0]);
            free(set[1]);
        }
    globfree(&files);
    assert_int_equal(failures, 0);
}

// drives ------------------------------------------------------------------------------------------
static int drive(const char *path, const char *coordinate, int *closed) {
    mech k = plain(path, 0, NULL);
    ct_close_info *info = NULL;
    int failures = 0;
    assert_made(&k);
    // refused with a message, or right
    if (!ct_close_describe(k.ctx, k.s, 1, &coordinate, &info)) {
        (*closed)++;
        failures = !(info->residual < 1e-10) || info->n_independent != 1 ||
                   strcmp(info->independent[0], coordinate) != 0;
    } else {
        failures = !ct_message_count(k.ctx);
    }
    if (failures) {
        print_error("%s driven by %s: residual %.1e\n", path, coordinate,
                    info ? info->residual : INFINITY);
        print_messages(k.ctx);
    }
    ct_close_info_free(info);
    mech_clear(&k);
    return failures;
}

static void any_coordinate_drives(void **state) {
    (void)state;
    glob_t files = closure_models();
    int failures = 0, closed = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        mech k = plain(files.gl_pathv[i], 0, NULL);
        assert_made(&k);
        for (int c = 0; c < k.model->n_coordinates && k.s->f->n - k.s->m == 1; c++)
            failures += drive(files.gl_pathv[i], k.model->coordinates[c].name, &closed);
        mech_clear(&k);
    }
    print_message("%d coordinates drive\n", closed);
    globfree(&files);
    assert_int_equal(failures, 0);
    assert_true(closed > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_parameters),
        cmocka_unit_test(any_coordinate_drives),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
