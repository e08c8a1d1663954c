// Inside of the emitter: the state of the model that is written, and functions that its files
// share.
#ifndef CT_EMIT_INSIDE_H
#define CT_EMIT_INSIDE_H

#include "emit/emit.h"
#include "kernel/ctk.h"
#include "numeric/numbers.h"

typedef struct ct_emitter {
    const ct_emit_input *in;
    const ct_formulation *f;
    ct_writer *w;
    ct_substitution *meanings; // of vectors of integrated rotations; or NULL
    ct_text body;              // functions
    ct_text out;
    ct_target *targets; // of the function under way
    int n_targets, room_targets;
    int temporaries; // most at once
} ct_emitter;

// emit_function.c
void ct_emitter_target(ct_emitter *e, const char *array, int index, ct_ex root);
// Coordinates, rates, inputs and parameters as elements of arrays.
void ct_emitter_name_symbols(ct_emitter *e);
// Statements of the targets collected so far, as a function without a result; the list is empty
// after that. count (or NULL): operations of the function.
void ct_emitter_function(ct_emitter *e, const char *signature, const char *arguments,
                         ct_operations *count);
// Statements that keep compilers silent about arguments (separated by blanks) that are not used.
void ct_emitter_silence(ct_text *out, const char *arguments);

#define CT_DONE "return -1;" // ends a function from within one of its parts
// split.c: writes a function with many statements as several parts, and the opening of the function
// itself, which the caller ends. Returns false, with nothing written, if the statements are few.
// arrays: local arrays that the statements use, ending with NULL; local: their declarations.
// size: of whole functions and of parts. What parts hand on costs a tenth of the step in short ones, and
// compilers take twice the time for long ones. Code that is kept has parts of 2000 statements, code for a
// run, which waits for its compiler, of 600.
typedef struct ct_split_size {
    int longest, part; // lines of a whole function; statements of a part
} ct_split_size;
ct_split_size ct_emitter_split_size(const ct_emitter *e);
bool ct_emit_split(ct_text *out, ct_split_size size, const char *type, const char *signature,
                   const char *arguments, const char *const *arrays, const char *local,
                   const char *statements);

// emit_tables.c
void ct_emit_strings(ct_text *out, const char *name, int n, const char *const *strings);
void ct_emit_numbers(ct_text *out, const char *name, int n, const double *x);
void ct_emit_ints(ct_text *out, const char *name, int n, const int *x);
void ct_emit_map(ct_emitter *e, const ct_emission *code, int n_outputs); // what the file holds
void ct_emit_splines(ct_emitter *e, ct_text *out);                       // tables of functions
void ct_emit_switches(ct_emitter *e); // arrays of joints that come and go
void ct_emit_model_table(ct_emitter *e, const ct_emission *code, int n_outputs);
bool ct_emit_joint_frames(ct_emitter *e);                         // false: nothing was written
void ct_emit_find_values(const ct_emitter *e, ct_emit_values *v); // but for guard_scale

// emit_recursion.c, for the method `recursive`: q'' of the tree, its pivots and what the answer to forces
// needs, as targets of a function; that answer as a function. Returns the coordinates that get an inertia on
// loan, code->n_light of them.
const int *ct_emit_tree_targets(ct_emitter *e, ct_recursion *r, ct_emission *code);
void ct_emit_answer(ct_emitter *e, const ct_recursion *r, const ct_emission *code);

// emit_program.c: a program of the closure as a function that returns an int.
typedef struct ct_program_input {
    const ct_program *program;
    const char *signature, *arguments;
    bool positions;     // guards are outputs g, and signs b follow for iterations
    ct_ex *guard_scale; // positions: what the measures g are measured by, where it is known
    // array and index that a set of the program goes to; false: it is not wanted
    bool (*place)(const void *data, int set, const char **array, int *index);
    const void *data;
    bool guards;          // are written
    const char *optional; // the last array, which callers that do not need it pass as NULL
    int n_last;           // set at the end
    const ct_target *last;
    const char *local, *ending; // declarations, and text after that, or NULL
} ct_program_input;
// Writes a program as one function of the generated code. guard_step (positions): where the step of
// each measure g is added; count (or NULL): operations of the function.
void ct_emit_program(ct_emitter *e, const ct_program_input *p, int *guard_step,
                     ct_operations *count);
// Number of measures g: guards, and determinants of iterations. Number of iterations. Numbers that
// iterations carry in w, behind the tracked values: returns how many; out, unless NULL, gets their
// expressions at the initial state.
int ct_program_measures(const ct_program *program);
int ct_program_iterations(const ct_program *program);
int ct_program_carried(const ct_closure *c, ct_ex *out);

// emit_order.c: numbers at the initial position, with the registers of the closure; rows of a
// matrix in an order for elimination without exchanging them.
void ct_emitter_start(const ct_emitter *e, ct_numbers *numbers);
void ct_emit_row_order(ct_emitter *e, int n, const ct_ex *matrix, int *order);

// emit_closure.c
void ct_emit_closure(ct_emitter *e, ct_emission *code);

// emit.c: what parts of long functions need, where there are any; an identifier in capitals
void ct_emit_parts(ct_emitter *e);
char *ct_emit_upper(const char *name, const char *ending);

// emit_reactions.c: functions and tables of the reactions of joints; before emit_initial.c. What main.c
// has for its option --reactions
void ct_emit_reactions(ct_emitter *e);
// Sizes of the reactions that a model itself needs, for friction by load.
void ct_emit_wrench_shape(const ct_emit_input *in, ctk_wrenches *shape);
void ct_emit_reaction_option(ct_text *out, const ct_emit_input *in, const ct_reaction_code *r);

// emit_kinks.c: zeros of functions of time, where motions kink
void ct_emit_kinks(ct_emitter *e);

// emit_initial.c: behind all other functions, since names of symbols change
void ct_emit_initial(ct_emitter *e, ct_emission *code);

#endif
