// What generated functions call: eliminations against the product, turns against sine and cosine,
// and Newton's iteration with its rules for when it may stop and when it must not be trusted.
#include "harness.h"

#include "kernel/inline/ctk_small.h"

static void eliminations(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int n = 1; n <= 12; n++)
        for (int columns = 1; columns <= 3; columns++) {
            double a[144], lu[144], x[36], b[36], determinant;
            for (int i = 0; i < n * n; i++) lu[i] = a[i] = noise(&seed);
            for (int i = 0; i < n; i++) lu[i] = a[i] *= 1e6; // rows of other sizes
            for (int i = 0; i < n * columns; i++) x[i] = b[i] = noise(&seed);
            assert_int_equal(ctk_small_solve(n, columns, lu, x, &determinant), 1);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < columns; j++) {
                    double e = -b[i * columns + j], size = 1;
                    for (int k = 0; k < n; k++) {
                        e += a[i * n + k] * x[k * columns + j];
                        size = fmax(size, fabs(a[i * n + k] * x[k * columns + j]));
                    }
                    assert_near(e, 0, 1e-11 * size);
                }
        }
    double two[] = {0, 3, 2, 1}, x[] = {6, 7}, determinant;
    assert_int_equal(ctk_small_solve(2, 1, two, x, &determinant), 1);
    assert_near(determinant, -6, 1e-14);
    assert_near(x[0], 2.5, 1e-15);
    assert_near(x[1], 2, 1e-15);
    double flat[] = {1, 2, 2, 4}, nan_[] = {1, NAN, 2, 4};
    assert_int_equal(ctk_small_solve(2, 1, flat, x, &determinant), 0);
    assert_int_equal(ctk_small_solve(2, 1, nan_, x, &determinant), 0);
}

// The sizes of eliminations are constants, as in generated code.
#define SIZES(F) F(2) F(3) F(4) F(5) F(6)

static int quick(int n, double *a, double *x, double *determinant) {
#define CASE(N)                                                                                    \
    case N: return ctk_small_quick(N, 2, a, x, determinant);
    switch (n) { SIZES(CASE) }
#undef CASE
    return ctk_small_quick(7, 2, a, x, determinant);
}

static int factor(int n, double *a, double *f) {
#define CASE(N)                                                                                    \
    case N: return ctk_small_factor(N, a, f);
    switch (n) { SIZES(CASE) }
#undef CASE
    return -1;
}

static void again(int n, const double *f, double *y) {
#define CASE(N)                                                                                    \
    case N: ctk_small_again(N, 1, f, y); break;
    switch (n) { SIZES(CASE) }
#undef CASE
}

// Quick ones give what those with pivots give: rows in a good order, in any order, pivots that are
// 0, singular and not finite; factors serve several right sides.
static void quick_eliminations(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int trial = 0; trial < 3000; trial++) {
        enum { MOST = 7 };
        const int n = 2 + trial % (MOST - 1), kind = trial / 6 % 5;
        double a[MOST * MOST], b[MOST * MOST], f[MOST * MOST + 1], x[3][2 * MOST], det[2];
        for (int i = 0; i < n * n; i++) a[i] = noise(&seed);
        for (int i = 0; i < n && kind == 0; i++) a[i * n + i] += 2;
        if (kind == 2) a[0] = a[n + 1] = 0;
        for (int j = 0; j < n && kind == 3; j++) a[(n - 1) * n + j] = 2 * a[j];
        if (kind == 4) a[trial % (n * n)] = trial % 2 ? NAN : HUGE_VAL;
        for (int i = 0; i < 2 * n; i++) x[0][i] = x[1][i] = x[2][i] = noise(&seed);
        memcpy(b, a, sizeof a);
        const int good = ctk_small_solve(n, 2, b, x[0], det);
        memcpy(b, a, sizeof a);
        assert_int_equal(quick(n, b, x[1], det + 1), good);
        assert_int_equal(good, kind < 3);
        memcpy(b, a, sizeof a);
        if (n <= CTK_ORDERED) assert_int_equal(factor(n, b, f), good);
        if (!good) continue;
        double size = 1;
        for (int i = 0; i < 2 * n; i++) size = fmax(size, fabs(x[0][i]));
        for (int k = 0; k < 2 && n <= CTK_ORDERED; k++) { // one column after the other
            double y[MOST];
            for (int i = 0; i < n; i++) y[i] = x[2][2 * i + k];
            again(n, f, y);
            for (int i = 0; i < n; i++) assert_near(y[i], x[0][2 * i + k], 1e-11 * size * size);
        }
        for (int i = 0; i < 2 * n; i++) assert_near(x[1][i], x[0][i], 1e-11 * size * size);
        assert_near(det[0], det[1], 1e-12 * fmax(1, fabs(det[0])));
    }
}

static void turns(void **state) {
    (void)state;
    static const double by[] = {0, 1e-12, -1e-6, 1e-3, -0.0149, 0.0151, 0.3, -2, 1e3};
    for (int i = 0; i < 9; i++)
        for (double angle = -4; angle < 4; angle += 0.37) {
            double s = sin(angle), c = cos(angle);
            ctk_turn(by[i], angle + by[i], &s, &c);
            assert_near(s, sin(angle + by[i]), 3e-16);
            assert_near(c, cos(angle + by[i]), 3e-16);
        }
}

// cos(y) = a from a start; returns the state, and how many times the equation was looked at.
static int arc_cosine(double a, double *y, double *bend, int *looks) {
    static const int angle[] = {1};
    ctk_iteration it = {.bend = *bend, .unit = 1};
    double sine = sin(*y), cosine = cos(*y);
    int state;
    *looks = 0;
    do {
        double matrix = -sine, residual = cosine - a;
        state = ctk_newton_step(&it, 1, angle, &matrix, &residual, y, &sine, &cosine);
        ++*looks;
    } while (state > 0);
    if (state == 0) {
        assert_near(sine, sin(*y), 1e-15);
        assert_near(cosine, cos(*y), 1e-15);
    }
    *bend = it.bend;
    return state;
}

static void one_correction(void **state) {
    (void)state;
    double bend = 0, y = 1.001;
    int looks;
    // how far it bends is not known: seen from two corrections, 1 / (2 tan y)
    assert_int_equal(arc_cosine(cos(1), &y, &bend, &looks), 0);
    assert_true(looks >= 2);
    assert_near(y, 1, 1e-14);
    assert_near(bend, 0.5 / tan(1), 0.01);
    // from then on one is enough where its square is nothing
    double before = bend;
    y = 1 + 2e-8;
    assert_int_equal(arc_cosine(cos(1), &y, &bend, &looks), 0);
    assert_int_equal(looks, 1);
    assert_near(y, 1, 1e-14);
    assert_true(bend > before);
    // and not where it is something
    y = 1 + 1e-6;
    assert_int_equal(arc_cosine(cos(1), &y, &bend, &looks), 0);
    assert_int_equal(looks, 2);
    assert_near(y, 1, 1e-14);
    // what was seen long ago is looked at again
    int most = 0;
    for (int i = 0; i < 200; i++) {
        y = 1 + 2e-8;
        assert_int_equal(arc_cosine(cos(1), &y, &bend, &looks), 0);
        assert_near(y, 1, 1e-14);
        most = looks > most ? looks : most;
    }
    assert_int_equal(most, 2);
}

// Along a motion the result is exact, with a correction for each state and a few more.
static void along_a_motion(void **state) {
    (void)state;
    double bend = 0, y = 1, y1 = 1, y2 = 1;
    int total = 0;
    for (int i = 0; i < 1000; i++) {
        double want = 1 + 0.3 * sin(1e-3 * i), now = y;
        int looks;
        y = now + 2 * (now - y1) - (y1 - y2);
        y2 = y1;
        y1 = now;
        assert_int_equal(arc_cosine(cos(want), &y, &bend, &looks), 0);
        assert_near(y, want, 1e-13);
        total += looks;
    }
    assert_true(total < 1100);
}

// No solution, or one that is too far away to be sure of.
static void not_trusted(void **state) {
    (void)state;
    double bend = 0.5, y = 0.1;
    int looks;
    assert_int_equal(arc_cosine(1.2, &y, &bend, &looks), -1);
    y = 0;
    assert_int_equal(arc_cosine(0.5, &y, &bend, &looks), -1);
    y = 1;
    assert_int_equal(arc_cosine(NAN, &y, &bend, &looks), -1);
    assert_true(looks <= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminations),   cmocka_unit_test(quick_eliminations),
        cmocka_unit_test(turns),          cmocka_unit_test(one_correction),
        cmocka_unit_test(along_a_motion), cmocka_unit_test(not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
