// Repeated and mirrored legs: f_b(x) = +-f_a(D x) for all equations of two groups, D a diagonal
// matrix of signs. Then x solves one group where D x solves the other.
#include "configurations/factors.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS_MAX = 12 }; // signs are tried one by one

// The same monomials with the same coefficients but for signs.
static bool is_alike(const ct_ring *ring, const ct_poly *f, const ct_poly *g) {
    if (f->n != g->n || memcmp(f->exps, g->exps, (size_t)(f->n * ring->n) * sizeof *f->exps))
        return false;
    for (slong i = 0; i < f->n; i++)
        if (fmpz_cmpabs(f->coefs + i, g->coefs + i)) return false;
    return true;
}

// g(x) = +-f(D x); bit k of `signs`: unknown k changes its sign.
static bool is_mirrored(const ct_ring *ring, const ct_poly *f, const ct_poly *g, unsigned signs) {
    int whole = 0; // +-1 once the first term is seen
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        int sign = fmpz_sgn(f->coefs + i) * fmpz_sgn(g->coefs + i);
        for (int k = 0; k < ring->n; k++)
            if (signs >> k & 1 && e[k] % 2) sign = -sign;
        if (whole && sign != whole) return false;
        whole = sign;
    }
    return true;
}

// The signs that make b a twin of a, -1: it is none.
static long find_signs(const ct_factor *a, const ct_factor *b) {
    if (a->n != b->n || a->equations.n != b->equations.n || a->n > UNKNOWNS_MAX) return -1;
    for (int i = 0; i < a->equations.n; i++)
        if (!is_alike(a->ring, a->equations.p + i, b->equations.p + i)) return -1;
    for (unsigned signs = 0; signs < 1u << a->n; signs++) {
        bool twin = true;
        for (int i = 0; i < a->equations.n && twin; i++)
            twin = is_mirrored(a->ring, a->equations.p + i, b->equations.p + i, signs);
        if (twin) return (long)signs;
    }
    return -1;
}

// Solutions of a as those of b. The eliminant stays behind, and so does the time.
static void copy_solutions(const ct_factor *a, ct_factor *b, unsigned signs) {
    ct_solutions *to = &b->found;
    const ct_solutions *from = &a->found;
    *to = *from;
    to->coefficients = NULL;
    to->variable = -1;
    to->basis_seconds = to->eliminant_seconds = to->root_seconds = to->total_seconds = 0;
    to->offending = ct_alloc((size_t)from->n_offending + 1, sizeof *to->offending);
    for (int i = 0; i < from->n_offending; i++) to->offending[i] = from->offending[i];
    to->solutions = ct_alloc((size_t)from->count + 1, sizeof *to->solutions);
    for (int i = 0; i < from->count; i++) {
        ct_solution *x = to->solutions + i;
        const ct_solution *y = from->solutions + i;
        *x = *y;
        x->re = ct_alloc((size_t)b->n + 1, sizeof *x->re);
        x->im = ct_alloc((size_t)b->n + 1, sizeof *x->im);
        for (int k = 0; k < b->n; k++) {
            bool minus = signs >> k & 1;
            x->re[k] = minus ? -y->re[k] : y->re[k];
            x->im[k] = minus ? -y->im[k] : y->im[k];
        }
    }
}

bool ct_factor_like(const ct_factor *a, ct_factor *b) {
    long signs = find_signs(a, b);
    if (signs < 0) return false;
    copy_solutions(a, b, (unsigned)signs);
    return true;
}
