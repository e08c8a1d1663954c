// What all recipes share: expressions with values in the place of coordinates, and the bookkeeping
// of steps, segments, rate equations, signs and factors.
#include "closure/steps/builder.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// expressions ------------------------------------------------------------------------------------
ct_ex ct_steps_replace(const ct_step_builder *build, ct_ex a) {
    return ct_values_replace(build->values, a);
}

ct_mat3 ct_steps_replace_matrix(const ct_step_builder *build, ct_mat3 m) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(build, m.a[i][j]);
    return m;
}

ct_vec3 ct_steps_vector(const ct_step_builder *build, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = ct_values_replace(build->values, v.v[i]);
    return v;
}

ct_vec3 ct_steps_path(const ct_step_builder *build, int from, ct_vec3 p, int to, ct_vec3 q,
                      int frame) {
    return ct_path(build->layout, from, p, to, q, frame);
}

// The symbol of a value, which may stand with a minus sign.
static ct_ex strip(ct_pool *pool, ct_ex a, bool *minus) {
    *minus = ct_ex_op(pool, a) == CT_OP_PRODUCT;
    return *minus ? ct_neg(pool, a) : a;
}

static ct_ex inside(ct_pool *pool, ct_ex a) { // below opaque nodes
    while (ct_ex_op(pool, a) == CT_OP_LET) a = ct_child(pool, a, 0);
    return a;
}

// Sines and cosines of other angles with the same unknown in them, by those of the unknown's sum:
// where a fixed turn stands beside the joint's, some entries of a rotation hold their sum, others
// the joint's angle alone.
static ct_vec3 in_one_angle_sum(const ct_step_builder *build, ct_vec3 v, const ct_unknown *u) {
    ct_pool *pool = build->pool;
    const ct_closure *c = build->closure;
    ct_ex q = build->f->q[u->coordinate];
    ct_substitution *s = ct_substitution_new(pool);
    // sines and cosines of other angles that hold the unknown q
    for (int i = 0, n = c->registers.values.n; i < n; i++) {
        ct_ex direct = c->registers.values.meaning[i];
        ct_op op = ct_ex_op(pool, direct);
        if (op != CT_OP_SIN && op != CT_OP_COS) continue;
        ct_ex angle = ct_child(pool, direct, 0), value = c->registers.values.symbol[i], sine = u->s;
        if (angle == u->angle_sum || !ct_depends(pool, angle, q)) continue;
        // angle = rest + x or rest - x, x the angle sum of the unknown
        ct_ex rest = ct_sub(pool, angle, u->angle_sum);
        if (ct_depends(pool, rest, q)) { // it turns the other way
            rest = ct_add(pool, angle, u->angle_sum);
            sine = ct_neg(pool, sine);
        }
        if (ct_depends(pool, rest, q)) continue;
        // cos(rest + x) = cr C - sr S, sin(rest + x) = sr C + cr S
        ct_ex cr = ct_steps_replace(build, ct_cos(pool, rest)),
              sr = ct_steps_replace(build, ct_sin(pool, rest));
        ct_substitution_map(s, value,
                            op == CT_OP_COS
                                ? ct_sub(pool, ct_mul(pool, cr, u->c), ct_mul(pool, sr, sine))
                                : ct_add(pool, ct_mul(pool, sr, u->c), ct_mul(pool, cr, sine)));
    }
    // the vector in C and S alone
    for (int i = 0; i < 3; i++) v.v[i] = ct_substitute(s, v.v[i]);
    ct_substitution_free(s);
    return v;
}

ct_affine ct_steps_affine(const ct_step_builder *build, ct_vec3 v, const ct_unknown *u) {
    ct_pool *pool = build->pool;
    ct_affine a = {0};
    if (u->is_angle) v = in_one_angle_sum(build, v, u);
    ct_ex of[2] = {u->c, u->s};
    ct_substitution *none = ct_substitution_new(pool);
    // components without opaque nodes, so that derivatives see C and S
    for (int i = 0; i < 3; i++) v.v[i] = inside(pool, v.v[i]);
    // cosine = dv / dC, sine = dv / dS
    for (int k = 0; k < (u->is_angle ? 2 : 1); k++) {
        bool minus;
        ct_ex symbol = strip(pool, of[k], &minus);
        ct_substitution_map(none, symbol, CT_ZERO);
        ct_vec3 *part = k ? &a.sine : &a.cosine;
        for (int i = 0; i < 3; i++) {
            part->v[i] = ct_diff(pool, v.v[i], symbol);
            if (minus) part->v[i] = ct_neg(pool, part->v[i]);
        }
    }
    // rest: v where C and S are zero
    for (int i = 0; i < 3; i++) a.rest.v[i] = ct_let(pool, ct_substitute(none, v.v[i]));
    ct_substitution_free(none);
    return a;
}

ct_ex ct_steps_length2(const ct_step_builder *build, const ct_relation *r) {
    if (r->via[0] < 0) return ct_steps_replace(build, r->value);
    ct_vec3 d = ct_steps_path(build, r->via[1], r->via_at[1], r->via[0], r->via_at[0], r->via[0]);
    return ct_steps_replace(build, ct_vec_dot(build->pool, d, d));
}

ct_ex ct_steps_length(const ct_step_builder *build) {
    int digits = (int)floor(log10(build->length));
    return ct_power_int(build->pool, ct_int(build->pool, 10), digits);
}

int ct_steps_coordinate(const ct_step_builder *build, int model_coordinate) {
    return ct_formulation_coordinate(build->f, model_coordinate);
}

const ct_connection *ct_steps_joint(const ct_step_builder *build, int joint) {
    int own = joint - CT_BODY_JOINT(build->f->model, 0);
    return build->layout->connections + (own < 0
                                             ? ct_graph_edge(build->f->graph, CT_EDGE_JOINT, joint)
                                             : ct_graph_edge(build->f->graph, CT_EDGE_BODY, own));
}

ct_vec3 ct_steps_between(const ct_step_builder *build, int from, ct_vec3 p, int to, ct_vec3 q,
                         int frame) {
    ct_vec3 zero = ct_vec3_zero();
    if (frame != build->root || ct_common(build->layout, CT_TRANSLATION, from, to) != build->root)
        return ct_steps_path(build, from, p, to, q, frame);
    return ct_vec_sub(
        build->pool, ct_vec_let(build->pool, ct_steps_path(build, build->root, zero, to, q, frame)),
        ct_vec_let(build->pool, ct_steps_path(build, build->root, zero, from, p, frame)));
}

ct_vec3 ct_steps_normal(const ct_step_builder *build, const ct_relation *r, int frame) {
    if (r->kind == CT_RELATION_PLANE_X) return ct_turn(build->layout, r->axis_x, r->x, frame);
    return ct_turn(build->layout, r->axis_k, r->via[0] >= 0 ? r->via[0] : r->k, frame);
}

// Axes: x . k - value; planes: n . v - value; distances: (v . v - length^2) / 2; swings: the row that
// defines the angle.
ct_ex ct_steps_psi(const ct_step_builder *build, const ct_relation *r, int frame) {
    ct_pool *pool = build->pool;
    if (r->kind == CT_RELATION_SWING || r->kind == CT_RELATION_SPIN) {
        int k = ct_steps_coordinate(build, r->swing);
        return ct_swing_phi(build->layout, ct_formulation_swing(build->f, k), build->f->q[k]);
    }
    if (r->kind == CT_RELATION_DOT || r->kind == CT_RELATION_AXIS) {
        ct_vec3 x = ct_turn(build->layout, r->axis_x, r->x, frame),
                k = ct_turn(build->layout, r->axis_k, r->k, frame);
        return ct_sub(pool, ct_vec_dot(pool, x, k), r->value);
    }
    ct_vec3 v = ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, frame);
    if (r->kind == CT_RELATION_PLANE_K || r->kind == CT_RELATION_PLANE_X)
        return ct_sub(pool, ct_vec_dot(pool, ct_steps_normal(build, r, frame), v),
                      ct_steps_plane_value(build, r));
    ct_ex length2 = r->value;
    if (r->via[0] >= 0) {
        ct_vec3 d =
            ct_steps_path(build, r->via[1], r->via_at[1], r->via[0], r->via_at[0], r->via[0]);
        length2 = ct_vec_dot(pool, d, d);
    }
    v = ct_vec_let(pool, v);
    return ct_mul(pool, ct_rational(pool, 1, 2), ct_sub(pool, ct_vec_dot(pool, v, v), length2));
}

bool ct_steps_angle_sum(const ct_step_builder *build, ct_mat3 r, ct_ex q, bool alone,
                        ct_ex *angle_sum) {
    *angle_sum = CT_ZERO;
    ct_ex *stack = NULL;
    int n = 0, room = 0;
    bool good = true;
    // sines and cosines below the nine entries
    for (int i = 0; i < 9; i++) *CT_PUSH_SCRATCH(stack, n, room) = (&r.a[0][0])[i];
    while (n && good) {
        ct_ex a = stack[--n];
        ct_op op = ct_ex_op(build->pool, a);
        if (op == CT_OP_SIN || op == CT_OP_COS) {
            ct_ex angle = ct_child(build->pool, a, 0);
            // one angle with q in it; `alone`: the others hold parameters only
            bool has = ct_depends(build->pool, angle, q);
            if (has && *angle_sum != CT_ZERO && *angle_sum != angle) good = false;
            if (!has && alone && (ct_ex_kinds(build->pool, angle) & ~(1u << CT_SYMBOL_PARAMETER)))
                good = false;
            if (has) *angle_sum = angle;
            continue;
        }
        for (int k = 0; k < ct_child_count(build->pool, a); k++)
            *CT_PUSH_SCRATCH(stack, n, room) = ct_child(build->pool, a, k);
    }
    return good && *angle_sum != CT_ZERO;
}

void ct_steps_vectors(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                      int frame, ct_vec3 *arm, ct_vec3 *way) {
    const ct_connection *c = ct_steps_joint(build, p->joint);
    bool child = c->body[1] == p->child;
    if (r->kind == CT_RELATION_AXIS || r->kind == CT_RELATION_DOT) {
        *arm = ct_turn(build->layout, r->axis_x, r->x, p->child);
        *way = ct_turn(build->layout, r->axis_k, r->k, frame);
        return;
    }
    *arm = ct_steps_path(build, p->child, c->at[child], r->x, r->point_x, p->child);
    *way = ct_steps_path(build, p->parent, c->at[!child], r->k, r->point_k, frame);
}

const char *ct_steps_source(const ct_step_builder *build, const ct_relation *r) {
    const ct_model *m = build->f->model;
    if (r->kind == CT_RELATION_SWING || r->kind == CT_RELATION_SPIN)
        return build->f->names[ct_steps_coordinate(build, r->swing)];
    return r->joint >= 0 ? m->joints[r->joint].name : m->motions[-1 - r->joint].name;
}

// bookkeeping ------------------------------------------------------------------------------------
ct_segment *ct_steps_more(const ct_step_builder *build) {
    return ct_program_add(build->program, build->closure->n_steps - 1);
}

int ct_steps_add(ct_closure *c, ct_step step, const int *unknown) {
    step.unknowns = ct_alloc((size_t)step.n_unknowns + 1, sizeof *step.unknowns);
    for (int i = 0; i < step.n_unknowns; i++) step.unknowns[i] = ct_strdup(c->f->names[unknown[i]]);
    if (step.joint >= c->f->model->n_joints) step.joint = -1;
    *CT_PUSH(c->steps, c->n_steps, c->room_steps) = step;
    return c->n_steps - 1;
}

ct_segment *ct_steps_segment(const ct_step_builder *build, ct_step_method method, int degree,
                             int joint, int n, const int *unknown, char *text) {
    const ct_step step = {
        .method = method, .degree = degree, .n_unknowns = n, .joint = joint, .text = text};
    ct_steps_add(build->closure, step, unknown);
    return ct_steps_more(build);
}

void ct_steps_guard(ct_segment *seg, ct_ex not_negative) {
    ct_segment_guard(seg, not_negative, seg->step, CT_ZERO);
}

void ct_steps_solved(const ct_step_builder *build, ct_ex angle_sum) {
    ct_step_notes *notes = build->notes;
    *CT_PUSH_SCRATCH(notes->solved, notes->n_solved, notes->room_solved) = angle_sum;
}

void ct_steps_set(const ct_step_builder *build, ct_segment *seg, ct_ex angle_sum, ct_ex cosine,
                  ct_ex sine) {
    ct_values_set(build->values, seg, angle_sum, cosine, sine);
    ct_steps_solved(build, angle_sum);
}

ct_ex ct_steps_sign(const ct_step_builder *build, ct_ex of) {
    ct_register_bank *signs = &build->closure->registers.signs;
    char *name = ct_scratch_format("sign %d of %p", signs->n, (void *)build->closure);
    ct_ex symbol = ct_symbol(build->pool, CT_SYMBOL_OTHER, name);
    // coefficients from elimination may hold square roots, with their signs
    ct_ex *held;
    int n = ct_ex_symbols(build->pool, 1, &of, &held);
    for (int i = 0; i < n * signs->n; i++)
        signs->is_chained |= held[i / signs->n] == signs->symbol[i % signs->n];
    ct_register_add(signs, symbol, of);
    return symbol;
}

ct_ex ct_steps_frozen(const ct_step_builder *build, ct_ex value) {
    if (ct_is_number(build->pool, value)) return value;
    char *name =
        ct_scratch_format("frozen %d of %p", build->notes->n_frozen++, (void *)build->closure);
    ct_ex symbol = ct_symbol(build->pool, CT_SYMBOL_OTHER, name);
    ct_values_freeze(build->values, symbol, value);
    return symbol;
}

ct_rate_block *ct_steps_rate_block(const ct_step_builder *build, int n, const int *unknown,
                                   const ct_ex *psi) {
    ct_closure *c = build->closure;
    ct_rate_block *k = CT_PUSH(c->rate_blocks, c->n_rate_blocks, c->room_rate_blocks);
    *k = (ct_rate_block){.step = c->n_steps - 1,
                         .n = n,
                         .unknown = ct_alloc((size_t)n + 1, sizeof(int)),
                         .psi = ct_alloc((size_t)n + 1, sizeof(ct_ex))};
    memcpy(k->unknown, unknown, (size_t)n * sizeof(int));
    memcpy(k->psi, psi, (size_t)n * sizeof(ct_ex));
    return k;
}

void ct_steps_numbers(const ct_step_builder *build, ct_numbers *numbers) {
    ct_model_numbers(build->f->model, numbers);
    ct_position_set(build->f, numbers, build->q0);
    ct_registers_at(&build->closure->registers, numbers, NULL);
}
