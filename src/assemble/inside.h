// Inside of the assembly: functions that its files share.
#ifndef CT_ASSEMBLE_INSIDE_H
#define CT_ASSEMBLE_INSIDE_H

#include "assemble/assemble.h"
#include "assemble/tolerances.h"

// Phi and (where not NULL) Phi_q at q.
void ct_assembling_evaluate(const ct_formulation *f, ct_numbers *x, const double *q, double *phi,
                            double *phi_q);
// One damped Gauss-Newton descent on |Phi|; `anchor` (or NULL) is the point to stay near. Returns
// the largest |Phi|.
double ct_assembling_descend(const ct_formulation *f, ct_numbers *x, const bool *fixed,
                             const double *anchor, double scale, double *q);
// Finds the rows of f that bind it at and near q0: fills in rank, rows, dropped and redundant of a.
void ct_assembled_find_rows(ct_context *ctx, ct_assembled *a);

#endif
