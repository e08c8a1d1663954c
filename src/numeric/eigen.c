// Eigenvalues of small dense matrices (LAPACK): symmetric pairs, and pencils with a singular second
// matrix. Matrices are given row by row; work space is scratch, so that LAPACK allocates nothing. Each
// of these functions is a stage.
#include "numeric/numbers.h"
#include "util/lapack.h"

#include <math.h>
#include <string.h>

// |beta| of a pencil against its largest: smaller ones belong to infinite eigenvalues.
static const double INFINITE = 1e-13;

static double *transposed(int n, const double *a) {
    double *t = ct_scratch((size_t)n * (size_t)n + 1, sizeof *t);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) t[k * n + i] = a ? a[i * n + k] : i == k;
    return t;
}

static bool finite_all(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

bool ct_eigen_symmetric(int n, const double *a, const double *b, double *value, double *vector) {
    if (!n) return true;
    if (!finite_all(n * n, a) || (b && !finite_all(n * n, b))) return false;
    ct_stage stage = ct_stage_begin();
    double *left = transposed(n, a), *right = transposed(n, b), size;
    // how much work space, then values and vectors, which take the place of A
    ct_lapack_dsygv(n, left, right, value, &size, -1);
    double *work = ct_scratch((size_t)size, sizeof *work);
    bool good = ct_lapack_dsygv(n, left, right, value, work, (int)size) == 0;
    for (int i = 0; good && i < n; i++)
        for (int k = 0; k < n; k++) vector[k * n + i] = left[i * n + k];
    ct_stage_end(stage);
    return good;
}

int ct_eigen_pencil(int n, const double *a, const double *b, double *re, double *im) {
    if (!n) return 0;
    if (!finite_all(n * n, a) || !finite_all(n * n, b)) return -1;
    ct_stage stage = ct_stage_begin();
    double *left = transposed(n, a), *right = transposed(n, b), size;
    double *beta = ct_scratch((size_t)n, sizeof *beta);
    ct_lapack_dggev(n, left, right, re, im, beta, NULL, &size, -1);
    double *work = ct_scratch((size_t)size, sizeof *work);
    int count = -1;
    if (ct_lapack_dggev(n, left, right, re, im, beta, NULL, work, (int)size) == 0) {
        // finite ones: alpha / beta
        double largest = ct_largest(n, beta);
        count = 0;
        for (int i = 0; i < n; i++)
            if (fabs(beta[i]) > INFINITE * largest) {
                re[count] = re[i] / beta[i];
                im[count++] = im[i] / beta[i];
            }
    }
    ct_stage_end(stage);
    return count;
}
