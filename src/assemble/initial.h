// The initial problem in symbols: what has to be solved to assemble a mechanism, for any parameters.
// assemble.c solves it in numbers; generated code solves it again for the parameters that it is given
// (ctk_initial in src/kernel/ctk.h, which says what each function is).
#ifndef CT_ASSEMBLE_INITIAL_H
#define CT_ASSEMBLE_INITIAL_H

#include "assemble/assemble.h"

// What `guess`, `initial` and the motions say about coordinates of g, kinematics of the assembly.
typedef struct ct_initial_start {
    bool *held, *has_rate, *by_motion; // [g->n]
    ct_ex *value, *rate;
} ct_initial_start;
void ct_initial_start_find(const ct_formulation *f, ct_initial_start *s); // from scratch memory

// A joint whose velocities open rates keep small (joint_rates.c). edge: -1 for a body that no joints
// tie to ground, which counts as if it hung there.
typedef struct ct_rate_joint {
    int edge, body[2];
} ct_rate_joint;
// has_rate: [f->n]; all: [joints + bodies of the model]. Returns how many.
int ct_rate_joints_find(const ct_formulation *f, const bool *has_rate, ct_rate_joint *all);

typedef struct ct_initial_problem {
    const ct_formulation *g; // kinematics of the assembly, in the pool of f
    ct_initial_start start;
    int n_bodies;                // without ground
    ct_ex *pose, *twist;         // [12 bodies], [6 bodies x g->n]
    int n_joints;                // that rates are measured in
    ct_rate_joint *joints;
    ct_ex *arm;                  // [3 n_joints] from the second body's centre of mass, in ground
    int *given_in;               // [g->n] the joint that a given rate belongs to, or -1
    ct_ex *given;                // [6 g->n] velocity and spin in that joint at unit rate
    int *guard_at, *guard_turns; // [3 g->n_guards], [g->n_guards]
    bool *guard_proper;          // [g->n_guards]
    ct_ex *guard_angle;          // [3 g->n_guards]
    ct_ex *value, *rate;         // [f->n] rotations that are integrated by angles
    ct_ex *turns;                // [12 f->n_integrated] matrix, spins
    ct_ex length, body_length;   // of the mechanism, of its bodies
    bool uses_inputs;
} ct_initial_problem;

// The initial problem of an assembly, with the state in the coordinates of f. All of it is scratch
// memory and in the pool of f.
void ct_initial_problem_find(const ct_assembly *assembly, const ct_formulation *f,
                             ct_initial_problem *p);

#endif
