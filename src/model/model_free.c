// Releases a model and everything it owns.
#include "model/model.h"

#include <stdlib.h>

static void free_bodies(ct_model *m) {
    for (int i = 0; i < m->n_bodies; i++) {
        for (int k = 0; k < m->bodies[i].n_points; k++) free(m->bodies[i].points[k].name);
        for (int k = 0; k < m->bodies[i].n_shapes; k++) free(m->bodies[i].shapes[k].path);
        free(m->bodies[i].points);
        free(m->bodies[i].shapes);
        free(m->bodies[i].name);
    }
    free(m->bodies);
}

#define FREE_NAMED(list, n)                                                                        \
    do {                                                                                           \
        for (int i = 0; i < (n); i++) free((list)[i].name);                                        \
        free(list);                                                                                \
    } while (0)

void ct_model_drop_parameters(ct_model *m) {
    FREE_NAMED(m->parameters, m->n_parameters);
    m->parameters = NULL;
    m->n_parameters = m->room_parameters = 0;
}

void ct_model_free(ct_model *m) {
    if (!m) return;
    free_bodies(m);
    FREE_NAMED(m->joints, m->n_joints);
    FREE_NAMED(m->coordinates, m->n_coordinates);
    FREE_NAMED(m->motions, m->n_motions);
    FREE_NAMED(m->forces, m->n_forces);
    FREE_NAMED(m->inputs, m->n_inputs);
    FREE_NAMED(m->parameters, m->n_parameters);
    FREE_NAMED(m->outputs, m->n_outputs);
    FREE_NAMED(m->independent, m->n_independent);
    free(m->probes);
    free(m->initial);
    free(m->guess);
    free(m->rotation);
    free(m->translation);
    free(m->settings.method);
    free(m->settings.integrator);
    free(m->path);
    free(m->name);
    ct_pool_free(m->pool);
    free(m);
}

ct_model *ct_model_fork(const ct_model *model) {
    ct_model *fork = ct_alloc(1, sizeof *fork);
    *fork = *model;
    fork->pool = ct_pool_copy(model->pool);
    return fork;
}

void ct_model_fork_free(ct_model *fork) {
    if (!fork) return;
    ct_pool_free(fork->pool);
    free(fork);
}
