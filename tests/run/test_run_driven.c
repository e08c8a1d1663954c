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

static char *made(uint64_t seed, int family) {
    static const double sizes[] = {1, 1, 1e-6, 3e4};
    maker k = {.state = seed * 77 + 5};
    k.size = sizes[one_of(&k, 4)];
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
static double size_of_column(const table *t, int c) {
    double most = 1e-12;
    for (int r = 0; r < t->n; r++) most = fmax(most, fabs(table_at(t, r, c)));
    return most;
}

// Largest acceleration of a row, each of the largest coordinate of its column.
static double acceleration(const table *t, int row) {
    int n = (t->columns - 1) / 3;
    double most = 0;
    for (int c = 1; c <= n; c++)
        most = fmax(most, fabs(table_at(t, row, c + 2 * n)) / size_of_column(t, c));
    return most;
}

// Compares coordinates row by row.
static bool alike(const table *a, const table *b) {
    int n = (a->columns - 1) / 3;
    for (int c = 1; c <= n; c++)
        for (int r = 0; r < a->n && r < b->n; r++)
            if (!(fabs(table_at(a, r, c) - table_at(b, r, c)) <= 1e-7 * size_of_column(a, c)))
                return false;
    return true;
}

// One mechanism by three methods. Returns how many went all the way; -1: it has more freedoms or
// fewer.
static int compare(uint64_t seed, int family) {
    static const char *const methods[] = {"newton", "triangular", "newton-loops"};
    char *text = made(seed, family);
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
        bool good = status[i] == status[0] && abs(t[i].n - t[0].n) <= 1 && alike(t + i, t);
        // an end is where accelerations grow without bound
        if (status[i] && t[i].n > 8)
            good = good && acceleration(t + i, t[i].n - 1) > 10 * acceleration(t + i, t[i].n / 2);
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
    enum { EACH = 14 };
    int through = 0, made_up = 0;
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 1; seed <= EACH; seed++) {
            int n = compare(seed, family);
            made_up += n >= 0;
            through += n == 3;
            print_message("%d %d: %d\n", family, (int)seed, n);
        }
    assert_true(made_up >= FAMILIES * EACH / 2 && through >= FAMILIES * EACH / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
