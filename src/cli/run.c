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
    // times, method and integrator
    ct_run_options_init(options);
    options->time = a->time;
    options->step = a->step;
    options->output_step = a->output_step;
    options->method = a->method ? a->method : a->driven;
    options->integrator = a->integrator;
    // numbers of methods and integrators
    options->alpha = a->alpha;
    options->beta = a->beta;
    options->penalty = a->penalty;
    options->zeta = a->zeta;
    options->omega = a->omega;
    options->rtol = a->rtol;
    options->atol = a->atol;
    options->iterations = a->iterations;
    options->fixed = a->fixed;
    options->tolerance = a->tolerance;
    options->rho = a->rho;
    options->hht = a->hht;
    options->tangent = a->tangent;
    options->events = a->events;
    // forces
    options->reactions = a->reactions;
    if (a->command == COMMAND_inverse) {
        options->reactions = "";
        options->drives = true;
    }
}

// Leads the system to its equilibrium, where that is asked for.
static ct_status start_at_rest(const arguments *a, session *s) {
    if (!a->equilibrium) return CT_OK;
    ct_equilibrium_options options;
    ct_equilibrium_options_init(&options);
    progress_begin(s->ctx, a, true);
    ct_status status = ct_equilibrium_start(s->ctx, s->system, &options);
    progress_end(s->ctx);
    return status;
}

// Opens the target; the header comes with the first row, so that a run that cannot start writes
// nothing.
static int start_recording(recording *r, const arguments *a, session *s, run_kind kind) {
    r->rows = 0;
    r->writing = a->output || !a->json;
    if (!r->writing) return 0;
    int code = output_open(&r->out, a->output);
    if (code) return code;
    ct_run_options options;
    run_options_from(&options, a);
    r->columns = ct_run_columns(s->ctx, s->system, &options, kind != RUN_SIMULATE, &r->names);
    if (r->columns < 0 && !ct_message_count(s->ctx)) no_memory();
    if (r->columns < 0) output_discard(&r->out);
    return r->columns < 0 ? CT_USAGE : 0;
}

// Sizes of efforts and reactions over the run.
static void write_ranges(ct_json *j, const ct_run_summary *summary) {
    // efforts, then joints and couplings
    ct_json_object(j, "forces");
    for (int i = 0; i < summary->n_efforts; i++) {
        const ct_effort_range *e = summary->efforts + i;
        ct_json_object(j, e->name);
        ct_json_number(j, "min", e->min);
        ct_json_number(j, "max", e->max);
        ct_json_number(j, "rms", e->rms);
        ct_json_number(j, "peak_power", e->peak_power);
        ct_json_end(j);
    }
    ct_json_end(j);
    ct_json_object(j, "reactions");
    for (int i = 0; i < summary->n_reactions; i++) {
        const ct_reaction_range *x = summary->reactions + i;
        ct_json_object(j, x->name);
        if (x->is_coupling) {
            ct_json_number(j, "max_lambda", x->max_lambda);
        } else {
            ct_json_number(j, "max_force", x->max_force);
            ct_json_number(j, "max_moment", x->max_moment);
            ct_json_array(j, "unique");
            for (int k = 0; k < 6; k++) ct_json_boolean(j, NULL, x->unique[k]);
            ct_json_end(j);
        }
        ct_json_end(j);
    }
    ct_json_end(j);
    if (summary->overactuated) ct_json_number(j, "overactuated", summary->overactuated);
}

// Joints that have come and gone.
static void write_events(ct_json *j, const ct_run_summary *summary) {
    ct_json_number(j, "events", summary->n_events);
    ct_json_number(j, "impact_loss", summary->impact_loss);
    ct_json_number(j, "late_events", (double)summary->late_events);
    ct_json_array(j, "event_log");
    for (int i = 0; i < summary->n_events; i++) {
        const ct_event_entry *e = summary->events + i;
        ct_json_object(j, NULL);
        ct_json_number(j, "time", e->time);
        ct_json_string(j, "joint", e->joint);
        ct_json_string(j, "becomes", e->becomes ? "active" : "inactive");
        ct_json_number(j, "gap", e->gap);
        ct_json_number(j, "loss", e->loss);
        ct_json_end(j);
    }
    ct_json_end(j);
}

static void write_json(const arguments *a, const recording *r, const ct_run_summary *summary,
                       run_kind kind) {
    ct_json j;
    ct_json_file(&j, stdout);
    // what every run has
    ct_json_object(&j, NULL);
    ct_json_number(&j, "time", summary->time);
    ct_json_number(&j, "steps", (double)summary->steps);
    ct_json_number(&j, "seconds", summary->seconds);
    ct_json_number(&j, "max_residual", summary->max_residual);
    ct_json_string(&j, "method", summary->method);
    // how good a simulation is, and what it took
    if (kind == RUN_SIMULATE) {
        ct_json_number(&j, "energy_drift", summary->energy_drift);
        ct_json_number(&j, "local_error", summary->local_error);
        ct_json_string(&j, "integrator", summary->integrator);
        ct_json_number(&j, "limits", summary->limits);
        ct_json_number(&j, "branch_changes", summary->branch_changes);
        if (summary->switches) write_events(&j, summary);
        if (isfinite(summary->iterations)) {
            ct_json_number(&j, "iterations", summary->iterations);
            ct_json_number(&j, "most_iterations", summary->most_iterations);
            ct_json_number(&j, "unconverged", (double)summary->unconverged);
        }
    }
    // the result
    ct_json_boolean(&j, "interrupted", summary->interrupted);
    ct_json_number(&j, "rows", (double)r->rows);
    ct_json_string(&j, "file", a->output);
    if (summary->n_efforts || summary->n_reactions || kind == RUN_INVERSE)
        write_ranges(&j, summary);
    ct_json_end(&j);
}

// What drives must give, and what bearings carry.
static void write_efforts(FILE *file, const ct_run_summary *summary) {
    for (int i = 0; i < summary->n_efforts; i++) {
        const ct_effort_range *e = summary->efforts + i;
        fprintf(file, "  effort of %s: %.4g to %.4g, rms %.4g, peak power %.4g W\n", e->name,
                e->min, e->max, e->rms, e->peak_power);
    }
    for (int i = 0; i < summary->n_reactions; i++) {
        const ct_reaction_range *x = summary->reactions + i;
        if (x->is_coupling)
            fprintf(file, "  %s: multiplier up to %.4g\n", x->name, x->max_lambda);
        else
            fprintf(file, "  joint %s: up to %.4g N and %.4g N m\n", x->name, x->max_force,
                    x->max_moment);
    }
}

static void write_summary(const arguments *a, const session *s, const recording *r,
                          const ct_run_summary *summary, run_kind kind) {
    const bool kinematics = kind != RUN_SIMULATE;
    const char *name = ct_model_name(s->model);
    fprintf(stderr, "%s: %g s in %ld steps", name && *name ? name : a->file, summary->time,
            summary->steps);
    if (kinematics)
        fprintf(stderr, ", driven, method %s", summary->method);
    else
        fprintf(stderr, ", method %s, integrator %s", summary->method, summary->integrator);
    // how good it is, how long it took, what it needs
    fprintf(stderr, "\n  largest residual of the loops %.2g", summary->max_residual);
    if (!kinematics && isfinite(summary->energy_drift))
        fprintf(stderr, ", energy drift %.2g", summary->energy_drift);
    if (!kinematics && isfinite(summary->iterations))
        fprintf(stderr, "\n  %.3g iterations in a step, %d at most, %ld step%s above the tolerance",
                summary->iterations, summary->most_iterations, summary->unconverged,
                summary->unconverged == 1 ? "" : "s");
    if (summary->limits)
        fprintf(stderr, "\n  close to a limit position %d time%s, %d time%s on to another branch",
                summary->limits, summary->limits == 1 ? "" : "s", summary->branch_changes,
                summary->branch_changes == 1 ? "" : "s");
    if (summary->switches)
        fprintf(stderr, "\n  %d event%s, %.4g J lost in impacts", summary->n_events,
                summary->n_events == 1 ? "" : "s", summary->impact_loss);
    if (summary->late_events)
        fprintf(stderr, ", %ld event%s late: a step was divided too often", summary->late_events,
                summary->late_events == 1 ? "" : "s");
    fprintf(stderr, "\n  %.3g s of computing", summary->seconds);
    if (summary->seconds > 0 && summary->time > 0)
        fprintf(stderr, ", %.3g times real time", summary->time / summary->seconds);
    fprintf(stderr, "; %ld rows", r->rows);
    if (a->output) fprintf(stderr, " in %s", a->output);
    fputc('\n', stderr);
    if (kind == RUN_INVERSE) write_efforts(stderr, summary);
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

int run_and_report(const arguments *a, run_function *run, run_kind kind) {
    session s;
    recording r;
    ct_run_summary sum = {.energy_drift = NAN};
    // the target before any work; then the model
    int code = output_check(a->output, a->file);
    if (code) return code;
    ct_status status = session_open(&s, a);
    if (status == CT_OK) status = start_at_rest(a, &s);
    if (status != CT_OK) return session_close(&s, status);
    // rows as they come
    code = start_recording(&r, a, &s, kind);
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
            write_json(a, &r, &sum, kind);
        else if (!a->quiet)
            write_summary(a, &s, &r, &sum, kind);
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
