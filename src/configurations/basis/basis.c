// Gröbner bases for people: of a polynomial system or of the loops of a mechanism, in the order and
// the unknowns of choice, exactly or to so many digits; resultants; dimension and degree.
#include "algebra/eliminate/eliminate.h"
#include "configurations/basis/basis_system.h"
#include "configurations/loops/loop_system.h"
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <stdlib.h>
#include <string.h>

typedef ct_basis_result result;

typedef struct job {
    ct_context *ctx;
    const ct_basis_options *options;
    ct_angle_form form;
    ct_order order;
    ct_groebner_options groebner;
    result *out;
    int room_notes;
} job;

void ct_basis_options_init(ct_basis_options *options) {
    *options = (ct_basis_options){0};
}

static void note(job *j, char *owned) {
    *CT_PUSH(j->out->notes, j->out->n_notes, j->room_notes) = owned;
}

static void pass_on(void *data, const char *stage, double share) {
    const job *j = data;
    ct_report(j->ctx, stage, share > 0 ? share : -1, j->options->stop != NULL);
}

static int choice(const char *text, int n, const char *const *names) {
    for (int i = 0; i < n && text; i++)
        if (!strcmp(text, names[i])) return i;
    return text ? -1 : 0;
}

static ct_status read_options(job *j) {
    static const char *const orders[] = {"degrevlex", "lex", "grlex"};
    static const ct_order order[] = {CT_DEGREVLEX, CT_LEX, CT_DEGLEX};
    static const char *const forms[] = {"sincos", "halfangle", "euler"};
    const ct_basis_options *o = j->options;
    int k = choice(o->order, 3, orders), form = choice(o->substitution, 3, forms);
    if (k < 0)
        return ct_fail(j->ctx, CT_USAGE, "unknown order '%s': lex, grlex or degrevlex", o->order);
    if (form < 0)
        return ct_fail(j->ctx, CT_USAGE, "unknown substitution '%s': sincos, halfangle or euler",
                       o->substitution);
    // digits go with numbers, proofs with exact ones
    if (o->digits && (o->digits < CT_DIGITS_MIN || o->digits > CT_DIGITS_MAX))
        return ct_fail(j->ctx, CT_USAGE, "--digits: %d to %d, not %d", CT_DIGITS_MIN, CT_DIGITS_MAX,
                       o->digits);
    if (o->digits && o->n_symbolic)
        return ct_fail(j->ctx, CT_USAGE, "--digits does not go with --symbolic");
    if (o->digits && o->prove)
        return ct_fail(j->ctx, CT_USAGE, "--digits does not go with --prove");
    j->order = order[k];
    j->form = (ct_angle_form)form;
    j->out->order = orders[k];
    j->out->substitution = forms[form];
    j->groebner = (ct_groebner_options){.prove = o->prove,
                                        .budget = {.seconds = o->seconds,
                                                   .bytes = o->bytes,
                                                   .progress = pass_on,
                                                   .progress_data = j,
                                                   .stop = o->stop}};
    ct_limits_call(&j->groebner.budget);
    return CT_OK;
}

// figures -----------------------------------------------------------------------------------------
static long degree_of(const ct_ring *ring, const ct_poly *f) {
    uint64_t degree = 0;
    for (slong i = 0; i < f->n; i++) {
        uint64_t d = ct_monomial_degree(ring, ct_poly_exps(ring, f, i));
        if (d > degree) degree = d;
    }
    return (long)degree;
}

static char *text_of(const ct_ring *ring, const ct_poly *f) {
    ct_text t = {0};
    ct_poly_print(ring, &t, f);
    char *text = ct_strdup(t.s);
    ct_text_clear(&t);
    return text;
}

// Multiplications and additions to evaluate the polynomials as they are written.
static void count_operations(result *r, const ct_ring *ring, const ct_polys *list) {
    for (int i = 0; i < list->n; i++) {
        const ct_poly *f = &list->p[i];
        r->additions += f->n - 1;
        for (slong k = 0; k < f->n; k++) {
            long degree = (long)ct_monomial_degree(ring, ct_poly_exps(ring, f, k));
            bool one = ring->n_symbols ? fmpz_mpoly_is_one(f->symbolic + k, ring->symbol_ctx)
                                       : fmpz_is_pm1(f->coefs + k);
            r->multiplications += degree - (one && degree);
        }
    }
}

static void take_ring(result *r, const ct_basis_system *system) {
    const ct_ring *ring = system->ring;
    r->variables = ct_alloc((size_t)ring->n + 1, sizeof *r->variables);
    r->symbols = ct_alloc((size_t)ring->n_symbols + 1, sizeof *r->symbols);
    for (int k = 0; k < ring->n; k++) r->variables[r->n_variables++] = ct_strdup(ring->names[k]);
    for (int k = 0; k < ring->n_symbols; k++)
        r->symbols[r->n_symbols++] = ct_strdup(ring->symbols[k]);
    r->equations = system->equations.n;
    for (int i = 0; i < system->equations.n; i++) {
        long d = degree_of(ring, &system->equations.p[i]);
        if (d > r->input_degree) r->input_degree = d;
    }
}

static void take_basis(result *r, const ct_ring *ring, const ct_polys *basis, char **texts) {
    r->generators = ct_alloc((size_t)basis->n + 1, sizeof *r->generators);
    r->degrees = ct_alloc((size_t)basis->n + 1, sizeof *r->degrees);
    for (int i = 0; i < basis->n; i++) {
        r->degrees[i] = degree_of(ring, &basis->p[i]);
        r->generators[r->n_generators++] =
            texts ? ct_strdup(texts[i]) : text_of(ring, &basis->p[i]);
    }
}

static void take_ideal(result *r, const ct_ring *ring, const ct_polys *basis) {
    ct_ideal_info info = ct_ideal(ring, basis);
    r->dimension = info.dimension;
    r->degree = (long)info.degree;
}

// bases -------------------------------------------------------------------------------------------
// From the degrevlex basis to the order of choice.
static ct_status change_order(job *j, const ct_ring *ring, ct_polys *basis, const ct_ring *from,
                              const ct_polys *known) {
    if (j->out->dimension == 0 && !ring->n_symbols)
        return ct_change_order(j->ctx, ring, basis, from, known, &j->groebner);
    ct_polys in = {0};
    for (int i = 0; i < known->n; i++)
        ct_poly_convert(ring, ct_polys_add(&in), from, &known->p[i], NULL);
    ct_status status = ct_groebner(j->ctx, ring, basis, &in, &j->groebner);
    ct_polys_clear(ring, &in);
    return status;
}

static ct_status exact_basis(job *j, const ct_basis_system *system) {
    result *r = j->out;
    // degrevlex first: it tells dimension and degree
    const ct_ring *ring = system->ring;
    ct_ring *first = ct_ring_reorder(j->ctx, ring, 1, &(ct_order_block){ring->n, CT_DEGREVLEX});
    ct_polys in = {0}, known = {0}, basis = {0};
    for (int i = 0; i < system->equations.n; i++)
        ct_poly_convert(first, ct_polys_add(&in), ring, &system->equations.p[i], NULL);
    ct_status status = ct_groebner(j->ctx, first, &known, &in, &j->groebner);
    if (!status) {
        take_ideal(r, first, &known);
        if (j->order == CT_DEGREVLEX)
            for (int i = 0; i < known.n; i++) ct_poly_set(ring, ct_polys_add(&basis), &known.p[i]);
        else
            status = change_order(j, ring, &basis, first, &known);
    }
    // exact with symbols; else what was checked, and what is proved where that is asked for
    r->proved = ring->n_symbols > 0;
    if (!status && j->options->prove && !r->proved)
        status =
            ct_groebner_prove(j->ctx, ring, &basis, &system->equations, &j->groebner, &r->proved);
    if (!status && r->proved && j->order != CT_DEGREVLEX && !ring->n_symbols)
        r->proved = ct_is_groebner(ring, &basis, 0);
    if (!status) {
        take_basis(r, ring, &basis, NULL);
        count_operations(r, ring, &basis);
    }
    ct_polys_clear(first, &in);
    ct_polys_clear(first, &known);
    ct_polys_clear(ring, &basis);
    ct_ring_free(first);
    return status;
}

static ct_status approximate_basis(job *j, const ct_basis_system *system) {
    result *r = j->out;
    ct_approximate a = {0};
    ct_status status = ct_groebner_approximate(j->ctx, system->ring, &a, &system->equations,
                                               j->options->digits, &j->groebner.budget);
    if (!status) {
        r->digits = j->options->digits;
        take_ideal(r, system->ring, &a.leads);
        take_basis(r, system->ring, &a.leads, a.texts);
    }
    ct_approximate_clear(system->ring, &a);
    return status;
}

// resultants --------------------------------------------------------------------------------------
static bool holds(const ct_ring *ring, const ct_poly *f, int unknown) {
    for (slong i = 0; i < f->n; i++)
        if (ct_poly_exps(ring, f, i)[unknown]) return true;
    return false;
}

// Equations without the unknown stay; the first one that holds it meets each of the others.
static ct_status eliminate(job *j, const ct_ring *ring, ct_polys *list, int unknown) {
    ct_polys next = {0};
    ct_status status = CT_OK;
    int first = -1;
    for (int i = 0; i < list->n && !status; i++) {
        if (!holds(ring, &list->p[i], unknown))
            ct_poly_set(ring, ct_polys_add(&next), &list->p[i]);
        else if (first < 0)
            first = i;
        else
            status = ct_resultant(j->ctx, ring, ct_polys_add(&next), &list->p[first], &list->p[i],
                                  unknown);
    }
    ct_polys_clear(ring, list);
    *list = next;
    return status;
}

static ct_status find_resultants(job *j, const ct_basis_system *system) {
    const ct_basis_options *o = j->options;
    const ct_ring *ring = system->ring;
    result *r = j->out;
    if (!o->n_resultant) return CT_OK;
    if (ring->n_symbols)
        return ct_fail(j->ctx, CT_USAGE,
                       "--resultant keeps the other unknowns symbolic by itself: leave --symbolic "
                       "out");
    ct_polys list = {0};
    ct_status status = CT_OK;
    for (int i = 0; i < system->equations.n; i++)
        ct_poly_set(ring, ct_polys_add(&list), &system->equations.p[i]);
    // one unknown after the other
    for (int i = 0; i < o->n_resultant && !status; i++) {
        int k = ct_ring_find(ring, o->resultant[i]);
        if (k < 0)
            status = ct_fail(j->ctx, CT_WRONG_MODEL, "--resultant: there is no unknown '%s'",
                             o->resultant[i]);
        else
            status = eliminate(j, ring, &list, k);
    }
    r->resultants = ct_alloc((size_t)list.n + 1, sizeof *r->resultants);
    for (int i = 0; i < list.n && !status; i++)
        r->resultants[r->n_resultants++] = text_of(ring, &list.p[i]);
    ct_polys_clear(ring, &list);
    return status;
}

// from the file -----------------------------------------------------------------------------------
static ct_status find_basis(job *j, const ct_trig_system *from) {
    const ct_basis_options *o = j->options;
    if (!from->ring) return ct_fail(j->ctx, CT_WRONG_MODEL, "there are no unknowns");
    ct_basis_system s;
    ct_status status = ct_basis_system_new(j->ctx, from, j->form, j->order,
                                           (ct_name_list){o->n_variables, o->variables},
                                           (ct_name_list){o->n_symbolic, o->symbolic}, &s);
    if (!status) {
        take_ring(j->out, &s);
        status = o->digits ? approximate_basis(j, &s) : exact_basis(j, &s);
    }
    if (!status) status = find_resultants(j, &s);
    ct_basis_system_clear(&s);
    return status;
}

// True if a coordinate is named among unknowns or symbols, as itself or by one of its unknowns.
static bool is_free(const ct_basis_options *options, const char *name) {
    for (int list = 0; list < 2; list++)
        for (int i = 0; i < (list ? options->n_symbolic : options->n_variables); i++) {
            const char *given = list ? options->symbolic[i] : options->variables[i];
            if (!strcmp(given, name)) return true;
            if (*given && given[1] == '_' && strchr("cste", *given) && !strcmp(given + 2, name))
                return true;
        }
    return false;
}

// The model without the values that `initial` and motions give to coordinates that shall be free.
static ct_model without_given(const ct_model *model, const ct_basis_options *options) {
    ct_model copy = *model;
    copy.initial = ct_alloc((size_t)model->n_initial + 1, sizeof *copy.initial);
    copy.motions = ct_alloc((size_t)model->n_motions + 1, sizeof *copy.motions);
    copy.n_initial = copy.n_motions = 0;
    for (int i = 0; i < model->n_initial; i++)
        if (!is_free(options, model->coordinates[model->initial[i].coordinate].name))
            copy.initial[copy.n_initial++] = model->initial[i];
    for (int i = 0; i < model->n_motions; i++)
        if (model->motions[i].coordinate < 0 ||
            !is_free(options, model->coordinates[model->motions[i].coordinate].name))
            copy.motions[copy.n_motions++] = model->motions[i];
    return copy;
}

static int free_parameters(const ct_model *model, const ct_basis_options *options, ct_ex *symbols) {
    int n = 0;
    for (int i = 0; i < options->n_symbolic; i++) {
        for (int k = 0; k < model->n_parameters; k++)
            if (!strcmp(model->parameters[k].name, options->symbolic[i]))
                symbols[n++] = model->parameters[k].symbol;
        for (int k = 0; k < model->n_inputs; k++)
            if (!strcmp(model->inputs[k].name, options->symbolic[i]))
                symbols[n++] = model->inputs[k].symbol;
    }
    return n;
}

static ct_status of_mechanism(job *j, const ct_model *model) {
    const ct_basis_options *o = j->options;
    ct_model free = without_given(model, o);
    ct_ex *symbols = ct_alloc((size_t)o->n_symbolic + 1, sizeof *symbols);
    int n = free_parameters(model, o, symbols);
    // all rows; independent ones alone where rounded numbers make rows contradict each other
    ct_status status = CT_OK;
    for (int complete = 1; complete >= 0 && !status; complete--) {
        ct_loop_options options = {
            .complete = complete, .digits = CT_GEOMETRY_DIGITS, .symbolic = {n, symbols}};
        ct_loop_system s;
        status = ct_loop_system_new(j->ctx, &free, &options, &s);
        if (!status) status = find_basis(j, &s.system);
        bool rounded = !status && ct_loop_system_rounded(&s);
        ct_loop_system_clear(&s);
        bool again = rounded && complete && j->out->dimension < 0;
        if (!again) {
            if (rounded)
                note(j, ct_format("numbers that are not rational are replaced by fractions that "
                                  "agree to %d digits",
                                  CT_GEOMETRY_DIGITS));
            break;
        }
        ct_basis_result_reset(j->out);
    }
    j->out->name = ct_strdup(model->name);
    j->out->mechanism = true;
    ct_free(free.initial);
    ct_free(free.motions);
    ct_free(symbols);
    return status;
}

static ct_status of_polynomials(job *j, const ct_polynomials *p) {
    ct_status status = find_basis(j, &p->system);
    j->out->name = ct_strdup(p->model->name);
    if (p->n_stand_ins && !status) {
        ct_text list = {0};
        for (int i = 0; i < p->n_stand_ins; i++)
            ct_text_printf(&list, "%s%s", i ? ", " : "", p->stand_ins[i]);
        note(j, ct_format("not rational, replaced by fractions that agree to %d digits: %s",
                          CT_STAND_IN_DIGITS, list.s));
        ct_text_clear(&list);
    }
    return status;
}

static CT_BELOW ct_status find_in_file(ct_context *ctx, const char *path, int n_set,
                                       const char *const *set, const ct_basis_options *options,
                                       result **out) {
    // options, or the defaults
    ct_basis_options defaults;
    ct_basis_options_init(&defaults);
    *out = NULL;
    double start = ct_seconds();
    job j = {.ctx = ctx, .options = options ? options : &defaults};
    j.out = ct_alloc(1, sizeof *j.out);
    // a polynomial system, or else a mechanism
    ct_text text = {0};
    ct_polynomials *polynomials = NULL;
    ct_model *model = NULL;
    ct_status status = read_options(&j);
    if (!status) status = ct_read_file(ctx, path, &text);
    const char *bytes = text.s ? text.s : "";
    if (!status)
        status = ct_polynomials_read_text(ctx, path, bytes, text.n, n_set, set, NULL,
                                          j.options->n_symbolic, j.options->symbolic, &polynomials);
    if (!status && polynomials) {
        status = of_polynomials(&j, polynomials);
    } else if (!status) {
        status = ct_model_read_text(ctx, path, bytes, text.n, n_set, set, &model);
        if (!status) status = ct_refuse_switched(ctx, model, "bases");
        if (!status) status = of_mechanism(&j, model);
    }
    ct_text_clear(&text);
    // result
    j.out->seconds = ct_seconds() - start;
    if (status)
        ct_basis_free(j.out);
    else
        *out = j.out;
    return status;
}

ct_status ct_basis(ct_context *ctx, const char *path, int n_set, const char *const *set,
                   const ct_basis_options *options, result **out) {
    CT_CALL_GIVES(ctx, NULL, out, ct_basis_result_release,
                  find_in_file(ctx, path, n_set, set, options, out));
}
