// The measurement and what it compares: elimination as straight-line code, and approaches that must
// agree with each other.
#include "harness.h"

#include "measure/bench.h"
#include "closure/describe.h"

// elimination
// -------------------------------------------------------------------------------------- Carries
// out "a[1] -= l * a[2];" and the like: the statements of ct_eliminate, and no others.
typedef struct machine {
    double a[4096], b[64], x[64], l;
} machine;

static double *place(machine *m, const char **s) {
    char array = *(*s)++;
    if (array == 'l') return &m->l;
    int index = (int)strtol(*s + 1, (char **)(uintptr_t)s, 10);
    ++*s;
    return (array == 'a' ? m->a : array == 'b' ? m->b : m->x) + index;
}

static double operand(machine *m, const char **s) {
    if (**s >= '0' && **s <= '9') return strtod(*s, (char **)(uintptr_t)s);
    return *place(m, s);
}

static double sum(machine *m, const char **s);

static double factor(machine *m, const char **s) {
    if (**s == '-') return ++*s, -factor(m, s);
    if (**s != '(') return operand(m, s);
    ++*s;
    double v = sum(m, s);
    assert_int_equal(*(*s)++, ')');
    return v;
}

static double product(machine *m, const char **s) {
    double v = factor(m, s);
    while (!strncmp(*s, " * ", 3) || !strncmp(*s, " / ", 3)) {
        char op = (*s)[1];
        *s += 3;
        double w = factor(m, s);
        v = op == '*' ? v * w : v / w;
    }
    return v;
}

static double sum(machine *m, const char **s) {
    double v = product(m, s);
    while (!strncmp(*s, " - ", 3)) {
        *s += 3;
        v -= product(m, s);
    }
    return v;
}

static void carry_out(machine *m, const char *s) {
    while (s && *s) {
        s += strspn(s, " \n");
        if (!*s) break;
        double *target = place(m, &s);
        bool minus = !strncmp(s, " -= ", 4);
        s += minus ? 4 : 3;
        double v = sum(m, &s);
        *target = minus ? *target - v : v;
        assert_int_equal(*s++, ';');
    }
}

// A random matrix with many zeros, [n n] values; indefinite and with zeros on the diagonal.
static int random_matrix(uint64_t *state, int n, bool symmetric, int *index, double *value,
                         double *a) {
    int count = 0;
    memset(value, 0, (size_t)(n * n) * sizeof *value);
    for (int i = 0; i < n * n; i++) index[i] = -1;
    for (int i = 0; i < n; i++)
        for (int j = symmetric ? i : 0; j < n; j++) {
            bool on = j == (symmetric ? (i ^ 1) : (i + 1) % n) || noise(state) > 0.6;
            if (!on) continue;
            a[count] = value[i * n + j] = noise(state);
            if (symmetric) value[j * n + i] = a[count];
            if (symmetric) index[j * n + i] = count;
            index[i * n + j] = count++;
        }
    return count;
}

static void check_elimination(uint64_t *state, int n, bool symmetric) {
    static machine m;
    int index[32 * 32];
    double value[32 * 32], right[32];
    ct_elimination e;
    int count = random_matrix(state, n, symmetric, index, value, m.a);
    if (!ct_eliminate(n, count, index, value, symmetric, &e)) return; // singular
    for (int i = 0; i < n; i++) m.b[i] = right[i] = noise(state);
    carry_out(&m, e.factor.s);
    carry_out(&m, e.solve.s);
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(m.x[i]));
    for (int i = 0; i < n; i++) {
        double r = -right[i];
        for (int j = 0; j < n; j++) r += value[i * n + j] * m.x[j];
        assert_true(fabs(r) < 1e-8 * size);
    }
    ct_elimination_clear(&e);
}

static void test_elimination(void **unused) {
    (void)unused;
    uint64_t state = 7;
    for (int n = 1; n <= 16; n++)
        for (int k = 0; k < 40; k++) check_elimination(&state, n, k % 2);
}

static void test_singular(void **unused) {
    (void)unused;
    int index[] = {0, 1, 2, 3};
    double value[] = {1, 2, 2, 4};
    ct_elimination e;
    assert_false(ct_eliminate(2, 4, index, value, false, &e));
}

// approaches
// -----------------------------------------------------------------------------------------
static const ct_bench_approach *approach(const ct_bench_result *r, const char *name) {
    for (int i = 0; i < r->n; i++)
        if (!strcmp(r->approaches[i].name, name)) return r->approaches + i;
    fail_msg("no approach '%s'", name);
    return NULL;
}

// The same method with another elimination gives the same motion, hence the same residual.
static void same_residual(const ct_bench_result *r, const char *a, const char *b) {
    double x = approach(r, a)->max_residual, y = approach(r, b)->max_residual;
    assert_true(fabs(x - y) <= 1e-5 * fmax(x, y) + 1e-12);
}

static void check_approaches(const char *name) {
    mech k = mech_model(name, NULL);
    assert_made(&k);
    ct_bench_options o;
    ct_bench_result *r;
    ct_bench_options_init(&o);
    o.time = 0.1;
    assert_int_equal(ct_bench(k.ctx, k.s, &o, &r), CT_OK);
    assert_string_equal(r->approaches[0].name, "triangular");
    for (int i = 0; i < r->n; i++) {
        const ct_bench_approach *a = r->approaches + i;
        if (a->note) print_message("%s, %s: %s\n", name, a->name, a->note);
        assert_true(isfinite(a->dynamic_ms_per_s) && a->dynamic_ms_per_s > 0);
        assert_true(isfinite(a->max_residual) && a->max_residual < 1e-2);
    }
    assert_true(r->approaches[0].max_residual < 1e-13);
    assert_true(r->approaches[0].dynamic_ratio == 1);
    assert_true(approach(r, "newton-loops 1e-6")->max_residual < 1e-6);
    assert_true(approach(r, "newton 1e-6")->iterations >= 1);
    same_residual(r, "baumgarte", "baumgarte dense");
    same_residual(r, "augmented", "augmented dense");
    ct_bench_free(r);
    mech_clear(&k);
}

static void test_approaches(void **unused) {
    (void)unused;
    check_approaches("slider_crank");
    check_approaches("four_bar");
    check_approaches("three_rrr");
    check_approaches("spatial_four_bar");
}

// A four-bar whose shortest link is the coupler: the crank, moved by an input, cannot turn round.
static const char rocking[] =
    "cotree: 1\n"
    "inputs: {turn: 0.9}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 1, points: {end: [2, 0, 0]}}\n"
    "  coupler: {mass: 1, inertia: 1, points: {end: [1, 0, 0]}}\n"
    "  rocker: {mass: 1, inertia: 1, points: {end: [2, 0, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank], axis: z}\n"
    "  B: {type: revolute, between: [crank, coupler], at: [end, [0, 0, 0]], axis: z}\n"
    "  C: {type: revolute, between: [coupler, rocker], at: [end, end], axis: z}\n"
    "  D: {type: revolute, between: [ground, rocker], at: [[2.5, 0, 0], [0, 0, 0]], axis: z}\n"
    "motions: {A: turn}\n";

// One measurement with an input that follows an expression (NULL: none).
static ct_status bench_input(const char *input, char *note, size_t room) {
    ct_context *ctx = ct_context_new();
    ct_model *model;
    ct_system *s;
    ct_bench_options o;
    ct_bench_result *r;
    ct_bench_options_init(&o);
    o.time = 0.5;
    o.seconds = 0;
    assert_int_equal(ct_model_read_text(ctx, "rocking", rocking, strlen(rocking), 0, NULL, &model),
                     CT_OK);
    if (input) assert_int_equal(ct_input_expression(ctx, model, input), CT_OK);
    assert_int_equal(ct_formulate(ctx, model, NULL, &s), CT_OK);
    ct_status status = ct_bench(ctx, s, &o, &r);
    const char *said = status ? ct_message(ctx, 0) : r->approaches[0].note;
    snprintf(note, room, "%s", said ? said : "");
    ct_bench_free(r);
    ct_system_free(s);
    ct_model_free(model);
    ct_context_free(ctx);
    return status;
}

// Inputs move the mechanism that is measured: to where it cannot go, or to no number.
static void test_inputs(void **unused) {
    (void)unused;
    char note[256];
    assert_int_equal(bench_input(NULL, note, sizeof note), CT_OK);
    assert_string_equal(note, "");
    assert_int_equal(bench_input("turn=0.9 + t/10", note, sizeof note), CT_OK);
    assert_string_equal(note, "");
    assert_int_equal(bench_input("turn=0.9 + 4*t", note, sizeof note), CT_OK);
    assert_non_null(strstr(note, "measured up to t = "));
    assert_int_equal(bench_input("turn=0.9 + sqrt(1/10 - t)/100", note, sizeof note), CT_NUMERICS);
    assert_non_null(strstr(note, "input 'turn' is not a finite number"));
}

// Interpreted, with a note: approaches of the kernel have times, those with code of their own have none.
static void test_interpreted(void **unused) {
    (void)unused;
    char *before = getenv("CC") ? ct_strdup(getenv("CC")) : NULL;
    setenv("CC", "none", 1);
    mech k = mech_model("three_rrr", NULL);
    assert_made(&k);
    ct_bench_options o;
    ct_bench_result *r;
    ct_bench_options_init(&o);
    o.time = 0.02;
    o.seconds = 0;
    assert_int_equal(ct_bench(k.ctx, k.s, &o, &r), CT_OK);
    assert_non_null(strstr(ct_message(k.ctx, 0), "interpreted"));
    assert_true(r->approaches[0].max_residual < 1e-13);
    for (int i = 0; i < r->n; i++) {
        const ct_bench_approach *a = r->approaches + i;
        bool runs = !i || strstr(a->name, "simulate") ||
                    (strstr(a->name, "dense") && !strstr(a->name, "newton"));
        assert_int_equal(isfinite(a->dynamic_ms_per_s), runs);
        if (!runs) assert_string_equal(a->note, "its code needs a compiler");
    }
    ct_bench_free(r);
    mech_clear(&k);
    if (before)
        setenv("CC", before, 1);
    else
        unsetenv("CC");
    ct_free(before);
}

static void test_published(void **unused) {
    (void)unused;
    double kinematic, dynamic;
    assert_non_null(
        ct_published_ratios("gough_stewart", "newton dense 1e-3", &kinematic, &dynamic));
    assert_true(fabs(kinematic - 37.7 / 2.7) < 1e-12 && fabs(dynamic - 45.3 / 10.3) < 1e-12);
    assert_non_null(ct_published_ratios("gough_stewart", "penalty dense", &kinematic, &dynamic));
    assert_true(isnan(kinematic) && fabs(dynamic - 85.7 / 10.3) < 1e-12);
    assert_null(ct_published_ratios("pendulum", "triangular", &kinematic, &dynamic));
    assert_true(isnan(kinematic) && isnan(dynamic));
}

static void test_interrupted(void **unused) {
    (void)unused;
    mech k = mech_model("four_bar", NULL);
    assert_made(&k);
    volatile sig_atomic_t stop = 1;
    ct_bench_options o;
    ct_bench_result *r;
    ct_bench_options_init(&o);
    o.time = 0.01;
    o.stop = &stop;
    assert_int_equal(ct_bench(k.ctx, k.s, &o, &r), CT_INTERRUPTED);
    assert_null(r);
    mech_clear(&k);
}

// closures
// -------------------------------------------------------------------------------------------
static void test_close(void **unused) {
    (void)unused;
    static const char *const models[] = {"slider_crank", "four_bar",         "five_bar",
                                         "three_rrr",    "spatial_four_bar", "andrews"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        mech k = mech_model(models[i], NULL);
        assert_made(&k);
        ct_close_info *info;
        assert_int_equal(ct_close_describe(k.ctx, k.s, 0, NULL, &info), CT_OK);
        assert_true(info->triangular && info->n_iterated == 0 && info->n_steps > 0);
        assert_true(info->residual < 1e-13);
        assert_true(info->positions.total > 0 && info->dynamics.total > 0);
        ct_close_info_free(info);
        mech_clear(&k);
    }
}

static void test_close_names(void **unused) {
    (void)unused;
    mech k = mech_model("slider_crank", NULL);
    assert_made(&k);
    ct_close_info *info;
    const char *const slide[] = {"slide"}, *const wrong[] = {"slida"}, *const two[] = {"O", "A"};
    assert_int_equal(ct_close_describe(k.ctx, k.s, 1, slide, &info), CT_OK);
    assert_string_equal(info->independent[0], "slide");
    assert_true(info->residual < 1e-13);
    ct_close_info_free(info);
    assert_int_equal(ct_close_describe(k.ctx, k.s, 1, wrong, &info), CT_USAGE);
    assert_non_null(strstr(ct_message(k.ctx, 0), "did you mean 'slide'"));
    ct_messages_clear(k.ctx);
    assert_int_equal(ct_close_describe(k.ctx, k.s, 2, two, &info), CT_USAGE);
    assert_non_null(strstr(ct_message(k.ctx, 0), "1 freedom"));
    mech_clear(&k);
}

// Methods at one step and at their longest: explicit ones of fourth order bear longer steps than implicit
// ones of second order on a smooth motion, all are below the error, and shorter steps have smaller ones.
static void test_methods(void **unused) {
    (void)unused;
    mech k = mech_model("four_bar", NULL);
    assert_made(&k);
    ct_bench_options o;
    ct_bench_options_init(&o);
    o.time = 0.5;
    o.error = 1e-3;
    ct_bench_methods_result *r;
    assert_int_equal(ct_bench_methods(k.ctx, k.s, &o, &r), CT_OK);
    assert_true(r->n >= 9 && r->step == 1e-3 && r->error == 1e-3);
    for (int i = 0; i < r->n; i++) {
        const ct_bench_method *m = r->methods + i;
        const bool implicit = !strcmp(m->integrator, "trapezoid");
        if (m->note) fail_msg("%s: %s", m->name, m->note);
        assert_true(m->same.step == 1e-3 && m->same.error < (implicit ? 1e-4 : 1e-6));
        assert_true(m->longest.step > 1e-3 && m->longest.error <= 1e-3);
        assert_true(m->longest.error > m->same.error && m->same.ms_per_s > 0);
        assert_true(implicit == (m->same.iterations >= 1));
    }
    ct_bench_methods_free(r);
    // nobody waits longer than he wants
    volatile sig_atomic_t stop = 1;
    o.stop = &stop;
    assert_int_equal(ct_bench_methods(k.ctx, k.s, &o, &r), CT_INTERRUPTED);
    assert_null(r);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elimination), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_approaches),  cmocka_unit_test(test_published),
        cmocka_unit_test(test_inputs),      cmocka_unit_test(test_interpreted),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_close),
        cmocka_unit_test(test_close_names), cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
