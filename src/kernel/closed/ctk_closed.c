// Simulation with a closure. The integrated state is y = (q_i, q'_i, work), q_i with the first
// parameters of rotations behind it; a derivative is one call of positions and one of dynamics. All
// coordinates are computed on request (ctk_refresh).
#include "ctk_internal.h"

// Places in y: of the rates, and of the work.
static int rates_at(const ctk_sim *sim) {
    return sim->model->closure->n_independent + sim->model->closure->n_rotations;
}
static int work_at(const ctk_sim *sim) {
    return (int)sim->state_size - 1;
}

// Status for the code that a function of the closure returned.
static ctk_status verdict(ctk_sim *sim, int code) {
    if (code == 0) return CTK_OK;
    sim->where = code - 1;
    if (code <= sim->model->closure->n_steps) return CTK_NO_SOLUTION;
    sim->where = -1;
    return CTK_SINGULAR_MASS;
}

ctk_status ctk_closed_finite(ctk_sim *sim, const double *y, const double *ydot) {
    const ctk_closure *k = sim->model->closure;
    const int rates = rates_at(sim), work = work_at(sim);
    for (int i = 0; i < k->n_independent; i++)
        if (!isfinite(y[i]) || !isfinite(y[rates + i]) || !isfinite(ydot[rates + i])) {
            sim->where = k->independent[i];
            return CTK_NOT_FINITE;
        }
    if (isfinite(y[work]) && isfinite(ydot[work])) return CTK_OK;
    sim->where = -1;
    return CTK_NOT_FINITE;
}

typedef struct trial {
    ctk_sim *sim;
    double t;
    const double *y;
    double *ydot;
} trial;

// All accelerations of the state being tried, for the efforts of friction as they stand.
static ctk_status accelerate(void *data) {
    const trial *x = data;
    ctk_sim *sim = x->sim;
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const int rates = rates_at(sim);
    int code = k->dynamics(sim->c, x->t, x->y, x->y + rates, sim->u, s->b, s->w, s->v,
                           x->ydot + rates, NULL);
    if (code) return verdict(sim, code);
    ctk_copy(ctk_positions(sim->model), sim->q, s->friction_q);
    code = k->expansion(sim->c, x->t, x->y, x->y + rates, x->ydot + rates, sim->u, s->b, s->w, s->v,
                        s->friction_q, s->friction_qd, s->friction_qdd);
    return verdict(sim, code);
}

static ctk_status derivative(ctk_sim *sim, double t, const double *y, double *ydot) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const int rates = rates_at(sim), work = work_at(sim);
    int code = 0;
    ctk_inputs_at(sim, t);
    // positions, by one call where there is nothing to start from
    if (ctk_followed_numbers(sim) == 0) {
        code = k->positions(sim->c, t, y, sim->u, s->b, s->w, s->v, s->g);
        if (code) return verdict(sim, code);
    } else {
        ctk_status status = ctk_closed_positions(sim, t, y);
        if (status) return status;
    }
    // efforts of friction, which need all accelerations
    if (ctk_efforts(sim->model)) {
        trial x = {sim, t, y, ydot};
        ctk_status status =
            ctk_friction_at(sim, t, s->friction_q, s->friction_qd, s->friction_qdd, accelerate, &x);
        if (status) return status;
    }
    // accelerations and the power
    sim->evaluations++;
    ydot[work] = 0;
    code = k->dynamics(sim->c, t, y, y + rates, sim->u, s->b, s->w, s->v, ydot + rates,
                       sim->options.energy ? ydot + work : NULL);
    if (code) return verdict(sim, code);
    // rates of positions: those of independent coordinates, and e' of rotations
    ctk_copy(k->n_independent, y + rates, ydot);
    if (k->n_rotations) ctk_closed_parameter_rates(sim, y, ydot);
    return CTK_OK;
}

// Nothing is integrated but the work, whose rate depends on time alone: within a step, stages at
// one time are computed once.
static ctk_status driven_derivative(ctk_sim *sim, double t, const double *y, double *ydot) {
    ctk_space *s = &sim->space;
    if (s->is_held || (s->in_step && t == s->stage_t)) {
        ydot[0] = s->is_held ? s->now_rate[0] : s->stage_power;
        return CTK_OK;
    }
    s->stage_t = NAN;
    ctk_status status = derivative(sim, t, y, ydot);
    if (status) return status;
    s->stage_t = t;
    s->stage_power = ydot[0];
    return CTK_OK;
}

ctk_status ctk_closed_derivative(ctk_sim *sim, double t, const double *y, double *ydot) {
    return work_at(sim) == 0 ? driven_derivative(sim, t, y, ydot) : derivative(sim, t, y, ydot);
}

int ctk_measures(const ctk_sim *sim) {
    const ctk_closure *k = sim->model->closure;
    return sim->options.method == CTK_NEWTON_LOOPS ? k->n_loops : k->n_guards;
}

// Returns 1 if measure i with value g is near its limit: below 0.3 of its largest value or scale.
// A measure of unknown scale is taken as near.
int ctk_is_near(const ctk_sim *sim, int i, double g) {
    const double near = 0.3;
    if (sim->options.method == CTK_NEWTON_LOOPS) return 1;
    const double scale = sim->guard_scale[i];
    return !(scale > 0) || g < near * ctk_larger(scale, sim->space.most_g[i]);
}

// Of the largest value of a measure, which is a square: below, half of the digits are lost.
static const double ROUNDED = 1e-12;

// Returns 1 if x, the distance to a limit position, becomes 0 within the time `ahead`. x1, x2: its
// values h1 and h1 + h2 ago (h2 = 0: not known). The forecast is a parabola, or a line through two.
static int comes_to_zero(double x, double x1, double h1, double x2, double h2, double ahead) {
    double slope = (x - x1) / h1, bend = 0;
    if (h2 > 0) bend = 2 * (slope - (x1 - x2) / h2) / (h1 + h2);
    slope += 0.5 * bend * h1;
    double lowest = bend > 0 ? -slope / bend : ahead;
    if (!(lowest > 0)) return 0;
    if (lowest > ahead) lowest = ahead;
    return x + lowest * (slope + 0.5 * bend * lowest) <= 0;
}

// The same where x falls to 0 without passing through: like the square or the cube of the time that
// is left, where rows and columns become dependent at once. For x = (t0 - t)^p the quotient
// x / |x'| = (t0 - t) / p falls to 0 in a straight line, whatever p is.
static int fades_to_zero(double x, double x1, double h1, double x2, double h2, double ahead) {
    const double least = 1.5, most = 6; // of p
    if (!(h2 > 0 && x > 0 && x < x1 && x1 < x2)) return 0;
    double now = h1 / log(x1 / x), before = h2 / log(x2 / x1); // in the middle of either step
    double fall = 2 * (before - now) / (h1 + h2);              // 1 / p
    return fall * least <= 1 && fall * most >= 1 && now <= fall * (ahead + 0.5 * h1);
}

// Branches meet where a measure g is 0, and g grows with the square of the distance in time. Beyond
// that point the motion goes on along the other branch, while an integrator that knows only q_i
// would be reflected: not visible in q_i, which turns back there. On the way to it the equations of
// motion become so steep that fixed steps lose their accuracy. So that point must be `ahead` steps
// away at least, as far as that can be foreseen.
static ctk_status still_regular(ctk_sim *sim, double t, double ahead) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const int loops = sim->options.method == CTK_NEWTON_LOOPS;
    if (k->n_independent == 0) return ctk_driven_regular(sim, t);
    // g over this step and the one before; g that falls by less than `harmless` is left alone
    const int n = t == sim->t ? 0 : ctk_measures(sim);
    if (n == 0) return CTK_OK;
    const double h = fabs(t - sim->t), before = s->has_past ? fabs(sim->t - s->past_t) : 0;
    const double part = 2 * ahead / (2 * ahead + 1), harmless = part * part;
    // reflected, if it was about as near as this step is long: twice that, and in any case, where
    // nothing controls the error of the step
    const int fixed = ahead > CTK_ADAPTIVE_AHEAD;
    const double reach = s->has_past ? (fixed ? 2 : 1) * h / before : 0;
    const double lost = reach / (1 + reach) * reach / (1 + reach);
    // each measure: reflected in the last step, or 0 within `ahead` steps
    for (int i = 0; i < n; i++) {
        const int falls = s->g[i] < s->base_g[i];
        if ((falls && !fixed) || !(s->base_g[i] < lost * s->past_g[i])) {
            if (!falls || s->g[i] > harmless * s->base_g[i]) continue;
            double x = sqrt(s->g[i]), x1 = sqrt(s->base_g[i]);
            double x2 = s->has_past ? sqrt(s->past_g[i]) : 0;
            double far = ctk_is_near(sim, i, s->g[i]) ? ahead : 2;
            if (s->g[i] > ROUNDED * s->most_g[i] && !comes_to_zero(x, x1, h, x2, before, far * h) &&
                !fades_to_zero(x, x1, h, x2, before, far * h))
                continue;
        }
        // the step or the row that comes to its limit
        sim->where = loops ? k->loops[i].row[0] : k->guard_step[i];
        return loops ? CTK_SINGULAR_CLOSURE : CTK_NO_SOLUTION;
    }
    return CTK_OK;
}

// The state being tried becomes the current one; the current one becomes the past.
static void commit(ctk_sim *sim, double t, const double *y, const double *ydot) {
    ctk_space *s = &sim->space;
    const int n = ctk_measures(sim);
    // history of the followed numbers and of the measures
    if (t != sim->t) {
        ctk_swap(&s->older_w, &s->past_w);
        ctk_swap(&s->past_w, &s->base_w);
        ctk_swap(&s->past_g, &s->base_g);
        s->older_t = s->past_t;
        s->past_t = sim->t;
        s->has_past = s->has_past ? 2 : 1;
    }
    // values, followed numbers and measures; the largest measure so far
    ctk_swap(&s->base_v, &s->v);
    ctk_swap(&s->base_w, &s->w);
    ctk_swap(&s->base_g, &s->g);
    for (int i = 0; i < n; i++)
        if (s->base_g[i] > s->most_g[i]) s->most_g[i] = s->base_g[i];
    // y, y', inputs, time, work; the parameters of rotations with length 1
    ctk_copy((int)sim->state_size, y, s->now);
    ctk_copy((int)sim->state_size, ydot, s->now_rate);
    if (sim->model->closure->n_rotations) ctk_closed_normalise(sim, s->now, s->now_rate);
    ctk_inputs_keep(sim);
    sim->t = t;
    sim->work = y[sim->state_size - 1];
    sim->power = ydot[sim->state_size - 1];
    sim->where = -1;
    s->is_expanded = 0;
}

// q, q', q'' of a state and |Phi| there into space, angles near those of the current one.
static ctk_status expand(ctk_sim *sim, double t, const double *y, const double *ydot,
                         const double *u, const double *w, const double *v) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int rates = rates_at(sim);
    ctk_copy(ctk_positions(model), sim->q, s->q);
    int code = model->closure->expansion(sim->c, t, y, y + rates, ydot + rates, u, s->b, w, v, s->q,
                                         s->qd, s->qdd);
    if (code) return verdict(sim, code);
    // taken if all of it is finite (what is not has no difference to itself), and no row is open
    double differences = 0;
    for (int i = 0; i < model->n; i++)
        differences += (s->q[i] - s->q[i]) + (s->qd[i] - s->qd[i]) + (s->qdd[i] - s->qdd[i]);
    ctk_status status = CTK_OK;
    if (differences != 0) {
        status = ctk_check_finite(sim, s->q);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
    }
    if (status || ctk_all_rows(model) == 0) return status;
    ctk_opening(sim, t, s->q, s->qd, u);
    return ctk_rows_watch(sim);
}

// Row i of Phi_q and its Phi_t at q, where they are needed after all.
static const double *row_at(ctk_sim *sim, double t, const double *q, const double *qd, int i) {
    ctk_velocity(sim, t, q, sim->u);
    ctk_rows_complete(sim, t, q, qd, sim->u);
    return sim->space.phi_q + (size_t)i * sim->model->n;
}

// Checks rates at q, with Phi' in space: |Phi_q q' + Phi_t| <= 1e-6 of the sum of its terms.
static ctk_status rates_fit(ctk_sim *sim, double t, const double *q, const double *qd) {
    const double fit = 1e-6;
    const ctk_space *s = &sim->space;
    for (int i = 0; i < ctk_all_rows(sim->model); i++) {
        const double opens = fabs(s->phi_rate[i]), unit = ctk_row_unit(sim, sim->rows[i]);
        if (opens <= fit * unit) continue;
        const double *row = row_at(sim, t, q, qd, i);
        double size = unit + fabs(s->phi_t[i]);
        for (int k = 0; k < sim->model->n; k++) size += fabs(row[k] * qd[k]);
        if (opens <= fit * size) continue;
        sim->where = sim->rows[i];
        return CTK_SINGULAR_CLOSURE;
    }
    return CTK_OK;
}

// Fails if the closure has lost digits of the state in space: near a divisor that becomes zero. A
// divisor that is zero all the time may leave the positions right, and the rates without a value.
static ctk_status accurate(ctk_sim *sim, double t) {
    const double open = 1e-10;
    const ctk_space *s = &sim->space;
    ctk_status status = CTK_OK;
    for (int i = 0; i < sim->model->m && status == CTK_OK; i++) {
        // in the unit of the row, or in its largest derivative and coordinate
        const double unit = ctk_row_unit(sim, sim->rows[i]), opened = fabs(s->phi[i]);
        if (opened <= open * unit) continue;
        const double row = ctk_row_norm(sim, row_at(sim, t, s->q, s->qd, i)),
                     largest = 1 + ctk_norm_in_units(sim, sim->model->n, NULL, s->q);
        if (!(opened <= open * largest * ctk_larger(row, unit))) status = CTK_NO_SOLUTION;
    }
    if (status == CTK_OK && rates_fit(sim, t, s->q, s->qd)) status = CTK_NO_SOLUTION;
    if (status) sim->where = -1;
    return status;
}

// What is in space becomes the current q, q', q'', with |Phi| there. Angles of rotations follow, unless
// they may wait.
static void show(ctk_sim *sim, int may_wait) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    ctk_copy(ctk_positions(model), s->q, sim->q);
    ctk_copy(model->n, s->qd, sim->qd);
    ctk_copy(model->n, s->qdd, sim->qdd);
    if (model->n_rotations && !(may_wait && ctk_angles_can_wait(sim))) ctk_follow_angles(sim);
    if (sim->residual > sim->max_residual) sim->max_residual = sim->residual;
}

ctk_status ctk_closed_take(ctk_sim *sim, double t, const double *y, double ahead) {
    const ctk_space *s = &sim->space;
    double *ydot = s->rate[2]; // ctk_note_error needs the others
    if (s->is_held) return ctk_driven_step(sim, t);
    ctk_status status = ctk_closed_derivative(sim, t, y, ydot);
    if (status == CTK_OK) status = ctk_closed_finite(sim, y, ydot);
    if (status == CTK_OK) status = still_regular(sim, t, ahead);
    if (status == CTK_OK && !isfinite(t)) status = CTK_NOT_FINITE;
    // a driven motion: all coordinates go on smoothly
    const int driven = ctk_is_driven(sim);
    if (status == CTK_OK && driven) status = expand(sim, t, y, ydot, sim->u, s->w, s->v);
    if (status == CTK_OK && driven) status = accurate(sim, t);
    if (status == CTK_OK && driven) status = ctk_driven_smooth(sim, t);
    if (status) return status;
    commit(sim, t, y, ydot);
    if (driven) show(sim, 0);
    sim->space.is_expanded = driven;
    return ctk_follows(sim->model) ? ctk_refresh(sim) : CTK_OK;
}

// Starts from a closed position q with its rates: reads signs and followed numbers off it, then
// checks that the closure finds this same position and rates that keep the loops closed.
ctk_status ctk_closed_start(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *y = s->y, *ydot = s->rate[1];
    // y from the independent coordinates
    if (sim->model->n_rotations > k->n_rotations) ctk_follow_angles(sim);
    ctk_closed_state(sim, y, y + rates_at(sim));
    y[work_at(sim)] = sim->work;
    // the branch, read off q
    k->read(sim->c, t, sim->q, sim->u, s->base_v, s->base_w, s->b);
    if (sim->options.method == CTK_NEWTON_LOOPS) {
        ctk_copy(ctk_positions(sim->model), sim->q, s->base_w + k->n_tracked);
        for (int i = 0; i < k->n_loops; i++) s->branches[i] = 0;
    }
    // positions and accelerations on that branch
    ctk_status status = ctk_closed_derivative(sim, t, y, ydot);
    if (status == CTK_OK) status = ctk_closed_finite(sim, y, ydot);
    if (status) return status;
    // all coordinates must come out as they were, the rates closed
    ctk_copy(ctk_positions(sim->model), sim->q, s->path_q);
    commit(sim, t, y, ydot);
    status = ctk_refresh(sim);
    for (int i = 0; i < sim->model->n && status == CTK_OK; i++)
        if (!(fabs(sim->q[i] - s->path_q[i]) <= 1e-6 * (ctk_unit(sim, i) + fabs(sim->q[i]))))
            status = CTK_NO_SOLUTION;
    return status ? status : rates_fit(sim, t, sim->q, sim->qd);
}

static ctk_status refresh(ctk_sim *sim, int may_wait) {
    const ctk_space *s = &sim->space;
    if (ctk_efforts(sim->model)) ctk_friction_keep(sim);
    if (!ctk_is_closed(sim) && sim->model->n_rotations && !(may_wait && ctk_angles_can_wait(sim)))
        ctk_follow_angles(sim);
    if (sim->model->late_outputs && !may_wait) ctk_implicit_show(sim);
    if (!ctk_is_closed(sim) || s->is_expanded || s->is_held) return CTK_OK;
    ctk_status status = expand(sim, sim->t, s->now, s->now_rate, s->base_u, s->base_w, s->base_v);
    if (status == CTK_OK) show(sim, may_wait);
    return status;
}

ctk_status ctk_refresh(ctk_sim *sim) {
    return refresh(sim, 0);
}

ctk_status ctk_glance(ctk_sim *sim) {
    return refresh(sim, 1);
}
