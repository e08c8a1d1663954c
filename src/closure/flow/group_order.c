// One group of loops: the order that was found before, else a search from its first body, from the
// others where that one leaves something to be iterated, and with ever more iterated coordinates.
#include "closure/flow/search.h"
#include "closure/tolerances.h"

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
    const ct_flow_group *g = q->g;
    long limit = g->n_bodies > CT_EFFORT_LARGE_AT ? CT_EFFORT_LARGE : CT_EFFORT;
    int most = q->w->offer ? 0 : CT_MOST_TEARS;
    for (int tears = 0; tears <= most && !q->n_found; tears++) {
        run_from(q, g->bodies[0], known, left, tears, limit);
        for (int i = 1, roots = 0; !tears && i < g->n_bodies && roots < CT_MOST_ROOTS; i++) {
            if (q->n_found || !may_be_first(q, g->bodies[i])) continue;
            run_from(q, g->bodies[i], known, left, 0, CT_EFFORT_ROOT);
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

// open relations ---------------------------------------------------------------------------------
// Those that an iteration may have to close: lengths of bodies between two of their joints, and
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

static void open_relations(ct_flow_search *q, const bool *used, ct_flow *flow) {
    ct_flow_relation found[CT_FLOW_RELATIONS];
    ct_flow_node n = ct_flow_node_new(q, NULL);
    for (int i = 0; i < q->g->n_bodies; i++) lengths(q, flow, q->g->bodies[i]);
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i];
        const ct_flow_edge *e = q->w->edges + edge;
        if (used[edge] || e->is_virtual) continue;
        // as if one of its bodies were about to be placed by this joint alone
        ct_flow_group one = {.n_edges = 1, .edges = &edge};
        int x = e->body[1] ? e->body[1] : e->body[0];
        memset(n.s.cluster, 0, (size_t)q->w->n_bodies * sizeof(int));
        n.s.cluster[x] = x;
        int count = ct_flow_relations(q->w, &one, &n.s, x, -1, found);
        for (int k = 0; k < count; k++) add_spare(flow, &found[k].r);
    }
    ct_flow_node_clear(&n);
}

// the order --------------------------------------------------------------------------------------
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
    if (spare) open_relations(q, n->s.used, flow);
}

// bodies that keep their orientation -------------------------------------------------------------
// The platform of a delta robot. Where its angles are held and the group has as many freedoms as
// before, none of its motions turns the body at the initial position. Whether that holds elsewhere
// too the closure has to show (see ct_close_probe_wide): if its equations are met with these angles
// in as many dimensions as the mechanism has freedoms, there is no other motion.
// Does it stand like the first body of the group?
static bool is_upright(const ct_flow_world *w, const ct_flow_group *g, const ct_flow_edge *e) {
    const double *a = &w->rotation[g->bodies[0]][0][0], *b = &w->rotation[e->body[1]][0][0];
    for (int i = 0; i < 9; i++)
        if (!(fabs(a[i] - b[i]) < CT_TOL_UPRIGHT)) return false;
    return true;
}

static bool stays(ct_flow_world *w, const ct_flow_group *g, const ct_flow_edge *e, int freedoms) {
    bool *held = ct_alloc((size_t)w->n_coordinates + 1, sizeof *held);
    for (int k = 0; k < e->n; k++) held[e->first + k] = e->turn[k];
    bool same = ct_flow_freedoms(w, g, held) == freedoms;
    ct_free(held);
    return same;
}

static int joints_of(const ct_flow_world *w, const ct_flow_group *g, int body) {
    int n = 0;
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        n += !e->is_virtual && (e->body[0] == body || e->body[1] == body);
    }
    return n;
}

// Looks for a body of the group that keeps its orientation and marks its edge. False: there is
// none.
static bool find_translating(ct_flow_world *w, const ct_flow_group *g) {
    int best = -1, most = 0, freedoms = ct_flow_freedoms(w, g, NULL);
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        if (e->joint < CT_OWN_JOINT(w->model, 0) || !is_upright(w, g, e)) continue;
        int joints = joints_of(w, g, e->body[1]);
        if (joints <= most || !stays(w, g, e, freedoms)) continue;
        best = g->edges[i];
        most = joints;
    }
    if (best >= 0) w->kept[best] = w->edges[best].may_carry = true;
    return best >= 0;
}

// Of a body that keeps its orientation the angles are there from the start, and its place is
// independent if so many freedoms are left.
static void place_translating(const ct_flow_search *q, int left, bool *known, ct_flow_node *first) {
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

static void forget(ct_flow_search *q) {
    while (q->n_found) ct_flow_node_clear(&q->found[--q->n_found].node);
}

// The order that is known for the structure, if it is one here.
static bool recall(ct_flow_search *q, const ct_flow_memory *m, const bool *known, int left) {
    const ct_flow_known *o = m->of->orders + m->of->taken;
    if (o->n < left) return false;
    q->memory = m->picks;
    q->n_memory = o->n;
    q->style = (ct_flow_style)o->style;
    run_from(q, q->g->bodies[o->root], known, left, o->n - left, CT_EFFORT_MEMORY);
    q->style = CT_STYLE_NEAR;
    q->memory = NULL;
    // another cost: a step is close to its limit here or was there, and others may be better
    if (q->n_found && fabs(q->found[0].node.cost - o->cost) < CT_FLOW_NEAR / 2) return true;
    forget(q);
    return false;
}

bool ct_flow_order(ct_flow_world *w, const ct_flow_group *g, bool *known, int freedoms,
                   bool may_choose, ct_flow_library *library, ct_flow *flow) {
    ct_flow_search q = {.w = w, .g = g, .given = known};
    ct_flow_node first = ct_flow_node_new(&q, NULL);
    int left = may_choose ? freedoms : 0;
    q.start = &first;
    if (w->offer == CT_OFFER_PLACES && find_translating(w, g)) flow->n_kept++;
    place_translating(&q, left, known, &first);
    if (left) ct_flow_idle_find(&q, known, &first);
    left -= q.n_idle + first.n_chosen;
    ct_flow_memory memory = ct_flow_recall(library, w, g, known, left);
    const ct_flow_structure *x = memory.of;
    bool settled = x && x->settled, recalled = x && recall(&q, &memory, known, left);
    flow->recalled = flow->recalled && recalled && settled;
    flow->poses = flow->poses || (recalled && x->poses);
    if (!recalled) find(&q, known, left);
    bool found = q.n_found > 0;
    if (found && !recalled && (!x || settled)) ct_flow_remember(library, &q, memory.key);
    if (found) take(&q, known, flow);
    forget(&q);
    ct_flow_node_clear(&first);
    ct_free(memory.picks);
    ct_free(q.idle);
    ct_free(q.is_idle);
    return found;
}
