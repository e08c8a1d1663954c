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

typedef struct ct_flow_node { // a state with the way to it
    ct_flow_state s;
    int n, n_chosen, n_picked;
    ct_placement *placements;
    int *chosen; // independent coordinates
    int *picked; // these and the iterated ones, in the order of choice
    double cost;
} ct_flow_node;

// A rod with a spherical joint at either end: all that it does to the others is to hold two points
// apart. Its spin is a freedom of its own.
typedef struct ct_spinning_rod {
    int body, edge[2];
} ct_spinning_rod;

// How placements that are possible at the same time are ranked: by cost and by what lies between
// the first body and them, or by cost alone.
typedef enum ct_flow_style { CT_STYLE_NEAR, CT_STYLE_CHEAP, CT_FLOW_STYLES } ct_flow_style;

typedef struct ct_flow_found { // a complete order
    ct_flow_node node;
    ct_flow_style style;
    int root; // body that it starts from
    double wish;
    uint64_t mark; // of its placements and independent coordinates, whatever their sequence
} ct_flow_found;

typedef struct ct_flow_search {
    ct_snapshot *snap;
    const ct_loop_group *g;
    long work, limit; // states looked at
    int root;         // body that it starts from
    ct_flow_style style;
    int n_found; // the short list, cheapest first
    ct_flow_found found[CT_FLOW_SHORT];
    int n_cached_picks;
    const int *cached_picks; // an order that was found before: what to choose
    int n_rods;
    ct_spinning_rod *rods;     // placed at the end
    bool *is_rod;              // [bodies]
    const bool *given;         // [coordinates of the model] known at the start
    const ct_flow_node *start; // what is chosen before the search
    double coupling_bonus;     // for placing bodies by joints that couplings name
} ct_flow_search;

ct_flow_node ct_flow_node_new(const ct_flow_search *search, const ct_flow_node *from);
void ct_flow_node_clear(ct_flow_node *n);
// Every order with `left` independent coordinates still to choose and at most so many iterated
// ones, as far as the limit goes.
void ct_flow_run(ct_flow_search *search, const ct_flow_node *start, int left, int tears);
// Rods to be left until the end.
static inline bool ct_flow_is_spinning_rod(const ct_flow_search *search, const ct_flow_edge *e) {
    return search->is_rod && (search->is_rod[e->body[0]] || search->is_rod[e->body[1]]);
}
// Those that are needed before get their independent angle at once: it is known from the start.
void ct_flow_find_rods(ct_flow_search *search, bool *known, ct_flow_node *start);
// Relations of cluster x through oriented bodies (turned[body] == 0), after the n that are there:
// returns how many there are then.
int ct_flow_oriented(ct_flow_search *search, const ct_flow_state *s, const int *turned, int x,
                     int skip, int n, ct_flow_relation *relations);
// The cheapest placement that is possible now.
bool ct_flow_cheapest(ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best);

// Orders by structure: how the bodies hang together, what is known, which coordinates are
// preferred, what couplings tie, which components of points and axes are zero or one.
typedef struct ct_cached_order {
    uint64_t key;
    const ct_flow_structure *of; // NULL: nothing is known about it
    int *picks;                  // what the order taken chooses, in the coordinates of this group
} ct_cached_order;
ct_cached_order ct_flow_recall(ct_order_cache *cache, const ct_snapshot *snap,
                               const ct_loop_group *g, const bool *known, int left);
// The short list of a search.
void ct_flow_remember(ct_order_cache *cache, const ct_flow_search *search, uint64_t key);

// To solve a coupling for its last coordinate.
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
// Marks what couplings give: the last unknown coordinate of each. Returns what that costs.
double ct_flow_spread(const ct_snapshot *snap, bool *known);
double ct_flow_price(const ct_snapshot *snap, int coordinate);
// The part of it that is the user's: what `initial` starts or an actuator drives.
static inline double ct_flow_wish(const ct_snapshot *snap, int coordinate) {
    const ct_model *m = snap->model;
    double wish = 0;
    for (int i = 0; i < m->n_initial; i++)
        if (m->initial[i].coordinate == coordinate) wish += CT_WISH_INITIAL;
    for (int i = 0; i < m->n_forces; i++)
        if (ct_force_drives(m->forces[i].type) && m->forces[i].coordinate == coordinate)
            wish += CT_WISH_ACTUATOR;
    return wish;
}

// Orders one group: appends placements, spare relations and independents to the flow. known:
// coordinates that are known at the start (independent by wish, driven). False: no order.
bool ct_flow_order(ct_snapshot *snap, const ct_loop_group *g, bool *known, int freedoms,
                   bool may_choose, ct_order_cache *cache, ct_flow *flow);

#endif
