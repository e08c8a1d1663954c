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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strut), cmocka_unit_test(platforms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
