// Inside of generated models: two unknowns at once. Two equations f0 + f1 C + f2 S = 0 in a second
// angle, or f0 + f1 y + f2 y^2 = 0 in a second slide, whose six coefficients are polynomials in the
// first unknown (ctk_root.h). Where both are angles and ctk_certified_root.h vouches for a place, that is it.
// Otherwise there is `left`, what elimination leaves in the first unknown alone.
// Its roots only offer places: two of them may cross where the places differ in the second unknown,
// so it is that which decides, together with the first; and the slope that counts is the
// determinant of the two equations, which vanishes where places meet.
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
        for (int i = 1; i < k->n_part; i++) {
            e[i] = e[i - 1] * w;
            de[i] = i * e[i - 1] * k->length;
        }
    }
    for (int j = 0; j < 6; j++, a += k->n_part) {
        f[j] = df[j] = 0;
        for (int i = 0; i < k->n_part; i++) {
            f[j] += a[i] * e[i];
            df[j] += a[i] * de[i];
        }
    }
}

// Newton's iteration from a place, trusted where it contracts. *slope: the determinant, of rows of
// length 1.
static inline int ctk_root_pair_newton(const ctk_root_pair *k, const double *a, ctk_place *at,
                                       double *slope) {
    enum { MOST = 10 };
    const double good = 1e-8, longest = 0.3; // what is left is the square of the last correction
    double last = HUGE_VAL, f[6], df[6], r[2], m[2][2];
    for (int i = 0; i < MOST; i++) {
        ctk_root_pair_parts(k, a, at->w, f, df);
        const double c = at->x[0], s = k->is_angle[1] ? at->x[1] : c * c;
        for (int e = 0; e < 2; e++) {
            const double *p = f + 3 * e, *dp = df + 3 * e;
            r[e] = p[0] + p[1] * c + p[2] * s;
            m[e][0] = dp[0] + dp[1] * c + dp[2] * s;
            m[e][1] = k->is_angle[1] ? p[2] * c - p[1] * s : (p[1] + 2 * p[2] * c) * k->length;
        }
        *slope = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        const double over = 1 / *slope, d0 = (r[0] * m[1][1] - r[1] * m[0][1]) * over,
                     d1 = (r[1] * m[0][0] - r[0] * m[1][0]) * over,
                     size = fabs(d0) > fabs(d1) ? fabs(d0) : fabs(d1);
        if (!(fabs(d0) + fabs(d1) < 2 * longest)) return 0;
        if (size > good && !(size <= 0.5 * last)) return 0;
        at->w -= k->is_angle[0] ? d0 : d0 * k->length;
        if (k->is_angle[1]) { // turned, and of length 1 again
            const double x = c + s * d1, y = s - c * d1, scale = 1 / sqrt(x * x + y * y);
            at->x[0] = x * scale;
            at->x[1] = y * scale;
        } else {
            at->x[0] -= d1 * k->length;
        }
        if (size <= good) {
            *slope /= sqrt((m[0][0] * m[0][0] + m[0][1] * m[0][1]) *
                           (m[1][0] * m[1][0] + m[1][1] * m[1][1]));
            return 1;
        }
        last = size;
    }
    return 0;
}

// Second unknowns that go with a root of `left`: the one that is linear in both equations, and
// where these say (nearly) the same, both solutions of the first or the second of them.
static inline int ctk_root_pair_second(const ctk_root_pair *k, const double *a, double w,
                                       double (*x)[2]) {
    const double enough = 1e-8;
    double all[6], df[6];
    ctk_root_pair_parts(k, a, w, all, df);
    const double *f = all, *g = all + 3;
    x[0][1] = x[1][1] = 0;
    if (k->is_angle[1]) {
        const double ff = f[1] * f[1] + f[2] * f[2], gg = g[1] * g[1] + g[2] * g[2];
        const double d = f[1] * g[2] - f[2] * g[1];
        if (d * d > enough * ff * gg) {
            x[0][0] = (f[2] * g[0] - f[0] * g[2]) / d;
            x[0][1] = (f[0] * g[1] - f[1] * g[0]) / d;
            return 1;
        }
        const double *h = ff > gg ? f : g, hh = ff > gg ? ff : gg;
        const double root = sqrt(fmax(0, hh - h[0] * h[0]));
        for (int i = 0; i < 2 && hh > 0; i++) {
            x[i][0] = (-h[0] * h[1] - (i ? root : -root) * h[2]) / hh;
            x[i][1] = (-h[0] * h[2] + (i ? root : -root) * h[1]) / hh;
        }
        return hh > 0 ? 2 : 0;
    }
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
    double t[2];
    const double *h = fabs(f2) * sqrt(gg) > fabs(g2) * sqrt(ff) ? f : g;
    const int n = ctk_real_roots(2, (double[]){h[0], h[1] * l, h[2] * l * l}, t);
    for (int i = 0; i < n; i++) x[i][0] = l * t[i];
    return n;
}

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
    if (k->is_angle[0])
        ctk_turn_polynomial(d / 2, a, cos(at->w), sin(at->w), p);
    else
        ctk_slide_polynomial(d, a, at->w, k->length, p);
    const int n = ctk_real_roots(d, p, t);
    for (int i = 0; i < n; i++) {
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
    return nearest < 1 && 2 * nearest <= next;
}

// A pair of length 1 again; next to it by the series of the inverse root.
static inline void ctk_pair_normalise(double *restrict x) {
    const double small = 1e-4, e = x[0] * x[0] + x[1] * x[1] - 1;
    const double f = fabs(e) < small ? 1 - e * (0.5 - e * (0.375 - e * 0.3125)) : 1 / sqrt(1 + e);
    x[0] *= f;
    x[1] *= f;
}

// By way of `left`, or of an iteration. *slope: the square of the determinant, with its sign.
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

// What is known of both unknowns: y = cosine and sine of the first, the second.
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

// Two angles where nothing else is needed, a: coefficients of the six, bounds on the second
// derivatives (ctk_root_pair_bound); the rest as below. 0: not here.
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
// *measure: its square. Of a first angle: carried and pair, its cosine and sine where it was last and
// where it is now.
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
