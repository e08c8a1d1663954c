// Checker of Gröbner bases by Buchberger's criterion: every S-polynomial leaves remainder zero.
// Pairs with coprime leads do so anyway; a pair (i, j) may be left out if a lead k divides its lcm
// and (i, k) and (j, k) have been dealt with (Buchberger 1979).
#include "algebra/groebner/groebner_inside.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_DEGREES = 255 }; // counted, not compared

typedef struct check_pair {
    int i, j;
    uint64_t degree; // of the lcm
} check_pair;

static int by_degree(const void *a, const void *b) {
    const check_pair *x = a, *y = b;
    if (x->degree != y->degree) return x->degree < y->degree ? -1 : 1;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static bool chained(const ct_ring *ring, const ct_polys *g, const bool *done, int i, int j) {
    uint32_t l[CT_UNKNOWNS_MAX];
    ct_monomial_lcm(ring, l, g->p[i].exps, g->p[j].exps);
    for (int k = 0; k < g->n; k++)
        if (k != i && k != j && done[i * g->n + k] && done[j * g->n + k] &&
            ct_monomial_divides(ring, g->p[k].exps, l))
            return true;
    return false;
}

static bool reduces_to_zero(const ct_ring *ring, const ct_polys *g, int i, int j) {
    ct_poly s;
    ct_poly_init(&s);
    bool zero = ct_s_polynomial(ring, &s, &g->p[i], &g->p[j], 0) &&
                ct_remainder(ring, &s, &s, g, 0) && s.n == 0;
    ct_poly_clear(ring, &s);
    return zero;
}

// Pairs whose leads have a common factor, by increasing degree of their lcm; the others are done.
static check_pair *list_pairs(const ct_ring *ring, const ct_polys *g, bool *done, int *n) {
    size_t all = (size_t)g->n * (size_t)g->n + 1;
    check_pair *pairs = ct_scratch(all, sizeof *pairs), *sorted = ct_scratch(all, sizeof *sorted);
    uint64_t most = 0;
    for (int j = 0; j < g->n; j++)
        for (int i = 0; i < j; i++) {
            uint32_t l[CT_UNKNOWNS_MAX];
            if (ct_monomial_coprime(ring, g->p[i].exps, g->p[j].exps)) {
                done[i * g->n + j] = done[j * g->n + i] = true;
                continue;
            }
            ct_monomial_lcm(ring, l, g->p[i].exps, g->p[j].exps);
            pairs[*n] = (check_pair){i, j, ct_monomial_degree(ring, l)};
            if (pairs[*n].degree > most) most = pairs[*n].degree;
            ++*n;
        }
    // few degrees: counted; else compared
    if (most > FEW_DEGREES) {
        qsort(pairs, (size_t)*n, sizeof *pairs, by_degree);
        return pairs;
    }
    int first[FEW_DEGREES + 2] = {0};
    for (int k = 0; k < *n; k++) first[pairs[k].degree + 1]++;
    for (uint64_t d = 0; d < most; d++) first[d + 1] += first[d];
    for (int k = 0; k < *n; k++) sorted[first[pairs[k].degree]++] = pairs[k];
    return sorted;
}

static bool check(const ct_ring *ring, const ct_polys *g, uint32_t prime) {
    int n = 0;
    bool *done = ct_scratch((size_t)g->n * (size_t)g->n + 1, sizeof *done);
    const check_pair *pairs = list_pairs(ring, g, done, &n);
    bool ok = true;
    ct_normal_forms *forms = prime ? ct_normal_forms_new(ring, g, prime) : NULL;
    for (int k = 0; k < n && ok; k++) {
        int i = pairs[k].i, j = pairs[k].j;
        if (!chained(ring, g, done, i, j))
            ok = forms ? ct_normal_forms_pair(forms, i, j) : reduces_to_zero(ring, g, i, j);
        done[i * g->n + j] = done[j * g->n + i] = true;
    }
    ct_normal_forms_free(forms);
    return ok;
}

// A copy without zero polynomials, reduced modulo the prime if there is one. Returns false if a
// lead vanishes.
static bool prepare(const ct_ring *ring, ct_polys *copy, const ct_polys *g, uint32_t prime) {
    for (int i = 0; i < g->n; i++) {
        if (!g->p[i].n) continue;
        ct_poly *f = ct_polys_add(copy);
        if (!prime) {
            ct_poly_set(ring, f, &g->p[i]);
            continue;
        }
        if (fmpz_fdiv_ui(g->p[i].coefs, prime) == 0) return false;
        ct_poly_mod(ring, f, &g->p[i], prime);
    }
    return true;
}

bool ct_is_groebner(const ct_ring *ring, const ct_polys *basis, uint32_t prime) {
    ct_polys copy = {0};
    bool ok = prepare(ring, &copy, basis, prime) && check(ring, &copy, prime);
    ct_polys_clear(ring, &copy);
    return ok;
}

bool ct_is_reduced(const ct_ring *ring, const ct_polys *basis) {
    for (int i = 0; i < basis->n; i++)
        for (int j = 0; j < basis->n; j++)
            for (slong k = 0; k < basis->p[i].n; k++)
                if ((i != j || k > 0) && ct_monomial_divides(ring, basis->p[j].exps,
                                                             ct_poly_exps(ring, &basis->p[i], k)))
                    return false;
    return true;
}
