// Loops that no order of closed steps opens: a few coordinates are iterated, everything else in the
// group follows from them step by step, and relations that the steps leave open are what the
// iteration drives to zero.
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_torn torn;

static bool is_open(const torn *t, ct_ex a) {
    for (int k = 0; k < t->n_open; k++)
        if (ct_depends(t->b->pool, a, t->open[k])) return true;
    return false;
}

static bool is_angle(const ct_steps *b, ct_ex q) {
    for (int k = 0; k < b->f->n; k++)
        if (b->f->q[k] == q) return b->f->is_angle[k];
    return false;
}

static ct_ex resolve_value(torn *t, int v) {
    const ct_closure *c = t->b->closure;
    if (t->done[v] != CT_UNSET) return t->done[v];
    ct_ex a = t->expression[v] != CT_UNSET ? t->expression[v] : t->how[v],
          result = c->registers.values.symbol[v];
    if (a != CT_UNSET && !t->busy[v]) {
        t->busy[v] = true;
        ct_ex inner = ct_torn_resolve(t, a);
        if (t->expression[v] != CT_UNSET || is_open(t, inner)) result = ct_let(t->b->pool, inner);
        t->busy[v] = false;
    }
    return t->done[v] = result;
}

// An angle that stands outside sines and cosines and follows from the iteration: the one with its
// sine and cosine nearest to its last value w, w + atan2(sin(x - w), cos(x - w)).
static ct_ex resolve_angle(torn *t, ct_ex w) {
    const ct_closure *c = t->b->closure;
    ct_pool *pool = t->b->pool;
    ct_ex cosine, sine, angle = CT_ZERO;
    int index = 0;
    for (int i = 0; i < c->registers.tracked.n; i++)
        if (c->registers.tracked.symbol[i] == w) {
            angle = c->registers.tracked.meaning[i];
            index = i;
        }
    for (int k = 0; k < t->n; k++)
        if (t->tracked[k] == w) return w;
    if (angle == CT_ZERO || !is_angle(t->b, angle)) return w;
    ct_forms_pair(t->b->forms, angle, &cosine, &sine);
    cosine = ct_torn_resolve(t, cosine);
    sine = ct_torn_resolve(t, sine);
    if (!is_open(t, cosine) && !is_open(t, sine)) return w;
    *CT_PUSH(t->last, t->n_last, t->room_last) = index;
    ct_ex cw = ct_cos(pool, w), sw = ct_sin(pool, w);
    ct_ex gap[2] = {ct_sub(pool, ct_mul(pool, sine, cw), ct_mul(pool, cosine, sw)),
                    ct_add(pool, ct_mul(pool, cosine, cw), ct_mul(pool, sine, sw))};
    return ct_let(pool, ct_add(pool, w, ct_apply(pool, CT_OP_ATAN2, gap)));
}

ct_ex ct_torn_resolve(torn *t, ct_ex a) {
    ct_pool *pool = t->b->pool;
    ct_ex *symbols;
    int n = ct_ex_symbols(pool, 1, &a, &symbols);
    ct_substitution *s = ct_substitution_new(pool);
    for (int i = 0; i < n; i++) {
        int v = ct_forms_index(t->b->forms, symbols[i]);
        ct_ex to = v >= 0 ? resolve_value(t, v) : resolve_angle(t, symbols[i]);
        if (to != symbols[i]) ct_substitution_map(s, symbols[i], to);
    }
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    free(symbols);
    return a;
}

// A step that turns a body towards a point leaves its distance open.
static ct_ex distance_left(const ct_steps *b, const ct_placement *p) {
    const ct_connection *c = ct_steps_joint(b, p->joint);
    const ct_relation *r = p->relation;
    bool child_b = c->body[1] == p->child;
    ct_relation d = {.kind = CT_RELATION_DISTANCE,
                     .x = p->parent,
                     .k = r->k,
                     .point_x = c->at[!child_b],
                     .point_k = r->point_k,
                     .via = {p->child, r->x},
                     .via_at = {c->at[child_b], r->point_x},
                     .value = CT_ZERO};
    return ct_steps_psi(b, &d, ct_common(b->layout, CT_ROTATION, d.x, d.k));
}

// A slide that takes a body to a point leaves open where the point is across it. The slide itself
// drops out.
static void across_left(const ct_steps *b, const ct_placement *p, ct_ex *psi) {
    const ct_connection *c = ct_steps_joint(b, p->joint);
    const ct_relation *r = p->relation;
    ct_vec3 n[2], gap = ct_steps_path(b, r->k, r->point_k, r->x, r->point_x, c->body[0]);
    ct_vec_normals(b->f->model, b->f->model->joints[p->joint].axis[0], n, n + 1);
    ct_substitution *s = ct_substitution_new(b->pool);
    ct_substitution_map(s, b->f->q[ct_steps_coordinate(b, p->unknown[0])], CT_ZERO);
    for (int i = 0; i < 2; i++) {
        ct_vec3 in_a = ct_mat_vec(b->pool, c->orient[0], n[i]);
        psi[i] = ct_substitute(s, ct_vec_dot(b->pool, in_a, gap));
    }
    ct_substitution_free(s);
}

// One that finds slide and angle from a point leaves its distance from the axis.
static ct_ex radius_left(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    const ct_connection *c = ct_steps_joint(b, p->joint);
    const ct_relation *r = p->relation;
    int child = c->body[1] == p->child;
    ct_vec3 way = ct_steps_path(b, p->parent, c->at[!child], r->k, r->point_k, p->parent),
            arm = ct_steps_path(b, p->child, c->at[child], r->x, r->point_x, p->child),
            u = ct_mat_vec(pool, c->orient[!child], c->axis[0]),
            v = ct_mat_vec(pool, c->orient[child], c->axis[0]);
    ct_ex far = ct_sub(pool, ct_vec_dot(pool, way, way),
                       ct_power_int(pool, ct_vec_dot(pool, u, way), 2)),
          near = ct_sub(pool, ct_vec_dot(pool, arm, arm),
                        ct_power_int(pool, ct_vec_dot(pool, v, arm), 2));
    return ct_mul(pool, ct_rational(pool, 1, 2), ct_sub(pool, far, near));
}

// One that turns a body by two vectors leaves open the angle between them, and the length of the
// second. Returns how many.
static int frame_left(const ct_steps *b, const ct_placement *p, ct_ex *psi) {
    ct_pool *pool = b->pool;
    const ct_relation *r = p->relation;
    ct_vec3 arm[2], way[2];
    if (p->kind != CT_PLACE_FRAME ||
        (r[1].kind != CT_RELATION_POINT && r[1].kind != CT_RELATION_AXIS))
        return 0;
    for (int i = 0; i < 2; i++) ct_steps_vectors(b, p, r + i, p->parent, arm + i, way + i);
    psi[0] = ct_sub(pool, ct_vec_dot(pool, way[0], way[1]), ct_vec_dot(pool, arm[0], arm[1]));
    if (r[1].kind == CT_RELATION_AXIS) return 1;
    psi[1] =
        ct_mul(pool, ct_rational(pool, 1, 2),
               ct_sub(pool, ct_vec_dot(pool, way[1], way[1]), ct_vec_dot(pool, arm[1], arm[1])));
    return 2;
}

// Laws between coordinates that are all known now. What a step has used is met by itself.
static int laws(const ct_steps *b, const bool *known, int n, int room, ct_ex **list) {
    const ct_formulation *f = b->f;
    for (int i = 0; i < f->m; i++) {
        bool law = f->owner[i].joint >= 0 && f->model->joints[f->owner[i].joint].body[0] < 0;
        for (int k = 0; k < f->n && law; k++) law = known[k] || f->phi_q[i * f->n + k] == CT_ZERO;
        if (law) *CT_PUSH(*list, n, room) = f->phi[i];
    }
    return n;
}

// The relations that may be open, as expressions in coordinates, cheap ones first.
static int candidates(const torn *t, const bool *known, ct_ex **list) {
    const ct_steps *b = t->b;
    const ct_flow *flow = t->flow;
    ct_pool *pool = b->pool;
    int n = 0, room = 0;
    *list = NULL;
    for (int i = t->first; i < ct_flow_group_end(flow, t->group); i++) {
        const ct_placement *p = flow->placements + i;
        if (p->kind == CT_PLACE_CYLINDER && !p->relation->line) {
            *CT_PUSH(*list, n, room) = radius_left(b, p);
            continue;
        }
        if (p->kind == CT_PLACE_ONE && p->relation->line) {
            int k = ct_steps_coordinate(b, p->unknown[0]);
            if (!b->f->is_angle[k])
                *CT_PUSH(*list, n, room) =
                    ct_steps_line_left(b, p->relation, p->parent, b->f->q[k]);
        }
        ct_ex frame[2];
        for (int k = 0, left = frame_left(b, p, frame); k < left; k++)
            *CT_PUSH(*list, n, room) = frame[k];
        if (!p->n_relations || p->relation->kind != CT_RELATION_POINT) continue;
        if (b->f->is_angle[ct_steps_coordinate(b, p->unknown[0])]) {
            *CT_PUSH(*list, n, room) = distance_left(b, p);
        } else if (p->kind == CT_PLACE_ONE &&
                   ct_joint_is_slide(b->f->model->joints[p->joint].type)) {
            ct_ex left[2];
            across_left(b, p, left);
            *CT_PUSH(*list, n, room) = left[0];
            *CT_PUSH(*list, n, room) = left[1];
        }
    }
    for (int i = 0; i < flow->n_spare; i++) {
        const ct_relation *r = flow->spare + i;
        if (flow->spare_group[i] != t->group) continue;
        if (r->kind != CT_RELATION_POINT && r->kind != CT_RELATION_AXIS) {
            *CT_PUSH(*list, n, room) =
                ct_steps_psi(b, r, ct_common(b->layout, CT_ROTATION, r->x, r->k));
            continue;
        }
        ct_vec3 v = r->kind == CT_RELATION_POINT
                        ? ct_steps_path(b, r->k, r->point_k, r->x, r->point_x, b->root)
                        : ct_vec_sub(pool, ct_turn(b->layout, r->axis_x, r->x, b->root),
                                     ct_turn(b->layout, r->axis_k, r->k, b->root));
        for (int k = 0; k < 3; k++) *CT_PUSH(*list, n, room) = v.v[k];
    }
    return laws(b, known, n, room, list);
}

static void find_unknowns(torn *t) {
    const ct_steps *b = t->b;
    int room = 0, room_tracked = 0, n_tracked = 0;
    for (int i = t->first; i < ct_flow_group_end(t->flow, t->group); i++) {
        const ct_placement *p = t->flow->placements + i;
        for (int k = 0; p->kind == CT_PLACE_ITERATE && k < p->n_unknown; k++)
            *CT_PUSH(t->unknown, t->n, room) = ct_steps_coordinate(b, p->unknown[k]);
    }
    t->index = ct_alloc((size_t)t->n, sizeof(int));
    for (int k = 0; k < t->n; k++) {
        *CT_PUSH(t->tracked, n_tracked, room_tracked) =
            ct_forms_tracked(b->forms, t->unknown[k], t->index + k);
        if (b->f->is_angle[t->unknown[k]]) ct_steps_solved(b, b->f->q[t->unknown[k]]);
    }
}

static void tables_free(torn *t) {
    free(t->how);
    free(t->expression);
    free(t->busy);
    free(t->done);
    free(t->open);
    t->how = t->expression = t->done = t->open = NULL;
    t->busy = NULL;
}

static void end(torn *t) {
    free(t->unknown);
    free(t->tracked);
    free(t->index);
    free(t->last);
    tables_free(t);
    free(t);
}

// What the iterated coordinates themselves give to values.
static void own_values(torn *t) {
    const ct_steps *b = t->b;
    for (int k = 0; k < t->n; k++) {
        ct_segment s = {0};
        if (b->f->is_angle[t->unknown[k]])
            ct_forms_set(b->forms, &s, b->f->q[t->unknown[k]], ct_cos(b->pool, t->tracked[k]),
                         ct_sin(b->pool, t->tracked[k]));
        else
            ct_forms_set_slide(b->forms, &s, t->unknown[k], t->tracked[k]);
        for (int i = 0; i < s.n_sets; i++) t->expression[s.sets[i].index] = s.sets[i].value;
        free(s.sets);
    }
}

void ct_torn_tables(torn *t, int first_segment) {
    const ct_steps *b = t->b;
    ct_closure *c = b->closure;
    tables_free(t);
    size_t n = (size_t)c->registers.values.n + 1;
    ct_ex missing;
    t->how = ct_alloc(n, sizeof(ct_ex));
    t->expression = ct_alloc(n, sizeof(ct_ex));
    t->done = ct_alloc(n, sizeof(ct_ex));
    t->busy = ct_alloc(n, sizeof(bool));
    for (int v = 0; v < c->registers.values.n; v++)
        t->how[v] = t->expression[v] = t->done[v] = CT_UNSET;
    ct_forms_complete(b->forms, b->notes->n_solved, b->notes->solved, t->how, &missing);
    for (int i = first_segment; i < c->positions.n; i++)
        for (int k = 0; k < c->positions.segments[i].n_sets; k++)
            t->expression[c->positions.segments[i].sets[k].index] =
                c->positions.segments[i].sets[k].value;
    own_values(t);
    t->n_open = t->n;
    t->open = ct_alloc(n + (size_t)t->n, sizeof(ct_ex));
    memcpy(t->open, t->tracked, (size_t)t->n * sizeof(ct_ex));
}

void ct_torn_open(torn *t, ct_ex value) {
    int v = ct_forms_index(t->b->forms, value);
    t->expression[v] = CT_UNSET;
    t->done[v] = value;
    t->open[t->n_open++] = value;
}

// As many relations as there are iterated coordinates, independent at the initial position.
static bool choose(torn *t, int n, const ct_ex *psi, ct_ex *residual, ct_ex *chosen) {
    const ct_steps *b = t->b;
    ct_ex *derivative = ct_alloc((size_t)(n * t->n) + 1, sizeof(ct_ex)),
          *open = ct_alloc((size_t)n + 1, sizeof(ct_ex));
    double *a = ct_alloc((size_t)(n * t->n) + 1, sizeof *a);
    bool *keep = ct_alloc((size_t)n + 1, sizeof *keep);
    for (int i = 0; i < n; i++) {
        open[i] = ct_torn_resolve(t, ct_steps_replace(b, psi[i]));
        for (int k = 0; k < t->n; k++)
            derivative[i * t->n + k] = ct_diff(b->pool, open[i], t->tracked[k]);
    }
    ct_numbers x;
    ct_steps_numbers(b, &x);
    ct_numbers_eval(&x, n * t->n, derivative, a);
    ct_numbers_clear(&x);
    double length = fmin(ct_typical_length(b->f->model), 1);
    int kept = ct_independent_rows(n, t->n, a, CT_TOL_INDEPENDENT * length * length, keep),
        count = 0;
    for (int i = 0; i < n && count < t->n; i++)
        if (keep[i]) {
            residual[count] = open[i];
            chosen[count++] = psi[i];
        }
    free(derivative);
    free(open);
    free(a);
    free(keep);
    return kept == t->n;
}

static void fill_iteration(torn *t, ct_segment *s, const ct_ex *residual) {
    const ct_steps *b = t->b;
    ct_newton x = ct_newton_new(t->n);
    x.n_last = t->n_last;
    x.last = ct_alloc((size_t)t->n_last + 1, sizeof(int));
    for (int i = 0; i < t->n_last; i++) x.last[i] = t->last[i];
    for (int i = 0; i < t->n; i++) {
        x.unknown[i] = t->index[i];
        x.is_angle[i] = b->f->is_angle[t->unknown[i]];
        x.residual[i] = residual[i];
        for (int k = 0; k < t->n; k++)
            x.matrix[i * t->n + k] = ct_diff(b->pool, residual[i], t->tracked[k]);
    }
    s->kind = CT_SEGMENT_NEWTON;
    s->newton = x;
}

// Values that the candidates and the tracked angles need.
static void ask_for_values(const ct_steps *b, int n, const ct_ex *psi) {
    const ct_closure *c = b->closure;
    for (int i = 0; i < n; i++) (void)ct_steps_replace(b, psi[i]);
    for (int i = 0; i < c->registers.tracked.n; i++) {
        ct_ex cosine, sine;
        if (is_angle(b, c->registers.tracked.meaning[i]))
            ct_forms_pair(b->forms, c->registers.tracked.meaning[i], &cosine, &sine);
    }
}

static bool is_nested(const torn *t) {
    const ct_program *p = &t->b->closure->positions;
    for (int i = t->first_segment + 1; i < p->n; i++)
        if (p->segments[i].kind == CT_SEGMENT_NEWTON) return true;
    return false;
}

// The equations that close the group become the iteration, or what it can be replaced by.
static ct_status finish(ct_context *ctx, torn *t, int n, const ct_ex *psi) {
    ct_closure *c = t->b->closure;
    ct_ex *residual = ct_alloc((size_t)t->n, sizeof(ct_ex)),
          *chosen = ct_alloc((size_t)t->n, sizeof(ct_ex));
    ct_status status = CT_OK;
    if (is_nested(t)) {
        status = ct_fail(ctx, CT_NUMERICS, "an iteration inside an iteration");
    } else if (choose(t, n, psi, residual, chosen)) {
        fill_iteration(t, c->positions.segments + t->first_segment, residual);
        ct_block *block = ct_steps_block(t->b, t->n, t->unknown, chosen);
        block->tear = true;
        block->step = t->step;
        if (!ct_torn_solve(t, t->first_segment, t->step, residual, chosen)) c->n_iterated += t->n;
    } else {
        status = ct_fail(ctx, CT_NUMERICS,
                         "the loops through '%s' are in a singular position at the start",
                         t->b->f->model->joints[t->flow->placements[t->first].joint].name);
    }
    free(residual);
    free(chosen);
    return status;
}

ct_torn *ct_torn_begin(const ct_steps *b, const ct_flow *flow, int group, int first) {
    torn *t = ct_alloc(1, sizeof *t);
    *t = (torn){.b = b,
                .flow = flow,
                .group = group,
                .first = first,
                .first_segment = b->closure->positions.n,
                .step = b->closure->n_steps};
    find_unknowns(t);
    ct_steps_segment(b, CT_STEP_NEWTON, 0, flow->placements[first].joint, t->n, t->unknown,
                     ct_strdup("iterated until the lengths are right"));
    for (int i = 1; i < t->n; i++) (void)ct_steps_more(b); // should they be solved one by one
    return t;
}

ct_status ct_torn_close(ct_context *ctx, ct_torn *t, const bool *known) {
    ct_ex *psi;
    int n = candidates(t, known, &psi);
    ask_for_values(t->b, n, psi);
    ct_torn_tables(t, t->first_segment);
    ct_status status = finish(ctx, t, n, psi);
    free(psi);
    end(t);
    return status;
}
