// Jumps of an expression in one symbol, and of its derivative.
#ifndef CT_JUMP_H
#define CT_JUMP_H

#include "expr/expr.h"

enum { CT_JUMP_VALUE, CT_JUMP_RATE, CT_JUMP_ORDERS };

// What is looked for: f of the symbol from `from` to `to`, other symbols by value(data, symbol).
typedef struct ct_jump_search {
    ct_ex f, symbol;
    double from, to;
    // smallest jump that counts, of the largest |f| and |f'| on the way; INFINITY: none does
    double least[CT_JUMP_ORDERS];
    bool start_rate; // f' at `from` itself counts, too
    ct_value_fn *value;
    void *data;
} ct_jump_search;

typedef struct ct_jump {
    int order; // CT_JUMP_VALUE or CT_JUMP_RATE
    double at, before, behind;
    double searched; // the search came so far; `to`, unless it was given up
} ct_jump;

// The first jump of f or f' between `from` and `to`. At `from` the value that f (f', where it is
// asked for) has there is compared with its limit from inside; a jump at `to` does not count. Makes
// nodes in the pool.
// False: there is none as far as jump->searched.
bool ct_jump_find(ct_pool *pool, const ct_jump_search *search, ct_jump *jump);

// Functions that are zero where the root may bend or jump along the symbol, as t - 0.5 is for
// min(t, 0.5). Returns how many; *list is scratch of the call. Makes nodes in the pool.
int ct_jump_functions(ct_pool *pool, ct_ex root, ct_ex symbol, ct_ex **list);

#endif
