// Cheaper forms of the same expressions, for code. Results are fenced (LET) where canonical form
// would merge them again.
#ifndef CT_OPTIMISE_H
#define CT_OPTIMISE_H

#include "expr/expr.h"

// Replaces the roots: parameters of a term collected into one constant, terms that differ only in
// parameters joined, pairs of factors and of terms that occur again computed once.
void ct_optimise(ct_pool *pool, int n, ct_ex *roots);

#endif
