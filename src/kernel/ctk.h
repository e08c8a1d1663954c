// The run-time kernel: what a generated model needs besides its own equations. Plain C99, libm
// only, no allocation, no global state. The same text is compiled into cotree and written out
// beside generated models; it is in the public domain (CC0), so generated code carries no licence.
//
// Equations:  M(q) q'' + Phi_q^T lambda = F(q, q', t, u),   Phi(q, t) = 0,
// Phi_q q' = -Phi_t,   Phi_q q'' = gamma.   Matrices are dense, row by row.
// Where the functions of a model take inputs, u = (n_inputs values, their rates, their
// accelerations): motions use all three, forces the values.
//
// A rotation without a singular position has four positions and three rates: Euler parameters e and
// the angular velocity w in the frame of the body, e' = e o (0, w) / 2, or of its root. Its three rates and the last
// three of its parameters stand where coordinates stand, its first parameter stands behind all
// coordinates. So positions are longer than rates:
//   q  = (n coordinates; n_rotations first parameters; 3 angles of each rotation)
//   q' = (n rates; rates of the angles of each rotation),   M, F, Phi_q: n coordinates
// The angles are for results alone (ctk_refresh): they continue from state to state.
#ifndef CTK_H
#define CTK_H

#include <stddef.h>

#include "ctk_integrators.h"
#include "ctk_wrenches.h"

// Version of the names and types in this file, and of the functions that generated code calls. The
// major number changes when a name or its meaning does, the minor one when something is added.
// Generated files name the version they were written for; kernels before 1.0 have no number.
#define CTK_VERSION_MAJOR 1
#define CTK_VERSION_MINOR 8
#define CTK_VERSION       "1.8"

// A group of loops with an iteration of its own.
typedef struct ctk_loop {
    int n;
    const int *unknown; // [n] coordinates
    const int *row;     // [n] its constraint rows; they hold unknowns of this and of earlier loops
    // Phi of its rows [n] and their derivatives by its unknowns [n n]
    void (*residual)(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_u);
} ctk_loop;

// Loops closed in order, in three programs. positions: values v (sines, cosines, slides) from the r
// independent coordinates qi (behind them the first parameter of each rotation that is independent).
// dynamics: accelerations from one equation for each freedom.
// expansion: all coordinates, on request. Signs b tell the branch; numbers w (angles and slides
// that are iterated or tracked) are followed from state to state. The programs return 0, or 1 + the
// step that has no solution; 1 + n_steps: the equations of motion are singular.
typedef struct ctk_closure {
    int n_independent, n_values, n_signs, n_tracked, n_guards, n_steps, n_loops;
    int n_carried; // the last of w: positions finds them as it left them; the others may be
                   // extrapolated to where they are expected (CTK_CARRIED in ctk_small.h)
    // coordinates; rotations that are independent are whole among them. One or two places of another
    // rotation stand for single angles of it: these are independent then.
    const int *independent;    // [n_independent]
    int n_rotations;           // of the model that are independent; the steps place the others
    const int *rotations;      // [n_rotations] which
    const int *guard_step;     // [n_guards]
    const double *guard_scale; // [n_guards] size of a measure away from limits; 0: not known
    const char *const *step_names, *const *step_joints; // [n_steps]
    const ctk_loop *loops;
    // v and w from all coordinates of a closed position; `read` gives b too
    void (*place)(const double *c, double t, const double *q, const double *u, double *v,
                  double *w);
    void (*read)(const double *c, double t, const double *q, const double *u, double *v, double *w,
                 double *b);
    // v on the branch b; w starts from near its last values; signs in b that are 0 (not known) are
    // set; measures g are positive, and 0 where branches meet
    int (*positions)(const double *c, double t, const double *qi, const double *u, double *b,
                     double *w, double *v, double *g);
    // accelerations qddi; power of the forces that are not in the potential energy, or NULL
    int (*dynamics)(const double *c, double t, const double *qi, const double *qdi, const double *u,
                    const double *b, const double *w, const double *v, double *qddi, double *power);
    // all coordinates (angles and parameters near those passed in), rates and accelerations
    int (*expansion)(const double *c, double t, const double *qi, const double *qdi,
                     const double *qddi, const double *u, const double *b, const double *w,
                     const double *v, double *q, double *qd, double *qdd);
} ctk_closure;

// A rotation that is integrated whole. R(e) turns the frame of its body into that of its root. The
// angles by name are those of N^T R(e) F, with the joint frames N and F in these, or of its inverse.
typedef struct ctk_rotation {
    int at;      // of its rates, and of the last three of its parameters
    int axis[3]; // of the angles: 0 x, 1 y, 2 z
    int inverse; // 1: the angles are those of the inverse
    int in_root; // 1: the angular velocity is in the frame of the root: e' = (0, w) o e / 2
    // 1: forces need the middle angle, 2: others, which have no value in the lock. Functions find
    // the angles of the state before behind the inputs, u[3 (n_inputs + rotation)], and on.
    int followed;
} ctk_rotation;

// How the start follows from parameters: unknowns q0 of its own with rows Phi0(q0) = 0, at t = 0.
// Bodies count without ground. ctk_initial.c says what is solved.
typedef struct ctk_initial {
    int n, m, n_bodies, n_guards;
    const int *is_angle, *is_held, *has_rate; // [n] slides else; held by `initial`; with a rate
    const int *row_power;                     // [m] unit of a row: this power of a length
    const char *const *row_names;             // [m] the joint or motion that a row belongs to
    int uses_inputs;                          // 1: motions depend on inputs, so the start does
    // what `guess`, `initial` and motions say: positions, and rates that are held
    void (*start)(const double *c, double t, const double *u, double *q, double *qd);
    void (*position)(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_q);
    void (*velocity)(const double *c, double t, const double *q, const double *u, double *phi_t);
    // centre of mass and orientation [12] of each body; velocities and spins [6 n] at unit rates
    void (*poses)(const double *c, double t, const double *q, const double *u, double *pose);
    void (*twists)(const double *c, double t, const double *q, const double *u, double *twist);
    // joints whose velocities open rates keep small: their bodies (0: ground), [3] from the centre of
    // mass of the second one to the joint; the joint that a given rate belongs to, or -1, and its
    // velocity and spin [6] at unit rate
    int n_joints;
    const int *joint_bodies, *given_in; // [2 n_joints], [n]
    void (*joints)(const double *c, double t, const double *q, const double *u, double *arm,
                   double *given);
    // measures that are positive where a joint is the right way round; angles [3] of its rotation,
    // and where they stand among q
    void (*guards)(const double *c, double t, const double *q, const double *u, double *guard,
                   double *angle);
    const int *guard_at, *guard_turns, *guard_proper; // [3] each; how many; like zxz
    // the state in the coordinates of the model, rotations by angles and (turns [12]) by matrix and
    // spins
    void (*transfer)(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *to, double *to_rate, double *turns);
    // lengths that others compare to: of the mechanism, of its bodies; powers of them
    void (*lengths)(const double *c, double *length);
    const int *unit_power, *row_unit_power; // [n], [m + n_spare] of the model
    // what the model's parameters have decided on, zero where that still holds: rows that depend on
    // parameters alone, signs of axes, masses that are not negative
    int n_conditions;
    const int *condition_power;
    const char *const *condition_names;
    // these, the inputs' defaults, and the sizes of the measures of the closure at a position
    void (*conditions)(const double *c, double *condition);
    void (*inputs)(const double *c, double *u);
    void (*scales)(const double *c, double t, const double *q, const double *u, double *scale);
} ctk_initial;

typedef struct ctk_model {
    const char *name;
    int n; // coordinates
    int m; // constraint rows (independent ones): n - m freedoms
    int n_inputs, n_parameters, n_constants, n_outputs;
    const char *const *coordinate_names; // [n]
    const char *const *constraint_names; // [m + n_spare]: the joint that each row belongs to
    const char *const *output_names;     // [n_outputs]
    const char *const *parameter_names, *const *input_names;
    const double *parameters; // defaults of those that are not derived from others
    const double *inputs;     // defaults, with rates and accelerations where motions use them
    const double *q0, *qd0;   // assembled initial state [n + 4 n_rotations], [n + 3 ..]
    const double *units;      // [n] by which coordinates compare, 1 for angles; NULL: all are 1
    const double *row_units;  // [m + n_spare] by which |Phi| compares: 1, a length, a squared one;
                              // NULL: 1
    // constants c from parameters p: once, before anything else
    void (*constants)(const double *p, double *c);
    void (*position)(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_q);
    void (*velocity)(const double *c, double t, const double *q, const double *u, double *phi_q,
                     double *phi_t);
    // This and the next one may be NULL in a model with a closure: then there are no other methods.
    // Right side of Phi_q q'' = gamma
    void (*acceleration)(const double *c, double t, const double *q, const double *qd,
                         const double *u, double *phi_q, double *gamma);
    // everything at once; power: of the forces that are not in the potential energy
    void (*dynamics)(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *mass, double *forcing, double *phi, double *phi_q, double *phi_t,
                     double *gamma, double *power);
    // y: joint coordinates that are not among q, their rates, the named outputs, kinetic and
    // potential energy last
    void (*outputs)(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *y);
    // Behind `outputs`, which sets them to 0: those of y that need accelerations, or columns r of the
    // reactions of joints (NULL where none does). NULL: there are none. ctk_outputs calls both.
    void (*late_outputs)(const double *c, double t, const double *q, const double *qd,
                         const double *qdd, const double *u, const double *r, double *y);
    const ctk_closure *closure; // or NULL
    int n_rotations;
    const ctk_rotation *rotations;
    // N and F of every rotation [9 each]; NULL: joint frames are those of the bodies
    void (*joint_frames)(const double *c, double *frame);
    // Rows that depend on the first m at the initial state: which rows are redundant changes along
    // the motion. The kernel solves m of all m + n_spare rows and chooses them anew where the chosen
    // ones degrade. `spare` gives Phi, Phi_q, Phi_t and gamma of the last n_spare rows.
    int n_spare;
    void (*spare)(const double *c, double t, const double *q, const double *qd, const double *u,
                  double *phi, double *phi_q, double *phi_t, double *gamma);
    // Phi and Phi' = Phi_q q' + Phi_t of all m + n_spare rows: are the loops closed, and stay so?
    // NULL: these come from the functions above.
    void (*opening)(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *phi, double *phi_rate);
    const ctk_initial *initial;   // NULL: q0 and qd0 are the start whatever the parameters are
    const ctk_wrenches *wrenches; // equations of the reactions of joints, or NULL
    int reads_reactions;          // 1: ctk_outputs finds them for late_outputs
    // Derivatives of the forces, for implicit methods: K = -dF/dq (along turns for rotations) and
    // C = -dF/dq', those entries that are not zero everywhere, with their places row * n + column.
    // NULL: the model has none, and no implicit methods.
    int n_stiffness, n_damping;
    const int *stiffness_places, *damping_places;
    void (*tangent)(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *stiffness, double *damping);
    // With it: columns of each row of Phi_q that are not zero everywhere, from row_first[row] on; the
    // order in which coordinates are eliminated from Newton's matrix M + .. K + .. C + .. Phi_q^T Phi_q,
    // and behind each one in this order, from newton_first on, the later ones that this changes.
    const int *row_first, *row_columns;
    const int *newton_order, *newton_first, *newton_after;
    // For the method `recursive`: the tree by itself, by a recursion over its bodies. recursion: q'' of the
    // tree in the place of M and F, pivots of the recursion [n] in parts of what they are measured by, and
    // numbers [n_answer] by which `answer` finds x with (M + E) x = f. E is diagonal, what coordinates without
    // inertia get: those of `light` [n_light], and the first numbers kept are its entries. NULL: M and F
    // serve, from `dynamics`.
    int is_recursive, n_answer, n_light;
    const int *light;
    void (*recursion)(const double *c, double t, const double *q, const double *qd, const double *u,
                      double *qdd, double *pivot, double *kept, double *phi, double *phi_q,
                      double *phi_t, double *gamma, double *power);
    void (*answer)(const double *c, double t, const double *kept, const double *force, double *x);
    // Joints that come and go (events/ctk_events.c). The m rows are all that there are, n_spare is 0;
    // the first m_start hold and are independent in the initial position, and so hold the others whose
    // joint holds there. `switches` gives for each joint its condition, then for each the gap that it
    // closes (0: none), then measures that are positive where a joint is the right way round. `attach`
    // gives what joints keep of a position, which stands behind all other inputs in u, and
    // behind that, 1 or 0, which joints hold.
    int n_switches, m_start, n_switch_guards, n_kept;
    const char *const *switch_names;
    const int *row_switch;                 // [m] joint of a row, -1: none that comes and goes
    const int *switch_start;               // [n_switches] 1: it holds in the initial position
    const int *switch_here;                // [n_switches] 1: it attaches where it is
    const int *guard_switch, *kept_switch; // [n_switch_guards], [n_kept]
    void (*switches)(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *value);
    void (*attach)(const double *c, double t, const double *q, const double *u, double *kept);
    // Motions whose rate may jump: functions of time that are zero there [n_kinks], as t - 0.5 is for
    // min(t, 0.5); then their rates [n_kinks]. Steps are divided where one is zero (events/ctk_kinks.c).
    // NULL: there are none, or whoever takes the steps looks for them.
    int n_kinks;
    void (*kinks)(const double *c, double t, const double *u, double *value);
    // NULL: the functions are this model's own, as in generated C. Else they serve many models: the
    // address is put into c[0] before `constants` is called, and into c[1] the number of the loop
    // before its `residual` is.
    const void *context;
} ctk_model;

typedef enum ctk_method {
    CTK_AUGMENTED,
    CTK_BAUMGARTE,
    CTK_PENALTY,
    CTK_NEWTON,
    CTK_PARTITION,
    CTK_TRIANGULAR,   // these two need a closure
    CTK_NEWTON_LOOPS, // the same, but the positions are iterated, loop by loop
    CTK_HYBRID,       // these need an implicit integrator
    CTK_SEMI_RECURSIVE,
    CTK_GLOBAL,   // as CTK_HYBRID, for models in natural coordinates
    CTK_RECURSIVE // needs a model that is written for it
} ctk_method;
#define X(enumerator, name, order, stages, past) CTK_##enumerator,
typedef enum ctk_integrator { CTK_INTEGRATORS(X) } ctk_integrator;
#undef X

typedef enum ctk_status {
    CTK_OK = 0,
    CTK_SINGULAR_MASS,    // M (projected) is not positive definite, or the whole system is singular
    CTK_SINGULAR_CLOSURE, // the dependent columns of Phi_q lost their rank; sim->where: the
                          // constraint row
    CTK_NO_CONVERGENCE, // closure iteration did not converge; sim->where: the worst constraint row
    CTK_JUMPED,         // closure went to another branch; sim->where: the coordinate
    CTK_NOT_FINITE,     // a value overflowed or became NaN; sim->where: the coordinate
    CTK_BAD_OPTION,
    CTK_NO_SOLUTION,  // a closure step has none (out of reach), or branches meet; sim->where: the
                      // step
    CTK_CLOSURE_ONLY, // the model has no functions for methods without a closure, and for
                      // reactions; or none to iterate its loops
    CTK_OPEN,         // a constraint row stands open by more than options.open; sim->where: the row
    CTK_NOT_ASSEMBLED, // no initial position with these parameters; ctk_where: a joint that stays
                       // open
    CTK_RATES_CONTRADICT, // the initial rates tear a joint open with these parameters; ctk_where
    CTK_OTHER_STRUCTURE,  // these parameters make another mechanism of it, or none (ctk_where: what
                          // decides, as "axis of joint J"): generate it anew
    CTK_SINGULAR_JOINTS,  // reactions of joints have no finite value in this position
    CTK_NO_FRICTION, // friction by load has no solution, or more than one; sim->where: which friction
    CTK_FRICTION_OPEN, // redundant constraints leave the load of a friction open; sim->where: which
    CTK_NO_STEP, // the iteration of an implicit step does not converge; sim->where: the coordinate
    CTK_GAP // a joint that becomes active stands open; sim->where: the joint among those that come and go
} ctk_status;

// Of implicit integrators (ctk_implicit.c).
typedef struct ctk_implicit_options {
    double penalty; // hybrid, global: in units of the mass that each constraint moves, for any step
    int iterations; // at most, in a step
    int fixed;      // 1: always as many, for steps of constant time
    double tolerance; // of accelerations, relative, by which an iteration ends
    double rho;       // generalized-alpha: spectral radius at high frequencies, 0 to 1
    double hht;       // hht: alpha, 0 to 1/3
} ctk_implicit_options;

typedef struct ctk_options {
    ctk_method method;
    ctk_integrator integrator;
    double alpha, beta;          // baumgarte: Phi'' + 2 alpha Phi' + beta^2 Phi = 0
    double penalty, zeta, omega; // penalty: in units of the mass that each constraint moves
    int penalty_iterations;      // multiplier updates in each evaluation
    double tolerance;            // closure: largest |Phi| accepted, of the units of its rows
    const int *independent;      // n - m coordinates to keep, or NULL: chosen by pivoting
    int energy;                  // with a closure: integrate the work too
    int cross_limits; // with a closure: cross limit positions by partition, then close again
    // Inputs as functions of time: values u, rates ud and accelerations udd [n_inputs] at time t,
    // before every evaluation. NULL: the caller writes sim->u (and ud, udd) between steps.
    void (*inputs)(void *data, double t, double *u, double *ud, double *udd);
    void *inputs_data;
    double
        open; // largest |Phi| of any row, in its unit, that a run goes on with; 0: 1e-6 where the
              // method closes the loops, 1e-3 where they drift
    ctk_implicit_options implicit;
} ctk_options;

// How regular an eliminated matrix was.
typedef struct ctk_rank {
    double smallest;    // pivot, of rows scaled to 1
    double determinant; // its size
    int sign;           // of the determinant
    int row;            // where the smallest pivot was found
} ctk_rank;

// Of implicit steps, in the caller's block where the model has derivatives of its forces.
typedef struct ctk_implicit_space {
    // of a step: q at its end is q moved by the increment d; q' = Gc d + rate and
    // q'' = Bc d + acceleration there; the correction of d
    double *increment, *rate, *acceleration, *correction; // [n]
    double *algorithmic;         // A of generalized-alpha at the current state [n]
    double *multiplier, *factor; // lambda and R of all rows
    double *kept;                // lambda of the current state, in a step
    double *own;                 // q'' that the next step goes on from: sim->qdd is for results [n]
    int *is_shown;               // 1: sim->qdd solves the equations of the current state
    double *stiffness, *damping; // entries of K and C
    double *matrix, *slope;      // [n n]
    double *scale, *right;       // [n]
    int *pivot;                  // [n]
    int is_dense;                // 1: the factors of `matrix` are those of a dense elimination
    // recursive: q'' of the tree, pivots, q'' by loops too; numbers that are kept; M^-1 Phi_q^T of all rows,
    // one after the other; factors of W, scales of its rows; entries of E [n]
    double *tree, *pivots, *found, *numbers, *answers, *gram, *row_scale, *armature;
} ctk_implicit_space;

// Joints that come and go: which hold, and the model with their rows.
typedef struct ctk_switching {
    const ctk_model *all;    // with all rows; NULL: no joint comes and goes
    const double *all_units; // of all rows, or NULL
    ctk_model now;           // with those that hold, the first `m` of them independent
    int *active, *row;       // [n_switches]; row of `all` for each row of `now`
    int *wanted, *mark;      // [n_switches], [rows]: conditions, and rows that depend on others
    double *phi, *phi_q, *phi_t, *gamma, *units, *value, *kept; // of all rows; scratch
    double *closed; // gaps of joints that come [n_switches]
    double gap;     // of the joint that stands open
} ctk_switching;

// Scratch memory inside the caller's block; not for the caller. r = n - m.
typedef struct ctk_space {
    // the state being tried, and the model's equations there
    double *q, *qd, *qdd, power;
    double *mass, *forcing, *phi, *phi_q, *phi_t, *gamma;
    double *phi_rate;               // Phi' = Phi_q q' + Phi_t
    double *spare;                  // Phi, Phi_t, gamma and Phi_q of the spare rows
    double *closure, *scale, *step; // LU of the scaled Phi_d [m m]; 1 / rows; a correction
    double *weakest, *base_weakest; // direction that the scaled Phi_d shrinks most [m]
    double regularity;              // smallest singular value of the scaled Phi_d, or an estimate
    int is_estimate;                // 1 if it is one
    int estimates;                  // states accepted since the value itself was computed
    double *tangent, *bias;         // D = -Phi_d^-1 Phi_i [m r], c = Phi_d^-1 gamma [m]
    double *base_tangent, *base_bias, *base_u; // of the current state, with its inputs
    double *given_u, given_t; // inputs as the caller wrote them for a step, and its start
    int goes_on;              // 1 in a step that inputs go through by these rates
    // points of the path between these two states (ctk_branch.c)
    double *path_q, *path_tangent, *path_drift, *path_u, *goal;
    double *turns, *moved; // changes of all coordinates; of rotations turns (ctk_rotations.c)
    // where the angles of rotations were known last, [6] each: e, half of the turn that ctk_glance may
    // leave behind, and the time until which
    double *known;
    double *system, *right, *weight, *multiplier; // the linear system of the method
    int raises;                                   // of penalty factors (ctk_dynamics.c)
    double *y, *trial, *rate[4], *past[3];        // integrators [2 n + 1]
    // of each coordinate in the run (ctk_error.c); sum_error: what its position may be off by
    double *most_rate, *most_error, *error_t, *sum_error;
    int is_doubtful; // 1 if an error is above CTK_LONG_STEP of the coordinate's own largest rate
    int *closure_pivot, *system_pivot, *columns, *rows;
    int *row_mark;
    int n_exchanged; // rows among the first m places that are spare ones
    ctk_rank rank;
    // with a closure: the state being tried, the current one, the two before (at past_t and
    // older_t)
    double *v, *base_v;
    double *w, *base_w, *past_w, *older_w, *path_w; // newton-loops: all coordinates after them
    double *g, *base_g, *past_g, *most_g;           // most_g: largest so far
    double *b, *branches;                           // branches: of the loops
    double *now, *now_rate;                         // current y and y'
    double past_t, older_t;
    int has_past; // how many of the two states before are known
    // driven motions: all coordinates are those of the current state, or it is held by them alone
    // (ctk_driven.c); values and measures at a time that is looked at; copies of q, q', q''
    int is_expanded, is_held;
    // 1 while a step of a driven motion is tried: stages at the same time are computed once. The
    // time and the power of the last one, whose values are in v; NAN: none
    int in_step;
    double stage_t, stage_power;
    double *trial_v, *kept;
    // ctk_substep.c: `saved` is a copy of the `closed_size` numbers of the closure from `closed` on
    double *closed, *saved, piece; // piece: share of a step to start with
    size_t closed_size;
    // ctk_cross_limit.c: the state that a change of method starts from; signs, the nearest measure
    // (or -1) and its value when the closure was left
    double *saved_q, *saved_qd, *left_b, left_g;
    ctk_method left_method;
    int left;
    // 1 if rows of a closure stood open at the last look as far as digits are lost; 1 if it was left for
    // that, and steps until it is tried again
    int is_loose, was_loose, until_tried;
    // ctk_initial.c: its room; units, units of rows and scales for parameters of the caller
    double *initial, *units, *row_units, *guard_scale;
    double *joint_frames; // of rotations, [18] each
    int *initial_index;
    // ctk_friction.c: its room; all coordinates with rates and accelerations, of closed methods; 1 + the
    // number of self-stresses (0: not known), 1 + the friction whose load they leave open
    double *friction, *friction_q, *friction_qd, *friction_qdd;
    int *friction_index, friction_self, friction_open;
    double *kinks; // numbers of model->kinks at three times
    ctk_implicit_space implicit;
} ctk_space;

// Reactions of joints along a simulation, in memory of the caller.
typedef struct ctk_joint_forces {
    const ctk_wrenches *wrenches;
    double *y; // [n_columns + n_more] at the last state: see column_names of the wrenches
    // Over all states: 1 where no self-stress of redundant constraints changes a column [n_columns]; 1
    // where one changes a joint or coupling [n_groups], in a planar mechanism its part in the plane, or
    // that across it under loads across.
    int *is_unique, *is_stressed;
    // not for the caller
    double *c, *largest, *room;
    int *state, *now, *across, *index;
} ctk_joint_forces;

typedef struct ctk_sim {
    const ctk_model *model;
    ctk_options options;
    double t;
    // current state: all coordinates, closed and consistent; with a closure, and the angles of
    // rotations, after ctk_refresh
    double *q, *qd, *qdd;
    double angles_t; // when the angles of rotations were known last
    // Inputs [n_inputs] at time t: the caller may write them between steps. A step goes on from them
    // by their rates ud and accelerations udd, which are 0 unless they are written.
    double *u, *ud, *udd;
    double *c;                    // constants
    double work;                  // integral of `power`
    double residual;              // |Phi|_inf of the current state (or of the last ctk_refresh)
    double max_residual;          // over the run
    int *independent, *dependent; // [n - m], [m]
    int *rows;                    // [m + n_spare] row in each place: the first m are solved
    int row_changes;              // times that rows were chosen anew
    int reselections;             // times the independent set was changed
    int where;                    // see ctk_status
    int crossing_limit;           // 1 between leaving the closure and its return
    int limits_crossed;           // times that the closure was left at a limit position
    int branch_changes;           // times that signs had changed behind a limit position
    int limit;                    // step of the closure at the last limit position
    long evaluations;
    // implicit steps: corrections of all of them, most in one; steps that were taken although the last
    // correction was above the tolerance
    long corrections;
    int most_corrections;
    long unconverged;
    double *buffer; // inside the caller's memory
    int *index;
    size_t state_size;  // numbers in the integrated state y
    int history;        // ab4: derivatives kept so far; implicit: 1 behind the first step
    double step;        // ab4: the step they were kept with
    double power;       // at the current state
    int branch;         // sign of det Phi_d: constant along a branch
    double quality;     // smallest singular value of the scaled Phi_d at the current state
    double determinant; // of the scaled Phi_d there, its size
    double start;       // time of ctk_init
    // what coordinates, rows and measures of the closure compare to, with these parameters
    const double *units, *row_units, *guard_scale;
    double length;           // of the mechanism
    ctk_joint_forces forces; // where outputs read them
    ctk_switching switching;
    ctk_space space;
} ctk_sim;

void ctk_options_init(ctk_options *options);
// Memory that the caller provides.
size_t ctk_doubles(const ctk_model *model);
size_t ctk_ints(const ctk_model *model);

// Starts at time t from q, qd (NULL: the model's own), parameters p and inputs u (NULL: defaults).
// Derived parameters follow from p, and so does the model's own start: where p differs from the
// defaults the mechanism is assembled anew, as cotree does it. Closes the loops, makes the velocities
// consistent and computes the accelerations.
ctk_status ctk_init(ctk_sim *sim, const ctk_model *model, const ctk_options *options,
                    const double *p, const double *u, double t, const double *q, const double *qd,
                    double *doubles, int *ints);
// One step of length h with the fixed-step integrator: state at t + h, closed, with accelerations.
// On failure the last valid state is kept and sim->where says where.
ctk_status ctk_step(ctk_sim *sim, double h);
// The current state under inputs that have changed, where options.inputs has a jump or a bend: new
// accelerations, and no derivatives of earlier steps. ctk_step does that for inputs that are
// written.
ctk_status ctk_inputs_changed(ctk_sim *sim);
// events: what happens at an instant of time -----------------------------------------------------
// A joint that has come or gone.
typedef struct ctk_event {
    int joint;        // among those that come and go
    int becomes;      // 1: active
    double gap, loss; // that was closed, in the unit of its row; energy of the impulse
} ctk_event;
// Returns 1 if a condition of joints that come and go is another one at the current state, whose
// coordinates must be known (ctk_refresh), than the joints that hold say.
int ctk_event_is_due(ctk_sim *sim);
// The same at a state that is tried, time t and y of ctk_state_get; 0 where it has no derivative.
int ctk_event_is_due_at(ctk_sim *sim, double t, const double *y);
// Passes an event at the current state, whose coordinates must be known: forces, and rates of motions
// if moves is 1, may have jumped, and joints whose conditions have changed come and go. Velocities
// change by a plastic impulse over all rows that hold,
//   M dq' + Phi_q^T I = 0,   Phi_q (q' + dq') = -Phi_t,
// accelerations are found anew and integrators start anew. event [n_switches], or NULL: joints that have
// come or gone, *n of them; of those that come together the first one has the loss. *change: of the
// kinetic energy. On failure the simulation cannot go on.
ctk_status ctk_event_pass(ctk_sim *sim, int moves, ctk_event *event, int *n, double *change);
// The first time until t at which the rate of a motion may jump, on the way from the current state; t
// where there is none. ctk_step divides a step there and passes the event: that is for programs whose
// steps are to end there anyhow.
double ctk_next_kink(ctk_sim *sim, double t);
// The row of the whole model that sim->where means after a status about rows.
int ctk_row_where(const ctk_sim *sim);
// The largest estimated error of one step since ctk_init, relative to the largest rate of the
// coordinate: above CTK_LONG_STEP the steps are too long for these forces, above 1 the motion is worthless.
// *where: the coordinate (-1: none has moved), *t: the time behind that step; both may be NULL.
double ctk_local_error(const ctk_sim *sim, int *where, double *t);
#define CTK_LONG_STEP 1e-3
// With a closure, steps compute no more than the next one needs: this gives the current q, qd, qdd
// and residual, and with every method the angles of rotations. Angles are continued from the last
// call (at least twice in a turn, then). Accelerations of implicit steps are those of their iteration,
// unless outputs or reactions need them: these solve the equations of the current state.
ctk_status ctk_refresh(ctk_sim *sim);
// The same for a state between results, whose angles of rotations nobody reads: they stay as they are
// while ctk_refresh is sure to continue them.
ctk_status ctk_glance(ctk_sim *sim);
// Goes on by partition from the current state of a closed method, to cross a limit position: what
// ctk_step does by itself if options.cross_limits is set. On failure nothing changes.
ctk_status ctk_cross_limit(ctk_sim *sim);
// For outer integrators: a failure on the way past a limit position in terms of the closure.
ctk_status ctk_cross_limit_blame(ctk_sim *sim, ctk_status status);
// Outputs y [n_outputs] of the current state, whose coordinates must be known (ctk_refresh). Those that
// read reactions are NaN where these have no finite value.
void ctk_outputs(const ctk_sim *sim, double *y);
// Reactions of joints: memory that the caller provides; start, with parameters p of the model (NULL:
// defaults) after ctk_init; those of the current state, whose coordinates must be known
// (ctk_refresh), in forces->y.
size_t ctk_joint_forces_doubles(const ctk_wrenches *w);
size_t ctk_joint_forces_ints(const ctk_wrenches *w);
void ctk_joint_forces_init(ctk_joint_forces *forces, const ctk_sim *sim, const ctk_wrenches *w,
                           const double *p, double *doubles, int *ints);
ctk_status ctk_joint_forces_find(const ctk_joint_forces *forces, const ctk_sim *sim);
// Of the states so far: the most redundant constraints that leave reactions open.
int ctk_joint_forces_redundant(const ctk_joint_forces *forces);
// Likewise: efforts of drives more than are needed.
int ctk_joint_forces_choices(const ctk_joint_forces *forces);
// Of the last state, of the largest force so far: what pushes freedoms that no effort moves. In a motion
// that is prescribed the drives are too few where it is not zero.
double ctk_joint_forces_bare(const ctk_joint_forces *forces);
// The same for a motion that is given (init may have sim NULL where the wrenches have no constants of
// their own). Returns what no joint can balance, of the largest force so far.
double ctk_joint_forces_at(const ctk_joint_forces *forces, const ctk_wrench_motion *motion);
// Multipliers [m] of the current state, M q'' + Phi_q^T lambda = F: the reactions at the cut
// joints; lambda[i] belongs to row sim->rows[i], and spare rows that are not solved carry nothing.
// With a closure loop by loop, from the last to the first.
ctk_status ctk_reactions(ctk_sim *sim, double *lambda);

// The integrated state y, for outer integrators: (q, qd, work) or (independent q, qd, work), q with
// the first parameters of rotations behind it; their length need not be kept at 1. Trial
// states are reached from the last accepted one: accept every internal step, and take a failed
// derivative as a request for a shorter step.
void ctk_state_get(const ctk_sim *sim, double *y);
// The coordinate that number i of y belongs to, by its position or its rate; -1: the work, or the
// first parameter of a rotation.
int ctk_state_coordinate(const ctk_sim *sim, int i);
// Returns 1 if number i of y is one of the four parameters of a rotation.
int ctk_state_is_parameter(const ctk_sim *sim, int i);
ctk_status ctk_state_derivative(ctk_sim *sim, double t, const double *y, double *ydot);
// Takes y at time t as the current state (closing the loops, accelerations included). Partition
// may select its independent coordinates anew, and options.cross_limits the method; then
// *reselected is set and y must be fetched again, sim->state_size numbers at sim->t (before a limit position: not t, but
// the time before).
ctk_status ctk_state_accept(ctk_sim *sim, double t, const double *y, int *reselected);

// For outer integrators of the constraint equations themselves: M, F, Phi, Phi_q, Phi_t, gamma and power at a
// state that is none of the simulation, in sim->space, by methods without a closure. q with the first
// parameters of rotations behind it.
void ctk_equations(ctk_sim *sim, double t, const double *q, const double *qd);
// Rates of such positions by the rates of their coordinates, [n + n_rotations].
void ctk_position_rate(const ctk_model *model, const double *q, const double *qd, double *rate);

// Driven motion: all coordinates from Phi(q, t) = 0 near sim->q; velocities, accelerations. Needs
// m == n. Inputs that are written are those at time t.
ctk_status ctk_kinematics(ctk_sim *sim, double t);

const char *ctk_status_text(ctk_status status);
// The name of what sim->where means after `status`: a joint, a motion or a coordinate; "" if there is
// none.
const char *ctk_where(const ctk_sim *sim, ctk_status status);

// Efforts of friction by load for a motion whose accelerations follow from them.
typedef struct ctk_friction {
    const ctk_wrenches *w;
    ctk_wrench_motion motion;
    double *effort; // [w->n_frictions] among motion.u: the result
    // accelerations for the efforts as they stand, into motion.qdd; NULL: these do not depend on them
    ctk_status (*accelerate)(void *data);
    void *data;
    double *doubles; // ctk_friction_doubles
    int *ints;       // ctk_friction_ints
    int n_self;      // self-stresses at the last call; -1: there was none
    int open;        // friction whose load they leave open, or -1
    int is_open;     // 1: loops may drift, and leave forces over
    int where;       // friction that a failure is about
    double largest;  // force that the equations were about
} ctk_friction;
size_t ctk_friction_doubles(const ctk_wrenches *w);
size_t ctk_friction_ints(const ctk_wrenches *w);
ctk_status ctk_friction_find(ctk_friction *f);

#endif
