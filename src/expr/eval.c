// Numeric evaluation in doubles, and exact evaluation where every step is rational.
#include <mpfr.h> // before FLINT's headers, which then offer conversions

#include "expr/pool.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

double ct_rational_double(const fmpq_t v) {
    if (fmpz_bits(fmpq_numref(v)) <= 53 && fmpz_bits(fmpq_denref(v)) <= 53)
        return fmpz_get_d(fmpq_numref(v)) / fmpz_get_d(fmpq_denref(v));
    mpfr_t x;
    mpfr_init2(x, 53);
    fmpq_get_mpfr(x, v, MPFR_RNDN);
    double d = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return d;
}

ct_ex ct_exact_number(ct_pool *pool, double x) {
    const int bits = 53;
    int exponent;
    fmpq_t value;
    double mantissa = ldexp(frexp(x, &exponent), bits);
    fmpq_init(value);
    fmpz_set_d(fmpq_numref(value), mantissa);
    if (exponent >= bits)
        fmpz_mul_2exp(fmpq_numref(value), fmpq_numref(value), (ulong)(exponent - bits));
    else
        fmpq_div_2exp(value, value, (ulong)(bits - exponent));
    ct_ex number = ct_number(pool, value);
    fmpq_clear(value);
    return number;
}

static double number_value(const ct_pool *pool, ct_ex a) {
    return ct_rational_double(ct_value(pool, a));
}

static double power(double base, slong e) {
    double r = 1, b = e < 0 ? 1 / base : base;
    for (ulong k = e < 0 ? (ulong)-e : (ulong)e; k; k >>= 1, b *= b)
        if (k & 1) r *= b;
    return r;
}

static double function_value(const ct_pool *pool, ct_ex a, const double *x) {
    switch (ct_op_of(pool, a)) {
    // functions of one argument
    case CT_OP_SQRT: return sqrt(x[0]);
    case CT_OP_SIN: return sin(x[0]);
    case CT_OP_COS: return cos(x[0]);
    case CT_OP_TAN: return tan(x[0]);
    case CT_OP_ASIN: return asin(x[0]);
    case CT_OP_ACOS: return acos(x[0]);
    case CT_OP_ATAN: return atan(x[0]);
    case CT_OP_EXP: return exp(x[0]);
    case CT_OP_LOG: return log(x[0]);
    case CT_OP_ABS: return fabs(x[0]);
    case CT_OP_SIGN: return (x[0] > 0) - (x[0] < 0);
    // functions of several arguments; conditions are 0 or 1
    case CT_OP_ATAN2: return atan2(x[0], x[1]);
    case CT_OP_MIN: return fmin(x[0], x[1]);
    case CT_OP_MAX: return fmax(x[0], x[1]);
    case CT_OP_LESS: return x[0] < x[1];
    case CT_OP_LESS_EQUAL: return x[0] <= x[1];
    case CT_OP_EQUAL: return x[0] == x[1];
    case CT_OP_IF: return x[0] != 0 ? x[1] : x[2];
    case CT_OP_POWER: return pow(x[0], x[1]);
    case CT_OP_LET: return x[0];
    case CT_OP_TABLE: {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table_value(pool, table, order, x[0]);
    }
    default: return NAN;
    }
}

static double node_value(const ct_pool *pool, ct_ex a, const double *of, const uint32_t *at,
                         ct_value_fn *value, void *data) {
    const uint32_t *w = ct_words(pool, a);
    uint32_t n = pool->nodes[a].n;
    double r;
    switch (ct_op_of(pool, a)) {
    // leaves
    case CT_OP_NUMBER: return number_value(pool, a);
    case CT_OP_PI: return 3.14159265358979323846;
    case CT_OP_SYMBOL: return value ? value(data, a) : NAN;
    case CT_OP_UNDEFINED: return NAN;
    // k + sum c_i t_i and c prod b_i^e_i, from the values of the children
    case CT_OP_SUM:
        r = of[at[w[0]]];
        for (uint32_t i = 1; i < n; i += 2) r += of[at[w[i]]] * of[at[w[i + 1]]];
        return r;
    case CT_OP_PRODUCT:
        r = of[at[w[0]]];
        for (uint32_t i = 1; i < n; i += 2)
            r *= power(of[at[w[i]]], fmpz_get_si(fmpq_numref(ct_value(pool, w[i + 1]))));
        return r;
    default: {
        double x[3] = {0};
        for (int i = 0; i < ct_node_children(pool, a); i++) x[i] = of[at[w[i]]];
        return function_value(pool, a, x);
    }
    }
}

void ct_eval_many(ct_pool *pool, int n, const ct_ex *roots, ct_value_fn *value, void *data,
                  double *out) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    double *of = ct_alloc((size_t)count, sizeof *of);
    // the walk's marks say where a node's value stands
    uint32_t *at = pool->marks;
    for (int i = 0; i < count; i++) at[order[i]] = (uint32_t)i;
    for (int i = 0; i < count; i++) of[i] = node_value(pool, order[i], of, at, value, data);
    for (int i = 0; i < n; i++) out[i] = of[at[roots[i]]];
    for (int i = 0; i < count; i++) at[order[i]] = 0;
    ct_free(of);
    ct_free(order);
}

// tapes ----------------------------------------------------------------------------------------
struct ct_tape {
    const ct_pool *pool;
    int n, count, first; // roots, nodes; those from `first` on vary
    ct_ex *order;        // nodes that stay, then those that vary, arguments first
    uint32_t *at;        // by node: where its value stands
    double *of;
    uint32_t *root;
    uint32_t symbol; // where the value of the symbol stands; count: nowhere
};

ct_tape *ct_tape_new(ct_pool *pool, int n, const ct_ex *roots, ct_ex varies, ct_value_fn *value,
                     void *data) {
    ct_ex *order;
    ct_tape *tape = ct_alloc(1, sizeof *tape);
    *tape = (ct_tape){.pool = pool, .n = n, .count = ct_walk(pool, n, roots, &order)};
    const size_t count = (size_t)tape->count;
    tape->order = ct_alloc(count + 1, sizeof *tape->order);
    tape->at = ct_alloc(ct_pool_size(pool) + 1, sizeof *tape->at);
    tape->of = ct_alloc(count + 1, sizeof *tape->of);
    tape->root = ct_alloc((size_t)n + 1, sizeof *tape->root);
    // nodes that stay, then those that vary
    bool *moves = ct_scratch(count + 1, sizeof *moves);
    for (size_t i = 0; i < count; i++) moves[i] = ct_depends(pool, order[i], varies);
    int k = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) tape->first = k;
        for (size_t i = 0; i < count; i++)
            if (moves[i] == (pass == 1)) {
                tape->order[k] = order[i];
                tape->at[order[i]] = (uint32_t)k++;
            }
    }
    ct_free(order);
    // places of the symbol and of the roots; values that stay
    tape->symbol = (uint32_t)tape->count;
    for (int i = tape->first; i < tape->count; i++)
        if (tape->order[i] == varies) tape->symbol = (uint32_t)i;
    for (int i = 0; i < n; i++) tape->root[i] = tape->at[roots[i]];
    for (int i = 0; i < tape->first; i++)
        tape->of[i] = node_value(pool, tape->order[i], tape->of, tape->at, value, data);
    return tape;
}

void ct_tape_eval(ct_tape *tape, double x, double *out) {
    for (uint32_t i = (uint32_t)tape->first; i < (uint32_t)tape->count; i++)
        tape->of[i] = i == tape->symbol
                          ? x
                          : node_value(tape->pool, tape->order[i], tape->of, tape->at, NULL, NULL);
    for (int i = 0; i < tape->n; i++) out[i] = tape->of[tape->root[i]];
}

// running error analysis ----------------------------------------------------------------------
// Bounds on what rounding may have done to a value, in units of DBL_EPSILON: symbols and constants
// that are not whole carry an error of one unit of their own size, and every operation passes on
// the errors of its operands by its derivatives and adds one unit of its result.
static double function_error(const ct_pool *pool, ct_ex a, const double *x, const double *e,
                             double v) {
    // |f'(x)| e for smooth functions
    switch (ct_op_of(pool, a)) {
    case CT_OP_SQRT: return v > 0 ? e[0] / (2 * v) : sqrt(e[0] / DBL_EPSILON);
    case CT_OP_SIN: return fabs(cos(x[0])) * e[0];
    case CT_OP_COS: return fabs(sin(x[0])) * e[0];
    case CT_OP_TAN: return (1 + v * v) * e[0];
    case CT_OP_ASIN:
    case CT_OP_ACOS: return e[0] / sqrt(fmax(1 - x[0] * x[0], DBL_EPSILON));
    case CT_OP_ATAN: return e[0] / (1 + x[0] * x[0]);
    case CT_OP_EXP: return fabs(v) * e[0];
    case CT_OP_LOG: return e[0] / fabs(x[0]);
    case CT_OP_ATAN2: return (fabs(x[1]) * e[0] + fabs(x[0]) * e[1]) / (x[0] * x[0] + x[1] * x[1]);
    // the operand in force
    case CT_OP_MIN: return x[0] < x[1] ? e[0] : e[1];
    case CT_OP_MAX: return x[0] > x[1] ? e[0] : e[1];
    case CT_OP_IF: return x[0] != 0 ? e[1] : e[2];
    case CT_OP_POWER: return fabs(v) * (fabs(x[1] / x[0]) * e[0] + fabs(log(fabs(x[0]))) * e[1]);
    case CT_OP_TABLE: {
        int order, table = ct_table_of(pool, a, &order);
        return fabs(ct_table_value(pool, table, order + 1, x[0])) * e[0];
    }
    // piecewise constant
    case CT_OP_SIGN:
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: return 0;
    default: return e[0];
    }
}

// |d product / d factor i|, the factors being base^exponent behind a coefficient.
static double product_slope(const ct_pool *pool, ct_ex a, const double *of, const uint32_t *at,
                            uint32_t i) {
    const uint32_t *w = ct_words(pool, a);
    double r = i ? of[at[w[0]]] : 1;
    for (uint32_t k = 1; k < pool->nodes[a].n; k += 2) {
        slong exponent = fmpz_get_si(fmpq_numref(ct_value(pool, w[k + 1])));
        double base = of[at[w[k]]];
        r *= k == i ? (double)exponent * power(base, exponent - 1) : power(base, exponent);
    }
    return fabs(r);
}

static double node_error(const ct_pool *pool, ct_ex a, const double *of, const double *error,
                         const uint32_t *at, double v) {
    const uint32_t *w = ct_words(pool, a);
    uint32_t n = pool->nodes[a].n;
    double e = 0;
    switch (ct_op_of(pool, a)) {
    case CT_OP_NUMBER: return v == rint(v) ? 0 : fabs(v);
    case CT_OP_SUM: // the size of every term, and  |x| e(y) + |y| e(x)  of its product
        e = fabs(of[at[w[0]]]) + error[at[w[0]]];
        for (uint32_t i = 1; i < n; i += 2) {
            double x = of[at[w[i]]], y = of[at[w[i + 1]]];
            e += fabs(x * y) + fabs(x) * error[at[w[i + 1]]] + fabs(y) * error[at[w[i]]];
        }
        return e;
    case CT_OP_PRODUCT: // sum of  |d product / d factor| e(factor)
        e = product_slope(pool, a, of, at, 0) * error[at[w[0]]];
        for (uint32_t i = 1; i < n; i += 2)
            if (error[at[w[i]]] > 0) e += product_slope(pool, a, of, at, i) * error[at[w[i]]];
        break;
    case CT_OP_PI:
    case CT_OP_SYMBOL:
    case CT_OP_UNDEFINED: break;
    default: { // functions
        double x[3] = {0}, ex[3] = {0};
        for (int i = 0; i < ct_node_children(pool, a); i++) {
            x[i] = of[at[w[i]]];
            ex[i] = error[at[w[i]]];
        }
        e = function_error(pool, a, x, ex, v);
    }
    }
    // and the rounding of the result
    return e + fabs(v);
}

void ct_eval_rounded(ct_pool *pool, int n, const ct_ex *roots, ct_value_fn *value, void *data,
                     double *out) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    double *of = ct_alloc((size_t)count, sizeof *of), *error = ct_alloc((size_t)count, sizeof *of);
    uint32_t *at = pool->marks;
    for (int i = 0; i < count; i++) at[order[i]] = (uint32_t)i;
    for (int i = 0; i < count; i++) {
        of[i] = node_value(pool, order[i], of, at, value, data);
        error[i] = node_error(pool, order[i], of, error, at, of[i]);
    }
    // a value within its own error is zero as far as anybody can tell
    for (int i = 0; i < n; i++) {
        uint32_t k = at[roots[i]];
        out[i] = fabs(of[k]) <= DBL_EPSILON * error[k] ? 0 : of[k];
    }
    for (int i = 0; i < count; i++) at[order[i]] = 0;
    ct_free(of);
    ct_free(error);
    ct_free(order);
}

double ct_eval(ct_pool *pool, ct_ex a, ct_value_fn *value, void *data) {
    double r;
    ct_eval_many(pool, 1, &a, value, data, &r);
    return r;
}

double ct_constant_value(ct_pool *pool, ct_ex a) {
    return ct_ex_kinds(pool, a) ? NAN : ct_eval(pool, a, NULL, NULL);
}
