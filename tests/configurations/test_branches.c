// configurations --over: limits where a discriminant vanishes, crossings of a parallelogram, as many
// branches everywhere as algebra finds assemblies, and what is refused.
#include "harness.h"

typedef ct_branches_result result;

static result *branches_of(const char *path, int n_set, const char *const *set, const char *over) {
    ct_context *ctx = ct_context_new();
    result *r = NULL;
    ct_status status = ct_branches(ctx, path, n_set, set, over, NULL, &r);
    if (status) print_messages(ctx);
    assert_int_equal(status, CT_OK);
    ct_context_free(ctx);
    return r;
}

static void check_ends(const result *r) {
    for (int b = 0; b < r->n; b++) {
        const ct_branch *x = r->branches + b;
        for (int i = 1; i < x->n; i++) assert_true(x->drive[i] >= x->drive[i - 1]);
        if (x->from >= 0) assert_near(x->drive[0], r->events[x->from].at, 1e-9);
        if (x->to >= 0) assert_near(x->drive[x->n - 1], r->events[x->to].at, 1e-9);
        if (x->from < 0) assert_near(x->drive[0], r->low, 0);
        if (x->to < 0) assert_near(x->drive[x->n - 1], r->high, 0);
    }
}

// Complete with so many critical positions, an event at each; angles without jumps.
static void check_complete(const result *r, int n_critical) {
    assert_true(r->complete);
    assert_null(r->incomplete);
    assert_int_equal(r->n_critical, n_critical);
    for (int i = 0; i < n_critical; i++) {
        bool found = false;
        for (int e = 0; e < r->n_events; e++)
            found = found || fabs(r->events[e].at - r->critical[i]) < 1e-9;
        assert_true(found);
    }
    for (int b = 0; b < r->n; b++)
        for (int i = 1; i < r->branches[b].n; i++)
            for (int k = 0; k < r->n_values; k++) {
                const double *v = r->branches[b].values + i * r->n_values + k;
                assert_true(fabs(v[0] - v[-r->n_values]) < 1);
            }
}

// The rocker of a crank-rocker: 8 + 8 cos = 9 or 1.
static void test_four_bar(void **state) {
    (void)state;
    result *r = branches_of(CT_MODELS_DIR "/four_bar.yaml", 0, NULL, "h14=-pi..pi");
    assert_int_equal(r->n, 4);
    assert_int_equal(r->n_events, 4);
    for (int e = 0; e < 4; e++) {
        double at = fabs(r->events[e].at);
        assert_string_equal(r->events[e].kind, "limit");
        assert_int_equal(r->events[e].n, 2);
        assert_true(fabs(at - acos(1 / 8.)) < 1e-9 || fabs(at - acos(-7 / 8.)) < 1e-9);
    }
    check_ends(r);
    for (int b = 0; b < r->n; b++) assert_true(r->branches[b].proved > 0.99);
    check_complete(r, 4);
    ct_branches_free(r);
    // the crank turns all the way round on two branches apart
    r = branches_of(CT_MODELS_DIR "/four_bar.yaml", 0, NULL, "h11=-pi..pi");
    assert_int_equal(r->n, 2);
    assert_int_equal(r->n_events, 0);
    assert_int_equal(r->n_groups, 2);
    ct_branches_free(r);
    // a parallelogram lies flat twice, and goes on as an antiparallelogram
    const char *set[] = {"l1=1", "l3=1"};
    r = branches_of(CT_MODELS_DIR "/four_bar.yaml", 2, set, "h11=-1..4");
    assert_int_equal(r->n, 6);
    assert_int_equal(r->n_events, 2);
    for (int e = 0; e < 2; e++) {
        assert_string_equal(r->events[e].kind, "crossing");
        assert_int_equal(r->events[e].n, 4);
        assert_near(fabs(sin(r->events[e].at)), 0, 1e-9);
    }
    check_ends(r);
    check_complete(r, 2);
    ct_branches_free(r);
}

// RSSR: crank (cos, sin, 0.2), rocker (1.5 + 0.7 cos p, 0.4, 0.7 sin p), rod L:
//   a cos p + b sin p = c, which has two solutions, one, or none as  a^2 + b^2 - c^2  has its sign.
static double discriminant(double angle) {
    double x = 1.5 - cos(angle), y = 0.4 - sin(angle), z = -0.2, s = 0.7, length = 1.3;
    double a = 2 * s * x, b = 2 * s * z, c = length * length - x * x - y * y - z * z - s * s;
    return a * a + b * b - c * c;
}

static void test_rssr(void **state) {
    (void)state;
    static const char text[] =
        "bodies:\n  crank: {mass: 1, inertia: [1, 1, 1]}\n  rocker: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, crank], axis: z}\n"
        "  C: {type: revolute, between: [ground, rocker], at: [[1.5, 0.4, 0], [0, 0, 0]], axis: "
        "y}\n"
        "  rod: {type: link, between: [crank, rocker], at: [[1, 0, 0.2], [0.7, 0, 0]], length: "
        "1.3}\n"
        "initial: {O: 0}\n";
    char *path = ct_format("%s/test_branches.yaml", CT_BUILD_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    result *r = branches_of(path, 0, NULL, "O=-pi..pi");
    int changes = 0;
    for (int i = 0; i < 1000; i++) {
        double a = -M_PI + i * 2 * M_PI / 1000, b = a + 2 * M_PI / 1000;
        changes += discriminant(a) * discriminant(b) < 0;
    }
    assert_true(changes > 0);
    assert_int_equal(r->n_events, changes);
    for (int e = 0; e < r->n_events; e++) {
        double at = r->events[e].at;
        assert_true(discriminant(at - 1e-9) * discriminant(at + 1e-9) < 0);
    }
    check_ends(r);
    check_complete(r, changes);
    ct_branches_free(r);
    ct_free(path);
}

// As many branches over a position as there are real assemblies; a closed curve is among them.
static void test_three_rrr(void **state) {
    (void)state;
    result *r = branches_of(CT_MODELS_DIR "/three_rrr.yaml", 0, NULL, "h25=-2..1");
    check_ends(r);
    assert_int_equal(r->n_events, 4);
    check_complete(r, 4);
    char *text = read_text(CT_MODELS_DIR "/three_rrr.yaml");
    char *initial = strstr(text, "h25: [pi/3, 0]");
    assert_non_null(initial);
    static const double positions[] = {-1.9, -1.2, -1.1, -0.3, 0.2, 0.3, 0.9};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        char number[16];
        snprintf(number, sizeof number, "[%8.5f, 0]", positions[i]); // as long as [pi/3, 0] + 4
        char *changed = ct_format("%.*s%s%s", (int)(initial - text) + 5, text, number,
                                  initial + strlen("h25: [pi/3, 0]"));
        ct_context *ctx = ct_context_new();
        ct_configurations_result *c = NULL;
        assert_int_equal(
            ct_configurations_text(ctx, "t.yaml", changed, strlen(changed), 0, NULL, NULL, &c),
            CT_OK);
        int over = 0;
        for (int b = 0; b < r->n; b++)
            over += r->branches[b].drive[0] < positions[i] &&
                    r->branches[b].drive[r->branches[b].n - 1] > positions[i];
        assert_int_equal(over, c->real);
        ct_configurations_free(c);
        ct_context_free(ctx);
        ct_free(changed);
    }
    ct_free(text);
    ct_branches_free(r);
}

// Short closed curves in a wide range: |slide| from 0.4 - 0.3 to 0.4 + 0.3.
static void test_short_curves(void **state) {
    (void)state;
    result *r = branches_of(CT_MODELS_DIR "/slider_crank.yaml", 0, NULL, "slide=-50..50");
    static const double ends[] = {-0.7, -0.1, 0.1, 0.7};
    assert_int_equal(r->n, 4);
    check_ends(r);
    check_complete(r, 4);
    for (int i = 0; i < 4; i++) assert_near(r->critical[i], ends[i], 1e-12);
    ct_branches_free(r);
}

// A crank with a slot that a block on a rail drives: the slides go to infinity, nothing is proved.
static void test_not_bounded(void **state) {
    (void)state;
    static const char text[] =
        "bodies:\n  crank: {mass: 1, inertia: 1}\n  block: {mass: 1, inertia: 1}\n"
        "  slider: {mass: 1, inertia: 1}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, crank], axis: z}\n"
        "  slot: {type: prismatic, between: [crank, block], axis: x}\n"
        "  pin: {type: revolute, between: [block, slider], axis: z}\n"
        "  rail: {type: prismatic, between: [ground, slider], at: [[1, 0, 0], [0, 0, 0]], axis: "
        "y}\n"
        "initial: {O: 0}\n";
    char *path = ct_format("%s/test_branches_slot.yaml", CT_BUILD_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    result *r = branches_of(path, 0, NULL, "O=-1..1");
    assert_false(r->complete);
    assert_non_null(strstr(r->incomplete, "slide"));
    assert_int_equal(r->n_positions, 25);
    assert_int_equal(r->n, 1);
    for (int i = 0; i < r->branches[0].n; i++) // slot = 1 / cos O
        assert_near(r->branches[0].values[i * r->n_values + 1], 1 / cos(r->branches[0].drive[i]),
                    1e-9);
    ct_branches_free(r);
    ct_free(path);
}

static void test_no_such_branch(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_configurations_options options;
    ct_configurations_options_init(&options);
    result *r = NULL;
    options.branch = 2;
    assert_int_equal(
        ct_branches(ctx, CT_MODELS_DIR "/four_bar.yaml", 0, NULL, "h14=0..pi", &options, &r),
        CT_USAGE);
    assert_true(has_message(ctx, "there is no branch 2"));
    assert_null(r);
    ct_context_free(ctx);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *path, *over;
        ct_status status;
        const char *message;
    } wrong[] = {
        {CT_MODELS_DIR "/four_bar.yaml", "h11", CT_USAGE, "write it as COORDINATE=FROM..TO"},
        {CT_MODELS_DIR "/four_bar.yaml", "h99=0..1", CT_WRONG_MODEL, "there is no coordinate"},
        {CT_MODELS_DIR "/four_bar.yaml", "h11=1..0", CT_USAGE, "the range is empty"},
        {CT_MODELS_DIR "/four_bar.yaml", "h11=a..1", CT_USAGE, "is no number"},
        {CT_MODELS_DIR "/systems/cyclic_5.yaml", "x=0..1", CT_WRONG_MODEL, "needs a mechanism"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ct_context *ctx = ct_context_new();
        result *r = NULL;
        assert_int_equal(ct_branches(ctx, wrong[i].path, 0, NULL, wrong[i].over, NULL, &r),
                         wrong[i].status);
        if (!has_message(ctx, wrong[i].message)) {
            print_messages(ctx);
            fail_msg("no '%s'", wrong[i].message);
        }
        assert_null(r);
        ct_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),    cmocka_unit_test(test_rssr),
        cmocka_unit_test(test_three_rrr),   cmocka_unit_test(test_short_curves),
        cmocka_unit_test(test_not_bounded), cmocka_unit_test(test_no_such_branch),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
