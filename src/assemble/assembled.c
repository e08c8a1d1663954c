// The initial state in the coordinates of any formulation: coordinates that the assembly has, too,
// are copied, the others follow by back-substitution; then a descent on the formulation's own
// equations removes the rounding.
#include "assemble/inside.h"
#include "formulate/natural/natural.h"
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Coordinate k of f and its rate in terms of the assembly's coordinates; g is seen in f's pool.
void ct_assembling_express(const ct_formulation *g, const ct_formulation *f, int k,
                           ct_derivation *time, ct_ex *value, ct_ex *rate) {
    int c = f->coordinate[k];
    if (c >= 0 && g->where[c] >= 0) {
        *value = g->q[g->where[c]];
        *rate = g->qd[g->where[c]];
        return;
    }
    for (int i = 0; i < g->n_secondary; i++)
        if (c >= 0 && g->secondary[i].coordinate == c) *value = g->secondary[i].value;
    const ct_swing *swing = ct_formulation_swing(f, k);
    if (swing) {
        *value = ct_swing_value(g->layout, swing);
    } else if (c < 0 && f->natural) {
        *value = ct_natural_value(g->layout, f, k);
    } else if (c < 0) {
        ct_ex found[6];
        ct_formulation_edge(g, ct_graph_edge(g->graph, CT_EDGE_BODY, f->body[k]), found);
        *value = found[f->part[k]];
    }
    *rate = ct_derive(time, *value);
}

// q0 and qd0 from the assembled coordinates.
static void transfer(const ct_assembly *from, ct_numbers *numbers, ct_assembled *at) {
    const ct_formulation *f = at->f;
    ct_region region = {0};
    ct_region_open(&region);
    ct_formulation *g = ct_formulation_view(from->g, f->model);
    ct_derivation *time = ct_derivation_new(f->pool);
    for (int k = 0; k < g->n; k++) ct_derivation_map(time, g->q[k], g->qd[k]);
    ct_ex *value = ct_scratch((size_t)f->n + 1, sizeof *value),
          *rate = ct_scratch((size_t)f->n + 1, sizeof *rate);
    for (int k = 0; k < f->n; k++) ct_assembling_express(g, f, k, time, value + k, rate + k);
    ct_numbers_set(numbers, g->n, g->q, from->q);
    ct_numbers_set(numbers, g->n, g->qd, from->qd);
    ct_numbers_eval(numbers, f->n, value, at->q0);
    ct_numbers_eval(numbers, f->n, rate, at->qd0);
    ct_region_close(&region);
    ct_region_free(&region);
}

// Takes the rounding out of q0 and qd0: a descent to Phi = 0 of formulation f, the coordinates
// under `initial` held, then the smallest correction of all rates.
static void sharpen(ct_numbers *numbers, ct_assembled *at) {
    const ct_formulation *f = at->f;
    int n = f->n, m = f->m;
    // positions: shortest steps to Phi = 0, coordinates under `initial` held
    bool *fixed = ct_scratch((size_t)n + 1, sizeof *fixed);
    for (int i = 0; i < f->model->n_initial; i++)
        if (f->where[f->model->initial[i].coordinate] >= 0)
            fixed[f->where[f->model->initial[i].coordinate]] = true;
    ct_assembling_descend(f, numbers, fixed, NULL, ct_typical_length(f->model), at->q0);
    // velocities: the smallest correction with  Phi_q q' = -Phi_t,  all in units
    double *phi = ct_scratch((size_t)m + 1, sizeof *phi),
           *full = ct_scratch((size_t)m * (size_t)n + 1, sizeof *full);
    double *rhs = ct_scratch((size_t)m + 1, sizeof *rhs),
           *dx = ct_scratch((size_t)n + 1, sizeof *dx);
    // right-hand side  -Phi_t - Phi_q q'
    ct_assembling_evaluate(f, numbers, at->q0, phi, full);
    at->residual = ct_largest(m, phi);
    ct_numbers_eval(numbers, m, f->phi_t, rhs);
    for (int i = 0; i < m; i++) {
        rhs[i] /= -f->row_unit[i];
        for (int k = 0; k < n; k++) {
            rhs[i] -= full[i * n + k] * at->qd0[k] / f->row_unit[i];
            full[i * n + k] *= ct_coordinate_unit(f, k) / f->row_unit[i];
        }
    }
    ct_least_squares(m, n, full, rhs, CT_RATES_CUTOFF, dx);
    // rates under `initial` change only if the correction is more than rounding
    for (int k = 0; k < n; k++) {
        double unit = ct_coordinate_unit(f, k);
        if (!fixed[k] || fabs(dx[k]) > CT_RATES_HELD * fmax(1, fabs(at->qd0[k]) / unit))
            at->qd0[k] += dx[k] * unit;
    }
}

ct_assembled *ct_assembled_new(ct_context *ctx, const ct_assembly *assembly,
                               const ct_formulation *f) {
    ct_assembled *a = ct_alloc(1, sizeof *a);
    ct_numbers x;
    a->f = f;
    a->assembly = assembly;
    a->q0 = ct_alloc((size_t)ct_position_numbers(f) + 1, sizeof *a->q0);
    a->qd0 = ct_alloc((size_t)ct_position_numbers(f) + 1, sizeof *a->qd0);
    ct_model_numbers(f->model, &x);
    transfer(assembly, &x, a);
    sharpen(&x, a);
    ct_numbers_clear(&x);
    ct_assembled_find_rows(ctx, a);
    return a;
}

static void *copied(const void *from, int n, size_t size) {
    void *to = ct_alloc((size_t)n + 1, size);
    if (n) memcpy(to, from, (size_t)n * size);
    return to;
}

static ct_assembled *view_of(const ct_assembled *at, const ct_formulation *view) {
    ct_assembled *b = ct_alloc(1, sizeof *b);
    *b = *at;
    b->f = view;
    b->q0 = copied(at->q0, ct_position_numbers(at->f), sizeof *b->q0);
    b->qd0 = copied(at->qd0, ct_position_numbers(at->f), sizeof *b->qd0);
    b->rows = copied(at->rows, at->m, sizeof *b->rows);
    b->dropped = copied(at->dropped, at->n_dropped, sizeof *b->dropped);
    b->redundant = copied(at->redundant, at->n_redundant, sizeof *b->redundant);
    return b;
}

ct_assembled *ct_assembled_whole(const ct_assembled *at, const ct_formulation *f) {
    ct_assembled *b = view_of(at, f);
    b->q0 = ct_alloc((size_t)ct_position_numbers(f) + 1, sizeof *b->q0);
    b->qd0 = ct_alloc((size_t)ct_position_numbers(f) + 1, sizeof *b->qd0);
    ct_position_from_angles(f, at->q0, at->qd0, b->q0, b->qd0);
    return b;
}

ct_fork *ct_fork_of(const ct_assembled *at) {
    ct_fork *fork = ct_region_new(sizeof *fork);
    fork->model = ct_model_fork(at->f->model);
    fork->f = ct_formulation_view(at->f, fork->model);
    fork->at = view_of(at, fork->f);
    ct_region_close(&fork->region);
    return fork;
}

void ct_fork_free(ct_fork *fork) {
    if (fork) ct_region_free(&fork->region);
}
