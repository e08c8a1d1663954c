// The mechanism in numbers at its initial position (the snapshot), and the state of a search: which
// bodies are placed and which coordinates are known.
#ifndef CT_FLOW_INSIDE_H
#define CT_FLOW_INSIDE_H

#include "closure/relations/coupling_solve.h"
#include "closure/relations/relation.h"
#include "formulate/layout.h"
#include "numeric/numbers.h"

// One joint, two-body constraint or guided point at the initial position, in the world.
typedef struct ct_flow_edge {
    int joint;   // below 0: a motion that guides a point, CT_FLOW_MOTION of its number; also
                 // CT_BODY_JOINT
    int body[2]; // that stand for those of the joint (welds.c)
    int own[2];  // bodies of the joint
    ct_joint_type type;
    bool is_virtual;
    int n_composed; // of a tie: joints in a row that it is composed of; 0: a joint or constraint
    bool may_carry; // may be in the trees: a body can be placed by it
    ct_ex value;    // of the plane (the distance, squared) where a motion gives it
    const ct_connection *c;
    double at[2][3];  // its point on either body
    int n;            // coordinates
    int first;        // of the model
    bool is_angle[6]; // a rotation (else a slide)
    double axis[6][3];
    // the joint's (first) axis, in world and in the frames of its bodies, with two directions
    // across it; universal: [1] of second
    ct_vec3 axis_in[2], across_in[2][2], second_in[2];
    double main[3], across[2][3], second[3];
    const struct ct_flow_swing *swing; // its angle is the coordinate; NULL: none
} ct_flow_edge;

// What a swing is the angle of: the common end of two links, about the line of their other ends; the
// end of a link, about the line from its other end to another point of the body; the body, about the
// line through two of its points.
typedef enum ct_swing_role { CT_SWING_OF_PAIR, CT_SWING_OF_LINK, CT_SWING_OF_BODY } ct_swing_role;

// A swing that may be independent. Points of the body in the frame of its home.
typedef struct ct_flow_swing {
    ct_swing swing;
    ct_swing_role role;
    int joint[2];  // of the distances: of the pair, of the link; -1: none
    int home;      // of the body
    int far[2];    // bodies that the line and its direction zero are on; 0: ground, or none
    ct_vec3 point; // that swings (PAIR, LINK)
    ct_vec3 on[2]; // the line's points in the body: LINK the second one, BODY both
    double x[3], axis_x[3]; // that point or axis, in the world
    double way[3];          // direction in which it moves
} ct_flow_swing;

// Motions and joints share a number: -1 is the first motion, -2 the second.
#define CT_FLOW_MOTION(motion) (-1 - (motion))

// An equation between coordinates: a gear, a rack, a constraint.
typedef struct ct_flow_coupling {
    int joint, n;
    int *coordinate;        // of the model
    ct_coupling_kind *kind; // of equation in each of them
    bool of_points;         // names points too: closes an iteration only
} ct_flow_coupling;

// A relation with its numbers at the initial position.
typedef struct ct_flow_relation {
    ct_relation r;
    double x[3], k[3], axis_x[3], axis_k[3];
} ct_flow_relation;

// A group of loops: a biconnected component of the graph of bodies. A joint outside all loops is a
// group of two bodies.
typedef struct ct_loop_group {
    int n_bodies, *bodies; // the first is the one nearest to ground
    int n_edges, *edges;
    // edges by body, in the order of the group: those of body b begin at first[b]; NULL: not sorted
    int *first, *by_body;
} ct_loop_group;

typedef struct ct_snapshot {
    const ct_model *model;
    ct_known_ranks *ranks; // or NULL
    ct_layout *layout;     // of the formulation
    ct_numbers numbers;
    int n_bodies, n_coordinates;            // with those of bodies
    double (*rotation)[3][3], (*centre)[3]; // [bodies]
    int n_edges;
    ct_flow_edge *edges;
    ct_connection *guides; // connections of the edges of guided points
    int *home;             // [bodies] the body that stands for it and those that are welded to it
    int n_welds, *welds;   // fixed joints inside of such bodies, always in the trees
    int n_couplings;
    ct_flow_coupling *couplings;
    int n_groups;
    ct_loop_group *groups; // of loops, and joints that close none
    double length;         // typical
    ct_flow_offer offer;   // of bodies' own coordinates beside those of joints
    bool *translating;     // [edges] of a body's own coordinates: its angles stay constant
    bool *upright;         // [bodies] that stay parallel to the first body of their group
    int n_swings;          // of bodies whose own coordinates are offered
    ct_flow_swing **swings;
} ct_snapshot;

void ct_snapshot_init(ct_snapshot *snap, const ct_formulation *f, const double *q0,
                      ct_flow_offer offer);
static inline void ct_snapshot_clear(ct_snapshot *snap) {
    ct_numbers_clear(&snap->numbers);
}
// Makes one body of those that are welded: edges have the bodies that stand for them then.
void ct_snapshot_weld(ct_snapshot *snap);
// Fills in the groups; edges must be complete.
void ct_flow_groups(ct_snapshot *snap);
// The group with ties between bodies that are not neighbours (ties.c) as further edges. These stand
// behind the n_edges edges of the snapshot, until ties of another group take their place.
ct_loop_group ct_flow_with_ties(ct_snapshot *snap, const ct_loop_group *group);
// World components of a direction.
void ct_flow_direction(ct_snapshot *snap, int body, ct_vec3 v, double *d);
// Freedoms of the bodies of a group against its first one. held (may be NULL): coordinates that do
// not move.
int ct_flow_freedoms(ct_snapshot *snap, const ct_loop_group *group, const bool *held);

// True if the joint holds a point of both bodies together and leaves a rotation.
bool ct_flow_pins(ct_joint_type type);

// The state of a search: known coordinates, and clusters of bodies with known coordinates between
// them. cluster[body] == 0: the body is placed.
typedef struct ct_flow_state {
    int *cluster; // [bodies] of the world
    bool *known;  // [coordinates of the model]
    bool *used;   // [edges] in the tree
    int *depth;   // [bodies] coordinates between the first body and this one
} ct_flow_state;

// Coordinates of an edge that are not known, by number within the joint.
int ct_flow_unknown(const ct_flow_state *s, const ct_flow_edge *e, int *which);

// Relations that the edges of a group give for cluster x against the placed bodies, those of `skip`
// aside. Returns how many (at most CT_FLOW_RELATIONS).
enum { CT_FLOW_RELATIONS = 64 };
int ct_flow_relations(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_state *s, int x,
                      int skip, ct_flow_relation *relations);
// The relation that pins cluster x to the placed bodies by an edge other than `skip`.
bool ct_flow_pin(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_state *s, int x,
                 int skip, ct_flow_relation *pin);
// Adds the swings of a body that hangs on links, as virtual edges without a place in the trees, if the
// edge is its pose: own coordinates, or those of a virtual joint.
void ct_flow_add_swings(ct_snapshot *snap, int pose);
// The body that is posed against ground by an edge; -1: none.
static inline int ct_flow_posed(const ct_flow_edge *e) {
    bool is_pose = e->is_virtual && e->may_carry && e->n == 6 && !(e->body[0] && e->body[1]);
    return is_pose ? e->body[e->body[0] == 0] : -1;
}
// Appends relations of body x by swings that are known, or by `only` one, to a list of n. Returns the new
// length.
int ct_flow_swung(const ct_snapshot *snap, const ct_flow_state *s, int x, const ct_flow_swing *only,
                  int n, ct_flow_relation *relations);
// True if the line and the direction zero of a swing are on placed bodies and its own, which is not
// placed.
static inline bool ct_flow_may_swing(const ct_flow_state *s, const ct_flow_swing *swing) {
    return s->cluster[swing->home] && !s->cluster[swing->far[0]] && !s->cluster[swing->far[1]];
}
// Rows (3 or 1) of a relation's derivative by coordinates `which` of an edge that moves x; lengths
// are in units of the typical length, so that 1 is large.
int ct_flow_rows(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e, int n,
                 const int *which, double (*rows)[6]);

// couplings --------------------------------------------------------------------------------------
// True if a coupling names the coordinate.
bool ct_flow_is_coupled(const ct_snapshot *snap, int coordinate);

#endif
