// The mass matrix by composite bodies, where every body has the same parent in both trees: everything
// behind it moves as one body with each coordinate of its two branches. Inward: mass, first moment h and inertia I
// of what hangs behind branch b, about its point O (B's side of the joint, where turns about the
// joint's axes do not move it). A unit of q'' then needs there
//   turn about a:  f = a x h, t = I a        slide along e:  f = m e, t = h x e
// and these are carried inward, to the coordinates of the branches before it alone.
#include "formulate/sweep/sweep_inside.h"

#include <stdlib.h>

typedef struct composite {
    ct_ex mass;
    ct_vec3 h, far; // far: O from the centre of mass of b
    ct_mat3 inertia;
} composite;

typedef struct wrench {
    ct_vec3 f, t; // about O of the branch, in the frame of the body behind it
    ct_vec3 up;   // f in the frame of the body before it
} wrench;

// a += 2 (d . g) 1 - d g^T - g d^T: inertia moved by the arm d
static void add_shift(ct_pool *pool, ct_vec3 d, ct_vec3 g, ct_mat3 *a) {
    ct_ex along[3];
    for (int i = 0; i < 3; i++) along[i] = ct_mul(pool, d.v[i], g.v[i]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ct_ex across = ct_add(pool, ct_mul(pool, d.v[j], g.v[k]), ct_mul(pool, g.v[j], d.v[k]));
        ct_ex both = ct_mul(pool, ct_int(pool, 2), ct_add(pool, along[j], along[k]));
        a->a[i][i] = ct_add(pool, a->a[i][i], both);
        a->a[j][k] = a->a[k][j] = ct_sub(pool, a->a[j][k], across);
    }
}

static bool is_full(ct_mat3 r) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (r.a[i][k] == CT_ZERO) return false;
    return true;
}

// R S R^T of a symmetric S. What S has in common with a sphere need not be turned, and the trace
// stays, which saves an entry where R is full.
static ct_mat3 turn_inertia(ct_sweeper *s, ct_mat3 a, int from, int to) {
    ct_pool *pool = s->pool;
    if (from == to) return a;
    ct_mat3 r = ct_rotation(s->l, to, from), out;
    int last = r.a[2][0] == CT_ZERO && r.a[2][1] == CT_ZERO ? 1 : 2;
    ct_ex sphere = a.a[last][last];
    for (int i = 0; i < 3; i++) a.a[i][i] = ct_sub(pool, a.a[i][i], sphere);
    if (s->how.let) a = ct_mat_let(pool, a);
    ct_mat3 half = ct_mat_mul(pool, r, a);
    if (s->how.let) half = ct_mat_let(pool, half);
    bool full = is_full(r);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            ct_ex x = CT_ZERO;
            for (int j = 0; j < 3; j++) x = ct_add(pool, x, ct_mul(pool, half.a[i][j], r.a[k][j]));
            out.a[i][k] = out.a[k][i] = s->how.let ? ct_let(pool, x) : x;
        }
    if (full) {
        ct_ex trace = ct_add(pool, a.a[0][0], ct_add(pool, a.a[1][1], a.a[2][2]));
        out.a[2][2] = ct_sub(pool, trace, ct_add(pool, out.a[0][0], out.a[1][1]));
    }
    for (int i = 0; i < 3; i++) out.a[i][i] = ct_add(pool, out.a[i][i], sphere);
    return out;
}

static composite own(ct_sweeper *s, int b) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    ct_vec3 far = ct_sweep_arm(s, c, c->body[1] == b);
    composite x = {.mass = s->l->model->bodies[b].mass, .far = far};
    x.h = ct_vec_neg(pool, ct_vec_scale(pool, x.mass, far));
    x.inertia = ct_sweep_inertia(s, b);
    if (!ct_sweep_is_sphere(s, b)) x.inertia = turn_inertia(s, x.inertia, s->home[b], s->frame[b]);
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), x.mass);
    add_shift(pool, far, ct_vec_scale(pool, half, far), &x.inertia);
    return x;
}

static void finish(ct_sweeper *s, composite *x) {
    x->h = ct_sweep_keep(s, x->h);
    if (s->how.let) x->inertia = ct_mat_let(s->pool, x->inertia);
}

// O of body b as seen from O of the body before it
static ct_vec3 step(ct_sweeper *s, const composite *all, int b) {
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    ct_vec3 near = ct_sweep_arm(s, c, c->body[1] != b);
    return ct_sweep_keep(s, ct_vec_sub(s->pool, near, all[s->l->parent[CT_TRANSLATION][b]].far));
}

static void add_to_parent(ct_sweeper *s, composite *all, int b) {
    ct_pool *pool = s->pool;
    int p = s->l->parent[CT_TRANSLATION][b];
    composite *x = all + p;
    ct_mat3 inertia = turn_inertia(s, all[b].inertia, s->frame[b], s->frame[p]);
    ct_vec3 d = step(s, all, b), h = ct_sweep_turned(s, all[b].h, b, p);
    ct_vec3 moment = ct_vec_scale(pool, all[b].mass, d);
    ct_ex half = ct_rational(pool, 1, 2);
    ct_vec3 g = ct_sweep_keep(s, ct_vec_add(pool, h, ct_vec_scale(pool, half, moment)));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            x->inertia.a[i][k] = ct_add(pool, x->inertia.a[i][k], inertia.a[i][k]);
    add_shift(pool, d, g, &x->inertia);
    x->mass = ct_add(pool, x->mass, all[b].mass);
    x->h = ct_vec_add(pool, x->h, ct_vec_add(pool, h, moment));
}

static void set(ct_sweeper *s, ct_ex *mass, ct_ex row, int column, bool positive, ct_ex value) {
    int k = ct_sweep_index(s, row);
    mass[k * s->n + column] = mass[column * s->n + k] = positive ? value : ct_neg(s->pool, value);
}

static void project(ct_sweeper *s, int b, wrench x, int column, ct_ex *mass) {
    const ct_connection *turn = ct_sweep_branch(s, CT_ROTATION, b),
                        *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    bool forward = c->body[1] == b;
    for (int k = 0; k < turn->n_rot; k++)
        set(s, mass, turn->angle[k], column, turn->body[1] == b,
            ct_vec_dot(s->pool, ct_sweep_axis(s, turn, k, b), x.t));
    bool floats = ct_sweep_floating(s, b) != NULL;
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 e = floats ? ct_sweep_own_axis(s, b, k) : ct_sweep_slide(s, c, k);
        set(s, mass, c->slide[k], column, forward,
            ct_vec_dot(s->pool, e, forward && !floats ? x.up : x.f));
    }
}

// Hands a wrench on from branch b to the branches between it and ground:  f_p = f,
// t_p = t + step x f,  and projects it on each. t is given in the frame of the parent of b.
static void carry(ct_sweeper *s, const composite *all, int b, wrench x, ct_vec3 t, int column,
                  ct_ex *mass) {
    int p = s->l->parent[CT_TRANSLATION][b];
    if (!p) return;
    wrench y = {.f = x.up};
    y.t = ct_vec_add(s->pool, t, ct_vec_cross(s->pool, step(s, all, b), y.f));
    y.t = ct_sweep_keep(s, y.t);
    int pp = s->l->parent[CT_TRANSLATION][p];
    y.up = ct_sweep_turned(s, y.f, p, pp);
    project(s, p, y, column, mass);
    carry(s, all, p, y, pp ? ct_sweep_turned(s, y.t, p, pp) : y.t, column, mass);
}

// A unit of each slide of body b:  f = m e,  t = h x e,  in the frame of body A.
static void slide_columns(ct_sweeper *s, const composite *all, int b, ct_ex *mass) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_TRANSLATION, b);
    int p = s->l->parent[CT_TRANSLATION][b];
    bool forward = c->body[1] == b;
    const composite *m = all + b;
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 e = ct_sweep_slide(s, c, k), h = forward ? ct_sweep_turned(s, m->h, b, p) : m->h;
        wrench x = {.f = ct_vec_scale(pool, forward ? m->mass : ct_neg(pool, m->mass), e)};
        x.t = ct_vec_cross(pool, h, forward ? e : ct_vec_neg(pool, e));
        x.up = forward ? x.f : ct_sweep_turned(s, x.f, b, p);
        ct_vec3 t = ct_sweep_keep(s, x.t);
        int column = ct_sweep_index(s, c->slide[k]);
        // entries with the slides of the same branch, then with the branches before it
        for (int j = 0; j < c->n_trans; j++)
            set(s, mass, c->slide[j], column, forward,
                ct_vec_dot(pool, ct_sweep_slide(s, c, j), x.f));
        carry(s, all, b, x, forward ? t : ct_sweep_turned(s, t, b, p), column, mass);
    }
}

// A unit of each turn of body b about a:  f = a x h,  t = I a,  in the frame of b.
static void turn_columns(ct_sweeper *s, const composite *all, int b, ct_ex *mass) {
    ct_pool *pool = s->pool;
    const ct_connection *c = ct_sweep_branch(s, CT_ROTATION, b);
    int p = s->l->parent[CT_ROTATION][b];
    const composite *m = all + b;
    for (int k = 0; k < c->n_rot; k++) {
        ct_vec3 a = ct_sweep_axis(s, c, k, b);
        if (c->body[1] != b) a = ct_vec_neg(pool, a);
        wrench x = {.f = ct_sweep_keep(s, ct_vec_cross(pool, a, m->h)),
                    .t = ct_sweep_keep(s, ct_mat_vec(pool, m->inertia, a))};
        x.up = ct_sweep_turned(s, x.f, b, p);
        // entries with all coordinates of the same body, then with the branches before it
        int column = ct_sweep_index(s, c->angle[k]);
        project(s, b, x, column, mass);
        carry(s, all, b, x, p ? ct_sweep_turned(s, x.t, b, p) : x.t, column, mass);
    }
}

void ct_sweep_composite(ct_sweeper *s, ct_ex *mass) {
    const ct_layout *l = s->l;
    composite *all = ct_scratch((size_t)l->n_bodies, sizeof *all);
    for (int b = 1; b < l->n_bodies; b++) all[b] = own(s, b);
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_TRANSLATION][i];
        finish(s, all + b);
        if (l->parent[CT_TRANSLATION][b]) add_to_parent(s, all, b);
    }
    for (int b = 1; b < l->n_bodies; b++) {
        slide_columns(s, all, b, mass);
        turn_columns(s, all, b, mass);
    }
}
