// A closure put to the test without its C code: the program of the positions is carried out by
// evaluating its expressions, at the initial position and around it, and what it gives is put into
// Phi itself.
#include "closure/describe.h"

#include "kernel/inline/ctk_block.h"
#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct probe {
    const ct_closure *c;
    const ct_formulation *f;
    ct_numbers x;
    double *w; // tracked values
    int step;  // where it failed
} probe;

static double value(probe *p, ct_ex e) {
    double v;
    ct_numbers_eval(&p->x, 1, &e, &v);
    return v;
}

static void set(probe *p, ct_ex symbol, double v) {
    ct_numbers_set(&p->x, 1, &symbol, &v);
}

// The angle with this sine and cosine that is nearest to another.
static double nearest_angle(double sine, double cosine, double last) {
    double angle = atan2(sine, cosine), turn = 2 * acos(-1);
    return angle + turn * round((last - angle) / turn);
}

static bool iterate(probe *p, const ct_segment *s) {
    enum { ROUNDS = 50 };
    int n = s->n;
    double *r = ct_alloc((size_t)n + 1, sizeof *r), *step = ct_alloc((size_t)n + 1, sizeof *step);
    double *a = ct_alloc((size_t)n * (size_t)n + 1, sizeof *a);
    bool good = false;
    for (int round = 0; round < ROUNDS && !good; round++) {
        double most = 0, size = 1;
        ct_numbers_eval(&p->x, n, s->residual, r);
        ct_numbers_eval(&p->x, n * n, s->matrix, a);
        ct_least_squares(n, n, a, r, 1e-13, step);
        for (int i = 0; i < n; i++) {
            most = fmax(most, fabs(step[i]));
            size = fmax(size, fabs(p->w[s->unknown[i]]));
        }
        if (!isfinite(ct_largest(n, step))) break;
        double share = most > 0.5 ? 0.5 / most : 1;
        for (int i = 0; i < n; i++) {
            p->w[s->unknown[i]] -= share * step[i];
            set(p, p->c->tracked[s->unknown[i]], p->w[s->unknown[i]]);
        }
        good = most <= 1e-14 * size || (round > 5 && most <= 1e-11 * size);
    }
    free(r);
    free(step);
    free(a);
    return good;
}

static bool eliminate(probe *p, const ct_program *program, const ct_segment *s) {
    int n = s->n, rank = n;
    double *a = ct_alloc((size_t)n * (size_t)n + 1, sizeof *a);
    double *b = ct_alloc((size_t)n + 1, sizeof *b), *x = ct_alloc((size_t)n + 1, sizeof *x);
    ct_numbers_eval(&p->x, n * n, s->matrix, a);
    for (int j = 0; j < s->columns && rank == n; j++) {
        for (int i = 0; i < n; i++) b[i] = value(p, s->right[i * s->columns + j]);
        rank = ct_least_squares(n, n, a, b, 1e-13, x);
        for (int i = 0; i < n; i++) set(p, program->x[s->first + i * s->columns + j], x[i]);
    }
    free(a);
    free(b);
    free(x);
    return rank == n;
}

// The root nearest to the last one, on whichever side the slope is: the way is short.
static bool root(probe *p, const ct_segment *s) {
    double *a = ct_alloc((size_t)s->columns + 1, sizeof *a), *w = p->w + s->unknown[0], sign = 0,
           measure, length = s->unit > 0 ? s->unit : ct_typical_length(p->f->model), pair[2];
    double kept[CTK_KEPT] = {*w, cos(*w), sin(*w), 0};
    int parts = (s->columns - s->first) / 6;
    bool good;
    ct_numbers_eval(&p->x, s->columns, s->right, a);
    if (parts) {
        ctk_block k = {{s->is_angle[0], s->is_angle[1]}, s->first, parts, length};
        good = ctk_block_root(&k, a, w, p->w + s->unknown[1], kept, pair, &sign, &measure);
        for (int i = 0; i < (s->is_angle[1] ? 2 : 1); i++)
            set(p, p->c->tracked[s->unknown[1] + i], p->w[s->unknown[1] + i]);
    } else if (s->is_angle[0]) {
        good = ctk_turn_root(s->first / 2, a, a[s->first], w, kept, pair, &sign, &measure);
    } else {
        good = ctk_slide_root(s->first - 1, a, length, w, &sign, &measure);
    }
    set(p, p->c->tracked[s->unknown[0]], *w);
    free(a);
    return good;
}

static bool carry_out(probe *p, const ct_program *program) {
    for (int k = 0; k < program->n; k++) {
        const ct_segment *s = program->segments + k;
        p->step = s->step;
        if (s->kind == CT_SEGMENT_NEWTON && !iterate(p, s)) return false;
        if (s->kind == CT_SEGMENT_SOLVE && !eliminate(p, program, s)) return false;
        if (s->kind == CT_SEGMENT_ROOT && !root(p, s)) return false;
        for (int i = 0; i < s->n_guards; i++)
            if (!(value(p, s->guards[i].value) >= 0)) {
                p->step = s->guards[i].step;
                return false;
            }
        for (int i = 0; i < s->n_sets; i++)
            set(p, p->c->value[s->sets[i].index], value(p, s->sets[i].value));
        for (int i = 0; i < s->n_follows; i++) {
            int w = s->follows[i].index;
            p->w[w] = nearest_angle(value(p, s->follows[i].sine), value(p, s->follows[i].cosine),
                                    p->w[w]);
            set(p, p->c->tracked[w], p->w[w]);
        }
    }
    return true;
}

// Largest |Phi| of the closed position; the independent coordinates are set.
static double residual(probe *p, double *q) {
    const ct_closure *c = p->c;
    const ct_formulation *f = p->f;
    double *phi = ct_alloc((size_t)f->m + 1, sizeof *phi);
    for (int k = 0; k < f->n; k++) {
        bool angle =
            !c->is_independent[k] && (c->q_sine[k] != CT_ZERO || c->q_cosine[k] != CT_ZERO);
        q[k] = angle ? nearest_angle(value(p, c->q_sine[k]), value(p, c->q_cosine[k]), q[k])
                     : value(p, c->q_value[k]);
    }
    ct_numbers_set(&p->x, f->n, f->q, q);
    ct_numbers_eval(&p->x, f->m, f->phi, phi);
    double most = ct_largest(f->m, phi);
    free(phi);
    return most;
}

static void start(probe *p, const double *q0) {
    const ct_closure *c = p->c;
    double zero = 0;
    ct_numbers_set(&p->x, p->f->n, p->f->q, q0);
    ct_numbers_set(&p->x, 1, &p->f->model->time, &zero);
    for (int i = 0; i < c->n_values; i++) set(p, c->value[i], value(p, c->direct[i]));
    for (int i = 0; i < c->n_tracked; i++) {
        p->w[i] = value(p, c->tracked_direct[i]);
        set(p, c->tracked[i], p->w[i]);
    }
    for (int i = 0; i < c->n_signs; i++) set(p, c->sign[i], value(p, c->sign_of[i]) < 0 ? -1 : 1);
}

// The independent coordinates by `way` along a direction, at this time.
static bool close_at(probe *p, const double *q0, const double *direction, double way, double now,
                     double *most) {
    const ct_closure *c = p->c;
    double *q = ct_alloc((size_t)p->f->n + 1, sizeof *q);
    memcpy(q, q0, (size_t)p->f->n * sizeof *q);
    start(p, q0);
    // what depends must come from the closure alone
    for (int j = 0; j < c->n_dependent; j++) set(p, p->f->q[c->dependent[j]], NAN);
    for (int i = 0; i < c->n_values; i++) set(p, c->value[i], NAN);
    set(p, p->f->model->time, now);
    for (int j = 0; j < c->r; j++) {
        int k = c->independent[j];
        q[k] += way * direction[k];
        set(p, p->f->q[k], q[k]);
    }
    bool good = carry_out(p, &c->positions);
    if (good) {
        double r = residual(p, q);
        *most = fmax(*most, isfinite(r) ? r : INFINITY);
    }
    free(q);
    return good;
}

bool ct_close_probe(const ct_assembled *at, const ct_closure *closure, double *most, int *step) {
    probe p = {.c = closure, .f = at->f, .step = -1};
    ct_model_numbers(at->f->model, &p.x);
    p.w = ct_alloc((size_t)closure->n_tracked + 1, sizeof *p.w);
    *most = 0;
    // `way` seconds along the initial motion, and as far where it starts at rest
    double *along = ct_alloc((size_t)at->f->n + 1, sizeof *along);
    for (int k = 0; k < at->f->n; k++) along[k] = at->qd0[k] != 0 ? at->qd0[k] : 1;
    bool good = close_at(&p, at->q0, along, 0, 0, most);
    *step = p.step;
    // around it the mechanism may be at the end of its reach: what cannot be closed says nothing
    for (int k = 1; k <= 8 && good; k++) {
        close_at(&p, at->q0, along, 1e-3 * k, 1e-3 * k, most);
        if (closure->r) close_at(&p, at->q0, along, -1e-3 * k, 0, most);
    }
    free(along);
    ct_numbers_clear(&p.x);
    free(p.w);
    return good;
}

double ct_close_probe_wide(const ct_assembled *at, const ct_closure *closure, double reach,
                           double *most) {
    enum { PLACES = 40 };
    probe p = {.c = closure, .f = at->f, .step = -1};
    unsigned state = 1;
    int closed = 0;
    double length = ct_typical_length(at->f->model), time = at->f->model->settings.time;
    double span = time > 0 ? time : 1; // motions are elsewhere at other times
    ct_model_numbers(at->f->model, &p.x);
    p.w = ct_alloc((size_t)closure->n_tracked + 1, sizeof *p.w);
    double *to = ct_alloc((size_t)at->f->n + 1, sizeof *to);
    *most = 0;
    for (int i = 0; i < PLACES; i++) {
        for (int k = 0; k < at->f->n; k++) {
            state = state * 1664525u + 1013904223u;
            to[k] = ((state >> 8) / 8388608.0 - 1) * (at->f->is_angle[k] ? 1 : length);
        }
        closed += close_at(&p, at->q0, to, reach, span * (i + 1) / PLACES, most);
    }
    free(to);
    ct_numbers_clear(&p.x);
    free(p.w);
    return (double)closed / PLACES;
}
