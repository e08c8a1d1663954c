// Descent to a position where the loops are closed: damped Gauss-Newton steps  Phi_q dq = -Phi,  the
// shortest ones or those that bring the bodies nearest to their start (nearness.c).
#include "assemble/inside.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rows of Phi_q that are rounding become zero, so that no step and no rate is solved from them: in a
// tilted plane the rows across it are numbers like 1e-17 where they should vanish.
static void drop_rounding(const ct_formulation *f, double *phi_q) {
    for (int i = 0; i < f->m; i++) {
        double *row = phi_q + (size_t)i * (size_t)f->n, largest = 0;
        for (int k = 0; k < f->n; k++)
            largest = fmax(largest, fabs(row[k]) * ct_coordinate_unit(f, k) / f->row_unit[i]);
        if (largest < CT_ROWS_FLOOR) memset(row, 0, (size_t)f->n * sizeof *row);
    }
}

void ct_assembling_evaluate(const ct_formulation *f, ct_numbers *numbers, const double *q,
                            double *phi, double *phi_q) {
    ct_position_set(f, numbers, q);
    ct_numbers_eval(numbers, f->m, f->phi, phi);
    if (!phi_q) return;
    ct_numbers_eval_rounded(numbers, f->m * f->n, f->phi_q, phi_q);
    drop_rounding(f, phi_q);
}

// Workspace of a descent.
typedef struct descent {
    const ct_formulation *f;
    ct_numbers *x;
    ct_nearness *near;
    double scale;
    int rows;                     // of the nearness
    double *phi, *full, *a, *rhs; // Phi, Phi_q, columns of the free coordinates, -Phi
    double *gap, *near_full, *j;  // nearness and its derivatives
    double *step, *next;
    int *which, n_free;
} descent;

static void descent_init(descent *d, const bool *fixed) {
    size_t n = (size_t)d->f->n + 1, m = (size_t)d->f->m + 1;
    d->rows = d->near ? ct_nearness_rows(d->near) : 0;
    size_t rows = (size_t)d->rows + 1;
    d->phi = ct_alloc(m, sizeof(double));
    d->full = ct_alloc(m * n, sizeof(double));
    d->a = ct_alloc(m * n, sizeof(double));
    d->rhs = ct_alloc(m, sizeof(double));
    d->gap = ct_alloc(rows, sizeof(double));
    d->near_full = ct_alloc(rows * n, sizeof(double));
    d->j = ct_alloc(rows * n, sizeof(double));
    d->step = ct_alloc(n, sizeof(double));
    d->next = ct_alloc((size_t)ct_position_numbers(d->f) + 1, sizeof(double));
    d->which = ct_alloc(n, sizeof(int));
    for (int k = 0; k < d->f->n; k++)
        if (!fixed || !fixed[k]) d->which[d->n_free++] = k;
}

static void descent_clear(descent *d) {
    ct_free(d->phi);
    ct_free(d->full);
    ct_free(d->a);
    ct_free(d->rhs);
    ct_free(d->gap);
    ct_free(d->near_full);
    ct_free(d->j);
    ct_free(d->step);
    ct_free(d->next);
    ct_free(d->which);
}

// Phi and (where asked for) Phi_q at q, rows in their units. Returns the largest |Phi|.
static double descent_evaluate(descent *d, const double *q, bool derivatives) {
    const ct_formulation *f = d->f;
    ct_assembling_evaluate(f, d->x, q, d->phi, derivatives ? d->full : NULL);
    for (int i = 0; i < f->m; i++) {
        d->phi[i] /= f->row_unit[i];
        for (int k = 0; k < f->n && derivatives; k++) d->full[i * f->n + k] /= f->row_unit[i];
    }
    return ct_largest(f->m, d->phi);
}

// Columns of the free coordinates, slides in scales: steps in them are pure numbers.
static void scaled_columns(const descent *d, int rows, const double *full, double *columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < d->n_free; j++) {
            int k = d->which[j];
            columns[i * d->n_free + j] = full[i * d->f->n + k] * (d->f->is_angle[k] ? 1 : d->scale);
        }
}

// The step at q:  Phi_q dq = -Phi, and the bodies as near to their start as that allows, or else
// the shortest. Returns its largest component, in radians or scales.
static double descent_step(descent *d, const double *q) {
    const ct_formulation *f = d->f;
    scaled_columns(d, f->m, d->full, d->a);
    for (int i = 0; i < f->m; i++) d->rhs[i] = -d->phi[i];
    if (d->near) {
        ct_nearness_gaps(d->near, q, d->gap);
        ct_nearness_jacobian(d->near, q, d->near_full);
        scaled_columns(d, d->rows, d->near_full, d->j);
    }
    if (!d->near)
        ct_least_squares(f->m, d->n_free, d->a, d->rhs, CT_DESCENT_CUTOFF, d->step);
    else
        ct_constrained_least_squares(f->m, d->n_free, d->a, d->rhs, CT_DESCENT_CUTOFF, d->rows,
                                     d->j, d->gap, d->step);
    return ct_largest(d->n_free, d->step);
}

double ct_assembling_descend(const ct_formulation *f, ct_numbers *numbers, const bool *fixed,
                             ct_nearness *near, double scale, double *q) {
    descent d = {.f = f, .x = numbers, .near = near, .scale = scale};
    descent_init(&d, fixed);
    // Phi and Phi_q at the start
    double size = descent_evaluate(&d, q, true), last = INFINITY;
    for (int it = 0; it < CT_DESCENT_ITERATIONS && (f->m || near); it++) {
        // linear step, no farther than it is trusted
        double longest = descent_step(&d, q), share = 1;
        if (longest > CT_DESCENT_STRIDE) share = CT_DESCENT_STRIDE / longest;
        // halve the step until |Phi| falls by a share of what it promises, or is rounding already
        double better = INFINITY;
        for (int cut = 0; cut < CT_DESCENT_CUTS; cut++, share /= 2) {
            memcpy(d.next, q, (size_t)ct_position_numbers(f) * sizeof *q);
            for (int j = 0; j < d.n_free; j++)
                d.next[d.which[j]] += share * d.step[j] * (f->is_angle[d.which[j]] ? 1 : scale);
            better = descent_evaluate(&d, d.next, false);
            double moved = share * longest; // gaps of second order: the next step closes them
            if (better < (1 - CT_DESCENT_GAIN * share) * size || (near && better < moved * moved) ||
                (better < CT_DESCENT_NEAR && longest < CT_DESCENT_NEAR_STEP))
                break;
        }
        // closed, and nothing left to gain; the nearest place is there where steps stop to shrink
        bool rests = near ? longest > CT_DESCENT_SLOW * last : !(better < size);
        if (rests && size < CT_DESCENT_CLOSED && longest < CT_DESCENT_REST) break;
        if (!isfinite(better)) break;
        last = longest;
        // the step is taken; Phi and Phi_q there
        memcpy(q, d.next, (size_t)f->n * sizeof *q);
        size = descent_evaluate(&d, q, true);
        if (longest < CT_DESCENT_STILL || (size == 0 && !near)) break;
    }
    descent_clear(&d);
    return size;
}

double ct_project(const ct_formulation *f, ct_numbers *numbers, const bool *fixed, double *q) {
    return ct_assembling_descend(f, numbers, fixed, NULL, ct_typical_length(f->model), q);
}
