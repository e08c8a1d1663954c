// Constants of a model as C: derived parameters from those that are passed, and whatever else depends
// on parameters alone, once for each set of parameters.
#include "emit/emit.h"

#include <stdio.h>
#include <string.h>

void ct_emit_name_parameters(ct_writer *w, const ct_model *m) {
    char text[32];
    for (int i = 0; i < m->n_parameters; i++) {
        snprintf(text, sizeof text, "%c[%d]", m->parameters[i].is_derived ? 'd' : 'p',
                 ct_model_parameter_place(m, i));
        ct_writer_name(w, m->parameters[i].symbol, text);
    }
}

// Derived parameters in terms of those that are passed. Returns how many there are.
static int derived(ct_pool *pool, const ct_model *m, ct_target *targets) {
    ct_substitution *known = ct_substitution_new(pool);
    int n = 0;
    for (int i = 0; i < m->n_parameters; i++) {
        const ct_parameter *p = m->parameters + i;
        if (!p->is_derived) continue;
        ct_ex value = ct_substitute(known, p->value);
        ct_substitution_map(known, p->symbol, value);
        targets[n] = (ct_target){"d", n, value};
        n++;
    }
    ct_substitution_free(known);
    return n;
}

int ct_emit_constants(ct_writer *w, ct_pool *pool, const ct_model *m, const char *name,
                      ct_text *out) {
    ct_target *targets = ct_scratch((size_t)m->n_parameters + 1, sizeof *targets);
    ct_text constants = {0};
    int n = ct_writer_constants(w, &constants), n_derived = derived(pool, m, targets);
    const bool uses = constants.s && strstr(constants.s, "d[");
    // derived parameters, where a constant needs one
    if (uses) {
        ct_text_printf(
            out, "static void %s_derived(const double *restrict p, double *restrict d)\n{\n", name);
        ct_writer_by_name(w, out, n_derived, targets);
        ct_text_add(out, "    (void)p;\n    (void)d;\n}\n\n");
    }
    ct_text_printf(out, "%svoid %s(const double *restrict p, double *restrict c)\n{\n",
                   strcmp(name, "constants") ? "" : "static ", name);
    if (uses) ct_text_printf(out, "    double d[%d];\n", n_derived);
    // declarations first, then the derived ones, then statements
    const char *text = constants.s ? constants.s : "", *body = text;
    while (!strncmp(body, "    double t", 12)) body = strchr(body, '\n') + 1;
    ct_text_addn(out, text, (size_t)(body - text));
    if (uses) ct_text_printf(out, "    %s_derived(p, d);\n", name);
    ct_text_add(out, body);
    ct_text_add(out, "    (void)p;\n    (void)c;\n}\n\n");
    ct_text_clear(&constants);
    return n;
}
