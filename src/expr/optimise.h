// Cheaper forms of the same expressions, for code. Parts are opaque nodes (LET) where the canonical
// form would merge them again.
#ifndef CT_OPTIMISE_H
#define CT_OPTIMISE_H

#include "expr/expr.h"

// Rewrites the roots: the parameters of a term become one constant, terms that differ in parameters
// only are joined, and pairs of factors or terms that occur more than once are computed once.
void ct_optimise(ct_pool *pool, int n, ct_ex *roots);

#endif
