// Dimension, degree and standard monomials, all from the leading monomials of a Gröbner basis.
#include "algebra/groebner/groebner.h"

#include <flint/fmpz_poly.h>
#include <stdlib.h>
#include <string.h>

// dimension --------------------------------------------------------------------------------------
// A set of unknowns is independent if no leading monomial lives on it alone; its complement meets
// the support of every one. The smallest such complement is found by branching on an unmet support.
typedef struct search {
    int n;
    uint64_t *supports;
    uint64_t best;
    int best_size;
} search;

static int count_bits(uint64_t x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

static void cover(search *s, uint64_t chosen, uint64_t barred) {
    int size = count_bits(chosen), k = 0;
    if (size >= s->best_size) return;
    while (k < s->n && (s->supports[k] & chosen)) k++;
    if (k == s->n) {
        s->best = chosen;
        s->best_size = size;
        return;
    }
    for (uint64_t rest = s->supports[k] & ~barred; rest; rest &= rest - 1) {
        uint64_t bit = rest & -rest;
        cover(s, chosen | bit, barred);
        barred |= bit; // what follows need not try it again
    }
}

static int by_size(const void *a, const void *b) {
    return count_bits(*(const uint64_t *)a) - count_bits(*(const uint64_t *)b);
}

static uint64_t support(const ct_ring *ring, const uint32_t *e) {
    uint64_t s = 0;
    for (int k = 0; k < ring->n; k++)
        if (e[k]) s |= (uint64_t)1 << k;
    return s;
}

// degree -----------------------------------------------------------------------------------------
// Numerator of the Hilbert series of a monomial ideal:  N(I) = N(I + m) + t^deg(m) N(I : m).
typedef struct monomials {
    int n, room;
    uint32_t *exps; // n vectors
} monomials;

static uint32_t *vector(const ct_ring *ring, const monomials *a, int i) {
    return a->exps + (size_t)i * (size_t)ring->n;
}

static void push(const ct_ring *ring, monomials *a, const uint32_t *e) {
    for (int i = 0; i < a->n; i++)
        if (ct_monomial_divides(ring, vector(ring, a, i), e)) return;
    int kept = 0;
    for (int i = 0; i < a->n; i++) {
        if (ct_monomial_divides(ring, e, vector(ring, a, i))) continue;
        if (kept != i)
            memcpy(vector(ring, a, kept), vector(ring, a, i), (size_t)ring->n * sizeof *e);
        kept++;
    }
    a->n = kept;
    if (a->n == a->room) {
        a->room = a->room ? 2 * a->room : 8;
        a->exps = ct_realloc(a->exps, (size_t)a->room * (size_t)ring->n, sizeof *a->exps);
    }
    memcpy(vector(ring, a, a->n++), e, (size_t)ring->n * sizeof *e);
}

// The unknown in most generators, if in two or more; its least exponent there.
static bool pivot(const ct_ring *ring, const monomials *a, uint32_t *e) {
    int best = 1, unknown = -1;
    for (int k = 0; k < ring->n; k++) {
        int count = 0;
        for (int i = 0; i < a->n; i++) count += vector(ring, a, i)[k] > 0;
        if (count > best) best = count, unknown = k;
    }
    if (unknown < 0) return false;
    memset(e, 0, (size_t)ring->n * sizeof *e);
    for (int i = 0; i < a->n; i++) {
        uint32_t x = vector(ring, a, i)[unknown];
        if (x && (!e[unknown] || x < e[unknown])) e[unknown] = x;
    }
    return true;
}

static void numerator(const ct_ring *ring, fmpz_poly_t out, const monomials *a) {
    uint32_t m[CT_UNKNOWNS_MAX], e[CT_UNKNOWNS_MAX];
    fmpz_poly_t part;
    fmpz_poly_init(part);
    fmpz_poly_one(out);
    if (!pivot(ring, a, m)) { // pairwise coprime: the product of 1 - t^deg
        for (int i = 0; i < a->n; i++) {
            slong degree = (slong)ct_monomial_degree(ring, vector(ring, a, i));
            fmpz_poly_shift_left(part, out, degree);
            fmpz_poly_sub(out, out, part);
        }
        fmpz_poly_clear(part);
        return;
    }
    // I + m and I : m
    monomials plus = {0}, colon = {0};
    push(ring, &plus, m);
    for (int i = 0; i < a->n; i++) {
        const uint32_t *x = vector(ring, a, i);
        push(ring, &plus, x);
        for (int k = 0; k < ring->n; k++) e[k] = x[k] > m[k] ? x[k] - m[k] : 0;
        push(ring, &colon, e);
    }
    // N(I + m) + t^deg(m) N(I : m)
    numerator(ring, out, &plus);
    numerator(ring, part, &colon);
    fmpz_poly_shift_left(part, part, (slong)ct_monomial_degree(ring, m));
    fmpz_poly_add(out, out, part);
    ct_free(plus.exps);
    ct_free(colon.exps);
    fmpz_poly_clear(part);
}

#define DEGREE_MAX 1000000 // of the numerator: beyond, the degree is not worked out

// N(t) / (1 - t)^codimension at t = 1. Returns -1 if it is too large.
static slong hilbert_degree(const ct_ring *ring, const ct_polys *basis, int codimension) {
    // leading monomials, and their largest degree
    monomials a = {0};
    uint64_t total = 0;
    for (int i = 0; i < basis->n; i++) {
        push(ring, &a, basis->p[i].exps);
        uint64_t d = ct_monomial_degree(ring, basis->p[i].exps);
        if (d > total) total = d;
    }
    if (total > DEGREE_MAX / (uint64_t)ring->n) {
        ct_free(a.exps);
        return -1;
    }
    // N(t) / (1 - t)^codimension
    fmpz_poly_t num, one_minus_t;
    fmpz_poly_init(num);
    fmpz_poly_init(one_minus_t);
    fmpz_poly_set_coeff_si(one_minus_t, 0, 1);
    fmpz_poly_set_coeff_si(one_minus_t, 1, -1);
    numerator(ring, num, &a);
    for (int k = 0; k < codimension; k++) fmpz_poly_div(num, num, one_minus_t);
    // its value at 1
    fmpz_t value, one;
    fmpz_init(value);
    fmpz_init_set_ui(one, 1);
    fmpz_poly_evaluate_fmpz(value, num, one);
    slong degree = fmpz_fits_si(value) ? fmpz_get_si(value) : -1;
    fmpz_clear(value);
    fmpz_clear(one);
    fmpz_poly_clear(num);
    fmpz_poly_clear(one_minus_t);
    ct_free(a.exps);
    return degree;
}

ct_ideal_info ct_ideal(const ct_ring *ring, const ct_polys *basis) {
    search s = {.supports = ct_alloc((size_t)basis->n + 1, sizeof(uint64_t)),
                .best_size = ring->n + 1};
    bool whole = false;
    for (int i = 0; i < basis->n; i++) {
        if (!basis->p[i].n) continue;
        s.supports[s.n] = support(ring, basis->p[i].exps);
        whole = whole || !s.supports[s.n];
        s.n++;
    }
    ct_ideal_info info = {.dimension = -1};
    if (!whole) {
        uint64_t all = ring->n == 64 ? UINT64_MAX : ((uint64_t)1 << ring->n) - 1;
        qsort(s.supports, (size_t)s.n, sizeof *s.supports, by_size);
        cover(&s, 0, 0);
        info.dimension = ring->n - s.best_size;
        info.free = all & ~s.best;
        info.degree = hilbert_degree(ring, basis, s.best_size);
    }
    ct_free(s.supports);
    return info;
}

// standard monomials -----------------------------------------------------------------------------
typedef struct walk {
    const ct_ring *ring;
    const ct_polys *basis;
    uint32_t at[CT_UNKNOWNS_MAX];
    slong n, room;
    uint32_t *exps;
} walk;

static bool is_standard(const walk *w) {
    for (int i = 0; i < w->basis->n; i++)
        if (w->basis->p[i].n && ct_monomial_divides(w->ring, w->basis->p[i].exps, w->at))
            return false;
    return true;
}

static void enumerate(walk *w, int k) {
    size_t n = (size_t)w->ring->n;
    if (k == w->ring->n) {
        if (w->n == w->room) {
            w->room = w->room ? 2 * w->room : 64;
            w->exps = ct_realloc(w->exps, (size_t)w->room * n, sizeof *w->exps);
        }
        memcpy(w->exps + (size_t)w->n++ * n, w->at, n * sizeof *w->at);
        return;
    }
    for (w->at[k] = 0; is_standard(w); w->at[k]++) enumerate(w, k + 1);
    w->at[k] = 0;
}

static void sort_increasing(const ct_ring *ring, uint32_t *exps, slong count) {
    ct_poly f;
    ct_poly_init(&f);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    ct_ring number_ring = *ring;
    number_ring.n_symbols = 0;
    for (slong i = 0; i < count; i++) ct_poly_push(&number_ring, &f, exps + i * ring->n, one);
    ct_poly_sort(&number_ring, &f);
    size_t bytes = (size_t)ring->n * sizeof *exps;
    for (slong i = 0; i < count; i++)
        memcpy(exps + i * ring->n, ct_poly_exps(ring, &f, count - 1 - i), bytes);
    ct_poly_clear(&number_ring, &f);
    fmpz_clear(one);
}

slong ct_standard_monomials(const ct_ring *ring, const ct_polys *basis, uint32_t **exps) {
    *exps = NULL;
    ct_ideal_info info = ct_ideal(ring, basis);
    if (info.dimension > 0) return -1;
    walk w = {.ring = ring, .basis = basis};
    enumerate(&w, 0);
    if (w.n) sort_increasing(ring, w.exps, w.n);
    *exps = w.exps;
    return w.n;
}
