// Entries of matrices that do not depend on the state, though they are written with it: turning a
// frame there and back leaves sums such as  sin(a)^2 + (cos(a) sin(b))^2 + (cos(a) cos(b))^2.  Values
// at random states tell which entries these are. An entry that is the same everywhere is what it is
// at the state zero.
#include "formulate/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 3, SETS = 2 }; // random states for each of the sets of parameters

// A number between 0.3 and 1.7, by symbol and by draw.
static double draw(uint64_t symbol, uint64_t number) {
    uint64_t x = (symbol + 1) * 0x9e3779b97f4a7c15u + number * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < 3; i++) x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    return 0.3 + 1.4 * (double)(x >> 11) * 0x1p-53;
}

typedef struct point {
    const ct_pool *pool;
    int set, state;
} point;

// Parameters differ between sets, everything else between states too.
static double value(void *data, ct_ex symbol) {
    const point *p = data;
    bool fixed = ct_symbol_kind_of(p->pool, symbol) == CT_SYMBOL_PARAMETER;
    int number = p->set * (STATES + 1) + (fixed ? 0 : p->state + 1);
    double x = draw(symbol, (uint64_t)number);
    return fixed || draw(symbol, (uint64_t)number + 1000) > 1 ? x : -x;
}

static bool same(double a, double b) {
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static bool has_state(const ct_pool *pool, ct_ex a) {
    return (ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER)) != 0;
}

// True if values at a few points tell how an expression depends on the state: by sums, products,
// sines and cosines.
static bool is_smooth(const ct_pool *pool, ct_ex a, bool *seen) {
    ct_op op = ct_ex_op(pool, a);
    if (seen[a] || op == CT_OP_SYMBOL || !has_state(pool, a)) return true;
    seen[a] = true;
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT && op != CT_OP_SIN && op != CT_OP_COS &&
        op != CT_OP_LET)
        return false;
    for (int i = 0; i < ct_child_count(pool, a); i++)
        if (!is_smooth(pool, ct_child(pool, a, i), seen)) return false;
    return true;
}

// Values [SETS STATES n] of entries.
static double *sample(ct_pool *pool, int n, const ct_ex *entries) {
    double *v = ct_scratch((size_t)(SETS * STATES * n) + 1, sizeof *v);
    for (int set = 0; set < SETS; set++)
        for (int state = 0; state < STATES; state++) {
            point p = {pool, set, state};
            ct_eval_rounded(pool, n, entries, value, &p, v + (set * STATES + state) * n);
        }
    return v;
}

// The state zero for all symbols below the entries.
static ct_substitution *at_zero(ct_pool *pool, int n, const ct_ex *entries) {
    ct_substitution *zero = ct_substitution_new(pool);
    ct_ex *symbols;
    int count = ct_ex_symbols(pool, n, entries, &symbols);
    for (int i = 0; i < count; i++)
        if (ct_symbol_kind_of(pool, symbols[i]) != CT_SYMBOL_PARAMETER)
            ct_substitution_map(zero, symbols[i], CT_ZERO);
    return zero;
}

void ct_find_constant_entries(ct_pool *pool, int n, ct_ex *entries) {
    ct_stage stage = ct_stage_begin();
    // entries with the state in them whose values do not change with it
    int *place = ct_scratch((size_t)n + 1, sizeof *place), count = 0;
    const double *v = sample(pool, n, entries);
    for (int i = 0; i < n; i++) {
        bool constant = has_state(pool, entries[i]);
        for (int k = 0; k < SETS * STATES && constant; k++)
            constant = same(v[k * n + i], v[k / STATES * STATES * n + i]);
        bool *seen = constant ? ct_scratch(ct_pool_size(pool), sizeof *seen) : NULL;
        if (constant && is_smooth(pool, entries[i], seen)) place[count++] = i;
    }
    // what they are at the state zero, if that has the same values
    ct_ex *found = ct_scratch((size_t)count + 1, sizeof *found);
    ct_substitution *zero = at_zero(pool, n, entries);
    for (int i = 0; i < count; i++) found[i] = ct_substitute(zero, entries[place[i]]);
    const double *w = sample(pool, count, found);
    for (int i = 0; i < count; i++) {
        bool equal = true;
        for (int k = 0; k < SETS * STATES; k++)
            equal = equal && same(w[k * count + i], v[k * n + place[i]]);
        if (equal) entries[place[i]] = found[i];
    }
    ct_substitution_free(zero);
    ct_stage_end(stage);
}
