// Tolerances of configurations: |Phi| of the mechanism put together by an exact solution, in
// units of its rows (radians, the mechanism's length, its square).
#ifndef CT_CONFIGURATIONS_TOLERANCES_H
#define CT_CONFIGURATIONS_TOLERANCES_H

#define CT_LOOPS_CLOSED 1e-9 // known coordinates, legs closed by iteration: closed but for rounding
#define CT_LOOPS_SOLVED 1e-7 // solutions of the loops that the whole mechanism has, too
// Sizes of unknowns (cosines; lengths of the mechanism) where rational numbers stand for others. A
// solution beyond the first is looked at again with stand-ins of more digits; one that is beyond
// the second then is at infinity: four of them that meet there come back as digits^(1/4).
#define CT_SUSPICIOUS  1e5
#define CT_AT_INFINITY 1e10
// Where two solutions meet, stand-ins of 16 digits move them apart by the root of that, times a
// condition: as a complex pair, or as two real ones.
#define CT_NEARLY_REAL   1e-6  // imaginary parts of unknowns (cosines; lengths of the mechanism),
#define CT_NEARLY_CLOSED 1e-12 // if the mechanism closes there in its own numbers, |Phi|
#define CT_ONE_ASSEMBLY  1e-6  // radians; lengths of the mechanism
#define CT_LEG_START   0.3 // radians or units of length, at most: a leg's coordinates without a guess
enum { CT_LEG_ATTEMPTS = 60 }; // starts of legs that do not close from there

#endif
