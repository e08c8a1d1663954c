// The order of the rows of a small matrix in which elimination needs no exchange: pivots chosen in
// columns at the initial position, rows scaled to largest entry 1. Generated code checks
// the pivots in every position (ctk_small.h).
#include "emit/emit_inside.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>

void ct_emitter_start(const ct_emitter *e, ct_numbers *numbers) {
    ct_model_numbers(e->f->model, numbers);
    ct_position_set(e->f, numbers, e->in->q0);
    // what the closure has in angles
    for (int i = 0; i < e->f->n_integrated; i++)
        ct_numbers_set(numbers, 3, e->f->whole_rotations[i].angle,
                       e->in->q0 + ct_position_count(e->f) + 3 * i);
    ct_registers_at(&e->in->closure->registers, numbers, NULL);
}

// The matrix at the initial position.
static void entries(ct_emitter *e, int n, const ct_ex *matrix, double *a) {
    ct_numbers x;
    ct_emitter_start(e, &x);
    ct_numbers_eval(&x, n * n, matrix, a);
    ct_numbers_clear(&x);
}

static void scale(int n, double *a) {
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(a[i * n + j]));
        for (int j = 0; j < n && most > 0; j++) a[i * n + j] /= most;
    }
}

// Elimination in numbers with partial pivoting: order[k] is the pivot row of column k.
void ct_emit_row_order(ct_emitter *e, int n, const ct_ex *matrix, int *order) {
    double *a = ct_scratch((size_t)(n * n) + 1, sizeof *a);
    entries(e, n, matrix, a);
    scale(n, a);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(a[order[i] * n + k]) > fabs(a[order[best] * n + k])) best = i;
        int row = order[best];
        order[best] = order[k];
        order[k] = row;
        for (int i = k + 1; i < n; i++) {
            double *to = a + order[i] * n, f = to[k] / a[row * n + k];
            for (int j = k; j < n; j++) to[j] -= f * a[row * n + j];
        }
    }
}
