// The next placement: of all joints between a placed body and another one, or between two unplaced
// ones that are pinned, the cheapest whose unknown coordinates the relations determine.
#include "closure/flow/placements.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Clusters that may be pinned: a joint or tie leads from them to a placed body, or to a body from where
// one does. All others have no pin, and are not searched for one.
static bool *pinnable(const ct_flow_search *search, const ct_flow_state *s) {
    size_t n = (size_t)search->snap->n_bodies;
    bool *near = ct_scratch(n + 1, sizeof *near),  // [bodies] next to a placed one
        *found = ct_scratch(n + 1, sizeof *found); // [clusters]
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < search->g->n_edges; i++) {
            const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
            for (int side = 0; side < 2; side++) {
                int body = e->body[side], other = e->body[1 - side];
                if (!s->cluster[other]) near[body] = found[s->cluster[body]] = true;
                if (near[other]) found[s->cluster[body]] = true;
            }
        }
    return found;
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
    double cost = ct_flow_one_cost(search->snap, &apart, e, which[0]);
    // an angle costs more: its bodies still have to be turned as one
    ct_placement p;
    ct_flow_fill(&p, e, CT_PLACE_RELATIVE, 1, 1, which);
    p.pin[0] = pin[0].r;
    p.pin[1] = pin[1].r;
    if (e->is_angle[which[0]]) cost += CT_PRICE_RELATIVE_ANGLE;
    ct_flow_try(search, s, best, cost + CT_PRICE_RELATIVE, edge, &p);
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
        ct_flow_fill(&p, e, axial ? CT_PLACE_SCREW : CT_PLACE_ONE, sx, 1, &which);
        p.relation[p.n_relations++] = *r;
        double cost =
            axial ? CT_PRICE_SCREW
                  : CT_PRICE_SCREW_ANGLE + ct_flow_one_cost(search->snap, relations + i, e, which);
        if (steep < CT_NEAR_LIMIT) cost += CT_FLOW_NEAR;
        ct_flow_try(search, s, best, cost, edge, &p);
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
                          .parent = e->own[1 - sx],
                          .child = e->own[sx],
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

// True if n unknown coordinates of a joint may be placed: three at most (with planes four), or all
// six of a body. Of own coordinates and virtual joints some must be known then, or all be unknown.
static bool is_open(const ct_flow_search *search, int edge, int n) {
    const ct_flow_edge *e = search->snap->edges + edge;
    if (n == 6) return true;
    return n <= 4 && (!e->is_virtual || search->snap->translating[edge] || n < e->n);
}

bool ct_flow_cheapest(ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best) {
    *best = (ct_flow_option){.cost = INFINITY, .rank = INFINITY};
    ct_flow_relation relations[CT_FLOW_RELATIONS];
    ct_stage stage = ct_stage_begin();
    bool *may_pin = pinnable(search, s);
    // orientations that are known, in groups with joints that turn and slide
    int *turned = orientations(search, s);
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i], which[6];
        const ct_flow_edge *e = search->snap->edges + edge;
        if (!e->n || !e->may_carry || ct_flow_is_spinning_rod(search, e)) continue;
        if (ct_flow_waits(search, s, e)) continue;
        // two unplaced clusters
        int a = s->cluster[e->body[0]], b = s->cluster[e->body[1]];
        if (a == b) continue;
        if (a && b) {
            if (may_pin[a] && may_pin[b]) try_relative(search, s, edge, best);
            continue;
        }
        // a placed body and cluster x
        int sx = a ? 0 : 1, x = a ? a : b, n = ct_flow_unknown(s, e, which);
        if (!is_open(search, edge, n)) continue;
        if (turned && !turned[e->body[sx]] && !is_bound(s, e)) continue;
        // relations of x against the placed bodies
        int count = ct_flow_relations(search->snap, search->g, s, x, edge, relations);
        if (n == 6) count = ct_flow_swung(search->snap, s, x, NULL, count, relations);
        // screws, then joints with several unknowns
        if (e->c->screw) {
            try_screw(search, s, edge, sx, count, relations, best);
            continue;
        }
        if (n > 1) {
            ct_flow_several(search, s, &(ct_flow_unknowns){edge, sx, n, which}, count, relations,
                            best);
            continue;
        }
        // one unknown: by any single relation, for slides also through oriented bodies
        if (turned && !e->is_angle[which[0]])
            count = ct_flow_oriented(search, s, turned, x, edge, count, relations);
        for (int k = 0; k < count; k++) {
            // a slide moves no plane that is fixed in the body across itself
            ct_placement p;
            ct_flow_fill(&p, e, CT_PLACE_ONE, sx, 1, which);
            p.relation[p.n_relations++] = relations[k].r;
            double cost = ct_flow_one_cost(search->snap, relations + k, e, which[0]);
            if (relations[k].r.kind == CT_RELATION_PLANE_X && !e->is_angle[which[0]])
                cost += CT_PRICE_MOVING_PLANE;
            ct_flow_try(search, s, best, cost, edge, &p);
        }
    }
    // nothing can be placed: orient a body
    if (turned && best->cost == INFINITY) orient(search, s, turned, best);
    ct_free(turned);
    ct_stage_end(stage);
    return best->cost < INFINITY;
}
