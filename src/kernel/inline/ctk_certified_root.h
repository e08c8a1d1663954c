// Inside of generated models: roots in one or two angles that the theorem of Newton and Kantorovich
// certifies. With the Newton correction u at the expected place and a bound K on the second
// derivatives (both multiplied by the inverse of the derivative), h = K |u| <= 1/4 means:
//   there is one root within 1.18 |u| and no other one within 6.8 |u|, it is regular with the sign
//   of the derivative where it was expected, and Newton's iteration converges to it.
// Bounds of harmonics hold everywhere and follow from the coefficients alone. The second correction
// of the series (Chebyshev), s = F''(u, u) / 2, at most K |u|^2 / 2, ends the iteration where the
// error behind it is below CTK_CERTIFIED_LEFT:
//   K (|u| |s| + |s|^2 / 2 + n (|u| + |s|)^3 / 6) <= K |u|^3 (0.54 K + 0.24 n),
// n K a bound on the third derivatives.
#ifndef CTK_CERTIFIED_ROOT_H
#define CTK_CERTIFIED_ROOT_H

#include "ctk_small.h"

enum { CTK_DEGREE = 8 };

#define CTK_CERTIFIED_RATIO   0.25  // the largest h
#define CTK_CERTIFIED_LONGEST 0.2   // the longest correction
#define CTK_CERTIFIED_LEFT    1e-16 // the largest error that may be left
#define CTK_CERTIFIED_LAST    1e-3  // the longest last correction: turned by up to its fourth power
#define CTK_CERTIFIED_ROUND   4e-15 // times K: what rounding of the coefficients may change u by
enum { CTK_CERTIFIED_MOST = 4 };    // h below 1/18, 1/578, 1e-6 after one, two, three corrections

// h = K |u| <= 1/4, with what rounding adds to u.
static inline int ctk_certified_trusted(double k, double size) {
    return k * (size + CTK_CERTIFIED_ROUND * k) <= CTK_CERTIFIED_RATIO &&
           size <= CTK_CERTIFIED_LONGEST;
}

// Returns 1 if the error behind u and s is below CTK_CERTIFIED_LEFT. Then h is below 0.25, too, and
// |s| below 1e-9: with d = |u| + CTK_CERTIFIED_ROUND K, 0.54 (K d)^2 d <= CTK_CERTIFIED_LEFT.
static inline int ctk_certified_last(double k, double size, double n) {
    const double d = size + CTK_CERTIFIED_ROUND * k;
    return size <= CTK_CERTIFIED_LAST &&
           k * d * d * d * (0.54 * k + 0.24 * n) <= CTK_CERTIFIED_LEFT;
}

// Turns a pair (cosine, sine) by an angle.
static inline void ctk_turn_by(double by, double *restrict cosine, double *restrict sine) {
    const double c = *cosine, s = *sine;
    *cosine = c * cos(by) - s * sin(by);
    *sine = s * cos(by) + c * sin(by);
}

// Turns a pair by u + more, |u| <= CTK_CERTIFIED_LAST and `more` of order u^2: series up to u^4.
static inline void ctk_turn_further(double u, double more, double *restrict cosine,
                                    double *restrict sine) {
    const double z = u * u, by = u * (1 - z * (1.0 / 6)) + more, less = z * (0.5 - z * (1.0 / 24));
    const double c = *cosine, s = *sine;
    *cosine = c - (s * by + c * less);
    *sine = s + (c * by - s * less);
}

// f: a0 + sum a_k cos k w + b_k sin k w (coefficients a0 a1 b1 a2 b2 ...) and its first and second
// derivative.
static inline void ctk_harmonics(int m, const double *restrict a, double c, double s,
                                 double *restrict f) {
    double ck = c, sk = s;
    f[0] = a[0];
    f[1] = f[2] = 0;
    CTK_UNROLL
    for (int k = 1; k <= m; k++) {
        const double x = a[2 * k - 1], y = a[2 * k], even = x * ck + y * sk, odd = y * ck - x * sk;
        const double next = ck * c - sk * s;
        sk = sk * c + ck * s;
        ck = next;
        f[0] += even;
        f[1] = k > 1 ? f[1] + k * odd : odd;
        f[2] = k > 1 ? f[2] - k * k * even : -even;
    }
}

// One unknown ------------------------------------------------------------------------------------
// Bound on the second derivative of harmonics: sum k^2 (|a_k| + |b_k|).
static inline double ctk_turn_bound(int m, const double *a) {
    double bound = 0;
    for (int k = 1; k <= m; k++) bound += k * k * (fabs(a[2 * k - 1]) + fabs(a[2 * k]));
    return bound;
}

// w, c, s: angle, cosine, sine; in: where the root is expected, out (if the result is 1): the root.
// *slope: the derivative there, up to an error of order u^2.
static inline int ctk_certified_turn(int m, const double *restrict a, double bound,
                                     double *restrict w, double *restrict c, double *restrict s,
                                     double *restrict slope) {
    double x = *w, cosine = *c, sine = *s, f[3];
    for (int i = 0; i < CTK_CERTIFIED_MOST; i++) {
        // Newton: u = -f / f', K = bound / |f'|
        ctk_harmonics(m, a, cosine, sine, f);
        const double over = -1 / f[1], u = f[0] * over, k = bound * fabs(over), size = fabs(u);
        // not the last correction: certified, or no result
        if (!ctk_certified_last(k, size, m)) {
            if (!ctk_certified_trusted(k, size)) return 0;
            x += u;
            ctk_turn_by(u, &cosine, &sine);
            continue;
        }
        // Chebyshev: s = -f'' u^2 / (2 f')
        const double second = 0.5 * f[2] * over * u * u;
        ctk_turn_further(u, second, &cosine, &sine);
        *w = x + u + second;
        *c = cosine;
        *s = sine;
        *slope = f[1] + f[2] * u;
        return 1;
    }
    return 0;
}

// Two unknowns -----------------------------------------------------------------------------------
// Two equations f0 + f1 C + f2 S = 0 in a second angle; the coefficients a [6][2 m + 1] of the six
// are harmonics of the first.
typedef struct ctk_certified_equations {
    double r[2], d[2][2];       // the equations and their derivatives by either angle
    double ww[2], wv[2], vv[2]; // second derivatives
} ctk_certified_equations;

// x: cosines and sines of both angles. With values for the second angle, each equation is harmonics
// p of the first; its derivative by the second is harmonics q.
static inline void ctk_certified_evaluate(int m, const double *restrict a, const double *restrict x,
                                          ctk_certified_equations *restrict e) {
    const int n = 2 * m + 1;
    double p[CTK_DEGREE + 1] = {0}, q[CTK_DEGREE + 1] = {0}, f[3], g[3], f0[3];
    CTK_UNROLL
    for (int i = 0; i < 2; i++) {
        // p = f0 + f1 C + f2 S,  q = dp/dv = f2 C - f1 S
        const double *b = a + 3 * i * n;
        CTK_UNROLL
        for (int j = 0; j < n; j++) {
            p[j] = b[j] + b[n + j] * x[2] + b[2 * n + j] * x[3];
            q[j] = b[2 * n + j] * x[2] - b[n + j] * x[3];
        }
        // values and derivatives by the first angle; d2p/dv2 = f0 - p
        ctk_harmonics(m, p, x[0], x[1], f);
        ctk_harmonics(m, q, x[0], x[1], g);
        ctk_harmonics(m, b, x[0], x[1], f0);
        e->r[i] = f[0];
        e->d[i][0] = f[1];
        e->ww[i] = f[2];
        e->d[i][1] = g[0];
        e->wv[i] = g[1];
        e->vv[i] = f0[0] - f[0];
    }
}

// Bounds |F''(u, u)| of an equation where both angles change by 1 at most: a product of cos k w and
// cos v is half of cos(k w + v) + cos(k w - v).
static inline double ctk_root_pair_bound(int m, const double *a) {
    double sum = 0;
    for (int j = 0; j < 3; j++, a += 2 * m + 1) {
        if (j > 0) sum += fabs(a[0]);
        for (int k = 1; k <= m; k++) {
            const double n = k + (j > 0);
            sum += n * n * (fabs(a[2 * k - 1]) + fabs(a[2 * k]));
        }
    }
    return sum;
}

// The determinant behind (u, v): its square with its sign. Each row is divided by the length of its
// gradient and of the bound on its second derivatives, which stays where the gradient vanishes.
static inline double ctk_certified_slope(const ctk_certified_equations *e,
                                         const double *restrict bound, double u, double v) {
    double d[2][2], length = 1;
    CTK_UNROLL
    for (int r = 0; r < 2; r++) {
        d[r][0] = e->d[r][0] + e->ww[r] * u + e->wv[r] * v;
        d[r][1] = e->d[r][1] + e->wv[r] * u + e->vv[r] * v;
        length *= d[r][0] * d[r][0] + d[r][1] * d[r][1] + bound[r] * bound[r];
    }
    const double determinant = d[0][0] * d[1][1] - d[0][1] * d[1][0];
    return determinant * fabs(determinant) / length;
}

// bound: of either equation. w; x = {cosine and sine of it, cosine and sine of the second angle}:
// in and out as above. *slope: the square of the determinant of divided rows, with its sign.
static inline int ctk_certified_pair(int m, const double *restrict a, const double *restrict bound,
                                     double *restrict w, double *restrict x,
                                     double *restrict slope) {
    double at = *w, y[4] = {x[0], x[1], x[2], x[3]};
    ctk_certified_equations e;
    for (int i = 0; i < CTK_CERTIFIED_MOST; i++) {
        // Newton: (u, v) = -F'^-1 F, with the inverse by Cramer's rule
        ctk_certified_evaluate(m, a, y, &e);
        const double over = -1 / (e.d[0][0] * e.d[1][1] - e.d[0][1] * e.d[1][0]);
        const double u = (e.d[1][1] * e.r[0] - e.d[0][1] * e.r[1]) * over,
                     v = (e.d[0][0] * e.r[1] - e.d[1][0] * e.r[0]) * over,
                     size = ctk_larger(fabs(u), fabs(v));
        // K: row sums of |F'^-1| times the bounds
        const double k =
            fabs(over) * ctk_larger(fabs(e.d[1][1]) * bound[0] + fabs(e.d[0][1]) * bound[1],
                                    fabs(e.d[1][0]) * bound[0] + fabs(e.d[0][0]) * bound[1]);
        // not the last correction: certified, or no result
        if (!ctk_certified_last(k, size, m + 1)) {
            if (!ctk_certified_trusted(k, size)) return 0;
            at += u;
            ctk_turn_by(u, y, y + 1);
            ctk_turn_by(v, y + 2, y + 3);
            continue;
        }
        // Chebyshev: -F'^-1 F''(d, d) / 2 with d = (u, v)
        double second[2];
        CTK_UNROLL
        for (int r = 0; r < 2; r++)
            second[r] = over * (0.5 * (e.ww[r] * u * u + e.vv[r] * v * v) + e.wv[r] * u * v);
        const double more_u = e.d[1][1] * second[0] - e.d[0][1] * second[1],
                     more_v = e.d[0][0] * second[1] - e.d[1][0] * second[0];
        // both angles behind the two corrections
        ctk_turn_further(u, more_u, y, y + 1);
        ctk_turn_further(v, more_v, y + 2, y + 3);
        *slope = ctk_certified_slope(&e, bound, u, v);
        *w = at + u + more_u;
        for (int r = 0; r < 4; r++) x[r] = y[r];
        return 1;
    }
    return 0;
}

#endif
