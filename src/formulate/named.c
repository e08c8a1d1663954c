// Forces, motions, outputs and angles by their names, as expressions of q, q', t and inputs: who
// must say which of them is not finite asks here.
#include "formulate/formulate.h"

#include "formulate/whole_rotation.h"

#include <stdlib.h>

static void add_value(ct_named *named, const char *kind, const char *name, ct_ex value) {
    *CT_PUSH(named->values, named->n_values, named->room_values) =
        (ct_named_value){kind, name, value};
}

static void add_forces(ct_layout *l, ct_substitution *known, ct_named *named) {
    ct_pool *pool = l->pool;
    for (int i = 0; i < l->model->n_forces; i++) {
        const ct_force *force = l->model->forces + i;
        ct_ex used[CT_FORCE_EXPRESSIONS];
        ct_force_expressions(force, used);
        for (int k = 0; k < CT_FORCE_EXPRESSIONS; k++) {
            used[k] = ct_substitute(known, used[k]);
            add_value(named, ct_force_expression_name(k), force->name, used[k]);
        }
        if (ct_force_traits_of(force->type)->on != CT_ON_POINTS) continue;
        // stiffness (distance - length) + value
        int a = force->body[0], b = force->body[1];
        ct_vec3 d = ct_path(l, a, ct_from_com(l, a, force->at[0]), b,
                            ct_from_com(l, b, force->at[1]), ct_common(l, CT_ROTATION, a, b));
        ct_ex distance = ct_sqrt(pool, ct_vec_dot(pool, d, d));
        ct_ex stretch = ct_mul(pool, used[4], ct_sub(pool, distance, used[6]));
        *CT_PUSH(named->lines, named->n_lines, named->room_lines) =
            (ct_named_line){force->name, distance, ct_add(pool, stretch, used[3])};
    }
}

// A motion is followed with its rate and acceleration.
static void add_motions(ct_layout *l, ct_substitution *known, ct_named *named) {
    static const char *const kinds[] = {"motion", "rate of motion", "acceleration of motion"};
    ct_derivation *time = ct_time_derivation(l->f);
    for (int i = 0; i < l->model->n_motions; i++) {
        ct_ex value = ct_substitute(known, l->model->motions[i].value);
        for (int order = 0; order < 3; order++) {
            add_value(named, kinds[order], l->model->motions[i].name, value);
            value = ct_derive(time, value);
        }
    }
    ct_derivation_free(time);
}

static ct_named_turn *add_turn(ct_layout *l, const char *kind, const char *name,
                               const int *sequence, ct_ex angle, ct_named *named) {
    bool proper = sequence[0] == sequence[2];
    ct_named_turn *turn = CT_PUSH(named->turns, named->n_turns, named->room_turns);
    *turn = (ct_named_turn){.kind = kind,
                            .name = name,
                            .angle = angle,
                            .measure = proper ? ct_sin(l->pool, angle) : ct_cos(l->pool, angle)};
    return turn;
}

// The output that holds the acceleration of an angle which has none in the lock; NULL: there is none.
static const char *needs_acceleration(const ct_model *model, const ct_joint *joint) {
    const int first = joint->first_coordinate + joint->n_coordinates - 3;
    for (int i = 0; i < model->n_probes; i++) {
        const ct_probe *p = model->probes + i;
        if (p->kind != CT_PROBE_ACCELERATION ||
            (p->coordinate != first && p->coordinate != first + 2))
            continue;
        for (int k = 0; k < model->n_outputs; k++)
            if (ct_depends(model->pool, model->outputs[k].value, p->symbol))
                return model->outputs[k].name;
    }
    return NULL;
}

// A rotation that is integrated whole has no lock itself.
static void add_needed(ct_layout *l, int joint, const ct_whole_rotation *whole, ct_named *named) {
    const ct_joint *j = l->model->joints + joint;
    const char *output = needs_acceleration(l->model, j);
    ct_names_angle by;
    // forces on its angles
    if (whole->followed == CT_FOLLOWED_ALL) {
        ct_named_turn *turn = add_turn(l, "joint", j->name, j->sequence, CT_ZERO, named);
        turn->angle = whole->followed_angle[1];
        turn->measure = whole->lock;
        if (ct_whole_rotation_is_named(l->model, joint, &by)) {
            turn->by_kind = by.kind;
            turn->by_name = by.name;
        }
    }
    // outputs of their accelerations
    if (!output) return;
    ct_named_turn *turn = add_turn(l, "joint", j->name, j->sequence, whole->angle[1], named);
    turn->by_kind = "output";
    turn->by_name = output;
    turn->of_output = true;
}

static void add_turns(ct_layout *l, ct_named *named) {
    const ct_formulation *f = l->f;
    // joints: x y z first where there are any, then the angles
    for (int i = 0; i < l->model->n_joints; i++) {
        const ct_joint *j = l->model->joints + i;
        int middle = j->first_coordinate + j->n_coordinates - 2;
        if (j->type != CT_JOINT_SPHERICAL && j->type != CT_JOINT_FREE) continue;
        const ct_whole_rotation *whole = ct_whole_rotation_of_joint(f, i);
        if (whole && whole->integrated) {
            add_needed(l, i, whole, named);
            continue;
        }
        ct_ex angle = f->where[middle] >= 0 ? f->q[f->where[middle]] : CT_ZERO;
        for (int k = 0; k < f->n_secondary; k++)
            if (f->secondary[k].coordinate == middle) angle = f->secondary[k].value;
        if (angle == CT_ZERO) continue;
        ct_named_turn *turn = add_turn(l, "joint", j->name, j->sequence, angle, named);
        ct_names_angle by;
        if (!ct_whole_rotation_is_named(l->model, i, &by)) continue;
        turn->by_kind = by.kind;
        turn->by_name = by.name;
    }
    // bodies with coordinates of their own: x y z and three angles
    enum { MIDDLE = 4 };
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0 && f->part[k] == MIDDLE &&
            !ct_whole_rotation_of_coordinate(f, k, NULL))
            add_turn(l, "body", l->model->bodies[f->body[k]].name, l->sequence[f->body[k]], f->q[k],
                     named);
}

void ct_named_find(const ct_formulation *f, ct_named *named) {
    ct_layout *l = f->layout;
    const ct_model *m = f->model;
    *named = (ct_named){0};
    ct_substitution *known = ct_known_quantities(l);
    for (int i = 0; i < f->n_secondary; i++) {
        if (f->secondary[i].coordinate < 0) continue;
        ct_substitution_map(known, m->coordinates[f->secondary[i].coordinate].qd,
                            f->secondary[i].rate);
    }
    add_forces(l, known, named);
    add_motions(l, known, named);
    for (int i = 0; i < m->n_outputs && f->outputs; i++) // none where positions are all there is
        add_value(named, "output", m->outputs[i].name, f->outputs[i]);
    add_turns(l, named);
    ct_substitution_free(known);
}
