// Code for accelerations of all coordinates at once: the equations of index 1, without or with
// Baumgarte's feedback of Phi and Phi', and the penalty formulation.
#include "measure/bench_author.h"

#include <stdlib.h>

static ct_ex phi_q(const ct_author *a, int row, int k) {
    return a->f->phi_q[a->at->rows[row] * a->f->n + k];
}

// gamma - k0 (Phi_q q' + Phi_t) - k1 Phi
static ct_ex stabilised(const ct_author *a, int row) {
    ct_pool *pool = a->f->pool;
    int i = a->at->rows[row];
    ct_ex rate = a->f->phi_t[i];
    for (int k = 0; k < a->f->n; k++)
        rate = ct_add(pool, rate, ct_mul(pool, phi_q(a, row, k), a->f->qd[k]));
    ct_ex feedback = ct_add(pool, ct_mul(pool, a->gains[0], ct_let(pool, rate)),
                            ct_mul(pool, a->gains[1], ct_let(pool, a->f->phi[i])));
    return ct_sub(pool, a->f->gamma[i], feedback);
}

static void open_accelerations(ct_author *a, const char *name, const ct_elimination *solver, int n,
                               const char *more) {
    ct_text_printf(&a->out,
                   "void %s(" CT_AUTHOR_STATE CT_AUTHOR_RATES CT_AUTHOR_INPUTS
                   "const double *restrict k, "
                   "double *restrict qdd)\n{\n    double a[%d], b[%d], x[%d], l = 0.0%s;\n",
                   name, solver->entries + 1, n + 1, n + 1, more);
}

static void close_accelerations(ct_author *a) {
    for (int i = 0; i < a->f->n; i++) ct_text_printf(&a->out, "    qdd[%d] = x[%d];\n", i, i);
    ct_text_add(&a->out, "    (void)c, (void)t, (void)q, (void)qd, (void)u, (void)k, (void)l, "
                         "(void)x, (void)qdd;\n}\n\n");
}

// [M Phi_q^T; Phi_q 0] [q''; lambda] = [F; gamma]
static void augmented(ct_author *a, ct_bench_index1 method, const char *name) {
    const ct_formulation *f = a->f;
    int n = f->n, m = a->at->m;
    ct_operations *count = a->code->index1_operations + method;
    ct_author_matrix e = ct_author_matrix_new(n + m);
    ct_elimination solver;
    // matrix: M and Phi_q, upper triangle
    ct_formulation_entries(f);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) ct_author_entry(a, &e, i, j, f->mass[i * n + j], true);
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) ct_author_entry(a, &e, j, n + k, phi_q(a, k, j), true);
    // right side: F, and gamma with or without feedback
    for (int i = 0; i < n; i++) ct_author_target(a, "b", i, f->forcing[i]);
    for (int k = 0; k < m; k++)
        ct_author_target(a, "b", n + k,
                         method == CT_BENCH_BAUMGARTE ? stabilised(a, k)
                                                      : f->gamma[a->at->rows[k]]);
    // elimination; none where the matrix is singular at the start
    a->code->can_index1[method] = ct_eliminate(n + m, e.count, e.index, e.value, true, &solver);
    ct_author_matrix_clear(&e);
    if (!a->code->can_index1[method]) {
        a->n_targets = 0;
        return;
    }
    // the function: entries, elimination, accelerations
    open_accelerations(a, name, &solver, n + m, "");
    ct_author_count(count, ct_author_statements(a));
    ct_text_add(&a->out, solver.factor.s);
    ct_text_add(&a->out, solver.solve.s);
    ct_author_count(count, solver.factor_operations);
    ct_author_count(count, solver.solve_operations);
    close_accelerations(a);
    ct_elimination_clear(&solver);
}

// M + Phi_q^T R Phi_q, and F + Phi_q^T R g in f[], Phi_q in h[], g in g[]
static void penalty_targets(ct_author *a, ct_author_matrix *e, int *h) {
    const ct_formulation *f = a->f;
    ct_pool *pool = f->pool;
    int n = f->n, m = a->at->m, count = 0;
    // h: entries of Phi_q that are not zero
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++) {
            h[k * n + j] = phi_q(a, k, j) == CT_ZERO ? -1 : count++;
            if (h[k * n + j] >= 0) ct_author_target(a, "h", h[k * n + j], phi_q(a, k, j));
        }
    // g: gamma with feedback
    ct_ex *g = ct_scratch((size_t)m + 1, sizeof *g),
          *terms = ct_scratch((size_t)m + 1, sizeof *terms);
    for (int k = 0; k < m; k++) ct_author_target(a, "g", k, g[k] = ct_let(pool, stabilised(a, k)));
    // rows of M + Phi_q^T R Phi_q, upper triangle, and of F + Phi_q^T R g
    ct_formulation_entries(f);
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            for (int k = 0; k < m; k++)
                terms[k] = ct_mul(pool, ct_mul(pool, a->gains[2 + k], ct_let(pool, phi_q(a, k, i))),
                                  ct_let(pool, phi_q(a, k, j)));
            terms[m] = f->mass[i * n + j];
            ct_author_entry(a, e, i, j, ct_sum(pool, m + 1, terms), true);
        }
        for (int k = 0; k < m; k++)
            terms[k] =
                ct_mul(pool, ct_mul(pool, a->gains[2 + k], ct_let(pool, phi_q(a, k, i))), g[k]);
        terms[m] = f->forcing[i];
        ct_author_target(a, "f", i, ct_sum(pool, m + 1, terms));
    }
}

// f -= Phi_q^T R (Phi_q q'' - g)
static void penalty_round(ct_author *a, const int *h, ct_operations *count) {
    int n = a->f->n, m = a->at->m;
    for (int k = 0; k < m; k++) {
        ct_text_printf(&a->out, "    l = k[%d] * (-g[%d]", k + 2, k);
        for (int j = 0; j < n; j++)
            if (h[k * n + j] >= 0) {
                ct_text_printf(&a->out, " + h[%d] * x[%d]", h[k * n + j], j);
                count->add++, count->mul++;
            }
        ct_text_add(&a->out, ");\n");
        count->mul++;
        for (int j = 0; j < n; j++)
            if (h[k * n + j] >= 0) {
                ct_text_printf(&a->out, "    f[%d] -= h[%d] * l;\n", j, h[k * n + j]);
                count->add++, count->mul++;
            }
    }
}

// (M + Phi_q^T R Phi_q) q'' = f, f corrected in rounds
static void penalty(ct_author *a) {
    int n = a->f->n, m = a->at->m;
    ct_operations *count = a->code->index1_operations + CT_BENCH_PENALTY;
    ct_author_matrix e = ct_author_matrix_new(n);
    ct_elimination solver;
    // entries, and elimination; none where the matrix is singular at the start
    int *h = ct_scratch((size_t)n * (size_t)m + 1, sizeof *h);
    penalty_targets(a, &e, h);
    a->code->can_index1[CT_BENCH_PENALTY] =
        ct_eliminate(n, e.count, e.index, e.value, true, &solver);
    ct_author_matrix_clear(&e);
    if (a->code->can_index1[CT_BENCH_PENALTY]) {
        // the function: entries, factors once
        char *more = ct_scratch_format(", f[%d], g[%d], h[%d]", n + 1, m + 1, n * m + 1);
        open_accelerations(a, "bench_penalty", &solver, n, more);
        ct_author_count(count, ct_author_statements(a));
        ct_text_add(&a->out, solver.factor.s);
        ct_author_count(count, solver.factor_operations);
        // b = f, q'' = A^-1 b; between rounds f -= Phi_q^T R (Phi_q q'' - g)
        for (int round = 0; round <= CT_BENCH_PENALTY_ROUNDS; round++) {
            if (round) penalty_round(a, h, count);
            for (int i = 0; i < n; i++) ct_text_printf(&a->out, "    b[%d] = f[%d];\n", i, i);
            ct_text_add(&a->out, solver.solve.s);
            ct_author_count(count, solver.solve_operations);
        }
        close_accelerations(a);
        ct_elimination_clear(&solver);
    }
    a->n_targets = 0;
}

void ct_author_index1(ct_author *a) {
    augmented(a, CT_BENCH_AUGMENTED, "bench_augmented");
    augmented(a, CT_BENCH_BAUMGARTE, "bench_baumgarte");
    penalty(a);
}
