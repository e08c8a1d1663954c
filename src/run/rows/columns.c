// Result columns: name of each, and its source: a coordinate, a rate, an acceleration or an output.
#include "run/system.h"
#include "assemble/turned.h"
#include "formulate/layout.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>

static void add(ct_columns *c, int source, int order, bool is_angle, const char *name) {
    int k = c->n++;
    c->source[k] = source;
    c->order[k] = order;
    c->is_angle[k] = is_angle;
    c->names[k] = name;
}

// Names are made once and stay where they are: callers hold on to them.
static const char *name(ct_strings *names, int k, const char *what, const char *primes) {
    return k < names->n ? names->item[k] : ct_strings_add(names, ct_format("%s%s", what, primes));
}

// Index of a joint coordinate among those by back-substitution, or -1.
static int secondary_index(const ct_formulation *f, int coordinate) {
    for (int i = 0; i < f->n_secondary; i++)
        if (f->secondary[i].coordinate == coordinate) return i;
    return -1;
}

// Index into q, or into its rates, of coordinate k by its name: angles of integrated rotations stand
// behind all else.
static int place_of(const ct_formulation *f, int k, int order) {
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, &part);
    if (!b || !b->integrated) return k;
    return (order ? f->n : ct_position_count(f)) + 3 * (int)(b - f->whole_rotations) + part;
}

// Coordinates of bodies by back-substitution, in the order of the system's trees.
static void add_bodies(ct_columns *c, const ct_system *s, ct_strings *names, int order,
                       const char *primes) {
    const ct_formulation *f = ct_run_formulation(s);
    for (int i = 0; i < f->n_secondary; i++) {
        const ct_secondary *x = f->secondary + i;
        if (x->coordinate >= 0) continue;
        const ct_connection *own =
            s->f->layout->connections + ct_graph_edge(s->f->graph, CT_EDGE_BODY, x->body);
        add(c, -1 - (i + order * f->n_secondary), order, !order && x->part >= own->n_trans,
            name(names, c->n + 1, x->name, primes));
    }
}

// Three angles of a body by back-substitution continue together; width: as below.
static void add_body_turns(ct_columns *c, const ct_system *s, int width, int orders) {
    enum { FIRST = 3 }; // behind x, y, z
    const ct_formulation *f = ct_run_formulation(s);
    for (int i = 0, at = f->model->n_coordinates; i < f->n_secondary; i++) {
        const ct_secondary *x = f->secondary + i;
        if (x->coordinate >= 0) continue;
        const int first = at++;
        if (x->part != FIRST) continue;
        ctk_angles *turn = c->turns + c->n_turns++;
        turn->proper = ctk_angles_proper(s->f->layout->sequence[x->body]);
        turn->sign = ctk_angles_sign(s->f->layout->sequence[x->body]);
        for (int order = 0; order < 3; order++)
            turn->first[order] = order < orders ? first + order * width : -1;
        for (int k = 0; k < 3; k++) c->is_angle[first + k] = false;
    }
}

// True if a closure finds the angles of a joint from its rotation, on one side of their lock.
static bool is_placed(const ct_system *s, const ct_formulation *f, int first) {
    const ct_closure *c = ct_system_closure(s);
    for (int k = 0; k < 3; k++) {
        int at = f->where[first + k];
        const ct_whole_rotation *b = at < 0 ? NULL : ct_whole_rotation_of_coordinate(f, at, NULL);
        if (!c || at < 0 || c->is_independent[at] || (b && b->integrated)) return false;
    }
    return true;
}

// Joints with three angles that are found from their rotation: these continue together. width:
// columns of one order, in which the model's coordinates come first.
static void add_turns(ct_columns *c, const ct_system *s, int width, int orders) {
    const ct_formulation *f = ct_run_formulation(s);
    const ct_model *m = f->model;
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!ct_joint_has_coordinates(j->type) || ct_joint_rotations(j->type) != 3) continue;
        int first = j->first_coordinate + ct_joint_translations(j->type);
        if (!c->is_angle[first] && !j->is_turned && !is_placed(s, f, first)) continue;
        if (j->is_turned) c->turned[c->n_turned++] = (ct_turned_column){j, c->n_turns};
        ctk_angles *turn = c->turns + c->n_turns++;
        turn->proper = ctk_angles_proper(j->sequence);
        turn->sign = ctk_angles_sign(j->sequence);
        for (int order = 0; order < 3; order++)
            turn->first[order] = order < orders ? first + order * width : -1;
        for (int k = 0; k < 3; k++) c->is_angle[first + k] = false;
    }
}

// Columns whose values must be known between rows too.
static void find_followed(ct_columns *c) {
    for (int k = 0; k < c->n; k++)
        if (c->is_angle[k]) c->followed[c->n_followed++] = k;
    for (int i = 0; i < c->n_turns; i++)
        for (int order = 0; order < 3; order++)
            for (int k = 0; k < 3 && c->turns[i].first[order] >= 0; k++)
                c->followed[c->n_followed++] = c->turns[i].first[order] + k;
}

void ct_columns_start(ct_columns *c, const ct_assembly *assembly) {
    for (int i = 0; i < assembly->model->n_coordinates; i++) {
        c->start[i] = assembly->joint[i];
        c->start[c->width + i] = assembly->rate[i];
    }
}

void ct_columns_init(ct_columns *c, ct_system *s, bool kinematics) {
    const ct_formulation *f = ct_run_formulation(s);
    const ct_model *m = s->model;
    // at most: joint coordinates and coordinates of bodies, each up to twice differentiated,
    // outputs
    size_t room = 3 * ((size_t)m->n_coordinates + (size_t)f->n + (size_t)f->n_secondary) +
                  (size_t)(m->n_outputs + m->n_switched) + 1;
    *c = (ct_columns){0};
    c->source = ct_arena_alloc(&c->arena, room, sizeof *c->source);
    c->order = ct_arena_alloc(&c->arena, room, sizeof *c->order);
    c->is_angle = ct_arena_alloc(&c->arena, room, sizeof *c->is_angle);
    c->followed = ct_arena_alloc(&c->arena, room, sizeof *c->followed);
    c->start = ct_arena_alloc(&c->arena, room, sizeof *c->start);
    c->names = ct_arena_alloc(&c->arena, room, sizeof *c->names);
    c->turns =
        ct_arena_alloc(&c->arena, (size_t)m->n_joints + (size_t)m->n_bodies, sizeof *c->turns);
    c->turned = ct_arena_alloc(&c->arena, (size_t)m->n_joints + 1, sizeof *c->turned);
    // time, then coordinates, rates and, in kinematics, accelerations
    ct_strings *names = &s->columns[kinematics];
    name(names, 0, "t", "");
    const int orders = kinematics ? 3 : 2;
    for (int order = 0; order < orders; order++) {
        static const char *const primes[] = {"", "'", "''"};
        // joint coordinates: among q, or by back-substitution among the outputs
        for (int i = 0; i < m->n_coordinates; i++) {
            int k = f->where[i], back = secondary_index(f, i);
            int source = k >= 0 ? place_of(f, k, order) : -1 - (back + order * f->n_secondary);
            add(c, source, order, k < 0 && order == 0 && m->coordinates[i].is_angle,
                name(names, c->n + 1, m->coordinates[i].name, primes[order]));
        }
        // coordinates of bodies, unless the closure has chosen them itself
        for (int k = 0; k < f->n && !f->natural; k++)
            if (f->coordinate[k] < 0 && !ct_formulation_swing(f, k) &&
                !(s->closed && s->closed->of_bodies))
                add(c, place_of(f, k, order), order, false,
                    name(names, c->n + 1, f->names[k], primes[order]));
        if (f->natural) add_bodies(c, s, names, order, primes[order]);
    }
    c->width = c->n / orders;
    if (s->assembly) ct_columns_start(c, s->assembly);
    add_turns(c, s, c->width, orders);
    if (f->natural) add_body_turns(c, s, c->width, orders);
    find_followed(c);
    // named outputs, behind those coordinates and their rates
    for (int i = 0; i < m->n_outputs; i++)
        add(c, -1 - (2 * f->n_secondary + i), 0, false,
            name(names, c->n + 1, m->outputs[i].name, ""));
    // joints that come and go
    for (int i = 0; i < m->n_switched; i++)
        add(c, -1 - (2 * f->n_secondary + m->n_outputs + i), 0, false,
            name(names, c->n + 1, "active.", ct_switched_joint(m, i)->name));
}

void ct_columns_name_angles(const ct_columns *c, double *row) {
    for (int i = 0; i < c->n_turned; i++) {
        const int *first = c->turns[c->turned[i].turn].first;
        ct_joint_angles_by_name(c->turned[i].joint, row + first[0], row + first[1],
                                first[2] >= 0 ? row + first[2] : NULL);
    }
}

void ct_columns_clear(ct_columns *c) {
    ct_arena_free(&c->arena);
    *c = (ct_columns){0};
}

static CT_BELOW ct_status name_columns(ct_system *s, bool kinematics) {
    // of a system that waits they are known
    if (s->waits && s->columns[kinematics].n) return CT_OK;
    ct_columns c;
    ct_columns_init(&c, s, kinematics);
    ct_columns_clear(&c);
    return CT_OK;
}

static ct_status result_columns(ct_system *s, bool kinematics) {
    CT_CALL(NULL, &s->memory, name_columns(s, kinematics));
}

int ct_result_columns(ct_system *s, bool kinematics, const char *const **names) {
    *names = NULL;
    if (result_columns(s, kinematics)) return -1;
    *names = (const char *const *)s->columns[kinematics].item;
    return s->columns[kinematics].n;
}
