// The formulation from start to end: coordinates of the branches, coordinates of chords that the
// model names, constraint rows, coordinates by back-substitution, equations
// of motion.
#include "formulate/whole_rotation.h"
#include "formulate/natural/natural.h"

#include <stdlib.h>
#include <string.h>

ct_derivation *ct_time_derivation(ct_formulation *f) {
    ct_derivation *d = ct_derivation_new(f->pool);
    for (int k = 0; k < f->n; k++) {
        ct_derivation_map(d, f->q[k], f->qd[k]);
        ct_derivation_map(d, f->qd[k], CT_ZERO);
    }
    ct_derivation_map_time(d, f->model);
    for (int i = 0; i < f->n_integrated; i++) // angles by name, in outputs
        for (int j = 0; j < 3; j++)
            ct_derivation_map(d, f->whole_rotations[i].angle[j], f->whole_rotations[i].angle_d[j]);
    ct_whole_rotation_derivation(f, d);
    return d;
}

const char *ct_row_name(const ct_formulation *f, int row) {
    ct_row_owner o = f->owner[row];
    return o.joint >= 0    ? f->model->joints[o.joint].name
           : o.motion >= 0 ? f->model->motions[o.motion].name
                           : f->model->bodies[o.body].name;
}

static void add_coordinate(ct_formulation *f, ct_ex q, ct_ex qd, bool is_angle) {
    int k = f->n++;
    f->q[k] = q;
    f->qd[k] = qd;
    f->is_angle[k] = is_angle;
    f->names[k] = ct_arena_strdup(&f->arena, ct_symbol_name(f->pool, q));
    f->coordinate[k] = -1;
    for (int i = 0; i < f->model->n_coordinates; i++)
        if (f->model->coordinates[i].q == q) {
            f->coordinate[k] = i;
            f->where[i] = k;
        }
}

static void add_slides(ct_formulation *f, const ct_connection *c) {
    for (int k = 0; k < c->n_trans && !c->screw; k++)
        add_coordinate(f, c->slide[k], c->slide_d[k], false);
}

static void add_angles(ct_formulation *f, const ct_connection *c) {
    for (int k = 0; k < c->n_rot; k++) add_coordinate(f, c->angle[k], c->angle_d[k], true);
}

// The turns of a branch: its angles, or e1, e2, e3 in their place, under their names.
static void add_turns(ct_formulation *f, int edge, const ct_connection *c) {
    int first = f->n;
    add_angles(f, c);
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        for (int k = 0; k < 3 && b->edge == edge; k++) {
            f->q[first + k] = b->parameter[k + 1];
            f->qd[first + k] = b->rate[k];
        }
    }
}

// The branches' coordinates, in the order of the model's joints, bodies after them.
static void tree_coordinates(ct_layout *l) {
    ct_formulation *f = l->f;
    const ct_graph *g = f->graph;
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < g->n_edges; e++) {
            if (g->edges[e].kind != (pass ? CT_EDGE_BODY : CT_EDGE_JOINT)) continue;
            const ct_connection *c = l->connections + e;
            int first = f->n, slides = g->tree[CT_TRANSLATION].has[e] ? c->n_trans : 0;
            if (slides) add_slides(f, c);
            if (g->tree[CT_ROTATION].has[e]) add_turns(f, e, c);
            for (int k = first; pass && k < f->n; k++) {
                f->body[k] = g->edges[e].index;
                f->part[k] = k - first + (slides ? 0 : c->n_trans);
            }
        }
    f->n_tree = f->n;
}

// Points and vectors of bodies.
static void natural_coordinates(ct_layout *l) {
    ct_formulation *f = l->f;
    f->natural = ct_natural_new(l);
    for (int k = 0; k < f->natural->n; k++) {
        const ct_natural_coordinate *c = f->natural->coordinates + k;
        add_coordinate(f, c->q, c->qd, !c->is_point);
    }
    f->n_tree = f->n;
    ct_natural_place(l);
}

int ct_formulation_natural_count(const ct_formulation *f) {
    return f->natural ? f->natural->n : 0;
}

// Marks the model's coordinates that the expression a holds; `rates`: also those whose rate it
// holds.
static void mark_names(ct_formulation *f, ct_ex a, bool rates, bool *wanted) {
    ct_ex *symbols;
    int n = ct_ex_symbols(f->pool, 1, &a, &symbols);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f->model->n_coordinates; k++)
            if (symbols[i] == f->model->coordinates[k].q ||
                (rates && symbols[i] == f->model->coordinates[k].qd))
                wanted[k] = true;
}

// Marks coordinates that forces act on (unless they act on the bodies themselves), and those in
// expressions of forces and outputs.
static void mark_forces(ct_formulation *f, bool *wanted) {
    for (int i = 0; i < f->model->n_forces; i++) {
        const ct_force *p = f->model->forces + i;
        bool on_coordinate = ct_force_traits_of(p->type)->on == CT_ON_COORDINATE;
        if (on_coordinate &&
            !(ct_force_drives(p->type) && ct_acts_on_bodies(f->model, p->coordinate)))
            wanted[p->coordinate] = true;
        ct_ex used[CT_FORCE_EXPRESSIONS];
        ct_force_expressions(p, used);
        for (int k = 0; k < CT_FORCE_EXPRESSIONS; k++) mark_names(f, used[k], false, wanted);
    }
    for (int i = 0; i < f->model->n_outputs; i++)
        mark_names(f, f->model->outputs[i].value, false, wanted);
    for (int i = 0; i < f->model->n_switched; i++)
        mark_names(f, ct_switched_joint(f->model, i)->active, false, wanted);
}

// Marks the model's coordinates that must be unknowns.
static void mark(ct_formulation *f, ct_formulate_what what, bool *wanted) {
    const ct_model *m = f->model;
    // gears, racks, equations; the turn of a screw
    for (int i = 0; i < m->n_joints + m->n_switched; i++) {
        const ct_joint *j = m->joints + i;
        if (ct_joint_is_pair(j->type))
            wanted[j->coordinate[0]] = wanted[j->coordinate[1]] = true;
        else if (ct_joint_is_equation(j->type))
            mark_names(f, j->equation, true, wanted);
        else if (ct_joint_traits_of(j->type)->holds == CT_HOLDS_HELIX)
            wanted[j->first_coordinate] = true;
    }
    // motions
    for (int i = 0; i < m->n_motions; i++) {
        if (m->motions[i].coordinate >= 0) wanted[m->motions[i].coordinate] = true;
        mark_names(f, m->motions[i].value, true, wanted);
    }
    // dynamics: forces and outputs, or all coordinates
    if (what != CT_FORMULATE_KINEMATICS) {
        mark_forces(f, wanted);
        for (int i = 0; i < m->n_coordinates; i++)
            wanted[i] = wanted[i] || what == CT_FORMULATE_ALL_COORDINATES ||
                        what == CT_FORMULATE_ALL_POSITIONS;
        return;
    }
    // kinematics: `initial` and `guess`
    for (int i = 0; i < m->n_initial; i++) wanted[m->initial[i].coordinate] = true;
    for (int i = 0; i < m->n_guess; i++) wanted[m->guess[i].coordinate] = true;
}

// Coordinates of chords that something names become unknowns of their own, with a row each that
// defines them.
static void auxiliary_coordinates(ct_layout *l, ct_formulate_what what) {
    ct_formulation *f = l->f;
    const ct_model *m = f->model;
    bool *wanted = ct_scratch((size_t)m->n_coordinates, sizeof *wanted);
    mark(f, what, wanted);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!ct_joint_has_coordinates(j->type)) continue;
        int e = ct_graph_edge(f->graph, CT_EDGE_JOINT, i);
        const ct_connection *c = l->connections + e;
        int slides = c->screw ? 0 : c->n_trans;
        bool want[2] = {false, false};
        for (int k = 0; k < j->n_coordinates; k++)
            want[k >= slides] |= wanted[j->first_coordinate + k];
        if (want[0] && !f->graph->tree[CT_TRANSLATION].has[e]) add_slides(f, c);
        if (want[1] && !f->graph->tree[CT_ROTATION].has[e]) add_angles(f, c);
    }
}

// Angles beside the trees, each with a row that defines it.
static void swings(ct_formulation *f) {
    const ct_graph *g = f->graph;
    for (int i = 0; i < g->n_swings; i++) {
        const char *name = g->swings[i].name;
        f->body[f->n] = g->swings[i].body;
        f->part[f->n] = -1;
        add_coordinate(f, ct_symbol(f->pool, CT_SYMBOL_COORDINATE, name),
                       ct_symbol(f->pool, CT_SYMBOL_RATE, ct_scratch_format("%s'", name)), true);
    }
    f->n_swings = g->n_swings;
}

// Coordinates that are no unknowns, by back-substitution, with their rates; `known` gets these
// rates.
static void secondary_coordinates(ct_layout *l, ct_substitution *known) {
    ct_formulation *f = l->f;
    int room = 0;
    for (int i = 0; i < f->model->n_joints; i++) {
        const ct_joint *j = f->model->joints + i;
        bool missing = false;
        for (int k = 0; k < j->n_coordinates; k++)
            missing = missing || f->where[j->first_coordinate + k] < 0;
        if (!missing) continue;
        ct_ex value[6];
        ct_connection_values(l, l->connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, i), value);
        for (int k = 0; k < j->n_coordinates; k++) {
            int coordinate = j->first_coordinate + k;
            if (f->where[coordinate] >= 0) continue;
            ct_ex rate = ct_time_rate(f, value[k]);
            *CT_PUSH(f->secondary, f->n_secondary, room) = (ct_secondary){
                coordinate, -1, -1, f->model->coordinates[coordinate].name, value[k], rate};
            ct_substitution_map(known, f->model->coordinates[coordinate].qd, rate);
        }
    }
}

// Own coordinates of bodies that another formulation f has.
static void body_coordinates(ct_layout *l, const ct_formulation *f) {
    ct_formulation *natural = l->f;
    int room = natural->n_secondary;
    for (int k = 0; k < f->n; k++) {
        if (f->coordinate[k] >= 0) continue;
        const int part = f->part[k], edge = ct_graph_edge(f->graph, CT_EDGE_BODY, f->body[k]);
        ct_ex value[6];
        ct_connection_values(l, f->layout->connections + edge, value);
        *CT_PUSH(natural->secondary, natural->n_secondary, room) =
            (ct_secondary){.coordinate = -1,
                           .body = f->body[k],
                           .part = part,
                           .name = ct_arena_strdup(&natural->arena, f->names[k]),
                           .value = value[part],
                           .rate = ct_time_rate(natural, value[part])};
    }
}

// Symbols of an integrated rotation, by the name of its joint or body: every formulation has the
// same.
static void name_parameters(ct_formulation *f, ct_whole_rotation *b) {
    const char *name =
        b->joint >= 0 ? f->model->joints[b->joint].name : f->model->bodies[b->body].name;
    for (int k = 0; k < 4; k++) {
        char *text = ct_format("%s.e%d", name, k);
        b->parameter[k] = ct_symbol(f->pool, CT_SYMBOL_COORDINATE, text);
        ct_free(text);
        text = ct_format("%s last %d", name, k);
        if (k) b->last[k - 1] = ct_symbol(f->pool, CT_SYMBOL_RATE, text);
        ct_free(text);
        text = ct_format("%s.w%d", name, k);
        if (k) b->rate[k - 1] = ct_symbol(f->pool, CT_SYMBOL_RATE, text);
        ct_free(text);
    }
}

static void add_whole_rotations(ct_formulation *f, int n,
                                const ct_whole_rotation *whole_rotations) {
    f->n_whole_rotations = n;
    f->whole_rotations = ct_arena_alloc(&f->arena, (size_t)n + 1, sizeof *f->whole_rotations);
    for (int i = 0; i < n; i++) {
        ct_whole_rotation *b = f->whole_rotations + i;
        *b = (ct_whole_rotation){.joint = whole_rotations[i].joint,
                                 .body = whole_rotations[i].body,
                                 .root = whole_rotations[i].root,
                                 .integrated = whole_rotations[i].integrated,
                                 .edge = whole_rotations[i].edge,
                                 .inverse = whole_rotations[i].inverse,
                                 .in_root = whole_rotations[i].in_root,
                                 .followed = whole_rotations[i].followed};
        f->n_integrated += b->integrated;
        if (b->integrated) name_parameters(f, b);
        for (int k = 0; k < 3 && !b->integrated; k++) {
            char *name =
                ct_format("%s spin %d of %p", f->model->bodies[b->body].name, k, (void *)f);
            b->rate[k] = ct_symbol(f->pool, CT_SYMBOL_RATE, name);
            ct_free(name);
        }
    }
}

// Quasi-velocities: the rates q' of the angles of a whole rotation become its spins.
static void name_spins(ct_layout *l) {
    ct_formulation *f = l->f;
    for (int i = 0; i < f->n_whole_rotations; i++) {
        const ct_connection *c = l->connections + f->graph->n_edges + i;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < f->n; k++)
                if (f->q[k] == c->angle[j]) {
                    f->whole_rotations[i].coordinate[j] = k;
                    f->qd[k] = f->whole_rotations[i].rate[j];
                }
    }
}

static ct_status build(ct_context *ctx, ct_graph *g, ct_formulate_what what,
                       const ct_formulation *natural, const ct_formulation *in_angles,
                       int n_whole_rotations, const ct_whole_rotation *whole_rotations,
                       ct_formulation **result) {
    // arrays for all coordinates that there can be: of joints, and six or twelve for each body
    ct_formulation *f = ct_alloc(1, sizeof *f);
    const ct_model *m = in_angles ? in_angles->model : g->model;
    f->graph = g;
    f->model = m;
    f->pool = m->pool;
    f->in_angles = in_angles;
    add_whole_rotations(f, n_whole_rotations, whole_rotations);
    size_t most = (size_t)m->n_coordinates + (natural ? 12 : 6) * (size_t)m->n_bodies +
                  (size_t)g->n_swings + 1;
    f->q = ct_arena_alloc(&f->arena, most, sizeof *f->q);
    f->qd = ct_arena_alloc(&f->arena, most, sizeof *f->qd);
    f->names = ct_arena_alloc(&f->arena, most, sizeof *f->names);
    f->is_angle = ct_arena_alloc(&f->arena, most, sizeof *f->is_angle);
    f->coordinate = ct_arena_alloc(&f->arena, most, sizeof *f->coordinate);
    f->body = ct_arena_alloc(&f->arena, most, sizeof *f->body);
    f->part = ct_arena_alloc(&f->arena, most, sizeof *f->part);
    f->where = ct_arena_alloc(&f->arena, (size_t)m->n_coordinates + 1, sizeof *f->where);
    for (int i = 0; i < m->n_coordinates; i++) f->where[i] = -1;

    // both trees condensed to bodies, and the plane of a planar mechanism
    ct_layout *l = f->layout = ct_layout_new(f);
    f->planar = l->planar;
    // q: coordinates of the branches, spins for whole rotations, or points and vectors; chords that are
    // named
    if (natural) {
        natural_coordinates(l);
    } else {
        tree_coordinates(l);
        name_spins(l);
    }
    auxiliary_coordinates(l, what);
    if (!natural) swings(f);
    // Phi, Phi_q, Phi_t, gamma; measured quantities are known in terms of q
    ct_substitution *known = ct_known_quantities(l);
    ct_status status = CT_OK;
    ct_constraints_build(ctx, l, known, &status);
    // a body's own coordinates are in the plane only where its normal is x, y or z
    for (int e = 0; e < g->n_edges && l->normal < 0; e++)
        if (g->edges[e].kind == CT_EDGE_BODY && (g->tree[0].has[e] || g->tree[1].has[e]))
            f->plane_rows = -1;
    if (natural) f->plane_rows = -1;
    // other coordinates follow from q; M, F and outputs, unless kinematics is enough
    if (!status) {
        secondary_coordinates(l, known);
        if (natural) body_coordinates(l, natural);
        ct_switched_conditions(l, known);
        if (what == CT_FORMULATE_ALL || what == CT_FORMULATE_ALL_COORDINATES) {
            if (natural)
                ct_natural_dynamics(l, known);
            else
                ct_dynamics_build(l, known);
            ct_find_outputs(l, known);
        }
    }
    ct_substitution_free(known);
    *result = status ? NULL : f;
    return status;
}

ct_status ct_formulation_new(ct_context *ctx, ct_graph *g, ct_formulate_what what,
                             ct_formulation **result) {
    return build(ctx, g, what, NULL, NULL, 0, NULL, result);
}

ct_status ct_formulation_natural(ct_context *ctx, const ct_formulation *f,
                                 ct_formulation **result) {
    ct_graph *g = ct_graph_new(f->model);
    ct_status status = ct_tree_rule_absolute(ctx, g);
    return status ? status : build(ctx, g, CT_FORMULATE_ALL, f, NULL, 0, NULL, result);
}

ct_status ct_formulation_with_whole_rotations(ct_context *ctx, const ct_formulation *in_angles,
                                              int n, const ct_whole_rotation *whole_rotations,
                                              ct_formulation **result) {
    ct_formulate_what what = in_angles->mass ? CT_FORMULATE_ALL : CT_FORMULATE_POSITIONS;
    return build(ctx, in_angles->graph, what, NULL, in_angles, n, whole_rotations, result);
}

ct_substitution *ct_formulation_known(const ct_formulation *f) {
    ct_substitution *known = ct_known_quantities(f->layout);
    for (int i = 0; i < f->n_secondary; i++) {
        if (f->secondary[i].coordinate < 0) continue;
        ct_substitution_map(known, f->model->coordinates[f->secondary[i].coordinate].qd,
                            f->secondary[i].rate);
    }
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        for (int k = 0; k < 3 && b->followed; k++) {
            ct_substitution_map(known, b->angle[k], b->followed_angle[k]);
            ct_substitution_map(known, b->angle_d[k], b->followed_rate[k]);
        }
    }
    return known;
}

int ct_formulation_edge(const ct_formulation *f, int edge, ct_ex *value) {
    return ct_connection_values(f->layout, f->layout->connections + edge, value);
}

int ct_formulation_coordinate(const ct_formulation *f, int model_coordinate) {
    int n = f->model->n_coordinates;
    if (model_coordinate < n) return f->where[model_coordinate];
    for (int k = f->n - f->n_swings; k < f->n; k++)
        if (ct_formulation_swing(f, k)->number == model_coordinate) return k;
    int body = (model_coordinate - n) / 6, part = (model_coordinate - n) % 6;
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0 && f->body[k] == body && f->part[k] == part) return k;
    return -1;
}

void ct_formulation_condition(ct_formulation *f, ct_condition condition) {
    *CT_PUSH(f->conditions, f->n_conditions, f->room_conditions) = condition;
}

// Entries that wait are those of the view's own pool.
static void own_entries(ct_formulation *view) {
    size_t n = (size_t)view->n;
    const ct_ex *forcing = view->forcing;
    view->late_entries = ct_alloc(1, sizeof *view->late_entries);
    *view->late_entries = true;
    view->mass = ct_alloc(n * n + 1, sizeof *view->mass);
    view->forcing = ct_alloc(n + 1, sizeof *view->forcing);
    memcpy(view->forcing, forcing, n * sizeof *forcing);
    if (!view->n_floating) return;
    view->along_floating.mass = ct_alloc(n * n + 1, sizeof *view->mass);
    view->along_floating.forcing = ct_alloc(n + 1, sizeof *view->forcing);
}

ct_formulation *ct_formulation_view(const ct_formulation *f, const ct_model *fork) {
    ct_formulation *view = ct_alloc(1, sizeof *view);
    *view = *f;
    view->model = fork;
    view->pool = fork->pool;
    view->is_view = true;
    // vectors that are met in the view are symbols of its own pool
    size_t n = (size_t)f->n_whole_rotations;
    view->whole_rotations = ct_alloc(n + 1, sizeof *view->whole_rotations);
    for (size_t i = 0; i < n; i++) {
        ct_whole_rotation *b = view->whole_rotations + i;
        *b = f->whole_rotations[i];
        b->vectors = ct_alloc((size_t)b->room + 1, sizeof *b->vectors);
        memcpy(b->vectors, f->whole_rotations[i].vectors, (size_t)b->n * sizeof *b->vectors);
    }
    if (!ct_formulation_has_entries(f)) own_entries(view);
    view->layout = ct_layout_view(f->layout, view);
    return view;
}
