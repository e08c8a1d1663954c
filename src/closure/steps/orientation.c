// Orientations: three angles of one joint, or a rotation that is kept whole, from a vector and a
// second relation. Poses: all coordinates of a body, a point of it first and its orientation about
// that point then. Example: a plate on six links, three of which meet in one of its points and two
// in another one: three spheres, two spheres and the distance of the points, one sphere.
#include "closure/steps/arms.h"
#include "closure/tolerances.h"
#include "formulate/whole_rotation.h"

// relations --------------------------------------------------------------------------------------
// Relations of a placement, in this order: those of a centre, those of a first vector, a second one.
typedef struct sources {
    const ct_relation *centre, *first, *second;
    int n_centre; // 0: the joint has a centre; 1: a point; 3: distances of one point
    int n_first;  // 1: a point, a direction or a line of the body; 2: distances of one point
    bool line;    // the first is a line
    bool vector;  // the second is a point or a direction: linear
} sources;

static sources sources_of(const ct_placement *p) {
    sources s = {.centre = p->relation};
    if (p->kind == CT_PLACE_POSE) s.n_centre = p->relation->kind == CT_RELATION_POINT ? 1 : 3;
    s.first = p->relation + s.n_centre;
    s.n_first = s.first->kind == CT_RELATION_DISTANCE ? 2 : 1;
    s.second = s.first + s.n_first;
    s.line = s.first->kind == CT_RELATION_PLANE_X;
    s.vector = s.second->kind == CT_RELATION_POINT || s.second->kind == CT_RELATION_AXIS;
    return s;
}

static bool is_direction(const ct_relation *r) {
    return r->kind == CT_RELATION_AXIS || r->kind == CT_RELATION_DOT || r->kind == CT_RELATION_SPIN;
}

// The point that the child turns about: on the child (x), and where it is, on a known body (k) or
// off its point by `place`, which is in values and in the frame of the step.
typedef struct centre {
    int x, k;
    ct_vec3 at_x, at_k, place;
} centre;

static centre centre_of(const ct_step_builder *build, const ct_placement *p, const sources *s) {
    const ct_connection *c = ct_steps_joint(build, p->joint);
    bool child = c->body[1] == p->child;
    if (s->n_centre)
        return (centre){s->centre->x, s->centre->k, s->centre->point_x, s->centre->point_k,
                        ct_vec3_zero()};
    return (centre){p->child, p->parent, c->at[child], c->at[!child], ct_vec3_zero()};
}

// R arm = way: both from the centre, or directions; arm in the child, way in the frame, both in
// coordinates. The place of the centre is left out of the way.
static void vectors(const ct_step_builder *build, const ct_placement *p, const centre *c,
                    const ct_relation *r, int frame, ct_vec3 *arm, ct_vec3 *way) {
    if (is_direction(r)) {
        *arm = ct_turn(build->layout, r->axis_x, r->x, p->child);
        *way = ct_turn(build->layout, r->axis_k, r->k, frame);
        return;
    }
    *arm = ct_steps_path(build, c->x, c->at_x, r->x, r->point_x, p->child);
    *way = ct_steps_path(build, c->k, c->at_k, r->k, r->point_k, frame);
}

// The way in values.
static ct_vec3 way_to(const ct_step_builder *build, const centre *c, const ct_relation *r,
                      ct_vec3 way) {
    way = ct_steps_vector(build, way);
    if (!is_direction(r)) way = ct_vec_sub(build->pool, way, c->place);
    return ct_steps_let(build, way);
}

// equations for the rates ------------------------------------------------------------------------
// Three angles by vectors: two components of the first across its arm, one of the second.
static void angle_rows(const ct_step_builder *build, const ct_placement *p, const ct_vec3 *arm,
                       const ct_vec3 *way, bool vector, ct_ex *psi) {
    ct_steps_across(build, p, p->relation, arm[0], way[0], arm + 1, psi);
    psi[2] = vector ? ct_steps_dot(build, ct_steps_cross(build, arm[0], arm[1]),
                                   ct_turn(build->layout, way[1], p->parent, p->child))
                    : ct_steps_psi(build, p->relation + 1, p->parent);
}

// What a vector relation leaves open, in the frame of the root.
static ct_vec3 gap_of(const ct_step_builder *build, const ct_relation *r) {
    if (r->kind == CT_RELATION_POINT)
        return ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, build->root);
    return ct_vec_sub(build->pool, ct_turn(build->layout, r->axis_x, r->x, build->root),
                      ct_turn(build->layout, r->axis_k, r->k, build->root));
}

// A direction of the child in the frame of the root, which is not differentiated.
static ct_vec3 frozen(const ct_step_builder *build, const ct_placement *p, ct_vec3 direction) {
    ct_vec3 along = ct_turn(build->layout, direction, p->child, build->root);
    for (int k = 0; k < 3; k++) along.v[k] = ct_steps_frozen(build, along.v[k]);
    return along;
}

// Rows of the first vector, in the frame of the root: of gaps the components along r2 and r1 x r2.
static void first_rows(const ct_step_builder *build, const sources *s, const ct_vec3 *along,
                       ct_ex *psi) {
    if (s->n_first == 2)
        for (int i = 0; i < 2; i++) psi[i] = ct_steps_psi(build, s->first + i, build->root);
    else if (s->line)
        ct_steps_line_rows(build, s->first, build->root, psi);
    else
        for (int i = 0; i < 2; i++) psi[i] = ct_steps_dot(build, along[i], gap_of(build, s->first));
}

// Rows of the centre, which a pose has. Returns how many.
static int centre_rows(const ct_step_builder *build, const sources *s, ct_ex *psi) {
    if (s->n_centre == 1) {
        ct_vec3 gap = gap_of(build, s->centre);
        for (int i = 0; i < 3; i++) psi[i] = gap.v[i];
        return 3;
    }
    for (int i = 0; i < s->n_centre; i++) psi[i] = ct_steps_psi(build, s->centre + i, build->root);
    return s->n_centre;
}

// All rows. Returns how many.
static int rows(const ct_step_builder *build, const ct_placement *p, const sources *s, bool whole,
                const ct_vec3 *arm, const ct_vec3 *way, ct_ex *psi) {
    bool plain = s->n_first == 1 && !s->line && !s->n_centre;
    if (plain && !whole) {
        angle_rows(build, p, arm, way, s->vector, psi);
        return 3;
    }
    int n = centre_rows(build, s, psi);
    ct_vec3 along[2];
    // directions of the child; of a line r1 changes there, and R r2 is in the plane of both ways
    if (!s->line) {
        along[0] = s->n_first == 1 ? frozen(build, p, arm[1]) : ct_vec3_zero();
        along[1] = frozen(build, p, ct_steps_cross(build, arm[0], arm[1]));
    }
    first_rows(build, s, along, psi + n);
    if (!s->vector)
        psi[n + 2] = ct_steps_psi(build, s->second, build->root);
    else if (!s->line)
        psi[n + 2] = ct_steps_dot(build, along[1], gap_of(build, s->second));
    else {
        int frame = whole ? build->root : p->parent;
        psi[n + 2] = ct_steps_dot(build, ct_turn(build->layout, arm[1], p->child, frame),
                                  ct_steps_cross(build, way[0], way[1]));
    }
    return n + 3;
}

// circles ----------------------------------------------------------------------------------------
// A vector x with x . w = k and |x|^2 = x2, turned about w by the angle of a swing or spin, which is
// zero towards u:  with t = w x u,
//   x = (k w + g (cos t x w + sin |w| t)) / w^2,   g^2 t^2 = x2 w^2 - k^2.
static ct_vec3 on_circle(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                         int frame, ct_vec3 w, ct_ex k, ct_ex x2) {
    ct_pool *pool = build->pool;
    ct_vec3 u = ct_steps_vector(build, ct_turn(build->layout, r->axis_k, r->k, frame)),
            t = ct_steps_let(build, ct_steps_cross(build, w, u));
    ct_ex w2 = ct_let(pool, ct_steps_dot(build, w, w)),
          t2 = ct_let(pool, ct_steps_dot(build, t, t)),
          c = ct_steps_replace(build, ct_cos(pool, r->value)),
          s = ct_steps_replace(build, ct_sin(pool, r->value));
    // the circle has a radius, and the direction u is not along its axis
    ct_ex size = ct_mul(pool, x2, w2),
          left = ct_let(pool, ct_sub(pool, size, ct_power_int(pool, k, 2)));
    ct_steps_keep_clear(build, seg, left, size);
    ct_steps_keep_clear(build, seg, t2, w2);
    ct_ex g = ct_let(pool, ct_sqrt(pool, ct_div(pool, left, t2))),
          over = ct_power_int(pool, w2, -1);
    ct_vec3 x = ct_vec_add(
        pool, ct_steps_scale(build, ct_mul(pool, g, c), ct_steps_cross(build, t, w)),
        ct_steps_scale(build, ct_product(pool, 3, (ct_ex[]){g, s, ct_sqrt(pool, w2)}), t));
    return ct_steps_let(
        build, ct_steps_scale(build, over, ct_vec_add(pool, x, ct_steps_scale(build, k, w))));
}

// spheres ----------------------------------------------------------------------------------------
// The place of a point of the child, seen from its first known one: on three spheres
//   |x|^2 = l1,  x . d_i = (|d_i|^2 + l1 - l_i) / 2,  d_i: from the first centre to the others,
// or on two and turned about d_2.
static ct_vec3 on_spheres(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                          int frame) {
    ct_pool *pool = build->pool;
    ct_vec3 d[3],
        now =
            ct_steps_vector(build, ct_steps_path(build, r->k, r->point_k, r->x, r->point_x, frame));
    ct_ex l[3], d2[3], along[3];
    bool swings = r[2].kind == CT_RELATION_SWING;
    for (int i = 0; i < 3 - swings; i++) {
        d[i] =
            ct_steps_let(build, ct_steps_vector(build, ct_steps_path(build, r->k, r->point_k,
                                                                     r[i].k, r[i].point_k, frame)));
        l[i] = ct_let(pool, ct_steps_length2(build, r + i));
        d2[i] = ct_let(pool, ct_steps_dot(build, d[i], d[i]));
        along[i] = ct_mul(pool, ct_rational(pool, 1, 2),
                          ct_sum(pool, 3, (ct_ex[]){d2[i], l[0], ct_neg(pool, l[i])}));
    }
    if (swings) return on_circle(build, seg, r + 2, frame, d[1], ct_let(pool, along[1]), l[0]);
    ct_ex side = ct_steps_sign(build, ct_steps_dot(build, ct_steps_cross(build, d[1], d[2]), now));
    return ct_steps_third(build, seg, d[1], d2[1], along[1], d[2], along[2], l[0], side);
}

// x . w for a vector x of length |x|^2 = x2 and a point at w that is a distance away.
static ct_ex along_way(const ct_step_builder *build, const ct_relation *r, ct_ex x2, ct_vec3 w) {
    ct_ex length2 = ct_steps_length2(build, r);
    return ct_mul(build->pool, ct_rational(build->pool, 1, 2),
                  ct_sum(build->pool, 3,
                         (ct_ex[]){x2, ct_steps_dot(build, w, w), ct_neg(build->pool, length2)}));
}

// The way of the first arm from two distances of its end, or from one and a swing; now: the arm as it points at present.
static ct_vec3 between_spheres(const ct_step_builder *build, ct_segment *seg, const sources *s,
                               const centre *c, int frame, ct_vec3 arm, ct_vec3 now) {
    ct_pool *pool = build->pool;
    ct_vec3 w[2];
    ct_ex x2 = ct_let(pool, ct_steps_dot(build, arm, arm));
    bool swings = s->first[1].kind == CT_RELATION_SWING;
    for (int i = 0; i < 2 - swings; i++)
        w[i] =
            way_to(build, c, s->first + i,
                   ct_steps_path(build, c->k, c->at_k, s->first[i].k, s->first[i].point_k, frame));
    if (swings)
        return on_circle(build, seg, s->first + 1, frame, w[0],
                         ct_let(pool, along_way(build, s->first, x2, w[0])), x2);
    ct_ex side = ct_steps_sign(build, ct_steps_dot(build, ct_steps_cross(build, w[0], w[1]), now));
    return ct_steps_third(build, seg, w[0], ct_let(pool, ct_steps_dot(build, w[0], w[0])),
                          along_way(build, s->first, x2, w[0]), w[1],
                          along_way(build, s->first + 1, x2, w[1]), x2, side);
}

// The way of the second arm, from a distance, a plane, an angle between axes or a spin. Arms and ways are
// in values; now: the second arm as it points at present, which says on which side the way is.
static ct_vec3 second_way(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                          int frame, const ct_vec3 *arm, const ct_vec3 *way, ct_vec3 now) {
    ct_pool *pool = build->pool;
    ct_ex u2 = ct_let(pool, ct_steps_dot(build, arm[0], arm[0])),
          kw = ct_steps_replace(build, r->value),
          kx = ct_let(pool, ct_steps_dot(build, arm[1], arm[1]));
    ct_vec3 w = way[1];
    // an angle about the first way, with x . way = arm . arm
    if (r->kind == CT_RELATION_SPIN)
        return on_circle(build, seg, r, frame, way[0],
                         ct_let(pool, ct_steps_dot(build, arm[0], arm[1])), kx);
    // x . w = kw: from a distance kw = (|x|^2 + |w|^2 - length^2) / 2, else from the value
    if (r->kind == CT_RELATION_DISTANCE)
        kw = ct_mul(pool, ct_rational(pool, 1, 2),
                    ct_sum(pool, 3,
                           (ct_ex[]){kx, ct_steps_dot(build, w, w),
                                     ct_neg(pool, ct_steps_length2(build, r))}));
    // a plane with normal n:  x . n = value + n . w
    if (r->kind == CT_RELATION_PLANE_K) {
        ct_vec3 n = ct_steps_vector(build, ct_steps_normal(build, r, frame));
        kw = ct_add(pool, kw, ct_steps_dot(build, n, w));
        w = n;
    }
    // which side: by the vector where it is now
    ct_ex side = ct_steps_sign(build, ct_steps_dot(build, ct_steps_cross(build, way[0], w), now));
    return ct_steps_third(build, seg, way[0], u2, ct_steps_dot(build, arm[0], arm[1]), w, kw, kx,
                          side);
}

// rotations --------------------------------------------------------------------------------------
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
        known[i] = ct_steps_let(build, ct_vec(r.a[0][i], r.a[1][i], r.a[2][i]));
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
// guard belongs to the expansion; where a run has the rotation whole there is none.
static void angles_of_whole_rotation(const ct_step_builder *build, const ct_connection *c,
                                     const int *k) {
    ct_closure *closure = build->closure;
    ct_segment *seg = ct_steps_more(build);
    ct_steps_three_angles(build, seg, c,
                          ct_steps_replace_matrix(build, ct_joint_rotation(build->layout, c)), k);
    for (int i = 0; i < seg->n_guards && (closure->shows_angles || !closure->r); i++)
        *CT_PUSH(closure->late, closure->n_late, closure->room_late) = seg->guards[i];
    seg->n_guards = 0;
}

// The slides of a pose: the way between the two points of its joint, as the joint sees it.
static void place_slides(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                         const centre *c, ct_mat3 r) {
    ct_pool *pool = build->pool;
    const ct_connection *j = ct_steps_joint(build, p->joint);
    bool forward = j->body[1] == p->child;
    // from the parent's point to the centre, and back to the child's point
    ct_vec3 way = ct_steps_vector(
                build, ct_steps_path(build, p->parent, j->at[!forward], c->k, c->at_k, p->parent)),
            arm = ct_steps_vector(
                build, ct_steps_path(build, p->child, j->at[forward], c->x, c->at_x, p->child));
    way = ct_vec_add(pool, way, c->place);
    way = ct_steps_let(build, ct_vec_sub(pool, way, ct_mat_vec(pool, r, arm)));
    for (int i = 0; i < j->n_trans; i++) {
        ct_vec3 axis = ct_mat_vec(pool, j->orient[0], j->direction[i]);
        if (!forward) axis = ct_vec_neg(pool, ct_mat_vec(pool, r, axis));
        for (int q = 0; q < build->f->n; q++)
            if (build->f->q[q] == j->slide[i])
                ct_values_set_slide(build->values, seg, q, ct_steps_dot(build, axis, way));
    }
}

// The step's name: orientation or pose of a body, and where its relations come from.
static char *describe(const ct_step_builder *build, const ct_placement *p) {
    char *names = ct_scratch_format("'%s'", ct_steps_source(build, p->relation));
    for (int i = 1; i < p->n_relations; i++)
        names = ct_scratch_format("%s%s'%s'", names, i + 1 < p->n_relations ? ", " : " and ",
                                  ct_steps_source(build, p->relation + i));
    return ct_format("%s of %s from %s", p->kind == CT_PLACE_POSE ? "pose" : "orientation",
                     build->f->model->bodies[p->child].name, names);
}

void ct_steps_orientation(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    const ct_whole_rotation *whole = ct_whole_rotation_of_joint(build->f, p->joint);
    const sources s = sources_of(p);
    // coordinates of the step, and angles of the joint; a whole rotation is seen from the root
    int all[6], k[3], frame = whole ? build->root : p->parent;
    for (int i = 0; i < p->n_unknown; i++) all[i] = ct_steps_coordinate(build, p->unknown[i]);
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < build->f->n; q++)
            if (build->f->q[q] == c->angle[i]) k[i] = q;
    // two arms of the child, the ways that they must take, and equations for the rates
    centre at = centre_of(build, p, &s);
    ct_vec3 arm[2], way[2];
    vectors(build, p, &at, s.first, frame, arm, way);
    vectors(build, p, &at, s.second, frame, arm + 1, way + 1);
    ct_ex psi[6];
    int n = rows(build, p, &s, whole != NULL, arm, way, psi);
    // linear if centre and both ways are given, else with square roots
    bool linear = s.vector && !s.line && s.n_first == 1 && s.n_centre < 3;
    ct_segment *seg =
        ct_steps_segment(build, linear ? CT_STEP_LINEAR : CT_STEP_QUADRATIC, linear ? 1 : 2,
                         p->joint, n, n == 3 ? k : all, describe(build, p));
    if (s.n_centre == 3) at.place = on_spheres(build, seg, s.centre, frame);
    // arms and ways in values; the second way from a distance, a plane or an angle
    ct_vec3 fixed[3] = {arm[0], arm[1], ct_steps_cross(build, arm[0], arm[1])},
            now = ct_steps_vector(build, ct_turn(build->layout, arm[1], p->child, frame)),
            first = s.n_first == 2 ? ct_turn(build->layout, arm[0], p->child, frame) : arm[0],
            bare = arm[0];
    for (int i = 0; i < 2; i++) {
        arm[i] = ct_steps_let(build, ct_steps_vector(build, arm[i]));
        way[i] = way_to(build, &at, i ? s.second : s.first, way[i]);
    }
    if (s.line) arm[0] = ct_steps_arm_on_line(build, seg, p, s.first, frame, bare, way[0]);
    if (s.n_first == 2)
        way[0] = between_spheres(build, seg, &s, &at, frame, arm[0], ct_steps_vector(build, first));
    if (!s.vector) way[1] = second_way(build, seg, s.second, frame, arm, way, now);
    // R [r1 r2 r3] = [w1 w2 w3], r3 = r1 x r2; weights: rows of [r1 r2 r3]^-1
    ct_vec3 r3 = ct_steps_cross(build, arm[0], arm[1]),
            known[3] = {way[0], way[1], ct_steps_let(build, ct_steps_cross(build, way[0], way[1]))};
    ct_ex over = ct_power_int(pool, ct_steps_dot(build, r3, r3), -1);
    ct_vec3 weight[3] = {ct_steps_scale(build, over, ct_steps_cross(build, arm[1], r3)),
                         ct_steps_scale(build, over, ct_steps_cross(build, r3, arm[0])),
                         ct_steps_scale(build, over, r3)};
    // vectors of a whole rotation, or the angles of R seen by the joint
    if (whole) {
        if (s.line) by_columns(build, fixed, known, weight);
        whole_whole_rotation(build, p, whole, seg, fixed, known, weight);
        angles_of_whole_rotation(build, c, k);
    } else {
        ct_mat3 rotation = rotation_of(build, known, weight);
        if (p->kind == CT_PLACE_POSE) place_slides(build, seg, p, &at, rotation);
        if (c->body[1] != p->child) rotation = ct_mat_transpose(rotation);
        rotation = ct_mat_mul(pool, ct_mat_transpose(c->orient[0]), rotation);
        rotation = ct_mat_mul(pool, rotation, c->orient[1]);
        ct_steps_three_angles(build, seg, c, rotation, k);
    }
    ct_steps_rate_block(build, n, n == 3 ? k : all, psi);
}
