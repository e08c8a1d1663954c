// Orders one group of loops: along the order in the cache, else by a search from its first body. If
// that search fails, other first bodies are tried, then ties, then hubs before their legs, then one
// iterated coordinate more each time, from the first body alone. Before the search a body that keeps its orientation is looked for;
// after it the relations that no placement has used are listed.
#include "closure/flow/search.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The state in which the body `root` alone is placed.
static ct_flow_node start_at(const ct_flow_search *search, int root, const bool *known) {
    const ct_snapshot *snap = search->snap;
    ct_flow_node n = ct_flow_node_new(search, search->start);
    for (int i = 0; i < snap->n_bodies; i++) n.s.cluster[i] = i + 1; // also outside the group
    n.s.cluster[root] = 0;
    // ground and the first body of the group are one cluster: the place between them is known
    if (search->g->bodies[0]) n.s.cluster[0] = n.s.cluster[search->g->bodies[0]];
    memcpy(n.s.known, known, (size_t)snap->n_coordinates * sizeof *known);
    return n;
}

// True if a coupling names a coordinate of the group.
static bool has_named(const ct_flow_search *search) {
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        for (int k = 0; k < e->n; k++)
            if (ct_flow_is_coupled(search->snap, e->first + k)) return true;
    }
    return false;
}

// Joints that couplings name must be in the tree. Searches three times if there are any: with the
// cheapest placements, then with a bonus for placements by such joints, then with these always
// first.
static void run_from(ct_flow_search *search, int root, const bool *known, int left, int tears,
                     long limit) {
    const double bonus[] = {0, 3 * CT_FLOW_DEEP, CT_FLOW_TEAR};
    int attempts = has_named(search) ? 3 : 1;
    for (int i = 0; i < attempts; i++) {
        ct_flow_node start = start_at(search, root, known);
        search->root = root;
        search->work = 0;
        search->limit = limit;
        search->coupling_bonus = bonus[i];
        ct_flow_run(search, &start, left, tears);
        ct_flow_node_clear(&start);
    }
}

static int joints_of(const ct_snapshot *snap, const ct_loop_group *group, int body) {
    int n = 0;
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        n += !e->is_virtual && (e->body[0] == body || e->body[1] == body);
    }
    return n;
}

// Bodies with more than two joints, which could be first too, and the first body.
static const bool *find_hubs(const ct_snapshot *snap, const ct_loop_group *group) {
    bool *is_hub = ct_scratch((size_t)snap->n_bodies, sizeof *is_hub);
    for (int i = 0; i < group->n_bodies; i++)
        is_hub[group->bodies[i]] = !i || joints_of(snap, group, group->bodies[i]) > 2;
    return is_hub;
}

static long limit_of(const ct_loop_group *group) {
    return group->n_bodies > CT_EFFORT_LARGE_AT ? CT_EFFORT_LARGE : CT_EFFORT;
}

// Orders without iterated coordinates: from the first body, else from other bodies.
static void find_closed(ct_flow_search *search, const bool *known, int left) {
    const ct_loop_group *group = search->g;
    run_from(search, group->bodies[0], known, left, 0, limit_of(group));
    for (int i = 1, roots = 0; i < group->n_bodies && roots < CT_MOST_ROOTS; i++) {
        if (search->n_found || !search->is_hub[group->bodies[i]]) continue;
        run_from(search, group->bodies[i], known, left, 0, CT_EFFORT_ROOT);
        roots++;
    }
}

// Coordinates of the group that the user starts or drives.
static int wishes(const ct_flow_search *search, const bool *known) {
    int n = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        for (int k = 0; k < e->n; k++)
            n += !known[e->first + k] && ct_flow_wish(search->snap, e->first + k) > 0;
    }
    return n;
}

// Beside coordinates of bodies the user's are independent first, where they are as many as the
// freedoms: a price would not tell what is worth more.
static void find_wished(ct_flow_search *search, const bool *known, int left) {
    if (!search->snap->offer || !left || wishes(search, known) < left) return;
    search->wished_only = true;
    find_closed(search, known, left);
    search->wished_only = false;
}

// Lets the search use ties between bodies that are not neighbours.
static void use_ties(ct_flow_search *search) {
    ct_loop_group *with = ct_scratch(1, sizeof *with);
    *with = ct_flow_with_ties(search->snap, search->g);
    search->g = with;
    search->with_ties = true;
}

// Weight of the coordinates that the user starts or drives and the best order gives up.
static double given_up(const ct_flow_search *search, const bool *known) {
    double wish = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + search->g->edges[i];
        for (int k = 0; k < e->n; k++)
            wish += known[e->first + k] ? 0 : ct_flow_wish(search->snap, e->first + k);
    }
    return wish - search->found[0].wish;
}

// Orders of the hubs by ties, whatever their legs are written as: there are few choices then.
static void find_by_hubs(ct_flow_search *search, const bool *known, int left) {
    search->style = CT_STYLE_HUBS;
    find_wished(search, known, left);
    if (!search->n_found) find_closed(search, known, left);
    search->style = CT_STYLE_NEAR;
}

// The search: without ties, then with them, then with as few iterated coordinates as possible.
static void find(ct_flow_search *search, const bool *known, int left) {
    const ct_loop_group *g = search->g;
    find_wished(search, known, left);
    if (!search->n_found) find_closed(search, known, left);
    if (!search->n_found || (left && given_up(search, known) > 0)) {
        use_ties(search);
        find_wished(search, known, left);
        if (!search->n_found) find_closed(search, known, left);
        if (!search->n_found && search->snap->offer) find_by_hubs(search, known, left);
    }
    int most = search->snap->offer ? 0 : CT_MOST_TEARS;
    for (int tears = 1; tears <= most && !search->n_found; tears++) {
        search->g = g;
        search->with_ties = false;
        run_from(search, g->bodies[0], known, left, tears, limit_of(g));
    }
    if (!search->n_found || search->found[0].style == CT_STYLE_HUBS) return;
    // the same choices, placed in another sequence
    search->wished_only = search->snap->offer && left && given_up(search, known) == 0;
    search->style = CT_STYLE_CHEAP;
    const ct_flow_found *best = search->found;
    run_from(search, best->root, known, left, best->node.n_picked - left, limit_of(g));
    search->style = CT_STYLE_NEAR;
    search->wished_only = false;
}

// open relations ---------------------------------------------------------------------------------
// Relations that no placement has used. A group with iterated unknowns takes its residuals from
// this list: lengths of bodies between two of their joints, then the relations of joints outside
// the tree. Lengths come first: until they are right, linear steps yield pairs that are not a sine
// and a cosine.
static void add_spare(ct_flow *flow, const ct_relation *r) {
    int room = flow->room_open_relations;
    *CT_PUSH_ARENA(&flow->arena, flow->open_relations, flow->n_open_relations,
                   flow->room_open_relations) = *r;
    if (flow->room_open_relations != room)
        flow->open_group =
            ct_arena_longer(&flow->arena, flow->open_group, (size_t)room,
                            (size_t)flow->room_open_relations, sizeof *flow->open_group);
    flow->open_group[flow->n_open_relations - 1] = flow->n_groups - 1;
}

static int side_of(const ct_flow_edge *e, int body) {
    return e->body[0] == body ? 0 : e->body[1] == body ? 1 : -1;
}

// Distances between the pins of a body.
static void lengths(const ct_flow_search *search, ct_flow *flow, int body) {
    for (int i = 0; i < search->g->n_edges; i++)
        for (int j = i + 1; j < search->g->n_edges; j++) {
            const ct_flow_edge *e1 = search->snap->edges + search->g->edges[i],
                               *e2 = search->snap->edges + search->g->edges[j];
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

// Lengths of bodies, then relations of joints that no placement has used.
static void open_relations(ct_flow_search *search, const bool *used, ct_flow *flow) {
    ct_flow_relation found[CT_FLOW_RELATIONS];
    ct_flow_node n = ct_flow_node_new(search, NULL);
    for (int i = 0; i < search->g->n_bodies; i++) lengths(search, flow, search->g->bodies[i]);
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i];
        const ct_flow_edge *e = search->snap->edges + edge;
        if (e->is_virtual || used[edge]) continue;
        // as if one of its bodies were about to be placed by this joint alone
        ct_loop_group one = {.n_edges = 1, .edges = &edge};
        int x = e->body[1] ? e->body[1] : e->body[0];
        memset(n.s.cluster, 0, (size_t)search->snap->n_bodies * sizeof(int));
        n.s.cluster[x] = x;
        int count = ct_flow_relations(search->snap, &one, &n.s, x, -1, found);
        for (int k = 0; k < count; k++) add_spare(flow, &found[k].r);
    }
    ct_flow_node_clear(&n);
}

// the order --------------------------------------------------------------------------------------
// Appends the cheapest order of the short list to the flow.
static void take(ct_flow_search *search, bool *known, ct_flow *flow) {
    const ct_loop_group *g = search->g;
    const double lost = given_up(search, known);
    const ct_flow_node *n = &search->found[0].node;
    bool spare = false;
    // a new group: its first placement and first body
    int room = flow->room_groups;
    *CT_PUSH_ARENA(&flow->arena, flow->group, flow->n_groups, flow->room_groups) =
        flow->n_placements;
    if (flow->room_groups != room)
        flow->group_root = ct_arena_longer(&flow->arena, flow->group_root, (size_t)room,
                                           (size_t)flow->room_groups, sizeof *flow->group_root);
    flow->group_root[flow->n_groups - 1] = search->found[0].root;
    // its placements; iterated and translating ones need the open relations
    for (int i = 0; i < n->n; i++) {
        *CT_PUSH_ARENA(&flow->arena, flow->placements, flow->n_placements, flow->room_placements) =
            n->placements[i];
        spare = spare || n->placements[i].kind == CT_PLACE_ITERATE ||
                n->placements[i].kind == CT_PLACE_KEPT;
    }
    // independent coordinates, and joints of the trees
    for (int i = 0; i < n->n_chosen; i++) {
        *CT_PUSH_ARENA(&flow->arena, flow->independent, flow->n_independent,
                       flow->room_independent) = n->chosen[i];
        known[n->chosen[i]] = true;
    }
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = search->snap->edges + g->edges[i];
        if (e->n_composed || !n->s.used[g->edges[i]]) continue;
        flow->preference[e->joint] = 1;
        flow->n_poses += e->is_virtual;
    }
    // wishes of the user that it meets or not, and open relations
    flow->mark = flow->mark * 31 + search->found[0].mark;
    flow->wish += search->found[0].wish;
    flow->given_up += lost;
    flow->with_ties = flow->with_ties || search->found[0].with_ties;
    if (spare) open_relations(search, n->s.used, flow);
}

// bodies that keep their orientation -------------------------------------------------------------
// Example: the platform of a delta robot. If the group has as many freedoms with the angles of the
// body held as without, no small motion turns the body at the initial position. The closure is
// tested elsewhere (see ct_close_probe_wide): if the equations hold with these angles in as many
// dimensions as the mechanism has freedoms, the body cannot turn.

// True if the body is oriented like the first body of the group.
static bool is_upright(const ct_snapshot *snap, const ct_loop_group *group, const ct_flow_edge *e) {
    const double *a = &snap->rotation[group->bodies[0]][0][0],
                 *b = &snap->rotation[e->body[1]][0][0];
    for (int i = 0; i < 9; i++)
        if (!(fabs(a[i] - b[i]) < CT_TOL_UPRIGHT)) return false;
    return true;
}

// True if no small motion of the group turns the body at the initial position.
static bool stays(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_edge *e,
                  int freedoms) {
    bool *held = ct_scratch((size_t)snap->n_coordinates + 1, sizeof *held);
    for (int k = 0; k < e->n; k++) held[e->first + k] = e->is_angle[k];
    return ct_flow_freedoms(snap, group, held) == freedoms;
}

// Marks the edge of the body with most joints among those that keep their orientation; of all of
// them the bodies, and that edge only if coordinates may be chosen. Returns how many.
static int find_translating(ct_snapshot *snap, const ct_loop_group *group, int left) {
    int best = -1, most = 0, count = 0, freedoms = ct_flow_freedoms(snap, group, NULL);
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        if (e->joint < CT_BODY_JOINT(snap->model, 0) || !is_upright(snap, group, e)) continue;
        int joints = joints_of(snap, group, e->body[1]);
        bool all = snap->offer == CT_OFFER_ALL_PLACES;
        if ((joints <= most && !all) || !stays(snap, group, e, freedoms)) continue;
        if (all) snap->upright[e->body[1]] = true;
        count += all;
        if (joints <= most) continue;
        best = group->edges[i];
        most = joints;
    }
    if (best < 0 || (count && !left)) return count;
    snap->translating[best] = snap->edges[best].may_carry = true;
    return count ? count : 1;
}

// The angles of a translating body are known from the start; its place is independent if the group
// has that many freedoms left.
static void place_translating(const ct_flow_search *search, int left, bool *known,
                              ct_flow_node *first) {
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i];
        const ct_flow_edge *e = search->snap->edges + edge;
        if (!search->snap->translating[edge]) continue;
        ct_placement *p = first->placements + first->n++;
        *p = (ct_placement){
            .kind = CT_PLACE_KEPT, .joint = e->joint, .parent = e->body[0], .child = e->body[1]};
        for (int k = 0; k < e->n; k++)
            if (e->is_angle[k]) p->unknown[p->n_unknown++] = e->first + k;
        bool place = e->n - p->n_unknown <= left - first->n_chosen && !first->n_chosen;
        for (int k = 0; k < e->n; k++) {
            if (place && !e->is_angle[k]) first->chosen[first->n_chosen++] = e->first + k;
            known[e->first + k] = place || e->is_angle[k];
        }
    }
}

static void forget(ct_flow_search *search) {
    while (search->n_found) ct_flow_node_clear(&search->found[--search->n_found].node);
}

// Edges that an order spares place no body, or do so again.
static void spare(ct_flow_search *search, const ct_flow_known *o, bool may_carry) {
    for (int i = 0; i < o->n_spared; i++)
        search->snap->edges[search->g->edges[o->spared[i]]].may_carry = may_carry;
}

// Searches along the cached order of the structure. Returns false if it leads to no order here, or
// to one of another cost.
static bool recall(ct_flow_search *search, ct_order_cache *cache, const ct_cached_order *m,
                   const bool *known, int left) {
    ct_flow_known *o = m->of->orders + m->of->taken;
    const ct_loop_group *group = search->g;
    if (o->n < left) return false;
    search->cached_picks = m->picks;
    search->n_cached_picks = o->n;
    search->style = (ct_flow_style)o->style;
    if (o->with_ties) use_ties(search);
    spare(search, o, false);
    run_from(search, search->g->bodies[o->root], known, left, o->n - left, CT_EFFORT_MEMORY);
    search->style = CT_STYLE_NEAR;
    search->cached_picks = NULL;
    if (search->n_found && isnan(o->cost)) ct_flow_remember(cache, search, m->key);
    // another cost: a step is close to its limit here or was there, and others may be better
    if (search->n_found && fabs(search->found[0].node.cost - o->cost) < CT_FLOW_NEAR / 2)
        return true;
    spare(search, o, true);
    forget(search);
    search->g = group;
    search->with_ties = false;
    return false;
}

bool ct_flow_order(ct_snapshot *snap, const ct_loop_group *group, bool *known, int freedoms,
                   bool may_choose, ct_order_cache *cache, ct_flow *flow) {
    // an empty state to start from
    ct_flow_search search = {
        .snap = snap, .g = group, .given = known, .is_hub = find_hubs(snap, group)};
    ct_flow_node first = ct_flow_node_new(&search, NULL);
    int left = may_choose ? freedoms : 0;
    search.start = &first;
    // translating bodies, then rods whose spin is a freedom of its own
    if (ct_offers_places(snap->offer)) flow->n_translating += find_translating(snap, group, left);
    place_translating(&search, left, known, &first);
    if (left) ct_flow_find_rods(&search, known, &first);
    left -= search.n_rods + first.n_chosen;
    search.freedoms = left;
    // the cached order of this structure, else a search
    ct_cached_order memory = ct_flow_recall(cache, snap, group, known, left);
    const ct_flow_structure *x = memory.of;
    bool settled = x && x->settled, from_cache = x && recall(&search, cache, &memory, known, left);
    flow->from_cache = flow->from_cache && from_cache && settled;
    if (!from_cache) find(&search, known, left);
    // a new short list goes to the cache, the cheapest order to the flow
    bool found = search.n_found > 0;
    if (found && !x) ct_flow_remember(cache, &search, memory.key);
    if (found) take(&search, known, flow);
    // memory of the search
    forget(&search);
    ct_flow_node_clear(&first);
    return found;
}
