// Tolerances of the formulation: what the numbers of a model may say where symbols leave it open.
// They decide on structure alone (which rows vanish, planar or not, which body carries a wheel), in
// the position with all joint coordinates zero. A length or |Phi| without relation to the size of
// the mechanism is in the model's units, and says so.
#ifndef CT_FORMULATE_TOLERANCES_H
#define CT_FORMULATE_TOLERANCES_H

// sizes -------------------------------------------------------------------------------------------
#define CT_ENTRIES_LATE                                                                            \
    2500 // entries of half of M, as of a chain of 70 bodies: beyond, M of a mechanism with loops waits

// constraint rows ---------------------------------------------------------------------------------
#define CT_ROW_VANISHES 1e-9 // |Phi| of a constant row, of its unit: rounding in the file

#define CT_ENTRIES_OF_TREE                                                                         \
    150 // the same of a tree, as of a chain of 17 bodies: its recursion takes less than half

#define CT_FACTORS_LONG                                                                            \
    24 // turns and constant matrices of a rotation: longer ones are products of two
#define CT_PATH_LONG 12 // joints from ground to a body: positions further out follow one another

// links -------------------------------------------------------------------------------------------
#define CT_LINK_SKEW                                                                               \
    0.02 // sine of two axes in a row, length of a normal: less moves the origin of a frame far away

// planar mechanisms -------------------------------------------------------------------------------
#define CT_PLANAR_TURN   1e-12 // 1 - |cosine| of an axis and the normal: 1.4e-6 radians apart
#define CT_PLANAR_SLIDE  1e-7  // |cosine| of a slide and the normal: radians out of the plane
#define CT_TURNING_OTHER 1e-6  // joints' axes along a world axis, summed: less is the same amount

// natural coordinates -----------------------------------------------------------------------------
#define CT_NATURAL_SAME 1e-12 // of length 1 or of the mechanism: points and vectors are the same
// Sine of a direction against those that are known of a body: less is no basis for its frame. A new
// direction may be another one instead, a shared one costs rows.
#define CT_NATURAL_NEW    0.3
#define CT_NATURAL_SHARED 0.05
#define CT_NATURAL_NEAR   0.01 // of the mechanism's length: points that are nearer give no direction

// floors of divisors, as exact constants: one over the number ------------------------------------
#define CT_LOCK_NEAREST                                                                            \
    1000000000 // inverse of cos b: nearer to the lock the first angle is that of the state before
#define CT_NORMALS_APART                                                                           \
    1000000000000L // 1e-12, squared sine of an axis and the coordinate axis that gives its normals
#define CT_SPRING_SHORTEST 10000000000L   // 1e-10, model's lengths: no direction of pull
#define CT_WHEEL_LYING     1000000        // 1e-6, cosine of the camber: the wheel lies on its side
#define CT_BUSHING_TURNED  1000000000000L // 1e-12, 4 cos^2(|r| / 2): a bushing turned by half a turn
#define CT_BUSHING_SERIES  10000 // 1e-4, sin^2(|r| / 2): below, series are exact to rounding

// wheels: strict, since the spin is left out of every equation where they hold --------------------
#define CT_AXLE_PARALLEL 1e-15 // 1 - |cosine| of axle and joint axis: the same but for rounding
#define CT_AXLE_CENTRE2  1e-18 // squared distance of the centre from that axis, of squared arms

#endif
