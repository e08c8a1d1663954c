// Triangular systems: one polynomial for each unknown of a block, in it and in those solved before,
// read off a Gröbner basis whose order eliminates one unknown after the other.
#ifndef CT_TRIANGULAR_H
#define CT_TRIANGULAR_H

#include "closure/elimination/template.h"

enum { CT_TRIANGULAR_UNKNOWNS = 3 };

typedef enum ct_triangular_kind {
    CT_TRIANGULAR_LINEAR, // a slide, or the sine and the cosine by two equations
    CT_TRIANGULAR_PAIR,   // a C + b S + d = 0
    CT_TRIANGULAR_SQUARE, // a slide by a quadratic equation
    CT_TRIANGULAR_ROOT,   // a slide by its powers, or an angle by those of sine and cosine
    CT_TRIANGULAR_COSINE, // a polynomial in the cosine alone
    CT_TRIANGULAR_SINE
} ct_triangular_kind;

typedef struct ct_triangular_step {
    int unknown; // of the system
    ct_triangular_kind kind;
    int degree;
    int n; // polynomials: one, LINEAR for an angle two
    ct_template by[2];
} ct_triangular_step;

typedef struct ct_triangular {
    int n;
    ct_triangular_step step[CT_TRIANGULAR_UNKNOWNS]; // in the order of solving
} ct_triangular;

// Returns false if there is none within limits on the number of operations. The first unknown is of
// degree 4 at most, the others of degree 2.
bool ct_triangular_find(const ct_block_system *system, const ct_block_point *at,
                        ct_triangular *triangular);
int ct_triangular_degree(const ct_triangular *triangular); // the largest
// Returns true if a polynomial has the kind and degree of a step, and no unknowns of later ones.
bool ct_triangular_fits(const ct_block_system *system, const ct_triangular *triangular, int step,
                        const ct_template_result *result);

#endif
