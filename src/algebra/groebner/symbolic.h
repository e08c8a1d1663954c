// Gröbner bases with symbols in the coefficients, without fractions.
#ifndef CT_SYMBOLIC_H
#define CT_SYMBOLIC_H

#include "algebra/poly/guard.h"

bool ct_groebner_symbolic(const ct_ring *ring, ct_guard *guard, const ct_polys *in,
                          ct_polys *basis);

#endif
