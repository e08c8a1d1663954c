// Releases a model and everything it owns.
#include "model/model.h"

#include <stdlib.h>

void ct_model_drop_parameters(ct_model *m) {
    m->parameters = NULL;
    m->n_parameters = m->room_parameters = 0;
}

void ct_model_free(ct_model *m) {
    if (m) ct_region_free(&m->memory.region);
}

ct_model *ct_model_fork(const ct_model *model) {
    ct_model *fork = ct_alloc(1, sizeof *fork);
    *fork = *model;
    fork->memory = (ct_memory){0};
    fork->pool = ct_pool_copy(model->pool);
    return fork;
}
