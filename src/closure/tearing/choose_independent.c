// The choice of independent coordinates at the initial position: the model's own where it is
// possible, else what elimination with complete pivoting leaves over. Coordinates that `initial`
// and actuators name are pivots only where nothing else does.
#include "closure/tearing/without_flow.h"
#include "closure/tolerances.h"
#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Phi_q at q0; slides in units of a length of the mechanism, rows of length 1.
static double *jacobian(const ct_formulation *f, int m, const int *rows, const double *q0) {
    size_t n = (size_t)f->n;
    double *all = ct_alloc((size_t)f->m * n + 1, sizeof *all),
           *a = ct_alloc((size_t)m * n + 1, sizeof *a), length = ct_typical_length(f->model);
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    ct_numbers_set(&x, f->n, f->q, q0);
    ct_numbers_eval(&x, f->m * f->n, f->phi_q, all);
    ct_numbers_clear(&x);
    for (int i = 0; i < m; i++) {
        double size = 0;
        for (int k = 0; k < f->n; k++) {
            a[i * f->n + k] = all[rows[i] * f->n + k] * (f->is_angle[k] ? 1 : length);
            size = hypot(size, a[i * f->n + k]);
        }
        for (int k = 0; k < f->n && size > 0; k++) a[i * f->n + k] /= size;
    }
    free(all);
    return a;
}

// Eliminates with complete pivoting, columns weighed; pivots are set in `dependent`. Returns the
// smallest pivot.
static double eliminate(int m, int n, double *a, const double *weight, bool *dependent) {
    bool *done = ct_alloc((size_t)m + 1, sizeof *done);
    double smallest = INFINITY;
    for (int step = 0; step < m; step++) {
        int row = -1, column = -1;
        double best = -1;
        for (int i = 0; i < m; i++)
            for (int k = 0; k < n; k++) {
                double size = fabs(a[i * n + k]) * weight[k];
                if (done[i] || dependent[k] || weight[k] <= 0 || size <= best) continue;
                best = size;
                row = i;
                column = k;
            }
        if (row < 0) {
            smallest = 0;
            break;
        }
        double pivot = a[row * n + column];
        smallest = fmin(smallest, fabs(pivot));
        done[row] = dependent[column] = true;
        for (int i = 0; i < m && pivot != 0; i++) {
            double f = done[i] ? 0 : a[i * n + column] / pivot;
            for (int k = 0; k < n && f != 0; k++) a[i * n + k] -= f * a[row * n + k];
        }
    }
    free(done);
    return smallest;
}

// The model's `independent:`: as many as there are freedoms, and possible.
static bool given(ct_context *ctx, const ct_formulation *f, int m, const double *a, bool *out) {
    const ct_model *model = f->model;
    int n = f->n, found = 0;
    for (int i = 0; i < model->n_independent; i++)
        for (int k = 0; k < n; k++)
            if (!strcmp(f->names[k], model->independent[i].name) && !out[k]) {
                out[k] = true;
                found++;
            }
    bool good = model->n_independent == n - m && found == n - m;
    if (good) {
        double *copy = ct_alloc((size_t)(m * n) + 1, sizeof *copy),
               *weight = ct_alloc((size_t)n + 1, sizeof *weight);
        bool *dependent = ct_alloc((size_t)n + 1, sizeof *dependent);
        memcpy(copy, a, (size_t)(m * n) * sizeof *copy);
        for (int k = 0; k < n; k++) weight[k] = out[k] ? 0 : 1;
        good = eliminate(m, n, copy, weight, dependent) > CT_TOL_DETERMINED;
        free(copy);
        free(weight);
        free(dependent);
    }
    if (!good) memset(out, 0, (size_t)n * sizeof *out);
    if (!good && model->n_independent)
        ct_warning_at(
            ctx, model->independent[0].place,
            "these coordinates cannot be the independent ones here (%d freedom%s); others "
            "were chosen",
            n - m, n - m == 1 ? "" : "s");
    return good;
}

static void weigh(const ct_formulation *f, double *weight) {
    const ct_model *model = f->model;
    for (int k = 0; k < f->n; k++) weight[k] = 1;
    for (int i = 0; i < model->n_initial; i++)
        if (f->where[model->initial[i].coordinate] >= 0)
            weight[f->where[model->initial[i].coordinate]] = 0.02;
    for (int i = 0; i < model->n_forces; i++) {
        const ct_force *p = model->forces + i;
        if (ct_force_drives(p->type) && f->where[p->coordinate] >= 0)
            weight[f->where[p->coordinate]] *= 0.3;
    }
}

void ct_iterated_choose(ct_context *ctx, const ct_formulation *f, int m, const int *rows,
                        const double *q0, bool *out) {
    double *a = jacobian(f, m, rows, q0), *weight = ct_alloc((size_t)f->n + 1, sizeof *weight);
    bool *dependent = ct_alloc((size_t)f->n + 1, sizeof *dependent);
    if (!given(ctx, f, m, a, out)) {
        weigh(f, weight);
        eliminate(m, f->n, a, weight, dependent);
        for (int k = 0; k < f->n; k++) out[k] = !dependent[k];
    }
    free(a);
    free(weight);
    free(dependent);
}
