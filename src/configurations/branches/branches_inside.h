// Shared by the files of this folder: the branches under way.
#ifndef CT_BRANCHES_INSIDE_H
#define CT_BRANCHES_INSIDE_H

#include "configurations/branches/trace.h"

typedef struct ct_branching {
    ct_context *ctx;
    const ct_configurations_options *options;
    const ct_model *model; // as it was read
    ct_model driven;       // with the drive given
    int coordinate;        // of the model
    int entry;             // of the drive among `initial`
    int drive;             // among q
    ct_loop_system s;      // at the first position
    ct_tracer tracer;
    int n_positions; // of the drive, where all assemblies were found
    double *positions;
    int *counts; // of assemblies there
    int n_curves, room_curves;
    ct_trace *curves;
    ct_branches_result *out;
    bool *singular; // [branches] at the end of the range
    int room_singular, n_singular;
    int room_branches, room_events, room_notes;
} ct_branching;

// Curves cut into branches, with their events; whether they fit the critical positions; branches
// that are connected.
void ct_branches_cut(ct_branching *j);
void ct_branches_check(ct_branching *j);
void ct_branches_connect(ct_branching *j);

#endif
