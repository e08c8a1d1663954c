// Dense least squares, ranks and independent rows (LAPACK).
#include "numeric/numbers.h"

#include "util/lapack.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Cutoffs of rows with length one: sines of angles between a row and those before it.
static const double ROUNDING = 1e-12;   // of the longest row: a row that cancels but for rounding
static const double DEPENDENT = 1e-8;   // singular value: half the digits of a double
static const double CLEAR_REST = 1e-6;  // rest of a row: first try, rows that are clearly separate
static const double LEAST_REST = 1e-14; // rest of a row: last try, at which rounding begins

double ct_largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n && !isnan(most); i++) // NaN wins
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static bool finite_all(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

int ct_least_squares(int m, int n, const double *a, const double *b, double cutoff, double *x) {
    memset(x, 0, (size_t)n * sizeof *x);
    if (!m || !n || !finite_all(m * n, a) || !finite_all(m, b)) return 0;
    // copies: LAPACK overwrites both sides
    int rows = m > n ? m : n, rank = 0;
    double *copy = ct_scratch((size_t)m * (size_t)n, sizeof *copy),
           *rhs = ct_scratch((size_t)rows, sizeof *rhs);
    double *s = ct_scratch((size_t)(m < n ? m : n), sizeof *s);
    memcpy(copy, a, (size_t)m * (size_t)n * sizeof *copy);
    memcpy(rhs, b, (size_t)m * sizeof *rhs);
    int info = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, copy, n, rhs, 1, s, cutoff, &rank);
    ct_check_lapack(info);
    if (info == 0) memcpy(x, rhs, (size_t)n * sizeof *x);
    return rank;
}

static double row_length(int n, const double *row) {
    double length = 0;
    for (int k = 0; k < n; k++) length = hypot(length, row[k]);
    return length;
}

// Rows scaled to length one, so that a cutoff means an angle and not a unit of measure. Rows that
// are nothing but rounding beside the others are zero.
static double *unit_rows(int m, int n, const double *a, double floor) {
    double *u = ct_alloc((size_t)m * (size_t)n + 1, sizeof *u), longest = 0;
    for (int i = 0; i < m; i++) longest = fmax(longest, row_length(n, a + i * n));
    for (int i = 0; i < m; i++) {
        double length = row_length(n, a + i * n);
        for (int k = 0; k < n && length > fmax(ROUNDING * longest, floor); k++)
            u[i * n + k] = a[i * n + k] / length;
    }
    return u;
}

int ct_rank(int m, int n, const double *a, double floor) {
    if (!m || !n || !finite_all(m * n, a)) return 0;
    int small = m < n ? m : n, rank = 0;
    double *u = unit_rows(m, n, a, floor), *s = ct_scratch((size_t)small, sizeof *s),
           *work = ct_scratch((size_t)small, sizeof *work);
    int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, u, n, s, NULL, 1, NULL, 1, work);
    ct_check_lapack(info);
    if (info == 0)
        while (rank < small && s[rank] > DEPENDENT) rank++;
    ct_free(u);
    return rank;
}

int ct_independent_rows(int m, int n, const double *a, double floor, bool *keep) {
    int rank = ct_rank(m, n, a, floor), kept = 0;
    double *u = unit_rows(m, n, a, floor),
           *basis = ct_scratch((size_t)m * (size_t)n + 1, sizeof *basis);
    // thresholds from clear to rounding, until as many rows are kept as the rank asks for
    for (double threshold = CLEAR_REST; kept != rank && threshold > LEAST_REST; threshold /= 10) {
        kept = 0;
        // Gram-Schmidt in order: r = row - sum (row . b_j) b_j, twice against rounding
        for (int i = 0; i < m; i++) {
            double *r = basis + kept * n;
            memcpy(r, u + i * n, (size_t)n * sizeof *r);
            for (int pass = 0; pass < 2; pass++)
                for (int j = 0; j < kept; j++) {
                    double dot = 0;
                    for (int k = 0; k < n; k++) dot += r[k] * basis[j * n + k];
                    for (int k = 0; k < n; k++) r[k] -= dot * basis[j * n + k];
                }
            // a row with a rest above the threshold joins the basis
            double norm = row_length(n, r);
            keep[i] = norm > threshold && kept < rank;
            if (!keep[i]) continue;
            for (int k = 0; k < n; k++) r[k] /= norm;
            kept++;
        }
        if (!rank) break;
    }
    ct_free(u);
    return kept;
}

int ct_constrained_least_squares(int m, int n, const double *a, const double *b, double cutoff,
                                 int rows, const double *j, const double *g, double *x) {
    memset(x, 0, (size_t)n * sizeof *x);
    if (!n || !finite_all(m * n, a) || !finite_all(m, b)) return 0;
    int small = m < n ? m : n, rank = 0;
    size_t most = (size_t)(m > n ? m : n);
    double *copy = ct_alloc((size_t)m * (size_t)n + 1, sizeof *copy),
           *s = ct_alloc((size_t)small + 1, sizeof *s),
           *u = ct_alloc((size_t)m * (size_t)m + 1, sizeof *u),
           *vt = ct_alloc((size_t)n * (size_t)n + 1, sizeof *vt),
           *work = ct_alloc(most + 1, sizeof *work);
    // rows of length one: a cutoff is an angle then; rows that are rounding bind nothing
    double longest = 0;
    for (int i = 0; i < m; i++) longest = fmax(longest, row_length(n, a + i * n));
    for (int i = 0; i < m; i++) {
        double length = row_length(n, a + i * n);
        if (!(length > ROUNDING * longest)) continue;
        work[i] = b[i] / length;
        for (int k = 0; k < n; k++) copy[i * n + k] = a[i * n + k] / length;
    }
    if (m) {
        double *super = ct_alloc((size_t)small + 1, sizeof *super);
        int info =
            LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', m, n, copy, n, s, u, m, vt, n, super);
        ct_check_lapack(info);
        ct_free(super);
        while (info == 0 && rank < small && s[rank] > cutoff) rank++;
        // particular solution:  x = V S^-1 U^T b
        for (int r = 0; r < rank; r++) {
            double along = 0;
            for (int i = 0; i < m; i++) along += u[i * m + r] * work[i];
            for (int k = 0; k < n; k++) x[k] += vt[r * n + k] * along / s[r];
        }
    } else {
        for (int k = 0; k < n; k++) vt[k * n + k] = 1;
    }
    // z of the null space:  min |g + J x + J N z|
    int left = n - rank;
    if (left && rows) {
        double *jn = ct_alloc((size_t)rows * (size_t)left, sizeof *jn),
               *rhs = ct_alloc((size_t)rows, sizeof *rhs), *z = ct_alloc((size_t)left, sizeof *z);
        for (int i = 0; i < rows; i++) {
            rhs[i] = g ? -g[i] : 0;
            for (int k = 0; k < n; k++) rhs[i] -= j[i * n + k] * x[k];
            for (int c = 0; c < left; c++)
                for (int k = 0; k < n; k++)
                    jn[i * left + c] += j[i * n + k] * vt[(rank + c) * n + k];
        }
        ct_least_squares(rows, left, jn, rhs, DEPENDENT, z);
        for (int c = 0; c < left; c++)
            for (int k = 0; k < n; k++) x[k] += vt[(rank + c) * n + k] * z[c];
        ct_free(jn);
        ct_free(rhs);
        ct_free(z);
    }
    ct_free(copy);
    ct_free(s);
    ct_free(u);
    ct_free(vt);
    ct_free(work);
    return rank;
}
