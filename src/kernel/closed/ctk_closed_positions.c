// Positions with a closure. Iterated unknowns and followed numbers w start from an extrapolation of
// their last values. If that fails they are followed in smaller pieces along the straight line in
// (t, q_i, u) from the current state to the requested one. A closure without w does not come here.
#include "ctk_internal.h"

static const double SHORTEST = 1.0 / 64; // of the way, in one piece
enum { ATTEMPTS = 160 };

static ctk_status try_positions(ctk_sim *sim, double t, const double *qi, const double *u) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    if (sim->options.method == CTK_NEWTON_LOOPS) return ctk_loops_close(sim, t, qi, u);
    int code = k->positions(sim->c, t, qi, u, s->b, s->w, s->v, s->g);
    if (code == 0) return CTK_OK;
    sim->where = code - 1;
    return CTK_NO_SOLUTION;
}

// Extrapolates w to time t: the parabola through the last three states, the line through the last
// two, or the last state, as far as states are known and t is not too far away.
static void extrapolate(ctk_sim *sim, double t, int n) {
    enum { FARTHEST = 3 };
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    // steps in time: to t, the last one, the one before
    const double h = t - sim->t, h1 = sim->t - s->past_t, h2 = s->past_t - s->older_t;
    // Newton's divided differences; none where they reach too far
    double first = s->has_past ? h / h1 : 0, second = 0;
    if (!(fabs(first) <= FARTHEST)) first = 0;
    if (s->has_past > 1 && first != 0) second = h * (h + h1) / (h1 + h2);
    if (!(fabs(second) <= FARTHEST * FARTHEST * fabs(h1))) second = 0;
    // w = w0 + line (w0 - w1) - bend (w1 - w2)
    const double line = first + (second != 0 ? second / h1 : 0),
                 bend = second != 0 ? second / h2 : 0;
    for (int i = 0; i < n; i++)
        s->w[i] = s->base_w[i] + line * (s->base_w[i] - s->past_w[i]) -
                  bend * (s->past_w[i] - s->older_w[i]);
    // carried numbers are not extrapolated
    for (int i = k->n_tracked - k->n_carried; i < k->n_tracked; i++) s->w[i] = s->base_w[i];
}

// Positions at (t, qi) in pieces of the way from the current state; n: length of w.
static ctk_status follow(ctk_sim *sim, double t, const double *qi, int n) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int r = model->closure->n_independent + model->closure->n_rotations;
    // share of the way that is done, and the share to try next
    double at = 0, piece = 0.5, *mid = s->goal, *reached = s->path_w;
    ctk_status status = CTK_NO_CONVERGENCE;
    ctk_copy(n, s->base_w, reached);
    // pieces of the way: half as long after a failure, twice after a success
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        // the point (t, q_i, u) at share `next`
        double next = at + piece, now = next < 1 ? sim->t + next * (t - sim->t) : t;
        for (int i = 0; i < r; i++)
            mid[i] = next < 1 ? s->now[i] + next * (qi[i] - s->now[i]) : qi[i];
        for (int j = 0; j < ctk_input_numbers(model); j++)
            s->path_u[j] = next < 1 ? s->base_u[j] + next * (sim->u[j] - s->base_u[j]) : sim->u[j];
        // positions there, from the followed numbers of the last point
        ctk_copy(n, reached, s->w);
        status = try_positions(sim, now, mid, s->path_u);
        if (status == CTK_OK && next >= 1) return CTK_OK;
        // that point is the next start
        if (status == CTK_OK) {
            ctk_copy(n, s->w, reached);
            at = next;
            if (at + 2 * piece <= 1) piece *= 2;
        } else {
            piece /= 2;
            if (piece < SHORTEST) return status;
        }
    }
    return status ? status : CTK_NO_CONVERGENCE;
}

ctk_status ctk_closed_positions(ctk_sim *sim, double t, const double *qi) {
    const int n = ctk_followed_numbers(sim);
    extrapolate(sim, t, n);
    ctk_status status = try_positions(sim, t, qi, sim->u);
    if (status == CTK_OK) return status;
    for (int i = 0; i < sim->model->closure->n_independent; i++)
        if (!isfinite(qi[i])) return status;
    return follow(sim, t, qi, n);
}
