// Bodies with mass, inertia, centre of mass and points; the hardpoints, which are ground's points.
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_point_list(ct_reader *r, const ct_yaml *map, int body) {
    if (ct_yaml_is_null(map) || !ct_read_map(r, map, body ? ct_of(r, "points") : "points")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i];
        if (!ct_read_name(r, key, "point")) continue;
        if (!strcmp(key->text, "com")) {
            ct_error_at(r->ctx, key->place,
                        "'com' means the centre of mass: name this point differently");
            continue;
        }
        ct_point point = {.place = key->place};
        const char *shown = ct_show(&r->shown, key->text);
        const char *what = ct_show_format(&r->shown, body ? "point '%s' of %s" : "hardpoint '%s'%s",
                                          shown, r->owner);
        ct_read_position(r, map->item[i + 1], body, what, &point.at);
        point.name = ct_strdup(key->text);
        ct_point_add(r, body, point);
    }
}

void ct_read_points(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "points");
    if (map) read_point_list(r, map, 0);
}

// Scalar: Izz; three: the diagonal; six: with products. About the centre of mass.
static void read_inertia(ct_reader *r, const ct_yaml *node, ct_body *body) {
    const char *what = ct_of(r, "inertia");
    double number[6] = {0};
    int n = node->kind == CT_YAML_LIST ? node->n : 1;
    bool known = true;
    if (node->kind == CT_YAML_MAP || (n != 1 && n != 3 && n != 6) ||
        (n == 1 && node->kind == CT_YAML_LIST)) {
        ct_error_at(
            r->ctx, node->place,
            "%s must be one number (Izz), [Ixx, Iyy, Izz], or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]",
            what);
        return;
    }
    for (int i = 0; i < n; i++) {
        int to = n == 1 ? 2 : i;
        known &=
            ct_read_expr(r, n == 1 ? node : node->item[i], CT_CONSTANT, what, &body->inertia[to]);
        number[to] = ct_model_number(r->model, body->inertia[to]);
        known &= isfinite(number[to]);
        if (to < 3) ct_note_condition(r, CT_IS_NOT_NEGATIVE, body->inertia[to], what);
    }
    if (known) ct_check_inertia(r, node, n, number);
}

#define BODY_KEYS "mass", "inertia", "com", "points", "shape", "sequence"

static void read_body(ct_reader *r, const ct_yaml *map, int index) {
    static const char *const keys[] = {BODY_KEYS};
    const ct_yaml *node;
    double number;
    ct_body *body = &r->model->bodies[index];
    if (ct_yaml_is_null(map) || !ct_read_map(r, map, r->owner)) return;
    ct_read_keys(r, map, r->owner, sizeof keys / sizeof *keys, keys);
    if (ct_read_constant(r, map, "mass", &body->mass, &number) && number < 0)
        ct_error_at(r->ctx, ct_yaml_get(map, "mass")->place,
                    "%s is negative (%g): it must be zero or more", ct_of(r, "mass"), number);
    ct_note_condition(r, CT_IS_NOT_NEGATIVE, body->mass, ct_of(r, "mass"));
    if ((node = ct_yaml_get(map, "inertia"))) read_inertia(r, node, body);
    // numbers first, since points may use the name com; a name after the points that it may stand
    // for
    const ct_yaml *com = ct_yaml_get(map, "com");
    if (com && com->kind == CT_YAML_LIST)
        ct_read_position(r, com, index, ct_of(r, "com"), &body->com);
    if ((node = ct_yaml_get(map, "points"))) read_point_list(r, node, index);
    if (com && com->kind != CT_YAML_LIST)
        ct_read_position(r, com, index, ct_of(r, "com"), &body->com);
    if ((node = ct_yaml_get(map, "shape"))) ct_read_shapes(r, node, index);
    if ((node = ct_yaml_get(map, "sequence")))
        body->has_sequence = ct_read_sequence(r, node, body->sequence);
}

void ct_read_bodies(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "bodies");
    // a model without bodies: one message, and none about what hangs on them
    if (!map) {
        ct_error_at(r->ctx, r->root->place,
                    "the model has no bodies: add a map bodies: {name: {mass: ...}}");
        r->loose = true;
        return;
    }
    if (!ct_read_map(r, map, "bodies")) {
        r->loose = true;
        return;
    }
    if (!map->n)
        ct_error_at(r->ctx, map->place, "bodies is empty: a mechanism needs at least one body");
    // each body, under its name; ground exists already
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i];
        if (!strcmp(key->text, "ground")) {
            ct_error_at(r->ctx, key->place,
                        "ground exists already: remove it here (its points stand under points:)");
            continue;
        }
        bool named = ct_read_name(r, key, "body"); // with a wrong name it still exists
        ct_body body = {.name = ct_strdup(key->text), .place = key->place, .com = ct_vec3_zero()};
        // known by name before its members are read: points and shapes refer to it
        r->loose |= !named;
        ct_name_map_set(&r->bodies, key->text, r->model->n_bodies);
        *CT_PUSH(r->model->bodies, r->model->n_bodies, r->model->room_bodies) = body;
        ct_owner(r, "body", key->text);
        read_body(r, map->item[i + 1], r->model->n_bodies - 1);
    }
    ct_owner(r, "", "");
}
