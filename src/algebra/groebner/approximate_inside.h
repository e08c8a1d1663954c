// Arithmetic of bracket polynomials, for the basis computation only.
#ifndef CT_APPROXIMATE_INSIDE_H
#define CT_APPROXIMATE_INSIDE_H

#include "algebra/groebner/approximate.h"

// A polynomial owns room for `room` terms (all of them, when it is stored: room = n).
void ct_bracket_init(ct_bracket_poly *f, const ct_ring *ring, slong room);
void ct_bracket_clear(ct_bracket_poly *f, slong room);
void ct_bracket_copy(const ct_ring *ring, ct_bracket_poly *f, const ct_bracket_poly *g);
// f - f[from] m g with m lead(g) = monomial of f[from]; g monic.
void ct_bracket_cancel(const ct_ring *ring, ct_bracket_poly *f, slong from, const uint32_t *m,
                       const ct_bracket_poly *g, slong bits);
void ct_bracket_monic(ct_bracket_poly *f, slong bits);
// Normal form by all of the list but one, made monic; false: nothing to reduce.
bool ct_bracket_reduce(const ct_ring *ring, ct_bracket_poly *f, const ct_brackets *by, int without,
                       slong bits);
void ct_bracket_pair(const ct_ring *ring, ct_bracket_poly *s, const ct_bracket_poly *f,
                     const ct_bracket_poly *g, slong bits);

#endif
