// Elimination templates: a polynomial of the ideal as a combination of a few multiples of the
// equations. Which multiples is found modulo a prime; the elimination is repeated with expressions
// in the place of coefficients, so that nothing is multiplied out.
#ifndef CT_TEMPLATE_H
#define CT_TEMPLATE_H

#include "closure/elimination/block_shape.h"

enum { CT_TEMPLATE_VARIABLES = 12, CT_TEMPLATE_ROWS = 40, CT_TEMPLATE_TERMS = 60 };

typedef struct ct_monomial {
    uint8_t e[CT_TEMPLATE_VARIABLES]; // exponents, in the order of the system's ring
} ct_monomial;

typedef struct ct_template {
    int n; // rows: multiples of equations
    struct {
        int equation;
        ct_monomial by;
    } row[CT_TEMPLATE_ROWS];
    int n_kept; // monomials that the result may hold
    ct_monomial kept[CT_TEMPLATE_TERMS];
} ct_template;

typedef struct ct_template_result { // sum of coefficient * monomial, zero with the system
    int n;
    ct_monomial monomial[CT_TEMPLATE_TERMS];
    ct_ex coefficient[CT_TEMPLATE_TERMS];
} ct_template_result;

// target: a polynomial of the ideal of the system at a point, over the ring without symbols.
// Returns false if there is no template within limits on the number of operations.
bool ct_template_find(const ct_ring *number_ring, const ct_polys *equations, const ct_poly *target,
                      uint32_t p, ct_template *t);
// The result with expressions; entries that vanish at both points are zero in it. Returns false if
// nothing is left, or it grows too large.
bool ct_template_eliminate(ct_pool *pool, const ct_block_system *system, const ct_block_point at[2],
                           const ct_template *t, ct_template_result *result);

#endif
