// Rational numbers from their residues modulo many primes: Chinese remainders, then rational
// reconstruction. The numbers come in groups with a common denominator each, as the coefficients of
// a monic polynomial do; nothing here knows polynomials.
#ifndef CT_LIFT_H
#define CT_LIFT_H

#include "algebra/limits.h"

#include <flint/fmpz.h>

typedef struct ct_lift {
    int n_groups;
    slong *sizes; // numbers in each group
    slong n;      // in all
    ct_limits *limits;
    int n_primes, room;
    ulong *primes;
    ulong **residues;   // [prime][number]
    slong witness;      // the number that failed last
    int followed;       // primes that these hold:
    fmpz_t modulus;     // their product,
    fmpz_t remainder;   // and the witness modulo it
    int next_try;       // primes before which no attempt is worth its cost
    fmpz *values;       // [number]: after ct_lift_try, number i of group g is
    fmpz *denominators; // values[i] / denominators[g]
} ct_lift;

// Attempts start with the last number of a group: that with the largest denominator (the constant
// coefficient of a polynomial) is best put there. `limits` may be NULL.
void ct_lift_init(ct_lift *l, int n_groups, const slong *sizes, ct_limits *limits);
void ct_lift_clear(ct_lift *l);
void ct_lift_add(ct_lift *l, ulong prime, const ulong *residues);
// Computes values and denominators. Returns false if more primes are needed. A wrong number passes
// with probability 2^-40.
bool ct_lift_try(ct_lift *l);
// Returns true if the values found have these residues modulo a prime that was not added.
bool ct_lift_confirms(const ct_lift *l, ulong prime, const ulong *residues);

// A lift with primes of some 60 bits. `residues` fills out[n] modulo p, false: an unlucky prime.
// The result has been confirmed by a prime that it does not rest on. `bits`: a guess at the size of
// the result, 0: none. `what` names it in messages.
typedef struct ct_residues {
    bool (*modulo)(void *data, ulong p, ulong *out);
    void *data;
    slong bits;
    const char *what;
} ct_residues;
ct_status ct_lift_rationals(ct_context *ctx, ct_lift *l, const ct_residues *residues);
ulong ct_lift_prime(ulong after); // the next prime of the sequence, 0: the first one

#endif
