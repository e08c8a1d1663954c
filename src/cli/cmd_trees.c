// cotree trees: the linear graph, the trees selected in it, and what the equations cost.
#include "cli.h"
#include "output/memory.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

static void write_json(const ct_trees_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "rule", info->rule);
    ct_json_strings(&j, "rotation", info->n_rotation, info->rotation);
    ct_json_strings(&j, "translation", info->n_translation, info->translation);
    ct_json_strings(&j, "coordinates", info->n_coordinates, info->coordinates);
    ct_json_strings(&j, "integrated", info->n_integrated, info->integrated);
    ct_json_number(&j, "dynamic_equations", info->dynamic_equations);
    ct_json_number(&j, "constraint_equations", info->constraint_equations);
    report_operations(&j, "operations", &info->operations);
    report_operations(&j, "expanded", &info->expanded);
    ct_json_end(&j);
}

static void write_operations(FILE *file, const char *title, const ct_operation_count *count) {
    fprintf(file,
            "  %s: %.17g operations (%.17g additions, %.17g multiplications, %.17g divisions, "
            "%.17g functions)\n",
            title, count->total, count->add, count->mul, count->div, count->func);
}

static void write_text(FILE *file, session *s, const ct_trees_info *info) {
    char *graph = ct_graph_text(s->system);
    if (!graph) no_memory();
    fprintf(file, "%s\n", graph);
    ct_string_free(graph);
    fprintf(file, "trees by rule '%s'\n", info->rule ? info->rule : "?");
    report_names(file, "rotation", info->n_rotation, info->rotation);
    report_names(file, "translation", info->n_translation, info->translation);
    report_names(file, "coordinates", info->n_coordinates, info->coordinates);
    if (info->n_integrated)
        report_names(file, "rotations integrated whole, not by angles", info->n_integrated,
                     info->integrated);
    fputs("  ", file);
    report_count(file, info->dynamic_equations, "dynamic equation", "dynamic equations");
    fputs(", ", file);
    report_count(file, info->constraint_equations, "constraint equation", "constraint equations");
    fputc('\n', file);
    write_operations(file, "as emitted", &info->operations);
    write_operations(file, "written out in full", &info->expanded);
}

int command_trees(const arguments *a) {
    session s;
    output o;
    ct_trees_info info;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the command itself
    ct_status status = session_open(&s, a);
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_trees(s.ctx, s.system, &info);
        progress_end(s.ctx);
    }
    // text to the target, JSON to stdout
    if (status == CT_OK && (a->output || !a->json)) {
        code = output_open(&o, a->output);
        if (!code) {
            write_text(o.file, &s, &info);
            code = output_commit(&o);
        }
    }
    if (status == CT_OK && !code && a->json) write_json(&info);
    // last lines on stderr: time, and what to do next
    if (status == CT_OK && !code) {
        report_time(a, "formulated", session_seconds(&s));
        report_next(a, "cotree equations %F");
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
