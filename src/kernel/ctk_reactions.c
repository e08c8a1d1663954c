// Multipliers on request. The m best columns of Phi_q, by complete pivoting, give
// Phi_d^T lambda = (F - M q'')_d; the other rows hold with it.
#include "ctk_internal.h"

ctk_status ctk_reactions(ctk_sim *sim, double *lambda) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int n = model->n, m = model->m;
    double power;
    ctk_status status = ctk_refresh(sim);
    if (status || m == 0) return status;
    if (!model->dynamics) return CTK_CLOSURE_ONLY;
    model->dynamics(sim->c, sim->t, sim->q, sim->qd, s->base_u, s->mass, s->forcing, s->phi,
                    s->phi_q, s->phi_t, s->gamma, &power);
    ctk_rank best = ctk_partition_best(sim);
    sim->where = best.row;
    if (!(best.smallest > 0)) return CTK_SINGULAR_CLOSURE;
    for (int k = 0; k < m; k++) {
        const int d = s->columns[k];
        const double *row = s->mass + (size_t)d * n;
        double e = s->forcing[d], largest = 0;
        for (int j = 0; j < n; j++) e -= row[j] * sim->qdd[j];
        for (int i = 0; i < m; i++) {
            double a = s->closure[(size_t)k * m + i] = s->phi_q[(size_t)i * n + d];
            largest = ctk_larger(largest, fabs(a));
        }
        double f = largest > 0 ? 1 / largest : 1;
        for (int i = 0; i < m; i++) s->closure[(size_t)k * m + i] *= f;
        s->step[k] = f * e;
    }
    ctk_rank rank;
    if (!ctk_lu_factor(m, s->closure, s->closure_pivot, 1e-14, &rank)) return CTK_SINGULAR_CLOSURE;
    ctk_lu_solve(m, s->closure, s->closure_pivot, 1, s->step);
    ctk_copy(m, s->step, lambda);
    sim->where = -1;
    return CTK_OK;
}
