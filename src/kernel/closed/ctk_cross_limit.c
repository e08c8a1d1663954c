// Crossing limit positions. Where two branches of the closure meet, the motion goes on along the
// other branch: coordinate partitioning integrates across, with independent coordinates that are
// regular there. Behind the limit position, where fixed steps of the closure are accurate again,
// the signs are read off the state, and the closure takes over. The same carries a closure past
// positions where the rows that it was made of depend on each other, while others do not.
#include "ctk_internal.h"

static const double CLOSE = 1e-3; // a measure, in parts of its scale
static const double FARTHER = 2;  // than where the closure was left
static const double NEAR = 0.3;   // a measure of a loop, in parts of its largest value
enum { AGAIN = 64 };              // steps until a closure that lost digits is tried again

void ctk_save_state(ctk_sim *sim) {
    if (!sim->model->closure) return;
    ctk_copy(ctk_positions(sim->model), sim->q, sim->space.saved_q);
    ctk_copy(sim->model->n, sim->qd, sim->space.saved_qd);
}

// Changes the method at the state of ctk_save_state.
static ctk_status change(ctk_sim *sim, ctk_method method) {
    ctk_space *s = &sim->space;
    ctk_copy(ctk_positions(sim->model), s->saved_q, sim->q);
    ctk_copy(sim->model->n, s->saved_qd, sim->qd);
    sim->options.method = method;
    sim->options.independent = ctk_is_closed(sim) ? ctk_closed_choice(sim->model) : NULL;
    return ctk_start(sim, sim->t);
}

static int is_complete(const ctk_sim *sim) {
    return sim->model->dynamics && sim->model->acceleration;
}

// Returns 1 if a closure with freedoms is integrated and the code serves partition too.
static int can_cross(const ctk_sim *sim) {
    return ctk_is_closed(sim) && sim->model->closure->n_independent > 0 && is_complete(sim);
}

// Returns 1 if the failure of a closure may be that of a limit position; with redundant rows also
// if its equations for rates have become singular.
static int is_limit(const ctk_sim *sim, ctk_status status) {
    if (status == CTK_SINGULAR_MASS) return sim->model->n_spare > 0;
    if (sim->options.method == CTK_TRIANGULAR) return status == CTK_NO_SOLUTION;
    return sim->options.method == CTK_NEWTON_LOOPS &&
           (status == CTK_SINGULAR_CLOSURE || status == CTK_NO_CONVERGENCE);
}

int ctk_may_cross_limit(const ctk_sim *sim, ctk_status status) {
    return sim->options.cross_limits && is_limit(sim, status) && can_cross(sim);
}

// Returns 1 at a limit position if crossing is asked for and the model was generated for its
// closure alone. The run ends while its steps are still accurate, so that a caller with complete
// code can go on from there.
int ctk_must_stop(const ctk_sim *sim, ctk_status status) {
    return sim->options.cross_limits && is_limit(sim, status) &&
           sim->model->closure->n_independent > 0 && !is_complete(sim);
}

// Leaves a closure that has lost digits, as the last look at the state has found. Returns 1 if partition
// goes on; where it cannot, the closure does until rows are open.
int ctk_leave_loose(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    if (!ctk_is_closed(sim) || !s->is_loose || !ctk_may_cross_limit(sim, CTK_NO_SOLUTION)) return 0;
    sim->where = -1;
    if (ctk_cross_limit(sim)) {
        s->is_loose = 0;
        return 0;
    }
    s->was_loose = 1;
    s->until_tried = AGAIN;
    return 1;
}

// Measures of the closure that was left.
static int n_left(const ctk_sim *sim) {
    const ctk_closure *k = sim->model->closure;
    return sim->space.left_method == CTK_NEWTON_LOOPS ? k->n_loops : k->n_guards;
}

// Index of the measure that is nearest to its limit, among those of one step (-1: of all steps).
static int nearest(const ctk_sim *sim, int step, const double *g) {
    const ctk_closure *k = sim->model->closure;
    int best = -1;
    for (int i = 0; i < n_left(sim); i++) {
        if (step >= 0 && k->guard_step[i] != step) continue;
        if (best < 0 || g[i] * sim->space.most_g[best] < g[best] * sim->space.most_g[i]) best = i;
    }
    return best;
}

// Records signs, nearest measure and its value at the moment when the closure is left.
static void leave(ctk_sim *sim, int step) {
    ctk_space *s = &sim->space;
    s->left = step < 0 && s->left_method == CTK_TRIANGULAR ? -1 : nearest(sim, step, s->base_g);
    s->left_g = s->left < 0 ? 0 : s->base_g[s->left];
    ctk_copy(sim->model->closure->n_signs, s->b, s->left_b);
}

ctk_status ctk_cross_limit(ctk_sim *sim) {
    if (!ctk_is_closed(sim) || !can_cross(sim))
        return sim->model->dynamics ? CTK_BAD_OPTION : CTK_CLOSURE_ONLY;
    // all coordinates of the current state, and what the closure was near to: a step, or a loop
    const ctk_method method = sim->options.method;
    const int step = method == CTK_TRIANGULAR ? sim->where : -1;
    sim->space.left_method = method;
    sim->space.was_loose = 0;
    ctk_inputs_at(sim, sim->t);
    ctk_status status = ctk_refresh(sim);
    if (status) return status;
    ctk_save_state(sim);
    leave(sim, step);
    // partition from there
    status = change(sim, CTK_PARTITION);
    if (status) { // back to where it was, which the closure still holds
        sim->options.method = method;
        sim->options.independent = ctk_closed_choice(sim->model);
        ctk_refresh(sim);
        return status;
    }
    // on the way
    sim->crossing_limit = 1;
    sim->limits_crossed++;
    sim->limit = step;
    return CTK_OK;
}

// Starts with partition where the closure cannot start, or starts where two branches nearly meet.
// status: result of the closure's start.
ctk_status ctk_cross_limit_at_start(ctk_sim *sim, ctk_status status) {
    const ctk_closure *k = sim->model->closure;
    // a step without solution, or a measure that is nearly 0
    int step = status == CTK_NO_SOLUTION ? sim->where : -1, close = 0;
    if (!sim->options.cross_limits || !can_cross(sim)) return status;
    sim->space.left_method = sim->options.method;
    const int guards = sim->options.method == CTK_TRIANGULAR ? k->n_guards : 0;
    for (int i = 0; i < guards && status == CTK_OK; i++)
        if (sim->space.base_g[i] < CLOSE * sim->guard_scale[i]) {
            close = 1;
            step = k->guard_step[i];
        }
    // no limit position: the result of the start stands
    if (!close && !is_limit(sim, status) && status != CTK_SINGULAR_CLOSURE) return status;
    if (close) leave(sim, step);
    sim->space.left = close ? sim->space.left : -1;
    // partition from the initial state
    status = change(sim, CTK_PARTITION);
    sim->crossing_limit = 1;
    sim->limits_crossed = 1;
    sim->limit = step;
    return status;
}

// x1, x: distance to a limit position before and after a step. Returns 1 if it changes by less than
// 1 / (1.5 ahead) of itself: then fixed steps of the closure are accurate.
static int is_steady(double x, double x1, double ahead) {
    return fabs(x - x1) * 1.5 * ahead <= x;
}

// Returns 1 if all measures are away from their limits and steady, and the one that ended the
// closure has grown to FARTHER times its value then.
static int is_regular(const ctk_sim *sim, double ahead) {
    const ctk_space *s = &sim->space;
    const int loops = s->left_method == CTK_NEWTON_LOOPS;
    if (s->left >= 0 && !(s->g[s->left] >= FARTHER * s->left_g)) return 0;
    for (int i = 0; i < n_left(sim); i++) {
        if (!loops && !(s->g[i] >= CLOSE * sim->guard_scale[i])) return 0;
        const int near = loops ? s->g[i] < NEAR * s->most_g[i] : ctk_is_near(sim, i, s->g[i]);
        if (near && !is_steady(sqrt(s->g[i]), sqrt(s->base_g[i]), ahead)) return 0;
    }
    return 1;
}

// Measures g of the closure at the current state of partition. Returns 0, or 1 + the step that has
// no solution there.
static int measure(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *qi = s->y;
    ctk_inputs_at(sim, sim->t);
    if (sim->model->n_rotations > k->n_rotations) ctk_follow_angles(sim);
    ctk_closed_state(sim, qi, NULL);
    k->read(sim->c, sim->t, sim->q, sim->u, s->v, s->w, s->b);
    if (s->left_method == CTK_NEWTON_LOOPS) {
        ctk_copy(sim->model->n, sim->q, s->w + k->n_tracked);
        for (int i = 0; i < k->n_loops; i++) s->branches[i] = 0;
        return ctk_loops_close(sim, sim->t, qi, sim->u) != CTK_OK;
    }
    return k->positions(sim->c, sim->t, qi, sim->u, s->b, s->w, s->v, s->g);
}

// The step of the closure that the current state, whose coordinates are known, is at the limit of;
// -1: none.
int ctk_limit_here(ctk_sim *sim) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const double near = 0.03; // a measure, in parts of its scale
    const int code = measure(sim), i = code ? -1 : nearest(sim, -1, s->g);
    if (code) return code - 1;
    return i >= 0 && s->g[i] < near * sim->guard_scale[i] ? k->guard_step[i] : -1;
}

// After a step of partition: returns to the closure if all measures are regular. Returns 1 if the
// integrated state has changed.
int ctk_cross_limit_finish(ctk_sim *sim, double ahead) {
    ctk_space *s = &sim->space;
    if (s->was_loose && s->until_tried-- > 0) return 0;
    // measures at this state; without them there is nothing to compare the next with
    if (measure(sim)) {
        s->has_past = 0;
        return 0;
    }
    // regular: farther than where the closure was left, and steady
    const int ready = s->has_past && is_regular(sim, ahead);
    ctk_swap(&s->g, &s->base_g);
    s->has_past = 1;
    if (!ready) return 0;
    // the closure again, from this state; partition if it cannot start
    const int n = sim->model->closure->n_signs;
    const double residual = sim->max_residual;
    ctk_save_state(sim);
    if (change(sim, s->left_method) || s->is_loose) {
        sim->max_residual = residual;
        s->was_loose |= s->is_loose;
        s->until_tried = AGAIN;
        change(sim, CTK_PARTITION);
        return 1;
    }
    // signs that differ from those before: another branch
    sim->crossing_limit = 0;
    for (int i = 0; i < n; i++)
        if (s->left_b[i] != 0 && s->b[i] != s->left_b[i]) {
            sim->branch_changes++;
            break;
        }
    return 1;
}

// Partition has failed while a limit position was to be crossed: the motion ends there. The message
// names the step of the closure that is nearest to its limit, which says more than a constraint
// row.
ctk_status ctk_cross_limit_blame(ctk_sim *sim, ctk_status status) {
    if (status != CTK_SINGULAR_CLOSURE && status != CTK_NO_CONVERGENCE && status != CTK_JUMPED)
        return status;
    const int where = sim->where;
    if (sim->space.left_method == CTK_NEWTON_LOOPS) return status;
    int i = measure(sim) ? -1 : nearest(sim, -1, sim->space.g);
    sim->where = i >= 0 ? sim->model->closure->guard_step[i] : sim->limit;
    if (sim->where >= 0) return CTK_NO_SOLUTION;
    sim->where = where;
    return status;
}
