// Newton's matrix along its pattern: random patterns against LAPACK, and matrices whose diagonal is no
// pivot. Sines and cosines of constant time against those of a longer arithmetic.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <lapacke.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel/ctk_internal.h"
#include "kernel/inline/ctk_steady.h"
#include "numeric/elimination_order.h"

enum { LARGEST = 20, TRIALS = 400 };

static double uniform(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

// A model with nothing but the lists of a random pattern, and room for a factorisation.
typedef struct sample {
    ctk_model model;
    ctk_sim sim;
    bool given[LARGEST * LARGEST], filled[LARGEST * LARGEST];
    int order[LARGEST], first[LARGEST + 1], after[LARGEST * LARGEST], pivot[LARGEST];
    double matrix[LARGEST * LARGEST], slope[LARGEST * LARGEST], scale[LARGEST], right[LARGEST];
} sample;

static void draw_pattern(sample *s, int n, int per_cent) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            s->given[i * n + j] = s->given[j * n + i] = i == j || rand() % 100 < per_cent;
    memcpy(s->filled, s->given, sizeof s->given);
    ct_elimination_order(n, s->filled, s->order);
    int count = 0;
    for (int i = 0; i < n; i++) {
        s->first[i] = count;
        for (int j = i + 1; j < n; j++)
            if (s->filled[s->order[i] * n + s->order[j]]) s->after[count++] = s->order[j];
    }
    s->first[n] = count;
    s->model = (ctk_model){
        .n = n, .newton_order = s->order, .newton_first = s->first, .newton_after = s->after};
    s->sim.model = &s->model;
    ctk_implicit_space *x = &s->sim.space.implicit;
    x->matrix = s->matrix;
    x->slope = s->slope;
    x->scale = s->scale;
    x->right = s->right;
    x->pivot = s->pivot;
}

// The largest difference of x to LAPACK's solution of A x = b, relative.
static double error_of_solution(const sample *s, const double *a, const double *b, double *x) {
    const int n = s->model.n;
    double ref[LARGEST * LARGEST], want[LARGEST], worst = 0;
    int ipiv[LARGEST];
    memcpy(ref, a, sizeof ref);
    memcpy(want, b, sizeof want);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, ref, n, ipiv, want, 1), 0);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - want[i]));
    return worst / ctk_norm(n, want);
}

// weak: the part of the diagonal that holds matrices together; without it they are indefinite.
static int solve_random(double weak, double tolerance) {
    int dense = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        static sample s;
        const int n = 1 + trial % LARGEST;
        draw_pattern(&s, n, 5 + trial % 60);
        double a[LARGEST * LARGEST] = {0}, b[LARGEST], x[LARGEST], y[LARGEST];
        for (int i = 0; i < n * n; i++)
            if (s.given[i]) a[i] = uniform();
        for (int i = 0; i < n; i++) {
            a[i * n + i] = weak * (n + uniform());
            b[i] = uniform();
        }
        // numbers outside of the pattern are not looked at
        for (int i = 0; i < n * n; i++) s.matrix[i] = s.filled[i] ? a[i] : NAN;
        memcpy(x, b, sizeof x);
        assert_int_equal(ctk_newton_factor(&s.sim), CTK_OK);
        ctk_newton_back(&s.sim, x);
        assert_true(error_of_solution(&s, a, b, x) < tolerance);
        ctk_newton_product(&s.model, a, x, y);
        for (int i = 0; i < n; i++) assert_true(fabs(y[i] - b[i]) < tolerance);
        dense += s.sim.space.implicit.is_dense;
    }
    return dense;
}

static void test_patterns(void **state) {
    (void)state;
    srand(1);
    assert_int_equal(solve_random(1, 1e-12), 0);
    // without a diagonal the entries grow: a dense elimination with row exchanges helps
    assert_true(solve_random(1e-9, 1e-6) > TRIALS / 2);
}

static void test_singular(void **state) {
    (void)state;
    static sample s;
    draw_pattern(&s, 3, 100);
    const double a[9] = {1, 2, 3, 2, 4, 6, 3, 6, 1};
    memcpy(s.matrix, a, sizeof a);
    assert_int_equal(ctk_newton_factor(&s.sim), CTK_SINGULAR_MASS);
    s.matrix[0] = NAN;
    assert_int_equal(ctk_newton_factor(&s.sim), CTK_NOT_FINITE);
}

// An arrow is eliminated from its points: nothing is filled in.
static void test_order(void **state) {
    (void)state;
    enum { N = 9 };
    bool pattern[N * N] = {0};
    int order[N], count = 0;
    for (int i = 0; i < N; i++) pattern[i * N + i] = pattern[i] = pattern[i * N] = true;
    ct_elimination_order(N, pattern, order);
    for (int i = 0; i < N * N; i++) count += pattern[i];
    assert_int_equal(count, 3 * N - 2);
    assert_true(order[N - 1] == 0 || order[N - 2] == 0);
}

// sines and cosines ---------------------------------------------------------------------------------
// Of the unit of the last place of the exact value.
static double off(double have, long double want) {
    const double size = fabs((double)want);
    return (double)fabsl((long double)have - want) / (nextafter(size, INFINITY) - size);
}

static void test_steady_turns(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) skip();
    srand(2);
    for (int i = 0; i < 300000; i++) {
        // of all sizes, and next to multiples of a quarter turn
        double x = uniform() * exp(14 * uniform());
        if (i % 2) x = (rand() % 600000) * 1.5707963267948966 * (1 + 1e-15 * (rand() % 9 - 4));
        if (fabs(x) >= CTK_STEADY_LARGEST) continue;
        if (!(off(ctk_sin(x), sinl(x)) < 1 && off(ctk_cos(x), cosl(x)) < 1))
            fail_msg("at %.17g", x);
    }
    // beyond, and what is no number
    const double rest[] = {CTK_STEADY_LARGEST, -3e9, 1e300};
    for (int i = 0; i < 3; i++) {
        assert_true(ctk_sin(rest[i]) == sin(rest[i]));
        assert_true(ctk_cos(rest[i]) == cos(rest[i]));
    }
    assert_true(isnan(ctk_sin(INFINITY)) && isnan(ctk_cos(NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_steady_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
