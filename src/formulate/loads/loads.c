// Applied forces as loads on bodies and coordinates. A force with a potential adds to the potential
// energy, any other to the power.
#include "formulate/dynamics.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>

static bool constant(const ct_layout *l, ct_ex a) {
    return !(ct_ex_kinds(l->pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

static void add_power(ct_layout *l, ct_loads *loads, ct_ex p) {
    loads->power = ct_add(l->pool, loads->power, p);
}

static ct_vec3 rate(ct_layout *l, ct_vec3 v) {
    ct_derivation *time = ct_time_derivation(l->f);
    for (int i = 0; i < 3; i++) v.v[i] = ct_derive(time, v.v[i]);
    ct_derivation_free(time);
    return v;
}

// force (components in `frame`) at a point of a body: force in world, torque in body components
static void push(ct_layout *l, ct_loads *loads, int body, ct_vec3 at, ct_vec3 force, int frame) {
    if (!body) return;
    ct_vec3 in_body = ct_turn(l, force, frame, body);
    ct_vec3 torque = ct_vec_cross(l->pool, at, in_body);
    loads->force[body] = ct_vec_add(l->pool, loads->force[body], ct_turn(l, force, frame, 0));
    loads->torque[body] = ct_vec_add(l->pool, loads->torque[body], torque);
}

static ct_vec3 known_vector(ct_substitution *known, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = ct_substitute(known, v.v[i]);
    return v;
}

static void point_force(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_vec3 at = ct_from_com(l, f->body[0], f->at[0]), v = known_vector(known, f->vector);
    int frame = f->in_body ? f->body[0] : 0;
    push(l, loads, f->body[0], at, v, frame);
    ct_vec3 world = ct_turn(l, v, frame, 0);
    add_power(l, loads, ct_vec_dot(l->pool, world, rate(l, ct_position(l, f->body[0], at))));
}

// w = sum over the turns between ground and the body; needed for the power of torques only
static ct_vec3 angular_velocity(ct_layout *l, int body) {
    // w from  R' = R [w]  in body components
    ct_mat3 r = ct_rotation(l, 0, body);
    ct_vec3 w = ct_vec3_zero();
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; // w_k = (R^T R')_ji
        ct_vec3 column = ct_vec(r.a[0][j], r.a[1][j], r.a[2][j]);
        ct_vec3 moved = rate(l, ct_vec(r.a[0][i], r.a[1][i], r.a[2][i]));
        w.v[k] = ct_vec_dot(l->pool, column, moved);
    }
    return w;
}

static void torque(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    if (!f->body[0]) return;
    ct_vec3 v = known_vector(known, f->vector);
    ct_vec3 in_body = f->in_body ? v : ct_turn(l, v, 0, f->body[0]);
    loads->torque[f->body[0]] = ct_vec_add(l->pool, loads->torque[f->body[0]], in_body);
    add_power(l, loads, ct_vec_dot(l->pool, in_body, angular_velocity(l, f->body[0])));
}

bool ct_acts_on_bodies(const ct_model *model, int coordinate) {
    return ct_joint_is_on_axis(model->joints[model->coordinates[coordinate].joint].type);
}

// An actuator across a chord: its force or torque on B along the axis, and the opposite on A.
static void across_chord(ct_layout *l, const ct_force *force, ct_ex value, ct_loads *loads) {
    const ct_coordinate *x = l->model->coordinates + force->coordinate;
    const ct_connection *c = l->connections + ct_graph_edge(l->f->graph, CT_EDGE_JOINT, x->joint);
    const ct_joint *j = l->model->joints + x->joint;
    for (int side = 0; side < 2; side++) {
        int b = c->body[side];
        ct_ex signed_value = side ? value : ct_neg(l->pool, value);
        ct_vec3 along =
            ct_mat_vec(l->pool, c->orient[0], j->axis[0]); // in A; an angle's axis is the same in B
        if (x->is_angle) {
            ct_vec3 axis = ct_mat_vec(l->pool, c->orient[side], j->axis[0]);
            if (b)
                loads->torque[b] = ct_vec_add(l->pool, loads->torque[b],
                                              ct_vec_scale(l->pool, signed_value, axis));
        } else {
            // both forces in one line through B's point: on A the arm reaches there
            ct_vec3 at = c->at[side];
            if (!side)
                at = ct_path(l, c->body[0], ct_vec3_zero(), c->body[1], c->at[1], c->body[0]);
            push(l, loads, b, at, ct_vec_scale(l->pool, signed_value, along), c->body[0]);
        }
    }
}

// Adds a force on coordinate k; one on the angle of a whole rotation acts on its spins.
static void act_on(ct_layout *l, int k, ct_ex value, ct_loads *loads) {
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_followed(l->f, k, &part);
    if (!b) {
        loads->generalised[k] = ct_add(l->pool, loads->generalised[k], value);
        return;
    }
    value = ct_let(l->pool, value);
    for (int j = 0; j < 3; j++) {
        ct_ex share = ct_diff(l->pool, b->followed_rate[part], b->rate[j]);
        ct_ex *load = loads->generalised + b->coordinate[j];
        *load = ct_add(l->pool, *load, ct_mul(l->pool, value, share));
    }
}

static void actuator(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    int k = l->f->where[f->coordinate];
    ct_ex value = ct_substitute(known, f->value), rate;
    if (k < 0) {
        across_chord(l, f, value, loads);
        rate = ct_substitute(known, l->model->coordinates[f->coordinate].qd);
    } else {
        int part;
        const ct_whole_rotation *b = ct_whole_rotation_followed(l->f, k, &part);
        act_on(l, k, value, loads);
        rate = b ? b->followed_rate[part] : l->f->qd[k];
    }
    add_power(l, loads, ct_mul(l->pool, value, rate));
}

// -stiffness (x - length) - damping x' on the coordinate x.
static void torsion(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int k = l->f->where[f->coordinate];
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_followed(l->f, k, &part);
    ct_ex x = b ? b->followed_angle[part] : l->f->q[k],
          xd = b ? b->followed_rate[part] : l->f->qd[k];
    ct_ex stiffness = ct_substitute(known, f->stiffness),
          damping = ct_substitute(known, f->damping);
    ct_ex stretch = ct_sub(pool, x, ct_substitute(known, f->length));
    ct_ex elastic = ct_neg(pool, ct_mul(pool, stiffness, stretch)),
          viscous = ct_neg(pool, ct_mul(pool, damping, xd));
    act_on(l, k, ct_add(pool, elastic, viscous), loads);
    if (constant(l, stiffness) && constant(l, f->length)) {
        ct_ex energy =
            ct_product(pool, 4, (ct_ex[]){ct_rational(pool, 1, 2), stiffness, stretch, stretch});
        loads->potential = ct_add(pool, loads->potential, energy);
    } else {
        add_power(l, loads, ct_mul(pool, elastic, xd));
    }
    add_power(l, loads, ct_mul(pool, viscous, xd));
}

// Tension k (d - length) + c d' + force along the line between the two points.
static void spring(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int a = f->body[0], b = f->body[1], frame = ct_common(l, CT_ROTATION, a, b);
    ct_vec3 p = ct_from_com(l, a, f->at[0]), r = ct_from_com(l, b, f->at[1]);
    // d: from the point of A to that of B; coefficients in terms of q
    ct_vec3 d = ct_path(l, a, p, b, r, frame);
    ct_ex k = ct_substitute(known, f->stiffness), c = ct_substitute(known, f->damping);
    ct_ex length = ct_substitute(known, f->length), extra = ct_substitute(known, f->value);
    bool elastic = constant(l, k) && constant(l, length);
    ct_ex square = ct_vec_dot(pool, d, d);
    ct_vec3 pull;
    // without free length, damping and force no direction is needed: pull = k d,
    // V = k d . d / 2, else power -k d . d'
    if (length == CT_ZERO && c == CT_ZERO && extra == CT_ZERO) { // no direction needed: k d
        pull = ct_vec_scale(pool, k, d);
        if (elastic)
            loads->potential =
                ct_add(pool, loads->potential,
                       ct_product(pool, 3, (ct_ex[]){ct_rational(pool, 1, 2), k, square}));
        else
            add_power(l, loads, ct_neg(pool, ct_mul(pool, k, ct_vec_dot(pool, d, rate(l, d)))));
    } else {
        // distance |d| and its rate d . d' / |d|, with a floor under the divisor
        ct_ex distance = ct_sqrt(pool, square), floor_ = ct_rational(pool, 1, CT_SPRING_SHORTEST);
        ct_ex safe = ct_apply(pool, CT_OP_MAX, (ct_ex[]){distance, floor_});
        ct_ex speed = c == CT_ZERO && elastic && extra == CT_ZERO
                          ? CT_ZERO
                          : ct_div(pool, ct_vec_dot(pool, d, rate(l, d)), safe);
        // pull = (k (|d| - length) + c |d|' + force) d / |d|;  V = k (|d| - length)^2 / 2
        ct_ex stretch = ct_sub(pool, distance, length), spring_part = ct_mul(pool, k, stretch);
        ct_ex rest = ct_add(pool, ct_mul(pool, c, speed), extra);
        pull = ct_vec_scale(pool, ct_div(pool, ct_add(pool, spring_part, rest), safe), d);
        if (elastic)
            loads->potential = ct_add(
                pool, loads->potential,
                ct_product(pool, 4, (ct_ex[]){ct_rational(pool, 1, 2), k, stretch, stretch}));
        else
            rest = ct_add(pool, rest, spring_part);
        add_power(l, loads, ct_neg(pool, ct_mul(pool, rest, speed)));
    }
    // on A along d, on B against it
    push(l, loads, a, p, pull, frame);
    push(l, loads, b, r, ct_vec_neg(pool, pull), frame);
}

// Adds one force to the loads, with its potential or its power.
static void (*const load[])(ct_layout *l, ct_substitution *known, int force, ct_loads *q) = {
    [CT_FORCE_FORCE] = point_force, [CT_FORCE_TORQUE] = torque,   [CT_FORCE_ACTUATOR] = actuator,
    [CT_FORCE_SPRING] = spring,     [CT_FORCE_TORSION] = torsion, [CT_FORCE_TYRE] = ct_tyre_load,
};
_Static_assert(sizeof load / sizeof *load == CT_FORCE_TYPE_COUNT, "loads of each type");

void ct_loads_build(ct_layout *l, ct_substitution *known, ct_loads *loads) {
    size_t n = (size_t)l->n_bodies;
    loads->force = ct_alloc(n, sizeof *loads->force);
    loads->torque = ct_alloc(n, sizeof *loads->torque);
    loads->moment = ct_alloc(n, sizeof *loads->moment);
    loads->generalised = ct_alloc((size_t)l->f->n + 1, sizeof *loads->generalised);
    loads->potential = loads->power = CT_ZERO;
    for (int i = 0; i < l->model->n_forces; i++) load[l->model->forces[i].type](l, known, i, loads);
    // gravity: V = -m g . r
    for (int b = 1; b < l->n_bodies; b++) {
        ct_ex height = ct_vec_dot(l->pool, l->model->gravity, ct_position(l, b, ct_vec3_zero()));
        loads->potential =
            ct_sub(l->pool, loads->potential, ct_mul(l->pool, l->model->bodies[b].mass, height));
    }
}

void ct_loads_clear(ct_loads *loads) {
    ct_free(loads->force);
    ct_free(loads->torque);
    ct_free(loads->moment);
    ct_free(loads->generalised);
}
