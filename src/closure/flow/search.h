// The search over independent coordinates and orders of placement in one group of loops.
#ifndef CT_FLOW_SEARCH_H
#define CT_FLOW_SEARCH_H

#include "closure/flow/flow.h"
#include "closure/flow/prices.h"
#include "closure/relations/snapshot.h"

typedef struct ct_flow_option { // a placement that is possible now
    double cost, rank;
    int edge;
    ct_placement p;
} ct_flow_option;

typedef struct ct_flow_node { // a state, with the placements and choices that led to it
    ct_flow_state s;
    int n, n_chosen, n_picked;
    ct_placement *placements;
    int *chosen; // independent coordinates
    int *picked; // these and the iterated ones, in the order of choice
    double cost;
} ct_flow_node;

// A rod with a spherical joint at either end holds two points apart. Its spin is a freedom of its
// own that no other body sees.
typedef struct ct_spinning_rod {
    int body, edge[2];
} ct_spinning_rod;

// How placements are ranked that are possible at the same time: by price and number of coordinates
// between the first body and the parent, or by price alone. HUBS: like NEAR, bodies with three
// joints or more before all others; the legs between them follow.
typedef enum ct_flow_style {
    CT_STYLE_NEAR,
    CT_STYLE_CHEAP,
    CT_STYLE_HUBS,
    CT_FLOW_STYLES
} ct_flow_style;

typedef struct ct_flow_found { // a complete order
    ct_flow_node node;
    ct_flow_style style;
    int root; // body that it starts from
    bool with_ties;
    double wish;
    uint64_t mark; // hash of its placements and independent coordinates, in any sequence
} ct_flow_found;

typedef struct ct_flow_search {
    ct_snapshot *snap;
    const ct_loop_group *g;
    long work, limit; // states looked at
    int root;         // body that it starts from
    bool with_ties;   // the group has ties between bodies that are not neighbours
    int freedoms;     // independent coordinates to choose
    bool wished_only; // what the user starts or drives is independent, and nothing else
    ct_flow_style style;
    int n_found; // the short list, cheapest first
    ct_flow_found found[CT_FLOW_SHORT];
    int n_cached_picks;
    const int *cached_picks; // coordinates that the cached order chooses; NULL: any
    int n_rods;
    ct_spinning_rod *rods;     // placed at the end
    bool *is_rod;              // [bodies]
    const bool *is_hub;        // [bodies] with three joints or more
    const bool *given;         // [coordinates of the model] known at the start
    const ct_flow_node *start; // placements and choices made before the search
    double coupling_bonus;     // for placing bodies by joints that couplings name
} ct_flow_search;

ct_flow_node ct_flow_node_new(const ct_flow_search *search, const ct_flow_node *from);
void ct_flow_node_clear(ct_flow_node *n);
// Enters orders into the short list that choose `left` independent coordinates and iterate at most
// `tears` ones, until the limit of states is reached.
void ct_flow_run(ct_flow_search *search, const ct_flow_node *start, int left, int tears);
// True if the edge belongs to a rod that is placed after the search.
static inline bool ct_flow_is_spinning_rod(const ct_flow_search *search, const ct_flow_edge *e) {
    return search->is_rod && (search->is_rod[e->body[0]] || search->is_rod[e->body[1]]);
}
// True if the edge has to wait until all hubs are placed.
static inline bool ct_flow_waits(const ct_flow_search *search, const ct_flow_state *s,
                                 const ct_flow_edge *e) {
    if (search->style != CT_STYLE_HUBS) return false;
    if (search->is_hub[e->body[0]] && search->is_hub[e->body[1]]) return false;
    for (int i = 0; i < search->g->n_bodies; i++)
        if (search->is_hub[search->g->bodies[i]] && s->cluster[search->g->bodies[i]]) return true;
    return false;
}
// Finds the rods. Rods that other bodies are placed by get their independent angle at once; it is
// known from the start.
void ct_flow_find_rods(ct_flow_search *search, bool *known, ct_flow_node *start);
// Appends relations of cluster x through oriented bodies (turned[body] == 0) to a list of n.
// Returns the new length.
int ct_flow_oriented(ct_flow_search *search, const ct_flow_state *s, const int *turned, int x,
                     int skip, int n, ct_flow_relation *relations);
// The cheapest placement that is possible in a state. Returns false if there is none.
bool ct_flow_cheapest(ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best);

// The cached order of a group. Its key is the structure: joints between bodies, known and preferred
// coordinates, couplings, zero and unit components of points and axes.
typedef struct ct_cached_order {
    uint64_t key;
    ct_flow_structure *of; // NULL: not in the cache
    int *picks;            // coordinates that its order chooses
} ct_cached_order;
ct_cached_order ct_flow_recall(ct_order_cache *cache, const ct_snapshot *snap,
                               const ct_loop_group *group, const bool *known, int left);
// Enters the short list of a search into the cache; of a structure that is there, the cost of the
// order that was taken and the edges that place its bodies.
void ct_flow_remember(ct_order_cache *cache, const ct_flow_search *search, uint64_t key);

// Price of solving a coupling for its last coordinate.
static inline double ct_coupling_price(ct_coupling_kind kind) {
    switch (kind) {
    case CT_COUPLING_GIVEN: return 0;
    case CT_COUPLING_LINEAR: return CT_PRICE_COUPLING_LINEAR;
    case CT_COUPLING_QUADRATIC: return CT_PRICE_COUPLING_QUADRATIC;
    case CT_COUPLING_ANGLE: return CT_PRICE_COUPLING_ANGLE;
    case CT_COUPLING_OPEN: break;
    }
    return CT_FLOW_TEAR;
}
// Marks the last unknown coordinate of every coupling as known. Returns the price.
double ct_flow_spread(const ct_snapshot *snap, bool *known);
double ct_flow_price(const ct_snapshot *snap, int coordinate);
static inline double ct_flow_wish(const ct_snapshot *snap, int coordinate) {
    return ct_flow_wish_of(snap->model, coordinate);
}

// Orders one group: appends placements, open relations and independent coordinates to the flow.
// known: coordinates that are known at the start (named as independent, or driven). Returns false
// if no order was found.
bool ct_flow_order(ct_snapshot *snap, const ct_loop_group *group, bool *known, int freedoms,
                   bool may_choose, ct_order_cache *cache, ct_flow *flow);

#endif
