// The constraint equations as ida takes them: R(t, y, y') = 0 with y = (q, q', work, lambda, mu), the state of
// the kernel first.
#ifndef CT_IDA_EQUATIONS_H
#define CT_IDA_EQUATIONS_H

#include "run/run.h"

typedef struct ct_ida_equations {
    ct_runner *r;
    int index;                         // 1, or 2 with mu
    int n, positions, m;               // coordinates; numbers of positions; rows
    int rates, work, lambda, mu, size; // where these begin in y; numbers of y
    double *push, *rate;               // [positions] scratch
    double *base, *moved, *y, *column; // [size] of the Jacobian
    double *entries;                   // K and C
} ct_ida_equations;

void ct_ida_equations_init(ct_ida_equations *e, ct_runner *r);
void ct_ida_equations_clear(ct_ida_equations *e);
// y and y' of the current state of the kernel: consistent.
ctk_status ct_ida_equations_start(const ct_ida_equations *e, double *y, double *ydot);
// Returns false where a number is not finite.
bool ct_ida_residual(const ct_ida_equations *e, double t, const double *y, const double *ydot,
                     double *out);
// dR/dy + f dR/dy', column by column in `columns`. Returns false likewise.
bool ct_ida_jacobian(const ct_ida_equations *e, double t, double f, const double *y,
                     const double *ydot, double *const *columns);

#endif
