// cotree equations: M(q) q'' + Phi_q^T lambda = F(q, q', t), Phi(q, t) = 0 as text, LaTeX or C.
#include "cli.h"
#include "json.h"
#include "output.h"

static void write_json(const ct_equations_info *info) {
    json j;
    json_init(&j, stdout);
    json_object(&j, NULL);
    json_strings(&j, "coordinates", info->n, info->coordinates);
    json_array(&j, "definitions");
    for (int i = 0; i < info->n_definitions; i++) {
        json_object(&j, NULL);
        json_string(&j, "name", info->definition_names[i]);
        json_string(&j, "value", info->definition_values[i]);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "mass");
    for (int i = 0; i < info->n; i++)
        json_strings(&j, NULL, info->n, info->mass + (size_t)i * (size_t)info->n);
    json_end(&j);
    json_strings(&j, "forcing", info->n, info->forcing);
    json_strings(&j, "constraints", info->m, info->constraints);
    json_end(&j);
}

static ct_status write_text(session *s, ct_equation_style style, const char *path, int *code) {
    output o;
    char *text = ct_equations_text(s->ctx, s->system, style);
    if (!text) return CT_INTERNAL;
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
    if (status == CT_OK && (a->output || !a->json))
        status = write_text(&s, style, a->output, &code);
    if (status == CT_OK && !code && a->json) {
        status = ct_equations(s.ctx, s.system, style, &info);
        if (status == CT_OK) write_json(&info);
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
