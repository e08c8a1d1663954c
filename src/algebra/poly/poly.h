// Polynomials in named unknowns: rings and their orders, exact arithmetic, plain division, reading
// from expressions and texts. Nothing here knows mechanics.
//
// Outputs come first among the polynomial arguments. An output list must be initialised (zero is a
// valid empty list) and is replaced; on failure it is left empty. Failures leave a message in the
// context.
#ifndef CT_POLY_H
#define CT_POLY_H

#include "algebra/limits.h"
#include "expr/expr.h"

#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>

// rings ------------------------------------------------------------------------------------------
// Orders of monomials, x[0] > x[1] > ... . An order is a sequence of blocks of consecutive
// unknowns: the first block that differs decides, by its own rule. One block is lex, graded lex or
// graded reverse lex; two blocks of graded reverse lex eliminate the unknowns of the first.
typedef enum ct_order { CT_LEX, CT_DEGLEX, CT_DEGREVLEX } ct_order;
typedef struct ct_order_block {
    int n; // unknowns in it
    ct_order order;
} ct_order_block;

#define CT_UNKNOWNS_MAX 64

// Q[x] (no symbols) or Q(symbols)[x]. Immutable once made.
typedef struct ct_ring {
    int n; // unknowns
    char **names;
    int n_blocks;
    ct_order_block *blocks;
    int n_symbols; // coefficients are polynomials in these
    char **symbols;
    fmpz_mpoly_ctx_t symbol_ctx; // valid if n_symbols > 0
} ct_ring;

// The block sizes must add up to n, and n <= CT_UNKNOWNS_MAX; NULL with a message otherwise.
ct_ring *ct_ring_new(ct_context *ctx, int n, const char *const *names, int n_blocks,
                     const ct_order_block *blocks, int n_symbols, const char *const *symbols);
// One block, no symbols.
ct_ring *ct_ring_simple(ct_context *ctx, int n, const char *const *names, ct_order order);
// The same unknowns and symbols in another order.
ct_ring *ct_ring_reorder(ct_context *ctx, const ct_ring *ring, int n_blocks,
                         const ct_order_block *blocks);
void ct_ring_free(ct_ring *ring);
int ct_ring_find(const ct_ring *ring, const char *name); // unknown of this name, -1: none
// Sign of a - b in the order; a and b are exponent vectors [n].
int ct_monomial_compare(const ct_ring *ring, const uint32_t *a, const uint32_t *b);
uint64_t ct_monomial_degree(const ct_ring *ring, const uint32_t *a);
bool ct_monomial_divides(const ct_ring *ring, const uint32_t *a, const uint32_t *b); // a | b
bool ct_monomial_coprime(const ct_ring *ring, const uint32_t *a, const uint32_t *b);
void ct_monomial_lcm(const ct_ring *ring, uint32_t *l, const uint32_t *a, const uint32_t *b);

// polynomials ------------------------------------------------------------------------------------
// Canonical: terms strictly decreasing, no zero coefficient. Over Q a polynomial stands for itself
// up to a factor: integers without common divisor, the leading one positive. Over Q(symbols)
// likewise with integer polynomials in the symbols. Modulo a prime: residues 0 <= c < p, the
// leading one 1.
typedef struct ct_poly {
    slong n, room;               // terms
    uint32_t *exps;              // exps[i * ring->n + k]: exponent of unknown k in term i
    fmpz *coefs;                 // no symbols
    fmpz_mpoly_struct *symbolic; // with symbols (coefs is NULL then)
} ct_poly;
typedef struct ct_polys {
    int n, room;
    ct_poly *p;
} ct_polys;

void ct_poly_init(ct_poly *f);
void ct_poly_clear(const ct_ring *ring, ct_poly *f);
void ct_poly_set(const ct_ring *ring, ct_poly *f, const ct_poly *g);
void ct_poly_swap(ct_poly *f, ct_poly *g);
bool ct_poly_equal(const ct_ring *ring, const ct_poly *f, const ct_poly *g);
static inline const uint32_t *ct_poly_exps(const ct_ring *ring, const ct_poly *f, slong i) {
    return f->exps + (size_t)i * (size_t)ring->n;
}

// Building. Push terms in any order, then make canonical (merge, sort, divide out the content).
void ct_poly_reserve(const ct_ring *ring, ct_poly *f, slong terms); // room for so many in all
void ct_poly_push(const ct_ring *ring, ct_poly *f, const uint32_t *exps, const fmpz_t c);
void ct_poly_push_symbolic(const ct_ring *ring, ct_poly *f, const uint32_t *exps,
                           const fmpz_mpoly_t c);
void ct_poly_canonical(const ct_ring *ring, ct_poly *f);
void ct_poly_sort(const ct_ring *ring, ct_poly *f);      // merge and sort, keep the content
void ct_poly_primitive(const ct_ring *ring, ct_poly *f); // divide out the content, fix the sign
// To the same unknowns in another order (map NULL), or unknown k of `from` is map[k] of `to`.
void ct_poly_convert(const ct_ring *to, ct_poly *f, const ct_ring *from, const ct_poly *g,
                     const int *map);

// Exact arithmetic; results are sorted, not made primitive (f = a g + b h stays what it says).
void ct_poly_combine(const ct_ring *ring, ct_poly *f, const fmpz_t a, const ct_poly *g,
                     const fmpz_t b, const ct_poly *h);
ct_status ct_poly_mul(ct_context *ctx, const ct_ring *ring, ct_poly *f, const ct_poly *g,
                      const ct_poly *h);
// Value at a rational point [n]; no symbols.
void ct_poly_value(const ct_ring *ring, fmpq_t value, const ct_poly *f, const fmpq *point);

void ct_poly_print(const ct_ring *ring, ct_text *out, const ct_poly *f); // "3*x^2*y - 5"
// Polynomial from text in the names of the ring (unknowns and symbols); decimals are exact.
ct_status ct_poly_parse(ct_context *ctx, const ct_ring *ring, ct_poly *f, const char *text);

void ct_polys_clear(const ct_ring *ring, ct_polys *list);
ct_poly *ct_polys_add(ct_polys *list); // a fresh zero polynomial at the end
bool ct_polys_equal(const ct_ring *ring, const ct_polys *a, const ct_polys *b);
slong ct_polys_terms(const ct_polys *list);
slong ct_polys_bits(const ct_polys *list); // of the largest coefficient

// Lists of one shape, coefficient by coefficient: terms of each polynomial (freed by the caller),
// all coefficients as words, and polynomials with the monomials of `shape` and these coefficients.
slong *ct_polys_lengths(const ct_polys *list);
ulong *ct_polys_residues(const ct_polys *list);
void ct_polys_fill(const ct_ring *ring, ct_polys *out, const ct_polys *shape, const fmpz *coefs);

// division ---------------------------------------------------------------------------------------
// Steps of plain division over Q, over Q(symbols), or modulo `prime` if that is not 0. False: a
// degree exceeds CT_EXPONENT_MAX, the result is worthless.
int ct_find_divisor(const ct_ring *ring, const ct_polys *basis, const uint32_t *e); // -1: none
void ct_poly_mod(const ct_ring *ring, ct_poly *f, const ct_poly *g, uint32_t prime);
// f <- a f - b m g from term `at` on, whose lead cancels; `done` is scaled by a.
bool ct_cancel_term(const ct_ring *ring, ct_poly *f, slong at, ct_poly *done, const ct_poly *g,
                    uint32_t prime);
bool ct_s_polynomial(const ct_ring *ring, ct_poly *s, const ct_poly *f, const ct_poly *g,
                     uint32_t prime);
// Over Q a multiple of the true remainder.
bool ct_remainder(const ct_ring *ring, ct_poly *r, const ct_poly *f, const ct_polys *basis,
                  uint32_t prime);
// The same within limits; false where one is reached.
bool ct_remainder_within(ct_limits *limits, const ct_ring *ring, ct_poly *r, const ct_poly *f,
                         const ct_polys *basis, uint32_t prime);

// from expressions -------------------------------------------------------------------------------
// Polynomial expression over the ring: symbols of the pool are found by name among the unknowns and
// the symbols of the ring; sin(a) and cos(a) among the pairs.
typedef struct ct_trig_pair {
    ct_ex angle; // sin(angle) is unknown `sine`, cos(angle) unknown `cosine`
    int sine, cosine;
} ct_trig_pair;
ct_status ct_poly_from_expr(ct_context *ctx, ct_pool *pool, const ct_ring *ring, int n_pairs,
                            const ct_trig_pair *pairs, ct_poly *f, ct_ex e);

// A system read off expressions (each = 0). Unknown symbols, in the order wanted: one that appears
// inside sines and cosines becomes the pair `c_name`, `s_name` with the identity s^2 + c^2 - 1 as
// one more equation (also for sums and multiples of angles); others stay as they are. What holds no
// unknown and is not a rational number becomes one symbol of the ring each, `known[i]` its value.
typedef struct ct_poly_system {
    ct_ring *ring;
    ct_polys equations; // of the expressions, then the identities
    int n_pairs;
    ct_trig_pair *pairs;
    int n_known; // symbols of the ring, in order
    ct_ex *known;
} ct_poly_system;
ct_status ct_poly_system_from_expr(ct_context *ctx, ct_pool *pool, int n, const ct_ex *equations,
                                   int n_unknowns, const ct_ex *unknowns, ct_order order,
                                   ct_poly_system *system);
void ct_poly_system_clear(ct_poly_system *system);

#endif
