// Evaluation with numbers for all symbols, least squares, ranks.
#ifndef CT_NUMBERS_H
#define CT_NUMBERS_H

#include "model/model.h"

// Numbers for the symbols of a pool.
typedef struct ct_numbers {
    ct_pool *pool;
    double *value; // by node
    uint32_t room;
} ct_numbers;
void ct_numbers_init(ct_numbers *x,
                     const ct_model *model); // parameters, inputs at their defaults, t = 0
void ct_numbers_set(ct_numbers *x, int n, const ct_ex *symbols, const double *values);
void ct_numbers_eval(ct_numbers *x, int n, const ct_ex *roots, double *out);
void ct_numbers_clear(ct_numbers *x);

// dense least squares --------------------------------------------------------------------------
// Smallest x with  A x = b  in the least-squares sense (A is m x n, row by row); returns the rank.
int ct_least_squares(int m, int n, const double *a, const double *b, double cutoff, double *x);
// Rows shorter than `floor`, or than 1e-12 of the longest, are rounding and count as zero.
int ct_rank(int m, int n, const double *a, double floor);
// Rows that are independent of those before them; keep[i] is set. Returns how many.
int ct_independent_rows(int m, int n, const double *a, double floor, bool *keep);

double ct_largest(int n, const double *x);
// The farthest joint point on any body, 1 where all are origins.
double ct_typical_length(const ct_model *model);

#endif
