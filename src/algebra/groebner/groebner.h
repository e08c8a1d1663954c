// Gröbner bases (F4 modulo primes lifted to the rationals; fraction-free where coefficients hold
// symbols), an independent checker, saturation, dimension and degree.
#ifndef CT_GROEBNER_H
#define CT_GROEBNER_H

#include "algebra/poly/poly.h"

// options and figures ----------------------------------------------------------------------------
typedef struct ct_groebner_stats {
    int primes;        // used for the lift
    int unlucky;       // primes rejected
    int matrices;      // of one F4 run
    int rows, columns; // of its largest matrix
    int bits;          // of the largest coefficient
    int lanes;         // primes that one pass of the elimination serves
    size_t bytes;      // at most held at once (polynomials and matrices)
    double work;       // see the budget
    double seconds, learn_seconds, lift_seconds, check_seconds;
    ct_limit limit; // the one that was reached, if any
} ct_groebner_stats;

// All zero: over Q (or Q(symbols)), no limits, inputs checked exactly and S-pairs modulo a prime.
typedef struct ct_groebner_options {
    uint32_t prime;       // not 0: compute modulo this prime (2 < p < 2^31) and nothing else
    uint32_t first_prime; // where the search for primes starts (0: just below 2^31)
    bool prove;           // S-pairs reduced to zero over Q, not only modulo a prime
    bool unchecked;       // no check at all
    ct_budget budget;
    ct_groebner_stats *stats; // may be NULL
} ct_groebner_options;
// What the limits saw of a computation, at its end; stats may be NULL.
void ct_groebner_figures(ct_groebner_stats *stats, const ct_limits *limits);

// bases ------------------------------------------------------------------------------------------
// The reduced Gröbner basis, leading monomials increasing. The whole ring is {1}, the zero ideal
// {}. What is certain: over Q every input lies in the ideal of the result (exact division), and the
// result is a Gröbner basis (modulo a prime not used so far; exactly with `prove`). That no element
// is too much rests on all primes used, one of them run independently, agreeing in every pivot.
// With symbols the computation is exact, for symbols in general position. CT_NUMERICS: a limit
// was reached (stats->limit), CT_INTERRUPTED: *stop was set. options may be NULL.
ct_status ct_groebner(ct_context *ctx, const ct_ring *ring, ct_polys *basis, const ct_polys *in,
                      const ct_groebner_options *options);

// Checker, which shares nothing with the above: every S-polynomial of the list has remainder 0
// (over Q, over Q(symbols), or modulo `prime` if that is not 0).
bool ct_is_groebner(const ct_ring *ring, const ct_polys *basis, uint32_t prime);
bool ct_is_reduced(const ct_ring *ring,
                   const ct_polys *basis); // no term divisible by another's lead

// Proves over Q that every element of the basis lies in the ideal of `in`: together with
// `prove` of ct_groebner, that it is a basis of this ideal and of no larger one. *proved false
// with CT_OK: not shown. No symbols.
ct_status ct_groebner_prove(ct_context *ctx, const ct_ring *ring, const ct_polys *basis,
                            const ct_polys *in, const ct_groebner_options *options, bool *proved);

// A reduced basis in decimal numbers of so many digits, each with a bound on its error (brackets,
// Shirayanagi 1996): a number that is not larger than its bound is zero. `texts` are the elements,
// monic; `leads` their leading monomials, with coefficient 1.
typedef struct ct_approximate {
    int n;
    char **texts;
    ct_polys leads;
} ct_approximate;
#define CT_DIGITS_MIN 2
#define CT_DIGITS_MAX 20
ct_status ct_groebner_approximate(ct_context *ctx, const ct_ring *ring, ct_approximate *out,
                                  const ct_polys *in, int digits, const ct_budget *budget);
void ct_approximate_clear(const ct_ring *ring, ct_approximate *a);

// All polynomials f with f * by[0]^k0 * by[1]^k1 ... in the ideal: (F, 1 - t by0 by1 ...) without
// t.
ct_status ct_saturate(ct_context *ctx, const ct_ring *ring, ct_polys *out, const ct_polys *in,
                      const ct_polys *by, const ct_groebner_options *options);

// ideals, from a Gröbner basis -------------------------------------------------------------------
typedef struct ct_ideal_info {
    int dimension; // of the variety over the closure; -1: the whole ring, no solution
    uint64_t free; // bit k: unknown k belongs to a largest independent set
    slong degree;  // dimension 0: solutions with multiplicity; else of the leading ideal's
                   // projective closure
} ct_ideal_info;
ct_ideal_info ct_ideal(const ct_ring *ring, const ct_polys *basis);
// Monomials that no leading monomial divides, increasing, as exponent vectors (*exps owned by the
// caller); -1 where there are infinitely many.
slong ct_standard_monomials(const ct_ring *ring, const ct_polys *basis, uint32_t **exps);

#endif
