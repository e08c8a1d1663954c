// The semi-recursive formulation: an implicit step in independent coordinates. For each correction the
// loops are closed by Newton's iteration on Phi from the predicted position; with the tangent
// B = [1; D], D = -Phi_d^-1 Phi_i, the equations and their slope are
//   r = B^T (M q'' - F) / Bc,   B^T (M + (Gc C + K) / Bc) B dd_i = -r,
// q''_d = D q''_i + Phi_d^-1 gamma. Which coordinates are independent is the choice of
// ctk_partition.c, between steps: an integrator of one step needs no start for others.
#include "ctk_internal.h"

// Closes the loops at the predicted q. Corrections that do not shrink, or that add up to more than a
// quarter of the motion or of the last change of it, would lead to another branch.
static ctk_status close_loops(ctk_sim *sim, double t) {
    enum { CORRECTIONS = 12 };
    ctk_space *s = &sim->space;
    const int m = sim->model->m;
    const double rounding =
        64 * DBL_EPSILON * (1 + ctk_norm_in_units(sim, sim->model->n, NULL, s->q));
    const double motion = ctk_norm_in_units(sim, sim->model->n, NULL, s->implicit.increment);
    const double change = ctk_norm_in_units(sim, sim->model->n, NULL, s->implicit.correction);
    const double limit = 1e-8 + ctk_larger(motion, change) / 4;
    double last = HUGE_VAL, total = 0;
    for (int k = 0; k < CORRECTIONS; k++) {
        ctk_position(sim, t, s->q, sim->u);
        ctk_status status = ctk_closure_factor(sim);
        if (status) return status;
        ctk_closure_solve(sim, -1, s->phi, s->step);
        const double size = ctk_norm_in_units(sim, m, sim->dependent, s->step);
        if (size <= rounding || (size <= 1e3 * rounding && size >= last / 2)) return CTK_OK;
        total += size;
        if (!isfinite(size) || total > limit) break;
        ctk_move_dependent(sim, s->step, s->q);
        last = size;
    }
    sim->where = sim->rows[s->rank.row];
    return CTK_NO_CONVERGENCE;
}

// All positions, rates and accelerations, and the equations, at the increment as it stands.
ctk_status ctk_semi_evaluate(ctk_sim *sim, const ctk_step_rule *rule) {
    ctk_space *s = &sim->space;
    const int m = sim->model->m, r = sim->model->n - m;
    ctk_implicit_state(sim, rule);
    sim->evaluations++;
    // positions and rates of dependent coordinates
    if (m > 0) {
        ctk_status status = close_loops(sim, rule->t);
        if (status) return status;
        // the next prediction starts from the closed position
        ctk_difference(sim->model, sim->q, s->q, s->turns);
        for (int k = 0; k < m; k++)
            s->implicit.increment[sim->dependent[k]] = s->turns[sim->dependent[k]];
        ctk_closure_velocity(sim, rule->t, sim->u, s->q, s->qd);
    }
    // M, F and gamma there; accelerations of dependent coordinates
    ctk_dynamics(sim, rule->t, s->q, s->qd, sim->u);
    ctk_rows_complete(sim, rule->t, s->q, s->qd, sim->u);
    if (m > 0) ctk_closure_solve(sim, 1, s->gamma, s->bias);
    for (int k = 0; k < m; k++) {
        double a = s->bias[k];
        for (int j = 0; j < r; j++) a += s->tangent[k * r + j] * s->qdd[sim->independent[j]];
        s->qdd[sim->dependent[k]] = a;
    }
    return CTK_OK;
}

// x [width] := B^T of the rows of y [n width]
static void project(const ctk_sim *sim, int width, const double *restrict y, double *restrict x) {
    const int m = sim->model->m, r = sim->model->n - m;
    for (int i = 0; i < r; i++) {
        const double *own = y + (size_t)sim->independent[i] * width;
        for (int j = 0; j < width; j++) x[(size_t)i * width + j] = own[j];
        for (int k = 0; k < m; k++) {
            const double d = sim->space.tangent[k * r + i];
            if (d == 0) continue;
            const double *row = y + (size_t)sim->dependent[k] * width;
            for (int j = 0; j < width; j++) x[(size_t)i * width + j] += d * row[j];
        }
    }
}

ctk_status ctk_semi_correct(ctk_sim *sim, const ctk_step_rule *rule) {
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n, m = sim->model->m, r = n - m;
    // P = M + (Gc C + K) / Bc, then P B in its place
    ctk_implicit_tangent(sim, rule);
    for (int i = 0; i < n; i++) {
        double *row = x->matrix + (size_t)i * n, *to = s->system + (size_t)i * r;
        for (int j = 0; j < n; j++) row[j] += x->slope[(size_t)i * n + j] / rule->bc;
        for (int j = 0; j < r; j++) to[j] = row[sim->independent[j]];
        for (int k = 0; k < m; k++) {
            const double e = row[sim->dependent[k]], *d = s->tangent + (size_t)k * r;
            if (e == 0) continue;
            for (int j = 0; j < r; j++) to[j] += e * d[j];
        }
    }
    // B^T P B and -r
    project(sim, r, s->system, x->matrix);
    ctk_status status = ctk_implicit_factor(sim, r, sim->independent, x->matrix);
    if (status) return status;
    for (int i = 0; i < n; i++)
        x->correction[i] = (s->forcing[i] - ctk_dot(n, s->mass + (size_t)i * n, s->qdd)) / rule->bc;
    project(sim, 1, x->correction, x->right);
    ctk_implicit_back(sim, r, x->matrix, x->right);
    // all coordinates along the tangent
    for (int i = 0; i < r; i++) x->correction[sim->independent[i]] = x->right[i];
    for (int k = 0; k < m; k++)
        x->correction[sim->dependent[k]] = ctk_dot(r, s->tangent + (size_t)k * r, x->right);
    return CTK_OK;
}

// What the next choice of coordinates compares with, from the factors of the state in space.
void ctk_semi_finish(ctk_sim *sim) {
    if (sim->model->m == 0) return;
    sim->branch = sim->space.rank.sign;
    ctk_closure_regularity(sim);
}
