// Method newton-loops: positions by Newton's iteration, one group of loops after the other; then
// the values v of the closure from all coordinates, for its dynamics.
#include "ctk_internal.h"

enum { CORRECTIONS = 20 };

// |Phi|_inf, each row divided by its unit, or by its largest derivative if that is more.
static double residual(const ctk_sim *sim, const ctk_loop *loop, const double *phi,
                       const double *phi_q) {
    const int n = loop->n;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double row = ctk_row_unit(sim, loop->row[i]);
        for (int j = 0; j < n; j++)
            row = ctk_larger(row, fabs(phi_q[i * n + j]) * ctk_unit(sim, loop->unknown[j]));
        const double e = fabs(phi[i]) / row;
        if (!(e <= worst)) worst = e;
        if (e != e) break;
    }
    return worst;
}

// Closes one group of loops: its unknowns in q. As in ctk_closure.c the result is accepted if the
// iteration contracts and det Phi_u has the sign *branch (0: set here). *measure: det^2.
static ctk_status close_loop(ctk_sim *sim, const ctk_loop *loop, double t, const double *u,
                             double *q, double *branch, double *measure) {
    ctk_space *s = &sim->space;
    double last = HUGE_VAL;
    sim->where = loop->row[0];
    if (sim->model->context) sim->c[1] = (double)(loop - sim->model->closure->loops);
    // Newton's iteration: Phi_u du = Phi, u -= du
    for (int count = 0; count < CORRECTIONS; count++) {
        double determinant, size = 0, largest = 1;
        loop->residual(sim->c, t, q, u, s->phi, s->phi_q);
        double error = residual(sim, loop, s->phi, s->phi_q);
        if (!(error <= DBL_MAX)) return CTK_NO_CONVERGENCE;
        if (!ctk_small_solve(loop->n, 1, s->phi_q, s->phi, &determinant))
            return CTK_SINGULAR_CLOSURE;
        // size of the correction and of the unknowns
        for (int i = 0; i < loop->n; i++) {
            const double unit = ctk_unit(sim, loop->unknown[i]);
            size = ctk_larger(size, fabs(s->phi[i]) / unit);
            largest = ctk_larger(largest, fabs(q[loop->unknown[i]]) / unit);
        }
        // converged up to the rounding of q; otherwise a correction is at most half of the last
        const int good = error <= sim->options.tolerance + 16 * DBL_EPSILON * largest;
        if (!good && count > 0 && !(size <= 0.5 * last)) return CTK_NO_CONVERGENCE;
        for (int i = 0; i < loop->n; i++) q[loop->unknown[i]] -= s->phi[i];
        // the sign of det Phi_u must stay that of the start: branches meet where it is 0
        if (good) { // the last correction, which is known, leaves its square
            double sign = determinant < 0 ? -1 : 1;
            if (*branch == 0) *branch = sign;
            *measure = determinant * determinant;
            return *branch == sign ? CTK_OK : CTK_SINGULAR_CLOSURE;
        }
        last = size;
    }
    return CTK_NO_CONVERGENCE;
}

// Positions and values at (t, qi, u); coordinates start from those behind w.
ctk_status ctk_loops_close(ctk_sim *sim, double t, const double *qi, const double *u) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *q = s->w + k->n_tracked;
    for (int i = 0; i < k->n_independent; i++) q[k->independent[i]] = qi[i];
    for (int i = 0; i < k->n_rotations; i++)
        q[sim->model->n + k->rotations[i]] = qi[k->n_independent + i];
    for (int i = 0; i < k->n_loops; i++) {
        ctk_status status = close_loop(sim, k->loops + i, t, u, q, s->branches + i, s->g + i);
        if (status) return status;
    }
    k->place(sim->c, t, q, u, s->v, s->w);
    return CTK_OK;
}
