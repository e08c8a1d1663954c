// Sums of angles. Expressions of the formulation hold sines and cosines of sums of angles (parallel
// axes join); closure solves for the sine and cosine of some sums, and the others follow by the
// addition formulas. Here every such pair gets its two value symbols.
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

// How positions get a vector fixed in a whole rotation: it is a sum of three that the step finds,
//   seen = sum (weight_i . fixed) value_i.
typedef struct ct_whole_rotation_basis {
    int segment; // of the positions, behind the step; -1: not yet
    ct_vec3 weight[3], value[3];
} ct_whole_rotation_basis;

// The closure gets the values that are asked for (value, direct, tracked, tracked_direct). Its f
// and is_independent must be there.
ct_values *ct_values_new(ct_closure *closure);
void ct_values_free(ct_values *values);

// The expression with values in the place of sines, cosines and slides of dependent coordinates and
// with tracked symbols for dependent angles that stand outside sines and cosines. Sines and cosines
// of independent coordinates become values too; those of time alone stay.
ct_ex ct_values_replace(ct_values *values, ct_ex a);
// From here on replacement puts the value of an expression in the place of `what`: a symbol that is
// not differentiated (a factor of something that vanishes), the sine or cosine of an angle that
// stays.
void ct_values_freeze(ct_values *values, ct_ex what, ct_ex value);
// The same for the residual of an iteration: its unknowns stand as tracked symbols everywhere.
// cos(unknown + other) is written out, so that only values of the other coordinates are needed.
ct_ex ct_values_residual(ct_values *values, ct_ex a, int n, const int *unknown);
// The cosine and sine of a sum of angles in terms of its value symbols, which are made on first use
// (a symbol or minus a symbol each; one pair of symbols serves a form, its negative and the same
// plus quarter turns), or the value symbol of a slide.
void ct_values_pair(ct_values *values, ct_ex angle_sum, ct_ex *cosine, ct_ex *sine);
ct_ex ct_values_slide(ct_values *values, int coordinate);
// Symbol of a tracked coordinate, made on first use; *index (may be NULL) is its place in w.
ct_ex ct_values_tracked(ct_values *values, int coordinate, int *index);
// One more number that is followed, given in coordinates by `direct`: its place in w.
int ct_values_follow(ct_values *values, ct_ex direct);
// No dependent coordinate below it?
bool ct_values_is_known(const ct_values *values, ct_ex a);
// Place of a value symbol in v, -1 if it is none.
int ct_values_index(const ct_values *values, ct_ex value);

// An expression with values as the sines, cosines, slides and vectors of whole rotations that they are.
ct_ex ct_values_in_coordinates(const ct_values *values, ct_ex a);

// Are vectors of whole rotations among the values in these?
bool ct_values_hold_vectors(const ct_values *values, int n, const ct_ex *a);

// Has a segment set the two values of a form from expressions for cos(form) and sin(form); or the
// value of a slide.
void ct_values_set(ct_values *values, ct_segment *seg, ct_ex angle_sum, ct_ex cosine, ct_ex sine);
void ct_values_set_slide(ct_values *values, ct_segment *seg, int coordinate, ct_ex value);

// How the values of all pairs asked for follow from the pairs that are solved: solved[i] are sums of angles
// whose pairs positions compute. For every other value of the closure, how[value] becomes an
// expression in the values of solved forms (addition formulas) and of sines and cosines of
// independent coordinates; CT_UNSET where it is a solved one (or a slide). False: a form cannot be
// reached; *missing is it.
bool ct_values_complete(ct_values *values, int n, const ct_ex *solved, ct_ex *how, ct_ex *missing);

// The three vectors that give those of a whole rotation: their values, which the segment sets from what is
// known of them, and how the others follow in another segment.
void ct_values_whole_rotation(ct_values *values, int whole, ct_segment *seg, const ct_vec3 *known,
                              const ct_whole_rotation_basis *basis);
// An expression in coordinates with the vectors of whole rotations written in their joints' angles.
ct_ex ct_values_in_angles(ct_values *values, ct_ex a);

// Completes the program of positions: segments that set the values that the others leave open stand
// before the segment that needs them, or at the end. What is solved is what segments set, and the
// unknowns of iterations. False: as above.
bool ct_values_finish(ct_values *values, ct_ex *missing);

// psi = a q + rest with a constant a: q = -rest / a. False where it is not so.
bool ct_linear_value(ct_pool *pool, ct_ex psi, ct_ex q, ct_ex *value);

#endif
