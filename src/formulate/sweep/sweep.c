// Motion outward, forces inward. Outward along the rotation tree: w, the bias alpha0 (q'' = 0) and
// the partial angular accelerations of every body; along the translation tree: bias a0 and partial
// accelerations of its centre of mass. Inward, for the bias and for a unit of each q'': the through
// variables of every branch are the sums of what hangs behind it (its cutset), projected on the
// branch's motions.
//   force   F_e = sum (m a - f)                     over the translation subtree
//   torque  T_e = sum (J a + w x J w - t - moments) over the rotation subtree
#include "formulate/natural/natural.h"
#include "formulate/sweep/sweep_inside.h"

#include <stdlib.h>

// Acceleration of a coordinate of a branch.
static ct_ex acceleration(const ct_sweeper *s, ct_ex symbol) {
    return s->qdd ? s->qdd[ct_sweep_index(s, symbol)] : CT_ZERO;
}

static ct_ex rate(const ct_sweeper *s, ct_ex of) {
    return s->at_rest ? CT_ZERO : of;
}

// w and alpha0 of body b, from those of its parent.
static void turn_body(ct_sweeper *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_ROTATION, b);
    int p = s->l->parent[CT_ROTATION][b];
    bool forward = c->body[1] == b;
    ct_vec3 w = ct_sweep_turned(s, s->body[p].w, p, b),
            alpha = ct_sweep_turned(s, s->body[p].alpha0, p, b), axis[3], spin[3];
    ct_vec3 grow = ct_vec3_zero();
    for (int k = 0; k < c->n_rot; k++) {
        axis[k] = ct_sweep_axis(s, c, k, b);
        spin[k] = ct_vec_scale(pool, rate(s, c->angle_d[k]), axis[k]);
        if (!forward) w = ct_vec_sub(pool, w, spin[k]);
    }
    // the axes themselves turn: axis k with A and the turns before it
    ct_vec3 running = w;
    for (int k = 0; k < c->n_rot; k++) {
        grow = ct_vec_add(pool, grow, ct_vec_cross(pool, running, spin[k]));
        if (!c->whole) running = ct_vec_add(pool, running, spin[k]);
    }
    for (int k = 0; c->whole && k < c->n_rot; k++) running = ct_vec_add(pool, running, spin[k]);
    for (int k = 0; k < c->n_rot; k++)
        grow = ct_vec_add(pool, grow, ct_vec_scale(pool, acceleration(s, c->angle[k]), axis[k]));
    ct_body_motion *m = s->body + b;
    m->w = ct_sweep_keep(s, forward ? running : w);
    m->alpha0 =
        ct_sweep_keep(s, forward ? ct_vec_add(pool, alpha, grow) : ct_vec_sub(pool, alpha, grow));
}

// Bias acceleration at r from the centre of mass: a0 + gradient r, gradient = [alpha0] + [w]^2.
static void gradient(ct_sweeper *s, int b) {
    ct_pool *pool = s->pool;
    ct_body_motion *m = s->body + b;
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

// a0 of body b: by the parent to the joint, along the slides (Coriolis, q''), back to the centre of
// mass.
static void move_body(ct_sweeper *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    int p = s->l->parent[CT_TRANSLATION][b], side = c->body[1] == b; // b is that side of the branch
    ct_vec3 near = ct_sweep_arm(s, c, !side), far = ct_sweep_arm(s, c, side); // on the parent, on b
    // the joint as a point of the parent
    ct_vec3 from = ct_vec_add(pool, s->body[p].a0, ct_mat_vec(pool, s->body[p].gradient, near));
    // along the slides: 2 w x speed, and q'' unless that is along the body's own axes
    ct_vec3 coriolis = ct_vec3_zero();
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 speed = ct_vec_scale(pool, rate(s, c->slide_d[k]), ct_sweep_slide(s, c, k));
        coriolis = ct_vec_add(pool, coriolis, ct_vec_cross(pool, s->body[c->body[0]].w, speed));
    }
    coriolis = ct_vec_scale(pool, ct_int(pool, 2), coriolis);
    bool floats = ct_sweep_floating(s, b) != NULL;
    for (int k = 0; k < c->n_trans && !floats; k++) {
        ct_vec3 along = ct_vec_scale(pool, acceleration(s, c->slide[k]), ct_sweep_slide(s, c, k));
        coriolis = ct_vec_add(pool, coriolis, along);
    }
    if (side) from = ct_vec_add(pool, from, coriolis);
    // in the frame of the body, and back to its centre of mass
    ct_vec3 a = ct_sweep_turned(s, from, p, b);
    for (int k = 0; k < c->n_trans && floats; k++)
        a = ct_vec_add(
            pool, a, ct_vec_scale(pool, acceleration(s, c->slide[k]), ct_sweep_own_axis(s, b, k)));
    a = ct_vec_sub(pool, a, ct_mat_vec(pool, s->body[b].gradient, far));
    if (!side) a = ct_vec_sub(pool, a, coriolis);
    s->body[b].a0 = ct_sweep_keep(s, a);
}

// Partial angular accelerations of b: alpha_b for a unit of each q''.
static void turn_partial(ct_sweeper *s, int b) {
    const ct_connection *c = ct_sweep_branch(s, CT_ROTATION, b);
    int p = s->l->parent[CT_ROTATION][b];
    for (int k = 0; k < s->n; k++)
        s->jw[b * s->n + k] = ct_sweep_turned(s, s->jw[p * s->n + k], p, b);
    for (int k = 0; k < c->n_rot; k++) {
        ct_vec3 axis = ct_sweep_axis(s, c, k, b);
        s->jw[b * s->n + ct_sweep_index(s, c->angle[k])] =
            c->body[1] == b ? axis : ct_vec_neg(s->pool, axis);
    }
}

// Partial accelerations of the centre of mass of b: a_b for a unit of each q''.
static void move_partial(ct_sweeper *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    int p = s->l->parent[CT_TRANSLATION][b], side = c->body[1] == b;
    ct_vec3 near = ct_sweep_arm(s, c, !side), far = ct_sweep_arm(s, c, side);
    for (int k = 0; k < s->n; k++) {
        ct_vec3 x =
            ct_vec_add(pool, s->ja[p * s->n + k], ct_vec_cross(pool, s->jw[p * s->n + k], near));
        x = ct_sweep_turned(s, x, p, b);
        s->ja[b * s->n + k] = ct_vec_sub(pool, x, ct_vec_cross(pool, s->jw[b * s->n + k], far));
    }
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 *x = &s->ja[b * s->n + ct_sweep_index(s, c->slide[k])], e = ct_sweep_slide(s, c, k);
        if (ct_sweep_floating(s, b))
            e = ct_sweep_own_axis(s, b, k);
        else if (side)
            e = ct_sweep_turned(s, e, p, b);
        *x = side ? ct_vec_add(pool, *x, e) : ct_vec_sub(pool, *x, e);
    }
    for (int k = 0; k < s->n; k++) s->ja[b * s->n + k] = ct_sweep_keep(s, s->ja[b * s->n + k]);
}

// Inertia times a vector; a sphere's needs no frame.
static ct_vec3 inertia_times(ct_sweeper *s, int b, ct_vec3 v, bool gyroscopic) {
    ct_pool *pool = s->pool;
    int here = s->frame[b], home = s->home[b];
    if (ct_sweep_is_sphere(s, b))
        return gyroscopic ? ct_vec3_zero()
                          : ct_vec_scale(pool, s->l->model->bodies[b].inertia[0], v);
    ct_vec3 x = here == home ? v : ct_sweep_keep(s, ct_turn(s->l, v, here, home));
    ct_vec3 r = ct_mat_vec(pool, ct_sweep_inertia(s, b), x);
    if (gyroscopic) r = ct_vec_cross(pool, x, r);
    return here == home ? r : ct_sweep_keep(s, ct_turn(s->l, r, home, here));
}

// Inward pass over force and torque; out[j] is the projection on coordinate j.
static void inward(ct_sweeper *s, ct_ex *out) {
    ct_pool *pool = s->pool;
    ct_layout *l = s->l;
    for (int k = 0; k < s->n; k++) out[k] = CT_ZERO;
    // translation tree, leaves first: the force of a branch is that of its whole subtree
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_TRANSLATION][i], p = l->parent[CT_TRANSLATION][b];
        const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
        int side = c->body[1] == b;
        ct_vec3 f = ct_sweep_keep(s, s->force[b]);
        if (ct_vec_is_zero(f)) continue;
        ct_vec3 up = ct_sweep_turned(s, f, b, p);
        // moments of it about both centres of mass:  T_b -= r_b x F,  T_p += r_p x F
        s->torque[b] =
            ct_vec_sub(pool, s->torque[b], ct_vec_cross(pool, ct_sweep_arm(s, c, side), f));
        if (p) {
            s->torque[p] =
                ct_vec_add(pool, s->torque[p], ct_vec_cross(pool, ct_sweep_arm(s, c, !side), up));
            s->force[p] = ct_vec_add(pool, s->force[p], up);
        }
        // slides: out = e . F, negative where b is body A of the joint
        bool floats = ct_sweep_floating(s, b) != NULL;
        for (int k = 0; k < c->n_trans; k++) {
            ct_ex *x = &out[ct_sweep_index(s, c->slide[k])];
            ct_vec3 e = floats ? ct_sweep_own_axis(s, b, k) : ct_sweep_slide(s, c, k);
            ct_ex along = ct_vec_dot(pool, e, side && !floats ? up : f);
            *x = side ? ct_add(pool, *x, along) : ct_sub(pool, *x, along);
        }
    }
    // rotation tree, leaves first: angles out = u . T, then T_p += T
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_ROTATION][i], p = l->parent[CT_ROTATION][b];
        const ct_connection *c = ct_sweep_branch(s, CT_ROTATION, b);
        ct_vec3 t = ct_sweep_keep(s, s->torque[b]);
        if (ct_vec_is_zero(t)) continue;
        for (int k = 0; k < c->n_rot; k++) {
            ct_ex *x = &out[ct_sweep_index(s, c->angle[k])];
            ct_ex about = ct_vec_dot(pool, ct_sweep_axis(s, c, k, b), t);
            *x = c->body[1] == b ? ct_add(pool, *x, about) : ct_sub(pool, *x, about);
        }
        if (p) s->torque[p] = ct_vec_add(pool, s->torque[p], ct_sweep_turned(s, t, b, p));
    }
}

ct_ex ct_sweep_load(const ct_formulation *f, ct_pool *pool, const ct_loads *loads, ct_writing how,
                    int k) {
    for (int i = 0; i < f->n_floating && how.along_floating; i++)
        for (int j = 0; j < 3; j++) {
            const ct_floating *x = f->floating + i;
            if (x->coordinate[j] != k) continue;
            ct_ex sum = CT_ZERO;
            for (int r = 0; r < 3; r++)
                sum =
                    ct_add(pool, sum,
                           ct_mul(pool, x->turn[3 * r + j], loads->generalised[x->coordinate[r]]));
            return sum;
        }
    return loads->generalised[k];
}

// What bodies need: inertia forces less loads.
static void needs(ct_sweeper *s, const ct_loads *loads) {
    ct_pool *pool = s->pool;
    for (int b = 1; b < s->l->n_bodies; b++) {
        ct_ex m = s->l->model->bodies[b].mass;
        ct_vec3 f = ct_turn(s->l, loads->force[b], 0, s->frame[b]);
        s->force[b] = ct_vec_sub(pool, ct_vec_scale(pool, m, s->body[b].a0), f);
        ct_vec3 euler = ct_vec_add(pool, inertia_times(s, b, s->body[b].alpha0, false),
                                   inertia_times(s, b, s->body[b].w, true));
        ct_vec3 t = ct_vec_add(pool, ct_turn(s->l, loads->torque[b], b, s->frame[b]),
                               ct_turn(s->l, loads->moment[b], 0, s->frame[b]));
        s->torque[b] = ct_vec_sub(pool, euler, t);
    }
}

// F = generalised loads - projection of what bodies need at q'' = 0.
static void bias(ct_sweeper *s, const ct_loads *loads, ct_ex *forcing) {
    needs(s, loads);
    inward(s, forcing);
    for (int k = 0; k < s->n; k++)
        forcing[k] = ct_sub(s->pool, ct_sweep_load(s->l->f, s->pool, loads, s->how, k), forcing[k]);
}

// Column k of M: inertia forces of a unit of q''_k, projected on all coordinates.
static void column(ct_sweeper *s, int k, ct_ex *out) {
    for (int b = 1; b < s->l->n_bodies; b++) {
        s->force[b] = ct_vec_scale(s->pool, s->l->model->bodies[b].mass, s->ja[b * s->n + k]);
        s->torque[b] = inertia_times(s, b, s->jw[b * s->n + k], false);
    }
    inward(s, out);
}

// Number of bodies that coordinate k moves.
static int reach(const ct_sweeper *s, int k) {
    int count = 0;
    for (int b = 1; b < s->l->n_bodies; b++)
        count += !ct_vec_is_zero(s->jw[b * s->n + k]) || !ct_vec_is_zero(s->ja[b * s->n + k]);
    return count;
}

// M column by column. It is symmetric: an entry is taken from the column of the coordinate that
// moves fewer bodies.
static void columns(ct_sweeper *s, ct_ex *mass) {
    const ct_layout *l = s->l;
    size_t bodies = (size_t)l->n_bodies, n = (size_t)s->n;
    s->jw = ct_scratch(bodies * n + 1, sizeof *s->jw);
    s->ja = ct_scratch(bodies * n + 1, sizeof *s->ja);
    for (int i = 1; i < l->n_bodies; i++) turn_partial(s, l->order[CT_ROTATION][i]);
    for (int i = 1; i < l->n_bodies; i++) move_partial(s, l->order[CT_TRANSLATION][i]);
    ct_ex *out = ct_scratch(n + 1, sizeof *out);
    int *moved = ct_scratch(n + 1, sizeof *moved);
    for (int k = 0; k < s->n; k++) moved[k] = reach(s, k);
    for (int k = 0; k < s->n; k++) {
        column(s, k, out);
        for (int j = 0; j < s->n; j++)
            if (moved[k] < moved[j] || (moved[k] == moved[j] && k >= j))
                mass[j * s->n + k] = mass[k * s->n + j] = out[j];
    }
}

bool ct_sweep_composes(const ct_layout *l) {
    for (int b = 1; b < l->n_bodies; b++)
        if (l->parent[CT_ROTATION][b] != l->parent[CT_TRANSLATION][b] ||
            l->connections[l->branch[CT_ROTATION][b]].screw ||
            l->connections[l->branch[CT_TRANSLATION][b]].screw)
            return false;
    return true;
}

static ct_sweeper sweeper(ct_layout *l, ct_writing how) {
    size_t bodies = (size_t)l->n_bodies;
    ct_sweeper s = {.l = l, .pool = l->pool, .how = how, .n = l->f->n};
    s.home = ct_scratch(bodies, sizeof *s.home);
    s.frame = ct_scratch(bodies, sizeof *s.frame);
    s.body = ct_scratch(bodies, sizeof *s.body);
    s.force = ct_scratch(bodies, sizeof *s.force);
    s.torque = ct_scratch(bodies, sizeof *s.torque);
    ct_sweep_frames(&s);
    return s;
}

// w and its bias along the rotation tree, then bias accelerations.
static void outward(ct_sweeper *s) {
    const ct_layout *l = s->l;
    // ground falls upward: gravity everywhere
    s->body[0].a0 = s->at_rest ? ct_vec3_zero() : ct_vec_neg(l->pool, l->model->gravity);
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_ROTATION][i];
        turn_body(s, b);
        gradient(s, b);
    }
    for (int i = 1; i < l->n_bodies; i++) move_body(s, l->order[CT_TRANSLATION][i]);
}

void ct_sweep(ct_layout *l, const ct_loads *loads, ct_writing how, ct_swept *out) {
    ct_sweeper s = sweeper(l, how);
    // outward with q'' = 0; inward: F from bias and loads; M by composite bodies or by a unit of
    // each q''
    outward(&s);
    bias(&s, loads, out->forcing);
    if (how.composite)
        ct_sweep_composite(&s, out->mass);
    else
        columns(&s, out->mass);
    // T from the angular velocities
    out->kinetic = ct_sweep_kinetic(&s);
}

void ct_sweep_forcing(ct_layout *l, const ct_loads *loads, ct_writing how, ct_swept *out) {
    ct_sweeper s = sweeper(l, how);
    outward(&s);
    bias(&s, loads, out->forcing);
    out->kinetic = ct_sweep_kinetic(&s);
}

void ct_sweep_applied(ct_layout *l, const ct_loads *loads, ct_writing how, ct_ex *forces) {
    ct_sweeper s = sweeper(l, how);
    s.at_rest = true;
    outward(&s);
    // bodies fall upward; nothing turns
    for (int b = 1; b < l->n_bodies; b++)
        s.body[b].a0 =
            ct_sweep_keep(&s, ct_turn(l, ct_vec_neg(l->pool, l->model->gravity), 0, s.frame[b]));
    bias(&s, loads, forces);
}

void ct_sweep_accelerated(ct_layout *l, const ct_loads *loads, ct_writing how, const ct_ex *qdd,
                          ct_ex *inertia, ct_ex *balance) {
    ct_sweeper s = sweeper(l, how);
    s.qdd = qdd;
    // all rates, gravity and loads: F - M q''
    outward(&s);
    bias(&s, loads, balance);
    // at rest and without loads: M q''
    s.at_rest = true;
    outward(&s);
    for (int b = 1; b < l->n_bodies; b++) {
        s.force[b] = ct_vec_scale(s.pool, l->model->bodies[b].mass, s.body[b].a0);
        s.torque[b] = inertia_times(&s, b, s.body[b].alpha0, false);
    }
    inward(&s, inertia);
}

void ct_sweep_needs(ct_layout *l, const ct_loads *loads, const ct_ex *qdd, ct_vec3 *force,
                    ct_vec3 *moment) {
    if (l->f->natural) {
        ct_natural_needs(l, loads, qdd, force, moment);
        return;
    }
    ct_sweeper s = sweeper(l, (ct_writing){.frames = CT_FRAME_OWN, .let = true});
    s.qdd = qdd;
    outward(&s);
    needs(&s, loads);
    force[0] = moment[0] = ct_vec3_zero();
    for (int b = 1; b < l->n_bodies; b++) {
        force[b] = ct_vec_let(l->pool, ct_turn(l, s.force[b], s.frame[b], 0));
        moment[b] = ct_vec_let(l->pool, ct_turn(l, s.torque[b], s.frame[b], 0));
    }
}
