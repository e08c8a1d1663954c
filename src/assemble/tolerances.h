// Tolerances of the assembly. Steps and |Phi| are pure numbers: angles in radians, lengths and
// squares of lengths in those of the mechanism (`scale`), so that nothing depends on its size.
#ifndef CT_ASSEMBLE_TOLERANCES_H
#define CT_ASSEMBLE_TOLERANCES_H

// descent on |Phi| --------------------------------------------------------------------------------
enum {
    CT_DESCENT_ITERATIONS = 60, // Gauss-Newton steps: at a double root each only halves the error
    CT_DESCENT_CUTS = 8         // halvings of a step: after 1/128 it is taken as it is
};
#define CT_DESCENT_CUTOFF    1e-9  // singular values, of the largest: smaller ones are no direction
#define CT_DESCENT_STRIDE    0.6   // radians or scales: a linear step is trusted no farther
#define CT_DESCENT_GAIN      0.1   // of the decrease that the linear step promises: less is none
#define CT_DESCENT_NEAR      1e-8  // |Phi|: so near it may grow, by rounding
#define CT_DESCENT_NEAR_STEP 1e-4  // radians or scales: only with steps as short as this
#define CT_DESCENT_CLOSED    1e-9  // |Phi|: closed, if it does not fall any more
#define CT_DESCENT_REST      1e-9  // radians or scales: and if the step is as short as this
#define CT_DESCENT_SLOW      0.9   // of the step before: towards the nearest place no shorter one
#define CT_DESCENT_STILL     1e-14 // radians or scales: a step that is rounding

// nearness ----------------------------------------------------------------------------------------
#define CT_NEARNESS_HALF_TURN                                                                      \
    1e-6 // sine of a rotation: below it near half a turn, the axis is lost

// initial position --------------------------------------------------------------------------------
enum { CT_ASSEMBLY_ATTEMPTS = 80 };   // starts, farther each time from what `guess` says
#define CT_ASSEMBLY_CLOSED      1e-10 // |Phi|: a closed position
#define CT_ASSEMBLY_FIRST_WAY   1e-3  // radians or scales: from `guess` to the start beside it
#define CT_ASSEMBLY_FARTHEST    3000  // times that: 3 radians, half a turn
#define CT_ASSEMBLY_WRONG_ROUND 1e3   // times CLOSED, at least: a joint the wrong way round
#define CT_ASSEMBLY_SAME_REACH  1e-9  // of itself: distances that differ by rounding

// initial rates -----------------------------------------------------------------------------------
#define CT_RATES_CUTOFF 1e-10 // singular values, of the largest: smaller ones are no direction
#define CT_RATES_OPEN   1e-8  // of the largest rate, at least 1: a contradiction
#define CT_RATES_HELD   1e-12 // of a given rate, at least 1: a smaller correction is rounding
#define CT_RATES_LOCKED 1e-6  // sine of the middle angle of three to where the outer axes align

// frames of balls ---------------------------------------------------------------------------------
#define CT_TURN_NEAR                                                                               \
    0.1 // sine of the middle angle of three to the lock: nearer, the frame is turned
#define CT_TURN_GAIN 1e-9 // of that sine: more is farther, less is rounding

// constraint rows ---------------------------------------------------------------------------------
enum { CT_ROWS_STEPS = 12 }; // of Newton's method to a neighbour
#define CT_ROWS_AWAY   0.05  // radians or scales: to a neighbour of the start
#define CT_ROWS_CLOSED 1e-9  // |Phi|: the neighbour is a position
#define CT_ROWS_EXACT  1e-13 // |Phi|: rounding, rows that depend on others hold too
#define CT_ROWS_FLOOR  1e-13 // length of a row of Phi_q: rounding
#define CT_ROWS_NEARLY 1e-4  // singular value s of rows of length one: rates lose some 1e-15 / s^2

#endif
