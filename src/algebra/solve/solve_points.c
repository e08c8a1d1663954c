// Back-substitution. From the representation: x_k = v_k(t) / (D r'(t)) in balls about each
// certified root t, sharpened until every unknown has its digits: the balls hold the solutions,
// real where t is. A simple real one is proved in the equations too, which rests on no prime. From
// eigenvalues of the matrix: all unknowns in doubles; Newton and Krawczyk follow.
#include "algebra/solve/roots_inside.h"
#include "algebra/solve/solve_inside.h"

#include <math.h>
#include <stdlib.h>

#define DIGITS     64  // bits of every unknown
#define FIRST_BITS 192 // of a root, from which its unknowns are tried

void ct_points_clear(ct_points *list) {
    for (int i = 0; i < list->n; i++) _acb_vec_clear(list->point[i].x, list->n_unknowns);
    ct_free(list->point);
    *list = (ct_points){.n_unknowns = list->n_unknowns};
}

// The simple root of f in z to more bits, by the interval Newton step m - f(m) / f'(z).
static bool sharpen(acb_t z, const fmpz_poly_t f, const fmpz_poly_t slope, slong bits) {
    acb_t m, v, d;
    acb_init(m), acb_init(v), acb_init(d);
    slong work = bits + 64;
    for (int k = 0; k < 200 && acb_rel_accuracy_bits(z) < bits; k++) {
        slong before = acb_rel_accuracy_bits(z);
        acb_get_mid(m, z);
        arb_fmpz_poly_evaluate_acb(v, f, m, work);
        arb_fmpz_poly_evaluate_acb(d, slope, z, work);
        acb_div(v, v, d, work);
        acb_sub(v, m, v, work);
        if (acb_is_finite(v) && acb_overlaps(v, z)) {
            arb_intersection(acb_realref(z), acb_realref(z), acb_realref(v), work);
            arb_intersection(acb_imagref(z), acb_imagref(z), acb_imagref(v), work);
        }
        if (acb_is_zero(m) && acb_is_zero(v)) break; // the root 0, exactly
        if (acb_rel_accuracy_bits(z) <= before + 1) work *= 2;
        if (work > 10000000) break;
    }
    bool good = acb_rel_accuracy_bits(z) >= bits || acb_is_zero(z);
    acb_clear(m), acb_clear(v), acb_clear(d);
    return good;
}

static bool sharp_enough(acb_srcptr x, slong n) {
    mag_t top, rad, m;
    mag_init(top), mag_init(rad), mag_init(m);
    bool good = true;
    for (slong k = 0; k < n && good; k++) {
        good = acb_is_finite(x + k);
        acb_get_mag(m, x + k);
        if (mag_cmp(m, top) > 0) mag_set(top, m);
    }
    mag_mul_2exp_si(top, top, -DIGITS - 40); // what is that much smaller than the rest may be zero
    for (slong k = 0; k < n && good; k++) {
        mag_hypot(rad, arb_radref(acb_realref(x + k)), arb_radref(acb_imagref(x + k)));
        good =
            acb_rel_accuracy_bits(x + k) >= DIGITS || mag_cmp(rad, top) <= 0 || acb_is_zero(x + k);
    }
    mag_clear(top), mag_clear(rad), mag_clear(m);
    return good;
}

static bool point_at(acb_ptr x, const ct_rur *rur, const fmpz_poly_t slope, acb_t t) {
    acb_t d;
    acb_init(d);
    bool good = false;
    for (slong bits = FIRST_BITS; !good && bits < 1 << 20; bits *= 2) {
        if (!sharpen(t, rur->radical, slope, bits)) break;
        arb_fmpz_poly_evaluate_acb(d, slope, t, bits);
        acb_mul_fmpz(d, d, rur->denominator, bits);
        for (int k = 0; k < rur->n; k++) {
            arb_fmpz_poly_evaluate_acb(x + k, rur->values + k, t, bits);
            acb_div(x + k, x + k, d, bits);
        }
        good = sharp_enough(x, rur->n);
    }
    acb_clear(d);
    return good;
}

// Krawczyk's test in the equations, next to the balls of a simple real solution.
static bool proved(const ct_solving *job, const ct_enclosed_point *p) {
    int n = job->ring->n;
    acb_ptr x = _acb_vec_init(n);
    bool good = false;
    for (slong bits = 2 * DIGITS; !good && bits <= 16 * DIGITS; bits *= 2) {
        _acb_vec_set(x, p->x, n);
        good = ct_system_refine(job->ring, &job->equations, x, true, bits);
        for (int k = 0; k < n && good; k++) good = acb_overlaps(x + k, p->x + k);
    }
    _acb_vec_clear(x, n);
    return good;
}

ct_status ct_points_from_rur(ct_solving *job, const ct_rur *rur) {
    ct_roots roots;
    ct_status s = ct_roots_isolate(job->ctx, &roots, rur->eliminant, DIGITS);
    acb_t t;
    fmpz_poly_t slope;
    acb_init(t), fmpz_poly_init(slope);
    fmpz_poly_derivative(slope, rur->radical);
    for (int i = 0; i < roots.n && !s; i++) {
        s = ct_limits_check(job->ctx, &job->limits, "list of solutions");
        if (s) break;
        ct_enclosed_point *p = ct_points_add(&job->points);
        p->real = i < roots.n_real;
        p->certified = true;
        p->multiplicity = roots.root[i].multiplicity;
        acb_set(t, roots.root[i].at);
        if (!point_at(p->x, rur, slope, t))
            s = ct_fail(job->ctx, CT_NUMERICS, "a solution cannot be told to double precision");
        if (!s && p->real && p->multiplicity == 1) p->certified = proved(job, p);
    }
    acb_clear(t), fmpz_poly_clear(slope);
    ct_roots_clear(&roots);
    return s;
}

// eigenvalues -------------------------------------------------------------------------------------
static bool known(const ct_points *points, acb_srcptr x) {
    for (int i = 0; i < points->n - 1; i++) {
        bool same = true;
        for (int k = 0; k < points->n_unknowns && same; k++)
            same = acb_overlaps(points->point[i].x + k, x + k);
        if (same) return true;
    }
    return false;
}

static void eigen_point(ct_solving *job, const double *v) {
    int n = job->points.n_unknowns;
    double size = 0, imaginary = 0;
    for (int k = 0; k < n; k++) {
        size = fmax(size, fabs(v[2 * k]));
        imaginary = fmax(imaginary, fabs(v[2 * k + 1]));
    }
    ct_enclosed_point *p = ct_points_add(&job->points);
    for (int real = imaginary < 1e-6 * size; real >= 0 && !p->certified; real--) {
        for (int k = 0; k < n; k++) acb_set_d_d(p->x + k, v[2 * k], v[2 * k + 1]);
        p->certified = ct_system_refine(job->ring, &job->equations, p->x, real, 192);
        p->real = real;
    }
    if (p->certified && !known(&job->points, p->x)) return;
    _acb_vec_clear(p->x, n);
    job->points.n--;
}

bool ct_points_from_eigen(ct_solving *job) {
    double *values;
    slong count = ct_hidden_eigen(&job->hidden, &values);
    for (slong i = 0; i < count; i++) {
        if (!ct_limits_ok(&job->limits)) break;
        eigen_point(job, values + i * 2 * job->points.n_unknowns);
    }
    ct_free(values);
    if (job->points.n == job->zeros.distinct) return true;
    ct_points_clear(&job->points);
    return false;
}
