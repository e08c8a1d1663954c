// Second pass over the joints: gear, rack and constraint, which refer to coordinates of others, and
// the conditions of joints that come and go.
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

// joints that come and go -------------------------------------------------------------------------
static ct_ex kept_symbol(ct_reader *r, const ct_joint *joint, const char *what) {
    return ct_symbol(r->pool, CT_SYMBOL_INPUT, ct_scratch_format("%s %s", joint->name, what));
}

// Symbols of what a joint keeps that attaches where it is: the place of B and its orientation in A's
// joint frame, where it holds a point or axes; a distance, an angle or the value of an equation.
static void name_kept(ct_reader *r, ct_joint *joint) {
    const ct_joint_traits *t = ct_joint_traits_of(joint->type);
    const bool between = t->role == CT_ROLE_JOINT || t->role == CT_ROLE_TIE;
    const bool points =
        t->holds == CT_HOLDS_POINT || t->holds == CT_HOLDS_LINE || t->holds == CT_HOLDS_PLANE;
    const bool axes = t->keeps == CT_KEEPS_AXIS || t->keeps == CT_KEEPS_FRAME;
    for (int i = 0; i < 3 && between && points; i++)
        joint->kept_place[i] = kept_symbol(r, joint, ct_scratch_format("place %d", i));
    for (int i = 0; i < 9 && between && axes; i++)
        joint->kept_turn[i / 3][i % 3] = kept_symbol(r, joint, ct_scratch_format("turn %d", i));
    if (!between || t->holds == CT_HOLDS_DISTANCE || t->keeps == CT_KEEPS_ANGLE)
        joint->kept_value = kept_symbol(r, joint, "value");
}

// active, attach and gap of a joint.
static void read_switched(ct_reader *r, const ct_yaml *map, ct_joint *joint) {
    static const char *const ways[] = {"closed", "here"};
    const ct_yaml *active = ct_yaml_get(map, "active"), *attach = ct_yaml_get(map, "attach"),
                  *gap = ct_yaml_get(map, "gap");
    if (!active) {
        const ct_yaml *alone = attach ? attach : gap;
        if (alone)
            ct_error_at(r->ctx, alone->place,
                        "%s has %s, but no active: add active, the condition under which it holds",
                        r->owner, attach ? "attach" : "gap");
        return;
    }
    // the condition, and types that cannot have one
    joint->holds = r->held = kept_symbol(r, joint, "holds");
    ct_read_expr(r, active, CT_OF_MOTION, ct_of(r, "active"), &joint->active);
    r->held = CT_ZERO;
    if (joint->is_virtual)
        ct_error_at(r->ctx, active->place,
                    "%s is virtual and holds nothing: remove active or virtual", r->owner);
    if (ct_joint_traits_of(joint->type)->holds == CT_HOLDS_HELIX)
        ct_error_at(r->ctx, active->place,
                    "%s (screw) cannot come and go: its slide follows an angle, which a joint with "
                    "active does not have",
                    r->owner);
    // how it attaches, and the gap that it closes
    if (attach) joint->attaches_here = ct_read_choice(r, attach, "attach", 2, ways) == 1;
    if (joint->attaches_here) name_kept(r, joint);
    double number;
    if (ct_read_constant(r, map, "gap", &joint->gap, &number) && !(number >= 0))
        ct_error_at(r->ctx, gap->place, "%s is %g: it must not be negative", ct_of(r, "gap"),
                    number);
    if (gap && joint->attaches_here)
        ct_error_at(r->ctx, gap->place,
                    "%s attaches where it is and leaves no gap: remove gap, or attach: here",
                    r->owner);
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
        read_switched(r, map->item[i + 1], joint);
    }
    ct_owner(r, "", "");
}
