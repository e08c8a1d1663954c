// The search for a square matrix: for each unknown to hide the whole basis, then the generators in
// few unknowns, smallest set first. A matrix is taken if its determinant vanishes exactly where the
// hidden unknown takes a value of a solution: modulo a prime its square-free part is that of the
// characteristic polynomial of the multiplication by the hidden unknown. If no matrix is right,
// rows completed by normal forms give one (ct_hidden_complete).
#include "algebra/eliminate/eliminate.h"

#include <stdlib.h>

static void square_free(nmod_poly_t f) {
    nmod_poly_t slope;
    nmod_poly_init_mod(slope, f->mod);
    nmod_poly_derivative(slope, f);
    nmod_poly_gcd(slope, f, slope);
    nmod_poly_div(f, f, slope);
    nmod_poly_make_monic(f, f);
    nmod_poly_clear(slope);
}

static bool right_roots(const ct_hidden *h, ct_quotient_mod *m) {
    nmod_poly_t det, wanted;
    nmod_poly_init_mod(det, m->mod), nmod_poly_init_mod(wanted, m->mod);
    ct_hidden_determinant_mod(h, m->mod.n, det);
    bool right = nmod_poly_degree(det) > 0;
    if (right && h->kind == CT_HIDDEN_BASIS) right = nmod_poly_degree(det) == m->q->d;
    if (right) {
        slong weights[CT_UNKNOWNS_MAX] = {0};
        weights[h->hide] = 1;
        ct_quotient_charpoly(m, weights, wanted);
        square_free(wanted);
        square_free(det);
        right = nmod_poly_equal(det, wanted);
    }
    nmod_poly_clear(det), nmod_poly_clear(wanted);
    return right;
}

static uint64_t support(const ct_ring *ring, const ct_poly *f) {
    uint64_t in = 0;
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        for (int k = 0; k < ring->n; k++)
            if (e[k]) in |= (uint64_t)1 << k;
    }
    return in;
}

static int size_of(uint64_t set) {
    int n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

// Sets of unknowns worth trying: supports of generators, unions of two, and the last k unknowns.
typedef struct sets {
    int n, room;
    uint64_t *set;
} sets;

static void add_set(sets *s, uint64_t set) {
    for (int i = 0; i < s->n; i++)
        if (s->set[i] == set) return;
    if (s->n < 2000) *CT_PUSH(s->set, s->n, s->room) = set;
}

static int compare_sets(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int difference = size_of(x) - size_of(y);
    return difference ? difference : (x < y) - (x > y);
}

static sets candidates(const ct_ring *ring, const ct_polys *basis) {
    sets single = {0}, all = {0};
    for (int g = 0; g < basis->n; g++) add_set(&single, support(ring, basis->p + g));
    for (int i = 0; i < single.n; i++)
        for (int j = 0; j <= i; j++) add_set(&all, single.set[i] | single.set[j]);
    uint64_t last = 0;
    for (int k = ring->n - 1; k >= 0; k--) add_set(&all, last |= (uint64_t)1 << k);
    ct_free(single.set);
    qsort(all.set, (size_t)all.n, sizeof *all.set, compare_sets);
    return all;
}

static bool attempt(ct_hidden *h, ct_quotient_mod *m, int hide, uint64_t in) {
    if (!ct_hidden_from_basis(h, m->q->ring, m->q->basis, hide, in)) return false;
    if (right_roots(h, m)) return true;
    ct_hidden_clear(h);
    return false;
}

static bool search_hiding(ct_hidden *h, ct_quotient_mod *m, int hide, const sets *all) {
    if (attempt(h, m, hide, UINT64_MAX)) return true;
    for (int i = 0; i < all->n; i++)
        if (all->set[i] >> hide & 1 && attempt(h, m, hide, all->set[i])) return true;
    return false;
}

ct_status ct_hidden_search(ct_context *ctx, ct_hidden *h, ct_quotient_mod *m, int hide,
                           ct_limits *limits) {
    *h = (ct_hidden){0};
    int n = m->q->ring->n;
    sets all = candidates(m->q->ring, m->q->basis);
    bool found = false;
    ct_status s = CT_OK;
    for (int k = n - 1; k >= 0 && !found && !s; k--) {
        s = ct_limits_check(ctx, limits, "hidden-variable matrix");
        if (!s && (hide < 0 || hide == k)) found = search_hiding(h, m, k, &all);
    }
    ct_free(all.set);
    if (found || s) return s;
    return ct_hidden_complete(ctx, h, m->q, hide < 0 ? n - 1 : hide, limits);
}
