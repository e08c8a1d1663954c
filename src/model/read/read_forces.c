// Forces on bodies, between points and on coordinates.
#include "model/read/read.h"

#include <stdlib.h>
#include <string.h>

bool ct_read_number(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (node) ct_read_expr(r, node, CT_OF_MOTION, ct_of(r, key), value);
    return node;
}

// The same in the law of the spring that is being read, which may name its extension and rate.
static bool by_law(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value) {
    r->law = r->model->n_forces - 1;
    bool given = ct_read_number(r, map, key, value);
    r->law = -1;
    return given;
}

static bool read_end(ct_reader *r, const ct_yaml *node, const char *what, int *body, ct_vec3 *at) {
    char message[256] = "";
    const char *text = ct_read_text(r, node, what);
    if (text && ct_point_named(r, text, body, at, message, sizeof message)) return true;
    if (text) ct_error_at(r->ctx, node->place, "%s: %s", what, message);
    return false;
}

void ct_read_on(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const ct_yaml *node = ct_read_needed(r, map, "on");
    const char *what = ct_of(r, "'on'");
    if (!node || !read_end(r, node, what, &force->body[0], &force->at[0])) return;
    bool has_point = strchr(node->text, '.');
    if (!force->body[0])
        ct_error_at(r->ctx, node->place, "%s acts on ground, which does not move: name a body",
                    r->owner);
    else if (has_point && force->type == CT_FORCE_TORQUE)
        ct_error_at(r->ctx, node->place, "%s: a torque acts on a whole body: remove the point",
                    what);
    else if (!has_point)
        force->at[0] = r->model->bodies[force->body[0]].com;
}

static void read_load(ct_reader *r, const ct_yaml *map, ct_force *force) {
    static const char *const frames[] = {"ground", "body"};
    const ct_yaml *node;
    ct_read_on(r, map, force);
    if ((node = ct_read_needed(r, map, "vector")))
        ct_read_vector(r, node, CT_OF_MOTION, ct_of(r, "vector"), &force->vector);
    if ((node = ct_yaml_get(map, "frame")))
        force->in_body = ct_read_choice(r, node, "frame", 2, frames) == 1;
}

void ct_read_on_coordinate(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const ct_yaml *node = ct_read_needed(r, map, "joint");
    if (node) force->coordinate = ct_read_coordinate(r, node, ct_of(r, "'joint'"));
}

static void read_actuator(ct_reader *r, const ct_yaml *map, ct_force *force) {
    ct_read_on_coordinate(r, map, force);
    if (ct_read_needed(r, map, "value")) ct_read_number(r, map, "value", &force->value);
}

static void read_torsion(ct_reader *r, const ct_yaml *map, ct_force *force) {
    ct_read_on_coordinate(r, map, force);
    bool acts = by_law(r, map, "stiffness", &force->stiffness);
    acts |= by_law(r, map, "damping", &force->damping);
    ct_read_number(r, map, "angle", &force->length);
    if (!acts)
        ct_error_at(r->ctx, map->place, "%s has no effect: give stiffness or damping", r->owner);
}

void ct_read_between(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const char *what = ct_of(r, "'between'");
    const ct_yaml *node = ct_read_needed(r, map, "between");
    if (node && ct_read_list(r, node, 2, what, "[A.p, B.q] of points")) {
        bool ok = true;
        for (int k = 0; k < 2; k++)
            ok &= read_end(r, node->item[k], what, &force->body[k], &force->at[k]);
        if (ok && force->body[0] == force->body[1])
            ct_error_at(r->ctx, node->place,
                        "both ends of %s are on '%s': name points of two bodies", r->owner,
                        ct_show(&r->shown, r->model->bodies[force->body[0]].name));
    }
}

static void read_spring(ct_reader *r, const ct_yaml *map, ct_force *force) {
    ct_read_between(r, map, force);
    bool acts = by_law(r, map, "stiffness", &force->stiffness);
    acts |= by_law(r, map, "damping", &force->damping);
    acts |= by_law(r, map, "force", &force->value);
    if (ct_read_number(r, map, "length", &force->length) &&
        ct_model_number(r->model, force->length) < 0)
        ct_error_at(r->ctx, ct_yaml_get(map, "length")->place,
                    "%s is negative: it must be zero or more", ct_of(r, "length"));
    ct_note_condition(r, CT_IS_NOT_NEGATIVE, force->length, ct_of(r, "length"));
    if (!acts && !(force->name && ct_is_drive(r, force->name)))
        ct_error_at(r->ctx, map->place, "%s has no effect: give stiffness, damping or force",
                    r->owner);
}

#define LOAD_KEYS     "type", "on", "vector", "frame"
#define ACTUATOR_KEYS "type", "joint", "value"
#define SPRING_KEYS   "type", "between", "stiffness", "damping", "length", "force"
#define TORSION_KEYS  "type", "joint", "stiffness", "damping", "angle"
#define TYRE_KEYS                                                                                  \
    "type", "on", "centre", "axis", "radius", "stiffness", "damping", "road", "friction",          \
        "slip_speed", "mirror", "coefficients"
#define BUSHING_KEYS "type", "between", "orient", "stiffness", "damping", "preload"
#define CONTACT_KEYS                                                                               \
    "type", "between", "plane", "radius", "stiffness", "exponent", "dissipation", "damping",       \
        "friction", "static_friction", "slip_speed", "stribeck_speed", "restitution"
#define FRICTION_KEYS                                                                              \
    "type", "joint", "coulomb", "static", "viscous", "slip_speed", "stribeck_speed",               \
        "coefficient", "radius", "law"
#define LIMIT_KEYS                                                                                 \
    "type", "joint", "lower", "upper", "stiffness", "damping", "dissipation", "exponent",          \
        "restitution"
#define DRAG_KEYS "type", "on", "linear", "quadratic", "angular", "wind"
enum { KEYS_MAX = 13 };

static const struct {
    const char *keys[KEYS_MAX];
    void (*read)(ct_reader *r, const ct_yaml *map, ct_force *force);
} kinds[] = {
    [CT_FORCE_FORCE] = {{LOAD_KEYS}, read_load},
    [CT_FORCE_TORQUE] = {{LOAD_KEYS}, read_load},
    [CT_FORCE_ACTUATOR] = {{ACTUATOR_KEYS}, read_actuator},
    [CT_FORCE_SPRING] = {{SPRING_KEYS}, read_spring},
    [CT_FORCE_TORSION] = {{TORSION_KEYS}, read_torsion},
    [CT_FORCE_TYRE] = {{TYRE_KEYS}, ct_read_tyre},
    [CT_FORCE_BUSHING] = {{BUSHING_KEYS}, ct_read_bushing},
    [CT_FORCE_CONTACT] = {{CONTACT_KEYS}, ct_read_contact},
    [CT_FORCE_FRICTION] = {{FRICTION_KEYS}, ct_read_friction},
    [CT_FORCE_LIMIT] = {{LIMIT_KEYS}, ct_read_limit},
    [CT_FORCE_DRAG] = {{DRAG_KEYS}, ct_read_drag},
};
_Static_assert(sizeof kinds / sizeof *kinds == CT_FORCE_TYPE_COUNT, "a reader for each type");

static int read_type(ct_reader *r, const ct_yaml *map) {
    static const char *const types[] = {
#define X(name, text, ...) text,
        CT_FORCE_TYPES(X)
#undef X
    };
    // a type must be given
    const ct_yaml *node = ct_yaml_get(map, "type");
    if (!node) {
        ct_error_at(r->ctx, map->place, "%s has no type: add one, as in type: spring", r->owner);
        return -1;
    }
    const char *text = node->kind == CT_YAML_SCALAR ? node->text : "";
    // types of joints get a message of their own
    for (int i = 0; i < CT_JOINT_TYPE_COUNT; i++)
        if (!strcmp(text, ct_joint_type_name((ct_joint_type)i))) {
            ct_error_at(r->ctx, node->place,
                        "'%s' is a joint, not a force: move %s to joints:", text, r->owner);
            return -1;
        }
    // else one of the table
    return ct_read_choice(r, node, "type", CT_FORCE_TYPE_COUNT, types);
}

void ct_read_forces(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "forces");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "forces")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i], *node = map->item[i + 1];
        ct_read_name(r, key, "force");
        ct_owner(r, "force", key->text);
        int type = ct_read_map(r, node, r->owner) ? read_type(r, node) : -1;
        if (type < 0) continue;
        ct_force *force = CT_PUSH(r->model->forces, r->model->n_forces, r->model->room_forces);
        *force = (ct_force){.name = ct_strdup(key->text),
                            .place = key->place,
                            .type = (ct_force_type)type,
                            .body = {-1, -1},
                            .coordinate = -1};
        int n = 0;
        while (n < KEYS_MAX && kinds[type].keys[n]) n++;
        ct_read_keys(r, node, r->owner, n, kinds[type].keys);
        kinds[type].read(r, node, force);
    }
    ct_owner(r, "", "");
}
