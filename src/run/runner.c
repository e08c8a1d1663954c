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

void ct_emit_input_fill(const ct_system *s, const char *name, ct_emit_input *in) {
    const ct_assembled *at = ct_system_state(s);
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
}

void ct_plan_emits(const ct_plan *plan, ct_emit_input *in) {
    if (!ct_plan_closes(plan)) in->closure = NULL;
    in->closure_only = in->closure && !plan->complete && ct_emit_operations(in->f) > CT_RUN_LONG;
}

void ct_runner_take(ct_runner *r, ct_loaded loaded) {
    ct_unload(&r->code);
    ct_free(r->doubles);
    ct_free(r->ints);
    r->code = loaded;
    r->doubles = ct_alloc(ctk_doubles(loaded.model) + 1, sizeof(double));
    r->ints = ct_alloc(ctk_ints(loaded.model) + 1, sizeof(int));
}

ct_status ct_runner_load(ct_runner *r, ct_context *ctx) {
    char *name = ct_model_identifier(r->s->model);
    ct_loaded loaded;
    ct_emit_input in;
    ct_emission code;
    // code for the plan, compiled
    ct_status status = ct_runner_need(r);
    if (status) return status;
    ct_report(ctx, "writing the code", -1, false);
    ct_emit_input_fill(r->s, name, &in);
    ct_plan_emits(&r->plan, &in);
    in.without_values = true;
    // of the closure only what the method needs; the rest is compiled when it is
    in.without_loops = r->plan.kernel.method == CTK_TRIANGULAR;
    ct_emit(&in, &code);
    status = ct_load(ctx, &code, name, &loaded);
    ct_emission_clear(&code);
    ct_free(name);
    if (status) return status;
    ct_runner_take(r, loaded);
    return CT_OK;
}

// Adds the balls whose angles are unknowns of a closure and named by no motion or force: those that
// are solved in angles, or those that are solved whole and show their angles only.
static void add_balls(ct_runner *r, const ct_formulation *f, bool in_angles) {
    const ct_model *model = f->model;
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *joint = model->joints + i;
        int middle = joint->first_coordinate + joint->n_coordinates - 2;
        if (!ct_joint_has_coordinates(joint->type) || ct_joint_rotations(joint->type) != 3 ||
            f->where[middle] < 0 || ct_whole_rotation_is_named(model, i, NULL))
            continue;
        const ct_whole_rotation *whole = ct_whole_rotation_of_joint(f, i);
        if (in_angles == (whole != NULL) || (whole && whole->integrated)) continue;
        r->ball_at[r->n_balls] = f->where[middle];
        r->balls[r->n_balls++] = joint;
    }
}

// Finds balls that may lock in a run whose method nobody named. Those in angles come first: a run
// watches them.
void ct_runner_find_balls(ct_runner *r) {
    const ct_closure *c = ct_system_closure(r->s);
    if (!c || !r->plan.chosen || !c->r) return;
    size_t room = (size_t)c->f->model->n_joints + 1;
    r->balls = ct_alloc(room, sizeof *r->balls);
    r->ball_at = ct_alloc(room, sizeof *r->ball_at);
    add_balls(r, c->f, true);
    r->n_watched = r->n_balls;
    add_balls(r, c->f, false);
}

// Notes a ball near its lock.
static void watch_balls(ct_runner *r) {
    for (int i = 0; i < r->n_watched && !r->locked; i++) {
        const ct_joint *j = r->balls[i];
        double b = r->sim.q[r->ball_at[i]];
        double clear = fabs(ctk_angles_proper(j->sequence) ? sin(b) : cos(b));
        if (!(clear > CT_RUN_NEAR_LOCK)) r->locked = j;
    }
}

bool ct_runner_needs_whole(const ct_runner *r) {
    return r->locked && r->waits;
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
    ct_status status = ct_runner_prepare(r);
    s->ran = true;
    if (status) return status;
    // inputs, and where they jump or bend
    ct_breaks_find(r);
    r->plan.kernel.inputs = s->model->signals ? ct_breaks_inputs : NULL;
    r->plan.kernel.inputs_data = &r->breaks;
    // room for a row
    const ctk_model *m = r->code.model;
    r->y = ct_alloc((size_t)m->n_outputs + 1, sizeof(double));
    r->row = ct_alloc((size_t)r->columns.n + 2, sizeof(double));
    r->last = ct_alloc((size_t)r->columns.n + 2, sizeof(double));
    r->low = ct_alloc((size_t)m->n + 1, sizeof(double));
    r->high = ct_alloc((size_t)m->n + 1, sizeof(double));
    r->method_name = r->plan.method_name;
    r->said = ct_messages_so_far(ctx);
    r->waits = (r->plan.automatic || r->n_balls || r->varied) && !kinematics;
    r->waiting.width = (size_t)r->columns.n + 1;
    return ct_runner_start(r);
}

ct_status ct_runner_start(ct_runner *r) {
    // nothing has happened yet
    r->started = r->by_step = false;
    r->rows = r->steps = 0;
    r->waiting.n = 0;
    r->breaks.now = 0;
    r->limits_crossed = 0;
    r->drift = r->exchanged = r->error = 0;
    r->error_at = -1;
    r->locked = NULL;
    r->plan.method_name = r->method_name;
    // angles continue from the initial position
    memcpy(r->last, r->columns.start, (size_t)r->columns.n * sizeof(double));
    // start; at a limit position with code for all methods
    ctk_status k = ctk_init(&r->sim, r->code.model, &r->plan.kernel, NULL, NULL, 0, NULL, NULL,
                            r->doubles, r->ints);
    if (k && !ct_runner_complete(r, k)) return ct_runner_fail(r, k);
    ct_runner_tell(r);
    return CT_OK;
}

void ct_runner_close(ct_runner *r) {
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
    ct_free(r->balls);
    ct_free(r->ball_at);
    ct_breaks_clear(&r->breaks);
}

// Every number of the row, and the energies.
static ct_status check_row(ct_runner *r) {
    const ct_columns *c = &r->columns;
    int bad = 0, n = r->code.model->n_outputs;
    while (bad < c->n && isfinite(r->row[bad + 1])) bad++;
    bool energy = isfinite(r->y[n - 2]) && isfinite(r->y[n - 1]);
    if (bad == c->n && energy) return CT_OK;
    ct_status known = ct_runner_blame(r, true);
    if (known) return known;
    return ct_fail(r->ctx, CT_NUMERICS, "at t = %.9g %s%s%s is not a finite number", r->sim.t,
                   bad < c->n ? "column '" : "the energy", bad < c->n ? c->names[bad] : "",
                   bad < c->n ? "'" : "");
}

ct_status ct_runner_pass_on(ct_runner *r, const double *row) {
    const ct_run_options *o = r->options;
    if (!o->row) return CT_OK;
    ct_scope *scope = ct_scope_suspend(true);
    int stop = o->row(o->row_data, r->columns.n + 1, row);
    ct_scope_resume(scope, true);
    return stop ? ct_fail(r->ctx, CT_INTERNAL, "the results could not be written") : CT_OK;
}

ct_status ct_runner_look(ct_runner *r, bool write) {
    const ctk_sim *sim = &r->sim;
    // all coordinates, outputs, energy balance
    ctk_status fresh = ctk_refresh(&r->sim);
    if (fresh) return ct_runner_fail(r, fresh);
    const ct_columns *c = &r->columns;
    watch_balls(r);
    r->code.model->outputs(sim->c, sim->t, sim->q, sim->qd, sim->u, r->y);
    ct_runner_balance(r, r->y[r->code.model->n_outputs - 2], r->y[r->code.model->n_outputs - 1]);
    // the row: time, then every column from its source
    r->row[0] = sim->t;
    for (int k = 0; k < c->n; k++) {
        int i = c->source[k];
        double x = i < 0              ? r->y[-1 - i]
                   : c->order[k] == 0 ? sim->q[i]
                   : c->order[k] == 1 ? sim->qd[i]
                                      : sim->qdd[i];
        if (c->is_angle[k]) r->last[k] = x = ctk_nearest_turn(x, r->last[k]);
        r->row[k + 1] = x;
    }
    // three angles of a joint, by name, continue together
    ct_columns_name_angles(c, r->row + 1);
    for (int k = 0; k < c->n_turns; k++)
        ctk_angles_row(c->turns + k, sim->t - r->last[c->n], r->row + 1, r->last);
    r->last[c->n] = sim->t;
    bool first = !r->started;
    // checked, and written where asked
    r->started = true;
    ct_status status = check_row(r);
    if (!status && first && !r->recalled) status = ct_runner_check_lines(r);
    if (!status && first) ct_runner_keep(r);
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
