// A formulated mechanism on its way to being run: the equations in the trees that were asked for,
// the assembled and the closed mechanism once they are needed, and the strings that the public
// interface hands out.
#ifndef CT_SYSTEM_H
#define CT_SYSTEM_H

#include "closure/choose.h"
#include "emit/targets/target.h"

struct ct_system {
    ct_memory memory;
    const ct_model *model;  // as the user wrote it, or a fork of it with another start
    ct_put_off *first;      // of the model as the user wrote it
    const ct_model *turned; // with frames of balls turned away from the lock, or NULL (turned.h)
    bool by_name;           // no frames are turned: code for others has angles by name
    ct_digest content;      // of the model, when it was formulated
    const char *rule;
    bool asked; // the rule was named by the caller
    // what is kept of it between runs (run/kept/): its key; it is not formulated yet, since that is
    // known to succeed; a system of the same model to be formulated before it
    bool has_key, waits;
    ct_digest key;
    size_t nodes; // of the pool, once it is formulated; while it waits: before
    bool ran;     // it was run
    // where --set has changed values: the key of the file without them, whose runs have the code for
    // these too (run/vary.c); they were found to need code of their own
    bool has_file_key, needs_own;
    ct_digest file_key;
    struct ct_file_run *file_run; // during a run that had to start it; else NULL
    struct ct_building *building; // code that is still being compiled, after a run; or NULL
    struct ct_system *before;
    struct ct_system *positions; // while it waits: positions alone, in a fork of the model; or NULL
    ct_region *positions_in;     // theirs and of the fork
    bool in_angles; // rotations are integrated by angles, as in published approaches (bench)
    bool by_loops;  // a closure iterates loop by loop: rotations that depend are shown in angles
    ct_formulate_what what;
    ct_formulation *f;       // in the trees that were asked for; NULL: it waits
    ct_assembly *assembly;   // NULL before ct_assemble
    ct_assembled *assembled; // f at its initial state, likewise
    // f and its state with rotations integrated whole, for methods without a closure; NULL before
    // ct_integrate_whole, and where there are none
    ct_formulation *whole_f;
    ct_assembled *whole;
    ct_closed *closed; // NULL before ct_close_system; perhaps in other trees
    // the same in natural coordinates; NULL before ct_formulate_natural. in_natural: they are run
    ct_formulation *natural_f;
    ct_assembled *natural;
    bool in_natural;
    bool named; // the independent coordinates of the closed mechanism were
    // handed out
    const char *
        *joint_names; // of ct_initial_info: joint coordinates, then those of bodies without joints
    double *joint_values;
    ct_input_info *inputs;
    ct_strings columns[2], equations, tree_names[2], files, integrated, reactions;
    const char **run_columns; // names of columns with those of reactions
    // how large reactions were in the last run
    struct ct_effort_range *efforts;
    struct ct_reaction_range *ranges;
    const char **equation_table;
};

ct_status ct_system_new(ct_context *ctx, const ct_model *model, const char *rule,
                        ct_formulate_what what, ct_system **system);

// Writes the equations of a system in trees by its rule.
ct_status ct_system_write(ct_context *ctx, ct_system *s);
// A new system whose equations can wait until they are needed: they are written after those of another.
ct_system *ct_system_put_off(const ct_model *model, const char *rule, ct_formulate_what what,
                             ct_system *s);
// The same model with every joint coordinate as an unknown.
ct_status ct_system_all(ct_context *ctx, ct_system *s, ct_system **all);
// Waits for code that is being compiled after a run.
void ct_system_settle(ct_system *s);
// Nothing but formulating was done with the system, and with its model.
bool ct_system_is_fresh(const ct_system *s);
// Formulates a system that waits.
ct_status ct_system_need(ct_context *ctx, ct_system *s);
// What has positions and their rows: the system, or while that waits one without equations of motion.
ct_status ct_system_positions(ct_context *ctx, ct_system *s, ct_system **positions);

// With angles by name alone, or with frames turned where that is needed. What was assembled is
// forgotten where it differs.
ct_status ct_system_by_name(ct_context *ctx, ct_system *s, bool by_name);
// The same mechanism with another start: a fork of its model, which belongs to the system. Nothing of
// its runs is kept or recalled.
ct_status ct_system_start_from(ct_context *ctx, ct_system *s, const ct_model *model);
// Names of joints and bodies whose rotation is, or would be, integrated whole. Returns how many.
int ct_system_integrated(ct_system *s, const char *const **names);
// Integrates rotations whole where no closure is used: those that nothing names by an angle.
ct_status ct_integrate_whole(ct_context *ctx, ct_system *s);
// Points and vectors as coordinates, for method global.
ct_status ct_formulate_natural(ct_context *ctx, ct_system *s);
// What is run: the closed mechanism in the trees of its flow, else the assembled one. NULL before
// it is assembled.
const ct_assembled *ct_system_state(const ct_system *s);
// The same as a run has them: balls whose angles depend in a closure are whole there.
const ct_assembled *ct_run_state(const ct_system *s);
const ct_formulation *ct_run_formulation(const ct_system *s);
const ct_formulation *ct_system_formulation(const ct_system *s);
ct_closure *ct_system_closure(const ct_system *s); // or NULL

// Says that another closure was found than for the values of the file, where that is so.
void ct_system_note_closure(ct_context *ctx, const ct_system *s);
// Finds the closure, in the trees of its solution flow where trees are free.
ct_status ct_close_system(ct_context *ctx, ct_system *s);
// With the independent coordinates named (n = 0: as above), after a check of the names.
ct_status ct_close_named(ct_context *ctx, ct_system *s, int n, const char *const *names);
// Another closure of a closed system, with n independent coordinates that exist; the system keeps its
// own.
ct_status ct_close_beside(ct_context *ctx, ct_system *s, int n, const char *const *names,
                          ct_closed **other);

// result columns -------------------------------------------------------------------------------
void ct_columns_init(ct_columns *c, ct_system *s, bool kinematics);
// The initial values of columns: coordinates by name, and their rates.
void ct_columns_start(ct_columns *c, const ct_assembly *assembly);
// Angles of turned joints in a row of results (behind t) become those by name.
void ct_columns_name_angles(const ct_columns *c, double *row);
void ct_columns_clear(ct_columns *c);

#endif
