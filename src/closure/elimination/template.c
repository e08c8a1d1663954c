// The elimination of a template over the polynomials in the symbols: sparse, pivots by Markowitz
// (fewest entries in the way), no fractions, common factors divided out of every row, so that none
// is left that could vanish somewhere. Entries carry their residues at two points: an entry that
// vanishes there cancels because of the meanings of its symbols.
#include "closure/elimination/template.h"
#include "closure/elimination/horner.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 400, TERMS = 400 }; // terms of a row

typedef struct entry {
    fmpz_mpoly_t f;
    uint32_t at[2];
} entry;

typedef struct elimination {
    const ct_block_system *s;
    const fmpz_mpoly_ctx_struct *ctx;
    uint32_t p[2];
    int n_rows, n_columns, n_kept;
    ct_monomial column[COLUMNS];
    bool done[CT_TEMPLATE_ROWS];
    entry *a[CT_TEMPLATE_ROWS][COLUMNS]; // NULL: zero
    bool good;
} elimination;

static entry *entry_new(const elimination *m) {
    entry *x = ct_alloc(1, sizeof *x);
    fmpz_mpoly_init(x->f, m->ctx);
    return x;
}

static void entry_free(const elimination *m, entry *x) {
    if (!x) return;
    fmpz_mpoly_clear(x->f, m->ctx);
    ct_free(x);
}

static int column_of(elimination *m, const ct_monomial *e) {
    for (int i = 0; i < m->n_columns; i++)
        if (!memcmp(m->column + i, e, sizeof *e)) return i;
    if (m->n_columns == COLUMNS) return -1;
    m->column[m->n_columns] = *e;
    return m->n_columns++;
}

// filling in -------------------------------------------------------------------------------------
static uint32_t residue(const ct_ring *number_ring, const ct_poly *f, const uint32_t *exps) {
    for (slong i = 0; i < f->n; i++)
        if (!memcmp(ct_poly_exps(number_ring, f, i), exps, (size_t)number_ring->n * sizeof *exps))
            return (uint32_t)fmpz_get_ui(f->coefs + i);
    return 0;
}

// Row r: an equation times a monomial. at: the equations at both points.
static bool fill_row(elimination *m, const ct_ring *number_ring, const ct_polys at[2], int r,
                     int equation, const ct_monomial *by) {
    const ct_poly *f = m->s->equations.p + equation;
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *exps = ct_poly_exps(m->s->ring, f, i);
        ct_monomial e = *by;
        for (int k = 0; k < m->s->ring->n; k++) e.e[k] = (uint8_t)(e.e[k] + exps[k]);
        int column = column_of(m, &e);
        if (column < 0) return false;
        entry *x = entry_new(m);
        for (int w = 0; w < 2; w++) x->at[w] = residue(number_ring, at[w].p + equation, exps);
        if (f->symbolic)
            fmpz_mpoly_set(x->f, f->symbolic + i, m->ctx);
        else
            fmpz_mpoly_set_fmpz(x->f, f->coefs + i, m->ctx);
        if (x->at[0] || x->at[1])
            m->a[r][column] = x;
        else
            entry_free(m, x);
    }
    return true;
}

static bool fill(elimination *m, const ct_block_point point[2], const ct_template *t) {
    ct_ring *number_ring = ct_block_number_ring(m->s->ring);
    ct_polys at[2] = {{0}, {0}};
    bool good = true;
    for (int w = 0; w < 2; w++)
        ct_block_at(number_ring, at + w, m->s->ring, &m->s->equations, point + w);
    for (int i = 0; i < t->n_kept; i++) (void)column_of(m, t->kept + i);
    m->n_kept = m->n_columns;
    for (int r = 0; r < t->n && good; r++)
        good = fill_row(m, number_ring, at, r, t->row[r].equation, &t->row[r].by);
    for (int w = 0; w < 2; w++) ct_polys_clear(number_ring, at + w);
    ct_ring_free(number_ring);
    return good;
}

// pivots -----------------------------------------------------------------------------------------
static int count_row(const elimination *m, int row) {
    int n = 0;
    for (int k = 0; k < m->n_columns; k++) n += m->a[row][k] != NULL;
    return n;
}

static int count_column(const elimination *m, int column) {
    int n = 0;
    for (int r = 0; r < m->n_rows; r++) n += !m->done[r] && m->a[r][column];
    return n;
}

// The cheapest pivot in the columns that are eliminated; an entry that vanishes at a point is none.
static bool next_pivot(const elimination *m, int *row, int *column) {
    int best = -1;
    for (int k = m->n_kept; k < m->n_columns; k++) {
        int others = count_column(m, k) - 1;
        for (int r = 0; r < m->n_rows && others >= 0; r++) {
            const entry *x = m->a[r][k];
            if (m->done[r] || !x || !x->at[0] || !x->at[1]) continue;
            int length = (int)fmpz_mpoly_length(x->f, m->ctx),
                cost = others * (4 * (count_row(m, r) - 1) +
                                 (fmpz_mpoly_is_fmpz(x->f, m->ctx) ? 0 : 2 * length + 1));
            if (best >= 0 && cost >= best) continue;
            best = cost;
            *row = r;
            *column = k;
        }
    }
    return best >= 0;
}

// rows -------------------------------------------------------------------------------------------
static uint32_t cross(const elimination *m, int w, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint64_t p = m->p[w], x = (uint64_t)a * b % p, y = (uint64_t)c * d % p;
    return (uint32_t)((x + p - y) % p);
}

// a b - c d, b and d may be NULL
static entry *cross_entry(const elimination *m, const entry *a, const entry *b, const entry *c,
                          const entry *d) {
    entry *x = entry_new(m);
    fmpz_mpoly_t y;
    fmpz_mpoly_init(y, m->ctx);
    for (int w = 0; w < 2; w++)
        x->at[w] = cross(m, w, a->at[w], b ? b->at[w] : 0, c->at[w], d ? d->at[w] : 0);
    if (b) fmpz_mpoly_mul(x->f, a->f, b->f, m->ctx);
    if (d) fmpz_mpoly_mul(y, c->f, d->f, m->ctx);
    fmpz_mpoly_sub(x->f, x->f, y, m->ctx);
    fmpz_mpoly_clear(y, m->ctx);
    if ((x->at[0] || x->at[1]) && !fmpz_mpoly_is_zero(x->f, m->ctx)) return x;
    entry_free(m, x);
    return NULL;
}

static uint32_t value(const elimination *m, const fmpz_mpoly_t f, const ct_block_point *at) {
    const size_t n = (size_t)m->s->ring->n_symbols;
    fmpz *v = ct_scratch(n + 1, sizeof *v), **pv = ct_scratch(n + 1, sizeof *pv), c;
    for (size_t i = 0; i < n; i++) {
        fmpz_init_set_ui(v + i, at->value[i]);
        pv[i] = v + i;
    }
    fmpz_init(&c);
    if (n)
        fmpz_mpoly_evaluate_all_fmpz(&c, f, pv, m->ctx);
    else
        fmpz_mpoly_get_fmpz(&c, f, m->ctx);
    uint32_t r = (uint32_t)fmpz_fdiv_ui(&c, at->p);
    fmpz_clear(&c);
    for (size_t i = 0; i < n; i++) fmpz_clear(v + i);
    return r;
}

// Divides a row by the greatest common divisor of its entries.
static void primitive(elimination *m, int r, const ct_block_point point[2]) {
    fmpz_mpoly_t g;
    slong terms = 0;
    fmpz_mpoly_init(g, m->ctx);
    // greatest common divisor of the entries; a row that grows too long gives up
    for (int k = 0; k < m->n_columns; k++) {
        if (!m->a[r][k]) continue;
        terms += fmpz_mpoly_length(m->a[r][k]->f, m->ctx);
        m->good = m->good && terms <= TERMS && fmpz_mpoly_gcd(g, g, m->a[r][k]->f, m->ctx);
    }
    // division by it, also of the residues at both points
    if (m->good && terms && !fmpz_mpoly_is_one(g, m->ctx)) {
        uint32_t over[2];
        for (int w = 0; w < 2; w++) {
            uint32_t x = value(m, g, point + w);
            m->good = m->good && x;
            over[w] = x ? (uint32_t)n_invmod(x, m->p[w]) : 0;
        }
        for (int k = 0; k < m->n_columns && m->good; k++) {
            entry *x = m->a[r][k];
            if (!x) continue;
            fmpz_mpoly_divexact(x->f, x->f, g, m->ctx);
            for (int w = 0; w < 2; w++) x->at[w] = cross(m, w, x->at[w], over[w], 0, 0);
        }
    }
    fmpz_mpoly_clear(g, m->ctx);
}

static void clear_column(elimination *m, int row, int column, const ct_block_point point[2]) {
    const entry *pivot = m->a[row][column];
    for (int r = 0; r < m->n_rows && m->good; r++) {
        entry *x = m->a[r][column];
        if (m->done[r] || r == row || !x) continue;
        for (int k = 0; k < m->n_columns; k++) {
            entry *old = m->a[r][k];
            if (k == column || (!old && !m->a[row][k])) continue;
            m->a[r][k] = cross_entry(m, pivot, old, x, m->a[row][k]);
            entry_free(m, old);
        }
        m->a[r][column] = NULL;
        entry_free(m, x);
        primitive(m, r, point);
    }
    m->done[row] = true;
}

// Reads the result off the shortest row that is left. Returns false if there is none.
static bool take(const elimination *m, ct_pool *pool, ct_template_result *out) {
    int best = -1;
    for (int r = 0; r < m->n_rows; r++) {
        int n = m->done[r] ? 0 : count_row(m, r);
        if (n && (best < 0 || n < count_row(m, best))) best = r;
    }
    memset(out, 0, sizeof *out);
    for (int k = 0; k < m->n_columns && best >= 0; k++) {
        const entry *x = m->a[best][k];
        if (!x) continue;
        if (k >= m->n_kept) return false;
        out->monomial[out->n] = m->column[k];
        out->coefficient[out->n++] = ct_let(pool, ct_horner(pool, x->f, m->ctx, m->s->known));
    }
    return out->n > 0;
}

bool ct_template_eliminate(ct_pool *pool, const ct_block_system *system,
                           const ct_block_point point[2], const ct_template *t,
                           ct_template_result *result) {
    fmpz_mpoly_ctx_t none; // where there are no symbols
    fmpz_mpoly_ctx_init(none, 1, ORD_LEX);
    elimination *m = ct_alloc(1, sizeof *m);
    m->s = system;
    m->ctx = system->ring->n_symbols ? system->ring->symbol_ctx : none;
    m->n_rows = t->n;
    for (int w = 0; w < 2; w++) m->p[w] = point[w].p;
    // rows of the template, columns of monomials
    m->good = fill(m, point, t);
    // all columns but those that the result may hold are eliminated
    for (int row = 0, column = 0; m->good && next_pivot(m, &row, &column);)
        clear_column(m, row, column, point);
    bool good = m->good && take(m, pool, result);
    for (int r = 0; r < CT_TEMPLATE_ROWS; r++)
        for (int k = 0; k < COLUMNS; k++) entry_free(m, m->a[r][k]);
    ct_free(m);
    fmpz_mpoly_ctx_clear(none);
    return good;
}
