// The vocabulary of closing: relations between two bodies, and placements of a body by relations.
#ifndef CT_RELATION_H
#define CT_RELATION_H

#include "formulate/formulate.h"

// A body's own coordinates (x, y, z and three angles, or x, y and an angle) are numbered after the
// coordinates of the model, and their edges after its joints.
#define CT_BODY_COORDINATE(model, body, part) ((model)->n_coordinates + 6 * (body) + (part))
#define CT_BODY_JOINT(model, body)            ((model)->n_joints + (body))
// Swings (relations/swings.c) are numbered after the coordinates of all bodies.
#define CT_SWING_COORDINATE(model, swing)                                                          \
    (CT_BODY_COORDINATE(model, (model)->n_bodies, 0) + (swing))

// A relation holds between a body x that is to be placed and a placed body k. Points are measured
// from centres of mass; points and directions are in the frames of their bodies.
typedef enum ct_relation_kind {
    CT_RELATION_POINT,    // point x is at point k
    CT_RELATION_AXIS,     // direction x is direction k
    CT_RELATION_DISTANCE, // |point x - point k|^2 = value, or as between two other points
    CT_RELATION_PLANE_K,  // direction k . (point x - point k) = value; direction k is
                          // fixed in body via[0] if that is not -1
    CT_RELATION_PLANE_X, // direction x . (point x - point k) = value, or as between two other bodies
    CT_RELATION_DOT,     // direction x . direction k = value
    CT_RELATION_SWING,   // point x has turned about a line by the angle `value` from direction k
    CT_RELATION_SPIN     // the same of direction x, about a line of its body
} ct_relation_kind;

typedef struct ct_relation {
    ct_relation_kind kind;
    int x, k; // bodies
    ct_vec3 point_x, point_k, axis_x, axis_k;
    int via[2]; // DISTANCE: bodies with points (via_at) at this distance; -1: `value` is
                // the squared distance
                // PLANE_K: the body that direction k is fixed in, or -1: k
                // PLANE_X: bodies with points (via_at) this far apart along direction k,
                // which is fixed in the first of them; -1: `value`
    ct_vec3 via_at[2];
    ct_ex value;
    bool line; // PLANE: one of the two planes across a line; the normal and value of the other:
    ct_vec3 mate;
    ct_ex mate_value;
    int joint; // that gives the relation; below 0: a motion
    int swing; // SWING, SPIN: number of the coordinate; the angle is about the line as the step sees it
} ct_relation;

// True if a motion guides one of its points, or its distance.
static inline bool ct_relation_is_guided(const ct_relation *r) {
    return r->joint < 0;
}

typedef enum ct_placement_kind {
    CT_PLACE_GIVEN,     // all coordinates of the joint are known
    CT_PLACE_ONE,       // one coordinate from one relation
    CT_PLACE_SCREW,     // the turn of a screw from a point on its axis
    CT_PLACE_DIRECTION, // two angles from a point or a direction
    CT_PLACE_CYLINDER,  // slide and angle from a point, or from a line that holds a point
    CT_PLACE_FRAME,     // three angles from a vector (a point, a direction, a line of the body
                        // through a point, two distances of one point), and one more relation
    CT_PLACE_POSE,      // all coordinates of a body: a point of it (also from three distances), and
                        // its orientation as above; a swing or spin in the place of the last
                        // distance of a point, or of the second relation
    CT_PLACE_KEPT,      // own angles of a translating body, which stay zero
    CT_PLACE_SPHERES,   // two or three slides of a body, oriented already, from distances
    CT_PLACE_PLANES,    // slides and at most one angle of a body from planes that hold points of it
    CT_PLACE_RELATIVE,  // one coordinate between two bodies that are not placed, from the
                        // distance of two points whose places are known
    CT_PLACE_ITERATE    // coordinates of the joint are found by iteration (a tear)
} ct_placement_kind;

typedef struct ct_placement {
    ct_placement_kind kind;
    int joint;         // whose coordinates are found
    int parent, child; // its bodies: the placed one and the other (RELATIVE: A and B)
    int n_unknown;
    int unknown[6]; // coordinates of the model, or CT_BODY_COORDINATE
    int n_relations;
    ct_relation relation[6];
    ct_relation pin[2]; // RELATIVE: the pins of parent and child
} ct_placement;

// Coordinates that the search may choose beside those of joints. POSES: own coordinates of bodies
// with three joints or more, all of a body together. POSES_ONLY: the same, and orders must use them
// in groups with such bodies. PLACES: the place of a body that keeps its orientation. ALL_PLACES: the same
// of all bodies that do.
typedef enum ct_flow_offer {
    CT_OFFER_JOINTS,
    CT_OFFER_POSES,
    CT_OFFER_POSES_ONLY,
    CT_OFFER_PLACES,
    CT_OFFER_ALL_PLACES
} ct_flow_offer;

static inline bool ct_offers_places(ct_flow_offer offer) {
    return offer >= CT_OFFER_PLACES;
}

// The other of the two planes of a line.
static inline ct_relation ct_relation_mate(const ct_relation *r) {
    ct_relation m = *r;
    m.value = r->mate_value;
    if (r->kind == CT_RELATION_PLANE_K)
        m.axis_k = r->mate;
    else
        m.axis_x = r->mate;
    return m;
}

// Ranks of matrices that were found before: flows of one mechanism ask for the same ones again.
enum { CT_KNOWN_RANKS = 64 };
typedef struct ct_known_ranks {
    int n;
    ct_digest key[CT_KNOWN_RANKS]; // of the matrix
    int rank[CT_KNOWN_RANKS];
} ct_known_ranks;

#endif
