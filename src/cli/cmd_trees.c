// cotree trees: the linear graph, the trees selected in it, and what the equations cost.
#include "cli.h"
#include "output/memory.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <string.h>

// The mechanism in trees by another rule.
typedef struct beside {
    const char *rule;
    bool same; // the same trees
    int dynamic_equations, constraint_equations;
    double operations; // as emitted
} beside;
enum { RULES = 4 };

static bool same_names(int n, const char *const *a, int m, const char *const *b) {
    if (n != m) return false;
    for (int i = 0; i < n; i++)
        if (strcmp(a[i], b[i])) return false;
    return true;
}

// The equations by the rules that need no search, each from the file on, so that its count is the one
// that the rule itself shows. Returns how many: none where they would take long.
static int compare(const arguments *a, const ct_trees_info *info, beside *out) {
    static const char *const rules[RULES] = {"joint", "absolute", "vbts", "fbts"};
    enum { MOST = 10000 }; // operations for each second of the budget
    if (info->operations.total > MOST * (a->budget > 0 ? a->budget : 1)) return 0;
    for (int i = 0; i < RULES; i++) {
        session s;
        ct_trees_info other;
        ct_status status = session_open_aside(&s, a, rules[i]);
        if (!status) status = ct_trees(s.ctx, s.system, &other);
        if (!status)
            out[i] = (beside){.rule = rules[i],
                              .same = same_names(info->n_rotation, info->rotation, other.n_rotation,
                                                 other.rotation) &&
                                      same_names(info->n_translation, info->translation,
                                                 other.n_translation, other.translation),
                              .dynamic_equations = other.dynamic_equations,
                              .constraint_equations = other.constraint_equations,
                              .operations = other.operations.total};
        session_close(&s, CT_OK);
        if (status) return i;
    }
    return RULES;
}

static void write_json_beside(ct_json *j, int n, const beside *b) {
    ct_json_array(j, "beside");
    for (; n-- > 0; b++) {
        ct_json_object(j, NULL);
        ct_json_string(j, "rule", b->rule);
        ct_json_boolean(j, "same", b->same);
        ct_json_number(j, "dynamic_equations", b->dynamic_equations);
        ct_json_number(j, "constraint_equations", b->constraint_equations);
        ct_json_number(j, "operations", b->operations);
        ct_json_end(j);
    }
    ct_json_end(j);
}

static void write_json(const ct_trees_info *info, int n, const beside *others) {
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
    write_json_beside(&j, n, others);
    ct_json_end(&j);
}

static void write_operations(FILE *file, const char *title, const ct_operation_count *count) {
    fprintf(file,
            "  %s: %.17g operations (%.17g additions, %.17g multiplications, %.17g divisions, "
            "%.17g functions)\n",
            title, count->total, count->add, count->mul, count->div, count->func);
}

// What these trees cost beside those of other rules, as a table and in words.
static void write_beside(FILE *file, const ct_trees_info *info, int n, const beside *others) {
    int equations = info->dynamic_equations + info->constraint_equations;
    if (!n) return;
    fprintf(file, "beside other rules\n  rule      equations  operations\n");
    for (const beside *b = others; b < others + n; b++) {
        char system[40];
        snprintf(system, sizeof system, "%d + %d", b->dynamic_equations, b->constraint_equations);
        fprintf(file, "  %-8s  %-9s  %10.17g%s\n", b->rule, system, b->operations,
                b->same ? "  these trees" : "");
    }
    // in words, where trees differ
    for (const beside *b = others; b < others + n; b++) {
        int other = b->dynamic_equations + b->constraint_equations;
        double gain = b->operations > 0 ? 100 * (1 - info->operations.total / b->operations) : 0;
        if (b->same) continue;
        fprintf(file, "  these trees take %.0f %% %s operations than those of '%s'",
                gain < 0 ? -gain : gain, gain < 0 ? "more" : "fewer", b->rule);
        if (equations == other)
            fprintf(file, ", in as many equations\n");
        else
            fprintf(file, ", in %d equations instead of %d\n", equations, other);
    }
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

static void write_drawing(FILE *file, session *s) {
    char *drawing = ct_graph_drawing(s->system);
    if (!drawing) no_memory();
    fputs(drawing, file);
    ct_string_free(drawing);
}

int command_trees(const arguments *a) {
    session s;
    output o;
    ct_trees_info info;
    beside others[RULES];
    int n = 0;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the command itself
    ct_status status = session_open(&s, a);
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_trees(s.ctx, s.system, &info);
        progress_end(s.ctx);
        if (status == CT_OK && !a->dot) n = compare(a, &info, others);
    }
    // text to the target, JSON to stdout
    if (status == CT_OK && (a->output || !a->json)) {
        code = output_open(&o, a->output);
        if (!code) {
            if (a->dot)
                write_drawing(o.file, &s);
            else {
                write_text(o.file, &s, &info);
                write_beside(o.file, &info, n, others);
            }
            code = output_commit(&o);
        }
    }
    if (status == CT_OK && !code && a->json) write_json(&info, n, others);
    // last lines on stderr: time, and what to do next
    if (status == CT_OK && !code) {
        report_time(a, "formulated", session_seconds(&s));
        report_next(a, "cotree equations %F");
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
