// Jumps between branches. Each function that is not smooth everywhere has a switching function s,
// zero where it is not: abs(x) has s = x, min(x, y) has x - y, tan(x) has cos(x). Bisection leaves
// out intervals on which no s has a zero, by interval evaluation and, where s is smooth, by the
// mean-value form  s(m) + s'(I) (I - m),  m being the middle of I. No zero is missed, and those that
// touch or come in rows are found too. Around what is left f and f' are compared, and f at the zero
// itself with both sides: it may have another value there for an instant.
#include "expr/jumps/jump.h"
#include "expr/jumps/interval.h"
#include "expr/pool.h"

#include <math.h>
#include <stdlib.h>

#define NARROW 1e-9 // of the whole range: an interval that is a place
#define STEEP  2    // times the change beside it: a change that is a jump
enum {
    SAMPLES = 64,   // places that tell how large f and f' are
    WORK = 40000000 // evaluated nodes after which the search is given up: a second
};

// What happens at a zero of s: f may bend or jump there; it ends, or comes near an end and turns back, as
// sqrt(x^2) does; neither (a pole, a condition that is zero for an instant).
typedef enum zero_kind { BEND, END, NO_BEND } zero_kind;

typedef struct switching {
    ct_ex s, rate;
    zero_kind kind;
    bool is_smooth; // the mean-value form holds
} switching;

typedef struct jump_finder {
    ct_pool *pool;
    const ct_jump_search *search;
    ct_ex f[CT_JUMP_ORDERS]; // f and f'
    double largest[CT_JUMP_ORDERS];
    switching *list;
    int n, room;
    ct_enclosure over;
    double narrow, work;
    bool open; // an interval that may hold zeros, not compared yet: first .. last
    double first, last;
    ct_jump *jump;
    bool found;
} jump_finder;

// switching functions ----------------------------------------------------------------------------
static void add_switching(jump_finder *k, ct_ex s, zero_kind kind) {
    if (!ct_depends(k->pool, s, k->search->symbol)) return;
    for (int i = 0; i < k->n; i++) {
        if (k->list[i].s != s) continue;
        if (kind < k->list[i].kind) k->list[i].kind = kind;
        return;
    }
    *CT_PUSH(k->list, k->n, k->room) = (switching){.s = s, .kind = kind};
}

static ct_ex nearest_number(ct_pool *pool, double x) {
    fmpq_t v;
    fmpz_t mantissa;
    int exponent;
    fmpq_init(v);
    fmpz_init(mantissa);
    // x = m 2^e, exactly
    fmpz_set_d(mantissa, ldexp(frexp(x, &exponent), 53));
    fmpq_set_fmpz(v, mantissa);
    exponent -= 53;
    if (exponent >= 0)
        fmpq_mul_2exp(v, v, (ulong)exponent);
    else
        fmpq_div_2exp(v, v, (ulong)-exponent);
    ct_ex number = ct_number(pool, v);
    fmpz_clear(mantissa);
    fmpq_clear(v);
    return number;
}

// x less each end of the table
static void add_ends(jump_finder *k, ct_ex node, ct_ex x) {
    int order;
    ct_spline s = ct_table_get(k->pool, ct_table_of(k->pool, node, &order));
    if (s.periodic) return;
    double ends[] = {s.x[0], s.x[s.n - 1]};
    for (int i = 0; i < 2; i++)
        add_switching(k, ct_sub(k->pool, x, nearest_number(k->pool, ends[i])), BEND);
}

// The switching functions of a node; false: it is smooth wherever its arguments are.
static bool switches(jump_finder *k, ct_ex node) {
    ct_pool *pool = k->pool;
    ct_ex x[3] = {0};
    int n = ct_child_count(pool, node);
    for (int i = 0; i < n && i < 3; i++) x[i] = ct_child(pool, node, i);
    switch (ct_op_of(pool, node)) {
    case CT_OP_ABS:
    case CT_OP_SIGN: add_switching(k, x[0], BEND); return true;
    case CT_OP_SQRT:
    case CT_OP_POWER: add_switching(k, x[0], END); return true;
    case CT_OP_ATAN2: // its cut is at y = 0
        add_switching(k, x[0], END);
        return true;
    case CT_OP_LOG:
    case CT_OP_IF: add_switching(k, x[0], NO_BEND); return true;
    case CT_OP_MIN:
    case CT_OP_MAX:
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: add_switching(k, ct_sub(pool, x[0], x[1]), BEND); return true;
    case CT_OP_ASIN:
    case CT_OP_ACOS:
        add_switching(k, ct_sub(pool, CT_ONE, x[0]), END);
        add_switching(k, ct_add(pool, CT_ONE, x[0]), END);
        return true;
    case CT_OP_TAN: add_switching(k, ct_cos(pool, x[0]), NO_BEND); return true;
    case CT_OP_TABLE: add_ends(k, node, x[0]); return true;
    case CT_OP_PRODUCT: {
        // divisors
        bool divides = false;
        for (int i = 1; i < n; i += 2) {
            ct_ex base = ct_child(pool, node, i), exponent = ct_child(pool, node, i + 1);
            if (fmpq_sgn(ct_value(pool, exponent)) > 0) continue;
            add_switching(k, base, NO_BEND);
            divides = true;
        }
        return divides;
    }
    default: return false;
    }
}

static bool is_smooth(jump_finder *k, ct_ex a) {
    ct_ex *order;
    bool smooth = true;
    int count = ct_walk(k->pool, 1, &a, &order);
    for (int i = 0; i < count && smooth; i++) smooth = !switches(k, order[i]);
    ct_free(order);
    return smooth;
}

static void collect(jump_finder *k) {
    // every node below f, and below what was collected
    ct_ex *order;
    int count = ct_walk(k->pool, 1, k->f, &order);
    for (int i = 0; i < count; i++) switches(k, order[i]);
    ct_free(order);
    // derivatives of those that are smooth
    for (int i = 0; i < k->n; i++) {
        ct_ex s = k->list[i].s;
        bool smooth = is_smooth(k, s); // may move the list
        k->list[i].is_smooth = smooth;
        k->list[i].rate = smooth ? ct_diff(k->pool, s, k->search->symbol) : CT_ZERO;
    }
}

// numbers ----------------------------------------------------------------------------------------
typedef struct at_place {
    const ct_jump_search *search;
    double place;
} at_place;

static double number_at(void *data, ct_ex symbol) {
    const at_place *p = data;
    if (symbol == p->search->symbol) return p->place;
    return p->search->value ? p->search->value(p->search->data, symbol) : NAN;
}

static void evaluate(jump_finder *k, double place, double out[CT_JUMP_ORDERS]) {
    at_place p = {k->search, place};
    ct_eval_many(k->pool, CT_JUMP_ORDERS, k->f, number_at, &p, out);
}

static void measure(jump_finder *k) {
    const ct_jump_search *s = k->search;
    for (int i = 0; i <= SAMPLES; i++) {
        double y[CT_JUMP_ORDERS];
        evaluate(k, s->from + (s->to - s->from) * i / SAMPLES, y);
        for (int o = 0; o < CT_JUMP_ORDERS; o++)
            if (isfinite(y[o])) k->largest[o] = fmax(k->largest[o], fabs(y[o]));
    }
}

// The zero of a switching function near a place, by Newton's method.
static double zero_near(jump_finder *k, const switching *s, double place) {
    enum { CORRECTIONS = 3 };
    const ct_ex both[] = {s->s, s->rate};
    for (int i = 0; i < CORRECTIONS; i++) {
        at_place p = {k->search, place};
        double y[2];
        ct_eval_many(k->pool, 2, both, number_at, &p, y);
        if (!(fabs(y[1]) > 0)) break;
        place -= y[0] / y[1];
    }
    return place;
}

// f at the zeros in the open interval against f on both sides of it: another value for an instant.
static void compare_inside(jump_finder *k, double before, double behind, double beside) {
    const ct_jump_search *s = k->search;
    const double large = fmax(k->largest[CT_JUMP_VALUE], fmax(fabs(before), fabs(behind)));
    for (int i = 0; i < k->n && !k->found; i++) {
        if (!k->list[i].is_smooth) continue;
        double zero = zero_near(k, k->list + i, (k->first + k->last) / 2), y[CT_JUMP_ORDERS];
        if (!(zero >= k->first && zero <= k->last)) continue;
        evaluate(k, zero, y);
        const double change =
            fmin(fabs(y[CT_JUMP_VALUE] - before), fabs(y[CT_JUMP_VALUE] - behind));
        k->found = change > STEEP * beside && change > s->least[CT_JUMP_VALUE] * large;
        if (k->found)
            *k->jump = (ct_jump){.order = CT_JUMP_VALUE,
                                 .at = zero,
                                 .before = before,
                                 .behind = y[CT_JUMP_VALUE],
                                 .searched = k->last};
    }
}

// f and f' on both sides of the open interval: a jump, if they change there much more than beside it
static void compare(jump_finder *k) {
    const ct_jump_search *s = k->search;
    double width = k->last - k->first, far[2][CT_JUMP_ORDERS], near[2][CT_JUMP_ORDERS];
    k->open = false;
    if (k->last >= s->to) return;
    // farther out by as much again, inside the range
    evaluate(k, fmax(s->from, k->first - width), far[0]);
    evaluate(k, k->first, near[0]);
    evaluate(k, k->last, near[1]);
    evaluate(k, fmin(s->to, k->last + width), far[1]);
    for (int o = 0; o < CT_JUMP_ORDERS && !k->found; o++) {
        if (o == CT_JUMP_RATE && k->first <= s->from && !s->start_rate) continue;
        double change = fabs(near[1][o] - near[0][o]);
        double beside = fmax(fabs(near[0][o] - far[0][o]), fabs(far[1][o] - near[1][o]));
        double large = fmax(k->largest[o], fmax(fabs(near[0][o]), fabs(near[1][o])));
        k->found = change > STEEP * beside && change > s->least[o] * large;
        if (k->found)
            *k->jump = (ct_jump){.order = o,
                                 .at = k->first <= s->from ? s->from : (k->first + k->last) / 2,
                                 .before = near[0][o],
                                 .behind = near[1][o],
                                 .searched = k->last};
    }
    const double beside = fmax(fabs(near[0][0] - far[0][0]), fabs(far[1][0] - near[1][0]));
    if (!k->found) compare_inside(k, near[0][0], near[1][0], beside);
}

// bisection --------------------------------------------------------------------------------------
static bool holds_zero(ct_interval x) {
    return x.lo <= 0 && x.hi >= 0 && (x.lo < 0 || x.hi > 0);
}

// Whether a switching function may change its sign in the interval.
static bool may_switch(jump_finder *k, double lo, double hi) {
    double middle = (lo + hi) / 2;
    bool doubtful = false;
    // s over the interval, for a zero; where s is smooth, s' for the mean-value form
    ct_enclose(&k->over, (ct_interval){lo, hi});
    k->work += k->over.count;
    ct_interval *slope = ct_scratch((size_t)k->n + 1, sizeof *slope);
    for (int i = 0; i < k->n; i++) {
        slope[i] = (ct_interval){1, -1};
        if (!holds_zero(ct_enclosed(&k->over, k->list[i].s))) continue;
        slope[i] = (ct_interval){-INFINITY, INFINITY};
        if (k->list[i].is_smooth) slope[i] = ct_enclosed(&k->over, k->list[i].rate);
        doubtful = true;
    }
    // s(m) +- |s'| (hi - lo) / 2
    bool found = false;
    if (doubtful) {
        ct_enclose(&k->over, (ct_interval){middle, middle});
        k->work += k->over.count;
    }
    for (int i = 0; i < k->n && doubtful && !found; i++) {
        if (slope[i].lo > slope[i].hi) continue;
        ct_interval s = ct_enclosed(&k->over, k->list[i].s);
        double reach = fmax(fabs(slope[i].lo), fabs(slope[i].hi)) * (hi - lo) / 2;
        found = !(s.lo - reach > 0) && !(s.hi + reach < 0);
    }
    return found;
}

// From left to right, until a jump is found.
static void bisect(jump_finder *k, double lo, double hi) {
    if (k->found || k->work > WORK) return;
    if (!may_switch(k, lo, hi)) {
        if (k->open) compare(k);
        if (!k->found) k->jump->searched = hi;
        return;
    }
    if (hi - lo > k->narrow) {
        bisect(k, lo, (lo + hi) / 2);
        bisect(k, (lo + hi) / 2, hi);
        return;
    }
    // a place: neighbours are one
    if (!k->open) k->first = lo;
    k->open = true;
    k->last = hi;
}

bool ct_jump_find(ct_pool *pool, const ct_jump_search *search, ct_jump *jump) {
    *jump = (ct_jump){.searched = search->from};
    jump_finder k = {.pool = pool, .search = search, .jump = jump};
    // f, f' and the switching functions with their derivatives
    k.f[CT_JUMP_VALUE] = search->f;
    k.f[CT_JUMP_RATE] = ct_diff(pool, search->f, search->symbol);
    collect(&k);
    if (!k.n || !(search->to > search->from)) {
        jump->searched = search->to;
        ct_free(k.list);
        return false;
    }
    measure(&k);
    ct_ex *roots = ct_scratch((size_t)(2 * k.n), sizeof *roots);
    for (int i = 0; i < k.n; i++) {
        roots[2 * i] = k.list[i].s;
        roots[2 * i + 1] = k.list[i].rate;
    }
    ct_enclosure_init(&k.over, pool, 2 * k.n, roots, search->symbol, search->value, search->data);
    // the whole range, divided
    k.narrow = NARROW * (search->to - search->from);
    bisect(&k, search->from, search->to);
    if (k.open && !k.found) compare(&k);
    if (!k.found && !(k.work > WORK)) jump->searched = search->to;
    ct_enclosure_clear(&k.over);
    ct_free(k.list);
    return k.found;
}

// bends ------------------------------------------------------------------------------------------
static double no_number(void *data, ct_ex symbol) {
    (void)data, (void)symbol;
    return NAN;
}

// Returns true if s has no zero, whatever other symbols are: none where it has others.
static bool is_never_zero(ct_pool *pool, ct_ex s, ct_ex symbol) {
    static const ct_interval always = {-1e12, 1e12};
    const unsigned kind = 1u << ct_symbol_kind_of(pool, symbol);
    if (ct_ex_kinds(pool, s) & ~kind) return false;
    ct_enclosure over;
    ct_enclosure_init(&over, pool, 1, &s, symbol, no_number, NULL);
    ct_enclose(&over, always);
    const bool never = !holds_zero(ct_enclosed(&over, s));
    ct_enclosure_clear(&over);
    return never;
}

int ct_jump_functions(ct_pool *pool, ct_ex root, ct_ex symbol, ct_ex **list) {
    const ct_jump_search search = {.f = root, .symbol = symbol};
    jump_finder k = {.pool = pool, .search = &search};
    ct_ex *order;
    int n = 0;
    const int count = ct_walk(pool, 1, &root, &order);
    for (int i = 0; i < count; i++) switches(&k, order[i]);
    ct_free(order);
    *list = ct_scratch((size_t)k.n + 1, sizeof **list);
    for (int i = 0; i < k.n; i++) {
        const switching *x = k.list + i;
        if (x->kind == BEND || (x->kind == END && !is_never_zero(pool, x->s, symbol)))
            (*list)[n++] = x->s;
    }
    ct_free(k.list);
    return n;
}
