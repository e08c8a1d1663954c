// Real assemblies of a mechanism at its given coordinates, as coordinates of the loops' formulation.
#ifndef CT_ASSEMBLIES_H
#define CT_ASSEMBLIES_H

#include "configurations/loops/loop_system.h"

typedef struct ct_assemblies {
    int n;
    double **q; // [n][s->f->n]
    int dimension;
} ct_assemblies;

// `s` is made here, and cleared by the caller in any case.
ct_status ct_assemblies_find(ct_context *ctx, const ct_configurations_options *options,
                             const ct_model *model, ct_loop_system *s, ct_assemblies *out);
void ct_assemblies_clear(ct_assemblies *a);

#endif
