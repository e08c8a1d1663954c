// Tolerances of the analyses. Coordinates are in radians or lengths of the mechanism, loads and
// stiffnesses in N m of these.
#ifndef CT_ANALYSES_TOLERANCES_H
#define CT_ANALYSES_TOLERANCES_H

// positions ---------------------------------------------------------------------------------------
enum {
    CT_REST_CLOSING = 30,   // Newton steps to Phi = 0: from a near position a few do
    CT_REST_LEADING = 20000 // steps along motions to another time, at most
};
#define CT_REST_CLOSED   1e-11 // |Phi| in units of its rows: a position
#define CT_REST_CUTOFF   1e-9 // singular values of Phi_q, of the largest: smaller ones bind nothing
#define CT_REST_STILL    1e-15 // radians or lengths: a step that is rounding
#define CT_REST_ROW      1e-13 // length of a row of Phi_q: rounding
#define CT_REST_PIVOT    1e-9  // of a row of length one: what depends on the rows before
#define CT_REST_LED      0.2  // radians or lengths: a step along motions, which stays on its branch
#define CT_REST_LED_PART 1e-7 // of the time: shorter steps are a jump of the motions

// search ------------------------------------------------------------------------------------------
enum {
    CT_REST_ITERATIONS = 400, // places that are evaluated with their derivatives
    CT_REST_NEWTON = 100,     // the same for Newton's iteration
    CT_REST_FLIGHT = 25,      // steps in a row without resistance: there is none
    CT_REST_PARTS = 4,        // of a step: places where the work of the forces is looked at
    CT_REST_POLISHING = 40    // steps behind the tolerance, as long as each of them gains
};
#define CT_REST_BALANCED 1e-9  // of the load: a force that is none
#define CT_REST_THERE    1e-10 // radians or lengths: from a place to where its force vanishes
#define CT_REST_ROUNDING 1e-14 // of the terms of a sum: rounding of it
#define CT_REST_ON_TOP   1e-8  // of the load: a start on a saddle or top, left by its curvature
#define CT_REST_DOWN     1e-8  // of the largest stiffness: a curvature that leads down
#define CT_REST_STRIDE   0.3   // radians or lengths: the longest step, so that valleys are not left
#define CT_REST_FIRST    0.1   // the first one
#define CT_REST_SHORTEST 1e-13 // a step that is rounding
#define CT_REST_ACCEPT   0.1   // of the work that the step promises
#define CT_REST_UPHILL   1e-3  // of it: work against the forces on a part of a step
#define CT_REST_SPHERE                                                                             \
    0.5 // of the sum of radii in contact: the longest step, so that none is jumped
#define CT_REST_GOOD     0.75 // of it: longer steps are tried
#define CT_REST_NEAR     1e-5 // radians or lengths: steps where the work is too small to be seen
#define CT_REST_LOOSE    1e-3 // share of the units in the metric, beside inertia
#define CT_REST_BENT     0.5  // of a step: how far closing the loops may lead away from it
#define CT_REST_CONSTANT 1e-6 // of the load: its change over a radian or length, if nothing resists
#define CT_REST_FAR      3e3  // radians or lengths: so far nothing has resisted

// stability ---------------------------------------------------------------------------------------
#define CT_REST_NEUTRAL   1e-8  // of the largest stiffness (contract)
#define CT_REST_NO_LOAD   1e-12 // of the load: stiffness that is rounding of it
#define CT_REST_GROWS     1e-7  // real part, of the largest eigenvalue (contract)
#define CT_REST_SYMMETRIC 1e-7  // of the largest entry: asymmetry by rounding

#define CT_REST_CREEPS 1e-12 // radians or lengths per second: rates that are rest

// names -------------------------------------------------------------------------------------------
#define CT_REST_CLEAR      0.1  // of the largest rest: a coordinate is taken in the model's order
#define CT_REST_LOCKED     1e6  // rate of an angle for a unit of turning: it is in its lock
#define CT_REST_TAKES_PART 1e-6 // of the largest component of a direction
#define CT_REST_HELD       1e-9 // of the largest load: efforts that hold coordinates below are rounding

// statics -----------------------------------------------------------------------------------------
#define CT_STATICS_LEFT 1e-6 // of the largest load: a force that nothing balances
// reactions by loads: positions are exact to 1e-16 times this, reactions to 1e-16 times its square
#define CT_STATICS_AMPLIFIED 1e6

#endif
