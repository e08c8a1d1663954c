// Elimination written out as straight-line C for a matrix whose zeros are known beforehand. Pivots
// are chosen once, by the numbers at the initial position: little fill-in (Markowitz), no small
// pivot. Methods that are measured beside the closure solve their linear systems this way.
#include "measure/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double THRESHOLD = 0.1; // of the largest entry of the column
static const double DIAGONAL = 1e-3; // of the largest entry of the row, where symmetric
static const double TINY = 1e-11;    // of entries scaled to 1: rounding, no pivot

typedef struct matrix {
    int n;
    int *index;    // n x n: into a[], -1: zero
    double *value; // n x n, scaled
    bool *row_done, *column_done;
    int *pivot_row, *pivot_column; // in order
    ct_elimination *out;
} matrix;

static int *entry(const matrix *m, int i, int j) {
    return m->index + (size_t)i * (size_t)m->n + j;
}

static double *number(const matrix *m, int i, int j) {
    return m->value + (size_t)i * (size_t)m->n + j;
}

// Rows and columns to largest entry 1 (the same factors where symmetric), so that pivots compare.
static void scale(matrix *m, bool symmetric) {
    int n = m->n;
    for (int round = 0; round < 4; round++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < n; i++) {
                double most = 0;
                for (int j = 0; j < n; j++)
                    most = fmax(most, fabs(side ? *number(m, j, i) : *number(m, i, j)));
                if (!(most > 0)) continue;
                double f = symmetric ? 1 / sqrt(most) : 1 / most;
                for (int j = 0; j < n; j++) {
                    if (!side || symmetric) *number(m, i, j) *= f;
                    if (side || symmetric) *number(m, j, i) *= f;
                }
            }
}

// entries of a row (or column) that are still to be eliminated
static int degree(const matrix *m, int k, bool column) {
    int count = 0;
    for (int j = 0; j < m->n; j++)
        count += column ? !m->row_done[j] && *entry(m, j, k) >= 0
                        : !m->column_done[j] && *entry(m, k, j) >= 0;
    return count;
}

static double largest(const matrix *m, int k, bool column) {
    double most = 0;
    for (int j = 0; j < m->n; j++)
        if (!(column ? m->row_done[j] : m->column_done[j]))
            most = fmax(most, fabs(column ? *number(m, j, k) : *number(m, k, j)));
    return most;
}

// The pivot with the least possible fill-in, (r - 1) (c - 1) for r entries in its row and c in its
// column; of two alike the larger one. Returns false if no entry is large enough.
static bool choose(const matrix *m, bool symmetric, int *row, int *column) {
    double best_size = 0;
    long best = 0;
    *row = *column = -1;
    for (int j = 0; j < m->n; j++) {
        if (m->column_done[j]) continue;
        // size that a pivot must have: a share of its column, or of its row where symmetric
        double least = fmax(
            symmetric ? DIAGONAL * largest(m, j, false) : THRESHOLD * largest(m, j, true), TINY);
        int first = symmetric ? j : 0, last = symmetric ? j + 1 : m->n;
        for (int i = first; i < last; i++) {
            if (m->row_done[i] || *entry(m, i, j) < 0) continue;
            double size = fabs(*number(m, i, j));
            if (!(size >= least)) continue;
            // fill-in that it may cause
            long cost = (long)(degree(m, i, false) - 1) * (degree(m, j, true) - 1);
            if (*row >= 0 && (cost > best || (cost == best && size <= best_size))) continue;
            best = cost;
            best_size = size;
            *row = i;
            *column = j;
        }
    }
    return *row >= 0;
}

// a[i, j] -= l a[p, j], or the new entry
static void update(matrix *m, int i, int j, int p, bool symmetric) {
    ct_elimination *e = m->out;
    int *target = entry(m, i, j), from = *entry(m, p, j);
    if (*target < 0) {
        *target = e->entries++;
        if (symmetric) *entry(m, j, i) = *target;
        ct_text_printf(&e->factor, "    a[%d] = -l * a[%d];\n", *target, from);
    } else {
        ct_text_printf(&e->factor, "    a[%d] -= l * a[%d];\n", *target, from);
        e->factor_operations.add++;
    }
    e->factor_operations.mul++;
}

// Statements that eliminate column c below pivot (p, c), and the same on the numbers.
static void eliminate(matrix *m, int p, int c, bool symmetric) {
    ct_elimination *e = m->out;
    const double pivot = *number(m, p, c);
    m->row_done[p] = m->column_done[c] = true;
    ct_text_printf(&e->factor, "    a[%d] = 1.0 / a[%d];\n", *entry(m, p, c), *entry(m, p, c));
    e->factor_operations.div++;
    for (int i = 0; i < m->n; i++) {
        if (m->row_done[i] || *entry(m, i, c) < 0) continue;
        double l = *number(m, i, c) / pivot;
        ct_text_printf(&e->factor, "    l = a[%d] * a[%d];\n", *entry(m, i, c), *entry(m, p, c));
        e->factor_operations.mul++;
        for (int j = 0; j < m->n; j++) {
            if (m->column_done[j] || *entry(m, p, j) < 0) continue;
            *number(m, i, j) -= l * *number(m, p, j);
            if (!symmetric || j >= i) update(m, i, j, p, symmetric);
        }
        ct_text_printf(&e->factor, "    a[%d] = l;\n", *entry(m, i, c));
    }
}

// The solution of the factored system: b is the right side (used up), x the solution.
static void substitute(matrix *m, bool symmetric) {
    ct_elimination *e = m->out;
    ct_operations *count = &e->solve_operations;
    int n = m->n;
    int *place = ct_scratch((size_t)n + 1, sizeof *place); // of a row in the order of pivots
    // b := L^-1 b, pivot after pivot
    for (int k = 0; k < n; k++) place[m->pivot_row[k]] = k;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            int l = *entry(m, i, m->pivot_column[k]);
            if (place[i] <= k || l < 0) continue;
            ct_text_printf(&e->solve, "    b[%d] -= a[%d] * b[%d];\n", i, l, m->pivot_row[k]);
            count->mul++, count->add++;
        }
    // x := U^-1 b, or D^-1 b - L^T x where symmetric
    for (int k = n - 1; k >= 0; k--) {
        int p = m->pivot_row[k], c = m->pivot_column[k], d = *entry(m, p, c);
        ct_text_printf(&e->solve, symmetric ? "    x[%d] = b[%d] * a[%d]" : "    x[%d] = (b[%d]", c,
                       p, d);
        for (int later = k + 1; later < n; later++) {
            int j = m->pivot_column[later], u = *entry(m, p, j);
            if (u < 0) continue;
            ct_text_printf(&e->solve, " - a[%d] * x[%d]", u, j);
            count->mul++, count->add++;
        }
        if (symmetric)
            ct_text_add(&e->solve, ";\n");
        else
            ct_text_printf(&e->solve, ") * a[%d];\n", d);
        count->mul++;
    }
}

static bool factor(matrix *m, bool symmetric) {
    scale(m, symmetric);
    for (int k = 0; k < m->n; k++) {
        int p, c;
        if (!choose(m, symmetric, &p, &c)) return false;
        m->pivot_row[k] = p;
        m->pivot_column[k] = c;
        eliminate(m, p, c, symmetric);
    }
    substitute(m, symmetric);
    return true;
}

static bool run(int n, int entries, const int *index, const double *value, bool symmetric,
                ct_elimination *out) {
    size_t size = (size_t)n * (size_t)n + 1;
    out->entries = entries;
    matrix m = {.n = n, .out = out};
    m.index = ct_alloc(size, sizeof *m.index);
    m.value = ct_alloc(size, sizeof *m.value);
    m.row_done = ct_alloc((size_t)n + 1, sizeof *m.row_done);
    m.column_done = ct_alloc((size_t)n + 1, sizeof *m.column_done);
    m.pivot_row = ct_alloc((size_t)n + 1, sizeof *m.pivot_row);
    m.pivot_column = ct_alloc((size_t)n + 1, sizeof *m.pivot_column);
    memcpy(m.index, index, (size - 1) * sizeof *index);
    memcpy(m.value, value, (size - 1) * sizeof *value);
    bool good = factor(&m, symmetric);
    ct_free(m.index);
    ct_free(m.value);
    ct_free(m.row_done);
    ct_free(m.column_done);
    ct_free(m.pivot_row);
    ct_free(m.pivot_column);
    return good;
}

// A symmetric matrix without good pivots on its diagonal: both triangles become entries of their
// own, and pivots are chosen anywhere.
static bool run_both_halves(int n, int entries, const int *index, const double *value,
                            ct_elimination *out) {
    int *both = ct_scratch((size_t)n * (size_t)n + 1, sizeof *both);
    memcpy(both, index, (size_t)n * (size_t)n * sizeof *both);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            int *k = both + i * n + j;
            if (*k < 0) continue;
            ct_text_printf(&out->factor, "    a[%d] = a[%d];\n", entries, *k);
            *k = entries++;
        }
    bool good = run(n, entries, both, value, false, out);
    return good;
}

bool ct_eliminate(int n, int entries, const int *index, const double *value, bool symmetric,
                  ct_elimination *out) {
    *out = (ct_elimination){0};
    bool good = run(n, entries, index, value, symmetric, out);
    if (!good && symmetric) {
        ct_elimination_clear(out);
        good = run_both_halves(n, entries, index, value, out);
    }
    if (!good) ct_elimination_clear(out);
    return good;
}

void ct_elimination_clear(ct_elimination *e) {
    ct_text_clear(&e->factor);
    ct_text_clear(&e->solve);
    *e = (ct_elimination){0};
}
