// The walk along a flow, which writes the program of positions: independent and given coordinates
// are known, then every group of loops is placed, step by step or inside an iteration; coordinates
// of joints outside the trees come last.
#include "closure/positions.h"

#include "closure/relations/coupling_solve.h"
#include "closure/steps/steps.h"
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <stdlib.h>

// couplings --------------------------------------------------------------------------------------
// Motions, gears, racks and equations between coordinates give a coordinate once all others in
// them are known.

// Returns true for rows that can give a coordinate. Equations that name points cannot: they close
// an iteration.
static bool is_coupling(const ct_formulation *f, int row) {
    ct_row_owner owner = f->owner[row];
    if (owner.motion >= 0) return f->model->motions[owner.motion].coordinate >= 0;
    if (owner.joint < 0) return false; // it defines a swing
    const ct_joint *j = f->model->joints + owner.joint;
    if (ct_joint_is_equation(j->type))
        return !(ct_ex_kinds(f->pool, j->equation) & (1u << CT_SYMBOL_OTHER));
    return ct_joint_is_pair(j->type);
}

// The row whose only unknown is coordinate k, with its solution; -1: there is none. Of several the
// one of the simplest kind.
static int giving_row(const ct_step_builder *build, int k, const bool *known,
                      ct_coupling *coupling) {
    const ct_formulation *f = build->f;
    int found = -1;
    for (int i = 0; i < f->m; i++) {
        if (f->phi_q[i * f->n + k] == CT_ZERO || !is_coupling(f, i)) continue;
        bool others = true;
        for (int j = 0; j < f->n; j++)
            if (j != k && !known[j] && f->phi_q[i * f->n + j] != CT_ZERO) others = false;
        if (!others) continue;
        ct_coupling way = ct_coupling_for(build->pool, f->phi[i], f->q[k], f->is_angle[k]);
        if (found < 0 || way.kind < coupling->kind) {
            found = i;
            *coupling = way;
        }
    }
    return found;
}

static ct_ex replace(const ct_step_builder *build, ct_ex a) {
    return ct_let(build->pool, ct_steps_replace(build, a));
}

// A divisor in values, with a guard that it does not vanish; one of parameters alone has none.
static ct_ex divisor(const ct_step_builder *build, ct_segment *seg, ct_ex a) {
    ct_pool *pool = build->pool;
    if (!(ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER))) return a;
    a = replace(build, a);
    ct_steps_guard(seg, ct_sub(pool, ct_power_int(pool, a, 2),
                               ct_power_int(pool, ct_int(pool, 10), CT_GUARD_DIVISOR)));
    return a;
}

static void set(const ct_step_builder *build, ct_segment *seg, int k, ct_ex value) {
    if (build->f->is_angle[k])
        ct_steps_set(build, seg, build->f->q[k], ct_cos(build->pool, value),
                     ct_sin(build->pool, value));
    else
        ct_values_set_slide(build->values, seg, k, value);
}

// A coordinate that no closed form gives: Newton's iteration on its row.
static void iterate_one(const ct_step_builder *build, ct_segment *seg, int row, int k) {
    ct_newton newton = ct_newton_new(1);
    ct_ex w = ct_values_tracked(build->values, k, newton.unknown);
    newton.is_angle[0] = build->f->is_angle[k];
    newton.residual[0] = ct_values_residual(build->values, build->f->phi[row], 1, &k);
    newton.matrix[0] = ct_diff(build->pool, newton.residual[0], w);
    seg->kind = CT_SEGMENT_NEWTON;
    seg->newton = newton;
    if (newton.is_angle[0]) ct_steps_solved(build, build->f->q[k]);
    build->closure->n_iterated++;
}

// Solves a row for coordinate k, which it gives, by the kind of the coupling.
static void solve(const ct_step_builder *build, int row, int k, const ct_coupling *coupling) {
    static const struct {
        ct_step_method method;
        int degree;
    } how[] = {{CT_STEP_GIVEN, 1},
               {CT_STEP_LINEAR, 1},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_NEWTON, 0}};
    ct_pool *pool = build->pool;
    const ct_formulation *f = build->f;
    ct_ex psi = f->phi[row], cosine, sine;
    // a step that is named after the row
    ct_segment *seg =
        ct_steps_segment(build, how[coupling->kind].method, how[coupling->kind].degree,
                         f->model->coordinates[f->coordinate[k]].joint, 1, &k,
                         ct_format("given by '%s'", ct_row_name(f, row)));
    switch (coupling->kind) {
    case CT_COUPLING_GIVEN: {
        // q = q - psi / c1, which holds no q
        psi = ct_div(pool, psi, coupling->c1);
        ct_ex value = ct_steps_replace(build, ct_sub(pool, f->q[k], psi));
        set(build, seg, k, value);
        break;
    }
    case CT_COUPLING_LINEAR:
        // c1 q + c0 = 0
        set(build, seg, k,
            ct_neg(pool,
                   ct_div(pool, replace(build, coupling->c0), divisor(build, seg, coupling->c1))));
        break;
    case CT_COUPLING_QUADRATIC: {
        // c2 q^2 + c1 q + c0 = 0
        ct_ex a = divisor(build, seg, coupling->c2), two = ct_int(pool, 2);
        ct_ex h = ct_div(pool, replace(build, coupling->c1), ct_mul(pool, two, a)),
              c = ct_div(pool, replace(build, coupling->c0), a);
        ct_ex x = ct_values_slide(build->values, k);
        ct_values_set_slide(build->values, seg, k, ct_steps_square(build, seg, x, h, c));
        break;
    }
    case CT_COUPLING_ANGLE: {
        // c2 cos q + c1 sin q + c0 = 0
        ct_unknown u = {.coordinate = k, .is_angle = true, .angle_sum = f->q[k]};
        ct_values_pair(build->values, u.angle_sum, &u.c, &u.s);
        ct_steps_trig(build, seg, &u, replace(build, coupling->c2), replace(build, coupling->c1),
                      ct_neg(pool, replace(build, coupling->c0)), &cosine, &sine);
        ct_steps_set(build, seg, u.angle_sum, cosine, sine);
        break;
    }
    case CT_COUPLING_OPEN:
        // no closed form
        iterate_one(build, seg, row, k);
        break;
    }
    // the row, or psi / c1, gives the rate
    ct_steps_rate_block(build, 1, &k, &psi);
}

// Solves every motion and coupling whose last unknown is left.
static void give(const ct_step_builder *build, bool *known) {
    for (int k = 0; k < build->f->n; k++) {
        ct_coupling coupling;
        int row = known[k] ? -1 : giving_row(build, k, known, &coupling);
        if (row < 0) continue;
        solve(build, row, k, &coupling);
        known[k] = true;
        k = -1; // further couplings may have one unknown left
    }
}

// joints outside the trees -----------------------------------------------------------------------
// Joints outside the trees have coordinates where the model names them. Their bodies are placed
// already; the angles follow from the rotation between these.
static void auxiliary_angles(const ct_step_builder *build, ct_segment *seg, const ct_connection *c,
                             const int *k) {
    ct_pool *pool = build->pool;
    // rotation of the joint, in values
    ct_mat3 r = ct_joint_rotation(build->layout, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.a[i][j] = ct_steps_replace(build, r.a[i][j]);
    // three angles: by the entries of the rotation
    if (c->n_rot == 3) {
        ct_steps_three_angles(build, seg, c, r, k);
        return;
    }
    for (int i = 0; i < c->n_rot; i++) {
        // angle i is the turn about u that takes w into v
        ct_vec3 u = c->axis[i], w, v, n2;
        if (c->n_rot == 1) {
            ct_vec_normals(build->f->model, u, &w, &n2);
            v = ct_mat_vec(pool, r, w);
        } else {
            // of two turns each moves the axis of the other; the second one is seen backwards
            w = c->axis[1 - i];
            v = i ? ct_mat_transpose_vec(pool, r, w) : ct_mat_vec(pool, r, w);
        }
        // cos = flat . v / |flat|^2, sin = side . v / |flat|^2; flat: w without its part along u
        ct_vec3 side = ct_vec_cross(build->pool, u, w),
                flat = ct_vec_sub(pool, w,
                                  ct_vec_scale(build->pool, ct_vec_dot(build->pool, u, w), u));
        ct_ex over = ct_power_int(pool, ct_vec_dot(build->pool, flat, flat), -1);
        ct_ex cosine = ct_mul(pool, ct_vec_dot(build->pool, flat, v), over),
              sine = ct_mul(pool, ct_vec_dot(build->pool, side, v), over);
        ct_steps_set(build, seg, build->f->q[k[i]], cosine, i ? ct_neg(pool, sine) : sine);
    }
}

// Coordinates of a joint outside the tree, first .. first + n - 1 of f->q, all slides or all
// angles.
static void auxiliary_joint(const ct_step_builder *build, int joint, int first, int n) {
    const ct_connection *c = ct_steps_joint(build, joint);
    int k[6], count = 0;
    ct_ex psi[6];
    for (int i = 0; i < n; i++) k[i] = first + i;
    // rows of the joint that hold these coordinates
    for (int i = 0; i < build->f->m && count < n; i++) {
        bool named = false;
        for (int j = 0; j < n; j++)
            named = named || ct_depends(build->pool, build->f->phi[i], build->f->q[k[j]]);
        if (named && build->f->owner[i].joint == joint) psi[count++] = build->f->phi[i];
    }
    // angles or slides from the places of the two bodies
    ct_segment *seg = ct_steps_segment(
        build, CT_STEP_LINEAR, 1, joint, n, k,
        ct_format("coordinates of '%s' from its bodies", build->f->model->joints[joint].name));
    if (build->f->is_angle[first])
        auxiliary_angles(build, seg, c, k);
    else {
        ct_ex value[6];
        ct_connection_values(build->layout, c, value);
        for (int i = 0; i < n; i++)
            ct_values_set_slide(build->values, seg, k[i], ct_steps_replace(build, value[i]));
    }
    ct_steps_rate_block(build, n, k, psi);
}

// Slides and angles of every joint outside the trees, by themselves.
static void auxiliary(const ct_step_builder *build) {
    const ct_formulation *f = build->f;
    const int end = f->n - f->n_swings; // swings are independent
    for (int k = f->n_tree; k < end;) {
        int joint = f->model->coordinates[f->coordinate[k]].joint, n = 1;
        while (k + n < end && f->is_angle[k + n] == f->is_angle[k] &&
               f->model->coordinates[f->coordinate[k + n]].joint == joint)
            n++;
        auxiliary_joint(build, joint, k, n);
        k += n;
    }
}

// the walk ---------------------------------------------------------------------------------------
typedef struct walk {
    ct_context *ctx;
    const ct_flow *flow;
    bool *known; // [f->n] coordinates that are placed
} walk;

// The steps of one placement. A given one needs none; iterated coordinates are found by tearing.
static void place(const ct_step_builder *build, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_ONE:
    case CT_PLACE_RELATIVE:
    case CT_PLACE_CYLINDER:
    case CT_PLACE_SCREW: ct_steps_one_axis(build, p); break;
    case CT_PLACE_DIRECTION: ct_steps_direction(build, p); break;
    case CT_PLACE_FRAME:
    case CT_PLACE_POSE: ct_steps_orientation(build, p); break;
    case CT_PLACE_KEPT:
    case CT_PLACE_SPHERES: ct_steps_translating(build, p); break;
    case CT_PLACE_PLANES: ct_steps_planes(build, p); break;
    case CT_PLACE_GIVEN:
    case CT_PLACE_ITERATE: break;
    }
}

// One placement, then the coordinates that couplings give from it.
static void advance(const walk *w, const ct_step_builder *build, const ct_placement *p) {
    place(build, p);
    for (int k = 0; k < p->n_unknown; k++)
        w->known[ct_steps_coordinate(build, p->unknown[k])] = true;
    give(build, w->known);
}

// A torn group: placements first .. last - 1 hang on iterated coordinates.
static ct_status iterate(const walk *w, const ct_step_builder *build, int group, int first,
                         int last) {
    ct_step_builder inner = *build;
    ct_tearing *torn = ct_tearing_begin(build, w->flow, group, first);
    inner.iterated = true;
    inner.program = &torn->hanging;
    for (int i = first; i < last; i++) advance(w, &inner, w->flow->placements + i);
    return ct_tearing_close(w->ctx, torn, w->known);
}

// Places a group of loops, step by step as far as nothing is iterated.
static ct_status place_group(const walk *w, const ct_step_builder *whole, int group) {
    const ct_flow *flow = w->flow;
    ct_step_builder build = *whole;
    build.root = flow->group_root[group];
    int first = flow->group[group], last = ct_flow_group_end(flow, group), still = -1;
    // placements one by one; those from an iterated one on belong to the iteration
    for (int i = first; i < last; i++) {
        if (flow->placements[i].kind == CT_PLACE_ITERATE) return iterate(w, &build, group, i, last);
        advance(w, &build, flow->placements + i);
        if (flow->placements[i].kind == CT_PLACE_KEPT) still = build.closure->n_steps - 1;
    }
    ct_steps_watch_group(&build, flow, group, still);
    return CT_OK;
}

// Fills in the independent and dependent coordinates of the closure. Fails if they are not as many
// as the m independent rows leave free.
static ct_status independents(const walk *w, const ct_step_builder *build, int m) {
    ct_closure *c = build->closure;
    const ct_formulation *f = build->f;
    c->independent = ct_alloc((size_t)f->n + 1, sizeof(int));
    c->dependent = ct_alloc((size_t)f->n + 1, sizeof(int));
    // coordinates that the flow names
    for (int i = 0; i < w->flow->n_independent; i++) {
        int k = ct_steps_coordinate(build, w->flow->independent[i]);
        if (k < 0)
            return ct_fail(w->ctx, CT_INTERNAL, "independent coordinate %d is not in the trees",
                           w->flow->independent[i]);
        c->is_independent[k] = w->known[k] = true;
    }
    // independent and dependent ones, in the order of f->q
    for (int k = 0; k < f->n; k++)
        if (w->known[k])
            c->independent[c->r++] = k;
        else
            c->dependent[c->n_dependent++] = k;
    // as many as the rank leaves free
    if (c->r != f->n - m)
        return ct_fail(w->ctx, CT_INTERNAL, "the flow has %d freedoms, the mechanism %d", c->r,
                       f->n - m);
    return CT_OK;
}

static ct_status all_known(const walk *w, const ct_formulation *f) {
    for (int k = 0; k < f->n_tree; k++)
        if (!w->known[k])
            return ct_fail(w->ctx, CT_INTERNAL, "coordinate '%s' was left out of the closure",
                           f->names[k]);
    return CT_OK;
}

static ct_status walk_along(const walk *w, const ct_step_builder *build, int m) {
    ct_status status = independents(w, build, m);
    // what motions drive, and what couplings carry on
    if (!status) give(build, w->known);
    // the loops, group by group
    for (int g = 0; g < w->flow->n_groups && !status; g++) {
        status = place_group(w, build, g);
        give(build, w->known);
    }
    // joints outside the trees
    if (!status) auxiliary(build);
    return status ? status : all_known(w, build->f);
}

// True if nothing is iterated and no degree is above 4.
static bool is_triangular(const ct_closure *c) {
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].degree > 4) return false;
    return c->n_iterated == 0;
}

ct_status ct_positions_build(ct_context *ctx, ct_closure *c, const ct_flow *flow, ct_values *values,
                             int m, const double *q0) {
    const ct_formulation *f = c->f;
    ct_step_notes notes = {0};
    const ct_step_builder build = {.f = f,
                                   .pool = f->pool,
                                   .layout = f->layout,
                                   .q0 = q0,
                                   .length = ct_typical_length(f->model),
                                   .closure = c,
                                   .program = &c->positions,
                                   .values = values,
                                   .notes = &notes};
    const walk w = {ctx, flow, ct_scratch((size_t)f->n + 1, sizeof(bool))};
    ct_status status = walk_along(&w, &build, m);
    c->triangular = is_triangular(c);
    return status;
}
