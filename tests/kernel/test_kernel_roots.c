// Roots of polynomials in the kernel: closed forms against roots that were put in, nearly double
// ones and ones at infinity among them; following a root, and two
// unknowns at once.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/inline/ctk_root_pair.h"

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
        ctk_turn_polynomial(m, a, cos(w), sin(w), p);
        double want = harmonic(m, a, w + 2 * atan(t)) * pow(1 + t * t, m);
        assert_true(fabs(ctk_horner(2 * m, p, t) - want) <= 1e-12 * size_at(2 * m, p, t));
    }
}

static bool turn_root(int m, const double *a, double *w, double *carried, double *sign,
                      double *measure) {
    double pair[2] = {0, 0};
    bool good = ctk_turn_root(m, a, ctk_turn_bound(m, a), w, carried, pair, sign, measure);
    if (good) assert_true(fabs(pair[0] - cos(*w)) + fabs(pair[1] - sin(*w)) < 1e-13);
    return good;
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
        double r[6], a[7], w = 0, sign = 0, measure, carried[CTK_CARRIED] = {0, 1, 0, 0};
        for (int k = 0; k <= steps; k++) {
            double now = 4.0 * k / steps, turn = 8 * atan(1);
            for (int i = 0; i < 2 * m; i++)
                r[i] = turn * i / (2 * m) + now * 3 + 0.3 * sin(now * (1 + i) + trial);
            from_roots(m, r, a);
            if (k == 0) w = r[which];
            assert_true(turn_root(m, a, &w, carried, &sign, &measure));
            assert_true(fabs(w - r[which]) <= 1e-11);
            assert_true(measure > 0);
        }
    }
}

// Two roots that meet: the one that is followed ends there, and its neighbour is never taken.
static void test_meeting(void **state) {
    (void)state;
    for (int m = 1; m <= 3; m++) {
        double sign = 0, measure, w = 0.5, carried[CTK_CARRIED] = {0, 1, 0, 0};
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
            good = turn_root(m, a, &w, carried, &sign, &measure);
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

// Whatever finds it, the root is the one nearest to where it is expected, pairs and complex ones
// around it or not.
static void test_nearest_slide(void **state) {
    (void)state;
    int found = 0;
    for (int trial = 0; trial < 20000; trial++) {
        int d = 0, degree = 2 + trial % 3;
        double p[9] = {1}, roots[4], length = pow(10, 2 * uniform());
        for (int i = 0; i < degree; i++) roots[i] = length * uniform();
        if (trial % 4 == 0) roots[1] = roots[0] + length * pow(10, -1 - 3 * fabs(uniform()));
        bool pair = trial % 5 == 0 && degree > 2; // the last two are complex
        double high = pair ? length * pow(10, -4 * fabs(uniform())) : 0;
        int real = pair ? degree - 2 : degree;
        for (int i = 0; i < real; i++) times(&d, p, -roots[i], 1, 0);
        if (pair) times(&d, p, roots[real] * roots[real] + high * high, -2 * roots[real], 1);
        double start = roots[0] + 0.1 * length * uniform() * pow(10, -3 * fabs(uniform()));
        double w = start, sign = 0, measure, nearest = INFINITY;
        if (!ctk_slide_root(degree, p, length, &w, &sign, &measure)) continue;
        for (int i = 0; i < real; i++) nearest = fmin(nearest, fabs(roots[i] - start));
        found++;
        assert_true(fabs(fabs(w - start) - nearest) <= 1e-7 * length);
    }
    assert_true(found > 10000);
}

// two unknowns -----------------------------------------------------------------------------------
// Equations with coefficients that change along a way 0 <= u <= 1.
typedef struct path {
    ctk_root_pair k;
    double from[6][5], to[6][5];
} path;

static int top_of(const path *p, int part) { // degree in the first unknown
    static const int turns[2][3] = {{1, 0, 0}, {1, 0, 0}}, mixed[2][3] = {{1, 0, 0}, {1, 1, 0}},
                     slides[2][3] = {{2, 1, 0}, {2, 1, 0}};
    const int(*top)[3] = p->k.is_angle[1] ? turns : p->k.is_angle[0] ? mixed : slides;
    return top[part / 3][part % 3];
}

static void coefficients(const path *p, double u, double *a) {
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < p->k.n_part; i++)
            a[j * p->k.n_part + i] = p->from[j][i] + u * (p->to[j][i] - p->from[j][i]);
}

static void basis(const path *p, double w, double *e) {
    for (int i = 0; i < p->k.n_part; i++)
        e[i] = !p->k.is_angle[0] ? pow(w, i)
               : i % 2 || !i     ? cos((i + 1) / 2 * w)
                                 : sin((i + 1) / 2 * w);
}

static void parts_at(const path *p, const double *a, double w, double *f) {
    double e[5];
    basis(p, w, e);
    for (int j = 0; j < 6; j++) {
        f[j] = 0;
        for (int i = 0; i < p->k.n_part; i++) f[j] += a[j * p->k.n_part + i] * e[i];
    }
}

// f and g at (w, v), v the second angle or slide
static void residual(const path *p, const double *a, double w, double v, double *r) {
    double f[6], x = p->k.is_angle[1] ? cos(v) : v, y = p->k.is_angle[1] ? sin(v) : v * v;
    parts_at(p, a, w, f);
    for (int e = 0; e < 2; e++) r[e] = f[3 * e] + f[3 * e + 1] * x + f[3 * e + 2] * y;
}

// The polynomial in the first unknown, through its values.
static void eliminate(const path *p, const double *a, double *left) {
    enum { N = 5 };
    double m[N][N + 1];
    for (int i = 0; i < N; i++) {
        double w = p->k.is_angle[0] ? 8 * atan(1) * i / N : i - 2, f[6], *g = f + 3;
        parts_at(p, a, w, f);
        double x = f[2] * g[0] - f[0] * g[2], y = f[0] * g[1] - f[1] * g[0],
               d = f[1] * g[2] - f[2] * g[1];
        m[i][N] = p->k.is_angle[1]   ? x * x + y * y - d * d
                  : p->k.is_angle[0] ? g[2] * f[0] * f[0] - f[1] * (g[1] * f[0] - g[0] * f[1])
                                     : x * x - d * y;
        for (int j = 0; j < N; j++)
            m[i][j] = !p->k.is_angle[0] ? pow(w, j)
                      : j % 2 || !j     ? cos((j + 1) / 2 * w)
                                        : sin((j + 1) / 2 * w);
    }
    for (int c = 0; c < N; c++) {
        int best = c;
        for (int i = c; i < N; i++)
            if (fabs(m[i][c]) > fabs(m[best][c])) best = i;
        for (int j = 0; j <= N; j++) {
            double t = m[c][j];
            m[c][j] = m[best][j];
            m[best][j] = t;
        }
        for (int i = 0; i < N; i++)
            for (int j = N; j >= c && i != c; j--) m[i][j] -= m[i][c] / m[c][c] * m[c][j];
    }
    for (int i = 0; i < N; i++) left[i] = m[i][N] / m[i][i];
}

static path random_path(int kind, double *w, double *v) {
    path p = {.k = {{kind < 2, kind == 0}, 5, kind < 2 ? 3 : 3, 1}};
    *w = 2 * uniform();
    *v = 2 * uniform();
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < p.k.n_part; i++) {
            int top = p.k.is_angle[0] ? (i + 1) / 2 : i;
            if (top > top_of(&p, j)) continue;
            p.from[j][i] = uniform();
            p.to[j][i] = p.from[j][i] + 0.7 * uniform();
        }
    if (kind == 1) p.from[2][0] = p.to[2][0] = 0; // linear in the slide
    double a[30], r[2];
    coefficients(&p, 0, a);
    residual(&p, a, *w, *v, r);
    p.from[0][0] -= r[0];
    p.from[3][0] -= r[1];
    p.to[0][0] -= r[0];
    p.to[3][0] -= r[1];
    return p;
}

// Of one equation: its bound on second derivatives for two angles, else all its terms, with the unknowns
// at least one unit long.
static double bound_of(const path *p, const double *a, double w, double v) {
    double e[5], sum = 0;
    if (p->k.is_angle[0] && p->k.is_angle[1]) return ctk_root_pair_bound(1, a);
    basis(p, p->k.is_angle[0] ? 0 : fmax(fabs(w), p->k.length), e);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < p->k.n_part; i++) {
            const double first = p->k.is_angle[0] ? 1 : e[i];
            const double second = p->k.is_angle[1] || !j ? 1 : pow(fmax(fabs(v), p->k.length), j);
            if (i + j > 0) sum += fabs(a[j * p->k.n_part + i]) * first * second;
        }
    return sum;
}

// Independent: small steps, derivatives by differences. Returns the normalised determinant.
static double refine(const path *p, const double *a, double *w, double *v, double *measured) {
    double det = 0;
    for (int it = 0; it < 5; it++) {
        double r[2], rw[2], rv[2], h = 1e-6;
        residual(p, a, *w, *v, r);
        residual(p, a, *w + h, *v, rw);
        residual(p, a, *w, *v + h, rv);
        double m[4] = {(rw[0] - r[0]) / h, (rv[0] - r[0]) / h, (rw[1] - r[1]) / h,
                       (rv[1] - r[1]) / h};
        double d = m[0] * m[3] - m[1] * m[2];
        *w -= (r[0] * m[3] - r[1] * m[1]) / d;
        *v -= (r[1] * m[0] - r[0] * m[2]) / d;
        det = d / (hypot(m[0], m[1]) * hypot(m[2], m[3]));
        const double bend0 = bound_of(p, a, *w, *v),
                     bend1 = bound_of(p, a + 3 * p->k.n_part, *w, *v);
        *measured = d / (hypot(hypot(m[0], m[1]), bend0) * hypot(hypot(m[2], m[3]), bend1));
    }
    return det;
}

// A branch is followed as long as it is regular, by roots of the eliminated polynomial and without
// it, and also where that polynomial has a double root because another branch passes with the same
// first unknown (there the equations are the same line for the second).
static void test_blocks(void **state) {
    (void)state;
    int passed = 0, finished = 0, early = 0;
    for (int trial = 0; trial < 900; trial++) {
        enum { STEPS = 400, FINE = 10 };
        double w, v, a[40], sign[2] = {0, 0}, measure, last_d = 0, first = 0, pair[2];
        double carried[2][CTK_CARRIED] = {{0, 1, 0, 0}, {0, 1, 0, 0}};
        path p = random_path(trial % 3, &w, &v);
        double at[2][3], before[2][3];
        bool alive = true, crossed = false;
        for (int c = 0; c < 2; c++) {
            at[c][0] = w;
            at[c][1] = p.k.is_angle[1] ? cos(v) : v;
            at[c][2] = p.k.is_angle[1] ? sin(v) : 0;
            memcpy(before[c], at[c], sizeof at[c]);
        }
        for (int k = 0; k <= STEPS && alive; k++) {
            double det = 1, measured = 1;
            for (int j = k ? 1 : FINE; j <= FINE; j++) {
                coefficients(&p, (k - 1 + (double)j / FINE) / STEPS, a + 5);
                double w0 = w, v0 = v, r[2];
                det = refine(&p, a + 5, &w, &v, &measured);
                residual(&p, a + 5, w, v, r);
                alive = alive && fabs(det) > 0.03 && det * first >= 0 && fabs(w - w0) < 0.01 &&
                        fabs(v - v0) < 0.01 && fabs(r[0]) + fabs(r[1]) < 1e-9;
                first = det;
            }
            if (!alive) break;
            double f[6];
            eliminate(&p, a + 5, a);
            parts_at(&p, a + 5, w, f);
            double d = f[1] * f[5] - f[2] * f[4];
            if (!p.k.is_angle[1] && p.k.is_angle[0]) d = f[1];
            crossed = crossed || d * last_d < 0;
            last_d = d;
            for (int c = 0; c < 2 && alive; c++) { // with `left` and without
                ctk_root_pair block = p.k;
                if (c) block.n_left = 0;
                double guess[3];
                for (int i = 0; i < 3; i++) guess[i] = 2 * at[c][i] - before[c][i];
                memcpy(before[c], at[c], sizeof at[c]);
                for (int i = 0; i < 2; i++)
                    a[5 + 6 * p.k.n_part + i] = ctk_root_pair_bound(1, a + 5 + 3 * p.k.n_part * i);
                if (!ctk_root_pair_solve(&block, c ? a + 5 : a, guess, guess + 1, carried[c], pair,
                                         sign + c, &measure)) {
                    early++;
                    alive = false;
                    break;
                }
                memcpy(at[c], guess, sizeof guess);
                assert_true(fabs(guess[0] - w) < 1e-7);
                assert_true(fabs(guess[1] - (p.k.is_angle[1] ? cos(v) : v)) < 1e-7);
                if (p.k.is_angle[1]) assert_true(fabs(guess[2] - sin(v)) < 1e-7);
                assert_true(fabs(sqrt(measure) - fabs(measured)) < 1e-4);
            }
        }
        finished += alive;
        passed += alive && crossed;
    }
    print_message("%d finished, %d of them through a double root; %d ended early\n", finished,
                  passed, early);
    assert_true(finished > 300 && passed > 15);
    assert_true(early < 20);
}

// An equation whose gradient vanishes, as that of a distance where it is extreme: the measure falls with
// the distance of its two solutions. Equations: 1 - cos w + y^2 = e^2, and a generic line.
static void test_extreme_distance(void **state) {
    (void)state;
    double last = 1;
    for (double e = 0.1; e > 1e-5; e /= 10) {
        const ctk_root_pair k = {{1, 0}, 0, 3, 1};
        const double a[18] = {1 - e * e, -1, 0, 0, 0, 0, 1, 0, 0,  // 1 - cos w - e^2, y, y^2
                              0,         0,  2, 1, 0, 0, 0, 0, 0}; // 2 sin w + y
        double w = 0.3 * e, x[2] = {-0.6 * e, 0}, carried[CTK_CARRIED] = {0, 1, 0, 0}, pair[2];
        double sign = 0, measure = 0;
        assert_true(ctk_root_pair_solve(&k, a, &w, x, carried, pair, &sign, &measure));
        assert_true(fabs(1 - cos(w) + x[0] * x[0] - e * e) < 1e-12 &&
                    fabs(2 * sin(w) + x[0]) < 1e-12);
        assert_true(measure < 2 * e * e && measure < 0.02 * last);
        last = measure;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructed),      cmocka_unit_test(test_nearly_double),
        cmocka_unit_test(test_at_infinity),      cmocka_unit_test(test_special),
        cmocka_unit_test(test_turn_polynomial),  cmocka_unit_test(test_followed),
        cmocka_unit_test(test_meeting),          cmocka_unit_test(test_slide_root),
        cmocka_unit_test(test_nearest_slide),    cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_extreme_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
