// What adaptive integrators share: weights of errors, jumps, and the watch over their progress.
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>

double ct_energy_unit(const ct_runner *r) {
    double mass = ct_runner_mass(r->s);
    return mass > 0 ? mass * r->kept.length * r->kept.length : 1;
}

void ct_state_weights(const ct_runner *r, double energy_unit, const double *value, double *w) {
    const ctk_sim *sim = &r->sim;
    const ct_kept_run *kept = &r->kept;
    const int work = (int)sim->state_size - 1;
    const double rtol = r->plan.rtol, atol = r->plan.atol;
    // coordinates, first parameters of rotations, then rates; the work last
    for (int i = 0; i < work; i++) {
        int k = ctk_state_coordinate(sim, i);
        w[i] = 1 / (rtol * fabs(value[i]) + atol * (k < 0 ? 1 : kept->units[k]));
    }
    // parameters of whole rotations by twice their error, the angle that is off, where tolerances are so
    // small that errors of many steps count
    if (sim->model->n_rotations && rtol <= CT_RUN_ADAMS)
        for (int i = 0; i < work; i++)
            if (ctk_state_is_parameter(sim, i)) w[i] *= 2;
    w[work] = 1 / (rtol * fabs(value[work]) + atol * energy_unit);
}

// progress ----------------------------------------------------------------------------------------
static bool is_slow(const ct_runner *r, ct_pace *p, double *gone) {
    if (++p->taken < CT_RUN_SLOW_STEPS) return false;
    *gone = r->sim.t - p->since;
    p->taken = 0;
    p->since = r->sim.t;
    double most = r->waits ? CT_RUN_SLOW_CHOSEN : CT_RUN_MOST_STEPS;
    return !(*gone > CT_RUN_SLOW_STEPS / most * r->plan.time);
}

static ct_status fail_to_progress(ct_runner *r, const char *hardest, double gone) {
    ct_status known = ct_runner_blame(r, false);
    if (known) return known;
    return ct_fail(r->ctx, CT_NUMERICS,
                   "at t = %.9g %s makes no progress because of '%s': its last %d steps took %.3g "
                   "s together; the motion may be discontinuous or singular there",
                   r->sim.t, r->plan.integrator_name, hardest, CT_RUN_SLOW_STEPS, gone);
}

// steps -------------------------------------------------------------------------------------------
// At `stop`, where the right side may jump: rates and accelerations behind it. *jumps: the solver must begin
// anew; a bend is left to its control of errors.
static ct_status pass_break(ct_runner *r, double stop, bool *jumps) {
    const double before = ct_breaks_before(r, stop);
    *jumps = false;
    if (r->sim.t < before) return CT_OK;
    ctk_status fresh = before < stop ? ctk_refresh(&r->sim) : CTK_OK;
    if (fresh) return ct_runner_fail(r, fresh);
    r->sim.t = stop;
    const unsigned kinds = ct_breaks_pass(r);
    *jumps = kinds != 0;
    return *jumps ? ct_events_pass(r, kinds) : CT_OK;
}

ct_status ct_adaptive_advance(ct_runner *r, double t_end, const ct_adaptive *a) {
    while (r->sim.t < t_end) {
        const double stop = ct_breaks_stop(r, t_end);
        double gone;
        bool jumps = false;
        // a step, then what jumps at its end
        ct_status status = a->step(a->solver, ct_breaks_before(r, stop));
        if (!status) status = pass_break(r, stop, &jumps);
        if (!status && jumps) status = a->start_anew(a->solver);
        if (!status && is_slow(r, a->pace, &gone))
            status = fail_to_progress(r, a->hardest(a->solver), gone);
        if (status) return status;
        // states between rows are looked at
        if (r->sim.t < t_end) {
            if (r->steps % 16 == 0) ct_runner_progress(r);
            ct_status look = ct_runner_look(r, CT_LOOK_BETWEEN);
            if (look || ct_runner_stopped(r)) return look;
        }
    }
    return CT_OK;
}
