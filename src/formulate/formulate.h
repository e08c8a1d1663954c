// Branch-chord formulation on the linear graph for any pair of trees.
//
// The rotation tree gives every orientation and angular velocity, the translation tree every
// position. Coordinates are those of the branches. Each branch's cutset equation, projected on its
// motions, is a row of  M q'' + Phi_q^T lambda = F; each chord's circuit equation, projected on its
// reactions, is a row of  Phi(q, t) = 0. (McPhee 1998; the formulation with separate trees for
// rotation and translation.)
#ifndef CT_FORMULATE_H
#define CT_FORMULATE_H

#include "graph/graph.h"

typedef struct ct_row_owner { // who asks for a constraint row
    int joint, motion, body;  // one of them, the others -1
} ct_row_owner;

// A joint coordinate that is not among q, or one of a body's own: its value and rate follow from q.
typedef struct ct_secondary {
    int coordinate; // of the model, -1: a body's own
    int body, part; // that body, and which value of ct_formulation_edge it is
    const char *name;
    ct_ex value, rate;
} ct_secondary;

typedef struct ct_whole_rotation ct_whole_rotation; // whole_rotation.h
typedef struct ct_natural ct_natural;               // natural/natural.h

// Equations of motion M q'' = F, and M q'' and F - M q'' in symbols for q'', swept over bodies instead
// of by entries of M (NULL where there are no loops).
typedef struct ct_motion_equations {
    ct_ex *mass, *forcing;    // [n n], [n]
    ct_ex *inertia, *balance; // [n]
} ct_motion_equations;

// q'' of a tree in terms of q and q', by a recursion over its bodies that needs no M. Pivots are what it
// divides by, with what each of them is measured by: parameters alone.
typedef struct ct_accelerations {
    ct_ex *qdd, *pivot, *scale; // [n]
} ct_accelerations;

// A floating base: a body whose three slides are those of a free joint on ground, and in no constraint
// row. The accelerations a along its own axes may take the place of theirs,  q'' = T a.
typedef struct ct_floating {
    int body, coordinate[3];
    ct_ex turn[9]; // T, row by row
} ct_floating;

// Joints that come and go. Their rows stand behind the m rows that hold from the start, in the same
// arrays, unless they hold from the start too.
typedef struct ct_switched {
    int rows;
    // what must be positive where a joint closes the right way round
    int n_guards, room_guards, n_guard_joints, room_guard_joints;
    ct_ex *guards;
    int *guard_joint; // of joints that come and go
    // what joints keep that attach where they are: its symbols, and their values there
    int n_kept;
    ct_ex *kept, *kept_value;
    int *kept_joint;
    ct_ex *active; // [joints that come and go] in terms of q, q', t and inputs
} ct_switched;

typedef struct ct_formulation {
    const ct_model *model;
    ct_graph *graph;
    ct_pool *pool;
    int n, n_tree; // coordinates; those of the trees come first, auxiliary ones after
    ct_ex *q, *qd;
    char **names;
    bool *is_angle;
    int *coordinate;  // [n] model coordinate, or -1 (a body's own)
    int *body, *part; // [n] that body, and which value of ct_formulation_edge it is
    int *where;       // [model coordinates] index into q, or -1
    int n_swings;     // of the graph, the last ones of q
    int m;
    ct_ex *phi, *phi_q, *phi_t, *gamma; // phi_q: m x n; behind these rows those of `switched`
    ct_row_owner *owner;                // [m]
    ct_switched switched;
    double length;    // of the mechanism, about; what lengths are measured by
    double *row_unit; // [m] what |Phi| is measured by: 1, that length, or its square
    int *row_power;   // [m] the power of that length: 0, 1, 2
    int n_conditions, room_conditions;
    ct_condition *conditions; // what values of parameters decide on in these equations
    ct_ex *mass, *forcing;    // n x n, n; see ct_formulation_entries
    bool *late_entries;       // M is not there yet; NULL: it is
    ct_ex *qdd;               // [n] symbols for accelerations, NULL where there are no loops
    ct_ex *inertia;           // [n] M q'' and F - M q'' in these, swept over bodies instead of by
    ct_ex *balance;           //     entries of M
    int n_floating;
    ct_floating *floating;
    ct_motion_equations along_floating; // the same equations in accelerations along floating bases
    ct_ex kinetic, potential, power;
    int n_vanished; // constraint rows that hold identically and are left out
    int *vanished;  // their joints
    int n_guards;   // expressions that are positive where a joint is assembled the right way round
    ct_ex *guards;
    int *guard_joint;
    int n_secondary;
    ct_secondary *secondary;
    ct_ex *outputs; // [model outputs]; late ones hold accelerations and reactions
    // the same where drives move the mechanism, whose efforts are found; NULL: no output differs
    ct_ex *driven_outputs;
    bool planar;           // every motion is in one plane
    int n_whole_rotations; // bodies whose rotation is kept whole
    int n_integrated;      // the first of them: with Euler parameters among the coordinates
    ct_whole_rotation *whole_rotations;
    const struct ct_formulation
        *in_angles;           // the same without whole rotations, NULL where there are none
    ct_natural *natural;      // coordinates are points and vectors of bodies; NULL: of the trees
    struct ct_layout *layout; // layout.h
    bool is_view;             // ct_formulation_view: the arrays are another's
    ct_arena arena;           // of the arrays, but for those that grow
    int plane_rows; // constraint rows counted in the plane, motions and auxiliary ones aside; -1:
                    // coordinates in space
} ct_formulation;

typedef enum ct_formulate_what {
    CT_FORMULATE_KINEMATICS, // q and Phi with its derivatives, for the assembly: coordinates that
                             // `initial` or `guess` name are all among q
    CT_FORMULATE_POSITIONS,  // q and Phi as with CT_FORMULATE_ALL, without equations of motion
    CT_FORMULATE_ALL,
    CT_FORMULATE_ALL_COORDINATES, // as before, with every joint coordinate among q
    CT_FORMULATE_ALL_POSITIONS    // the same without equations of motion
} ct_formulate_what;

// The graph must have its trees; the formulation takes it over, on failure, too.
ct_status ct_formulation_new(ct_context *ctx, ct_graph *g, ct_formulate_what what,
                             ct_formulation **f);
// The same model in natural coordinates, with joint coordinates as unknowns where something names them.
// All coordinates of f follow from them.
ct_status ct_formulation_natural(ct_context *ctx, const ct_formulation *f,
                                 ct_formulation **natural);
// How many of its coordinates are components of points and vectors.
int ct_formulation_natural_count(const ct_formulation *f);
// The same equations for a fork of the model: what is built on them goes to the fork's pool. f must
// outlive it.
// Notes what values of parameters have decided on.
void ct_formulation_condition(ct_formulation *f, ct_condition condition);
ct_formulation *ct_formulation_view(const ct_formulation *f, const ct_model *fork);
// Entries of M, also along floating bases, with F of the same writing. Large mechanisms with loops are
// formulated without them: whoever reads `mass` calls this first.
void ct_formulation_entries(const ct_formulation *f);
bool ct_formulation_has_entries(const ct_formulation *f);
double ct_formulation_entries_price(const ct_formulation *f); // operations of M, about, unseen
// True if there is such a recursion.
bool ct_formulation_is_tree(const ct_formulation *f);
// In the frames that take the fewest operations; arrays are scratch. along_floating: q'' of floating
// bases are along their own axes.
void ct_formulation_accelerations(const ct_formulation *f, bool along_floating,
                                  ct_accelerations *out);
// The same with loops beside the tree, for the method `recursive`: q'' of the tree alone, and the answer x
// of the tree to forces f on its coordinates, M x = f, in terms of values that are kept. M has `armature`
// (NULL: none) added to its diagonal.
typedef struct ct_recursion {
    ct_accelerations tree;
    int n_kept;
    ct_ex *kept, *symbol;  // [n_kept] values, and symbols for them in `answer`
    ct_ex *force, *answer; // [n] symbols of f; x
} ct_recursion;
// True if trees have one parent for both domains, no screws, and slides along the first body of a joint.
bool ct_formulation_recurs(const ct_formulation *f);
void ct_formulation_recursion(const ct_formulation *f, const ct_ex *armature, ct_recursion *out);
// The same with an armature for coordinates without inertia at the position q, in light [n]: 0 for others.
void ct_formulation_recursion_at(const ct_formulation *f, const double *q, ct_ex *light,
                                 ct_recursion *out);
// Derivatives of the forces that are not zero everywhere, -dF/dq or -dF/dq', with places
// row * n + column; applied: of loads and weight alone, without inertia forces. Scratch.
typedef struct ct_slopes {
    int n, *place;
    ct_ex *value;
} ct_slopes;
void ct_force_slopes(const ct_formulation *f, bool applied, bool of_rates, ct_slopes *slopes);
// Entries of Newton's matrix that are not zero everywhere, as ctk_model has them. Scratch.
typedef struct ct_newton_pattern {
    int n_columns, n_after;
    int *row_first, *row_columns;
    int *order, *first, *after;
} ct_newton_pattern;
// rows: of Phi_q that are solved; places: of the derivatives of forces.
void ct_newton_pattern_find(const ct_formulation *f, int n_rows, const int *rows, int n_slopes,
                            const int *places, ct_newton_pattern *out);
// Value and rate of the coordinates of an edge (joint or body) in terms of q; up to six of each, in
// the order of the model (bodies: x y z and three angles, or x y angle). Returns how many.
int ct_formulation_edge(const ct_formulation *f, int edge, ct_ex *value);
// The swing that coordinate k is; NULL: another one.
static inline const ct_swing *ct_formulation_swing(const ct_formulation *f, int k) {
    return k < f->n - f->n_swings ? NULL : f->graph->swings + (k - f->n + f->n_swings);
}
// Index into q of a coordinate of the model, or behind these of the six of a body, or of a swing; -1:
// it is none.
int ct_formulation_coordinate(const ct_formulation *f, int model_coordinate);
// What stands for quantities of the motion, rates by back-substitution and angles of whole rotations
// in expressions of the model. The caller frees it.
ct_substitution *ct_formulation_known(const ct_formulation *f);
// The symbol of the acceleration of coordinate k.
ct_ex ct_acceleration(const ct_formulation *f, int k);
// True for an output that needs accelerations.
bool ct_output_is_late(const ct_formulation *f, ct_ex output);
bool ct_output_reads_reactions(const ct_formulation *f, ct_ex output);
// The effort of a drive that is a force, in driven_outputs.
ct_ex ct_drive_effort(const ct_formulation *f, int drive);
// What the user wrote and named, in terms of q, q', t and inputs: for messages.
typedef struct ct_named_value {
    const char *kind, *name; // "value of force", "lift"
    ct_ex value;
} ct_named_value;
// The line between two points that a force acts along. Without a direction, at distance zero, only
// a tension of zero makes sense.
typedef struct ct_named_line {
    const char *name;
    ct_ex distance, tension; // at rest
} ct_named_line;
// Three angles in a row of a joint or a body. In gimbal lock the measure is zero: the cosine of the
// middle angle (the sine, where first and third axis are the same).
typedef struct ct_named_turn {
    const char *kind, *name;       // "joint", "S"
    const char *by_kind, *by_name; // what needs the rates of its angles: "motion", "S.1"; or NULL
    ct_ex angle, measure;
    bool of_output; // only this output needs it, not the motion
} ct_named_turn;
typedef struct ct_named {
    ct_named_value *values; // forces, motions, then outputs
    ct_named_line *lines;
    ct_named_turn *turns;
    int n_values, room_values, n_lines, room_lines, n_turns, room_turns;
} ct_named;
// f: a view in a pool of its own, since expressions are built for it.
void ct_named_find(const ct_formulation *f, ct_named *named);

// What coordinate k is measured by: 1 for angles, the mechanism's length for slides.
static inline double ct_coordinate_unit(const ct_formulation *f, int k) {
    return f->is_angle[k] ? 1 : f->length;
}
// Name of the owner of a constraint row.
const char *ct_row_name(const ct_formulation *f, int row);

#endif
