// Forces, kinetic and potential energy and the gap of the loops in each frame. Expressions of
// forces are evaluated with the coordinates of the row and with points and velocities of the poses.
#include "view/view.h"

#include "model/inputs/signals.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
    const ct_view *v;
    ct_numbers x;
    double *q, *qd, *own, *own_d;
    const ct_pose *pose;
    const ct_twist *twist;
    double (*inertia)[9];
    double *mass;
    double gravity[3];
    double *u; // inputs: values, rates, accelerations
} state;

// Velocity of a point p of a body:  v + w x (R p)
static void point_velocity(const state *s, int body, const double *at, double *v) {
    double arm[3];
    const ct_twist *t = s->twist + body;
    ct_turned(s->pose[body].R, at, arm);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = t->v[i] + t->w[j] * arm[k] - t->w[k] * arm[j];
    }
}

static double probe_value(const state *s, const ct_probe *p) {
    const ct_model *m = s->v->model;
    double at[2][3], here[2][3] = {{0}};
    if (p->kind > CT_PROBE_LAST_OF_MOTION) return NAN; // outputs only; laws of springs below
    int n = p->kind == CT_PROBE_DISTANCE ? 2 : 1;
    for (int k = 0; k < n; k++) {
        ct_view_numbers(m, &p->at[k], at[k]);
        ct_pose_point(s->pose + p->body[k], at[k], here[k]);
    }
    if (n == 2) return ct_distance3(here[0], here[1]);
    if (p->kind <= CT_PROBE_Z) return here[0][p->kind - CT_PROBE_X];
    if (!s->twist) return NAN;
    point_velocity(s, p->body[0], at[0], here[0]);
    return here[0][p->kind - CT_PROBE_VX];
}

// The length of the line between the two points, and its rate where velocities are known.
static double line_of(const state *s, const ct_force *force, double *speed) {
    double p[2][3], at[3], v[2][3];
    *speed = 0;
    for (int k = 0; k < 2; k++) {
        ct_view_numbers(s->v->model, &force->at[k], at);
        ct_pose_point(s->pose + force->body[k], at, p[k]);
        if (s->twist) point_velocity(s, force->body[k], at, v[k]);
    }
    double distance = ct_distance3(p[0], p[1]);
    for (int i = 0; i < 3 && s->twist && distance > 0; i++)
        *speed += (p[1][i] - p[0][i]) * (v[1][i] - v[0][i]) / distance;
    return distance;
}

// What the law of a spring calls its extension or, for a free length that does not vary, its rate.
static double law_value(state *s, const ct_probe *p) {
    const ct_force *force = s->v->model->forces + p->force;
    double free, speed, x;
    ct_numbers_eval(&s->x, 1, &force->length, &free);
    if (ct_force_traits_of(force->type)->on == CT_ON_COORDINATE) {
        x = s->q[force->coordinate];
        speed = s->qd[force->coordinate];
    } else {
        x = line_of(s, force, &speed);
    }
    return p->kind == CT_PROBE_EXTENSION ? x - free : speed;
}

// Values of all symbols that expressions of forces may hold.
static void set_symbols(state *s, double time) {
    const ct_model *m = s->v->model;
    ct_numbers_set(&s->x, 1, &m->time, &time);
    if (m->signals) {
        ct_signals_at(m, time, -INFINITY, INFINITY, s->u);
        ct_model_set_inputs(m, s->u, &s->x);
    }
    for (int i = 0; i < m->n_coordinates; i++) {
        ct_numbers_set(&s->x, 1, &m->coordinates[i].q, s->q + i);
        ct_numbers_set(&s->x, 1, &m->coordinates[i].qd, s->qd + i);
    }
    for (int i = 0; i < m->n_probes; i++) {
        double value = probe_value(s, m->probes + i);
        ct_numbers_set(&s->x, 1, &m->probes[i].symbol, &value);
    }
    for (int i = 0; i < m->n_probes; i++) {
        if (m->probes[i].kind < CT_PROBE_EXTENSION) continue;
        double value = law_value(s, m->probes + i);
        ct_numbers_set(&s->x, 1, &m->probes[i].symbol, &value);
    }
}

// forces ------------------------------------------------------------------------------------------
// A spring: its tension and the distance of its ends, or its force on a coordinate and that coordinate.
static void spring_value(const state *s, const ct_force *force, const double *part, double *out) {
    double value = part[0], k = part[1], c = part[2], free = part[3], speed;
    if (ct_force_traits_of(force->type)->on == CT_ON_COORDINATE) {
        out[0] =
            -k * (s->q[force->coordinate] - free) - (c != 0 ? c * s->qd[force->coordinate] : 0);
        out[1] = s->q[force->coordinate];
        return;
    }
    out[1] = line_of(s, force, &speed);
    out[0] = value + (k * (out[1] - free) + c * speed);
}

// out: the vector of a force in ground, or its value as the first component; of a contact how deep it
// is.
static void force_vector(state *s, const ct_force *force, double *out) {
    double part[4];
    switch (ct_force_traits_of(force->type)->like) {
    case CT_LIKE_VECTOR:
        ct_numbers_eval(&s->x, 3, force->vector.v, out);
        if (force->in_body) ct_turned(s->pose[force->body[0]].R, out, out);
        return;
    case CT_LIKE_VALUE: ct_numbers_eval(&s->x, 1, &force->value, out); return;
    case CT_LIKE_SPRING:
        ct_numbers_eval(&s->x, 4,
                        (ct_ex[]){force->value, force->stiffness, force->damping, force->length},
                        part);
        spring_value(s, force, part, out);
        return;
    case CT_LIKE_MOTION:
        if (force->type == CT_FORCE_CONTACT)
            out[0] = ct_contact_depth(s->v->model, force, s->pose);
        return;
    }
}

// energies ----------------------------------------------------------------------------------------
static void read_masses(state *s) {
    const ct_model *m = s->v->model;
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    s->mass = ct_alloc((size_t)m->n_bodies, sizeof *s->mass);
    s->inertia = ct_alloc((size_t)m->n_bodies, sizeof *s->inertia);
    ct_view_numbers(m, &m->gravity, s->gravity);
    for (int b = 1; b < m->n_bodies; b++) {
        s->mass[b] = ct_model_number(m, m->bodies[b].mass);
        for (int i = 0; i < 9; i++) {
            double value = ct_model_number(m, m->bodies[b].inertia[place[i]]);
            s->inertia[b][i] = place[i] < 3 ? value : -value;
        }
    }
}

// T = sum m v.v / 2 + w.J w / 2, at the centres of mass
static double kinetic(const state *s) {
    double sum = 0, v[3], w[3], h[3];
    for (int b = 1; b < s->v->model->n_bodies; b++) {
        point_velocity(s, b, s->v->mover.com[b], v);
        ct_turned_back(s->pose[b].R, s->twist[b].w, w);
        ct_turned(s->inertia[b], w, h);
        sum += s->mass[b] * ct_dot3(v, v) / 2 + ct_dot3(w, h) / 2;
    }
    return sum;
}

// V of gravity, and what forces have stored.
static double potential(const state *s) {
    const ct_model *m = s->v->model;
    double sum = 0, p[3];
    for (int b = 1; b < m->n_bodies; b++) {
        ct_pose_point(s->pose + b, s->v->mover.com[b], p);
        sum -= s->mass[b] * ct_dot3(s->gravity, p);
    }
    for (int i = 0; i < m->n_forces; i++)
        sum += ct_stored_energy(m, m->forces + i, s->pose, s->q);
    return sum;
}

void ct_frames_evaluate(const ct_view *v, ct_frames *f) {
    const ct_model *m = v->model;
    size_t n = (size_t)m->n_coordinates + 1, own = 6 * (size_t)m->n_bodies;
    // memory for numbers of symbols and for the state of one row
    state s = {.v = v};
    ct_model_numbers(m, &s.x);
    s.q = ct_alloc(2 * (n + own), sizeof *s.q);
    s.u = ct_alloc(3 * (size_t)m->n_inputs + 1, sizeof *s.u);
    s.qd = s.q + n;
    s.own = s.qd + n;
    s.own_d = s.own + own;
    read_masses(&s);
    // energies only where velocities are known
    f->force = ct_alloc((size_t)f->n * (size_t)m->n_forces * 3 + 1, sizeof *f->force);
    f->gap = ct_alloc((size_t)f->n + 1, sizeof *f->gap);
    if (f->twist) {
        f->kinetic = ct_alloc((size_t)f->n + 1, sizeof *f->kinetic);
        f->potential = ct_alloc((size_t)f->n + 1, sizeof *f->potential);
    }
    for (int i = 0; i < f->n; i++) {
        // coordinates, poses and velocities of the frame; values of all symbols
        double *force = f->force + (size_t)i * (size_t)m->n_forces * 3;
        s.pose = f->pose + (size_t)i * (size_t)m->n_bodies;
        s.twist = f->twist ? f->twist + (size_t)i * (size_t)m->n_bodies : NULL;
        ct_view_state(v, v->rows + f->row[i] * v->n_columns, s.q, s.qd, s.own, s.own_d);
        set_symbols(&s, f->time[i]);
        // forces, gap, T and V
        for (int k = 0; k < m->n_forces; k++) force_vector(&s, m->forces + k, force + 3 * k);
        f->gap[i] = ct_mover_gap(&v->mover, s.q, s.pose, f->size);
        if (f->kinetic) f->kinetic[i] = kinetic(&s);
        if (f->potential) f->potential[i] = potential(&s);
    }
    ct_free(s.q);
    ct_free(s.u);
    ct_free(s.mass);
    ct_free(s.inertia);
    ct_numbers_clear(&s.x);
}
