// LAPACK's routines, called as functions of values. They are those of LAPACK itself: the library of
// its C interface, LAPACKE, would have 2500 symbols more to bind at each start of the program.
// Matrices are by columns; size = -1 asks for the work space, which comes in work[0].
#ifndef CT_LAPACK_H
#define CT_LAPACK_H

#include <lapacke.h>

// A = U S V^T with A of m x n, which is lost. job: 'N' the singular values alone, 'A' all of U and
// V^T. Returns 0, or what LAPACK complains about.
static inline int ct_lapack_dgesvd(char job, int m, int n, double *a, double *s, double *u, int ldu,
                                   double *vt, int ldvt, double *work, int size) {
    lapack_int info = 0;
    LAPACK_dgesvd(&job, &job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, &size, &info);
    return info;
}

// The least x of least |A x - b| with A of m x n, which is lost; b has room for x. Singular values
// below `cutoff` of the largest are none.
static inline int ct_lapack_dgelsd(int m, int n, double *a, double *b, double *s, double cutoff,
                                   int *rank, double *work, int size, int *integers) {
    lapack_int info = 0, one = 1, most = m > n ? m : n;
    LAPACK_dgelsd(&m, &n, &one, a, &m, b, &most, s, &cutoff, rank, work, &size, integers, &info);
    return info;
}

// Values and vectors (in the place of A) of A x = value B x with symmetric A, B of n x n, B positive.
static inline int ct_lapack_dsygv(int n, double *a, double *b, double *value, double *work,
                                  int size) {
    lapack_int info = 0, kind = 1;
    char vectors = 'V', triangle = 'U';
    LAPACK_dsygv(&kind, &vectors, &triangle, &n, a, &n, b, &n, value, work, &size, &info);
    return info;
}

// Values (re + i im) / beta of A x = value B x with A, B of n x n; right vectors, or NULL.
static inline int ct_lapack_dggev(int n, double *a, double *b, double *re, double *im, double *beta,
                                  double *vectors, double *work, int size) {
    lapack_int info = 0, one = 1;
    char left = 'N', right = vectors ? 'V' : 'N';
    double none = 0;
    LAPACK_dggev(&left, &right, &n, a, &n, b, &n, re, im, beta, &none, &one,
                 vectors ? vectors : &none, vectors ? &n : &one, work, &size, &info);
    return info;
}

#endif
