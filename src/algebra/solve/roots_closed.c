// Closed forms for degree <= 4. Where the Newton polygon shows groups of roots further apart than
// doubles resolve, the polynomial is cut there (a relative change of its coefficients below
// rounding); each piece is scaled to coefficients of size one, so nothing overflows.
//   quadratic: x1 = -(b + sign(b) sqrt(D)) / 2a, x2 = c / (a x1), D with a fused product (Kahan)
//   cubic:     outermost real root from outside by Newton's monotone iteration, then a deflation
//   that
//              keeps small coefficients (W. Kahan, To solve a real cubic equation, 1986)
//   quartic:   (x^2 + l1 x + l3)^2 + d2 (x + l2)^2 with the largest root of the resolvent, which
//   makes
//              d2 <= 0: two real quadratic factors, corrected by Newton on their four coefficients
//              (after Orellana and De Michele, ACM TOMS Algorithm 1010)
#include "algebra/solve/roots.h"

#include <float.h>
#include <math.h>

// b^2 - a c without cancellation error.
static double discriminant(double a, double b, double c) {
    double p = b * b, q = a * c;
    return (p - q) + (fma(b, b, -p) - fma(a, c, -q));
}

// a x^2 + 2 b x + c, a != 0.
static void quadratic(double *re, double *im, double a, double b, double c) {
    double d = discriminant(a, b, c);
    if (d < 0) {
        re[0] = re[1] = -b / a;
        im[0] = sqrt(-d) / fabs(a);
        im[1] = -im[0];
        return;
    }
    double q = -(b + copysign(sqrt(d), b));
    im[0] = im[1] = 0;
    re[0] = q / a;
    re[1] = q != 0 ? c / q : 0;
}

// Value q = f(x), slope p = f'(x) and the deflated a x^2 + b1 x + c2 by Horner's scheme.
typedef struct horner {
    double value, slope, b1, c2;
} horner;
static horner evaluate(double x, const double *c) {
    double q0 = c[0] * x, b1 = q0 + c[1], c2 = b1 * x + c[2];
    return (horner){c2 * x + c[3], (q0 + b1) * x + c2, b1, c2};
}

// One real root of a cubic, c[0] != 0 != c[3], and the quadratic that is left.
static double cubic_real(const double *c, double *b1, double *c2) {
    double x = -(c[1] / c[0]) / 3;
    horner h = evaluate(x, c);
    double t = h.value / c[0], r = cbrt(fabs(t)), s = t < 0 ? -1 : 1;
    t = -h.slope / c[0];
    if (t > 0) r = 1.324717957244746 * fmax(r, sqrt(t));
    double x0 = x - s * r, inflection = x;
    if (x0 !=
        x) { // from outside Newton comes nearer and, but for rounding, never steps over the root
        for (int k = 0; k < 200; k++) {
            x = x0;
            h = evaluate(x, c);
            x0 = h.slope == 0 ? x : x - (h.value / h.slope) / (1 + 0x1p-50);
            if (s * x0 <= s * x || s * x0 > s * inflection) break;
        }
        if (fabs(c[0]) * x * x > fabs(c[3] / x)) {
            h.c2 = -c[3] / x;
            h.b1 = (h.c2 - c[2]) / x;
        }
    }
    *b1 = h.b1;
    *c2 = h.c2;
    return x;
}

static void cubic(double *re, double *im, const double *c) {
    double b1, c2;
    re[0] = cubic_real(c, &b1, &c2);
    im[0] = 0;
    quadratic(re + 1, im + 1, c[0], b1 / 2, c2);
}

// Real roots of x^3 + g x + h, and the real part of a pair (two equal ones may have come apart).
static int resolvent_roots(double g, double h, double phi[3]) {
    double im[3], c[4] = {1, 0, g, h};
    if (h == 0) {
        phi[0] = g < 0 ? sqrt(-g) : 0;
        return 1;
    }
    cubic(phi, im, c);
    return im[1] == 0 ? 3 : 2;
}

// Two monic factors x^2 + p x + q, x^2 + r x + s.
typedef struct factors {
    double p, q, r, s;
} factors;

// What is wrong with their product, coefficient by coefficient relative to its terms.
static double mismatch(factors f, const double *c, double e[4]) {
    e[0] = f.p + f.r - c[1];
    e[1] = f.q + f.p * f.r + f.s - c[2];
    e[2] = f.p * f.s + f.q * f.r - c[3];
    e[3] = f.q * f.s - c[4];
    double size[4] = {fabs(f.p) + fabs(f.r) + fabs(c[1]),
                      fabs(f.q) + fabs(f.p * f.r) + fabs(f.s) + fabs(c[2]),
                      fabs(f.p * f.s) + fabs(f.q * f.r) + fabs(c[3]), fabs(f.q * f.s) + fabs(c[4])};
    double sum = 0;
    for (int i = 0; i < 4; i++)
        if (size[i] > 0) sum += fabs(e[i]) / size[i];
    return sum;
}

// One Newton step on (p + r, q + p r + s, p s + q r, q s) = c; by hand, since with u = p - r and
// v = q - s everything is over the resultant of the two factors.
static bool correct(factors *f, const double e[4]) {
    // find dp, dq, dr, ds with (dp x + dq)(x^2 + r x + s) + (dr x + ds)(x^2 + p x + q) = -e(x)
    double a[4][5] = {{1, 0, 1, 0, -e[0]},
                      {f->r, 1, f->p, 1, -e[1]},
                      {f->s, f->r, f->q, f->p, -e[2]},
                      {0, f->s, 0, f->q, -e[3]}};
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (!(fabs(a[best][k]) > 0)) return false;
        for (int j = k; j < 5; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        for (int i = 0; i < 4; i++) {
            double m = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 5; j++) a[i][j] -= m * a[k][j];
        }
    }
    f->p += a[0][4] / a[0][0];
    f->q += a[1][4] / a[1][1];
    f->r += a[2][4] / a[2][2];
    f->s += a[3][4] / a[3][3];
    return true;
}

static factors polish(factors f, const double *c) {
    double e[4], error = mismatch(f, c, e);
    for (int k = 0; k < 12 && error > 0; k++) {
        factors g = f;
        double e2[4];
        if (!correct(&g, e)) break;
        double better = mismatch(g, c, e2);
        if (!(better < error)) break;
        f = g;
        error = better;
        for (int i = 0; i < 4; i++) e[i] = e2[i];
    }
    return f;
}

// The best of several starts, each corrected.
typedef struct choice {
    factors f;
    double error;
} choice;
static void consider(choice *best, factors f, const double *c) {
    double e[4];
    f = polish(f, c);
    double error = mismatch(f, c, e);
    if (error < best->error) *best = (choice){f, error};
}

// l3 -+ w l2, the smaller one from their product.
static void consider_square(choice *best, double l1, double l3, double wl2, double w,
                            const double *c) {
    factors f = {l1 + w, l3 + wl2, l1 - w, l3 - wl2};
    consider(best, f, c);
    if (fabs(f.q) > fabs(f.s))
        f.s = c[4] / f.q;
    else if (f.s != 0)
        f.q = c[4] / f.s;
    consider(best, f, c);
}

// One root alone at the far or the near end: it, then the cubic that is left (stably deflated).
static void consider_single(choice *best, double x, bool far, const double *c) {
    double d[4] = {1}, re[4], im[4];
    for (int k = 0; k < 60; k++) {
        double v = (((x + c[1]) * x + c[2]) * x + c[3]) * x + c[4];
        double slope = ((4 * x + 3 * c[1]) * x + 2 * c[2]) * x + c[3];
        if (slope == 0 || x - v / slope == x) break;
        x -= v / slope;
    }
    if (far) {
        d[3] = -c[4] / x, d[2] = (d[3] - c[3]) / x, d[1] = (d[2] - c[2]) / x;
    } else {
        d[1] = c[1] + x, d[2] = c[2] + x * d[1], d[3] = c[3] + x * d[2];
    }
    if (x == 0 || d[3] == 0 || !isfinite(d[3])) return;
    cubic(re, im, d); // re[0] real; a pair or two more real ones
    consider(best, (factors){-x - re[0], x * re[0], -re[1] - re[2], re[1] * re[2] - im[1] * im[2]},
             c);
    consider(best, (factors){-x - re[1], x * re[1], -re[0] - re[2], re[0] * re[2]}, c);
    consider(best, (factors){-x - re[2], x * re[2], -re[0] - re[1], re[0] * re[1]}, c);
}

// Monic quartic, coefficients of size one at most.
static void quartic(double *re, double *im, const double *c) {
    double a = c[1], b = c[2], g = a * c[3] - 4 * c[4] - b * b / 3, phi[3];
    double h = (a * c[3] + 8 * c[4] - 2 * b * b / 9) * b / 3 - c[3] * c[3] - a * a * c[4];
    choice best = {{0}, HUGE_VAL};
    for (int k = resolvent_roots(g, h, phi); k--;) {
        double l1 = a / 2, l3 = b / 6 + phi[k] / 2, d2 = 2 * b / 3 - phi[k] - l1 * l1;
        double w = sqrt(fmax(-d2, 0)), delta2 = c[3] - a * l3; // = 2 d2 l2
        double wl2 = copysign(sqrt(fmax(l3 * l3 - c[4], 0)), -delta2);
        if (w > 0) consider_square(&best, l1, l3, -delta2 / (2 * w), w, c);
        consider_square(&best, l1, l3, wl2, w, c);
        consider_square(&best, l1, l3, wl2, 0, c);
    }
    double enough = 16 * DBL_EPSILON;
    if (best.error > enough) consider_square(&best, a / 2, (b - a * a / 4) / 2, 0, 0, c);
    if (best.error > enough && b != 0) consider(&best, (factors){a, b, c[3] / b, c[4] / b}, c);
    if (best.error > enough && c[1] != 0) consider_single(&best, -c[1], true, c);
    if (best.error > enough && c[3] != 0) consider_single(&best, -c[4] / c[3], false, c);
    quadratic(re, im, 1, best.f.p / 2, best.f.q);
    quadratic(re + 2, im + 2, 1, best.f.r / 2, best.f.s);
}

// A piece c[0..n], ends not zero: scaled by x = 2^k y so that monic coefficients are at most one.
static void piece(double *re, double *im, int n, const double *c) {
    int top, e, k = -1000000;
    double lead = frexp(c[0], &top), s[5] = {1};
    for (int i = 1; i <= n; i++) {
        if (c[i] == 0) continue;
        frexp(c[i], &e);
        int need = (int)ceil((double)(e - top + 1) / i);
        if (need > k) k = need;
    }
    for (int i = 1; i <= n; i++) {
        double m = frexp(c[i], &e);
        s[i] = ldexp(m / lead, e - top - i * k);
    }
    if (n == 1)
        re[0] = -s[1], im[0] = 0;
    else if (n == 2)
        quadratic(re, im, 1, s[1] / 2, s[2]);
    else if (n == 3)
        cubic(re, im, s);
    else
        quartic(re, im, s);
    for (int i = 0; i < n; i++) {
        re[i] = ldexp(re[i], k);
        im[i] = ldexp(im[i], k);
    }
}

// Where roots further apart than rounding meet: a vertex i of the Newton polygon such that the
// lines of slope -+gap/2 about it lie 2^-60 above all other coefficients. 0: nowhere.
static int cut(int n, const double *c) {
    for (int i = 1; i < n; i++) {
        if (c[i] == 0) continue;
        double at = log2(fabs(c[i])), low = HUGE_VAL, high = -HUGE_VAL; // admissible log2 |x|
        for (int j = 0; j <= n; j++) {
            if (j == i || c[j] == 0) continue;
            double x = (log2(fabs(c[j])) - at) / (j - i); // |c_j x^(n-j)| = |c_i x^(n-i)| there
            if (j < i)
                low = fmin(low, x);
            else
                high = fmax(high, x);
        }
        if (low - high > 60) return i;
    }
    return 0;
}

int ct_roots_closed(double *re, double *im, int degree, const double *c) {
    for (int i = 0; i <= degree; i++)
        if (!isfinite(c[i])) return -1;
    while (degree >= 0 && c[0] == 0) c++, degree--;
    if (degree < 0 || degree > 4) return -1;
    int n = 0;
    for (; degree > 0 && c[degree] == 0; degree--, n++) re[n] = im[n] = 0;
    while (degree > 0) {
        int at = cut(degree, c), m = at ? at : degree;
        piece(re + n, im + n, m, c);
        n += m;
        c += m;
        degree -= m;
    }
    return n;
}
