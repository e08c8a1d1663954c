// Closures of every model (iterated; along a flow where there is one; with blocks torn apart):
// values against their definition, and rates and accelerations against a dense solution of
// M q'' + Phi_q^T lambda = F,  Phi_q q'' = gamma.
#include "closure/closure_machine.h"

#include "closure/embed/embed.h"
#include "closure/flow/flow.h"
#include "closure/tearing/without_flow.h"
#include "formulate/whole_rotation.h"

// the reference ---------------------------------------------------------------------------------
typedef struct state {
    double *q, *qd, *qdd, power;
} state;

static void fill(const ct_formulation *f, ct_numbers *x, const state *s) {
    ct_position_set(f, x, s->q);
    ct_numbers_set(x, f->n, f->qd, s->qd);
}

// Rates with qi' as given, accelerations from the full equations.
static bool reference(const ct_system *s, const ct_closure *c, ct_numbers *x, state *z) {
    const ct_formulation *f = ct_system_formulation(s);
    int n = f->n, m = ct_system_state(s)->m, size = n + m;
    double *phi_q = ct_alloc((size_t)(f->m * n) + 1, sizeof *phi_q),
           *v = ct_alloc((size_t)(f->m + n) + 1, sizeof *v),
           *a = ct_alloc((size_t)(size * size) + 1, sizeof *a),
           *b = ct_alloc((size_t)size + 1, sizeof *b);
    fill(f, x, z);
    ct_numbers_eval(x, f->m * n, f->phi_q, phi_q);
    ct_numbers_eval(x, f->m, f->phi_t, v);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) a[i * n + k] = phi_q[ct_system_state(s)->rows[i] * n + k];
        b[i] = -v[ct_system_state(s)->rows[i]];
    }
    for (int i = 0; i < c->r; i++) {
        a[(m + i) * n + c->independent[i]] = 1;
        b[m + i] = z->qd[c->independent[i]];
    }
    bool good = machine_solve(n, 1, a, b);
    memcpy(z->qd, b, (size_t)n * sizeof *b);
    fill(f, x, z);
    double *mass = ct_alloc((size_t)(n * n) + 1, sizeof *mass);
    ct_numbers_eval(x, n * n, f->mass, mass);
    ct_numbers_eval(x, n, f->forcing, b);
    ct_numbers_eval(x, f->m, f->gamma, v);
    memset(a, 0, (size_t)(size * size) * sizeof *a);
    double scale = fmax(ct_largest(n * n, mass), 1e-30);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) a[i * size + k] = mass[i * n + k] / scale;
    for (int i = 0; i < n; i++) b[i] /= scale;
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++)
            a[(n + i) * size + k] = a[k * size + n + i] =
                phi_q[ct_system_state(s)->rows[i] * n + k];
        b[n + i] = v[ct_system_state(s)->rows[i]];
    }
    good = machine_solve(size, 1, a, b) && good;
    memcpy(z->qdd, b, (size_t)n * sizeof *b);
    ct_numbers_eval(x, 1, &f->power, &z->power);
    ct_free(phi_q);
    ct_free(v);
    ct_free(a);
    ct_free(b);
    ct_free(mass);
    return good;
}

// every model -----------------------------------------------------------------------------------
static double apart(int n, const double *a, const double *b) {
    double worst = 0, scale = fmax(1, ct_largest(n, b));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) / scale <= worst)) worst = fabs(a[i] - b[i]) / scale;
    return worst;
}

typedef struct check {
    const char *name, *way;
    int failures, positions;
} check;

static void expect(check *k, const char *what, double error, double tolerance) {
    if (error <= tolerance) return;
    print_error("%s, %s: %s off by %.2e\n", k->name, k->way, what, error);
    k->failures++;
}

// A closed position near the initial one at another time, and rates.
static bool somewhere(const mech *k, const ct_closure *c, ct_numbers *x, uint64_t *random,
                      state *z) {
    const ct_formulation *f = ct_system_formulation(k->s);
    double length = ct_typical_length(f->model), t = 0.02 * (1 + noise(random));
    bool *fixed = ct_alloc((size_t)f->n + 1, sizeof *fixed);
    ct_numbers_set(x, 1, &f->model->time, &t);
    for (int i = 0; i < f->n; i++) {
        fixed[i] = c->is_independent[i];
        z->q[i] = ct_system_state(k->s)->q0[i];
        if (fixed[i]) z->q[i] += 0.03 * noise(random) * (f->is_angle[i] ? 1 : length);
        z->qd[i] = 2 * noise(random);
    }
    for (int i = f->n; i < ct_position_numbers(f); i++) z->q[i] = ct_system_state(k->s)->q0[i];
    bool closed = ct_project(f, x, fixed, z->q) < 1e-11;
    ct_free(fixed);
    return closed;
}

// The state of the closure before it runs: tracked values and signs of the initial position, the
// independent coordinates and rates; everything else is not a number.
static void start(machine *m, const mech *u, const state *z, double t) {
    const ct_closure *c = m->c;
    const ct_formulation *f = c->f;
    double *v = ct_alloc((size_t)c->registers.values.n + 1, sizeof *v);
    ct_position_set(f, m->x, ct_system_state(u->s)->q0);
    ct_numbers_eval(m->x, c->registers.tracked.n, c->registers.tracked.meaning, m->w);
    ct_numbers_set(m->x, c->registers.tracked.n, c->registers.tracked.symbol, m->w);
    ct_numbers_eval(m->x, c->registers.values.n, c->registers.values.meaning, v);
    ct_numbers_set(m->x, c->registers.values.n, c->registers.values.symbol, v);
    for (int i = 0; i < c->registers.signs.n; i++)
        machine_set(m, c->registers.signs.symbol[i],
                    machine_value(m, c->registers.signs.meaning[i]) < 0 ? -1 : 1);
    for (int i = 0; i < c->registers.values.n; i++)
        machine_set(m, c->registers.values.symbol[i], NAN);
    for (int i = 0; i < f->n; i++) {
        machine_set(m, f->q[i], c->is_independent[i] ? z->q[i] : NAN);
        machine_set(m, f->qd[i], c->is_independent[i] ? z->qd[i] : NAN);
    }
    for (int i = 0; i < f->n_integrated; i++)
        machine_set(m, f->whole_rotations[i].parameter[0], z->q[f->n + i]);
    machine_set(m, f->model->time, t);
    ct_free(v);
}

static void check_values(check *k, machine *m, ct_numbers *x) {
    const ct_closure *c = m->c;
    double *v = ct_alloc((size_t)c->registers.values.n + 1, sizeof *v),
           *direct = ct_alloc((size_t)c->registers.values.n + 1, sizeof *direct);
    ct_numbers_eval(m->x, c->registers.values.n, c->registers.values.symbol, v);
    ct_numbers_eval(x, c->registers.values.n, c->registers.values.meaning, direct);
    expect(k, "values", apart(c->registers.values.n, v, direct), 1e-9);
    ct_free(v);
    ct_free(direct);
}

static void check_coordinates(check *k, machine *m, const state *z, const double *out) {
    const ct_closure *c = m->c;
    const ct_formulation *f = c->f;
    for (int i = 0; i < f->n && c->q_value; i++) {
        if (!f->is_angle[i] || c->is_independent[i]) {
            expect(k, "q", difference(machine_value(m, c->q_value[i]), z->q[i]), 1e-9);
        } else {
            double sine = machine_value(m, c->q_sine[i]), cosine = machine_value(m, c->q_cosine[i]);
            expect(k, "angle", hypot(sine - sin(z->q[i]), cosine - cos(z->q[i])), 1e-9);
            if (c->q_value[i] != CT_ZERO)
                expect(k, "given q", difference(machine_value(m, c->q_value[i]), z->q[i]), 1e-9);
        }
        if (!f->is_angle[i]) expect(k, "slide", difference(out[i], z->q[i]), 1e-9);
    }
}

static void check_state(check *k, const mech *u, const ct_closure *c, ct_numbers *x,
                        const state *z) {
    const ct_formulation *f = c->f;
    ct_numbers own;
    ct_model_numbers(f->model, &own);
    machine m = {
        .c = c, .x = &own, .w = ct_alloc((size_t)c->registers.tracked.n + 1, sizeof(double))};
    double *out = ct_alloc(3 * (size_t)f->n + 1, sizeof *out),
           *qi = ct_alloc((size_t)c->r + 1, sizeof *qi), scale = fmax(1, ct_largest(f->n, z->qdd));
    k->positions++;
    start(&m, u, z, machine_value(&(machine){.x = x}, f->model->time));
    expect(k, "guards of positions", machine_run(&m, &c->positions, NULL) ? 0 : 1, 0);
    check_values(k, &m, x);
    expect(k, "guards of dynamics", machine_run(&m, &c->dynamics, out) ? 0 : 1, 0);
    for (int i = 0; i < c->r; i++) {
        qi[i] = out[i];
        expect(k, "qi''", fabs(out[i] - z->qdd[c->independent[i]]) / scale, 1e-9);
    }
    expect(k, "power", difference(out[c->r], z->power), 1e-9);
    ct_numbers_set(&own, c->r, c->accelerations, qi);
    expect(k, "guards of expansion", machine_run(&m, &c->expansion, out) ? 0 : 1, 0);
    expect(k, "q'", apart(f->n, out + f->n, z->qd), 1e-9);
    expect(k, "q''", apart(f->n, out + 2 * f->n, z->qdd), 1e-9);
    check_coordinates(k, &m, z, out);
    ct_numbers_clear(&own);
    ct_free(out);
    ct_free(qi);
    ct_free(m.w);
}

static void compare(check *k, const mech *u, const ct_closure *c, uint64_t *random) {
    size_t n = (size_t)ct_position_numbers(c->f) + 1;
    state z = {ct_alloc(n, sizeof(double)), ct_alloc(n, sizeof(double)),
               ct_alloc(n, sizeof(double)), 0};
    ct_numbers x;
    ct_model_numbers(c->f->model, &x);
    if (somewhere(u, c, &x, random, &z) && reference(u->s, c, &x, &z)) check_state(k, u, c, &x, &z);
    ct_numbers_clear(&x);
    ct_free(z.q);
    ct_free(z.qd);
    ct_free(z.qdd);
}

static int check_positions(const mech *u, const ct_closure *c, const char *name, const char *way) {
    check k = {.name = name, .way = way};
    assert_int_equal(c->r + c->n_dependent, ct_system_formulation(u->s)->n);
    assert_int_equal(c->n_dependent, ct_system_state(u->s)->m);
    uint64_t random = 7;
    int positions = ct_system_formulation(u->s)->n > 30 ? 1 : 3;
    for (int i = 0; i < positions; i++) compare(&k, u, c, &random);
    expect(&k, "no position to compare at", k.positions ? 0 : 1, 0);
    return k.failures;
}

static int check_iterated(const mech *u, const char *name) {
    ct_closure *c = NULL;
    ct_status status = ct_closure_new(u->ctx, ct_system_state(u->s), NULL, true, &c);
    if (status) print_messages(u->ctx);
    assert_int_equal(status, CT_OK);
    int failures = check_positions(u, c, name, "iterated"), count = 0;
    for (int i = 0; i < c->n_constraint_blocks; i++) count += c->constraint_blocks[i].n;
    assert_int_equal(count, ct_system_state(u->s)->m);
    ct_closure_free(c);
    return failures;
}

// tears -----------------------------------------------------------------------------------------
// A block as two: the entry of its Jacobian that is largest at the start stands alone, the rest is
// left to a tear.
static void tear(ct_closure *c, const mech *u) {
    const ct_formulation *f = c->f;
    int n_blocks = c->n_rate_blocks;
    ct_rate_block *blocks = ct_alloc(2 * (size_t)n_blocks + 1, sizeof *blocks);
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    ct_numbers_set(&x, f->n, f->q, ct_system_state(u->s)->q0);
    c->n_rate_blocks = 0;
    for (int i = 0; i < n_blocks; i++) {
        ct_rate_block *b = c->rate_blocks + i, *alone = blocks + c->n_rate_blocks;
        int row = 0, column = 0;
        double most = -1;
        for (int k = 0; k < b->n * b->n && b->n > 1; k++) {
            ct_ex d = ct_diff(f->pool, b->psi[k / b->n], f->q[b->unknown[k % b->n]]);
            double size = fabs(machine_value(&(machine){.x = &x}, d));
            if (size <= most) continue;
            most = size;
            row = k / b->n;
            column = k % b->n;
        }
        *alone = (ct_rate_block){.step = b->step, .n = 1};
        alone->unknown = ct_alloc(1, sizeof *alone->unknown);
        alone->psi = ct_alloc(1, sizeof *alone->psi);
        alone->unknown[0] = b->unknown[column];
        alone->psi[0] = b->psi[row];
        c->n_rate_blocks++;
        if (b->n == 1) {
            ct_free(b->unknown);
            ct_free(b->psi);
            continue;
        }
        b->n--;
        b->unknown[column] = b->unknown[b->n];
        b->psi[row] = b->psi[b->n];
        b->tear = true;
        blocks[c->n_rate_blocks++] = *b;
    }
    ct_numbers_clear(&x);
    ct_free(c->rate_blocks);
    c->rate_blocks = blocks;
    c->room_rate_blocks = 2 * n_blocks + 1;
}

static int check_torn(const mech *u, const char *name) {
    const ct_formulation *f = ct_system_formulation(u->s);
    ct_closure *c = ct_alloc(1, sizeof *c);
    ct_ex missing;
    c->f = f;
    c->is_independent = ct_alloc((size_t)f->n + 1, sizeof *c->is_independent);
    ct_values *values = ct_values_new(c);
    assert_int_equal(ct_iterated_build(u->ctx, c, values, ct_system_state(u->s)->m,
                                       ct_system_state(u->s)->rows, ct_system_state(u->s)->q0),
                     CT_OK);
    tear(c, u);
    ct_embed(c, values, false);
    assert_true(ct_values_finish(values, &missing));
    int failures = check_positions(u, c, name, "torn");
    ct_values_free(values);
    ct_closure_free(c);
    return failures;
}

static void test_models(void **data) {
    (void)data;
    glob_t g = all_files("/*.yaml");
    int failures = 0;
    for (size_t i = 0; i < g.gl_pathc; i++) {
        char *name = stem(g.gl_pathv[i]);
        mech u = mech_file(g.gl_pathv[i], NULL);
        assert_made(&u);
        if (u.s->model->n_switched) { // one that comes and goes has no closure
            mech_clear(&u);
            ct_free(name);
            continue;
        }
        // the largest are made of loops that others have alone
        if (ct_system_formulation(u.s)->n <= 30)
            failures += check_iterated(&u, name) + check_torn(&u, name);
        u.s->by_loops = true; // all coordinates as the formulation has them: angles of balls too
        assert_int_equal(ct_close_system(u.ctx, u.s), CT_OK);
        failures += check_positions(&u, ct_system_closure(u.s), name,
                                    u.s->closed->flow ? "along a flow" : "closed");
        mech_clear(&u);
        ct_free(name);
    }
    globfree(&g);
    assert_int_equal(failures, 0);
}

// Many coordinates per body: large blocks, solved by segments.
static void test_absolute(void **data) {
    (void)data;
    static const char *const names[] = {"four_bar", "slider_crank", "spatial_slider_crank"};
    int failures = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mech u = mech_model(names[i], "absolute");
        assert_made(&u);
        failures += check_iterated(&u, names[i]);
        mech_clear(&u);
    }
    assert_int_equal(failures, 0);
}

// A freedom that no mass resists: dynamics stop there.
static void test_massless(void **data) {
    (void)data;
    static const char text[] = "cotree: 1\n"
                               "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 0, inertia: 0}}\n"
                               "joints:\n"
                               "  O: {type: revolute, between: [ground, a], axis: z}\n"
                               "  P: {type: revolute, between: [a, b], axis: z}\n";
    mech u = mech_text("massless.yaml", text, NULL);
    assert_made(&u);
    ct_closure *c;
    assert_int_equal(ct_closure_new(u.ctx, ct_system_state(u.s), NULL, true, &c), CT_OK);
    ct_numbers x;
    ct_model_numbers(c->f->model, &x);
    machine m = {.c = c, .x = &x};
    double zero[2] = {0}, out[3];
    ct_numbers_set(&x, 2, ct_system_formulation(u.s)->q, zero);
    ct_numbers_set(&x, 2, ct_system_formulation(u.s)->qd, zero);
    assert_true(machine_run(&m, &c->positions, NULL));
    assert_false(machine_run(&m, &c->dynamics, out));
    ct_numbers_clear(&x);
    ct_closure_free(c);
    mech_clear(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models),
                                       cmocka_unit_test(test_absolute),
                                       cmocka_unit_test(test_massless)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
