// Small motions at the initial position: derivatives of relations by coordinates of joints, and the
// number of freedoms of a group.
#include "closure/relations/snapshot.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Twists (angular, linear at the world's origin scaled by the typical length) that an edge allows,
// one for each coordinate that is not held. Returns how many.
static int allowed(const ct_snapshot *snap, const ct_flow_edge *e, const bool *held,
                   double (*t)[6]) {
    int n = 0;
    for (int k = 0; k < e->n; k++) {
        if (held && held[e->first + k]) continue;
        memset(t[n], 0, sizeof t[n]);
        // an axis w through p: angular w, linear p x w, for a screw also its lead along w
        if (e->is_angle[k]) {
            memcpy(t[n], e->axis[k], sizeof e->axis[k]);
            cross(e->at[1], e->axis[k], t[n] + 3); // velocity at the origin: p x w
            if (e->c->screw) {
                double lead[3];
                for (int i = 0; i < 3; i++)
                    lead[i] = ct_model_number(snap->model, snap->model->joints[e->joint].pitch) /
                              (2 * M_PI) * e->axis[k][i];
                for (int i = 0; i < 3; i++) t[n][3 + i] += lead[i];
            }
            for (int i = 3; i < 6; i++) t[n][i] /= snap->length;
        } else {
            memcpy(t[n] + 3, e->axis[k], sizeof e->axis[k]);
        }
        n++;
    }
    return n;
}

// Orthonormal basis of the complement of the allowed twists, by Gram-Schmidt: the constraints of a
// joint. Returns their number.
static int complement(int n, double (*t)[6], double (*rows)[6]) {
    double basis[12][6];
    int count = 0, free_rows = 0;
    for (int k = 0; k < n + 6; k++) {
        // the allowed twists, then the six unit vectors
        double v[6] = {0}, before, after;
        if (k < n)
            memcpy(v, t[k], sizeof v);
        else
            v[k - n] = 1;
        before = 0;
        for (int i = 0; i < 6; i++) before += v[i] * v[i];
        // v - sum (v . b) b, twice for accuracy
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < count; b++) {
                double dot = 0;
                for (int i = 0; i < 6; i++) dot += v[i] * basis[b][i];
                for (int i = 0; i < 6; i++) v[i] -= dot * basis[b][i];
            }
        after = 0;
        for (int i = 0; i < 6; i++) after += v[i] * v[i];
        // v depends on the basis
        if (after < CT_TOL_TWIST2 * (before > CT_TOL_TWIST_OWN2 ? before : 1)) continue;
        // a new direction; unit vectors give the complement
        for (int i = 0; i < 6; i++) v[i] /= sqrt(after);
        memcpy(basis[count++], v, sizeof v);
        if (k >= n) memcpy(rows[free_rows++], v, sizeof v);
    }
    return free_rows;
}

// Rows of a constraint without coordinates on the relative twist of its bodies. Returns their
// number.
static int constraint_rows(ct_snapshot *snap, const ct_flow_edge *e, double (*rows)[6]) {
    // the way between its points, and its axes
    double d[3], axis[2][3];
    for (int i = 0; i < 3; i++) d[i] = e->at[1][i] - e->at[0][i];
    for (int s = 0; s < 2; s++) ct_flow_direction(snap, e->body[s], e->axis_in[s], axis[s]);
    double normal[3][3] = {{0}};
    int n = 0;
    if (ct_joint_is_equation(e->type)) return 0; // couplings are treated apart (flow.c)
    // directions in which it holds the point, or about which it keeps the body from turning
    const ct_joint_traits *traits = ct_joint_traits_of(e->type);
    bool rotation = traits->keeps != CT_KEEPS_NOTHING;
    if (traits->holds == CT_HOLDS_POINT) // a guided point
        for (n = 0; n < 3; n++) normal[n][n] = 1;
    else if (traits->holds == CT_HOLDS_DISTANCE)
        memcpy(normal[n++], d, sizeof d);
    else if (traits->holds == CT_HOLDS_PLANE)
        memcpy(normal[n++], axis[0], sizeof d);
    else if (traits->keeps == CT_KEEPS_ANGLE)
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
    // n . w for turning, n . (w x p + v) = w . (p x n) + v . n for a point
    for (int k = 0; k < n; k++) {
        double moment[3];
        cross(e->at[1], normal[k], moment);
        for (int i = 0; i < 3; i++) {
            rows[k][i] = rotation ? normal[k][i] : moment[i] / snap->length;
            rows[k][3 + i] = rotation ? 0 : normal[k][i];
        }
    }
    return n;
}

// The rank of a matrix, found once.
static int rank_of(ct_known_ranks *known, int m, int n, const double *a) {
    ct_digest key = {0};
    int i = 0;
    ct_digest_add_number(&key, (uint64_t)m);
    ct_digest_add_number(&key, (uint64_t)n);
    ct_digest_add(&key, a, (size_t)m * (size_t)n * sizeof *a);
    while (known && i < known->n && memcmp(known->key + i, &key, sizeof key) != 0) i++;
    if (known && i < known->n) return known->rank[i];
    int rank = ct_rank(m, n, a, CT_TOL_RANK, NULL);
    if (known && known->n < CT_KNOWN_RANKS) {
        known->key[known->n] = key;
        known->rank[known->n++] = rank;
    }
    return rank;
}

// Rows of an edge on the twist of B less that of A. Returns their number.
static int rows_of(ct_snapshot *snap, const ct_flow_edge *e, const bool *held, double (*rows)[6]) {
    double t[6][6];
    bool moves = e->joint >= 0 && ct_joint_has_coordinates(e->type);
    return moves ? complement(allowed(snap, e, held, t), t, rows) : constraint_rows(snap, e, rows);
}

static bool takes_part(const ct_flow_edge *e, const bool *held) {
    return !(e->is_virtual && !held) && !e->n_composed && !e->swing;
}

// freedoms of many bodies -------------------------------------------------------------------------
// Twists of all bodies as sums over the joints of a spanning tree, so that columns are coordinates of
// joints and rows belong to the edges outside of the tree: scissors of 100 stages have 301 columns in
// the place of 1200.
typedef struct tree_motions {
    ct_snapshot *snap;
    const ct_loop_group *group;
    const bool *held;
    int n, room;   // columns so far, and at most
    bool *reached; // [bodies]
    bool *in_tree; // [edges of the group]
    double *twist; // [bodies][6][room]
} tree_motions;

static double *twist_of(const tree_motions *m, int body, int component) {
    return m->twist + ((size_t)body * 6 + (size_t)component) * (size_t)m->room;
}

// Body b moves with a, and by n twists beside that.
static void hang(tree_motions *m, int a, int b, int n, double (*t)[6], double sign) {
    for (int c = 0; c < 6; c++) {
        double *to = twist_of(m, b, c);
        memcpy(to, twist_of(m, a, c), (size_t)m->room * sizeof *to);
        for (int k = 0; k < n; k++) to[m->n + k] = sign * t[k][c];
    }
    m->n += n;
    m->reached[b] = true;
}

// Bodies on joints of reached ones, until there are no more.
static void reach(tree_motions *m) {
    for (bool any = true; any;) {
        any = false;
        for (int i = 0; i < m->group->n_edges; i++) {
            const ct_flow_edge *e = m->snap->edges + m->group->edges[i];
            bool moves = e->joint >= 0 && ct_joint_has_coordinates(e->type);
            if (!moves || !takes_part(e, m->held) ||
                m->reached[e->body[0]] == m->reached[e->body[1]])
                continue;
            double t[6][6];
            int side = m->reached[e->body[0]], n = allowed(m->snap, e, m->held, t);
            hang(m, e->body[1 - side], e->body[side], n, t, side ? 1 : -1);
            m->in_tree[i] = any = true;
        }
    }
}

static int freedoms_by_tree(ct_snapshot *snap, const ct_loop_group *group, const bool *held) {
    int count = 0, n_edges = group->n_edges;
    tree_motions m = {.snap = snap, .group = group, .held = held, .room = 6 * group->n_bodies};
    size_t n_bodies = (size_t)snap->n_bodies;
    m.reached = ct_scratch(n_bodies, sizeof *m.reached);
    m.in_tree = ct_scratch((size_t)n_edges + 1, sizeof *m.in_tree);
    m.twist = ct_scratch(n_bodies * 6 * (size_t)m.room, sizeof *m.twist);
    // ground, then all that hangs on it; a body on ties alone is free to move in six ways
    m.reached[group->bodies[0]] = true;
    reach(&m);
    for (int i = 1; i < group->n_bodies; i++) {
        if (m.reached[group->bodies[i]]) continue;
        double unit[6][6] = {{0}};
        for (int k = 0; k < 6; k++) unit[k][k] = 1;
        hang(&m, group->bodies[0], group->bodies[i], 6, unit, 1);
        reach(&m);
    }
    // rows of the edges outside of the tree
    double *a = ct_scratch((size_t)(6 * n_edges + 1) * (size_t)(m.n + 1), sizeof *a);
    for (int i = 0; i < n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        if (m.in_tree[i] || !takes_part(e, held)) continue;
        double rows[6][6];
        int n = rows_of(snap, e, held, rows);
        for (int k = 0; k < n; k++, count++)
            for (int c = 0; c < 6; c++) {
                const double *to = twist_of(&m, e->body[1], c), *from = twist_of(&m, e->body[0], c);
                for (int j = 0; j < m.n; j++)
                    a[(size_t)count * (size_t)m.n + (size_t)j] += rows[k][c] * (to[j] - from[j]);
            }
    }
    return m.n - (m.n ? rank_of(snap->ranks, count, m.n, a) : 0);
}

// Freedoms with a twist for each body: six columns for each but the first.
static int freedoms_by_bodies(ct_snapshot *snap, const ct_loop_group *group, const bool *held) {
    int n_bodies = group->n_bodies, n_edges = group->n_edges;
    const int *bodies = group->bodies, *edges = group->edges;
    int columns = 6 * (n_bodies - 1), count = 0;
    int *where = ct_scratch((size_t)snap->n_bodies, sizeof *where);
    for (int i = 0; i < snap->n_bodies; i++) where[i] = -1;
    for (int i = 1; i < n_bodies; i++) where[bodies[i]] = i - 1;
    // rows of every joint and constraint: twist of B less that of A
    double *a = ct_scratch((size_t)(6 * n_edges + 1) * (size_t)(columns + 1), sizeof *a);
    for (int i = 0; i < n_edges; i++) {
        const ct_flow_edge *e = snap->edges + edges[i];
        if (!takes_part(e, held)) continue;
        double rows[6][6];
        int n = rows_of(snap, e, held, rows);
        for (int k = 0; k < n; k++, count++)
            for (int s = 0; s < 2; s++) {
                int b = where[e->body[s]];
                if (b < 0) continue;
                for (int c = 0; c < 6; c++)
                    a[count * columns + 6 * b + c] += s ? rows[k][c] : -rows[k][c];
            }
    }
    // freedoms = columns - rank
    return columns - (columns ? rank_of(snap->ranks, count, columns, a) : 0);
}

int ct_flow_freedoms(ct_snapshot *snap, const ct_loop_group *group, const bool *held) {
    enum { MANY = 40 }; // bodies: a twist for each is the shorter way to the rank of fewer
    ct_stage stage = ct_stage_begin();
    int freedoms = group->n_bodies > MANY ? freedoms_by_tree(snap, group, held)
                                          : freedoms_by_bodies(snap, group, held);
    ct_stage_end(stage);
    return freedoms;
}

int ct_flow_rows(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e, int n,
                 const int *which, double (*rows)[6]) {
    int count = r->r.kind == CT_RELATION_POINT || r->r.kind == CT_RELATION_AXIS ? 3 : 1;
    memset(rows, 0, (size_t)count * sizeof *rows);
    // g = p_x - p_k
    double gap[3], far = 0;
    for (int i = 0; i < 3; i++) gap[i] = r->x[i] - r->k[i];
    far = sqrt(dot(gap, gap));
    for (int c = 0; c < n; c++) {
        int k = which[c];
        // a turn about w moves the point by w x arm and an axis u by w x u; a slide moves the point
        double move[3] = {0}, swing[3] = {0}, arm[3];
        for (int i = 0; i < 3; i++) arm[i] = r->x[i] - e->at[1][i]; // B turns about its own point
        if (e->is_angle[k]) {
            cross(e->axis[k], arm, move);
            cross(e->axis[k], r->axis_x, swing);
        } else {
            memcpy(move, e->axis[k], sizeof move);
        }
        double unit = e->is_angle[k] ? snap->length : 1;
        // derivatives of p_x, u_x, |g|, u_k . g, u_x . g, u_x . u_k; lengths in typical lengths
        switch (r->r.kind) {
        case CT_RELATION_POINT:
            for (int i = 0; i < 3; i++) rows[i][c] = move[i] / unit;
            break;
        case CT_RELATION_AXIS:
            for (int i = 0; i < 3; i++) rows[i][c] = swing[i];
            break;
        case CT_RELATION_DISTANCE: rows[0][c] = far > 0 ? dot(gap, move) / (far * unit) : 0; break;
        case CT_RELATION_SWING:
        case CT_RELATION_PLANE_K: rows[0][c] = dot(r->axis_k, move) / unit; break;
        case CT_RELATION_PLANE_X:
            rows[0][c] = (dot(r->axis_x, move) + dot(swing, gap)) / unit;
            break;
        case CT_RELATION_DOT:
        case CT_RELATION_SPIN: rows[0][c] = dot(r->axis_k, swing); break;
        }
    }
    return count;
}
