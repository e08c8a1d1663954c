// Steps and blocks of a closure without a flow. The equations in block triangular form: one that is
// linear in a single coordinate (a motion, a gear) is solved for it, the others are iterated.
#include "closure/tearing/without_flow.h"
#include "closure/steps/steps.h"
#include "numeric/triangular_form.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    ct_closure *c;
    ct_forms *forms;
    const ct_formulation *f;
    ct_pool *pool;
} builder;

static int joint_of(const ct_formulation *f, int row, int unknown) {
    if (f->owner[row].joint >= 0) return f->owner[row].joint;
    int k = f->coordinate[unknown];
    return k >= 0 ? f->model->coordinates[k].joint : -1;
}

// "closure of 'B', 'D'": the owners of the rows, each once
static char *describe(const ct_formulation *f, int n, const int *rows) {
    ct_text t = {0};
    ct_text_add(&t, "closure of ");
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen = seen || !strcmp(ct_row_name(f, rows[i]), ct_row_name(f, rows[j]));
        if (!seen) ct_text_printf(&t, "%s'%s'", i ? ", " : "", ct_row_name(f, rows[i]));
    }
    return ct_text_take(&t);
}

static int add_step(builder *b, ct_step_method method, int n, const int *rows, const int *unknown) {
    const ct_step step = {.method = method,
                          .degree = method == CT_STEP_GIVEN ? 1 : 0,
                          .n_unknowns = n,
                          .joint = joint_of(b->f, rows[0], unknown[0]),
                          .text = describe(b->f, n, rows)};
    return ct_steps_add(b->c, step, unknown);
}

static void add_block(builder *b, int step, int n, const int *rows, const int *unknown) {
    ct_block *x = CT_PUSH(b->c->blocks, b->c->n_blocks, b->c->room_blocks);
    *x = (ct_block){.step = step, .n = n};
    x->unknown = ct_alloc((size_t)n, sizeof *x->unknown);
    x->psi = ct_alloc((size_t)n, sizeof *x->psi);
    for (int i = 0; i < n; i++) {
        x->unknown[i] = unknown[i];
        x->psi[i] = b->f->phi[rows[i]];
    }
}

// a q + rest = 0 with a constant a: q = -rest / a
static void given(builder *b, int row, int unknown) {
    ct_pool *pool = b->pool;
    ct_ex value, cosine, sine;
    ct_linear_value(pool, b->f->phi[row], b->f->q[unknown], &value);
    int step = add_step(b, CT_STEP_GIVEN, 1, &row, &unknown);
    add_block(b, step, 1, &row, &unknown);
    ct_segment *g = ct_program_add(&b->c->positions, step);
    if (!b->f->is_angle[unknown]) {
        ct_forms_set_slide(b->forms, g, unknown, ct_forms_replace(b->forms, value));
        return;
    }
    if (ct_forms_is_known(b->forms, value)) {
        cosine = ct_cos(pool, value);
        sine = ct_sin(pool, value);
    } else {
        ct_forms_pair(b->forms, value, &cosine, &sine);
    }
    ct_forms_set(b->forms, g, b->f->q[unknown], cosine, sine);
}

static void iterate(builder *b, int n, const int *rows, const int *unknown) {
    int step = add_step(b, CT_STEP_NEWTON, n, rows, unknown);
    add_block(b, step, n, rows, unknown);
    ct_newton x = ct_newton_new(n);
    for (int i = 0; i < n; i++) {
        ct_forms_tracked(b->forms, unknown[i], &x.unknown[i]);
        x.is_angle[i] = b->f->is_angle[unknown[i]];
        x.residual[i] = ct_forms_residual(b->forms, b->f->phi[rows[i]], n, unknown);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x.matrix[i * n + j] =
                ct_diff(b->pool, x.residual[i], b->c->registers.tracked.symbol[x.unknown[j]]);
    ct_segment *seg = ct_program_add(&b->c->positions, step);
    seg->kind = CT_SEGMENT_NEWTON;
    seg->newton = x;
    b->c->n_iterated += n;
}

bool ct_linear_value(ct_pool *pool, ct_ex psi, ct_ex q, ct_ex *value) {
    ct_ex factor = ct_diff(pool, psi, q);
    if (factor == CT_ZERO || (ct_ex_kinds(pool, factor) & ~(1u << CT_SYMBOL_PARAMETER)))
        return false;
    ct_substitution *zero = ct_substitution_new(pool);
    ct_substitution_map(zero, q, CT_ZERO);
    *value = ct_neg(pool, ct_div(pool, ct_substitute(zero, psi), factor));
    ct_substitution_free(zero);
    return true;
}

static void order(builder *b, int m, const int *rows) {
    const ct_formulation *f = b->f;
    bool *pattern = ct_alloc((size_t)(m * m) + 1, sizeof *pattern);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            pattern[i * m + j] = f->phi_q[rows[i] * f->n + b->c->dependent[j]] != CT_ZERO;
    ct_groups g;
    ct_groups_find(&g, m, pattern);
    for (int k = 0; k < g.n; k++) {
        int first = g.first[k], n = g.first[k + 1] - first;
        int *row = ct_alloc((size_t)n, sizeof *row),
            *unknown = ct_alloc((size_t)n, sizeof *unknown);
        for (int i = 0; i < n; i++) {
            row[i] = rows[g.row[first + i]];
            unknown[i] = b->c->dependent[g.column[first + i]];
        }
        ct_ex value;
        if (n == 1 && ct_linear_value(b->pool, f->phi[row[0]], f->q[unknown[0]], &value))
            given(b, row[0], unknown[0]);
        else
            iterate(b, n, row, unknown);
        free(row);
        free(unknown);
    }
    ct_groups_clear(&g);
    free(pattern);
}

ct_status ct_iterated_build(ct_context *ctx, ct_closure *c, ct_forms *forms, int m, const int *rows,
                            const double *q0) {
    builder b = {.c = c, .forms = forms, .f = c->f, .pool = c->f->pool};
    int n = c->f->n;
    ct_iterated_choose(ctx, c->f, m, rows, q0, c->is_independent);
    c->independent = ct_alloc((size_t)n + 1, sizeof *c->independent);
    c->dependent = ct_alloc((size_t)n + 1, sizeof *c->dependent);
    for (int k = 0; k < n; k++)
        if (c->is_independent[k])
            c->independent[c->r++] = k;
        else
            c->dependent[c->n_dependent++] = k;
    order(&b, m, rows);
    c->triangular = c->n_iterated == 0;
    return CT_OK;
}
