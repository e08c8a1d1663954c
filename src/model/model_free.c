// Forks of a model, and its release with everything it owns.
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

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

ct_model *ct_model_placed(const ct_model *model, const double *joint, const double *placed) {
    ct_model *fork = ct_model_fork(model);
    const size_t n = (size_t)model->n_coordinates, parts = 6 * (size_t)model->n_bodies;
    double *copy = ct_alloc(parts + 1, sizeof *copy);
    memcpy(copy, placed, parts * sizeof *copy);
    fork->placed = copy;
    fork->initial = NULL;
    fork->n_initial = fork->room_initial = 0;
    fork->guess = ct_alloc(n + 1, sizeof *fork->guess);
    fork->n_guess = fork->room_guess = (int)n;
    for (size_t i = 0; i < n; i++)
        fork->guess[i] = (ct_start){
            .coordinate = (int)i, .value = ct_exact_number(fork->pool, joint[i]), .rate = CT_ZERO};
    // another start is another content
    ct_digest_add(&fork->content, joint, n * sizeof *joint);
    ct_digest_add(&fork->content, placed, parts * sizeof *placed);
    return fork;
}
