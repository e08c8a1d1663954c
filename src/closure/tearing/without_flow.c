// A closure without a flow: independent coordinates by pivoting, then the other equations in block
// triangular form. An equation linear in a single coordinate (a motion, a gear) is solved for it,
// the others are iterated.
#include "closure/tearing/without_flow.h"
#include "formulate/whole_rotation.h"
#include "closure/steps/steps.h"
#include "closure/tolerances.h"
#include "numeric/numbers.h"
#include "numeric/triangular_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// independent coordinates ------------------------------------------------------------------------
// Phi_q at q0; slides in units of a length of the mechanism, rows of length 1.
static double *jacobian(const ct_formulation *f, int m, const int *rows, const double *q0) {
    size_t n = (size_t)f->n;
    double *all = ct_scratch((size_t)f->m * n + 1, sizeof *all),
           *a = ct_alloc((size_t)m * n + 1, sizeof *a), length = ct_typical_length(f->model);
    // all rows at the initial position
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    ct_position_set(f, &x, q0);
    ct_numbers_eval(&x, f->m * f->n, f->phi_q, all);
    ct_numbers_clear(&x);
    // the independent rows, scaled
    for (int i = 0; i < m; i++) {
        double size = 0;
        for (int k = 0; k < f->n; k++) {
            a[i * f->n + k] = all[rows[i] * f->n + k] * (f->is_angle[k] ? 1 : length);
            size = hypot(size, a[i * f->n + k]);
        }
        for (int k = 0; k < f->n && size > 0; k++) a[i * f->n + k] /= size;
    }
    return a;
}

// Eliminates with complete pivoting, columns weighed; pivots are set in `dependent`. Returns the
// smallest pivot.
static double eliminate(int m, int n, double *a, const double *weight, bool *dependent) {
    bool *done = ct_scratch((size_t)m + 1, sizeof *done);
    double smallest = INFINITY;
    for (int step = 0; step < m; step++) {
        // largest entry of rows and columns that are left, columns weighed
        int row = -1, column = -1;
        double best = -1;
        for (int i = 0; i < m; i++)
            for (int k = 0; k < n; k++) {
                double size = fabs(a[i * n + k]) * weight[k];
                if (done[i] || dependent[k] || weight[k] <= 0 || size <= best) continue;
                best = size;
                row = i;
                column = k;
            }
        if (row < 0) {
            smallest = 0;
            break;
        }
        // its column depends; it leaves the other rows
        double pivot = a[row * n + column];
        smallest = fmin(smallest, fabs(pivot));
        done[row] = dependent[column] = true;
        for (int i = 0; i < m && pivot != 0; i++) {
            double f = done[i] ? 0 : a[i * n + column] / pivot;
            for (int k = 0; k < n && f != 0; k++) a[i * n + k] -= f * a[row * n + k];
        }
    }
    return smallest;
}

// Takes the model's `independent:` if they are as many as freedoms and the others follow from them.
// Else it clears `out`, warns if the model names any, and returns false.
static bool is_requested(ct_context *ctx, const ct_formulation *f, int m, const double *a,
                         bool *out) {
    const ct_model *model = f->model;
    // coordinates that the model names
    int n = f->n, found = 0;
    for (int i = 0; i < model->n_independent; i++)
        for (int k = 0; k < n; k++)
            if (!strcmp(f->names[k], model->independent[i].name) && !out[k]) {
                out[k] = true;
                found++;
            }
    // as many as freedoms, and the others follow from them with pivots clear of zero
    bool good = model->n_independent == n - m && found == n - m;
    if (good) {
        double *copy = ct_scratch((size_t)(m * n) + 1, sizeof *copy),
               *weight = ct_scratch((size_t)n + 1, sizeof *weight);
        bool *dependent = ct_scratch((size_t)n + 1, sizeof *dependent);
        memcpy(copy, a, (size_t)(m * n) * sizeof *copy);
        for (int k = 0; k < n; k++) weight[k] = out[k] ? 0 : 1;
        good = eliminate(m, n, copy, weight, dependent) > CT_TOL_DETERMINED;
    }
    // else none of them, with a warning
    if (!good) memset(out, 0, (size_t)n * sizeof *out);
    if (!good && model->n_independent)
        ct_warning_at(
            ctx, model->independent[0].place,
            "these coordinates cannot be the independent ones here (%d freedom%s); others "
            "were chosen",
            n - m, n - m == 1 ? "" : "s");
    return good;
}

// Weights of columns: small for coordinates under `initial` and of actuators.
static void weigh(const ct_formulation *f, double *weight) {
    const ct_model *model = f->model;
    for (int k = 0; k < f->n; k++) weight[k] = 1;
    for (int i = 0; i < model->n_initial; i++)
        if (f->where[model->initial[i].coordinate] >= 0)
            weight[f->where[model->initial[i].coordinate]] = CT_WEIGHT_INITIAL;
    for (int i = 0; i < model->n_forces; i++) {
        const ct_force *p = model->forces + i;
        if (ct_force_drives(p->type) && f->where[p->coordinate] >= 0)
            weight[f->where[p->coordinate]] *= CT_WEIGHT_DRIVEN;
    }
}

// Independent coordinates at the initial position: those that the model names where that is
// possible, else the columns that complete pivoting leaves over. Coordinates that `initial` and
// actuators name have small weights, so that they become pivots last.
static void choose_independent(ct_context *ctx, const ct_formulation *f, int m, const int *rows,
                               const double *q0, bool *out) {
    double *a = jacobian(f, m, rows, q0), *weight = ct_scratch((size_t)f->n + 1, sizeof *weight);
    bool *dependent = ct_scratch((size_t)f->n + 1, sizeof *dependent);
    if (!is_requested(ctx, f, m, a, out)) {
        weigh(f, weight);
        eliminate(m, f->n, a, weight, dependent);
        for (int k = 0; k < f->n; k++) out[k] = !dependent[k];
    }
    ct_free(a);
}

// steps and blocks -------------------------------------------------------------------------------
typedef struct builder {
    ct_closure *c;
    ct_values *values;
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
    ct_rate_block *x = CT_PUSH(b->c->rate_blocks, b->c->n_rate_blocks, b->c->room_rate_blocks);
    *x = (ct_rate_block){.step = step, .n = n};
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
    ct_segment *seg = ct_program_add(&b->c->positions, step);
    // a slide is the value itself
    if (!b->f->is_angle[unknown]) {
        ct_values_set_slide(b->values, seg, unknown, ct_values_replace(b->values, value));
        return;
    }
    // an angle: functions of a value that is known, else the pair of the angle sum
    if (ct_values_is_known(b->values, value)) {
        cosine = ct_cos(pool, value);
        sine = ct_sin(pool, value);
    } else {
        ct_values_pair(b->values, value, &cosine, &sine);
    }
    ct_values_set(b->values, seg, b->f->q[unknown], cosine, sine);
}

// A block that is iterated: Newton's iteration on its rows.
static void iterate(builder *b, int n, const int *rows, const int *unknown) {
    int step = add_step(b, CT_STEP_NEWTON, n, rows, unknown);
    add_block(b, step, n, rows, unknown);
    // residuals in the tracked symbols, and their derivatives
    ct_newton x = ct_newton_new(n);
    for (int i = 0; i < n; i++) {
        ct_values_tracked(b->values, unknown[i], &x.unknown[i]);
        x.is_angle[i] = b->f->is_angle[unknown[i]];
        x.residual[i] = ct_values_residual(b->values, b->f->phi[rows[i]], n, unknown);
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

// Steps of all blocks in the order of the block triangular form of Phi_q.
static void order(builder *b, int m, const int *rows) {
    const ct_formulation *f = b->f;
    // rows against dependent coordinates
    bool *pattern = ct_scratch((size_t)(m * m) + 1, sizeof *pattern);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            pattern[i * m + j] = f->phi_q[rows[i] * f->n + b->c->dependent[j]] != CT_ZERO;
    // block triangular form
    ct_groups g;
    ct_groups_find(&g, m, pattern);
    for (int k = 0; k < g.n; k++) {
        // rows and coordinates of one block
        int first = g.first[k], n = g.first[k + 1] - first;
        int *row = ct_scratch((size_t)n, sizeof *row),
            *unknown = ct_scratch((size_t)n, sizeof *unknown);
        for (int i = 0; i < n; i++) {
            row[i] = rows[g.row[first + i]];
            unknown[i] = b->c->dependent[g.column[first + i]];
        }
        // one linear row gives its coordinate, other blocks are iterated
        ct_ex value;
        if (n == 1 && ct_linear_value(b->pool, f->phi[row[0]], f->q[unknown[0]], &value))
            given(b, row[0], unknown[0]);
        else
            iterate(b, n, row, unknown);
    }
}

ct_status ct_iterated_build(ct_context *ctx, ct_closure *c, ct_values *values, int m,
                            const int *rows, const double *q0) {
    builder b = {.c = c, .values = values, .f = c->f, .pool = c->f->pool};
    int n = c->f->n;
    choose_independent(ctx, c->f, m, rows, q0, c->is_independent);
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
