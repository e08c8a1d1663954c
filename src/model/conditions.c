// Conditions on parameters as expressions that vanish where they hold: a sign that an axis has, a mass
// that is not negative, moments of inertia that a body can have.
#include "model/model.h"
#include "model/tolerances.h"

#include <math.h>

static ct_ex compare(ct_pool *pool, ct_op op, ct_ex a, ct_ex b) {
    return ct_apply(pool, op, (ct_ex[]){a, b});
}

static ct_ex not_so(ct_pool *pool, ct_ex holds) {
    return ct_sub(pool, CT_ONE, holds);
}

ct_ex ct_condition_residual(ct_pool *pool, const ct_condition *condition) {
    const ct_ex x = condition->value;
    switch (condition->kind) {
    case CT_IS_ZERO: return x;
    case CT_IS_POSITIVE: return not_so(pool, compare(pool, CT_OP_LESS, CT_ZERO, x));
    case CT_IS_NEGATIVE: return not_so(pool, compare(pool, CT_OP_LESS, x, CT_ZERO));
    case CT_IS_NOT_NEGATIVE: return not_so(pool, compare(pool, CT_OP_LESS_EQUAL, CT_ZERO, x));
    case CT_IS_NOT_ZERO: return compare(pool, CT_OP_EQUAL, x, CT_ZERO);
    }
    return CT_ONE;
}

bool ct_has_parameters(const ct_pool *pool, ct_vec3 v) {
    return ct_ex_kinds(pool, v.v[0]) | ct_ex_kinds(pool, v.v[1]) | ct_ex_kinds(pool, v.v[2]);
}

// moments of inertia ------------------------------------------------------------------------------
// A tolerance as the fraction 1/n.
static ct_ex share(ct_pool *pool, double tolerance) {
    return ct_rational(pool, 1, lround(1 / tolerance));
}

// 1 if the symmetric matrix with diagonal d + more and off-diagonal entries o = (xy, xz, yz) is
// positive definite: its leading minors are positive.
static ct_ex is_positive(ct_pool *pool, const ct_ex *d, const ct_ex *o, ct_ex more) {
    ct_ex e[3], minor[3], all[3];
    for (int i = 0; i < 3; i++) e[i] = ct_add(pool, d[i], more);
    ct_ex xy = ct_power_int(pool, o[0], 2), xz = ct_power_int(pool, o[1], 2),
          yz = ct_power_int(pool, o[2], 2);
    minor[0] = e[0];
    minor[1] = ct_sub(pool, ct_mul(pool, e[0], e[1]), xy);
    // x y z + 2 xy xz yz - x yz^2 - y xz^2 - z xy^2
    const ct_ex terms[] = {ct_product(pool, 3, e),
                           ct_mul(pool, ct_int(pool, 2), ct_product(pool, 3, o)),
                           ct_neg(pool, ct_mul(pool, e[0], yz)),
                           ct_neg(pool, ct_mul(pool, e[1], xz)),
                           ct_neg(pool, ct_mul(pool, e[2], xy))};
    minor[2] = ct_sum(pool, 5, terms);
    for (int i = 0; i < 3; i++) all[i] = compare(pool, CT_OP_LESS, CT_ZERO, minor[i]);
    return ct_product(pool, 3, all);
}

// The largest size of six numbers.
static ct_ex largest(ct_pool *pool, const ct_ex *inertia) {
    ct_ex most = CT_ZERO;
    for (int i = 0; i < 6; i++)
        most = compare(pool, CT_OP_MAX, most, ct_apply(pool, CT_OP_ABS, &inertia[i]));
    return most;
}

// 1 if two moments are left out, as a planar model may: one at most is not zero, and no product.
static ct_ex is_planar(ct_pool *pool, const ct_ex *inertia) {
    ct_ex zeros[6];
    for (int i = 0; i < 6; i++) zeros[i] = compare(pool, CT_OP_EQUAL, inertia[i], CT_ZERO);
    ct_ex two = compare(pool, CT_OP_LESS_EQUAL, ct_int(pool, 2), ct_sum(pool, 3, zeros));
    return ct_mul(pool, two, ct_product(pool, 3, zeros + 3));
}

// As ct_check_inertia does in numbers: J and S = (tr J / 2) 1 - J are positive, but for rounded data.
ct_ex ct_inertia_residual(ct_pool *pool, const ct_body *body) {
    const ct_ex *inertia = body->inertia;
    unsigned kinds = 0;
    int given = 0;
    // nothing to decide without parameters, and about one moment alone
    for (int i = 0; i < 6; i++) {
        kinds |= ct_ex_kinds(pool, inertia[i]);
        given += inertia[i] != CT_ZERO;
    }
    if (!kinds || (given == 1 && inertia[2] != CT_ZERO)) return CT_ZERO;
    // J = d, o and S, with margins in the size of the largest moment
    ct_ex scale = largest(pool, inertia), d[3], second[3], o[3];
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), ct_sum(pool, 3, inertia));
    for (int i = 0; i < 3; i++) {
        d[i] = inertia[i];
        second[i] = ct_sub(pool, half, d[i]);
        o[i] = ct_neg(pool, inertia[3 + i]);
    }
    ct_ex margin[2] = {ct_mul(pool, share(pool, CT_INERTIA_DIGITS), scale),
                       ct_mul(pool, share(pool, CT_INERTIA_ROUNDED), scale)};
    ct_ex good = ct_mul(pool, is_positive(pool, d, o, margin[0]),
                        is_positive(pool, second, inertia + 3, margin[1]));
    return not_so(pool, ct_if(pool, is_planar(pool, inertia), CT_ONE, good));
}
