// The steps along a flow, one after the other.
#include "closure/steps/builder.h"

#include <stdlib.h>
#include <string.h>

// expressions ------------------------------------------------------------------------------------
ct_ex ct_steps_replace(ct_steps *b, ct_ex a) {
    return ct_forms_replace(b->forms, a);
}

ct_vec3 ct_steps_vector(ct_steps *b, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = ct_forms_replace(b->forms, v.v[i]);
    return v;
}

ct_vec3 ct_steps_path(ct_steps *b, int from, ct_vec3 p, int to, ct_vec3 q, int frame) {
    return ct_path(&b->layout, from, p, to, q, frame);
}

// A value symbol behind a sign.
static ct_ex strip(ct_pool *pool, ct_ex a, bool *minus) {
    *minus = ct_ex_op(pool, a) == CT_OP_PRODUCT;
    return *minus ? ct_neg(pool, a) : a;
}

static ct_ex inside(ct_pool *pool, ct_ex a) { // behind fences
    while (ct_ex_op(pool, a) == CT_OP_LET) a = ct_child(pool, a, 0);
    return a;
}

// Sines and cosines of other angles with the same unknown in them, by those of the unknown's form:
// where a fixed turn stands beside the joint's, some entries of a rotation hold their sum, others
// the joint's angle alone.
static ct_vec3 in_one_form(ct_steps *b, ct_vec3 v, const ct_unknown *u) {
    ct_pool *pool = b->pool;
    const ct_closure *c = b->closure;
    ct_ex q = b->f->q[u->coordinate];
    ct_substitution *s = ct_substitution_new(pool);
    for (int i = 0, n = c->registers.values.n; i < n; i++) {
        ct_ex direct = c->registers.values.meaning[i];
        ct_op op = ct_ex_op(pool, direct);
        if (op != CT_OP_SIN && op != CT_OP_COS) continue;
        ct_ex angle = ct_child(pool, direct, 0), value = c->registers.values.symbol[i], sine = u->s;
        if (angle == u->form || !ct_depends(pool, angle, q)) continue;
        ct_ex rest = ct_sub(pool, angle, u->form);
        if (ct_depends(pool, rest, q)) { // it turns the other way
            rest = ct_add(pool, angle, u->form);
            sine = ct_neg(pool, sine);
        }
        if (ct_depends(pool, rest, q)) continue;
        ct_ex cr = ct_steps_replace(b, ct_cos(pool, rest)),
              sr = ct_steps_replace(b, ct_sin(pool, rest));
        ct_substitution_map(s, value,
                            op == CT_OP_COS
                                ? ct_sub(pool, ct_mul(pool, cr, u->c), ct_mul(pool, sr, sine))
                                : ct_add(pool, ct_mul(pool, sr, u->c), ct_mul(pool, cr, sine)));
    }
    for (int i = 0; i < 3; i++) v.v[i] = ct_substitute(s, v.v[i]);
    ct_substitution_free(s);
    return v;
}

ct_affine ct_steps_affine(ct_steps *b, ct_vec3 v, const ct_unknown *u) {
    ct_pool *pool = b->pool;
    ct_affine a = {0};
    if (u->turn) v = in_one_form(b, v, u);
    ct_ex of[2] = {u->c, u->s};
    ct_substitution *none = ct_substitution_new(pool);
    for (int i = 0; i < 3; i++) v.v[i] = inside(pool, v.v[i]);
    for (int k = 0; k < (u->turn ? 2 : 1); k++) {
        bool minus;
        ct_ex symbol = strip(pool, of[k], &minus);
        ct_substitution_map(none, symbol, CT_ZERO);
        ct_vec3 *part = k ? &a.sine : &a.cosine;
        for (int i = 0; i < 3; i++) {
            part->v[i] = ct_diff(pool, v.v[i], symbol);
            if (minus) part->v[i] = ct_neg(pool, part->v[i]);
        }
    }
    for (int i = 0; i < 3; i++) a.rest.v[i] = ct_let(pool, ct_substitute(none, v.v[i]));
    ct_substitution_free(none);
    return a;
}

ct_ex ct_steps_length2(ct_steps *b, const ct_relation *r) {
    if (r->via[0] < 0) return ct_steps_replace(b, r->value);
    ct_vec3 d = ct_steps_path(b, r->via[1], r->via_at[1], r->via[0], r->via_at[0], r->via[0]);
    return ct_steps_replace(b, ct_vec_dot(b->pool, d, d));
}

int ct_steps_coordinate(const ct_steps *b, int model_coordinate) {
    const ct_model *m = b->f->model;
    if (model_coordinate < m->n_coordinates) return b->f->where[model_coordinate];
    int body = (model_coordinate - m->n_coordinates) / 6,
        part = (model_coordinate - m->n_coordinates) % 6;
    for (int k = 0; k < b->f->n; k++)
        if (b->f->coordinate[k] < 0 && b->f->body[k] == body && b->f->part[k] == part) return k;
    return -1;
}

const ct_connection *ct_steps_joint(const ct_steps *b, int joint) {
    int own = joint - CT_OWN_JOINT(b->f->model, 0);
    return b->layout.connections + (own < 0 ? ct_graph_edge(b->f->graph, CT_EDGE_JOINT, joint)
                                            : ct_graph_edge(b->f->graph, CT_EDGE_BODY, own));
}

ct_vec3 ct_steps_between(ct_steps *b, int from, ct_vec3 p, int to, ct_vec3 q, int frame) {
    ct_vec3 zero = ct_vec3_zero();
    if (frame != b->root || ct_common(&b->layout, CT_TRANSLATION, from, to) != b->root)
        return ct_steps_path(b, from, p, to, q, frame);
    return ct_vec_sub(b->pool, ct_vec_let(b->pool, ct_steps_path(b, b->root, zero, to, q, frame)),
                      ct_vec_let(b->pool, ct_steps_path(b, b->root, zero, from, p, frame)));
}

ct_vec3 ct_steps_normal(ct_steps *b, const ct_relation *r, int frame) {
    if (r->kind == CT_RELATION_PLANE_X) return ct_turn(&b->layout, r->axis_x, r->x, frame);
    return ct_turn(&b->layout, r->axis_k, r->via[0] >= 0 ? r->via[0] : r->k, frame);
}

// What a relation says, zero on the mechanism, in coordinates.
ct_ex ct_steps_psi(ct_steps *b, const ct_relation *r, int frame) {
    ct_pool *pool = b->pool;
    if (r->kind == CT_RELATION_DOT || r->kind == CT_RELATION_AXIS) {
        ct_vec3 x = ct_turn(&b->layout, r->axis_x, r->x, frame),
                k = ct_turn(&b->layout, r->axis_k, r->k, frame);
        return ct_sub(pool, ct_vec_dot(pool, x, k), r->value);
    }
    ct_vec3 v = ct_steps_between(b, r->k, r->point_k, r->x, r->point_x, frame);
    if (r->kind == CT_RELATION_PLANE_K || r->kind == CT_RELATION_PLANE_X)
        return ct_sub(pool, ct_vec_dot(pool, ct_steps_normal(b, r, frame), v), r->value);
    ct_ex length2 = r->value;
    if (r->via[0] >= 0) {
        ct_vec3 d = ct_steps_path(b, r->via[1], r->via_at[1], r->via[0], r->via_at[0], r->via[0]);
        length2 = ct_vec_dot(pool, d, d);
    }
    v = ct_vec_let(pool, v);
    return ct_mul(pool, ct_rational(pool, 1, 2), ct_sub(pool, ct_vec_dot(pool, v, v), length2));
}

const char *ct_steps_source(const ct_steps *b, const ct_relation *r) {
    const ct_model *m = b->f->model;
    return r->joint >= 0 ? m->joints[r->joint].name : m->motions[-1 - r->joint].name;
}

// bookkeeping ------------------------------------------------------------------------------------
ct_segment *ct_steps_more(ct_steps *b) {
    return ct_program_add(&b->closure->positions, b->closure->n_steps - 1);
}

ct_segment *ct_steps_segment(ct_steps *b, ct_step_method method, int degree, int joint, int n,
                             const int *unknown, char *text) {
    ct_closure *c = b->closure;
    ct_step *s = CT_PUSH(c->steps, c->n_steps, c->room_steps);
    *s = (ct_step){.method = method,
                   .degree = degree,
                   .n_unknowns = n,
                   .unknowns = ct_alloc((size_t)n + 1, sizeof *s->unknowns),
                   .joint = joint < b->f->model->n_joints ? joint : -1,
                   .text = text};
    for (int i = 0; i < n; i++) s->unknowns[i] = ct_strdup(b->f->names[unknown[i]]);
    return ct_steps_more(b);
}

void ct_steps_guard(ct_steps *b, ct_segment *s, ct_ex not_negative) {
    (void)b;
    ct_segment_guard(s, not_negative, s->step, CT_ZERO);
}

void ct_steps_keep_clear(ct_steps *b, ct_segment *s, ct_ex a, ct_ex scale) {
    ct_ex tiny = ct_power_int(b->pool, ct_int(b->pool, 10), -12);
    ct_segment_guard(s, ct_sub(b->pool, a, ct_mul(b->pool, tiny, scale)), s->step, scale);
}

void ct_steps_set(ct_steps *b, ct_segment *s, ct_ex form, ct_ex cosine, ct_ex sine) {
    ct_forms_set(b->forms, s, form, cosine, sine);
    *CT_PUSH(b->solved, b->n_solved, b->room_solved) = form;
}

ct_ex ct_steps_sign(ct_steps *b, ct_ex of) {
    ct_register_bank *signs = &b->closure->registers.signs;
    char *name = ct_format("sign %d of %p", signs->n, (void *)b->closure);
    ct_ex symbol = ct_symbol(b->pool, CT_SYMBOL_OTHER, name);
    free(name);
    ct_register_add(signs, symbol, of);
    return symbol;
}

ct_ex ct_steps_frozen(ct_steps *b, ct_ex value) {
    if (ct_is_number(b->pool, value)) return value;
    char *name = ct_format("frozen %d of %p", b->n_frozen++, (void *)b->closure);
    ct_ex symbol = ct_symbol(b->pool, CT_SYMBOL_OTHER, name);
    ct_forms_freeze(b->forms, symbol, value);
    free(name);
    return symbol;
}

ct_block *ct_steps_block(ct_steps *b, int n, const int *unknown, const ct_ex *psi) {
    ct_closure *c = b->closure;
    ct_block *k = CT_PUSH(c->blocks, c->n_blocks, c->room_blocks);
    *k = (ct_block){.step = c->n_steps - 1,
                    .n = n,
                    .unknown = ct_alloc((size_t)n + 1, sizeof(int)),
                    .psi = ct_alloc((size_t)n + 1, sizeof(ct_ex))};
    memcpy(k->unknown, unknown, (size_t)n * sizeof(int));
    memcpy(k->psi, psi, (size_t)n * sizeof(ct_ex));
    return k;
}

// the flow
// -----------------------------------------------------------------------------------------
void ct_steps_place(ct_steps *b, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_ONE: ct_steps_one(b, p); break;
    case CT_PLACE_RELATIVE: ct_steps_relative(b, p); break;
    case CT_PLACE_CYLINDER: ct_steps_cylinder(b, p); break;
    case CT_PLACE_SCREW: ct_steps_screw(b, p); break;
    case CT_PLACE_DIRECTION: ct_steps_direction(b, p); break;
    case CT_PLACE_FRAME: ct_steps_frame(b, p); break;
    case CT_PLACE_KEPT: ct_steps_kept(b, p); break;
    case CT_PLACE_SPHERES: ct_steps_spheres(b, p); break;
    case CT_PLACE_GIVEN:
    case CT_PLACE_ITERATE: break;
    }
}

void ct_steps_mark(ct_steps *b, const ct_placement *p, bool *known) {
    for (int k = 0; k < p->n_unknown; k++) known[ct_steps_coordinate(b, p->unknown[k])] = true;
}

static ct_status group(ct_steps *b, int g, bool *known) {
    const ct_flow *w = b->flow;
    int first = w->group[g], last = g + 1 < w->n_groups ? w->group[g + 1] : w->n_placements;
    b->group = g;
    b->root = w->group_root[g];
    b->kept = -1;
    for (int i = first; i < last; i++) {
        if (w->placements[i].kind == CT_PLACE_ITERATE) {
            return ct_steps_torn(b, i, last, known);
        }
        ct_steps_place(b, w->placements + i);
        ct_steps_mark(b, w->placements + i, known);
        ct_steps_give(b, known);
    }
    if (b->kept >= 0) ct_steps_watch_kept(b, g);
    return CT_OK;
}

static ct_status independents(ct_steps *b, bool *known) {
    ct_closure *c = b->closure;
    const ct_formulation *f = b->f;
    c->independent = ct_alloc((size_t)f->n + 1, sizeof(int));
    c->dependent = ct_alloc((size_t)f->n + 1, sizeof(int));
    for (int i = 0; i < b->flow->n_independent; i++) {
        int k = ct_steps_coordinate(b, b->flow->independent[i]);
        if (k < 0)
            return ct_fail(b->ctx, CT_INTERNAL, "independent coordinate %d is not in the trees",
                           b->flow->independent[i]);
        c->is_independent[k] = known[k] = true;
    }
    for (int k = 0; k < f->n; k++)
        if (known[k])
            c->independent[c->r++] = k;
        else
            c->dependent[c->n_dependent++] = k;
    return CT_OK;
}

ct_status ct_steps_build(ct_context *ctx, ct_closure *closure, const ct_flow *flow, ct_forms *forms,
                         int m, const int *rows, const double *q0) {
    (void)rows;
    ct_steps b = {.ctx = ctx,
                  .closure = closure,
                  .f = closure->f,
                  .flow = flow,
                  .forms = forms,
                  .pool = closure->f->pool,
                  .q0 = q0};
    ct_layout_init(&b.layout, (ct_formulation *)closure->f);
    ct_layout_find_plane(&b.layout);
    ct_layout_connect(&b.layout);
    bool *known = ct_alloc((size_t)b.f->n + 1, sizeof *known);
    ct_status status = independents(&b, known);
    if (!status && closure->r != b.f->n - m)
        status = ct_fail(ctx, CT_INTERNAL, "the flow has %d freedoms, the mechanism %d", closure->r,
                         b.f->n - m);
    if (!status) ct_steps_give(&b, known);
    for (int g = 0; g < flow->n_groups && !status; g++) {
        status = group(&b, g, known);
        ct_steps_give(&b, known);
    }
    if (!status) ct_steps_auxiliary(&b);
    for (int k = b.f->n_tree; k < b.f->n; k++) known[k] = true;
    for (int k = 0; k < b.f->n && !status; k++)
        if (!known[k])
            status = ct_fail(ctx, CT_INTERNAL, "coordinate '%s' was left out of the closure",
                             b.f->names[k]);
    closure->triangular = closure->n_iterated == 0;
    for (int i = 0; i < closure->n_steps; i++)
        closure->triangular = closure->triangular && closure->steps[i].degree <= 4;
    free(known);
    free(b.solved);
    free(b.seen);
    ct_layout_clear(&b.layout);
    return status;
}
