// Tolerances of pages and drawings: what an eye does not tell apart, and what is rounding in the
// rows of a result. Lengths without relation to the size of the mechanism are in the model's units,
// and say so. Nothing here changes a result.
#ifndef CT_VIEW_TOLERANCES_H
#define CT_VIEW_TOLERANCES_H

// frames ------------------------------------------------------------------------------------------
#define CT_FRAMES_VISIBLE  2e-4 // of the mechanism's size, of 1 (quaternions), of a curve's range
#define CT_FRAMES_CONSTANT 1e-9 // of the largest value: the range of a curve that is constant
#define CT_TWIST_STEP      1e-4 // radians or the model's lengths: from a row to its neighbours

// anchors and the plane of motion -----------------------------------------------------------------
#define CT_ANCHORS_SAME  1e-9  // distance in the model's units: two points that are one
#define CT_LINE_THROUGH2 1e-12 // squared distance from the axis, of the squared arm: on the axis
#define CT_LINE_POINT2   1e-12 // squared arm, in the model's units: the joint point itself
#define CT_VIEW_TURN     1e-9  // 1 - |cosine| of an axis and the normal: 4.5e-5 radians apart
#define CT_VIEW_SLIDE    1e-6  // |cosine| of a slide and the normal: radians out of the plane
#define CT_VIEW_ALONG    0.999 // cosine: the normal is meant to be a world axis, within 3 degrees

// drawings: lengths in drawing units, 480 for the longest side ------------------------------------
#define CT_STILL_FARTHEST     1e100 // coordinate of a body, in the model's units: beyond, no place
#define CT_STILL_NO_DIRECTION 1e-12 // length of a vector, in its own units: no direction
#define CT_STILL_CLEARLY2     0.5   // squared sine of the angle to a direction: 45 degrees at least
#define CT_STILL_STRAIGHT     1e-6  // twice a triangle's area: three points on one line
#define CT_STILL_SAME_DEPTH   1e-3  // depths less apart are the same: the order of drawing counts
#define CT_STILL_UPRIGHT      1e-9  // cosine of the angle to the paper's x: a vertical rail
#define CT_STILL_RAIL_END_ON  0.05  // length of a unit vector on paper: a slide that is a point
#define CT_STILL_PIN_END_ON   0.3   // the same of a pin: drawn as a circle, not as a bar
#define CT_STILL_SLENDER      14    // length of a typical body over the thickness of its bar
#define CT_STILL_THINNEST     3     // thickness of a bar: still a bar
#define CT_STILL_THICKEST     14    // thickness of a bar: joints inside can be told apart

#endif
