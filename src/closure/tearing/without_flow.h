// Closure without a flow: independent coordinates chosen by pivoting, and every group of equations
// that must be solved together iterated.
#ifndef CT_WITHOUT_FLOW_H
#define CT_WITHOUT_FLOW_H

#include "closure/values/values.h"
#include "util/util.h"

// Fills in independent, dependent, steps, blocks and the program of positions.
ct_status ct_iterated_build(ct_context *ctx, ct_closure *c, ct_values *values, int m,
                            const int *rows, const double *q0);

#endif
