// An equation between coordinates, solved for one of them.
#ifndef CT_COUPLING_H
#define CT_COUPLING_H

#include "formulate/formulate.h"

typedef enum ct_coupling_kind {
    CT_COUPLING_GIVEN,     // c1 x + c0 = 0 with a constant c1
    CT_COUPLING_LINEAR,    // c1 x + c0 = 0 with a variable c1
    CT_COUPLING_QUADRATIC, // c2 x^2 + c1 x + c0 = 0, a slide
    CT_COUPLING_ANGLE,     // c2 cos x + c1 sin x + c0 = 0, an angle
    CT_COUPLING_OPEN       // anything else
} ct_coupling_kind;

typedef struct ct_coupling {
    ct_coupling_kind kind;
    ct_ex c0, c1, c2; // free of x
} ct_coupling;

ct_coupling ct_coupling_for(ct_pool *pool, ct_ex psi, ct_ex x, bool is_angle);

#endif
