// Freedoms that a mechanism leaves open, by ranks at its assembled position: Phi = 0 with the rows
// that bind there and nearby has solutions of dimension n - rank around it, whatever the
// polynomials are. The coordinates named are those that the others follow from.
#include "assemble/tolerances.h"
#include "configurations/loops/loop_system.h"

#include <stdlib.h>

// Unknown coordinates, angles before slides: what is named is rather the stroke of a cylinder.
static int list_unknowns(const ct_formulation *f, int *list) {
    int n = 0;
    for (int slides = 0; slides < 2; slides++)
        for (int k = 0; k < f->n; k++) {
            ct_ex value;
            bool given = f->coordinate[k] >= 0 && ct_loop_given(f->model, f->coordinate[k], &value);
            if (!given && f->is_angle[k] == !slides) list[n++] = k;
        }
    return n;
}

// Derivatives of the rows that bind, one line for each unknown, in their units.
static double *derivatives(const ct_assembled *at, int n, const int *unknown) {
    const ct_formulation *f = at->f;
    size_t m = (size_t)at->m, all = (size_t)f->m * (size_t)f->n;
    double *j = ct_scratch(all + 1, sizeof *j), *out = ct_scratch((size_t)n * m + 1, sizeof *out);
    ct_numbers numbers;
    ct_model_numbers(f->model, &numbers);
    ct_numbers_set(&numbers, f->n, f->q, at->q0);
    ct_numbers_eval_rounded(&numbers, (int)all, f->phi_q, j);
    ct_numbers_clear(&numbers);
    for (int i = 0; i < n; i++)
        for (int r = 0; r < at->m; r++) {
            int k = unknown[i], row = at->rows[r];
            out[(size_t)i * m + (size_t)r] =
                j[row * f->n + k] * ct_coordinate_unit(f, k) / f->row_unit[row];
        }
    return out;
}

int ct_loop_system_freedoms(ct_context *ctx, const ct_loop_system *s, const char **names) {
    const ct_formulation *f = s->n_legs ? s->whole : s->f;
    ct_context *quiet = ct_context_quiet(ctx);
    ct_assembly *assembly = NULL;
    if (ct_assembly_new(quiet, f->model, &assembly)) return 0; // it may have no solution at all
    const ct_assembled *at = ct_assembled_new(quiet, assembly, f);
    // unknowns that no others give
    int *unknown = ct_scratch((size_t)f->n + 1, sizeof *unknown), n = list_unknowns(f, unknown),
        n_open = 0;
    bool *follows = ct_scratch((size_t)n + 1, sizeof *follows);
    ct_independent_rows(n, at->m, derivatives(at, n, unknown), CT_ROWS_FLOOR, follows);
    for (int i = 0; i < n; i++)
        if (!follows[i]) names[n_open++] = f->names[unknown[i]];
    return n_open;
}
