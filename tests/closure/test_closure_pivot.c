// Where a step of a closure without iterations loses its pivot, the mechanism itself is singular
// for these independent coordinates (docs/theory.md): every mechanism of the library is led along
// random directions until a step has no solution, and the columns of Phi_d have become dependent
// there. And mechanisms whose motion goes through places where a plane or a relation taken alone
// would lose it.
#include "closure/closure_machine.h"
#include "closure/closure_runs.h"

enum { DIRECTIONS = 3, WAYS = 400 };

typedef struct walk {
    const ct_system *s;
    const ct_closure *c;
    machine m;
    double *q; // the last closed position
} walk;

// From the initial position: values, followed numbers and signs.
static void start(walk *k) {
    const ct_closure *c = k->c;
    const ct_formulation *f = c->f;
    machine *m = &k->m;
    ct_numbers_set(m->x, f->n, f->q, ct_system_state(k->s)->q0);
    machine_set(m, f->model->time, 0);
    for (int i = 0; i < c->registers.values.n; i++)
        machine_set(m, c->registers.values.symbol[i],
                    machine_value(m, c->registers.values.meaning[i]));
    for (int i = 0; i < c->registers.tracked.n; i++) {
        m->w[i] = machine_value(m, c->registers.tracked.meaning[i]);
        machine_set(m, c->registers.tracked.symbol[i], m->w[i]);
    }
    for (int i = 0; i < c->registers.signs.n; i++)
        machine_set(m, c->registers.signs.symbol[i],
                    machine_value(m, c->registers.signs.meaning[i]) < 0 ? -1 : 1);
    memcpy(k->q, ct_system_state(k->s)->q0, (size_t)f->n * sizeof *k->q);
}

static bool close_at(walk *k, const double *direction, double way) {
    const ct_closure *c = k->c;
    for (int i = 0; i < c->r; i++) {
        int j = c->independent[i];
        machine_set(&k->m, c->f->q[j], ct_system_state(k->s)->q0[j] + way * direction[i]);
    }
    if (!machine_run(&k->m, &c->positions, NULL)) return false;
    for (int i = 0; i < c->f->n; i++) {
        bool pair = c->q_sine[i] != CT_ZERO || c->q_cosine[i] != CT_ZERO;
        k->q[i] = pair && !c->is_independent[i] ? atan2(machine_value(&k->m, c->q_sine[i]),
                                                        machine_value(&k->m, c->q_cosine[i]))
                                                : machine_value(&k->m, c->q_value[i]);
    }
    return true;
}

// The smallest singular value of Phi_d against the largest, all rows of Phi, slides in typical
// lengths. Phi_d of one dependent coordinate has one singular value: it is measured by the size of the
// whole Phi_q.
static double regularity(const walk *k) {
    const ct_formulation *f = k->c->f;
    int rows = f->m, columns = k->c->n_dependent;
    double length = ct_typical_length(f->model);
    double *all = ct_alloc((size_t)(f->m * f->n) + 1, sizeof *all),
           *a = ct_alloc((size_t)(rows * columns) + 1, sizeof *a),
           *s = ct_alloc((size_t)(rows + columns) + 1, sizeof *s),
           *work = ct_alloc((size_t)(rows + columns) + 1, sizeof *work);
    ct_numbers_set(k->m.x, f->n, f->q, k->q);
    ct_numbers_eval(k->m.x, f->m * f->n, f->phi_q, all);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int d = k->c->dependent[j];
            a[i * columns + j] = all[i * f->n + d] * (f->is_angle[d] ? 1 : length);
        }
    assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', rows, columns, a, columns, s, NULL,
                                    1, NULL, 1, work),
                     0);
    double whole = 0;
    for (int i = 0; i < rows * f->n; i++) {
        double entry = all[i] * (f->is_angle[i % f->n] ? 1 : length);
        whole += entry * entry;
    }
    double ratio = s[columns - 1] / (columns > 1 ? s[0] : sqrt(whole));
    ct_free(all);
    ct_free(a);
    ct_free(s);
    ct_free(work);
    return ratio;
}

// Leads it along a direction until nothing closes; how regular it is there, or infinity.
static double lead(walk *k, const double *direction) {
    double good = 0, bad = 0;
    start(k);
    if (!close_at(k, direction, 0)) return INFINITY;
    for (int i = 1; i <= WAYS && !(bad > 0); i++) {
        double way = 3.0 * i / WAYS;
        if (close_at(k, direction, way))
            good = way;
        else
            bad = way;
    }
    if (!(bad > 0)) return INFINITY;
    while (bad - good > 1e-11) {
        double way = 0.5 * (good + bad);
        if (close_at(k, direction, way))
            good = way;
        else
            bad = way;
    }
    return regularity(k);
}

static int check(const char *path, int *limits, uint64_t *random) {
    char *name = stem(path);
    mech u = mech_file(path, NULL);
    int failures = 0;
    assert_made(&u);
    if (u.s->model->n_switched) { // one that comes and goes has no closure
        mech_clear(&u);
        ct_free(name);
        return 0;
    }
    u.s->by_loops = true; // angles up to their lock
    assert_int_equal(ct_close_system(u.ctx, u.s), CT_OK);
    const ct_closure *c = ct_system_closure(u.s);
    bool plain = c->triangular && !c->f->n_whole_rotations && c->n_dependent > 0 && c->r > 0;
    for (int i = 0; i < c->n_steps; i++) plain = plain && c->steps[i].degree <= 2;
    ct_numbers x;
    ct_model_numbers(c->f->model, &x);
    walk k = {.s = u.s, .c = c, .q = ct_alloc((size_t)c->f->n + 1, sizeof(double))};
    k.m = (machine){
        .c = c, .x = &x, .w = ct_alloc((size_t)c->registers.tracked.n + 1, sizeof(double))};
    double *direction = ct_alloc((size_t)c->r + 1, sizeof *direction);
    for (int i = 0; i < DIRECTIONS && plain; i++) {
        for (int j = 0; j < c->r; j++)
            direction[j] = noise(random) *
                           (c->f->is_angle[c->independent[j]] ? 1 : ct_typical_length(u.model));
        double left = lead(&k, direction);
        if (left == INFINITY) continue;
        (*limits)++;
        print_message("%-24s %.1e\n", name, left);
        if (!(left < 1e-3)) print_error("%s: a step ends where Phi_d is regular\n", name);
        failures += !(left < 1e-3);
    }
    ct_free(direction);
    ct_free(k.q);
    ct_free(k.m.w);
    ct_numbers_clear(&x);
    mech_clear(&u);
    ct_free(name);
    return failures;
}

static void limits_are_singular(void **state) {
    (void)state;
    int failures = 0, limits = 0;
    uint64_t random = 3;
    char *more = ct_format("%s/tests/mechanisms/*.yaml", CT_SOURCE_DIR);
    glob_t files = all_files("/*.yaml");
    size_t models = files.gl_pathc;
    assert_int_equal(glob(more, GLOB_APPEND, NULL, &files), 0);
    pass_over(&files, models);
    for (size_t i = 0; i < files.gl_pathc; i++)
        failures += check(files.gl_pathv[i], &limits, &random);
    const int looked_at = (int)files.gl_pathc;
    globfree(&files);
    ct_free(more);
    print_message("%d limits of %d mechanisms\n", limits, looked_at);
    assert_int_equal(failures, 0);
    assert_true(limits > looked_at / 4);
}

// In closed form alone, without a limit, as Newton's iteration over all equations finds it. crcc:
// the slide of D becomes parallel to one of the planes across the axis of C, again and again.
// oldham, stephenson2_crank: the shaft that is started goes around, others would come to limits.
static void planes_turn_away(void **state) {
    (void)state;
    static const char *const names[] = {
        "crcc", "rccc", "rpsc", "double_hooke", "jack", "oldham", "stephenson2_crank"};
    int failures = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        table t[2];
        double residual = 0;
        for (int way = 0; way < 2; way++) {
            char *path = ct_format("%s/tests/mechanisms/%s.yaml", CT_SOURCE_DIR, names[i]);
            mech k = mech_file(path, NULL);
            assert_made(&k);
            run_settings w = {.method = way ? "newton" : "triangular",
                              .integrator = "rk4",
                              .time = 2,
                              .step = 2e-4,
                              .output_step = 0.02};
            ct_run_summary summary;
            t[way] = run_mech(&k, &w, &summary);
            if (!way) residual = summary.max_residual;
            mech_clear(&k);
            ct_free(path);
        }
        double off = difference_by_name(&t[0], &t[1]);
        print_message("%-16s differs by %.1e, residual %.1e\n", names[i], off, residual);
        failures += !(off < 1e-8 && residual < 1e-12);
        table_clear(&t[0]);
        table_clear(&t[1]);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_singular),
        cmocka_unit_test(planes_turn_away),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
