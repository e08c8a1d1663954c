// Which coordinates are dependent: the m columns of Phi_q that complete pivoting picks. Slides are
// measured in lengths of the mechanism, so that its size does not decide. The quality of a set is
// the smallest pivot of its columns, rows scaled to 1; the set is renewed when it falls
// below 0.7 of the best. The new one starts at the best, so the choice cannot chatter. Waiting
// longer does not make changes rarer, but integrates where the dependent coordinates run fast: at
// 0.2 a turning pendulum loses 100 times more energy.
#include "ctk_internal.h"

static const double DEGRADED = 0.7;

// Complete pivoting of space.phi_q; the order of columns is left in space.columns.
ctk_rank ctk_partition_best(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m;
    for (int i = 0; i < m; i++) {
        const double *row = s->phi_q + (size_t)i * n;
        double largest = ctk_row_norm(sim->model, row), f = largest > 0 ? 1 / largest : 1;
        for (int j = 0; j < n; j++)
            s->system[(size_t)i * n + j] = f * row[j] * ctk_unit(sim->model, j);
    }
    return ctk_pivot_columns(m, n, s->system, s->columns, s->rows);
}

// Lists of dependent and independent coordinates in their natural order; mark[j] tells which are
// dependent. Returns 1 if a list changes.
static int use_marks(ctk_sim *sim, const int *mark) {
    int d = 0, f = 0, changed = 0;
    for (int j = 0; j < sim->model->n; j++) {
        int *list = mark[j] ? sim->dependent + d++ : sim->independent + f++;
        changed |= *list != j;
        *list = j;
    }
    return changed;
}

// Takes columns[0 .. m-1] as the dependent coordinates; tells whether that changes anything.
int ctk_partition_use(ctk_sim *sim, const int *columns) {
    const int n = sim->model->n, m = sim->model->m;
    int *mark = sim->space.system_pivot;
    for (int j = 0; j < n; j++) mark[j] = 0;
    for (int k = 0; k < m; k++) mark[columns[k]] = 1;
    return use_marks(sim, mark);
}

// The caller's choice; 0 if it is not n - m different coordinates.
int ctk_partition_given(ctk_sim *sim, const int *independent) {
    const int n = sim->model->n, r = n - sim->model->m;
    int *mark = sim->space.system_pivot;
    for (int j = 0; j < n; j++) mark[j] = 1;
    for (int k = 0; k < r; k++) {
        int j = independent[k];
        if (j < 0 || j >= n || !mark[j]) return 0;
        mark[j] = 0;
    }
    use_marks(sim, mark);
    return 1;
}

// After a change: the branch, D and c of the current state, from space.phi_q and space.gamma there.
static ctk_status renew_base(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    ctk_status status = ctk_closure_factor(sim);
    if (status) return status;
    sim->branch = s->rank.sign;
    sim->quality = s->rank.smallest;
    ctk_closure_tangent(sim, s->base_tangent);
    ctk_closure_solve(sim, 1, s->gamma, s->base_bias);
    sim->reselections++;
    return CTK_OK;
}

// At a state just accepted (its factors and equations still in space): selects anew if the set has
// degraded. No pivot sequence ends above 1, so a set better than DEGRADED need not be compared.
// Returns 1 if the set is another one.
int ctk_partition_update(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    if (sim->model->m == 0 || sim->model->m == sim->model->n || s->rank.smallest >= DEGRADED)
        return 0;
    ctk_rank best = ctk_partition_best(sim);
    if (!(s->rank.smallest < DEGRADED * best.smallest) || !ctk_partition_use(sim, s->columns))
        return 0;
    return renew_base(sim) == CTK_OK;
}

// After a failed step: the best set at the current state. Returns 1 if it is another one.
int ctk_partition_retry(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m;
    if (m == 0 || m == n) return 0;
    sim->model->acceleration(sim->c, sim->t, sim->q, sim->qd, sim->u, s->phi_q, s->gamma);
    ctk_rank best = ctk_partition_best(sim);
    return best.smallest > 0 && ctk_partition_use(sim, s->columns) && renew_base(sim) == CTK_OK;
}
