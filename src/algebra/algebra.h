// The algebra that other folders use: polynomials in named unknowns, Gröbner bases, the quotient of
// an ideal. Elimination and solving have doors of their own (eliminate/eliminate.h, solve/solve.h).
#ifndef CT_ALGEBRA_H
#define CT_ALGEBRA_H

#include "algebra/groebner/groebner.h"
#include "algebra/poly/poly.h"
#include "algebra/quotient/quotient.h"

#endif
