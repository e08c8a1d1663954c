// Times at which the right side jumps or bends: rows of a file of inputs, and places where the
// expression of an input switches. Steps are divided there, so that an integrator sees a smooth
// function in each of its steps: of two steps that meet at a jump, the first one gets the limit from
// before, the second one the limit from behind.
#include "expr/jumps/jump.h"
#include "model/inputs/signals.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// finding them ------------------------------------------------------------------------------------
static double number_of(void *data, ct_ex symbol) {
    return ct_signal_number(data, symbol);
}

typedef struct at_time {
    const ct_model *model;
    double t;
} at_time;

static double number_at(void *data, ct_ex symbol) {
    const at_time *a = data;
    return symbol == a->model->time ? a->t : ct_signal_number((void *)a->model, symbol);
}

// The first double behind a jump that lies between lo and hi, by bisection: f is nearer to its value
// behind the jump there. NaN at a pole, which has no limits and which no step may leave out.
static double place_of(const ct_model *model, ct_pool *pool, ct_ex f, double lo, double hi) {
    at_time a = {model, lo};
    const double before = ct_eval(pool, f, number_at, &a);
    a.t = hi;
    const double behind = ct_eval(pool, f, number_at, &a);
    for (double middle; middle = lo + (hi - lo) / 2, middle > lo && middle < hi;) {
        a.t = middle;
        const double y = ct_eval(pool, f, number_at, &a);
        if (fabs(y - before) < fabs(y - behind))
            lo = middle;
        else
            hi = middle;
    }
    a.t = lo;
    const double last = ct_eval(pool, f, number_at, &a);
    a.t = hi;
    const double first = ct_eval(pool, f, number_at, &a), size = fabs(behind - before);
    return fabs(last - before) <= size && fabs(first - behind) <= size ? hi : NAN;
}

// Adds the times at which the expression of an input, or its rate, jumps.
static void add_jumps(ct_runner *r, int input, ct_pool *pool, ct_ex value) {
    const ct_model *m = r->s->model;
    ct_breaks *b = &r->breaks;
    ct_jump jump;
    ct_jump_search search = {.f = value,
                             .symbol = m->time,
                             .to = r->plan.time,
                             .least = {CT_RUN_JUMP_SEEN, CT_RUN_JUMP_SEEN},
                             .value = number_of,
                             .data = (void *)m};
    const ct_ex rate = ct_diff(pool, value, m->time);
    int found = 0;
    // from one jump to the next, each to the last digit
    for (; found < CT_RUN_MOST_JUMPS && ct_jump_find(pool, &search, &jump); found++) {
        const double width = jump.searched - jump.at;
        const double place = place_of(m, pool, jump.order == CT_JUMP_VALUE ? value : rate,
                                      jump.at - width, jump.searched);
        if (jump.at > 0 && !isnan(place)) *CT_PUSH(b->at, b->n, b->room) = place;
        search.from = jump.searched;
    }
    // given up
    const double searched = found < CT_RUN_MOST_JUMPS ? jump.searched : search.from;
    if (searched < r->plan.time)
        ct_warning_at(r->ctx, (ct_place){0, 0},
                      "input '%s' switches too often: steps are not divided where it does after t "
                      "= %.9g",
                      m->inputs[input].name, searched);
}

static int by_time(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ct_breaks_find(ct_runner *r) {
    const ct_model *m = r->s->model;
    ct_breaks *b = &r->breaks;
    *b = (ct_breaks){.model = m, .bad = -1};
    if (!m->signals) return;
    b->u = ct_alloc(3 * (size_t)m->n_inputs + 1, sizeof *b->u);
    // rows of the file
    b->n = b->room = ct_signals_rows(m, 0, r->plan.time, &b->at);
    // switches of expressions, in a pool of their own
    ct_pool *pool = ct_pool_copy(m->signals->pool);
    for (int i = 0; i < m->n_inputs; i++) {
        ct_ex value;
        if (ct_signal_expression(m, i, &value) && !m->signals->of[i].from_file)
            add_jumps(r, i, pool, value);
    }
    ct_pool_free(pool);
    if (b->n) qsort(b->at, (size_t)b->n, sizeof *b->at, by_time);
}

void ct_breaks_clear(ct_breaks *b) {
    ct_free(b->at);
    ct_free(b->u);
    b->at = b->u = NULL;
}

// passing them ------------------------------------------------------------------------------------
// Values, rates and accelerations at time t in the piece that the run is in.
static void evaluate(ct_breaks *b, double t) {
    ct_signals_at(b->model, t, b->now ? b->at[b->now - 1] : -INFINITY,
                  b->now < b->n ? b->at[b->now] : INFINITY, b->u);
}

void ct_breaks_inputs(void *data, double t, double *u, double *ud, double *udd) {
    ct_breaks *b = data;
    const int n = b->model->n_inputs;
    evaluate(b, t);
    memcpy(u, b->u, (size_t)n * sizeof *u);
    memcpy(ud, b->u + n, (size_t)n * sizeof *u);
    memcpy(udd, b->u + 2 * n, (size_t)n * sizeof *u);
    // the first that has no value is to blame
    for (int i = 0; i < n && b->bad < 0; i++) {
        bool rated = b->model->inputs[i].rate != CT_ZERO;
        if (isfinite(u[i]) && (!rated || (isfinite(ud[i]) && isfinite(udd[i])))) continue;
        b->bad = i;
        b->bad_t = t;
    }
}

double ct_breaks_stop(const ct_runner *r, double t) {
    const ct_breaks *b = &r->breaks;
    if (b->now >= b->n) return t;
    return b->at[b->now] < t - CT_RUN_PART * r->plan.step ? b->at[b->now] : t;
}

bool ct_breaks_pass(ct_runner *r) {
    ct_breaks *b = &r->breaks;
    const int n = b->model->n_inputs, now = b->now;
    while (b->now < b->n && b->at[b->now] <= r->sim.t + CT_RUN_PART * r->plan.step) b->now++;
    if (b->now == now) return false;
    evaluate(b, r->sim.t);
    bool jumps = false;
    for (int i = 0; i < n; i++) jumps |= b->u[i] != r->sim.u[i];
    r->sim.history = 0;
    return jumps;
}
