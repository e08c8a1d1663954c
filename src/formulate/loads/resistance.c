// What resists motion: friction in joints, smoothed about rest, and drag of a body in a fluid.
#include "formulate/loads/loads.h"

ct_ex ct_friction_share(ct_layout *l, ct_substitution *known, const ct_force *force, ct_ex kinetic,
                        ct_ex at_rest, ct_ex square) {
    ct_pool *pool = l->pool;
    ct_ex slip = ct_substitute(known, force->number[CT_NUMBER_SLIP_SPEED]),
          fall = ct_substitute(known, force->number[CT_NUMBER_STRIBECK_SPEED]), share = kinetic;
    if (at_rest != kinetic) {
        ct_ex power = ct_neg(pool, ct_div(pool, square, ct_power_int(pool, fall, 2)));
        share = ct_add(pool, kinetic,
                       ct_mul(pool, ct_sub(pool, at_rest, kinetic),
                              ct_apply(pool, CT_OP_EXP, (ct_ex[]){power})));
    }
    ct_ex speed = ct_sqrt(pool, ct_add(pool, square, ct_power_int(pool, slip, 2)));
    return ct_let(pool, ct_div(pool, share, speed));
}

// mu r v / sqrt(v^2 + slip^2): what friction by load makes of the load.
ct_ex ct_friction_by_load(ct_layout *l, ct_substitution *known, const ct_force *force) {
    ct_pool *pool = l->pool;
    int k;
    ct_ex v;
    ct_load_coordinate(l, force, &k, &v);
    ct_ex lever = ct_mul(pool, ct_substitute(known, force->number[CT_NUMBER_COEFFICIENT]),
                         ct_substitute(known, force->radius));
    ct_ex share = ct_friction_share(l, known, force, lever, lever, ct_power_int(pool, v, 2));
    return ct_let(pool, ct_mul(pool, share, v));
}

// -(C(v) v / sqrt(v^2 + slip^2) + viscous v); by load, what the kernel finds in place of C
void ct_friction_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int k;
    ct_ex v;
    ct_load_coordinate(l, f, &k, &v);
    ct_ex kinetic = ct_substitute(known, f->number[CT_NUMBER_COULOMB]),
          at_rest = ct_substitute(known, f->number[CT_NUMBER_STATIC]),
          viscous = ct_substitute(known, f->number[CT_NUMBER_VISCOUS]);
    ct_ex share = viscous;
    if (kinetic != CT_ZERO || at_rest != CT_ZERO)
        share = ct_add(pool, share,
                       ct_friction_share(l, known, f, kinetic, at_rest, ct_power_int(pool, v, 2)));
    ct_ex effort = ct_neg(pool, ct_mul(pool, share, v));
    if (ct_force_is_by_load(f)) effort = ct_add(pool, effort, f->effort);
    effort = ct_let(pool, effort);
    ct_load_act_on(l, k, effort, loads);
    ct_load_tell(l, known, force, CT_QUANTITY_EFFORT, effort);
    ct_load_power(l, loads, ct_mul(pool, effort, v));
}

// -(linear + quadratic |v|) v at the point, v its velocity against the wind; -angular w
void ct_drag_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int b = f->body[0];
    ct_vec3 at = ct_from_com(l, b, f->at[0]), push = ct_vec3_zero(), moment = ct_vec3_zero();
    ct_ex linear = ct_substitute(known, f->number[CT_NUMBER_LINEAR]),
          quadratic = ct_substitute(known, f->number[CT_NUMBER_QUADRATIC]),
          angular = ct_substitute(known, f->number[CT_NUMBER_ANGULAR]);
    // the force, and its power with the velocity of the point itself
    if (linear != CT_ZERO || quadratic != CT_ZERO) {
        ct_vec3 velocity =
            ct_vec_let(pool, ct_vec_add(pool, ct_load_velocity(l, b), ct_load_carried(l, b, at)));
        ct_vec3 v = ct_vec_let(pool, ct_vec_sub(pool, velocity, ct_load_vector(known, f->vector)));
        ct_ex speed = ct_sqrt(pool, ct_vec_dot(pool, v, v));
        ct_ex factor = ct_let(pool, ct_add(pool, linear, ct_mul(pool, quadratic, speed)));
        push = ct_vec_let(pool, ct_vec_neg(pool, ct_vec_scale(pool, factor, v)));
        ct_load_power(l, loads, ct_vec_dot(pool, push, velocity));
    }
    // the torque
    if (angular != CT_ZERO) {
        ct_vec3 w = ct_angular_velocity(l, b, 0);
        moment = ct_vec_neg(pool, ct_vec_scale(pool, angular, w));
        ct_load_power(l, loads, ct_vec_dot(pool, moment, w));
    }
    ct_load_push_world(l, loads, b, ct_load_world(l, at, b), push, moment);
    ct_load_tell_wrench(l, known, force, push, moment);
}
