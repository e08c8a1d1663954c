// Solutions of the loops of a mechanism, put together, as configurations of a result (placed.c).
#ifndef CT_PLACED_H
#define CT_PLACED_H

#include "configurations/job.h"
#include "configurations/loops/loop_system.h"

// Names of values: joint coordinates of the model, then bodies' own.
void ct_placed_names(ct_configurations_result *r, const ct_loop_system *s);
// All solutions, real ones first, with notes on what was left out.
void ct_placed_take(ct_configurations_job *j, ct_loop_system *s, const ct_solutions *found);
// A mechanism without unknowns: one configuration if it closes, else none.
void ct_placed_take_known(ct_configurations_job *j, ct_loop_system *s);

#endif
