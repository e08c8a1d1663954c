// Motion outward, forces inward. Outward along the rotation tree: w and its bias a0 of every body,
// and the partial angular velocities; along the translation tree: bias accelerations and partial
// ones. Inward, for the bias and for a unit of each q'': the through variables of every branch are
// the sums of what hangs behind it (its cutset), projected on the branch's motions.
//   force   F_e = sum (m a - f)                     over the translation subtree
//   torque  T_e = sum (J a + w x J w - t - moments) over the rotation subtree
#include "formulate/dynamics.h"

#include <stdlib.h>

typedef struct body_motion {
    ct_vec3 w, alpha0, a0; // in the body's frame of writing
    ct_mat3 gradient;      // [alpha0] + w w^T - |w|^2 I: acceleration of a point at r is gradient r
} body_motion;

typedef struct sweep {
    ct_layout *l;
    ct_pool *pool;
    ct_writing how;
    int n;
    int *home; // [bodies] whose frame a body is written in, where that is not the world's
    body_motion *body;
    ct_vec3 *jw, *ja;        // partial angular and linear accelerations [body * n + k]
    ct_vec3 *force, *torque; // scratch of the inward pass [bodies]
} sweep;

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

static int frame(const sweep *s, int body) {
    return s->how.body_frames ? s->home[body] : 0;
}

static ct_vec3 keep(const sweep *s, ct_vec3 v) {
    return s->how.let ? ct_vec_let(s->pool, v) : v;
}

static ct_vec3 turned(sweep *s, ct_vec3 v, int from, int to) {
    int a = frame(s, from), b = frame(s, to);
    return a == b ? v : keep(s, ct_turn(s->l, v, a, b));
}

// a vector fixed in body b, in its frame of writing
static ct_vec3 fixed(sweep *s, ct_vec3 v, int b) {
    return frame(s, b) == b ? v : keep(s, ct_turn(s->l, v, b, frame(s, b)));
}

static const ct_connection *branch(const sweep *s, ct_domain d, int b) {
    return s->l->connections + s->l->branch[d][b];
}

static int index_of(const sweep *s, ct_ex symbol) {
    for (int k = 0; k < s->n; k++)
        if (s->l->f->q[k] == symbol) return k;
    return -1;
}

// Axis k of a rotation branch as seen from body b (one of its two), in b's frame of writing.
static ct_vec3 branch_axis(sweep *s, const ct_connection *c, int k, int b) {
    bool at_b = c->body[1] == b;
    if (!s->how.body_frames) at_b = false, b = c->body[0]; // world: from A outward
    ct_vec3 e;
    if (at_b)
        e = ct_mat_transpose_vec(s->pool, ct_connection_rotation(s->pool, c, k + 1, c->n_rot),
                                 c->axis[k]);
    else
        e = ct_mat_vec(s->pool, ct_connection_rotation(s->pool, c, 0, k), c->axis[k]);
    e = ct_mat_vec(s->pool, c->orient[at_b], e);
    return fixed(s, e, b);
}

static void turn_body(sweep *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = branch(s, CT_ROTATION, b);
    int p = s->l->parent[CT_ROTATION][b];
    bool forward = c->body[1] == b;
    ct_vec3 w = turned(s, s->body[p].w, p, b), alpha = turned(s, s->body[p].alpha0, p, b), axis[3],
            spin[3];
    ct_vec3 grow = ct_vec3_zero();
    for (int k = 0; k < s->n; k++) s->jw[b * s->n + k] = turned(s, s->jw[p * s->n + k], p, b);
    for (int k = 0; k < c->n_rot; k++) {
        axis[k] = branch_axis(s, c, k, b);
        spin[k] = ct_vec_scale(pool, c->angle_d[k], axis[k]);
        if (!forward) w = ct_vec_sub(pool, w, spin[k]);
        s->jw[b * s->n + index_of(s, c->angle[k])] = forward ? axis[k] : ct_vec_neg(pool, axis[k]);
    }
    // the axes themselves turn: axis k with A and the turns before it
    ct_vec3 running = w;
    for (int k = 0; k < c->n_rot; k++) {
        grow = ct_vec_add(pool, grow, ct_vec_cross(pool, running, spin[k]));
        running = ct_vec_add(pool, running, spin[k]);
    }
    body_motion *m = s->body + b;
    m->w = keep(s, forward ? running : w);
    m->alpha0 = keep(s, forward ? ct_vec_add(pool, alpha, grow) : ct_vec_sub(pool, alpha, grow));
}

static void gradient(sweep *s, int b) {
    ct_pool *pool = s->pool;
    body_motion *m = s->body + b;
    ct_ex square[3];
    for (int i = 0; i < 3; i++) square[i] = ct_power_int(pool, m->w.v[i], 2);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ct_ex product = ct_mul(pool, m->w.v[j], m->w.v[k]);
        m->gradient.a[i][i] = ct_neg(pool, ct_add(pool, square[j], square[k]));
        m->gradient.a[k][j] = ct_add(pool, product, m->alpha0.v[i]);
        m->gradient.a[j][k] = ct_sub(pool, product, m->alpha0.v[i]);
    }
    if (s->how.let) m->gradient = ct_mat_let(pool, m->gradient);
}

// What a translation branch means on one side: the arm from the body's centre of mass (slides
// included on A's side).
static ct_vec3 arm(sweep *s, const ct_connection *c, int side) {
    ct_vec3 r = c->at[side];
    if (!side) r = ct_vec_add(s->pool, r, ct_slide(s->l, c));
    return fixed(s, r, c->body[side]);
}

static ct_vec3 slide_direction(sweep *s, const ct_connection *c, int k) {
    return fixed(s, ct_mat_vec(s->pool, c->orient[0], c->direction[k]), c->body[0]);
}

static void move_body(sweep *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = branch(s, CT_TRANSLATION, b);
    int p = s->l->parent[CT_TRANSLATION][b], side = c->body[1] == b; // b is that side of the branch
    ct_vec3 near = arm(s, c, !side), far = arm(s, c, side);          // on the parent, on b
    ct_vec3 from = ct_vec_add(pool, s->body[p].a0, ct_mat_vec(pool, s->body[p].gradient, near));
    ct_vec3 coriolis = ct_vec3_zero();
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 speed = ct_vec_scale(pool, c->slide_d[k], slide_direction(s, c, k));
        coriolis = ct_vec_add(pool, coriolis, ct_vec_cross(pool, s->body[c->body[0]].w, speed));
    }
    coriolis = ct_vec_scale(pool, ct_int(pool, 2), coriolis);
    if (side) from = ct_vec_add(pool, from, coriolis);
    ct_vec3 a = turned(s, from, p, b);
    a = ct_vec_sub(pool, a, ct_mat_vec(pool, s->body[b].gradient, far));
    if (!side) a = ct_vec_sub(pool, a, coriolis);
    s->body[b].a0 = keep(s, a);
    for (int k = 0; k < s->n; k++) {
        ct_vec3 x =
            ct_vec_add(pool, s->ja[p * s->n + k], ct_vec_cross(pool, s->jw[p * s->n + k], near));
        x = turned(s, x, p, b);
        s->ja[b * s->n + k] = ct_vec_sub(pool, x, ct_vec_cross(pool, s->jw[b * s->n + k], far));
    }
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 *x = &s->ja[b * s->n + index_of(s, c->slide[k])], e = slide_direction(s, c, k);
        *x = side ? ct_vec_add(pool, *x, turned(s, e, p, b)) : ct_vec_sub(pool, *x, e);
    }
    for (int k = 0; k < s->n; k++) s->ja[b * s->n + k] = keep(s, s->ja[b * s->n + k]);
}

// Inertia times a vector, body components; a sphere's inertia needs no frame.
static ct_vec3 inertia_times(sweep *s, int b, ct_vec3 v, bool gyroscopic) {
    ct_pool *pool = s->pool;
    const ct_ex *i = s->l->model->bodies[b].inertia;
    bool round =
        i[0] == i[1] && i[1] == i[2] && i[3] == CT_ZERO && i[4] == CT_ZERO && i[5] == CT_ZERO;
    if (round) return gyroscopic ? ct_vec3_zero() : ct_vec_scale(pool, i[0], v);
    ct_ex xy = ct_neg(pool, i[3]), xz = ct_neg(pool, i[4]), yz = ct_neg(pool, i[5]);
    ct_mat3 j = {{{i[0], xy, xz}, {xy, i[1], yz}, {xz, yz, i[2]}}};
    ct_vec3 x = s->how.body_frames ? v : keep(s, ct_turn(s->l, v, 0, s->home[b]));
    ct_vec3 r = ct_mat_vec(pool, j, x);
    if (gyroscopic) r = ct_vec_cross(pool, x, r);
    return s->how.body_frames ? r : keep(s, ct_turn(s->l, r, s->home[b], 0));
}

// Inward pass over force and torque; out[j] is the projection on coordinate j.
static void inward(sweep *s, ct_ex *out) {
    ct_pool *pool = s->pool;
    ct_layout *l = s->l;
    for (int k = 0; k < s->n; k++) out[k] = CT_ZERO;
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_TRANSLATION][i], p = l->parent[CT_TRANSLATION][b];
        const ct_connection *c = branch(s, CT_TRANSLATION, b);
        int side = c->body[1] == b;
        ct_vec3 f = keep(s, s->force[b]);
        if (ct_vec_is_zero(f)) continue;
        ct_vec3 up = turned(s, f, b, p);
        s->torque[b] = ct_vec_sub(pool, s->torque[b], ct_vec_cross(pool, arm(s, c, side), f));
        if (p) {
            s->torque[p] = ct_vec_add(pool, s->torque[p], ct_vec_cross(pool, arm(s, c, !side), up));
            s->force[p] = ct_vec_add(pool, s->force[p], up);
        }
        for (int k = 0; k < c->n_trans; k++) {
            ct_ex *x = &out[index_of(s, c->slide[k])];
            ct_ex along = ct_vec_dot(pool, slide_direction(s, c, k), side ? up : f);
            *x = side ? ct_add(pool, *x, along) : ct_sub(pool, *x, along);
        }
    }
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_ROTATION][i], p = l->parent[CT_ROTATION][b];
        const ct_connection *c = branch(s, CT_ROTATION, b);
        ct_vec3 t = keep(s, s->torque[b]);
        if (ct_vec_is_zero(t)) continue;
        for (int k = 0; k < c->n_rot; k++) {
            ct_ex *x = &out[index_of(s, c->angle[k])];
            ct_ex about = ct_vec_dot(pool, branch_axis(s, c, k, b), t);
            *x = c->body[1] == b ? ct_add(pool, *x, about) : ct_sub(pool, *x, about);
        }
        if (p) s->torque[p] = ct_vec_add(pool, s->torque[p], turned(s, t, b, p));
    }
}

static void bias(sweep *s, const ct_loads *loads, ct_ex *forcing) {
    ct_pool *pool = s->pool;
    for (int b = 1; b < s->l->n_bodies; b++) {
        ct_ex m = s->l->model->bodies[b].mass;
        ct_vec3 f = ct_turn(s->l, loads->force[b], 0, frame(s, b));
        s->force[b] = ct_vec_sub(pool, ct_vec_scale(pool, m, s->body[b].a0), f);
        ct_vec3 euler = ct_vec_add(pool, inertia_times(s, b, s->body[b].alpha0, false),
                                   inertia_times(s, b, s->body[b].w, true));
        ct_vec3 t = ct_vec_add(pool, ct_turn(s->l, loads->torque[b], b, frame(s, b)),
                               ct_turn(s->l, loads->moment[b], 0, frame(s, b)));
        s->torque[b] = ct_vec_sub(pool, euler, t);
    }
    inward(s, forcing);
    for (int k = 0; k < s->n; k++) forcing[k] = ct_sub(pool, loads->generalised[k], forcing[k]);
}

static void column(sweep *s, int k, ct_ex *out) {
    for (int b = 1; b < s->l->n_bodies; b++) {
        s->force[b] = ct_vec_scale(s->pool, s->l->model->bodies[b].mass, s->ja[b * s->n + k]);
        s->torque[b] = inertia_times(s, b, s->jw[b * s->n + k], false);
    }
    inward(s, out);
}

// bodies that coordinate k moves
static int reach(const sweep *s, int k) {
    int count = 0;
    for (int b = 1; b < s->l->n_bodies; b++)
        count += !ct_vec_is_zero(s->jw[b * s->n + k]) || !ct_vec_is_zero(s->ja[b * s->n + k]);
    return count;
}

void ct_sweep(ct_layout *l, const ct_loads *loads, ct_writing how, ct_ex *mass, ct_ex *forcing) {
    size_t bodies = (size_t)l->n_bodies, n = (size_t)l->f->n;
    sweep s = {.l = l, .pool = l->pool, .how = how, .n = l->f->n};
    s.home = ct_alloc(bodies, sizeof *s.home);
    for (int b = 1; b < l->n_bodies; b++)
        s.home[b] = is_round(l, b) ? l->parent[CT_ROTATION][b] : b;
    s.body = ct_alloc(bodies, sizeof *s.body);
    s.jw = ct_alloc(bodies * n + 1, sizeof *s.jw);
    s.ja = ct_alloc(bodies * n + 1, sizeof *s.ja);
    s.force = ct_alloc(bodies, sizeof *s.force);
    s.torque = ct_alloc(bodies, sizeof *s.torque);
    s.body[0].a0 =
        ct_vec_neg(l->pool, l->model->gravity); // ground falls upward: gravity everywhere
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_ROTATION][i];
        turn_body(&s, b);
        gradient(&s, b);
    }
    for (int i = 1; i < l->n_bodies; i++) move_body(&s, l->order[CT_TRANSLATION][i]);
    bias(&s, loads, forcing);
    // M is symmetric: an entry is taken from the column of the coordinate that moves fewer bodies
    ct_ex *out = ct_alloc(n + 1, sizeof *out);
    int *moved = ct_alloc(n + 1, sizeof *moved);
    for (int k = 0; k < s.n; k++) moved[k] = reach(&s, k);
    for (int k = 0; k < s.n; k++) {
        column(&s, k, out);
        for (int j = 0; j < s.n; j++)
            if (moved[k] < moved[j] || (moved[k] == moved[j] && k >= j))
                mass[j * s.n + k] = mass[k * s.n + j] = out[j];
    }
    free(out);
    free(moved);
    free(s.home);
    free(s.body);
    free(s.jw);
    free(s.ja);
    free(s.force);
    free(s.torque);
}
