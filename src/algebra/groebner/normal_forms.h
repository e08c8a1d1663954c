// Normal forms modulo a word-size prime with memory: every monomial is reduced once. For the
// checker; shares nothing with F4.
#ifndef CT_NORMAL_FORMS_H
#define CT_NORMAL_FORMS_H

#include "algebra/algebra.h"

typedef struct ct_normal_forms ct_normal_forms;
// The basis holds residues modulo the prime, no zero polynomial.
ct_normal_forms *ct_normal_forms_new(const ct_ring *ring, const ct_polys *basis, uint32_t prime);
void ct_normal_forms_free(ct_normal_forms *nf);
// Does the S-polynomial of elements i and j reduce to zero?
bool ct_normal_forms_pair(ct_normal_forms *nf, int i, int j);

#endif
