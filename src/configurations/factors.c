// Groups of unknowns that no equation ties together, and the product of their solutions.
#include "configurations/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// groups ------------------------------------------------------------------------------------------
static int root_of(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

// First unknown of an equation, or -1; all of them are joined.
static int join(const ct_ring *ring, const ct_poly *f, int *parent) {
    int first = -1;
    for (slong i = 0; i < f->n; i++)
        for (int k = 0; k < ring->n; k++) {
            if (!ct_poly_exps(ring, f, i)[k]) continue;
            if (first < 0) first = k;
            parent[root_of(parent, k)] = root_of(parent, first);
        }
    return first;
}

// An equation in the unknowns of its group.
static void convert(const ct_ring *ring, const ct_poly *f, const ct_factor *g, ct_poly *out) {
    for (slong i = 0; i < f->n; i++) {
        uint32_t e[CT_UNKNOWNS_MAX];
        for (int k = 0; k < g->n; k++) e[k] = ct_poly_exps(ring, f, i)[g->unknown[k]];
        ct_poly_push(g->ring, out, e, f->coefs + i);
    }
    ct_poly_canonical(g->ring, out);
}

static void make_ring(ct_context *ctx, const ct_trig_system *system, ct_factor *g) {
    const char **names = ct_alloc((size_t)g->n + 1, sizeof *names);
    for (int i = 0; i < g->n; i++) names[i] = system->ring->names[g->unknown[i]];
    g->ring = ct_ring_simple(ctx, g->n, names, CT_DEGREVLEX);
    for (int i = 0; i < g->n_equations; i++)
        convert(system->ring, &system->equations.p[g->equation[i]], g, ct_polys_add(&g->equations));
    ct_free(names);
}

static void split(ct_context *ctx, const ct_trig_system *system, ct_factors *f) {
    const ct_ring *ring = system->ring;
    int n = ring->n, m = system->equations.n;
    // unknowns that share an equation; equations without any contradict, and go to the first group
    int *parent = ct_alloc((size_t)n + 1, sizeof *parent),
        *first = ct_alloc((size_t)m + 1, sizeof *first);
    for (int k = 0; k < n; k++) parent[k] = k;
    for (int i = 0; i < m; i++) {
        first[i] = join(ring, &system->equations.p[i], parent);
        if (first[i] < 0) first[i] = 0;
    }
    // a group for each root, in the order of the unknowns
    f->item = ct_alloc((size_t)n + 1, sizeof *f->item);
    for (int r = 0; r < n; r++) {
        if (root_of(parent, r) != r) continue;
        ct_factor *g = f->item + f->n++;
        g->unknown = ct_alloc((size_t)n + 1, sizeof *g->unknown);
        g->equation = ct_alloc((size_t)m + 1, sizeof *g->equation);
        for (int k = 0; k < n; k++)
            if (root_of(parent, k) == r) g->unknown[g->n++] = k;
        for (int i = 0; i < m; i++)
            if (root_of(parent, first[i]) == r) g->equation[g->n_equations++] = i;
        make_ring(ctx, system, g);
    }
    ct_free(parent);
    ct_free(first);
}

// products ----------------------------------------------------------------------------------------
// Solution `index` of the combinations: a digit for each group.
static void combine_one(const ct_factors *f, int n, long index, ct_solution *out) {
    *out = (ct_solution){.real = true,
                         .certified = true,
                         .multiplicity = 1,
                         .re = ct_alloc((size_t)n + 1, sizeof(double)),
                         .im = ct_alloc((size_t)n + 1, sizeof(double))};
    for (int g = 0; g < f->n; g++) {
        const ct_factor *group = f->item + g;
        const ct_solution *x = group->found.solutions + index % group->found.count;
        index /= group->found.count;
        out->real = out->real && x->real;
        out->certified = out->certified && x->certified;
        out->multiplicity *= x->multiplicity;
        out->residual = fmax(out->residual, x->residual);
        for (int k = 0; k < group->n; k++) {
            out->re[group->unknown[k]] = x->re[k];
            out->im[group->unknown[k]] = x->im[k];
        }
    }
}

// All combinations, real ones first.
static void combine_all(const ct_factors *f, int n, ct_solutions *whole) {
    long count = (long)f->count;
    whole->solutions = ct_alloc((size_t)count + 1, sizeof *whole->solutions);
    for (int real = 1; real >= 0; real--)
        for (long i = 0; i < count; i++) {
            ct_solution x;
            combine_one(f, n, i, &x);
            if (x.real == real) {
                whole->solutions[whole->count++] = x;
                whole->n_real += real;
                continue;
            }
            ct_free(x.re);
            ct_free(x.im);
        }
}

static void combine_offending(const ct_factor *g, ct_solutions *whole) {
    if (whole->offending) return; // one contradiction is enough
    whole->offending = ct_alloc((size_t)g->found.n_offending + 1, sizeof *whole->offending);
    for (int i = 0; i < g->found.n_offending; i++)
        whole->offending[whole->n_offending++] = g->equation[g->found.offending[i]];
}

static void combine(ct_factors *f, int n, ct_solutions *whole) {
    bool none = false;
    double multiplicity = 1;
    f->count = f->real = 1;
    whole->method = f->item[0].found.method;
    // figures add up; solutions multiply, unless there are none or infinitely many
    for (int g = 0; g < f->n; g++) {
        const ct_factor *group = f->item + g;
        const ct_solutions *s = &group->found;
        whole->generators += s->generators;
        whole->terms += s->terms;
        if (s->matrix > whole->matrix) whole->matrix = s->matrix;
        none = none || s->dimension < 0;
        if (s->dimension > 0) whole->dimension += s->dimension;
        whole->is_bound = whole->is_bound || s->is_bound;
        for (int k = 0; k < group->n; k++)
            if (s->dimension > 0 && s->free >> k & 1)
                whole->free |= UINT64_C(1) << group->unknown[k];
        if (s->dimension < 0) combine_offending(group, whole);
        f->count *= s->count;
        f->real *= s->n_real;
        multiplicity *= (double)s->degree;
        whole->basis_seconds += s->basis_seconds;
        whole->eliminant_seconds += s->eliminant_seconds;
        whole->root_seconds += s->root_seconds;
        whole->total_seconds += s->total_seconds;
    }
    if (none) whole->dimension = -1;
    if (whole->dimension) f->count = f->real = 0;
    whole->degree = multiplicity < 1e18 ? (slong)multiplicity : WORD_MAX;
    if (!whole->dimension && f->count <= CT_COMBINATIONS_MAX) combine_all(f, n, whole);
}

// solving -----------------------------------------------------------------------------------------
// Group `index`: like one before it, or by itself.
static ct_status solve_group(ct_context *ctx, const ct_solve_options *options, ct_factors *f,
                             int index) {
    ct_factor *g = f->item + index;
    for (int i = 0; i < index && !g->is_twin; i++) g->is_twin = ct_factor_like(f->item + i, g);
    if (g->is_twin) return CT_OK;
    ct_solve_options own = *options;
    own.hide = -1;
    for (int k = 0; k < g->n; k++)
        if (g->unknown[k] == options->hide) own.hide = k;
    return ct_solve(ctx, g->ring, &g->equations, &own, &g->found);
}

ct_status ct_factors_solve(ct_context *ctx, const ct_trig_system *system,
                           const ct_solve_options *options, ct_factors *f, ct_solutions *whole) {
    *f = (ct_factors){0};
    *whole = (ct_solutions){.variable = -1, .method = ""};
    split(ctx, system, f);
    // one group is the system itself
    if (f->n == 1) {
        ct_status status = ct_solve(ctx, system->ring, &system->equations, options, whole);
        f->count = whole->count;
        f->real = whole->n_real;
        f->limit = whole->limit;
        return status;
    }
    // seconds are a budget for all groups
    ct_solve_options left = *options;
    double start = ct_seconds();
    ct_status status = CT_OK;
    for (int g = 0; g < f->n && !status; g++) {
        if (options->budget.seconds > 0)
            left.budget.seconds = fmax(options->budget.seconds - (ct_seconds() - start), 1e-3);
        status = solve_group(ctx, &left, f, g);
        f->limit = f->item[g].found.limit;
    }
    if (!status) combine(f, system->ring->n, whole);
    return status;
}

void ct_factors_clear(ct_factors *f) {
    for (int g = 0; g < f->n; g++) {
        ct_factor *group = f->item + g;
        ct_solutions_clear(&group->found);
        if (group->ring) {
            ct_polys_clear(group->ring, &group->equations);
            ct_ring_free(group->ring);
        }
        ct_free(group->unknown);
        ct_free(group->equation);
    }
    ct_free(f->item);
    *f = (ct_factors){0};
}
