// Random expressions for the property tests. A world grows node by node: each is built in the pool
// and noted beside in a naive tree, which is evaluated in doubles by the plain definition of every
// operation together with a bound of its rounding error. Operands are drawn from few leaves and
// from what was built before, so that like terms, squares and sums of angles meet often.
#ifndef RANDOM_EXPR_H
#define RANDOM_EXPR_H

#include "expr/expr.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RX_SYMBOLS = 5, RX_NODES = 160 };
// arithmetic of the naive tree; functions go by their ct_op
enum { RX_NUMBER = -9, RX_PI, RX_SYMBOL, RX_ADD, RX_SUB, RX_NEG, RX_MUL, RX_DIV, RX_POWER };

typedef struct rx_node {
    int op, arg[3];
    double number; // of a number, of an integer exponent; index of a symbol
    ct_ex ex;
} rx_node;

typedef struct rx_value {
    double v, err;
} rx_value;

typedef struct rx_world {
    ct_pool *pool;
    uint64_t state;
    ct_ex symbol[RX_SYMBOLS];
    rx_node node[RX_NODES];
    int n;
    int undefined,
        wrongly_undefined; // constants that were found undefined, and those of them with a value
} rx_world;

static inline uint64_t rx_bits(rx_world *w) { // splitmix64
    uint64_t z = (w->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int rx_below(rx_world *w, int n) {
    return (int)(rx_bits(w) % (uint64_t)n);
}

static inline double rx_real(rx_world *w, double low, double high) {
    return low + (high - low) * ((double)(rx_bits(w) >> 11) * 0x1p-53);
}

// naive evaluation -------------------------------------------------------------------------------
// f(x) with |f'(x)| = slope
static inline rx_value rx_smooth(double v, double slope, double err) {
    return (rx_value){v, (err > 0 ? slope * err : 0) + 4 * DBL_EPSILON * fabs(v)};
}

static inline rx_value rx_function(int op, rx_value a, rx_value b, rx_value c) {
    double x = a.v, gap = fabs(a.v - b.v), doubt = a.err + b.err;
    double tie = !(gap > doubt) ? INFINITY : 0; // which side is not certain
    double room = 1 - fabs(x) - a.err, r2 = x * x + b.v * b.v;
    switch (op) {
    case CT_OP_SQRT: return rx_smooth(sqrt(x), x > 2 * a.err ? 0.75 / sqrt(x) : INFINITY, a.err);
    case CT_OP_SIN: return rx_smooth(sin(x), 1, a.err + DBL_EPSILON * fabs(x));
    case CT_OP_COS: return rx_smooth(cos(x), 1, a.err + DBL_EPSILON * fabs(x));
    case CT_OP_TAN: return rx_smooth(tan(x), 1 + tan(x) * tan(x), a.err + DBL_EPSILON * fabs(x));
    case CT_OP_ASIN: return rx_smooth(asin(x), room > 0 ? 1 / sqrt(room) : INFINITY, a.err);
    case CT_OP_ACOS: return rx_smooth(acos(x), room > 0 ? 1 / sqrt(room) : INFINITY, a.err);
    case CT_OP_ATAN: return rx_smooth(atan(x), 1, a.err);
    case CT_OP_EXP: return rx_smooth(exp(x), exp(x), a.err + DBL_EPSILON * fabs(x));
    case CT_OP_LOG: return rx_smooth(log(x), x > 2 * a.err ? 2 / x : INFINITY, a.err + DBL_EPSILON);
    case CT_OP_ABS: return (rx_value){fabs(x), a.err};
    case CT_OP_SIGN: return (rx_value){(x > 0) - (x < 0), fabs(x) > a.err ? 0 : INFINITY};
    case CT_OP_ATAN2:
        if (!(fabs(x) > a.err) && !(b.v > b.err)) return (rx_value){atan2(x, b.v), INFINITY};
        return rx_smooth(atan2(x, b.v), 2 / sqrt(r2), doubt);
    case CT_OP_MIN: return (rx_value){x < b.v ? x : b.v, doubt};
    case CT_OP_MAX: return (rx_value){x > b.v ? x : b.v, doubt};
    case CT_OP_LESS: return (rx_value){x < b.v, tie};
    case CT_OP_LESS_EQUAL: return (rx_value){x <= b.v, tie};
    case CT_OP_EQUAL: return (rx_value){x == b.v, tie};
    case CT_OP_IF: {
        rx_value side = x != 0 ? b : c;
        return (rx_value){side.v, a.err == 0 || fabs(x) > a.err ? side.err : INFINITY};
    }
    case CT_OP_POWER: {
        double v = pow(x, b.v), slope = fabs(v * b.v / x) * a.err + fabs(v * log(fabs(x))) * b.err;
        return (rx_value){v, x > 2 * a.err ? 4 * slope + 8 * DBL_EPSILON * fabs(v) * (1 + fabs(b.v))
                                           : INFINITY};
    }
    default: return (rx_value){NAN, INFINITY};
    }
}

static inline rx_value rx_node_value(const rx_node *n, const rx_value *of, const double *at) {
    rx_value a = of[n->arg[0]], b = of[n->arg[1]], c = of[n->arg[2]];
    double v;
    switch (n->op) {
    case RX_NUMBER: return (rx_value){n->number, DBL_EPSILON * fabs(n->number)};
    case RX_PI: return (rx_value){3.14159265358979323846, 2 * DBL_EPSILON};
    case RX_SYMBOL: return (rx_value){at[(int)n->number], 0};
    case RX_ADD:
        return (rx_value){v = a.v + b.v, a.err + b.err + DBL_EPSILON * (fabs(a.v) + fabs(b.v))};
    case RX_SUB:
        return (rx_value){v = a.v - b.v, a.err + b.err + DBL_EPSILON * (fabs(a.v) + fabs(b.v))};
    case RX_NEG: return (rx_value){-a.v, a.err};
    case RX_MUL:
        v = a.v * b.v;
        return (rx_value){v, fabs(a.v) * b.err + fabs(b.v) * a.err + a.err * b.err +
                                 DBL_EPSILON * fabs(v)};
    case RX_DIV:
        v = a.v / b.v;
        if (!(fabs(b.v) > 2 * b.err)) return (rx_value){v, INFINITY};
        return (rx_value){v, 2 * (a.err + fabs(v) * b.err) / fabs(b.v) + 2 * DBL_EPSILON * fabs(v)};
    case RX_POWER: {
        double e = n->number, size = fabs(e);
        v = pow(a.v, e);
        if (!(fabs(a.v) > 2 * a.err) && e < 0) return (rx_value){v, INFINITY};
        double slope = e == 0 ? 0 : size * pow(fabs(a.v) + (e > 0 ? a.err : -a.err), e - 1);
        return (rx_value){v, (a.err > 0 ? slope * a.err : 0) + 4 * size * DBL_EPSILON * fabs(v)};
    }
    default: return rx_function(n->op, a, b, c);
    }
}

// Values of the whole world where the symbols are at[].
static inline void rx_eval(const rx_world *w, const double *at, rx_value *of) {
    for (int i = 0; i < w->n; i++) {
        of[i] = rx_node_value(&w->node[i], of, at);
        if (!isfinite(of[i].v) || isnan(of[i].err)) of[i].err = INFINITY;
    }
}

// A value to compare with: finite, and far above its own rounding error.
static inline bool rx_is_sound(rx_value x) {
    return isfinite(x.v) && x.err <= 1e-7 * (1 + fabs(x.v));
}

// A random place; corners (0, 1, -1, all alike) now and then where they are wanted.
static inline void rx_place(rx_world *w, bool corners, double *at) {
    static const double corner[] = {0, 1, -1, 0.5};
    for (int i = 0; i < RX_SYMBOLS; i++) {
        at[i] = rx_real(w, -2.5, 2.5);
        if (corners && !rx_below(w, 8)) at[i] = corner[rx_below(w, 4)];
        if (corners && i && !rx_below(w, 12)) at[i] = at[i - 1];
    }
}

typedef struct rx_point {
    const rx_world *w;
    const double *at;
} rx_point;
static inline double rx_symbol_value(void *data, ct_ex symbol) {
    const rx_point *p = data;
    for (int i = 0; i < RX_SYMBOLS; i++)
        if (p->w->symbol[i] == symbol) return p->at[i];
    return NAN;
}

// growing ----------------------------------------------------------------------------------------
static inline ct_ex rx_build(ct_pool *pool, int op, const ct_ex *a, double number) {
    switch (op) {
    case RX_ADD: return ct_add(pool, a[0], a[1]);
    case RX_SUB: return ct_sub(pool, a[0], a[1]);
    case RX_NEG: return ct_neg(pool, a[0]);
    case RX_MUL: return ct_mul(pool, a[0], a[1]);
    case RX_DIV: return ct_div(pool, a[0], a[1]);
    case RX_POWER: return ct_power_int(pool, a[0], (long)number);
    default: return ct_apply(pool, (ct_op)op, a);
    }
}

static inline int rx_leaf(rx_world *w, int op, double number, ct_ex ex) {
    w->node[w->n] = (rx_node){op, {0}, number, ex};
    return w->n++;
}

// Appends a node; where it is an undefined constant, checks that the naive tree thinks so too and
// drops it.
static inline int rx_make(rx_world *w, int op, int a, int b, int c, double number) {
    ct_ex args[3] = {w->node[a].ex, w->node[b].ex, w->node[c].ex};
    w->node[w->n] = (rx_node){op, {a, b, c}, number, rx_build(w->pool, op, args, number)};
    w->n++;
    if (w->node[w->n - 1].ex != ct_undefined(w->pool)) return w->n - 1;
    rx_value of[RX_NODES];
    double at[RX_SYMBOLS];
    rx_place(w, false, at);
    rx_eval(w, at, of);
    rx_value last = of[w->n - 1];
    bool has_value = rx_is_sound(last) && fabs(last.v) > 1e-200 && fabs(last.v) < 1e12;
    w->undefined++;
    w->wrongly_undefined += has_value;
    w->n--;
    return rx_below(w, w->n);
}

// a symbol, a number, or anything
static inline int rx_pick(rx_world *w) {
    enum { NUMBERS = 8 };
    int k = rx_below(w, 20);
    return k < 8    ? rx_below(w, RX_SYMBOLS)
           : k < 11 ? RX_SYMBOLS + rx_below(w, NUMBERS)
                    : rx_below(w, w->n);
}

// R f(u) g(v) +- R f'(u) g'(v): sums of angles and, where u and v are one, sums of squares; or
// almost
static inline void rx_identity(rx_world *w) {
    int u = rx_pick(w), v = rx_below(w, 3) ? rx_pick(w) : u, r = rx_pick(w);
    bool mixed = rx_below(w, 2) && u != v, outside = rx_below(w, 2);
    int cu = rx_make(w, CT_OP_COS, u, 0, 0, 0), su = rx_make(w, CT_OP_SIN, u, 0, 0, 0);
    int cv = rx_make(w, CT_OP_COS, v, 0, 0, 0), sv = rx_make(w, CT_OP_SIN, v, 0, 0, 0);
    int x = rx_make(w, RX_MUL, mixed ? su : cu, cv, 0, 0),
        y = rx_make(w, RX_MUL, mixed ? cu : su, sv, 0, 0);
    if (!outside) x = rx_make(w, RX_MUL, r, x, 0, 0), y = rx_make(w, RX_MUL, y, r, 0, 0);
    if (!rx_below(w, 4)) x = outside ? 6 : r; // R - R sin^2 u
    int sum = rx_make(w, rx_below(w, 2) ? RX_ADD : RX_SUB, x, y, 0, 0);
    if (outside) rx_make(w, RX_MUL, r, sum, 0, 0);
}

static inline void rx_grow(rx_world *w) {
    static const signed char ops[] = {
        RX_ADD,     RX_ADD,           RX_ADD,      RX_ADD,    RX_SUB,      RX_SUB,    RX_SUB,
        RX_NEG,     RX_MUL,           RX_MUL,      RX_MUL,    RX_MUL,      RX_MUL,    RX_DIV,
        RX_DIV,     RX_POWER,         RX_POWER,    RX_POWER,  CT_OP_SIN,   CT_OP_SIN, CT_OP_COS,
        CT_OP_COS,  CT_OP_SQRT,       CT_OP_SQRT,  CT_OP_ABS, CT_OP_SIGN,  CT_OP_TAN, CT_OP_ASIN,
        CT_OP_ACOS, CT_OP_ATAN,       CT_OP_EXP,   CT_OP_LOG, CT_OP_ATAN2, CT_OP_MIN, CT_OP_MAX,
        CT_OP_LESS, CT_OP_LESS_EQUAL, CT_OP_EQUAL, CT_OP_IF,  CT_OP_POWER};
    int k = rx_below(w, (int)sizeof ops + 5);
    if (k >= (int)sizeof ops)
        rx_identity(w);
    else
        rx_make(w, ops[k], rx_pick(w), rx_pick(w), rx_pick(w), rx_below(w, 8) - 3);
}

// A world with its leaves; `size` nodes are then grown.
static inline void rx_begin(rx_world *w, uint64_t seed, int size) {
    static const struct {
        ct_symbol_kind kind;
        const char *name;
    } symbols[RX_SYMBOLS] = {{CT_SYMBOL_COORDINATE, "a"},
                             {CT_SYMBOL_COORDINATE, "b.1"},
                             {CT_SYMBOL_RATE, "a'"},
                             {CT_SYMBOL_PARAMETER, "p"},
                             {CT_SYMBOL_TIME, "t"}};
    static const int numbers[][2] = {{0, 1}, {1, 1}, {-1, 1}, {2, 1}, {1, 2}, {-1, 3}, {3, 1}};
    *w = (rx_world){.pool = ct_pool_new(), .state = seed};
    for (int i = 0; i < RX_SYMBOLS; i++) {
        w->symbol[i] = ct_symbol(w->pool, symbols[i].kind, symbols[i].name);
        rx_leaf(w, RX_SYMBOL, i, w->symbol[i]);
    }
    for (int i = 0; i < 7; i++)
        rx_leaf(w, RX_NUMBER, (double)numbers[i][0] / numbers[i][1],
                ct_rational(w->pool, numbers[i][0], numbers[i][1]));
    rx_leaf(w, RX_PI, 0, ct_pi(w->pool));
    while (w->n < size && w->n < RX_NODES - 12) rx_grow(w);
}

static inline void rx_end(rx_world *w) {
    ct_pool_free(w->pool);
}

// names for the parser: pi, a parameter p, the time t, and any other name a coordinate; a prime
// makes a rate
static inline bool rx_resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                              ct_parse_error *error) {
    (void)offset, (void)error;
    ct_pool *pool = data;
    char *text = ct_format("%s%s", name, primes ? "'" : "");
    ct_symbol_kind kind = primes               ? CT_SYMBOL_RATE
                          : !strcmp(name, "p") ? CT_SYMBOL_PARAMETER
                          : !strcmp(name, "t") ? CT_SYMBOL_TIME
                                               : CT_SYMBOL_COORDINATE;
    *value = !strcmp(text, "pi") ? ct_pi(pool) : ct_symbol(pool, kind, text);
    ct_free(text);
    return true;
}

static inline bool rx_parse(ct_pool *pool, const char *text, ct_ex *value, ct_parse_error *error) {
    return ct_parse(pool, text, &(ct_names){.data = pool, .resolve = rx_resolve}, value, error);
}

// The expression that the text says; a mistake in it ends the test program.
static inline ct_ex rx_ex(ct_pool *pool, const char *text) {
    ct_ex value;
    ct_parse_error error;
    if (rx_parse(pool, text, &value, &error)) return value;
    fprintf(stderr, "in '%s' at %zu: %s\n", text, error.offset, error.message);
    abort();
}

typedef struct rx_pair {
    const char *a, *b;
} rx_pair;

// How many of the pairs are not one node (same) or not two.
static inline int rx_pairs(ct_pool *pool, const rx_pair *pairs, size_t n, bool same) {
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        ct_ex a = rx_ex(pool, pairs[i].a), b = rx_ex(pool, pairs[i].b);
        if ((a == b) == same) continue;
        char *x = ct_print(pool, a, CT_STYLE_TEXT), *y = ct_print(pool, b, CT_STYLE_TEXT);
        fprintf(stderr, "%s -> %s and %s -> %s should be %s\n", pairs[i].a, x, pairs[i].b, y,
                same ? "one" : "two");
        ct_free(x);
        ct_free(y);
        wrong++;
    }
    return wrong;
}

// All pairs are one node each, or two, in the pool of that name.
#define ONE_NODE(pairs)                                                                            \
    assert_int_equal(rx_pairs(pool, pairs, sizeof(pairs) / sizeof *(pairs), true), 0)
#define TWO_NODES(pairs)                                                                           \
    assert_int_equal(rx_pairs(pool, pairs, sizeof(pairs) / sizeof *(pairs), false), 0)

#endif
