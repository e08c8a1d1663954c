// The projected equations with B written out:  H = B^T (M B),  right side  B^T (F - M A).
#include "closure/embed/embed_inside.h"

#include <stdlib.h>

static ct_ex product(const ct_embedder *e, const ct_ex *a, int step_a, const ct_ex *b, int step_b) {
    return ct_let_whole(e->pool, ct_dot(e->pool, e->f->n, a, step_a, b, step_b));
}

// Rates are one more right side, or follow from B: with large blocks that is less.
static bool rates_from_b(const ct_embedder *e) {
    int largest = 0;
    for (int i = 0; i < e->n_rows; i++)
        if (e->rows[i].n > largest) largest = e->rows[i].n;
    return largest > CT_WRITTEN_OUT && largest >= e->closure->r;
}

// q' = B qi' + C, C in the last column
static void add_rates(const ct_embedder *e, ct_ex *b, int width) {
    const ct_closure *c = e->closure;
    ct_pool *pool = e->pool;
    for (int k = 0; k < e->f->n; k++) {
        ct_ex *rate = b + k * width + c->r;
        for (int i = 0; i < c->r; i++)
            *rate =
                ct_add(pool, *rate, ct_mul(pool, b[k * width + i], e->f->qd[c->independent[i]]));
        *rate = ct_let_whole(pool, *rate);
    }
}

void ct_embed_project(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x) {
    const ct_closure *c = e->closure;
    ct_pool *pool = e->pool;
    int n = e->f->n, r = c->r, width = r + 1;
    bool later = rates_from_b(e);
    ct_ex *b = ct_alloc((size_t)(n * width) + 1, sizeof *b),
          *a = ct_alloc((size_t)n + 1, sizeof *a), *g = ct_alloc((size_t)(n * r) + 1, sizeof *g),
          *left = ct_alloc((size_t)n + 1, sizeof *left),
          *m = ct_alloc((size_t)(n * n) + 1, sizeof *m);
    for (int i = 0; i < r; i++) {
        b[c->independent[i] * width + i] = CT_ONE;
        if (!later) b[c->independent[i] * width + r] = e->f->qd[c->independent[i]];
    }
    ct_embed_solve(e, width, b, CT_RIGHT_RATES); // the last column are the rates
    if (later) add_rates(e, b, width);
    ct_embed_set_rates(e, b, width, r);
    ct_embed_solve(e, 1, a, CT_RIGHT_ACCELERATIONS);
    for (int i = 0; i < n * n; i++) m[i] = ct_let_whole(pool, mass[i]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < r; k++) g[i * r + k] = product(e, m + i * n, 1, b + k, width);
        ct_ex pull = product(e, m + i * n, 1, a, 1);
        left[i] = ct_let_whole(pool, ct_sub(pool, ct_substitute(e->rates, force[i]), pull));
    }
    for (int k = 0; k < r; k++) {
        for (int d = 0; d <= k; d++) h[k * r + d] = product(e, b + k, width, g + d, r);
        x[k] = product(e, b + k, width, left, 1);
    }
    free(b);
    free(a);
    free(g);
    free(left);
    free(m);
}
