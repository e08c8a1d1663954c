// The integrated state y = (q, q', work), or (q_i, q'_i, work) when the dependent coordinates are
// embedded, (q, q'_i, work) with rotations among them; its derivative; and taking a state as the current one. Trials live in space; the
// current state changes only in ctk_commit, so that a failure anywhere leaves it whole.
#include "ctk_internal.h"

ctk_status ctk_check_finite(ctk_sim *sim, const double *x) {
    for (int i = 0; i < sim->model->n; i++)
        if (!isfinite(x[i])) {
            sim->where = i;
            return CTK_NOT_FINITE;
        }
    return CTK_OK;
}

void ctk_outputs(const ctk_sim *sim, double *y) {
    const ctk_model *m = sim->model;
    m->outputs(sim->c, sim->t, sim->q, sim->qd, sim->u, y);
    if (m->reads_reactions) ctk_joint_forces_find(&sim->forces, sim);
    if (m->late_outputs)
        m->late_outputs(sim->c, sim->t, sim->q, sim->qd, sim->qdd, sim->u, sim->forces.y, y);
}

// Numbers of positions in y: all of them, or those of independent coordinates. A model with
// rotations has all: parts of a rotation are no coordinates that could be integrated by themselves.
static int positions_in(const ctk_sim *sim) {
    const ctk_model *m = sim->model;
    return ctk_embeds(sim) && !m->n_rotations ? m->n - m->m : ctk_positions(m);
}

// Coordinates whose rates are in y, or NULL: all of them.
const int *ctk_rate_coordinates(const ctk_sim *sim) {
    if (ctk_is_closed(sim)) return sim->model->closure->independent;
    return ctk_embeds(sim) ? sim->independent : NULL;
}

int ctk_state_coordinate(const ctk_sim *sim, int i) {
    const int *index = ctk_rate_coordinates(sim), work = (int)sim->state_size - 1;
    const int rates = ctk_rates(sim);
    const int first = work - rates, positions = first - ctk_state_rotations(sim);
    if (i < 0 || i == work || (i >= positions && i < first)) return -1;
    if (i >= first) return index ? index[i - first] : i - first;
    return index && positions == rates ? index[i] : i;
}

int ctk_state_is_parameter(const ctk_sim *sim, int i) {
    const int first = (int)sim->state_size - 1 - ctk_rates(sim), whole = ctk_state_rotations(sim);
    const int at = ctk_state_coordinate(sim, i);
    if (i < 0 || i >= first || at < 0) return i >= 0 && i < first;
    for (int k = 0; k < whole; k++) {
        const int n = ctk_is_closed(sim) ? sim->model->closure->rotations[k] : k;
        const int part = at - sim->model->rotations[n].at;
        if (part >= 0 && part < 3) return 1;
    }
    return 0;
}

// y = (a, b, e): positions or their rates, rates or accelerations, work or power; of b all entries or
// those of independent coordinates.
static void pack(const ctk_sim *sim, const double *a, const double *b, double e,
                 double *restrict y) {
    const int width = positions_in(sim), *own = sim->independent;
    const int rates = ctk_rates(sim);
    if (width < sim->model->n)
        for (int i = 0; i < width; i++) y[i] = a[own[i]];
    else
        ctk_copy(width, a, y);
    for (int i = 0; i < rates; i++) y[width + i] = b[ctk_embeds(sim) ? own[i] : i];
    y[width + rates] = e;
}

void ctk_state_get(const ctk_sim *sim, double *y) {
    if (ctk_is_closed(sim)) {
        ctk_copy((int)sim->state_size, sim->space.now, y);
        return;
    }
    pack(sim, sim->q, sim->qd, sim->work, y);
}

// y' at a state: the rates of positions, then accelerations and power.
static void pack_rate(const ctk_sim *sim, const double *q, const double *qd, const double *qdd,
                      double power, double *ydot) {
    double *rate = sim->space.turns; // free between closures
    if (sim->model->n_rotations) {
        ctk_position_rate(sim->model, q, qd, rate);
        qd = rate;
    }
    pack(sim, qd, qdd, power, ydot);
}

void ctk_current_rate(const ctk_sim *sim, double *ydot) {
    if (ctk_is_closed(sim)) {
        ctk_copy((int)sim->state_size, sim->space.now_rate, ydot);
        return;
    }
    pack_rate(sim, sim->q, sim->qd, sim->qdd, sim->power, ydot);
}

// All coordinates and velocities of y: copied, or the loops closed.
static ctk_status unpack(ctk_sim *sim, double t, const double *y) {
    ctk_space *s = &sim->space;
    const int width = positions_in(sim), *own = sim->independent;
    const int rates = ctk_rates(sim);
    if (width < sim->model->n)
        for (int i = 0; i < width; i++) s->q[own[i]] = y[i];
    else
        ctk_copy(width, y, s->q);
    for (int i = 0; i < rates; i++) s->qd[ctk_embeds(sim) ? own[i] : i] = y[width + i];
    if (!ctk_embeds(sim)) return CTK_OK;
    ctk_normalise(sim->model, s->q);
    ctk_status status = ctk_close_on_branch(sim, t, s->q);
    if (status == CTK_OK) ctk_closure_velocity(sim, t, sim->u, s->q, s->qd);
    return status;
}

typedef struct trial {
    ctk_sim *sim;
    double t;
} trial;

// Equations and accelerations of the state in space, for the efforts of friction as they stand.
static ctk_status accelerate(void *data) {
    const trial *x = data;
    const ctk_space *s = &x->sim->space;
    ctk_dynamics(x->sim, x->t, s->q, s->qd, x->sim->u);
    return ctk_accelerations(x->sim, x->t);
}

// Coordinates, rates, equations and accelerations at (t, y), into space.
static ctk_status evaluate(ctk_sim *sim, double t, const double *y) {
    ctk_space *s = &sim->space;
    // all coordinates and rates, under the inputs at t
    ctk_inputs_at(sim, t);
    ctk_status status = unpack(sim, t, y);
    trial x = {sim, t};
    if (status == CTK_OK && ctk_efforts(sim->model))
        status = ctk_friction_at(sim, t, s->q, s->qd, s->qdd, accelerate, &x);
    if (status) return status;
    // M, F, Phi, Phi_q, gamma there; accelerations by the method
    sim->evaluations++;
    status = accelerate(&x);
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
    if (status == CTK_OK)
        pack_rate(sim, sim->space.q, sim->space.qd, sim->space.qdd, sim->space.power, ydot);
    return status;
}

void ctk_equations(ctk_sim *sim, double t, const double *q, const double *qd) {
    ctk_inputs_at(sim, t);
    sim->evaluations++;
    ctk_dynamics(sim, t, q, qd, sim->u);
}

// The state in space becomes the current one.
void ctk_commit(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n;
    sim->t = t;
    // state, inputs, and D and c for the next prediction
    ctk_normalise(sim->model, s->q);
    ctk_copy(ctk_positions(sim->model), s->q, sim->q);
    ctk_copy(n, s->qd, sim->qd);
    ctk_copy(n, s->qdd, sim->qdd);
    if (ctk_is_implicit(sim->options.integrator)) ctk_implicit_keep(sim);
    ctk_inputs_keep(sim);
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
    if (status) return status;
    ctk_rows_complete(sim, t, sim->space.q, sim->space.qd, sim->u);
    status = ctk_rows_watch(sim);
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
    if (ctk_follows(sim->model)) ctk_follow_angles(sim);
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
    if (status) ctk_inputs_at(sim, sim->t);
    if (status && ctk_is_closed(sim) && ctk_is_driven(sim)) {
        changed = 1;
        status = ctk_driven_pieces(sim, t, status);
    } else if (ctk_may_cross_limit(sim, status) && ctk_cross_limit(sim) == CTK_OK) {
        changed = 1;
        status = CTK_OK;
    } else if (status == CTK_OK && ctk_leave_loose(sim)) {
        changed = 1;
    } else if (sim->crossing_limit && status == CTK_OK) {
        changed |= ctk_cross_limit_finish(sim, ahead);
    } else if (sim->crossing_limit) {
        status = ctk_cross_limit_blame(sim, status);
    }
    if (reselected) *reselected = changed;
    return status;
}
