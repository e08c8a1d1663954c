// Loops cut in the middle. A chord that keeps an axis says that a direction is the same
// along both ways through its loop. As an equation of vectors,  u(q1, q2, q3) = u(q6, q5), it has the
// degree of the longer way; as the product  n . v = 0  that the mechanism's own rows are, the sum of
// both. For a 6R arm: 3 instead of 5. A hinge also has the invariants  p.p  and  p.u  of its point and
// axis, which hold fewer angles than p and u themselves (Raghavan and Roth 1993).
#include "configurations/loops/loop_system.h"

#include "formulate/layout.h"

#include <stdlib.h>

// True if the rotation of this chord is written as vectors: an axis is kept, and no row defines the
// angle of the joint.
static bool is_written(const ct_loop_system *s, int edge) {
    const ct_formulation *f = s->exact;
    const ct_connection *c = f->layout->connections + edge;
    const ct_edge *e = f->graph->edges + edge;
    if (e->kind != CT_EDGE_JOINT || f->graph->tree[CT_ROTATION].has[edge]) return false;
    const ct_joint *j = f->model->joints + e->index;
    if (j->is_virtual || !ct_joint_has_coordinates(j->type) || c->n_rot != 1) return false;
    for (int k = 0; k < j->n_coordinates; k++)
        if (f->where[j->first_coordinate + k] >= 0) return false;
    return true;
}

static int edge_of(const ct_loop_system *s, int joint) {
    return joint < 0 ? -1 : ct_graph_edge(s->exact->graph, CT_EDGE_JOINT, joint);
}

bool ct_loop_system_replaces(const ct_loop_system *s, int joint) {
    int edge = edge_of(s, joint);
    return s->complete && edge >= 0 && is_written(s, edge);
}

// The rows of a hinge in the formulation are the products  n . v  of its axis v, seen from the other
// body, with two normals of it.
bool ct_loop_system_is_product(const ct_loop_system *s, int joint, ct_ex row) {
    int edge = edge_of(s, joint);
    if (edge < 0 || !ct_loop_system_replaces(s, joint)) return false;
    ct_layout *l = s->exact->layout;
    const ct_connection *c = l->connections + edge;
    ct_vec3 n[2], v = ct_mat_vec(l->pool, ct_joint_rotation(l, c), c->axis[0]);
    ct_vec_normals(l->model, c->axis[0], &n[0], &n[1]);
    return row == ct_vec_dot(l->pool, n[0], v) || row == ct_vec_dot(l->pool, n[1], v);
}

// Components of one direction of the joint frame, along one way minus along the other.
static void difference(ct_layout *l, const ct_connection *c, ct_vec3 u, ct_ex *rows) {
    int frame = ct_common(l, CT_ROTATION, c->body[0], c->body[1]);
    ct_vec3 a = ct_turn(l, ct_mat_vec(l->pool, c->orient[0], u), c->body[0], frame),
            b = ct_turn(l, ct_mat_vec(l->pool, c->orient[1], u), c->body[1], frame);
    for (int i = 0; i < 3; i++) rows[i] = ct_sub(l->pool, a.v[i], b.v[i]);
}

// p.p and p.u along one way minus along the other, p from the body where both ways part.
static void invariants(ct_layout *l, const ct_connection *c, ct_ex *rows) {
    ct_pool *pool = l->pool;
    int frame = ct_common(l, CT_ROTATION, c->body[0], c->body[1]);
    ct_vec3 here = ct_vec(CT_ZERO, CT_ZERO, CT_ZERO);
    ct_ex square[2], along[2];
    for (int k = 0; k < 2; k++) {
        ct_vec3 p = ct_path(l, frame, here, c->body[k], c->at[k], frame);
        ct_vec3 u = ct_turn(l, ct_mat_vec(pool, c->orient[k], c->axis[0]), c->body[k], frame);
        square[k] = ct_vec_dot(pool, p, p);
        along[k] = ct_vec_dot(pool, p, u);
    }
    rows[0] = ct_sub(pool, square[0], square[1]);
    rows[1] = ct_sub(pool, along[0], along[1]);
}

int ct_loop_system_chord(const ct_loop_system *s, int joint, ct_ex *rows) {
    ct_layout *l = s->exact->layout;
    int edge = edge_of(s, joint);
    const ct_connection *c = l->connections + edge;
    bool hinge =
        !s->exact->planar && !c->n_trans && !s->exact->graph->tree[CT_TRANSLATION].has[edge];
    difference(l, c, c->axis[0], rows);
    if (hinge) invariants(l, c, rows + 3);
    return hinge ? 5 : 3;
}
