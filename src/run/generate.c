// Generated files: the model, the kernel, a program that runs it and a Makefile; all of them or
// none.
#include "run/run.h"

#include "emit/kernel_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file {
    char *name, *text;
} file;
typedef struct files {
    file *item;
    int n, room;
} files;

static void add(files *f, char *name, char *text) {
    *CT_PUSH(f->item, f->n, f->room) = (file){name, text};
}

static void clear(files *f) {
    for (int i = 0; i < f->n; i++) {
        free(f->item[i].name);
        free(f->item[i].text);
    }
    free(f->item);
}

static bool write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) >= 0;
    if (out && fclose(out)) good = false;
    return good;
}

// Written under other names first and then renamed, so that a full disk leaves nothing half done.
static ct_status write_all(ct_context *ctx, const char *directory, const files *f) {
    struct stat st;
    bool made = false;
    if (stat(directory, &st) == 0 ? !S_ISDIR(st.st_mode)
                                  : (made = true, mkdir(directory, 0777) != 0))
        return ct_fail(ctx, CT_USAGE, "cannot make the folder %s: %s", directory,
                       strerror(made ? errno : ENOTDIR));
    int done = 0;
    ct_status status = CT_OK;
    for (int i = 0; i < f->n && !status; i++) {
        char *path = ct_format("%s/%s", directory, f->item[i].name);
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            status =
                ct_fail(ctx, CT_USAGE, "cannot write %s: there is a folder of that name", path);
        free(path);
    }
    for (; done < f->n && !status; done++) {
        char *part = ct_format("%s/%s.part", directory, f->item[done].name);
        if (!write_text(part, f->item[done].text))
            status = ct_fail(ctx, CT_INTERNAL, "cannot write %s: %s", part, strerror(errno));
        free(part);
    }
    for (int i = 0; i < done; i++) {
        char *part = ct_format("%s/%s.part", directory, f->item[i].name),
             *path = ct_format("%s/%s", directory, f->item[i].name);
        if (status)
            unlink(part);
        else if (rename(part, path))
            status = ct_fail(ctx, CT_INTERNAL, "cannot write %s: %s", path, strerror(errno));
        free(part);
        free(path);
    }
    if (status && made) rmdir(directory);
    return status;
}

#define X(enumerator, ...) [CTK_##enumerator] = "CTK_" #enumerator,
static const char *const method_enumerators[] = {CT_METHODS(X)};
static const char *const integrator_enumerators[] = {CT_INTEGRATORS(X)};
#undef X

// Adaptive steps are not for generated code.
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

static char *main_text(ct_system *s, const ct_plan *p, const ct_emit_input *in,
                       const ct_run_options *o, const ct_emission *code) {
    ct_columns c;
    const ct_closure *k = in->closure;
    ctk_closure closure = {0};
    if (k)
        closure = (ctk_closure){.n_independent = k->r,
                                .n_values = k->n_values,
                                .n_signs = code->n_signs,
                                .n_tracked = code->n_tracked,
                                .n_guards = code->n_guards,
                                .n_steps = k->n_steps,
                                .n_loops = k->n_loops};
    ct_columns_init(&c, s, false);
    ctk_model shape = {.n = in->f->n,
                       .m = in->m,
                       .n_inputs = s->model->n_inputs,
                       .n_parameters = s->model->n_parameters,
                       .n_constants = code->n_constants,
                       .n_outputs = ct_emit_outputs(in),
                       .closure = k ? &closure : NULL};
    const ct_settings *set = &s->model->settings;
    ct_main_input m = {.in = in,
                       .method = method_enumerators[p->kernel.method],
                       .integrator = integrator_enumerators[p->kernel.integrator],
                       .pass = p->kernel.pass && in->closure && !in->closure_only,
                       .time = p->time,
                       .step = p->step,
                       .output_step = p->output_step,
                       .alpha = o->alpha >= 0 ? o->alpha : set->alpha,
                       .beta = o->beta >= 0 ? o->beta : set->beta,
                       .penalty = o->penalty >= 0 ? o->penalty : set->penalty,
                       .zeta = o->zeta >= 0 ? o->zeta : set->zeta,
                       .omega = o->omega >= 0 ? o->omega : set->omega,
                       .n_independent = p->independent ? s->model->n_independent : 0,
                       .independent = p->independent,
                       .doubles = ctk_doubles(&shape) + 1,
                       .ints = ctk_ints(&shape) + 1,
                       .n_columns = c.n,
                       .column = c.source,
                       .order = c.order,
                       .is_angle = c.is_angle,
                       .start = c.start,
                       .column_names = c.names};
    char *text = ct_emit_main(&m);
    ct_columns_clear(&c);
    return text;
}

ct_status ct_generate(ct_context *ctx, ct_system *s, const char *target, const char *directory,
                      const ct_run_options *options, ct_generate_info *info) {
    if (target && strcmp(target, "c"))
        return ct_fail(ctx, CT_USAGE, "target '%s' is not available%s: use c", target,
                       !strncmp(target, "fmu", 3) ? " yet" : "");
    ct_plan plan = {0};
    ct_status status = ct_assemble(ctx, s);
    if (!status) status = ct_plan_make(ctx, s, options, &plan);
    if (!status && plan.cvode) status = refuse_adaptive(ctx, plan.integrator_name);
    if (status) {
        ct_plan_clear(&plan);
        return status;
    }
    files f = {0};
    char *name = ct_model_identifier(s->model);
    ct_emit_input in;
    ct_emission code;
    ct_report(ctx, "writing the code", -1, false);
    ct_emit_input_fill(s, name, &in);
    ct_plan_emits(&plan, &in);
    ct_emit(&in, &code);
    add(&f, ct_format("%s.c", name), ct_strdup(code.source));
    add(&f, ct_format("%s.h", name), ct_strdup(code.header));
    add(&f, ct_strdup("main.c"), main_text(s, &plan, &in, options, &code));
    for (const struct ct_embedded_file *k = ct_kernel_files; k->name; k++)
        add(&f, ct_strdup(k->name), ct_strdup(k->text));
    add(&f, ct_strdup("Makefile"), ct_emit_makefile(name));
    ct_report(ctx, "writing the files", -1, true); // quick: a stop may wait until all are there
    status = write_all(ctx, directory, &f);
    ct_strings_clear(&s->files);
    ct_operations own = code.dynamics;
    if (in.closure) {
        own = code.closing;
        own.add += code.reduced.add;
        own.mul += code.reduced.mul;
        own.div += code.reduced.div;
        own.func += code.reduced.func;
    }
    *info = (ct_generate_info){
        .operations = {own.add, own.mul, own.div, own.func, ct_operations_total(own)}};
    for (int i = 0; i < f.n; i++) {
        info->bytes += strlen(f.item[i].text);
        ct_strings_add(&s->files, ct_strdup(f.item[i].name));
    }
    info->n_files = f.n;
    info->files = (const char *const *)s->files.item;
    clear(&f);
    ct_emission_clear(&code);
    ct_plan_clear(&plan);
    free(name);
    return status;
}
