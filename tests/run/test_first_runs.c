// First runs of long models: they are interpreted until their compiler is done. Rows are the same
// bits whenever that is, whether it is slow, does not work, or is not needed any more; runs after
// that formulate nothing. Where a run ends early, its compiler does too.
#include "harness.h"

#include "run/run.h"

#include <time.h>

// A compiler of the system as the test wants it: a script before all others in PATH.
typedef struct surroundings {
    char *folder, *cache, *path_before, *cc_before;
} surroundings;

static int begin(void **state) {
    surroundings *s = ct_alloc(1, sizeof *s);
    const char *cc = getenv("CC");
    s->folder = temporary_folder();
    s->cache = ct_format("%s/cache", s->folder);
    s->path_before = ct_strdup(getenv("PATH"));
    s->cc_before = cc ? ct_strdup(cc) : NULL;
    assert_int_equal(mkdir(s->cache, 0700), 0);
    setenv("XDG_CACHE_HOME", s->cache, 1);
    unsetenv("CC");
    char *path = ct_format("%s:%s", s->folder, s->path_before);
    setenv("PATH", path, 1);
    ct_free(path);
    *state = s;
    return 0;
}

static int end(void **state) {
    surroundings *s = *state;
    setenv("PATH", s->path_before, 1);
    if (s->cc_before) setenv("CC", s->cc_before, 1);
    remove_folder(s->folder);
    ct_free(s->cache);
    ct_free(s->path_before);
    ct_free(s->cc_before);
    ct_free(s);
    return shared_cache(state);
}

// The compiler notes its process and that it was called, then does what it is told.
static void set_compiler(const surroundings *s, const char *first) {
    char *path = ct_format("%s/cc", s->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho $$ >> '%s/called'\n%s\nPATH='%s' exec cc \"$@\"\n", s->folder,
            first, s->path_before);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    ct_free(path);
}

static bool was_called(const surroundings *s) {
    char *path = ct_format("%s/called", s->folder);
    bool called = access(path, F_OK) == 0;
    ct_free(path);
    return called;
}

static bool has_object(const surroundings *s) {
    char *code = ct_format("%s/cotree/code", s->cache);
    int n = count_files(code);
    ct_free(code);
    return n > 0;
}

// runs -------------------------------------------------------------------------------------------
typedef struct outcome {
    const surroundings *s;
    bool waits;            // rows for the object, where they are slowed down
    int stop_at, short_of; // row after which the run is stopped; rows before the object was there
    volatile sig_atomic_t stop;
    ct_status status;
    table rows;
    char *said;
    bool formulated;
    double seconds;  // of its steps
    const char *set; // NAME=VALUE, or NULL
    long allowed;    // allocations of the run, of which rows are not kept then; 0: all
} outcome;

static long allocations, allowed;
static bool refuses(void) {
    return ++allocations == allowed;
}

static int take_row(void *data, int n, const double *row) {
    outcome *o = data;
    if (o->waits && !has_object(o->s)) {
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        o->short_of = o->rows.n + 1;
    }
    if (o->allowed) {
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        o->stop = ++o->short_of == o->stop_at;
        return 0;
    }
    if (o->stop_at && o->rows.n == o->stop_at) o->stop = 1;
    return table_row(&o->rows, n, row);
}

static void run(const char *name, double time, outcome *o) {
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_system *system = NULL;
    ct_run_options options;
    ct_run_summary summary;
    char *path = model_path(name);
    ct_run_options_init(&options);
    // named, so that rows come as they are computed
    options.method = "triangular";
    options.integrator = "rk4";
    options.time = time;
    options.step = options.output_step = 1e-3;
    options.row = take_row;
    options.row_data = o;
    options.stop = &o->stop;
    o->status = ct_model_read(ctx, path, o->set != NULL, &o->set, &model);
    if (!o->status) o->status = ct_formulate(ctx, model, NULL, &system);
    allocations = 0;
    allowed = o->allowed;
    ct_memory_refuses = allowed ? refuses : NULL;
    if (!o->status) o->status = ct_simulate(ctx, system, &options, &summary);
    ct_memory_refuses = NULL;
    o->formulated = system && !system->waits;
    o->seconds = o->status ? 0 : summary.seconds;
    ct_text said = {0};
    for (int i = 0; i < ct_message_count(ctx); i++)
        ct_text_printf(&said, "%s\n", ct_message(ctx, i));
    ct_text_add(&said, "");
    o->said = ct_text_take(&said);
    ct_system_free(system);
    ct_model_free(model);
    ct_context_free(ctx);
    ct_free(path);
}

static void clear(outcome *o) {
    table_clear(&o->rows);
    ct_free(o->said);
}

static void assert_same_bits(const outcome *a, const outcome *b) {
    assert_int_equal(a->status, CT_OK);
    assert_int_equal(b->status, CT_OK);
    assert_int_equal(a->rows.n, b->rows.n);
    assert_int_equal(a->rows.columns, b->rows.columns);
    assert_memory_equal(a->rows.value, b->rows.value,
                        (size_t)a->rows.n * (size_t)a->rows.columns * sizeof(double));
}

// Closures of all kinds of steps, trees alone, whole rotations.
static const char *const models[] = {"serial_arm_7", "double_wishbone", "sar_antenna"};
enum { MODELS = sizeof models / sizeof *models };

// The object takes over on the way, after some rows; then a run by it alone, and one without it.
static void takes_over(void **state) {
    const surroundings *s = *state;
    const double time = 1; // a thousand rows
    for (int i = 0; i < MODELS; i++) {
        set_compiler(s, "");
        outcome first = {.s = s, .waits = true}, second = {.s = s}, without = {.s = s};
        run(models[i], time, &first);
        assert_string_equal(first.said, "");
        assert_true(first.formulated);
        if (!(first.short_of > 0 && first.short_of < first.rows.n - 1))
            fail_msg("%s: the object came after %d of %d rows", models[i], first.short_of,
                     first.rows.n);
        run(models[i], time, &second);
        assert_false(second.formulated);
        setenv("CC", "none", 1);
        run(models[i], time, &without);
        unsetenv("CC");
        assert_same_bits(&first, &second);
        assert_same_bits(&first, &without);
        clear(&first);
        clear(&second);
        clear(&without);
        char *code = ct_format("%s/cotree", s->cache);
        remove_folder(code);
    }
}

// Values of parameters are run by the code of the file's own, whoever carries it out: the first run of
// all, a second one, one without a compiler.
static void other_values(void **state) {
    const surroundings *s = *state;
    set_compiler(s, "");
    outcome run_by[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        if (i == 2) setenv("CC", "none", 1);
        run_by[i] = (outcome){.s = s, .set = "stiffness=60000"};
        run("double_wishbone", 0.05, run_by + i);
        assert_int_equal(run_by[i].formulated, 0);
    }
    unsetenv("CC");
    outcome own = {.s = s};
    run("double_wishbone", 0.05, &own);
    assert_same_bits(run_by, run_by + 1);
    assert_same_bits(run_by, run_by + 2);
    assert_memory_not_equal(own.rows.value, run_by[0].rows.value,
                            (size_t)own.rows.n * (size_t)own.rows.columns * sizeof(double));
    for (int i = 0; i < 3; i++) clear(run_by + i);
    clear(&own);
}

// A compiler that is slower than the run; the object is there for the next one. Until then, what is
// known of the model is enough.
static void slow_compiler(void **state) {
    const surroundings *s = *state;
    set_compiler(s, "sleep 1");
    // a row at the start needs no compiler, and neither does the next one
    for (int i = 0; i < 2; i++) {
        outcome o = {.s = s};
        run(models[0], 0, &o);
        assert_int_equal(o.status, CT_OK);
        assert_int_equal(o.rows.n, 1);
        assert_int_equal(o.formulated, i == 0);
        assert_false(was_called(s));
        clear(&o);
    }
    // a few steps are not worth its time, unless the machine has held them up: it ends with them
    outcome few = {.s = s};
    run(models[0], 2e-3, &few);
    assert_int_equal(few.status, CT_OK);
    assert_false(few.formulated);
    if (few.seconds < 0.01) assert_false(has_object(s));
    clear(&few);
    // all of it is interpreted; after some runs like it, it is compiled for others
    outcome first = {.s = s}, second = {.s = s};
    run(models[0], 0.2, &first);
    assert_false(first.formulated);
    for (int i = 0; i < 100 && !has_object(s); i++) {
        outcome more = {.s = s};
        run(models[0], 0.2, &more);
        assert_same_bits(&first, &more);
        clear(&more);
    }
    assert_true(has_object(s));
    char *called = ct_format("%s/called", s->folder);
    assert_int_equal(unlink(called), 0);
    ct_free(called);
    run(models[0], 0.2, &second);
    assert_false(second.formulated || was_called(s));
    assert_string_equal(first.said, "");
    assert_same_bits(&first, &second);
    clear(&first);
    clear(&second);
}

// A compiler that does not work: the run goes on, with a note.
static void bad_compiler(void **state) {
    const surroundings *s = *state;
    set_compiler(s, "");
    outcome good = {.s = s};
    run(models[0], 0.02, &good);
    char *code = ct_format("%s/cotree", s->cache);
    remove_folder(code);
    set_compiler(s, "echo no headers here; exit 1");
    outcome bad = {.s = s, .waits = true};
    run(models[0], 0.02, &bad);
    assert_same_bits(&good, &bad);
    assert_non_null(strstr(bad.said, "refused the generated code: no headers here: the model is "
                                     "interpreted"));
    assert_false(has_object(s));
    clear(&good);
    clear(&bad);
}

// An object that the system does not load, as in a folder whose files must not be run: the model is
// interpreted, with a note.
static void object_of_no_use(void **state) {
    const surroundings *s = *state;
    const char *const some[] = {models[0], "four_bar"};
    for (int i = 0; i < 2; i++) {
        setenv("CC", "none", 1);
        outcome without = {.s = s};
        run(some[i], 0.02, &without);
        unsetenv("CC");
        remove_folder(ct_format("%s/cotree", s->cache));
        set_compiler(s,
                     "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo text > \"$2\"; shift; done; "
                     "exit 0");
        outcome own = {.s = s, .waits = true};
        run(some[i], 0.02, &own);
        assert_int_equal(own.status, CT_OK);
        assert_same_bits(&without, &own);
        assert_non_null(strstr(own.said, "the compiled model cannot be loaded: "));
        assert_non_null(strstr(own.said, "XDG_CACHE_HOME"));
        remove_folder(ct_format("%s/cotree", s->cache));
        clear(&without);
        clear(&own);
    }
}

// Whoever stops a run does not wait for the compiler, which ends with all that it has started.
static void stopped_run(void **state) {
    const surroundings *s = *state;
    set_compiler(s, "sleep 300");
    double start = ct_seconds();
    outcome o = {.s = s, .waits = true, .stop_at = 30};
    run(models[0], 1, &o);
    assert_int_equal(o.status, CT_INTERRUPTED);
    assert_true(ct_seconds() - start < 100);
    clear(&o);
    // its process is gone
    char *path = ct_format("%s/called", s->folder), *process = read_text(path);
    assert_non_null(process);
    assert_int_equal(kill((pid_t)atoi(process), 0), -1);
    ct_free(process);
    ct_free(path);
}

// Memory that runs out once compilers are called, or where they have failed: nothing is left of the
// run, nor of them.
static void no_memory(void **state) {
    const surroundings *s = *state;
    static const char *const compilers[] = {"sleep 300", "echo no headers here; exit 1"};
    const long trials = 30;
    for (int k = 0; k < 2; k++) {
        char *called = ct_format("%s/called", s->folder);
        set_compiler(s, compilers[k]);
        outcome known = {.s = s};
        run(models[0], 0, &known);
        clear(&known);
        // stopped after some steps; then with one allocation less after the other, from the last on
        outcome all = {.s = s, .allowed = 1L << 40, .stop_at = 4};
        run(models[0], 1, &all);
        assert_int_equal(all.status, CT_INTERRUPTED);
        assert_true(was_called(s));
        assert_int_equal(strstr(all.said, "no headers here") != NULL, k == 1);
        clear(&all);
        long n = allocations;
        assert_true(n > 4 * trials);
        for (long i = 0; i < trials; i++) {
            long before = ct_memory_live();
            unlink(called);
            outcome o = {
                .s = s, .allowed = n - (i < trials / 2 ? i : i * n / trials), .stop_at = 4};
            run(models[0], 1, &o);
            assert_int_equal(o.status, CT_NO_MEMORY);
            clear(&o);
            assert_int_equal(ct_memory_live(), before);
            char *process = read_text(called);
            if (process) assert_int_equal(kill((pid_t)atoi(process), 0), -1);
            ct_free(process);
        }
        ct_free(called);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_over, begin, end),
        cmocka_unit_test_setup_teardown(other_values, begin, end),
        cmocka_unit_test_setup_teardown(slow_compiler, begin, end),
        cmocka_unit_test_setup_teardown(bad_compiler, begin, end),
        cmocka_unit_test_setup_teardown(object_of_no_use, begin, end),
        cmocka_unit_test_setup_teardown(stopped_run, begin, end),
        cmocka_unit_test_setup_teardown(no_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
