// Groups of loops with iterated coordinates.
#ifndef CT_TORN_H
#define CT_TORN_H

#include "closure/steps_inside.h"

typedef struct ct_torn {
    ct_steps *b;
    int n, *unknown;   // iterated coordinates, into f->q
    ct_ex *tracked;    // their symbols
    int *index;        // in w
    ct_ex *how;        // values that follow from solved ones
    ct_ex *expression; // by value: what inner steps set; CT_UNSET: not theirs
    bool *busy;
    ct_ex *done; // resolved values, CT_UNSET: not yet
    ct_ex *open; // symbols in which everything is written out
    int n_open;
    int *last, n_last, room_last; // tracked angles that stand in it as they were before
} ct_torn;

// An expression with everything that depends on the open symbols written out in them.
ct_ex ct_torn_resolve(ct_torn *t, ct_ex a);
// Tables anew, with nothing resolved and the tracked symbols open.
void ct_torn_tables(ct_torn *t, int first_segment);
// Numbers at the initial position for coordinates, values, tracked ones and signs.
void ct_torn_numbers(ct_steps *b, ct_numbers *x);

// One iterated angle and one square root: where both equations are linear in the cosine and sine of
// the second unknown, elimination leaves a polynomial in those of the first, and the second follows
// linearly. Changes the iteration (segment `first_segment`) accordingly; psi: what it closes.
// False: not so, nothing was changed.
bool ct_torn_polynomial(ct_torn *t, int first_segment, int step, ct_ex psi);

#endif
