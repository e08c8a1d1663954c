// The polynomials whose basis is asked for: unknowns in the order of choice, angles in one of three
// forms, some unknowns as symbols of the coefficients.
#ifndef CT_BASIS_SYSTEM_H
#define CT_BASIS_SYSTEM_H

#include "configurations/trig/trig_poly.h"

// cos q and sin q of an angle q as two unknowns with c^2 + s^2 = 1, by t = tan(q/2), or by
// e = exp(j q) with j^2 = -1. The last two are multiplied by their denominators.
typedef enum ct_angle_form { CT_SINE_COSINE, CT_HALF_ANGLE, CT_EULER } ct_angle_form;

typedef struct ct_name_list {
    int n;
    const char *const *names;
} ct_name_list;

typedef struct ct_basis_system {
    ct_ring *ring;
    ct_polys equations; // those of the file or the loops, then identities
    int n_given;        // without identities
} ct_basis_system;

// `variables`: greatest first, the others follow in the order of `from`. The name of an angle means
// all its unknowns.
ct_status ct_basis_system_new(ct_context *ctx, const ct_trig_system *from, ct_angle_form form,
                              ct_order order, ct_name_list variables, ct_name_list symbolic,
                              ct_basis_system *out);
void ct_basis_system_clear(ct_basis_system *system);

// Empty again but for the names of order and substitution.
void ct_basis_result_reset(ct_basis_result *r);
void ct_basis_result_release(ct_basis_result *r); // to the caller

#endif
