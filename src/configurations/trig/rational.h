// Rational stand-ins of constants. Exact algebra needs rational coefficients: a rational constant
// is taken as it is; sqrt(3), pi or exp(1) becomes the simplest fraction that agrees with it to so
// many digits; the sine and cosine of an angle become a rational point of the unit circle, so that
// s^2 + c^2 = 1 holds exactly:  c = (1 - u^2)/(1 + u^2), s = 2 u/(1 + u^2).
#ifndef CT_RATIONAL_H
#define CT_RATIONAL_H

#include "model/model.h"
#include "util/flint.h"

#define CT_STAND_IN_DIGITS 24 // in polynomial systems, which are solved as they stand
#define CT_GEOMETRY_DIGITS 16 // in mechanisms, whose assemblies are sharpened afterwards
#define CT_CLOSER_DIGITS   48 // to tell solutions at infinity

typedef struct ct_rationals {
    ct_pool *pool;
    ct_substitution *known; // parameters, inputs and t by their values
    ct_ex *replaced;        // constants that stand-ins were taken for, once each
    int n_replaced, room_replaced;
    int digits; // that stand-ins agree to
} ct_rationals;

// Parameters and inputs at their values, t at zero. Those that stay symbols are left as they are.
typedef struct ct_symbolic {
    int n;
    const ct_ex *symbols;
} ct_symbolic;
void ct_rationals_init(ct_rationals *rationals, const ct_model *model, ct_symbolic kept);
void ct_rationals_clear(ct_rationals *rationals);
// Value of a constant expression; false where it has no finite value or holds something else.
bool ct_rational_of(ct_rationals *rationals, ct_ex a, fmpq_t value);
// Point of the unit circle at a constant angle.
bool ct_rational_circle(ct_rationals *rationals, ct_ex angle, fmpq_t c, fmpq_t s);

// Enclosure of a constant, narrow enough for a stand-in; notes nothing.
bool ct_rational_enclosure(ct_rationals *rationals, ct_ex a, arb_t ball);
// Stand-ins of what the ball holds: a number to so many digits after the point; a point of the unit
// circle.
bool ct_rational_near(const ct_rationals *rationals, fmpq_t value, const arb_t ball);
bool ct_rational_point(const ct_rationals *rationals, const arb_t angle, fmpq_t c, fmpq_t s);

#endif
