// Sines and cosines whose time does not depend on the angle, for steps of constant time (--fixed).
// Those of C libraries have branches by the size of the angle. Here every angle below LARGEST is
// reduced to r + e = x - k pi/2 within +-pi/4, with e the part that r cannot hold, and both functions
// of r are Taylor polynomials whose rest is below rounding: 0.01 units of the last place. The results
// are off by less than one such unit.
#ifndef CTK_STEADY_H
#define CTK_STEADY_H

#include <math.h>

typedef struct ctk_reduced_angle {
    double sine, cosine; // of r + e
    int quarter;         // k, the last two bits of it
} ctk_reduced_angle;

// Beyond it, and for values that are not finite, the library is called: radians.
#define CTK_STEADY_LARGEST 1e6

// pi/2 in parts of 33 bits, whose products with k below 2^20 are exact, and what is left of it
#define CTK_QUARTER_1 1.5707963267341256
#define CTK_QUARTER_2 6.077100506303966e-11
#define CTK_QUARTER_3 2.0222662487111665e-21
#define CTK_QUARTER_4 8.4784276603689e-32

// a - b = *difference + what is returned, without rounding
static inline double ctk_exact_difference(double a, double b, double *difference) {
    const double d = a - b, from_b = a - d, from_a = d + from_b;
    *difference = d;
    return (a - from_a) + (from_b - b);
}

static inline ctk_reduced_angle ctk_steady_turn(double x) {
    // x - k pi/2
    const double k = rint(x * 0.6366197723675814);
    double first, second;
    const double e1 = ctk_exact_difference(x - k * CTK_QUARTER_1, k * CTK_QUARTER_2, &first);
    const double e2 = ctk_exact_difference(first, k * CTK_QUARTER_3, &second);
    const double rest = e2 + (e1 - k * CTK_QUARTER_4), r = second + rest;
    const double e = (second - r) + rest, z = r * r;
    // sin r = r + r^3 (-1/3! + z/5! - ..), and e times its slope
    const double s =
        -1.0 / 6 +
        z * (1.0 / 120 + z * (-1.0 / 5040 +
                              z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                       z * (1.0 / 6227020800 +
                                                            z * (-1.0 / 1307674368000 +
                                                                 z * (1.0 / 355687428096000)))))));
    const double sine = r + (r * z * s + e * (1 - 0.5 * z));
    // cos r = 1 - z/2 + z^2 (1/4! - z/6! + ..); w holds 1 - z/2, rounded
    const double c =
        1.0 / 24 +
        z * (-1.0 / 720 +
             z * (1.0 / 40320 +
                  z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
                                                                    z * (1.0 / 20922789888000))))));
    const double w = 1 - 0.5 * z;
    const double cosine = w + (((1 - w) - 0.5 * z) + (z * z * c - r * e));
    const ctk_reduced_angle turn = {sine, cosine, (int)k & 3};
    return turn;
}

// +-1 with the sign of half a turn
static inline double ctk_half_turn(int quarters) {
    return 1 - (double)(quarters & 2);
}

static inline double ctk_sin(double x) {
    if (!(fabs(x) < CTK_STEADY_LARGEST)) return sin(x);
    const ctk_reduced_angle t = ctk_steady_turn(x);
    const double of[2] = {t.sine, t.cosine};
    return of[t.quarter & 1] * ctk_half_turn(t.quarter);
}

static inline double ctk_cos(double x) {
    if (!(fabs(x) < CTK_STEADY_LARGEST)) return cos(x);
    const ctk_reduced_angle t = ctk_steady_turn(x);
    const double of[2] = {t.cosine, t.sine};
    return of[t.quarter & 1] * ctk_half_turn(t.quarter + 1);
}

#endif
