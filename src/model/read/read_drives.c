// `drives`: what statics and inverse dynamics solve for. Each is a coordinate, or a force by name.
#include "model/read/read.h"

#include <string.h>

bool ct_is_drive(const ct_reader *r, const char *name) {
    const ct_yaml *list = ct_yaml_get(r->root, "drives");
    for (int i = 0; list && list->kind == CT_YAML_LIST && i < list->n; i++)
        if (list->item[i]->kind == CT_YAML_SCALAR && !strcmp(list->item[i]->text, name))
            return true;
    return false;
}

static int force_named(const ct_reader *r, const char *name) {
    for (int i = 0; i < r->model->n_forces; i++)
        if (r->model->forces[i].name && !strcmp(r->model->forces[i].name, name)) return i;
    return -1;
}

// A force of a kind whose size can be solved for.
static bool read_force(ct_reader *r, const ct_yaml *node, int force, ct_drive *drive) {
    const ct_force *f = r->model->forces + force;
    const ct_force_traits *traits = ct_force_traits_of(f->type);
    bool line = traits->on == CT_ON_POINTS;
    if (!line && !ct_force_drives(f->type)) {
        ct_error_at(r->ctx, node->place,
                    "drives: '%s' is a %s, whose size follows from its law: name a coordinate, an "
                    "actuator or a spring",
                    ct_show(&r->shown, node->text), traits->name);
        return false;
    }
    drive->force = force;
    drive->coordinate = line ? -1 : f->coordinate;
    return line || f->coordinate >= 0;
}

static bool read_drive(ct_reader *r, const ct_yaml *node, ct_drive *drive) {
    if (node->kind != CT_YAML_SCALAR) {
        ct_error_at(r->ctx, node->place,
                    "drives is a list of names: coordinates, actuators, springs");
        return false;
    }
    int force = force_named(r, node->text),
        coordinate = ct_name_map_get(&r->coordinates, node->text);
    if (force >= 0) {
        if (!read_force(r, node, force, drive)) return false;
        if (coordinate < 0 || drive->coordinate == coordinate) return true;
        ct_error_at(r->ctx, node->place,
                    "drives: '%s' is a coordinate and a force: give one of them another name",
                    ct_show(&r->shown, node->text));
        return false;
    }
    drive->coordinate = ct_read_coordinate(r, node, "drives");
    return drive->coordinate >= 0;
}

void ct_read_drives(ct_reader *r) {
    const ct_yaml *list = ct_yaml_get(r->root, "drives");
    ct_model *m = r->model;
    if (!list || ct_yaml_is_null(list)) return;
    if (list->kind != CT_YAML_LIST) {
        ct_error_at(r->ctx, list->place, "drives must be a list of names, as [ram, crank]");
        return;
    }
    for (int i = 0; i < list->n; i++) {
        const ct_yaml *node = list->item[i];
        ct_drive drive = {.place = node->place, .coordinate = -1, .force = -1};
        if (!read_drive(r, node, &drive)) continue;
        for (int k = 0; k < m->n_drives; k++)
            if (!strcmp(m->drives[k].name, node->text))
                ct_error_at(r->ctx, node->place, "drives: '%s' is named twice: remove one",
                            ct_show(&r->shown, node->text));
        drive.name = ct_strdup(node->text);
        *CT_PUSH(m->drives, m->n_drives, m->room_drives) = drive;
    }
}
