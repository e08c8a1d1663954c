// Numbers of a model: its defaults for an evaluation, and the length that others are measured by.
#include "model/model.h"

#include <math.h>

// Value, rate and acceleration of an input, where it has symbols for them.
static void set_input(ct_numbers *x, const ct_input *u, const double number[3]) {
    ct_numbers_set(x, 1, &u->symbol, number);
    if (u->rate == CT_ZERO) return;
    ct_numbers_set(x, 1, &u->rate, number + 1);
    ct_numbers_set(x, 1, &u->acceleration, number + 2);
}

void ct_model_numbers(const ct_model *model, ct_numbers *x) {
    double zero = 0;
    ct_numbers_init(x, model->pool);
    ct_numbers_set(x, 1, &model->time, &zero);
    for (int i = 0; i < model->n_parameters; i++)
        ct_numbers_set(x, 1, &model->parameters[i].symbol, &model->parameters[i].number);
    for (int i = 0; i < model->n_inputs; i++)
        set_input(x, model->inputs + i, model->inputs[i].start);
}

void ct_model_set_inputs(const ct_model *model, const double *u, ct_numbers *x) {
    const int n = model->n_inputs;
    for (int i = 0; i < n; i++)
        set_input(x, model->inputs + i, (double[]){u[i], u[n + i], u[2 * n + i]});
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

// Largest component of a point.
static double extent(const ct_model *m, ct_vec3 p) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(ct_model_number(m, p.v[k])));
    return most;
}

// Points of joints; without any, points that are led or looked at, and centres of mass.
double ct_typical_length(const ct_model *m) {
    double most = 0;
    for (int i = 0; i < m->n_joints; i++)
        for (int side = 0; side < 2 && m->joints[i].body[0] >= 0; side++)
            most = fmax(most, extent(m, m->joints[i].at[side]));
    if (most > 0) return most;
    for (int i = 0; i < m->n_probes; i++)
        for (int side = 0; side < 2; side++) most = fmax(most, extent(m, m->probes[i].at[side]));
    for (int i = 0; i < m->n_bodies; i++) most = fmax(most, extent(m, m->bodies[i].com));
    return most > 0 ? most : 1;
}
