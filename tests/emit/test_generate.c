// Generated code as a product: for every model it compiles as strict C99 without a warning, needs
// nothing but libm, and its program prints what `simulate` computes. Names may be hostile; a
// failure leaves no file behind.
#include "harness.h"

#define STRICT "cc -std=c99 -Wall -Wextra -Werror -pedantic -fno-stack-protector"
#ifdef __SANITIZE_ADDRESS__
#define OPTIMISED " -O0" // the generator is on trial there, not its output
#else
#define OPTIMISED " -O1"
#endif
// bytes of C from which on `make soak` alone optimises: compilers take seconds there
#define LONG "100000"

static int shell(const char *format, ...) CT_PRINTF(1, 2);
static int shell(const char *format, ...) {
    va_list list;
    va_start(list, format);
    char command[4096];
    int n = vsnprintf(command, sizeof command, format, list);
    va_end(list);
    assert_true(n > 0 && (size_t)n < sizeof command);
    return system(command);
}

static ct_status generate(mech *k, const char *folder, const run_settings *w) {
    ct_run_options o = run_options(w, NULL);
    ct_generate_info info;
    return ct_generate(k->ctx, k->s, "c", folder, &o, &info);
}

// what the objects need -------------------------------------------------------------------------
// libm, the four of libc that a compiler may call on its own, and what the objects give each other.
static bool is_allowed(const char *symbol) {
    static const char *const allowed[] = {
        "sin",    "cos",   "tan",   "asin",   "acos",     "atan",
        "atan2",  "sqrt",  "cbrt",  "exp",    "log",      "pow",
        "fabs",   "fmin",  "exp2",  "log2",   "fmax",     "floor",
        "ceil",   "hypot", "fmod",  "memcpy", "memset",   "memmove",
        "memcmp", "isnan", "isinf", "sincos", "copysign", "_GLOBAL_OFFSET_TABLE_"};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (!strcmp(allowed[i], symbol)) return true;
    return !strncmp(symbol, "ctk_", 4);
}

static int check_symbols(const char *objects) {
    char *command = ct_format("nm -u -P %s", objects), line[512];
    FILE *in = popen(command, "r");
    int wrong = 0; // an object may need nothing: a free body has no sine and cosine
    while (in && fgets(line, sizeof line, in)) {
        if (!strchr(line, ' ')) continue; // name of an object
        line[strcspn(line, " ")] = '\0';
        if (is_allowed(line)) continue;
        print_error("%s needs %s\n", objects, line);
        wrong++;
    }
    assert_non_null(in);
    assert_int_equal(pclose(in), 0);
    ct_free(command);
    return wrong;
}

// every model -----------------------------------------------------------------------------------
static const run_settings brief = {
    .integrator = "rk4", .time = 0.02, .step = 1e-3, .output_step = 4e-3};

static int compare(const char *name, const char *csv, mech *k) {
    table have = table_read(csv);
    run_settings w = brief;
    w.kinematics = strstr(have.names[have.columns - 1], "''") != NULL;
    table want = run_mech(k, &w, NULL);
    int wrong = have.n != want.n || have.columns != want.columns || want.n != 6;
    if (wrong)
        print_error("%s: %d x %d instead of %d x %d\n", name, have.n, have.columns, want.n,
                    want.columns);
    for (int c = 0; !wrong && c < want.columns; c++) {
        wrong += strcmp(have.names[c], want.names[c]) != 0;
        for (int i = 0; i < want.n; i++) {
            double a = table_at(&have, i, c), b = table_at(&want, i, c);
            if (fabs(a - b) <= 1e-12 * fabs(b) + 1e-12) continue;
            print_error("%s: %s is %.17g instead of %.17g in row %d\n", name, want.names[c], a, b,
                        i);
            wrong++;
        }
    }
    table_clear(&have);
    table_clear(&want);
    return wrong;
}

// Kernel objects once; then model and program of each, two at a time.
static void every_model(void **state) {
    (void)state;
    char *base = temporary_folder();
    glob_t files = all_files("/*.yaml");
    int n = (int)files.gl_pathc, failures = 0;
    mech *k = ct_alloc((size_t)n, sizeof *k);
    for (int i = 0; i < n; i++) {
        char *name = stem(files.gl_pathv[i]), *folder = ct_format("%s/%s", base, name);
        k[i] = mech_file(files.gl_pathv[i], NULL);
        assert_made(k + i);
        assert_int_equal(generate(k + i, folder, &brief), CT_OK);
        // the kernel is the same everywhere
        if (i)
            assert_int_equal(
                shell("cd %s && for f in ctk*; do cmp $f ../kernel/$f || exit 1; done", folder), 0);
        if (!i) {
            assert_int_equal(shell("mkdir %s/kernel && cp %s/ctk* %s/kernel", base, folder, base),
                             0);
            assert_int_equal(shell("cd %s/kernel && " STRICT OPTIMISED " -c ctk*.c", base), 0);
        }
        ct_free(name);
        ct_free(folder);
    }
    int code = shell("cd %s && ls | grep -v kernel | xargs -P 2 -I{} sh -c 'cd {} && " STRICT
                     " $(test -n \"$COTREE_SOAK\" -o $(wc -c < {}.c) -lt " LONG " && echo" OPTIMISED
                     " || echo -O0) -c {}.c main.c && " STRICT
                     " -O0 -c {}_reactions.c && cc -o program *.o ../kernel/*.o -lm && ./program > "
                     "out.csv 2> log || echo {} >> ../failed'; "
                     "! cat failed 2>/dev/null >&2",
                     base);
    assert_int_equal(code, 0);
    char *objects = ct_format("%s/kernel/*.o", base);
    failures += check_symbols(objects);
    ct_free(objects);
    for (int i = 0; i < n; i++) {
        char *name = stem(files.gl_pathv[i]), *csv = ct_format("%s/%s/out.csv", base, name);
        char *object = ct_format("%s/%s/%s.o", base, name, name);
        failures += check_symbols(object);
        failures += compare(name, csv, k + i);
        mech_clear(k + i);
        ct_free(name);
        ct_free(csv);
        ct_free(object);
    }
    ct_free(k);
    globfree(&files);
    remove_folder(base);
    assert_int_equal(failures, 0);
}

// The Makefile that comes along, and the program's arguments: time and step.
static void makefile(void **state) {
    (void)state;
    char *folder = temporary_folder();
    mech k = mech_model("slider_crank", NULL);
    assert_made(&k);
    assert_int_equal(generate(&k, folder, &(run_settings){.time = 0.5}), CT_OK);
    assert_int_equal(
        shell(
            "cd %s && make -s CFLAGS='-std=c99 -O0' && ./slider_crank 0.01 0.005 > out.csv 2> log",
            folder),
        0);
    char *csv = ct_format("%s/out.csv", folder);
    table t = table_read(csv);
    assert_int_equal(t.n, 3);
    assert_near(table_last(&t, "t"), 0.01, 1e-15);
    table_clear(&t);
    // what is no number, or one too many, is not taken for zero
    static const char *const wrong[] = {"--time 3", "0.1x", "''", "inf", "1 nan", "-1", "1 2 3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(shell("cd %s && ./slider_crank %s > out.csv 2> log; test $? = 2 -a ! -s "
                               "out.csv && grep -q usage log",
                               folder, wrong[i]),
                         0);
    ct_free(csv);
    mech_clear(&k);
    remove_folder(folder);
}

// Angles that are recomputed keep their turn, also when a row comes only every few turns.
static void turns_between_rows(void **state) {
    (void)state;
    char *folder = temporary_folder(), *path = model_path("slider_crank"), *text = read_text(path);
    char *with =
        ct_format("%s\ntrees: {rotation: [piston, B, A], translation: [slide, B, A]}\n", text);
    mech k = mech_text(path, with, NULL);
    assert_made(&k);
    run_settings w = {.time = 2, .step = 1e-3, .output_step = 1};
    table want = run_mech(&k, &w, NULL);
    assert_true(fabs(table_last(&want, "O")) > 7); // it turns fast enough
    assert_int_equal(generate(&k, folder, &w), CT_OK);
    assert_int_equal(
        shell("cd %s && make -s CFLAGS='-std=c99 -O0' && ./slider_crank > out.csv 2> log", folder),
        0);
    char *csv = ct_format("%s/out.csv", folder);
    table have = table_read(csv);
    assert_near(table_last(&have, "O"), table_last(&want, "O"), 1e-9);
    table_clear(&have);
    table_clear(&want);
    mech_clear(&k);
    remove_folder(folder);
    ct_free(csv);
    ct_free(path);
    ct_free(text);
    ct_free(with);
}

// names -----------------------------------------------------------------------------------------
static const char hostile[] =
    "cotree: 1\n"
    "name: 'evil */ \"x\" ?\?/ \\ %s %n /* \xc3\xbc'\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {c: 1, q: 2, u: 0.5, double: 3, phi: 4}\n"
    "inputs: {push: 0, int: 1}\n"
    "tables: {while: {x: [0, 1, 2], y: [0, 1, 0]}, never_used: {x: [0, 1], y: [0, 1]}}\n"
    "bodies:\n"
    "  'a\"b*/c\\': {mass: c, inertia: q, com: [0, -u, 0], points: {'p\"*/': [0, -double, phi]}}\n"
    "  'gr\xc3\xb6\xc3\x9f"
    "e': {mass: 1, inertia: 1}\n"
    "joints:\n"
    "  for: {type: revolute, between: [ground, 'a\"b*/c\\'], axis: z}\n"
    "  '?\?/': {type: prismatic, between: ['a\"b*/c\\', 'gr\xc3\xb6\xc3\x9f"
    "e'], axis: y}\n"
    "forces:\n"
    "  '*/ #error': {type: actuator, joint: '?\?/', value: 'int + push*table(while, t)'}\n"
    "initial: {for: [1, 0]}\n"
    "outputs: {'y\"*/': for, return: for', 'a,b': 2*for,\n"
    "  "
    "long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_"
    "long_long: 1}\n"
    "simulate: {time: 0.01, step: 1e-3}\n";

static void hostile_names(void **state) {
    (void)state;
    static const char *const paths[] = {"int.yaml",      "9 lives.yaml",      "a-b.c",
                                        "\xc3\xa9.yaml", "main.yaml",         "ctk.yaml",
                                        "ctk_sim.yaml",  "ctk_internal.yaml", "Makefile"};
    int failures = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *folder = temporary_folder();
        mech k = mech_text(paths[i], hostile, NULL);
        assert_made(&k);
        table t;
        int wrong = run_rows(&k, &(run_settings){0}, &t, NULL) != CT_OK || t.n != 11;
        // everything at once, as a user would
        wrong = wrong || generate(&k, folder, &(run_settings){0}) != CT_OK ||
                shell("cd %s && " STRICT " -O0 -o program *.c -lm && ./program > out.csv 2> log",
                      folder) != 0;
        if (wrong) {
            print_messages(k.ctx);
            print_error("a model in '%s'\n", paths[i]);
        }
        failures += wrong;
        table_clear(&t);
        mech_clear(&k);
        remove_folder(folder);
    }
    assert_int_equal(failures, 0);
}

// Nothing moves, nothing to print but t.
static void nothing_moves(void **state) {
    (void)state;
    char *folder = temporary_folder();
    const char *text = "cotree: 1\nname: weld\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints: {w: {type: fixed, between: [ground, b]}}\n";
    mech k = mech_text("weld.yaml", text, NULL);
    assert_made(&k);
    assert_int_equal(generate(&k, folder, &(run_settings){.time = 0.01, .step = 1e-3}), CT_OK);
    assert_int_equal(
        shell("cd %s && " STRICT " -O0 -o program *.c -lm && ./program > out.csv 2> log", folder),
        0);
    mech_clear(&k);
    remove_folder(folder);
}

// failures --------------------------------------------------------------------------------------
static void failures_leave_nothing(void **state) {
    (void)state;
    mech k = mech_model("pendulum", NULL);
    assert_made(&k);
    char *folder = temporary_folder();
    // a folder that cannot be written (root can write anywhere)
    chmod(folder, 0500);
    if (access(folder, W_OK))
        assert_int_equal(generate(&k, folder, &(run_settings){0}), CT_INTERNAL);
    assert_int_equal(count_files(folder), 0);
    chmod(folder, 0700);
    // one name is taken by a folder: all the others must not appear
    char *taken = ct_format("%s/main.c", folder);
    assert_int_equal(mkdir(taken, 0700), 0);
    assert_int_not_equal(generate(&k, folder, &(run_settings){0}), CT_OK);
    assert_true(ct_message_count(k.ctx) > 0);
    assert_int_equal(count_files(folder), 1);
    rmdir(taken);
    // the folder is a file; or its parent is missing
    char *file = ct_format("%s/file", folder), *deep = ct_format("%s/no/such", folder);
    fclose(fopen(file, "w"));
    assert_int_not_equal(generate(&k, file, &(run_settings){0}), CT_OK);
    assert_int_not_equal(generate(&k, deep, &(run_settings){0}), CT_OK);
    assert_int_equal(count_files(folder), 1);
    // what cannot be written at all
    ct_messages_clear(k.ctx);
    assert_int_equal(generate(&k, folder, &(run_settings){.integrator = "cvode"}), CT_USAGE);
    assert_true(has_message(k.ctx, "cvode"));
    ct_run_options o;
    ct_run_options_init(&o);
    ct_generate_info info;
    assert_int_equal(ct_generate(k.ctx, k.s, "fortran", folder, &o, &info), CT_USAGE);
    assert_true(has_message(k.ctx, "unknown target 'fortran'; there are: c"));
    assert_int_equal(ct_generate(k.ctx, k.s, "fmu2", folder, &o, &info), CT_USAGE);
    assert_true(has_message(k.ctx, "target 'fmu2' is not available yet; there are: c"));
    assert_int_equal(count_files(folder), 1);
    ct_free(taken);
    ct_free(file);
    ct_free(deep);
    mech_clear(&k);
    remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model),        cmocka_unit_test(makefile),
        cmocka_unit_test(turns_between_rows), cmocka_unit_test(hostile_names),
        cmocka_unit_test(nothing_moves),      cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
