// Inside of the assembly: functions that its files share.
#ifndef CT_ASSEMBLE_INSIDE_H
#define CT_ASSEMBLE_INSIDE_H

#include "assemble/initial.h"
#include "assemble/tolerances.h"

// Phi and (where not NULL) Phi_q at q.
void ct_assembling_evaluate(const ct_formulation *f, ct_numbers *numbers, const double *q,
                            double *phi, double *phi_q);
// Distance of the bodies from where they are at the start (nearness.c). x and f must outlive it.
typedef struct ct_nearness ct_nearness;
ct_nearness *ct_nearness_new(const ct_formulation *f, ct_numbers *numbers, const double *start,
                             double length);
int ct_nearness_rows(const ct_nearness *near); // six for each body
// The gaps at q, [rows]; returns the sum of their squares.
double ct_nearness_gaps(ct_nearness *near, const double *q, double *gap);
// Their derivatives by the coordinates, [rows x f->n].
void ct_nearness_jacobian(ct_nearness *near, const double *q, double *j);
// Velocities in joints at q (joint_rates.c), [6 n x f->n]: columns of given rates without what these
// contribute themselves.
void ct_nearness_joint_velocities(ct_nearness *near, const double *q, const bool *has_rate, int n,
                                  const ct_rate_joint *joints, double *j);

// One damped Gauss-Newton descent on |Phi|, lengths in units of `scale`. near NULL: the smallest
// steps, angles in radians and slides in scales; else steps that also bring the bodies nearest to
// their start. Returns the largest |Phi|.
double ct_assembling_descend(const ct_formulation *f, ct_numbers *numbers, const bool *fixed,
                             ct_nearness *near, double scale, double *q);
// Coordinate k of f and its rate in terms of the assembly's coordinates; g is seen in f's pool, and
// `time` derives its coordinates.
void ct_assembling_express(const ct_formulation *g, const ct_formulation *f, int k,
                           ct_derivation *time, ct_ex *value, ct_ex *rate);
// Finds the rows of f that bind it at and near q0: fills in rank, rows, dropped and redundant of `at`.
void ct_assembled_find_rows(ct_context *ctx, ct_assembled *at);

#endif
