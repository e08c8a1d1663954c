// The constraint equations integrated by ida, with index 1 and stabilised with index 2: the motions that cvode
// finds in other coordinates, the Jacobian beside differences of the residual, jumps of inputs, messages.
#include "harness.h"

#include "run/adaptive/ida_equations.h"

// One model for each kind of trouble.
static const struct {
    const char *name;
    double time;
} models[] = {
    {"four_bar", 0.4},          // a loop
    {"spatial_four_bar", 0.4},  // balls in a loop
    {"double_four_bar", 0.4},   // redundant in its flat position
    {"bricard", 0.2},           // redundant rows
    {"schatz", 0.2},            // the same
    {"closure_massless", 0.2},  // a body without mass
    {"motion_coordinate", 0.2}, // rows of time
    {"kin_spatial", 0.1},       // no freedom
    {"free_body", 0.4},         // a whole rotation
    {"spherical_zxz", 0.1},     // angles that forces name
    {"quarter_car", 0.2},       // stiff forces, a rod without mass, whole rotations
    {"screw", 0.2},
};

static ct_status run_ida(const mech *k, int index, const char *tangent, double time, table *t) {
    ct_run_options o =
        run_options(&(run_settings){.integrator = "ida", .time = time, .output_step = time}, t);
    ct_run_summary summary;
    o.rtol = 1e-11;
    o.index = index;
    o.tangent = tangent;
    const char *const *names;
    ct_status status = ct_simulate(k->ctx, k->s, &o, &summary);
    if (status) return status;
    assert_string_equal(summary.integrator, "ida");
    assert_string_equal(summary.method, "augmented");
    assert_true(summary.max_residual < (index == 2 ? 1e-9 : 1e-7));
    int n = ct_result_columns(k->s, false, &names);
    table_names(t, n, names);
    return CT_OK;
}

static void motions_are_those_of_cvode(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        mech k = mech_model(models[i].name, NULL);
        assert_made(&k);
        table want = run_mech(&k,
                              &(run_settings){.integrator = "cvode",
                                              .time = models[i].time,
                                              .output_step = models[i].time,
                                              .rtol = 1e-12},
                              NULL);
        for (int index = 1; index <= 2; index++) {
            table have = {0};
            assert_int_equal(run_ida(&k, index, NULL, models[i].time, &have), CT_OK);
            for (int c = 0; c < have.columns; c++) {
                int w = table_column(&want, have.names[c]);
                if (w < 0) continue;
                double error =
                    difference(table_at(&have, have.n - 1, c), table_at(&want, want.n - 1, w));
                if (!(error < 1e-7))
                    fail_msg("%s, index %d: %s is off by %.2e", models[i].name, index,
                             have.names[c], error);
            }
            table_clear(&have);
        }
        table_clear(&want);
        mech_clear(&k);
    }
}

// Each column of dR/dy + f dR/dy' beside central differences of the residual, with derivatives of the forces
// in symbols and without.
static void jacobians_are_derivatives(void **state) {
    (void)state;
    static const char *const names[] = {"four_bar", "free_body", "spatial_four_bar", "quarter_car",
                                        "motion_coordinate"};
    static const char *const tangents[] = {"full", "forces", "none"};
    const double f = 7;
    for (int i = 0; i < 5 * 6; i++) {
        mech k = mech_model(names[i / 6], NULL);
        assert_made(&k);
        ct_run_options o;
        ct_run_options_init(&o);
        o.integrator = "ida";
        o.index = 1 + i % 2;
        o.tangent = tangents[i / 2 % 3];
        ct_runner r;
        assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
        ct_ida_equations e;
        ct_ida_equations_init(&e, &r);
        const size_t n = (size_t)e.size;
        double *y = ct_alloc(n, sizeof *y), *ydot = ct_alloc(n, sizeof *y),
               *out = ct_alloc(2 * n, sizeof *y), *all = ct_alloc(n * n, sizeof *y),
               **columns = ct_alloc(n, sizeof *columns);
        for (int j = 0; j < e.size; j++) columns[j] = all + (size_t)j * n;
        assert_int_equal(ct_ida_equations_start(&e, y, ydot), CTK_OK);
        // consistent at the start
        assert_true(ct_ida_residual(&e, 0, y, ydot, out));
        for (int j = 0; j < e.size; j++) assert_true(fabs(out[j]) < 1e-6);
        assert_true(ct_ida_jacobian(&e, 0, f, y, ydot, columns));
        double largest = 0;
        for (size_t j = 0; j < n * n; j++) largest = fmax(largest, fabs(all[j]));
        for (int j = 0; j < e.size; j++) {
            const double step = 1e-6, at = y[j], rate = ydot[j];
            for (int side = 0; side < 2; side++) {
                y[j] = at + (side ? step : -step);
                ydot[j] = rate + f * (side ? step : -step);
                assert_true(ct_ida_residual(&e, 0, y, ydot, out + (size_t)side * n));
            }
            y[j] = at;
            ydot[j] = rate;
            for (int l = 0; l < e.size; l++) {
                // power by rates is left out: nothing depends on the work
                if (l == e.work) continue;
                const double want = (out[n + (size_t)l] - out[l]) / (2 * step);
                if (!(fabs(columns[j][l] - want) < 2e-6 * largest + 1e-4 * fabs(want)))
                    fail_msg("%s, index %g, %s: entry %d %d is %.9g, not %.9g", names[i / 6],
                             o.index, o.tangent, l, j, columns[j][l], want);
            }
        }
        ct_free(y);
        ct_free(ydot);
        ct_free(out);
        ct_free(all);
        ct_free(columns);
        ct_ida_equations_clear(&e);
        ct_runner_close(&r);
        mech_clear(&k);
    }
}

// A force that jumps with an input: the solver starts anew there, from consistent values.
static void jumps_of_inputs(void **state) {
    (void)state;
    static const char text[] = "cotree: 1\n"
                               "bodies: {block: {mass: 2, inertia: 1}}\n"
                               "joints: {S: {type: prismatic, between: [ground, block], axis: x}}\n"
                               "inputs: {push: 0}\n"
                               "forces: {F: {type: actuator, joint: S, value: push}}\n";
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, "jump", text, strlen(text), 0, NULL, &k.model);
    if (!k.status) k.status = ct_input_expression(k.ctx, k.model, "push=if(t < 0.3, 1, -4)");
    mech_continue(&k, NULL);
    assert_made(&k);
    table t = {0};
    for (int index = 1; index <= 2; index++) {
        assert_int_equal(run_ida(&k, index, NULL, 1, &t), CT_OK);
        // 0.3 s with 1/2 m/s^2, 0.7 s with -2
        assert_near(table_last(&t, "S'"), 0.15 - 1.4, 1e-9);
        assert_near(table_last(&t, "S"), 0.0225 + 0.15 * 0.7 - 0.49, 1e-9);
        table_clear(&t);
        t = (table){0};
    }
    mech_clear(&k);
}

static void what_does_not_go_is_said(void **state) {
    (void)state;
    mech k = mech_model("four_bar", NULL);
    assert_made(&k);
    ct_run_options o;
    ct_run_options_init(&o);
    o.integrator = "ida";
    o.index = 3;
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_USAGE);
    assert_true(has_message(k.ctx, "index must be 1 or 2"));
    o.index = -1;
    o.method = "triangular";
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &(ct_run_summary){0}), CT_USAGE);
    assert_true(has_message(k.ctx, "it has method augmented, not triangular"));
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_those_of_cvode),
        cmocka_unit_test(jacobians_are_derivatives),
        cmocka_unit_test(jumps_of_inputs),
        cmocka_unit_test(what_does_not_go_is_said),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
