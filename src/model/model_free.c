// Releases a model and everything it owns.
#include "model/model.h"

#include <stdlib.h>

static void free_bodies(ct_model *m) {
    for (int i = 0; i < m->n_bodies; i++) {
        for (int k = 0; k < m->bodies[i].n_points; k++) ct_free(m->bodies[i].points[k].name);
        for (int k = 0; k < m->bodies[i].n_shapes; k++) ct_free(m->bodies[i].shapes[k].path);
        ct_free(m->bodies[i].points);
        ct_free(m->bodies[i].shapes);
        ct_free(m->bodies[i].name);
    }
    ct_free(m->bodies);
}

#define FREE_NAMED(list, n)                                                                        \
    do {                                                                                           \
        for (int i = 0; i < (n); i++) ct_free((list)[i].name);                                     \
        ct_free(list);                                                                             \
    } while (0)

void ct_model_drop_parameters(ct_model *m) {
    FREE_NAMED(m->parameters, m->n_parameters);
    m->parameters = NULL;
    m->n_parameters = m->room_parameters = 0;
}

void ct_model_free(ct_model *m) {
    if (!m || ct_memory_end(&m->memory)) return;
    free_bodies(m);
    FREE_NAMED(m->joints, m->n_joints);
    FREE_NAMED(m->coordinates, m->n_coordinates);
    FREE_NAMED(m->motions, m->n_motions);
    FREE_NAMED(m->forces, m->n_forces);
    FREE_NAMED(m->inputs, m->n_inputs);
    FREE_NAMED(m->parameters, m->n_parameters);
    FREE_NAMED(m->outputs, m->n_outputs);
    FREE_NAMED(m->independent, m->n_independent);
    ct_free(m->probes);
    ct_free(m->initial);
    ct_free(m->guess);
    ct_free(m->rotation);
    ct_free(m->translation);
    ct_free(m->settings.method);
    ct_free(m->settings.integrator);
    ct_free(m->path);
    ct_free(m->name);
    ct_pool_free(m->pool);
    ct_free(m);
}

ct_model *ct_model_fork(const ct_model *model) {
    ct_model *fork = ct_alloc(1, sizeof *fork);
    *fork = *model;
    fork->memory = (ct_memory){0};
    fork->pool = ct_pool_copy(model->pool);
    return fork;
}

void ct_model_fork_free(ct_model *fork) {
    if (!fork) return;
    ct_pool_free(fork->pool);
    ct_free(fork);
}
