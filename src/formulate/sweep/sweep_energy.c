// Kinetic energy from velocities, outward along the translation tree:
//   T = sum m v . v / 2 + w . J w / 2
#include "formulate/sweep/sweep_inside.h"

#include <stdlib.h>

// Velocity of the centre of mass of b from that of the body before it.
static ct_vec3 velocity(ct_sweeper *s, const ct_vec3 *v, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    int p = s->l->parent[CT_TRANSLATION][b], side = c->body[1] == b; // b is that side of the branch
    ct_vec3 near = ct_sweep_arm(s, c, !side), far = ct_sweep_arm(s, c, side);
    ct_vec3 speed = ct_vec3_zero(); // along the slides, which A carries
    for (int k = 0; k < c->n_trans; k++)
        speed = ct_vec_add(pool, speed, ct_vec_scale(pool, c->slide_d[k], ct_sweep_slide(s, c, k)));
    ct_vec3 at = ct_vec_add(pool, v[p], ct_vec_cross(pool, s->body[p].w, near));
    if (side) at = ct_vec_add(pool, at, speed);
    at = ct_sweep_turned(s, at, p, b);
    if (!side) at = ct_vec_sub(pool, at, speed);
    return ct_sweep_keep(s, ct_vec_sub(pool, at, ct_vec_cross(pool, s->body[b].w, far)));
}

// 2 T = m v . v + w . J w  of body b
static ct_ex twice(ct_sweeper *s, int b, ct_vec3 v) {
    ct_pool *pool = s->pool;
    ct_vec3 w = s->body[b].w;
    if (!ct_sweep_is_sphere(s, b) && s->frame[b] != s->home[b])
        w = ct_sweep_keep(s, ct_turn(s->l, w, s->frame[b], s->home[b]));
    ct_ex turning = ct_vec_dot(pool, w, ct_mat_vec(pool, ct_sweep_inertia(s, b), w));
    ct_ex moving = ct_mul(pool, s->l->model->bodies[b].mass, ct_vec_dot(pool, v, v));
    return ct_add(pool, moving, turning);
}

ct_ex ct_sweep_kinetic(ct_sweeper *s) {
    ct_layout *l = s->l;
    ct_vec3 *v = ct_scratch((size_t)l->n_bodies, sizeof *v);
    ct_ex sum = CT_ZERO;
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        v[b] = velocity(s, v, b);
        sum = ct_add(s->pool, sum, twice(s, b, v[b]));
    }
    return ct_mul(s->pool, ct_rational(s->pool, 1, 2), sum);
}
