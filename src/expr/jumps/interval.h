// Interval evaluation of expressions in one symbol: an enclosure of all values that roots take while
// the symbol runs through an interval. Where a function is undefined (sqrt of a negative number)
// it has no values there; an enclosure without values is empty.
#ifndef CT_INTERVAL_H
#define CT_INTERVAL_H

#include "expr/expr.h"

typedef struct ct_interval {
    double lo, hi; // lo > hi: empty
} ct_interval;

// Roots in the order of their evaluation; all symbols but one have numbers.
typedef struct ct_enclosure {
    const ct_pool *pool;
    int count;
    ct_ex *order;
    uint32_t *at;    // by node: its place in `order`
    double *number;  // [count] of symbols and constants
    ct_interval *of; // [count]
    ct_ex symbol;
} ct_enclosure;
void ct_enclosure_init(ct_enclosure *e, ct_pool *pool, int n, const ct_ex *roots, ct_ex symbol,
                       ct_value_fn *value, void *data);
// Enclosures of all nodes for the symbol in `range`; ct_enclosed reads those of a root.
void ct_enclose(ct_enclosure *e, ct_interval range);
ct_interval ct_enclosed(const ct_enclosure *e, ct_ex root);
void ct_enclosure_clear(ct_enclosure *e);

#endif
