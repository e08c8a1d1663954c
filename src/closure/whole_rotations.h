// Balls of a flow: bodies whose rotation the closure keeps whole.
#ifndef CT_FLOW_BALLS_H
#define CT_FLOW_BALLS_H

#include "closure/flow/flow.h"
#include "formulate/ball.h"

// Joint, body and root of each; *balls is owned by the caller. f's trees must follow the flow.
int ct_flow_balls(const ct_flow *flow, const ct_formulation *f, ct_ball **balls);

#endif
