// The Magic Formula: forces and moments of a tyre in steady state.
#ifndef CT_MAGIC_FORMULA_H
#define CT_MAGIC_FORMULA_H

#include "model/model.h"

// The wheel as its contact sees it, in axes x forward and y left in the road, z up.
typedef struct ct_tyre_motion {
    ct_ex deflection, deflection_rate; // of the radius in the wheel plane
    ct_ex forward, sideways;           // velocities of the wheel at the contact, rolling aside
    ct_ex spin;                        // angular velocity about the axle, pointing left
    ct_ex camber;                      // positive where the top leans to the right
} ct_tyre_motion;

// `friction`, `stiffness`, `damping`: of the force, in terms of q.
void ct_magic_formula(const ct_model *model, const ct_force *tyre, ct_ex friction, ct_ex stiffness,
                      ct_ex damping, const ct_tyre_motion *motion,
                      ct_ex quantity[CT_TYRE_QUANTITY_COUNT]);

#endif
