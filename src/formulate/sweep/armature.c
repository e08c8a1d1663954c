// The recursion of a tree with coordinates that have no inertia of their own, such as those of a rod without
// mass: they get a small one, E on the diagonal of M, where pivots vanish in a given position. Whoever
// solves with it takes E out again where rows hold them.
#include "formulate/whole_rotation.h"
#include "numeric/numbers.h"

// E of a coordinate in parts of all masses, at the length of the mechanism for angles; pivots below this
// part of what they are measured by have no inertia.
#define ARMATURE 10000
static const double NO_PIVOT = 1e-9;

static ct_ex armature(const ct_formulation *f, int k) {
    ct_pool *pool = f->pool;
    ct_ex mass = CT_ZERO;
    for (int b = 1; b < f->model->n_bodies; b++)
        mass = ct_add(pool, mass, f->model->bodies[b].mass);
    if (mass == CT_ZERO) mass = CT_ONE;
    ct_ex size = f->is_angle[k] ? ct_power_int(pool, ct_exact_number(pool, f->length), 2) : CT_ONE;
    return ct_mul(pool, ct_rational(pool, 1, ARMATURE), ct_mul(pool, mass, size));
}

// Marks coordinates whose pivots vanish at q; returns false if there is none but those marked.
static bool mark(const ct_formulation *f, ct_substitution *known, const double *q,
                 const ct_recursion *r, ct_ex *light) {
    const size_t n = (size_t)f->n;
    ct_ex *roots = ct_scratch(2 * n + 1, sizeof *roots);
    double *value = ct_scratch(2 * n + 1, sizeof *value);
    // pivots, and what they are measured by, in numbers
    for (int k = 0; k < f->n; k++) {
        roots[k] = known ? ct_substitute(known, r->tree.pivot[k]) : r->tree.pivot[k];
        roots[f->n + k] = r->tree.scale[k];
    }
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    ct_position_set(f, &x, q);
    ct_numbers_eval(&x, 2 * f->n, roots, value);
    ct_numbers_clear(&x);
    // those that vanish
    bool any = false;
    for (int k = 0; k < f->n; k++) {
        const bool none = r->tree.pivot[k] == CT_ZERO || value[k] <= NO_PIVOT * value[f->n + k];
        if (!none || light[k] != CT_ZERO) continue;
        light[k] = armature(f, k);
        any = true;
    }
    return any;
}

void ct_formulation_recursion_at(const ct_formulation *f, const double *q, ct_ex *light,
                                 ct_recursion *out) {
    ct_substitution *known = f->n_integrated ? ct_whole_rotation_meanings(f) : NULL;
    for (int k = f->n_tree; k < f->n; k++) light[k] = armature(f, k);
    // a pivot that vanishes leaves no numbers to those nearer to ground
    for (int round = 0; round <= f->n; round++) {
        ct_formulation_recursion(f, light, out);
        if (!mark(f, known, q, out, light)) break;
    }
    ct_substitution_free(known);
}
