// Tolerances of the closure. Each compares numbers without a unit, or relative to the size that is
// named; doubles carry 16 digits, and an initial position is good to about 12 of them.
#ifndef CT_CLOSURE_TOLERANCES_H
#define CT_CLOSURE_TOLERANCES_H

// relations and flow: derivatives, in typical lengths ---------------------------------------------
#define CT_TOL_RANK       1e-9  // of a row of twists: below it is rounding of the initial position
#define CT_TOL_TWIST2     1e-12 // square of what is left of a twist after projection, of its own
#define CT_TOL_TWIST_OWN2 1e-6  // square of a twist that counts as one; shorter: absolute
#define CT_TOL_ROW2       1e-14 // square of a derivative, 1e-7: below it a coordinate is not seen
#define CT_TOL_PIVOT      1e-7  // the same, not squared; also sines of angles at a limit position
#define CT_TOL_SEEN       1e-14 // derivative that is exactly zero, but for rounding
#define CT_TOL_UPRIGHT    1e-9  // entries of two rotations that count as the same
#define CT_SWING_SHORT    1e-6  // of a length or a sine: a line or an arm that gives no direction
#define CT_SWING_ALIKE    1e-6  // cosines of axes that are across a line alike
#define CT_NEAR_LIMIT     0.02  // sine of the angle to a limit position: a step starts close to it

// steps: identities in numbers --------------------------------------------------------------------
#define CT_TOL_IDENTITY  1e-12 // of the coefficients: holds wherever it is sampled
#define CT_TOL_SAME_PAIR 1e-9  // sines and cosines that may be the same, to be proved
#define CT_TOL_CANCEL    1e-10 // of the largest coefficient: cancels whatever the lengths are
// binary forms, relative to their coefficients
#define CT_TOL_FORM      1e-12 // value at a root, remainder of a unit
#define CT_TOL_FORM_REST 1e-10 // remainder of a root, which is known to half the digits
#define CT_TOL_COMMON    1e-11 // value of each form at a root that all have in common
#define CT_TOL_ROUND     1e-9  // directions (g, d) this close to an axis are meant to be it
#define CT_TOL_CROSSING  1e-9  // where components cross at the start there is nothing to choose by

// guards of the generated code: powers of ten -----------------------------------------------------
#define CT_GUARD_LIMIT     (-12) // squared sine of the angle to a limit position: 1e-6
#define CT_GUARD_ARM       (-16) // squared arm about an axis, of the squared distance: 1e-8
#define CT_GUARD_LOCK      (-12) // squared sine of the middle angle of three: 1e-6
#define CT_GUARD_NEAR_LOCK 20 // inverse of that sine where a closure needs the rates of all three
#define CT_GUARD_IDENTITY  (-20)  // squared, of what an identity is measured by: 1e-10
#define CT_GUARD_DIVISOR   (-20)  // squared divisor of an equation between coordinates: 1e-10
#define CT_GUARD_NONZERO   (-200) // a scale that must not be zero; its unit is not known
#define CT_GUARD_CLOSED    (-9)   // |Phi| in typical lengths where an identity is taken for granted

// tearing -----------------------------------------------------------------------------------------
#define CT_TOL_CLEAR        1e-8 // squared, of what it is measured by: not zero, it may divide
#define CT_TOL_VANISH       1e-9 // of its terms: a relation met at the initial position
#define CT_TOL_INDEPENDENT  1e-9 // derivative of an open relation, in typical lengths squared or 1
#define CT_TOL_DETERMINED   1e-9 // smallest pivot with which coordinates count as dependent
#define CT_TEARING_COSINE2  0.1  // squared sine at the start: less, and the cosine is near its turn
#define CT_TEARING_MIRRORED 0.3  // sine at the start: less, and the angle is near its mirror image
#define CT_WEIGHT_INITIAL   0.02 // of a pivot: what the user starts is rather independent
#define CT_WEIGHT_DRIVEN    0.3  // of a pivot: what the user drives, too

// values: angles as integer combinations of others ------------------------------------------------
#define CT_TOL_WHOLE 1e-9 // of 1: pivots, remainders and fractions of small integers that are zero

// guards of the embedding: powers of ten ----------------------------------------------------------
#define CT_GUARD_PIVOT (-100) // against 1/0 only: positions have watched how near a singularity is
#define CT_GUARD_MASS  (-13)  // a pivot of the mass matrix, of its diagonal: rounding

// probe and choice --------------------------------------------------------------------------------
#define CT_PROBE_WAY        1e-3 // seconds along the initial motion; radians or typical lengths from rest
#define CT_PROBE_CLOSED     1e-7 // |Phi| in units of its rows: gives back the position it starts from
#define CT_PROBE_EXACT      1e-11 // |Phi| in units of its rows: rounding alone is left
#define CT_PROBE_LOSS       2e-14 // |Phi| in units of its rows: two digits more than rounding are lost
#define CT_PROBE_KEPT       0.05 // radians or typical lengths: far enough for what is small to show
#define CT_PROBE_SHARE      0.5  // of those positions: as many must close at least
#define CT_PROBE_REACH      0.5  // radians or typical lengths: what fails so far off is dearer
#define CT_PROBE_REACH_POSE 0.25 // the same of a pose, which moves all legs at once
// of the operations of steps, whole rotations to joint angles: measured 1.4 to 1.5 where those won by
// a quarter or more in all
#define CT_CHOICE_DEARER 1.2
#define CT_ANGLE_WHOLE   1e-6 // radians: beside that an angle is given but for a constant
#define CT_CHOICE_GAIN   0.98 // of the operations: what saves less is not better
#define CT_CHOICE_LIMITS 2.0  // of the operations: what limit positions in every turn cost at least
enum {
    CT_PROBE_STEPS = 8,            // times CT_PROBE_WAY, to both sides
    CT_PROBE_PLACES = 40,          // positions all around
    CT_PROBE_TURN = 120,           // positions of a full turn, 3 degrees apart: roots are followed
    CT_CHOICE_ITERATED = 1000,     // an iterated unknown in tracked roots: outweighs any number
    CT_CHOICE_BUDGET = 15000,      // operations of closures that are built to be counted
    CT_CHOICE_BUDGET_TORN = 5000,  // the same where the flow is torn
    CT_CHOICE_BUDGET_TREES = 8000, // the same of other trees along the flow
    CT_CHOICE_TREES_SHARE = 40     // of so many joints the budget must be enough for one
};

#endif
