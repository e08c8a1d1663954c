// F4 modulo one prime: the main loop, and the record of what a further prime can skip.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>
#include <string.h>

static uint32_t new_poly(f4_run *run, uint32_t n) {
    f4_poly *f = CT_PUSH(run->polys, run->n_polys, run->room_polys);
    *f = (f4_poly){.n = n, .mon = f4_take(&run->store, n), .coef = f4_take(&run->store, n)};
    return run->n_polys - 1;
}

// The inputs, made monic, wait like pairs of their own degree.
static void add_input(f4_run *run, const ct_poly *f) {
    uint32_t i = new_poly(run, (uint32_t)f->n);
    f4_poly *g = &run->polys[i];
    f4_modulus mod = f4_modulus_of(run->p);
    uint32_t inverse = f4_invert((uint32_t)fmpz_fdiv_ui(f->coefs, run->p), run->p);
    for (uint32_t k = 0; k < g->n; k++) {
        g->mon[k] = f4_monomial(&run->mons, ct_poly_exps(run->ring, f, k));
        g->coef[k] = f4_mod((uint64_t)fmpz_fdiv_ui(f->coefs + k, run->p) * inverse, mod);
    }
    *CT_PUSH(run->pairs, run->n_pairs, run->room_pairs) =
        (f4_pair){i, i, g->mon[0], f4_degree(&run->mons, g->mon[0])};
}

static void start(f4_run *run, const ct_polys *in) {
    f4_monomials_init(&run->mons, run->ring, run->limits);
    for (int i = 0; i < in->n; i++) add_input(run, &in->p[i]);
    run->n_inputs = run->n_polys;
}

// New rows become polynomials; smallest lead first, so that it makes others redundant early.
static void adopt(f4_run *run, const f4_matrix *m, const f4_new_rows *rows, bool pairs) {
    for (uint32_t r = rows->n; r-- > 0 && ct_limits_poll(run->limits);) {
        const f4_new_row *row = &rows->row[r];
        uint32_t i = new_poly(run, row->n);
        for (uint32_t k = 0; k < row->n; k++) run->polys[i].mon[k] = m->col_mon[row->cols[k]];
        memcpy(run->polys[i].coef, row->coefs, row->n * sizeof *row->coefs);
        if (pairs) f4_pairs_update(run, i);
    }
}

static void note_size(f4_run *run, const f4_matrix *m) {
    f4_figures *s = &run->figures;
    int rows = (int)(m->n_rows + m->n_reducers);
    s->matrices++;
    if (rows > s->rows) s->rows = rows;
    if ((int)m->n_cols > s->columns) s->columns = (int)m->n_cols;
}

static void step(f4_run *run, bool last) {
    f4_matrix *m = &run->matrix;
    run->fresh.n = 0;
    if (last)
        f4_matrix_all(run, m);
    else
        f4_matrix_select(run, m);
    f4_matrix_complete(run, m);
    note_size(run, m);
    if (ct_limits_ok(run->limits)) f4_eliminate(run, m, &run->fresh);
    if (last && run->trace) run->trace->first_result = run->n_polys;
    if (ct_limits_ok(run->limits)) adopt(run, m, &run->fresh, !last);
    f4_matrix_empty(m);
}

static void finish(f4_run *run) {
    f4_store_clear(&run->store);
    f4_matrix_clear(&run->matrix);
    ct_free(run->fresh.row);
    ct_free(run->polys);
    ct_free(run->pairs);
    f4_monomials_clear(&run->mons);
}

static void write_result(const f4_run *run, uint32_t first, ct_polys *basis) {
    fmpz_t c;
    fmpz_init(c);
    for (uint32_t i = first; i < run->n_polys; i++) {
        ct_poly *f = ct_polys_add(basis);
        ct_poly_reserve(run->ring, f, run->polys[i].n);
        for (uint32_t k = 0; k < run->polys[i].n; k++) {
            fmpz_set_ui(c, run->polys[i].coef[k]);
            ct_poly_push(run->ring, f, f4_exps(&run->mons, run->polys[i].mon[k]), c);
        }
    }
    fmpz_clear(c);
}

static void write_record(const f4_run *run, f4_trace *trace) {
    trace->n_inputs = run->n_inputs;
    trace->n_polys = run->n_polys;
    trace->lengths = ct_alloc(run->n_polys, sizeof *trace->lengths);
    for (uint32_t i = 0; i < run->n_polys; i++) trace->lengths[i] = run->polys[i].n;
}

bool f4_learn(const ct_ring *ring, ct_limits *limits, const ct_polys *in, uint32_t p,
              f4_result *result, f4_trace *trace) {
    f4_run run = {.ring = ring, .limits = limits, .p = p, .trace = trace};
    start(&run, in);
    // matrices, degree by degree
    while (run.n_pairs && ct_limits_ok(limits)) {
        ct_limits_progress(limits, "basis modulo a prime", 0);
        step(&run, false);
    }
    // one more for the reduced basis
    uint32_t first = run.n_polys;
    if (ct_limits_ok(limits)) step(&run, true);
    bool ok = ct_limits_ok(limits);
    if (ok) write_result(&run, first, &result->basis);
    if (trace) write_record(&run, trace);
    result->figures = run.figures;
    finish(&run);
    return ok;
}
