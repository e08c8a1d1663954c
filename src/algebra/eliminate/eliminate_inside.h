// Shared by the files of this folder: monomials of columns that were peeled off the matrix.
#ifndef CT_ELIMINATE_INSIDE_H
#define CT_ELIMINATE_INSIDE_H

#include "algebra/eliminate/eliminate.h"

// The monomials of the peeled columns at x = at, from those of the core; midpoints only.
void ct_hidden_unpeel(const ct_hidden *h, acb_ptr monomials, const acb_t at, slong bits);

#endif
