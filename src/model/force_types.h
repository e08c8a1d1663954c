// Table of force types, with the properties of each in one line. The reader and the loads know
// types; all other code asks for these properties.
#ifndef CT_MODEL_FORCES_H
#define CT_MODEL_FORCES_H

#include "model/tyre.h"

#include <stdbool.h>

// X(enumerator, name in the file, acts on, acts like, sign, numbers that tell what it is, quantities
// that outputs may ask for)
#define CT_FORCE_TYPES(X)                                                                          \
    X(FORCE, "force", BODY, VECTOR, ARROW, 0, 0)                                                   \
    X(TORQUE, "torque", BODY, VECTOR, ARC, 0, 0)                                                   \
    X(ACTUATOR, "actuator", COORDINATE, VALUE, AXIAL, 0, CT_GIVES_EFFORT)                          \
    X(SPRING, "spring", POINTS, SPRING, COIL, CT_STIFFNESS | CT_DAMPING | CT_LENGTH,               \
      CT_GIVES_TENSION | CT_GIVES_LENGTH)                                                          \
    X(TORSION, "torsion", COORDINATE, SPRING, AXIAL, CT_STIFFNESS | CT_DAMPING | CT_LENGTH,        \
      CT_GIVES_EFFORT)                                                                             \
    X(TYRE, "tyre", BODY, MOTION, WHEEL, CT_STIFFNESS | CT_DAMPING | CT_RADIUS,                    \
      CT_GIVES_WRENCH | CT_GIVES_SLIPS)                                                            \
    X(BUSHING, "bushing", BODIES, MOTION, PAD, 0, CT_GIVES_WRENCH)                                 \
    X(CONTACT, "contact", BODIES, MOTION, TOUCH, CT_STIFFNESS | CT_DAMPING | CT_RADIUS,            \
      CT_GIVES_WRENCH | CT_GIVES_GAP)                                                              \
    X(FRICTION, "friction", COORDINATE, MOTION, NOTHING, 0, CT_GIVES_EFFORT)                       \
    X(LIMIT, "limit", COORDINATE, MOTION, NOTHING, CT_STIFFNESS | CT_DAMPING,                      \
      CT_GIVES_EFFORT | CT_GIVES_GAP)                                                              \
    X(DRAG, "drag", BODY, MOTION, NOTHING, 0, CT_GIVES_WRENCH)

typedef enum ct_force_type {
#define X(name, ...) CT_FORCE_##name,
    CT_FORCE_TYPES(X)
#undef X
        CT_FORCE_TYPE_COUNT
} ct_force_type;

typedef enum ct_force_on {
    CT_ON_BODY,      // one body, at a point: body[0], at[0]
    CT_ON_POINTS,    // the line between points of two bodies: body, at
    CT_ON_BODIES,    // points of two bodies that may be in one place: body, at
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
    X(WHEEL, "wheel")                                                                              \
    X(PAD, "pad")     /* a ring of rubber about the point */                                       \
    X(TOUCH, "touch") /* a sphere, or a point, against a plane or a sphere */                      \
    X(NOTHING, "none")
typedef enum ct_force_sign {
#define X(name, text) CT_SIGN_##name,
    CT_FORCE_SIGNS(X)
#undef X
} ct_force_sign;

enum { CT_STIFFNESS = 1, CT_DAMPING = 2, CT_LENGTH = 4, CT_RADIUS = 8 }; // members of ct_force

// Quantities of forces for outputs, as functions of a force's name; those of tyres come first:
// X(enumerator, function). In ground axes a force and its moment are fx to mz, too.
#define CT_LOAD_QUANTITIES(X)                                                                      \
    X(EFFORT, "effort")   /* generalised force on the coordinate */                                \
    X(TENSION, "tension") /* pulls the points together */                                          \
    X(LENGTH, "length")   /* distance of the points */                                             \
    X(GAP, "gap")         /* negative: penetration */
#define CT_FORCE_QUANTITIES(X) CT_TYRE_QUANTITIES(X) CT_LOAD_QUANTITIES(X)
typedef enum ct_force_quantity {
#define X(name, text) CT_QUANTITY_##name,
    CT_FORCE_QUANTITIES(X)
#undef X
        CT_FORCE_QUANTITY_COUNT
} ct_force_quantity;
// Sets of them.
enum {
    CT_GIVES_WRENCH = 1 << CT_QUANTITY_FX | 1 << CT_QUANTITY_FY | 1 << CT_QUANTITY_FZ |
                      1 << CT_QUANTITY_MX | 1 << CT_QUANTITY_MY | 1 << CT_QUANTITY_MZ,
    CT_GIVES_SLIPS = 1 << CT_QUANTITY_SLIP | 1 << CT_QUANTITY_SLIP_ANGLE | 1 << CT_QUANTITY_CAMBER,
    CT_GIVES_EFFORT = 1 << CT_QUANTITY_EFFORT,
    CT_GIVES_TENSION = 1 << CT_QUANTITY_TENSION,
    CT_GIVES_LENGTH = 1 << CT_QUANTITY_LENGTH,
    CT_GIVES_GAP = 1 << CT_QUANTITY_GAP
};

// Further numbers of a force, by their keys in the file: X(enumerator, key)
#define CT_FORCE_NUMBERS(X)                                                                        \
    X(COULOMB, "coulomb")                                                                          \
    X(STATIC, "static")                                                                            \
    X(VISCOUS, "viscous")                                                                          \
    X(SLIP_SPEED, "slip_speed")                                                                    \
    X(STRIBECK_SPEED, "stribeck_speed")                                                            \
    X(FRICTION, "friction")                                                                        \
    X(STATIC_FRICTION, "static_friction")                                                          \
    X(DISSIPATION, "dissipation")                                                                  \
    X(EXPONENT, "exponent")                                                                        \
    X(LOWER, "lower")                                                                              \
    X(UPPER, "upper")                                                                              \
    X(LINEAR, "linear")                                                                            \
    X(QUADRATIC, "quadratic")                                                                      \
    X(ANGULAR, "angular")                                                                          \
    X(COEFFICIENT, "coefficient")
typedef enum ct_force_number {
#define X(name, text) CT_NUMBER_##name,
    CT_FORCE_NUMBERS(X)
#undef X
        CT_FORCE_NUMBER_COUNT
} ct_force_number;
// What a bushing has of each direction.
typedef enum ct_bushing_part { CT_BUSHING_STIFFNESS, CT_BUSHING_DAMPING, CT_BUSHING_PRELOAD } ct_bushing_part;
enum { CT_BUSHING_PARTS = 3, CT_BUSHING_DIRECTIONS = 6 };

typedef struct ct_force_traits {
    const char *name;
    ct_force_on on;
    ct_force_like like;
    ct_force_sign sign;
    unsigned numbers, gives;
} ct_force_traits;
const ct_force_traits *ct_force_traits_of(ct_force_type type);

const char *ct_force_type_name(ct_force_type type);
const char *ct_force_sign_name(ct_force_type type);
const char *ct_force_number_name(ct_force_number number);
const char *ct_force_quantity_name(ct_force_quantity quantity);
bool ct_force_drives(ct_force_type type); // a coordinate, as the user says

#endif
