// All solutions of a polynomial system: Gröbner basis, eliminant in one hidden unknown, certified
// roots, every other unknown by back-substitution, residuals in the original equations.
#ifndef CT_SOLVE_H
#define CT_SOLVE_H

#include "algebra/poly/poly.h"

typedef enum ct_solve_method {
    CT_SOLVE_SYLVESTER, // hidden-variable (dialytic) matrix from the basis, its determinant exactly
    CT_SOLVE_RUR,       // rational univariate representation
    CT_SOLVE_EIGEN      // the same matrix as a polynomial eigenproblem in doubles, then refined
} ct_solve_method;

// Operations modulo a prime, about a second, for the basis of a system before it is asked whether
// freedoms are left open: then it would take much longer, and tell no more.
#define CT_OPEN_WORK 3e8

typedef struct ct_solve_options {
    ct_solve_method method;
    int hide;         // unknown to hide, -1: searched for
    bool prove;       // the basis is proved over Q
    ct_budget budget; // for the whole; `work` counts for the basis alone
    bool surely;      // the caller knows already that no freedom is left open
} ct_solve_options;

typedef struct ct_solution {
    bool real; // all unknowns real, certified by Krawczyk's test with Arb balls (or a real root of
               // a representation whose every unknown is real)
    bool certified;
    int multiplicity;
    double residual; // largest |f| over the original equations, relative to the size of their terms
    double *re, *im; // [unknowns]
} ct_solution;

typedef struct ct_solutions {
    int dimension;   // 0: finitely many (the rest is filled in); > 0: that many freedoms; -1: none
    bool is_bound;   // there are at least so many freedoms; the basis would have taken too long
    uint64_t free;   // dimension > 0: bit k, unknown k stays free
    int n_offending; // dimension -1: a small subset of the equations that has no solution
    int *offending;
    int generators; // size of the reduced degrevlex basis
    slong terms;    // in it
    slong degree;   // solutions with multiplicity (dimension of the quotient)
    int variable;   // the hidden unknown of the eliminant; RUR: -1 where a combination had to be
                    // taken
    int matrix;     // size of the hidden-variable matrix, 0 where none was used
    int eliminant_degree;
    char **coefficients; // eliminant_degree + 1 exact integers, highest degree first
    int count, n_real;
    ct_solution *solutions; // real ones first, then by the hidden unknown
    double basis_seconds, eliminant_seconds, root_seconds, total_seconds;
    ct_limit limit;     // of the basis, where one was reached
    const char *method; // what was used in the end: "sylvester", "rur", "eigen"
} ct_solutions;

// Equations over Q in any order of ring (the basis is computed in degrevlex with the unknowns in
// the ring's sequence). CT_OK also for systems with no or infinitely many solutions: see
// `dimension`.
ct_status ct_solve(ct_context *ctx, const ct_ring *ring, const ct_polys *equations,
                   const ct_solve_options *options, ct_solutions *out);
void ct_solve_options_init(ct_solve_options *options);
void ct_solutions_clear(ct_solutions *s);

#endif
