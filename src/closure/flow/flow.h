// The solution flow: which coordinates are independent, in which order the bodies of every group of
// loops are placed, by which joint each hangs on what was placed before, and which equations place
// it. Found on the graph of bodies with numbers from the initial position; no symbols yet.
#ifndef CT_FLOW_H
#define CT_FLOW_H

#include "closure/closure.h"
#include "closure/relations/relation.h"

#include <stdlib.h>

typedef struct ct_flow {
    const ct_model *model;
    int n_independent, room_independent;
    int *independent; // coordinates of the model, or CT_BODY_COORDINATE
    int n_placements, room_placements;
    ct_placement *placements; // groups of loops one after the other
    int n_groups, room_groups;
    int *group;      // first placement of each group of loops
    int *group_root; // its first body
    int n_open_relations, room_open_relations;
    ct_relation *open_relations; // relations that no placement may have used; iterations close them
    int *open_group;
    int n_free, room_free; // joints outside all loops
    int *free_joint;
    int *preference;        // [joints] those of the trees
    bool *body_coordinates; // [bodies] whose own coordinates are in the trees
    int n_body_coordinates;
    int n_translating; // orientations that are taken to stay: to be put to the test
    bool torn;         // something is iterated
    double wish;       // how much of what is independent the user asks for
    double seconds;    // to find it
    bool from_cache;   // all orders were known from before
    bool poses;        // as far as is known, poses of bodies are better
    bool complete;     // false: some group could not be ordered
    char *why;
} ct_flow;

static inline int ct_flow_group_end(const ct_flow *flow, int group) { // behind its last placement
    return group + 1 < flow->n_groups ? flow->group[group + 1] : flow->n_placements;
}

// The library: orders by structure. What was taken for a structure is kept on disk; what a search
// finds is a short list, from which the caller may choose by building and counting. An order is
// only ever a suggestion: a flow is built along it and checked like any other.
typedef struct ct_flow_known { // in numbers that no name enters
    int root;                  // place of its first body in the group
    int style;                 // of ranking placements
    double cost, wish;         // as estimated; how much of it the user asks for
    int n;
    int (*pick)[2]; // what is chosen: edge of the group, coordinate of the edge
} ct_flow_known;

typedef struct ct_flow_structure {
    uint64_t key;
    bool settled; // read from disk, or chosen
    bool poses;   // poses of bodies were found to be better than any of its orders
    int n, taken;
    ct_flow_known *orders; // cheapest first
} ct_flow_structure;

typedef struct ct_order_cache {
    int n, room;
    ct_flow_structure *of;
} ct_order_cache;

// The orders that are taken for structures that are not settled go to disk.
void ct_order_cache_settle(ct_order_cache *cache);

static inline void ct_flow_structure_clear(ct_flow_structure *x) {
    for (int k = 0; k < x->n; k++) ct_free(x->orders[k].pick);
    ct_free(x->orders);
}

static inline void ct_order_cache_clear(ct_order_cache *cache) {
    for (int i = 0; i < cache->n; i++) ct_flow_structure_clear(cache->of + i);
    ct_free(cache->of);
    *cache = (ct_order_cache){0};
}

// f, q0: any formulation of the model with its assembled position. names: the independent
// coordinates that the caller asks for, or NULL (the model's `independent:`, else searched for).
ct_status ct_flow_find(ct_context *ctx, const ct_formulation *f, const double *q0, int n_names,
                       const char *const *names, ct_flow_offer offer, ct_order_cache *cache,
                       ct_flow **flow);
void ct_flow_free(ct_flow *flow);
// Trees that follow the flow.
ct_status ct_flow_trees(ct_context *ctx, const ct_flow *flow, ct_graph *graph);

#endif
