// The direction of an arm: two angles of one joint from a point, an axis or a line of the body.
#include "closure/steps/arms.h"
#include "closure/tolerances.h"

// The joint seen from the parent: R(parent <- child) = before T1 T2 .. Tn after^T.
typedef struct chain {
    ct_mat3 before, after;
    ct_vec3 at_parent, at_child;
    int n;
    ct_vec3 axis[3];
    int coordinate[3]; // into f->q
    bool minus;        // turned backwards
} chain;

static chain chain_of(const ct_step_builder *build, int joint, int child) {
    const ct_connection *c = ct_steps_joint(build, joint);
    bool forward = c->body[1] == child;
    chain h = {.before = c->orient[!forward],
               .after = c->orient[forward],
               .at_parent = c->at[!forward],
               .at_child = c->at[forward],
               .n = c->n_rot,
               .minus = !forward};
    for (int i = 0; i < c->n_rot; i++) {
        int k = forward ? i : c->n_rot - 1 - i;
        h.axis[i] = c->axis[k];
        for (int q = 0; q < build->f->n; q++)
            if (build->f->q[q] == c->angle[k]) h.coordinate[i] = q;
    }
    return h;
}

static ct_ex angle_of(const ct_step_builder *build, const chain *h, int i) {
    ct_ex q = build->f->q[h->coordinate[i]];
    return h->minus ? ct_neg(build->pool, q) : q;
}

static ct_mat3 turn_of(const ct_step_builder *build, const chain *h, int i) {
    return ct_mat_rotation(build->pool, h->axis[i], angle_of(build, h, i));
}

static ct_unknown unknown_turn(const ct_step_builder *build, const chain *h, int i) {
    ct_unknown u = {.coordinate = h->coordinate[i], .is_angle = true};
    u.angle_sum = build->f->q[u.coordinate];
    ct_values_pair(build->values, u.angle_sum, &u.c, &u.s);
    return u;
}

// The frame in which the turn about the outer axis, with those about parallel axes before it, is a
// single angle; what stands before the turn, seen from there.
static ct_mat3 outer_frame(const ct_step_builder *build, const chain *h, int outer, ct_mat3 before,
                           int *frame, ct_unknown *u) {
    ct_pool *pool = build->pool;
    int parent = *frame;
    ct_mat3 best = before, turn = turn_of(build, h, outer);
    ct_ex q = build->f->q[u->coordinate];
    // from the parent up, as long as one angle sum holds the unknown
    ct_steps_angle_sum(build, ct_mat_mul(pool, before, turn), q, false, &u->angle_sum);
    for (int body = parent; body != build->root && build->layout->parent[CT_ROTATION][body] >= 0;) {
        body = build->layout->parent[CT_ROTATION][body];
        ct_mat3 wider = ct_mat_mul(pool, ct_rotation(build->layout, body, parent), before);
        ct_ex angle_sum;
        if (!ct_steps_angle_sum(build, ct_mat_mul(pool, wider, turn), q, true, &angle_sum)) break;
        best = wider;
        *frame = body;
        u->angle_sum = angle_sum;
    }
    ct_values_pair(build->values, u->angle_sum, &u->c, &u->s);
    return best;
}

// The vector that the arm has to point along, and its frame: the parent's if the step that placed
// the parent left this vector behind; else as far up as the axes before the outer turn are parallel
// to it.
static ct_vec3 target(const ct_step_builder *build, const ct_placement *p, const chain *h,
                      int outer, ct_mat3 *before, ct_unknown *u) {
    const ct_relation *r = p->relation;
    int frame = p->parent;
    // a vector that an earlier step left behind in the parent
    for (int i = 0; i < build->notes->n_seen && r->kind == CT_RELATION_POINT; i++) {
        const ct_seen *s = build->notes->seen + i;
        if (s->body != p->parent || s->k != r->k || !ct_vec_same(s->point, h->at_parent) ||
            !ct_vec_same(s->point_k, r->point_k))
            continue;
        ct_steps_angle_sum(build, ct_mat_mul(build->pool, *before, turn_of(build, h, outer)),
                           build->f->q[u->coordinate], false, &u->angle_sum);
        ct_values_pair(build->values, u->angle_sum, &u->c, &u->s);
        return ct_steps_let(build, ct_vec_neg(build->pool, s->v));
    }
    // else the way from the joint, as far up as the axes stay parallel
    *before = outer_frame(build, h, outer, *before, &frame, u);
    ct_vec3 w = r->kind == CT_RELATION_AXIS
                    ? ct_turn(build->layout, r->axis_k, r->k, frame)
                    : ct_steps_path(build, p->parent, h->at_parent, r->k, r->point_k, frame);
    return ct_steps_let(build, ct_steps_vector(build, w));
}

// The axis of a turn, in the frame of the child.
static ct_vec3 inner_axis(const ct_step_builder *build, const chain *h, int inner) {
    ct_vec3 axis = h->axis[inner];
    for (int i = inner + 1; i < h->n; i++)
        axis = ct_mat_transpose_vec(build->pool, turn_of(build, h, i), axis);
    return ct_mat_vec(build->pool, h->after, axis);
}

// Two angles that point an arm of the child: a square root for the inner one, then the outer one is
// linear.
void ct_steps_direction(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    // the two unknown turns of the joint: outer, then inner
    chain h = chain_of(build, p->joint, p->child);
    int k[2], outer = -1, inner = -1;
    for (int i = 0; i < 2; i++) k[i] = ct_steps_coordinate(build, p->unknown[i]);
    for (int i = 0; i < h.n; i++)
        if (h.coordinate[i] == k[0] || h.coordinate[i] == k[1]) {
            if (outer < 0)
                outer = i;
            else
                inner = i;
        }
    // equations for the rates: the gap across the arm
    bool line = p->relation->kind == CT_RELATION_PLANE_X;
    ct_vec3 arm, way;
    ct_steps_vectors(build, p, p->relation, p->parent, &arm, &way);
    ct_ex psi[2];
    ct_vec3 axis_in = inner_axis(build, &h, inner);
    if (line)
        ct_steps_line_rows(build, p->relation, build->root, psi);
    else
        ct_steps_across(build, p, p->relation, arm, way, &axis_in, psi);
    ct_segment *seg = ct_steps_segment(build, CT_STEP_QUADRATIC, 2, p->joint, 2, k,
                                       ct_format("direction of %s towards '%s'",
                                                 build->f->model->bodies[p->child].name,
                                                 ct_steps_source(build, p->relation)));
    if (line)
        arm = ct_steps_arm_on_line(build, seg, p, p->relation, p->parent, arm,
                                   ct_steps_let(build, ct_steps_vector(build, way)));
    // what is known of the joint's turns goes to the sides
    ct_mat3 before = h.before;
    ct_vec3 r = ct_mat_transpose_vec(pool, h.after, arm);
    for (int i = 0; i < outer; i++) before = ct_mat_mul(pool, before, turn_of(build, &h, i));
    for (int i = h.n - 1; i > inner; i--) r = ct_mat_vec(pool, turn_of(build, &h, i), r);
    r = ct_steps_vector(build, r);
    ct_mat3 middle = ct_mat3_identity();
    for (int i = outer + 1; i < inner; i++)
        middle = ct_mat_mul(pool, middle, turn_of(build, &h, i));
    middle = ct_steps_replace_matrix(build, middle);
    // where the arm has to point, in a frame that sees the outer turn as one angle
    ct_unknown u = unknown_turn(build, &h, inner),
               o = {.coordinate = h.coordinate[outer], .is_angle = true};
    ct_vec3 w = target(build, p, &h, outer, &before, &o);
    // inner angle: the component along the outer axis does not see the outer angle
    ct_vec3 y = ct_steps_vector(build, ct_mat_vec(pool, turn_of(build, &h, inner), r)),
            axis = ct_steps_vector(build, ct_mat_vec(pool, before, h.axis[outer]));
    ct_affine a = ct_steps_affine(build, y, &u);
    ct_vec3 seen = ct_mat_transpose_vec(pool, middle, h.axis[outer]);
    ct_ex c, sn;
    ct_steps_trig(
        build, seg, &u, ct_steps_dot(build, seen, a.cosine), ct_steps_dot(build, seen, a.sine),
        ct_sub(pool, ct_steps_dot(build, axis, w), ct_steps_dot(build, seen, a.rest)), &c, &sn);
    ct_steps_set(build, seg, u.angle_sum, c, sn);
    // outer angle: linear
    seg = ct_steps_more(build);
    ct_mat3 whole =
        ct_steps_replace_matrix(build, ct_mat_mul(pool, before, turn_of(build, &h, outer)));
    ct_affine t = ct_steps_affine(build, ct_mat_vec(pool, whole, ct_mat_vec(pool, middle, y)), &o);
    // (C, S) = (t.cosine . w, t.sine . w) / size; the arm is not along the outer axis
    ct_ex size = ct_steps_dot(build, t.cosine, t.cosine), over;
    if (ct_ex_op(pool, size) == CT_OP_SUM) size = ct_let(pool, size);
    over = ct_power_int(pool, size, -1);
    ct_ex tiny = ct_power_int(pool, ct_int(pool, 10), CT_GUARD_ARM);
    ct_steps_guard(seg, ct_sub(pool, size, ct_mul(pool, tiny, ct_steps_dot(build, w, w))));
    ct_steps_set(build, seg, o.angle_sum, ct_mul(pool, ct_steps_dot(build, t.cosine, w), over),
                 ct_mul(pool, ct_steps_dot(build, t.sine, w), over));
    ct_steps_rate_block(build, 2, k, psi);
}
