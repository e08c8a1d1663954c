// The measurement: rounds in which every approach is timed once; the best time of each counts. A
// disturbance of the machine then meets all approaches alike.
#include "measure/bench.h"
#include "closure/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 5, MOST_ROUNDS = 400 };
static const double ENOUGH = 4;        // seconds of measuring, unless the caller says
static const double LONGEST = 1;       // seconds of motion, unless the caller says
static const double STEP = 1e-3;       // seconds, at most, unless the caller says
static const double MOST_STEPS = 1e7;  // steps: their path is stored
static const double BEFORE_END = 0.9;  // of the time to where the closure ends
static const double STANDSTILL = 1e-3; // radians or lengths: a way this short is no motion
static const double ASTRAY = 0.1;      // of the way of a coordinate: ended on another branch

static const ct_bench_plan plans[] = {
    {"triangular", CT_BENCH_CLOSED, 0, 0},
    {"newton-loops 1e-3", CT_BENCH_LOOPS, 1e-3, 0},
    {"newton-loops 1e-6", CT_BENCH_LOOPS, 1e-6, 0},
    {"newton 1e-3", CT_BENCH_NEWTON, 1e-3, 0},
    {"newton 1e-6", CT_BENCH_NEWTON, 1e-6, 0},
    {"newton dense 1e-3", CT_BENCH_NEWTON_DENSE, 1e-3, 0},
    {"newton dense 1e-6", CT_BENCH_NEWTON_DENSE, 1e-6, 0},
    {"baumgarte", CT_BENCH_ALL, 0, CT_BENCH_BAUMGARTE},
    {"baumgarte dense", CT_BENCH_KERNEL, 0, CTK_BAUMGARTE},
    {"penalty", CT_BENCH_ALL, 0, CT_BENCH_PENALTY},
    {"penalty dense", CT_BENCH_KERNEL, 0, CTK_PENALTY},
    {"augmented", CT_BENCH_ALL, 0, CT_BENCH_AUGMENTED},
    {"augmented dense", CT_BENCH_KERNEL, 0, CTK_AUGMENTED},
    {"simulate triangular", CT_BENCH_KERNEL, 0, CTK_TRIANGULAR},
    {"simulate newton-loops", CT_BENCH_KERNEL, 0, CTK_NEWTON_LOOPS},
    {"simulate newton", CT_BENCH_KERNEL, 0, CTK_NEWTON},
    {"simulate partition", CT_BENCH_KERNEL, 0, CTK_PARTITION},
    {"simulate global", CT_BENCH_NATURAL, 0, CTK_GLOBAL},
};
enum { PLANS = sizeof plans / sizeof *plans };

typedef struct bench {
    ct_bench_result public;
    ct_bench_approach approaches[PLANS];
    ct_arena notes;
    ct_context *ctx;
    ct_system *s;
    const ct_bench_options *options;
    ct_bench_run run;
    bool can[PLANS], timed[PLANS][2];      // [..][1]: positions along the path
    double best[PLANS][2][CT_BENCH_PARTS]; // seconds
} bench;

void ct_bench_options_init(ct_bench_options *options) {
    *options = (ct_bench_options){.time = -1, .step = -1, .seconds = -1, .error = -1};
}

void ct_bench_free(ct_bench_result *result) {
    if (!result) return;
    ct_arena_free(&((bench *)result)->notes);
    ct_free(result);
}

static void release(ct_bench_result *result) {
    ct_arena_release(&((bench *)result)->notes);
    ct_release(result);
}

// runs -------------------------------------------------------------------------------------------
static bool is_by_kernel(const ct_bench_plan *plan) {
    return plan->kind == CT_BENCH_KERNEL || plan->kind == CT_BENCH_NATURAL;
}

static bool closes_positions(const ct_bench_plan *plan) {
    return plan->kind != CT_BENCH_ALL && !is_by_kernel(plan);
}

static bool carry_out(bench *b, const ct_bench_plan *plan, bool along, bool record,
                      double *residual) {
    ct_bench_run *r = &b->run;
    bool penalty = plan->kind == CT_BENCH_ALL && plan->method == CT_BENCH_PENALTY;
    r->k[0] = penalty ? 2 * r->options.zeta * r->options.omega : 2 * r->options.alpha;
    r->k[1] = penalty ? r->options.omega * r->options.omega : r->options.beta * r->options.beta;
    return ct_bench_carry_out(r, plan, along, record, residual);
}

static bool applies(const bench *b, const ct_bench_plan *plan) {
    const ct_bench_code *code = &b->run.code;
    bool moves = b->public.freedoms > 0;
    switch (plan->kind) {
    case CT_BENCH_LOOPS: return code->can_loops;
    case CT_BENCH_NEWTON: return code->can_newton;
    case CT_BENCH_NEWTON_DENSE: return code->rows != NULL;
    case CT_BENCH_ALL: return moves && code->can_index1[plan->method];
    case CT_BENCH_KERNEL: return moves;
    case CT_BENCH_NATURAL: return moves && b->run.natural.loaded.model;
    default: return true;
    }
}

// Why an approach was not tried.
static const char *reason(const bench *b, const ct_bench_plan *plan) {
    bool own = plan->kind != CT_BENCH_CLOSED && !is_by_kernel(plan);
    if (plan->kind == CT_BENCH_NATURAL && !b->run.natural.loaded.model)
        return "implicit integrators do not run this model";
    return own && b->run.loaded.why ? "its code needs a compiler"
           : b->public.freedoms > 0 ? "its equations are singular at the initial position"
                                    : "the motions leave no freedom: nothing to integrate";
}

// Adds a remark to approach i.
static void note(bench *b, int i, const char *text) {
    ct_bench_approach *a = b->approaches + i;
    a->note =
        ct_arena_format(&b->notes, "%s%s%s", a->note ? a->note : "", a->note ? "; " : "", text);
}

// Returns true if the run ends where the first one did, within a tenth of the way of a coordinate:
// a run on another branch does not.
static bool same_end(const bench *b, const ct_bench_plan *plan) {
    const ct_bench_run *r = &b->run;
    const int n = r->closure->r;
    for (int j = 0; j < n && !is_by_kernel(plan); j++) {
        double first = r->path[j], end = r->path[r->steps * n + j], most = STANDSTILL;
        for (long k = 0; k <= r->steps; k++) most = fmax(most, fabs(r->path[k * n + j] - first));
        double here = plan->kind == CT_BENCH_ALL ? r->q[r->closure->independent[j]] : r->qi[j];
        if (!(fabs(here - end) <= ASTRAY * most + 2 * r->h * fabs(r->qdi[j]))) return false;
    }
    return true;
}

static void note_failure(bench *b, int i) {
    const ct_bench_run *r = &b->run;
    b->can[i] = false;
    note(b, i,
         ct_scratch_format("fails at t = %.4g: %s", r->when,
                           r->why ? r->why : "the motion is not finite"));
}

// Shortens the motion to BEFORE_END of the time at which the closure fails.
static void shorten(bench *b) {
    ct_bench_run *r = &b->run;
    enum { FEWEST = 20 };
    double residual;
    if (carry_out(b, plans, b->public.freedoms == 0, false, &residual)) return;
    long steps = (long)(BEFORE_END * r->when / r->h);
    if (steps < FEWEST) return;
    r->steps = steps;
    b->public.time = r->h * (double)steps;
    note(b, 0,
         ct_scratch_format("measured up to t = %.4g only: at %.4g %s", b->public.time, r->when,
                           r->why ? r->why : "the motion is not finite"));
}

static bool stopped(const bench *b) {
    return b->options->stop && *b->options->stop;
}

// One run of each approach, not timed: it shows whether the approach works, its largest |Phi| and
// its iterations. The first one that closes positions records the path.
static ct_status try_all(bench *b) {
    ct_bench_run *r = &b->run;
    bool along = b->public.freedoms == 0, recorded = along;
    // a driven motion has its path from the start
    shorten(b);
    for (int i = 0; i < PLANS; i++) {
        const ct_bench_plan *p = plans + i;
        double residual;
        if (stopped(b)) return CT_INTERRUPTED;
        ct_report(b->ctx, "trying each approach", (double)i / PLANS, b->options->stop != NULL);
        if (!applies(b, p)) continue;
        // run with the residual watched
        b->can[i] = carry_out(b, p, along, !recorded && closes_positions(p), &residual);
        if (!b->can[i] || !isfinite(residual)) {
            note_failure(b, i);
            continue;
        }
        // residual, corrections for each step (and loop), end of the motion
        b->approaches[i].max_residual = residual;
        if (closes_positions(p) && p->kind != CT_BENCH_CLOSED)
            b->approaches[i].iterations =
                (double)r->iterations / (double)(r->steps + 1) /
                (p->kind == CT_BENCH_LOOPS ? r->closure->n_constraint_blocks : 1);
        if (p->kind == CT_BENCH_NATURAL)
            b->approaches[i].iterations = (double)r->sim.corrections / (double)r->steps;
        if (recorded && !along && !same_end(b, p))
            note(b, i, "its motion departs from that of the first");
        recorded = recorded || closes_positions(p);
    }
    // without a path there is nothing to measure
    if (recorded) return CT_OK;
    return ct_fail(b->ctx, CT_NUMERICS,
                   "no approach closes the loops with steps of %g s (triangular %s); try a shorter "
                   "--step or --time",
                   r->h, b->approaches[0].note);
}

static void time_one(bench *b, int i) {
    const ct_bench_plan *p = plans + i;
    for (int along = 0; along < 2; along++) {
        // the motion, and positions alone along the recorded path
        if (along ? !closes_positions(p) : b->public.freedoms == 0) continue;
        bool first = !b->timed[i][along];
        if (!carry_out(b, p, along, false, NULL)) {
            note_failure(b, i);
            return;
        }
        // best time of each part of the run
        for (int k = 0; k < CT_BENCH_PARTS; k++) {
            double seconds = b->run.marks[k + 1] - b->run.marks[k], *best = b->best[i][along] + k;
            if (first || seconds < *best) *best = seconds;
        }
        b->timed[i][along] = true;
    }
}

// milliseconds for each simulated second
static double best_time(const bench *b, int i, int along) {
    double sum = 0;
    for (int k = 0; k < CT_BENCH_PARTS; k++) sum += b->best[i][along][k];
    return b->timed[i][along] ? 1e3 * sum / (b->run.h * (double)(b->run.steps + 1)) : NAN;
}

static ct_status measure(bench *b) {
    const ct_bench_options *o = b->options;
    double start = ct_seconds(), enough = o->seconds >= 0 ? o->seconds : ENOUGH;
    int least = o->seconds >= 0 ? 1 : LEAST_ROUNDS;
    // rounds until the time is used up, a few at least
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double passed = ct_seconds() - start;
        if (round >= least && passed > enough) break;
        for (int i = 0; i < PLANS; i++) {
            if (stopped(b)) return CT_INTERRUPTED;
            if (b->can[i]) time_one(b, i);
        }
        ct_report(b->ctx, "measuring", fmin(passed / enough, (double)round / least),
                  o->stop != NULL);
    }
    return CT_OK;
}

// results ----------------------------------------------------------------------------------------
// Operations of Gaussian elimination of a dense matrix: scaling, elimination, substitution.
static double dense_operations(int n) {
    double count = (double)n * n + 3 * n;
    for (int k = 0; k < n; k++) count += (n - k - 1) * (2.0 * (n - k - 1) + 5) + 1;
    return count;
}

// Operations of an iteration: the first correction, and the others without what stays the same.
static double iterated(const ct_bench_approach *a, ct_operations once, ct_operations more) {
    return ct_operations_total(once) + (a->iterations - 1) * ct_operations_total(more);
}

static void count_operations(const bench *b, const ct_bench_plan *plan, ct_bench_approach *a) {
    const ct_bench_code *code = &b->run.code;
    const ct_closure *c = b->run.closure;
    // iterated positions: values for the dynamics are computed from the coordinates
    double rest =
        ct_operations_total(code->place_operations) + ct_operations_total(c->dynamics_operations);
    // operations of the positions
    switch (plan->kind) {
    case CT_BENCH_CLOSED:
        a->kinematic_operations = ct_operations_total(c->position_operations);
        rest = ct_operations_total(c->dynamics_operations);
        break;
    case CT_BENCH_LOOPS:
        a->kinematic_operations = iterated(a, code->loops_once, code->loops_more);
        break;
    case CT_BENCH_NEWTON:
        a->kinematic_operations = iterated(a, code->newton_once, code->newton_more);
        break;
    case CT_BENCH_NEWTON_DENSE:
        a->kinematic_operations = a->iterations * (ct_operations_total(code->rows_operations) +
                                                   dense_operations(b->run.model->m));
        break;
    // all coordinates at once: positions are not solved
    case CT_BENCH_ALL:
        a->dynamic_operations = ct_operations_total(code->index1_operations[plan->method]);
        return;
    case CT_BENCH_KERNEL:
    case CT_BENCH_NATURAL: return;
    }
    // a step of motion: positions, then accelerations
    if (b->public.freedoms > 0) a->dynamic_operations = a->kinematic_operations + rest;
}

static void start_results(bench *b) {
    b->public.approaches = b->approaches;
    b->public.n = PLANS;
    for (int i = 0; i < PLANS; i++)
        b->approaches[i] = (ct_bench_approach){.name = plans[i].name,
                                               .kinematic_ms_per_s = NAN,
                                               .dynamic_ms_per_s = NAN,
                                               .max_residual = NAN,
                                               .kinematic_ratio = NAN,
                                               .dynamic_ratio = NAN,
                                               .iterations = NAN,
                                               .kinematic_operations = NAN,
                                               .dynamic_operations = NAN};
}

static void finish_results(bench *b) {
    const ct_bench_approach *first = b->approaches;
    char *name = ct_model_identifier(b->s->model);
    for (int i = 0; i < PLANS; i++) {
        ct_bench_approach *a = b->approaches + i;
        // times, and ratios to the closure; what was published for the mechanism
        a->dynamic_ms_per_s = best_time(b, i, 0);
        a->kinematic_ms_per_s = best_time(b, i, 1);
        a->kinematic_ratio = a->kinematic_ms_per_s / first->kinematic_ms_per_s;
        a->dynamic_ratio = a->dynamic_ms_per_s / first->dynamic_ms_per_s;
        b->public.published = ct_published_ratios(name, a->name, &a->published_kinematic_ratio,
                                                  &a->published_dynamic_ratio);
        // operations, or the reason why there is no time
        if (b->can[i])
            count_operations(b, plans + i, a);
        else if (!a->note)
            note(b, i, reason(b, plans + i));
    }
    int n = b->run.closure->n_iterated;
    if (n > 0) note(b, 0, ct_scratch_format("%d unknown%s iterated", n, n == 1 ? " is" : "s are"));
    ct_free(name);
}

static ct_status set_times(bench *b) {
    const ct_bench_options *o = b->options;
    const ct_settings *m = &b->s->model->settings;
    double time = m->time > 0 ? fmin(m->time, LONGEST) : LONGEST;
    double h = m->step > 0 ? fmin(m->step, STEP) : STEP;
    if (o->time > 0) time = o->time;
    if (o->step > 0) h = o->step;
    double steps = fmax(1, round(time / h));
    if (!(steps <= MOST_STEPS))
        return ct_fail(b->ctx, CT_USAGE, "%g s in steps of %g s are more than 10^7 steps", time, h);
    b->run.h = b->public.step = h;
    b->run.steps = (long)steps;
    b->public.time = h * steps;
    return CT_OK;
}

static CT_BELOW ct_status compare(ct_context *ctx, ct_system *s, const ct_bench_options *options,
                                  ct_bench_result **result) {
    bench *b = ct_alloc(1, sizeof *b);
    b->ctx = ctx;
    b->s = s;
    b->options = options;
    // duration and closure
    start_results(b);
    ct_status status = set_times(b);
    s->in_angles = true; // as all approaches were published
    if (!status) status = ct_close_named(ctx, s, options->n_independent, options->independent);
    // only mechanisms with loops
    if (!status && !ct_system_state(s)->m)
        status = ct_fail(ctx, CT_WRONG_MODEL,
                         "'%s' has no loops to close: there is nothing to compare", s->model->name);
    if (!status) {
        // code of all approaches
        b->run.s = s;
        b->run.closure = ct_system_closure(s);
        b->public.freedoms = b->run.closure->r;
        b->public.triangular = b->run.closure->triangular;
        status = ct_bench_prepare(ctx, &b->run);
    }
    // each once, then timed
    if (!status) status = try_all(b);
    if (!status) status = measure(b);
    if (!status) finish_results(b);
    ct_bench_release(&b->run);
    if (status) {
        ct_bench_free(&b->public);
        b = NULL;
    }
    *result = b ? &b->public : NULL;
    return status;
}

ct_status ct_bench(ct_context *ctx, ct_system *s, const ct_bench_options *options,
                   ct_bench_result **result) {
    CT_CALL_GIVES(ctx, &s->memory, result, release, compare(ctx, s, options, result));
}
