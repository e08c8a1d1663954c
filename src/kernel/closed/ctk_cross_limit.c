// Passing limit positions. Where branches of the closure meet, the motion goes on along the other
// one: partition carries it past, with independent coordinates that are regular there. Behind, at a
// distance from which fixed steps are accurate again, the signs are read off the state, and the
// closure takes over.
#include "ctk_internal.h"

static const double CLOSE = 1e-3; // a measure, in parts of its scale
static const double FARTHER = 2;  // than where the closure was left

void ctk_save_state(ctk_sim *sim) {
    if (!sim->model->closure) return;
    ctk_copy(sim->model->n, sim->q, sim->space.saved_q);
    ctk_copy(sim->model->n, sim->qd, sim->space.saved_qd);
}

// Changes the method at the state that is kept.
static ctk_status change(ctk_sim *sim, ctk_method method) {
    ctk_space *s = &sim->space;
    ctk_copy(sim->model->n, s->saved_q, sim->q);
    ctk_copy(sim->model->n, s->saved_qd, sim->qd);
    sim->options.method = method;
    sim->options.independent = ctk_is_closed(sim) ? sim->model->closure->independent : NULL;
    return ctk_start(sim, sim->t);
}

static int is_complete(const ctk_sim *sim) {
    return sim->model->dynamics && sim->model->acceleration;
}

static int can_cross(const ctk_sim *sim) {
    return sim->options.method == CTK_TRIANGULAR && sim->model->closure->n_independent > 0 &&
           is_complete(sim);
}

int ctk_may_cross_limit(const ctk_sim *sim, ctk_status status) {
    return sim->options.cross_limits && status == CTK_NO_SOLUTION && can_cross(sim);
}

// A caller that wants to pass, and has what this model lacks, must hear of it while the steps are
// still accurate.
int ctk_must_stop(const ctk_sim *sim, ctk_status status) {
    return sim->options.cross_limits && status == CTK_NO_SOLUTION &&
           sim->options.method == CTK_TRIANGULAR && sim->model->closure->n_independent > 0 &&
           !is_complete(sim);
}

// The measure that is nearest to its limit, of this step alone (-1: of any).
static int nearest(const ctk_sim *sim, int step, const double *g) {
    const ctk_closure *k = sim->model->closure;
    int best = -1;
    for (int i = 0; i < k->n_guards; i++) {
        if (step >= 0 && k->guard_step[i] != step) continue;
        if (best < 0 || g[i] * sim->space.most_g[best] < g[best] * sim->space.most_g[i]) best = i;
    }
    return best;
}

static void leave(ctk_sim *sim, int step) {
    ctk_space *s = &sim->space;
    s->left = step < 0 ? -1 : nearest(sim, step, s->base_g);
    s->left_g = s->left < 0 ? 0 : s->base_g[s->left];
    ctk_copy(sim->model->closure->n_signs, s->b, s->left_b);
}

ctk_status ctk_cross_limit(ctk_sim *sim) {
    if (!ctk_is_closed(sim) || !can_cross(sim))
        return sim->model->dynamics ? CTK_BAD_OPTION : CTK_CLOSURE_ONLY;
    const int step = sim->where;
    ctk_status status = ctk_refresh(sim);
    if (status) return status;
    ctk_save_state(sim);
    leave(sim, step);
    status = change(sim, CTK_PARTITION);
    if (status) { // back to where it was, which the closure still holds
        sim->options.method = CTK_TRIANGULAR;
        sim->options.independent = sim->model->closure->independent;
        ctk_refresh(sim);
        return status;
    }
    sim->crossing_limit = 1;
    sim->limits_crossed++;
    sim->limit = step;
    return CTK_OK;
}

// A closure that cannot start, or starts where branches all but meet, is passed at once. status:
// how it started.
ctk_status ctk_cross_limit_at_start(ctk_sim *sim, ctk_status status) {
    const ctk_closure *k = sim->model->closure;
    int step = status == CTK_NO_SOLUTION ? sim->where : -1, close = 0;
    if (!sim->options.cross_limits || !can_cross(sim)) return status;
    for (int i = 0; i < k->n_guards && status == CTK_OK; i++)
        if (sim->space.base_g[i] < CLOSE * k->guard_scale[i]) {
            close = 1;
            step = k->guard_step[i];
        }
    if (!close && status != CTK_NO_SOLUTION && status != CTK_SINGULAR_CLOSURE) return status;
    if (close) leave(sim, step);
    sim->space.left = close ? sim->space.left : -1;
    status = change(sim, CTK_PARTITION);
    sim->crossing_limit = 1;
    sim->limits_crossed = 1;
    sim->limit = step;
    return status;
}

// Does x, one step after x1, change little enough for steps of the closure?
static int is_steady(double x, double x1, double ahead) {
    return fabs(x - x1) * 1.5 * ahead <= x;
}

static int is_regular(const ctk_sim *sim, double ahead) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    if (s->left >= 0 && !(s->g[s->left] >= FARTHER * s->left_g)) return 0;
    for (int i = 0; i < k->n_guards; i++) {
        if (!(s->g[i] >= CLOSE * k->guard_scale[i])) return 0;
        if (ctk_is_near(sim, i, s->g[i]) && !is_steady(sqrt(s->g[i]), sqrt(s->base_g[i]), ahead))
            return 0;
    }
    return 1;
}

// Measures of the state that partition has come to, as the closure sees it.
static int measure(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *qi = s->y;
    for (int i = 0; i < k->n_independent; i++) qi[i] = sim->q[k->independent[i]];
    k->read(sim->c, sim->t, sim->q, sim->u, s->v, s->w, s->b);
    return k->positions(sim->c, sim->t, qi, sim->u, s->b, s->w, s->v, s->g) == 0;
}

// After a step of partition: the closure again where that is safe; tells whether it was.
int ctk_cross_limit_finish(ctk_sim *sim, double ahead) {
    ctk_space *s = &sim->space;
    if (!measure(sim)) {
        s->has_past = 0;
        return 0;
    }
    const int ready = s->has_past && is_regular(sim, ahead);
    ctk_swap(&s->g, &s->base_g);
    s->has_past = 1;
    if (!ready) return 0;
    const int n = sim->model->closure->n_signs;
    ctk_save_state(sim);
    if (change(sim, CTK_TRIANGULAR)) {
        change(sim, CTK_PARTITION);
        return 1;
    }
    sim->crossing_limit = 0;
    for (int i = 0; i < n; i++)
        if (s->left_b[i] != 0 && s->b[i] != s->left_b[i]) {
            sim->branch_changes++;
            break;
        }
    return 1;
}

// Where partition fails on the way past a limit position, there is none: the step of the closure
// that is nearest to its end says more.
ctk_status ctk_cross_limit_blame(ctk_sim *sim, ctk_status status) {
    if (status != CTK_SINGULAR_CLOSURE && status != CTK_NO_CONVERGENCE && status != CTK_JUMPED)
        return status;
    const int where = sim->where;
    int i = measure(sim) ? nearest(sim, -1, sim->space.g) : -1;
    sim->where = i >= 0 ? sim->model->closure->guard_step[i] : sim->limit;
    if (sim->where >= 0) return CTK_NO_SOLUTION;
    sim->where = where;
    return status;
}
