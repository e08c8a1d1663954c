// Numbers of a mechanism at rest in a position: tangents of the joints by elimination with full
// pivoting, which finds redundant rows too; forces, stiffness and inertia along them.
#include "analyses/rest.h"
#include "analyses/tolerances.h"

#include <math.h>
#include <string.h>

void ct_rest_place_init(const ct_rest *rest, ct_rest_place *place) {
    size_t n = (size_t)rest->n, nn = n * n + 1;
    *place =
        (ct_rest_place){.q = ct_scratch((size_t)ct_position_numbers(rest->f) + 1, sizeof(double)),
                        .independent = ct_scratch(n + 1, sizeof(int)),
                        .b = ct_scratch(nn, sizeof(double)),
                        .force = ct_scratch(n + 1, sizeof(double)),
                        .lambda = ct_scratch((size_t)rest->m + 1, sizeof(double)),
                        .g = ct_scratch(n + 1, sizeof(double)),
                        .stiffness = ct_scratch(nn, sizeof(double)),
                        .mass = ct_scratch(nn, sizeof(double)),
                        .metric = ct_scratch(nn, sizeof(double))};
}

// Rows that bind and the columns that they are solved for, both [rank].
typedef struct elimination {
    int rank, *row, *column;
    double *a; // [m n] after the elimination: the identity in those rows and columns
} elimination;

// The largest entry among rows and columns that are left.
static double largest_left(const double *a, int m, int n, const bool *row_used,
                           const bool *column_used, int *row, int *column) {
    double most = 0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n && !row_used[i]; k++)
            if (!column_used[k] && fabs(a[i * n + k]) > most) {
                most = fabs(a[i * n + k]);
                *row = i;
                *column = k;
            }
    return most;
}

// Gauss-Jordan with full pivoting on rows of length one.
static elimination eliminate(int m, int n, const double *full) {
    elimination e = {.row = ct_scratch((size_t)m + 1, sizeof(int)),
                     .column = ct_scratch((size_t)n + 1, sizeof(int)),
                     .a = ct_scratch((size_t)m * (size_t)n + 1, sizeof(double))};
    bool *row_used = ct_scratch((size_t)m + 1, sizeof *row_used),
         *column_used = ct_scratch((size_t)n + 1, sizeof *column_used);
    for (int i = 0; i < m; i++) {
        double length = 0;
        for (int k = 0; k < n; k++) length = hypot(length, full[i * n + k]);
        for (int k = 0; k < n && length > 0; k++) e.a[i * n + k] = full[i * n + k] / length;
    }
    for (int i = 0, k = 0; e.rank < m && e.rank < n; e.rank++) {
        // the largest entry left is the pivot; where it is rounding the other rows are redundant
        if (!(largest_left(e.a, m, n, row_used, column_used, &i, &k) > CT_REST_PIVOT)) break;
        row_used[i] = column_used[k] = true;
        e.row[e.rank] = i;
        e.column[e.rank] = k;
        // its row, and its column out of all others
        double by = 1 / e.a[i * n + k];
        for (int j = 0; j < n; j++) e.a[i * n + j] *= by;
        for (int other = 0; other < m; other++) {
            double share = e.a[other * n + k];
            for (int j = 0; j < n && other != i && share != 0; j++)
                e.a[other * n + j] -= share * e.a[i * n + j];
        }
    }
    return e;
}

// B: the identity in the columns that are left, minus the eliminated rows in the others.
static void tangents(const elimination *e, int n, ct_rest_place *place) {
    bool *dependent = ct_scratch((size_t)n + 1, sizeof *dependent);
    for (int i = 0; i < e->rank; i++) dependent[e->column[i]] = true;
    place->r = 0;
    for (int k = 0; k < n; k++)
        if (!dependent[k]) place->independent[place->r++] = k;
    const int r = place->r;
    memset(place->b, 0, (size_t)n * (size_t)r * sizeof *place->b);
    for (int a = 0; a < r; a++) {
        place->b[place->independent[a] * r + a] = 1;
        for (int i = 0; i < e->rank; i++)
            place->b[e->column[i] * r + a] = -e->a[e->row[i] * n + place->independent[a]];
    }
}

// Phi_d^T lambda = F_d over the rows that bind; the other rows have none.
static void multipliers(const ct_rest *rest, const elimination *e, const double *full,
                        ct_rest_place *place) {
    const int rank = e->rank, n = rest->n;
    double *a = ct_scratch((size_t)rank * (size_t)rank + 1, sizeof *a),
           *rhs = ct_scratch((size_t)rank + 1, sizeof *rhs),
           *x = ct_scratch((size_t)rank + 1, sizeof *x);
    for (int i = 0; i < rank; i++) {
        rhs[i] = place->force[e->column[i]];
        for (int j = 0; j < rank; j++) a[i * rank + j] = full[e->row[j] * n + e->column[i]];
    }
    ct_least_squares(rank, rank, a, rhs, 0, x);
    memset(place->lambda, 0, (size_t)rest->m * sizeof *place->lambda);
    for (int i = 0; i < rank; i++) place->lambda[e->row[i]] = x[i];
}

// out = sign B^T A B with A in the coordinates' own units.
static void project(const ct_rest *rest, const ct_rest_place *place, const double *a, double sign,
                    double *out) {
    const int n = rest->n, r = place->r;
    ct_stage stage = ct_stage_begin();
    double *ab = ct_scratch((size_t)n * (size_t)r + 1, sizeof *ab);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = a[i * n + j] * rest->unit[i] * rest->unit[j];
            for (int c = 0; c < r && x != 0; c++) ab[i * r + c] += x * place->b[j * r + c];
        }
    memset(out, 0, (size_t)r * (size_t)r * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < r; c++) {
            double x = sign * place->b[i * r + c];
            for (int j = 0; j < r && x != 0; j++) out[c * r + j] += x * ab[i * r + j];
        }
    ct_stage_end(stage);
}

// Rates of rest for expressions that hold them.
static void set_still(ct_rest *rest) {
    const double zero = 0;
    for (int k = 0; k < rest->n; k++) ct_numbers_set(&rest->numbers, 1, rest->f->qd + k, &zero);
}

bool ct_rest_force(ct_rest *rest, const double *q, double *force) {
    ct_position_set(rest->f, &rest->numbers, q);
    set_still(rest);
    ct_numbers_eval_rounded(&rest->numbers, rest->n, rest->force, force);
    for (int k = 0; k < rest->n; k++) force[k] *= rest->unit[k];
    return isfinite(ct_largest(rest->n, force));
}

// The metric: inertia over its mean, and a share of the units, so that massless directions have one.
static void measure(const ct_rest *rest, ct_rest_place *place) {
    const int n = rest->n, r = place->r;
    double inertia = 0, squares = 0;
    for (int c = 0; c < r; c++)
        for (int j = 0; j < r; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += place->b[i * r + c] * place->b[i * r + j];
            place->metric[c * r + j] = sum;
            if (c == j) squares += sum;
        }
    for (int c = 0; c < r; c++) inertia += place->mass[c * r + c];
    if (!(inertia > 0)) return;
    for (int i = 0; i < r * r; i++)
        place->metric[i] = CT_REST_LOOSE * place->metric[i] + place->mass[i] * (squares / inertia);
}

bool ct_rest_place_find(ct_rest *rest, ct_rest_place *place) {
    const int n = rest->n;
    ct_stage stage = ct_stage_begin();
    double *full = ct_scratch((size_t)rest->m * (size_t)n + 1, sizeof *full),
           *a = ct_scratch((size_t)n * (size_t)n + 1, sizeof *a),
           *lambda = ct_scratch((size_t)rest->m + 1, sizeof *lambda);
    // tangents of the joints
    ct_rest_jacobian(rest, place->q, full);
    elimination e = eliminate(rest->m, n, full);
    tangents(&e, n, place);
    const int r = place->r;
    // forces along them, g = B^T F; multipliers of the rows
    bool good = ct_rest_force(rest, place->q, place->force);
    for (int c = 0; c < r; c++) {
        double terms = 0;
        place->g[c] = 0;
        for (int k = 0; k < n; k++) {
            place->g[c] += place->b[k * r + c] * place->force[k];
            terms += fabs(place->b[k * r + c] * place->force[k]);
        }
        if (fabs(place->g[c]) <= CT_REST_ROUNDING * terms) place->g[c] = 0;
    }
    if (good) multipliers(rest, &e, full, place);
    for (int i = 0; i < rest->m; i++) lambda[i] = place->lambda[i] / rest->row_unit[i];
    ct_numbers_set(&rest->numbers, rest->m, rest->lambda, lambda);
    if (!rest->slope) {
        ct_stage_end(stage);
        return good;
    }
    // stiffness and inertia
    ct_numbers_eval_rounded(&rest->numbers, n * n, rest->slope, a);
    project(rest, place, a, -1, place->stiffness);
    good = good && isfinite(ct_largest(r * r, place->stiffness));
    ct_numbers_eval(&rest->numbers, n * n, rest->f->mass, a);
    project(rest, place, a, 1, place->mass);
    good = good && isfinite(ct_largest(r * r, place->mass));
    if (good) measure(rest, place);
    ct_stage_end(stage);
    return good;
}

void ct_rest_damping(ct_rest *rest, const ct_rest_place *place, double *damping) {
    const int n = rest->n;
    ct_stage stage = ct_stage_begin();
    double *a = ct_scratch((size_t)n * (size_t)n + 1, sizeof *a);
    ct_position_set(rest->f, &rest->numbers, place->q);
    set_still(rest);
    ct_numbers_eval(&rest->numbers, n * n, rest->damping, a);
    // a resistance like |v| v has a slope at rest, but its expression is 0 / 0 there: next to rest
    if (!isfinite(ct_largest(n * n, a))) {
        for (int k = 0; k < n; k++) {
            double creeps = CT_REST_CREEPS * rest->unit[k];
            ct_numbers_set(&rest->numbers, 1, rest->f->qd + k, &creeps);
        }
        ct_numbers_eval(&rest->numbers, n * n, rest->damping, a);
    }
    project(rest, place, a, -1, damping);
    ct_stage_end(stage);
}
