// Several angles of one joint: two from a point or an axis (the direction of an arm), or three from
// a vector and a second relation (an orientation, kept as three angles or whole, as vectors).
#include "closure/steps/builder.h"
#include "closure/tolerances.h"
#include "formulate/whole_rotation.h"

#include <math.h>

static ct_ex dot(const ct_step_builder *build, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(build->pool, a, c);
}
static ct_vec3 cross(const ct_step_builder *build, ct_vec3 a, ct_vec3 c) {
    return ct_vec_cross(build->pool, a, c);
}
static ct_vec3 let_vec(const ct_step_builder *build, ct_vec3 a) {
    return ct_vec_let(build->pool, a);
}
static ct_vec3 scale(const ct_step_builder *build, ct_ex k, ct_vec3 a) {
    return ct_vec_scale(build->pool, k, a);
}

static ct_mat3 replaced(const ct_step_builder *build, ct_mat3 m) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(build, m.a[i][j]);
    return m;
}

// equations across an arm ------------------------------------------------------------------------
// True if the vector depends on an angle.
static bool swings(const ct_step_builder *build, ct_vec3 v) {
    for (int k = 0; k < 3 * build->f->n; k++)
        if (build->f->is_angle[k / 3] && ct_depends(build->pool, v.v[k % 3], build->f->q[k / 3]))
            return true;
    return false;
}

// Two directions in the child across the vector r. second: a vector that r is never parallel to,
// for vectors that swing in the child (known joints lie between).
static void across_both(const ct_step_builder *build, ct_vec3 r, const double *r0,
                        const ct_vec3 *second, ct_vec3 *t1, ct_vec3 *t2) {
    // an arm along an axis of the child: the other two axes
    int zeros = 0, axis[3] = {0};
    for (int i = 0; i < 3; i++)
        if (r.v[i] == CT_ZERO) axis[zeros++] = i;
    if (zeros == 2) {
        *t1 = ct_vec_unit(axis[0]);
        *t2 = ct_vec_unit(axis[1]);
        return;
    }
    // else cross products, first with the axis that the arm is farthest from
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(r0[i]) < fabs(r0[least])) least = i;
    *t1 = cross(build, r, second && swings(build, r) ? *second : ct_vec_unit(least));
    *t2 = cross(build, r, *t1);
}

static void numbers_of(const ct_step_builder *build, ct_vec3 v, double *out) {
    ct_numbers x;
    ct_model_numbers(build->f->model, &x);
    ct_position_set(build->f, &x, build->q0);
    for (int i = 0; i < 3; i++) v.v[i] = ct_values_in_angles(build->values, v.v[i]);
    ct_numbers_eval(&x, 3, v.v, out);
    ct_numbers_clear(&x);
}

// Components of a vector relation across the arm: t . R^T way, two of them. Of points, those of the
// gap that is left between them, with the directions frozen: where the gap is zero their change
// does not matter. second: as for across_both.
static void across(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                   ct_vec3 arm, ct_vec3 way, const ct_vec3 *second, ct_ex *psi) {
    // two directions across the arm
    ct_vec3 t[2];
    double r0[3];
    numbers_of(build, arm, r0);
    across_both(build, arm, r0, second, t, t + 1);
    // a direction: its components, seen in the child
    if (r->kind != CT_RELATION_POINT) {
        ct_vec3 seen = ct_turn(build->layout, way, p->parent, p->child);
        for (int i = 0; i < 2; i++) psi[i] = dot(build, t[i], seen);
        return;
    }
    // a point: components of the gap
    ct_vec3 gap = ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, build->root);
    for (int i = 0; i < 2; i++) {
        ct_vec3 along = ct_turn(build->layout, t[i], p->child, build->root);
        for (int k = 0; k < 3; k++) along.v[k] = ct_steps_frozen(build, along.v[k]);
        psi[i] = dot(build, along, gap);
    }
}

// a line of the child ------------------------------------------------------------------------------
// A line that is fixed in the child and passes through a known point, at the way w from the joint.
// With the line a + s u in the child, a, u from the joint's centre,
//   |a + s u| = |w|,   s^2 + 2 (a . u) s + |a|^2 - |w|^2 = 0.
// The arm a + s u then points along w. It is in values; the way is in `frame`, in values too.
static ct_vec3 arm_on_line(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                           int frame, ct_vec3 way) {
    ct_pool *pool = build->pool;
    const ct_relation *r = p->relation;
    ct_vec3 a, unused, n = ct_turn(build->layout, r->axis_x, r->x, p->child),
                       mate = ct_turn(build->layout, r->mate, r->x, p->child);
    ct_steps_vectors(build, p, r, frame, &a, &unused);
    // the planes may lie beside the point: n . (p_x - p_k) = value
    a = ct_vec_sub(pool, a, scale(build, r->value, n));
    a = ct_steps_vector(build, ct_vec_sub(pool, a, scale(build, r->mate_value, mate)));
    ct_vec3 u = let_vec(build, ct_steps_vector(build, cross(build, n, mate)));
    ct_ex h = dot(build, a, u), w2 = ct_let(pool, dot(build, way, way));
    // s + h = u . R^T w at present
    ct_mat3 turn = replaced(build, ct_rotation(build->layout, frame, p->child));
    ct_ex now = ct_sub(pool, dot(build, ct_mat_vec(pool, turn, u), way), h);
    ct_ex along = ct_steps_square(build, seg, now, h, ct_sub(pool, dot(build, a, a), w2));
    return let_vec(build, ct_vec_add(pool, a, scale(build, ct_let(pool, along), u)));
}

// The two planes of the line, for the rates.
static void line_rows(const ct_step_builder *build, const ct_placement *p, int frame, ct_ex *psi) {
    ct_relation mate = ct_relation_mate(p->relation);
    psi[0] = ct_steps_psi(build, p->relation, frame);
    psi[1] = ct_steps_psi(build, &mate, frame);
}

// two angles -------------------------------------------------------------------------------------
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
        return let_vec(build, ct_vec_neg(build->pool, s->v));
    }
    // else the way from the joint, as far up as the axes stay parallel
    *before = outer_frame(build, h, outer, *before, &frame, u);
    ct_vec3 w = r->kind == CT_RELATION_AXIS
                    ? ct_turn(build->layout, r->axis_k, r->k, frame)
                    : ct_steps_path(build, p->parent, h->at_parent, r->k, r->point_k, frame);
    return let_vec(build, ct_steps_vector(build, w));
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
static void direction(const ct_step_builder *build, const ct_placement *p) {
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
        line_rows(build, p, build->root, psi);
    else
        across(build, p, p->relation, arm, way, &axis_in, psi);
    ct_segment *seg = ct_steps_segment(build, CT_STEP_QUADRATIC, 2, p->joint, 2, k,
                                       ct_format("direction of %s towards '%s'",
                                                 build->f->model->bodies[p->child].name,
                                                 ct_steps_source(build, p->relation)));
    if (line)
        arm = arm_on_line(build, seg, p, p->parent, let_vec(build, ct_steps_vector(build, way)));
    // what is known of the joint's turns goes to the sides
    ct_mat3 before = h.before;
    ct_vec3 r = ct_mat_transpose_vec(pool, h.after, arm);
    for (int i = 0; i < outer; i++) before = ct_mat_mul(pool, before, turn_of(build, &h, i));
    for (int i = h.n - 1; i > inner; i--) r = ct_mat_vec(pool, turn_of(build, &h, i), r);
    r = ct_steps_vector(build, r);
    ct_mat3 middle = ct_mat3_identity();
    for (int i = outer + 1; i < inner; i++)
        middle = ct_mat_mul(pool, middle, turn_of(build, &h, i));
    middle = replaced(build, middle);
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
    ct_steps_trig(build, seg, &u, dot(build, seen, a.cosine), dot(build, seen, a.sine),
                  ct_sub(pool, dot(build, axis, w), dot(build, seen, a.rest)), &c, &sn);
    ct_steps_set(build, seg, u.angle_sum, c, sn);
    // outer angle: linear
    seg = ct_steps_more(build);
    ct_mat3 whole = replaced(build, ct_mat_mul(pool, before, turn_of(build, &h, outer)));
    ct_affine t = ct_steps_affine(build, ct_mat_vec(pool, whole, ct_mat_vec(pool, middle, y)), &o);
    // (C, S) = (t.cosine . w, t.sine . w) / size; the arm is not along the outer axis
    ct_ex size = dot(build, t.cosine, t.cosine), over;
    if (ct_ex_op(pool, size) == CT_OP_SUM) size = ct_let(pool, size);
    over = ct_power_int(pool, size, -1);
    ct_ex tiny = ct_power_int(pool, ct_int(pool, 10), CT_GUARD_ARM);
    ct_steps_guard(seg, ct_sub(pool, size, ct_mul(pool, tiny, dot(build, w, w))));
    ct_steps_set(build, seg, o.angle_sum, ct_mul(pool, dot(build, t.cosine, w), over),
                 ct_mul(pool, dot(build, t.sine, w), over));
    ct_steps_rate_block(build, 2, k, psi);
}

// three angles -----------------------------------------------------------------------------------
// Equations for the rates of three angles.
static void angle_rows(const ct_step_builder *build, const ct_placement *p, const ct_vec3 *arm,
                       const ct_vec3 *way, bool vector, ct_ex *psi) {
    across(build, p, p->relation, arm[0], way[0], arm + 1, psi);
    psi[2] = vector ? dot(build, cross(build, arm[0], arm[1]),
                          ct_turn(build->layout, way[1], p->parent, p->child))
                    : ct_steps_psi(build, p->relation + 1, p->parent);
}

// Equations for the spin of a whole rotation, in the frame of its root: the gaps that two vectors
// leave, along directions that are not differentiated.
static void spin_rows(const ct_step_builder *build, const ct_placement *p, const ct_vec3 *arm,
                      const ct_vec3 *way, bool vector, ct_ex *psi) {
    ct_vec3 gap[2], along[2] = {arm[1], cross(build, arm[0], arm[1])};
    // gaps of both vectors, and the directions r2 and r1 x r2, which are not differentiated
    for (int i = 0; i < 2; i++) {
        const ct_relation *r = p->relation + i;
        gap[i] = r->kind == CT_RELATION_POINT
                     ? ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, build->root)
                     : ct_vec_sub(build->pool,
                                  ct_turn(build->layout, arm[i], p->child, build->root), way[i]);
        along[i] = ct_turn(build->layout, along[i], p->child, build->root);
        for (int k = 0; k < 3; k++) along[i].v[k] = ct_steps_frozen(build, along[i].v[k]);
    }
    // two components of the first gap, one of the second
    psi[0] = dot(build, along[0], gap[0]);
    psi[1] = dot(build, along[1], gap[0]);
    psi[2] =
        vector ? dot(build, along[1], gap[1]) : ct_steps_psi(build, p->relation + 1, build->root);
}

// Equations for the rates of three angles, or of a spin, where a line gives the first vector: its
// planes, and the second vector in the plane of both ways.
static void line_frame_rows(const ct_step_builder *build, const ct_placement *p, int frame,
                            const ct_vec3 *arm, const ct_vec3 *way, bool vector, ct_ex *psi) {
    line_rows(build, p, frame, psi);
    psi[2] = vector ? dot(build, ct_turn(build->layout, arm[1], p->child, frame),
                          cross(build, way[0], way[1]))
                    : ct_steps_psi(build, p->relation + 1, frame);
}

// The way of the second arm, from a distance, a plane or an angle between axes. Arms and ways are
// in values; now: the second arm as it points at present, which says on which side the way is.
static ct_vec3 second_way(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                          int frame, const ct_vec3 *arm, const ct_vec3 *way, ct_vec3 now) {
    ct_pool *pool = build->pool;
    const ct_relation *r = p->relation + 1;
    ct_ex u2 = ct_let(pool, dot(build, arm[0], arm[0])), kw = ct_steps_replace(build, r->value),
          kx = ct_let(pool, dot(build, arm[1], arm[1]));
    ct_vec3 w = way[1];
    // x . w = kw: from a distance kw = (|x|^2 + |w|^2 - length^2) / 2, else from the value
    if (r->kind == CT_RELATION_DISTANCE)
        kw = ct_mul(
            pool, ct_rational(pool, 1, 2),
            ct_sum(pool, 3,
                   (ct_ex[]){kx, dot(build, w, w), ct_neg(pool, ct_steps_length2(build, r))}));
    // a plane with normal n:  x . n = value + n . w
    if (r->kind == CT_RELATION_PLANE_K) {
        ct_vec3 n = ct_steps_vector(build, ct_steps_normal(build, r, frame));
        kw = ct_add(pool, kw, dot(build, n, w));
        w = n;
    }
    // which side: by the vector where it is now
    ct_ex side = ct_steps_sign(build, dot(build, cross(build, way[0], w), now));
    return ct_steps_third(build, seg, way[0], u2, dot(build, arm[0], arm[1]), w, kw, kx, side);
}

// R = [w1 w2 w1 x w2] [r1 r2 r1 x r2]^-1
static ct_mat3 rotation_of(const ct_step_builder *build, const ct_vec3 *known,
                           const ct_vec3 *weight) {
    ct_mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex terms[3];
            for (int k = 0; k < 3; k++)
                terms[k] = ct_mul(build->pool, known[k].v[i], ct_let(build->pool, weight[k].v[j]));
            r.a[i][j] = ct_sum(build->pool, 3, terms);
        }
    return r;
}

// The arm on a line changes in the child: the columns of R take the place of the vectors that were
// found.
static void by_columns(const ct_step_builder *build, ct_vec3 *fixed, ct_vec3 *known,
                       ct_vec3 *weight) {
    ct_mat3 r = rotation_of(build, known, weight);
    for (int i = 0; i < 3; i++) {
        fixed[i] = weight[i] = ct_vec_unit(i);
        known[i] = let_vec(build, ct_vec(r.a[0][i], r.a[1][i], r.a[2][i]));
    }
}

// A body whose rotation is kept as vectors: two vectors fixed in it and their cross product are
// found, all others are combinations of these.
static void whole_whole_rotation(const ct_step_builder *build, const ct_placement *p,
                                 const ct_whole_rotation *whole, ct_segment *seg,
                                 const ct_vec3 *fixed, const ct_vec3 *known,
                                 const ct_vec3 *weight) {
    // of positions: whole rotations stand outside iterations
    ct_whole_rotation_basis basis = {.segment = build->program->n};
    for (int i = 0; i < 3; i++) {
        basis.weight[i] = weight[i];
        basis.value[i] =
            ct_steps_vector(build, ct_turn(build->layout, fixed[i], p->child, build->root));
    }
    ct_values_whole_rotation(build->values, (int)(whole - build->f->whole_rotations), seg, known,
                             &basis);
    ct_steps_more(build)->step = -1; // part of no step
}

// Joint angles of a body whose rotation is kept as vectors. Only results need them, so their lock
// guard belongs to the expansion.
static void angles_of_whole_rotation(const ct_step_builder *build, const ct_connection *c,
                                     const int *k) {
    ct_closure *closure = build->closure;
    ct_segment *seg = ct_steps_more(build);
    ct_steps_three_angles(build, seg, c, replaced(build, ct_joint_rotation(build->layout, c)), k);
    for (int i = 0; i < seg->n_guards; i++)
        *CT_PUSH(closure->late, closure->n_late, closure->room_late) = seg->guards[i];
    seg->n_guards = 0;
}

// Three angles, or a whole rotation, from two relations of the child.
static void orientation(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    const ct_whole_rotation *whole = ct_whole_rotation_of_joint(build->f, p->joint);
    const ct_relation *r0 = p->relation, *r1 = p->relation + 1;
    // angles of the joint; a whole rotation is seen from the root
    int k[3], frame = whole ? build->root : p->parent;
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < build->f->n; q++)
            if (build->f->q[q] == c->angle[i]) k[i] = q;
    // two arms of the child, the ways that they must take, and equations for the rates
    bool vector = r1->kind == CT_RELATION_POINT || r1->kind == CT_RELATION_AXIS,
         line = r0->kind == CT_RELATION_PLANE_X;
    ct_vec3 arm[2], way[2];
    ct_steps_vectors(build, p, r0, frame, arm, way);
    ct_steps_vectors(build, p, r1, frame, arm + 1, way + 1);
    ct_ex psi[3];
    if (line)
        line_frame_rows(build, p, frame, arm, way, vector, psi);
    else
        (whole ? spin_rows : angle_rows)(build, p, arm, way, vector, psi);
    // linear if both ways are given, else with one square root
    ct_segment *seg = ct_steps_segment(
        build, vector && !line ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, vector && !line ? 1 : 2,
        p->joint, 3, k,
        ct_format("orientation of %s from '%s' and '%s'", build->f->model->bodies[p->child].name,
                  ct_steps_source(build, r0), ct_steps_source(build, r1)));
    // arms and ways in values; the second way from a distance, a plane or an angle
    ct_vec3 fixed[3] = {arm[0], arm[1], cross(build, arm[0], arm[1])},
            now = ct_steps_vector(build, ct_turn(build->layout, arm[1], p->child, frame));
    for (int i = 0; i < 2; i++) {
        arm[i] = let_vec(build, ct_steps_vector(build, arm[i]));
        way[i] = let_vec(build, ct_steps_vector(build, way[i]));
    }
    if (line) arm[0] = arm_on_line(build, seg, p, frame, way[0]);
    if (!vector) way[1] = second_way(build, seg, p, frame, arm, way, now);
    // R [r1 r2 r3] = [w1 w2 w3], r3 = r1 x r2; weights: rows of [r1 r2 r3]^-1
    ct_vec3 r3 = cross(build, arm[0], arm[1]),
            known[3] = {way[0], way[1], let_vec(build, cross(build, way[0], way[1]))};
    ct_ex over = ct_power_int(pool, dot(build, r3, r3), -1);
    ct_vec3 weight[3] = {scale(build, over, cross(build, arm[1], r3)),
                         scale(build, over, cross(build, r3, arm[0])), scale(build, over, r3)};
    // vectors of a whole rotation, or the angles of R seen by the joint
    if (whole) {
        if (line) by_columns(build, fixed, known, weight);
        whole_whole_rotation(build, p, whole, seg, fixed, known, weight);
        angles_of_whole_rotation(build, c, k);
    } else {
        ct_mat3 rotation = rotation_of(build, known, weight);
        if (c->body[1] != p->child) rotation = ct_mat_transpose(rotation);
        rotation = ct_mat_mul(pool, ct_mat_transpose(c->orient[0]), rotation);
        rotation = ct_mat_mul(pool, rotation, c->orient[1]);
        ct_steps_three_angles(build, seg, c, rotation, k);
    }
    ct_steps_rate_block(build, 3, k, psi);
}

void ct_steps_several_angles(const ct_step_builder *build, const ct_placement *p) {
    if (p->kind == CT_PLACE_DIRECTION)
        direction(build, p);
    else
        orientation(build, p);
}
