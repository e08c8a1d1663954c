// Inside of F4 (Faugère 1999) modulo a prime p < 2^31: S-pairs of one degree and the multiples that
// reduce them are the rows of one sparse matrix, whose new echelon rows are new basis elements.
//
// A first run (learn) records which rows were useful, what reduced them, and where their entries
// lie. Any further prime needs only the arithmetic (replay), eight primes in one pass.
#ifndef CT_F4_H
#define CT_F4_H

#include "algebra/poly/guard.h"

#define F4_LANES 8 // primes per replay
#define F4_NONE  UINT32_MAX

// monomials --------------------------------------------------------------------------------------
// Every monomial of the run has one number. hash(ab) = hash(a) + hash(b).
typedef struct f4_monomials {
    const ct_ring *ring;
    ct_guard *guard;
    uint32_t stride; // words per monomial: degree, then exponents
    uint32_t count, room;
    uint32_t *exps, *hash, *mask; // mask: bits that a divisor's bits are among
    uint32_t *reducer, *scanned;  // basis element whose lead divides it, or how many do not
    uint32_t *column;             // in the matrix under way; F4_NONE: not there
    uint32_t *slots, n_slots;
    uint32_t weight[CT_UNKNOWNS_MAX]; // of the hash
    uint32_t scratch[CT_UNKNOWNS_MAX + 1];
} f4_monomials;

void f4_monomials_init(f4_monomials *t, const ct_ring *ring, ct_guard *guard);
void f4_monomials_clear(f4_monomials *t);
uint32_t f4_monomial(f4_monomials *t, const uint32_t *exps); // from exponents [n]
uint32_t f4_monomial_product(f4_monomials *t, uint32_t a, uint32_t b);
uint32_t f4_monomial_quotient(f4_monomials *t, uint32_t a, uint32_t b); // b divides a
uint32_t f4_monomial_lcm(f4_monomials *t, uint32_t a, uint32_t b);
bool f4_monomial_divides(const f4_monomials *t, uint32_t a, uint32_t b); // a | b
bool f4_monomial_coprime(const f4_monomials *t, uint32_t a, uint32_t b);
static inline uint32_t f4_degree(const f4_monomials *t, uint32_t a) {
    return t->exps[(size_t)a * t->stride];
}
static inline const uint32_t *f4_exps(const f4_monomials *t, uint32_t a) {
    return t->exps + (size_t)a * t->stride + 1;
}

// polynomials and pairs --------------------------------------------------------------------------
typedef struct f4_poly {
    uint32_t n;
    uint32_t *mon, *coef; // terms decreasing, monic
    bool redundant;       // another lead divides its lead
} f4_poly;
typedef struct f4_pair {
    uint32_t i, j; // basis elements; i == j: an input polynomial that waits
    uint32_t lcm, degree;
} f4_pair;

// the record -------------------------------------------------------------------------------------
// A multiple of polynomial `poly`: entry k of it lies in column cols[k].
typedef struct f4_row {
    uint32_t poly, n;
    uint32_t *cols;
} f4_row;
// How one useful row was reduced: at columns ops[] in turn, by the row whose lead is there; what
// was left lies in `support`; `cancelled` are the columns that were touched and came out zero.
typedef struct f4_reduction {
    f4_row row; // poly F4_NONE: new row number row.n of this matrix, reduced once more
    uint32_t n_ops, n_support, n_cancelled;
    uint32_t *ops, *support, *cancelled;
} f4_reduction;
typedef struct f4_step {
    uint32_t n_cols;
    uint32_t n_reducers;
    f4_row *reducers;
    uint32_t n_reductions, room;
    f4_reduction *reductions; // first all new rows, then the same reduced by each other
    uint32_t n_new;           // polynomials that it makes
} f4_step;
typedef struct f4_trace {
    uint32_t n_inputs, n_polys; // polynomials: the inputs, then what the steps make
    uint32_t *lengths;          // terms of each
    uint32_t n_steps, room;
    f4_step *steps;
    size_t bytes;          // held by the guard
    uint32_t first_result; // the polynomials of the last step are the reduced basis
} f4_trace;
void f4_trace_clear(f4_trace *trace, ct_guard *guard);

// a run ------------------------------------------------------------------------------------------
typedef struct f4_run {
    const ct_ring *ring;
    ct_guard *guard;
    uint32_t p;
    f4_monomials mons;
    uint32_t n_polys, room_polys, n_inputs;
    f4_poly *polys;
    uint32_t n_pairs, room_pairs;
    f4_pair *pairs;
    f4_trace *trace; // NULL: nothing is recorded
} f4_run;

// The matrix under way: rows by monomial number first, then by column.
typedef struct f4_matrix {
    uint32_t n_reducers, room_reducers, n_rows, room_rows, n_cols, room_cols;
    f4_row *reducers, *rows; // rows: to be reduced
    uint32_t *col_mon;       // monomial of each column
    size_t bytes;
} f4_matrix;
// New echelon rows, monic; pivots decreasing.
typedef struct f4_new_row {
    uint32_t n;
    uint32_t *cols, *coefs;
} f4_new_row;
typedef struct f4_new_rows {
    uint32_t n, room;
    f4_new_row *row;
} f4_new_rows;

void f4_pairs_update(f4_run *run, uint32_t h);      // Gebauer-Möller, h a new basis element
void f4_matrix_select(f4_run *run, f4_matrix *m);   // pairs of least degree
void f4_matrix_all(f4_run *run, f4_matrix *m);      // every element of the minimal basis
void f4_matrix_complete(f4_run *run, f4_matrix *m); // reducers, columns
void f4_matrix_clear(f4_run *run, f4_matrix *m);
void f4_eliminate(f4_run *run, f4_matrix *m, f4_new_rows *out);
void f4_new_rows_clear(f4_new_rows *rows);

// Reduced basis modulo p of polynomials whose coefficients are reduced modulo p and of which no
// leading one vanishes; result sorted, monic. False: a limit struck (see the guard).
bool f4_learn(const ct_ring *ring, ct_guard *guard, const ct_polys *in, uint32_t p, ct_polys *basis,
              f4_trace *trace);
// The coefficients of the same basis for eight primes: out[k * lanes + lane] for all terms k of the
// basis in order. lucky[lane] tells whether every pivot survived. strict: also that nothing appears
// where the first prime had zero. False: a limit struck.
bool f4_replay(const f4_trace *trace, ct_guard *guard, const ct_polys *in, const uint32_t *primes,
               bool strict, uint32_t *out, bool *lucky);

// arithmetic -------------------------------------------------------------------------------------
__extension__ typedef unsigned __int128 f4_wide;
typedef struct f4_modulus {
    uint64_t p, inverse; // floor((2^64 - 1) / p)
} f4_modulus;
static inline f4_modulus f4_modulus_of(uint32_t p) {
    return (f4_modulus){p, UINT64_MAX / p};
}
static inline uint32_t f4_mod(uint64_t x, f4_modulus m) {
    uint64_t q = (uint64_t)(((f4_wide)x * m.inverse) >> 64), r = x - q * m.p;
    while (r >= m.p) r -= m.p;
    return (uint32_t)r;
}
uint32_t f4_invert(uint32_t a, uint32_t p); // 0 for 0

#endif
