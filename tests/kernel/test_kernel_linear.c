// Elimination routines of the kernel against LAPACK and against their own residuals.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <lapacke.h>
#include <stdlib.h>

#include "kernel/ctk_internal.h"

enum { LARGEST = 12, TRIALS = 200 };

static double uniform(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

static void fill(int count, double *a) {
    for (int i = 0; i < count; i++) a[i] = uniform();
}

static void test_lu(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int n = 1 + trial % LARGEST, columns = 1 + trial % 3, pivot[LARGEST], ipiv[LARGEST];
        double a[LARGEST * LARGEST], lu[LARGEST * LARGEST], ref[LARGEST * LARGEST];
        double b[LARGEST * 3], x[LARGEST * 3];
        ctk_rank rank;
        fill(n * n, a);
        fill(n * columns, b);
        memcpy(lu, a, sizeof a);
        memcpy(ref, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_true(ctk_lu_factor(n, lu, pivot, 1e-14, &rank));
        ctk_lu_solve(n, lu, pivot, columns, x);
        assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, columns, ref, n, ipiv, b, columns), 0);
        double size = ctk_norm(n * columns, b), smallest = DBL_MAX;
        for (int i = 0; i < n * columns; i++) assert_true(fabs(x[i] - b[i]) <= 1e-9 * size);
        int sign = 1;
        for (int i = 0; i < n; i++) {
            if (ipiv[i] != i + 1) sign = -sign;
            if (ref[i * n + i] < 0) sign = -sign;
            smallest = fmin(smallest, fabs(ref[i * n + i]));
        }
        assert_int_equal(rank.sign, sign);
        assert_true(fabs(rank.smallest - smallest) <= 1e-9);
    }
}

static void test_lu_names_the_lost_row(void **state) {
    (void)state;
    // row 1 = row 0 + row 2: whatever the exchanges, one of the three is named; row 3 is regular
    double a[16] = {1, 2, 3, 0, 5, 7, 9, 0, 4, 5, 6, 0, 0, 0, 0, 1};
    int pivot[4];
    ctk_rank rank;
    assert_false(ctk_lu_factor(4, a, pivot, 1e-12, &rank));
    assert_in_range(rank.row, 0, 2);
    double nan_matrix[4] = {NAN, 1, 1, NAN};
    assert_false(ctk_lu_factor(2, nan_matrix, pivot, 1e-12, &rank));
    double zero[1] = {0};
    assert_false(ctk_lu_factor(1, zero, pivot, 1e-12, &rank));
    assert_int_equal(rank.row, 0);
    assert_true(ctk_lu_factor(0, NULL, NULL, 1e-12, &rank));
}

static void test_ldl(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int n = 1 + trial % LARGEST;
        double g[LARGEST * LARGEST], a[LARGEST * LARGEST], f[LARGEST * LARGEST], b[LARGEST],
            x[LARGEST];
        fill(n * n, g);
        fill(n, b);
        for (int i = 0; i < n; i++) // G G^T + 0.1
            for (int j = 0; j < n; j++) {
                a[i * n + j] = i == j ? 0.1 : 0;
                for (int k = 0; k < n; k++) a[i * n + j] += g[i * n + k] * g[j * n + k];
            }
        memcpy(f, a, sizeof a);
        memcpy(x, b, sizeof b);
        assert_int_equal(ctk_ldl_factor(n, f), -1);
        ctk_ldl_solve(n, f, x);
        assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, a, n, b, 1), 0);
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - b[i]) <= 1e-10 * (1 + ctk_norm(n, b)));
    }
    double semidefinite[9] = {2, 0, 0, 2, 2, 0, 1, 1, 3}, indefinite[4] = {1, 0, 2, 1},
           zero[1] = {0};
    double not_a_number[1] = {NAN};
    assert_int_equal(ctk_ldl_factor(3, semidefinite), 1);
    assert_int_equal(ctk_ldl_factor(2, indefinite), 1);
    assert_int_equal(ctk_ldl_factor(1, zero), 0);
    assert_int_equal(ctk_ldl_factor(1, not_a_number), 0);
}

static double smallest_singular_value(int m, int n, const double *a, const int *columns) {
    double square[LARGEST * LARGEST], values[LARGEST], rest[LARGEST];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) square[i * m + j] = a[i * n + columns[j]];
    assert_int_equal(
        LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, m, square, m, values, NULL, m, NULL, m, rest),
        0);
    return values[m - 1];
}

// The chosen columns are nearly as independent as the rows themselves are.
static void test_pivot_columns(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int m = 1 + trial % 5, n = m + trial % 4, columns[LARGEST], rows[LARGEST],
            seen[LARGEST] = {0};
        double a[LARGEST * LARGEST], work[LARGEST * LARGEST], whole[LARGEST * LARGEST];
        double values[LARGEST], rest[LARGEST];
        fill(m * n, a);
        memcpy(work, a, sizeof a);
        memcpy(whole, a, sizeof a);
        ctk_rank rank = ctk_pivot_columns(m, n, m, work, columns, rows);
        assert_true(rank.smallest > 0);
        for (int j = 0; j < n; j++) assert_int_equal(seen[columns[j]]++, 0);
        LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, whole, n, values, NULL, m, NULL, n, rest);
        assert_true(smallest_singular_value(m, n, a, columns) >= 0.1 * values[m - 1]);
    }
    double dependent[6] = {1, 2, 3, 2, 4, 6};
    int columns[3], rows[2];
    assert_true(ctk_pivot_columns(2, 3, 2, dependent, columns, rows).smallest == 0);
}

// Of more rows than their rank the chosen ones are independent, and one more is not.
static void test_pivot_rows(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int rank = 1 + trial % 4, m = rank + 1 + trial % 3, n = rank + trial % 3;
        int columns[LARGEST], rows[LARGEST];
        double left[LARGEST * LARGEST], right[LARGEST * LARGEST], a[LARGEST * LARGEST],
            work[LARGEST * LARGEST], chosen[LARGEST * LARGEST];
        fill(m * rank, left);
        fill(rank * n, right);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                a[i * n + j] = 0;
                for (int k = 0; k < rank; k++)
                    a[i * n + j] += left[i * rank + k] * right[k * n + j];
            }
        memcpy(work, a, sizeof a);
        ctk_rank found = ctk_pivot_columns(m, n, rank, work, columns, rows);
        assert_true(found.smallest > 0);
        for (int i = 0; i < rank; i++)
            memcpy(chosen + (size_t)i * (size_t)n, a + (size_t)rows[i] * (size_t)n,
                   (size_t)n * sizeof *a);
        assert_true(smallest_singular_value(rank, n, chosen, columns) > 0.05 * found.smallest);
        memcpy(work, a, sizeof a);
        if (n > rank)
            assert_true(ctk_pivot_columns(m, n, rank + 1, work, columns, rows).smallest == 0);
    }
}

// From a direction near the right one, a step finds the smallest singular value; never less.
static void test_smallest_singular_value(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        int n = 1 + trial % LARGEST, pivot[LARGEST], all[LARGEST];
        double a[LARGEST * LARGEST], lu[LARGEST * LARGEST], v[LARGEST], w[LARGEST], found = 0;
        ctk_rank rank;
        fill(n * n, a);
        fill(n, v);
        memcpy(lu, a, sizeof a);
        for (int i = 0; i < n; i++) all[i] = i;
        double want = smallest_singular_value(n, n, a, all);
        assert_true(ctk_lu_factor(n, lu, pivot, 1e-14, &rank));
        for (int k = 0; k < 40; k++) {
            found = ctk_lu_smallest(n, lu, pivot, v, w);
            assert_true(found >= want * (1 - 1e-6));
        }
        assert_true(found <= want * 1.05);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu),         cmocka_unit_test(test_lu_names_the_lost_row),
        cmocka_unit_test(test_ldl),        cmocka_unit_test(test_pivot_columns),
        cmocka_unit_test(test_pivot_rows), cmocka_unit_test(test_smallest_singular_value),
    };
    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
