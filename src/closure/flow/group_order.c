// One group of loops: the order that was found before, else a search from its first body, from the
// others where that one leaves something to be iterated, and with ever more iterated coordinates.
#include "closure/flow/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ct_flow_node start_at(const ct_flow_search *q, int root, const bool *known) {
    const ct_flow_world *w = q->w;
    ct_flow_node n = ct_flow_node_new(q, q->start);
    for (int i = 0; i < w->n_bodies; i++) n.s.cluster[i] = i + 1; // others do not matter
    n.s.cluster[root] = 0;
    // what the first body does against ground is known
    if (q->g->bodies[0]) n.s.cluster[0] = n.s.cluster[q->g->bodies[0]];
    memcpy(n.s.known, known, (size_t)w->n_coordinates * sizeof *known);
    return n;
}

static bool has_named(const ct_flow_search *q) {
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        for (int k = 0; k < e->n; k++)
            if (ct_flow_in_law(q->w, e->first + k)) return true;
    }
    return false;
}

// Joints that laws name must be in the tree: where the cheapest placements leave them out, those by
// such joints come first, among equals or always.
static void run_from(ct_flow_search *q, int root, const bool *known, int left, int tears,
                     long limit) {
    const double bonus[] = {0, 3 * CT_FLOW_DEEP, CT_FLOW_TEAR};
    int attempts = has_named(q) ? 3 : 1;
    for (int i = 0; i < attempts; i++) {
        ct_flow_node start = start_at(q, root, known);
        q->root = root;
        q->work = 0;
        q->limit = limit;
        q->law_bonus = bonus[i];
        ct_flow_run(q, &start, left, tears);
        ct_flow_node_clear(&start);
    }
}

// Bodies that could be first: any with more than two joints.
static bool may_be_first(const ct_flow_search *q, int body) {
    int joints = 0;
    for (int i = 0; i < q->g->n_edges; i++) {
        const ct_flow_edge *e = q->w->edges + q->g->edges[i];
        joints += !e->is_virtual && (e->body[0] == body || e->body[1] == body);
    }
    return joints > 2;
}

static void find(ct_flow_search *q, const bool *known, int left) {
    enum { MOST_TEARS = 6, MOST_ROOTS = 6, FEW = 200 };
    const ct_flow_group *g = q->g;
    long limit = g->n_bodies > 8 ? 600 : 3000;
    int most = q->w->offer ? 0 : MOST_TEARS;
    for (int tears = 0; tears <= most && !q->n_found; tears++) {
        run_from(q, g->bodies[0], known, left, tears, limit);
        for (int i = 1, roots = 0; !tears && i < g->n_bodies && roots < MOST_ROOTS; i++) {
            if (q->n_found || !may_be_first(q, g->bodies[i])) continue;
            run_from(q, g->bodies[i], known, left, 0, FEW);
            roots++;
        }
    }
    if (!q->n_found) return;
    // the same choices, placed in another sequence
    q->style = CT_STYLE_CHEAP;
    const ct_flow_found *best = q->found;
    run_from(q, best->root, known, left, best->node.n_picked - left, limit);
    q->style = CT_STYLE_NEAR;
}

static void take(ct_flow_search *q, bool *known, ct_flow *flow) {
    const ct_flow_group *g = q->g;
    const ct_flow_node *n = &q->found[0].node;
    bool spare = false;
    int room = flow->room_groups;
    *CT_PUSH(flow->group, flow->n_groups, flow->room_groups) = flow->n_placements;
    if (flow->room_groups != room)
        flow->group_root =
            ct_realloc(flow->group_root, (size_t)flow->room_groups, sizeof *flow->group_root);
    flow->group_root[flow->n_groups - 1] = q->found[0].root;
    for (int i = 0; i < n->n; i++) {
        *CT_PUSH(flow->placements, flow->n_placements, flow->room_placements) = n->placements[i];
        spare = spare || n->placements[i].kind == CT_PLACE_ITERATE ||
                n->placements[i].kind == CT_PLACE_KEPT;
    }
    for (int i = 0; i < n->n_chosen; i++) {
        *CT_PUSH(flow->independent, flow->n_independent, flow->room_independent) = n->chosen[i];
        known[n->chosen[i]] = true;
    }
    for (int i = 0; i < g->n_edges; i++)
        if (n->s.used[g->edges[i]]) flow->preference[q->w->edges[g->edges[i]].joint] = 1;
    flow->wish += q->found[0].wish;
    if (spare) ct_flow_spare(q, n->s.used, flow);
}

// Of a body that keeps its orientation the angles are there from the start, and its place is
// independent if so many freedoms are left.
static void keep(const ct_flow_search *q, int left, bool *known, ct_flow_node *first) {
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i];
        const ct_flow_edge *e = q->w->edges + edge;
        if (!q->w->kept[edge]) continue;
        ct_placement *p = first->placements + first->n++;
        *p = (ct_placement){
            .kind = CT_PLACE_KEPT, .joint = e->joint, .parent = e->body[0], .child = e->body[1]};
        for (int k = 0; k < e->n; k++)
            if (e->turn[k]) p->unknown[p->n_unknown++] = e->first + k;
        bool place = e->n - p->n_unknown <= left;
        for (int k = 0; k < e->n; k++) {
            if (place && !e->turn[k]) first->chosen[first->n_chosen++] = e->first + k;
            known[e->first + k] = place || e->turn[k];
        }
    }
}

// The order that is known for the structure, if it is one here.
static bool recall(ct_flow_search *q, const ct_flow_known *o, const bool *known, int left) {
    if (o->n < left) return false;
    q->memory = ct_flow_picks(q->w, q->g, o);
    q->n_memory = o->n;
    q->style = (ct_flow_style)o->style;
    run_from(q, q->g->bodies[o->root], known, left, o->n - left, 1000);
    q->style = CT_STYLE_NEAR;
    free(q->memory);
    q->memory = NULL;
    // another cost: a step is close to its limit here or was there, and others may be better
    if (q->n_found && fabs(q->found[0].node.cost - o->cost) < CT_FLOW_NEAR / 2) return true;
    ct_flow_forget(q);
    return false;
}

bool ct_flow_order(ct_flow_world *w, const ct_flow_group *g, bool *known, int freedoms,
                   bool may_choose, ct_flow_library *library, ct_flow *flow) {
    ct_flow_search q = {.w = w, .g = g, .given = known};
    ct_flow_node first = ct_flow_node_new(&q, NULL);
    int left = may_choose ? freedoms : 0;
    q.start = &first;
    keep(&q, left, known, &first);
    if (left) ct_flow_idle_find(&q, known, &first);
    left -= q.n_idle + first.n_chosen;
    uint64_t key = ct_flow_key(w, g, known, left);
    const ct_flow_structure *x = ct_flow_recall(library, w, g, key);
    bool settled = x && x->settled, recalled = x && recall(&q, x->orders + x->taken, known, left);
    flow->recalled = flow->recalled && recalled && settled;
    flow->poses = flow->poses || (recalled && x->poses);
    if (!recalled) find(&q, known, left);
    bool found = q.n_found > 0;
    if (found && !recalled && (!x || settled)) ct_flow_remember(library, &q, key);
    if (found) take(&q, known, flow);
    ct_flow_forget(&q);
    ct_flow_node_clear(&first);
    free(q.idle);
    free(q.is_idle);
    return found;
}
