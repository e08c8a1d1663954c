// Shared by the files of this folder: sums of products in two words, Krylov sequences modulo a
// prime.
#ifndef CT_QUOTIENT_INSIDE_H
#define CT_QUOTIENT_INSIDE_H

#include "algebra/quotient/quotient.h"
#include "util/flint.h"

__extension__ typedef unsigned __int128 ct_wide;
#define CT_PRODUCTS_MAX 255 // of residues modulo p <= 2^60 that a sum in two words holds

// The residue of a sum of at most CT_PRODUCTS_MAX products and as many words.
static inline ulong ct_wide_mod(ct_wide sum, nmod_t mod) {
    ulong high = (ulong)(sum >> 64), low = (ulong)sum, r;
    if (high >= mod.n) NMOD_RED2(high, UWORD(0), high, mod); // NMOD_RED shifts a plain 0 too far
    NMOD_RED2(r, high, low, mod);
    return r;
}

// t = sum_k weights[k] x_k. Its minimal polynomial, the square-free part r of that, and values v_k
// with x_k = v_k(t) / r'(t) at every solution, if t separates them (values may be NULL).
void ct_rur_modular(ct_quotient_mod *m, const slong *weights, ulong seed, nmod_poly_t minimal,
                    nmod_poly_t radical, nmod_poly_struct *values);

#endif
