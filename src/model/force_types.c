// The table of force types: properties and names of a type, the expressions of a force.
#include "model/model.h"

#include <string.h>

static const ct_force_traits types[] = {
#define X(name, text, on, like, sign, numbers, gives)                                              \
    {text, CT_ON_##on, CT_LIKE_##like, CT_SIGN_##sign, numbers, gives},
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

const char *ct_force_number_name(ct_force_number number) {
    static const char *const names[] = {
#define X(name, text) text,
        CT_FORCE_NUMBERS(X)
#undef X
    };
    return names[number];
}

const char *ct_force_quantity_name(ct_force_quantity quantity) {
    static const char *const names[] = {
#define X(name, text) text,
        CT_FORCE_QUANTITIES(X)
#undef X
    };
    return names[quantity];
}

static const char *const first[] = {"vector of force", "vector of force",    "vector of force",
                                    "value of force",  "stiffness of force", "damping of force",
                                    "length of force"};
enum { FIRST = sizeof first / sizeof *first, BUSHING = FIRST + CT_FORCE_NUMBER_COUNT };

void ct_force_expressions(const ct_force *force, ct_ex used[CT_FORCE_EXPRESSIONS]) {
    const ct_ex all[FIRST] = {force->vector.v[0], force->vector.v[1], force->vector.v[2],
                              force->value,       force->stiffness,   force->damping,
                              force->length};
    memcpy(used, all, sizeof all);
    memcpy(used + FIRST, force->number, sizeof force->number);
    memcpy(used + BUSHING, force->bushing, sizeof force->bushing);
}

bool ct_force_is_by_load(const ct_force *force) {
    return force->effort != CT_ZERO;
}

const char *ct_force_expression_name(int i) {
    static const char *const numbers[] = {
#define X(name, text) text " of force",
        CT_FORCE_NUMBERS(X)
#undef X
    };
    static const char *const parts[] = {"stiffness of force", "damping of force",
                                        "preload of force"};
    if (i < FIRST) return first[i];
    return i < BUSHING ? numbers[i - FIRST] : parts[(i - BUSHING) / CT_BUSHING_DIRECTIONS];
}
