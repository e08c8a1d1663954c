// The solution flow: which coordinates are independent, in which order the bodies of every group of
// loops are placed, by which joint each hangs on what was placed before, and which equations place
// it. Found on the graph of bodies with numbers from the initial position; no symbols yet.
#ifndef CT_FLOW_H
#define CT_FLOW_H

#include "closure/closure.h"
#include "model/numbers.h"

typedef struct ct_flow ct_flow;

// joint0: every joint coordinate of the model at the initial position. names: the independent
// coordinates that the caller asks for, or NULL (the model's `independent:`, else searched for).
// *flow is NULL where there is nothing that a flow could do (no loops).
ct_status ct_flow_find(ct_context *ctx, const ct_model *model, const double *joint0, int n_names,
                       const char *const *names, ct_flow **flow);
void ct_flow_free(ct_flow *flow);
// Preference per joint for ct_tree_rule_joint, so that the trees follow the flow.
const int *ct_flow_preference(const ct_flow *flow);

// The closure of a formulation whose trees follow the flow (NULL: everything that depends is
// iterated, loop by loop). rows: the m independent rows of f->phi; q0: the initial position.
ct_status ct_closure_new(ct_context *ctx, const ct_formulation *f, const ct_flow *flow, int m,
                         const int *rows, const double *q0, ct_closure **closure);

#endif
