// Programs made shorter.
#ifndef CT_PROGRAM_LIGHTEN_H
#define CT_PROGRAM_LIGHTEN_H

#include "closure/closure.h"

// Values that neither dynamics nor guards need are no longer set by the positions; the expansion
// computes them.
void ct_program_lighten(ct_closure *closure);

#endif
