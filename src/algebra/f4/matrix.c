// The matrix of one step: S-pairs of least degree, completed by every multiple of a basis element
// that some entry could be reduced by (symbolic preprocessing), columns sorted by monomial.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>
#include <string.h>

// The row  quotient * polys[poly],  by monomial number. Its monomials join the columns.
static f4_row make_row(f4_run *run, f4_matrix *m, uint32_t poly, uint32_t quotient) {
    f4_monomials *t = &run->mons;
    const f4_poly *f = &run->polys[poly];
    f4_row row = {poly, f->n, f4_take(&m->store, f->n)};
    for (uint32_t k = 0; k < f->n; k++) {
        uint32_t mon = quotient ? f4_monomial_product(t, f->mon[k], quotient) : f->mon[k];
        row.cols[k] = mon;
        if (t->column[mon] != F4_NONE) continue;
        t->column[mon] = 0; // in the matrix, no reducer looked for yet
        *CT_PUSH(m->col_mon, m->n_cols, m->room_cols) = mon;
    }
    return row;
}

static int by_lcm(const void *a, const void *b) {
    const f4_pair *x = a, *y = b;
    if (x->lcm != y->lcm) return x->lcm < y->lcm ? -1 : 1;
    return (x->i > y->i) - (x->i < y->i);
}

static bool listed(const uint32_t *list, uint32_t n, uint32_t x) {
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == x) return true;
    return false;
}

// All pairs with one lcm: the first multiple reduces the others.
static void add_group(f4_run *run, f4_matrix *m, const f4_pair *pair, uint32_t n) {
    f4_monomials *t = &run->mons;
    uint32_t *parts = ct_scratch(2 * (size_t)n, sizeof *parts), n_parts = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t both[2] = {pair[k].i, pair[k].j};
        for (int s = 0; s < 2; s++) {
            uint32_t i = both[s];
            if (listed(parts, n_parts, i)) continue;
            parts[n_parts++] = i;
            uint32_t quotient = f4_monomial_quotient(t, pair[k].lcm, run->polys[i].mon[0]);
            f4_row row = make_row(run, m, i, quotient);
            if (n_parts == 1 && i >= run->n_inputs) {
                *CT_PUSH(m->reducers, m->n_reducers, m->room_reducers) = row;
                t->column[pair[k].lcm] = 1;
            } else {
                *CT_PUSH(m->rows, m->n_rows, m->room_rows) = row;
            }
        }
    }
}

void f4_matrix_select(f4_run *run, f4_matrix *m) {
    uint32_t degree = UINT32_MAX, n = 0, kept = 0;
    for (uint32_t k = 0; k < run->n_pairs; k++)
        if (run->pairs[k].degree < degree) degree = run->pairs[k].degree;
    f4_pair *chosen = ct_scratch(run->n_pairs, sizeof *chosen);
    for (uint32_t k = 0; k < run->n_pairs; k++) {
        if (run->pairs[k].degree == degree)
            chosen[n++] = run->pairs[k];
        else
            run->pairs[kept++] = run->pairs[k];
    }
    run->n_pairs = kept;
    qsort(chosen, n, sizeof *chosen, by_lcm);
    for (uint32_t first = 0, next; first < n && ct_limits_poll(run->limits); first = next) {
        for (next = first + 1; next < n && chosen[next].lcm == chosen[first].lcm;) next++;
        add_group(run, m, chosen + first, next - first);
    }
}

void f4_matrix_all(f4_run *run, f4_matrix *m) {
    for (uint32_t i = run->n_inputs; i < run->n_polys; i++) {
        if (run->polys[i].redundant) continue;
        *CT_PUSH(m->rows, m->n_rows, m->room_rows) = make_row(run, m, i, 0);
        run->mons.column[run->polys[i].mon[0]] = 1; // reduced by nothing: it is a result
    }
}

// The oldest basis element whose lead divides the monomial. Elements that were compared once are
// not compared again.
static uint32_t find_reducer(f4_run *run, uint32_t mon) {
    f4_monomials *t = &run->mons;
    if (t->reducer[mon] != F4_NONE) return t->reducer[mon];
    uint32_t i = t->scanned[mon] > run->n_inputs ? t->scanned[mon] : run->n_inputs;
    for (; i < run->n_polys; i++)
        if (f4_monomial_divides(t, run->polys[i].mon[0], mon)) return t->reducer[mon] = i;
    t->scanned[mon] = run->n_polys;
    return F4_NONE;
}

// columns ----------------------------------------------------------------------------------------
static bool is_greater(const f4_monomials *t, uint32_t a, uint32_t b) {
    return ct_monomial_compare(t->ring, f4_exps(t, a), f4_exps(t, b)) > 0;
}

// Sorting needs the exponents: a merge sort that carries the table.
static void sort_columns(const f4_monomials *t, uint32_t *a, uint32_t *work, uint32_t n) {
    if (n < 2) return;
    uint32_t half = n / 2;
    sort_columns(t, a, work, half);
    sort_columns(t, a + half, work, n - half);
    memcpy(work, a, n * sizeof *a);
    for (uint32_t i = 0, j = half, k = 0; k < n; k++) {
        bool left = j == n || (i < half && is_greater(t, work[i], work[j]));
        a[k] = left ? work[i++] : work[j++];
    }
}

typedef struct keyed {
    uint64_t key;
    uint32_t mon;
} keyed;

// The same by keys; short pieces by insertion.
static void sort_keyed(keyed *a, keyed *work, uint32_t n) {
    enum { SHORT = 12 };
    if (n <= SHORT) {
        for (uint32_t i = 1; i < n; i++) {
            keyed x = a[i];
            uint32_t at = i;
            for (; at > 0 && a[at - 1].key < x.key; at--) a[at] = a[at - 1];
            a[at] = x;
        }
        return;
    }
    uint32_t half = n / 2;
    sort_keyed(a, work, half);
    sort_keyed(a + half, work, n - half);
    memcpy(work, a, half * sizeof *a);
    for (uint32_t i = 0, j = half, k = 0; i < half; k++) {
        bool left = j == n || work[i].key > a[j].key;
        a[k] = left ? work[i++] : a[j++];
    }
}

static void sort(const f4_monomials *t, f4_matrix *m) {
    ct_stage stage = ct_stage_begin();
    if (t->key_bits) {
        keyed *list = ct_scratch(m->n_cols, sizeof *list),
              *work = ct_scratch(m->n_cols, sizeof *work);
        for (uint32_t c = 0; c < m->n_cols; c++)
            list[c] = (keyed){f4_monomial_key(t, m->col_mon[c]), m->col_mon[c]};
        sort_keyed(list, work, m->n_cols);
        for (uint32_t c = 0; c < m->n_cols; c++) m->col_mon[c] = list[c].mon;
    } else {
        uint32_t *work = ct_scratch(m->n_cols, sizeof *work);
        sort_columns(t, m->col_mon, work, m->n_cols);
    }
    ct_stage_end(stage);
}

static void number_row(const f4_monomials *t, f4_row *row) {
    for (uint32_t k = 0; k < row->n; k++) row->cols[k] = t->column[row->cols[k]];
}

void f4_matrix_complete(f4_run *run, f4_matrix *m) {
    f4_monomials *t = &run->mons;
    for (uint32_t c = 0; c < m->n_cols && ct_limits_poll(run->limits); c++) {
        uint32_t mon = m->col_mon[c];
        if (t->column[mon]) continue; // has one
        uint32_t i = find_reducer(run, mon);
        if (i == F4_NONE) continue;
        uint32_t quotient = f4_monomial_quotient(t, mon, run->polys[i].mon[0]);
        f4_row row = make_row(run, m, i, quotient);
        *CT_PUSH(m->reducers, m->n_reducers, m->room_reducers) = row;
    }
    sort(t, m);
    for (uint32_t c = 0; c < m->n_cols; c++) t->column[m->col_mon[c]] = c;
    for (uint32_t r = 0; r < m->n_reducers; r++) number_row(t, &m->reducers[r]);
    for (uint32_t r = 0; r < m->n_rows; r++) number_row(t, &m->rows[r]);
    for (uint32_t c = 0; c < m->n_cols; c++) t->column[m->col_mon[c]] = F4_NONE;
}

void f4_matrix_empty(f4_matrix *m) {
    m->n_reducers = m->n_rows = m->n_cols = 0;
    f4_store_empty(&m->store);
}

void f4_matrix_clear(f4_matrix *m) {
    f4_store_clear(&m->store);
    ct_free(m->reducers);
    ct_free(m->rows);
    ct_free(m->col_mon);
    *m = (f4_matrix){0};
}
