// Running a model: methods and integrators against each other, rows and their times, options,
// interruption, compiling and its cache.
#include "harness.h"

// methods and integrators -------------------------------------------------------------------------
static double error_of(mech *k, const char *method, const char *integrator, double step,
                       const table *want) {
    run_settings w = {
        .method = method, .integrator = integrator, .time = 0.5, .step = step, .output_step = 0.05};
    table have;
    ct_status status = run_rows(k, &w, &have, NULL);
    double worst = 0;
    if (status || have.n != want->n) {
        print_error("%s, %s: status %d, %d rows\n", method, integrator, status, have.n);
        print_messages(k->ctx);
        worst = INFINITY;
    }
    for (int i = 0; status == CT_OK && i < want->n * want->columns; i++) {
        double d = difference(have.value[i], want->value[i]);
        if (!(d <= worst)) worst = d;
    }
    table_clear(&have);
    return worst;
}

static void methods_agree(void **state) {
    (void)state;
    static const char *const methods[] = {"augmented", "baumgarte",  "penalty",     "newton",
                                          "partition", "triangular", "newton-loops"};
    static const struct {
        const char *name;
        double order, tolerance, step; // tolerance at that step
    } integrators[] = {{"euler", 1, 0.02, 1e-4},
                       {"rk2", 2, 2e-4, 1e-3},
                       {"rk4", 4, 1e-8, 1e-3},
                       {"ab4", 4, 1e-6, 1e-3}};
    mech k = mech_model("four_bar", NULL);
    assert_made(&k);
    table want = run_mech(&k,
                          &(run_settings){.method = "partition",
                                          .integrator = "rk4",
                                          .time = 0.5,
                                          .step = 2e-5,
                                          .output_step = 0.05},
                          NULL);
    int failures = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        for (size_t j = 0; j < sizeof integrators / sizeof *integrators; j++) {
            double h = integrators[j].step,
                   coarse = error_of(&k, methods[i], integrators[j].name, h, &want);
            double fine = error_of(&k, methods[i], integrators[j].name, h / 2, &want),
                   order = log2(coarse / fine);
            bool good =
                coarse < integrators[j].tolerance && fabs(order - integrators[j].order) < 0.5;
            print_message("%-10s %-6s error %.1e, order %.2f\n", methods[i], integrators[j].name,
                          coarse, order);
            failures += !good;
        }
        double adaptive = error_of(&k, methods[i], "cvode", 1e-3, &want);
        print_message("%-10s cvode  error %.1e\n", methods[i], adaptive);
        failures += !(adaptive < 1e-7);
    }
    table_clear(&want);
    mech_clear(&k);
    assert_int_equal(failures, 0);
}

// rows
// ----------------------------------------------------------------------------------------------
static void rows_are(mech *k, double time, double step, double output_step, int n,
                     const double *times) {
    ct_run_options o;
    table t = {0};
    ct_run_options_init(&o);
    o.time = time;
    o.step = step;
    o.output_step = output_step;
    o.row = table_row;
    o.row_data = &t;
    ct_run_summary summary;
    assert_int_equal(ct_simulate(k->ctx, k->s, &o, &summary), CT_OK);
    assert_int_equal(t.n, n);
    for (int i = 0; i < n; i++) assert_near(table_at(&t, i, 0), times[i], 1e-15);
    assert_near(summary.time, times[n - 1], 1e-15);
    assert_false(summary.interrupted);
    table_clear(&t);
}

static void output_times(void **state) {
    (void)state;
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    rows_are(&k, 1, 0.01, 0.3, 5, (const double[]){0, 0.3, 0.6, 0.9, 1});
    rows_are(&k, 0.9, 0.01, 0.3, 4, (const double[]){0, 0.3, 0.6, 0.9});
    rows_are(&k, 0.03, 0.01, -1, 4, (const double[]){0, 0.01, 0.02, 0.03}); // default: the step
    rows_are(&k, 0.025, 0.01, -1, 4, (const double[]){0, 0.01, 0.02, 0.025});
    rows_are(&k, 0.1, 0.02, 0.05, 3, (const double[]){0, 0.05, 0.1}); // steps are shortened to fit
    rows_are(&k, 0.1, 0.05, 0.02, 6, (const double[]){0, 0.02, 0.04, 0.06, 0.08, 0.1});
    rows_are(&k, 0.1, 0.01, 7, 2, (const double[]){0, 0.1});
    rows_are(&k, 0, 0.01, 0.01, 1, (const double[]){0});
    mech_clear(&k);
}

// The model's own times where the caller says nothing.
static void times_of_the_model(void **state) {
    (void)state;
    const char *text =
        "cotree: 1\nname: spin\nbodies: {b: {mass: 1, inertia: 1}}\n"
        "joints: {h: {type: revolute, between: [ground, b], axis: z}}\n"
        "simulate: {time: 1.25, step: 0.1, output_step: 0.5, method: newton, integrator: rk2}\n";
    mech k = mech_text("spin.yaml", text, NULL);
    assert_made(&k);
    rows_are(&k, -1, -1, -1, 4, (const double[]){0, 0.5, 1, 1.25});
    ct_run_summary summary;
    table t = run_mech(&k, &(run_settings){0}, &summary);
    assert_int_equal(summary.steps, 13); // five, five, and three of 0.083 s
    assert_string_equal(summary.method, "newton");
    assert_string_equal(summary.integrator, "rk2");
    table_clear(&t);
    mech_clear(&k);
}

typedef struct stopper {
    volatile sig_atomic_t stop;
    int rows, last;
} stopper;

static int stop_after(void *data, int n, const double *values) {
    stopper *s = data;
    (void)n;
    (void)values;
    if (++s->rows == s->last) s->stop = 1;
    return 0;
}

static int refuse(void *data, int n, const double *values) {
    (void)n;
    (void)values;
    return ++*(int *)data == 3;
}

static void interruption(void **state) {
    (void)state;
    static const char *const integrators[] = {"rk4", "cvode"};
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    for (int i = 0; i < 2; i++) {
        ct_run_options o;
        ct_run_options_init(&o);
        stopper s = {.last = 5};
        o.time = 1000;
        o.step = o.output_step = 0.01;
        o.integrator = integrators[i];
        o.row = stop_after;
        o.row_data = &s;
        o.stop = &s.stop;
        ct_run_summary summary;
        assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_INTERRUPTED);
        assert_true(summary.interrupted);
        assert_true(s.rows >= 5 && s.rows <= 6);
        assert_true(summary.time >= 0.04 - 1e-12 && summary.time < 0.06);
    }
    // a reader of rows that fails
    ct_run_options o;
    ct_run_options_init(&o);
    int seen = 0;
    o.time = 1;
    o.row = refuse;
    o.row_data = &seen;
    ct_run_summary summary;
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_INTERNAL);
    assert_int_equal(seen, 3);
    assert_true(has_message(k.ctx, "written"));
    mech_clear(&k);
}

// Angles that are recomputed from the motion are counted over the turns, however far apart the
// rows.
static void unwrapped_angles(void **state) {
    (void)state;
    static const char *const integrators[] = {"rk4", "cvode"};
    char *path = model_path("slider_crank"), *text = read_text(path), *at = strstr(text, "2.0]");
    assert_non_null(at);
    memcpy(at, "60.]", 4);
    char *with =
        ct_format("%s\ntrees: {rotation: [piston, B, A], translation: [slide, B, A]}\n", text);
    mech plain = mech_text(path, text, "joint"), cut = mech_text(path, with, NULL);
    assert_made(&plain);
    assert_made(&cut);
    for (int i = 0; i < 2; i++) {
        run_settings w = {.integrator = integrators[i], .time = 1, .step = 1e-4, .output_step = 1};
        table want = run_mech(&plain, &w, NULL), have = run_mech(&cut, &w, NULL);
        assert_true(table_last(&want, "O") > 40);
        assert_near(table_last(&have, "O"), table_last(&want, "O"), 1e-5);
        assert_near(table_last(&have, "A"), table_last(&want, "A"), 1e-5);
        table_clear(&want);
        table_clear(&have);
    }
    mech_clear(&plain);
    mech_clear(&cut);
    ct_free(path);
    ct_free(text);
    ct_free(with);
}

// options
// -------------------------------------------------------------------------------------------
static void wrong_options(void **state) {
    (void)state;
    static const struct {
        run_settings w;
        const char *message;
    } wrong[] = {
        {{.method = "magic"}, "magic"},
        {{.method = "global", .integrator = "rk4"}, "implicit"},
        {{.integrator = "rk5"}, "rk5"},
        {{.step = INFINITY}, "step"},
        {{.time = 1e9, .step = 1e-9}, "steps"},
    };
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        table t;
        ct_messages_clear(k.ctx);
        assert_int_equal(run_rows(&k, &wrong[i].w, &t, NULL), CT_USAGE);
        assert_int_equal(t.n, 0);
        assert_true(has_message(k.ctx, wrong[i].message));
        table_clear(&t);
    }
    mech_clear(&k);
}

// Parameters overridden: those that depend on them follow.
static void overrides(void **state) {
    (void)state;
    char *path = model_path("pendulum");
    run_settings w = {.time = 0.01, .step = 1e-3, .output_step = 0.01};
    mech plain = mech_file_set(path, NULL, 0, NULL);
    mech longer = mech_file_set(path, NULL, 2, (const char *const[]){"L=2*2", "m = sqrt(9)"});
    assert_made(&plain);
    assert_made(&longer);
    table a = run_mech(&plain, &w, NULL), b = run_mech(&longer, &w, NULL);
    // from the horizontal q'' = -3 g / (2 L)
    assert_near(table_last(&a, "swing'"), -1.5 * 9.81 * 0.01, 1e-6);
    assert_near(table_last(&b, "swing'"), -1.5 * 9.81 * 0.01 / 4, 1e-6);
    assert_near(table_at(&b, 0, table_column(&b, "tip_x")), 4, 1e-15);
    table_clear(&a);
    table_clear(&b);
    mech_clear(&plain);
    mech_clear(&longer);
    static const char *const wrong[] = {"Lx=1", "L", "L=", "L=1 +", "L=swing", "=3", "L=1/0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mech k = mech_file_set(path, NULL, 1, wrong + i);
        if (k.status == CT_OK) print_error("accepted: %s\n", wrong[i]);
        assert_true(k.status == CT_WRONG_MODEL || k.status == CT_USAGE);
        assert_true(ct_message_count(k.ctx) > 0);
        mech_clear(&k);
    }
    ct_free(path);
}

static void inputs_at_their_defaults(void **state) {
    (void)state;
    const char *text = "cotree: 1\nname: push\nparameters: {a: 2}\ninputs: {u: 3*a, v: -1}\n"
                       "bodies: {b: {mass: 2, inertia: 1}}\n"
                       "joints: {x: {type: prismatic, between: [ground, b], axis: x}}\n"
                       "forces: {f: {type: actuator, joint: x, value: u + v}}\n"
                       "initial: {x: [1, 0.5]}\noutputs: {u_now: u}\n";
    mech k = mech_text("push.yaml", text, NULL);
    assert_made(&k);
    table t = run_mech(&k, &(run_settings){.time = 2, .step = 0.01, .output_step = 2}, NULL);
    assert_near(table_last(&t, "x"), 1 + 0.5 * 2 + 2.5 * 2 * 2 / 2, 1e-12);
    assert_near(table_last(&t, "u_now"), 6, 0);
    table_clear(&t);
    mech_clear(&k);
}

static void kinematics_needs_motions(void **state) {
    (void)state;
    static const char *const models[] = {"four_bar", "five_bar", "gough_stewart"},
                             *const left[] = {"1 freedom", "2 freedoms", "6 freedoms"};
    for (int i = 0; i < 3; i++) {
        mech k = mech_model(models[i], NULL);
        assert_made(&k);
        table t;
        assert_int_equal(run_rows(&k, &(run_settings){.kinematics = true}, &t, NULL),
                         CT_WRONG_MODEL);
        assert_true(has_message(k.ctx, left[i]) && has_message(k.ctx, "motions"));
        assert_int_equal(t.n, 0);
        table_clear(&t);
        mech_clear(&k);
    }
}

// compiling
// -----------------------------------------------------------------------------------------
static ct_status run_pendulum(bool report) {
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    table t;
    ct_status status = run_rows(&k, &(run_settings){.time = 0.01, .step = 1e-3}, &t, NULL);
    assert_int_equal(t.n, status ? 0 : 11);
    if (status && report) print_messages(k.ctx);
    table_clear(&t);
    mech_clear(&k);
    return status;
}

static void swap_environment(const char *name, const char *value, char **saved) {
    const char *old = getenv(name);
    *saved = old ? ct_strdup(old) : NULL;
    setenv(name, value, 1);
}

static void restore_environment(const char *name, char *saved) {
    if (saved)
        setenv(name, saved, 1);
    else
        unsetenv(name);
    ct_free(saved);
}

static void cache(void **state) {
    (void)state;
    char *folder = temporary_folder(), *inside = ct_format("%s/cotree/code", folder), *cache_home,
         *path, *compiler;
    swap_environment("XDG_CACHE_HOME", folder, &cache_home);
    swap_environment("CC", "cc", &compiler);
    assert_int_equal(run_pendulum(true), CT_OK);
    assert_int_equal(count_files(inside), 2); // the object, and which compiler has made the last
    char *around = ct_format("%s/cotree", folder);
    assert_int_equal(count_files(around), 3); // orders, starts, code, and no rest of the build
    ct_free(around);
    // no compiler can be found now, and none is needed
    swap_environment("PATH", "/nonexistent", &path);
    assert_int_equal(run_pendulum(true), CT_OK);
    restore_environment("PATH", path);
    // a damaged object is compiled anew
    glob_t g;
    char *pattern = ct_format("%s/*%s", inside, ct_object_suffix);
    assert_int_equal(glob(pattern, 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        FILE *out = fopen(g.gl_pathv[i], "w");
        fputs("not an object", out);
        fclose(out);
    }
    assert_int_equal(run_pendulum(true), CT_OK);
    assert_int_equal(count_files(inside), 2);
    // no place for a cache
    setenv("XDG_CACHE_HOME", g.gl_pathv[0], 1);
    assert_int_equal(run_pendulum(true), CT_OK);
    globfree(&g);
    ct_free(pattern);
    restore_environment("XDG_CACHE_HOME", cache_home);
    restore_environment("CC", compiler);
    ct_free(inside);
    remove_folder(folder);
}

static void no_compiler(void **state) {
    (void)state;
    static const struct {
        const char *compiler, *message;
    } wrong[] = {{"/no/such/compiler", "/no/such/compiler"}, {"false", "refused"}};
    char *folder = temporary_folder(), *inside = ct_format("%s/cotree", folder), *cache_home,
         *compiler;
    swap_environment("XDG_CACHE_HOME", folder, &cache_home);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        swap_environment("CC", wrong[i].compiler, &compiler);
        mech k = mech_model("pendulum", NULL);
        assert_made(&k);
        table t;
        assert_int_equal(run_rows(&k, &(run_settings){.time = 0.01}, &t, NULL), CT_INTERNAL);
        assert_true(has_message(k.ctx, wrong[i].message));
        assert_int_equal(count_files(inside), 2); // orders, starts, and no rest of the build
        table_clear(&t);
        mech_clear(&k);
        restore_environment("CC", compiler);
    }
    restore_environment("XDG_CACHE_HOME", cache_home);
    ct_free(inside);
    remove_folder(folder);
}

// Angles that are locked at the start, here by a proper sequence at zero, have no rates for every
// motion: the message says so.
static void locked_angles(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: x}\n"
        "  S: {type: spherical, between: [a, b], at: [0, 1, 0], sequence: %s}\n"
        "  I: {type: inline, between: [ground, b], at: [0, 3, 0], axis: y}\n"
        "initial: {A: [0, 1], S.%d: [0, 0]}\n";
    for (int locked = 0; locked < 2; locked++) {
        char *model = ct_format(text, locked ? "zyz" : "zyx", locked ? 2 : 1);
        mech k = mech_text("locked", model, NULL);
        assert_int_equal(k.status, locked ? CT_WRONG_MODEL : CT_OK);
        assert_int_equal(has_message(k.ctx, "the three angles of 'S' are locked"), locked);
        ct_free(model);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(output_times),
        cmocka_unit_test(times_of_the_model),
        cmocka_unit_test(interruption),
        cmocka_unit_test(unwrapped_angles),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(overrides),
        cmocka_unit_test(inputs_at_their_defaults),
        cmocka_unit_test(kinematics_needs_motions),
        cmocka_unit_test(cache),
        cmocka_unit_test(no_compiler),
        cmocka_unit_test(locked_angles),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
