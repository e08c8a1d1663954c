// The solution flow: which coordinates are independent, in which order the bodies of every group of
// loops are placed, by which joint each hangs on what was placed before, and which equations place
// it. Found on the graph of bodies with numbers from the initial position; no symbols yet.
#ifndef CT_FLOW_H
#define CT_FLOW_H

#include "closure/closure.h"
#include "formulate/layout.h"
#include "numeric/numbers.h"

// Coordinates of bodies themselves (x, y, z and three angles, or x, y and an angle) are numbered
// after those of the model, and their edges after its joints.
#define CT_OWN_COORDINATE(model, body, part) ((model)->n_coordinates + 6 * (body) + (part))
#define CT_OWN_JOINT(model, body)            ((model)->n_joints + (body))

// Something that holds between a body that is being placed (x) and one that is (k). Points are
// measured from centres of mass, points and directions are in the frames of their bodies.
typedef enum ct_relation_kind {
    CT_RELATION_POINT,    // point x is at point k
    CT_RELATION_AXIS,     // direction x is direction k
    CT_RELATION_DISTANCE, // |point x - point k|^2 is `value`, or that of two points of another body
    CT_RELATION_PLANE_K,  // direction k . (point x - point k) = value; direction of body via[0]
                          // where there is one
    CT_RELATION_PLANE_X,  // direction x . (point x - point k) = value
    CT_RELATION_DOT       // direction x . direction k = value
} ct_relation_kind;

typedef struct ct_relation {
    ct_relation_kind kind;
    int x, k; // bodies
    ct_vec3 point_x, point_k, axis_x, axis_k;
    int via[2]; // DISTANCE: bodies whose points (via_at) are that far apart; -1: `value` counts
                // PLANE_K: the body that direction k is fixed in, or -1: k
    ct_vec3 via_at[2];
    ct_ex value;
    bool line; // PLANE: one of the two planes across a line; the normal and value of the other:
    ct_vec3 mate;
    ct_ex mate_value;
    int joint; // where it comes from
} ct_relation;

typedef enum ct_placement_kind {
    CT_PLACE_GIVEN,     // all coordinates of the joint are known
    CT_PLACE_ONE,       // one coordinate from one relation
    CT_PLACE_SCREW,     // the turn of a screw from how far it goes
    CT_PLACE_DIRECTION, // two angles from a point
    CT_PLACE_CYLINDER,  // slide and angle from a point, or from a line that holds a point
    CT_PLACE_FRAME,     // three angles from a point and one more relation
    CT_PLACE_KEPT,      // the angles of a body's own pose, which stay zero
    CT_PLACE_SPHERES,   // the place of such a body from three distances
    CT_PLACE_RELATIVE,  // one coordinate between two bodies that are not placed, from the
                        // distance of two points whose places are known
    CT_PLACE_ITERATE    // coordinates of the joint are found by iteration (a tear)
} ct_placement_kind;

typedef struct ct_placement {
    ct_placement_kind kind;
    int joint;         // the one whose coordinates are found
    int parent, child; // its bodies: the placed one and the other (RELATIVE: A and B)
    int n_unknown;
    int unknown[6]; // coordinates of the model, or CT_OWN_COORDINATE
    int n_relations;
    ct_relation relation[3];
    ct_relation pin[2]; // RELATIVE: what pins parent and child
} ct_placement;

// What the search may choose from beside the coordinates of joints: those of bodies with three
// joints or more themselves, whole poses (or nothing but orders that use one, in groups that have
// such bodies), or the places of bodies that keep their orientation.
typedef enum ct_flow_offer {
    CT_OFFER_JOINTS,
    CT_OFFER_POSES,
    CT_OFFER_POSES_ONLY,
    CT_OFFER_PLACES
} ct_flow_offer;

typedef struct ct_flow {
    const ct_model *model;
    int n_independent, room_independent;
    int *independent; // coordinates of the model, or CT_OWN_COORDINATE
    int n_placements, room_placements;
    ct_placement *placements; // groups of loops one after the other
    int n_groups, room_groups;
    int *group;      // first placement of each group of loops
    int *group_root; // its first body
    int n_spare, room_spare;
    ct_relation *spare; // relations that no placement may have used; iterations close them
    int *spare_group;
    int n_free, room_free; // joints outside all loops
    int *free_joint;
    int *preference; // [joints] those of the trees
    bool *own;       // [bodies] whose own coordinates are in the trees
    int n_own;
    int n_kept;     // orientations that are taken to stay: to be put to the test
    bool torn;      // something is iterated
    double wish;    // how much of what is independent the user asks for
    double seconds; // to find it
    bool recalled;  // all orders were known from before
    bool poses;     // as far as is known, poses of bodies are better
    bool complete;  // false: some group could not be ordered
    char *why;
} ct_flow;

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

typedef struct ct_flow_library {
    int n, room;
    ct_flow_structure *of;
} ct_flow_library;

// The orders that are taken for structures that are not settled go to disk.
void ct_flow_library_settle(ct_flow_library *l);
void ct_flow_library_clear(ct_flow_library *l);

// f, q0: any formulation of the model with its assembled position. names: the independent
// coordinates that the caller asks for, or NULL (the model's `independent:`, else searched for).
ct_status ct_flow_find(ct_context *ctx, const ct_formulation *f, const double *q0, int n_names,
                       const char *const *names, ct_flow_offer offer, ct_flow_library *library,
                       ct_flow **flow);
void ct_flow_free(ct_flow *flow);
// Trees that follow the flow.
ct_status ct_flow_trees(ct_context *ctx, const ct_flow *flow, ct_graph *graph);

#endif
