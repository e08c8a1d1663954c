// Times at which the right side jumps or bends: rows of a file of inputs, places where the expression
// of an input switches, and expressions of the model (switching_times.c). Steps are divided there, so that an integrator sees a smooth
// function in each of its steps: of two steps that meet at a jump, the first one gets the limit from
// before, the second one the limit from behind.
#include "expr/jumps/jump.h"
#include "model/inputs/signals.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <float.h>
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
    const double last = ct_eval(pool, f, number_at, &a), size = fabs(behind - before);
    a.t = hi;
    double first = ct_eval(pool, f, number_at, &a);
    // a value of its own at the jump itself, as sign(0) has, or a part of several that jump there
    a.t = nextafter(hi, INFINITY);
    const double second = ct_eval(pool, f, number_at, &a);
    if (fabs(second - first) > CT_RUN_JUMP_PART * size) {
        hi = a.t;
        first = second;
    }
    return fabs(last - before) <= size && fabs(first - behind) <= size ? hi : NAN;
}

void ct_breaks_add_jumps(ct_runner *r, ct_pool *pool, ct_ex value, unsigned kinds,
                         const char *what) {
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
        if (jump.at > 0 && !isnan(place))
            *CT_PUSH(b->list, b->n, b->room) = (ct_break){place, kinds};
        search.from = jump.searched;
    }
    // given up
    const double searched = found < CT_RUN_MOST_JUMPS ? jump.searched : search.from;
    if (searched < r->plan.time)
        ct_warning_at(r->ctx, (ct_place){0, 0},
                      "%s switches too often: steps are not divided where it does after t = %.9g",
                      what, searched);
}

static int by_time(const void *a, const void *b) {
    const double x = ((const ct_break *)a)->at, y = ((const ct_break *)b)->at;
    return (x > y) - (x < y);
}

// Rows of the file and switches of expressions that inputs follow, in a pool of their own.
static void add_signals(ct_runner *r) {
    const ct_model *m = r->s->model;
    ct_breaks *b = &r->breaks;
    double *rows = NULL;
    const int n = ct_signals_rows(m, 0, r->plan.time, &rows);
    for (int i = 0; i < n; i++)
        *CT_PUSH(b->list, b->n, b->room) = (ct_break){rows[i], CT_BREAK_INPUT};
    ct_free(rows);
    ct_pool *pool = ct_pool_copy(m->signals->pool);
    for (int i = 0; i < m->n_inputs; i++) {
        ct_ex value;
        if (ct_signal_expression(m, i, &value) && !m->signals->of[i].from_file)
            ct_breaks_add_jumps(r, pool, value, CT_BREAK_INPUT,
                                ct_scratch_format("input '%s'", m->inputs[i].name));
    }
    ct_pool_free(pool);
}

void ct_breaks_find(ct_runner *r) {
    const ct_model *m = r->s->model;
    ct_breaks *b = &r->breaks;
    *b = (ct_breaks){.model = m, .bad = -1};
    if (m->signals) {
        b->u = ct_alloc(3 * (size_t)m->n_inputs + 1, sizeof *b->u);
        add_signals(r);
    }
    if (!r->kinematics) ct_switching_times(r);
    if (!b->n) return;
    // in order; those at the same time are one
    qsort(b->list, (size_t)b->n, sizeof *b->list, by_time);
    int n = 1;
    for (int i = 1; i < b->n; i++) {
        if (b->list[i].at == b->list[n - 1].at)
            b->list[n - 1].kinds |= b->list[i].kinds;
        else
            b->list[n++] = b->list[i];
    }
    b->n = n;
}

bool ct_breaks_hit(const ct_runner *r) {
    for (int i = 0; i < r->breaks.n; i++)
        if (r->breaks.list[i].kinds & CT_BREAK_MOTION) return true;
    return false;
}

void ct_breaks_clear(ct_breaks *b) {
    ct_free(b->list);
    ct_free(b->u);
    b->list = NULL;
    b->u = NULL;
}

// passing them ------------------------------------------------------------------------------------
// Values, rates and accelerations at time t in the piece that the run is in.
static void evaluate(ct_breaks *b, double t) {
    ct_signals_at(b->model, t, b->now ? b->list[b->now - 1].at : -INFINITY,
                  b->now < b->n ? b->list[b->now].at : INFINITY, b->u);
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
    const double at = b->list[b->now].at;
    return at < t - CT_RUN_PART * r->plan.step ? at : t;
}

// Breaks that lie at time t, but for rounding: number of the first one behind them.
static int behind(const ct_runner *r, double t, unsigned *kinds) {
    const ct_breaks *b = &r->breaks;
    int k = b->now;
    *kinds = 0;
    for (; k < b->n && b->list[k].at <= t + CT_RUN_PART * r->plan.step; k++)
        *kinds |= b->list[k].kinds;
    return k;
}

double ct_breaks_before(const ct_runner *r, double t) {
    enum { ROUNDINGS = 8 }; // of times that are added up from steps
    unsigned kinds;
    if (behind(r, t, &kinds) == r->breaks.now || !(kinds & CT_BREAK_EVENT)) return t;
    const double at = fmin(t, r->breaks.list[r->breaks.now].at);
    return at - ROUNDINGS * DBL_EPSILON * fabs(at);
}

unsigned ct_breaks_pass(ct_runner *r) {
    ct_breaks *b = &r->breaks;
    unsigned kinds;
    const int next = behind(r, r->sim.t, &kinds);
    if (b->now == next) return 0;
    b->now = next;
    kinds &= CT_BREAK_EVENT;
    // rounding does not leave the state before the event
    if (kinds) r->sim.t = fmax(r->sim.t, b->list[next - 1].at);
    for (int i = 0; i < b->model->n_inputs && b->model->signals; i++) {
        if (!i) evaluate(b, r->sim.t);
        if (b->u[i] != r->sim.u[i]) kinds |= CT_BREAK_INPUT;
    }
    r->sim.history = 0;
    return kinds;
}
