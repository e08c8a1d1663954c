// The assemblies of a mechanism: its loops are solved as a polynomial system, whole or in independent
// groups, and every solution becomes joint coordinates that are refined in the model's own numbers.
#include "configurations/assemblies.h"
#include "configurations/factors.h"
#include "configurations/job.h"
#include "configurations/placed.h"
#include "configurations/tolerances.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_configurations_result result;

// independent groups ------------------------------------------------------------------------------
// Size of a solution of one group of unknowns.
static double group_size(const ct_loop_system *s, const ct_factor *g, const ct_solution *x) {
    size_t n = (size_t)s->system.ring->n;
    double *re = ct_alloc(n + 1, sizeof *re), *im = ct_alloc(n + 1, sizeof *im);
    for (int k = 0; k < g->n; k++) {
        re[g->unknown[k]] = x->re[k];
        im[g->unknown[k]] = x->im[k];
    }
    double size = ct_loop_system_size(s, re, im);
    ct_free(re);
    ct_free(im);
    return size;
}

// Names of the unknowns of a group: an angle for its cosine and sine.
static void name_group(const ct_loop_system *s, const ct_factor *g, ct_configurations_factor *out) {
    const ct_trig_system *t = &s->system;
    out->values = ct_alloc((size_t)g->n + 1, sizeof *out->values);
    for (int k = 0; k < g->n; k++) {
        int u = g->unknown[k];
        if (t->part[u] == CT_SINE) continue;
        out->values[out->n_values++] =
            ct_strdup(ct_symbol_name(s->f->pool, s->symbols[t->symbol[u]]));
    }
}

static ct_configuration group_configuration(const ct_loop_system *s, const ct_factor *g,
                                            const ct_solution *x, int n_values) {
    ct_configuration c = {.real = x->real,
                          .certified = x->certified,
                          .multiplicity = x->multiplicity,
                          .residual = x->residual,
                          .re = ct_alloc((size_t)n_values + 1, sizeof(double)),
                          .im = ct_alloc((size_t)n_values + 1, sizeof(double))};
    int at = 0;
    for (int k = 0; k < g->n; k++) {
        int part = s->system.part[g->unknown[k]];
        if (part == CT_SINE) continue;
        double complex z = x->re[k] + I * x->im[k];
        if (part == CT_COSINE) z = ct_complex_angle(z, x->re[k + 1] + I * x->im[k + 1]);
        ct_configuration_set(&c, at, z);
        if (x->real) c.im[at] = 0;
        at++;
    }
    return c;
}

// Solutions of each group; where the combinations were not made, they are counted here.
static void take_factors(ct_configurations_job *j, const ct_loop_system *s) {
    result *r = j->out;
    bool rounded = ct_loop_system_rounded(s), listed = r->solutions != NULL;
    double total = 1, real = 1;
    int twins = 0;
    r->factors = ct_alloc((size_t)j->factors.n + 1, sizeof *r->factors);
    // those of each group that are not at infinity
    for (int g = 0; g < j->factors.n; g++) {
        const ct_factor *group = j->factors.item + g;
        ct_configurations_factor *out = r->factors + r->n_factors++;
        name_group(s, group, out);
        out->solutions = ct_alloc((size_t)group->found.count + 1, sizeof *out->solutions);
        for (int i = 0; i < group->found.count; i++) {
            const ct_solution *x = group->found.solutions + i;
            if (rounded && group_size(s, group, x) > CT_AT_INFINITY) continue;
            out->solutions[out->count++] = group_configuration(s, group, x, out->n_values);
            out->real += x->real;
        }
        total *= out->count;
        real *= out->real;
        twins += group->is_twin;
    }
    if (twins)
        ct_job_note(
            j, ct_format(
                   "%d of the groups repeat%s another one, mirrored or not, and %s solved with it",
                   twins, twins == 1 ? "s" : "", twins == 1 ? "was" : "were"));
    if (listed) return; // what was left out there is not counted
    r->total = total;
    r->total_real = real;
}

static void offending_joints(ct_configurations_job *j, const ct_loop_system *s, int n,
                             const int *rows) {
    result *r = j->out;
    int room = 0;
    for (int i = 0; i < n; i++) {
        if (rows[i] >= s->n_rows) continue; // identities of angles
        int owner = s->row_joint[rows[i]];
        char *name = owner >= 0 ? ct_format("joint %s", s->without_guess.joints[owner].name)
                                : ct_format("motion %s", s->without_guess.motions[-1 - owner].name);
        bool seen = false;
        for (int k = 0; k < r->n_offending; k++) seen = seen || !strcmp(r->offending[k], name);
        if (seen)
            ct_free(name);
        else
            *CT_PUSH(r->offending, r->n_offending, room) = name;
    }
}

// The coordinate that a free unknown stands for; for a sum of angles, one of them (another one each
// time).
static const char *coordinate_name(const void *owner, int symbol, int taken) {
    const ct_loop_system *s = owner;
    const char *name = ct_symbol_name(s->f->pool, s->symbols[symbol]);
    int seen = 0;
    for (int k = 0; k < s->f->n && symbol >= s->f->n; k++)
        if (!s->known[k] && ct_depends(s->f->pool, s->expression[k], s->symbols[symbol])) {
            name = s->f->names[k];
            if (seen++ == taken) break;
        }
    return name;
}

static ct_status find_hidden(ct_configurations_job *j, const ct_loop_system *s, const char *name) {
    const ct_trig_system *t = &s->system;
    for (int k = 0; k < t->ring->n; k++)
        if (!strcmp(t->ring->names[k], name) ||
            !strcmp(ct_symbol_name(s->f->pool, s->ring.symbols[t->symbol[k]]), name)) {
            j->solve.hide = k;
            return CT_OK;
        }
    const char *near = ct_nearest(name, (const char *const *)t->ring->names, t->ring->n);
    return ct_fail(j->ctx, CT_WRONG_MODEL, "--hide: '%s' is no unknown%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_suspicious(const ct_configurations_job *j, const ct_loop_system *s,
                          const ct_solutions *found) {
    bool yes = false;
    if (!ct_loop_system_rounded(s)) return false;
    for (int i = 0; i < found->count && !yes; i++)
        yes =
            ct_loop_system_size(s, found->solutions[i].re, found->solutions[i].im) > CT_SUSPICIOUS;
    for (int g = 0; g < j->factors.n && !yes; g++) {
        const ct_factor *group = j->factors.item + g;
        for (int i = 0; i < group->found.count && !yes; i++)
            yes = group_size(s, group, group->found.solutions + i) > CT_SUSPICIOUS;
    }
    return yes;
}

// The loops have taken so long that it is asked whether freedoms are left open. If so, that is the
// result: names of coordinates that leave none open if they are given.
static bool take_open(ct_configurations_job *j, const ct_loop_system *s, ct_solutions *found) {
    const ct_formulation *f = s->n_legs ? s->whole : s->f;
    const char **names = ct_scratch((size_t)f->n + 1, sizeof *names);
    int n = ct_loop_system_freedoms(j->ctx, s, names), room = 0;
    if (!n) return false;
    found->dimension = n;
    for (int i = 0; i < n; i++) *CT_PUSH(j->out->free, j->out->n_free, room) = ct_strdup(names[i]);
    ct_job_note(j, ct_strdup("freedoms are counted by the rank of the loops where the mechanism is "
                             "put together; an exact basis for infinitely many assemblies would "
                             "take too long"));
    return true;
}

// All solutions of the loops, or freedoms that are left open.
static ct_status solve_system(ct_configurations_job *j, const ct_loop_system *s,
                              ct_solutions *found) {
    double start = ct_seconds();
    ct_messages before = ct_messages_so_far(j->ctx);
    ct_solve_options options = j->solve;
    options.budget.work = CT_OPEN_WORK, options.budget.pairs = true;
    ct_status status = ct_factors_solve(j->ctx, &s->system, &options, &j->factors, found);
    if (j->factors.limit != CT_LIMIT_WORK) return status;
    // it takes long
    ct_messages_back(j->ctx, &before);
    ct_factors_clear(&j->factors);
    ct_solutions_clear(found);
    if (!take_open(j, s, found)) {
        options = j->solve;
        options.surely = true;
        status = ct_factors_solve(j->ctx, &s->system, &options, &j->factors, found);
    } else {
        status = CT_OK;
    }
    found->total_seconds = ct_seconds() - start;
    return status;
}

// Solves the loops exactly, with all equations. If rounded constants make redundant equations
// contradict each other, with the independent ones alone. If they make solutions very large, again
// with more digits: those at infinity recede.
static ct_status solve_loops(ct_configurations_job *j, const ct_model *model, ct_loop_system *s,
                             ct_solutions *found) {
    ct_status status = CT_OK;
    int digits = CT_GEOMETRY_DIGITS;
    for (int complete = 1; complete >= 0 && !status; complete--) {
        ct_report(j->ctx, "writing the loops as polynomials", -1, false);
        ct_loop_options options = {.complete = complete, .digits = digits};
        status = ct_loop_system_new(j->ctx, model, &options, s);
        if (!status && s->system.ring && j->options->hide)
            status = find_hidden(j, s, j->options->hide);
        if (!status && s->system.ring) status = solve_system(j, s, found);
        j->out->seconds += found->total_seconds;
        // again with fewer equations, or with more digits
        bool contradict =
            !status && found->dimension == -1 && complete && ct_loop_system_rounded(s);
        bool closer = !status && digits == CT_GEOMETRY_DIGITS && is_suspicious(j, s, found);
        if (!contradict && !closer) break;
        ct_solutions_clear(found);
        ct_factors_clear(&j->factors);
        ct_loop_system_clear(s);
        *found = (ct_solutions){0};
        if (closer) {
            digits = CT_CLOSER_DIGITS;
            complete++;
        }
    }
    return status;
}

// for curves of assemblies -------------------------------------------------------------------------
static void add_assembly(ct_loop_system *s, const ct_solution *x, ct_assemblies *out) {
    double *q = ct_alloc((size_t)s->f->n + 1, sizeof *q);
    double *joint = ct_alloc((size_t)s->model->n_coordinates + 1, sizeof *joint);
    double residual = ct_loop_system_place(s, x ? x->re : NULL, q, joint, NULL);
    if (residual < CT_LOOPS_SOLVED)
        out->q[out->n++] = q;
    else
        ct_free(q);
    ct_free(joint);
}

ct_status ct_assemblies_find(ct_context *ctx, const ct_configurations_options *options,
                             const ct_model *model, ct_loop_system *s, ct_assemblies *out) {
    result figures = {0};
    ct_configurations_job j = {.ctx = ctx, .options = options, .out = &figures};
    ct_solutions found = {0};
    *out = (ct_assemblies){0};
    *s = (ct_loop_system){0};
    // solutions of the loops
    ct_status status = ct_job_start(&j);
    if (!status) status = solve_loops(&j, model, s, &found);
    if (!status && !found.dimension && j.factors.count > CT_COMBINATIONS_MAX)
        status = ct_fail(ctx, CT_NUMERICS, "%.0f assemblies are too many to be followed (%d)",
                         j.factors.count, CT_COMBINATIONS_MAX);
    // real ones, put together
    if (!status) {
        out->dimension = found.dimension;
        out->q = ct_alloc((size_t)found.count + 2, sizeof *out->q);
        for (int i = 0; i < found.count; i++)
            if (found.solutions[i].real) add_assembly(s, found.solutions + i, out);
        if (!s->system.ring) add_assembly(s, NULL, out);
    }
    ct_solutions_clear(&found);
    ct_factors_clear(&j.factors);
    return status;
}

void ct_assemblies_clear(ct_assemblies *a) {
    for (int i = 0; i < a->n; i++) ct_free(a->q[i]);
    ct_free(a->q);
    *a = (ct_assemblies){0};
}

// Solves the loops of a mechanism and writes what was found into the result of the job. Equations
// that contradict are a result too, with dimension -1; the status is that of the solver.
ct_status ct_solve_mechanism(ct_configurations_job *j, const ct_model *model) {
    result *r = j->out;
    ct_loop_system s;
    ct_solutions found = {0};
    // loops as polynomials, solved
    ct_status status = solve_loops(j, model, &s, &found);
    r->name = ct_strdup(model->name);
    r->mechanism = true;
    if (status == CT_OK) {
        // into the result: size of the system, names, constants that rationals stand in for
        const ct_ring *ring = s.system.ring;
        double before = r->seconds - found.total_seconds;
        r->unknowns = ring ? ring->n : 0;
        r->equations = ring ? s.system.equations.n : s.n_rows;
        ct_placed_names(r, &s);
        char **texts = ct_alloc((size_t)s.constants.n_replaced + 1, sizeof *texts);
        for (int i = 0; i < s.constants.n_replaced; i++)
            texts[i] = ct_print(s.f->pool, s.constants.replaced[i], CT_STYLE_TEXT);
        ct_job_note_stand_ins(j, s.constants.digits, ring ? s.constants.n_replaced : 0, texts);
        for (int i = 0; i < s.constants.n_replaced; i++) ct_free(texts[i]);
        ct_free(texts);
        if (ring && s.n_directions)
            ct_job_note(
                j, ct_format("%d direction%s not rational, replaced by rational unit vectors that "
                             "agree to %d digits",
                             s.n_directions, s.n_directions == 1 ? "" : "s", s.constants.digits));
        // the one assembly if nothing is unknown; else figures of the solver, and all assemblies
        // where there are finitely many
        if (!ring) {
            ct_placed_take_known(j, &s);
        } else {
            ct_job_take_figures(j, ring, &found);
            r->seconds = before + found.total_seconds;
            bool listed = j->factors.count <= CT_COMBINATIONS_MAX;
            if (!found.dimension && listed) ct_placed_take(j, &s, &found);
            r->total = r->count;
            r->total_real = r->real;
            if (!found.dimension && j->factors.n > 1) take_factors(j, &s);
        }
        // coordinates that stay free; joints whose equations contradict
        if (found.dimension > 0 && !r->n_free)
            ct_job_take_free(j, &s.system, &found, coordinate_name, &s);
        if (r->dimension < 0) offending_joints(j, &s, found.n_offending, found.offending);
    }
    ct_solutions_clear(&found);
    ct_factors_clear(&j->factors);
    ct_loop_system_clear(&s);
    return status;
}
