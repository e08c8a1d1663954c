// What solving a polynomial system and solving the loops of a mechanism have in common: options and
// progress of the solver, figures of what it found, notes for the user.
#include "configurations/job.h"
#include "configurations/loops/loop_system.h"

#include <math.h>
#include <string.h>

typedef ct_configurations_result result;

void ct_job_note(ct_configurations_job *j, char *owned) {
    *CT_PUSH(j->out->notes, j->out->n_notes, j->room_notes) = owned;
}

static void pass_on(void *data, const char *stage, double share) {
    const ct_configurations_job *j = data;
    ct_report(j->ctx, stage, share > 0 ? share : -1, j->options->stop != NULL);
}

ct_status ct_job_start(ct_configurations_job *j) {
    static const char *const methods[] = {"sylvester", "rur", "eigen"};
    static const ct_solve_method values[] = {CT_SOLVE_SYLVESTER, CT_SOLVE_RUR, CT_SOLVE_EIGEN};
    const ct_configurations_options *o = j->options;
    ct_solve_options_init(&j->solve);
    j->solve.hide = -1;
    j->solve.prove = o->prove;
    j->solve.budget = (ct_budget){.seconds = o->seconds,
                                  .bytes = o->bytes,
                                  .progress = pass_on,
                                  .progress_data = j,
                                  .stop = o->stop};
    ct_limits_call(&j->solve.budget);
    for (int i = 0; i < 3; i++)
        if (!o->method || !strcmp(o->method, methods[i])) {
            j->solve.method = values[i];
            return CT_OK;
        }
    return ct_fail(j->ctx, CT_USAGE, "unknown method '%s': sylvester, rur or eigen", o->method);
}

// what the solver found ---------------------------------------------------------------------------
void ct_job_take_figures(ct_configurations_job *j, const ct_ring *ring, ct_solutions *s) {
    result *r = j->out;
    r->dimension = s->dimension;
    r->generators = s->generators;
    r->terms = (long)s->terms;
    r->method = s->method;
    r->seconds += s->total_seconds;
    r->basis_seconds = s->basis_seconds;
    r->eliminant_seconds = s->eliminant_seconds;
    r->root_seconds = s->root_seconds;
    if (s->dimension) return;
    r->degree = s->eliminant_degree;
    r->multiplicity = (long)s->degree;
    r->matrix = s->matrix;
    r->coefficients = s->coefficients; // taken over
    s->coefficients = NULL;
    if (s->variable >= 0) r->variable = ct_strdup(ring->names[s->variable]);
}

// Names of the unknowns that a solution leaves free: by the symbols of the ring, once each.
void ct_job_take_free(ct_configurations_job *j, const ct_trig_system *system, const ct_solutions *s,
                      const char *(*name)(const void *owner, int symbol, int taken),
                      const void *owner) {
    int last = -1, room = 0;
    if (s->is_bound)
        ct_job_note(j, ct_strdup("there may be more freedoms: so many follow from the rank of the "
                                 "equations and one solution modulo a prime, since the basis of "
                                 "infinitely many solutions would take too long"));
    for (int k = 0; k < system->ring->n; k++) {
        if (!(s->free >> k & 1) || system->symbol[k] == last) continue;
        last = system->symbol[k];
        const char *found = name(owner, last, j->out->n_free);
        *CT_PUSH(j->out->free, j->out->n_free, room) = ct_strdup(found);
    }
}

double complex ct_complex_angle(double complex c, double complex s) {
    return -I * clog(c + I * s);
}

void ct_configuration_set(ct_configuration *c, int i, double complex z) {
    c->re[i] = creal(z);
    c->im[i] = cimag(z);
}

ct_configuration ct_configuration_new(const result *r, const ct_solution *s) {
    ct_configuration c = {.real = s->real,
                          .certified = s->certified,
                          .multiplicity = s->multiplicity,
                          .residual = s->residual,
                          .re = ct_alloc((size_t)r->n_values + 1, sizeof(double)),
                          .im = ct_alloc((size_t)r->n_values + 1, sizeof(double))};
    return c;
}

void ct_job_note_stand_ins(ct_configurations_job *j, int digits, int n, char *const *texts) {
    if (!n) return;
    ct_text list = {0};
    for (int i = 0; i < n && i < 8; i++) ct_text_printf(&list, "%s%.60s", i ? ", " : "", texts[i]);
    if (n > 8) ct_text_printf(&list, " and %d more", n - 8);
    ct_job_note(j, ct_format("not rational, replaced by fractions that agree to %d digits: %s",
                             digits, list.s));
    ct_text_clear(&list);
}

// The ring's unknowns, and an angle itself before its cosine and sine.
