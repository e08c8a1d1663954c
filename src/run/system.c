// The public stages: formulate with the trees asked for, assemble, find what is redundant, count.
#include "run/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Joints whose coordinates are to be independent come first, virtual ones among them.
static ct_status joint_trees(ct_context *ctx, ct_graph *graph) {
    const ct_model *m = graph->model;
    int *preference = ct_alloc((size_t)m->n_joints + 1, sizeof *preference);
    for (int i = 0; i < m->n_independent; i++) {
        int c = ct_model_coordinate(m, m->independent[i].name);
        if (c >= 0) preference[m->coordinates[c].joint] = 1;
    }
    ct_status status = ct_tree_rule_joint(ctx, graph, preference);
    free(preference);
    return status;
}

static ct_status choose_trees(ct_context *ctx, ct_graph *graph, const char *rule,
                              const char **used) {
    bool given = !rule && graph->model->has_trees;
    *used = given ? "given" : rule ? rule : "joint";
    if (given) return ct_tree_given(ctx, graph);
    if (!strcmp(*used, "absolute")) {
        *used = "absolute";
        return ct_tree_rule_absolute(ctx, graph);
    }
    if (!strcmp(*used, "joint")) {
        *used = "joint";
        return joint_trees(ctx, graph);
    }
    return ct_fail(ctx, CT_USAGE, "unknown rule '%s' for the trees: joint or absolute", *used);
}

ct_status ct_system_of_graph(ct_context *ctx, ct_graph *graph, const char *rule,
                             ct_formulate_what what, ct_system **system) {
    *system = NULL;
    ct_system *s = ct_alloc(1, sizeof *s);
    s->model = graph->model;
    s->rule = rule;
    s->what = what;
    ct_status status = ct_formulation_new(ctx, graph, what, &s->f);
    if (status) {
        free(s);
        return status;
    }
    *system = s;
    return CT_OK;
}

ct_status ct_system_new(ct_context *ctx, const ct_model *model, const char *rule,
                        ct_formulate_what what, ct_system **system) {
    *system = NULL;
    ct_report(ctx, "writing the equations", -1, false);
    ct_graph *graph = ct_graph_new(model);
    const char *used;
    ct_status status = choose_trees(ctx, graph, rule, &used);
    if (status) {
        ct_graph_free(graph);
        return status;
    }
    status = ct_system_of_graph(ctx, graph, used, what, system);
    if (!status) (*system)->asked = rule != NULL;
    return status;
}

ct_status ct_formulate(ct_context *ctx, const ct_model *model, const char *rule,
                       ct_system **system) {
    return ct_system_new(ctx, model, rule, CT_FORMULATE_ALL, system);
}

void ct_system_free(ct_system *s) {
    if (!s) return;
    ct_closure_free(s->closure);
    ct_flow_free(s->flow);
    ct_formulation_free(s->f);
    for (int i = 0; i < s->n_former; i++) ct_formulation_free(s->former[i]);
    free(s->former);
    free(s->q0);
    free(s->qd0);
    free(s->joint0);
    free(s->joint_names);
    free(s->rows);
    free(s->dropped);
    ct_strings_clear(&s->redundant);
    ct_strings_clear(&s->columns[0]);
    ct_strings_clear(&s->columns[1]);
    for (int i = 0; i < 2; i++) ct_strings_clear(&s->tree_names[i]);
    free(s->equation_table);
    ct_strings_clear(&s->equations);
    ct_strings_clear(&s->files);
    free(s);
}

// redundancy -----------------------------------------------------------------------------------
static double *jacobian(const ct_system *s, ct_numbers *x, const double *q) {
    double *j = ct_alloc((size_t)s->f->m * (size_t)s->f->n + 1, sizeof *j);
    ct_numbers_set(x, s->f->n, s->f->q, q);
    ct_numbers_eval(x, s->f->m * s->f->n, s->f->phi_q, j);
    return j;
}

// A closed position a little way off, in a direction that the mechanism allows (as far as that is
// possible).
static bool neighbour(const ct_system *s, ct_numbers *x, int seed, double *q) {
    for (int k = 0; k < s->f->n; k++)
        q[k] = s->q0[k] + 0.05 * sin(1.7 * (k + 1) * (seed + 1) + seed);
    return ct_close(s->f, x, NULL, q) < 1e-9;
}

static bool counts_in_plane(const ct_formulation *f) {
    return f->planar && f->plane_rows >= 0;
}

// A joint in the plane that takes freedoms, of which no row is left.
static bool vanishes(const ct_formulation *f, int joint) {
    ct_joint_type type = f->model->joints[joint].type;
    bool left = false;
    for (int i = 0; i < f->m; i++) left = left || f->owner[i].joint == joint;
    return !left && ct_joint_has_coordinates(type) &&
           ct_joint_rotations(type) + ct_joint_translations(type) < 3;
}

static void note_redundant(ct_system *s, const char *name) {
    for (int k = 0; k < s->redundant.n; k++)
        if (!strcmp(s->redundant.item[k], name)) return;
    ct_strings_add(&s->redundant, ct_strdup(name));
}

// Rows that add nothing to those before them, neither here nor nearby, are dropped from the run.
static void find_redundant(ct_context *ctx, ct_system *s) {
    const ct_formulation *f = s->f;
    ct_numbers x;
    ct_numbers_init(&x, s->model);
    double *j = jacobian(s, &x, s->q0), *q = ct_alloc((size_t)f->n + 1, sizeof *q);
    int motions = 0;
    for (int i = 0; i < f->m; i++) motions += f->owner[i].motion >= 0;
    s->m_rows = f->m - motions; // motions come last
    double length = ct_typical_length(s->model), floor = 1e-13 * fmin(1, length * length);
    s->rank = ct_rank(s->m_rows, f->n, j, floor);
    s->rank_motions = ct_rank(f->m, f->n, j, floor);
    bool *keep = ct_alloc((size_t)f->m + 1, sizeof *keep),
         *other = ct_alloc((size_t)f->m + 1, sizeof *other);
    int kept = ct_independent_rows(f->m, f->n, j, floor, keep), here = kept;
    for (int seed = 0; seed < 2 && kept < f->m; seed++) {
        if (!neighbour(s, &x, seed, q)) continue;
        double *near = jacobian(s, &x, q);
        int more = ct_independent_rows(f->m, f->n, near, floor, other);
        if (more > kept) {
            kept = more;
            memcpy(keep, other, (size_t)f->m * sizeof *keep);
        }
        free(near);
    }
    if (kept > here)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "the initial position is singular: the mechanism gains %d freedom%s there",
                      kept - here, kept - here == 1 ? "" : "s");
    s->rows = ct_alloc((size_t)f->m + 1, sizeof *s->rows);
    s->dropped = ct_alloc((size_t)f->m + 1, sizeof *s->dropped);
    for (int i = 0; i < f->m; i++) {
        if (keep[i])
            s->rows[s->m++] = i;
        else {
            s->dropped[s->n_dropped++] = i;
            note_redundant(s, ct_row_name(f, i));
        }
    }
    // rows that hold identically count too; in the plane, where those across it always do, those of
    // joints that have no other row
    for (int i = 0; i < f->n_vanished; i++)
        if (!counts_in_plane(f) || vanishes(f, f->vanished[i]))
            note_redundant(s, s->model->joints[f->vanished[i]].name);
    free(j);
    free(q);
    free(keep);
    free(other);
    ct_numbers_clear(&x);
}

ct_status ct_assemble(ct_context *ctx, ct_system *s) {
    if (s->assembled) return CT_OK;
    ct_report(ctx, "assembling", -1, false);
    size_t n = (size_t)s->f->n + 1;
    s->q0 = ct_realloc(s->q0, n, sizeof(double));
    s->qd0 = ct_realloc(s->qd0, n, sizeof(double));
    s->joint0 = ct_realloc(s->joint0, (size_t)s->model->n_coordinates + 1, sizeof(double));
    ct_status status = ct_assemble_state(ctx, s->f, s->q0, s->qd0, s->joint0, &s->residual);
    if (status) return status;
    find_redundant(ctx, s);
    s->assembled = true;
    return CT_OK;
}

ct_status ct_initial(ct_context *ctx, ct_system *s, ct_initial_info *info) {
    const ct_model *m = s->model;
    ct_status status = ct_assemble(ctx, s);
    if (status) return status;
    if (!s->joint_names) {
        s->joint_names = ct_alloc((size_t)m->n_coordinates + 1, sizeof *s->joint_names);
        for (int i = 0; i < m->n_coordinates; i++) s->joint_names[i] = m->coordinates[i].name;
    }
    *info = (ct_initial_info){m->n_coordinates, s->joint_names, s->joint0};
    return CT_OK;
}

// counts ---------------------------------------------------------------------------------------
static int loops(const ct_model *m) {
    int between = 0;
    for (int i = 0; i < m->n_joints; i++)
        between += m->joints[i].body[0] >= 0 && !m->joints[i].is_virtual;
    int n = between - (m->n_bodies - 1);
    return n > 0 ? n : 0;
}

ct_status ct_check(ct_context *ctx, ct_system *s, ct_check_info *info) {
    ct_status status = ct_assemble(ctx, s);
    if (status) return status;
    const ct_formulation *f = s->f;
    int extra = f->n - f->n_tree; // auxiliary coordinates come with a row each
    *info = (ct_check_info){
        .name = s->model->name, .bodies = s->model->n_bodies - 1, .planar = f->planar};
    for (int i = 0; i < s->model->n_joints; i++)
        info->joints +=
            ct_joint_has_coordinates(s->model->joints[i].type) && !s->model->joints[i].is_virtual;
    info->coordinates = f->n_tree;
    bool in_plane = counts_in_plane(f);
    info->constraints = in_plane ? f->plane_rows : s->m_rows - extra + f->n_vanished;
    info->dof = f->n - s->rank;
    info->dof_after_motions = f->n - s->rank_motions;
    // a singular initial position makes nothing redundant: the rows kept for the run count
    int needed = 0;
    for (int i = 0; i < s->m; i++) needed += f->owner[s->rows[i]].motion < 0;
    info->redundant = info->constraints - (needed - extra);
    if (info->redundant < 0) info->redundant = 0;
    info->loops = loops(s->model);
    info->residual = s->residual;
    // in the plane the rows that vanish or repeat in space do not count
    info->n_redundant_joints = info->redundant || !in_plane ? s->redundant.n : 0;
    info->redundant_joints = (const char *const *)s->redundant.item;
    return CT_OK;
}

static ct_operation_count public_count(ct_operations c) {
    return (ct_operation_count){c.add, c.mul, c.div, c.func, ct_operations_total(c)};
}

static ct_operations expanded(const ct_formulation *f) {
    size_t n = (size_t)f->n, m = (size_t)f->m, nn = n * n;
    ct_ex *roots = ct_alloc(nn + n + 3 * m + m * n + 1, sizeof *roots);
    memcpy(roots, f->mass, nn * sizeof *roots);
    memcpy(roots + nn, f->forcing, n * sizeof *roots);
    if (m) {
        memcpy(roots + nn + n, f->phi, m * sizeof *roots);
        memcpy(roots + nn + n + m, f->gamma, m * sizeof *roots);
        memcpy(roots + nn + n + 2 * m, f->phi_t, m * sizeof *roots);
        memcpy(roots + nn + n + 3 * m, f->phi_q, m * n * sizeof *roots);
    }
    ct_operations c = ct_count_expanded(f->pool, (int)(nn + n + 3 * m + m * n), roots);
    free(roots);
    return c;
}

ct_status ct_trees(ct_context *ctx, ct_system *s, ct_trees_info *info) {
    (void)ctx;
    const ct_formulation *f = s->f;
    const ct_graph *g = f->graph;
    for (int d = 0; d < 2; d++) {
        ct_strings_clear(&s->tree_names[d]);
        for (int e = 0; e < g->n_edges; e++)
            if (g->tree[d].has[e] && g->edges[e].kind != CT_EDGE_ARM)
                ct_strings_add(&s->tree_names[d], ct_strdup(g->edges[e].name));
    }
    int motions = 0;
    for (int i = 0; i < f->m; i++) motions += f->owner[i].motion >= 0;
    *info = (ct_trees_info){.rule = s->rule,
                            .n_rotation = s->tree_names[0].n,
                            .rotation = (const char *const *)s->tree_names[0].item,
                            .n_translation = s->tree_names[1].n,
                            .translation = (const char *const *)s->tree_names[1].item,
                            .n_coordinates = f->n_tree,
                            .coordinates = (const char *const *)f->names,
                            .dynamic_equations = f->n_tree,
                            .constraint_equations = f->m - motions - (f->n - f->n_tree),
                            .operations = public_count(ct_emit_count(f)),
                            .expanded = public_count(expanded(f))};
    return CT_OK;
}

char *ct_graph_text(ct_system *s) {
    return ct_graph_describe(s->f->graph);
}
