// Functions for the method `recursive`: accelerations of the tree by articulated bodies, and its answer to
// forces, in the place of M and F.
#include "emit/emit_inside.h"

// What the answer to forces needs: E, and what the recursion keeps of positions.
static void kept_targets(ct_emitter *e, const ct_recursion *r, const ct_ex *light,
                         ct_emission *code) {
    int *places = ct_scratch((size_t)e->f->n + 1, sizeof *places), n = 0;
    for (int k = 0; k < e->f->n; k++) {
        if (light[k] == CT_ZERO) continue;
        places[n] = k;
        ct_emitter_target(e, "store", n++, light[k]);
    }
    ct_emit_ints(&e->body, "light", n, places);
    code->n_light = n;
    code->n_answer = n + r->n_kept;
    for (int i = 0; i < r->n_kept; i++) ct_emitter_target(e, "store", n + i, r->kept[i]);
}

void ct_emit_recursion(ct_emitter *e, ct_emission *code) {
    const ct_formulation *f = e->f;
    ct_recursion r;
    ct_ex *light = ct_scratch((size_t)f->n + 1, sizeof *light);
    ct_formulation_recursion_at(f, e->in->q0, light, &r);
    kept_targets(e, &r, light, code);
    // q'' of the tree and its pivots, then all of the constraints
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "qdd", k, r.tree.qdd[k]);
    for (int k = 0; k < f->n; k++) {
        const ct_ex scale = light[k] == CT_ZERO ? r.tree.scale[k] : light[k];
        ct_emitter_target(e, "pivot", k,
                          scale == CT_ZERO ? CT_ZERO : ct_div(f->pool, r.tree.pivot[k], scale));
    }
    ct_emit_all_rows(e);
    ct_emitter_target(e, "power", 0, f->power);
    ct_emitter_function(
        e,
        "recursion(" STATE RATES INPUTS
        "                      double *restrict qdd, double *restrict pivot, "
        "double *restrict store,\n                      double *restrict phi, double *restrict "
        "phi_q, double *restrict phi_t,\n                      double *restrict gamma, double "
        "*restrict power)",
        "c t q qd u qdd pivot store phi phi_q phi_t gamma power", &code->dynamics);
    // the answer to forces
    for (int i = 0; i < r.n_kept; i++)
        ct_writer_name(e->w, r.symbol[i], ct_scratch_format("store[%d]", code->n_light + i));
    for (int k = 0; k < f->n; k++)
        ct_writer_name(e->w, r.force[k], ct_scratch_format("force[%d]", k));
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "x", k, r.answer[k]);
    ct_emitter_function(e,
                        "answer(const double *restrict c, double t, const double *restrict store,\n"
                        "                   const double *restrict force, double *restrict x)",
                        "c t store force x", NULL);
}
