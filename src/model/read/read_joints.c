// Joints and the constraints among them: types, bodies, geometry, coordinates. Gears, racks and
// equations need the coordinates of other joints: a second pass reads them (read_couplings.c).
#include "model/read/read.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINT_KEYS(X)                                                                              \
    X(BETWEEN, "between")                                                                          \
    X(AT, "at")                                                                                    \
    X(AXIS, "axis")                                                                                \
    X(AXES, "axes")                                                                                \
    X(ORIENT, "orient")                                                                            \
    X(SEQUENCE, "sequence")                                                                        \
    X(PITCH, "pitch")                                                                              \
    X(LENGTH, "length")                                                                            \
    X(JOINTS, "joints")                                                                            \
    X(RATIO, "ratio")                                                                              \
    X(RADIUS, "radius")                                                                            \
    X(EQUATION, "equation")                                                                        \
    X(VIRTUAL, "virtual")                                                                          \
    X(ACTIVE, "active")                                                                            \
    X(ATTACH, "attach")                                                                            \
    X(GAP, "gap")                                                                                  \
    X(TYPE, "type")
enum {
#define X(name, text) BIT_##name,
    JOINT_KEYS(X)
#undef X
        KEY_COUNT
};
enum {
#define X(name, text) HAS_##name = 1 << BIT_##name,
    JOINT_KEYS(X)
#undef X
        FRAMES = HAS_BETWEEN | HAS_AT | HAS_ORIENT,
    SWITCHED = HAS_ACTIVE | HAS_ATTACH | HAS_GAP
};
static const char *const key_names[] = {
#define X(name, text) text,
    JOINT_KEYS(X)
#undef X
};

// Keys that a type takes, and keys that it needs.
typedef struct rule {
    unsigned takes, needs;
} rule;

// Keys of joints and constraints between bodies: a place where a point is held, an axis for lines,
// planes and kept axes.
static rule rule_between(ct_joint_type type, const ct_joint_traits *t) {
    bool is_tie = t->role == CT_ROLE_TIE,
         moves = ct_joint_translations(type) > 0 || ct_joint_rotations(type) > 0;
    bool has_line =
        t->holds == CT_HOLDS_PLANE || t->holds == CT_HOLDS_LINE || t->holds == CT_HOLDS_HELIX;
    rule r = {HAS_BETWEEN, HAS_BETWEEN};
    if (!is_tie || t->holds != CT_HOLDS_NOTHING) r.takes |= HAS_AT;
    if (t->holds != CT_HOLDS_DISTANCE) r.takes |= HAS_ORIENT;
    if (t->holds == CT_HOLDS_DISTANCE) r.takes |= HAS_LENGTH;
    if (t->holds == CT_HOLDS_HELIX) r.needs |= HAS_PITCH;
    if (is_tie && t->keeps == CT_KEEPS_AXIS) // one of the two
        r.takes |= HAS_AXIS | HAS_AXES;
    else if (has_line || t->keeps == CT_KEEPS_AXIS)
        r.needs |= HAS_AXIS;
    if (t->keeps == CT_KEEPS_ANGLE) r.needs |= HAS_AXES;
    if (!is_tie && t->keeps == CT_KEEPS_NOTHING) r.takes |= HAS_SEQUENCE;
    if (!is_tie && moves) r.takes |= HAS_VIRTUAL;
    r.takes |= r.needs;
    return r;
}

static rule rule_of(ct_joint_type type) {
    const ct_joint_traits *t = ct_joint_traits_of(type);
    switch (t->role) {
    case CT_ROLE_JOINT:
    case CT_ROLE_TIE: break;
    case CT_ROLE_GEAR: return (rule){HAS_JOINTS | HAS_RATIO, HAS_JOINTS | HAS_RATIO};
    case CT_ROLE_RACK: return (rule){HAS_JOINTS | HAS_RADIUS, HAS_JOINTS | HAS_RADIUS};
    case CT_ROLE_EQUATION: return (rule){HAS_EQUATION, HAS_EQUATION};
    }
    return rule_between(type, t);
}

// Type of the joint, or -1 after a message that also knows what belongs elsewhere or comes later.
static int read_type(ct_reader *r, const ct_yaml *map) {
    static const char *const types[] = {
#define X(name, text, role, holds, keeps, sign) text,
        CT_JOINT_TYPES(X)
#undef X
    };
    const ct_yaml *node = ct_yaml_get(map, "type");
    if (!node) {
        ct_error_at(r->ctx, map->place, "%s has no type: add one, as in type: revolute", r->owner);
        return -1;
    }
    const char *text = node->kind == CT_YAML_SCALAR ? node->text : "";
    if (!strcmp(text, "cam") || !strcmp(text, "slot")) {
        ct_error_at(r->ctx, node->place, "type '%s' of %s is not supported yet in this version",
                    text, r->owner);
        return -1;
    }
    for (int i = 0; i < CT_FORCE_TYPE_COUNT; i++)
        if (!strcmp(text, ct_force_type_name((ct_force_type)i))) {
            ct_error_at(r->ctx, node->place,
                        "'%s' is a force, not a joint: move %s to forces:", text, r->owner);
            return -1;
        }
    return ct_read_choice(r, node, "type", CT_JOINT_TYPE_COUNT, types);
}

// Messages about keys that this type does not take, and about keys that it needs.
static void check_keys(ct_reader *r, const ct_yaml *map, ct_joint_type type) {
    const rule keys = rule_of(type);
    unsigned given = 0, takes = keys.takes | HAS_TYPE | SWITCHED;
    const char *known[KEY_COUNT];
    int n = 0;
    // names of the keys that it takes, for messages
    for (int k = 0; k < KEY_COUNT; k++)
        if (takes >> k & 1) known[n++] = key_names[k];
    // keys that are given: known to other types only, or to none
    for (int i = 0; i + 1 < map->n; i += 2) {
        const char *key = map->item[i]->text;
        int k = 0;
        while (k < KEY_COUNT && strcmp(key, key_names[k])) k++;
        given |= 1u << k;
        if (k < KEY_COUNT && !(takes >> k & 1))
            ct_error_at(r->ctx, map->item[i]->place, "%s (%s) takes no %s (it takes: %s)", r->owner,
                        ct_joint_type_name(type), key, ct_list(r, n, known));
        else if (k == KEY_COUNT)
            ct_error_at(r->ctx, map->item[i]->place, "unknown key '%s' in %s%s",
                        ct_show(&r->shown, key), r->owner, ct_hint_or_list(r, key, n, known));
    }
    // keys that are missing
    for (int k = 0; k < KEY_COUNT; k++)
        if (keys.needs & ~given & 1u << k)
            ct_error_at(r->ctx, map->place, "%s (%s) needs %s: add it", r->owner,
                        ct_joint_type_name(type), key_names[k]);
    if (takes & HAS_AXIS && takes & HAS_AXES && !(given & (HAS_AXIS | HAS_AXES)))
        ct_error_at(r->ctx, map->place, "%s (%s) needs axis or axes: add one", r->owner,
                    ct_joint_type_name(type));
}

static void read_between(ct_reader *r, const ct_yaml *node, ct_joint *joint) {
    const char *what = ct_of(r, "'between'");
    if (ct_read_list(r, node, 2, what, "[A, B] of bodies"))
        for (int k = 0; k < 2; k++) joint->body[k] = ct_read_body(r, node->item[k], what);
    if (joint->body[0] >= 0 && joint->body[0] == joint->body[1]) {
        ct_error_at(r->ctx, node->place, "%s joins '%s' to itself: name two bodies", r->owner,
                    ct_show(&r->shown, r->model->bodies[joint->body[0]].name));
        joint->body[0] = joint->body[1] = -1;
    }
}

static void read_axes(ct_reader *r, const ct_yaml *node, ct_joint *joint) {
    double a[3], b[3];
    const char *what = ct_of(r, "axes");
    if (!ct_read_list(r, node, 2, what, "[axis in A, axis in B]")) return;
    bool ok = true;
    for (int k = 0; k < 2; k++)
        ok &= ct_read_axis(r, node->item[k], joint->body[k], what, &joint->axis[k]);
    if (!ok || !ct_joint_has_coordinates(joint->type) || !ct_number3(r, &joint->axis[0], a) ||
        !ct_number3(r, &joint->axis[1], b))
        return;
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    if (sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) < CT_AXES_PARALLEL)
        ct_error_at(r->ctx, node->place,
                    "%s are parallel: a universal joint needs two different axes", what);
    if (!ct_has_parameters(r->pool, joint->axis[0]) && !ct_has_parameters(r->pool, joint->axis[1]))
        return;
    // 1 - (a . b)^2 > 0
    ct_ex terms[3];
    for (int i = 0; i < 3; i++)
        terms[i] = ct_mul(r->pool, joint->axis[0].v[i], joint->axis[1].v[i]);
    ct_ex square = ct_power_int(r->pool, ct_sum(r->pool, 3, terms), 2);
    ct_note_condition(
        r, CT_IS_POSITIVE,
        ct_sub(r->pool, ct_rational(r->pool, CT_AXES_APART - 1, CT_AXES_APART), square), what);
}

bool ct_read_sequence(ct_reader *r, const ct_yaml *node, int *sequence) {
    const char *what = ct_of(r, "sequence"), *text = ct_read_text(r, node, what);
    if (!text) return false;
    if (strlen(text) != 3 || strspn(text, "xyz") != 3 || text[0] == text[1] || text[1] == text[2]) {
        ct_error_at(r->ctx, node->place,
                    "%s: '%s' is no sequence: write three of x, y, z, neighbours different, as in "
                    "zyx or zxz",
                    what, ct_show(&r->shown, text));
        return false;
    }
    for (int i = 0; i < 3; i++) sequence[i] = text[i] - 'x';
    return true;
}

// length, or the distance of the two points in the design position, where all body frames coincide
static void read_length(ct_reader *r, const ct_yaml *map, ct_joint *joint) {
    ct_ex square[3];
    double number = 1;
    if (ct_yaml_get(map, "length")) {
        if (ct_read_constant(r, map, "length", &joint->length, &number) && number <= 0)
            ct_error_at(
                r->ctx, ct_yaml_get(map, "length")->place,
                "%s is %g: it must be positive (a spherical joint keeps two points together)",
                ct_of(r, "length"), number);
        ct_note_condition(r, CT_IS_POSITIVE, joint->length, ct_of(r, "length"));
        return;
    }
    for (int i = 0; i < 3; i++)
        square[i] = ct_power_int(r->pool, ct_sub(r->pool, joint->at[1].v[i], joint->at[0].v[i]), 2);
    joint->length = ct_sqrt(r->pool, ct_sum(r->pool, 3, square));
    ct_note_condition(r, CT_IS_POSITIVE, joint->length, ct_of(r, "length"));
    if (joint->body[0] >= 0 && joint->body[1] >= 0 && ct_model_number(r->model, joint->length) == 0)
        ct_error_at(r->ctx, map->place,
                    "the two points of %s coincide in the design position: give its length",
                    r->owner);
}

static void read_geometry(ct_reader *r, const ct_yaml *map, ct_joint *joint) {
    const ct_yaml *node;
    double number;
    unsigned takes = rule_of(joint->type).takes;
    // bodies, places and frames
    if (takes & HAS_BETWEEN) {
        if ((node = ct_yaml_get(map, "between"))) read_between(r, node, joint);
        r->loose |= joint->body[0] < 0 || joint->body[1] < 0;
    }
    if (takes & HAS_AT && (node = ct_yaml_get(map, "at"))) ct_read_at(r, node, joint);
    if (takes & HAS_ORIENT && (node = ct_yaml_get(map, "orient")))
        ct_read_orient(r, node, joint->orient);
    // one axis; two points of it are kept as a line, unless the frame turns it
    if (takes & HAS_AXIS && (node = ct_yaml_get(map, "axis"))) {
        joint->has_line =
            ct_read_axis(r, node, joint->body[0], ct_of(r, "axis"), &joint->axis[0]) &&
            node->kind == CT_YAML_LIST && node->n == 2 && !ct_yaml_get(map, "orient");
        for (int k = 0; k < 2 && joint->has_line; k++)
            ct_read_position(r, node->item[k], joint->body[0], ct_of(r, "axis"), &joint->line[k]);
        joint->axis[1] = joint->axis[0];
        if (ct_yaml_get(map, "axes"))
            ct_error_at(r->ctx, node->place, "%s has both axis and axes: remove one", r->owner);
    }
    // two axes, the sequence of three angles, numbers
    if (takes & HAS_AXES && (node = ct_yaml_get(map, "axes"))) read_axes(r, node, joint);
    if (takes & HAS_SEQUENCE && (node = ct_yaml_get(map, "sequence")))
        ct_read_sequence(r, node, joint->sequence);
    if (takes & HAS_PITCH) ct_read_constant(r, map, "pitch", &joint->pitch, &number);
    if (takes & HAS_LENGTH) read_length(r, map, joint);
    if (takes & HAS_VIRTUAL && (node = ct_yaml_get(map, "virtual")))
        ct_read_bool(r, node, ct_of(r, "virtual"), &joint->is_virtual);
}

static void add_coordinates(ct_reader *r, int index) {
    ct_model *m = r->model;
    ct_joint *joint = &m->joints[index];
    int translations = ct_joint_translations(joint->type);
    joint->first_coordinate = m->n_coordinates;
    if (joint->is_switched) return;
    joint->n_coordinates = translations + ct_joint_rotations(joint->type);
    for (int i = 0; i < joint->n_coordinates; i++) {
        ct_coordinate c = {.joint = index, .index = i, .is_angle = i >= translations};
        c.name = ct_format("%s%s", joint->name, ct_joint_suffix(joint->type, i));
        char *rate = ct_format("%s'", c.name);
        c.q = ct_symbol(r->pool, CT_SYMBOL_COORDINATE, c.name);
        c.qd = ct_symbol(r->pool, CT_SYMBOL_RATE, rate);
        ct_string_free(rate);
        ct_name_map_set(&r->coordinates, c.name, m->n_coordinates);
        *CT_PUSH(m->coordinates, m->n_coordinates, m->room_coordinates) = c;
    }
}

static void read_joint(ct_reader *r, const ct_yaml *key, const ct_yaml *map) {
    ct_model *m = r->model;
    const ct_ex z = CT_ONE;
    ct_owner(r, "joint", key->text);
    // without a type the name is known as broken, so that uses of it need no message
    int type = ct_read_map(r, map, r->owner) ? read_type(r, map) : -1;
    if (type < 0) {
        ct_name_map_set(&r->broken, key->text, 1);
        r->loose = true;
        return;
    }
    // defaults: frames of the bodies, axis z, angles about z, y, x
    int index = m->n_joints;
    ct_joint *joint = CT_PUSH(m->joints, m->n_joints, m->room_joints);
    *joint = (ct_joint){
        .name = ct_strdup(key->text),
        .place = key->place,
        .type = (ct_joint_type)type,
        .body = {-1, -1},
        .orient = {ct_mat3_identity(), ct_mat3_identity()},
        .axis = {{{CT_ZERO, CT_ZERO, z}}, {{CT_ZERO, CT_ZERO, z}}},
        .sequence = {2, 1, 0},
        .coordinate = {-1, -1},
    };
    // keys, geometry, coordinates
    ct_name_map_set(&r->joints, key->text, index);
    check_keys(r, map, joint->type);
    read_geometry(r, map, joint);
    joint->is_switched = ct_yaml_get(map, "active") != NULL;
    add_coordinates(r, index);
}

// Warning about a coordinate that expressions cannot name: a parameter, an input or a constant has
// its name.
static void warn_hidden(ct_reader *r) {
    static const char *const constants[] = {"t", "pi", "deg", "mm"};
    for (int i = 0; i < r->model->n_coordinates; i++) {
        const ct_coordinate *c = &r->model->coordinates[i];
        const char *other = ct_name_map_get(&r->parameters, c->name) >= 0 ? "parameter"
                            : ct_name_map_get(&r->inputs, c->name) >= 0   ? "input"
                                                                          : NULL;
        for (int k = 0; k < 4; k++)
            if (!strcmp(c->name, constants[k])) other = "constant";
        if (other)
            ct_warning_at(
                r->ctx, r->model->joints[c->joint].place,
                "in expressions '%s' means the %s, not the coordinate of this joint: rename one",
                c->name, strcmp(c->name, "t") ? other : "time");
    }
}

// Message about joints named a and a': the rate of the first has the name of the second.
static void check_primes(ct_reader *r) {
    for (int i = 0; i < r->model->n_coordinates; i++) {
        const ct_coordinate *c = &r->model->coordinates[i];
        size_t n = strlen(c->name);
        if (!n || c->name[n - 1] != '\'') continue;
        char *stem = ct_strndup(c->name, n - 1);
        if (ct_name_map_get(&r->coordinates, stem) >= 0)
            ct_error_at(r->ctx, r->model->joints[c->joint].place,
                        "joint '%s' has the name of the rate of '%s': rename one",
                        ct_show(&r->shown, c->name), ct_show(&r->shown, stem));
        ct_string_free(stem);
    }
}

void ct_read_joints(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "joints");
    if (!map || ct_yaml_is_null(map)) return;
    if (!ct_read_map(r, map, "joints")) {
        r->loose = true;
        return;
    }
    // joints that come and go stand behind the others
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i + 1 < map->n; i += 2) {
            const ct_yaml *key = map->item[i], *value = map->item[i + 1];
            if ((value->kind == CT_YAML_MAP && ct_yaml_get(value, "active")) == (pass == 0))
                continue;
            ct_read_name(r, key, "joint"); // with a wrong name it still exists
            if (ct_name_map_get(&r->bodies, key->text) >= 0)
                ct_error_at(r->ctx, key->place,
                            "joint '%s' has the name of %s: rename one (they share their names)",
                            ct_show(&r->shown, key->text),
                            strcmp(key->text, "ground") ? "a body" : "the ground");
            read_joint(r, key, value);
        }
    for (int i = r->model->n_joints; i > 0 && r->model->joints[i - 1].is_switched; i--) {
        r->model->n_switched++;
        r->model->n_joints--;
    }
    ct_owner(r, "", "");
    check_primes(r);
    warn_hidden(r);
}
