// Equations of motion by sweeps over the two trees.
#ifndef CT_DYNAMICS_H
#define CT_DYNAMICS_H

#include "formulate/layout.h"

// How vectors are written: in each body's own frame or in the world's, sums kept whole or merged.
// All give the same equations; the cheapest is kept.
typedef struct ct_writing {
    bool body_frames, let;
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

// mass (n x n) and forcing (n)
void ct_sweep(ct_layout *l, const ct_loads *loads, ct_writing writing, ct_ex *mass, ct_ex *forcing);

#endif
