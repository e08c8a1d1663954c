// Blocks of iterated coordinates as systems for the algebra engine, with what the library knows.
#ifndef CT_TORN_BLOCK_H
#define CT_TORN_BLOCK_H

#include "closure/library.h"
#include "closure/torn.h"

typedef struct ct_torn_block {
    ct_block_system s;
    ct_ex *meaning; // [symbols] in coordinates and parameters
    ct_block_key key;
    ct_library_entry entry;
    bool recalled;
} ct_torn_block;

// residual: what the iteration drives to zero. False: not algebraic, or too large.
bool ct_torn_block_init(ct_torn_block *k, ct_torn *t, const ct_ex *residual);
void ct_torn_block_clear(ct_torn_block *k);

// A block that stays iterated: the step says of which degree it is.
void ct_torn_describe(ct_torn *t, int step, const ct_ex *residual);

#endif
