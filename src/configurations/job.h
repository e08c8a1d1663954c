// One search for configurations: what it was asked for, the solver's options and what was found so
// far. Polynomial systems (configurations.c) and mechanisms (assemblies.c) fill the same result.
#ifndef CT_CONFIGURATIONS_JOB_H
#define CT_CONFIGURATIONS_JOB_H

#include "algebra/solve/solve.h"
#include "configurations/factors.h"
#include "configurations/trig/trig_poly.h"

#include <complex.h>

typedef struct ct_configurations_job {
    ct_context *ctx;
    const ct_configurations_options *options;
    ct_solve_options solve;
    ct_factors factors; // of a mechanism
    ct_configurations_result *out;
    int room_notes;
} ct_configurations_job;

// Sets the solver's options from the caller's; fails at a method that is not known.
ct_status ct_job_start(ct_configurations_job *j);
// Adds a note for the user, which the result owns from now on.
void ct_job_note(ct_configurations_job *j, char *owned);
// Notes which rational numbers stand in for irrational ones, right to so many digits.
void ct_job_note_stand_ins(ct_configurations_job *j, int digits, int n, char *const *texts);
// Takes degree, coefficients, sizes and times of the solver into the result.
void ct_job_take_figures(ct_configurations_job *j, const ct_ring *ring, ct_solutions *s);
// Takes names of unknowns that are free where there are infinitely many solutions.
void ct_job_take_free(ct_configurations_job *j, const ct_trig_system *system, const ct_solutions *s,
                      const char *(*name)(const void *owner, int symbol, int taken),
                      const void *owner);
// A configuration with room for its values, which are not set yet.
ct_configuration ct_configuration_new(const ct_configurations_result *r, const ct_solution *s);
void ct_configuration_set(ct_configuration *c, int i, double complex z);
// The angle whose cosine and sine are c and s; complex where these are.
double complex ct_complex_angle(double complex c, double complex s);

// Solves the loops of a mechanism and fills the result (assemblies.c).
ct_status ct_solve_mechanism(ct_configurations_job *j, const ct_model *model);

#endif
