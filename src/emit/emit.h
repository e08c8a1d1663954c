// Plain C99 for a formulated mechanism: straight-line functions over shared subexpressions,
// constants (what depends on parameters alone) set up once, temporaries reused.
#ifndef CT_EMIT_H
#define CT_EMIT_H

#include "assemble/assemble.h"
#include "closure/closure.h"

// Input of the emitter: equations, initial state, closure.
typedef struct ct_emit_input {
    const ct_formulation *f;
    int m;           // constraint rows kept
    const int *rows; // [m] rows of the formulation
    int n_dropped;   // redundant rows at the initial state: the spare ones of the kernel
    // joints come and go: m is all rows, none is dropped, and the first m_start are independent
    int m_start;
    const int *dropped;
    const double *q0, *qd0;
    double residual;           // of that initial state
    const char *name;          // identifier: prefix of files and symbols
    const ct_closure *closure; // or NULL
    bool closure_only;         // leave out what it does not need: gamma, M and F of all coordinates
    bool without_loops;        // leave out blocks of constraints, which newton-loops iterates
    bool without_values;       // numbers of the model (ct_emit_values) are no part of the text
    bool reactions;            // equations of the reactions of joints are written too
    bool drives;               // for the drives of the model, instead of its motions
    // derivatives of the forces are written too, for implicit integrators
    enum { CT_NO_TANGENT, CT_EMPTY_TANGENT, CT_FORCE_TANGENT, CT_FULL_TANGENT } tangent;
    // for the method `recursive`: of the tree by itself, in the place of M and F where `recursion`
    bool recursive, recursion;
    bool
        fused; // a product and a sum are one operation, fma, rounded once: for processors that have it
    int n_kinks; // of motions (ct_kinks_count), where steps are divided by the kernel
    bool steady; // sines and cosines take the same time for every angle (ctk_steady.h)
    const ct_assembly *assembly; // whose initial problem is written where values are; or NULL
} ct_emit_input;

// What numbers a model has: its parameters, and what follows from them. Code that is compiled for a
// run does not hold them, so that it is the same for all values; they are put beside it.
typedef struct ct_emit_values {
    double *parameters, *inputs; // those that are not derived; defaults
    double *q0, *qd0;            // initial state
    double *units, *row_units;   // of coordinates and of rows
    double *guard_scale;         // of the measures of the closure; NULL without one
} ct_emit_values;

// Sizes of the initial problem, as in ctk_initial; all 0 without one.
typedef struct ct_emit_sizes {
    int n, m, n_bodies, n_guards, n_conditions, n_joints;
} ct_emit_sizes;

typedef struct ct_emission {
    char *source; // NAME.c
    char *header; // NAME.h
    int n_constants;
    ct_operations dynamics;     // of one evaluation of everything
    ct_operations position;     // of Phi and Phi_q alone
    int temporaries;            // most in use at once
    int n_stiffness, n_damping; // entries of derivatives of the forces
    int n_answer, n_light;       // numbers of a recursion; coordinates without inertia in it
    // of the closure
    ct_operations closure_positions; // one turn of each iteration
    ct_operations closure_dynamics;
    int n_signs, n_tracked, n_guards; // with those of iterations
    ct_emit_values values;
    bool has_initial;      // the initial problem is there
    bool has_joint_frames; // so is a function for the joint frames of rotations
    bool has_scales;       // of it only the scales of measures, in code for runs
    ct_emit_sizes initial;
} ct_emission;

void ct_emit(const ct_emit_input *in, ct_emission *out);
// The numbers of a model alone, for code that is there; guard_scale is left out.
void ct_emit_values_of(const ct_emit_input *in, ct_emit_values *v);
void ct_emission_clear(ct_emission *code);

// Reactions of joints in files of their own, with constants of their own: behind the model's text.
typedef struct ct_reaction_code {
    char *source, *header; // NAME_reactions.c, NAME_reactions.h
    size_t doubles, ints;  // memory of the kernel for them
    int n_columns, n_groups;
    const char *const *columns; // names
} ct_reaction_code;
void ct_emit_reaction_files(const ct_emit_input *in, ct_reaction_code *out);
// Outputs y of the emitted model: joint coordinates not among q, their rates, named outputs,
// T and V.
int ct_emit_outputs(const ct_emit_input *in);
// True if outputs need accelerations or reactions: the model has a function for them.
bool ct_emits_late_outputs(const ct_emit_input *in);
// True if outputs need the reactions of joints: that function reads them.
bool ct_emits_reaction_outputs(const ct_emit_input *in);
// Functions of time whose zeros are kinks of motions.
int ct_kinks_count(const ct_model *model);
// Operations of M and F, which tell how long compilers take.
double ct_emit_operations(const ct_formulation *f);
// Operations of the dynamics function as it would be emitted, without writing it.
ct_operations ct_emit_count(const ct_formulation *f);

// Identifier made of a name: letters, digits, underscores; never empty, never a keyword.
char *ct_c_identifier(const char *name);
// A name as the inside of a C string literal or of a comment.
void ct_c_string(ct_text *out, const char *s);
void ct_c_comment(ct_text *out, const char *s);

// one function ------------------------------------------------------------------------------------
// array[index] = root
typedef struct ct_target {
    const char *array;
    int index;
    ct_ex root;
} ct_target;
typedef struct ct_writer ct_writer;
// Symbols are written as the given text; parameter-only subexpressions become constants "c[k]".
ct_writer *ct_writer_new(ct_pool *pool);
void ct_writer_fuse(ct_writer *w);   // products that are added are written as fma
void ct_writer_steady(ct_writer *w); // sines and cosines are those of ctk_steady.h
void ct_writer_name(ct_writer *w, ct_ex symbol, const char *text);
// Statements in parts, one after the other, which share what they compute: the targets of each
// between its texts (or NULL). A loop is a part with symbols that move from one turn to the next;
// what does not depend on them is computed before it. Returns the most temporaries in use at once.
typedef struct ct_part {
    const char *before, *after;
    int n;
    const ct_target *targets;
    int n_moving; // 0: not a loop
    const ct_ex *moving;
} ct_part;
int ct_writer_parts(ct_writer *w, ct_text *out, int n, const ct_part *parts, ct_operations *count);
// Statements that set the constants met so far; parameters are written as named before.
int ct_writer_constants(ct_writer *w, ct_text *out);
// Statements for targets that depend on parameters alone, likewise by name.
void ct_writer_by_name(ct_writer *w, ct_text *out, int n, const ct_target *targets);
// Parameters by name: p[k] those that are passed, d[k] derived ones.
void ct_emit_name_parameters(ct_writer *w, const ct_model *model);
// The length of the mechanism as a power of two, in C: a constant, or a number where no parameter
// decides on it.
void ct_emit_length(ct_writer *w, const ct_formulation *f, char *text, size_t size);
// Number of the constant that an expression in parameters alone is.
int ct_writer_constant(ct_writer *w, ct_ex a);
// The function `name` that sets all constants met so far from p; "constants" is static. Returns how
// many there are.
int ct_emit_constants(ct_writer *w, ct_pool *pool, const ct_model *model, const char *name,
                      ct_text *out);
void ct_writer_free(ct_writer *w);

#endif
