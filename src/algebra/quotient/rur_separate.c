// How many solutions there are, and forms that tell them apart, modulo one prime: a form with
// random weights separates unless the prime is unlucky, so the degree of its square-free minimal
// polynomial is the number of solutions.
#include "algebra/quotient/quotient_inside.h"

#include <stdlib.h>

ct_zeros ct_quotient_zeros(ct_quotient_mod *m) {
    ct_zeros zeros = {0, false};
    slong weights[CT_UNKNOWNS_MAX];
    nmod_poly_t minimal, radical;
    nmod_poly_init_mod(minimal, m->mod), nmod_poly_init_mod(radical, m->mod);
    ulong seed = 0x9e3779b97f4a7c15u;
    for (int trial = 0; trial < 2; trial++) {
        for (int k = 0; k < m->q->ring->n; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            weights[k] = (slong)(seed >> 6);
        }
        ct_rur_modular(m, weights, seed, minimal, radical, NULL);
        slong n = nmod_poly_degree(radical);
        if (n > zeros.distinct) zeros.distinct = n;
        if (n == m->q->d) break;
    }
    zeros.radical = zeros.distinct == m->q->d;
    nmod_poly_clear(minimal), nmod_poly_clear(radical);
    return zeros;
}

static nmod_poly_struct *polys_new(int n, nmod_t mod) {
    nmod_poly_struct *p = ct_alloc((size_t)n, sizeof *p);
    for (int k = 0; k < n; k++) nmod_poly_init_mod(p + k, mod);
    return p;
}

static void polys_free(nmod_poly_struct *p, int n) {
    for (int k = 0; k < n; k++) nmod_poly_clear(p + k);
    ct_free(p);
}

bool ct_separates(ct_quotient_mod *m, const ct_zeros *zeros, const slong *weights) {
    int n = m->q->ring->n;
    nmod_poly_t minimal, radical;
    nmod_poly_init_mod(minimal, m->mod), nmod_poly_init_mod(radical, m->mod);
    nmod_poly_struct *a = NULL, *b = NULL;
    if (!zeros->radical) a = polys_new(n, m->mod), b = polys_new(n, m->mod);
    ct_rur_modular(m, weights, 0x2545f4914f6cdd1du, minimal, radical, a);
    bool separates = nmod_poly_degree(radical) == zeros->distinct;
    if (separates &&
        !zeros->radical) { // values of multiple solutions must not depend on the form l
        ct_rur_modular(m, weights, 0x6a09e667f3bcc909u, minimal, radical, b);
        for (int k = 0; k < n; k++) separates &= nmod_poly_equal(a + k, b + k);
    }
    if (a) polys_free(a, n), polys_free(b, n);
    nmod_poly_clear(minimal), nmod_poly_clear(radical);
    return separates;
}

static bool single(ct_quotient_mod *m, const ct_zeros *zeros, int unknown, slong *weights) {
    for (int k = 0; k < m->q->ring->n; k++) weights[k] = k == unknown;
    return ct_separates(m, zeros, weights);
}

int ct_separating_form(ct_quotient_mod *m, const ct_zeros *zeros, int first, slong *weights) {
    int n = m->q->ring->n;
    if (first >= 0 && single(m, zeros, first, weights)) return first;
    for (int k = n - 1; k >= 0; k--)
        if (k != first && single(m, zeros, k, weights)) return k;
    ulong seed = 0x9e3779b97f4a7c15u;
    for (ulong range = 1;; range += 1 + range / 4) { // combinations, from small weights on
        for (int k = 0; k < n; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            weights[k] = (slong)((seed >> 8) % (2 * range + 1)) - (slong)range;
        }
        if (range > 1000000 || ct_separates(m, zeros, weights)) return -1;
    }
}
