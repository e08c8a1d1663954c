// Groups of loops with iterated coordinates. A group is data first: its unknowns, the equations
// that close it, an iteration for them. A solver is chosen, which writes the group's own segments,
// and these go into the program of positions once, before the segments that hang on them.
#ifndef CT_TEARING_H
#define CT_TEARING_H

#include "closure/elimination/block_cache.h"
#include "closure/flow/flow.h"
#include "closure/steps/steps.h"

typedef struct ct_tearing {
    const ct_step_builder *b;
    const ct_flow *flow;
    int group, first;    // first placement of the group that is iterated
    int step;            // of the closure
    int n, *unknown;     // iterated coordinates, into f->q
    ct_ex *tracked;      // their symbols
    ct_ex *psi;          // [n] equations that close the group, in all coordinates
    ct_newton iteration; // their residuals in the iterated coordinates, with derivatives
    ct_program hanging;  // segments of the steps that hang on the unknowns
    ct_program own;      // the segments that find the unknowns, by the solver chosen
    int absorbed;        // segment of `hanging` whose unknown the solver finds too, -1: none
    int *index;          // in w
    ct_ex *how;          // by value: expression in solved values, CT_UNSET: none
    ct_ex *expression;   // by value: expression that hanging steps set, CT_UNSET: none
    bool *busy;          // by value: being resolved
    ct_ex *done;         // by value: in open symbols, CT_UNSET: not resolved
    ct_ex *open;         // symbols that expressions are written out in
    int n_open;
    int *last, n_last, room_last; // tracked angles whose last values stand in residuals
} ct_tearing;

// A group whose coordinates are iterated from placement `first` on. The caller then makes the
// placements that hang on these coordinates, which write into `hanging`. Closing finds the
// equations that are left, chooses their solver, writes the group into the program of the builder
// and frees the group.
ct_tearing *ct_tearing_begin(const ct_step_builder *build, const ct_flow *flow, int group,
                             int first);
ct_status ct_tearing_close(ct_context *ctx, ct_tearing *t, const bool *known);

// Starts resolving anew. Open symbols are the tracked ones and the n_open values given.
void ct_tearing_tables(ct_tearing *t, int n_open, const ct_ex *open);
// An expression in values, with those that depend on the open symbols written out in them.
ct_ex ct_tearing_resolve(ct_tearing *t, ct_ex a);

// Blocks of one or two unknowns: the iterated coordinates, and a square root on which the equations
// that close the group depend. Where elimination leaves a polynomial in one unknown, the group
// follows its root instead of iterating. Returns false, with nothing written, if there is no such
// polynomial or its degree is above `most`.
bool ct_tearing_polynomial(ct_tearing *t, int most);

// Writes the steps of a triangular system, one segment for each unknown. Returns false, with
// nothing written, if there is no such system, it does not hold here or costs too much.
bool ct_tearing_triangular(ct_tearing *t, const ct_block_known *k);

// Solves a polynomial in iterated angle i that holds its cosine alone, or its sine alone: the
// segment, plain so far, follows the root (NULL: nothing is written). Returns the degree, 0 if the
// polynomial holds both, is of degree above 4 or the angle starts near its mirror image.
int ct_tearing_cosine(ct_tearing *t, int i, ct_segment *seg, const ct_unknown *u,
                      const ct_univariate *left);

// elimination of a second unknown ----------------------------------------------------------------
// Two equations by powers of a second unknown (1, C, S or 1, y, y^2), each a polynomial in the
// first, and what is left of them in the first alone.
typedef struct ct_eliminated {
    ct_univariate f[2][3], left;
    int degree; // roots in the first unknown
} ct_eliminated;

// n: unknowns and equations, 1 or 2. Returns false if they are no polynomials, or of too high a
// degree.
bool ct_tearing_eliminate(const ct_step_builder *build, int n, const ct_ex *equation,
                          const ct_unknown *u, ct_eliminated *e);

#endif
