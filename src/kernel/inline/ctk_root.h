// Inside of generated models: the root of a polynomial that belongs to the branch of a position. A
// root that ctk_certified_root.h certifies is taken. Otherwise angles and slides are expressed by
// t, with t = 0 where the root is expected: theta = w + 2 atan t, x = w + length t. Up to degree 4
// all real roots are computed in closed form and the nearest with the right slope is picked. Above
// degree 4, and for a root that is provably alone (ctk_is_alone), Newton's iteration starts at 0.
//
// Closed forms divide by the leading coefficient, which is the value at t = infinity. So the line
// is turned, t = (c + s u)/(c u - s), until u = infinity is a place where the polynomial is far
// from 0.
#ifndef CTK_ROOT_H
#define CTK_ROOT_H

#include "ctk_certified_root.h"

// p(t)
static inline double ctk_horner(int d, const double *p, double t) {
    double y = p[d];
    CTK_UNROLL
    for (int i = d - 1; i >= 0; i--) y = y * t + p[i];
    return y;
}

// p'(t)
static inline double ctk_slope(int d, const double *p, double t) {
    double y = d * p[d];
    CTK_UNROLL
    for (int i = d - 1; i > 0; i--) y = y * t + i * p[i];
    return y;
}

// a0 + sum a_k cos k theta + b_k sin k theta (coefficients a0 a1 b1 a2 b2 ...) at theta = w +
// 2 atan t, times (1 + t^2)^m: the real part of sum (A - i B)_k (1 + i t)^2k (1 + t^2)^(m - k).
// c, s: cosine and sine of w.
static inline void ctk_turn_polynomial(int m, const double *a, double c, double s, double *p) {
    double re[CTK_DEGREE + 1] = {0}, im[CTK_DEGREE + 1] = {0}, q[CTK_DEGREE + 1] = {1};
    double ck[CTK_DEGREE / 2 + 1] = {1}, sk[CTK_DEGREE / 2 + 1] = {0};
    // cos k w, sin k w
    for (int k = 1; k <= m; k++) {
        ck[k] = ck[k - 1] * c - sk[k - 1] * s;
        sk[k] = sk[k - 1] * c + ck[k - 1] * s;
    }
    for (int k = m; k >= 0; k--) {
        // Horner's rule in (1 + i t)^2: coefficient k turned by k w
        const double x = k > 0 ? a[2 * k - 1] : a[0], y = k > 0 ? a[2 * k] : 0;
        const double real = x * ck[k] + y * sk[k], imaginary = x * sk[k] - y * ck[k];
        for (int i = 2 * (m - k); i >= 0; i--) { // by 1 + 2 i t - t^2, but for the first
            if (k == m) break;
            double r1 = i > 0 ? re[i - 1] : 0, m1 = i > 0 ? im[i - 1] : 0;
            double r2 = i > 1 ? re[i - 2] : 0, m2 = i > 1 ? im[i - 2] : 0;
            re[i] += -2 * m1 - r2;
            im[i] += 2 * r1 - m2;
        }
        // plus the coefficient times q = (1 + t^2)^(m - k)
        for (int i = 0; i <= 2 * (m - k); i++) {
            re[i] += real * q[i];
            im[i] += imaginary * q[i];
        }
        for (int i = 2 * (m - k) + 2; i >= 2 && k > 0; i--) q[i] += q[i - 2];
    }
    for (int i = 0; i <= 2 * m; i++) p[i] = re[i];
}

// p(w + length t)
static inline void ctk_slide_polynomial(int d, const double *a, double w, double length,
                                        double *p) {
    double f = 1;
    CTK_UNROLL
    for (int i = 0; i <= d; i++) p[i] = a[i];
    CTK_UNROLL
    for (int i = 0; i < d; i++) {
        CTK_UNROLL
        for (int k = d - 1; k >= i; k--) p[k] += w * p[k + 1];
    }
    CTK_UNROLL
    for (int i = 1; i <= d; i++) p[i] *= f *= length;
}

// Real roots of t^2 + b t + c. Roots that rounding alone makes complex are one
// double root.
static inline int ctk_quadratic_roots(double b, double c, double *t) {
    const double h = -0.5 * b, square = h * h - c;
    if (square < 0) {
        if (!(square > -1e-13 * (h * h + fabs(c)))) return 0;
        t[0] = t[1] = h;
        return 2;
    }
    const double far = h < 0 ? h - sqrt(square) : h + sqrt(square);
    t[0] = far;
    t[1] = far != 0 ? c / far : 0;
    return 2;
}

// A real root of t^3 + b t^2 + c t + d: the largest where there are three.
static inline double ctk_cubic_root(double b, double c, double d) {
    // t = y + shift:  y^3 + 3 p y + 2 q = 0
    const double shift = -b / 3, p = c / 3 - shift * shift,
                 q = 0.5 * ((2 * shift * shift - c) * -shift + d), square = q * q + p * p * p;
    double t;
    // three real roots by the cosine, one by Cardano
    if (square <= 0) {
        const double r = sqrt(-p);
        t = r > 0 ? 2 * r * cos(acos(fmax(-1, fmin(1, -q / (r * r * r)))) / 3) : 0;
    } else {
        const double u = cbrt(fabs(q) + sqrt(square));
        t = q > 0 ? p / u - u : u - p / u;
    }
    t += shift;
    for (int i = 0; i < 2; i++) { // what subtractions lost
        const double slope = (3 * t + 2 * b) * t + c, y = ((t + b) * t + c) * t + d;
        const double next = slope != 0 ? t - y / slope : t;
        if (fabs(((next + b) * next + c) * next + d) < fabs(y)) t = next;
    }
    return t;
}

static inline int ctk_cubic_roots(double b, double c, double d, double *t) {
    const double x = ctk_cubic_root(b, c, d);
    t[0] = x;
    // the quotient t^2 + (b + x) t + e, e from the end that loses less
    const double e = fabs(x) * fabs(x) * fabs(x) > fabs(d) && x != 0 ? -d / x : c + (b + x) * x;
    return 1 + ctk_quadratic_roots(b + x, e, t + 1);
}

// t^4 + b t^3 + c t^2 + d t + e = (t^2 + p t + q) (t^2 + r t + s) by Ferrari, then corrected as a
// whole by Newton's iteration on the four coefficients.
static inline int ctk_quartic_roots(double b, double c, double d, double e, double *t) {
    // t = y - h:  y^4 + y2 y^2 + y1 y + y0
    const double h = b / 4, hh = h * h;
    const double y2 = c - 6 * hh, y1 = d + h * (8 * hh - 2 * c),
                 y0 = e + h * (h * (c - 3 * hh) - d);
    // resolvent cubic: m = p^2 of the factor y^2 + p y + q
    const double m = fmax(0, ctk_cubic_root(2 * y2, y2 * y2 - 4 * y0, -y1 * y1)), root = sqrt(m);
    double p, q, r, s; // of the polynomial without its cubic term first
    const double size = fabs(y2) + sqrt(fabs(y0)), square = y2 * y2 / 4 - y0;
    // two quadratic factors
    if (m > 1e-12 * size) {
        p = root;
        r = -root;
        q = 0.5 * (y2 + m - y1 / root);
        s = 0.5 * (y2 + m + y1 / root);
    } else { // y^4 + y2 y^2 + y0, up to rounding
        p = r = 0;
        const double far = y2 < 0 ? y2 / 2 - sqrt(fmax(0, square)) : y2 / 2 + sqrt(fmax(0, square));
        q = far;
        s = far != 0 ? y0 / far : 0;
    }
    // back to t
    q += h * (p + h);
    s += h * (r + h);
    p += 2 * h;
    r += 2 * h;
    // Newton's iteration on the coefficients of both factors
    for (int i = 0; i < 2; i++) {
        // p + r = b, q + s + p r = c, p s + q r = d, q s = e
        const double f0 = b - p - r, f1 = c - q - s - p * r, f2 = d - p * s - q * r, f3 = e - q * s;
        const double v = r - p, u = s - q, det = u * u - v * (p * u - q * v);
        const double g1 = f1 - p * f0, g2 = f2 - q * f0;
        // dr = f0 - dp, ds = g1 - v dp - dq:  (u - p v) dp + v dq = g2 - p g1,
        //   -q v dp + u dq = f3 - q g1
        if (!(fabs(det) > 1e-12 * (u * u + fabs(v * (p * u - q * v))))) break;
        const double k2 = g2 - p * g1, k3 = f3 - q * g1;
        const double dp = (u * k2 - v * k3) / det, dq = ((u - p * v) * k3 + q * v * k2) / det;
        if (!(fabs(dp) + fabs(dq) < 1e-3 * (1 + fabs(p) + fabs(q)))) break;
        p += dp;
        q += dq;
        r += f0 - dp;
        s += g1 - v * dp - dq;
    }
    int n = ctk_quadratic_roots(p, q, t);
    return n + ctk_quadratic_roots(r, s, t + n);
}

// All real t with p(t) = 0, degree 1 to 4; infinity may be among them.
static inline int ctk_real_roots(int d, const double *p, double *t) {
    static const double cosine[7] = {0,
                                     0.382683432365089772,
                                     0.382683432365089772,
                                     0.707106781186547524,
                                     0.707106781186547524,
                                     0.923879532511286756,
                                     0.923879532511286756};
    static const double sine[7] = {1,
                                   0.923879532511286756,
                                   -0.923879532511286756,
                                   0.707106781186547524,
                                   -0.707106781186547524,
                                   0.382683432365089772,
                                   -0.382683432365089772};
    // the direction t = s : c, out of seven, where |p| is largest
    double most = 0, c = 0, s = 1;
    for (int k = 0; k < 7; k++) {
        double y = p[d], power = 1;
        for (int i = d - 1; i >= 0; i--) y = y * sine[k] + p[i] * (power *= cosine[k]);
        if (!(fabs(y) > most)) continue;
        most = fabs(y);
        c = cosine[k];
        s = sine[k];
    }
    if (!(most > 0)) return 0;
    // in u:  sum p_i (c u - s)^(d - i) (s u + c)^i
    double r[5] = {p[d], 0, 0, 0, 0}, power[5] = {1, 0, 0, 0, 0};
    for (int i = d - 1; i >= 0; i--) {
        const int n = d - i;
        for (int k = n; k >= 0; k--) {
            r[k] = (k > 0 ? s * r[k - 1] : 0) + c * r[k];
            power[k] = (k > 0 ? c * power[k - 1] : 0) - s * power[k];
        }
        for (int k = 0; k <= n; k++) r[k] += p[i] * power[k];
    }
    // leading coefficient 1, closed form by degree
    for (int k = 0; k < d; k++) r[k] /= r[d];
    int n = 1;
    if (d == 1)
        t[0] = -r[0];
    else if (d == 2)
        n = ctk_quadratic_roots(r[1], r[0], t);
    else if (d == 3)
        n = ctk_cubic_roots(r[2], r[1], r[0], t);
    else
        n = ctk_quartic_roots(r[3], r[2], r[1], r[0], t);
    // back from u to t
    for (int k = 0; k < n; k++) t[k] = (s * t[k] + c) / (c * t[k] - s);
    return n;
}

// The root nearest to t = 0 on which the slope has this sign (0: any). Neighbours have slopes of
// opposite signs, so the next one that might be meant is two roots away: it must be twice as far.
static inline int ctk_pick_root(int d, const double *p, double sign, double *t) {
    double all[4] = {0}, nearest = HUGE_VAL, next = HUGE_VAL;
    const int n = ctk_real_roots(d, p, all);
    int found = 0;
    for (int k = 0; k < n; k++) {
        // roots with the right slope: the nearest and the next
        const double way = fabs(all[k]);
        if (!(way < HUGE_VAL) || ctk_slope(d, p, all[k]) * sign < 0) continue;
        if (way < nearest) {
            next = nearest;
            nearest = way;
            *t = all[k];
            found = 1;
        } else if (way < next) {
            next = way;
        }
    }
    return found && 2 * nearest <= next;
}

// Newton's iteration from t = 0, trusted where each correction is at most half of the one before.
static inline int ctk_follow_root(int d, const double *p, double *t) {
    enum { MOST = 12 };
    double last = HUGE_VAL;
    *t = 0;
    for (int i = 0; i < MOST; i++) {
        const double step = ctk_horner(d, p, *t) / ctk_slope(d, p, *t);
        if (!(fabs(step) < 1)) return 0;
        if (fabs(step) > 1e-9 && !(fabs(step) <= 0.5 * last)) return 0;
        *t -= step;
        if (fabs(step) <= 1e-9) return 1;
        last = fabs(step);
    }
    return 0;
}

// Returns 1 if there is exactly one root with |t| < 4 b, b = |p0/p1|, and it has |t| <= 2 b and the
// sign of the slope at t = 0. Sufficient:  sum_(k > 1) |p_k/p_1| (4 b)^(k - 1) <= 1/2  (Rouche).
static inline int ctk_is_alone(int d, const double *p, double over) { // over: 1/p1
    const double reach = 4 * fabs(p[0] * over);
    double sum = 0;
    CTK_UNROLL
    for (int k = d; k > 1; k--) sum = (sum + fabs(p[k])) * reach;
    return sum * fabs(over) <= 0.5; // not where p[1] = 0
}

// Root of p near t = 0. *sign: that of the slope there, 0 where it is not known yet. *measure: the
// square of the slope, which is 0 where roots meet. Returns 0 where there is none.
static inline int ctk_root(int d, double *p, double *t, double *sign, double *measure) {
    const double longest = 0.15, least = 1e-14; // 0.3 rad; of the measure
    double size = 0;
    // coefficients of length 1
    for (int i = 0; i <= d; i++) size += p[i] * p[i];
    if (!(size > 0) || !(size < HUGE_VAL)) return 0;
    const double f = 1 / sqrt(size);
    for (int i = 0; i <= d; i++) p[i] *= f;
    // the root, near t = 0
    const int follows = d > 4 || ctk_is_alone(d, p, 1 / p[1]);
    if (!(follows ? ctk_follow_root(d, p, t) : ctk_pick_root(d, p, *sign, t))) return 0;
    if (!(fabs(*t) <= longest)) return 0;
    // last digits by Newton's iteration
    for (int i = 0; i < 2; i++) {
        const double slope = ctk_slope(d, p, *t), step = ctk_horner(d, p, *t) / slope;
        if (fabs(step) <= 1e-6) *t -= step;
    }
    const double slope = ctk_slope(d, p, *t);
    // regular, on the branch of *sign, and a root
    *measure = slope * slope;
    if (!(*measure >= least) || slope * *sign < 0) return 0;
    if (!(fabs(ctk_horner(d, p, *t)) <= 1e-10)) return 0;
    if (*sign == 0) *sign = slope < 0 ? -1 : 1;
    return 1;
}

// Root of harmonics by the polynomial in t, with its cosine and sine.
CTK_SELDOM static inline int ctk_turn_far(int m, const double *a, double *w, double *c, double *s,
                                          double *sign, double *slope) {
    double p[CTK_DEGREE + 1], f[3], t = 0, measure;
    ctk_turn_polynomial(m, a, *c, *s, p);
    if (!ctk_root(2 * m, p, &t, sign, &measure)) return 0;
    const double over = 1 / (1 + t * t), cosine = (1 - t * t) * over, sine = 2 * t * over,
                 before = *c;
    *w += 2 * atan(t);
    *c = before * cosine - *s * sine;
    *s = *s * cosine + before * sine;
    ctk_harmonics(m, a, *c, *s, f);
    *slope = f[1];
    return 1;
}

// Root of harmonics: an angle. bound: on the second derivative (ctk_turn_bound). carried: the last
// angle with cosine and sine (ctk_small.h); x: cosine and sine of the root.
// *measure: the square of the derivative, coefficients (but the constant one) of length 1.
static inline int ctk_turn_root(int m, const double *restrict a, double bound, double *restrict w,
                                double *restrict carried, double *restrict x, double *restrict sign,
                                double *restrict measure) {
    const double least = 1e-14;
    double at = *w, c, s, size = 0, slope = 0;
    // cosine and sine at the expected angle; length of the coefficients
    ctk_pair_at(carried, at, &c, &s);
    CTK_UNROLL
    for (int i = 1; i <= 2 * m; i++) size += a[i] * a[i];
    // certified root on the branch, else by the polynomial in t
    double near = at, near_c = c, near_s = s;
    if (ctk_certified_turn(m, a, bound, &near, &near_c, &near_s, &slope) && slope * *sign >= 0) {
        at = near;
        c = near_c;
        s = near_s;
    } else if (!ctk_turn_far(m, a, &at, &c, &s, sign, &slope)) {
        return 0;
    }
    // measure, sign of the branch, numbers for the next call
    *measure = slope * slope / size;
    if (!(*measure >= least) || !(size < HUGE_VAL)) return 0;
    if (*sign == 0) *sign = slope < 0 ? -1 : 1;
    ctk_pair_keep(carried, at, &c, &s);
    *w = at;
    x[0] = c;
    x[1] = s;
    return 1;
}

// A root that is alone (ctk_is_alone): Newton's iteration from t = 0, the first correction of third
// order.
static inline int ctk_certified_slide(int d, const double *p, double *t, double *slope) {
    enum { MOST = 4 };
    const double good = 1e-8, longest = 0.15; // what is left is the square of the last correction
    const double over = 1 / p[1], h = p[0] * over;
    if (!ctk_is_alone(d, p, over)) return 0;
    double x = -h * (1 + (d > 1 ? h * p[2] * over : 0));
    for (int i = 0; i < MOST; i++) {
        *slope = ctk_slope(d, p, x);
        const double step = ctk_horner(d, p, x) / *slope;
        x -= step;
        if (!(fabs(step) <= good)) continue;
        *t = x;
        return fabs(x) <= longest;
    }
    return 0;
}

// Root of a polynomial in a slide; `length` is its unit.
static inline int ctk_slide_root(int d, const double *a, double length, double *w, double *sign,
                                 double *measure) {
    const double least = 1e-14;
    double p[CTK_DEGREE + 1] = {0}, t = 0, slope = 0, size = 0;
    ctk_slide_polynomial(d, a, *w, length, p);
    CTK_UNROLL
    for (int i = 0; i <= d; i++) size += p[i] * p[i];
    if (ctk_certified_slide(d, p, &t, &slope) && slope * *sign >= 0 && size < HUGE_VAL &&
        slope * slope >= least * size) {
        *measure = slope * slope / size;
        if (*sign == 0) *sign = slope < 0 ? -1 : 1;
    } else if (!ctk_root(d, p, &t, sign, measure)) {
        return 0;
    }
    *w += length * t;
    return 1;
}

#endif
