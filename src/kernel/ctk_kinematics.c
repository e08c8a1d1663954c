// Driven motion: as many constraints as coordinates, Phi(q, t) = 0 square, nothing integrated.
#include "ctk_internal.h"

// Measures *g of the closure at time t, between the current state and the one being tried. Returns
// 0 if the closure has no solution there.
static int look(ctk_sim *sim, double t, double **g) {
    ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    double *v = s->trial_v, *w = v + k->n_values;
    *g = w + k->n_tracked;
    ctk_copy(k->n_tracked, s->w, w);
    ctk_inputs_at(sim, t);
    return k->positions(sim->c, t, NULL, sim->u, s->b, w, v, *g) == 0;
}

// Returns 1 if measure i is 0 somewhere between t0 and t1, where it falls at first and rises in the
// end: its minimum by golden section.
static int touches_zero(ctk_sim *sim, int i, double t0, double t1) {
    const double part = 0.618033988749895, zero = 1e-10 * sim->guard_scale[i];
    double *g, a = t1 - part * (t1 - t0), b = t0 + part * (t1 - t0), at_a, at_b;
    enum { DIVISIONS = 40 };
    for (int n = 0; n < DIVISIONS; n++) {
        // the measure at the two inner points
        if (!look(sim, a, &g)) return 1;
        at_a = g[i];
        if (!look(sim, b, &g)) return 1;
        at_b = g[i];
        if (at_a <= zero || at_b <= zero) return 1;
        // the minimum is on the side of the smaller one
        if (at_a < at_b)
            t1 = b;
        else
            t0 = a;
        a = t1 - part * (t1 - t0);
        b = t0 + part * (t1 - t0);
    }
    return 0;
}

static ctk_status meets_no_branch(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    const ctk_closure *k = sim->model->closure;
    const double little = (t - sim->t) / 64;
    double *g;
    if (sim->options.method != CTK_TRIANGULAR || little == 0) return CTK_OK;
    for (int i = 0; i < k->n_guards; i++) {
        // measures that are near their limit at either end of the step
        if (!(sim->guard_scale[i] > 0) || !ctk_is_near(sim, i, fmin(s->g[i], s->base_g[i])))
            continue;
        // falling at first, rising in the end: a minimum inside
        int falls = !look(sim, sim->t + little, &g) || g[i] < s->base_g[i];
        int rises = !look(sim, t - little, &g) || g[i] < s->g[i];
        if (!falls || !rises || !touches_zero(sim, i, sim->t, t)) continue;
        sim->where = k->guard_step[i];
        return CTK_NO_SOLUTION;
    }
    return CTK_OK;
}

// Fails if two branches meet inside of a step of a driven motion: behind that point a smooth motion
// is on the other branch, while the closure keeps its signs.
ctk_status ctk_driven_regular(ctk_sim *sim, double t) {
    ctk_status status = meets_no_branch(sim, t);
    ctk_inputs_at(sim, t);
    return status;
}

ctk_status ctk_kinematics(ctk_sim *sim, double t) {
    if (sim->model->m != sim->model->n || !isfinite(t)) return CTK_BAD_OPTION;
    sim->history = 0;
    return ctk_driven_step(sim, t);
}
