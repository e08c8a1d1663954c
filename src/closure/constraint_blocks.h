// Loops of a closure: constraint rows that must be solved together, in an order that works.
#ifndef CT_LOOPS_H
#define CT_LOOPS_H

#include "closure/closure.h"

// Fills in the loops of a closure; rows: the m independent rows of f->phi.
void ct_loops(ct_closure *closure, int m, const int *rows);

#endif
