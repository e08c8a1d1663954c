// Private to steps: arms of a body that is to be turned into place.
#ifndef CT_STEPS_ARMS_H
#define CT_STEPS_ARMS_H

#include "closure/steps/builder.h"

// Components of a vector relation across the arm: t . R^T way, two of them. Of points, those of the
// gap that is left between them, with the directions frozen. second: a vector that the arm is never
// parallel to, for arms that swing in the child; NULL: none.
void ct_steps_across(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                     ct_vec3 arm, ct_vec3 way, const ct_vec3 *second, ct_ex *psi);
// The arm to the point in which a line of the child (relation r) meets a known point. arm: to the
// line's own point, in coordinates; way: to the known point, in values and in `frame`. Both start
// from the centre that the child turns about. The result is in values.
ct_vec3 ct_steps_arm_on_line(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                             const ct_relation *r, int frame, ct_vec3 arm, ct_vec3 way);
// The two planes of the line, for the rates.
void ct_steps_line_rows(const ct_step_builder *build, const ct_relation *r, int frame, ct_ex *psi);

#endif
