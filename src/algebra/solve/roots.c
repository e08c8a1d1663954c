// Certified isolation: f = c * prod f_i^i with f_i square-free (exactly, over the integers); Arb
// isolates the roots of each f_i; precision grows until the balls of different f_i are disjoint as
// well.
#include "algebra/solve/roots_inside.h"

#include <flint/fmpz_poly_factor.h>
#include <stdlib.h>

static void add_root(ct_roots *out, int *room, const acb_t at, int multiplicity) {
    ct_enclosed_root *r = CT_PUSH(out->root, out->n, *room);
    acb_init(r->at);
    acb_set(r->at, at);
    r->multiplicity = multiplicity;
    if (arb_is_zero(acb_imagref(at))) out->n_real++;
}

static bool all_disjoint(const ct_roots *roots) {
    for (int i = 0; i < roots->n; i++) {
        for (int j = 0; j < i; j++)
            if (acb_overlaps(roots->root[i].at, roots->root[j].at)) return false;
    }
    return true;
}

// Real first, increasing; the others stay in conjugate pairs, by real part. Balls are disjoint, so
// midpoints of real ones decide.
static int compare_roots(const void *a, const void *b) {
    const ct_enclosed_root *p = a, *q = b;
    bool real_p = arb_is_zero(acb_imagref(p->at)), real_q = arb_is_zero(acb_imagref(q->at));
    if (real_p != real_q) return real_p ? -1 : 1;
    int by_real = arf_cmp(arb_midref(acb_realref(p->at)), arb_midref(acb_realref(q->at)));
    if (by_real) return by_real;
    int by_size = arf_cmpabs(arb_midref(acb_imagref(p->at)), arb_midref(acb_imagref(q->at)));
    return by_size ? by_size
                   : arf_cmp(arb_midref(acb_imagref(q->at)), arb_midref(acb_imagref(p->at)));
}

static void isolate_at(ct_roots *out, const fmpz_poly_factor_t parts, slong bits) {
    int room = 0;
    for (slong i = 0; i < parts->num; i++) {
        slong degree = fmpz_poly_degree(parts->p + i);
        if (degree < 1) continue;
        acb_ptr z = _acb_vec_init(degree);
        arb_fmpz_poly_complex_roots(z, parts->p + i, 0, bits);
        for (slong k = 0; k < degree; k++) add_root(out, &room, z + k, (int)parts->exp[i]);
        _acb_vec_clear(z, degree);
    }
}

ct_status ct_roots_isolate(ct_context *ctx, ct_roots *out, const fmpz_poly_t f, slong bits) {
    *out = (ct_roots){0};
    if (fmpz_poly_is_zero(f)) return ct_fail(ctx, CT_USAGE, "every number is a root of 0");
    if (fmpz_poly_degree(f) == 0) return CT_OK;
    fmpz_poly_factor_t parts;
    fmpz_poly_factor_init(parts);
    fmpz_poly_factor_squarefree(parts, f);
    for (;; bits *= 2) {
        isolate_at(out, parts, bits);
        if (parts->num == 1 || all_disjoint(out)) break;
        ct_roots_clear(out);
    }
    fmpz_poly_factor_clear(parts);
    qsort(out->root, (size_t)out->n, sizeof *out->root, compare_roots);
    return CT_OK;
}

void ct_roots_clear(ct_roots *roots) {
    for (int i = 0; i < roots->n; i++) acb_clear(roots->root[i].at);
    ct_free(roots->root);
    *roots = (ct_roots){0};
}
