// Driven motions over a whole turn. Random mechanisms with slots, links, racks and oblique slides:
// closures find what Newton's iteration over all rows finds, through places where a step taken alone
// would divide by zero, and they end where it ends: where accelerations grow without bound. And
// motions that come to a place where branches meet, or bend there themselves.
#include "harness.h"

#define HEAD "cotree: 1\nbodies:\n"

// random mechanisms -------------------------------------------------------------------------------
typedef struct maker {
    uint64_t state;
    ct_text text;
    double size;
} maker;

static double in(maker *k, double most) {
    return most * noise(&k->state);
}

static int one_of(maker *k, int n) {
    return (int)(n * 0.5 * (1 + noise(&k->state))) % n;
}

static void point(maker *k, const double *p, bool last) {
    ct_text_printf(&k->text, "[%.9g, %.9g, %.9g]%s", k->size * p[0], k->size * p[1], k->size * p[2],
                   last ? "]" : ", ");
}

// A direction; `space`: not in the plane.
static void direction(maker *k, bool space, double *u) {
    double angle = in(k, 3.14), height = space ? in(k, 0.8) : 0;
    u[0] = cos(angle) * sqrt(1 - height * height);
    u[1] = sin(angle) * sqrt(1 - height * height);
    u[2] = height;
}

// Holds a body by a link (one row in the plane or in space), by a line in either body (one row in
// the plane), or by a plane (one row in space). Bodies are drawn as they start.
static void hold(maker *k, const char *name, const char *body, const char *to, bool space) {
    // a point of the body near its axis; the other one far enough away for a whole turn
    double p[3] = {in(k, 0.3), in(k, 0.3), space ? in(k, 0.3) : 0}, u[3], q[3];
    double way = 1.5 + in(k, 0.5);
    int kind = one_of(k, 3);
    direction(k, space, u);
    for (int i = 0; i < 3; i++) q[i] = space && kind < 2 ? p[i] : p[i] + way * u[i];
    const char *types[] = {space ? "inplane" : "inline", space ? "inplane" : "inline", "link"};
    ct_text_printf(&k->text, "  %s: {type: %s, between: [%s, %s], at: [", name, types[kind],
                   kind == 1 ? to : body, kind == 1 ? body : to);
    point(k, p, false);
    point(k, q, true);
    if (kind < 2) ct_text_printf(&k->text, ", axis: [%.9g, %.9g, %.9g]", u[0], u[1], u[2]);
    ct_text_add(&k->text, "}\n");
}

static void joint(maker *k, const char *name, const char *type, const char *between, bool space,
                  const char *axis) {
    double p[3] = {in(k, 0.4), in(k, 0.4), space ? in(k, 0.4) : 0}, u[3];
    ct_text_printf(&k->text, "  %s: {type: %s, between: [%s], at: [", name, type, between);
    point(k, p, false);
    point(k, p, true);
    direction(k, space, u);
    if (axis)
        ct_text_printf(&k->text, ", axis: %s}\n", axis);
    else
        ct_text_printf(&k->text, ", axis: [%.9g, %.9g, %.9g]}\n", u[0], u[1], u[2]);
}

enum { FAMILIES = 6 };

static char *made(uint64_t seed, int family, double *size) {
    static const double sizes[] = {1, 1, 1e-6, 3e4};
    maker k = {.state = seed * 77 + 5};
    *size = k.size = sizes[one_of(&k, 4)];
    static const char *const bodies[] = {"b", "ab", "ab", "abc", "abc", "ab"};
    ct_text_add(&k.text, HEAD);
    for (const char *b = bodies[family]; *b; b++)
        ct_text_printf(&k.text, "  %c: {mass: 1, inertia: [1, 1, 1]}\n", *b);
    ct_text_add(&k.text, "joints:\n");
    switch (family) {
    case 0: // a plate that turns
        joint(&k, "D", "planar", "ground, b", false, "z");
        hold(&k, "h", "b", "ground", false);
        hold(&k, "i", "b", "ground", false);
        break;
    case 1: // a crank and a plate
        joint(&k, "D", "revolute", "ground, a", false, "z");
        joint(&k, "A", "revolute", "a, b", false, "z");
        hold(&k, "h", "b", "ground", false);
        break;
    case 2: // a yoke
        joint(&k, "D", "revolute", "ground, a", false, "z");
        joint(&k, "S", "prismatic", "ground, b", false, NULL);
        hold(&k, "h", "b", "a", false);
        break;
    case 3: // a rack that moves a rocker
        joint(&k, "D", "revolute", "ground, a", false, "z");
        joint(&k, "S", "prismatic", "ground, b", false, NULL);
        joint(&k, "A", "revolute", "b, c", false, "z");
        ct_text_printf(&k.text, "  R: {type: rack, joints: [D, S], radius: %.9g}\n", 0.05 * k.size);
        hold(&k, "h", "c", "a", false);
        break;
    case 4: // two slides, and a plate that turns
        joint(&k, "X", "prismatic", "ground, a", false, NULL);
        joint(&k, "Y", "prismatic", "a, b", false, NULL);
        joint(&k, "D", "revolute", "b, c", false, "z");
        hold(&k, "h", "c", "ground", false);
        hold(&k, "i", "c", "ground", false);
        break;
    default: // a crank and a cylinder in space
        joint(&k, "D", "revolute", "ground, a", true, NULL);
        joint(&k, "C", "cylindrical", "ground, b", true, NULL);
        hold(&k, "h", "b", "a", true);
        hold(&k, "i", "b", "a", true);
    }
    ct_text_printf(&k.text, "motions: {D%s: 2*pi*t}\n", family ? "" : ".angle");
    return ct_text_take(&k.text);
}

// comparing ---------------------------------------------------------------------------------------
// Largest value of a column; at least a little of the size of the mechanism.
static double size_of_column(const table *t, int c, double size) {
    double most = 1e-6 * size;
    for (int r = 0; r < t->n; r++) most = fmax(most, fabs(table_at(t, r, c)));
    return most;
}

// Largest acceleration of a row, each of the largest coordinate of its column.
static double acceleration(const table *t, int row, double size) {
    int n = (t->columns - 1) / 3;
    double most = 0;
    for (int c = 1; c <= n; c++)
        most = fmax(most, fabs(table_at(t, row, c + 2 * n)) / size_of_column(t, c, size));
    return most;
}

// Compares coordinates row by row.
static bool alike(const table *a, const table *b, double size) {
    int n = (a->columns - 1) / 3;
    for (int c = 1; c <= n; c++) {
        double most = 1e-7 * size_of_column(a, c, size);
        for (int r = 0; r < a->n && r < b->n; r++)
            if (!(fabs(table_at(a, r, c) - table_at(b, r, c)) <= most)) return false;
    }
    return true;
}

// One mechanism by three methods. Returns how many went all the way; -1: it has more freedoms or
// fewer.
static int compare(uint64_t seed, int family) {
    static const char *const methods[] = {"newton", "triangular", "newton-loops"};
    double size;
    char *text = made(seed, family, &size);
    mech k = mech_text("driven", text, NULL);
    table t[3];
    ct_status status[3];
    int whole = 0;
    for (int i = 0; i < 3; i++) {
        run_settings w = {.kinematics = true, .method = methods[i], .time = 1, .step = 1e-3};
        w.output_step = 2e-3;
        status[i] = k.status ? k.status : run_rows(&k, &w, t + i, NULL);
        if (i == 0 && status[i] && status[i] != CT_NUMERICS) {
            if (!k.status) table_clear(t);
            mech_clear(&k);
            ct_free(text);
            return -1;
        }
        // the same rows, to the same end
        bool good = status[i] == status[0] && abs(t[i].n - t[0].n) <= 1 && alike(t + i, t, size);
        // an end is where accelerations grow without bound
        if (status[i] && t[i].n > 8)
            good = good && acceleration(t + i, t[i].n - 1, size) >
                               10 * acceleration(t + i, t[i].n / 2, size);
        if (!good) {
            print_error("%s ends with %d after %d rows, newton with %d after %d\n%s", methods[i],
                        status[i], t[i].n, status[0], t[0].n, text);
            print_messages(k.ctx);
        }
        assert_true(good);
        whole += !status[i];
    }
    for (int i = 0; i < 3; i++) table_clear(t + i);
    mech_clear(&k);
    ct_free(text);
    return whole;
}

static void whole_turns(void **state) {
    (void)state;
    // seeds that give both: whole turns and ends
    static const uint64_t seeds[FAMILIES][2] = {{5, 7}, {1, 2}, {3, 6}, {1, 4}, {8, 11}, {1, 2}};
    int through = 0, ended = 0;
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t k = 0; k < (soaking() ? 40 : 2); k++) {
            int n = compare(k < 2 ? seeds[family][k] : 20 + k, family);
            ended += n == 0;
            through += n == 3;
        }
    assert_true(through >= 6 && ended >= 2);
}

// single mechanisms -------------------------------------------------------------------------------
// A plate on a pin in its slot and on a link: taken alone, the slot gives no x where the plate
// stands upright, and no y where it lies.
static const char slot[] = "cotree: 1\n"
                           "bodies: {plate: {mass: 1, inertia: 0.1}}\n"
                           "joints:\n"
                           "  pose: {type: planar, between: [ground, plate], axis: z}\n"
                           "  pin: {type: inline, between: [plate, ground], at: [[0.1, 0.05, 0], "
                           "[0.2, 0.1, 0]], axis: x}\n"
                           "  rod: {type: link, between: [ground, plate], at: [[-0.5, 0.3, 0], "
                           "[0.3, 0.4, 0]], length: 0.9}\n"
                           "motions: {pose.angle: 0.8 + t}\n"
                           "guess: {pose.x: -0.2, pose.y: 0.1}\n";

// At 2 s, by every method, whether steps meet the place or not.
static void upright_plate(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", "newton", NULL};
    static const double steps[] = {0.01, 0.5, 1.57079632679489662 - 0.8};
    mech k = mech_text("slot", slot, NULL);
    assert_made(&k);
    for (int i = 0; i < 4; i++)
        for (int h = 0; h < 6; h++) {
            run_settings w = {.method = methods[i], .time = 2, .step = steps[h / 2]};
            w.kinematics = h % 2;
            w.output_step = w.step;
            table t = run_mech(&k, &w, NULL);
            assert_near(table_last(&t, "pose.x"), -0.983334236278877, 1e-9);
            assert_near(table_last(&t, "pose.y"), 0.573776652876238, 1e-9);
            table_clear(&t);
        }
    mech_clear(&k);
}

// It starts where the slot gives no x.
static void starts_upright(void **state) {
    (void)state;
    char *text = ct_format("%.*s{pose.angle: pi/2 + t}\nguess: {pose.x: 0.25, pose.y: 0.83}\n",
                           (int)(strstr(slot, "{pose.angle") - slot), slot);
    mech k = mech_text("slot", text, NULL);
    assert_made(&k);
    table t[2];
    for (int i = 0; i < 2; i++) {
        run_settings w = {.kinematics = true, .method = i ? "newton" : "triangular", .time = 1};
        w.step = w.output_step = 0.01;
        t[i] = run_mech(&k, &w, NULL);
    }
    assert_true(alike(t, t + 1, 1));
    for (int i = 0; i < 2; i++) table_clear(t + i);
    mech_clear(&k);
    ct_free(text);
}

// Only j2 moves: the loop j1 j3 j4 j5 is rigid, and the signs of its square roots hold each other.
static const char rigid[] =
    "cotree: 1\n"
    "points: {P0: [-0.497, -0.431, -0.706], P1: [-0.225, 0.108, -0.078], P2: [0.159, -0.466, "
    "0.779], P3: [-0.014, 0.013, -0.139], P4: [-0.454, -0.014, -0.124], P5: [0.488, 0.498, "
    "-0.249]}\n"
    "bodies:\n"
    "  b1: {mass: 1.524, inertia: [0.1, 0.1, 0.1]}\n"
    "  b2: {mass: 2.991, inertia: [0.1, 0.1, 0.1]}\n"
    "  b3: {mass: 2.524, inertia: [0.1, 0.1, 0.1]}\n"
    "  b4: {mass: 1.911, inertia: [0.1, 0.1, 0.1]}\n"
    "  b5: {mass: 2.888, inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  j0: {type: revolute, between: [ground, b1], at: P0, axis: [-0.02, -0.66, -0.66], orient: "
    "[-0.08, 0.0, 0.0]}\n"
    "  j1: {type: revolute, between: [b2, ground], at: P1, axis: [-0.6, 0.0, 0.8]}\n"
    "  j2: {type: revolute, between: [b3, b2], at: P2, axis: [0.6, 0.8, 0.0]}\n"
    "  j3: {type: cylindrical, between: [b4, b2], at: P3, axis: [0.0, 0.6, 0.8], orient: [0.0, "
    "0.0, 0.87]}\n"
    "  j4: {type: cylindrical, between: [b4, b5], at: P4, axis: z}\n"
    "  j5: {type: revolute, between: [ground, b5], at: P5, axis: z}\n"
    "  c6: {type: perpendicular, between: [b4, b1], axes: [[0.46215778685257547, "
    "0.8228445081334784, -0.3306616026787861], [-0.801312879564741, 0.5472179594732924, "
    "0.24176470766749475]]}\n"
    "motions:\n"
    "  j2: \"0.0 + 0.433*(exp(-t) - 1)\"\n"
    "guess: {j0: 0.0, j1: 0.0, j3.slide: 0.0, j3.angle: 0.0, j4.slide: 0.0, j4.angle: 0.0, j5: "
    "0.0}\n"
    "simulate: {time: 0.1, step: 0.001}\n";

static void rigid_loop(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", "newton"};
    mech k = mech_text("rigid", rigid, NULL);
    assert_made(&k);
    for (int i = 0; i < 6; i++) {
        run_settings w = {.kinematics = i % 2, .method = methods[i / 2]};
        table t = run_mech(&k, &w, NULL);
        assert_near(table_last(&t, "j2"), 0.433 * (exp(-0.1) - 1), 1e-12);
        assert_near(table_last(&t, "j1"), 0, 1e-9);
        assert_near(table_last(&t, "j5"), 0, 1e-9);
        table_clear(&t);
    }
    mech_clear(&k);
}

// A parallelogram that is driven through its flat position, where a branch with crossed cranks
// begins: every method stays parallel, or ends there.
static void change_point(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, a], axis: z}\n"
        "  A: {type: revolute, between: [a, b], at: [[0.3, 0, 0], [0, 0, 0]], axis: z}\n"
        "  B: {type: revolute, between: [b, c], at: [[0.8, 0, 0], [0.3, 0, 0]], axis: z}\n"
        "  C: {type: revolute, between: [ground, c], at: [[0.8, 0, 0], [0, 0, 0]], axis: z}\n"
        "motions: {O: 1 + 3*t}\n"
        "guess: {C: 1, A: -1, B: 1}\n";
    static const char *const methods[] = {"triangular", "newton-loops", "newton"};
    static const double steps[] = {1e-3, 0.0371, 0.3};
    for (int i = 0; i < 9; i++) {
        mech k = mech_text("parallelogram", text, NULL);
        assert_made(&k);
        run_settings w = {.kinematics = true, .method = methods[i / 3], .time = 2};
        w.step = w.output_step = steps[i % 3];
        table t;
        ct_status status = run_rows(&k, &w, &t, NULL);
        assert_true(status == CT_OK || status == CT_NUMERICS);
        int o = table_column(&t, "O"), c = table_column(&t, "C");
        for (int r = 0; r < t.n; r++) assert_near(table_at(&t, r, c), table_at(&t, r, o), 1e-8);
        if (status) assert_true(table_last(&t, "O") > 3.14159 - 3.1 * w.step);
        table_clear(&t);
        mech_clear(&k);
    }
}

// A motion that stops at once bends every coordinate where nothing is singular: that is no branch.
static void bend_of_the_motion(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", "newton"};
    char *text = ct_format("%.*s{pose.angle: \"0.8 + min(t, 0.5037)\"}\n%s",
                           (int)(strstr(slot, "{pose.angle") - slot), slot, strstr(slot, "guess"));
    for (int i = 0; i < 3; i++) {
        mech k = mech_text("bend", text, NULL);
        assert_made(&k);
        run_settings w = {.kinematics = true, .method = methods[i], .time = 1, .step = 0.01};
        table t = run_mech(&k, &w, NULL);
        assert_near(table_last(&t, "pose.angle"), 1.3037, 1e-12);
        assert_near(table_last(&t, "pose.x'"), 0, 1e-12);
        table_clear(&t);
        mech_clear(&k);
    }
    ct_free(text);
}

// Compares kinematics and simulation by closed methods with Newton's iteration over all rows, row by
// row: the time, and `columns` of coordinates and their rates.
static void same_rows(const char *text, int columns, double most) {
    static const char *const methods[] = {"triangular", "newton-loops"};
    mech k = mech_text("rows", text, NULL);
    assert_made(&k);
    run_settings w = {.kinematics = true, .method = "newton"};
    table right = run_mech(&k, &w, NULL);
    for (int i = 0; i < 4; i++) {
        w = (run_settings){.kinematics = i % 2, .method = methods[i / 2]};
        table t = run_mech(&k, &w, NULL);
        assert_int_equal(t.n, right.n);
        for (int c = 0; c <= columns; c++)
            for (int r = 0; r < t.n; r++)
                assert_near(table_at(&t, r, c), table_at(&right, r, c), most);
        table_clear(&t);
    }
    table_clear(&right);
    mech_clear(&k);
}

// A loop whose rates a closure's form may leave without a value though all positions are right:
// simulation gives the rates of Newton's iteration over all rows, row by row.
static void simulated_rates(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]},\n"
        "  c: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  A: {type: universal, between: [ground, a], at: [[1.009, 0, -0.19], [0, 0, 0]],\n"
        "    orient: [[0.234, 0.125, 0.035], [1.961, -0.743, -1.787]],\n"
        "    axes: [[-0.465207716125819, 0.4365725873267119, 0.77005594397541],\n"
        "      [-0.6014208312262685, -0.7941897211896984, 0.08692336005777239]]}\n"
        "  B: {type: planar, between: [a, b],\n"
        "    at: [[0.79, -0.553, 0.792], [-0.276, -0.309, 0.453]],\n"
        "    orient: [[-1.09, -0.847, 0.378], [1.222, -1.022, 1.035]],\n"
        "    axis: [-0.988, -0.118, -0.095]}\n"
        "  C: {type: revolute, between: [b, c], at: [[1.012, -1.145, 0.375], [0, 0, 0]],\n"
        "    orient: [[0.98, -0.757, 0.17], [-2.872, -0.454, -1.667]], axis: z}\n"
        "  D: {type: cylindrical, between: [ground, c],\n"
        "    at: [[-0.022, -1, -0.028], [0.956, 0.738, 0.01]],\n"
        "    orient: [[-2.351, -0.293, 1.339], [-0.832, -0.694, 2.346]], axis: x}\n"
        "motions: {B.angle: -1.023 - 0.495*t + 0.138*sin(1.41*t), B.x: 0.728 - 0.184*t}\n"
        "guess: {A.1: -4.098, A.2: 2.297, B.y: 0.382, C: -1.069, D.slide: 0.603,\n"
        "  D.angle: 1.378}\n"
        "simulate: {time: 0.1, step: 0.005}\n";
    same_rows(text, 2 * 8, 1e-9);
}

// A Sarrus linkage: on its way the rows that are solved at the start come to depend on each other,
// while all rows together keep their rank.
static void redundant_rows(void **state) {
    (void)state;
    static const char text[] =
        "cotree: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]},\n"
        "  c: {mass: 1, inertia: [1, 1, 1]}, d: {mass: 1, inertia: [1, 1, 1]},\n"
        "  p: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], at: [[0, 1, 0], [0, 0, 0]], axis: x}\n"
        "  j2: {type: revolute, between: [a, b], at: [[0, 1, 0], [0, 0, 0]], axis: x}\n"
        "  j3: {type: revolute, between: [b, p], at: [[0, 1, 0], [0, 1, 0]], axis: x}\n"
        "  j4: {type: revolute, between: [ground, c], at: [[1, 0, 0], [0, 0, 0]], axis: y}\n"
        "  j5: {type: revolute, between: [c, d], at: [[1.2, 0, 0], [0, 0, 0]], axis: y}\n"
        "  j6: {type: revolute, between: [d, p], at: [[1.2, 0, 0], [1, 0, 0]],\n"
        "    orient: [[0, 0.75, 0], [0, -2.61, 0]], axis: y}\n"
        "motions: {j1: 0.3 + 3*t}\n"
        "guess: {j2: 2.5, j3: -2.8, j4: -0.2, j5: -2.6, j6: -0.56}\n"
        "simulate: {time: 0.4, step: 0.002}\n";
    same_rows(text, 2 * 6, 1e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_turns),     cmocka_unit_test(upright_plate),
        cmocka_unit_test(starts_upright),  cmocka_unit_test(rigid_loop),
        cmocka_unit_test(change_point),    cmocka_unit_test(bend_of_the_motion),
        cmocka_unit_test(simulated_rates), cmocka_unit_test(redundant_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
