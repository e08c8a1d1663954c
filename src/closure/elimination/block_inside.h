// Private to block systems: residuals as polynomials in coordinates and helpers.
#ifndef CT_BLOCK_INSIDE_H
#define CT_BLOCK_INSIDE_H

#include "closure/elimination/block_system.h"

enum { CT_BLOCK_HELPERS = 40 };

typedef struct ct_block_rewritten {
    int n;           // residuals, then helpers' own equations
    ct_ex *equation; // the caller's to free, whether it was found or not
    int n_helpers;
    ct_ex helper[CT_BLOCK_HELPERS];
} ct_block_rewritten;

// most: terms of an equation; whole_above: a longer part becomes a helper. Returns false if the
// residuals are not algebraic, or too large.
bool ct_block_rewrite(ct_pool *pool, const ct_block_residuals *r, bool fractions, double most,
                      double whole_above, ct_block_rewritten *out);

#endif
