// Joints that come and go (`active`): what they keep of the position in which they become active, and
// which of them hold from the start. They stand behind all other joints of a model, so that trees,
// loops and coordinates are those of the mechanism without them.
#include "model/model.h"

#include <math.h>

const ct_joint *ct_switched_joint(const ct_model *model, int i) {
    return model->joints + model->n_joints + i;
}

bool ct_switched_by_time(const ct_model *model, const ct_joint *joint) {
    const unsigned moving =
        1u << CT_SYMBOL_COORDINATE | 1u << CT_SYMBOL_RATE | 1u << CT_SYMBOL_OTHER;
    return !(ct_ex_kinds(model->pool, joint->active) & moving);
}

bool ct_switched_at_start(const ct_model *model, const ct_joint *joint) {
    double active = 0;
    ct_numbers numbers;
    if (joint->attaches_here || !ct_switched_by_time(model, joint)) return false;
    ct_model_numbers(model, &numbers);
    ct_numbers_eval(&numbers, 1, &joint->active, &active);
    ct_numbers_clear(&numbers);
    return active != 0;
}

int ct_switched_kept(const ct_joint *joint, ct_ex symbol[CT_KEPT_SYMBOLS]) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (joint->kept_place[i] != CT_ZERO) symbol[n++] = joint->kept_place[i];
    for (int i = 0; i < 9; i++)
        if (joint->kept_turn[i / 3][i % 3] != CT_ZERO) symbol[n++] = joint->kept_turn[i / 3][i % 3];
    if (joint->kept_value != CT_ZERO) symbol[n++] = joint->kept_value;
    return n;
}

ct_status ct_refuse_switched(ct_context *ctx, const ct_model *model, const char *what) {
    if (!model->n_switched) return CT_OK;
    const ct_joint *joint = ct_switched_joint(model, 0);
    ct_error_at(ctx, joint->place,
                "joint '%s' comes and goes (active), and %s cannot have such joints yet: use "
                "simulate, or a model without active",
                joint->name, what);
    return CT_WRONG_MODEL;
}
