// Closures of every model (iterated; along a flow where there is one; with blocks torn apart):
// values against their definition, and rates and accelerations against a dense solution of
// M q'' + Phi_q^T lambda = F,  Phi_q q'' = gamma. The programs are run by a small interpreter. Then
// sums of angles by the addition formulas, at random.
#include "harness.h"

#include "closure/embed.h"
#include "closure/flow.h"
#include "closure/iterated.h"

#include <lapacke.h>

// the interpreter -------------------------------------------------------------------------------
typedef struct machine {
    const ct_closure *c;
    ct_numbers *x;
    double *w; // tracked
} machine;

static void set(machine *k, ct_ex symbol, double value) {
    ct_numbers_set(k->x, 1, &symbol, &value);
}

static double value(machine *k, ct_ex a) {
    double v;
    ct_numbers_eval(k->x, 1, &a, &v);
    return v;
}

static bool solve(int n, int columns, const double *matrix, double *right) {
    double *a = ct_alloc((size_t)(n * n) + 1, sizeof *a);
    lapack_int *pivot = ct_alloc((size_t)n + 1, sizeof *pivot);
    memcpy(a, matrix, (size_t)(n * n) * sizeof *a);
    bool good =
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, columns, a, n, pivot, right, columns ? columns : 1) == 0;
    free(a);
    free(pivot);
    return good;
}

static bool newton(machine *k, const ct_segment *g) {
    int n = g->n;
    double *matrix = ct_alloc((size_t)(n * n), sizeof *matrix),
           *step = ct_alloc((size_t)n, sizeof *step), size = 1;
    for (int it = 0; it < 40 && size > 1e-15; it++) {
        ct_numbers_eval(k->x, n * n, g->matrix, matrix);
        ct_numbers_eval(k->x, n, g->residual, step);
        if (!solve(n, 1, matrix, step)) break;
        size = ct_largest(n, step);
        for (int i = 0; i < n; i++) {
            k->w[g->unknown[i]] -= step[i];
            set(k, k->c->tracked[g->unknown[i]], k->w[g->unknown[i]]);
        }
    }
    free(matrix);
    free(step);
    return size < 1e-9;
}

static bool solve_segment(machine *k, const ct_program *p, const ct_segment *g) {
    int n = g->n, count = n * g->columns;
    double *matrix = ct_alloc((size_t)(n * n), sizeof *matrix),
           *x = ct_alloc((size_t)count, sizeof *x);
    ct_numbers_eval(k->x, n * n, g->matrix, matrix);
    ct_numbers_eval(k->x, count, g->right, x);
    bool good = solve(n, g->columns, matrix, x);
    ct_numbers_set(k->x, count, p->x + g->first, x);
    free(matrix);
    free(x);
    return good;
}

// Sets and guards, all at once: they share nearly everything.
static void evaluate(machine *k, const ct_segment *g, double *sets, double *guards) {
    int n = g->n_sets;
    ct_ex *roots = ct_alloc((size_t)(n + g->n_guards) + 1, sizeof *roots);
    double *out = ct_alloc((size_t)(n + g->n_guards) + 1, sizeof *out);
    for (int j = 0; j < n; j++) roots[j] = g->sets[j].value;
    for (int j = 0; j < g->n_guards; j++) roots[n + j] = g->guards[j].value;
    ct_numbers_eval(k->x, n + g->n_guards, roots, out);
    memcpy(sets, out, (size_t)n * sizeof *out);
    memcpy(guards, out + n, (size_t)g->n_guards * sizeof *out);
    free(roots);
    free(out);
}

// Runs a program; out (or NULL for positions) gets what it sets. False: something did not hold.
static bool run(machine *k, const ct_program *p, double *out) {
    const double turn = 2 * acos(-1);
    bool good = true;
    for (int i = 0; i < p->n && good; i++) {
        const ct_segment *g = p->segments + i;
        if (g->kind == CT_SEGMENT_NEWTON) good = newton(k, g);
        if (g->kind == CT_SEGMENT_SOLVE) good = solve_segment(k, p, g);
        double *sets = ct_alloc((size_t)g->n_sets + 1, sizeof *sets),
               *guards = ct_alloc((size_t)g->n_guards + 1, sizeof *guards);
        evaluate(k, g, sets, guards);
        for (int j = 0; j < g->n_sets; j++)
            if (out)
                out[g->sets[j].index] = sets[j];
            else
                set(k, k->c->value[g->sets[j].index], sets[j]);
        for (int j = 0; j < g->n_follows; j++) {
            double *w = k->w + g->follows[j].index;
            double angle = atan2(value(k, g->follows[j].sine), value(k, g->follows[j].cosine));
            *w = angle + turn * round((*w - angle) / turn);
            set(k, k->c->tracked[g->follows[j].index], *w);
        }
        for (int j = 0; j < g->n_guards; j++) good = good && guards[j] >= 0;
        free(sets);
        free(guards);
    }
    return good;
}

// the reference ---------------------------------------------------------------------------------
typedef struct state {
    double *q, *qd, *qdd, power;
} state;

static void fill(const ct_formulation *f, ct_numbers *x, const state *s) {
    ct_numbers_set(x, f->n, f->q, s->q);
    ct_numbers_set(x, f->n, f->qd, s->qd);
}

// Rates with qi' as given, accelerations from the full equations.
static bool reference(const ct_system *s, const ct_closure *c, ct_numbers *x, state *z) {
    const ct_formulation *f = s->f;
    int n = f->n, m = s->m, size = n + m;
    double *phi_q = ct_alloc((size_t)(f->m * n) + 1, sizeof *phi_q),
           *v = ct_alloc((size_t)(f->m + n) + 1, sizeof *v),
           *a = ct_alloc((size_t)(size * size) + 1, sizeof *a),
           *b = ct_alloc((size_t)size + 1, sizeof *b);
    fill(f, x, z);
    ct_numbers_eval(x, f->m * n, f->phi_q, phi_q);
    ct_numbers_eval(x, f->m, f->phi_t, v);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) a[i * n + k] = phi_q[s->rows[i] * n + k];
        b[i] = -v[s->rows[i]];
    }
    for (int i = 0; i < c->r; i++) {
        a[(m + i) * n + c->independent[i]] = 1;
        b[m + i] = z->qd[c->independent[i]];
    }
    bool good = solve(n, 1, a, b);
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
            a[(n + i) * size + k] = a[k * size + n + i] = phi_q[s->rows[i] * n + k];
        b[n + i] = v[s->rows[i]];
    }
    good = solve(size, 1, a, b) && good;
    memcpy(z->qdd, b, (size_t)n * sizeof *b);
    ct_numbers_eval(x, 1, &f->power, &z->power);
    free(phi_q);
    free(v);
    free(a);
    free(b);
    free(mass);
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
    const ct_formulation *f = k->s->f;
    double length = ct_typical_length(f->model), t = 0.02 * (1 + noise(random));
    bool *fixed = ct_alloc((size_t)f->n + 1, sizeof *fixed);
    ct_numbers_set(x, 1, &f->model->time, &t);
    for (int i = 0; i < f->n; i++) {
        fixed[i] = c->is_independent[i];
        z->q[i] = k->s->q0[i];
        if (fixed[i]) z->q[i] += 0.03 * noise(random) * (f->is_angle[i] ? 1 : length);
        z->qd[i] = 2 * noise(random);
    }
    bool closed = ct_close(f, x, fixed, z->q) < 1e-11;
    free(fixed);
    return closed;
}

static void compare(check *k, const mech *u, const ct_closure *c, uint64_t *random) {
    const ct_formulation *f = u->s->f;
    size_t n = (size_t)f->n + 1;
    state z = {ct_alloc(n, sizeof(double)), ct_alloc(n, sizeof(double)),
               ct_alloc(n, sizeof(double)), 0};
    ct_numbers x, own;
    ct_numbers_init(&x, f->model);
    ct_numbers_init(&own, f->model);
    if (somewhere(u, c, &x, random, &z) && reference(u->s, c, &x, &z)) {
        k->positions++;
        machine m = {.c = c, .x = &own, .w = ct_alloc((size_t)c->n_tracked + 1, sizeof(double))};
        double *v = ct_alloc((size_t)c->n_values + 1, sizeof *v),
               *direct = ct_alloc((size_t)c->n_values + 1, sizeof *v),
               *out = ct_alloc(3 * n, sizeof *out), *qi = ct_alloc(n, sizeof *qi);
        // tracked values and signs are those of the initial position
        ct_numbers_set(&own, f->n, f->q, u->s->q0);
        ct_numbers_eval(&own, c->n_tracked, c->tracked_direct, m.w);
        ct_numbers_set(&own, c->n_tracked, c->tracked, m.w);
        ct_numbers_eval(&own, c->n_values, c->direct, v);
        ct_numbers_set(&own, c->n_values, c->value, v);
        for (int i = 0; i < c->n_signs; i++)
            set(&m, c->sign[i], value(&m, c->sign_of[i]) < 0 ? -1 : 1);
        for (int i = 0; i < c->n_values; i++) set(&m, c->value[i], NAN);
        for (int i = 0; i < f->n; i++) {
            set(&m, f->q[i], c->is_independent[i] ? z.q[i] : NAN);
            set(&m, f->qd[i], c->is_independent[i] ? z.qd[i] : NAN);
        }
        set(&m, f->model->time, value(&(machine){.x = &x}, f->model->time));
        expect(k, "guards of positions", run(&m, &c->positions, NULL) ? 0 : 1, 0);
        ct_numbers_eval(&own, c->n_values, c->value, v);
        ct_numbers_eval(&x, c->n_values, c->direct, direct);
        expect(k, "values", apart(c->n_values, v, direct), 1e-9);
        expect(k, "guards of dynamics", run(&m, &c->dynamics, out) ? 0 : 1, 0);
        double scale = fmax(1, ct_largest(f->n, z.qdd));
        for (int i = 0; i < c->r; i++) {
            qi[i] = out[i];
            expect(k, "qi''", fabs(out[i] - z.qdd[c->independent[i]]) / scale, 1e-9);
        }
        expect(k, "power", difference(out[c->r], z.power), 1e-9);
        ct_numbers_set(&own, c->r, c->accelerations, qi);
        expect(k, "guards of expansion", run(&m, &c->expansion, out) ? 0 : 1, 0);
        expect(k, "q'", apart(f->n, out + f->n, z.qd), 1e-9);
        expect(k, "q''", apart(f->n, out + 2 * f->n, z.qdd), 1e-9);
        for (int i = 0; i < f->n; i++) {
            if (!c->q_value) continue;
            double q = value(&m, c->q_value[i]);
            if (!f->is_angle[i] || c->is_independent[i])
                expect(k, "q", difference(q, z.q[i]), 1e-9);
            else
                expect(
                    k, "angle",
                    fabs(sin(atan2(value(&m, c->q_sine[i]), value(&m, c->q_cosine[i])) - z.q[i])),
                    1e-9);
            if (!f->is_angle[i]) expect(k, "slide", difference(out[i], z.q[i]), 1e-9);
        }
        free(v);
        free(direct);
        free(out);
        free(qi);
        free(m.w);
    }
    ct_numbers_clear(&x);
    ct_numbers_clear(&own);
    free(z.q);
    free(z.qd);
    free(z.qdd);
}

static int check_positions(const mech *u, const ct_closure *c, const char *name, const char *way) {
    check k = {.name = name, .way = way};
    assert_int_equal(c->r + c->n_dependent, u->s->f->n);
    assert_int_equal(c->n_dependent, u->s->m);
    uint64_t random = 7;
    int positions = u->s->f->n > 30 ? 1 : 3;
    for (int i = 0; i < positions; i++) compare(&k, u, c, &random);
    expect(&k, "no position to compare at", k.positions ? 0 : 1, 0);
    return k.failures;
}

static int check_iterated(const mech *u, const char *name) {
    ct_closure *c = NULL;
    ct_status status = ct_closure_new(u->ctx, u->s->f, NULL, u->s->m, u->s->rows, u->s->q0, &c);
    if (status) print_messages(u->ctx);
    assert_int_equal(status, CT_OK);
    int failures = check_positions(u, c, name, "iterated"), count = 0;
    for (int i = 0; i < c->n_loops; i++) count += c->loops[i].n;
    assert_int_equal(count, u->s->m);
    ct_closure_free(c);
    return failures;
}

// tears -----------------------------------------------------------------------------------------
// A block as two: the entry of its Jacobian that is largest at the start stands alone, the rest is
// left to a tear.
static void tear(ct_closure *c, const mech *u) {
    const ct_formulation *f = c->f;
    int n_blocks = c->n_blocks;
    ct_block *blocks = ct_alloc(2 * (size_t)n_blocks + 1, sizeof *blocks);
    ct_numbers x;
    ct_numbers_init(&x, f->model);
    ct_numbers_set(&x, f->n, f->q, u->s->q0);
    c->n_blocks = 0;
    for (int i = 0; i < n_blocks; i++) {
        ct_block *b = c->blocks + i, *alone = blocks + c->n_blocks;
        int row = 0, column = 0;
        double most = -1;
        for (int k = 0; k < b->n * b->n && b->n > 1; k++) {
            ct_ex d = ct_diff(f->pool, b->psi[k / b->n], f->q[b->unknown[k % b->n]]);
            double size = fabs(value(&(machine){.x = &x}, d));
            if (size <= most) continue;
            most = size;
            row = k / b->n;
            column = k % b->n;
        }
        *alone = (ct_block){.step = b->step, .n = 1};
        alone->unknown = ct_alloc(1, sizeof *alone->unknown);
        alone->psi = ct_alloc(1, sizeof *alone->psi);
        alone->unknown[0] = b->unknown[column];
        alone->psi[0] = b->psi[row];
        c->n_blocks++;
        if (b->n == 1) {
            free(b->unknown);
            free(b->psi);
            continue;
        }
        b->n--;
        b->unknown[column] = b->unknown[b->n];
        b->psi[row] = b->psi[b->n];
        b->tear = true;
        blocks[c->n_blocks++] = *b;
    }
    ct_numbers_clear(&x);
    free(c->blocks);
    c->blocks = blocks;
    c->room_blocks = 2 * n_blocks + 1;
}

static int check_torn(const mech *u, const char *name) {
    const ct_formulation *f = u->s->f;
    ct_closure *c = ct_alloc(1, sizeof *c);
    ct_ex missing;
    c->f = f;
    c->is_independent = ct_alloc((size_t)f->n + 1, sizeof *c->is_independent);
    ct_forms *forms = ct_forms_new(c);
    assert_int_equal(ct_iterated_build(u->ctx, c, forms, u->s->m, u->s->rows, u->s->q0), CT_OK);
    tear(c, u);
    ct_ex *equations = ct_embed_equations(f);
    ct_embed(c, forms, equations);
    free(equations);
    assert_true(ct_forms_finish(forms, &missing));
    int failures = check_positions(u, c, name, "torn");
    ct_forms_free(forms);
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
        // the largest are made of loops that others have alone
        if (u.s->f->n <= 30) failures += check_iterated(&u, name) + check_torn(&u, name);
        assert_int_equal(ct_close_system(u.ctx, u.s), CT_OK);
        failures += check_positions(&u, u.s->closure, name, u.s->flow ? "along a flow" : "closed");
        mech_clear(&u);
        free(name);
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

// sums of angles --------------------------------------------------------------------------------
static int whole(uint64_t *random, int most) {
    return (int)lround(most * noise(random));
}

static ct_ex random_sum(const ct_formulation *f, const int *coefficient, uint64_t *random) {
    static const int turns[] = {0, 0, 1, 2, 3, 4, 6};
    ct_pool *pool = f->pool;
    ct_ex a =
        ct_mul(pool, ct_rational(pool, turns[(unsigned)(whole(random, 3) + 3)], 12), ct_pi(pool));
    for (int k = 0; k < f->n; k++)
        a = ct_add(pool, a, ct_mul(pool, ct_int(pool, coefficient[k]), f->q[k]));
    if (whole(random, 2) == 0) a = ct_add(pool, a, ct_mul(pool, ct_int(pool, 3), f->model->time));
    return a;
}

// Forms to start from whose coefficients of the dependent angles have determinant one, so that
// every whole sum follows.
static void random_basis(const ct_closure *c, uint64_t *random, int *matrix) {
    int n = c->f->n;
    for (int i = 0; i < c->n_dependent; i++) matrix[i * n + c->dependent[i]] = 1;
    for (int step = 0; step < 6 * c->n_dependent; step++) {
        int i = abs(whole(random, 100)) % c->n_dependent,
            j = abs(whole(random, 100)) % c->n_dependent, sign = whole(random, 1);
        for (int k = 0; k < n && i != j; k++) matrix[i * n + k] += sign * matrix[j * n + k];
    }
    for (int i = 0; i < c->n_dependent; i++)
        for (int k = 0; k < c->r; k++) matrix[i * n + c->independent[k]] = whole(random, 1);
}

static void check_sums(const ct_formulation *f, uint64_t *random) {
    enum { ASKED = 12 };
    ct_closure *c = ct_alloc(1, sizeof *c);
    size_t n = (size_t)f->n;
    c->f = f;
    c->is_independent = ct_alloc(n, sizeof *c->is_independent);
    c->independent = ct_alloc(n, sizeof *c->independent);
    c->dependent = ct_alloc(n, sizeof *c->dependent);
    for (int k = 0; k < f->n; k++) {
        c->is_independent[k] = k % 3 == 1;
        *(c->is_independent[k] ? &c->independent[c->r++] : &c->dependent[c->n_dependent++]) = k;
    }
    int *matrix = ct_alloc(n * n, sizeof *matrix), *wanted = ct_alloc(n, sizeof *wanted);
    ct_ex *solved = ct_alloc(n, sizeof *solved), missing, cosine, sine;
    ct_forms *forms = ct_forms_new(c);
    random_basis(c, random, matrix);
    for (int i = 0; i < c->n_dependent; i++) {
        solved[i] = random_sum(f, matrix + i * f->n, random);
        ct_forms_pair(forms, solved[i], &cosine, &sine);
    }
    for (int i = 0; i < ASKED; i++) {
        for (int k = 0; k < f->n; k++) wanted[k] = whole(random, 2);
        ct_forms_pair(forms, random_sum(f, wanted, random), &cosine, &sine);
    }
    ct_ex *how = ct_alloc((size_t)c->n_values, sizeof *how);
    assert_true(ct_forms_complete(forms, c->n_dependent, solved, how, &missing));
    ct_numbers x;
    ct_numbers_init(&x, f->model);
    machine m = {.c = c, .x = &x};
    for (int k = 0; k < f->n; k++) set(&m, f->q[k], 3 * noise(random));
    double t = noise(random);
    set(&m, f->model->time, t);
    double *direct = ct_alloc((size_t)c->n_values, sizeof *direct);
    ct_numbers_eval(&x, c->n_values, c->direct, direct);
    for (int i = 0; i < c->n_values; i++)
        set(&m, c->value[i], how[i] == CT_UNSET ? direct[i] : NAN);
    for (int k = 0; k < c->n_dependent; k++) set(&m, f->q[c->dependent[k]], NAN);
    for (int i = 0; i < c->n_values; i++)
        if (how[i] != CT_UNSET) assert_near(value(&m, how[i]), direct[i], 1e-11);
    // one less: what held it up is named
    for (int k = 0; k < f->n; k++) wanted[k] = matrix[(c->n_dependent - 1) * f->n + k];
    assert_false(ct_forms_complete(forms, c->n_dependent - 1, solved, how, &missing));
    assert_true(missing != CT_ZERO);
    ct_numbers_clear(&x);
    ct_forms_free(forms);
    ct_closure_free(c);
    free(matrix);
    free(wanted);
    free(solved);
    free(how);
    free(direct);
}

static void test_sums(void **data) {
    (void)data;
    mech u = mech_model("serial_arm_7", NULL);
    assert_made(&u);
    uint64_t random = 3;
    for (int i = 0; i < 15; i++) check_sums(u.s->f, &random);
    mech_clear(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models),
                                       cmocka_unit_test(test_absolute),
                                       cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
