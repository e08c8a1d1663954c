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
typedef struct ct_flow_idle {
    int body, edge[2];
} ct_flow_idle;

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
    ct_flow_world *w;
    const ct_flow_group *g;
    long work, limit; // states looked at
    int root;         // body that it starts from
    ct_flow_style style;
    int n_found; // the short list, cheapest first
    ct_flow_found found[CT_FLOW_SHORT];
    int n_memory;
    const int *memory; // an order that was found before: what to choose
    int n_idle;
    ct_flow_idle *idle;        // placed at the end
    bool *is_idle;             // [bodies]
    const bool *given;         // [coordinates of the model] known at the start
    const ct_flow_node *start; // what is chosen before the search
    double law_bonus;          // for placing bodies by joints that laws name
} ct_flow_search;

ct_flow_node ct_flow_node_new(const ct_flow_search *q, const ct_flow_node *from);
void ct_flow_node_clear(ct_flow_node *n);
// Every order with `left` independent coordinates still to choose and at most so many iterated
// ones, as far as the limit goes.
void ct_flow_run(ct_flow_search *q, const ct_flow_node *start, int left, int tears);
// Rods to be left until the end.
static inline bool ct_flow_is_idle(const ct_flow_search *q, const ct_flow_edge *e) {
    return q->is_idle && (q->is_idle[e->body[0]] || q->is_idle[e->body[1]]);
}
// Those that are needed before get their independent angle at once: it is known from the start.
void ct_flow_idle_find(ct_flow_search *q, bool *known, ct_flow_node *start);
// Relations of cluster x through oriented bodies (turned[body] == 0), after the n that are there:
// returns how many there are then.
int ct_flow_oriented(ct_flow_search *q, const ct_flow_state *s, const int *turned, int x, int skip,
                     int n, ct_flow_relation *relations);
// The cheapest placement that is possible now.
bool ct_flow_cheapest(ct_flow_search *q, const ct_flow_state *s, ct_flow_option *best);

// Orders by structure: how the bodies hang together, what is known, which coordinates are
// preferred, what couplings tie, which components of points and axes are zero or one.
typedef struct ct_flow_memory {
    uint64_t key;
    const ct_flow_structure *of; // NULL: nothing is known about it
    int *picks;                  // what the order taken chooses, in the coordinates of this group
} ct_flow_memory;
ct_flow_memory ct_flow_recall(ct_flow_library *l, const ct_flow_world *w, const ct_flow_group *g,
                              const bool *known, int left);
// The short list of a search.
void ct_flow_remember(ct_flow_library *l, const ct_flow_search *q, uint64_t key);

// To solve a coupling for its last coordinate.
static inline double ct_coupling_price(ct_law_kind kind) {
    switch (kind) {
    case CT_LAW_GIVEN: return 0;
    case CT_LAW_LINEAR: return CT_PRICE_COUPLING_LINEAR;
    case CT_LAW_QUADRATIC: return CT_PRICE_COUPLING_QUADRATIC;
    case CT_LAW_TURN: return CT_PRICE_COUPLING_ANGLE;
    case CT_LAW_OPEN: break;
    }
    return CT_FLOW_TEAR;
}
// Marks what couplings give: the last unknown coordinate of each. Returns what that costs.
double ct_flow_spread(const ct_flow_world *w, bool *known);
double ct_flow_price(const ct_flow_world *w, int coordinate);
// The part of it that is the user's: what `initial` starts or an actuator drives.
static inline double ct_flow_wish(const ct_flow_world *w, int coordinate) {
    const ct_model *m = w->model;
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
bool ct_flow_order(ct_flow_world *w, const ct_flow_group *g, bool *known, int freedoms,
                   bool may_choose, ct_flow_library *library, ct_flow *flow);

#endif
