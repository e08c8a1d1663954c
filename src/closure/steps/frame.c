// A whole orientation from two vectors: three angles of one joint, or the vectors of a ball.
#include "closure/steps/builder.h"
#include "closure/tolerances.h"
#include "formulate/ball.h"

static ct_ex dot(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(b->pool, a, c);
}
static ct_vec3 cross(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_cross(b->pool, a, c);
}
static ct_vec3 scale(const ct_steps *b, ct_ex k, ct_vec3 a) {
    return ct_vec_scale(b->pool, k, a);
}
static ct_vec3 let_vec(const ct_steps *b, ct_vec3 a) {
    return ct_vec_let(b->pool, a);
}

// angles of a rotation ---------------------------------------------------------------------------
static int axis_index(ct_vec3 u) {
    return u.v[0] == CT_ONE ? 0 : u.v[1] == CT_ONE ? 1 : 2;
}

// sign: that of the middle cosine (or sine).
void ct_steps_three_angles(const ct_steps *b, ct_segment *s, const ct_connection *c, ct_mat3 r,
                           const int *coordinate) {
    ct_pool *pool = b->pool;
    int i = axis_index(c->axis[0]), j = axis_index(c->axis[1]), k = axis_index(c->axis[2]);
    bool proper = i == k;
    if (proper) k = 3 - i - j;
    ct_ex e = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1), minus_e = ct_neg(pool, e);
    ct_ex pair[3][2]; // cosine, sine
    for (int n = 0; n < 3; n++)
        ct_forms_pair(b->forms, b->f->q[coordinate[n]], &pair[n][0], &pair[n][1]);
    ct_ex first = proper ? r.a[i][j] : r.a[i][i], second = proper ? r.a[i][k] : r.a[i][j];
    first = ct_let(pool, first);
    second = ct_let(pool, second);
    ct_ex square =
        ct_let(pool, ct_add(pool, ct_power_int(pool, first, 2), ct_power_int(pool, second, 2)));
    ct_ex sign = ct_steps_sign(b, proper ? pair[1][1] : pair[1][0]);
    ct_ex root = ct_let(pool, ct_mul(pool, sign, ct_sqrt(pool, square)));
    ct_ex over = ct_let(pool, ct_power_int(pool, root, -1));
    ct_steps_guard(s, ct_sub(pool, square, ct_power_int(pool, ct_int(pool, 10), CT_GUARD_LOCK)));
    ct_ex cosine[3], sine[3];
    if (proper) {
        cosine[0] = ct_product(pool, 3, (ct_ex[]){minus_e, r.a[k][i], over});
        sine[0] = ct_mul(pool, r.a[j][i], over);
        cosine[1] = r.a[i][i];
        sine[1] = root;
        cosine[2] = ct_product(pool, 3, (ct_ex[]){e, second, over});
        sine[2] = ct_mul(pool, first, over);
    } else {
        cosine[0] = ct_mul(pool, r.a[k][k], over);
        sine[0] = ct_product(pool, 3, (ct_ex[]){minus_e, r.a[j][k], over});
        cosine[1] = root;
        sine[1] = ct_mul(pool, e, r.a[i][k]);
        cosine[2] = ct_mul(pool, first, over);
        sine[2] = ct_product(pool, 3, (ct_ex[]){minus_e, second, over});
    }
    for (int n = 0; n < 3; n++) ct_steps_set(b, s, b->f->q[coordinate[n]], cosine[n], sine[n]);
}

// Equations for the rates of three angles.
static void angle_rows(const ct_steps *b, const ct_placement *p, const ct_vec3 *arm,
                       const ct_vec3 *way, bool vector, ct_ex *psi) {
    ct_steps_across(b, p, p->relation, arm[0], way[0], arm + 1, psi);
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
    ct_ball_basis basis = {.segment = b->closure->positions.n};
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
    ct_steps_three_angles(b, s, c, ct_steps_matrix(b, ct_joint_rotation(b->layout, c)), k);
    for (int i = 0; i < s->n_guards; i++)
        *CT_PUSH(closure->late, closure->n_late, closure->room_late) = s->guards[i];
    s->n_guards = 0;
}

void ct_steps_frame(const ct_steps *b, const ct_placement *p) {
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
