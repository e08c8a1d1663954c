// Simulation and driven motion: states are advanced from one output time to the next, by fixed
// steps, by CVODE, or by solving Phi(q, t) = 0.
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <string.h>

enum { OFTEN = 256 }; // steps after which the clock is looked at

typedef ct_status advance_fn(ct_runner *r, void *data, double t);

// To time t in equal steps, none longer than the step of the plan. States between are looked at,
// but not written.
static ct_status equal_steps(ct_runner *r, double t) {
    double t0 = r->sim.t;
    long parts = (long)ceil((t - t0) / r->plan.step - CT_RUN_PART);
    parts = parts < 1 ? 1 : parts;
    for (long k = 0; k < parts; k++) {
        double h = (t - t0) / (double)parts;
        ct_runner_look_for_code(r);
        ctk_status status = ctk_step(&r->sim, h);
        if (status && ct_runner_complete(r, status)) status = ctk_step(&r->sim, h);
        if (status) {
            ct_runner_tell(r, NULL);
            return ct_runner_fail(r, status);
        }
        ct_runner_pass_limit(r);
        r->steps++;
        if (k % OFTEN == OFTEN - 1) ct_runner_progress(r);
        if (k + 1 < parts) {
            ct_status look = ct_runner_look(r, CT_LOOK_BETWEEN);
            if (look || ct_runner_stopped(r)) return look;
        }
    }
    r->sim.t = t;
    return CT_OK;
}

// The same with steps that are divided where the right side jumps or bends.
static ct_status fixed_steps(ct_runner *r, void *data, double t) {
    (void)data;
    for (double stop = -INFINITY; stop < t;) {
        stop = ct_breaks_stop(r, t);
        ct_status status = equal_steps(r, stop);
        if (status || r->sim.t < stop) return status; // failed, or stopped by the caller
        if (!ct_breaks_pass(r) && stop == t) return CT_OK;
        ctk_status changed = ctk_inputs_changed(&r->sim);
        if (changed) return ct_runner_fail(r, changed);
        if (stop < t) status = ct_runner_look(r, CT_LOOK_BETWEEN);
        if (status || ct_runner_stopped(r)) return status;
    }
    return CT_OK;
}

// A driven motion: Phi(q, t) = 0 at every step.
static ct_status equal_positions(ct_runner *r, double t) {
    double t0 = r->sim.t;
    long parts = (long)ceil((t - t0) / r->plan.step - CT_RUN_PART);
    parts = parts < 1 ? 1 : parts;
    for (long k = 1; k <= parts; k++) {
        double next = k == parts ? t : t0 + (t - t0) * (double)k / (double)parts;
        ct_runner_look_for_code(r);
        ctk_status status = ctk_kinematics(&r->sim, next);
        if (status && ct_runner_complete(r, status)) status = ctk_kinematics(&r->sim, next);
        if (status) return ct_runner_fail(r, status);
        r->steps++;
        if (k % OFTEN == 0) ct_runner_progress(r);
        if (k < parts && ct_runner_stopped(r)) return CT_OK;
    }
    return CT_OK;
}

static ct_status driven_steps(ct_runner *r, void *data, double t) {
    (void)data;
    for (double stop = -INFINITY; stop < t;) {
        stop = ct_breaks_stop(r, t);
        ct_status status = equal_positions(r, stop);
        if (status || r->sim.t < stop) return status;
        ctk_status changed = ct_breaks_pass(r) ? ctk_kinematics(&r->sim, stop) : CTK_OK;
        if (changed) return ct_runner_fail(r, changed);
    }
    return CT_OK;
}

static ct_status adaptive_steps(ct_runner *r, void *data, double t) {
    (void)r;
    return ct_cvode_advance(data, t);
}

// From one output time to the next until the end of the plan, with a row at each. *interrupted: the
// caller has asked to stop.
static ct_status march(ct_runner *r, const char *stage, advance_fn *advance, void *data,
                       bool *interrupted) {
    double last_progress = ct_seconds();
    r->stage = stage;
    ct_runner_progress(r);
    ct_status status = ct_runner_look(r, CT_LOOK_WRITE);
    for (long k = 1; !status && r->sim.t < r->plan.time * (1 - CT_RUN_END); k++) {
        double next = r->plan.output_step * (double)k;
        if (next > r->plan.time * (1 - CT_RUN_END)) next = r->plan.time;
        // compilers are not started within the time of a step
        ct_runner_look_for_code(r);
        double start = ct_seconds();
        status = advance(r, data, next);
        double now = ct_seconds();
        r->seconds += now - start;
        *interrupted = ct_runner_stopped(r);
        if (!status && (!*interrupted || r->sim.t == next))
            status = ct_runner_look(r, CT_LOOK_WRITE);
        if (*interrupted) break;
        // rows that wait are many: the choice is made by what is known
        if (!status && ct_runner_waits_long(r)) {
            if (!r->kinematics && !r->plan.cvode && ct_runner_is_coarse(r)) break;
            status = ct_runner_release(r);
        }
        if (now - last_progress > CT_RUN_PROGRESS) {
            ct_runner_progress(r);
            last_progress = now;
        }
    }
    return status;
}

// All steps by the integrator of the plan.
static ct_status integrate(ct_runner *r, bool *interrupted) {
    ct_cvode *cvode = NULL;
    ct_status status = r->plan.cvode ? ct_cvode_open(r, &cvode) : CT_OK;
    if (!status)
        status = march(r, "integrating", r->plan.cvode ? adaptive_steps : fixed_steps, cvode,
                       interrupted);
    ct_cvode_close(cvode);
    return status;
}

// The run as the options say, started already (status: with what success), and closed behind it.
static ct_status run_through(ct_runner *r, ct_status status, ct_run_summary *summary) {
    bool interrupted = false;
    if (!status) status = integrate(r, &interrupted);
    // code of other values that did not do
    r->own = !interrupted && status == CT_NUMERICS && ct_runner_fails_by_values(r);
    if (r->own) return status;
    // where the integrator is ours to choose: cvode instead of steps that are too long
    if (!interrupted && ct_runner_needs_cvode(r, status)) {
        status = ct_runner_choose_cvode(r, status, integrate, &interrupted, summary);
        return status ? status : interrupted ? CT_INTERRUPTED : CT_OK;
    }
    // rows that waited; how good they are
    if (r->waits && (!status || status == CT_NUMERICS)) {
        ct_status passed = ct_runner_release(r);
        status = passed ? passed : status;
    }
    if (!status) status = ct_runner_judge(r, interrupted);
    if (!status) ct_runner_summarise(r, interrupted, summary);
    return status ? status : interrupted ? CT_INTERRUPTED : CT_OK;
}

// Once more with equations for the values that are set.
static ct_status take_own(ct_runner *r, const ct_run_options *options) {
    ct_context *ctx = r->ctx;
    ct_system *s = r->s;
    bool kinematics = r->kinematics;
    ct_messages_back(ctx, &r->before);
    ct_runner_close(r);
    s->needs_own = true;
    return ct_runner_open(r, ctx, s, options, kinematics);
}

// values of parameters ---------------------------------------------------------------------------
// What goes on after the run of the file: numbers that belong to it are copied, code is taken over.
static void take_file(ct_runner *own, ct_file_run *file) {
    ct_kept_run *k = &file->kept;
    *k = own->kept;
    const struct {
        int **to, *from, n;
    } all[] = {{&k->rows, own->kept.rows, k->m},
               {&k->dropped, own->kept.dropped, k->n_dropped},
               {&k->independent, own->kept.independent, k->n_independent}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].to = ct_scratch((size_t)all[i].n + 1, sizeof(int));
        for (int j = 0; j < all[i].n; j++) (*all[i].to)[j] = all[i].from[j];
    }
    file->loaded = own->code;
    own->code = (ct_loaded){0};
    own->columns = (ct_columns){0}; // k has them
}

// Starts a run of the file's own values, which keeps it for others.
static void start_file(const ct_runner *r, ct_file_run *file) {
    ct_system *s = NULL, *all = NULL;
    ct_model *plain = ct_vary_read_file(r);
    if (!plain) return;
    ct_context *aside = ct_context_aside(r->ctx);
    ct_run_options options = *r->options;
    options.row = NULL;
    options.stop = NULL;
    // the run at its first row
    ct_runner own = {0};
    const ct_system *asked = r->kinematics ? r->s->before : r->s;
    ct_status status = ct_formulate(aside, plain, asked->asked ? asked->rule : NULL, &s);
    if (!status && r->kinematics) status = ct_system_all(aside, s, &all);
    if (!status) status = ct_runner_open(&own, aside, all ? all : s, &options, r->kinematics);
    if (!status) status = ct_runner_look(&own, CT_LOOK_WHOLE);
    // of use, unless it has something to say or frames were turned
    file->possible = status || (!own.kept.said.n && ct_runner_describe(&own));
    if (!status && file->possible) take_file(&own, file);
    ct_runner_close(&own);
    ct_system_free(all);
    ct_system_free(s);
    ct_model_free(plain);
    ct_context_free(aside);
}

// Where --set has changed values: the run of the file's own values, unless something is kept of it.
static void need_file(ct_context *ctx, ct_system *s, const ct_run_options *options, bool kinematics,
                      ct_file_run *file) {
    const ct_runner r = {.ctx = ctx, .s = s, .options = options, .kinematics = kinematics};
    ct_digest key;
    ct_kept_run kept;
    ct_kept_form form;
    *file = (ct_file_run){0};
    if (!ct_may_vary(s, options) || !ct_runner_key(&r, s->file_key, &key)) return;
    if (ct_kept_form_read(ct_vary_form_key(key), &form) && !form.possible) return;
    if (ct_kept_run_read(key, &kept)) {
        if (ct_load_is_kept(kept.object) || ct_interprets()) return;
    }
    start_file(&r, file);
    s->file_run = file;
}

// Opens a run, by the code of the file's own values where --set has changed some.
static ct_status open_by_file(ct_runner *r, ct_context *ctx, ct_system *s,
                              const ct_run_options *options, bool kinematics) {
    ct_file_run file;
    need_file(ctx, s, options, kinematics, &file);
    ct_status status = ct_runner_open(r, ctx, s, options, kinematics);
    s->file_run = NULL;
    ct_unload(&file.loaded);
    return status;
}

static CT_BELOW ct_status simulate(ct_context *ctx, ct_system *s, const ct_run_options *options,
                                   ct_run_summary *summary) {
    ct_runner r;
    // what an earlier run has left, then the run
    ct_system_settle(s);
    ct_status status = open_by_file(&r, ctx, s, options, false);
    status = run_through(&r, status, summary);
    // once more, where it does not count
    if (r.own) {
        status = take_own(&r, options);
        status = run_through(&r, status, summary);
    }
    if (!status && r.reactions) ct_reactions_tell(&r);
    // code that is still being compiled
    if (!status) ct_runner_leave_code(&r, s);
    ct_runner_close(&r);
    return status;
}

ct_status ct_simulate(ct_context *ctx, ct_system *s, const ct_run_options *options,
                      ct_run_summary *summary) {
    CT_CALL(ctx, &s->memory, simulate(ctx, s, options, summary));
}

// kinematics -------------------------------------------------------------------------------------
// The motion of a run that was started (status: with what success).
static ct_status move(ct_runner *r, ct_status status, bool *interrupted) {
    if (!status) status = march(r, "moving", driven_steps, NULL, interrupted);
    // code of other values that did not do
    r->own = !*interrupted && status == CT_NUMERICS && ct_runner_fails_by_values(r);
    if (r->own || !r->waits || (status && status != CT_NUMERICS)) return status;
    // rows that waited
    ct_status passed = ct_runner_release(r);
    return passed ? passed : status;
}

static CT_BELOW ct_status kinematics(ct_context *ctx, ct_system *s, const ct_run_options *options,
                                     ct_run_summary *summary) {
    // every joint coordinate is an unknown here, so that its acceleration is known too
    ct_system *all = NULL;
    ct_runner r = {0};
    bool interrupted = false;
    ct_system_settle(s);
    ct_status status = ct_system_all(ctx, s, &all);
    if (!status) {
        status = move(&r, open_by_file(&r, ctx, all, options, true), &interrupted);
        // once more, where it does not count
        if (r.own) status = move(&r, take_own(&r, options), &interrupted);
        if (!status) ct_runner_summarise(&r, interrupted, summary);
        if (!status && r.reactions) ct_reactions_tell(&r);
        if (!status && !interrupted) ct_runner_leave_code(&r, s);
        ct_runner_close(&r);
    }
    ct_system_free(all);
    return status ? status : interrupted ? CT_INTERRUPTED : CT_OK;
}

ct_status ct_kinematics(ct_context *ctx, ct_system *s, const ct_run_options *options,
                        ct_run_summary *summary) {
    CT_CALL(ctx, &s->memory, kinematics(ctx, s, options, summary));
}
