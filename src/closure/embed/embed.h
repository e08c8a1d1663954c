// Rates, accelerations and the projected equations of motion, from the blocks of a closure.
#ifndef CT_EMBED_H
#define CT_EMBED_H

#include "closure/values/values.h"

// Fills in the programs `dynamics` and `expansion` of a closure. Its formulation, independent and
// dependent coordinates, rate blocks, constraint blocks and steps must be set. compare: constraint
// rows may replace the rate blocks if that is cheaper.
void ct_embed(ct_closure *c, ct_values *values, bool compare);

#endif
