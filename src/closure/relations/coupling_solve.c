// Which kind of equation it is in x is read off its derivatives: psi'' = 0 is linear, psi''' = 0
// quadratic, and psi + psi'' free of x is a cosine, a sine and a rest.
#include "closure/relations/coupling_solve.h"

static ct_ex at_zero(ct_pool *pool, ct_ex a, ct_ex x) {
    ct_substitution *zero = ct_substitution_new(pool);
    ct_substitution_map(zero, x, CT_ZERO);
    a = ct_substitute(zero, a);
    ct_substitution_free(zero);
    return a;
}

ct_law ct_law_for(ct_pool *pool, ct_ex psi, ct_ex x, bool is_angle) {
    ct_ex first = ct_diff(pool, psi, x), second = ct_diff(pool, first, x);
    ct_ex rest = ct_add(pool, psi, second);
    ct_law law = {.kind = CT_LAW_OPEN, .c1 = at_zero(pool, first, x)};
    if (!ct_depends(pool, first, x)) {
        bool constant = !(ct_ex_kinds(pool, first) & ~(1u << CT_SYMBOL_PARAMETER));
        law.kind = constant ? CT_LAW_GIVEN : CT_LAW_LINEAR;
        law.c0 = at_zero(pool, psi, x);
    } else if (!is_angle && !ct_depends(pool, second, x)) {
        law.kind = CT_LAW_QUADRATIC;
        law.c0 = at_zero(pool, psi, x);
        law.c2 = ct_mul(pool, ct_rational(pool, 1, 2), second);
    } else if (is_angle && !ct_depends(pool, rest, x)) {
        law.kind = CT_LAW_TURN;
        law.c0 = rest;
        law.c2 = ct_neg(pool, at_zero(pool, second, x));
    }
    return law;
}
