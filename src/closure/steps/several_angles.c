// Several angles of one joint: two from a point (the direction of an arm), or three from two
// vectors (a whole orientation, which may be that of a ball).
#include "closure/steps/builder.h"
#include "closure/tolerances.h"
#include "formulate/ball.h"

#include <math.h>

static ct_ex dot(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(b->pool, a, c);
}
static ct_vec3 cross(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_cross(b->pool, a, c);
}
static ct_vec3 let_vec(const ct_steps *b, ct_vec3 a) {
    return ct_vec_let(b->pool, a);
}
static ct_vec3 scale(const ct_steps *b, ct_ex k, ct_vec3 a) {
    return ct_vec_scale(b->pool, k, a);
}

static ct_mat3 replaced(const ct_steps *b, ct_mat3 m) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m.a[i][j] = ct_steps_replace(b, m.a[i][j]);
    return m;
}

// equations across an arm ------------------------------------------------------------------------
static bool swings(const ct_steps *b, ct_vec3 v) {
    for (int k = 0; k < 3 * b->f->n; k++)
        if (b->f->is_angle[k / 3] && ct_depends(b->pool, v.v[k % 3], b->f->q[k / 3])) return true;
    return false;
}

// Two directions in the child across a vector in it. `second`: where the vector swings in the child
// (known joints lie between), something that it never is parallel to.
static void across_both(const ct_steps *b, ct_vec3 r, const double *r0, const ct_vec3 *second,
                        ct_vec3 *t1, ct_vec3 *t2) {
    int zeros = 0, axis[3] = {0};
    for (int i = 0; i < 3; i++)
        if (r.v[i] == CT_ZERO) axis[zeros++] = i;
    if (zeros == 2) {
        *t1 = ct_vec_unit(axis[0]);
        *t2 = ct_vec_unit(axis[1]);
        return;
    }
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(r0[i]) < fabs(r0[least])) least = i;
    *t1 = cross(b, r, second && swings(b, r) ? *second : ct_vec_unit(least));
    *t2 = cross(b, r, *t1);
}

static void numbers_of(const ct_steps *b, ct_vec3 v, double *out) {
    ct_numbers x;
    ct_model_numbers(b->f->model, &x);
    ct_numbers_set(&x, b->f->n, b->f->q, b->q0);
    for (int i = 0; i < 3; i++) v.v[i] = ct_forms_in_angles(b->forms, v.v[i]);
    ct_numbers_eval(&x, 3, v.v, out);
    ct_numbers_clear(&x);
}

// Components of a vector relation across the arm: t . R^T way, two of them. Of points, those of the
// gap that is left between them, with the directions frozen: where the gap is zero their change
// does not matter. `second`: where the arm swings in the child, something it is never parallel to.
static void across(const ct_steps *b, const ct_placement *p, const ct_relation *r, ct_vec3 arm,
                   ct_vec3 way, const ct_vec3 *second, ct_ex *psi) {
    ct_vec3 t[2];
    double r0[3];
    numbers_of(b, arm, r0);
    across_both(b, arm, r0, second, t, t + 1);
    if (r->kind != CT_RELATION_POINT) {
        ct_vec3 seen = ct_turn(b->layout, way, p->parent, p->child);
        for (int i = 0; i < 2; i++) psi[i] = dot(b, t[i], seen);
        return;
    }
    ct_vec3 gap = ct_steps_between(b, r->k, r->point_k, r->x, r->point_x, b->root);
    for (int i = 0; i < 2; i++) {
        ct_vec3 along = ct_turn(b->layout, t[i], p->child, b->root);
        for (int k = 0; k < 3; k++) along.v[k] = ct_steps_frozen(b, along.v[k]);
        psi[i] = dot(b, along, gap);
    }
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

static chain chain_of(const ct_steps *b, int joint, int child) {
    const ct_connection *c = ct_steps_joint(b, joint);
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
        for (int q = 0; q < b->f->n; q++)
            if (b->f->q[q] == c->angle[k]) h.coordinate[i] = q;
    }
    return h;
}

static ct_ex angle_of(const ct_steps *b, const chain *h, int i) {
    ct_ex q = b->f->q[h->coordinate[i]];
    return h->minus ? ct_neg(b->pool, q) : q;
}

static ct_mat3 turn_of(const ct_steps *b, const chain *h, int i) {
    return ct_mat_rotation(b->pool, h->axis[i], angle_of(b, h, i));
}

static ct_unknown unknown_turn(const ct_steps *b, const chain *h, int i) {
    ct_unknown u = {.coordinate = h->coordinate[i], .turn = true};
    u.form = b->f->q[u.coordinate];
    ct_forms_pair(b->forms, u.form, &u.c, &u.s);
    return u;
}

// The frame in which the turn about the outer axis, with those about parallel axes before it, is a
// single angle; what stands before the turn, seen from there.
static ct_mat3 outer_frame(const ct_steps *b, const chain *h, int outer, ct_mat3 before, int *frame,
                           ct_unknown *o) {
    ct_pool *pool = b->pool;
    int parent = *frame;
    ct_mat3 best = before, turn = turn_of(b, h, outer);
    ct_ex q = b->f->q[o->coordinate];
    ct_steps_form(b, ct_mat_mul(pool, before, turn), q, false, &o->form);
    for (int body = parent; body != b->root && b->layout->parent[CT_ROTATION][body] >= 0;) {
        body = b->layout->parent[CT_ROTATION][body];
        ct_mat3 wider = ct_mat_mul(pool, ct_rotation(b->layout, body, parent), before);
        ct_ex form;
        if (!ct_steps_form(b, ct_mat_mul(pool, wider, turn), q, true, &form)) break;
        best = wider;
        *frame = body;
        o->form = form;
    }
    ct_forms_pair(b->forms, o->form, &o->c, &o->s);
    return best;
}

// Where the arm has to point, and the frame for that: the parent's, where the step that placed it
// left this vector behind; else as far up as the axes before the outer turn are parallel to it.
static ct_vec3 target(const ct_steps *b, const ct_placement *p, const chain *h, int outer,
                      ct_mat3 *before, ct_unknown *o) {
    const ct_relation *r = p->relation;
    int frame = p->parent;
    for (int i = 0; i < b->notes->n_seen && r->kind == CT_RELATION_POINT; i++) {
        const ct_seen *s = b->notes->seen + i;
        if (s->body != p->parent || s->k != r->k || !ct_vec_same(s->point, h->at_parent) ||
            !ct_vec_same(s->point_k, r->point_k))
            continue;
        ct_steps_form(b, ct_mat_mul(b->pool, *before, turn_of(b, h, outer)), b->f->q[o->coordinate],
                      false, &o->form);
        ct_forms_pair(b->forms, o->form, &o->c, &o->s);
        return let_vec(b, ct_vec_neg(b->pool, s->v));
    }
    *before = outer_frame(b, h, outer, *before, &frame, o);
    ct_vec3 w = r->kind == CT_RELATION_AXIS
                    ? ct_turn(b->layout, r->axis_k, r->k, frame)
                    : ct_steps_path(b, p->parent, h->at_parent, r->k, r->point_k, frame);
    return let_vec(b, ct_steps_vector(b, w));
}

// The axis of a turn, in the frame of the child.
static ct_vec3 inner_axis(const ct_steps *b, const chain *h, int inner) {
    ct_vec3 axis = h->axis[inner];
    for (int i = inner + 1; i < h->n; i++)
        axis = ct_mat_transpose_vec(b->pool, turn_of(b, h, i), axis);
    return ct_mat_vec(b->pool, h->after, axis);
}

static void direction(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    chain h = chain_of(b, p->joint, p->child);
    int k[2], outer = -1, inner = -1;
    for (int i = 0; i < 2; i++) k[i] = ct_steps_coordinate(b, p->unknown[i]);
    for (int i = 0; i < h.n; i++)
        if (h.coordinate[i] == k[0] || h.coordinate[i] == k[1]) {
            if (outer < 0)
                outer = i;
            else
                inner = i;
        }
    ct_vec3 arm, way;
    ct_steps_vectors(b, p, p->relation, p->parent, &arm, &way);
    ct_ex psi[2];
    ct_vec3 axis_in = inner_axis(b, &h, inner);
    across(b, p, p->relation, arm, way, &axis_in, psi);
    ct_segment *s = ct_steps_segment(b, CT_STEP_QUADRATIC, 2, p->joint, 2, k,
                                     ct_format("direction of %s towards '%s'",
                                               b->f->model->bodies[p->child].name,
                                               ct_steps_source(b, p->relation)));
    // what is known of the joint's turns goes to the sides
    ct_mat3 before = h.before;
    ct_vec3 r = ct_mat_transpose_vec(pool, h.after, arm);
    for (int i = 0; i < outer; i++) before = ct_mat_mul(pool, before, turn_of(b, &h, i));
    for (int i = h.n - 1; i > inner; i--) r = ct_mat_vec(pool, turn_of(b, &h, i), r);
    r = ct_steps_vector(b, r);
    ct_mat3 middle = ct_mat3_identity();
    for (int i = outer + 1; i < inner; i++) middle = ct_mat_mul(pool, middle, turn_of(b, &h, i));
    middle = replaced(b, middle);
    ct_unknown u = unknown_turn(b, &h, inner),
               o = {.coordinate = h.coordinate[outer], .turn = true};
    ct_vec3 w = target(b, p, &h, outer, &before, &o);
    // inner angle: the component along the outer axis does not see the outer angle
    ct_vec3 y = ct_steps_vector(b, ct_mat_vec(pool, turn_of(b, &h, inner), r)),
            axis = ct_steps_vector(b, ct_mat_vec(pool, before, h.axis[outer]));
    ct_affine a = ct_steps_affine(b, y, &u);
    ct_vec3 seen = ct_mat_transpose_vec(pool, middle, h.axis[outer]);
    ct_ex c, sn;
    ct_steps_trig(b, s, &u, dot(b, seen, a.cosine), dot(b, seen, a.sine),
                  ct_sub(pool, dot(b, axis, w), dot(b, seen, a.rest)), &c, &sn);
    ct_steps_set(b, s, u.form, c, sn);
    // outer angle: linear
    s = ct_steps_more(b);
    ct_mat3 whole = replaced(b, ct_mat_mul(pool, before, turn_of(b, &h, outer)));
    ct_affine t = ct_steps_affine(b, ct_mat_vec(pool, whole, ct_mat_vec(pool, middle, y)), &o);
    ct_ex size = dot(b, t.cosine, t.cosine), over;
    if (ct_ex_op(pool, size) == CT_OP_SUM) size = ct_let(pool, size);
    over = ct_power_int(pool, size, -1);
    ct_ex tiny = ct_power_int(pool, ct_int(pool, 10), CT_GUARD_ARM);
    ct_steps_guard(s, ct_sub(pool, size, ct_mul(pool, tiny, dot(b, w, w))));
    ct_steps_set(b, s, o.form, ct_mul(pool, dot(b, t.cosine, w), over),
                 ct_mul(pool, dot(b, t.sine, w), over));
    ct_steps_block(b, 2, k, psi);
}

// three angles -----------------------------------------------------------------------------------
// Equations for the rates of three angles.
static void angle_rows(const ct_steps *b, const ct_placement *p, const ct_vec3 *arm,
                       const ct_vec3 *way, bool vector, ct_ex *psi) {
    across(b, p, p->relation, arm[0], way[0], arm + 1, psi);
    psi[2] = vector
                 ? dot(b, cross(b, arm[0], arm[1]), ct_turn(b->layout, way[1], p->parent, p->child))
                 : ct_steps_psi(b, p->relation + 1, p->parent);
}

// Equations for the spin of a ball, in the frame of its root: the gaps that two vectors leave,
// along directions across them that are not differentiated.
static void spin_rows(const ct_steps *b, const ct_placement *p, const ct_vec3 *arm,
                      const ct_vec3 *way, bool vector, ct_ex *psi) {
    ct_vec3 gap[2], along[2] = {arm[1], cross(b, arm[0], arm[1])};
    for (int i = 0; i < 2; i++) {
        const ct_relation *r = p->relation + i;
        gap[i] = r->kind == CT_RELATION_POINT
                     ? ct_steps_between(b, r->k, r->point_k, r->x, r->point_x, b->root)
                     : ct_vec_sub(b->pool, ct_turn(b->layout, arm[i], p->child, b->root), way[i]);
        along[i] = ct_turn(b->layout, along[i], p->child, b->root);
        for (int k = 0; k < 3; k++) along[i].v[k] = ct_steps_frozen(b, along[i].v[k]);
    }
    psi[0] = dot(b, along[0], gap[0]);
    psi[1] = dot(b, along[1], gap[0]);
    psi[2] = vector ? dot(b, along[1], gap[1]) : ct_steps_psi(b, p->relation + 1, b->root);
}

// The second vector where it is not given as such; arms and ways are replaced.
static ct_vec3 second_way(const ct_steps *b, ct_segment *s, const ct_placement *p, int frame,
                          const ct_vec3 *arm, const ct_vec3 *way, ct_vec3 now) {
    ct_pool *pool = b->pool;
    const ct_relation *r = p->relation + 1;
    ct_ex u2 = ct_let(pool, dot(b, arm[0], arm[0])), kw = ct_steps_replace(b, r->value),
          kx = ct_let(pool, dot(b, arm[1], arm[1]));
    ct_vec3 w = way[1];
    if (r->kind == CT_RELATION_DISTANCE)
        kw = ct_mul(
            pool, ct_rational(pool, 1, 2),
            ct_sum(pool, 3, (ct_ex[]){kx, dot(b, w, w), ct_neg(pool, ct_steps_length2(b, r))}));
    if (r->kind == CT_RELATION_PLANE_K) {
        ct_vec3 n = ct_steps_vector(b, ct_steps_normal(b, r, frame));
        kw = ct_add(pool, kw, dot(b, n, w));
        w = n;
    }
    // which side: by the vector where it is now
    ct_ex side = ct_steps_sign(b, dot(b, cross(b, way[0], w), now));
    return ct_steps_third(b, s, way[0], u2, dot(b, arm[0], arm[1]), w, kw, kx, side);
}

// R = [w1 w2 w1 x w2] [r1 r2 r1 x r2]^-1
static ct_mat3 rotation_of(const ct_steps *b, const ct_vec3 *known, const ct_vec3 *weight) {
    ct_mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex terms[3];
            for (int k = 0; k < 3; k++)
                terms[k] = ct_mul(b->pool, known[k].v[i], ct_let(b->pool, weight[k].v[j]));
            r.a[i][j] = ct_sum(b->pool, 3, terms);
        }
    return r;
}

// Two vectors fixed in a ball and what is across them are found; the others follow.
static void whole_ball(const ct_steps *b, const ct_placement *p, const ct_ball *ball, ct_segment *s,
                       const ct_vec3 *fixed, const ct_vec3 *known, const ct_vec3 *weight) {
    ct_ball_basis basis = {.segment = b->program->n}; // whole rotations stand outside iterations
    for (int i = 0; i < 3; i++) {
        basis.weight[i] = weight[i];
        basis.value[i] = ct_steps_vector(b, ct_turn(b->layout, fixed[i], p->child, b->root));
    }
    ct_forms_ball(b->forms, (int)(ball - b->f->balls), s, known, &basis);
    ct_steps_more(b)->step = -1; // part of no step
}

// The three angles of a ball's joint, for those who ask: what they need of signs and locks is no
// part of closing.
static void angles_of_ball(const ct_steps *b, const ct_connection *c, const int *k) {
    ct_closure *closure = b->closure;
    ct_segment *s = ct_steps_more(b);
    ct_steps_three_angles(b, s, c, replaced(b, ct_joint_rotation(b->layout, c)), k);
    for (int i = 0; i < s->n_guards; i++)
        *CT_PUSH(closure->late, closure->n_late, closure->room_late) = s->guards[i];
    s->n_guards = 0;
}

static void orientation(const ct_steps *b, const ct_placement *p) {
    ct_pool *pool = b->pool;
    const ct_connection *c = ct_steps_joint(b, p->joint);
    const ct_ball *ball = ct_ball_of_joint(b->f, p->joint);
    const ct_relation *r0 = p->relation, *r1 = p->relation + 1;
    int k[3], frame = ball ? b->root : p->parent;
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < b->f->n; q++)
            if (b->f->q[q] == c->angle[i]) k[i] = q;
    bool vector = r1->kind == CT_RELATION_POINT || r1->kind == CT_RELATION_AXIS;
    ct_vec3 arm[2], way[2];
    ct_steps_vectors(b, p, r0, frame, arm, way);
    ct_steps_vectors(b, p, r1, frame, arm + 1, way + 1);
    ct_ex psi[3];
    (ball ? spin_rows : angle_rows)(b, p, arm, way, vector, psi);
    ct_segment *s = ct_steps_segment(
        b, vector ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, vector ? 1 : 2, p->joint, 3, k,
        ct_format("orientation of %s from '%s' and '%s'", b->f->model->bodies[p->child].name,
                  ct_steps_source(b, r0), ct_steps_source(b, r1)));
    ct_vec3 fixed[3] = {arm[0], arm[1], cross(b, arm[0], arm[1])},
            now = ct_steps_vector(b, ct_turn(b->layout, arm[1], p->child, frame));
    for (int i = 0; i < 2; i++) {
        arm[i] = let_vec(b, ct_steps_vector(b, arm[i]));
        way[i] = let_vec(b, ct_steps_vector(b, way[i]));
    }
    if (!vector) way[1] = second_way(b, s, p, frame, arm, way, now);
    ct_vec3 r3 = cross(b, arm[0], arm[1]),
            known[3] = {way[0], way[1], let_vec(b, cross(b, way[0], way[1]))};
    ct_ex over = ct_power_int(pool, dot(b, r3, r3), -1);
    ct_vec3 weight[3] = {scale(b, over, cross(b, arm[1], r3)), scale(b, over, cross(b, r3, arm[0])),
                         scale(b, over, r3)};
    if (ball) {
        whole_ball(b, p, ball, s, fixed, known, weight);
        angles_of_ball(b, c, k);
    } else {
        ct_mat3 rotation = rotation_of(b, known, weight);
        if (c->body[1] != p->child) rotation = ct_mat_transpose(rotation);
        rotation = ct_mat_mul(pool, ct_mat_transpose(c->orient[0]), rotation);
        rotation = ct_mat_mul(pool, rotation, c->orient[1]);
        ct_steps_three_angles(b, s, c, rotation, k);
    }
    ct_steps_block(b, 3, k, psi);
}

void ct_steps_several_angles(const ct_steps *b, const ct_placement *p) {
    if (p->kind == CT_PLACE_DIRECTION)
        direction(b, p);
    else
        orientation(b, p);
}
