// Rates, accelerations and the projected equations of motion, from the blocks of a closure.
#ifndef CT_EMBED_H
#define CT_EMBED_H

#include "closure/forms.h"

// Fills in the programs `dynamics` and `expansion` of a closure whose f, independent, dependent,
// blocks and steps are there.
void ct_embed(ct_closure *closure, ct_forms *forms);

#endif
