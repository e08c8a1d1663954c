// Newton's method, then Krawczyk's test in ball arithmetic: with Y near the inverse of J(x), the
// box X about x holds exactly one zero if K = x - Y f(x) + (I - Y J(X)) (X - x) lies in its
// interior.
#include "algebra/solve/solve_inside.h"

#include <stdlib.h>

static slong size_of(const acb_t z) { // log2, roughly
    mag_t m;
    mag_init(m);
    acb_get_mag(m, z);
    slong e =
        mag_is_zero(m) || !fmpz_fits_si(MAG_EXPREF(m)) ? -WORD_MAX / 4 : fmpz_get_si(MAG_EXPREF(m));
    mag_clear(m);
    return e;
}

static void middles(acb_ptr x, slong n, bool real) {
    for (slong k = 0; k < n; k++) {
        acb_get_mid(x + k, x + k);
        if (real) arb_zero(acb_imagref(x + k));
    }
}

static void scale_rows(acb_mat_t j) {
    for (slong i = 0; i < acb_mat_nrows(j); i++) {
        slong top = -WORD_MAX / 4;
        for (slong k = 0; k < acb_mat_ncols(j); k++)
            top = FLINT_MAX(top, size_of(acb_mat_entry(j, i, k)));
        for (slong k = 0; k < acb_mat_ncols(j); k++)
            acb_mul_2exp_si(acb_mat_entry(j, i, k), acb_mat_entry(j, i, k), -top);
    }
}

// Picks n of the rows of j by elimination with complete pivoting. Returns false if the rank
// is short.
static bool independent_rows(acb_mat_t j, int *rows, slong bits) {
    slong m = acb_mat_nrows(j), n = acb_mat_ncols(j);
    int *order = ct_scratch((size_t)m, sizeof *order);
    for (slong i = 0; i < m; i++) order[i] = (int)i;
    acb_t by;
    acb_init(by);
    bool full = m >= n;
    scale_rows(j);
    for (slong k = 0; k < n && full; k++) {
        // the largest entry left
        slong best = -WORD_MAX / 4, row = k, column = k;
        for (slong i = k; i < m; i++)
            for (slong c = k; c < n; c++) {
                slong e = size_of(acb_mat_entry(j, i, c));
                if (e > best) best = e, row = i, column = c;
            }
        full = best > -bits / 2;
        if (!full) break;
        // to the place of the pivot
        for (slong c = 0; row != k && c < n; c++)
            acb_swap(acb_mat_entry(j, row, c), acb_mat_entry(j, k, c));
        for (slong i = 0; column != k && i < m; i++)
            acb_swap(acb_mat_entry(j, i, column), acb_mat_entry(j, i, k));
        int t = order[row];
        order[row] = order[k], order[k] = t;
        // rows below it
        for (slong i = k + 1; i < m; i++) {
            if (acb_is_zero(acb_mat_entry(j, i, k))) continue;
            acb_div(by, acb_mat_entry(j, i, k), acb_mat_entry(j, k, k), bits);
            acb_get_mid(by, by);
            for (slong c = k + 1; c < n; c++) {
                acb_submul(acb_mat_entry(j, i, c), by, acb_mat_entry(j, k, c), bits);
                acb_get_mid(acb_mat_entry(j, i, c), acb_mat_entry(j, i, c));
            }
        }
    }
    for (slong k = 0; k < n && full; k++) rows[k] = order[k];
    acb_clear(by);
    return full;
}

typedef struct square {
    const ct_ring *ring;
    const ct_polys *equations;
    int *rows;
    slong n, bits;
    acb_mat_t f, j, step; // f, step: [n][1]
} square;

static void values(square *s, acb_srcptr x, bool derivatives) {
    acb_ptr f = _acb_vec_init(s->n);
    ct_system_evaluate(s->ring, s->equations, s->rows, (int)s->n, x, f, derivatives ? s->j : NULL,
                       s->bits);
    for (slong i = 0; i < s->n; i++) acb_set(acb_mat_entry(s->f, i, 0), f + i);
    _acb_vec_clear(f, s->n);
}

// Newton steps until they stop shrinking. Returns true if the last one is at the level of rounding.
static bool newton(square *s, acb_ptr x, bool real) {
    slong before = WORD_MAX / 4;
    for (int k = 0; k < 40; k++) {
        values(s, x, true);
        acb_mat_get_mid(s->j, s->j);
        if (!acb_mat_approx_solve(s->step, s->j, s->f, s->bits)) return false;
        slong size = -WORD_MAX / 4, scale = -40;
        for (slong i = 0; i < s->n; i++) {
            acb_sub(x + i, x + i, acb_mat_entry(s->step, i, 0), s->bits);
            size = FLINT_MAX(size, size_of(acb_mat_entry(s->step, i, 0)));
            scale = FLINT_MAX(scale, size_of(x + i));
        }
        middles(x, s->n, real);
        if (size - scale < -s->bits * 7 / 10) return true;
        if (k > 12 && size >= before) return false;
        before = size;
    }
    return false;
}

static void widen(acb_ptr box, acb_srcptr x, slong n, bool real, slong bits) {
    slong top = -WORD_MAX / 4;
    for (slong k = 0; k < n; k++) top = FLINT_MAX(top, size_of(x + k));
    mag_t r;
    mag_init(r);
    for (slong k = 0; k < n; k++) {
        acb_set(box + k, x + k);
        slong e = FLINT_MAX(size_of(x + k), FLINT_MAX(top - 20, -40));
        mag_one(r);
        mag_mul_2exp_si(r, r, e - bits / 2);
        arb_add_error_mag(acb_realref(box + k), r);
        if (!real) arb_add_error_mag(acb_imagref(box + k), r);
    }
    mag_clear(r);
}

static bool inside(const acb_t box, const acb_t k, bool real) {
    if (real)
        return arb_is_zero(acb_imagref(k)) &&
               arb_contains_interior(acb_realref(box), acb_realref(k));
    return acb_contains_interior(box, k);
}

static bool krawczyk(square *s, acb_ptr x, bool real) {
    slong n = s->n;
    acb_mat_t y, e, d, k;
    acb_mat_init(y, n, n), acb_mat_init(e, n, n), acb_mat_init(d, n, 1), acb_mat_init(k, n, 1);
    // a box about x, and Y close to the inverse of J(x)
    acb_ptr box = _acb_vec_init(n);
    widen(box, x, n, real, s->bits);
    values(s, x, true);
    acb_mat_get_mid(s->j, s->j);
    bool proved = acb_mat_approx_inv(y, s->j, s->bits);
    if (proved) {
        // K = x - Y f(x) - (Y J(X) - I)(X - x)
        acb_mat_mul(k, y, s->f, s->bits); // Y f(x)
        values(s, box, true);
        acb_mat_mul(e, y, s->j, s->bits);
        for (slong i = 0; i < n; i++) {
            acb_sub_ui(acb_mat_entry(e, i, i), acb_mat_entry(e, i, i), 1, s->bits); // Y J(X) - I
            acb_sub(acb_mat_entry(d, i, 0), box + i, x + i, s->bits);
        }
        acb_mat_mul(d, e, d, s->bits);
        acb_mat_add(k, k, d, s->bits);
        // a zero lies in K if K lies inside the box
        for (slong i = 0; i < n && proved; i++) {
            acb_sub(acb_mat_entry(k, i, 0), x + i, acb_mat_entry(k, i, 0), s->bits);
            proved = inside(box + i, acb_mat_entry(k, i, 0), real);
        }
    }
    for (slong i = 0; i < n && proved; i++) acb_set(x + i, acb_mat_entry(k, i, 0));
    acb_mat_clear(y), acb_mat_clear(e), acb_mat_clear(d), acb_mat_clear(k);
    _acb_vec_clear(box, n);
    return proved;
}

bool ct_system_refine(const ct_ring *ring, const ct_polys *equations, acb_ptr x, bool real,
                      slong bits) {
    slong n = ring->n, m = equations->n;
    square s = {ring, equations, ct_alloc((size_t)n, sizeof(int)), n, bits, {{0}}, {{0}}, {{0}}};
    acb_mat_init(s.f, n, 1), acb_mat_init(s.j, n, n), acb_mat_init(s.step, n, 1);
    acb_mat_t all;
    acb_mat_init(all, m, n);
    acb_ptr f = _acb_vec_init(m);
    middles(x, n, real);
    ct_system_evaluate(ring, equations, NULL, (int)m, x, f, all, 64);
    acb_mat_get_mid(all, all);
    bool good = independent_rows(all, s.rows, 64) && newton(&s, x, real) && krawczyk(&s, x, real);
    // the equations left over may vanish in the box as well
    if (good && m > n) ct_system_evaluate(ring, equations, NULL, (int)m, x, f, NULL, bits);
    for (slong i = 0; i < m && m > n && good; i++) good = acb_contains_zero(f + i);
    _acb_vec_clear(f, m);
    acb_mat_clear(all), acb_mat_clear(s.f), acb_mat_clear(s.j), acb_mat_clear(s.step);
    ct_free(s.rows);
    return good;
}
