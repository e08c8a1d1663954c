// A run: compiles and loads code, starts the kernel, and looks at states on the way: result rows,
// energy balance.
#include "formulate/whole_rotation.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *ct_model_identifier(const ct_model *model) {
    const char *slash = strrchr(model->path, '/');
    char *stem = ct_strdup(slash ? slash + 1 : model->path);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = '\0';
    char *id = ct_c_identifier(stem);
    ct_free(stem);
    return id;
}

// Where joints come and go, all rows are of one kind: those of the initial position, independent ones
// first, then those of joints that come later.
static void fill_switched(const ct_assembled *at, ct_emit_input *in) {
    const int later = at->f->switched.rows, count = at->m + at->n_dropped + later;
    int *rows = ct_scratch((size_t)count + 1, sizeof *rows);
    for (int i = 0; i < at->m; i++) rows[i] = at->rows[i];
    for (int i = 0; i < at->n_dropped; i++) rows[at->m + i] = at->dropped[i];
    for (int i = 0; i < later; i++) rows[count - later + i] = at->f->m + i;
    in->rows = rows;
    in->m = count;
    in->n_dropped = 0;
    in->m_start = at->m;
}

void ct_emit_input_fill(const ct_system *s, const char *name, ct_emit_input *in) {
    const ct_assembled *at = ct_run_state(s);
    *in = (ct_emit_input){.f = at->f,
                          .m = at->m,
                          .rows = at->rows,
                          .n_dropped = at->n_dropped,
                          .dropped = at->dropped,
                          .q0 = at->q0,
                          .qd0 = at->qd0,
                          .residual = at->residual,
                          .name = name,
                          .assembly = at->assembly,
                          .closure = ct_system_closure(s)};
    if (at->f->model->n_switched) fill_switched(at, in);
    // friction by load needs the reactions
    for (int i = 0; i < at->f->model->n_forces; i++)
        in->reactions = in->reactions || ct_force_is_by_load(at->f->model->forces + i);
}

void ct_plan_emits(const ct_plan *plan, ct_emit_input *in) {
    if (!ct_plan_closes(plan)) in->closure = NULL;
    in->recursive = plan->kernel.method == CTK_RECURSIVE;
    if ((ct_plan_is_implicit(plan) && !in->recursive) || plan->ida)
        in->tangent = plan->tangent == CT_TANGENT_FULL     ? CT_FULL_TANGENT
                      : plan->tangent == CT_TANGENT_FORCES ? CT_FORCE_TANGENT
                                                           : CT_EMPTY_TANGENT;
    in->recursion = in->recursive && ct_formulation_recurs(in->f) && !in->f->model->n_switched;
    // entries of M that wait are many
    in->closure_only =
        in->closure && !plan->complete &&
        (!ct_formulation_has_entries(in->f) || ct_emit_operations(in->f) > CT_RUN_LONG);
}

void ct_runner_take(ct_runner *r, ct_loaded loaded) {
    ct_unload(&r->code);
    ct_free(r->doubles);
    ct_free(r->ints);
    r->code = loaded;
    r->doubles = ct_alloc(ctk_doubles(loaded.model) + 1, sizeof(double));
    r->ints = ct_alloc(ctk_ints(loaded.model) + 1, sizeof(int));
}

ct_status ct_runner_compile(const ct_runner *r, ct_context *ctx, ct_loaded *loaded) {
    char *name = ct_model_identifier(r->s->model);
    ct_emit_input in;
    ct_emission code;
    ct_report(ctx, "writing the code", -1, false);
    ct_emit_input_fill(r->s, name, &in);
    ct_plan_emits(&r->plan, &in);
    in.without_values = true;
    in.fused = ct_processor_fuses();
    // of the closure only what the method needs; the rest is compiled when it is
    in.without_loops = r->plan.kernel.method == CTK_TRIANGULAR;
    in.reactions = in.reactions || r->reactions != NULL;
    in.drives = ct_run_drives(r->s->model, r->options);
    ct_emit(&in, &code);
    ct_status status = ct_load_at_once(ctx, &code, name, loaded);
    ct_emission_clear(&code);
    ct_free(name);
    return status;
}

ct_status ct_runner_load(ct_runner *r, ct_context *ctx) {
    ct_loaded loaded;
    ct_status status = ct_runner_need(r);
    if (!status) status = ct_runner_compile(r, ctx, &loaded);
    if (!status) ct_runner_take(r, loaded);
    return status;
}

void ct_runner_look_for_code(ct_runner *r) {
    if (!ct_load_goes_on(&r->code)) return;
    ct_load_look(&r->code);
    if (r->code.why) ct_runner_note_interpreted(r);
}

void ct_runner_leave_code(ct_runner *r, ct_system *s) {
    ct_building *b = r->code.building;
    if (!b || !ct_building_pays(b, r->seconds)) return;
    r->code.building = NULL;
    ct_building_leave(b);
    s->building = b;
    ct_region_open(&s->memory.region);
    ct_region_keep(ct_building_region(b));
    ct_region_close(&s->memory.region);
}

ct_status ct_runner_open(ct_runner *r, ct_context *ctx, ct_system *s, const ct_run_options *options,
                         bool kinematics) {
    *r = (ct_runner){
        .ctx = ctx, .s = s, .options = options, .kinematics = kinematics, .breaks = {.bad = -1}};
    if (memcmp(&s->content, &s->model->content, sizeof s->content))
        return ct_fail(ctx, CT_USAGE,
                       "inputs of motions were changed after the model was formulated: formulate "
                       "it again");
    r->before = ct_messages_so_far(ctx);
    int n_reactions;
    ct_status status = ct_reactions_open(ctx, s, options, &r->reactions, &n_reactions);
    if (status) return status;
    status = ct_runner_prepare(r);
    s->ran = true;
    if (status) return status;
    // inputs, and where they jump or bend
    ct_events_open(r);
    ct_breaks_find(r);
    if (ct_breaks_hit(r) && !r->code.model->dynamics) {
        r->plan.complete = true;
        status = ct_runner_load(r, ctx);
        if (status) return status;
    }
    r->plan.kernel.inputs = s->model->signals ? ct_breaks_inputs : NULL;
    r->plan.kernel.inputs_data = &r->breaks;
    // room for a row
    const ctk_model *m = r->code.model;
    r->y = ct_alloc((size_t)m->n_outputs + 1, sizeof(double));
    r->width = r->columns.n + n_reactions;
    r->row = ct_alloc((size_t)r->width + 2, sizeof(double));
    r->last = ct_alloc((size_t)r->columns.n + 2, sizeof(double));
    r->low = ct_alloc((size_t)m->n + 1, sizeof(double));
    r->high = ct_alloc((size_t)m->n + 1, sizeof(double));
    r->method_name = r->plan.method_name;
    r->said = ct_messages_so_far(ctx);
    r->waits = r->varied || (r->plan.automatic && !kinematics);
    r->waiting.width = (size_t)r->width + 1;
    return ct_runner_start(r);
}

ct_status ct_runner_start(ct_runner *r) {
    // nothing has happened yet
    ct_runner_first_closure(r);
    r->started = r->by_step = false;
    r->rows = r->steps = 0;
    r->waiting.n = 0;
    r->breaks.now = 0;
    r->limits_crossed = 0;
    r->changed = r->crossed = r->stays = false;
    r->drift = r->exchanged = r->error = 0;
    r->error_of = NULL;
    r->unseen = r->looked_t = 0;
    if (r->reactions) ct_reactions_restart(r);
    r->plan.method_name = r->method_name;
    // angles continue from the initial position
    memcpy(r->last, r->columns.start, (size_t)r->columns.n * sizeof(double));
    // start; at a limit position with code for all methods
    ctk_status k = ctk_init(&r->sim, r->code.model, &r->plan.kernel, NULL, NULL, 0, NULL, NULL,
                            r->doubles, r->ints);
    if (k && !ct_runner_complete(r, k)) return ct_runner_fail(r, k);
    ct_runner_tell(r, NULL);
    return ct_events_start(r);
}

void ct_runner_close(ct_runner *r) {
    if (r->s) r->s->in_natural = false;
    ct_runner_forget_closures(r);
    ct_plan_clear(&r->plan);
    ct_columns_clear(&r->columns);
    ct_unload(&r->code);
    ct_free(r->doubles);
    ct_free(r->ints);
    ct_free(r->y);
    ct_free(r->row);
    ct_free(r->last);
    ct_free(r->low);
    ct_free(r->high);
    ct_free(r->waiting.value);
    ct_breaks_clear(&r->breaks);
    ct_events_clear(&r->events);
}

// Outputs of the current state. Where reactions are found, which outputs may read, late ones follow with
// them.
static void find_outputs(ct_runner *r) {
    const ctk_sim *sim = &r->sim;
    const ctk_model *m = sim->model;
    m->outputs(sim->c, sim->t, sim->q, sim->qd, sim->u, r->y);
    if (m->late_outputs && !r->reactions)
        m->late_outputs(sim->c, sim->t, sim->q, sim->qd, sim->qdd, sim->u, NULL, r->y);
}

// Every number of the row, and the energies.
static ct_status check_row(ct_runner *r) {
    const ct_columns *c = &r->columns;
    int bad = 0, n = r->code.model->n_outputs;
    // zero times a number is zero where the number is finite
    double zero = 0 * r->y[n - 2] + 0 * r->y[n - 1];
    for (int k = 1; k <= c->n; k++) zero += 0 * r->row[k];
    if (zero == 0) return CT_OK;
    while (bad < c->n && isfinite(r->row[bad + 1])) bad++;
    ct_status known = ct_runner_blame(r, true);
    if (known) return known;
    return ct_fail(r->ctx, CT_NUMERICS, "at t = %.9g %s%s%s is not a finite number", r->sim.t,
                   bad < c->n ? "column '" : "the energy", bad < c->n ? c->names[bad] : "",
                   bad < c->n ? "'" : "");
}

// Column k of the row, continued from the last look if it is an angle by itself.
static inline void fill(ct_runner *r, int k) {
    const ctk_sim *sim = &r->sim;
    const ct_columns *c = &r->columns;
    int i = c->source[k];
    double x = i < 0              ? r->y[-1 - i]
               : c->order[k] == 0 ? sim->q[i]
               : c->order[k] == 1 ? sim->qd[i]
                                  : sim->qdd[i];
    if (c->is_angle[k]) r->last[k] = x = ctk_nearest_turn(x, r->last[k]);
    r->row[k + 1] = x;
}

// Between rows: outputs, energies and what continues; coordinates and rates are finite wherever the
// kernel goes on. The row is for the message.
static ct_status check_between(ct_runner *r) {
    const ct_columns *c = &r->columns;
    double zero = 0;
    for (int i = 0; i < r->code.model->n_outputs; i++) zero += 0 * r->y[i];
    for (int i = 0; i < c->n_followed; i++) zero += 0 * r->row[c->followed[i] + 1];
    if (zero == 0) return CT_OK;
    for (int k = 0; k < c->n; k++)
        if (c->source[k] < 0 && !c->is_angle[k]) fill(r, k);
    return check_row(r);
}

// Reactions of a row, and outputs that read them.
static ct_status look_at_reactions(ct_runner *r) {
    const ctk_sim *sim = &r->sim;
    const ct_columns *c = &r->columns;
    ct_status status = ct_reactions_look(r, r->row + 1 + c->n);
    if (status || !sim->model->late_outputs) return status;
    sim->model->late_outputs(sim->c, sim->t, sim->q, sim->qd, sim->qdd, sim->u,
                             ct_reactions_values(r), r->y);
    // the last columns but for joints that come and go
    const int n = r->s->model->n_outputs, last = c->n - r->s->model->n_switched;
    for (int k = last - n; k < last; k++) r->row[k + 1] = r->y[-1 - c->source[k]];
    return check_row(r);
}

ct_status ct_runner_pass_on(ct_runner *r, const double *row) {
    const ct_run_options *o = r->options;
    if (!o->row) return CT_OK;
    ct_scope *scope = ct_scope_suspend(true);
    int stop = o->row(o->row_data, r->width + 1, row);
    ct_scope_resume(scope, true);
    return stop ? ct_fail(r->ctx, CT_INTERNAL, "the results could not be written") : CT_OK;
}

// Returns true between rows if all joints with three angles are so near the last ones that were continued
// that those of a later state can be: by what they have turned since then, beside the way to the lock.
static bool turns_can_wait(ct_runner *r) {
    const ct_columns *c = &r->columns;
    double fastest = 0, nearest = 1;
    for (int k = 0; k < c->n_turns; k++) {
        const double *angle = r->row + 1 + c->turns[k].first[0],
                     *rate = r->row + 1 + c->turns[k].first[1];
        double least, speed = fabs(rate[0]) + fabs(rate[1]) + fabs(rate[2]);
        ctk_angles_half_turns(c->turns[k].proper, angle[1], &least);
        if (!(speed <= fastest)) fastest = speed;
        if (least < nearest) nearest = least;
    }
    r->unseen += (r->sim.t - r->looked_t) * fastest;
    r->looked_t = r->sim.t;
    return r->unseen < CT_RUN_UNSEEN * nearest;
}

// Three angles of a joint, by name, continue together.
static void continue_turns(ct_runner *r, bool whole) {
    const ct_columns *c = &r->columns;
    if (c->n_turns == 0) return;
    ct_columns_name_angles(c, r->row + 1);
    if (turns_can_wait(r) && !whole) return;
    for (int k = 0; k < c->n_turns; k++)
        ctk_angles_row(c->turns + k, r->sim.t - r->last[c->n], r->row + 1, r->last);
    r->last[c->n] = r->sim.t;
    r->unseen = 0;
}

ct_status ct_runner_look(ct_runner *r, ct_look look) {
    const ctk_sim *sim = &r->sim;
    const bool first = !r->started, write = look == CT_LOOK_WRITE,
               whole = look != CT_LOOK_BETWEEN || first;
    // all coordinates, outputs, energy balance; angles of turned joints have a lock of their own, which
    // the kernel does not see
    ctk_status fresh = whole || r->columns.n_turned ? ctk_refresh(&r->sim) : ctk_glance(&r->sim);
    if (fresh) return ct_runner_fail(r, fresh);
    const ct_columns *c = &r->columns;
    find_outputs(r);
    ct_runner_balance(r, r->y[r->code.model->n_outputs - 2], r->y[r->code.model->n_outputs - 1]);
    // the row: time, then every column from its source; between rows those that continue
    r->row[0] = sim->t;
    for (int k = 0; whole && k < c->n; k++) fill(r, k);
    for (int i = 0; !whole && i < c->n_followed; i++) fill(r, c->followed[i]);
    continue_turns(r, whole);
    // checked, and written where asked
    r->started = true;
    ct_status status = whole ? check_row(r) : check_between(r);
    if (!status && first && !r->recalled) status = ct_runner_check_lines(r);
    if (!status && first) ct_runner_keep(r);
    if (!status && write && r->reactions) status = look_at_reactions(r);
    if (status || !write) return status;
    r->rows++;
    if (!r->waits) return ct_runner_pass_on(r, r->row);
    ct_rows_add(&r->waiting, r->row);
    return CT_OK;
}

bool ct_runner_stopped(const ct_runner *r) {
    return r->options->stop && *r->options->stop;
}

void ct_runner_progress(const ct_runner *r) {
    double share = r->plan.time > 0 ? r->sim.t / r->plan.time : -1;
    ct_report(r->ctx, r->stage, share, r->options->stop != NULL);
}
