// Roots of univariate polynomials: certified enclosures of all of them (Arb), and closed forms in
// doubles for degree up to four.
#ifndef CT_ROOTS_H
#define CT_ROOTS_H

#include "util/flint.h"
#include "util/util.h"

#include <flint/fmpz_poly.h>

// One root: a ball that holds it and no other root. Real ones have an imaginary part exactly zero.
typedef struct ct_root {
    acb_t at;
    int multiplicity;
} ct_root;

// Distinct roots: real ones first, increasing, then conjugate pairs (upper half plane leading).
typedef struct ct_roots {
    int n, n_real;
    ct_root *root;
} ct_roots;

// All roots of f (not zero) to at least `bits` relative bits, balls disjoint. CT_USAGE: f is zero.
ct_status ct_roots_isolate(ct_context *ctx, ct_roots *out, const fmpz_poly_t f, slong bits);
void ct_roots_clear(ct_roots *roots);

// Roots of c[0] x^degree + ... + c[degree], degree <= 4, in closed form with a fixed number of
// polishing steps; backward stable: |f(x)| is some 1e-14 of the sum of its terms' moduli. Leading
// zeros lower the degree. Returns how many roots there are (multiple ones repeated), -1: all are (f
// is zero) or a coefficient is not finite.
int ct_roots_closed(double *re, double *im, int degree, const double *c);

#endif
