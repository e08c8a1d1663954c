// Back-substitution: slides and angles of a joint that is not a branch, from the places of its two
// bodies. A screw has its angle alone; a body's own coordinates are found in the same way. Swings: angles
// about the line through two points.
#include "formulate/layout.h"

// Angle of a turn about u:  R n1 = cos n1 + sin n2.
static ct_ex turn_about(ct_layout *l, ct_mat3 r, ct_vec3 u) {
    ct_vec3 n1, n2;
    ct_vec_normals(l->model, u, &n1, &n2);
    ct_vec3 moved = ct_mat_vec(l->pool, r, n1);
    return ct_apply(l->pool, CT_OP_ATAN2,
                    (ct_ex[]){ct_vec_dot(l->pool, n2, moved), ct_vec_dot(l->pool, n1, moved)});
}

// Angle by which w (not along u) was turned about u into v.
static ct_ex turn_of(ct_layout *l, ct_vec3 u, ct_vec3 w, ct_vec3 v) {
    ct_pool *pool = l->pool;
    ct_vec3 across = ct_vec_cross(pool, u, w);
    ct_vec3 flat = ct_vec_sub(pool, w, ct_vec_scale(pool, ct_vec_dot(pool, u, w), u));
    return ct_apply(pool, CT_OP_ATAN2,
                    (ct_ex[]){ct_vec_dot(pool, across, v), ct_vec_dot(pool, flat, v)});
}

static ct_ex root_of_squares(ct_pool *pool, ct_ex a, ct_ex b) {
    return ct_sqrt(pool, ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, b, 2)));
}

static int axis_index(ct_vec3 u) {
    return u.v[0] == CT_ONE ? 0 : u.v[1] == CT_ONE ? 1 : 2;
}

// R = R_i(a) R_j(b) R_k(c), either all different or i = k; e is the sign of the permutation. The
// third angle follows from the first, by row j of R_i(a)^T R = R_j(b) R_k(c): the three belong
// together in gimbal lock, too, where the first is arbitrary.
static void euler_angles(ct_layout *l, const ct_connection *c, ct_mat3 r, ct_ex *angle) {
    ct_pool *pool = l->pool;
    int i = axis_index(c->axis[0]), j = axis_index(c->axis[1]), k = axis_index(c->axis[2]);
    bool proper = i == k;
    if (proper) k = 3 - i - j;
    ct_ex e = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1), minus_e = ct_neg(pool, e);
    ct_ex first[2], second[2];
    if (proper) {
        first[0] = r.a[j][i], first[1] = ct_mul(pool, minus_e, r.a[k][i]);
        second[0] = root_of_squares(pool, r.a[i][j], r.a[i][k]), second[1] = r.a[i][i];
    } else {
        first[0] = ct_mul(pool, minus_e, r.a[j][k]), first[1] = r.a[k][k];
        second[0] = ct_mul(pool, e, r.a[i][k]),
        second[1] = root_of_squares(pool, r.a[i][i], r.a[i][j]);
    }
    angle[0] = ct_apply(pool, CT_OP_ATAN2, first);
    angle[1] = ct_apply(pool, CT_OP_ATAN2, second);
    // cos(a) R_j + e sin(a) R_k = (.., cos c at j, e sin c at i), like zxz -e sin c at k
    ct_ex cosine = ct_cos(pool, angle[0]), sine = ct_mul(pool, e, ct_sin(pool, angle[0])), row[3];
    for (int s = 0; s < 3; s++)
        row[s] = ct_add(pool, ct_mul(pool, cosine, r.a[j][s]), ct_mul(pool, sine, r.a[k][s]));
    ct_ex third[] = {proper ? ct_mul(pool, minus_e, row[k]) : ct_mul(pool, e, row[i]), row[j]};
    angle[2] = ct_apply(pool, CT_OP_ATAN2, third);
}

static void angles(ct_layout *l, const ct_connection *c, ct_ex *value) {
    ct_mat3 r = ct_joint_rotation(l, c);
    if (c->n_rot == 1)
        value[0] = turn_about(l, r, c->axis[0]);
    else if (c->n_rot == 2) {
        // R a2 = Rot(a1, q1) a2;  R^T a1 = Rot(a2, -q2) a1
        value[0] = turn_of(l, c->axis[0], c->axis[1], ct_mat_vec(l->pool, r, c->axis[1]));
        value[1] = ct_neg(l->pool, turn_of(l, c->axis[1], c->axis[0],
                                           ct_mat_transpose_vec(l->pool, r, c->axis[0])));
    } else if (c->n_rot == 3) {
        euler_angles(l, c, r, value);
    }
}

int ct_connection_values(ct_layout *l, const ct_connection *c, ct_ex *value) {
    int n = 0;
    if (c->n_trans && !c->screw) {
        ct_vec3 d = ct_path(l, c->body[0], c->at[0], c->body[1], c->at[1], c->body[0]);
        d = ct_mat_transpose_vec(l->pool, c->orient[0], d);
        d = ct_vec_sub(l->pool, d, c->offset);
        for (int k = 0; k < c->n_trans; k++) value[n++] = ct_vec_dot(l->pool, c->direction[k], d);
    }
    angles(l, c, value + n);
    return n + c->n_rot;
}

// swings ------------------------------------------------------------------------------------------
typedef struct swing_end {
    int body;
    ct_vec3 at;
} swing_end;

static swing_end end_of(const ct_layout *l, ct_swing_point p) {
    const ct_joint *joint = l->model->joints + p.joint;
    int body = joint->body[p.side];
    return (swing_end){body, ct_from_com(l, body, joint->at[p.side])};
}

// Sine and cosine of the angle, times the arm: with the line w, the direction u in which the angle is
// zero, and d from the line to the point,
//   t = w x u,   arm sin = d . t / |w| |u|',   arm cos = d . (t x w) / |w|^2 |u|',
// where |u|' = |t| / |w| stands in both and is left out.
static void swing_parts(ct_layout *l, const ct_swing *s, ct_ex *sine, ct_ex *cosine) {
    ct_pool *pool = l->pool;
    swing_end from = end_of(l, s->from), to = end_of(l, s->to);
    // the line, whose length is constant in one body
    int frame = from.body == to.body ? from.body : s->base;
    ct_vec3 w = ct_path(l, from.body, from.at, to.body, to.at, frame), d;
    ct_ex w2 = ct_vec_dot(pool, w, w);
    w = ct_turn(l, w, frame, s->base);
    // the point or the axis
    if (s->at.joint < 0) {
        d = ct_turn(l, ct_vec_unit(s->axis), s->body, s->base);
    } else {
        swing_end at = end_of(l, s->at);
        d = ct_path(l, from.body, from.at, at.body, at.at, s->base);
    }
    ct_vec3 t = ct_vec_cross(pool, w, ct_vec_unit(s->zero));
    *sine = ct_div(pool, ct_vec_dot(pool, d, t), ct_sqrt(pool, w2));
    *cosine = ct_div(pool, ct_vec_dot(pool, d, ct_vec_cross(pool, t, w)), w2);
}

ct_ex ct_swing_value(ct_layout *l, const ct_swing *swing) {
    ct_ex parts[2];
    swing_parts(l, swing, parts, parts + 1);
    return ct_apply(l->pool, CT_OP_ATAN2, parts);
}

// arm sin(angle found - q) = 0
ct_ex ct_swing_phi(ct_layout *l, const ct_swing *swing, ct_ex q) {
    ct_ex sine, cosine;
    swing_parts(l, swing, &sine, &cosine);
    return ct_sub(l->pool, ct_mul(l->pool, sine, ct_cos(l->pool, q)),
                  ct_mul(l->pool, cosine, ct_sin(l->pool, q)));
}
