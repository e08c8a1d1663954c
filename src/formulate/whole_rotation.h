// Bodies on spherical joints whose rotation is kept whole. Three angles of a dependent spherical
// joint are a detour: loops and masses need vectors fixed in the body. Each such vector, seen from
// a root body, is three symbols p here. The body's angular velocity s relative to the root, in the
// frame of the root, holds the quasi-velocities, and  p' = s x p.  The angles stay coordinates by
// name.
#ifndef CT_WHOLE_ROTATION_H
#define CT_WHOLE_ROTATION_H

#include "formulate/layout.h"

typedef struct ct_whole_rotation_vector {
    ct_vec3 fixed; // in the frame of the body; parameters only
    ct_vec3 seen;  // symbols: the same in the frame of the root
} ct_whole_rotation_vector;

struct ct_whole_rotation {
    int joint, body, root;
    int coordinate[3]; // into f->q: the joint's angles; f->qd there are the spins
    ct_vec3 spin;      // of the body relative to the root, frame of the root
    ct_whole_rotation_vector *vectors;
    int n, room;
};

// The formulation once more, with these bodies as whole rotations: joint, body and root are given.
// `in_angles` must outlive it.
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
