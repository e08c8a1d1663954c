// Applied forces as loads on bodies and coordinates. A force with a potential adds to the potential
// energy, any other to the power.
#include "formulate/loads/loads.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>

static void point_force(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_vec3 at = ct_from_com(l, f->body[0], f->at[0]), v = ct_load_vector(known, f->vector);
    int frame = f->in_body ? f->body[0] : 0;
    ct_load_push(l, loads, f->body[0], at, v, frame);
    ct_vec3 world = ct_turn(l, v, frame, 0);
    ct_load_power(l, loads,
                  ct_vec_dot(l->pool, world, ct_load_rates(l, ct_position(l, f->body[0], at))));
}

// w = sum over the turns between ground and the body; needed for the power of torques only
static ct_vec3 angular_velocity(ct_layout *l, int body) {
    // w from  R' = R [w]  in body components
    ct_mat3 r = ct_rotation(l, 0, body);
    ct_vec3 w = ct_vec3_zero();
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; // w_k = (R^T R')_ji
        ct_vec3 column = ct_vec(r.a[0][j], r.a[1][j], r.a[2][j]);
        ct_vec3 moved = ct_load_rates(l, ct_vec(r.a[0][i], r.a[1][i], r.a[2][i]));
        w.v[k] = ct_vec_dot(l->pool, column, moved);
    }
    return w;
}

static void torque(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    if (!f->body[0]) return;
    ct_vec3 v = ct_load_vector(known, f->vector);
    ct_vec3 in_body = f->in_body ? v : ct_turn(l, v, 0, f->body[0]);
    loads->torque[f->body[0]] = ct_vec_add(l->pool, loads->torque[f->body[0]], in_body);
    ct_load_power(l, loads, ct_vec_dot(l->pool, in_body, angular_velocity(l, f->body[0])));
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
            ct_load_push(l, loads, b, at, ct_vec_scale(l->pool, signed_value, along), c->body[0]);
        }
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
        ct_load_act_on(l, k, value, loads);
        rate = b ? b->followed_rate[part] : l->f->qd[k];
    }
    ct_load_power(l, loads, ct_mul(l->pool, value, rate));
    ct_load_tell(l, known, force, CT_QUANTITY_EFFORT, value);
}

// Adds one force to the loads, with its potential or its power.
static void (*const load[])(ct_layout *l, ct_substitution *known, int force, ct_loads *q) = {
    [CT_FORCE_FORCE] = point_force,         [CT_FORCE_TORQUE] = torque,
    [CT_FORCE_ACTUATOR] = actuator,         [CT_FORCE_SPRING] = ct_spring_load,
    [CT_FORCE_TORSION] = ct_torsion_load,   [CT_FORCE_TYRE] = ct_tyre_load,
    [CT_FORCE_BUSHING] = ct_bushing_load,   [CT_FORCE_CONTACT] = ct_contact_load,
    [CT_FORCE_FRICTION] = ct_friction_load, [CT_FORCE_LIMIT] = ct_limit_load,
    [CT_FORCE_DRAG] = ct_drag_load,
};
_Static_assert(sizeof load / sizeof *load == CT_FORCE_TYPE_COUNT, "loads of each type");

void ct_loads_build(ct_layout *l, ct_substitution *known, ct_loads *loads) {
    ct_loads_build_without(l, known, NULL, loads);
}

void ct_loads_build_without(ct_layout *l, ct_substitution *known, const bool *skip,
                            ct_loads *loads) {
    size_t n = (size_t)l->n_bodies;
    loads->force = ct_alloc(n, sizeof *loads->force);
    loads->torque = ct_alloc(n, sizeof *loads->torque);
    loads->moment = ct_alloc(n, sizeof *loads->moment);
    loads->generalised = ct_alloc((size_t)l->f->n + 1, sizeof *loads->generalised);
    loads->potential = loads->power = CT_ZERO;
    for (int i = 0; i < l->model->n_forces; i++)
        if (!skip || !skip[i]) load[l->model->forces[i].type](l, known, i, loads);
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
