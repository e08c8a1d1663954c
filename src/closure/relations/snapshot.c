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

void ct_flow_point(ct_flow_world *w, int body, ct_vec3 at, double *p) {
    ct_flow_direction(w, body, at, p);
    for (int i = 0; i < 3; i++) p[i] += w->centre[body][i];
}

// Axes of the joint's coordinates as they stand in the world, seen from A outward.
static void edge_axes(ct_flow_world *w, ct_flow_edge *e) {
    const ct_connection *c = e->c;
    ct_pool *pool = w->layout.pool;
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
        e->axis_in[s] = ct_mat_vec(w->layout.pool, e->c->orient[s], own);
        e->second_in[s] = ct_mat_vec(w->layout.pool, e->c->orient[s], j->axis[1]);
        for (int i = 0; i < 2; i++)
            e->across_in[s][i] = ct_mat_vec(w->layout.pool, e->c->orient[s], n[i]);
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
                        .c = w->layout.connections + edge,
                        .n = j->n_coordinates,
                        .first = j->first_coordinate};
    for (int s = 0; s < 2; s++) ct_flow_point(w, e->body[s], e->c->at[s], e->at[s]);
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
        const ct_connection *c = w->layout.connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, i);
        int n = ct_connection_values(&w->layout, c, value);
        if (c->screw) n = 1, ct_connection_values(&w->layout, c, value);
        evaluate(w, n, value, number);
        for (int k = 0; k < n && k < j->n_coordinates; k++)
            if (f->where[j->first_coordinate + k] < 0)
                ct_numbers_set(&w->numbers, 1, &w->model->coordinates[j->first_coordinate + k].q,
                               number + k);
    }
}

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
    const ct_connection *c = w->layout.connections + ct_graph_edge(f->graph, CT_EDGE_BODY, body);
    ct_ex value[6];
    double number[6];
    int n = ct_connection_values(&w->layout, c, value);
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
    for (int s = 0; s < 2; s++) ct_flow_point(w, e->body[s], c->at[s], e->at[s]);
    edge_axes(w, e);
}

void ct_flow_world_init(ct_flow_world *w, const ct_formulation *f, const double *q0,
                        ct_flow_offer offer) {
    *w = (ct_flow_world){.model = f->model, .n_bodies = f->model->n_bodies};
    w->offer = offer;
    w->n_coordinates = CT_OWN_COORDINATE(f->model, f->model->n_bodies, 0);
    ct_layout_init(&w->layout, (ct_formulation *)f);
    ct_layout_find_plane(&w->layout);
    ct_layout_connect(&w->layout);
    ct_model_numbers(f->model, &w->numbers);
    ct_numbers_set(&w->numbers, f->n, f->q, q0);
    w->length = ct_typical_length(f->model);
    size_t n = (size_t)w->n_bodies;
    w->rotation = ct_alloc(n, sizeof *w->rotation);
    w->centre = ct_alloc(n, sizeof *w->centre);
    for (int b = 0; b < w->n_bodies; b++) {
        ct_mat3 r = ct_rotation(&w->layout, 0, b);
        ct_vec3 p = ct_position(&w->layout, b, ct_vec3_zero());
        evaluate(w, 9, &r.a[0][0], &w->rotation[b][0][0]);
        evaluate(w, 3, p.v, w->centre[b]);
    }
    joint_numbers(w, f);
    size_t most = (size_t)(f->model->n_joints + f->model->n_motions + f->model->n_bodies) + 1;
    w->edges = ct_alloc(most, sizeof *w->edges);
    w->kept = ct_alloc(most, sizeof *w->kept);
    for (int i = 0; i < f->model->n_joints; i++)
        if (f->model->joints[i].body[0] >= 0) add_edge(w, i, f);
    ct_flow_guides(w);
    for (int b = 1; b < w->n_bodies && offer; b++)
        if (joints_at(w, b) > (offer == CT_OFFER_PLACES ? 1 : 2)) add_own(w, b, f);
}

void ct_flow_world_clear(ct_flow_world *w) {
    ct_layout_clear(&w->layout);
    ct_numbers_clear(&w->numbers);
    free(w->rotation);
    free(w->centre);
    free(w->edges);
    free(w->guides);
    free(w->kept);
    ct_flow_laws_clear(w);
}

bool ct_flow_pins(ct_joint_type type) {
    return ct_joint_traits_of(type)->holds == CT_HOLDS_POINT && ct_joint_rotations(type) > 0;
}

// freedoms ---------------------------------------------------------------------------------------
static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Twists (angular, linear at the world's origin scaled by the typical length) that an edge allows.
static int allowed(const ct_flow_world *w, const ct_flow_edge *e, const bool *held,
                   double (*t)[6]) {
    int n = 0;
    for (int k = 0; k < e->n; k++) {
        if (held && held[e->first + k]) continue;
        memset(t[n], 0, sizeof t[n]);
        if (e->turn[k]) {
            memcpy(t[n], e->axis[k], sizeof e->axis[k]);
            cross(e->at[1], e->axis[k], t[n] + 3); // velocity at the origin: p x w
            if (e->c->screw) {
                double lead[3];
                for (int i = 0; i < 3; i++)
                    lead[i] = ct_model_number(w->model, w->model->joints[e->joint].pitch) /
                              (2 * M_PI) * e->axis[k][i];
                for (int i = 0; i < 3; i++) t[n][3 + i] += lead[i];
            }
            for (int i = 3; i < 6; i++) t[n][i] /= w->length;
        } else {
            memcpy(t[n] + 3, e->axis[k], sizeof e->axis[k]);
        }
        n++;
    }
    return n;
}

// Rows that complete the allowed twists: an orthonormal basis of their complement.
static int complement(int n, double (*t)[6], double (*rows)[6]) {
    double basis[12][6];
    int count = 0, free_rows = 0;
    for (int k = 0; k < n + 6; k++) {
        double v[6] = {0}, before, after;
        if (k < n)
            memcpy(v, t[k], sizeof v);
        else
            v[k - n] = 1;
        before = 0;
        for (int i = 0; i < 6; i++) before += v[i] * v[i];
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < count; b++) {
                double dot = 0;
                for (int i = 0; i < 6; i++) dot += v[i] * basis[b][i];
                for (int i = 0; i < 6; i++) v[i] -= dot * basis[b][i];
            }
        after = 0;
        for (int i = 0; i < 6; i++) after += v[i] * v[i];
        if (after < 1e-12 * (before > 1e-6 ? before : 1)) continue;
        for (int i = 0; i < 6; i++) v[i] /= sqrt(after);
        memcpy(basis[count++], v, sizeof v);
        if (k >= n) memcpy(rows[free_rows++], v, sizeof v);
    }
    return free_rows;
}

// Constraints without coordinates: rows on the relative twist.
static int constraint_rows(ct_flow_world *w, const ct_flow_edge *e, double (*rows)[6]) {
    double d[3], axis[2][3];
    for (int i = 0; i < 3; i++) d[i] = e->at[1][i] - e->at[0][i];
    for (int s = 0; s < 2; s++) ct_flow_direction(w, e->body[s], e->axis_in[s], axis[s]);
    double normal[3][3] = {{0}};
    int n = 0;
    if (ct_joint_is_equation(e->type)) return 0; // a law is counted apart
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    bool rotation = t->keeps != CT_KEEPS_NOTHING;
    if (t->holds == CT_HOLDS_POINT) // a guided point
        for (n = 0; n < 3; n++) normal[n][n] = 1;
    else if (t->holds == CT_HOLDS_DISTANCE)
        memcpy(normal[n++], d, sizeof d);
    else if (t->holds == CT_HOLDS_PLANE)
        memcpy(normal[n++], axis[0], sizeof d);
    else if (t->keeps == CT_KEEPS_ANGLE)
        cross(axis[0], axis[1], normal[n++]);
    else { // inline, parallel: two directions across the axis
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(axis[0][i]) < fabs(axis[0][least])) least = i;
        double e1[3] = {0};
        e1[least] = 1;
        cross(axis[0], e1, normal[0]);
        cross(axis[0], normal[0], normal[1]);
        n = 2;
    }
    for (int k = 0; k < n; k++) {
        double moment[3];
        cross(e->at[1], normal[k], moment); // n . (w x p + v) = w . (p x n) + v . n
        for (int i = 0; i < 3; i++) {
            rows[k][i] = rotation ? normal[k][i] : moment[i] / w->length;
            rows[k][3 + i] = rotation ? 0 : normal[k][i];
        }
    }
    return n;
}

int ct_flow_freedoms(ct_flow_world *w, const ct_flow_group *g, const bool *held) {
    int n_bodies = g->n_bodies, n_edges = g->n_edges;
    const int *bodies = g->bodies, *edges = g->edges;
    int columns = 6 * (n_bodies - 1), count = 0;
    int *where = ct_alloc((size_t)w->n_bodies, sizeof *where);
    for (int i = 0; i < w->n_bodies; i++) where[i] = -1;
    for (int i = 1; i < n_bodies; i++) where[bodies[i]] = i - 1;
    double *a = ct_alloc((size_t)(6 * n_edges + 1) * (size_t)(columns + 1), sizeof *a);
    for (int i = 0; i < n_edges; i++) {
        const ct_flow_edge *e = w->edges + edges[i];
        if (e->is_virtual && !held) continue;
        double t[6][6], rows[6][6];
        bool moves = e->joint >= 0 && ct_joint_has_coordinates(e->type);
        int n = moves ? complement(allowed(w, e, held, t), t, rows) : constraint_rows(w, e, rows);
        for (int k = 0; k < n; k++, count++)
            for (int s = 0; s < 2; s++) {
                int b = where[e->body[s]];
                if (b < 0) continue;
                for (int c = 0; c < 6; c++)
                    a[count * columns + 6 * b + c] += s ? rows[k][c] : -rows[k][c];
            }
    }
    int rank = columns ? ct_rank(count, columns, a, 1e-9) : 0;
    free(a);
    free(where);
    return columns - rank;
}
