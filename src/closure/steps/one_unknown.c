// One unknown at a time: a slide or an angle from one relation.
#include "closure/steps/builder.h"

#include <stdlib.h>
#include <string.h>

static ct_ex let(ct_steps *b, ct_ex a) {
    return ct_let(b->pool, a);
}

// A guard stops what has no root. Inside an iteration there may be none for a moment.
ct_ex ct_steps_root(ct_steps *b, ct_ex a) {
    ct_ex args[2] = {a, CT_ZERO};
    return ct_sqrt(b->pool, b->torn ? ct_apply(b->pool, CT_OP_MAX, args) : a);
}

// A parameter that is a factor of both.
static ct_ex common_factor(ct_pool *pool, ct_ex a, ct_ex b) {
    if (ct_ex_op(pool, a) != CT_OP_PRODUCT) return CT_ONE;
    for (int i = 1; i + 1 < ct_child_count(pool, a); i += 2) {
        ct_ex base = ct_child(pool, a, i);
        if (ct_child(pool, a, i + 1) != CT_ONE || ct_ex_op(pool, base) != CT_OP_SYMBOL ||
            ct_symbol_kind_of(pool, base) != CT_SYMBOL_PARAMETER)
            continue;
        ct_ex rest = ct_div(pool, b, base);
        if (b == CT_ZERO || !ct_depends(pool, rest, base)) return base;
    }
    return CT_ONE;
}

ct_ex ct_steps_trig(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb, ct_ex c,
                    ct_ex *cosine, ct_ex *sine) {
    ct_pool *pool = b->pool;
    ct_ex factor = common_factor(pool, a == CT_ZERO ? bb : a, a == CT_ZERO ? a : bb);
    a = ct_div(pool, a, factor);
    bb = ct_div(pool, bb, factor);
    c = ct_div(pool, c, factor);
    if (a == CT_ZERO || bb == CT_ZERO) { // the sine or the cosine is there at once
        ct_ex known = let(b, ct_div(pool, c, a == CT_ZERO ? bb : a));
        ct_ex square = let(b, ct_sub(pool, CT_ONE, ct_power_int(pool, known, 2)));
        ct_ex root = let(b, ct_mul(pool, ct_steps_sign(b, a == CT_ZERO ? u->c : u->s),
                                   ct_steps_root(b, square)));
        ct_steps_keep_clear(b, s, square, CT_ONE);
        *cosine = a == CT_ZERO ? root : known;
        *sine = a == CT_ZERO ? known : root;
        return ct_product(pool, 3, (ct_ex[]){a == CT_ZERO ? ct_neg(pool, bb) : a, root, factor});
    }
    a = let(b, a);
    bb = let(b, bb);
    c = let(b, c);
    ct_ex scale = let(b, ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, bb, 2)));
    ct_ex square = let(b, ct_sub(pool, scale, ct_power_int(pool, c, 2)));
    ct_ex sign = ct_steps_sign(b, ct_sub(pool, ct_mul(pool, a, u->s), ct_mul(pool, bb, u->c)));
    ct_ex root = let(b, ct_mul(pool, sign, ct_steps_root(b, square)));
    ct_ex over = ct_power_int(pool, scale, -1);
    ct_steps_keep_clear(b, s, square, scale);
    *cosine = ct_mul(pool, ct_sub(pool, ct_mul(pool, a, c), ct_mul(pool, bb, root)), over);
    *sine = ct_mul(pool, ct_add(pool, ct_mul(pool, bb, c), ct_mul(pool, a, root)), over);
    return ct_mul(pool, root, factor);
}

ct_ex ct_steps_square(ct_steps *b, ct_segment *s, ct_ex x, ct_ex h, ct_ex k) {
    ct_pool *pool = b->pool;
    h = let(b, h);
    ct_ex square = let(b, ct_sub(pool, ct_power_int(pool, h, 2), k));
    ct_ex sign = ct_steps_sign(b, ct_add(pool, x, h));
    ct_ex scale = ct_add(pool, ct_power_int(pool, h, 2), square);
    ct_steps_keep_clear(b, s, square, scale);
    return ct_sub(pool, ct_mul(pool, sign, ct_steps_root(b, square)), h);
}

static ct_vec3 let_vec(ct_steps *b, ct_vec3 v) {
    return ct_vec_let(b->pool, v);
}

// The sum of angles to solve for: as far up from the child as all axes stay parallel, so that the
// frame there sees a single angle.
bool ct_steps_form(ct_steps *b, ct_mat3 r, ct_ex q, bool alone, ct_ex *form) {
    *form = CT_ZERO;
    ct_ex *stack = NULL;
    int n = 0, room = 0;
    bool good = true;
    for (int i = 0; i < 9; i++) *CT_PUSH(stack, n, room) = (&r.a[0][0])[i];
    while (n && good) {
        ct_ex a = stack[--n];
        ct_op op = ct_ex_op(b->pool, a);
        if (op == CT_OP_SIN || op == CT_OP_COS) {
            ct_ex angle = ct_child(b->pool, a, 0);
            bool has = ct_depends(b->pool, angle, q);
            if (has && *form != CT_ZERO && *form != angle) good = false;
            if (!has && alone && (ct_ex_kinds(b->pool, angle) & ~(1u << CT_SYMBOL_PARAMETER)))
                good = false;
            if (has) *form = angle;
            continue;
        }
        for (int k = 0; k < ct_child_count(b->pool, a); k++)
            *CT_PUSH(stack, n, room) = ct_child(b->pool, a, k);
    }
    free(stack);
    return good && *form != CT_ZERO;
}

static int frame_above(ct_steps *b, int parent, int child, ct_ex q, ct_ex *form) {
    int frame = parent, body = parent;
    ct_steps_form(b, ct_rotation(&b->layout, parent, child), q, false, form);
    while (body != b->root && b->layout.parent[CT_ROTATION][body] >= 0) {
        body = b->layout.parent[CT_ROTATION][body];
        ct_ex wider;
        if (!ct_steps_form(b, ct_rotation(&b->layout, body, child), q, true, &wider)) break;
        frame = body;
        *form = wider;
    }
    return frame;
}

static ct_unknown find_unknown(ct_steps *b, int coordinate, int parent, int child, int *frame) {
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

static void set(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex cosine, ct_ex sine) {
    if (u->turn)
        ct_steps_set(b, s, u->form, cosine, sine);
    else
        ct_forms_set_slide(b->forms, s, u->coordinate, cosine);
}

static ct_ex dot(ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(b->pool, a, c);
}

// rest + C cosine + S sine = 0
static void solve_vector(ct_steps *b, ct_segment *s, const ct_unknown *u, const ct_affine *v) {
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

static by_product solve_distance(ct_steps *b, ct_segment *s, const ct_unknown *u,
                                 const ct_affine *v, ct_ex length2, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex square = ct_steps_dot(b, v->rest, v->rest);
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
    ct_ex a = ct_steps_dot(b, v->rest, v->cosine), bb = ct_steps_dot(b, v->rest, v->sine);
    if (b->guided || !ct_steps_component(b, s, u, a, bb, right, &c, &sn, psi)) {
        left.across = ct_steps_trig(b, s, u, a, bb, right, &c, &sn);
        left.along = right;
    }
    set(b, s, u, c, sn);
    return left;
}

// normal . (rest + C cosine + S sine) = value
static void solve_plane(ct_steps *b, ct_segment *s, const ct_unknown *u, const ct_affine *v,
                        ct_vec3 normal, ct_ex value, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex right = ct_sub(pool, ct_steps_replace(b, value), dot(b, normal, v->rest)), c,
          sn = CT_ZERO;
    ct_ex a = dot(b, normal, v->cosine), bb = dot(b, normal, v->sine);
    if (!u->turn) {
        ct_steps_pivot(b, s, ct_power_int(pool, a, 2));
        c = ct_div(pool, right, a);
    } else if (b->guided || !ct_steps_component(b, s, u, a, bb, right, &c, &sn, psi))
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
static ct_ex across(ct_steps *b, int child, const ct_connection *c, const ct_relation *r, int frame,
                    int k) {
    ct_pool *pool = b->pool;
    ct_ex q = b->f->q[k];
    ct_vec3 at = c->at[c->body[1] == child], arm, base;
    if (r->kind == CT_RELATION_AXIS) {
        arm = ct_turn(&b->layout, r->axis_x, r->x, frame);
        base = ct_turn(&b->layout, r->axis_k, r->k, frame);
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
static ct_vec3 turned(ct_steps *b, int from, int to, ct_vec3 v) {
    if (from == to) return v;
    ct_mat3 m = ct_rotation(&b->layout, to, from);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(b, m.a[i][j]);
    return ct_mat_vec(b->pool, m, v);
}

// The vector from k to x in the frame of the child: with e = R^T (C c + S s) its part across the
// axis that turns with the child, |e|^2 = d2, it is  e (along / d2 + 1) + (axis x e) (-across / d2)
// + axis (axis . rest). Only where the turn is the joint's alone and starts from the child's frame.
static void remember(ct_steps *b, const ct_placement *p, const ct_relation *r, const ct_affine *v,
                     ct_ex along, ct_ex across) {
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
    *CT_PUSH(b->seen, b->n_seen, b->room_seen) =
        (ct_seen){p->child, r->k, r->point_x, r->point_k, whole};
}

void ct_steps_one(ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    const ct_relation *r = p->relation;
    int k = ct_steps_coordinate(b, p->unknown[0]), frame;
    ct_unknown u = find_unknown(b, k, p->parent, p->child, &frame);
    int degree = degree_of(r, u.turn);
    ct_segment *s = ct_steps_segment(b, degree == 1 ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, degree,
                                     p->joint, 1, &k, describe(b, r));
    bool directions = r->kind == CT_RELATION_AXIS || r->kind == CT_RELATION_DOT;
    ct_ex psi = ct_steps_psi(b, r, frame);
    ct_vec3 v = ct_vec3_zero(), arm;
    const ct_connection *joint = ct_steps_joint(b, p->joint);
    ct_vec3 at = joint->at[joint->body[1] == p->child];
    if (r->kind == CT_RELATION_AXIS)
        v = ct_vec_neg(pool, ct_turn(&b->layout, r->axis_k, r->k, frame));
    else if (!directions)
        v = ct_steps_path(b, r->k, r->point_k, p->child, at, frame);
    // what turns with the child is written in its own frame first: inside it nothing turns with the
    // unknown
    arm = directions ? ct_turn(&b->layout, r->axis_x, r->x, p->child)
                     : ct_steps_path(b, p->child, at, r->x, r->point_x, p->child);
    v = ct_vec_add(pool, ct_steps_vector(b, v),
                   turned(b, p->child, frame, ct_steps_vector(b, arm)));
    ct_affine a = ct_steps_affine(b, v, &u);
    ct_vec3 normal = r->kind == CT_RELATION_DOT ? ct_turn(&b->layout, r->axis_k, r->k, frame)
                                                : ct_steps_normal(b, r, frame);
    if (!u.turn && ct_steps_on_line(b, r, frame, a.cosine)) {
        set(b, s, &u, ct_steps_slide_on_line(b, s, r, frame, a.rest, a.cosine), CT_ZERO);
        psi = ct_steps_line_psi(b, r, frame, b->f->q[k]);
        ct_steps_block(b, 1, &k, &psi);
        return;
    }
    switch (r->kind) {
    case CT_RELATION_POINT:
    case CT_RELATION_AXIS:
        solve_vector(b, s, &u, &a);
        psi = across(b, p->child, ct_steps_joint(b, p->joint), r, frame, k);
        break;
    case CT_RELATION_DISTANCE: {
        b->guided = r->joint < 0;
        by_product left = solve_distance(b, s, &u, &a, ct_steps_length2(b, r), &psi);
        if (left.along != CT_ZERO) remember(b, p, r, &a, left.along, left.across);
        break;
    }
    case CT_RELATION_PLANE_X: {
        if (!u.turn) {
            solve_plane(b, s, &u, &a, ct_steps_vector(b, normal), r->value, &psi);
            break;
        }
        // (R n) . (R r - w) = n . r - (R n) . w
        ct_vec3 n = ct_turn(&b->layout, r->axis_x, r->x, p->child),
                w = ct_steps_path(b, p->child, at, r->k, r->point_k, frame);
        ct_affine nx = ct_steps_affine(b, turned(b, p->child, frame, ct_steps_vector(b, n)), &u);
        ct_ex value = ct_sub(pool, ct_steps_replace(b, dot(b, n, arm)), r->value);
        solve_plane(b, s, &u, &nx, ct_steps_vector(b, w), value, &psi);
        break;
    }
    default: solve_plane(b, s, &u, &a, ct_steps_vector(b, normal), r->value, &psi);
    }
    ct_steps_block(b, 1, &k, &psi);
}

void ct_steps_relative(ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    int k = ct_steps_coordinate(b, p->unknown[0]), frame = p->parent;
    const ct_relation *x = p->pin, *y = p->pin + 1;
    ct_unknown u = {.coordinate = k, .turn = b->f->is_angle[k]};
    if (u.turn) {
        ct_steps_form(b, ct_rotation(&b->layout, p->parent, p->child), b->f->q[k], false, &u.form);
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
    b->guided = x->joint < 0 || y->joint < 0;
    solve_distance(b, s, &u, &a, let(b, dot(b, wv, wv)), &psi);
    ct_steps_block(b, 1, &k, &psi);
}

// Slide and angle of a cylindrical joint from a point: along the axis, then about it. From a line
// that holds the point: about the axis, then along it.
void ct_steps_cylinder(ct_steps *b, const ct_placement *p) {
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
    ct_steps_form(b, ct_rotation(&b->layout, frame, p->child), b->f->q[k[1]], false, &turn.form);
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
