// Reactions of joints as columns of a run: which of them, their values row by row, how large they are
// over the run, and whether redundant constraints leave them open.
#include "formulate/reactions/reactions.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <string.h>

struct ct_run_reactions {
    const ct_model *model;
    ct_reaction_groups groups;
    int n_selected, *selected; // columns
    bool *is_read;             // [columns] by an output; NULL: columns are asked for
    ctk_joint_forces forces;
    // ranges over the rows: sizes of vectors are squared, rms is a sum, until the run ends
    long rows;
    ct_effort_range *efforts;
    ct_reaction_range *ranges;
};

bool ct_run_drives(const ct_model *model, const ct_run_options *options) {
    return options->drives && model->n_drives > 0;
}

// True if an output of the model reads what a probe measures.
static bool is_read(const ct_model *model, const ct_probe *probe) {
    for (int i = 0; i < model->n_outputs && probe->kind == CT_PROBE_REACTION; i++)
        if (ct_depends(model->pool, model->outputs[i].value, probe->symbol)) return true;
    return false;
}

bool ct_outputs_read_reactions(const ct_model *model) {
    for (int i = 0; i < model->n_probes; i++)
        if (is_read(model, model->probes + i)) return true;
    return false;
}

// which -------------------------------------------------------------------------------------------
static bool next_name(const char **list, char *name, size_t size) {
    if (!**list) return false;
    size_t n = strcspn(*list, ",");
    if (n >= size) n = size - 1;
    memcpy(name, *list, n);
    name[n] = '\0';
    *list += strcspn(*list, ",");
    if (**list) ++*list;
    return true;
}

static void select_group(ct_run_reactions *x, const ct_reaction_group *g) {
    for (int k = 0; k < g->n; k++) x->selected[x->n_selected++] = g->first + k;
}

static ct_status select_name(ct_context *ctx, ct_run_reactions *x, const char *name, bool *done) {
    const char **names = ct_scratch((size_t)x->groups.n + 1, sizeof *names);
    bool found = false;
    for (int i = 0; i < x->groups.n; i++) {
        names[i] = x->groups.item[i].name;
        if (strcmp(names[i], name)) continue;
        found = done[i] = true;
    }
    if (found) return CT_OK;
    const char *near = ct_nearest(name, names, x->groups.n);
    return ct_fail(ctx, CT_USAGE, "--reactions: no joint, coupling or motion is called '%s'%s%s%s",
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static ct_status select_columns(ct_context *ctx, ct_run_reactions *x, const char *list) {
    char name[256];
    bool *wanted = ct_scratch((size_t)x->groups.n + 1, sizeof *wanted), all = !*list;
    ct_status status = CT_OK;
    while (!status && next_name(&list, name, sizeof name))
        status = select_name(ctx, x, name, wanted);
    for (int i = 0; i < x->groups.n && !status; i++)
        if (all || wanted[i]) select_group(x, x->groups.item + i);
    return status;
}

// Without columns: those that outputs read.
static void find_read(ct_run_reactions *x, bool drives) {
    x->is_read = ct_scratch((size_t)x->groups.n_columns + 1, sizeof *x->is_read);
    for (int i = 0; i < x->model->n_probes; i++) {
        if (!is_read(x->model, x->model->probes + i)) continue;
        int column = ct_reaction_column(&x->groups, x->model->probes + i, drives);
        if (column >= 0) x->is_read[column] = true;
    }
}

ct_status ct_reactions_open(ct_context *ctx, ct_system *s, const ct_run_options *options,
                            ct_run_reactions **reactions, int *n) {
    *reactions = NULL;
    *n = 0;
    if (!options->reactions && !ct_outputs_read_reactions(s->model)) return CT_OK;
    const bool drives = ct_run_drives(s->model, options);
    ct_run_reactions *x = ct_scratch(1, sizeof *x);
    x->model = s->model;
    x->groups = ct_reaction_groups_of(s->model, drives);
    size_t columns = (size_t)x->groups.n_columns + 1, groups = (size_t)x->groups.n + 1;
    x->selected = ct_scratch(columns, sizeof *x->selected);
    x->efforts = ct_scratch(groups, sizeof *x->efforts);
    x->ranges = ct_scratch(groups, sizeof *x->ranges);
    ct_status status = options->reactions ? select_columns(ctx, x, options->reactions) : CT_OK;
    if (status) return status;
    if (!options->reactions) find_read(x, drives);
    *n = x->n_selected;
    *reactions = x;
    return CT_OK;
}

static CT_BELOW ct_status name_columns(ct_context *ctx, ct_system *s, const ct_run_options *options,
                                       bool kinematics, int n, int *count) {
    ct_run_reactions *x;
    int more;
    ct_status status = ct_reactions_open(ctx, s, options, &x, &more);
    if (status) return status;
    ct_free(s->run_columns);
    s->run_columns = ct_alloc((size_t)(n + more) + 1, sizeof *s->run_columns);
    for (int i = 0; i < n; i++) s->run_columns[i] = s->columns[kinematics].item[i];
    *count = n;
    // selected columns stand in the order of the groups
    for (int i = 0, j = 0; x && i < x->groups.n; i++)
        for (int k = 0; k < x->groups.item[i].n && j < x->n_selected; k++) {
            const ct_reaction_group *g = x->groups.item + i;
            if (x->selected[j] != g->first + k) continue;
            j++;
            s->run_columns[(*count)++] = ct_strings_add(
                &s->reactions, ct_format("%s.%s", g->name, ct_reaction_column_name(g, k)));
        }
    return CT_OK;
}

static ct_status run_columns(ct_context *ctx, ct_system *s, const ct_run_options *options,
                             bool kinematics, int n, int *count) {
    CT_CALL(ctx, &s->memory, name_columns(ctx, s, options, kinematics, n, count));
}

int ct_run_columns(ct_context *ctx, ct_system *s, const ct_run_options *options, bool kinematics,
                   const char *const **names) {
    int count, n = ct_result_columns(s, kinematics, names);
    if (n < 0 || !options->reactions) return n;
    *names = NULL;
    if (run_columns(ctx, s, options, kinematics, n, &count)) return -1;
    *names = s->run_columns;
    return count;
}

// row by row ----------------------------------------------------------------------------------------
void ct_reactions_restart(ct_runner *r) {
    ct_run_reactions *x = r->reactions;
    const ctk_wrenches *w = r->code.model->wrenches;
    double *doubles = ct_scratch(ctk_joint_forces_doubles(w) + 1, sizeof *doubles);
    int *ints = ct_scratch(ctk_joint_forces_ints(w) + 1, sizeof *ints);
    ctk_joint_forces_init(&x->forces, &r->sim, w, NULL, doubles, ints);
    x->rows = 0;
}

// Without a call, for rows with many columns; a value that is not a number is passed over.
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

static inline double square(const double *v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void note_ranges(ct_run_reactions *x, const double *rate) {
    bool first = !x->rows++;
    for (int i = 0, effort = 0, other = 0; i < x->groups.n; i++) {
        const ct_reaction_group *g = x->groups.item + i;
        const double *y = x->forces.y + g->first;
        // efforts with their power
        if (g->kind == CT_REACTION_EFFORT) {
            ct_effort_range *e = x->efforts + effort;
            double power = fabs(y[0] * rate[effort++]);
            if (first) *e = (ct_effort_range){g->name, y[0], y[0], 0, 0};
            e->min = fmin(e->min, y[0]);
            e->max = larger(e->max, y[0]);
            e->rms += y[0] * y[0];
            e->peak_power = larger(e->peak_power, power);
            continue;
        }
        // joints and couplings by size
        ct_reaction_range *range = x->ranges + other++;
        if (first) *range = (ct_reaction_range){.name = g->name};
        range->is_coupling = g->kind == CT_REACTION_LAMBDA;
        if (range->is_coupling) {
            range->max_lambda = larger(range->max_lambda, fabs(y[0]));
        } else {
            range->max_force = larger(range->max_force, square(y));
            range->max_moment = larger(range->max_moment, square(y + 3));
        }
    }
}

// The first motion whose coordinate is no drive itself; else the first of all.
static const char *motion_without_drive(const ct_model *model) {
    for (int i = 0; i < model->n_motions; i++) {
        bool is_drive = false;
        for (int k = 0; k < model->n_drives; k++)
            is_drive = is_drive || !strcmp(model->drives[k].name, model->motions[i].name);
        if (!is_drive) return model->motions[i].name;
    }
    return model->n_motions ? model->motions[0].name : "it";
}

// Every freedom is driven by a motion here, so that drives must do what the motions would.
static ct_status drives_fail(const ct_runner *r, int choices) {
    const ct_model *m = r->reactions->model;
    ct_text names = {0};
    for (int i = 0; i < m->n_drives; i++)
        ct_text_printf(&names, "%s'%s'", i ? ", " : "", m->drives[i].name);
    ct_status status = ct_fail(
        r->ctx, CT_NUMERICS, "at t = %.9g the drives %s cannot move '%s' here (rank %d of %d)",
        r->sim.t, names.s, motion_without_drive(m), m->n_drives - choices, m->n_motions);
    ct_text_clear(&names);
    return status;
}

ct_status ct_reactions_look(ct_runner *r, double *columns) {
    ct_run_reactions *x = r->reactions;
    const ctk_wrenches *w = r->code.model->wrenches;
    const double *y = x->forces.y;
    const bool drives = ct_run_drives(x->model, r->options);
    const ctk_status found = ctk_joint_forces_find(&x->forces, &r->sim);
    if (drives && (found || ctk_joint_forces_bare(&x->forces) > CT_DRIVES_LEFT))
        return drives_fail(r, ctk_joint_forces_choices(&x->forces));
    if (found) {
        return ct_reactions_fail_singular(r->ctx, r->sim.t,
                                          ct_reactions_open_names(&x->groups, &x->forces));
    }
    note_ranges(x, y + w->n_columns + w->n_more - 3 - w->n_efforts);
    if (x->n_selected == w->n_columns)
        memcpy(columns, y, (size_t)x->n_selected * sizeof *y);
    else
        for (int i = 0; i < x->n_selected; i++) columns[i] = y[x->selected[i]];
    return CT_OK;
}

// at the end ----------------------------------------------------------------------------------------
void ct_reactions_tell(const ct_runner *r) {
    const ct_run_reactions *x = r->reactions;
    const ctk_joint_forces *f = &x->forces;
    // of those that nobody sees there is nothing to say
    for (int i = 0; i < x->groups.n && x->is_read; i++) {
        const ct_reaction_group *g = x->groups.item + i;
        bool is_seen = false;
        for (int k = g->first; k < g->first + g->n; k++)
            is_seen = is_seen || (x->is_read[k] && !f->is_unique[k]);
        f->is_stressed[i] = f->is_stressed[i] && is_seen;
    }
    ct_reactions_tell_open(r->ctx, &x->groups, f);
}

const double *ct_reactions_values(const ct_runner *r) {
    return r->reactions->forces.y;
}

void ct_reactions_set(const ct_runner *r, ct_numbers *numbers) {
    const ct_run_reactions *x = r->reactions;
    const bool drives = ct_run_drives(x->model, r->options);
    for (int i = 0; i < x->model->n_probes; i++) {
        const ct_probe *p = x->model->probes + i;
        if (p->kind != CT_PROBE_REACTION) continue;
        int column = ct_reaction_column(&x->groups, p, drives);
        double value = column < 0 ? 0 : x->forces.y[column];
        ct_numbers_set(numbers, 1, &p->symbol, &value);
    }
}

void ct_reactions_summarise(const ct_runner *r, ct_run_summary *summary) {
    const ct_run_reactions *x = r->reactions;
    ct_system *s = r->s;
    if (x->is_read) return; // nobody has asked for columns
    // copies that stay with the system
    size_t efforts = (size_t)x->groups.n_efforts, others = (size_t)x->groups.n - efforts;
    ct_free(s->efforts);
    ct_free(s->ranges);
    s->efforts = ct_alloc(efforts + 1, sizeof *s->efforts);
    s->ranges = ct_alloc(others + 1, sizeof *s->ranges);
    memcpy(s->efforts, x->efforts, efforts * sizeof *s->efforts);
    memcpy(s->ranges, x->ranges, others * sizeof *s->ranges);
    // sums and squares become sizes; what was open stays so
    for (size_t i = 0; i < efforts; i++)
        s->efforts[i].rms = sqrt(s->efforts[i].rms / fmax((double)x->rows, 1));
    for (size_t i = 0; i < others; i++) {
        const ct_reaction_group *g = x->groups.item + efforts + i;
        s->ranges[i].max_force = sqrt(s->ranges[i].max_force);
        s->ranges[i].max_moment = sqrt(s->ranges[i].max_moment);
        s->ranges[i].is_open = x->forces.is_stressed[efforts + i];
        for (int k = 0; k < 6; k++)
            s->ranges[i].unique[k] = k >= g->n || x->forces.is_unique[g->first + k];
    }
    summary->n_efforts = (int)efforts;
    summary->efforts = s->efforts;
    summary->n_reactions = (int)others;
    summary->reactions = s->ranges;
    summary->overactuated = ctk_joint_forces_choices(&x->forces);
}
