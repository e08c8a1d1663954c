// Independent groups of unknowns: the legs of a platform whose pose is given share no unknown, so
// each is solved by itself, and the assemblies are all combinations of their solutions.
#ifndef CT_FACTORS_H
#define CT_FACTORS_H

#include "algebra/solve/solve.h"
#include "configurations/trig/trig_poly.h"

#define CT_COMBINATIONS_MAX 1000 // beyond, solutions of groups are listed, not their combinations

typedef struct ct_factor {
    int n;        // unknowns
    int *unknown; // [n] of the whole ring
    int n_equations;
    int *equation; // of the whole system
    ct_ring *ring;
    ct_polys equations;
    ct_solutions found;
    bool is_twin; // its solutions are those of an earlier group, but for signs
} ct_factor;

typedef struct ct_factors {
    int n;
    ct_factor *item;
    double count, real; // products
    ct_limit limit;     // that a basis reached
} ct_factors;

// Groups of the system, each solved; `whole` is what ct_solve would give for the system: of one
// group itself, else combinations (without an eliminant; none beyond CT_COMBINATIONS_MAX).
ct_status ct_factors_solve(ct_context *ctx, const ct_trig_system *system,
                           const ct_solve_options *options, ct_factors *factors,
                           ct_solutions *whole);
// Gives b the solutions of a, which is solved, if it is a repeated or mirrored group.
bool ct_factor_like(const ct_factor *a, ct_factor *b);
void ct_factors_clear(ct_factors *factors);

#endif
