// Rotations that are integrated whole: four Euler parameters e = (e0, v) of the frame of a body
// against that of its root, and three components of the angular velocity w in the frame of the body,
//   e' = e o (0, w) / 2:   e0' = -v . w / 2,   v' = (e0 w + v x w) / 2.
// All that is computed from e uses e / |e|; the length is set to 1 where a state is taken. The
// angles by which a model names the rotation follow for results, continued from state to state.
#include "ctk_internal.h"

#include "ctk_angles.h"

void ctk_parameter_rate(double e0, const double *v, const double *w, double *e0_rate,
                        double *v_rate) {
    *e0_rate = -0.5 * (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v_rate[i] = 0.5 * (e0 * w[i] + v[j] * w[k] - v[k] * w[j]);
    }
}

// 1 / |e|
double ctk_parameter_scale(double e0, const double *v) {
    return 1 / sqrt(e0 * e0 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Rates of all positions of q: q' itself but for rotations.
void ctk_position_rate(const ctk_model *model, const double *q, const double *qd, double *rate) {
    ctk_copy(model->n, qd, rate);
    for (int i = 0; i < model->n_rotations; i++) {
        const int at = model->rotations[i].at, first = model->n + i;
        ctk_parameter_rate(q[first], q + at, qd + at, rate + first, rate + at);
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

// R = 1 + 2 (e0 [v] + [v]^2), for |e| = 1
static void matrix(double e0, const double *v, double r[3][3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i][i] = 1 - 2 * (v[j] * v[j] + v[k] * v[k]);
        r[i][j] = 2 * (v[i] * v[j] - e0 * v[k]);
        r[j][i] = 2 * (v[i] * v[j] + e0 * v[k]);
    }
}

// Angles of R = R_i(a) R_j(b) R_k(c), the solution with cos b (like zxz: sin b) positive, and their
// rates from the angular velocity u in the frame before the turns. s: sign of the permutation ijk.
static void angles_of(double r[3][3], const double *u, int i, int j, int k, int s, int proper,
                      double *angle, double *rate) {
    // a from the column of the third axis, b, then c from row j of R_i(a)^T R
    if (proper) {
        angle[0] = atan2(r[j][i], -s * r[k][i]);
        angle[1] = atan2(hypot(r[i][j], r[i][k]), r[i][i]);
    } else {
        angle[0] = atan2(-s * r[j][k], r[k][k]);
        angle[1] = atan2(s * r[i][k], hypot(r[i][i], r[i][j]));
    }
    const double ca = cos(angle[0]), sa = s * sin(angle[0]);
    const double sine = proper ? -s * (ca * r[j][k] + sa * r[k][k]) : s * (ca * r[j][i] + sa * r[k][i]);
    angle[2] = atan2(sine, ca * r[j][j] + sa * r[k][j]);
    // R_i(a)^T u = a' e_i + b' e_j + c' R_j(b) e_k
    const double along = ca * u[k] - sa * u[j], cb = cos(angle[1]), sb = sin(angle[1]);
    rate[1] = ca * u[j] + sa * u[k];
    rate[2] = proper ? -s * along / sb : along / cb;
    rate[0] = u[i] - (proper ? cb : s * sb) * rate[2];
}

// Angles of all rotations at the current state, behind its positions and rates.
void ctk_follow_angles(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const double dt = sim->t - sim->angles_t;
    for (int n = 0; n < m->n_rotations; n++) {
        const ctk_rotation *x = m->rotations + n;
        const int i = x->axis[0], j = x->axis[1], proper = i == x->axis[2], k = 3 - i - j;
        const int sign = (j - i + 3) % 3 == 1 ? 1 : -1;
        const double *w = sim->qd + x->at;
        double *last = sim->q + m->n + m->n_rotations + 3 * n, *last_rate = sim->qd + m->n + 3 * n;
        double r[3][3], u[3], angle[3], rate[3];
        matrix(sim->q[m->n + n], sim->q + x->at, r);
        // angular velocity of the second frame of the joint against the first, in the first
        for (int a = 0; a < 3; a++)
            u[a] = x->inverse ? -w[a] : r[a][0] * w[0] + r[a][1] * w[1] + r[a][2] * w[2];
        for (int a = 0; a < 3 && x->inverse; a++)
            for (int b = 0; b < a; b++) {
                const double c = r[a][b];
                r[a][b] = r[b][a];
                r[b][a] = c;
            }
        angles_of(r, u, i, j, k, sign, proper, angle, rate);
        const int how =
            ctk_angles_continue(proper, sign, dt, angle, rate, last, last_rate);
        ctk_copy(3, angle, last);
        if (how != CTK_ANGLES_LOCKED) ctk_copy(3, rate, last_rate);
    }
    sim->angles_t = sim->t;
}
