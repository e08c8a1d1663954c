// Programs: the intermediate language of the closure. The closure writes them, the emitter lowers
// them to C, the interpreter carries them out, the report explains them.
//
// A program is a list of segments. A segment begins with at most one solver, which cannot be
// written as an expression (an iteration, an elimination, a root); then come its effects: sets,
// follows, guards. Expressions refer to parameters, inputs, time, independent coordinates and
// rates, to registers (values v, signs b, tracked numbers w), and to unknowns x that earlier
// segments of the same program solved for.
#ifndef CT_PROGRAM_H
#define CT_PROGRAM_H

#include "expr/expr.h"

#define CT_UNSET ((ct_ex)0xffffffffu) // no expression at all

// effects ----------------------------------------------------------------------------------------
typedef struct ct_assign { // a target of the program and its new value
    int index;
    ct_ex value;
} ct_assign;

typedef struct ct_guard { // must hold, or the program stops and names the step
    ct_ex value;          // at least 0
    int step;             // of the closure, or CT_STEP_MASS
    ct_ex scale;          // value / scale: 0 where branches meet, about 1 far away; 0: unknown
} ct_guard;
#define CT_STEP_MASS (-1) // the projected mass matrix: guards of dynamics, a SOLVE of large systems

typedef struct ct_follow { // tracked angle w[index]: the one with this sine and cosine (times any
    int index;             // positive factor) that is nearest to its last value
    ct_ex sine, cosine;
} ct_follow;

// solvers ----------------------------------------------------------------------------------------
// The tracked numbers w[unknown[..]] with residual = 0, by Newton's iteration.
typedef struct ct_newton {
    int n;
    int *unknown;    // [n]
    bool *is_angle;  // [n] its steps are limited to a fraction of a turn
    ct_ex *residual; // [n] in the tracked symbols of the unknowns
    ct_ex *matrix;   // [n n] d residual / d unknown
    int n_last;      // tracked numbers w[last[..]] that it takes from the last position
    int *last;
} ct_newton;

// matrix X = right by elimination with pivots: x[first + i * columns + j].
typedef struct ct_linear_solve {
    int n, columns, first;
    ct_ex *matrix; // [n n]
    ct_ex *right;  // [n columns]
} ct_linear_solve;

// The root w[unknown] of a polynomial: of an angle  a0 + sum a_k cos k w + b_k sin k w  with the
// coefficients a0 a1 b1 a2 b2 ..., of a slide  sum a_k w^k  with a0 a1 ...
typedef struct ct_root {
    int unknown;
    bool is_angle;
    double unit; // of length, for the way of a slide
    int n;
    ct_ex *coefficient; // [n]
    ct_ex
        *bound; // [1] of an angle: bound on the second derivative (ctk_certified_root.h); else NULL
} ct_root;

// Two equations in two unknowns, the first as above and followed in w[unknown[0]]. The second is an
// angle, followed by its cosine w[unknown[1]] and sine w[unknown[1] + 1],
//   f0 + f1 C + f2 S = 0 = g0 + g1 C + g2 S,
// or a slide w[unknown[1]],  f0 + f1 y + f2 y^2 = 0, g alike.
typedef struct ct_root_pair {
    int unknown[2];
    bool is_angle[2];
    double unit;
    int n_left;
    ct_ex *left; // [n_left] polynomial that is left in the first unknown; none above degree 4
    int n;
    ct_ex *coefficient; // [6 n] f0 f1 f2 g0 g1 g2, polynomials in the first unknown
    ct_ex *bound;       // [2] of two angles: bounds on second derivatives; else NULL
} ct_root_pair;

// segments ---------------------------------------------------------------------------------------
typedef enum ct_segment_kind {
    CT_SEGMENT_PLAIN, // effects alone
    CT_SEGMENT_NEWTON,
    CT_SEGMENT_SOLVE,
    CT_SEGMENT_ROOT,
    CT_SEGMENT_ROOT_PAIR
} ct_segment_kind;

typedef struct ct_segment {
    ct_segment_kind kind;
    int step; // of the closure, -1: part of none
    union {   // by kind
        ct_newton newton;
        ct_linear_solve solve;
        ct_root root;
        ct_root_pair root_pair;
    };
    int n_sets, n_follows, n_guards; // after that
    ct_assign *sets;                 // of the program's target array
    ct_follow *follows;
    ct_guard *guards;
} ct_segment;

void ct_segment_set(ct_segment *seg, int index, ct_ex value);
void ct_segment_guard(ct_segment *seg, ct_ex not_negative, int step, ct_ex scale);
void ct_segment_follow(ct_segment *seg, int index, ct_ex sine, ct_ex cosine);
// A copy that a segment may own.
ct_ex *ct_expressions_copy(int n, const ct_ex *a);
// Room for an iteration of n unknowns, all of it zero.
ct_newton ct_newton_new(int n);
// Frees the contents of a segment, which becomes plain, without effects.
void ct_segment_clear(ct_segment *seg);
// Iterated unknowns: all of a Newton iteration, the first of a root. Returns their number.
int ct_segment_unknowns(const ct_segment *seg, const int **unknown, const bool **is_angle);
// True for an iteration or a root, which start from the last position.
bool ct_segment_iterates(const ct_segment *seg);

// The expressions of a segment, array by array, in the order in which they are computed:
//   for (ct_span a = ct_segment_spans(seg, CT_ROLES_CODE); ct_span_next(&a);) use(a.n, a.at);
typedef enum ct_role {
    CT_ROLE_RESIDUAL = 1 << 0,
    CT_ROLE_MATRIX = 1 << 1,
    CT_ROLE_RIGHT = 1 << 2,
    CT_ROLE_LEFT = 1 << 3, // polynomial that a pair leaves in its first unknown
    CT_ROLE_COEFFICIENT = 1 << 4,
    CT_ROLE_BOUND = 1 << 5,
    CT_ROLE_SET = 1 << 6,
    CT_ROLE_GUARD = 1 << 7,
    CT_ROLE_SCALE = 1 << 8,
    CT_ROLE_SINE = 1 << 9, // of a follow
    CT_ROLE_COSINE = 1 << 10
} ct_role;
enum {
    CT_ROLES_POLYNOMIAL = CT_ROLE_LEFT | CT_ROLE_COEFFICIENT | CT_ROLE_BOUND,
    CT_ROLES_SOLVER = CT_ROLE_RESIDUAL | CT_ROLE_MATRIX | CT_ROLE_RIGHT | CT_ROLES_POLYNOMIAL,
    CT_ROLES_FOLLOW = CT_ROLE_SINE | CT_ROLE_COSINE,
    CT_ROLES_EFFECTS = CT_ROLE_SET | CT_ROLE_GUARD | CT_ROLES_FOLLOW,
    CT_ROLES_CODE = CT_ROLES_SOLVER | CT_ROLES_EFFECTS, // all but the scales
};
typedef struct ct_span {
    ct_role role;
    int n;
    ct_ex *at;
    const ct_segment *seg; // members from here on: state of the walk
    unsigned roles;
    int next;
} ct_span;
ct_span ct_segment_spans(const ct_segment *seg, unsigned roles);
bool ct_span_next(ct_span *span);

// programs ---------------------------------------------------------------------------------------
typedef struct ct_program {
    ct_segment *segments;
    int n, room;
    int n_x;  // unknowns of SOLVE segments
    ct_ex *x; // their symbols
    int room_x;
} ct_program;

// A new plain segment at the end; segments before it may move.
ct_segment *ct_program_add(ct_program *program, int step);
// Copies of all expressions with these roles, owned by the caller; *n: their number.
ct_ex *ct_program_expressions(const ct_program *program, unsigned roles, int *n);

// The first segment with the same matrix as a SOLVE segment: its factorization serves both.
int ct_program_alike(const ct_program *program, int segment);

#endif
