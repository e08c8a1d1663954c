// Table of the types of joints and constraints, with the properties of each in one line. A joint is
// described by the motion of B against A that it leaves: where the point of B may be, and which
// directions the bodies have in common. All other code asks for these properties, never for types.
#ifndef CT_MODEL_JOINTS_H
#define CT_MODEL_JOINTS_H

#include <stdbool.h>

// X(enumerator, name in the file, role, holds, keeps, sign)
#define CT_JOINT_TYPES(X)                                                                          \
    X(REVOLUTE, "revolute", JOINT, POINT, AXIS, PIN)                                               \
    X(PRISMATIC, "prismatic", JOINT, LINE, FRAME, SLIDER)                                          \
    X(CYLINDRICAL, "cylindrical", JOINT, LINE, AXIS, SLIDER)                                       \
    X(SCREW, "screw", JOINT, HELIX, AXIS, SCREW)                                                   \
    X(UNIVERSAL, "universal", JOINT, POINT, ANGLE, CROSS)                                          \
    X(SPHERICAL, "spherical", JOINT, POINT, NOTHING, BALL)                                         \
    X(PLANAR, "planar", JOINT, PLANE, AXIS, PLATE)                                                 \
    X(FREE, "free", JOINT, NOTHING, NOTHING, TRIAD)                                                \
    X(POINT, "point", JOINT, NOTHING, FRAME, TRIAD)                                                \
    X(FIXED, "fixed", JOINT, POINT, FRAME, BLOCK)                                                  \
    X(LINK, "link", TIE, DISTANCE, NOTHING, ROD)                                                   \
    X(INLINE, "inline", TIE, LINE, NOTHING, POINT_ON_LINE)                                         \
    X(INPLANE, "inplane", TIE, PLANE, NOTHING, POINT_ON_PLATE)                                     \
    X(PARALLEL, "parallel", TIE, NOTHING, AXIS, NONE)                                              \
    X(PERPENDICULAR, "perpendicular", TIE, NOTHING, ANGLE, NONE)                                   \
    X(GEAR, "gear", GEAR, NOTHING, NOTHING, NONE)                                                  \
    X(RACK, "rack", RACK, NOTHING, NOTHING, NONE)                                                  \
    X(CONSTRAINT, "constraint", EQUATION, NOTHING, NOTHING, NONE)

typedef enum ct_joint_type {
#define X(name, text, role, holds, keeps, sign) CT_JOINT_##name,
    CT_JOINT_TYPES(X)
#undef X
        CT_JOINT_TYPE_COUNT
} ct_joint_type;

typedef enum ct_joint_role {
    CT_ROLE_JOINT,   // has coordinates for what it leaves free, and may be a branch
    CT_ROLE_TIE,     // a constraint between two bodies, without coordinates
    CT_ROLE_GEAR,    // couples two coordinates by a ratio
    CT_ROLE_RACK,    // couples an angle and a slide by a radius
    CT_ROLE_EQUATION // any equation between coordinates and points
} ct_joint_role;

// Places that the point of B may take, seen from A. The line and the normal of the plane are the
// axis.
typedef enum ct_joint_holds {
    CT_HOLDS_NOTHING,
    CT_HOLDS_DISTANCE, // on a sphere about the point of A
    CT_HOLDS_PLANE,
    CT_HOLDS_LINE,
    CT_HOLDS_HELIX, // on the line, as far as the turn about it says
    CT_HOLDS_POINT
} ct_joint_holds;

// Directions that A and B have in common; the value is the number of rotations that are lost.
typedef enum ct_joint_keeps {
    CT_KEEPS_NOTHING,
    CT_KEEPS_ANGLE, // between an axis of A and an axis of B
    CT_KEEPS_AXIS,
    CT_KEEPS_FRAME
} ct_joint_keeps;

// Signs in drawings: X(enumerator, name for pages).
#define CT_JOINT_SIGNS(X)                                                                          \
    X(NONE, "none")                                                                                \
    X(PIN, "pin")                                                                                  \
    X(SLIDER, "slider")                                                                            \
    X(SCREW, "screw")                                                                              \
    X(CROSS, "cross")                                                                              \
    X(BALL, "ball")                                                                                \
    X(PLATE, "plate")                                                                              \
    X(TRIAD, "triad")                                                                              \
    X(BLOCK, "block")                                                                              \
    X(ROD, "rod")                                                                                  \
    X(POINT_ON_LINE, "point_on_line")                                                              \
    X(POINT_ON_PLATE, "point_on_plate")
typedef enum ct_joint_sign {
#define X(name, text) CT_SIGN_##name,
    CT_JOINT_SIGNS(X)
#undef X
} ct_joint_sign;

typedef struct ct_joint_traits {
    const char *name;
    ct_joint_role role;
    ct_joint_holds holds;
    ct_joint_keeps keeps;
    ct_joint_sign sign;
} ct_joint_traits;
const ct_joint_traits *ct_joint_traits_of(ct_joint_type type);

// Condition that a joint puts on the plane of a planar mechanism.
typedef enum ct_joint_plane {
    CT_PLANE_ANY,    // nothing moves
    CT_PLANE_ACROSS, // the normal is the axis
    CT_PLANE_ALONG,  // the axis lies in the plane
    CT_PLANE_NONE    // it leaves every plane
} ct_joint_plane;

const char *ct_joint_type_name(ct_joint_type type);
const char *ct_joint_sign_name(ct_joint_type type);
bool ct_joint_has_coordinates(ct_joint_type type); // true for joints (also `fixed`)
int ct_joint_translations(ct_joint_type type);     // coordinates; 0 for constraints
int ct_joint_rotations(ct_joint_type type);        // the same
bool ct_joint_is_pair(ct_joint_type type);         // couples two coordinates by a ratio
bool ct_joint_is_equation(ct_joint_type type);     // of coordinates and points
bool ct_joint_is_coupling(ct_joint_type type);     // a pair or an equation: joins no bodies
bool ct_joint_is_hinge(ct_joint_type type);        // turns about an axis and does nothing else
bool ct_joint_is_slide(ct_joint_type type);        // moves along an axis and does nothing else
bool ct_joint_is_ball(ct_joint_type type);         // turns about a point
bool ct_joint_slides_on_line(ct_joint_type type);  // has a slide along its axis
bool ct_joint_is_on_axis(ct_joint_type type);      // turns or slides, or both, on one axis alone
ct_joint_plane ct_joint_plane_of(ct_joint_type type);
// Name of the i-th coordinate after the joint's own: "", ".x", ".angle", ...
const char *ct_joint_suffix(ct_joint_type type, int i);

#endif
