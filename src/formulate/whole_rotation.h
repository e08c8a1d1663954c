// Rotations that are kept whole. Three angles of a spherical or free joint are a detour: loops and
// masses need vectors fixed in the body. Each such vector, seen from a root body, is three symbols p
// here. The body's angular velocity s relative to the root holds the quasi-velocities, and
//   p' = s x p.
// A rotation that closures find has its spins in the frame of the root, and its angles stay
// coordinates by name. A rotation that is integrated has four Euler parameters e and spins along the
// axes of the body; inside loops, whose rows are shorter that way, along those of the root:
//   R(root <- body) = R(e) = 1 + 2 (e0 [v] + [v]^2) / |e|^2,
//   e' = e o (0, s) / 2,   or   e' = (0, s) o e / 2.
// Its angles are those of N^T R(e) F, with the joint frames N in the root and F in the body. Its
// coordinates q are e1, e2, e3; the scalar part e0 stands behind all coordinates, and its angles
// behind these (ct_position_count).
#ifndef CT_WHOLE_ROTATION_H
#define CT_WHOLE_ROTATION_H

#include "formulate/layout.h"
#include "numeric/numbers.h"

typedef struct ct_whole_rotation_vector {
    ct_vec3 fixed; // in the frame of the body; parameters only
    ct_vec3 seen;  // symbols: the same in the frame of the root
} ct_whole_rotation_vector;

struct ct_whole_rotation {
    int joint, body, root; // joint: -1 for the rotation of a body of its own
    bool integrated;
    int coordinate[3]; // into f->q: the joint's angles, or e1, e2, e3; f->qd there are the spins
    ct_ex rate[3];     // the spins
    ct_vec3 spin;      // of the body relative to the root, frame of the root
    ct_whole_rotation_vector *vectors;
    int n, room;
    // integrated
    int edge;                   // of the graph
    bool inverse;               // the body is the first of its joint
    bool in_root;               // the spins are in the frame of the root, not of the body
    ct_mat3 near, far;          // joint frames in the root and in the body
    ct_ex parameter[4];         // e0, e1, e2, e3
    ct_ex angle[3], angle_d[3]; // of the sequence that the model names
    int sequence[3];
    // forces name angles (followed.c)
    int followed;                              // a ct_followed
    ct_ex last[3];                             // symbols: the angles of the state before
    ct_ex followed_angle[3], followed_rate[3]; // in terms of these, the parameters and the spins
    ct_ex lock;                                // zero in the lock
};
// What forces need of the angles of a rotation: nothing; the middle one alone, which goes through the
// lock; others, which have no value there.
typedef enum ct_followed { CT_FOLLOWED_NOT, CT_FOLLOWED_MIDDLE, CT_FOLLOWED_ALL } ct_followed;

// The formulation once more, with these bodies as whole rotations: joint, body and root are given;
// integrated ones come first, with their edge. `in_angles` must outlive it.
ct_status ct_formulation_with_whole_rotations(ct_context *ctx, const ct_formulation *in_angles,
                                              int n, const ct_whole_rotation *whole_rotations,
                                              ct_formulation **f);
const ct_whole_rotation *ct_whole_rotation_of_joint(const ct_formulation *f,
                                                    int joint); // NULL: none
const ct_whole_rotation *ct_whole_rotation_of_coordinate(const ct_formulation *f, int k, int *part);
// The whole rotation, vector and component that a symbol belongs to; NULL if there is none.
const ct_whole_rotation_vector *ct_whole_rotation_find(const ct_formulation *f, ct_ex symbol,
                                                       const ct_whole_rotation **whole,
                                                       int *component);
// True if motions, forces or equations name an angle of the joint: a whole rotation has none. *by
// (or NULL): the first that does.
typedef struct ct_names_angle {
    const char *kind, *name; // "motion", "S.1"
} ct_names_angle;
bool ct_whole_rotation_is_named(const ct_model *model, int joint, ct_names_angle *by);
// The same for motions and equations alone: these keep the angles as coordinates.
bool ct_whole_rotation_is_tied(const ct_model *model, int joint, ct_names_angle *by);
// The angular velocity of the second body of its joint against the first one, in the first joint
// frame.
ct_vec3 ct_whole_rotation_joint_spin(ct_layout *l, const ct_whole_rotation *b);
// Finds followed_angle, followed_rate and lock of an integrated rotation.
void ct_whole_rotation_follow(ct_layout *l, ct_whole_rotation *b);
// The integrated rotation that a coordinate belongs to, as one of its angles; NULL if there is none.
const ct_whole_rotation *ct_whole_rotation_followed(const ct_formulation *f, int coordinate,
                                                    int *part);

// Rotations that can be integrated whole, for ct_formulation_with_whole_rotations: three turns on a
// branch of the rotation tree that nothing names. all: one for each edge of the graph at most, in
// the order of f->q. Returns how many.
int ct_whole_rotations_free(const ct_formulation *f, ct_whole_rotation *all);
// Vectors of integrated rotations in terms of their parameters.
ct_ex ct_whole_rotation_meaning(const ct_formulation *f, const ct_whole_rotation *whole,
                                const ct_whole_rotation_vector *v, int component);
ct_substitution *ct_whole_rotation_meanings(const ct_formulation *f);
// A position in numbers: n coordinates and the scalar part of each integrated rotation, then three
// angles of each. Sets coordinates, scalar parts and vectors.
static inline int ct_position_count(const ct_formulation *f) {
    return f->n + f->n_integrated;
}
// With the angles.
static inline int ct_position_numbers(const ct_formulation *f) {
    return f->n + 4 * f->n_integrated;
}
void ct_position_set(const ct_formulation *f, ct_numbers *numbers, const double *q);
// The matrix R(e) and the spins of an integrated rotation in terms of coordinates in angles.
void ct_whole_rotation_in_angles(const ct_formulation *f, const ct_whole_rotation *b, ct_mat3 *r,
                                 ct_vec3 *s);
// The position and rates of a formulation in angles in those of f, which has integrated rotations.
// q: [n + 4 n_integrated], qd: [n + 3 n_integrated].
void ct_position_from_angles(const ct_formulation *f, const double *angles, const double *rates,
                             double *q, double *qd);

// in a layout -------------------------------------------------------------------------------------
void ct_layout_whole_rotations(ct_layout *l); // their branches, behind the edges of the graph
ct_vec3 ct_whole_rotation_seen(ct_layout *l, const ct_connection *c,
                               ct_vec3 fixed);                          // by its symbols
ct_mat3 ct_whole_rotation_matrix(ct_layout *l, const ct_connection *c); // R(root <- body)

// derivatives -------------------------------------------------------------------------------------
// d / d q_k, in the direction of a spin where k is one of a whole rotation's
ct_derivation *ct_partial_derivation(const ct_formulation *f, int k);
bool ct_formulation_depends(const ct_formulation *f, ct_ex a, int k);
// Adds  p' = s x p  of all vectors of whole rotations to a derivation.
void ct_whole_rotation_derivation(const ct_formulation *f, ct_derivation *time);

#endif
