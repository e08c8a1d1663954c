// Sines, cosines and other functions that the equations and the columns have in common: the equations
// are evaluated first, and hand their values on.
#include "expr/pool.h"
#include "formulate/reactions/reactions.h"

#include <string.h>

static bool is_function(ct_op op) {
    switch (op) {
    case CT_OP_POWER:
    case CT_OP_SQRT:
    case CT_OP_SIN:
    case CT_OP_COS:
    case CT_OP_TAN:
    case CT_OP_ASIN:
    case CT_OP_ACOS:
    case CT_OP_ATAN:
    case CT_OP_EXP:
    case CT_OP_LOG:
    case CT_OP_ATAN2:
    case CT_OP_TABLE: return true;
    default: return false;
    }
}

// All columns, the numbers behind them, and the least columns, in one list.
static int columns_of(const ct_reactions *r, ct_ex *list) {
    const int columns = r->groups.n_columns;
    int n = 0;
    for (int i = 0; i < columns; i++) list[n++] = r->column[i];
    for (int i = 0; i < r->n_more; i++) list[n++] = r->more[i];
    for (int i = 0; i < columns && r->n_loose; i++) list[n++] = r->least[i];
    for (int i = 0; i < r->n_loose; i++) list[n++] = r->share[i];
    return n;
}

static void set_columns(ct_reactions *r, const ct_ex *list) {
    const int columns = r->groups.n_columns;
    for (int i = 0; i < columns; i++) r->column[i] = *list++;
    for (int i = 0; i < r->n_more; i++) r->more[i] = *list++;
    for (int i = 0; i < columns && r->n_loose; i++) r->least[i] = *list++;
    for (int i = 0; i < r->n_loose; i++) r->share[i] = *list++;
}

void ct_reactions_share(ct_reactions *r, ct_pool *pool) {
    if (!r->n_entries) return;
    const size_t room = 2 * (size_t)r->groups.n_columns + (size_t)(r->n_more + r->n_loose) + 1;
    ct_ex *list = ct_scratch(room, sizeof *list), *order,
          *equations = ct_scratch((size_t)(r->n_entries + r->n_equations) + 1, sizeof *equations);
    bool *is_there = ct_scratch(ct_pool_size(pool) + 1, sizeof *is_there);
    int n = 0, n_list = columns_of(r, list), room_common = 0;
    for (int i = 0; i < r->n_entries; i++) equations[n++] = r->entries[i].value;
    for (int i = 0; i < r->n_equations; i++) equations[n++] = r->right[i];
    // functions of the equations
    int count = ct_walk(pool, n, equations, &order);
    for (int i = 0; i < count; i++) is_there[order[i]] = is_function(ct_ex_op(pool, order[i]));
    ct_free(order);
    // those that columns have too become symbols there
    ct_substitution *known = ct_substitution_new(pool);
    count = ct_walk(pool, n_list, list, &order);
    for (int i = 0; i < count; i++) {
        if (!is_there[order[i]]) continue;
        ct_ex symbol =
            ct_symbol(pool, CT_SYMBOL_OTHER, ct_scratch_format("wrench common %d", r->n_common));
        *CT_PUSH_SCRATCH(r->common, r->n_common, room_common) =
            (ct_reaction_common){.symbol = symbol, .value = order[i]};
        ct_substitution_map(known, order[i], symbol);
    }
    ct_free(order);
    for (int i = 0; i < n_list; i++) list[i] = ct_substitute(known, list[i]);
    set_columns(r, list);
    ct_substitution_free(known);
}
