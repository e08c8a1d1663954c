// The remainder of a polynomial is the sum of the remainders of its monomials, and that of a
// monomial m = q lm(g) is  -(1/lc g) * (sum over the tail of g of c * remainder(q t)).  Every
// multiple of g that is subtracted on the way has a lead no larger than m, which is all that
// Buchberger's criterion asks.
#include "algebra/groebner/groebner_inside.h"

#include "util/flint.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

typedef struct form { // remainder of a monomial: sum of value[k] * standard monomial mon[k]
    int n;            // -1: not known yet
    size_t at;        // its place in the pools
} form;
struct ct_normal_forms {
    const ct_ring *ring;
    const ct_polys *basis;
    uint32_t p;
    nmod_t mod;
    uint32_t **tails; // coefficients of elements over the leading one, negated
    uint64_t weight[CT_UNKNOWNS_MAX];
    uint32_t n, room, n_slots, *slots;
    uint32_t *exps;
    uint64_t *hash; // sum of weight * exponent
    int *divisor;   // basis element that reduces it, -1: standard
    form *forms;
    size_t n_pool, room_pool;
    uint32_t *mon, *value;
    uint64_t *sum; // by monomial, of the form under way
    uint32_t n_touched, room_touched, *touched;
    uint32_t n_stack, room_stack, *stack;
    uint32_t *tail, *other; // numbers of the monomials of a multiple; of one in an S-polynomial
    bool too_large;         // a degree exceeds CT_EXPONENT_MAX: no result counts any more
};

static void rehash(ct_normal_forms *nf) {
    ct_free(nf->slots);
    nf->n_slots = nf->n_slots ? 2 * nf->n_slots : 1024;
    nf->slots = ct_alloc(nf->n_slots, sizeof *nf->slots);
    for (uint32_t i = 0; i < nf->n; i++) {
        uint64_t s = nf->hash[i];
        while (nf->slots[s & (nf->n_slots - 1)]) s++;
        nf->slots[s & (nf->n_slots - 1)] = i + 1;
    }
}

static void grow(ct_normal_forms *nf) {
    nf->room = nf->room ? 2 * nf->room : 512;
    nf->exps = ct_realloc(nf->exps, nf->room * (size_t)nf->ring->n, sizeof *nf->exps);
    nf->hash = ct_realloc(nf->hash, nf->room, sizeof *nf->hash);
    nf->divisor = ct_realloc(nf->divisor, nf->room, sizeof *nf->divisor);
    nf->forms = ct_realloc(nf->forms, nf->room, sizeof *nf->forms);
    nf->sum = ct_realloc(nf->sum, nf->room, sizeof *nf->sum);
}

static inline bool is_equal(size_t n, const uint32_t *a, const uint32_t *b) {
    size_t k = 0;
    while (k < n && a[k] == b[k]) k++;
    return k == n;
}

static uint32_t number(ct_normal_forms *nf, const uint32_t *e, uint64_t hash) {
    size_t n = (size_t)nf->ring->n;
    if (2 * nf->n >= nf->n_slots) rehash(nf);
    uint64_t s = hash;
    for (; nf->slots[s & (nf->n_slots - 1)]; s++) {
        uint32_t i = nf->slots[s & (nf->n_slots - 1)] - 1;
        if (nf->hash[i] == hash && is_equal(n, nf->exps + i * n, e)) return i;
    }
    if (nf->n == nf->room) grow(nf);
    uint32_t i = nf->n++;
    nf->slots[s & (nf->n_slots - 1)] = i + 1;
    memcpy(nf->exps + i * n, e, n * sizeof *e);
    nf->hash[i] = hash;
    nf->divisor[i] = ct_find_divisor(nf->ring, nf->basis, e);
    nf->forms[i] = (form){-1, 0};
    nf->sum[i] = 0;
    return i;
}

// sum += factor * remainder(i), which must be known; sums stay below 2 p^2 < 2^63, undivided
static void add_form(ct_normal_forms *nf, uint32_t i, uint64_t factor) {
    const form *f = &nf->forms[i];
    const uint32_t *mon = nf->mon + f->at, *value = nf->value + f->at;
    uint64_t bound = 2 * (uint64_t)nf->p * nf->p;
    for (int k = 0; k < f->n; k++) {
        uint32_t m = mon[k];
        uint64_t x = nf->sum[m];
        if (!x) *CT_PUSH(nf->touched, nf->n_touched, nf->room_touched) = m;
        x += factor * value[k];
        nf->sum[m] = x >= bound ? x - bound : x;
    }
}

static void add_term(ct_normal_forms *nf, form *f, uint32_t mon, uint32_t value) {
    if (nf->n_pool == nf->room_pool) {
        nf->room_pool = nf->room_pool ? 2 * nf->room_pool : 4096;
        nf->mon = ct_realloc(nf->mon, nf->room_pool, sizeof *nf->mon);
        nf->value = ct_realloc(nf->value, nf->room_pool, sizeof *nf->value);
    }
    nf->mon[nf->n_pool] = mon;
    nf->value[nf->n_pool++] = value;
    f->n++;
}

// The nonzero part of the sum becomes the form; the sum is zero again.
static form take_form(ct_normal_forms *nf) {
    form f = {0, nf->n_pool};
    for (uint32_t k = 0; k < nf->n_touched; k++) {
        uint32_t m = nf->touched[k];
        uint32_t value;
        NMOD_RED2(value, UWORD(0), nf->sum[m], nf->mod); // NMOD_RED shifts a plain 0 too far
        nf->sum[m] = 0;
        if (value) add_term(nf, &f, m, value);
    }
    nf->n_touched = 0;
    return f;
}

// Numbers of the monomials behind the leading one in  up * g.
static void number_tail(ct_normal_forms *nf, const ct_poly *g, const uint32_t *up, uint32_t *out) {
    for (slong k = 1; k < g->n; k++) {
        const uint32_t *t = ct_poly_exps(nf->ring, g, k);
        uint32_t e[CT_UNKNOWNS_MAX];
        uint64_t hash = 0, degree = 0;
        for (int x = 0; x < nf->ring->n; x++) {
            e[x] = t[x] + up[x];
            hash += nf->weight[x] * e[x];
            degree += e[x];
        }
        if (degree > CT_EXPONENT_MAX) nf->too_large = true;
        out[k] = number(nf, e, hash);
    }
}

// True if the remainders of all these are known; pushes what is not.
static bool ready(ct_normal_forms *nf, const uint32_t *tail, slong n) {
    bool all = true;
    for (slong k = 1; k < n; k++) {
        if (nf->forms[tail[k]].n >= 0) continue;
        *CT_PUSH(nf->stack, nf->n_stack, nf->room_stack) = tail[k];
        all = false;
    }
    return all;
}

// Adds the remainder of a monomial that element i reduces, whose tail is `tail`.
static void add_tail(ct_normal_forms *nf, int i, const uint32_t *tail) {
    const ct_poly *g = &nf->basis->p[i];
    for (slong k = 1; k < g->n; k++) add_form(nf, tail[k], nf->tails[i][k]);
}

// Remainders of all that is on the stack: a stack of our own, because chains can be as long as
// exponents are large.
static void solve(ct_normal_forms *nf) {
    while (nf->n_stack && !nf->too_large) {
        uint32_t i = nf->stack[nf->n_stack - 1];
        if (nf->forms[i].n >= 0) {
            nf->n_stack--;
            continue;
        }
        if (nf->divisor[i] < 0) {
            form f = {0, nf->n_pool};
            add_term(nf, &f, i, 1);
            nf->forms[i] = f;
            continue;
        }
        const ct_poly *g = &nf->basis->p[nf->divisor[i]];
        uint32_t up[CT_UNKNOWNS_MAX];
        for (int x = 0; x < nf->ring->n; x++)
            up[x] = nf->exps[(size_t)i * (size_t)nf->ring->n + (size_t)x] - g->exps[x];
        number_tail(nf, g, up, nf->tail);
        if (!ready(nf, nf->tail, g->n)) continue;
        add_tail(nf, nf->divisor[i], nf->tail);
        nf->forms[i] = take_form(nf);
    }
}

ct_normal_forms *ct_normal_forms_new(const ct_ring *ring, const ct_polys *basis, uint32_t prime) {
    ct_normal_forms *nf = ct_alloc(1, sizeof *nf);
    nf->ring = ring;
    nf->basis = basis;
    nf->p = prime;
    nmod_init(&nf->mod, prime);
    // tails over the leading coefficients, in one block
    slong terms = ct_polys_terms(basis);
    nf->tails = ct_alloc((size_t)basis->n + 1, sizeof *nf->tails);
    uint32_t *next = ct_realloc(NULL, (size_t)terms + 1, sizeof *next);
    nf->tails[0] = next;
    for (int i = 0; i < basis->n; i++) {
        const ct_poly *g = &basis->p[i];
        ulong inverse = prime - n_invmod(fmpz_get_ui(g->coefs), prime);
        nf->tails[i] = next;
        for (slong k = 0; k < g->n; k++)
            *next++ = (uint32_t)nmod_mul(fmpz_get_ui(g->coefs + k), inverse, nf->mod);
    }
    // weights of the hash: xorshift
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < ring->n; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        nf->weight[k] = x >> 8 | 1;
    }
    // room for the longest tail
    slong longest = 0;
    for (int i = 0; i < basis->n; i++)
        if (basis->p[i].n > longest) longest = basis->p[i].n;
    nf->tail = ct_alloc((size_t)longest, sizeof *nf->tail);
    nf->other = ct_alloc((size_t)longest, sizeof *nf->other);
    return nf;
}

void ct_normal_forms_free(ct_normal_forms *nf) {
    if (!nf) return;
    ct_free(nf->tails[0]);
    ct_free(nf->tails);
    ct_free(nf->slots);
    ct_free(nf->exps);
    ct_free(nf->hash);
    ct_free(nf->divisor);
    ct_free(nf->forms);
    ct_free(nf->mon);
    ct_free(nf->value);
    ct_free(nf->tail);
    ct_free(nf->other);
    ct_free(nf->sum);
    ct_free(nf->touched);
    ct_free(nf->stack);
    ct_free(nf);
}

// Returns true if element i, too, reduces monomial m, which it divides, to its remainder.
static bool agrees(ct_normal_forms *nf, uint32_t m, int i) {
    if (nf->divisor[m] == i) return true;
    const ct_poly *g = &nf->basis->p[i];
    uint32_t up[CT_UNKNOWNS_MAX];
    for (int x = 0; x < nf->ring->n; x++)
        up[x] = nf->exps[(size_t)m * (size_t)nf->ring->n + (size_t)x] - g->exps[x];
    number_tail(nf, g, up, nf->other);
    if (!ready(nf, nf->other, g->n)) solve(nf); // all remainders first: the sum is shared
    if (nf->too_large) return false;
    add_tail(nf, i, nf->other);
    add_form(nf, m, nf->p - 1);
    return take_form(nf).n == 0;
}

bool ct_normal_forms_pair(ct_normal_forms *nf, int i, int j) {
    // both reduce the least common multiple as the element does that its remainder comes from
    const uint32_t *a = nf->basis->p[i].exps, *b = nf->basis->p[j].exps;
    uint32_t l[CT_UNKNOWNS_MAX];
    uint64_t hash = 0, degree = 0;
    for (int x = 0; x < nf->ring->n; x++) {
        l[x] = a[x] > b[x] ? a[x] : b[x];
        hash += nf->weight[x] * l[x];
        degree += l[x];
    }
    if (degree > CT_EXPONENT_MAX) return false;
    uint32_t m = number(nf, l, hash);
    if (nf->forms[m].n < 0) {
        *CT_PUSH(nf->stack, nf->n_stack, nf->room_stack) = m;
        solve(nf);
    }
    return !nf->too_large && agrees(nf, m, i) && agrees(nf, m, j);
}
