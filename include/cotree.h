// cotree: the mechanism compiler. The one public header.
//
// A model file is read into a ct_model; ct_formulate writes its equations of motion symbolically
// as a ct_system; ct_assemble finds the initial state; then ct_simulate, ct_kinematics and
// ct_generate run it or write it out as C. Every function that can fail returns a ct_status and
// leaves its messages in the context. Memory that runs out is a status too: functions that return a
// pointer or a number then return NULL or a negative one.
#ifndef COTREE_H
#define COTREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "ctk_integrators.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CT_VERSION "0.1.0"

typedef enum ct_status {
    CT_OK = 0,
    CT_WRONG_MODEL = 1, // the model or the data is wrong
    CT_USAGE = 2,       // the call is wrong
    CT_NUMERICS = 3,    // the numerics failed
    CT_INTERNAL = 4,    // a defect of this program, or of its surroundings (no compiler, disk full)
    CT_INTERRUPTED = 5, // the caller asked to stop
    CT_NO_MEMORY = 6    // memory ran out: a system or view that the call was given is lost
} ct_status;

// messages -----------------------------------------------------------------------------------
typedef struct ct_context ct_context;
ct_context *ct_context_new(void);
void ct_context_free(ct_context *ctx);
int ct_message_count(const ct_context *ctx);
// Whole line, "FILE:LINE:COL: error: what, and what to do"; valid until the context changes.
const char *ct_message(const ct_context *ctx, int i);
void ct_messages_clear(ct_context *ctx);

// progress -----------------------------------------------------------------------------------
typedef struct ct_progress {
    const char *stage; // what is going on: "assembling", "integrating", ...
    double share;      // of the stage that is done, 0..1; negative: not known
    bool stops;        // the caller's `stop` is looked at in this stage
} ct_progress;
// Called whenever a stage begins, and a few times a second where the share is known. NULL: nobody
// wants to know.
void ct_set_progress(ct_context *ctx, void (*function)(void *data, const ct_progress *progress),
                     void *data);

// models -------------------------------------------------------------------------------------
typedef struct ct_model ct_model;
// Models read from now on have numbers in the place of their parameters: shorter code, for these
// values alone.
void ct_set_fold(ct_context *ctx, bool fold);
// How long searches for trees may take, in seconds on a common machine (default: 1). It is spent in
// operations that are counted, so that the result does not depend on the clock.
void ct_set_budget(ct_context *ctx, double seconds);
// `set` holds n_set strings NAME=EXPR that override parameters (may be NULL).
ct_status ct_model_read(ct_context *ctx, const char *path, int n_set, const char *const *set,
                        ct_model **model);
// The same from memory; `path` is only for messages.
ct_status ct_model_read_text(ct_context *ctx, const char *path, const char *text, size_t bytes,
                             int n_set, const char *const *set, ct_model **model);
void ct_model_free(ct_model *model);
const char *ct_model_name(const ct_model *model);

// inputs -------------------------------------------------------------------------------------
// What inputs follow in runs: before ct_formulate, once for each input. An input without any of these
// keeps its default. Inputs of motions have rates and accelerations, too.
// text: NAME=EXPR, an expression of t and parameters.
ct_status ct_input_expression(ct_context *ctx, ct_model *model, const char *text);
// A CSV file with a column t and columns by the names of inputs; columns that are results of this
// model are passed over. Straight lines between rows, a cubic spline for inputs of motions; hold: the
// value of the last row. Constant beyond the ends.
ct_status ct_input_file(ct_context *ctx, ct_model *model, const char *path, bool hold);
// A function: value, rate and acceleration at time t into out[0], out[1], out[2]. It must be smooth;
// rates count for inputs of motions alone.
ct_status ct_input_function(ct_context *ctx, ct_model *model, const char *name,
                            void (*at)(void *data, double t, double *out), void *data);
// Back to the defaults. Inputs of forces may be given anew between runs of a system.
ct_status ct_inputs_clear(ct_context *ctx, ct_model *model);

// formulation --------------------------------------------------------------------------------
typedef struct ct_system ct_system;
// rule: "joint", "absolute", "vbts", "fbts", "best", or NULL (the model's own `trees:`, else "joint").
// The system keeps using the model, which must outlive it.
ct_status ct_formulate(ct_context *ctx, const ct_model *model, const char *rule,
                       ct_system **system);
// The same with equations of motion put off until something needs them: ct_check does not.
ct_status ct_formulate_positions(ct_context *ctx, const ct_model *model, const char *rule,
                                 ct_system **system);
void ct_system_free(ct_system *system);
// Initial state: positions, velocities, redundant constraints. Called by whatever needs it.
ct_status ct_assemble(ct_context *ctx, ct_system *system);

// Every joint coordinate of that state, then the coordinates of bodies that no joint holds.
typedef struct ct_initial_info {
    int n;
    const char *const *names;
    const double *values;
} ct_initial_info;
// Both belong to the system.
ct_status ct_initial(ct_context *ctx, ct_system *system, ct_initial_info *info);

typedef struct ct_operation_count {
    double add, mul, div, func, total;
} ct_operation_count;

typedef struct ct_input_info {
    const char *name;
    double value; // the default
    bool drives;  // a motion or a constraint uses it
} ct_input_info;
typedef struct ct_check_info {
    const char *name;
    int bodies, joints, coordinates, constraints, dof, dof_after_motions, redundant, loops;
    bool planar;
    int n_redundant_joints;
    const char *const *redundant_joints;
    double residual; // of the assembled initial state
    int n_inputs;
    const ct_input_info *inputs;
} ct_check_info;
// Strings belong to the system.
ct_status ct_check(ct_context *ctx, ct_system *system, ct_check_info *info);

typedef struct ct_trees_info {
    const char *rule; // "joint", "absolute", "vbts", "fbts", "best" or "given"
    int n_rotation, n_translation, n_coordinates;
    const char *const *rotation, *const *translation, *const *coordinates;
    // of the trees alone; coordinates of cut joints that forces, gears or outputs name come on top,
    // with a row each
    int dynamic_equations, constraint_equations;
    ct_operation_count operations; // shared, as emitted
    ct_operation_count expanded;   // the same equations written out in full
    // joints and bodies whose rotation a run integrates whole: four Euler parameters and the angular
    // velocity in the place of three angles and their rates
    int n_integrated;
    const char *const *integrated;
} ct_trees_info;
ct_status ct_trees(ct_context *ctx, ct_system *system, ct_trees_info *info);
// The linear graph as text: nodes, edges, both trees, cutsets and circuits. Free with
// ct_string_free.
char *ct_graph_text(ct_system *system);
// The linear graph with both trees in the language of Graphviz. Free with ct_string_free.
char *ct_graph_drawing(ct_system *system);

typedef enum ct_equation_style {
    CT_EQUATIONS_TEXT,
    CT_EQUATIONS_C,
    CT_EQUATIONS_LATEX
} ct_equation_style;
typedef struct ct_equations_info {
    int n, m;                       // coordinates, constraints
    const char *const *coordinates; // [n]
    const char *const *mass;        // [n*n], row by row
    const char *const *forcing;     // [n]
    const char *const *constraints; // [m]
    int n_definitions;              // shared subexpressions that the others use, in order
    const char *const *definition_names, *const *definition_values;
    int n_integrated; // as in ct_trees_info; `coordinates` names what the equations hold
    const char *const *integrated;
} ct_equations_info;
// M(q) q'' + Phi_q^T lambda = F(q, q', t), Phi(q, t) = 0. Strings belong to the system until the
// next call.
ct_status ct_equations(ct_context *ctx, ct_system *system, ct_equation_style style,
                       ct_equations_info *info);
// The whole thing as one text for people.
char *ct_equations_text(ct_context *ctx, ct_system *system, ct_equation_style style);

// Methods, integrators and targets, one line each: X(enumerator, name). Those of the second kind
// are reserved for later versions.
#define CT_METHODS(X)                                                                              \
    X(AUGMENTED, "augmented")                                                                      \
    X(BAUMGARTE, "baumgarte")                                                                      \
    X(PENALTY, "penalty")                                                                          \
    X(NEWTON, "newton")                                                                            \
    X(PARTITION, "partition")                                                                      \
    X(TRIANGULAR, "triangular")                                                                    \
    X(NEWTON_LOOPS, "newton-loops")                                                                \
    X(HYBRID, "hybrid")                                                                            \
    X(SEMI_RECURSIVE, "semi-recursive")                                                            \
    X(GLOBAL, "global")                                                                            \
    X(RECURSIVE, "recursive")
#define CT_METHODS_LATER(X)
// With fixed steps, those of the run-time kernel: more columns follow the name.
#define CT_INTEGRATORS(X)          CTK_INTEGRATORS(X)
#define CT_INTEGRATORS_ADAPTIVE(X)                                                                 \
    X(CVODE, "cvode")                                                                              \
    X(IDA, "ida")
// rk4 where its steps are short enough, else cvode
#define CT_INTEGRATORS_CHOSEN(X) X(AUTO, "auto")
// Which derivatives of the forces implicit integrators use: of all of them, of applied ones and weight, or
// none.
#define CT_TANGENTS(X)                                                                             \
    X(FULL, "full")                                                                                \
    X(FORCES, "forces")                                                                            \
    X(NONE, "none")
// Events within a step: the step is divided there, or they wait for its end.
#define CT_EVENTS(X)                                                                               \
    X(LOCATED, "located")                                                                          \
    X(STEP, "step")
#define CT_TARGETS(X) X(c, "c")
#define CT_TARGETS_LATER(X)                                                                        \
    X(fmu2, "fmu2")                                                                                \
    X(fmu3, "fmu3")
// Their names in a row, each with a blank after it.
#define CT_NAME_AND_BLANK(enumerator, ...) CT_NAME_OF(__VA_ARGS__, 0) " "
#define CT_NAME_OF(name, ...)              name

// running ------------------------------------------------------------------------------------
typedef struct ct_run_options { // negative numbers and NULL: the model's `simulate:`, else the
                                // default
    double time, step, output_step;
    const char *method;     // one of CT_METHODS
    const char *integrator; // one of CT_INTEGRATORS, _ADAPTIVE or _CHOSEN
    double alpha, beta, penalty, zeta, omega, rtol, atol;
    // implicit integrators: corrections in a step at most, by `fixed` always as many; accuracy of
    // accelerations; spectral radius of generalized-alpha; alpha of hht; one of CT_TANGENTS
    double iterations, tolerance, rho, hht;
    bool fixed;
    const char *tangent;
    double index; // ida: 1, or 2 (stabilised, the default)
    const char *events; // one of CT_EVENTS; NULL: located
    // Reactions of joints as further columns: names of joints, couplings and motions, as "A,gear"; "":
    // all of them. NULL: none.
    const char *reactions;
    bool drives; // with reactions: efforts of the model's `drives`, instead of its motions
    // Called with each result row in turn; a non-zero return stops with CT_INTERNAL. May be NULL.
    int (*row)(void *data, int n, const double *values);
    void *row_data;
    volatile sig_atomic_t *stop; // set non-zero (by a signal handler) to end early; may be NULL
} ct_run_options;
void ct_run_options_init(ct_run_options *options);

// A joint that has come or gone in a run.
typedef struct ct_event_entry {
    double time;
    const char *joint;
    bool becomes;     // active
    double gap, loss; // closed, as the row that was open most; energy that the impulse has taken, J
} ct_event_entry;

typedef struct ct_run_summary {
    double time; // reached
    long steps;
    double seconds;      // of the integration alone
    double max_residual; // largest |Phi| over the run
    double energy_drift; // relative, NaN where it is not defined (motions)
    double local_error;  // largest estimated error of one step, relative
    const char *method, *integrator;
    int limits;         // times that the closure came close to a limit position and made way
    int branch_changes; // times that the branch was another one behind
    // implicit integrators: corrections in a step, mean (NaN for others) and most; steps that ended
    // above the tolerance
    double iterations;
    int most_iterations;
    long unconverged;
    int natural_coordinates; // method global: components of points and vectors; 0 for others
    bool interrupted;
    // joints that come and go: what they did, and all energy that impulses have taken; they belong to
    // the system until its next run. late: at the end of a step, since it was divided too often
    int n_events;
    const ct_event_entry *events;
    double impact_loss;
    long late_events;
    bool switches; // the model has such joints
    // with reactions: how large they were over the rows; they belong to the system until its next run
    int n_efforts, n_reactions;
    const struct ct_effort_range *efforts;
    const struct ct_reaction_range *reactions;
    int overactuated; // drives more than are needed
} ct_run_summary;

typedef struct ct_effort_range { // of a motion or drive
    const char *name;
    double min, max, rms, peak_power;
} ct_effort_range;
typedef struct ct_reaction_range { // of a joint; of a coupling max_lambda alone
    const char *name;
    bool is_coupling;
    double max_force, max_moment, max_lambda;
    bool unique[6]; // of the columns; a coupling: the first
    bool is_open;   // redundant constraints leave it open; of a planar mechanism: in its plane
} ct_reaction_range;

// Column names of the rows: t, coordinates, rates (and accelerations for kinematics), outputs.
int ct_result_columns(ct_system *system, bool kinematics, const char *const **names);
// The same with the columns of reactions that the options ask for, behind all others: `X.effort` of
// motions or drives, then `J.fx J.fy J.fz J.mx J.my J.mz` of joints (what body A exerts on B, at B's
// joint point, in ground axes) and `J.lambda` of couplings. -1, with a message, if a name is unknown.
int ct_run_columns(ct_context *ctx, ct_system *system, const ct_run_options *options,
                   bool kinematics, const char *const **names);
ct_status ct_simulate(ct_context *ctx, ct_system *system, const ct_run_options *options,
                      ct_run_summary *summary);
ct_status ct_kinematics(ct_context *ctx, ct_system *system, const ct_run_options *options,
                        ct_run_summary *summary);

// forces -------------------------------------------------------------------------------------
// What joints carry at one instant, and what forces do. The reaction of a joint is what its body A
// exerts on body B, at B's joint point, in ground axes.
typedef struct ct_joint_reaction {
    const char *name;
    bool is_coupling; // a gear, rack or equation: lambda alone
    const char *on;   // body B
    double point[3], force[3], moment[3], lambda;
    bool unique[6]; // of force and moment, or of lambda: no self-stress of the joints changes it
} ct_joint_reaction;
typedef struct ct_force_value { // effort of a motion, drive, actuator, torsion, limit; tension
    const char *name;
    bool is_wrench; // a bushing, contact, drag: force and moment
    double value, force[3], moment[3];
} ct_force_value;

typedef struct ct_output_value { // an output of the model
    const char *name;
    double value;
} ct_output_value;

// A driven motion as ct_kinematics has it, with the columns of all reactions and of the efforts of the
// motions, or of the model's `drives`.
ct_status ct_inverse_dynamics(ct_context *ctx, ct_system *system, const ct_run_options *options,
                              ct_run_summary *summary);

// The position at a time, at rest or in its driven motion, and the efforts of the motions, or of the
// model's `drives`, that hold it there.
typedef struct ct_statics_options {
    double time; // negative: 0
    bool moving; // with the rates and accelerations of the driven motion (inverse dynamics)
} ct_statics_options;
void ct_statics_options_init(ct_statics_options *options);
typedef struct ct_statics_info {
    int n; // coordinates, as result columns name them
    const char *const *names;
    const double *values;
    int n_reactions, n_forces;
    const ct_joint_reaction *reactions;
    const ct_force_value *forces;
    double imbalance, residual; // largest force left on a freedom; largest |Phi|
    int redundant, overactuated;
    int n_outputs;
    const ct_output_value *outputs;
} ct_statics_info;
ct_status ct_statics(ct_context *ctx, ct_system *system, const ct_statics_options *options,
                     ct_statics_info **info);
void ct_statics_free(ct_statics_info *info);

// rest ---------------------------------------------------------------------------------------
// Where a mechanism rests: the position that is reached downhill from the initial one, over the
// freedoms that motions leave.
typedef struct ct_equilibrium_options {
    double time;  // of motions, loads and inputs; negative: 0
    bool nearest; // Newton's iteration from the start, to a position that may be unstable
    int n_hold;   // coordinates that stay where they start
    const char *const *hold;
} ct_equilibrium_options;
void ct_equilibrium_options_init(ct_equilibrium_options *options);

typedef struct ct_equilibrium_info {
    int n; // coordinates, as result columns name them
    const char *const *names;
    const double *values;
    double residual;       // largest |Phi|
    double imbalance;      // largest force that is left on an independent coordinate, N or N m
    int redundant;         // constraints
    const char *stability; // "stable", "unstable" or "neutral", by the linear motion about it
    int n_independent;
    const char *const *independent;
    const double *stiffness;   // [n_independent^2] row by row: - d(force) / dq along the joints
    int n_frequencies;         // one for each freedom with inertia
    const double *frequencies; // Hz, undamped, ascending; NaN where the square is negative
    double potential;          // J
    int iterations;
    int n_reactions, n_forces; // at rest there, as statics has them
    const ct_joint_reaction *reactions;
    const ct_force_value *forces;
    int n_outputs;
    const ct_output_value *outputs;
} ct_equilibrium_info;
ct_status ct_equilibrium(ct_context *ctx, ct_system *system, const ct_equilibrium_options *options,
                         ct_equilibrium_info **info);
void ct_equilibrium_free(ct_equilibrium_info *info);
// From now on the system starts from its equilibrium, at rest.
ct_status ct_equilibrium_start(ct_context *ctx, ct_system *system,
                               const ct_equilibrium_options *options);

// Mass properties of the initial position. Vectors are in ground axes; inertias are Ixx, Iyy, Izz,
// Ixy, Ixz, Iyz about the centre of mass, products as integrals.
typedef struct ct_mass_body {
    const char *name;
    double mass, com[3], inertia[6];
} ct_mass_body;
typedef struct ct_mass_info {
    double mass, com[3], inertia[6];         // com and inertia are NaN without mass
    double kinetic, potential;               // J
    double momentum[3], angular_momentum[3]; // the latter about ground's origin
    int n_bodies;                            // without ground
    const ct_mass_body *bodies;
} ct_mass_info;
ct_status ct_mass(ct_context *ctx, ct_system *system, ct_mass_info **info);
void ct_mass_free(ct_mass_info *info);

// generation ---------------------------------------------------------------------------------
typedef struct ct_generate_info {
    int n_files;
    const char *const *files; // names below the directory; they belong to the system
    ct_operation_count operations;
    size_t bytes;
} ct_generate_info;
// target: one of CT_TARGETS. Writes all files or none.
ct_status ct_generate(ct_context *ctx, ct_system *system, const char *target, const char *directory,
                      const ct_run_options *options, ct_generate_info *info);

// closing ------------------------------------------------------------------------------------
// How the loops are closed: which coordinates are independent, and in which order and how the
// others follow from them.
typedef struct ct_close_step {
    int n_unknowns;
    const char *const *unknowns; // coordinates
    int degree;                  // of the equation that is solved
    const char *method;          // "given" "linear" "quadratic" ... "newton"
    const char *joint, *text;    // where, and what it says
    int general; // iterated: degree of a polynomial for one unknown in general, 0: not known
} ct_close_step;
typedef struct ct_close_info {
    int n_independent;
    const char *const *independent;
    bool triangular; // nothing is iterated, no degree above 4
    int n_steps;
    const ct_close_step *steps;
    int n_iterated;
    const char *const *iterated;
    ct_operation_count operations; // of the steps, from sines and cosines of what is independent
    ct_operation_count positions, dynamics; // of one evaluation, everything included
    double residual;     // largest |Phi| after closing at the initial position and around it
    double seconds;      // to find the closure, without compiling
    bool cached;         // the order of solution was known from an earlier run
    int blocks_recalled; // blocks of unknowns that the library of triangular systems knew
} ct_close_info;
// names: the independent coordinates, or n = 0 (the model's `independent:`, else searched for).
ct_status ct_close_describe(ct_context *ctx, ct_system *system, int n, const char *const *names,
                            ct_close_info **info);
void ct_close_info_free(ct_close_info *info);

// measuring ----------------------------------------------------------------------------------
// The solution approaches on one model, side by side in one run, with Euler's method.
typedef struct ct_bench_options {
    double time, step; // negative: 1 s and 1 ms, or the model's where they are shorter
    double seconds;    // of measuring, about, and each approach once; negative: 4, and five times
    int n_independent; // as for ct_close_describe
    const char *const *independent;
    double error;      // of ct_bench_methods: largest that is accepted, m or rad; negative: 0.01
    volatile sig_atomic_t *stop; // set non-zero to end early; may be NULL
} ct_bench_options;
void ct_bench_options_init(ct_bench_options *options);

typedef struct ct_bench_approach { // not finite: not measured, or does not apply
    const char *name;
    double kinematic_ms_per_s;             // from independent coordinates to all positions
    double dynamic_ms_per_s;               // whole steps
    double max_residual;                   // largest |Phi| over the run
    double kinematic_ratio, dynamic_ratio; // to the first one, "triangular"
    double published_kinematic_ratio, published_dynamic_ratio;
    double iterations;                               // Newton corrections of one step, the mean
    double kinematic_operations, dynamic_operations; // of one step, the mean
    const char *note;                                // NULL: none
} ct_bench_approach;
typedef struct ct_bench_result {
    int n;
    const ct_bench_approach *approaches;
    double time, step;
    int freedoms;
    bool triangular;
    const char *published; // whose figures they are; NULL: none
} ct_bench_result;
ct_status ct_bench(ct_context *ctx, ct_system *system, const ct_bench_options *options,
                   ct_bench_result **result);
void ct_bench_free(ct_bench_result *result);

// The methods of ct_simulate side by side, by rk4 or where they are implicit by the trapezoid: at one
// step, and at the longest step of 1, 2, 5 x 10^k s, or 0.035 s, that each of them bears.
typedef struct ct_bench_figures { // not finite: there are none
    double step;
    double ms_per_s; // of computing for each simulated second
    double error;    // largest difference of a coordinate to the reference, m or rad
    double energy_drift, max_residual;
    double iterations; // mean of a step
} ct_bench_figures;
typedef struct ct_bench_method {
    const char *name, *integrator;
    ct_bench_figures same, longest;
    const char *note; // why it has none; NULL: none
} ct_bench_method;
typedef struct ct_bench_methods_result {
    int n;
    const ct_bench_method *methods;
    double time, step, error; // error: largest that is accepted
    const char *reference;    // integrator that errors are measured by
} ct_bench_methods_result;
ct_status ct_bench_methods(ct_context *ctx, ct_system *system, const ct_bench_options *options,
                           ct_bench_methods_result **result);
void ct_bench_methods_free(ct_bench_methods_result *result);

// configurations -----------------------------------------------------------------------------
// Every assembly of a mechanism, or every solution of a polynomial system, by exact elimination.
typedef struct ct_configurations_options {
    const char *method; // sylvester rur eigen; NULL: sylvester
    const char *hide;   // unknown of the eliminant; NULL: the file's, else searched for
    bool prove;         // the Groebner basis is proved over the rationals, not modulo a prime
    double seconds;     // limits; 0: none
    size_t bytes;
    volatile sig_atomic_t *stop; // set non-zero to end early; may be NULL
    int branch;                  // of ct_branches: one that must be there, -1: none
} ct_configurations_options;
void ct_configurations_options_init(ct_configurations_options *options);

typedef struct ct_configuration {
    bool real;      // every unknown
    bool certified; // real: a root is proved to be there
    int multiplicity;
    double residual; // largest relative |f|; mechanisms, real: largest |Phi|
    double *re, *im; // [n_values]; NaN: not computed (coordinates of complex assemblies)
} ct_configuration;

// A group of unknowns of a mechanism that depends on no other one, such as a leg at a given pose.
typedef struct ct_configurations_factor {
    int n_values;
    char **values; // names of its unknowns
    int count, real;
    ct_configuration *solutions; // [count], real ones first
} ct_configurations_factor;

typedef struct ct_configurations_result {
    char *name;
    bool mechanism;          // the values are coordinates of joints
    int unknowns, equations; // of the polynomial system
    int dimension;           // 0: finitely many; > 0: freedoms left open; -1: none at all
    int n_free;              // dimension > 0: a choice of what could be given to leave none open
    char **free;
    int n_offending; // dimension -1: equations or joints that contradict each other
    char **offending;
    int degree;          // of the eliminant
    char *variable;      // its unknown; NULL: a combination, or no eliminant
    char **coefficients; // [degree + 1] whole numbers, highest degree first; NULL: none
    long multiplicity;   // solutions counted with multiplicity
    int count, real;
    ct_configuration *solutions; // [count], real ones first
    // configurations in all, real ones: `count` and `real`, or products of more than can be listed
    double total, total_real;
    int n_factors; // independent groups; 0: one
    ct_configurations_factor *factors;
    int n_values;
    char **values;  // names
    int generators; // of the reduced degrevlex basis
    long terms;     // in it
    int matrix;     // rows of the hidden-variable matrix, 0: none was used
    const char *method;
    double seconds, basis_seconds, eliminant_seconds, root_seconds;
    int n_notes; // what else should be known
    char **notes;
} ct_configurations_result;
// CT_OK also where there is no configuration or a whole family: see `dimension`.
ct_status ct_configurations(ct_context *ctx, const char *path, int n_set, const char *const *set,
                            const ct_configurations_options *options,
                            ct_configurations_result **result);
ct_status ct_configurations_text(ct_context *ctx, const char *path, const char *text, size_t bytes,
                                 int n_set, const char *const *set,
                                 const ct_configurations_options *options,
                                 ct_configurations_result **result);
void ct_configurations_free(ct_configurations_result *result);

// branches -----------------------------------------------------------------------------------
// All real assemblies of a mechanism along the range of one driven coordinate. A branch is an assembly
// as a function of that coordinate, between positions where branches meet or end.
typedef struct ct_branch {
    int n;          // samples, the driven coordinate increasing
    double *drive;  // [n]
    double *values; // [n * n_values]
    int from, to;   // events at its ends, -1: an end of the range
    double proved;  // share of its range where it is proved to be the only assembly near
} ct_branch;

typedef struct ct_branch_event {
    double at;        // of the driven coordinate
    const char *kind; // limit: two branches end; crossing: branches go through each other
    int n;
    int *branches;
} ct_branch_event;

typedef struct ct_branch_group { // of branches
    int n;
    int *branches;
} ct_branch_group;

typedef struct ct_branches_result {
    char *name, *coordinate;
    double low, high;
    int n_values;
    char **values; // coordinates of joints
    int n;
    ct_branch *branches;
    int n_events;
    ct_branch_event *events;
    int n_groups; // branches connected without a singular position
    ct_branch_group *groups;
    // Positions inside the range where assemblies can appear, vanish or meet; if they are all known,
    // no branch is missing. Else `incomplete` says why not, and assemblies were looked for at
    // `n_positions`.
    bool complete;
    const char *incomplete;
    int n_critical, n_positions;
    double *critical;
    int n_notes;
    char **notes;
    double seconds;
} ct_branches_result;
// over: "q=a..b", the bounds are expressions in parameters.
ct_status ct_branches(ct_context *ctx, const char *path, int n_set, const char *const *set,
                      const char *over, const ct_configurations_options *options,
                      ct_branches_result **result);
void ct_branches_free(ct_branches_result *result);

// bases --------------------------------------------------------------------------------------
// The reduced Groebner basis of a polynomial system or of the loops of a mechanism.
typedef struct ct_basis_options {
    const char *order;            // lex grlex degrevlex; NULL: degrevlex
    int n_variables;              // unknowns, greatest first; the others follow
    const char *const *variables; // given coordinates among them become free
    const char *substitution;     // of angles: sincos halfangle euler; NULL: sincos
    int n_symbolic;               // unknowns and parameters that stay symbols of the coefficients
    const char *const *symbolic;
    int digits;      // not 0: an approximate basis in decimal numbers of so many digits
    int n_resultant; // unknowns to eliminate by resultants, one after the other
    const char *const *resultant;
    bool prove;     // over the rationals: a basis, and of this ideal
    double seconds; // limits; 0: none
    size_t bytes;
    volatile sig_atomic_t *stop; // set non-zero to end early; may be NULL
} ct_basis_options;
void ct_basis_options_init(ct_basis_options *options);

typedef struct ct_basis_result {
    char *name;
    bool mechanism;
    const char *order, *substitution;
    int n_variables;
    char **variables; // greatest first
    int n_symbols;
    char **symbols;
    int equations;     // of the system, with identities of angles
    long input_degree; // the highest total degree among them
    int n_generators;
    char **generators; // whole coefficients, leading term first; leading terms increase
    long *degrees;     // total degrees
    int dimension;     // of the solutions; -1: none
    long degree;       // dimension 0: solutions with multiplicity
    long multiplications, additions; // to evaluate the generators as they are written
    int digits;                      // 0: exact
    bool proved;                     // nothing rests on primes
    int n_resultants;
    char **resultants;
    int n_notes;
    char **notes;
    double seconds;
} ct_basis_result;
ct_status ct_basis(ct_context *ctx, const char *path, int n_set, const char *const *set,
                   const ct_basis_options *options, ct_basis_result **result);
void ct_basis_free(ct_basis_result *result);

// viewing ------------------------------------------------------------------------------------
// One HTML file that shows a mechanism and its motion, or its assemblies side by side.
typedef struct ct_view ct_view;
typedef enum ct_view_kind { CT_VIEW_MOTION, CT_VIEW_CONFIGURATIONS } ct_view_kind;
typedef struct ct_view_info {
    size_t bytes;
    int frames, bodies; // rows that were kept; without ground
    double seconds;     // to make the page
} ct_view_info;
// columns: names as ct_result_columns gives them (t first), or those of ct_configurations_result
// without t. The view keeps using the model, which must outlive it.
ct_status ct_view_new(ct_context *ctx, const ct_model *model, ct_view_kind kind, int n_columns,
                      const char *const *columns, ct_view **view);
// Takes a row; fits ct_run_options.row, with the view as its data.
int ct_view_row(void *view, int n, const double *values);
// A view with the rows of a result file.
ct_status ct_view_read_csv(ct_context *ctx, const ct_model *model, const char *path,
                           ct_view **view);
// An SVG drawing of the row that is nearest to a time; free it with ct_string_free.
ct_status ct_view_still(ct_context *ctx, ct_view *view, double time, char **svg,
                        ct_view_info *info);
// Says why, where this library was built without what pages are made of.
ct_status ct_view_ready(ct_context *ctx);
// The page, complete; free it with ct_string_free.
ct_status ct_view_page(ct_context *ctx, ct_view *view, char **html, ct_view_info *info);
void ct_view_free(ct_view *view);

// reporting ----------------------------------------------------------------------------------
// Everything about a model on one HTML page. A run that fails is part of the report, and so is what
// there is no Graphviz (`dot`) for: a warning in the context says so.
typedef struct ct_report_info {
    size_t bytes;
    double seconds;
    int n_sections;
    const char *const *sections;
} ct_report_info;
// options: of the run that is shown; its row functions are not called. bench: the approaches are
// measured also where compiling them takes minutes. Free the page with ct_string_free.
ct_status ct_report_page(ct_context *ctx, ct_system *system, const ct_run_options *options,
                         bool bench, char **html, ct_report_info *info);

// what is kept between runs ---------------------------------------------------------------------
// Results never depend on it: it saves time.
typedef struct ct_cache_entries {
    const char *name, *what; // of a kind: its folder, and what it holds
    long n;
    double bytes; // on the disk
} ct_cache_entries;
typedef struct ct_cache_info {
    char *folder;    // NULL: there is no place for one
    const char *why; // it is not used; NULL: it is
    double limit;    // in bytes, for all kinds together
    int n_kinds;
    ct_cache_entries *kinds;
} ct_cache_info;
ct_status ct_cache_show(ct_context *ctx, ct_cache_info **info);
void ct_cache_info_free(ct_cache_info *info);
// Removes all entries; info says what there was. Fails where that is not possible.
ct_status ct_cache_clear(ct_context *ctx, ct_cache_info **info);
// A warning where the cache is not used because others may write to it.
ct_status ct_cache_check(ct_context *ctx);

void ct_string_free(char *s);

#ifdef __cplusplus
}
#endif
#endif
