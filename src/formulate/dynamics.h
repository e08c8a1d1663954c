// Equations of motion by sweeps over the two trees.
#ifndef CT_DYNAMICS_H
#define CT_DYNAMICS_H

#include "formulate/layout.h"

// A way of writing the equations. Vectors stand in the frame of the world, of the first body from
// ground, or of each body; sums are kept whole (let) or merged; the mass matrix comes from a unit
// of each acceleration or from composite bodies. All ways give the same equations; along_floating: in
// accelerations along the axes of floating bases.
typedef enum ct_frames { CT_FRAME_WORLD, CT_FRAME_TOP, CT_FRAME_OWN } ct_frames;
typedef struct ct_writing {
    ct_frames frames;
    bool let, composite, along_floating;
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
// The same without some forces: skip [forces].
void ct_loads_build_without(ct_layout *l, ct_substitution *known, const bool *skip,
                            ct_loads *loads);
void ct_loads_clear(ct_loads *loads);
// Adds the loads of a tyre; quantities of the tyre that outputs name become known.
void ct_tyre_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
// The extension of a spring or torsion, or its rate, as its law may name it.
ct_ex ct_law_value(ct_layout *l, ct_substitution *known, const ct_probe *probe);
// 1 if the wheel of a tyre turns on a joint about its axle, by which its equations are written; -1 if
// the axis of that joint points the other way; 0 if there is no such joint.
int ct_tyre_axle(ct_layout *l, int force);

// Result of a sweep.
typedef struct ct_swept {
    ct_ex *mass, *forcing; // [n x n], [n]
    ct_ex kinetic;
} ct_swept;
void ct_sweep(ct_layout *l, const ct_loads *loads, ct_writing writing, ct_swept *out);
// F and T alone.
void ct_sweep_forcing(ct_layout *l, const ct_loads *loads, ct_writing writing, ct_swept *out);
// F of loads and weight [n], without inertia forces.
void ct_sweep_applied(ct_layout *l, const ct_loads *loads, ct_writing writing, ct_ex *forces);
// M q'' and F - M q'' [n] for given accelerations, without M: so many operations as there are bodies.
void ct_sweep_accelerated(ct_layout *l, const ct_loads *loads, ct_writing writing, const ct_ex *qdd,
                          ct_ex *inertia, ct_ex *balance);
// Accelerations of a tree (ct_links_apply) by articulated bodies, links.h.
void ct_sweep_articulated(ct_layout *l, const ct_loads *loads, bool along_joints,
                          bool along_floating, ct_accelerations *out);
// What bodies need for given accelerations, less loads on bodies: force [bodies], and moment about the
// centre of mass, both in world components.
void ct_sweep_needs(ct_layout *l, const ct_loads *loads, const ct_ex *qdd, ct_vec3 *force,
                    ct_vec3 *moment);
// Entries that are written with the state but do not depend on it become what they are.
void ct_find_constant_entries(const ct_formulation *f, int n, ct_ex *entries);
// floating.c: finds the floating bases of a formulation, whose constraint rows must be there.
void ct_floating_find(ct_layout *l);
const ct_floating *ct_floating_of_body(const ct_formulation *f, int body); // NULL: none
// True if composite bodies give the mass matrix: each body has one parent for both domains, no screws.
bool ct_sweep_composes(const ct_layout *l);

#endif
