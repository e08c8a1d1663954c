// Steps of plain division that the checker and the fraction-free algorithm build on. False: a
// degree exceeds CT_EXPONENT_MAX, the result is worthless.
#ifndef CT_DIVIDE_H
#define CT_DIVIDE_H

#include "algebra/algebra.h"

int ct_find_divisor(const ct_ring *ring, const ct_polys *basis, const uint32_t *e); // -1: none
void ct_poly_mod(const ct_ring *ring, ct_poly *f, const ct_poly *g, uint32_t prime);
// f <- a f - b m g from term `at` on, whose lead cancels; `done` is scaled by a.
bool ct_cancel_term(const ct_ring *ring, ct_poly *f, slong at, ct_poly *done, const ct_poly *g,
                    uint32_t prime);
bool ct_s_polynomial(const ct_ring *ring, ct_poly *s, const ct_poly *f, const ct_poly *g,
                     uint32_t prime);

#endif
