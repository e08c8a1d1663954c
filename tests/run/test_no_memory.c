// Out of memory: every public call, with every allocation refused in turn. A call runs once; before
// each allocation that is tried the program forks, the child is refused this one (and in every
// second child all that follow in the call), and must return from the call with CT_NO_MEMORY and a
// message, hold no open file and no child of its own, free every object, and have no block left.
// `make soak` tries every allocation, `make test` the first ones of each call and some of the rest.
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <flint/fmpz.h>
#include <sys/wait.h>

enum { FIRST = 30, REST = 40 }; // allocations of a call that are tried in `make test`
enum { AGAIN = 16 }; // one child in so many makes a system of the model once more
enum { MOST_CALLS = 200 };

// The call that is watched.
static long asked;             // allocations that it has asked for
static long stride;            // between those that are tried, behind the first ones
static bool counting;          // nothing is tried: how many there are
static bool is_child, refused; // in the child; and its allocation has been refused
static bool refuse_all;
static int parent_files;
static long totals[MOST_CALLS]; // allocations of each call, in order
static int n_calls;
static long tried, at_start;

static int open_files(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static bool chosen(long n) {
    return n <= FIRST || n % stride == 0;
}

static bool refuses(void) {
    if (is_child) return refuse_all && refused;
    asked++;
    if (counting || !chosen(asked)) return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        is_child = refused = true;
        refuse_all = tried % 2 == 1;
        return true;
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    tried++;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("call %d, allocation %ld: status %x", n_calls, asked, (unsigned)status);
    return false;
}

// Objects that calls are given, and what they gave.
typedef struct state {
    ct_context *ctx;
    ct_model *model;
    ct_system *system;
    ct_view *view;
    char *text;
    ct_close_info *close;
    ct_bench_result *bench;
    ct_configurations_result *configurations;
    const char *folder; // that a failed call must not leave
    ct_system *aside;   // that calls are not given
} state;

static void state_clear(state *s) {
    ct_string_free(s->text);
    ct_close_info_free(s->close);
    ct_bench_free(s->bench);
    ct_configurations_free(s->configurations);
    ct_view_free(s->view);
    ct_system_free(s->system);
    ct_system_free(s->aside);
    ct_model_free(s->model);
    ct_context_free(s->ctx);
    *s = (state){0};
}

static void check(bool good, int code) {
    if (!good) _exit(code);
}

// In a child: what must hold after a call that was refused memory.
static void child_ends(state *s, ct_status status, bool message) {
    ct_memory_refuses = NULL;
    check(status == CT_NO_MEMORY, 10 + status);
    int n = s->ctx ? ct_message_count(s->ctx) : 0;
    if (message) check(n && strstr(ct_message(s->ctx, n - 1), "out of memory"), 2);
    check(waitpid(-1, NULL, 0) < 0 && errno == ECHILD, 3);
    check(open_files() == parent_files, 4);
    if (s->folder) check(access(s->folder, F_OK) != 0, 5);
    // a system that was being changed says so, else it is sound; the model is as it was
    if (s->system) {
        ct_check_info info;
        ct_status later = ct_check(s->ctx, s->system, &info);
        check(later == CT_USAGE || later == CT_OK, 6);
        ct_system_free(s->system);
        s->system = NULL;
    }
    if (s->model && s->ctx && tried % AGAIN == 0) {
        check(ct_formulate(s->ctx, s->model, NULL, &s->system) == CT_OK, 7);
        check(ct_assemble(s->ctx, s->system) == CT_OK, 8);
    }
    state_clear(s);
    check(ct_memory_live() == at_start, 9);
    _exit(0);
}

static void begin(void) {
    asked = 0;
    assert_true(n_calls < MOST_CALLS);
    stride = totals[n_calls] / REST + 1;
    if (soaking()) stride = 1;
    parent_files = open_files();
    ct_memory_refuses = refuses;
}

static void end(state *s, ct_status status, bool message) {
    if (is_child) child_ends(s, status, message);
    ct_memory_refuses = NULL;
    if (counting) totals[n_calls] = asked;
    n_calls++;
}

// A call whose status counts, and one that returns a pointer or a number.
#define CALL(s, expected, call)                                                                    \
    do {                                                                                           \
        begin();                                                                                   \
        ct_status status_ = (call);                                                                \
        end((s), status_, true);                                                                   \
        assert_int_equal(status_, (expected));                                                     \
    } while (0)
#define CALL_BARE(s, failed, call)                                                                 \
    do {                                                                                           \
        begin();                                                                                   \
        bool failed_ = ((call)failed);                                                             \
        end((s), failed_ ? CT_NO_MEMORY : CT_OK, false);                                           \
        assert_false(failed_);                                                                     \
    } while (0)

// First only counted, then tried.
static void both(void (*scenario)(state *s)) {
    for (int pass = 0; pass < 2; pass++) {
        state s = {0};
        n_calls = 0;
        tried = 0;
        at_start = ct_memory_live();
        counting = pass == 0;
        scenario(&s);
        state_clear(&s);
        assert_int_equal(ct_memory_live(), at_start);
    }
    long all = 0;
    for (int i = 0; i < n_calls; i++) all += totals[i];
    print_message("%ld of %ld allocations in %d calls\n", tried, all, n_calls);
}

static void open_model(state *s, const char *name) {
    char *path = model_path(name);
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", path);
    ct_free(path);
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK, ct_model_read(s->ctx, copy, 0, NULL, &s->model));
}

// scenarios --------------------------------------------------------------------------------------
static void describing(state *s) {
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_assemble(s->ctx, s->system));
    ct_initial_info initial;
    CALL(s, CT_OK, ct_initial(s->ctx, s->system, &initial));
    ct_check_info info;
    CALL(s, CT_OK, ct_check(s->ctx, s->system, &info));
    ct_trees_info trees;
    CALL(s, CT_OK, ct_trees(s->ctx, s->system, &trees));
    CALL_BARE(s, == NULL, s->text = ct_graph_text(s->system));
    ct_string_free(s->text);
    ct_equations_info equations;
    for (ct_equation_style style = CT_EQUATIONS_TEXT; style <= CT_EQUATIONS_LATEX; style++) {
        s->text = NULL;
        CALL(s, CT_OK, ct_equations(s->ctx, s->system, style, &equations));
        CALL_BARE(s, == NULL, s->text = ct_equations_text(s->ctx, s->system, style));
        ct_string_free(s->text);
    }
    s->text = NULL;
    const char *const *names;
    CALL_BARE(s, < 0, ct_result_columns(s->system, false, &names));
    CALL_BARE(s, < 0, ct_result_columns(s->system, true, &names));
}

static void close_one(state *s, const char *name) {
    open_model(s, name);
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_close_describe(s->ctx, s->system, 0, NULL, &s->close));
}

static void closing(state *s) {
    close_one(s, "four_bar");
}

static void closing_by_elimination(state *s) {
    close_one(s, "closure_rssr");
}

static void closing_by_tearing(state *s) {
    close_one(s, "gough_stewart");
}

static void running(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    open_model(s, "slider_crank");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
    // a step that is too long for rk4: cvode makes the run, rows wait
    run.time = 0.2;
    run.step = run.output_step = 0.1;
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
    assert_string_equal(summary.integrator, "cvode");
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    run.integrator = "rk4";
    run.method = "augmented";
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/no_memory.%ld", CT_BUILD_DIR, (long)getpid());
    ct_generate_info info;
    run.method = NULL;
    s->folder = folder;
    CALL(s, CT_OK, ct_generate(s->ctx, s->system, "c", folder, &run, &info));
    s->folder = NULL;
    remove_folder(ct_strdup(folder));
    CALL(s, CT_USAGE, ct_generate(s->ctx, s->system, "ada", folder, &run, &info));
}

static void driven(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    open_model(s, "kin_points");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, "absolute", &s->system));
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    CALL(s, CT_OK, ct_kinematics(s->ctx, s->system, &run, &summary));
}

static void measuring(state *s) {
    ct_bench_options options;
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_bench_options_init(&options);
    options.time = 0.002;
    options.seconds = 0;
    CALL(s, CT_OK, ct_bench(s->ctx, s->system, &options, &s->bench));
}

static void wrong_input(state *s) {
    char path[1024];
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    static const char *const bad[] = {"001_yaml_bracket", "007_yaml_duplicate_body",
                                      "015_unknown_section", "018_polynomial_system"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", CT_BAD_DIR, bad[i]);
        ct_messages_clear(s->ctx);
        CALL(s, CT_WRONG_MODEL, ct_model_read(s->ctx, path, 0, NULL, &s->model));
    }
    ct_messages_clear(s->ctx);
    CALL(s, CT_WRONG_MODEL, ct_model_read(s->ctx, "/no/such/file", 0, NULL, &s->model));
    static const char text[] = "{bodies: [}";
    CALL(s, CT_WRONG_MODEL,
         ct_model_read_text(s->ctx, "text", text, strlen(text), 0, NULL, &s->model));
}

static void assemblies_of(state *s, const char *path, const char *method) {
    ct_configurations_options options;
    ct_configurations_options_init(&options);
    options.method = method;
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK, ct_configurations(s->ctx, path, 0, NULL, &options, &s->configurations));
}

static void assemblies(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/four_bar.yaml", NULL);
}

static void roots(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/noon_4.yaml", "rur");
}

static void eigenvalues(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/four_bar_system.yaml", "eigen");
}

static void elimination(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/katsura_6.yaml", "sylvester");
}

static void viewing(state *s) {
    char path[1024];
    const char *const *names;
    ct_view_info info;
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    int n = ct_result_columns(s->system, false, &names);
    double row[64] = {0};
    // a result file
    snprintf(path, sizeof path, "%s/no_memory.%ld.csv", CT_BUILD_DIR, (long)getpid());
    FILE *file = fopen(path, "w");
    for (int i = 0; i < n; i++) fprintf(file, "%s%s", i ? "," : "", names[i]);
    fputs("\n", file);
    for (int i = 0; i < n; i++) fprintf(file, "%s0.1", i ? "," : "");
    fputs("\n", file);
    fclose(file);
    s->aside = s->system;
    s->system = NULL;
    CALL(s, CT_OK, ct_view_ready(s->ctx));
    CALL(s, CT_OK, ct_view_read_csv(s->ctx, s->model, path, &s->view));
    unlink(path);
    CALL(s, CT_OK, ct_view_still(s->ctx, s->view, 0, &s->text, &info));
    ct_view_free(s->view);
    ct_string_free(s->text);
    s->text = NULL;
    s->view = NULL;
    CALL(s, CT_OK, ct_view_new(s->ctx, s->model, CT_VIEW_MOTION, n, names, &s->view));
    CALL_BARE(s, != 0, ct_view_row(s->view, n, row));
    CALL(s, CT_OK, ct_view_page(s->ctx, s->view, &s->text, &info));
}

static void reporting(state *s) {
    ct_run_options run;
    ct_report_info info;
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_run_options_init(&run);
    run.time = 0.01;
    CALL(s, CT_OK, ct_report_page(s->ctx, s->system, &run, false, &s->text, &info));
}

// functions of the caller ------------------------------------------------------------------------
typedef struct caller {
    int calls, refusals;
    fmpz_t sum; // grows beyond a word
} caller;

// Reads another model, which may be refused memory: that is the affair of this function alone.
static void read_another(caller *c) {
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_status status = CT_NO_MEMORY;
    if (ctx) status = ct_model_read(ctx, CT_MODELS_DIR "/slider_crank.yaml", 0, NULL, &model);
    assert_true(status == CT_OK || status == CT_NO_MEMORY);
    c->calls++;
    c->refusals += status != CT_OK;
    ct_model_free(model);
    ct_context_free(ctx);
}

static void while_it_goes_on(void *data, const ct_progress *progress) {
    (void)progress;
    read_another(data);
}

static int add_row(void *data, int n, const double *values) {
    caller *c = data;
    (void)n;
    (void)values;
    fmpz_mul_ui(c->sum, c->sum, 1000003);
    read_another(c);
    return 0;
}

static long every, asked_inside;
static bool refuses_some(void) {
    return every && ++asked_inside % every == 0;
}

// Calls inside of functions that a call makes, without and with memory for some of them.
static void functions_of_the_caller(void **unused) {
    (void)unused;
    at_start = ct_memory_live();
    caller c = {0};
    fmpz_init_set_ui(c.sum, 1);
    fmpz_t want;
    fmpz_init_set_ui(want, 1);
    ct_run_options run;
    ct_run_summary summary;
    ct_run_options_init(&run);
    run.time = 0.05;
    run.step = run.output_step = 0.01;
    run.row = add_row;
    run.row_data = &c;
    bool good = true;
    for (every = 0; good || every < 100000; every = every ? 7 * every : 11) {
        ct_memory_refuses = refuses_some;
        asked_inside = 0;
        ct_context *ctx = ct_context_new();
        ct_model *model = NULL;
        ct_system *system = NULL;
        ct_status status = ctx ? CT_OK : CT_NO_MEMORY;
        if (ctx) ct_set_progress(ctx, while_it_goes_on, &c);
        if (!status) status = ct_model_read(ctx, CT_MODELS_DIR "/four_bar.yaml", 0, NULL, &model);
        if (!status) status = ct_formulate(ctx, model, NULL, &system);
        if (!status) status = ct_simulate(ctx, system, &run, &summary);
        ct_memory_refuses = NULL;
        assert_int_equal(status, every ? CT_NO_MEMORY : CT_OK);
        ct_system_free(system);
        ct_model_free(model);
        ct_context_free(ctx);
        good = false;
        if (every > 3000) break;
    }
    assert_true(c.calls > 6 && c.refusals > 0);
    // numbers of the caller that a row function changes: 6 rows of the run that had memory
    for (int i = 0; i < 6; i++) fmpz_mul_ui(want, want, 1000003);
    assert_true(fmpz_equal(c.sum, want));
    fmpz_clear(c.sum);
    fmpz_clear(want);
    assert_int_equal(ct_memory_live(), at_start);
}

#define TEST(scenario)                                                                             \
    static void test_##scenario(void **unused) {                                                   \
        (void)unused;                                                                              \
        both(scenario);                                                                            \
    }
TEST(describing)
TEST(closing)
TEST(closing_by_elimination)
TEST(closing_by_tearing)
TEST(running)
TEST(driven)
TEST(measuring)
TEST(wrong_input)
TEST(assemblies)
TEST(roots)
TEST(eigenvalues)
TEST(elimination)
TEST(viewing)
TEST(reporting)

// With the name of one scenario (test_closing) or a pattern of names: only these.
int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describing),
        cmocka_unit_test(test_closing),
        cmocka_unit_test(test_closing_by_elimination),
        cmocka_unit_test(test_closing_by_tearing),
        cmocka_unit_test(test_running),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_measuring),
        cmocka_unit_test(test_wrong_input),
        cmocka_unit_test(test_assemblies),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_eigenvalues),
        cmocka_unit_test(test_elimination),
        cmocka_unit_test(test_viewing),
        cmocka_unit_test(test_reporting),
        cmocka_unit_test(functions_of_the_caller),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
