// Positions of a mechanism at rest: moved along a tangent, closed again, led along motions to another
// time. Rotations are turned: e becomes e o exp(d / 2), or exp(d / 2) o e where spins are those of the
// root.
#include "analyses/rest.h"
#include "analyses/tolerances.h"
#include "kernel/inline/ctk_angles.h"
#include "model/inputs/signals.h"

#include <math.h>
#include <string.h>

// rotations ---------------------------------------------------------------------------------------
static void turn(const ct_whole_rotation *b, const double *d, double *e0, double *v) {
    const double sign = b->in_root ? -1 : 1;
    const double angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double c = cos(angle / 2), s = angle > 1e-8 ? sin(angle / 2) / angle : 0.5;
    const double w[3] = {s * d[0], s * d[1], s * d[2]}, x[3] = {v[0], v[1], v[2]}, x0 = *e0;
    double square = 0;
    *e0 = x0 * c - (x[0] * w[0] + x[1] * w[1] + x[2] * w[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = x0 * w[i] + c * x[i] + sign * (x[j] * w[k] - x[k] * w[j]);
        square += v[i] * v[i];
    }
    const double scale = 1 / sqrt(*e0 * *e0 + square);
    *e0 *= scale;
    for (int i = 0; i < 3; i++) v[i] *= scale;
}

// The turn between two rotations:  2 log(conj(e) o f), or 2 log(f o conj(e)).
static void turn_between(const ct_whole_rotation *b, const double *e, const double *f, double *d) {
    const double sign = b->in_root ? -1 : 1;
    double w0 = e[0] * f[0] + e[1] * f[1] + e[2] * f[2] + e[3] * f[3], w[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        w[i] =
            e[0] * f[i + 1] - f[0] * e[i + 1] - sign * (e[j + 1] * f[k + 1] - e[k + 1] * f[j + 1]);
    }
    const double s = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double scale = (s > 1e-12 ? 2 * atan2(s, fabs(w0)) / s : 2) * (w0 < 0 ? -1 : 1);
    for (int i = 0; i < 3; i++) d[i] = scale * w[i];
}

static void parameters(const ct_formulation *f, int i, const double *q, double *e) {
    e[0] = q[f->n + i];
    for (int j = 0; j < 3; j++) e[j + 1] = q[f->whole_rotations[i].coordinate[j]];
}

void ct_rest_move(const ct_rest *rest, const double *d, double *q) {
    const ct_formulation *f = rest->f;
    for (int k = 0; k < f->n; k++)
        if (!ct_whole_rotation_of_coordinate(f, k, NULL)) q[k] += rest->unit[k] * d[k];
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        double e[4], by[3];
        parameters(f, i, q, e);
        for (int j = 0; j < 3; j++) by[j] = d[b->coordinate[j]];
        turn(b, by, e, e + 1);
        q[f->n + i] = e[0];
        for (int j = 0; j < 3; j++) q[b->coordinate[j]] = e[j + 1];
    }
}

void ct_rest_difference(const ct_rest *rest, const double *from, const double *to, double *d) {
    const ct_formulation *f = rest->f;
    for (int k = 0; k < f->n; k++) d[k] = (to[k] - from[k]) / rest->unit[k];
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        double e0[4], e1[4], by[3];
        parameters(f, i, from, e0);
        parameters(f, i, to, e1);
        turn_between(b, e0, e1, by);
        for (int j = 0; j < 3; j++) d[b->coordinate[j]] = by[j];
    }
}

// R(e) = 1 + 2 (e0 [v] + [v]^2) of parameters with length one.
static void matrix_of(const double *e, double r[3][3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i][i] = 1 - 2 * (e[j + 1] * e[j + 1] + e[k + 1] * e[k + 1]);
        r[i][j] = 2 * (e[i + 1] * e[j + 1] - e[0] * e[k + 1]);
        r[j][i] = 2 * (e[i + 1] * e[j + 1] + e[0] * e[k + 1]);
    }
}

// From the frames of the joint's bodies to those of the joint, A in the first body and B in the second
// one:  R := A^T R B  and  u := A^T u.
static void in_joint_frames(const ct_model *model, const ct_whole_rotation *b, double r[3][3],
                            double *u) {
    double frame[2][3][3], half[3][3] = {{0}}, turned[3] = {0};
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 9; k++) {
            const ct_mat3 *of = (side == 1) == b->inverse ? &b->near : &b->far;
            frame[side][k / 3][k % 3] = ct_model_number(model, of->a[k / 3][k % 3]);
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[i] += frame[0][j][i] * u[j];
            for (int k = 0; k < 3; k++) half[i][j] += frame[0][k][i] * r[k][j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r[i][j] = 0;
            for (int k = 0; k < 3; k++) r[i][j] += half[i][k] * frame[1][k][j];
        }
    memcpy(u, turned, sizeof turned);
}

void ct_rest_angles(const ct_rest *rest, int i, const double *q, const double *spin, double *angle,
                    double *rate) {
    const ct_formulation *f = rest->f;
    const ct_whole_rotation *b = f->whole_rotations + i;
    double e[4], r[3][3], u[3] = {spin[0], spin[1], spin[2]}, joint[3][3];
    const double *last = q + ct_position_count(f) + 3 * i, still[3] = {0, 0, 0};
    parameters(f, i, q, e);
    matrix_of(e, r);
    // of the joint, whose first body is the rotation's where it is inverse
    for (int k = 0; k < 9; k++)
        joint[k / 3][k % 3] = b->inverse ? r[k % 3][k / 3] : r[k / 3][k % 3];
    // its spin in the frame before the turns
    if (b->in_root == b->inverse)
        for (int k = 0; k < 3; k++)
            u[k] = joint[k][0] * spin[0] + joint[k][1] * spin[1] + joint[k][2] * spin[2];
    for (int k = 0; k < 3 && b->inverse; k++) u[k] = -u[k];
    in_joint_frames(f->model, b, joint, u);
    ctk_angles_of(b->sequence, joint, u, angle, rate);
    ctk_angles_continue(ctk_angles_proper(b->sequence), ctk_angles_sign(b->sequence), 0, angle,
                        rate, last, still);
}

void ct_rest_follow_angles(const ct_rest *rest, double *q) {
    const ct_formulation *f = rest->f;
    for (int i = 0; i < f->n_integrated; i++) {
        double angle[3], rate[3], still[3] = {0, 0, 0};
        ct_rest_angles(rest, i, q, still, angle, rate);
        memcpy(q + ct_position_count(f) + 3 * i, angle, sizeof angle);
    }
}

// closing -----------------------------------------------------------------------------------------
double ct_rest_residual(ct_rest *rest, const double *q, bool in_units) {
    ct_stage stage = ct_stage_begin();
    double *phi = ct_scratch((size_t)rest->m + 1, sizeof *phi);
    ct_position_set(rest->f, &rest->numbers, q);
    ct_numbers_eval(&rest->numbers, rest->m, rest->phi, phi);
    for (int i = 0; i < rest->m && in_units; i++) phi[i] /= rest->row_unit[i];
    double largest = ct_largest(rest->m, phi);
    ct_stage_end(stage);
    return largest;
}

void ct_rest_jacobian(ct_rest *rest, const double *q, double *a) {
    const int n = rest->n;
    ct_position_set(rest->f, &rest->numbers, q);
    ct_numbers_eval_rounded(&rest->numbers, rest->m * n, rest->phi_q, a);
    for (int i = 0; i < rest->m; i++) {
        double *row = a + i * n;
        for (int k = 0; k < n; k++) row[k] *= rest->unit[k] / rest->row_unit[i];
        if (ct_largest(n, row) < CT_REST_ROW) memset(row, 0, (size_t)n * sizeof *row);
    }
}

bool ct_rest_close(ct_rest *rest, double *q) {
    const size_t n = (size_t)rest->n + 1, m = (size_t)rest->m + 1;
    if (!rest->m) return true;
    ct_stage stage = ct_stage_begin();
    double *phi = ct_scratch(m, sizeof *phi), *a = ct_scratch(m * n, sizeof *a),
           *d = ct_scratch(n, sizeof *d), size = INFINITY, longest = 0;
    for (int it = 0; it < CT_REST_CLOSING; it++) {
        ct_position_set(rest->f, &rest->numbers, q);
        ct_numbers_eval(&rest->numbers, rest->m, rest->phi, phi);
        for (int i = 0; i < rest->m; i++) phi[i] /= -rest->row_unit[i];
        // closed, and no step gains any more
        double now = ct_largest(rest->m, phi);
        if (!isfinite(now) || now == 0 || (now < CT_REST_CLOSED && now >= size / 2)) {
            size = now;
            break;
        }
        size = now;
        // Phi_q d = -Phi, the shortest d
        ct_rest_jacobian(rest, q, a);
        ct_least_squares(rest->m, rest->n, a, phi, CT_REST_CUTOFF, d);
        longest = ct_largest(rest->n, d);
        if (!(longest < 1)) break;
        ct_rest_move(rest, d, q);
        if (longest < CT_REST_STILL) break;
    }
    ct_stage_end(stage);
    return size < CT_REST_CLOSED && longest < 1;
}

bool ct_rest_is_right_way(ct_rest *rest, const double *q) {
    const ct_formulation *f = rest->f;
    ct_stage stage = ct_stage_begin();
    double *value = ct_scratch((size_t)f->n_guards + 1, sizeof *value);
    bool right = true;
    ct_position_set(f, &rest->numbers, q);
    ct_numbers_eval(&rest->numbers, f->n_guards, f->guards, value);
    for (int i = 0; i < f->n_guards; i++) right = right && value[i] > 0;
    ct_stage_end(stage);
    return right;
}

// time --------------------------------------------------------------------------------------------
// Time and inputs, whose rates are those of rest.
static void set_time(ct_rest *rest, double t) {
    const ct_model *m = rest->f->model;
    ct_stage stage = ct_stage_begin();
    double *u = ct_scratch(3 * (size_t)m->n_inputs + 1, sizeof *u);
    ct_numbers_set(&rest->numbers, 1, &m->time, &t);
    ct_signals_at(m, t, -INFINITY, INFINITY, u);
    for (int i = m->n_inputs; i < 3 * m->n_inputs; i++) u[i] = 0;
    ct_model_set_inputs(m, u, &rest->numbers);
    ct_stage_end(stage);
}

bool ct_rest_lead(ct_rest *rest, double time, double *q) {
    const size_t count = (size_t)ct_position_numbers(rest->f);
    ct_stage stage = ct_stage_begin();
    double *next = ct_scratch(count + 1, sizeof *next),
           *d = ct_scratch((size_t)rest->n + 1, sizeof *d), t = 0, share = 1;
    set_time(rest, 0);
    bool good = ct_rest_close(rest, q);
    for (int k = 0; good && t < 1 && k < CT_REST_LEADING; k++) {
        double to = fmin(t + share, 1);
        memcpy(next, q, count * sizeof *next);
        set_time(rest, to * time);
        bool closes = ct_rest_close(rest, next);
        ct_rest_difference(rest, q, next, d);
        bool near = closes && ct_largest(rest->n, d) < CT_REST_LED;
        // a shorter step, unless the motions jump here
        if (!near && share > CT_REST_LED_PART) {
            share /= 2;
            continue;
        }
        good = closes;
        memcpy(q, next, count * sizeof *next);
        ct_rest_follow_angles(rest, q);
        t = to;
        share *= 2;
    }
    set_time(rest, time);
    ct_stage_end(stage);
    return good && t == 1;
}
