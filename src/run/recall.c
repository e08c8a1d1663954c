// What a run has of the equations: its plan, columns, units and code. They are made from the
// equations once; later runs of the same model find them kept (run/kept/), and formulate nothing.
#include "run/run.h"
#include "formulate/whole_rotation.h"

#include <string.h>

// Everything that a run's preparation depends on: the system, the command, the method, where
// messages say that they are from, the compiler.
bool ct_runner_key(const ct_runner *r, ct_digest system, ct_digest *key) {
    const char *method = r->options->method;
    *key = system;
    ct_digest_add_number(key, r->kinematics);
    ct_digest_add_number(key, method != NULL);
    ct_digest_add_text(key, method);
    if (ct_options_have_tangent(r->s->model, r->options)) {
        ct_digest_add_text(key, "implicit");
        ct_digest_add_text(key, r->options->tangent);
    }
    if (r->options->reactions)
        ct_digest_add_text(key, ct_run_drives(r->s->model, r->options) ? "drives" : "reactions");
    ct_digest_add_text(key, ct_context_file(r->ctx));
    return ct_compiler_digest(key);
}

// from the equations ------------------------------------------------------------------------------
// Initial position, then options with the closure that they ask for.
static ct_status plan(ct_runner *r, ct_context *ctx, ct_plan *plan) {
    ct_run_options o = *r->options;
    ct_status status = ct_assemble(ctx, r->s);
    if (!status && r->kinematics) status = ct_plan_driven(ctx, r->s, &o);
    return status ? status : ct_plan_make(ctx, r->s, &o, plan);
}

// Constraints that depend on time do work that no force accounts for, and energy has no balance.
static bool does_work(const ct_system *s) {
    const ct_formulation *f = ct_run_formulation(s);
    for (int i = 0; i < f->m; i++)
        if (f->phi_t[i] != CT_ZERO) return true;
    return s->model->n_motions > 0;
}

// Trees, rows and rotations, by which positions are found for other values of parameters.
static void describe_form(ct_runner *r) {
    const ct_assembled *at = ct_run_state(r->s);
    const ct_formulation *f = at->f;
    const ct_graph *g = f->graph;
    ct_kept_run *k = &r->kept;
    // edges of both trees
    k->n_edges = g->n_edges;
    k->in_tree = ct_scratch(2 * (size_t)g->n_edges + 1, sizeof *k->in_tree);
    for (int i = 0; i < 2 * g->n_edges; i++)
        k->in_tree[i] = g->tree[i / g->n_edges].has[i % g->n_edges];
    // rows, and rotations that are integrated whole
    k->m = at->m;
    k->rows = at->rows;
    k->n_dropped = at->n_dropped;
    k->dropped = at->dropped;
    k->n_whole = f->n_integrated;
    k->whole = ct_scratch((size_t)f->n_integrated + 1, sizeof *k->whole);
    for (int i = 0; i < f->n_integrated; i++) k->whole[i] = f->whole_rotations[i].edge;
    // a closure that holds only while some orientations stay
    const ct_flow *flow = r->s->closed ? r->s->closed->flow : NULL;
    k->translates = flow && flow->n_translating;
}

// What the run has of the equations from now on.
static void describe(ct_runner *r) {
    const ct_formulation *f = ct_run_formulation(r->s);
    ct_kept_run *k = &r->kept;
    k->method = (int)r->plan.kernel.method;
    k->complete = r->plan.complete;
    k->cross_limits = r->plan.kernel.cross_limits;
    k->n_independent = r->plan.independent ? r->s->model->n_independent : 0;
    k->independent = r->plan.independent;
    k->does_work = does_work(r->s);
    k->length = f->length;
    k->n = f->n;
    k->n_natural = ct_formulation_natural_count(f);
    k->units = ct_scratch((size_t)f->n + 1, sizeof *k->units);
    for (int i = 0; i < f->n; i++) k->units[i] = ct_coordinate_unit(f, i);
    describe_form(r);
}

static ct_status prepare(ct_runner *r) {
    // the plan; what it says is kept
    ct_context *aside = ct_context_aside(r->ctx);
    ct_status status = plan(r, aside, &r->plan);
    if (!status) ct_said_take(&r->kept.said, aside);
    ct_messages_move(r->ctx, aside);
    ct_context_free(aside);
    if (!status)
        status = ct_run_check_jumps(r->ctx, r->s->model, r->plan.time,
                                    r->kinematics ? CT_RUN_KINEMATICS : CT_RUN_SIMULATE);
    if (status) return status;
    // columns and code
    ct_columns_init(&r->columns, r->s, r->kinematics);
    describe(r);
    return ct_runner_load(r, r->ctx);
}

// from an earlier run -----------------------------------------------------------------------------
// Columns as they were kept, with the names of the system.
static void take_columns(ct_runner *r) {
    const ct_strings *names = &r->s->columns[r->kinematics];
    ct_columns *c = &r->columns;
    *c = r->kept.columns;
    c->names = ct_scratch((size_t)c->n + 1, sizeof *c->names);
    for (int i = 0; i < c->n; i++) c->names[i] = names->item[i + 1];
}

// The plan as it was, with the numbers that are asked for now.
static ct_status take_plan(ct_runner *r) {
    ct_run_options o = *r->options;
    o.method = ct_method_name((ctk_method)r->kept.method);
    if (r->kinematics) o.integrator = "rk4";
    ct_status status = ct_plan_options(r->ctx, r->s->model, &o, &r->plan);
    if (status) return status;
    ct_plan *p = &r->plan;
    const ct_kept_run *k = &r->kept;
    p->complete = k->complete;
    p->kernel.cross_limits = k->cross_limits;
    if (k->n_independent) {
        p->independent = ct_alloc((size_t)k->n_independent + 1, sizeof *p->independent);
        memcpy(p->independent, k->independent, (size_t)k->n_independent * sizeof *p->independent);
        p->kernel.independent = p->independent;
    }
    return CT_OK;
}

// The numbers beside the code, array by array. Returns false if they do not fit it.
static bool take_values(const ct_kept_run *k, ct_loaded *loaded) {
    double **array[CT_VALUE_ARRAYS];
    int size[CT_VALUE_ARRAYS], all = 0;
    ct_emit_values v = {0};
    ct_value_arrays(loaded->model, &v, array, size);
    for (int i = 0; i < CT_VALUE_ARRAYS; i++) all += size[i];
    if (k->n != loaded->model->n || k->n_values != all) return false;
    const double *at = k->values;
    for (int i = 0; i < CT_VALUE_ARRAYS; at += size[i++]) {
        *array[i] = ct_alloc((size_t)size[i] + 1, sizeof(double));
        memcpy(*array[i], at, (size_t)size[i] * sizeof(double));
    }
    ct_load_values(loaded, v);
    return true;
}

// The code of a run that was kept, with the numbers beside it. Returns false if it is not there any
// more, or they do not fit each other and this system.
static bool load_kept(const ct_runner *r, const ct_kept_run *kept, ct_loaded *loaded) {
    char *name = ct_model_identifier(r->s->model);
    bool good = kept->columns.n < r->s->columns[r->kinematics].n &&
                ct_method_name((ctk_method)kept->method) &&
                ct_load_kept(kept->object, name, loaded);
    ct_free(name);
    if (good && !take_values(kept, loaded)) {
        ct_unload(loaded);
        good = false;
    }
    return good;
}

// Finds the run kept, with its code. Returns false, with nothing changed, if it is not.
static bool recall(ct_runner *r) {
    ct_loaded loaded;
    if (!ct_kept_run_read(r->key, &r->kept)) return false;
    bool good = load_kept(r, &r->kept, &loaded);
    if (good) ct_runner_take(r, loaded);
    if (!good) r->kept = (ct_kept_run){0};
    return good;
}

ct_status ct_runner_start_recalled(ct_runner *r) {
    r->recalled = true;
    ct_said_again(&r->kept.said, r->ctx);
    ct_status status = take_plan(r);
    if (!status)
        status = ct_run_check_jumps(r->ctx, r->s->model, r->plan.time,
                                    r->kinematics ? CT_RUN_KINEMATICS : CT_RUN_SIMULATE);
    if (!status) take_columns(r);
    return status;
}

// with the code of the file's own values ------------------------------------------------------------
// Returns false, with nothing changed, if the values need equations of their own.
static bool vary(ct_runner *r) {
    ct_digest key;
    ct_loaded loaded;
    ct_plan plan;
    if (!ct_may_vary(r->s, r->options) || !ct_runner_key(r, r->s->file_key, &key)) return false;
    // what is wrong with the options is said by others
    ct_context *quiet = ct_context_quiet(r->ctx);
    bool good = !ct_plan_options(quiet, r->s->model, r->options, &plan);
    ct_context_free(quiet);
    // code with the values, put to the test
    ct_messages said = ct_messages_so_far(r->ctx);
    char *name = ct_model_identifier(r->s->model);
    good = good && ct_vary_find(r, key, name, &loaded);
    ct_free(name);
    if (good) ct_runner_take(r, loaded);
    r->varied = good && !ct_runner_start_recalled(r) && ct_vary_holds(r);
    if (r->varied) return true;
    // nothing of it is left
    r->s->needs_own = true;
    ct_messages_back(r->ctx, &said);
    ct_runner_close(r);
    *r = (ct_runner){.ctx = r->ctx,
                     .s = r->s,
                     .options = r->options,
                     .kinematics = r->kinematics,
                     .before = said,
                     .breaks = r->breaks,
                     .reactions = r->reactions};
    return false;
}

// both --------------------------------------------------------------------------------------------
static ct_status prepare_or_recall(ct_runner *r) {
    // inputs that follow something may change what is looked at before the first row
    if (vary(r)) return CT_OK;
    bool known =
        !r->s->model->signals && ct_system_is_fresh(r->s) && ct_runner_key(r, r->s->key, &r->key);
    r->has_key = known;
    if (known && r->s->waits && recall(r)) return ct_runner_start_recalled(r);
    r->keeps = known;
    return prepare(r);
}

// True if the coordinates of the equations are those of the code: with values that are set another
// closure may have been found.
static bool same_coordinates(const ct_runner *r) {
    const ct_formulation *f = ct_run_formulation(r->s);
    const ctk_model *m = r->code.model;
    bool same = f->n == m->n && f->n_integrated == m->n_rotations;
    for (int k = 0; k < m->n && same; k++)
        same = !strcmp(m->coordinate_names[k], f->names[k]) ||
               ct_whole_rotation_of_coordinate(f, k, NULL);
    return same;
}

void ct_runner_note_interpreted(ct_runner *r) {
    const char *remedy = r->code.not_loaded
                             ? "name a folder in XDG_CACHE_HOME or TMPDIR whose files may be run"
                             : "install a compiler (package gcc), or name one in CC";
    char *text =
        ct_scratch_format("%s: the model is interpreted, about ten times slower than compiled; %s",
                          r->code.why, remedy);
    for (int i = 0; i < ct_message_count(r->ctx); i++)
        if (strstr(ct_message(r->ctx, i), text)) return;
    ct_note_at(r->ctx, (ct_place){0, 0}, "%s", text);
}

ct_status ct_runner_prepare(ct_runner *r) {
    ct_status status = prepare_or_recall(r);
    if (!status && r->code.why) ct_runner_note_interpreted(r);
    return status;
}

ct_status ct_runner_need(ct_runner *r) {
    if (!r->recalled) return CT_OK;
    ct_plan again = {0};
    ct_context *quiet = ct_context_quiet(r->ctx);
    ct_status status = plan(r, quiet, &again);
    ct_plan_clear(&again);
    ct_context_free(quiet);
    r->recalled = false;
    if (!status && r->varied && !same_coordinates(r)) return CT_INTERNAL;
    return status ? status : ct_runner_need_closures(r);
}

// The numbers beside code, as one array. Returns false if some are not given.
static bool collect_values(ct_loaded *code, ct_kept_run *kept) {
    double **array[CT_VALUE_ARRAYS];
    int size[CT_VALUE_ARRAYS], n = 0;
    ct_value_arrays(code->model, &code->values, array, size);
    for (int i = 0; i < CT_VALUE_ARRAYS; i++) n += size[i];
    kept->values = ct_scratch((size_t)n + 1, sizeof(double));
    kept->n_values = 0;
    for (int i = 0; i < CT_VALUE_ARRAYS; i++) {
        if (size[i] && !*array[i]) return false;
        if (size[i])
            memcpy(kept->values + kept->n_values, *array[i], (size_t)size[i] * sizeof(double));
        kept->n_values += size[i];
    }
    kept->object = code->key;
    return true;
}

bool ct_runner_describe(ct_runner *r) {
    // turned frames are another model's: such runs are prepared each time
    if (r->s->turned || r->columns.n_turned || !collect_values(&r->code, &r->kept)) return false;
    r->kept.columns = r->columns;
    return true;
}

void ct_runner_keep(ct_runner *r) {
    if (!r->keeps || !r->code.kept || r->recalled || !ct_runner_describe(r)) return;
    ct_kept_run_write(r->key, &r->kept);
    r->keeps = false;
}

// closures to change to ---------------------------------------------------------------------------
bool ct_runner_recall_closure(const ct_runner *r, ct_digest key, ct_run_closure *x) {
    ct_kept_run kept;
    *x = (ct_run_closure){0};
    if (!ct_kept_run_read(key, &kept) || kept.columns.n != r->columns.n ||
        !load_kept(r, &kept, &x->code))
        return false;
    x->columns = kept.columns;
    x->columns.names = r->columns.names;
    x->units = ct_alloc((size_t)kept.n + 1, sizeof(double));
    memcpy(x->units, kept.units, (size_t)kept.n * sizeof(double));
    return true;
}

void ct_runner_keep_closure(const ct_runner *r, ct_digest key, ct_run_closure *x) {
    ct_kept_run kept = r->kept;
    if (!x->code.kept || !collect_values(&x->code, &kept)) return;
    kept.columns = x->columns;
    kept.n = x->code.model->n;
    kept.units = x->units;
    ct_kept_run_write(key, &kept);
}
