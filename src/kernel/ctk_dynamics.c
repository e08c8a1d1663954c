// Accelerations at the state being tried, one function for each method: augmented (with Baumgarte's
// stabilisation), penalty, embedded. M, F, Phi, Phi_q and gamma of that state are in space.
#include "ctk_internal.h"

// A NaN among the equations explains a failed elimination better than a singular matrix does.
static ctk_status blame(ctk_sim *sim, ctk_status status, int where) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m;
    sim->where = where;
    for (int i = 0; i < n; i++)
        if (!isfinite(s->q[i]) || !isfinite(s->qd[i]) || !isfinite(s->forcing[i]) ||
            !isfinite(ctk_norm(n, s->mass + (size_t)i * n))) {
            sim->where = i;
            return CTK_NOT_FINITE;
        }
    if (isfinite(ctk_norm(m * n, s->phi_q))) return status;
    sim->where = -1;
    return CTK_NOT_FINITE;
}

// The whole system is singular: either the constraints are dependent, or a motion they allow has no
// mass.
static ctk_status blame_system(ctk_sim *sim, double t, int row) {
    if (sim->model->m > 0) {
        ctk_rows_complete(sim, t, sim->space.q, sim->space.qd, sim->u);
        ctk_rank rank = ctk_rows_best(sim, ctk_all_rows(sim->model), NULL);
        if (!(rank.smallest > 0)) return blame(sim, CTK_SINGULAR_CLOSURE, rank.row);
    }
    return blame(sim, CTK_SINGULAR_MASS, row < sim->model->n ? row : -1);
}

// gamma - 2 a (Phi_q q' + Phi_t) - b Phi, in place.
static void stabilise(ctk_sim *sim, double a, double b) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n;
    for (int k = 0; k < sim->model->m; k++) {
        const double *row = s->phi_q + (size_t)k * n;
        double rate = s->phi_t[k];
        for (int j = 0; j < n; j++) rate += row[j] * s->qd[j];
        s->gamma[k] -= 2 * a * rate + b * s->phi[k];
    }
}

// M_ii u_i^2 with the unit u_i of coordinate i: masses of angles and slides compare.
static double mass_in_units(const ctk_sim *sim, int i) {
    const double unit = ctk_unit(sim, i);
    return fabs(sim->space.mass[(size_t)i * sim->model->n + i]) * unit * unit;
}

// Scales: w_i = 1 / sqrt(M_ii) for coordinates, at most as for a small part of the heaviest, then
// 1 / largest entry for constraint rows.
static void weigh_system(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n;
    double heaviest = 0;
    for (int i = 0; i < n; i++) heaviest = fmax(heaviest, mass_in_units(sim, i));
    if (heaviest == 0) heaviest = 1;
    for (int i = 0; i < n; i++)
        s->weight[i] = ctk_unit(sim, i) / sqrt(fmax(mass_in_units(sim, i), 1e-6 * heaviest));
    for (int k = 0; k < sim->model->m; k++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, fabs(s->phi_q[(size_t)k * n + j]) * s->weight[j]);
        s->weight[n + k] = largest > 0 ? 1 / largest : 1;
    }
}

// [M Phi_q^T; Phi_q 0] [x; lambda] = [top; bottom], scaled to [W M W ...] so that pivots compare. M
// may be singular as long as the whole is not. W^-1 x is left in space.right, W in space.weight.
ctk_status ctk_augmented_solve(ctk_sim *sim, double t, const double *top, const double *bottom) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, size = n + m;
    const double *w = s->weight;
    double *a = s->system, *x = s->right;
    weigh_system(sim);
    // equations of motion: W M W and W F
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[(size_t)i * size + j] = w[i] * w[j] * s->mass[(size_t)i * n + j];
        x[i] = w[i] * top[i];
    }
    // constraint rows: Phi_q and its transpose
    for (int k = 0; k < m; k++) {
        double *row = a + (size_t)(n + k) * size;
        for (int j = 0; j < n; j++)
            row[j] = a[(size_t)j * size + n + k] = w[n + k] * w[j] * s->phi_q[(size_t)k * n + j];
        for (int j = 0; j < m; j++) row[n + j] = 0;
        x[n + k] = w[n + k] * bottom[k];
    }
    ctk_rank rank;
    if (!ctk_lu_factor(size, a, s->system_pivot, 1e-14, &rank))
        return blame_system(sim, t, rank.row);
    ctk_lu_solve(size, a, s->system_pivot, 1, x);
    return CTK_OK;
}

// Accelerations and multipliers together.
static ctk_status augmented(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    ctk_status status = ctk_augmented_solve(sim, t, s->forcing, s->gamma);
    for (int i = 0; i < sim->model->n && status == CTK_OK; i++)
        s->qdd[i] = s->weight[i] * s->right[i];
    return status;
}

// sum_j M_jj Phi_kj^2 of row k without derivatives that are rounding.
static double carried_mass(const ctk_sim *sim, int k) {
    const double rounding = 1e-12; // of the largest derivative in units
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    const double *row = s->phi_q + (size_t)k * n, least = rounding * ctk_row_norm(sim, row);
    double carried = 0;
    for (int j = 0; j < n; j++)
        if (fabs(row[j]) * ctk_unit(sim, j) > least)
            carried += row[j] * row[j] * s->mass[(size_t)j * n + j];
    return carried;
}

// Penalty factors r_k = penalty * sum_j M_jj Phi_kj^2 / (sum_j Phi_kj^2)^2: the mass that
// constraint k sees, so that a mechanism of grams or tonnes, in metres or radians, gets the same
// relative stiffness.
static void penalty_factors(const ctk_sim *sim, double *factor) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    double mean = 0;
    for (int j = 0; j < n; j++) mean += s->mass[(size_t)j * n + j] / n;
    for (int k = 0; k < sim->model->m; k++) {
        const double *row = s->phi_q + (size_t)k * n;
        double squares = 0, carried = 0, largest = 0, moved = 0; // moved: by the largest derivative
        for (int j = 0; j < n; j++) {
            const double p = row[j] * row[j], mass = s->mass[(size_t)j * n + j];
            squares += p;
            carried += p * mass;
            if (p > largest) largest = p, moved = mass;
        }
        if (moved == 0) carried = carried_mass(sim, k);
        double mass = squares > 0 ? carried / (squares * squares) : 0; // a massless one: the mean
        if (!(mass > 0)) mass = squares > 0 ? mean / squares : mean;
        factor[k] = sim->options.penalty * (mass > 0 ? mass : 1);
    }
}

// A = M + Phi_q^T R Phi_q, lower triangle.
static void penalty_matrix(const ctk_sim *sim, const double *factor, double *a) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) a[(size_t)i * n + j] = s->mass[(size_t)i * n + j];
    for (int k = 0; k < sim->model->m; k++) {
        const double *row = s->phi_q + (size_t)k * n;
        for (int i = 0; i < n; i++) {
            double f = factor[k] * row[i];
            if (f == 0) continue;
            for (int j = 0; j <= i; j++) a[(size_t)i * n + j] += f * row[j];
        }
    }
}

// lambda += R (Phi_q q'' - g). Returns the largest of these differences in units of the rows,
// relative to the largest of their terms.
static double update_multipliers(ctk_sim *sim, const double *factor, const double *qdd) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n;
    double worst = 0, most = 0;
    for (int k = 0; k < sim->model->m; k++) {
        const double unit = ctk_row_unit(sim, sim->rows[k]);
        double e = -s->gamma[k], size = fabs(s->gamma[k]);
        for (int j = 0; j < n; j++) {
            const double term = s->phi_q[(size_t)k * n + j] * qdd[j];
            e += term;
            size += fabs(term);
        }
        s->multiplier[k] += factor[k] * e;
        worst = ctk_larger(worst, fabs(e) / unit);
        most = ctk_larger(most, size / unit);
    }
    return most > 0 ? worst / most : 0;
}

// A q'' = F + Phi_q^T (R g - lambda) with the factors of A.
static void penalty_solve(ctk_sim *sim, const double *factor, const double *a, double *x) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n;
    for (int i = 0; i < n; i++) x[i] = s->forcing[i];
    for (int k = 0; k < sim->model->m; k++) {
        double f = factor[k] * s->gamma[k] - s->multiplier[k];
        for (int j = 0; j < n; j++) x[j] += f * s->phi_q[(size_t)k * n + j];
    }
    ctk_ldl_solve(n, a, x);
}

// Where constraints are nearly dependent, rounds with the factors R take little off the error: R is
// raised until they settle, at most to what the rounding of A bears, and lowered again where they
// settle fast. Evaluations begin with what the last one needed.
enum { RAISES = 3 };
static const double RAISE = 100, SLOW = 1e-2, SETTLED = 1e-9;

// Rounds of multipliers with factors of A that are given. Returns by how much R is to change: 1, 0,
// or -1 for the next time.
static int penalty_rounds(ctk_sim *sim, const double *factor, const double *a, double *x) {
    double error = HUGE_VAL, before, first = 1;
    for (int round = 0; round <= sim->options.penalty_iterations; round++) {
        penalty_solve(sim, factor, a, x);
        before = error;
        error = update_multipliers(sim, factor, x);
        if (round == 1) first = error / before; // later ones may be rounding
        if (round && error > SETTLED && error > SLOW * before && sim->space.raises < RAISES)
            return 1;
    }
    return first < SLOW / RAISE ? -1 : 0;
}

// (M + Phi_q^T R Phi_q) q'' = F + Phi_q^T (R g - lambda),   lambda += R (Phi_q q'' - g),
// g = gamma - 2 zeta omega Phi' - omega^2 Phi. Each round divides the error of Phi_q q'' = g by
// about `penalty`.
static ctk_status penalty(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, first = s->raises;
    const double omega = sim->options.omega;
    double *factor = s->weight, *a = s->system, *x = s->qdd;
    // g replaces gamma; multipliers start at zero
    stabilise(sim, sim->options.zeta * omega, omega * omega);
    penalty_factors(sim, factor);
    for (int k = 0; k < m && first; k++) factor[k] *= pow(RAISE, first);
    for (int k = 0; k < m; k++) s->multiplier[k] = 0;
    for (;; s->raises++) {
        // A = M + Phi_q^T R Phi_q = L D L^T, once for all rounds
        penalty_matrix(sim, factor, a);
        int lost = ctk_ldl_factor(n, a);
        if (lost >= 0 && s->raises > first) return CTK_OK; // as good as it gets
        if (lost >= 0) return blame(sim, CTK_SINGULAR_MASS, lost);
        const int change = penalty_rounds(sim, factor, a, x);
        if (change < 0 && s->raises) s->raises--;
        if (change <= 0) return CTK_OK;
        for (int k = 0; k < m; k++) factor[k] *= RAISE;
    }
}

// W = M B, g = F - M c, with q' = B q'_i, B = [D; 1] and c on the dependent coordinates only.
static void embed_rows(ctk_sim *sim, double *restrict w, double *restrict g) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, r = n - m;
    const int *independent = sim->independent, *dependent = sim->dependent;
    for (int i = 0; i < n; i++) {
        const double *row = s->mass + (size_t)i * n;
        double *wi = w + (size_t)i * r, gi = s->forcing[i];
        for (int j = 0; j < r; j++) wi[j] = row[independent[j]];
        for (int k = 0; k < m; k++) {
            double f = row[dependent[k]];
            const double *d = s->tangent + (size_t)k * r;
            if (f == 0) continue;
            gi -= f * s->bias[k];
            for (int j = 0; j < r; j++) wi[j] += f * d[j];
        }
        g[i] = gi;
    }
}

// B^T M B q''_i = B^T (F - M c),   q''_d = D q''_i + c,   c = Phi_d^-1 gamma
static ctk_status embedded(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, r = n - m;
    const int *independent = sim->independent, *dependent = sim->dependent;
    double *w = s->system, *a = w + (size_t)n * r, *g = s->right, *x = s->weight;
    // c = Phi_d^-1 gamma, W = M B, g = F - M c
    ctk_closure_solve(sim, 1, s->gamma, s->bias);
    if (r > 0) embed_rows(sim, w, g);
    // A = B^T W, lower triangle, and x = B^T g
    for (int i = 0; i < r; i++) {
        double *ai = a + (size_t)i * r;
        for (int j = 0; j <= i; j++) ai[j] = w[(size_t)independent[i] * r + j];
        x[i] = g[independent[i]];
        for (int k = 0; k < m; k++) {
            double d = s->tangent[k * r + i];
            const double *wk = w + (size_t)dependent[k] * r;
            for (int j = 0; j <= i; j++) ai[j] += d * wk[j];
            x[i] += d * g[dependent[k]];
        }
    }
    // A q''_i = x
    int lost = ctk_ldl_factor(r, a);
    if (lost >= 0) return blame(sim, CTK_SINGULAR_MASS, independent[lost]);
    ctk_ldl_solve(r, a, x);
    for (int i = 0; i < r; i++) s->qdd[independent[i]] = x[i];
    // q''_d = D q''_i + c
    for (int k = 0; k < m; k++) {
        double e = s->bias[k];
        for (int j = 0; j < r; j++) e += s->tangent[k * r + j] * x[j];
        s->qdd[dependent[k]] = e;
    }
    return CTK_OK;
}

ctk_status ctk_accelerations(ctk_sim *sim, double t) {
    switch (sim->options.method) {
    case CTK_BAUMGARTE:
        stabilise(sim, sim->options.alpha, sim->options.beta * sim->options.beta);
        return augmented(sim, t);
    case CTK_AUGMENTED: return augmented(sim, t);
    case CTK_PENALTY: return penalty(sim);
    case CTK_NEWTON:
    case CTK_PARTITION:
    case CTK_SEMI_RECURSIVE: return embedded(sim);
    case CTK_HYBRID: return ctk_hybrid_accelerations(sim, t);
    case CTK_TRIANGULAR:
    case CTK_NEWTON_LOOPS: break;
    }
    return CTK_BAD_OPTION;
}
