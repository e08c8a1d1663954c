// One number per monomial: a hash table with additive hashes and divisor masks.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>
#include <string.h>

void f4_monomials_init(f4_monomials *t, const ct_ring *ring, ct_limits *limits) {
    *t = (f4_monomials){
        .ring = ring, .limits = limits, .stride = (uint32_t)ring->n + 1, .n_slots = 1024};
    t->slots = ct_alloc(t->n_slots, sizeof *t->slots);
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < ring->n; k++) { // weights: xorshift
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        t->weight[k] = (uint32_t)(x >> 16) | 1;
    }
    // degree and exponents of a monomial in one word, in the usual order
    if (ring->n_blocks == 1 && ring->blocks[0].order == CT_DEGREVLEX)
        t->key_bits = 64 / t->stride < 32 ? 64 / t->stride : 31;
    uint32_t one[CT_UNKNOWNS_MAX] = {0};
    f4_monomial(t, one);
}

void f4_monomials_clear(f4_monomials *t) {
    ct_free(t->exps);
    ct_free(t->hash);
    ct_free(t->mask);
    ct_free(t->reducer);
    ct_free(t->scanned);
    ct_free(t->column);
    ct_free(t->slots);
}

static void grow(f4_monomials *t) {
    t->room = t->room ? 2 * t->room : 512;
    t->exps = ct_realloc(t->exps, (size_t)t->room * t->stride, sizeof *t->exps);
    t->hash = ct_realloc(t->hash, t->room, sizeof *t->hash);
    t->mask = ct_realloc(t->mask, t->room, sizeof *t->mask);
    t->reducer = ct_realloc(t->reducer, t->room, sizeof *t->reducer);
    t->scanned = ct_realloc(t->scanned, t->room, sizeof *t->scanned);
    t->column = ct_realloc(t->column, t->room, sizeof *t->column);
}

static void rehash(f4_monomials *t) {
    t->n_slots *= 2;
    ct_free(t->slots);
    t->slots = ct_alloc(t->n_slots, sizeof *t->slots);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t s = t->hash[i] & (t->n_slots - 1);
        while (t->slots[s]) s = (s + 1) & (t->n_slots - 1);
        t->slots[s] = i + 1;
    }
}

// Bits for "exponent >= 1, >= 2, ..." of each unknown, as many as fit into 32.
static uint32_t divisor_mask(const f4_monomials *t, const uint32_t *e) {
    uint32_t n = t->stride - 1, per = n >= 32 ? 1 : 32 / n, mask = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t bits = e[k] < per ? e[k] : per; // that many ones
        mask |= (uint32_t)((UINT64_C(1) << bits) - 1) << (k * per % 32);
    }
    return mask;
}

static inline bool is_equal(const f4_monomials *t, uint32_t i, const uint32_t *e) {
    const uint32_t *x = t->exps + (size_t)i * t->stride;
    uint32_t k = 0;
    while (k < t->stride && x[k] == e[k]) k++;
    return k == t->stride;
}

// The number of the monomial in `scratch` (degree and exponents) with this hash.
static uint32_t intern(f4_monomials *t, uint32_t hash) {
    const uint32_t *e = t->scratch;
    uint32_t s = hash & (t->n_slots - 1);
    for (; t->slots[s]; s = (s + 1) & (t->n_slots - 1)) {
        uint32_t i = t->slots[s] - 1;
        if (t->hash[i] == hash && is_equal(t, i, e)) return i;
    }
    if (e[0] > CT_EXPONENT_MAX) ct_limits_strike(t->limits, CT_LIMIT_EXPONENT);
    if (e[0] >> t->key_bits) t->key_bits = 0;
    if (t->count == t->room) grow(t);
    uint32_t i = t->count++;
    memcpy(t->exps + (size_t)i * t->stride, e, t->stride * sizeof *e);
    t->hash[i] = hash;
    t->mask[i] = divisor_mask(t, e + 1);
    t->reducer[i] = t->column[i] = F4_NONE;
    t->scanned[i] = 0;
    t->slots[s] = i + 1;
    if (2 * t->count > t->n_slots) rehash(t);
    return i;
}

static uint32_t intern_scratch(f4_monomials *t) {
    uint32_t hash = 0, degree = 0;
    for (uint32_t k = 1; k < t->stride; k++) {
        hash += t->weight[k - 1] * t->scratch[k];
        degree += t->scratch[k];
    }
    t->scratch[0] = degree;
    return intern(t, hash);
}

uint32_t f4_monomial(f4_monomials *t, const uint32_t *exps) {
    memcpy(t->scratch + 1, exps, (t->stride - 1) * sizeof *exps);
    return intern_scratch(t);
}

// Degrees stay below 2^30 each, so that the sum cannot wrap before it is found too large.
uint32_t f4_monomial_product(f4_monomials *t, uint32_t a, uint32_t b) {
    const uint32_t *x = t->exps + (size_t)a * t->stride, *y = t->exps + (size_t)b * t->stride;
    for (uint32_t k = 0; k < t->stride; k++) t->scratch[k] = x[k] + y[k];
    return intern(t, t->hash[a] + t->hash[b]);
}

// Degrevlex: the degree first, then the smaller last exponent is the greater.
uint64_t f4_monomial_key(const f4_monomials *t, uint32_t a) {
    const uint32_t *e = t->exps + (size_t)a * t->stride;
    uint64_t most = (UINT64_C(1) << t->key_bits) - 1, key = e[0];
    for (uint32_t k = t->stride - 1; k > 0; k--) key = key << t->key_bits | (most - e[k]);
    return key;
}

uint32_t f4_monomial_quotient(f4_monomials *t, uint32_t a, uint32_t b) {
    const uint32_t *x = t->exps + (size_t)a * t->stride, *y = t->exps + (size_t)b * t->stride;
    for (uint32_t k = 0; k < t->stride; k++) t->scratch[k] = x[k] - y[k];
    return intern(t, t->hash[a] - t->hash[b]);
}

uint32_t f4_monomial_lcm(f4_monomials *t, uint32_t a, uint32_t b) {
    const uint32_t *x = t->exps + (size_t)a * t->stride, *y = t->exps + (size_t)b * t->stride;
    for (uint32_t k = 1; k < t->stride; k++) t->scratch[k] = x[k] > y[k] ? x[k] : y[k];
    return intern_scratch(t);
}

bool f4_monomial_divides(const f4_monomials *t, uint32_t a, uint32_t b) {
    if (t->mask[a] & ~t->mask[b]) return false;
    const uint32_t *x = t->exps + (size_t)a * t->stride, *y = t->exps + (size_t)b * t->stride;
    for (uint32_t k = 0; k < t->stride; k++)
        if (x[k] > y[k]) return false;
    return true;
}

bool f4_monomial_coprime(const f4_monomials *t, uint32_t a, uint32_t b) {
    const uint32_t *x = f4_exps(t, a), *y = f4_exps(t, b);
    for (uint32_t k = 0; k + 1 < t->stride; k++)
        if (x[k] && y[k]) return false;
    return true;
}
