// Canonical construction of sines and cosines: known angles, quarter turns, squares, sums of
// angles.
#include "unit.h"

#include "expr/random_expr.h"

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

// Multiples of pi/12 from -4 pi to 4 pi: those of pi/6 and pi/4 are free of sin and cos, all have
// one form and the right value.
static void known_angles(void **state) {
    (void)state;
    for (int k = -48; k <= 48; k++) {
        ct_ex a = ct_mul(pool, ct_rational(pool, k, 12), ct_pi(pool));
        ct_ex s = ct_sin(pool, a), c = ct_cos(pool, a);
        assert_true(fabs(ct_constant_value(pool, s) - sin(k * acos(-1) / 12)) < 1e-14);
        assert_true(fabs(ct_constant_value(pool, c) - cos(k * acos(-1) / 12)) < 1e-14);
        char *text = ct_print(pool, s, CT_STYLE_TEXT);
        bool free_of_trig = !strstr(text, "sin") && !strstr(text, "cos");
        assert_true(free_of_trig == (k % 2 == 0 || k % 3 == 0));
        ct_free(text);
        ct_ex rest = ct_sub(pool, ct_mul(pool, ct_rational(pool, 1, 2), ct_pi(pool)), a);
        assert_int_equal(c, ct_sin(pool, rest));
        assert_int_equal(s, ct_neg(pool, ct_sin(pool, ct_neg(pool, a))));
        ct_ex square = ct_add(pool, ct_mul(pool, s, s), ct_mul(pool, c, c));
        assert_int_equal(square, CT_ONE);
    }
    static const rx_pair same[] = {{"sin(pi/6)", "1/2"},          {"cos(pi/6)", "sqrt(3)/2"},
                                   {"sin(5*pi/4)", "-sqrt(2)/2"}, {"cos(2*pi/3)", "-1/2"},
                                   {"sin(1000001*pi)", "0"},      {"cos(1000001*pi)", "-1"},
                                   {"sin(4*pi/5)", "sin(pi/5)"},  {"sin(-pi/5)", "-sin(pi/5)"},
                                   {"cos(3*pi/10)", "sin(pi/5)"}, {"cos(pi/7)", "-cos(8*pi/7)"}};
    ONE_NODE(same);
}

static void quarter_turns(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"sin(x + pi/2)", "cos(x)"},
        {"sin(x + pi)", "-sin(x)"},
        {"sin(x - pi/2)", "-cos(x)"},
        {"cos(x + pi/2)", "-sin(x)"},
        {"cos(x + pi)", "-cos(x)"},
        {"cos(x - pi/2)", "sin(x)"},
        {"cos(x + 2*pi)", "cos(x)"},
        {"sin(pi/2 - x)", "cos(x)"},
        {"sin(pi - x)", "sin(x)"},
        {"cos(7*pi/2 + x)", "sin(x)"},
        {"cos(x - pi/3)", "cos(pi/3 - x)"},
        {"sin(x - pi/5)", "-sin(pi/5 - x)"},
        {"cos(x - pi/3)", "sin(x + pi/6)"},
        {"sin(x + 5*pi/6)", "cos(x + pi/3)"},
        {"sin(2*x - y + 3*pi)", "sin(y - 2*x)"},
        {"cos(-x - pi/8)", "cos(x + pi/8)"},
    };
    static const rx_pair apart[] = {{"sin(x + pi/3)", "cos(x + pi/3)"},
                                    {"sin(x + pi/3)", "sin(x - pi/3)"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

static void squares_of_sine_and_cosine(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"sin(x)^2 + cos(x)^2", "1"},
        {"cos(x)^2 - 1", "-sin(x)^2"},
        {"1 - cos(x)^2", "sin(x)^2"},
        {"1 - sin(x)^2", "cos(x)^2"},
        {"3*sin(x)^2 + 3*cos(x)^2", "3"},
        {"m*r^2*sin(x)^2 + m*r^2*cos(x)^2", "m*r^2"},
        {"m*r - m*r*sin(x)^2", "m*r*cos(x)^2"},
        {"m*r*cos(x)^2 - m*r", "-m*r*sin(x)^2"},
        {"sin(x)^3 + sin(x)*cos(x)^2", "sin(x)"},
        {"sin(x)^4 + 2*sin(x)^2*cos(x)^2 + cos(x)^4 - sin(x)^2*cos(x)^2", "sin(x)^2 + cos(x)^4"},
        {"sin(x + y)^2 + cos(y + x)^2 - 1", "0"},
        {"cos(x)^2*cos(y)^2 + sin(x)^2*cos(y)^2 + sin(y)^2", "1"},
        {"(sin(x)^2 + cos(x)^2 + y)/(y + 1)", "1"},
        {"z + m*sin(x)^2 + y + m*cos(x)^2", "m + y + z"},
        {"x^2 + cos(asin(x))^2", "1"},
    };
    static const rx_pair apart[] = {{"sin(x)^2 + cos(y)^2", "1"},
                                    {"sin(x)^2 - cos(x)^2", "1"},
                                    {"2*sin(x)^2 + cos(x)^2", "1"},
                                    {"m*sin(x)^2 + n*cos(x)^2", "m"},
                                    {"sin(x) + cos(x)", "1"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

static void sums_of_angles(void **state) {
    (void)state;
    static const rx_pair same[] = {
        {"cos(x)*cos(y) - sin(x)*sin(y)", "cos(x + y)"},
        {"cos(x)*cos(y) + sin(x)*sin(y)", "cos(x - y)"},
        {"sin(x)*cos(y) + cos(x)*sin(y)", "sin(x + y)"},
        {"sin(x)*cos(y) - cos(x)*sin(y)", "sin(x - y)"},
        {"sin(x)*sin(y) - cos(x)*cos(y)", "-cos(x + y)"},
        {"cos(x)*sin(y) - sin(x)*cos(y)", "sin(y - x)"},
        {"m*l*cos(x)*cos(y) - l*m*sin(y)*sin(x)", "m*l*cos(x + y)"},
        {"-2*x*sin(x)*cos(y) - 2*x*cos(x)*sin(y)", "-2*x*sin(x + y)"},
        {"cos(x + y)*cos(z) - sin(x + y)*sin(z)", "cos(x + y + z)"},
        {"sin(x + y)*cos(z) + cos(x + y)*sin(z)", "sin(x + y + z)"},
        {"cos(x + y)*cos(y) + sin(x + y)*sin(y)", "cos(x)"},
        {"cos(x)*cos(y)*cos(z) - sin(x)*sin(y)*cos(z) - sin(x)*cos(y)*sin(z) - "
         "cos(x)*sin(y)*sin(z)",
         "cos(x + y + z)"},
        {"w + cos(x)*cos(y) + v - sin(x)*sin(y)", "w + v + cos(x + y)"},
        {"cos(2*x)*cos(x) + sin(2*x)*sin(x)", "cos(x)"},
    };
    static const rx_pair apart[] = {{"cos(x)*cos(y) - 2*sin(x)*sin(y)", "cos(x + y)"},
                                    {"cos(x)*cos(y) - m*sin(x)*sin(y)", "cos(x + y)"},
                                    {"sin(x)*sin(y) + cos(x)*cos(y)", "cos(x + y)"}};
    ONE_NODE(same);
    TWO_NODES(apart);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(known_angles), TEST(quarter_turns),
                                       TEST(squares_of_sine_and_cosine), TEST(sums_of_angles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
