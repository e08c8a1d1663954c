// Inside of generated models: two equations in two unknowns, f0 + f1 C + f2 S = 0 in a second
// angle, or f0 + f1 y + f2 y^2 = 0 in a second slide. The six coefficients are polynomials in the
// first unknown (ctk_root.h). For two angles a place that ctk_certified_root.h certifies is taken.
// Otherwise the roots of `left`, the polynomial that elimination leaves in the first unknown, offer
// places. Two roots of `left` may cross while their places differ in the second unknown, so the
// distance in both unknowns decides. Places meet where the determinant of the two equations is 0.
#ifndef CTK_ROOT_PAIR_H
#define CTK_ROOT_PAIR_H

#include "ctk_root.h"

typedef struct ctk_root_pair {
    int is_angle[2];    // are the unknowns angles?
    int n_left, n_part; // coefficients of `left` (0: of too high a degree) and of each of the six
    double length;      // unit of slides
} ctk_root_pair;

typedef struct ctk_place {
    double w, x[2]; // first unknown; cosine and sine, or the slide (and 0)
} ctk_place;

// The six coefficients at w with their derivatives.
static inline void ctk_root_pair_parts(const ctk_root_pair *k, const double *a, double w, double *f,
                                       double *df) {
    double e[CTK_DEGREE + 1] = {1}, de[CTK_DEGREE + 1] = {0};
    // powers e of the first unknown with derivatives: harmonics by the addition formulas
    if (k->is_angle[0]) {
        const double c = cos(w), s = sin(w);
        for (int i = 1; i + 1 < k->n_part; i += 2) {
            const double c0 = i > 1 ? e[i - 2] : 1, s0 = i > 1 ? e[i - 1] : 0, n = (i + 1) / 2;
            e[i] = c0 * c - s0 * s;
            e[i + 1] = s0 * c + c0 * s;
            de[i] = -n * e[i + 1];
            de[i + 1] = n * e[i];
        }
    } else {
        // or w^i, derivatives in units of length
        for (int i = 1; i < k->n_part; i++) {
            e[i] = e[i - 1] * w;
            de[i] = i * e[i - 1] * k->length;
        }
    }
    // f_j = sum_i a_ji e_i
    for (int j = 0; j < 6; j++, a += k->n_part) {
        f[j] = df[j] = 0;
        for (int i = 0; i < k->n_part; i++) {
            f[j] += a[i] * e[i];
            df[j] += a[i] * de[i];
        }
    }
}

// Bound on the second derivatives of equation e near a place, in units of length: known for two
// angles, else the sum of all its terms, which are powers or harmonics of either unknown.
static inline double ctk_root_pair_curvature(const ctk_root_pair *k, const double *a, int e,
                                             const ctk_place *at) {
    if (k->is_angle[0] && k->is_angle[1]) return a[6 * k->n_part + e];
    const double l = k->length;
    const double w = k->is_angle[0] ? 1 : ctk_larger(fabs(at->w), l);
    const double x = k->is_angle[1] ? 1 : ctk_larger(fabs(at->x[0]), l);
    const double power[3] = {1, x, k->is_angle[1] ? 1 : x * x};
    double sum = 0;
    for (int j = 0; j < 3; j++) {
        const double *b = a + (3 * e + j) * k->n_part;
        double part = j > 0 ? fabs(b[0]) : 0, f = 1;
        for (int i = 1; i < k->n_part; i++) part += (f *= w) * fabs(b[i]);
        sum += power[j] * part;
    }
    return sum;
}

// Newton's iteration from a place. Returns 0 where it does not contract. *slope: the determinant of
// rows divided as in ctk_certified_slope, since a gradient vanishes where a distance is extreme.
static inline int ctk_root_pair_newton(const ctk_root_pair *k, const double *a, ctk_place *at,
                                       double *slope) {
    enum { MOST = 10 };
    const double good = 1e-8, longest = 0.3; // what is left is the square of the last correction
    double last = HUGE_VAL, f[6], df[6], r[2], m[2][2];
    for (int i = 0; i < MOST; i++) {
        // residuals r and derivatives m by both unknowns
        ctk_root_pair_parts(k, a, at->w, f, df);
        const double c = at->x[0], s = k->is_angle[1] ? at->x[1] : c * c;
        for (int e = 0; e < 2; e++) {
            const double *p = f + 3 * e, *dp = df + 3 * e;
            r[e] = p[0] + p[1] * c + p[2] * s;
            m[e][0] = dp[0] + dp[1] * c + dp[2] * s;
            m[e][1] = k->is_angle[1] ? p[2] * c - p[1] * s : (p[1] + 2 * p[2] * c) * k->length;
        }
        // correction d = m^-1 r by Cramer's rule
        *slope = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        const double over = 1 / *slope, d0 = (r[0] * m[1][1] - r[1] * m[0][1]) * over,
                     d1 = (r[1] * m[0][0] - r[0] * m[1][0]) * over,
                     size = fabs(d0) > fabs(d1) ? fabs(d0) : fabs(d1);
        // too long, or not half of the last: not trusted
        if (!(fabs(d0) + fabs(d1) < 2 * longest)) return 0;
        if (size > good && !(size <= 0.5 * last)) return 0;
        // place := place - d
        at->w -= k->is_angle[0] ? d0 : d0 * k->length;
        if (k->is_angle[1]) { // turned, and of length 1 again
            const double x = c + s * d1, y = s - c * d1, scale = 1 / sqrt(x * x + y * y);
            at->x[0] = x * scale;
            at->x[1] = y * scale;
        } else {
            at->x[0] -= d1 * k->length;
        }
        // converged: the determinant of divided rows
        if (size <= good) {
            double length = 1;
            for (int e = 0; e < 2; e++) {
                const double bend = ctk_root_pair_curvature(k, a, e, at);
                length *= m[e][0] * m[e][0] + m[e][1] * m[e][1] + bend * bend;
            }
            *slope /= sqrt(length);
            return 1;
        }
        last = size;
    }
    return 0;
}

// Second unknowns x that belong to a root w of `left`; returns how many. Two independent equations
// give one, linear in both; nearly dependent ones give both solutions of the better equation.
static inline int ctk_root_pair_second(const ctk_root_pair *k, const double *a, double w,
                                       double (*x)[2]) {
    const double enough = 1e-8;
    double all[6], df[6];
    ctk_root_pair_parts(k, a, w, all, df);
    const double *f = all, *g = all + 3;
    x[0][1] = x[1][1] = 0;
    // an angle: (C, S) linear in both equations where these are independent
    if (k->is_angle[1]) {
        const double ff = f[1] * f[1] + f[2] * f[2], gg = g[1] * g[1] + g[2] * g[2];
        const double d = f[1] * g[2] - f[2] * g[1];
        if (d * d > enough * ff * gg) {
            x[0][0] = (f[2] * g[0] - f[0] * g[2]) / d;
            x[0][1] = (f[0] * g[1] - f[1] * g[0]) / d;
            return 1;
        }
        // otherwise the line h0 + h1 C + h2 S = 0 meets the unit circle twice
        const double *h = ff > gg ? f : g, hh = ff > gg ? ff : gg;
        const double root = sqrt(fmax(0, hh - h[0] * h[0]));
        for (int i = 0; i < 2 && hh > 0; i++) {
            x[i][0] = (-h[0] * h[1] - (i ? root : -root) * h[2]) / hh;
            x[i][1] = (-h[0] * h[2] + (i ? root : -root) * h[1]) / hh;
        }
        return hh > 0 ? 2 : 0;
    }
    // a slide y = l t: y^2 eliminated leaves d1 t + d0 = 0
    const double l = k->length, f1 = f[1] * l, g1 = g[1] * l, f2 = f[2] * l * l, g2 = g[2] * l * l;
    const double ff = f[0] * f[0] + f1 * f1 + f2 * f2, gg = g[0] * g[0] + g1 * g1 + g2 * g2;
    double d1 = f1 * g2 - f2 * g1, d0 = f[0] * g2 - f2 * g[0];
    if (f2 == 0 && g2 == 0) { // lines
        d1 = f1 * f1 * gg + g1 * g1 * ff;
        d0 = f1 * f[0] * gg + g1 * g[0] * ff;
    }
    if (d1 * d1 > enough * ff * gg) {
        x[0][0] = -l * d0 / d1;
        return 1;
    }
    // otherwise the roots of the equation with the larger y^2
    double t[2];
    const double *h = fabs(f2) * sqrt(gg) > fabs(g2) * sqrt(ff) ? f : g;
    const int n = ctk_real_roots(2, (double[]){h[0], h[1] * l, h[2] * l * l}, t);
    for (int i = 0; i < n; i++) x[i][0] = l * t[i];
    return n;
}

// Distance between two places: first unknown, and cosine and sine or slide, in their units.
static inline double ctk_root_pair_distance(const ctk_root_pair *k, const ctk_place *p,
                                            const ctk_place *q) {
    const double u = k->is_angle[0] ? 1 : k->length, v = k->is_angle[1] ? 1 : k->length;
    return fabs(p->w - q->w) / u + (fabs(p->x[0] - q->x[0]) + fabs(p->x[1] - q->x[1])) / v;
}

// The place that the roots of `left` offer nearest to where one is expected; it must be the only
// one near there.
static inline int ctk_root_pair_pick(const ctk_root_pair *k, const double *a, ctk_place *at) {
    const int d = k->n_left - 1;
    double p[CTK_DEGREE + 1], t[4] = {0}, nearest = HUGE_VAL, next = HUGE_VAL;
    const ctk_place start = *at;
    // roots of `left` in t, t = 0 where the first unknown is expected
    if (k->is_angle[0])
        ctk_turn_polynomial(d / 2, a, cos(at->w), sin(at->w), p);
    else
        ctk_slide_polynomial(d, a, at->w, k->length, p);
    const int n = ctk_real_roots(d, p, t);
    for (int i = 0; i < n; i++) {
        // each root with its second unknowns; the nearest place and the next
        ctk_place q = {start.w + (k->is_angle[0] ? 2 * atan(t[i]) : t[i] * k->length), {0, 0}};
        double x[2][2];
        const int m = fabs(q.w) < HUGE_VAL ? ctk_root_pair_second(k, a + k->n_left, q.w, x) : 0;
        for (int j = 0; j < m; j++) {
            q.x[0] = x[j][0];
            q.x[1] = x[j][1];
            const double way = ctk_root_pair_distance(k, &q, &start);
            if (way < nearest) {
                // the same place twice, where two roots are next to each other, is no second one
                if (ctk_root_pair_distance(k, &q, at) > 1e-5) next = nearest;
                nearest = way;
                *at = q;
            } else if (way < next && ctk_root_pair_distance(k, &q, at) > 1e-5) {
                next = way;
            }
        }
    }
    // the only one near
    return nearest < 1 && 2 * nearest <= next;
}

// Scales a pair to length 1; close to 1 by the series of 1 / sqrt(1 + e).
static inline void ctk_pair_normalise(double *restrict x) {
    const double small = 1e-4, e = x[0] * x[0] + x[1] * x[1] - 1;
    const double f = fabs(e) < small ? 1 - e * (0.5 - e * (0.375 - e * 0.3125)) : 1 / sqrt(1 + e);
    x[0] *= f;
    x[1] *= f;
}

// A place that is not certified: by the roots of `left`, or by Newton's iteration where there is no
// `left`. *slope: the square of the determinant, with its sign.
CTK_SELDOM static inline int ctk_root_pair_search(const ctk_root_pair *k, const double *a,
                                                  double *w, double *x, double *slope) {
    const double longest = 0.3;
    ctk_place at = {*w, {x[0], x[1]}};
    if (k->n_left > 0 && !ctk_root_pair_pick(k, a, &at)) return 0;
    if (!ctk_root_pair_newton(k, a + k->n_left, &at, slope)) return 0;
    if (!(fabs(at.w - *w) <= longest * (k->is_angle[0] ? 1 : k->length))) return 0;
    *slope *= fabs(*slope);
    *w = at.w;
    x[0] = at.x[0];
    x[1] = at.x[1];
    return 1;
}

// Accepts a place on the branch of *sign, and writes w, x, carried, pair and *measure. y: cosine
// and sine of the first unknown, then of the second (or the slide). Returns 0 on another branch.
static inline int ctk_root_pair_accept(const ctk_root_pair *restrict k, double at,
                                       double *restrict y, double slope, double *restrict w,
                                       double *restrict x, double *restrict carried,
                                       double *restrict pair, double *restrict sign,
                                       double *restrict measure) {
    const double least = 1e-14;
    *measure = fabs(slope);
    if (!(*measure >= least) || slope * *sign < 0) return 0;
    if (*sign == 0) *sign = slope < 0 ? -1 : 1;
    *w = at;
    x[0] = y[2];
    if (k->is_angle[1]) x[1] = y[3];
    if (k->is_angle[0]) {
        ctk_pair_keep(carried, at, y, y + 1);
        pair[0] = y[0];
        pair[1] = y[1];
    }
    return 1;
}

// Two angles, certified. a: the six coefficients, bounds on the second derivatives
// (ctk_root_pair_bound); other arguments as below. Returns 0 if the place is not certified.
static inline int ctk_root_pair_certified(const ctk_root_pair *restrict k, const double *restrict a,
                                          double *restrict w, double *restrict x,
                                          double *restrict carried, double *restrict pair,
                                          double *restrict sign, double *restrict measure) {
    double at = *w, y[4] = {1, 0, x[0], x[1]}, slope = 0;
    ctk_pair_normalise(y + 2);
    ctk_pair_at(carried, at, y, y + 1);
    return ctk_certified_pair(k->n_part / 2, a, a + 6 * k->n_part, &at, y, &slope) &&
           ctk_root_pair_accept(k, at, y, slope, w, x, carried, pair, sign, measure);
}

// a: coefficients of `left`, of the six, bounds for two angles. w, x: in, where the unknowns are
// expected, out, where they are. *sign: that of the determinant, 0 where it is not known yet;
// *measure: its square. Of a first angle: carried and pair, its cosine and sine where it was last
// and where it is now.
static inline int ctk_root_pair_solve(const ctk_root_pair *restrict k, const double *restrict a,
                                      double *restrict w, double *restrict x,
                                      double *restrict carried, double *restrict pair,
                                      double *restrict sign, double *restrict measure) {
    if (k->is_angle[0] && k->is_angle[1] &&
        ctk_root_pair_certified(k, a + k->n_left, w, x, carried, pair, sign, measure))
        return 1;
    double at = *w, y[4] = {1, 0, x[0], k->is_angle[1] ? x[1] : 0}, slope = 0;
    if (k->is_angle[1]) ctk_pair_normalise(y + 2);
    if (!ctk_root_pair_search(k, a, &at, y + 2, &slope)) return 0;
    y[0] = cos(at);
    y[1] = sin(at);
    return ctk_root_pair_accept(k, at, y, slope, w, x, carried, pair, sign, measure);
}

#endif
