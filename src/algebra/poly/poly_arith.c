// Sums and products of polynomials, exact values, change of ring.
#include "algebra/poly/poly.h"

#include <string.h>

static void push_multiple(const ct_ring *ring, ct_poly *f, const fmpz_t a, const ct_poly *g,
                          slong i) {
    const uint32_t *e = ct_poly_exps(ring, g, i);
    if (ring->n_symbols) {
        ct_poly_push_symbolic(ring, f, e, g->symbolic + i);
        fmpz_mpoly_struct *c = f->symbolic + f->n - 1;
        fmpz_mpoly_scalar_mul_fmpz(c, c, a, ring->symbol_ctx);
    } else {
        ct_poly_push(ring, f, e, g->coefs + i);
        fmpz_mul(f->coefs + f->n - 1, f->coefs + f->n - 1, a);
    }
}

void ct_poly_combine(const ct_ring *ring, ct_poly *f, const fmpz_t a, const ct_poly *g,
                     const fmpz_t b, const ct_poly *h) {
    ct_poly sum;
    ct_poly_init(&sum);
    for (slong i = 0; i < g->n; i++) push_multiple(ring, &sum, a, g, i);
    for (slong i = 0; i < h->n; i++) push_multiple(ring, &sum, b, h, i);
    ct_poly_sort(ring, &sum);
    ct_poly_swap(f, &sum);
    ct_poly_clear(ring, &sum);
}

static uint64_t total_degree(const ct_ring *ring, const ct_poly *f) {
    uint64_t degree = 0;
    for (slong i = 0; i < f->n; i++) {
        uint64_t d = ct_monomial_degree(ring, ct_poly_exps(ring, f, i));
        if (d > degree) degree = d;
    }
    return degree;
}

static void push_product(const ct_ring *ring, ct_poly *f, const ct_poly *g, slong i,
                         const ct_poly *h, slong j) {
    uint32_t e[CT_UNKNOWNS_MAX];
    const uint32_t *a = ct_poly_exps(ring, g, i), *b = ct_poly_exps(ring, h, j);
    for (int k = 0; k < ring->n; k++) e[k] = a[k] + b[k];
    if (ring->n_symbols) {
        ct_poly_push_symbolic(ring, f, e, g->symbolic + i);
        fmpz_mpoly_struct *c = f->symbolic + f->n - 1;
        fmpz_mpoly_mul(c, c, h->symbolic + j, ring->symbol_ctx);
    } else {
        ct_poly_push(ring, f, e, g->coefs + i);
        fmpz_mul(f->coefs + f->n - 1, f->coefs + f->n - 1, h->coefs + j);
    }
}

ct_status ct_poly_mul(ct_context *ctx, const ct_ring *ring, ct_poly *f, const ct_poly *g,
                      const ct_poly *h) {
    if (total_degree(ring, g) + total_degree(ring, h) > CT_EXPONENT_MAX)
        return ct_fail(ctx, CT_NUMERICS, "a product of polynomials exceeds degree %u",
                       CT_EXPONENT_MAX);
    ct_poly product;
    ct_poly_init(&product);
    for (slong i = 0; i < g->n; i++)
        for (slong j = 0; j < h->n; j++) push_product(ring, &product, g, i, h, j);
    ct_poly_sort(ring, &product);
    ct_poly_swap(f, &product);
    ct_poly_clear(ring, &product);
    return CT_OK;
}

void ct_poly_value(const ct_ring *ring, fmpq_t value, const ct_poly *f, const fmpq *point) {
    fmpq_t term, power;
    fmpq_init(term);
    fmpq_init(power);
    fmpq_zero(value);
    for (slong i = 0; i < f->n; i++) {
        fmpq_set_fmpz(term, f->coefs + i);
        const uint32_t *e = ct_poly_exps(ring, f, i);
        for (int k = 0; k < ring->n; k++) {
            if (!e[k]) continue;
            fmpq_pow_si(power, point + k, (slong)e[k]);
            fmpq_mul(term, term, power);
        }
        fmpq_add(value, value, term);
    }
    fmpq_clear(term);
    fmpq_clear(power);
}

void ct_poly_convert(const ct_ring *to, ct_poly *f, const ct_ring *from, const ct_poly *g,
                     const int *map) {
    ct_poly h;
    ct_poly_init(&h);
    for (slong i = 0; i < g->n; i++) {
        uint32_t e[CT_UNKNOWNS_MAX] = {0};
        const uint32_t *a = ct_poly_exps(from, g, i);
        for (int k = 0; k < from->n; k++) e[map ? map[k] : k] = a[k];
        if (to->n_symbols)
            ct_poly_push_symbolic(to, &h, e, g->symbolic + i);
        else
            ct_poly_push(to, &h, e, g->coefs + i);
    }
    ct_poly_canonical(to, &h);
    ct_poly_swap(f, &h);
    ct_poly_clear(to, &h);
}
