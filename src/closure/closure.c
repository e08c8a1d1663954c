// Names and memory of a closure.
#include "closure/closure.h"

#include <stdlib.h>

const char *ct_step_method_name(ct_step_method method) {
    static const char *const names[] = {"given",   "linear",     "quadratic", "cubic",
                                        "quartic", "polynomial", "newton"};
    return names[method];
}

void ct_closure_free(ct_closure *c) {
    if (!c) return;
    free(c->independent);
    free(c->dependent);
    free(c->is_independent);
    ct_registers_clear(&c->registers);
    ct_program_clear(&c->positions);
    ct_program_clear(&c->dynamics);
    ct_program_clear(&c->expansion);
    free(c->accelerations);
    free(c->q_value);
    free(c->q_sine);
    free(c->q_cosine);
    for (int i = 0; i < c->n_steps; i++) {
        for (int k = 0; k < c->steps[i].n_unknowns; k++) free(c->steps[i].unknowns[k]);
        free(c->steps[i].unknowns);
        free(c->steps[i].text);
    }
    free(c->steps);
    for (int i = 0; i < c->n_rate_blocks; i++) {
        free(c->rate_blocks[i].unknown);
        free(c->rate_blocks[i].psi);
    }
    free(c->rate_blocks);
    for (int i = 0; i < c->n_constraint_blocks; i++) {
        free(c->constraint_blocks[i].rows);
        free(c->constraint_blocks[i].unknown);
    }
    free(c->constraint_blocks);
    free(c->late);
    ct_formulation_free(c->owned);
    free(c);
}
