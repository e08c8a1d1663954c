// What `close` finds does not depend on which of two equal descriptions the user chose. A strut and a
// platform are written in many ways: joints split into equal ones with massless bodies between,
// bodies welded, joints in another sequence and with their bodies exchanged, the origin elsewhere.
// All must close by linear equations and square roots, with the same independent coordinates and
// to rounding wherever they are looked at.
#include "harness.h"

#include "closure/describe.h"

// Numbers of the strut, shifted with the origin by (dx, dy, dz).
static const char points[] =
    "cotree: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {dx: %d, dy: %d, dz: %d}\n"
    "points:\n"
    "  E: [dx - 0.17, dy + 0.35, dz + 0.18]\n"
    "  F: [dx + 0.18, dy + 0.33, dz + 0.21]\n"
    "  D: [dx + 0.01, dy + 0.67, dz + 0.15]\n"
    "  U: [dx + 0.01, dy + 0.58, dz + 0.43]\n"
    "  T: [dx - 0.02, dy + 0.52, dz + 0.79]\n"
    "  I: [dx + 0.14, dy + 0.62, dz + 0.26]\n"
    "  J: [dx + 0.12, dy + 0.32, dz + 0.28]\n"
    "bodies:\n"
    "  arm: {mass: 3, inertia: [0.12, 0.13, 0.16], com: [dx, dy + 0.45, dz + 0.18]}\n"
    "  rod: {mass: 1, inertia: [0.03, 0.03, 0.01], com: [dx, dy + 0.5, dz + 0.7]}\n";

typedef struct part { // bodies and joints of one spelling
    const char *bodies, *joints;
} part;

#define MASSLESS(name) "  " name ": {mass: 0, inertia: [0, 0, 0]}\n"
#define CARRIER                                                                                    \
    "  carrier: {mass: 20, inertia: [0.26, 0.29, 0.34], com: [dx, dy + 0.63, dz + 0.28]}\n"

static const part hinges[] = {
    {"", "  hinge: {type: revolute, between: [ground, arm], at: E, axis: [E, F]}\n"},
    {"", "  hinge: {type: revolute, between: [arm, ground], at: F, axis: [F, E]}\n"},
};
static const part balls[] = {
    {"", "  ball: {type: spherical, between: [arm, carrier], at: D}\n"},
    {"", "  ball: {type: spherical, between: [carrier, arm], at: D, sequence: xyz}\n"},
    {MASSLESS("b1"), "  b: {type: universal, between: [arm, b1], at: D, axes: [x, y]}\n"
                     "  bz: {type: revolute, between: [carrier, b1], at: D, axis: z}\n"},
    {MASSLESS("b1") MASSLESS("b2"),
     "  bx: {type: revolute, between: [arm, b1], at: D, axis: x}\n"
     "  by: {type: revolute, between: [b2, b1], at: D, axis: y}\n"
     "  bz: {type: revolute, between: [b2, carrier], at: D, axis: z}\n"},
};
static const part struts[] = {
    {"", "  strut: {type: cylindrical, between: [carrier, rod], at: U, axis: [U, T]}\n"},
    {"", "  strut: {type: cylindrical, between: [rod, carrier], at: T, axis: [T, U]}\n"},
    {MASSLESS("c1"), "  strut: {type: prismatic, between: [carrier, c1], at: U, axis: [U, T]}\n"
                     "  turn: {type: revolute, between: [c1, rod], at: T, axis: [U, T]}\n"},
    {MASSLESS("c1"), "  turn: {type: revolute, between: [c1, carrier], at: U, axis: [U, T]}\n"
                     "  strut: {type: prismatic, between: [c1, rod], at: T, axis: [U, T]}\n"},
    {"  tube: {mass: 1, inertia: [0.02, 0.02, 0.01], com: [dx, dy + 0.58, dz + 0.4]}\n",
     "  weld: {type: fixed, between: [tube, carrier], at: U}\n"
     "  strut: {type: cylindrical, between: [tube, rod], at: U, axis: [U, T]}\n"},
};
static const part mounts[] = {
    {"", "  mount: {type: universal, between: [ground, rod], at: T, axes: [x, y]}\n"},
    {"", "  mount: {type: universal, between: [rod, ground], at: T, axes: [y, x]}\n"},
    {MASSLESS("m1"), "  mx: {type: revolute, between: [ground, m1], at: T, axis: x}\n"
                     "  my: {type: revolute, between: [m1, rod], at: T, axis: y}\n"},
};
static const part ties[] = {
    {"", "  tie: {type: link, between: [ground, carrier], at: [J, I]}\n"},
    {"", "  tie: {type: link, between: [carrier, ground], at: [I, J]}\n"},
    {"  tie_rod: {mass: 0.5, inertia: [0.01, 0.01, 0.01], com: [dx + 0.13, dy + 0.47, dz + "
     "0.27]}\n",
     "  inner: {type: universal, between: [ground, tie_rod], at: J, axes: [z, x]}\n"
     "  outer: {type: spherical, between: [carrier, tie_rod], at: I}\n"},
};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// Closed by square roots, from the coordinate that `initial` starts, to rounding.
static void check(const char *text, const char *independent) {
    mech k = mech_text("rewritten", text, NULL);
    if (k.status) print_error("%s", text);
    assert_made(&k);
    if (ct_close_named(k.ctx, k.s, 0, NULL)) fail_msg("not closed:\n%s", text);
    const ct_closed *closed = k.s->closed;
    const ct_closure *c = closed->closure;
    double most;
    int step;
    bool good = c->n_iterated == 0 && c->triangular;
    for (int i = 0; i < c->n_steps; i++) good = good && c->steps[i].degree <= 2;
    if (independent)
        good = good && c->r == 1 && !strcmp(c->f->names[c->independent[0]], independent);
    good = good && ct_close_probe(closed->at, c, &most, &step) && most < 1e-12;
    good = good && ct_close_probe_wide(closed->at, c, 0.1, &most) > 0.5 && most < 1e-12;
    if (!good) fail_msg("%d iterated, residual %.1e:\n%s", c->n_iterated, most, text);
    mech_clear(&k);
}

// Joints and bodies of five parts, first to last or last to first.
static void strut(void **state) {
    (void)state;
    enum { SPELLINGS = 24 };
    uint64_t random = 11;
    for (int i = 0; i < SPELLINGS; i++) {
        // each spelling of each part in turn, the others at random
        int at[5], n[5] = {COUNT(hinges), COUNT(balls), COUNT(struts), COUNT(mounts), COUNT(ties)};
        const part *lists[5] = {hinges, balls, struts, mounts, ties};
        for (int k = 0; k < 5; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            at[k] = i % 5 == k ? i / 5 % n[k] : (int)((random >> 33) % (uint64_t)n[k]);
        }
        bool back = i % 2 != 0;
        char *bodies = ct_format(points, i % 3 - 1, i % 2, i % 4), *joints = ct_format("%s", "");
        for (int s = 0; s < 5; s++) {
            const part *p = lists[back ? 4 - s : s] + at[back ? 4 - s : s];
            char *more = ct_format("%s%s", bodies, p->bodies),
                 *added = ct_format("%s%s", joints, p->joints);
            ct_free(bodies);
            ct_free(joints);
            bodies = more;
            joints = added;
        }
        char *text =
            ct_format("%s" CARRIER "joints:\n%sinitial: {hinge: [0, 0.1]}\n", bodies, joints);
        check(text, "hinge");
        ct_free(text);
        ct_free(bodies);
        ct_free(joints);
    }
}

// A platform with an articulated plate on pairs of links; a 3-RPS robot from its pose, from either
// side; a plate on six links of which the carrier is welded of two.
static void platforms(void **state) {
    (void)state;
    static const char *const files[] = {"h4", "three_rps", "three_prs", "plate_on_links",
                                        "strut_of_hinges"};
    for (int i = 0; i < COUNT(files); i++) {
        char *path = ct_format("%s/tests/mechanisms/%s.yaml", CT_SOURCE_DIR, files[i]);
        char *text = read_text(path);
        check(text, NULL);
        ct_free(text);
        ct_free(path);
    }
}

// An H4 robot written from its last leg on: the part that turns comes first, the bars that keep
// their orientation behind it. Ends of links are welded to one of the bars.
static void platform_backwards(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies:\n"
        "  c3: {mass: 0.4, inertia: [0.001, 0.001, 0.001], com: [0.58, -0.42, 0]}\n"
        "  c2: {mass: 0.4, inertia: [0.001, 0.001, 0.001], com: [-0.6, -0.38, 0]}\n"
        "  c1: {mass: 0.4, inertia: [0.001, 0.001, 0.001], com: [-0.55, 0.4, 0]}\n"
        "  c0: {mass: 0.4, inertia: [0.001, 0.001, 0.001], com: [0.6, 0.35, 0]}\n" MASSLESS(
            "end") "  nacelle: {mass: 0.5, inertia: [0.004, 0.004, 0.004], com: [0.01, 0, -0.62]}\n"
                   "  bar2: {mass: 0.3, inertia: [0.003, 0.001, 0.003], com: [0, -0.1, -0.6]}\n"
                   "  bar1: {mass: 0.3, inertia: [0.003, 0.001, 0.003], com: [0, 0.1, -0.6]}\n"
                   "joints:\n"
                   "  h2: {type: revolute, between: [nacelle, bar2], at: [0, -0.1, -0.6], axis: "
                   "z}\n"
                   "  h1: {type: revolute, between: [bar1, nacelle], at: [0, 0.1, -0.6], axis: z}\n"
                   "  weld: {type: fixed, between: [end, bar2]}\n"
                   "  s3: {type: prismatic, between: [ground, c3], at: [0.58, -0.42, 0], axis: z}\n"
                   "  l31: {type: link, between: [end, c3], at: [[0.075, -0.06, -0.6], [0.535, "
                   "-0.38, 0]]}\n"
                   "  l30: {type: link, between: [c3, bar2], at: [[0.625, -0.46, 0], [0.165, "
                   "-0.14, -0.6]]}\n"
                   "  s2: {type: prismatic, between: [c2, ground], at: [-0.6, -0.38, 0], axis: z}\n"
                   "  l21: {type: link, between: [c2, bar2], at: [[-0.65, -0.41, 0], [-0.17, "
                   "-0.13, -0.6]]}\n"
                   "  l20: {type: link, between: [c2, end], at: [[-0.55, -0.35, 0], [-0.07, -0.07, "
                   "-0.6]]}\n"
                   "  s1: {type: prismatic, between: [ground, c1], at: [-0.55, 0.4, 0], axis: z}\n"
                   "  l11: {type: link, between: [c1, bar1], at: [[-0.59, 0.445, 0], [-0.16, "
                   "0.145, -0.6]]}\n"
                   "  l10: {type: link, between: [bar1, c1], at: [[-0.08, 0.055, -0.6], [-0.51, "
                   "0.355, 0]]}\n"
                   "  s0: {type: prismatic, between: [ground, c0], at: [0.6, 0.35, 0], axis: z}\n"
                   "  l01: {type: link, between: [c0, bar1], at: [[0.57, 0.3, 0], [0.09, 0.05, "
                   "-0.6]]}\n"
                   "  l00: {type: link, between: [c0, bar1], at: [[0.63, 0.4, 0], [0.15, 0.15, "
                   "-0.6]]}\n";
    check(text, NULL);
}

// A 3-RPS robot with its balls as three hinges each.
static void legs_of_hinges(void **state) {
    (void)state;
    static const char *const radial[] = {"[0, 1, 0]", "[-0.8, -0.6, 0]", "[0.8, -0.6, 0]"};
    static const double at[][2] = {{0.5, 0}, {-0.3, 0.4}, {-0.3, -0.4}};
    char *bodies = ct_format("%s", "cotree: 1\nbodies:\n  plate: {mass: 2, inertia: [0.18, 0.2, "
                                   "0.23], com: [0, 0, 0.8]}\n"),
         *joints = ct_format("%s", "joints:\n");
    for (int i = 0; i < 3; i++) {
        double x = at[i][0], y = at[i][1];
        char *more =
            ct_format("%s  lo%d: {mass: 0.5, inertia: [0.005, 0.006, 0.007]}\n"
                      "  up%d: {mass: 0.5, inertia: [0.005, 0.006, 0.007]}\n" MASSLESS("one%d")
                          MASSLESS("two%d"),
                      bodies, i, i, i, i);
        char *added = ct_format(
            "%s  r%d: {type: revolute, between: [lo%d, ground], at: [%g, %g, 0], axis: %s}\n"
            "  p%d: {type: prismatic, between: [lo%d, up%d], at: [%g, %g, 0], axis: [%g, %g, 1]}\n"
            "  x%d: {type: revolute, between: [one%d, up%d], at: [%g, %g, 0.8], axis: x}\n"
            "  y%d: {type: revolute, between: [one%d, two%d], at: [%g, %g, 0.8], axis: y}\n"
            "  z%d: {type: revolute, between: [plate, two%d], at: [%g, %g, 0.8], axis: z}\n",
            joints, i, i, x, y, radial[i], i, i, i, x, y, -x / 2, -y / 2, i, i, i, 0.6 * x, 0.6 * y,
            i, i, i, 0.6 * x, 0.6 * y, i, i, 0.6 * x, 0.6 * y);
        ct_free(bodies);
        ct_free(joints);
        bodies = more;
        joints = added;
    }
    char *text = ct_format("%s%s", bodies, joints);
    check(text, NULL);
    ct_free(text);
    ct_free(bodies);
    ct_free(joints);
}

// A Gough-Stewart platform whose universal joints are two hinges and whose balls are hinges in a row,
// about axes that are perpendicular or not, in every leg another spelling.
static void platform_of_hinges(void **state) {
    (void)state;
    static const double foot[][2] = {{-0.62, 1.37}, {-0.88, 1.22}, {-0.9, -1.2},
                                     {-0.6, -1.4},  {1.5, -0.15},  {1.5, 0.18}},
                        head[][2] = {{0.17, 0.6},   {-0.6, 0.15},  {-0.58, -0.15},
                                     {0.17, -0.58}, {0.43, -0.45}, {0.41, 0.44}};
    static const char *const axes[][3] = {
        {"x", "y", "z"}, {"[1, 1, 0]", "[1, -1, 0]", "z"}, {"x", "[1, 2, 0]", "[0, 1, 3]"}};
    ct_text bodies = {0}, joints = {0};
    ct_text_printf(&bodies, "cotree: 1\nbodies:\n  plate: {mass: 1.5, inertia: [0.08, 0.09, 0.1], "
                            "com: [0, 0, 1.5]}\n");
    for (int i = 0; i < 6; i++) {
        const char *const *about = axes[i % 3];
        char *low = ct_scratch_format("[%g, %g, 0]", foot[i][0], foot[i][1]),
             *high = ct_scratch_format("[%g, %g, 1.5]", head[i][0], head[i][1]);
        ct_text_printf(&bodies,
                       "  lo%d: {mass: 0.1, inertia: [0.006, 0.006, 0.001]}\n"
                       "  up%d: {mass: 0.1, inertia: [0.006, 0.006, 0.001]}\n" MASSLESS("u%d")
                           MASSLESS("v%d"),
                       i, i, i, i);
        ct_text_printf(&joints,
                       "  a%d: {type: revolute, between: [ground, u%d], at: %s, axis: x}\n"
                       "  b%d: {type: revolute, between: [lo%d, u%d], at: %s, axis: y}\n"
                       "  p%d: {type: prismatic, between: [lo%d, up%d], at: %s, axis: [%s, %s]}\n",
                       i, i, low, i, i, i, low, i, i, i, low, low, high);
        // three hinges, or a universal joint and a hinge
        if (i % 2) {
            ct_text_printf(&bodies, MASSLESS("w%d"), i);
            ct_text_printf(&joints,
                           "  c%d: {type: revolute, between: [v%d, up%d], at: %s, axis: %s}\n"
                           "  d%d: {type: revolute, between: [v%d, w%d], at: %s, axis: %s}\n"
                           "  e%d: {type: revolute, between: [w%d, plate], at: %s, axis: %s}\n",
                           i, i, i, high, about[0], i, i, i, high, about[1], i, i, high, about[2]);
        } else {
            ct_text_printf(&joints,
                           "  c%d: {type: universal, between: [up%d, v%d], at: %s, axes: [%s, "
                           "%s]}\n  e%d: {type: revolute, between: [plate, v%d], at: %s, axis: "
                           "%s}\n",
                           i, i, i, high, about[0], about[1], i, i, high, about[2]);
        }
    }
    char *text = ct_format("%sjoints:\n%s", bodies.s, joints.s);
    check(text, NULL);
    ct_free(text);
    ct_text_clear(&bodies);
    ct_text_clear(&joints);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strut), cmocka_unit_test(platforms), cmocka_unit_test(platform_backwards),
        cmocka_unit_test(legs_of_hinges), cmocka_unit_test(platform_of_hinges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
