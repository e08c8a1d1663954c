// Constants of a model as C: derived parameters from those that are passed, and whatever else depends
// on parameters alone, once for each set of parameters.
#include "emit/emit.h"

#include <stdio.h>
#include <string.h>

// The length that others are measured by, a constant like a derived parameter behind all others.
static ct_ex length_symbol(const ct_model *model) {
    return ct_symbol(model->pool, CT_SYMBOL_PARAMETER, "length of the mechanism");
}

void ct_emit_length(ct_writer *w, const ct_formulation *f, char *text, size_t size) {
    if (ct_ex_kinds(f->pool, ct_typical_length_symbolic(f->model)))
        snprintf(text, size, "c[%d]", ct_writer_constant(w, length_symbol(f->model)));
    else
        snprintf(text, size, "%.17g", f->length);
}

void ct_emit_name_parameters(ct_writer *w, const ct_model *model) {
    char text[32];
    snprintf(text, sizeof text, "d[%d]", model->n_parameters - ct_model_free_parameters(model));
    ct_writer_name(w, length_symbol(model), text);
    for (int i = 0; i < model->n_parameters; i++) {
        snprintf(text, sizeof text, "%c[%d]", model->parameters[i].is_derived ? 'd' : 'p',
                 ct_model_parameter_place(model, i));
        ct_writer_name(w, model->parameters[i].symbol, text);
    }
}

// Derived parameters in terms of those that are passed, and the length. Returns how many there are.
static int derived(ct_pool *pool, const ct_model *model, ct_target *targets) {
    ct_substitution *known = ct_substitution_new(pool);
    int n = 0;
    for (int i = 0; i < model->n_parameters; i++) {
        const ct_parameter *p = model->parameters + i;
        if (!p->is_derived) continue;
        ct_ex value = ct_substitute(known, p->value);
        ct_substitution_map(known, p->symbol, value);
        targets[n] = (ct_target){"d", n, value};
        n++;
    }
    targets[n] = (ct_target){"d", n, ct_substitute(known, ct_typical_length_symbolic(model))};
    ct_substitution_free(known);
    return n + 1;
}

int ct_emit_constants(ct_writer *w, ct_pool *pool, const ct_model *model, const char *name,
                      ct_text *out) {
    ct_target *targets = ct_scratch((size_t)model->n_parameters + 2, sizeof *targets);
    ct_text constants = {0};
    int n = ct_writer_constants(w, &constants), n_derived = derived(pool, model, targets);
    const bool uses = constants.s && strstr(constants.s, "d[");
    // derived parameters, where a constant needs one
    if (uses) {
        ct_text_printf(
            out, "static void %s_derived(const double *restrict p, double *restrict d)\n{\n", name);
        ct_writer_by_name(w, out, n_derived, targets);
        // measured by a power of two, which does not round
        ct_text_printf(out, "    d[%d] = exp2(floor(log2(d[%d]) + 0.5)); /* length */\n",
                       n_derived - 1, n_derived - 1);
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
