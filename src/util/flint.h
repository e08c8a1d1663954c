// FLINT's arithmetic modulo a word and its balls (Arb), wherever their headers are. Arb is part of
// FLINT since version 3 and a library of its own before, with its headers beside FLINT's folder.
#ifndef CT_FLINT_H
#define CT_FLINT_H

#include <flint/nmod_vec.h>
#if __has_include(<flint/nmod.h>)
#include <flint/nmod.h> // scalars moved there
#endif

#if __has_include(<flint/arb.h>)
#include <flint/acb.h>
#include <flint/acb_mat.h>
#include <flint/arb.h>
#include <flint/arb_fmpz_poly.h>
#else
#include <acb.h>
#include <acb_mat.h>
#include <arb.h>
#include <arb_fmpz_poly.h>
#endif

#endif
