// Rates of the three angles of a ball's joint from spins: with u the angular velocity of B relative
// to A in A's joint frame and e_k the axes of the turns there,
//   E q' = u,   E q'' = u' - E' q'.
#include "closure/embed/embed_inside.h"
#include "formulate/ball.h"

// Time derivatives with every rate and acceleration written in values.
static ct_derivation *second_derivation(const ct_embedder *e, const ct_ex *accelerations) {
    const ct_formulation *f = e->f;
    ct_derivation *d = ct_derivation_new(e->pool);
    for (int k = 0; k < f->n; k++) {
        if (!ct_ball_of_coordinate(f, k, NULL)) ct_derivation_map(d, f->q[k], f->qd[k]);
        ct_derivation_map(d, f->qd[k], accelerations[k]);
    }
    ct_derivation_map(d, f->model->time, CT_ONE);
    ct_ball_derivation(f, d);
    return d;
}

static ct_ex in_values(const ct_embedder *e, ct_ex a) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, ct_forms_replace(e->forms, a)));
}

static ct_vec3 relative_spin(ct_layout *l, const ct_ball *ball, const ct_connection *c) {
    ct_vec3 w = ct_vec_sub(l->pool, ct_angular_velocity(l, c->body[1], ball->root),
                           ct_angular_velocity(l, c->body[0], ball->root));
    return ct_mat_transpose_vec(l->pool, c->orient[0], ct_turn(l, w, ball->root, c->body[0]));
}

static void angles(ct_embedder *e, ct_layout *l, const ct_ball *ball, ct_ex *rate, ct_ex *second,
                   ct_derivation *time) {
    ct_pool *pool = e->pool;
    const ct_connection *c =
        l->connections + ct_graph_edge(e->f->graph, CT_EDGE_JOINT, ball->joint);
    ct_vec3 u = relative_spin(l, ball, c), axis[3];
    ct_ex matrix[9], right[3], found[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, k), c->axis[k]);
        for (int i = 0; i < 3; i++) matrix[3 * i + k] = in_values(e, axis[k].v[i]);
    }
    ct_inverse inverse;
    ct_inverse_find(e, &inverse, 3, matrix, NULL);
    ct_derivation *turning = ct_derivation_new(pool); // of the axes
    for (int i = 0; i < 3; i++) right[i] = in_values(e, u.v[i]);
    for (int i = 0; i < 3; i++) {
        found[i] = ct_inverse_apply(pool, &inverse, i, right, 1, CT_ZERO, false);
        ct_derivation_map(turning, c->angle[i], found[i]);
    }
    for (int i = 0; i < 3; i++) {
        right[i] = in_values(e, ct_derive(time, u.v[i]));
        for (int k = 0; k < 3; k++) {
            ct_ex change = in_values(e, ct_derive(turning, axis[k].v[i]));
            right[i] = ct_sub(pool, right[i], ct_mul(pool, change, found[k]));
        }
        right[i] = ct_let_whole(pool, right[i]);
    }
    for (int i = 0; i < 3; i++) {
        rate[ball->coordinate[i]] = found[i];
        second[ball->coordinate[i]] = ct_inverse_apply(pool, &inverse, i, right, 1, CT_ZERO, false);
    }
    ct_derivation_free(turning);
    ct_inverse_clear(&inverse);
}

void ct_embed_balls(ct_embedder *e, ct_ex *rate, ct_ex *accelerations) {
    const ct_formulation *f = e->f;
    if (!f->n_balls) return;
    ct_layout l;
    ct_layout_init(&l, (ct_formulation *)f);
    ct_layout_find_plane(&l);
    ct_layout_connect(&l);
    ct_derivation *time = second_derivation(e, accelerations);
    for (int i = 0; i < f->n_balls; i++) angles(e, &l, f->balls + i, rate, accelerations, time);
    ct_derivation_free(time);
    ct_layout_clear(&l);
}
