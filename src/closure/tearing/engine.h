// Blocks of iterated coordinates as systems for the algebra engine, with what the library knows.
#ifndef CT_TORN_BLOCK_H
#define CT_TORN_BLOCK_H

#include "closure/elimination/block_cache.h"
#include "closure/tearing/tearing.h"

typedef struct ct_torn_block {
    ct_block_system s;
    ct_block_point at[2];
    ct_library_entry entry; // its triangular system in the numbering of s
    bool recalled;
} ct_torn_block;

// residual: what the iteration drives to zero. False: not algebraic, or too large.
bool ct_torn_block_init(ct_torn_block *k, ct_torn *t, const ct_ex *residual);
void ct_torn_block_clear(ct_torn_block *k);

// The steps of the triangular system take the place of the iteration, which is in segment
// `first_segment` with as many empty ones behind it as there are further unknowns. False: there is
// none, it does not hold here or costs too much; nothing was changed.
bool ct_torn_triangular(ct_torn_block *k, ct_torn *t, int first_segment, int step);

#endif
