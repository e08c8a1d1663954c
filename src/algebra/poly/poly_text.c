// Polynomials as text, both ways.
#include "algebra/poly/poly.h"

#include <stdlib.h>
#include <string.h>

static void print_monomial(const ct_ring *ring, ct_text *out, const uint32_t *e, bool first) {
    for (int k = 0; k < ring->n; k++) {
        if (!e[k]) continue;
        ct_text_printf(out, first ? "%s" : "*%s", ring->names[k]);
        if (e[k] > 1) ct_text_printf(out, "^%u", e[k]);
        first = false;
    }
}

static void print_integer(ct_text *out, const fmpz_t c, bool bare, bool first) {
    fmpz_t a;
    fmpz_init(a);
    fmpz_abs(a, c);
    ct_text_add(out, fmpz_sgn(c) < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    if (bare || !fmpz_is_one(a)) {
        char *digits = fmpz_get_str(NULL, 10, a);
        ct_text_add(out, digits);
        flint_free(digits);
    }
    fmpz_clear(a);
}

static void print_symbolic(const ct_ring *ring, ct_text *out, const fmpz_mpoly_t c, bool first) {
    char *text = fmpz_mpoly_get_str_pretty(c, (const char **)ring->symbols, ring->symbol_ctx);
    ct_text_printf(out, first ? "(%s)" : " + (%s)", text);
    flint_free(text);
}

void ct_poly_print(const ct_ring *ring, ct_text *out, const ct_poly *f) {
    if (!f->n) ct_text_add(out, "0");
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        bool constant = ct_monomial_degree(ring, e) == 0, bare = constant;
        if (ring->n_symbols) {
            print_symbolic(ring, out, f->symbolic + i, i == 0);
        } else {
            print_integer(out, f->coefs + i, constant, i == 0);
            bare = fmpz_is_pm1(f->coefs + i);
        }
        print_monomial(ring, out, e, !ring->n_symbols && bare);
    }
}

static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)offset;
    (void)error;
    if (primes) return false;
    *value = ct_symbol(data, CT_SYMBOL_OTHER, name);
    return true;
}

ct_status ct_poly_parse(ct_context *ctx, const ct_ring *ring, ct_poly *f, const char *text) {
    ct_pool *pool = ct_pool_new();
    ct_names names = {.data = pool, .resolve = resolve};
    ct_parse_error error = {0};
    ct_ex e;
    ct_status status;
    if (!ct_parse(pool, text, &names, &e, &error))
        status = ct_fail(ctx, CT_WRONG_MODEL, "column %zu of '%.60s': %s", error.offset + 1, text,
                         error.message);
    else
        status = ct_poly_from_expr(ctx, pool, ring, 0, NULL, f, e);
    ct_pool_free(pool);
    return status;
}
