// The mechanism in numbers at its initial position.
#include "closure/relations/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void evaluate(ct_flow_world *w, int n, const ct_ex *a, double *out) {
    ct_numbers_set(&w->numbers, 0, NULL, NULL); // room for symbols that are new
    ct_numbers_eval(&w->numbers, n, a, out);
}

static void turn(const double (*r)[3], const double *v, double *out) {
    for (int i = 0; i < 3; i++) out[i] = r[i][0] * v[0] + r[i][1] * v[1] + r[i][2] * v[2];
}

void ct_flow_direction(ct_flow_world *w, int body, ct_vec3 v, double *d) {
    double x[3];
    evaluate(w, 3, v.v, x);
    turn((const double(*)[3])w->rotation[body], x, d);
}

static void point(ct_flow_world *w, int body, ct_vec3 at, double *p) {
    ct_flow_direction(w, body, at, p);
    for (int i = 0; i < 3; i++) p[i] += w->centre[body][i];
}

// Axes of the joint's coordinates as they stand in the world, seen from A outward.
static void edge_axes(ct_flow_world *w, ct_flow_edge *e) {
    const ct_connection *c = e->c;
    ct_pool *pool = w->layout->pool;
    int slides = c->screw ? 0 : c->n_trans, k = 0;
    for (int i = 0; i < slides; i++, k++) {
        e->turn[k] = false;
        ct_flow_direction(w, c->body[0], ct_mat_vec(pool, c->orient[0], c->direction[i]),
                          e->axis[k]);
    }
    for (int i = 0; i < c->n_rot; i++, k++) {
        e->turn[k] = true;
        ct_vec3 axis = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, i), c->axis[i]);
        // numbers for the joint's own angles come from the position of the bodies, whatever the
        // trees are: the axis of a later rotation is fixed in B
        if (i == c->n_rot - 1 && i > 0)
            ct_flow_direction(w, c->body[1], ct_mat_vec(pool, c->orient[1], c->axis[i]),
                              e->axis[k]);
        else
            ct_flow_direction(w, c->body[0], ct_mat_vec(pool, c->orient[0], axis), e->axis[k]);
    }
}

// The joint's axis and two directions across it, and the second axis of a universal joint.
static void edge_frame(ct_flow_world *w, ct_flow_edge *e) {
    const ct_joint *j = w->model->joints + e->joint;
    ct_vec3 n[2];
    if (ct_vec_is_zero(j->axis[0])) return;
    ct_vec_normals(w->model, j->axis[0], n, n + 1);
    for (int s = 0; s < 2; s++) {
        ct_vec3 own = ct_joint_has_coordinates(e->type) ? j->axis[0] : j->axis[s];
        e->axis_in[s] = ct_mat_vec(w->layout->pool, e->c->orient[s], own);
        e->second_in[s] = ct_mat_vec(w->layout->pool, e->c->orient[s], j->axis[1]);
        for (int i = 0; i < 2; i++)
            e->across_in[s][i] = ct_mat_vec(w->layout->pool, e->c->orient[s], n[i]);
    }
    ct_flow_direction(w, e->body[0], e->axis_in[0], e->main);
    ct_flow_direction(w, e->body[1], e->second_in[1], e->second);
    for (int i = 0; i < 2; i++) ct_flow_direction(w, e->body[0], e->across_in[0][i], e->across[i]);
}

// Trees that the user gives bind the flow too.
static bool in_trees(const ct_model *m, int joint) {
    bool in[2] = {false, false};
    for (int i = 0; i < m->n_rotation; i++)
        in[0] = in[0] || (!m->rotation[i].is_body && m->rotation[i].index == joint);
    for (int i = 0; i < m->n_translation; i++)
        in[1] = in[1] || (!m->translation[i].is_body && m->translation[i].index == joint);
    return !m->has_trees || (in[0] && in[1]);
}

static void add_edge(ct_flow_world *w, int joint, const ct_formulation *f) {
    const ct_joint *j = w->model->joints + joint;
    bool moves = ct_joint_has_coordinates(j->type);
    int edge = ct_graph_edge(f->graph, moves ? CT_EDGE_JOINT : CT_EDGE_CONSTRAINT, joint);
    ct_flow_edge *e = w->edges + w->n_edges++;
    *e = (ct_flow_edge){.joint = joint,
                        .value = CT_ZERO,
                        .body = {j->body[0], j->body[1]},
                        .type = j->type,
                        .is_virtual = j->is_virtual,
                        .may_carry = moves && in_trees(w->model, joint),
                        .c = w->layout->connections + edge,
                        .n = j->n_coordinates,
                        .first = j->first_coordinate};
    for (int s = 0; s < 2; s++) point(w, e->body[s], e->c->at[s], e->at[s]);
    if (moves) edge_axes(w, e);
    edge_frame(w, e);
}

// Every joint coordinate that is not among q, from the position.
static void joint_numbers(ct_flow_world *w, const ct_formulation *f) {
    for (int i = 0; i < w->model->n_joints; i++) {
        const ct_joint *j = w->model->joints + i;
        if (!ct_joint_has_coordinates(j->type) || !j->n_coordinates) continue;
        ct_ex value[6];
        double number[6];
        const ct_connection *c = w->layout->connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, i);
        int n = ct_connection_values(w->layout, c, value);
        if (c->screw) n = 1, ct_connection_values(w->layout, c, value);
        evaluate(w, n, value, number);
        for (int k = 0; k < n && k < j->n_coordinates; k++)
            if (f->where[j->first_coordinate + k] < 0)
                ct_numbers_set(&w->numbers, 1, &w->model->coordinates[j->first_coordinate + k].q,
                               number + k);
    }
}

// guided points ----------------------------------------------------------------------------------
// They tie their bodies to ground like joints do: one component is a plane that moves, all three
// (two of a planar mechanism) are a pin that moves, a distance is a rod.
static const ct_probe *probe_of(const ct_model *m, int motion) {
    const ct_motion *x = m->motions + motion;
    return x->coordinate < 0 && x->probe >= 0 ? m->probes + x->probe : NULL;
}

static bool same_point(const ct_probe *a, const ct_probe *b) {
    return a->body[0] == b->body[0] && ct_vec_same(a->at[0], b->at[0]);
}

// Places of the point along x, y, z: by motions or because nothing moves it there. The number of
// the motion that says so is in motion[]; false: some component is free.
static bool pinned(ct_flow_world *w, int motion, ct_vec3 *place, int *first) {
    const ct_model *m = w->model;
    const ct_probe *p = probe_of(m, motion);
    ct_vec3 now = ct_position(w->layout, p->body[0], ct_from_com(w->layout, p->body[0], p->at[0]));
    bool has[3];
    *first = motion;
    for (int k = 0; k < 3; k++) {
        place->v[k] = now.v[k];
        has[k] = !(ct_ex_kinds(w->layout->pool, now.v[k]) & ~(1u << CT_SYMBOL_PARAMETER));
    }
    for (int i = 0; i < m->n_motions; i++) {
        const ct_probe *o = probe_of(m, i);
        if (!o || o->kind > CT_PROBE_Z || !same_point(o, p)) continue;
        has[o->kind - CT_PROBE_X] = true;
        place->v[o->kind - CT_PROBE_X] = m->motions[i].value;
        if (i < *first) *first = i;
    }
    return has[0] && has[1] && has[2];
}

static void add_guide(ct_flow_world *w, int motion) {
    const ct_probe *p = probe_of(w->model, motion);
    ct_connection *c = w->guides + motion;
    ct_flow_edge *e = w->edges + w->n_edges;
    *e = (ct_flow_edge){.joint = CT_FLOW_MOTION(motion), .c = c, .value = CT_ZERO};
    *c = (ct_connection){.orient = {ct_mat3_identity(), ct_mat3_identity()}};
    ct_ex value = w->model->motions[motion].value;
    int first;
    c->body[1] = p->body[0];
    c->at[1] = ct_from_com(w->layout, p->body[0], p->at[0]);
    c->at[0] = ct_vec3_zero();
    if (p->kind == CT_PROBE_DISTANCE) {
        e->type = CT_JOINT_LINK;
        e->value = ct_power_int(w->layout->pool, value, 2);
        c->body[0] = p->body[1];
        c->at[0] = ct_from_com(w->layout, p->body[1], p->at[1]);
    } else if (pinned(w, motion, &c->at[0], &first)) {
        if (first != motion) return; // one pin for all of them
        e->type = CT_JOINT_SPHERICAL;
    } else {
        int k = (int)(p->kind - CT_PROBE_X);
        c->at[0] = ct_vec3_zero();
        e->type = CT_JOINT_INPLANE;
        e->value = value;
        e->main[k] = 1;
        for (int s = 0; s < 2; s++) e->axis_in[s] = ct_vec_unit(k);
    }
    for (int s = 0; s < 2; s++) {
        e->body[s] = c->body[s];
        point(w, e->body[s], c->at[s], e->at[s]);
    }
    w->n_edges++;
}

static void add_guides(ct_flow_world *w) {
    w->guides = ct_alloc((size_t)w->model->n_motions + 1, sizeof *w->guides);
    for (int i = 0; i < w->model->n_motions; i++)
        if (probe_of(w->model, i)) add_guide(w, i);
}

// couplings --------------------------------------------------------------------------------------
// Gears, racks and equations between coordinates: which coordinates each ties, and what kind of
// equation it is for them.
static bool is_law(const ct_joint *j) {
    return ct_joint_is_coupling(j->type);
}

static void add_coordinate(ct_flow_world *w, ct_flow_law *law, ct_ex psi, int k) {
    const ct_coordinate *c = w->model->coordinates + k;
    law->coordinate[law->n] = k;
    law->kind[law->n++] = ct_law_for(w->layout->pool, psi, c->q, c->is_angle).kind;
}

static void tie_points(ct_flow_world *w, const ct_flow_law *law, ct_ex psi) {
    const ct_model *m = w->model;
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++) {
            int body = m->probes[i].body[s];
            if (body <= 0 || !ct_depends(w->layout->pool, psi, m->probes[i].symbol)) continue;
            w->edges[w->n_edges++] = (ct_flow_edge){.joint = law->joint,
                                                    .body = {0, body},
                                                    .type = CT_JOINT_CONSTRAINT,
                                                    .c = w->layout->connections};
        }
}

// Bodies whose points an equation names get an edge to ground, so that they are in one group.
static void add_laws(ct_flow_world *w) {
    const ct_model *m = w->model;
    ct_pool *pool = w->layout->pool;
    size_t room = (size_t)m->n_coordinates + 1;
    int edges = w->n_edges;
    w->laws = ct_alloc((size_t)m->n_joints + 1, sizeof *w->laws);
    for (int i = 0; i < m->n_joints; i++) edges += 2 * m->n_probes * is_law(m->joints + i);
    w->edges = ct_realloc(w->edges, (size_t)edges + 1, sizeof *w->edges);
    ct_free(w->kept);
    w->kept = ct_alloc((size_t)edges + 1, sizeof *w->kept);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!is_law(j)) continue;
        ct_flow_law *law = w->laws + w->n_laws++;
        *law = (ct_flow_law){.joint = i,
                             .coordinate = ct_alloc(room, sizeof(int)),
                             .kind = ct_alloc(room, sizeof(ct_law_kind))};
        ct_ex psi = j->equation;
        if (ct_joint_is_pair(j->type))
            psi = ct_sub(pool, m->coordinates[j->coordinate[1]].q,
                         ct_mul(pool, j->ratio, m->coordinates[j->coordinate[0]].q));
        else
            law->of_points = ct_ex_kinds(pool, psi) & (1u << CT_SYMBOL_OTHER);
        for (int k = 0; k < m->n_coordinates; k++)
            if (ct_depends(pool, psi, m->coordinates[k].q)) add_coordinate(w, law, psi, k);
        if (law->of_points) tie_points(w, law, psi);
    }
}

bool ct_flow_in_law(const ct_flow_world *w, int coordinate) {
    for (int i = 0; i < w->n_laws; i++)
        for (int k = 0; k < w->laws[i].n; k++)
            if (w->laws[i].coordinate[k] == coordinate) return true;
    return false;
}

// the mechanism ----------------------------------------------------------------------------------
static int joints_at(const ct_flow_world *w, int body) {
    int n = 0;
    for (int i = 0; i < w->n_edges; i++)
        n += !w->edges[i].is_virtual && w->edges[i].joint < w->model->n_joints &&
             (w->edges[i].body[0] == body || w->edges[i].body[1] == body);
    return n;
}

// A body's own coordinates, offered like those of a virtual joint.
// Where it has two joints only, not before it is seen to keep its orientation.
static void add_own(ct_flow_world *w, int body, const ct_formulation *f) {
    const ct_connection *c = w->layout->connections + ct_graph_edge(f->graph, CT_EDGE_BODY, body);
    ct_ex value[6];
    double number[6];
    int n = ct_connection_values(w->layout, c, value);
    evaluate(w, n, value, number);
    for (int k = 0; k < n; k++) {
        ct_ex q = k < c->n_trans ? c->slide[k] : c->angle[k - c->n_trans];
        ct_numbers_set(&w->numbers, 1, &q, number + k);
    }
    ct_flow_edge *e = w->edges + w->n_edges++;
    *e = (ct_flow_edge){.joint = CT_OWN_JOINT(w->model, body),
                        .value = CT_ZERO,
                        .body = {0, body},
                        .type = c->n_rot == 1 ? CT_JOINT_PLANAR : CT_JOINT_FREE,
                        .is_virtual = true,
                        .may_carry = joints_at(w, body) > 2,
                        .c = c,
                        .n = n,
                        .first = CT_OWN_COORDINATE(w->model, body, 0)};
    for (int s = 0; s < 2; s++) point(w, e->body[s], c->at[s], e->at[s]);
    edge_axes(w, e);
}

void ct_flow_world_init(ct_flow_world *w, const ct_formulation *f, const double *q0,
                        ct_flow_offer offer) {
    *w = (ct_flow_world){.model = f->model, .n_bodies = f->model->n_bodies};
    w->offer = offer;
    w->n_coordinates = CT_OWN_COORDINATE(f->model, f->model->n_bodies, 0);
    w->layout = f->layout;
    ct_model_numbers(f->model, &w->numbers);
    ct_numbers_set(&w->numbers, f->n, f->q, q0);
    w->length = ct_typical_length(f->model);
    size_t n = (size_t)w->n_bodies;
    w->rotation = ct_alloc(n, sizeof *w->rotation);
    w->centre = ct_alloc(n, sizeof *w->centre);
    for (int b = 0; b < w->n_bodies; b++) {
        ct_mat3 r = ct_rotation(w->layout, 0, b);
        ct_vec3 p = ct_position(w->layout, b, ct_vec3_zero());
        evaluate(w, 9, &r.a[0][0], &w->rotation[b][0][0]);
        evaluate(w, 3, p.v, w->centre[b]);
    }
    joint_numbers(w, f);
    size_t most = (size_t)(f->model->n_joints + f->model->n_motions + f->model->n_bodies) + 1;
    w->edges = ct_alloc(most, sizeof *w->edges);
    w->kept = ct_alloc(most, sizeof *w->kept);
    for (int i = 0; i < f->model->n_joints; i++)
        if (f->model->joints[i].body[0] >= 0) add_edge(w, i, f);
    add_guides(w);
    for (int b = 1; b < w->n_bodies && offer; b++)
        if (joints_at(w, b) > (offer == CT_OFFER_PLACES ? 1 : 2)) add_own(w, b, f);
    add_laws(w);
    ct_flow_groups(w);
}

void ct_flow_world_clear(ct_flow_world *w) {
    ct_numbers_clear(&w->numbers);
    ct_free(w->rotation);
    ct_free(w->centre);
    ct_free(w->edges);
    ct_free(w->guides);
    ct_free(w->kept);
    for (int i = 0; i < w->n_laws; i++) {
        ct_free(w->laws[i].coordinate);
        ct_free(w->laws[i].kind);
    }
    ct_free(w->laws);
    for (int i = 0; i < w->n_groups; i++) {
        ct_free(w->groups[i].bodies);
        ct_free(w->groups[i].edges);
    }
    ct_free(w->groups);
}

bool ct_flow_pins(ct_joint_type type) {
    return ct_joint_traits_of(type)->holds == CT_HOLDS_POINT && ct_joint_rotations(type) > 0;
}

int ct_flow_unknown(const ct_flow_state *s, const ct_flow_edge *e, int *which) {
    int n = 0;
    for (int k = 0; k < e->n; k++)
        if (!s->known[e->first + k]) which[n++] = k;
    return n;
}
