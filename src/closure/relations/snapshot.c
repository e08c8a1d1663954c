// The mechanism in numbers at its initial position: bodies; joints, constraints, guided points and
// bodies' own coordinates as edges between them; couplings; groups of loops.
#include "closure/relations/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void evaluate(ct_snapshot *snap, int n, const ct_ex *a, double *out) {
    ct_numbers_eval(&snap->numbers, n, a, out);
}

static void turn(const double (*r)[3], const double *v, double *out) {
    for (int i = 0; i < 3; i++) out[i] = r[i][0] * v[0] + r[i][1] * v[1] + r[i][2] * v[2];
}

void ct_flow_direction(ct_snapshot *snap, int body, ct_vec3 v, double *d) {
    double x[3];
    evaluate(snap, 3, v.v, x);
    turn((const double(*)[3])snap->rotation[body], x, d);
}

static void point(ct_snapshot *snap, int body, ct_vec3 at, double *p) {
    ct_flow_direction(snap, body, at, p);
    for (int i = 0; i < 3; i++) p[i] += snap->centre[body][i];
}

// Axes of the joint's coordinates as they stand in the world, seen from A outward.
static void edge_axes(ct_snapshot *snap, ct_flow_edge *e) {
    const ct_connection *c = e->c;
    ct_pool *pool = snap->layout->pool;
    int slides = c->screw ? 0 : c->n_trans, k = 0;
    for (int i = 0; i < slides; i++, k++) {
        e->is_angle[k] = false;
        ct_flow_direction(snap, c->body[0], ct_mat_vec(pool, c->orient[0], c->direction[i]),
                          e->axis[k]);
    }
    for (int i = 0; i < c->n_rot; i++, k++) {
        e->is_angle[k] = true;
        ct_vec3 axis = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, i), c->axis[i]);
        // numbers for the joint's own angles come from the position of the bodies, whatever the
        // trees are: the axis of a later rotation is fixed in B
        if (i == c->n_rot - 1 && i > 0)
            ct_flow_direction(snap, c->body[1], ct_mat_vec(pool, c->orient[1], c->axis[i]),
                              e->axis[k]);
        else
            ct_flow_direction(snap, c->body[0], ct_mat_vec(pool, c->orient[0], axis), e->axis[k]);
    }
}

// The joint's axis and two directions across it, and the second axis of a universal joint.
static void edge_frame(ct_snapshot *snap, ct_flow_edge *e) {
    const ct_joint *j = snap->model->joints + e->joint;
    ct_vec3 n[2];
    if (ct_vec_is_zero(j->axis[0])) return;
    ct_vec_normals(snap->model, j->axis[0], n, n + 1);
    for (int s = 0; s < 2; s++) {
        ct_vec3 own = ct_joint_has_coordinates(e->type) ? j->axis[0] : j->axis[s];
        e->axis_in[s] = ct_mat_vec(snap->layout->pool, e->c->orient[s], own);
        e->second_in[s] = ct_mat_vec(snap->layout->pool, e->c->orient[s], j->axis[1]);
        for (int i = 0; i < 2; i++)
            e->across_in[s][i] = ct_mat_vec(snap->layout->pool, e->c->orient[s], n[i]);
    }
    ct_flow_direction(snap, e->body[0], e->axis_in[0], e->main);
    ct_flow_direction(snap, e->body[1], e->second_in[1], e->second);
    for (int i = 0; i < 2; i++)
        ct_flow_direction(snap, e->body[0], e->across_in[0][i], e->across[i]);
}

// True if the joint may be in the trees: the user gives none, or the joint is in both.
static bool in_trees(const ct_model *model, int joint) {
    bool in[2] = {false, false};
    for (int i = 0; i < model->n_rotation; i++)
        in[0] = in[0] || (!model->rotation[i].is_body && model->rotation[i].index == joint);
    for (int i = 0; i < model->n_translation; i++)
        in[1] = in[1] || (!model->translation[i].is_body && model->translation[i].index == joint);
    return !model->has_trees || (in[0] && in[1]);
}

static void add_edge(ct_snapshot *snap, int joint, const ct_formulation *f) {
    const ct_joint *j = snap->model->joints + joint;
    bool moves = ct_joint_has_coordinates(j->type);
    int edge = ct_graph_edge(f->graph, moves ? CT_EDGE_JOINT : CT_EDGE_CONSTRAINT, joint);
    ct_flow_edge *e = snap->edges + snap->n_edges++;
    *e = (ct_flow_edge){.joint = joint,
                        .value = CT_ZERO,
                        .body = {j->body[0], j->body[1]},
                        .type = j->type,
                        .is_virtual = j->is_virtual,
                        .may_carry = moves && in_trees(snap->model, joint),
                        .c = snap->layout->connections + edge,
                        .n = j->n_coordinates,
                        .first = j->first_coordinate};
    for (int s = 0; s < 2; s++) point(snap, e->body[s], e->c->at[s], e->at[s]);
    if (moves) edge_axes(snap, e);
    edge_frame(snap, e);
}

// Numbers for joint coordinates that are not among q, from the poses of the bodies.
static void joint_numbers(ct_snapshot *snap, const ct_formulation *f) {
    for (int i = 0; i < snap->model->n_joints; i++) {
        const ct_joint *j = snap->model->joints + i;
        if (!ct_joint_has_coordinates(j->type) || !j->n_coordinates) continue;
        ct_ex value[6];
        double number[6];
        const ct_connection *c =
            snap->layout->connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, i);
        int n = ct_connection_values(snap->layout, c, value);
        if (c->screw) n = 1, ct_connection_values(snap->layout, c, value);
        evaluate(snap, n, value, number);
        for (int k = 0; k < n && k < j->n_coordinates; k++)
            if (f->where[j->first_coordinate + k] < 0)
                ct_numbers_set(&snap->numbers, 1,
                               &snap->model->coordinates[j->first_coordinate + k].q, number + k);
    }
}

// guided points ----------------------------------------------------------------------------------
// A guided point ties its body to ground as a joint does. One guided component is a plane that
// moves, all three (two in a planar mechanism) are a pin that moves, a guided distance is a rod.
static const ct_probe *probe_of(const ct_model *model, int motion) {
    const ct_motion *x = model->motions + motion;
    return x->coordinate < 0 && x->probe >= 0 ? model->probes + x->probe : NULL;
}

static bool same_point(const ct_probe *a, const ct_probe *b) {
    return a->body[0] == b->body[0] && ct_vec_same(a->at[0], b->at[0]);
}

// The place of a guided point: each component from a motion, or constant because no coordinate
// moves it. first: the first motion that guides the point. Returns false if a component is free.
static bool pinned(ct_snapshot *snap, int motion, ct_vec3 *place, int *first) {
    const ct_model *m = snap->model;
    const ct_probe *p = probe_of(m, motion);
    ct_vec3 now =
        ct_position(snap->layout, p->body[0], ct_from_com(snap->layout, p->body[0], p->at[0]));
    bool has[3];
    *first = motion;
    // components that no coordinate moves
    for (int k = 0; k < 3; k++) {
        place->v[k] = now.v[k];
        has[k] = !(ct_ex_kinds(snap->layout->pool, now.v[k]) & ~(1u << CT_SYMBOL_PARAMETER));
    }
    // components that motions of the same point guide
    for (int i = 0; i < m->n_motions; i++) {
        const ct_probe *o = probe_of(m, i);
        if (!o || o->kind > CT_PROBE_Z || !same_point(o, p)) continue;
        has[o->kind - CT_PROBE_X] = true;
        place->v[o->kind - CT_PROBE_X] = m->motions[i].value;
        if (i < *first) *first = i;
    }
    return has[0] && has[1] && has[2];
}

// Adds the edge of a guided point.
static void add_guide(ct_snapshot *snap, int motion) {
    // an edge from ground to the body of the point
    const ct_probe *p = probe_of(snap->model, motion);
    ct_connection *c = snap->guides + motion;
    ct_flow_edge *e = snap->edges + snap->n_edges;
    *e = (ct_flow_edge){.joint = CT_FLOW_MOTION(motion), .c = c, .value = CT_ZERO};
    *c = (ct_connection){.orient = {ct_mat3_identity(), ct_mat3_identity()}};
    ct_ex value = snap->model->motions[motion].value;
    int first;
    c->body[1] = p->body[0];
    c->at[1] = ct_from_com(snap->layout, p->body[0], p->at[0]);
    c->at[0] = ct_vec3_zero();
    // a distance between two points is a link, with the square of its length
    if (p->kind == CT_PROBE_DISTANCE) {
        e->type = CT_JOINT_LINK;
        e->value = ct_power_int(snap->layout->pool, value, 2);
        c->body[0] = p->body[1];
        c->at[0] = ct_from_com(snap->layout, p->body[1], p->at[1]);
    } else if (pinned(snap, motion, &c->at[0], &first)) {
        // all components guided: a pin, one for all of its motions
        if (first != motion) return;
        e->type = CT_JOINT_SPHERICAL;
    } else {
        // one component: the point is in a plane
        int k = (int)(p->kind - CT_PROBE_X);
        c->at[0] = ct_vec3_zero();
        e->type = CT_JOINT_INPLANE;
        e->value = value;
        e->main[k] = 1;
        for (int s = 0; s < 2; s++) e->axis_in[s] = ct_vec_unit(k);
    }
    // its points at the initial position
    for (int s = 0; s < 2; s++) {
        e->body[s] = c->body[s];
        point(snap, e->body[s], c->at[s], e->at[s]);
    }
    snap->n_edges++;
}

static void add_guides(ct_snapshot *snap) {
    snap->guides = ct_scratch((size_t)snap->model->n_motions + 1, sizeof *snap->guides);
    for (int i = 0; i < snap->model->n_motions; i++)
        if (probe_of(snap->model, i)) add_guide(snap, i);
}

// couplings --------------------------------------------------------------------------------------
// Gears, racks and equations between coordinates: the coordinates of each, and the kind of equation
// that it is in each of them.
static bool is_coupling(const ct_joint *joint) {
    return ct_joint_is_coupling(joint->type);
}

static void add_coordinate(ct_snapshot *snap, ct_flow_coupling *coupling, ct_ex psi, int k) {
    const ct_coordinate *c = snap->model->coordinates + k;
    coupling->coordinate[coupling->n] = k;
    coupling->kind[coupling->n++] =
        ct_coupling_for(snap->layout->pool, psi, c->q, c->is_angle).kind;
}

// An edge to ground for each body with a point that the equation names.
static void tie_points(ct_snapshot *snap, const ct_flow_coupling *coupling, ct_ex psi) {
    const ct_model *m = snap->model;
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++) {
            int body = m->probes[i].body[s] > 0 ? snap->home[m->probes[i].body[s]] : 0;
            if (body <= 0 || !ct_depends(snap->layout->pool, psi, m->probes[i].symbol)) continue;
            snap->edges[snap->n_edges++] = (ct_flow_edge){.joint = coupling->joint,
                                                          .body = {0, body},
                                                          .own = {0, body},
                                                          .type = CT_JOINT_CONSTRAINT,
                                                          .c = snap->layout->connections};
        }
}

// Reads all couplings. Bodies with points that an equation names get an edge to ground, so that
// they are in one group of loops.
static void add_couplings(ct_snapshot *snap) {
    const ct_model *m = snap->model;
    ct_pool *pool = snap->layout->pool;
    size_t room = (size_t)m->n_coordinates + 1;
    // room for the edges of points
    int edges = snap->n_edges;
    snap->couplings = ct_scratch((size_t)m->n_joints + 1, sizeof *snap->couplings);
    for (int i = 0; i < m->n_joints; i++) edges += 2 * m->n_probes * is_coupling(m->joints + i);
    snap->edges = ct_scratch_longer(snap->edges, (size_t)snap->n_edges, (size_t)edges + 1,
                                    sizeof *snap->edges);
    snap->translating = ct_scratch((size_t)edges + 1, sizeof *snap->translating);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!is_coupling(j)) continue;
        // psi = q_b - ratio q_a for gears and racks, else the equation itself
        ct_flow_coupling *coupling = snap->couplings + snap->n_couplings++;
        *coupling = (ct_flow_coupling){.joint = i,
                                       .coordinate = ct_scratch(room, sizeof(int)),
                                       .kind = ct_scratch(room, sizeof(ct_coupling_kind))};
        ct_ex psi = j->equation;
        if (ct_joint_is_pair(j->type))
            psi = ct_sub(pool, m->coordinates[j->coordinate[1]].q,
                         ct_mul(pool, j->ratio, m->coordinates[j->coordinate[0]].q));
        else
            coupling->of_points = ct_ex_kinds(pool, psi) & (1u << CT_SYMBOL_OTHER);
        // its coordinates and points
        for (int k = 0; k < m->n_coordinates; k++)
            if (ct_depends(pool, psi, m->coordinates[k].q)) add_coordinate(snap, coupling, psi, k);
        if (coupling->of_points) tie_points(snap, coupling, psi);
    }
}

bool ct_flow_is_coupled(const ct_snapshot *snap, int coordinate) {
    for (int i = 0; i < snap->n_couplings; i++)
        for (int k = 0; k < snap->couplings[i].n; k++)
            if (snap->couplings[i].coordinate[k] == coordinate) return true;
    return false;
}

// the mechanism ----------------------------------------------------------------------------------
static int joints_at(const ct_snapshot *snap, int body) {
    int n = 0;
    for (int i = 0; i < snap->n_edges; i++)
        n += !snap->edges[i].is_virtual && snap->edges[i].joint < snap->model->n_joints &&
             (snap->edges[i].body[0] == body || snap->edges[i].body[1] == body);
    return n;
}

// True if a virtual joint of the model offers the pose of the body. Of a body that no joint holds
// results show its own coordinates: these are offered then, and the joint stays out of the trees.
static bool has_pose(const ct_snapshot *snap, int body, ct_flow_offer offer) {
    const ct_graph *g = snap->layout->f->graph;
    bool shown = g->tree[CT_ROTATION].has[ct_graph_edge(g, CT_EDGE_BODY, body)], found = false;
    for (int i = 0; i < snap->n_edges && !ct_offers_places(offer); i++) {
        ct_flow_edge *e = snap->edges + i;
        if (!e->is_virtual || !e->may_carry || e->n != (snap->layout->planar ? 3 : 6) ||
            (e->body[0] != body && e->body[1] != body))
            continue;
        e->may_carry = !shown;
        found = !shown;
    }
    return found;
}

// Adds a body's own coordinates as a virtual joint to ground. With two joints or fewer the body is
// placed by them only if it is found to keep its orientation.
static void add_own(ct_snapshot *snap, int body, const ct_formulation *f) {
    const ct_connection *c =
        snap->layout->connections + ct_graph_edge(f->graph, CT_EDGE_BODY, body);
    ct_ex value[6];
    double number[6];
    int n = ct_connection_values(snap->layout, c, value);
    evaluate(snap, n, value, number);
    for (int k = 0; k < n; k++) {
        ct_ex q = k < c->n_trans ? c->slide[k] : c->angle[k - c->n_trans];
        ct_numbers_set(&snap->numbers, 1, &q, number + k);
    }
    ct_flow_edge *e = snap->edges + snap->n_edges++;
    *e = (ct_flow_edge){.joint = CT_BODY_JOINT(snap->model, body),
                        .value = CT_ZERO,
                        .body = {0, body},
                        .own = {0, body},
                        .type = c->n_rot == 1 ? CT_JOINT_PLANAR : CT_JOINT_FREE,
                        .is_virtual = true,
                        .may_carry = joints_at(snap, body) > 2,
                        .c = c,
                        .n = n,
                        .first = CT_BODY_COORDINATE(snap->model, body, 0)};
    for (int s = 0; s < 2; s++) point(snap, e->body[s], c->at[s], e->at[s]);
    edge_axes(snap, e);
}

void ct_snapshot_init(ct_snapshot *snap, const ct_formulation *f, const double *q0,
                      ct_flow_offer offer) {
    // numbers for the coordinates, and the typical length
    *snap = (ct_snapshot){.model = f->model, .n_bodies = f->model->n_bodies};
    snap->offer = offer;
    snap->n_coordinates = CT_BODY_COORDINATE(f->model, f->model->n_bodies, 0);
    snap->layout = f->layout;
    ct_model_numbers(f->model, &snap->numbers);
    ct_numbers_set(&snap->numbers, f->n, f->q, q0);
    snap->length = ct_typical_length(f->model);
    // rotation and centre of mass of every body in the world
    size_t n = (size_t)snap->n_bodies;
    snap->rotation = ct_scratch(n, sizeof *snap->rotation);
    snap->centre = ct_scratch(n, sizeof *snap->centre);
    snap->upright = ct_scratch(n, sizeof *snap->upright);
    for (int b = 0; b < snap->n_bodies; b++) {
        ct_mat3 r = ct_rotation(snap->layout, 0, b);
        ct_vec3 p = ct_position(snap->layout, b, ct_vec3_zero());
        evaluate(snap, 9, &r.a[0][0], &snap->rotation[b][0][0]);
        evaluate(snap, 3, p.v, snap->centre[b]);
    }
    // joints and constraints
    joint_numbers(snap, f);
    size_t most = (size_t)(f->model->n_joints + f->model->n_motions + f->model->n_bodies) + 1;
    snap->edges = ct_scratch(most, sizeof *snap->edges);
    snap->translating = ct_scratch(most, sizeof *snap->translating);
    for (int i = 0; i < f->model->n_joints; i++)
        if (f->model->joints[i].body[0] >= 0) add_edge(snap, i, f);
    // guided points, welded bodies as one, own coordinates where they are offered, couplings
    add_guides(snap);
    for (int i = 0; i < snap->n_edges; i++)
        memcpy(snap->edges[i].own, snap->edges[i].body, sizeof snap->edges[i].own);
    ct_snapshot_weld(snap);
    for (int b = 1; b < snap->n_bodies && offer; b++)
        if (snap->home[b] == b && joints_at(snap, b) > (ct_offers_places(offer) ? 1 : 2) &&
            !has_pose(snap, b, offer))
            add_own(snap, b, f);
    bool poses = offer == CT_OFFER_POSES || offer == CT_OFFER_POSES_ONLY;
    for (int i = 0, all = snap->n_edges; i < all && poses; i++) ct_flow_add_swings(snap, i);
    add_couplings(snap);
    // groups of loops
    ct_flow_groups(snap);
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
