// Constraint rows that must be solved together: the block triangular form of Phi_q.
#include "closure/constraint_blocks.h"

#include "numeric/triangular_form.h"

#include <stdlib.h>

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
