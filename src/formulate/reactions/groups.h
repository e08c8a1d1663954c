// Columns of reactions: their groups and names, which follow from the model alone.
#ifndef CT_REACTION_GROUPS_H
#define CT_REACTION_GROUPS_H

#include "model/model.h"

// What a group of columns tells.
typedef enum ct_reaction_kind {
    CT_REACTION_EFFORT, // of a motion or a drive: one column
    CT_REACTION_WRENCH, // of a joint: force and moment on B at its joint point, ground axes
    CT_REACTION_LAMBDA  // of a coupling: one column
} ct_reaction_kind;

typedef struct ct_reaction_group {
    ct_reaction_kind kind;
    const char *name; // of the joint, motion or drive
    int index;        // of the joint or motion of the model; a drive: of the list
    int first, n;     // columns
} ct_reaction_group;

// All groups of a model, in the order of their columns: efforts, then joints and couplings as the file
// has them. In the scratch of the call.
typedef struct ct_reaction_groups {
    int n, n_columns, n_efforts;
    ct_reaction_group *item;
} ct_reaction_groups;
ct_reaction_groups ct_reaction_groups_of(const ct_model *model, bool drives);
// The name of column i of a group, behind the name of the group and a dot.
const char *ct_reaction_column_name(const ct_reaction_group *group, int i);
// The column that a probe of outputs reads; -1: it is zero here, the effort of a motion where drives
// move the mechanism or of a drive where motions do.
int ct_reaction_column(const ct_reaction_groups *groups, const ct_probe *probe, bool drives);

#endif
