// What a program costs: operations of its expressions, and of the functions of the kernel that its
// segments call.
#ifndef CT_PROGRAM_COUNT_H
#define CT_PROGRAM_COUNT_H

#include "program/program.h"

// Adds what the functions of the kernel do for a segment once its expressions are there: the
// elimination, the correction of unknowns and of their sines and cosines; a root that is where it
// is expected (one correction), of slides the closed form, roughly.
void ct_segment_count(const ct_program *p, int segment, ct_operations *count);
// The same for all segments.
void ct_program_count_calls(const ct_program *p, ct_operations *count);
// All operations of a program whose unknowns come with their cosines and sines; tracked: the
// symbols of the tracked numbers.
ct_operations ct_program_count(ct_pool *pool, const ct_program *p, const ct_ex *tracked);
// Rewrites all expressions together so that they take fewer operations; these are returned, calls
// aside.
ct_operations ct_program_optimise(ct_pool *pool, ct_program *p);
// Operations of one evaluation; eliminations in loops count several times.
double ct_program_cost(ct_pool *pool, const ct_program *p);

#endif
