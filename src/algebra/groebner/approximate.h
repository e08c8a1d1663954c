// Gröbner bases of inexact systems: bracket coefficients (value and error bound, zero where the
// bound reaches the value; Shirayanagi), precision raised until shape and digits settle. For small
// systems.
#ifndef CT_APPROXIMATE_H
#define CT_APPROXIMATE_H

#include "algebra/algebra.h"
#include "algebra/solve/roots.h"

typedef struct ct_bracket_poly {
    slong n;        // terms, decreasing; monic
    uint32_t *exps; // [n * unknowns]
    arb_ptr c;      // brackets: midpoint and radius
} ct_bracket_poly;
typedef struct ct_brackets {
    int n, room;
    ct_bracket_poly *p; // leading monomials increasing
    slong bits;         // precision at which it settled
} ct_brackets;

typedef struct ct_approximate_options {
    int digits;     // coefficients are known to this many significant decimal digits, 0: exactly
    int want;       // digits wanted of the result (where the data allow it), 0: 10
    double seconds; // 0: no limit
    volatile sig_atomic_t *stop;
} ct_approximate_options;

// The reduced basis in the order of the ring. A coefficient with more digits than known is rounded
// to them, give or take half a unit of the last one. CT_NUMERICS: not settled at the highest
// precision, or out of time. options may be NULL.
ct_status ct_groebner_approximate(ct_context *ctx, const ct_ring *ring, ct_brackets *out,
                                  const ct_polys *in, const ct_approximate_options *options);
void ct_brackets_clear(ct_brackets *b);
// "y^2 - 8.5000028*y + 4.0000033", to that many digits or as many as are known.
void ct_brackets_print(const ct_ring *ring, ct_text *out, const ct_bracket_poly *f, int digits);

#endif
