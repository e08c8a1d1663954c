// Numbers: evaluation with numbers for all symbols of a pool, least squares, ranks. Nothing here
// knows mechanics.
#ifndef CT_NUMBERS_H
#define CT_NUMBERS_H

#include "expr/expr.h"
#include "util/pages.h"

// Numbers for the symbols of a pool; those that are not set are NaN.
typedef struct ct_numbers {
    ct_pool *pool;
    ct_pages value; // double by node
} ct_numbers;
void ct_numbers_init(ct_numbers *numbers, ct_pool *pool);
void ct_numbers_set(ct_numbers *numbers, int n, const ct_ex *symbols, const double *values);
double ct_numbers_get(const ct_numbers *numbers, ct_ex symbol); // NaN: not set
void ct_numbers_eval(ct_numbers *numbers, int n, const ct_ex *roots, double *out);
// Values that are zero but for rounding are zero: entries of a Jacobian whose rank is asked for.
void ct_numbers_eval_rounded(ct_numbers *numbers, int n, const ct_ex *roots, double *out);
void ct_numbers_clear(ct_numbers *numbers);

// dense least squares --------------------------------------------------------------------------
// Smallest x with  A x = b  in the least-squares sense (A is m x n, row by row); returns the rank.
int ct_least_squares(int m, int n, const double *a, const double *b, double cutoff, double *x);
// The x with  A x = b  (in the least-squares sense, rows scaled to length one; directions whose
// singular value is below the cutoff are free) that makes  |g + J x|  smallest; g NULL: zero. J has
// `rows` rows. Returns the rank of A.
int ct_constrained_least_squares(int m, int n, const double *a, const double *b, double cutoff,
                                 int rows, const double *j, const double *g, double *x);
// Rows that are shorter than `floor`, or rounding beside the longest row, count as zero. least, if
// wanted: the smallest singular value that counts, of rows scaled to length one.
int ct_rank(int m, int n, const double *a, double floor, double *least);
// Rows that are independent of those before them; keep[i] is set. Returns how many.
int ct_independent_rows(int m, int n, const double *a, double floor, bool *keep);

double ct_largest(int n, const double *x); // of |x|; NaN where one is

// eigenvalues ------------------------------------------------------------------------------------
// A x = value B x of symmetric matrices, B positive definite (NULL: 1); values ascend, vectors are
// columns of `vector` with  x^T B x = 1. Returns false if B is not positive definite.
bool ct_eigen_symmetric(int n, const double *a, const double *b, double *value, double *vector);
// The finite eigenvalues of  A x = s B x,  at most n. Returns how many, -1 if there is no answer.
int ct_eigen_pencil(int n, const double *a, const double *b, double *re, double *im);

#endif
