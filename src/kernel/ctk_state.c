// The integrated state y = (q, q', work), or (q_i, q'_i, work) when the dependent coordinates are
// embedded; its derivative; and taking a state as the current one. Trials live in space; the
// current state changes only in ctk_commit, so that a failure anywhere leaves it whole.
#include "ctk_internal.h"

int ctk_same_inputs(const ctk_sim *sim) {
    for (int j = 0; j < sim->model->n_inputs; j++)
        if (!(sim->u[j] == sim->space.base_u[j])) return 0;
    return 1;
}

ctk_status ctk_check_finite(ctk_sim *sim, const double *x) {
    for (int i = 0; i < sim->model->n; i++)
        if (!isfinite(x[i])) {
            sim->where = i;
            return CTK_NOT_FINITE;
        }
    return CTK_OK;
}

// y = (a, b, e), of a and b all entries or those of independent coordinates.
static void pack(const ctk_sim *sim, const double *a, const double *b, double e,
                 double *restrict y) {
    const int n = sim->model->n, r = n - sim->model->m;
    if (ctk_embeds(sim)) {
        for (int i = 0; i < r; i++) {
            y[i] = a[sim->independent[i]];
            y[r + i] = b[sim->independent[i]];
        }
        y[2 * r] = e;
        return;
    }
    ctk_copy(n, a, y);
    ctk_copy(n, b, y + n);
    y[2 * n] = e;
}

void ctk_state_get(const ctk_sim *sim, double *y) {
    if (ctk_is_closed(sim)) {
        ctk_copy((int)sim->state_size, sim->space.now, y);
        return;
    }
    pack(sim, sim->q, sim->qd, sim->work, y);
}

void ctk_current_rate(const ctk_sim *sim, double *ydot) {
    if (ctk_is_closed(sim)) {
        ctk_copy((int)sim->state_size, sim->space.now_rate, ydot);
        return;
    }
    pack(sim, sim->qd, sim->qdd, sim->power, ydot);
}

// All coordinates and velocities of y: copied, or the loops closed.
static ctk_status unpack(ctk_sim *sim, double t, const double *y) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, r = n - sim->model->m;
    if (!ctk_embeds(sim)) {
        ctk_copy(n, y, s->q);
        ctk_copy(n, y + n, s->qd);
        return CTK_OK;
    }
    for (int i = 0; i < r; i++) {
        s->q[sim->independent[i]] = y[i];
        s->qd[sim->independent[i]] = y[r + i];
    }
    ctk_status status = ctk_close_on_branch(sim, t, s->q);
    if (status == CTK_OK) ctk_closure_velocity(sim, t, sim->u, s->q, s->qd);
    return status;
}

// Coordinates, rates, equations and accelerations at (t, y), into space.
static ctk_status evaluate(ctk_sim *sim, double t, const double *y) {
    ctk_space *s = &sim->space;
    // all coordinates and rates
    ctk_status status = unpack(sim, t, y);
    if (status) return status;
    // M, F, Phi, Phi_q, gamma there; accelerations by the method
    ctk_dynamics(sim, t, s->q, s->qd, sim->u);
    sim->evaluations++;
    status = ctk_accelerations(sim, t);
    // nothing is taken that is not finite
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
    if (status == CTK_OK && !isfinite(s->power)) {
        sim->where = -1;
        status = CTK_NOT_FINITE;
    }
    return status;
}

ctk_status ctk_state_derivative(ctk_sim *sim, double t, const double *y, double *ydot) {
    if (ctk_is_closed(sim)) {
        ctk_status closed = ctk_closed_derivative(sim, t, y, ydot);
        return closed ? closed : ctk_closed_finite(sim, y, ydot);
    }
    ctk_status status = evaluate(sim, t, y);
    if (status == CTK_OK) pack(sim, sim->space.qd, sim->space.qdd, sim->space.power, ydot);
    return status;
}

// The state in space becomes the current one.
void ctk_commit(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n;
    sim->t = t;
    // state, inputs, and D and c for the next prediction
    ctk_copy(n, s->q, sim->q);
    ctk_copy(n, s->qd, sim->qd);
    ctk_copy(n, s->qdd, sim->qdd);
    ctk_copy(sim->model->n_inputs, sim->u, s->base_u);
    ctk_swap(&s->tangent, &s->base_tangent);
    ctk_swap(&s->bias, &s->base_bias);
    if (ctk_embeds(sim)) ctk_closure_commit(sim);
    // residual
    if (sim->residual > sim->max_residual) sim->max_residual = sim->residual;
    sim->where = -1;
}

// Takes y at time t as the current state. ahead: number of steps of this length that the next limit
// position of a closure must be away. reselected NULL: the independent coordinates stay.
ctk_status ctk_take(ctk_sim *sim, double t, const double *y, double ahead, int *reselected) {
    const double work = y[sim->state_size - 1];
    if (reselected) *reselected = 0;
    if (ctk_is_closed(sim)) return ctk_closed_take(sim, t, y, ahead);
    // the trial at (t, y)
    ctk_status status = evaluate(sim, t, y);
    if (status == CTK_OK) status = ctk_check_finite(sim, sim->space.q);
    if (status == CTK_OK) status = ctk_rows_watch(sim, t, sim->space.q, sim->space.qd, sim->u);
    if (status) return status;
    if (!isfinite(work) || !isfinite(t)) {
        sim->where = -1;
        return CTK_NOT_FINITE;
    }
    if (ctk_embeds(sim)) ctk_closure_renew_regularity(sim);
    // it becomes the current state; rows, and by partition coordinates, may be chosen anew
    sim->work = work;
    sim->power = sim->space.power;
    ctk_commit(sim, t);
    if (reselected) *reselected = ctk_partition_update(sim);
    return CTK_OK;
}

ctk_status ctk_state_accept(ctk_sim *sim, double t, const double *y, int *reselected) {
    int changed = 0;
    sim->history = 0;
    const double ahead = sim->options.cross_limits ? CTK_ADAPTIVE_CROSSING : CTK_ADAPTIVE_AHEAD;
    // accept, go on in pieces, cross a limit position, return to the closure, or explain the
    // failure
    ctk_status status = ctk_take(sim, t, y, ahead, &changed);
    if (status && ctk_is_closed(sim) && ctk_is_driven(sim)) {
        changed = 1;
        status = ctk_driven_pieces(sim, t, status);
    } else if (ctk_may_cross_limit(sim, status) && ctk_cross_limit(sim) == CTK_OK) {
        changed = 1;
        status = CTK_OK;
    } else if (sim->crossing_limit && status == CTK_OK) {
        changed |= ctk_cross_limit_finish(sim, ahead);
    } else if (sim->crossing_limit) {
        status = ctk_cross_limit_blame(sim, status);
    }
    if (reselected) *reselected = changed;
    return status;
}
