// Inside of the loads: what forces share, and one function for each type of force. Each adds its
// force and torque on bodies, or its generalised force, with its potential or its power.
#ifndef CT_LOADS_H
#define CT_LOADS_H

#include "formulate/dynamics.h"

bool ct_load_is_constant(const ct_layout *l, ct_ex a);
void ct_load_power(ct_layout *l, ct_loads *loads, ct_ex p);
void ct_load_potential(ct_layout *l, ct_loads *loads, ct_ex v);
ct_ex ct_load_rate(ct_layout *l, ct_ex a); // time derivative
ct_vec3 ct_load_rates(ct_layout *l, ct_vec3 v);
ct_vec3 ct_load_vector(ct_substitution *known, ct_vec3 v); // in terms of q

// Force (components in `frame`) at a point of a body: force in world, torque in body components.
void ct_load_push(ct_layout *l, ct_loads *loads, int body, ct_vec3 at, ct_vec3 force, int frame);
// Force and moment in world components at the arm `at`, from the centre of mass in world components.
void ct_load_push_world(ct_layout *l, ct_loads *loads, int body, ct_vec3 at, ct_vec3 force,
                        ct_vec3 moment);
// A force on coordinate k; one on the angle of a whole rotation acts on its spins.
void ct_load_act_on(ct_layout *l, int k, ct_ex value, ct_loads *loads);
// The coordinate that a force is on, as expression: its place among q, and its rate.
ct_ex ct_load_coordinate(ct_layout *l, const ct_force *force, int *k, ct_ex *rate);

ct_vec3 ct_load_world(ct_layout *l, ct_vec3 v, int body); // in world components

// Quantities of a force for outputs: each load tells what it has computed. What only outputs need is
// computed where one asks for it, so that other models stay as they are.
bool ct_load_is_asked(const ct_layout *l, int force, ct_force_quantity quantity);
void ct_load_tell(const ct_layout *l, ct_substitution *known, int force, ct_force_quantity quantity,
                  ct_ex value);
// A force and its moment, world components.
void ct_load_tell_wrench(const ct_layout *l, ct_substitution *known, int force, ct_vec3 push,
                         ct_vec3 moment);

// Force of a stop with penetration D > 0: N = max(0, k D^e (1 + a D') + c D'), else 0; its potential
// and power, which the opposite direction of D has too.
ct_ex ct_stop_force(ct_layout *l, ct_substitution *known, const ct_force *force, ct_ex depth,
                    ct_ex rate, ct_loads *loads);
// c(v) = kinetic + (at_rest - kinetic) exp(-(v / stribeck)^2), over sqrt(v^2 + slip^2); square: v^2.
// resistance.c: mu r v / sqrt(v^2 + slip^2) of friction by load
ct_ex ct_friction_by_load(ct_layout *l, ct_substitution *known, const ct_force *force);
ct_ex ct_friction_share(ct_layout *l, ct_substitution *known, const ct_force *force, ct_ex kinetic,
                        ct_ex at_rest, ct_ex square);

void ct_spring_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_torsion_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_bushing_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_contact_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_friction_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_limit_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);
void ct_drag_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads);

#endif
