// The table of joint types: properties of a type, its coordinates and their names.
#include "model/joint_types.h"

static const ct_joint_traits types[] = {
#define X(name, text, role, holds, keeps, sign)                                                    \
    {text, CT_ROLE_##role, CT_HOLDS_##holds, CT_KEEPS_##keeps, CT_SIGN_##sign},
    CT_JOINT_TYPES(X)
#undef X
};

const ct_joint_traits *ct_joint_traits_of(ct_joint_type type) {
    return types + type;
}

const char *ct_joint_type_name(ct_joint_type type) {
    return types[type].name;
}

const char *ct_joint_sign_name(ct_joint_type type) {
    static const char *const names[] = {
#define X(name, text) text,
        CT_JOINT_SIGNS(X)
#undef X
    };
    return names[types[type].sign];
}

// roles -------------------------------------------------------------------------------------------
bool ct_joint_has_coordinates(ct_joint_type type) {
    return types[type].role == CT_ROLE_JOINT;
}

bool ct_joint_is_pair(ct_joint_type type) {
    return types[type].role == CT_ROLE_GEAR || types[type].role == CT_ROLE_RACK;
}

bool ct_joint_is_equation(ct_joint_type type) {
    return types[type].role == CT_ROLE_EQUATION;
}

bool ct_joint_is_coupling(ct_joint_type type) {
    return ct_joint_is_pair(type) || ct_joint_is_equation(type);
}

// motion ------------------------------------------------------------------------------------------
int ct_joint_translations(ct_joint_type type) {
    if (!ct_joint_has_coordinates(type)) return 0;
    switch (types[type].holds) {
    case CT_HOLDS_NOTHING: return 3;
    case CT_HOLDS_DISTANCE:
    case CT_HOLDS_PLANE: return 2;
    case CT_HOLDS_LINE: return 1;
    case CT_HOLDS_HELIX:
    case CT_HOLDS_POINT: return 0;
    }
    return 0;
}

int ct_joint_rotations(ct_joint_type type) {
    return ct_joint_has_coordinates(type) ? 3 - (int)types[type].keeps : 0;
}

static bool is(ct_joint_type type, ct_joint_holds holds, ct_joint_keeps keeps) {
    return ct_joint_has_coordinates(type) && types[type].holds == holds &&
           types[type].keeps == keeps;
}

bool ct_joint_is_hinge(ct_joint_type type) {
    return is(type, CT_HOLDS_POINT, CT_KEEPS_AXIS);
}

bool ct_joint_is_slide(ct_joint_type type) {
    return is(type, CT_HOLDS_LINE, CT_KEEPS_FRAME);
}

bool ct_joint_is_ball(ct_joint_type type) {
    return is(type, CT_HOLDS_POINT, CT_KEEPS_NOTHING);
}

bool ct_joint_slides_on_line(ct_joint_type type) {
    return ct_joint_has_coordinates(type) && types[type].holds == CT_HOLDS_LINE;
}

bool ct_joint_is_on_axis(ct_joint_type type) {
    return ct_joint_is_hinge(type) || ct_joint_is_slide(type) ||
           is(type, CT_HOLDS_LINE, CT_KEEPS_AXIS);
}

ct_joint_plane ct_joint_plane_of(ct_joint_type type) {
    if (is(type, CT_HOLDS_POINT, CT_KEEPS_FRAME)) return CT_PLANE_ANY;
    if (ct_joint_is_slide(type)) return CT_PLANE_ALONG;
    bool turns = ct_joint_is_hinge(type) || is(type, CT_HOLDS_PLANE, CT_KEEPS_AXIS);
    return turns ? CT_PLANE_ACROSS : CT_PLANE_NONE;
}

// names of coordinates: slides first, then angles -------------------------------------------------
const char *ct_joint_suffix(ct_joint_type type, int i) {
    static const char *const slides[] = {".x", ".y", ".z"}, *const angles[] = {".1", ".2", ".3"};
    int translations = ct_joint_translations(type), rotations = ct_joint_rotations(type);
    if (translations + rotations == 1) return "";
    if (i < translations) return translations == 1 ? ".slide" : slides[i];
    return rotations == 1 ? ".angle" : angles[i - translations];
}
