// Names and memory of a closure.
#include "closure/closure.h"
#include "formulate/ball.h"

#include <stdlib.h>

const char *ct_step_method_name(ct_step_method method) {
    static const char *const names[] = {"given", "linear", "quadratic", "polynomial", "newton"};
    return names[method];
}

static void program_clear(ct_program *p) {
    for (int i = 0; i < p->n; i++) {
        ct_segment *s = p->segments + i;
        free(s->unknown);
        free(s->is_angle);
        free(s->residual);
        free(s->matrix);
        free(s->right);
        free(s->sets);
        free(s->follows);
        free(s->guards);
    }
    free(p->segments);
    free(p->x);
}

void ct_closure_free(ct_closure *c) {
    if (!c) return;
    free(c->independent);
    free(c->dependent);
    free(c->is_independent);
    free(c->value);
    free(c->direct);
    free(c->sign);
    free(c->sign_of);
    free(c->tracked);
    free(c->tracked_direct);
    program_clear(&c->positions);
    program_clear(&c->dynamics);
    program_clear(&c->expansion);
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
    for (int i = 0; i < c->n_blocks; i++) {
        free(c->blocks[i].unknown);
        free(c->blocks[i].psi);
    }
    free(c->blocks);
    for (int i = 0; i < c->n_loops; i++) {
        free(c->loops[i].rows);
        free(c->loops[i].unknown);
    }
    free(c->loops);
    free(c->late);
    ct_formulation_free(c->own);
    free(c);
}
