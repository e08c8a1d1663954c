// Polynomials as sorted terms: building, canonical form, lists.
#include "algebra/poly/poly.h"

#include <flint/fmpz_vec.h>
#include <stdlib.h>
#include <string.h>

void ct_poly_init(ct_poly *f) {
    *f = (ct_poly){0};
}

static void drop_terms(const ct_ring *ring, ct_poly *f, slong keep) {
    for (slong i = keep; i < f->n; i++) {
        if (f->symbolic) fmpz_mpoly_clear(f->symbolic + i, ring->symbol_ctx);
        if (f->coefs) fmpz_clear(f->coefs + i);
    }
    if (f->n > keep) f->n = keep;
}

void ct_poly_clear(const ct_ring *ring, ct_poly *f) {
    drop_terms(ring, f, 0);
    ct_free(f->exps);
    ct_free(f->coefs);
    ct_free(f->symbolic);
    ct_poly_init(f);
}

void ct_poly_swap(ct_poly *f, ct_poly *g) {
    ct_poly t = *f;
    *f = *g;
    *g = t;
}

void ct_poly_reserve(const ct_ring *ring, ct_poly *f, slong terms) {
    if (terms <= f->room) return;
    f->room = terms;
    f->exps = ct_realloc(f->exps, (size_t)f->room * (size_t)ring->n, sizeof *f->exps);
    if (ring->n_symbols)
        f->symbolic = ct_realloc(f->symbolic, (size_t)f->room, sizeof *f->symbolic);
    else
        f->coefs = ct_realloc(f->coefs, (size_t)f->room, sizeof *f->coefs);
}

// Room for one more term with these exponents; its coefficient is not initialised yet.
static slong new_term(const ct_ring *ring, ct_poly *f, const uint32_t *exps) {
    size_t n = (size_t)ring->n;
    if (f->n == f->room) ct_poly_reserve(ring, f, f->room ? 2 * f->room : 4);
    memcpy(f->exps + (size_t)f->n * n, exps, n * sizeof *exps);
    return f->n++;
}

void ct_poly_push(const ct_ring *ring, ct_poly *f, const uint32_t *exps, const fmpz_t c) {
    slong i = new_term(ring, f, exps);
    if (ring->n_symbols) {
        fmpz_mpoly_init(f->symbolic + i, ring->symbol_ctx);
        fmpz_mpoly_set_fmpz(f->symbolic + i, c, ring->symbol_ctx);
    } else {
        fmpz_init_set(f->coefs + i, c);
    }
}

void ct_poly_push_symbolic(const ct_ring *ring, ct_poly *f, const uint32_t *exps,
                           const fmpz_mpoly_t c) {
    slong i = new_term(ring, f, exps);
    fmpz_mpoly_init(f->symbolic + i, ring->symbol_ctx);
    fmpz_mpoly_set(f->symbolic + i, c, ring->symbol_ctx);
}

void ct_poly_set(const ct_ring *ring, ct_poly *f, const ct_poly *g) {
    if (f == g) return;
    drop_terms(ring, f, 0);
    ct_poly_reserve(ring, f, g->n);
    for (slong i = 0; i < g->n; i++) {
        if (ring->n_symbols)
            ct_poly_push_symbolic(ring, f, ct_poly_exps(ring, g, i), g->symbolic + i);
        else
            ct_poly_push(ring, f, ct_poly_exps(ring, g, i), g->coefs + i);
    }
}

bool ct_poly_equal(const ct_ring *ring, const ct_poly *f, const ct_poly *g) {
    if (f->n != g->n) return false;
    if (f->n && memcmp(f->exps, g->exps, (size_t)f->n * (size_t)ring->n * sizeof *f->exps))
        return false;
    for (slong i = 0; i < f->n; i++) {
        if (ring->n_symbols ? !fmpz_mpoly_equal(f->symbolic + i, g->symbolic + i, ring->symbol_ctx)
                            : !fmpz_equal(f->coefs + i, g->coefs + i))
            return false;
    }
    return true;
}

// sorting ----------------------------------------------------------------------------------------
// A stable merge sort of term numbers, largest monomial first.
static void merge_sort(const ct_ring *ring, const ct_poly *f, slong *a, slong *work, slong n) {
    if (n < 2) return;
    slong half = n / 2;
    merge_sort(ring, f, a, work, half);
    merge_sort(ring, f, a + half, work, n - half);
    memcpy(work, a, (size_t)n * sizeof *a);
    for (slong i = 0, j = half, k = 0; k < n; k++) {
        bool left =
            j == n || (i < half && ct_monomial_compare(ring, ct_poly_exps(ring, f, work[i]),
                                                       ct_poly_exps(ring, f, work[j])) >= 0);
        a[k] = left ? work[i++] : work[j++];
    }
}

static bool is_sorted(const ct_ring *ring, const ct_poly *f) {
    for (slong i = 0; i < f->n; i++) {
        if (f->coefs ? fmpz_is_zero(f->coefs + i)
                     : fmpz_mpoly_is_zero(f->symbolic + i, ring->symbol_ctx))
            return false;
        if (i &&
            ct_monomial_compare(ring, ct_poly_exps(ring, f, i - 1), ct_poly_exps(ring, f, i)) <= 0)
            return false;
    }
    return true;
}

static void add_to_last(const ct_ring *ring, ct_poly *g, const ct_poly *f, slong i) {
    if (ring->n_symbols)
        fmpz_mpoly_add(g->symbolic + g->n - 1, g->symbolic + g->n - 1, f->symbolic + i,
                       ring->symbol_ctx);
    else
        fmpz_add(g->coefs + g->n - 1, g->coefs + g->n - 1, f->coefs + i);
}

static void drop_zero_last(const ct_ring *ring, ct_poly *g) {
    if (!g->n) return;
    bool zero = ring->n_symbols ? fmpz_mpoly_is_zero(g->symbolic + g->n - 1, ring->symbol_ctx)
                                : fmpz_is_zero(g->coefs + g->n - 1);
    if (zero) drop_terms(ring, g, g->n - 1);
}

void ct_poly_sort(const ct_ring *ring, ct_poly *f) {
    if (!f->n || is_sorted(ring, f)) return;
    slong *order = ct_scratch(2 * (size_t)f->n, sizeof *order);
    for (slong i = 0; i < f->n; i++) order[i] = i;
    merge_sort(ring, f, order, order + f->n, f->n);
    ct_poly g;
    ct_poly_init(&g);
    for (slong k = 0; k < f->n; k++) {
        slong i = order[k];
        const uint32_t *e = ct_poly_exps(ring, f, i);
        if (g.n && !memcmp(ct_poly_exps(ring, &g, g.n - 1), e, (size_t)ring->n * sizeof *e)) {
            add_to_last(ring, &g, f, i);
            continue;
        }
        drop_zero_last(ring, &g);
        if (ring->n_symbols)
            ct_poly_push_symbolic(ring, &g, e, f->symbolic + i);
        else
            ct_poly_push(ring, &g, e, f->coefs + i);
    }
    drop_zero_last(ring, &g);
    ct_poly_swap(f, &g);
    ct_poly_clear(ring, &g);
}

// content ----------------------------------------------------------------------------------------
static void primitive_integers(ct_poly *f) {
    fmpz_t g;
    fmpz_init(g);
    for (slong i = f->n; i-- > 0 && !fmpz_is_one(g);) fmpz_gcd(g, g, f->coefs + i);
    if (fmpz_sgn(f->coefs) < 0) fmpz_neg(g, g);
    if (!fmpz_is_one(g))
        for (slong i = 0; i < f->n; i++) fmpz_divexact(f->coefs + i, f->coefs + i, g);
    fmpz_clear(g);
}

// The gcd of the coefficients, shortest first because one of them is often the content already.
static void symbolic_content(const ct_ring *ring, fmpz_mpoly_t g, const ct_poly *f) {
    slong shortest = 0;
    for (slong i = 1; i < f->n; i++)
        if (f->symbolic[i].length < f->symbolic[shortest].length) shortest = i;
    fmpz_mpoly_set(g, f->symbolic + shortest, ring->symbol_ctx);
    for (slong i = 0; i < f->n && !fmpz_mpoly_is_one(g, ring->symbol_ctx); i++)
        fmpz_mpoly_gcd(g, g, f->symbolic + i, ring->symbol_ctx);
}

static void primitive_symbolic(const ct_ring *ring, ct_poly *f) {
    fmpz_mpoly_t g;
    fmpz_mpoly_init(g, ring->symbol_ctx);
    symbolic_content(ring, g, f);
    bool negative = fmpz_sgn(f->symbolic[0].coeffs) < 0;
    if ((fmpz_sgn(g->coeffs) < 0) != negative) fmpz_mpoly_neg(g, g, ring->symbol_ctx);
    if (!fmpz_mpoly_is_one(g, ring->symbol_ctx))
        for (slong i = 0; i < f->n; i++)
            fmpz_mpoly_divides(f->symbolic + i, f->symbolic + i, g, ring->symbol_ctx);
    fmpz_mpoly_clear(g, ring->symbol_ctx);
}

void ct_poly_primitive(const ct_ring *ring, ct_poly *f) {
    if (!f->n) return;
    if (ring->n_symbols)
        primitive_symbolic(ring, f);
    else
        primitive_integers(f);
}

void ct_poly_canonical(const ct_ring *ring, ct_poly *f) {
    ct_poly_sort(ring, f);
    ct_poly_primitive(ring, f);
}

// lists ------------------------------------------------------------------------------------------
void ct_polys_clear(const ct_ring *ring, ct_polys *list) {
    for (int i = 0; i < list->n; i++) ct_poly_clear(ring, &list->p[i]);
    ct_free(list->p);
    *list = (ct_polys){0};
}

ct_poly *ct_polys_add(ct_polys *list) {
    ct_poly *f = CT_PUSH(list->p, list->n, list->room);
    ct_poly_init(f);
    return f;
}

bool ct_polys_equal(const ct_ring *ring, const ct_polys *a, const ct_polys *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (!ct_poly_equal(ring, &a->p[i], &b->p[i])) return false;
    return true;
}

slong ct_polys_terms(const ct_polys *list) {
    slong terms = 0;
    for (int i = 0; i < list->n; i++) terms += list->p[i].n;
    return terms;
}

slong ct_polys_bits(const ct_polys *list) {
    slong bits = 0;
    for (int i = 0; i < list->n; i++)
        bits = FLINT_MAX(bits, labs(_fmpz_vec_max_bits(list->p[i].coefs, list->p[i].n)));
    return bits;
}

slong *ct_polys_lengths(const ct_polys *list) {
    slong *lengths = ct_alloc((size_t)list->n + 1, sizeof *lengths);
    for (int i = 0; i < list->n; i++) lengths[i] = list->p[i].n;
    return lengths;
}

ulong *ct_polys_residues(const ct_polys *list) {
    ulong *residues = ct_alloc((size_t)ct_polys_terms(list) + 1, sizeof *residues), *at = residues;
    for (int i = 0; i < list->n; i++)
        for (slong k = 0; k < list->p[i].n; k++) *at++ = fmpz_get_ui(list->p[i].coefs + k);
    return residues;
}

void ct_polys_fill(const ct_ring *ring, ct_polys *out, const ct_polys *shape, const fmpz *coefs) {
    for (int i = 0; i < shape->n; i++) {
        const ct_poly *s = &shape->p[i];
        ct_poly *f = ct_polys_add(out);
        ct_poly_reserve(ring, f, s->n);
        for (slong k = 0; k < s->n; k++) ct_poly_push(ring, f, ct_poly_exps(ring, s, k), coefs++);
        ct_poly_canonical(ring, f);
    }
}
