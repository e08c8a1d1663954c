// The linear graph of a mechanism: nodes are reference frames, edges are components. Two spanning
// trees, one for rotation and one for translation, fix the coordinates; what they leave over, the
// cotrees, closes the loops.
#ifndef CT_GRAPH_H
#define CT_GRAPH_H

#include "model/model.h"

typedef enum ct_edge_kind {
    CT_EDGE_BODY,       // ground -> centre of mass
    CT_EDGE_ARM,        // centre of mass (or ground) -> joint on the body, where it is elsewhere
    CT_EDGE_JOINT,      // frame -> frame; has coordinates (or is `fixed`)
    CT_EDGE_CONSTRAINT, // frame -> frame without coordinates; never in a tree
    CT_EDGE_MOTION,     // driver
    CT_EDGE_FORCE
} ct_edge_kind;

typedef struct ct_edge {
    ct_edge_kind kind;
    int index;    // body, joint, motion or force of the model; arms: the body
    int from, to; // nodes
    const char *name;
    bool is_flexible; // arms: of a body that bends, so that nothing else hangs on their ends
} ct_edge;

typedef enum ct_domain { CT_ROTATION, CT_TRANSLATION } ct_domain;

// A spanning tree, by node: the edge towards the root (ground, node 0).
typedef struct ct_tree {
    bool *has;        // [n_edges] branch or chord
    int *parent_edge; // [n_nodes], -1 for ground
    int *parent;      // [n_nodes], -1 for ground
    int *order;       // [n_nodes] nodes, parents first
} ct_tree;

// A joint's point on one of its bodies.
typedef struct ct_swing_point {
    int joint, side;
} ct_swing_point;

// An angle beside the coordinates of the trees: by how much a point of a body, or an axis of its
// frame, has turned about the line through two points. Example: two links that end in one point of a
// body let it swing about the line of their other ends.
typedef struct ct_swing {
    const char *name;
    int number;              // of the coordinate, behind those of bodies
    int body;                // that swings
    ct_swing_point from, to; // the line
    ct_swing_point at;       // the point; joint -1: an axis of the body, of this number
    int axis;
    int base, zero; // the angle is zero towards axis `zero` of body `base`
} ct_swing;

typedef struct ct_graph {
    ct_region region;
    const ct_model *model;
    ct_arena arena; // names, trees and swings
    int n_nodes;
    int *node_body; // the body that each frame belongs to; 0 is ground
    ct_edge *edges;
    int n_edges, room_edges;
    ct_tree tree[2]; // by ct_domain
    int n_swings;    // coordinates beside those of the trees
    ct_swing *swings;
} ct_graph;

ct_graph *ct_graph_new(const ct_model *model);
void ct_graph_free(ct_graph *g);
// Edge of a body or joint; -1 if there is none (ground, gears).
int ct_graph_edge(const ct_graph *g, ct_edge_kind kind, int index);

// Adds swings to those of the graph, which has copies then.
void ct_graph_swings(ct_graph *g, int n, const ct_swing *swings);

// Trees: all arms and the given body and joint edges, which must span; otherwise a message says
// why.
ct_status ct_tree_set(ct_context *ctx, ct_graph *g, ct_domain domain, int n, const int *edges);
// Rules. "joint": as few body edges as possible, joints with few freedoms first, short paths to
// ground; joints with a greater preference (per model joint, may be NULL) first of all; virtual
// joints only with one. "absolute": all bodies.
ct_status ct_tree_rule_joint(ct_context *ctx, ct_graph *g, const int *preference);
// The same; rank [joints]: what decides where all of this is equal.
ct_status ct_tree_rule_ranked(ct_context *ctx, ct_graph *g, const int *preference, const int *rank);
// The same, after the own edges of some bodies: own[bodies], NULL for none.
ct_status ct_tree_rule_own(ct_context *ctx, ct_graph *g, const int *preference, const bool *own);
ct_status ct_tree_rule_absolute(ct_context *ctx, ct_graph *g);
// "vbts": few variables, near to ground. "fbts": few instances of the inertia of bodies in the equations
// (Leger 2006).
ct_status ct_tree_rule_vbts(ct_context *ctx, ct_graph *g);
ct_status ct_tree_rule_fbts(ct_context *ctx, ct_graph *g);
// home[bodies]: the body that stands for those that are welded to each other.
void ct_graph_homes(const ct_model *model, int *home);
// The body whose own coordinates carry others that no joint ties to ground; depth[bodies]: below 0
// where a body is not in the tree yet.
int ct_graph_carrier(const ct_model *model, const int *depth);
ct_status ct_tree_given(ct_context *ctx, ct_graph *g); // the model's `trees:`

// Fundamental circuit of a chord: branches of the tree path between its ends, signs +1 or -1 as
// they are met along the chord's direction reversed (chord + sum sign_k branch_k = 0 for across
// variables). Returns how many.
int ct_circuit(const ct_graph *g, ct_domain domain, int chord, int *edges, int *signs);
// Fundamental cutset of a branch: chords whose circuit holds it; signs +1 where it points the same
// way through the cut.
int ct_cutset(const ct_graph *g, ct_domain domain, int branch, int *edges, int *signs);

char *ct_graph_describe(const ct_graph *g); // for people

#endif
