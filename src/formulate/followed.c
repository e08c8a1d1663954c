// Angles by name of a rotation that is integrated whole, where forces name them. With the angles
// (A, B, C) of the state before and R = R_i(a) R_j(b) R_k(c),
//   (x, y) = m (cos a, sin a),   m = cos b  (a sequence like zxz: sin b)
// are entries of R. Of the two solutions a is the one less than a right angle from A, so
//   m = sign(x cos A + y sin A) |(x, y)|,   a = A + atan2(sin(a - A), cos(a - A)),
// and so on for b and c: the angles are continuous and have any number of turns. Their rates are
// linear in the spins, p_k = sum_j W_kj s_j. A force Q on angle k is the load Q W_kj on spin j.
#include "formulate/whole_rotation.h"

#include "formulate/tolerances.h"

// x + y z
static ct_ex plus(ct_pool *pool, ct_ex x, ct_ex y, ct_ex z) {
    return ct_add(pool, x, ct_mul(pool, y, z));
}

// last + atan2(sin(x - last), cos(x - last))
static ct_ex continued(ct_pool *pool, ct_ex sine, ct_ex cosine, ct_ex last) {
    ct_ex c = ct_cos(pool, last), s = ct_sin(pool, last);
    ct_ex across = ct_sub(pool, ct_mul(pool, sine, c), ct_mul(pool, cosine, s)),
          along = plus(pool, ct_mul(pool, cosine, c), sine, s);
    return ct_add(pool, last, ct_apply(pool, CT_OP_ATAN2, (ct_ex[]){across, along}));
}

ct_vec3 ct_whole_rotation_joint_spin(ct_layout *l, const ct_whole_rotation *b) {
    const ct_connection *c = l->connections + b->edge;
    ct_vec3 u = b->spin;
    if (b->inverse) u = ct_vec_neg(l->pool, ct_turn(l, u, b->root, b->body));
    return ct_mat_transpose_vec(l->pool, c->orient[0], u);
}

void ct_whole_rotation_follow(ct_layout *l, ct_whole_rotation *b) {
    ct_pool *pool = l->pool;
    const ct_connection *joint = l->connections + b->edge;
    const int i = b->sequence[0], j = b->sequence[1], k = 3 - i - j;
    const bool proper = i == b->sequence[2];
    const ct_ex s = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1), *last = b->last;
    ct_mat3 r = ct_joint_rotation(l, joint);
    ct_vec3 u = ct_whole_rotation_joint_spin(l, b);
    // m, cos a and sin a; in the lock those of the state before
    ct_ex x = proper ? ct_neg(pool, ct_mul(pool, s, r.a[k][i])) : r.a[k][k],
          y = proper ? r.a[j][i] : ct_neg(pool, ct_mul(pool, s, r.a[j][k]));
    ct_ex c0 = ct_cos(pool, last[0]), s0 = ct_sin(pool, last[0]);
    ct_ex square = ct_let(pool, plus(pool, ct_mul(pool, x, x), y, y)),
          side = ct_apply(pool, CT_OP_SIGN, (ct_ex[]){plus(pool, ct_mul(pool, x, c0), y, s0)});
    ct_ex m = ct_let(pool, ct_mul(pool, side, ct_sqrt(pool, square)));
    ct_ex floor_ = ct_power_int(pool, ct_rational(pool, 1, CT_LOCK_NEAREST), 2),
          locked = ct_apply(pool, CT_OP_LESS, (ct_ex[]){square, floor_});
    ct_ex ca = ct_let(pool, ct_if(pool, locked, c0, ct_div(pool, x, m))),
          sine = ct_let(pool, ct_if(pool, locked, s0, ct_div(pool, y, m))),
          sa = ct_mul(pool, s, sine);
    // a; b from its sine and cosine; c from row j of R_i(a)^T R
    b->followed_angle[0] = continued(pool, sine, ca, last[0]);
    b->followed_angle[1] = proper ? continued(pool, m, r.a[i][i], last[1])
                                  : continued(pool, ct_mul(pool, s, r.a[i][k]), m, last[1]);
    ct_ex row = proper ? ct_neg(pool, plus(pool, ct_mul(pool, ca, r.a[j][k]), sa, r.a[k][k]))
                       : plus(pool, ct_mul(pool, ca, r.a[j][i]), sa, r.a[k][i]);
    b->followed_angle[2] =
        continued(pool, ct_mul(pool, s, row),
                  plus(pool, ct_mul(pool, ca, r.a[j][j]), sa, r.a[k][j]), last[2]);
    // R_i(a)^T u = a' e_i + b' e_j + c' R_j(b) e_k
    ct_ex along = ct_sub(pool, ct_mul(pool, ca, u.v[k]), ct_mul(pool, sa, u.v[j]));
    ct_ex third = ct_div(pool, proper ? ct_neg(pool, ct_mul(pool, s, along)) : along, m);
    b->followed_rate[1] = plus(pool, ct_mul(pool, ca, u.v[j]), sa, u.v[k]);
    b->followed_rate[2] = third;
    b->followed_rate[0] = ct_sub(pool, u.v[i], ct_mul(pool, proper ? r.a[i][i] : r.a[i][k], third));
    b->lock = m;
}

const ct_whole_rotation *ct_whole_rotation_followed(const ct_formulation *f, int coordinate,
                                                    int *part) {
    const ct_whole_rotation *b =
        coordinate < 0 ? NULL : ct_whole_rotation_of_coordinate(f, coordinate, part);
    return b && b->integrated ? b : NULL;
}
