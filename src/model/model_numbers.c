// Numbers of a model: its defaults for an evaluation, and the length that others are measured by.
#include "model/model.h"

#include <math.h>

void ct_model_numbers(const ct_model *model, ct_numbers *x) {
    double zero = 0;
    ct_numbers_init(x, model->pool);
    ct_numbers_set(x, 1, &model->time, &zero);
    for (int i = 0; i < model->n_parameters; i++)
        ct_numbers_set(x, 1, &model->parameters[i].symbol, &model->parameters[i].number);
    for (int i = 0; i < model->n_inputs; i++) {
        double v = ct_model_number(model, model->inputs[i].value);
        ct_numbers_set(x, 1, &model->inputs[i].symbol, &v);
    }
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
