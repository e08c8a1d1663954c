// References by name: bodies, coordinates, points (body.point).
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ct_read_body(ct_reader *r, const ct_yaml *node, const char *what) {
    const char *name = ct_read_text(r, node, what);
    int i = name ? ct_name_map_get(&r->bodies, name) : -1;
    if (!name || i >= 0) return i;
    const char *shown = ct_show(&r->shown, name), *hint = ct_hint_map(r, name, &r->bodies);
    if (ct_name_map_get(&r->joints, name) >= 0)
        ct_error_at(r->ctx, node->place, "%s: '%s' is a joint, not a body", what, shown);
    else
        ct_error_at(r->ctx, node->place, "%s: there is no body '%s'%s", what, shown,
                    *hint ? hint : "; add it under bodies:");
    return -1;
}

bool ct_is_broken(ct_reader *r, const char *coordinate) {
    size_t n = strcspn(coordinate, ".");
    char *joint = ct_strndup(coordinate, n);
    bool broken = ct_name_map_get(&r->broken, joint) >= 0;
    ct_free(joint);
    return broken;
}

const char *ct_coordinate_list(ct_reader *r, int joint) {
    const ct_joint *j = &r->model->joints[joint];
    const char *names[6] = {0};
    for (int i = 0; i < j->n_coordinates; i++)
        names[i] = r->model->coordinates[j->first_coordinate + i].name;
    return ct_list(r, j->n_coordinates, names);
}

int ct_read_coordinate(ct_reader *r, const ct_yaml *node, const char *what) {
    const char *name = ct_read_text(r, node, what);
    if (!name) return -1;
    int i = ct_name_map_get(&r->coordinates, name), joint = ct_name_map_get(&r->joints, name);
    if (i >= 0 || ct_is_broken(r, name)) return i;
    const char *shown = ct_show(&r->shown, name);
    if (joint >= 0 && r->model->joints[joint].n_coordinates > 1)
        ct_error_at(r->ctx, node->place, "%s: joint '%s' has several coordinates: write one of %s",
                    what, shown, ct_coordinate_list(r, joint));
    else if (joint >= 0 && r->model->joints[joint].is_switched)
        ct_error_at(
            r->ctx, node->place,
            "%s: '%s' comes and goes (active), so it has no coordinate: measure it by points", what,
            shown);
    else if (joint >= 0)
        ct_error_at(r->ctx, node->place, "%s: '%s' (%s) has no coordinate", what, shown,
                    ct_joint_type_name(r->model->joints[joint].type));
    else
        ct_error_at(r->ctx, node->place, "%s: there is no coordinate '%s'%s", what, shown,
                    ct_hint_map(r, name, &r->coordinates));
    return -1;
}

static int find_point(const ct_reader *r, int body, const char *name) {
    char *key = ct_scratch_format("%d.%s", body, name);
    return ct_name_map_get(&r->points, key);
}

void ct_point_add(ct_reader *r, int body, ct_point point) {
    ct_body *b = &r->model->bodies[body];
    char *key = ct_scratch_format("%d.%s", body, point.name);
    ct_name_map_set(&r->points, key, b->n_points);
    *CT_PUSH(b->points, b->n_points, b->room_points) = point;
}

// A name on a body: its centre of mass, its points, the hardpoints.
bool ct_point_on(ct_reader *r, int body, const char *name, ct_vec3 *at) {
    if (body && !strcmp(name, "com")) {
        *at = r->model->bodies[body].com;
        return true;
    }
    int i = find_point(r, body, name);
    if (i < 0 && body) i = find_point(r, body = 0, name);
    if (i >= 0) *at = r->model->bodies[body].points[i].at;
    return i >= 0;
}

static const char *point_hint(ct_reader *r, int body, const char *name) {
    const ct_body *on[2] = {&r->model->bodies[body], &r->model->bodies[0]};
    int n = 0;
    if (ct_is_noisy(r)) return "";
    const char **names = ct_scratch((size_t)(on[0]->n_points + on[1]->n_points), sizeof *names);
    for (int k = 0; k < 1 + (body != 0); k++)
        for (int i = 0; i < on[k]->n_points; i++) names[n++] = on[k]->points[i].name;
    const char *hint = ct_hint(r, name, n, names);
    return *hint ? hint : "; add it under points:";
}

bool ct_point_named(ct_reader *r, const char *text, int *body, ct_vec3 *at, char *message,
                    size_t bytes) {
    const char *dot = strchr(text, '.');
    char *name = ct_strndup(text, dot ? (size_t)(dot - text) : strlen(text));
    const char *shown = ct_show(&r->shown, name);
    *body = ct_name_map_get(&r->bodies, name);
    *at = ct_vec3_zero();
    bool ok = *body >= 0 && (!dot || ct_point_on(r, *body, dot + 1, at));
    if (*body < 0 && ct_point_on(r, 0, name, at))
        snprintf(message, bytes, "'%s' is a hardpoint: say on which body, as in ground.%s", shown,
                 shown);
    else if (*body < 0)
        snprintf(message, bytes, "there is no body '%s'%s", shown,
                 ct_hint_map(r, name, &r->bodies));
    else if (!ok)
        snprintf(message, bytes, "there is no point '%s' on '%s' or among the hardpoints%s",
                 ct_show(&r->shown, dot + 1), shown, point_hint(r, *body, dot + 1));
    ct_free(name);
    return ok;
}

// A position in a body: a name, or numbers. Without a body (it was wrong) names are not missed.
bool ct_read_position(ct_reader *r, const ct_yaml *node, int body, const char *what, ct_vec3 *at) {
    if (node->kind == CT_YAML_LIST) return ct_read_vector(r, node, CT_CONSTANT, what, at);
    *at = ct_vec3_zero();
    const char *name = ct_read_text(r, node, what);
    if (!name) return false;
    if (body < 0 || ct_point_on(r, body, name, at)) return true;
    const char *dot = strchr(name, '.'), *own = r->model->bodies[body].name;
    if (dot && strlen(own) == (size_t)(dot - name) && !strncmp(name, own, strlen(own))) {
        name = dot + 1; // crank.A on the crank
        if (ct_point_on(r, body, name, at)) return true;
    }
    ct_error_at(r->ctx, node->place, "%s: there is no point '%s' on '%s' or among the hardpoints%s",
                what, ct_show(&r->shown, name), ct_show(&r->shown, own), point_hint(r, body, name));
    return false;
}
