// Inside of the assembly: its state, and what its two files share.
#ifndef CT_ASSEMBLE_H
#define CT_ASSEMBLE_H

#include "run/system.h"

typedef struct ct_assembly {
    ct_context *ctx;
    const ct_formulation *g;
    ct_numbers x;
    double *start, *q, *qd;
    bool *fixed;  // held by `initial`
    double *rate; // held rates
    bool *has_rate;
    double scale; // of lengths, for steps and tolerances
} ct_assembly;

// Phi and (where not NULL) Phi_q at q.
void ct_assembly_evaluate(const ct_formulation *g, ct_numbers *x, const double *q, double *phi,
                          double *phi_q);
// One damped Gauss-Newton descent on |Phi|; `anchor` (or NULL) is the point to stay near. Returns
// the largest |Phi|.
double ct_assembly_descend(const ct_formulation *g, ct_numbers *x, const bool *fixed,
                           const double *anchor, double scale, double *q);
// The assembled state in the coordinates of another formulation.
void ct_assembly_transfer(ct_assembly *s, const ct_formulation *f, double *q, double *qd);
// Sharpens the transferred state on f's own equations, `initial` held.
void ct_assembly_sharpen(ct_assembly *s, const ct_formulation *f, double *q, double *qd,
                         double *residual);
// Every joint coordinate of the model at the assembled position.
void ct_assembly_joints(ct_assembly *s, double *joint);

#endif
