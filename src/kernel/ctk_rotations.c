// Rotations that are integrated whole: four Euler parameters e = (e0, v) of the frame of a body
// against that of its root, and three components of the angular velocity w in the frame of the body,
//   e' = e o (0, w) / 2:   e0' = -v . w / 2,   v' = (e0 w + v x w) / 2,
// or in that of the root, e' = (0, w) o e / 2, with w x v in the place of v x w.
// All that is computed from e uses e / |e|; the length is set to 1 where a state is taken. The
// angles by which a model names the rotation follow for results, continued from state to state.
#include "ctk_internal.h"

#include "ctk_angles.h"

void ctk_parameter_rate(const ctk_rotation *x, double e0, const double *v, const double *w,
                        double *e0_rate, double *v_rate) {
    const double sign = x->in_root ? -0.5 : 0.5, half = 0.5 * e0;
    *e0_rate = -0.5 * (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]);
    v_rate[0] = half * w[0] + sign * (v[1] * w[2] - v[2] * w[1]);
    v_rate[1] = half * w[1] + sign * (v[2] * w[0] - v[0] * w[2]);
    v_rate[2] = half * w[2] + sign * (v[0] * w[1] - v[1] * w[0]);
}

// 1 / |e|
double ctk_parameter_scale(double e0, const double *v) {
    return 1 / sqrt(e0 * e0 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Of the state y of a closure: ydot of the parameters of rotations, e' = e o (0, w) / 2.
void ctk_closed_parameter_rates(const ctk_sim *sim, const double *y, double *ydot) {
    const ctk_closure *k = sim->model->closure;
    const int r = k->n_independent;
    const double *rates = y + r + sim->model->n_rotations;
    for (int i = 0, at = 0; i < sim->model->n_rotations; i++) {
        while (k->independent[at] != sim->model->rotations[i].at) at++;
        ctk_parameter_rate(sim->model->rotations + i, y[r + i], y + at, rates + at, ydot + r + i,
                           ydot + at);
    }
}

// Of the state y of a closure: divides the parameters of each rotation, and their rates, by their
// length.
void ctk_closed_normalise(const ctk_sim *sim, double *y, double *ydot) {
    const ctk_closure *k = sim->model->closure;
    const int r = k->n_independent;
    for (int i = 0, at = 0; i < sim->model->n_rotations; i++) {
        while (k->independent[at] != sim->model->rotations[i].at) at++;
        const double f = ctk_parameter_scale(y[r + i], y + at);
        y[r + i] *= f;
        ydot[r + i] *= f;
        for (int j = 0; j < 3; j++) {
            y[at + j] *= f;
            ydot[at + j] *= f;
        }
    }
}

// Rates of all positions of q: q' itself but for rotations.
void ctk_position_rate(const ctk_model *model, const double *q, const double *qd, double *rate) {
    ctk_copy(model->n, qd, rate);
    for (int i = 0; i < model->n_rotations; i++) {
        const ctk_rotation *x = model->rotations + i;
        const int at = x->at, first = model->n + i;
        ctk_parameter_rate(x, q[first], q + at, qd + at, rate + first, rate + at);
    }
}

void ctk_normalise(const ctk_model *model, double *q) {
    for (int i = 0; i < model->n_rotations; i++) {
        double *v = q + model->rotations[i].at, *e0 = q + model->n + i;
        const double f = ctk_parameter_scale(*e0, v);
        *e0 *= f;
        for (int j = 0; j < 3; j++) v[j] *= f;
    }
}

// e := e o exp(share d), with the turn d in the frame of the body, or exp(share d) o e: a vector along
// its axis, its length the angle.
static void turn(const ctk_rotation *r, double share, const double *d, double *e0, double *v) {
    const double sign = r->in_root ? -1 : 1;
    const double angle = fabs(share) * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double c = cos(0.5 * angle);
    const double s = share * (angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5);
    const double w[3] = {s * d[0], s * d[1], s * d[2]}, x[3] = {v[0], v[1], v[2]}, x0 = *e0;
    *e0 = x0 * c - (x[0] * w[0] + x[1] * w[1] + x[2] * w[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = x0 * w[i] + c * x[i] + sign * (x[j] * w[k] - x[k] * w[j]);
    }
}

// Moves a position by a share of d [n]: coordinates by a sum, rotations by a turn.
void ctk_move(const ctk_model *model, double share, const double *d, double *q) {
    int next = 0;
    for (int i = 0; i <= model->n_rotations; i++) {
        const int at = i < model->n_rotations ? model->rotations[i].at : model->n;
        for (; next < at; next++) q[next] += share * d[next];
        if (i == model->n_rotations) break;
        turn(model->rotations + i, share, d + at, q + model->n + i, q + at);
        next = at + 3;
    }
}

// The d [n] by which ctk_move leads from one position to another.
void ctk_difference(const ctk_model *model, const double *from, const double *to, double *d) {
    for (int k = 0; k < model->n; k++) d[k] = to[k] - from[k];
    for (int i = 0; i < model->n_rotations; i++) {
        const int at = model->rotations[i].at;
        const double sign = model->rotations[i].in_root ? -1 : 1;
        const double *a = from + at, *b = to + at, a0 = from[model->n + i], b0 = to[model->n + i];
        // conj(from) o to = (c, s axis), or to o conj(from), on the short way round
        double c = a0 * b0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2], x[3], size = 0;
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            x[k] = a0 * b[k] - b0 * a[k] - sign * (a[l] * b[m] - a[m] * b[l]);
            size += x[k] * x[k];
        }
        size = sqrt(size);
        const double f = (c < 0 ? -1 : 1) * (size > 0 ? 2 * atan2(size, fabs(c)) / size : 2);
        for (int k = 0; k < 3; k++) d[at + k] = f * x[k];
    }
}

// Returns 1 if coordinate k belongs to a rotation that has an independent part: it is integrated
// whole, and the loops correct its dependent parts.
int ctk_is_integrated(const ctk_sim *sim, int k) {
    const ctk_model *m = sim->model;
    for (int i = 0; i < m->n_rotations; i++) {
        const int at = m->rotations[i].at;
        if (k < at || k >= at + 3) continue;
        for (int j = 0; j < m->n - m->m; j++)
            if (sim->independent[j] >= at && sim->independent[j] < at + 3) return 1;
    }
    return 0;
}

// Moves a position by changes [m] of its dependent coordinates.
void ctk_move_dependent(const ctk_sim *sim, const double *change, double *q) {
    const ctk_model *m = sim->model;
    double *d = sim->space.turns;
    if (!m->n_rotations) {
        for (int i = 0; i < m->m; i++) q[sim->dependent[i]] += change[i];
        return;
    }
    for (int k = 0; k < m->n; k++) d[k] = 0;
    for (int i = 0; i < m->m; i++) d[sim->dependent[i]] = change[i];
    ctk_move(m, 1, d, q);
}

// R = 1 + 2 (e0 [v] + [v]^2), for |e| = 1
static void matrix(double e0, const double *v, double r[3][3]) {
    const double x = 2 * v[0], y = 2 * v[1], z = 2 * v[2];
    const double xx = x * v[0], yy = y * v[1], zz = z * v[2];
    r[0][0] = 1 - yy - zz;
    r[1][1] = 1 - zz - xx;
    r[2][2] = 1 - xx - yy;
    r[0][1] = x * v[1] - z * e0;
    r[1][0] = x * v[1] + z * e0;
    r[1][2] = y * v[2] - x * e0;
    r[2][1] = y * v[2] + x * e0;
    r[2][0] = z * v[0] - y * e0;
    r[0][2] = z * v[0] + y * e0;
}

// R^T in the place of R.
static void transpose(double r[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            const double x = r[i][j];
            r[i][j] = r[j][i];
            r[j][i] = x;
        }
}

// The angular velocity w of a rotation against the first frame of its joint, in that frame.
static void joint_velocity(const ctk_rotation *x, double r[3][3], const double *w, double *u) {
    if (x->inverse && x->in_root)
        for (int i = 0; i < 3; i++) u[i] = -(r[0][i] * w[0] + r[1][i] * w[1] + r[2][i] * w[2]);
    else if (x->inverse)
        for (int i = 0; i < 3; i++) u[i] = -w[i];
    else if (!x->in_root)
        for (int i = 0; i < 3; i++) u[i] = r[i][0] * w[0] + r[i][1] * w[1] + r[i][2] * w[2];
    else
        ctk_copy(3, w, u);
}

// Angles of all rotations at the current state, behind its positions and rates.
void ctk_follow_angles(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const double dt = sim->t - sim->angles_t;
    for (int n = 0; n < m->n_rotations; n++) {
        const ctk_rotation *x = m->rotations + n;
        const int proper = ctk_angles_proper(x->axis), sign = ctk_angles_sign(x->axis);
        const double *w = sim->qd + x->at;
        double *last = sim->q + m->n + m->n_rotations + 3 * n, *last_rate = sim->qd + m->n + 3 * n;
        double r[3][3], u[3], angle[3], rate[3];
        matrix(sim->q[m->n + n], sim->q + x->at, r);
        joint_velocity(x, r, w, u);
        if (x->inverse) transpose(r);
        ctk_angles_of(x->axis, r, u, angle, rate);
        const int how = ctk_angles_continue(proper, sign, dt, angle, rate, last, last_rate);
        ctk_copy(3, angle, last);
        if (how != CTK_ANGLES_LOCKED) ctk_copy(3, rate, last_rate);
    }
    sim->angles_t = sim->t;
}
