// Starts, closures and runs do not depend on the unit of length: mechanisms from micrometres to
// ten thousands of kilometres move alike, angle for angle and slide for slide. Masses stay; lengths
// and gravity grow with s, forces with s, inertias and torques with its square.
#include "harness.h"

#include <ctype.h>

#define HEAD "cotree: 1\nparameters: {s: 1, a: 1.2}\n"

static const char four_bar[] = HEAD
    "gravity: [0, -9.81*s, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.02*s^2, com: [0.1*s, 0, 0], points: {E: [0.3*s, 0, 0]}}\n"
    "  rod: {mass: 1, inertia: 0.05*s^2, com: [0.4*s, 0.05*s, 0], points: {E: [0.8*s, 0, 0]}}\n"
    "  rocker: {mass: 1, inertia: 0.03*s^2, com: [0.25*s, 0, 0], points: {E: [0.5*s, 0, 0]}}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"
    "  A: {type: revolute, between: [crank, rod], at: [E, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [rod, rocker], at: [E, E], axis: z}\n"
    "  C: {type: revolute, between: [ground, rocker], at: [[0.7*s, 0, 0], [0, 0, 0]], axis: z}\n"
    "forces:\n"
    "  k: {type: spring, between: [ground, rod.E], stiffness: 5, damping: 0.3, length: 0.6*s}\n"
    "initial: {O: [1, 4]}\n"
    "guess: {C: 1.5}\n";

static const char slider_crank[] = HEAD
    "gravity: [0, -9.81*s, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.02*s^2, com: [0.1*s, 0, 0], points: {A: [0.3*s, 0, 0]}}\n"
    "  rod: {mass: 1, inertia: 0.05*s^2, com: [0.4*s, 0, 0], points: {B: [0.8*s, 0, 0]}}\n"
    "  piston: {mass: 1, inertia: 0.01*s^2}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"
    "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [rod, piston], at: [B, [0, 0, 0]], axis: z}\n"
    "  X: {type: prismatic, between: [ground, piston], at: [[0, 0.05*s, 0], [0, 0, 0]], axis: x}\n"
    "forces:\n"
    "  push: {type: force, on: piston, vector: [3*s*sin(5*t), 0, 0]}\n"
    "initial: {O: [1, 6]}\n"
    "guess: {A: -1.3, X: s}\n";

static const char suspension[] =
    HEAD "gravity: [0, 0, -9.81*s]\n"
         "points:\n"
         "  T: [0.1*s, 0.3*s, 0.6*s]\n"
         "  A1: [0, 0, 0]\n"
         "  A2: [0.3*s, 0, 0]\n"
         "  A3: [0.05*s, 0, 0.25*s]\n"
         "  A4: [0.3*s, 0.02*s, 0.25*s]\n"
         "  A5: [-0.1*s, 0.05*s, 0.05*s]\n"
         "  B1: [0.1*s, 0.4*s, 0]\n"
         "  B3: [0.12*s, 0.38*s, 0.27*s]\n"
         "  B5: [-0.05*s, 0.41*s, 0.08*s]\n"
         "bodies:\n"
         "  hub: {mass: 2, inertia: [0.02*s^2, 0.02*s^2, 0.03*s^2], com: [0.1*s, 0.5*s, 0.1*s]}\n"
         "joints:\n"
         "  l1: {type: link, between: [ground, hub], at: [A1, B1]}\n"
         "  l2: {type: link, between: [ground, hub], at: [A2, B1]}\n"
         "  l3: {type: link, between: [ground, hub], at: [A3, B3]}\n"
         "  l4: {type: link, between: [ground, hub], at: [A4, B3]}\n"
         "  l5: {type: link, between: [ground, hub], at: [A5, B5]}\n"
         "  pose: {type: free, virtual: true, between: [ground, hub]}\n"
         "forces:\n"
         "  k: {type: spring, between: [ground.T, hub.com], stiffness: 200, damping: 3, length: "
         "0.4*s}\n";

static const char bennett[] =
    HEAD "gravity: [0, -3*s, -9.81*s]\n"
         "bodies:\n"
         "  a: {mass: 1, inertia: [0.02*s^2, 0.02*s^2, 0.03*s^2], com: [0.1*s, 0, 0]}\n"
         "  b: {mass: 1, inertia: [0.02*s^2, 0.02*s^2, 0.03*s^2], com: [0.1*s, 0, 0]}\n"
         "  c: {mass: 1, inertia: [0.02*s^2, 0.02*s^2, 0.03*s^2], com: [0.1*s, 0, 0]}\n"
         "joints:\n"
         "  j1: {type: revolute, between: [ground, a], axis: z}\n"
         "  j2: {type: revolute, between: [a, b], at: [[s, 0, 0], [0, 0, 0]], axis: z, orient: "
         "[[pi/6, 0, 0], [0, 0, 0]]}\n"
         "  j3: {type: revolute, between: [b, c], at: [[2*s, 0, 0], [0, 0, 0]], axis: z, orient: "
         "[[pi/2, 0, 0], [0, 0, 0]]}\n"
         "  j4: {type: revolute, between: [c, ground], at: [[s, 0, 0], [-2*s, 0, 0]], axis: z, "
         "orient: [[pi/6, 0, 0], [-pi/2, 0, 0]]}\n"
         "initial: {j1: [1.1, 0.6]}\n"
         "guess: {j2: 2, j3: -1, j4: -2}\n";

static const char platform[] =
    HEAD "points:\n"
         "  P1: [0.5*s, 0.1*s, 0]\n"
         "  P2: [-0.2*s, 0.5*s, 0]\n"
         "  P3: [-0.3*s, -0.45*s, 0]\n"
         "  Q1: [0.3*s, 0.2*s, 0.7*s]\n"
         "  Q2: [-0.3*s, 0.25*s, 0.7*s]\n"
         "  Q3: [0, -0.35*s, 0.7*s]\n"
         "bodies:\n"
         "  top: {mass: 5, inertia: [0.2*s^2, 0.2*s^2, 0.3*s^2], com: [0, 0, 0.75*s]}\n"
         "  f1: {mass: 1, inertia: [0.01*s^2, 0.01*s^2, 0.01*s^2], com: P1}\n"
         "  f2: {mass: 1, inertia: [0.01*s^2, 0.01*s^2, 0.01*s^2], com: Q1}\n"
         "joints:\n"
         "  u1: {type: universal, between: [ground, f1], at: P1, axes: [x, y]}\n"
         "  p1: {type: prismatic, between: [f1, f2], at: P1, axis: [P1, Q1]}\n"
         "  s1: {type: spherical, between: [f2, top], at: Q1}\n"
         "  l2: {type: link, between: [ground, top], at: [P2, Q1]}\n"
         "  l3: {type: link, between: [ground, top], at: [P2, Q2]}\n"
         "  l4: {type: link, between: [ground, top], at: [P3, Q2]}\n"
         "  l5: {type: link, between: [ground, top], at: [P3, Q3]}\n"
         "motions: {p1: 0.05*s*sin(3*t)}\n"
         "forces:\n"
         "  k: {type: spring, between: [ground.P1, top.com], stiffness: 100, damping: 10, length: "
         "0.75*s}\n";

// Powers of a slide, whose coefficients have different units, in a polynomial of degree 4.
static const char geared[] = HEAD
    "gravity: [1.6*s, -1.2*s, -2.6*s]\n"
    "bodies:\n"
    "  b1: {mass: 3.3, com: [-0.465*s, 0.019*s, 0.104*s], inertia: [0.23*s^2, 0.28*s^2, "
    "0.29*s^2]}\n"
    "  b2: {mass: 6, com: [-0.519*s, 0.339*s, 0.453*s], inertia: [1.53*s^2, 1.9*s^2, 1.33*s^2]}\n"
    "  b3: {mass: 1, com: [0.508*s, 0.61*s, -0.105*s], inertia: [0.29*s^2, 0.3*s^2, 0.26*s^2]}\n"
    "  b4: {mass: 1, com: [-0.133*s, 0.054*s, -0.002*s], inertia: [0.07*s^2, 0.06*s^2, 0.07*s^2]}\n"
    "joints:\n"
    "  j1: {type: cylindrical, between: [ground, b1], at: [[0.784*s, 0, 0.123*s], [0, 0, 0]], "
    "orient: [[-1.27, 0.51, 1.21], [1.81, 0.75, 1.87]], axis: x}\n"
    "  j2: {type: spherical, between: [b2, b1], at: [[-0.25*s, -0.07*s, 0.184*s], [0.516*s, "
    "0.738*s, -0.453*s]]}\n"
    "  j3: {type: revolute, between: [b2, b3], at: [[-0.428*s, 0.952*s, 0.152*s], [0.33*s, "
    "0.019*s, -0.135*s]], axis: [-0.12, -0.92, 0.37]}\n"
    "  j4: {type: revolute, between: [b3, b4], at: [[1.203*s, -0.174*s, -0.668*s], [0, 0, 0]], "
    "orient: [[0.23, -0.33, -1.57], [1.14, -0.43, 3]], axis: z}\n"
    "  j5: {type: revolute, between: [b4, ground], at: [[-0.902*s, 0.056*s, 0.632*s], [0.314*s, "
    "-0.834*s, -0.019*s]], orient: [[0, 0, 0], [-1.49, 0.53, -2.7]], axis: [0.87, -0.46, -0.15]}\n"
    "  j6: {type: constraint, equation: \"j3 + 2.72 - 0.5*j1.angle\"}\n"
    "guess: {j3: -2.72, j4: 0.05, j5: 1.11}\n";

// A third leg that is redundant at the start alone.
static const char opening[] =
    HEAD "gravity: [0, -9.81*s, 0]\n"
         "bodies:\n"
         "  b1: {mass: 1, inertia: 0.01*s^2, com: [0.2*s,0,0], points: {T: [0.4*s,0,0]}}\n"
         "  b2: {mass: 1, inertia: 0.01*s^2, com: [0.2*s,0,0], points: {T: [0.4*s,0,0]}}\n"
         "  b3: {mass: 1, inertia: 0.01*s^2, com: [0.2*s,0,0], points: {T: [0.3*s,0,0]}}\n"
         "  top: {mass: 2, inertia: 0.1*s^2, points: {A: [-0.5*s,0,0], M: [0.1*s,0,0], B: "
         "[0.5*s,0,0]}}\n"
         "joints:\n"
         "  f1: {type: revolute, between: [ground, b1], at: [[-0.5*s,0,0],[0,0,0]], axis: z}\n"
         "  f2: {type: revolute, between: [ground, b2], at: [[0.5*s,0,0],[0,0,0]], axis: z}\n"
         "  f3: {type: revolute, between: [ground, b3], at: "
         "[[0.1*s+0.1*s*cos(a),0.1*s*sin(a),0],[0,0,0]], axis: z}\n"
         "  h1: {type: revolute, between: [b1, top], at: [T, A], axis: z}\n"
         "  h2: {type: revolute, between: [b2, top], at: [T, B], axis: z}\n"
         "  h3: {type: revolute, between: [b3, top], at: [T, M], axis: z}\n"
         "initial: {f1: [a, 0.5]}\n"
         "guess: {f2: a, f3: a, h1: -a, h2: -a, h3: -a}\n"
         "outputs: {gap: \"distance(b3.T, top.M)/s\"}\n";

static mech of_size(const char *text, const char *size) {
    char *set = ct_format("s=%s", size);
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, "size.yaml", text, strlen(text), 1,
                                  (const char *const[]){set}, &k.model);
    mech_continue(&k, NULL);
    ct_free(set);
    return k;
}

// The largest difference of a coordinate or rate in the last row: angles in radians, slides in s.
static double distance_of(const mech *k, const table *have, const table *want, double s) {
    double worst = 0;
    for (int i = 0; i < k->model->n_coordinates; i++) {
        const ct_coordinate *q = k->model->coordinates + i;
        char *rate = ct_format("%s'", q->name);
        const char *columns[] = {q->name, rate};
        for (int c = 0; c < 2; c++) {
            double unit = q->is_angle ? 1 : s;
            worst = fmax(worst,
                         fabs(table_last(have, columns[c]) / unit - table_last(want, columns[c])));
        }
        ct_free(rate);
    }
    return worst;
}

static const char *const sizes[] = {"1e-6", "1e-3", "1e3", "3e4", "1e7"};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void motions(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        double time;
    } list[] = {
        {"four-bar", four_bar, 0.5},     {"slider-crank", slider_crank, 0.5},
        {"suspension", suspension, 0.3}, {"bennett", bennett, 0.3},
        {"platform", platform, 0.2},     {"geared", geared, 0.2},
    };
    // the default everywhere, partition and augmented at both ends, newton-loops in long tests
    static const char *const methods[] = {NULL, "partition", "augmented", "newton-loops"};
    int failures = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int m = 0; m < (soaking() ? 4 : 3); m++) {
            run_settings w = {.method = methods[m], .time = list[i].time, .step = 1e-3};
            mech one = of_size(list[i].text, "1");
            assert_made(&one);
            table want = run_mech(&one, &w, NULL);
            for (int k = 0; k < SIZES; k += m && !soaking() ? SIZES - 1 : 1) {
                mech other = of_size(list[i].text, sizes[k]);
                table have = {0};
                ct_status status = other.status ? other.status : run_rows(&other, &w, &have, NULL);
                double off = status ? INFINITY : distance_of(&other, &have, &want, atof(sizes[k]));
                if (!(off < 1e-9)) {
                    print_error("%s, %s of size %s: status %d, off by %.1e\n", list[i].name,
                                methods[m] ? methods[m] : "default", sizes[k], status, off);
                    print_messages(other.ctx);
                    failures++;
                }
                table_clear(&have);
                mech_clear(&other);
            }
            table_clear(&want);
            mech_clear(&one);
        }
    assert_int_equal(failures, 0);
}

// Closed forms are the same steps, of the same degrees, and as exact.
static void closed_forms(void **state) {
    (void)state;
    static const char *const texts[] = {four_bar, slider_crank, suspension, platform, geared};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ct_close_info *want = NULL;
        mech one = of_size(texts[i], "1");
        assert_made(&one);
        assert_int_equal(ct_close_describe(one.ctx, one.s, 0, NULL, &want), CT_OK);
        for (int k = 0; k < SIZES; k++) {
            ct_close_info *have = NULL;
            mech other = of_size(texts[i], sizes[k]);
            assert_made(&other);
            assert_int_equal(ct_close_describe(other.ctx, other.s, 0, NULL, &have), CT_OK);
            assert_int_equal(have->n_steps, want->n_steps);
            for (int j = 0; j < want->n_steps; j++)
                assert_int_equal(have->steps[j].degree, want->steps[j].degree);
            ct_close_info_free(have);
            mech_clear(&other);
        }
        ct_close_info_free(want);
        mech_clear(&one);
    }
}

static bool in_a_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// The text with a number for every s.
static char *written_out(const char *text, const char *size) {
    ct_text out = {0};
    for (const char *c = text + strlen(HEAD); *c; c++)
        if (*c == 's' && !in_a_name(c[-1]) && !in_a_name(c[1]))
            ct_text_printf(&out, "%s", size);
        else
            ct_text_printf(&out, "%c", *c);
    char *whole = ct_format("cotree: 1\n%s", out.s);
    ct_text_clear(&out);
    return whole;
}

// Numbers in the text instead of a parameter: nothing is left out because it is small beside 1.
static void numbers(void **state) {
    (void)state;
    static const char *const texts[] = {four_bar, slider_crank};
    for (int i = 0; i < 4; i++) {
        run_settings w = {.method = i % 2 ? "partition" : NULL, .time = 0.5, .step = 1e-3};
        mech one = of_size(texts[i / 2], "1");
        assert_made(&one);
        table want = run_mech(&one, &w, NULL), have;
        char *text = written_out(texts[i / 2], "1e-6");
        mech other = mech_text("numbers", text, NULL);
        assert_made(&other);
        assert_int_equal(run_rows(&other, &w, &have, NULL), CT_OK);
        assert_true(distance_of(&other, &have, &want, 1e-6) < 1e-9);
        table_clear(&have);
        table_clear(&want);
        mech_clear(&other);
        mech_clear(&one);
        ct_free(text);
    }
}

// A redundant joint that opens ends the run, whatever the size and the method.
static void redundant_joint(void **state) {
    (void)state;
    static const char *const methods[] = {NULL, "partition", "augmented", "baumgarte", "penalty"};
    int failures = 0;
    for (int k = 0; k < SIZES; k++)
        for (int m = 0; m < (k == 0 || soaking() ? 5 : 1); m++) {
            mech one = of_size(opening, sizes[k]);
            assert_made(&one);
            run_settings w = {.method = methods[m], .time = 0.1, .step = 1e-3};
            table rows = {0};
            ct_status status = run_rows(&one, &w, &rows, NULL);
            bool good = status == CT_NUMERICS && has_message(one.ctx, "constraint 'h3' opened") &&
                        rows.n > 3 && rows.n < 15;
            if (!good) {
                print_error("size %s, method %d: status %d, %d rows\n", sizes[k], m, status,
                            rows.n);
                print_messages(one.ctx);
            }
            failures += !good;
            table_clear(&rows);
            mech_clear(&one);
        }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(numbers),
        cmocka_unit_test(redundant_joint),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
