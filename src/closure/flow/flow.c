// From a mechanism to its flow. Coordinates that motions drive or the caller names are known, a
// joint outside all loops is free, and every group of loops is ordered by itself. Groups come
// before the group they hang on; where couplings tie groups, next_group chooses the sequence.
#include "closure/flow/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct planner {
    ct_context *ctx;
    ct_snapshot snap;
    ct_flow *flow;
    bool *known;
    bool given; // the independent coordinates are the caller's
    ct_order_cache *library;
} planner;

static void spread(planner *p) {
    ct_flow_spread(&p->snap, p->known);
}

static bool in_group(const planner *p, const ct_loop_group *group, int coordinate) {
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = p->snap.edges + group->edges[i];
        if (coordinate >= e->first && coordinate < e->first + e->n) return true;
    }
    return false;
}

// True if the group holds the points that the coupling names.
static bool ties(const planner *p, const ct_loop_group *group, const ct_flow_coupling *coupling) {
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = p->snap.edges + group->edges[i];
        if (ct_joint_is_equation(e->type) && e->joint == coupling->joint) return true;
    }
    return false;
}

// Number of freedoms that couplings take from a group: one for each coupling with an unknown
// coordinate (or a point) in the group and none in another one. Motions and other groups solve the
// rest.
static int couplings_of(const planner *p, const ct_loop_group *group) {
    int n = 0;
    for (int i = 0; i < p->snap.n_couplings; i++) {
        const ct_flow_coupling *coupling = p->snap.couplings + i;
        int open = 0, elsewhere = 0;
        for (int k = 0; k < coupling->n; k++) {
            if (p->known[coupling->coordinate[k]]) continue;
            open++;
            elsewhere += !in_group(p, group, coupling->coordinate[k]);
        }
        if (coupling->of_points)
            n += elsewhere == 0 && ties(p, group, coupling);
        else
            n += open > 0 && elsewhere == 0;
    }
    return n;
}

static void make_independent(planner *p, int coordinate) {
    ct_flow *flow = p->flow;
    p->known[coordinate] = true;
    *CT_PUSH_ARENA(&flow->arena, flow->independent, flow->n_independent, flow->room_independent) =
        coordinate;
    spread(p);
}

static bool refuse(planner *p, const char *why) {
    p->flow->why = ct_arena_strdup(&p->flow->arena, why);
    p->flow->complete = false;
    return false;
}

// Returns false if the model asks for trees that no flow can follow.
static bool supported(planner *p) {
    const ct_model *m = p->snap.model;
    bool bodies = false;
    for (int i = 0; i < m->n_rotation; i++) bodies = bodies || m->rotation[i].is_body;
    for (int i = 0; i < m->n_translation; i++) bodies = bodies || m->translation[i].is_body;
    if (bodies) return refuse(p, "the trees hold bodies' own coordinates");
    return true;
}

// A coordinate of a joint, or a swing, by its name; -1: there is none.
static int coordinate_of(const planner *p, const char *name) {
    int c = ct_model_coordinate(p->snap.model, name);
    for (int i = 0; i < p->snap.n_swings && c < 0; i++)
        if (!strcmp(p->snap.swings[i]->swing.name, name)) c = p->snap.swings[i]->swing.number;
    return c;
}

// The swings among the independent coordinates.
static void note_swings(planner *p) {
    ct_flow *flow = p->flow;
    flow->swings = ct_arena_alloc(&flow->arena, (size_t)p->snap.n_swings + 1, sizeof *flow->swings);
    for (int i = 0; i < flow->n_independent; i++) {
        int at = flow->independent[i] - CT_SWING_COORDINATE(p->snap.model, 0);
        if (at < 0) continue;
        ct_swing *swing = flow->swings + flow->n_swings++;
        *swing = p->snap.swings[at]->swing;
        swing->name = ct_arena_strdup(&flow->arena, swing->name);
    }
}

// Makes the named coordinates independent. A name that is no coordinate of a joint leaves the flow
// incomplete; one that is known already is an error of the model.
static ct_status asked_for(planner *p, int n, const char *const *names) {
    for (int i = 0; i < n; i++) {
        int c = coordinate_of(p, names[i]);
        if (c < 0) {
            const char *why = ct_model_may_swing(p->snap.model, names[i])
                                  ? "no body is placed by its links with the angle '%s'"
                                  : "'%s' is not a coordinate of a joint";
            refuse(p, ct_scratch_format(why, names[i]));
            continue;
        }
        if (p->known[c])
            return ct_fail(p->ctx, CT_WRONG_MODEL,
                           "'%s' cannot be independent: a motion, a gear or the list itself gives "
                           "it already",
                           names[i]);
        make_independent(p, c);
    }
    return CT_OK;
}

// Number of known coordinates of a group.
static int known_of(const planner *p, const ct_loop_group *group) {
    int known = 0;
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = p->snap.edges + group->edges[i];
        for (int k = 0; k < e->n; k++) known += p->known[e->first + k];
    }
    return known;
}

// A joint that closes no loop: its coordinates are independent, unless a coupling gives them.
static void free_joint(planner *p, const ct_flow_edge *e) {
    ct_flow *flow = p->flow;
    *CT_PUSH_ARENA(&flow->arena, flow->free_joint, flow->n_free, flow->room_free) = e->joint;
    flow->preference[e->joint] = 1;
    for (int k = 0; k < e->n; k++) {
        if (p->known[e->first + k]) continue;
        if (p->given) {
            refuse(p, ct_scratch_format("the independent coordinates leave '%s' open",
                                        p->snap.model->coordinates[e->first + k].name));
            return;
        }
        make_independent(p, e->first + k);
    }
}

// The cheapest set of independent coordinates among those of free joints that couplings name.
typedef struct coupled_choice {
    const planner *p;
    int n, *coordinate;
    bool *chosen, *best_chosen;
    double best;
    long work;
} coupled_choice;

// Depth-first search: makes one unknown coordinate after the other independent, and keeps the
// cheapest set that leaves none unknown.
static void choose_coupled(coupled_choice *x, const bool *known, double cost) {
    size_t n = (size_t)x->p->snap.n_coordinates + 1;
    int first = 0;
    // no cheaper set can follow, or the effort is spent
    if (cost >= x->best || ++x->work > CT_EFFORT_COUPLED) return;
    // all coordinates known: the best set so far
    while (first < x->n && known[x->coordinate[first]]) first++;
    if (first == x->n) {
        x->best = cost;
        memcpy(x->best_chosen, x->chosen, n * sizeof(bool));
        return;
    }
    // every unknown coordinate as the next independent one, with the coordinates that couplings
    // give
    for (int i = first; i < x->n; i++) {
        int c = x->coordinate[i];
        if (known[c]) continue;
        bool *next = ct_alloc(n, sizeof *next);
        memcpy(next, known, n * sizeof *next);
        next[c] = x->chosen[c] = true;
        choose_coupled(x, next,
                       cost + CT_PRICE_FREE + ct_flow_price(&x->p->snap, c) +
                           ct_flow_spread(&x->p->snap, next));
        x->chosen[c] = false;
        ct_free(next);
    }
}

static bool is_free(const ct_loop_group *group, const ct_flow_edge *e) {
    return group->n_bodies == 2 && group->n_edges == 1 && !e->is_virtual && e->may_carry;
}

// True if every unknown coordinate of the coupling belongs to a free joint.
static bool is_between_free(const planner *p, const ct_flow_coupling *coupling,
                            const bool *is_free_one) {
    for (int k = 0; k < coupling->n; k++)
        if (!p->known[coupling->coordinate[k]] && !is_free_one[coupling->coordinate[k]])
            return false;
    return true;
}

// Coordinates that are known once all loops are closed.
static bool *known_from_loops(const planner *p, const bool *is_free_one) {
    size_t room = (size_t)p->snap.n_coordinates + 1;
    bool *known = ct_alloc(room, sizeof *known);
    for (int k = 0; k < p->snap.n_coordinates; k++) known[k] = p->known[k] || !is_free_one[k];
    ct_flow_spread(&p->snap, known);
    return known;
}

// Chooses independent coordinates among those of free joints that couplings tie to each other.
// Coordinates that follow from loops are left out.
static void couple_free_joints(planner *p, int n, const ct_loop_group *group) {
    size_t room = (size_t)p->snap.n_coordinates + 1;
    coupled_choice x = {.p = p,
                        .coordinate = ct_alloc(room, sizeof(int)),
                        .chosen = ct_alloc(room, sizeof(bool)),
                        .best_chosen = ct_alloc(room, sizeof(bool)),
                        .best = INFINITY};
    // coordinates of free joints
    bool *is_free_one = ct_scratch(room, sizeof(bool)), *listed = ct_scratch(room, sizeof(bool));
    for (int g = 0; g < n; g++) {
        const ct_flow_edge *e = p->snap.edges + group[g].edges[0];
        for (int k = 0; k < e->n && is_free(group + g, e); k++) is_free_one[e->first + k] = true;
    }
    // coordinates that couplings tie, without the coordinates that follow from loops
    bool *follows = known_from_loops(p, is_free_one);
    for (int i = 0; i < p->snap.n_couplings; i++) {
        const ct_flow_coupling *coupling = p->snap.couplings + i;
        for (int k = 0; k < coupling->n && is_between_free(p, coupling, is_free_one); k++) {
            int c = coupling->coordinate[k];
            if (!listed[c] && !follows[c]) x.coordinate[x.n++] = c;
            listed[c] = true;
        }
    }
    ct_free(follows);
    // the cheapest set of them becomes independent
    choose_coupled(&x, p->known, 0);
    for (int i = 0; i < x.n; i++)
        if (x.best_chosen[x.coordinate[i]] && !p->known[x.coordinate[i]])
            make_independent(p, x.coordinate[i]);
    ct_free(x.coordinate);
    ct_free(x.chosen);
    ct_free(x.best_chosen);
}

static int freedoms_of(planner *p, const ct_loop_group *group) {
    return ct_flow_freedoms(&p->snap, group, NULL) - couplings_of(p, group);
}

// Orders the loops of a group and marks their coordinates as known. Returns false, with the reason
// in the flow, if the independent coordinates do not fit or no order exists.
static bool order_group(planner *p, const ct_loop_group *group) {
    const ct_model *m = p->snap.model;
    // as many coordinates must be given as the group has freedoms, or fewer if some may be chosen
    int known = known_of(p, group), freedoms = freedoms_of(p, group),
        joint = p->snap.edges[group->edges[0]].joint;
    const char *where = joint >= 0 ? m->joints[joint].name : m->motions[-1 - joint].name;
    if (freedoms < known)
        return refuse(p,
                      ct_scratch_format("more coordinates are given in the loops through '%s' than "
                                        "they have freedoms",
                                        where));
    if (p->given && freedoms != known)
        return refuse(
            p, ct_scratch_format("the independent coordinates leave %d freedom%s of the loops "
                                 "through '%s' open",
                                 freedoms - known, freedoms - known == 1 ? "" : "s", where));
    // search for an order; at a limit position the given coordinates leave a freedom open
    if (!ct_flow_order(&p->snap, group, p->known, freedoms - known, !p->given, p->library, p->flow))
        return p->given && !couplings_of(p, group) &&
                       ct_flow_freedoms(&p->snap, group, p->known) > 0
                   ? refuse(p, ct_scratch_format(
                                   "the initial position is a limit position for them, in "
                                   "which they leave the loops through '%s' open",
                                   where))
                   : refuse(p, ct_scratch_format("no order was found for the loops through '%s'",
                                                 where));
    // every coordinate of a joint in the tree is known from here on
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = p->snap.edges + group->edges[i];
        for (int k = 0; k < e->n && p->flow->preference[e->joint]; k++)
            p->known[e->first + k] = true;
    }
    spread(p);
    return true;
}

// True if every body belongs to a group.
static bool reached(const planner *p, int n, const ct_loop_group *group) {
    bool *seen = ct_scratch((size_t)p->snap.n_bodies, sizeof *seen), all = true;
    seen[0] = true;
    for (int g = 0; g < n; g++)
        for (int i = 0; i < group[g].n_bodies; i++) seen[group[g].bodies[i]] = true;
    for (int b = 0; b < p->snap.n_bodies; b++) all = all && seen[p->snap.home[b]];
    return all;
}

// True if as many coordinates of the group are known as it has freedoms.
static bool is_settled(planner *p, const ct_loop_group *group) {
    return freedoms_of(p, group) == known_of(p, group);
}

// The price of the cheapest independent coordinate of a group. A coupled free joint pays extra: it
// should follow from loops rather than drive them.
static double price_of(const planner *p, const ct_loop_group *group) {
    double best = INFINITY;
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = p->snap.edges + group->edges[i];
        for (int k = 0; k < e->n; k++) {
            if (p->known[e->first + k]) continue;
            double price = ct_flow_price(&p->snap, e->first + k);
            if (is_free(group, e) && ct_flow_is_coupled(&p->snap, e->first + k))
                price += CT_PRICE_FREE_JOINT;
            best = fmin(best, price);
        }
    }
    return best;
}

// True if bodies of the group may be placed against ground, while its first body moves: that body has
// to be placed before.
static bool waits(const planner *p, const ct_loop_group *group) {
    bool own = false;
    for (int i = 0; i < group->n_edges; i++)
        own = own || p->snap.edges[group->edges[i]].joint >= CT_BODY_JOINT(p->snap.model, 0);
    return own && group->bodies[0];
}

// The next group to order. Groups that wait come last, those next to ground first. With couplings, groups without an open choice come first, since
// couplings carry their coordinates to other groups; then the group with the cheapest choice.
static int next_group(planner *p, int n, const ct_loop_group *group, const bool *done) {
    int first = -1;
    double best = INFINITY;
    for (int g = 0; g < n; g++) {
        if (done[g] || waits(p, group + g)) continue;
        if (!p->snap.n_couplings || is_settled(p, group + g)) return g;
        double price = price_of(p, group + g);
        if (first >= 0 && price >= best) continue;
        first = g;
        best = price;
    }
    for (int g = n - 1; g >= 0 && first < 0; g--)
        if (!done[g]) first = g;
    return first;
}

// Free joints and groups of loops, one after the other, until one cannot be ordered.
static void order_all(planner *p) {
    const ct_loop_group *groups = p->snap.groups;
    int n = p->snap.n_groups;
    bool *done = ct_scratch((size_t)n + 1, sizeof *done);
    for (int i = 0; i < p->snap.n_welds; i++) p->flow->preference[p->snap.welds[i]] = 1;
    if (!reached(p, n, groups)) refuse(p, "a body hangs on no joint");
    if (p->snap.n_couplings && !p->given) couple_free_joints(p, n, groups);
    for (int i = 0; i < n && p->flow->complete; i++) {
        int g = next_group(p, n, groups, done);
        const ct_flow_edge *e = p->snap.edges + groups[g].edges[0];
        done[g] = true;
        if (is_free(groups + g, e))
            free_joint(p, e);
        else
            order_group(p, groups + g);
    }
}

ct_status ct_flow_find(ct_context *ctx, const ct_formulation *f, const double *q0, int n_names,
                       const char *const *names, ct_flow_offer offer, ct_order_cache *cache,
                       ct_flow **result) {
    // an empty flow
    const ct_model *m = f->model;
    planner p = {.ctx = ctx, .library = cache};
    ct_stage stage = ct_stage_begin();
    double start = ct_seconds();
    p.flow = ct_alloc(1, sizeof *p.flow);
    *p.flow = (ct_flow){.model = m, .complete = true, .from_cache = true};
    p.flow->preference =
        ct_arena_alloc(&p.flow->arena, (size_t)(m->n_joints + m->n_bodies) + 1, sizeof(int));
    p.flow->body_coordinates =
        ct_arena_alloc(&p.flow->arena, (size_t)m->n_bodies + 1, sizeof(bool));
    // snapshot of the mechanism at its initial position
    ct_snapshot_init(&p.snap, f, q0, offer);
    p.snap.ranks = cache ? &cache->ranks : NULL;
    // known from the start: coordinates that motions drive, then those that couplings give
    p.known = ct_scratch((size_t)p.snap.n_coordinates + 1, sizeof *p.known);
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate >= 0) p.known[m->motions[i].coordinate] = true;
    bool possible = supported(&p);
    spread(&p);
    // independent by request: the caller's names, else the model's
    const char **own = ct_scratch((size_t)m->n_independent + 1, sizeof *own);
    for (int i = 0; i < m->n_independent; i++) own[i] = m->independent[i].name;
    if (!n_names && m->n_independent) {
        n_names = m->n_independent;
        names = own;
    }
    p.given = n_names > 0;
    ct_status status = asked_for(&p, n_names, names);
    // joints outside all loops are free; each group of loops is ordered by itself
    if (!status && possible && p.flow->complete) order_all(&p);
    // bodies whose own coordinates the trees must hold, and whether anything is iterated
    for (int b = 1; b < m->n_bodies; b++) {
        p.flow->body_coordinates[b] = p.flow->preference[CT_BODY_JOINT(m, b)];
        p.flow->n_body_coordinates += p.flow->body_coordinates[b];
    }
    for (int i = 0; i < p.flow->n_placements; i++)
        p.flow->torn = p.flow->torn || p.flow->placements[i].kind == CT_PLACE_ITERATE;
    note_swings(&p);
    // the result; an error of the model leaves none
    ct_snapshot_clear(&p.snap);
    ct_stage_end(stage);
    if (status) {
        ct_flow_free(p.flow);
        p.flow = NULL;
    }
    if (p.flow) {
        p.flow->seconds = ct_seconds() - start;
        p.flow->from_cache = p.flow->from_cache && p.flow->n_groups > 0;
    }
    *result = p.flow;
    return status;
}

void ct_flow_free(ct_flow *flow) {
    if (!flow) return;
    ct_arena_free(&flow->arena);
    ct_free(flow);
}
