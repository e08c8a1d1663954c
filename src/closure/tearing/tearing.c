// Tearing: loops that no order of closed steps opens. A few coordinates are iterated, the other
// placements of the group hang on them step by step, and the relations that these steps leave open
// are the residuals of the iteration. Triangular systems and polynomials are tried before it.
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_tearing torn;

// A step that turns a body towards a point leaves its distance open.
static ct_ex distance_left(const ct_step_builder *build, const ct_placement *p) {
    const ct_connection *c = ct_steps_joint(build, p->joint);
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
    return ct_steps_psi(build, &d, ct_common(build->layout, CT_ROTATION, d.x, d.k));
}

// A slide that takes a body to a point leaves open the place of the point across the slide. Both
// equations are without the slide itself.
static void across_left(const ct_step_builder *build, const ct_placement *p, ct_ex *psi) {
    const ct_connection *c = ct_steps_joint(build, p->joint);
    const ct_relation *r = p->relation;
    ct_vec3 n[2], gap = ct_steps_path(build, r->k, r->point_k, r->x, r->point_x, c->body[0]);
    ct_vec_normals(build->f->model, build->f->model->joints[p->joint].axis[0], n, n + 1);
    ct_substitution *s = ct_substitution_new(build->pool);
    ct_substitution_map(s, build->f->q[ct_steps_coordinate(build, p->unknown[0])], CT_ZERO);
    for (int i = 0; i < 2; i++) {
        ct_vec3 in_a = ct_mat_vec(build->pool, c->orient[0], n[i]);
        psi[i] = ct_substitute(s, ct_vec_dot(build->pool, in_a, gap));
    }
    ct_substitution_free(s);
}

// A step that finds slide and angle from a point leaves the point's distance from the axis open.
static ct_ex radius_left(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    const ct_relation *r = p->relation;
    int child = c->body[1] == p->child;
    ct_vec3 way = ct_steps_path(build, p->parent, c->at[!child], r->k, r->point_k, p->parent),
            arm = ct_steps_path(build, p->child, c->at[child], r->x, r->point_x, p->child),
            u = ct_mat_vec(pool, c->orient[!child], c->axis[0]),
            v = ct_mat_vec(pool, c->orient[child], c->axis[0]);
    ct_ex far = ct_sub(pool, ct_vec_dot(pool, way, way),
                       ct_power_int(pool, ct_vec_dot(pool, u, way), 2)),
          near = ct_sub(pool, ct_vec_dot(pool, arm, arm),
                        ct_power_int(pool, ct_vec_dot(pool, v, arm), 2));
    return ct_mul(pool, ct_rational(pool, 1, 2), ct_sub(pool, far, near));
}

// A step that turns a body by two vectors leaves open the angle between them and the length of the
// second. Returns the number of equations.
static int frame_left(const ct_step_builder *build, const ct_placement *p, ct_ex *psi) {
    ct_pool *pool = build->pool;
    const ct_relation *r = p->relation;
    ct_vec3 arm[2], way[2];
    if (p->kind != CT_PLACE_FRAME ||
        (r[1].kind != CT_RELATION_POINT && r[1].kind != CT_RELATION_AXIS))
        return 0;
    for (int i = 0; i < 2; i++) ct_steps_vectors(build, p, r + i, p->parent, arm + i, way + i);
    psi[0] = ct_sub(pool, ct_vec_dot(pool, way[0], way[1]), ct_vec_dot(pool, arm[0], arm[1]));
    if (r[1].kind == CT_RELATION_AXIS) return 1;
    psi[1] =
        ct_mul(pool, ct_rational(pool, 1, 2),
               ct_sub(pool, ct_vec_dot(pool, way[1], way[1]), ct_vec_dot(pool, arm[1], arm[1])));
    return 2;
}

// Couplings whose coordinates are all known. Those that a step has solved hold identically;
// choose() drops them, since their derivatives are zero.
static int couplings(const ct_step_builder *build, const bool *known, int n, int room,
                     ct_ex **list) {
    const ct_formulation *f = build->f;
    for (int i = 0; i < f->m; i++) {
        bool coupling = f->owner[i].joint >= 0 && f->model->joints[f->owner[i].joint].body[0] < 0;
        for (int k = 0; k < f->n && coupling; k++)
            coupling = known[k] || f->phi_q[i * f->n + k] == CT_ZERO;
        if (coupling) *CT_PUSH_SCRATCH(*list, n, room) = f->phi[i];
    }
    return n;
}

// A slide on a line: the combination of both planes that holds no slide.
static ct_ex line_left(const ct_step_builder *build, const ct_relation *r, int frame, ct_ex slide) {
    ct_pool *pool = build->pool;
    ct_relation m = ct_relation_mate(r);
    ct_ex psi[2] = {ct_steps_psi(build, r, frame), ct_steps_psi(build, &m, frame)};
    ct_ex left = ct_sub(pool, ct_mul(pool, ct_diff(pool, psi[1], slide), psi[0]),
                        ct_mul(pool, ct_diff(pool, psi[0], slide), psi[1]));
    ct_substitution *s = ct_substitution_new(pool);
    ct_substitution_map(s, slide, CT_ZERO);
    left = ct_substitute(s, left);
    ct_substitution_free(s);
    return left;
}

// Equations that may close the group, in the joint coordinates q: what placements leave open, open
// relations, couplings. Earlier ones are preferred. Returns their number.
static int candidates(const torn *t, const bool *known, ct_ex **list) {
    const ct_step_builder *build = t->b;
    const ct_flow *flow = t->flow;
    ct_pool *pool = build->pool;
    int n = 0, room = 0;
    *list = NULL;
    // what placements leave open
    for (int i = t->first; i < ct_flow_group_end(flow, t->group); i++) {
        const ct_placement *p = flow->placements + i;
        // slide and angle from a point: its distance from the axis
        if (p->kind == CT_PLACE_CYLINDER && !p->relation->line) {
            *CT_PUSH_SCRATCH(*list, n, room) = radius_left(build, p);
            continue;
        }
        // a slide on a line: what both planes say without it
        if (p->kind == CT_PLACE_ONE && p->relation->line) {
            int k = ct_steps_coordinate(build, p->unknown[0]);
            if (!build->f->is_angle[k])
                *CT_PUSH_SCRATCH(*list, n, room) =
                    line_left(build, p->relation, p->parent, build->f->q[k]);
        }
        // an orientation from two vectors: their angle and length
        ct_ex frame[2];
        for (int k = 0, left = frame_left(build, p, frame); k < left; k++)
            *CT_PUSH_SCRATCH(*list, n, room) = frame[k];
        // a turn towards a point: its distance; a slide to a point: its place across
        if (!p->n_relations || p->relation->kind != CT_RELATION_POINT) continue;
        if (build->f->is_angle[ct_steps_coordinate(build, p->unknown[0])]) {
            *CT_PUSH_SCRATCH(*list, n, room) = distance_left(build, p);
        } else if (p->kind == CT_PLACE_ONE &&
                   ct_joint_is_slide(build->f->model->joints[p->joint].type)) {
            ct_ex left[2];
            across_left(build, p, left);
            *CT_PUSH_SCRATCH(*list, n, room) = left[0];
            *CT_PUSH_SCRATCH(*list, n, room) = left[1];
        }
    }
    // relations that no placement used; of points and axes the three components of the gap
    for (int i = 0; i < flow->n_open_relations; i++) {
        const ct_relation *r = flow->open_relations + i;
        if (flow->open_group[i] != t->group) continue;
        if (r->kind != CT_RELATION_POINT && r->kind != CT_RELATION_AXIS) {
            *CT_PUSH_SCRATCH(*list, n, room) =
                ct_steps_psi(build, r, ct_common(build->layout, CT_ROTATION, r->x, r->k));
            continue;
        }
        ct_vec3 v = r->kind == CT_RELATION_POINT
                        ? ct_steps_path(build, r->k, r->point_k, r->x, r->point_x, build->root)
                        : ct_vec_sub(pool, ct_turn(build->layout, r->axis_x, r->x, build->root),
                                     ct_turn(build->layout, r->axis_k, r->k, build->root));
        for (int k = 0; k < 3; k++) *CT_PUSH_SCRATCH(*list, n, room) = v.v[k];
    }
    // couplings between coordinates that are all known
    return couplings(build, known, n, room, list);
}

// The iterated coordinates of the group, each with a tracked number.
static void find_unknowns(torn *t) {
    const ct_step_builder *build = t->b;
    int room = 0, room_tracked = 0, n_tracked = 0;
    for (int i = t->first; i < ct_flow_group_end(t->flow, t->group); i++) {
        const ct_placement *p = t->flow->placements + i;
        for (int k = 0; p->kind == CT_PLACE_ITERATE && k < p->n_unknown; k++)
            *CT_PUSH_SCRATCH(t->unknown, t->n, room) = ct_steps_coordinate(build, p->unknown[k]);
    }
    t->index = ct_scratch((size_t)t->n, sizeof(int));
    for (int k = 0; k < t->n; k++) {
        *CT_PUSH_SCRATCH(t->tracked, n_tracked, room_tracked) =
            ct_values_tracked(build->values, t->unknown[k], t->index + k);
        if (build->f->is_angle[t->unknown[k]]) ct_steps_solved(build, build->f->q[t->unknown[k]]);
    }
}

// Chooses as many equations as there are iterated coordinates, independent at the initial position:
// t->psi, and residual in the iterated coordinates alone. Returns false if there are fewer.
static bool choose(torn *t, int n, const ct_ex *psi, ct_ex *residual) {
    const ct_step_builder *build = t->b;
    ct_ex *derivative = ct_scratch((size_t)(n * t->n) + 1, sizeof(ct_ex)),
          *open = ct_scratch((size_t)n + 1, sizeof(ct_ex));
    double *a = ct_scratch((size_t)(n * t->n) + 1, sizeof *a);
    bool *keep = ct_scratch((size_t)n + 1, sizeof *keep);
    // residuals in the iterated coordinates, and their derivatives
    for (int i = 0; i < n; i++) {
        open[i] = ct_tearing_resolve(t, ct_steps_replace(build, psi[i]));
        for (int k = 0; k < t->n; k++)
            derivative[i * t->n + k] = ct_diff(build->pool, open[i], t->tracked[k]);
    }
    // their numbers at the initial position
    ct_numbers x;
    ct_steps_numbers(build, &x);
    ct_numbers_eval_rounded(&x, n * t->n, derivative, a);
    ct_numbers_clear(&x);
    // identities in the coordinates, such as the length of a unit vector: the values of a step that is
    // linear keep them only where the loops are closed, but rates cannot follow from them
    for (int i = 0; i < n; i++)
        if (ct_steps_is_identity(build, psi[i])) memset(a + i * t->n, 0, (size_t)t->n * sizeof *a);
    // slides in typical lengths
    double length = build->length;
    for (int i = 0; i < n * t->n; i++)
        if (!build->f->is_angle[t->unknown[i % t->n]]) a[i] *= length;
    // independent rows; earlier ones are preferred. Rows have the unit 1, a length or its square.
    double floor = CT_TOL_INDEPENDENT * fmin(length, 1) * fmin(length, 1);
    int kept = ct_independent_rows(n, t->n, a, floor, keep), count = 0;
    for (int i = 0; i < n && count < t->n; i++)
        if (keep[i]) {
            residual[count] = open[i];
            t->psi[count++] = psi[i];
        }
    return kept == t->n;
}

// Newton's iteration on the residuals, with their derivatives.
static ct_newton iteration(const torn *t, const ct_ex *residual) {
    const ct_step_builder *build = t->b;
    ct_newton x = ct_newton_new(t->n);
    x.n_last = t->n_last;
    x.last = ct_alloc((size_t)t->n_last + 1, sizeof(int));
    for (int i = 0; i < t->n_last; i++) x.last[i] = t->last[i];
    for (int i = 0; i < t->n; i++) {
        x.unknown[i] = t->index[i];
        x.is_angle[i] = build->f->is_angle[t->unknown[i]];
        x.residual[i] = residual[i];
        for (int k = 0; k < t->n; k++)
            x.matrix[i * t->n + k] = ct_diff(build->pool, residual[i], t->tracked[k]);
    }
    return x;
}

// Notes the degree that a polynomial for an iterated block has in general.
static void tell_degree(ct_step *s, int degree) {
    s->general = degree;
    if (!degree) return;
    s->text = ct_format("iterated until the lengths are right; degree %d in general", degree);
}

// The residuals as a system for the algebra engine. Returns false if they are not algebraic, or too
// large.
static bool look_up(const torn *t, ct_block_known *k) {
    const ct_step_builder *build = t->b;
    bool *is_angle = ct_alloc((size_t)t->n + 1, sizeof *is_angle);
    for (int i = 0; i < t->n; i++) is_angle[i] = build->f->is_angle[t->unknown[i]];
    const ct_block_residuals r = {.n = t->n,
                                  .residual = t->iteration.residual,
                                  .coordinate = t->tracked,
                                  .is_angle = is_angle,
                                  .n_signs = build->closure->registers.signs.n,
                                  .sign = build->closure->registers.signs.symbol};
    bool good = ct_block_known_init(k, build->pool, &r, &build->closure->registers);
    ct_free(is_angle);
    return good;
}

// In closed form where that is possible: square roots by the algebra engine, polynomials up to
// degree 4 by elimination in two unknowns or else by the engine; then roots of higher degree.
static bool solve_closed(torn *t) {
    ct_closure *c = t->b->closure;
    ct_block_known k = {0};
    bool known = look_up(t, &k), roots = false, solved = false;
    // square roots alone
    if (known) roots = k.found && ct_triangular_degree(&k.triangular) <= 2;
    if (roots) solved = ct_tearing_triangular(t, &k);
    // degree 4 or less, by elimination in two unknowns or by the engine
    if (!solved) solved = ct_tearing_polynomial(t, 4);
    if (!solved && known && !roots) solved = ct_tearing_triangular(t, &k);
    // roots of higher degree
    if (!solved) solved = ct_tearing_polynomial(t, CT_UNIVARIATE);
    if (!solved && known) tell_degree(c->steps + t->step, k.shape.least);
    c->n_blocks_from_cache += known && k.from_cache;
    ct_block_known_clear(&k);
    return solved;
}

// The solver: a closed form where there is one, else the iteration.
static void solve(torn *t) {
    ct_segment newton = {.kind = CT_SEGMENT_NEWTON, .step = t->step, .newton = t->iteration};
    if (solve_closed(t)) {
        ct_segment_clear(&newton);
    } else {
        *ct_program_add(&t->own, t->step) = newton;
        t->b->closure->n_iterated += t->n;
    }
}

// Moves a segment to the end of a program.
static void hand_over(ct_program *program, ct_segment *seg) {
    *ct_program_add(program, seg->step) = *seg;
    *seg = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = seg->step};
}

// Writes the group into the program of positions: the solver's segments, then those that hang on
// the unknowns, except one whose unknown the solver finds.
static void write_group(torn *t) {
    ct_program *p = t->b->program;
    for (int i = 0; i < t->own.n; i++) hand_over(p, t->own.segments + i);
    for (int i = 0; i < t->hanging.n; i++)
        if (i != t->absorbed) hand_over(p, t->hanging.segments + i);
}

// Chooses the equations that close the group, then their solver, then writes the segments.
static ct_status finish(ct_context *ctx, torn *t, int n, const ct_ex *psi) {
    ct_ex *residual = ct_scratch((size_t)t->n, sizeof(ct_ex));
    bool regular = choose(t, n, psi, residual);
    if (regular) {
        t->iteration = iteration(t, residual);
        ct_rate_block *block = ct_steps_rate_block(t->b, t->n, t->unknown, t->psi);
        block->tear = true;
        block->step = t->step;
        solve(t);
        write_group(t);
    }
    if (regular) return CT_OK;
    return ct_fail(ctx, CT_NUMERICS,
                   "the loops through '%s' are in a singular position at the start",
                   t->b->f->model->joints[t->flow->placements[t->first].joint].name);
}

ct_tearing *ct_tearing_begin(const ct_step_builder *build, const ct_flow *flow, int group,
                             int first) {
    torn *t = ct_scratch(1, sizeof *t);
    *t = (torn){.b = build, .flow = flow, .group = group, .first = first, .absorbed = -1};
    find_unknowns(t);
    t->psi = ct_scratch((size_t)t->n, sizeof(ct_ex));
    const ct_step step = {.method = CT_STEP_NEWTON,
                          .n_unknowns = t->n,
                          .joint = flow->placements[first].joint,
                          .text = ct_strdup("iterated until the lengths are right")};
    t->step = ct_steps_add(build->closure, step, t->unknown);
    return t;
}

ct_status ct_tearing_close(ct_context *ctx, ct_tearing *t, const bool *known) {
    ct_ex *psi;
    int n = candidates(t, known, &psi);
    for (int i = 0; i < n; i++) (void)ct_steps_replace(t->b, psi[i]); // asks for their values
    ct_tearing_tables(t, 0, NULL);
    ct_status status = finish(ctx, t, n, psi);
    return status;
}
