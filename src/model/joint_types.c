// What each joint type is called and how many coordinates it has, from the table in model.h.
#include "model/read/read.h"

static const struct {
    const char *name;
    int translations, rotations;
} types[] = {
#define X(name, text, nt, nr, rows) {text, nt, nr},
    CT_JOINT_TYPES(X)
#undef X
};

const char *ct_joint_type_name(ct_joint_type type) {
    return types[type].name;
}

bool ct_joint_has_coordinates(ct_joint_type type) {
    return types[type].translations >= 0;
}

int ct_joint_translations(ct_joint_type type) {
    return types[type].translations > 0 ? types[type].translations : 0;
}

int ct_joint_rotations(ct_joint_type type) {
    return types[type].rotations > 0 ? types[type].rotations : 0;
}

const char *ct_joint_suffix(ct_joint_type type, int i) {
    static const char *const suffixes[CT_JOINT_TYPE_COUNT][6] = {
        [CT_JOINT_CYLINDRICAL] = {".slide", ".angle"},
        [CT_JOINT_UNIVERSAL] = {".1", ".2"},
        [CT_JOINT_SPHERICAL] = {".1", ".2", ".3"},
        [CT_JOINT_PLANAR] = {".x", ".y", ".angle"},
        [CT_JOINT_FREE] = {".x", ".y", ".z", ".1", ".2", ".3"},
        [CT_JOINT_POINT] = {".x", ".y", ".z"},
    };
    return suffixes[type][i] ? suffixes[type][i] : "";
}

ct_vec3 ct_vec3_zero(void) {
    return (ct_vec3){{CT_ZERO, CT_ZERO, CT_ZERO}};
}

ct_mat3 ct_mat3_identity(void) {
    return (ct_mat3){
        {{CT_ONE, CT_ZERO, CT_ZERO}, {CT_ZERO, CT_ONE, CT_ZERO}, {CT_ZERO, CT_ZERO, CT_ONE}}};
}
