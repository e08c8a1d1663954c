// Groups with iterated unknowns by themselves: at the initial position every iteration and every
// polynomial that tearing writes must vanish, its matrix must be the derivative of its residuals
// (by finite differences) and regular, rates must follow, and nothing that was tried before must be
// left in the program or its signs.
#include "harness.h"

#include "formulate/whole_rotation.h"

#include <math.h>

typedef struct torn_case {
    const char *file;
    int newton, roots; // iterated unknowns; roots that are followed
} torn_case;

static const torn_case cases[] = {
    {"models/five_link", 5, 0},
    {"models/stephenson3_beta", 0, 1},
    {"models/landing_gear", 0, 1},
    {"tests/mechanisms/three_rps", 0, 0},
    {"tests/mechanisms/rcrcr", 1, 0},
    {"tests/mechanisms/four_link_axle", 1, 0},
    {"tests/mechanisms/law_torn", 1, 0},
    {"models/gough_stewart", 0, 0},
    {"tests/models/closure_watt_dyad", 0, 1},
    {"tests/mechanisms/bricard_lines", 2, 0},
};

typedef struct torn_look {
    const ct_closure *c;
    ct_numbers x;
    double *w;
    const char *name;
    int newton, roots, failures;
} torn_look;

static void expect(torn_look *k, bool good, const char *what, double off) {
    if (good) return;
    print_error("%s: %s (%.3g)\n", k->name, what, off);
    k->failures++;
}

static void set_tracked(torn_look *k, int w, double value) {
    ct_numbers_set(&k->x, 1, &k->c->registers.tracked.symbol[w], &value);
}

// |matrix - d residual / d unknown| by central differences, and its rank.
static void check_newton(torn_look *k, const ct_newton *s) {
    const double h = 1e-6; // of an angle or a length: truncation 1e-12, rounding 1e-10
    size_t n = (size_t)s->n;
    double *r = ct_alloc(n, sizeof *r), *plus = ct_alloc(n, sizeof *plus),
           *minus = ct_alloc(n, sizeof *minus), *a = ct_alloc(n * n, sizeof *a), off = 0;
    ct_numbers_eval(&k->x, s->n, s->residual, r);
    ct_numbers_eval(&k->x, s->n * s->n, s->matrix, a);
    expect(k, ct_largest(s->n, r) < 1e-9, "residuals do not vanish", ct_largest(s->n, r));
    for (int j = 0; j < s->n; j++) {
        double w = k->w[s->unknown[j]], seen = 0;
        set_tracked(k, s->unknown[j], w + h);
        ct_numbers_eval(&k->x, s->n, s->residual, plus);
        set_tracked(k, s->unknown[j], w - h);
        ct_numbers_eval(&k->x, s->n, s->residual, minus);
        set_tracked(k, s->unknown[j], w);
        for (int i = 0; i < s->n; i++) {
            double slope = (plus[i] - minus[i]) / (2 * h);
            off = fmax(off, fabs(slope - a[i * s->n + j]) / fmax(1, fabs(slope)));
            seen = fmax(seen, fabs(slope));
        }
        expect(k, seen > 1e-6, "no residual sees an unknown", j);
    }
    expect(k, off < 1e-6, "the matrix is not the derivative of the residuals", off);
    expect(k, ct_rank(s->n, s->n, a, 0, NULL) == s->n, "the iteration is singular", s->n);
    k->newton += s->n;
    ct_free(r);
    ct_free(plus);
    ct_free(minus);
    ct_free(a);
}

// A polynomial in an angle or a slide, relative to the sum of its terms.
static double polynomial(torn_look *k, bool is_angle, double w, int n, const ct_ex *coefficient) {
    double *a = ct_alloc((size_t)n + 1, sizeof *a), value = 0, size = 0;
    ct_numbers_eval(&k->x, n, coefficient, a);
    for (int i = 0; i < n; i++) {
        int order = is_angle ? (i + 1) / 2 : i;
        double term = !is_angle ? pow(w, order) : i % 2 || !i ? cos(order * w) : sin(order * w);
        value += a[i] * term;
        size += fabs(a[i]);
    }
    ct_free(a);
    return size > 0 ? fabs(value) / size : 1;
}

static void check_segment(torn_look *k, const ct_segment *s) {
    switch (s->kind) {
    case CT_SEGMENT_NEWTON: check_newton(k, &s->newton); break;
    case CT_SEGMENT_ROOT: {
        const ct_root *r = &s->root;
        double off = polynomial(k, r->is_angle, k->w[r->unknown], r->n, r->coefficient);
        expect(k, off < 1e-9, "a polynomial does not vanish", off);
        k->roots++;
        break;
    }
    case CT_SEGMENT_ROOT_PAIR: {
        const ct_root_pair *r = &s->root_pair;
        double w = k->w[r->unknown[0]], off = 0;
        if (r->n_left) off = polynomial(k, r->is_angle[0], w, r->n_left, r->left);
        expect(k, off < 1e-9, "what a pair leaves does not vanish", off);
        k->roots++;
        break;
    }
    case CT_SEGMENT_PLAIN:
        // (values that nothing uses leave segments that belong to no step)
        expect(k, s->step < 0 || s->n_sets || s->n_follows || s->n_guards,
               "a step has an empty segment", s->step);
        break;
    case CT_SEGMENT_SOLVE: break;
    }
}

// The equations for rates, all blocks together, determine the rates of all unknowns. (Those
// with frozen coefficients have no numbers here.)
static void check_rates(torn_look *k, const double *q0) {
    const ct_closure *c = k->c;
    int rows = 0, row = 0, n = c->n_dependent;
    for (int i = 0; i < c->n_rate_blocks; i++) rows += c->rate_blocks[i].n;
    double *a = ct_alloc((size_t)(rows * n) + 1, sizeof *a);
    ct_ex *slope = ct_alloc((size_t)(rows * n) + 1, sizeof *slope);
    for (int i = 0; i < c->n_rate_blocks; i++)
        for (int j = 0; j < c->rate_blocks[i].n; j++, row++)
            for (int d = 0; d < n; d++) {
                ct_derivation *partial = ct_partial_derivation(c->f, c->dependent[d]);
                slope[row * n + d] = ct_derive(partial, c->rate_blocks[i].psi[j]);
                ct_derivation_free(partial);
            }
    ct_position_set(c->f, &k->x, q0);
    ct_numbers_eval_rounded(&k->x, rows * n, slope, a);
    int rank = ct_rank(rows, n, a, 0, NULL);
    bool frozen = !isfinite(ct_largest(rows * n, a));
    expect(k, frozen || (rows == n && rank == n), "rates do not follow from their equations", rank);
    ct_free(slope);
    ct_free(a);
}

// Every sign has a symbol of its own, and some expression reads it.
static void check_signs(torn_look *k) {
    const ct_register_bank *signs = &k->c->registers.signs;
    const ct_program *programs[] = {&k->c->positions, &k->c->dynamics, &k->c->expansion};
    for (int i = 0; i < signs->n; i++) {
        bool used = false;
        for (int j = 0; j < i; j++)
            expect(k, signs->symbol[j] != signs->symbol[i], "two signs have one symbol", i);
        for (int p = 0; p < 3 && !used; p++) {
            int n;
            ct_ex *all = ct_program_expressions(programs[p], CT_ROLES_CODE, &n);
            for (int e = 0; e < n && !used; e++)
                used = ct_depends(k->c->f->pool, all[e], signs->symbol[i]);
        }
        expect(k, used, "nothing reads a sign", i);
    }
}

static void test_groups(void **state) {
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = ct_format("%s/%s.yaml", CT_SOURCE_DIR, cases[i].file);
        mech u = mech_file(path, NULL);
        assert_made(&u);
        assert_int_equal(ct_close_system(u.ctx, u.s), CT_OK);
        const ct_closure *c = ct_system_closure(u.s);
        torn_look k = {.c = c, .name = cases[i].file};
        k.w = ct_alloc((size_t)c->registers.tracked.n + 1, sizeof *k.w);
        ct_model_numbers(c->f->model, &k.x);
        const ct_formulation *f = ct_system_formulation(u.s);
        ct_numbers_set(&k.x, f->n, f->q, ct_system_state(u.s)->q0);
        ct_registers_at(&c->registers, &k.x, k.w);
        for (int s = 0; s < c->positions.n; s++) check_segment(&k, c->positions.segments + s);
        check_rates(&k, ct_system_state(u.s)->q0);
        check_signs(&k);
        expect(&k, k.newton == cases[i].newton && k.newton == c->n_iterated,
               "another number of unknowns is iterated", k.newton);
        expect(&k, k.roots == cases[i].roots, "another number of roots is followed", k.roots);
        failures += k.failures;
        ct_numbers_clear(&k.x);
        ct_free(k.w);
        mech_clear(&u);
        ct_free(path);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
