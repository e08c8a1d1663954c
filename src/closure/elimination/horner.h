// Polynomials in symbols written as expressions.
#ifndef CT_HORNER_H
#define CT_HORNER_H

#include "expr/expr.h"

#include <flint/fmpz_mpoly.h>

// The polynomial with values in the place of its symbols, nested by the symbol that most terms hold
// first; inner sums are opaque nodes (ct_let), equal parts are one node.
ct_ex ct_horner(ct_pool *pool, const fmpz_mpoly_t f, const fmpz_mpoly_ctx_t ctx,
                const ct_ex *values);

#endif
