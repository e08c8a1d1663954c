// Proofs for assemblies in the numbers of the model: Krawczyk's test on Phi(x, drive) = 0 with balls
// for every constant, so that sqrt(3) is sqrt(3). The drive may be an interval: the test then
// holds for every position in it, and a branch has no fold there.
#ifndef CT_CERTIFY_H
#define CT_CERTIFY_H

#include "expr/expr.h"
#include "util/flint.h"

typedef struct ct_certifier {
    ct_pool *pool;
    int n, m;      // unknowns, equations (m >= n)
    ct_ex *symbol; // [n]
    ct_ex drive;   // another symbol, or CT_ZERO
    ct_ex *roots;  // [m + m n] equations, then their derivatives row by row
    int count;     // nodes below the roots, children first
    ct_ex *order;
    uint32_t *at; // [highest node] where it is in order
    arb_ptr ball; // [count]
    int *part;    // [count] unknown, drive, constant
    slong bits;   // that the constants are evaluated to
} ct_certifier;

// `symbols` are the only ones in the equations beside the drive; `derivatives` is m x n.
void ct_certifier_init(ct_certifier *c, ct_pool *pool, int n, const ct_ex *symbols, ct_ex drive,
                       int m, const ct_ex *equations, const ct_ex *derivatives);
void ct_certifier_clear(ct_certifier *c);
// Newton from x, then the test. True: for each position of the drive exactly one zero of n
// independent equations lies in the balls that x has become, and the other equations may vanish
// there too.
bool ct_certify(ct_certifier *c, arb_ptr x, const arb_t drive, slong bits);

#endif
