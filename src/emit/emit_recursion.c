// Functions for the method `recursive`: accelerations of the tree by articulated bodies, and its answer to
// forces, in the place of M and F. Coordinates that have no inertia at the start get a small one, E on
// the diagonal of M, which the kernel takes out again where rows hold them.
#include "emit/emit_inside.h"

#include "formulate/whole_rotation.h"
#include "numeric/numbers.h"

#include <math.h>

// E of a coordinate in parts of all masses, at the length of the mechanism for angles; pivots below this
// part of what they are measured by have no inertia.
#define ARMATURE 10000
static const double NO_PIVOT = 1e-9;

static ct_ex armature(const ct_emitter *e, int k) {
    const ct_formulation *f = e->f;
    ct_ex mass = CT_ZERO;
    for (int b = 1; b < f->model->n_bodies; b++)
        mass = ct_add(f->pool, mass, f->model->bodies[b].mass);
    if (mass == CT_ZERO) mass = CT_ONE;
    ct_ex size =
        f->is_angle[k] ? ct_power_int(f->pool, ct_exact_number(f->pool, f->length), 2) : CT_ONE;
    return ct_mul(f->pool, ct_rational(f->pool, 1, ARMATURE), ct_mul(f->pool, mass, size));
}

// Marks coordinates whose pivots vanish at the start; returns false if there is none but those marked.
static bool mark_light(ct_emitter *e, const ct_recursion *r, ct_ex *light) {
    const ct_formulation *f = e->f;
    const size_t n = (size_t)f->n;
    ct_ex *roots = ct_scratch(2 * n + 1, sizeof *roots);
    double *value = ct_scratch(2 * n + 1, sizeof *value);
    for (int k = 0; k < f->n; k++) {
        roots[k] = e->meanings ? ct_substitute(e->meanings, r->tree.pivot[k]) : r->tree.pivot[k];
        roots[f->n + k] = r->tree.scale[k];
    }
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    ct_position_set(f, &x, e->in->q0);
    ct_numbers_eval(&x, 2 * f->n, roots, value);
    ct_numbers_clear(&x);
    bool any = false;
    for (int k = 0; k < f->n; k++) {
        const bool none = r->tree.pivot[k] == CT_ZERO || value[k] <= NO_PIVOT * value[f->n + k];
        if (!none || light[k] != CT_ZERO) continue;
        light[k] = armature(e, k);
        any = true;
    }
    return any;
}

// The recursion, with E where it is needed.
static ct_ex *recursion_of(ct_emitter *e, ct_recursion *r) {
    const ct_formulation *f = e->f;
    ct_ex *light = ct_scratch((size_t)f->n + 1, sizeof *light);
    for (int k = f->n_tree; k < f->n; k++) light[k] = armature(e, k);
    // a pivot that vanishes leaves no numbers to those nearer to ground
    for (int round = 0; round <= f->n; round++) {
        ct_formulation_recursion(f, light, r);
        if (!mark_light(e, r, light)) break;
    }
    return light;
}

#define STATE  "const double *restrict c, double t, const double *restrict q, "
#define RATES  "const double *restrict qd, "
#define INPUTS "const double *restrict u,\n"

void ct_emit_recursion(ct_emitter *e, ct_emission *code) {
    const ct_formulation *f = e->f;
    ct_recursion r;
    const ct_ex *light = recursion_of(e, &r);
    // E, and what answers need
    int *places = ct_scratch((size_t)f->n + 1, sizeof *places), n = 0;
    for (int k = 0; k < f->n; k++) {
        if (light[k] == CT_ZERO) continue;
        places[n] = k;
        ct_emitter_target(e, "store", n++, light[k]);
    }
    ct_emit_ints(&e->body, "light", n, places);
    code->n_light = n;
    code->n_answer = n + r.n_kept;
    for (int i = 0; i < r.n_kept; i++) ct_emitter_target(e, "store", n + i, r.kept[i]);
    // q'' of the tree and its pivots, then all of the constraints
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "qdd", k, r.tree.qdd[k]);
    for (int k = 0; k < f->n; k++) {
        const ct_ex scale = light[k] == CT_ZERO ? r.tree.scale[k] : light[k];
        ct_emitter_target(e, "pivot", k,
                          scale == CT_ZERO ? CT_ZERO : ct_div(f->pool, r.tree.pivot[k], scale));
    }
    ct_emit_rows(e);
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
        ct_writer_name(e->w, r.symbol[i], ct_scratch_format("store[%d]", n + i));
    for (int k = 0; k < f->n; k++)
        ct_writer_name(e->w, r.force[k], ct_scratch_format("force[%d]", k));
    for (int k = 0; k < f->n; k++) ct_emitter_target(e, "x", k, r.answer[k]);
    ct_emitter_function(e,
                        "answer(const double *restrict c, double t, const double *restrict store,\n"
                        "                   const double *restrict force, double *restrict x)",
                        "c t store force x", NULL);
}
