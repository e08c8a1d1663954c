// The projected equations of motion, solved for qi'': an unrolled  H = L D L^T  in an order that
// keeps zeros, without square roots, up to a size beyond which a segment does it.
#include "closure/embed/embed_inside.h"

#include <stdlib.h>
#include <string.h>

enum { UNROLLED = 16 };

static ct_ex entry(int r, const ct_ex *h, int i, int j) {
    return i >= j ? h[i * r + j] : h[j * r + i];
}

// Least fill first: eliminate next what has the fewest neighbours left.
static void order(int r, const ct_ex *h, int *out) {
    size_t n = (size_t)r;
    bool *linked = ct_alloc(n * n + 1, sizeof *linked), *done = ct_alloc(n + 1, sizeof *done);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) linked[i * r + j] = i != j && entry(r, h, i, j) != CT_ZERO;
    for (int k = 0; k < r; k++) {
        int best = -1, fewest = r + 1;
        for (int i = 0; i < r; i++) {
            int degree = 0;
            for (int j = 0; j < r; j++) degree += !done[j] && linked[i * r + j];
            if (!done[i] && degree < fewest) {
                best = i;
                fewest = degree;
            }
        }
        done[best] = true;
        out[k] = best;
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++)
                if (i != j && linked[best * r + i] && linked[best * r + j])
                    linked[i * r + j] = true;
    }
    free(linked);
    free(done);
}

// a pivot that is rounding beside the diagonal it came from: the masses do not fix the motion
static void guard_mass(ct_embedder *e, ct_ex pivot, ct_ex diagonal) {
    ct_pool *pool = e->pool;
    ct_ex ten = ct_int(pool, 10), share = ct_power_int(pool, ten, -13),
          tiny = ct_power_int(pool, ten, -100);
    if (pivot != diagonal) pivot = ct_sub(pool, pivot, ct_mul(pool, share, diagonal));
    ct_embed_guard(e, ct_sub(pool, pivot, tiny), CT_STEP_MASS);
}

// a - sum of f_k g_k, k < n
static ct_ex reduced(ct_pool *pool, ct_ex a, int n, const ct_ex *f, int step_f, const ct_ex *g,
                     int step_g) {
    ct_ex *terms = ct_alloc((size_t)n + 1, sizeof *terms);
    int count = 0;
    terms[count++] = a;
    for (int k = 0; k < n; k++)
        if (f[k * step_f] != CT_ZERO && g[k * step_g] != CT_ZERO)
            terms[count++] = ct_neg(pool, ct_mul(pool, f[k * step_f], g[k * step_g]));
    ct_ex r = ct_let_whole(pool, ct_sum(pool, count, terms));
    free(terms);
    return r;
}

// column by column:  a_ij = h_ij - sum l_ik a_jk,  l_ij = a_ij / a_jj;  then the right side
static void eliminate(ct_embedder *e, int r, const ct_ex *h, ct_ex *x) {
    ct_pool *pool = e->pool;
    size_t n = (size_t)r;
    int *at = ct_alloc(n + 1, sizeof *at);
    order(r, h, at);
    ct_ex *a = ct_alloc(n * n + 1, sizeof *a), *l = ct_alloc(n * n + 1, sizeof *l),
          *y = ct_alloc(n + 1, sizeof *y), *one_over = ct_alloc(n + 1, sizeof *one_over);
    for (int j = 0; j < r; j++) {
        for (int i = j; i < r; i++) {
            ct_ex start = entry(r, h, at[i], at[j]);
            a[i * r + j] = reduced(pool, start, j, l + i * r, 1, a + j * r, 1);
        }
        ct_ex pivot = a[j * r + j];
        guard_mass(e, pivot, entry(r, h, at[j], at[j]));
        // without any mass the guard has the last word
        one_over[j] =
            pivot == CT_ZERO ? CT_ZERO : ct_let_whole(pool, ct_power_int(pool, pivot, -1));
        for (int i = j + 1; i < r; i++)
            l[i * r + j] = ct_let_whole(pool, ct_mul(pool, a[i * r + j], one_over[j]));
        y[j] = reduced(pool, x[at[j]], j, l + j * r, 1, y, 1);
    }
    for (int j = r - 1; j >= 0; j--) {
        ct_ex start = ct_mul(pool, y[j], one_over[j]);
        y[j] = reduced(pool, start, r - 1 - j, l + (j + 1) * r + j, r, y + j + 1, 1);
    }
    for (int j = 0; j < r; j++) x[at[j]] = y[j];
    free(at);
    free(a);
    free(l);
    free(y);
    free(one_over);
}

void ct_embed_accelerate(ct_embedder *e, int r, const ct_ex *h, ct_ex *x) {
    if (r <= UNROLLED) {
        eliminate(e, r, h, x);
        return;
    }
    ct_ex *full = ct_alloc((size_t)r * (size_t)r, sizeof *full);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) full[i * r + j] = entry(r, h, i, j);
    ct_embed_segment(e, CT_STEP_MASS, r, 1, full, x);
    free(full);
}
