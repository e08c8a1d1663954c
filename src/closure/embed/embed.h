// Rates, accelerations and the projected equations of motion, from the blocks of a closure.
#ifndef CT_EMBED_H
#define CT_EMBED_H

#include "closure/values/values.h"

// The equations of motion as the embedding takes them, M [n n] and then F [n], in their cheapest
// form; owned by the caller.
ct_ex *ct_embed_equations(const ct_formulation *f);
// Fills in the programs `dynamics` and `expansion` of a closure whose f, independent, dependent,
// blocks and steps are there.
void ct_embed(ct_closure *closure, ct_forms *forms, const ct_ex *equations);

#endif
