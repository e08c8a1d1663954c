// Coordinates along and about one axis: a slide or an angle from one relation, both of a
// cylindrical joint, the turn of a screw.
#include "closure/steps/builder.h"

#include <stdlib.h>
#include <string.h>

static ct_ex let(const ct_steps *b, ct_ex a) {
    return ct_let(b->pool, a);
}

static ct_vec3 let_vec(const ct_steps *b, ct_vec3 v) {
    return ct_vec_let(b->pool, v);
}

// The sum of angles to solve for: as far up from the child as all axes stay parallel, so that the
// frame there sees a single angle.
static int frame_above(const ct_steps *b, int parent, int child, ct_ex q, ct_ex *form) {
    int frame = parent, body = parent;
    ct_steps_form(b, ct_rotation(b->layout, parent, child), q, false, form);
    while (body != b->root && b->layout->parent[CT_ROTATION][body] >= 0) {
        body = b->layout->parent[CT_ROTATION][body];
        ct_ex wider;
        if (!ct_steps_form(b, ct_rotation(b->layout, body, child), q, true, &wider)) break;
        frame = body;
        *form = wider;
    }
    return frame;
}

static ct_unknown find_unknown(const ct_steps *b, int coordinate, int parent, int child,
                               int *frame) {
    ct_unknown u = {.coordinate = coordinate, .turn = b->f->is_angle[coordinate]};
    *frame = parent;
    if (u.turn) {
        *frame = frame_above(b, parent, child, b->f->q[coordinate], &u.form);
        ct_forms_pair(b->forms, u.form, &u.c, &u.s);
    } else {
        u.c = ct_forms_slide(b->forms, coordinate);
    }
    return u;
}

static void set(const ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex cosine, ct_ex sine) {
    if (u->turn)
        ct_steps_set(b, s, u->form, cosine, sine);
    else
        ct_forms_set_slide(b->forms, s, u->coordinate, cosine);
}

static ct_ex dot(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(b->pool, a, c);
}

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

// Sums and products without the fences in them.
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
static ct_ex expanded_dot(const ct_steps *b, ct_vec3 x, ct_vec3 y) {
    ct_pool *pool = b->pool;
    enum { ROOM = 6 };
    ct_ex plain = ct_vec_dot(pool, x, y), sum = CT_ZERO;
    for (int i = 0; i < 3; i++) {
        ct_ex s[ROOM], t[ROOM];
        int n = terms_of(pool, without_fences(pool, x.v[i]), ROOM, s),
            m = terms_of(pool, without_fences(pool, y.v[i]), ROOM, t);
        if (!n || !m) return plain;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < m; j++)
                sum =
                    ct_add(pool, sum, ct_forms_in_coordinates(b->forms, ct_mul(pool, s[k], t[j])));
    }
    sum = ct_steps_replace(b, sum);
    return cost_of(pool, sum) < cost_of(pool, plain) ? sum : plain;
}

// rest + C cosine + S sine = 0
static void solve_vector(const ct_steps *b, ct_segment *s, const ct_unknown *u,
                         const ct_affine *v) {
    ct_pool *pool = b->pool;
    ct_ex over = ct_power_int(pool, let(b, dot(b, v->cosine, v->cosine)), -1);
    ct_ex c = ct_neg(pool, ct_mul(pool, dot(b, v->cosine, v->rest), over)), sn = CT_ZERO;
    if (u->turn) sn = ct_neg(pool, ct_mul(pool, dot(b, v->sine, v->rest), over));
    set(b, s, u, c, sn);
}

// |rest + C cosine + S sine|^2 = length2
typedef struct by_product { // a C + b S and a S - b C
    ct_ex along, across;
} by_product;

// guided: a motion moves a point of the relation, so that what is seen at one time says nothing.
static by_product solve_distance(const ct_steps *b, ct_segment *s, const ct_unknown *u,
                                 const ct_affine *v, ct_ex length2, bool guided, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex square = expanded_dot(b, v->rest, v->rest);
    if (!u->turn) {
        ct_ex h = dot(b, v->rest, v->cosine), k = ct_sub(pool, square, length2), x;
        if (!ct_steps_factor_slide(b, s, u, h, k, &x, psi)) x = ct_steps_square(b, s, u->c, h, k);
        set(b, s, u, x, CT_ZERO);
        return (by_product){CT_ZERO, CT_ZERO};
    }
    by_product left = {CT_ZERO, CT_ZERO};
    ct_ex radius2 = dot(b, v->cosine, v->cosine), c, sn;
    ct_ex right =
        ct_mul(pool, ct_rational(pool, 1, 2),
               ct_sum(pool, 3, (ct_ex[]){length2, ct_neg(pool, radius2), ct_neg(pool, square)}));
    ct_ex a = expanded_dot(b, v->rest, v->cosine), bb = expanded_dot(b, v->rest, v->sine);
    if (guided || !ct_steps_component(b, s, u, a, bb, right, &c, &sn, psi)) {
        left.across = ct_steps_trig(b, s, u, a, bb, right, &c, &sn);
        left.along = right;
    }
    set(b, s, u, c, sn);
    return left;
}

// normal . (rest + C cosine + S sine) = value
static void solve_plane(const ct_steps *b, ct_segment *s, const ct_unknown *u, const ct_affine *v,
                        ct_vec3 normal, ct_ex value, bool guided, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex right = ct_sub(pool, ct_steps_replace(b, value), dot(b, normal, v->rest)), c,
          sn = CT_ZERO;
    ct_ex a = dot(b, normal, v->cosine), bb = dot(b, normal, v->sine);
    if (!u->turn) {
        ct_steps_pivot(b, s, ct_power_int(pool, a, 2));
        c = ct_div(pool, right, a);
    } else if (guided || !ct_steps_component(b, s, u, a, bb, right, &c, &sn, psi))
        ct_steps_trig(b, s, u, a, bb, right, &c, &sn);
    set(b, s, u, c, sn);
}

// Degree of a relation in one unknown.
static int degree_of(const ct_relation *r, bool turn) {
    if (r->kind == CT_RELATION_POINT || r->kind == CT_RELATION_AXIS) return 1;
    return turn || r->kind == CT_RELATION_DISTANCE ? 2 : 1;
}

static char *describe(const ct_steps *b, const ct_relation *r) {
    const ct_model *m = b->f->model;
    const char *x = m->bodies[r->x].name, *k = m->bodies[r->k].name, *j = ct_steps_source(b, r);
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
static ct_ex across(const ct_steps *b, int child, const ct_connection *c, const ct_relation *r,
                    int frame, int k) {
    ct_pool *pool = b->pool;
    ct_ex q = b->f->q[k];
    ct_vec3 at = c->at[c->body[1] == child], arm, base;
    if (r->kind == CT_RELATION_AXIS) {
        arm = ct_turn(b->layout, r->axis_x, r->x, frame);
        base = ct_turn(b->layout, r->axis_k, r->k, frame);
    } else if (b->f->is_angle[k]) {
        arm = ct_steps_path(b, child, at, r->x, r->point_x, frame);
        base = ct_steps_path(b, r->k, r->point_k, child, at, frame);
    } else {
        arm = base = ct_steps_path(b, r->k, r->point_k, r->x, r->point_x, frame);
    }
    ct_vec3 along = {
        {ct_diff(pool, arm.v[0], q), ct_diff(pool, arm.v[1], q), ct_diff(pool, arm.v[2], q)}};
    return ct_vec_dot(pool, along, base);
}

// A replaced vector from one frame to another.
static ct_vec3 turned(const ct_steps *b, int from, int to, ct_vec3 v) {
    if (from == to) return v;
    ct_mat3 m = ct_rotation(b->layout, to, from);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(b, m.a[i][j]);
    return ct_mat_vec(b->pool, m, v);
}

// The vector from k to x in the frame of the child: with e = R^T (C c + S s) its part across the
// axis that turns with the child, |e|^2 = d2, it is  e (along / d2 + 1) + (axis x e) (-across / d2)
// + axis (axis . rest). Only where the turn is the joint's alone and starts from the child's frame.
static void remember(const ct_steps *b, const ct_placement *p, const ct_relation *r,
                     const ct_affine *v, ct_ex along, ct_ex across) {
    ct_pool *pool = b->pool;
    const ct_connection *c = ct_steps_joint(b, p->joint);
    bool child_b = c->body[1] == p->child;
    if (c->n_rot != 1 || r->x != p->child) return;
    ct_vec3 axis = ct_mat_vec(pool, c->orient[child_b], c->axis[0]);
    ct_vec3 arm = ct_vec_sub(pool, r->point_x, c->at[child_b]);
    ct_vec3 e = ct_vec_sub(pool, arm, ct_vec_scale(pool, dot(b, axis, arm), axis));
    ct_vec3 side = ct_vec_cross(pool, axis, e);
    if (!child_b) side = ct_vec_neg(pool, side); // the angle turns the other way
    ct_ex over = ct_power_int(pool, dot(b, e, e), -1);
    // the axis as the frame of the affine form sees it: cosine x sine
    ct_vec3 normal = ct_vec_scale(pool, over, ct_vec_cross(pool, v->cosine, v->sine));
    ct_vec3 own = child_b ? axis : ct_vec_neg(pool, axis);
    ct_ex lift = ct_vec_dot(pool, normal, v->rest);
    ct_vec3 whole = ct_vec_scale(pool, ct_add(pool, ct_mul(pool, along, over), CT_ONE), e);
    whole = ct_vec_sub(pool, whole, ct_vec_scale(pool, ct_mul(pool, across, over), side));
    whole = ct_vec_add(pool, whole, ct_vec_scale(pool, lift, own));
    *CT_PUSH(b->notes->seen, b->notes->n_seen, b->notes->room_seen) =
        (ct_seen){p->child, r->k, r->point_x, r->point_k, whole};
}

static void one_coordinate(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    const ct_relation *r = p->relation;
    int k = ct_steps_coordinate(b, p->unknown[0]), frame;
    ct_unknown u = find_unknown(b, k, p->parent, p->child, &frame);
    int degree = degree_of(r, u.turn);
    ct_segment *s = ct_steps_segment(b, degree == 1 ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, degree,
                                     p->joint, 1, &k, describe(b, r));
    bool directions = r->kind == CT_RELATION_AXIS || r->kind == CT_RELATION_DOT,
         guided = ct_relation_is_guided(r);
    ct_ex psi = ct_steps_psi(b, r, frame);
    ct_vec3 v = ct_vec3_zero(), arm;
    const ct_connection *joint = ct_steps_joint(b, p->joint);
    ct_vec3 at = joint->at[joint->body[1] == p->child];
    if (r->kind == CT_RELATION_AXIS)
        v = ct_vec_neg(pool, ct_turn(b->layout, r->axis_k, r->k, frame));
    else if (!directions)
        v = ct_steps_path(b, r->k, r->point_k, p->child, at, frame);
    // what turns with the child is written in its own frame first: inside it nothing turns with the
    // unknown
    arm = directions ? ct_turn(b->layout, r->axis_x, r->x, p->child)
                     : ct_steps_path(b, p->child, at, r->x, r->point_x, p->child);
    v = ct_vec_add(pool, ct_steps_vector(b, v),
                   turned(b, p->child, frame, ct_steps_vector(b, arm)));
    ct_affine a = ct_steps_affine(b, v, &u);
    ct_vec3 normal = r->kind == CT_RELATION_DOT ? ct_turn(b->layout, r->axis_k, r->k, frame)
                                                : ct_steps_normal(b, r, frame);
    if (!u.turn && ct_steps_slide_on_line(b, s, r, frame, &u, &a)) return;
    switch (r->kind) {
    case CT_RELATION_POINT:
    case CT_RELATION_AXIS:
        solve_vector(b, s, &u, &a);
        psi = across(b, p->child, ct_steps_joint(b, p->joint), r, frame, k);
        break;
    case CT_RELATION_DISTANCE: {
        by_product left = solve_distance(b, s, &u, &a, ct_steps_length2(b, r), guided, &psi);
        if (left.along != CT_ZERO) remember(b, p, r, &a, left.along, left.across);
        break;
    }
    case CT_RELATION_PLANE_X: {
        if (!u.turn) {
            solve_plane(b, s, &u, &a, ct_steps_vector(b, normal), r->value, guided, &psi);
            break;
        }
        // (R n) . (R r - w) = n . r - (R n) . w
        ct_vec3 n = ct_turn(b->layout, r->axis_x, r->x, p->child),
                w = ct_steps_path(b, p->child, at, r->k, r->point_k, frame);
        ct_affine nx = ct_steps_affine(b, turned(b, p->child, frame, ct_steps_vector(b, n)), &u);
        ct_ex value = ct_sub(pool, ct_steps_replace(b, dot(b, n, arm)), r->value);
        solve_plane(b, s, &u, &nx, ct_steps_vector(b, w), value, guided, &psi);
        break;
    }
    default: solve_plane(b, s, &u, &a, ct_steps_vector(b, normal), r->value, guided, &psi);
    }
    ct_steps_block(b, 1, &k, &psi);
}

static void relative(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    int k = ct_steps_coordinate(b, p->unknown[0]), frame = p->parent;
    const ct_relation *x = p->pin, *y = p->pin + 1;
    ct_unknown u = {.coordinate = k, .turn = b->f->is_angle[k]};
    if (u.turn) {
        ct_steps_form(b, ct_rotation(b->layout, p->parent, p->child), b->f->q[k], false, &u.form);
        ct_forms_pair(b->forms, u.form, &u.c, &u.s);
    } else {
        u.c = ct_forms_slide(b->forms, k);
    }
    ct_segment *s = ct_steps_segment(
        b, CT_STEP_QUADRATIC, 2, p->joint, 1, &k,
        ct_format("distance between '%s' and '%s'", ct_steps_source(b, x), ct_steps_source(b, y)));
    ct_vec3 v = ct_steps_path(b, x->x, x->point_x, y->x, y->point_x, frame);
    ct_vec3 w = ct_steps_path(b, x->k, x->point_k, y->k, y->point_k, b->root);
    ct_affine a = ct_steps_affine(b, ct_steps_vector(b, v), &u);
    ct_vec3 wv = let_vec(b, ct_steps_vector(b, w));
    ct_ex psi = ct_mul(pool, ct_rational(pool, 1, 2), ct_sub(pool, dot(b, v, v), dot(b, w, w)));
    bool guided = ct_relation_is_guided(x) || ct_relation_is_guided(y);
    solve_distance(b, s, &u, &a, let(b, dot(b, wv, wv)), guided, &psi);
    ct_steps_block(b, 1, &k, &psi);
}

// Slide and angle of a cylindrical joint from a point: along the axis, then about it. From a line
// that holds the point: about the axis, then along it.
static void cylinder(const ct_steps *b, const ct_placement *p) {
    const ct_relation *r = p->relation;
    int k[2], frame = p->parent;
    for (int i = 0; i < 2; i++) k[i] = ct_steps_coordinate(b, p->unknown[i]);
    if (b->f->is_angle[k[0]]) {
        int t = k[0];
        k[0] = k[1];
        k[1] = t;
    }
    ct_unknown slide = {.coordinate = k[0], .c = ct_forms_slide(b->forms, k[0])},
               turn = {.coordinate = k[1], .turn = true};
    ct_steps_form(b, ct_rotation(b->layout, frame, p->child), b->f->q[k[1]], false, &turn.form);
    ct_forms_pair(b->forms, turn.form, &turn.c, &turn.s);
    int degree = r->kind == CT_RELATION_POINT ? 1 : 2;
    ct_segment *s = ct_steps_segment(b, degree == 1 ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, degree,
                                     p->joint, 2, k, describe(b, r));
    // from k to the parent's end of the axis, along it, and then the arm that turns about it
    const ct_connection *c = ct_steps_joint(b, p->joint);
    bool forward = c->body[1] == p->child;
    ct_vec3 base = ct_steps_path(b, r->k, r->point_k, frame, c->at[!forward], frame),
            arm = ct_steps_path(b, p->child, c->at[forward], r->x, r->point_x, p->child),
            axis = ct_mat_vec(b->pool, c->orient[!forward], c->direction[0]);
    if (!forward) axis = ct_vec_neg(b->pool, axis);
    ct_affine by_turn =
        ct_steps_affine(b, turned(b, p->child, frame, let_vec(b, ct_steps_vector(b, arm))), &turn);
    by_turn.rest = let_vec(b, ct_vec_add(b->pool, ct_steps_vector(b, base), by_turn.rest));
    if (r->line) {
        ct_steps_cylinder_on_line(b, r, s, frame, &slide, &turn, &by_turn, axis);
        return;
    }
    ct_affine by_slide = {.rest = by_turn.rest, .cosine = axis};
    solve_vector(b, s, &slide, &by_slide);
    solve_vector(b, s, &turn, &by_turn);
    ct_ex psi[2] = {across(b, p->child, c, r, frame, k[0]), across(b, p->child, c, r, frame, k[1])};
    ct_steps_block(b, 2, k, psi);
}

// A screw with a point on its axis that is at a known place or in a plane. With the axis u, the lead
// h per radian, the way w from k to where the axis begins and the point at l along the axis
//   u . (w + (h q + l) u) = 0,   or   n . (w + (h q + l) u) = value
static void screw(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    const ct_relation *r = p->relation;
    const ct_connection *c = ct_steps_joint(b, p->joint);
    bool forward = c->body[1] == p->child, plane = r->kind == CT_RELATION_PLANE_K;
    int k = ct_steps_coordinate(b, p->unknown[0]);
    ct_segment *s =
        ct_steps_segment(b, CT_STEP_LINEAR, 1, p->joint, 1, &k,
                         ct_format("turn of %s from '%s' along its axis",
                                   b->f->model->bodies[p->child].name, ct_steps_source(b, r)));
    // u, w and h in the frame of the parent, l in that of the child
    ct_vec3 axis = ct_mat_vec(pool, c->orient[!forward], c->axis[0]),
            own = ct_mat_vec(pool, c->orient[forward], c->axis[0]),
            way = ct_steps_path(b, r->k, r->point_k, p->parent, c->at[!forward], p->parent);
    ct_ex lead = ct_vec_dot(pool, c->axis[0], c->direction[0]);
    if (!forward) lead = ct_neg(pool, lead);
    ct_ex past = ct_vec_dot(pool, own, ct_vec_sub(pool, r->point_x, c->at[forward]));
    // q = -(u . w + l) / h, or -((n . w - value) / (n . u) + l) / h with a pivot that may vanish
    ct_ex along = ct_vec_dot(pool, axis, way);
    if (plane) {
        ct_vec3 normal = ct_steps_normal(b, r, p->parent);
        ct_ex pivot = ct_vec_dot(pool, normal, axis);
        ct_steps_pivot(b, s, ct_power_int(pool, ct_steps_replace(b, pivot), 2));
        along = ct_div(pool, ct_sub(pool, ct_vec_dot(pool, normal, way), r->value), pivot);
    }
    ct_ex turn = ct_neg(pool, ct_div(pool, ct_add(pool, along, past), lead)),
          value = let(b, ct_steps_replace(b, turn)),
          psi = plane ? ct_steps_psi(b, r, p->parent) : ct_sub(pool, b->f->q[k], turn);
    ct_steps_set(b, s, b->f->q[k], ct_cos(pool, value), ct_sin(pool, value));
    ct_steps_block(b, 1, &k, &psi);
}

void ct_steps_one_axis(const ct_steps *b, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_RELATIVE: relative(b, p); break;
    case CT_PLACE_CYLINDER: cylinder(b, p); break;
    case CT_PLACE_SCREW: screw(b, p); break;
    default: one_coordinate(b, p);
    }
}
