// Coordinates along and about one axis: a slide or an angle from one relation, that of a joint
// between two bodies that are only pinned, both of a cylindrical joint, the turn of a screw.
#include "closure/steps/builder.h"

#include <stdlib.h>
#include <string.h>

static ct_ex let(const ct_step_builder *build, ct_ex a) {
    return ct_let(build->pool, a);
}

// The sum of angles to solve for: as far up from the child as all axes stay parallel, so that the
// frame there, which is returned, sees a single angle.
static int frame_above(const ct_step_builder *build, int parent, int child, ct_ex q,
                       ct_ex *angle_sum) {
    int frame = parent, body = parent;
    ct_steps_angle_sum(build, ct_rotation(build->layout, parent, child), q, false, angle_sum);
    while (body != build->root && build->layout->parent[CT_ROTATION][body] >= 0) {
        body = build->layout->parent[CT_ROTATION][body];
        ct_ex wider;
        if (!ct_steps_angle_sum(build, ct_rotation(build->layout, body, child), q, true, &wider))
            break;
        frame = body;
        *angle_sum = wider;
    }
    return frame;
}

static ct_unknown find_unknown(const ct_step_builder *build, int coordinate, int parent, int child,
                               int *frame) {
    ct_unknown u = {.coordinate = coordinate, .is_angle = build->f->is_angle[coordinate]};
    *frame = parent;
    if (u.is_angle) {
        *frame = frame_above(build, parent, child, build->f->q[coordinate], &u.angle_sum);
        ct_values_pair(build->values, u.angle_sum, &u.c, &u.s);
    } else {
        u.c = ct_values_slide(build->values, coordinate);
    }
    return u;
}

static void set(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex cosine,
                ct_ex sine) {
    if (u->is_angle)
        ct_steps_set(build, seg, u->angle_sum, cosine, sine);
    else
        ct_values_set_slide(build->values, seg, u->coordinate, cosine);
}

// The terms of a sum. Returns how many; 0 if they do not fit.
static int terms_of(ct_pool *pool, ct_ex a, int room, ct_ex *terms) {
    if (ct_ex_op(pool, a) != CT_OP_SUM) {
        terms[0] = a;
        return 1;
    }
    int n = 0, count = ct_child_count(pool, a);
    if (count / 2 + 1 > room) return 0;
    if (ct_child(pool, a, 0) != CT_ZERO) terms[n++] = ct_child(pool, a, 0);
    for (int i = 1; i + 1 < count; i += 2)
        terms[n++] = ct_mul(pool, ct_child(pool, a, i), ct_child(pool, a, i + 1));
    return n;
}

// Sums and products without the opaque nodes (ct_let) in them.
static ct_ex without_fences(ct_pool *pool, ct_ex a) {
    ct_op op = ct_ex_op(pool, a);
    if (op == CT_OP_LET) return without_fences(pool, ct_child(pool, a, 0));
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) return a;
    ct_ex r = ct_child(pool, a, 0);
    for (int i = 1; i + 1 < ct_child_count(pool, a); i += 2) {
        ct_ex x = ct_child(pool, a, i), y = ct_child(pool, a, i + 1);
        r = op == CT_OP_SUM ? ct_add(pool, r, ct_mul(pool, x, without_fences(pool, y)))
                            : ct_mul(pool, r, ct_power(pool, without_fences(pool, x), y));
    }
    return r;
}

static double cost_of(ct_pool *pool, ct_ex a) {
    return ct_operations_total(ct_count_shared(pool, 1, &a));
}

// The sum of products, multiplied out where that is cheaper (sines and cosines in coordinates then
// join); in values.
static ct_ex expanded_dot(const ct_step_builder *build, ct_vec3 x, ct_vec3 y) {
    ct_pool *pool = build->pool;
    enum { ROOM = 6 };
    ct_ex direct = ct_vec_dot(pool, x, y), sum = CT_ZERO;
    for (int i = 0; i < 3; i++) {
        ct_ex s[ROOM], t[ROOM];
        int n = terms_of(pool, without_fences(pool, x.v[i]), ROOM, s),
            m = terms_of(pool, without_fences(pool, y.v[i]), ROOM, t);
        if (!n || !m) return direct;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < m; j++)
                sum = ct_add(pool, sum,
                             ct_values_in_coordinates(build->values, ct_mul(pool, s[k], t[j])));
    }
    sum = ct_steps_replace(build, sum);
    return cost_of(pool, sum) < cost_of(pool, direct) ? sum : direct;
}

// rest + C cosine + S sine = 0
static void solve_vector(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                         const ct_affine *v) {
    ct_pool *pool = build->pool;
    ct_ex over = ct_power_int(pool, let(build, ct_steps_dot(build, v->cosine, v->cosine)), -1);
    ct_ex c = ct_neg(pool, ct_mul(pool, ct_steps_dot(build, v->cosine, v->rest), over)),
          sn = CT_ZERO;
    if (u->is_angle) sn = ct_neg(pool, ct_mul(pool, ct_steps_dot(build, v->sine, v->rest), over));
    set(build, seg, u, c, sn);
}

typedef struct by_product { // a C + b S and a S - b C
    ct_ex along, across;
} by_product;

// |rest + C cosine + S sine|^2 = length2. guided: a motion moves a point of the relation, so that
// an identity at one time proves nothing. psi becomes the equation of one component where the
// closure has several; by-products are left of an angle without components, else they are zero.
static by_product solve_distance(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                                 const ct_affine *v, ct_ex length2, bool guided, ct_ex *psi) {
    ct_pool *pool = build->pool;
    ct_ex square = expanded_dot(build, v->rest, v->rest);
    // slide: s^2 + 2 h s + k = 0
    if (!u->is_angle) {
        ct_ex h = ct_steps_dot(build, v->rest, v->cosine), k = ct_sub(pool, square, length2), x;
        if (!ct_steps_factor_slide(build, seg, u, h, k, &x, psi))
            x = ct_steps_square(build, seg, u->c, h, k);
        set(build, seg, u, x, CT_ZERO);
        return (by_product){CT_ZERO, CT_ZERO};
    }
    // angle: a C + b S = (length2 - radius^2 - |rest|^2) / 2
    by_product left = {CT_ZERO, CT_ZERO};
    ct_ex radius2 = ct_steps_dot(build, v->cosine, v->cosine), c, sn;
    ct_ex right =
        ct_mul(pool, ct_rational(pool, 1, 2),
               ct_sum(pool, 3, (ct_ex[]){length2, ct_neg(pool, radius2), ct_neg(pool, square)}));
    ct_ex a = expanded_dot(build, v->rest, v->cosine), bb = expanded_dot(build, v->rest, v->sine);
    if (guided || !ct_steps_component(build, seg, u, a, bb, right, &c, &sn, psi)) {
        left.across = ct_steps_trig(build, seg, u, a, bb, right, &c, &sn);
        left.along = right;
    }
    set(build, seg, u, c, sn);
    return left;
}

// normal . (rest + C cosine + S sine) = value; guided and psi: as for solve_distance.
static void solve_plane(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                        const ct_affine *v, ct_vec3 normal, ct_ex value, bool guided, ct_ex *psi) {
    ct_pool *pool = build->pool;
    ct_ex right =
              ct_sub(pool, ct_steps_replace(build, value), ct_steps_dot(build, normal, v->rest)),
          c, sn = CT_ZERO;
    ct_ex a = ct_steps_dot(build, normal, v->cosine), bb = ct_steps_dot(build, normal, v->sine);
    // slide: linear, with a guard on its pivot; angle: a C + b S = right
    if (!u->is_angle) {
        ct_steps_pivot(build, seg, ct_power_int(pool, a, 2));
        c = ct_div(pool, right, a);
    } else if (guided || !ct_steps_component(build, seg, u, a, bb, right, &c, &sn, psi))
        ct_steps_trig(build, seg, u, a, bb, right, &c, &sn);
    set(build, seg, u, c, sn);
}

// Degree of a relation in one unknown.
static int degree_of(const ct_relation *r, bool is_angle) {
    if (r->kind == CT_RELATION_POINT || r->kind == CT_RELATION_AXIS) return 1;
    return is_angle || r->kind == CT_RELATION_DISTANCE ? 2 : 1;
}

static char *describe(const ct_step_builder *build, const ct_relation *r) {
    const ct_model *m = build->f->model;
    const char *x = m->bodies[r->x].name, *k = m->bodies[r->k].name, *j = ct_steps_source(build, r);
    switch (r->kind) {
    case CT_RELATION_POINT: return ct_format("point of %s at '%s' on %s", x, j, k);
    case CT_RELATION_AXIS: return ct_format("axis of %s along that of '%s'", x, j);
    case CT_RELATION_DISTANCE:
        return r->via[0] >= 0 ? ct_format("distance between %s and %s through %s", x, k,
                                          m->bodies[r->via[0]].name)
                              : ct_format("length of '%s'", j);
    case CT_RELATION_DOT: return ct_format("angle between axes at '%s'", j);
    default: return ct_format("point of %s in a plane at '%s'", x, j);
    }
}

// The component of a vector relation in the direction in which coordinate k moves the point (or
// direction) of x; of the point only the way to the joint is left in it, since the rest is across.
static ct_ex across(const ct_step_builder *build, int child, const ct_connection *c,
                    const ct_relation *r, int frame, int k) {
    ct_pool *pool = build->pool;
    ct_ex q = build->f->q[k];
    ct_vec3 at = c->at[c->body[1] == child], arm, base;
    if (r->kind == CT_RELATION_AXIS) {
        arm = ct_turn(build->layout, r->axis_x, r->x, frame);
        base = ct_turn(build->layout, r->axis_k, r->k, frame);
    } else if (build->f->is_angle[k]) {
        arm = ct_steps_path(build, child, at, r->x, r->point_x, frame);
        base = ct_steps_path(build, r->k, r->point_k, child, at, frame);
    } else {
        arm = base = ct_steps_path(build, r->k, r->point_k, r->x, r->point_x, frame);
    }
    ct_vec3 along = {
        {ct_diff(pool, arm.v[0], q), ct_diff(pool, arm.v[1], q), ct_diff(pool, arm.v[2], q)}};
    return ct_vec_dot(pool, along, base);
}

// A vector in values, from one frame to another.
static ct_vec3 turned(const ct_step_builder *build, int from, int to, ct_vec3 v) {
    if (from == to) return v;
    ct_mat3 m = ct_rotation(build->layout, to, from);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(build, m.a[i][j]);
    return ct_mat_vec(build->pool, m, v);
}

// The vector from k to x in the frame of the child: with e = R^T (C c + S s) its part across the
// axis that turns with the child, |e|^2 = d2, it is  e (along / d2 + 1) + (axis x e) (-across / d2)
// + axis (axis . rest). Only where the turn is the joint's alone and starts from the child's frame.
static void remember(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                     const ct_affine *v, ct_ex along, ct_ex across) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    bool child_b = c->body[1] == p->child;
    if (c->n_rot != 1 || r->x != p->child) return;
    // axis and the part e of the arm across it, in the child
    ct_vec3 axis = ct_mat_vec(pool, c->orient[child_b], c->axis[0]);
    ct_vec3 arm = ct_vec_sub(pool, r->point_x, c->at[child_b]);
    ct_vec3 e = ct_vec_sub(pool, arm, ct_vec_scale(pool, ct_steps_dot(build, axis, arm), axis));
    ct_vec3 side = ct_vec_cross(pool, axis, e);
    if (!child_b) side = ct_vec_neg(pool, side); // the angle turns the other way
    ct_ex over = ct_power_int(pool, ct_steps_dot(build, e, e), -1);
    // the axis as the frame of the affine form sees it: cosine x sine
    ct_vec3 normal = ct_vec_scale(pool, over, ct_vec_cross(pool, v->cosine, v->sine));
    ct_vec3 own = child_b ? axis : ct_vec_neg(pool, axis);
    ct_ex lift = ct_vec_dot(pool, normal, v->rest);
    // e (along / d2 + 1) - side across / d2 + axis lift
    ct_vec3 whole = ct_vec_scale(pool, ct_add(pool, ct_mul(pool, along, over), CT_ONE), e);
    whole = ct_vec_sub(pool, whole, ct_vec_scale(pool, ct_mul(pool, across, over), side));
    whole = ct_vec_add(pool, whole, ct_vec_scale(pool, lift, own));
    *CT_PUSH_SCRATCH(build->notes->seen, build->notes->n_seen, build->notes->room_seen) =
        (ct_seen){p->child, r->k, r->point_x, r->point_k, whole};
}

static void one_coordinate(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_relation *r = p->relation;
    // the unknown, the frame that sees it as one angle, and the step
    int k = ct_steps_coordinate(build, p->unknown[0]), frame;
    ct_unknown u = find_unknown(build, k, p->parent, p->child, &frame);
    int degree = degree_of(r, u.is_angle);
    ct_segment *seg = ct_steps_segment(build, degree == 1 ? CT_STEP_LINEAR : CT_STEP_QUADRATIC,
                                       degree, p->joint, 1, &k, describe(build, r));
    bool directions = r->kind == CT_RELATION_AXIS || r->kind == CT_RELATION_DOT,
         guided = ct_relation_is_guided(r);
    // the part of the vector that does not turn with the child
    ct_ex psi = ct_steps_psi(build, r, frame);
    ct_vec3 v = ct_vec3_zero(), arm;
    const ct_connection *joint = ct_steps_joint(build, p->joint);
    ct_vec3 at = joint->at[joint->body[1] == p->child];
    if (r->kind == CT_RELATION_AXIS)
        v = ct_vec_neg(pool, ct_turn(build->layout, r->axis_k, r->k, frame));
    else if (!directions)
        v = ct_steps_path(build, r->k, r->point_k, p->child, at, frame);
    // what turns with the child is written in its own frame first: inside it nothing turns with the
    // unknown
    arm = directions ? ct_turn(build->layout, r->axis_x, r->x, p->child)
                     : ct_steps_path(build, p->child, at, r->x, r->point_x, p->child);
    v = ct_vec_add(pool, ct_steps_vector(build, v),
                   turned(build, p->child, frame, ct_steps_vector(build, arm)));
    // v = rest + C cosine + S sine; the normal of a plane, or the second of two axes
    ct_affine a = ct_steps_affine(build, v, &u);
    ct_vec3 normal = r->kind == CT_RELATION_DOT ? ct_turn(build->layout, r->axis_k, r->k, frame)
                                                : ct_steps_normal(build, r, frame);
    // a slide on a line: from both planes
    if (!u.is_angle && ct_steps_slide_on_line(build, seg, r, frame, &u, &a)) return;
    ct_ex value = ct_steps_replace(build, ct_steps_plane_value(build, r));
    // cosine and sine, or the slide, by the kind of relation
    switch (r->kind) {
    case CT_RELATION_POINT:
    case CT_RELATION_AXIS:
        // v = 0; rates: its component in the direction in which k moves the point
        solve_vector(build, seg, &u, &a);
        psi = across(build, p->child, ct_steps_joint(build, p->joint), r, frame, k);
        break;
    case CT_RELATION_DISTANCE: {
        // |v|^2 = length^2; the by-products give v to later steps
        by_product left =
            solve_distance(build, seg, &u, &a, ct_steps_length2(build, r), guided, &psi);
        if (left.along != CT_ZERO) remember(build, p, r, &a, left.along, left.across);
        break;
    }
    case CT_RELATION_PLANE_X: {
        // normal . v = value: a slide does not turn the normal, which is fixed in x
        if (!u.is_angle) {
            solve_plane(build, seg, &u, &a, ct_steps_vector(build, normal), value, guided, &psi);
            break;
        }
        // (R n) . (R r - w) = n . r - (R n) . w
        ct_vec3 n = ct_turn(build->layout, r->axis_x, r->x, p->child),
                w = ct_steps_path(build, p->child, at, r->k, r->point_k, frame);
        ct_affine nx =
            ct_steps_affine(build, turned(build, p->child, frame, ct_steps_vector(build, n)), &u);
        value = ct_sub(pool, ct_steps_replace(build, ct_steps_dot(build, n, arm)), value);
        solve_plane(build, seg, &u, &nx, ct_steps_vector(build, w), value, guided, &psi);
        break;
    }
    default:
        // normal . v = value: a plane fixed in k, or the angle between two axes
        solve_plane(build, seg, &u, &a, ct_steps_vector(build, normal), value, guided, &psi);
    }
    ct_steps_rate_block(build, 1, &k, &psi);
}

// The coordinate of a joint between two bodies that are not placed, each pinned to a placed one:
// the distance between the pins.
static void relative(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    // the unknown in the frame of the parent, and the step
    int k = ct_steps_coordinate(build, p->unknown[0]), frame = p->parent;
    const ct_relation *x = p->pin, *y = p->pin + 1;
    ct_unknown u = {.coordinate = k, .is_angle = build->f->is_angle[k]};
    if (u.is_angle) {
        ct_steps_angle_sum(build, ct_rotation(build->layout, p->parent, p->child), build->f->q[k],
                           false, &u.angle_sum);
        ct_values_pair(build->values, u.angle_sum, &u.c, &u.s);
    } else {
        u.c = ct_values_slide(build->values, k);
    }
    ct_segment *seg =
        ct_steps_segment(build, CT_STEP_QUADRATIC, 2, p->joint, 1, &k,
                         ct_format("distance between '%s' and '%s'", ct_steps_source(build, x),
                                   ct_steps_source(build, y)));
    // |v| = |w|: v between points of two bodies, w between the points where these are pinned
    ct_vec3 v = ct_steps_path(build, x->x, x->point_x, y->x, y->point_x, frame);
    ct_vec3 w = ct_steps_path(build, x->k, x->point_k, y->k, y->point_k, build->root);
    ct_affine a = ct_steps_affine(build, ct_steps_vector(build, v), &u);
    ct_vec3 wv = ct_steps_let(build, ct_steps_vector(build, w));
    // psi = (|v|^2 - |w|^2) / 2
    ct_ex psi = ct_mul(pool, ct_rational(pool, 1, 2),
                       ct_sub(pool, ct_steps_dot(build, v, v), ct_steps_dot(build, w, w)));
    bool guided = ct_relation_is_guided(x) || ct_relation_is_guided(y);
    solve_distance(build, seg, &u, &a, let(build, ct_steps_dot(build, wv, wv)), guided, &psi);
    ct_steps_rate_block(build, 1, &k, &psi);
}

// Slide and angle of a cylindrical joint from a point: along the axis, then about it. From a line
// that holds the point: about the axis, then along it.
static void cylinder(const ct_step_builder *build, const ct_placement *p) {
    const ct_relation *r = p->relation;
    // slide k[0] and angle k[1], in the frame of the parent
    int k[2], frame = p->parent;
    for (int i = 0; i < 2; i++) k[i] = ct_steps_coordinate(build, p->unknown[i]);
    if (build->f->is_angle[k[0]]) {
        int t = k[0];
        k[0] = k[1];
        k[1] = t;
    }
    ct_unknown slide = {.coordinate = k[0], .c = ct_values_slide(build->values, k[0])},
               turn = {.coordinate = k[1], .is_angle = true};
    ct_steps_angle_sum(build, ct_rotation(build->layout, frame, p->child), build->f->q[k[1]], false,
                       &turn.angle_sum);
    ct_values_pair(build->values, turn.angle_sum, &turn.c, &turn.s);
    // linear from a point, quadratic from a line
    int degree = r->kind == CT_RELATION_POINT ? 1 : 2;
    ct_segment *seg = ct_steps_segment(build, degree == 1 ? CT_STEP_LINEAR : CT_STEP_QUADRATIC,
                                       degree, p->joint, 2, k, describe(build, r));
    // from k to the parent's end of the axis, along it, and then the arm that turns about it
    const ct_connection *c = ct_steps_joint(build, p->joint);
    bool forward = c->body[1] == p->child;
    ct_vec3 base = ct_steps_path(build, r->k, r->point_k, frame, c->at[!forward], frame),
            arm = ct_steps_path(build, p->child, c->at[forward], r->x, r->point_x, p->child),
            axis = ct_mat_vec(build->pool, c->orient[!forward], c->direction[0]);
    if (!forward) axis = ct_vec_neg(build->pool, axis);
    ct_affine by_turn = ct_steps_affine(
        build, turned(build, p->child, frame, ct_steps_let(build, ct_steps_vector(build, arm))),
        &turn);
    by_turn.rest =
        ct_steps_let(build, ct_vec_add(build->pool, ct_steps_vector(build, base), by_turn.rest));
    // a line: the angle, then the slide
    if (r->line) {
        ct_steps_cylinder_on_line(build, r, seg, frame, &slide, &turn, &by_turn, axis);
        return;
    }
    // a point: the slide along the axis, then the angle about it
    ct_affine by_slide = {.rest = by_turn.rest, .cosine = axis};
    solve_vector(build, seg, &slide, &by_slide);
    solve_vector(build, seg, &turn, &by_turn);
    ct_ex psi[2] = {across(build, p->child, c, r, frame, k[0]),
                    across(build, p->child, c, r, frame, k[1])};
    ct_steps_rate_block(build, 2, k, psi);
}

// A screw with a point on its axis that is at a known place or in a plane. With the axis u, the
// lead h per radian, the way w from k to where the axis begins and the point at l along the axis
//   u . (w + (h q + l) u) = 0,   or   n . (w + (h q + l) u) = value
static void screw(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_relation *r = p->relation;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    bool forward = c->body[1] == p->child, plane = r->kind == CT_RELATION_PLANE_K;
    int k = ct_steps_coordinate(build, p->unknown[0]);
    ct_segment *seg = ct_steps_segment(build, CT_STEP_LINEAR, 1, p->joint, 1, &k,
                                       ct_format("turn of %s from '%s' along its axis",
                                                 build->f->model->bodies[p->child].name,
                                                 ct_steps_source(build, r)));
    // u, w and h in the frame of the parent, l in that of the child
    ct_vec3 axis = ct_mat_vec(pool, c->orient[!forward], c->axis[0]),
            own = ct_mat_vec(pool, c->orient[forward], c->axis[0]),
            way = ct_steps_path(build, r->k, r->point_k, p->parent, c->at[!forward], p->parent);
    ct_ex lead = ct_vec_dot(pool, c->axis[0], c->direction[0]);
    if (!forward) lead = ct_neg(pool, lead);
    ct_ex past = ct_vec_dot(pool, own, ct_vec_sub(pool, r->point_x, c->at[forward]));
    // q = -(u . w + l) / h, or -((n . w - value) / (n . u) + l) / h with a pivot that may vanish
    ct_ex along = ct_vec_dot(pool, axis, way);
    if (plane) {
        ct_vec3 normal = ct_steps_normal(build, r, p->parent);
        ct_ex pivot = ct_vec_dot(pool, normal, axis);
        ct_steps_pivot(build, seg, ct_power_int(pool, ct_steps_replace(build, pivot), 2));
        along = ct_div(pool, ct_sub(pool, ct_vec_dot(pool, normal, way), r->value), pivot);
    }
    ct_ex turn = ct_neg(pool, ct_div(pool, ct_add(pool, along, past), lead)),
          value = let(build, ct_steps_replace(build, turn)),
          psi = plane ? ct_steps_psi(build, r, p->parent) : ct_sub(pool, build->f->q[k], turn);
    ct_steps_set(build, seg, build->f->q[k], ct_cos(pool, value), ct_sin(pool, value));
    ct_steps_rate_block(build, 1, &k, &psi);
}

void ct_steps_one_axis(const ct_step_builder *build, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_RELATIVE: relative(build, p); break;
    case CT_PLACE_CYLINDER: cylinder(build, p); break;
    case CT_PLACE_SCREW: screw(build, p); break;
    default: one_coordinate(build, p);
    }
}
