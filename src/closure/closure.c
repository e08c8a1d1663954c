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
    // coordinates, registers and the three programs
    ct_free(c->independent);
    ct_free(c->dependent);
    ct_free(c->is_independent);
    ct_registers_clear(&c->registers);
    ct_program_clear(&c->positions);
    ct_program_clear(&c->dynamics);
    ct_program_clear(&c->expansion);
    // coordinates in terms of registers
    ct_free(c->accelerations);
    ct_free(c->q_value);
    ct_free(c->q_sine);
    ct_free(c->q_cosine);
    // steps with their names and texts
    for (int i = 0; i < c->n_steps; i++) {
        for (int k = 0; k < c->steps[i].n_unknowns; k++) ct_free(c->steps[i].unknowns[k]);
        ct_free(c->steps[i].unknowns);
        ct_free(c->steps[i].text);
    }
    ct_free(c->steps);
    // equations for rates, and rows for iterations loop by loop
    for (int i = 0; i < c->n_rate_blocks; i++) {
        ct_free(c->rate_blocks[i].unknown);
        ct_free(c->rate_blocks[i].psi);
    }
    ct_free(c->rate_blocks);
    for (int i = 0; i < c->n_constraint_blocks; i++) {
        ct_free(c->constraint_blocks[i].rows);
        ct_free(c->constraint_blocks[i].unknown);
    }
    ct_free(c->constraint_blocks);
    ct_free(c->late);
    ct_formulation_free(c->owned);
    ct_free(c);
}
