// Critical positions of a driven coordinate: all positions where assemblies can appear, vanish or
// meet. Between two of them the number of assemblies is constant.
#ifndef CT_CRITICAL_H
#define CT_CRITICAL_H

#include "configurations/loops/loop_system.h"

typedef struct ct_critical {
    bool complete;   // no other position is critical
    const char *why; // where it is not: the reason, a literal
    bool rounded;    // rational numbers stand for others
    int n;
    double *at; // [n] inside the range, increasing
} ct_critical;

// `model` leaves the driven coordinate open. CT_OK also where nothing is proved.
ct_status ct_critical_find(ct_context *ctx, const ct_budget *budget, const ct_model *model,
                           int coordinate, double low, double high, ct_critical *out);

#endif
