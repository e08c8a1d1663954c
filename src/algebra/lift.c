// Chinese remainders and rational reconstruction. A number n/d counts as found when the bits of n
// and d leave a margin below those of the modulus, which a wrong one passes with probability
// 2^-margin. The number that failed last is tried first; within a group the denominator found so
// far is tried on the next number, so that most need a multiplication only.
#include "algebra/lift.h"
#include "util/flint.h"

#include <flint/fmpq.h>
#include <flint/fmpz_vec.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN       40          // bits by which a number is smaller than chance would make it
#define FIRST_PRIME  (1UL << 59) // sums of 255 products fit into two words
#define PRIME_BITS   60
#define MANY_PRIMES  500 // from here on an attempt costs more than some primes
#define MOST_UNLUCKY 100 // primes, before it is a defect of the caller

void ct_lift_init(ct_lift *l, int n_groups, const slong *sizes, ct_limits *limits) {
    *l = (ct_lift){.n_groups = n_groups, .limits = limits};
    l->sizes = ct_alloc((size_t)n_groups + 1, sizeof *l->sizes);
    for (int g = 0; g < n_groups; g++) l->n += l->sizes[g] = sizes[g];
    l->witness = l->n - 1;
    l->values = _fmpz_vec_init(l->n);
    l->denominators = _fmpz_vec_init(n_groups);
    for (int g = 0; g < n_groups; g++) fmpz_one(l->denominators + g);
    fmpz_init_set_ui(l->modulus, 1);
    fmpz_init(l->remainder);
}

void ct_lift_clear(ct_lift *l) {
    for (int i = 0; i < l->n_primes; i++) ct_free(l->residues[i]);
    _fmpz_vec_clear(l->values, l->n);
    _fmpz_vec_clear(l->denominators, l->n_groups);
    fmpz_clear(l->modulus);
    fmpz_clear(l->remainder);
    ct_free(l->sizes);
    ct_free(l->residues);
    ct_free(l->primes);
    *l = (ct_lift){0};
}

void ct_lift_add(ct_lift *l, ulong prime, const ulong *residues) {
    if (l->n_primes == l->room) {
        l->room = l->room ? 2 * l->room : 32;
        l->primes = ct_realloc(l->primes, (size_t)l->room, sizeof *l->primes);
        l->residues = ct_realloc(l->residues, (size_t)l->room, sizeof *l->residues);
    }
    ulong *copy = ct_alloc((size_t)l->n + 1, sizeof *copy);
    memcpy(copy, residues, (size_t)l->n * sizeof *copy);
    l->primes[l->n_primes] = prime;
    l->residues[l->n_primes++] = copy;
}

// remainders -------------------------------------------------------------------------------------
typedef struct crt {
    fmpz_comb_t comb;
    fmpz_comb_temp_t temp;
    fmpz_t x;
    ulong *column;
} crt;

static void crt_init(crt *c, const ct_lift *l) {
    c->column = ct_alloc((size_t)l->n_primes, sizeof *c->column);
    fmpz_init(c->x);
    fmpz_comb_init(c->comb, l->primes, l->n_primes);
    fmpz_comb_temp_init(c->temp, c->comb);
}

static void crt_clear(crt *c) {
    fmpz_comb_temp_clear(c->temp);
    fmpz_comb_clear(c->comb);
    fmpz_clear(c->x);
    ct_free(c->column);
}

static void crt_value(crt *c, const ct_lift *l, slong k) {
    for (int i = 0; i < l->n_primes; i++) c->column[i] = l->residues[i][k];
    fmpz_multi_CRT_ui(c->x, c->column, c->comb, c->temp, 1);
}

// reconstruction ---------------------------------------------------------------------------------
// n / d for an arbitrary residue is that small with probability 2^-MARGIN. A denominator that is
// known beforehand does not count: d is 1 then.
static bool plausible(const fmpz_t n, const fmpz_t d, const fmpz_t modulus) {
    return fmpz_bits(n) + fmpz_bits(d) + MARGIN < fmpz_bits(modulus);
}

static bool reconstruct(fmpq_t q, const fmpz_t value, const fmpz_t modulus) {
    fmpz_t v;
    fmpz_init(v);
    fmpz_smod(v, value, modulus);
    fmpq_set_fmpz(q, v);
    bool ok = plausible(fmpq_numref(q), fmpq_denref(q), modulus); // an integer, seen at once
    if (!ok) {
        fmpz_mod(v, v, modulus);
        ok = fmpq_reconstruct_fmpz(q, v, modulus) &&
             plausible(fmpq_numref(q), fmpq_denref(q), modulus);
    }
    fmpz_clear(v);
    return ok;
}

// One prime after the other, which is cheap for one number.
static void follow_witness(ct_lift *l) {
    for (; l->followed < l->n_primes; l->followed++) {
        ulong p = l->primes[l->followed], r = l->residues[l->followed][l->witness];
        fmpz_CRT_ui(l->remainder, l->remainder, l->modulus, r, p, 1);
        fmpz_mul_ui(l->modulus, l->modulus, p);
    }
}

static void change_witness(ct_lift *l, slong witness) {
    l->witness = witness;
    l->followed = 0;
    fmpz_one(l->modulus);
    fmpz_zero(l->remainder);
    follow_witness(l);
}

// Bits of the witness; 0 if it cannot be reconstructed yet.
static slong witness_bits(ct_lift *l) {
    fmpq_t q;
    fmpq_init(q);
    follow_witness(l);
    bool ok = reconstruct(q, l->remainder, l->modulus);
    slong bits = (slong)(fmpz_bits(fmpq_numref(q)) + fmpz_bits(fmpq_denref(q)));
    fmpq_clear(q);
    return ok ? bits : 0;
}

// values[0] = x d for the common denominator d so far; where that is no integer, d and the n - 1
// values after it, which have been found, grow.
static bool next_numerator(fmpz *values, slong n, fmpz_t d, const fmpz_t x, const fmpz_t modulus) {
    fmpz_mul(values, x, d);
    fmpq_t q;
    fmpq_init(q);
    bool ok = reconstruct(q, values, modulus);
    if (ok) fmpz_set(values, fmpq_numref(q));
    if (ok && !fmpz_is_one(fmpq_denref(q))) {
        fmpz_mul(d, d, fmpq_denref(q));
        for (slong i = 1; i < n; i++) fmpz_mul(values + i, values + i, fmpq_denref(q));
    }
    fmpq_clear(q);
    return ok;
}

// Group g, whose numbers start at `first`; false sets the witness.
static bool lift_group(ct_lift *l, crt *c, int g, slong first) {
    fmpz *d = l->denominators + g;
    fmpz_one(d);
    for (slong k = l->sizes[g]; k-- > 0;) {
        crt_value(c, l, first + k);
        if (next_numerator(l->values + first + k, l->sizes[g] - k, d, c->x, l->modulus)) continue;
        change_witness(l, first + k);
        return false;
    }
    return true;
}

bool ct_lift_confirms(const ct_lift *l, ulong prime, const ulong *residues) {
    nmod_t mod;
    nmod_init(&mod, prime);
    slong i = 0;
    for (int g = 0; g < l->n_groups; g++) {
        ulong d = fmpz_fdiv_ui(l->denominators + g, prime);
        for (slong k = 0; k < l->sizes[g]; k++, i++)
            if (fmpz_fdiv_ui(l->values + i, prime) != nmod_mul(residues[i], d, mod)) return false;
    }
    return true;
}

// Group by group, from all primes.
static bool lift_all(ct_lift *l) {
    crt c;
    crt_init(&c, l);
    bool ok = true;
    slong first = 0;
    for (int g = 0; g < l->n_groups && ok; first += l->sizes[g++]) ok = lift_group(l, &c, g, first);
    crt_clear(&c);
    return ok;
}

// small numbers ----------------------------------------------------------------------------------
// The same from two primes whose product fits into a word, without margin: the other primes decide.
typedef struct pair_of_primes {
    nmod_t second, product;
    ulong first, inverse; // of the first modulo the second
    ulong bound;          // of numerators and denominators: 2 bound^2 < product
} pair_of_primes;

// values[0] = x d, as in next_numerator.
static bool next_small(fmpz *values, slong n, ulong *d, ulong x, const pair_of_primes *m) {
    ulong r0 = m->product.n, r1 = nmod_mul(x, *d, m->product), bound = m->bound;
    if (r0 - r1 <= bound) return fmpz_set_si(values, -(slong)(r0 - r1)), true;
    // Euclid: r1 = t1 x d modulo the product, until r1 is small
    slong t0 = 0, t1 = 1;
    while (r1 > bound) {
        ulong q = r0 / r1, r = r0 - q * r1;
        slong t = t0 - (slong)q * t1;
        r0 = r1, r1 = r, t0 = t1, t1 = t;
    }
    ulong by = (ulong)labs(t1);
    if (by > bound || by * *d > bound || n_gcd(by, r1) != 1) return false;
    fmpz_set_si(values, t1 < 0 ? -(slong)r1 : (slong)r1);
    if (by == 1) return true;
    *d *= by;
    for (slong i = 1; i < n; i++) fmpz_mul_ui(values + i, values + i, by);
    return true;
}

static bool lift_small(ct_lift *l) {
    pair_of_primes m = {.first = l->primes[0]};
    nmod_init(&m.second, l->primes[1]);
    nmod_init(&m.product, l->primes[0] * l->primes[1]);
    m.inverse = n_invmod(m.first % m.second.n, m.second.n);
    m.bound = n_sqrt(m.product.n / 2) - 1;
    slong at = 0;
    for (int g = 0; g < l->n_groups; at += l->sizes[g++]) {
        ulong d = 1;
        for (slong k = l->sizes[g]; k-- > 0;) {
            // Chinese remainders: x = a + first ((b - a) / first modulo second)
            ulong a = l->residues[0][at + k], b = l->residues[1][at + k];
            ulong e = nmod_sub(b, a % m.second.n, m.second);
            ulong x = a + m.first * nmod_mul(e, m.inverse, m.second);
            if (!next_small(l->values + at + k, l->sizes[g] - k, &d, x, &m)) return false;
        }
        fmpz_set_ui(l->denominators + g, d);
    }
    for (int i = 2; i < l->n_primes; i++)
        if (!ct_lift_confirms(l, l->primes[i], l->residues[i])) return false;
    return true;
}

// Two primes fit into a word, and the others are proof enough of numbers with so many bits.
static bool may_be_small(const ct_lift *l, slong bits) {
    slong word = 0, proof = 0;
    for (int i = 0; i < l->n_primes; i++)
        *(i < 2 ? &word : &proof) += FLINT_BIT_COUNT(l->primes[i]);
    return word < FLINT_BITS - 1 && bits + 2 < word && proof > word + 2 * MARGIN;
}

bool ct_lift_try(ct_lift *l) {
    if (!l->n) return true;
    if (!l->n_primes || l->n_primes < l->next_try) return false;
    // numbers of one word in the first attempt: it costs little, and needs no long numbers
    if (!l->followed && may_be_small(l, 0) && lift_small(l)) return true;
    // the witness first; the next attempt waits for a share of primes, larger as attempts grow dear
    bool few = l->n_primes < MANY_PRIMES;
    l->next_try = l->n_primes + l->n_primes / (few ? 16 : 8);
    slong bits = witness_bits(l);
    if (!bits) return false;
    // small numbers from two primes, confirmed by the others; else all numbers from all of them
    l->next_try = l->n_primes + l->n_primes / (few ? 32 : 3);
    return (may_be_small(l, bits) && lift_small(l)) || lift_all(l);
}

// primes of sixty bits ---------------------------------------------------------------------------
ulong ct_lift_prime(ulong after) {
    return n_nextprime(after ? after : FIRST_PRIME, 0);
}

static ct_status collect(ct_context *ctx, ct_lift *l, const ct_residues *residues, ulong *row) {
    ulong p = 0;
    int unlucky = 0;
    for (bool found = false;;) {
        ct_status s = ct_limits_check(ctx, l->limits, residues->what);
        if (s) return s;
        p = ct_lift_prime(p);
        if (!residues->modulo(residues->data, p, row)) {
            if (++unlucky <= MOST_UNLUCKY) continue;
            return ct_fail(ctx, CT_INTERNAL, "no prime is lucky (%s)", residues->what);
        }
        if (found && ct_lift_confirms(l, p, row)) return CT_OK;
        ct_lift_add(l, p, row);
        found = ct_lift_try(l);
    }
}

ct_status ct_lift_rationals(ct_context *ctx, ct_lift *l, const ct_residues *residues) {
    ulong *row = ct_scratch((size_t)l->n + 1, sizeof *row);
    l->next_try = 2 + (int)(residues->bits / PRIME_BITS);
    ct_limits_progress(l->limits, residues->what, 0);
    return collect(ctx, l, residues, row);
}
