// One function of a model as C: targets are collected, optimised together and written as statements
// over named symbols.
#include "emit/emit_inside.h"

#include "expr/optimise.h"
#include "formulate/whole_rotation.h"

#include <stdio.h>
#include <string.h>

void ct_emitter_target(ct_emitter *e, const char *array, int index, ct_ex root) {
    if (e->meanings) root = ct_substitute(e->meanings, root);
    *CT_PUSH(e->targets, e->n_targets, e->room_targets) = (ct_target){array, index, root};
}

// What joints keep that attach where they are, and which joints hold, behind all other inputs.
static void name_kept(ct_emitter *e) {
    const ct_formulation *f = e->f;
    int at = 3 * (f->model->n_inputs + f->n_integrated);
    for (int i = 0; i < f->model->n_forces; i++) at += ct_force_is_by_load(f->model->forces + i);
    for (int k = 0; k < f->switched.n_kept; k++)
        ct_writer_name(e->w, f->switched.kept[k], ct_scratch_format("u[%d]", at + k));
    for (int i = 0; i < f->model->n_switched; i++)
        ct_writer_name(e->w, ct_switched_joint(f->model, i)->holds,
                       ct_scratch_format("u[%d]", at + f->switched.n_kept + i));
}

void ct_emitter_name_symbols(ct_emitter *e) {
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
            snprintf(text, sizeof text, "u[%d]", 3 * (f->model->n_inputs + i) + j);
            if (b->followed) ct_writer_name(e->w, b->last[j], text);
        }
    }
    for (int k = 0; k < f->model->n_inputs; k++) {
        ct_ex part[] = {f->model->inputs[k].symbol, f->model->inputs[k].rate,
                        f->model->inputs[k].acceleration};
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof text, "u[%d]", i * f->model->n_inputs + k);
            if (part[i] != CT_ZERO) ct_writer_name(e->w, part[i], text);
        }
    }
    // efforts of friction by load stand behind the inputs and the angles
    for (int i = 0, k = 3 * (f->model->n_inputs + f->n_integrated); i < f->model->n_forces; i++) {
        if (!ct_force_is_by_load(f->model->forces + i)) continue;
        snprintf(text, sizeof text, "u[%d]", k++);
        ct_writer_name(e->w, f->model->forces[i].effort, text);
    }
    name_kept(e);
    ct_emit_name_parameters(e->w, f->model);
    ct_writer_name(e->w, f->model->time, "t");
}

static void optimise(ct_emitter *e) {
    ct_ex *roots = ct_scratch((size_t)e->n_targets + 1, sizeof *roots);
    for (int i = 0; i < e->n_targets; i++) roots[i] = e->targets[i].root;
    ct_optimise(e->f->pool, e->n_targets, roots);
    for (int i = 0; i < e->n_targets; i++) e->targets[i].root = roots[i];
}

// Arrays with many zeros are cleared in a loop, and these drop out of the targets. An array that is
// set in part keeps its other elements.
static void clear_zeros(ct_emitter *e, ct_text *out) {
    enum { FEW = 12 };
    bool declared = false;
    for (int first = 0; first < e->n_targets;) {
        const char *array = e->targets[first].array;
        int zeros = 0, last = first, kept = first;
        bool is_whole = true;
        for (; last < e->n_targets && !strcmp(e->targets[last].array, array); last++) {
            zeros += e->targets[last].root == CT_ZERO;
            is_whole = is_whole && e->targets[last].index == last - first;
        }
        if (zeros <= FEW || !is_whole) {
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

ct_split_size ct_emitter_split_size(const ct_emitter *e) {
    const ct_split_size to_read = {2000, 120}, to_compile = {2000, 600};
    return e->in->without_values ? to_compile : to_read;
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
    if (!ct_emit_split(&e->body, ct_emitter_split_size(e), "void", signature, arguments, none, NULL,
                       statements.s)) {
        ct_text_printf(&e->body, "static void %s\n{\n", signature);
        if (statements.s) ct_text_add(&e->body, statements.s);
    }
    ct_emitter_silence(&e->body, arguments);
    ct_text_add(&e->body, "}\n\n");
    ct_text_clear(&statements);
    e->n_targets = 0;
}
