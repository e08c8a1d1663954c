// Loop closure from one state to another on the same branch: predict, correct, and where the
// correction is not beyond doubt, follow the branch in smaller pieces. The path is the straight
// line in (t, q_i, u) from the current state to the requested one. The work is bounded.
#include "ctk_internal.h"

static const double SHORTEST = 1.0 / 64;    // of the path, in one piece
static const double LOST = 0.5, GOOD = 0.4; // see still_regular
enum { ATTEMPTS = 160 };

static double larger(double a, double b) {
    return a > b ? a : b;
}

// Moves the dependent coordinates of q, which stand where those of `from` do, by changes [m] in
// space.step. Dependent parts of rotations that are integrated stay as they are.
static void change_dependent(const ctk_sim *sim, const double *from, double *q) {
    const ctk_model *model = sim->model;
    double *change = sim->space.step;
    for (int k = 0; k < model->m; k++) {
        const int d = sim->dependent[k];
        if (model->n_rotations && ctk_is_integrated(sim, d))
            change[k] = 0;
        else
            q[d] = from[d];
    }
    for (int i = 0; i < model->n_rotations; i++)
        if (!ctk_is_integrated(sim, model->rotations[i].at)) q[model->n + i] = from[model->n + i];
    ctk_move_dependent(sim, change, q);
}

// Predicts q_d from the current state, with the second order that constraints impose:
//   q_d = q_d0 + q'_d dt + D (dq_i - q'_i dt) + c dt^2 / 2,   error O(dt^3) whatever the forces.
// Returns the largest change in units; no bound is known if inputs were written.
static double predict(const ctk_sim *sim, double t, double *q) {
    const ctk_space *s = &sim->space;
    const int m = sim->model->m, r = sim->model->n - m;
    const double dt = t - sim->t;
    double motion = 0;
    // change of the independent coordinates
    ctk_difference(sim->model, sim->q, q, s->moved);
    for (int j = 0; j < r; j++) {
        int i = sim->independent[j];
        motion = larger(motion, fabs(s->moved[i]) / ctk_unit(sim, i));
    }
    // dependent ones by the formula above
    for (int k = 0; k < m; k++) {
        int d = sim->dependent[k];
        const double *row = s->base_tangent + (size_t)k * r;
        double change = dt * (sim->qd[d] + 0.5 * dt * s->base_bias[k]);
        for (int j = 0; j < r; j++) {
            int i = sim->independent[j];
            change += row[j] * (s->moved[i] - dt * sim->qd[i]);
        }
        s->step[k] = change;
        motion = larger(motion, fabs(change) / ctk_unit(sim, d));
    }
    change_dependent(sim, sim->q, q);
    return ctk_inputs_jump(sim) ? DBL_MAX : motion;
}

// From a point on the path: q_d += D dq_i + e dt. Returns the largest change, as predict does.
static double predict_piece(const ctk_sim *sim, double dt, double *q) {
    const ctk_space *s = &sim->space;
    const int m = sim->model->m, r = sim->model->n - m;
    double motion = 0;
    ctk_difference(sim->model, s->path_q, q, s->moved);
    for (int j = 0; j < r; j++) {
        int i = sim->independent[j];
        motion = larger(motion, fabs(s->moved[i]) / ctk_unit(sim, i));
    }
    for (int k = 0; k < m; k++) {
        const double *row = s->path_tangent + (size_t)k * r;
        double change = dt * s->path_drift[k];
        for (int j = 0; j < r; j++) change += row[j] * s->moved[sim->independent[j]];
        s->step[k] = change;
        motion = larger(motion, fabs(change) / ctk_unit(sim, sim->dependent[k]));
    }
    change_dependent(sim, s->path_q, q);
    return ctk_inputs_jump(sim) ? DBL_MAX : motion;
}

// The path from the current state to the independent coordinates in q: its start, D and drift e.
static void start_path(ctk_sim *sim, const double *q) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, r = n - m;
    ctk_copy(ctk_positions(sim->model), q, s->goal);
    ctk_copy(ctk_positions(sim->model), sim->q, s->path_q);
    ctk_copy(m * r, s->base_tangent, s->path_tangent);
    for (int k = 0; k < m; k++) { // e = q'_d - D q'_i
        double e = sim->qd[sim->dependent[k]];
        for (int j = 0; j < r; j++) e -= s->path_tangent[k * r + j] * sim->qd[sim->independent[j]];
        s->path_drift[k] = e;
    }
}

// The point at fraction `at` of the path, its dependent coordinates still open. Rotations turn about
// one axis all the way.
static void point_on_path(const ctk_sim *sim, double at, double *q) {
    const ctk_space *s = &sim->space;
    ctk_copy(ctk_positions(sim->model), at < 1 ? sim->q : s->goal, q);
    if (at < 1) {
        ctk_difference(sim->model, sim->q, s->goal, s->turns);
        ctk_move(sim->model, at, s->turns, q);
    }
    for (int j = 0; j < ctk_input_numbers(sim->model); j++)
        s->path_u[j] = at < 1 ? s->base_u[j] + at * (sim->u[j] - s->base_u[j]) : sim->u[j];
}

// A point that was reached: D and e = -Phi_d^-1 Phi_t there.
static void move_path(ctk_sim *sim, double t, const double *q) {
    ctk_space *s = &sim->space;
    ctk_copy(ctk_positions(sim->model), q, s->path_q);
    ctk_velocity(sim, t, q, s->path_u);
    ctk_closure_tangent(sim, s->path_tangent);
    ctk_closure_solve(sim, -1, s->phi_t, s->path_drift);
}

// Closes the loops at the end of the path, piece by piece.
static ctk_status follow(ctk_sim *sim, double t, double *q) {
    const double t0 = sim->t;
    // share of the path that is done, and the share to try next
    double at = 0, piece = 0.5;
    start_path(sim, q);
    // pieces of the path: half as long after a failure, twice after a success
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        double next = at + piece, now = next < 1 ? t0 + next * (t - t0) : t;
        double before = at > 0 ? t0 + at * (t - t0) : t0;
        // predict along the tangent, then correct
        point_on_path(sim, next, q);
        double motion = predict_piece(sim, now - before, q);
        ctk_status status = ctk_closure_correct(sim, now, sim->space.path_u, q, motion);
        if (status == CTK_OK && next >= 1) return CTK_OK;
        // tangent of the point that was reached
        if (status == CTK_OK) {
            move_path(sim, now, q);
            at = next;
            if (at + 2 * piece <= 1) piece *= 2;
        } else {
            piece /= 2;
            if (piece < SHORTEST) return status;
        }
    }
    return CTK_NO_CONVERGENCE;
}

// A step that takes half of the regularity of Phi_d is about as long as the way to the singular
// position. The loops still close, but D = -Phi_d^-1 Phi_i varies too fast for an integrator: the
// motion would be reflected there, on the right branch, in the wrong direction. Harmless while the
// columns are far from dependent, and when there is nothing to integrate.
static ctk_status still_regular(ctk_sim *sim) {
    if (sim->model->n == sim->model->m) return CTK_OK;
    ctk_closure_regularity(sim);
    if (sim->space.regularity >= fmin(LOST * sim->quality, GOOD)) return CTK_OK;
    sim->where = sim->rows[sim->space.rank.row];
    return CTK_SINGULAR_CLOSURE;
}

// Dependent coordinates of q at time t, from the independent ones in it.
ctk_status ctk_close_on_branch(ctk_sim *sim, double t, double *q) {
    if (sim->model->m == 0) return CTK_OK;
    // independent coordinates must be numbers
    for (int j = 0; j < sim->model->n - sim->model->m; j++)
        if (!isfinite(q[sim->independent[j]])) {
            sim->where = sim->independent[j];
            return CTK_NOT_FINITE;
        }
    // predict and correct in one piece, or piece by piece; then far from singular
    double motion = predict(sim, t, q);
    ctk_status status = ctk_closure_correct(sim, t, sim->u, q, motion);
    if (status) status = follow(sim, t, q);
    return status ? status : still_regular(sim);
}
