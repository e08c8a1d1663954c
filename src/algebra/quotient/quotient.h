// The quotient of Q[x] by a zero-dimensional ideal: a vector space on the standard monomials with a
// multiplication by each unknown. What it tells modulo word-size primes, lifted to the rationals:
// bases in another order, and the rational univariate representation of the solutions.
#ifndef CT_QUOTIENT_H
#define CT_QUOTIENT_H

#include "algebra/groebner/groebner.h"

#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>

// products of monomials --------------------------------------------------------------------------
// A product x_k * (standard monomial) that is not standard: the leading monomial of a generator, or
// an unknown times a smaller such product.
typedef struct ct_border {
    int generator; // whose leading monomial it is, or -1:
    int unknown;   // this times border `inner`
    slong inner;
} ct_border;
// Found once; then cheap modulo any prime.
typedef struct ct_quotient {
    const ct_ring *ring;
    const ct_polys *basis; // reduced
    slong d;               // standard monomials, increasing: the first is 1
    uint32_t *exps;        // [d * unknowns]
    slong *product;        // [unknown * d + i]: standard monomial, or d + number in the border
    slong n_border, room;
    ct_border *border; // increasing
    uint32_t *border_exps;
    slong **tail; // [generator][term - 1]: standard monomial of every term but the first
} ct_quotient;
// Returns false if there are infinitely many standard monomials, or the basis is not reduced. To be
// cleared in any case.
bool ct_quotient_init(ct_quotient *q, const ct_ring *ring, const ct_polys *basis);
void ct_quotient_clear(ct_quotient *q);
slong ct_quotient_find(const ct_quotient *q,
                       const uint32_t *exps); // standard monomial, -1: not one

// modulo a prime ---------------------------------------------------------------------------------
typedef struct ct_quotient_mod {
    const ct_quotient *q;
    nmod_t mod;
    ulong **normal; // coordinates of each border monomial, found when they are first asked for
    // Long computations are cut short when these strike, with results that mean nothing: callers
    // who set them check them afterwards. NULL: none.
    ct_limits *limits;
} ct_quotient_mod;
// p at most some 2^60. Returns false if p divides a leading coefficient. To be cleared in any case.
bool ct_quotient_mod_init(ct_quotient_mod *m, const ct_quotient *q, ulong p);
void ct_quotient_mod_clear(ct_quotient_mod *m);
// Coordinates of x_k * (standard monomial i) added to v, `by` times.
void ct_quotient_add(ct_quotient_mod *m, ulong *v, int unknown, slong i, ulong by);
// Coordinates out = x_k * v.
void ct_quotient_times(ct_quotient_mod *m, ulong *out, int unknown, const ulong *v);
// Row i of `matrix` [d * d] becomes sum_k weights[k] x_k * (standard monomial i).
void ct_quotient_matrix(ct_quotient_mod *m, const slong *weights, ulong *matrix);
// Characteristic polynomial of that matrix.
void ct_quotient_charpoly(ct_quotient_mod *m, const slong *weights, nmod_poly_t f);
// The matrix of one unknown, from a basis. Returns false if the quotient is not finite, or the
// prime divides a leading coefficient.
bool ct_multiplication_matrix(const ct_ring *ring, const ct_polys *basis, int unknown,
                              uint32_t prime, uint32_t *matrix);

// change of order --------------------------------------------------------------------------------
// From a reduced basis of a zero-dimensional ideal to that in the order of `to` (same unknowns).
ct_status ct_change_order(ct_context *ctx, const ct_ring *to, ct_polys *out, const ct_ring *from,
                          const ct_polys *basis, const ct_groebner_options *options);

// solutions modulo a prime -----------------------------------------------------------------------
typedef struct ct_zeros {
    slong distinct; // solutions, without multiplicity
    bool radical;   // all simple
} ct_zeros;
ct_zeros ct_quotient_zeros(ct_quotient_mod *m);
// t = sum_k weights[k] x_k separates the solutions, and the representation is right for multiple
// ones too.
bool ct_separates(ct_quotient_mod *m, const ct_zeros *zeros, const slong *weights);
// Weights of a separating form: `first` alone if that does (-1: none preferred), then each unknown
// alone from the last to the first, then small combinations. The unknown, or -1 for a combination.
int ct_separating_form(ct_quotient_mod *m, const ct_zeros *zeros, int first, slong *weights);

// rational univariate representation -------------------------------------------------------------
typedef struct ct_rur {
    int n; // unknowns
    slong *weights;
    int variable;          // t is this unknown, -1: a combination
    fmpz_poly_t eliminant; // characteristic polynomial of t, primitive
    fmpz_poly_t radical;   // its square-free part, primitive
    fmpz_poly_struct *values;
    fmpz_t denominator; // x_k = values[k](t) / (denominator * radical'(t))
} ct_rur;
// t = sum_k weights[k] x_k; `variable` is kept in the result.
ct_status ct_rur_compute(ct_context *ctx, ct_rur *rur, const ct_quotient *q, const ct_zeros *zeros,
                         const slong *weights, int variable, ct_limits *limits);
void ct_rur_clear(ct_rur *rur);

#endif
