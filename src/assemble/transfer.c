// From the coordinates of the assembly to those of the run.
#include "assemble/assemble.h"

#include <math.h>
#include <stdlib.h>

// Coordinates of f from the assembled g: shared ones as they are, the others by back-substitution
// in g.
void ct_assembly_transfer(ct_assembly *s, const ct_formulation *f, double *q, double *qd) {
    const ct_formulation *g = s->g;
    ct_derivation *time = ct_derivation_new(g->pool);
    for (int k = 0; k < g->n; k++) ct_derivation_map(time, g->q[k], g->qd[k]);
    ct_ex *value = ct_alloc((size_t)f->n + 1, sizeof *value),
          *rate = ct_alloc((size_t)f->n + 1, sizeof *rate);
    for (int k = 0; k < f->n; k++) {
        int c = f->coordinate[k];
        if (c >= 0 && g->where[c] >= 0) {
            value[k] = g->q[g->where[c]];
            rate[k] = g->qd[g->where[c]];
            continue;
        }
        for (int i = 0; i < g->n_secondary; i++)
            if (c >= 0 && g->secondary[i].coordinate == c) value[k] = g->secondary[i].value;
        if (c < 0) {
            ct_ex found[6];
            ct_formulation_edge(g, ct_graph_edge(g->graph, CT_EDGE_BODY, f->body[k]), found);
            value[k] = found[f->part[k]];
        }
        rate[k] = ct_derive(time, value[k]);
    }
    ct_numbers_set(&s->x, g->n, g->q, s->q);
    ct_numbers_set(&s->x, g->n, g->qd, s->qd);
    ct_numbers_eval(&s->x, f->n, value, q);
    ct_numbers_eval(&s->x, f->n, rate, qd);
    free(value);
    free(rate);
    ct_derivation_free(time);
}

// Every joint coordinate of the model at the assembled position.
void ct_assembly_joints(ct_assembly *s, double *joint) {
    const ct_formulation *g = s->g;
    ct_numbers_set(&s->x, g->n, g->q, s->q);
    for (int i = 0; i < g->model->n_coordinates; i++)
        if (g->where[i] >= 0) joint[i] = s->q[g->where[i]];
    for (int i = 0; i < g->n_secondary; i++)
        ct_numbers_eval(&s->x, 1, &g->secondary[i].value, &joint[g->secondary[i].coordinate]);
}

// Sharpens the transferred state on f's own equations, `initial` held.
void ct_assembly_sharpen(ct_assembly *s, const ct_formulation *f, double *q, double *qd,
                         double *residual) {
    int n = f->n, m = f->m;
    bool *fixed = ct_alloc((size_t)n + 1, sizeof *fixed);
    for (int i = 0; i < f->model->n_initial; i++)
        if (f->where[f->model->initial[i].coordinate] >= 0)
            fixed[f->where[f->model->initial[i].coordinate]] = true;
    *residual = ct_assembly_descend(f, &s->x, fixed, NULL, s->scale, q);
    // velocities: smallest correction
    double *phi = ct_alloc((size_t)m + 1, sizeof *phi),
           *full = ct_alloc((size_t)m * (size_t)n + 1, sizeof *full);
    double *rhs = ct_alloc((size_t)m + 1, sizeof *rhs), *dx = ct_alloc((size_t)n + 1, sizeof *dx);
    ct_assembly_evaluate(f, &s->x, q, phi, full);
    ct_numbers_eval(&s->x, m, f->phi_t, rhs);
    for (int i = 0; i < m; i++) {
        rhs[i] = -rhs[i];
        for (int k = 0; k < n; k++) rhs[i] -= full[i * n + k] * qd[k];
    }
    ct_least_squares(m, n, full, rhs, 1e-10, dx);
    for (int k = 0; k < n; k++)
        if (!fixed[k] || fabs(dx[k]) > 1e-12 * fmax(1, fabs(qd[k]))) qd[k] += dx[k];
    free(phi);
    free(full);
    free(rhs);
    free(dx);
    free(fixed);
}
