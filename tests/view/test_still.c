// Stills: the drawing shows the mechanism to scale, in its plane or in projection, and is a valid
// file whatever the names are.
#include "unit.h"

#include "cotree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(function) cmocka_unit_test(function)

typedef struct drawn {
    ct_context *ctx;
    ct_model *model;
    ct_system *system;
    ct_view *view;
    char *svg;
} drawn;

static void draw(drawn *d, const char *text) {
    ct_view_info info;
    ct_initial_info at;
    d->ctx = ct_context_new();
    assert_int_equal(
        ct_model_read_text(d->ctx, "still.yaml", text, strlen(text), 0, NULL, &d->model), CT_OK);
    assert_int_equal(ct_formulate(d->ctx, d->model, NULL, &d->system), CT_OK);
    assert_int_equal(ct_initial(d->ctx, d->system, &at), CT_OK);
    assert_int_equal(
        ct_view_new(d->ctx, d->model, CT_VIEW_CONFIGURATIONS, at.n, at.names, &d->view), CT_OK);
    assert_int_equal(ct_view_row(d->view, at.n, at.values), 0);
    assert_int_equal(ct_view_still(d->ctx, d->view, 0, &d->svg, &info), CT_OK);
    assert_int_equal(info.bytes, strlen(d->svg));
    assert_null(strstr(d->svg, "nan"));
    assert_null(strstr(d->svg, "inf"));
}

static void drawn_clear(drawn *d) {
    ct_string_free(d->svg);
    ct_view_free(d->view);
    ct_system_free(d->system);
    ct_model_free(d->model);
    ct_context_free(d->ctx);
}

// Centres of the circles with a class, in the order of the file.
static int circles(const char *svg, const char *class, double (*at)[2], int max) {
    char end[64];
    int n = 0;
    snprintf(end, sizeof end, "class=\"%s\"", class);
    for (const char *s = svg; (s = strstr(s, "<circle ")) && n < max; s++) {
        const char *close = strchr(s, '>'), *found = strstr(s, end);
        double x, y;
        if (!found || found > close) continue;
        assert_int_equal(sscanf(s, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
        at[n][0] = x;
        at[n++][1] = y;
    }
    return n;
}

static double apart(const double *a, const double *b) {
    return hypot(a[0] - b[0], a[1] - b[1]);
}

// A four-bar with its crank at 60 degrees: pins at O, (cos, sin), and where two circles meet.
static void draws_a_planar_mechanism_to_scale(void **state) {
    (void)state;
    drawn d;
    double p[4][2];
    draw(&d, "cotree: 1\ngravity: [0, -9.81, 0]\n"
             "bodies:\n"
             "  a: {mass: 1, inertia: 1, points: {end: [1, 0, 0]}}\n"
             "  b: {mass: 1, inertia: 1, points: {end: [3, 0, 0]}}\n"
             "  c: {mass: 1, inertia: 1, points: {end: [2.5, 0, 0]}}\n"
             "joints:\n"
             "  A: {type: revolute, between: [ground, a], axis: z}\n"
             "  B: {type: revolute, between: [a, b], at: [end, [0, 0, 0]], axis: z}\n"
             "  C: {type: revolute, between: [b, c], at: [end, end], axis: z}\n"
             "  D: {type: revolute, between: [ground, c], at: [[4, 0, 0], [0, 0, 0]], axis: z}\n"
             "initial: {A: 60*deg}\nguess: {B: -0.5, D: 2}\n");
    assert_int_equal(circles(d.svg, "pin", p, 4), 4);
    // order of the joints: A, B, C, D
    double metre = apart(p[0], p[1]);
    assert_true(metre > 20);
    assert_true(fabs(apart(p[1], p[2]) / metre - 3) < 0.01);
    assert_true(fabs(apart(p[2], p[3]) / metre - 2.5) < 0.01);
    assert_true(fabs(apart(p[3], p[0]) / metre - 4) < 0.01);
    assert_true(fabs((p[1][0] - p[0][0]) / metre - 0.5) < 0.01);        // x to the right
    assert_true(fabs((p[0][1] - p[1][1]) / metre - sqrt(0.75)) < 0.01); // y up
    drawn_clear(&d);
}

// Gravity along -x: x is up on the paper.
static void gravity_is_down(void **state) {
    (void)state;
    drawn d;
    double p[2][2];
    draw(&d,
         "cotree: 1\ngravity: [-9.81, 0, 0]\n"
         "bodies: {a: {mass: 1, inertia: 1, points: {end: [1, 0, 0]}}, b: {mass: 1, inertia: 1}}\n"
         "joints:\n"
         "  A: {type: revolute, between: [ground, a], axis: z}\n"
         "  B: {type: revolute, between: [a, b], at: [end, [0, 0, 0]], axis: z}\n");
    assert_int_equal(circles(d.svg, "pin", p, 2), 2);
    assert_true(fabs(p[0][0] - p[1][0]) < 0.2);
    assert_true(p[1][1] < p[0][1] - 20);
    drawn_clear(&d);
}

// Three balls on x, y and z: a parallel projection keeps ratios along each axis, and what is
// nearer to the eye comes later in the file.
static void draws_space_in_projection(void **state) {
    (void)state;
    drawn d;
    double q[4][2];
    draw(
        &d,
        "cotree: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, "
        "inertia: [1, 1, 1]}, e: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  A: {type: spherical, between: [ground, a], at: [[0, 0, 0], [0, 0, 0]]}\n"
        "  B: {type: spherical, between: [ground, b], at: [[0, 1, 0], [0, 0, 0]]}\n"
        "  C: {type: spherical, between: [ground, c], at: [[0, 2, 0], [0, 0, 0]]}\n"
        "  E: {type: spherical, between: [ground, e], at: [[0, 0, 1], [0, 0, 0]]}\n");
    assert_int_equal(circles(d.svg, "ball", q, 4), 4);
    // the eye is at negative y: the farther ones come first, C, B, then A and E
    int top = q[2][1] < q[3][1] ? 2 : 3, origin = 5 - top;
    assert_true(fabs(q[top][0] - q[origin][0]) < 0.2); // z is vertical
    assert_true(fabs(q[1][0] - (q[0][0] + q[origin][0]) / 2) < 0.2);
    assert_true(fabs(q[1][1] - (q[0][1] + q[origin][1]) / 2) < 0.2);
    drawn_clear(&d);
}

static void escapes_names(void **state) {
    (void)state;
    drawn d;
    draw(&d, "cotree: 1\nname: '</title><script>&'\nbodies: {a: {mass: 1, inertia: 1}}\n"
             "joints: {A: {type: revolute, between: [ground, a], axis: z}}\n");
    assert_non_null(strstr(d.svg, "<title>&lt;/title&gt;&lt;script&gt;&amp;</title>"));
    drawn_clear(&d);
}

// A box of 2 x 1 seen along its third side is a rectangle of that shape; one point is no pane.
static void draws_shapes(void **state) {
    (void)state;
    drawn d;
    double x[4], y[4];
    draw(&d, "cotree: 1\nbodies:\n  a: {mass: 1, inertia: 1, points: {end: [3, 0, 0]}, shape: "
             "{type: box, size: [2, 1, "
             "0.5], position: [1, 0, 0], colour: \"#123456\"}}\n"
             "joints: {A: {type: revolute, between: [ground, a], axis: z}}\n");
    const char *path = strstr(d.svg, "<path d=\"M");
    while (path && !(strstr(path, "#123456") < strchr(path, '>')))
        path = strstr(path + 1, "<path d=\"M");
    assert_non_null(path);
    assert_int_equal(sscanf(path, "<path d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lfZ", x, y, x + 1, y + 1,
                            x + 2, y + 2, x + 3, y + 3),
                     8);
    double a = hypot(x[1] - x[0], y[1] - y[0]), b = hypot(x[2] - x[1], y[2] - y[1]);
    assert_true(fabs(fmax(a, b) / fmin(a, b) - 2) < 0.01);
    drawn_clear(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(draws_a_planar_mechanism_to_scale),
                                       TEST(gravity_is_down), TEST(draws_space_in_projection),
                                       TEST(escapes_names), TEST(draws_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
