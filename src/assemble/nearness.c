// How far the bodies of a position are from those of the start:
//   sum over bodies of  |c - c0|^2 + L^2 |theta|^2
// with the centre of mass c, the vector theta of the rotation from the start's orientation (axis
// times angle) and the mechanism's length L. Coordinates do not enter, so neither does the choice
// of trees, nor the unit of length, nor the place of the mechanism in space.
#include "assemble/inside.h"

#include "formulate/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pose { // of a body in the world
    double r[3][3], c[3];
} pose;

typedef struct twist {
    double w[3], v[3]; // angular velocity, velocity of the centre of mass
} twist;

typedef struct connection { // constants of a ct_connection
    double at[2][3], orient[2][3][3], axis[3][3], direction[3][3], offset[3];
} connection;

struct ct_nearness {
    const ct_formulation *f;
    ct_layout *l;
    ct_numbers *x;
    double length;       // of the mechanism
    connection *numbers; // [edges]
    pose *start, *now;   // [bodies]
};

// vectors -----------------------------------------------------------------------------------------
static void transform(const double (*r)[3], const double *v, double *out) {
    for (int i = 0; i < 3; i++) out[i] = r[i][0] * v[0] + r[i][1] * v[1] + r[i][2] * v[2];
}

static void multiply(const double (*a)[3], const double (*b)[3], bool transpose_b,
                     double (*out)[3]) {
    double c[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c[i][j] += a[i][k] * (transpose_b ? b[j][k] : b[k][j]);
    memcpy(out, c, sizeof c);
}

static void add_cross(double sign, const double *w, const double *p, double *v) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] += sign * (w[j] * p[k] - w[k] * p[j]);
    }
}

// Rodrigues:  Rot = I + sin K + (1 - cos) K^2  with K the cross product by the axis.
static void rotate_about(const double *u, double angle, double (*r)[3]) {
    double s = sin(angle), c = 1 - cos(angle);
    const double k[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    double kk[3][3], turn[3][3];
    multiply(k, k, false, kk);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turn[i][j] = (i == j) + s * k[i][j] + c * kk[i][j];
    multiply((const double(*)[3])r, (const double(*)[3])turn, false, r);
}

// poses and twists --------------------------------------------------------------------------------
static const ct_connection *branch_of(const ct_layout *l, ct_domain d, int b, const connection **at,
                                      const ct_nearness *near) {
    *at = near->numbers + l->branch[d][b];
    return l->connections + l->branch[d][b];
}

static double number(ct_nearness *near, ct_ex a) {
    double v;
    ct_numbers_eval(near->x, 1, &a, &v);
    return v;
}

// Orient_A (offset + sum direction_k slide_k), in A's frame; with `rates` its derivative instead.
static void slide_of(ct_nearness *near, const ct_connection *c, const connection *at, bool rates,
                     double *out) {
    double s[3] = {0};
    for (int i = 0; i < 3 && !rates; i++) s[i] = at->offset[i];
    for (int k = 0; k < c->n_trans; k++) {
        double value = number(near, rates ? c->slide_d[k] : c->slide[k]);
        for (int i = 0; i < 3; i++) s[i] += at->direction[k][i] * value;
    }
    transform(at->orient[0], s, out);
}

// The orientations along the rotation tree,  R_B = R_A orient_A Rot_1 Rot_2 ... orient_B^T.
static void place_rotations(ct_nearness *near, pose *p) {
    ct_layout *l = near->l;
    for (int i = 0; i < l->n_bodies; i++) {
        int b = l->order[CT_ROTATION][i];
        if (!b) continue;
        const connection *at;
        const ct_connection *c = branch_of(l, CT_ROTATION, b, &at, near);
        double r[3][3];
        memcpy(r, at->orient[0], sizeof r);
        for (int k = 0; k < c->n_rot; k++) rotate_about(at->axis[k], number(near, c->angle[k]), r);
        multiply((const double(*)[3])r, at->orient[1], true, r);
        int parent = l->parent[CT_ROTATION][b];
        multiply((const double(*)[3])p[parent].r, (const double(*)[3])r, c->body[0] == b, p[b].r);
    }
}

// The centres of mass along the translation tree,
//   c_B + R_B at_B = c_A + R_A (at_A + slide).
static void place_centres(ct_nearness *near, pose *p) {
    ct_layout *l = near->l;
    for (int i = 0; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        if (!b) continue;
        const connection *at;
        const ct_connection *c = branch_of(l, CT_TRANSLATION, b, &at, near);
        double arm[3], on_a[3], on_b[3], sign = c->body[1] == b ? 1 : -1;
        slide_of(near, c, at, false, arm);
        for (int k = 0; k < 3; k++) arm[k] += at->at[0][k];
        transform((const double(*)[3])p[c->body[0]].r, arm, on_a);
        transform((const double(*)[3])p[c->body[1]].r, at->at[1], on_b);
        const double *from = p[l->parent[CT_TRANSLATION][b]].c;
        for (int k = 0; k < 3; k++) p[b].c[k] = from[k] + sign * (on_a[k] - on_b[k]);
    }
}

static void place(ct_nearness *near, const double *q, pose *p) {
    ct_numbers_set(near->x, near->f->n, near->f->q, q);
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 3; i++) p[0].r[i][i] = 1;
    place_rotations(near, p);
    place_centres(near, p);
}

// Adds the angular velocity of B against A for the rates that are set in x: axes times their rates,
// each axis behind the rotations before it.
static void add_spin(ct_nearness *near, const ct_connection *c, const connection *at, double sign,
                     double *w) {
    double r[3][3], u[3];
    multiply((const double(*)[3])near->now[c->body[0]].r, at->orient[0], false, r);
    for (int k = 0; k < c->n_rot; k++) {
        double rate = sign * number(near, c->angle_d[k]);
        transform((const double(*)[3])r, at->axis[k], u);
        for (int j = 0; j < 3; j++) w[j] += rate * u[j];
        rotate_about(at->axis[k], number(near, c->angle[k]), r);
    }
}

// The twists for the rates that are set in x, the poses being `now`.
static void move(ct_nearness *near, twist *t) {
    ct_layout *l = near->l;
    const pose *p = near->now;
    memset(t, 0, (size_t)l->n_bodies * sizeof *t);
    for (int i = 0; i < l->n_bodies; i++) {
        int b = l->order[CT_ROTATION][i];
        if (!b) continue;
        const connection *at;
        const ct_connection *c = branch_of(l, CT_ROTATION, b, &at, near);
        memcpy(t[b].w, t[l->parent[CT_ROTATION][b]].w, sizeof t[b].w);
        add_spin(near, c, at, c->body[1] == b ? 1 : -1, t[b].w);
    }
    for (int i = 0; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        if (!b) continue;
        const connection *at;
        const ct_connection *c = branch_of(l, CT_TRANSLATION, b, &at, near);
        double arm[3], rate[3], on_a[3], on_b[3], along[3], sign = c->body[1] == b ? 1 : -1;
        slide_of(near, c, at, false, arm);
        slide_of(near, c, at, true, rate);
        for (int k = 0; k < 3; k++) arm[k] += at->at[0][k];
        transform((const double(*)[3])p[c->body[0]].r, arm, on_a);
        transform((const double(*)[3])p[c->body[0]].r, rate, along);
        transform((const double(*)[3])p[c->body[1]].r, at->at[1], on_b);
        // v_B = v_A + w_A x arm_A + slide' - w_B x arm_B
        memcpy(t[b].v, t[l->parent[CT_TRANSLATION][b]].v, sizeof t[b].v);
        add_cross(sign, t[c->body[0]].w, on_a, t[b].v);
        add_cross(-sign, t[c->body[1]].w, on_b, t[b].v);
        for (int k = 0; k < 3; k++) t[b].v[k] += sign * along[k];
    }
}

// nearness ----------------------------------------------------------------------------------------
static void vector_numbers(ct_nearness *near, ct_vec3 v, double *out) {
    for (int i = 0; i < 3; i++) out[i] = number(near, v.v[i]);
}

static void connection_numbers(ct_nearness *near, const ct_connection *c, connection *to) {
    for (int side = 0; side < 2; side++) {
        vector_numbers(near, c->at[side], to->at[side]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                to->orient[side][i][j] = number(near, c->orient[side].a[i][j]);
    }
    for (int k = 0; k < c->n_rot; k++) vector_numbers(near, c->axis[k], to->axis[k]);
    for (int k = 0; k < c->n_trans; k++) vector_numbers(near, c->direction[k], to->direction[k]);
    vector_numbers(near, c->offset, to->offset);
}

ct_nearness *ct_nearness_new(const ct_formulation *f, ct_numbers *numbers, const double *start,
                             double length) {
    ct_nearness *near = ct_alloc(1, sizeof *near);
    ct_layout *l = f->layout;
    size_t bodies = (size_t)l->n_bodies;
    *near = (ct_nearness){.f = f, .l = l, .x = numbers, .length = length};
    near->numbers = ct_alloc((size_t)f->graph->n_edges + 1, sizeof *near->numbers);
    near->start = ct_alloc(bodies, sizeof *near->start);
    near->now = ct_alloc(bodies, sizeof *near->now);
    for (int e = 0; e < f->graph->n_edges; e++)
        connection_numbers(near, l->connections + e, near->numbers + e);
    place(near, start, near->start);
    return near;
}

int ct_nearness_rows(const ct_nearness *near) {
    return 6 * (near->l->n_bodies - 1);
}

// theta = axis times angle of  D = R R0^T: with u = axial vector of (D - D^T) / 2 = axis sin and
// c = (trace D - 1) / 2 = cos; at half a turn the axis is that of the largest diagonal entry.
static void rotation_vector(const double (*r)[3], const double (*r0)[3], double *theta) {
    double d[3][3];
    multiply(r, r0, true, d);
    const double u[3] = {(d[2][1] - d[1][2]) / 2, (d[0][2] - d[2][0]) / 2, (d[1][0] - d[0][1]) / 2};
    double s = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]),
           c = (d[0][0] + d[1][1] + d[2][2] - 1) / 2, angle = atan2(s, c);
    if (s > CT_NEARNESS_HALF_TURN || c > 0) {
        for (int i = 0; i < 3; i++) theta[i] = s > 0 ? u[i] * angle / s : 0;
        return;
    }
    int most = 0;
    for (int i = 1; i < 3; i++)
        if (d[i][i] > d[most][most]) most = i;
    double axis = sqrt(fmax((d[most][most] + 1) / 2, 0));
    for (int i = 0; i < 3; i++)
        theta[i] = angle * (i == most ? axis : (d[i][most] + d[most][i]) / (4 * axis));
}

double ct_nearness_gaps(ct_nearness *near, const double *q, double *gap) {
    double square = 0;
    place(near, q, near->now);
    for (int b = 1; b < near->l->n_bodies; b++) {
        double *g = gap + 6 * (b - 1);
        for (int i = 0; i < 3; i++) g[i] = near->now[b].c[i] - near->start[b].c[i];
        rotation_vector((const double(*)[3])near->now[b].r, (const double(*)[3])near->start[b].r,
                        g + 3);
        for (int i = 3; i < 6; i++) g[i] *= near->length;
        for (int i = 0; i < 6; i++) square += g[i] * g[i];
    }
    return square;
}

void ct_nearness_jacobian(ct_nearness *near, const double *q, double *j) {
    const ct_formulation *f = near->f;
    int n = f->n;
    double *unit = ct_scratch((size_t)n + 1, sizeof *unit);
    twist *t = ct_scratch((size_t)near->l->n_bodies, sizeof *t);
    place(near, q, near->now);
    // column k: the twists of all bodies where coordinate k moves at unit rate
    for (int k = 0; k < n; k++) {
        unit[k] = 1;
        ct_numbers_set(near->x, n, f->qd, unit);
        unit[k] = 0;
        move(near, t);
        for (int b = 1; b < near->l->n_bodies; b++)
            for (int i = 0; i < 3; i++) {
                j[(6 * (b - 1) + i) * n + k] = t[b].v[i];
                j[(6 * (b - 1) + 3 + i) * n + k] = near->length * t[b].w[i];
            }
    }
}

// velocities in joints ----------------------------------------------------------------------------
// The twist in a joint by its own coordinates, for the rates that are set in x.
static void own_twist(ct_nearness *near, int edge, twist *t) {
    const ct_connection *c = near->l->connections + edge;
    double slide[3];
    *t = (twist){{0}, {0}};
    slide_of(near, c, near->numbers + edge, true, slide);
    transform((const double(*)[3])near->now[c->body[0]].r, slide, t->v);
    add_spin(near, c, near->numbers + edge, 1, t->w);
}

// The twist of the joint's second body as the first one sees it, from those of all bodies.
static void seen_twist(const ct_nearness *near, const ct_rate_joint *joint, const twist *all,
                       twist *t) {
    const twist *a = all + joint->body[0], *b = all + joint->body[1];
    const pose *from = near->now + joint->body[0], *to = near->now + joint->body[1];
    double arm[3] = {0}, way[3];
    if (joint->edge >= 0)
        transform((const double(*)[3])to->r, near->numbers[joint->edge].at[1], arm);
    for (int i = 0; i < 3; i++) {
        way[i] = to->c[i] + arm[i] - from->c[i];
        t->v[i] = b->v[i] - a->v[i];
        t->w[i] = b->w[i] - a->w[i];
    }
    add_cross(1, b->w, arm, t->v);
    add_cross(-1, a->w, way, t->v);
}

static bool is_branch(const ct_layout *l, int edge) {
    bool found[2] = {false, false};
    for (int d = 0; d < 2; d++)
        for (int b = 1; b < l->n_bodies && edge >= 0; b++)
            found[d] = found[d] || l->branch[d][b] == edge;
    return found[0] && found[1];
}

void ct_nearness_joint_velocities(ct_nearness *near, const double *q, const bool *has_rate,
                                  int n_joints, const ct_rate_joint *joints, double *j) {
    const ct_formulation *f = near->f;
    int n = f->n;
    double *unit = ct_scratch((size_t)n + 1, sizeof *unit);
    twist *all = ct_scratch((size_t)near->l->n_bodies, sizeof *all);
    place(near, q, near->now);
    for (int k = 0; k < n; k++) {
        // all bodies where coordinate k moves at unit rate
        unit[k] = 1;
        ct_numbers_set(near->x, n, f->qd, unit);
        unit[k] = 0;
        move(near, all);
        for (int p = 0; p < n_joints; p++) {
            // a branch has velocities by its own coordinates alone; a given rate does not count
            twist seen = {{0}, {0}}, own = seen;
            bool branch = is_branch(near->l, joints[p].edge);
            if (joints[p].edge >= 0 && branch != has_rate[k]) own_twist(near, joints[p].edge, &own);
            if (!branch) seen_twist(near, joints + p, all, &seen);
            double sign = branch ? 1 : -1;
            for (int i = 0; i < 3; i++) {
                j[(6 * p + i) * n + k] = seen.v[i] + sign * own.v[i];
                j[(6 * p + 3 + i) * n + k] = near->length * (seen.w[i] + sign * own.w[i]);
            }
        }
    }
}
