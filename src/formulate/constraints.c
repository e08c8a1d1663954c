// Constraint rows Phi(q, t) = 0: circuit equations of the chords, projected on their reactions;
// constraints between bodies; gears, racks and equations between coordinates, all in the order of
// the model's joints; motions after them. Then the derivatives Phi_q, Phi_t and gamma.
#include "formulate/natural/natural.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    ct_context *ctx;
    ct_layout *l;
    ct_formulation *f;
    ct_substitution *known;
    int room, room_vanished, room_owner, n_owner, room_unit, n_unit, room_power, n_power,
        room_guard, n_guard_joint, room_guard_joint;
    bool comes; // rows of a joint that comes later
    ct_status status;
} builder;

// Units of rows: radians (or pure numbers), lengths, squares of lengths.
enum { TURN, LENGTH, SQUARE };

// A constant row is no equation: zero, but for rounding in the model, it is noted as vanished (and
// as a condition on parameters, where these decide); another constant is an error.
static void constant_row(builder *b, ct_ex phi, int power, ct_row_owner owner) {
    const ct_model *m = b->l->model;
    const int joint = owner.joint, motion = owner.motion;
    const char *name = joint >= 0    ? m->joints[joint].name
                       : motion >= 0 ? m->motions[motion].name
                                     : m->bodies[owner.body].name;
    const ct_place place = joint >= 0    ? m->joints[joint].place
                           : motion >= 0 ? m->motions[motion].place
                                         : m->bodies[owner.body].place;
    double gap = ct_model_number(m, phi);
    if (!(fabs(gap) < CT_ROW_VANISHES * pow(b->f->length, power))) {
        ct_error_at(
            b->ctx, place,
            "'%s' can never close: its two sides stay %.6g apart whatever the mechanism does", name,
            fabs(gap));
        b->status = CT_WRONG_MODEL;
        return;
    }
    if (joint >= 0 && !b->comes)
        *CT_PUSH(b->f->vanished, b->f->n_vanished, b->room_vanished) = joint;
    if (ct_ex_kinds(b->l->pool, phi))
        ct_formulation_condition(b->f, (ct_condition){CT_IS_ZERO, phi, power, name});
}

// Appends the row phi, whose unit is a power of length.
static void owned_row(builder *b, ct_ex phi, int power, ct_row_owner owner) {
    const unsigned moving = ~(1u << CT_SYMBOL_PARAMETER);
    if (!(ct_ex_kinds(b->l->pool, phi) & moving) || phi == ct_undefined(b->l->pool)) {
        constant_row(b, phi, power, owner);
        return;
    }
    *CT_PUSH(b->f->phi, b->f->m, b->room) = phi;
    *CT_PUSH(b->f->owner, b->n_owner, b->room_owner) = owner;
    *CT_PUSH(b->f->row_unit, b->n_unit, b->room_unit) = pow(b->f->length, power);
    *CT_PUSH(b->f->row_power, b->n_power, b->room_power) = power;
}

// Of a joint or motion; the other index is -1.
static void row(builder *b, ct_ex phi, int power, int joint, int motion) {
    owned_row(b, phi, power, (ct_row_owner){joint, motion, -1});
}

static void guard(builder *b, ct_ex positive, int joint) {
    if (ct_is_number(b->l->pool, positive)) return;
    ct_switched *s = &b->f->switched;
    if (joint >= b->l->model->n_joints) {
        *CT_PUSH(s->guards, s->n_guards, s->room_guards) = positive;
        *CT_PUSH(s->guard_joint, s->n_guard_joints, s->room_guard_joints) =
            joint - b->l->model->n_joints;
    }
    if (b->comes) return;
    *CT_PUSH(b->f->guards, b->f->n_guards, b->room_guard) = positive;
    *CT_PUSH(b->f->guard_joint, b->n_guard_joint, b->room_guard_joint) = joint;
}

// e = I: three entries off the diagonal are zero. So they are in half turns about an axis (trace -1)
// and in the turns that permute the axes (trace 0): the guard trace(e) - 1 > 0 excludes both.
static void identity_rows(builder *b, ct_mat3 e, int joint) {
    ct_pool *pool = b->l->pool;
    for (int i = 0; i < 3; i++) row(b, e.a[(i + 2) % 3][(i + 1) % 3], TURN, joint, -1);
    ct_ex trace = ct_sum(pool, 3, (ct_ex[]){e.a[0][0], e.a[1][1], e.a[2][2]});
    guard(b, ct_sub(pool, trace, CT_ONE), joint);
}

// v is parallel to u, both in one frame: with the normals n1, n2 of u,  n1 . v = n2 . v = 0
static void parallel_rows(builder *b, ct_vec3 u, ct_vec3 v, int joint) {
    ct_vec3 n1, n2;
    ct_vec_normals(b->l->model, u, &n1, &n2);
    row(b, ct_vec_dot(b->l->pool, n1, v), TURN, joint, -1);
    row(b, ct_vec_dot(b->l->pool, n2, v), TURN, joint, -1);
}

// Rows of the rotation of a chord, by the number of its angles: three leave none.
static void rotation_chord(builder *b, const ct_connection *c, int joint) {
    ct_pool *pool = b->l->pool;
    if (c->n_rot == 3) return;
    ct_mat3 r = ct_joint_rotation(b->l, c);
    // no angle: both frames are the same; one: its axis is that of either body
    if (!c->n_rot) {
        identity_rows(b, r, joint);
    } else if (c->n_rot == 1) {
        ct_vec3 v = ct_mat_vec(pool, r, c->axis[0]);
        parallel_rows(b, c->axis[0], v, joint);
        guard(b, ct_vec_dot(pool, c->axis[0], v), joint);
    } else { // universal: the angle between the axes stays
        ct_ex now = ct_vec_dot(pool, c->axis[0], ct_mat_vec(pool, r, c->axis[1]));
        const ct_joint *j = b->l->model->joints + joint;
        ct_ex angle = j->attaches_here ? j->kept_value : ct_vec_dot(pool, c->axis[0], c->axis[1]);
        row(b, ct_sub(pool, now, angle), TURN, joint, -1);
    }
}

static ct_vec3 joint_gap(builder *b, const ct_connection *c, int frame) {
    return ct_path(b->l, c->body[0], c->at[0], c->body[1], c->at[1], frame);
}

// directions of A's joint frame, as seen in `frame`
static ct_vec3 in_frame(builder *b, const ct_connection *c, ct_vec3 v, int frame) {
    return ct_turn(b->l, ct_mat_vec(b->l->pool, c->orient[0], v), c->body[0], frame);
}

// The angle by which w was turned about u into v is `angle`:  sin(angle found - angle) = 0.
static void define_angle(builder *b, ct_vec3 u, ct_vec3 w, ct_vec3 v, ct_ex angle, int joint) {
    ct_pool *pool = b->l->pool;
    ct_vec3 across = ct_vec_cross(pool, u, w);
    ct_vec3 flat = ct_vec_sub(pool, w, ct_vec_scale(pool, ct_vec_dot(pool, u, w), u));
    ct_ex y = ct_vec_dot(pool, across, v), x = ct_vec_dot(pool, flat, v), c = ct_cos(pool, angle),
          s = ct_sin(pool, angle);
    row(b, ct_sub(pool, ct_mul(pool, y, c), ct_mul(pool, x, s)), TURN, joint, -1);
    guard(b, ct_add(pool, ct_mul(pool, x, c), ct_mul(pool, y, s)), joint);
}

// Rows that tie the angles of a chord to the rotation between its bodies; they constrain nothing
// else.
static void define_angles(builder *b, const ct_connection *c, int joint) {
    ct_pool *pool = b->l->pool;
    ct_mat3 r = ct_joint_rotation(b->l, c);
    if (c->n_rot == 3) {
        ct_mat3 turn = ct_connection_rotation(pool, c, 0, 3);
        identity_rows(b, ct_mat_mul(pool, ct_mat_transpose(turn), r), joint);
    } else if (c->n_rot == 2) {
        define_angle(b, c->axis[0], c->axis[1], ct_mat_vec(pool, r, c->axis[1]), c->angle[0],
                     joint);
        define_angle(b, c->axis[1], c->axis[0], ct_mat_transpose_vec(pool, r, c->axis[0]),
                     ct_neg(pool, c->angle[1]), joint);
    } else {
        ct_vec3 n1, n2;
        ct_vec_normals(b->l->model, c->axis[0], &n1, &n2);
        define_angle(b, c->axis[0], n1, ct_mat_vec(pool, r, n1), c->angle[0], joint);
    }
}

static void define_slides(builder *b, const ct_connection *c, int joint) {
    ct_pool *pool = b->l->pool;
    ct_vec3 d = ct_mat_transpose_vec(pool, c->orient[0], joint_gap(b, c, c->body[0]));
    for (int k = 0; k < c->n_trans; k++)
        row(b, ct_sub(pool, ct_vec_dot(pool, c->direction[k], d), c->slide[k]), LENGTH, joint, -1);
}

// Rows of the translation of a chord, by the number of its slides: three leave none.
static void translation_chord(builder *b, const ct_connection *c, const ct_joint *joint,
                              int index) {
    ct_pool *pool = b->l->pool;
    int frame = ct_common(b->l, CT_ROTATION, c->body[0], c->body[1]);
    // no slide: both points are the same; a screw moves along its axis as its angle says
    if (!c->n_trans || c->screw) {
        ct_vec3 slide = ct_turn(b->l, ct_slide(b->l, c), c->body[0], frame);
        ct_vec3 d = ct_vec_sub(pool, joint_gap(b, c, frame), slide);
        for (int i = 0; i < 3; i++) row(b, d.v[i], LENGTH, index, -1);
        return;
    }
    // two slides: no way along the normal of the plane; one: none across the axis
    if (c->n_trans == 3) return;
    ct_vec3 d = joint_gap(b, c, c->body[0]), n1, n2;
    ct_vec_normals(b->l->model, joint->axis[0], &n1, &n2);
    if (c->n_trans == 2) n1 = joint->axis[0];
    row(b, ct_vec_dot(pool, ct_mat_vec(pool, c->orient[0], n1), d), LENGTH, index, -1);
    if (c->n_trans == 1)
        row(b, ct_vec_dot(pool, ct_mat_vec(pool, c->orient[0], n2), d), LENGTH, index, -1);
}

// Rows of a constraint between points; d is the vector from A's point to B's.
static void tie_points(builder *b, const ct_connection *c, const ct_joint *joint, int index) {
    ct_pool *pool = b->l->pool;
    int frame = ct_common(b->l, CT_ROTATION, c->body[0], c->body[1]);
    ct_vec3 d = joint_gap(b, c, frame), n1, n2;
    ct_vec_normals(b->l->model, joint->axis[0], &n1, &n2);
    switch (ct_joint_traits_of(joint->type)->holds) {
    case CT_HOLDS_NOTHING: return;
    case CT_HOLDS_DISTANCE: {
        ct_ex length = joint->attaches_here ? joint->kept_value : joint->length;
        row(b, ct_sub(pool, ct_vec_dot(pool, d, d), ct_power_int(pool, length, 2)), SQUARE, index,
            -1);
        return;
    }
    case CT_HOLDS_PLANE:
        row(b, ct_vec_dot(pool, in_frame(b, c, joint->axis[0], frame), d), LENGTH, index, -1);
        return;
    case CT_HOLDS_LINE:
        row(b, ct_vec_dot(pool, in_frame(b, c, n1, frame), d), LENGTH, index, -1);
        row(b, ct_vec_dot(pool, in_frame(b, c, n2, frame), d), LENGTH, index, -1);
        return;
    case CT_HOLDS_HELIX: return; // of joints alone, whose turn is known
    case CT_HOLDS_POINT:
        for (int i = 0; i < 3; i++) row(b, d.v[i], LENGTH, index, -1);
    }
}

// Rows of a constraint between directions; v is B's axis in A's joint frame.
static void tie_directions(builder *b, const ct_connection *c, const ct_joint *joint, int index) {
    const ct_joint_keeps keeps = ct_joint_traits_of(joint->type)->keeps;
    if (keeps == CT_KEEPS_NOTHING) return;
    ct_mat3 r = ct_joint_rotation(b->l, c);
    ct_vec3 v = ct_mat_vec(b->l->pool, r, joint->axis[1]);
    switch (keeps) {
    case CT_KEEPS_NOTHING: break;
    case CT_KEEPS_ANGLE: {
        ct_ex now = ct_vec_dot(b->l->pool, joint->axis[0], v);
        row(b, ct_sub(b->l->pool, now, joint->kept_value), TURN, index, -1);
        break;
    }
    case CT_KEEPS_AXIS: parallel_rows(b, joint->axis[0], v, index); break;
    case CT_KEEPS_FRAME: identity_rows(b, r, index); break;
    }
}

// Unit of a user's equation: a length where slides or positions of points stand in it.
static int equation_power(const ct_model *model, ct_ex equation) {
    ct_ex *symbols;
    int n = ct_ex_symbols(model->pool, 1, &equation, &symbols), power = TURN;
    for (int i = 0; i < n; i++) {
        if (ct_symbol_kind_of(model->pool, symbols[i]) == CT_SYMBOL_OTHER) power = LENGTH;
        for (int k = 0; k < model->n_coordinates; k++)
            if (model->coordinates[k].q == symbols[i] && !model->coordinates[k].is_angle)
                power = LENGTH;
    }
    return power;
}

// What a gear, a rack or an equation makes zero.
static ct_ex coupling(builder *b, const ct_joint *joint) {
    ct_pool *pool = b->l->pool;
    if (ct_joint_is_equation(joint->type)) return ct_substitute(b->known, joint->equation);
    const ct_coordinate *q = b->l->model->coordinates;
    return ct_sub(pool, q[joint->coordinate[1]].q,
                  ct_mul(pool, joint->ratio, q[joint->coordinate[0]].q));
}

static void coordinate_constraint(builder *b, const ct_joint *joint, int index) {
    const ct_model *m = b->l->model;
    int power = ct_joint_is_equation(joint->type)               ? equation_power(m, joint->equation)
                : m->coordinates[joint->coordinate[1]].is_angle ? TURN
                                                                : LENGTH;
    row(b, ct_sub(b->l->pool, coupling(b, joint), joint->kept_value), power, index, -1);
}

static void motion_rows(builder *b) {
    for (int i = 0; i < b->l->model->n_motions; i++) {
        const ct_motion *m = b->l->model->motions + i;
        ct_ex target = m->coordinate >= 0
                           ? b->l->model->coordinates[m->coordinate].q
                           : ct_substitute(b->known, b->l->model->probes[m->probe].symbol);
        bool angle = m->coordinate >= 0 && b->l->model->coordinates[m->coordinate].is_angle;
        row(b, ct_sub(b->l->pool, target, ct_substitute(b->known, m->value)), angle ? TURN : LENGTH,
            -1, i);
    }
}

// joints that come and go -------------------------------------------------------------------------
// Rows of one of them.
static void switched_rows(builder *b, const ct_joint *joint, int index) {
    if (joint->body[0] < 0) {
        coordinate_constraint(b, joint, index);
        return;
    }
    const ct_connection c = ct_connect_switched(b->l, joint, true);
    if (ct_joint_has_coordinates(joint->type)) {
        rotation_chord(b, &c, index);
        translation_chord(b, &c, joint, index);
        return;
    }
    if (ct_joint_traits_of(joint->type)->holds != CT_HOLDS_NOTHING) tie_points(b, &c, joint, index);
    tie_directions(b, &c, joint, index);
}

// What the symbols of a joint that attaches where it is stand for in the position of q: the place and
// orientation of B in A's joint frame, the distance, angle or value that stays.
static int kept_values(builder *b, const ct_joint *joint, ct_ex *value) {
    ct_pool *pool = b->l->pool;
    const ct_joint_traits *t = ct_joint_traits_of(joint->type);
    if (joint->body[0] < 0) return value[0] = coupling(b, joint), 1;
    const ct_connection c = ct_connect_switched(b->l, joint, false);
    int n = 0;
    const ct_vec3 d = ct_mat_transpose_vec(pool, c.orient[0], joint_gap(b, &c, c.body[0]));
    const ct_mat3 r = ct_joint_rotation(b->l, &c);
    for (int i = 0; i < 3; i++)
        if (joint->kept_place[i] != CT_ZERO) value[n++] = d.v[i];
    for (int i = 0; i < 9; i++)
        if (joint->kept_turn[i / 3][i % 3] != CT_ZERO) value[n++] = r.a[i / 3][i % 3];
    if (joint->kept_value == CT_ZERO) return n;
    value[n++] = t->holds == CT_HOLDS_DISTANCE
                     ? ct_sqrt(pool, ct_vec_dot(pool, d, d))
                     : ct_vec_dot(pool, joint->axis[0], ct_mat_vec(pool, r, joint->axis[1]));
    return n;
}

void ct_switched_conditions(ct_layout *l, ct_substitution *known) {
    const ct_model *m = l->model;
    ct_switched *s = &l->f->switched;
    s->active = ct_arena_alloc(&l->f->arena, (size_t)m->n_switched + 1, sizeof *s->active);
    for (int i = 0; i < m->n_switched; i++)
        s->active[i] = ct_substitute(known, ct_switched_joint(m, i)->active);
}

// Whether a joint holds in the initial position: with other values of parameters it may not.
static void note_start(builder *b, const ct_joint *joint) {
    const ct_model *m = b->l->model;
    ct_substitution *start = ct_substitution_new(b->l->pool);
    ct_substitution_map(start, m->time, CT_ZERO);
    ct_substitution_map(start, joint->holds, CT_ZERO);
    for (int i = 0; i < m->n_inputs; i++)
        ct_substitution_map(start, m->inputs[i].symbol, m->inputs[i].value);
    const ct_ex value = ct_substitute(start, joint->active);
    ct_substitution_free(start);
    if (ct_ex_kinds(b->l->pool, value) != 1u << CT_SYMBOL_PARAMETER) return;
    const bool holds = ct_switched_at_start(m, joint);
    ct_formulation_condition(
        b->f, (ct_condition){holds ? CT_IS_NOT_ZERO : CT_IS_ZERO, value, TURN, joint->name});
}

// Symbols of what joints keep, and their values.
static void find_switched(builder *b) {
    const ct_model *m = b->l->model;
    ct_formulation *f = b->f;
    ct_switched *s = &f->switched;
    const size_t most = (size_t)m->n_switched * CT_KEPT_SYMBOLS + 1;
    s->kept = ct_arena_alloc(&f->arena, most, sizeof *s->kept);
    s->kept_value = ct_arena_alloc(&f->arena, most, sizeof *s->kept_value);
    s->kept_joint = ct_arena_alloc(&f->arena, most, sizeof *s->kept_joint);
    for (int i = 0; i < m->n_switched; i++) {
        const ct_joint *joint = ct_switched_joint(m, i);
        if (!joint->attaches_here) note_start(b, joint);
        if (!joint->attaches_here) continue;
        int n = ct_switched_kept(joint, s->kept + s->n_kept);
        kept_values(b, joint, s->kept_value + s->n_kept);
        for (int k = 0; k < n; k++) s->kept_joint[s->n_kept++] = i;
    }
}

// Number of rows that a joint has in a planar mechanism, as a chord in one domain or both: each
// body has one angle and two translations there.
static int plane_rows(ct_joint_type type, bool rotation_branch, bool translation_branch) {
    int turns = rotation_branch ? 0 : 1 - ct_joint_rotations(type);
    return turns + (translation_branch ? 0 : 2 - ct_joint_translations(type));
}

// Those that hold in the initial position, or those that come later. Behind all other rows.
static void all_switched_rows(builder *b, bool at_start) {
    const ct_model *m = b->l->model;
    const int before = b->f->m;
    b->comes = !at_start;
    for (int i = 0; i < m->n_switched; i++) {
        const ct_joint *joint = ct_switched_joint(m, i);
        const int first = b->f->m;
        if (ct_switched_at_start(m, joint) != at_start) continue;
        switched_rows(b, joint, m->n_joints + i);
        if (at_start)
            b->f->plane_rows += ct_joint_has_coordinates(joint->type)
                                    ? plane_rows(joint->type, false, false)
                                    : b->f->m - first;
    }
    b->comes = false;
    if (!at_start) b->f->switched.rows = b->f->m - before;
}

// Derivatives that do not depend on the state become constants. Where one is zero after all, the
// coordinate leaves its row, so that rows hold what their derivatives say.
static void constant_derivatives(ct_formulation *f) {
    size_t size = (size_t)f->m * (size_t)f->n;
    ct_ex *before = ct_scratch(size + 1, sizeof *before);
    memcpy(before, f->phi_q, size * sizeof *before);
    ct_find_constant_entries(f, f->m * f->n, f->phi_q);
    for (int i = 0; i < f->m; i++)
        for (int k = 0; k < f->n; k++) {
            ct_ex *entry = &f->phi_q[i * f->n + k], was = before[i * f->n + k];
            if (*entry != CT_ZERO || was == CT_ZERO) continue;
            if (ct_whole_rotation_of_coordinate(f, k, NULL)) { // no symbol that could leave
                *entry = was;
                continue;
            }
            ct_substitution *without = ct_substitution_new(f->pool);
            ct_substitution_map(without, f->q[k], CT_ZERO);
            f->phi[i] = ct_substitute(without, f->phi[i]);
            ct_substitution_free(without);
        }
}

// Phi_q, Phi_t and gamma of all rows.
static void derivatives(ct_formulation *f) {
    ct_derivation *time = ct_time_derivation(f), *partial_t = ct_derivation_new(f->pool);
    ct_derivation_map_time(partial_t, f->model);
    f->phi_q = ct_arena_alloc(&f->arena, (size_t)f->m * (size_t)f->n + 1, sizeof *f->phi_q);
    f->phi_t = ct_arena_alloc(&f->arena, (size_t)f->m + 1, sizeof *f->phi_t);
    f->gamma = ct_arena_alloc(&f->arena, (size_t)f->m + 1, sizeof *f->gamma);
    for (int k = 0; k < f->n; k++) {
        ct_derivation *d = ct_partial_derivation(f, k);
        for (int i = 0; i < f->m; i++) f->phi_q[i * f->n + k] = ct_derive(d, f->phi[i]);
        ct_derivation_free(d);
    }
    constant_derivatives(f);
    for (int i = 0; i < f->m; i++) {
        f->phi_t[i] = ct_derive(partial_t, f->phi[i]);
        // Phi'' = Phi_q q'' - gamma, so gamma is minus Phi'' at q'' = 0
        ct_ex velocity = CT_ZERO;
        for (int k = 0; k < f->n; k++)
            velocity = ct_add(f->pool, velocity, ct_mul(f->pool, f->phi_q[i * f->n + k], f->qd[k]));
        velocity = ct_add(f->pool, velocity, f->phi_t[i]);
        f->gamma[i] = ct_neg(f->pool, ct_derive(time, velocity));
    }
    ct_derivation_free(time);
    ct_derivation_free(partial_t);
}

void ct_constraints_build(ct_context *ctx, ct_layout *l, ct_substitution *known,
                          ct_status *status) {
    builder b = {.ctx = ctx, .l = l, .f = l->f, .known = known};
    // the length that rows are measured by: a power of two, so that measuring does not round
    l->f->length = exp2(round(log2(ct_typical_length(l->model))));
    const ct_graph *g = l->f->graph;
    const ct_natural *natural = l->f->natural;
    // points and vectors keep the shapes of their bodies
    for (int i = 0; natural && i < natural->n_rows; i++)
        owned_row(&b, natural->rows[i].phi, natural->rows[i].power,
                  (ct_row_owner){-1, -1, natural->rows[i].body});
    for (int i = 0; i < l->model->n_joints; i++) {
        const ct_joint *j = l->model->joints + i;
        // gears, racks and equations: between coordinates, no bodies
        if (j->body[0] < 0) {
            coordinate_constraint(&b, j, i);
            l->f->plane_rows++;
            continue;
        }
        // constraints between bodies: points, then directions
        if (!ct_joint_has_coordinates(j->type)) {
            int before = l->f->m;
            const ct_connection *tie = l->connections + ct_graph_edge(g, CT_EDGE_CONSTRAINT, i);
            if (ct_joint_traits_of(j->type)->holds != CT_HOLDS_NOTHING) tie_points(&b, tie, j, i);
            tie_directions(&b, tie, j, i);
            l->f->plane_rows += l->f->m - before;
            continue;
        }
        // joints: circuit equations in the domains where the joint is a chord
        int e = ct_graph_edge(g, CT_EDGE_JOINT, i);
        const ct_connection *c = l->connections + e;
        bool rot = g->tree[CT_ROTATION].has[e], trans = g->tree[CT_TRANSLATION].has[e];
        const bool shares_turn = natural && natural->shares_turn[i],
                   shares_point = natural && natural->shares_point[i];
        if (!rot && !j->is_virtual && !shares_turn) rotation_chord(&b, c, i);
        if (!trans && !j->is_virtual && !shares_point) translation_chord(&b, c, j, i);
        // coordinates of a chord that are unknowns get a row each that defines them
        if (!rot && c->n_rot && l->f->where[j->first_coordinate + j->n_coordinates - 1] >= 0)
            define_angles(&b, c, i);
        if (!trans && c->n_trans && !c->screw && l->f->where[j->first_coordinate] >= 0)
            define_slides(&b, c, i);
        // rows of the joint in a planar mechanism
        if (!j->is_virtual) l->f->plane_rows += plane_rows(j->type, rot, trans);
    }
    // angles beside the trees: of a point, whose way is a length, or of a direction
    for (int k = l->f->n - l->f->n_swings; k < l->f->n; k++) {
        const ct_swing *swing = ct_formulation_swing(l->f, k);
        owned_row(&b, ct_swing_phi(l, swing, l->f->q[k]), swing->at.joint < 0 ? TURN : LENGTH,
                  (ct_row_owner){-1, -1, swing->body});
    }
    // motions last, but for joints that come later; then Phi_q, Phi_t and
    // gamma = -d/dt (Phi_q q' + Phi_t) at q'' = 0
    all_switched_rows(&b, true);
    motion_rows(&b);
    all_switched_rows(&b, false);
    find_switched(&b);
    if (b.status)
        *status = b.status;
    else
        derivatives(l->f);
    l->f->m -= l->f->switched.rows;
}
