// Runs a simulation or a driven motion: checks the target first, streams the rows to it, stops on
// Ctrl-C with the complete rows kept, and prints rows, residual, energy drift and time.
#include "run.h"
#include "output/memory.h"
#include "output/csv.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

typedef struct recording {
    output out;
    bool writing; // --json without -o writes no rows
    int columns;
    const char *const *names;
    long rows;
    double time; // of the last row
} recording;

static bool writing_failed(const recording *r) {
    return r->writing && ferror(r->out.file);
}

static int take_row(void *data, int n, const double *values) {
    recording *r = data;
    bool first = r->rows++ == 0;
    r->time = values[0];
    if (!r->writing) return 0;
    if (first) csv_header(r->out.file, r->columns, r->names);
    csv_row(r->out.file, n, values);
    return writing_failed(r);
}

void run_options_from(ct_run_options *options, const arguments *a) {
    ct_run_options_init(options);
    options->time = a->time;
    options->step = a->step;
    options->output_step = a->output_step;
    options->method = a->method ? a->method : a->driven;
    options->integrator = a->integrator;
    options->alpha = a->alpha;
    options->beta = a->beta;
    options->penalty = a->penalty;
    options->zeta = a->zeta;
    options->omega = a->omega;
    options->rtol = a->rtol;
    options->atol = a->atol;
}

// Opens the target; the header comes with the first row, so that a run that cannot start writes
// nothing.
static int start_recording(recording *r, const arguments *a, session *s, bool kinematics) {
    r->rows = 0;
    r->writing = a->output || !a->json;
    if (!r->writing) return 0;
    int code = output_open(&r->out, a->output);
    if (code) return code;
    r->columns = ct_result_columns(s->system, kinematics, &r->names);
    if (r->columns < 0) no_memory();
    return 0;
}

static void write_json(const arguments *a, const recording *r, const ct_run_summary *summary,
                       bool kinematics) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_number(&j, "time", summary->time);
    ct_json_number(&j, "steps", (double)summary->steps);
    ct_json_number(&j, "seconds", summary->seconds);
    ct_json_number(&j, "max_residual", summary->max_residual);
    ct_json_string(&j, "method", summary->method);
    if (!kinematics) {
        ct_json_number(&j, "energy_drift", summary->energy_drift);
        ct_json_number(&j, "local_error", summary->local_error);
        ct_json_string(&j, "integrator", summary->integrator);
        ct_json_number(&j, "limits", summary->limits);
        ct_json_number(&j, "branch_changes", summary->branch_changes);
    }
    ct_json_boolean(&j, "interrupted", summary->interrupted);
    ct_json_number(&j, "rows", (double)r->rows);
    ct_json_string(&j, "file", a->output);
    ct_json_end(&j);
}

static void write_summary(const arguments *a, const session *s, const recording *r,
                          const ct_run_summary *summary, bool kinematics) {
    const char *name = ct_model_name(s->model);
    fprintf(stderr, "%s: %g s in %ld steps", name && *name ? name : a->file, summary->time,
            summary->steps);
    if (kinematics)
        fprintf(stderr, ", driven, method %s", summary->method);
    else
        fprintf(stderr, ", method %s, integrator %s", summary->method, summary->integrator);
    fprintf(stderr, "\n  largest residual of the loops %.2g", summary->max_residual);
    if (!kinematics && isfinite(summary->energy_drift))
        fprintf(stderr, ", energy drift %.2g", summary->energy_drift);
    if (summary->limits)
        fprintf(stderr, "\n  close to a limit position %d time%s, %d time%s on to another branch",
                summary->limits, summary->limits == 1 ? "" : "s", summary->branch_changes,
                summary->branch_changes == 1 ? "" : "s");
    fprintf(stderr, "\n  %.3g s of computing", summary->seconds);
    if (summary->seconds > 0 && summary->time > 0)
        fprintf(stderr, ", %.3g times real time", summary->time / summary->seconds);
    fprintf(stderr, "; %ld rows", r->rows);
    if (a->output) fprintf(stderr, " in %s", a->output);
    fputc('\n', stderr);
    if (a->output && r->rows > 1) report_next(a, "cotree plot %O");
}

// Keeps the rows of a run that reached its end, was stopped, or whose numerics failed after the
// first; else nothing is left. Returns the exit code that follows from writing.
static int finish_recording(recording *r, const arguments *a, ct_status status,
                            const ct_run_summary *summary) {
    int code = 0;
    if (status == CT_INTERRUPTED && r->rows == 0) { // before the run
        if (r->writing) output_discard(&r->out);
        progress_say_stopped();
        return 0;
    }
    // rows are kept where there are complete ones
    bool cut_short = status == CT_NUMERICS && r->rows > 0;
    if (r->writing && (status == CT_OK || status == CT_INTERRUPTED || cut_short))
        code = output_commit(&r->out);
    else if (r->writing)
        output_discard(&r->out);
    // what is kept, and up to when
    if (status == CT_INTERRUPTED && !code) {
        fprintf(stderr, "cotree: stopped at t = %g s", summary->time);
        if (r->writing) fprintf(stderr, "; the %ld rows so far are kept", r->rows);
        if (r->writing && a->output) fprintf(stderr, " in %s", a->output);
        fputc('\n', stderr);
    }
    if (cut_short && r->writing && !code && !a->quiet) {
        fprintf(stderr, "cotree: the %ld row%s up to t = %g s %s kept", r->rows,
                r->rows == 1 ? "" : "s", r->time, r->rows == 1 ? "is" : "are");
        if (a->output) fprintf(stderr, " in %s", a->output);
        fputc('\n', stderr);
    }
    return code;
}

// The run itself; *code is not 0 when writing failed or the reader went away.
static ct_status record(recording *r, const arguments *a, session *s, run_function *run,
                        ct_run_summary *summary, int *code) {
    // rows go to the target; no bar where they go to the terminal
    ct_run_options options;
    run_options_from(&options, a);
    options.row = take_row;
    options.row_data = r;
    bool to_terminal = r->writing && !a->output && isatty(STDOUT_FILENO);
    options.stop = progress_begin(s->ctx, a, !to_terminal);
    // the run, stopped by Ctrl-C
    ct_status status = run(s->ctx, s->system, &options, summary);
    progress_end(s->ctx);
    if (status == CT_OK && summary->interrupted) status = CT_INTERRUPTED;
    if (status == CT_INTERNAL && *options.stop &&
        !writing_failed(r)) { // Ctrl-C ended the compiler too
        ct_messages_clear(s->ctx);
        status = CT_INTERRUPTED;
    }
    if (writing_failed(r)) { // not the library's fault, so not its message
        ct_messages_clear(s->ctx);
        output_error(&r->out);
        *code = r->out.failed ? CT_INTERNAL : 0;
        output_discard(&r->out);
        r->writing = false;
        return CT_OK;
    }
    // rows are kept or dropped
    *code = finish_recording(r, a, status, summary);
    return status;
}

int run_and_report(const arguments *a, run_function *run, bool kinematics) {
    session s;
    recording r;
    ct_run_summary sum = {.energy_drift = NAN};
    // the target before any work; then the model
    int code = output_check(a->output, a->file);
    if (code) return code;
    ct_status status = session_open(&s, a);
    if (status != CT_OK) return session_close(&s, status);
    // rows as they come
    code = start_recording(&r, a, &s, kinematics);
    if (code) {
        session_close(&s, CT_OK);
        return code;
    }
    bool was_writing = r.writing;
    status = record(&r, a, &s, run, &sum, &code);
    // summary, unless rows could not be written
    bool ended = status == CT_OK || status == CT_INTERRUPTED;
    bool cut_off = was_writing && !r.writing; // broken pipe or full disk
    if (ended && !code && !cut_off) {
        session_messages(&s);
        if (a->json)
            write_json(a, &r, &sum, kinematics);
        else if (!a->quiet)
            write_summary(a, &s, &r, &sum, kinematics);
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
