// Directions of a mechanism as exactly rational unit vectors, and its frames as exactly orthogonal
// matrices. What is parallel or perpendicular stays so.
#ifndef CT_DIRECTIONS_H
#define CT_DIRECTIONS_H

#include "configurations/trig/rational.h"
#include "model/model.h"

// A direction, and the rational unit vector that stands for it.
typedef struct ct_direction {
    arb_struct real[3];
    fmpq exact[3];
} ct_direction;

typedef struct ct_directions {
    ct_rationals *constants;
    int n, room;
    ct_direction *item; // x, y, z first, then those that are not rational
} ct_directions;

void ct_directions_init(ct_directions *d, ct_rationals *rationals);
void ct_directions_clear(ct_directions *d);
// Axes and frames of a joint with rational numbers in place of what is not rational. Returns false
// if a number in them is not finite; the joint is then as it was.
bool ct_directions_joint(ct_directions *d, ct_joint *joint);

#endif
