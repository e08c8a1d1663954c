// The frame of a body from its points and vectors: three directions that are not in one plane.
#include "formulate/natural/natural.h"
#include "formulate/tolerances.h"

#include <math.h>

// What is left of a direction without those that are known, of length 1 at first. Returns its length.
static double left_of(const ct_natural_frame *frame, const double *own, double *rest) {
    const double size = sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    for (int i = 0; i < 3; i++) rest[i] = size > 0 ? own[i] / size : 0;
    for (int k = 0; k < frame->n_span; k++) {
        const double *e = frame->span[k], dot = e[0] * rest[0] + e[1] * rest[1] + e[2] * rest[2];
        for (int i = 0; i < 3; i++) rest[i] -= dot * e[i];
    }
    return sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2]);
}

static void span(ct_natural_frame *frame, const double *rest, double length) {
    double *e = frame->span[frame->n_span++];
    for (int i = 0; i < 3; i++) e[i] = rest[i] / length;
}

// Beside a fixed normal n and w there is n x w.
static void complete_by_normal(ct_natural_frame *frame) {
    if (frame->normal < 0 || frame->n_span != 2) return;
    const double *a = frame->span[0], *c = frame->span[1];
    const double e[3] = {a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2],
                         a[0] * c[1] - a[1] * c[0]};
    span(frame, e, 1);
}

// The vector from the frame's point to another one; false if they are too near.
static bool vector_to(const ct_natural_builder *b, const ct_natural_frame *frame, ct_element *e) {
    ct_pool *pool = b->l->pool;
    const ct_element *from = &frame->point;
    double square = 0;
    e->world = ct_vec_sub(pool, e->world, from->world);
    e->own = ct_vec_sub(pool, e->own, from->own);
    e->source = e->source == from->source ? e->source : -1;
    for (int i = 0; i < 3; i++) {
        e->number[i] -= from->number[i];
        square += e->number[i] * e->number[i];
    }
    return sqrt(square) >= CT_NATURAL_NEAR * ct_typical_length(b->l->model);
}

bool ct_frame_takes(ct_natural_builder *b, ct_natural_frame *frame, ct_element e, double least) {
    double rest[3];
    if (e.is_point && !frame->has_point) {
        frame->point = e;
        frame->has_point = true;
        return true;
    }
    if (frame->turns_with || frame->n_span == 3) return false;
    if (e.is_point && !vector_to(b, frame, &e)) return false;
    const double length = left_of(frame, e.number, rest);
    if (!(length >= least)) return false;
    if (frame->normal < 0 && !e.is_point && ct_element_is_fixed(b->l, e.world))
        frame->normal = frame->n_vectors;
    frame->vector[frame->n_vectors++] = e;
    span(frame, rest, length);
    complete_by_normal(frame);
    return true;
}

bool ct_frame_is_complete(const ct_natural_frame *frame) {
    return frame->has_point && (frame->turns_with || frame->n_span == 3);
}

// rows --------------------------------------------------------------------------------------------
// w_i . w_j = b_i . b_j, squares halved.
static void shape_row(ct_natural_builder *b, const ct_natural_frame *frame, int i, int j) {
    ct_natural *x = b->natural;
    ct_pool *pool = b->l->pool;
    const ct_element *v = frame->vector + i, *w = frame->vector + j;
    ct_ex phi =
        ct_sub(pool, ct_vec_dot(pool, v->world, w->world), ct_vec_dot(pool, v->own, w->own));
    if (i == j) phi = ct_mul(pool, ct_rational(pool, 1, 2), phi);
    for (int k = 0; k < x->n_rows; k++)
        if (x->rows[k].phi == phi) return;
    *CT_PUSH(x->rows, x->n_rows, x->room_rows) =
        (ct_natural_row){phi, v->is_point + w->is_point, frame->body};
}

static void shape_rows(ct_natural_builder *b, const ct_natural_frame *frame) {
    for (int i = 0; i < frame->n_vectors; i++)
        for (int j = i; j < frame->n_vectors; j++) {
            const ct_element *v = frame->vector + i, *w = frame->vector + j;
            // what another body keeps, or the way in which an element was written
            if (v->source >= 0 && v->source == w->source) continue;
            if (ct_element_is_fixed(b->l, v->world) && ct_element_is_fixed(b->l, w->world) &&
                i == j)
                continue;
            if ((i == frame->normal && w->is_level) || (j == frame->normal && v->is_level))
                continue;
            shape_row(b, frame, i, j);
        }
}

// the frame ---------------------------------------------------------------------------------------
// Three vectors of the frame, n x w among them, in the body and in ground.
static void basis_of(ct_pool *pool, const ct_natural_frame *frame, ct_vec3 *own, ct_vec3 *world) {
    for (int i = 0; i < frame->n_vectors; i++) {
        own[i] = frame->vector[i].own;
        world[i] = frame->vector[i].world;
    }
    if (frame->n_vectors == 3) return;
    const int n = frame->normal;
    own[2] = ct_vec_cross(pool, own[n], own[1 - n]);
    world[2] = ct_vec_cross(pool, world[n], world[1 - n]);
}

// The volume of these vectors keeps its sign, whatever the parameters are.
static void note_volume(ct_natural_builder *b, int body, ct_ex volume) {
    const ct_model *model = b->l->model;
    if (!ct_ex_kinds(b->l->pool, volume)) return;
    const ct_condition_kind sign =
        ct_model_number(model, volume) > 0 ? CT_IS_POSITIVE : CT_IS_NEGATIVE;
    ct_formulation_condition(b->l->f, (ct_condition){sign, volume, 0, model->bodies[body].name});
}

// R = sum w_i d_i^T with the dual vectors d_1 = b_2 x b_3 / (b_1 . b_2 x b_3), ...
static ct_mat3 rotation_of(ct_natural_builder *b, const ct_natural_frame *frame) {
    ct_pool *pool = b->l->pool;
    ct_vec3 own[3], world[3], dual[3];
    ct_mat3 r;
    basis_of(pool, frame, own, world);
    for (int i = 0; i < 3; i++) dual[i] = ct_vec_cross(pool, own[(i + 1) % 3], own[(i + 2) % 3]);
    ct_ex volume = ct_vec_dot(pool, own[0], dual[0]), inverse = ct_power_int(pool, volume, -1);
    note_volume(b, frame->body, volume);
    for (int k = 0; k < 9; k++) {
        ct_ex terms[3];
        for (int i = 0; i < 3; i++)
            terms[i] = ct_product(pool, 3, (ct_ex[]){world[i].v[k / 3], dual[i].v[k % 3], inverse});
        r.a[k / 3][k % 3] = ct_sum(pool, 3, terms);
    }
    return r;
}

void ct_frame_finish(ct_natural_builder *b, ct_natural_frame *frame) {
    ct_pool *pool = b->l->pool;
    ct_natural_body *x = b->natural->bodies + frame->body;
    x->rotation = frame->turns_with ? frame->rotation : rotation_of(b, frame);
    x->centre =
        ct_vec_sub(pool, frame->point.world, ct_mat_vec(pool, x->rotation, frame->point.own));
    shape_rows(b, frame);
    b->is_placed[frame->body] = true;
}
