// Natural coordinates of a mechanism: bodies are placed one after the other, first those that have most
// in common with placed ones. A revolute joint gives a point and an axis, a ball a point, a slide the
// whole orientation. What is missing are new points and vectors, where possible those of joints to
// bodies that follow: a bar between two joints is two points.
#include "formulate/natural/natural.h"
#include "formulate/tolerances.h"

#include <math.h>

static bool joins(const ct_joint *joint) {
    return ct_joint_has_coordinates(joint->type) && !joint->is_virtual;
}

// The side of a joint that a body is on; -1: none.
static int side_of(const ct_joint *joint, int body) {
    return !joins(joint) ? -1 : joint->body[0] == body ? 0 : joint->body[1] == body ? 1 : -1;
}

static ct_vec3 axis_of(const ct_layout *l, const ct_joint *joint, int side) {
    return ct_mat_vec(l->pool, joint->orient[side], joint->axis[0]);
}

static ct_vec3 point_of(const ct_layout *l, const ct_joint *joint, int side) {
    return ct_from_com(l, joint->body[side], joint->at[side]);
}

// Elements that a body has in common with placed ones.
static int in_common(const ct_natural_builder *b, int body) {
    const ct_model *m = b->l->model;
    int n = 0;
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        const int side = side_of(j, body);
        if (side < 0 || !b->is_placed[j->body[1 - side]]) continue;
        const ct_joint_traits *t = ct_joint_traits_of(j->type);
        n += (t->holds == CT_HOLDS_POINT) + (t->keeps == CT_KEEPS_AXIS) +
             3 * (t->keeps == CT_KEEPS_FRAME);
    }
    return n;
}

static int next_body(const ct_natural_builder *b) {
    int best = -1, most = -1;
    for (int i = 1; i < b->l->n_bodies; i++) {
        const int n = b->is_placed[i] ? -1 : in_common(b, i);
        if (n > most) most = n, best = i;
    }
    return best;
}

// what is there ------------------------------------------------------------------------------------
// True if the body knows the element already, from where the other body has it.
static bool is_known(ct_natural_builder *b, int body, const ct_element *e) {
    const ct_natural_body *x = b->natural->bodies + body;
    for (int i = 0; i < x->n; i++) {
        const ct_element *k = x->elements + i;
        if (k->is_point == e->is_point && ct_vec_same(k->world, e->world) &&
            ct_element_matches(b, k->own, e->own, k->is_point))
            return true;
    }
    return false;
}

// An element of the other body of a joint, as an element of this one.
static bool share(ct_natural_builder *b, ct_natural_frame *frame, ct_element e, ct_vec3 own) {
    e.own = own;
    for (int i = 0; i < 3; i++) e.number[i] = ct_model_number(b->l->model, own.v[i]);
    if (is_known(b, frame->body, &e)) return true;
    if (!ct_frame_takes(b, frame, e, CT_NATURAL_SHARED)) return false;
    ct_element_add(b, frame->body, e);
    return true;
}

// The normal of a plane mechanism, which each body keeps.
static void share_plane(ct_natural_builder *b, ct_natural_frame *frame) {
    const ct_layout *l = b->l;
    if (l->normal < 0) return;
    ct_element n = ct_element_vector(b, 0, ct_vec_unit(l->normal));
    share(b, frame, n, ct_mat_transpose_vec(l->pool, l->rotation0[frame->body], n.world));
}

// A body that slides on another one turns with it, R_B = R_A O_A O_B^T; so do vectors that are known.
static void share_frame(ct_natural_builder *b, ct_natural_frame *frame, const ct_joint *joint,
                        int side) {
    ct_pool *pool = b->l->pool;
    const ct_natural_body *other = b->natural->bodies + joint->body[1 - side];
    ct_mat3 turn = ct_mat_mul(pool, joint->orient[1 - side], ct_mat_transpose(joint->orient[side]));
    frame->turns_with = true;
    frame->rotation = ct_mat_mul(pool, other->rotation, turn);
    for (int i = 0; i < other->n; i++) {
        ct_element e = other->elements[i];
        if (e.is_point) continue;
        e.own = ct_mat_transpose_vec(pool, turn, e.own);
        e.source = joint->body[1 - side];
        for (int k = 0; k < 3; k++) e.number[k] = ct_model_number(b->l->model, e.own.v[k]);
        if (!is_known(b, frame->body, &e)) ct_element_add(b, frame->body, e);
    }
}

// What joints to placed bodies give. Frames come first, then axes that are fixed in ground, other axes,
// points.
static void gather(ct_natural_builder *b, ct_natural_frame *frame) {
    enum { FRAMES, FIXED, AXES, POINTS, PASSES };
    const ct_layout *l = b->l;
    ct_natural *x = b->natural;
    // the normal of the plane, then joints to placed bodies, kind by kind
    share_plane(b, frame);
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < l->model->n_joints; i++) {
            const ct_joint *j = l->model->joints + i;
            const int side = side_of(j, frame->body), other = side < 0 ? -1 : j->body[1 - side];
            if (side < 0 || !b->is_placed[other]) continue;
            const ct_joint_traits *t = ct_joint_traits_of(j->type);
            // the whole orientation of one body
            if (pass == FRAMES && t->keeps == CT_KEEPS_FRAME && !frame->turns_with) {
                share_frame(b, frame, j, side);
                x->shares_turn[i] = true;
            }
            // axes; then points
            if ((pass == FIXED || pass == AXES) && t->keeps == CT_KEEPS_AXIS) {
                ct_element e = ct_element_vector(b, other, axis_of(l, j, 1 - side));
                if (ct_element_is_fixed(l, e.world) == (pass == FIXED))
                    x->shares_turn[i] = share(b, frame, e, axis_of(l, j, side));
            }
            if (pass == POINTS && t->holds == CT_HOLDS_POINT)
                x->shares_point[i] =
                    share(b, frame, ct_element_point(b, other, point_of(l, j, 1 - side)),
                          point_of(l, j, side));
        }
}

// what is new --------------------------------------------------------------------------------------
// Returns true if the frame has taken the new element.
static bool add_new(ct_natural_builder *b, ct_natural_frame *frame, bool is_point, ct_vec3 own,
                    double least) {
    // tried before it gets coordinates
    ct_natural_frame tried = *frame;
    ct_element e = {.is_point = is_point, .own = own, .source = -1};
    for (int i = 0; i < 3; i++) e.number[i] = ct_model_number(b->l->model, own.v[i]);
    e.world = ct_vec(ct_symbol(b->l->pool, CT_SYMBOL_OTHER, "trial"), CT_ZERO, CT_ZERO);
    if (!ct_frame_takes(b, &tried, e, least)) return false;
    e = ct_element_new(b, frame, is_point, own);
    ct_frame_takes(b, frame, e, least);
    ct_element_add(b, frame->body, e);
    return true;
}

// A point or axis of a joint to a body that follows.
static bool add_of_joints(ct_natural_builder *b, ct_natural_frame *frame) {
    const ct_layout *l = b->l;
    for (int i = 0; i < l->model->n_joints; i++) {
        const ct_joint *j = l->model->joints + i;
        const int side = side_of(j, frame->body);
        if (side < 0 || b->is_placed[j->body[1 - side]]) continue;
        const ct_joint_traits *t = ct_joint_traits_of(j->type);
        if ((t->holds == CT_HOLDS_POINT &&
             add_new(b, frame, true, point_of(l, j, side), CT_NATURAL_NEW)) ||
            (t->keeps == CT_KEEPS_AXIS &&
             add_new(b, frame, false, axis_of(l, j, side), CT_NATURAL_NEW)))
            return true;
    }
    return false;
}

// A unit vector across a fixed normal, or the axis of the body that is farthest from what is known.
static void add_own(ct_natural_builder *b, ct_natural_frame *frame) {
    ct_vec3 own = ct_vec3_zero(), other;
    if (frame->normal >= 0) {
        ct_vec_normals(b->l->model, frame->vector[frame->normal].own, &own, &other);
    } else {
        double best = -1;
        for (int i = 0; i < 3; i++) {
            double known = 0;
            for (int k = 0; k < frame->n_span; k++) known += frame->span[k][i] * frame->span[k][i];
            if (1 - known > best) best = 1 - known, own = ct_vec_unit(i);
        }
    }
    add_new(b, frame, false, own, 0);
}

static void place(ct_natural_builder *b, int body) {
    ct_natural_frame frame = {.body = body, .normal = -1};
    gather(b, &frame);
    // a point: the centre of mass; then directions
    if (!frame.has_point) add_new(b, &frame, true, ct_vec3_zero(), 0);
    while (!ct_frame_is_complete(&frame))
        if (!add_of_joints(b, &frame)) add_own(b, &frame);
    ct_frame_finish(b, &frame);
}

ct_natural *ct_natural_new(ct_layout *l) {
    const size_t bodies = (size_t)l->n_bodies, joints = (size_t)l->model->n_joints + 1;
    ct_arena *arena = &l->f->arena;
    ct_natural *x = ct_arena_alloc(arena, 1, sizeof *x);
    x->bodies = ct_arena_alloc(arena, bodies, sizeof *x->bodies);
    x->shares_point = ct_arena_alloc(arena, joints, sizeof *x->shares_point);
    x->shares_turn = ct_arena_alloc(arena, joints, sizeof *x->shares_turn);
    ct_natural_builder b = {.l = l,
                            .natural = x,
                            .is_placed = ct_scratch(bodies, sizeof(bool)),
                            .n_points = ct_scratch(bodies, sizeof(int)),
                            .n_vectors = ct_scratch(bodies, sizeof(int))};
    x->bodies[0].rotation = ct_mat3_identity();
    b.is_placed[0] = true;
    for (int body; (body = next_body(&b)) > 0;) place(&b, body);
    return x;
}

// in the layout ------------------------------------------------------------------------------------
void ct_natural_place(ct_layout *l) {
    ct_pool *pool = l->pool;
    const ct_ex half = ct_rational(pool, 1, 2);
    ct_derivation *time = ct_time_derivation(l->f);
    for (int i = 1; i < l->n_bodies; i++) {
        ct_natural_body *x = l->f->natural->bodies + i;
        // c' and w = sum R_k x R_k' / 2
        x->spin = ct_vec3_zero();
        for (int k = 0; k < 3; k++) x->velocity.v[k] = ct_derive(time, x->centre.v[k]);
        for (int k = 0; k < 3; k++) {
            ct_vec3 column = ct_vec(x->rotation.a[0][k], x->rotation.a[1][k], x->rotation.a[2][k]),
                    rate;
            for (int n = 0; n < 3; n++) rate.v[n] = ct_derive(time, column.v[n]);
            x->spin = ct_vec_add(pool, x->spin,
                                 ct_vec_scale(pool, half, ct_vec_cross(pool, column, rate)));
        }
        x->spin = ct_vec_let(pool, x->spin);
        // the body's own edge: slides along x, y, z
        ct_connection *c = l->connections + ct_graph_edge(l->f->graph, CT_EDGE_BODY, i);
        *c = (ct_connection){.body = {0, i}, .n_trans = 3, .natural = x};
        c->orient[0] = c->orient[1] = ct_mat3_identity();
        for (int k = 0; k < 3; k++) {
            c->direction[k] = ct_vec_unit(k);
            c->slide[k] = x->centre.v[k];
            c->slide_d[k] = x->velocity.v[k];
        }
    }
    ct_derivation_free(time);
}

ct_ex ct_natural_value(ct_layout *l, const ct_formulation *f, int k) {
    const ct_natural_coordinate *c = f->natural->coordinates + k;
    ct_vec3 world = c->is_point ? ct_position(l, c->body, c->own) : ct_turn(l, c->own, c->body, 0);
    return ct_vec_dot(l->pool, c->along, world);
}
