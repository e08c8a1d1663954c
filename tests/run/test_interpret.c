// Interpreted models beside compiled ones: rows are the same bits as those of code that is compiled
// without optimisation, for every model, method and integrator; who is interpreted, and what is said
// and kept then.
#include "harness.h"

#include "run/interpret/interpret.h"

// Without optimisation each operation is rounded by itself, in the order of the text. Compilers that
// join some of them all the same are as good up to rounding, which a short motion hardly grows.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
static const double AGREE = 0;
#else
static const double AGREE = 1e-11; // of values, or of 1
#endif

static char *compiler_before;

static void use_compiler(const char *cc) {
    if (cc)
        setenv("CC", cc, 1);
    else
        unsetenv("CC");
}

// The compiler of tests, which does not optimise; `make soak` has another one.
static const char *plain_compiler(void) {
    return soaking() ? "cc -O0" : CT_SOURCE_DIR "/tests/quick_cc";
}

static int begin(void **state) {
    const char *cc = getenv("CC");
    compiler_before = cc ? ct_strdup(cc) : NULL;
    return shared_cache(state);
}

static int end(void **state) {
    (void)state;
    use_compiler(compiler_before);
    ct_free(compiler_before);
    return 0;
}

static void assert_same_rows(const table *a, const table *b, const char *what) {
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->columns, b->columns);
    for (int i = 0; i < a->n * a->columns; i++)
        if (!(difference(a->value[i], b->value[i]) <= AGREE))
            fail_msg("%s: %s in row %d is %.17g interpreted, %.17g compiled", what,
                     a->names[i % a->columns], i / a->columns, a->value[i], b->value[i]);
}

// The same run twice.
static void compare(mech *k, const run_settings *w, const char *what) {
    table interpreted, compiled;
    use_compiler("none");
    ct_status status = run_rows(k, w, &interpreted, NULL);
    if (status) print_messages(k->ctx);
    assert_int_equal(status, CT_OK);
    assert_true(has_message(k->ctx, "CC is none: the model is interpreted"));
    use_compiler(plain_compiler());
    assert_int_equal(run_rows(k, w, &compiled, NULL), CT_OK);
    assert_same_rows(&interpreted, &compiled, what);
    assert_true(interpreted.n > 5);
    table_clear(&interpreted);
    table_clear(&compiled);
}

static void compare_files(const char *pattern) {
    glob_t g;
    assert_int_equal(glob(pattern, 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        if (g.gl_pathc > 1 && passed_over(i)) continue;
        mech k = mech_file(g.gl_pathv[i], NULL);
        ct_check_info info;
        // some models are there to be refused, or do not move
        if (!k.status && !ct_check(k.ctx, k.s, &info) && info.dof)
            compare(&k,
                    &(run_settings){
                        .time = 0.01, .step = 0.001, .kinematics = info.dof_after_motions == 0},
                    g.gl_pathv[i]);
        else
            assert_true(strstr(pattern, "/tests/"));
        mech_clear(&k);
    }
    globfree(&g);
}

// Splines, conditions and every function; roots of all kinds, iterations, eliminations; functions in
// parts, for long models.
static void every_model(void **state) {
    (void)state;
    static const char *const some[] = {"models/expressions", "mechanisms/guided_distance"};
    compare_files(CT_MODELS_DIR "/*.yaml");
    for (size_t i = 0; i < sizeof some / sizeof *some && !soaking(); i++) {
        char *path = ct_format("%s/tests/%s.yaml", CT_SOURCE_DIR, some[i]);
        compare_files(path);
        ct_free(path);
    }
    if (!soaking()) return;
    compare_files(CT_SOURCE_DIR "/tests/models/*.yaml");
    compare_files(CT_SOURCE_DIR "/tests/mechanisms/*.yaml");
}

static void every_method(void **state) {
    (void)state;
    static const char *const models[] = {"four_bar", "gough_stewart", "three_rrr_mixed"},
                             *const methods[] = {"augmented", "baumgarte",  "penalty",     "newton",
                                                 "partition", "triangular", "newton-loops"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            mech k = mech_model(models[i], NULL);
            assert_made(&k);
            char *what = ct_format("%s by %s", models[i], methods[m]);
            compare(&k, &(run_settings){.method = methods[m], .time = 0.02, .step = 0.001}, what);
            ct_free(what);
            mech_clear(&k);
        }
}

static void every_integrator(void **state) {
    (void)state;
    static const char *const integrators[] = {
#define X(enumerator, ...) CT_NAME_OF(__VA_ARGS__, 0),
        CT_INTEGRATORS(X) CT_INTEGRATORS_ADAPTIVE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        mech k = mech_model("slider_crank", NULL);
        assert_made(&k);
        compare(&k, &(run_settings){.integrator = integrators[i], .time = 0.02, .step = 0.001},
                integrators[i]);
        mech_clear(&k);
    }
}

// who is interpreted ------------------------------------------------------------------------------
// Runs the pendulum in a cache of its own with these surroundings; all that was said.
static char *run_with(const char *cc, const char *path, ct_status expected) {
    char *before = ct_strdup(getenv("PATH"));
    use_compiler(cc);
    if (path) setenv("PATH", path, 1);
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    table t;
    assert_int_equal(run_rows(&k, &(run_settings){.time = 0.02}, &t, NULL), expected);
    ct_text said = {0};
    for (int i = 0; i < ct_message_count(k.ctx); i++)
        ct_text_printf(&said, "%s\n", ct_message(k.ctx, i));
    ct_text_add(&said, "");
    table_clear(&t);
    mech_clear(&k);
    setenv("PATH", before, 1);
    ct_free(before);
    return ct_text_take(&said);
}

static void assert_said(const char *cc, const char *path, ct_status expected, const char *part) {
    char *said = run_with(cc, path, expected);
    const char *at = strstr(said, part);
    if (*part ? !at : *said) fail_msg("said '%s', not '%s'", said, part);
    if (*part && strstr(at + 1, part)) fail_msg("said twice: '%s'", said);
    ct_free(said);
}

static void surroundings(void **state) {
    (void)state;
    char *folder = temporary_folder(), *bad = ct_format("%s/cc", folder),
         *cache = ct_format("%s/cache", folder);
    assert_int_equal(mkdir(cache, 0700), 0);
    setenv("XDG_CACHE_HOME", cache, 1);
    // no compiler: a note, in a second run too; the one that was named and is not there: an error
    for (int i = 0; i < 2; i++)
        assert_said(NULL, folder, CT_OK,
                    "note: no C compiler ('cc') was found: the model is interpreted");
    assert_said("no-such-cc", folder, CT_INTERNAL, "'no-such-cc' was not found");
    // a compiler of the system that does not work, and the same one by name
    FILE *file = fopen(bad, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho no headers here\nexit 1\n", file);
    fclose(file);
    assert_int_equal(chmod(bad, 0700), 0);
    assert_said(NULL, folder, CT_OK,
                "refused the generated code: no headers here: the model is interpreted");
    assert_said(bad, folder, CT_INTERNAL, "refused the generated code: no headers here");
    // once there is one, models are compiled; without it again, by what it has made
    unlink(bad);
    assert_said("cc -O0", NULL, CT_OK, "");
    assert_said("none", NULL, CT_OK, "CC is none");
    assert_said("cc -O0", folder, CT_OK, "");
    shared_cache(state);
    ct_free(bad);
    char *command = ct_format("rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
    ct_free(command);
    ct_free(cache);
    ct_free(folder);
}

// text that is not what the emitter writes --------------------------------------------------------
static void wrong_text(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "static void constants(const double *restrict p, double *restrict c)\n{\n    c[0] = p[0]",
        "const ctk_model x_model = {\n    .n = 1,\n    .constants = nowhere,\n};\n",
        "const ctk_model x_model = {\n    .unknown = 1,\n};\n",
        "static void f(const double *restrict p, double *restrict c)\n{\n    c[0] = z[0];\n}\n"
        "const ctk_model x_model = {\n    .n_constants = 1,\n    .constants = f,\n};\n",
        "static void f(const double *restrict p, double *restrict c)\n{\n    f(p, c);\n}\n"
        "const ctk_model x_model = {\n    .n_constants = 1,\n    .constants = f,\n};\n",
        "static void f(const double *restrict p, double *restrict c)\n{\n    c[0] = "
        "sinh(p[0]);\n}\n"
        "const ctk_model x_model = {\n    .n_constants = 1,\n    .constants = f,\n};\n",
        "{{{{",
        "static const int x[] = {1, 2",
        "((",
        "static const char *const x[] = {\"abc",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ct_context *ctx = ct_context_new();
        ct_machine *m = ct_machine_new(ctx, wrong[i], "x");
        if (m) fail_msg("understood: %s", wrong[i]);
        assert_true(has_message(ctx, "the interpreter does not understand the generated code"));
        ct_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_text),   cmocka_unit_test(surroundings),
        cmocka_unit_test(every_method), cmocka_unit_test(every_integrator),
        cmocka_unit_test(every_model),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
