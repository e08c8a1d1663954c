// What is kept of a model between runs, so that the next run formulates nothing: what formulating
// has said and the names of result columns; and for each way of running it what follows from its
// equations: method, columns, units, the compiled object.
//
// Keys hold all that these depend on: the model's content with what overrides it, its path (in
// messages), this build, the rule of trees; for a run the command, the method, the compiler and the
// processor.
#ifndef CT_PREPARED_H
#define CT_PREPARED_H

#include "emit/targets/target.h"
#include "model/model.h"

typedef struct ct_said { // messages, in order
    int n;
    ct_place *place;
    char **line;
} ct_said;
// Of a context that said nothing before; and the same again.
void ct_said_take(ct_said *said, const ct_context *ctx);
void ct_said_again(const ct_said *said, ct_context *ctx);

// A model in the trees of a rule.
typedef struct ct_kept_system {
    ct_said said;
    int n_names[2]; // of columns, t first: simulate, kinematics
    char **names[2];
} ct_kept_system;

// A run of it.
typedef struct ct_kept_run {
    ct_said said; // while it was prepared
    // the method that is run, and what it starts with
    int method; // a ctk_method
    bool complete, cross_limits;
    int n_independent;
    int *independent;
    // columns; their names are those of the system
    ct_columns columns;
    // of the equations
    bool does_work; // constraints depend on time
    double length;
    int n, n_natural;
    double *units; // [n] of coordinates
    // for other values of parameters (run/vary.c): edges of the trees, [2 n_edges], of rotations that
    // are integrated whole; constraint rows that are kept, others; orientations that stay are used
    int n_edges, n_whole, m, n_dropped;
    bool *in_tree, translates;
    int *whole, *rows, *dropped;
    // code, and the numbers beside it
    ct_digest object;
    int n_values;
    double *values;
} ct_kept_run;

// of_file: whatever --set has changed.
ct_digest ct_kept_key(const ct_model *model, const char *rule, const char *file, bool of_file);
// False: there is none, or it is not what it should be.
bool ct_kept_system_read(ct_digest key, ct_kept_system *kept);
void ct_kept_system_write(ct_digest key, ct_kept_system *kept);
bool ct_kept_run_read(ct_digest key, ct_kept_run *kept);
void ct_kept_run_write(ct_digest key, ct_kept_run *kept);
// What the expressions of a model are: equal for values with which its equations have one form. False
// in `possible`: no other values can be run with the code of the file's own.
typedef struct ct_kept_form {
    bool possible;
    ct_digest form;
} ct_kept_form;
bool ct_kept_form_read(ct_digest key, ct_kept_form *kept);
void ct_kept_form_write(ct_digest key, ct_kept_form *kept);

#endif
