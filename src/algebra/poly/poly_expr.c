// Polynomials from expressions. A partial result is f / d with integer f; sines and cosines of sums
// and multiples of the known angles are expanded by  exp(i(u + v)) = exp(iu) exp(iv).
#include "algebra/poly/poly.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    ct_context *ctx;
    ct_pool *pool;
    const ct_ring *ring;
    int n_pairs;
    const ct_trig_pair *pairs;
} reading;

typedef struct fraction {
    ct_poly f;
    fmpz_t d; // f / d, d > 0
} fraction;

static ct_status read_node(const reading *r, fraction *out, ct_ex e);

static void fraction_init(fraction *a) {
    ct_poly_init(&a->f);
    fmpz_init_set_ui(a->d, 1);
}

static void fraction_clear(const reading *r, fraction *a) {
    ct_poly_clear(r->ring, &a->f);
    fmpz_clear(a->d);
}

static void fraction_number(const reading *r, fraction *a, const fmpq_t q) {
    const uint32_t one[CT_UNKNOWNS_MAX] = {0};
    ct_poly_clear(r->ring, &a->f);
    if (!fmpq_is_zero(q)) ct_poly_push(r->ring, &a->f, one, fmpq_numref(q));
    fmpz_set(a->d, fmpq_denref(q));
}

static void fraction_unknown(const reading *r, fraction *a, int k) {
    uint32_t e[CT_UNKNOWNS_MAX] = {0};
    e[k] = 1;
    ct_poly_clear(r->ring, &a->f);
    fmpz_one(a->d);
    ct_poly_push(r->ring, &a->f, e, a->d);
}

// a += q b
static void fraction_add(const reading *r, fraction *a, const fmpq_t q, const fraction *b) {
    fmpz_t u, v;
    fmpz_init(u);
    fmpz_init(v);
    fmpz_mul(u, fmpq_denref(q), b->d);
    fmpz_mul(v, fmpq_numref(q), a->d);
    ct_poly_combine(r->ring, &a->f, u, &a->f, v, &b->f);
    fmpz_mul(a->d, a->d, u);
    fmpz_clear(u);
    fmpz_clear(v);
}

static ct_status fraction_mul(const reading *r, fraction *a, const fraction *b) {
    fmpz_mul(a->d, a->d, b->d);
    return ct_poly_mul(r->ctx, r->ring, &a->f, &a->f, &b->f);
}

// leaves and sums --------------------------------------------------------------------------------
static ct_status read_symbol(const reading *r, fraction *out, ct_ex e) {
    const char *name = ct_symbol_name(r->pool, e);
    int k = ct_ring_find(r->ring, name);
    if (k >= 0) {
        fraction_unknown(r, out, k);
        return CT_OK;
    }
    for (int i = 0; i < r->ring->n_symbols; i++) {
        if (strcmp(r->ring->symbols[i], name)) continue;
        const uint32_t one[CT_UNKNOWNS_MAX] = {0};
        fmpz_mpoly_t c;
        fmpz_mpoly_init(c, r->ring->symbol_ctx);
        fmpz_mpoly_gen(c, i, r->ring->symbol_ctx);
        ct_poly_push_symbolic(r->ring, &out->f, one, c);
        fmpz_mpoly_clear(c, r->ring->symbol_ctx);
        return CT_OK;
    }
    return ct_fail(r->ctx, CT_WRONG_MODEL, "'%s' is neither an unknown nor a symbol of the ring",
                   name);
}

static ct_status read_sum(const reading *r, fraction *out, ct_ex e) {
    ct_status status = CT_OK;
    fmpq_t q;
    fmpq_init(q);
    ct_number_get(r->pool, ct_child(r->pool, e, 0), q);
    fraction_number(r, out, q);
    for (int i = 1; i < ct_child_count(r->pool, e) && status == CT_OK; i += 2) {
        fraction term;
        fraction_init(&term);
        ct_number_get(r->pool, ct_child(r->pool, e, i), q);
        status = read_node(r, &term, ct_child(r->pool, e, i + 1));
        if (status == CT_OK) fraction_add(r, out, q, &term);
        fraction_clear(r, &term);
    }
    fmpq_clear(q);
    return status;
}

// products ---------------------------------------------------------------------------------------
static ct_status not_polynomial(const reading *r, ct_ex e) {
    char *text = ct_print(r->pool, e, CT_STYLE_TEXT);
    ct_status status =
        ct_fail(r->ctx, CT_WRONG_MODEL, "'%.200s' is not a polynomial in the unknowns", text);
    ct_free(text);
    return status;
}

// A power of one term needs no repeated multiplication (x^1000000).
static ct_status power_of_term(const reading *r, fraction *a, ulong exponent) {
    uint64_t degree = ct_monomial_degree(r->ring, a->f.exps);
    if (degree && exponent > CT_EXPONENT_MAX / degree)
        return ct_fail(r->ctx, CT_NUMERICS, "an exponent exceeds %u", CT_EXPONENT_MAX);
    for (int k = 0; k < r->ring->n; k++) a->f.exps[k] *= (uint32_t)exponent;
    fmpz_pow_ui(a->d, a->d, exponent);
    if (!r->ring->n_symbols)
        fmpz_pow_ui(a->f.coefs, a->f.coefs, exponent);
    else if (!fmpz_mpoly_pow_ui(a->f.symbolic, a->f.symbolic, exponent, r->ring->symbol_ctx))
        return ct_fail(r->ctx, CT_NUMERICS, "a power of a symbol is too large");
    return CT_OK;
}

#define POWER_MAX 1000 // of a sum: larger ones have more terms than anyone wants

static ct_status power(const reading *r, fraction *a, ulong exponent) {
    if (a->f.n == 1) return power_of_term(r, a, exponent);
    if (exponent > POWER_MAX)
        return ct_fail(r->ctx, CT_NUMERICS, "a sum to the power %lu is too large to expand",
                       exponent);
    fraction base;
    fraction_init(&base);
    ct_poly_set(r->ring, &base.f, &a->f);
    fmpz_set(base.d, a->d);
    ct_status status = CT_OK;
    for (ulong i = 1; i < exponent && status == CT_OK; i++) status = fraction_mul(r, a, &base);
    fraction_clear(r, &base);
    return status;
}

static ct_status read_product(const reading *r, fraction *out, ct_ex e) {
    ct_status status = CT_OK;
    fmpq_t q;
    fmpq_init(q);
    ct_number_get(r->pool, ct_child(r->pool, e, 0), q);
    fraction_number(r, out, q);
    for (int i = 1; i < ct_child_count(r->pool, e) && status == CT_OK; i += 2) {
        fraction factor;
        fraction_init(&factor);
        ct_number_get(r->pool, ct_child(r->pool, e, i + 1), q);
        if (fmpq_sgn(q) <= 0 || !fmpz_is_one(fmpq_denref(q)))
            status = not_polynomial(r, e);
        else if (!fmpz_abs_fits_ui(fmpq_numref(q)))
            status = ct_fail(r->ctx, CT_NUMERICS, "an exponent exceeds %u", CT_EXPONENT_MAX);
        if (status == CT_OK) status = read_node(r, &factor, ct_child(r->pool, e, i));
        if (status == CT_OK && factor.f.n) status = power(r, &factor, fmpz_get_ui(fmpq_numref(q)));
        if (status == CT_OK) status = fraction_mul(r, out, &factor);
        fraction_clear(r, &factor);
    }
    fmpq_clear(q);
    return status;
}

// angles -----------------------------------------------------------------------------------------
typedef struct turn {
    fraction c, s; // cosine and sine
} turn;

static void turn_init(const reading *r, turn *t) {
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    fraction_init(&t->c);
    fraction_init(&t->s);
    fraction_number(r, &t->c, one);
    fmpq_clear(one);
}

static void turn_clear(const reading *r, turn *t) {
    fraction_clear(r, &t->c);
    fraction_clear(r, &t->s);
}

// (c, s) <- (c c' - sign s s', s c' + sign c s'), the angle of the pair added or subtracted
static ct_status turn_by(const reading *r, turn *t, const ct_trig_pair *pair, int sign) {
    // the four products
    fraction c, s, cs, sc;
    fraction *all[] = {&c, &s, &cs, &sc};
    for (int i = 0; i < 4; i++) fraction_init(all[i]);
    fraction_unknown(r, &c, pair->cosine);
    fraction_unknown(r, &s, pair->sine);
    fraction_unknown(r, &cs, pair->cosine);
    fraction_unknown(r, &sc, pair->sine);
    ct_status status = fraction_mul(r, &c, &t->c);             // c c'
    if (status == CT_OK) status = fraction_mul(r, &s, &t->s);  // s s'
    if (status == CT_OK) status = fraction_mul(r, &cs, &t->s); // s c'
    if (status == CT_OK) status = fraction_mul(r, &sc, &t->c); // c s'
    // c c' - sign s s',  s c' + sign c s'
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_si(q, -sign, 1);
    fraction_add(r, &c, q, &s);
    fmpq_neg(q, q);
    fraction_add(r, &cs, q, &sc);
    fmpq_clear(q);
    // they replace the turn
    ct_poly_swap(&t->c.f, &c.f);
    fmpz_swap(t->c.d, c.d);
    ct_poly_swap(&t->s.f, &cs.f);
    fmpz_swap(t->s.d, cs.d);
    for (int i = 0; i < 4; i++) fraction_clear(r, all[i]);
    return status;
}

static const ct_trig_pair *find_pair(const reading *r, ct_ex angle) {
    for (int i = 0; i < r->n_pairs; i++)
        if (r->pairs[i].angle == angle) return &r->pairs[i];
    return NULL;
}

static bool small_multiple(const fmpz_t k) {
    return fmpz_fits_si(k) && labs(fmpz_get_si(k)) <= 64;
}

// Adds q * e to the turn, e a linear form in angles that have pairs.
static ct_status turn_linear(const reading *r, turn *t, const fmpq_t q, ct_ex e) {
    ct_status status = CT_OK;
    // an angle with a pair: turn by it as often as q says
    const ct_trig_pair *pair = find_pair(r, e);
    if (pair) {
        if (!fmpz_is_one(fmpq_denref(q)) || !small_multiple(fmpq_numref(q)))
            return not_polynomial(r, e);
        slong k = fmpz_get_si(fmpq_numref(q));
        for (slong i = 0; i < labs(k) && status == CT_OK; i++)
            status = turn_by(r, t, pair, k < 0 ? -1 : 1);
        return status;
    }
    // else a multiple of one form, or a sum of multiples without a constant
    ct_op op = ct_ex_op(r->pool, e);
    int n = ct_child_count(r->pool, e);
    if (op == CT_OP_PRODUCT && n != 3) return not_polynomial(r, e);
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) return not_polynomial(r, e);
    if (op == CT_OP_SUM && ct_child(r->pool, e, 0) != CT_ZERO) return not_polynomial(r, e);
    if (op == CT_OP_PRODUCT && ct_child(r->pool, e, 2) != CT_ONE) return not_polynomial(r, e);
    // each multiple in turn
    fmpq_t c;
    fmpq_init(c);
    if (op == CT_OP_PRODUCT) {
        ct_number_get(r->pool, ct_child(r->pool, e, 0), c);
        fmpq_mul(c, c, q);
        status = turn_linear(r, t, c, ct_child(r->pool, e, 1));
    }
    for (int i = 1; op == CT_OP_SUM && i < n && status == CT_OK; i += 2) {
        ct_number_get(r->pool, ct_child(r->pool, e, i), c);
        fmpq_mul(c, c, q);
        status = turn_linear(r, t, c, ct_child(r->pool, e, i + 1));
    }
    fmpq_clear(c);
    return status;
}

static ct_status read_trig(const reading *r, fraction *out, ct_ex e) {
    turn t;
    turn_init(r, &t);
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    ct_status status = turn_linear(r, &t, one, ct_child(r->pool, e, 0));
    fraction *from = ct_ex_op(r->pool, e) == CT_OP_SIN ? &t.s : &t.c;
    ct_poly_swap(&out->f, &from->f);
    fmpz_swap(out->d, from->d);
    fmpq_clear(one);
    turn_clear(r, &t);
    return status;
}

static ct_status read_node(const reading *r, fraction *out, ct_ex e) {
    switch (ct_ex_op(r->pool, e)) {
    case CT_OP_NUMBER: {
        fmpq_t q;
        fmpq_init(q);
        ct_number_get(r->pool, e, q);
        fraction_number(r, out, q);
        fmpq_clear(q);
        return CT_OK;
    }
    case CT_OP_SYMBOL: return read_symbol(r, out, e);
    case CT_OP_SUM: return read_sum(r, out, e);
    case CT_OP_PRODUCT: return read_product(r, out, e);
    case CT_OP_SIN:
    case CT_OP_COS: return read_trig(r, out, e);
    case CT_OP_LET: return read_node(r, out, ct_child(r->pool, e, 0));
    default: return not_polynomial(r, e);
    }
}

ct_status ct_poly_from_expr(ct_context *ctx, ct_pool *pool, const ct_ring *ring, int n_pairs,
                            const ct_trig_pair *pairs, ct_poly *f, ct_ex e) {
    reading r = {ctx, pool, ring, n_pairs, pairs};
    fraction a;
    fraction_init(&a);
    ct_status status = read_node(&r, &a, e);
    if (status == CT_OK) {
        ct_poly_canonical(ring, &a.f);
        ct_poly_swap(f, &a.f);
    }
    fraction_clear(&r, &a);
    return status;
}
