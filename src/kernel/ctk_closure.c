// Loop closure at a point: Newton's iteration on the dependent coordinates, Phi_d dq_d = -Phi, then
// q'_d = D q'_i - Phi_d^-1 Phi_t with the tangent D = -Phi_d^-1 Phi_i. Columns are taken in the
// units of their coordinates, then rows are scaled to largest entry 1. After a success the factors
// of Phi_d belong to the closed position and serve velocities and accelerations.
#include "ctk_internal.h"

enum { CORRECTIONS = 12, ASSEMBLY = 60 };

// Factors the scaled dependent columns of space.phi_q.
ctk_status ctk_closure_factor(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, *dependent = sim->dependent;
    const double *restrict units = sim->units;
    // rows of Phi_d in units of the coordinates, divided by the largest entry of Phi_q
    for (int i = 0; i < m; i++) {
        const double *row = s->phi_q + (size_t)i * n;
        const double largest = ctk_row_size(sim, i);
        if (!(largest <= DBL_MAX)) {
            sim->where = -1;
            return CTK_NOT_FINITE;
        }
        const double scale = s->scale[i] = 1 / largest;
        double *restrict scaled = s->closure + (size_t)i * m;
        for (int j = 0; j < m; j++) {
            const int d = dependent[j];
            scaled[j] = units ? scale * row[d] * units[d] : scale * row[d];
        }
    }
    // P Phi_d = L U; the weakest pivot tells the row that fails
    if (ctk_lu_factor(m, s->closure, s->closure_pivot, CTK_TINY_PIVOT, &s->rank)) return CTK_OK;
    sim->where = sim->rows[s->rank.row];
    return CTK_SINGULAR_CLOSURE;
}

// Smallest singular value of the factored Phi_d, rows scaled, into space.regularity. It follows the
// motion without jumps, which a smallest pivot does not: pivots change by a factor where rows tie.
// The direction of the current state is a good start; a new choice of rows or columns has none. A
// part of all directions is added, since another one may become the weakest.
static void compute_regularity(ctk_sim *sim, int is_new) {
    enum { ROUNDS = 4 };
    ctk_space *s = &sim->space;
    const int m = sim->model->m;
    const double others = 0.1 / sqrt(m);
    for (int i = 0; i < m; i++)
        s->weakest[i] = (is_new ? 0 : s->base_weakest[i]) + (i % 2 ? -others : others);
    for (int k = 0; k < (is_new ? ROUNDS : 1); k++)
        s->regularity = ctk_lu_smallest(m, s->closure, s->closure_pivot, s->weakest, s->step);
    s->is_estimate = 0;
}

// The same of a state near the current one. The determinant, which is the product of all singular
// values and known from the factors, follows the motion without jumps too: while it has hardly
// changed, the smallest value is estimated to change with it. A determinant that underflows tells
// nothing.
void ctk_closure_regularity(ctk_sim *sim) {
    const double change = 0.1; // of the determinant, at most
    ctk_space *s = &sim->space;
    const double now = s->rank.determinant, last = sim->determinant;
    if (!(fabs(now - last) <= change * last && last > DBL_MIN)) {
        compute_regularity(sim, 0);
        return;
    }
    s->regularity = sim->quality * (now / last);
    s->is_estimate = 1;
}

// At a state that is to be accepted: the value itself, after some estimates.
void ctk_closure_renew_regularity(ctk_sim *sim) {
    enum { ESTIMATES = 16 };
    if (sim->space.is_estimate && sim->space.estimates >= ESTIMATES) compute_regularity(sim, 0);
}

// The state in space becomes the current one, with its regularity.
void ctk_closure_commit(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    if (!s->is_estimate) ctk_swap(&s->weakest, &s->base_weakest);
    s->estimates = s->is_estimate ? s->estimates + 1 : 0;
    sim->quality = s->regularity;
    sim->determinant = s->rank.determinant;
}

// Branch and regularity of the current state, whose factors are in space, without those of a state
// before.
void ctk_closure_restart(ctk_sim *sim) {
    sim->branch = sim->space.rank.sign;
    compute_regularity(sim, 1);
    ctk_closure_commit(sim);
}

// x = sign Phi_d^-1 right
void ctk_closure_solve(ctk_sim *sim, double sign, const double *right, double *x) {
    const ctk_space *s = &sim->space;
    const int m = sim->model->m;
    for (int i = 0; i < m; i++) x[i] = sign * s->scale[i] * right[i];
    ctk_lu_solve(m, s->closure, s->closure_pivot, 1, x);
    for (int i = 0; i < m; i++) x[i] *= ctk_unit(sim, sim->dependent[i]);
}

// D = -Phi_d^-1 Phi_i
void ctk_closure_tangent(ctk_sim *sim, double *tangent) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, r = n - m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < r; j++)
            tangent[i * r + j] = -s->scale[i] * s->phi_q[(size_t)i * n + sim->independent[j]];
    ctk_lu_solve(m, s->closure, s->closure_pivot, r, tangent);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < r; j++) tangent[i * r + j] *= ctk_unit(sim, sim->dependent[i]);
}

// Dependent velocities; leaves D in space.tangent.
void ctk_closure_velocity(ctk_sim *sim, double t, const double *u, const double *q, double *qd) {
    ctk_space *s = &sim->space;
    const int m = sim->model->m, r = sim->model->n - m;
    if (m == 0) return;
    ctk_velocity(sim, t, q, u);
    ctk_closure_tangent(sim, s->tangent);
    ctk_closure_solve(sim, -1, s->phi_t, s->step);
    for (int i = 0; i < m; i++) {
        const double *row = s->tangent + (size_t)i * r;
        double v = s->step[i];
        for (int j = 0; j < r; j++) v += row[j] * qd[sim->independent[j]];
        qd[sim->dependent[i]] = v;
    }
}

// |Phi|_inf, each row divided by its unit, or by its largest derivative if that is more; sim->where:
// the worst row.
static double residual(ctk_sim *sim) {
    const ctk_space *s = &sim->space;
    double worst = 0;
    for (int i = 0; i < sim->model->m; i++) {
        double e = fabs(s->phi[i]), unit = ctk_row_unit(sim, sim->rows[i]);
        e = s->scale[i] * unit < 1 ? e * s->scale[i] : e / unit;
        if (e > worst || e != e) {
            worst = e;
            sim->where = sim->rows[i];
            if (e != e) break;
        }
    }
    return worst;
}

// The tolerance, plus what the rounding of q itself leaves (large after many turns).
static double accepted(const ctk_sim *sim, double largest) {
    return sim->options.tolerance + 16 * DBL_EPSILON * largest;
}

// Phi, Phi_d factored and the Newton step at q, which goes to space.step; *error: |Phi| at q.
static ctk_status newton_step(ctk_sim *sim, double t, const double *u, const double *q,
                              double *error) {
    ctk_space *s = &sim->space;
    ctk_position(sim, t, q, u);
    ctk_status status = ctk_closure_factor(sim);
    if (status) return status;
    *error = residual(sim);
    if (!(*error <= DBL_MAX)) {
        sim->where = -1;
        return CTK_NOT_FINITE;
    }
    ctk_closure_solve(sim, -1, s->phi, s->step);
    return CTK_OK;
}

static void add_step(const ctk_sim *sim, double *q) {
    ctk_move_dependent(sim, sim->space.step, q);
}

static int largest_step(const ctk_sim *sim) {
    const double *step = sim->space.step;
    const int *d = sim->dependent;
    int k = 0;
    for (int i = 1; i < sim->model->m; i++)
        if (fabs(step[i]) * ctk_unit(sim, d[k]) > fabs(step[k]) * ctk_unit(sim, d[i])) k = i;
    return d[k];
}

// Corrects a predicted q, to the last bit that Phi resolves. Accepted only where Newton's iteration
// is sure to belong to the branch that the predictor followed:
//  - it contracts at once, |dq1| <= |dq0| / 4 (Newton-Kantorovich: no other root is as near);
//  - the sum of corrections stays below a quarter of the predicted motion;
//  - det Phi_d has the sign it has had all along: two branches meet only where it is 0.
ctk_status ctk_closure_correct(ctk_sim *sim, double t, const double *u, double *q, double motion) {
    const double largest = 1 + ctk_norm_in_units(sim, sim->model->n, NULL, q);
    // room for all corrections: a quarter of the predicted motion, and rounding
    const double limit = motion / 4 + 1e-8 * largest;
    double last = 0, total = 0;
    int reached = 0;
    for (int k = 0; k < CORRECTIONS; k++) {
        // Phi_d dq_d = -Phi
        double error;
        ctk_status status = newton_step(sim, t, u, q, &error);
        if (status) return status;
        double size = ctk_norm_in_units(sim, sim->model->m, sim->dependent, sim->space.step);
        // done: |Phi| accepted twice in a row, or a correction lost in rounding
        int again = reached;
        reached = error <= accepted(sim, largest);
        if (reached && (again || size <= 4 * DBL_EPSILON * largest)) {
            // on this branch where det Phi_d has kept its sign
            if (sim->space.rank.sign == sim->branch) return CTK_OK;
            sim->where = sim->rows[sim->space.rank.row];
            return CTK_SINGULAR_CLOSURE;
        }
        // the second correction is at most a quarter of the first, later ones half of the last
        if (!reached && k > 0 && size > last * (k == 1 ? 0.25 : 0.5)) return CTK_NO_CONVERGENCE;
        // corrections must stay near the prediction
        total += last = size;
        if (!(total <= limit)) {
            sim->where = largest_step(sim);
            return CTK_JUMPED;
        }
        add_step(sim, q);
    }
    return CTK_NO_CONVERGENCE;
}

// Closes the loops from a first guess, the independent coordinates held: Newton's iteration, its
// steps halved until |Phi| decreases. No branch is known yet; the nearest one is taken.
ctk_status ctk_closure_assemble(ctk_sim *sim, double t, double *q) {
    double last = DBL_MAX, factor = 1;
    int reached = 0;
    for (int k = 0; k < ASSEMBLY; k++) {
        // Phi_d dq_d = -Phi
        double error;
        ctk_status status = newton_step(sim, t, sim->u, q, &error);
        if (status == CTK_NOT_FINITE && k == 0) return status;
        // done: |Phi| accepted twice
        int again = reached;
        const double largest = 1 + ctk_norm_in_units(sim, sim->model->n, NULL, q);
        reached = !status && error <= accepted(sim, largest);
        if (reached && again) return CTK_OK;
        // |Phi| has not decreased: half of the way back to the last place (space.path_q)
        if (!reached && (status || error >= last)) {
            if (k == 0 || factor < 1e-3) return status ? status : CTK_NO_CONVERGENCE;
            factor /= 2;
            ctk_difference(sim->model, q, sim->space.path_q, sim->space.goal);
            ctk_move(sim->model, 0.5, sim->space.goal, q);
            continue;
        }
        // the place goes to space.path_q, then a full step
        ctk_copy(ctk_positions(sim->model), q, sim->space.path_q);
        add_step(sim, q);
        last = error;
        factor = 1;
    }
    return CTK_NO_CONVERGENCE;
}
