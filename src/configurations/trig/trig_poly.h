// Polynomials over Q in unknowns and in the sines and cosines of unknowns, read off expressions.
// Each unknown has three variables: itself, its cosine and its sine; which of them appear is seen
// at the end, when ct_trig_system turns everything into a system for the solver.
#ifndef CT_TRIG_POLY_H
#define CT_TRIG_POLY_H

#include "algebra/algebra.h"
#include "configurations/trig/rational.h"

#include <flint/fmpq_mpoly.h>

#define CT_DEGREE_MAX 5000      // of a polynomial
#define CT_TERMS_MAX  200000    // in it
#define CT_BITS_MAX   (1 << 26) // of its coefficients together

enum { CT_ITSELF, CT_COSINE, CT_SINE };

typedef struct ct_trig {
    ct_pool *pool;
    ct_rationals *constants;
    int n;                // symbols
    const ct_ex *symbols; // unknown or known
    const bool *known;    // [n] (NULL: none), then:
    const fmpq *value, *cosine, *sine;
    fmpq_mpoly_ctx_t ctx; // variable 3 k + CT_COSINE is the cosine of symbol k
} ct_trig;

void ct_trig_init(ct_trig *trig, ct_rationals *rationals, int n, const ct_ex *symbols);
void ct_trig_clear(ct_trig *trig);
void ct_trig_variable(const ct_trig *trig, fmpq_mpoly_t f, int symbol, int part);

// Each function returns NULL, or a message (valid until the next call with the same buffer).
typedef struct ct_trig_error {
    char message[256];
} ct_trig_error;
const char *ct_trig_mul(const ct_trig *trig, fmpq_mpoly_t f, const fmpq_mpoly_t g,
                        const fmpq_mpoly_t h, ct_trig_error *error);
const char *ct_trig_power(const ct_trig *trig, fmpq_mpoly_t f, const fmpq_mpoly_t g, ulong exponent,
                          ct_trig_error *error);
// Cosine and sine of  (integer) unknown + ... + constant.
const char *ct_trig_angle(ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, ct_ex angle,
                          ct_trig_error *error);
const char *ct_trig_poly(ct_trig *trig, fmpq_mpoly_t f, ct_ex e, ct_trig_error *error);
// s^2 = 1 - c^2 of each symbol until its sine stands at most once in every term.
void ct_trig_lower(const ct_trig *trig, fmpq_mpoly_t f, int n, const int *symbols);

// The system of n polynomials. Its ring has the unknowns in the order wanted[] (greatest first),
// also those that no equation holds: each as itself, or as the pair c_name, s_name if the equations
// hold its sine or cosine. Last come the identities of the pairs.
typedef struct ct_trig_system {
    ct_ring *ring;
    ct_polys equations;
    int *symbol, *part; // [ring->n] what each unknown of the ring stands for
    int bare_and_angle; // symbol that stands alone and inside sin or cos: not polynomial; else -1
} ct_trig_system;
ct_status ct_trig_system_new(ct_context *ctx, const ct_trig *trig, int n, fmpq_mpoly_struct *f,
                             int n_wanted, const int *wanted, ct_trig_system *system);
void ct_trig_system_clear(ct_trig_system *system);

#endif
