// Implicit steps: trapezoidal rule, HHT and generalized-alpha. Unknown is the increment d of the
// positions, for rotations a turn. Rates and accelerations at the end of a step are
//   q' = Gc d + rate,   q'' = Bc d + acceleration
// with parts that the current state decides, and Newton's iteration finds d (ctk_hybrid.c,
// ctk_semi.c). With the algorithmic acceleration A of generalized-alpha,
//   (1 - am) A1 + am A = (1 - af) q1'' + af q'',
//   d = h q' + h^2 ((1/2 - b) A + b A1),   q1' = q' + h ((1 - g) A + g A1),
// so Gc = g / (b h) and Bc = (1 - am) / ((1 - af) b h^2). The trapezoid has am = af = g = 1/2, b = 1/4
// and A = q''. On rotations these are the formulas of Lie groups, of second order too.
#include "ctk_internal.h"

// |Phi| behind a step, in units of the rows.
static const double CLOSED = 1e-6;

int ctk_implicit_valid(const ctk_options *options) {
    const ctk_implicit_options *o = &options->implicit;
    const int needs = options->method == CTK_HYBRID || options->method == CTK_SEMI_RECURSIVE ||
                      options->method == CTK_GLOBAL || options->method == CTK_RECURSIVE;
    if (!ctk_is_implicit(options->integrator)) return !needs;
    return (needs || options->method == CTK_PARTITION) && o->penalty > 0 && isfinite(o->penalty) &&
           o->iterations > 0 && o->tolerance > 0 && isfinite(o->tolerance) && o->rho >= 0 &&
           o->rho <= 1 && o->hht >= 0 && o->hht <= 1.0 / 3;
}

static ctk_step_rule rule_of(const ctk_sim *sim, double h) {
    const ctk_implicit_options *o = &sim->options.implicit;
    ctk_step_rule r = {.h = h, .t = sim->t + h, .alpha_m = 0.5, .alpha_f = 0.5};
    if (sim->options.integrator == CTK_HHT) {
        r.alpha_m = 0;
        r.alpha_f = o->hht;
    } else if (sim->options.integrator == CTK_GENERALIZED_ALPHA) {
        r.alpha_m = (2 * o->rho - 1) / (o->rho + 1);
        r.alpha_f = o->rho / (o->rho + 1);
    }
    r.gamma = 0.5 + r.alpha_f - r.alpha_m;
    r.beta = (r.gamma + 0.5) * (r.gamma + 0.5) / 4;
    r.gc = r.gamma / (r.beta * h);
    r.bc = (1 - r.alpha_m) / ((1 - r.alpha_f) * r.beta * h * h);
    return r;
}

// What the current state decides: parts of rates and accelerations, and the predicted increment
// d = h q' + h^2 / 2 q''.
static void begin(ctk_sim *sim, const ctk_step_rule *r) {
    ctk_implicit_space *s = &sim->space.implicit;
    const double h = r->h, *qd = sim->qd, *qdd = s->own;
    if (!sim->history || sim->options.integrator == CTK_TRAPEZOID)
        ctk_copy(sim->model->n, qdd, s->algorithmic);
    sim->history = 1;
    ctk_copy(ctk_all_rows(sim->model), s->multiplier, s->kept);
    for (int i = 0; i < sim->model->n; i++) {
        const double a = s->algorithmic[i], y = h * (qd[i] + h * (0.5 - r->beta) * a);
        s->rate[i] = qd[i] + h * (1 - r->gamma) * a - r->gc * y;
        s->acceleration[i] = (r->alpha_m * a - r->alpha_f * qdd[i]) / (1 - r->alpha_f) - r->bc * y;
        s->increment[i] = h * (qd[i] + 0.5 * h * qdd[i]);
        s->correction[i] = 0;
    }
}

// q, q' and q'' at the end of the step for the increment as it stands.
void ctk_implicit_state(ctk_sim *sim, const ctk_step_rule *r) {
    ctk_space *s = &sim->space;
    const ctk_implicit_space *x = &s->implicit;
    ctk_copy(ctk_positions(sim->model), sim->q, s->q);
    ctk_move(sim->model, 1, x->increment, s->q);
    for (int i = 0; i < sim->model->n; i++) {
        s->qd[i] = r->gc * x->increment[i] + x->rate[i];
        s->qdd[i] = r->bc * x->increment[i] + x->acceleration[i];
    }
}

// slope = K and matrix = M + Gc C / Bc at the state being tried, whose M is known. Forces may have
// values where they have no derivatives, such as x^1.5 at zero: these count as zero.
void ctk_implicit_tangent(ctk_sim *sim, const ctk_step_rule *r) {
    const ctk_model *m = sim->model;
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const double f = r->gc / r->bc;
    m->tangent(sim->c, r->t, s->q, s->qd, sim->u, x->stiffness, x->damping);
    for (int i = 0; i < m->n * m->n; i++) {
        x->slope[i] = 0;
        x->matrix[i] = s->mass[i];
    }
    for (int k = 0; k < m->n_stiffness; k++)
        x->slope[m->stiffness_places[k]] = isfinite(x->stiffness[k]) ? x->stiffness[k] : 0;
    for (int k = 0; k < m->n_damping; k++)
        if (isfinite(x->damping[k])) x->matrix[m->damping_places[k]] += f * x->damping[k];
}

// Factors of W A W, with W = 1 / sqrt(|diagonal|) in implicit.scale. index: the coordinates of its
// rows, NULL: all of them.
ctk_status ctk_implicit_factor(ctk_sim *sim, int n, const int *index, double *a) {
    ctk_implicit_space *s = &sim->space.implicit;
    ctk_rank rank;
    for (int i = 0; i < n; i++) {
        const double size = fabs(a[(size_t)i * n + i]);
        s->scale[i] = size > 0 ? 1 / sqrt(size) : 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[(size_t)i * n + j] *= s->scale[i] * s->scale[j];
    if (ctk_lu_factor(n, a, s->pivot, 4 * DBL_EPSILON, &rank)) return CTK_OK;
    // a value that is not finite explains more than a singular matrix
    const double size = ctk_norm(n * n, a);
    sim->where = rank.row >= 0 && index ? index[rank.row] : rank.row;
    return isfinite(size) ? CTK_SINGULAR_MASS : CTK_NOT_FINITE;
}

// x := A^-1 x by these factors.
void ctk_implicit_back(const ctk_sim *sim, int n, const double *a, double *x) {
    const ctk_implicit_space *s = &sim->space.implicit;
    for (int i = 0; i < n; i++) x[i] *= s->scale[i];
    ctk_lu_solve(n, a, s->pivot, 1, x);
    for (int i = 0; i < n; i++) x[i] *= s->scale[i];
}

// the iteration -----------------------------------------------------------------------------------
// The largest |Phi| in units of the rows, in space.phi.
static double opening(const ctk_sim *sim) {
    double worst = 0;
    for (int i = 0; i < ctk_all_rows(sim->model); i++)
        worst = ctk_larger(worst, fabs(sim->space.phi[i]) / ctk_row_unit(sim, sim->rows[i]));
    return worst;
}

// Largest correction, in units; sim->where: its coordinate. A NaN stays.
static double size_of(ctk_sim *sim) {
    double size = 0;
    for (int i = 0; i < sim->model->n && size == size; i++) {
        const double a = fabs(sim->space.implicit.correction[i]) / ctk_unit(sim, i);
        if (a <= size) continue;
        size = a;
        sim->where = i;
    }
    return size;
}

static ctk_status evaluate(ctk_sim *sim, const ctk_step_rule *r, int first) {
    switch (sim->options.method) {
    case CTK_HYBRID:
    case CTK_GLOBAL: return ctk_hybrid_evaluate(sim, r, first);
    case CTK_RECURSIVE: return ctk_recursive_evaluate(sim, r, first);
    default: return ctk_semi_evaluate(sim, r);
    }
}

static ctk_status correct(ctk_sim *sim, const ctk_step_rule *r) {
    switch (sim->options.method) {
    case CTK_HYBRID:
    case CTK_GLOBAL: return ctk_hybrid_correct(sim, r);
    case CTK_RECURSIVE: ctk_recursive_correct(sim, r); return CTK_OK;
    default: return ctk_semi_correct(sim, r);
    }
}

// Adds a share of the correction and evaluates there. Where loops cannot be closed, half of it is taken
// back, several times.
static ctk_status advance(ctk_sim *sim, const ctk_step_rule *r, double share) {
    enum { HALVINGS = 4 };
    double *d = sim->space.implicit.increment, *dd = sim->space.implicit.correction;
    for (int i = 0; i < sim->model->n; i++) d[i] += share * dd[i];
    ctk_status status = evaluate(sim, r, 0);
    const int may_shorten = ctk_embeds(sim) && !sim->options.implicit.fixed;
    for (int k = 0; k < HALVINGS && status == CTK_NO_CONVERGENCE && may_shorten; k++) {
        share /= 2;
        for (int i = 0; i < sim->model->n; i++) d[i] -= share * dd[i];
        status = evaluate(sim, r, 0);
    }
    return status;
}

// Corrects d until the correction is below `tolerance` of what accelerations do in the step, whatever
// its length, and the rows are closed. Corrections that grow are halved: forces with kinks let them
// change sides. Behind the last one a step is taken that converges slowly, none that diverges.
static ctk_status iterate(ctk_sim *sim, const ctk_step_rule *r) {
    const ctk_implicit_options *o = &sim->options.implicit;
    const double shortest = o->tolerance * r->h * r->h;
    // a fixed point closes its rows behind the iteration, and swings about its solution where it grows:
    // all corrections are halved from there on
    const int by_slope = sim->options.method != CTK_RECURSIVE;
    double last = HUGE_VAL, first = 0;
    int converged = 0, grows = 0, halves = 0, k = 0;
    ctk_status status = evaluate(sim, r, 1);
    for (; status == CTK_OK && k < o->iterations; k++) {
        // done
        if (!o->fixed && converged && (!by_slope || opening(sim) <= CLOSED)) break;
        // the correction, and how large it is
        status = correct(sim, r);
        if (status) break;
        const double size = size_of(sim);
        if (!isfinite(size)) return CTK_NO_STEP;
        const double most = ctk_norm_in_units(sim, sim->model->n, NULL, sim->space.qdd);
        converged = size <= shortest * (most > 1 ? most : 1);
        grows = size > last;
        last = size;
        if (k == 0) first = size;
        halves = grows || (halves && !by_slope);
        status = advance(sim, r, halves && !o->fixed ? 0.5 : 1);
    }
    // a fixed point that leaves all bounds does not contract, whatever fails there in the end
    if (status) return !by_slope && k > 0 ? CTK_NO_STEP : status;
    if (!converged && (grows || (!by_slope && !(last < first)))) return CTK_NO_STEP;
    if (by_slope && !(opening(sim) <= CLOSED)) return CTK_NO_STEP;
    sim->corrections += k;
    if (k > sim->most_corrections) sim->most_corrections = k;
    sim->unconverged += !converged;
    return CTK_OK;
}

// the step ----------------------------------------------------------------------------------------
// Errors of rates by the difference to a formula of higher order: d is off by
// (b - 1/6 - (g - 1/2) / 2) h^3 q'''.
static void note_errors(ctk_sim *sim, const ctk_step_rule *r) {
    ctk_space *s = &sim->space;
    const double part = fabs(r->beta - 1.0 / 6 - (r->gamma - 0.5) / 2) * r->h, h = fabs(r->h);
    for (int j = 0; j < sim->model->n; j++) {
        const double error = fabs(part * (s->qdd[j] - s->implicit.own[j])), rate = fabs(s->qd[j]);
        s->sum_error[j] += h * error;
        if (rate > s->most_rate[j]) s->most_rate[j] = rate;
        if (error > s->most_error[j]) {
            s->most_error[j] = error;
            s->error_t[j] = r->t;
        }
    }
}

// A at the end of the step: from the increment; dependent coordinates have their acceleration.
static void end_algorithmic(ctk_sim *sim, const ctk_step_rule *r) {
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const double h = r->h;
    for (int i = 0; i < sim->model->n; i++) {
        const double y = h * (sim->qd[i] + h * (0.5 - r->beta) * x->algorithmic[i]);
        x->algorithmic[i] = (x->increment[i] - y) / (r->beta * h * h);
    }
    for (int i = 0; i < sim->model->m && ctk_embeds(sim); i++)
        x->algorithmic[sim->dependent[i]] = s->qdd[sim->dependent[i]];
}

// The state in space, where nothing is left that is not finite.
static ctk_status check(ctk_sim *sim, double work) {
    const ctk_space *s = &sim->space;
    ctk_status status = ctk_check_finite(sim, s->q);
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
    if (status) return status;
    sim->where = -1;
    return isfinite(work) ? CTK_OK : CTK_NOT_FINITE;
}

ctk_status ctk_implicit_step(ctk_sim *sim, double h) {
    ctk_space *s = &sim->space;
    if (h == 0) return CTK_OK;
    // d and the state that follows from it
    const ctk_step_rule r = rule_of(sim, h);
    begin(sim, &r);
    ctk_inputs_at(sim, r.t);
    ctk_status status = iterate(sim, &r);
    // rates and accelerations on the constraints
    if (status == CTK_OK && ctk_is_augmented(sim)) status = ctk_hybrid_project(sim, &r);
    if (status == CTK_OK && sim->options.method == CTK_RECURSIVE)
        status = ctk_recursive_project(sim, &r);
    const double work = sim->work + 0.5 * h * (sim->power + s->power);
    if (status == CTK_OK) status = check(sim, work);
    if (status == CTK_OK) status = ctk_rows_watch(sim);
    if (status == CTK_OPEN && sim->options.method == CTK_RECURSIVE) status = CTK_NO_STEP;
    if (status) {
        ctk_inputs_at(sim, sim->t);
        ctk_copy(ctk_all_rows(sim->model), s->implicit.kept, s->implicit.multiplier);
        return status;
    }
    // it becomes the current state
    note_errors(sim, &r);
    end_algorithmic(sim, &r);
    if (ctk_embeds(sim)) ctk_semi_finish(sim);
    sim->work = work;
    sim->power = s->power;
    ctk_commit(sim, r.t);
    if (ctk_follows(sim->model)) ctk_follow_angles(sim);
    if (ctk_embeds(sim)) ctk_partition_update(sim);
    return CTK_OK;
}

// results -----------------------------------------------------------------------------------------
// Accelerations of a state that becomes the current one: the next step goes on from them.
void ctk_implicit_keep(const ctk_sim *sim) {
    const ctk_implicit_space *x = &sim->space.implicit;
    ctk_copy(sim->model->n, sim->qdd, x->own);
    *x->is_shown = 0;
}

// Equations and accelerations of the current state, by a simulation that has it as its trial.
static ctk_status solve_current(ctk_sim *sim) {
    ctk_dynamics(sim, sim->t, sim->q, sim->qd, sim->u);
    if (ctk_embeds(sim) && sim->model->m > 0) {
        ctk_status status = ctk_closure_factor(sim);
        if (status) return status;
        ctk_closure_tangent(sim, sim->space.tangent);
    }
    ctk_status status = ctk_accelerations(sim, sim->t);
    return status ? status : ctk_check_finite(sim, sim->space.qdd);
}

// An iteration leaves accelerations that are off by its tolerance: for results those that solve the
// equations of the current state take their place. The next step does not see them: all that it goes on
// from stays, and a copy of the simulation has what is left of a step as its room. Where the equations
// have no solution, as in singular positions that a step passes, accelerations stay as they are.
void ctk_implicit_show(const ctk_sim *sim) {
    const ctk_implicit_space *x = &sim->space.implicit;
    if (!ctk_is_implicit(sim->options.integrator) || *x->is_shown) return;
    ctk_sim aside = *sim;
    aside.space.q = sim->q;
    aside.space.qd = sim->qd;
    aside.space.implicit.multiplier = x->kept;
    if (x->armature) {
        ctk_copy(sim->model->n, x->armature, x->increment);
        aside.space.implicit.armature = x->increment;
    }
    if (solve_current(&aside) == CTK_OK) ctk_copy(sim->model->n, aside.space.qdd, sim->qdd);
    *x->is_shown = 1;
}
