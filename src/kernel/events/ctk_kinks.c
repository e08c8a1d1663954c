// Kinks of motions: times at which the rate of a prescribed motion jumps, as that of min(t, 0.5) does at
// t = 0.5. The model gives functions s of time that are zero there. Within a step s changes its sign, or
// it touches zero and turns back, as 1 - sin(t) does for asin(sin(t)): then s' changes its sign. Both are
// found by bisection, to the last digit. The step is divided there, and bodies get their impulse
// (ctk_events.c).
#include "ctk_internal.h"

static const double TOUCH = 1e-3; // of s at the ends of a step: less beside an extremum is zero
static const double PART = 1e-9;  // of a step: a kink that lies no farther behind its end is at it
enum { ROUNDINGS = 8 };           // of times, beside a kink: expressions are on one side of it

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

// Numbers of the model at time t: s [n_kinks], s' [n_kinks].
static void look(ctk_sim *sim, double t, double *value) {
    ctk_inputs_at(sim, t);
    sim->model->kinks(sim->c, t, sim->u, value);
}

// The first time in (low, high] from which on number k has the sign that it has at `high`.
static double first_time(ctk_sim *sim, int k, double low, double high, int behind) {
    double *value = sim->space.kinks + 4 * sim->model->n_kinks;
    for (double middle; middle = low + (high - low) / 2, middle > low && middle < high;) {
        look(sim, middle, value);
        *(sign_of(value[k]) == behind ? &high : &low) = middle;
    }
    return high;
}

// The first kink that s number k has between times `low` and `high`, with the numbers from and to there;
// INFINITY: none. Zero at `high` belongs to this way. Zero at `low` has been passed, unless s turns back:
// beside an extremum that touches zero, s is zero by rounding.
static double kink_of(ctk_sim *sim, int k, double low, double high, const double *from,
                      const double *to) {
    const int n = sim->model->n_kinks, leaves = sign_of(from[n + k]), arrives = sign_of(to[n + k]);
    const int before = from[k] != 0 ? sign_of(from[k]) : -leaves,
              behind = to[k] != 0 ? sign_of(to[k]) : arrives;
    if (!before || (from[k] == 0 && leaves != -arrives)) return INFINITY;
    if (before != behind) return first_time(sim, k, low, high, behind);
    // an extremum on the way to zero
    if (leaves != -before || arrives != before) return INFINITY;
    const double at = first_time(sim, n + k, low, high, before);
    double *value = sim->space.kinks + 4 * n;
    look(sim, at, value);
    if (sign_of(value[k]) == -before) return first_time(sim, k, low, at, -before);
    const double size = ctk_larger(fabs(from[k]), fabs(to[k]));
    return fabs(value[k]) <= TOUCH * size ? at : INFINITY;
}

// The first kink behind the current state, until time t; INFINITY: there is none.
static double find(ctk_sim *sim, double t) {
    const int n = sim->model->n_kinks;
    double *from = sim->space.kinks, *to = from + 2 * n, first = INFINITY;
    if (!n || !(t > sim->t)) return INFINITY;
    // inputs on the way, then again those of the state
    ctk_inputs_begin(sim);
    look(sim, sim->t, from);
    look(sim, t, to);
    for (int k = 0; k < n; k++) {
        const double at = kink_of(sim, k, sim->t, t, from, to);
        if (at < first) first = at;
    }
    ctk_inputs_at(sim, sim->t);
    ctk_inputs_end(sim, CTK_OK);
    return first;
}

double ctk_next_kink(ctk_sim *sim, double t) {
    const double at = find(sim, t);
    return at < t ? at : t;
}

// From just before a kink to just behind it: the impulse, over all rows that hold.
static ctk_status pass(ctk_sim *sim, double t) {
    int n;
    double change;
    ctk_status status = ctk_refresh(sim);
    sim->t = t;
    return status ? status : ctk_event_pass(sim, 1, NULL, &n, &change);
}

// One step of length h, divided at kinks.
ctk_status ctk_kinks_step(ctk_sim *sim, double h) {
    const double end = sim->t + h, margin = PART * h;
    for (int divided = 0;; divided = 1) {
        const double at = find(sim, end + margin), rest = end - sim->t;
        // no kink is left; a rest is none where it is rounding
        if (!isfinite(at)) return divided && rest <= margin ? CTK_OK : ctk_smooth_step(sim, rest);
        const double rounding = ROUNDINGS * DBL_EPSILON * fabs(at);
        const double before = at - rounding < end ? at - rounding : end;
        ctk_status status = CTK_OK;
        if (before > sim->t) status = ctk_smooth_step(sim, before - sim->t);
        if (status == CTK_OK) status = pass(sim, at + rounding);
        if (status) return status;
    }
}
