// cotree bench: the solution approaches on one model, measured side by side.
#include "cli.h"
#include "output/names.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <math.h>
#include <string.h>

static void write_json(const ct_bench_result *result) {
    ct_json j;
    ct_json_file(&j, stdout);
    // the run and the model
    ct_json_object(&j, NULL);
    ct_json_number(&j, "time", result->time);
    ct_json_number(&j, "step", result->step);
    ct_json_number(&j, "dof", result->freedoms);
    ct_json_boolean(&j, "triangular", result->triangular);
    ct_json_string(&j, "published", result->published);
    // each approach: times, residual, ratios, work of a step
    ct_json_array(&j, "approaches");
    for (int i = 0; i < result->n; i++) {
        const ct_bench_approach *a = result->approaches + i;
        ct_json_object(&j, NULL);
        ct_json_string(&j, "name", a->name);
        ct_json_number(&j, "kinematic_ms_per_s", a->kinematic_ms_per_s);
        ct_json_number(&j, "dynamic_ms_per_s", a->dynamic_ms_per_s);
        ct_json_number(&j, "max_residual", a->max_residual);
        ct_json_number(&j, "ratio", result->freedoms > 0 ? a->dynamic_ratio : a->kinematic_ratio);
        ct_json_number(&j, "kinematic_ratio", a->kinematic_ratio);
        ct_json_number(&j, "published_kinematic_ratio", a->published_kinematic_ratio);
        ct_json_number(&j, "published_ratio",
                       result->freedoms > 0 ? a->published_dynamic_ratio
                                            : a->published_kinematic_ratio);
        ct_json_number(&j, "iterations", a->iterations);
        ct_json_number(&j, "kinematic_operations", a->kinematic_operations);
        ct_json_number(&j, "dynamic_operations", a->dynamic_operations);
        ct_json_string(&j, "note", a->note);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    ct_json_end(&j);
}

// A number in a column, a blank where there is none.
static void cell(FILE *file, int width, const char *format, double value) {
    char text[32] = "";
    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    fprintf(file, "%*s", width, text);
}

static bool measured(const ct_bench_approach *a) {
    return isfinite(a->kinematic_ms_per_s) || isfinite(a->dynamic_ms_per_s);
}

// Where there is nothing to integrate, the columns and rows of the dynamics are left out.
static void write_row(FILE *file, const ct_bench_result *result, const ct_bench_approach *a) {
    fprintf(file, "  %-22s", a->name);
    cell(file, 9, "%.3f", a->kinematic_ms_per_s);
    cell(file, 8, "%.2f", a->kinematic_ratio);
    if (result->published) cell(file, 8, "%.2f", a->published_kinematic_ratio);
    if (result->freedoms > 0) {
        cell(file, 10, "%.3f", a->dynamic_ms_per_s);
        cell(file, 8, "%.2f", a->dynamic_ratio);
        if (result->published) cell(file, 8, "%.2f", a->published_dynamic_ratio);
    }
    cell(file, 10, "%.1e", a->max_residual);
    cell(file, 8, "%.2f", a->iterations);
    cell(file, 8, "%.0f", result->freedoms > 0 ? a->dynamic_operations : a->kinematic_operations);
    fputc('\n', file);
}

static void write_head(FILE *file, const char *name, const ct_bench_result *result) {
    fprintf(file, "%s: %g s in steps of %g s, ", name && *name ? name : "(no name)", result->time,
            result->step);
    if (result->freedoms > 0)
        fprintf(file, "Euler's method, %d degree%s of freedom\n\n", result->freedoms,
                result->freedoms == 1 ? "" : "s");
    else
        fputs("driven: positions only\n\n", file);
    fprintf(file, "  %-22s%9s%8s", "ms / simulated s", "positions", "ratio");
    if (result->published) fprintf(file, "%8s", "publ.");
    if (result->freedoms > 0) fprintf(file, "%10s%8s", "dynamics", "ratio");
    if (result->freedoms > 0 && result->published) fprintf(file, "%8s", "publ.");
    fprintf(file, "%10s%8s%8s\n", "residual", "iter.", "op.");
}

static void write_text(FILE *file, const char *name, const ct_bench_result *result) {
    write_head(file, name, result);
    for (int i = 0; i < result->n; i++)
        if (result->freedoms > 0 || measured(result->approaches + i))
            write_row(file, result, result->approaches + i);
    fputs("\n  ratio: to triangular; iter.: corrections in a step; op.: operations of a step\n",
          file);
    if (result->published)
        fprintf(file, "  publ.: ratio published for this mechanism, %s\n", result->published);
    for (int i = 0; i < result->n; i++) {
        const ct_bench_approach *a = result->approaches + i;
        if (a->note && (result->freedoms > 0 || measured(a)))
            fprintf(file, "  %s: %s\n", a->name, a->note);
    }
}

// The fastest approach, and its ratio to the second.
static void write_verdict(const ct_bench_result *result) {
    const ct_bench_approach *first = NULL, *second = NULL;
    for (int i = 0; i < result->n; i++) {
        const ct_bench_approach *a = result->approaches + i;
        double t = result->freedoms > 0 ? a->dynamic_ratio : a->kinematic_ratio;
        if (!(t > 0) || strncmp(a->name, "simulate ", 9) == 0) continue; // the same with a watch
        double t1 = !first                 ? INFINITY
                    : result->freedoms > 0 ? first->dynamic_ratio
                                           : first->kinematic_ratio;
        double t2 = !second                ? INFINITY
                    : result->freedoms > 0 ? second->dynamic_ratio
                                           : second->kinematic_ratio;
        if (t < t1) {
            second = first;
            first = a;
        } else if (t < t2)
            second = a;
    }
    if (!second) return;
    double ratio = result->freedoms > 0 ? second->dynamic_ratio / first->dynamic_ratio
                                        : second->kinematic_ratio / first->kinematic_ratio;
    fflush(stdout);
    fprintf(stderr, "  fastest: %s; next is %s, which takes %.2f times as long\n", first->name,
            second->name, ratio);
}

// methods at their steps ----------------------------------------------------------------------------
static void json_figures(ct_json *j, const char *name, const ct_bench_figures *f) {
    ct_json_object(j, name);
    ct_json_number(j, "step", f->step);
    ct_json_number(j, "ms_per_s", f->ms_per_s);
    ct_json_number(j, "times_real_time", 1e3 / f->ms_per_s);
    ct_json_number(j, "error", f->error);
    ct_json_number(j, "energy_drift", f->energy_drift);
    ct_json_number(j, "iterations", f->iterations);
    ct_json_end(j);
}

static void write_methods_json(const ct_bench_methods_result *result) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_number(&j, "time", result->time);
    ct_json_number(&j, "step", result->step);
    ct_json_number(&j, "error", result->error);
    ct_json_string(&j, "reference", result->reference);
    ct_json_array(&j, "approaches");
    for (int i = 0; i < result->n; i++) {
        const ct_bench_method *m = result->methods + i;
        ct_json_object(&j, NULL);
        ct_json_string(&j, "name", m->name);
        ct_json_string(&j, "integrator", m->integrator);
        ct_json_number(&j, "kinematic_ms_per_s", NAN);
        ct_json_number(&j, "dynamic_ms_per_s", m->same.ms_per_s);
        ct_json_number(&j, "max_residual", m->same.max_residual);
        json_figures(&j, "same", &m->same);
        json_figures(&j, "longest", &m->longest);
        ct_json_string(&j, "note", m->note);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    ct_json_end(&j);
}

static void write_figures(FILE *file, const ct_bench_figures *f, bool longest) {
    if (longest) cell(file, 9, "%g", f->step);
    cell(file, 10, "%.3f", f->ms_per_s);
    cell(file, 10, "%.1e", f->error);
    cell(file, 10, "%.1e", f->energy_drift);
    cell(file, 7, "%.2f", f->iterations);
    if (longest) cell(file, 9, "%.0f", 1e3 / f->ms_per_s);
}

static void write_methods(FILE *file, const char *name, const ct_bench_methods_result *result) {
    fprintf(file, "%s: %g s, in steps of %g s and in the longest with errors below %g\n\n",
            name && *name ? name : "(no name)", result->time, result->step, result->error);
    fprintf(file, "  %-16s%-11s%10s%10s%10s%7s%9s%10s%10s%10s%7s%9s\n", "method", "integrator",
            "ms / s", "error", "energy", "iter.", "longest", "ms / s", "error", "energy", "iter.",
            "x real t");
    for (int i = 0; i < result->n; i++) {
        const ct_bench_method *m = result->methods + i;
        fprintf(file, "  %-16s%-11s", m->name, m->integrator);
        write_figures(file, &m->same, false);
        write_figures(file, &m->longest, true);
        fputc('\n', file);
    }
    fprintf(
        file,
        "\n  ms / s: of computing for each simulated second; error: largest of a coordinate, m or"
        "\n  rad, against %s; energy: drift, relative; iter.: corrections in a step\n",
        result->reference);
    for (int i = 0; i < result->n; i++)
        if (result->methods[i].note)
            fprintf(file, "  %s: %s\n", result->methods[i].name, result->methods[i].note);
}

// the command ---------------------------------------------------------------------------------------
typedef struct results { // one of them
    ct_bench_result *approaches;
    ct_bench_methods_result *methods;
} results;

static ct_status compute(session *s, const arguments *a, results *r) {
    ct_bench_options options;
    names_list names = names_split(a->independent);
    ct_bench_options_init(&options);
    options.time = a->time;
    options.step = a->step;
    options.error = a->error;
    options.n_independent = names.n;
    options.independent = names.item;
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status = a->longest ? ct_bench_methods(s->ctx, s->system, &options, &r->methods)
                                  : ct_bench(s->ctx, s->system, &options, &r->approaches);
    progress_end(s->ctx);
    names_clear(&names);
    if (status == CT_INTERNAL && *options.stop) { // Ctrl-C ended the compiler too
        ct_messages_clear(s->ctx);
        status = CT_INTERRUPTED;
    }
    if (status == CT_INTERRUPTED) progress_say_stopped();
    return status;
}

// To the file of -o, or where JSON is not asked for to stdout; JSON.
static int write_results(const arguments *a, const char *name, const results *r) {
    output o;
    if (a->output || !a->json) {
        int code = output_open(&o, a->output);
        if (code) return code;
        if (a->longest)
            write_methods(o.file, name, r->methods);
        else
            write_text(o.file, name, r->approaches);
        code = output_commit(&o);
        if (code) return code;
    }
    if (a->json && a->longest) write_methods_json(r->methods);
    if (a->json && !a->longest) write_json(r->approaches);
    return 0;
}

int command_bench(const arguments *a) {
    session s;
    results r = {0};
    int code = output_check(a->output, a->file);
    if (code) return code;
    ct_status status = session_open(&s, a);
    if (status == CT_OK) status = compute(&s, a, &r);
    if (status == CT_OK) code = write_results(a, ct_model_name(s.model), &r);
    if (status == CT_OK && !code) {
        if (report_wanted(a) && !a->longest) write_verdict(r.approaches);
        report_time(a, "measured", session_seconds(&s));
    }
    ct_bench_free(r.approaches);
    ct_bench_methods_free(r.methods);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
