// Exact closure: from a formulation with loops to straight-line solutions for the dependent
// coordinates, and to one ordinary differential equation per freedom.
//
// A flow (flow.h) says in which order bodies are placed and which coordinates are independent.
// Along it the position of every dependent coordinate follows in closed form (steps), its rate and
// acceleration from blocks of equations differentiated in order, and the equations of motion are
// projected:  q' = B qi' + C,  q'' = B qi'' + A,  B^T M B qi'' = B^T (F - M A).
//
// Sines and cosines of dependent angles are *values*: closure computes them directly, no angle is
// needed. Code therefore works in three stages:
//   positions: independent coordinates -> values v        (program `positions`)
//   dynamics:  v, independent rates -> qi''               (program `dynamics`)
//   expansion: v, qi', qi'' -> q, q', q''                 (program `expansion`)
#ifndef CT_CLOSURE_H
#define CT_CLOSURE_H

#include "formulate/formulate.h"

// programs -------------------------------------------------------------------------------------
// A program is a list of segments. Each is straight-line code that may be followed by one thing
// that cannot be written as an expression. Expressions refer to: parameters, inputs, time, the
// independent coordinates and rates (f->q, f->qd), values, signs, tracked values, and unknowns that
// earlier segments of the same program solved for (x).
typedef struct ct_assign { // a target
    int index;
    ct_ex value;
} ct_assign;

typedef struct ct_guard { // must hold, or the program stops and names the step
    ct_ex value;          // at least 0
    int step;             // of the closure, or CT_STEP_MASS
    ct_ex scale; // what it is measured by (0 to 1 where branches meet to far away), or zero
} ct_guard;
#define CT_STEP_MASS (-1) // the projected mass matrix: guards of dynamics, a SOLVE of large systems

typedef struct ct_follow { // tracked angle w[index]: the one with this sine and cosine (times any
    int index;             // positive factor) that is nearest to its last value
    ct_ex sine, cosine;
} ct_follow;

typedef enum ct_segment_kind {
    CT_SEGMENT_PLAIN,
    CT_SEGMENT_NEWTON, // find the tracked w[unknown[..]] with residual = 0; then values are set
    CT_SEGMENT_SOLVE,  // matrix X = right by elimination with pivots; x[first + i * columns + j]
    CT_SEGMENT_ROOT    // the root w[unknown[0]] of a polynomial, or of two that `right` gives
} ct_segment_kind;

typedef struct ct_segment {
    ct_segment_kind kind;
    int step;
    // NEWTON, SOLVE: n unknowns. NEWTON: residual [n], matrix = d residual / d unknown [n n], both
    // in terms of the tracked symbols of the unknowns (inner values substituted); right unused.
    // SOLVE: matrix [n n], right [n columns].
    // ROOT: n = 1, right [columns], the last of them bounds on second derivatives where all
    // unknowns are angles (src/kernel/ctk_near.h), one for each equation. First a polynomial in the
    // unknown w[unknown[0]], `first` coefficients (none where its degree is above 4): of an angle
    // (is_angle[0]) a0 a1 b1 a2 b2 ... in a0 + sum a_k cos k w + b_k sin k w, of a slide a0 a1 ...
    // in sum a_k w^k. Then, where there is a second unknown, six more of equal length for the
    // equations f0 + f1 C + f2 S = 0 = g0 + g1 C + g2 S in its cosine w[unknown[1]] and sine
    // w[unknown[1] + 1] (is_angle[1]), or f0 + f1 y + f2 y^2 = 0, g alike, in the slide
    // w[unknown[1]].
    int n, columns, first;
    double unit; // ROOT of a slide: what its way is measured by; 0: a length of the mechanism
    int *unknown;
    bool *is_angle; // NEWTON: steps are limited to a fraction of a turn
    int n_last;     // NEWTON: tracked values w[last[..]] that stand in it as they were before
    int *last;
    ct_ex *residual, *matrix, *right;
    // after that (PLAIN: at once): values, turns, checks
    int n_sets, n_follows, n_guards;
    ct_assign *sets; // of the program's target array
    ct_follow *follows;
    ct_guard *guards;
} ct_segment;

typedef struct ct_program {
    ct_segment *segments;
    int n, room;
    int n_x;  // unknowns of SOLVE segments
    ct_ex *x; // their symbols
    int room_x;
} ct_program;

// the closure ----------------------------------------------------------------------------------
typedef enum ct_step_method { // how the unknowns of a step are found, for people
    CT_STEP_GIVEN,            // an independent or prescribed coordinate follows directly
    CT_STEP_LINEAR,
    CT_STEP_QUADRATIC,
    CT_STEP_CUBIC,
    CT_STEP_QUARTIC,
    CT_STEP_POLYNOMIAL, // univariate, tracked
    CT_STEP_NEWTON      // iterated
} ct_step_method;
const char *ct_step_method_name(ct_step_method method);

typedef struct ct_step {
    ct_step_method method;
    int degree;
    int n_unknowns;
    char **unknowns; // names of coordinates
    int joint;       // of the model: where a failure is reported
    char *text;      // "distance from A to D through 'carrier'"
    int general;     // iterated: degree that a polynomial for one unknown has, 0: not known
} ct_step;

// A block of equations for rates and accelerations. `psi` vanish on the mechanism; their n
// unknowns are coordinates that no earlier block solved. Blocks before a `tear` block may use its
// unknowns: it comes after them and its equations close what they left open.
typedef struct ct_block {
    int step;
    int n;
    int *unknown; // into f->q
    ct_ex *psi;   // in f->q, time, inputs, parameters
    bool tear;
} ct_block;

// A loop (or a group of loops) for an iteration of its own: rows of f->phi and as many dependent
// coordinates, in an order in which each needs only earlier ones.
typedef struct ct_loop {
    int n;
    int *rows, *unknown;
} ct_loop;

typedef struct ct_closure {
    const ct_formulation *f;
    ct_formulation *own;                       // f, where the closure made it; else NULL
    int r;                                     // independent
    int *independent, n_dependent, *dependent; // into f->q
    bool *is_independent;                      // [f->n]
    bool triangular;                           // nothing is iterated, no degree above 4
    int n_iterated;
    bool components; // some step follows one component of a closure that falls apart

    // values v: sines and cosines of sums of angles, slides; `direct` gives each from all of f->q
    int n_values;
    ct_ex *value, *direct;
    int n_signs; // b: +1 or -1, the sign of an expression in v at the initial position
    ct_ex *sign, *sign_of;
    int n_tracked; // w: angles that are needed as such, unknowns that are iterated
    ct_ex *tracked, *tracked_direct; // from f->q

    ct_program positions; // sets v
    ct_program dynamics;  // sets qi'' [r] (index r: power of the forces outside the potential)
    ct_program expansion; // sets: [k] slide or nothing, [n + k] rate, [2n + k] acceleration of
                          // coordinate k; qi'' are symbols `accelerations`
    ct_ex *accelerations; // [r] symbols
    // q from v: slides directly, angles by their sine and cosine (near the last value)
    ct_ex *q_value;           // [n] slides, independent ones, angles that motions give outright;
                              // CT_ZERO for the others
    ct_ex *q_sine, *q_cosine; // [n] dependent angles

    // what must hold where all coordinates are asked for, and there alone: three angles of a ball
    // joint that are not locked
    int n_late, room_late;
    ct_guard *late;

    int n_steps, room_steps;
    ct_step *steps;
    int n_blocks, room_blocks;
    ct_block *blocks;
    int n_loops;
    ct_loop *loops;
    // the steps alone, from the sines and cosines of what is independent; the whole programs
    ct_operations step_operations, position_operations, dynamics_operations;
    double seconds; // to find the order and solve it, without the equations of motion
    bool recalled;  // the order was known from before
    int n_recalled; // blocks that the library of triangular systems knew
} ct_closure;

void ct_closure_free(ct_closure *c);
// Operations of one evaluation of positions and dynamics; eliminations in loops count several
// times.
double ct_closure_cost(ct_closure *c);
// The first segment with the same matrix as this one, which is a SOLVE: the one that is factored.
int ct_program_alike(const ct_program *p, int segment);
// Adds what the functions of the kernel do for a segment once its expressions are there: the
// elimination, the correction of unknowns and of their sines and cosines; a root that is where it
// is expected (one correction), of slides the closed form, roughly.
void ct_segment_count(const ct_program *p, int segment, ct_operations *count);
// How far a closed position q is from where branches meet: 0 there, up to 1; *step is the nearest
// one.
double ct_closure_margin(const ct_closure *c, const double *q, int *step);

#endif
