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
    free(a);
    free(pivot);
    return good;
}

static inline bool machine_newton(machine *k, const ct_segment *g) {
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
            machine_set(k, k->c->tracked[g->unknown[i]], k->w[g->unknown[i]]);
        }
    }
    free(matrix);
    free(step);
    return size < 1e-9;
}

// A polynomial in sines and cosines of multiples of an angle, or in a slide, with its derivative.
static inline double machine_polynomial(const ct_segment *g, const double *a, double w, double *d) {
    double y = 0;
    *d = 0;
    for (int i = 0; i < g->columns; i++) {
        int k = (i + 1) / 2;
        if (!g->is_angle[0]) {
            y += a[i] * pow(w, i);
            *d += i ? i * a[i] * pow(w, i - 1) : 0;
        } else {
            y += a[i] * (i % 2 || !i ? cos(k * w) : sin(k * w));
            *d += a[i] * k * (i % 2 || !i ? -sin(k * w) : cos(k * w));
        }
    }
    return y;
}

static inline bool machine_root(machine *k, const ct_segment *g) {
    double *a = ct_alloc((size_t)g->columns, sizeof *a), *w = k->w + g->unknown[0], step = 1, d;
    ct_numbers_eval(k->x, g->columns, g->right, a);
    for (int it = 0; it < 40 && fabs(step) > 1e-15; it++) {
        step = machine_polynomial(g, a, *w, &d) / d;
        *w -= step;
    }
    machine_set(k, k->c->tracked[g->unknown[0]], *w);
    free(a);
    return fabs(step) < 1e-9;
}

// The linear one of the combinations of both equations.
static inline bool machine_common(machine *k, const ct_program *p, const ct_segment *g) {
    double f[6], x[2];
    ct_numbers_eval(k->x, 6, g->right, f);
    double m[4] = {f[1], f[2], f[4], f[5]};
    if (g->is_angle[0]) {
        x[0] = -f[0];
        x[1] = -f[3];
        if (!machine_solve(2, 1, m, x)) return false;
        ct_numbers_set(k->x, 2, p->x + g->first, x);
        return true;
    }
    x[0] = f[2] == 0 && f[5] == 0 ? -f[0] / f[1]
                                  : -(f[0] * f[5] - f[2] * f[3]) / (f[1] * f[5] - f[2] * f[4]);
    ct_numbers_set(k->x, 1, p->x + g->first, x);
    return isfinite(x[0]);
}

static inline bool machine_segment(machine *k, const ct_program *p, const ct_segment *g) {
    int n = g->n, count = n * g->columns;
    double *matrix = ct_alloc((size_t)(n * n), sizeof *matrix),
           *x = ct_alloc((size_t)count, sizeof *x);
    ct_numbers_eval(k->x, n * n, g->matrix, matrix);
    ct_numbers_eval(k->x, count, g->right, x);
    bool good = machine_solve(n, g->columns, matrix, x);
    ct_numbers_set(k->x, count, p->x + g->first, x);
    free(matrix);
    free(x);
    return good;
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
    free(roots);
    free(out);
}

// Runs a program; out (or NULL for positions) gets what it sets. False: something did not hold.
static inline bool machine_run(machine *k, const ct_program *p, double *out) {
    const double turn = 2 * acos(-1);
    bool good = true;
    for (int i = 0; i < p->n && good; i++) {
        const ct_segment *g = p->segments + i;
        if (g->kind == CT_SEGMENT_NEWTON) good = machine_newton(k, g);
        if (g->kind == CT_SEGMENT_ROOT) good = machine_root(k, g);
        if (g->kind == CT_SEGMENT_COMMON) good = machine_common(k, p, g);
        if (g->kind == CT_SEGMENT_SOLVE) good = machine_segment(k, p, g);
        double *sets = ct_alloc((size_t)g->n_sets + 1, sizeof *sets),
               *guards = ct_alloc((size_t)g->n_guards + 1, sizeof *guards);
        machine_evaluate(k, g, sets, guards);
        for (int j = 0; j < g->n_sets; j++)
            if (out)
                out[g->sets[j].index] = sets[j];
            else
                machine_set(k, k->c->value[g->sets[j].index], sets[j]);
        for (int j = 0; j < g->n_follows; j++) {
            double *w = k->w + g->follows[j].index;
            double angle =
                atan2(machine_value(k, g->follows[j].sine), machine_value(k, g->follows[j].cosine));
            *w = angle + turn * round((*w - angle) / turn);
            machine_set(k, k->c->tracked[g->follows[j].index], *w);
        }
        for (int j = 0; j < g->n_guards; j++) good = good && guards[j] >= 0;
        free(sets);
        free(guards);
    }
    return good;
}

#endif
