// Angles as polynomials, unknowns in order:
//   c = (1 - t^2)/(1 + t^2),  s = 2 t/(1 + t^2);   c = (1 + e^2)/(2 e),  s = j (1 - e^2)/(2 e).
// An equation of degree d in one angle is multiplied by the d-th power of the denominator.
#include "configurations/basis/basis_system.h"

#include <flint/fmpz_mpoly.h>

#include <stdlib.h>
#include <string.h>

// An unknown of the result.
typedef struct target {
    char *name, *base; // base: of its angle, or the name
    int symbol;        // its place among the symbols, -1: an unknown
    int place;         // among the unknowns
} target;

typedef struct conversion {
    ct_context *ctx;
    const ct_trig_system *from;
    ct_angle_form form;
    int n;
    target *to;
    int *first; // [from->ring->n] target of an unknown; of the cosine: the angle's first one
    int unit;   // target of j, -1: none
    fmpz_mpoly_ctx_t flint;
} conversion;

// unknowns ----------------------------------------------------------------------------------------
static int add_target(conversion *c, const char *prefix, const char *base) {
    c->to[c->n] = (target){.name = ct_format("%s%s", prefix, base),
                           .base = ct_strdup(base),
                           .symbol = -1,
                           .place = -1};
    return c->n++;
}

static void find_targets(conversion *c) {
    const ct_ring *ring = c->from->ring;
    bool angles = false;
    c->to = ct_alloc((size_t)ring->n + 1, sizeof *c->to);
    c->first = ct_alloc((size_t)ring->n + 1, sizeof *c->first);
    for (int k = 0; k < ring->n; k++) {
        if (c->from->part[k] == CT_ITSELF) c->first[k] = add_target(c, "", ring->names[k]);
        if (c->from->part[k] != CT_COSINE) continue;
        const char *base = ring->names[k] + 2; // behind c_
        static const char *const prefix[] = {"c_", "t_", "e_"};
        c->first[k] = c->first[k + 1] = add_target(c, prefix[c->form], base);
        if (c->form == CT_SINE_COSINE) c->first[k + 1] = add_target(c, "s_", base);
        angles = true;
    }
    c->unit = angles && c->form == CT_EULER ? add_target(c, "", "j") : -1;
}

static bool is_named(const target *t, const char *name) {
    return !strcmp(t->name, name) || !strcmp(t->base, name);
}

static ct_status no_such_name(const conversion *c, const char *option, const char *name) {
    const char **names = ct_alloc((size_t)c->n + 1, sizeof *names);
    for (int i = 0; i < c->n; i++) names[i] = c->to[i].name;
    const char *near = ct_nearest(name, names, c->n);
    ct_status status =
        ct_fail(c->ctx, CT_WRONG_MODEL, "%s: there is no unknown '%s'%s%s%s", option, name,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    ct_free(names);
    return status;
}

static ct_status place_symbols(conversion *c, ct_name_list symbolic, int *n_symbols) {
    for (int i = 0; i < symbolic.n; i++) {
        bool found = false;
        for (int k = 0; k < c->n; k++) {
            target *t = c->to + k;
            if (!is_named(t, symbolic.names[i])) continue;
            found = true;
            if (t->symbol >= 0) continue;
            if (strcmp(t->name, t->base) && c->form != CT_HALF_ANGLE)
                return ct_fail(c->ctx, CT_WRONG_MODEL,
                               "--symbolic: '%s' is an angle, whose cosine and sine depend on each "
                               "other: use --substitution halfangle, or put it last with "
                               "--variables",
                               t->base);
            t->symbol = (*n_symbols)++;
        }
        if (!found) return no_such_name(c, "--symbolic", symbolic.names[i]);
    }
    return CT_OK;
}

static ct_status place_unknowns(conversion *c, ct_name_list variables, int *n) {
    for (int i = 0; i < variables.n; i++) {
        bool found = false;
        for (int k = 0; k < c->n; k++) {
            target *t = c->to + k;
            if (!is_named(t, variables.names[i])) continue;
            found = true;
            if (t->place < 0 && t->symbol < 0) t->place = (*n)++;
        }
        if (!found) return no_such_name(c, "--variables", variables.names[i]);
    }
    for (int k = 0; k < c->n; k++)
        if (c->to[k].place < 0 && c->to[k].symbol < 0) c->to[k].place = (*n)++;
    return CT_OK;
}

static ct_ring *make_ring(const conversion *c, ct_order order, int n, int n_symbols) {
    const char **names = ct_alloc((size_t)n + 1, sizeof *names),
               **symbols = ct_alloc((size_t)n_symbols + 1, sizeof *symbols);
    for (int k = 0; k < c->n; k++) {
        if (c->to[k].symbol >= 0)
            symbols[c->to[k].symbol] = c->to[k].name;
        else
            names[c->to[k].place] = c->to[k].name;
    }
    ct_order_block block = {n, order};
    ct_ring *ring = n ? ct_ring_new(c->ctx, n, names, 1, &block, n_symbols, symbols) : NULL;
    if (!n) ct_fail(c->ctx, CT_WRONG_MODEL, "there are no unknowns left");
    ct_free(names);
    ct_free(symbols);
    return ring;
}

// polynomials -------------------------------------------------------------------------------------
// a x^2 + b of an unknown, to a power, times f
static void times_power(const conversion *c, fmpz_mpoly_t f, int unknown, slong a, slong b,
                        uint32_t power) {
    fmpz_mpoly_t x;
    fmpz_mpoly_init(x, c->flint);
    fmpz_mpoly_gen(x, unknown, c->flint);
    fmpz_mpoly_mul(x, x, x, c->flint);
    fmpz_mpoly_scalar_mul_si(x, x, a, c->flint);
    fmpz_mpoly_add_si(x, x, b, c->flint);
    fmpz_mpoly_pow_ui(x, x, power, c->flint);
    fmpz_mpoly_mul(f, f, x, c->flint);
    fmpz_mpoly_clear(x, c->flint);
}

static void times_variable(const conversion *c, fmpz_mpoly_t f, int unknown, uint32_t power,
                           slong by) {
    fmpz_mpoly_t x;
    fmpz_mpoly_init(x, c->flint);
    fmpz_mpoly_gen(x, unknown, c->flint);
    fmpz_mpoly_scalar_mul_si(x, x, by, c->flint);
    fmpz_mpoly_pow_ui(x, x, power, c->flint);
    fmpz_mpoly_mul(f, f, x, c->flint);
    fmpz_mpoly_clear(x, c->flint);
}

// c^p s^q of one angle in an equation of degree d in it
static void times_angle(const conversion *c, fmpz_mpoly_t f, int k, uint32_t p, uint32_t q,
                        uint32_t d) {
    int x = c->first[k];
    if (c->form == CT_SINE_COSINE) {
        times_variable(c, f, x, p, 1);
        times_variable(c, f, c->first[k + 1], q, 1);
    } else if (c->form == CT_HALF_ANGLE) {
        times_power(c, f, x, -1, 1, p); // 1 - t^2
        times_variable(c, f, x, q, 2);
        times_power(c, f, x, 1, 1, d - p - q); // 1 + t^2
    } else {
        times_power(c, f, x, 1, 1, p);  // 1 + e^2
        times_power(c, f, x, -1, 1, q); // j (1 - e^2)
        times_variable(c, f, c->unit, q, 1);
        times_variable(c, f, x, d - p - q, 2);
    }
}

static void convert(const conversion *c, fmpz_mpoly_t out, const ct_poly *f) {
    const ct_ring *ring = c->from->ring;
    // degree in each angle
    uint32_t degree[CT_UNKNOWNS_MAX] = {0};
    for (slong i = 0; i < f->n; i++)
        for (int k = 0; k < ring->n; k++) {
            const uint32_t *e = ct_poly_exps(ring, f, i);
            if (c->from->part[k] == CT_COSINE && e[k] + e[k + 1] > degree[k])
                degree[k] = e[k] + e[k + 1];
        }
    // term by term
    fmpz_mpoly_t term;
    fmpz_mpoly_init(term, c->flint);
    fmpz_mpoly_zero(out, c->flint);
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        fmpz_mpoly_set_fmpz(term, f->coefs + i, c->flint);
        for (int k = 0; k < ring->n; k++) {
            if (c->from->part[k] == CT_ITSELF) times_variable(c, term, c->first[k], e[k], 1);
            if (c->from->part[k] == CT_COSINE) times_angle(c, term, k, e[k], e[k + 1], degree[k]);
        }
        fmpz_mpoly_add(out, out, term, c->flint);
    }
    fmpz_mpoly_clear(term, c->flint);
}

// One term into the ring: unknowns, symbols, powers of j by j^2 = -1.
static void push_term(const conversion *c, const ct_ring *ring, ct_poly *out, ulong *e,
                      fmpz_t coefficient) {
    uint32_t exps[CT_UNKNOWNS_MAX] = {0};
    ulong *symbol = ct_alloc((size_t)ring->n_symbols + 1, sizeof *symbol);
    if (c->unit >= 0) {
        if (e[c->unit] % 4 >= 2) fmpz_neg(coefficient, coefficient);
        e[c->unit] %= 2;
    }
    for (int k = 0; k < c->n; k++) {
        if (c->to[k].symbol >= 0)
            symbol[c->to[k].symbol] = e[k];
        else
            exps[c->to[k].place] = (uint32_t)e[k];
    }
    if (ring->n_symbols) {
        fmpz_mpoly_t s;
        fmpz_mpoly_init(s, ring->symbol_ctx);
        fmpz_mpoly_push_term_fmpz_ui(s, coefficient, symbol, ring->symbol_ctx);
        ct_poly_push_symbolic(ring, out, exps, s);
        fmpz_mpoly_clear(s, ring->symbol_ctx);
    } else {
        ct_poly_push(ring, out, exps, coefficient);
    }
    ct_free(symbol);
}

static void add_equation(const conversion *c, const ct_ring *ring, ct_poly *out,
                         const fmpz_mpoly_t f) {
    ulong *e = ct_alloc((size_t)c->n + 1, sizeof *e);
    fmpz_t coefficient;
    fmpz_init(coefficient);
    for (slong i = 0; i < fmpz_mpoly_length(f, c->flint); i++) {
        fmpz_mpoly_get_term_exp_ui(e, f, i, c->flint);
        fmpz_mpoly_get_term_coeff_fmpz(coefficient, f, i, c->flint);
        push_term(c, ring, out, e, coefficient);
    }
    ct_poly_canonical(ring, out);
    fmpz_clear(coefficient);
    ct_free(e);
}

static void add_equations(const conversion *c, ct_basis_system *out) {
    const ct_ring *ring = c->from->ring;
    // identities are the last ones
    int n = c->from->equations.n;
    for (int k = 0; k < ring->n; k++) n -= c->from->part[k] == CT_COSINE;
    out->n_given = n;
    if (c->form == CT_SINE_COSINE) n = c->from->equations.n;
    fmpz_mpoly_t f;
    fmpz_mpoly_init(f, c->flint);
    for (int i = 0; i < n; i++) {
        convert(c, f, &c->from->equations.p[i]);
        add_equation(c, out->ring, ct_polys_add(&out->equations), f);
    }
    // j^2 + 1
    if (c->unit >= 0) {
        fmpz_t one;
        uint32_t e[CT_UNKNOWNS_MAX] = {0};
        fmpz_init_set_ui(one, 1);
        ct_poly *g = ct_polys_add(&out->equations);
        ct_poly_push(out->ring, g, e, one);
        e[c->to[c->unit].place] = 2;
        ct_poly_push(out->ring, g, e, one);
        ct_poly_canonical(out->ring, g);
        fmpz_clear(one);
    }
    fmpz_mpoly_clear(f, c->flint);
}

ct_status ct_basis_system_new(ct_context *ctx, const ct_trig_system *from, ct_angle_form form,
                              ct_order order, ct_name_list variables, ct_name_list symbolic,
                              ct_basis_system *out) {
    conversion c = {.ctx = ctx, .from = from, .form = form};
    int n = 0, n_symbols = 0;
    *out = (ct_basis_system){0};
    find_targets(&c);
    fmpz_mpoly_ctx_init(c.flint, c.n, ORD_LEX);
    ct_status status = place_symbols(&c, symbolic, &n_symbols);
    if (!status && n_symbols && c.unit >= 0)
        status = ct_fail(ctx, CT_USAGE, "--symbolic does not go with --substitution euler");
    if (!status) status = place_unknowns(&c, variables, &n);
    if (!status) out->ring = make_ring(&c, order, n, n_symbols);
    if (!status && !out->ring) status = CT_WRONG_MODEL;
    if (!status) add_equations(&c, out);
    for (int k = 0; k < c.n; k++) {
        ct_free(c.to[k].name);
        ct_free(c.to[k].base);
    }
    fmpz_mpoly_ctx_clear(c.flint);
    ct_free(c.to);
    ct_free(c.first);
    return status;
}

void ct_basis_system_clear(ct_basis_system *system) {
    if (system->ring) {
        ct_polys_clear(system->ring, &system->equations);
        ct_ring_free(system->ring);
    }
    *system = (ct_basis_system){0};
}
