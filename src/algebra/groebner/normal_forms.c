// The remainder of a polynomial is the sum of the remainders of its monomials, and that of a
// monomial m = q lm(g) is  -(1/lc g) * (sum over the tail of g of c * remainder(q t)).  Every
// multiple of g that is subtracted on the way has a lead no larger than m, which is all that
// Buchberger's criterion asks.
#include "algebra/groebner/groebner_inside.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

typedef struct form { // remainder of a monomial: sum of value[k] * standard monomial mon[k]
    int n;            // -1: not known yet
    uint32_t *mon, *value;
} form;
struct ct_normal_forms {
    const ct_ring *ring;
    const ct_polys *basis;
    uint32_t p;
    uint32_t *inverse; // of the leading coefficients, negated
    uint32_t n, room, n_slots, *slots;
    uint32_t *exps;
    int *divisor; // basis element that reduces it, -1: standard
    form *forms;
    uint64_t *sum; // by monomial, of the form under way
    uint32_t n_touched, room_touched, *touched;
    uint32_t n_stack, room_stack, *stack;
    bool too_large; // a degree exceeds CT_EXPONENT_MAX: no result counts any more
};

static void rehash(ct_normal_forms *nf) {
    ct_free(nf->slots);
    nf->n_slots = nf->n_slots ? 2 * nf->n_slots : 1024;
    nf->slots = ct_alloc(nf->n_slots, sizeof *nf->slots);
    size_t bytes = (size_t)nf->ring->n * sizeof *nf->exps;
    for (uint32_t i = 0; i < nf->n; i++) {
        uint64_t s = ct_hash(nf->exps + (size_t)i * (size_t)nf->ring->n, bytes, 0);
        while (nf->slots[s & (nf->n_slots - 1)]) s++;
        nf->slots[s & (nf->n_slots - 1)] = i + 1;
    }
}

static uint32_t number(ct_normal_forms *nf, const uint32_t *e) {
    size_t n = (size_t)nf->ring->n, bytes = n * sizeof *e;
    if (2 * nf->n >= nf->n_slots) rehash(nf);
    uint64_t s = ct_hash(e, bytes, 0);
    for (; nf->slots[s & (nf->n_slots - 1)]; s++) {
        uint32_t i = nf->slots[s & (nf->n_slots - 1)] - 1;
        if (!memcmp(nf->exps + i * n, e, bytes)) return i;
    }
    if (nf->n == nf->room) {
        nf->room = nf->room ? 2 * nf->room : 512;
        nf->exps = ct_realloc(nf->exps, nf->room * n, sizeof *nf->exps);
        nf->divisor = ct_realloc(nf->divisor, nf->room, sizeof *nf->divisor);
        nf->forms = ct_realloc(nf->forms, nf->room, sizeof *nf->forms);
        nf->sum = ct_realloc(nf->sum, nf->room, sizeof *nf->sum);
    }
    uint32_t i = nf->n++;
    nf->slots[s & (nf->n_slots - 1)] = i + 1;
    memcpy(nf->exps + i * n, e, bytes);
    nf->divisor[i] = ct_find_divisor(nf->ring, nf->basis, e);
    nf->forms[i] = (form){-1, NULL, NULL};
    nf->sum[i] = 0;
    return i;
}

// sum += factor * remainder(i), which must be known; sums stay below 2 p^2 < 2^63, undivided
static void add_form(ct_normal_forms *nf, uint32_t i, uint64_t factor) {
    const form *f = &nf->forms[i];
    uint64_t bound = 2 * (uint64_t)nf->p * nf->p;
    for (int k = 0; k < f->n; k++) {
        uint32_t m = f->mon[k];
        uint64_t x = nf->sum[m];
        if (!x) *CT_PUSH(nf->touched, nf->n_touched, nf->room_touched) = m;
        x += factor * f->value[k];
        nf->sum[m] = x >= bound ? x - bound : x;
    }
}

// The nonzero part of the sum becomes the form; the sum is zero again.
static form take_form(ct_normal_forms *nf) {
    form f = {0, ct_alloc(nf->n_touched, sizeof *f.mon), ct_alloc(nf->n_touched, sizeof *f.value)};
    for (uint32_t k = 0; k < nf->n_touched; k++) {
        uint32_t m = nf->touched[k];
        uint32_t value = (uint32_t)(nf->sum[m] % nf->p);
        nf->sum[m] = 0;
        if (!value) continue;
        f.mon[f.n] = m;
        f.value[f.n++] = value;
    }
    nf->n_touched = 0;
    return f;
}

static uint32_t shifted(ct_normal_forms *nf, const ct_poly *g, slong k, const uint32_t *up) {
    uint32_t e[CT_UNKNOWNS_MAX];
    for (int x = 0; x < nf->ring->n; x++) e[x] = ct_poly_exps(nf->ring, g, k)[x] + up[x];
    if (ct_monomial_degree(nf->ring, e) > CT_EXPONENT_MAX) nf->too_large = true;
    return number(nf, e);
}

// True if everything that remainder(i) builds on is known; pushes what is not.
static bool ready(ct_normal_forms *nf, const ct_poly *g, const uint32_t *up) {
    bool all = true;
    for (slong k = 1; k < g->n; k++) {
        uint32_t m = shifted(nf, g, k, up);
        if (nf->forms[m].n >= 0) continue;
        *CT_PUSH(nf->stack, nf->n_stack, nf->room_stack) = m;
        all = false;
    }
    return all;
}

static void solve_standard(ct_normal_forms *nf, uint32_t i) {
    form f = {1, ct_alloc(1, sizeof *f.mon), ct_alloc(1, sizeof *f.value)};
    f.mon[0] = i;
    f.value[0] = 1;
    nf->forms[i] = f;
}

// With a stack of our own, because chains can be as long as exponents are large.
static void solve(ct_normal_forms *nf, uint32_t wanted) {
    *CT_PUSH(nf->stack, nf->n_stack, nf->room_stack) = wanted;
    while (nf->n_stack && !nf->too_large) {
        uint32_t i = nf->stack[nf->n_stack - 1];
        if (nf->forms[i].n >= 0) {
            nf->n_stack--;
            continue;
        }
        if (nf->divisor[i] < 0) {
            solve_standard(nf, i);
            continue;
        }
        const ct_poly *g = &nf->basis->p[nf->divisor[i]];
        uint32_t up[CT_UNKNOWNS_MAX];
        for (int x = 0; x < nf->ring->n; x++)
            up[x] = nf->exps[(size_t)i * (size_t)nf->ring->n + (size_t)x] - g->exps[x];
        if (!ready(nf, g, up)) continue;
        for (slong k = 1; k < g->n; k++)
            add_form(nf, shifted(nf, g, k, up),
                     fmpz_get_ui(g->coefs + k) * nf->inverse[nf->divisor[i]] % nf->p);
        nf->forms[i] = take_form(nf);
    }
}

ct_normal_forms *ct_normal_forms_new(const ct_ring *ring, const ct_polys *basis, uint32_t prime) {
    ct_normal_forms *nf = ct_alloc(1, sizeof *nf);
    nf->ring = ring;
    nf->basis = basis;
    nf->p = prime;
    nf->inverse = ct_alloc((size_t)basis->n, sizeof *nf->inverse);
    for (int i = 0; i < basis->n; i++)
        nf->inverse[i] = prime - (uint32_t)n_invmod(fmpz_get_ui(basis->p[i].coefs), prime);
    return nf;
}

void ct_normal_forms_free(ct_normal_forms *nf) {
    if (!nf) return;
    for (uint32_t i = 0; i < nf->n; i++) {
        ct_free(nf->forms[i].mon);
        ct_free(nf->forms[i].value);
    }
    ct_free(nf->inverse);
    ct_free(nf->slots);
    ct_free(nf->exps);
    ct_free(nf->divisor);
    ct_free(nf->forms);
    ct_free(nf->sum);
    ct_free(nf->touched);
    ct_free(nf->stack);
    ct_free(nf);
}

// Adds sign * (remainder of the tail of  up * g / lc g).
static void add_tail(ct_normal_forms *nf, int i, const uint32_t *up, bool negative) {
    const ct_poly *g = &nf->basis->p[i];
    for (slong k = 1; k < g->n; k++) solve(nf, shifted(nf, g, k, up));
    for (slong k = 1; k < g->n; k++) {
        uint64_t factor = fmpz_get_ui(g->coefs + k) * nf->inverse[i] % nf->p;
        add_form(nf, shifted(nf, g, k, up), negative ? nf->p - factor : factor);
    }
}

bool ct_normal_forms_pair(ct_normal_forms *nf, int i, int j) {
    uint32_t up_i[CT_UNKNOWNS_MAX], up_j[CT_UNKNOWNS_MAX];
    const uint32_t *a = nf->basis->p[i].exps, *b = nf->basis->p[j].exps;
    for (int x = 0; x < nf->ring->n; x++) {
        uint32_t l = a[x] > b[x] ? a[x] : b[x];
        up_i[x] = l - a[x];
        up_j[x] = l - b[x];
    }
    // all remainders first: the sum is shared
    for (slong k = 1; k < nf->basis->p[j].n; k++) solve(nf, shifted(nf, &nf->basis->p[j], k, up_j));
    add_tail(nf, i, up_i, false);
    add_tail(nf, j, up_j, true);
    form f = take_form(nf);
    bool zero = f.n == 0 && !nf->too_large;
    ct_free(f.mon);
    ct_free(f.value);
    return zero;
}
