// Runs with Euler's method, one function for each kind of approach. The loops hold the approach
// alone: no output, and no check that the approach does not need.
#include "measure/bench.h"
#include "run/tolerances.h"

#include "kernel/inline/ctk_small.h"
#include "model/inputs/signals.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 }; // corrections: Newton converges in fewer, or not at all

static bool fail(ct_bench_run *r, long step, const char *why) {
    r->why = why;
    r->when = (double)step * r->h;
    return false;
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n && !isnan(most); i++) // NaN wins
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

static void measure(ct_bench_run *r, double t, double *residual) {
    const ctk_model *m = r->model;
    m->position(r->c, t, r->q, r->u, r->x, r->dense);
    double most = largest(m->m, r->x);
    if (!(most <= *residual)) *residual = most;
}

// The time of a step, with the inputs there.
static double time_of(ct_bench_run *r, long step) {
    if (r->s->model->signals) r->u = r->inputs + step * 3 * r->s->model->n_inputs;
    return (double)step * r->h;
}

// positions --------------------------------------------------------------------------------------
// Start values: the parabola through the last three positions.
static void carry_on(double *x, double *before, double *older) {
    double now = *x;
    *x = now + 2 * (now - *before) - (*before - *older);
    *older = *before;
    *before = now;
}

static void extrapolate(ct_bench_run *r) {
    const ct_closure *c = r->closure;
    for (int i = 0; i < c->n_dependent; i++) {
        int d = c->dependent[i];
        carry_on(r->q + d, r->before + d, r->older + d);
    }
}

static bool closed(ct_bench_run *r, double t) {
    const ctk_closure *k = r->model->closure;
    for (int i = 0; i < k->n_tracked - k->n_carried; i++)
        carry_on(r->w + i, r->w_before + i, r->w_older + i);
    return !k->positions(r->c, t, r->qi, r->u, r->b, r->w, r->v, r->g);
}

// Newton's iteration on all loops from the last position, dense, with pivots chosen at run time, as
// in the publication that it is compared with.
static bool newton_dense(ct_bench_run *r, double t, double tolerance) {
    const int m = r->model->m, *d = r->closure->dependent;
    double determinant;
    for (int k = 0; k < ITERATIONS; k++) {
        r->code.rows(r->bench_c, t, r->q, r->u, r->x, r->dense);
        if (!ctk_small_solve(m, 1, r->dense, r->x, &determinant)) return false;
        for (int i = 0; i < m; i++) r->q[d[i]] -= r->x[i];
        r->iterations++;
        if (largest(m, r->x) <= tolerance) return true;
    }
    return false;
}

static bool iterate(ct_bench_run *r, const ct_bench_plan *plan, double t) {
    const ct_closure *c = r->closure;
    for (int j = 0; j < c->r; j++) r->q[c->independent[j]] = r->qi[j];
    if (plan->kind == CT_BENCH_NEWTON_DENSE) return newton_dense(r, t, plan->tolerance);
    extrapolate(r);
    ct_bench_iteration *solve = plan->kind == CT_BENCH_LOOPS ? r->code.loops : r->code.newton;
    int corrections = solve(r->bench_c, t, r->q, r->u, plan->tolerance);
    r->iterations += corrections;
    return corrections > 0;
}

static bool positions(ct_bench_run *r, const ct_bench_plan *plan, double t) {
    return plan->kind == CT_BENCH_CLOSED ? closed(r, t) : iterate(r, plan, t);
}

// All coordinates and rates of a closed position; iterated positions have their coordinates in q.
static bool expansion(ct_bench_run *r, const ct_bench_plan *plan, double t) {
    return plan->kind != CT_BENCH_CLOSED ||
           !r->model->closure->expansion(r->c, t, r->qi, r->qdi, r->qddi, r->u, r->b, r->w, r->v,
                                         r->q, r->qd, r->qdd);
}

// motion -----------------------------------------------------------------------------------------
static void start(ct_bench_run *r) {
    const ct_closure *c = r->closure;
    const ctk_model *m = r->model;
    size_t n = (size_t)m->n;
    time_of(r, 0);
    memcpy(r->q, m->q0, n * sizeof(double));
    memcpy(r->qd, m->qd0, n * sizeof(double));
    for (int j = 0; j < c->r; j++) {
        r->qi[j] = m->q0[c->independent[j]];
        r->qdi[j] = m->qd0[c->independent[j]];
        r->qddi[j] = 0;
    }
    // two positions before the first one
    for (size_t k = 0; k < n; k++) r->before[k] = m->q0[k] - r->h * r->qd[k];
    for (size_t k = 0; k < n; k++) r->older[k] = m->q0[k] - 2 * r->h * r->qd[k];
    m->closure->place(r->c, 0, r->before, r->u, r->v, r->w_before);
    m->closure->place(r->c, 0, r->older, r->u, r->v, r->w_older);
    m->closure->read(r->c, 0, r->q, r->u, r->v, r->w, r->b);
    r->iterations = 0;
    r->why = NULL;
}

// Steps first .. last - 1 of a run.
typedef bool part(ct_bench_run *r, const ct_bench_plan *plan, long first, long last, bool record,
                  double *residual);

// Positions alone, along the path.
static bool along_path(ct_bench_run *r, const ct_bench_plan *plan, long first, long last,
                       bool record, double *residual) {
    const int n = r->closure->r;
    (void)record;
    for (long k = first; k < last; k++) {
        double t = time_of(r, k);
        memcpy(r->qi, r->path + k * n, (size_t)n * sizeof *r->qi);
        if (!positions(r, plan, t)) return fail(r, k, "the loops do not close");
        if (residual && !expansion(r, plan, t)) return fail(r, k, "the rates cannot be found");
        if (residual) measure(r, t, residual);
    }
    return true;
}

static bool dynamics(ct_bench_run *r, const ct_bench_plan *plan, long first, long last, bool record,
                     double *residual) {
    const ctk_closure *closure = r->model->closure;
    const double h = r->h;
    const int n = r->closure->r;
    for (long k = first; k < last; k++) {
        double t = time_of(r, k);
        if (record) memcpy(r->path + k * n, r->qi, (size_t)n * sizeof *r->qi);
        if (!positions(r, plan, t)) return fail(r, k, "the loops do not close");
        if (plan->kind != CT_BENCH_CLOSED) r->code.place(r->bench_c, t, r->q, r->u, r->v, r->w);
        if (closure->dynamics(r->c, t, r->qi, r->qdi, r->u, r->b, r->w, r->v, r->qddi, NULL))
            return fail(r, k, "the equations of motion are singular");
        if (residual && !expansion(r, plan, t)) return fail(r, k, "the rates cannot be found");
        if (residual) measure(r, t, residual);
        for (int j = 0; j < n; j++) {
            r->qi[j] += h * r->qdi[j];
            r->qdi[j] += h * r->qddi[j];
        }
    }
    return isfinite(largest(n, r->qi)) || fail(r, last, "the motion is not finite");
}

static bool all_coordinates(ct_bench_run *r, const ct_bench_plan *plan, long first, long last,
                            bool record, double *residual) {
    const int n = r->model->n;
    const double h = r->h;
    ct_bench_accelerations *accelerations = r->code.index1[plan->method];
    (void)record;
    for (long k = first; k < last; k++) {
        double t = time_of(r, k);
        accelerations(r->bench_c, t, r->q, r->qd, r->u, r->k, r->qdd);
        if (residual) measure(r, t, residual);
        for (int j = 0; j < n; j++) {
            r->q[j] += h * r->qd[j];
            r->qd[j] += h * r->qdd[j];
        }
    }
    return isfinite(largest(n, r->q)) || fail(r, last, "the motion is not finite");
}

static bool blame(ct_bench_run *r, ctk_status status) {
    r->why = ctk_status_text(status);
    r->when = r->sim.t;
    return false;
}

static bool kernel(ct_bench_run *r, const ct_bench_plan *plan, long first, long last, bool record,
                   double *residual) {
    (void)plan, (void)record;
    for (long k = first > 0 ? first : 1; k < last; k++) {
        ctk_status status = ctk_step(&r->sim, r->h);
        if (residual && !status) status = ctk_refresh(&r->sim);
        if (status) return blame(r, status);
        if (residual) *residual = fmax(*residual, r->sim.residual);
    }
    return true;
}

// Inputs as `simulate` has them between steps.
static void inputs_at(void *data, double t, double *u, double *ud, double *udd) {
    const ct_bench_run *r = data;
    const int n = r->s->model->n_inputs;
    ct_signals_at(r->s->model, t, -INFINITY, INFINITY, r->at);
    memcpy(u, r->at, (size_t)n * sizeof *u);
    memcpy(ud, r->at + n, (size_t)n * sizeof *u);
    memcpy(udd, r->at + 2 * n, (size_t)n * sizeof *u);
}

static bool start_kernel(ct_bench_run *r, const ct_bench_plan *plan) {
    ctk_options o = r->options;
    const bool natural = plan->kind == CT_BENCH_NATURAL;
    const ctk_model *model = natural ? r->natural.loaded.model : r->model;
    o.method = (ctk_method)plan->method;
    o.integrator = natural ? CTK_TRAPEZOID : CTK_EULER;
    if (natural) o.implicit.penalty = CT_RUN_PENALTY_GLOBAL;
    o.penalty_iterations = CT_BENCH_PENALTY_ROUNDS;
    o.inputs = r->s->model->signals ? inputs_at : NULL;
    o.inputs_data = r;
    ctk_status status =
        ctk_init(&r->sim, model, &o, NULL, NULL, 0, NULL, NULL,
                 natural ? r->natural.doubles : r->doubles, natural ? r->natural.ints : r->ints);
    return !status || blame(r, status);
}

bool ct_bench_carry_out(ct_bench_run *r, const ct_bench_plan *plan, bool along, bool record,
                        double *residual) {
    const bool by_kernel = plan->kind == CT_BENCH_KERNEL || plan->kind == CT_BENCH_NATURAL;
    part *go = by_kernel                    ? kernel
               : plan->kind == CT_BENCH_ALL ? all_coordinates
               : along                      ? along_path
                                            : dynamics;
    if (residual) *residual = 0;
    start(r);
    bool good = !by_kernel || start_kernel(r, plan);
    for (int p = 0; p < CT_BENCH_PARTS && good; p++) {
        long first = p * (r->steps + 1) / CT_BENCH_PARTS;
        long last = (p + 1) * (r->steps + 1) / CT_BENCH_PARTS;
        r->marks[p] = ct_seconds();
        good = go(r, plan, first, last, record, residual);
    }
    r->marks[CT_BENCH_PARTS] = ct_seconds();
    return good;
}
