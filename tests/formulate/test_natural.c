// Natural coordinates against joint coordinates: with q(z), the points and vectors in joint coordinates,
// and rates z' that keep all loops closed,
//   T = q'^T M q' / 2,   Phi(q(z)) = 0,   Phi_q q' + Phi_t = 0,   Phi_q q'' = gamma,
//   n . (M_z z'' - F_z) = (q_z n) . (M q'' - F)   for n along freedoms,
// as many freedoms, and derivatives of rows against differences. Then what bodies have in common:
// numbers of coordinates, and what is the same by values alone.
#include "harness.h"

#include "formulate/natural/natural.h"
#include "run/system.h"

typedef struct both {
    const char *name;
    const ct_assembled *z, *q; // joint and natural coordinates
    ct_numbers x;
    int n, m;         // of z
    double *phi_z;    // [m n]
    double *zd, *zdd; // that keep loops closed
    double *slope;    // [q n] dq/dz
    double *qd, *qdd; // of q
    uint64_t random;
} both;

static double *numbers(int n) {
    return ct_alloc((size_t)n + 1, sizeof(double));
}

static double random_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 30) - 1;
}

static void near(const both *b, const char *what, double have, double want, double size) {
    if (!(fabs(have - want) <= 1e-8 * fmax(1, size)))
        fail_msg("%s: %s is %.12g instead of %.12g", b->name, what, have, want);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Coordinate k of q in joint coordinates.
static ct_ex in_joints(const both *b, int k) {
    const ct_formulation *f = b->q->f, *g = b->z->f;
    int c = f->coordinate[k];
    if (c < 0) return ct_natural_value(g->layout, f, k);
    for (int i = 0; i < g->n_secondary; i++)
        if (g->secondary[i].coordinate == c) return g->secondary[i].value;
    return g->q[g->where[c]];
}

// x := x + the smallest change with Phi_z x = right.
static void keep_closed(const both *b, const double *right, double *x) {
    double *rest = numbers(b->m), *change = numbers(b->n);
    for (int i = 0; i < b->m; i++) rest[i] = right[i] - dot(b->n, b->phi_z + i * b->n, x);
    ct_least_squares(b->m, b->n, b->phi_z, rest, 1e-9, change);
    for (int k = 0; k < b->n; k++) x[k] += change[k];
    ct_free(rest);
    ct_free(change);
}

// Rates and accelerations of z at random, closed; those of q that follow from them.
static void move(both *b) {
    const ct_formulation *g = b->z->f, *f = b->q->f;
    ct_pool *pool = g->pool;
    double *right = numbers(b->m), *bias = numbers(f->n);
    ct_ex *value = ct_alloc((size_t)f->n + 1, sizeof *value),
          *second = ct_alloc((size_t)f->n + 1, sizeof *second),
          *by = ct_alloc((size_t)(f->n * b->n) + 1, sizeof *by);
    ct_numbers_set(&b->x, b->n, g->q, b->z->q0);
    ct_numbers_eval(&b->x, b->m * b->n, g->phi_q, b->phi_z);
    ct_numbers_eval(&b->x, b->m, g->phi_t, right);
    for (int i = 0; i < b->m; i++) right[i] = -right[i];
    for (int k = 0; k < b->n; k++) b->zd[k] = random_number(&b->random);
    for (int k = 0; k < b->n; k++) b->zdd[k] = random_number(&b->random);
    keep_closed(b, right, b->zd);
    ct_numbers_set(&b->x, b->n, g->qd, b->zd);
    ct_numbers_eval(&b->x, b->m, g->gamma, right);
    keep_closed(b, right, b->zdd);
    // dq/dz, and q'' at z'' = 0
    ct_derivation *time = ct_derivation_new(pool);
    for (int k = 0; k < b->n; k++) {
        ct_derivation_map(time, g->q[k], g->qd[k]);
        ct_derivation_map(time, g->qd[k], CT_ZERO);
    }
    for (int i = 0; i < f->n; i++) {
        value[i] = in_joints(b, i);
        second[i] = ct_derive(time, ct_derive(time, value[i]));
        for (int k = 0; k < b->n; k++) by[i * b->n + k] = ct_diff(pool, value[i], g->q[k]);
    }
    ct_numbers_eval(&b->x, f->n * b->n, by, b->slope);
    ct_numbers_eval(&b->x, f->n, second, bias);
    for (int i = 0; i < f->n; i++) {
        b->qd[i] = dot(b->n, b->slope + i * b->n, b->zd);
        b->qdd[i] = dot(b->n, b->slope + i * b->n, b->zdd) + bias[i];
    }
    ct_derivation_free(time);
    ct_numbers_set(&b->x, f->n, f->q, b->q->q0);
    ct_numbers_set(&b->x, f->n, f->qd, b->qd);
    ct_free(right);
    ct_free(bias);
    ct_free(value);
    ct_free(second);
    ct_free(by);
}

// M y'' - F of a formulation.
static void unbalanced(both *b, const ct_formulation *f, const double *ydd, double *out) {
    double *mass = numbers(f->n * f->n);
    ct_formulation_entries(f);
    ct_numbers_eval(&b->x, f->n * f->n, f->mass, mass);
    ct_numbers_eval(&b->x, f->n, f->forcing, out);
    for (int i = 0; i < f->n; i++) out[i] = dot(f->n, mass + i * f->n, ydd) - out[i];
    ct_free(mass);
}

static void energies(both *b) {
    double have[3], want[3];
    const ct_formulation *f = b->q->f, *g = b->z->f;
    ct_numbers_eval(&b->x, 3, (ct_ex[]){f->kinetic, f->potential, f->power}, have);
    ct_numbers_eval(&b->x, 3, (ct_ex[]){g->kinetic, g->potential, g->power}, want);
    near(b, "T", have[0], want[0], fabs(want[0]));
    near(b, "V", have[1], want[1], fabs(want[1]));
    near(b, "power", have[2], want[2], fabs(want[2]));
}

static void rows(both *b) {
    const ct_formulation *f = b->q->f;
    double *phi = numbers(f->m), *phi_q = numbers(f->m * f->n), *phi_t = numbers(f->m),
           *gamma = numbers(f->m);
    ct_numbers_eval(&b->x, f->m, f->phi, phi);
    ct_numbers_eval(&b->x, f->m * f->n, f->phi_q, phi_q);
    ct_numbers_eval(&b->x, f->m, f->phi_t, phi_t);
    ct_numbers_eval(&b->x, f->m, f->gamma, gamma);
    for (int i = 0; i < f->m; i++) {
        near(b, "Phi", phi[i], 0, 1);
        near(b, "Phi'", dot(f->n, phi_q + i * f->n, b->qd) + phi_t[i], 0, fabs(phi_t[i]));
        near(b, "Phi''", dot(f->n, phi_q + i * f->n, b->qdd), gamma[i], fabs(gamma[i]));
    }
    // differences of Phi along a direction
    const double e = 1e-4;
    double *along = numbers(f->n), *moved = numbers(f->n), *ends = numbers(2 * f->m);
    for (int k = 0; k < f->n; k++) along[k] = random_number(&b->random);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < f->n; k++) moved[k] = b->q->q0[k] + (side ? e : -e) * along[k];
        ct_numbers_set(&b->x, f->n, f->q, moved);
        ct_numbers_eval(&b->x, f->m, f->phi, ends + side * f->m);
    }
    for (int i = 0; i < f->m; i++) {
        double slope = dot(f->n, phi_q + i * f->n, along);
        assert_near((ends[f->m + i] - ends[i]) / (2 * e), slope, 1e-5 * fmax(1, fabs(slope)));
    }
    ct_numbers_set(&b->x, f->n, f->q, b->q->q0);
    double *const all[] = {phi, phi_q, phi_t, gamma, along, moved, ends};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ct_free(all[i]);
}

// Both equations of motion along directions that keep loops closed.
static void balances(both *b) {
    const ct_formulation *f = b->q->f, *g = b->z->f;
    double *of_z = numbers(b->n), *of_q = numbers(f->n), *along = numbers(b->n),
           *zero = numbers(b->m);
    unbalanced(b, g, b->zdd, of_z);
    unbalanced(b, f, b->qdd, of_q);
    for (int trial = 0; trial < 3; trial++) {
        for (int k = 0; k < b->n; k++) along[k] = random_number(&b->random);
        keep_closed(b, zero, along);
        double have = 0, size = 0;
        for (int i = 0; i < f->n; i++) {
            double part = of_q[i] * dot(b->n, b->slope + i * b->n, along);
            have += part;
            size = fmax(size, fabs(part));
        }
        near(b, "balance", have, dot(b->n, of_z, along), size);
    }
    ct_free(of_z);
    ct_free(of_q);
    ct_free(along);
    ct_free(zero);
}

// M is one of parameters alone.
static void masses(const both *b) {
    const ct_formulation *f = b->q->f;
    for (int i = 0; i < f->n * f->n; i++) {
        assert_false(ct_ex_kinds(f->pool, f->mass[i]) & ~(1u << CT_SYMBOL_PARAMETER));
        assert_int_equal(f->mass[i], f->mass[i % f->n * f->n + i / f->n]);
    }
}

static void compare(const char *name) {
    mech k = mech_model(name, NULL);
    assert_made(&k);
    assert_int_equal(ct_assemble(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_formulate_natural(k.ctx, k.s), CT_OK);
    both b = {.name = name, .z = k.s->assembled, .q = k.s->natural, .random = 7};
    b.n = b.z->f->n;
    b.m = b.z->f->m;
    b.phi_z = numbers(b.m * b.n);
    b.zd = numbers(b.n);
    b.zdd = numbers(b.n);
    b.slope = numbers(b.q->f->n * b.n);
    b.qd = numbers(b.q->f->n);
    b.qdd = numbers(b.q->f->n);
    ct_model_numbers(b.z->f->model, &b.x);
    near(&b, "freedoms", b.q->f->n - b.q->rank_motions, b.n - b.z->rank_motions, 1);
    masses(&b);
    for (int trial = 0; trial < 2; trial++) {
        move(&b);
        energies(&b);
        rows(&b);
        balances(&b);
    }
    ct_numbers_clear(&b.x);
    double *const all[] = {b.phi_z, b.zd, b.zdd, b.slope, b.qd, b.qdd};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ct_free(all[i]);
    mech_clear(&k);
}

// One model for each joint, constraint and force, in the plane and in space.
static void equations_are_those_of_joints(void **state) {
    (void)state;
    static const char *const names[] = {
        "four_bar",        "spatial_four_bar",       "free_body",      "double_four_bar",
        "bricard",         "closure_massless",       "screw",          "tyre_rig",
        "gear_rack",       "inline_inplane",         "laws",           "cylindrical",
        "fixed_joint",     "parallel_perpendicular", "planar_normals", "point_joint",
        "prismatic_skew",  "universal_skew",         "virtual_pose",   "motion_point",
        "link_rods",       "constraint_equation",    "quarter_car",    "motion_coordinate",
        "spherical_zxz",   "engine_mount",           "contact_pair",   "ground_second",
        "closure_tilted",  "double_wishbone",        "governor",       "slider_crank",
        "revolute_orient", "tables_inputs",          "closure_geared", "spring_platform"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare(names[i]);
}

// what bodies have in common ----------------------------------------------------------------------
static int count_of(mech *k) {
    assert_made(k);
    assert_int_equal(ct_assemble(k->ctx, k->s), CT_OK);
    assert_int_equal(ct_formulate_natural(k->ctx, k->s), CT_OK);
    int n = ct_formulation_natural_count(k->s->natural_f);
    mech_clear(k);
    return n;
}

// The arm of six joints: 45 in the literature, where bodies that turn about a fixed axis have as many
// coordinates as others.
static const char arm[] =
    "cotree: 1\n"
    "points: {W: [0.4521, -0.15005, 0.4318]}\n"
    "bodies:\n"
    "  trunk:   {mass: 1, inertia: [0.2, 0.2, 0.35]}\n"
    "  upper:   {mass: 17.4, inertia: [0.13, 0.539, 0.524], com: [0.068, -0.2275, 0.006]}\n"
    "  forearm: {mass: 4.8, inertia: [0.066, 0.086, 0.0215], com: [0.4318, -0.16415, 0.07]}\n"
    "  wrist1:  {mass: 0.82, inertia: [0.002, 0.002, 0.002], com: W}\n"
    "  wrist2:  {mass: 0.34, inertia: [0.001, 0.001, 0.001], com: W}\n"
    "  hand:    {mass: 1, inertia: [0.001, 0.001, 0.001], com: W}\n"
    "joints:\n"
    "  J1: {type: revolute, between: [ground, trunk], axis: z}\n"
    "  J2: {type: revolute, between: [trunk, upper], axis: [0, -1, 0]}\n"
    "  J3: {type: revolute, between: [upper, forearm], at: [0.4318, 0, 0], axis: [0, -1, 0]}\n"
    "  J4: {type: revolute, between: [forearm, wrist1], at: W, axis: z}\n"
    "  J5: {type: revolute, between: [wrist1, wrist2], at: W, axis: [0, -1, 0]}\n"
    "  J6: {type: revolute, between: [wrist2, hand], at: W, axis: z}\n"
    "initial: {J1: [0, 1], J2: 0.6, J3: -0.4, J4: 0.3, J5: 0.8}\n";

static void points_and_vectors_are_shared(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int n;
    } cases[] = {
        {"double_four_bar", 6}, // tips of three bars
        {"four_bar", 4},        {"free_body", 12}, {"slider_crank", 4},
        {"closure_bennett", 8}, {"pendulum", 2},   {"quarter_car", 13},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mech k = mech_model(cases[i].name, NULL);
        int n = count_of(&k);
        if (n != cases[i].n) fail_msg("%s: %d coordinates", cases[i].name, n);
    }
    mech k = mech_text("arm", arm, NULL);
    int n = count_of(&k);
    if (n != 32) fail_msg("arm: %d coordinates", n);
    // a vehicle of four double wishbones, 168 in the literature
    k = mech_model("vehicle", NULL);
    n = count_of(&k);
    if (n > 168) fail_msg("vehicle: %d coordinates", n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_those_of_joints),
        cmocka_unit_test(points_and_vectors_are_shared),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
