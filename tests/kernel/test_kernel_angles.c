// Three angles that continue those before: along smooth rotations, near the lock and through it, in
// every sequence, they describe the same rotation as what they are found from, and never jump.
#include "harness.h"

#include "kernel/inline/ctk_angles.h"

static void turn(int axis, double angle, double r[9]) {
    double m[9] = {0}, x[9] = {0};
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    m[4 * axis] = 1;
    m[4 * j] = m[4 * k] = cos(angle);
    m[3 * k + j] = sin(angle);
    m[3 * j + k] = -sin(angle);
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 3; b++) x[a] += r[a / 3 * 3 + b] * m[3 * b + a % 3];
    memcpy(r, x, sizeof x);
}

static void rotation(const int *axis, const double *angle, double r[9]) {
    for (int a = 0; a < 9; a++) r[a] = a % 4 == 0;
    for (int i = 0; i < 3; i++) turn(axis[i], angle[i], r);
}

static double gap(const int *axis, const double *a, const double *b) {
    double x[9], y[9], most = 0;
    rotation(axis, a, x);
    rotation(axis, b, y);
    for (int i = 0; i < 9; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// From angles that move smoothly: given on any turn and as either solution, they come out again.
static void angles_come_back(void **state) {
    (void)state;
    static const int sequences[][3] = {{2, 1, 0}, {0, 1, 2}, {1, 2, 0}, {2, 0, 2}, {1, 0, 1}};
    const double turns = 6.28318530717958648, pi = turns / 2;
    uint64_t seed = 7;
    for (int s = 0; s < 5; s++)
        for (int run = 0; run < 40; run++) {
            const int *axis = sequences[s];
            bool proper = axis[0] == axis[2];
            int sign = (axis[1] - axis[0] + 3) % 3 == 1 ? 1 : -1;
            double a0[3], speed[3], last[3];
            for (int i = 0; i < 3; i++) a0[i] = 3 * noise(&seed), speed[i] = 2 * noise(&seed);
            if (run % 4 == 0)
                a0[1] = (proper ? 0 : pi / 2) - 100 * 1e-3 * speed[1]; // a row in lock
            memcpy(last, a0, sizeof last);
            for (int k = 1; k < 4000; k++) {
                double right[3], x[3];
                for (int i = 0; i < 3; i++) right[i] = a0[i] + 1e-3 * k * speed[i];
                // the solution with m > 0, between -pi and pi
                double m = proper ? sin(right[1]) : cos(right[1]);
                x[0] = right[0] + (m < 0 ? pi : 0);
                x[1] = m < 0 ? (proper ? -right[1] : pi - right[1]) : right[1];
                x[2] = right[2] + (m < 0 ? pi : 0);
                for (int i = 0; i < 3; i++) x[i] -= turns * floor(x[i] / turns + 0.5);
                double rate[3] = {speed[0], m < 0 ? -speed[1] : speed[1], speed[2]};
                int how = ctk_angles_continue(proper, sign, 1e-3, x, rate, last, speed);
                assert_near(gap(axis, x, right), 0, 1e-8);
                for (int i = 0; i < 3; i++) {
                    assert_near(x[i], right[i], 1e-8);
                    if (how != CTK_ANGLES_LOCKED) assert_near(rate[i], speed[i], 0);
                }
                memcpy(last, x, sizeof last);
            }
        }
}

// Past the lock at a distance: the first angle turns by half a turn, the second one turns back.
static void passing_by_turns_the_first_angle(void **state) {
    (void)state;
    for (int k = 2; k <= 6; k++) {
        const double miss = 3 * pow(10, -k), dt = k < 4 ? 1e-3 : 30 * miss;
        double last[3] = {0}, last_rate[3] = {0}, x[3], rate[3] = {0};
        for (double u = -0.5001; u < 0.5; u += dt) { // u' = (1, 0)
            double m = hypot(miss, u);
            x[0] = atan2(miss, u);
            x[1] = acos(m);
            x[2] = 0;
            rate[0] = -miss / (m * m);
            rate[1] = -u / m / sqrt(1 - m * m);
            if (u > -0.5)
                assert_int_equal(ctk_angles_continue(0, -1, dt, x, rate, last, last_rate), 0);
            memcpy(last, x, sizeof last);
            memcpy(last_rate, rate, sizeof last_rate);
        }
        assert_near(last[0], 0, 0.1);
    }
}

// Exactly in the lock zeros may have either sign: the angles are those of the rotation all the same.
static void zeros_have_signs(void **state) {
    (void)state;
    static const int sequences[][3] = {{2, 1, 0}, {0, 1, 2}, {2, 0, 2}, {1, 0, 1}};
    for (int s = 0; s < 4; s++)
        for (int signs = 0; signs < 4; signs++) {
            const int *axis = sequences[s], i = axis[0], j = axis[1], k = 3 - i - j;
            const bool proper = i == axis[2];
            const double in_lock[3] = {0.4, proper ? 0 : 1.57079632679489662, 0.9}, u[3] = {0};
            double m[9], r[3][3], angle[3], rate[3];
            rotation(axis, in_lock, m);
            for (int a = 0; a < 9; a++) r[a / 3][a % 3] = m[a];
            // what vanishes in the lock, exactly and with both signs
            const int column = proper ? i : k;
            r[j][column] = signs & 1 ? -0.0 : 0.0;
            r[k][column] = signs & 2 ? -0.0 : 0.0;
            ctk_angles_of(axis, r, u, angle, rate);
            assert_true(gap(axis, angle, in_lock) < 1e-14);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_come_back),
        cmocka_unit_test(zeros_have_signs),
        cmocka_unit_test(passing_by_turns_the_first_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
