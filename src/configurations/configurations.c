// Every configuration: a polynomial system, from a file or from the loops of a mechanism, is solved
// exactly, and its solutions become values of the unknowns or joint coordinates of the model.
#include "configurations/factors.h"
#include "configurations/job.h"
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ct_configurations_result result;

void ct_configurations_options_init(ct_configurations_options *options) {
    *options = (ct_configurations_options){.branch = -1};
}

// polynomial systems ------------------------------------------------------------------------------
static void name_unknowns(result *r, const ct_polynomials *p) {
    const ct_trig_system *s = &p->system;
    r->values = ct_alloc(2 * (size_t)s->ring->n + 1, sizeof *r->values);
    for (int k = 0; k < s->ring->n; k++) {
        if (s->part[k] == CT_COSINE)
            r->values[r->n_values++] = ct_strdup(p->model->coordinates[s->symbol[k]].name);
        r->values[r->n_values++] = ct_strdup(s->ring->names[k]);
    }
}

static void take_unknowns(result *r, const ct_trig_system *system, const ct_solutions *found) {
    r->solutions = ct_alloc((size_t)found->count + 1, sizeof *r->solutions);
    for (int i = 0; i < found->count; i++) {
        const ct_solution *x = found->solutions + i;
        ct_configuration c = ct_configuration_new(r, x);
        int at = 0;
        for (int k = 0; k < system->ring->n; k++) {
            double complex z = x->re[k] + I * x->im[k];
            if (system->part[k] == CT_COSINE)
                ct_configuration_set(&c, at++,
                                     ct_complex_angle(z, x->re[k + 1] + I * x->im[k + 1]));
            ct_configuration_set(&c, at++, z);
            if (x->real && system->part[k] == CT_COSINE) c.im[at - 2] = 0;
        }
        r->solutions[r->count++] = c;
        r->real += x->real;
    }
    r->total = r->count;
    r->total_real = r->real;
}

static char *equation_text(const ct_polynomials *p, int i) {
    enum { SHOWN = 80 };
    if (i >= p->n) return ct_format("sin^2 + cos^2 = 1");
    char *text = ct_strdup(p->texts[i]);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20) *c = ' ';
    bool cut = strlen(text) > SHOWN;
    char *shown = ct_format("line %d: %.*s%s", p->places[i].line, SHOWN, text, cut ? "..." : "");
    ct_free(text);
    return shown;
}

static const char *unknown_name(const void *model, int symbol, int taken) {
    (void)taken;
    return ((const ct_model *)model)->coordinates[symbol].name;
}

static ct_status solve_polynomials(ct_configurations_job *j, const ct_polynomials *p) {
    result *r = j->out;
    const ct_trig_system *s = &p->system;
    ct_solutions found = {0};
    r->name = ct_strdup(p->model->name);
    r->unknowns = s->ring->n;
    r->equations = s->equations.n;
    j->solve.hide = p->hide;
    ct_job_note_stand_ins(j, CT_STAND_IN_DIGITS, p->n_stand_ins, p->stand_ins);
    ct_status status = ct_solve(j->ctx, s->ring, &s->equations, &j->solve, &found);
    if (status == CT_OK) {
        ct_job_take_figures(j, s->ring, &found);
        name_unknowns(r, p);
        if (found.dimension == 0) take_unknowns(r, s, &found);
        if (found.dimension > 0) ct_job_take_free(j, s, &found, unknown_name, p->model);
        int room = 0;
        for (int i = 0; found.dimension < 0 && i < found.n_offending; i++)
            *CT_PUSH(r->offending, r->n_offending, room) = equation_text(p, found.offending[i]);
    }
    ct_solutions_clear(&found);
    return status;
}

// entry -------------------------------------------------------------------------------------------
static CT_BELOW ct_status find_all(ct_context *ctx, const char *path, const char *text,
                                   size_t bytes, int n_set, const char *const *set,
                                   const ct_configurations_options *options, result **out) {
    // options, or the defaults
    ct_configurations_options defaults;
    ct_configurations_options_init(&defaults);
    *out = NULL;
    ct_configurations_job j = {.ctx = ctx, .options = options ? options : &defaults};
    j.out = ct_alloc(1, sizeof *j.out);
    ct_polynomials *polynomials = NULL;
    ct_model *model = NULL;
    ct_status status = ct_job_start(&j);
    // a polynomial system, if the file is one
    if (!status)
        status = ct_polynomials_read_text(ctx, path, text, bytes, n_set, set, j.options->hide, 0,
                                          NULL, &polynomials);
    if (!status && polynomials)
        status = solve_polynomials(&j, polynomials);
    else if (!status) {
        // else a mechanism
        status = ct_model_read_text(ctx, path, text, bytes, n_set, set, &model);
        if (!status) status = ct_refuse_switched(ctx, model, "configurations");
        if (!status) status = ct_solve_mechanism(&j, model);
    }
    if (status) {
        ct_configurations_free(j.out);
        return status;
    }
    *out = j.out;
    return CT_OK;
}

// Every block of a result, given to `end`: ct_free, or ct_release for the caller.
typedef void end_block(void *block);

static void end_strings(int n, char **s, end_block *end) {
    for (int i = 0; i < n && s; i++) end(s[i]);
    end(s);
}

static void end_solutions(int n, ct_configuration *s, end_block *end) {
    for (int i = 0; i < n; i++) {
        end(s[i].re);
        end(s[i].im);
    }
    end(s);
}

static void end_result(result *r, end_block *end) {
    // names and texts
    end(r->name);
    end(r->variable);
    end_strings(r->n_free, r->free, end);
    end_strings(r->n_offending, r->offending, end);
    end_strings(r->degree + 1, r->coefficients, end);
    end_strings(r->n_values, r->values, end);
    end_strings(r->n_notes, r->notes, end);
    // solutions, of the whole and of groups
    end_solutions(r->count, r->solutions, end);
    for (int g = 0; g < r->n_factors; g++) {
        end_strings(r->factors[g].n_values, r->factors[g].values, end);
        end_solutions(r->factors[g].count, r->factors[g].solutions, end);
    }
    end(r->factors);
    end(r);
}

static void release(result *r) {
    end_result(r, ct_release);
}

void ct_configurations_free(result *r) {
    if (r) end_result(r, ct_free);
}

ct_status ct_configurations_text(ct_context *ctx, const char *path, const char *text, size_t bytes,
                                 int n_set, const char *const *set,
                                 const ct_configurations_options *options, result **out) {
    CT_CALL_GIVES(ctx, NULL, out, release,
                  find_all(ctx, path, text, bytes, n_set, set, options, out));
}

static CT_BELOW ct_status find_in_file(ct_context *ctx, const char *path, int n_set,
                                       const char *const *set,
                                       const ct_configurations_options *options, result **out) {
    ct_text text = {0};
    ct_status status = ct_read_file(ctx, path, &text);
    if (!status)
        status = find_all(ctx, path, text.s ? text.s : "", text.n, n_set, set, options, out);
    ct_text_clear(&text);
    return status;
}

ct_status ct_configurations(ct_context *ctx, const char *path, int n_set, const char *const *set,
                            const ct_configurations_options *options, result **out) {
    CT_CALL_GIVES(ctx, NULL, out, release, find_in_file(ctx, path, n_set, set, options, out));
}
