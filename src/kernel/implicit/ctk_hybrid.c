// The hybrid formulation: relative coordinates, and an augmented Lagrangian of index 3 for the loops,
//   M q'' + Phi_q^T (R Phi + lambda) = F,   lambda += R Phi,
// all rows, redundant ones too. Newton's step is
//   A dd = -r,   A = M + (Gc C + K + Phi_q^T R Phi_q) / Bc,
//   r = (M q'' + Phi_q^T (R Phi + lambda) - F) / Bc.
// Behind it rates and accelerations are projected on the constraints, nearest in the mass matrix. The
// reactions' own stiffness is left out: it makes A singular where positions are. M is never inverted,
// so that bodies without mass are held by their rows.
#include "ctk_internal.h"

// Masses below this part of the largest count as that much, and derivatives of a row that are below
// this part of its unit: what vanishes is rounding, which must not be scaled up.
static const double LIGHT = 1e-3, VANISHING = 1e-3;

// R = p b m of each row, with the mass that it moves, m = 1 / sum Phi_j^2 / M_jj.
static void weigh(ctk_sim *sim, double b) {
    const ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int n = model->n;
    double heaviest = 0, *light = s->implicit.right;
    // 1 / M_jj, of light coordinates bounded
    for (int j = 0; j < n; j++) {
        const double unit = ctk_unit(sim, j);
        heaviest = ctk_larger(heaviest, s->mass[(size_t)j * n + j] * unit * unit);
    }
    if (!(heaviest > 0)) heaviest = 1;
    for (int j = 0; j < n; j++) {
        const double unit = ctk_unit(sim, j), least = LIGHT * heaviest / (unit * unit);
        const double mass = s->mass[(size_t)j * n + j];
        light[j] = 1 / (mass > least ? mass : least);
    }
    // masses of rows; one that vanishes moves less
    for (int i = 0; i < ctk_all_rows(model); i++) {
        const double *row = s->phi_q + (size_t)i * n;
        const int r = ctk_model_row(sim, i);
        double sum = 0, norm = 0;
        for (int k = model->row_first[r]; k < model->row_first[r + 1]; k++) {
            const int j = model->row_columns[k];
            sum += row[j] * row[j] * light[j];
            norm = ctk_larger(norm, fabs(row[j]) * ctk_unit(sim, j));
        }
        const double size = norm / (VANISHING * ctk_row_unit(sim, sim->rows[i]));
        if (size < 1) sum /= size * size;
        s->implicit.factor[i] =
            sum > 0 && isfinite(sum) ? sim->options.implicit.penalty * b / sum : 0;
    }
}

// Factors of M + Phi_q^T R Phi_q / b with R of the state in space.
static ctk_status factor_masses(ctk_sim *sim, double b) {
    ctk_space *s = &sim->space;
    weigh(sim, b);
    ctk_newton_add(sim->model, 0, s->mass, s->implicit.matrix);
    ctk_newton_penalty(sim, 1 / b, s->implicit.matrix);
    return ctk_newton_factor(sim);
}

// y := what is nearest to it with Phi_q y = right, by those factors: a round
//   y += A^-1 Phi_q^T R / b (right - Phi_q y)
// divides the difference by the penalty.
static void project(ctk_sim *sim, double b, double sign, const double *right, double *y) {
    enum { ROUNDS = 2 };
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    double *x = s->implicit.right;
    for (int round = 0; round < ROUNDS; round++) {
        for (int j = 0; j < n; j++) x[j] = 0;
        for (int k = 0; k < ctk_all_rows(sim->model); k++) {
            const double gap = sign * right[k] - ctk_row_dot(sim, k, y);
            ctk_row_add(sim, k, s->implicit.factor[k] / b * gap, x);
        }
        ctk_newton_back(sim, x);
        for (int j = 0; j < n; j++) y[j] += x[j];
    }
}

// the start ---------------------------------------------------------------------------------------
// Rows in their own order, which multipliers have; rates on the constraints, in a singular position
// too.
ctk_status ctk_hybrid_start(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_rows_reset(sim);
    ctk_dynamics(sim, t, sim->q, sim->qd, sim->u);
    ctk_rows_complete(sim, t, sim->q, sim->qd, sim->u);
    ctk_status status = factor_masses(sim, 1);
    if (status == CTK_OK) project(sim, 1, -1, s->phi_t, sim->qd);
    return status;
}

// A round of the accelerations of the state in space, by the factors of A = M + Phi_q^T R Phi_q:
//   A dq'' = F - M q'' - Phi_q^T (lambda + R (Phi_q q'' - gamma)),
//   q'' += dq'',   lambda += R (Phi_q q'' - gamma).
// It takes what the penalty, and what rounding times the penalty, left of the one before. Returns 1 if
// that was rounding.
static int improve(ctk_sim *sim) {
    const double rounding = 4 * DBL_EPSILON; // of the accelerations
    const ctk_space *s = &sim->space;
    const ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    double *d = x->correction;
    ctk_newton_product(sim->model, s->mass, s->qdd, d);
    for (int j = 0; j < n; j++) d[j] = s->forcing[j] - d[j];
    for (int k = 0; k < all; k++) {
        const double open = ctk_row_dot(sim, k, s->qdd) - s->gamma[k];
        ctk_row_add(sim, k, -(x->multiplier[k] + x->factor[k] * open), d);
    }
    ctk_newton_back(sim, d);
    for (int j = 0; j < n; j++) s->qdd[j] += d[j];
    for (int k = 0; k < all; k++)
        x->multiplier[k] += x->factor[k] * (ctk_row_dot(sim, k, s->qdd) - s->gamma[k]);
    return ctk_norm_in_units(sim, n, NULL, d) <= rounding * ctk_norm_in_units(sim, n, NULL, s->qdd);
}

// Accelerations and multipliers of the state in space, whose equations are there; with steps of constant
// time by as many rounds.
ctk_status ctk_hybrid_accelerations(ctk_sim *sim, double t) {
    enum { ROUNDS = 8 };
    const ctk_space *s = &sim->space;
    ctk_rows_complete(sim, t, s->q, s->qd, sim->u);
    ctk_status status = factor_masses(sim, 1);
    if (status) return status;
    for (int j = 0; j < sim->model->n; j++) s->qdd[j] = 0;
    for (int k = 0; k < ctk_all_rows(sim->model); k++) s->implicit.multiplier[k] = 0;
    for (int round = 0; round < ROUNDS; round++)
        if (improve(sim) && !sim->options.implicit.fixed) break;
    return CTK_OK;
}

// steps -------------------------------------------------------------------------------------------
// Equations at the increment as it stands. Behind a correction the multipliers take what it leaves.
ctk_status ctk_hybrid_evaluate(ctk_sim *sim, const ctk_step_rule *rule, int first) {
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    ctk_implicit_state(sim, rule);
    sim->evaluations++;
    ctk_dynamics(sim, rule->t, s->q, s->qd, sim->u);
    ctk_rows_complete(sim, rule->t, s->q, s->qd, sim->u);
    for (int k = 0; k < ctk_all_rows(sim->model) && !first; k++)
        x->multiplier[k] += x->factor[k] * s->phi[k];
    return CTK_OK;
}

// How a turn by d + e differs from a turn by d, in the frame of the rates: T(d) e, with
//   T = 1 - (1 - cos a) / a^2 [d] + (a - sin a) / a^3 [d]^2,   a = |d|, in that of the root T(-d).
static void turn_slope(const double *d, double sign, double t[3][3]) {
    const double a2 = ctk_dot(3, d, d), a = sqrt(a2);
    const double f = sign * (a > 1e-3 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24);
    const double g = a > 1e-2 ? (a - sin(a)) / (a * a2) : 1.0 / 6 - a2 / 120;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t[i][j] = g * d[i] * d[j] + (i == j ? 1 - g * a2 : 0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i][j] += f * d[k];
        t[j][i] -= f * d[k];
    }
}

// Columns of rotations in a derivative by turns become those of a derivative by the increment.
static void by_increment(const ctk_sim *sim, double *a) {
    const ctk_model *m = sim->model;
    for (int r = 0; r < m->n_rotations; r++) {
        const int at = m->rotations[r].at;
        double t[3][3];
        turn_slope(sim->space.implicit.increment + at, m->rotations[r].in_root ? -1 : 1, t);
        for (int i = 0; i < m->n; i++) {
            double *row = a + (size_t)i * m->n + at;
            const double x[3] = {row[0], row[1], row[2]};
            for (int j = 0; j < 3; j++) row[j] = x[0] * t[0][j] + x[1] * t[1][j] + x[2] * t[2][j];
        }
    }
}

// The correction dd = -A^-1 r at the state in space.
ctk_status ctk_hybrid_correct(ctk_sim *sim, const ctk_step_rule *rule) {
    ctk_space *s = &sim->space;
    ctk_implicit_space *x = &s->implicit;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    // A = M + (Gc C + (K + Phi_q^T R Phi_q) T) / Bc
    weigh(sim, rule->bc);
    ctk_newton_tangent(sim, rule);
    ctk_newton_penalty(sim, 1, x->slope);
    by_increment(sim, x->slope);
    ctk_newton_add(sim->model, 1 / rule->bc, x->slope, x->matrix);
    ctk_status status = ctk_newton_factor(sim);
    if (status) return status;
    // Bc r = M q'' + Phi_q^T (R Phi + lambda) - F
    ctk_newton_product(sim->model, s->mass, s->qdd, x->correction);
    for (int i = 0; i < n; i++) x->correction[i] = s->forcing[i] - x->correction[i];
    for (int k = 0; k < all; k++)
        ctk_row_add(sim, k, -(x->factor[k] * s->phi[k] + x->multiplier[k]), x->correction);
    for (int i = 0; i < n; i++) x->correction[i] /= rule->bc;
    ctk_newton_back(sim, x->correction);
    return CTK_OK;
}

// Rates with Phi_q q' = -Phi_t, then accelerations with Phi_q q'' = gamma at these rates.
ctk_status ctk_hybrid_project(ctk_sim *sim, const ctk_step_rule *rule) {
    ctk_space *s = &sim->space;
    if (!ctk_all_rows(sim->model)) return CTK_OK;
    ctk_status status = factor_masses(sim, rule->bc);
    if (status) return status;
    project(sim, rule->bc, -1, s->phi_t, s->qd);
    ctk_acceleration(sim, rule->t, s->q, s->qd, sim->u);
    ctk_rows_complete(sim, rule->t, s->q, s->qd, sim->u);
    project(sim, rule->bc, 1, s->gamma, s->qdd);
    return CTK_OK;
}
