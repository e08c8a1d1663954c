// Operation counts, shared (each node once) and expanded (each use in full).
#include "expr/pool.h"

#include <math.h>
#include <stdlib.h>

enum {
    STATE = 1 << CT_SYMBOL_INPUT | 1 << CT_SYMBOL_TIME | 1 << CT_SYMBOL_COORDINATE |
            1 << CT_SYMBOL_RATE | 1 << CT_SYMBOL_ACCELERATION | 1 << CT_SYMBOL_REACTION |
            1 << CT_SYMBOL_OTHER
};

static bool unit(const ct_pool *pool, ct_ex number) {
    const fmpq *v = ct_value(pool, number);
    return fmpz_is_one(fmpq_denref(v)) && fmpz_is_pm1(fmpq_numref(v));
}

static int power_cost(slong e) // multiplications by repeated squaring
{
    ulong k = e < 0 ? (ulong)-e : (ulong)e;
    int cost = 0;
    for (; k > 1; k >>= 1) cost += 1 + (k & 1);
    return cost;
}

ct_operations ct_count_own(const ct_pool *pool, ct_ex a) {
    ct_operations c = {0};
    const uint32_t *w = ct_words(pool, a);
    uint32_t n = pool->nodes[a].n;
    switch (ct_op_of(pool, a)) {
    // leaves cost nothing
    case CT_OP_NUMBER:
    case CT_OP_PI:
    case CT_OP_UNDEFINED:
    case CT_OP_SYMBOL:
    case CT_OP_LET: break;
    // k + c1 t1 + ...: additions, and products with coefficients other than 1 and -1
    case CT_OP_SUM:
        c.add = (n - 1) / 2 - 1 + (w[0] != CT_ZERO);
        for (uint32_t i = 1; i < n; i += 2) c.mul += !unit(pool, w[i]);
        break;
    case CT_OP_PRODUCT: {
        // products above and below the line, powers, one division
        int top = !unit(pool, w[0]), bottom = 0;
        for (uint32_t i = 1; i < n; i += 2) {
            slong e = fmpz_get_si(fmpq_numref(ct_value(pool, w[i + 1])));
            c.mul += power_cost(e);
            if (e > 0)
                top++;
            else
                bottom++;
        }
        c.mul += (top > 1 ? top - 1 : 0) + (bottom > 1 ? bottom - 1 : 0);
        c.div = bottom > 0;
        break;
    }
    // comparisons count as an addition, other functions apart
    case CT_OP_ABS:
    case CT_OP_SIGN:
    case CT_OP_MIN:
    case CT_OP_MAX:
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL:
    case CT_OP_IF: c.add = 1; break;
    default: c.func = 1;
    }
    return c;
}

static void plus(ct_operations *c, ct_operations d) {
    c->add += d.add;
    c->mul += d.mul;
    c->div += d.div;
    c->func += d.func;
}

ct_operations ct_count_shared(ct_pool *pool, int n, const ct_ex *roots) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    ct_operations c = {0};
    for (int i = 0; i < count; i++)
        if (ct_ex_kinds(pool, order[i]) & STATE) plus(&c, ct_count_own(pool, order[i]));
    ct_free(order);
    return c;
}

ct_operations ct_count_expanded(ct_pool *pool, int n, const ct_ex *roots) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    ct_operations *full = ct_scratch((size_t)count, sizeof *full), c = {0};
    // operations of each node with all of its children, in full
    uint32_t *at = pool->marks;
    for (int i = 0; i < count; i++) at[order[i]] = (uint32_t)i;
    for (int i = 0; i < count; i++) {
        if (!(ct_ex_kinds(pool, order[i]) & STATE)) continue;
        full[i] = ct_count_own(pool, order[i]);
        for (int k = 0; k < ct_node_children(pool, order[i]); k++)
            plus(&full[i], full[at[ct_words(pool, order[i])[k]]]);
    }
    // those of the roots
    for (int i = 0; i < n; i++) plus(&c, full[at[roots[i]]]);
    for (int i = 0; i < count; i++) at[order[i]] = 0;
    ct_free(order);
    return c;
}

double ct_operations_total(ct_operations c) {
    return c.add + c.mul + c.div + c.func;
}
