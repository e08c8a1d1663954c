// Linear equations along the flow: block after block, for any number of right sides.
//
// A tear block is solved after the blocks that depend on its unknowns y. Until then
//   x = x0 + T y
// with T in columns of its own; the tear block then is  (J + K T) y = right - K x0.
#include "closure/embed/embed_inside.h"
#include "closure/tolerances.h"

#include <stdlib.h>
#include <string.h>

// Guard |pivot| > 10^CT_GUARD_PIVOT.
static void guard_pivot(ct_embedder *e, ct_ex pivot, int step) {
    ct_ex tiny = ct_power_int(e->pool, ct_int(e->pool, 10), CT_GUARD_PIVOT);
    ct_embed_guard(e, ct_sub(e->pool, ct_apply(e->pool, CT_OP_ABS, &pivot), tiny), step);
}

// the blocks -----------------------------------------------------------------------------------
typedef struct solver {
    ct_embedder *e;
    ct_pool *pool;
    int columns, width; // of the caller; with the columns of open unknowns
    int *open;          // [n] column of an open unknown, -1 elsewhere
    ct_ex *x;           // [n width]
    ct_right_kind kind;
} solver;

static ct_ex *at(const solver *s, int k, int column) {
    return s->x + k * s->width + column;
}

// right - K x of row i, in one column.
static ct_ex residue(const solver *s, const ct_rows *rows, int i, int column) {
    ct_pool *pool = s->pool;
    ct_ex *terms = ct_scratch((size_t)rows->n_others[i] + 2, sizeof *terms);
    int n = 0;
    for (int j = 0; j < rows->n_others[i]; j++) {
        ct_ex x = *at(s, rows->other[i][j], column);
        if (x != CT_ZERO) terms[n++] = ct_neg(pool, ct_mul(pool, rows->k[i][j], x));
    }
    if (column == s->columns - 1)
        terms[n++] = s->kind == CT_RIGHT_RATES ? ct_neg(pool, rows->psi_t[i])
                                               : ct_embed_gamma(s->e, rows, i);
    return ct_sum(pool, n, terms);
}

static void written_out(const solver *s, const ct_rows *rows, const ct_inverse *inverse,
                        const ct_ex *right) {
    for (int i = 0; i < rows->n; i++)
        for (int c = 0; c < s->width; c++) {
            bool has_own = c == s->columns - 1 && s->kind == CT_RIGHT_ACCELERATIONS;
            ct_ex own = has_own ? ct_embed_own(s->e, rows, i) : CT_ZERO;
            *at(s, rows->unknown[i], c) =
                ct_inverse_apply(s->pool, inverse, i, right + c, s->width, own, s->width > rows->n);
        }
}

// Solves by a segment of the program. Columns that are zero are left out.
static void by_segment(const solver *s, const ct_rows *rows, const ct_ex *matrix,
                       const ct_ex *right) {
    int *kept = ct_scratch((size_t)s->width + 1, sizeof *kept), n = 0;
    for (int c = 0; c < s->width; c++) {
        bool zero = true;
        for (int i = 0; i < rows->n; i++) zero = zero && right[i * s->width + c] == CT_ZERO;
        if (!zero) kept[n++] = c;
        for (int i = 0; i < rows->n && zero; i++) *at(s, rows->unknown[i], c) = CT_ZERO;
    }
    ct_ex *x = ct_scratch((size_t)(rows->n * n) + 1, sizeof *x);
    for (int i = 0; i < rows->n; i++)
        for (int c = 0; c < n; c++) x[i * n + c] = right[i * s->width + kept[c]];
    if (n) ct_embed_segment(s->e, rows->step, rows->n, n, matrix, x);
    for (int i = 0; i < rows->n; i++)
        for (int c = 0; c < n; c++) *at(s, rows->unknown[i], kept[c]) = x[i * n + c];
}

static void solve_rows(solver *s, const ct_rows *rows) {
    ct_ex *right = ct_scratch((size_t)(rows->n * s->width) + 1, sizeof *right);
    for (int i = 0; i < rows->n; i++)
        for (int c = 0; c < s->width; c++)
            right[i * s->width + c] = ct_let_whole(s->pool, residue(s, rows, i, c));
    if (rows->inverse.n)
        written_out(s, rows, &rows->inverse, right);
    else
        by_segment(s, rows, rows->jacobian, right);
}

// Solves a tear block for its unknowns y, then puts them into all coordinates that depend on them.
static void solve_tear(solver *s, const ct_rows *rows) {
    ct_pool *pool = s->pool;
    int n = rows->n, width = s->width;
    ct_ex *matrix = ct_scratch((size_t)(n * n), sizeof *matrix),
          *right = ct_scratch((size_t)(n * width) + 1, sizeof *right);
    // J + K T and right - K x0
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            ct_ex through = residue(s, rows, i, s->open[rows->unknown[j]]);
            matrix[i * n + j] = ct_let(pool, ct_sub(pool, rows->jacobian[i * n + j], through));
        }
        for (int c = 0; c < width; c++)
            right[i * width + c] = ct_let_whole(pool, residue(s, rows, i, c));
        for (int j = 0; j < n; j++) right[i * width + s->open[rows->unknown[j]]] = CT_ZERO;
    }
    // y, by an inverse or by a segment
    if (n <= CT_WRITTEN_OUT) {
        ct_inverse inverse;
        ct_inverse_find(s->e, &inverse, n, matrix, NULL);
        guard_pivot(s->e, inverse.determinant, rows->step);
        written_out(s, rows, &inverse, right);
    } else {
        by_segment(s, rows, matrix, right);
    }
    // x = x0 + T y for all coordinates; their columns T are zero from here on
    for (int k = 0; k < s->e->f->n; k++) {
        bool own = false;
        for (int j = 0; j < n; j++) own = own || rows->unknown[j] == k;
        for (int j = 0; j < n && !own; j++) {
            ct_ex *through = at(s, k, s->open[rows->unknown[j]]);
            for (int c = 0; c < width && *through != CT_ZERO; c++) {
                ct_ex more = ct_mul(pool, *through, *at(s, rows->unknown[j], c));
                *at(s, k, c) = ct_let(pool, ct_add(pool, *at(s, k, c), more));
            }
        }
        for (int j = 0; j < n && !own; j++) *at(s, k, s->open[rows->unknown[j]]) = CT_ZERO;
    }
}

void ct_embed_solve(ct_embedder *e, int columns, ct_ex *x, ct_right_kind kind) {
    int n = e->f->n, open = 0;
    solver s = {.e = e, .pool = e->pool, .columns = columns, .kind = kind};
    // a column of T for each unknown of a tear block
    s.open = ct_scratch((size_t)n + 1, sizeof *s.open);
    for (int k = 0; k < n; k++) s.open[k] = -1;
    for (int i = 0; i < e->n_rows; i++)
        for (int j = 0; j < e->rows[i].n && e->rows[i].tear; j++)
            s.open[e->rows[i].unknown[j]] = columns + open++;
    s.width = columns + open;
    // values of the independent coordinates; y = 1 in its own column
    s.x = ct_scratch((size_t)n * (size_t)s.width + 1, sizeof *s.x);
    for (int k = 0; k < n; k++) {
        for (int c = 0; c < columns && e->closure->is_independent[k]; c++)
            *at(&s, k, c) = x[k * columns + c];
        if (s.open[k] >= 0) *at(&s, k, s.open[k]) = CT_ONE;
    }
    // block after block
    for (int i = 0; i < e->n_rows; i++)
        if (e->rows[i].tear)
            solve_tear(&s, e->rows + i);
        else
            solve_rows(&s, e->rows + i);
    // the columns that were asked for
    for (int k = 0; k < n; k++)
        for (int c = 0; c < columns; c++) x[k * columns + c] = *at(&s, k, c);
}

// rates ------------------------------------------------------------------------------------------
// Rates of all coordinates, from those of the independent ones.
void ct_embed_rates(ct_embedder *e) {
    const ct_closure *c = e->closure;
    ct_ex *x = ct_scratch((size_t)e->f->n + 1, sizeof *x);
    for (int i = 0; i < c->r; i++) x[c->independent[i]] = e->f->qd[c->independent[i]];
    ct_embed_solve(e, 1, x, CT_RIGHT_RATES);
    ct_embed_set_rates(e, x, 1, 0);
}

void ct_embed_guard_rows(ct_embedder *e) {
    for (int i = 0; i < e->n_rows; i++)
        if (e->rows[i].inverse.n) guard_pivot(e, e->rows[i].inverse.determinant, e->rows[i].step);
}
