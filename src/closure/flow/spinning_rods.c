// Rods with a spherical joint at either end. In the search they only hold two points apart; at its
// end each is turned towards its far point by two angles of one joint, and the third angle is
// independent: the one that leaves the direction best determined.
#include "closure/flow/search.h"

#include <math.h>

static bool is_open(const ct_flow_search *q, const ct_flow_edge *e, const bool *known) {
    for (int k = 0; k < e->n; k++)
        if (known[e->first + k] || ct_flow_in_law(q->w, e->first + k)) return false;
    return ct_joint_is_ball(e->type) && e->joint >= 0 && e->may_carry;
}

static bool find_rod(const ct_flow_search *q, int body, const bool *known, ct_flow_idle *rod) {
    int n = 0;
    *rod = (ct_flow_idle){.body = body};
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        if (e->body[0] != body && e->body[1] != body) continue;
        if (n == 2 || e->is_virtual || !is_open(q, e, known)) return false;
        if (q->is_idle[e->body[0]] || q->is_idle[e->body[1]]) return false;
        rod->edge[n++] = q->g->edges[i];
    }
    return n == 2;
}

// How well two angles determine the direction of an arm: the smaller singular value of its
// derivatives, in units of its length.
static double sharpness(const ct_flow_world *w, const ct_flow_relation *r, const ct_flow_edge *e,
                        const int *which) {
    double rows[3][6], aa = 0, ab = 0, bb = 0, arm = 0;
    ct_flow_rows(w, r, e, 2, which, rows);
    for (int i = 0; i < 3; i++) {
        aa += rows[i][0] * rows[i][0];
        ab += rows[i][0] * rows[i][1];
        bb += rows[i][1] * rows[i][1];
        arm += (r->x[i] - e->at[0][i]) * (r->x[i] - e->at[0][i]);
    }
    double small = (aa + bb) / 2 - hypot((aa - bb) / 2, ab);
    return arm > 0 ? sqrt(fmax(small, 0) / arm) * w->length : 0;
}

typedef struct spin {
    double value;
    int end, angle; // of the rod; of the joint there
} spin;

static int other(const ct_flow_search *q, const ct_flow_idle *rod, int end) {
    const ct_flow_edge *e = q->w->edges + rod->edge[end];
    return e->body[e->body[0] == rod->body];
}

// The best angle at one end; depth: what lies between the first body and that end.
static void better(const ct_flow_search *q, const ct_flow_idle *rod, int end, int depth,
                   spin *best) {
    const ct_flow_edge *e = q->w->edges + rod->edge[end], *far = q->w->edges + rod->edge[1 - end];
    ct_flow_relation r = {.r = {.kind = CT_RELATION_POINT}};
    for (int i = 0; i < 3; i++) r.x[i] = far->at[0][i];
    for (int k = 0; k < 3; k++) {
        int which[2] = {(k + 1) % 3, (k + 2) % 3};
        double value = sharpness(q->w, &r, e, which);
        if (value < CT_ROD_SHARPNESS) continue;
        // what the user starts comes first; less between the rod and the first body is better
        if (ct_flow_price(q->w, e->first + k) < CT_PRICE_SPHERICAL) value += CT_ROD_WISH;
        value -= CT_ROD_DEPTH * depth / (1 + depth);
        if (value > best->value) *best = (spin){value, end, k};
    }
}

static bool hangs_on_rods(const ct_flow_search *q, int body) {
    int others = 0, rods = 0;
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        if (e->body[0] != body && e->body[1] != body) continue;
        rods += ct_flow_is_idle(q, e);
        others += e->may_carry && !ct_flow_is_idle(q, e);
    }
    return rods && !others;
}

// A body that hangs on such rods alone needs them to be placed by: their spin is chosen at once.
static void spin_at_once(ct_flow_search *q, int body, bool *known, ct_flow_node *start) {
    int kept = 0;
    for (int i = 0; i < q->n_idle; i++) {
        ct_flow_idle rod = q->idle[i];
        int end = other(q, &rod, 0) == body ? 1 : 0;
        spin best = {.value = -INFINITY};
        bool here = other(q, &rod, 0) == body || other(q, &rod, 1) == body;
        if (here) better(q, &rod, end, 0, &best);
        if (!(best.value > -INFINITY)) {
            q->idle[kept++] = rod;
            continue;
        }
        int spun = q->w->edges[rod.edge[end]].first + best.angle;
        known[spun] = true;
        start->chosen[start->n_chosen++] = spun;
        q->is_idle[rod.body] = false;
    }
    q->n_idle = kept;
}

void ct_flow_idle_find(ct_flow_search *q, bool *known, ct_flow_node *start) {
    int room = 0;
    q->is_idle = ct_alloc((size_t)q->w->n_bodies, sizeof *q->is_idle);
    for (int i = 1; i < q->g->n_bodies; i++) {
        ct_flow_idle rod;
        if (!find_rod(q, q->g->bodies[i], known, &rod)) continue;
        *CT_PUSH(q->idle, q->n_idle, room) = rod;
        q->is_idle[rod.body] = true;
    }
    for (int i = 0; i < q->g->n_bodies; i++)
        if (hangs_on_rods(q, q->g->bodies[i])) spin_at_once(q, q->g->bodies[i], known, start);
}

// Where the rod's far end has to be.
static bool far_point(const ct_flow_search *q, const ct_flow_node *n, const ct_flow_idle *rod,
                      int end, ct_relation *point) {
    int far = rod->edge[1 - end];
    ct_flow_group one = {.n_edges = 1, .edges = &far};
    ct_flow_relation r[CT_FLOW_RELATIONS];
    int count = ct_flow_relations(q->w, &one, &n->s, n->s.cluster[rod->body], -1, r);
    for (int i = 0; i < count; i++)
        if (r[i].r.kind == CT_RELATION_POINT) {
            *point = r[i].r;
            return true;
        }
    return false;
}

bool ct_flow_idle_place(ct_flow_search *q, ct_flow_node *n) {
    for (int i = 0; i < q->n_idle; i++) {
        const ct_flow_idle *rod = q->idle + i;
        spin best = {.value = -INFINITY};
        for (int s = 0; s < 2; s++) better(q, rod, s, n->s.depth[other(q, rod, s)], &best);
        if (!(best.value > -INFINITY)) return false;
        const ct_flow_edge *e = q->w->edges + rod->edge[best.end];
        int side = e->body[1] == rod->body;
        ct_relation point;
        if (!far_point(q, n, rod, best.end, &point)) return false;
        ct_placement *p = n->placements + n->n++;
        *p = (ct_placement){.kind = CT_PLACE_DIRECTION,
                            .joint = e->joint,
                            .parent = e->body[1 - side],
                            .child = rod->body,
                            .n_unknown = 2,
                            .n_relations = 1,
                            .relation = {point}};
        for (int k = 0, u = 0; k < 3; k++)
            if (k != best.angle) p->unknown[u++] = e->first + k;
        n->chosen[n->n_chosen++] = e->first + best.angle;
        for (int k = 0; k < 3; k++) n->s.known[e->first + k] = true;
        ct_flow_merge(q, n, rod->edge[best.end]);
        n->cost += CT_PRICE_DIRECTION;
    }
    return true;
}
