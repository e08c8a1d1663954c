// Chinese remainders and rational reconstruction. A coefficient n/d counts as found when the bits
// of n and d leave a margin below those of the modulus, which a wrong one passes with probability
// 2^-margin. One witness coefficient is tried first; within a polynomial each denominator found is
// tried on the next coefficient, so that most need a multiplication only.
#include "algebra/groebner/lift.h"

#include <flint/fmpz_vec.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 40 // bits

void ct_lift_init(ct_lift *l, slong n) {
    *l = (ct_lift){.n = n};
}

void ct_lift_clear(ct_lift *l) {
    for (int i = 0; i < l->n_primes; i++) free(l->residues[i]);
    free(l->residues);
    free(l->primes);
}

void ct_lift_add(ct_lift *l, uint32_t prime, const uint32_t *residues, slong stride) {
    if (l->n_primes == l->room) {
        l->room = l->room ? 2 * l->room : 32;
        l->primes = ct_realloc(l->primes, (size_t)l->room, sizeof *l->primes);
        l->residues = ct_realloc(l->residues, (size_t)l->room, sizeof *l->residues);
    }
    uint32_t *copy = ct_alloc((size_t)l->n, sizeof *copy);
    for (slong k = 0; k < l->n; k++) copy[k] = residues[k * stride];
    l->primes[l->n_primes] = prime;
    l->residues[l->n_primes++] = copy;
}

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

// x (mod M) = n / (d e) with d the common denominator so far; numerators[0..k) grow with it.
static bool next_numerator(fmpz *numerators, slong k, fmpz_t d, const fmpz_t x,
                           const fmpz_t modulus) {
    fmpz *n = numerators + k;
    fmpz_mul(n, x, d);
    fmpz_smod(n, n, modulus);
    if (plausible(n, d, modulus)) return true;
    fmpq_t q;
    fmpq_init(q);
    bool ok = reconstruct(q, n, modulus);
    if (ok) {
        fmpz_set(n, fmpq_numref(q));
        fmpz_mul(d, d, fmpq_denref(q));
        for (slong i = 0; i < k; i++) fmpz_mul(numerators + i, numerators + i, fmpq_denref(q));
        ok = plausible(n, d, modulus);
    }
    fmpq_clear(q);
    return ok;
}

typedef struct crt {
    fmpz_comb_t comb;
    fmpz_comb_temp_t temp;
    fmpz_t modulus, x;
    ulong *primes, *column;
} crt;

static void crt_init(crt *c, const ct_lift *l) {
    size_t n = (size_t)l->n_primes;
    c->primes = ct_alloc(n, sizeof *c->primes);
    c->column = ct_alloc(n, sizeof *c->column);
    fmpz_init_set_ui(c->modulus, 1);
    fmpz_init(c->x);
    for (size_t i = 0; i < n; i++) {
        c->primes[i] = l->primes[i];
        fmpz_mul_ui(c->modulus, c->modulus, l->primes[i]);
    }
    fmpz_comb_init(c->comb, c->primes, (slong)n);
    fmpz_comb_temp_init(c->temp, c->comb);
}

static void crt_clear(crt *c) {
    fmpz_comb_temp_clear(c->temp);
    fmpz_comb_clear(c->comb);
    fmpz_clear(c->modulus);
    fmpz_clear(c->x);
    free(c->primes);
    free(c->column);
}

static void crt_value(crt *c, const ct_lift *l, slong k) {
    for (int i = 0; i < l->n_primes; i++) c->column[i] = l->residues[i][k];
    fmpz_multi_CRT_ui(c->x, c->column, c->comb, c->temp, 1);
}

static bool witness_found(crt *c, const ct_lift *l) {
    fmpq_t q;
    fmpq_init(q);
    crt_value(c, l, l->witness);
    bool ok = reconstruct(q, c->x, c->modulus);
    fmpq_clear(q);
    return ok;
}

// One polynomial of n coefficients from number `first` on; false sets the witness.
static bool lift_poly(ct_lift *l, crt *c, slong first, fmpz *numerators, slong n) {
    fmpz_t d;
    fmpz_init_set_ui(d, 1);
    bool ok = true;
    for (slong k = n; k-- > 0 && ok;) { // the constant end first: its denominators are the largest
        crt_value(c, l, first + k);
        ok = next_numerator(numerators, n - 1 - k, d, c->x, c->modulus);
        if (!ok) l->witness = first + k;
    }
    fmpz_clear(d);
    return ok;
}

bool ct_lift_try(ct_lift *l, const ct_ring *ring, ct_polys *out, const ct_polys *shape) {
    if (!l->n) return true;
    if (!l->n_primes || l->n_primes < l->next_try) return false;
    l->next_try = l->n_primes + l->n_primes / (l->n_primes < 500 ? 16 : 3); // attempts grow dear
    crt c;
    crt_init(&c, l);
    bool ok = witness_found(&c, l);
    slong first = 0;
    for (int i = 0; i < shape->n && ok; i++) {
        const ct_poly *s = &shape->p[i];
        fmpz *numerators = _fmpz_vec_init(s->n);
        ok = lift_poly(l, &c, first, numerators, s->n);
        ct_poly *f = ct_polys_add(out);
        for (slong k = 0; ok && k < s->n; k++)
            ct_poly_push(ring, f, ct_poly_exps(ring, s, k), numerators + s->n - 1 - k);
        ct_poly_canonical(ring, f);
        _fmpz_vec_clear(numerators, s->n);
        first += s->n;
    }
    crt_clear(&c);
    if (!ok) ct_polys_clear(ring, out);
    return ok;
}
