// Splines: they interpolate, have two continuous derivatives, natural or periodic ends, and their
// nodes differentiate like functions.
#include "unit.h"

#include "expr/random_expr.h"

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static bool near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

// Random points with unequal steps; a periodic table ends where it began.
static int random_table(rx_world *random, int n, bool periodic, double *x, double *y) {
    x[0] = rx_real(random, -3, 3);
    for (int i = 0; i < n; i++) {
        if (i) x[i] = x[i - 1] + rx_real(random, 0.1, 2);
        y[i] = rx_real(random, -5, 5);
    }
    if (periodic) y[n - 1] = y[0];
    return ct_table_define(pool, "f", n, x, y, periodic);
}

static void check_knots(int f, int n, const double *x, const double *y) {
    double h = 1e-9;
    for (int i = 0; i < n; i++) assert_true(near(ct_table_value(pool, f, 0, x[i]), y[i], 1e-12));
    for (int i = 1; i + 1 < n; i++)
        for (int order = 0; order < 3; order++)
            assert_true(near(ct_table_value(pool, f, order, x[i] - h),
                             ct_table_value(pool, f, order, x[i] + h), 1e-5));
}

// order k + 1 is the derivative of order k, away from the knots
static void check_orders(int f, double x) {
    double h = 1e-6;
    for (int order = 0; order < 3; order++) {
        double slope =
            (ct_table_value(pool, f, order, x + h) - ct_table_value(pool, f, order, x - h)) /
            (2 * h);
        assert_true(near(ct_table_value(pool, f, order + 1, x), slope, 1e-6));
    }
}

static void natural_splines(void **state) {
    (void)state;
    rx_world random = {.state = 11};
    for (int n = 2; n < 20; n++) {
        double x[20], y[20];
        int f = random_table(&random, n, false, x, y);
        check_knots(f, n, x, y);
        for (int i = 0; i + 1 < n; i++) check_orders(f, 0.4 * x[i] + 0.6 * x[i + 1]);
        // no curvature at the ends
        assert_true(fabs(ct_table_value(pool, f, 2, x[0])) < 1e-9);
        assert_true(fabs(ct_table_value(pool, f, 2, x[n - 1] - 1e-12)) < 1e-6);
        // constant beyond them
        assert_true(ct_table_value(pool, f, 0, x[0] - 1) == y[0] &&
                    ct_table_value(pool, f, 0, x[n - 1] + 7) == y[n - 1]);
        for (int order = 1; order <= 3; order++)
            assert_true(ct_table_value(pool, f, order, x[0] - 1) == 0 &&
                        ct_table_value(pool, f, order, x[n - 1] + 1e-9) == 0);
    }
}

static void periodic_splines(void **state) {
    (void)state;
    rx_world random = {.state = 12};
    for (int n = 3; n < 20; n++) {
        double x[20], y[20];
        int f = random_table(&random, n, true, x, y);
        double period = x[n - 1] - x[0];
        check_knots(f, n, x, y);
        for (int order = 0; order < 3; order++) { // across the seam
            double left = ct_table_value(pool, f, order, x[n - 1] - 1e-9),
                   right = ct_table_value(pool, f, order, x[0] + 1e-9);
            assert_true(near(left, right, 1e-5));
        }
        for (int k = -3; k <= 3; k++) {
            double u = rx_real(&random, x[0], x[n - 1]);
            assert_true(near(ct_table_value(pool, f, 0, u + k * period),
                             ct_table_value(pool, f, 0, u), 1e-9));
        }
        for (int i = 0; i + 1 < n; i++) check_orders(f, 0.3 * x[i] + 0.7 * x[i + 1] + 5 * period);
    }
}

// A natural spline through a line is the line; a periodic one through a sine is close to it.
static void known_functions(void **state) {
    (void)state;
    double x[41], y[41];
    for (int i = 0; i < 41; i++) x[i] = i * i * 0.01, y[i] = 3 - 2 * x[i];
    int line = ct_table_define(pool, "line", 41, x, y, false);
    for (double u = 0; u < 16; u += 0.37) {
        assert_true(near(ct_table_value(pool, line, 0, u), 3 - 2 * u, 1e-12));
        assert_true(near(ct_table_value(pool, line, 1, u), -2, 1e-12));
    }
    for (int i = 0; i < 41; i++) x[i] = i * acos(-1) / 20, y[i] = sin(x[i]);
    y[40] = 0;
    int wave = ct_table_define(pool, "wave", 41, x, y, true);
    for (double u = -9; u < 9; u += 0.37) {
        assert_true(fabs(ct_table_value(pool, wave, 0, u) - sin(u)) < 1e-5);
        assert_true(fabs(ct_table_value(pool, wave, 1, u) - cos(u)) < 1e-4);
        assert_true(fabs(ct_table_value(pool, wave, 2, u) + sin(u)) < 5e-3);
    }
    double one_x = 2, one_y = 5;
    int single = ct_table_define(pool, "single", 1, &one_x, &one_y, false);
    assert_true(ct_table_value(pool, single, 0, -9) == 5 &&
                ct_table_value(pool, single, 0, 2) == 5);
    assert_true(ct_table_value(pool, single, 1, 2) == 0);
    assert_int_equal(ct_table_count(pool), 3);
    ct_spline s = ct_table_get(pool, wave);
    assert_string_equal(s.name, "wave");
    assert_true(s.n == 41 && s.periodic && s.x[40] == x[40] && s.a[4 * 5] == y[5]);
}

static double give(void *data, ct_ex symbol) {
    (void)symbol;
    return *(double *)data;
}

static void nodes_of_tables(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 4}, y[] = {1, 3, 2, 5}, at = 0.7;
    int f = ct_table_define(pool, "cam", 4, x, y, false),
        g = ct_table_define(pool, "other", 4, y, x, false), order;
    ct_ex u = rx_ex(pool, "u"), v = rx_ex(pool, "v"),
          node = ct_table(pool, f, 0, ct_power_int(pool, u, 2));
    assert_int_equal(ct_ex_op(pool, node), CT_OP_TABLE);
    assert_int_equal(ct_table_of(pool, node, &order), f);
    assert_int_equal(order, 0);
    assert_int_equal(ct_child_count(pool, node), 1);
    assert_int_not_equal(ct_table(pool, g, 0, u), ct_table(pool, f, 0, u));
    assert_true(ct_eval(pool, node, give, &at) == ct_table_value(pool, f, 0, at * at));
    // chain rule, up to the fourth derivative, which is zero
    ct_ex d = ct_diff(pool, node, u);
    assert_int_equal(d, ct_product(pool, 3,
                                   (ct_ex[]){ct_int(pool, 2), u,
                                             ct_table(pool, f, 1, ct_power_int(pool, u, 2))}));
    ct_ex deep = ct_table(pool, f, 0, u);
    for (int k = 1; k <= 3; k++) {
        deep = ct_diff(pool, deep, u);
        assert_int_equal(deep, ct_table(pool, f, k, u));
        assert_true(ct_eval(pool, deep, give, &at) == ct_table_value(pool, f, k, at));
    }
    assert_int_equal(ct_diff(pool, deep, u), CT_ZERO);
    assert_int_equal(ct_diff(pool, node, v), CT_ZERO);
    ct_substitution *s = ct_substitution_new(pool);
    ct_substitution_map(s, u, v);
    assert_int_equal(ct_substitute(s, ct_table(pool, f, 2, u)), ct_table(pool, f, 2, v));
    ct_substitution_free(s);
    assert_true(ct_count_shared(pool, 1, &node).func == 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(natural_splines), TEST(periodic_splines),
                                       TEST(known_functions), TEST(nodes_of_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
