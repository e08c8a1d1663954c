// Forces at one instant: reactions of joints, efforts of motions or drives, and what forces do, from
// the position, the rates and the accelerations of a mechanism at rest or in a driven motion.
#ifndef CT_INSTANT_H
#define CT_INSTANT_H

#include "analyses/rest.h"

// The motion whose forces are asked for: rates and accelerations [n] in their own units, NULL: none.
typedef struct ct_instant_motion {
    const double *q, *qd, *qdd;
    bool drives; // efforts are those of the model's drives, not of its motions
} ct_instant_motion;

typedef struct ct_instant {
    int n_reactions, n_forces;
    ct_joint_reaction *reactions;
    ct_force_value *forces;
    int n_outputs;
    ct_output_value *outputs;
    int overactuated;
    double left, largest; // N: what no reaction or effort balances; the largest load
    const char *singular; // joints in a singular position, where something is left
} ct_instant;

// Finds them; names and arrays are in the arena. Says which reactions are not unique. Fails where
// friction by load has no solution.
ct_status ct_instant_find(ct_context *ctx, ct_rest *rest, const ct_instant_motion *motion,
                          ct_arena *arena, ct_instant *instant);

#endif
