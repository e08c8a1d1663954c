// A whole model as C, from its top: the map, splines, the functions of ctk.h, those of the closure,
// the constants, and the table that names them all.
#include "emit/emit_inside.h"

#include "expr/optimise.h"
#include "formulate/whole_rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_emitter_target(ct_emitter *e, const char *array, int index, ct_ex root) {
    if (e->meanings) root = ct_substitute(e->meanings, root);
    *CT_PUSH(e->targets, e->n_targets, e->room_targets) = (ct_target){array, index, root};
}

static void name_symbols(ct_emitter *e) {
    const ct_formulation *f = e->f;
    char text[64];
    for (int k = 0; k < f->n; k++) {
        snprintf(text, sizeof text, "q[%d]", k);
        ct_writer_name(e->w, f->q[k], text);
        snprintf(text, sizeof text, "qd[%d]", k);
        ct_writer_name(e->w, f->qd[k], text);
    }
    // behind all coordinates: scalar parts of rotations, then their angles by name
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        snprintf(text, sizeof text, "q[%d]", f->n + i);
        ct_writer_name(e->w, b->parameter[0], text);
        for (int j = 0; j < 3; j++) {
            snprintf(text, sizeof text, "q[%d]", ct_position_count(f) + 3 * i + j);
            ct_writer_name(e->w, b->angle[j], text);
            snprintf(text, sizeof text, "qd[%d]", f->n + 3 * i + j);
            ct_writer_name(e->w, b->angle_d[j], text);
        }
    }
    for (int k = 0; k < f->model->n_inputs; k++) {
        snprintf(text, sizeof text, "u[%d]", k);
        ct_writer_name(e->w, f->model->inputs[k].symbol, text);
    }
    ct_emit_name_parameters(e->w, f->model);
    ct_writer_name(e->w, f->model->time, "t");
}

static void optimise(ct_emitter *e) {
    ct_ex *roots = ct_scratch((size_t)e->n_targets + 1, sizeof *roots);
    for (int i = 0; i < e->n_targets; i++) roots[i] = e->targets[i].root;
    ct_optimise(e->f->pool, e->n_targets, roots);
    for (int i = 0; i < e->n_targets; i++) e->targets[i].root = roots[i];
}

// Arrays that are mostly zero are cleared in a loop, and their zeros drop out of the targets.
static void clear_zeros(ct_emitter *e, ct_text *out) {
    enum { FEW = 12 };
    bool declared = false;
    for (int first = 0; first < e->n_targets;) {
        const char *array = e->targets[first].array;
        int zeros = 0, last = first, kept = first;
        for (; last < e->n_targets && !strcmp(e->targets[last].array, array); last++)
            zeros += e->targets[last].root == CT_ZERO;
        if (zeros <= FEW) {
            first = last;
            continue;
        }
        if (!declared) ct_text_add(out, "    int i;\n");
        declared = true;
        ct_text_printf(out, "    for (i = 0; i < %d; i++)\n        %s[i] = 0.0;\n", last - first,
                       array);
        for (int k = first; k < e->n_targets; k++)
            if (k >= last || e->targets[k].root != CT_ZERO) e->targets[kept++] = e->targets[k];
        e->n_targets = kept;
        first = last - zeros;
    }
}

void ct_emitter_function(ct_emitter *e, const char *signature, const char *arguments,
                         ct_operations *count) {
    ct_text statements = {0}, zeros = {0};
    optimise(e);
    clear_zeros(e, &zeros);
    ct_part part = {.before = zeros.s, .n = e->n_targets, .targets = e->targets};
    int t = ct_writer_parts(e->w, &statements, 1, &part, count);
    ct_text_clear(&zeros);
    if (t > e->temporaries) e->temporaries = t;
    static const char *const none[] = {NULL};
    if (!ct_emit_split(&e->body, "void", signature, arguments, none, NULL, statements.s)) {
        ct_text_printf(&e->body, "static void %s\n{\n", signature);
        if (statements.s) ct_text_add(&e->body, statements.s);
    }
    ct_emitter_silence(&e->body, arguments);
    ct_text_add(&e->body, "}\n\n");
    ct_text_clear(&statements);
    e->n_targets = 0;
}

static void rows_phi(ct_emitter *e) {
    for (int i = 0; i < e->in->m; i++) ct_emitter_target(e, "phi", i, e->f->phi[e->in->rows[i]]);
}

static void rows_phi_q(ct_emitter *e) {
    int n = e->f->n;
    for (int i = 0; i < e->in->m; i++)
        for (int k = 0; k < n; k++)
            ct_emitter_target(e, "phi_q", i * n + k, e->f->phi_q[e->in->rows[i] * n + k]);
}

static void rows(ct_emitter *e, const char *array, const ct_ex *values) {
    for (int i = 0; i < e->in->m; i++) ct_emitter_target(e, array, i, values[e->in->rows[i]]);
}

static void dynamics_targets(ct_emitter *e) {
    const ct_formulation *f = e->f;
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->n; k++)
            ct_emitter_target(e, "mass", i * f->n + k, f->mass[i * f->n + k]);
    for (int i = 0; i < f->n; i++) ct_emitter_target(e, "forcing", i, f->forcing[i]);
    rows_phi(e);
    rows_phi_q(e);
    rows(e, "phi_t", f->phi_t);
    rows(e, "gamma", f->gamma);
    ct_emitter_target(e, "power", 0, f->power);
}

// y: coordinates by back-substitution, their rates, outputs of the model, kinetic and potential
// energy.
static void output_targets(ct_emitter *e) {
    const ct_formulation *f = e->f;
    int k = 0;
    for (int i = 0; i < f->n_secondary; i++) ct_emitter_target(e, "y", k++, f->secondary[i].value);
    for (int i = 0; i < f->n_secondary; i++) ct_emitter_target(e, "y", k++, f->secondary[i].rate);
    for (int i = 0; i < f->model->n_outputs; i++) ct_emitter_target(e, "y", k++, f->outputs[i]);
    ct_emitter_target(e, "y", k++, f->kinetic);
    ct_emitter_target(e, "y", k++, f->potential);
}

#define STATE  "const double *restrict c, double t, const double *restrict q, "
#define RATES  "const double *restrict qd, "
#define INPUTS "const double *restrict u,\n"

static void functions(ct_emitter *e, ct_operations *dynamics, ct_operations *position) {
    // Phi and Phi_q; Phi_q and Phi_t: what positions and rates need
    rows_phi(e);
    rows_phi_q(e);
    ct_emitter_function(e,
                        "position(" STATE INPUTS
                        "                     double *restrict phi, double *restrict phi_q)",
                        "c t q u phi phi_q", position);
    rows_phi_q(e);
    rows(e, "phi_t", e->f->phi_t);
    ct_emitter_function(e,
                        "velocity(" STATE INPUTS
                        "                     double *restrict phi_q, double *restrict phi_t)",
                        "c t q u phi_q phi_t", NULL);
    // runs by the closure alone need no more
    if (e->in->closure_only) return;
    // Phi_q and gamma: what accelerations need
    rows_phi_q(e);
    rows(e, "gamma", e->f->gamma);
    ct_emitter_function(e,
                        "acceleration(" STATE RATES INPUTS
                        "                         double *restrict phi_q, double *restrict gamma)",
                        "c t q qd u phi_q gamma", NULL);
    // M, F and all of the constraints in one function
    dynamics_targets(e);
    ct_emitter_function(
        e,
        "dynamics(" STATE RATES INPUTS
        "                     double *restrict mass, double *restrict forcing, "
        "double *restrict phi,\n                     double *restrict phi_q, double *restrict "
        "phi_t, "
        "double *restrict gamma, double *restrict power)",
        "c t q qd u mass forcing phi phi_q phi_t gamma power", dynamics);
}

// Phi, Phi_q, Phi_t and gamma of the rows that are redundant at the initial state.
static void spare(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const int n = f->n, count = e->in->n_dropped, *row = e->in->dropped;
    if (!count) return;
    for (int i = 0; i < count; i++) ct_emitter_target(e, "phi", i, f->phi[row[i]]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            ct_emitter_target(e, "phi_q", i * n + k, f->phi_q[row[i] * n + k]);
    for (int i = 0; i < count; i++) ct_emitter_target(e, "phi_t", i, f->phi_t[row[i]]);
    for (int i = 0; i < count; i++) ct_emitter_target(e, "gamma", i, f->gamma[row[i]]);
    ct_emitter_function(
        e,
        "spare(" STATE RATES INPUTS
        "                  double *restrict phi, double *restrict phi_q, double *restrict phi_t,\n"
        "                  double *restrict gamma)",
        "c t q qd u phi phi_q phi_t gamma", NULL);
}

static void outputs(ct_emitter *e) {
    output_targets(e);
    ct_emitter_function(e, "outputs(" STATE RATES INPUTS "                    double *restrict y)",
                        "c t q qd u y", NULL);
}

static char *header(const char *name) {
    ct_text t = {0};
    char *guard = ct_scratch_format("%s_H", name);
    for (char *s = guard; *s; s++)
        if (*s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
    ct_text_printf(&t,
                   "/* The model for the run-time kernel of ctk.h. */\n#ifndef %s\n#define "
                   "%s\n\n#include \"ctk.h\"\n\n"
                   "extern const ctk_model %s_model;\n\n#endif\n",
                   guard, guard, name);
    return ct_text_take(&t);
}

int ct_emit_outputs(const ct_emit_input *in) {
    return 2 * in->f->n_secondary + in->f->model->n_outputs + 2;
}

void ct_emit(const ct_emit_input *in, ct_emission *r) {
    ct_emitter e = {.in = in, .f = in->f, .w = ct_writer_new(in->f->pool)};
    if (in->f->n_integrated) e.meanings = ct_whole_rotation_meanings(in->f);
    *r = (ct_emission){0};
    ct_emit_find_values(&e, &r->values);
    // functions go to the body, since what they use decides on the rest of the file
    name_symbols(&e);
    functions(&e, &r->dynamics, &r->position);
    spare(&e);
    outputs(&e);
    if (in->closure) ct_emit_closure(&e, r);
    // constants: what depends on parameters alone, met in any function
    ct_text constants = {0};
    r->n_constants = ct_emit_constants(e.w, in->f->pool, in->f->model, "constants", &constants);
    r->temporaries = e.temporaries;
    int n_outputs = ct_emit_outputs(in);
    // the file from its top: map, headers, splines, functions, constants, table of the model
    ct_emit_map(&e, r, n_outputs);
    ct_text_printf(&e.out, "#include \"%s.h\"\n%s%s\n#include <math.h>\n\n", in->name,
                   in->closure && strstr(e.body.s, "poly[") ? "#include \"ctk_root_pair.h\"\n" : "",
                   in->closure ? "#include \"ctk_small.h\"\n" : "");
    if (strstr(e.body.s, "CT_PART"))
        ct_text_add(&e.out, "/* parts of long functions, not to be joined again */\n"
                            "#ifdef __GNUC__\n#define CT_PART __attribute__((noinline))\n"
                            "#else\n#define CT_PART\n#endif\n\n");
    ct_text_add(&e.body, constants.s);
    ct_emit_splines(&e, &e.out);
    ct_text_add(&e.out, e.body.s);
    ct_emit_model_table(&e, r, n_outputs);
    r->source = ct_text_take(&e.out);
    r->header = header(in->name);
    ct_text_clear(&constants);
    ct_text_clear(&e.body);
    ct_writer_free(e.w);
    ct_substitution_free(e.meanings);
    ct_free(e.targets);
}

void ct_emission_clear(ct_emission *e) {
    double *const values[] = {e->values.parameters, e->values.inputs, e->values.q0,
                              e->values.qd0,        e->values.units,  e->values.row_units,
                              e->values.guard_scale};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) ct_free(values[i]);
    ct_free(e->source);
    ct_free(e->header);
    *e = (ct_emission){0};
}

bool ct_emit_is_long(const ct_formulation *f) {
    enum { LONG = 5000 }; // operations: a second of compiling
    size_t n = (size_t)f->n, nn = n * n;
    ct_ex *roots = ct_scratch(nn + n + 1, sizeof *roots);
    memcpy(roots, f->mass, nn * sizeof *roots);
    memcpy(roots + nn, f->forcing, n * sizeof *roots);
    double total = ct_operations_total(ct_count_shared(f->pool, (int)(nn + n), roots));
    return total > LONG;
}

ct_operations ct_emit_count(const ct_formulation *f) {
    int *all = ct_scratch((size_t)f->m + 1, sizeof *all);
    for (int i = 0; i < f->m; i++) all[i] = i;
    ct_emit_input in = {.f = f, .m = f->m, .rows = all};
    ct_emitter e = {.in = &in, .f = f};
    if (f->n_integrated) e.meanings = ct_whole_rotation_meanings(f);
    dynamics_targets(&e);
    ct_ex *roots = ct_scratch((size_t)e.n_targets + 1, sizeof *roots);
    for (int i = 0; i < e.n_targets; i++) roots[i] = e.targets[i].root;
    ct_optimise(f->pool, e.n_targets, roots);
    ct_operations c = ct_count_shared(f->pool, e.n_targets, roots);
    ct_free(e.targets);
    return c;
}
