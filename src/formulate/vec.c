// Vectors and matrices of expressions; zeros and ones vanish as the expressions are built.
#include "formulate/tolerances.h"
#include "formulate/vec.h"

#include <math.h>

ct_vec3 ct_vec(ct_ex x, ct_ex y, ct_ex z) {
    return (ct_vec3){{x, y, z}};
}

ct_vec3 ct_vec_unit(int axis) {
    ct_vec3 u = {{0}};
    u.v[axis] = CT_ONE;
    return u;
}

bool ct_vec_is_zero(ct_vec3 a) {
    return a.v[0] == CT_ZERO && a.v[1] == CT_ZERO && a.v[2] == CT_ZERO;
}

bool ct_vec_same(ct_vec3 a, ct_vec3 b) {
    return a.v[0] == b.v[0] && a.v[1] == b.v[1] && a.v[2] == b.v[2];
}

ct_vec3 ct_vec_add(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    for (int i = 0; i < 3; i++) a.v[i] = ct_add(pool, a.v[i], b.v[i]);
    return a;
}

ct_vec3 ct_vec_sub(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    for (int i = 0; i < 3; i++) a.v[i] = ct_sub(pool, a.v[i], b.v[i]);
    return a;
}

ct_vec3 ct_vec_neg(ct_pool *pool, ct_vec3 a) {
    for (int i = 0; i < 3; i++) a.v[i] = ct_neg(pool, a.v[i]);
    return a;
}

ct_vec3 ct_vec_scale(ct_pool *pool, ct_ex s, ct_vec3 a) {
    for (int i = 0; i < 3; i++) a.v[i] = ct_mul(pool, s, a.v[i]);
    return a;
}

ct_ex ct_vec_dot(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    ct_ex t[3];
    for (int i = 0; i < 3; i++) t[i] = ct_mul(pool, a.v[i], b.v[i]);
    return ct_sum(pool, 3, t);
}

ct_vec3 ct_vec_cross(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    ct_vec3 c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.v[i] = ct_sub(pool, ct_mul(pool, a.v[j], b.v[k]), ct_mul(pool, a.v[k], b.v[j]));
    }
    return c;
}

ct_vec3 ct_vec_let(ct_pool *pool, ct_vec3 a) {
    for (int i = 0; i < 3; i++) a.v[i] = ct_let(pool, a.v[i]);
    return a;
}

// The coordinate axis that is farthest from u.
static int farthest(const ct_model *model, ct_vec3 u) {
    int e = 2;
    for (int i = 1; i >= 0; i--)
        if (fabs(ct_model_number(model, u.v[i])) < fabs(ct_model_number(model, u.v[e]))) e = i;
    return e;
}

bool ct_vec_normals_condition(const ct_model *model, ct_vec3 u, ct_condition *condition) {
    ct_pool *pool = model->pool;
    int nonzero = 0;
    for (int i = 0; i < 3; i++) nonzero += u.v[i] != CT_ZERO;
    const ct_ex along = u.v[farthest(model, u)];
    if (nonzero < 2 || !ct_ex_kinds(pool, along)) return false;
    condition->kind = CT_IS_POSITIVE;
    condition->value = ct_sub(pool, ct_rational(pool, CT_NORMALS_APART - 1, CT_NORMALS_APART),
                              ct_power_int(pool, along, 2));
    return true;
}

void ct_vec_normals(const ct_model *model, ct_vec3 u, ct_vec3 *n1, ct_vec3 *n2) {
    ct_pool *pool = model->pool;
    // along a coordinate axis (either way): the next two axes
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (u.v[j] != CT_ZERO || u.v[k] != CT_ZERO) continue;
        *n1 = ct_vec_unit(j);
        *n2 = ct_vec_cross(pool, u, *n1);
        return;
    }
    // otherwise e x u with the coordinate axis e that is farthest from u
    ct_vec3 w = ct_vec_cross(pool, ct_vec_unit(farthest(model, u)), u);
    ct_ex length = ct_sqrt(pool, ct_vec_dot(pool, w, w));
    *n1 = ct_vec_scale(pool, ct_power_int(pool, length, -1), w);
    *n2 = ct_vec_cross(pool, u, *n1);
}

bool ct_mat_is_identity(ct_mat3 a) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a.a[i][j] != (i == j ? CT_ONE : CT_ZERO)) return false;
    return true;
}

ct_mat3 ct_mat_mul(ct_pool *pool, ct_mat3 a, ct_mat3 b) {
    ct_mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex t[3];
            for (int k = 0; k < 3; k++) t[k] = ct_mul(pool, a.a[i][k], b.a[k][j]);
            c.a[i][j] = ct_sum(pool, 3, t);
        }
    return c;
}

ct_mat3 ct_mat_transpose(ct_mat3 a) {
    ct_mat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t.a[i][j] = a.a[j][i];
    return t;
}

ct_vec3 ct_mat_vec(ct_pool *pool, ct_mat3 a, ct_vec3 v) {
    ct_vec3 r;
    for (int i = 0; i < 3; i++)
        r.v[i] = ct_vec_dot(pool, ct_vec(a.a[i][0], a.a[i][1], a.a[i][2]), v);
    return r;
}

ct_vec3 ct_mat_transpose_vec(ct_pool *pool, ct_mat3 a, ct_vec3 v) {
    return ct_mat_vec(pool, ct_mat_transpose(a), v);
}

ct_mat3 ct_mat_rotation(ct_pool *pool, ct_vec3 u, ct_ex angle) {
    ct_ex c = ct_cos(pool, angle), s = ct_sin(pool, angle), one_c = ct_sub(pool, CT_ONE, c);
    ct_mat3 r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (u.v[j] == CT_ZERO && u.v[k] == CT_ZERO) { // about +-axis i
            ct_ex signed_s = ct_mul(pool, u.v[i], s);
            r = ct_mat3_identity();
            r.a[j][j] = r.a[k][k] = c;
            r.a[k][j] = signed_s;
            r.a[j][k] = ct_neg(pool, signed_s);
            return r;
        }
    }
    // Rodrigues: c I + (1 - c) u u^T + s [u]
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.a[i][i] = ct_add(pool, c, ct_product(pool, 3, (ct_ex[]){u.v[i], u.v[i], one_c}));
        ct_ex uu = ct_product(pool, 3, (ct_ex[]){u.v[j], u.v[k], one_c}),
              us = ct_mul(pool, u.v[i], s);
        r.a[k][j] = ct_add(pool, uu, us);
        r.a[j][k] = ct_sub(pool, uu, us);
    }
    return r;
}

ct_mat3 ct_mat_let(ct_pool *pool, ct_mat3 a) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.a[i][j] = ct_let(pool, a.a[i][j]);
    return a;
}
