// A closure from start to end: steps and rate equations (along a flow, or iterated), then rates,
// accelerations and equations of motion, then the values that positions still have to compute. With
// bodies on spherical joints it is built twice, with their rotations whole and with joint angles,
// and the cheaper one is kept; the second one to its steps alone, where these are clearly dearer.
#include "closure/choose.h"
#include "closure/embed/embed.h"
#include "closure/tearing/without_flow.h"
#include "closure/tolerances.h"
#include "closure/positions.h"
#include "formulate/whole_rotation.h"
#include "numeric/triangular_form.h"
#include "program/count.h"
#include "program/trim.h"

#include "expr/optimise.h"

#include <math.h>
#include <stdlib.h>

// Balls with dependent angles, which a run has whole: those that nothing names, where something is
// integrated.
static void find_balls(ct_closure *c) {
    const ct_formulation *g = c->f->in_angles ? c->f->in_angles : c->f;
    if (c->shows_angles || !c->r) return;
    ct_whole_rotation *all = ct_scratch((size_t)g->graph->n_edges + 1, sizeof *all);
    int n = ct_whole_rotations_free(g, all);
    c->balls = ct_alloc((size_t)n + 1, sizeof *c->balls);
    for (int i = 0; i < n; i++) {
        const ct_whole_rotation *b = all + i,
                                *own =
                                    ct_whole_rotation_of_coordinate(c->f, b->coordinate[0], NULL);
        if ((own && own->integrated) ||
            (b->joint >= 0 && ct_whole_rotation_is_named(g->model, b->joint, NULL)))
            continue;
        c->balls[c->n_balls++] = (ct_closure_ball){
            b->edge,    b->body,    b->root,
            b->inverse, b->in_root, {b->coordinate[0], b->coordinate[1], b->coordinate[2]}};
    }
}

// The step that finds one of three coordinates.
static int step_of(const ct_closure *c, const int *coordinate) {
    for (int i = 0; i < c->n_rate_blocks; i++)
        for (int k = 0; k < c->rate_blocks[i].n; k++)
            for (int j = 0; j < 3; j++)
                if (c->rate_blocks[i].unknown[k] == coordinate[j]) return c->rate_blocks[i].step;
    return 0;
}

// Balls in angles keep away from their lock, where rates of these grow without bound: there a run goes
// on by partition, in which they are whole.
static void guard_locks(ct_closure *c, ct_values *values) {
    ct_pool *pool = c->f->pool;
    for (int i = 0; i < c->n_balls; i++) {
        const ct_closure_ball *b = c->balls + i;
        const ct_connection *j = c->f->layout->connections + b->edge;
        if (ct_whole_rotation_of_coordinate(c->f, b->coordinate[0], NULL)) continue;
        ct_ex cosine, sine;
        ct_values_pair(values, c->f->q[b->coordinate[1]], &cosine, &sine);
        ct_ex clear = ct_power_int(pool, ct_vec_same(j->axis[0], j->axis[2]) ? sine : cosine, 2);
        ct_ex least = ct_rational(pool, 1, CT_GUARD_NEAR_LOCK * CT_GUARD_NEAR_LOCK);
        const int step = step_of(c, b->coordinate);
        ct_segment_guard(ct_program_add(&c->positions, step), ct_sub(pool, clear, least), step,
                         CT_ONE);
        c->guards_locks = true;
    }
}

// True if the value of coordinate k is the one that it starts with. An equation for rates alone may
// leave out a constant, as pi in the angles of a kite.
static bool is_whole_value(const ct_formulation *f, int k, ct_ex value, const double *q0) {
    ct_numbers x;
    double number;
    ct_model_numbers(f->model, &x);
    ct_position_set(f, &x, q0);
    ct_numbers_eval(&x, 1, &value, &number);
    ct_numbers_clear(&x);
    return fabs(number - q0[k]) <= CT_ANGLE_WHOLE;
}

// Coordinates in terms of values: slides directly, angles by sine and cosine, and by an expression
// where a linear equation (a motion) gives one.
static void coordinates(ct_closure *c, ct_values *values, const double *q0) {
    const ct_formulation *f = c->f;
    size_t n = (size_t)f->n + 1;
    c->q_value = ct_alloc(n, sizeof *c->q_value);
    c->q_sine = ct_alloc(n, sizeof *c->q_sine);
    c->q_cosine = ct_alloc(n, sizeof *c->q_cosine);
    for (int k = 0; k < f->n; k++)
        if (!f->is_angle[k] || c->is_independent[k])
            c->q_value[k] = ct_values_slide(values, k);
        else
            ct_values_pair(values, f->q[k], &c->q_cosine[k], &c->q_sine[k]);
    for (int i = 0; i < c->n_rate_blocks; i++) {
        int k = c->rate_blocks[i].unknown[0];
        ct_ex value;
        if (c->rate_blocks[i].n == 1 && !c->rate_blocks[i].tear && f->is_angle[k] &&
            ct_linear_value(f->pool, c->rate_blocks[i].psi[0], f->q[k], &value) &&
            ct_values_is_known(values, value) && is_whole_value(f, k, value, q0))
            c->q_value[k] = value;
    }
}

// constraint blocks ------------------------------------------------------------------------------
// Constraint blocks: rows that must be solved together, in the order of the block triangular form
// of Phi_q. rows: the m independent rows of f->phi.
static void order_rows(ct_closure *c, int m, const int *rows) {
    const ct_formulation *f =
        c->f->in_angles ? c->f->in_angles : c->f; // iterations are over angles
    if (m != c->n_dependent) return;              // nothing square to order
    // rows against dependent coordinates
    bool *pattern = ct_scratch((size_t)m * (size_t)m + 1, sizeof *pattern);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            pattern[i * m + j] = f->phi_q[rows[i] * f->n + c->dependent[j]] != CT_ZERO;
    // block triangular form
    ct_groups g;
    ct_groups_find(&g, m, pattern);
    // rows and coordinates of each block
    c->constraint_blocks = ct_alloc((size_t)g.n + 1, sizeof *c->constraint_blocks);
    c->n_constraint_blocks = g.n;
    for (int b = 0; b < g.n; b++) {
        ct_constraint_block *loop = c->constraint_blocks + b;
        loop->n = g.first[b + 1] - g.first[b];
        loop->rows = ct_alloc((size_t)loop->n, sizeof *loop->rows);
        loop->unknown = ct_alloc((size_t)loop->n, sizeof *loop->unknown);
        for (int i = 0; i < loop->n; i++) {
            loop->rows[i] = rows[g.row[g.first[b] + i]];
            loop->unknown[i] = c->dependent[g.column[g.first[b] + i]];
        }
    }
}

// programs ---------------------------------------------------------------------------------------
// Operations of the steps alone, those inside calls included, without coordinates that are given
// outright.
static ct_operations count_steps(const ct_closure *c) {
    ct_ex *all = NULL;
    int n = 0, room = 0;
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *seg = c->positions.segments + i;
        if (seg->step < 0 || c->steps[seg->step].method == CT_STEP_GIVEN) continue;
        for (ct_span a = ct_segment_spans(seg, CT_ROLES_SOLVER | CT_ROLE_SET); ct_span_next(&a);)
            for (int k = 0; k < a.n; k++) *CT_PUSH_SCRATCH(all, n, room) = a.at[k];
    }
    ct_optimise(c->f->pool, n, all);
    ct_operations count = ct_count_shared(c->f->pool, n, all);
    ct_program_count_calls(&c->positions, &count);
    return count;
}

static ct_programs programs_of(ct_closure *c) {
    return (ct_programs){.pool = c->f->pool,
                         .registers = &c->registers,
                         .positions = &c->positions,
                         .dynamics = &c->dynamics,
                         .expansion = &c->expansion,
                         .n = c->f->n,
                         .q_value = c->q_value,
                         .q_sine = c->q_sine,
                         .q_cosine = c->q_cosine,
                         .n_shown = 9 * c->n_balls,
                         .shown = c->turns};
}

static ct_status finish(ct_context *ctx, ct_closure *c, ct_values *values, bool iterated,
                        const double *q0) {
    ct_ex missing = CT_ZERO;
    double motion = ct_seconds(); // c->seconds is without equations of motion and programs
    find_balls(c);
    guard_locks(c, values);
    // rates, accelerations and equations of motion
    ct_embed(c, values, !iterated);
    c->seconds -= ct_seconds() - motion;
    // coordinates in terms of values, and segments for values that positions leave open
    coordinates(c, values, q0);
    if (!ct_values_finish(values, &missing)) {
        char *text = ct_print(c->f->pool, missing, CT_STYLE_TEXT);
        return ct_fail(ctx, CT_INTERNAL,
                       "%s: the closure does not give it; please report this model", text);
    }
    // programs without what nothing uses, common subexpressions shared; their operations
    motion = ct_seconds();
    ct_programs programs = programs_of(c);
    ct_programs_lighten(&programs);
    ct_programs_trim(&programs);
    ct_program_optimise(c->f->pool, &c->positions);
    c->position_operations =
        ct_program_count(c->f->pool, &c->positions, c->registers.tracked.symbol);
    c->dynamics_operations = ct_program_optimise(c->f->pool, &c->dynamics);
    ct_program_count_calls(&c->dynamics, &c->dynamics_operations);
    ct_program_optimise(c->f->pool, &c->expansion);
    c->seconds -= ct_seconds() - motion;
    return CT_OK;
}

// The closure of one formulation of the assembled mechanism, along a flow or iterated (NULL).
// Returns NULL, with CT_OK, if its steps take more than `most` operations.
static ct_closure *build(ct_context *ctx, const ct_assembled *at, const ct_formulation *f,
                         const ct_flow *flow, bool shows_angles, double most,
                         ct_status *status) {
    double start = ct_seconds();
    ct_stage stage = ct_stage_begin();
    ct_closure *c = ct_region_new(sizeof *c);
    c->f = f;
    c->shows_angles = shows_angles;
    c->is_independent = ct_alloc((size_t)f->n + 1, sizeof *c->is_independent);
    ct_values *values = ct_values_new(c);
    *status = flow ? ct_positions_build(ctx, c, flow, values, at->m, at->q0)
                   : ct_iterated_build(ctx, c, values, at->m, at->rows, at->q0);
    if (!*status) order_rows(c, at->m, at->rows);
    // operations of the steps alone, then the rest
    double counting = ct_seconds();
    if (!*status) c->step_operations = count_steps(c);
    c->seconds -= ct_seconds() - counting;
    bool dearer = !*status && ct_operations_total(c->step_operations) > most;
    if (!*status && !dearer) *status = finish(ctx, c, values, !flow, at->q0);
    ct_values_free(values);
    ct_stage_end(stage);
    c->seconds += ct_seconds() - start;
    ct_region_close(&c->region);
    if (!*status && !dearer) return c;
    ct_closure_free(c);
    return NULL;
}

// whole rotations --------------------------------------------------------------------------------
// True if root is the body itself, or on its way to ground in the rotation tree.
static bool is_above(const ct_layout *l, int root, int body) {
    while (body != root && body >= 0) body = l->parent[CT_ROTATION][body];
    return body == root;
}

// True if the placement finds a whole orientation from two relations of the body itself, on a
// branch of the rotation tree behind root, and nothing names an angle of the joint.
static bool is_ball(const ct_layout *l, const ct_placement *p, int root) {
    int edge = ct_graph_edge(l->f->graph, CT_EDGE_JOINT, p->joint);
    return p->kind == CT_PLACE_FRAME && p->relation[0].x == p->child &&
           p->relation[1].x == p->child && l->branch[CT_ROTATION][p->child] == edge &&
           l->parent[CT_ROTATION][p->child] == p->parent && is_above(l, root, p->parent) &&
           !ct_whole_rotation_is_named(l->model, p->joint, NULL);
}

// Bodies that a flow places by a whole orientation, on spherical joints whose angles nothing names;
// f's trees must follow the flow. *whole_rotations is scratch.
static int find_whole_rotations(const ct_flow *flow, const ct_formulation *f,
                                ct_whole_rotation **whole_rotations) {
    int n = 0, room = 0;
    *whole_rotations = NULL;
    for (int g = 0; g < flow->n_groups; g++) {
        for (int i = flow->group[g]; i < ct_flow_group_end(flow, g); i++) {
            const ct_placement *p = flow->placements + i;
            if (p->kind == CT_PLACE_ITERATE) break; // what follows is part of the iteration
            if (is_ball(f->layout, p, flow->group_root[g]))
                *CT_PUSH_SCRATCH(*whole_rotations, n, room) = (ct_whole_rotation){
                    .joint = p->joint, .body = p->child, .root = flow->group_root[g]};
        }
    }
    return n;
}

// A closure with the rotations of bodies on spherical joints kept whole, beside those that are
// integrated; NULL if there are no such bodies or the closure fails.
static ct_closure *build_with_whole_rotations(const ct_assembled *at, const ct_flow *flow,
                                              bool shows_angles) {
    ct_whole_rotation *found, *all;
    ct_closure *c = NULL;
    ct_formulation *own = NULL;
    ct_status status;
    int n = find_whole_rotations(flow, at->f, &found), first = at->f->n_integrated;
    // integrated ones first
    all = ct_scratch((size_t)(first + n) + 1, sizeof *all);
    for (int i = 0; i < first + n; i++)
        all[i] = i < first ? at->f->whole_rotations[i] : found[i - first];
    const ct_formulation *in_angles = at->f->in_angles ? at->f->in_angles : at->f;
    ct_context *quiet = ct_context_quiet(NULL);
    if (n && !ct_formulation_with_whole_rotations(quiet, in_angles, first + n, all, &own) &&
        own->m == at->f->m)
        c = build(quiet, at, own, flow, shows_angles, INFINITY, &status);
    return c;
}

ct_status ct_closure_new(ct_context *ctx, const ct_assembled *at, const ct_flow *flow,
                         bool shows_angles, ct_closure **closure) {
    ct_status status = CT_OK;
    // with rotations kept whole, and with joint angles: the cheaper one. Where the steps with angles
    // are clearly dearer, their equations of motion are too and need not be written to be counted
    ct_closure *whole = flow ? build_with_whole_rotations(at, flow, shows_angles) : NULL;
    double most = whole ? CT_CHOICE_DEARER * ct_operations_total(whole->step_operations) : INFINITY;
    ct_closure *c = build(ctx, at, at->f, flow, shows_angles, most, &status);
    if (c && whole && ct_closure_cost(c) < ct_closure_cost(whole)) {
        ct_closure_free(whole);
        whole = NULL;
    }
    if (whole) {
        ct_closure_free(c);
        c = whole;
        status = CT_OK;
    }
    if (c) c->from_cache = flow && flow->from_cache;
    *closure = c;
    return status;
}
