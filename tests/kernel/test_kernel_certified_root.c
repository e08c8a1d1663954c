// Roots that are taken without looking at the others: whenever that happens, it must be the one
// root near where it was expected, by far. All roots are known, since they were put in, or found by
// starting everywhere; nearly double ones, complex ones that are almost real and starts at any
// distance are among them.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/inline/ctk_root_pair.h"

static double uniform(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

static double around(double angle) { // to -pi .. pi
    return remainder(angle, 8 * atan(1));
}

// one unknown ------------------------------------------------------------------------------------
typedef struct known {
    int m, n;       // 2 m roots, n of them real
    double root[8]; // the real ones
    double a[9], size;
} known;

// A product of sin((w - r) / 2) for real roots and of cosh(e) - cos(w - r) for complex pairs, as
// harmonics through its values.
static known random_polynomial(void) {
    known p = {.m = 1 + rand() % 4};
    double centre[4], height[4], scale = pow(10, 3 * uniform());
    const int samples = 2 * p.m + 1, pairs = rand() % (p.m + 1);
    for (int i = 0; i < pairs; i++) {
        centre[i] = 4 * uniform();
        height[i] = pow(10, -1.5 + 1.5 * uniform());
    }
    for (; p.n < 2 * (p.m - pairs); p.n++) {
        bool close = p.n % 2 && rand() % 2;
        p.root[p.n] = close ? p.root[p.n - 1] + pow(10, -3 + 3 * uniform()) : around(4 * uniform());
    }
    for (int j = 0; j < samples; j++) {
        const double w = 8 * atan(1) * j / samples;
        long double y = scale;
        for (int i = 0; i < p.n; i++) y *= sinl((w - p.root[i]) / 2);
        for (int i = 0; i < pairs; i++) y *= coshl(height[i]) - cosl(w - centre[i]);
        p.a[0] += (double)(y / samples);
        for (int k = 1; k <= p.m; k++) {
            p.a[2 * k - 1] += (double)(2 * y * cosl(k * (long double)w) / samples);
            p.a[2 * k] += (double)(2 * y * sinl(k * (long double)w) / samples);
        }
    }
    for (int i = 0; i <= 2 * p.m; i++) p.size += fabs(p.a[i]);
    return p;
}

static double value(const known *p, double w, double *slope) {
    double y = p->a[0];
    *slope = 0;
    for (int k = 1; k <= p->m; k++) {
        y += p->a[2 * k - 1] * cos(k * w) + p->a[2 * k] * sin(k * w);
        *slope += k * (p->a[2 * k] * cos(k * w) - p->a[2 * k - 1] * sin(k * w));
    }
    return y;
}

// Nearest root and the next one, as distances from w; -1: none.
static void two_nearest(const known *p, double w, double *root, double *first, double *second) {
    *first = *second = 1e9;
    for (int i = 0; i < p->n; i++) {
        const double way = fabs(around(p->root[i] - w));
        if (way < *first) {
            *second = *first;
            *first = way;
            *root = p->root[i];
        } else if (way < *second) {
            *second = way;
        }
    }
}

static void test_one_unknown(void **state) {
    (void)state;
    int taken = 0, left = 0, same = 0;
    for (int trial = 0; trial < 80000; trial++) {
        const known p = random_polynomial();
        const bool somewhere = !p.n || rand() % 2;
        const double start =
            somewhere ? 4 * uniform() : p.root[rand() % p.n] + pow(10, -4 + 4 * uniform());
        double w = start, c = cos(w), s = sin(w), slope, here, end, root = 0, first, second;
        const double y = value(&p, start, &here), bound = ctk_turn_bound(p.m, p.a);
        const double u = fabs(y / here), h = bound * u / fabs(here);
        two_nearest(&p, start, &root, &first, &second);
        if (!ctk_certified_turn(p.m, p.a, bound, &w, &c, &s, &slope)) {
            // not without reason: rounding is the only other one
            assert_true(h > 0.2499 || u > 0.1999 || bound > 1e5 * fabs(here));
            left++;
            continue;
        }
        taken++;
        value(&p, w, &end);
        const double lost = 1e-14 * p.size / fabs(end); // by rounding of the coefficients
        assert_true(h < 0.2501);
        assert_true(fabs(around(w - root)) <= 1e-15 * (1 + fabs(w)) + 4 * lost);
        assert_true(second >= 5 * first || first < 4 * lost);
        assert_true(end * here > 0 && fabs(slope - end) <= 1e-5 * fabs(end));
        assert_true(fabs(c - cos(w)) + fabs(s - sin(w)) < 4e-15);
        // by way of all roots it is the same one
        double far = start, fc = cos(start), fs = sin(start), sign = here < 0 ? -1 : 1;
        if (!ctk_turn_far(p.m, p.a, &far, &fc, &fs, &sign, &slope)) continue;
        same++;
        assert_true(fabs(far - w) <= 1e-15 * (1 + fabs(w)) + 1e3 * lost);
    }
    print_message("%d taken, %d left alone; %d compared\n", taken, left, same);
    assert_true(taken > 12000 && left > 12000 && same > 0.9 * taken);
}

// Steps of any length along roots that wander: where nothing fails, it is still the same root.
static void test_large_steps(void **state) {
    (void)state;
    int failed = 0, done = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const int m = 1 + trial % 4, which = rand() % (2 * m), samples = 2 * m + 1;
        const double step = pow(10, -2 + 1.5 * uniform()), apart = 8 * atan(1) / (2 * m);
        double w = 0, last = 0, older = 0, sign = 0, carried[CTK_CARRIED] = {0, 1, 0, 0};
        for (int k = 0; k < 40; k++) {
            double root[8], a[9] = {0}, pair[2], measure;
            for (int i = 0; i < 2 * m; i++)
                root[i] = apart * (i + 0.45 * sin(2 * step * k + trial + i * i)) + step * k;
            for (int j = 0; j < samples; j++) {
                double x = 8 * atan(1) * j / samples, y = 1;
                for (int i = 0; i < 2 * m; i++) y *= sin((x - root[i]) / 2);
                a[0] += y / samples;
                for (int i = 1; i <= m; i++) {
                    a[2 * i - 1] += 2 * y * cos(i * x) / samples;
                    a[2 * i] += 2 * y * sin(i * x) / samples;
                }
            }
            double guess = k < 3 ? root[which] : 3 * w - 3 * last + older;
            if (!ctk_turn_root(m, a, ctk_turn_bound(m, a), &guess, carried, pair, &sign,
                               &measure)) {
                failed++;
                break;
            }
            older = k ? last : guess;
            last = k ? w : guess;
            w = guess;
            assert_true(fabs(w - root[which]) < 1e-9);
            done += k == 39;
        }
    }
    print_message("%d went all the way, %d were told to take shorter steps\n", done, failed);
    assert_true(done > 2000);
}

// two unknowns -----------------------------------------------------------------------------------
typedef struct pair {
    int m;
    double a[6 * 9], bound[2], size;
} pair;

static pair random_pair(double w, double v) {
    pair p = {.m = 1 + rand() % 2};
    const int n = 2 * p.m + 1;
    for (int i = 0; i < 6 * n; i++) p.a[i] = rand() % 4 ? uniform() : 0;
    if (rand() % 3 == 0) // equations that are nearly the same
        for (int i = 0; i < 3 * n; i++) p.a[3 * n + i] = p.a[i] + 0.05 * uniform();
    for (int e = 0; e < 2; e++) { // a solution that is known
        double y = 0;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < n; i++)
                y += p.a[(3 * e + j) * n + i] * (j ? (j > 1 ? sin(v) : cos(v)) : 1) *
                     (i ? (i % 2 ? cos((i + 1) / 2 * w) : sin(i / 2 * w)) : 1);
        p.a[3 * e * n] -= y;
        p.bound[e] = ctk_root_pair_bound(p.m, p.a + 3 * e * n);
    }
    for (int i = 0; i < 6 * n; i++) p.size += fabs(p.a[i]);
    return p;
}

// Values and derivatives by another way: term by term, derivatives by hand.
static void equations(const pair *p, double w, double v, double *r, double *d) {
    const int n = 2 * p->m + 1;
    for (int e = 0; e < 2; e++) {
        r[e] = d[2 * e] = d[2 * e + 1] = 0;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < n; i++) {
                const int k = (i + 1) / 2;
                const double a = p->a[(3 * e + j) * n + i];
                const double x = i % 2 ? cos(k * w)
                                 : i   ? sin(k * w)
                                       : 1,
                             dx = i % 2 ? -k * sin(k * w) : k * cos(k * w);
                const double z = j ? (j > 1 ? sin(v) : cos(v)) : 1,
                             dz = j ? (j > 1 ? cos(v) : -sin(v)) : 0;
                r[e] += a * x * z;
                d[2 * e] += a * (i ? dx : 0) * z;
                d[2 * e + 1] += a * x * dz;
            }
    }
}

static bool solve(const pair *p, double *w, double *v) {
    double r[2], d[4], size = 1;
    for (int k = 0; k < 60 && size > 1e-13; k++) {
        equations(p, *w, *v, r, d);
        const double det = d[0] * d[3] - d[1] * d[2];
        const double x = (r[0] * d[3] - r[1] * d[1]) / det, y = (r[1] * d[0] - r[0] * d[2]) / det;
        size = fmax(fabs(x), fabs(y));
        if (!(size < 1e6)) return false;
        const double share = size > 0.3 ? 0.3 / size : 1;
        *w -= share * x;
        *v -= share * y;
    }
    return size <= 1e-13;
}

static double apart(const double *x, const double *y) {
    return fmax(fabs(around(x[0] - y[0])), fabs(around(x[1] - y[1])));
}

static int all_solutions(const pair *p, double (*x)[2]) {
    enum { STARTS = 14, MOST = 32 };
    int n = 0;
    for (int i = 0; i < STARTS * STARTS && n < MOST; i++) {
        double at[2] = {0.4488 * (i % STARTS), 0.4488 * (i / STARTS)};
        if (!solve(p, at, at + 1)) continue;
        bool there = false;
        for (int k = 0; k < n; k++) there = there || apart(x[k], at) < 1e-7;
        if (!there) memcpy(x[n++], at, sizeof at);
    }
    return n;
}

static void test_two_unknowns(void **state) {
    (void)state;
    int taken = 0, left = 0;
    for (int trial = 0; trial < 700; trial++) {
        double x[32][2];
        const pair p = random_pair(uniform(), uniform());
        const int n = all_solutions(&p, x);
        for (int k = 0; k < 40; k++) {
            double start[2] = {4 * uniform(), 4 * uniform()}, scale = pow(10, -4 + 4 * uniform());
            for (int i = 0; i < 2 && n && k % 4; i++) start[i] = x[k % n][i] + scale * uniform();
            double r[2], d[4], slope, w = start[0], r1[2], d1[4];
            double y[4] = {cos(start[0]), sin(start[0]), cos(start[1]), sin(start[1])};
            equations(&p, start[0], start[1], r, d);
            const double det = d[0] * d[3] - d[1] * d[2];
            const double u =
                fmax(fabs(r[0] * d[3] - r[1] * d[1]), fabs(r[1] * d[0] - r[0] * d[2])) / fabs(det);
            const double bound = fmax(fabs(d[3]) * p.bound[0] + fabs(d[1]) * p.bound[1],
                                      fabs(d[2]) * p.bound[0] + fabs(d[0]) * p.bound[1]) /
                                 fabs(det);
            if (!ctk_certified_pair(p.m, p.a, p.bound, &w, y, &slope)) {
                assert_true(bound * u > 0.2499 || u > 0.1999 || bound > 1e5);
                left++;
                continue;
            }
            taken++;
            double end[2] = {w, atan2(y[3], y[2])}, first = 1e9, second = 1e9;
            equations(&p, end[0], end[1], r1, d1);
            const double det1 = d1[0] * d1[3] - d1[1] * d1[2];
            const double rows =
                hypot(hypot(d1[0], d1[1]), p.bound[0]) * hypot(hypot(d1[2], d1[3]), p.bound[1]);
            assert_true(bound * u < 0.2501);
            assert_true(fabs(r1[0]) + fabs(r1[1]) <= 1e-14 * p.size);
            assert_true(det * det1 > 0 && slope * det1 > 0);
            assert_true(fabs(sqrt(fabs(slope)) - fabs(det1) / rows) <= 1e-5 * fabs(det1) / rows);
            assert_true(fabs(y[0] - cos(w)) + fabs(y[1] - sin(w)) < 4e-15);
            int which = -1;
            for (int i = 0; i < n; i++) {
                const double way = apart(x[i], start);
                if (way < first) {
                    second = first;
                    first = way;
                    which = i;
                } else if (way < second) {
                    second = way;
                }
            }
            assert_true(which >= 0);
            assert_true(apart(x[which], end) < 1e-9 * (1 + bound));
            assert_true(second >= 5 * first || first < 1e-11 * (1 + bound));
        }
    }
    print_message("%d taken, %d left alone\n", taken, left);
    assert_true(taken > 7000 && left > 5000);
}

// an angle with its cosine and sine --------------------------------------------------------------
static void test_kept(void **state) {
    (void)state;
    double w = 0.3, carried[CTK_CARRIED] = {0.3, cos(0.3), sin(0.3), 0}, worst = 0;
    for (int k = 0; k < 200000; k++) {
        double c, s;
        w += (k % 1000 ? 0.01 : 0.5) * uniform();
        ctk_pair_at(carried, w, &c, &s);
        ctk_pair_keep(carried, w, &c, &s);
        worst = fmax(worst, fabs(c - cos(w)) + fabs(s - sin(w)));
        assert_true(fabs(c * c + s * s - 1) < 1e-15);
    }
    assert_true(worst < 2e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_unknown),
        cmocka_unit_test(test_large_steps),
        cmocka_unit_test(test_two_unknowns),
        cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
