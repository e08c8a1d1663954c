// The hidden-variable matrix of a list of polynomials: x hidden, each is a linear form in the
// monomials of the other unknowns, with coefficients in Z[x].
#include "algebra/eliminate/eliminate.h"

#include <stdlib.h>
#include <string.h>

static void strip(const ct_ring *ring, uint32_t *out, const uint32_t *e, int hide) {
    memcpy(out, e, (size_t)ring->n * sizeof *e);
    out[hide] = 0;
}

// Increasing list of monomials.
typedef struct monomials {
    const ct_ring *ring;
    slong n, room;
    uint32_t *e;
} monomials;

static slong search(const monomials *m, const uint32_t *e, bool *found) {
    slong low = 0, high = m->n;
    *found = true;
    while (low < high) {
        slong mid = (low + high) / 2;
        int c = ct_monomial_compare(m->ring, m->e + mid * m->ring->n, e);
        if (c == 0) return mid;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *found = false;
    return low;
}

static void insert(monomials *m, const uint32_t *e) {
    bool found;
    slong at = search(m, e, &found), n = m->ring->n;
    if (found) return;
    if (m->n == m->room) {
        m->room = m->room ? 2 * m->room : 64;
        m->e = ct_realloc(m->e, (size_t)(m->room * n), sizeof *m->e);
    }
    memmove(m->e + (at + 1) * n, m->e + at * n, (size_t)((m->n - at) * n) * sizeof *m->e);
    memcpy(m->e + at * n, e, (size_t)n * sizeof *e);
    m->n++;
}

static bool lies_in(const ct_ring *ring, const ct_poly *f, uint64_t in) {
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        for (int k = 0; k < ring->n; k++)
            if (e[k] && !(in >> k & 1)) return false;
    }
    return true;
}

static void fill_row(ct_hidden *h, const ct_ring *ring, slong row, const ct_poly *f,
                     const monomials *m) {
    uint32_t e[CT_UNKNOWNS_MAX];
    for (slong i = 0; i < f->n; i++) {
        bool found;
        const uint32_t *exps = ct_poly_exps(ring, f, i);
        strip(ring, e, exps, h->hide);
        slong column = m->n - 1 - search(m, e, &found);
        fmpz_poly_struct *entry = fmpz_poly_mat_entry(h->s, row, column);
        fmpz_poly_set_coeff_fmpz(entry, (slong)exps[h->hide], f->coefs + i);
    }
}

// Peels columns with one constant entry until none is left.
static void peel(ct_hidden *h) {
    slong n = h->n, *count = ct_alloc((size_t)n, sizeof *count);
    bool *row_done = ct_alloc((size_t)n, sizeof *row_done), *column_done = ct_alloc((size_t)n, 1);
    h->peeled_row = ct_alloc((size_t)n, sizeof(slong)),
    h->peeled_column = ct_alloc((size_t)n, sizeof(slong));
    h->core_row = ct_alloc((size_t)n, sizeof(slong)),
    h->core_column = ct_alloc((size_t)n, sizeof(slong));
    // entries in each column
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            count[j] += !fmpz_poly_is_zero(fmpz_poly_mat_entry(h->s, i, j));
    // columns with one entry left that is a constant go, with their rows, until there is none
    for (bool again = true; again;) {
        again = false;
        for (slong j = 0; j < n; j++) {
            if (column_done[j] || count[j] != 1) continue;
            slong i = 0;
            while (row_done[i] || fmpz_poly_is_zero(fmpz_poly_mat_entry(h->s, i, j))) i++;
            if (fmpz_poly_degree(fmpz_poly_mat_entry(h->s, i, j)) > 0) continue;
            h->peeled_row[h->n_peeled] = i, h->peeled_column[h->n_peeled++] = j;
            row_done[i] = column_done[j] = again = true;
            for (slong k = 0; k < n; k++)
                count[k] -= !fmpz_poly_is_zero(fmpz_poly_mat_entry(h->s, i, k));
        }
    }
    // the core: what is left
    slong c = 0;
    for (slong i = 0; i < n; i++)
        if (!row_done[i]) h->core_row[h->n_core++] = i;
    for (slong j = 0; j < n; j++)
        if (!column_done[j]) h->core_column[c++] = j;
    ct_free(count), ct_free(row_done), ct_free(column_done);
}

bool ct_hidden_build(ct_hidden *h, const ct_ring *ring, int n_rows, const ct_poly *const *rows,
                     int hide, ct_hidden_kind kind) {
    *h = (ct_hidden){.hide = hide, .kind = kind, .n_unknowns = ring->n};
    monomials m = {.ring = ring};
    uint32_t e[CT_UNKNOWNS_MAX];
    // monomials in the other unknowns; more than rows are too many
    for (int r = 0; r < n_rows; r++) {
        for (slong i = 0; i < rows[r]->n; i++) {
            const uint32_t *exps = ct_poly_exps(ring, rows[r], i);
            if (exps[hide] > 100000) m.n = WORD_MAX / 2; // no dense polynomial of that degree
            if (m.n > n_rows) break;
            strip(ring, e, exps, hide);
            insert(&m, e);
        }
    }
    // entries, monomials decreasing, core
    bool square = m.n == n_rows && n_rows > 0;
    if (square) {
        h->n = m.n;
        fmpz_poly_mat_init(h->s, h->n, h->n);
        for (int r = 0; r < n_rows; r++) fill_row(h, ring, r, rows[r], &m);
        h->monomials = ct_alloc((size_t)(m.n * ring->n), sizeof *h->monomials);
        for (slong j = 0; j < m.n; j++)
            memcpy(h->monomials + j * ring->n, m.e + (m.n - 1 - j) * ring->n,
                   (size_t)ring->n * sizeof *e);
        peel(h);
    }
    ct_free(m.e);
    return square;
}

bool ct_hidden_from_basis(ct_hidden *h, const ct_ring *ring, const ct_polys *basis, int hide,
                          uint64_t in) {
    const ct_poly **rows = ct_alloc((size_t)basis->n + 1, sizeof *rows);
    int n = 0;
    for (int g = 0; g < basis->n; g++)
        if (lies_in(ring, basis->p + g, in)) rows[n++] = basis->p + g;
    bool square =
        ct_hidden_build(h, ring, n, rows, hide, n == basis->n ? CT_HIDDEN_BASIS : CT_HIDDEN_SUBSET);
    ct_free(rows);
    return square;
}

void ct_hidden_clear(ct_hidden *h) {
    if (h->n) fmpz_poly_mat_clear(h->s);
    ct_free(h->monomials);
    ct_free(h->peeled_row), ct_free(h->peeled_column), ct_free(h->core_row),
        ct_free(h->core_column);
    *h = (ct_hidden){0};
}

slong ct_hidden_column(const ct_hidden *h, const uint32_t *exps) {
    for (slong j = 0; j < h->n; j++)
        if (!memcmp(h->monomials + j * h->n_unknowns, exps, (size_t)h->n_unknowns * sizeof *exps))
            return j;
    return -1;
}

bool ct_hidden_has_unknowns(const ct_hidden *h) {
    uint32_t e[CT_UNKNOWNS_MAX] = {0};
    if (ct_hidden_column(h, e) < 0) return false;
    for (int k = 0; k < h->n_unknowns; k++) {
        e[k] = 1;
        if (k != h->hide && ct_hidden_column(h, e) < 0) return false;
        e[k] = 0;
    }
    return true;
}
