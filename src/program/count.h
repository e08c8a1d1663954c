// Operations of a program: those of its expressions, and those of the kernel functions that its
// segments call.
#ifndef CT_PROGRAM_COUNT_H
#define CT_PROGRAM_COUNT_H

#include "program/program.h"

// Adds the operations of the kernel functions of a segment: elimination, correction of unknowns and
// of their sines and cosines. A root counts as one correction next to its last place; the closed
// forms of slides are estimated.
void ct_segment_count(const ct_program *program, int segment, ct_operations *count);
// The same for all segments.
void ct_program_count_calls(const ct_program *program, ct_operations *count);
// All operations of a program whose unknowns come with their cosines and sines; tracked: the
// symbols of the tracked numbers.
ct_operations ct_program_count(ct_pool *pool, const ct_program *program, const ct_ex *tracked);
// Rewrites all expressions together so that they take fewer operations. Returns the operations of
// the expressions, without those of kernel functions.
ct_operations ct_program_optimise(ct_pool *pool, ct_program *program);
// Price of one evaluation in operations; an operation of an elimination in loops counts several
// times.
double ct_program_cost(ct_pool *pool, const ct_program *program);

#endif
