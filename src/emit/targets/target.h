// Targets of `generate`. Every target gets the same description of a model and
// of the run that its program makes, and returns the files that belong to it. A new target is a
// file target_NAME.c and a line in CT_TARGETS (include/cotree.h), which the command line reads too.
#ifndef CT_TARGET_H
#define CT_TARGET_H

#include "emit/emit.h"
#include "kernel/ctk.h"
#include "kernel/inline/ctk_angles.h"

// Result columns after t: every joint coordinate, every body's own; their rates (and
// accelerations); outputs.
typedef struct ct_turned_column { // angles of a turned joint, to be named in results
    const ct_joint *joint;
    int turn; // into `turns` of the columns
} ct_turned_column;
typedef struct ct_columns {
    int n;
    int width;      // columns of one order: the model's coordinates, then those of bodies
    int *source;    // >= 0: index into q; < 0: -1 - index into the outputs y
    int *order;     // how often differentiated
    bool *is_angle; // an angle by back-substitution: to be kept continuous by itself
    double *start;  // its initial value, on the right turn; of rates: as given
    const char **names;
    int n_turns;       // joints with three such angles in a row
    ctk_angles *turns; // kept continuous together
    int n_followed; // columns that continue from state to state: single angles, turns with their rates
    int *followed;
    int n_turned;
    ct_turned_column *turned;
    ct_arena arena; // of the arrays
} ct_columns;

// Stabilisation of the constraints; negative: the kernel's own value.
typedef struct ct_stabilisation {
    double alpha, beta, penalty, zeta, omega;
} ct_stabilisation;

// The description: a model, and the run with fixed steps that its program makes.
typedef struct ct_target_input {
    const ct_emit_input *model; // equations, closure, initial state, name of files and symbols
    ctk_method method;
    ctk_integrator integrator;
    bool cross_limits; // limit positions of the closure are crossed by partition
    double time, step, output_step;
    ct_stabilisation stabilisation;
    ctk_implicit_options implicit; // of implicit integrators
    int n_independent; // coordinates named for coordinate partitioning; 0: chosen at the start
    const int *independent;
    const ct_columns *columns;
} ct_target_input;

typedef struct ct_target_file {
    char *name, *text; // owned
} ct_target_file;
typedef struct ct_target_output {
    ct_target_file *file;
    int n, room;
    ct_operations
        operations; // of one evaluation of the dynamics, in closed form where there is one
} ct_target_output;

typedef void ct_target_write(const ct_target_input *in, ct_target_output *out);

// The function behind a name, or NULL.
ct_target_write *ct_target_find(const char *name);
// target_files.c; both strings are taken over
void ct_target_add(ct_target_output *out, char *name, char *text);
void ct_target_output_clear(ct_target_output *out);

// the targets -------------------------------------------------------------------------------------
#define CT_DECLARE_TARGET(target, name) ct_target_write ct_target_##target;
CT_TARGETS(CT_DECLARE_TARGET)
#undef CT_DECLARE_TARGET

// parts of the C target: a program around the model, and its Makefile
char *ct_emit_main(const ct_target_input *in, const ct_emission *code, const ct_reaction_code *r);
char *ct_emit_makefile(const char *name);

#endif
