// Runs the programs of a closure by evaluating their expressions: slow, but nothing is shared with
// the code that is generated from them.
#ifndef CLOSURE_MACHINE_H
#define CLOSURE_MACHINE_H

#include "harness.h"

#include "closure/closure.h"

#include <lapacke.h>

typedef struct machine {
    const ct_closure *c;
    ct_numbers *x;
    double *w; // tracked
} machine;

static inline void machine_set(machine *k, ct_ex symbol, double value) {
    ct_numbers_set(k->x, 1, &symbol, &value);
}

static inline double machine_value(machine *k, ct_ex a) {
    double v;
    ct_numbers_eval(k->x, 1, &a, &v);
    return v;
}

static inline bool machine_solve(int n, int columns, const double *matrix, double *right) {
    double *a = ct_alloc((size_t)(n * n) + 1, sizeof *a);
    lapack_int *pivot = ct_alloc((size_t)n + 1, sizeof *pivot);
    memcpy(a, matrix, (size_t)(n * n) * sizeof *a);
    bool good =
        LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, columns, a, n, pivot, right, columns ? columns : 1) == 0;
    ct_free(a);
    ct_free(pivot);
    return good;
}

static inline bool machine_newton(machine *k, const ct_newton *g) {
    int n = g->n;
    double *matrix = ct_alloc((size_t)(n * n), sizeof *matrix),
           *step = ct_alloc((size_t)n, sizeof *step), size = 1;
    for (int it = 0; it < 40 && size > 1e-15; it++) {
        ct_numbers_eval(k->x, n * n, g->matrix, matrix);
        ct_numbers_eval(k->x, n, g->residual, step);
        if (!machine_solve(n, 1, matrix, step)) break;
        size = ct_largest(n, step);
        for (int i = 0; i < n; i++) {
            k->w[g->unknown[i]] -= step[i];
            machine_set(k, k->c->registers.tracked.symbol[g->unknown[i]], k->w[g->unknown[i]]);
        }
    }
    ct_free(matrix);
    ct_free(step);
    return size < 1e-9;
}

// A polynomial in sines and cosines of multiples of an angle, or in a slide, with its derivative.
static inline double machine_polynomial(bool turn, int n, const double *a, double w, double *d) {
    double y = 0;
    *d = 0;
    for (int i = 0; i < n; i++) {
        int k = (i + 1) / 2;
        if (!turn) {
            y += a[i] * pow(w, i);
            *d += i ? i * a[i] * pow(w, i - 1) : 0;
        } else {
            y += a[i] * (i % 2 || !i ? cos(k * w) : sin(k * w));
            *d += a[i] * k * (i % 2 || !i ? -sin(k * w) : cos(k * w));
        }
    }
    return y;
}

// Newton's iteration.
static inline bool machine_root(machine *k, const ct_root *g) {
    double *all = ct_alloc((size_t)g->n + 1, sizeof *all), *w = k->w + g->unknown, size = 1;
    ct_numbers_eval(k->x, g->n, g->coefficient, all);
    for (int it = 0; it < 40 && size > 1e-15; it++) {
        double slope, step = machine_polynomial(g->is_angle, g->n, all, *w, &slope) / slope;
        *w -= step;
        size = fabs(step);
    }
    machine_set(k, k->c->registers.tracked.symbol[g->unknown], *w);
    ct_free(all);
    return size < 1e-9;
}

// Both equations f0 + f1 C + f2 S (or y, y^2), and their derivatives in either unknown.
static inline void machine_pair_at(const ct_root_pair *g, const double *all, double first,
                                   double second, double *f, double *matrix) {
    bool turn = g->is_angle[1];
    double by[3] = {1, turn ? cos(second) : second, turn ? sin(second) : second * second};
    double dy[3] = {0, turn ? -sin(second) : 1, turn ? cos(second) : 2 * second};
    for (int e = 0; e < 2; e++) {
        f[e] = matrix[2 * e] = matrix[2 * e + 1] = 0;
        for (int i = 0; i < 3; i++) {
            double d,
                y = machine_polynomial(g->is_angle[0], g->n, all + (3 * e + i) * g->n, first, &d);
            f[e] += y * by[i];
            matrix[2 * e] += d * by[i];
            matrix[2 * e + 1] += y * dy[i];
        }
    }
}

// Newton's iteration over both unknowns.
static inline bool machine_root_pair(machine *k, const ct_root_pair *g) {
    double *all = ct_alloc(6 * (size_t)g->n, sizeof *all), *w = k->w + g->unknown[0],
           *x = k->w + g->unknown[1], size = 1;
    ct_numbers_eval(k->x, 6 * g->n, g->coefficient, all);
    double second = g->is_angle[1] ? atan2(x[1], x[0]) : x[0];
    for (int it = 0; it < 40 && size > 1e-15; it++) {
        double step[2], m[4];
        machine_pair_at(g, all, *w, second, step, m);
        if (!machine_solve(2, 1, m, step)) break;
        *w -= step[0];
        second -= step[1];
        size = fmax(fabs(step[0]), fabs(step[1]));
    }
    machine_set(k, k->c->registers.tracked.symbol[g->unknown[0]], *w);
    for (int i = 0; i < (g->is_angle[1] ? 2 : 1); i++) {
        x[i] = !g->is_angle[1] ? second : i ? sin(second) : cos(second);
        machine_set(k, k->c->registers.tracked.symbol[g->unknown[1] + i], x[i]);
    }
    ct_free(all);
    return size < 1e-9;
}

static inline bool machine_linear(machine *k, const ct_program *p, const ct_linear_solve *g) {
    int n = g->n, count = n * g->columns;
    double *matrix = ct_alloc((size_t)(n * n), sizeof *matrix),
           *x = ct_alloc((size_t)count, sizeof *x);
    ct_numbers_eval(k->x, n * n, g->matrix, matrix);
    ct_numbers_eval(k->x, count, g->right, x);
    bool good = machine_solve(n, g->columns, matrix, x);
    ct_numbers_set(k->x, count, p->x + g->first, x);
    ct_free(matrix);
    ct_free(x);
    return good;
}

static inline bool machine_segment(machine *k, const ct_program *p, const ct_segment *g) {
    switch (g->kind) {
    case CT_SEGMENT_PLAIN: return true;
    case CT_SEGMENT_NEWTON: return machine_newton(k, &g->newton);
    case CT_SEGMENT_SOLVE: return machine_linear(k, p, &g->solve);
    case CT_SEGMENT_ROOT: return machine_root(k, &g->root);
    case CT_SEGMENT_ROOT_PAIR: return machine_root_pair(k, &g->root_pair);
    }
    return false;
}

// Sets and guards, all at once: they share nearly everything.
static inline void machine_evaluate(machine *k, const ct_segment *g, double *sets, double *guards) {
    int n = g->n_sets;
    ct_ex *roots = ct_alloc((size_t)(n + g->n_guards) + 1, sizeof *roots);
    double *out = ct_alloc((size_t)(n + g->n_guards) + 1, sizeof *out);
    for (int j = 0; j < n; j++) roots[j] = g->sets[j].value;
    for (int j = 0; j < g->n_guards; j++) roots[n + j] = g->guards[j].value;
    ct_numbers_eval(k->x, n + g->n_guards, roots, out);
    memcpy(sets, out, (size_t)n * sizeof *out);
    memcpy(guards, out + n, (size_t)g->n_guards * sizeof *out);
    ct_free(roots);
    ct_free(out);
}

// Runs a program; out (or NULL for positions) gets what it sets. False: something did not hold.
static inline bool machine_run(machine *k, const ct_program *p, double *out) {
    const double turn = 2 * acos(-1);
    bool good = true;
    for (int i = 0; i < p->n && good; i++) {
        const ct_segment *g = p->segments + i;
        good = machine_segment(k, p, g);
        double *sets = ct_alloc((size_t)g->n_sets + 1, sizeof *sets),
               *guards = ct_alloc((size_t)g->n_guards + 1, sizeof *guards);
        machine_evaluate(k, g, sets, guards);
        for (int j = 0; j < g->n_sets; j++)
            if (out)
                out[g->sets[j].index] = sets[j];
            else
                machine_set(k, k->c->registers.values.symbol[g->sets[j].index], sets[j]);
        for (int j = 0; j < g->n_follows; j++) {
            double *w = k->w + g->follows[j].index;
            double angle =
                atan2(machine_value(k, g->follows[j].sine), machine_value(k, g->follows[j].cosine));
            *w = angle + turn * round((*w - angle) / turn);
            machine_set(k, k->c->registers.tracked.symbol[g->follows[j].index], *w);
        }
        for (int j = 0; j < g->n_guards; j++) good = good && guards[j] >= 0;
        ct_free(sets);
        ct_free(guards);
    }
    return good;
}

#endif
