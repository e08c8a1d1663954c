// How far the steps of the integrators are off. Each step has an estimate that costs a few
// differences of derivatives it has computed anyway, the derivative k' at its end among them: the
// difference to a formula of lower order. For y' = f(y) with steps of length h,
//   euler  h/2 (k' - k1)
//   rk2    h/3 (k1 - 2 k2 + k'), twice the difference to Simpson's rule
//   rk4    h/6 (k4 - k'), the difference to the weights (1/6, 1/3, 1/3, 0, 1/6) of third order
//   ab4    251/720 h (f' - 4 f + 6 f1 - 4 f2 + f3), the fourth difference.
// Errors are kept as errors of a rate: that of a coordinate is divided by the length of its step.
// They compare with the largest rate of the coordinate in the run, which is known at the end.
#include "ctk_internal.h"

// A coordinate is slow below this share of the fastest one, both in their units, and still if it
// would move by less than this part of its unit in the run: what it does then is rounding.
static const double SLOW = 1e-4, STILL = 1e-9;

// Numbers e with h e = error of y in the step that ends at the current state. last: y' there.
static void differences(const ctk_sim *sim, int n, const double *restrict last,
                        double *restrict e) {
    double *const *k = sim->space.rate, *const *f = sim->space.past;
    switch (sim->options.integrator) {
    case CTK_EULER:
        for (int i = 0; i < n; i++) e[i] = (last[i] - k[0][i]) / 2;
        return;
    case CTK_RK2:
        for (int i = 0; i < n; i++) e[i] = (k[0][i] - 2 * k[1][i] + last[i]) / 3;
        return;
    case CTK_AB4:
        if (sim->history < 3) break; // a step of rk4
        for (int i = 0; i < n; i++)
            e[i] = 251.0 / 720 * (last[i] - 4 * (k[0][i] + f[1][i]) + 6 * f[0][i] + f[2][i]);
        return;
    default: break;
    }
    const double *restrict end = k[3];
    for (int i = 0; i < n; i++) e[i] = (end[i] - last[i]) * (1.0 / 6);
}

void ctk_note_error(ctk_sim *sim, double h) {
    ctk_space *s = &sim->space;
    const int work = (int)sim->state_size - 1, closed = ctk_is_closed(sim);
    // y' at the end of the step, and its error by the formula of the integrator
    const double *restrict last = s->now_rate;
    double *restrict e = s->trial;
    if (!closed) {
        ctk_current_rate(sim, s->y);
        last = s->y;
    }
    differences(sim, work, last, e);
    // the largest rate of each coordinate, and the largest error: of its change over h, or its own;
    // positions in y are those of the coordinates with rates there, or of all coordinates
    const int rates = ctk_rates(sim), first = work - rates;
    const int *restrict index =
        closed ? sim->model->closure->independent : ctk_rate_coordinates(sim);
    const int all = first - ctk_state_rotations(sim) > rates;
    const double length = fabs(h), t = sim->t;
    double *restrict most_rate = s->most_rate, *restrict most_error = s->most_error;
    double *restrict sum_error = s->sum_error, *restrict error_t = s->error_t;
    int doubtful = 0;
    for (int k = 0; k < rates; k++) {
        const int j = index ? index[k] : k, i = all ? j : k;
        const double rate = fabs(last[i]);
        const double error = ctk_larger(fabs(e[i]), fabs(e[first + k]) * length);
        sum_error[j] += length * error;
        if (rate > most_rate[j]) most_rate[j] = rate;
        if (error > most_error[j]) {
            most_error[j] = error;
            error_t[j] = t;
        }
        doubtful |= !(most_error[j] <= CTK_LONG_STEP * most_rate[j]);
    }
    s->is_doubtful = doubtful;
}

// The largest rate of a coordinate in the run, and of the other two where it is one of three components
// of a spin: how far that vector is off does not depend on the frame that it is written in.
static double rate_of(const ctk_sim *sim, int j) {
    const ctk_model *m = sim->model;
    const double *rate = sim->space.most_rate;
    double most = rate[j];
    for (int r = 0; r < m->n_rotations; r++) {
        const int at = m->rotations[r].at;
        if (j < at || j >= at + 3) continue;
        for (int k = at; k < at + 3; k++) most = ctk_larger(most, rate[k]);
    }
    return most;
}

double ctk_local_error(const ctk_sim *sim, int *where, double *t) {
    const ctk_space *s = &sim->space;
    const double elapsed = fabs(sim->t - sim->start);
    double fastest = 0, largest = 0;
    if (where) *where = -1;
    if (t) *t = sim->t;
    if (!(elapsed > 0)) return 0;
    // the rate that all of them compare with
    for (int j = 0; j < sim->model->n; j++)
        fastest = ctk_larger(fastest, s->most_rate[j] / ctk_unit(sim, j));
    const double least = ctk_larger(SLOW * fastest, STILL / elapsed);
    // the coordinate with the largest error of its own rate
    for (int j = 0; j < sim->model->n; j++) {
        const double scale = ctk_larger(rate_of(sim, j), least * ctk_unit(sim, j));
        if (!(s->most_error[j] > largest * scale)) continue;
        largest = s->most_error[j] / scale;
        if (where) *where = j;
        if (t) *t = s->error_t[j];
    }
    return largest;
}
