// Stability of a position of rest, by the linear motion about it,
//   M x'' + C x' + K x = 0.
// With a potential and without negative damping the stiffness K alone decides; else the eigenvalues.
// Frequencies are those of  K x = w^2 M x;  massless directions have none.
#include "analyses/rest.h"
#include "analyses/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *symmetric_part(int r, const double *a, double *skew) {
    double *sym = ct_scratch((size_t)r * (size_t)r + 1, sizeof *sym);
    *skew = 0;
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++) {
            sym[i * r + k] = (a[i * r + k] + a[k * r + i]) / 2;
            *skew = fmax(*skew, fabs(a[i * r + k] - a[k * r + i]));
        }
    return sym;
}

static double *square_matrix(int r) {
    return ct_scratch((size_t)r * (size_t)r + 1, sizeof(double));
}

// Directions in which all of K does nothing: of a matrix that is not symmetric those of K^T K.
static void find_neutral(const ct_rest_place *place, const double *unit, double least,
                         const double *vector, ct_rest_stability *st) {
    const int r = place->r;
    for (int i = 0; i < r; i++) {
        double size = 0, length = 0;
        for (int a = 0; a < r; a++) {
            double x = 0;
            for (int k = 0; k < r; k++) {
                x += place->stiffness[a * r + k] * vector[k * r + i];
                length += vector[a * r + i] * unit[a * r + k] * vector[k * r + i];
            }
            size = hypot(size, x);
        }
        if (size > least * sqrt(length)) continue;
        for (int k = 0; k < r; k++) st->neutral[st->n_neutral * r + k] = vector[k * r + i];
        st->n_neutral++;
    }
    st->is_neutral = st->n_neutral > 0;
}

// Stiffnesses in units, with the directions that have none.
static void find_stiffness(const ct_rest *rest, const ct_rest_place *place, double load,
                           ct_rest_stability *st) {
    const int r = place->r, n = rest->n;
    double skew, *sym = symmetric_part(r, place->stiffness, &skew), *unit = square_matrix(r),
                 *vector = square_matrix(r), *value = ct_scratch((size_t)r + 1, sizeof *value);
    for (int i = 0; i < r * r; i++)
        for (int k = 0; k < n; k++) unit[i] += place->b[k * r + i / r] * place->b[k * r + i % r];
    ct_eigen_symmetric(r, sym, unit, value, vector);
    double most = fmax(ct_largest(r, value), skew),
           least = fmax(CT_REST_NEUTRAL * most, CT_REST_NO_LOAD * load);
    st->is_stable = !r || value[0] >= -least;
    // without a potential: K^T K
    if (skew > CT_REST_SYMMETRIC * most) {
        memset(sym, 0, (size_t)r * (size_t)r * sizeof *sym);
        for (int i = 0; i < r * r; i++)
            for (int k = 0; k < r; k++)
                sym[i] += place->stiffness[k * r + i / r] * place->stiffness[k * r + i % r];
        ct_eigen_symmetric(r, sym, unit, value, vector);
    }
    find_neutral(place, unit, least, vector, st);
}

// True if an eigenvalue of the linear motion has a positive real part.
static bool grows(const ct_rest_place *place, const double *damping) {
    const int r = place->r, n = 2 * r;
    double *a = ct_scratch((size_t)n * (size_t)n + 1, sizeof *a),
           *b = ct_scratch((size_t)n * (size_t)n + 1, sizeof *b),
           *re = ct_scratch((size_t)n + 1, sizeof *re), *im = ct_scratch((size_t)n + 1, sizeof *im);
    // [0 1; -K -C] x = s [1 0; 0 M] x
    for (int i = 0; i < r; i++) {
        a[i * n + r + i] = b[i * n + i] = 1;
        for (int k = 0; k < r; k++) {
            a[(r + i) * n + k] = -place->stiffness[i * r + k];
            a[(r + i) * n + r + k] = -damping[i * r + k];
            b[(r + i) * n + r + k] = place->mass[i * r + k];
        }
    }
    int count = ct_eigen_pencil(n, a, b, re, im);
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, hypot(re[i], im[i]));
    for (int i = 0; i < count; i++)
        if (re[i] > CT_REST_GROWS * most) return true;
    return false;
}

// True if K has a negative eigenvalue: then a position is left without oscillation.
static bool has_negative(const ct_rest_place *place) {
    const int r = place->r;
    double *re = ct_scratch((size_t)r + 1, sizeof *re), *im = ct_scratch((size_t)r + 1, sizeof *im);
    int n = ct_eigen_pencil(r, place->stiffness, place->metric, re, im);
    double most = ct_largest(n > 0 ? n : 0, re);
    for (int i = 0; i < n; i++)
        if (im[i] == 0 && re[i] < -CT_REST_NEUTRAL * most) return true;
    return false;
}

// True if the damping takes energy in every direction, or none at all.
static bool takes_energy(int r, const double *damping) {
    double skew, *sym = symmetric_part(r, damping, &skew),
                 *value = ct_scratch((size_t)r + 1, sizeof *value),
                 *vector = ct_scratch((size_t)r * (size_t)r + 1, sizeof *vector);
    if (!r || !ct_eigen_symmetric(r, sym, NULL, value, vector)) return !r;
    return value[0] >= -CT_REST_SYMMETRIC * ct_largest(r, value);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_sizes(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

// w^2 of  K x = w^2 M x,  ascending. Returns how many.
static int squares(const ct_rest_place *place, double *square) {
    const int r = place->r;
    double skew, *sym = symmetric_part(r, place->stiffness, &skew), *vector = square_matrix(r),
                 *im = ct_scratch((size_t)r + 1, sizeof *im);
    bool symmetric = skew <= CT_REST_SYMMETRIC * ct_largest(r * r, place->stiffness);
    if (symmetric && ct_eigen_symmetric(r, sym, place->mass, square, vector)) return r;
    // massless directions, or no potential: a pair of complex squares is flutter, no frequency
    int n = ct_eigen_pencil(r, place->stiffness, place->mass, square, im);
    double most = ct_largest(n > 0 ? n : 0, square);
    for (int i = 0; i < n; i++)
        if (fabs(im[i]) > CT_REST_SYMMETRIC * most) square[i] = -INFINITY;
    return n > 0 ? n : 0;
}

// Frequencies; as many of the smallest as there are neutral directions are zero.
static void find_frequencies(const ct_rest_place *place, ct_rest_stability *st) {
    double *square = st->frequencies;
    st->n_frequencies = squares(place, square);
    qsort(square, (size_t)st->n_frequencies, sizeof *square, compare_sizes);
    for (int i = 0; i < st->n_neutral && i < st->n_frequencies; i++) square[i] = 0;
    qsort(square, (size_t)st->n_frequencies, sizeof *square, compare);
    for (int i = 0; i < st->n_frequencies; i++)
        square[i] = square[i] < 0 ? NAN : sqrt(square[i]) / (2 * M_PI);
}

void ct_rest_judge(ct_rest *rest, const ct_rest_place *place, double load, ct_rest_stability *st) {
    const size_t r = (size_t)place->r;
    double *damping = ct_scratch(r * r + 1, sizeof *damping), skew;
    *st = (ct_rest_stability){.frequencies = ct_scratch(r + 1, sizeof(double)),
                              .neutral = ct_scratch(r * r + 1, sizeof(double))};
    find_stiffness(rest, place, load, st);
    // what the stiffness does not decide
    st->diverges = !st->is_stable;
    ct_rest_damping(rest, place, damping);
    symmetric_part(place->r, place->stiffness, &skew);
    bool symmetric = skew <= CT_REST_SYMMETRIC * ct_largest(place->r * place->r, place->stiffness);
    if (!symmetric || !takes_energy(place->r, damping)) {
        st->is_stable = !grows(place, damping);
        st->diverges = !st->is_stable && has_negative(place);
    }
    find_frequencies(place, st);
}
