// Equations of motion in natural coordinates. With S = tr(J) / 2 - J of each body,
//   T = m c' . c' / 2 + sum over k, l of S_kl R_k' . R_l' / 2,
// so M is a matrix of parameters alone. A force F through the centre of mass and a torque t give
//   Q_j = F . dc/dq_j + sum over k of (t x R_k) . dR_k/dq_j / 2.
#include "formulate/natural/natural.h"

// Coordinates that a body depends on, with the derivatives of its place: c and the columns of R.
typedef struct slopes {
    int n, *at;       // [n]
    ct_vec3 (*by)[4]; // [n] dc/dq, dR_1/dq, ..
} slopes;

static ct_vec3 column_of(const ct_natural_body *x, int k) {
    return ct_vec(x->rotation.a[0][k], x->rotation.a[1][k], x->rotation.a[2][k]);
}

static slopes slopes_of(const ct_layout *l, int body) {
    const ct_natural *natural = l->f->natural;
    const ct_natural_body *x = natural->bodies + body;
    slopes s = {0, ct_scratch((size_t)natural->n + 1, sizeof *s.at),
                ct_scratch((size_t)natural->n + 1, sizeof *s.by)};
    for (int j = 0; j < natural->n; j++) {
        bool moves = false;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) {
                ct_ex at = k ? x->rotation.a[i][k - 1] : x->centre.v[i];
                ct_ex by = ct_diff(l->pool, at, natural->coordinates[j].q);
                s.by[s.n][k].v[i] = by;
                moves = moves || by != CT_ZERO;
            }
        if (moves) s.at[s.n++] = j;
    }
    return s;
}

// S, with products of inertia as integrals: J_xy = -Ixy.
static ct_mat3 moments_of(ct_pool *pool, const ct_body *body) {
    ct_mat3 s;
    const ct_ex half = ct_rational(pool, 1, 2), *j = body->inertia;
    ct_ex trace = ct_mul(pool, half, ct_sum(pool, 3, j));
    for (int i = 0; i < 3; i++) s.a[i][i] = ct_sub(pool, trace, j[i]);
    s.a[0][1] = s.a[1][0] = j[3];
    s.a[0][2] = s.a[2][0] = j[4];
    s.a[1][2] = s.a[2][1] = j[5];
    return s;
}

static void add_mass(const ct_layout *l, int body, const slopes *s) {
    ct_formulation *f = l->f;
    ct_pool *pool = l->pool;
    const ct_body *b = l->model->bodies + body;
    const ct_mat3 moments = moments_of(pool, b);
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++) {
            ct_ex sum = ct_mul(pool, b->mass, ct_vec_dot(pool, s->by[i][0], s->by[j][0]));
            for (int k = 0; k < 9; k++) {
                if (moments.a[k / 3][k % 3] == CT_ZERO) continue;
                ct_ex dot = ct_vec_dot(pool, s->by[i][1 + k / 3], s->by[j][1 + k % 3]);
                sum = ct_add(pool, sum, ct_mul(pool, moments.a[k / 3][k % 3], dot));
            }
            ct_ex *upper = &f->mass[s->at[i] * f->n + s->at[j]];
            *upper = ct_add(pool, *upper, sum);
            f->mass[s->at[j] * f->n + s->at[i]] = *upper;
        }
}

// Forces on the columns of R: moment x R_k / 2 for one in ground; for a torque in the body
// (t_3 R_2 - t_2 R_3) / 2 on R_1, and so on.
static void turning(ct_pool *pool, const ct_natural_body *x, ct_vec3 moment, ct_vec3 torque,
                    ct_vec3 *on) {
    const ct_ex half = ct_rational(pool, 1, 2);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        ct_vec3 by_torque = ct_vec_sub(pool, ct_vec_scale(pool, torque.v[j], column_of(x, i)),
                                       ct_vec_scale(pool, torque.v[i], column_of(x, j)));
        ct_vec3 both = ct_vec_add(pool, ct_vec_cross(pool, moment, column_of(x, k)), by_torque);
        on[k] = ct_vec_let(pool, ct_vec_scale(pool, half, both));
    }
}

static void add_forces(ct_layout *l, int body, const slopes *s, const ct_loads *loads) {
    ct_formulation *f = l->f;
    ct_pool *pool = l->pool;
    const ct_natural_body *x = f->natural->bodies + body;
    ct_vec3 weight = ct_vec_scale(pool, l->model->bodies[body].mass, l->model->gravity),
            force = ct_vec_let(pool, ct_vec_add(pool, loads->force[body], weight)), on[3];
    turning(pool, x, ct_vec_let(pool, loads->moment[body]), ct_vec_let(pool, loads->torque[body]),
            on);
    for (int i = 0; i < s->n; i++) {
        ct_ex sum = ct_vec_dot(pool, force, s->by[i][0]);
        for (int k = 0; k < 3; k++)
            sum = ct_add(pool, sum, ct_vec_dot(pool, on[k], s->by[i][1 + k]));
        f->forcing[s->at[i]] = ct_add(pool, f->forcing[s->at[i]], sum);
    }
}

static ct_ex kinetic_of(const ct_formulation *f) {
    ct_pool *pool = f->pool;
    ct_ex sum = CT_ZERO;
    for (int i = 0; i < f->n; i++) {
        ct_ex momentum = CT_ZERO;
        for (int j = 0; j < f->n; j++)
            momentum = ct_add(pool, momentum, ct_mul(pool, f->mass[i * f->n + j], f->qd[j]));
        sum = ct_add(pool, sum, ct_mul(pool, f->qd[i], momentum));
    }
    return ct_mul(pool, ct_rational(pool, 1, 2), sum);
}

void ct_natural_dynamics(ct_layout *l, ct_substitution *known) {
    ct_formulation *f = l->f;
    const size_t n = (size_t)f->n;
    ct_loads loads;
    ct_loads_build(l, known, &loads);
    f->mass = ct_arena_alloc(&f->arena, n * n + 1, sizeof *f->mass);
    f->forcing = ct_arena_alloc(&f->arena, n + 1, sizeof *f->forcing);
    for (int k = 0; k < f->n; k++) f->forcing[k] = loads.generalised[k];
    for (int b = 1; b < l->n_bodies; b++) {
        const slopes s = slopes_of(l, b);
        add_mass(l, b, &s);
        add_forces(l, b, &s, &loads);
    }
    f->kinetic = kinetic_of(f);
    f->potential = loads.potential;
    f->power = loads.power;
    ct_loads_clear(&loads);
}

// what bodies need -----------------------------------------------------------------------------------
// Force m (c'' - g) and moment J w' + w x J w, with w' = sum R_k x R_k'' / 2, less loads.
void ct_natural_needs(ct_layout *l, const ct_loads *loads, const ct_ex *qdd, ct_vec3 *force,
                      ct_vec3 *moment) {
    ct_formulation *f = l->f;
    ct_pool *pool = l->pool;
    const ct_ex half = ct_rational(pool, 1, 2);
    ct_derivation *twice = ct_derivation_new(pool); // linear places: q becomes q''
    for (int k = 0; k < f->n; k++) ct_derivation_map(twice, f->q[k], qdd[k]);
    force[0] = moment[0] = ct_vec3_zero();
    for (int b = 1; b < l->n_bodies; b++) {
        const ct_natural_body *x = f->natural->bodies + b;
        const ct_body *body = l->model->bodies + b;
        ct_vec3 a, turned = ct_vec3_zero();
        for (int i = 0; i < 3; i++) a.v[i] = ct_derive(twice, x->centre.v[i]);
        for (int k = 0; k < 3; k++) {
            ct_vec3 second, column = column_of(x, k);
            for (int i = 0; i < 3; i++) second.v[i] = ct_derive(twice, column.v[i]);
            turned = ct_vec_add(pool, turned, ct_vec_cross(pool, column, second));
        }
        // in the frame of the body
        const ct_ex *j = body->inertia, xy = ct_neg(pool, j[3]), xz = ct_neg(pool, j[4]),
                    yz = ct_neg(pool, j[5]);
        const ct_mat3 inertia = {{{j[0], xy, xz}, {xy, j[1], yz}, {xz, yz, j[2]}}};
        ct_vec3 w = ct_vec_let(pool, ct_mat_transpose_vec(pool, x->rotation, x->spin)),
                wd = ct_mat_transpose_vec(pool, x->rotation, ct_vec_scale(pool, half, turned));
        ct_vec3 need = ct_vec_add(pool, ct_mat_vec(pool, inertia, ct_vec_let(pool, wd)),
                                  ct_vec_cross(pool, w, ct_mat_vec(pool, inertia, w)));
        need = ct_vec_let(pool, ct_vec_sub(pool, need, loads->torque[b]));
        moment[b] = ct_vec_let(
            pool, ct_vec_sub(pool, ct_mat_vec(pool, x->rotation, need), loads->moment[b]));
        a = ct_vec_scale(pool, body->mass, ct_vec_sub(pool, a, l->model->gravity));
        force[b] = ct_vec_let(pool, ct_vec_sub(pool, a, loads->force[b]));
    }
    ct_derivation_free(twice);
}
