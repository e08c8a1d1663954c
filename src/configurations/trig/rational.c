// Constants as rationals: every operation of the field exactly, functions by the simplest fraction
// within the error of CT_STAND_IN_DIGITS digits around a ball that Arb encloses the value in.
#include "configurations/trig/rational.h"

#include "expr/pool.h"
#include "util/flint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRECISION = 256,        // bits of the balls
    PRECISION_MAX = 4096,   // where cancellation asks for more
    BITS_MAX = 1 << 16,     // of a number that is not exact: rounded again beyond
    MAGNITUDE_MAX = 1 << 14 // bits before or after the point
};

// A constant node: its enclosure and the rational that stands for it.
typedef struct constant {
    arb_t ball;
    fmpq_t value;
    bool exact;
} constant;

static bool is_kept(ct_symbolic kept, ct_ex symbol) {
    for (int i = 0; i < kept.n; i++)
        if (kept.symbols[i] == symbol) return true;
    return false;
}

void ct_rationals_init(ct_rationals *rationals, const ct_model *model, ct_symbolic kept) {
    *rationals = (ct_rationals){.pool = model->pool,
                                .known = ct_substitution_new(model->pool),
                                .digits = CT_STAND_IN_DIGITS};
    ct_substitution_map(rationals->known, model->time, CT_ZERO);
    for (int i = 0; i < model->n_parameters; i++) {
        const ct_parameter *p = model->parameters + i;
        if (!is_kept(kept, p->symbol))
            ct_substitution_map(rationals->known, p->symbol,
                                ct_substitute(rationals->known, ct_model_parameter(model, i)));
    }
    for (int i = 0; i < model->n_inputs; i++)
        if (!is_kept(kept, model->inputs[i].symbol))
            ct_substitution_map(rationals->known, model->inputs[i].symbol,
                                ct_substitute(rationals->known, model->inputs[i].value));
}

void ct_rationals_clear(ct_rationals *rationals) {
    if (rationals->known) ct_substitution_free(rationals->known);
    ct_free(rationals->replaced);
    *rationals = (ct_rationals){0};
}

static void note(ct_rationals *rationals, ct_ex a) {
    for (int i = 0; i < rationals->n_replaced; i++)
        if (rationals->replaced[i] == a) return;
    *CT_PUSH(rationals->replaced, rationals->n_replaced, rationals->room_replaced) = a;
}

static bool is_sound(const arb_t a) {
    if (!arb_is_finite(a)) return false;
    return arf_is_zero(arb_midref(a)) || arf_cmpabs_2exp_si(arb_midref(a), MAGNITUDE_MAX) < 0;
}

// The simplest fraction in a ball of relative (or absolute) size 10^-digits.
static bool simplest(fmpq_t value, const arb_t ball, bool relative, int digits) {
    if (!is_sound(ball)) return false;
    fmpq_t mid, low, high, error;
    fmpz_t ten;
    fmpq_init(mid);
    fmpq_init(low);
    fmpq_init(high);
    fmpq_init(error);
    // 10^digits
    fmpz_init_set_ui(ten, 10);
    fmpz_pow_ui(ten, ten, (ulong)digits);
    // zero, or too small to tell from it
    bool fine =
        arf_is_zero(arb_midref(ball)) || arf_cmpabs_2exp_si(arb_midref(ball), -MAGNITUDE_MAX) > 0;
    if (!fine || arb_contains_zero(ball)) {
        fmpq_zero(value);
    } else {
        // [mid - error, mid + error] with error = 10^-digits, times |mid| if relative
        arf_get_fmpq(mid, arb_midref(ball));
        fmpq_set_fmpz_frac(error, ten, ten);
        fmpz_one(fmpq_numref(error));
        fmpz_set(fmpq_denref(error), ten);
        if (relative) {
            fmpq_abs(low, mid);
            fmpq_mul(error, error, low);
        }
        fmpq_sub(low, mid, error);
        fmpq_add(high, mid, error);
        fmpq_simplest_between(value, low, high);
    }
    fmpz_clear(ten);
    fmpq_clear(mid);
    fmpq_clear(low);
    fmpq_clear(high);
    fmpq_clear(error);
    return true;
}

// Point of the circle at the angle in the ball: quarter turns exactly, the rest by tan(r/2).
static bool circle(const arb_t angle, slong precision, int digits, fmpq_t c, fmpq_t s) {
    if (!is_sound(angle)) return false;
    arb_t quarter, turns, r;
    fmpz_t k;
    fmpq_t u, v, d;
    arb_init(quarter);
    arb_init(turns);
    arb_init(r);
    fmpz_init(k);
    fmpq_init(u);
    fmpq_init(v);
    fmpq_init(d);
    // k quarter turns, and the rest r in -45 to 45 degrees
    arb_const_pi(quarter, precision + MAGNITUDE_MAX);
    arb_mul_2exp_si(quarter, quarter, -1);
    arb_div(turns, angle, quarter, precision);
    arf_get_fmpz(k, arb_midref(turns), ARF_RND_NEAR);
    arb_mul_fmpz(quarter, quarter, k, precision + MAGNITUDE_MAX);
    arb_sub(r, angle, quarter, precision);
    // u = tan(r/2) as a fraction
    arb_mul_2exp_si(r, r, -1);
    arb_tan(r, r, precision);
    bool ok = simplest(u, r, false, digits);
    // c = (1 - u^2) / (1 + u^2),  s = 2 u / (1 + u^2)
    fmpq_mul(v, u, u);
    fmpq_add_si(d, v, 1); // 1 + u^2
    fmpq_sub_si(v, v, 1);
    fmpq_neg(v, v); // 1 - u^2
    fmpq_div(c, v, d);
    fmpq_add(u, u, u);
    fmpq_div(s, u, d);
    for (ulong turn = fmpz_fdiv_ui(k, 4); turn; turn--) { // (c, s) -> (-s, c)
        fmpq_swap(c, s);
        fmpq_neg(c, c);
    }
    arb_clear(quarter);
    arb_clear(turns);
    arb_clear(r);
    fmpz_clear(k);
    fmpq_clear(u);
    fmpq_clear(v);
    fmpq_clear(d);
    return ok;
}

static bool power(const ct_rationals *rationals, constant *out, const constant *base,
                  const fmpq_t exponent, slong precision) {
    if (!fmpz_is_one(fmpq_denref(exponent)) || !fmpz_fits_si(fmpq_numref(exponent))) return false;
    slong e = fmpz_get_si(fmpq_numref(exponent));
    if (e < 0 && fmpq_is_zero(base->value)) return false;
    arb_pow_fmpz(out->ball, base->ball, fmpq_numref(exponent), precision);
    out->exact = base->exact;
    double size = fabs((double)e) * (double)fmpq_height_bits(base->value);
    if (size > BITS_MAX) {
        out->exact = false;
        return simplest(out->value, out->ball, true, rationals->digits);
    }
    fmpq_pow_si(out->value, base->value, e);
    return true;
}

static bool sum(const ct_pool *pool, constant *out, ct_ex a, constant *of, const uint32_t *at,
                slong precision) {
    const uint32_t *w = ct_words(pool, a);
    fmpq_t term;
    fmpq_init(term);
    fmpq_set(out->value, of[at[w[0]]].value);
    arb_set(out->ball, of[at[w[0]]].ball);
    out->exact = true;
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2) {
        const constant *c = of + at[w[i]], *t = of + at[w[i + 1]];
        fmpq_mul(term, c->value, t->value);
        fmpq_add(out->value, out->value, term);
        arb_addmul(out->ball, c->ball, t->ball, precision);
        out->exact = out->exact && t->exact;
    }
    fmpq_clear(term);
    return true;
}

static bool product(const ct_rationals *rationals, constant *out, ct_ex a, constant *of,
                    const uint32_t *at, slong precision) {
    const ct_pool *pool = rationals->pool;
    const uint32_t *w = ct_words(pool, a);
    constant factor;
    arb_init(factor.ball);
    fmpq_init(factor.value);
    fmpq_set(out->value, of[at[w[0]]].value);
    arb_set(out->ball, of[at[w[0]]].ball);
    bool ok = out->exact = true;
    for (uint32_t i = 1; i < pool->nodes[a].n && ok; i += 2) {
        ok = power(rationals, &factor, of + at[w[i]], of[at[w[i + 1]]].value, precision);
        fmpq_mul(out->value, out->value, factor.value);
        arb_mul(out->ball, out->ball, factor.ball, precision);
        out->exact = out->exact && factor.exact;
    }
    arb_clear(factor.ball);
    fmpq_clear(factor.value);
    return ok;
}

static void set_exact(constant *out, const fmpq_t value, slong precision) {
    fmpq_set(out->value, value);
    arb_set_fmpq(out->ball, value, precision);
    out->exact = true;
}

// Functions whose values are among their arguments, or 0 and 1: by comparing the stand-ins.
static bool choose(ct_op op, constant *out, constant *const *x, slong precision) {
    // sign of the argument, or order of both
    int order = op == CT_OP_ABS || op == CT_OP_SIGN || op == CT_OP_IF
                    ? fmpq_sgn(x[0]->value)
                    : fmpq_cmp(x[0]->value, x[1]->value);
    const constant *from = NULL;
    fmpq_t number;
    fmpq_init(number);
    // one of the arguments, or a number
    switch (op) {
    case CT_OP_MIN: from = order <= 0 ? x[0] : x[1]; break;
    case CT_OP_MAX: from = order >= 0 ? x[0] : x[1]; break;
    case CT_OP_IF: from = order ? x[1] : x[2]; break;
    case CT_OP_ABS: from = x[0]; break;
    case CT_OP_SIGN: fmpq_set_si(number, order > 0 ? 1 : order < 0 ? -1 : 0, 1); break;
    case CT_OP_LESS: fmpq_set_si(number, order < 0, 1); break;
    case CT_OP_LESS_EQUAL: fmpq_set_si(number, order <= 0, 1); break;
    default: fmpq_set_si(number, order == 0, 1); break;
    }
    // value, enclosure and exactness of that argument
    if (from) {
        fmpq_set(out->value, from->value);
        arb_set(out->ball, from->ball);
        out->exact = from->exact;
        if (op == CT_OP_ABS) {
            fmpq_abs(out->value, out->value);
            arb_abs(out->ball, out->ball);
        }
    } else {
        set_exact(out, number, precision);
    }
    fmpq_clear(number);
    return true;
}

static bool function(const ct_rationals *rationals, ct_ex a, constant *out, constant *const *x,
                     slong precision) {
    fmpq_t other;
    bool ok = true;
    // functions: an enclosure, and the simplest fraction in it
    switch (ct_op_of(rationals->pool, a)) {
    case CT_OP_PI: arb_const_pi(out->ball, precision); break;
    case CT_OP_SQRT: arb_sqrt(out->ball, x[0]->ball, precision); break;
    case CT_OP_ASIN: arb_asin(out->ball, x[0]->ball, precision); break;
    case CT_OP_ACOS: arb_acos(out->ball, x[0]->ball, precision); break;
    case CT_OP_ATAN: arb_atan(out->ball, x[0]->ball, precision); break;
    case CT_OP_EXP: arb_exp(out->ball, x[0]->ball, precision); break;
    case CT_OP_LOG: arb_log(out->ball, x[0]->ball, precision); break;
    case CT_OP_ATAN2: arb_atan2(out->ball, x[0]->ball, x[1]->ball, precision); break;
    case CT_OP_POWER: arb_pow(out->ball, x[0]->ball, x[1]->ball, precision); break;
    case CT_OP_TABLE: {
        int order, table = ct_table_of(rationals->pool, a, &order);
        arb_set_d(out->ball,
                  ct_table_value(rationals->pool, table, order, ct_rational_double(x[0]->value)));
        break;
    }
    // sine, cosine, tangent: a rational point of the circle
    case CT_OP_SIN:
    case CT_OP_COS:
    case CT_OP_TAN:
        fmpq_init(other);
        out->exact = false;
        switch (ct_op_of(rationals->pool, a)) {
        case CT_OP_SIN:
            arb_sin(out->ball, x[0]->ball, precision);
            ok = circle(x[0]->ball, precision, rationals->digits, other, out->value);
            break;
        case CT_OP_COS:
            arb_cos(out->ball, x[0]->ball, precision);
            ok = circle(x[0]->ball, precision, rationals->digits, out->value, other);
            break;
        default:
            arb_tan(out->ball, x[0]->ball, precision);
            ok = circle(x[0]->ball, precision, rationals->digits, other, out->value) &&
                 !fmpq_is_zero(other);
            if (ok) fmpq_div(out->value, out->value, other);
        }
        fmpq_clear(other);
        return ok && arb_is_finite(out->ball);
    // anything else is no constant
    default: return false;
    }
    out->exact = false;
    return simplest(out->value, out->ball, true, rationals->digits);
}

static bool is_choice(ct_op op) {
    return op == CT_OP_MIN || op == CT_OP_MAX || op == CT_OP_ABS || op == CT_OP_SIGN ||
           op == CT_OP_IF || op == CT_OP_LESS || op == CT_OP_LESS_EQUAL || op == CT_OP_EQUAL;
}

static bool node(const ct_rationals *rationals, ct_ex a, constant *out, constant *of,
                 const uint32_t *at, slong precision) {
    constant *x[3] = {0};
    bool ok;
    // numbers, sums and products are exact
    switch (ct_op_of(rationals->pool, a)) {
    case CT_OP_NUMBER: set_exact(out, ct_value(rationals->pool, a), precision); return true;
    case CT_OP_SUM: ok = sum(rationals->pool, out, a, of, at, precision); break;
    case CT_OP_PRODUCT: ok = product(rationals, out, a, of, at, precision); break;
    case CT_OP_SYMBOL:
    case CT_OP_UNDEFINED: return false;
    default: {
        // functions, by the constants below
        const uint32_t *w = ct_words(rationals->pool, a);
        for (int i = 0; i < ct_node_children(rationals->pool, a) && i < 3; i++)
            x[i] = of + at[w[i]];
        ct_op op = ct_op_of(rationals->pool, a);
        if (op == CT_OP_LET) {
            fmpq_set(out->value, x[0]->value);
            arb_set(out->ball, x[0]->ball);
            out->exact = x[0]->exact;
            return true;
        }
        ok = is_choice(op) ? choose(op, out, x, precision)
                           : function(rationals, a, out, x, precision);
    }
    }
    // a long stand-in is replaced by a short one
    if (ok && !out->exact && fmpq_height_bits(out->value) > BITS_MAX)
        ok = simplest(out->value, out->ball, true, rationals->digits);
    return ok && is_sound(out->ball);
}

// Notes the functions whose stand-ins the value is made of (not those inside their arguments).
static void note_used(ct_rationals *rationals, int count, const ct_ex *order, const uint32_t *at) {
    bool *used = ct_alloc((size_t)count, sizeof *used);
    used[count - 1] = true;
    for (int i = count - 1; i >= 0; i--) {
        if (!used[i]) continue;
        ct_op op = ct_op_of(rationals->pool, order[i]);
        if (op == CT_OP_NUMBER) continue;
        if (op != CT_OP_SUM && op != CT_OP_PRODUCT && op != CT_OP_LET && !is_choice(op)) {
            note(rationals, order[i]);
            continue;
        }
        for (int k = 0; k < ct_node_children(rationals->pool, order[i]); k++)
            used[at[ct_child(rationals->pool, order[i], k)]] = true;
    }
    ct_free(used);
}

// Value (a fraction) and enclosure (a ball) of expression a, with `precision` bits. *close: the balls
// of all nodes below a are narrow enough for the value to stand; else more bits are needed. False: a
// node has no value.
static bool evaluate(ct_rationals *rationals, ct_ex a, slong precision, arb_t ball, fmpq_t value,
                     bool *close) {
    // all nodes, children first
    ct_ex *order;
    int count = ct_walk(rationals->pool, 1, &a, &order);
    constant *of = ct_alloc((size_t)count, sizeof *of);
    uint32_t *at = rationals->pool->marks;
    bool ok = true;
    for (int i = 0; i < count; i++) {
        at[order[i]] = (uint32_t)i;
        arb_init(of[i].ball);
        fmpq_init(of[i].value);
    }
    // a value and an enclosure for each node
    *close = true;
    const slong enough = 4 * rationals->digits; // bits
    for (int i = 0; i < count && ok; i++) {
        ok = node(rationals, order[i], of + i, of, at, precision);
        *close = *close && (of[i].exact || arb_rel_accuracy_bits(of[i].ball) > enough ||
                            mag_cmp_2exp_si(arb_radref(of[i].ball), -2 * enough) < 0);
    }
    // the result; irrational functions that a fraction stands in for are noted in rationals
    if (ok) {
        arb_set(ball, of[count - 1].ball);
        fmpq_set(value, of[count - 1].value);
        if (*close) note_used(rationals, count, order, at);
    }
    for (int i = 0; i < count; i++) {
        at[order[i]] = 0;
        arb_clear(of[i].ball);
        fmpq_clear(of[i].value);
    }
    ct_free(of);
    ct_free(order);
    return ok;
}

static bool enclose(ct_rationals *rationals, ct_ex a, arb_t ball, fmpq_t value, slong *precision) {
    bool close = false, ok = false;
    for (*precision = PRECISION; !close && *precision <= PRECISION_MAX; *precision *= 4)
        ok = evaluate(rationals, a, *precision, ball, value, &close);
    return ok;
}

bool ct_rational_of(ct_rationals *rationals, ct_ex a, fmpq_t value) {
    a = ct_substitute(rationals->known, a);
    if (ct_number_get(rationals->pool, a, value)) return true;
    if (ct_ex_kinds(rationals->pool, a)) return false;
    arb_t ball;
    slong precision;
    arb_init(ball);
    bool ok = enclose(rationals, a, ball, value, &precision);
    arb_clear(ball);
    return ok;
}

bool ct_rational_circle(ct_rationals *rationals, ct_ex angle, fmpq_t c, fmpq_t s) {
    angle = ct_substitute(rationals->known, angle);
    if (ct_ex_kinds(rationals->pool, angle)) return false;
    if (ct_number_get(rationals->pool, ct_cos(rationals->pool, angle), c) &&
        ct_number_get(rationals->pool, ct_sin(rationals->pool, angle), s))
        return true;
    arb_t ball;
    slong precision;
    arb_init(ball);
    int before = rationals->n_replaced;
    bool ok = enclose(rationals, angle, ball, c, &precision) &&
              circle(ball, precision, rationals->digits, c, s);
    arb_clear(ball);
    rationals->n_replaced = before; // pi in the angle was not replaced, its sine and cosine were
    ct_ex cosine = ct_cos(rationals->pool, angle);
    if (ok)
        note(rationals,
             ct_is_number(rationals->pool, cosine) ? ct_sin(rationals->pool, angle) : cosine);
    return ok;
}

bool ct_rational_enclosure(ct_rationals *rationals, ct_ex a, arb_t ball) {
    a = ct_substitute(rationals->known, a);
    if (ct_ex_kinds(rationals->pool, a)) return false;
    fmpq_t value;
    slong precision;
    int before = rationals->n_replaced;
    fmpq_init(value);
    bool ok = enclose(rationals, a, ball, value, &precision);
    fmpq_clear(value);
    rationals->n_replaced = before;
    return ok;
}

bool ct_rational_near(const ct_rationals *rationals, fmpq_t value, const arb_t ball) {
    return simplest(value, ball, false, rationals->digits);
}

bool ct_rational_point(const ct_rationals *rationals, const arb_t angle, fmpq_t c, fmpq_t s) {
    return circle(angle, PRECISION, rationals->digits, c, s);
}
