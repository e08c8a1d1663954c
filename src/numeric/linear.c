// Dense least squares, ranks and independent rows (LAPACK). Matrices are given row by row; LAPACK gets
// them column by column, with work space from the scratch of the call, so that it allocates nothing.
// Each of these functions is a stage.
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

static double *by_columns(int m, int n, const double *a) {
    double *t = ct_scratch((size_t)m * (size_t)n, sizeof *t);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++) t[k * m + i] = a[i * n + k];
    return t;
}

// A = U S V^T of a matrix by columns, which is lost. job: 'N' the singular values alone, 'A' all of U
// and V^T too, by columns. Returns false if LAPACK finds none.
static bool decompose(char job, int m, int n, double *a, double *s, double *u, double *vt) {
    double size;
    int ldu = job == 'A' ? m : 1, ldvt = job == 'A' ? n : 1;
    ct_lapack_dgesvd(job, m, n, a, s, u, ldu, vt, ldvt, &size, -1);
    double *work = ct_scratch((size_t)size, sizeof *work);
    return ct_lapack_dgesvd(job, m, n, a, s, u, ldu, vt, ldvt, work, (int)size) == 0;
}

int ct_least_squares(int m, int n, const double *a, const double *b, double cutoff, double *x) {
    memset(x, 0, (size_t)n * sizeof *x);
    if (!m || !n || !finite_all(m * n, a) || !finite_all(m, b)) return 0;
    ct_stage stage = ct_stage_begin();
    // copies: LAPACK overwrites both sides
    int most = m > n ? m : n, rank = 0, integers;
    double *copy = by_columns(m, n, a), *rhs = ct_scratch((size_t)most, sizeof *rhs), size;
    double *s = ct_scratch((size_t)(m < n ? m : n), sizeof *s);
    memcpy(rhs, b, (size_t)m * sizeof *rhs);
    // how much work space, then the solution
    ct_lapack_dgelsd(m, n, copy, rhs, s, cutoff, &rank, &size, -1, &integers);
    double *work = ct_scratch((size_t)size, sizeof *work);
    int *iwork = ct_scratch((size_t)integers, sizeof *iwork);
    if (ct_lapack_dgelsd(m, n, copy, rhs, s, cutoff, &rank, work, (int)size, iwork) == 0)
        memcpy(x, rhs, (size_t)n * sizeof *x);
    ct_stage_end(stage);
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
    double *u = ct_scratch((size_t)m * (size_t)n + 1, sizeof *u), longest = 0;
    for (int i = 0; i < m; i++) longest = fmax(longest, row_length(n, a + i * n));
    for (int i = 0; i < m; i++) {
        double length = row_length(n, a + i * n);
        for (int k = 0; k < n && length > fmax(ROUNDING * longest, floor); k++)
            u[i * n + k] = a[i * n + k] / length;
    }
    return u;
}

int ct_rank(int m, int n, const double *a, double floor, double *least) {
    if (least) *least = 1;
    if (!m || !n || !finite_all(m * n, a)) return 0;
    int small = m < n ? m : n, rank = 0;
    ct_stage stage = ct_stage_begin();
    double *u = by_columns(m, n, unit_rows(m, n, a, floor)),
           *s = ct_scratch((size_t)small, sizeof *s);
    if (decompose('N', m, n, u, s, NULL, NULL))
        while (rank < small && s[rank] > DEPENDENT) rank++;
    if (least && rank) *least = s[rank - 1];
    ct_stage_end(stage);
    return rank;
}

int ct_independent_rows(int m, int n, const double *a, double floor, bool *keep) {
    int rank = ct_rank(m, n, a, floor, NULL), kept = 0;
    ct_stage stage = ct_stage_begin();
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
    ct_stage_end(stage);
    return kept;
}

int ct_constrained_least_squares(int m, int n, const double *a, const double *b, double cutoff,
                                 int rows, const double *j, const double *g, double *x) {
    memset(x, 0, (size_t)n * sizeof *x);
    if (!n || !finite_all(m * n, a) || !finite_all(m, b)) return 0;
    int small = m < n ? m : n, rank = 0;
    ct_stage stage = ct_stage_begin();
    size_t most = (size_t)(m > n ? m : n);
    double *copy = ct_scratch((size_t)m * (size_t)n + 1, sizeof *copy),
           *s = ct_scratch((size_t)small + 1, sizeof *s),
           *u = ct_scratch((size_t)m * (size_t)m + 1, sizeof *u),
           *vt = ct_scratch((size_t)n * (size_t)n + 1, sizeof *vt),
           *work = ct_scratch(most + 1, sizeof *work);
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
        bool good = decompose('A', m, n, by_columns(m, n, copy), s, u, vt);
        while (good && rank < small && s[rank] > cutoff) rank++;
        // particular solution:  x = V S^-1 U^T b
        for (int r = 0; r < rank; r++) {
            double along = 0;
            for (int i = 0; i < m; i++) along += u[r * m + i] * work[i];
            for (int k = 0; k < n; k++) x[k] += vt[k * n + r] * along / s[r];
        }
    } else {
        for (int k = 0; k < n; k++) vt[k * n + k] = 1;
    }
    // z of the null space:  min |g + J x + J N z|
    int left = n - rank;
    if (left && rows) {
        double *jn = ct_scratch((size_t)rows * (size_t)left, sizeof *jn),
               *rhs = ct_scratch((size_t)rows, sizeof *rhs),
               *z = ct_scratch((size_t)left, sizeof *z);
        for (int i = 0; i < rows; i++) {
            rhs[i] = g ? -g[i] : 0;
            for (int k = 0; k < n; k++) rhs[i] -= j[i * n + k] * x[k];
            for (int c = 0; c < left; c++)
                for (int k = 0; k < n; k++) jn[i * left + c] += j[i * n + k] * vt[k * n + rank + c];
        }
        ct_least_squares(rows, left, jn, rhs, DEPENDENT, z);
        for (int c = 0; c < left; c++)
            for (int k = 0; k < n; k++) x[k] += vt[k * n + rank + c] * z[c];
    }
    ct_stage_end(stage);
    return rank;
}
