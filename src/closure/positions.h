// From a flow to the program of positions: every placement becomes a step in closed form, with the
// equations that its rates follow from.
#ifndef CT_POSITIONS_H
#define CT_POSITIONS_H

#include "closure/flow/flow.h"
#include "closure/values/values.h"

// Fills in independent, dependent, steps, blocks and the program of positions; m: independent rows
// of the constraints, q0: the initial position.
ct_status ct_positions_build(ct_context *ctx, ct_closure *c, const ct_flow *flow, ct_values *values,
                             int m, const double *q0);

#endif
