// The public stages of a system: trees and formulation, initial position, closure; and what can be
// said about them: freedoms, redundant constraints, operations.
#include "run/system.h"
#include "assemble/turned.h"
#include "closure/describe.h"
#include "formulate/whole_rotation.h"
#include "run/trees/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The equations of a model in the trees of the system.
static ct_status formulate(ct_context *ctx, ct_system *s, const ct_model *model) {
    ct_graph *graph = ct_graph_new(model);
    ct_status status = ct_rule_trees(ctx, graph, s->asked ? s->rule : NULL, s->what, &s->rule);
    return status ? status : ct_formulation_new(ctx, graph, s->what, &s->f);
}

ct_status ct_system_write(ct_context *ctx, ct_system *s) {
    ct_report(ctx, "writing the equations", -1, false);
    return formulate(ctx, s, s->model);
}

ct_status ct_system_new(ct_context *ctx, const ct_model *model, const char *rule,
                        ct_formulate_what what, ct_system **system) {
    *system = NULL;
    ct_system *s = ct_region_new(sizeof *s);
    s->model = model;
    s->first = model->put_off;
    s->content = model->content;
    s->what = what;
    s->asked = rule != NULL;
    s->rule = rule;
    ct_status status = ct_system_write(ctx, s);
    ct_region_close(&s->memory.region);
    if (status)
        ct_system_free(s);
    else
        *system = s;
    return status;
}

void ct_system_free(ct_system *s) {
    if (!s) return;
    ct_system_settle(s);
    // a fork of the model may be gone, after a call that ran out of memory
    if (s->first->system == s) {
        s->first->system = NULL;
        s->first->owed = s->waits;
    }
    // names that were made outside of a call
    for (int i = 0; i < 2 && !s->memory.broken; i++) ct_strings_clear(&s->columns[i]);
    ct_region_free(&s->memory.region);
}

// stages ---------------------------------------------------------------------------------------
static CT_BELOW ct_status assemble(ct_context *ctx, ct_system *s) {
    if (s->assembled) return CT_OK;
    ct_status status = ct_system_need(ctx, s);
    ct_report(ctx, "assembling", -1, false);
    // balls that start near the lock of their angles in turned frames, then those that end up there
    if (!s->by_name) s->turned = ct_model_turned(s->model, NULL);
    if (!status) status = ct_assembly_new(ctx, s->turned ? s->turned : s->model, &s->assembly);
    if (!status && !s->by_name) {
        const ct_model *turned = ct_model_turned(s->model, s->assembly->joint);
        if (!ct_model_same_turns(turned, s->turned)) {
            s->turned = turned;
            status = ct_assembly_new(ctx, turned ? turned : s->model, &s->assembly);
        }
    }
    // the same trees in their frames
    if (!status && s->turned) status = formulate(ctx, s, s->turned);
    if (!status) s->assembled = ct_assembled_new(ctx, s->assembly, s->f);
    return status;
}

ct_status ct_assemble(ct_context *ctx, ct_system *s) {
    CT_CALL(ctx, &s->memory, assemble(ctx, s));
}

ct_status ct_system_by_name(ct_context *ctx, ct_system *s, bool by_name) {
    bool differs = s->turned;
    if (s->assembled && !by_name && !differs)
        differs = ct_model_turned(s->model, s->assembly->joint) != NULL;
    s->by_name = by_name;
    if (!s->assembled || !differs) return CT_OK;
    s->turned = NULL;
    s->assembly = NULL;
    s->assembled = s->whole = NULL;
    s->whole_f = s->natural_f = NULL;
    s->natural = NULL;
    s->closed = NULL;
    return formulate(ctx, s, s->model);
}

ct_status ct_system_start_from(ct_context *ctx, ct_system *s, const ct_model *model) {
    ct_status status = ct_system_need(ctx, s);
    if (status) return status;
    s->model = model;
    s->content = model->content;
    s->has_key = s->has_file_key = false;
    s->turned = NULL;
    s->assembly = NULL;
    s->assembled = s->whole = NULL;
    s->whole_f = s->natural_f = NULL;
    s->natural = NULL;
    s->closed = NULL;
    return formulate(ctx, s, model);
}

ct_status ct_integrate_whole(ct_context *ctx, ct_system *s) {
    ct_status status = ct_assemble(ctx, s);
    if (status || s->whole || s->in_angles || s->what != CT_FORMULATE_ALL) return status;
    ct_whole_rotation *all = ct_scratch((size_t)s->f->graph->n_edges + 1, sizeof *all);
    int n = ct_whole_rotations_free(s->f, all);
    if (n) status = ct_formulation_with_whole_rotations(ctx, s->f, n, all, &s->whole_f);
    if (s->whole_f) s->whole = ct_assembled_whole(s->assembled, s->whole_f);
    return status;
}

ct_status ct_formulate_natural(ct_context *ctx, ct_system *s) {
    ct_status status = ct_assemble(ctx, s);
    if (status || s->natural) return status;
    status = ct_formulation_natural(ctx, s->f, &s->natural_f);
    // what there is to say about the initial position is said of joint coordinates
    if (!status) s->natural = ct_assembled_new(ct_context_quiet(NULL), s->assembly, s->natural_f);
    return status;
}

static ct_closing closing_of(const ct_system *s, int n, const char *const *names) {
    return (ct_closing){.at = s->assembled,
                        .free_trees = !s->asked && !s->model->has_trees,
                        .in_angles = s->in_angles,
                        .shows_angles = s->by_loops,
                        .what = s->what,
                        .n = n,
                        .names = names};
}

// What a choice for the values of the file is made for.
typedef struct choice_data {
    const ct_system *s;
    int n;
    const char *const *names;
} choice_data;

// The choice of a closure for the values of the file, where --set has changed some: results of
// different values are comparable then, and their code is the same. NULL if there is none.
static char *choice_of_file(const void *data) {
    const choice_data *asked = data;
    const ct_system *s = asked->s;
    char *choice = NULL;
    // the same system with those values; its messages are not asked for
    ct_region region = {0};
    ct_region_open(&region);
    ct_context *quiet = ct_context_quiet(NULL);
    ct_model *original = ct_model_original(s->model);
    ct_system *other = NULL;
    ct_closed *closed = NULL;
    ct_status status =
        original ? ct_system_new(quiet, original, s->asked ? s->rule : NULL, s->what, &other)
                 : CT_WRONG_MODEL;
    if (!status) {
        other->in_angles = s->in_angles;
        other->by_loops = s->by_loops;
        status = assemble(quiet, other);
    }
    if (!status) {
        ct_closing own = closing_of(other, asked->n, asked->names);
        status = ct_closed_new(quiet, &own, &closed);
    }
    ct_region_close(&region);
    if (!status && closed->choice) choice = ct_strdup(closed->choice);
    ct_context_free(quiet);
    ct_region_free(&region);
    return choice;
}

// Says that the closure for the values of the file is not possible with those that are set.
void ct_system_note_closure(ct_context *ctx, const ct_system *s) {
    if (!s->closed || !s->closed->is_other) return;
    const ct_closure *c = s->closed->closure;
    ct_text names = {0};
    for (int i = 0; i < c->r; i++)
        ct_text_printf(&names, "%s%s", i ? ", " : "", c->f->names[c->independent[i]]);
    ct_note_at(
        ctx, (ct_place){0, 0},
        "with these values the closure for those of the file is not possible: another one was "
        "found, with independent coordinates %s",
        names.n ? names.s : "none");
    ct_text_clear(&names);
}

int ct_system_integrated(ct_system *s, const char *const **names) {
    const ct_formulation *f = ct_system_formulation(s);
    ct_whole_rotation *all = ct_scratch((size_t)f->graph->n_edges + 1, sizeof *all);
    int n = f->n_integrated;
    for (int i = 0; i < n; i++) all[i] = f->whole_rotations[i];
    if (!n && f->n == s->f->n && !s->closed) n = ct_whole_rotations_free(s->f, all);
    ct_strings_clear(&s->integrated);
    for (int i = 0; i < n; i++)
        ct_strings_add(&s->integrated,
                       ct_strdup(all[i].joint >= 0 ? f->model->joints[all[i].joint].name
                                                   : f->model->bodies[all[i].body].name));
    *names = (const char *const *)s->integrated.item;
    return n;
}

// True if the closure shows rotations that depend as they are asked for: in angles, or whole.
static bool shows_as_asked(const ct_system *s) {
    const ct_closure *c = s->closed->closure;
    return s->by_loops || s->in_angles ? !c->n_balls : !c->shows_angles;
}

// A closure of an assembled system with n independent coordinates that are named; 0: those of the
// model, or chosen.
static ct_status find_closure(ct_context *ctx, ct_system *s, int n, const char *const *names,
                              ct_closed **closed) {
    ct_closing closing = closing_of(s, n, names);
    const choice_data data = {s, n, names};
    closing.choice_of_file = choice_of_file;
    closing.data = &data;
    ct_status status = ct_closed_new(ctx, &closing, closed);
    // it belongs to the system, whoever asked for it
    ct_region_open(&s->memory.region);
    if (*closed) ct_region_keep(&(*closed)->region);
    ct_region_close(&s->memory.region);
    return status;
}

// Closes the system with n independent coordinates that are named. A closure found without names is
// kept.
static ct_status close_with(ct_context *ctx, ct_system *s, int n, const char *const *names) {
    if (s->closed && !n && !s->named && shows_as_asked(s)) return CT_OK;
    ct_status status = ct_refuse_switched(ctx, s->model, "closures");
    if (!status) status = ct_assemble(ctx, s);
    if (status) return status;
    ct_closed_free(s->closed);
    s->closed = NULL;
    s->named = n > 0;
    status = find_closure(ctx, s, n, names, &s->closed);
    if (!status) ct_system_note_closure(ctx, s);
    return status;
}

ct_status ct_close_beside(ct_context *ctx, ct_system *s, int n, const char *const *names,
                          ct_closed **other) {
    return find_closure(ctx, s, n, names, other);
}

ct_status ct_close_system(ct_context *ctx, ct_system *s) {
    return close_with(ctx, s, 0, NULL);
}

// Independent coordinates that the user names: they exist, none twice, one for each freedom.
static ct_status check_names(ct_context *ctx, const ct_system *s, int n, const char *const *names) {
    const ct_model *m = s->model;
    const char **known = ct_scratch((size_t)m->n_coordinates + 1, sizeof *known);
    ct_status status = CT_OK;
    // known and not named twice, with the nearest name in the message
    for (int i = 0; i < m->n_coordinates; i++) known[i] = m->coordinates[i].name;
    for (int i = 0; i < n; i++) {
        bool twice = false;
        for (int k = 0; k < i; k++) twice = twice || !strcmp(names[i], names[k]);
        const char *near = ct_nearest(names[i], known, m->n_coordinates);
        if (twice)
            status = ct_fail(ctx, CT_USAGE, "'%s' is named twice among the independent coordinates",
                             names[i]);
        else if (ct_model_coordinate(m, names[i]) < 0 && !ct_model_may_swing(m, names[i]))
            status = ct_fail(ctx, CT_USAGE, "there is no coordinate '%s'%s%s%s", names[i],
                             near ? ": did you mean '" : "; `cotree trees` lists some",
                             near ? near : "", near ? "'?" : "");
    }
    // as many as freedoms remain behind the motions
    int need = s->f->n - s->assembled->rank_motions;
    if (!status && n != need)
        status = ct_fail(ctx, CT_USAGE,
                         "%d independent coordinate%s named, but the mechanism has %d freedom%s "
                         "after its motions",
                         n, n == 1 ? " is" : "s are", need, need == 1 ? "" : "s");
    return status;
}

ct_status ct_close_named(ct_context *ctx, ct_system *s, int n, const char *const *names) {
    ct_status status = ct_assemble(ctx, s);
    if (!status && n) status = check_names(ctx, s, n, names);
    return status ? status : close_with(ctx, s, n, names);
}

static ct_status close_named(ct_context *ctx, ct_system *s, int n, const char *const *names) {
    CT_CALL(ctx, &s->memory, ct_close_named(ctx, s, n, names));
}

static ct_status describe(ct_context *ctx, const ct_system *s, ct_close_info **info) {
    CT_CALL_GIVES(ctx, NULL, info, ct_close_info_release, ct_closed_describe(ctx, s->closed, info));
}

ct_status ct_close_describe(ct_context *ctx, ct_system *s, int n, const char *const *names,
                            ct_close_info **info) {
    *info = NULL;
    ct_status status = close_named(ctx, s, n, names);
    return status ? status : describe(ctx, s, info);
}

const ct_assembled *ct_system_state(const ct_system *s) {
    return s->in_natural ? s->natural
           : s->closed   ? s->closed->at
           : s->whole    ? s->whole
                         : s->assembled;
}

const ct_formulation *ct_system_formulation(const ct_system *s) {
    return s->in_natural ? s->natural_f
           : s->closed   ? s->closed->at->f
           : s->whole    ? s->whole_f
                         : s->f;
}

const ct_assembled *ct_run_state(const ct_system *s) {
    return s->closed && !s->in_natural ? s->closed->run : ct_system_state(s);
}

const ct_formulation *ct_run_formulation(const ct_system *s) {
    return s->closed && !s->in_natural ? s->closed->run->f : ct_system_formulation(s);
}

ct_closure *ct_system_closure(const ct_system *s) {
    return s->closed && !s->in_natural ? s->closed->closure : NULL;
}

static CT_BELOW ct_status initial(ct_context *ctx, ct_system *s, ct_initial_info *info) {
    const ct_model *m = s->model;
    ct_status status = ct_assemble(ctx, s);
    if (status) return status;
    // joint coordinates, then those of bodies that no joint holds
    const ct_formulation *f = s->assembled->f;
    int n = m->n_coordinates;
    if (!s->joint_names) {
        s->joint_names = ct_alloc((size_t)(n + f->n_tree) + 1, sizeof *s->joint_names);
        s->joint_values = ct_alloc((size_t)(n + f->n_tree) + 1, sizeof *s->joint_values);
        for (int i = 0; i < n; i++) s->joint_names[i] = m->coordinates[i].name;
        memcpy(s->joint_values, s->assembly->joint, (size_t)n * sizeof *s->joint_values);
    }
    for (int k = 0; k < f->n_tree; k++) {
        if (f->coordinate[k] >= 0) continue;
        s->joint_names[n] = f->names[k];
        s->joint_values[n++] = s->assembled->q0[k];
    }
    *info = (ct_initial_info){n, s->joint_names, s->joint_values};
    return CT_OK;
}

ct_status ct_initial(ct_context *ctx, ct_system *s, ct_initial_info *info) {
    CT_CALL(ctx, &s->memory, initial(ctx, s, info));
}

// freedoms and operations ----------------------------------------------------------------------
// Independent circuits of joints: joints between bodies less moving bodies.
static int loops(const ct_model *model) {
    int between = 0;
    for (int i = 0; i < model->n_joints; i++)
        between += model->joints[i].body[0] >= 0 && !model->joints[i].is_virtual;
    int n = between - (model->n_bodies - 1);
    return n > 0 ? n : 0;
}

static void list_inputs(ct_system *s, ct_check_info *info) {
    const ct_model *m = s->model;
    if (!s->inputs) s->inputs = ct_alloc((size_t)m->n_inputs + 1, sizeof *s->inputs);
    for (int i = 0; i < m->n_inputs; i++)
        s->inputs[i] = (ct_input_info){m->inputs[i].name, m->inputs[i].number, m->inputs[i].drives};
    info->n_inputs = m->n_inputs;
    info->inputs = s->inputs;
}

static CT_BELOW ct_status check(ct_context *ctx, ct_system *s, ct_check_info *info) {
    // the initial position, without equations of motion where there are none yet
    ct_system *positions;
    ct_status status = ct_system_positions(ctx, s, &positions);
    if (!status) status = ct_assemble(ctx, positions);
    if (status) return status;
    const ct_assembled *a = ct_system_state(positions);
    const ct_formulation *f = a->f;
    int extra = f->n - f->n_tree; // auxiliary coordinates come with a row each
    *info = (ct_check_info){
        .name = s->model->name, .bodies = s->model->n_bodies - 1, .planar = f->planar};
    for (int i = 0; i < s->model->n_joints + s->model->n_switched; i++)
        info->joints +=
            ct_joint_has_coordinates(s->model->joints[i].type) && !s->model->joints[i].is_virtual;
    // constraint rows: those of the plane, or of space without auxiliary rows
    info->coordinates = f->n_tree;
    bool in_plane = ct_counts_in_plane(f);
    info->constraints = in_plane ? a->plane_rows : a->m_rows - extra + f->n_vanished;
    info->dof = f->n - a->rank;
    info->dof_after_motions = f->n - a->rank_motions;
    // redundant: rows beyond those kept for the run, so that a singular initial position makes none
    int needed = 0;
    for (int i = 0; i < a->m; i++) needed += f->owner[a->rows[i]].motion < 0;
    info->redundant = info->constraints - (needed - extra);
    if (info->redundant < 0) info->redundant = 0;
    info->loops = loops(s->model);
    info->residual = a->residual;
    // joints with redundant rows; rows that vanish or repeat in space alone name none in the plane
    const ct_assembled *in_angles = positions->assembled;
    info->n_redundant_joints = info->redundant || !in_plane ? in_angles->n_redundant : 0;
    info->redundant_joints = in_angles->redundant;
    list_inputs(s, info);
    return CT_OK;
}

ct_status ct_check(ct_context *ctx, ct_system *s, ct_check_info *info) {
    CT_CALL(ctx, &s->memory, check(ctx, s, info));
}

static ct_operation_count public_count(ct_operations c) {
    return (ct_operation_count){c.add, c.mul, c.div, c.func, ct_operations_total(c)};
}

// Operations of M, F, Phi, gamma, Phi_t and Phi_q written out in full.
static ct_operations expanded(const ct_formulation *f) {
    size_t n = (size_t)f->n, m = (size_t)f->m, nn = n * n;
    ct_ex *roots = ct_scratch(nn + n + 3 * m + m * n + 1, sizeof *roots);
    ct_formulation_entries(f);
    memcpy(roots, f->mass, nn * sizeof *roots);
    memcpy(roots + nn, f->forcing, n * sizeof *roots);
    if (m) {
        memcpy(roots + nn + n, f->phi, m * sizeof *roots);
        memcpy(roots + nn + n + m, f->gamma, m * sizeof *roots);
        memcpy(roots + nn + n + 2 * m, f->phi_t, m * sizeof *roots);
        memcpy(roots + nn + n + 3 * m, f->phi_q, m * n * sizeof *roots);
    }
    return ct_count_expanded(f->pool, (int)(nn + n + 3 * m + m * n), roots);
}

static CT_BELOW ct_status trees(ct_context *ctx, ct_system *s, ct_trees_info *info) {
    ct_status status = ct_system_need(ctx, s);
    if (status) return status;
    const ct_formulation *f = ct_system_formulation(s);
    const ct_graph *g = f->graph;
    // edges of the rotation tree and of the translation tree
    for (int d = 0; d < 2; d++) {
        ct_strings_clear(&s->tree_names[d]);
        for (int e = 0; e < g->n_edges; e++)
            if (g->tree[d].has[e] && g->edges[e].kind != CT_EDGE_ARM)
                ct_strings_add(&s->tree_names[d], ct_strdup(g->edges[e].name));
    }
    ct_pair_count count = ct_formulation_count(f);
    *info = (ct_trees_info){.rule = s->rule,
                            .n_rotation = s->tree_names[0].n,
                            .rotation = (const char *const *)s->tree_names[0].item,
                            .n_translation = s->tree_names[1].n,
                            .translation = (const char *const *)s->tree_names[1].item,
                            .n_coordinates = f->n_tree,
                            .coordinates = (const char *const *)f->names,
                            .dynamic_equations = count.n,
                            .constraint_equations = count.m,
                            .operations = public_count(count.shared),
                            .expanded = public_count(expanded(f))};
    info->n_integrated = ct_system_integrated(s, &info->integrated);
    return CT_OK;
}

ct_status ct_trees(ct_context *ctx, ct_system *s, ct_trees_info *info) {
    CT_CALL(ctx, &s->memory, trees(ctx, s, info));
}

static CT_BELOW ct_status describe_graph(ct_system *s, char **text) {
    ct_status status = ct_system_need(ct_context_quiet(NULL), s);
    if (status) return status;
    *text = ct_graph_describe(ct_system_formulation(s)->graph);
    return CT_OK;
}

static ct_status graph_text(ct_system *s, char **text) {
    CT_CALL_GIVES(NULL, &s->memory, text, ct_release, describe_graph(s, text));
}

char *ct_graph_text(ct_system *s) {
    char *text;
    graph_text(s, &text);
    return text;
}
