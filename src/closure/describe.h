// Closures put to the test and described, as the commands ask for them.
#ifndef CT_DESCRIBE_H
#define CT_DESCRIBE_H

#include "closure/choose.h"

// A closure in words and numbers. Fails if the closure does not give back the position it started
// from.
ct_status ct_closed_describe(ct_context *ctx, const ct_closed *closed, ct_close_info **info);
void ct_close_info_release(ct_close_info *info); // ct_release
// Largest |Phi| after closing from the independent coordinates at the initial position, and a
// little way along the motion. Returns false if step *step has no solution at the initial position.
bool ct_close_probe(const ct_assembled *at, const ct_closure *c, double *most, int *step);
// The same at positions all around the initial one, as far from it as `reach` (in every independent
// coordinate, lengths in units of the typical one), and at times all over the run: what holds there
// holds everywhere. Returns the share of them that can be closed.
double ct_close_probe_wide(const ct_assembled *at, const ct_closure *c, double reach, double *most);
// True if the one independent coordinate is an angle that can go once around.
bool ct_close_probe_turn(const ct_assembled *at, const ct_closure *c);

#endif
