// Homogeneous polynomials in two numbers: sum a[i] g^(n - i) d^i. With g = cos, d = sin of half an
// angle they are the polynomials in its cosine and sine, with g = 1 those in a slide d. Real roots
// are directions (g, d), none of them special.
#ifndef CT_BINARY_FORM_H
#define CT_BINARY_FORM_H

#include <stdbool.h>

enum { CT_BINARY_DEGREE = 8 };
typedef struct ct_binary {
    int n;
    double a[CT_BINARY_DEGREE + 1];
} ct_binary;

double ct_binary_value(const ct_binary *f, double g, double d);
double ct_binary_size(const ct_binary *f); // of its coefficients
ct_binary ct_binary_mul(const ct_binary *a, const ct_binary *b);
ct_binary ct_binary_add(const ct_binary *a, double f, const ct_binary *b); // of the same degree
// Takes the root (g0, d0) out, f = q (g d0 - d g0): coefficients of q from the end of f that
// divides by the larger of |g0|, |d0|. False where it is none.
bool ct_binary_divide_root(ct_binary *f, double g0, double d0);
bool ct_binary_divide_unit(ct_binary *f); // takes g^2 + d^2 out, where that goes
// A direction in which f is zero and does not change its sign.
bool ct_binary_double_root(const ct_binary *f, double *g0, double *d0);

#endif
