// What all kinds of forces share: how they act, and how bodies move. Velocities are in world
// components, written as the sweep writes them, so that expressions are shared.
#include "formulate/loads/loads.h"
#include "formulate/whole_rotation.h"

// how forces act ----------------------------------------------------------------------------------
bool ct_load_is_constant(const ct_layout *l, ct_ex a) {
    return !(ct_ex_kinds(l->pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

void ct_load_power(ct_layout *l, ct_loads *loads, ct_ex p) {
    loads->power = ct_add(l->pool, loads->power, p);
}

void ct_load_potential(ct_layout *l, ct_loads *loads, ct_ex v) {
    loads->potential = ct_add(l->pool, loads->potential, v);
}

ct_ex ct_load_rate(ct_layout *l, ct_ex a) {
    ct_derivation *time = ct_time_derivation(l->f);
    ct_ex r = ct_derive(time, a);
    ct_derivation_free(time);
    return r;
}

ct_vec3 ct_load_rates(ct_layout *l, ct_vec3 v) {
    ct_derivation *time = ct_time_derivation(l->f);
    for (int i = 0; i < 3; i++) v.v[i] = ct_derive(time, v.v[i]);
    ct_derivation_free(time);
    return v;
}

void ct_load_push(ct_layout *l, ct_loads *loads, int body, ct_vec3 at, ct_vec3 force, int frame) {
    if (!body) return;
    ct_vec3 in_body = ct_turn(l, force, frame, body);
    ct_vec3 torque = ct_vec_cross(l->pool, at, in_body);
    loads->force[body] = ct_vec_add(l->pool, loads->force[body], ct_turn(l, force, frame, 0));
    loads->torque[body] = ct_vec_add(l->pool, loads->torque[body], torque);
}

ct_vec3 ct_load_vector(ct_substitution *known, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = ct_substitute(known, v.v[i]);
    return v;
}

void ct_load_act_on(ct_layout *l, int k, ct_ex value, ct_loads *loads) {
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

ct_ex ct_load_coordinate(ct_layout *l, const ct_force *force, int *k, ct_ex *rate) {
    int part;
    *k = l->f->where[force->coordinate];
    const ct_whole_rotation *b = ct_whole_rotation_followed(l->f, *k, &part);
    *rate = b ? b->followed_rate[part] : l->f->qd[*k];
    return b ? b->followed_angle[part] : l->f->q[*k];
}

// what outputs ask for ----------------------------------------------------------------------------
static bool is_quantity(const ct_probe *p, int force, ct_force_quantity quantity) {
    return p->kind == CT_PROBE_FORCE && p->force == force && p->quantity == quantity;
}

bool ct_load_is_asked(const ct_layout *l, int force, ct_force_quantity quantity) {
    for (int i = 0; i < l->model->n_probes; i++)
        if (is_quantity(l->model->probes + i, force, quantity)) return true;
    return false;
}

void ct_load_tell(const ct_layout *l, ct_substitution *known, int force, ct_force_quantity quantity,
                  ct_ex value) {
    for (int i = 0; i < l->model->n_probes; i++)
        if (is_quantity(l->model->probes + i, force, quantity))
            ct_substitution_map(known, l->model->probes[i].symbol, value);
}

void ct_load_tell_wrench(const ct_layout *l, ct_substitution *known, int force, ct_vec3 push,
                         ct_vec3 moment) {
    for (int i = 0; i < 3; i++) {
        ct_load_tell(l, known, force, (ct_force_quantity)(CT_QUANTITY_FX + i), push.v[i]);
        ct_load_tell(l, known, force, (ct_force_quantity)(CT_QUANTITY_MX + i), moment.v[i]);
    }
}

// how bodies move ---------------------------------------------------------------------------------
ct_vec3 ct_load_world(ct_layout *l, ct_vec3 v, int body) {
    return ct_vec_let(l->pool, ct_turn(l, v, body, 0));
}

ct_vec3 ct_load_carried(ct_layout *l, int body, ct_vec3 r) {
    return ct_vec_cross(l->pool, ct_angular_velocity(l, body, 0), ct_load_world(l, r, body));
}

ct_vec3 ct_load_velocity(ct_layout *l, int body) {
    if (!body) return ct_vec3_zero();
    ct_pool *pool = l->pool;
    const ct_connection *c = l->connections + l->branch[CT_TRANSLATION][body];
    ct_vec3 on_a = ct_load_carried(l, c->body[0], ct_vec_add(pool, c->at[0], ct_slide(l, c)));
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 e = ct_load_world(l, ct_mat_vec(pool, c->orient[0], c->direction[k]), c->body[0]);
        on_a = ct_vec_add(pool, on_a, ct_vec_scale(pool, c->slide_d[k], e));
    }
    ct_vec3 step = ct_vec_sub(pool, on_a, ct_load_carried(l, c->body[1], c->at[1])),
            from = ct_load_velocity(l, l->parent[CT_TRANSLATION][body]);
    return ct_vec_let(pool, c->body[1] == body ? ct_vec_add(pool, from, step)
                                               : ct_vec_sub(pool, from, step));
}

void ct_load_push_world(ct_layout *l, ct_loads *loads, int body, ct_vec3 at, ct_vec3 force,
                        ct_vec3 moment) {
    if (!body) return;
    moment = ct_vec_add(l->pool, moment, ct_vec_cross(l->pool, at, force));
    loads->force[body] = ct_vec_add(l->pool, loads->force[body], force);
    loads->moment[body] = ct_vec_add(l->pool, loads->moment[body], moment);
}
