// Self-stresses of unknowns that stand in no equation, such as what hinges carry across the plane of a
// mechanism. Nothing is eliminated for them: a unit of such an unknown changes the columns by its slopes,
// which all come from one function, and few columns each. So the least squares
//   S^T S z = -S^T y,   y += S z
// are taken along lists of these.
#include "ctk_fronts.h"

#include <math.h>

// Slopes of unknown k times the numbers y.
static double times(const ctk_wrenches *w, const double *slope, int k, const double *y) {
    double sum = 0;
    for (int e = w->slope_first[k]; e < w->slope_first[k + 1]; e++)
        sum += slope[e] * y[w->slope_column[e]];
    return sum;
}

// y += f times the slopes of unknown k.
static void add(const ctk_wrenches *w, const double *slope, int k, double f, double *y) {
    for (int e = w->slope_first[k]; e < w->slope_first[k + 1]; e++)
        y[w->slope_column[e]] += f * slope[e];
}

// Above this part of a slope that is left beside those before it one round is enough: rounding, times the
// condition of S^T S, is below 1e-13 of the columns.
static const double WELL = 1e-2;

static double product(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Cholesky factors l [n n] of S^T S, inverse ones on the diagonal; own [n_columns]: room. Returns the
// smallest part of a slope, squared, that is left beside those before it.
static double factor(const ctk_wrench_space *s, const double *slope, int n, double *l,
                     double *own) {
    const ctk_wrenches *w = s->w;
    double weakest = 1;
    for (int i = 0; i < w->n_columns; i++) own[i] = 0;
    for (int i = 0; i < n && weakest > CTK_INDEPENDENT; i++) {
        double *row = l + i * n;
        const int k = s->free[i];
        add(w, slope, k, 1, own);
        for (int j = 0; j < i; j++)
            row[j] = (times(w, slope, s->free[j], own) - product(row, l + j * n, j)) * l[j * n + j];
        const double all = times(w, slope, k, own), left = all - product(row, row, i);
        if (!(left >= weakest * all)) weakest = left / all;
        row[i] = 1 / sqrt(left);
        for (int e = w->slope_first[k]; e < w->slope_first[k + 1]; e++) own[w->slope_column[e]] = 0;
    }
    return weakest;
}

int ctk_loose_least(const ctk_wrench_space *s, const ctk_wrench_motion *m, int n, double *y) {
    const ctk_wrenches *w = s->w;
    double *slope = s->stress, *l = s->small, *z = l + n * n;
    // all of them have slopes
    if (!w->slopes) return 0;
    for (int i = 0; i < n; i++)
        if (w->slope_first[s->free[i]] == w->slope_first[s->free[i] + 1]) return 0;
    w->slopes(m->c, m->t, m->q, m->qd, m->qdd, m->u, slope);
    const double weakest = factor(s, slope, n, l, z + n);
    if (!(weakest > CTK_INDEPENDENT)) return 0;
    // L L^T z = -S^T y, y += S z; a second round takes what rounding left of the first
    for (int rounds = weakest > WELL ? 1 : 2; rounds > 0; rounds--) {
        for (int i = 0; i < n; i++)
            z[i] = -(times(w, slope, s->free[i], y) + product(l + i * n, z, i)) * l[i * n + i];
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) z[i] -= l[k * n + i] * z[k];
            z[i] *= l[i * n + i];
        }
        for (int i = 0; i < n; i++) add(w, slope, s->free[i], z[i], y);
    }
    return 1;
}
