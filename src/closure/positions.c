// The walk along a flow: what is independent or given is known, then every group of loops is
// placed, step by step or inside an iteration, and joints outside the trees come last.
#include "closure/positions.h"

#include "closure/relations/coupling_solve.h"
#include "closure/steps/steps.h"
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <stdlib.h>

// couplings --------------------------------------------------------------------------------------
// Coordinates that motions, gears, racks and equations between coordinates give once everything
// else in them is known.

// Equations that name points give nothing: they close an iteration.
static bool is_law(const ct_formulation *f, int row) {
    ct_row_owner owner = f->owner[row];
    if (owner.motion >= 0) return f->model->motions[owner.motion].coordinate >= 0;
    const ct_joint *j = f->model->joints + owner.joint;
    if (ct_joint_is_equation(j->type))
        return !(ct_ex_kinds(f->pool, j->equation) & (1u << CT_SYMBOL_OTHER));
    return ct_joint_is_pair(j->type);
}

// The row whose last unknown is coordinate k, and how it is solved for it.
static int giving_row(const ct_steps *b, int k, const bool *known, ct_law *law) {
    const ct_formulation *f = b->f;
    int found = -1;
    for (int i = 0; i < f->m; i++) {
        if (f->phi_q[i * f->n + k] == CT_ZERO || !is_law(f, i)) continue;
        bool others = true;
        for (int j = 0; j < f->n; j++)
            if (j != k && !known[j] && f->phi_q[i * f->n + j] != CT_ZERO) others = false;
        if (!others) continue;
        ct_law way = ct_law_for(b->pool, f->phi[i], f->q[k], f->is_angle[k]);
        if (found < 0 || way.kind < law->kind) {
            found = i;
            *law = way;
        }
    }
    return found;
}

static ct_ex replace(const ct_steps *b, ct_ex a) {
    return ct_let(b->pool, ct_steps_replace(b, a));
}

// A factor that is divided by must not vanish.
static ct_ex divisor(const ct_steps *b, ct_segment *s, ct_ex a) {
    ct_pool *pool = b->pool;
    if (!(ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER))) return a;
    a = replace(b, a);
    ct_steps_guard(s, ct_sub(pool, ct_power_int(pool, a, 2),
                             ct_power_int(pool, ct_int(pool, 10), CT_GUARD_DIVISOR)));
    return a;
}

static void set(const ct_steps *b, ct_segment *s, int k, ct_ex value) {
    if (b->f->is_angle[k])
        ct_steps_set(b, s, b->f->q[k], ct_cos(b->pool, value), ct_sin(b->pool, value));
    else
        ct_forms_set_slide(b->forms, s, k, value);
}

// One number by Newton's iteration.
static void iterate_one(const ct_steps *b, ct_segment *s, int row, int k) {
    ct_newton newton = ct_newton_new(1);
    ct_ex w = ct_forms_tracked(b->forms, k, newton.unknown);
    newton.is_angle[0] = b->f->is_angle[k];
    newton.residual[0] = ct_forms_residual(b->forms, b->f->phi[row], 1, &k);
    newton.matrix[0] = ct_diff(b->pool, newton.residual[0], w);
    s->kind = CT_SEGMENT_NEWTON;
    s->newton = newton;
    if (newton.is_angle[0]) ct_steps_solved(b, b->f->q[k]);
    b->closure->n_iterated++;
}

static void solve(const ct_steps *b, int row, int k, const ct_law *law) {
    static const struct {
        ct_step_method method;
        int degree;
    } how[] = {{CT_STEP_GIVEN, 1},
               {CT_STEP_LINEAR, 1},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_NEWTON, 0}};
    ct_pool *pool = b->pool;
    const ct_formulation *f = b->f;
    ct_ex psi = f->phi[row], cosine, sine;
    ct_segment *s = ct_steps_segment(b, how[law->kind].method, how[law->kind].degree,
                                     f->model->coordinates[f->coordinate[k]].joint, 1, &k,
                                     ct_format("given by '%s'", ct_row_name(f, row)));
    switch (law->kind) {
    case CT_LAW_GIVEN: {
        psi = ct_div(pool, psi, law->c1);
        ct_ex value = ct_steps_replace(b, ct_sub(pool, f->q[k], psi));
        set(b, s, k, value);
        break;
    }
    case CT_LAW_LINEAR:
        set(b, s, k, ct_neg(pool, ct_div(pool, replace(b, law->c0), divisor(b, s, law->c1))));
        break;
    case CT_LAW_QUADRATIC: {
        ct_ex a = divisor(b, s, law->c2), two = ct_int(pool, 2);
        ct_ex h = ct_div(pool, replace(b, law->c1), ct_mul(pool, two, a)),
              c = ct_div(pool, replace(b, law->c0), a);
        ct_ex x = ct_forms_slide(b->forms, k);
        ct_forms_set_slide(b->forms, s, k, ct_steps_square(b, s, x, h, c));
        break;
    }
    case CT_LAW_TURN: {
        ct_unknown u = {.coordinate = k, .turn = true, .form = f->q[k]};
        ct_forms_pair(b->forms, u.form, &u.c, &u.s);
        ct_steps_trig(b, s, &u, replace(b, law->c2), replace(b, law->c1),
                      ct_neg(pool, replace(b, law->c0)), &cosine, &sine);
        ct_steps_set(b, s, u.form, cosine, sine);
        break;
    }
    case CT_LAW_OPEN: iterate_one(b, s, row, k); break;
    }
    ct_steps_block(b, 1, &k, &psi);
}

// Everything that motions and couplings give now.
static void give(const ct_steps *b, bool *known) {
    for (int k = 0; k < b->f->n; k++) {
        ct_law law;
        int row = known[k] ? -1 : giving_row(b, k, known, &law);
        if (row < 0) continue;
        solve(b, row, k, &law);
        known[k] = true;
        k = -1; // laws may follow
    }
}

// joints outside the trees -----------------------------------------------------------------------
// Coordinates that something names: the bodies are placed already.
static void auxiliary_angles(const ct_steps *b, ct_segment *s, const ct_connection *c,
                             const int *k) {
    ct_pool *pool = b->pool;
    ct_mat3 r = ct_joint_rotation(b->layout, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.a[i][j] = ct_steps_replace(b, r.a[i][j]);
    if (c->n_rot == 3) {
        ct_steps_three_angles(b, s, c, r, k);
        return;
    }
    for (int i = 0; i < c->n_rot; i++) {
        // u w -> v: the turn about u that takes w into v
        ct_vec3 u = c->axis[i], w, v, n2;
        if (c->n_rot == 1) {
            ct_vec_normals(b->f->model, u, &w, &n2);
            v = ct_mat_vec(pool, r, w);
        } else {
            w = c->axis[1 - i];
            v = i ? ct_mat_transpose_vec(pool, r, w) : ct_mat_vec(pool, r, w);
        }
        ct_vec3 side = ct_vec_cross(b->pool, u, w),
                flat = ct_vec_sub(pool, w, ct_vec_scale(b->pool, ct_vec_dot(b->pool, u, w), u));
        ct_ex over = ct_power_int(pool, ct_vec_dot(b->pool, flat, flat), -1);
        ct_ex cosine = ct_mul(pool, ct_vec_dot(b->pool, flat, v), over),
              sine = ct_mul(pool, ct_vec_dot(b->pool, side, v), over);
        ct_steps_set(b, s, b->f->q[k[i]], cosine, i ? ct_neg(pool, sine) : sine);
    }
}

// Coordinates of a joint outside the tree, first .. first + n - 1 of f->q, all slides or all
// angles.
static void auxiliary_joint(const ct_steps *b, int joint, int first, int n) {
    const ct_connection *c = ct_steps_joint(b, joint);
    int k[6], count = 0;
    ct_ex psi[6];
    for (int i = 0; i < n; i++) k[i] = first + i;
    for (int i = 0; i < b->f->m && count < n; i++) {
        bool named = false;
        for (int j = 0; j < n; j++)
            named = named || ct_depends(b->pool, b->f->phi[i], b->f->q[k[j]]);
        if (named && b->f->owner[i].joint == joint) psi[count++] = b->f->phi[i];
    }
    ct_segment *s = ct_steps_segment(
        b, CT_STEP_LINEAR, 1, joint, n, k,
        ct_format("coordinates of '%s' from its bodies", b->f->model->joints[joint].name));
    if (b->f->is_angle[first])
        auxiliary_angles(b, s, c, k);
    else {
        ct_ex value[6];
        ct_connection_values(b->layout, c, value);
        for (int i = 0; i < n; i++)
            ct_forms_set_slide(b->forms, s, k[i], ct_steps_replace(b, value[i]));
    }
    ct_steps_block(b, n, k, psi);
}

static void auxiliary(const ct_steps *b) {
    const ct_formulation *f = b->f;
    for (int k = f->n_tree; k < f->n;) {
        int joint = f->model->coordinates[f->coordinate[k]].joint, n = 1;
        while (k + n < f->n && f->is_angle[k + n] == f->is_angle[k] &&
               f->model->coordinates[f->coordinate[k + n]].joint == joint)
            n++;
        auxiliary_joint(b, joint, k, n);
        k += n;
    }
}

// the walk ---------------------------------------------------------------------------------------
typedef struct walk {
    ct_context *ctx;
    const ct_flow *flow;
    bool *known; // [f->n] coordinates that are placed
} walk;

static void place(const ct_steps *b, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_ONE:
    case CT_PLACE_RELATIVE:
    case CT_PLACE_CYLINDER:
    case CT_PLACE_SCREW: ct_steps_one_axis(b, p); break;
    case CT_PLACE_DIRECTION:
    case CT_PLACE_FRAME: ct_steps_several_angles(b, p); break;
    case CT_PLACE_KEPT:
    case CT_PLACE_SPHERES: ct_steps_translating(b, p); break;
    case CT_PLACE_GIVEN:
    case CT_PLACE_ITERATE: break;
    }
}

// One placement, and what couplings give from it.
static void advance(const walk *w, const ct_steps *b, const ct_placement *p) {
    place(b, p);
    for (int k = 0; k < p->n_unknown; k++) w->known[ct_steps_coordinate(b, p->unknown[k])] = true;
    give(b, w->known);
}

// Placements first .. last - 1 hang on iterated coordinates.
static ct_status iterate(const walk *w, const ct_steps *b, int group, int first, int last) {
    ct_steps inner = *b;
    inner.iterated = true;
    ct_torn *torn = ct_torn_begin(b, w->flow, group, first);
    for (int i = first; i < last; i++) advance(w, &inner, w->flow->placements + i);
    return ct_torn_close(w->ctx, torn, w->known);
}

static ct_status place_group(const walk *w, const ct_steps *whole, int group) {
    const ct_flow *flow = w->flow;
    const ct_placement *placed = flow->placements + flow->group[group];
    ct_steps b = *whole;
    b.root = flow->group_root[group];
    int first = flow->group[group], last = ct_flow_group_end(flow, group), still = -1;
    for (int i = first; i < last; i++) {
        if (flow->placements[i].kind == CT_PLACE_ITERATE) return iterate(w, &b, group, i, last);
        advance(w, &b, flow->placements + i);
        if (flow->placements[i].kind == CT_PLACE_KEPT) still = b.closure->n_steps - 1;
    }
    for (int i = 0; i < flow->n_spare && still >= 0; i++)
        if (flow->spare_group[i] == group)
            ct_steps_watch_open(&b, still, flow->spare + i, last - first, placed);
    return CT_OK;
}

static ct_status independents(const walk *w, const ct_steps *b, int m) {
    ct_closure *c = b->closure;
    const ct_formulation *f = b->f;
    c->independent = ct_alloc((size_t)f->n + 1, sizeof(int));
    c->dependent = ct_alloc((size_t)f->n + 1, sizeof(int));
    for (int i = 0; i < w->flow->n_independent; i++) {
        int k = ct_steps_coordinate(b, w->flow->independent[i]);
        if (k < 0)
            return ct_fail(w->ctx, CT_INTERNAL, "independent coordinate %d is not in the trees",
                           w->flow->independent[i]);
        c->is_independent[k] = w->known[k] = true;
    }
    for (int k = 0; k < f->n; k++)
        if (w->known[k])
            c->independent[c->r++] = k;
        else
            c->dependent[c->n_dependent++] = k;
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

static ct_status walk_along(const walk *w, const ct_steps *b, int m) {
    ct_status status = independents(w, b, m);
    // what motions drive, and what couplings carry on
    if (!status) give(b, w->known);
    // the loops, group by group
    for (int g = 0; g < w->flow->n_groups && !status; g++) {
        status = place_group(w, b, g);
        give(b, w->known);
    }
    // joints outside the trees
    if (!status) auxiliary(b);
    return status ? status : all_known(w, b->f);
}

static bool is_triangular(const ct_closure *c) {
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].degree > 4) return false;
    return c->n_iterated == 0;
}

ct_status ct_positions_build(ct_context *ctx, ct_closure *closure, const ct_flow *flow,
                             ct_forms *forms, int m, const double *q0) {
    const ct_formulation *f = closure->f;
    ct_step_notes notes = {0};
    const ct_steps b = {.f = f,
                        .pool = f->pool,
                        .layout = f->layout,
                        .q0 = q0,
                        .closure = closure,
                        .forms = forms,
                        .notes = &notes};
    const walk w = {ctx, flow, ct_alloc((size_t)f->n + 1, sizeof(bool))};
    ct_status status = walk_along(&w, &b, m);
    closure->triangular = is_triangular(closure);
    ct_free(w.known);
    ct_free(notes.solved);
    ct_free(notes.seen);
    return status;
}
