// Elimination: resultants, and square hidden-variable (dialytic) matrices S(x) with S(x) m = 0 for
// the vector m of monomials in the other unknowns; determinants exactly, eigenvalues.
#ifndef CT_ELIMINATE_H
#define CT_ELIMINATE_H

#include "algebra/quotient/quotient.h"
#include "util/flint.h"

#include <flint/fmpz_poly_mat.h>

// Resultant of f and g with respect to one unknown: the determinant of Sylvester's matrix, exactly
// (sign and content kept). Zero where one of them is zero.
ct_status ct_resultant(ct_context *ctx, const ct_ring *ring, ct_poly *out, const ct_poly *f,
                       const ct_poly *g, int unknown);

typedef enum ct_hidden_kind {
    CT_HIDDEN_BASIS,    // every generator of the basis
    CT_HIDDEN_SUBSET,   // those in fewer unknowns
    CT_HIDDEN_COMPLETED // generators and reduced multiples of them, one for each column
} ct_hidden_kind;

typedef struct ct_hidden {
    int hide; // the hidden unknown x
    ct_hidden_kind kind;
    slong n;             // size
    fmpz_poly_mat_t s;   // [n][n], entries in Z[x]
    uint32_t *monomials; // [n * unknowns], decreasing: 1 is the last
    int n_unknowns;
    // Columns whose one entry (in the rows left) is a constant are peeled off with its row, in this
    // order; what remains is the core, with the same determinant up to a constant.
    slong n_peeled, n_core;
    slong *peeled_row, *peeled_column, *core_row, *core_column;
} ct_hidden;

// Generators as linear forms in the monomials of the others. CT_HIDDEN_SUBSET takes those whose
// unknowns are all in `in` (bit k: unknown k). Returns false if the matrix is not square.
bool ct_hidden_from_basis(ct_hidden *h, const ct_ring *ring, const ct_polys *basis, int hide,
                          uint64_t in);
// The same of any list of polynomials.
bool ct_hidden_build(ct_hidden *h, const ct_ring *ring, int n_rows, const ct_poly *const *rows,
                     int hide, ct_hidden_kind kind);
// One row x^k m - NF(x^k m) for every standard monomial m without x, k smallest so that x^k m is
// not standard: always square, determinant = characteristic polynomial of x.
ct_status ct_hidden_complete(ct_context *ctx, ct_hidden *h, const ct_quotient *q, int hide,
                             ct_limits *limits);
void ct_hidden_clear(ct_hidden *h);
slong ct_hidden_column(const ct_hidden *h,
                       const uint32_t *exps);    // of a monomial without x, -1: none
bool ct_hidden_has_unknowns(const ct_hidden *h); // all others are columns

// det S modulo p, monic; zero polynomial: singular (or p divides everything).
void ct_hidden_determinant_mod(const ct_hidden *h, ulong p, nmod_poly_t det);
// det S over Z, primitive.
ct_status ct_hidden_determinant(ct_context *ctx, const ct_hidden *h, fmpz_poly_t det,
                                ct_limits *limits);

// Searches `hide` (-1: all, from the last unknown) for a square matrix with the right roots: first
// the whole basis, then subsets in few unknowns, else completed. m: the quotient modulo some prime.
ct_status ct_hidden_search(ct_context *ctx, ct_hidden *h, ct_quotient_mod *m, int hide,
                           ct_limits *limits);

// Finite eigenvalues x of the matrix polynomial in doubles, with the null vector's unknowns:
// `values` [count * 2 * unknowns] re, im pairs (freed by the caller). Returns -1 if the eigenvalue
// solver fails.
slong ct_hidden_eigen(const ct_hidden *h, double **values);

#endif
