// Reactions and forces of one instant, as JSON and as text: what statics, equilibrium and inverse
// share.
#ifndef CLI_FORCES_H
#define CLI_FORCES_H

#include "report.h"

#include <stdio.h>

typedef struct forces_shown {
    int n, n_reactions, n_forces;
    const char *const *names; // coordinates
    const double *values;
    const ct_joint_reaction *reactions;
    const ct_force_value *forces;
    int n_outputs;
    const ct_output_value *outputs;
} forces_shown;

// Of an instant of statics or inverse dynamics, or of an equilibrium: members with the same names.
#define FORCES_SHOWN(info)                                                                         \
    ((forces_shown){.n = (info)->n,                                                                \
                    .names = (info)->names,                                                        \
                    .values = (info)->values,                                                      \
                    .n_reactions = (info)->n_reactions,                                            \
                    .reactions = (info)->reactions,                                                \
                    .n_forces = (info)->n_forces,                                                  \
                    .forces = (info)->forces,                                                      \
                    .n_outputs = (info)->n_outputs,                                                \
                    .outputs = (info)->outputs})

void forces_coordinates(ct_json *j, const forces_shown *shown);
void forces_json(ct_json *j, const forces_shown *shown); // "reactions", "forces", "outputs"
void forces_text(FILE *file, const forces_shown *shown);

#endif
