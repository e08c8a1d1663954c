// Frames of balls. Three angles of a ball inside a loop are coordinates of the assembly and of some
// closures, and near their lock neither has rates or directions. There the second frame of the joint
// is turned by quarter turns Q until the angles are far from any lock:
//   R(J.1, J.2, J.3) = R(q1, q2, q3) Q^T.
// Equations know q alone. Angles by name follow for results.
#ifndef CT_ASSEMBLE_TURNED_H
#define CT_ASSEMBLE_TURNED_H

#include "model/model.h"

// A fork of the model with such frames for the balls that need them, and with `initial` and `guess`
// in their angles. joint: the coordinates of the model by name to judge by; NULL: those of the start.
// Returns NULL if no ball is near its lock. The model must outlive it.
ct_model *ct_model_turned(const ct_model *model, const double *joint);
// True if both have the same frames; NULL is the model as the user wrote it.
bool ct_model_same_turns(const ct_model *a, const ct_model *b);

// Three angles of a turned joint, their rates and (where not NULL) accelerations, in place: those by
// name, on any branch.
void ct_joint_angles_by_name(const ct_joint *joint, double *angle, double *rate, double *second);

#endif
