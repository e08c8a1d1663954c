// Natural coordinates (Garcia de Jalon and Bayo 1994): components of points and unit vectors of bodies,
// shared between bodies where joints have them in common. Positions are linear in them,
//   x = c + R p,   R = sum over i of w_i d_i^T,
// with three vectors w_i in ground and their dual vectors d_i in the body. So M is constant, and there
// are no inertia forces by rates. Rows keep the shape of each body, w_i . w_j = b_i . b_j. A body that
// turns about a fixed normal n has the vectors n, w and n x w, linear too: two numbers are enough for
// w, as for the bar of a plane mechanism between two points.
#ifndef CT_NATURAL_H
#define CT_NATURAL_H

#include "formulate/dynamics.h"

// A point or vector of a body.
typedef struct ct_element {
    bool is_point;
    ct_vec3 world;    // in ground, linear in the coordinates
    ct_vec3 own;      // in the body; points from the centre of mass
    double number[3]; // `own` at the model's parameters
    int source;       // body whose rows keep it in shape, 0 for ground; -1: it is new
    bool is_level;    // its component along the fixed normal of the body needs no row
} ct_element;

typedef struct ct_natural_body {
    ct_mat3 rotation;       // R(ground <- body)
    ct_vec3 centre;         // of mass
    ct_vec3 velocity, spin; // c' and w = sum R_i x R_i' / 2
    int n, room;
    ct_element *elements; // that are known
} ct_natural_body;

// A coordinate: the component of a new element along a direction of ground.
typedef struct ct_natural_coordinate {
    int body;
    bool is_point;
    ct_vec3 own, along;
    ct_ex q, qd;
} ct_natural_coordinate;

typedef struct ct_natural_row { // of the shape of a body
    ct_ex phi;
    int power; // of length, its unit
    int body;
} ct_natural_row;

typedef struct ct_natural {
    int n, room;
    ct_natural_coordinate *coordinates; // the first of q
    ct_natural_body *bodies;            // [bodies]
    bool *shares_point, *shares_turn;   // [joints] what needs no rows
    int n_rows, room_rows;
    ct_natural_row *rows;
} ct_natural;

// Chooses points and vectors of all bodies. The layout is that of trees by the rule "absolute".
ct_natural *ct_natural_new(ct_layout *l);
// Rates of bodies, once the coordinates are among q; connections of the layout follow them.
void ct_natural_place(ct_layout *l);
// Coordinate k of f in terms of the coordinates of another formulation, whose layout is l.
ct_ex ct_natural_value(ct_layout *l, const ct_formulation *f, int k);
// M, F, T, V and power.
void ct_natural_dynamics(ct_layout *l, ct_substitution *known);
// As ct_sweep_needs.
void ct_natural_needs(ct_layout *l, const ct_loads *loads, const ct_ex *qdd, ct_vec3 *force,
                      ct_vec3 *moment);

// inside of this folder -----------------------------------------------------------------------------
// The frame of a body that is being put together.
typedef struct ct_natural_frame {
    int body;
    bool has_point;
    ct_element point; // that vectors to other points start from
    int n_vectors;
    ct_element vector[3];
    int normal; // the vector that is fixed in ground, -1: none
    int n_span; // directions of the body that are known, orthonormal
    double span[3][3];
    bool turns_with; // another body: `rotation` is known
    ct_mat3 rotation;
} ct_natural_frame;

typedef struct ct_natural_builder {
    ct_layout *l;
    ct_natural *natural;
    bool *is_placed;           // [bodies]
    int *n_points, *n_vectors; // [bodies] new ones, for their names
} ct_natural_builder;

// Elements of bodies that are placed: known ones by themselves, others linear in them.
ct_element ct_element_vector(ct_natural_builder *b, int body, ct_vec3 own);
ct_element ct_element_point(ct_natural_builder *b, int body, ct_vec3 own);
void ct_element_add(ct_natural_builder *b, int body, ct_element e);
// A new element of the body, with coordinates of its own.
ct_element ct_element_new(ct_natural_builder *b, const ct_natural_frame *frame, bool is_point,
                          ct_vec3 own);
// True if the vectors are the same; where values of parameters decide, that is noted.
bool ct_element_matches(ct_natural_builder *b, ct_vec3 a, ct_vec3 c, int power);
bool ct_element_is_fixed(const ct_layout *l, ct_vec3 v); // no coordinate is in it

// True if the frame can use the element: it is not along what is known, by an angle of `least` at
// least. Then it has it.
bool ct_frame_takes(ct_natural_builder *b, ct_natural_frame *frame, ct_element e, double least);
bool ct_frame_is_complete(const ct_natural_frame *frame);
// R and c of the body, its rows, its known elements.
void ct_frame_finish(ct_natural_builder *b, ct_natural_frame *frame);

#endif
