// Tolerances of the formulation: what the numbers of a model may say where symbols leave it open.
// They decide on structure alone (which rows vanish, planar or not, which body carries a wheel), in
// the position with all joint coordinates zero. A length or |Phi| without relation to the size of
// the mechanism is in the model's units, and says so.
#ifndef CT_FORMULATE_TOLERANCES_H
#define CT_FORMULATE_TOLERANCES_H

// constraint rows ---------------------------------------------------------------------------------
#define CT_ROW_VANISHES 1e-9 // |Phi| of a constant row, of its unit: rounding in the file

// planar mechanisms -------------------------------------------------------------------------------
#define CT_PLANAR_TURN   1e-12 // 1 - |cosine| of an axis and the normal: 1.4e-6 radians apart
#define CT_PLANAR_SLIDE  1e-7  // |cosine| of a slide and the normal: radians out of the plane
#define CT_TURNING_OTHER 1e-6  // joints' axes along a world axis, summed: less is the same amount

// floors of divisors, as exact constants: one over the number ------------------------------------
#define CT_LOCK_NEAREST                                                                            \
    1000000000 // inverse of cos b: nearer to the lock the first angle is that of the state before
#define CT_SPRING_SHORTEST 10000000000L // 1e-10, model's lengths: no direction of pull
#define CT_WHEEL_LYING     1000000      // 1e-6, cosine of the camber: the wheel lies on its side

// wheels: strict, since the spin is left out of every equation where they hold --------------------
#define CT_AXLE_PARALLEL 1e-15 // 1 - |cosine| of axle and joint axis: the same but for rounding
#define CT_AXLE_CENTRE2  1e-18 // squared distance of the centre from that axis, of squared arms

#endif
