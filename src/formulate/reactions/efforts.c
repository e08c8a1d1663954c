// Efforts: generalised forces on coordinates of joints, as wrenches on both bodies; multipliers of
// couplings and motions, which are efforts on all coordinates and points that their equation names.
//
// Axes a_k of the turns of a joint need not be at right angles. An effort e on angle k is the
// torque e a_k*, with the dual axes a_k* in the span of the a_k:  a_k* . a_j = 1 if j = k, else 0.
#include "formulate/reactions/reactions.h"
#include "formulate/loads/loads.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>

// Axis k of the turns of a joint, in the world.
static ct_vec3 axis_of(ct_reaction_builder *b, const ct_connection *c, int k) {
    ct_vec3 e = ct_mat_vec(b->pool, ct_connection_rotation(b->pool, c, 0, k), c->axis[k]);
    e = ct_mat_vec(b->pool, c->orient[0], e);
    return ct_vec_let(b->pool, ct_turn(b->l, e, c->body[0], 0));
}

// The dual of axis k.
static ct_vec3 dual_axis(ct_reaction_builder *b, const ct_connection *c, int k) {
    ct_pool *pool = b->pool;
    ct_vec3 u = axis_of(b, c, k);
    if (c->n_rot == 1) return u;
    if (c->n_rot == 2) {
        // (u - (u . v) v) / (1 - (u . v)^2)
        ct_vec3 v = axis_of(b, c, 1 - k);
        ct_ex across = ct_let(pool, ct_vec_dot(pool, u, v));
        ct_ex square = ct_sub(pool, CT_ONE, ct_power_int(pool, across, 2));
        ct_vec3 part = ct_vec_sub(pool, u, ct_vec_scale(pool, across, v));
        return ct_vec_scale(pool, ct_power_int(pool, square, -1), part);
    }
    // v x w / (u . v x w)
    ct_vec3 v = axis_of(b, c, (k + 1) % 3), w = axis_of(b, c, (k + 2) % 3);
    ct_vec3 normal = ct_vec_let(pool, ct_vec_cross(pool, v, w));
    return ct_vec_scale(pool, ct_power_int(pool, ct_vec_dot(pool, u, normal), -1), normal);
}

void ct_reaction_effort(ct_reaction_builder *b, int coordinate, ct_reaction_term *term) {
    const ct_coordinate *x = b->model->coordinates + coordinate;
    const ct_connection *c = ct_reaction_connection(b->l, x->joint);
    *term = (ct_reaction_term){.body = {c->body[0], c->body[1]}, .at = b->at[x->joint]};
    term->force = term->moment = ct_vec3_zero();
    int slides = c->screw ? 0 : c->n_trans;
    if (x->index < slides) {
        ct_vec3 along = ct_mat_vec(b->pool, c->orient[0], c->direction[x->index]);
        term->force = ct_vec_let(b->pool, ct_turn(b->l, along, c->body[0], 0));
    } else {
        term->moment = dual_axis(b, c, x->index - slides);
    }
}

// Takes a wrench that bodies are given off what they need.
static void give(ct_reaction_builder *b, const ct_reaction_term *t, ct_ex factor) {
    for (int side = 0; side < 2; side++) {
        int body = t->body[side];
        if (!body) continue;
        ct_ex signed_factor = side ? factor : ct_neg(b->pool, factor);
        ct_vec3 force = ct_vec_scale(b->pool, signed_factor, t->force),
                moment = ct_vec_scale(b->pool, signed_factor, t->moment);
        ct_vec3 arm = ct_vec_sub(b->pool, t->at, b->centre[body]);
        moment = ct_vec_add(b->pool, moment, ct_vec_cross(b->pool, arm, force));
        b->force[body] = ct_vec_sub(b->pool, b->force[body], force);
        b->moment[body] = ct_vec_sub(b->pool, b->moment[body], moment);
    }
}

// A torque on spin k of a whole rotation.
static void on_spin(ct_reaction_builder *b, const ct_whole_rotation *whole, int part,
                    ct_reaction_term *term) {
    *term = (ct_reaction_term){.body = {whole->root, whole->body}};
    term->at = b->centre[whole->body];
    term->force = ct_vec3_zero();
    term->moment = ct_turn(b->l, ct_vec_unit(part), whole->in_root ? whole->root : whole->body, 0);
}

void ct_reaction_known_efforts(ct_reaction_builder *b, const ct_loads *loads) {
    const ct_formulation *f = b->l->f;
    for (int k = 0; k < f->n; k++) {
        int part;
        ct_reaction_term term;
        if (loads->generalised[k] == CT_ZERO) continue;
        const ct_whole_rotation *whole = ct_whole_rotation_followed(f, k, &part);
        if (whole)
            on_spin(b, whole, part, &term);
        else
            ct_reaction_effort(b, f->coordinate[k], &term);
        give(b, &term, ct_let(b->pool, loads->generalised[k]));
    }
}

ct_reaction_unknown *ct_reaction_unknown_new(ct_reaction_builder *b, int joint, int power) {
    ct_reaction_unknown *u = CT_PUSH_SCRATCH(b->unknowns, b->n_unknowns, b->room_unknowns);
    *u = (ct_reaction_unknown){.branch = joint, .power = power};
    u->symbol =
        ct_symbol(b->pool, CT_SYMBOL_OTHER, ct_scratch_format("reaction %d", b->n_unknowns - 1));
    return u;
}

static void add_term(ct_reaction_builder *b, ct_reaction_unknown *u, ct_ex factor,
                     ct_reaction_term t) {
    t.force = ct_vec_scale(b->pool, factor, t.force);
    t.moment = ct_vec_scale(b->pool, factor, t.moment);
    *CT_PUSH_SCRATCH(u->terms, u->n, u->room) = t;
}

// A force of unit size along the line from the first point to the second one, or on a component of a
// point.
static void on_probe(ct_reaction_builder *b, const ct_probe *p, ct_reaction_term *term) {
    ct_layout *l = b->l;
    ct_vec3 at[2];
    for (int k = 0; k < (p->kind == CT_PROBE_DISTANCE ? 2 : 1); k++)
        at[k] = ct_position(l, p->body[k], ct_from_com(l, p->body[k], p->at[k]));
    term->moment = ct_vec3_zero();
    if (p->kind == CT_PROBE_DISTANCE) {
        ct_vec3 d = ct_vec_sub(b->pool, at[1], at[0]);
        ct_ex size = ct_sqrt(b->pool, ct_vec_dot(b->pool, d, d));
        term->body[0] = p->body[0];
        term->body[1] = p->body[1];
        term->at = at[1];
        term->force = ct_vec_scale(b->pool, ct_power_int(b->pool, size, -1), d);
        return;
    }
    term->body[0] = 0;
    term->body[1] = p->body[0];
    term->at = at[0];
    term->force = ct_vec_unit(p->kind - CT_PROBE_X);
}

// The wrenches of a unit of the multiplier of  equation = 0:  efforts dPhi/dq on coordinates that
// it names, forces on points.
static void of_equation(ct_reaction_builder *b, ct_reaction_unknown *u, ct_ex equation) {
    ct_ex *symbols;
    int n = ct_ex_symbols(b->pool, 1, &equation, &symbols);
    for (int i = 0; i < n; i++) {
        ct_reaction_term term;
        ct_ex factor = ct_substitute(b->known, ct_diff(b->pool, equation, symbols[i]));
        for (int k = 0; k < b->model->n_coordinates; k++)
            if (b->model->coordinates[k].q == symbols[i]) {
                ct_reaction_effort(b, k, &term);
                add_term(b, u, factor, term);
            }
        for (int k = 0; k < b->model->n_probes; k++)
            if (b->model->probes[k].symbol == symbols[i]) {
                on_probe(b, b->model->probes + k, &term);
                add_term(b, u, factor, term);
            }
    }
}

// Phi of a motion or of a coupling, in the symbols of the model.
static ct_ex motion_equation(ct_reaction_builder *b, const ct_motion *motion) {
    ct_ex target = motion->coordinate >= 0 ? b->model->coordinates[motion->coordinate].q
                                           : b->model->probes[motion->probe].symbol;
    return ct_sub(b->pool, target, motion->value);
}

static ct_ex coupling_equation(ct_reaction_builder *b, const ct_joint *joint) {
    if (ct_joint_is_equation(joint->type)) return joint->equation;
    const ct_coordinate *q = b->model->coordinates;
    ct_ex first = ct_mul(b->pool, joint->ratio, q[joint->coordinate[0]].q);
    return ct_sub(b->pool, q[joint->coordinate[1]].q, first);
}

enum { OWN_UNIT = 2 }; // of an unknown: neither a force nor a moment

// The tension of a spring that is a drive: on B towards A.
static void of_spring(ct_reaction_builder *b, ct_reaction_unknown *u, const ct_force *force) {
    ct_probe line = {.kind = CT_PROBE_DISTANCE,
                     .body = {force->body[0], force->body[1]},
                     .at = {force->at[0], force->at[1]}};
    ct_reaction_term term;
    on_probe(b, &line, &term);
    add_term(b, u, ct_int(b->pool, -1), term);
}

static void of_drive(ct_reaction_builder *b, ct_reaction_unknown *u, const ct_drive *drive) {
    ct_reaction_term term;
    if (drive->coordinate < 0) {
        of_spring(b, u, b->model->forces + drive->force);
        return;
    }
    ct_reaction_effort(b, drive->coordinate, &term);
    add_term(b, u, CT_ONE, term);
}

// The rate of a coordinate, of a component of a point or of a distance.
static ct_ex rate_of(ct_reaction_builder *b, int coordinate, const ct_probe *probe) {
    if (coordinate >= 0) return ct_substitute(b->known, b->model->coordinates[coordinate].qd);
    return ct_load_rate(b->l, ct_substitute(b->known, probe->symbol));
}

static ct_ex drive_rate(ct_reaction_builder *b, const ct_drive *drive) {
    if (drive->coordinate >= 0) return rate_of(b, drive->coordinate, NULL);
    // a tension does work as the distance shrinks
    const ct_force *f = b->model->forces + drive->force;
    ct_layout *l = b->l;
    ct_vec3 d = ct_path(l, f->body[0], ct_from_com(l, f->body[0], f->at[0]), f->body[1],
                        ct_from_com(l, f->body[1], f->at[1]), 0);
    ct_ex distance = ct_sqrt(b->pool, ct_vec_dot(b->pool, d, d));
    return ct_neg(b->pool, ct_load_rate(l, distance));
}

void ct_reaction_multipliers(ct_reaction_builder *b, bool drives) {
    const ct_model *m = b->model;
    // efforts of drives, or of motions
    for (int i = 0; i < (drives ? m->n_drives : m->n_motions); i++) {
        ct_reaction_unknown *u = ct_reaction_unknown_new(b, -1, OWN_UNIT);
        const ct_motion *motion = m->motions + i;
        if (drives) {
            of_drive(b, u, m->drives + i);
            u->rate = drive_rate(b, m->drives + i);
        } else {
            of_equation(b, u, motion_equation(b, motion));
            u->rate = rate_of(b, motion->coordinate,
                              motion->probe >= 0 ? m->probes + motion->probe : NULL);
        }
    }
    // couplings, in the order of the model
    for (int i = 0; i < m->n_joints; i++)
        if (ct_joint_is_coupling(m->joints[i].type))
            of_equation(b, ct_reaction_unknown_new(b, -1, OWN_UNIT),
                        coupling_equation(b, m->joints + i));
}
