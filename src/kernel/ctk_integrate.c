// Fixed-step explicit integrators on y' = f(t, y). The derivative at the current state is kept from
// the step before, so a Runge-Kutta step of s stages costs s evaluations, the one at its end
// included.
#include "ctk_internal.h"

// out = f(t + a h, y + a h k)
static ctk_status stage(ctk_sim *sim, double h, double a, const double *restrict k, double *out) {
    ctk_space *s = &sim->space;
    for (size_t i = 0; i < sim->state_size; i++) s->trial[i] = s->y[i] + a * h * k[i];
    if (ctk_is_closed(sim)) return ctk_closed_derivative(sim, sim->t + a * h, s->trial, out);
    return ctk_state_derivative(sim, sim->t + a * h, s->trial, out);
}

static ctk_status runge_kutta4(ctk_sim *sim, double h) {
    ctk_space *s = &sim->space;
    double *k1 = s->rate[0], *k2 = s->rate[1], *k3 = s->rate[2], *k4 = s->rate[3];
    ctk_status status = stage(sim, h, 0.5, k1, k2);
    if (status == CTK_OK) status = stage(sim, h, 0.5, k2, k3);
    if (status == CTK_OK) status = stage(sim, h, 1, k3, k4);
    if (status == CTK_OK)
        for (size_t i = 0; i < sim->state_size; i++)
            s->y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return status;
}

static ctk_status midpoint(ctk_sim *sim, double h) {
    ctk_space *s = &sim->space;
    ctk_status status = stage(sim, h, 0.5, s->rate[0], s->rate[1]);
    if (status == CTK_OK)
        for (size_t i = 0; i < sim->state_size; i++) s->y[i] += h * s->rate[1][i];
    return status;
}

// y += h / 24 (55 f - 59 f1 + 37 f2 - 9 f3); Runge-Kutta until three past derivatives are known.
static ctk_status adams_bashforth4(ctk_sim *sim, double h) {
    ctk_space *s = &sim->space;
    const double *f = s->rate[0], *f1 = s->past[0], *f2 = s->past[1], *f3 = s->past[2];
    if (sim->history > 0 && !(fabs(h - sim->step) <= 1e-9 * fabs(h))) sim->history = 0;
    if (sim->history < 3) return runge_kutta4(sim, h);
    for (size_t i = 0; i < sim->state_size; i++)
        s->y[i] += h / 24 * (55 * f[i] - 59 * f1[i] + 37 * f2[i] - 9 * f3[i]);
    return CTK_OK;
}

// Shifts the derivatives of past steps by one; after a change of coordinates there are none.
static void remember(ctk_sim *sim, double h, int reselected) {
    ctk_space *s = &sim->space;
    double *oldest = s->past[2];
    s->past[2] = s->past[1];
    s->past[1] = s->past[0];
    s->past[0] = s->rate[0];
    s->rate[0] = oldest;
    sim->history = reselected ? 0 : sim->history < 3 ? sim->history + 1 : 3;
    sim->step = h;
}

// One step of length h; what happens at limit positions is left to ctk_step. ahead: see ctk_take.
ctk_status ctk_attempt(ctk_sim *sim, double h, double ahead) {
    ctk_space *s = &sim->space;
    ctk_status status = CTK_OK;
    int reselected = 0;
    // y and y' of the current state
    ctk_state_get(sim, s->y);
    ctk_current_rate(sim, s->rate[0]);
    s->in_step = 1;
    s->stage_t = NAN;
    // y at t + h
    switch (sim->options.integrator) {
    case CTK_EULER:
        for (size_t i = 0; i < sim->state_size; i++) s->y[i] += h * s->rate[0][i];
        break;
    case CTK_RK2: status = midpoint(sim, h); break;
    case CTK_RK4: status = runge_kutta4(sim, h); break;
    case CTK_AB4: status = adams_bashforth4(sim, h); break;
    default: status = CTK_BAD_OPTION;
    }
    // the loops closed there, with accelerations
    if (status == CTK_OK) status = ctk_take(sim, sim->t + h, s->y, ahead, NULL);
    s->in_step = 0;
    if (status) {
        ctk_inputs_at(sim, sim->t);
        return status;
    }
    // the error of this step, in its own coordinates; then perhaps others
    ctk_note_error(sim, h);
    if (!ctk_is_closed(sim)) reselected = ctk_partition_update(sim);
    if (ctk_is_multistep(sim->options.integrator)) remember(sim, h, reselected);
    return CTK_OK;
}

// The current state under inputs or forces that differ from those it was found with.
ctk_status ctk_renew(ctk_sim *sim) {
    int reselected = 0;
    ctk_state_get(sim, sim->space.y);
    ctk_status status = ctk_take(sim, sim->t, sim->space.y, CTK_FIXED_AHEAD, &reselected);
    if (reselected || ctk_is_implicit(sim->options.integrator)) sim->history = 0;
    return status;
}

// A step without a closure; tried once more with other rows, by partition other coordinates.
static ctk_status step_all(ctk_sim *sim, double h) {
    const int implicit = ctk_is_implicit(sim->options.integrator);
    ctk_status status = implicit ? ctk_implicit_step(sim, h) : ctk_attempt(sim, h, CTK_FIXED_AHEAD);
    if (status == CTK_OK || status == CTK_NOT_FINITE || status == CTK_OPEN) return status;
    int where = sim->where;
    if (!ctk_partition_retry(sim)) {
        sim->where = where;
        return status;
    }
    sim->history = 0;
    return implicit ? ctk_implicit_step(sim, h) : ctk_attempt(sim, h, CTK_FIXED_AHEAD);
}

ctk_status ctk_inputs_changed(ctk_sim *sim) {
    sim->history = 0;
    ctk_inputs_at(sim, sim->t);
    return ctk_same_inputs(sim) ? CTK_OK : ctk_renew(sim);
}

// A step from a state whose derivative is known.
static ctk_status step(ctk_sim *sim, double h) {
    ctk_status status;
    const double ahead = sim->options.cross_limits ? CTK_FIXED_CROSSING : CTK_FIXED_AHEAD;
    // a driven motion: one step, or pieces of it
    if (ctk_is_closed(sim) && ctk_is_driven(sim)) {
        if (sim->space.is_held) return ctk_driven_step(sim, sim->t + h);
        status = ctk_attempt(sim, h, ahead);
        if (status) sim->history = 0;
        return status ? ctk_driven_pieces(sim, sim->t + h, status) : CTK_OK;
    }
    // a closure: one step; if that fails partition across the limit position, or substeps where
    // limit positions are not crossed; code for the closure alone ends here
    if (ctk_is_closed(sim) && !ctk_leave_loose(sim)) {
        status = sim->space.piece < 1 ? CTK_NO_SOLUTION : ctk_attempt(sim, h, ahead);
        if (status == CTK_OK || ctk_must_stop(sim, status)) return status;
        if (!ctk_may_cross_limit(sim, status)) return ctk_substep(sim, h, status);
        int where = sim->where;
        if (ctk_cross_limit(sim)) {
            sim->where = where;
            return status;
        }
    }
    // any other method; after a crossing, back to the closure where it is regular
    status = step_all(sim, h);
    if (!sim->crossing_limit) return status;
    if (status) return ctk_cross_limit_blame(sim, status);
    ctk_cross_limit_finish(sim, CTK_FIXED_CROSSING);
    return CTK_OK;
}

// One step in which no rate of a motion jumps.
ctk_status ctk_smooth_step(ctk_sim *sim, double h) {
    // the derivative under the inputs of this step
    ctk_inputs_begin(sim);
    ctk_status status = ctk_same_inputs(sim) ? CTK_OK : ctk_renew(sim);
    if (status == CTK_OK) status = step(sim, h);
    ctk_inputs_end(sim, status);
    return status;
}

ctk_status ctk_step(ctk_sim *sim, double h) {
    if (!isfinite(h)) return CTK_BAD_OPTION;
    return sim->model->n_kinks ? ctk_kinks_step(sim, h) : ctk_smooth_step(sim, h);
}
