// A formulated mechanism on its way to being run: the equations, the assembled initial state, what
// was found redundant, and the strings that the public interface hands out.
#ifndef CT_SYSTEM_H
#define CT_SYSTEM_H

#include "closure/flow/flow.h"
#include "emit/target.h"
#include "formulate/formulate.h"
#include "numeric/numbers.h"

// Strings that live as long as the system.
typedef struct ct_strings {
    char **item;
    int n, room;
} ct_strings;
char *ct_strings_add(ct_strings *s, char *owned);
void ct_strings_clear(ct_strings *s);

struct ct_system {
    const ct_model *model;
    const char *rule;
    bool asked; // the rule was named by the caller
    ct_formulate_what what;
    ct_formulation *f;
    bool assembled;
    double *q0, *qd0;         // [n]
    double *joint0;           // [model coordinates] on the turn that `initial` and `guess` name
    const char **joint_names; // [model coordinates], once asked for
    double residual;
    int rank;         // of Phi_q at the initial state, motions aside
    int rank_motions; // with them
    int m_rows;       // rows that are not motions
    int m;            // rows kept for the run
    int *rows;
    int n_dropped; // redundant ones
    int *dropped;
    ct_strings redundant; // names of joints whose rows were dropped
    ct_strings columns[2], equations, tree_names[2], files; // handed out
    const char **equation_table;
    // closed.c
    ct_closure *closure; // of f, or NULL
    ct_flow *flow;       // that it follows, or NULL
    bool named;          // its independent coordinates were
    bool own;            // f holds coordinates of bodies that no result shows
    ct_formulation **former;
    int n_former, room_former;
};

ct_status ct_system_new(ct_context *ctx, const ct_model *model, const char *rule,
                        ct_formulate_what what, ct_system **system);

// The same with trees that are there already; the system owns the graph (also on failure).
ct_status ct_system_of_graph(ct_context *ctx, ct_graph *graph, const char *rule,
                             ct_formulate_what what, ct_system **system);

// closing --------------------------------------------------------------------------------------
// Finds the closure of an assembled system. Where the trees are free they are those of the
// solution flow from then on: f, the initial state and the rows are new, the columns are the same.
ct_status ct_close_system(ct_context *ctx, ct_system *s);
// With the independent coordinates named (n = 0: as above).
ct_status ct_close_system_with(ct_context *ctx, ct_system *s, int n, const char *const *names);

// result columns -------------------------------------------------------------------------------
void ct_columns_init(ct_columns *c, ct_system *s, bool kinematics);
void ct_columns_clear(ct_columns *c);

// assembly -------------------------------------------------------------------------------------
// Positions and velocities of the formulation f from `initial`, `guess` and the motions; `joint`
// gets every joint coordinate of the model.
ct_status ct_assemble_state(ct_context *ctx, const ct_formulation *f, double *q, double *qd,
                            double *joint, double *residual);
// Newton to the nearest point with Phi = 0, `fixed` coordinates held; returns the largest |Phi|
// left.
double ct_close(const ct_formulation *f, ct_numbers *x, const bool *fixed, double *q);

#endif
