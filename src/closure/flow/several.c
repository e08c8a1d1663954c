// Placements of several unknown coordinates of one joint: slide and angle of a cylinder, two or three
// angles, one of several slides, the place of a translating body.
#include "closure/flow/placements.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

// Extends an orthonormal basis by rows with n columns (Gram-Schmidt). Returns the number of rows
// that were independent of the basis.
static int extend(int count, double (*rows)[6], int n, double (*basis)[6], int *size) {
    int added = 0;
    for (int i = 0; i < count && *size < n; i++) {
        double v[6], norm = 0;
        memcpy(v, rows[i], sizeof v);
        for (int b = 0; b < *size; b++) {
            double d = 0;
            for (int c = 0; c < n; c++) d += v[c] * basis[b][c];
            for (int c = 0; c < n; c++) v[c] -= d * basis[b][c];
        }
        for (int c = 0; c < n; c++) norm += v[c] * v[c];
        if (norm < CT_TOL_ROW2) continue;
        for (int c = 0; c < n; c++) basis[*size][c] = v[c] / sqrt(norm);
        (*size)++;
        added++;
    }
    return added;
}

// True if relations i and i + 1 are the two planes of one line that is fixed in a placed body.
static bool is_line(const ct_flow_relation *r, int n, int i) {
    return i + 1 < n && r[i].r.line && r[i + 1].r.line && r[i].r.kind == CT_RELATION_PLANE_K &&
           r[i + 1].r.kind == CT_RELATION_PLANE_K && r[i].r.joint == r[i + 1].r.joint &&
           ct_vec_same(r[i].r.mate, r[i + 1].r.axis_k);
}

// Offers to place slide and angle of a joint by the line that a point is on.
static void try_line(ct_flow_search *search, const ct_flow_state *s, int edge, int sx,
                     const int *which, const ct_flow_relation *r, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    double a[2][3][6], size[2] = {0, 0}, det;
    // margin = |det| / (|column 1| |column 2|) of the two planes by slide and angle
    for (int i = 0; i < 2; i++) {
        ct_flow_rows(search->snap, r + i, e, 2, which, a[i]);
        for (int k = 0; k < 2; k++) size[k] += a[i][0][k] * a[i][0][k];
    }
    det = a[0][0][0] * a[1][0][1] - a[0][0][1] * a[1][0][0];
    double margin = fabs(det) / sqrt(size[0] * size[1]);
    if (!(size[0] > CT_TOL_ROW2 && size[1] > CT_TOL_ROW2 && margin > CT_TOL_PIVOT)) return;
    // dearer close to the limit position
    ct_placement p;
    ct_flow_fill(&p, e, CT_PLACE_CYLINDER, sx, 2, which);
    p.relation[p.n_relations++] = r->r;
    ct_flow_try(search, s, best,
                CT_PRICE_CYLINDER_BY_LINE + (margin < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0), edge, &p);
}

// True if relations i and i + 1 are the two planes of one line that is fixed in the body to be
// placed and passes through a known point.
static bool is_own_line(const ct_flow_relation *r, int n, int i) {
    return i + 1 < n && r[i].r.line && r[i + 1].r.line && r[i].r.kind == CT_RELATION_PLANE_X &&
           r[i + 1].r.kind == CT_RELATION_PLANE_X && r[i].r.joint == r[i + 1].r.joint &&
           r[i].r.x == r[i + 1].r.x && ct_vec_same(r[i].r.mate, r[i + 1].r.axis_x);
}

// Price of the place of the known point on such a line: a root, which meets its mirror image where
// the line is across the arm from the joint to the point. INFINITY at that limit position.
static double own_line_cost(const ct_flow_relation *r, const ct_flow_edge *e) {
    double along = 0, arm2 = 0, u2 = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double arm = r[0].k[i] - e->at[0][i],
               u = r[0].axis_x[j] * r[1].axis_x[k] - r[0].axis_x[k] * r[1].axis_x[j];
        along += arm * u;
        arm2 += arm * arm;
        u2 += u * u;
    }
    double margin = arm2 > 0 ? fabs(along) / sqrt(arm2 * u2) : 0;
    if (margin < CT_TOL_PIVOT) return INFINITY;
    return CT_PRICE_SLIDE_BY_LENGTH + (margin < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0);
}

// Offers to place three angles, two of which the first relation of p determines: a second relation
// sees the turn about the first vector. basis: rows of the first one; cost: of it, beside the frame.
static void try_second(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                       int n_relations, const ct_flow_relation *relations, ct_placement *p,
                       double (*basis)[6], double cost, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    for (int k = 0; k < n_relations; k++) {
        const ct_flow_relation *t = relations + k;
        double more[6][6], rows[3][6];
        memcpy(more, basis, sizeof more);
        int size = 2;
        if (t->r.kind == CT_RELATION_PLANE_X ||
            !extend(ct_flow_rows(search->snap, t, e, u->n, u->which, rows), rows, u->n, more,
                    &size))
            continue;
        bool vector = t->r.kind == CT_RELATION_POINT || t->r.kind == CT_RELATION_AXIS;
        p->relation[1] = t->r;
        p->n_relations = 2;
        ct_flow_try(search, s, best,
                    cost + (vector ? CT_PRICE_FRAME_BY_VECTORS : CT_PRICE_FRAME_BY_ROOT), u->edge,
                    p);
    }
}

// Offers to place two or three unknown coordinates of one joint, of which a point, a direction or a
// line through a known point fixes two.
static void try_several(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                        int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    // slide and angle, two angles or three angles of one joint
    int turns = 0, n = u->n;
    for (int k = 0; k < n; k++) turns += e->is_angle[u->which[k]];
    if (n > 3 || (n == 3 && turns < 3) || (n == 2 && turns == 0)) return;
    for (int i = 0; i < n_relations; i++) {
        const ct_flow_relation *r = relations + i;
        double rows[3][6], basis[6][6], cost = 0;
        int size = 0;
        // a line that holds the point, for slide and angle
        if (n == 2 && turns == 1 && is_line(relations, n_relations, i)) {
            try_line(search, s, u->edge, u->sx, u->which, r, best);
            continue;
        }
        // a vector that determines two of the unknowns: a point, or for angles a direction or line
        bool line = turns == n && is_own_line(relations, n_relations, i);
        if (r->r.kind != CT_RELATION_POINT && !(r->r.kind == CT_RELATION_AXIS && turns == n) &&
            !line)
            continue;
        for (int k = 0; k < 1 + line; k++)
            extend(ct_flow_rows(search->snap, r + k, e, n, u->which, rows), rows, n, basis, &size);
        if (size < 2) continue;
        if (line) cost = own_line_cost(r, e);
        // two unknowns are placed by it, three by a second relation too
        ct_placement p;
        ct_flow_fill(&p, e,
                     turns < n ? CT_PLACE_CYLINDER
                     : n == 2  ? CT_PLACE_DIRECTION
                               : CT_PLACE_FRAME,
                     u->sx, n, u->which);
        p.relation[p.n_relations++] = r->r;
        if (n == 3)
            try_second(search, s, u, n_relations, relations, &p, basis, cost, best);
        else
            ct_flow_try(search, s, best,
                        cost + (turns < n ? CT_PRICE_CYLINDER_BY_POINT : CT_PRICE_DIRECTION),
                        u->edge, &p);
    }
}

// Offers to place one of several unknown slides, or the slide of a cylinder, by a plane; no other
// unknown of the joint may move the point across this plane.
static void try_slides(ct_flow_search *search, const ct_flow_state *s, int edge, int sx, int n,
                       const int *which, int n_relations, const ct_flow_relation *relations,
                       ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    // slides, or the slide and angle of a cylinder
    for (int k = 0; k < n; k++)
        if (e->is_angle[which[k]] && !ct_joint_slides_on_line(e->type)) return;
    for (int i = 0; i < n_relations; i++) {
        double rows[3][6];
        int seen = 0, one = 0;
        // planes whose row has a single entry, at a slide
        if (relations[i].r.kind != CT_RELATION_PLANE_K) continue;
        ct_flow_rows(search->snap, relations + i, e, n, which, rows);
        for (int k = 0; k < n; k++)
            if (fabs(rows[0][k]) > CT_TOL_SEEN) {
                seen++;
                one = which[k];
            }
        if (seen != 1 || e->is_angle[one]) continue;
        // the option: that slide by the plane, at its price
        ct_placement p;
        ct_flow_fill(&p, e, CT_PLACE_ONE, sx, 1, &one);
        p.relation[p.n_relations++] = relations[i].r;
        ct_flow_try(search, s, best, ct_flow_one_cost(search->snap, relations + i, e, one), edge,
                    &p);
    }
}

// Offers to place a translating body by three distances: its centre is on three spheres.
static void try_spheres(ct_flow_search *search, const ct_flow_state *s, int edge, const int *which,
                        int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    double basis[6][6], rows[3][6];
    int size = 0;
    ct_placement p;
    ct_flow_fill(&p, e, CT_PLACE_SPHERES, 1, 3, which);
    for (int i = 0; i < n_relations && p.n_relations < 3; i++) {
        if (relations[i].r.kind != CT_RELATION_DISTANCE) continue;
        ct_flow_rows(search->snap, relations + i, e, 3, which, rows);
        if (extend(1, rows, 3, basis, &size)) p.relation[p.n_relations++] = relations[i].r;
    }
    if (p.n_relations == 3) ct_flow_try(search, s, best, CT_PRICE_SPHERES, edge, &p);
}

void ct_flow_several(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                     int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    try_several(search, s, u, n_relations, relations, best);
    try_slides(search, s, u->edge, u->sx, u->n, u->which, n_relations, relations, best);
    if (e->is_virtual && u->n == 3 && u->sx == 1)
        try_spheres(search, s, u->edge, u->which, n_relations, relations, best);
}
