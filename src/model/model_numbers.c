// Numbers of a model: its defaults for an evaluation, and the length that others are measured by.
#include "model/model.h"

#include <math.h>

// Value, rate and acceleration of an input, where it has symbols for them.
static void set_input(ct_numbers *numbers, const ct_input *u, const double number[3]) {
    ct_numbers_set(numbers, 1, &u->symbol, number);
    if (u->rate == CT_ZERO) return;
    ct_numbers_set(numbers, 1, &u->rate, number + 1);
    ct_numbers_set(numbers, 1, &u->acceleration, number + 2);
}

// What a joint keeps that attaches where it is, before it does: frames that coincide, and its length.
static void set_kept(const ct_model *model, const ct_joint *joint, ct_numbers *numbers) {
    const double zero = 0, one = 1;
    ct_numbers_set(numbers, 1, &joint->holds, &zero);
    for (int i = 0; i < 3; i++)
        if (joint->kept_place[i] != CT_ZERO)
            ct_numbers_set(numbers, 1, &joint->kept_place[i], &zero);
    for (int i = 0; i < 9; i++)
        if (joint->kept_turn[i / 3][i % 3] != CT_ZERO)
            ct_numbers_set(numbers, 1, &joint->kept_turn[i / 3][i % 3], i % 4 ? &zero : &one);
    if (joint->kept_value == CT_ZERO) return;
    const double length = ct_joint_traits_of(joint->type)->holds == CT_HOLDS_DISTANCE
                              ? ct_model_number(model, joint->length)
                              : 0;
    ct_numbers_set(numbers, 1, &joint->kept_value, &length);
}

void ct_model_numbers(const ct_model *model, ct_numbers *numbers) {
    double zero = 0;
    ct_numbers_init(numbers, model->pool);
    ct_numbers_set(numbers, 1, &model->time, &zero);
    for (int i = 0; i < model->n_parameters; i++)
        ct_numbers_set(numbers, 1, &model->parameters[i].symbol, &model->parameters[i].number);
    for (int i = 0; i < model->n_inputs; i++)
        set_input(numbers, model->inputs + i, model->inputs[i].start);
    // friction by load is found where something moves, by the kernel
    for (int i = 0; i < model->n_forces; i++)
        if (ct_force_is_by_load(model->forces + i))
            ct_numbers_set(numbers, 1, &model->forces[i].effort, &zero);
    for (int i = 0; i < model->n_switched; i++)
        set_kept(model, ct_switched_joint(model, i), numbers);
}

void ct_model_set_inputs(const ct_model *model, const double *u, ct_numbers *numbers) {
    const int n = model->n_inputs;
    for (int i = 0; i < n; i++)
        set_input(numbers, model->inputs + i, (double[]){u[i], u[n + i], u[2 * n + i]});
}

void ct_derivation_map_time(ct_derivation *d, const ct_model *model) {
    ct_derivation_map(d, model->time, CT_ONE);
    for (int i = 0; i < model->n_inputs; i++) {
        const ct_input *u = model->inputs + i;
        if (u->rate == CT_ZERO) continue;
        ct_derivation_map(d, u->symbol, u->rate);
        ct_derivation_map(d, u->rate, u->acceleration);
    }
}

bool ct_depends_on_time(const ct_model *model, ct_pool *pool, ct_ex a) {
    if (ct_depends(pool, a, model->time)) return true;
    for (int i = 0; i < model->n_inputs; i++)
        if (model->inputs[i].rate != CT_ZERO && ct_depends(pool, a, model->inputs[i].symbol))
            return true;
    return false;
}

// lengths -----------------------------------------------------------------------------------------
// The largest (or smallest) of some expressions in parameters: of numbers one is left.
typedef struct extreme {
    const ct_model *m;
    ct_op op;        // CT_OP_MAX or CT_OP_MIN
    ct_ex number[2]; // of those without parameters, of the others
    bool has[2];
} extreme;

static void extreme_add(extreme *x, ct_ex a) {
    ct_pool *pool = x->m->pool;
    const bool symbolic = ct_ex_kinds(pool, a) != 0;
    ct_ex *to = x->number + symbolic;
    const ct_ex both[] = {*to, a};
    if (!x->has[symbolic])
        *to = a;
    else if (symbolic)
        *to = a == *to ? a : ct_apply(pool, x->op, both);
    else if ((ct_model_number(x->m, a) > ct_model_number(x->m, *to)) == (x->op == CT_OP_MAX))
        *to = a;
    x->has[symbolic] = true;
}

static ct_ex extreme_get(const extreme *x) {
    if (x->has[0] && x->has[1]) return ct_apply(x->m->pool, x->op, x->number);
    return x->has[0] ? x->number[0] : x->has[1] ? x->number[1] : CT_ZERO;
}

// Adds the sizes of the components of a point.
static void extreme_point(extreme *x, ct_vec3 p) {
    for (int k = 0; k < 3; k++)
        if (p.v[k] != CT_ZERO) extreme_add(x, ct_apply(x->m->pool, CT_OP_ABS, &p.v[k]));
}

// Points of joints; without any, points that are led or looked at, and centres of mass.
ct_ex ct_typical_length_symbolic(const ct_model *model) {
    extreme x = {.m = model, .op = CT_OP_MAX};
    for (int i = 0; i < model->n_joints + model->n_switched; i++)
        for (int side = 0; side < 2 && model->joints[i].body[0] >= 0; side++)
            extreme_point(&x, model->joints[i].at[side]);
    if (ct_model_number(model, extreme_get(&x)) > 0) return extreme_get(&x);
    for (int i = 0; i < model->n_probes; i++)
        for (int side = 0; side < 2; side++) extreme_point(&x, model->probes[i].at[side]);
    for (int i = 0; i < model->n_bodies; i++) extreme_point(&x, model->bodies[i].com);
    return ct_model_number(model, extreme_get(&x)) > 0 ? extreme_get(&x) : CT_ONE;
}

ct_ex ct_body_length_symbolic(const ct_model *model) {
    extreme most = {.m = model, .op = CT_OP_MAX};
    for (int b = 0; b < model->n_bodies; b++)
        for (int k = 0; k < 3; k++) {
            extreme low = {.m = model, .op = CT_OP_MIN}, high = {.m = model, .op = CT_OP_MAX};
            for (int i = 0; i < 2 * model->n_joints; i++) {
                const ct_joint *j = model->joints + i / 2;
                if (j->body[0] < 0 || j->body[i % 2] != b) continue;
                extreme_add(&low, j->at[i % 2].v[k]);
                extreme_add(&high, j->at[i % 2].v[k]);
            }
            ct_ex range = ct_sub(model->pool, extreme_get(&high), extreme_get(&low));
            if (range != CT_ZERO) extreme_add(&most, range);
        }
    return ct_model_number(model, extreme_get(&most)) > 0 ? extreme_get(&most) : CT_ONE;
}

// Largest component of a point.
static double extent(const ct_model *model, ct_vec3 p) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(ct_model_number(model, p.v[k])));
    return most;
}

// Points of joints; without any, points that are led or looked at, and centres of mass.
double ct_typical_length(const ct_model *model) {
    double most = 0;
    for (int i = 0; i < model->n_joints + model->n_switched; i++)
        for (int side = 0; side < 2 && model->joints[i].body[0] >= 0; side++)
            most = fmax(most, extent(model, model->joints[i].at[side]));
    if (most > 0) return most;
    for (int i = 0; i < model->n_probes; i++)
        for (int side = 0; side < 2; side++)
            most = fmax(most, extent(model, model->probes[i].at[side]));
    for (int i = 0; i < model->n_bodies; i++)
        most = fmax(most, extent(model, model->bodies[i].com));
    return most > 0 ? most : 1;
}

double ct_body_length(const ct_model *model) {
    double most = 0;
    for (int b = 0; b < model->n_bodies; b++)
        for (int k = 0; k < 3; k++) {
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (int i = 0; i < 2 * model->n_joints; i++) {
                const ct_joint *j = model->joints + i / 2;
                if (j->body[0] < 0 || j->body[i % 2] != b) continue;
                double x = ct_model_number(model, j->at[i % 2].v[k]);
                low = fmin(low, x);
                high = fmax(high, x);
            }
            most = fmax(most, high - low);
        }
    return most > 0 ? most : 1;
}
