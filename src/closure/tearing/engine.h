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

// The residuals of a group as a system. False: not algebraic, or too large.
bool ct_torn_block_init(ct_torn_block *k, ct_torn *t);
void ct_torn_block_clear(ct_torn_block *k);

// Writes the steps of the triangular system, one segment for each unknown. Returns false, with
// nothing written, if there is no such system, it does not hold here or costs too much.
bool ct_torn_triangular(ct_torn_block *k, ct_torn *t);

#endif
