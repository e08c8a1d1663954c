// A mechanism at rest: its forces without rates, and their derivatives along the joints.
//
// Positions are sought on Phi(q, t) = 0 at one time t. With tangents B of it (Phi_q B = 0), which are
// the identity in independent columns, and multipliers from the dependent ones, Phi_d^T lambda = F_d:
//   g = B^T F(q, 0, t),   K = -B^T d/dq [F - Phi_q^T lambda] B,
// lambda held constant. K is the exact derivative of -g along the joints. Coordinates are measured in
// their units (radians, the mechanism's length), so that g and K are in N m.
#ifndef CT_REST_H
#define CT_REST_H

#include "assemble/assemble.h"
#include "formulate/whole_rotation.h"
#include "run/system.h"

typedef struct ct_rest {
    ct_fork *fork;
    const ct_formulation *f;
    const ct_assembled *at;
    ct_numbers numbers; // at the time
    int n, m;           // coordinates; rows of f, then one for each coordinate that is held
    double *unit;       // [n] of coordinates
    double *row_unit;   // [m]
    ct_ex *phi, *phi_q; // [m], [m n]
    ct_ex *force;       // [n] F without rates
    ct_ex *lambda;      // [m] symbols
    ct_ex *slope;       // [n n] d(F - Phi_q^T lambda)_i / dq_j; NULL: not asked for
    ct_ex *damping;     // [n n] dF_i / dq'_j
    double stride;      // the longest step, radians or lengths
    bool has_spheres;   // spheres may touch, which longer steps would jump over
    double weight;      // of all bodies, times the mechanism's length: a scale of loads
    int n_held;
    const int *held; // [n_held] coordinates of the model, or behind these of bodies
} ct_rest;

// Numbers at a position, all in units.
typedef struct ct_rest_place {
    double *q;         // the position
    int r;             // freedoms
    int *independent;  // [r] columns in which B is the identity
    double *b;         // [n r] tangents
    double *force;     // [n]
    double *lambda;    // [m] N m in units of the rows
    double *g;         // [r] force along the tangents
    double *stiffness; // [r r] not symmetric where forces have no potential
    double *mass;      // [r r]
    double *metric;    // [r r] what steps are measured by: inertia, and a share of the units
} ct_rest_place;

typedef struct ct_rest_options {
    double time;
    bool nearest;           // Newton's iteration from the start, stable or not
    bool without_stiffness; // derivatives of forces are not asked for
    int n_held;
    const char *const *held;
} ct_rest_options;

// Equations at rest of a mechanism, in a fork of its own; held coordinates stay where they start.
ct_status ct_rest_new(ct_context *ctx, ct_system *s, const ct_rest_options *options, ct_rest *rest);
void ct_rest_clear(ct_rest *rest);

// positions (rest_move.c) -------------------------------------------------------------------------
// The position on Phi = 0 next to q, by Newton's iteration. Returns false if there is none near.
bool ct_rest_close(ct_rest *rest, double *q);
// q moved by d [n], in units: coordinates by a sum, rotations by a turn.
void ct_rest_move(const ct_rest *rest, const double *d, double *q);
// The d by which ct_rest_move leads from one position to another.
void ct_rest_difference(const ct_rest *rest, const double *from, const double *to, double *d);
// Largest |Phi| at q, in units of its rows or as it is.
double ct_rest_residual(ct_rest *rest, const double *q, bool in_units);
// True if every joint is the right way round.
bool ct_rest_is_right_way(ct_rest *rest, const double *q);
// Angles behind the coordinates become those of the rotations at q.
void ct_rest_follow_angles(const ct_rest *rest, double *q);
// Angles of an integrated rotation at q, next to those behind the coordinates, and their rates.
void ct_rest_angles(const ct_rest *rest, int i, const double *q, const double *spin, double *angle,
                    double *rate);
// Phi_q at q, rows and columns in units, [m n].
void ct_rest_jacobian(ct_rest *rest, const double *q, double *a);
// From the time 0 to another one along the motions. Returns false where that does not close.
bool ct_rest_lead(ct_rest *rest, double time, double *q);

// numbers (rest_place.c) --------------------------------------------------------------------------
void ct_rest_place_init(const ct_rest *rest, ct_rest_place *place);
// Forces alone, in units. Returns false if one is not finite.
bool ct_rest_force(ct_rest *rest, const double *q, double *force);
// All of a place at its q. Returns false if something is not finite.
bool ct_rest_place_find(ct_rest *rest, ct_rest_place *place);
// -B^T dF/dq' B at a place, [r r].
void ct_rest_damping(ct_rest *rest, const ct_rest_place *place, double *damping);

// search (descend.c) ------------------------------------------------------------------------------
typedef enum ct_rest_end {
    CT_REST_FOUND,
    CT_REST_NONE,
    CT_REST_FREE,
    CT_REST_NOT_FINITE
} ct_rest_end;
typedef struct ct_rest_search {
    int iterations;
    double load;  // at its end, N m
    double *last; // [n] the last step
} ct_rest_search;
ct_rest_end ct_rest_descend(ct_context *ctx, ct_rest *rest, ct_rest_place *place,
                            ct_rest_search *search);
ct_rest_end ct_rest_newton(ct_rest *rest, ct_rest_place *place, ct_rest_search *search);

// by name (named.c) -------------------------------------------------------------------------------
// Joint coordinates and coordinates of bodies, as results name them.
typedef struct ct_rest_named {
    int n, n_all; // those of results; behind them spins of rotations, which stand in for angles
                  // in their lock
    const char **names;
    bool *is_angle;
    double *value;
    double *rate;     // [n_all r] along the tangents of a place, in the coordinates' own units
    int *independent; // [r]
    double *to;       // [r r] rates of the tangents from rates of those: tangent = to * named
} ct_rest_named;
// Values by name, then a set of independent ones: those that the model asks for first, in its order.
void ct_rest_names(ct_rest *rest, const ct_rest_place *place, ct_rest_named *named);
// The place among independent coordinates of that with the largest share in a direction [r] along the
// tangents.
int ct_rest_most(const ct_rest *rest, const ct_rest_named *named, int r, const double *direction);
// Independent coordinates that span n directions, in order: which [n], by place among all.
void ct_rest_span(const ct_rest *rest, const ct_rest_named *named, int r, int n,
                  const double *directions, int *which);

// stability (stability.c) -------------------------------------------------------------------------
typedef struct ct_rest_stability {
    int n_frequencies;
    double *frequencies; // [r] Hz, ascending; NaN where the square is negative
    bool is_stable, is_neutral;
    bool diverges; // not stable, and without oscillation: by negative stiffness
    int n_neutral;
    double *neutral; // [r r] directions without stiffness, one after the other
} ct_rest_stability;
void ct_rest_judge(ct_rest *rest, const ct_rest_place *place, double load,
                   ct_rest_stability *stability);

// the whole of it (equilibrium.c) -----------------------------------------------------------------
typedef struct ct_rest_found {
    ct_rest rest;
    ct_rest_place place;
    ct_rest_search search;
    ct_rest_named named;
    ct_rest_stability stability;
} ct_rest_found;
// Finds the rest of a system and judges it. All of it is scratch memory but rest, which
// ct_rest_clear ends.
ct_status ct_rest_find(ct_context *ctx, ct_system *s, const ct_rest_options *options,
                       ct_rest_found *found);

#endif
