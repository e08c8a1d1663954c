// Steps of a driven motion, on one branch. A step is beyond doubt if the states at its ends predict
// each other: a jump or a bend between them is not smooth, however short the step is. What is not
// beyond doubt is repeated in shorter pieces. The shortest ones are closed by Newton's iteration on
// all rows, with Phi_q well away from singular: there is one solution nearby then, whatever the
// motion does. That passes places where a form of the closure has no value though the mechanism is
// regular; the state is held by its coordinates alone until the closure finds the same position.
#include "ctk_internal.h"

static const double SHORTEST = 1.0 / 1024; // of the step, in one piece
static const double SMOOTH = 0.05;         // of the way: what predictions may miss
static const double SLOW = 1e-3;           // of the longest way: what counts as one at least
static const double ROUNDING = 1e-9;       // in units: no jump
static const double SINGULAR = 1e-4;       // pivot of the scaled Phi_q: it may be singular nearby
static const double DROPPED = 0.1;         // of the pivot at the start of the step: the same
static const double CLEAR = 1e-3;          // a measure, in parts of its scale: the form is accurate
static const double SAME = 1e-9;           // in units: the closure finds this position
static const double SAME_RATES = 1e-6;     // in units, and of the largest one: its rates
enum { ATTEMPTS = 400 };

// The states q, q', q'' of sim and of space, over the time d between them: what the predictions
// from either end miss of coordinate i, and the way that it takes.
static inline double missed(const ctk_sim *sim, int i, double d, double *way) {
    const ctk_space *s = &sim->space;
    const double change = s->q[i] - sim->q[i];
    const double forwards = change - d * (sim->qd[i] + 0.5 * d * sim->qdd[i]),
                 backwards = change - d * (s->qd[i] - 0.5 * d * s->qdd[i]);
    *way = fabs(d) * ctk_larger(fabs(sim->qd[i]), fabs(s->qd[i]));
    return ctk_larger(fabs(forwards), fabs(backwards));
}

// Returns 1 if predictions miss little of each coordinate's own way: the usual case, in a loop
// without branches.
static int all_smooth(const ctk_sim *sim, double d) {
    const ctk_space *s = &sim->space;
    const double *restrict q0 = sim->q, *restrict v0 = sim->qd, *restrict a0 = sim->qdd;
    const double *restrict q1 = s->q, *restrict v1 = s->qd, *restrict a1 = s->qdd;
    const double half = 0.5 * d, share = 0.5 * SMOOTH * fabs(d);
    int doubtful = 0;
    for (int i = 0; i < sim->model->n; i++) {
        const double change = q1[i] - q0[i], f = change - d * (v0[i] + half * a0[i]),
                     b = change - d * (v1[i] - half * a1[i]);
        const double little = share * (fabs(v0[i]) + fabs(v1[i]));
        doubtful |= !(fabs(f) <= little) | !(fabs(b) <= little);
    }
    return !doubtful;
}

// Fails if the state in space, at time t, is no smooth continuation of the current one.
ctk_status ctk_driven_smooth(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    const double d = t - sim->t;
    double longest = 0, way;
    if (d == 0 || all_smooth(sim, d) || ctk_inputs_jump(sim)) return CTK_OK;
    // slow ones by a little of the longest way
    for (int i = 0; i < sim->model->n; i++) {
        missed(sim, i, d, &way);
        longest = ctk_larger(longest, way / ctk_unit(sim, i));
    }
    for (int i = 0; i < sim->model->n; i++) {
        const double unit = ctk_unit(sim, i), miss = missed(sim, i, d, &way);
        const double size = unit + fabs(s->q[i]);
        if (miss <= SMOOTH * (way + SLOW * longest * unit) + ROUNDING * size) continue;
        sim->where = i;
        return CTK_JUMPED;
    }
    return CTK_OK;
}

static int has_rates(const ctk_sim *sim) {
    return sim->model->acceleration != NULL;
}

// q' and q'' at q of space, where Phi_q is factored: Phi_q q' = -Phi_t, Phi_q q'' = gamma.
static ctk_status rates(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_closure_velocity(sim, t, sim->u, s->q, s->qd);
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    ctk_status status = ctk_rows_watch(sim);
    if (status) return status;
    ctk_acceleration(sim, t, s->q, s->qd, sim->u);
    ctk_closure_solve(sim, 1, s->gamma, s->qdd);
    ctk_copy(sim->model->n, s->qdd, s->bias);
    // all of it must be finite
    status = ctk_check_finite(sim, s->q);
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
    if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
    if (status || !ctk_efforts(sim->model)) return status;
    return ctk_friction_at(sim, t, s->q, s->qd, s->qdd, NULL, NULL);
}

// The state at time t by Newton's iteration from the prediction, into space.
static ctk_status newton(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_inputs_at(sim, t);
    ctk_copy(sim->model->n, sim->qdd, s->base_bias); // predictor q + q' dt + q'' dt^2 / 2
    ctk_status status = ctk_close_on_branch(sim, t, s->q);
    return status ? status : rates(sim, t);
}

// The same from the current position, over a piece that is short beside the distance to any
// singular position; pivot: that of Phi_q at the start of the step.
static ctk_status newton_nearby(ctk_sim *sim, double t, double pivot) {
    ctk_space *s = &sim->space;
    ctk_inputs_at(sim, t);
    ctk_copy(sim->model->n, sim->q, s->q);
    ctk_status status = ctk_closure_correct(sim, t, sim->u, s->q, DBL_MAX);
    if (status) return status;
    if (s->rank.smallest < ctk_larger(SINGULAR, DROPPED * pivot)) {
        sim->where = sim->rows[s->rank.row];
        return CTK_SINGULAR_CLOSURE;
    }
    return rates(sim, t);
}

// The state in space becomes the current one of a closure, held by its coordinates alone.
static void hold(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    // work and followed numbers; there are no earlier states to extrapolate from
    s->now[0] = sim->work += (t - sim->t) * s->now_rate[0];
    k->place(sim->c, t, s->q, sim->u, s->base_v, s->base_w);
    if (sim->options.method == CTK_NEWTON_LOOPS)
        ctk_copy(sim->model->n, s->q, s->base_w + k->n_tracked);
    s->has_past = 0;
    s->is_held = 1;
    ctk_commit(sim, t);
}

// Returns 1 if the closure's numbers a, one for each coordinate, are b: but for `part` of their own
// size and of `size` units.
static int are_same(const ctk_sim *sim, const double *a, const double *b, double part,
                    double size) {
    for (int i = 0; i < sim->model->n; i++)
        if (!(fabs(a[i] - b[i]) <= part * (size * ctk_unit(sim, i) + fabs(b[i])))) return 0;
    return 1;
}

// The same for rates, beside the largest one.
static int are_same_rates(const ctk_sim *sim, const double *a, const double *b) {
    const int n = sim->model->n;
    return are_same(sim, a, b, SAME_RATES, 1 + ctk_norm_in_units(sim, n, NULL, b));
}

// Goes back to the closure if it is accurate at the current state and finds the same position and
// the same rates.
static void let_go(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const double t = sim->t;
    const int loops = sim->options.method == CTK_NEWTON_LOOPS; // values are placed, not computed
    // signs and measures at this position
    if (!loops) {
        k->read(sim->c, t, sim->q, sim->u, s->base_v, s->base_w, s->b);
        ctk_copy(k->n_tracked, s->base_w, s->w);
        if (k->positions(sim->c, t, NULL, sim->u, s->b, s->w, s->v, s->base_g)) return;
        for (int i = 0; i < k->n_guards; i++)
            if (s->base_g[i] < CLEAR * sim->guard_scale[i]) return;
    }
    // its coordinates and their rates
    ctk_copy(sim->model->n, sim->q, s->q);
    if (k->expansion(sim->c, t, s->now, s->now, s->now_rate, sim->u, s->b, loops ? s->base_w : s->w,
                     loops ? s->base_v : s->v, s->q, s->qd, s->qdd))
        return;
    if (!are_same(sim, s->q, sim->q, SAME, 1) || !are_same_rates(sim, s->qd, sim->qd) ||
        !are_same_rates(sim, s->qdd, sim->qdd))
        return;
    if (!loops) {
        ctk_swap(&s->base_v, &s->v);
        ctk_swap(&s->base_w, &s->w);
    }
    s->is_held = 0;
}

// The state in space at time t, found without the closure, becomes the current one.
static void take(ctk_sim *sim, double t) {
    const int closed = ctk_is_closed(sim);
    if (closed)
        hold(sim, t);
    else
        ctk_commit(sim, t);
    ctk_partition_update(sim);
    if (closed) let_go(sim);
}

// One piece, to time t: by the closure, then by Newton's iteration on all rows.
static ctk_status by_method(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_status status = CTK_NO_SOLUTION;
    int where = -1;
    if (ctk_is_closed(sim) && !s->is_held) {
        ctk_state_get(sim, s->y);
        s->y[0] += (t - sim->t) * s->now_rate[0];
        status = ctk_closed_take(sim, t, s->y, 0);
        where = sim->where;
        if (status == CTK_OK || status == CTK_NOT_FINITE || !has_rates(sim)) return status;
    }
    ctk_status other = newton(sim, t);
    if (other == CTK_OK) other = ctk_driven_smooth(sim, t);
    if (other == CTK_OK) {
        take(sim, t);
        return CTK_OK;
    }
    // a step of the closure says more than a row
    if (where < 0) return other;
    sim->where = where;
    return status;
}

// The shortest piece, which the method leaves in doubt with this status.
static ctk_status by_force(ctk_sim *sim, double t, double pivot, ctk_status status) {
    const int where = sim->where;
    if (!has_rates(sim)) return status;
    ctk_status other = newton_nearby(sim, t, pivot);
    if (other == CTK_OK) {
        take(sim, t);
        return CTK_OK;
    }
    // a step of the closure says more than a row; a bend is that of a singular position
    if (status == CTK_JUMPED && other == CTK_SINGULAR_CLOSURE) return other;
    sim->where = where;
    return status;
}

// Smallest pivot of the scaled Phi_q at the current state; 0 if it is singular.
static double regularity(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    ctk_position(sim, sim->t, sim->q, s->base_u);
    return ctk_closure_factor(sim) ? 0 : s->rank.smallest;
}

// Takes the best rows of the current state, which a closure does not renew by itself, for Newton's
// iteration on all rows. Returns 1 if they are others.
static int other_rows(ctk_sim *sim) {
    const int where = sim->where;
    if (!ctk_is_closed(sim) || !has_rates(sim) || !sim->model->n_spare) return 0;
    ctk_inputs_at(sim, sim->t);
    if (ctk_partition_retry(sim)) return 1;
    sim->where = where;
    return 0;
}

// From the current state to time t in pieces of 1/2, 1/4, ... of the step.
static ctk_status in_pieces(ctk_sim *sim, double t) {
    const double t0 = sim->t, pivot = regularity(sim);
    double at = 0, piece = 0.5;
    ctk_status status = CTK_OK;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const double next = at + piece, now = next < 1 ? t0 + next * (t - t0) : t;
        status = by_method(sim, now);
        if (status == CTK_NOT_FINITE) return status;
        if (status && other_rows(sim)) status = by_method(sim, now);
        if (status && piece <= SHORTEST) {
            status = by_force(sim, now, pivot, status);
            if (status) return status;
        }
        // longer pieces again where they fit the grid of halves
        if (status) {
            piece /= 2;
            continue;
        }
        at = next;
        if (at >= 1) return CTK_OK;
        if (fmod(at, 2 * piece) == 0) piece *= 2;
    }
    return CTK_NO_CONVERGENCE;
}

// A step to time t that has failed in one piece, with this status. On failure the state before it
// is kept.
ctk_status ctk_driven_pieces(ctk_sim *sim, double t, ctk_status status) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, jump = ctk_inputs_jump(sim);
    // nothing to divide: another time or other inputs have no solution
    const int rubs = status == CTK_NO_FRICTION || status == CTK_FRICTION_OPEN;
    if (status == CTK_NOT_FINITE || rubs || t == sim->t || jump) return status;
    // copies of the state and of all that the closure has
    const ctk_sim before = *sim;
    double *const copy = s->kept;
    if (ctk_is_closed(sim)) memcpy(s->saved, s->closed, s->closed_size * sizeof *s->saved);
    ctk_copy(n, sim->q, copy);
    ctk_copy(n, sim->qd, copy + n);
    ctk_copy(n, sim->qdd, copy + 2 * n);
    status = in_pieces(sim, t);
    if (status == CTK_OK) return CTK_OK;
    // a step of the closure says more than a row
    int where = sim->where;
    const int limit = sim->options.method == CTK_TRIANGULAR && status != CTK_NO_SOLUTION
                          ? ctk_limit_here(sim)
                          : -1;
    if (limit >= 0) {
        where = limit;
        status = CTK_NO_SOLUTION;
    }
    // back to the state before; rows that were chosen on the way are not those of it
    const int exchanged = sim->row_changes != before.row_changes;
    *sim = before;
    sim->where = where;
    ctk_inputs_at(sim, sim->t);
    if (ctk_is_closed(sim)) memcpy(s->closed, s->saved, s->closed_size * sizeof *s->saved);
    ctk_copy(n, copy, sim->q);
    ctk_copy(n, copy + n, sim->qd);
    ctk_copy(n, copy + 2 * n, sim->qdd);
    if (exchanged) {
        ctk_rows_reset(sim);
        ctk_partition_retry(sim);
        sim->where = where;
    }
    return status;
}

// A step to time t, in one piece where that is beyond doubt.
ctk_status ctk_driven_step(ctk_sim *sim, double t) {
    ctk_status status = by_method(sim, t);
    return status ? ctk_driven_pieces(sim, t, status) : CTK_OK;
}

// Starts with the coordinates alone, closed and with their rates, where the closure has no value.
ctk_status ctk_driven_hold(ctk_sim *sim, double t, ctk_status status) {
    ctk_space *s = &sim->space;
    const int where = sim->where, n = sim->model->n;
    if (!has_rates(sim) || status == CTK_NOT_FINITE || status == CTK_BAD_OPTION) return status;
    ctk_position(sim, t, sim->q, sim->u);
    ctk_copy(n, sim->q, s->q);
    if (ctk_closure_factor(sim) || rates(sim, t)) {
        sim->where = where;
        return status;
    }
    sim->t = t;
    hold(sim, t);
    return CTK_OK;
}
