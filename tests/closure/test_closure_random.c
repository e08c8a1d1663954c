// Mechanisms whose closure is delicate (tests/models/closure_*.yaml): their code, compiled once,
// with the model's parameters and with random ones, in closed form against coordinate partitioning;
// and each of their coordinates in turn as the independent one.
#include "harness.h"

#include "kernel/ctk_internal.h"

enum { SETS = 4, STEPS = 1000 }; // of parameters, the model's own first; of 0.5 ms

static glob_t closure_models(void) {
    glob_t g;
    char *pattern = ct_format("%s/tests/models/closure_*.yaml", CT_SOURCE_DIR);
    assert_int_equal(glob(pattern, 0, NULL, &g), 0);
    ct_free(pattern);
    assert_true(g.gl_pathc >= 10);
    pass_over(&g, 0);
    return g;
}

// Without `independent:`: it names coordinates of the closure's trees, not of the first ones.
static mech plain(const char *path, int n_set, const char *const *set) {
    char *text = read_text(path), *line = strstr(text, "\nindependent:");
    if (line) line[1] = '#';
    mech k = {.ctx = ct_context_new()};
    k.status = ct_model_read_text(k.ctx, path, text, strlen(text), n_set, set, &k.model);
    mech_continue(&k, NULL);
    ct_free(text);
    return k;
}

// the same code, closed in two ways
// ----------------------------------------------------------------
typedef struct pair {
    ctk_sim sim[2]; // in closed form, partitioned
    double *doubles[2];
    int *ints[2];
} pair;

static ctk_status start(pair *x, const ctk_model *m, const double *p, const ct_assembled *at) {
    static const ctk_method methods[2] = {CTK_TRIANGULAR, CTK_PARTITION};
    ctk_status status = CTK_OK;
    for (int i = 0; i < 2; i++) {
        ctk_options options;
        ctk_options_init(&options);
        options.method = methods[i];
        x->doubles[i] = ct_alloc(ctk_doubles(m) + 1, sizeof(double));
        x->ints[i] = ct_alloc(ctk_ints(m) + 1, sizeof(int));
        ctk_status s = ctk_init(x->sim + i, m, &options, p, NULL, 0, at->q0, at->qd0, x->doubles[i],
                                x->ints[i]);
        if (s && !status) status = s;
    }
    return status;
}

static void pair_clear(pair *x) {
    for (int i = 0; i < 2; i++) {
        ct_free(x->doubles[i]);
        ct_free(x->ints[i]);
    }
}

// Largest difference on the way.
static ctk_status go(pair *x, double *off) {
    ctk_status status = CTK_OK;
    const ctk_sim *a = x->sim, *b = x->sim + 1;
    *off = 0;
    for (int k = 1; k <= STEPS && !status; k++) {
        for (int i = 0; i < 2 && !status; i++) status = ctk_step(x->sim + i, 0.5 / STEPS);
        if (k % (STEPS / 10) || status) continue;
        status = ctk_refresh(x->sim);
        for (int j = 0; j < a->model->n && !status; j++) {
            double d = fmax(difference(a->q[j], b->q[j]), difference(a->qd[j], b->qd[j]));
            if (!(d <= *off)) *off = d;
        }
    }
    return status;
}

// Where the closure falls apart into components its code holds for lengths in the same ratios only,
// and says so at others.
static int compare(const char *name, const char *path, const ctk_model *m, const char *const *set) {
    mech k = mech_file_set(path, NULL, 2, set);
    pair x;
    double off = INFINITY;
    assert_made(&k);
    assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_system_formulation(k.s)->n, m->n);
    assert_int_equal(ct_model_free_parameters(k.model), m->n_parameters);
    double *p = ct_alloc((size_t)m->n_parameters + 1, sizeof *p);
    for (int i = 0; i < k.model->n_parameters; i++)
        if (!k.model->parameters[i].is_derived)
            p[ct_model_parameter_place(k.model, i)] = k.model->parameters[i].number;
    ctk_status status = start(&x, m, p, ct_run_state(k.s));
    bool refused = status == CTK_NO_SOLUTION && ct_system_closure(k.s)->components;
    if (!status) status = go(&x, &off);
    double residual = x.sim->max_residual;
    bool good = refused || (!status && off < 1e-7 && residual < 1e-11);
    if (refused)
        print_message("%-24s %s, %s: refused\n", name, set[0], set[1]);
    else
        print_message("%-24s %s, %s: differs by %.1e, residual %.1e\n", name, set[0], set[1], off,
                      residual);
    if (!good) print_error("%s: status %d\n", name, status);
    pair_clear(&x);
    ct_free(p);
    mech_clear(&k);
    return !good;
}

static int check(const char *path, uint64_t *random) {
    char *name = stem(path);
    mech k = mech_file(path, NULL);
    ct_run_options o;
    ct_runner r;
    int failures = 0;
    assert_made(&k);
    ct_run_options_init(&o);
    o.method = "triangular";
    ct_status status = ct_runner_open(&r, k.ctx, k.s, &o, false);
    if (status) print_messages(k.ctx);
    assert_int_equal(status, CT_OK);
    if (!k.s->closed->flow) fail_msg("%s: no flow", name);
    r.plan.complete = true; // partition's functions too, however long
    if (!r.code.model->dynamics) assert_int_equal(ct_runner_load(&r, k.ctx), CT_OK);
    for (int number = 0; number < SETS; number++) {
        char *set[2];
        for (int i = 0; i < 2; i++)
            set[i] = ct_format("d%d=%.6f", i + 1, number ? 0.05 * noise(random) : 0);
        failures += compare(name, path, r.code.model, (const char *const *)set);
        ct_free(set[0]);
        ct_free(set[1]);
    }
    ct_runner_close(&r);
    mech_clear(&k);
    ct_free(name);
    return failures;
}

static void random_parameters(void **state) {
    (void)state;
    glob_t files = closure_models();
    uint64_t random = 11;
    int failures = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) failures += check(files.gl_pathv[i], &random);
    globfree(&files);
    assert_int_equal(failures, 0);
}

// drives ------------------------------------------------------------------------------------------
static int drive(const char *path, const char *coordinate, int *closed) {
    mech k = plain(path, 0, NULL);
    ct_close_info *info = NULL;
    int failures = 0;
    assert_made(&k);
    // refused with a message, or right
    if (!ct_close_describe(k.ctx, k.s, 1, &coordinate, &info)) {
        (*closed)++;
        failures = !(info->residual < 1e-10) || info->n_independent != 1 ||
                   strcmp(info->independent[0], coordinate) != 0;
    } else {
        failures = !ct_message_count(k.ctx);
    }
    if (failures) {
        print_error("%s driven by %s: residual %.1e\n", path, coordinate,
                    info ? info->residual : INFINITY);
        print_messages(k.ctx);
    }
    ct_close_info_free(info);
    mech_clear(&k);
    return failures;
}

static void any_coordinate_drives(void **state) {
    (void)state;
    glob_t files = closure_models();
    int failures = 0, closed = 0, mechanisms = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        mech k = plain(files.gl_pathv[i], 0, NULL);
        assert_made(&k);
        bool one_freedom = ct_system_formulation(k.s)->n - ct_system_state(k.s)->m == 1;
        for (int c = 0; c < k.model->n_coordinates && one_freedom; c++)
            failures += drive(files.gl_pathv[i], k.model->coordinates[c].name, &closed);
        mechanisms += one_freedom;
        mech_clear(&k);
    }
    print_message("%d coordinates drive %d mechanisms\n", closed, mechanisms);
    globfree(&files);
    assert_int_equal(failures, 0);
    // three coordinates of a mechanism at an average; never fewer, or nearly all would be refused
    assert_true(mechanisms > 0 && closed >= 3 * mechanisms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_parameters),
        cmocka_unit_test(any_coordinate_drives),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
