// Questions to a finished model: numbers of its expressions, indices of its names.
#include "model/model.h"

#include <math.h>
#include <string.h>

// Parameters and inputs are made in the order in which they are listed, so their symbols increase.
#define FIND_SYMBOL(list, n, wanted, found)                                                        \
    do {                                                                                           \
        int low = 0, high = (n)-1;                                                                 \
        while (low <= high) {                                                                      \
            int middle = (low + high) / 2;                                                         \
            if ((list)[middle].symbol == (wanted)) (found) = middle;                               \
            if ((list)[middle].symbol < (wanted))                                                  \
                low = middle + 1;                                                                  \
            else                                                                                   \
                high = middle - 1;                                                                 \
        }                                                                                          \
    } while (0)

static double symbol_value(void *data, ct_ex symbol) {
    const ct_model *m = data;
    int found = -1;
    FIND_SYMBOL(m->parameters, m->n_parameters, symbol, found);
    if (found >= 0) return m->parameters[found].number;
    FIND_SYMBOL(m->inputs, m->n_inputs, symbol, found);
    return found >= 0 ? m->inputs[found].number : NAN;
}

double ct_model_number(const ct_model *model, ct_ex a) {
    unsigned known = 1u << CT_SYMBOL_PARAMETER | 1u << CT_SYMBOL_INPUT;
    if (ct_ex_kinds(model->pool, a) & ~known) return NAN;
    return ct_eval(model->pool, a, symbol_value, (void *)model);
}

int ct_model_coordinate(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_coordinates; i++)
        if (!strcmp(model->coordinates[i].name, name)) return i;
    return -1;
}

// Reads a name up to a dot or the end of the text. Returns what is behind it, NULL: this was the end.
static const char *next_name(const char *text, char *name, size_t size) {
    size_t n = strcspn(text, ".");
    name[0] = '\0';
    if (n < size) memcpy(name, text, n), name[n] = '\0';
    return text[n] ? text + n + 1 : NULL;
}

// True if it names a joint that holds a point, or a distance.
static bool is_end(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint_traits *t = ct_joint_traits_of(model->joints[i].type);
        if (!strcmp(model->joints[i].name, name))
            return t->holds == CT_HOLDS_DISTANCE || t->holds == CT_HOLDS_POINT;
    }
    return false;
}

bool ct_model_may_swing(const ct_model *model, const char *name) {
    enum { LONGEST = 256 };
    char part[3][LONGEST];
    int n = 0;
    while (name && n < 3) name = next_name(name, part[n], LONGEST), n++;
    if (name || n < 2) return false;
    if (n == 2) return is_end(model, part[0]) && is_end(model, part[1]);
    bool first = ct_model_body(model, part[0]) > 0, last = ct_model_body(model, part[2]) > 0;
    return is_end(model, part[1]) &&
           ((first && is_end(model, part[2])) || (last && is_end(model, part[0])));
}

int ct_model_body(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_bodies; i++)
        if (!strcmp(model->bodies[i].name, name)) return i;
    return -1;
}

const char *ct_model_name(const ct_model *model) {
    return model->name;
}

ct_vec3 ct_vec3_zero(void) {
    return (ct_vec3){{CT_ZERO, CT_ZERO, CT_ZERO}};
}

ct_mat3 ct_mat3_identity(void) {
    return (ct_mat3){
        {{CT_ONE, CT_ZERO, CT_ZERO}, {CT_ZERO, CT_ONE, CT_ZERO}, {CT_ZERO, CT_ZERO, CT_ONE}}};
}
