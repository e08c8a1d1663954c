// The next placement: of all joints between a placed body and another one, or between two unplaced
// ones that are pinned, the cheapest whose unknown coordinates the relations determine.
#include "closure/flow/search.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double length(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

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

// Distance from the limit position of a relation that determines one coordinate: 0 at the limit,
// 1 far from it. It is the share of the point's displacement that the relation sees.
static double margin(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                     int which) {
    double row[3][6], move[3][6];
    ct_flow_rows(snap, r, e, 1, &which, row);
    if (r->r.kind == CT_RELATION_DOT) return fabs(row[0][0]);
    ct_flow_relation p = *r;
    p.r.kind = CT_RELATION_POINT;
    ct_flow_rows(snap, &p, e, 1, &which, move);
    double m = length((double[]){move[0][0], move[1][0], move[2][0]});
    return m > 0 ? fabs(row[0][0]) / m : 0;
}

// Price of one coordinate by one relation; INFINITY if the relation does not determine it.
static double one_cost(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                       int which) {
    double rows[3][6];
    int n = ct_flow_rows(snap, r, e, 1, &which, rows);
    double size =
        n == 3 ? length((double[]){rows[0][0], rows[1][0], rows[2][0]}) : fabs(rows[0][0]);
    if (size < CT_TOL_PIVOT) return INFINITY;
    if (n == 3) return e->is_angle[which] ? CT_PRICE_ANGLE_BY_VECTOR : CT_PRICE_SLIDE_BY_VECTOR;
    if (!e->is_angle[which] && r->r.kind != CT_RELATION_DISTANCE) return CT_PRICE_SLIDE_BY_PLANE;
    double m = margin(snap, r, e, which),
           cost = e->is_angle[which] ? CT_PRICE_ANGLE_BY_LENGTH : CT_PRICE_SLIDE_BY_LENGTH;
    return m < CT_TOL_PIVOT ? INFINITY : cost + (m < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0);
}

// True if a coupling names an unknown of the placement.
static bool is_named(const ct_snapshot *snap, const ct_placement *p) {
    for (int k = 0; k < p->n_unknown; k++)
        if (ct_flow_is_coupled(snap, p->unknown[k])) return true;
    return false;
}

// Keeps the placement if it ranks before the best one so far. Rank: the price, plus the coordinates
// between the first body and the parent, less a bonus for coupled coordinates.
static void try_option(const ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best,
                       double cost, int edge, const ct_placement *p) {
    double rank = cost + (search->style == CT_STYLE_NEAR ? CT_FLOW_DEEP * s->depth[p->parent] : 0);
    if (search->coupling_bonus > 0 && is_named(search->snap, p)) rank -= search->coupling_bonus;
    if (!(rank < best->rank)) return;
    best->rank = rank;
    best->cost = cost;
    best->edge = edge;
    best->p = *p;
}

static void fill(ct_placement *p, const ct_flow_edge *e, ct_placement_kind kind, int sx, int n,
                 const int *which) {
    *p = (ct_placement){.kind = kind,
                        .joint = e->joint,
                        .parent = e->body[1 - sx],
                        .child = e->body[sx],
                        .n_unknown = n};
    for (int k = 0; k < n; k++) p->unknown[k] = e->first + which[k];
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
    fill(&p, e, CT_PLACE_CYLINDER, sx, 2, which);
    p.relation[p.n_relations++] = r->r;
    try_option(search, s, best,
               CT_PRICE_CYLINDER_BY_LINE + (margin < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0), edge, &p);
}

// Offers to place two or three unknown coordinates of one joint, of which a point or a direction
// fixes two.
static void try_several(ct_flow_search *search, const ct_flow_state *s, int edge, int sx, int n,
                        const int *which, int n_relations, const ct_flow_relation *relations,
                        ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    // slide and angle, two angles or three angles of one joint
    int turns = 0;
    for (int k = 0; k < n; k++) turns += e->is_angle[which[k]];
    if (n > 3 || (n == 3 && turns < 3) || (n == 2 && turns == 0)) return;
    for (int i = 0; i < n_relations; i++) {
        const ct_flow_relation *r = relations + i;
        double rows[3][6], basis[6][6];
        int size = 0;
        // a line that holds the point, for slide and angle
        if (n == 2 && turns == 1 && is_line(relations, n_relations, i)) {
            try_line(search, s, edge, sx, which, r, best);
            continue;
        }
        // a vector that determines two of the unknowns: a point, or for angles a direction
        if (r->r.kind != CT_RELATION_POINT && !(r->r.kind == CT_RELATION_AXIS && turns == n))
            continue;
        extend(ct_flow_rows(search->snap, r, e, n, which, rows), rows, n, basis, &size);
        if (size < 2) continue;
        // two unknowns are placed by it
        ct_placement p;
        fill(&p, e,
             turns < n ? CT_PLACE_CYLINDER
             : n == 2  ? CT_PLACE_DIRECTION
                       : CT_PLACE_FRAME,
             sx, n, which);
        p.relation[p.n_relations++] = r->r;
        if (n == 2) {
            try_option(search, s, best, turns < n ? CT_PRICE_CYLINDER_BY_POINT : CT_PRICE_DIRECTION,
                       edge, &p);
            continue;
        }
        // three angles need a second relation that sees the turn about the first vector
        for (int k = 0; k < n_relations; k++) {
            const ct_flow_relation *t = relations + k;
            double more[6][6];
            memcpy(more, basis, sizeof more);
            int grown = size;
            if (k == i ||
                !extend(ct_flow_rows(search->snap, t, e, n, which, rows), rows, n, more, &grown))
                continue;
            bool vector = t->r.kind == CT_RELATION_POINT || t->r.kind == CT_RELATION_AXIS;
            if (t->r.kind == CT_RELATION_PLANE_X) continue;
            p.relation[1] = t->r;
            p.n_relations = 2;
            try_option(search, s, best, vector ? CT_PRICE_FRAME_BY_VECTORS : CT_PRICE_FRAME_BY_ROOT,
                       edge, &p);
        }
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
        fill(&p, e, CT_PLACE_ONE, sx, 1, &one);
        p.relation[p.n_relations++] = relations[i].r;
        try_option(search, s, best, one_cost(search->snap, relations + i, e, one), edge, &p);
    }
}

// Offers to place a translating body by three distances: its centre is on three spheres.
static void try_spheres(ct_flow_search *search, const ct_flow_state *s, int edge, const int *which,
                        int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    double basis[6][6], rows[3][6];
    int size = 0;
    ct_placement p;
    fill(&p, e, CT_PLACE_SPHERES, 1, 3, which);
    for (int i = 0; i < n_relations && p.n_relations < 3; i++) {
        if (relations[i].r.kind != CT_RELATION_DISTANCE) continue;
        ct_flow_rows(search->snap, relations + i, e, 3, which, rows);
        if (extend(1, rows, 3, basis, &size)) p.relation[p.n_relations++] = relations[i].r;
    }
    if (p.n_relations == 3) try_option(search, s, best, CT_PRICE_SPHERES, edge, &p);
}

// Offers to place the coordinate of a joint between two unplaced clusters, each pinned to a placed
// body: the distance of the two pins determines it.
static void try_relative(ct_flow_search *search, const ct_flow_state *s, int edge,
                         ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    int which[6], a = s->cluster[e->body[0]], b = s->cluster[e->body[1]];
    ct_flow_relation pin[2];
    // one unknown, a pin on either side
    if (ct_flow_unknown(s, e, which) != 1 || e->c->screw) return;
    if (!ct_flow_pin(search->snap, search->g, s, a, edge, pin) ||
        !ct_flow_pin(search->snap, search->g, s, b, edge, pin + 1))
        return;
    // price of the distance between the pins
    ct_flow_relation apart = {.r = {.kind = CT_RELATION_DISTANCE}};
    memcpy(apart.x, pin[1].x, sizeof apart.x);
    memcpy(apart.k, pin[0].x, sizeof apart.k);
    double cost = one_cost(search->snap, &apart, e, which[0]);
    // an angle costs more: its bodies still have to be turned as one
    ct_placement p;
    fill(&p, e, CT_PLACE_RELATIVE, 1, 1, which);
    p.pin[0] = pin[0].r;
    p.pin[1] = pin[1].r;
    if (e->is_angle[which[0]]) cost += CT_PRICE_RELATIVE_ANGLE;
    try_option(search, s, best, cost + CT_PRICE_RELATIVE, edge, &p);
}

// How far a plane is from being parallel to the axis of a screw: 0 parallel, 1 across.
static double steepness(const ct_flow_relation *r, const ct_flow_edge *e) {
    double d = 0;
    for (int i = 0; i < 3; i++) d += r->axis_k[i] * e->axis[0][i];
    return fabs(d);
}

// Offers to place the turn of a screw: by directions, which do not see its lead, or by a point on
// its axis, which does not see its turn and is at a known place or in a plane.
static void try_screw(ct_flow_search *search, const ct_flow_state *s, int edge, int sx,
                      int n_relations, const ct_flow_relation *relations, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    ct_pool *pool = search->snap->layout->pool;
    const int which = 0;
    for (int i = 0; i < n_relations; i++) {
        const ct_relation *r = &relations[i].r;
        // a point of the axis, or directions
        ct_vec3 arm = ct_vec_sub(pool, r->point_x, e->c->at[sx]);
        bool plane = r->kind == CT_RELATION_PLANE_K,
             axial = (r->kind == CT_RELATION_POINT || plane) && r->x == e->body[sx] &&
                     ct_vec_is_zero(ct_vec_cross(pool, arm, e->axis_in[sx]));
        if (!axial && r->kind != CT_RELATION_AXIS && r->kind != CT_RELATION_DOT) continue;
        double steep = axial && plane ? steepness(relations + i, e) : 1;
        if (steep < CT_TOL_PIVOT) continue;
        // its price, dearer where the plane is almost parallel to the axis
        ct_placement p;
        fill(&p, e, axial ? CT_PLACE_SCREW : CT_PLACE_ONE, sx, 1, &which);
        p.relation[p.n_relations++] = *r;
        double cost = axial
                          ? CT_PRICE_SCREW
                          : CT_PRICE_SCREW_ANGLE + one_cost(search->snap, relations + i, e, which);
        if (steep < CT_NEAR_LIMIT) cost += CT_FLOW_NEAR;
        try_option(search, s, best, cost, edge, &p);
    }
}

// orientation before position --------------------------------------------------------------------
// Directions do not depend on slides. In groups with joints that turn and slide, bodies are
// oriented before their places are known: by axes that joints keep parallel, and by angles between
// two axes that are fixed in one body.
static int unknown_turns(const ct_flow_state *s, const ct_flow_edge *e, int *which) {
    int n = 0;
    for (int k = 0; k < e->n; k++)
        if (e->is_angle[k] && !s->known[e->first + k]) which[n++] = k;
    return n;
}

static bool turns_and_slides(const ct_flow_edge *e) {
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    return t->keeps == CT_KEEPS_AXIS && (t->holds == CT_HOLDS_LINE || t->holds == CT_HOLDS_PLANE);
}

// True if the group has a joint that turns and slides.
static bool has_mixed(const ct_snapshot *snap, const ct_loop_group *group) {
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        if (!e->is_virtual && e->may_carry && turns_and_slides(e)) return true;
    }
    return false;
}

// Numbers for bodies: two bodies with the same number have known angles between them, and number 0
// means that the orientation is known. NULL if the group has no joint that turns and slides.
static int *orientations(const ct_flow_search *search, const ct_flow_state *s) {
    if (!has_mixed(search->snap, search->g)) return NULL;
    int n = search->snap->n_bodies, *turned = ct_alloc((size_t)n + 1, sizeof *turned), which[6];
    memcpy(turned, s->cluster, (size_t)n * sizeof *turned);
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        int a = turned[e->body[0]], b = turned[e->body[1]];
        if (a == b || e->is_virtual || !turns_and_slides(e) || unknown_turns(s, e, which)) continue;
        for (int k = 0; k < n; k++)
            if (turned[k] == (a > b ? a : b)) turned[k] = a > b ? b : a;
        i = -1; // from the start
    }
    return turned;
}

static double size_of(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                      int which) {
    double rows[3][6], size = 0;
    int n = ct_flow_rows(snap, r, e, 1, &which, rows);
    for (int i = 0; i < n; i++) size += rows[i][0] * rows[i][0];
    return sqrt(size);
}

// The angle of a joint between an oriented body and another one, from directions alone. deep: price
// of the coordinates between the first body and the parent.
static void try_angle(ct_flow_search *search, const ct_flow_state *s, int edge, int sx, int which,
                      double deep, ct_flow_option *best) {
    const ct_flow_edge *e = search->snap->edges + edge;
    // relations between directions
    ct_flow_relation found[CT_FLOW_RELATIONS];
    int count = ct_flow_relations(search->snap, search->g, s, s->cluster[e->body[sx]], edge, found);
    for (int i = 0; i < count; i++) {
        const ct_flow_relation *r = found + i;
        bool axis = r->r.kind == CT_RELATION_AXIS;
        double size = size_of(search->snap, r, e, which);
        if ((!axis && r->r.kind != CT_RELATION_DOT) || !(size > CT_TOL_PIVOT)) continue;
        // a parallel axis is linear, an angle between axes takes a root
        ct_placement p = {.kind = CT_PLACE_ONE,
                          .joint = e->joint,
                          .parent = e->body[1 - sx],
                          .child = e->body[sx],
                          .n_unknown = 1,
                          .unknown = {e->first + which},
                          .n_relations = 1,
                          .relation = {r->r}};
        double cost = axis ? CT_PRICE_ANGLE_BY_VECTOR
                           : CT_PRICE_ANGLE_BY_LENGTH + (size < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0);
        if (cost + deep >= best->rank) continue;
        *best = (ct_flow_option){.cost = cost, .rank = cost + deep, .edge = edge, .p = p};
    }
}

// Orients one more body where no placement is possible.
static void orient(ct_flow_search *search, const ct_flow_state *s, int *orientation,
                   ct_flow_option *best) {
    ct_flow_state turned = *s;
    turned.cluster = orientation;
    // joints between an oriented body and another one, with one unknown angle
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i], which[6];
        const ct_flow_edge *e = search->snap->edges + edge;
        int a = turned.cluster[e->body[0]], b = turned.cluster[e->body[1]];
        if (a == b || (a && b) || e->is_virtual || !e->may_carry || e->c->screw ||
            unknown_turns(s, e, which) != 1)
            continue;
        // where the parent is placed and the joint does not slide this is no other case
        int parent = e->body[a ? 1 : 0], coordinates = s->cluster[parent] ? CT_PRICE_ORIENTED : 0;
        if (!turns_and_slides(e) && !s->cluster[parent]) continue;
        try_angle(search, &turned, edge, a ? 0 : 1, which[0],
                  CT_FLOW_DEEP * (s->depth[parent] + coordinates), best);
    }
}

// True if the joint turns and all of its angles are known: an oriented body is placed by such a
// joint only.
static bool is_bound(const ct_flow_state *s, const ct_flow_edge *e) {
    bool turns = false;
    for (int k = 0; k < e->n; k++) {
        if (e->is_angle[k] && !s->known[e->first + k]) return false;
        turns = turns || e->is_angle[k];
    }
    return turns;
}

bool ct_flow_cheapest(ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best) {
    *best = (ct_flow_option){.cost = INFINITY, .rank = INFINITY};
    ct_flow_relation relations[CT_FLOW_RELATIONS];
    // orientations that are known, in groups with joints that turn and slide
    int *turned = orientations(search, s);
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i], which[6];
        const ct_flow_edge *e = search->snap->edges + edge;
        if ((e->is_virtual && !search->snap->translating[edge]) || !e->n || !e->may_carry ||
            ct_flow_is_spinning_rod(search, e))
            continue;
        // two unplaced clusters
        int a = s->cluster[e->body[0]], b = s->cluster[e->body[1]];
        if (a == b) continue;
        if (a && b) {
            try_relative(search, s, edge, best);
            continue;
        }
        // a placed body and cluster x, with at most three unknown coordinates
        int sx = a ? 0 : 1, x = a ? a : b, n = ct_flow_unknown(s, e, which);
        if (n > 3) continue;
        if (turned && !turned[e->body[sx]] && !is_bound(s, e)) continue;
        // relations of x against the placed bodies
        int count = ct_flow_relations(search->snap, search->g, s, x, edge, relations);
        // screws, then joints with several unknowns
        if (e->c->screw) {
            try_screw(search, s, edge, sx, count, relations, best);
            continue;
        }
        if (n > 1) {
            try_several(search, s, edge, sx, n, which, count, relations, best);
            try_slides(search, s, edge, sx, n, which, count, relations, best);
            if (e->is_virtual && n == 3 && sx == 1)
                try_spheres(search, s, edge, which, count, relations, best);
            continue;
        }
        // one unknown: by any single relation, for slides also through oriented bodies
        if (turned && !e->is_angle[which[0]])
            count = ct_flow_oriented(search, s, turned, x, edge, count, relations);
        for (int k = 0; k < count; k++) {
            // a slide moves no plane that is fixed in the body across itself
            ct_placement p;
            fill(&p, e, CT_PLACE_ONE, sx, 1, which);
            p.relation[p.n_relations++] = relations[k].r;
            double cost = one_cost(search->snap, relations + k, e, which[0]);
            if (relations[k].r.kind == CT_RELATION_PLANE_X && !e->is_angle[which[0]])
                cost += CT_PRICE_MOVING_PLANE;
            try_option(search, s, best, cost, edge, &p);
        }
    }
    // nothing can be placed: orient a body
    if (turned && best->cost == INFINITY) orient(search, s, turned, best);
    ct_free(turned);
    return best->cost < INFINITY;
}
