// Rotations that are integrated whole: four Euler parameters e = (e0, v) of the frame of a body
// against that of its root, and three components of the angular velocity w in the frame of the body,
//   e' = e o (0, w) / 2:   e0' = -v . w / 2,   v' = (e0 w + v x w) / 2,
// or in that of the root, e' = (0, w) o e / 2, with w x v in the place of v x w.
// All that is computed from e uses e / |e|; the length is set to 1 where a state is taken. The
// angles by which a model names the rotation follow for results, continued from state to state.
#include "ctk_internal.h"

#include "ctk_angles.h"

static inline void parameter_rate(const ctk_rotation *x, double e0, const double *v,
                                  const double *w, double *e0_rate, double *v_rate) {
    const double sign = x->in_root ? -0.5 : 0.5, half = 0.5 * e0;
    *e0_rate = -0.5 * (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]);
    v_rate[0] = half * w[0] + sign * (v[1] * w[2] - v[2] * w[1]);
    v_rate[1] = half * w[1] + sign * (v[2] * w[0] - v[0] * w[2]);
    v_rate[2] = half * w[2] + sign * (v[0] * w[1] - v[1] * w[0]);
}

// 1 / |e|
static inline double parameter_scale(double e0, const double *v) {
    return 1 / sqrt(e0 * e0 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Of the state y of a closure: ydot of the parameters of rotations, e' = e o (0, w) / 2.
void ctk_closed_parameter_rates(const ctk_sim *sim, const double *y, double *ydot) {
    const ctk_closure *k = sim->model->closure;
    const int r = k->n_independent;
    const double *rates = y + r + k->n_rotations;
    for (int i = 0, at = 0; i < k->n_rotations; i++) {
        const ctk_rotation *x = sim->model->rotations + k->rotations[i];
        while (k->independent[at] != x->at) at++;
        parameter_rate(x, y[r + i], y + at, rates + at, ydot + r + i, ydot + at);
    }
}

// Of the state y of a closure: divides the parameters of each rotation, and their rates, by their
// length.
void ctk_closed_normalise(const ctk_sim *sim, double *y, double *ydot) {
    const ctk_closure *k = sim->model->closure;
    const int r = k->n_independent;
    for (int i = 0, at = 0; i < k->n_rotations; i++) {
        while (k->independent[at] != sim->model->rotations[k->rotations[i]].at) at++;
        const double f = parameter_scale(y[r + i], y + at);
        y[r + i] *= f;
        ydot[r + i] *= f;
        for (int j = 0; j < 3; j++) {
            y[at + j] *= f;
            ydot[at + j] *= f;
        }
    }
}

// The place of coordinate k in a rotation that a closure does not integrate whole: 0, 1 or 2, which
// angle of *rotation it stands for; -1: it is itself.
int ctk_independent_angle(const ctk_model *model, int k, int *rotation) {
    const ctk_closure *c = model->closure;
    for (int i = 0, own = 0; i < model->n_rotations; i++) {
        const int part = k - model->rotations[i].at;
        if (own < c->n_rotations && c->rotations[own] == i) {
            own++;
            continue;
        }
        if (part < 0 || part > 2) continue;
        *rotation = i;
        return part;
    }
    return -1;
}

// Coordinates that stay as they are where a start closes the loops: the independent ones of the
// closure; NULL where single angles are among them, whose place a spin has.
const int *ctk_closed_choice(const ctk_model *model) {
    const ctk_closure *c = model->closure;
    int rotation;
    for (int i = 0; i < c->n_independent; i++)
        if (ctk_independent_angle(model, c->independent[i], &rotation) >= 0) return NULL;
    return c->independent;
}

// Independent coordinates of the current q with the first parameters behind them, and (unless NULL)
// their rates; the angles of rotations must be known.
void ctk_closed_state(ctk_sim *sim, double *y, double *rate) {
    const ctk_model *m = sim->model;
    const ctk_closure *k = m->closure;
    for (int i = 0; i < k->n_independent; i++) {
        int at = k->independent[i], from = at, n = 0, part = -1;
        if (m->n_rotations > k->n_rotations) part = ctk_independent_angle(m, at, &n);
        if (part >= 0) {
            at = ctk_positions(m) + 3 * n + part;
            from = m->n + 3 * n + part;
        }
        y[i] = sim->q[at];
        if (rate) rate[i] = sim->qd[from];
    }
    for (int i = 0; i < k->n_rotations; i++)
        y[k->n_independent + i] = sim->q[m->n + k->rotations[i]];
}

// Rates of all positions of q: q' itself but for rotations.
void ctk_position_rate(const ctk_model *model, const double *q, const double *qd, double *rate) {
    ctk_copy(model->n, qd, rate);
    for (int i = 0; i < model->n_rotations; i++) {
        const ctk_rotation *x = model->rotations + i;
        const int at = x->at, first = model->n + i;
        parameter_rate(x, q[first], q + at, qd + at, rate + first, rate + at);
    }
}

void ctk_normalise(const ctk_model *model, double *q) {
    for (int i = 0; i < model->n_rotations; i++) {
        double *v = q + model->rotations[i].at, *e0 = q + model->n + i;
        const double f = parameter_scale(*e0, v);
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

// The angular velocity w of a joint's second body against its first one, in the frame of the first.
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

// From the frames of bodies to those of the joint, A in the first body and B in the second:
// R := A^T R B and u := A^T u.
static void in_joint_frames(const double *a, const double *b, double r[3][3], double *u) {
    double half[3][3], turned[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            half[i][j] = a[i] * r[0][j] + a[3 + i] * r[1][j] + a[6 + i] * r[2][j];
            turned[i] += a[3 * j + i] * u[j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = half[i][0] * b[j] + half[i][1] * b[3 + j] + half[i][2] * b[6 + j];
    ctk_copy(3, turned, u);
}

// The matrix of a rotation between its joint frames, and the angular velocity in the first of them.
static void joint_motion(const ctk_sim *sim, int n, double r[3][3], double *u) {
    const ctk_model *m = sim->model;
    const ctk_rotation *x = m->rotations + n;
    const double *frames = sim->space.joint_frames + 18 * n;
    matrix(sim->q[m->n + n], sim->q + x->at, r);
    joint_velocity(x, r, sim->qd + x->at, u);
    if (x->inverse) transpose(r);
    if (m->joint_frames)
        in_joint_frames(frames + (x->inverse ? 9 : 0), frames + (x->inverse ? 0 : 9), r, u);
}

// Returns 1 if forces need angles of a rotation: they are followed in every step.
int ctk_follows(const ctk_model *model) {
    int follows = 0;
    for (int n = 0; n < model->n_rotations; n++) follows = follows || model->rotations[n].followed;
    return follows;
}

// Forces have no value any more where the lock is passed, or where the first angle turns farther in
// one step than its branch can be told.
static int is_lost(const ctk_rotation *x, int proper, const double *last, const double *angle) {
    const double farthest = 1.4; // radians, less than a right angle
    const double before = proper ? sin(last[1]) : cos(last[1]),
                 after = proper ? sin(angle[1]) : cos(angle[1]);
    return fabs(angle[0] - last[0]) > farthest ||
           (x->followed == 2 && (before * after < 0 || fabs(after) < CTK_ANGLES_IN_LOCK));
}

// The angles at the start, for the steps that follow.
void ctk_keep_angles(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    for (int n = 0; n < m->n_rotations; n++) {
        const ctk_rotation *x = m->rotations + n;
        const double *angle = sim->q + ctk_positions(m) + 3 * n;
        double *kept = sim->u + 3 * (m->n_inputs + n);
        const int lost = x->followed && is_lost(x, ctk_angles_proper(x->axis), angle, angle);
        for (int i = 0; i < 3; i++) kept[i] = lost ? NAN : angle[i];
    }
}

// How far a rotation may turn from a state with known angles until it must have been looked at again, in
// parts of the square of |m|: angles change by no more than this part of |m| then, and
// ctk_angles_continue goes on as far from the lock.
static const double UNSEEN = 0.06;

// Notes where the angles of rotation n are known, and for how long the next state may do without them.
static void note_angles(const ctk_sim *sim, int n, int proper, const double *angle) {
    const ctk_model *m = sim->model;
    const double *v = sim->q + m->rotations[n].at, *w = sim->qd + m->rotations[n].at;
    double *known = sim->space.known + 6 * n, least;
    ctk_angles_half_turns(proper, angle[1], &least);
    known[0] = sim->q[m->n + n];
    ctk_copy(3, v, known + 1);
    known[4] = 0.5 * UNSEEN * least * least;
    known[5] = 2 * known[4] / sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

// Returns 1 if all rotations are so near the last ones with known angles that these can be continued
// later: by the turn between the two, |e - e_known| = 2 sin(turn / 4), and by the spins at both ends.
int ctk_angles_can_wait(const ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const double dt = fabs(sim->t - sim->angles_t);
    if (ctk_follows(m)) return 0;
    for (int n = 0; n < m->n_rotations; n++) {
        const double *v = sim->q + m->rotations[n].at, *w = sim->qd + m->rotations[n].at;
        const double *e = sim->space.known + 6 * n, e0 = sim->q[m->n + n] - e[0];
        const double x = v[0] - e[1], y = v[1] - e[2], z = v[2] - e[3];
        const double way = e0 * e0 + x * x + y * y + z * z, near = e[4] * e[4];
        const double spin = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        if (!(dt < e[5] && way < near && dt * dt * spin < 4 * near)) return 0;
    }
    return 1;
}

// Angles of all rotations at the current state, behind its positions and rates.
void ctk_follow_angles(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const double dt = sim->t - sim->angles_t;
    for (int n = 0; n < m->n_rotations; n++) {
        const ctk_rotation *x = m->rotations + n;
        const int proper = ctk_angles_proper(x->axis), sign = ctk_angles_sign(x->axis);
        double *last = sim->q + m->n + m->n_rotations + 3 * n, *last_rate = sim->qd + m->n + 3 * n;
        double r[3][3], u[3], angle[3], rate[3];
        joint_motion(sim, n, r, u);
        ctk_angles_of(x->axis, r, u, angle, rate);
        const int how = ctk_angles_continue(proper, sign, dt, angle, rate, last, last_rate);
        double *kept = sim->u + 3 * (m->n_inputs + n);
        const int lost = x->followed && (isnan(kept[0]) || is_lost(x, proper, last, angle));
        ctk_copy(3, angle, last);
        for (int i = 0; i < 3; i++) kept[i] = lost ? NAN : angle[i];
        if (how != CTK_ANGLES_LOCKED) ctk_copy(3, rate, last_rate);
        note_angles(sim, n, proper, angle);
    }
    sim->angles_t = sim->t;
}
