// Expressions as polynomials: sums and products by FLINT, sines and cosines of integer combinations
// of unknowns by  exp(i(u + v)) = exp(iu) exp(iv).
#include "configurations/trig/trig_poly.h"

#include "expr/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PLENTY = 1e12; // terms: far above CT_TERMS_MAX, no need to count on
enum { MOST_FACTORS = 64 }; // of the binomial coefficient: beyond, the estimate is from below

static const char *fail(ct_trig_error *error, const char *format, ...) CT_PRINTF(2, 3);

static const char *fail(ct_trig_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ct_vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return error->message;
}

void ct_trig_init(ct_trig *trig, ct_rationals *rationals, int n, const ct_ex *symbols) {
    *trig = (ct_trig){.pool = rationals->pool, .constants = rationals, .n = n, .symbols = symbols};
    fmpq_mpoly_ctx_init(trig->ctx, 3 * n, ORD_DEGREVLEX);
}

void ct_trig_clear(ct_trig *trig) {
    fmpq_mpoly_ctx_clear(trig->ctx);
}

void ct_trig_variable(const ct_trig *trig, fmpq_mpoly_t f, int symbol, int part) {
    bool known = trig->known && trig->known[symbol];
    const fmpq *values[] = {trig->value, trig->cosine, trig->sine};
    if (known)
        fmpq_mpoly_set_fmpq(f, values[part] + symbol, trig->ctx);
    else
        fmpq_mpoly_gen(f, 3 * symbol + part, trig->ctx);
}

// limits ------------------------------------------------------------------------------------------
static slong degree(const ct_trig *trig, const fmpq_mpoly_t f) {
    if (!fmpq_mpoly_total_degree_fits_si(f, trig->ctx)) return 2 * CT_DEGREE_MAX;
    return fmpq_mpoly_total_degree_si(f, trig->ctx);
}

static double coefficient_bits(const ct_trig *trig, const fmpq_mpoly_t f) {
    (void)trig;
    slong most = fmpz_mpoly_max_bits(f->zpoly);
    return (double)(most < 0 ? -most : most) + (double)fmpq_height_bits(f->content);
}

static const char *check(ct_trig_error *error, double degrees, double terms, double bits) {
    if (degrees > CT_DEGREE_MAX)
        return fail(error, "this would have degree %.0f, which is beyond what can be solved (%d)",
                    degrees, CT_DEGREE_MAX);
    if (terms > CT_TERMS_MAX || terms * bits > CT_BITS_MAX)
        return fail(error, "this is too large when multiplied out: write it in smaller pieces");
    return NULL;
}

const char *ct_trig_mul(const ct_trig *trig, fmpq_mpoly_t f, const fmpq_mpoly_t g,
                        const fmpq_mpoly_t h, ct_trig_error *error) {
    const char *wrong =
        check(error, (double)degree(trig, g) + (double)degree(trig, h),
              (double)fmpq_mpoly_length(g, trig->ctx) * (double)fmpq_mpoly_length(h, trig->ctx),
              coefficient_bits(trig, g) + coefficient_bits(trig, h));
    if (!wrong) fmpq_mpoly_mul(f, g, h, trig->ctx);
    return wrong;
}

const char *ct_trig_power(const ct_trig *trig, fmpq_mpoly_t f, const fmpq_mpoly_t g, ulong exponent,
                          ct_trig_error *error) {
    // (t + e - 1 over e) terms at most
    double e = (double)exponent, t = (double)fmpq_mpoly_length(g, trig->ctx), terms = 1;
    for (double k = 1; k < t && k < MOST_FACTORS && terms < PLENTY; k++) terms *= (e + k) / k;
    const char *wrong = check(error, e * (double)degree(trig, g), terms,
                              e * (coefficient_bits(trig, g) + log2(t + 1)));
    if (wrong) return wrong;
    if (!fmpq_mpoly_pow_ui(f, g, exponent, trig->ctx))
        return fail(error, "this power is too large");
    return NULL;
}

// angles ------------------------------------------------------------------------------------------
static int find(const ct_trig *trig, ct_ex symbol) {
    for (int k = 0; k < trig->n; k++)
        if (trig->symbols[k] == symbol) return k;
    return -1;
}

static bool is_constant(const ct_trig *trig, ct_ex a) {
    if (!ct_ex_kinds(trig->pool, a)) return true;
    for (int k = 0; k < trig->n; k++)
        if (ct_depends(trig->pool, a, trig->symbols[k])) return false;
    return true;
}

// (c, s) = (c u - s v, s u + c v): the angle of (c, s) plus that of (u, v).
static const char *turn(const ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, const fmpq_mpoly_t u,
                        const fmpq_mpoly_t v, ct_trig_error *error) {
    fmpq_mpoly_t a, b, d;
    fmpq_mpoly_init(a, trig->ctx);
    fmpq_mpoly_init(b, trig->ctx);
    fmpq_mpoly_init(d, trig->ctx);
    const char *wrong = ct_trig_mul(trig, a, c, u, error);
    if (!wrong) wrong = ct_trig_mul(trig, b, s, v, error);
    if (!wrong) fmpq_mpoly_sub(d, a, b, trig->ctx);
    if (!wrong) wrong = ct_trig_mul(trig, a, c, v, error);
    if (!wrong) wrong = ct_trig_mul(trig, b, s, u, error);
    if (!wrong) {
        fmpq_mpoly_add(s, a, b, trig->ctx);
        fmpq_mpoly_swap(c, d, trig->ctx);
    }
    fmpq_mpoly_clear(a, trig->ctx);
    fmpq_mpoly_clear(b, trig->ctx);
    fmpq_mpoly_clear(d, trig->ctx);
    return wrong;
}

static const char *turn_by_symbol(const ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, int k,
                                  slong times, ct_trig_error *error) {
    fmpq_mpoly_t u, v;
    const char *wrong = NULL;
    fmpq_mpoly_init(u, trig->ctx);
    fmpq_mpoly_init(v, trig->ctx);
    ct_trig_variable(trig, u, k, CT_COSINE);
    ct_trig_variable(trig, v, k, CT_SINE);
    if (times < 0) fmpq_mpoly_neg(v, v, trig->ctx);
    for (slong i = 0; i < labs(times) && !wrong; i++) wrong = turn(trig, c, s, u, v, error);
    fmpq_mpoly_clear(u, trig->ctx);
    fmpq_mpoly_clear(v, trig->ctx);
    return wrong;
}

static const char *turn_by_constant(ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, ct_ex angle,
                                    ct_trig_error *error) {
    if (angle == CT_ZERO) return NULL;
    fmpq_t x, y;
    fmpq_mpoly_t u, v;
    fmpq_init(x);
    fmpq_init(y);
    fmpq_mpoly_init(u, trig->ctx);
    fmpq_mpoly_init(v, trig->ctx);
    const char *wrong = NULL;
    if (ct_rational_circle(trig->constants, angle, x, y)) {
        fmpq_mpoly_set_fmpq(u, x, trig->ctx);
        fmpq_mpoly_set_fmpq(v, y, trig->ctx);
        wrong = turn(trig, c, s, u, v, error);
    } else {
        wrong = fail(error, "an angle in it has no finite value");
    }
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_mpoly_clear(u, trig->ctx);
    fmpq_mpoly_clear(v, trig->ctx);
    return wrong;
}

// times * term of an angle: a symbol, or else something constant (added to *rest).
static const char *angle_term(ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, ct_ex times,
                              ct_ex term, ct_ex *rest, ct_trig_error *error) {
    enum { MULTIPLE_MAX = 50 };
    fmpq_t q;
    int k = find(trig, term);
    const char *wrong = NULL;
    if (k < 0) {
        if (!is_constant(trig, term))
            return fail(error, "sin and cos may hold sums and whole multiples of unknowns only");
        *rest = ct_add(trig->pool, *rest, ct_mul(trig->pool, times, term));
        return NULL;
    }
    fmpq_init(q);
    ct_number_get(trig->pool, times, q);
    if (fmpz_is_one(fmpq_denref(q)) && fmpz_bits(fmpq_numref(q)) < 16 &&
        labs(fmpz_get_si(fmpq_numref(q))) <= MULTIPLE_MAX)
        wrong = turn_by_symbol(trig, c, s, k, fmpz_get_si(fmpq_numref(q)), error);
    else
        wrong = fail(error,
                     "sin and cos may hold whole multiples (up to %d) of '%.40s' only: take a "
                     "smaller angle as the unknown",
                     MULTIPLE_MAX, ct_symbol_name(trig->pool, term));
    fmpq_clear(q);
    return wrong;
}

// times * a, taken apart into its terms
static const char *angle_terms(ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, ct_ex times, ct_ex a,
                               ct_ex *rest, ct_trig_error *error) {
    ct_op op = ct_ex_op(trig->pool, a);
    int n = ct_child_count(trig->pool, a);
    const char *wrong = NULL;
    if (op == CT_OP_PRODUCT && n == 3 && ct_child(trig->pool, a, 2) == CT_ONE)
        return angle_terms(trig, c, s, ct_mul(trig->pool, times, ct_child(trig->pool, a, 0)),
                           ct_child(trig->pool, a, 1), rest, error);
    if (op == CT_OP_LET)
        return angle_terms(trig, c, s, times, ct_child(trig->pool, a, 0), rest, error);
    if (op != CT_OP_SUM) return angle_term(trig, c, s, times, a, rest, error);
    *rest = ct_add(trig->pool, *rest, ct_mul(trig->pool, times, ct_child(trig->pool, a, 0)));
    for (int i = 1; i < n && !wrong; i += 2)
        wrong = angle_terms(trig, c, s, ct_mul(trig->pool, times, ct_child(trig->pool, a, i)),
                            ct_child(trig->pool, a, i + 1), rest, error);
    return wrong;
}

const char *ct_trig_angle(ct_trig *trig, fmpq_mpoly_t c, fmpq_mpoly_t s, ct_ex angle,
                          ct_trig_error *error) {
    ct_ex rest = CT_ZERO;
    fmpq_mpoly_one(c, trig->ctx);
    fmpq_mpoly_zero(s, trig->ctx);
    angle = ct_substitute(trig->constants->known, angle);
    const char *wrong = angle_terms(trig, c, s, CT_ONE, angle, &rest, error);
    return wrong ? wrong : turn_by_constant(trig, c, s, rest, error);
}

// expressions -------------------------------------------------------------------------------------
static const char *sum(const ct_trig *trig, fmpq_mpoly_struct *f, ct_ex a, fmpq_mpoly_struct *of,
                       const uint32_t *at) {
    fmpq_mpoly_t term;
    fmpq_mpoly_init(term, trig->ctx);
    fmpq_mpoly_set(f, of + at[ct_child(trig->pool, a, 0)], trig->ctx);
    for (int i = 1; i < ct_child_count(trig->pool, a); i += 2) {
        fmpq_mpoly_scalar_mul_fmpq(term, of + at[ct_child(trig->pool, a, i + 1)],
                                   ct_value(trig->pool, ct_child(trig->pool, a, i)), trig->ctx);
        fmpq_mpoly_add(f, f, term, trig->ctx);
    }
    fmpq_mpoly_clear(term, trig->ctx);
    return NULL;
}

static const char *product(const ct_trig *trig, fmpq_mpoly_struct *f, ct_ex a,
                           fmpq_mpoly_struct *of, const uint32_t *at, ct_trig_error *error) {
    fmpq_mpoly_t power;
    const char *wrong = NULL;
    fmpq_mpoly_init(power, trig->ctx);
    // coefficient, then each factor with its exponent
    fmpq_mpoly_set(f, of + at[ct_child(trig->pool, a, 0)], trig->ctx);
    for (int i = 1; i < ct_child_count(trig->pool, a) && !wrong; i += 2) {
        slong e = fmpz_get_si(fmpq_numref(ct_value(trig->pool, ct_child(trig->pool, a, i + 1))));
        const fmpq_mpoly_struct *base = of + at[ct_child(trig->pool, a, i)];
        // divisors must be numbers other than zero
        if (e < 0 && (!fmpq_mpoly_is_fmpq(base, trig->ctx) || fmpq_mpoly_is_zero(base, trig->ctx)))
            wrong =
                fail(error, fmpq_mpoly_is_zero(base, trig->ctx)
                                ? "division by zero"
                                : "division by something that holds an unknown: multiply it out");
        else if (e < 0) {
            fmpq_t q;
            fmpq_init(q);
            fmpq_mpoly_get_fmpq(q, base, trig->ctx);
            wrong = check(error, 0, 1, (double)-e * (double)fmpq_height_bits(q));
            if (!wrong) {
                fmpq_pow_si(q, q, e);
                fmpq_mpoly_scalar_mul_fmpq(f, f, q, trig->ctx);
            }
            fmpq_clear(q);
        } else {
            // powers of polynomials, as far as limits allow
            wrong = ct_trig_power(trig, power, base, (ulong)e, error);
            if (!wrong) wrong = ct_trig_mul(trig, f, f, power, error);
        }
    }
    fmpq_mpoly_clear(power, trig->ctx);
    return wrong;
}

static const char *constant(ct_trig *trig, fmpq_mpoly_struct *f, ct_ex a, ct_trig_error *error) {
    fmpq_t q;
    fmpq_init(q);
    bool ok = ct_rational_of(trig->constants, a, q);
    if (ok) fmpq_mpoly_set_fmpq(f, q, trig->ctx);
    fmpq_clear(q);
    return ok ? NULL : fail(error, "a constant in it has no finite value");
}

static const char *node(ct_trig *trig, fmpq_mpoly_struct *f, ct_ex a, fmpq_mpoly_struct *of,
                        const uint32_t *at, ct_trig_error *error) {
    ct_op op = ct_ex_op(trig->pool, a);
    switch (op) {
    // unknowns
    case CT_OP_SYMBOL: {
        int k = find(trig, a);
        if (k < 0) return fail(error, "'%.60s' is not known here", ct_symbol_name(trig->pool, a));
        ct_trig_variable(trig, f, k, CT_ITSELF);
        return NULL;
    }
    // sums and products of polynomials
    case CT_OP_SUM: return sum(trig, f, a, of, at);
    case CT_OP_PRODUCT: return product(trig, f, a, of, at, error);
    case CT_OP_LET: fmpq_mpoly_set(f, of + at[ct_child(trig->pool, a, 0)], trig->ctx); return NULL;
    // sine and cosine of a combination of unknowns, by the addition formulas
    case CT_OP_SIN:
    case CT_OP_COS: {
        fmpq_mpoly_t other;
        fmpq_mpoly_init(other, trig->ctx);
        const char *wrong = op == CT_OP_SIN
                                ? ct_trig_angle(trig, other, f, ct_child(trig->pool, a, 0), error)
                                : ct_trig_angle(trig, f, other, ct_child(trig->pool, a, 0), error);
        fmpq_mpoly_clear(other, trig->ctx);
        return wrong;
    }
    // other functions hold an unknown here
    default: {
        static const char *const names[] = {
#define X(name, text, arity) text,
            CT_OPS(X)
#undef X
        };
        return fail(error, "%s of an unknown is not polynomial", names[op] ? names[op] : "this");
    }
    }
}

const char *ct_trig_poly(ct_trig *trig, fmpq_mpoly_t f, ct_ex e, ct_trig_error *error) {
    // all nodes, children first, with parameters as numbers
    e = ct_substitute(trig->constants->known, e);
    ct_ex *order;
    int count = ct_walk(trig->pool, 1, &e, &order);
    // positions of the nodes (the walk's marks serve the constants below)
    uint32_t highest = 0;
    for (int i = 0; i < count; i++) highest = order[i] > highest ? order[i] : highest;
    uint32_t *at = ct_alloc((size_t)highest + 1, sizeof *at);
    fmpq_mpoly_struct *of = ct_alloc((size_t)count, sizeof *of);
    const char *wrong = NULL;
    for (int i = 0; i < count; i++) {
        at[order[i]] = (uint32_t)i;
        fmpq_mpoly_init(of + i, trig->ctx);
    }
    // children of sines and cosines, and of constants, are not polynomials themselves
    bool *needed = ct_alloc((size_t)count, sizeof *needed), *fixed = ct_alloc((size_t)count, 1);
    for (int i = 0; i < count; i++) {
        fixed[i] = find(trig, order[i]) < 0;
        for (int k = 0; k < ct_child_count(trig->pool, order[i]); k++)
            fixed[i] = fixed[i] && fixed[at[ct_child(trig->pool, order[i], k)]];
    }
    needed[count - 1] = true;
    for (int i = count - 1; i >= 0; i--) {
        ct_op op = ct_ex_op(trig->pool, order[i]);
        if (!needed[i] || fixed[i] || op == CT_OP_SIN || op == CT_OP_COS) continue;
        for (int k = 0; k < ct_child_count(trig->pool, order[i]); k++)
            needed[at[ct_child(trig->pool, order[i], k)]] = true;
    }
    // polynomials of the needed nodes; constants by their stand-ins
    for (int i = 0; i < count && !wrong; i++)
        if (needed[i])
            wrong = fixed[i] ? constant(trig, of + i, order[i], error)
                             : node(trig, of + i, order[i], of, at, error);
    if (!wrong) fmpq_mpoly_set(f, of + count - 1, trig->ctx);
    for (int i = 0; i < count; i++) fmpq_mpoly_clear(of + i, trig->ctx);
    ct_free(of);
    ct_free(needed);
    ct_free(fixed);
    ct_free(at);
    ct_free(order);
    return wrong;
}

void ct_trig_lower(const ct_trig *trig, fmpq_mpoly_t f, int n, const int *symbols) {
    fmpq_mpoly_t sum, term, square;
    fmpq_t c;
    ulong *e = ct_alloc(3 * (size_t)trig->n + 1, sizeof *e);
    fmpq_init(c);
    fmpq_mpoly_init(sum, trig->ctx);
    fmpq_mpoly_init(term, trig->ctx);
    fmpq_mpoly_init(square, trig->ctx);
    // square = 1 - c^2 of each symbol
    for (int i = 0; i < n; i++) {
        ct_trig_variable(trig, square, symbols[i], CT_COSINE);
        fmpq_mpoly_mul(square, square, square, trig->ctx);
        fmpq_mpoly_sub_si(square, square, 1, trig->ctx);
        fmpq_mpoly_neg(square, square, trig->ctx);
        fmpq_mpoly_zero(sum, trig->ctx);
        // s^(2 h + e) = square^h s^e  in each term
        for (slong t = 0; t < fmpq_mpoly_length(f, trig->ctx); t++) {
            fmpq_mpoly_get_term_exp_ui(e, f, t, trig->ctx);
            fmpq_mpoly_get_term_coeff_fmpq(c, f, t, trig->ctx);
            ulong *sine = e + 3 * symbols[i] + CT_SINE, half = *sine / 2;
            *sine %= 2;
            fmpq_mpoly_zero(term, trig->ctx);
            fmpq_mpoly_set_coeff_fmpq_ui(term, c, e, trig->ctx);
            for (; half; half--) fmpq_mpoly_mul(term, term, square, trig->ctx);
            fmpq_mpoly_add(sum, sum, term, trig->ctx);
        }
        // the sum of all terms is the polynomial again
        fmpq_mpoly_swap(f, sum, trig->ctx);
    }
    fmpq_mpoly_clear(sum, trig->ctx);
    fmpq_mpoly_clear(term, trig->ctx);
    fmpq_mpoly_clear(square, trig->ctx);
    fmpq_clear(c);
    ct_free(e);
}

// systems -----------------------------------------------------------------------------------------
static void find_used(const ct_trig *trig, int n, fmpq_mpoly_struct *f, bool *used) {
    ulong *e = ct_alloc((size_t)(3 * trig->n) + 1, sizeof *e);
    for (int i = 0; i < n; i++)
        for (slong t = 0; t < fmpq_mpoly_length(f + i, trig->ctx); t++) {
            fmpq_mpoly_get_term_exp_ui(e, f + i, t, trig->ctx);
            for (int k = 0; k < 3 * trig->n; k++) used[k] = used[k] || e[k];
        }
    ct_free(e);
}

static void convert(const ct_trig *trig, const ct_trig_system *system, const fmpq_mpoly_struct *f,
                    ct_poly *out) {
    ulong *e = ct_alloc((size_t)(3 * trig->n) + 1, sizeof *e);
    uint32_t exps[CT_UNKNOWNS_MAX];
    fmpz_t c;
    fmpz_init(c);
    // the content is a factor: it does not matter
    for (slong t = 0; t < fmpq_mpoly_length(f, trig->ctx); t++) {
        fmpz_mpoly_get_term_coeff_fmpz(c, f->zpoly, t, trig->ctx->zctx);
        fmpq_mpoly_get_term_exp_ui(e, f, t, trig->ctx);
        for (int k = 0; k < system->ring->n; k++)
            exps[k] = (uint32_t)e[3 * system->symbol[k] + system->part[k]];
        ct_poly_push(system->ring, out, exps, c);
    }
    ct_poly_canonical(system->ring, out);
    fmpz_clear(c);
    ct_free(e);
}

static void add_identity(const ct_trig_system *system, ct_polys *list, int cosine) {
    ct_poly *p = ct_polys_add(list);
    fmpz_t c;
    fmpz_init_set_si(c, 1);
    for (int k = 0; k < 3; k++) { // c^2 + s^2 - 1
        uint32_t e[CT_UNKNOWNS_MAX] = {0};
        if (k < 2) e[cosine + k] = 2;
        if (k == 2) fmpz_neg(c, c);
        ct_poly_push(system->ring, p, e, c);
    }
    ct_poly_canonical(system->ring, p);
    fmpz_clear(c);
}

ct_status ct_trig_system_new(ct_context *ctx, const ct_trig *trig, int n, fmpq_mpoly_struct *f,
                             int n_wanted, const int *wanted, ct_trig_system *system) {
    bool *used = ct_alloc((size_t)(3 * trig->n) + 1, sizeof *used);
    size_t most = 2 * (size_t)n_wanted + 1;
    char **names = ct_alloc(most, sizeof *names);
    int count = 0;
    *system = (ct_trig_system){.symbol = ct_alloc(most, sizeof(int)),
                               .part = ct_alloc(most, sizeof(int)),
                               .bare_and_angle = -1};
    // variables: an unknown itself, or its cosine and sine
    find_used(trig, n, f, used);
    for (int i = 0; i < n_wanted; i++) {
        int k = wanted[i];
        const char *name = ct_symbol_name(trig->pool, trig->symbols[k]);
        bool angle = used[3 * k + CT_COSINE] || used[3 * k + CT_SINE];
        if (angle && used[3 * k]) system->bare_and_angle = k;
        for (int part = angle ? CT_COSINE : CT_ITSELF; part <= (angle ? CT_SINE : CT_ITSELF);
             part++) {
            names[count] = ct_format("%s%s", part ? part == CT_COSINE ? "c_" : "s_" : "", name);
            system->symbol[count] = k;
            system->part[count++] = part;
        }
    }
    ct_free(used);
    // both at once is not polynomial; too many are refused
    ct_status status = CT_OK;
    if (system->bare_and_angle >= 0) {
        status = CT_WRONG_MODEL; // with a message of the caller
    } else if (count > CT_UNKNOWNS_MAX) {
        status = ct_fail(ctx, CT_WRONG_MODEL,
                         "%d unknowns are too many (at most %d; an angle counts twice, for its "
                         "cosine and sine)",
                         count, CT_UNKNOWNS_MAX);
    } else if (count) { // without unknowns there is no ring, and nothing to convert
        system->ring = ct_ring_simple(ctx, count, (const char *const *)names, CT_DEGREVLEX);
        if (!system->ring) status = CT_WRONG_MODEL;
    }
    // equations in the ring, and  c^2 + s^2 = 1  for each pair
    for (int i = 0; i < n && system->ring; i++)
        convert(trig, system, f + i, ct_polys_add(&system->equations));
    for (int k = 0; k < count && !status; k++)
        if (system->part[k] == CT_COSINE) add_identity(system, &system->equations, k);
    for (int i = 0; i < count; i++) ct_free(names[i]);
    ct_free(names);
    if (status) {
        int both = system->bare_and_angle;
        ct_trig_system_clear(system);
        system->bare_and_angle = both;
    }
    return status;
}

void ct_trig_system_clear(ct_trig_system *system) {
    if (system->ring) {
        ct_polys_clear(system->ring, &system->equations);
        ct_ring_free(system->ring);
    }
    ct_free(system->symbol);
    ct_free(system->part);
    *system = (ct_trig_system){.bare_and_angle = -1};
}
