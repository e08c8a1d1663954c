// One mechanism, many sets of coordinates: the trees do not change the motion. Every joint column
// agrees over one second between joint, absolute and mixed coordinates given by hand.
#include "harness.h"

typedef struct family {
    const char *model, *rule, *rotation, *translation;
    int coordinates; // of these trees (auxiliary ones included); 0: not checked
} family;

static const family families[] = {
    {"four_bar", "absolute", NULL, NULL, 0},
    {"four_bar", NULL, "m1, m2, m3", "h11, h12, h14", 0},
    {"four_bar", NULL, "h11, h13, h14", "h11, h12, h13", 3},
    {"four_bar", NULL, "h11, h12, h13", "m1, m2, m3", 9},
    {"four_bar", NULL, "h14, h13, m1", "m3, h13, h11", 0},
    {"spatial_slider_crank", "absolute", NULL, NULL, 0},
    {"spatial_slider_crank", NULL, "h9, u11, s12", "h9, b10, u11", 3},
    {"spatial_slider_crank", NULL, "h9, rod, s12", "h9, rod, s12", 8},
    {"spatial_slider_crank", NULL, "h9, b10, u11", "s12, u11, h9", 7},
    {"three_rrr", NULL, "h25, h26, h28, h29, h31, h32, pose", "h25, h26, h28, h29, h31, h32, pose",
     9},
    {"three_rrr", NULL, "m1, m2, m3, m4, m5, m6, pose", "h25, h28, h31, h26, h29, h32, pose", 0},
    {"two_loops", NULL, "v, s1, s2, r3, p3", "v, s1, s2, r3, p3", 0},
    {"virtual_pose", NULL, "a, b, v", "a, c, v", 0},
};

static mech make(const family *c) {
    char *path = model_path(c->model), *text = read_text(path);
    if (c->rotation) {
        char *with = ct_format("%s\ntrees: {rotation: [%s], translation: [%s]}\n", text,
                               c->rotation, c->translation);
        ct_free(text);
        text = with;
    }
    mech k = mech_text(path, text, c->rule);
    ct_free(path);
    ct_free(text);
    return k;
}

static double compare(const table *want, const table *have, const char **column) {
    double worst = 0;
    for (int c = 0; c < want->columns; c++) {
        int k = table_column(have, want->names[c]);
        if (k < 0) fail_msg("no column %s", want->names[c]);
        for (int i = 0; i < want->n; i++) {
            double d = difference(table_at(have, i, k), table_at(want, i, c));
            if (!(d <= worst)) {
                worst = d;
                *column = want->names[c];
            }
        }
    }
    return worst;
}

static const run_settings second = {
    .method = "partition", .integrator = "rk4", .time = 1, .step = 5e-5, .output_step = 0.05};

static void same_motion(void **state) {
    (void)state;
    table want = {0};
    const char *model = "";
    int failures = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const family *c = families + i;
        if (strcmp(c->model, model)) {
            mech joint = mech_model(c->model, "joint");
            assert_made(&joint);
            table_clear(&want);
            want = run_mech(&joint, &second, NULL);
            mech_clear(&joint);
            model = c->model;
        }
        mech k = make(c);
        assert_made(&k);
        if (c->coordinates) assert_int_equal(ct_system_formulation(k.s)->n, c->coordinates);
        const char *column = "";
        table have;
        ct_status status = run_rows(&k, &second, &have, NULL);
        if (status) print_messages(k.ctx);
        double worst = !status && have.n == want.n ? compare(&want, &have, &column) : INFINITY;
        print_message("%-22s [%s] [%s]: %d coordinates, %.1e in %s\n", c->model,
                      c->rotation ? c->rotation : c->rule, c->translation ? c->translation : "",
                      ct_system_formulation(k.s)->n, worst, column);
        failures += !(worst < 1e-8);
        table_clear(&have);
        mech_clear(&k);
    }
    table_clear(&want);
    assert_int_equal(failures, 0);
}

// A virtual joint adds columns, not constraints: the motion is the one without it.
static void virtual_joint_changes_nothing(void **state) {
    (void)state;
    char *path = model_path("four_bar"), *text = read_text(path);
    char *at = strstr(text, "forces:");
    assert_non_null(at);
    char *with = ct_format("%.*s  v: {type: planar, virtual: true, between: [ground, m2], at: [[0, "
                           "0, 0], end], axis: z}\n%s",
                           (int)(at - text), text, at);
    mech plain = mech_file(path, "joint"), extra = mech_text(path, with, "joint");
    assert_made(&plain);
    assert_made(&extra);
    table want = run_mech(&plain, &second, NULL), have = run_mech(&extra, &second, NULL);
    const char *column = "";
    assert_true(compare(&want, &have, &column) < 1e-11);
    // its place is the point's, its angle the sum of those on the way
    int x = table_column(&have, "v.x"), y = table_column(&have, "v.y"),
        turn = table_column(&have, "v.angle");
    int cx = table_column(&have, "coupler_x"), cy = table_column(&have, "coupler_y");
    int h11 = table_column(&have, "h11"), h12 = table_column(&have, "h12");
    assert_true(x > 0 && y > 0 && turn > 0);
    assert_true(table_column(&have, "v.x'") > 0);
    for (int i = 0; i < have.n; i++) {
        assert_near(table_at(&have, i, x), table_at(&have, i, cx), 1e-12);
        assert_near(table_at(&have, i, y), table_at(&have, i, cy), 1e-12);
        assert_near(table_at(&have, i, turn), table_at(&have, i, h11) + table_at(&have, i, h12),
                    1e-12);
    }
    table_clear(&want);
    table_clear(&have);
    mech_clear(&plain);
    mech_clear(&extra);
    ct_free(path);
    ct_free(text);
    ct_free(with);
}

// Trees that do not span are refused, with the reason.
static void wrong_trees(void **state) {
    (void)state;
    static const family wrong[] = {
        {"four_bar", NULL, "h11, h12", "h11, h12, h13", 0},
        {"four_bar", NULL, "h11, h12, h13, h14", "h11, h12, h13", 0},
        {"four_bar", NULL, "h11, m1, h12", "h11, h12, h13", 0},
        {"four_bar", NULL, "h11, h12, nothing", "h11, h12, h13", 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mech k = make(wrong + i);
        assert_int_equal(k.status, CT_WRONG_MODEL);
        assert_true(ct_message_count(k.ctx) > 0);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_motion),
        cmocka_unit_test(virtual_joint_changes_nothing),
        cmocka_unit_test(wrong_trees),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
