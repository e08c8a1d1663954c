// Equations of motion by sweeps over the two trees.
#ifndef CT_DYNAMICS_H
#define CT_DYNAMICS_H

#include "formulate/layout.h"

// How vectors are written: in the world's frame, in that of the first body from the ground or in
// each body's own; sums kept whole or merged; the mass matrix by a unit of each acceleration or by
// composite bodies. All give the same equations; the cheapest is kept.
typedef enum ct_frames { CT_FRAME_WORLD, CT_FRAME_TOP, CT_FRAME_OWN } ct_frames;
typedef struct ct_writing {
    ct_frames frames;
    bool let, composite;
} ct_writing;

// Applied forces, gravity aside.
typedef struct ct_loads {
    ct_vec3 *force;     // [bodies] through the centre of mass, world components
    ct_vec3 *torque;    // [bodies] about it, body components
    ct_vec3 *moment;    // [bodies] about it, world components
    ct_ex *generalised; // [n] on coordinates
    ct_ex potential, power;
} ct_loads;

void ct_loads_build(ct_layout *l, ct_substitution *known, ct_loads *loads);
void ct_loads_clear(ct_loads *loads);
// Adds a tyre; what outputs ask of it becomes known.
void ct_tyre_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);

// What a sweep gives.
typedef struct ct_swept {
    ct_ex *mass, *forcing; // [n x n], [n]
    ct_ex kinetic;
} ct_swept;
void ct_sweep(ct_layout *l, const ct_loads *loads, ct_writing writing, ct_swept *out);
// Can composite bodies be used: one tree for both domains, no screws?
bool ct_sweep_composes(const ct_layout *l);

#endif
