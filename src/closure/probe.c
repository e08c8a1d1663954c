// A closure put to the test without its C code: the interpreter carries out the program of
// positions at the initial position and around it, and Phi is evaluated there.
#include "closure/describe.h"
#include "formulate/whole_rotation.h"
#include "closure/tolerances.h"

#include "program/interpret.h"

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

// Largest |Phi| of the closed position, in the units of its rows; the independent coordinates are set.
static double residual(probe *p, double *q) {
    const ct_closure *c = p->c;
    const ct_formulation *f = p->f;
    double *phi = ct_scratch((size_t)f->m + 1, sizeof *phi);
    for (int k = 0; k < f->n; k++) {
        bool angle =
            !c->is_independent[k] && (c->q_sine[k] != CT_ZERO || c->q_cosine[k] != CT_ZERO);
        q[k] = angle ? ct_nearest_angle(value(p, c->q_sine[k]), value(p, c->q_cosine[k]), q[k])
                     : value(p, c->q_value[k]);
    }
    ct_position_set(f, &p->x, q);
    ct_numbers_eval(&p->x, f->m, f->phi, phi);
    for (int i = 0; i < f->m; i++) phi[i] /= f->row_unit[i];
    return ct_largest(f->m, phi);
}

static void start(probe *p, const double *q0) {
    ct_position_set(p->f, &p->x, q0);
    set(p, p->f->model->time, 0);
    ct_registers_at(&p->c->registers, &p->x, p->w);
}

// Closes with the independent coordinates of the position q0 moved by `way` along a direction, at
// time `now`; *most grows to |Phi| there, and q becomes that position. Returns false if a step has
// no solution.
static bool close_to(probe *p, const double *q0, const double *direction, double way, double now,
                     double *most, double *q) {
    const ct_closure *c = p->c;
    start(p, q0);
    if (q != q0) memcpy(q, q0, (size_t)ct_position_numbers(p->f) * sizeof *q);
    // what depends must come from the closure alone
    for (int j = 0; j < c->n_dependent; j++) set(p, p->f->q[c->dependent[j]], NAN);
    for (int i = 0; i < c->registers.values.n; i++) set(p, c->registers.values.symbol[i], NAN);
    set(p, p->f->model->time, now);
    for (int j = 0; j < c->r; j++) {
        int k = c->independent[j];
        q[k] += way * direction[k];
        set(p, p->f->q[k], q[k]);
    }
    // the program of positions, then Phi
    ct_interpreter m = {.registers = &c->registers, .x = &p->x, .w = p->w};
    bool good = ct_interpret(&m, &c->positions, NULL);
    p->step = m.step;
    if (good) {
        double r = residual(p, q);
        *most = fmax(*most, isfinite(r) ? r : INFINITY);
    }
    return good;
}

static bool close_at(probe *p, const double *q0, const double *direction, double way, double now,
                     double *most) {
    double *q = ct_scratch((size_t)ct_position_numbers(p->f) + 1, sizeof *q);
    return close_to(p, q0, direction, way, now, most, q);
}

bool ct_close_probe(const ct_assembled *at, const ct_closure *c, double *most, int *step) {
    probe p = {.c = c, .f = at->f, .step = -1};
    ct_model_numbers(at->f->model, &p.x);
    p.w = ct_scratch((size_t)c->registers.tracked.n + 1, sizeof *p.w);
    *most = 0;
    // `way` seconds along the initial motion, and as far where it starts at rest
    double *along = ct_scratch((size_t)at->f->n + 1, sizeof *along);
    for (int k = 0; k < at->f->n; k++)
        along[k] = at->qd0[k] != 0 ? at->qd0[k] : ct_coordinate_unit(at->f, k);
    bool good = close_at(&p, at->q0, along, 0, 0, most);
    *step = p.step;
    // around it the mechanism may be at the end of its reach: what cannot be closed says nothing
    for (int k = 1; k <= CT_PROBE_STEPS && good; k++) {
        double way = CT_PROBE_WAY * k;
        close_at(&p, at->q0, along, way, way, most);
        if (c->r) close_at(&p, at->q0, along, -way, 0, most);
    }
    ct_numbers_clear(&p.x);
    return good;
}

double ct_close_probe_wide(const ct_assembled *at, const ct_closure *c, double reach,
                           double *most) {
    probe p = {.c = c, .f = at->f, .step = -1};
    unsigned state = 1;
    int closed = 0;
    double length = ct_typical_length(at->f->model), time = at->f->model->settings.time;
    double span = time > 0 ? time : 1; // motions are elsewhere at other times
    ct_model_numbers(at->f->model, &p.x);
    p.w = ct_scratch((size_t)c->registers.tracked.n + 1, sizeof *p.w);
    double *to = ct_scratch((size_t)at->f->n + 1, sizeof *to);
    *most = 0;
    // random positions around the initial one, at times spread over the run
    for (int i = 0; i < CT_PROBE_PLACES; i++) {
        for (int k = 0; k < at->f->n; k++) {
            state = state * 1664525u + 1013904223u;
            to[k] = ((state >> 8) / 8388608.0 - 1) * (at->f->is_angle[k] ? 1 : length);
        }
        closed += close_at(&p, at->q0, to, reach, span * (i + 1) / CT_PROBE_PLACES, most);
    }
    ct_numbers_clear(&p.x);
    return (double)closed / CT_PROBE_PLACES;
}

// The signs of square roots at a position.
static double *signs_at(probe *p, const double *q) {
    const ct_register_bank *signs = &p->c->registers.signs;
    double *b = ct_scratch((size_t)signs->n + 1, sizeof *b);
    start(p, q);
    for (int i = 0; i < signs->n; i++) b[i] = value(p, signs->symbol[i]);
    return b;
}

bool ct_close_probe_turn(const ct_assembled *at, const ct_closure *c) {
    if (c->r != 1 || !at->f->is_angle[c->independent[0]]) return false;
    probe p = {.c = c, .f = at->f, .step = -1};
    size_t count = (size_t)ct_position_numbers(at->f);
    double most = 0, *q = ct_scratch(count + 1, sizeof *q),
           *along = ct_scratch((size_t)at->f->n + 1, sizeof *along);
    bool good = true;
    ct_model_numbers(at->f->model, &p.x);
    p.w = ct_scratch((size_t)c->registers.tracked.n + 1, sizeof *p.w);
    // one position after the other, each from the one before and on the same branch
    memcpy(q, at->q0, count * sizeof *q);
    const double *signs = signs_at(&p, q);
    along[c->independent[0]] = 2 * acos(-1) / CT_PROBE_TURN;
    for (int i = 0; i < CT_PROBE_TURN && good; i++)
        good = close_to(&p, q, along, 1, 0, &most, q) && most < CT_PROBE_CLOSED &&
               !memcmp(signs, signs_at(&p, q), (size_t)c->registers.signs.n * sizeof *signs);
    ct_numbers_clear(&p.x);
    return good;
}
