// Frames in which the sweeps are written, and what a branch is in them.
#include "formulate/sweep/sweep_inside.h"
#include "formulate/whole_rotation.h"

// A body at the end of the trees that is round about the axis on which it turns (a wheel) looks the
// same from its carrier in every position: it is written in the carrier's frame.
static bool is_round(const ct_layout *l, int b) {
    int edge = l->branch[CT_ROTATION][b];
    const ct_connection *c = l->connections + edge;
    const ct_ex *i = l->model->bodies[b].inertia;
    for (int k = 0; k < l->n_bodies; k++)
        if (l->parent[CT_ROTATION][k] == b || l->parent[CT_TRANSLATION][k] == b) return false;
    if (c->n_rot != 1 || l->branch[CT_TRANSLATION][b] != edge || i[3] != CT_ZERO ||
        i[4] != CT_ZERO || i[5] != CT_ZERO || !ct_mat_is_identity(c->orient[0]) ||
        !ct_mat_is_identity(c->orient[1]))
        return false;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        const ct_ex *axis = c->axis[0].v, *at = c->at[c->body[1] == b].v;
        if (axis[y] == CT_ZERO && axis[z] == CT_ZERO)
            return at[y] == CT_ZERO && at[z] == CT_ZERO && i[y] == i[z];
    }
    return false;
}

// The first body from the ground on the way to b.
static int top(const ct_layout *l, int b) {
    while (l->parent[CT_ROTATION][b] > 0) b = l->parent[CT_ROTATION][b];
    return b;
}

void ct_sweep_frames(ct_sweeper *s) {
    for (int b = 1; b < s->l->n_bodies; b++) {
        s->home[b] = is_round(s->l, b) ? s->l->parent[CT_ROTATION][b] : b;
        s->frame[b] = s->how.frames == CT_FRAME_WORLD ? 0
                      : s->how.frames == CT_FRAME_TOP ? top(s->l, b)
                                                      : s->home[b];
    }
}

ct_vec3 ct_sweep_keep(const ct_sweeper *s, ct_vec3 v) {
    return s->how.let ? ct_vec_let(s->pool, v) : v;
}

ct_vec3 ct_sweep_turned(ct_sweeper *s, ct_vec3 v, int from, int to) {
    int a = s->frame[from], b = s->frame[to];
    return a == b ? v : ct_sweep_keep(s, ct_turn(s->l, v, a, b));
}

// a vector fixed in body b, in its frame of writing
static ct_vec3 fixed(ct_sweeper *s, ct_vec3 v, int b) {
    return s->frame[b] == b ? v : ct_sweep_keep(s, ct_turn(s->l, v, b, s->frame[b]));
}

const ct_connection *ct_sweep_branch(const ct_sweeper *s, ct_domain d, int b) {
    return s->l->connections + s->l->branch[d][b];
}

int ct_sweep_index(const ct_sweeper *s, ct_ex symbol) {
    for (int k = 0; k < s->n; k++)
        if (s->l->f->q[k] == symbol) return k;
    return -1;
}

ct_vec3 ct_sweep_axis(ct_sweeper *s, const ct_connection *c, int k, int b) {
    if (c->whole && c->whole->integrated && !c->whole->in_root) // axes of the body
        return fixed(s, c->axis[k], c->body[1]);
    if (c->whole) // axes of the root
        return ct_sweep_keep(s, ct_turn(s->l, c->axis[k], c->body[0], s->frame[b]));
    // in a common frame: from A outward
    bool at_b = c->body[1] == b && s->frame[c->body[0]] != s->frame[b];
    ct_vec3 e;
    if (at_b)
        e = ct_mat_transpose_vec(s->pool, ct_connection_rotation(s->pool, c, k + 1, c->n_rot),
                                 c->axis[k]);
    else
        e = ct_mat_vec(s->pool, ct_connection_rotation(s->pool, c, 0, k), c->axis[k]);
    e = ct_mat_vec(s->pool, c->orient[at_b], e);
    return fixed(s, e, c->body[at_b]);
}

ct_vec3 ct_sweep_arm(ct_sweeper *s, const ct_connection *c, int side) {
    ct_vec3 r = c->at[side];
    if (!side) r = ct_vec_add(s->pool, r, ct_slide(s->l, c));
    return fixed(s, r, c->body[side]);
}

ct_vec3 ct_sweep_slide(ct_sweeper *s, const ct_connection *c, int k) {
    return fixed(s, ct_mat_vec(s->pool, c->orient[0], c->direction[k]), c->body[0]);
}

const ct_floating *ct_sweep_floating(const ct_sweeper *s, int b) {
    return s->how.along_floating ? ct_floating_of_body(s->l->f, b) : NULL;
}

ct_vec3 ct_sweep_own_axis(ct_sweeper *s, int b, int k) {
    return fixed(s, ct_vec_unit(k), b);
}

ct_mat3 ct_sweep_inertia(const ct_sweeper *s, int b) {
    const ct_ex *i = s->l->model->bodies[b].inertia;
    ct_ex xy = ct_neg(s->pool, i[3]), xz = ct_neg(s->pool, i[4]), yz = ct_neg(s->pool, i[5]);
    return (ct_mat3){{{i[0], xy, xz}, {xy, i[1], yz}, {xz, yz, i[2]}}};
}

bool ct_sweep_is_sphere(const ct_sweeper *s, int b) {
    const ct_ex *i = s->l->model->bodies[b].inertia;
    return i[0] == i[1] && i[1] == i[2] && i[3] == CT_ZERO && i[4] == CT_ZERO && i[5] == CT_ZERO;
}
