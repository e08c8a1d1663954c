// The solution flow: which coordinates are independent, in which order the bodies of every group of
// loops are placed, by which joint each body hangs on a placed one, and by which relations it is
// placed. It is found on the graph of bodies, with numbers of the initial position and no symbols.
#ifndef CT_FLOW_H
#define CT_FLOW_H

#include "closure/closure.h"
#include "closure/relations/relation.h"

#include <stdlib.h>

typedef struct ct_flow {
    ct_arena arena;
    const ct_model *model;
    int n_independent, room_independent;
    int *independent; // coordinates of the model, or CT_BODY_COORDINATE
    int n_placements, room_placements;
    ct_placement *placements; // groups of loops one after the other
    int n_groups, room_groups;
    int *group;      // first placement of each group of loops
    int *group_root; // its first body
    int n_open_relations, room_open_relations;
    ct_relation *open_relations; // relations that no placement has used: residuals of iterations
    int *open_group;
    int n_swings; // independent angles beside the trees
    ct_swing *swings;
    int n_free, room_free; // joints outside all loops
    int *free_joint;
    int *preference;        // [joints] 1: in the trees
    bool *body_coordinates; // [bodies] whose own coordinates are in the trees
    int n_body_coordinates;
    int n_poses;       // virtual joints and bodies' own coordinates that the trees hold
    int n_translating; // bodies taken to keep their orientation: the probe tests it
    bool torn;         // a coordinate is iterated
    bool with_ties;    // a group needs ties between bodies that are not neighbours
    double wish;       // weight of the independent coordinates that the user starts or drives
    double given_up;   // weight of those that are not independent
    double seconds;    // that the search took
    bool from_cache;   // all orders came from the cache
    uint64_t mark;     // hash of all orders: the same for the same placements
    bool complete;     // false: some group could not be ordered
    char *why;
} ct_flow;

static inline int ct_flow_group_end(const ct_flow *flow, int group) { // behind its last placement
    return group + 1 < flow->n_groups ? flow->group[group + 1] : flow->n_placements;
}

// Orders by structure, of one choice of a closure. A search finds a short list for each structure,
// from which the caller may choose by building and counting. What was chosen is kept on disk, for
// the same choice again: a flow is built along it and checked like any other.
typedef struct ct_flow_known { // an order, in numbers that hold for every mechanism of a structure
    int root;                  // place of its first body in the group
    int style;                 // of ranking placements
    bool with_ties;            // between bodies that are not neighbours
    double cost, wish;         // as estimated; as in ct_flow
    int n;
    int (*pick)[2]; // chosen coordinates: edge of the group, coordinate of the edge
    int n_spared;
    int *spared; // edges of the group that place no body, though they could
    int n_placing;
    int *placing; // edges that place bodies, those of chosen coordinates aside
} ct_flow_known;

typedef struct ct_flow_structure {
    uint64_t key;
    bool settled; // read from disk
    int n, taken;
    ct_flow_known *orders; // cheapest first; behind them those with other trees
} ct_flow_structure;

typedef struct ct_order_cache {
    ct_region region;
    int n, room;
    ct_flow_structure *of;
    const char *kept; // the independent coordinate, by the user's wish; NULL: not asked for
    ct_known_ranks ranks;
} ct_order_cache;

// Adds the order that was taken with one more edge spared, and takes it. Its cost is NAN until a
// group is ordered along it.
void ct_order_cache_spare(ct_order_cache *cache, int structure, int edge);
// A choice as text: the orders that were taken, and the offer of the flow that was chosen.
char *ct_order_cache_text(const ct_order_cache *cache, ct_flow_offer offer);
// Reads it into an empty cache. Returns false if the text is none.
bool ct_order_cache_read(ct_order_cache *cache, const char *text, ct_flow_offer *offer);

// Empty; in the region that is open then.
static inline void ct_order_cache_start(ct_order_cache *cache) {
    *cache = (ct_order_cache){0};
    ct_region_open(&cache->region);
    ct_region_close(&cache->region);
}

static inline void ct_order_cache_clear(ct_order_cache *cache) {
    ct_region_free(&cache->region);
    *cache = (ct_order_cache){0};
}

// Finds a flow. f, q0: any formulation of the model with its assembled position. names: the
// independent coordinates that the caller asks for; without any those of the model's
// `independent:`, and without that the search chooses.
ct_status ct_flow_find(ct_context *ctx, const ct_formulation *f, const double *q0, int n_names,
                       const char *const *names, ct_flow_offer offer, ct_order_cache *cache,
                       ct_flow **flow);
void ct_flow_free(ct_flow *flow);
// The part of a coordinate's price that is the user's: `initial` starts it, an actuator drives it.
double ct_flow_wish_of(const ct_model *model, int coordinate);
// Selects trees that hold the joints of the flow, and its swings beside them.
static inline ct_status ct_flow_trees(ct_context *ctx, const ct_flow *flow, ct_graph *g) {
    ct_graph_swings(g, flow->n_swings, flow->swings);
    return ct_tree_rule_own(ctx, g, flow->preference, flow->body_coordinates);
}

#endif
