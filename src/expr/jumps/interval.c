// Interval evaluation: every operation gives an enclosure, widened by its own rounding. Exact zeros
// stay exact, so that a branch that is zero is known to be.
#include "expr/jumps/interval.h"
#include "expr/pool.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// units in the last place by which libm may be off, and some
#define WIDEN (4 * DBL_EPSILON)

static const ct_interval nothing = {INFINITY, -INFINITY}, everything = {-INFINITY, INFINITY};

static bool is_empty(ct_interval x) {
    return !(x.lo <= x.hi);
}

static bool has(ct_interval x, double a) {
    return x.lo <= a && a <= x.hi;
}

// NaN bounds come from infinities that cancel: nothing is known then.
static ct_interval widened(double lo, double hi) {
    return (ct_interval){isnan(lo) ? -INFINITY : lo - WIDEN * fabs(lo),
                         isnan(hi) ? INFINITY : hi + WIDEN * fabs(hi)};
}

static ct_interval hull(ct_interval x, ct_interval y) {
    if (is_empty(x)) return y;
    if (is_empty(y)) return x;
    return (ct_interval){fmin(x.lo, y.lo), fmax(x.hi, y.hi)};
}

static ct_interval clipped(ct_interval x, double lo, double hi) {
    return (ct_interval){fmax(x.lo, lo), fmin(x.hi, hi)};
}

static ct_interval add(ct_interval x, ct_interval y) {
    return is_empty(x) || is_empty(y) ? nothing : widened(x.lo + y.lo, x.hi + y.hi);
}

static double times(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}

static ct_interval multiply(ct_interval x, ct_interval y) {
    if (is_empty(x) || is_empty(y)) return nothing;
    double a = times(x.lo, y.lo), b = times(x.lo, y.hi), c = times(x.hi, y.lo),
           d = times(x.hi, y.hi);
    return widened(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

// x^e of a whole number e
static ct_interval whole_power(ct_interval x, long e) {
    if (is_empty(x)) return nothing;
    if (e < 0) {
        // 1 / x^|e|, of one sign away from zero
        ct_interval p = whole_power(x, -e);
        if (p.lo == 0 && p.hi == 0) return nothing;
        if (p.lo < 0 && p.hi > 0) return everything;
        return p.lo == 0   ? widened(1 / p.hi, INFINITY)
               : p.hi == 0 ? widened(-INFINITY, 1 / p.lo)
                           : widened(1 / p.hi, 1 / p.lo);
    }
    // powers of the bounds; an even power is least at zero
    double lo = pow(x.lo, (double)e), hi = pow(x.hi, (double)e);
    if (e % 2) return widened(lo, hi);
    return widened(has(x, 0) ? 0 : fmin(lo, hi), fmax(lo, hi));
}

// sin over x; its crests are at pi/2 + 2 pi k, its troughs at -pi/2 + 2 pi k
static ct_interval sine(ct_interval x) {
    if (is_empty(x)) return nothing;
    if (!(x.hi - x.lo < 2 * PI)) return (ct_interval){-1, 1};
    double low = sin(x.lo), high = sin(x.hi), slack = WIDEN * (1 + fabs(x.lo) + fabs(x.hi));
    bool crest = floor((x.hi - PI / 2 + slack) / (2 * PI)) >= (x.lo - PI / 2 - slack) / (2 * PI),
         trough = floor((x.hi + PI / 2 + slack) / (2 * PI)) >= (x.lo + PI / 2 - slack) / (2 * PI);
    return clipped(widened(trough ? -1 : fmin(low, high), crest ? 1 : fmax(low, high)), -1, 1);
}

static ct_interval cosine(ct_interval x) {
    return sine(add(x, widened(PI / 2, PI / 2)));
}

// tan over x: increasing between its poles at pi/2 + pi k
static ct_interval tangent(ct_interval x) {
    if (is_empty(x)) return nothing;
    bool pole = floor((x.hi - PI / 2) / PI) >= (x.lo - PI / 2) / PI || !(x.hi - x.lo < PI);
    return pole ? everything : widened(tan(x.lo), tan(x.hi));
}

// x^y of a base that is not negative: monotonous in both, so corners are the extremes
static ct_interval real_power(ct_interval x, ct_interval y) {
    x = clipped(x, 0, INFINITY);
    if (is_empty(x) || is_empty(y)) return nothing;
    double a = pow(x.lo, y.lo), b = pow(x.lo, y.hi), c = pow(x.hi, y.lo), d = pow(x.hi, y.hi);
    return widened(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

// atan2(y, x): corners are the extremes where neither the cut nor the origin is met
static ct_interval direction(ct_interval y, ct_interval x) {
    if (is_empty(x) || is_empty(y)) return nothing;
    if (has(y, 0) && x.lo <= 0) return widened(-PI, PI);
    double a = atan2(y.lo, x.lo), b = atan2(y.lo, x.hi), c = atan2(y.hi, x.lo),
           d = atan2(y.hi, x.hi);
    return widened(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

// a0 + a1 d + a2 d^2 + a3 d^3 over d, differentiated `order` times
static ct_interval cubic(const double *a, int order, ct_interval d) {
    ct_interval value = {0, 0};
    for (int i = 3; i >= order; i--) {
        double factor = a[i];
        for (int k = 0; k < order; k++) factor *= i - k;
        value = add(multiply(value, d), (ct_interval){factor, factor});
    }
    return value;
}

// Spline over x: the cubics of all pieces that x meets, and the ends beyond them.
static ct_interval spline(const ct_pool *pool, ct_ex node, ct_interval x) {
    int order, table = ct_table_of(pool, node, &order);
    const ct_spline s = ct_table_get(pool, table);
    const double first = s.x[0], last = s.x[s.n - 1], period = last - first;
    if (is_empty(x)) return nothing;
    // periodic: x moved into the first period; it may reach into the second one
    if (s.periodic) {
        if (!(x.hi - x.lo < period)) x = (ct_interval){first, last};
        double turns = floor((x.lo - first) / period) * period;
        x = (ct_interval){x.lo - turns, x.hi - turns};
    }
    ct_interval value = nothing;
    for (int wrap = 0; wrap <= (s.periodic && x.hi > last); wrap++)
        for (int i = 0; i + 1 < s.n; i++) {
            double shift = wrap ? period : 0;
            ct_interval piece = clipped(x, s.x[i] + shift, s.x[i + 1] + shift);
            if (is_empty(piece)) continue;
            piece = widened(piece.lo - s.x[i] - shift, piece.hi - s.x[i] - shift);
            value = hull(value, cubic(s.a + 4 * i, order, piece));
        }
    // constant beyond the ends
    double before = order ? 0 : s.a[0], behind = order ? 0 : s.a[4 * (s.n - 1)];
    if (!s.periodic && x.lo < first) value = hull(value, (ct_interval){before, before});
    if (!s.periodic && x.hi >= last) value = hull(value, (ct_interval){behind, behind});
    return value;
}

// 1 where it is certain, 0 where it is certainly not, else both
static ct_interval truth(bool certain, bool possible) {
    return (ct_interval){certain, certain || possible};
}

static ct_interval comparison(ct_op op, ct_interval x, ct_interval y) {
    if (is_empty(x) || is_empty(y)) return (ct_interval){0, 0};
    switch (op) {
    case CT_OP_LESS: return truth(x.hi < y.lo, x.lo < y.hi);
    case CT_OP_LESS_EQUAL: return truth(x.hi <= y.lo, x.lo <= y.hi);
    default: return truth(x.lo == y.hi && x.hi == y.lo, x.lo <= y.hi && y.lo <= x.hi);
    }
}

// Functions of one argument that is not empty.
static ct_interval function_of_one(const ct_pool *pool, ct_ex node, ct_interval x) {
    switch (ct_op_of(pool, node)) {
    // increasing or decreasing where they are defined: values at the bounds
    case CT_OP_SQRT:
        x = clipped(x, 0, INFINITY);
        return is_empty(x) ? nothing : widened(sqrt(x.lo), sqrt(x.hi));
    case CT_OP_LOG:
        x = clipped(x, 0, INFINITY);
        return is_empty(x) ? nothing : widened(log(x.lo), log(x.hi));
    case CT_OP_ASIN:
        x = clipped(x, -1, 1);
        return is_empty(x) ? nothing : widened(asin(x.lo), asin(x.hi));
    case CT_OP_ACOS:
        x = clipped(x, -1, 1);
        return is_empty(x) ? nothing : widened(acos(x.hi), acos(x.lo));
    // periodic ones, with their crests and poles
    case CT_OP_SIN: return sine(x);
    case CT_OP_COS: return cosine(x);
    case CT_OP_TAN: return tangent(x);
    // defined everywhere
    case CT_OP_ATAN: return widened(atan(x.lo), atan(x.hi));
    case CT_OP_EXP: return widened(exp(x.lo), exp(x.hi));
    case CT_OP_ABS:
        return (ct_interval){has(x, 0) ? 0 : fmin(fabs(x.lo), fabs(x.hi)),
                             fmax(fabs(x.lo), fabs(x.hi))};
    case CT_OP_SIGN: return (ct_interval){(x.lo > 0) - (x.lo < 0), (x.hi > 0) - (x.hi < 0)};
    case CT_OP_TABLE: return spline(pool, node, x);
    case CT_OP_LET: return x;
    default: return everything;
    }
}

static ct_interval function_over(const ct_pool *pool, ct_ex node, const ct_interval *x) {
    ct_op op = ct_op_of(pool, node);
    switch (op) {
    case CT_OP_POWER: return real_power(x[0], x[1]);
    case CT_OP_ATAN2: return direction(x[0], x[1]);
    case CT_OP_MIN:
        if (is_empty(x[0]) || is_empty(x[1])) return hull(x[0], x[1]);
        return (ct_interval){fmin(x[0].lo, x[1].lo), fmin(x[0].hi, x[1].hi)};
    case CT_OP_MAX:
        if (is_empty(x[0]) || is_empty(x[1])) return hull(x[0], x[1]);
        return (ct_interval){fmax(x[0].lo, x[1].lo), fmax(x[0].hi, x[1].hi)};
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: return comparison(op, x[0], x[1]);
    case CT_OP_IF:
        if (!has(x[0], 0)) return x[1];
        return x[0].lo == 0 && x[0].hi == 0 ? x[2] : hull(x[1], x[2]);
    default: return is_empty(x[0]) ? nothing : function_of_one(pool, node, x[0]);
    }
}

static ct_interval node_over(const ct_enclosure *e, int i, ct_interval range) {
    const ct_pool *pool = e->pool;
    ct_ex a = e->order[i];
    const uint32_t *w = ct_words(pool, a);
    uint32_t n = pool->nodes[a].n;
    ct_interval r;
    switch (ct_op_of(pool, a)) {
    // leaves: the symbol runs through the range, the others have numbers
    case CT_OP_SYMBOL:
        if (a == e->symbol) return range;
        return isnan(e->number[i]) ? nothing : (ct_interval){e->number[i], e->number[i]};
    case CT_OP_NUMBER: return (ct_interval){e->number[i], e->number[i]};
    case CT_OP_PI: return widened(PI, PI);
    case CT_OP_UNDEFINED: return nothing;
    // k + c1 t1 + ..,  c b1^e1 ..
    case CT_OP_SUM:
        r = e->of[e->at[w[0]]];
        for (uint32_t k = 1; k < n; k += 2)
            r = add(r, multiply(e->of[e->at[w[k]]], e->of[e->at[w[k + 1]]]));
        return r;
    case CT_OP_PRODUCT:
        r = e->of[e->at[w[0]]];
        for (uint32_t k = 1; k < n; k += 2)
            r = multiply(r, whole_power(e->of[e->at[w[k]]],
                                        fmpz_get_si(fmpq_numref(ct_value(pool, w[k + 1])))));
        return r;
    // functions of up to three arguments
    default: {
        ct_interval x[3] = {{0, 0}, {0, 0}, {0, 0}};
        for (int k = 0; k < ct_node_children(pool, a); k++) x[k] = e->of[e->at[w[k]]];
        return function_over(pool, a, x);
    }
    }
}

void ct_enclosure_init(ct_enclosure *e, ct_pool *pool, int n, const ct_ex *roots, ct_ex symbol,
                       ct_value_fn *value, void *data) {
    *e = (ct_enclosure){.pool = pool, .symbol = symbol};
    e->count = ct_walk(pool, n, roots, &e->order);
    e->at = ct_alloc(ct_pool_size(pool), sizeof *e->at);
    e->number = ct_alloc((size_t)e->count, sizeof *e->number);
    e->of = ct_alloc((size_t)e->count, sizeof *e->of);
    for (int i = 0; i < e->count; i++) {
        ct_ex a = e->order[i];
        e->at[a] = (uint32_t)i;
        if (ct_op_of(pool, a) == CT_OP_NUMBER)
            e->number[i] = ct_rational_double(ct_value(pool, a));
        else if (ct_op_of(pool, a) == CT_OP_SYMBOL && a != symbol)
            e->number[i] = value ? value(data, a) : NAN;
    }
}

void ct_enclose(ct_enclosure *e, ct_interval range) {
    for (int i = 0; i < e->count; i++) e->of[i] = node_over(e, i, range);
}

ct_interval ct_enclosed(const ct_enclosure *e, ct_ex root) {
    return e->of[e->at[root]];
}

void ct_enclosure_clear(ct_enclosure *e) {
    ct_free(e->order);
    ct_free(e->at);
    ct_free(e->number);
    ct_free(e->of);
}
