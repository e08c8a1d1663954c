// Runs with values that --set has changed. Method, columns and code are those of a run with the
// file's own values, which is prepared once and kept. For the values at hand positions alone are
// formulated, in the same trees, and assembled: all that values decide on in the equations, in the
// initial position and in its ranks is found by the same functions as ever and compared. The closure
// is put to the test in its code. Where anything differs the values get equations of their own.
#include "closure/tolerances.h"
#include "formulate/dynamics.h"
#include "formulate/whole_rotation.h"
#include "run/run.h"
#include "run/tolerances.h"
#include "assemble/turned.h"

#include <math.h>
#include <string.h>

// What of a run the values decide on, in a region of its own.
typedef struct variation {
    ct_region region;
    ct_formulation *f; // positions in the trees of the run
    ct_assembly *assembly;
    const double *start;    // [f->n]
    const ct_assembled *at; // perhaps with rotations that are integrated whole
} variation;

// the file's own run ------------------------------------------------------------------------------
ct_model *ct_vary_read_file(const ct_runner *r) {
    const ct_model *m = r->s->model;
    ct_model *plain;
    ct_context *quiet = ct_context_quiet(r->ctx);
    if (ct_model_read_text(quiet, m->path, m->text, m->text_bytes, 0, NULL, &plain)) plain = NULL;
    ct_context_free(quiet);
    return plain;
}

// The run of the file: at hand, or kept. *possible is false if it is no use for other values.
static bool find_file(ct_runner *r, ct_digest key, const char *name, ct_loaded *loaded,
                      bool *possible) {
    ct_file_run *made = r->s->file_run;
    if (made) {
        r->kept = made->kept;
        *loaded = made->loaded;
        made->loaded = (ct_loaded){0};
        *possible = made->possible;
        return made->possible && loaded->model;
    }
    bool found = ct_kept_run_read(key, &r->kept);
    *possible = !found || !r->kept.said.n;
    return found && *possible && r->kept.columns.n < r->s->columns[r->kinematics].n &&
           ct_method_name((ctk_method)r->kept.method) && ct_load_kept(r->kept.object, name, loaded);
}

// the form of the equations -----------------------------------------------------------------------
// Positions of a model, in a fork of it, in the trees of a run. Returns NULL if these do not fit.
static ct_formulation *find_positions(const ct_model *model, const ct_runner *r) {
    const ct_kept_run *k = &r->kept;
    ct_context *quiet = ct_context_quiet(NULL);
    ct_formulation *f = NULL;
    ct_graph *g = ct_graph_new(ct_model_fork(model));
    bool good = g->n_edges == k->n_edges;
    for (int d = 0; d < 2 && good; d++) {
        int n = 0, *edges = ct_scratch((size_t)g->n_edges + 1, sizeof *edges);
        for (int e = 0; e < g->n_edges; e++)
            if (k->in_tree[d * g->n_edges + e] && g->edges[e].kind != CT_EDGE_ARM) edges[n++] = e;
        good = !ct_tree_set(quiet, g, (ct_domain)d, n, edges);
    }
    ct_formulate_what what = r->kinematics ? CT_FORMULATE_ALL_POSITIONS : CT_FORMULATE_POSITIONS;
    if (good && ct_formulation_new(quiet, g, what, &f)) f = NULL;
    ct_context_free(quiet);
    return f;
}

// Digest of the expressions, and of what numbers decide on in the model and in equations of motion.
static ct_digest form_of(const ct_formulation *f) {
    const ct_model *m = f->model;
    ct_digest form = ct_pool_digest(f->pool);
    ct_digest_add_number(&form, (uint64_t)f->n);
    ct_digest_add_number(&form, (uint64_t)f->m);
    for (int i = 0; i < m->n_conditions; i++) ct_digest_add_number(&form, m->conditions[i].kind);
    for (int i = 0; i < m->n_forces; i++)
        if (m->forces[i].type == CT_FORCE_TYRE)
            ct_digest_add_number(&form, (uint64_t)(1 + ct_tyre_axle(f->layout, i)));
    return form;
}

// The form of the file's own equations: read and formulated again.
static ct_kept_form find_form(const ct_runner *r) {
    ct_kept_form kept = {0};
    ct_model *plain = ct_vary_read_file(r);
    ct_region region = {0};
    ct_region_open(&region);
    const ct_formulation *f = plain ? find_positions(plain, r) : NULL;
    kept.possible = f != NULL;
    if (f) kept.form = form_of(f);
    ct_region_close(&region);
    ct_region_free(&region);
    ct_model_free(plain);
    return kept;
}

ct_digest ct_vary_form_key(ct_digest run) {
    ct_digest_add_text(&run, "form");
    return run;
}

// Finds the run of the file and the form of its equations, kept or made. Returns false if there is
// no such run, or it is no use for other values.
static bool find_origin(ct_runner *r, ct_digest key, const char *name, ct_loaded *loaded,
                        ct_digest *form) {
    ct_digest beside = ct_vary_form_key(key);
    ct_kept_form kept;
    bool known = ct_kept_form_read(beside, &kept), possible = true;
    if (known && !kept.possible) return false;
    bool found = find_file(r, key, name, loaded, &possible);
    if (!known && (found || !possible)) {
        kept = found ? find_form(r) : (ct_kept_form){0};
        ct_kept_form_write(beside, &kept);
    }
    *form = kept.form;
    if (found && !kept.possible) ct_unload(loaded);
    return found && kept.possible;
}

// the values --------------------------------------------------------------------------------------
// True if kept rows and others are those of the run.
static bool same_rows(const ct_assembled *at, const ct_kept_run *k) {
    size_t bytes = sizeof(int);
    return at->m == k->m && at->n_dropped == k->n_dropped &&
           (!k->m || !memcmp(at->rows, k->rows, (size_t)k->m * bytes)) &&
           (!k->n_dropped || !memcmp(at->dropped, k->dropped, (size_t)k->n_dropped * bytes));
}

// The rotations of the run, integrated whole. Returns false if they are not the same.
static bool integrate_whole(ct_context *ctx, variation *v, const ct_kept_run *k) {
    ct_whole_rotation *all = ct_scratch((size_t)v->f->graph->n_edges + 1, sizeof *all);
    ct_formulation *whole;
    int n = ct_whole_rotations_free(v->f, all), kept = 0;
    for (int i = 0; i < n && kept < k->n_whole; i++)
        if (all[i].edge == k->whole[kept]) all[kept++] = all[i];
    if (kept != k->n_whole) return false;
    if (!kept) return true;
    if (ct_formulation_with_whole_rotations(ctx, v->f, kept, all, &whole)) return false;
    v->at = ct_assembled_whole(v->at, whole);
    return true;
}

// True if no spring starts without a length, where it had no direction.
static bool springs_have_length(const variation *v) {
    const ct_model *m = v->f->model;
    ct_named named = {0};
    ct_numbers x;
    bool any = false, good = true;
    for (int i = 0; i < m->n_forces; i++)
        any |= ct_force_traits_of(m->forces[i].type)->on == CT_ON_POINTS;
    if (!any) return true;
    ct_named_find(v->f, &named);
    ct_model_numbers(m, &x);
    ct_numbers_set(&x, v->f->n, v->f->q, v->start);
    for (int i = 0; i < named.n_lines && good; i++) {
        double distance;
        ct_numbers_eval(&x, 1, &named.lines[i].distance, &distance);
        good = distance > CT_RUN_NO_DIRECTION * ct_typical_length(m);
    }
    ct_numbers_clear(&x);
    return good;
}

// Formulates and assembles positions with the values. Returns false if the equations, the rows that
// bind or the frames of balls are others than in the run, or if there is anything to say.
static bool assemble(ct_runner *r, ct_digest form, variation *v) {
    const ct_kept_run *k = &r->kept;
    ct_context *aside = ct_context_aside(r->ctx);
    const ct_model *model = r->s->model;
    // equations of the same form
    v->f = find_positions(model, r);
    ct_digest own = v->f ? form_of(v->f) : (ct_digest){0};
    bool good = v->f && !memcmp(&own, &form, sizeof form) && !ct_model_turned(model, NULL);
    // the initial position, with balls away from their lock
    good = good && !ct_assembly_new(aside, v->f->model, &v->assembly) &&
           !ct_model_turned(model, v->assembly->joint);
    // the same rows bind it
    if (good) {
        ct_assembled *at = ct_assembled_new(aside, v->assembly, v->f);
        v->at = at;
        v->start = at->q0;
        good = same_rows(at, k) && springs_have_length(v) && integrate_whole(aside, v, k);
    }
    good = good && !ct_message_count(aside);
    ct_context_free(aside);
    return good;
}

// The function for the scales of measures, with or without values in the model; NULL: there is none.
static ct_scales *scales_of(const ct_loaded *loaded) {
    const ctk_initial *i = loaded->model->initial;
    return loaded->scales ? loaded->scales : i ? i->scales : NULL;
}

// The scales of the closure's measures at the initial position.
static void find_scales(const ct_loaded *loaded, const ct_emit_values *v, double *scale) {
    const ctk_model *m = loaded->model;
    double *c = ct_scratch((size_t)m->n_constants + 1, sizeof *c);
    if (m->context) memcpy(c, &m->context, sizeof m->context);
    if (m->constants) m->constants(v->parameters, c);
    scales_of(loaded)(c, 0, v->q0, v->inputs, scale);
    for (int i = 0; i < m->closure->n_guards; i++)
        if (!isfinite(scale[i])) scale[i] = 0;
}

// The numbers beside the code, for the values. Returns false if the code does not fit.
static bool take_values(ct_runner *r, const variation *v, ct_loaded *loaded) {
    const ctk_model *m = loaded->model;
    const ct_assembled *at = v->at;
    const int guards = m->closure ? m->closure->n_guards : 0;
    // sizes and names
    bool good = m->n == at->f->n && m->m == at->m && m->n_spare == at->n_dropped &&
                m->n_rotations == at->f->n_integrated && r->kept.n == m->n &&
                m->n_parameters == ct_model_free_parameters(at->f->model) &&
                (!guards || scales_of(loaded));
    for (int i = 0; i < m->m + m->n_spare && good; i++) {
        int row = i < at->m ? at->rows[i] : at->dropped[i - at->m];
        good = !strcmp(m->constraint_names[i], ct_row_name(at->f, row));
    }
    if (!good) return false;
    // values that the text of the code does not hold
    ct_emit_input in = {.f = at->f,
                        .m = at->m,
                        .rows = at->rows,
                        .n_dropped = at->n_dropped,
                        .dropped = at->dropped,
                        .q0 = at->q0,
                        .qd0 = at->qd0};
    ct_emit_values values;
    ct_emit_values_of(&in, &values);
    values.guard_scale = ct_alloc((size_t)guards + 1, sizeof *values.guard_scale);
    if (guards) find_scales(loaded, &values, values.guard_scale);
    ct_load_values(loaded, values);
    // what the run knows of them
    ct_kept_run *k = &r->kept;
    k->length = at->f->length;
    for (int i = 0; i < k->n; i++) k->units[i] = ct_coordinate_unit(at->f, i);
    ct_columns_start(&k->columns, v->assembly);
    return true;
}

// the closure -------------------------------------------------------------------------------------
// Starts the code at a time, with the independent coordinates moved by `way` along a direction and
// the others closed by iteration: the closure must find the same position and rates, and leave no row
// open. margin (or NULL): the least measure, in its scale.
static ctk_status start_at(const ct_runner *r, double t, const double *direction, double way,
                           double open, double *margin) {
    const ctk_model *m = r->code.model;
    ct_stage stage = ct_stage_begin();
    double *doubles = ct_scratch(ctk_doubles(m) + 1, sizeof *doubles),
           *q = ct_scratch((size_t)(m->n + 4 * m->n_rotations) + 1, sizeof *q);
    int *ints = ct_scratch(ctk_ints(m) + 1, sizeof *ints);
    ctk_sim sim;
    ctk_options options = r->plan.kernel;
    options.cross_limits = 0;
    options.open = open;
    memcpy(q, m->q0, (size_t)(m->n + 4 * m->n_rotations) * sizeof *q);
    for (int j = 0; j < m->closure->n_independent && way != 0; j++)
        q[m->closure->independent[j]] += way * direction[m->closure->independent[j]];
    ctk_status status = ctk_init(&sim, m, &options, NULL, NULL, t, q, m->qd0, doubles, ints);
    for (int i = 0; i < m->closure->n_guards && margin && !status; i++)
        if (m->closure->guard_scale[i] > 0)
            *margin = fmin(*margin, sim.space.base_g[i] / m->closure->guard_scale[i]);
    ct_stage_end(stage);
    return status;
}

// True if what a start at a neighbour has come to says nothing against the closure: beyond the reach
// of the mechanism nothing closes.
static bool is_harmless(ctk_status status) {
    return status == CTK_OK || status == CTK_NO_CONVERGENCE;
}

// Along the initial motion and against it, as ct_close_probe does.
static bool holds_nearby(const ct_runner *r) {
    enum { STEPS = 2 };
    const ctk_model *m = r->code.model;
    double *along = ct_scratch((size_t)m->n + 1, sizeof *along);
    bool good = true;
    for (int k = 0; k < m->n; k++) along[k] = m->qd0[k] != 0 ? m->qd0[k] : r->kept.units[k];
    for (int k = 1; k <= STEPS && good; k++) {
        double way = CT_PROBE_WAY * CT_PROBE_STEPS * k / STEPS;
        good = is_harmless(start_at(r, way, along, way, CT_PROBE_CLOSED, NULL)) &&
               (!m->closure->n_independent ||
                is_harmless(start_at(r, 0, along, -way, CT_PROBE_CLOSED, NULL)));
    }
    return good;
}

// All around, as ct_close_probe_wide does: for a closure that rests on orientations that stay.
static bool holds_around(const ct_runner *r) {
    const ctk_model *m = r->code.model;
    double *to = ct_scratch((size_t)m->n + 1, sizeof *to),
           span = r->plan.time > 0 ? r->plan.time : 1;
    unsigned state = 1;
    int closed = 0;
    for (int i = 0; i < CT_PROBE_PLACES; i++) {
        for (int k = 0; k < m->n; k++) {
            state = state * 1664525u + 1013904223u;
            to[k] = ((state >> 8) / 8388608.0 - 1) * r->kept.units[k];
        }
        ctk_status status =
            start_at(r, span * (i + 1) / CT_PROBE_PLACES, to, CT_PROBE_KEPT, CT_PROBE_EXACT, NULL);
        if (!is_harmless(status)) return false;
        closed += !status;
    }
    return closed >= CT_PROBE_SHARE * CT_PROBE_PLACES;
}

// Puts the closure to the test with the values, and its start: away from where branches meet, unless
// there is code for all methods.
bool ct_vary_holds(const ct_runner *r) {
    const ctk_model *m = r->code.model;
    double margin = INFINITY;
    if (!ct_plan_closes(&r->plan)) return true;
    if (start_at(r, 0, NULL, 0, CT_PROBE_CLOSED, &margin)) return false;
    if (!m->dynamics && m->closure->n_independent && margin < CT_RUN_NEAR_BRANCH) return false;
    return holds_nearby(r) && (!r->kept.translates || holds_around(r));
}

// all together ------------------------------------------------------------------------------------
bool ct_vary_find(ct_runner *r, ct_digest key, const char *name, ct_loaded *loaded) {
    ct_digest form;
    if (!find_origin(r, key, name, loaded, &form)) return false;
    variation v = {0};
    ct_region_open(&v.region);
    bool good = assemble(r, form, &v);
    ct_region_close(&v.region);
    good = good && take_values(r, &v, loaded);
    ct_region_free(&v.region);
    if (!good) ct_unload(loaded);
    return good;
}

bool ct_may_vary(const ct_system *s, const ct_run_options *options) {
    return !ct_options_are_natural(s->model, options) && s->has_file_key && !s->needs_own &&
           s->waits && !s->assembled && !s->closed && !s->model->signals &&
           ct_pool_size(s->model->pool) == s->model->put_off->nodes;
}
