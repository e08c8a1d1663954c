// Tyres in states where formulas fail: at rest, in the air, lying down, sliding, on ice; their
// signs and their symmetry; and that a round wheel's angle of spin is nowhere in the equations.
// What they should give elsewhere stands in the references of tests/models/tyre_*.yaml, made by an
// independent program; that power is accounted for, test_formulation checks.
#include "harness.h"

#define COEFFICIENTS                                                                               \
    "{FNOMIN: 3800, BREFF: 7, DREFF: 0.25, FREFF: 0.01, LONGVL: 16.7, PCX1: 1.5587, PDX1: 1.09, "  \
    "PDX2: -0.079, PEX1: 0.274, PEX4: -0.3, PKX1: 19.7, PKX3: 0.124, PHX1: -0.0018, RBX1: 14.9, "  \
    "RBX2: -10.5, RCX1: 1.13, REX1: 0.62, RHX1: 0.0017, PCY1: 1.4675, PDY1: 0.94, PDY2: -0.177, "  \
    "PEY1: 0.004, PEY3: 41.5, PKY1: -12.5, PKY2: 1.39, PKY3: -0.93, PHY1: 0.0025, PHY3: 0.0376, "  \
    "PVY1: 0.031, PVY3: -0.38, RBY1: 5.5, RBY2: 2.8, RCY1: 1.08, RVY1: 0.0076, RVY5: 1.9, "        \
    "RVY6: 5, QSX2: 0.1, QSX3: 0.02, QSY1: 0.01, QSY4: 0.001, QBZ1: 9.28, QBZ9: 13.9, "            \
    "QCZ1: 1.11, QDZ1: 0.143, QDZ6: -0.0074, QDZ8: -0.17, QEZ1: -2.92, QEZ4: 0.33, QHZ1: 0.002, "  \
    "QHZ3: 0.147, SSZ1: 0.026, SSZ3: 0.39}"

// A wheel that flies freely: yaw, roll (camber) and spin; `more` stands in the tyre.
#define WHEEL(more)                                                                                \
    "cotree: 1\n"                                                                                  \
    "bodies: {wheel: {mass: 20, inertia: [0.6, 1, 0.6]}}\n"                                        \
    "joints: {p: {type: free, between: [ground, wheel], sequence: zxy}}\n"                         \
    "forces:\n"                                                                                    \
    "  T: {type: tyre, on: wheel, radius: 0.3, stiffness: 175000, damping: 500, " more             \
    "coefficients: " COEFFICIENTS "}\n"                                                            \
    "outputs: {a: fx(T), b: fy(T), c: fz(T), d: mx(T), e: my(T), f: mz(T), k: slip(T), "           \
    "l: slip_angle(T), m: camber(T)}\n"

typedef struct state { // x y z yaw roll spin, and their rates
    double q[6], qd[6];
} state;

static void evaluate(const mech *k, const state *s, double *y) {
    const ct_formulation *f = ct_system_formulation(k->s);
    ct_numbers x;
    ct_model_numbers(k->model, &x);
    ct_numbers_set(&x, 6, f->q, s->q);
    ct_numbers_set(&x, 6, f->qd, s->qd);
    ct_numbers_eval(&x, CT_TYRE_QUANTITY_COUNT, f->outputs, y);
    double forcing[6];
    ct_numbers_eval(&x, 6, f->forcing, forcing);
    for (int i = 0; i < 6; i++) assert_true(isfinite(forcing[i]));
    for (int i = 0; i < CT_TYRE_QUANTITY_COUNT; i++) assert_true(isfinite(y[i]));
    ct_numbers_clear(&x);
}

static void of(const char *text, const state *s, double *y) {
    mech k = mech_text("wheel.yaml", text, "joint");
    assert_int_equal(k.status, CT_OK);
    assert_int_equal(ct_system_formulation(k.s)->n, 6);
    evaluate(&k, s, y);
    mech_clear(&k);
}

static void finite_everywhere(void **unused) {
    (void)unused;
    static const state states[] = {
        {{0, 0, 0.28, 0, 0, 0}, {0}},                                   // at rest
        {{0, 0, 0.28, 0, 0, 0}, {0, 0, 0, 0, 0, 100}},                  // spinning at rest
        {{0, 0, 0.28, 0, 0, 0}, {0, 5, 0, 0, 0, 0}},                    // sliding sideways
        {{0, 0, 0.28, 0, 0, 0}, {30, 0, 0, 0, 0, 0}},                   // locked
        {{0, 0, 0.28, 0, 0, 0}, {1e-9, 0, 0, 0, 0, -1e3}},              // spinning backwards
        {{0, 0, 0.3, 0, 0, 0}, {10, 0, 0, 0, 0, 33}},                   // just touching
        {{0, 0, 0, 0, 0, 0}, {10, 0, 0, 0, 0, 33}},                     // its centre in the road
        {{0, 0, 0.05, 1, 1.5707963267948966, 0}, {10, 1, 0, 0, 0, 33}}, // lying down
        {{0, 0, -0.5, 1, 0.3, 0}, {-10, 1, 2, 1, 1, 33}},               // buried
    };
    static const char *const wheels[] = {WHEEL(""), WHEEL("friction: 0, "), WHEEL("mirror: true, "),
                                         WHEEL("slip_speed: 1e-6, ")};
    for (size_t w = 0; w < sizeof wheels / sizeof *wheels; w++)
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            double y[CT_TYRE_QUANTITY_COUNT];
            of(wheels[w], states + i, y);
        }
}

static void nothing_in_the_air(void **unused) {
    (void)unused;
    static const state states[] = {
        {{0, 0, 0.4, 0, 0.1, 0}, {20, 1, -3, 1, 1, 50}},
        {{0, 0, 0.29, 0, 0, 0}, {20, 1, 9, 1, 1, 50}}, // leaving faster than it springs back
    };
    for (int i = 0; i < 2; i++) {
        double y[CT_TYRE_QUANTITY_COUNT];
        of(WHEEL(""), states + i, y);
        for (int k = 0; k < CT_TYRE_SLIP; k++) assert_true(y[k] == 0);
    }
}

static void signs(void **unused) {
    (void)unused;
    double y[CT_TYRE_QUANTITY_COUNT];
    of(WHEEL(""), &(state){{0, 0, 0.28}, {20, 0, 0, 0, 0, 50}}, y); // braked
    assert_true(y[CT_TYRE_SLIP] < -0.1 && y[CT_TYRE_FX] < -3000 && fabs(y[CT_TYRE_FY]) < 100);
    assert_true(fabs(y[CT_TYRE_FZ] - 3500) < 1e-9 && y[CT_TYRE_MY] < 0);
    of(WHEEL(""), &(state){{0, 0, 0.28}, {20, 0, 0, 0, 0, 90}}, y); // driven
    assert_true(y[CT_TYRE_SLIP] > 0.1 && y[CT_TYRE_FX] > 3000);
    of(WHEEL(""), &(state){{0, 0, 0.28}, {20, 1, 0, 0, 0, 68}}, y); // sliding to the left
    assert_true(y[CT_TYRE_SLIP_ANGLE] > 0.04 && y[CT_TYRE_FY] < -1000);
    assert_true(y[CT_TYRE_MZ] > 10); // which turns it into its course
    of(WHEEL(""), &(state){{0, 0, 0.28, 0, 0.1}, {20, 0, 0, 0, 0, 68}}, y); // leaning to the right
    assert_true(fabs(y[CT_TYRE_CAMBER] - 0.1) < 1e-15 && y[CT_TYRE_FY] < -100);
    of(WHEEL("friction: 0, "), &(state){{0, 0, 0.28}, {20, 5, 0, 0, 0, 0}}, y);
    assert_true(y[CT_TYRE_FX] == 0 && y[CT_TYRE_FY] == 0 && y[CT_TYRE_FZ] > 0);
}

static void mirror_image(void **unused) {
    (void)unused;
    // y, yaw and roll change sign
    state left = {{0, 0, 0.28, 0.2, 0.1, 0.4}, {20, 2, -0.1, 0.3, -0.2, 66}}, right = left;
    static const int odd[] = {1, 3, 4};
    for (int i = 0; i < 3; i++) {
        right.q[odd[i]] = -right.q[odd[i]];
        right.qd[odd[i]] = -right.qd[odd[i]];
    }
    double a[CT_TYRE_QUANTITY_COUNT], b[CT_TYRE_QUANTITY_COUNT];
    static const double sign[CT_TYRE_QUANTITY_COUNT] = {1, -1, 1, -1, 1, -1, 1, -1, -1};
    of(WHEEL(""), &left, a);
    of(WHEEL("mirror: true, "), &right, b);
    for (int i = 0; i < CT_TYRE_QUANTITY_COUNT; i++)
        assert_true(difference(a[i], sign[i] * b[i]) < 1e-12);
    of(WHEEL(""), &right, b); // the measured side only
    assert_true(fabs(a[CT_TYRE_FY] + b[CT_TYRE_FY]) > 10);
}

// The coordinate with this name, as a symbol.
static ct_ex coordinate(const mech *k, const char *name) {
    return k->model->coordinates[ct_model_coordinate(k->model, name)].q;
}

static void spin_does_not_matter(void **unused) {
    (void)unused;
    static const char *const names[][2] = {{"tyre_rig", "spin"}, {"vehicle_14dof", "spin_fl"}};
    for (int i = 0; i < 2; i++) {
        mech k = mech_model(names[i][0], "joint");
        assert_int_equal(k.status, CT_OK);
        const ct_formulation *f = ct_system_formulation(k.s);
        ct_ex spin = coordinate(&k, names[i][1]);
        for (int r = 0; r < f->n * f->n; r++) assert_false(ct_depends(f->pool, f->mass[r], spin));
        for (int r = 0; r < f->n; r++) assert_false(ct_depends(f->pool, f->forcing[r], spin));
        assert_false(ct_depends(f->pool, f->power, spin));
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(finite_everywhere),
                                       cmocka_unit_test(nothing_in_the_air),
                                       cmocka_unit_test(signs), cmocka_unit_test(mirror_image),
                                       cmocka_unit_test(spin_does_not_matter)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
