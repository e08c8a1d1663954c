// Arb: real and complex balls, a part of FLINT from its third version on.
#ifndef CT_BALLS_H
#define CT_BALLS_H

#if defined(COTREE_ARB_IN_FLINT)
#include <flint/acb_mat.h>
#include <flint/arb_fmpz_poly.h>
#else
#include <acb_mat.h>
#include <arb_fmpz_poly.h>
#endif

#endif
