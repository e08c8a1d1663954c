// Rates, accelerations and the projected equations of motion, from the blocks of a closure.
#ifndef CT_EMBED_H
#define CT_EMBED_H

#include "closure/values/values.h"

// Fills in the programs `dynamics` and `expansion` of a closure whose f, independent, dependent,
// blocks, loops and steps are there. compare: constraint rows may take the place of its blocks
// where that is cheaper.
void ct_embed(ct_closure *closure, ct_values *values, bool compare);

#endif
