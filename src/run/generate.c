// Generated files: a target gets the description of a model and its run and returns files; all of
// them are written, or none.
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) >= 0;
    if (out && fclose(out)) good = false;
    return good;
}

static char *path_of(const char *directory, const char *name, const char *ending) {
    return ct_scratch_format("%s/%s%s", directory, name, ending);
}

// A file on its way: under a name of its own first.
typedef struct written {
    char *part, *path;
} written;

typedef struct writing {
    const char *directory;
    bool made; // the folder
    int n, done;
    written *file;
} writing;

// Fails if a folder has the name of a file.
static ct_status check_names(ct_context *ctx, const writing *w) {
    struct stat st;
    for (int i = 0; i < w->n; i++)
        if (stat(w->file[i].path, &st) == 0 && S_ISDIR(st.st_mode))
            return ct_fail(ctx, CT_USAGE, "cannot write %s: there is a folder of that name",
                           w->file[i].path);
    return CT_OK;
}

static void take_back(void *data) {
    writing *w = data;
    for (int i = 0; i < w->done; i++) unlink(w->file[i].part);
    if (w->made) rmdir(w->directory);
}

static ct_status write_files(ct_context *ctx, const ct_target_output *out, writing *w) {
    // every file under a name of its own
    for (int i = 0; i < w->n; i++) {
        w->done = i + 1;
        if (!write_text(w->file[i].part, out->file[i].text))
            return ct_fail(ctx, CT_INTERNAL, "cannot write %s: %s", w->file[i].part,
                           strerror(errno));
    }
    // all are there: their names
    ct_status status = CT_OK;
    for (int i = 0; i < w->n && !status; i++)
        if (rename(w->file[i].part, w->file[i].path))
            status =
                ct_fail(ctx, CT_INTERNAL, "cannot write %s: %s", w->file[i].path, strerror(errno));
    return status;
}

// Written under other names first and then renamed, so that a full disk leaves nothing half done.
static ct_status write_all(ct_context *ctx, const char *directory, const ct_target_output *out) {
    // names first: no allocation between the first file and the last
    writing w = {.directory = directory, .n = out->n};
    w.file = ct_scratch((size_t)out->n + 1, sizeof *w.file);
    for (int i = 0; i < out->n; i++)
        w.file[i] = (written){path_of(directory, out->file[i].name, ".part"),
                              path_of(directory, out->file[i].name, "")};
    ct_cleanup undo;
    ct_cleanup_push(&undo, take_back, &w);
    // the folder
    struct stat st;
    bool missing = stat(directory, &st) != 0;
    ct_status status = CT_OK;
    if (missing ? mkdir(directory, 0777) != 0 : !S_ISDIR(st.st_mode))
        status = ct_fail(ctx, CT_USAGE, "cannot make the folder %s: %s", directory,
                         strerror(missing ? errno : ENOTDIR));
    else
        w.made = missing;
    // the files; all of them go where one cannot be written
    if (!status) status = check_names(ctx, &w);
    if (!status) status = write_files(ctx, out, &w);
    if (status) take_back(&w);
    ct_cleanup_pop(&undo);
    return status;
}

// The model's own sources; the kernel's are as they are.
static ct_status check_numbers(ct_context *ctx, const ct_target_output *out) {
    ct_status status = CT_OK;
    for (int i = 0; i < out->n && !status; i++) {
        const char *ending = strrchr(out->file[i].name, '.');
        bool ours = ending && !strcmp(ending, ".c") && strncmp(out->file[i].name, "ctk", 3);
        if (ours) status = ct_code_check(ctx, out->file[i].text);
    }
    return status;
}

// Fails for adaptive integrators: generated code has fixed steps.
static ct_status refuse_adaptive(ct_context *ctx, const char *integrator) {
#define X(enumerator, ...) CT_NAME_OF(__VA_ARGS__, 0),
    static const char *const fixed[] = {CT_INTEGRATORS(X)};
#undef X
    const int n = sizeof fixed / sizeof *fixed;
    ct_text names = {0};
    for (int i = 0; i < n; i++)
        ct_text_printf(&names, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", fixed[i]);
    ct_status status =
        ct_fail(ctx, CT_USAGE, "generated code has fixed steps: use --integrator %s instead of %s",
                names.s, integrator);
    ct_text_clear(&names);
    return status;
}

// The caller's numbers, else the model's; negative: the kernel's own.
static ct_stabilisation stabilisation(const ct_run_options *options, const ct_settings *m) {
    return (ct_stabilisation){.alpha = options->alpha >= 0 ? options->alpha : m->alpha,
                              .beta = options->beta >= 0 ? options->beta : m->beta,
                              .penalty = options->penalty >= 0 ? options->penalty : m->penalty,
                              .zeta = options->zeta >= 0 ? options->zeta : m->zeta,
                              .omega = options->omega >= 0 ? options->omega : m->omega};
}

// The files for a plan, by a target.
static void describe(ct_system *s, const ct_plan *plan, const ct_run_options *options,
                     ct_target_write *write, ct_target_output *out) {
    char *name = ct_model_identifier(s->model);
    ct_emit_input model;
    ct_columns columns;
    ct_emit_input_fill(s, name, &model);
    ct_plan_emits(plan, &model);
    model.steady = (model.tangent || model.recursive) && plan->kernel.implicit.fixed;
    // past the lock of balls in angles partition must lead, which takes M and F however long
    if (model.closure && model.closure->guards_locks) model.closure_only = false;
    // an impulse needs the masses of all coordinates
    model.n_kinks = ct_kinks_count(s->model);
    if (model.n_kinks) model.closure_only = false;
    ct_columns_init(&columns, s, false);
    write(&(ct_target_input){.model = &model,
                             .method = plan->kernel.method,
                             .integrator = plan->kernel.integrator,
                             .cross_limits =
                                 plan->kernel.cross_limits && model.closure && !model.closure_only,
                             .time = plan->time,
                             .step = plan->step,
                             .output_step = plan->output_step,
                             .stabilisation = stabilisation(options, &s->model->settings),
                             .implicit = plan->kernel.implicit,
                             .n_independent = plan->independent ? s->model->n_independent : 0,
                             .independent = plan->independent,
                             .columns = &columns},
          out);
    ct_columns_clear(&columns);
    ct_free(name);
}

// Names, sizes and operations of the files, for the caller.
static void inform(ct_system *s, const ct_target_output *out, ct_generate_info *info) {
    ct_operations own = out->operations;
    *info = (ct_generate_info){
        .operations = {own.add, own.mul, own.div, own.func, ct_operations_total(own)}};
    ct_strings_clear(&s->files);
    for (int i = 0; i < out->n; i++) {
        info->bytes += strlen(out->file[i].text);
        ct_strings_add(&s->files, ct_strdup(out->file[i].name));
    }
    info->n_files = out->n;
    info->files = (const char *const *)s->files.item;
}

static CT_BELOW ct_status generate(ct_context *ctx, ct_system *s, const char *target,
                                   const char *directory, const ct_run_options *options,
                                   ct_generate_info *info) {
    ct_target_write *write = ct_target_find(target ? target : "c");
    if (!write)
        return ct_no_such(ctx, "target", target, CT_TARGETS(CT_NAME_AND_BLANK),
                          CT_TARGETS_LATER(CT_NAME_AND_BLANK));
    // the run that its program makes
    ct_plan plan = {0};
    ct_status status = ct_system_by_name(ctx, s, true);
    if (!status) status = ct_assemble(ctx, s);
    if (!status) status = ct_plan_make(ctx, s, options, &plan);
    if (!status) status = ct_run_check_jumps(ctx, s->model, plan.time, CT_RUN_GENERATE);
    if (!status && plan.cvode) status = refuse_adaptive(ctx, plan.integrator_name);
    if (!status && s->model->settings.varying)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "simulate: %s is computed from parameters: the program in main.c keeps its "
                      "number whatever parameters it gets; give it time and step as arguments",
                      s->model->settings.varying);
    if (!status && s->model->varying_table)
        ct_warning_at(
            ctx, (ct_place){0, 0},
            "parameters move the knots x of table '%s' one by one: generated code holds for these "
            "knots alone, and refuses parameters that move them; write x as one factor times "
            "numbers, or generate it anew with --set",
            s->model->varying_table);
    // the files
    if (!status) {
        ct_target_output out = {0};
        ct_report(ctx, "writing the code", -1, false);
        describe(s, &plan, options, write, &out);
        ct_report(ctx, "writing the files", -1, true); // quick: a stop may wait until all are there
        inform(s, &out, info);                         // no allocation behind the last file
        status = check_numbers(ctx, &out);
        if (!status) status = write_all(ctx, directory, &out);
        ct_target_output_clear(&out);
    }
    ct_plan_clear(&plan);
    s->in_natural = false;
    ct_status back = ct_system_by_name(ctx, s, false);
    return status ? status : back;
}

ct_status ct_generate(ct_context *ctx, ct_system *s, const char *target, const char *directory,
                      const ct_run_options *options, ct_generate_info *info) {
    CT_CALL(ctx, &s->memory, generate(ctx, s, target, directory, options, info));
}
