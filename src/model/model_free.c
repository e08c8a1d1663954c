// Releases a model and everything it owns.
#include "model/model.h"

#include <stdlib.h>

void ct_model_drop_parameters(ct_model *model) {
    model->parameters = NULL;
    model->n_parameters = model->room_parameters = 0;
}

void ct_model_free(ct_model *model) {
    if (model) ct_region_free(&model->memory.region);
}

ct_model *ct_model_fork(const ct_model *model) {
    ct_model *fork = ct_alloc(1, sizeof *fork);
    *fork = *model;
    fork->memory = (ct_memory){0};
    fork->pool = ct_pool_copy(model->pool);
    return fork;
}
