// Inside of the sweeps: motions of bodies, frames in which they are written.
#ifndef CT_SWEEP_INSIDE_H
#define CT_SWEEP_INSIDE_H

#include "formulate/dynamics.h"

typedef struct ct_body_motion {
    ct_vec3 w, alpha0, a0; // in the body's frame of writing
    ct_mat3 gradient;      // [alpha0] + w w^T - |w|^2 I: acceleration of a point at r is gradient r
} ct_body_motion;

typedef struct ct_sweeper {
    ct_layout *l;
    ct_pool *pool;
    ct_writing how;
    int n;
    const ct_ex *qdd; // [n] accelerations that the motion of bodies has, NULL: none
    bool at_rest;     // no rates, no gravity
    int *home;        // [bodies] a frame in which the inertia is constant
    int *frame;       // [bodies] of writing
    ct_body_motion *body;
    ct_vec3 *jw, *ja;        // partial angular and linear accelerations [body * n + k]
    ct_vec3 *force, *torque; // scratch of the inward pass [bodies]
} ct_sweeper;

// sweep_frames.c
void ct_sweep_frames(ct_sweeper *s); // home and frame
ct_vec3 ct_sweep_keep(const ct_sweeper *s, ct_vec3 v);
// A vector from the frame of writing of one body to that of another.
ct_vec3 ct_sweep_turned(ct_sweeper *s, ct_vec3 v, int from, int to);
const ct_connection *ct_sweep_branch(const ct_sweeper *s, ct_domain d, int b);
int ct_sweep_index(const ct_sweeper *s, ct_ex symbol);
// Axis k of a rotation branch as seen from body b (one of its two), in b's frame of writing.
ct_vec3 ct_sweep_axis(ct_sweeper *s, const ct_connection *c, int k, int b);
// Arm of a translation branch on one side: from the body's centre of mass to the joint (slides
// included on A's side).
ct_vec3 ct_sweep_arm(ct_sweeper *s, const ct_connection *c, int side);
ct_vec3 ct_sweep_slide(ct_sweeper *s, const ct_connection *c, int k); // direction, A's frame
// The floating base that body b is, if accelerations of its slides are along its own axes; else NULL.
// Axis k of it stands in its own frame of writing.
const ct_floating *ct_sweep_floating(const ct_sweeper *s, int b);
ct_vec3 ct_sweep_own_axis(ct_sweeper *s, int b, int k);
// Inertia in the home frame; true if it is that of a sphere, the same in all frames.
ct_mat3 ct_sweep_inertia(const ct_sweeper *s, int b);
bool ct_sweep_is_sphere(const ct_sweeper *s, int b);

// sweep.c: loads on coordinate k; on slides of a floating base along its own axes, T^T Q
ct_ex ct_sweep_load(const ct_formulation *f, ct_pool *pool, const ct_loads *loads, ct_writing how,
                    int k);

// sweep_composite.c: mass matrix where bodies have the same parents in both trees
void ct_sweep_composite(ct_sweeper *s, ct_ex *mass);
// sweep_energy.c: kinetic energy from the angular velocities
ct_ex ct_sweep_kinetic(ct_sweeper *s);

#endif
