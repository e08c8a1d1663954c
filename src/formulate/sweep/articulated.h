// Inside of the recursion over articulated bodies: the sweeps for accelerations (sweep_articulated.c), and
// those for the answer to forces (sweep_answer.c).
#ifndef CT_ARTICULATED_H
#define CT_ARTICULATED_H

#include "formulate/sweep/links.h"

typedef struct ct_spatial { // moment and force, or angular and linear acceleration
    ct_vec3 w, v;
} ct_spatial;

typedef struct ct_articulated_body {
    ct_mat3 j, h, m; // J and M are symmetric
    ct_spatial p;
} ct_articulated_body;

typedef struct ct_articulated_motion { // w, its bias, bias of the acceleration of the origin
    ct_vec3 w, alpha, a;
} ct_articulated_motion;

typedef struct ct_freedom { // what is left of an elimination
    ct_spatial share;       // U / D
    int axis;               // of a unit vector S, else -1
    ct_ex one_over, level;  // 1 / D, u / D
} ct_freedom;
typedef ct_freedom ct_link_freedoms[CT_LINK_STEPS + 2]; // in the order of elimination

typedef struct ct_articulated {
    ct_layout *l;
    ct_pool *pool;
    const ct_loads *loads;
    ct_writing how;
    const ct_ex *armature; // [n] what is added to the diagonal of M, or NULL
    ct_tree_link *links;
    ct_articulated_motion *motion;
    ct_articulated_body *body;
    ct_link_moments *moments;
    ct_link_freedoms *freedoms;
    ct_ex *mass, *spread; // of all behind a joint: mass, bound on the trace of its inertia
    ct_accelerations *out;
} ct_articulated;

// The three sweeps; `out` has the accelerations. Arrays are scratch.
void ct_articulated_sweep(ct_layout *l, const ct_loads *loads, bool along_joints,
                          bool along_floating, const ct_ex *armature, ct_accelerations *out,
                          ct_articulated *x);
// Components before a turn, from those behind it (inward), or the other way round.
ct_vec3 ct_articulated_turn(const ct_articulated *x, const ct_link_step *t, ct_vec3 v, bool inward);
// Accelerations of the freedoms between a body and the one before it, whose d is passed in.
void ct_articulated_accelerate(ct_articulated *x, int b, ct_spatial *d);
static inline ct_ex *ct_spatial_part(ct_spatial *s, int i) {
    return i < 3 ? s->w.v + i : s->v.v + i - 3;
}

#endif
