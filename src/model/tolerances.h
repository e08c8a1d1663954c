// Tolerances of what a model says: numbers that a user rounds or computes elsewhere.
#ifndef CT_MODEL_TOLERANCES_H
#define CT_MODEL_TOLERANCES_H

#define CT_AXIS_LENGTH     1e-12 // of the coordinates of two points, or of 1: no direction
#define CT_AXES_PARALLEL   1e-9  // sine of the angle between the axes of a universal joint
#define CT_PERIODIC_ENDS   1e-9  // of the range of a table: its ends are meant to be the same
#define CT_INERTIA_DIGITS  1e-6 // of the largest moment: a matrix that is positive but for rounding
#define CT_INERTIA_ROUNDED 1e-3 // of the largest moment: the triangle inequality with rounded data
#define CT_SAME_SLOPE      1e-9 // of slopes of lines between rows: they are one line but for rounding
#define CT_AXES_APART 1000000000000L // 1e-12, squared sine of such axes with other parameters
enum { CT_SIGNAL_MOST_ROWS = 50000000 }; // of a file of inputs: more than memory is meant for

#endif
