// cotree equations: M(q) q'' + Phi_q^T lambda = F(q, q', t), Phi(q, t) = 0 as text, LaTeX or C.
#include "cli.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

static void write_json(const ct_equations_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_strings(&j, "coordinates", info->n, info->coordinates);
    ct_json_strings(&j, "integrated", info->n_integrated, info->integrated);
    ct_json_array(&j, "definitions");
    for (int i = 0; i < info->n_definitions; i++) {
        ct_json_object(&j, NULL);
        ct_json_string(&j, "name", info->definition_names[i]);
        ct_json_string(&j, "value", info->definition_values[i]);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    ct_json_array(&j, "mass");
    for (int i = 0; i < info->n; i++)
        ct_json_strings(&j, NULL, info->n, info->mass + (size_t)i * (size_t)info->n);
    ct_json_end(&j);
    ct_json_strings(&j, "forcing", info->n, info->forcing);
    ct_json_strings(&j, "constraints", info->m, info->constraints);
    ct_json_end(&j);
}

// Summary on stderr: form and size of the equations.
static void write_summary(const arguments *a, session *s) {
    ct_trees_info info;
    if (!report_wanted(a) || ct_trees(s->ctx, s->system, &info) != CT_OK) return;
    fflush(stdout);
    fputs("  ", stderr);
    report_count(stderr, info.n_coordinates, "coordinate", "coordinates");
    fputs(", ", stderr);
    report_count(stderr, info.constraint_equations, "constraint", "constraints");
    fprintf(stderr, ", %.0f operations with shared expressions\n", info.operations.total);
    report_time(a, "written", session_seconds(s));
    report_next(a, "cotree generate %F -o %S_c    (the same as a C program)");
}

static ct_status write_text(session *s, ct_equation_style style, const char *path, int *code) {
    output o;
    char *text = ct_equations_text(s->ctx, s->system, style);
    if (!text) return CT_NO_MEMORY;
    *code = output_open(&o, path);
    if (!*code) {
        fputs(text, o.file);
        *code = output_commit(&o);
    }
    ct_string_free(text);
    return CT_OK;
}

int command_equations(const arguments *a) {
    session s;
    ct_equations_info info;
    ct_equation_style style = a->latex ? CT_EQUATIONS_LATEX
                              : a->c   ? CT_EQUATIONS_C
                                       : CT_EQUATIONS_TEXT;
    int code = output_check(a->output, a->file);
    if (code) return code;
    ct_status status = session_open(&s, a);
    if (status == CT_OK) progress_begin(s.ctx, a, true);
    if (status == CT_OK && (a->output || !a->json))
        status = write_text(&s, style, a->output, &code);
    if (status == CT_OK && !code && a->json) {
        status = ct_equations(s.ctx, s.system, style, &info);
        if (status == CT_OK) write_json(&info);
    }
    if (s.ctx) progress_end(s.ctx);
    if (status == CT_OK && !code) write_summary(a, &s);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
