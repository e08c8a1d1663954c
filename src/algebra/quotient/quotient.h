// The quotient of a zero-dimensional ideal as a vector space with multiplications, modulo primes.
// The shape is found once; only the arithmetic is repeated for each prime.
#ifndef CT_QUOTIENT_H
#define CT_QUOTIENT_H

#include "algebra/poly/guard.h"

typedef struct ct_quotient {
    const ct_ring *ring;
    const ct_polys *basis;
    slong d;          // standard monomials
    uint32_t *exps;   // increasing
    slong n_border;   // x_k * standard that are not standard
    uint32_t *border; // increasing
    slong *product;   // [k * d + i]: x_k * standard i, as standard j or d + border j
    slong *lead;      // border j is the lead of this element, or -1
    slong *from;      // else border j = x_by * border `from`
    int *by;
    slong **terms; // of each element: standard monomial of each tail term
} ct_quotient;

// False: not zero-dimensional, or not a reduced basis.
bool ct_quotient_init(ct_quotient *q, const ct_ring *ring, const ct_polys *basis);
void ct_quotient_clear(ct_quotient *q);
// Coordinates of every border monomial, [j * d + i]; false: p divides a leading coefficient, or a
// limit struck.
bool ct_quotient_border(const ct_quotient *q, ct_guard *guard, uint32_t p, uint32_t *forms);

#endif
