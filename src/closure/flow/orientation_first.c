// Orientation before position. Directions do not see slides: where joints turn and slide, bodies
// can be turned before anything is known of their places, by axes that joints keep parallel and by
// angles between axes that a body holds. What is left is linear: a body y whose orientation is
// known ties the places of its neighbours. With slides along its axes u1, u2 at its joints
//   (u1 x u2) . (p_x - p_k - o_y) = 0
// has none of the slides in it; with a single one, two planes across it are left.
#include "closure/relations/relations.h"
#include "closure/flow/search.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

static int unknown_turns(const ct_flow_state *s, const ct_flow_edge *e, int *which) {
    int n = 0;
    for (int k = 0; k < e->n; k++)
        if (e->turn[k] && !s->known[e->first + k]) which[n++] = k;
    return n;
}

static bool turns_and_slides(const ct_flow_edge *e) {
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    return t->keeps == CT_KEEPS_AXIS && (t->holds == CT_HOLDS_LINE || t->holds == CT_HOLDS_PLANE);
}

static bool has_mixed(const ct_flow_world *w, const ct_flow_group *g) {
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        if (!e->is_virtual && e->may_carry && turns_and_slides(e)) return true;
    }
    return false;
}

// Bodies with the same number have known angles between them; those of 0 are oriented.
int *ct_flow_orientations(const ct_flow_search *q, const ct_flow_state *s) {
    if (!has_mixed(q->w, q->g)) return NULL;
    int n = q->w->n_bodies, *turned = ct_alloc((size_t)n + 1, sizeof *turned), which[6];
    memcpy(turned, s->cluster, (size_t)n * sizeof *turned);
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        int a = turned[e->body[0]], b = turned[e->body[1]];
        if (a == b || e->is_virtual || !turns_and_slides(e) || unknown_turns(s, e, which)) continue;
        for (int k = 0; k < n; k++)
            if (turned[k] == (a > b ? a : b)) turned[k] = a > b ? b : a;
        i = -1; // from the start
    }
    return turned;
}

static double size_of(const ct_flow_world *w, const ct_flow_relation *r, const ct_flow_edge *e,
                      int which) {
    double rows[3][6], size = 0;
    int n = ct_flow_rows(w, r, e, 1, &which, rows);
    for (int i = 0; i < n; i++) size += rows[i][0] * rows[i][0];
    return sqrt(size);
}

// The angle of joint e, whose parent is oriented, from directions alone.
static void try_edge(ct_flow_search *q, const ct_flow_state *s, int edge, int sx, int which,
                     double deep, ct_flow_option *best) {
    const ct_flow_edge *e = q->w->edges + edge;
    ct_flow_relation found[CT_FLOW_RELATIONS];
    int count = ct_flow_relations(q->w, q->g, s, s->cluster[e->body[sx]], edge, found);
    for (int i = 0; i < count; i++) {
        const ct_flow_relation *r = found + i;
        bool axis = r->r.kind == CT_RELATION_AXIS;
        double size = size_of(q->w, r, e, which);
        if ((!axis && r->r.kind != CT_RELATION_DOT) || !(size > CT_TOL_PIVOT)) continue;
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

void ct_flow_orient(ct_flow_search *q, const ct_flow_state *s, int *orientation,
                    ct_flow_option *best) {
    ct_flow_state turned = *s;
    turned.cluster = orientation;
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i], which[6];
        const ct_flow_edge *e = q->w->edges + edge;
        int a = turned.cluster[e->body[0]], b = turned.cluster[e->body[1]];
        if (a == b || (a && b) || e->is_virtual || !e->may_carry || e->c->screw ||
            unknown_turns(s, e, which) != 1)
            continue;
        // where the parent is placed and the joint does not slide this is no other case
        int parent = e->body[a ? 1 : 0], coordinates = s->cluster[parent] ? CT_PRICE_ORIENTED : 0;
        if (!turns_and_slides(e) && !s->cluster[parent]) continue;
        try_edge(q, &turned, edge, a ? 0 : 1, which[0],
                 CT_FLOW_DEEP * (s->depth[parent] + coordinates), best);
    }
}

// Slides at a joint of body y, as directions fixed in it; -1: more than directions along axes.
static int slides_at(const ct_flow_edge *e, int side, ct_vec3 *along) {
    if (ct_flow_pins(e->type)) return 0;
    if (!ct_joint_slides_on_line(e->type)) return -1;
    *along = e->axis_in[side];
    return 1;
}

// n . (p_x - p_k) = n . o_y for a normal that is fixed in y.
static ct_flow_relation *add_plane(ct_flow_finder *f, const ct_flow_edge *e1, int sx,
                                   const ct_flow_edge *e2, int sk, ct_vec3 normal) {
    ct_pool *pool = f->w->layout->pool;
    int y = e1->body[1 - sx];
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, e1, e1->body[sx], e2->body[sk]);
    if (!r) return NULL;
    double world[3];
    ct_flow_direction(f->w, y, normal, world);
    ct_flow_points(r, e1, sx, e2, sk);
    ct_flow_axes(r, normal, world, normal, world);
    r->r.via[0] = y;
    r->r.value = ct_vec_dot(pool, normal, ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]));
    return r;
}

// x -e1- y -e2- k with the orientation of y known.
static void through(ct_flow_finder *f, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                    int sk) {
    ct_pool *pool = f->w->layout->pool;
    ct_vec3 along[2], n[2];
    int first = slides_at(e1, 1 - sx, along), second = slides_at(e2, 1 - sk, along + (first == 1));
    if (first < 0 || second < 0 || first + second == 0) return;
    if (first + second == 2) {
        n[0] = ct_vec_cross(pool, along[0], along[1]);
        if (!ct_vec_is_zero(n[0])) add_plane(f, e1, sx, e2, sk, n[0]);
        return;
    }
    ct_vec_normals(f->w->model, along[0], n, n + 1);
    for (int i = 0; i < 2; i++) {
        ct_flow_relation *r = add_plane(f, e1, sx, e2, sk, n[i]);
        if (!r) return;
        ct_vec3 offset = ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]);
        r->r.line = true;
        r->r.mate = n[1 - i];
        r->r.mate_value = ct_vec_dot(pool, n[1 - i], offset);
    }
}

int ct_flow_oriented(ct_flow_search *q, const ct_flow_state *s, const int *turned, int x, int skip,
                     int n, ct_flow_relation *relations) {
    const ct_flow_group *g = q->g;
    ct_flow_finder f = {q->w, g, s, relations, n};
    for (int i = 0; i < g->n_edges; i++)
        for (int sx = 0; sx < 2 && g->edges[i] != skip; sx++) {
            const ct_flow_edge *e1 = q->w->edges + g->edges[i];
            int y = e1->body[1 - sx];
            if (e1->is_virtual || e1->joint < 0 || s->cluster[e1->body[sx]] != x ||
                s->cluster[y] == x || !s->cluster[y] || turned[y] || turned[e1->body[sx]])
                continue;
            for (int j = 0; j < g->n_edges; j++) {
                const ct_flow_edge *e2 = q->w->edges + g->edges[j];
                int sk = e2->body[0] == y;
                if (i == j || g->edges[j] == skip || e2->is_virtual || e2->joint < 0 ||
                    e2->body[1 - sk] != y || s->cluster[e2->body[sk]])
                    continue;
                through(&f, e1, sx, e2, sk);
            }
        }
    return f.n;
}
