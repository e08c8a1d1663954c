// Tolerances of configurations: |Phi| of the mechanism put together by an exact solution, in
// units of its rows (radians, the mechanism's length, its square).
#ifndef CT_CONFIGURATIONS_TOLERANCES_H
#define CT_CONFIGURATIONS_TOLERANCES_H

#define CT_LOOPS_CLOSED 1e-9 // known coordinates, legs closed by iteration: closed but for rounding
#define CT_LOOPS_SOLVED 1e-7 // solutions of the loops that the whole mechanism has, too
#define CT_LEG_START    0.3 // radians or units of length, at most: a leg's coordinates without a guess
enum { CT_LEG_ATTEMPTS = 60 }; // starts of legs that do not close from there

#endif
