// Roots of polynomials in the kernel: closed forms against roots that were put in, nearly double
// ones and ones at infinity among them; following a root; what two equations have in common.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernel/ctk_root.h"

enum { TRIALS = 4000 };

static double uniform(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

// p *= a + b t + c t^2
static void times(int *d, double *p, double a, double b, double c) {
    for (int i = *d + 2; i >= 0; i--)
        p[i] = (i <= *d ? a * p[i] : 0) + (i > 0 && i - 1 <= *d ? b * p[i - 1] : 0) +
               (i > 1 ? c * p[i - 2] : 0);
    *d += c != 0 ? 2 : 1;
}

static double size_at(int d, const double *p, double t) {
    double y = 0, power = 1;
    for (int i = 0; i <= d; i++, power *= fabs(t)) y += fabs(p[i]) * power;
    return y;
}

static double distance(int n, const double *found, double t) {
    double best = HUGE_VAL;
    for (int i = 0; i < n; i++) best = fmin(best, fabs(found[i] - t) / (1 + fabs(t)));
    return best;
}

// closed forms -----------------------------------------------------------------------------------
static void test_constructed(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int degree = 1 + trial % 4, d = 0, real = 0;
        double p[7] = {1}, root[4], found[4], scale = pow(3, uniform()), apart = HUGE_VAL;
        while (degree - d >= 2 && rand() % 3 == 0) { // a complex pair
            double re = scale * uniform(), im = scale * (0.05 + fabs(uniform()));
            times(&d, p, re * re + im * im, -2 * re, 1);
        }
        while (d < degree) {
            root[real] = scale * uniform();
            for (int i = 0; i < real; i++)
                apart = fmin(apart, fabs(root[i] - root[real]) / (1 + fabs(root[i])));
            times(&d, p, -root[real], 1, 0);
            real++;
        }
        double f = pow(10, 5 * uniform()); // any factor
        for (int i = 0; i <= d; i++) p[i] *= f;
        int n = ctk_real_roots(d, p, found);
        if (apart > 1e-3) assert_int_equal(n, real);
        for (int i = 0; i < real && n >= real; i++)
            assert_true(distance(n, found, root[i]) <= 1e-12 / fmin(1, pow(apart, 3)));
        for (int i = 0; i < n; i++)
            assert_true(fabs(ctk_horner(d, p, found[i])) <= 1e-10 * size_at(d, p, found[i]));
    }
}

static void test_nearly_double(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        double gap = pow(10, -1 - 5 * fabs(uniform())), a = uniform(), p[7] = {1}, found[4];
        int d = 0;
        times(&d, p, -a, 1, 0);
        times(&d, p, -(a + gap), 1, 0);
        if (trial % 3) times(&d, p, 2 + uniform(), uniform(), trial % 3 == 1 ? 1 : 0);
        int n = ctk_real_roots(d, p, found);
        assert_true(n >= 2);
        // rounding of the coefficients alone moves them by about eps / gap
        assert_true(distance(n, found, a) <= 1e-13 / gap);
        assert_true(distance(n, found, a + gap) <= 1e-13 / gap);
    }
}

static void test_at_infinity(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int degree = 2 + trial % 3, d = 0;
        double p[7] = {1}, root[4], found[4];
        for (int i = 0; i + 1 < degree; i++) {
            root[i] = 2 * i + uniform();
            times(&d, p, -root[i], 1, 0);
        }
        p[degree] = trial % 2 ? 1e-14 * uniform() : 0;
        int n = ctk_real_roots(degree, p, found);
        assert_int_equal(n, degree);
        for (int i = 0; i + 1 < degree; i++) assert_true(distance(n, found, root[i]) <= 1e-10);
    }
    double zero[5] = {0}, found[4];
    assert_int_equal(ctk_real_roots(4, zero, found), 0);
}

// y^4 + a y^2 + b without odd terms, and fourfold roots
static void test_special(void **state) {
    (void)state;
    double t[4];
    assert_int_equal(ctk_real_roots(4, (double[]){4, 0, -5, 0, 1}, t), 4);
    for (int i = -2; i <= 2; i++)
        if (i) assert_true(distance(4, t, i) < 1e-14);
    assert_int_equal(ctk_real_roots(4, (double[]){-1, 0, 0, 0, 1}, t), 2);
    assert_true(distance(2, t, 1) < 1e-14 && distance(2, t, -1) < 1e-14);
    assert_int_equal(ctk_real_roots(4, (double[]){1, 0, 0, 0, 1}, t), 0);
    int n = ctk_real_roots(4, (double[]){1, -4, 6, -4, 1}, t);
    assert_true(!n || distance(n, t, 1) < 1e-3); // rounding may make all of them complex
    n = ctk_real_roots(3, (double[]){-1, 3, -3, 1}, t);
    assert_true(n > 0 && distance(n, t, 1) < 1e-4);
}

// following --------------------------------------------------------------------------------------
static double harmonic(int m, const double *a, double w) {
    double y = a[0];
    for (int k = 1; k <= m; k++) y += a[2 * k - 1] * cos(k * w) + a[2 * k] * sin(k * w);
    return y;
}

static void test_turn_polynomial(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int m = 1 + trial % 4;
        double a[9], p[CTK_DEGREE + 1], w = 10 * uniform(), t = 3 * uniform();
        for (int i = 0; i <= 2 * m; i++) a[i] = uniform();
        ctk_turn_polynomial(m, a, w, p);
        double want = harmonic(m, a, w + 2 * atan(t)) * pow(1 + t * t, m);
        assert_true(fabs(ctk_horner(2 * m, p, t) - want) <= 1e-12 * size_at(2 * m, p, t));
    }
}

// a0 + ... = product of sin((w - r_i) / 2) over 2 m angles, by its values
static void from_roots(int m, const double *r, double *a) {
    int n = 2 * m + 1;
    const double turn = 8 * atan(1);
    memset(a, 0, (size_t)n * sizeof *a);
    for (int j = 0; j < n; j++) {
        double w = turn * j / n, y = 1;
        for (int i = 0; i < 2 * m; i++) y *= sin((w - r[i]) / 2);
        a[0] += y / n;
        for (int k = 1; k <= m; k++) {
            a[2 * k - 1] += 2 * y * cos(k * w) / n;
            a[2 * k] += 2 * y * sin(k * w) / n;
        }
    }
}

// Roots that wander, each at its own pace, without ever meeting: each is followed all the way.
static void test_followed(void **state) {
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        int m = 1 + trial % 3, which = rand() % (2 * m), steps = 2000;
        double r[6], a[7], w = 0, sign = 0, measure;
        for (int k = 0; k <= steps; k++) {
            double now = 4.0 * k / steps, turn = 8 * atan(1);
            for (int i = 0; i < 2 * m; i++)
                r[i] = turn * i / (2 * m) + now * 3 + 0.3 * sin(now * (1 + i) + trial);
            from_roots(m, r, a);
            if (k == 0) w = r[which];
            assert_true(ctk_turn_root(m, a, &w, &sign, &measure));
            assert_true(fabs(w - r[which]) <= 1e-11);
            assert_true(measure > 0);
        }
    }
}

// Two roots that meet: the one that is followed ends there, and its neighbour is never taken.
static void test_meeting(void **state) {
    (void)state;
    for (int m = 1; m <= 3; m++) {
        double sign = 0, measure, w = 0.5;
        int k = 0, good = 1;
        for (; k <= 1000 && good; k++) {
            double gap = 0.5 - k * 1e-3, r[6] = {gap, -gap, 2, -2, 2.5, -2.6}, a[7];
            if (gap < 0) { // complex from here on: cos(w) = 1 + gap^2 / 2
                double other[6] = {2, -2, 2.5, -2.6}, b[7] = {1, 0, 0, 0, 0, 0, 0};
                if (m > 1) from_roots(m - 1, other, b);
                memset(a, 0, sizeof a);
                for (int j = 0; j <= m - 1; j++) { // (cos w - e) times it
                    double e = 1 + gap * gap / 2, ca = j ? b[2 * j - 1] : b[0],
                           sa = j ? b[2 * j] : 0;
                    if (j) {
                        a[2 * j - 1] -= e * ca;
                        a[2 * j] -= e * sa;
                        a[j == 1 ? 0 : 2 * j - 3] += ca / 2;
                        if (j > 1) a[2 * j - 2] += sa / 2;
                        a[2 * j + 1] += ca / 2;
                        a[2 * j + 2] += sa / 2;
                    } else {
                        a[0] -= e * ca;
                        a[1] += ca;
                    }
                }
            } else {
                from_roots(m, r, a);
            }
            good = ctk_turn_root(m, a, &w, &sign, &measure);
            if (good) assert_true(gap > 0 && fabs(w - gap) < 1e-8);
        }
        assert_false(good);
        assert_in_range(k, 490, 503);
    }
}

static void test_slide_root(void **state) {
    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        int d = 0, degree = 1 + trial % 6;
        double p[9] = {1}, length = pow(10, 2 * uniform()), shift = length * uniform(), w = shift;
        for (int i = 0; i < degree; i++) times(&d, p, -(shift + 0.7 * length * i), 1, 0);
        double sign = 0, measure;
        w += 0.1 * length * uniform() / degree;
        assert_true(ctk_slide_root(degree, p, length, &w, &sign, &measure));
        assert_true(fabs(w - shift) <= 1e-11 * length);
        double other = -sign; // on the other side there is none so near
        w = shift;
        if (degree <= 4) assert_false(ctk_slide_root(degree, p, length, &w, &other, &measure));
    }
    double bad[3] = {NAN, 1, 1}, w = 0, sign = 0, measure;
    assert_false(ctk_slide_root(2, bad, 1, &w, &sign, &measure));
}

// two equations ----------------------------------------------------------------------------------
static void test_common_pair(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        double w = 4 * uniform(), f[6], x[2], sign = 0;
        for (int i = 0; i < 2; i++) {
            f[3 * i + 1] = uniform();
            f[3 * i + 2] = uniform();
        }
        double nearly = pow(10, -2 - 18 * fabs(uniform()));
        if (trial % 2) { // the same line, or nearly so
            f[4] = 3 * f[1] + nearly * uniform();
            f[5] = 3 * f[2] + nearly * uniform();
        }
        if (hypot(f[1], f[2]) < 0.1 || fabs(f[1] * sin(w) - f[2] * cos(w)) < 0.1) continue;
        sign = f[1] * sin(w) < f[2] * cos(w) ? -1 : 1;
        for (int i = 0; i < 2; i++) f[3 * i] = -f[3 * i + 1] * cos(w) - f[3 * i + 2] * sin(w);
        double side = sign;
        assert_true(ctk_common_pair(f, &sign, x));
        assert_true(sign == side);
        assert_true(fabs(x[0] - cos(w)) < 1e-12 && fabs(x[1] - sin(w)) < 1e-12);
    }
    double nothing[6] = {0}, x[2], sign = 1;
    assert_false(ctk_common_pair(nothing, &sign, x));
    double touching[6] = {-1, 1, 0, -2, 2, 0}; // C = 1 twice: a double root of the same line
    assert_false(ctk_common_pair(touching, &sign, x));
}

static void test_common_slide(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        double length = pow(10, 2 * uniform()), y = length * uniform(), f[6], x = 0, unit = 1;
        for (int i = 0; i < 3; i++, unit /= length) {
            f[i] = uniform() * unit;
            f[3 + i] = trial % 3 == 1 ? 2 * f[i] : uniform() * unit;
        }
        if (trial % 4 == 3) f[5] = 0;
        if (trial % 8 == 7) f[2] = 0;
        for (int i = 0; i < 2; i++) f[3 * i] = -y * (f[3 * i + 1] + y * f[3 * i + 2]);
        double slope = f[1] + 2 * f[2] * y, sign = slope < 0 ? -1 : 1, side = sign;
        if (fabs(slope) * length < 0.1) continue;
        assert_true(ctk_common_slide(f, length, &sign, &x));
        assert_true(sign == side);
        assert_true(fabs(x - y) < 1e-11 * length);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructed),     cmocka_unit_test(test_nearly_double),
        cmocka_unit_test(test_at_infinity),     cmocka_unit_test(test_special),
        cmocka_unit_test(test_turn_polynomial), cmocka_unit_test(test_followed),
        cmocka_unit_test(test_meeting),         cmocka_unit_test(test_slide_root),
        cmocka_unit_test(test_common_pair),     cmocka_unit_test(test_common_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
