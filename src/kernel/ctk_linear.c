// Small dense elimination: LU with partial pivoting, L D L^T, and complete pivoting to find the
// columns of a wide matrix that are best eliminated. Factors keep the reciprocals of their pivots
// on the diagonal.
#include "ctk_internal.h"

static void swap_rows(int n, double *restrict a, double *restrict b) {
    for (int j = 0; j < n; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

// The row of the original matrix that stands in row p after the exchanges 0 .. k - 1.
static int original_row(const int *pivot, int k, int p) {
    while (k-- > 0) p = p == k ? pivot[k] : p == pivot[k] ? k : p;
    return p;
}

// P A = L U. Rows are expected to be scaled to about 1. Returns 0 if a pivot is not above tiny (or
// is NaN).
int ctk_lu_factor(int n, double *restrict a, int *restrict pivot, double tiny, ctk_rank *rank) {
    int weakest = 0;
    rank->smallest = n ? DBL_MAX : 1;
    rank->determinant = 1;
    rank->sign = 1;
    rank->row = -1;
    for (int k = 0; k < n; k++) {
        double *row = a + (size_t)k * n;
        // pivot: the largest entry of column k, from row k on
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)p * n + k])) p = i;
        pivot[k] = p;
        if (p != k) swap_rows(n, row, a + (size_t)p * n);
        // sign of the determinant and weakest pivot so far
        double size = fabs(row[k]);
        rank->determinant *= size;
        if ((p != k) != (row[k] < 0)) rank->sign = -rank->sign;
        if (!(size >= rank->smallest)) {
            rank->smallest = size;
            weakest = k;
        }
        // singular: the row that has nothing left
        if (!(size > tiny)) {
            rank->row = original_row(pivot, k + 1, k);
            return 0;
        }
        // rows below: L_ik = a_ik / a_kk, a_ij -= L_ik a_kj
        double inverse = row[k] = 1 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *below = a + (size_t)i * n;
            double f = below[k] *= inverse;
            if (f == 0) continue;
            for (int j = k + 1; j < n; j++) below[j] -= f * row[j];
        }
    }
    if (n) rank->row = original_row(pivot, n, weakest);
    return 1;
}

// X := A^-1 X for `columns` right sides, X stored row by row. Factors of loops that are apart are mostly
// zero.
void ctk_lu_solve(int n, const double *restrict a, const int *restrict pivot, int columns,
                  double *restrict x) {
    // X := P X
    for (int k = 0; k < n; k++)
        if (pivot[k] != k)
            swap_rows(columns, x + (size_t)k * columns, x + (size_t)pivot[k] * columns);
    // X := L^-1 X
    for (int i = 1; i < n; i++) {
        double *xi = x + (size_t)i * columns;
        for (int k = 0; k < i; k++) {
            double f = a[(size_t)i * n + k];
            if (f == 0) continue;
            const double *xk = x + (size_t)k * columns;
            for (int j = 0; j < columns; j++) xi[j] -= f * xk[j];
        }
    }
    // X := U^-1 X
    for (int i = n - 1; i >= 0; i--) {
        double *xi = x + (size_t)i * columns, inverse = a[(size_t)i * n + i];
        for (int k = i + 1; k < n; k++) {
            double f = a[(size_t)i * n + k];
            if (f == 0) continue;
            const double *xk = x + (size_t)k * columns;
            for (int j = 0; j < columns; j++) xi[j] -= f * xk[j];
        }
        for (int j = 0; j < columns; j++) xi[j] *= inverse;
    }
}

// Smallest singular value of A from its factors: one step of the inverse iteration with A^T A from
// the direction v, w = A^-T v, z = A^-1 w, sigma = |w| / |z|. v becomes z / |z|. The error is of
// second order in the angle between v and the direction that A shrinks most.
double ctk_lu_smallest(int n, const double *restrict a, const int *restrict pivot,
                       double *restrict v, double *restrict w) {
    double before = 0, after = 0;
    // w = P^T L^-T U^-T v
    for (int i = 0; i < n; i++) {
        double e = v[i];
        for (int k = 0; k < i; k++) e -= a[(size_t)k * n + i] * w[k];
        w[i] = e * a[(size_t)i * n + i];
    }
    for (int i = n - 2; i >= 0; i--)
        for (int k = i + 1; k < n; k++) w[i] -= a[(size_t)k * n + i] * w[k];
    for (int k = n - 1; k >= 0; k--) {
        double x = w[k];
        w[k] = w[pivot[k]];
        w[pivot[k]] = x;
    }
    // z = A^-1 w
    for (int i = 0; i < n; i++) {
        before += w[i] * w[i];
        v[i] = w[i];
    }
    ctk_lu_solve(n, a, pivot, 1, v);
    for (int i = 0; i < n; i++) after += v[i] * v[i];
    // unit length
    const double length = sqrt(after), sigma = sqrt(before) / length;
    for (int i = 0; i < n; i++) v[i] /= length;
    return sigma;
}

// A = L D L^T from the lower triangle. Returns -1, or the first row whose pivot is lost in the
// rounding of its own diagonal: A is not positive definite.
int ctk_ldl_factor(int n, double *restrict a) {
    for (int i = 0; i < n; i++) {
        double *ai = a + (size_t)i * n;
        // row i of L D, from the rows above
        for (int j = 1; j < i; j++) { // w_ij = L_ij D_j
            const double *lj = a + (size_t)j * n;
            double w = ai[j];
            for (int k = 0; k < j; k++) w -= ai[k] * lj[k];
            ai[j] = w;
        }
        // D_i = a_ii - sum_k L_ik^2 D_k, with L_ik = w_ik / D_k
        double d = ai[i], lost = 64 * DBL_EPSILON * d;
        for (int k = 0; k < i; k++) {
            double l = ai[k] * a[(size_t)k * n + k];
            d -= l * ai[k];
            ai[k] = l;
        }
        if (!(d > lost) || !(d > 0)) return i;
        ai[i] = 1 / d;
    }
    return -1;
}

void ctk_ldl_solve(int n, const double *restrict a, double *restrict x) {
    for (int i = 1; i < n; i++) {
        double s = x[i];
        for (int k = 0; k < i; k++) s -= a[(size_t)i * n + k] * x[k];
        x[i] = s;
    }
    for (int i = 0; i < n; i++) x[i] *= a[(size_t)i * n + i];
    for (int i = n - 1; i > 0; i--) {
        double s = x[i];
        for (int k = 0; k < i; k++) x[k] -= a[(size_t)i * n + k] * s;
    }
}

static void swap_columns(int m, int n, double *a, int j, int k) {
    for (int i = 0; i < m; i++) {
        double *row = a + (size_t)i * n, x = row[j];
        row[j] = row[k];
        row[k] = x;
    }
}

static void swap_ints(int *a, int *b) {
    int x = *a;
    *a = *b;
    *b = x;
}

// Complete pivoting on the m x n matrix A (overwritten; rows scaled to 1): rows[0 .. count-1] and
// columns[0 .. count-1] are the ones that eliminate best. A later candidate must be clearly larger,
// so that ties do not depend on rounding. rank.smallest is the smallest pivot; 0, with rank.row,
// when fewer than `count` rows are independent.
ctk_rank ctk_pivot_columns(int m, int n, int count, double *restrict a, int *restrict columns,
                           int *restrict rows) {
    ctk_rank rank = {1, 0, 1, -1};
    // natural order at first
    for (int j = 0; j < n; j++) columns[j] = j;
    for (int i = 0; i < m; i++) rows[i] = i;
    for (int k = 0; k < count; k++) {
        // pivot: the largest entry that is left, the first among equals
        double best = 0, clear = 0;
        int p = k, s = k;
        for (int i = k; i < m; i++) {
            const double *at = a + (size_t)i * n;
            for (int j = k; j < n; j++)
                if (fabs(at[j]) > clear) {
                    best = fabs(at[j]);
                    clear = best * (1 + 1e-9);
                    p = i;
                    s = j;
                }
        }
        // smallest pivot so far; where nothing is left the rows are dependent
        if (best < rank.smallest) rank.smallest = best;
        rank.row = rows[p];
        if (!(best > CTK_TINY_PIVOT)) {
            rank.smallest = 0;
            return rank;
        }
        // pivot row and column to place k
        double *row = a + (size_t)k * n;
        if (p != k) {
            swap_rows(n, row, a + (size_t)p * n);
            swap_ints(rows + p, rows + k);
        }
        if (s != k) {
            swap_columns(m, n, a, s, k);
            swap_ints(columns + s, columns + k);
        }
        // eliminate below
        for (int i = k + 1; i < m; i++) {
            double *below = a + (size_t)i * n, f = below[k] / row[k];
            if (f == 0) continue;
            for (int j = k + 1; j < n; j++) below[j] -= f * row[j];
        }
    }
    return rank;
}

// singular values ----------------------------------------------------------------------------------
double ctk_dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(int n, double c, double s, double *a, double *b) {
    for (int i = 0; i < n; i++) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

// Singular values of A [m n], given by its n columns a, which become those of U S = A V; v: the
// columns of V; s: sizes of the columns. Columns are turned in pairs until they are orthogonal
// (Jacobi, one-sided). Returns the largest.
double ctk_singular_values(int m, int n, double *restrict a, double *restrict v,
                           double *restrict s) {
    const double orthogonal = 1e-14, nothing = 1e-17; // cosine; of the largest column
    double most = 0;
    for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
    for (int sweep = 0, turned = 1; sweep < 40 && turned; sweep++) {
        turned = 0;
        most = 0;
        for (int i = 0; i < n; i++) {
            s[i] = sqrt(ctk_dot(m, a + i * m, a + i * m));
            most = ctk_larger(most, s[i]);
        }
        for (int i = 0; i < n; i++)
            for (int k = i + 1; k < n; k++) {
                const double x = ctk_dot(m, a + i * m, a + i * m),
                             y = ctk_dot(m, a + k * m, a + k * m),
                             xy = ctk_dot(m, a + i * m, a + k * m), tiny = nothing * most;
                if (!(fabs(xy) > orthogonal * sqrt(x) * sqrt(y)) || x < tiny * tiny ||
                    y < tiny * tiny)
                    continue;
                // tan of the turn that makes them orthogonal, the smaller one
                const double w = (y - x) / (2 * xy),
                             t = (w < 0 ? -1 : 1) / (fabs(w) + sqrt(1 + w * w)),
                             c = 1 / sqrt(1 + t * t);
                rotate(m, c, c * t, a + i * m, a + k * m);
                rotate(n, c, c * t, v + i * n, v + k * n);
                turned = 1;
            }
    }
    most = 0;
    for (int i = 0; i < n; i++) {
        s[i] = sqrt(ctk_dot(m, a + i * m, a + i * m));
        most = ctk_larger(most, s[i]);
    }
    return most;
}

// x += V S^-1 U^T b  over the singular values above `least`.
void ctk_solve_along(int m, int n, const double *restrict a, const double *restrict v,
                     const double *restrict s, const double *restrict b, double least,
                     double *restrict x) {
    for (int k = 0; k < n; k++) {
        if (!(s[k] > least)) continue;
        const double along = ctk_dot(m, a + k * m, b) / (s[k] * s[k]);
        for (int i = 0; i < n; i++) x[i] += along * v[k * n + i];
    }
}
