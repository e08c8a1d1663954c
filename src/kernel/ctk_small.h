// Inside of generated models: small systems of equations and iterations. Everything is in this
// header, so that the sizes are known where it is compiled.
#ifndef CTK_SMALL_H
#define CTK_SMALL_H

#include <math.h>

static inline double ctk_larger(double a, double b) {
    return a > b ? a : b;
}

// The angle with this sine and cosine (times any positive factor) that is nearest to `last`.
static inline double ctk_angle(double sine, double cosine, double last) {
    const double turn = 6.28318530717958648;
    double angle = atan2(sine, cosine);
    return angle + turn * floor((last - angle) / turn + 0.5);
}

// X := A^-1 X for `columns` right sides, both row by row and overwritten; rows are scaled to
// largest entry 1, pivots chosen in columns. Returns 0 where A is singular or not finite.
static inline int ctk_small_solve(int n, int columns, double *restrict a, double *restrict x,
                                  double *determinant) {
    const double tiny = 1e-13;
    double det = 1;
    *determinant = 0;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) largest = ctk_larger(largest, fabs(a[i * n + j]));
        if (!(largest > 0) || !(largest < HUGE_VAL)) return 0;
        double f = 1 / largest;
        det *= largest;
        for (int j = 0; j < n; j++) a[i * n + j] *= f;
        for (int j = 0; j < columns; j++) x[i * columns + j] *= f;
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        if (p != k) {
            det = -det;
            for (int j = k; j < n; j++) {
                double y = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = y;
            }
            for (int j = 0; j < columns; j++) {
                double y = x[k * columns + j];
                x[k * columns + j] = x[p * columns + j];
                x[p * columns + j] = y;
            }
        }
        det *= a[k * n + k];
        if (!(fabs(a[k * n + k]) > tiny)) return 0;
        double inverse = a[k * n + k] = 1 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] * inverse;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            for (int j = 0; j < columns; j++) x[i * columns + j] -= f * x[k * columns + j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            double y = x[i * columns + j];
            for (int k = i + 1; k < n; k++) y -= a[i * n + k] * x[k * columns + j];
            x[i * columns + j] = y * a[i * n + i];
        }
    *determinant = det;
    return 1;
}

// Newton's iteration on y, one step at a time: ctk_newton_step returns 1 while it goes on, 0 when
// it has converged and -1 when it fails. It is trusted where it contracts: each correction at most
// half of the one before (no other solution is as near then). The last correction, below 1e-9, is
// applied, which leaves its square.
typedef struct ctk_iteration {
    int count;
    double last, determinant; // size of the last correction; of the matrix
} ctk_iteration;

static inline int ctk_newton_step(ctk_iteration *it, int n, const int *angle,
                                  double *restrict matrix, double *restrict residual,
                                  double *restrict y) {
    const double longest = 0.3, good = 1e-9;
    enum { MOST = 20 };
    double size = 0, turn = 0, scale = 1, share = 1;
    if (!ctk_small_solve(n, 1, matrix, residual, &it->determinant)) return -1;
    for (int i = 0; i < n; i++) {
        size = ctk_larger(size, fabs(residual[i]));
        scale = ctk_larger(scale, fabs(y[i]));
        if (angle[i]) turn = ctk_larger(turn, fabs(residual[i]));
        if (!(fabs(residual[i]) < HUGE_VAL)) return -1;
    }
    if (it->count > 0 && size > good * scale && !(size <= 0.5 * it->last)) return -1;
    if (turn > longest) share = longest / turn;
    for (int i = 0; i < n; i++) y[i] -= share * residual[i];
    it->last = share < 1 ? HUGE_VAL : size; // a shortened step promises nothing for the next
    if (size <= good * scale) return 0;
    return ++it->count < MOST ? 1 : -1;
}

#endif
