// Sums of angles. Expressions of the formulation hold sines and cosines of sums of angles (parallel
// axes join); closure solves for the sine and cosine of some sums, and the others follow by the
// addition formulas. Here every such pair gets its two value symbols.
#ifndef CT_FORMS_H
#define CT_FORMS_H

#include "closure/closure.h"

typedef struct ct_forms ct_forms;

// The closure gets the values that are asked for (value, direct, tracked, tracked_direct).
ct_forms *ct_forms_new(ct_closure *closure);
void ct_forms_free(ct_forms *forms);

// The expression with values in the place of sines, cosines and slides of dependent coordinates and
// with tracked symbols for dependent angles that stand outside sines and cosines. Sines and cosines
// of independent coordinates and of time become values too.
ct_ex ct_forms_replace(ct_forms *forms, ct_ex a);
// Value symbols for the cosine and sine of a sum of angles (made on first use, with the sign that
// the form is written with), or for a slide.
void ct_forms_pair(ct_forms *forms, ct_ex form, ct_ex *cosine, ct_ex *sine);
ct_ex ct_forms_slide(ct_forms *forms, int coordinate);

// How the values of all pairs asked for follow from the pairs that are solved: solved[i] are forms
// whose pairs positions compute. For every other value of the closure, how[value] becomes an
// expression in the values of solved forms (addition formulas) and of sines and cosines of
// independent coordinates; CT_UNSET where it is a solved one (or a slide). False: a form cannot be
// reached; *missing is it.
#define CT_UNSET ((ct_ex)0xffffffffu)
bool ct_forms_complete(ct_forms *forms, int n, const ct_ex *solved, ct_ex *how, ct_ex *missing);

#endif
