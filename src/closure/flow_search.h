// The search over independent coordinates and orders of placement in one group of loops.
#ifndef CT_FLOW_SEARCH_H
#define CT_FLOW_SEARCH_H

#include "closure/flow_inside.h"

enum {
    CT_FLOW_DEEP = 12,  // what a coordinate between a body and the first one costs in the dynamics
    CT_FLOW_TEAR = 1000 // what an iterated coordinate costs
};

typedef struct ct_flow_option { // a placement that is possible now
    double cost, rank;
    int edge;
    ct_placement p;
} ct_flow_option;

typedef struct ct_flow_search {
    ct_flow_world *w;
    const ct_flow_group *g;
    long work, limit; // states looked at
    double best;      // cost of the best order so far
    int n_best;       // placements of it
    ct_placement *placements;
    int n_independent, *independent; // coordinates chosen
    bool *used;
    int n_picked, *picked; // everything that was chosen, in order
    int n_memory, *memory; // an order that was found before: what to choose
} ct_flow_search;

int ct_flow_unknown(const ct_flow_state *s, const ct_flow_edge *e, int *which);
// The cheapest placement that is possible now.
bool ct_flow_cheapest(ct_flow_search *q, const ct_flow_state *s, ct_flow_option *best);

// Orders that were found before, by structure: how the bodies hang together, what is known, which
// coordinates are preferred, which components of points and axes are zero or one.
uint64_t ct_flow_key(const ct_flow_world *w, const ct_flow_group *g, const bool *known, int left);
int *ct_flow_recall(const ct_flow_world *w, const ct_flow_group *g, uint64_t key, int *n);
void ct_flow_remember(const ct_flow_world *w, const ct_flow_group *g, uint64_t key, int n,
                      const int *coordinates);
double ct_flow_price(const ct_flow_world *w, int coordinate);

#endif
