// The recursive formulation: accelerations of the tree by a recursion over its bodies, in so many
// operations as there are joints, and loops by the answers of the tree to unit forces on their rows,
//   W = Phi_q M^-1 Phi_q^T,   (W + eps) lambda = Phi_q q''_tree - gamma,   q'' = q''_tree - M^-1 Phi_q^T lambda.
// A step is a fixed point of q'': positions and rates follow from it by the rule of the step, and it from
// these by the equations. That contracts where h w < 2 for the fastest oscillation w. Positions and rates
// are projected on the constraints, nearest in the mass matrix, in each iteration and behind it.
// Coordinates without inertia of their own have one on loan, E, in M: what it adds is taken out by rounds
//   (M + E) x1'' + Phi_q^T lambda = F + E x0''.
#include "ctk_internal.h"

// eps in parts of the diagonal of W: repeated rows and singular positions leave W without full rank. It
// holds multipliers near those of the step before, where W does not.
// Rows that answer less than this part of the most, in their units, vanish.
static const double REGULAR = 1e-6, VANISHING = 1e-12;
// E without a recursion, in parts of the heaviest coordinate; pivots below this have no inertia.
static const double LIGHT = 1e-4, NO_PIVOT = 1e-12;

// Rounds of a projection, and of the accelerations of the start.
enum { ROUNDS = 3, START = 8 };

// the tree ----------------------------------------------------------------------------------------
// Factors of M + E where the model has no recursion. Coordinates whose pivots vanish join E.
static ctk_status factor_tree(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n;
    double heaviest = 0;
    for (int i = 0; i < n; i++) {
        const double unit = ctk_unit(sim, i);
        heaviest = ctk_larger(heaviest, fabs(s->mass[(size_t)i * n + i]) * unit * unit);
    }
    for (int round = 0; round <= n; round++) {
        ctk_copy(n * n, s->mass, x->matrix);
        for (int i = 0; i < n; i++) x->matrix[(size_t)i * n + i] += x->armature[i];
        const int lost = ctk_ldl_factor(n, x->matrix);
        if (lost < 0) return CTK_OK;
        sim->where = lost;
        if (!isfinite(ctk_norm(n * n, s->mass))) return CTK_NOT_FINITE;
        if (x->armature[lost] > 0) return CTK_SINGULAR_MASS;
        const double unit = ctk_unit(sim, lost);
        x->armature[lost] = LIGHT * (heaviest > 0 ? heaviest : 1) / (unit * unit);
    }
    return CTK_SINGULAR_MASS;
}

// q'' of the tree alone, from equations that are in space.
static ctk_status find_tree(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    if (!m->recursion) {
        ctk_status status = factor_tree(sim);
        if (status) return status;
        ctk_copy(m->n, s->forcing, x->tree);
        ctk_ldl_solve(m->n, x->matrix, x->tree);
        return CTK_OK;
    }
    for (int k = 0; k < m->n_light; k++) x->armature[m->light[k]] = x->numbers[k];
    for (int k = 0; k < m->n; k++) {
        if (x->pivots[k] > NO_PIVOT && isfinite(x->tree[k])) continue;
        sim->where = k;
        return x->pivots[k] <= NO_PIVOT ? CTK_SINGULAR_MASS : CTK_NOT_FINITE;
    }
    return CTK_OK;
}

// y = (M + E)^-1 force
static void answer(const ctk_sim *sim, const double *restrict force, double *restrict y) {
    const ctk_model *m = sim->model;
    const ctk_implicit_space *x = &sim->space.implicit;
    if (m->recursion) {
        m->answer(sim->c, sim->t, x->numbers, force, y);
        return;
    }
    ctk_copy(m->n, force, y);
    ctk_ldl_solve(m->n, x->matrix, y);
}

// loops -------------------------------------------------------------------------------------------
// Answers to unit forces on all rows, and factors of W + eps, its rows scaled by its diagonal.
static ctk_status factor_loops(ctk_sim *sim) {
    const ctk_space *s = &sim->space;
    const ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    double most = 0;
    // W, row by row
    for (int k = 0; k < all; k++) {
        const double *row = s->phi_q + (size_t)k * n, unit = ctk_row_unit(sim, sim->rows[k]);
        double *z = x->answers + (size_t)k * n, *w = x->gram + (size_t)k * all;
        answer(sim, row, z);
        for (int j = 0; j <= k; j++) w[j] = ctk_dot(n, s->phi_q + (size_t)j * n, z);
        if (!isfinite(ctk_norm(k + 1, w))) {
            sim->where = -1;
            return CTK_NOT_FINITE;
        }
        most = ctk_larger(most, w[k] / (unit * unit));
    }
    // scales of its rows
    for (int k = 0; k < all; k++) {
        const double unit = ctk_row_unit(sim, sim->rows[k]), least = VANISHING * most * unit * unit;
        const double size = x->gram[(size_t)k * all + k];
        x->row_scale[k] = 1 / sqrt(size > least ? size : least > 0 ? least : 1);
    }
    // W + eps, scaled, and its factors
    for (int k = 0; k < all; k++) {
        double *w = x->gram + (size_t)k * all;
        for (int j = 0; j <= k; j++) w[j] *= x->row_scale[k] * x->row_scale[j];
        w[k] += REGULAR;
    }
    const int lost = ctk_ldl_factor(all, x->gram);
    if (lost < 0) return CTK_OK;
    sim->where = sim->rows[lost];
    return CTK_SINGULAR_CLOSURE;
}

// y -= M^-1 Phi_q^T lambda
static void push(const ctk_sim *sim, const double *lambda, double *y) {
    const ctk_implicit_space *x = &sim->space.implicit;
    const int n = sim->model->n;
    for (int k = 0; k < ctk_all_rows(sim->model); k++) {
        const double *z = x->answers + (size_t)k * n;
        for (int j = 0; j < n; j++) y[j] -= lambda[k] * z[j];
    }
}

// lambda with (W + eps) lambda = open, in its place.
static void find_multipliers(const ctk_sim *sim, double *open) {
    const ctk_implicit_space *x = &sim->space.implicit;
    const int all = ctk_all_rows(sim->model);
    for (int k = 0; k < all; k++) open[k] *= x->row_scale[k];
    ctk_ldl_solve(all, x->gram, open);
    for (int k = 0; k < all; k++) open[k] *= x->row_scale[k];
}

// y := what is nearest to it with Phi_q y = sign right; each round divides the difference by 1 / eps.
// What pushes it there is added to `sum`, unless that is NULL.
static void project(ctk_sim *sim, int rounds, double sign, const double *right, double *y,
                    double *sum) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    double *lambda = s->phi_rate;
    for (int round = 0; round < rounds && all; round++) {
        for (int k = 0; k < all; k++)
            lambda[k] = ctk_dot(n, s->phi_q + (size_t)k * n, y) - sign * right[k];
        find_multipliers(sim, lambda);
        push(sim, lambda, y);
        for (int k = 0; k < all && sum; k++) sum[k] += lambda[k];
    }
}

// Accelerations of the tree with loops, from the multipliers as they stand.
static void close_accelerations(ctk_sim *sim, int rounds, double *y) {
    push(sim, sim->space.implicit.multiplier, y);
    project(sim, rounds, 1, sim->space.gamma, y, sim->space.implicit.multiplier);
}

// found := correction. Returns the largest difference, and *size the largest of them, in units.
static double take(ctk_sim *sim, double *size) {
    const ctk_implicit_space *x = &sim->space.implicit;
    double change = 0;
    *size = 0;
    for (int j = 0; j < sim->model->n; j++) {
        const double unit = ctk_unit(sim, j), d = fabs(x->correction[j] - x->found[j]) / unit;
        *size = ctk_larger(*size, fabs(x->correction[j]) / unit);
        if (d > change && x->armature[j] > 0) sim->where = j;
        if (!(d <= change)) change = d;
        x->found[j] = x->correction[j];
    }
    return change;
}

// Takes out what E has added. Each round divides that by the inertia that the rows lend; where they lend
// none, a freedom has no inertia.
static ctk_status take_out_armature(ctk_sim *sim) {
    enum { MOST = 40 };
    const double little = 1e-13, enough = 1e-6; // of the largest acceleration
    const ctk_implicit_space *x = &sim->space.implicit;
    const int n = sim->model->n;
    double change = 0, size = 0;
    for (int round = 0; round < MOST; round++) {
        // y = q''_tree + (M + E)^-1 E q'', on the rows
        for (int j = 0; j < n; j++) x->scale[j] = x->armature[j] * x->found[j];
        answer(sim, x->scale, x->correction);
        for (int j = 0; j < n; j++) x->correction[j] += x->tree[j];
        close_accelerations(sim, 1, x->correction);
        change = take(sim, &size);
        if (change <= little * (1 + size)) return CTK_OK;
    }
    return change <= enough * (1 + size) ? CTK_OK
           : isfinite(change)            ? CTK_SINGULAR_MASS
                                         : CTK_NOT_FINITE;
}

// Fails if E is all the inertia that a freedom has: these rounds, without forces, do not make it smaller then.
static ctk_status check_armature(ctk_sim *sim) {
    enum { TRIES = 6 };
    const double held = 0.5; // of the start: what rows hold is a small part of it
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n;
    for (int k = 0; k < ctk_all_rows(sim->model); k++) x->factor[k] = 0;
    for (int j = 0; j < n; j++) x->correction[j] = x->armature[j] > 0 ? ctk_unit(sim, j) : 0;
    for (int round = 0; round < TRIES; round++) {
        for (int j = 0; j < n; j++) x->scale[j] = x->armature[j] * x->correction[j];
        answer(sim, x->scale, x->correction);
        project(sim, 1, 1, x->factor, x->correction, NULL);
    }
    for (int j = 0; j < n; j++) {
        if (!(x->armature[j] > 0) || fabs(x->correction[j]) < held * ctk_unit(sim, j)) continue;
        sim->where = j;
        return CTK_SINGULAR_MASS;
    }
    return CTK_OK;
}

// q'' of the state in space, whose equations are there, into implicit.found.
static ctk_status find(ctk_sim *sim, int rounds) {
    ctk_implicit_space *x = &sim->space.implicit;
    ctk_status status = find_tree(sim);
    if (status == CTK_OK && ctk_all_rows(sim->model)) status = factor_loops(sim);
    if (status) return status;
    ctk_copy(sim->model->n, x->tree, x->found);
    close_accelerations(sim, rounds, x->found);
    return ctk_norm(sim->model->n, x->armature) > 0 ? take_out_armature(sim) : CTK_OK;
}

static ctk_status find_at(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    sim->evaluations++;
    ctk_dynamics(sim, t, s->q, s->qd, sim->u);
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    return find(sim, ROUNDS);
}

// the start ---------------------------------------------------------------------------------------
// Rows in their own order; rates on the constraints, in a singular position too.
// The change of velocities by impulses over all rows, with Phi_q dq' = gamma, into implicit.found. The
// equations are in space. E is taken out by rounds (M + E) x1 + Phi_q^T I = E x0.
ctk_status ctk_recursive_impulse(ctk_sim *sim, double *impulse) {
    enum { MOST = 40 };
    const double little = 1e-14; // of the largest change
    const ctk_implicit_space *x = &sim->space.implicit;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    ctk_status status = find_tree(sim);
    if (status == CTK_OK) status = factor_loops(sim);
    if (status) return status;
    double change, size;
    for (int j = 0; j < n; j++) x->found[j] = 0;
    for (int round = 0; round < MOST; round++) {
        for (int j = 0; j < n; j++) x->scale[j] = x->armature[j] * x->found[j];
        answer(sim, x->scale, x->correction);
        for (int k = 0; k < all; k++) impulse[k] = 0;
        project(sim, ROUNDS, 1, sim->space.gamma, x->correction, impulse);
        change = take(sim, &size);
        if (!isfinite(change)) return CTK_NOT_FINITE;
        if (!(ctk_norm(n, x->armature) > 0) || change <= little * size) return CTK_OK;
    }
    return CTK_SINGULAR_MASS;
}

ctk_status ctk_recursive_start(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_rows_reset(sim);
    ctk_dynamics(sim, t, sim->q, sim->qd, sim->u);
    ctk_rows_complete(sim, t, sim->q, sim->qd, sim->u);
    ctk_status status = find_tree(sim);
    if (status == CTK_OK && ctk_all_rows(sim->model)) status = factor_loops(sim);
    if (status == CTK_OK) project(sim, ROUNDS, -1, s->phi_t, sim->qd, NULL);
    return status;
}

ctk_status ctk_recursive_accelerations(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    for (int k = 0; k < ctk_all_rows(sim->model); k++) s->implicit.multiplier[k] = 0;
    ctk_status status = find(sim, START);
    if (status == CTK_OK && ctk_norm(sim->model->n, s->implicit.armature) > 0)
        status = check_armature(sim);
    if (status == CTK_OK) ctk_copy(sim->model->n, s->implicit.found, s->qdd);
    return status;
}

// steps -------------------------------------------------------------------------------------------
// The largest |Phi_q q' + Phi_t|, in units of the rows.
static double rate_opening(const ctk_sim *sim) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    double open = 0;
    for (int k = 0; k < ctk_all_rows(sim->model); k++)
        open = ctk_larger(open, fabs(ctk_dot(n, s->phi_q + (size_t)k * n, s->qd) + s->phi_t[k]) /
                                    ctk_row_unit(sim, sim->rows[k]));
    return open;
}

// Rates with Phi_q q' = -Phi_t. Next to a singular position answers of another place may open rows: rates
// stay then.
static void close_rates(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    ctk_velocity(sim, t, s->q, sim->u);
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    const double before = rate_opening(sim);
    ctk_copy(n, s->qd, s->implicit.right);
    project(sim, ROUNDS, -1, s->phi_t, s->qd, NULL);
    if (!(rate_opening(sim) <= before)) ctk_copy(n, s->implicit.right, s->qd);
}

// Positions with Phi = 0, then rates with Phi_q q' = -Phi_t, by the answers that were found last.
static void close_state(ctk_sim *sim, double t) {
    enum { MOST = 4 };
    const double closed = 1e-13; // in units of the rows
    ctk_space *s = &sim->space;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    if (!all) return;
    ctk_position(sim, t, s->q, sim->u);
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    for (int round = 0; round < MOST; round++) {
        double open = 0;
        for (int k = 0; k < all; k++)
            open = ctk_larger(open, fabs(s->phi[k]) / ctk_row_unit(sim, sim->rows[k]));
        if (open <= closed && !sim->options.implicit.fixed) break;
        for (int j = 0; j < n; j++) s->implicit.right[j] = 0;
        find_multipliers(sim, s->phi);
        push(sim, s->phi, s->implicit.right);
        ctk_move(sim->model, 1, s->implicit.right, s->q);
        ctk_position(sim, t, s->q, sim->u);
        ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    }
    close_rates(sim, t);
}

// Accelerations at the increment as it stands, with closed loops: rows that repeat each other do so where
// Phi = 0 alone. Beside it they have a singular value of the size of Phi, which accelerations would be
// divided by.
ctk_status ctk_recursive_evaluate(ctk_sim *sim, const ctk_step_rule *rule, int first) {
    ctk_implicit_state(sim, rule);
    if (!first) close_state(sim, rule->t);
    return find_at(sim, rule->t);
}

// dd with Bc dd = q'' of the equations less that of the step.
void ctk_recursive_correct(ctk_sim *sim, const ctk_step_rule *rule) {
    const ctk_space *s = &sim->space;
    const ctk_implicit_space *x = &s->implicit;
    for (int i = 0; i < sim->model->n; i++) x->correction[i] = (x->found[i] - s->qdd[i]) / rule->bc;
}

// The last correction, on the constraints; then accelerations there.
ctk_status ctk_recursive_project(ctk_sim *sim, const ctk_step_rule *rule) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    // the rule of the step with the accelerations that were found last
    ctk_recursive_correct(sim, rule);
    for (int i = 0; i < n; i++) s->implicit.increment[i] += s->implicit.correction[i];
    ctk_implicit_state(sim, rule);
    close_state(sim, rule->t);
    ctk_status status = all ? find_at(sim, rule->t) : CTK_OK;
    if (status == CTK_OK && all) ctk_copy(n, s->implicit.found, s->qdd);
    return status;
}
