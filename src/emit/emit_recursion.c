// Functions for the method `recursive`: accelerations of the tree by articulated bodies, and its answer to
// forces, in the place of M and F.
#include "emit/emit_inside.h"

// What the answer to forces needs: E, and what the recursion keeps of positions. Returns the coordinates that
// E has entries of.
static const int *kept_targets(ct_emitter *e, const ct_recursion *r, const ct_ex *light,
                               ct_emission *code) {
    int *places = ct_scratch((size_t)e->f->n + 1, sizeof *places), n = 0;
    for (int k = 0; k < e->f->n; k++) {
        if (light[k] == CT_ZERO) continue;
        places[n] = k;
        ct_emitter_target(e, "store", n++, light[k]);
    }
    code->n_light = n;
    code->n_answer = n + r->n_kept;
    for (int i = 0; i < r->n_kept; i++) ct_emitter_target(e, "store", n + i, r->kept[i]);
    return places;
}

const int *ct_emit_tree_targets(ct_emitter *e, ct_recursion *r, ct_emission *code) {
    const ct_formulation *f = e->f;
    ct_ex *light = ct_scratch((size_t)f->n + 1, sizeof *light);
    ct_formulation_recursion_at(f, e->in->q0, light, r);
    const int *places = kept_targets(e, r, light, code);
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "qdd", k, r->tree.qdd[k]);
    for (int k = 0; k < f->n; k++) {
        const ct_ex scale = light[k] == CT_ZERO ? r->tree.scale[k] : light[k];
        ct_emitter_target(e, "pivot", k,
                          scale == CT_ZERO ? CT_ZERO : ct_div(f->pool, r->tree.pivot[k], scale));
    }
    return places;
}

void ct_emit_answer(ct_emitter *e, const ct_recursion *r, const ct_emission *code) {
    const ct_formulation *f = e->f;
    for (int i = 0; i < r->n_kept; i++)
        ct_writer_name(e->w, r->symbol[i], ct_scratch_format("store[%d]", code->n_light + i));
    for (int k = 0; k < f->n; k++)
        ct_writer_name(e->w, r->force[k], ct_scratch_format("force[%d]", k));
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "x", k, r->answer[k]);
    ct_emitter_function(e,
                        "answer(const double *restrict c, double t, const double *restrict store,\n"
                        "                   const double *restrict force, double *restrict x)",
                        "c t store force x", NULL);
}
