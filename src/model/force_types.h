// Table of force types, with the properties of each in one line. The reader and the loads know
// types; all other code asks for these properties.
#ifndef CT_MODEL_FORCES_H
#define CT_MODEL_FORCES_H

#include <stdbool.h>

// X(enumerator, name in the file, acts on, acts like, sign, numbers that tell what it is)
#define CT_FORCE_TYPES(X)                                                                          \
    X(FORCE, "force", BODY, VECTOR, ARROW, 0)                                                      \
    X(TORQUE, "torque", BODY, VECTOR, ARC, 0)                                                      \
    X(ACTUATOR, "actuator", COORDINATE, VALUE, AXIAL, 0)                                           \
    X(SPRING, "spring", POINTS, SPRING, COIL, CT_STIFFNESS | CT_DAMPING | CT_LENGTH)               \
    X(TORSION, "torsion", COORDINATE, SPRING, AXIAL, CT_STIFFNESS | CT_DAMPING | CT_LENGTH)        \
    X(TYRE, "tyre", BODY, MOTION, WHEEL, CT_STIFFNESS | CT_DAMPING | CT_RADIUS)

typedef enum ct_force_type {
#define X(name, text, on, like, sign, numbers) CT_FORCE_##name,
    CT_FORCE_TYPES(X)
#undef X
        CT_FORCE_TYPE_COUNT
} ct_force_type;

typedef enum ct_force_on {
    CT_ON_BODY,      // one body, at a point: body[0], at[0]
    CT_ON_POINTS,    // the line between points of two bodies: body, at
    CT_ON_COORDINATE // coordinate
} ct_force_on;

typedef enum ct_force_like {
    CT_LIKE_VECTOR, // the vector, in ground or in the body
    CT_LIKE_VALUE,  // the value: what a user drives a coordinate with
    CT_LIKE_SPRING, // stiffness (x - length) + damping x' + value, x the coordinate or the distance
    CT_LIKE_MOTION  // follows from the motion of the body, in a way of its own
} ct_force_like;

// Signs in drawings: X(enumerator, name for pages).
#define CT_FORCE_SIGNS(X)                                                                          \
    X(ARROW, "arrow")                                                                              \
    X(ARC, "arc")                                                                                  \
    X(AXIAL, "axial") /* an arrow along the joint's axis, or an arc about it */                    \
    X(COIL, "coil")                                                                                \
    X(WHEEL, "wheel")
typedef enum ct_force_sign {
#define X(name, text) CT_SIGN_##name,
    CT_FORCE_SIGNS(X)
#undef X
} ct_force_sign;

enum { CT_STIFFNESS = 1, CT_DAMPING = 2, CT_LENGTH = 4, CT_RADIUS = 8 }; // members of ct_force

typedef struct ct_force_traits {
    const char *name;
    ct_force_on on;
    ct_force_like like;
    ct_force_sign sign;
    unsigned numbers;
} ct_force_traits;
const ct_force_traits *ct_force_traits_of(ct_force_type type);

const char *ct_force_type_name(ct_force_type type);
const char *ct_force_sign_name(ct_force_type type);
bool ct_force_drives(ct_force_type type); // a coordinate, as the user says

#endif
