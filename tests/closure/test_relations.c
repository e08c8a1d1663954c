// The room of relations: a mechanism in numbers, what ties its bodies, and what relations see of
// small motions, against finite differences.
#include "harness.h"

#include "closure/relations/snapshot.h"

static const char four_bar[] =
    "cotree: 1\n"
    "points: {A: [0, 0, 0], B: [0.1, 0.3, 0], C: [0.6, 0.45, 0], D: [0.5, 0, 0]}\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: 0.02, com: [0.05, 0.15, 0]}\n"
    "  rod: {mass: 1, inertia: 0.03, com: [0.35, 0.375, 0]}\n"
    "  lever: {mass: 1, inertia: 0.04, com: [0.55, 0.2, 0]}\n"
    "  flag: {mass: 1, inertia: 0.01, com: [0.6, 0.5, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, arm], at: A, axis: z}\n"
    "  b: {type: revolute, between: [arm, rod], at: B, axis: z}\n"
    "  c: {type: revolute, between: [rod, lever], at: C, axis: z}\n"
    "  d: {type: revolute, between: [ground, lever], at: D, axis: z}\n"
    "  e: {type: revolute, between: [lever, flag], at: C, axis: z}\n";

typedef struct scene {
    mech k;
    ct_snapshot w;
} scene;

static scene scene_of(const char *text) {
    scene s = {.k = mech_text("relations", text, NULL)};
    assert_made(&s.k);
    ct_snapshot_init(&s.w, ct_system_formulation(s.k.s), ct_system_state(s.k.s)->q0,
                     CT_OFFER_JOINTS);
    return s;
}

static void scene_clear(scene *s) {
    ct_snapshot_clear(&s->w);
    mech_clear(&s->k);
}

static int body(const scene *s, const char *name) {
    for (int i = 0; i < s->w.n_bodies; i++)
        if (!strcmp(s->k.model->bodies[i].name, name)) return i;
    fail_msg("no body %s", name);
    return -1;
}

static int edge(const scene *s, const char *name) {
    for (int i = 0; i < s->w.n_edges; i++)
        if (!strcmp(s->k.model->joints[s->w.edges[i].joint].name, name)) return i;
    fail_msg("no joint %s", name);
    return -1;
}

// The loop is one group with one freedom, the flag another one; both points of a joint coincide.
static void snapshot(void **state) {
    (void)state;
    scene s = scene_of(four_bar);
    assert_int_equal(s.w.n_edges, 5);
    assert_int_equal(s.w.n_groups, 2);
    for (int g = 0; g < 2; g++) {
        bool loop = s.w.groups[g].n_bodies > 2;
        assert_int_equal(s.w.groups[g].n_bodies, loop ? 4 : 2);
        assert_int_equal(s.w.groups[g].n_edges, loop ? 4 : 1);
        assert_int_equal(ct_flow_freedoms(&s.w, s.w.groups + g, NULL), 1);
        bool *held = ct_alloc((size_t)s.w.n_coordinates + 1, sizeof *held);
        held[s.w.edges[s.w.groups[g].edges[0]].first] = true;
        assert_int_equal(ct_flow_freedoms(&s.w, s.w.groups + g, held), 0);
        ct_free(held);
    }
    for (int i = 0; i < s.w.n_edges; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(s.w.edges[i].at[0][k] - (s.w.edges[i].at[1][k])) < 1e-12);
    scene_clear(&s);
}

// With the arm placed, the rod holds points of arm and lever apart; with the rod placed too, the
// lever is pinned to it.
static void found(void **state) {
    (void)state;
    scene s = scene_of(four_bar);
    int n = s.w.n_bodies, lever = body(&s, "lever"), distances = 0, points = 0, count;
    const ct_loop_group *g = s.w.groups[0].n_bodies > 2 ? s.w.groups : s.w.groups + 1;
    int *cluster = ct_alloc((size_t)n, sizeof *cluster);
    bool *known = ct_alloc((size_t)s.w.n_coordinates + 1, sizeof *known);
    ct_flow_state z = {.cluster = cluster, .known = known};
    ct_flow_relation r[CT_FLOW_RELATIONS];
    for (int i = 0; i < n; i++) cluster[i] = i;
    cluster[body(&s, "arm")] = 0;
    count = ct_flow_relations(&s.w, g, &z, lever, edge(&s, "d"), r);
    for (int i = 0; i < count; i++)
        if (r[i].r.kind == CT_RELATION_DISTANCE) {
            distances++;
            assert_int_equal(r[i].r.via[0], body(&s, "rod"));
            double far = 0;
            for (int k = 0; k < 3; k++) far += pow(r[i].x[k] - r[i].k[k], 2);
            assert_true(fabs(sqrt(far) - (hypot(0.5, 0.15))) < 1e-12);
            assert_false(ct_relation_is_guided(&r[i].r));
        }
    assert_int_equal(distances, 1);
    ct_flow_relation pin;
    assert_false(ct_flow_pin(&s.w, g, &z, lever, edge(&s, "d"), &pin));
    cluster[body(&s, "rod")] = 0;
    assert_true(ct_flow_pin(&s.w, g, &z, lever, edge(&s, "d"), &pin));
    count = ct_flow_relations(&s.w, g, &z, lever, edge(&s, "d"), r);
    for (int i = 0; i < count; i++) points += r[i].r.kind == CT_RELATION_POINT;
    assert_int_equal(points, 1);
    ct_free(cluster);
    ct_free(known);
    scene_clear(&s);
}

// derivatives ------------------------------------------------------------------------------------
static void random_vector(uint64_t *random, double *v) {
    for (int i = 0; i < 3; i++) v[i] = noise(random);
}

// v turned about an axis (a unit vector) by an angle: Rodrigues' formula.
static void turned(const double *axis, double angle, const double *v, double *out) {
    double along = 0, c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) along += axis[i] * v[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * v[i] + s * (axis[j] * v[k] - axis[k] * v[j]) + (1 - c) * along * axis[i];
    }
}

static double product(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What a relation measures, with its point and direction x moved by a coordinate: a turn is about the
// joint's point of B, which slides take along.
static void measure(const ct_flow_relation *r, const ct_flow_edge *e, double by, double *out) {
    double x[3], axis[3], gap[3], arm[3];
    for (int i = 0; i < 3; i++) arm[i] = r->x[i] - e->at[1][i];
    turned(e->axis[0], e->is_angle[0] ? by : 0, arm, x);
    turned(e->axis[0], e->is_angle[0] ? by : 0, r->axis_x, axis);
    for (int i = 0; i < 3; i++) {
        x[i] += e->at[1][i] + (e->is_angle[0] ? 0 : by * e->axis[0][i]);
        gap[i] = x[i] - r->k[i];
    }
    switch (r->r.kind) {
    case CT_RELATION_POINT: memcpy(out, x, sizeof x); break;
    case CT_RELATION_AXIS: memcpy(out, axis, sizeof axis); break;
    case CT_RELATION_DISTANCE: *out = sqrt(product(gap, gap)); break;
    case CT_RELATION_SWING: // along its way
    case CT_RELATION_PLANE_K: *out = product(r->axis_k, gap); break;
    case CT_RELATION_PLANE_X: *out = product(axis, gap); break;
    case CT_RELATION_SPIN:
    case CT_RELATION_DOT: *out = product(axis, r->axis_k); break;
    }
}

// Angles are measured in typical lengths where the relation is a length.
static void derivatives(void **state) {
    (void)state;
    enum { TRIALS = 20 };
    const double step = 1e-5, length = 0.7;
    const ct_snapshot snap = {.length = length};
    uint64_t random = 5;
    for (int trial = 0; trial < TRIALS * 16; trial++) {
        ct_flow_relation r = {.r = {.kind = (ct_relation_kind)(trial % 8)}};
        ct_flow_edge e = {.n = 1, .is_angle = {trial / 8 % 2 != 0}};
        random_vector(&random, r.x);
        random_vector(&random, r.k);
        random_vector(&random, r.axis_x);
        random_vector(&random, r.axis_k);
        random_vector(&random, e.at[1]);
        random_vector(&random, e.axis[0]);
        double size = sqrt(product(e.axis[0], e.axis[0])), rows[3][6], low[3], high[3];
        for (int i = 0; i < 3; i++) e.axis[0][i] /= size;
        const int which = 0;
        int n = ct_flow_rows(&snap, &r, &e, 1, &which, rows);
        bool direction = r.r.kind == CT_RELATION_AXIS || r.r.kind == CT_RELATION_DOT ||
                         r.r.kind == CT_RELATION_SPIN;
        double unit = e.is_angle[0] && !direction ? length : 1;
        measure(&r, &e, -step, low);
        measure(&r, &e, step, high);
        for (int i = 0; i < n; i++)
            assert_true(fabs(rows[i][0] - ((high[i] - low[i]) / (2 * step * unit))) < 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(snapshot), cmocka_unit_test(found),
                                       cmocka_unit_test(derivatives)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
