// Inside of generated models: the root next to where it is expected, one or two angles, where the
// theorem of Newton and Kantorovich vouches for it. With the Newton correction u and a bound K on
// the second derivatives (both as seen through the inverse of the derivative), h = K |u| <= 1/4:
//   there is one root within 1.18 |u| and no other one within 6.8 |u|, it is regular with the sign
//   of the derivative where it was expected, and Newton's iteration converges to it.
// Harmonics have the same bounds everywhere, from their coefficients alone. The second correction
// in the series (Chebyshev), s = F''(u, u) / 2, is taken at once where all that it leaves is
// nothing:  K (|u| |s| + |s|^2 / 2 + n (|u| + |s|)^3 / 6),  n K a bound on the third derivatives.
#ifndef CTK_NEAR_H
#define CTK_NEAR_H

#include "ctk_small.h"

enum { CTK_DEGREE = 8 };

// What is left and counts as nothing; the longest way; the largest h.
#define CTK_NEAR_LEFT    1e-16
#define CTK_NEAR_LONGEST 0.2
#define CTK_NEAR_RATIO   0.25
enum { CTK_NEAR_MOST = 4 }; // h below 1/18, 1/578, 1e-6 after one, two, three corrections

static inline void ctk_turn_by(double by, double *restrict cosine, double *restrict sine) {
    const double small = 0.015, c = *cosine, s = *sine;
    if (fabs(by) < small) {
        ctk_turn(by, 0, sine, cosine);
        return;
    }
    *cosine = c * cos(by) - s * sin(by);
    *sine = s * cos(by) + c * sin(by);
}

// One unknown ------------------------------------------------------------------------------------
// f: a0 + sum a_k cos k w + b_k sin k w (coefficients a0 a1 b1 a2 b2 ...) and its first and second
// derivative.
static inline void ctk_harmonics(int m, const double *restrict a, double c, double s,
                                 double *restrict f) {
    double ck = 1, sk = 0;
    f[0] = a[0];
    f[1] = f[2] = 0;
    CTK_UNROLL
    for (int k = 1; k <= m; k++) {
        const double x = a[2 * k - 1], y = a[2 * k], next = ck * c - sk * s;
        sk = sk * c + ck * s;
        ck = next;
        f[0] += x * ck + y * sk;
        f[1] += k * (y * ck - x * sk);
        f[2] -= k * k * (x * ck + y * sk);
    }
}

// w, c, s: in, where the root is expected, out, where it is (if the result is 1). *slope: the
// derivative there, but for what the square of the way makes.
static inline int ctk_near_turn(int m, const double *restrict a, double *restrict w,
                                double *restrict c, double *restrict s, double *restrict slope) {
    double x = *w, cosine = *c, sine = *s, bound = 0, f[3];
    CTK_UNROLL
    for (int k = 1; k <= m; k++) bound += k * k * (fabs(a[2 * k - 1]) + fabs(a[2 * k]));
    for (int i = 0; i < CTK_NEAR_MOST; i++) {
        ctk_harmonics(m, a, cosine, sine, f);
        const double over = 1 / f[1], u = f[0] * over, k = bound * fabs(over), size = fabs(u);
        if (!(k * size <= CTK_NEAR_RATIO) || !(size <= CTK_NEAR_LONGEST)) return 0;
        const double second = 0.5 * f[2] * over * u * u, more = fabs(second), way = size + more;
        const int last =
            k * (more * (size + 0.5 * more) + m / 6.0 * way * way * way) <= CTK_NEAR_LEFT;
        const double by = last ? -(u + second) : -u;
        x += by;
        ctk_turn_by(by, &cosine, &sine);
        if (!last) continue;
        *w = x;
        *c = cosine;
        *s = sine;
        *slope = f[1] + f[2] * by;
        return 1;
    }
    return 0;
}

// Two unknowns -----------------------------------------------------------------------------------
// Two equations f0 + f1 C + f2 S = 0 in a second angle; the coefficients a [6][2 m + 1] of the six
// are harmonics of the first.
typedef struct ctk_near {
    double r[2], d[2][2];       // the equations and their derivatives by either angle
    double ww[2], wv[2], vv[2]; // second derivatives
} ctk_near;

static inline void ctk_near_equations(int m, const double *restrict a, const double *restrict x,
                                      ctk_near *restrict e) {
    CTK_UNROLL
    for (int i = 0; i < 2; i++) {
        double f[3][3];
        CTK_UNROLL
        for (int j = 0; j < 3; j++)
            ctk_harmonics(m, a + (3 * i + j) * (2 * m + 1), x[0], x[1], f[j]);
        e->vv[i] = -(f[1][0] * x[2] + f[2][0] * x[3]);
        e->r[i] = f[0][0] - e->vv[i];
        e->d[i][0] = f[0][1] + f[1][1] * x[2] + f[2][1] * x[3];
        e->d[i][1] = f[2][0] * x[2] - f[1][0] * x[3];
        e->ww[i] = f[0][2] + f[1][2] * x[2] + f[2][2] * x[3];
        e->wv[i] = f[2][1] * x[2] - f[1][1] * x[3];
    }
}

// On |F''(u, u)| of either equation where both angles change by 1 at most: a product of cos k w
// and cos v is half of cos(k w + v) + cos(k w - v).
static inline double ctk_near_bound(int m, const double *a) {
    double sum = 0;
    CTK_UNROLL
    for (int j = 0; j < 3; j++, a += 2 * m + 1) {
        if (j > 0) sum += fabs(a[0]);
        CTK_UNROLL
        for (int k = 1; k <= m; k++) {
            const double n = k + (j > 0);
            sum += n * n * (fabs(a[2 * k - 1]) + fabs(a[2 * k]));
        }
    }
    return sum;
}

// w; x = {cosine and sine of it, cosine and sine of the second angle}: in and out as above. *slope:
// the square of the determinant, of rows of length 1, with its sign.
static inline int ctk_near_block(int m, const double *restrict a, double *restrict w,
                                 double *restrict x, double *restrict slope) {
    const double bound[2] = {ctk_near_bound(m, a), ctk_near_bound(m, a + 3 * (2 * m + 1))};
    double at = *w, y[4] = {x[0], x[1], x[2], x[3]};
    ctk_near e;
    for (int i = 0; i < CTK_NEAR_MOST; i++) {
        ctk_near_equations(m, a, y, &e);
        const double over = 1 / (e.d[0][0] * e.d[1][1] - e.d[0][1] * e.d[1][0]);
        const double j00 = e.d[1][1] * over, j01 = -e.d[0][1] * over, j10 = -e.d[1][0] * over,
                     j11 = e.d[0][0] * over;
        const double k = ctk_larger(fabs(j00) * bound[0] + fabs(j01) * bound[1],
                                    fabs(j10) * bound[0] + fabs(j11) * bound[1]);
        const double u = j00 * e.r[0] + j01 * e.r[1], v = j10 * e.r[0] + j11 * e.r[1],
                     size = ctk_larger(fabs(u), fabs(v));
        if (!(k * size <= CTK_NEAR_RATIO) || !(size <= CTK_NEAR_LONGEST)) return 0;
        double second[2];
        CTK_UNROLL
        for (int r = 0; r < 2; r++)
            second[r] = 0.5 * (e.ww[r] * u * u + e.vv[r] * v * v) + e.wv[r] * u * v;
        const double more_u = j00 * second[0] + j01 * second[1],
                     more_v = j10 * second[0] + j11 * second[1],
                     more = ctk_larger(fabs(more_u), fabs(more_v)), way = size + more;
        const int last =
            k * (more * (size + 0.5 * more) + (m + 1) / 6.0 * way * way * way) <= CTK_NEAR_LEFT;
        const double by[2] = {last ? -(u + more_u) : -u, last ? -(v + more_v) : -v};
        at += by[0];
        ctk_turn_by(by[0], y, y + 1);
        ctk_turn_by(by[1], y + 2, y + 3);
        if (!last) continue;
        double length = 1;
        CTK_UNROLL
        for (int r = 0; r < 2; r++) {
            e.d[r][0] += e.ww[r] * by[0] + e.wv[r] * by[1];
            e.d[r][1] += e.wv[r] * by[0] + e.vv[r] * by[1];
            length *= e.d[r][0] * e.d[r][0] + e.d[r][1] * e.d[r][1];
        }
        const double determinant = e.d[0][0] * e.d[1][1] - e.d[0][1] * e.d[1][0];
        *slope = determinant * fabs(determinant) / length;
        *w = at;
        for (int r = 0; r < 4; r++) x[r] = y[r];
        return 1;
    }
    return 0;
}

#endif
