// Shared by the files of this folder: the algorithm for symbols, normal forms for the checker.
#ifndef CT_GROEBNER_INSIDE_H
#define CT_GROEBNER_INSIDE_H

#include "algebra/groebner/groebner.h"

// Symbols in the coefficients, without fractions. Returns false if a limit is reached.
bool ct_groebner_symbolic(const ct_ring *ring, ct_limits *limits, const ct_polys *in,
                          ct_polys *basis);

// Normal forms modulo a word-size prime with memory: every monomial is reduced once. They share
// nothing with F4.
typedef struct ct_normal_forms ct_normal_forms;
// The basis holds residues modulo the prime, no zero polynomial.
ct_normal_forms *ct_normal_forms_new(const ct_ring *ring, const ct_polys *basis, uint32_t prime);
void ct_normal_forms_free(ct_normal_forms *nf);
// Returns true if the S-polynomial of elements i and j reduces to zero.
bool ct_normal_forms_pair(ct_normal_forms *nf, int i, int j);

#endif
