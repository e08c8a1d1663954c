// Null vectors of S(x0): the core by elimination with complete pivoting (the source deletes a row
// and a column instead, which one matters), then the peeled columns one by one, last peeled first:
// m_j = -(sum over the other columns of its row) / pivot.
#include "algebra/eliminate/eliminate_inside.h"

#include <stdlib.h>

static void drop_radius(acb_t z) {
    mag_zero(arb_radref(acb_realref(z)));
    mag_zero(arb_radref(acb_imagref(z)));
}

static void entry_at(const ct_hidden *h, acb_t v, slong i, slong j, const acb_t at, slong bits) {
    arb_fmpz_poly_evaluate_acb(v, fmpz_poly_mat_entry(h->s, i, j), at, bits);
    drop_radius(v);
}

// log2 of |z| roughly; -WORD_MAX for zero.
static slong size_of(const acb_t z) {
    if (acb_is_zero(z)) return -WORD_MAX;
    mag_t m;
    mag_init(m);
    acb_get_mag(m, z);
    slong e = fmpz_fits_si(MAG_EXPREF(m)) ? fmpz_get_si(MAG_EXPREF(m)) : -WORD_MAX / 2;
    mag_clear(m);
    return e;
}

static void evaluate_core(const ct_hidden *h, acb_mat_t a, const acb_t at, slong bits) {
    for (slong i = 0; i < h->n_core; i++) {
        slong largest = -WORD_MAX;
        for (slong j = 0; j < h->n_core; j++) {
            entry_at(h, acb_mat_entry(a, i, j), h->core_row[i], h->core_column[j], at, bits);
            largest = FLINT_MAX(largest, size_of(acb_mat_entry(a, i, j)));
        }
        for (slong j = 0; j < h->n_core; j++) // rows of size one, so that pivots compare
            if (largest > -WORD_MAX)
                acb_mul_2exp_si(acb_mat_entry(a, i, j), acb_mat_entry(a, i, j), -largest);
    }
}

static slong pivot(acb_mat_t a, slong k, slong n, slong *order) {
    slong best = -WORD_MAX, row = k, column = k;
    for (slong i = k; i < n; i++) {
        for (slong j = k; j < n; j++) {
            slong e = size_of(acb_mat_entry(a, i, j));
            if (e > best) best = e, row = i, column = j;
        }
    }
    if (row != k)
        for (slong j = 0; j < n; j++) acb_swap(acb_mat_entry(a, row, j), acb_mat_entry(a, k, j));
    if (column != k) {
        for (slong i = 0; i < n; i++) acb_swap(acb_mat_entry(a, i, column), acb_mat_entry(a, i, k));
        slong t = order[column];
        order[column] = order[k], order[k] = t;
    }
    return best;
}

static void eliminate(acb_mat_t a, slong k, slong n, slong bits) {
    acb_t by;
    acb_init(by);
    for (slong i = k + 1; i < n; i++) {
        if (acb_is_zero(acb_mat_entry(a, i, k))) continue;
        acb_div(by, acb_mat_entry(a, i, k), acb_mat_entry(a, k, k), bits);
        drop_radius(by);
        for (slong j = k + 1; j < n; j++) {
            acb_submul(acb_mat_entry(a, i, j), by, acb_mat_entry(a, k, j), bits);
            drop_radius(acb_mat_entry(a, i, j));
        }
    }
    acb_clear(by);
}

// U y = 0 with the last unknown 1; y in the original order of columns.
static void back_substitute(const acb_mat_t a, acb_ptr y, const slong *order, slong n, slong bits) {
    acb_ptr v = _acb_vec_init(n);
    acb_one(v + n - 1);
    for (slong i = n - 2; i >= 0; i--) {
        for (slong j = i + 1; j < n; j++) acb_submul(v + i, acb_mat_entry(a, i, j), v + j, bits);
        acb_div(v + i, v + i, acb_mat_entry(a, i, i), bits);
        drop_radius(v + i);
    }
    for (slong i = 0; i < n; i++) acb_set(y + order[i], v + i);
    _acb_vec_clear(v, n);
}

static bool core_null(const ct_hidden *h, acb_ptr y, const acb_t at, slong bits) {
    slong n = h->n_core, first = 0, before = 0, last = 0;
    acb_mat_t a;
    acb_mat_init(a, n, n);
    evaluate_core(h, a, at, bits);
    slong *order = ct_scratch((size_t)n, sizeof *order);
    for (slong i = 0; i < n; i++) order[i] = i;
    for (slong k = 0; k < n; k++) {
        before = last;
        last = pivot(a, k, n, order);
        if (k == 0) first = last;
        if (k < n - 1 && last == -WORD_MAX) break;
        if (k < n - 1) eliminate(a, k, n, bits);
    }
    if (n == 1) before = first = 0;
    // one pivot of the size of rounding, the one before it clearly larger
    bool line = n > 0 && before > -WORD_MAX && before - last > bits / 3 && first - last > bits / 3;
    if (n == 1) line = true;
    if (line) back_substitute(a, y, order, n, bits);
    acb_mat_clear(a);
    return line;
}

static void peeled_value(const ct_hidden *h, acb_ptr m, slong row, slong column, const acb_t at,
                         slong bits) {
    acb_t v, sum;
    acb_init(v), acb_init(sum);
    for (slong j = 0; j < h->n; j++) {
        if (j == column || fmpz_poly_is_zero(fmpz_poly_mat_entry(h->s, row, j))) continue;
        entry_at(h, v, row, j, at, bits);
        acb_submul(sum, v, m + j, bits);
        drop_radius(sum);
    }
    entry_at(h, v, row, column, at, bits);
    acb_div(m + column, sum, v, bits);
    drop_radius(m + column);
    acb_clear(v), acb_clear(sum);
}

void ct_hidden_unpeel(const ct_hidden *h, acb_ptr monomials, const acb_t at, slong bits) {
    for (slong k = h->n_peeled; k-- > 0;)
        peeled_value(h, monomials, h->peeled_row[k], h->peeled_column[k], at, bits);
}

bool ct_hidden_null(const ct_hidden *h, acb_ptr monomials, const acb_t at, slong bits) {
    // null vector of the core at the middle of the root's ball
    acb_t x;
    acb_init(x);
    acb_set(x, at);
    drop_radius(x);
    acb_ptr y = _acb_vec_init(h->n_core);
    bool line = core_null(h, y, x, bits);
    if (line) {
        // all monomials from those of the core
        for (slong j = 0; j < h->n_core; j++) acb_set(monomials + h->core_column[j], y + j);
        ct_hidden_unpeel(h, monomials, x, bits);
        // scaled so that the monomial 1 is one
        acb_ptr one = monomials + h->n - 1;
        line = size_of(one) > -bits / 2;
        if (line) {
            acb_inv(x, one, bits);
            drop_radius(x);
            for (slong j = 0; j < h->n; j++) {
                acb_mul(monomials + j, monomials + j, x, bits);
                drop_radius(monomials + j);
            }
        }
    }
    _acb_vec_clear(y, h->n_core);
    acb_clear(x);
    return line;
}
