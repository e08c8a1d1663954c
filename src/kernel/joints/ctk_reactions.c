// Multipliers on request:  Phi_q^T lambda = F - M q''.
//
// Rows of a loop hold its own unknowns and those of loops before it. So the equations of the last
// loop's unknowns hold its multipliers alone, and so on back to the first. Without loops, or where
// one of them is singular: the m best columns of Phi_q by complete pivoting.
#include "ctk_internal.h"

// Component d of F - M q''.
static double rest(const ctk_sim *sim, int d) {
    const ctk_space *s = &sim->space;
    const double *row = s->mass + (size_t)d * sim->model->n;
    double e = s->forcing[d];
    for (int j = 0; j < sim->model->n; j++) e -= row[j] * sim->qdd[j];
    return e;
}

// Solves the equations of `n` unknowns for the multipliers of as many rows (NULL: 0 .. n - 1), each
// equation divided by its largest coefficient; right becomes the multipliers. Returns 0 if a pivot
// is below tiny.
static int solve(ctk_sim *sim, int n, const int *unknown, const int *row, double tiny,
                 double *right) {
    ctk_space *s = &sim->space;
    ctk_rank rank;
    for (int k = 0; k < n; k++) {
        double largest = 0;
        for (int i = 0; i < n; i++) {
            const int at = row ? row[i] : i;
            double a = s->phi_q[(size_t)at * sim->model->n + unknown[k]];
            s->closure[(size_t)k * n + i] = a;
            largest = ctk_larger(largest, fabs(a));
        }
        const double f = largest > 0 ? 1 / largest : 1;
        for (int i = 0; i < n; i++) s->closure[(size_t)k * n + i] *= f;
        right[k] *= f;
    }
    if (!ctk_lu_factor(n, s->closure, s->closure_pivot, tiny, &rank)) return 0;
    ctk_lu_solve(n, s->closure, s->closure_pivot, 1, right);
    return 1;
}

// Multipliers from the last loop to the first. Returns 0 if the loops do not hold all rows, or one
// is singular.
static int loop_by_loop(ctk_sim *sim, double *lambda) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    int rows = 0;
    // only if the loops hold all rows that are solved
    if (s->n_exchanged) return 0;
    for (int i = 0; k && i < k->n_loops; i++) rows += k->loops[i].n;
    if (rows != sim->model->m) return 0;
    // last loop first
    for (int i = k->n_loops - 1; i >= 0; i--) {
        const ctk_loop *loop = k->loops + i;
        for (int a = 0; a < loop->n; a++) {
            // right side F - M q'' without the multipliers of later loops
            double e = rest(sim, loop->unknown[a]);
            for (int j = i + 1; j < k->n_loops; j++)
                for (int b = 0; b < k->loops[j].n; b++) {
                    const int row = k->loops[j].row[b];
                    e -= s->phi_q[(size_t)row * sim->model->n + loop->unknown[a]] * lambda[row];
                }
            s->step[a] = e;
        }
        // equations of the loop's unknowns for the multipliers of its rows
        if (!solve(sim, loop->n, loop->unknown, loop->row, 1e-6, s->step)) return 0;
        for (int a = 0; a < loop->n; a++) lambda[loop->row[a]] = s->step[a];
    }
    return 1;
}

ctk_status ctk_reactions(ctk_sim *sim, double *lambda) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int m = model->m;
    ctk_status status = ctk_refresh(sim);
    if (status || m == 0) return status;
    if (!model->dynamics) return CTK_CLOSURE_ONLY;
    ctk_implicit_show(sim);
    // M, F and Phi_q at the current state
    ctk_dynamics(sim, sim->t, sim->q, sim->qd, s->base_u);
    // loop by loop, else by the m columns of Phi_q that eliminate best
    if (loop_by_loop(sim, lambda)) return CTK_OK;
    ctk_rank best = ctk_rows_best(sim, m, NULL);
    sim->where = best.row;
    if (!(best.smallest > 0)) return CTK_SINGULAR_CLOSURE;
    for (int k = 0; k < m; k++) s->step[k] = rest(sim, s->columns[k]);
    if (!solve(sim, m, s->columns, NULL, 1e-14, s->step)) return CTK_SINGULAR_CLOSURE;
    ctk_copy(m, s->step, lambda);
    sim->where = -1;
    return CTK_OK;
}
