// How many solutions a block has in general, and polynomials of which degree its unknowns fulfil:
// computed modulo a prime with random values for the symbols.
#ifndef CT_BLOCK_SHAPE_H
#define CT_BLOCK_SHAPE_H

#include "closure/elimination/modular.h"

enum { CT_BLOCK_SOLUTIONS = 120 }; // more are not looked at

typedef struct ct_block_shape {
    int solutions; // real and complex; 0: infinitely many, more than are looked at, or not known
    int least;     // smallest degree of a polynomial in one cosine, sine or slide alone
} ct_block_shape;

// Returns false if it is not found within limits on the number of operations.
bool ct_block_shape_find(const ct_block_system *system, const ct_block_point *at,
                         ct_block_shape *shape);

// The polynomials of a ring at values of its symbols, over a ring without symbols in the same
// unknowns and order.
ct_ring *ct_block_number_ring(const ct_ring *ring);
void ct_block_at(const ct_ring *number_ring, ct_polys *out, const ct_ring *ring, const ct_polys *in,
                 const ct_block_point *at);

#endif
