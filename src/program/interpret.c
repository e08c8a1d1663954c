// The interpreter: segment by segment, with a dense solver for iterations and eliminations and the
// kernel's own functions for roots.
#include "program/interpret.h"

#include "kernel/inline/ctk_root_pair.h"

#include <math.h>
#include <stdlib.h>

// Iterations go to the last digits, so that a residual of Phi is an error of the closure.
enum { ROUNDS = 50, PATIENCE = 5 };     // corrections at most; LAST_DIGITS are enough after
static const double CUTOFF = 1e-13;     // singular values, of the largest: the matrix is singular
static const double STRIDE = 0.5;       // largest correction: radians or the model's lengths
static const double LAST_DIGIT = 1e-14; // correction, of the largest unknown, at least 1: converged
static const double LAST_DIGITS = 1e-11; // the same after PATIENCE, if rounding hinders

static double value(ct_interpreter *m, ct_ex e) {
    double v;
    ct_numbers_eval(m->x, 1, &e, &v);
    return v;
}

static void set(ct_interpreter *m, ct_ex symbol, double v) {
    ct_numbers_set(m->x, 1, &symbol, &v);
}

double ct_nearest_angle(double sine, double cosine, double last) {
    double angle = atan2(sine, cosine), turn = 2 * acos(-1);
    return angle + turn * round((last - angle) / turn);
}

// solvers ----------------------------------------------------------------------------------------
// Newton's iteration:  w <- w - share * J^-1 r, until the correction is below the last digit.
static bool iterate(ct_interpreter *m, const ct_newton *s) {
    int n = s->n;
    double *r = ct_scratch((size_t)n + 1, sizeof *r), *step = ct_alloc((size_t)n + 1, sizeof *step);
    double *a = ct_scratch((size_t)n * (size_t)n + 1, sizeof *a);
    bool good = false;
    for (int round = 0; round < ROUNDS && !good; round++) {
        // J step = r at the unknowns as they are
        double most = 0, size = 1;
        ct_numbers_eval(m->x, n, s->residual, r);
        ct_numbers_eval(m->x, n * n, s->matrix, a);
        ct_least_squares(n, n, a, r, CUTOFF, step);
        // the largest correction, and the largest unknown
        for (int i = 0; i < n; i++) {
            most = fmax(most, fabs(step[i]));
            size = fmax(size, fabs(m->w[s->unknown[i]]));
        }
        if (!isfinite(ct_largest(n, step))) break;
        // no unknown moves farther than STRIDE
        double share = most > STRIDE ? STRIDE / most : 1;
        for (int i = 0; i < n; i++) {
            m->w[s->unknown[i]] -= share * step[i];
            set(m, m->registers->tracked.symbol[s->unknown[i]], m->w[s->unknown[i]]);
        }
        // converged to the last digit, or to a few digits less after PATIENCE rounds
        good = most <= LAST_DIGIT * size || (round > PATIENCE && most <= LAST_DIGITS * size);
    }
    ct_free(step);
    return good;
}

// Returns false if the matrix is singular.
static bool eliminate(ct_interpreter *m, const ct_program *program, const ct_linear_solve *s) {
    int n = s->n, rank = n;
    double *a = ct_scratch((size_t)n * (size_t)n + 1, sizeof *a);
    double *b = ct_scratch((size_t)n + 1, sizeof *b), *x = ct_scratch((size_t)n + 1, sizeof *x);
    ct_numbers_eval(m->x, n * n, s->matrix, a);
    for (int j = 0; j < s->columns && rank == n; j++) {
        for (int i = 0; i < n; i++) b[i] = value(m, s->right[i * s->columns + j]);
        rank = ct_least_squares(n, n, a, b, CUTOFF, x);
        for (int i = 0; i < n; i++) set(m, program->x[s->first + i * s->columns + j], x[i]);
    }
    return rank == n;
}

// Numbers for the coefficients of a root, one after the other; owned by the caller.
static double *polynomial(ct_interpreter *m, const ct_segment *seg) {
    double *all = NULL;
    int n = 0;
    for (ct_span a = ct_segment_spans(seg, CT_ROLES_POLYNOMIAL); ct_span_next(&a); n += a.n) {
        all = ct_realloc(all, (size_t)(n + a.n), sizeof *all);
        ct_numbers_eval(m->x, a.n, a.at, all + n);
    }
    return all;
}

// The root nearest to the last one. The sign of the slope is left open: from one call to the next
// the root moves little.
static bool root(ct_interpreter *m, const ct_segment *seg) {
    const ct_root *s = &seg->root;
    double *a = polynomial(m, seg), *w = m->w + s->unknown, sign = 0, measure, pair[2],
           carried[CTK_CARRIED] = {*w, cos(*w), sin(*w), 0};
    bool good = s->is_angle ? ctk_turn_root(s->n / 2, a, a[s->n], w, carried, pair, &sign, &measure)
                            : ctk_slide_root(s->n - 1, a, s->unit, w, &sign, &measure);
    set(m, m->registers->tracked.symbol[s->unknown], *w);
    ct_free(a);
    return good;
}

static bool root_pair(ct_interpreter *m, const ct_segment *seg) {
    const ct_root_pair *s = &seg->root_pair;
    ctk_root_pair k = {{s->is_angle[0], s->is_angle[1]}, s->n_left, s->n, s->unit};
    double *a = polynomial(m, seg), *w = m->w + s->unknown[0], sign = 0, measure, pair[2],
           carried[CTK_CARRIED] = {*w, cos(*w), sin(*w), 0};
    bool good = ctk_root_pair_solve(&k, a, w, m->w + s->unknown[1], carried, pair, &sign, &measure);
    set(m, m->registers->tracked.symbol[s->unknown[0]], *w);
    for (int i = 0; i < (s->is_angle[1] ? 2 : 1); i++)
        set(m, m->registers->tracked.symbol[s->unknown[1] + i], m->w[s->unknown[1] + i]);
    ct_free(a);
    return good;
}

static bool solve(ct_interpreter *m, const ct_program *program, const ct_segment *seg) {
    switch (seg->kind) {
    case CT_SEGMENT_PLAIN: return true;
    case CT_SEGMENT_NEWTON: return iterate(m, &seg->newton);
    case CT_SEGMENT_SOLVE: return eliminate(m, program, &seg->solve);
    case CT_SEGMENT_ROOT: return root(m, seg);
    case CT_SEGMENT_ROOT_PAIR: return root_pair(m, seg);
    }
    return false;
}

// effects ----------------------------------------------------------------------------------------
static bool guards_hold(ct_interpreter *m, const ct_segment *seg) {
    for (int i = 0; i < seg->n_guards; i++)
        if (!(value(m, seg->guards[i].value) >= 0)) {
            m->step = seg->guards[i].step;
            return false;
        }
    return true;
}

static void follow(ct_interpreter *m, const ct_follow *follow) {
    double *w = m->w + follow->index;
    *w = ct_nearest_angle(value(m, follow->sine), value(m, follow->cosine), *w);
    set(m, m->registers->tracked.symbol[follow->index], *w);
}

bool ct_interpret(ct_interpreter *m, const ct_program *program, double *out) {
    for (int k = 0; k < program->n; k++) {
        const ct_segment *seg = program->segments + k;
        m->step = seg->step;
        if (!solve(m, program, seg) || !guards_hold(m, seg)) return false;
        for (int i = 0; i < seg->n_sets; i++) {
            double v = value(m, seg->sets[i].value);
            if (out)
                out[seg->sets[i].index] = v;
            else
                set(m, m->registers->values.symbol[seg->sets[i].index], v);
        }
        for (int i = 0; i < seg->n_follows; i++) follow(m, seg->follows + i);
    }
    return true;
}

double ct_program_margin(const ct_program *program, ct_numbers *numbers, int *step) {
    double least = 1;
    *step = -1;
    for (int i = 0; i < program->n; i++)
        for (int k = 0; k < program->segments[i].n_guards; k++) {
            const ct_guard *guard = program->segments[i].guards + k;
            double at[2];
            if (guard->scale == CT_ZERO) continue;
            ct_numbers_eval(numbers, 2, (ct_ex[]){guard->value, guard->scale}, at);
            if (!(at[0] / at[1] >= least)) {
                least = at[0] / at[1];
                *step = guard->step;
            }
        }
    return least;
}
