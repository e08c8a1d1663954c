// Driven motion: as many constraints as coordinates, Phi(q, t) = 0 square, nothing integrated.
#include "ctk_internal.h"

// The closure at time t, between the current state and the one being tried; 0 where it fails.
static int look(ctk_sim *sim, double t, double **g) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *v = s->saved, *w = v + k->n_values; // free in a driven motion
    *g = w + k->n_tracked;
    ctk_copy(k->n_tracked, s->w, w);
    return k->positions(sim->c, t, NULL, sim->u, s->b, w, v, *g) == 0;
}

// Is measure i 0 somewhere between t0 and t1? It falls at first and rises in the end: golden
// section.
static int touches_zero(ctk_sim *sim, int i, double t0, double t1) {
    const double part = 0.618033988749895, zero = 1e-10 * sim->model->closure->guard_scale[i];
    double *g, a = t1 - part * (t1 - t0), b = t0 + part * (t1 - t0), at_a, at_b;
    enum { DIVISIONS = 40 };
    for (int n = 0; n < DIVISIONS; n++) {
        if (!look(sim, a, &g)) return 1;
        at_a = g[i];
        if (!look(sim, b, &g)) return 1;
        at_b = g[i];
        if (at_a <= zero || at_b <= zero) return 1;
        if (at_a < at_b)
            t1 = b;
        else
            t0 = a;
        a = t1 - part * (t1 - t0);
        b = t0 + part * (t1 - t0);
    }
    return 0;
}

// Branches that meet inside of a step: the closure would keep its own on the other side, where a
// motion that goes on smoothly is on the other one.
ctk_status ctk_driven_regular(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const double little = (t - sim->t) / 64;
    double *g;
    if (sim->options.method != CTK_TRIANGULAR || little == 0) return CTK_OK;
    for (int i = 0; i < k->n_guards; i++) {
        if (!(k->guard_scale[i] > 0) || !ctk_is_near(sim, i, fmin(s->g[i], s->base_g[i]))) continue;
        int falls = !look(sim, sim->t + little, &g) || g[i] < s->base_g[i];
        int rises = !look(sim, t - little, &g) || g[i] < s->g[i];
        if (!falls || !rises || !touches_zero(sim, i, sim->t, t)) continue;
        sim->where = k->guard_step[i];
        return CTK_NO_SOLUTION;
    }
    return CTK_OK;
}

ctk_status ctk_kinematics(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int n = model->n;
    if (model->m != n || !isfinite(t)) return CTK_BAD_OPTION;
    sim->history = 0;
    if (ctk_is_closed(sim)) {
        ctk_state_get(sim, s->y);
        ctk_status status = ctk_closed_take(sim, t, s->y, 0);
        return status ? status : ctk_refresh(sim);
    }
    ctk_copy(n, sim->qdd, s->base_bias); // predictor q + q' dt + q'' dt^2 / 2
    if (n > 0) {
        ctk_status status = ctk_close_on_branch(sim, t, s->q);
        if (status) return status;
        ctk_closure_velocity(sim, t, sim->u, s->q, s->qd);
        model->acceleration(sim->c, t, s->q, s->qd, sim->u, s->phi_q, s->gamma);
        ctk_closure_solve(sim, 1, s->gamma, s->qdd);
        ctk_copy(n, s->qdd, s->bias);
        status = ctk_check_finite(sim, s->q);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
        if (status) return status;
    }
    ctk_commit(sim, t);
    return CTK_OK;
}
