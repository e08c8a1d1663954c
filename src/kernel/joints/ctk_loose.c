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

static double product(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Cholesky factors l [n n] of S^T S; own [n_columns]: room. Returns 0 if slopes are not clearly
// independent.
static int factor(const ctk_wrench_space *s, const double *slope, int n, double *l, double *own) {
    const ctk_wrenches *w = s->w;
    for (int i = 0; i < w->n_columns; i++) own[i] = 0;
    for (int i = 0; i < n; i++) {
        add(w, slope, s->free[i], 1, own);
        for (int j = 0; j <= i; j++) {
            const double all = times(w, slope, s->free[j], own);
            const double sum = all - product(l + i * n, l + j * n, j);
            if (j == i && !(sum > CTK_INDEPENDENT * all)) return 0;
            l[i * n + j] = j < i ? sum / l[j * n + j] : sqrt(sum);
        }
        for (int e = w->slope_first[s->free[i]]; e < w->slope_first[s->free[i] + 1]; e++)
            own[w->slope_column[e]] = 0;
    }
    return 1;
}

// A second round takes what rounding, times the condition of S^T S, left of the first.
int ctk_loose_least(const ctk_wrench_space *s, const ctk_wrench_motion *m, int n, double *y) {
    enum { ROUNDS = 2 };
    const ctk_wrenches *w = s->w;
    double *slope = s->stress, *l = s->small, *z = l + n * n;
    if (!w->slopes) return 0;
    for (int i = 0; i < n; i++)
        if (w->slope_first[s->free[i]] == w->slope_first[s->free[i] + 1]) return 0;
    w->slopes(m->c, m->t, m->q, m->qd, m->qdd, m->u, slope);
    if (!factor(s, slope, n, l, z + n)) return 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < n; i++)
            z[i] = (-times(w, slope, s->free[i], y) - product(l + i * n, z, i)) / l[i * n + i];
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) z[i] -= l[k * n + i] * z[k];
            z[i] /= l[i * n + i];
        }
        for (int i = 0; i < n; i++) add(w, slope, s->free[i], z[i], y);
    }
    return 1;
}
