// Values: symbols for sines, cosines and slides. Expressions of the formulation hold sines and
// cosines of sums of angles, since angles about parallel axes add up. Steps solve for the sine and
// cosine of some sums, and the others follow by the addition formulas. Each pair has two value
// symbols.
#ifndef CT_VALUES_H
#define CT_VALUES_H

#include "closure/closure.h"

typedef struct ct_values ct_values;

// An unknown as the values that stand for it: the cosine and sine of a sum of angles, or a slide.
typedef struct ct_unknown {
    int coordinate; // into f->q
    bool is_angle;
    ct_ex angle_sum; // turn: the sum of angles
    ct_ex c, s;      // its cosine and sine, or the slide
} ct_unknown;

// Basis of the vectors of a whole rotation: each is a sum of three vectors that the step finds,
//   seen = sum (weight_i . fixed) value_i.
typedef struct ct_whole_rotation_basis {
    int segment; // of the positions, after the step; -1: none yet
    ct_vec3 weight[3], value[3];
} ct_whole_rotation_basis;

// Values and tracked numbers are entered into the registers of the closure when they are asked for.
// Its f and is_independent must be set.
ct_values *ct_values_new(ct_closure *c);
void ct_values_free(ct_values *values);

// Replaces sines and cosines of angles and dependent slides by values, and dependent angles outside
// sines and cosines by tracked symbols. Sines and cosines of time alone stay.
ct_ex ct_values_replace(ct_values *values, ct_ex a);
// All later replacements put the value of an expression in the place of `what`: a symbol that is
// not differentiated (a factor of an expression that vanishes), or the sine or cosine of an angle
// that stays constant.
void ct_values_freeze(ct_values *values, ct_ex what, ct_ex value);
// The same for the residual of an iteration: its unknowns stand as tracked symbols everywhere.
// cos(unknown + other) is written out, so that only values of the other coordinates are needed.
ct_ex ct_values_residual(ct_values *values, ct_ex a, int n, const int *unknown);
// The cosine and sine of a sum of angles in terms of its value symbols, which are made on first use
// (a symbol or minus a symbol each; one pair of symbols serves a sum, its negative and the sum
// plus quarter turns), or the value symbol of a slide.
void ct_values_pair(ct_values *values, ct_ex angle_sum, ct_ex *cosine, ct_ex *sine);
ct_ex ct_values_slide(ct_values *values, int coordinate);
// Symbol of a tracked coordinate, made on first use; *index (may be NULL) is its place in w.
ct_ex ct_values_tracked(ct_values *values, int coordinate, int *index);
// Adds a tracked number, given in coordinates by `direct`. Returns its place in w.
int ct_values_follow(ct_values *values, ct_ex direct);
// True if the expression depends on no dependent coordinate.
bool ct_values_is_known(const ct_values *values, ct_ex a);
// Place of a value symbol in v, -1 if it is none.
int ct_values_index(const ct_values *values, ct_ex value);

// Replaces values by the sines, cosines, slides and vectors of whole rotations that they stand for.
ct_ex ct_values_in_coordinates(const ct_values *values, ct_ex a);

// True if values of vectors of whole rotations are in one of the expressions.
bool ct_values_hold_vectors(const ct_values *values, int n, const ct_ex *a);

// Lets a segment set the two values of a sum of angles from expressions for its cosine and sine, or
// the value of a slide.
void ct_values_set(ct_values *values, ct_segment *seg, ct_ex angle_sum, ct_ex cosine, ct_ex sine);
void ct_values_set_slide(ct_values *values, ct_segment *seg, int coordinate, ct_ex value);

// Expressions for all values in terms of those that positions solve. solved: n sums of angles whose
// cosine and sine are solved. how[value]: an expression in these and in sines and cosines of
// independent coordinates, by the addition formulas; CT_UNSET for solved values and slides. Returns
// false if the sum *missing does not follow from the solved ones.
bool ct_values_complete(ct_values *values, int n, const ct_ex *solved, ct_ex *how, ct_ex *missing);

// Lets a segment set the values of the three basis vectors of a whole rotation from their known
// expressions, and keeps the basis, from which another segment sets the other vectors.
void ct_values_whole_rotation(ct_values *values, int whole, ct_segment *seg, const ct_vec3 *known,
                              const ct_whole_rotation_basis *basis);
// Replaces vectors of whole rotations by expressions in the angles of their joints.
ct_ex ct_values_in_angles(ct_values *values, ct_ex a);

// Completes the program of positions: values that are used but not set get a segment just before
// their first use, and the remaining ones a segment at the end. Solved are the values that segments
// set and the unknowns of iterations. Returns false if *missing does not follow from these.
bool ct_values_finish(ct_values *values, ct_ex *missing);

// Solves psi = a q + rest = 0 for q = -rest / a. Returns false if a is zero or not constant.
bool ct_linear_value(ct_pool *pool, ct_ex psi, ct_ex q, ct_ex *value);

#endif
