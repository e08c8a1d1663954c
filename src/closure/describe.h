// Closures as the commands ask for them.
#ifndef CT_CLOSE_INFO_H
#define CT_CLOSE_INFO_H

#include "closure/closure.h"
#include "run/system.h"

// ct_close_system_with, after a check of the names.
ct_status ct_close_named(ct_context *ctx, ct_system *s, int n, const char *const *names);
// Largest |Phi| after closing from the independent coordinates at the initial position, and a
// little way along the motion. False: it does not close at the initial position; *step is where.
bool ct_close_probe(const ct_system *s, const ct_closure *closure, double *most, int *step);
// The same at positions all around the initial one, as far from it as `reach` (in every independent
// coordinate, lengths in units of the typical one), and at times all over the run: what holds there
// holds everywhere. Returns the share of them that can be closed.
double ct_close_probe_wide(const ct_system *s, const ct_closure *closure, double reach,
                           double *most);

#endif
