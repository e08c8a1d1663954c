// Square roots of steps: a pair of cosine and sine, a slide, a vector by its products with two
// others, three angles of a rotation. Which root is right is a sign, that of the initial position;
// a guard stops where roots meet.
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

static ct_ex let(const ct_step_builder *build, ct_ex a) {
    return ct_let(build->pool, a);
}

// Square root; a guard stops negative radicands. Inside an iteration these may occur for a moment
// and are taken as zero.
static ct_ex root_of(const ct_step_builder *build, ct_ex a) {
    ct_ex args[2] = {a, CT_ZERO};
    return ct_sqrt(build->pool, build->iterated ? ct_apply(build->pool, CT_OP_MAX, args) : a);
}

// A parameter that is a factor of a and of b; 1 if there is none.
static ct_ex common_factor(ct_pool *pool, ct_ex a, ct_ex b) {
    if (ct_ex_op(pool, a) != CT_OP_PRODUCT) return CT_ONE;
    for (int i = 1; i + 1 < ct_child_count(pool, a); i += 2) {
        ct_ex base = ct_child(pool, a, i);
        if (ct_child(pool, a, i + 1) != CT_ONE || ct_ex_op(pool, base) != CT_OP_SYMBOL ||
            ct_symbol_kind_of(pool, base) != CT_SYMBOL_PARAMETER)
            continue;
        ct_ex rest = ct_div(pool, b, base);
        if (b == CT_ZERO || !ct_depends(pool, rest, base)) return base;
    }
    return CT_ONE;
}

ct_ex ct_steps_trig(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                    ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine) {
    ct_pool *pool = build->pool;
    // without a parameter that a and b have in common
    ct_ex factor = common_factor(pool, a == CT_ZERO ? b : a, a == CT_ZERO ? a : b);
    a = ct_div(pool, a, factor);
    b = ct_div(pool, b, factor);
    c = ct_div(pool, c, factor);
    // one of them is zero: cosine or sine at once, the other by sqrt(1 - x^2)
    if (a == CT_ZERO || b == CT_ZERO) {
        ct_ex known = let(build, ct_div(pool, c, a == CT_ZERO ? b : a));
        ct_ex square = let(build, ct_sub(pool, CT_ONE, ct_power_int(pool, known, 2)));
        ct_ex root = let(build, ct_mul(pool, ct_steps_sign(build, a == CT_ZERO ? u->c : u->s),
                                       root_of(build, square)));
        ct_steps_keep_clear(build, seg, square, CT_ONE);
        *cosine = a == CT_ZERO ? root : known;
        *sine = a == CT_ZERO ? known : root;
        return ct_product(pool, 3, (ct_ex[]){a == CT_ZERO ? ct_neg(pool, b) : a, root, factor});
    }
    // r = sigma sqrt(a^2 + b^2 - c^2), sigma: sign of a S - b C at the initial position
    a = let(build, a);
    b = let(build, b);
    c = let(build, c);
    ct_ex scale = let(build, ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, b, 2)));
    ct_ex square = let(build, ct_sub(pool, scale, ct_power_int(pool, c, 2)));
    ct_ex sign = ct_steps_sign(build, ct_sub(pool, ct_mul(pool, a, u->s), ct_mul(pool, b, u->c)));
    ct_ex root = let(build, ct_mul(pool, sign, root_of(build, square)));
    ct_ex over = ct_power_int(pool, scale, -1);
    ct_steps_keep_clear(build, seg, square, scale);
    // C = (a c - b r) / (a^2 + b^2), S = (b c + a r) / (a^2 + b^2)
    *cosine = ct_mul(pool, ct_sub(pool, ct_mul(pool, a, c), ct_mul(pool, b, root)), over);
    *sine = ct_mul(pool, ct_add(pool, ct_mul(pool, b, c), ct_mul(pool, a, root)), over);
    return ct_mul(pool, root, factor);
}

ct_ex ct_steps_square(const ct_step_builder *build, ct_segment *seg, ct_ex x, ct_ex h, ct_ex k) {
    ct_pool *pool = build->pool;
    h = let(build, h);
    ct_ex square = let(build, ct_sub(pool, ct_power_int(pool, h, 2), k));
    ct_ex sign = ct_steps_sign(build, ct_add(pool, x, h));
    ct_ex scale = ct_add(pool, ct_power_int(pool, h, 2), square);
    ct_steps_keep_clear(build, seg, square, scale);
    return ct_sub(pool, ct_mul(pool, sign, root_of(build, square)), h);
}

void ct_steps_pivot(const ct_step_builder *build, ct_segment *seg, ct_ex square) {
    if (!(ct_ex_kinds(build->pool, square) & ~(1u << CT_SYMBOL_PARAMETER))) return;
    ct_steps_keep_clear(build, seg, square, CT_ONE);
}

ct_vec3 ct_steps_third(const ct_step_builder *build, ct_segment *seg, ct_vec3 u, ct_ex u2, ct_ex ku,
                       ct_vec3 w, ct_ex kw, ct_ex kx, ct_ex side) {
    ct_pool *pool = build->pool;
    // u x w and the Gram determinant of u and w
    ct_vec3 n = ct_vec_let(pool, ct_vec_cross(pool, u, w));
    ct_ex uw = ct_let(pool, ct_vec_dot(pool, u, w)), w2 = ct_let(pool, ct_vec_dot(pool, w, w));
    ct_ex det = ct_let(pool, ct_sub(pool, ct_mul(pool, u2, w2), ct_power_int(pool, uw, 2)));
    ct_ex over = ct_let(pool, ct_power_int(pool, det, -1));
    ku = ct_let(pool, ku);
    kw = ct_let(pool, kw);
    // x = alpha u + beta w + gamma n: alpha and beta from the two products
    ct_ex alpha =
        ct_let(pool, ct_mul(pool, ct_sub(pool, ct_mul(pool, ku, w2), ct_mul(pool, kw, uw)), over));
    ct_ex beta =
        ct_let(pool, ct_mul(pool, ct_sub(pool, ct_mul(pool, kw, u2), ct_mul(pool, ku, uw)), over));
    // gamma^2 det = kx - alpha ku - beta kw; guards: this stays positive, u and w are not parallel
    ct_ex left = ct_let(pool, ct_sum(pool, 3,
                                     (ct_ex[]){kx, ct_neg(pool, ct_mul(pool, alpha, ku)),
                                               ct_neg(pool, ct_mul(pool, beta, kw))}));
    ct_ex tiny = ct_power_int(pool, ct_int(pool, 10), CT_GUARD_LIMIT);
    ct_steps_keep_clear(build, seg, left, kx);
    ct_steps_guard(seg, ct_sub(pool, det, ct_product(pool, 3, (ct_ex[]){tiny, u2, w2})));
    ct_ex gamma = ct_let(pool, ct_mul(pool, side, root_of(build, ct_mul(pool, left, over))));
    ct_vec3 x = ct_vec_add(pool, ct_vec_scale(pool, alpha, u), ct_vec_scale(pool, beta, w));
    return ct_vec_let(pool, ct_vec_add(pool, x, ct_vec_scale(pool, gamma, n)));
}

static int axis_index(ct_vec3 u) {
    return u.v[0] == CT_ONE ? 0 : u.v[1] == CT_ONE ? 1 : 2;
}

// The square root has the sign that the middle cosine (proper angles: sine) has at the initial
// position.
void ct_steps_three_angles(const ct_step_builder *build, ct_segment *seg, const ct_connection *c,
                           ct_mat3 r, const int *coordinate) {
    ct_pool *pool = build->pool;
    // axes i, j, k of the turns; proper: the first and the last are the same
    int i = axis_index(c->axis[0]), j = axis_index(c->axis[1]), k = axis_index(c->axis[2]);
    bool proper = i == k;
    if (proper) k = 3 - i - j;
    ct_ex e = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1), minus_e = ct_neg(pool, e);
    ct_ex pair[3][2]; // cosine, sine
    for (int n = 0; n < 3; n++)
        ct_values_pair(build->values, build->f->q[coordinate[n]], &pair[n][0], &pair[n][1]);
    // two entries of row i: middle cosine (proper: sine) times cosine and sine of the last angle
    ct_ex first = proper ? r.a[i][j] : r.a[i][i], second = proper ? r.a[i][k] : r.a[i][j];
    first = ct_let(pool, first);
    second = ct_let(pool, second);
    // middle cosine (proper: sine) by a square root; where it is zero the angles lock
    ct_ex square =
        ct_let(pool, ct_add(pool, ct_power_int(pool, first, 2), ct_power_int(pool, second, 2)));
    ct_ex sign = ct_steps_sign(build, proper ? pair[1][1] : pair[1][0]);
    ct_ex root = ct_let(pool, ct_mul(pool, sign, ct_sqrt(pool, square)));
    ct_ex over = ct_let(pool, ct_power_int(pool, root, -1));
    ct_steps_guard(seg, ct_sub(pool, square, ct_power_int(pool, ct_int(pool, 10), CT_GUARD_LOCK)));
    // proper: the middle cosine is R_ii
    ct_ex cosine[3], sine[3];
    if (proper) {
        cosine[0] = ct_product(pool, 3, (ct_ex[]){minus_e, r.a[k][i], over});
        sine[0] = ct_mul(pool, r.a[j][i], over);
        cosine[1] = r.a[i][i];
        sine[1] = root;
        cosine[2] = ct_product(pool, 3, (ct_ex[]){e, second, over});
        sine[2] = ct_mul(pool, first, over);
    } else {
        // else: the middle sine is e R_ik
        cosine[0] = ct_mul(pool, r.a[k][k], over);
        sine[0] = ct_product(pool, 3, (ct_ex[]){minus_e, r.a[j][k], over});
        cosine[1] = root;
        sine[1] = ct_mul(pool, e, r.a[i][k]);
        cosine[2] = ct_mul(pool, first, over);
        sine[2] = ct_product(pool, 3, (ct_ex[]){minus_e, second, over});
    }
    for (int n = 0; n < 3; n++)
        ct_steps_set(build, seg, build->f->q[coordinate[n]], cosine[n], sine[n]);
}
