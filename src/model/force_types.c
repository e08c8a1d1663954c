// The table of force types: properties and names of a type, the expressions of a force.
#include "model/model.h"

#include <string.h>

static const ct_force_traits types[] = {
#define X(name, text, on, like, sign, numbers)                                                     \
    {text, CT_ON_##on, CT_LIKE_##like, CT_SIGN_##sign, numbers},
    CT_FORCE_TYPES(X)
#undef X
};

const ct_force_traits *ct_force_traits_of(ct_force_type type) {
    return types + type;
}

const char *ct_force_type_name(ct_force_type type) {
    return types[type].name;
}

const char *ct_force_sign_name(ct_force_type type) {
    static const char *const names[] = {
#define X(name, text) text,
        CT_FORCE_SIGNS(X)
#undef X
    };
    return names[types[type].sign];
}

bool ct_force_drives(ct_force_type type) {
    return types[type].on == CT_ON_COORDINATE && types[type].like == CT_LIKE_VALUE;
}

void ct_force_expressions(const ct_force *force, ct_ex used[CT_FORCE_EXPRESSIONS]) {
    const ct_ex all[CT_FORCE_EXPRESSIONS] = {
        force->vector.v[0], force->vector.v[1], force->vector.v[2], force->value,
        force->stiffness,   force->damping,     force->length};
    memcpy(used, all, sizeof all);
}
