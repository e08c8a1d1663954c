// Homogeneous polynomials in two numbers: sum a[i] g^(n - i) d^i. With g = cos, d = sin of half an
// angle they are the polynomials in its cosine and sine, with g = 1 those in a slide d. Real roots
// are directions (g, d), none of them special.
#ifndef CT_BINARY_FORM_H
#define CT_BINARY_FORM_H

#include "closure/tolerances.h"

#include <math.h>
#include <stdbool.h>

enum { CT_BINARY_DEGREE = 8 };
typedef struct ct_binary {
    int n;
    double a[CT_BINARY_DEGREE + 1];
} ct_binary;

static inline double ct_binary_value(const ct_binary *f, double g, double d) {
    double y = f->a[f->n], power = 1;
    for (int i = f->n - 1; i >= 0; i--) {
        power *= g;
        y = y * d + f->a[i] * power;
    }
    return y;
}

// The largest of its coefficients.
static inline double ct_binary_size(const ct_binary *f) {
    double size = 0;
    for (int i = 0; i <= f->n; i++) size = fmax(size, fabs(f->a[i]));
    return size;
}

static inline ct_binary ct_binary_mul(const ct_binary *a, const ct_binary *b) {
    ct_binary r = {.n = a->n + b->n};
    for (int i = 0; i <= a->n; i++)
        for (int k = 0; k <= b->n; k++) r.a[i + k] += a->a[i] * b->a[k];
    return r;
}

// a + f b, of the same degree.
static inline ct_binary ct_binary_add(const ct_binary *a, double f, const ct_binary *b) {
    ct_binary r = *a;
    for (int i = 0; i <= r.n; i++) r.a[i] += f * b->a[i];
    return r;
}

// Takes the root (g0, d0) out, f = q (g d0 - d g0): coefficients of q from the end of f that
// divides by the larger of |g0|, |d0|. Returns false if (g0, d0) is no root.
static inline bool ct_binary_divide_root(ct_binary *f, double g0, double d0) {
    ct_binary q = {.n = f->n - 1};
    double left, size = ct_binary_size(f);
    if (f->n < 1) return false;
    if (fabs(d0) >= fabs(g0)) {
        double carry = 0;
        for (int i = 0; i < f->n; i++) carry = q.a[i] = (f->a[i] + g0 * carry) / d0;
        left = f->a[f->n] + g0 * carry;
    } else {
        double carry = 0;
        for (int i = f->n; i > 0; i--) carry = q.a[i - 1] = (d0 * carry - f->a[i]) / g0;
        left = f->a[0] - d0 * carry;
    }
    *f = q;
    return fabs(left) <= CT_TOL_FORM_REST * size;
}

// Divides by g^2 + d^2. Returns false if that leaves a remainder.
static inline bool ct_binary_divide_unit(ct_binary *f) {
    ct_binary q = {.n = f->n - 2};
    double size = ct_binary_size(f);
    if (f->n < 2) return false;
    for (int i = 0; i <= q.n; i++) q.a[i] = f->a[i] - (i > 1 ? q.a[i - 2] : 0);
    double last = f->a[f->n] - q.a[q.n], before = f->a[f->n - 1] - (q.n > 0 ? q.a[q.n - 1] : 0);
    if (fabs(last) > CT_TOL_FORM * size || fabs(before) > CT_TOL_FORM * size) return false;
    *f = q;
    return true;
}

// d/dx f(cos x, sin x)
static inline double ct_binary_slope(const ct_binary *f, double x) {
    double g = cos(x), d = sin(x), y = 0;
    for (int i = 0; i <= f->n; i++) {
        int k = f->n - i;
        if (i) y += f->a[i] * i * pow(g, k + 1) * pow(d, i - 1);
        if (k) y -= f->a[i] * k * pow(g, k - 1) * pow(d, i + 1);
    }
    return y;
}

// A direction in which f is zero and does not change its sign.
static inline bool ct_binary_double_root(const ct_binary *f, double *g0, double *d0) {
    enum { PARTS = 256, HALVINGS = 60 };
    double size = ct_binary_size(f), step = acos(-1) / PARTS;
    for (int i = 0; i < PARTS && size > 0; i++) {
        double low = i * step + 0.1, high = low + step, at_low = ct_binary_slope(f, low);
        if (at_low * ct_binary_slope(f, high) > 0) continue;
        for (int k = 0; k < HALVINGS; k++) {
            double mid = 0.5 * (low + high), y = ct_binary_slope(f, mid);
            if (y * at_low > 0)
                low = mid;
            else
                high = mid;
        }
        double x = 0.5 * (low + high);
        *g0 = cos(x);
        *d0 = sin(x);
        // directions where numbers are round are often meant to be those
        if (fabs(*g0) < CT_TOL_ROUND) *g0 = 0;
        if (fabs(*d0) < CT_TOL_ROUND) *d0 = 0;
        if (fabs(ct_binary_value(f, *g0, *d0)) <= CT_TOL_FORM * size) return true;
    }
    return false;
}

#endif
