// Expressions modulo a prime at a random point: what holds between numbers in general holds there.
#ifndef CT_MODULAR_H
#define CT_MODULAR_H

#include "closure/elimination/block_system.h"

// Symbols get random residues, sines and cosines of angles points on the circle (sums of angles by
// the addition formulas), square roots are roots modulo p. Functions that are not algebraic are
// taken as symbols. Returns false if at this point (`seed`) a divisor is zero or a root does not
// exist.
bool ct_modular_values(ct_pool *pool, int n, const ct_ex *roots, uint32_t p, uint64_t seed,
                       uint32_t *out);
uint32_t ct_modular_random(uint64_t *state, uint32_t p); // 1 to p - 1

// Residues for the symbols of a system.
typedef struct ct_block_point {
    uint32_t p;
    uint32_t *value; // [ring->n_symbols]
} ct_block_point;

// meaning[i]: what symbol i stands for, in terms that are independent of each other. The prime is
// one for which all square roots exist. Returns false if none was found. which: 0, 1, ... for
// different points.
bool ct_block_point_find(ct_pool *pool, const ct_block_system *system, const ct_ex *meaning,
                         int which, ct_block_point *at);
void ct_block_point_clear(ct_block_point *at);

#endif
