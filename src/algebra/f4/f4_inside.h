// Shared by the files of this folder: monomials by number, the polynomials and pairs of a run, its
// matrices.
#ifndef CT_F4_INSIDE_H
#define CT_F4_INSIDE_H

#include "algebra/f4/f4.h"

#include <string.h>

// numbers ----------------------------------------------------------------------------------------
uint32_t *f4_store_grow(f4_store *s, size_t n); // a chunk more, n words of it taken
void f4_store_empty(f4_store *s);               // the newest chunk stays
void f4_store_clear(f4_store *s);
static inline uint32_t *f4_take(f4_store *s, size_t n) {
    if (n > s->left || !s->chunks) return f4_store_grow(s, n);
    uint32_t *p = s->at;
    s->at += n;
    s->left -= n;
    return p;
}
static inline uint32_t *f4_copy(f4_store *s, size_t n, const uint32_t *from) {
    uint32_t *p = f4_take(s, n);
    if (n) memcpy(p, from, n * sizeof *p);
    return p;
}

// monomials --------------------------------------------------------------------------------------
// Every monomial of the run has one number. hash(ab) = hash(a) + hash(b).
typedef struct f4_monomials {
    const ct_ring *ring;
    ct_limits *limits;
    uint32_t stride; // words per monomial: degree, then exponents
    uint32_t count, room;
    uint32_t *exps, *hash, *mask; // mask: bits that a divisor's bits are among
    uint32_t *reducer, *scanned;  // basis element whose lead divides it, or how many do not
    uint32_t *column;             // in the matrix under way; F4_NONE: not there
    uint32_t *slots, n_slots;
    uint32_t weight[CT_UNKNOWNS_MAX]; // of the hash
    uint32_t key_bits; // of an exponent in a key; 0: keys are not used, or a degree did not fit
    uint32_t scratch[CT_UNKNOWNS_MAX + 1];
} f4_monomials;

void f4_monomials_init(f4_monomials *t, const ct_ring *ring, ct_limits *limits);
void f4_monomials_clear(f4_monomials *t);
uint32_t f4_monomial(f4_monomials *t, const uint32_t *exps); // from exponents [n]
uint32_t f4_monomial_product(f4_monomials *t, uint32_t a, uint32_t b);
uint32_t f4_monomial_quotient(f4_monomials *t, uint32_t a, uint32_t b); // b divides a
uint32_t f4_monomial_lcm(f4_monomials *t, uint32_t a, uint32_t b);
// A number that is greater for a greater monomial, while key_bits is not 0.
uint64_t f4_monomial_key(const f4_monomials *t, uint32_t a);
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

// The matrix under way: rows by monomial number first, then by column.
typedef struct f4_matrix {
    uint32_t n_reducers, room_reducers, n_rows, room_rows, n_cols, room_cols;
    f4_row *reducers, *rows; // rows: to be reduced
    uint32_t *col_mon;       // monomial of each column
    f4_store store;          // of columns and of new rows
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

// a run ------------------------------------------------------------------------------------------
typedef struct f4_run {
    const ct_ring *ring;
    ct_limits *limits;
    uint32_t p;
    f4_monomials mons;
    uint32_t n_polys, room_polys, n_inputs;
    f4_poly *polys;
    f4_store store; // of their terms
    uint32_t n_pairs, room_pairs;
    f4_pair *pairs;
    f4_matrix matrix; // and its new rows: workspace of one step after the other
    f4_new_rows fresh;
    f4_trace *trace; // NULL: nothing is recorded
    f4_figures figures;
} f4_run;

void f4_pairs_update(f4_run *run, uint32_t h);      // Gebauer-Möller, h a new basis element
void f4_matrix_select(f4_run *run, f4_matrix *m);   // pairs of least degree
void f4_matrix_all(f4_run *run, f4_matrix *m);      // every element of the minimal basis
void f4_matrix_complete(f4_run *run, f4_matrix *m); // reducers, columns
void f4_matrix_empty(f4_matrix *m);                 // for the next one
void f4_matrix_clear(f4_matrix *m);
void f4_eliminate(f4_run *run, f4_matrix *m, f4_new_rows *out);

#endif
