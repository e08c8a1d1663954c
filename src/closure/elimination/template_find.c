// The search for a template modulo a prime. Multiples of the equations up to some degree are rows
// of a matrix; the target is a combination of them once the degree is high enough. Rows without
// which it still is one are left out, one after the other.
#include "closure/elimination/template.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, COLUMNS = 1200, RISE = 6 }; // the highest degree is so much above the inputs'
static const double most_work = 2e7;           // entries of rows that are reduced

typedef struct matrix {
    const ct_ring *ring;
    uint64_t p;
    int n_columns;
    uint32_t *monomial; // [column * n]
    int n_rows, *equation;
    ct_monomial *by;
    double work;
} matrix;

static int column_of(matrix *m, const uint32_t *e) {
    size_t n = (size_t)m->ring->n;
    for (int i = 0; i < m->n_columns; i++)
        if (!memcmp(m->monomial + (size_t)i * n, e, n * sizeof *e)) return i;
    if (m->n_columns == COLUMNS) return -1;
    memcpy(m->monomial + (size_t)m->n_columns * n, e, n * sizeof *e);
    return m->n_columns++;
}

// Writes a multiple of f into out, by columns. Returns false if there are too many columns.
static bool spread(matrix *m, const ct_poly *f, const ct_monomial *by, uint64_t *out) {
    int n = m->ring->n;
    uint32_t e[CT_UNKNOWNS_MAX];
    for (slong i = 0; i < f->n; i++) {
        for (int k = 0; k < n; k++) e[k] = ct_poly_exps(m->ring, f, i)[k] + (by ? by->e[k] : 0);
        int column = column_of(m, e);
        if (column < 0) return false;
        out[column] = fmpz_fdiv_ui(f->coefs + i, m->p);
    }
    return true;
}

typedef struct echelon { // rows in echelon form with the combinations that they are
    int n, n_rows;
    int *pivot;
    uint64_t *row, *combination; // [n * COLUMNS], [n * n_rows]
} echelon;

static void reduce(matrix *m, const echelon *e, uint64_t *v, uint64_t *combination) {
    for (int i = 0; i < e->n; i++) {
        uint64_t x = v[e->pivot[i]], *row = e->row + (size_t)i * COLUMNS,
                 *c = e->combination + (size_t)i * (size_t)e->n_rows;
        if (!x) continue;
        x = m->p - x;
        for (int k = 0; k < m->n_columns; k++)
            if (row[k]) v[k] = (v[k] + x * row[k]) % m->p;
        for (int k = 0; k < e->n_rows; k++)
            if (c[k]) combination[k] = (combination[k] + x * c[k]) % m->p;
        m->work += m->n_columns + e->n_rows;
    }
}

// Returns true if the target is a combination of these rows; needed: those that it takes.
static bool combines(matrix *m, const ct_polys *in, const ct_poly *target, int n, const int *use,
                     bool *needed) {
    // rows in echelon form, each with the combination of multiples that it is
    echelon e = {.n_rows = n};
    bool good = true, found = false;
    size_t size = (size_t)n + 1;
    e.pivot = ct_alloc(size, sizeof *e.pivot);
    e.row = ct_alloc(size * COLUMNS, sizeof *e.row);
    e.combination = ct_alloc(size * size, sizeof *e.combination);
    uint64_t *v = ct_alloc(COLUMNS, sizeof *v), *c = ct_alloc(size, sizeof *c);
    // columns are monomials, those of the target first
    m->n_columns = 0;
    good = spread(m, target, NULL, v); // its columns are the first ones
    int own = m->n_columns;
    for (int i = 0; i < n && good && m->work < most_work; i++) {
        // the next multiple, reduced by the rows so far
        uint64_t *row = e.row + (size_t)e.n * COLUMNS,
                 *combination = e.combination + (size_t)e.n * (size_t)n;
        memset(row, 0, COLUMNS * sizeof *row);
        memset(combination, 0, (size_t)n * sizeof *combination);
        good = spread(m, in->p + m->equation[use[i]], m->by + use[i], row);
        combination[i] = 1;
        reduce(m, &e, row, combination);
        // pivot outside the columns of the target where there is one
        int at = -1;
        for (int k = m->n_columns - 1; k >= 0 && (at < 0 || k >= own); k--)
            if (row[k]) at = k;
        if (at < 0) continue;
        // the row with pivot 1
        uint64_t over = n_invmod(row[at], m->p);
        for (int k = 0; k < m->n_columns; k++) row[k] = row[k] * over % m->p;
        for (int k = 0; k < n; k++) combination[k] = combination[k] * over % m->p;
        e.pivot[e.n++] = at;
    }
    // the target is a combination if the rows reduce it to zero
    if (good && m->work < most_work) {
        reduce(m, &e, v, c);
        found = true;
        for (int k = 0; k < m->n_columns; k++) found = found && !v[k];
        for (int i = 0; i < n; i++) needed[i] = c[i] != 0;
    }
    ct_free(e.pivot);
    ct_free(e.row);
    ct_free(e.combination);
    ct_free(v);
    ct_free(c);
    return found;
}

static int degree_of(const ct_ring *ring, const ct_poly *f) {
    int most = 0;
    for (slong i = 0; i < f->n; i++) {
        int d = (int)ct_monomial_degree(ring, ct_poly_exps(ring, f, i));
        if (d > most) most = d;
    }
    return most;
}

// All multiples of an equation by monomials of one degree.
static void multiples(matrix *m, int equation, int degree, int variable, ct_monomial *by) {
    if (variable == m->ring->n - 1) {
        by->e[variable] = (uint8_t)degree;
        if (m->n_rows < ROWS) {
            m->equation[m->n_rows] = equation;
            m->by[m->n_rows++] = *by;
        }
        by->e[variable] = 0;
        return;
    }
    for (int k = 0; k <= degree; k++) {
        by->e[variable] = (uint8_t)k;
        multiples(m, equation, degree - k, variable + 1, by);
    }
    by->e[variable] = 0;
}

static int kept(const int *use, const bool *needed, int n, int *out) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (needed[i]) out[count++] = use[i];
    return count;
}

// Leaves out rows without which the target is still a combination. Returns the number that remains.
static int thin_out(matrix *m, const ct_polys *in, const ct_poly *target, int n, int *use) {
    int fewer[ROWS];
    bool needed[ROWS];
    for (int i = n - 1; i >= 0; i--) {
        int count = 0;
        for (int k = 0; k < n; k++)
            if (k != i) fewer[count++] = use[k];
        if (!combines(m, in, target, count, fewer, needed)) continue;
        n = kept(fewer, needed, count, use);
        if (i > n) i = n;
    }
    return n;
}

static bool take(const matrix *m, const ct_poly *target, int n, const int *use, ct_template *t) {
    if (n > CT_TEMPLATE_ROWS || target->n > CT_TEMPLATE_TERMS) return false;
    memset(t, 0, sizeof *t);
    t->n = n;
    for (int i = 0; i < n; i++) {
        t->row[i].equation = m->equation[use[i]];
        t->row[i].by = m->by[use[i]];
    }
    t->n_kept = (int)target->n;
    for (slong i = 0; i < target->n; i++)
        for (int k = 0; k < m->ring->n; k++)
            t->kept[i].e[k] = (uint8_t)ct_poly_exps(m->ring, target, i)[k];
    return true;
}

bool ct_template_find(const ct_ring *number_ring, const ct_polys *equations, const ct_poly *target,
                      uint32_t p, ct_template *t) {
    matrix m = {.ring = number_ring, .p = p};
    int highest = degree_of(number_ring, target), use[ROWS], n = 0;
    bool needed[ROWS], found = false;
    // highest degree of the target and the equations
    for (int i = 0; i < equations->n; i++) {
        int d = degree_of(number_ring, equations->p + i);
        if (d > highest) highest = d;
    }
    if (number_ring->n > CT_TEMPLATE_VARIABLES || highest > 20) return false;
    m.monomial = ct_alloc((size_t)COLUMNS * (size_t)number_ring->n, sizeof *m.monomial);
    m.equation = ct_alloc(ROWS, sizeof *m.equation);
    m.by = ct_alloc(ROWS, sizeof *m.by);
    // multiples of the equations, degree by degree, until the target is a combination
    for (int d = 1; d <= highest + RISE && !found && m.n_rows < ROWS; d++) {
        for (int i = 0; i < equations->n; i++) {
            ct_monomial by = {{0}};
            int rise = d - degree_of(number_ring, equations->p + i);
            if (rise >= 0) multiples(&m, i, rise, 0, &by);
        }
        for (n = 0; n < m.n_rows; n++) use[n] = n;
        found = d >= highest && combines(&m, equations, target, n, use, needed);
    }
    // rows that the combination needs, then as few as suffice
    if (found) {
        n = kept(use, needed, n, use);
        m.work = 0;
        n = thin_out(&m, equations, target, n, use);
        found = take(&m, target, n, use, t);
    }
    ct_free(m.monomial);
    ct_free(m.equation);
    ct_free(m.by);
    return found;
}
