// S(x) m = 0 as an eigenproblem in doubles. With y_(j,i) = x^i m_j, i below the degree of column j,
// the companion pencil A y = x B y has the size of the sum of the column degrees: rows x y_(j,i) =
// y_(j,i+1), and the rows of S with the top power of each column on the right. Solved by QZ (LAPACK
// dggev).
#include "algebra/eliminate/eliminate.h"
#include "util/lapack.h"

#include <math.h>
#include <stdlib.h>

typedef struct pencil {
    slong n; // core size
    slong size;
    slong *start;  // of column j's chain; [n + 1]
    double *a, *b; // column-major
} pencil;

static const fmpz_poly_struct *core(const ct_hidden *h, slong i, slong j) {
    return fmpz_poly_mat_entry(h->s, h->core_row[i], h->core_column[j]);
}

// Exponent of the largest coefficient in row i: coefficients may exceed doubles.
static slong row_exponent(const ct_hidden *h, slong i) {
    slong largest = 0;
    for (slong j = 0; j < h->n_core; j++) {
        slong bits = labs(fmpz_poly_max_bits(core(h, i, j)));
        if (bits > largest) largest = bits;
    }
    return largest;
}

static double scaled(const fmpz_t c, slong exponent) {
    slong e;
    double m = fmpz_get_d_2exp(&e, c);
    return e - exponent < -1000 ? 0 : ldexp(m, (int)(e - exponent));
}

static pencil pencil_of(const ct_hidden *h) {
    pencil p = {.n = h->n_core, .start = ct_alloc((size_t)h->n_core + 1, sizeof(slong))};
    // length of each column's chain: the degree of the column
    for (slong j = 0; j < p.n; j++) {
        slong degree = 1;
        for (slong i = 0; i < p.n; i++) degree = FLINT_MAX(degree, fmpz_poly_degree(core(h, i, j)));
        p.start[j + 1] = p.start[j] + degree;
    }
    p.size = p.start[p.n];
    size_t entries = (size_t)(p.size * p.size);
    p.a = ct_alloc(entries, sizeof *p.a), p.b = ct_alloc(entries, sizeof *p.b);
    // x y_(j,i) = y_(j,i+1) along the chains
    slong row = 0;
    for (slong j = 0; j < p.n; j++)
        for (slong k = p.start[j]; k + 1 < p.start[j + 1]; k++, row++)
            p.b[row + k * p.size] = 1, p.a[row + (k + 1) * p.size] = 1;
    // the rows of S, scaled to coefficients below one
    for (slong i = 0; i < p.n; i++, row++) {
        slong exponent = row_exponent(h, i);
        for (slong j = 0; j < p.n; j++) {
            const fmpz_poly_struct *f = core(h, i, j);
            slong degree = p.start[j + 1] - p.start[j];
            for (slong k = 0; k < f->length; k++) {
                double c = scaled(f->coeffs + k, exponent);
                if (k < degree)
                    p.a[row + (p.start[j] + k) * p.size] = c;
                else
                    p.b[row + (p.start[j + 1] - 1) * p.size] = -c;
            }
        }
    }
    return p;
}

static void pencil_free(pencil *p) {
    ct_free(p->start), ct_free(p->a), ct_free(p->b);
}

// monomials of columns that were peeled off the matrix -------------------------------------------
static void drop_radius(acb_t z) {
    mag_zero(arb_radref(acb_realref(z)));
    mag_zero(arb_radref(acb_imagref(z)));
}

static void entry_at(const ct_hidden *h, acb_t v, slong i, slong j, const acb_t at, slong bits) {
    arb_fmpz_poly_evaluate_acb(v, fmpz_poly_mat_entry(h->s, i, j), at, bits);
    drop_radius(v);
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

// m_j = -(sum over the other columns of its row) / pivot, the last peeled first; midpoints only.
static void unpeel(const ct_hidden *h, acb_ptr monomials, const acb_t at, slong bits) {
    for (slong k = h->n_peeled; k-- > 0;)
        peeled_value(h, monomials, h->peeled_row[k], h->peeled_column[k], at, bits);
}

// From the chain heads to all unknowns. Returns false if one is not finite.
static bool unknowns(const ct_hidden *h, const pencil *p, double complex_x[2], const double *re,
                     const double *im, double *out) {
    slong bits = 64;
    acb_ptr m = _acb_vec_init(h->n);
    acb_t x, v;
    acb_init(x), acb_init(v);
    // monomials of the core are the heads of the chains, the others follow
    acb_set_d_d(x, complex_x[0], complex_x[1]);
    for (slong j = 0; j < p->n; j++)
        acb_set_d_d(m + h->core_column[j], re[p->start[j]], im ? im[p->start[j]] : 0);
    unpeel(h, m, x, bits);
    // unknowns over the monomial 1, as doubles
    uint32_t e[CT_UNKNOWNS_MAX] = {0};
    bool finite = true;
    for (int k = 0; k < h->n_unknowns; k++) {
        e[k] = 1;
        if (k == h->hide)
            acb_set(v, x);
        else
            acb_div(v, m + ct_hidden_column(h, e), m + h->n - 1, bits);
        e[k] = 0;
        out[2 * k] = arf_get_d(arb_midref(acb_realref(v)), ARF_RND_NEAR);
        out[2 * k + 1] = arf_get_d(arb_midref(acb_imagref(v)), ARF_RND_NEAR);
        finite = finite && isfinite(out[2 * k]) && isfinite(out[2 * k + 1]);
    }
    _acb_vec_clear(m, h->n);
    acb_clear(x), acb_clear(v);
    return finite;
}

static slong read_off(const ct_hidden *h, const pencil *p, const double *alpha_re,
                      const double *alpha_im, const double *beta, const double *vectors,
                      double *values) {
    slong count = 0;
    double *conjugate = ct_alloc((size_t)p->size, sizeof *conjugate);
    for (slong k = 0; k < p->size; k++) {
        bool pair = alpha_im[k] != 0; // LAPACK: a pair is k, k + 1 with re, im of the vector
        const double *re = vectors + k * p->size, *im = pair ? re + p->size : NULL;
        for (int sign = 1; sign >= (pair ? -1 : 1); sign -= 2) {
            double x[2] = {alpha_re[k] / beta[k], sign * alpha_im[k] / beta[k]};
            if (!isfinite(x[0]) || !isfinite(x[1]) || hypot(x[0], x[1]) > 1e14) continue;
            for (slong i = 0; pair && i < p->size; i++) conjugate[i] = sign * im[i];
            if (unknowns(h, p, x, re, pair ? conjugate : NULL, values + count * 2 * h->n_unknowns))
                count++;
        }
        if (pair) k++;
    }
    ct_free(conjugate);
    return count;
}

slong ct_hidden_eigen(const ct_hidden *h, double **values) {
    *values = NULL;
    if (h->n_core == 0 || !ct_hidden_has_unknowns(h)) return -1;
    pencil p = pencil_of(h);
    size_t n = (size_t)p.size;
    double *alpha = ct_alloc(3 * n, sizeof *alpha), *vectors = ct_alloc(n * n, sizeof *vectors);
    const int size = (int)p.size;
    slong count = -1;
    // work space first, so that LAPACK allocates nothing
    double room;
    ct_lapack_dggev(size, p.a, p.b, alpha, alpha + n, alpha + 2 * n, vectors, &room, -1);
    double *work = ct_scratch((size_t)room, sizeof *work);
    if (ct_lapack_dggev(size, p.a, p.b, alpha, alpha + n, alpha + 2 * n, vectors, work,
                        (int)room) == 0) {
        *values = ct_alloc(n * 2 * (size_t)h->n_unknowns, sizeof **values);
        count = read_off(h, &p, alpha, alpha + n, alpha + 2 * n, vectors, *values);
    }
    ct_free(alpha), ct_free(vectors);
    pencil_free(&p);
    return count;
}
