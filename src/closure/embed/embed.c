// The embedding:  q' = B qi' + C,  q'' = B qi'' + A,  B^T M B qi'' = B^T (F - M A).
// Every entry is fenced, so that products of sums stay products and what is shared stays shared.
#include "closure/embed/embed_inside.h"

#include <stdlib.h>
#include <string.h>

// programs ---------------------------------------------------------------------------------------
void ct_embed_set(ct_embedder *e, int index, ct_ex value) {
    ct_segment_set(&e->last, index, value);
}

void ct_embed_guard(ct_embedder *e, ct_ex value, int step) {
    ct_segment *g = &e->last;
    if (ct_is_number(e->pool, value) && ct_constant_value(e->pool, value) >= 0) return;
    for (int i = 0; i < g->n_guards; i++)
        if (g->guards[i].value == value) return;
    ct_segment_guard(g, value, step, CT_ZERO);
}

// |pivot| > 1e-100: positions have watched how near a singularity is; this is against 1/0
void ct_embed_guard_pivot(ct_embedder *e, ct_ex pivot, int step) {
    ct_ex tiny = ct_power_int(e->pool, ct_int(e->pool, 10), -100);
    ct_embed_guard(e, ct_sub(e->pool, ct_apply(e->pool, CT_OP_ABS, &pivot), tiny), step);
}

void ct_embed_segment(ct_embedder *e, int step, int n, int columns, const ct_ex *matrix,
                      ct_ex *right) {
    ct_program *p = e->program;
    ct_linear_solve solve = {.n = n,
                             .columns = columns,
                             .first = p->n_x,
                             .matrix = ct_expressions_copy(n * n, matrix),
                             .right = ct_expressions_copy(n * columns, right)};
    for (int i = 0; i < n * columns; i++) {
        char *name = ct_format("solved %d %s of %zu", p->n_x,
                               p == &e->closure->dynamics ? "dynamics" : "expansion", e->name);
        right[i] = ct_symbol(e->pool, CT_SYMBOL_OTHER, name);
        free(name);
        *CT_PUSH(p->x, p->n_x, p->room_x) = right[i];
    }
    ct_segment *seg = ct_program_add(p, step);
    seg->kind = CT_SEGMENT_SOLVE;
    seg->solve = solve;
}

static void begin(ct_embedder *e, ct_program *program) {
    e->program = program;
    e->last = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = -1};
}

static void end(ct_embedder *e) {
    *CT_PUSH(e->program->segments, e->program->n, e->program->room) = e->last;
}

// right sides ------------------------------------------------------------------------------------
ct_ex ct_embed_gamma(const ct_embedder *e, const ct_rows *b, int i) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, b->gamma[i]));
}

ct_ex ct_embed_own(const ct_embedder *e, const ct_rows *b, int i) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, b->own[i]));
}

void ct_embed_set_rates(ct_embedder *e, const ct_ex *x, int columns, int column) {
    ct_substitution_free(e->rates);
    e->rates = ct_substitution_new(e->pool);
    for (int k = 0; k < e->f->n; k++) {
        e->rate[k] = x[k * columns + column];
        if (!e->closure->is_independent[k]) ct_substitution_map(e->rates, e->f->qd[k], e->rate[k]);
    }
}

// Rates of all coordinates, from those of the independent ones.
void ct_embed_rates(ct_embedder *e) {
    const ct_closure *c = e->closure;
    ct_ex *x = ct_alloc((size_t)e->f->n + 1, sizeof *x);
    for (int i = 0; i < c->r; i++) x[c->independent[i]] = e->f->qd[c->independent[i]];
    ct_embed_solve(e, 1, x, CT_RIGHT_RATES);
    ct_embed_set_rates(e, x, 1, 0);
    free(x);
}

static void guard_rows(ct_embedder *e) {
    for (int i = 0; i < e->n_rows; i++)
        if (e->rows[i].inverse.n)
            ct_embed_guard_pivot(e, e->rows[i].inverse.determinant, e->rows[i].step);
}

// dynamics ---------------------------------------------------------------------------------------
static double cost(const ct_embedder *e, int r, const ct_ex *h, const ct_ex *x) {
    int n = r * r + r;
    ct_ex *roots = ct_alloc((size_t)n + 1, sizeof *roots);
    memcpy(roots, h, (size_t)(r * r) * sizeof *roots);
    memcpy(roots + r * r, x, (size_t)r * sizeof *roots);
    double total = ct_operations_total(ct_count_shared(e->pool, n, roots));
    free(roots);
    return total;
}

// The cheaper of the two ways to the projected equations; the rates that it used stay.
static void reduce(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x) {
    int r = e->closure->r;
    bool written_out = true;
    for (int i = 0; i < e->n_rows; i++) written_out = written_out && e->rows[i].inverse.n;
    ct_embed_project(e, mass, force, h, x);
    if (!written_out || !r) return;
    ct_ex *other = ct_alloc((size_t)(r * r + r) + 1, sizeof *other);
    ct_substitution *kept = e->rates;
    e->rates = NULL;
    ct_embed_condense(e, mass, force, other, other + r * r);
    if (cost(e, r, other, other + r * r) < cost(e, r, h, x)) {
        memcpy(h, other, (size_t)(r * r) * sizeof *h);
        memcpy(x, other + r * r, (size_t)r * sizeof *x);
        ct_substitution_free(kept);
    } else {
        ct_substitution_free(e->rates);
        e->rates = kept;
    }
    free(other);
}

static void dynamics(ct_embedder *e, const ct_ex *equations) {
    int n = e->f->n, r = e->closure->r;
    size_t all = (size_t)(n * n + n);
    ct_ex *mass = ct_alloc(all + 1, sizeof *mass), *force = mass + n * n,
          *h = ct_alloc((size_t)(r * r) + 1, sizeof *h), *x = ct_alloc((size_t)r + 1, sizeof *x);
    begin(e, &e->closure->dynamics);
    for (size_t i = 0; i < all; i++) mass[i] = ct_forms_replace(e->forms, equations[i]);
    reduce(e, mass, force, h, x);
    ct_embed_accelerate(e, r, h, x);
    for (int i = 0; i < r; i++) ct_embed_set(e, i, x[i]);
    guard_rows(e);
    end(e);
    e->last = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = -1}; // for those who ask
    ct_embed_set(e, r, ct_substitute(e->rates, ct_forms_replace(e->forms, e->f->power)));
    end(e);
    free(mass);
    free(h);
    free(x);
}

// expansion --------------------------------------------------------------------------------------
static void expansion(ct_embedder *e) {
    ct_closure *c = e->closure;
    int n = e->f->n;
    ct_ex *x = ct_alloc((size_t)n + 1, sizeof *x);
    begin(e, &c->expansion);
    c->accelerations = ct_alloc((size_t)c->r + 1, sizeof *c->accelerations);
    for (int i = 0; i < c->r; i++) {
        char *name = ct_format("%s'' of %zu", e->f->names[c->independent[i]], e->name);
        c->accelerations[i] = ct_symbol(e->pool, CT_SYMBOL_ACCELERATION, name);
        free(name);
        x[c->independent[i]] = c->accelerations[i];
    }
    ct_embed_rates(e);
    ct_embed_solve(e, 1, x, CT_RIGHT_ACCELERATIONS);
    ct_ex *rate = ct_alloc((size_t)n + 1, sizeof *rate);
    memcpy(rate, e->rate, (size_t)n * sizeof *rate);
    ct_embed_balls(e, rate, x);
    for (int i = 0; i < c->n_late; i++) ct_embed_guard(e, c->late[i].value, c->late[i].step);
    for (int k = 0; k < n; k++)
        if (!e->f->is_angle[k]) ct_embed_set(e, k, ct_forms_slide(e->forms, k));
    for (int k = 0; k < n; k++) ct_embed_set(e, n + k, rate[k]);
    for (int k = 0; k < n; k++) ct_embed_set(e, 2 * n + k, x[k]);
    guard_rows(e);
    end(e);
    free(x);
    free(rate);
}

ct_ex *ct_embed_equations(const ct_formulation *f) {
    size_t n = (size_t)f->n;
    ct_ex *a = ct_alloc(n * n + n + 1, sizeof *a);
    memcpy(a, f->mass, n * n * sizeof *a);
    memcpy(a + n * n, f->forcing, n * sizeof *a);
    ct_embed_simplify_all(f->pool, f->n * f->n + f->n, a);
    return a;
}

void ct_embed(ct_closure *closure, ct_forms *forms, const ct_ex *equations) {
    ct_embedder e = {.closure = closure, .forms = forms, .f = closure->f};
    e.pool = e.f->pool;
    e.name = ct_pool_size(e.pool);
    e.rate = ct_alloc((size_t)e.f->n + 1, sizeof *e.rate);
    ct_embed_blocks(&e);
    dynamics(&e, equations);
    expansion(&e);
    ct_embed_clear(&e);
}
