// Constraints that repeat or contradict each other: counts, names, motion in spite of them, and the
// messages where there is none.
#include "harness.h"

#include <sys/wait.h>

#define FORM(text, ...) ct_format("cotree: 1\nname: test\n" text, __VA_ARGS__)

static ct_check_info check(mech *k) {
    ct_check_info info;
    assert_made(k);
    assert_int_equal(ct_check(k->ctx, k->s, &info), CT_OK);
    assert_true(info.residual < 1e-12);
    return info;
}

static bool is_redundant_joint(const ct_check_info *info, const char *name) {
    for (int i = 0; i < info->n_redundant_joints; i++)
        if (!strcmp(info->redundant_joints[i], name)) return true;
    return false;
}

static const run_settings second = {.time = 1, .step = 2e-4, .output_step = 0.1};

// in one plane ----------------------------------------------------------------------------------
static void redundant_crank(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        mech k = mech_model("parallel_four_bar", i ? "absolute" : "joint");
        ct_check_info info = check(&k);
        assert_true(info.planar);
        assert_int_equal(info.dof, 1);
        assert_int_equal(info.redundant, 1);
        assert_int_equal(info.loops, 2);
        assert_int_equal(info.n_redundant_joints, 1);
        assert_int_equal(info.coordinates - (info.constraints - info.redundant), 1);
        // the cranks stay parallel, and the constraint that is not solved stays closed
        ct_run_summary summary;
        table t = run_mech(&k, &second, &summary);
        assert_near(table_last(&t, "a2"), table_last(&t, "a1"), 1e-11);
        assert_near(table_last(&t, "a3"), table_last(&t, "a1"), 1e-11);
        assert_true(summary.max_residual < 1e-10);
        assert_true(summary.energy_drift < 1e-9);
        table_clear(&t);
        mech_clear(&k);
    }
}

// A second hinge on the axis of the first: all of its rows hold identically, in exact numbers and
// in rounded ones, in a plane and beside a body that leaves it.
static void second_hinge(void **state) {
    (void)state;
    static const char *const axes[] = {"0, 0, 1", "0.26726124191242438, 0.53452248382484876, "
                                                  "0.80178372573727313"},
                             *const points[] = {"0, 0, 2",
                                                "0.53452248382484875, 1.0690449676496975, "
                                                "1.6035674514745463"};
    static const char ball[] = "  ball: {type: spherical, between: [door, knob], at: [1, 0, 1]}\n";
    for (int i = 0; i < 4; i++) {
        char *text = FORM("bodies:\n"
                          "  door: {mass: 10, inertia: [1, 1, 1], com: [0.5, 0, 1]}\n%s"
                          "joints:\n"
                          "  low: {type: revolute, between: [ground, door], axis: [%s]}\n"
                          "  high: {type: revolute, between: [ground, door], at: [%s], "
                          "axis: [%s]}\n%s",
                          i / 2 ? "  knob: {mass: 1, inertia: [1, 1, 1]}\n" : "", axes[i % 2],
                          points[i % 2], axes[i % 2], i / 2 ? ball : "");
        mech k = mech_text("door", text, NULL);
        ct_free(text);
        ct_check_info info = check(&k);
        assert_int_equal(info.planar, i / 2 == 0);
        assert_int_equal(info.dof, i / 2 ? 4 : 1);
        assert_int_equal(info.constraints, i / 2 ? 5 : 2);
        assert_int_equal(info.redundant, info.constraints);
        assert_int_equal(info.n_redundant_joints, 1);
        assert_true(is_redundant_joint(&info, "high"));
        mech_clear(&k);
    }
}

// A four-bar with the given axis, bars along the unit vector (u, v, w), and gravity.
static mech four_bar(const char *axis, const char *uvw, const char *gravity, const char *rule) {
    char *text = FORM(
        "gravity: [%s]\n"
        "parameters: {%s}\n"
        "bodies:\n"
        "  m1: {mass: 1, inertia: [0.3, 0.3, 0.3], com: [u/2, v/2, w/2], points: {E: [u, v, w]}}\n"
        "  m2: {mass: 2, inertia: [0.2, 0.2, 0.2], com: [u, v, w], points: {E: [2*u, 2*v, 2*w]}}\n"
        "  m3: {mass: 3, inertia: [0.1, 0.1, 0.1], com: [u, v, w], points: {E: [2*u, 2*v, 2*w]}}\n"
        "points: {D: [2*u, 2*v, 2*w]}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, m1], axis: [%s]}\n"
        "  j2: {type: revolute, between: [m1, m2], at: [E, [0, 0, 0]], axis: [%s]}\n"
        "  j3: {type: revolute, between: [m2, m3], at: [E, E], axis: [%s]}\n"
        "  j4: {type: revolute, between: [ground, m3], at: [D, [0, 0, 0]], axis: [%s]}\n"
        "initial: {j1: [0.3, 1]}\n"
        "guess: {j2: 1.31812, j3: 0.50536, j4: 1.82348}\n",
        gravity, uvw, axis, axis, axis, axis);
    mech k = mech_text("four_bar_form.yaml", text, rule);
    ct_free(text);
    return k;
}

// The same four-bar in the plane z = 0 and with all axes along [1, 2, 2].
static void tilted_plane(void **state) {
    (void)state;
    mech flat = four_bar("0, 0, 1", "u: 1, v: 0, w: 0", "6.54, 3.27, -6.54", "joint");
    ct_check_info info = check(&flat);
    assert_int_equal(info.dof, 1);
    table want = run_mech(&flat, &second, NULL);
    static const char *const rules[] = {"joint", "absolute"};
    for (int i = 0; i < 2; i++) {
        mech k = four_bar("1, 2, 2", "u: 2/3, v: 1/3, w: -2/3", "0, 0, -9.81", rules[i]);
        info = check(&k);
        assert_true(info.planar);
        assert_int_equal(info.dof, 1);
        assert_int_equal(info.loops, 1);
        assert_int_equal(info.coordinates - (info.constraints - info.redundant), 1);
        if (!i) { // counted in the plane
            assert_int_equal(info.coordinates, 3);
            assert_int_equal(info.constraints, 2);
            assert_int_equal(info.redundant, 0);
            assert_int_equal(info.n_redundant_joints, 0);
        }
        run_settings w = second; // the same accuracy in all coordinates
        w.method = "partition";
        table have = run_mech(&k, &w, NULL);
        for (int c = 0; c < want.columns; c++)
            assert_near(table_last(&have, want.names[c]), table_last(&want, want.names[c]), 1e-9);
        table_clear(&have);
        mech_clear(&k);
    }
    table_clear(&want);
    mech_clear(&flat);
}

// Bars in layers: the hinge points are off the plane by z1 (crank), z2 (coupler) and z3 (rocker).
static mech layers(double z1, double z2, double z3, const char *extra) {
    char *text =
        FORM("gravity: [0, -9.81, 0]\n"
             "bodies:\n"
             "  m1: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [1, 0, %g]}}\n"
             "  m2: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [2, 0, %g]}}\n"
             "  m3: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [2, 0, %g]}}\n"
             "joints:\n"
             "  j1: {type: revolute, between: [ground, m1], axis: z}\n"
             "  j2: {type: revolute, between: [m1, m2], at: [E, [0, 0, 0]], axis: z}\n"
             "  j3: {type: revolute, between: [m2, m3], at: [E, E], axis: z}\n"
             "  j4: {type: revolute, between: [ground, m3], at: [[2, 0, 0], [0, 0, 0]], axis: z}\n"
             "initial: {j1: [0.3, 1]}\nguess: {j2: 1.3, j3: 0.5, j4: 1.8}\n%s",
             z1, z2, z3, extra);
    mech k = mech_text("layers.yaml", text, NULL);
    ct_free(text);
    return k;
}

static void stacked_bars(void **state) {
    (void)state;
    mech k = layers(0.25, 0.5, 0.75, "");
    ct_check_info info = check(&k);
    assert_true(info.planar);
    assert_int_equal(info.dof, 1);
    assert_int_equal(info.redundant, 0);
    table t = run_mech(&k, &second, NULL);
    table_clear(&t);
    mech_clear(&k);
    // layers that do not meet: nothing in the plane tells, but it cannot be put together
    k = layers(0.25, 0.5, 0.7, "");
    assert_int_not_equal(k.status, CT_OK);
    assert_true(has_message(k.ctx, "0.05"));
    mech_clear(&k);
}

// in space --------------------------------------------------------------------------------------
// A door on two hinges, with a flap that makes the whole spatial. The rows of the second hinge are
// zero in every position: exactly so, or but for rounding where the axis is skew.
static void door(const char *axis, const char *high) {
    char *text = FORM(
        "gravity: [0, 0, -9.81]\n"
        "points: {A: [0, 0, 0.2], B: [%s]}\n"
        "bodies:\n"
        "  door: {mass: 20, inertia: [5, 5, 2], com: [0.4, 0, 1], points: {H: [0.4, 0, 0.5]}}\n"
        "  flap: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, -0.1]}\n"
        "joints:\n"
        "  low: {type: revolute, between: [ground, door], at: A, axis: [%s]}\n"
        "  high: {type: revolute, between: [ground, door], at: B, axis: [%s]}\n"
        "  hinge: {type: revolute, between: [door, flap], at: [H, [0, 0, 0]], axis: x}\n"
        "initial: {low: [0.2, 1], hinge: [0.3, 0]}\n",
        high, axis, axis);
    mech k = mech_text("door.yaml", text, NULL);
    ct_free(text);
    ct_check_info info = check(&k);
    assert_false(info.planar);
    assert_int_equal(info.dof, 2);
    assert_int_equal(info.loops, 1);
    ct_run_summary summary;
    table t = run_mech(&k, &second, &summary);
    assert_near(table_last(&t, "high"), table_last(&t, "low"), 1e-11);
    assert_true(summary.energy_drift < 1e-9);
    table_clear(&t);
    assert_int_equal(info.constraints, 5);
    assert_int_equal(info.redundant, 5);
    assert_int_equal(info.n_redundant_joints, 1);
    assert_true(is_redundant_joint(&info, "high") || is_redundant_joint(&info, "low"));
    mech_clear(&k);
}

static void upright_door(void **state) {
    (void)state;
    door("0, 0, 1", "0, 0, 1.8");
}

static void skew_door(void **state) {
    (void)state;
    door("1, 2, 3.1", "0.1, 0.2, 0.51");
}

// A structure: nothing moves, and that is a result.
static void structure(void **state) {
    (void)state;
    const char *text =
        "cotree: 1\nname: truss\ngravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {E: [1, 0, 0]}}\n"
        "  b: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {E: [1, 0, 0]}}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], axis: z}\n"
        "  j2: {type: revolute, between: [ground, b], at: [[1, 0, 0], [0, 0, 0]], axis: z}\n"
        "  j3: {type: revolute, between: [a, b], at: [E, E], axis: z}\n"
        "guess: {j1: 1, j2: 2}\n";
    mech k = mech_text("truss.yaml", text, NULL);
    ct_check_info info = check(&k);
    assert_int_equal(info.dof, 0);
    assert_int_equal(info.redundant, 0);
    table t = run_mech(&k, &second, NULL);
    assert_int_equal(t.n, 11);
    assert_near(table_last(&t, "j1"), acos(0.5), 1e-10);
    assert_near(table_last(&t, "j2"), 2 * acos(0.5), 1e-10);
    assert_near(table_last(&t, "j1'"), 0, 1e-12);
    table_clear(&t);
    mech_clear(&k);
}

// what cannot be --------------------------------------------------------------------------------
static char *edited(const char *model, const char *from, const char *to) {
    char *path = model_path(model), *text = read_text(path), *at = strstr(text, from);
    assert_non_null(at);
    char *with = ct_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    ct_free(path);
    ct_free(text);
    return with;
}

// Status and message of the library, exit code and output of the program.
static void refused(const char *text, int n, const char *const *parts) {
    char *folder = temporary_folder(), *path = ct_format("%s/model.yaml", folder);
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    mech k = mech_file(path, NULL);
    assert_true(k.status == CT_WRONG_MODEL || k.status == CT_NUMERICS);
    for (int i = 0; i < n; i++) {
        if (!has_message(k.ctx, parts[i])) print_messages(k.ctx);
        assert_true(has_message(k.ctx, parts[i]));
    }
    char *command = ct_format("%s simulate %s -o %s/out.csv 2>/dev/null", CT_COTREE, path, folder);
    int code = system(command);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == (int)k.status);
    assert_int_equal(count_files(folder), 1); // nothing half-written
    mech_clear(&k);
    ct_free(command);
    ct_free(path);
    remove_folder(folder);
}

static void bar_too_long(void **state) {
    (void)state;
    char *text = edited("four_bar", "l2: 2", "l2: 10");
    refused(text, 2, (const char *const[]){"does not assemble", "'h1"});
    ct_free(text);
}

static void contradicting_values(void **state) {
    (void)state;
    char *text = edited("four_bar", "initial: {h11: [0, 0]}", "initial: {h11: [0, 0], h14: 1.7}");
    refused(text, 3, (const char *const[]){"contradict", "'h11'", "'h14'"});
    ct_free(text);
}

static void contradicting_rates(void **state) {
    (void)state;
    char *text =
        edited("parallel_four_bar", "initial: {a1: [1, 0]}", "initial: {a1: [1, 1], a2: [1, 2]}");
    refused(text, 3, (const char *const[]){"rates", "'a1'", "'a2'"});
    ct_free(text);
}

static void contradicting_motion(void **state) {
    (void)state;
    char *text = edited("four_bar", "initial: {h11: [0, 0]}",
                        "motions: {h11: 0.5 + t}\ninitial: {h11: [0, 0]}");
    refused(text, 2, (const char *const[]){"contradict", "h11"});
    ct_free(text);
}

// Flat parallelogram: two branches meet; it says so and stays on the branch that the guess names.
static void flat_start(void **state) {
    (void)state;
    char *text = edited(
        "parallel_four_bar", "initial: {a1: [1, 0]}\nguess: {a2: 1, a3: 1, c1: -1, c2: -1, c3: -1}",
        "initial: {a1: [pi/2, 0]}\nguess: {a2: pi/2, a3: pi/2, c1: -pi/2, c2: -pi/2, c3: -pi/2}");
    mech k = mech_text("flat.yaml", text, NULL);
    ct_check_info info = check(&k);
    assert_true(has_message(k.ctx, "singular"));
    assert_true(info.dof > 1); // by the rank at the initial position
    mech_clear(&k);
    ct_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_crank),
        cmocka_unit_test(second_hinge),
        cmocka_unit_test(tilted_plane),
        cmocka_unit_test(stacked_bars),
        cmocka_unit_test(upright_door),
        cmocka_unit_test(skew_door),
        cmocka_unit_test(structure),
        cmocka_unit_test(bar_too_long),
        cmocka_unit_test(contradicting_values),
        cmocka_unit_test(contradicting_rates),
        cmocka_unit_test(contradicting_motion),
        cmocka_unit_test(flat_start),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
