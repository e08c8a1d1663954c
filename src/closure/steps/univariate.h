// Polynomials in one unknown, an angle or a slide, whose coefficients are expressions.
#ifndef CT_UNIVARIATE_H
#define CT_UNIVARIATE_H

#include "expr/expr.h"

// u(c) + s v(c) by s^2 = 1 - c^2; of a slide u alone
enum { CT_UNIVARIATE = 8 };
typedef struct ct_univariate {
    ct_ex u[CT_UNIVARIATE + 1], v[CT_UNIVARIATE + 1];
} ct_univariate;

// p += a c^i s^j, j <= 7
static inline void ct_univariate_add_term(ct_pool *pool, ct_univariate *p, ct_ex a, int i, int j) {
    static const int binomial[4][4] = {{1}, {1, -1}, {1, -2, 1}, {1, -3, 3, -1}};
    ct_ex *to = j % 2 ? p->v : p->u;
    for (int k = 0; k <= j / 2; k++)
        to[i + 2 * k] =
            ct_add(pool, to[i + 2 * k], ct_mul(pool, ct_int(pool, binomial[j / 2][k]), a));
}
// Highest power that is there, with s as a power of one; -1: zero.
int ct_univariate_top(const ct_univariate *a);
// Coefficients a0 a1 b1 a2 b2 ... of cosines and sines of multiples (angle, 2 top + 1 of them), or
// of powers (slide, top + 1). Returns how many.
int ct_univariate_coefficients(ct_pool *pool, const ct_univariate *a, bool is_angle, ct_ex *out);
// A bound on second derivatives of harmonics: (k + more)^2 times the size of each, k that of the
// multiple; `rows` polynomials of n coefficients, the first without a second angle beside it. What
// depends on lengths alone stands by itself.
ct_ex ct_univariate_bound(ct_pool *pool, int rows, int n, const ct_ex *a);

#endif
