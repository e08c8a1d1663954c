// Forces with laws of their own: bushings, contacts, friction in joints, stops, drag. What must be
// constant, positive or in order is checked here, where a number says so.
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers by their keys ---------------------------------------------------------------------------
static bool read_one(ct_reader *r, const ct_yaml *map, ct_force *force, ct_force_number which) {
    return ct_read_number(r, map, ct_force_number_name(which), force->number + which);
}

static bool read_all(ct_reader *r, const ct_yaml *map, ct_force *force, int n,
                     const ct_force_number *which) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= read_one(r, map, force, which[i]);
    return any;
}

// Says so where a number is known and below (or at) zero.
static void check_sign(ct_reader *r, const ct_yaml *map, const char *key, ct_ex value,
                       bool positive) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (!node) return;
    const double number = ct_model_number(r->model, value);
    if (number < 0 || (positive && number == 0))
        ct_error_at(r->ctx, node->place, "%s is %g: it must be %s", ct_of(r, key), number,
                    positive ? "positive" : "zero or more");
}

static void check_number(ct_reader *r, const ct_yaml *map, const ct_force *force,
                         ct_force_number which, bool positive) {
    check_sign(r, map, ct_force_number_name(which), force->number[which], positive);
}

// A constant by its key; false where it is not there.
static bool read_fixed(ct_reader *r, const ct_yaml *map, ct_force *force, ct_force_number which) {
    double number;
    if (!ct_yaml_get(map, ct_force_number_name(which))) return false;
    ct_read_constant(r, map, ct_force_number_name(which), force->number + which, &number);
    return true;
}

// A key of a law that is not there yet. Returns true if the key is used.
static bool refuse(ct_reader *r, const ct_yaml *map, const char *key, const char *instead) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (node)
        ct_error_at(r->ctx, node->place, "%s is not supported yet in this version: %s",
                    ct_of(r, key), instead);
    return node;
}

// laws that forces share --------------------------------------------------------------------------
// Elastic and damping part of a stop; one of them must be there.
static void read_stop(ct_reader *r, const ct_yaml *map, ct_force *force) {
    bool refused = refuse(r, map, "restitution", "give stiffness and dissipation");
    bool acts = ct_read_number(r, map, "stiffness", &force->stiffness);
    acts |= ct_read_number(r, map, "damping", &force->damping);
    force->number[CT_NUMBER_EXPONENT] = CT_ONE;
    read_fixed(r, map, force, CT_NUMBER_EXPONENT);
    read_one(r, map, force, CT_NUMBER_DISSIPATION);
    // signs
    check_sign(r, map, "stiffness", force->stiffness, false);
    check_sign(r, map, "damping", force->damping, false);
    check_number(r, map, force, CT_NUMBER_EXPONENT, true);
    check_number(r, map, force, CT_NUMBER_DISSIPATION, false);
    if (!acts && !refused)
        ct_error_at(r->ctx, map->place, "%s has no effect: give stiffness or damping", r->owner);
    else if (ct_yaml_get(map, "dissipation") && !ct_yaml_get(map, "stiffness"))
        ct_error_at(r->ctx, ct_yaml_get(map, "dissipation")->place,
                    "%s works on stiffness, which %s has not: give it, or use damping",
                    ct_of(r, "dissipation"), r->owner);
}

// Speeds of slipping: 1e-3, and ten times that for the fall from static friction.
static void read_speeds(ct_reader *r, const ct_yaml *map, ct_force *force) {
    ct_ex *slip = force->number + CT_NUMBER_SLIP_SPEED;
    *slip = ct_rational(r->pool, 1, 1000);
    read_one(r, map, force, CT_NUMBER_SLIP_SPEED);
    force->number[CT_NUMBER_STRIBECK_SPEED] = ct_mul(r->pool, ct_int(r->pool, 10), *slip);
    read_one(r, map, force, CT_NUMBER_STRIBECK_SPEED);
    check_number(r, map, force, CT_NUMBER_SLIP_SPEED, true);
    check_number(r, map, force, CT_NUMBER_STRIBECK_SPEED, true);
}

// kinds -------------------------------------------------------------------------------------------
// Three numbers (along the axes) or six (about them too).
static bool read_directions(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value) {
    const ct_yaml *node = ct_yaml_get(map, key);
    const char *what = ct_of(r, key);
    if (!node) return false;
    if (node->kind != CT_YAML_LIST || (node->n != 3 && node->n != 6)) {
        ct_error_at(r->ctx, node->place,
                    "%s must be a list of 3 numbers (along x, y, z) or 6 (about them too)", what);
        return true;
    }
    for (int i = 0; i < node->n; i++) ct_read_expr(r, node->item[i], CT_OF_MOTION, what, value + i);
    return true;
}

void ct_read_bushing(ct_reader *r, const ct_yaml *map, ct_force *force) {
    static const char *const keys[] = {"stiffness", "damping", "preload"};
    const ct_yaml *node = ct_yaml_get(map, "orient");
    bool acts = false;
    ct_read_between(r, map, force);
    force->orient[0] = force->orient[1] = ct_mat3_identity();
    if (node) ct_read_orient(r, node, force->orient);
    for (int k = 0; k < CT_BUSHING_PARTS; k++)
        acts |= read_directions(r, map, keys[k], force->bushing[k]);
    if (!acts)
        ct_error_at(r->ctx, map->place, "%s has no effect: give stiffness, damping or preload",
                    r->owner);
}

// A constant radius that is not negative.
static void read_radius(ct_reader *r, const ct_yaml *node, ct_ex *radius) {
    const char *what = ct_of(r, "radius");
    if (!ct_read_expr(r, node, CT_CONSTANT, what, radius)) return;
    const double number = ct_model_number(r->model, *radius);
    if (number < 0)
        ct_error_at(r->ctx, node->place, "%s is %g: it must be zero or more", what, number);
}

void ct_read_contact(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const ct_yaml *plane = ct_yaml_get(map, "plane"), *radius = ct_yaml_get(map, "radius");
    ct_read_between(r, map, force);
    force->has_plane = plane;
    // a sphere of B (or a point) against a plane of A, or spheres of both
    if (plane) {
        ct_read_axis(r, plane, force->body[0], ct_of(r, "plane"), &force->vector);
        if (radius) read_radius(r, radius, &force->radius);
    } else if (!radius) {
        ct_error_at(r->ctx, map->place,
                    "%s touches nothing: give plane (outward normal in the first body), or "
                    "radius: [rA, rB] of two spheres",
                    r->owner);
    } else if (ct_read_list(r, radius, 2, ct_of(r, "radius"), "[rA, rB] of two spheres")) {
        read_radius(r, radius->item[0], &force->other_radius);
        read_radius(r, radius->item[1], &force->radius);
    }
    // normal force, then friction
    read_stop(r, map, force);
    bool rubs = read_one(r, map, force, CT_NUMBER_FRICTION);
    force->number[CT_NUMBER_STATIC_FRICTION] = force->number[CT_NUMBER_FRICTION];
    rubs |= read_one(r, map, force, CT_NUMBER_STATIC_FRICTION);
    read_speeds(r, map, force);
    check_number(r, map, force, CT_NUMBER_FRICTION, false);
    check_number(r, map, force, CT_NUMBER_STATIC_FRICTION, false);
    const ct_yaml *speed = ct_yaml_get(map, "slip_speed");
    if (!rubs && speed)
        ct_error_at(r->ctx, speed->place,
                    "%s has no effect without friction: give it, or remove "
                    "the speed",
                    ct_of(r, "slip_speed"));
}

// Friction by load: a coefficient, and the radius of the bearing where the coordinate is an angle. Its
// joint must carry its load about or along one axis.
static void read_coefficient(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const ct_yaml *node = ct_yaml_get(map, "coefficient"), *radius = ct_yaml_get(map, "radius");
    const ct_coordinate *c = r->model->coordinates + force->coordinate;
    const ct_joint *joint = r->model->joints + c->joint;
    static const char *const others[] = {"coulomb", "static"};
    double number = 1;
    if (joint->is_virtual || !ct_joint_is_on_axis(joint->type) ||
        ct_joint_traits_of(joint->type)->holds == CT_HOLDS_HELIX)
        ct_error_at(r->ctx, node->place,
                    "%s needs a joint with an axis that carries a load: '%s' is %s%s; take a "
                    "revolute, prismatic or cylindrical joint, or give coulomb",
                    ct_of(r, "coefficient"), joint->name, joint->is_virtual ? "virtual, " : "",
                    ct_joint_type_name(joint->type));
    for (int i = 0; i < 2; i++)
        if (ct_yaml_get(map, others[i]))
            ct_error_at(r->ctx, ct_yaml_get(map, others[i])->place,
                        "%s does not go with a coefficient, which replaces it: remove one of them",
                        ct_of(r, others[i]));
    // the radius turns a force into a moment
    force->radius = CT_ONE;
    if (c->is_angle && !radius)
        ct_error_at(r->ctx, node->place,
                    "%s works on an angle: give the radius of the bearing, in metres",
                    ct_of(r, "coefficient"));
    else if (radius)
        ct_read_constant(r, map, "radius", &force->radius, &number);
    if (radius && !c->is_angle && number != 1) // of a slide: 1
        ct_error_at(r->ctx, radius->place, "%s has no meaning on a slide: remove it",
                    ct_of(r, "radius"));
    else if (number < 0)
        ct_error_at(r->ctx, radius->place, "%s is %g: it must be zero or more", ct_of(r, "radius"),
                    number);
    read_one(r, map, force, CT_NUMBER_COEFFICIENT);
    check_number(r, map, force, CT_NUMBER_COEFFICIENT, false);
    char *name = ct_format("%s effort", force->name);
    force->effort = ct_symbol(r->model->pool, CT_SYMBOL_INPUT, name);
    ct_free(name);
}

void ct_read_friction(ct_reader *r, const ct_yaml *map, ct_force *force) {
    static const char *const laws[] = {"smooth", "stick"};
    const ct_yaml *law = ct_yaml_get(map, "law");
    ct_read_on_coordinate(r, map, force);
    if (law && ct_read_choice(r, law, "law", 2, laws) == 1)
        ct_error_at(r->ctx, law->place,
                    "%s 'stick' is not supported yet in this version: use smooth", ct_of(r, "law"));
    bool by_load = ct_yaml_get(map, "coefficient") && force->coordinate >= 0;
    if (by_load) read_coefficient(r, map, force);
    bool acts = read_one(r, map, force, CT_NUMBER_COULOMB);
    force->number[CT_NUMBER_STATIC] = force->number[CT_NUMBER_COULOMB];
    acts |= read_all(r, map, force, 2, (ct_force_number[]){CT_NUMBER_STATIC, CT_NUMBER_VISCOUS});
    read_speeds(r, map, force);
    check_number(r, map, force, CT_NUMBER_COULOMB, false);
    check_number(r, map, force, CT_NUMBER_STATIC, false);
    if (!acts && !ct_yaml_get(map, "coefficient"))
        ct_error_at(r->ctx, map->place, "%s has no effect: give coulomb, viscous or a coefficient",
                    r->owner);
    const ct_yaml *radius = ct_yaml_get(map, "radius");
    if (radius && !ct_yaml_get(map, "coefficient"))
        ct_error_at(r->ctx, radius->place, "%s belongs to a coefficient: remove it",
                    ct_of(r, "radius"));
}

void ct_read_limit(ct_reader *r, const ct_yaml *map, ct_force *force) {
    ct_read_on_coordinate(r, map, force);
    force->has_bound[0] = read_fixed(r, map, force, CT_NUMBER_LOWER);
    force->has_bound[1] = read_fixed(r, map, force, CT_NUMBER_UPPER);
    if (!force->has_bound[0] && !force->has_bound[1])
        ct_error_at(r->ctx, map->place, "%s stops nothing: give lower, upper or both", r->owner);
    const double lower = ct_model_number(r->model, force->number[CT_NUMBER_LOWER]),
                 upper = ct_model_number(r->model, force->number[CT_NUMBER_UPPER]);
    if (force->has_bound[0] && force->has_bound[1] && lower > upper)
        ct_error_at(r->ctx, ct_yaml_get(map, "upper")->place, "%s is %g, below lower, %g",
                    ct_of(r, "upper"), upper, lower);
    read_stop(r, map, force);
}

void ct_read_drag(ct_reader *r, const ct_yaml *map, ct_force *force) {
    static const ct_force_number parts[] = {CT_NUMBER_LINEAR, CT_NUMBER_QUADRATIC,
                                            CT_NUMBER_ANGULAR};
    const ct_yaml *wind = ct_yaml_get(map, "wind");
    ct_read_on(r, map, force);
    bool acts = read_all(r, map, force, 3, parts);
    if (wind) ct_read_vector(r, wind, CT_OF_MOTION, ct_of(r, "wind"), &force->vector);
    for (int i = 0; i < 3; i++) check_number(r, map, force, parts[i], false);
    if (!acts)
        ct_error_at(r->ctx, map->place, "%s has no effect: give linear, quadratic or angular",
                    r->owner);
}
