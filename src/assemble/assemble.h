// The mechanism put together: the position that `initial`, `guess` and the motions describe, once
// for a model, and that position in the coordinates of any formulation of it.
#ifndef CT_ASSEMBLE_H
#define CT_ASSEMBLE_H

#include "formulate/formulate.h"

// An assembled model, in the coordinates of trees made for it: joints that `initial` or `guess`
// name are branches. Nothing changes it once it is made.
typedef struct ct_assembly {
    ct_region region;
    const ct_model *model;
    ct_formulation *g; // kinematics only
    double *q, *qd;    // of g
    double *joint;     // [model coordinates] by name, on the turn that `initial` and `guess` name
    double *rate;      // likewise; 0 for those that are not among q
} ct_assembly;

ct_status ct_assembly_new(ct_context *ctx, const ct_model *model, ct_assembly **assembly);
void ct_assembly_free(ct_assembly *assembly);

// A formulation with its initial state and the constraint rows that bind it. Nothing changes it
// once it is made.
typedef struct ct_assembled {
    const ct_formulation *f;
    const ct_assembly *assembly;
    double *q0, *qd0; // [f->n], behind them the numbers of integrated rotations
    double residual;  // largest |Phi| there
    int m_rows;       // rows that are not motions
    int rank;         // of those at the initial state
    int rank_motions; // with the motions
    int plane_rows;   // rows counted in the plane, where they are (ct_counts_in_plane)
    int m;            // rows kept for the run
    int *rows;
    int n_dropped; // redundant ones
    int *dropped;
    int n_redundant, room_redundant; // joints whose rows were dropped or hold identically
    const char **redundant;          // their names
} ct_assembled;

// The assembly in the coordinates of f, which is a formulation of its model or of a fork of it. f
// and the assembly must outlive it.
ct_assembled *ct_assembled_new(ct_context *ctx, const ct_assembly *assembly,
                               const ct_formulation *f);
// The same state and rows in a formulation with integrated rotations, made from that of `at`.
ct_assembled *ct_assembled_whole(const ct_assembled *at, const ct_formulation *f);

// A fork of the model with equations and a state of it. What is built on them goes to the fork's
// own pool, so it does not depend on what was built elsewhere.
typedef struct ct_fork {
    ct_region region;
    ct_model *model;
    ct_formulation *f;
    ct_assembled *at;
} ct_fork;
// A fork that sees the same equations and state as another, which must outlive it.
ct_fork *ct_fork_of(const ct_assembled *at);
void ct_fork_free(ct_fork *fork);

// Newton to the nearest point with Phi = 0, `fixed` coordinates held; returns the largest |Phi|
// left, in units of its rows.
double ct_project(const ct_formulation *f, ct_numbers *numbers, const bool *fixed, double *q);
// True if the rows of a planar mechanism are counted in its plane.
bool ct_counts_in_plane(const ct_formulation *f);

#endif
