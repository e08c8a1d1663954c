// Inputs of a run: an expression, a file, a function of the caller and the equations written out give
// the same motion; steps are divided at jumps and bends; what cannot be is refused.
#include "harness.h"

// A slider-crank whose crank is moved by `angle`, with a pendulum on its piston that `torque` drives.
static const char crank[] =
    "cotree: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {l1: 0.3, l2: 0.5, w: 3}\n"
    "%s"
    "bodies:\n"
    "  crank: {mass: 0.2, inertia: 0.01, com: [l1/2, 0, 0], points: {A: [l1, 0, 0]}}\n"
    "  rod: {mass: 0.5, inertia: 0.02, com: [l2/2, 0, 0], points: {B: [l2, 0, 0]}}\n"
    "  piston: {mass: 1, inertia: 1e-3}\n"
    "  bob: {mass: 0.4, inertia: 0.01, com: [0, -0.2, 0]}\n"
    "joints:\n"
    "  O: {type: revolute, between: [ground, crank], axis: z}\n"
    "  A: {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
    "  B: {type: revolute, between: [rod, piston], at: [B, [0, 0, 0]], axis: z}\n"
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n"
    "  P: {type: revolute, between: [piston, bob], axis: z}\n"
    "motions: {O: \"%s\"%s}\n"
    "forces: {drive: {type: actuator, joint: P, value: \"%s\"}}\n"
    "outputs: {torque_now: \"%s\"}\n"
    "guess: {A: -1}\n";

// What inputs follow; NULL: not given.
typedef struct feed {
    const char *angle, *torque; // expressions
    const char *rows;           // of a file
    bool hold, function;
} feed;

static char *crank_text(const char *angle, const char *torque, bool driven) {
    const char *inputs = strcmp(angle, "angle") ? "" : "inputs: {angle: 0.4, torque: 0}\n";
    return ct_format(crank, inputs, angle, driven ? ", P: 0.1*t" : "", torque, torque);
}

static void sine(void *data, double t, double *out) {
    const double w = *(const double *)data;
    out[0] = 0.5 + 0.3 * sin(w * t);
    out[1] = 0.3 * w * cos(w * t);
    out[2] = -0.3 * w * w * sin(w * t);
}

static void cosine(void *data, double t, double *out) {
    (void)data;
    out[0] = 0.2 * cos(5 * t);
}

// Reads the model and gives its inputs what they follow.
static mech feed_model(char *text, const feed *with) {
    static double w = 3;
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, "crank.yaml", text, strlen(text), 0, NULL, &k.model);
    ct_free(text);
    if (!k.status && with->angle) k.status = ct_input_expression(k.ctx, k.model, with->angle);
    if (!k.status && with->torque) k.status = ct_input_expression(k.ctx, k.model, with->torque);
    if (!k.status && with->function)
        k.status = ct_input_function(k.ctx, k.model, "angle", sine, &w);
    if (!k.status && with->function)
        k.status = ct_input_function(k.ctx, k.model, "torque", cosine, NULL);
    if (!k.status && with->rows) {
        char *folder = temporary_folder(), *path = ct_format("%s/rows.csv", folder);
        FILE *file = fopen(path, "w");
        fputs(with->rows, file);
        fclose(file);
        k.status = ct_input_file(k.ctx, k.model, path, with->hold);
        ct_free(path);
        remove_folder(folder);
    }
    return k;
}

typedef struct how {
    const char *method, *integrator;
    double step;
    bool kinematics;
} how;

static table move(mech *k, const how *by) {
    ct_run_options o;
    ct_run_summary summary;
    table rows = {0};
    const char *const *names;
    mech_continue(k, NULL);
    assert_made(k);
    int n = ct_result_columns(k->s, by->kinematics, &names);
    table_names(&rows, n, names);
    ct_run_options_init(&o);
    o.time = 1;
    o.step = by->step > 0 ? by->step : 1e-3;
    o.output_step = 0.02;
    o.method = by->method;
    o.integrator = by->integrator ? by->integrator : "rk4";
    o.row = table_row;
    o.row_data = &rows;
    k->status = (by->kinematics ? ct_kinematics : ct_simulate)(k->ctx, k->s, &o, &summary);
    assert_made(k);
    mech_clear(k);
    return rows;
}

static table run(char *text, const feed *with, const how *by) {
    mech k = feed_model(text, with);
    assert_made(&k);
    return move(&k, by);
}

// The largest difference, relative where numbers are large.
static double apart(table a, table b) {
    double most = 0;
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.columns, b.columns);
    for (int i = 0; i < a.n * a.columns; i++)
        most = fmax(most, fabs(a.value[i] - b.value[i]) / (1 + fabs(b.value[i])));
    table_clear(&a);
    table_clear(&b);
    return most;
}

static const feed by_expression = {.angle = "angle=0.5+0.3*sin(w*t)",
                                   .torque = "torque = 0.2*cos(5*t)"};
static const feed by_function = {.function = true}, nothing = {0};

static table written_out(const how *by) {
    return run(crank_text("0.5+0.3*sin(w*t)", "0.2*cos(5*t)", by->kinematics), &nothing, by);
}

// Values, rates and accelerations of an input in a motion, against the motion as an expression.
static void same_as_written_out(void **state) {
    (void)state;
    static const how list[] = {{.method = "triangular"},
                               {.method = "newton-loops"},
                               {.method = "newton"},
                               {.method = "partition"},
                               {.method = "augmented"},
                               {.method = "triangular", .kinematics = true},
                               {.method = "newton", .kinematics = true}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bool driven = list[i].kinematics;
        table want = written_out(list + i);
        double off =
            apart(run(crank_text("angle", "torque", driven), &by_expression, list + i), want);
        if (!(off <= 1e-12)) fail_msg("%s: expression off by %g", list[i].method, off);
        want = written_out(list + i);
        off = apart(run(crank_text("angle", "torque", driven), &by_function, list + i), want);
        if (!(off <= 1e-12)) fail_msg("%s: function off by %g", list[i].method, off);
    }
}

// Rows at 0, step, ..: both inputs, to 17 digits.
static char *sampled(double step, bool torque) {
    ct_text text = {0};
    ct_text_printf(&text, "t,angle%s\n", torque ? ",torque" : "");
    for (int i = 0; i * step <= 1.1; i++) {
        double t = i * step;
        ct_text_printf(&text, "%.17g,%.17g", t, 0.5 + 0.3 * sin(3 * t));
        ct_text_printf(&text, torque ? ",%.17g\n" : "\n", 0.2 * cos(5 * t));
    }
    return ct_text_take(&text);
}

// The spline of a file is that of a table; it comes near the function that its rows are from.
static void splines(void **state) {
    (void)state;
    const how by = {.step = 1e-3};
    char *rows = sampled(0.05, false);
    ct_text x = {0}, y = {0};
    for (int i = 0; i * 0.05 <= 1.1; i++) {
        ct_text_printf(&x, "%s%.17g", i ? ", " : "", i * 0.05);
        ct_text_printf(&y, "%s%.17g", i ? ", " : "", 0.5 + 0.3 * sin(3 * (i * 0.05)));
    }
    char *text = crank_text("table(a, t)", "0", false);
    char *with_table = ct_format("%stables: {a: {x: [%s], y: [%s]}}\n", text, x.s, y.s);
    ct_free(text);
    ct_text_clear(&x);
    ct_text_clear(&y);
    // steps are divided at the rows of the file, which fall on steps here
    table want = run(with_table, &nothing, &by);
    double off = apart(run(crank_text("angle", "torque", false), &(feed){.rows = rows}, &by), want);
    if (!(off <= 1e-12)) fail_msg("table: off by %g", off);
    // both inputs sampled finely, against the functions: lines miss h^2/8 0.2 25 = 6e-7 N m, which
    // turn an inertia of 0.03 by 1e-5 in a second
    char *fine = sampled(1e-3, true);
    off = apart(run(crank_text("angle", "torque", false), &(feed){.rows = fine}, &by),
                written_out(&by));
    if (!(off <= 1e-5 && off > 1e-12)) fail_msg("sampled: off by %g", off);
    ct_free(rows);
    ct_free(fine);
}

// Steps and lines off the grid of steps: expression and file agree, and the order is kept.
static void divided_steps(void **state) {
    (void)state;
    static const char rows[] = "t,torque\n0,0\n0.30033,0.3\n0.70071,-0.2\n";
    static const feed step_file = {.angle = "angle=0.4", .rows = rows, .hold = true},
                      line_file = {.angle = "angle=0.4", .rows = rows},
                      step = {.torque = "torque=if(t < 0.30033, 0, if(t <= 0.70071, 0.3, -0.2))"},
                      line = {.torque = "torque=min(0.3*t/0.30033, max(-0.2, 0.3 - "
                                        "0.5*(t - 0.30033)/0.40038))"};
    static const char *const integrators[] = {"rk4", "ab4", "rk2", "cvode"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        how by = {.integrator = integrators[i]};
        double limit = i == 3 ? 1e-7 : 1e-12; // steps of cvode follow from their errors
        table want = run(crank_text("angle", "torque", false), &step, &by);
        double off = apart(run(crank_text("angle", "torque", false), &step_file, &by), want);
        if (!(off <= limit)) fail_msg("%s: steps off by %g", integrators[i], off);
        want = run(crank_text("angle", "torque", false), &line, &by);
        off = apart(run(crank_text("angle", "torque", false), &line_file, &by), want);
        if (!(off <= limit)) fail_msg("%s: lines off by %g", integrators[i], off);
    }
    // half the step, a sixteenth of the error
    for (int k = 0; k < 2; k++) {
        const feed *with = k ? &line_file : &step_file;
        double error[2];
        for (int half = 0; half < 2; half++) {
            how coarse = {.step = half ? 0.01 : 0.02}, fine = {.step = 1e-3};
            table want = run(crank_text("angle", "torque", false), with, &fine);
            error[half] = apart(run(crank_text("angle", "torque", false), with, &coarse), want);
        }
        if (!(error[0] > 10 * error[1])) fail_msg("errors %g and %g", error[0], error[1]);
    }
}

// the kernel --------------------------------------------------------------------------------------
static void both(void *data, double t, double *u, double *ud, double *udd) {
    (void)data;
    u[0] = 0.4 + 0.2 * t - 0.1 * t * t;
    ud[0] = 0.2 - 0.2 * t;
    udd[0] = -0.2;
    u[1] = 0.3;
}

// In C: a function of time; inputs written before each step go on by their rates.
static void kernel(void **state) {
    (void)state;
    mech k = feed_model(crank_text("angle", "torque", false), &nothing);
    mech_continue(&k, NULL);
    assert_made(&k);
    ct_runner r;
    ct_run_options o;
    ct_run_options_init(&o);
    o.method = "triangular";
    o.integrator = "rk4";
    assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
    const ctk_model *m = r.code.model;
    double *doubles = ct_alloc(2 * ctk_doubles(m), sizeof *doubles);
    int *ints = ct_alloc(2 * ctk_ints(m), sizeof *ints);
    ctk_sim by_time, by_hand;
    ctk_options with = r.plan.kernel;
    with.inputs = NULL;
    const double u0[] = {0.4, 0.3};
    assert_int_equal(ctk_init(&by_hand, m, &with, NULL, u0, 0, NULL, NULL, doubles + ctk_doubles(m),
                              ints + ctk_ints(m)),
                     CTK_OK);
    with.inputs = both;
    assert_int_equal(ctk_init(&by_time, m, &with, NULL, NULL, 0, NULL, NULL, doubles, ints),
                     CTK_OK);
    // the open rate starts as by_hand has it: at rest, before the crank moves
    for (int i = 0; i < 500; i++) {
        both(NULL, by_hand.t, by_hand.u, by_hand.ud, by_hand.udd);
        assert_int_equal(ctk_step(&by_hand, 1e-3), CTK_OK);
        assert_int_equal(ctk_step(&by_time, 1e-3), CTK_OK);
    }
    assert_int_equal(ctk_refresh(&by_hand), CTK_OK);
    assert_int_equal(ctk_refresh(&by_time), CTK_OK);
    for (int i = 0; i < m->n; i++) {
        assert_true(fabs(by_hand.q[i] - by_time.q[i]) < 1e-12);
        assert_true(fabs(by_hand.qd[i] - by_time.qd[i]) < 1e-11);
        assert_true(fabs(by_hand.qdd[i] - by_time.qdd[i]) < 1e-9);
    }
    // inputs at the time that was reached
    assert_true(fabs(by_time.u[0] - (0.4 + 0.2 * 0.5 - 0.1 * 0.25)) < 1e-12);
    assert_true(fabs(by_hand.ud[0] - 0.1) < 1e-12);
    ct_free(doubles);
    ct_free(ints);
    ct_runner_close(&r);
    mech_clear(&k);
}

// refusals ----------------------------------------------------------------------------------------
static void refusals(void **state) {
    (void)state;
    static const struct {
        feed with;
        ct_status status;
        const char *message;
    } list[] = {
        {{.angle = "angel=1"},
         CT_WRONG_MODEL,
         "crank.yaml: error: --input angel=1: the model has no input 'angel': did you mean "
         "'angle'?"},
        {{.angle = "w=1"},
         CT_WRONG_MODEL,
         "crank.yaml: error: --input w=1: the model has no input 'w' (it is a parameter: --set)"},
        {{.angle = "angle=1", .torque = "angle=2"},
         CT_USAGE,
         "crank.yaml: error: --input angle=2: input 'angle' is given twice"},
        {{.angle = "angle=O"},
         CT_WRONG_MODEL,
         "crank.yaml: error: --input angle=O: 'O' depends on the motion, but an input may depend "
         "on "
         "t and parameters only"},
        {{.angle = "angle=torque"},
         CT_WRONG_MODEL,
         "crank.yaml: error: --input angle=torque: 'torque' is an input, but an input may depend "
         "on "
         "t and parameters only"},
        {{.angle = "angle=1+"},
         CT_WRONG_MODEL,
         "crank.yaml: error: --input angle=1+: the expression ends too early"},
        {{.angle = "angle=sqrt(t)"},
         CT_WRONG_MODEL,
         "crank.yaml: error: the rate of input 'angle' is not finite at t = 0"},
        {{.rows = "t,torqe\n0,1\n"},
         CT_WRONG_MODEL,
         "rows.csv:1:3: error: column 'torqe' is neither t nor an input nor a result of this "
         "model: "
         "did you mean 'torque'?"},
        {{.rows = "t,torque\n0,1\n1,x\n"},
         CT_WRONG_MODEL,
         "rows.csv:3:3: error: 'x' is no finite number"},
        {{.rows = "t,torque\n0,1\n0,2\n"},
         CT_WRONG_MODEL,
         "rows.csv:3:1: error: t must increase, but 0 follows 0"},
        {{.rows = "t,torque,torque\n0,1,1\n"},
         CT_USAGE,
         "rows.csv:1:10: error: input 'torque' has two columns: remove one"},
        {{.rows = "torque\n0\n"},
         CT_WRONG_MODEL,
         "rows.csv: error: there is no column t: the times of the rows"},
        {{.rows = "t,O,O',slide'',torque_now\n0,1,1,1,1\n"},
         CT_WRONG_MODEL,
         "rows.csv: error: no column is an input of this model"},
        {{.rows = "t,torque\n"},
         CT_WRONG_MODEL,
         "rows.csv: error: this file of inputs has no rows"},
        {{.torque = "torque=1", .rows = "t,torque\n0,1\n"},
         CT_USAGE,
         "rows.csv:1:3: error: input 'torque' is given twice: by this column, and before"},
        {{.rows = "t,angle\n0,1\n1,2\n", .hold = true},
         CT_USAGE,
         "rows.csv:1:3: error: input 'angle' moves bodies by a motion or a constraint, and bodies "
         "cannot follow steps: leave --hold out"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mech k = feed_model(crank_text("angle", "torque", false), &list[i].with);
        if (k.status != list[i].status || !has_message(k.ctx, list[i].message)) {
            print_messages(k.ctx);
            fail_msg("status %d, not %d with '%s'", k.status, list[i].status, list[i].message);
        }
        mech_clear(&k);
    }
}

// While it runs: jumps of motions, values that end, inputs that change behind the formulation.
static void refused_runs(void **state) {
    (void)state;
    static const struct {
        feed with;
        const char *message;
    } list[] = {
        {{.angle = "angle=if(t < 0.5, 0.4, 0.5)"}, "error: at t = 0.5 this motion jumps by 0.1"},
        {{.torque = "torque=sqrt(0.5 - t)"}, "input 'torque' is not a finite number"},
        {{.torque = "torque=1/(t - 0.5)"},
         "error: at t = 0.5 input 'torque' is not a finite number"},
    };
    ct_run_options o;
    ct_run_summary summary;
    ct_run_options_init(&o);
    o.time = 1;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mech k = feed_model(crank_text("angle", "torque", false), &list[i].with);
        mech_continue(&k, NULL);
        assert_made(&k);
        ct_status status = ct_simulate(k.ctx, k.s, &o, &summary);
        if (status != CT_NUMERICS || !has_message(k.ctx, list[i].message)) {
            print_messages(k.ctx);
            fail_msg("status %d, without '%s'", status, list[i].message);
        }
        mech_clear(&k);
    }
    mech k = feed_model(crank_text("angle", "torque", false), &nothing);
    mech_continue(&k, NULL);
    assert_int_equal(ct_input_expression(k.ctx, k.model, "torque=0.1"), CT_OK);
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_OK);
    assert_int_equal(ct_input_expression(k.ctx, k.model, "angle=0.5"), CT_OK);
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_USAGE);
    assert_int_equal(ct_inputs_clear(k.ctx, k.model), CT_OK);
    assert_int_equal(ct_simulate(k.ctx, k.s, &o, &summary), CT_OK);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_written_out),
        cmocka_unit_test(splines),
        cmocka_unit_test(divided_steps),
        cmocka_unit_test(kernel),
        cmocka_unit_test(refusals),
        cmocka_unit_test(refused_runs),
    };
    return cmocka_run_group_tests_name("inputs of runs", tests, shared_cache, NULL);
}
