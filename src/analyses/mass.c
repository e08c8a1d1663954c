// Mass properties of the initial position, with its rates: sums over the bodies in ground axes,
//   I = sum R J R^T + m (d.d 1 - d d^T),   L = sum r x m v + R J R^T w.
#include "analyses/rest.h"

#include <math.h>

typedef struct result {
    ct_mass_info info; // first
    ct_arena arena;
} result;

// A body where it is: centre of mass, orientation, velocity, angular velocity, in ground.
typedef struct motion {
    double r[3], turn[3][3], v[3], w[3];
} motion;

static void find_motion(ct_layout *l, ct_numbers *numbers, ct_derivation *time, int body,
                        motion *m) {
    ct_vec3 centre = ct_position(l, body, ct_vec3_zero()), spin = ct_angular_velocity(l, body, 0),
            velocity;
    ct_mat3 turn = ct_rotation(l, 0, body);
    for (int i = 0; i < 3; i++) velocity.v[i] = ct_derive(time, centre.v[i]);
    ct_numbers_eval(numbers, 3, centre.v, m->r);
    ct_numbers_eval(numbers, 3, velocity.v, m->v);
    ct_numbers_eval(numbers, 3, spin.v, m->w);
    for (int i = 0; i < 3; i++) ct_numbers_eval(numbers, 3, turn.a[i], m->turn[i]);
}

// Moments and products as integrals to a matrix, and back.
static void matrix_of(const double *moments, double j[3][3]) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 9; i++) j[i / 3][i % 3] = (i % 4 ? -1 : 1) * moments[at[i / 3][i % 3]];
}

static void moments_of(double j[3][3], double *moments) {
    for (int i = 0; i < 3; i++) moments[i] = j[i][i];
    moments[3] = -j[0][1];
    moments[4] = -j[0][2];
    moments[5] = -j[1][2];
}

// R J R^T
static void turned(double r[3][3], double j[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k] = 0;
            for (int a = 0; a < 9; a++) out[i][k] += r[i][a / 3] * j[a / 3][a % 3] * r[k][a % 3];
        }
}

static void cross(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Adds what a body has: momentum m v, angular momentum r x m v + J w, energy.
static void add_motion(ct_mass_info *info, double mass, const motion *m, double j[3][3]) {
    double moment[3], about[3];
    cross(m->r, m->v, moment);
    for (int i = 0; i < 3; i++) {
        about[i] = 0;
        for (int k = 0; k < 3; k++) about[i] += j[i][k] * m->w[k];
        info->momentum[i] += mass * m->v[i];
        info->angular_momentum[i] += mass * moment[i] + about[i];
        info->kinetic += (mass * m->v[i] * m->v[i] + about[i] * m->w[i]) / 2;
        info->com[i] += mass * m->r[i];
    }
    info->mass += mass;
}

// Inertia about the common centre of mass.
static void add_up(ct_mass_info *info) {
    double sum[3][3] = {{0}};
    for (int i = 0; i < 3; i++) info->com[i] /= info->mass > 0 ? info->mass : NAN;
    for (int b = 0; b < info->n_bodies; b++) {
        const ct_mass_body *body = info->bodies + b;
        double j[3][3], d[3], square = 0;
        matrix_of(body->inertia, j);
        for (int i = 0; i < 3; i++) {
            d[i] = body->com[i] - info->com[i];
            square += d[i] * d[i];
        }
        for (int i = 0; i < 9; i++)
            sum[i / 3][i % 3] +=
                j[i / 3][i % 3] + body->mass * ((i % 4 ? 0 : square) - d[i / 3] * d[i % 3]);
    }
    moments_of(sum, info->inertia);
}

static CT_BELOW ct_status find(ct_context *ctx, ct_system *s, ct_mass_info **info) {
    ct_status status = ct_assemble(ctx, s);
    if (status) return status;
    // the initial state, in a fork
    ct_fork *fork = ct_fork_of(s->assembled);
    const ct_formulation *f = fork->f;
    const ct_model *model = f->model;
    ct_numbers numbers;
    ct_model_numbers(model, &numbers);
    ct_position_set(f, &numbers, fork->at->q0);
    ct_numbers_set(&numbers, f->n, f->qd, fork->at->qd0);
    ct_derivation *time = ct_time_derivation(fork->f);
    // body by body, then all of them
    result *out = ct_alloc(1, sizeof *out);
    ct_mass_body *bodies = ct_arena_alloc(&out->arena, (size_t)model->n_bodies, sizeof *bodies);
    out->info.bodies = bodies;
    for (int b = 1; b < model->n_bodies; b++) {
        motion m;
        double moments[6], own[3][3], j[3][3];
        ct_mass_body *body = bodies + out->info.n_bodies++;
        find_motion(f->layout, &numbers, time, b, &m);
        ct_numbers_eval(&numbers, 6, model->bodies[b].inertia, moments);
        ct_numbers_eval(&numbers, 1, &model->bodies[b].mass, &body->mass);
        matrix_of(moments, own);
        turned(m.turn, own, j);
        moments_of(j, body->inertia);
        body->name = ct_arena_strdup(&out->arena, model->bodies[b].name);
        for (int i = 0; i < 3; i++) body->com[i] = m.r[i];
        add_motion(&out->info, body->mass, &m, j);
    }
    add_up(&out->info);
    ct_numbers_eval(&numbers, 1, &f->potential, &out->info.potential);
    ct_derivation_free(time);
    ct_numbers_clear(&numbers);
    ct_fork_free(fork);
    *info = &out->info;
    return CT_OK;
}

static void release(ct_mass_info *info) {
    ct_arena_release(&((result *)info)->arena);
    ct_release(info);
}

ct_status ct_mass(ct_context *ctx, ct_system *s, ct_mass_info **info) {
    CT_CALL_GIVES(ctx, &s->memory, info, release, find(ctx, s, info));
}

void ct_mass_free(ct_mass_info *info) {
    if (!info) return;
    ct_arena_free(&((result *)info)->arena);
    ct_free(info);
}
