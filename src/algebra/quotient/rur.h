// The quotient of Q[x] by a zero-dimensional ideal modulo word-size primes, what Krylov sequences
// in it tell about the solutions, and the rational univariate representation lifted to the
// rationals.
#ifndef CT_RUR_H
#define CT_RUR_H

#include "algebra/algebra.h"

#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>

slong ct_polys_bits(const ct_polys *list); // of the largest coefficient

// limits -------------------------------------------------------------------------------------
typedef struct ct_solve_limits {
    double deadline; // of ct_seconds(), 0: none
    size_t bytes;
    volatile sig_atomic_t *stop;
    void (*progress)(void *data, const char *stage, double share);
    void *progress_data;
} ct_solve_limits;
// CT_OK, CT_INTERRUPTED or CT_NUMERICS with a message that says at what it was.
ct_status ct_solve_check(ct_context *ctx, const ct_solve_limits *limits, const char *stage);
bool ct_solve_struck(const ct_solve_limits *limits); // time is over, or stop was set; NULL: never

// lifting ------------------------------------------------------------------------------------
// Values modulo primes -> rationals. `residues` fills out[sum of sizes] modulo p, false: unlucky
// prime. Numbers of one group get a common denominator; the result has been confirmed by a fresh
// prime.
typedef bool (*ct_residues)(void *data, ulong p, ulong *out);
typedef struct ct_lift_job {
    int n_groups;
    const slong *sizes;
    ct_residues residues;
    void *data;
    fmpz *values;       // [sum of sizes], numerators
    fmpz *denominators; // [n_groups]
    slong bits;         // a guess at the size of the result, 0: none
    int primes;         // out: how many it took
} ct_lift_job;
ct_status ct_lift_rationals(ct_context *ctx, ct_lift_job *job, const ct_solve_limits *limits,
                            const char *stage);
ulong ct_lift_prime(ulong after); // the next prime of the sequence, 0: the first one

// the quotient -------------------------------------------------------------------------------
// What x_k * (standard monomial i) is: standard again, the leading monomial of a generator, or an
// unknown times a smaller one of these. Found once; then cheap modulo any prime.
typedef struct ct_border {
    int generator; // whose leading monomial it is, or -1:
    int unknown;   // this times border `inner`
    slong inner;
} ct_border;
typedef struct ct_residue_ring {
    const ct_ring *ring;
    const ct_polys *basis; // reduced
    slong d;               // standard monomials, increasing: the first is 1
    uint32_t *exps;        // [d * unknowns]
    slong *product;        // [unknown * d + i]: standard monomial, or d + number in the border
    slong n_border;
    ct_border *border;
    uint32_t *border_exps;
    slong **tail; // [generator][term - 1]: standard monomial of every term but the first
} ct_residue_ring;
// False: infinitely many standard monomials.
bool ct_residue_ring_init(ct_residue_ring *q, const ct_ring *ring, const ct_polys *basis);
void ct_residue_ring_clear(ct_residue_ring *q);
slong ct_residue_ring_find(const ct_residue_ring *q,
                           const uint32_t *exps); // standard monomial, -1: not one

typedef struct ct_residue_ring_mod {
    const ct_residue_ring *q;
    nmod_t mod;
    ulong **tail;   // [generator][term - 1]
    ulong **normal; // [border]: its coordinates, once asked for
    // Long computations are cut short when these strike, with results that mean nothing: callers
    // who set them check them afterwards. NULL: none.
    const ct_solve_limits *limits;
} ct_residue_ring_mod;
// False: p divides a leading coefficient.
bool ct_residue_ring_mod_init(ct_residue_ring_mod *m, const ct_residue_ring *q, ulong p);
void ct_residue_ring_mod_clear(ct_residue_ring_mod *m);
// Coordinates of x_k * (standard monomial i) added to v, `by` times.
void ct_residue_ring_add(ct_residue_ring_mod *m, ulong *v, int unknown, slong i, ulong by);
// Row i of `matrix` [d * d] becomes sum_k weights[k] x_k * (standard monomial i).
void ct_residue_ring_matrix(ct_residue_ring_mod *m, const slong *weights, ulong *matrix);
// Characteristic polynomial of that matrix.
void ct_residue_ring_charpoly(ct_residue_ring_mod *m, const slong *weights, nmod_poly_t f);

// Krylov sequences modulo p ------------------------------------------------------------------
// t = sum_k weights[k] x_k. Its minimal polynomial, the square-free part r of that, and values v_k
// with x_k = v_k(t) / r'(t) at every solution, if t separates them (values may be NULL).
void ct_rur_modular(ct_residue_ring_mod *m, const slong *weights, ulong seed, nmod_poly_t minimal,
                    nmod_poly_t radical, nmod_poly_struct *values);

typedef struct ct_shape {
    slong distinct; // solutions, without multiplicity
    bool radical;   // all simple
} ct_shape;
ct_shape ct_residue_ring_shape(ct_residue_ring_mod *m);
// t separates the solutions, and the representation is right for multiple ones too.
bool ct_separates(ct_residue_ring_mod *m, const ct_shape *shape, const slong *weights);
// Weights of a separating form: `first` alone if that does (-1: none preferred), then each unknown
// alone from the last to the first, then small combinations. The unknown, or -1 for a combination.
int ct_separating_form(ct_residue_ring_mod *m, const ct_shape *shape, int first, slong *weights);

// over Q -------------------------------------------------------------------------------------
typedef struct ct_rur {
    int n; // unknowns
    slong *weights;
    int variable;          // t is this unknown, -1: a combination
    fmpz_poly_t eliminant; // characteristic polynomial of t, primitive
    fmpz_poly_t radical;   // its square-free part, primitive
    fmpz_poly_struct *values;
    fmpz_t denominator; // x_k = values[k](t) / (denominator * radical'(t))
    int primes;
} ct_rur;
ct_status ct_rur_compute(ct_context *ctx, ct_rur *rur, const ct_residue_ring *q,
                         const ct_shape *shape, const slong *weights, int variable,
                         const ct_solve_limits *limits);
void ct_rur_clear(ct_rur *rur);

#endif
