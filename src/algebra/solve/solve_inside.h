// Shared by the files of this folder: the job, enclosures of solutions, refinement.
#ifndef CT_SOLVE_INSIDE_H
#define CT_SOLVE_INSIDE_H

#include "algebra/eliminate/eliminate.h"
#include "algebra/solve/solve.h"

// A solution enclosed: one ball for each unknown.
typedef struct ct_enclosed_point {
    acb_ptr x;
    bool real, certified;
    int multiplicity;
} ct_enclosed_point;
typedef struct ct_points {
    int n, room, n_unknowns;
    ct_enclosed_point *point;
} ct_points;
ct_enclosed_point *ct_points_add(ct_points *list);
void ct_points_clear(ct_points *list);

typedef struct ct_solving {
    ct_context *ctx;
    const ct_ring *ring; // degrevlex
    ct_polys equations;  // in it
    ct_polys basis;
    const ct_solve_options *options;
    ct_limits limits;
    ct_quotient q;
    ct_quotient_mod m; // modulo some prime
    ct_zeros zeros;
    ct_hidden hidden; // n = 0: none
    fmpz_poly_t eliminant;
    ct_points points;
    ct_solutions *out;
} ct_solving;

// All solutions of the representation, as balls of some 64 bits that hold them.
ct_status ct_points_from_rur(ct_solving *job, const ct_rur *rur);
// From eigenvalues of the matrix, refined and certified. Returns false, without points, if some
// solution needs the representation instead.
bool ct_points_from_eigen(ct_solving *job);

// Equations `rows` (NULL: all) at x: values f and, unless NULL, derivatives j.
void ct_system_evaluate(const ct_ring *ring, const ct_polys *equations, const int *rows, int n_rows,
                        acb_srcptr x, acb_ptr f, acb_mat_struct *j, slong bits);
// Largest |f| over the equations, each over the sum of its terms' moduli; x is taken as exact.
double ct_system_residual(const ct_ring *ring, const ct_polys *equations, acb_srcptr x, slong bits);
// Newton on as many equations as unknowns (chosen by pivoting), then Krawczyk's test: true if the
// box returned in x holds one zero of these, and the other equations vanish there as well. real: on
// the real line (imaginary parts of x are dropped).
bool ct_system_refine(const ct_ring *ring, const ct_polys *equations, acb_ptr x, bool real,
                      slong bits);

// Fills in the result of a system that leaves freedoms open. Returns false if it does not, or if
// no solution was found.
bool ct_solve_open(ct_solving *job);

// A small inconsistent subset, modulo a prime.
ct_status ct_solve_offending(ct_solving *job);

#endif
