// Row echelon form of one matrix modulo p, row by row through a dense accumulator. Accumulators
// stay in [0, p^2): a product is subtracted and p^2 added back where the result is negative; the
// division by p waits until a column is looked at.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>
#include <string.h>

uint32_t f4_invert(uint32_t a, uint32_t p) {
    int64_t r0 = p, r1 = a, t0 = 0, t1 = 1;
    while (r1) {
        int64_t q = r0 / r1, r2 = r0 - q * r1, t2 = t0 - q * t1;
        r0 = r1, r1 = r2, t0 = t1, t1 = t2;
    }
    if (r0 != 1) return 0;
    return (uint32_t)(t0 < 0 ? t0 + p : t0);
}

typedef struct pivot {
    uint32_t n; // 0: none in this column
    const uint32_t *cols, *coefs;
} pivot;
typedef struct list {
    uint32_t n, room, *item;
} list;
typedef struct elimination {
    f4_run *run;
    f4_matrix *m;
    f4_step *step; // NULL: nothing is recorded
    pivot *pivots;
    int64_t *acc;
    f4_modulus mod;
    list ops, support, cancelled;
    uint8_t *mark;        // columns that the row under way touches
    uint32_t *reducer_of; // column -> reducer number, for the record
} elimination;

static void subtract(int64_t *acc, const pivot *row, uint32_t factor, int64_t p2) {
    for (uint32_t k = 0; k < row->n; k++) {
        int64_t x = acc[row->cols[k]] - (int64_t)factor * row->coefs[k];
        acc[row->cols[k]] = x + ((x >> 63) & p2);
    }
}

// Reduces the accumulator from column c on; ops and support list what was done and what is left.
static void reduce(elimination *e, uint32_t c) {
    int64_t p2 = (int64_t)(e->mod.p * e->mod.p);
    double work = e->m->n_cols - c;
    e->ops.n = e->support.n = 0;
    for (; c < e->m->n_cols; c++) {
        if (!e->acc[c]) continue;
        uint32_t value = f4_mod((uint64_t)e->acc[c], e->mod);
        e->acc[c] = value;
        if (!value) continue;
        if (e->pivots[c].n) {
            subtract(e->acc, &e->pivots[c], value, p2);
            work += e->pivots[c].n;
            *CT_PUSH(e->ops.item, e->ops.n, e->ops.room) = c;
        } else {
            *CT_PUSH(e->support.item, e->support.n, e->support.room) = c;
        }
    }
    ct_limits_work(e->run->limits, work);
}

// Takes the row out of the accumulator, monic; leaves zeros.
static f4_new_row take(elimination *e) {
    f4_store *store = &e->m->store;
    f4_new_row row = {e->support.n, f4_copy(store, e->support.n, e->support.item),
                      f4_take(store, e->support.n)};
    uint32_t inverse = f4_invert((uint32_t)e->acc[row.cols[0]], (uint32_t)e->mod.p);
    for (uint32_t k = 0; k < row.n; k++) {
        row.coefs[k] = f4_mod((uint64_t)e->acc[row.cols[k]] * inverse, e->mod);
        e->acc[row.cols[k]] = 0;
    }
    return row;
}

// the record -------------------------------------------------------------------------------------
static void touch(elimination *e, const uint32_t *cols, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) e->mark[cols[k]] = 1;
}

// A row for the record: the matrix goes before it does.
static f4_row kept(elimination *e, f4_row row) {
    return (f4_row){row.poly, row.n, f4_copy(&e->run->trace->store, row.n, row.cols)};
}

// A reducer joins the record when a useful row needs it.
static void keep_reducer(elimination *e, uint32_t col) {
    uint32_t r = e->reducer_of[col];
    if (r == F4_NONE) return;
    f4_step *s = e->step;
    s->reducers[s->n_reducers++] = kept(e, e->m->reducers[r]);
    e->reducer_of[col] = F4_NONE;
}

// Columns that were touched and are neither reduced nor left over have cancelled.
static void record(elimination *e, f4_row row, const uint32_t *cols, uint32_t n) {
    if (!e->step) return;
    // columns that were touched, reducers that were needed
    e->cancelled.n = 0;
    touch(e, cols, n);
    for (uint32_t k = 0; k < e->ops.n; k++) {
        const pivot *p = &e->pivots[e->ops.item[k]];
        touch(e, p->cols, p->n);
        keep_reducer(e, e->ops.item[k]);
    }
    // those that came out zero
    for (uint32_t k = 0; k < e->ops.n; k++) e->mark[e->ops.item[k]] = 0;
    for (uint32_t k = 0; k < e->support.n; k++) e->mark[e->support.item[k]] = 0;
    for (uint32_t c = 0; c < e->m->n_cols; c++)
        if (e->mark[c]) {
            e->mark[c] = 0;
            *CT_PUSH(e->cancelled.item, e->cancelled.n, e->cancelled.room) = c;
        }
    // into the record
    f4_reduction *r = CT_PUSH(e->step->reductions, e->step->n_reductions, e->step->room);
    f4_store *store = &e->run->trace->store;
    *r = (f4_reduction){row,
                        e->ops.n,
                        e->support.n,
                        e->cancelled.n,
                        f4_copy(store, e->ops.n, e->ops.item),
                        f4_copy(store, e->support.n, e->support.item),
                        f4_copy(store, e->cancelled.n, e->cancelled.item)};
}

// elimination ------------------------------------------------------------------------------------
static void reduce_row(elimination *e, f4_row *row, f4_new_rows *out) {
    const f4_poly *f = &e->run->polys[row->poly];
    for (uint32_t k = 0; k < row->n; k++) e->acc[row->cols[k]] = f->coef[k];
    reduce(e, row->cols[0]);
    if (!e->support.n) return;
    f4_new_row fresh = take(e);
    if (e->step) record(e, kept(e, *row), row->cols, row->n);
    e->pivots[fresh.cols[0]] = (pivot){fresh.n, fresh.cols, fresh.coefs};
    *CT_PUSH(out->row, out->n, out->room) = fresh;
}

static int by_pivot(const void *a, const void *b) {
    const f4_new_row *x = a, *y = b;
    return (x->cols[0] > y->cols[0]) - (x->cols[0] < y->cols[0]);
}

// New rows reduced by each other, the last pivot first, so that each is final when it is used.
static void reduce_again(elimination *e, f4_new_rows *out) {
    uint32_t *found = ct_scratch(e->m->n_cols, sizeof *found); // pivot column -> order of discovery
    for (uint32_t r = 0; r < out->n; r++) found[out->row[r].cols[0]] = r;
    if (out->n) qsort(out->row, out->n, sizeof *out->row, by_pivot);
    for (uint32_t r = out->n; r-- > 0 && ct_limits_poll(e->run->limits);) {
        f4_new_row *old = &out->row[r];
        uint32_t lead = old->cols[0];
        for (uint32_t k = 0; k < old->n; k++) e->acc[old->cols[k]] = old->coefs[k];
        e->pivots[lead].n = 0;
        reduce(e, lead);
        f4_new_row fresh = take(e);
        record(e, (f4_row){F4_NONE, found[lead], NULL}, old->cols, old->n);
        *old = fresh;
        e->pivots[lead] = (pivot){fresh.n, fresh.cols, fresh.coefs};
    }
}

static int by_lead(const void *a, const void *b) {
    const f4_row *x = a, *y = b;
    if (x->cols[0] != y->cols[0]) return x->cols[0] < y->cols[0] ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

void f4_eliminate(f4_run *run, f4_matrix *m, f4_new_rows *out) {
    elimination e = {.run = run, .m = m, .mod = f4_modulus_of(run->p)};
    e.pivots = ct_alloc(m->n_cols, sizeof *e.pivots);
    e.acc = ct_alloc(m->n_cols, sizeof *e.acc);
    e.mark = ct_alloc(m->n_cols, 1);
    e.reducer_of = ct_alloc(m->n_cols, sizeof *e.reducer_of);
    memset(e.reducer_of, 0xff, m->n_cols * sizeof *e.reducer_of);
    // reducers are pivots from the start
    for (uint32_t r = 0; r < m->n_reducers; r++) {
        f4_row *row = &m->reducers[r];
        e.pivots[row->cols[0]] = (pivot){row->n, row->cols, run->polys[row->poly].coef};
        e.reducer_of[row->cols[0]] = r;
    }
    // a step of the record
    if (run->trace) {
        e.step = CT_PUSH(run->trace->steps, run->trace->n_steps, run->trace->room);
        *e.step = (f4_step){.n_cols = m->n_cols};
        e.step->reducers = ct_alloc(m->n_reducers, sizeof *e.step->reducers);
    }
    // new rows by what is there, then by each other
    if (m->n_rows) qsort(m->rows, m->n_rows, sizeof *m->rows, by_lead);
    for (uint32_t r = 0; r < m->n_rows && ct_limits_poll(run->limits); r++)
        reduce_row(&e, &m->rows[r], out);
    reduce_again(&e, out);
    if (e.step) e.step->n_new = out->n;
    ct_free(e.pivots);
    ct_free(e.acc);
    ct_free(e.mark);
    ct_free(e.reducer_of);
    ct_free(e.ops.item);
    ct_free(e.support.item);
    ct_free(e.cancelled.item);
}

void f4_trace_clear(f4_trace *trace) {
    for (uint32_t s = 0; s < trace->n_steps; s++) {
        ct_free(trace->steps[s].reducers);
        ct_free(trace->steps[s].reductions);
    }
    f4_store_clear(&trace->store);
    ct_free(trace->steps);
    ct_free(trace->lengths);
    *trace = (f4_trace){0};
}
