// The start of a mechanism does not depend on how it lies in space, on its size, or on the order in
// which its joints are written: every model is turned, moved, scaled and reordered, and its joint
// coordinates and their rates must stay.
#include "assemble/assemble.h"
#include "formulate/vec.h"
#include "harness.h"

// Equations of many bodies in an oblique frame take seconds to write: these wait for `make soak`.
enum { MOST_BODIES = 8 };

typedef void change(ct_model *m, double *scale);

static ct_mat3 oblique(ct_pool *pool) { // a rotation with rational entries, no axis of it special
    static const int a[3][3] = {{-1, -18, 6}, {18, 1, 6}, {-6, 6, 17}}; // quaternion (3, 0, 1, 3)
    ct_mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.a[i][j] = ct_rational(pool, a[i][j], 19);
    return r;
}

// Everything on every body, ground included, is turned in the body's frame. Joint frames turn
// along, so that axes keep their components in them.
static void turned(ct_model *m, double *scale) {
    (void)scale;
    ct_mat3 r = oblique(m->pool);
    for (int i = 0; i < m->n_joints; i++)
        for (int s = 0; s < 2 && m->joints[i].body[0] >= 0; s++) {
            m->joints[i].at[s] = ct_mat_vec(m->pool, r, m->joints[i].at[s]);
            m->joints[i].orient[s] = ct_mat_mul(m->pool, r, m->joints[i].orient[s]);
        }
    for (int b = 0; b < m->n_bodies; b++)
        m->bodies[b].com = ct_mat_vec(m->pool, r, m->bodies[b].com);
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++) m->probes[i].at[s] = ct_mat_vec(m->pool, r, m->probes[i].at[s]);
}

static void moved(ct_model *m, double *scale) {
    (void)scale;
    ct_vec3 by =
        ct_vec(ct_rational(m->pool, 7, 3), ct_rational(m->pool, -3, 2), ct_int(m->pool, 5));
    for (int i = 0; i < m->n_joints; i++)
        for (int s = 0; s < 2; s++)
            if (m->joints[i].body[s] == 0 && m->joints[i].body[0] >= 0)
                m->joints[i].at[s] = ct_vec_add(m->pool, m->joints[i].at[s], by);
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++)
            if (m->probes[i].body[s] == 0)
                m->probes[i].at[s] = ct_vec_add(m->pool, m->probes[i].at[s], by);
}

static void scaled(ct_model *m, double *scale) {
    *scale = 1e-3;
    scale_lengths(m, ct_rational(m->pool, 1, 1000));
}

static void reordered(ct_model *m, double *scale) {
    (void)scale;
    for (int i = 0; i < m->n_joints / 2; i++) {
        ct_joint last = m->joints[m->n_joints - 1 - i];
        m->joints[m->n_joints - 1 - i] = m->joints[i];
        m->joints[i] = last;
    }
    for (int i = 0; i < m->n_coordinates; i++)
        m->coordinates[i].joint = m->n_joints - 1 - m->coordinates[i].joint;
}

// Couplings and motions may hold lengths, and components of points belong to the axes of ground:
// those that a change cannot follow are left out.
static bool applies(const ct_model *m, change *by) {
    bool lengths = by == scaled, world = by == turned || by == moved || by == scaled;
    for (int i = 0; i < m->n_joints; i++)
        if (m->joints[i].body[0] < 0 && (lengths || (world && m->n_probes))) return false;
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate < 0 && world) return false;
    return true;
}

// The angles and slides of every joint are those of the places of its bodies, up to whole turns and to
// the second solution of three angles, and what `initial` holds is held.
static void assert_consistent(const char *path, const char *what, const ct_assembly *a) {
    const ct_formulation *g = a->g;
    const ct_model *m = a->model;
    ct_numbers x;
    ct_model_numbers(m, &x);
    ct_numbers_set(&x, g->n, g->q, a->q);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!ct_joint_has_coordinates(j->type) || !ct_joint_rotations(j->type)) continue;
        ct_ex found[6];
        double value[6];
        int n = ct_formulation_edge(g, ct_graph_edge(g->graph, CT_EDGE_JOINT, i), found);
        ct_numbers_eval(&x, n, found, value);
        const double *joint = a->joint + j->first_coordinate + j->n_coordinates - n;
        int first = n - ct_joint_rotations(j->type);
        // in gimbal lock only the sum or difference of two angles is a number
        if (n - first == 3) {
            bool proper = j->sequence[0] == j->sequence[2];
            if (fabs(proper ? sin(value[n - 2]) : cos(value[n - 2])) < 1e-6) continue;
            if (fabs(remainder(joint[n - 3] - value[n - 3], 2 * M_PI)) > M_PI / 2) {
                value[n - 3] += M_PI;
                value[n - 2] = proper ? -value[n - 2] : M_PI - value[n - 2];
                value[n - 1] += M_PI;
            }
        }
        for (int k = first; k < n; k++)
            if (!(fabs(remainder(joint[k] - value[k], 2 * M_PI)) < 1e-7))
                fail_msg("%s, %s: angle %d of %s starts at %.12g, its rotation at %.12g", path,
                         what, k - first + 1, j->name, joint[k], value[k]);
    }
    for (int i = 0; i < m->n_initial; i++) {
        double want = ct_model_number(m, m->initial[i].value);
        if (!(fabs(a->joint[m->initial[i].coordinate] - want) <= 1e-12 * fmax(1, fabs(want))))
            fail_msg("%s, %s: %s is not held", path, what,
                     m->coordinates[m->initial[i].coordinate].name);
    }
    ct_numbers_clear(&x);
}

static void compare(const char *path, const char *what, change *by) {
    ct_context *ctx = ct_context_new();
    ct_model *m[2] = {NULL};
    ct_assembly *a[2] = {NULL};
    double scale = 1;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ct_model_read(ctx, path, 0, NULL, &m[k]), CT_OK);
        if (m[k]->n_bodies > MOST_BODIES && by == turned && !soaking()) goto done;
        if (k && applies(m[k], by)) by(m[k], &scale);
        if (ct_assembly_new(ctx, m[k], &a[k]) != CT_OK) {
            if (k) fail_msg("%s, %s: does not assemble: %s", path, what, ct_message(ctx, 0));
            goto done; // some models are there to be refused
        }
        assert_consistent(path, what, a[k]);
    }
    double length = ct_typical_length(m[0]);
    for (int i = 0; i < m[0]->n_coordinates; i++) {
        const ct_coordinate *c = m[0]->coordinates + i;
        double unit = c->is_angle ? 1 : length, other = c->is_angle ? 1 : scale;
        double d = a[1]->joint[i] / other - a[0]->joint[i];
        if (c->is_angle) d = remainder(d, 2 * 3.14159265358979323846);
        if (!(fabs(d) < 1e-7 * unit))
            fail_msg("%s, %s: %s starts at %.12g, not at %.12g", path, what, c->name,
                     a[1]->joint[i] / other, a[0]->joint[i]);
    }
done:
    for (int k = 0; k < 2; k++) {
        ct_assembly_free(a[k]);
        ct_model_free(m[k]);
    }
    ct_context_free(ctx);
}

static void all_models(const char *what, change *by) {
    glob_t g = all_files("/*.yaml");
    for (size_t i = 0; i < g.gl_pathc; i++) compare(g.gl_pathv[i], what, by);
    globfree(&g);
}

static void test_turned(void **state) {
    (void)state;
    all_models("turned", turned);
}

static void test_moved(void **state) {
    (void)state;
    all_models("moved", moved);
}

static void test_scaled(void **state) {
    (void)state;
    all_models("scaled", scaled);
}

static void test_reordered(void **state) {
    (void)state;
    all_models("reordered", reordered);
}

// A loop in a plane whose points and frames are rounded, as those of a drawing are: the rows across
// the plane are numbers like 1e-17, and given rates must not be solved from them.
static void rounded_rows(void **state) {
    (void)state;
    static const char *const off[] = {"0", "5.551115123125783e-17", "-1.1e-16", "3e-20"},
                             *const rules[] = {"joint", "absolute"};
    for (int i = 0; i < 8; i++) {
        const char *e = off[i % 4];
        char *text = ct_format(
            "cotree: 1\nname: rounded\nbodies: {b1: {mass: 1, inertia: 1}, b2: {mass: 1, inertia: "
            "1},"
            " b3: {mass: 1, inertia: 1}}\njoints:\n"
            "  j1: {type: planar, between: [ground, b1], axis: z}\n"
            "  j2: {type: revolute, between: [ground, b2], at: [[2, 0, 0], [0, 0, 0]], axis: z}\n"
            "  j3: {type: revolute, between: [b1, b3], at: [[0.5, 1, %s], [0, 0, -0.3]], axis: z,\n"
            "       orient: [[0, 0, 0], [%s, %s, 2]]}\n"
            "  j4: {type: revolute, between: [b2, b3], at: [[0.9, 0.3, 2*(%s)], [0.5, 0.5, "
            "-0.3]],\n"
            "       axis: z, orient: [[0, 0, 0], [%s, -(%s), -1]]}\n"
            "initial: {j3: [1.6, -0.57], j4: [0.06, -0.73], j2: [-0.36, 0.38]}\n",
            e, e, e, e, e, e);
        mech k = mech_text("rounded", text, rules[i / 4]);
        assert_made(&k);
        run_settings still = {.time = 0.01, .step = 0.01, .output_step = 0.01};
        table t = run_mech(&k, &still, NULL);
        assert_near(table_at(&t, 0, table_column(&t, "j2'")), 0.38, 1e-12);
        assert_near(table_at(&t, 0, table_column(&t, "j3'")), -0.57, 1e-12);
        assert_near(table_at(&t, 0, table_column(&t, "j4'")), -0.73, 1e-12);
        assert_near(table_at(&t, 0, table_column(&t, "j1.angle'")), 0.22, 1e-12);
        table_clear(&t);
        mech_clear(&k);
        ct_free(text);
    }
}

// Two spherical joints in a loop, one of them a chord whose angles are unknowns. From this start the
// rows that define these lead to a turn of a third about the diagonal, which permutes the axes.
#define THIRDS                                                                                     \
    "cotree: 1\n"                                                                                  \
    "name: thirds\n"                                                                               \
    "bodies:\n"                                                                                    \
    "  b1: {mass: 1, inertia: 1, points: {p: [-1.4836, 0.9065, -2.2725]}}\n"                       \
    "  b2: {mass: 1, inertia: 1}\n"                                                                \
    "  b3: {mass: 1, inertia: 1}\n"                                                                \
    "  b4: {mass: 1, inertia: 1}\n"                                                                \
    "joints:\n"                                                                                    \
    "  j1: {type: prismatic, between: [ground, b1], at: [[2.4892, 0, 0.5102], "                    \
    "[-0.1436, -0.4884, -0.7449]], orient: [[0, 0, 0], [1.4646, -0.3116, 1.4122]], "               \
    "axis: [0.7859, 0.6032, 0.1363]}\n"                                                            \
    "  j2: {type: spherical, between: [b1, b2], at: [[-0.4932, -1.8897, 1.5733], "                 \
    "[0.4977, -0.4745, -0.1890]], sequence: xyx}\n"                                                \
    "  j3: {type: revolute, between: [b2, b3], at: [[-1.1902, 1.0215, 1.6707], [0, "               \
    "0, 0]], axis: [0.7450, -0.5583, -0.3650]}\n"                                                  \
    "  j4: {type: spherical, between: [b3, b4], at: [[1.6366, 1.3979, 1.5515], [0, "               \
    "0, 0]], orient: [[0.4334, -0.3979, -1.0443], [2.5151, 0.9442, -1.1796]], "                    \
    "sequence: yzx}\n"                                                                             \
    "  j5: {type: prismatic, between: [b4, ground], at: [[1.0172, -2.0585, -0.6046], "             \
    "[0.4061, -2.1039, 0.3532]], orient: [[1.2256, 0.1484, -0.7573], [1.1835, 0, "                 \
    "0]], axis: x}\n"                                                                              \
    "  j6: {type: rack, joints: [j3, j5], radius: 1.8276}\n"                                       \
    "guess: {j1: -0.9022, j2.1: 1.1900, j2.2: 1.1035, j3: -0.0193, j5: -0.0352}\n"

// The first row by every method: `initial` and motions are held, and the loop is closed with the
// angles that are printed.
static void angles_of_a_chord(void **state) {
    (void)state;
    static const char *const methods[] = {"triangular", "newton-loops", "newton",   "augmented",
                                          "baumgarte",  "penalty",      "partition"},
                             *const names[] = {"j1", "j2.1", "j2.2", "j2.3",
                                               "j3", "j4.1", "j4.2", "j4.3"};
    static const double start[] = {-0.902167643473,    1.189970678295,   1.10335130321,
                                   2.24622895274,      -0.0191853870744, 0,
                                   -0.000163459657917, -0.0000536005247};
    mech held = mech_text("held",
                          THIRDS "forces: {f: {type: force, on: b1, vector: [sin(j2.3), 0, 0]}}\n"
                                 "motions: {y(b1.p): -2.1818 - t}\ninitial: {j4.1: 0}\n",
                          NULL),
         driven = mech_text("driven", THIRDS "motions: {y(b1.p): -2.1818 - t, j4.1: -t}\n", NULL);
    assert_made(&held);
    assert_made(&driven);
    assert_consistent("thirds", "held", held.s->assembly);
    assert_consistent("thirds", "driven", driven.s->assembly);
    for (int i = 0; i < 9; i++) { // driven by two methods: steps of the third take long to find
        run_settings w = {
            .method = methods[i < 7 ? i : i - 6], .kinematics = i >= 7, .time = 1e-6, .step = 1e-6};
        table t = run_mech(i < 7 ? &held : &driven, &w, NULL);
        for (int k = 0; k < 8; k++)
            assert_near(table_at(&t, 0, table_column(&t, names[k])), start[k], 1e-9);
        table_clear(&t);
    }
    mech_clear(&held);
    mech_clear(&driven);
}

// rates that are left open -----------------------------------------------------------------------
#define ARM                                                                                        \
    "cotree: 1\ngravity: [0, 0, 0]\nbodies:\n"                                                     \
    "  a: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}\n"                                       \
    "  b: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}\njoints:\n"                              \
    "  O: {type: revolute, between: [ground, a], axis: z}\n"                                       \
    "  P: {type: revolute, between: [a, b], at: [[1, 0, 0], [0, 0, 0]], axis: z}\n"
// A double four-bar on a cart that nothing holds: three freedoms, loops whose rates one entry gives.
#define CART                                                                                       \
    "cotree: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                 \
    "  cart: {mass: 3, inertia: 1}\n  a: {mass: 1, inertia: 0.1, com: [0, 0.5, 0]}\n"              \
    "  b: {mass: 1, inertia: 0.1, com: [0.6, 0, 0]}\n"                                             \
    "  c: {mass: 1, inertia: 0.1, com: [0, 0.6, 0]}\njoints:\n"                                    \
    "  S: {type: prismatic, between: [ground, cart], axis: x}\n"                                   \
    "  A: {type: revolute, between: [cart, a], axis: z}\n"                                         \
    "  B: {type: revolute, between: [a, b], at: [[0, 1, 0], [0, 0, 0]], axis: z}\n"                \
    "  C: {type: revolute, between: [b, c], at: [[1.2, 0, 0], [0, 1.3, 0]], axis: z}\n"            \
    "  D: {type: revolute, between: [cart, c], at: [[1.1, 0, 0], [0, 0, 0]], axis: z}\n"

// A spatial four-bar with a virtual joint whose angles start in their lock.
#define LOOKS_ON                                                                                   \
    "cotree: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                 \
    "  crank: {mass: 1.5, inertia: [0.3, 0.3, 0.001], com: [0, 0, 0.75]}\n"                        \
    "  rod: {mass: 4, inertia: [5.3, 0.002, 5.3], com: [0, -2, 0]}\n"                              \
    "  follower: {mass: 2, inertia: [0.7, 0.7, 0.001], com: [0, 0, 1]}\njoints:\n"                 \
    "  b1: {type: revolute, between: [ground, crank], axis: [0, -1, 0]}\n"                         \
    "  b2: {type: revolute, between: [ground, follower], at: [[0, 5, 0], [0, 0, 0]], axis: x}\n"   \
    "  u: {type: universal, between: [follower, rod], at: [[0, 0, 2], [0, 0, 0]], "                \
    "axes: [[-1, 0, 0], [0, 0, -1]]}\n"                                                            \
    "  s: {type: spherical, between: [crank, rod], at: [[0, 0, 1.5], [0, -4, 0]], "                \
    "sequence: yxz}\n"                                                                             \
    "  v: {type: free, virtual: true, between: [ground, rod], orient: [[0, 0, 0], "                \
    "[0.04906254174296955, 1.4777615886534932, -1.390028871198497]]}\n"                            \
    "initial: {b1: [0.5, 3]}\n"                                                                    \
    "guess: {b2: 0.572, u.1: 0.479, u.2: 0.181, s.1: 0.5, s.2: 0.093, s.3: -0.181, "               \
    "v.1: -1.3544835167621547, v.2: 1.5707963267948966, v.3: 0.26537535177571137}\n"

// Open rates are the smallest: what can rest does, whether rates are given or driven, and whatever
// `guess` names.
static void open_rates(void **state) {
    (void)state;
    static const struct {
        const char *text, *rests;
    } cases[] = {{ARM "initial: {O: [0, 1]}\n", "P'"},
                 {ARM "motions: {O: t}\n", "P'"},
                 {ARM "initial: {P: [0, 1]}\n", "O'"},
                 {CART "initial: {A: [0.1, 1]}\n", "S'"},
                 {CART "initial: {A: [0.1, 1]}\nguess: {D: 0, C: 0}\n", "S'"},
                 {CART "initial: {D: [0.1, 1]}\nguess: {B: 0}\n", "S'"},
                 {CART "motions: {C: 0.1*t}\n", "S'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mech at = mech_text("open", cases[i].text, NULL);
        assert_made(&at);
        run_settings w = {.method = "newton", .time = 1e-6, .step = 1e-6};
        table t = run_mech(&at, &w, NULL);
        assert_near(table_at(&t, 0, table_column(&t, cases[i].rests)), 0, 1e-12);
        table_clear(&t);
        mech_clear(&at);
    }
}

// A virtual joint only looks on: where its angles are locked, given rates of others are held.
static void virtual_lock(void **state) {
    (void)state;
    mech at = mech_text("looks on", LOOKS_ON, NULL);
    assert_made(&at);
    run_settings w = {.method = "newton", .time = 1e-6, .step = 1e-6};
    table t = run_mech(&at, &w, NULL);
    assert_near(table_at(&t, 0, table_column(&t, "b1'")), 3, 1e-12);
    assert_near(table_at(&t, 0, table_column(&t, "s.2'")), 0.42428993919936187, 1e-9);
    table_clear(&t);
    mech_clear(&at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_of_a_chord), cmocka_unit_test(test_turned),
        cmocka_unit_test(rounded_rows),      cmocka_unit_test(test_moved),
        cmocka_unit_test(test_scaled),       cmocka_unit_test(test_reordered),
        cmocka_unit_test(open_rates),        cmocka_unit_test(virtual_lock)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
