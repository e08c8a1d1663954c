// What the rules that select trees ask about edges: variables, as branches, and roles. Both rules are
// those of Leger (2006): by counting variables (vbts.c), and by counting how often the inertia of
// bodies stands in the equations (fbts.c).
#ifndef CT_SELECTION_H
#define CT_SELECTION_H

#include "graph/graph.h"

typedef enum ct_edge_role {
    CT_CARRIES_ARM,    // always a branch
    CT_CARRIES_KNOWN,  // a joint that motions prescribe, all of it
    CT_CARRIES_JOINT,  // virtual ones too
    CT_CARRIES_BODY,   // from ground
    CT_CARRIES_NOTHING // never a branch: forces, constraints, motions of points
} ct_edge_role;

ct_edge_role ct_edge_role_of(const ct_graph *g, int edge);
static inline bool ct_edge_may_be_branch(ct_edge_role role) {
    return role != CT_CARRIES_NOTHING;
}
// Coordinates of an edge as a branch of the tree: a body has three in each, also in the plane.
int ct_edge_variables(const ct_graph *g, int edge, ct_domain domain);
// Freedoms of the mechanism by Gruebler's formula in space, not below zero.
int ct_graph_gruebler(const ct_graph *g);

// Growing a tree from ground, one node at a time.
typedef struct ct_growth {
    const ct_graph *g;
    bool *has, *reached; // [n_edges], [n_nodes]
    int *parent_edge;    // [n_nodes]
    int *order;          // [n_nodes - 1] edges as they were added
    int n;
} ct_growth;
ct_growth ct_growth_new(const ct_graph *g);
bool ct_growth_may_add(const ct_growth *growth, int edge); // one end in the tree, one outside
void ct_growth_add(ct_growth *growth, int edge);
// Branches from the end of an edge that is in the tree (from either, of a branch) to ground, without
// the edge itself. Returns how many.
int ct_growth_path(const ct_growth *growth, int edge, int *path);
// The tree in its graph.
ct_status ct_growth_set(ct_context *ctx, ct_graph *g, ct_domain domain, const ct_growth *growth);

// variables ---------------------------------------------------------------------------------------
// Weight of an edge; the first entry that differs decides.
typedef struct ct_vbts_weight {
    int absolute;  // 0 for what is known across, 1 for the rest
    int variables; // as a branch
    int distance;  // variables between the nearer end and ground, at least
    int joints;    // joints, likewise
    int differs;   // 0: it is a branch of the other tree already
} ct_vbts_weight;
// Weights of all edges for one tree; other: branches of the tree that is there already, or NULL.
void ct_vbts_weights(const ct_graph *g, ct_domain domain, const bool *other, ct_vbts_weight *out);

// equations ---------------------------------------------------------------------------------------
typedef struct ct_fbts_edge {
    int variables; // equations that the edge has as a branch
    int equations; // in which its cutset is used
    int cutset;    // 10 for each body behind it; its own: 9 in the rotation tree, else 0
    int moments;   // rotational equations that the force of this arm or slide stands in
} ct_fbts_edge;
typedef struct ct_fbts {
    ct_growth growth;
    ct_domain domain;
    ct_fbts_edge *edges; // [n_edges]
    const bool *other;   // branches of the other tree, or NULL
    int total;           // equations so far, those of the other tree too
    int freedoms, price; // each equation beyond the freedoms is a constraint, at this price
    long sum;            // of equations times cutsets, over the branches so far
    int *path;           // [n_nodes] workspace
} ct_fbts;
// A tree that is to be selected. moments: [n_edges] of the rotation tree, for the translation tree.
void ct_fbts_start(const ct_graph *g, ct_domain domain, const bool *other, const int *moments,
                   ct_fbts *out);
// What the equations cost with this edge: bodies in cutsets, and constraints.
long ct_fbts_bodies(const ct_fbts *f, int edge);
long ct_fbts_constraints(const ct_fbts *f, int edge);
void ct_fbts_add(ct_fbts *f, int edge);
// Adds edges, the lightest first, until all nodes are reached.
void ct_fbts_grow(ct_fbts *f);

#endif
