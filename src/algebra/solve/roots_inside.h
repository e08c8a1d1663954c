// Roots of univariate polynomials: certified enclosures of all of them (Arb).
#ifndef CT_ROOTS_INSIDE_H
#define CT_ROOTS_INSIDE_H

#include "util/flint.h"
#include "util/util.h"

#include <flint/fmpz_poly.h>

// One root: a ball that holds it and no other root. Real ones have an imaginary part exactly zero.
typedef struct ct_enclosed_root {
    acb_t at;
    int multiplicity;
} ct_enclosed_root;

// Distinct roots: real ones first, increasing, then conjugate pairs (upper half plane leading).
typedef struct ct_roots {
    int n, n_real;
    ct_enclosed_root *root;
} ct_roots;

// All roots of f (not zero) to at least `bits` relative bits, balls disjoint. CT_USAGE: f is zero.
ct_status ct_roots_isolate(ct_context *ctx, ct_roots *out, const fmpz_poly_t f, slong bits);
void ct_roots_clear(ct_roots *roots);

#endif
