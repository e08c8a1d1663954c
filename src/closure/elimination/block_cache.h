// Cache on disk of what elimination found for a block: its shape and a triangular system. Both are
// functions of the system at a point modulo a prime, and that is the key.
#ifndef CT_BLOCK_CACHE_H
#define CT_BLOCK_CACHE_H

#include "closure/elimination/triangular.h"
#include "program/registers.h"

#include <string.h>

// A triangular system as text, and back. Returns false for a text that is none of this system.
char *ct_triangular_print(const ct_triangular *triangular);
bool ct_triangular_parse(const char *text, const ct_block_system *system,
                         ct_triangular *triangular);

// As ct_block_shape_find and ct_triangular_find, with *from_cache set where nothing was searched.
// shape zero, false: not found within limits, which the cache knows too.
ct_block_shape ct_block_shape_recall(const ct_block_system *system, const ct_block_point *at,
                                     bool *from_cache);
bool ct_triangular_recall(const ct_block_system *system, const ct_block_point *at,
                          ct_triangular *triangular, bool *from_cache);

// A block as a system, with what elimination finds for it.
typedef struct ct_block_known {
    ct_block_system s;
    ct_block_point at[2];
    ct_block_shape shape; // zero: not found within limits
    bool found;           // there is a triangular system
    ct_triangular triangular;
    bool from_cache; // nothing was searched
} ct_block_known;

// registers: in which the residuals are written. Returns false if the block is not algebraic or too
// large.
bool ct_block_known_init(ct_block_known *k, ct_pool *pool, const ct_block_residuals *r,
                         const ct_registers *registers);
static inline void ct_block_known_clear(ct_block_known *k) {
    ct_block_system_clear(&k->s);
    for (int i = 0; i < 2; i++) ct_block_point_clear(k->at + i);
    memset(k, 0, sizeof *k);
}

#endif
