// An equation between coordinates, solved for one of them.
#ifndef CT_LAW_H
#define CT_LAW_H

#include "formulate/formulate.h"

typedef enum ct_law_kind {
    CT_LAW_GIVEN,     // c1 x + c0 = 0 with a constant c1
    CT_LAW_LINEAR,    // the same with a c1 that changes
    CT_LAW_QUADRATIC, // c2 x^2 + c1 x + c0 = 0, a slide
    CT_LAW_TURN,      // c2 cos x + c1 sin x + c0 = 0, an angle
    CT_LAW_OPEN       // anything else
} ct_law_kind;

typedef struct ct_law {
    ct_law_kind kind;
    ct_ex c0, c1, c2; // free of x
} ct_law;

ct_law ct_law_for(ct_pool *pool, ct_ex psi, ct_ex x, bool is_angle);

#endif
