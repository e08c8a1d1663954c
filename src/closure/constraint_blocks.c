// Block triangular form by a maximum matching and strong components (SuiteSparse BTF).
#include "closure/constraint_blocks.h"

#include <btf.h>

#include <stdlib.h>
#include <string.h>

bool ct_groups_find(ct_groups *g, int size, const bool *pattern) {
    size_t n = (size_t)size;
    int *start = ct_alloc(n + 1, sizeof *start), *entry = ct_alloc(n * n + 1, sizeof *entry),
        *p = ct_alloc(n + 1, sizeof *p), *q = ct_alloc(n + 1, sizeof *q),
        *bound = ct_alloc(n + 1, sizeof *bound), *work = ct_alloc(5 * n + 1, sizeof *work);
    for (int j = 0; j < size; j++) { // compressed columns
        start[j + 1] = start[j];
        for (int i = 0; i < size; i++)
            if (pattern[i * size + j]) entry[start[j + 1]++] = i;
    }
    double effort;
    int matched = 0,
        groups = size ? btf_order(size, start, entry, 0, &effort, p, q, bound, &matched, work) : 0;
    *g = (ct_groups){.first = ct_alloc(n + 2, sizeof *g->first),
                     .row = ct_alloc(n + 1, sizeof *g->row),
                     .column = ct_alloc(n + 1, sizeof *g->column)};
    bool complete = matched == size;
    if (!complete && size) {
        groups = 1;
        bound[0] = 0;
        bound[1] = size;
        for (int i = 0; i < size; i++) p[i] = q[i] = i;
    }
    // BTF's form is upper triangular: the last group stands alone
    g->n = groups;
    for (int b = groups - 1, done = 0, k = 0; b >= 0; b--, k++) {
        for (int i = bound[b]; i < bound[b + 1]; i++) {
            g->row[done] = p[i];
            g->column[done++] = BTF_UNFLIP(q[i]);
        }
        g->first[k + 1] = done;
    }
    free(start);
    free(entry);
    free(p);
    free(q);
    free(bound);
    free(work);
    return complete;
}

void ct_groups_clear(ct_groups *g) {
    free(g->first);
    free(g->row);
    free(g->column);
    *g = (ct_groups){0};
}

void ct_loops(ct_closure *c, int m, const int *rows) {
    const ct_formulation *f = c->f->plain ? c->f->plain : c->f; // iterations are over angles
    if (m != c->n_dependent) return;                            // nothing square to order
    bool *pattern = ct_alloc((size_t)m * (size_t)m + 1, sizeof *pattern);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            pattern[i * m + j] = f->phi_q[rows[i] * f->n + c->dependent[j]] != CT_ZERO;
    ct_groups g;
    ct_groups_find(&g, m, pattern);
    c->loops = ct_alloc((size_t)g.n + 1, sizeof *c->loops);
    c->n_loops = g.n;
    for (int b = 0; b < g.n; b++) {
        ct_loop *loop = c->loops + b;
        loop->n = g.first[b + 1] - g.first[b];
        loop->rows = ct_alloc((size_t)loop->n, sizeof *loop->rows);
        loop->unknown = ct_alloc((size_t)loop->n, sizeof *loop->unknown);
        for (int i = 0; i < loop->n; i++) {
            loop->rows[i] = rows[g.row[g.first[b] + i]];
            loop->unknown[i] = c->dependent[g.column[g.first[b] + i]];
        }
    }
    ct_groups_clear(&g);
    free(pattern);
}
