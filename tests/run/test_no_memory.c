// Out of memory: every public call, with every allocation refused in turn (no_memory.h says how). A
// scenario is a session of a user; together they call every function of the public header.
//
//   test_no_memory [--all] [--seed N] [--only CALL:ALLOCATION] [SCENARIO ...]
#define _GNU_SOURCE // RTLD_NEXT
#include "no_memory.h"

#include <flint/fmpz.h>

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
    CALL_BARE(s, == NULL, s->text = ct_graph_drawing(s->system));
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
    const char *name = NULL;
    CALL_PLAIN(name = ct_model_name(s->model));
    assert_string_equal(name, "planar four-bar");
}

// Counts alone, then equations of motion after all.
static void checking(state *s) {
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate_positions(s->ctx, s->model, NULL, &s->system));
    ct_check_info info;
    CALL(s, CT_OK, ct_check(s->ctx, s->system, &info));
    ct_trees_info trees;
    CALL(s, CT_OK, ct_trees(s->ctx, s->system, &trees));
}

static void note_stage(void *data, const ct_progress *progress) {
    *(const char **)data = progress->stage;
}

// Numbers in the place of parameters, one of them the caller's; stages are told.
static void folding(state *s) {
    const char *const set[] = {"l2=21/10"}, *stage = NULL;
    char text[4096];
    char *given = read_text(CT_MODELS_DIR "/four_bar.yaml");
    size_t bytes = strlen(given);
    assert_true(bytes < sizeof text);
    memcpy(text, given, bytes);
    ct_free(given);
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL_PLAIN(ct_set_fold(s->ctx, true));
    CALL_PLAIN(ct_set_budget(s->ctx, 0.01));
    CALL_PLAIN(ct_set_progress(s->ctx, note_stage, &stage));
    CALL(s, CT_OK, ct_model_read_text(s->ctx, "text", text, bytes, 1, set, &s->model));
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, "joint", &s->system));
    CALL(s, CT_OK, ct_assemble(s->ctx, s->system));
    assert_non_null(stage);
}

// A position of rest, mass properties, and a run from there.
static void resting(state *s) {
    const char *const held[] = {"h12"};
    ct_equilibrium_options options;
    CALL_PLAIN(ct_equilibrium_options_init(&options));
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_mass(s->ctx, s->system, &s->mass));
    assert_int_equal(s->mass->n_bodies, 3);
    CALL(s, CT_OK, ct_equilibrium(s->ctx, s->system, &options, &s->rest));
    assert_string_equal(s->rest->stability, "stable");
    CALL_PLAIN(ct_equilibrium_free(s->rest));
    s->rest = NULL;
    options.n_hold = 1;
    options.hold = held;
    CALL(s, CT_OK, ct_equilibrium(s->ctx, s->system, &options, &s->rest));
    assert_int_equal(s->rest->n_independent, 0);
    options.n_hold = 0;
    CALL(s, CT_OK, ct_equilibrium_start(s->ctx, s->system, &options));
    ct_initial_info initial;
    CALL(s, CT_OK, ct_initial(s->ctx, s->system, &initial));
    assert_true(initial.n > 0);
}

// Forces of an instant, and along a driven motion.
static void forces(state *s) {
    ct_statics_options options;
    ct_run_options run;
    ct_run_summary summary;
    const char *const *names;
    CALL_PLAIN(ct_statics_options_init(&options));
    ct_run_options_init(&run);
    run.time = 0.01;
    run.reactions = "";
    open_model(s, "four_bar_driven");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_statics(s->ctx, s->system, &options, &s->statics));
    assert_int_equal(s->statics->n_reactions, 4);
    CALL_PLAIN(ct_statics_free(s->statics));
    s->statics = NULL;
    CALL_BARE(s, < 0, ct_run_columns(s->ctx, s->system, &run, true, &names));
    CALL(s, CT_OK, ct_inverse_dynamics(s->ctx, s->system, &run, &summary));
    assert_int_equal(summary.n_efforts, 1);
}

static void close_one(state *s, const char *name) {
    open_model(s, name);
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_close_describe(s->ctx, s->system, 0, NULL, &s->close));
}

// Once more, with what the first time has left in the cache.
static void close_again(state *s, const char *name) {
    char *path = model_path(name);
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_system *system = NULL;
    ct_close_info *info = NULL;
    assert_int_equal(ct_model_read(ctx, path, 0, NULL, &model), CT_OK);
    assert_int_equal(ct_formulate(ctx, model, NULL, &system), CT_OK);
    assert_int_equal(ct_close_describe(ctx, system, 0, NULL, &info), CT_OK);
    ct_close_info_free(info);
    ct_system_free(system);
    ct_model_free(model);
    ct_context_free(ctx);
    ct_free(path);
    close_one(s, name);
    assert_true(s->close->cached);
}

static void closing(state *s) {
    close_one(s, "four_bar");
}

static void closing_by_elimination(state *s) {
    close_one(s, "closure_rssr");
}

static void closing_by_tearing(state *s) {
    close_one(s, "inline_inplane");
}

static void closing_a_platform(state *s) {
    close_one(s, "gough_stewart");
}

static void closing_from_cache(state *s) {
    close_again(s, "closure_rssr");
}

static void running(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    open_model(s, "slider_crank");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL_PLAIN(ct_run_options_init(&run));
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
    result_folder = folder;
    CALL(s, CT_OK, ct_generate(s->ctx, s->system, "c", folder, &run, &info));
    result_folder = NULL;
    remove_folder(ct_strdup(folder));
    CALL(s, CT_USAGE, ct_generate(s->ctx, s->system, "ada", folder, &run, &info));
}

static void run_twice(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    open_model(s, "pendulum");
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    for (int i = 0; i < 2; i++) {
        ct_system_free(s->system);
        s->system = NULL;
        CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
        CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
    }
}

// Without a compiler, for the first time and with what that has kept.
static void interpreting(state *s) {
    static char compiler[4096]; // no block that a refusal could leave
    const char *before = getenv("CC");
    assert_true(!before || strlen(before) < sizeof compiler);
    strcpy(compiler, before ? before : "");
    setenv("CC", "none", 1);
    run_twice(s);
    if (before)
        setenv("CC", compiler, 1);
    else
        unsetenv("CC");
}

// Compiled code that another system of the model has left in the cache.
static void running_from_cache(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    open_model(s, "slider_crank");
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    assert_int_equal(ct_formulate(s->ctx, s->model, NULL, &s->system), CT_OK);
    assert_int_equal(ct_simulate(s->ctx, s->system, &run, &summary), CT_OK);
    ct_system_free(s->system);
    s->system = NULL;
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
}

// What the cache holds, with an entry in it; then it is empty.
static void looking_into_the_cache(state *s) {
    close_one(s, "four_bar");
    CALL(s, CT_OK, ct_cache_show(s->ctx, &s->cache));
    long entries = 0;
    for (int i = 0; i < s->cache->n_kinds; i++) entries += s->cache->kinds[i].n;
    assert_true(entries > 0);
    ct_cache_info_free(s->cache);
    s->cache = NULL;
    CALL(s, CT_OK, ct_cache_check(s->ctx));
    CALL(s, CT_OK, ct_cache_clear(s->ctx, &s->cache));
    // others may write to it: a warning
    char path[1024];
    snprintf(path, sizeof path, "%s/cotree", getenv("XDG_CACHE_HOME"));
    assert_int_equal(chmod(path, 0777), 0);
    CALL(s, CT_OK, ct_cache_check(s->ctx));
    assert_int_equal(ct_message_count(s->ctx), 1);
    const char *line = NULL;
    CALL_PLAIN(line = ct_message(s->ctx, 0));
    assert_non_null(strstr(line, "warning"));
    ct_cache_info_free(s->cache);
    s->cache = NULL;
    CALL(s, CT_INTERNAL, ct_cache_clear(s->ctx, &s->cache));
}

static void swing(void *data, double t, double *out) {
    (void)data;
    out[0] = sin(t);
    out[1] = cos(t);
    out[2] = -sin(t);
}

// Inputs that follow an expression, a file, a function of the caller.
static void inputs(state *s) {
    static const char text[] = "cotree: 1\ninputs: {torque: 0}\n"
                               "bodies: {arm: {mass: 1, inertia: 1, com: [0, -1, 0]}}\n"
                               "joints: {O: {type: revolute, between: [ground, arm], axis: z}}\n"
                               "forces: {drive: {type: actuator, joint: O, value: torque}}\n";
    ct_run_options run;
    ct_run_summary summary;
    char path[1024];
    snprintf(path, sizeof path, "%s/rows.csv", getenv("XDG_CACHE_HOME"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("t,torque\n0,0\n1,2\n", file);
    fclose(file);
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK, ct_model_read_text(s->ctx, "arm", text, strlen(text), 0, NULL, &s->model));
    CALL(s, CT_OK, ct_input_expression(s->ctx, s->model, "torque=sin(t)"));
    CALL(s, CT_OK, ct_inputs_clear(s->ctx, s->model));
    CALL(s, CT_OK, ct_input_file(s->ctx, s->model, path, false));
    CALL(s, CT_OK, ct_inputs_clear(s->ctx, s->model));
    CALL(s, CT_OK, ct_input_function(s->ctx, s->model, "torque", swing, NULL));
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
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

static void steady(void *data, double t, double *out) {
    (void)data;
    (void)t;
    out[0] = 1;
}

// Inputs from expressions, a file and a function; then a run that follows them.
static void feeding(state *s) {
    ct_run_options run;
    ct_run_summary summary;
    char path[1024];
    open_model(s, "tables_inputs");
    snprintf(path, sizeof path, "%s/no_memory.%ld.inputs.csv", CT_BUILD_DIR, (long)getpid());
    FILE *file = fopen(path, "w");
    fputs("t,gain\n0,1\n0.005,2\n", file);
    fclose(file);
    CALL(s, CT_OK, ct_input_function(s->ctx, s->model, "push", steady, NULL));
    CALL(s, CT_OK, ct_inputs_clear(s->ctx, s->model));
    CALL(s, CT_OK, ct_input_expression(s->ctx, s->model, "push=if(t < 0.01, 2, 3)"));
    CALL(s, CT_WRONG_MODEL, ct_input_expression(s->ctx, s->model, "pull=2"));
    CALL(s, CT_OK, ct_input_file(s->ctx, s->model, path, true));
    unlink(path);
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_run_options_init(&run);
    run.time = 0.02;
    run.step = run.output_step = 0.01;
    CALL(s, CT_OK, ct_simulate(s->ctx, s->system, &run, &summary));
}

static void measuring(state *s) {
    ct_bench_options options;
    open_model(s, "four_bar");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    CALL_PLAIN(ct_bench_options_init(&options));
    options.time = 0.002;
    options.seconds = 0;
    CALL(s, CT_OK, ct_bench(s->ctx, s->system, &options, &s->bench));
}

static void measuring_methods(state *s) {
    ct_bench_options options;
    open_model(s, "pendulum");
    CALL(s, CT_OK, ct_formulate(s->ctx, s->model, NULL, &s->system));
    ct_bench_options_init(&options);
    options.time = 0.02;
    CALL(s, CT_OK, ct_bench_methods(s->ctx, s->system, &options, &s->methods));
}

static void wrong_input(state *s) {
    char path[1024];
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    static const char *const bad[] = {"001_yaml_bracket", "007_yaml_duplicate_body",
                                      "015_unknown_section", "018_polynomial_system"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", CT_BAD_DIR, bad[i]);
        int n = 0;
        CALL_PLAIN(ct_messages_clear(s->ctx));
        CALL_PLAIN(n = ct_message_count(s->ctx));
        assert_int_equal(n, 0);
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
    CALL_PLAIN(ct_configurations_options_init(&options));
    options.method = method;
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK, ct_configurations(s->ctx, path, 0, NULL, &options, &s->configurations));
}

static void assemblies(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/four_bar.yaml", NULL);
}

static void roots(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/four_bar_system.yaml", "rur");
}

static void eigenvalues(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/four_bar_system.yaml", "eigen");
}

static void elimination(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/four_bar_system.yaml", "sylvester");
}

static void many_roots(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/noon_4.yaml", "rur");
}

static void large_elimination(state *s) {
    assemblies_of(s, CT_MODELS_DIR "/systems/katsura_6.yaml", "sylvester");
}

static void roots_of_a_text(state *s) {
    static const char text[] = "unknowns: [x, y]\n"
                               "equations: [4*x^2*y + 9*x*y + 4*x - 7*y - 4, x*y - y + 3]\n";
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK,
         ct_configurations_text(s->ctx, "text", text, strlen(text), 0, NULL, NULL,
                                &s->configurations));
}

static void branches(state *s) {
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    CALL(s, CT_OK,
         ct_branches(s->ctx, CT_MODELS_DIR "/slider_crank.yaml", 0, NULL, "O=0..1/50", NULL,
                     &s->branches));
    CALL_PLAIN(ct_branches_free(s->branches));
    s->branches = NULL;
    CALL(s, CT_USAGE,
         ct_branches(s->ctx, CT_MODELS_DIR "/slider_crank.yaml", 0, NULL, "O", NULL, &s->branches));
}

// The basis of a mechanism, proved; with symbols; in decimal numbers; by resultants.
static void bases(state *s) {
    static const char *const symbols[] = {"a"}, *const hidden[] = {"x"};
    ct_basis_options options;
    char path[1024];
    snprintf(path, sizeof path, "%s/system.yaml", getenv("XDG_CACHE_HOME"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("parameters: {a: 2}\nunknowns: [x, y]\nequations: [x^2 + a*y^2 - 3, x*y - a]\n", file);
    fclose(file);
    CALL_BARE(s, == NULL, s->ctx = ct_context_new());
    for (int kind = 0; kind < 4; kind++) {
        CALL_PLAIN(ct_basis_options_init(&options));
        options.order = kind % 2 ? "lex" : NULL;
        options.prove = kind == 0;
        options.n_symbolic = kind == 1;
        options.symbolic = symbols;
        options.digits = kind == 2 ? 20 : 0;
        options.n_resultant = kind == 3;
        options.resultant = hidden;
        CALL(s, CT_OK,
             ct_basis(s->ctx, kind ? path : CT_MODELS_DIR "/four_bar.yaml", 0, NULL, &options,
                      &s->basis));
        CALL_PLAIN(ct_basis_free(s->basis));
        s->basis = NULL;
    }
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
        // nothing is kept: all is formulated, and asks for memory
        char cache[1024];
        empty_cache(cache);
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
        remove_folder(ct_strdup(cache));
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

// X(function, is every allocation tried in `make soak`): long ones are the same code once more.
#define SCENARIOS(X)                                                                               \
    X(describing, true)                                                                            \
    X(checking, true)                                                                              \
    X(folding, true)                                                                               \
    X(closing, true)                                                                               \
    X(closing_by_elimination, true)                                                                \
    X(closing_by_tearing, true)                                                                    \
    X(closing_a_platform, false)                                                                   \
    X(closing_from_cache, true)                                                                    \
    X(running, true)                                                                               \
    X(interpreting, true)                                                                          \
    X(running_from_cache, true)                                                                    \
    X(looking_into_the_cache, true)                                                                \
    X(inputs, true)                                                                                \
    X(driven, true)                                                                                \
    X(feeding, true)                                                                               \
    X(measuring, true)                                                                             \
    X(measuring_methods, false)                                                                    \
    X(wrong_input, true)                                                                           \
    X(assemblies, true)                                                                            \
    X(roots, true)                                                                                 \
    X(roots_of_a_text, true)                                                                       \
    X(eigenvalues, true)                                                                           \
    X(elimination, true)                                                                           \
    X(many_roots, false)                                                                           \
    X(large_elimination, false)                                                                    \
    X(branches, true)                                                                              \
    X(bases, true)                                                                                 \
    X(forces, true)                                                                                \
    X(resting, true)                                                                               \
    X(viewing, true)                                                                               \
    X(reporting, true)

static int n_wanted; // scenarios that the caller names; 0: all
static char **wanted;
static bool is_wanted(const char *name) {
    bool found = !n_wanted;
    for (int i = 0; i < n_wanted; i++) found |= !strcmp(wanted[i], name);
    return found;
}

#define X(scenario, is_short)                                                                      \
    static void test_##scenario(void **unused) {                                                   \
        (void)unused;                                                                              \
        if (is_wanted(#scenario))                                                                  \
            try_scenario(#scenario, scenario, is_short);                                           \
        else                                                                                       \
            skip();                                                                                \
    }
SCENARIOS(X)
#undef X

static void test_every_public_function(void **unused) {
    (void)unused;
    if (n_wanted) skip();
    every_public_function();
}

int main(int argc, char **argv) {
    every_one = soaking();
    seed = 1; // the same ones in every run; `make soak` tries all
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        if (!strcmp(argv[i], "--all"))
            every_one = true;
        else if (i + 1 < argc && !strcmp(argv[i], "--seed"))
            seed = strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && !strcmp(argv[i], "--only") &&
                 sscanf(argv[i + 1], "%d:%ld", &only_call, &only_allocation) == 2)
            i++;
        else
            return fprintf(stderr, "what is %s?\n", argv[i]), 2;
    }
    n_wanted = argc - i;
    wanted = argv + i;
    if (!every_one) print_message("seed %lu\n", seed);
    const struct CMUnitTest tests[] = {
#define X(scenario, is_short) cmocka_unit_test(test_##scenario),
        SCENARIOS(X)
#undef X
            cmocka_unit_test(functions_of_the_caller),
        cmocka_unit_test(test_every_public_function),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
