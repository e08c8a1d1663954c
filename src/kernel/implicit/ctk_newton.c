// Newton's matrix of the hybrid along its pattern, which is known when a model is generated: rows of
// Phi_q by their columns, and an elimination A = L U without a search for pivots. The matrix is
// symmetric and positive definite but for the derivatives of forces, and elimination of such a matrix
// is stable in any order. How far entries grow is watched: where derivatives of forces spoil it, the
// matrix is factored anew as a dense one with row exchanges.
#include "ctk_internal.h"

// Pivots below this part of their diagonal entry are rounding; entries may grow so far, squared, in
// matrices that have ones on the diagonal. Positive definite ones do not grow.
static const double ROUNDING = 4 * DBL_EPSILON, GROWTH = 1e6;

// rows --------------------------------------------------------------------------------------------
// The row of Phi_q in a place times x.
double ctk_row_dot(const ctk_sim *sim, int place, const double *x) {
    const ctk_model *m = sim->model;
    const double *row = sim->space.phi_q + (size_t)place * m->n;
    const int r = ctk_model_row(sim, place);
    double sum = 0;
    for (int k = m->row_first[r]; k < m->row_first[r + 1]; k++)
        sum += row[m->row_columns[k]] * x[m->row_columns[k]];
    return sum;
}

// x += f times that row.
void ctk_row_add(const ctk_sim *sim, int place, double f, double *x) {
    const ctk_model *m = sim->model;
    const double *row = sim->space.phi_q + (size_t)place * m->n;
    const int r = ctk_model_row(sim, place);
    for (int k = m->row_first[r]; k < m->row_first[r + 1]; k++)
        x[m->row_columns[k]] += f * row[m->row_columns[k]];
}

// a += f Phi_q^T R Phi_q
void ctk_newton_penalty(const ctk_sim *sim, double f, double *a) {
    const ctk_model *m = sim->model;
    for (int place = 0; place < ctk_all_rows(m); place++) {
        const double *row = sim->space.phi_q + (size_t)place * m->n;
        const int r = ctk_model_row(sim, place), count = m->row_first[r + 1] - m->row_first[r];
        const int *column = m->row_columns + m->row_first[r];
        const double factor = f * sim->space.implicit.factor[place];
        for (int i = 0; i < count; i++) {
            const double e = factor * row[column[i]];
            double *to = a + (size_t)column[i] * m->n;
            for (int j = 0; j < count; j++) to[column[j]] += e * row[column[j]];
        }
    }
}

// the matrix --------------------------------------------------------------------------------------
// a += f b; f = 0: a = b
void ctk_newton_add(const ctk_model *m, double f, const double *restrict b, double *restrict a) {
    const size_t n = (size_t)m->n;
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)m->newton_order[i], d = k * n + k;
        a[d] = f != 0 ? a[d] + f * b[d] : b[d];
        for (int p = m->newton_first[i]; p < m->newton_first[i + 1]; p++) {
            const size_t up = k * n + (size_t)m->newton_after[p],
                         low = (size_t)m->newton_after[p] * n + k;
            a[up] = f != 0 ? a[up] + f * b[up] : b[up];
            a[low] = f != 0 ? a[low] + f * b[low] : b[low];
        }
    }
}

// y = A x
void ctk_newton_product(const ctk_model *m, const double *restrict a, const double *restrict x,
                        double *restrict y) {
    const size_t n = (size_t)m->n;
    for (size_t i = 0; i < n; i++) y[i] = a[i * n + i] * x[i];
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)m->newton_order[i];
        for (int p = m->newton_first[i]; p < m->newton_first[i + 1]; p++) {
            const size_t j = (size_t)m->newton_after[p];
            y[k] += a[k * n + j] * x[j];
            y[j] += a[j * n + k] * x[k];
        }
    }
}

// slope = K and matrix = M + Gc C / Bc at the state being tried. Forces may have values where they
// have no derivatives, such as x^1.5 at zero: these count as zero.
void ctk_newton_tangent(ctk_sim *sim, const ctk_step_rule *r) {
    const ctk_model *m = sim->model;
    ctk_implicit_space *x = &sim->space.implicit;
    const double f = r->gc / r->bc;
    m->tangent(sim->c, r->t, sim->space.q, sim->space.qd, sim->u, x->stiffness, x->damping);
    memset(x->slope, 0, (size_t)m->n * (size_t)m->n * sizeof *x->slope);
    ctk_newton_add(m, 0, sim->space.mass, x->matrix);
    for (int k = 0; k < m->n_stiffness; k++)
        x->slope[m->stiffness_places[k]] = isfinite(x->stiffness[k]) ? x->stiffness[k] : 0;
    for (int k = 0; k < m->n_damping; k++)
        if (isfinite(x->damping[k])) x->matrix[m->damping_places[k]] += f * x->damping[k];
}

// factors -----------------------------------------------------------------------------------------
// Eliminates along the order; inverse pivots in implicit.scale. Returns 0 where a pivot is rounding,
// or entries grow.
static int eliminate(ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const size_t n = (size_t)m->n;
    double *restrict a = sim->space.implicit.matrix, *restrict inverse = sim->space.implicit.scale;
    double *restrict weight = sim->space.implicit.right;
    for (size_t i = 0; i < n; i++) weight[i] = 1 / fabs(a[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)m->newton_order[i];
        const int *after = m->newton_after + m->newton_first[i];
        const int count = m->newton_first[i + 1] - m->newton_first[i];
        const double *up = a + k * n, pivot = up[k];
        // the largest entries of its row and column, squared, in units of the diagonal
        double row = 0, column = 0;
        for (int p = 0; p < count; p++) {
            const size_t j = (size_t)after[p];
            row = ctk_larger(row, up[j] * up[j] * weight[j]);
            column = ctk_larger(column, a[j * n + k] * a[j * n + k] * weight[j]);
        }
        if (!(fabs(pivot) * weight[k] > ROUNDING && row * column <= GROWTH * pivot * pivot))
            return 0;
        // L behind the pivot, and what it takes from the rest
        inverse[k] = 1 / pivot;
        for (int p = 0; p < count; p++) {
            double *to = a + (size_t)after[p] * n;
            const double l = to[k] * inverse[k];
            to[k] = l;
            for (int j = 0; j < count; j++) to[after[j]] -= l * up[after[j]];
        }
    }
    return 1;
}

// Factors of implicit.matrix in its place; implicit.slope is used up.
ctk_status ctk_newton_factor(ctk_sim *sim) {
    ctk_implicit_space *x = &sim->space.implicit;
    const size_t n = (size_t)sim->model->n;
    ctk_newton_add(sim->model, 0, x->matrix, x->slope);
    x->is_dense = !eliminate(sim);
    if (!x->is_dense) return CTK_OK;
    memset(x->matrix, 0, n * n * sizeof *x->matrix);
    ctk_newton_add(sim->model, 0, x->slope, x->matrix);
    return ctk_implicit_factor(sim, sim->model->n, NULL, x->matrix);
}

// x := A^-1 x by these factors.
void ctk_newton_back(const ctk_sim *sim, double *restrict x) {
    const ctk_model *m = sim->model;
    const size_t n = (size_t)m->n;
    const double *restrict a = sim->space.implicit.matrix;
    if (sim->space.implicit.is_dense) {
        ctk_implicit_back(sim, m->n, a, x);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)m->newton_order[i];
        for (int p = m->newton_first[i]; p < m->newton_first[i + 1]; p++)
            x[m->newton_after[p]] -= a[(size_t)m->newton_after[p] * n + k] * x[k];
    }
    for (size_t i = n; i-- > 0;) {
        const size_t k = (size_t)m->newton_order[i];
        double sum = x[k];
        for (int p = m->newton_first[i]; p < m->newton_first[i + 1]; p++)
            sum -= a[k * n + (size_t)m->newton_after[p]] * x[m->newton_after[p]];
        x[k] = sum * sim->space.implicit.scale[k];
    }
}
