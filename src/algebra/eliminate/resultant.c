// Sylvester's resultant of two polynomials in one unknown, the others staying symbolic: FLINT's
// exact arithmetic in Z[x], signs as of the determinant with the rows of f above those of g.
#include "algebra/eliminate/eliminate.h"

#include <flint/fmpz_mpoly.h>

static void to_flint(fmpz_mpoly_t out, const ct_ring *ring, const ct_poly *f,
                     const fmpz_mpoly_ctx_t flint) {
    for (slong i = 0; i < f->n; i++) {
        ulong e[CT_UNKNOWNS_MAX];
        const uint32_t *exps = ct_poly_exps(ring, f, i);
        for (int k = 0; k < ring->n; k++) e[k] = exps[k];
        fmpz_mpoly_push_term_fmpz_ui(out, f->coefs + i, e, flint);
    }
    fmpz_mpoly_sort_terms(out, flint);
    fmpz_mpoly_combine_like_terms(out, flint);
}

static ct_status from_flint(ct_context *ctx, const ct_ring *ring, ct_poly *out,
                            const fmpz_mpoly_t f, const fmpz_mpoly_ctx_t flint) {
    ct_poly g;
    ct_poly_init(&g);
    fmpz_t c;
    fmpz_init(c);
    ct_status s = CT_OK;
    for (slong i = 0; i < fmpz_mpoly_length(f, flint) && !s; i++) {
        // exponents, which must fit
        ulong e[CT_UNKNOWNS_MAX], degree = 0;
        uint32_t exps[CT_UNKNOWNS_MAX];
        if (!fmpz_mpoly_term_exp_fits_ui(f, i, flint)) {
            s = ct_fail(ctx, CT_NUMERICS, "the resultant has too high a degree");
            break;
        }
        fmpz_mpoly_get_term_exp_ui(e, f, i, flint);
        for (int k = 0; k < ring->n; k++) exps[k] = (uint32_t)e[k], degree += e[k];
        if (degree > CT_EXPONENT_MAX)
            s = ct_fail(ctx, CT_NUMERICS, "the resultant has too high a degree");
        // coefficient
        fmpz_mpoly_get_term_coeff_fmpz(c, f, i, flint);
        ct_poly_push(ring, &g, exps, c);
    }
    ct_poly_sort(ring, &g);
    if (!s) ct_poly_swap(out, &g);
    ct_poly_clear(ring, &g);
    fmpz_clear(c);
    return s;
}

ct_status ct_resultant(ct_context *ctx, const ct_ring *ring, ct_poly *out, const ct_poly *f,
                       const ct_poly *g, int unknown) {
    if (ring->n_symbols || unknown < 0 || unknown >= ring->n)
        return ct_fail(ctx, CT_USAGE,
                       "a resultant needs rational coefficients and an unknown of the ring");
    fmpz_mpoly_ctx_t flint;
    fmpz_mpoly_ctx_init(flint, ring->n, ORD_LEX);
    fmpz_mpoly_t a, b, r;
    fmpz_mpoly_init(a, flint), fmpz_mpoly_init(b, flint), fmpz_mpoly_init(r, flint);
    to_flint(a, ring, f, flint);
    to_flint(b, ring, g, flint);
    ct_status s = CT_OK;
    if (!fmpz_mpoly_resultant(r, a, b, unknown, flint))
        s = ct_fail(ctx, CT_NUMERICS, "the resultant is too large");
    if (!s) s = from_flint(ctx, ring, out, r, flint);
    fmpz_mpoly_clear(a, flint), fmpz_mpoly_clear(b, flint), fmpz_mpoly_clear(r, flint);
    fmpz_mpoly_ctx_clear(flint);
    return s;
}
