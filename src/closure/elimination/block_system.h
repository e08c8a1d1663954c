// A block of loops as a polynomial system: known quantities become symbols, angles become pairs,
// and square roots and quotients of the steps inside become unknowns of their own, so that all
// branches are solutions of the system.
#ifndef CT_BLOCK_SYSTEM_H
#define CT_BLOCK_SYSTEM_H

#include "algebra/algebra.h"

#include <stdlib.h>
#include <string.h>

typedef struct ct_block_unknown { // an iterated coordinate
    bool is_angle;
    int c, s; // unknowns of the ring: cosine and sine, or the slide
} ct_block_unknown;

// Unknowns of the ring: first roots and quotients, then those of the coordinates. Coefficients are
// integers times symbols of the ring; symbol i stands for known[i]. Symbols are independent as far
// as the system says: what two coefficients have in common is one symbol.
typedef struct ct_block_system {
    ct_ring *ring;
    ct_polys equations;
    int n;
    ct_block_unknown *unknown; // [n]
    int n_helpers;             // roots and quotients
    ct_ex *known;              // [ring->n_symbols]
} ct_block_system;

typedef struct ct_block_residuals {
    int n;
    const ct_ex *residual;   // [n] zero on the mechanism
    const ct_ex *coordinate; // [n] their unknowns: symbols
    const bool *is_angle;    // [n] of the unknowns
    int n_signs;
    const ct_ex *sign; // symbols that are 1 or -1
} ct_block_residuals;

// fractions: n/d as one unknown x with x d = n, which says less where d and n vanish. Returns false
// if the residuals are not algebraic, or too large.
bool ct_block_system_from(ct_pool *pool, const ct_block_residuals *r, bool fractions,
                          ct_block_system *system);
static inline void ct_block_system_clear(ct_block_system *system) {
    if (system->ring) ct_polys_clear(system->ring, &system->equations);
    ct_ring_free(system->ring);
    ct_free(system->unknown);
    ct_free(system->known);
    memset(system, 0, sizeof *system);
}

#endif
