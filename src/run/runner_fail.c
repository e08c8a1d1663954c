// Failures of a run: messages that say when, where, why, and what to try; and restarting with code
// for all methods at a limit position of the closure.
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_NAME = 400 };

// "step 'TEXT' at joint 'J'"
static const char *step_name(const ct_runner *r, int i, char *text) {
    const ctk_closure *k = r->code.model->closure;
    if (i < 0 || i >= k->n_steps)
        snprintf(text, STEP_NAME, "the closure");
    else if (k->step_joints[i][0])
        snprintf(text, STEP_NAME, "step '%s' at joint '%s'", k->step_names[i], k->step_joints[i]);
    else
        snprintf(text, STEP_NAME, "step '%s'", k->step_names[i]);
    return text;
}

// The ball of a step, in angles of a closure, whose middle angle is near their lock or comes near it
// within as many steps as a closure looks ahead; its name goes to text. Returns false if there is none.
static bool is_near_lock(const ct_runner *r, int step, char *text) {
    enum { AHEAD = 100 };
    const ctk_model *m = r->code.model;
    const ctk_sim *sim = &r->sim;
    if (!m->closure || step < 0 || step >= m->closure->n_steps) return false;
    for (int i = 0; i < m->n_rotations; i++) {
        const ctk_rotation *x = m->rotations + i;
        const double *angle = sim->q + m->n + m->n_rotations + 3 * i,
                     way = AHEAD * r->plan.step * fabs(sim->qd[m->n + 3 * i + 1]);
        bool whole = false;
        for (int k = 0; k < m->closure->n_rotations; k++)
            whole = whole || m->closure->rotations[k] == i;
        double clear = fabs(ctk_angles_proper(x->axis) ? sin(angle[1]) : cos(angle[1]));
        if (whole || !(clear - way < CT_RUN_NEAR_LOCK)) continue;
        // the name of its coordinates without ".e1"
        const char *name = m->coordinate_names[x->at], *end = strrchr(name, '.');
        snprintf(text, STEP_NAME, "%.*s", (int)(end - name), name);
        if (!strcmp(text, m->closure->step_joints[step])) return true;
    }
    return false;
}

// "the loop through 'A'", or "a loop" where the name is not known.
static void named(char *text, const char *without, const char *with, const char *name) {
    if (name)
        snprintf(text, STEP_NAME, "%s '%s'", with, name);
    else
        snprintf(text, STEP_NAME, "%s", without);
}

// A constraint row stands open. A redundant one is not solved, the others must imply it: where it
// opens although they are closed, it is not redundant. A closure can lose its accuracy; the methods
// without one let loops drift.
static ct_status fail_open(const ct_runner *r, double t) {
    const ctk_sim *sim = &r->sim;
    const ctk_model *m = r->code.model;
    // the row, and how far it is open
    int place = 0;
    while (sim->rows[place] != sim->where) place++;
    const char *name = m->constraint_names[sim->where];
    double gap = fabs(sim->space.phi[place]);
    bool drifts = !ct_plan_closes(&r->plan) && sim->options.method != CTK_NEWTON &&
                  sim->options.method != CTK_PARTITION && !ct_plan_is_implicit(&r->plan);
    // a row that is not solved
    if (place >= m->m)
        return ct_fail(
            r->ctx, CT_NUMERICS,
            "at t = %.9g the redundant constraint '%s' opened by %.3g: the mechanism has "
            "come to a position where it is not redundant%s",
            t, name, gap, drifts ? ", or the loops have drifted; try --method partition" : "");
    // loops that drift, or a closure without accuracy
    char steps[STEP_NAME];
    snprintf(steps, sizeof steps, "the step of %g s is", r->plan.step);
    if (r->plan.cvode)
        snprintf(steps, sizeof steps, "the steps of %s are", r->plan.integrator_name);
    if (drifts)
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g the constraint '%s' has drifted open by %.3g: %s too long for "
                       "these forces with method %s; try a shorter --step, or --method partition",
                       t, name, gap, steps, r->plan.method_name);
    return ct_fail(r->ctx, CT_NUMERICS,
                   "at t = %.9g the closure leaves '%s' open by %.3g: it has lost its accuracy "
                   "there; try --method partition",
                   t, name, gap);
}

// Friction by load: its force, its joint, and why there is no effort.
static ct_status fail_friction(const ct_runner *r, ctk_status status, double t) {
    const ct_model *model = r->s->model;
    const ct_force *force = NULL;
    for (int i = 0, k = 0; i < model->n_forces && !force; i++)
        if (ct_force_is_by_load(model->forces + i) && k++ == r->sim.where)
            force = model->forces + i;
    const char *name = force ? force->name : "",
               *joint =
                   force ? model->joints[model->coordinates[force->coordinate].joint].name : "";
    if (status == CTK_FRICTION_OPEN)
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g the load of joint '%s' is not unique, so friction '%s' has no "
                       "value: redundant constraints leave it open; free one of them (spherical, "
                       "inline) or use a bushing",
                       t, joint, name);
    return ct_fail(r->ctx, CT_NUMERICS,
                   "at t = %.9g friction '%s' in joint '%s' has no solution, or more than one: its "
                   "coefficient is too large for this load (the joint locks itself)",
                   t, name, joint);
}

// Adds the message for a failure of the kernel, and returns the status of the run.
ct_status ct_runner_fail(ct_runner *r, ctk_status status) {
    if (ct_runner_fails_by_values(r)) return CT_NUMERICS;
    const ctk_model *m = r->code.model;
    int where = r->sim.where;
    double t = r->started ? r->sim.t : 0;
    // names for the place: a constraint row, a coordinate, a step
    const int at = ctk_row_where(&r->sim);
    const char *row = at >= 0 && at < m->m + m->n_spare ? m->constraint_names[at] : NULL;
    const char *coordinate = where >= 0 && where < m->n ? m->coordinate_names[where] : NULL;
    // advice where loops do not close: another method, where there is one
    ctk_method method = r->plan.kernel.method;
    bool fixed = method == CTK_NEWTON || ct_plan_closes(&r->plan); // independent coordinates
    bool driven = m->m == m->n; // nothing is integrated, and partition has nothing to choose
    const char *advice = !fixed                 ? ""
                         : !driven              ? "; try --method partition"
                         : method == CTK_NEWTON ? "; try a smaller step"
                                                : "; try --method newton";
    char step[STEP_NAME];
    // advice where a step of the closure has no solution
    const char *more =
        !m->closure                      ? ""
        : m->closure->n_independent == 0 ? m->closure->n_carried ? "; try --method newton" : ""
        : r->sim.crossing_limit          ? "; try a shorter step or another independent coordinate"
                                         : "; try --method partition or another independent "
                                           "coordinate";
    char loop[STEP_NAME], moving[STEP_NAME];
    named(loop, "a loop", "the loop through", row);
    named(moving, "a coordinate", "coordinate", coordinate);
    // what the kernel cannot know comes first: an input without a value
    if (r->breaks.bad >= 0)
        return ct_fail(r->ctx, CT_NUMERICS, "at t = %.9g input '%s' is not a finite number",
                       r->breaks.bad_t, r->s->model->inputs[r->breaks.bad].name);
    const bool stiff = status == CTK_NO_STEP && method == CTK_RECURSIVE;
    bool numerics = status != CTK_BAD_OPTION && status != CTK_CLOSURE_ONLY && !stiff;
    ct_status known = numerics ? ct_runner_blame(r, false) : CT_OK;
    if (known) return known;
    // before the first step is made, nothing speaks for its length
    r->by_step = status == CTK_NOT_FINITE || status == CTK_JUMPED ||
                 (r->sim.crossing_limit && r->steps == 0);
    // the message
    switch (status) {
    case CTK_SINGULAR_MASS:
        return ct_fail(
            r->ctx, CT_NUMERICS,
            "at t = %.9g the equations of motion are singular%s%s%s: a body without mass "
            "or inertia moves freely, or constraints repeat each other there",
            t, coordinate ? " near coordinate '" : "", coordinate ? coordinate : "",
            coordinate ? "'" : "");
    case CTK_SINGULAR_CLOSURE:
        if (driven)
            return ct_fail(r->ctx, CT_NUMERICS,
                           "at t = %.9g %s is in a singular position: what the motions ask for is "
                           "out of reach behind it, or branches meet there",
                           t, loop);
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g %s is in a singular position for these independent "
                       "coordinates%s",
                       t, loop, advice);
    case CTK_NO_CONVERGENCE:
        return ct_fail(
            r->ctx, CT_NUMERICS,
            "at t = %.9g %s could not be closed (out of reach, or the step is too long)%s", t, loop,
            advice);
    case CTK_JUMPED:
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g %s would jump to another assembly branch; try a smaller step%s",
                       t, moving, fixed && !driven ? " or --method partition" : "");
    case CTK_NO_SOLUTION:
        if (is_near_lock(r, where, step))
            return ct_fail(r->ctx, CT_NUMERICS,
                           "at t = %.9g the three angles of '%s' come to their lock, and partition "
                           "did not lead past it: try a smaller step, or --method partition "
                           "from the start",
                           t, step);
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g %s has no solution: out of reach or a limit position; last "
                       "valid state kept%s",
                       t, step_name(r, where, step), more);
    case CTK_NOT_FINITE:
        return ct_fail(r->ctx, CT_NUMERICS,
                       "at t = %.9g %s is no longer a finite number: the step may be too long for "
                       "these forces",
                       t, coordinate ? moving : "the power of the forces");
    case CTK_OPEN: return fail_open(r, t);
    case CTK_NO_STEP:
        if (stiff)
            return ct_fail(
                r->ctx, CT_NUMERICS,
                "at t = %.9g the fixed point of a step of %g s does not contract, at %s: "
                "forces or reactions are too stiff for method recursive, or the position is "
                "singular; try a shorter --step, or "
                "--method hybrid",
                t, r->plan.step, moving);
        return ct_fail(
            r->ctx, CT_NUMERICS,
            "at t = %.9g the iteration of a step of %g s does not converge, at %s; try a "
            "shorter --step, or --integrator generalized-alpha",
            t, r->plan.step, moving);
    case CTK_NO_FRICTION:
    case CTK_FRICTION_OPEN: return fail_friction(r, status, t);
    default: return ct_fail(r->ctx, CT_INTERNAL, "at t = %.9g: %s", t, ctk_status_text(status));
    }
}

// Restarts at time t from q, qd (NULL: the model's own) with code for all methods. On failure the
// old code is kept: messages name its steps.
static ctk_status start_complete(ct_runner *r, double t, const double *q, const double *qd) {
    // the old code is put aside
    ct_loaded closed = r->code;
    double *doubles = r->doubles;
    int *ints = r->ints;
    ct_context *quiet = ct_context_quiet(NULL);
    r->code = (ct_loaded){0};
    r->doubles = NULL;
    r->ints = NULL;
    // code for all methods, without messages if it cannot be had
    r->plan.complete = true;
    ct_status loaded = ct_runner_load(r, quiet);
    // started from the given state
    ctk_sim before = r->sim;
    ctk_status status = CTK_CLOSURE_ONLY;
    if (!loaded)
        status = ctk_init(&r->sim, r->code.model, &r->plan.kernel, NULL, NULL, t, q, qd, r->doubles,
                          r->ints);
    // the errors so far
    if (!status && r->started) {
        const ctk_space *from = &before.space;
        size_t bytes = (size_t)r->code.model->n * sizeof(double);
        memcpy(r->sim.space.most_rate, from->most_rate, bytes);
        memcpy(r->sim.space.most_error, from->most_error, bytes);
        memcpy(r->sim.space.error_t, from->error_t, bytes);
        memcpy(r->sim.space.sum_error, from->sum_error, bytes);
        r->sim.start = before.start;
    }
    // one of the two codes goes
    ct_loaded unused = status ? r->code : closed;
    ct_free(status ? r->doubles : doubles);
    ct_free(status ? r->ints : ints);
    if (status) {
        r->sim = before;
        r->code = closed;
        r->doubles = doubles;
        r->ints = ints;
    }
    ct_unload(&unused);
    return status;
}

bool ct_runner_complete(ct_runner *r, ctk_status status) {
    ctk_sim *sim = &r->sim;
    // applies to code for a closure alone, at a limit position or where rows become dependent, if
    // nobody named the method; in a driven motion wherever the closure fails
    if (r->code.model->dynamics || !ct_plan_closes(&r->plan) || ct_runner_fails_by_values(r))
        return false;
    bool driven = r->code.model->m == r->code.model->n, crosses = r->plan.kernel.cross_limits;
    bool loops = r->plan.kernel.method == CTK_NEWTON_LOOPS;
    bool limit = status == CTK_NO_SOLUTION || (!r->started && status == CTK_SINGULAR_CLOSURE) ||
                 (loops && (status == CTK_SINGULAR_CLOSURE || status == CTK_NO_CONVERGENCE)) ||
                 (status == CTK_SINGULAR_MASS && r->code.model->n_spare);
    if (driven ? status == CTK_NOT_FINITE || status == CTK_BAD_OPTION : !crosses || !limit)
        return false;
    // the last valid state, or the model's own
    const ctk_model *m = r->code.model;
    size_t bytes = (size_t)(m->n + 4 * m->n_rotations) * sizeof(double);
    double t = sim->t, work = sim->work, most = sim->max_residual;
    int where = sim->where;
    double *q = ct_alloc(1, bytes + 1), *qd = ct_alloc(1, bytes + 1);
    bool good = !r->started || !ctk_refresh(sim);
    if (good && r->started) {
        memcpy(q, sim->q, bytes);
        memcpy(qd, sim->qd, bytes);
    }
    // the same state with complete code
    good = good &&
           !start_complete(r, r->started ? t : 0, r->started ? q : NULL, r->started ? qd : NULL);
    ct_free(q);
    ct_free(qd);
    if (!good) {
        sim->where = where;
        return false;
    }
    // work and residual go on
    sim->work = work;
    if (!sim->crossing_limit) sim->space.now[sim->state_size - 1] = work;
    sim->max_residual = sim->max_residual > most ? sim->max_residual : most;
    return true;
}

bool ct_runner_complete_loose(ct_runner *r) {
    if (!r->sim.space.is_loose || r->code.model->dynamics || r->stays) return false;
    r->stays = !ct_runner_complete(r, CTK_NO_SOLUTION);
    return !r->stays;
}

void ct_runner_tell(ct_runner *r, const char *others) {
    char step[STEP_NAME];
    if (r->sim.limits_crossed == r->limits_crossed) return;
    bool *passed = others ? &r->changed : &r->crossed, first = !*passed;
    *passed = true;
    r->limits_crossed = r->sim.limits_crossed;
    // a motion that is lost goes anywhere: its step is to blame, at the end
    const ct_place nowhere = {0, 0};
    if (others) {
        if (first && !ct_runner_is_lost(r))
            ct_note_at(r->ctx, nowhere,
                       "at t = %.9g %s comes close to a limit position: going on with independent "
                       "coordinates %s",
                       r->sim.t, step_name(r, r->sim.limit, step), others);
    } else if (r->sim.space.was_loose && first) {
        ct_note_at(r->ctx, nowhere,
                   "at t = %.9g the closed form loses digits: going on with method partition until "
                   "it has them again",
                   r->sim.t);
    } else if (is_near_lock(r, r->sim.limit, step)) {
        if (first)
            ct_note_at(r->ctx, nowhere,
                       "at t = %.9g the three angles of '%s' come near their lock: going on with "
                       "method partition, which has none, until it is behind",
                       r->sim.t, step);
    } else if (first && !ct_runner_is_lost(r))
        ct_warning_at(r->ctx, nowhere,
                      "at t = %.9g %s comes close to a limit position: going on with method "
                      "partition until it is behind",
                      r->sim.t, step_name(r, r->sim.limit, step));
    r->plan.method_name =
        r->plan.kernel.method == CTK_NEWTON_LOOPS ? "newton-loops, partition at limit positions"
        : !r->changed                             ? "triangular, partition at limit positions"
        : !r->crossed
            ? "triangular, independent coordinates changed at limit positions"
            : "triangular, independent coordinates changed or partition at limit positions";
}
