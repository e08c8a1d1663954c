// Depth first: place what can be placed, cheapest first; where nothing can, choose a coordinate to
// be independent, or, when all freedoms are spoken for, one to be iterated.
#include "closure/flow_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct node { // a state with the way to it
    ct_flow_state s;
    int n, n_chosen, n_picked;
    ct_placement *placements;
    int *chosen; // independent coordinates
    int *picked; // these and the iterated ones, in the order of choice
    double cost;
} node;

static node node_new(const ct_flow_search *q, const node *from) {
    const ct_flow_world *w = q->w;
    size_t bodies = (size_t)w->n_bodies, coordinates = (size_t)w->model->n_coordinates + 1,
           edges = (size_t)w->n_edges + 1, most = 2 * bodies + edges;
    node n = {.s = {ct_alloc(bodies, sizeof(int)), ct_alloc(coordinates, sizeof(bool)),
                    ct_alloc(edges, sizeof(bool)), ct_alloc(bodies, sizeof(int))},
              .placements = ct_alloc(most, sizeof *n.placements),
              .chosen = ct_alloc(coordinates, sizeof(int)),
              .picked = ct_alloc(coordinates, sizeof(int))};
    if (!from) return n;
    memcpy(n.s.cluster, from->s.cluster, bodies * sizeof(int));
    memcpy(n.s.depth, from->s.depth, bodies * sizeof(int));
    memcpy(n.s.known, from->s.known, coordinates * sizeof(bool));
    memcpy(n.s.used, from->s.used, edges * sizeof(bool));
    memcpy(n.placements, from->placements, (size_t)from->n * sizeof *n.placements);
    memcpy(n.chosen, from->chosen, (size_t)from->n_chosen * sizeof(int));
    n.n = from->n;
    memcpy(n.picked, from->picked, (size_t)from->n_picked * sizeof(int));
    n.n_chosen = from->n_chosen;
    n.n_picked = from->n_picked;
    n.cost = from->cost;
    return n;
}

static void node_clear(node *n) {
    free(n->s.cluster);
    free(n->s.known);
    free(n->s.used);
    free(n->s.depth);
    free(n->placements);
    free(n->chosen);
    free(n->picked);
}

static void merge(ct_flow_search *q, node *n, int edge) {
    const ct_flow_edge *e = q->w->edges + edge;
    int a = n->s.cluster[e->body[0]], b = n->s.cluster[e->body[1]], low = a < b ? a : b,
        high = a < b ? b : a;
    int near = e->body[a == high], deep = n->s.depth[near] + e->n;
    for (int i = 0; i < q->w->n_bodies; i++)
        if (n->s.cluster[i] == high) {
            n->s.cluster[i] = low;
            n->s.depth[i] += deep;
            n->cost += low == 0 ? CT_FLOW_DEEP * n->s.depth[i] : 0;
        }
    n->s.used[edge] = true;
}

// Joints whose coordinates are all known carry what hangs on them.
static bool carry(ct_flow_search *q, node *n) {
    bool any = false;
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i], which[6];
        const ct_flow_edge *e = q->w->edges + edge;
        int a = n->s.cluster[e->body[0]], b = n->s.cluster[e->body[1]];
        if (a == b || !e->may_carry || ct_flow_unknown(&n->s, e, which)) continue;
        ct_placement *p = n->placements + n->n++;
        *p = (ct_placement){.kind = CT_PLACE_GIVEN,
                            .joint = e->joint,
                            .parent = e->body[b == 0],
                            .child = e->body[b != 0]};
        merge(q, n, edge);
        n->cost += 1;
        any = true;
    }
    return any;
}

static void propagate(ct_flow_search *q, node *n) {
    for (;;) {
        ct_flow_option o;
        q->work++;
        if (carry(q, n)) continue;
        if (n->cost >= q->best || !ct_flow_cheapest(q, &n->s, &o)) return;
        n->placements[n->n++] = o.p;
        for (int k = 0; k < o.p.n_unknown; k++) n->s.known[o.p.unknown[k]] = true;
        n->cost += o.cost + ct_flow_spread(q->w, n->s.known);
        merge(q, n, o.edge);
    }
}

static bool all_placed(const ct_flow_search *q, const node *n) {
    for (int i = 0; i < q->g->n_bodies; i++)
        if (n->s.cluster[q->g->bodies[i]]) return false;
    return true;
}

// Coordinates that were chosen must belong to joints of the tree, or nothing would hold them, and
// so must those that laws name.
static bool honoured(const ct_flow_search *q, const node *n) {
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        for (int k = 0; k < e->n; k++)
            if (!n->s.used[q->g->edges[i]] &&
                (n->s.known[e->first + k] || ct_flow_in_law(q->w, e->first + k)))
                return false;
    }
    return true;
}

static void record(ct_flow_search *q, const node *n) {
    if (!(n->cost < q->best) || !honoured(q, n)) return;
    q->best = n->cost;
    q->n_best = n->n;
    q->n_independent = n->n_chosen;
    memcpy(q->placements, n->placements, (size_t)n->n * sizeof *n->placements);
    memcpy(q->independent, n->chosen, (size_t)n->n_chosen * sizeof(int));
    q->n_picked = n->n_picked;
    memcpy(q->picked, n->picked, (size_t)n->n_picked * sizeof(int));
    memcpy(q->used, n->s.used, (size_t)q->w->n_edges * sizeof(bool));
}

// What speaks for a coordinate as an independent one: the user starts it, drives or loads it.
double ct_flow_price(const ct_flow_world *w, int coordinate) {
    const ct_model *m = w->model;
    const ct_coordinate *c = m->coordinates + coordinate;
    ct_joint_type type = m->joints[c->joint].type;
    double p = type == CT_JOINT_SPHERICAL ? 20 : type == CT_JOINT_UNIVERSAL ? 12 : 5;
    for (int i = 0; i < m->n_initial; i++)
        if (m->initial[i].coordinate == coordinate) p -= 20;
    for (int i = 0; i < m->n_forces; i++)
        if (m->forces[i].type == CT_FORCE_ACTUATOR && m->forces[i].coordinate == coordinate) p -= 8;
    return p;
}

typedef struct choice {
    int edge, n, which[6];
    double cost;
} choice;

static int by_cost(const void *a, const void *b) {
    const choice *x = a, *y = b;
    return x->cost < y->cost ? -1 : x->cost > y->cost ? 1 : x->edge - y->edge;
}

// Single coordinates and whole joints that may be chosen next.
static int choices(const ct_flow_search *q, const node *n, int most, choice *list) {
    int count = 0;
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i], which[6];
        const ct_flow_edge *e = q->w->edges + edge;
        if (!e->may_carry || n->s.cluster[e->body[0]] == n->s.cluster[e->body[1]]) continue;
        int unknown = ct_flow_unknown(&n->s, e, which);
        choice all = {.edge = edge, .n = unknown};
        for (int k = 0; k < unknown; k++) {
            double p = ct_flow_price(q->w, e->first + which[k]) - (e->is_virtual ? 10 : 0);
            all.which[k] = which[k];
            all.cost += p;
            if (!e->is_virtual || unknown == 1) list[count++] = (choice){edge, 1, {which[k]}, p};
        }
        if (unknown > 1 && unknown <= most) {
            if (!e->is_virtual) all.cost += 1;
            list[count++] = all;
        }
    }
    qsort(list, (size_t)count, sizeof *list, by_cost);
    return count;
}

// Where an order is remembered only its choices are tried.
static bool remembered(const ct_flow_search *q, const node *n, const choice *c,
                       const ct_flow_edge *e) {
    for (int k = 0; q->memory && k < c->n; k++)
        if (n->n_picked + k >= q->n_memory || q->memory[n->n_picked + k] != e->first + c->which[k])
            return false;
    return true;
}

static void search(ct_flow_search *q, node *n, int left, int tears) {
    propagate(q, n);
    if (n->cost >= q->best) return;
    if (all_placed(q, n)) {
        if (!left) record(q, n);
        return;
    }
    if (!left && !tears) return;
    choice *list = ct_alloc((size_t)(7 * q->g->n_edges) + 1, sizeof *list);
    int count = choices(q, n, left ? left : tears, list);
    for (int i = 0; i < count && q->work < q->limit; i++) {
        const choice *c = list + i;
        const ct_flow_edge *e = q->w->edges + c->edge;
        if (!remembered(q, n, c, e)) continue;
        node next = node_new(q, n);
        for (int k = 0; k < c->n; k++) {
            next.s.known[e->first + c->which[k]] = true;
            next.picked[next.n_picked++] = e->first + c->which[k];
            if (left) next.chosen[next.n_chosen++] = e->first + c->which[k];
        }
        if (!left) {
            ct_placement *p = next.placements + next.n++;
            *p = (ct_placement){.kind = CT_PLACE_ITERATE,
                                .joint = e->joint,
                                .parent = e->body[0],
                                .child = e->body[1],
                                .n_unknown = c->n};
            for (int k = 0; k < c->n; k++) p->unknown[k] = e->first + c->which[k];
        }
        next.cost += c->cost + (left ? 0 : CT_FLOW_TEAR * c->n);
        next.cost += ct_flow_spread(q->w, next.s.known);
        if (left)
            search(q, &next, left - c->n, tears);
        else
            search(q, &next, 0, tears - c->n);
        node_clear(&next);
    }
    free(list);
}

// Relations that an iteration may have to close: lengths of bodies between two of their joints, and
// what the joints say that are not in the tree. (Linear steps meet a joint's equations with a pair
// that is no sine and cosine until the lengths are right; so lengths come first.)
static void add_spare(ct_flow *flow, const ct_relation *r) {
    int room = flow->room_spare;
    *CT_PUSH(flow->spare, flow->n_spare, flow->room_spare) = *r;
    if (flow->room_spare != room)
        flow->spare_group =
            ct_realloc(flow->spare_group, (size_t)flow->room_spare, sizeof *flow->spare_group);
    flow->spare_group[flow->n_spare - 1] = flow->n_groups - 1;
}

static int side_of(const ct_flow_edge *e, int body) {
    return e->body[0] == body ? 0 : e->body[1] == body ? 1 : -1;
}

static void lengths(const ct_flow_search *q, ct_flow *flow, int body) {
    for (int i = 0; i < q->g->n_edges; i++)
        for (int j = i + 1; j < q->g->n_edges; j++) {
            const ct_flow_edge *e1 = q->w->edges + q->g->edges[i],
                               *e2 = q->w->edges + q->g->edges[j];
            int s1 = side_of(e1, body), s2 = side_of(e2, body);
            if (s1 < 0 || s2 < 0 || e1->is_virtual || e2->is_virtual || !ct_flow_pins(e1->type) ||
                !ct_flow_pins(e2->type) || e1->body[1 - s1] == e2->body[1 - s2])
                continue;
            add_spare(flow, &(ct_relation){.kind = CT_RELATION_DISTANCE,
                                           .x = e1->body[1 - s1],
                                           .k = e2->body[1 - s2],
                                           .point_x = e1->c->at[1 - s1],
                                           .point_k = e2->c->at[1 - s2],
                                           .via = {body, body},
                                           .via_at = {e1->c->at[s1], e2->c->at[s2]},
                                           .value = CT_ZERO,
                                           .joint = e2->joint});
        }
}

static void spare(ct_flow_search *q, ct_flow *flow) {
    ct_flow_relation found[CT_FLOW_RELATIONS];
    node n = node_new(q, NULL);
    for (int i = 0; i < q->g->n_bodies; i++) lengths(q, flow, q->g->bodies[i]);
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i];
        const ct_flow_edge *e = q->w->edges + edge;
        if (q->used[edge] || e->is_virtual) continue;
        // as if one of its bodies were about to be placed by this joint alone
        ct_flow_group one = {.n_edges = 1, .edges = &edge};
        int x = e->body[1] ? e->body[1] : e->body[0];
        memset(n.s.cluster, 0, (size_t)q->w->n_bodies * sizeof(int));
        n.s.cluster[x] = x;
        int count = ct_flow_relations(q->w, &one, &n.s, x, -1, found);
        for (int k = 0; k < count; k++) add_spare(flow, &found[k].r);
    }
    node_clear(&n);
}

static void run(ct_flow_search *q, const node *start, int left, int tears) {
    node root = node_new(q, start);
    q->work = 0;
    q->limit = q->g->n_bodies > 8 ? 600 : 3000;
    search(q, &root, left, tears);
    node_clear(&root);
}

bool ct_flow_order(ct_flow_world *w, const ct_flow_group *g, bool *known, int freedoms,
                   bool may_choose, ct_flow *flow) {
    ct_flow_search q = {.w = w, .g = g, .best = INFINITY};
    node start = node_new(&q, NULL), best = node_new(&q, NULL);
    for (int i = 0; i < w->n_bodies; i++) start.s.cluster[i] = i + 1; // others do not matter
    start.s.cluster[g->bodies[0]] = 0;
    memcpy(start.s.known, known, (size_t)w->model->n_coordinates * sizeof *known);
    q.placements = best.placements;
    q.independent = best.chosen;
    q.used = best.s.used;
    q.picked = best.picked;
    int left = may_choose ? freedoms : 0;
    uint64_t key = ct_flow_key(w, g, known, left);
    q.memory = ct_flow_recall(w, g, key, &q.n_memory);
    if (q.memory && q.n_memory >= left) run(&q, &start, left, q.n_memory - left);
    bool recalled = q.best < INFINITY;
    flow->recalled = flow->recalled && recalled;
    free(q.memory);
    q.memory = NULL;
    enum { MOST_TEARS = 6 };
    for (int tears = 0; tears <= MOST_TEARS && q.best == INFINITY; tears++)
        run(&q, &start, left, tears);
    if (!recalled && q.best < INFINITY) ct_flow_remember(w, g, key, q.n_picked, q.picked);
    bool found = q.best < INFINITY, torn = false;
    if (found) {
        int room = flow->room_groups;
        *CT_PUSH(flow->group, flow->n_groups, flow->room_groups) = flow->n_placements;
        if (flow->room_groups != room)
            flow->group_root =
                ct_realloc(flow->group_root, (size_t)flow->room_groups, sizeof *flow->group_root);
        flow->group_root[flow->n_groups - 1] = g->bodies[0];
        for (int i = 0; i < q.n_best; i++) {
            *CT_PUSH(flow->placements, flow->n_placements, flow->room_placements) = q.placements[i];
            torn = torn || q.placements[i].kind == CT_PLACE_ITERATE;
        }
        for (int i = 0; i < q.n_independent; i++) {
            *CT_PUSH(flow->independent, flow->n_independent, flow->room_independent) =
                q.independent[i];
            known[q.independent[i]] = true;
        }
        for (int i = 0; i < g->n_edges; i++)
            if (q.used[g->edges[i]]) flow->preference[w->edges[g->edges[i]].joint] = 1;
        if (torn) spare(&q, flow);
    }
    node_clear(&start);
    node_clear(&best);
    return found;
}
