// Forces that joints carry, for a motion that is known: equations of a model, and their solution.
//
//   A x = b:   one equation for each freedom of each joint of a spanning tree; x are reactions of the
//              other joints, multipliers of couplings, efforts of motions
//   y = y(x):  columns for results: efforts, then force and moment (ground axes) that body A of a joint
//              exerts on body B at B's joint point, or the multiplier of a coupling; behind them
//              the points that these act at, the rates of efforts, the normal of a planar mechanism
// Where constraints are redundant x is not unique: the columns have the least sum of squares then.
#ifndef CTK_WRENCHES_H
#define CTK_WRENCHES_H

#include <stddef.h>

typedef struct ctk_wrenches {
    int n_unknowns, n_equations, n_entries, n_columns, n_efforts, n_more, n_fronts;
    const int *entry_row, *entry_column; // [n_entries] where the entries of A stand
    // units: a force times this power of a length; 2 (of unknowns alone): its own
    const int *equation_power, *unknown_power, *column_power;
    // How x is eliminated, front by front: is silent (no motion gives it a right side that is not 0),
    // most rows, numbers of: rows, fronts whose rest enters, own unknowns, others; then these.
    const int *fronts;
    const char *const *column_names; // [n_columns]
    // Friction by load (ctk_friction.c): where the force of its joint begins among the columns. Before
    // the rates of efforts y has four numbers for each: mu r v / sqrt(v^2 + slip^2), the axis.
    int n_frictions;
    const int *friction_column; // [n_frictions]
    // v [n_common]: values that the equations hand on to the columns
    int n_common;
    void (*system)(const double *c, double t, const double *q, const double *qd, const double *qdd,
                   const double *u, double *a, double *b, double *v);
    void (*columns)(const double *c, double t, const double *q, const double *qd, const double *qdd,
                    const double *u, const double *v, const double *x, double *y);
    // joints, couplings and efforts by name: their first columns [n_groups + 1], six of a joint
    int n_groups;
    const char *const *group_names;
    const int *group_first;
    // constants of the two functions from parameters p of the model; NULL: those of the model itself
    int n_constants;
    void (*constants)(const double *p, double *c);
    double (*length)(const double *c); // that forces and moments compare by
    // Unknowns that stand in no equation, such as what hinges carry across the plane of a mechanism, are
    // free in every state. The columns with their values that make the squares least, whatever they are
    // in x; share: of the square of what a unit of each adds to the columns, what is left beside those
    // before it. NULL: there are none, or nothing loads them.
    int n_loose;
    void (*least)(const double *c, double t, const double *q, const double *qd, const double *qdd,
                  const double *u, const double *v, const double *x, double *y, double *share);
} ctk_wrenches;

// A motion: all coordinates with rates and accelerations, inputs, constants of the model; a length
// that forces and moments compare by.
typedef struct ctk_wrench_motion {
    const double *c;
    double t;
    const double *q, *qd, *qdd, *u;
    double length;
} ctk_wrench_motion;

typedef struct ctk_wrench_result {
    double *y;      // [n_columns + n_more]
    int *is_unique; // [n_columns] 1: no self-stress changes it; NULL: nobody asks
    // with is_unique: called with the columns [n_columns] of each self-stress; or NULL
    void (*stress)(void *data, const double *y);
    void *stress_data;
    int n_self;    // self-stresses that were met
    int n_choices; // of efforts: that many more than are needed
    // in forces: what unknowns leave of the equations that hold them; the largest right side; that of
    // equations without unknowns, which is zero in a motion that the forces bring about
    double left, largest, bare;
} ctk_wrench_result;

// Size of a wrench y [6], in forces: in a plane with this normal (zero: in space) the force in it and the
// moment about its normal.
double ctk_wrench_size(const double *y, const double *normal, double length);

size_t ctk_wrench_doubles(const ctk_wrenches *w);
size_t ctk_wrench_ints(const ctk_wrenches *w);
void ctk_wrenches_solve(const ctk_wrenches *w, const ctk_wrench_motion *motion, double *doubles,
                        int *ints, ctk_wrench_result *result);

#endif
