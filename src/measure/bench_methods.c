// The methods of `simulate` at one step and at the longest that each of them bears: steps of 1, 2 and
// 5 x 10^k s, and 0.035 s, which was published for a car. A step is borne where the run comes to its end
// and stays near a reference, the run by cvode with a small tolerance. The longest steps are tried first,
// since they take the least time.
#include "measure/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LONGEST = 10;      // seconds of motion, unless the caller or the model says
static const double STEP = 1e-3;       // seconds, the same for all
static const double ERROR = 0.01;      // m or rad that are accepted
static const double FEWEST_STEPS = 10; // of a run
static const double MOST_STEPS = 1e6;  // of a run that is tried
static const double REFERENCE = 1e-9;  // relative tolerance
enum { REFERENCE_ROWS = 8000, MOST_ROWS = REFERENCE_ROWS + 2, TIMES = 5 };
static const double ladder[] = {1,    0.5,  0.2,  0.1,  0.05, 0.035, 0.02, 0.01, 5e-3,
                                2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5,  2e-5, 1e-5};
enum { LADDER = sizeof ladder / sizeof *ladder };

#define X(enumerator, name) name,
static const char *const methods[] = {CT_METHODS(X)};
#undef X
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct bench {
    ct_bench_methods_result public;
    ct_bench_method method[METHODS];
    ct_arena notes;
    ct_context *ctx;
    ct_system *s;
    const ct_bench_options *options;
    // rows of the reference: t, coordinates, their rates
    double *rows, spacing;
    int width, coordinates;
    long n_rows;
    double error; // of the run under way
} bench;

void ct_bench_methods_free(ct_bench_methods_result *result) {
    if (!result) return;
    ct_arena_free(&((bench *)result)->notes);
    ct_free(result);
}

static void release(ct_bench_methods_result *result) {
    ct_arena_release(&((bench *)result)->notes);
    ct_release(result);
}

// Methods whose steps are found by an iteration.
static bool is_implicit(const char *method) {
    static const char *const names[] = {"hybrid", "semi-recursive", "global", "recursive"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], method)) return true;
    return false;
}

static bool stopped(const bench *b) {
    return b->options->stop && *b->options->stop;
}

// True if it ends the measurement; other failures are those of a method.
static bool ends(ct_status status) {
    return status == CT_INTERRUPTED || status == CT_NO_MEMORY;
}

// the reference -----------------------------------------------------------------------------------
static int keep_row(void *data, int n, const double *row) {
    bench *b = data;
    (void)n;
    if (b->n_rows == MOST_ROWS) return 1; // never: rows are those of equal distances
    memcpy(b->rows + b->n_rows * b->width, row, (size_t)b->width * sizeof *row);
    b->n_rows++;
    return 0;
}

// The coordinate in column j at time t: the cubic through two rows with their rates.
static double reference_at(const bench *b, int j, double t) {
    long k = (long)(t / b->spacing);
    if (k > b->n_rows - 2) k = b->n_rows - 2;
    const double *r = b->rows + k * b->width, *next = r + b->width, h = next[0] - r[0];
    const double s = (t - r[0]) / h, way = next[j] - r[j];
    const double before = h * r[j + b->coordinates], behind = h * next[j + b->coordinates];
    return r[j] +
           s * (before + s * (3 * way - 2 * before - behind + s * (before + behind - 2 * way)));
}

static int compare_row(void *data, int n, const double *row) {
    bench *b = data;
    (void)n;
    for (int j = 1; j <= b->coordinates; j++) {
        const double off = fabs(row[j] - reference_at(b, j, row[0]));
        if (!(off <= b->error)) b->error = off;
    }
    return 0;
}

// Coordinates are the columns in front of the first rate.
static void find_columns(bench *b) {
    const char *const *names;
    const int n = ct_result_columns(b->s, false, &names);
    for (int i = 1; i < n && !strchr(names[i], '\''); i++) b->coordinates++;
    b->width = 1 + 2 * b->coordinates;
}

static ct_run_options run_options(const bench *b, const char *method, double step) {
    ct_run_options o;
    ct_run_options_init(&o);
    o.method = method;
    o.integrator = method && is_implicit(method) ? "trapezoid" : "rk4";
    o.time = b->public.time;
    o.step = o.output_step = step;
    o.stop = b->options->stop;
    return o;
}

// By cvode, or where it fails by short steps of the hybrid.
static ct_status find_reference(bench *b) {
    find_columns(b);
    b->spacing = b->public.time / REFERENCE_ROWS;
    // rows come outside of the call, where nothing may be allocated
    b->rows = ct_alloc((size_t)MOST_ROWS * (size_t)b->width, sizeof *b->rows);
    ct_report(b->ctx, "integrating the reference", -1, b->options->stop != NULL);
    ct_status status = CT_OK;
    for (int i = 0; i < 2; i++) {
        ct_run_options o = run_options(b, i ? "hybrid" : NULL, b->spacing);
        if (i == 0) o.integrator = "cvode";
        o.rtol = o.atol = REFERENCE;
        o.row = keep_row;
        o.row_data = b;
        b->n_rows = 0;
        b->public.reference = o.integrator;
        ct_run_summary summary;
        status = ct_simulate(ct_context_quiet(b->ctx), b->s, &o, &summary);
        if (status == CT_OK || ends(status)) return status;
    }
    return ct_fail(b->ctx, CT_NUMERICS,
                   "neither cvode nor hybrid comes to t = %g s: there is nothing to measure errors "
                   "by; try a shorter --time",
                   b->public.time);
}

// runs --------------------------------------------------------------------------------------------
static void note(bench *b, ct_bench_method *m, const char *text) {
    if (!m->note) m->note = ct_arena_format(&b->notes, "%s", text);
}

// The last message of a context without its file and place.
static const char *last_message(const ct_context *ctx) {
    const int n = ct_message_count(ctx);
    const char *line = n ? ct_message(ctx, n - 1) : "it fails", *error = strstr(line, "error: ");
    return error ? error + strlen("error: ") : line;
}

// Code is interpreted until it is compiled: what is timed shall be compiled, and kept.
static ct_status wait_for_code(bench *b, const char *method, double step) {
    const struct timespec moment = {0, 5000000};
    ct_run_options o = run_options(b, method, step);
    ct_runner r;
    ct_status status = ct_runner_open(&r, ct_context_quiet(b->ctx), b->s, &o, false);
    while (!status && ct_load_goes_on(&r.code) && !stopped(b)) {
        ct_load_look(&r.code);
        nanosleep(&moment, NULL);
    }
    ct_runner_close(&r);
    return ends(status) ? status : CT_OK;
}

// One run, its error and the best of some times. Returns CT_OK also where the method fails, with a note
// and without figures.
static ct_status run(bench *b, ct_bench_method *m, double step, ct_bench_figures *f) {
    ct_context *quiet = ct_context_quiet(b->ctx);
    ct_run_options o = run_options(b, m->name, step);
    ct_run_summary summary;
    // rows beside those of the reference
    o.row = compare_row;
    o.row_data = b;
    b->error = 0;
    ct_status status = ct_simulate(quiet, b->s, &o, &summary);
    if (ends(status)) return status;
    if (status) {
        note(b, m, last_message(quiet));
        return CT_OK;
    }
    *f = (ct_bench_figures){.step = step,
                            .ms_per_s = INFINITY,
                            .error = b->error,
                            .energy_drift = summary.energy_drift,
                            .max_residual = summary.max_residual,
                            .iterations = summary.iterations};
    // times, without rows
    o.row = NULL;
    o.output_step = b->public.time;
    for (int i = 0; i < TIMES && !status; i++) {
        status = ct_simulate(quiet, b->s, &o, &summary);
        f->ms_per_s = fmin(f->ms_per_s, 1e3 * summary.seconds / b->public.time);
    }
    return ends(status) ? status : CT_OK;
}

static const ct_bench_figures none = {NAN, NAN, NAN, NAN, NAN, NAN};

static ct_status measure(bench *b, ct_bench_method *m) {
    const double time = b->public.time;
    ct_status status = wait_for_code(b, m->name, b->public.step);
    if (!status) status = run(b, m, b->public.step, &m->same);
    const char *why = m->note;
    for (int i = 0; i < LADDER && !status && !stopped(b); i++) {
        if (ladder[i] * FEWEST_STEPS > time || time > ladder[i] * MOST_STEPS) continue;
        ct_bench_figures f = none;
        status = run(b, m, ladder[i], &f);
        if (status || !(f.error <= b->public.error)) continue;
        m->longest = f;
        break;
    }
    // what fails at longer steps alone needs no note
    m->note = isfinite(m->same.error) ? NULL : why;
    if (!isfinite(m->longest.error) && !m->note)
        note(b, m, ct_scratch_format("no step has an error below %g", b->public.error));
    return stopped(b) ? CT_INTERRUPTED : status;
}

static CT_BELOW ct_status compare(ct_context *ctx, ct_system *s, const ct_bench_options *options,
                                  ct_bench_methods_result **result) {
    bench *b = ct_alloc(1, sizeof *b);
    const ct_settings *settings = &s->model->settings;
    b->ctx = ctx;
    b->s = s;
    b->options = options;
    b->public =
        (ct_bench_methods_result){.n = METHODS,
                                  .methods = b->method,
                                  .time = options->time > 0    ? options->time
                                          : settings->time > 0 ? fmin(settings->time, LONGEST)
                                                               : LONGEST,
                                  .step = options->step > 0    ? options->step
                                          : settings->step > 0 ? settings->step
                                                               : STEP,
                                  .error = options->error > 0 ? options->error : ERROR};
    // motions that leave no freedom need no integrator
    ct_status status = find_reference(b);
    for (int i = 0; i < METHODS && !status; i++) {
        ct_report(ctx, "measuring", (double)i / METHODS, options->stop != NULL);
        b->method[i] =
            (ct_bench_method){.name = methods[i],
                              .integrator = is_implicit(methods[i]) ? "trapezoid" : "rk4",
                              .same = none,
                              .longest = none};
        status = measure(b, b->method + i);
    }
    ct_free(b->rows);
    b->rows = NULL;
    if (status) {
        ct_bench_methods_free(&b->public);
        b = NULL;
    }
    *result = b ? &b->public : NULL;
    return status;
}

ct_status ct_bench_methods(ct_context *ctx, ct_system *s, const ct_bench_options *options,
                           ct_bench_methods_result **result) {
    CT_CALL_GIVES(ctx, &s->memory, result, release, compare(ctx, s, options, result));
}
