// The kind of a coupling psi = 0 as an equation in x, from its derivatives: psi'' = 0 is linear,
// psi''' = 0 quadratic, and with psi + psi'' free of x it is a C + b S + c = 0 in cosine and sine.
#include "closure/relations/coupling_solve.h"

static ct_ex at_zero(ct_pool *pool, ct_ex a, ct_ex x) {
    ct_substitution *zero = ct_substitution_new(pool);
    ct_substitution_map(zero, x, CT_ZERO);
    a = ct_substitute(zero, a);
    ct_substitution_free(zero);
    return a;
}

ct_coupling ct_coupling_for(ct_pool *pool, ct_ex psi, ct_ex x, bool is_angle) {
    ct_ex first = ct_diff(pool, psi, x), second = ct_diff(pool, first, x);
    ct_ex rest = ct_add(pool, psi, second);
    ct_coupling coupling = {.kind = CT_COUPLING_OPEN, .c1 = at_zero(pool, first, x)};
    if (!ct_depends(pool, first, x)) {
        bool constant = !(ct_ex_kinds(pool, first) & ~(1u << CT_SYMBOL_PARAMETER));
        coupling.kind = constant ? CT_COUPLING_GIVEN : CT_COUPLING_LINEAR;
        coupling.c0 = at_zero(pool, psi, x);
    } else if (!is_angle && !ct_depends(pool, second, x)) {
        coupling.kind = CT_COUPLING_QUADRATIC;
        coupling.c0 = at_zero(pool, psi, x);
        coupling.c2 = ct_mul(pool, ct_rational(pool, 1, 2), second);
    } else if (is_angle && !ct_depends(pool, rest, x)) {
        coupling.kind = CT_COUPLING_ANGLE;
        coupling.c0 = rest;
        coupling.c2 = ct_neg(pool, at_zero(pool, second, x));
    }
    return coupling;
}
