// How far a run is off, by the estimated errors of its steps and by its energy, and what follows:
// a warning, a failure, or the whole run once more by cvode where nobody named the integrator. The
// rows of such a run wait until rk4 has proved to be good enough.
#include "run/run.h"
#include "run/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REASON = 400 }; // bytes of a sentence

// errors -----------------------------------------------------------------------------------------
double ct_runner_local_error(const ct_runner *r, const char **coordinate) {
    int where = -1;
    const char *name = r->error_of;
    double error = r->error, now = r->plan.cvode ? 0 : ctk_local_error(&r->sim, &where, NULL);
    if (now > error) {
        error = now;
        name = where >= 0 ? r->code.model->coordinate_names[where] : NULL;
    }
    if (coordinate) *coordinate = name ? name : "the work of forces";
    return error;
}

double ct_runner_energy_error(const ct_runner *r) {
    double rounding = 64 * DBL_EPSILON * (fabs(r->potential0) + r->exchanged);
    bool known = r->started && r->steps > 0 && !r->kept.does_work;
    bool moves = r->exchanged > r->still && r->exchanged > rounding && r->drift > rounding;
    return known && moves ? r->drift / r->exchanged : 0;
}

double ct_runner_mass(const ct_system *s) {
    double mass = 0;
    for (int i = 1; i < s->model->n_bodies; i++)
        mass += ct_model_number(s->model, s->model->bodies[i].mass);
    return mass;
}

// Keeps the time t from which on something holds, NaN while it does not.
static void since(bool holds, double t, double *from) {
    if (!holds)
        *from = NAN;
    else if (isnan(*from))
        *from = t;
}

void ct_runner_balance(ct_runner *r, double kinetic, double potential) {
    // the way of each coordinate
    const double *restrict q = r->sim.q;
    double *restrict low = r->low, *restrict high = r->high;
    const int n = r->code.model->n;
    for (int j = 0; j < n; j++) {
        low[j] = q[j] < low[j] ? q[j] : low[j];
        high[j] = q[j] > high[j] ? q[j] : high[j];
    }
    // ways of length 0, energies at the start, and what the mechanism has at rest
    if (!r->started) {
        memcpy(low, q, (size_t)n * sizeof *low);
        memcpy(high, q, (size_t)n * sizeof *high);
        double speed =
            r->plan.time > 0 ? CT_RUN_STILL * ct_typical_length(r->s->model) / r->plan.time : 0;
        r->still = ct_runner_mass(r->s) * speed * speed;
        r->energy0 = kinetic + potential;
        r->potential0 = potential;
        r->energy_t = r->error_t = NAN;
    }
    // T + V - (T0 + V0) - work, and the energy exchanged, which it is compared with
    double off = fabs(kinetic + potential - r->energy0 - r->sim.work);
    double exchanged = kinetic + fabs(potential - r->potential0);
    if (off > r->drift) r->drift = off;
    if (exchanged > r->exchanged) r->exchanged = exchanged;
    // the times from which on it is off, and steps are too long, which none is without a doubt
    since(r->drift > CT_RUN_ENERGY_OFF * r->exchanged, r->sim.t, &r->energy_t);
    if (r->plan.cvode || r->sim.space.is_doubtful || !isnan(r->error_t))
        since(ct_runner_local_error(r, NULL) > CT_RUN_LOCAL_ERROR, r->sim.t, &r->error_t);
}

// What the errors of all fixed steps may add up to, in parts of the way of a coordinate; 0 where
// something better tells: for rk4, whose estimate is that of a formula of lower order, the balance
// of energies.
static double way_error(const ct_runner *r, int *where) {
    const ctk_model *m = r->code.model;
    const bool careful = r->plan.kernel.integrator == CTK_RK4;
    double longest = 0, largest = 0;
    *where = -1;
    if (r->plan.cvode || !r->started || (careful && !r->kept.does_work)) return 0;
    for (int j = 0; j < m->n; j++)
        longest = fmax(longest, (r->high[j] - r->low[j]) / (m->units ? m->units[j] : 1));
    for (int j = 0; j < m->n; j++) {
        double least = fmax(CT_RUN_SHORT * longest, CT_RUN_STILL) * (m->units ? m->units[j] : 1);
        double error = r->sim.space.sum_error[j] / fmax(r->high[j] - r->low[j], least);
        if (!(error > largest)) continue;
        largest = error;
        *where = j;
    }
    return largest;
}

// Above 1 it is said.
static double way_off(const ct_runner *r) {
    int where;
    const bool careful = r->plan.kernel.integrator == CTK_RK4;
    return way_error(r, &where) / (careful ? CT_RUN_WAY_CHOSEN : CT_RUN_WAY_OFF);
}

bool ct_runner_is_coarse(const ct_runner *r) {
    return ct_runner_local_error(r, NULL) > CT_RUN_LOCAL_ERROR ||
           ct_runner_energy_error(r) > CT_RUN_ENERGY_CHOSEN || way_off(r) > 1;
}

bool ct_runner_is_lost(const ct_runner *r) {
    return !r->plan.cvode && (ct_runner_local_error(r, NULL) > CT_RUN_ERROR_LOST ||
                              ct_runner_energy_error(r) > CT_RUN_ENERGY_LOST);
}

// Drift of the energy, relative to the energy that was exchanged; 0 for a mechanism at rest, whose
// energy changes by rounding alone.
static double drift(const ct_runner *r) {
    double rounding = 64 * DBL_EPSILON * fabs(r->potential0);
    return r->exchanged > fmax(rounding, r->still) ? r->drift / r->exchanged : 0;
}

void ct_runner_summarise(const ct_runner *r, bool interrupted, ct_run_summary *summary) {
    *summary = (ct_run_summary){.time = r->sim.t,
                                .steps = r->steps,
                                .seconds = r->seconds,
                                .max_residual = r->sim.max_residual,
                                .energy_drift = drift(r),
                                .local_error = ct_runner_local_error(r, NULL),
                                .method = r->plan.method_name,
                                .integrator = r->plan.integrator_name,
                                .limits = r->sim.limits_crossed,
                                .branch_changes = r->sim.branch_changes,
                                .iterations = NAN,
                                .most_iterations = r->sim.most_corrections,
                                .unconverged = r->sim.unconverged,
                                .interrupted = interrupted};
    if (ct_plan_is_implicit(&r->plan))
        summary->iterations = (double)r->sim.corrections / fmax((double)r->steps, 1);
    if (r->kept.does_work) summary->energy_drift = NAN;
    ct_events_summarise(r, summary);
    if (r->reactions) ct_reactions_summarise(r, summary);
}

// what is said -----------------------------------------------------------------------------------
// Order by which the estimate of a fixed step falls with its length.
static int order_of_estimate(ctk_integrator integrator) {
#define X(enumerator, name, order, stages, past) order,
    static const int orders[] = {CTK_INTEGRATORS(X)};
#undef X
    return integrator == CTK_RK4 ? orders[integrator] - 1 : orders[integrator];
}

// A step that may do, in seconds; errors near 1 and above tell no more than that it must be shorter.
static double better_step(const ct_runner *r) {
    double error = fmax(fmin(ct_runner_local_error(r, NULL), 1) / CT_RUN_LOCAL_ERROR,
                        fmin(ct_runner_energy_error(r), 1) / CT_RUN_ENERGY_CHOSEN);
    error = fmax(error, way_off(r));
    int order = order_of_estimate(r->plan.kernel.integrator);
    double h = r->plan.step * pow(fmax(error, 2), -1.0 / order);
    double ten = pow(10, floor(log10(h))), digit = h / ten;
    return ten * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

// "at t = 0.1 the step of 0.001 s is too long for rk4 ...": by the error of a step if that is above
// its limit, else by the energy.
static void reason(const ct_runner *r, char *text) {
    const char *coordinate, *name = r->plan.integrator_name;
    int where;
    double error = ct_runner_local_error(r, &coordinate), energy = ct_runner_energy_error(r);
    double way = way_error(r, &where);
    double t = isnan(r->error_t) ? r->sim.t : r->error_t;
    double energy_t = isnan(r->energy_t) ? r->sim.t : r->energy_t;
    // the error of a step; of all steps
    if (error > CT_RUN_LOCAL_ERROR && r->plan.cvode)
        snprintf(text, REASON,
                 "at t = %.9g the tolerance of %g is too large: a step has an error of about %.2g "
                 "in '%s'",
                 t, r->plan.rtol, error, coordinate);
    else if (error > CT_RUN_LOCAL_ERROR)
        snprintf(text, REASON,
                 "at t = %.9g the step of %g s is too long for %s: it has an error of %s %.2g in "
                 "'%s'",
                 t, r->plan.step, name, error > 1 ? "more than" : "about", fmin(error, 1),
                 coordinate);
    else if (way_off(r) > 1)
        snprintf(text, REASON,
                 "at t = %.9g the steps of %g s are too long for %s: their errors add up to about "
                 "%.2g of the way of '%s'",
                 r->sim.t, r->plan.step, name, way, r->code.model->coordinate_names[where]);
    // the energy
    else if (r->plan.cvode)
        snprintf(text, REASON, "at t = %.9g the energy is off by %.2g with a tolerance of %g",
                 energy_t, energy, r->plan.rtol);
    else
        snprintf(text, REASON,
                 "at t = %.9g the energy is off by %.2g: the step of %g s is too long for %s",
                 energy_t, energy, r->plan.step, name);
}

// What to do about it.
static void remedy(const ct_runner *r, char *text) {
    if (r->plan.cvode)
        snprintf(text, REASON, "try a smaller --rtol");
    else
        snprintf(text, REASON, "try --step %g%s", better_step(r),
                 ct_plan_is_implicit(&r->plan) ? "" : ", or --integrator cvode");
}

ct_status ct_runner_say_long(ct_runner *r) {
    char why[REASON], what[REASON];
    remedy(r, what);
    if (!ct_runner_is_coarse(r))
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g the step of %g s is too long for these forces: %s", r->sim.t,
                       r->plan.step, what);
    reason(r, why);
    return ct_fail(r->ctx, CT_NUMERICS, "%s; %s", why, what);
}

ct_status ct_runner_judge(ct_runner *r, bool interrupted) {
    char why[REASON], what[REASON];
    double error = ct_runner_local_error(r, NULL), energy = ct_runner_energy_error(r);
    if (!(error > CT_RUN_LOCAL_ERROR) && !(energy > CT_RUN_ENERGY_OFF) && !(way_off(r) > 1))
        return CT_OK;
    reason(r, why);
    remedy(r, what);
    if (!interrupted && (error > CT_RUN_ERROR_WORTHLESS || energy > CT_RUN_ENERGY_WORTHLESS))
        return ct_fail(r->ctx, CT_NUMERICS, "%s, and the results are worthless; %s", why, what);
    ct_warning_at(r->ctx, (ct_place){0, 0}, "%s; %s", why, what);
    return CT_OK;
}

// the choice -------------------------------------------------------------------------------------
void ct_rows_add(ct_rows *rows, const double *row) {
    if (rows->n == rows->room) {
        rows->room = rows->room ? 2 * rows->room : 64;
        rows->value = ct_realloc(rows->value, rows->room, rows->width * sizeof *rows->value);
    }
    memcpy(rows->value + rows->width * rows->n++, row, rows->width * sizeof *row);
}

bool ct_runner_waits_long(const ct_runner *r) {
    return r->waits && (double)r->waiting.n * (double)r->waiting.width > CT_RUN_MOST_WAITING;
}

// Hands rows over to the caller.
static ct_status pass_all(ct_runner *r, const ct_rows *rows) {
    ct_status status = CT_OK;
    for (size_t i = 0; i < rows->n && !status; i++)
        status = ct_runner_pass_on(r, rows->value + rows->width * i);
    return status;
}

ct_status ct_runner_release(ct_runner *r) {
    ct_status status = pass_all(r, &r->waiting);
    r->waits = r->plan.automatic = false;
    r->waiting.n = 0;
    return status;
}

bool ct_runner_needs_cvode(const ct_runner *r, ct_status status) {
    if (!r->plan.automatic || !r->waits || !r->started) return false;
    if (status && status != CT_NUMERICS) return false;
    return ct_runner_is_coarse(r) || (status && r->by_step);
}

// Puts the run by rk4 aside, of some use if it reached its end, and starts anew by cvode.
static ct_status take_cvode(ct_runner *r, ct_rows *aside) {
    char why[REASON];
    if (ct_runner_is_coarse(r))
        reason(r, why);
    else
        snprintf(why, sizeof why, "at t = %.9g the step of %g s is too long for %s", r->sim.t,
                 r->plan.step, r->plan.integrator_name);
    *aside = r->waiting;
    r->waiting = (ct_rows){.width = aside->width};
    // messages of the run that does not count go; why it does not
    ct_messages_back(r->ctx, &r->said);
    ct_note_at(r->ctx, (ct_place){0, 0}, "%s; the whole run is by cvode, in steps of its own", why);
    // from the start again
    r->plan.cvode = true;
    r->plan.integrator_name = "cvode";
    return ct_runner_start(r);
}

ct_status ct_runner_choose_cvode(ct_runner *r, ct_status status, ct_integrate *integrate,
                                 bool *interrupted, ct_run_summary *summary) {
    char why[REASON];
    ct_rows aside;
    ct_run_summary first;
    const double shorter = better_step(r);
    // the run by rk4 is of use if it reached its end and is not lost
    const bool useful = !status && !ct_runner_is_lost(r);
    ct_runner_summarise(r, false, &first);
    reason(r, why);
    // the whole run by cvode; its rows wait as well where rk4 might have to stand in
    status = take_cvode(r, &aside);
    if (!status && !useful) status = ct_runner_release(r);
    if (!status) status = integrate(r, interrupted);
    if (!status) status = ct_runner_judge(r, *interrupted);
    if (status == CT_NUMERICS && useful && r->waits) {
        ct_messages_back(r->ctx, &r->said);
        ct_warning_at(r->ctx, (ct_place){0, 0},
                      "%s; cvode does not get past t = %.9g, so that rk4 stands; try --step %g, or "
                      "smooth what jumps in the forces",
                      why, r->sim.t, shorter);
        *summary = first;
        status = pass_all(r, &aside);
    } else {
        if (!status) ct_runner_summarise(r, *interrupted, summary);
        ct_status passed = !status || status == CT_NUMERICS ? ct_runner_release(r) : CT_OK;
        status = status ? status : passed;
    }
    ct_free(aside.value);
    return status;
}
