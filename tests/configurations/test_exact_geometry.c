// Geometry that enters the algebra: axes, frames and angles that are not rational must not bring
// solutions at infinity back, and real assemblies are proved in the numbers of the model.
#include "harness.h"

#include "configurations/loops/directions.h"

typedef ct_configurations_result result;

static result *solve_file(const char *path) {
    ct_context *ctx = ct_context_new();
    result *r = NULL;
    char *file = ct_format("%s/%s", CT_SOURCE_DIR, path);
    ct_status status = ct_configurations(ctx, file, 0, NULL, NULL, &r);
    if (status) print_messages(ctx);
    assert_int_equal(status, CT_OK);
    ct_free(file);
    ct_context_free(ctx);
    return r;
}

static void test_counts(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int count, real;
    } expected[] = {
        {"models/double_wishbone.yaml", 4, 4},
        {"models/double_wishbone_rear.yaml", 4, 2},
        {"tests/configurations/tricept.yaml", 28, 8},
        {"tests/configurations/six_r_general.yaml", 16, 2},
        {"tests/configurations/six_r_manseur.yaml", 16, 16},
        {"tests/configurations/three_prs.yaml", 16, 8},
        {"tests/configurations/three_rpr.yaml", 6, 2},
        {"tests/mechanisms/three_rps.yaml", 16, 16},
        {"tests/mechanisms/stephenson2.yaml", 4, 4},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        result *r = solve_file(expected[i].path);
        assert_int_equal(r->count, expected[i].count);
        assert_int_equal(r->multiplicity, expected[i].count);
        assert_int_equal(r->real, expected[i].real);
        for (int k = 0; k < r->count; k++) {
            assert_true(r->solutions[k].certified);
            assert_true(r->solutions[k].residual < 1e-12);
            for (int v = 0; v < r->n_values; v++) // NaN passes: not computed
                assert_false(fabs(r->solutions[k].im[v]) > 20);
        }
        ct_configurations_free(r);
    }
}

// Platforms on six legs of given length: 40 poses; fewer where base and platform are alike.
static void test_platforms(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int count, real;
    } expected[] = {
        {"tests/configurations/stewart_6_6.yaml", 40, 0},
        {"tests/configurations/stewart_6_6_general.yaml", 40, 0},
        // universal joints that cannot point everywhere: legs close in four of eight real poses
        {"tests/configurations/stewart_universal.yaml", 36, 4},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        result *r = solve_file(expected[i].path);
        assert_int_equal(r->count, expected[i].count);
        assert_int_equal(r->real, expected[i].real);
        for (int k = 0; k < r->count; k++) {
            assert_int_equal(r->solutions[k].real, k < r->real);
            assert_true(r->solutions[k].residual < 1e-12);
        }
        ct_configurations_free(r);
    }
}

static bool has_note(const result *r, const char *text) {
    bool found = false;
    for (int i = 0; i < r->n_notes; i++) found = found || strstr(r->notes[i], text);
    return found;
}

// Mirrored legs are solved once. Residuals are those of the whole mechanism.
static void test_mirrored(void **state) {
    (void)state;
    result *r = solve_file("models/vehicle.yaml");
    assert_true(has_note(r, "2 of the groups repeat another one"));
    assert_int_equal(r->count, 256);
    assert_int_equal(r->real, 64);
    for (int k = 0; k < r->count; k++) assert_true(r->solutions[k].residual < 1e-12);
    for (int k = 0; k < r->real; k++)
        for (int l = 0; l < k; l++) {
            double apart = 0;
            for (int v = 0; v < r->n_values; v++)
                apart = fmax(apart, fabs(r->solutions[k].re[v] - r->solutions[l].re[v]));
            assert_true(apart > 1e-6);
        }
    ct_configurations_free(r);
    r = solve_file("models/gough_stewart.yaml");
    assert_true(has_note(r, "3 of the groups repeat another one"));
    ct_configurations_free(r);
}

// An equilateral arrangement whose sqrt(3) cannot be kept: eight solutions recede to infinity.
static void test_left_out(void **state) {
    (void)state;
    result *r = solve_file("models/delta.yaml");
    assert_int_equal(r->count, 28);
    assert_int_equal(r->multiplicity, 28);
    assert_int_equal(r->degree, 36);
    bool noted = false;
    for (int i = 0; i < r->n_notes; i++) noted = noted || strstr(r->notes[i], "8 solutions");
    assert_true(noted);
    ct_configurations_free(r);
}

// Legs at a given pose, corners of a vehicle: groups whose solutions multiply.
static void test_groups(void **state) {
    (void)state;
    result *r = solve_file("models/gough_stewart.yaml");
    assert_true(r->total == 4096 && r->total_real == 4096);
    assert_int_equal(r->count, 0); // too many to list
    assert_int_equal(r->n_factors, 6);
    for (int g = 0; g < 6; g++) {
        assert_int_equal(r->factors[g].count, 4);
        assert_int_equal(r->factors[g].n_values, 3);
    }
    ct_configurations_free(r);
    r = solve_file("models/vehicle.yaml");
    assert_true(r->total == 256 && r->total_real == 64);
    assert_int_equal(r->count, 256);
    assert_int_equal(r->n_factors, 4);
    for (int i = 0; i < r->real; i++) {
        assert_true(r->solutions[i].certified);
        assert_true(r->solutions[i].residual < 1e-12);
    }
    ct_configurations_free(r);
}

static void set_number(ct_pool *pool, ct_vec3 v, int i, fmpq_t x) {
    assert_true(ct_number_get(pool, v.v[i], x));
}

static void check_dot(ct_pool *pool, ct_vec3 a, ct_vec3 b, long expected) {
    fmpq_t x, y, sum;
    fmpq_init(x);
    fmpq_init(y);
    fmpq_init(sum);
    for (int i = 0; i < 3; i++) {
        set_number(pool, a, i, x);
        set_number(pool, b, i, y);
        fmpq_addmul(sum, x, y);
    }
    assert_true(fmpq_cmp_si(sum, expected) == 0);
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_clear(sum);
}

// Random axes (some of them parallel or perpendicular) and frames.
static void test_directions(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {a: sqrt(2), b: 1.3}\n"
        "bodies: {p: {mass: 1, inertia: [1, 1, 1]}, q: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, p], axis: [1, 2, a]}\n"
        "  B: {type: revolute, between: [ground, p], axis: [-a, -2*a, -2]}\n"
        "  C: {type: universal, between: [p, q], axes: [[1, 1, 1], [1, -1, 0]]}\n"
        "  D: {type: revolute, between: [ground, q], axis: z, orient: [0.3, b, pi/3]}\n"
        "  E: {type: revolute, between: [ground, q], axis: [2, -1, 0]}\n";
    ct_context *ctx = ct_context_new();
    ct_model *m = NULL;
    assert_int_equal(ct_model_read_text(ctx, "t.yaml", text, strlen(text), 0, NULL, &m), CT_OK);
    ct_rationals constants;
    ct_directions d;
    ct_rationals_init(&constants, m, (ct_symbolic){0});
    ct_directions_init(&d, &constants);
    ct_joint j[5];
    for (int i = 0; i < 5; i++) {
        j[i] = m->joints[i];
        assert_true(ct_directions_joint(&d, j + i));
        check_dot(m->pool, j[i].axis[0], j[i].axis[0], 1);
        for (int k = 0; k < 3; k++) {
            double was = ct_model_number(m, m->joints[i].axis[0].v[k]);
            assert_near(ct_model_number(m, j[i].axis[0].v[k]), was, 1e-15);
        }
    }
    check_dot(m->pool, j[0].axis[0], j[1].axis[0], -1); // opposite
    check_dot(m->pool, j[2].axis[0], j[2].axis[1], 0);  // perpendicular
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            ct_vec3 u, v;
            for (int i = 0; i < 3; i++) {
                u.v[i] = j[3].orient[0].a[i][a];
                v.v[i] = j[3].orient[0].a[i][b];
            }
            check_dot(m->pool, u, v, a == b);
        }
    ct_directions_clear(&d);
    ct_rationals_clear(&constants);
    ct_model_free(m);
    ct_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),   cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_mirrored), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_groups),   cmocka_unit_test(test_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
