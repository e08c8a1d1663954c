// Second pass over the joints: gear, rack and constraint, which refer to coordinates of others.
#include "model/read/read.h"

#include <math.h>
#include <string.h>

// gear {joints: [J1, J2], ratio: r}: J2 = r J1;  rack {joints: [R, P], radius: r}: P = r R
static void read_pair(ct_reader *r, const ct_yaml *map, ct_joint *joint) {
    bool is_rack = ct_joint_traits_of(joint->type)->role == CT_ROLE_RACK;
    const char *key = is_rack ? "radius" : "ratio", *what = ct_of(r, "'joints'");
    double number;
    if (ct_read_constant(r, map, key, &joint->ratio, &number) && number == 0)
        ct_error_at(r->ctx, ct_yaml_get(map, key)->place, "%s must not be zero", ct_of(r, key));
    ct_note_condition(r, CT_IS_NOT_ZERO, joint->ratio, ct_of(r, key));
    const ct_yaml *node = ct_yaml_get(map, "joints");
    if (!node || !ct_read_list(r, node, 2, what, is_rack ? "[angle, slide]" : "[J1, J2]")) return;
    for (int k = 0; k < 2; k++) joint->coordinate[k] = ct_read_coordinate(r, node->item[k], what);
    const int *c = joint->coordinate;
    if (c[0] < 0 || c[1] < 0) return;
    if (c[0] == c[1])
        ct_error_at(r->ctx, node->place, "%s couples '%s' with itself: name two joints", r->owner,
                    ct_show(&r->shown, r->model->coordinates[c[0]].name));
    else if (is_rack &&
             (!r->model->coordinates[c[0]].is_angle || r->model->coordinates[c[1]].is_angle))
        ct_error_at(r->ctx, node->place,
                    "%s (rack) couples an angle with a slide, in this order: [pinion, rack]",
                    r->owner);
}

static void read_equation(ct_reader *r, const ct_yaml *map, ct_joint *joint) {
    const ct_yaml *node = ct_yaml_get(map, "equation");
    if (!node || !ct_read_expr(r, node, CT_OF_POSITION, ct_of(r, "equation"), &joint->equation))
        return;
    unsigned kinds = ct_ex_kinds(r->pool, joint->equation);
    if (!(kinds & (CT_MAY_COORDINATE | CT_MAY_PROBE)) && !r->broken.n)
        ct_error_at(r->ctx, node->place, "%s holds no coordinate, so it constrains nothing",
                    ct_of(r, "equation"));
}

void ct_read_couplings(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "joints");
    for (int i = 0; map && map->kind == CT_YAML_MAP && i + 1 < map->n; i += 2) {
        int index = ct_name_map_get(&r->joints, map->item[i]->text);
        if (index < 0) continue;
        ct_joint *joint = &r->model->joints[index];
        ct_owner(r, "joint", joint->name);
        switch (ct_joint_traits_of(joint->type)->role) {
        case CT_ROLE_GEAR:
        case CT_ROLE_RACK: read_pair(r, map->item[i + 1], joint); break;
        case CT_ROLE_EQUATION: read_equation(r, map->item[i + 1], joint); break;
        case CT_ROLE_JOINT:
        case CT_ROLE_TIE: break;
        }
    }
    ct_owner(r, "", "");
}
