// Placements of several unknown coordinates of one joint: slide and angle of a cylinder, two angles, one
// of several slides, the place of a translating body; three angles and poses are in poses.c.
#include "closure/flow/placements.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

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

// Offers to place two unknown coordinates of one joint, slide and angle or two angles, that a point,
// a direction or a line fixes.
static void try_two(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                    int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    int turns = e->is_angle[u->which[0]] + e->is_angle[u->which[1]];
    if (!turns) return;
    for (int i = 0; i < n_relations; i++) {
        const ct_flow_relation *r = relations + i;
        double rows[3][6], basis[6][6], cost = 0;
        int size = 0;
        // a line that holds the point, for slide and angle
        if (turns == 1 && is_line(relations, n_relations, i)) {
            try_line(search, s, u->edge, u->sx, u->which, r, best);
            continue;
        }
        // a vector that determines both: a point, or for angles a direction or a line of the body
        bool line = turns == 2 && ct_flow_is_own_line(relations, n_relations, i);
        if (r->r.kind != CT_RELATION_POINT && !(r->r.kind == CT_RELATION_AXIS && turns == 2) &&
            !line)
            continue;
        for (int k = 0; k < 1 + line; k++)
            ct_flow_extend(ct_flow_rows(search->snap, r + k, e, 2, u->which, rows), rows, 2, basis,
                           &size);
        if (size < 2) continue;
        if (line) cost = ct_flow_own_line_cost(r, e);
        ct_placement p;
        ct_flow_fill(&p, e, turns < 2 ? CT_PLACE_CYLINDER : CT_PLACE_DIRECTION, u->sx, 2, u->which);
        p.relation[p.n_relations++] = r->r;
        ct_flow_try(search, s, best,
                    cost + (turns < 2 ? CT_PRICE_CYLINDER_BY_POINT : CT_PRICE_DIRECTION), u->edge,
                    &p);
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

// Offers to place a body whose orientation is known by as many distances as slides are unknown, two
// or three: its centre is on so many spheres.
static void try_spheres(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                        int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    double basis[6][6], rows[3][6];
    int size = 0;
    ct_placement p;
    ct_flow_fill(&p, e, CT_PLACE_SPHERES, 1, u->n, u->which);
    for (int i = 0; i < n_relations && p.n_relations < u->n; i++) {
        if (relations[i].r.kind != CT_RELATION_DISTANCE) continue;
        ct_flow_rows(search->snap, relations + i, e, u->n, u->which, rows);
        if (ct_flow_extend(1, rows, u->n, basis, &size))
            p.relation[p.n_relations++] = relations[i].r;
    }
    if (p.n_relations == u->n) ct_flow_try(search, s, best, CT_PRICE_SPHERES, u->edge, &p);
}

// Volume that n rows span, of the product of their lengths.
static double volume(int n, double (*rows)[6]) {
    double v = 1, a[6][6];
    memcpy(a, rows, (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++) {
        double before = 0, after = 0;
        for (int k = 0; k < n; k++) before += a[i][k] * a[i][k];
        for (int b = 0; b < i; b++) {
            double d = 0;
            for (int k = 0; k < n; k++) d += a[i][k] * a[b][k];
            for (int k = 0; k < n; k++) a[i][k] -= d * a[b][k];
        }
        for (int k = 0; k < n; k++) after += a[i][k] * a[i][k];
        if (!(after > CT_TOL_ROW2)) return 0;
        for (int k = 0; k < n; k++) a[i][k] /= sqrt(after);
        v *= sqrt(after / before);
    }
    return v;
}

// Planes that hold points of the body; a point that is known is in three planes of body k. Returns
// how many.
static int planes_of(ct_snapshot *snap, int n, const ct_flow_relation *r, ct_flow_relation *out) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (r[i].r.kind == CT_RELATION_PLANE_K) out[count++] = r[i];
        for (int k = 0; k < 3 && r[i].r.kind == CT_RELATION_POINT; k++) {
            ct_flow_relation *p = out + count++;
            *p = r[i];
            p->r.kind = CT_RELATION_PLANE_K;
            p->r.axis_k = ct_vec_unit(k);
            p->r.value = CT_ZERO;
            ct_flow_direction(snap, p->r.k, p->r.axis_k, p->axis_k);
        }
    }
    return count;
}

// Offers to place slides and at most one angle of a body by as many planes that hold points of it.
// The first planes give the slides once the angle is known; the last one gives the angle.
static void try_planes(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                       int turns, int n_all, const ct_flow_relation *all_of, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    ct_flow_relation relations[3 * CT_FLOW_RELATIONS];
    double basis[6][6], rows[6][6], row[3][6];
    int size = 0, slides[3], n_slides = 0, all = 0;
    if (u->sx != 1 || turns > 1 || ct_joint_is_on_axis(e->type)) return;
    for (int k = 0; k < u->n; k++)
        if (!e->is_angle[u->which[k]]) slides[n_slides++] = u->which[k];
    if (!n_slides) return;
    int n_relations = planes_of(search->snap, n_all, all_of, relations);
    ct_placement p;
    ct_flow_fill(&p, e, CT_PLACE_PLANES, 1, u->n, u->which);
    // planes that see the slides, then one more for the angle
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n_relations && all < (pass ? u->n : n_slides); i++) {
            ct_flow_rows(search->snap, relations + i, e, n_slides, slides, row);
            if (!pass && !ct_flow_extend(1, row, n_slides, basis, &size)) continue;
            ct_flow_rows(search->snap, relations + i, e, u->n, u->which, row);
            memcpy(rows[all], row[0], sizeof row[0]);
            if (pass && !(volume(all + 1, rows) > CT_TOL_PIVOT)) continue;
            p.relation[all++] = relations[i].r;
        }
    double margin = all == u->n ? volume(all, rows) : 0;
    if (!(margin > CT_TOL_PIVOT)) return;
    p.n_relations = all;
    ct_flow_try(search, s, best,
                n_slides * CT_PRICE_SLIDE_BY_PLANE + turns * 2 * CT_PRICE_ANGLE_BY_LENGTH +
                    (margin < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0),
                u->edge, &p);
}

void ct_flow_several(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                     int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + u->edge;
    int turns = 0;
    for (int k = 0; k < u->n; k++) turns += e->is_angle[u->which[k]];
    ct_flow_orient(search, s, u, turns, n_relations, relations, best);
    if (e->is_virtual && u->n <= 4) try_planes(search, s, u, turns, n_relations, relations, best);
    if (u->n > 3) return;
    if (u->n == 2) try_two(search, s, u, n_relations, relations, best);
    try_slides(search, s, u->edge, u->sx, u->n, u->which, n_relations, relations, best);
    bool place = e->is_virtual || e->c->n_rot == 0; // slides in three directions
    if (place && !turns && u->sx == 1 && e->c->n_trans == 3)
        try_spheres(search, s, u, n_relations, relations, best);
}
