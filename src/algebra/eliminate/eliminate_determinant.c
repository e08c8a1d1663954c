// det S(x): values at points modulo primes, interpolated, made monic and lifted. Its degree is at
// most the sum of the columns' degrees, or of the rows'.
#include "algebra/eliminate/eliminate.h"
#include "algebra/lift.h"

#include <flint/nmod_mat.h>
#include <stdlib.h>

static slong degree_at(const ct_hidden *h, slong i, slong j) {
    return fmpz_poly_degree(fmpz_poly_mat_entry(h->s, h->core_row[i], h->core_column[j]));
}

static slong degree_bound(const ct_hidden *h) {
    slong rows = 0, columns = 0;
    for (slong i = 0; i < h->n_core; i++) {
        slong row = 0, column = 0;
        for (slong j = 0; j < h->n_core; j++) {
            row = FLINT_MAX(row, degree_at(h, i, j));
            column = FLINT_MAX(column, degree_at(h, j, i));
        }
        rows += row;
        columns += column;
    }
    return FLINT_MIN(rows, columns);
}

// The core modulo p, all coefficients one after the other.
typedef struct reduced {
    slong n, *start; // [n * n + 1]
    ulong *coefs;
    nmod_t mod;
} reduced;

static reduced reduce(const ct_hidden *h, ulong p) {
    slong n = h->n_core, total = 0;
    reduced r = {.n = n, .start = ct_alloc((size_t)(n * n) + 1, sizeof(slong))};
    nmod_init(&r.mod, p);
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++) r.start[i * n + j] = total, total += degree_at(h, i, j) + 1;
    r.start[n * n] = total;
    r.coefs = ct_alloc((size_t)total + 1, sizeof *r.coefs);
    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < n; j++) {
            const fmpz_poly_struct *f =
                fmpz_poly_mat_entry(h->s, h->core_row[i], h->core_column[j]);
            ulong *c = r.coefs + r.start[i * n + j];
            for (slong k = 0; k < f->length; k++) c[k] = fmpz_fdiv_ui(f->coeffs + k, p);
        }
    }
    return r;
}

static ulong value_at(const reduced *r, slong entry, ulong x) {
    ulong v = 0;
    for (slong k = r->start[entry + 1]; k-- > r->start[entry];)
        v = nmod_add(nmod_mul(v, x, r->mod), r->coefs[k], r->mod);
    return v;
}

void ct_hidden_determinant_mod(const ct_hidden *h, ulong p, nmod_poly_t det) {
    reduced r = reduce(h, p);
    slong points = degree_bound(h) + 1;
    ulong *x = ct_alloc((size_t)points, sizeof *x), *y = ct_alloc((size_t)points, sizeof *y);
    nmod_mat_t a;
    nmod_mat_init(a, r.n, r.n, p);
    for (slong k = 0; k < points; k++) {
        x[k] = (ulong)k;
        for (slong i = 0; i < r.n; i++)
            for (slong j = 0; j < r.n; j++)
                nmod_mat_entry(a, i, j) = value_at(&r, i * r.n + j, x[k]);
        y[k] = nmod_mat_det(a);
    }
    nmod_poly_interpolate_nmod_vec(det, x, y, points);
    if (!nmod_poly_is_zero(det)) nmod_poly_make_monic(det, det);
    nmod_mat_clear(a);
    ct_free(x), ct_free(y), ct_free(r.start), ct_free(r.coefs);
}

typedef struct det_data {
    const ct_hidden *h;
    slong degree;
} det_data;

static bool residues(void *user, ulong p, ulong *out) {
    const det_data *data = user;
    for (slong i = 0; i < data->h->n_peeled; i++) { // a pivot that vanishes changes the determinant
        const fmpz_poly_struct *f =
            fmpz_poly_mat_entry(data->h->s, data->h->peeled_row[i], data->h->peeled_column[i]);
        if (fmpz_fdiv_ui(f->coeffs, p) == 0) return false;
    }
    nmod_poly_t det;
    nmod_poly_init(det, p);
    ct_hidden_determinant_mod(data->h, p, det);
    bool lucky = nmod_poly_degree(det) == data->degree;
    for (slong i = data->degree; lucky && i-- > 0;) // the constant last
        *out++ = nmod_poly_get_coeff_ui(det, i);
    nmod_poly_clear(det);
    return lucky;
}

// The largest degree that a few primes show is the true one.
static slong find_degree(const ct_hidden *h) {
    ulong p = 1UL << 60;
    slong degree = -1;
    for (int trial = 0; trial < 2; trial++) {
        p = ct_lift_prime(p);
        nmod_poly_t det;
        nmod_poly_init(det, p);
        ct_hidden_determinant_mod(h, p, det);
        degree = FLINT_MAX(degree, nmod_poly_degree(det));
        nmod_poly_clear(det);
    }
    return degree;
}

ct_status ct_hidden_determinant(ct_context *ctx, const ct_hidden *h, fmpz_poly_t det,
                                ct_limits *limits) {
    det_data data = {h, find_degree(h)};
    fmpz_poly_zero(det);
    if (data.degree < 0) return CT_OK;
    ct_lift l;
    ct_lift_init(&l, 1, &data.degree, limits);
    ct_status s = ct_lift_rationals(
        ctx, &l,
        &(ct_residues){residues, &data, labs(fmpz_poly_mat_max_bits(h->s)), "determinant"});
    if (!s) {
        for (slong i = 0; i < data.degree; i++)
            fmpz_poly_set_coeff_fmpz(det, i, l.values + data.degree - 1 - i);
        fmpz_poly_set_coeff_fmpz(det, data.degree, l.denominators);
        fmpz_poly_primitive_part(det, det);
    }
    ct_lift_clear(&l);
    return s;
}
