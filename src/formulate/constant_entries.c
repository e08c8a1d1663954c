// Entries of matrices that do not depend on the state, though they are written with it: turning a
// frame there and back leaves sums such as  sin(a)^2 + (cos(a) sin(b))^2 + (cos(a) cos(b))^2.  Such an
// entry is what it is at the state zero: the difference to that vanishes but for rounding at random
// states in the size of the mechanism, with its parameters and with others.
#include "formulate/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 3, SETS = 2 }; // random states for each of the sets of parameters

// A number of either sign between 0.3 and 1.7, by symbol and by draw.
static double draw(ct_ex symbol, int number) {
    uint64_t x =
        ((uint64_t)symbol + 1) * 0x9e3779b97f4a7c15u + ((uint64_t)number + 1) * 0xbf58476d1ce4e5b9u;
    for (int i = 0; i < 3; i++) x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    double size = 0.3 + 1.4 * (double)(x >> 11) * 0x1p-53;
    return x & 1 ? size : -size;
}

// Parameters are as in the model, then others; everything else differs from state to state.
static void go_to(const ct_formulation *f, int n_symbols, const ct_ex *symbols, int set, int state,
                  ct_numbers *numbers) {
    for (int i = 0; i < n_symbols; i++) {
        double x = draw(symbols[i], set * STATES + state);
        if (ct_symbol_kind_of(f->pool, symbols[i]) != CT_SYMBOL_PARAMETER)
            ct_numbers_set(numbers, 1, symbols + i, &x);
    }
    for (int i = 0; i < f->model->n_parameters; i++) {
        const ct_parameter *p = f->model->parameters + i;
        double x = fabs(draw(p->symbol, set)),
               value = set == 0 ? p->number : (p->number != 0 ? p->number * x : x);
        ct_numbers_set(numbers, 1, &p->symbol, &value);
    }
    for (int k = 0; k < f->n; k++) {
        double unit = f->is_angle[k] ? 1 : f->length,
               q = unit * draw(f->q[k], set * STATES + state),
               qd = unit * draw(f->qd[k], set * STATES + state);
        ct_numbers_set(numbers, 1, f->q + k, &q);
        ct_numbers_set(numbers, 1, f->qd + k, &qd);
    }
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

// The state zero for symbols that are no parameters.
static ct_substitution *at_zero(ct_pool *pool, int n, const ct_ex *symbols) {
    ct_substitution *zero = ct_substitution_new(pool);
    for (int i = 0; i < n; i++)
        if (ct_symbol_kind_of(pool, symbols[i]) != CT_SYMBOL_PARAMETER)
            ct_substitution_map(zero, symbols[i], CT_ZERO);
    return zero;
}

void ct_find_constant_entries(const ct_formulation *f, int n, ct_ex *entries) {
    ct_stage stage = ct_stage_begin();
    ct_pool *pool = f->pool;
    // entries with the state in them, and what they are at the state zero
    int *place = ct_scratch((size_t)n + 1, sizeof *place), count = 0;
    for (int i = 0; i < n; i++)
        if (has_state(pool, entries[i])) place[count++] = i;
    ct_ex *symbols, *found = ct_scratch((size_t)count + 1, sizeof *found),
                    *apart = ct_scratch((size_t)count + 1, sizeof *apart);
    int n_symbols = ct_ex_symbols(pool, n, entries, &symbols);
    ct_substitution *zero = at_zero(pool, n_symbols, symbols);
    for (int i = 0; i < count; i++) {
        found[i] = ct_substitute(zero, entries[place[i]]);
        apart[i] = ct_sub(pool, ct_let(pool, entries[place[i]]), found[i]);
    }
    ct_substitution_free(zero);
    // differences that vanish at every state
    bool *constant = ct_scratch((size_t)count + 1, sizeof *constant);
    double *v = ct_scratch((size_t)count + 1, sizeof *v);
    ct_numbers numbers;
    ct_model_numbers(f->model, &numbers);
    for (int i = 0; i < count; i++) constant[i] = true;
    for (int k = 0; k < SETS * STATES; k++) {
        go_to(f, n_symbols, symbols, k / STATES, k % STATES, &numbers);
        ct_numbers_eval_rounded(&numbers, count, apart, v);
        for (int i = 0; i < count; i++) constant[i] = constant[i] && v[i] == 0;
    }
    ct_numbers_clear(&numbers);
    // only where values tell: a function in pieces may have others
    bool *seen = ct_scratch(ct_pool_size(pool), sizeof *seen);
    for (int i = 0; i < count; i++) {
        if (!constant[i]) continue;
        memset(seen, 0, ct_pool_size(pool) * sizeof *seen);
        if (is_smooth(pool, entries[place[i]], seen)) entries[place[i]] = found[i];
    }
    ct_stage_end(stage);
}
