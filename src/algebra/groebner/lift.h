// From residues modulo many primes to rational numbers, for lists of monic polynomials of one
// shape.
#ifndef CT_LIFT_H
#define CT_LIFT_H

#include "algebra/poly/guard.h"

typedef struct ct_lift {
    slong n; // coefficients
    int n_primes, room;
    uint32_t *primes;
    uint32_t **residues; // residues[prime][coefficient]
    slong witness;       // the coefficient that failed last
    int next_try;        // primes before which no attempt is worth its cost
} ct_lift;

void ct_lift_init(ct_lift *l, slong n);
void ct_lift_clear(ct_lift *l);
void ct_lift_add(ct_lift *l, uint32_t prime, const uint32_t *residues, slong stride);
// The polynomials, primitive, with the exponents of `shape` if the primes suffice (false: go on).
bool ct_lift_try(ct_lift *l, const ct_ring *ring, ct_polys *out, const ct_polys *shape);

#endif
