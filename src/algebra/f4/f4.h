// F4 (Faugère 1999) modulo a prime p < 2^31: S-pairs of one degree and the multiples that reduce
// them are the rows of one sparse matrix, whose new echelon rows are new basis elements.
//
// A first run (learn) records which rows were useful, what reduced them, and where their entries
// lie. Any further prime needs only the arithmetic (replay), eight primes in one pass.
#ifndef CT_F4_H
#define CT_F4_H

#include "algebra/poly/poly.h"

#define F4_LANES 8 // primes per replay
#define F4_NONE  UINT32_MAX

// numbers ----------------------------------------------------------------------------------------
// Words that are given back all at once (store.c).
typedef struct f4_chunk f4_chunk;
typedef struct f4_store {
    f4_chunk *chunks; // the newest first
    uint32_t *at;     // room in it
    size_t left;
} f4_store;

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
    f4_store store;        // of columns
    uint32_t first_result; // the polynomials of the last step are the reduced basis
} f4_trace;
void f4_trace_clear(f4_trace *trace);

// a run ------------------------------------------------------------------------------------------
// Sizes of the matrices.
typedef struct f4_figures {
    int matrices, rows, columns; // how many, and of the largest
} f4_figures;
typedef struct f4_result {
    ct_polys basis; // reduced, sorted, monic
    f4_figures figures;
} f4_result;
// Reduced basis modulo p of polynomials whose coefficients are reduced modulo p and of which no
// leading one vanishes. trace NULL: nothing is recorded. Returns false, with an empty basis,
// if a limit is reached.
bool f4_learn(const ct_ring *ring, ct_limits *limits, const ct_polys *in, uint32_t p,
              f4_result *result, f4_trace *trace);
// The coefficients of the same basis for eight primes: out[k * lanes + lane] for all terms k of the
// basis in order. lucky[lane] tells whether every pivot survived. strict: also that nothing appears
// where the first prime had zero. Returns false if a limit is reached.
typedef struct f4_lanes {
    uint32_t primes[F4_LANES];
    bool lucky[F4_LANES];
    uint32_t *out;
} f4_lanes;
bool f4_replay(const f4_trace *trace, ct_limits *limits, const ct_polys *in, bool strict,
               f4_lanes *lanes);

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
