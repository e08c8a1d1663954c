// What the parts of the quotient share: Krylov sequences modulo a prime.
#ifndef CT_QUOTIENT_INSIDE_H
#define CT_QUOTIENT_INSIDE_H

#include "algebra/quotient/quotient.h"

#define CT_PRODUCTS_MAX 255 // of residues modulo p <= 2^60 that a sum in two words holds

// The residue of a sum of at most CT_PRODUCTS_MAX products and as many words.
ulong ct_wide_mod(ct_wide sum, nmod_t mod);

// t = sum_k weights[k] x_k. Its minimal polynomial, the square-free part r of that, and values v_k
// with x_k = v_k(t) / r'(t) at every solution, if t separates them (values may be NULL).
void ct_rur_modular(ct_quotient_mod *m, const slong *weights, ulong seed, nmod_poly_t minimal,
                    nmod_poly_t radical, nmod_poly_struct *values);

#endif
