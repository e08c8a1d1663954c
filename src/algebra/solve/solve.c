// All solutions of a polynomial system: basis, dimension, eliminant by the method asked for, roots,
// back-substitution. Where a method fails (several solutions for one value of the hidden unknown,
// multiple solutions, no convergence) the rational univariate representation takes its place.
#include "algebra/lift.h"
#include "algebra/solve/solve_inside.h"

#include <math.h>
#include <stdlib.h>

#define MOST_BYTES 4000000000u // unless the caller says otherwise

void ct_solve_options_init(ct_solve_options *options) {
    *options = (ct_solve_options){.method = CT_SOLVE_SYLVESTER, .hide = -1};
}

void ct_solutions_clear(ct_solutions *s) {
    for (int i = 0; i < s->count; i++) ct_free(s->solutions[i].re), ct_free(s->solutions[i].im);
    for (int i = 0; s->coefficients && i <= s->eliminant_degree; i++) ct_free(s->coefficients[i]);
    ct_free(s->solutions), ct_free(s->coefficients), ct_free(s->offending);
    *s = (ct_solutions){0};
}

// results ----------------------------------------------------------------------------------------
static void put_eliminant(ct_solutions *out, const fmpz_poly_t f) {
    slong n = fmpz_poly_degree(f);
    out->eliminant_degree = (int)n;
    out->coefficients = ct_alloc((size_t)n + 1, sizeof *out->coefficients);
    for (slong i = 0; i <= n; i++) {
        char *text = fmpz_get_str(NULL, 10, f->coeffs + n - i);
        out->coefficients[i] = ct_strdup(text);
        flint_free(text);
    }
}

// Midpoint of a ball, or zero if the ball holds zero.
static double rounded(const arb_t x) {
    return arb_contains_zero(x) ? 0 : arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static bool put_solution(ct_solving *job, ct_solution *s, const ct_enclosed_point *p) {
    int n = job->ring->n;
    *s = (ct_solution){p->real,
                       p->certified,
                       p->multiplicity,
                       0,
                       ct_alloc((size_t)n, sizeof(double)),
                       ct_alloc((size_t)n, sizeof(double))};
    acb_ptr x = _acb_vec_init(n);
    bool finite = true;
    for (int k = 0; k < n; k++) {
        s->re[k] = rounded(acb_realref(p->x + k));
        s->im[k] = p->real ? 0 : rounded(acb_imagref(p->x + k));
        acb_set_d_d(x + k, s->re[k], s->im[k]);
        finite = finite && isfinite(s->re[k]) && isfinite(s->im[k]);
    }
    s->residual = finite ? ct_system_residual(job->ring, &job->equations, x, 128) : HUGE_VAL;
    _acb_vec_clear(x, n);
    return s->residual < 1e-6; // else rounding lost it: too large or too small for doubles
}

static int by_value(const ct_solution *a, const ct_solution *b, int k) {
    if (a->re[k] != b->re[k]) return a->re[k] < b->re[k] ? -1 : 1;
    return (a->im[k] < b->im[k]) - (a->im[k] > b->im[k]);
}

static bool comes_after(const ct_solution *a, const ct_solution *b, int first, int n) {
    if (a->real != b->real) return b->real;
    int c = by_value(a, b, first);
    for (int k = n - 1; k >= 0 && !c; k--) c = by_value(a, b, k);
    return c > 0;
}

static ct_status put_solutions(ct_solving *job) {
    ct_solutions *out = job->out;
    int n = job->ring->n, first = out->variable < 0 ? n - 1 : out->variable;
    out->solutions = ct_alloc((size_t)job->points.n + 1, sizeof *out->solutions);
    bool finite = true;
    for (int i = 0; i < job->points.n; i++) {
        ct_solution s;
        finite &= put_solution(job, &s, job->points.point + i);
        int at = out->count++;
        for (; at > 0 && comes_after(out->solutions + at - 1, &s, first, n); at--)
            out->solutions[at] = out->solutions[at - 1];
        out->solutions[at] = s;
        out->n_real += s.real;
    }
    return finite ? CT_OK
                  : ct_fail(job->ctx, CT_NUMERICS,
                            "a solution is outside the range of numbers (1e-308 to 1e308)");
}

// methods ----------------------------------------------------------------------------------------
static ct_status find_determinant(ct_solving *job) {
    return ct_hidden_determinant(job->ctx, &job->hidden, job->eliminant, &job->limits);
}

// The characteristic polynomial f of the hidden unknown is the determinant of its matrix where the
// two agree modulo a prime that neither rests on; else the determinant is computed by itself.
static ct_status compare_determinant(ct_solving *job, const ct_rur *rur) {
    bool same = rur->variable == job->hidden.hide;
    if (same) {
        nmod_poly_t det, f;
        ulong p = ct_lift_prime(1UL << 60);
        nmod_poly_init(det, p), nmod_poly_init(f, p);
        ct_hidden_determinant_mod(&job->hidden, p, det);
        fmpz_poly_get_nmod_poly(f, rur->eliminant);
        same = nmod_poly_degree(f) == fmpz_poly_degree(rur->eliminant);
        if (same) nmod_poly_make_monic(f, f);
        same = same && nmod_poly_equal(f, det);
        nmod_poly_clear(det), nmod_poly_clear(f);
    }
    if (!same) return find_determinant(job);
    fmpz_poly_set(job->eliminant, rur->eliminant);
    return CT_OK;
}

// Solutions by the representation, and the eliminant: the determinant of the matrix if there is
// one, else the characteristic polynomial of the separating form.
static ct_status by_representation(ct_solving *job, int first) {
    slong weights[CT_UNKNOWNS_MAX];
    ct_rur rur;
    int variable = ct_separating_form(&job->m, &job->zeros, first, weights);
    double start = ct_seconds();
    ct_status s = ct_limits_check(job->ctx, &job->limits, "separating form");
    if (s) return s;
    s = ct_rur_compute(job->ctx, &rur, &job->q, &job->zeros, weights, variable, &job->limits);
    if (!s && fmpz_poly_is_zero(job->eliminant)) {
        if (job->hidden.n) {
            s = compare_determinant(job, &rur);
        } else {
            fmpz_poly_set(job->eliminant, rur.eliminant);
            job->out->variable = variable;
        }
    }
    job->out->eliminant_seconds += ct_seconds() - start;
    start = ct_seconds();
    if (!s) s = ct_points_from_rur(job, &rur);
    job->out->root_seconds += ct_seconds() - start;
    ct_rur_clear(&rur);
    return s;
}

static void tell_matrix(ct_solving *job) {
    job->out->variable = job->hidden.hide;
    job->out->matrix = (int)job->hidden.n;
}

static ct_status by_sylvester(ct_solving *job) {
    double start = ct_seconds();
    ct_status s =
        ct_hidden_search(job->ctx, &job->hidden, &job->m, job->options->hide, &job->limits);
    job->out->eliminant_seconds = ct_seconds() - start;
    if (s) return s;
    job->out->method = "sylvester";
    tell_matrix(job);
    return by_representation(job, job->hidden.hide);
}

// The whole basis if that gives a matrix with all unknowns in it, else the completed one.
static ct_status eigen_matrix(ct_solving *job, int hide) {
    if (ct_hidden_from_basis(&job->hidden, job->ring, &job->basis, hide, UINT64_MAX)) {
        nmod_poly_t det;
        nmod_poly_init_mod(det, job->m.mod);
        ct_hidden_determinant_mod(&job->hidden, job->m.mod.n, det);
        bool right = nmod_poly_degree(det) == job->q.d && ct_hidden_has_unknowns(&job->hidden);
        nmod_poly_clear(det);
        if (right) return CT_OK;
        ct_hidden_clear(&job->hidden);
    }
    return ct_hidden_complete(job->ctx, &job->hidden, &job->q, hide, &job->limits);
}

static ct_status by_eigen(ct_solving *job) {
    slong weights[CT_UNKNOWNS_MAX];
    int hide = job->options->hide, n = job->ring->n;
    hide = ct_separating_form(&job->m, &job->zeros, hide < 0 ? n - 1 : hide, weights);
    bool done = false;
    ct_status s = ct_limits_check(job->ctx, &job->limits, "separating form");
    if (s) return s;
    if (hide >= 0 && job->zeros.radical) {
        double start = ct_seconds();
        s = eigen_matrix(job, hide);
        tell_matrix(job);
        if (!s) s = find_determinant(job);
        job->out->eliminant_seconds = ct_seconds() - start;
        start = ct_seconds();
        done = !s && ct_points_from_eigen(job);
        job->out->root_seconds = ct_seconds() - start;
    }
    job->out->method = done ? "eigen" : "rur";
    return done || s ? s : by_representation(job, hide);
}

static ct_status by_method(ct_solving *job) {
    switch (job->options->method) {
    case CT_SOLVE_SYLVESTER: return by_sylvester(job);
    case CT_SOLVE_EIGEN: return by_eigen(job);
    case CT_SOLVE_RUR: break;
    }
    job->out->method = "rur";
    return by_representation(job, job->options->hide);
}

// stages -----------------------------------------------------------------------------------------
// The basis, after so many operations modulo a prime at most (0: as many as it takes).
static ct_status find_basis(ct_solving *job, double work) {
    ct_groebner_stats stats;
    ct_groebner_options g = {
        .prove = job->options->prove, .budget = job->options->budget, .stats = &stats};
    if (work > 0) g.budget.work = work, g.budget.pairs = true;
    double start = ct_seconds();
    ct_status s = ct_groebner(job->ctx, job->ring, &job->basis, &job->equations, &g);
    job->out->limit = stats.limit;
    job->out->basis_seconds = ct_seconds() - start;
    job->out->generators = job->basis.n;
    job->out->terms = ct_polys_terms(&job->basis);
    return s;
}

// The quotient modulo the first prime that leaves it its shape.
static ct_status find_zeros(ct_solving *job) {
    size_t d = (size_t)ct_ideal(job->ring, &job->basis).degree,
           bytes = job->options->budget.bytes ? job->options->budget.bytes : MOST_BYTES;
    if ((double)d * (double)d * 24 > (double)bytes)
        return ct_fail(job->ctx, CT_NUMERICS, "%zu solutions need more than %zu MB", d,
                       bytes / 1000000);
    if (!ct_quotient_init(&job->q, job->ring, &job->basis))
        return ct_fail(job->ctx, CT_INTERNAL, "the ideal has no finite quotient");
    for (ulong p = ct_lift_prime(1UL << 58);; p = ct_lift_prime(p)) {
        if (ct_quotient_mod_init(&job->m, &job->q, p)) break;
        ct_quotient_mod_clear(&job->m);
    }
    job->out->degree = job->q.d;
    job->m.limits = &job->limits;
    job->zeros = ct_quotient_zeros(&job->m);
    return ct_limits_check(job->ctx, &job->limits, "count of solutions");
}

static ct_status solve_finite(ct_solving *job) {
    ct_limits_progress(&job->limits, "counting the solutions", 0);
    ct_status s = find_zeros(job);
    ct_limits_progress(&job->limits, "eliminant and roots", 0);
    if (!s) s = by_method(job);
    if (s) return s;
    int total = 0;
    for (int i = 0; i < job->points.n; i++) total += job->points.point[i].multiplicity;
    if (total != job->q.d || job->points.n != job->zeros.distinct)
        return ct_fail(job->ctx, CT_INTERNAL, "%d solutions were found, not %ld", total,
                       (long)job->q.d);
    put_eliminant(job->out, job->eliminant);
    return put_solutions(job);
}

// The basis; or, where it takes long, that freedoms are left open, without one.
static ct_status find_basis_or_freedoms(ct_solving *job) {
    if (job->options->surely || job->options->budget.work > 0) return find_basis(job, 0);
    ct_messages before = ct_messages_so_far(job->ctx);
    ct_status s = find_basis(job, CT_OPEN_WORK);
    if (job->out->limit != CT_LIMIT_WORK) return s;
    ct_messages_back(job->ctx, &before);
    return ct_solve_open(job) ? CT_OK : find_basis(job, 0);
}

static ct_status solve(ct_solving *job) {
    ct_status s = find_basis_or_freedoms(job);
    if (s || job->out->is_bound) return s;
    ct_ideal_info info = ct_ideal(job->ring, &job->basis);
    job->out->dimension = info.dimension;
    if (info.dimension < 0) return ct_solve_offending(job);
    if (info.dimension == 0) return solve_finite(job);
    job->out->free = info.free;
    return CT_OK;
}

ct_status ct_solve(ct_context *ctx, const ct_ring *ring, const ct_polys *equations,
                   const ct_solve_options *options, ct_solutions *out) {
    double start = ct_seconds();
    *out = (ct_solutions){.variable = -1, .method = ""};
    ct_solve_options defaults;
    ct_solve_options_init(&defaults);
    if (!options) options = &defaults;
    // what cannot be solved
    if (ring->n_symbols) return ct_fail(ctx, CT_USAGE, "solving needs numbers for all symbols");
    if (ring->n == 0) return ct_fail(ctx, CT_USAGE, "there is no unknown to solve for");
    if (options->hide >= ring->n)
        return ct_fail(ctx, CT_USAGE, "no unknown %d to hide", options->hide);
    // the job: the same equations in degrevlex
    ct_ring *graded = ct_ring_reorder(ctx, ring, 1, &(ct_order_block){ring->n, CT_DEGREVLEX});
    if (!graded) return CT_USAGE;
    ct_solving job = {.ctx = ctx,
                      .ring = graded,
                      .options = options,
                      .out = out,
                      .points = {.n_unknowns = ring->n}};
    ct_limits_init(&job.limits, &options->budget);
    fmpz_poly_init(job.eliminant);
    for (int i = 0; i < equations->n; i++)
        ct_poly_convert(graded, ct_polys_add(&job.equations), ring, equations->p + i, NULL);
    // solutions; then all but these goes
    ct_status s = solve(&job);
    ct_points_clear(&job.points);
    ct_hidden_clear(&job.hidden);
    if (job.m.q) ct_quotient_mod_clear(&job.m);
    if (job.q.ring) ct_quotient_clear(&job.q);
    ct_polys_clear(graded, &job.equations), ct_polys_clear(graded, &job.basis);
    fmpz_poly_clear(job.eliminant);
    ct_ring_free(graded);
    ct_limit limit = out->limit;
    if (s) ct_solutions_clear(out);
    out->limit = limit;
    out->total_seconds = ct_seconds() - start;
    return s;
}
