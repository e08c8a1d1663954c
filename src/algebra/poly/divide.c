// Plain polynomial division, term by term, over Q, over Q(symbols) (both without fractions:
// f <- a f - b m g) and modulo a prime. Shares nothing with F4: it is what F4 is checked with.
#include "algebra/poly/poly.h"

#include <string.h>

// Factors a, b with  a lc(f) = b lc(g).
typedef struct factors {
    fmpz_t a, b;
    fmpz_mpoly_t sa, sb;
} factors;

static void factors_init(const ct_ring *ring, factors *q) {
    fmpz_init(q->a);
    fmpz_init(q->b);
    if (!ring->n_symbols) return;
    fmpz_mpoly_init(q->sa, ring->symbol_ctx);
    fmpz_mpoly_init(q->sb, ring->symbol_ctx);
}

static void factors_clear(const ct_ring *ring, factors *q) {
    fmpz_clear(q->a);
    fmpz_clear(q->b);
    if (!ring->n_symbols) return;
    fmpz_mpoly_clear(q->sa, ring->symbol_ctx);
    fmpz_mpoly_clear(q->sb, ring->symbol_ctx);
}

static void factors_find(const ct_ring *ring, factors *q, const ct_poly *f, slong at,
                         const ct_poly *g, uint32_t prime) {
    if (prime) {
        fmpz_t p;
        fmpz_init_set_ui(p, prime);
        fmpz_invmod(q->b, g->coefs, p);
        fmpz_mul(q->b, q->b, f->coefs + at);
        fmpz_mod(q->b, q->b, p);
        fmpz_one(q->a);
        fmpz_clear(p);
    } else if (ring->n_symbols) {
        fmpz_mpoly_t c;
        fmpz_mpoly_init(c, ring->symbol_ctx);
        fmpz_mpoly_gcd_cofactors(c, q->sb, q->sa, f->symbolic + at, g->symbolic, ring->symbol_ctx);
        fmpz_mpoly_clear(c, ring->symbol_ctx);
    } else {
        fmpz_t c;
        fmpz_init(c);
        fmpz_gcd(c, f->coefs + at, g->coefs);
        fmpz_divexact(q->b, f->coefs + at, c);
        fmpz_divexact(q->a, g->coefs, c);
        fmpz_clear(c);
    }
}

// c <- factor * c
static void scale(const ct_ring *ring, ct_poly *h, slong k, const factors *q, bool by_b) {
    if (ring->n_symbols)
        fmpz_mpoly_mul(h->symbolic + k, h->symbolic + k, by_b ? q->sb : q->sa, ring->symbol_ctx);
    else
        fmpz_mul(h->coefs + k, h->coefs + k, by_b ? q->b : q->a);
}

static void push_scaled(const ct_ring *ring, ct_poly *h, const uint32_t *e, const ct_poly *f,
                        slong i, const factors *q, bool by_b) {
    if (ring->n_symbols)
        ct_poly_push_symbolic(ring, h, e, f->symbolic + i);
    else
        ct_poly_push(ring, h, e, f->coefs + i);
    scale(ring, h, h->n - 1, q, by_b);
    if (!by_b) return;
    if (ring->n_symbols)
        fmpz_mpoly_neg(h->symbolic + h->n - 1, h->symbolic + h->n - 1, ring->symbol_ctx);
    else
        fmpz_neg(h->coefs + h->n - 1, h->coefs + h->n - 1);
}

// The last coefficient of h takes a f_i - b g_j; gone if zero.
static void settle(const ct_ring *ring, ct_poly *h, const ct_poly *g, slong j, const factors *q,
                   uint32_t prime) {
    slong k = h->n - 1;
    bool zero;
    if (ring->n_symbols) {
        if (g) {
            fmpz_mpoly_t t;
            fmpz_mpoly_init(t, ring->symbol_ctx);
            fmpz_mpoly_mul(t, q->sb, g->symbolic + j, ring->symbol_ctx);
            fmpz_mpoly_sub(h->symbolic + k, h->symbolic + k, t, ring->symbol_ctx);
            fmpz_mpoly_clear(t, ring->symbol_ctx);
        }
        zero = fmpz_mpoly_is_zero(h->symbolic + k, ring->symbol_ctx);
        if (zero) fmpz_mpoly_clear(h->symbolic + k, ring->symbol_ctx);
    } else {
        if (g) fmpz_submul(h->coefs + k, q->b, g->coefs + j);
        if (prime) fmpz_set_ui(h->coefs + k, fmpz_fdiv_ui(h->coefs + k, prime));
        zero = fmpz_is_zero(h->coefs + k);
        if (zero) fmpz_clear(h->coefs + k);
    }
    if (zero) h->n--;
}

// h = a f - b m g without the first `skip_f` and `skip_g` terms (which cancel or are done with).
static bool merge(const ct_ring *ring, ct_poly *h, const ct_poly *f, slong i, const ct_poly *g,
                  slong j, const uint32_t *m, const factors *q, uint32_t prime) {
    uint32_t e[CT_UNKNOWNS_MAX];
    bool fits = true;
    while (i < f->n || j < g->n) {
        int sign = i == f->n ? -1 : 1;
        if (j < g->n)
            for (int k = 0; k < ring->n; k++) e[k] = ct_poly_exps(ring, g, j)[k] + m[k];
        if (i < f->n && j < g->n) sign = ct_monomial_compare(ring, ct_poly_exps(ring, f, i), e);
        if (sign < 0) {
            fits = fits && ct_monomial_degree(ring, e) <= CT_EXPONENT_MAX;
            push_scaled(ring, h, e, g, j++, q, true);
            settle(ring, h, NULL, 0, q, prime);
            continue;
        }
        push_scaled(ring, h, ct_poly_exps(ring, f, i), f, i, q, false);
        i++;
        if (sign == 0)
            settle(ring, h, g, j++, q, prime);
        else
            settle(ring, h, NULL, 0, q, prime);
    }
    return fits;
}

int ct_find_divisor(const ct_ring *ring, const ct_polys *basis, const uint32_t *e) {
    for (int i = 0; i < basis->n; i++)
        if (basis->p[i].n && ct_monomial_divides(ring, basis->p[i].exps, e)) return i;
    return -1;
}

// f <- a f - b m g from term `at` on, whose lead cancels; the done part in r is scaled along.
bool ct_cancel_term(const ct_ring *ring, ct_poly *f, slong at, ct_poly *r, const ct_poly *g,
                    uint32_t prime) {
    uint32_t m[CT_UNKNOWNS_MAX];
    const uint32_t *e = ct_poly_exps(ring, f, at);
    for (int k = 0; k < ring->n; k++) m[k] = e[k] - g->exps[k];
    factors q;
    factors_init(ring, &q);
    factors_find(ring, &q, f, at, g, prime);
    ct_poly h;
    ct_poly_init(&h);
    bool fits = merge(ring, &h, f, at + 1, g, 1, m, &q, prime);
    for (slong k = 0; k < r->n && !prime; k++) scale(ring, r, k, &q, false);
    ct_poly_swap(f, &h);
    ct_poly_clear(ring, &h);
    factors_clear(ring, &q);
    return fits;
}

static void push_term(const ct_ring *ring, ct_poly *r, const ct_poly *f, slong i) {
    if (ring->n_symbols)
        ct_poly_push_symbolic(ring, r, ct_poly_exps(ring, f, i), f->symbolic + i);
    else
        ct_poly_push(ring, r, ct_poly_exps(ring, f, i), f->coefs + i);
}

void ct_poly_mod(const ct_ring *ring, ct_poly *f, const ct_poly *g, uint32_t prime) {
    ct_poly h;
    ct_poly_init(&h);
    ct_poly_reserve(ring, &h, g->n);
    fmpz_t c;
    fmpz_init(c);
    for (slong i = 0; i < g->n; i++) {
        fmpz_set_ui(c, fmpz_fdiv_ui(g->coefs + i, prime));
        if (!fmpz_is_zero(c)) ct_poly_push(ring, &h, ct_poly_exps(ring, g, i), c);
    }
    fmpz_clear(c);
    ct_poly_swap(f, &h);
    ct_poly_clear(ring, &h);
}

bool ct_remainder(const ct_ring *ring, ct_poly *r, const ct_poly *f, const ct_polys *basis,
                  uint32_t prime) {
    return ct_remainder_within(NULL, ring, r, f, basis, prime);
}

bool ct_remainder_within(ct_limits *limits, const ct_ring *ring, ct_poly *r, const ct_poly *f,
                         const ct_polys *basis, uint32_t prime) {
    ct_poly rest, done;
    ct_poly_init(&rest);
    ct_poly_init(&done);
    if (prime)
        ct_poly_mod(ring, &rest, f, prime);
    else
        ct_poly_set(ring, &rest, f);
    // from the leading term on; what nothing divides belongs to the remainder
    bool fits = true;
    for (slong at = 0; at < rest.n && fits;) {
        fits = ct_limits_ok(limits);
        int i = ct_find_divisor(ring, basis, ct_poly_exps(ring, &rest, at));
        if (i < 0) {
            push_term(ring, &done, &rest, at++);
            continue;
        }
        fits = fits && ct_cancel_term(ring, &rest, at, &done, &basis->p[i], prime);
        at = 0;
    }
    ct_poly_swap(r, &done);
    ct_poly_clear(ring, &rest);
    ct_poly_clear(ring, &done);
    if (!prime) ct_poly_primitive(ring, r);
    return fits;
}

// The S-polynomial  a (l/lm f) f - b (l/lm g) g,  leads cancelled.
bool ct_s_polynomial(const ct_ring *ring, ct_poly *s, const ct_poly *f, const ct_poly *g,
                     uint32_t prime) {
    uint32_t up[CT_UNKNOWNS_MAX];
    for (int k = 0; k < ring->n; k++) {
        uint32_t l = f->exps[k] > g->exps[k] ? f->exps[k] : g->exps[k];
        up[k] = l - f->exps[k];
    }
    ct_poly h, none;
    ct_poly_init(&h);
    ct_poly_init(&none);
    ct_poly_set(ring, &h, f);
    for (slong i = 0; i < h.n; i++)
        for (int k = 0; k < ring->n; k++) h.exps[(size_t)i * (size_t)ring->n + (size_t)k] += up[k];
    bool fits = ct_cancel_term(ring, &h, 0, &none, g, prime);
    ct_poly_swap(s, &h);
    ct_poly_clear(ring, &h);
    ct_poly_clear(ring, &none);
    return fits;
}
