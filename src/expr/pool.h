// Private to the expressions: the nodes of a pool, their children, numbers and symbols, the hash
// table of nodes, and sums and products under construction.
#ifndef CT_POOL_H
#define CT_POOL_H

#include "expr/expr.h"

typedef struct ct_node {
    uint8_t op;
    uint8_t kinds;  // symbol kinds below, as bits
    uint32_t n;     // children (words in `args`)
    uint32_t first; // offset into `args`
    uint32_t hash;
} ct_node;

typedef struct ct_symbol_entry {
    char *name;
    ct_symbol_kind kind;
    ct_ex node;
} ct_symbol_entry;

typedef struct ct_spline_data {
    char *name;
    int n;
    bool periodic;
    double *x, *a;
    // where symbols decide on numbers (ct_table_add); the whole table's, in its first spline
    int whole;    // of which table this spline is a further part, -1: of none
    ct_ex factor; // of this spline
    ct_ex offset, scale;
} ct_spline_data;

struct ct_pool {
    ct_region region;
    ct_node *nodes;
    uint32_t n_nodes, room_nodes;
    uint32_t *args;
    uint32_t n_args, room_args;
    fmpq *numbers; // value of number k; nodes hold k in args
    uint32_t n_numbers, room_numbers;
    ct_symbol_entry *symbols;
    uint32_t n_symbols, room_symbols;
    uint32_t *symbol_slots, n_symbol_slots;
    uint64_t *slots;                    // open addressing, hash and node id + 1, 0 is free
    uint32_t n_slots;
    uint32_t *marks, room_marks, epoch; // visited nodes of the walk under way
    ct_ex pi, undefined;
    ct_spline_data *tables;
    int n_tables, room_tables;
};

#define CT_NONE UINT32_MAX

// The node with this op and these words. ct_intern makes it on first use, ct_find returns CT_NONE
// if there is none.
ct_ex ct_intern(ct_pool *pool, ct_op op, uint32_t n, const uint32_t *words);
ct_ex ct_find(ct_pool *pool, ct_op op, uint32_t n, const uint32_t *words);

static inline const uint32_t *ct_words(const ct_pool *pool, ct_ex a) {
    return pool->args + pool->nodes[a].first;
}
static inline ct_op ct_op_of(const ct_pool *pool, ct_ex a) {
    return (ct_op)pool->nodes[a].op;
}
// Value of a NUMBER node.
static inline const fmpq *ct_value(const ct_pool *pool, ct_ex a) {
    return pool->numbers + ct_words(pool, a)[0];
}
// Number of leading words of a node that are nodes. A TABLE also holds plain numbers, leaves hold
// none.
int ct_node_children(const ct_pool *pool, ct_ex a);
// Operations of a node without its children.
ct_operations ct_count_own(const ct_pool *pool, ct_ex a);

// A LET node around `inside`, with the factor inside or outside as in the LET node `like`.
ct_ex ct_let_again(ct_pool *pool, ct_ex like, ct_ex inside);

// Product c * b1^e1 * ... under construction.
typedef struct ct_factor {
    ct_ex base;
    slong exponent;
} ct_factor;
typedef struct ct_product_parts {
    fmpq_t coefficient;
    ct_factor *factors;
    int n, room;
    bool undefined;
    ct_factor small[12];
} ct_product_parts;
void ct_product_begin(ct_product_parts *p);
void ct_product_times(ct_pool *pool, ct_product_parts *p, ct_ex a, slong exponent);
ct_ex ct_product_end(ct_pool *pool, ct_product_parts *p); // also frees p
// a = coefficient * rest, rest without a numerical coefficient.
ct_ex ct_split_coefficient(ct_pool *pool, ct_ex a, fmpq_t coefficient);
ct_ex ct_scale(ct_pool *pool, const fmpq_t coefficient, ct_ex a);

// Sum k + c1 t1 + ... under construction.
typedef struct ct_term {
    ct_ex term;
    fmpq_t coefficient;
} ct_term;
typedef struct ct_sum_parts {
    fmpq_t constant;
    ct_term *terms;
    int n, room;
    bool undefined;
} ct_sum_parts;
void ct_sum_begin(ct_sum_parts *s);
void ct_sum_plus(ct_pool *pool, ct_sum_parts *s, ct_ex a, const fmpq_t coefficient);
ct_ex ct_sum_end(ct_pool *pool, ct_sum_parts *s); // also frees s
void ct_sum_merge(ct_sum_parts *s);               // sorts, adds like terms, drops zeros
// One pass of the identities between sines and cosines; true if anything changed.
bool ct_sum_trig(ct_pool *pool, ct_sum_parts *s);

// Nodes below the roots, children before parents; *order is owned by the caller.
int ct_walk(ct_pool *pool, int n, const ct_ex *roots, ct_ex **order);

#endif
