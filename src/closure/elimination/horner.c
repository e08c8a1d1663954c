// Greedy Horner form: f = x^k q + r with the symbol x that most terms hold.
#include "closure/elimination/horner.h"

#include <stdlib.h>
#include <string.h>

typedef struct nest {
    ct_pool *pool;
    const fmpz_mpoly_struct *f;
    const fmpz_mpoly_ctx_struct *ctx;
    const ct_ex *values;
    int n;       // symbols
    ulong *exps; // [term * n + symbol]
} nest;

static ct_ex coefficient(const nest *h, slong term) {
    fmpq_t c;
    fmpq_init(c);
    fmpz_mpoly_get_term_coeff_fmpz(fmpq_numref(c), h->f, term, h->ctx);
    ct_ex e = ct_number(h->pool, c);
    fmpq_clear(c);
    return e;
}

static ct_ex one_term(const nest *h, slong term) {
    ct_ex e = coefficient(h, term);
    for (int k = 0; k < h->n; k++)
        if (h->exps[term * h->n + k])
            e = ct_mul(h->pool, e,
                       ct_power_int(h->pool, h->values[k], (long)h->exps[term * h->n + k]));
    return e;
}

static int most_common(const nest *h, slong n, const slong *term) {
    int best = -1;
    slong most = 1;
    for (int k = 0; k < h->n; k++) {
        slong count = 0;
        for (slong i = 0; i < n; i++) count += h->exps[term[i] * h->n + k] > 0;
        if (count > most) best = k, most = count;
    }
    return best;
}

// The sum of n terms, nested; reorders the list of terms.
static ct_ex sum_of(nest *h, slong n, slong *term) {
    ct_pool *pool = h->pool;
    int x = most_common(h, n, term);
    // no symbol stands twice: the terms one by one
    if (x < 0) {
        ct_ex sum = CT_ZERO;
        for (slong i = 0; i < n; i++) sum = ct_add(pool, sum, one_term(h, term[i]));
        return sum;
    }
    // terms with x first, and the lowest power of x in them
    slong with = 0;
    ulong least = (ulong)-1;
    for (slong i = 0; i < n; i++) {
        ulong e = h->exps[term[i] * h->n + x];
        if (!e) continue;
        if (e < least) least = e;
        slong t = term[i];
        memmove(term + with + 1, term + with, (size_t)(i - with) * sizeof *term);
        term[with++] = t;
    }
    // x^least (inner) + the other terms
    for (slong i = 0; i < with; i++) h->exps[term[i] * h->n + x] -= least;
    ct_ex inner = ct_let(pool, sum_of(h, with, term));
    ct_ex outer = ct_mul(pool, ct_power_int(pool, h->values[x], (long)least), inner);
    return with < n ? ct_add(pool, outer, sum_of(h, n - with, term + with)) : outer;
}

ct_ex ct_horner(ct_pool *pool, const fmpz_mpoly_t f, const fmpz_mpoly_ctx_t ctx,
                const ct_ex *values) {
    slong n = fmpz_mpoly_length(f, ctx);
    nest h = {pool, f, ctx, values, (int)fmpz_mpoly_ctx_nvars(ctx), NULL};
    h.exps = ct_alloc((size_t)(n * h.n) + 1, sizeof *h.exps);
    slong *term = ct_alloc((size_t)n + 1, sizeof *term);
    for (slong i = 0; i < n; i++) {
        fmpz_mpoly_get_term_exp_ui(h.exps + i * h.n, f, i, ctx);
        term[i] = i;
    }
    ct_ex e = sum_of(&h, n, term);
    ct_free(h.exps);
    ct_free(term);
    return e;
}
