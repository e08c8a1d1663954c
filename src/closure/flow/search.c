// Depth-first search for orders. Bodies are placed as long as any can be, cheapest placement first.
// Where none can, a coordinate becomes independent or, once all freedoms are used, iterated.
#include "closure/flow/placements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// rods -------------------------------------------------------------------------------------------
// Rods with a spherical joint at either end only hold two points apart. After the search each rod
// is directed towards its far point by two angles of one joint. The third angle is independent: the
// one that leaves the direction best determined.

// True if it is a spherical joint of the trees without known or coupled angles.
static bool is_open(const ct_flow_search *search, const ct_flow_edge *e, const bool *known) {
    for (int k = 0; k < e->n; k++)
        if (known[e->first + k] || ct_flow_is_coupled(search->snap, e->first + k)) return false;
    return ct_joint_is_ball(e->type) && e->joint >= 0 && e->may_carry;
}

// Returns false if the body is no rod, or a neighbour of one.
static bool find_rod(const ct_flow_search *search, int body, const bool *known,
                     ct_spinning_rod *rod) {
    int n = 0;
    *rod = (ct_spinning_rod){.body = body};
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        if (e->n_composed || (e->body[0] != body && e->body[1] != body)) continue;
        if (n == 2 || e->is_virtual || !is_open(search, e, known)) return false;
        if (search->is_rod[e->body[0]] || search->is_rod[e->body[1]]) return false;
        rod->edge[n++] = search->g->edges[i];
    }
    return n == 2;
}

// How well two angles determine the direction of an arm: the smaller singular value of its
// derivatives, in units of its length.
static double sharpness(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                        const int *which) {
    double rows[3][6], aa = 0, ab = 0, bb = 0, arm = 0;
    ct_flow_rows(snap, r, e, 2, which, rows);
    for (int i = 0; i < 3; i++) {
        aa += rows[i][0] * rows[i][0];
        ab += rows[i][0] * rows[i][1];
        bb += rows[i][1] * rows[i][1];
        arm += (r->x[i] - e->at[0][i]) * (r->x[i] - e->at[0][i]);
    }
    // smaller eigenvalue of the 2 x 2 matrix of products
    double small = (aa + bb) / 2 - hypot((aa - bb) / 2, ab);
    return arm > 0 ? sqrt(fmax(small, 0) / arm) * snap->length : 0;
}

typedef struct spin {
    double value;
    int end, angle; // of the rod; of the joint there
} spin;

// The body at one end of a rod.
static int other(const ct_flow_search *search, const ct_spinning_rod *rod, int end) {
    const ct_flow_edge *e = search->snap->edges + rod->edge[end];
    return e->body[e->body[0] == rod->body];
}

// The best independent angle at one end; depth: coordinates between the first body and that end.
static void better(const ct_flow_search *search, const ct_spinning_rod *rod, int end, int depth,
                   spin *best) {
    const ct_flow_edge *e = search->snap->edges + rod->edge[end],
                       *far = search->snap->edges + rod->edge[1 - end];
    ct_flow_relation r = {.r = {.kind = CT_RELATION_POINT}};
    for (int i = 0; i < 3; i++) r.x[i] = far->at[0][i];
    for (int k = 0; k < 3; k++) {
        int which[2] = {(k + 1) % 3, (k + 2) % 3};
        double value = sharpness(search->snap, &r, e, which);
        if (value < CT_ROD_SHARPNESS) continue;
        // a coordinate that the user starts comes first; a small depth is better
        if (ct_flow_price(search->snap, e->first + k) < CT_PRICE_SPHERICAL) value += CT_ROD_WISH;
        value -= CT_ROD_DEPTH * depth / (1 + depth);
        if (value > best->value) *best = (spin){value, end, k};
    }
}

// True if all joints that could carry the body belong to rods.
static bool hangs_on_rods(const ct_flow_search *search, int body) {
    int others = 0, rods = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        if (e->body[0] != body && e->body[1] != body) continue;
        rods += ct_flow_is_spinning_rod(search, e);
        others += e->may_carry && !ct_flow_is_spinning_rod(search, e);
    }
    return rods && !others;
}

// A body that hangs on rods alone is placed by them, so that their independent angles are chosen
// before the search, and they take part in it.
static void spin_at_once(ct_flow_search *search, int body, bool *known, ct_flow_node *start) {
    int kept = 0;
    for (int i = 0; i < search->n_rods; i++) {
        ct_spinning_rod rod = search->rods[i];
        int end = other(search, &rod, 0) == body ? 1 : 0;
        spin best = {.value = -INFINITY};
        bool here = other(search, &rod, 0) == body || other(search, &rod, 1) == body;
        if (here) better(search, &rod, end, 0, &best);
        if (!(best.value > -INFINITY)) {
            search->rods[kept++] = rod;
            continue;
        }
        int spun = search->snap->edges[rod.edge[end]].first + best.angle;
        known[spun] = true;
        start->chosen[start->n_chosen++] = spun;
        search->is_rod[rod.body] = false;
    }
    search->n_rods = kept;
}

void ct_flow_find_rods(ct_flow_search *search, bool *known, ct_flow_node *start) {
    int room = 0;
    search->is_rod = ct_scratch((size_t)search->snap->n_bodies, sizeof *search->is_rod);
    for (int i = 1; i < search->g->n_bodies; i++) {
        ct_spinning_rod rod;
        if (!find_rod(search, search->g->bodies[i], known, &rod)) continue;
        *CT_PUSH_SCRATCH(search->rods, search->n_rods, room) = rod;
        search->is_rod[rod.body] = true;
    }
    for (int i = 0; i < search->g->n_bodies; i++)
        if (hangs_on_rods(search, search->g->bodies[i]))
            spin_at_once(search, search->g->bodies[i], known, start);
}

// The place of the far end of a rod, as a relation. Returns false if there is none.
static bool far_point(const ct_flow_search *search, const ct_flow_node *n,
                      const ct_spinning_rod *rod, int end, ct_relation *point) {
    int far = rod->edge[1 - end];
    ct_loop_group one = {.n_edges = 1, .edges = &far};
    ct_flow_relation r[CT_FLOW_RELATIONS];
    int count = ct_flow_relations(search->snap, &one, &n->s, n->s.cluster[rod->body], -1, r);
    for (int i = 0; i < count; i++)
        if (r[i].r.kind == CT_RELATION_POINT) {
            *point = r[i].r;
            return true;
        }
    return false;
}

// Joins the clusters on both sides of an edge. Bodies that join the placed ones pay for their
// depth.
static void merge_clusters(ct_flow_search *search, ct_flow_node *n, int edge) {
    const ct_flow_edge *e = search->snap->edges + edge;
    int a = n->s.cluster[e->body[0]], b = n->s.cluster[e->body[1]], low = a < b ? a : b,
        high = a < b ? b : a;
    int near = e->body[a == high], deep = n->s.depth[near] + e->n;
    for (int i = 0; i < search->snap->n_bodies; i++)
        if (n->s.cluster[i] == high) {
            n->s.cluster[i] = low;
            n->s.depth[i] += deep;
            n->cost += low == 0 ? CT_FLOW_DEEP * n->s.depth[i] : 0;
        }
    n->s.used[edge] = true;
}

// Places the rods: one angle of each becomes independent, two follow from its direction. Returns
// false if the direction of a rod is too close to a lock, or its far point is not known.
static bool place_rods(ct_flow_search *search, ct_flow_node *n) {
    for (int i = 0; i < search->n_rods; i++) {
        const ct_spinning_rod *rod = search->rods + i;
        // the end and angle that leave the direction best determined, with the user's wish and the
        // depth
        spin best = {.value = -INFINITY};
        for (int s = 0; s < 2; s++)
            better(search, rod, s, n->s.depth[other(search, rod, s)], &best);
        if (!(best.value > -INFINITY)) return false;
        // the place of the far end
        const ct_flow_edge *e = search->snap->edges + rod->edge[best.end];
        int side = e->body[1] == rod->body;
        ct_relation point;
        if (!far_point(search, n, rod, best.end, &point)) return false;
        // two angles by its direction
        ct_placement *p = n->placements + n->n++;
        *p = (ct_placement){.kind = CT_PLACE_DIRECTION,
                            .joint = e->joint,
                            .parent = e->own[1 - side],
                            .child = e->own[side],
                            .n_unknown = 2,
                            .n_relations = 1,
                            .relation = {point}};
        for (int k = 0, u = 0; k < 3; k++)
            if (k != best.angle) p->unknown[u++] = e->first + k;
        // the third one is independent
        n->chosen[n->n_chosen++] = e->first + best.angle;
        for (int k = 0; k < 3; k++) n->s.known[e->first + k] = true;
        merge_clusters(search, n, rod->edge[best.end]);
        n->cost += CT_PRICE_DIRECTION;
    }
    return true;
}

// placing ----------------------------------------------------------------------------------------
// Places bodies by joints whose coordinates are all known. Returns true if there was one.
static bool carry(ct_flow_search *search, ct_flow_node *n) {
    bool any = false;
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i], which[6];
        const ct_flow_edge *e = search->snap->edges + edge;
        int a = n->s.cluster[e->body[0]], b = n->s.cluster[e->body[1]];
        if (a == b || !e->may_carry || ct_flow_unknown(&n->s, e, which)) continue;
        ct_placement *p = n->placements + n->n++;
        *p = (ct_placement){.kind = CT_PLACE_GIVEN,
                            .joint = e->joint,
                            .parent = e->own[b == 0],
                            .child = e->own[b != 0]};
        merge_clusters(search, n, edge);
        n->cost += CT_PRICE_GIVEN;
        any = true;
    }
    return any;
}

// The price from which on an order is too dear for the short list.
static double bound(const ct_flow_search *search) {
    if (!search->n_found) return INFINITY;
    double span = search->found[0].node.cost + CT_FLOW_SPAN;
    return search->n_found < CT_FLOW_SHORT
               ? span
               : fmin(span, search->found[search->n_found - 1].node.cost);
}

// Places bodies until none can be placed, or the price is too high for the short list.
static void propagate(ct_flow_search *search, ct_flow_node *n) {
    for (;;) {
        ct_flow_option o;
        search->work++;
        if (carry(search, n)) continue;
        if (n->cost >= bound(search) || !ct_flow_cheapest(search, &n->s, &o)) return;
        n->placements[n->n++] = o.p;
        for (int k = 0; k < o.p.n_unknown; k++) n->s.known[o.p.unknown[k]] = true;
        n->cost += o.cost + ct_flow_spread(search->snap, n->s.known);
        int left[6];
        if (!ct_flow_unknown(&n->s, search->snap->edges + o.edge, left))
            merge_clusters(search, n, o.edge);
    }
}

static bool all_placed(const ct_flow_search *search, const ct_flow_node *n) {
    for (int i = 0; i < search->g->n_bodies; i++)
        if (n->s.cluster[search->g->bodies[i]] &&
            !(search->is_rod && search->is_rod[search->g->bodies[i]]))
            return false;
    return true;
}

// True if all known and all coupled coordinates belong to joints of the tree, and a pose (a body's
// own coordinates, a virtual joint) is among them where CT_OFFER_POSES_ONLY asks for that.
static bool honoured(const ct_flow_search *search, const ct_flow_node *n) {
    int offered = 0, taken = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        if (e->n_composed || e->swing) continue;
        bool used = n->s.used[search->g->edges[i]], own = e->is_virtual;
        for (int k = 0; k < e->n; k++)
            if (!used &&
                (n->s.known[e->first + k] || ct_flow_is_coupled(search->snap, e->first + k)))
                return false;
        offered += own;
        taken += own && used;
    }
    return search->snap->offer != CT_OFFER_POSES_ONLY || !offered || taken;
}

// short list -------------------------------------------------------------------------------------
// Removes order i from the short list.
static void strike(ct_flow_search *search, int i) {
    ct_flow_node_clear(&search->found[i].node);
    for (; i + 1 < search->n_found && i + 1 < CT_FLOW_SHORT; i++)
        search->found[i] = search->found[i + 1];
    search->n_found--;
}

// Hash of the placements and independent coordinates of an order: a sum, so that the sequence does
// not matter.
static uint64_t mark_of(const ct_flow_node *n) {
    uint64_t sum = 0;
    for (int i = 0; i < n->n_chosen; i++) sum += ct_hash(n->chosen + i, sizeof *n->chosen, 1);
    for (int i = 0; i < n->n; i++) {
        const ct_placement *p = n->placements + i;
        int at[] = {(int)p->kind, p->joint, p->parent, p->child, p->n_unknown, p->n_relations};
        uint64_t h = ct_hash(at, sizeof at, 2);
        h = ct_hash(p->unknown, (size_t)p->n_unknown * sizeof *p->unknown, h);
        for (int k = 0; k < p->n_relations; k++) {
            const ct_relation *r = p->relation + k;
            int of[] = {(int)r->kind, r->x, r->k, r->joint, r->via[0], r->via[1]};
            h = ct_hash(of, sizeof of, h);
        }
        sum += h;
    }
    return sum;
}

// Enters an order into the short list, sorted by price, if it is cheap enough and its trees hold
// the coordinates that they must (honoured).
static void record(ct_flow_search *search, const ct_flow_node *n) {
    if (!(n->cost < bound(search)) || !honoured(search, n)) return;
    // of two orders with the same placements in another sequence the cheaper one stays
    uint64_t mark = mark_of(n);
    double wish = 0;
    for (int i = 0; i < search->n_found; i++) {
        if (search->found[i].mark != mark) continue;
        if (n->cost >= search->found[i].node.cost) return;
        strike(search, i);
    }
    // weight of the user's wishes that it meets
    for (int i = 0; i < n->n_chosen; i++) wish += ct_flow_wish(search->snap, n->chosen[i]);
    // its place in the list; the dearest ones leave
    if (search->n_found == CT_FLOW_SHORT) strike(search, search->n_found - 1);
    int at = search->n_found++;
    for (; at > 0 && n->cost < search->found[at - 1].node.cost; at--)
        search->found[at] = search->found[at - 1];
    search->found[at] = (ct_flow_found){ct_flow_node_new(search, n), search->style, search->root,
                                        search->with_ties,           wish,          mark};
    while (search->found[search->n_found - 1].node.cost > search->found[0].node.cost + CT_FLOW_SPAN)
        strike(search, search->n_found - 1);
}

// Completes an order with the rods and enters it. If coordinates are iterated, the independent ones
// must hold the group at the initial position: no freedom may be left there.
static void finish(ct_flow_search *search, const ct_flow_node *n) {
    ct_flow_node whole = ct_flow_node_new(search, n);
    bool torn = n->n_picked + search->start->n_chosen > n->n_chosen,
         good = place_rods(search, &whole);
    if (good && torn && !search->snap->n_couplings) {
        bool *held = ct_scratch((size_t)search->snap->n_coordinates + 1, sizeof *held);
        memcpy(held, search->given, (size_t)search->snap->n_coordinates * sizeof *held);
        for (int i = 0; i < whole.n_chosen; i++) held[whole.chosen[i]] = true;
        good = ct_flow_freedoms(search->snap, search->g, held) == 0;
    }
    if (good) record(search, &whole);
    ct_flow_node_clear(&whole);
}

typedef struct choice {
    int edge, n, which[6];
    double cost;
} choice;

static int by_cost(const void *a, const void *b) {
    const choice *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->edge != y->edge ? x->edge - y->edge : x->which[0] - y->which[0];
}

// The last coordinate of the edge that was chosen, -1: none.
static int last_pick(const ct_flow_node *n, const ct_flow_edge *e) {
    int last = -1;
    for (int i = 0; i < n->n_picked; i++) {
        int k = n->picked[i] - e->first;
        if (k >= 0 && k < e->n && k > last) last = k;
    }
    return last;
}

// True if a swing holds its body in a way that its relations, and swings that are known, do not.
static bool adds(ct_flow_search *search, const ct_flow_state *s, const ct_flow_swing *swing) {
    ct_flow_relation relations[CT_FLOW_RELATIONS];
    double basis[6][6], rows[3][6];
    int size = 0, which[6];
    // the pose of its body, all of it unknown
    const ct_flow_edge *own = NULL;
    for (int i = 0; i < search->g->n_edges && !own; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        if (ct_flow_posed(e) == swing->home) own = e;
    }
    if (!own || ct_flow_unknown(s, own, which) < 6) return false;
    // rows of what is known of it
    int n = ct_flow_relations(search->snap, search->g, s, s->cluster[swing->home], -1, relations);
    n = ct_flow_swung(search->snap, s, s->cluster[swing->home], NULL, n, relations);
    for (int i = 0; i < n; i++) {
        int count = ct_flow_rows(search->snap, relations + i, own, 6, which, rows);
        ct_flow_extend(count, rows, 6, basis, &size);
    }
    // one more
    n = ct_flow_swung(search->snap, s, s->cluster[swing->home], swing, 0, relations);
    return n && ct_flow_extend(ct_flow_rows(search->snap, relations, own, 6, which, rows), rows, 6,
                               basis, &size) > 0;
}

// True if the swing may be chosen: no relation so far says as much of its body.
static bool may_swing(ct_flow_search *search, const ct_flow_node *n, const ct_flow_edge *e) {
    return !n->s.known[e->first] && ct_flow_may_swing(&n->s, e->swing) &&
           adds(search, &n->s, e->swing);
}

// Single coordinates and whole joints (of at most `limit` unknowns) that may be chosen next, as
// independent (free) or iterated ones, cheapest first. Returns how many.
static int choices(ct_flow_search *search, const ct_flow_node *n, int limit, bool free,
                   choice *list) {
    int count = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i], which[6];
        const ct_flow_edge *e = search->snap->edges + edge;
        // angles beside the trees
        if (e->swing && free && !search->wished_only && may_swing(search, n, e))
            list[count++] = (choice){edge, 1, {0}, ct_flow_price(search->snap, e->first)};
        // joints of the trees between two clusters, rods aside
        if (!e->may_carry || n->s.cluster[e->body[0]] == n->s.cluster[e->body[1]]) continue;
        if (ct_flow_is_spinning_rod(search, e) || ct_flow_waits(search, &n->s, e)) continue;
        // each unknown coordinate by itself; of a pose all together, or where there are not so many
        // freedoms one after the other, in the order of their numbers
        int unknown = ct_flow_unknown(&n->s, e, which), after = last_pick(n, e), most = limit;
        choice all = {.edge = edge, .n = unknown};
        for (int k = 0; k < unknown; k++) {
            if (search->wished_only && ct_flow_wish(search->snap, e->first + which[k]) == 0) {
                most = 0; // nor the whole joint
                continue;
            }
            double p = ct_flow_price(search->snap, e->first + which[k]) +
                       (e->is_virtual ? CT_PRICE_POSE : 0);
            all.which[k] = which[k];
            all.cost += p;
            if (!e->is_virtual || unknown == 1 ||
                (free && e->n > search->freedoms && which[k] > after))
                list[count++] = (choice){edge, 1, {which[k]}, p};
        }
        // all unknown coordinates of the joint at once
        if (unknown > 1 && unknown <= most) {
            if (!e->is_virtual) all.cost += CT_PRICE_WHOLE_JOINT;
            list[count++] = all;
        }
    }
    // cheapest first
    qsort(list, (size_t)count, sizeof *list, by_cost);
    return count;
}

// True if the choice is the next one of the cached order, or there is no cached order.
static bool remembered(const ct_flow_search *search, const ct_flow_node *n, const choice *c,
                       const ct_flow_edge *e) {
    for (int k = 0; search->cached_picks && k < c->n; k++)
        if (n->n_picked + k >= search->n_cached_picks ||
            search->cached_picks[n->n_picked + k] != e->first + c->which[k])
            return false;
    return true;
}

// Depth-first search from a state; complete orders go to the short list. left: independent
// coordinates still to choose; tears: coordinates that may be iterated.
static void search_from(ct_flow_search *search, ct_flow_node *n, int left, int tears) {
    // place whatever can be placed; orders that are too dear end here
    propagate(search, n);
    if (n->cost >= bound(search)) return;
    // complete if all freedoms are used
    if (all_placed(search, n)) {
        if (!left) finish(search, n);
        return;
    }
    if (!left && !tears) return;
    // next choices: independent while freedoms are left, iterated after that
    choice *list = ct_scratch((size_t)(7 * search->g->n_edges) + 1, sizeof *list);
    int count = choices(search, n, left ? left : tears, left > 0, list);
    for (int i = 0; i < count && search->work < search->limit; i++) {
        const choice *c = list + i;
        const ct_flow_edge *e = search->snap->edges + c->edge;
        if (!remembered(search, n, c, e)) continue;
        // the state with this choice
        ct_stage stage = ct_stage_begin();
        ct_flow_node next = ct_flow_node_new(search, n);
        for (int k = 0; k < c->n; k++) {
            next.s.known[e->first + c->which[k]] = true;
            next.picked[next.n_picked++] = e->first + c->which[k];
            if (left) next.chosen[next.n_chosen++] = e->first + c->which[k];
        }
        // an iterated coordinate is a placement of its own
        if (!left) {
            ct_placement *p = next.placements + next.n++;
            *p = (ct_placement){.kind = CT_PLACE_ITERATE,
                                .joint = e->joint,
                                .parent = e->own[0],
                                .child = e->own[1],
                                .n_unknown = c->n};
            for (int k = 0; k < c->n; k++) p->unknown[k] = e->first + c->which[k];
        }
        // its price, and that of the couplings that are solved then
        next.cost += c->cost + (left ? 0 : CT_FLOW_TEAR * c->n);
        next.cost += ct_flow_spread(search->snap, next.s.known);
        if (left)
            search_from(search, &next, left - c->n, tears);
        else
            search_from(search, &next, 0, tears - c->n);
        ct_flow_node_clear(&next);
        ct_stage_end(stage);
    }
}

void ct_flow_run(ct_flow_search *search, const ct_flow_node *start, int left, int tears) {
    ct_flow_node root = ct_flow_node_new(search, start);
    search_from(search, &root, left, tears);
    ct_flow_node_clear(&root);
}
