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
#include "program/count.h"
#include "program/program.h"
#include "program/registers.h"

// the closure ------------------------------------------------------------------------------------
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
typedef struct ct_rate_block {
    int step;
    int n;
    int *unknown; // into f->q
    ct_ex *psi;   // in f->q, time, inputs, parameters
    bool tear;
} ct_rate_block;

// A loop (or a group of loops) for an iteration of its own: rows of f->phi and as many dependent
// coordinates, in an order in which each needs only earlier ones.
typedef struct ct_constraint_block {
    int n;
    int *rows, *unknown;
} ct_constraint_block;

// A ball with dependent angles that nothing names. A run has its rotation whole among the coordinates:
// the expansion gives its matrix, and its spins and their rates in the place of those of the angles.
typedef struct ct_closure_ball {
    int edge;              // of the graph
    int body, root;        // it turns against the root
    bool inverse, in_root; // as in ct_whole_rotation
    int coordinate[3];     // into f->q
} ct_closure_ball;

typedef struct ct_closure {
    ct_region region;
    const ct_formulation *f;
    int r;                                     // independent
    int *independent, n_dependent, *dependent; // into f->q
    bool *is_independent;                      // [f->n]
    bool triangular;                           // nothing is iterated, no degree above 4
    int n_iterated;
    bool components; // some step follows one component of a closure that falls apart

    ct_registers registers;
    ct_program positions; // sets v
    ct_program dynamics;  // sets qi'' [r] (index r: power of the forces outside the potential)
    ct_program expansion; // sets: [k] slide or nothing, [n + k] rate, [2n + k] acceleration of
                          // coordinate k; qi'' are symbols `accelerations`
    ct_ex *accelerations; // [r] symbols
    // q from v: slides directly, angles by their sine and cosine (near the last value)
    ct_ex *q_value;           // [n] slides, independent ones, angles that motions give outright;
                              // CT_ZERO for the others
    ct_ex *q_sine, *q_cosine; // [n] dependent angles

    bool shows_angles; // of all balls: a run has no rotation whole that it does not integrate
    bool guards_locks; // balls are in angles: partition must lead past their lock
    int n_balls;
    ct_closure_ball *balls; // in the order of f->q
    ct_ex *turns;           // [9 n_balls] R(e) of each, row by row, in values

    // guards of the expansion only: three angles that are shown must not lock, and all joints must be
    // closed, when results ask for all coordinates
    int n_late, room_late;
    ct_guard *late;

    int n_steps, room_steps;
    ct_step *steps;
    int n_rate_blocks, room_rate_blocks;
    ct_rate_block *rate_blocks;
    int n_constraint_blocks;
    ct_constraint_block *constraint_blocks;
    // the steps alone, from the sines and cosines of what is independent; the whole programs
    ct_operations step_operations, position_operations, dynamics_operations;
    double seconds;          // to find the order and solve it, without the equations of motion
    bool from_cache;         // the order was in the cache of orders
    int n_blocks_from_cache; // blocks whose triangular systems were in the cache
} ct_closure;

static inline void ct_closure_free(ct_closure *c) {
    if (c) ct_region_free(&c->region);
}
// Operations of one evaluation of positions and dynamics; eliminations in loops count several
// times.
static inline double ct_closure_cost(const ct_closure *c) {
    return ct_program_cost(c->f->pool, &c->positions) + ct_program_cost(c->f->pool, &c->dynamics);
}

#endif
