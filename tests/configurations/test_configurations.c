// cotree configurations from end to end: systems with known answers, mechanisms against their own
// equations and their assembled state, the messages of the reader, and what has no answer.
#include "harness.h"

#include "algebra/printed.h"
#include "configurations/polynomials.h"

typedef ct_configurations_result result;

static result *solve_text(ct_context *ctx, const char *text, const ct_configurations_options *o,
                          ct_status expected) {
    result *r = NULL;
    ct_status status = ct_configurations_text(ctx, "test.yaml", text, strlen(text), 0, NULL, o, &r);
    if (status != expected) print_messages(ctx);
    assert_int_equal(status, expected);
    assert_int_equal(status == CT_OK, r != NULL);
    return r;
}

static result *solve_file(const char *folder, const char *name, const char *method) {
    ct_context *ctx = ct_context_new();
    ct_configurations_options o;
    ct_configurations_options_init(&o);
    o.method = method;
    result *r = NULL;
    char *path = ct_format("%s/%s%s.yaml", CT_MODELS_DIR, folder, name);
    ct_status status = ct_configurations(ctx, path, 0, NULL, &o, &r);
    if (status) print_messages(ctx);
    assert_int_equal(status, CT_OK);
    ct_free(path);
    ct_context_free(ctx);
    return r;
}

static int value_at(const result *r, const char *name) {
    for (int i = 0; i < r->n_values; i++)
        if (!strcmp(r->values[i], name)) return i;
    fail_msg("no value %s", name);
    return -1;
}

static double value(const result *r, int solution, const char *name) {
    return r->solutions[solution].re[value_at(r, name)];
}

static void check_solutions(const result *r) {
    int real = 0;
    for (int i = 0; i < r->count; i++) {
        const ct_configuration *c = r->solutions + i;
        assert_true(c->residual < 1e-10);
        assert_true(!c->real || i == 0 || r->solutions[i - 1].real); // real ones first
        assert_true(c->multiplicity >= 1);
        real += c->real;
    }
    assert_int_equal(real, r->real);
}

// plain systems -----------------------------------------------------------------------------------
static const struct expected {
    const char *name, *variable; // NULL: any
    int generators, matrix, degree, count, real;
    long terms;
} expected_results[] = {
    {"eight_link", "x1", 29, 29, 16, 16, 2, 377},
    {"stewart_platform_6_6", "r5", 43, 15, 20, 40, 0, 739},
    {"stewart_general", "r5", 68, 68, 40, 40, 0, 1951},
    {"stewart_planted", "r5", 68, 68, 40, 40, 2, 1951},
    {"five_ss", NULL, 68, 68, 40, 40, 6, 1941},
    {"landing_gear_system", "sB", 14, -1, 6, 6, 2, -1},
    {"three_rrr_system", "s", 10, -1, 6, 6, 4, -1},
    {"four_bar_system", NULL, 4, -1, 2, 2, 2, -1},
    {"cyclic_5", NULL, 20, -1, 70, 70, 10, 232},
    {"katsura_6", NULL, 41, -1, 64, 64, 32, 1923},
    {"eco_8", NULL, 59, -1, 64, 64, 8, 2704},
    {"noon_4", NULL, 28, -1, 73, 73, 15, 443},
};

static void test_systems(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expected_results / sizeof *expected_results; i++) {
        const struct expected *e = expected_results + i;
        result *r = solve_file("systems/", e->name, NULL);
        assert_int_equal(r->dimension, 0);
        assert_int_equal(r->generators, e->generators);
        assert_int_equal(r->degree, e->degree);
        assert_int_equal(r->count, e->count);
        assert_int_equal(r->real, e->real);
        if (e->terms > 0) assert_int_equal(r->terms, e->terms);
        if (e->matrix > 0) assert_int_equal(r->matrix, e->matrix);
        if (e->variable) assert_string_equal(r->variable, e->variable);
        assert_false(r->mechanism);
        check_solutions(r);
        ct_configurations_free(r);
    }
}

static void test_systems_have_expectations(void **state) {
    (void)state;
    glob_t g;
    assert_int_equal(glob(CT_MODELS_DIR "/systems/*.yaml", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        char *name = stem(g.gl_pathv[i]);
        bool found = false;
        for (size_t k = 0; k < sizeof expected_results / sizeof *expected_results; k++)
            found = found || !strcmp(expected_results[k].name, name);
        if (!found) fail_msg("%s has no expected result here", name);
        ct_free(name);
    }
    globfree(&g);
}

// Digits of a whole number of any length, relative to those of another.
static double ratio(const char *a, const char *b) {
    fmpz_t x, y;
    fmpq_t q;
    fmpz_init(x);
    fmpz_init(y);
    fmpq_init(q);
    fmpz_set_str(x, a, 10);
    fmpz_set_str(y, b, 10);
    fmpq_set_fmpz_frac(q, x, y);
    double d = ct_rational_double(q);
    fmpz_clear(x);
    fmpz_clear(y);
    fmpq_clear(q);
    return d;
}

// The polynomials as printed in the source.
static void test_printed_polynomials(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const double *c;
        int n;
    } printed[] = {{"eight_link", printed_eight_link, 17},
                   {"stewart_platform_6_6", printed_platform, 4},
                   {"stewart_general", printed_stewart, 5}};
    for (int i = 0; i < 3; i++) {
        result *r = solve_file("systems/", printed[i].name, NULL);
        for (int k = 0; k < printed[i].n; k++) {
            double c = ratio(r->coefficients[k], r->coefficients[0]), p = printed[i].c[k];
            if (fabs(c - p) > 1.1e-7 * fabs(p))
                fail_msg("%s, coefficient %d: %.10g, printed %.10g", printed[i].name, k, c, p);
        }
        ct_configurations_free(r);
    }
}

static void test_planted_pose(void **state) {
    (void)state;
    static const char *const names[] = {"lx", "ly", "lz", "r1", "r2", "r3",
                                        "r4", "r5", "r6", "r7", "r8", "r9"};
    static const double pose[] = {1,       2,       9,        6.0 / 7, -3.0 / 7, -2.0 / 7,
                                  2.0 / 7, 6.0 / 7, -3.0 / 7, 3.0 / 7, 2.0 / 7,  6.0 / 7};
    for (int m = 0; m < 3; m++) {
        static const char *const methods[] = {"sylvester", "rur", "eigen"};
        result *r = solve_file("systems/", "stewart_planted", methods[m]);
        double best = INFINITY;
        for (int i = 0; i < r->real; i++) {
            double off = 0;
            for (int k = 0; k < 12; k++) off = fmax(off, fabs(value(r, i, names[k]) - pose[k]));
            best = fmin(best, off);
            assert_true(r->solutions[i].certified);
        }
        assert_true(best < 1e-10);
        assert_string_equal(r->method, methods[m]);
        ct_configurations_free(r);
    }
}

static void test_methods_agree(void **state) {
    (void)state;
    static const char *const names[] = {"eight_link", "three_rrr_system", "landing_gear_system",
                                        "four_bar_system"};
    for (int i = 0; i < 4; i++) {
        result *a = solve_file("systems/", names[i], "sylvester");
        for (int m = 0; m < 2; m++) {
            result *b = solve_file("systems/", names[i], m ? "rur" : "eigen");
            assert_int_equal(a->count, b->count);
            assert_int_equal(a->real, b->real);
            for (int k = 0; k < a->count; k++) { // each solution of one is one of the other
                double best = INFINITY;
                for (int l = 0; l < b->count; l++) {
                    double off = 0;
                    for (int v = 0; v < a->n_values; v++)
                        off = fmax(off, hypot(a->solutions[k].re[v] - b->solutions[l].re[v],
                                              a->solutions[k].im[v] - b->solutions[l].im[v]));
                    best = fmin(best, off);
                }
                assert_true(best < 1e-8);
            }
            ct_configurations_free(b);
        }
        ct_configurations_free(a);
    }
}

// mechanisms --------------------------------------------------------------------------------------
// The state that the assembly finds must be one of the configurations, and each real one must close
// the mechanism's own loops.
static void check_mechanism(const char *name, int count, int real) {
    result *r = solve_file("", name, NULL);
    if (r->count != count || r->real != real)
        fail_msg("%s: %d configurations, %d real", name, r->count, r->real);
    assert_true(r->mechanism);
    check_solutions(r);
    mech k = mech_model(name, NULL);
    assert_made(&k);
    double best = INFINITY;
    for (int i = 0; i < r->real; i++) {
        double off = 0;
        assert_true(r->solutions[i].residual < 1e-9);
        for (int c = 0; c < k.model->n_coordinates; c++) {
            double d = value(r, i, k.model->coordinates[c].name) - k.s->assembly->joint[c];
            if (k.model->coordinates[c].is_angle) d = 2 * sin(d / 2); // turns do not count
            off = fmax(off, fabs(d));
        }
        best = fmin(best, off);
    }
    if (!(best < 1e-7)) fail_msg("%s: the assembled state is off by %g", name, best);
    mech_clear(&k);
    ct_configurations_free(r);
}

static void test_mechanisms(void **state) {
    (void)state;
    check_mechanism("four_bar", 2, 2);
    check_mechanism("slider_crank", 2, 2);
    check_mechanism("slider_crank_2", 2, 2);
    check_mechanism("three_rrr", 6, 2);
    check_mechanism("five_bar", 2, 2);
    check_mechanism("andrews", 8, 4);
    check_mechanism("spatial_four_bar", 2, 2);
    check_mechanism("spatial_slider_crank", 2, 2);
    check_mechanism("parallel_four_bar", 1, 1); // the redundant crank rules out the crossed one
    check_mechanism("pendulum", 1, 1);
    check_mechanism("serial_arm_7", 1, 1);
}

#define CRANK                                                                                      \
    "bodies:\n"                                                                                    \
    "  crank: {mass: 1, inertia: 1, points: {A: [1, 0, 0]}}\n"                                     \
    "  rod: {mass: 1, inertia: 1, points: {B: [3, 0, 0]}}\n"                                       \
    "  piston: {mass: 1, inertia: 1}\n"                                                            \
    "joints:\n"                                                                                    \
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"                                   \
    "  A: {type: revolute, between: [crank, rod], at: [A, [0,0,0]], axis: z}\n"                    \
    "  B: {type: revolute, between: [rod, piston], at: [B, [0,0,0]], axis: z}\n"                   \
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"

static void test_what_is_given(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    // the crank by a motion: at t = 0
    result *r = solve_text(ctx, CRANK "motions: {O: pi/2 + t}\n", NULL, CT_OK);
    assert_int_equal(r->count, 2);
    for (int i = 0; i < 2; i++) assert_near(fabs(value(r, i, "slide")), sqrt(8), 1e-12);
    ct_configurations_free(r);
    // the piston instead of the crank
    r = solve_text(ctx, CRANK "initial: {slide: 3}\n", NULL, CT_OK);
    assert_int_equal(r->real, 2);
    assert_near(cos(value(r, 0, "O")), 1.0 / 6, 1e-12);
    ct_configurations_free(r);
    // out of reach: complex ones only
    r = solve_text(ctx, CRANK "initial: {slide: 5}\n", NULL, CT_OK);
    assert_int_equal(r->real, 0);
    assert_int_equal(r->count, 2);
    ct_configurations_free(r);
    // nothing: one freedom
    r = solve_text(ctx, CRANK, NULL, CT_OK);
    assert_int_equal(r->dimension, 1);
    assert_int_equal(r->n_free, 1);
    ct_configurations_free(r);
    // too much
    r = solve_text(ctx, CRANK "initial: {O: pi/2, slide: 1}\n", NULL, CT_OK);
    assert_int_equal(r->dimension, -1);
    assert_true(r->n_offending > 0);
    ct_configurations_free(r);
    ct_context_free(ctx);
}

// Crank and rocker of a four-bar geared to a third shaft.
static void test_gears(void **state) {
    (void)state;
    static const char model[] =
        "bodies:\n  a: {mass: 1, inertia: 1, points: {P: [1, 0, 0]}}\n"
        "  b: {mass: 1, inertia: 1, points: {Q: [2, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], axis: z}\n"
        "  B: {type: revolute, between: [ground, b], at: [[2.5, 0, 0], [0, 0, 0]], axis: z}\n"
        "  rod: {type: link, between: [a, b], at: [P, Q], length: 2}\n"
        "  wheels: {type: gear, joints: [A, B], ratio: -2}\n";
    ct_context *ctx = ct_context_new();
    result *r = solve_text(ctx, model, NULL, CT_OK);
    assert_int_equal(r->dimension, 0);
    assert_true(r->real > 0);
    check_solutions(r);
    for (int i = 0; i < r->real; i++) {
        double a = value(r, i, "A"), b = value(r, i, "B");
        assert_near(sin((b + 2 * a) / 2), 0, 1e-9);
        double dx = 2.5 + 2 * cos(b) - cos(a), dy = 2 * sin(b) - sin(a);
        assert_near(hypot(dx, dy), 2, 1e-9);
    }
    ct_configurations_free(r);
    ct_context_free(ctx);
}

// The Stewart mechanism of stewart_planted.yaml as a body on six rods: the same answer without
// equations by hand.
static void test_platform_on_links(void **state) {
    (void)state;
    static const char model[] =
        "bodies: {top: {mass: 1, inertia: [1, 1, 1], points: {P1: [0, 0, 0], P2: [2, 3, 3],\n"
        "  P3: [3, 5, 0], P4: [1, 0, 4], P5: [4, 2, 1], P6: [2, 1, 3]}}}\n"
        "points: {B1: [0, 0, 0], B2: [2, 3, 0], B3: [3, 4, 4], B4: [5, 1, 2], B5: [0, 2, 3],\n"
        "  B6: [4, 0, 5]}\n"
        "joints:\n"
        "  L1: {type: link, between: [ground, top], at: [B1, P1], length: sqrt(86)}\n"
        "  L2: {type: link, between: [ground, top], at: [B2, P2], length: sqrt(1255/7)}\n"
        "  L3: {type: link, between: [ground, top], at: [B3, P3], length: sqrt(503/7)}\n"
        "  L4: {type: link, between: [ground, top], at: [B4, P4], length: sqrt(955/7)}\n"
        "  L5: {type: link, between: [ground, top], at: [B5, P5], length: sqrt(702/7)}\n"
        "  L6: {type: link, between: [ground, top], at: [B6, P6], length: sqrt(495/7)}\n";
    ct_context *ctx = ct_context_new();
    result *r = solve_text(ctx, model, NULL, CT_OK);
    assert_int_equal(r->count, 40);
    assert_int_equal(r->real, 2);
    check_solutions(r);
    double best = INFINITY;
    for (int i = 0; i < r->real; i++)
        best = fmin(best, fabs(value(r, i, "top.x") - 1) + fabs(value(r, i, "top.y") - 2) +
                              fabs(value(r, i, "top.z") - 9));
    assert_true(best < 1e-10);
    ct_configurations_free(r);
    ct_context_free(ctx);
}

// All thirteen bodies of the Gough-Stewart platform, with the lengths of its legs given.
static void test_gough_stewart(void **state) {
    (void)state;
    char *path = model_path("gough_stewart"), *file = read_text(path);
    char *initial = strstr(file, "\ninitial:"), *outputs = strstr(file, "\noutputs:");
    assert_true(initial && outputs && initial < outputs);
    *initial = '\0';
    char *text = ct_format("%s\ninitial: {p1: 1.562351, p2: 1.562650, p3: 1.562650, p4: 1.562351, "
                           "p5: 1.562666, p6: 1.562666}%s",
                           file, outputs);
    ct_context *ctx = ct_context_new();
    result *r = solve_text(ctx, text, NULL, CT_OK);
    assert_int_equal(r->count, 36);
    assert_int_equal(r->real, 8);
    double best = INFINITY;
    for (int i = 0; i < r->real; i++) {
        assert_true(r->solutions[i].residual < 1e-9);
        assert_near(value(r, i, "p1"), 1.562351, 0);
        best = fmin(best, fabs(value(r, i, "platform_pose.x") + 1.5) +
                              fabs(value(r, i, "platform_pose.y")) +
                              fabs(value(r, i, "platform_pose.z") - 1.5));
    }
    assert_true(best < 1e-5);
    ct_configurations_free(r);
    ct_context_free(ctx);
    ct_free(text);
    ct_free(file);
    ct_free(path);
}

// A rod on two ball joints may spin: that is no freedom of the answer.
static void test_rod_on_ball_joints(void **state) {
    (void)state;
    static const char model[] =
        "bodies:\n  crank: {mass: 1, inertia: [1, 1, 1], points: {A: [1, 0, 0]}}\n"
        "  rod: {mass: 1, inertia: [1, 1, 1], points: {E: [3, 0, 0]}}\n"
        "  rocker: {mass: 1, inertia: [1, 1, 1], points: {B: [0, 0, 2]}}\n"
        "joints:\n  O: {type: revolute, between: [ground, crank], axis: z}\n"
        "  A: {type: spherical, between: [crank, rod], at: [A, [0, 0, 0]]}\n"
        "  B: {type: spherical, between: [rod, rocker], at: [E, B]}\n"
        "  C: {type: revolute, between: [ground, rocker], at: [[3, 0, 0], [0, 0, 0]], axis: y}\n"
        "initial: {O: 1}\n";
    ct_context *ctx = ct_context_new();
    result *r = solve_text(ctx, model, NULL, CT_OK);
    assert_int_equal(r->dimension, 0);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->real, 2);
    for (int i = 0; i < 2; i++) {
        double c = value(r, i, "C");
        double dx = 3 + 2 * sin(c) - cos(1), dy = -sin(1), dz = 2 * cos(c);
        assert_near(dx * dx + dy * dy + dz * dz, 9, 1e-9);
        assert_true(r->solutions[i].residual < 1e-9);
    }
    ct_configurations_free(r);
    ct_context_free(ctx);
}

// corners -----------------------------------------------------------------------------------------
static void test_no_or_infinitely_many(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    result *r =
        solve_text(ctx, "unknowns: [x, y, z]\nequations: [x^2 + y^2 - 1, x - y]\n", NULL, CT_OK);
    assert_int_equal(r->dimension, 1);
    assert_int_equal(r->n_free, 1);
    assert_string_equal(r->free[0], "z");
    assert_true(has_message(ctx, "1:18: warning: unknown 'z' appears in no equation"));
    assert_null(r->coefficients);
    ct_configurations_free(r);
    r = solve_text(ctx, "unknowns: [x, y]\nequations:\n- x - 1\n- y^2 - 2\n- x - 2\n", NULL, CT_OK);
    assert_int_equal(r->dimension, -1);
    assert_int_equal(r->count, 0);
    assert_int_equal(r->n_offending, 2);
    assert_string_equal(r->offending[0], "line 3: x - 1");
    assert_string_equal(r->offending[1], "line 5: x - 2");
    ct_configurations_free(r);
    ct_context_free(ctx);
}

static void test_corners(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    // zero and repeated equations, a triple root
    result *r = solve_text(ctx, "unknowns: [x]\nequations: [(x - 1)^3, 0, x*0, (1 - x)^3 = 0]\n",
                           NULL, CT_OK);
    assert_true(has_message(ctx, "2:24: warning: equation 2 is 0 = 0"));
    assert_int_equal(r->count, 1);
    assert_int_equal(r->solutions[0].multiplicity, 3);
    assert_near(value(r, 0, "x"), 1, 0);
    ct_configurations_free(r);
    // long coefficients
    ct_text text = {0};
    ct_text_add(&text, "unknowns: [x]\nequations: ['");
    for (int i = 0; i < 3000; i++) ct_text_add(&text, "7");
    ct_text_add(&text, "*x^2 - ");
    for (int i = 0; i < 2999; i++) ct_text_add(&text, "7");
    ct_text_add(&text, "6']\n");
    r = solve_text(ctx, text.s, NULL, CT_OK);
    assert_int_equal(r->real, 2);
    assert_int_equal(strlen(r->coefficients[0]), 3000);
    assert_near(fabs(value(r, 0, "x")), 1, 0);
    ct_configurations_free(r);
    ct_text_clear(&text);
    // a solution that doubles cannot hold is refused, not rounded to zero
    r = solve_text(ctx, "unknowns: [x]\nequations: ['10^1500*x^2 - 1']\n", NULL, CT_NUMERICS);
    assert_true(has_message(ctx, "outside the range of numbers"));
    ct_configurations_free(r);
    // angles; constants that are not rational; a parameter set from outside
    static const char angles[] = "parameters: {a: 1}\nunknowns: [th, x]\n"
                                 "equations: [a*cos(th - pi/6) - sqrt(3)/2, x - sin(2*th)]\n";
    const char *set[] = {"a=1"};
    ct_configurations_options o;
    ct_configurations_options_init(&o);
    o.hide = "x";
    assert_int_equal(ct_configurations_text(ctx, "a.yaml", angles, strlen(angles), 1, set, &o, &r),
                     CT_OK);
    assert_int_equal(r->real, 2);
    assert_int_equal(r->n_notes, 1);
    assert_string_equal(r->variable, "x");
    for (int i = 0; i < 2; i++) {
        double th = value(r, i, "th");
        assert_true(fabs(th) < 1e-12 || fabs(th - acos(-1) / 3) < 1e-12);
        assert_near(value(r, i, "c_th"), cos(th), 1e-12);
        assert_near(value(r, i, "x"), sin(2 * th), 1e-12);
    }
    ct_configurations_free(r);
    ct_context_free(ctx);
}

static void test_million_bits(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_polynomials *p = NULL;
    ct_text text = {0};
    ct_text_add(&text, "unknowns: [x]\nequations: ['");
    for (int i = 0; i < 301030; i++) ct_text_add(&text, "7");
    ct_text_add(&text, "*x^2 - 1.5']\n");
    ct_region region = {0};
    ct_region_open(&region);
    assert_int_equal(ct_polynomials_read_text(ctx, "m.yaml", text.s, text.n, 0, NULL, NULL, 0, NULL,
                                              &p),
                     CT_OK);
    assert_int_equal(p->system.equations.n, 1);
    assert_true(fmpz_bits(p->system.equations.p[0].coefs) > 1000000);
    ct_region_close(&region);
    ct_region_free(&region);
    ct_text_clear(&text);
    ct_context_free(ctx);
}

static void count_stages(void *data, const ct_progress *progress) {
    assert_non_null(progress->stage);
    assert_true(progress->share <= 1);
    ++*(int *)data;
}

static void test_limits(void **state) {
    (void)state;
    char *path = ct_format("%s/systems/katsura_6.yaml", CT_MODELS_DIR), *text = read_text(path);
    ct_context *ctx = ct_context_new();
    ct_configurations_options o;
    ct_configurations_options_init(&o);
    o.seconds = 1e-4;
    solve_text(ctx, text, &o, CT_NUMERICS);
    assert_int_equal(ct_message_count(ctx), 1);
    o.seconds = 0;
    volatile sig_atomic_t stop = 1;
    o.stop = &stop;
    solve_text(ctx, text, &o, CT_INTERRUPTED);
    o.stop = NULL;
    o.method = "magic";
    solve_text(ctx, text, &o, CT_USAGE);
    int calls = 0;
    o.method = NULL;
    ct_set_progress(ctx, count_stages, &calls);
    ct_configurations_free(solve_text(ctx, text, &o, CT_OK));
    assert_true(calls > 1);
    ct_context_free(ctx);
    ct_free(text);
    ct_free(path);
}

// messages ----------------------------------------------------------------------------------------
static void test_messages(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"unknowns: [x]\nequations: [y]", "2:13: error: equation 1: 'y' is neither an unknown nor"},
        {"unknowns: [alpha]\nequations: [alpa - 1]", "did you mean 'alpha'?"},
        {"unknowns: [x, x]\nequations: [x]", "1:15: error: unknown 'x' stands here twice"},
        {"unknowns: [pi]\nequations: [1]", "has the name of something built in"},
        {"unknowns: [2x]\nequations: [1]", "must be named with letters"},
        {"unknowns: []\nequations: [1]", "1:11: error: there are no unknowns"},
        {"unknowns: [x]\nequations: []", "2:12: error: there are no equations"},
        {"unknowns: [x]", "needs equations"},
        {"equations: [x]", "needs its unknowns"},
        {"unknowns: x\nequations: [x]", "unknowns must be a list"},
        {"unknowns: [x]\nequations: x", "equations must be a list"},
        {"unknowns: [x]\nequations: [sqrt(x)]", "sqrt of an unknown is not polynomial"},
        {"unknowns: [x]\nequations: [1 + 1/x]", "2:18: error: equation 1: division by something"},
        {"unknowns: [x]\nequations: [1/0 + x]", "division by zero"},
        {"unknowns: [x]\nequations: [x^1000000]", "would have degree 1000000"},
        {"unknowns: [x, y]\nequations: [(x + y + 1)^3000]", "too large when multiplied out"},
        {"unknowns: [x]\nequations: [x^99999999999999999999]", "this exponent is too large"},
        {"unknowns: [x]\nequations: [9^9^9^9 - x]", "too large"},
        {"unknowns: [x]\nequations: [x^0.5]", "whole exponents"},
        {"unknowns: [x]\nequations: [x^-1]", "whole exponents"},
        {"unknowns: [x]\nequations: [2^x]", "an unknown in the exponent"},
        {"unknowns: [x]\nequations: [2x]", "expected an operator after the number"},
        {"unknowns: [x]\nequations: [x(x + 1)]", "'x' is no function: write * for a product"},
        {"unknowns: [x]\nequations: [x*sin(x)]", "stands alone and inside sin or cos"},
        {"unknowns: [x]\nequations: [sin(x/2)]", "whole multiples"},
        {"unknowns: [x]\nequations: [sin(x^2)]", "sums and whole multiples of unknowns only"},
        {"unknowns: [x]\nequations: [tan(x)]", "multiply by the cosine"},
        {"unknowns: [x]\nequations: [(x]", "the expression ends before its closing )"},
        {"unknowns: [x]\nequations: [x)]", "there is one ) too many"},
        {"unknowns: [x]\nequations: ['']", "an equation is empty"},
        {"unknowns: [x]\nequations: [x = 1 = 2]", "an equation has one = sign"},
        {"unknowns: [x]\nequations: [[x]]", "equation 1 must be an expression, not a list"},
        {"unknowns: [x]\nequations: [x - t]", "'t' means nothing here"},
        {"unknowns: [x]\nequations: [x' - 1]", "remove the prime"},
        {"unknowns: [x]\norder: [y]\nequations: [x]", "2:9: error: order: there is no unknown 'y'"},
        {"unknowns: [x]\norder: [x, x]\nequations: [x]", "order: 'x' stands here twice"},
        {"unknowns: [x]\nhide: y\nequations: [x]", "2:7: error: hide: there is no unknown 'y'"},
        {"unknowns: [x]\nequation: [x]\nequations: [x]", "did you mean 'equations'?"},
        {"parameters: {x: 1}\nunknowns: [x]\nequations: [x]", "'x' is a parameter, too"},
        {"parameters: {a: x}\nunknowns: [x]\nequations: [x]", "'x' varies"},
        {"parameters: {a: 1/0}\nunknowns: [x]\nequations: [x - a]", "1:18: error: parameter 'a'"},
        {"unknowns: [x]\nequations: [x - log(-1)]", "not defined here"},
        {"unknowns: [x\nequations: [x]", "error"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ct_context *ctx = ct_context_new();
        result *r = NULL;
        ct_status status = ct_configurations_text(ctx, "w.yaml", wrong[i].text,
                                                  strlen(wrong[i].text), 0, NULL, NULL, &r);
        if (status != CT_WRONG_MODEL || !has_message(ctx, wrong[i].message)) {
            print_messages(ctx);
            fail_msg("%s: no '%s'", wrong[i].text, wrong[i].message);
        }
        assert_null(r);
        ct_context_free(ctx);
    }
}

static void test_all_mistakes_at_once(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    solve_text(ctx, "unknowns: [x, x]\nequations:\n- y\n- 1/x\n- sqrt(x)\norder: [z]\nhidden: x\n",
               NULL, CT_WRONG_MODEL);
    assert_int_equal(ct_message_count(ctx), 6);
    ct_context_free(ctx);
}

static void test_too_many_unknowns(void **state) {
    (void)state;
    ct_text t = {0};
    ct_context *ctx = ct_context_new();
    ct_text_add(&t, "unknowns: [x0");
    for (int i = 1; i < 65; i++) ct_text_printf(&t, ", x%d", i);
    ct_text_add(&t, "]\nequations: [x0]\n");
    solve_text(ctx, t.s, NULL, CT_WRONG_MODEL);
    assert_true(has_message(ctx, "65 unknowns are too many: at most 64"));
    ct_text_clear(&t);
    ct_context_free(ctx);
}

static void test_not_polynomial_mechanisms(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    solve_text(ctx,
               "bodies: {a: {mass: 1, inertia: 1}}\n"
               "joints:\n  A: {type: revolute, between: [ground, a], axis: z}\n"
               "  c: {type: constraint, equation: exp(A) - 2}\n",
               NULL, CT_WRONG_MODEL);
    assert_true(has_message(ctx, "4:3: error: the equations of 'c' are not polynomial"));
    ct_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_systems_have_expectations),
        cmocka_unit_test(test_printed_polynomials),
        cmocka_unit_test(test_planted_pose),
        cmocka_unit_test(test_methods_agree),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_what_is_given),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_platform_on_links),
        cmocka_unit_test(test_gough_stewart),
        cmocka_unit_test(test_rod_on_ball_joints),
        cmocka_unit_test(test_no_or_infinitely_many),
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_million_bits),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_all_mistakes_at_once),
        cmocka_unit_test(test_too_many_unknowns),
        cmocka_unit_test(test_not_polynomial_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
