// Stored results of an independent program (tests/oracle: maximal coordinates, quaternions, an
// adaptive integrator of high order) against ours, every column of every row.
#include "harness.h"

// Step of rk4, and how near it must come: beyond 1 relative.
typedef struct treatment {
    const char *name;
    double step, tolerance;
} treatment;

static const treatment usual = {"", 1e-4, 1e-9};
static const treatment treatments[] = {
    {"andrews", 2e-6, 1e-8},       // 1400 rad/s
    {"bouncing_ball", 2e-6, 1e-7}, // contacts begin in the middle of a step
    {"contact_pair", 1e-5, 1e-9},
    {"shoe_brake", 1e-6, 1e-8},
    {"toggle_clamp", 1e-5, 1e-9},         // heavily damped
    {"bricard", 1e-4, 1e-8},              // crosses limit positions of its closure
    {"schatz", 1e-4, 1e-7},               // ten of them
    {"laws", 1e-5, 1e-9},                 // stiff contacts
    {"four_bar_chain_40", 1e-3, 1e-9},    // 81 bodies, and smooth
    {"sar_antenna", 1e-3, 1e-9},          // slow
    {"serial_arm_7", 5e-5, 1e-9},         // chaotic: doubling the step costs a factor of 16
    {"spatial_slider_crank", 5e-5, 1e-8}, // the reference itself is good to 5e-10
    {"tyre_states", 1e-5, 1e-9},          // tyres that grip fast
    {"vehicle", 5e-4, 2e-8},              // kinks at camber zero: the reference is good to 5e-9
    {"vehicle_14dof", 5e-4, 2e-8},
};

static treatment treatment_of(const char *name) {
    for (size_t i = 0; i < sizeof treatments / sizeof *treatments; i++)
        if (!strcmp(treatments[i].name, name)) return treatments[i];
    return usual;
}

static bool is_kinematic(const table *t) {
    for (int k = 0; k < t->columns; k++)
        if (strlen(t->names[k]) > 2 && !strcmp(t->names[k] + strlen(t->names[k]) - 2, "''"))
            return true;
    return false;
}

// Largest difference; says where.
static double compare(const char *name, const table *want, const table *have) {
    double worst = 0;
    int row = 0, column = 0;
    for (int c = 0; c < want->columns; c++) {
        int k = table_column(have, want->names[c]);
        if (k < 0) {
            print_error("%s: no column %s\n", name, want->names[c]);
            return INFINITY;
        }
        for (int i = 0; i < want->n; i++) {
            double d = difference(table_at(have, i, k), table_at(want, i, c));
            if (!(d <= worst)) {
                worst = d;
                row = i;
                column = c;
            }
        }
    }
    print_message("%-24s %8.1e at t = %g in %s\n", name, worst, table_at(want, row, 0),
                  want->names[column]);
    return worst;
}

static int check(const char *path) {
    char *name = stem(path), *file = model_path(name);
    table want = table_read(path);
    treatment how = treatment_of(name);
    mech k = mech_file(file, NULL);
    int failures = 1;
    if (k.status) {
        print_error("%s is not accepted\n", name);
        print_messages(k.ctx);
    } else {
        double last = table_at(&want, want.n - 1, 0);
        bool driven = is_kinematic(&want);
        run_settings w = {.method = driven ? NULL : "partition",
                          .integrator = "rk4",
                          .time = last,
                          .step = how.step,
                          .output_step = table_at(&want, 1, 0),
                          .kinematics = driven};
        table have;
        ct_status status = run_rows(&k, &w, &have, NULL);
        if (status) print_messages(k.ctx);
        failures =
            status != CT_OK || have.n != want.n || !(compare(name, &want, &have) <= how.tolerance);
        if (failures)
            print_error("%s: status %d, %d rows of %d, tolerance %g\n", name, status, have.n,
                        want.n, how.tolerance);
        table_clear(&have);
    }
    mech_clear(&k);
    table_clear(&want);
    ct_free(name);
    ct_free(file);
    return failures;
}

static void stored_results(void **state) {
    (void)state;
    glob_t files = all_files("/reference/*.csv");
    int failures = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) failures += check(files.gl_pathv[i]);
    globfree(&files);
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stored_results)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
