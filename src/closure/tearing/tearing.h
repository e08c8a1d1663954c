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
    int at;              // where its segments belong among those of positions
    int step;            // of the closure
    int n, *unknown;     // iterated coordinates, into f->q
    ct_ex *tracked;      // their symbols
    ct_ex *psi;          // [n] equations that close the group, in all coordinates
    ct_newton iteration; // their residuals in the iterated coordinates, with derivatives
    ct_program own;      // the segments that find the unknowns, by the solver chosen
    int *index;          // in w
    ct_ex *how;          // values that follow from solved ones
    ct_ex *expression;   // by value: what inner steps set; CT_UNSET: not theirs
    bool *busy;
    ct_ex *done; // resolved values, CT_UNSET: not yet
    ct_ex *open; // symbols in which everything is written out
    int n_open;
    int *last, n_last, room_last; // tracked angles that stand in it as they were before
} ct_tearing;

// Iterated coordinates with everything that hangs on them, from placement `first` of a group to its
// end. After the beginning the caller places what hangs on them, inside the iteration. Closing
// finds the equations that are left and solves them; it frees what began.
ct_tearing *ct_tearing_begin(const ct_step_builder *build, const ct_flow *flow, int group,
                             int first);
ct_status ct_tearing_close(ct_context *ctx, ct_tearing *t, const bool *known);

// Tables anew, with nothing resolved; open are the tracked symbols and these values, which stay as
// they are.
void ct_tearing_tables(ct_tearing *t, int n_open, const ct_ex *open);
// An expression with everything that depends on the open symbols written out in them.
ct_ex ct_tearing_resolve(ct_tearing *t, ct_ex a);

// Blocks of one or two unknowns: the iterated coordinates, and a square root on which the equations
// that close the group depend. Where elimination leaves a polynomial in one unknown, the group
// follows its root instead of iterating. Returns false, with nothing written, if there is no such
// polynomial or its degree is above `most`.
bool ct_tearing_polynomial(ct_tearing *t, int most);

// Writes the steps of a triangular system, one segment for each unknown. Returns false, with
// nothing written, if there is no such system, it does not hold here or costs too much.
bool ct_tearing_triangular(ct_tearing *t, const ct_block_known *k);

// A polynomial in iterated angle i is one in its cosine or sine alone: a segment, plain so far,
// follows its root (NULL: it is only asked whether it could). Returns the degree, 0: it is not so.
int ct_tearing_cosine(ct_tearing *t, int i, ct_segment *seg, const ct_unknown *x,
                      const ct_univariate *left);

// elimination of a second unknown ----------------------------------------------------------------
// Two equations by powers of a second unknown (1, C, S or 1, y, y^2), each a polynomial in the
// first, and what is left of them in the first alone.
typedef struct ct_eliminated {
    ct_univariate f[2][3], left;
    int degree; // roots in the first unknown
} ct_eliminated;

// n: unknowns and equations, 1 or 2. False: not polynomial, or of too high a degree.
bool ct_tearing_eliminate(const ct_step_builder *build, int n, const ct_ex *equation,
                          const ct_unknown *x, ct_eliminated *e);

#endif
