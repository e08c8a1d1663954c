// Derivations and substitutions: both map every node once, children first, and remember the result.
#include "expr/pool.h"
#include "util/pages.h"

#include <stdlib.h>
#include <string.h>

// Images of the nodes that are mapped, CT_NONE for others.
typedef struct node_map {
    ct_pages image; // ct_ex by node
    unsigned kinds; // symbol kinds that have an image of their own
} node_map;

struct ct_derivation {
    ct_pool *pool;
    node_map map;
};

struct ct_substitution {
    ct_pool *pool;
    node_map map;
};

static ct_ex map_get(const node_map *m, ct_ex a) {
    const ct_ex *page = ct_pages_find(&m->image, a);
    return page ? page[a % CT_PAGE] : CT_NONE;
}

static void map_set(node_map *m, ct_ex a, ct_ex image) {
    ct_ex *page = ct_pages_make(&m->image, a, sizeof *page);
    page[a % CT_PAGE] = image;
}

// derivation -------------------------------------------------------------------------------------
ct_derivation *ct_derivation_new(ct_pool *pool) {
    ct_derivation *d = ct_alloc(1, sizeof *d);
    d->pool = pool;
    return d;
}

void ct_derivation_free(ct_derivation *d) {
    if (d) ct_pages_clear(&d->map.image);
    ct_free(d);
}

void ct_derivation_map(ct_derivation *d, ct_ex symbol, ct_ex image) {
    d->map.kinds |= ct_ex_kinds(d->pool, symbol);
    map_set(&d->map, symbol, image);
}

static ct_ex derive_sum(ct_derivation *d, ct_ex a) {
    ct_pool *pool = d->pool;
    ct_sum_parts s;
    ct_sum_begin(&s);
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2) {
        ct_ex da = ct_derive(d, ct_words(pool, a)[i + 1]);
        fmpq_t c;
        fmpq_init(c);
        fmpq_set(c, ct_value(pool, ct_words(pool, a)[i]));
        ct_sum_plus(pool, &s, da, c);
        fmpq_clear(c);
    }
    return ct_sum_end(pool, &s);
}

// (c prod b_k^e_k)' = sum e_k b_k' (product / b_k).
static ct_ex derive_product(ct_derivation *d, ct_ex a) {
    ct_pool *pool = d->pool;
    ct_sum_parts s;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    ct_sum_begin(&s);
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2) {
        ct_ex base = ct_words(pool, a)[i];
        ct_ex db = ct_derive(d, base);
        if (db == CT_ZERO) continue;
        ct_product_parts p;
        ct_product_begin(&p);
        ct_product_times(pool, &p, a, 1);
        ct_product_times(pool, &p, base, -1);
        ct_product_times(pool, &p, db, 1);
        ct_product_times(pool, &p, ct_words(pool, a)[i + 1], 1);
        ct_sum_plus(pool, &s, ct_product_end(pool, &p), one);
    }
    fmpq_clear(one);
    return ct_sum_end(pool, &s);
}

static ct_ex minus_square(ct_pool *pool, ct_ex a) // 1 - a^2
{
    return ct_sub(pool, CT_ONE, ct_power_int(pool, a, 2));
}

// df/da of a function with one argument.
static ct_ex outer(ct_pool *pool, ct_ex node, ct_ex a) {
    switch (ct_op_of(pool, node)) {
    case CT_OP_SQRT: return ct_div(pool, ct_rational(pool, 1, 2), node);
    case CT_OP_SIN: return ct_cos(pool, a);
    case CT_OP_COS: return ct_neg(pool, ct_sin(pool, a));
    case CT_OP_TAN: return ct_add(pool, CT_ONE, ct_power_int(pool, node, 2));
    case CT_OP_ASIN: return ct_power_int(pool, ct_sqrt(pool, minus_square(pool, a)), -1);
    case CT_OP_ACOS:
        return ct_neg(pool, ct_power_int(pool, ct_sqrt(pool, minus_square(pool, a)), -1));
    case CT_OP_ATAN: return ct_power_int(pool, ct_add(pool, CT_ONE, ct_power_int(pool, a, 2)), -1);
    case CT_OP_EXP: return node;
    case CT_OP_LOG: return ct_power_int(pool, a, -1);
    case CT_OP_ABS: return ct_apply(pool, CT_OP_SIGN, &a);
    case CT_OP_TABLE: {
        int order, table = ct_table_of(pool, node, &order);
        return ct_table(pool, table, order + 1, a);
    }
    default: return CT_ZERO; // sign: constant where it has a derivative
    }
}

static ct_ex derive_function(ct_derivation *d, ct_ex node) {
    ct_pool *pool = d->pool;
    int n = ct_node_children(pool, node);
    ct_ex a[3] = {0}, da[3] = {0};
    // arguments and their derivatives
    for (int i = 0; i < n; i++) {
        a[i] = ct_words(pool, node)[i];
        da[i] = ct_derive(d, a[i]);
    }
    // chain rule; piecewise functions branch by branch
    switch (ct_op_of(pool, node)) {
    case CT_OP_ATAN2: { // (x y' - y x') / (x^2 + y^2)
        ct_ex top = ct_sub(pool, ct_mul(pool, a[1], da[0]), ct_mul(pool, a[0], da[1]));
        ct_ex bottom = ct_add(pool, ct_power_int(pool, a[0], 2), ct_power_int(pool, a[1], 2));
        return ct_div(pool, top, bottom);
    }
    case CT_OP_MIN:
        return ct_if(pool, ct_apply(pool, CT_OP_LESS, (ct_ex[]){a[0], a[1]}), da[0], da[1]);
    case CT_OP_MAX:
        return ct_if(pool, ct_apply(pool, CT_OP_LESS, (ct_ex[]){a[0], a[1]}), da[1], da[0]);
    case CT_OP_IF: return ct_if(pool, a[0], da[1], da[2]);
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: return CT_ZERO;
    case CT_OP_POWER: { // a^b (b' log a + b a' / a)
        ct_ex grow = da[1] == CT_ZERO ? CT_ZERO : ct_mul(pool, da[1], ct_apply(pool, CT_OP_LOG, a));
        ct_ex move = ct_div(pool, ct_mul(pool, a[1], da[0]), a[0]);
        return ct_mul(pool, node, ct_add(pool, grow, move));
    }
    case CT_OP_LET: return ct_let(pool, da[0]);
    default: return da[0] == CT_ZERO ? CT_ZERO : ct_mul(pool, outer(pool, node, a[0]), da[0]);
    }
}

static ct_ex derive_node(ct_derivation *d, ct_ex a) {
    switch (ct_op_of(d->pool, a)) {
    case CT_OP_SYMBOL:
    case CT_OP_NUMBER:
    case CT_OP_PI: return CT_ZERO;
    case CT_OP_UNDEFINED: return a;
    case CT_OP_SUM: return derive_sum(d, a);
    case CT_OP_PRODUCT: return derive_product(d, a);
    default: return derive_function(d, a);
    }
}

ct_ex ct_derive(ct_derivation *d, ct_ex a) {
    if (!(ct_ex_kinds(d->pool, a) & d->map.kinds)) return a == d->pool->undefined ? a : CT_ZERO;
    ct_ex image = map_get(&d->map, a);
    if (image == CT_NONE) {
        image = derive_node(d, a);
        map_set(&d->map, a, image);
    }
    return image;
}

ct_ex ct_diff(ct_pool *pool, ct_ex a, ct_ex symbol) {
    ct_derivation *d = ct_derivation_new(pool);
    ct_derivation_map(d, symbol, CT_ONE);
    ct_ex r = ct_derive(d, a);
    ct_derivation_free(d);
    return r;
}

// substitution -----------------------------------------------------------------------------------
ct_substitution *ct_substitution_new(ct_pool *pool) {
    ct_substitution *s = ct_alloc(1, sizeof *s);
    s->pool = pool;
    return s;
}

void ct_substitution_free(ct_substitution *known) {
    if (known) ct_pages_clear(&known->map.image);
    ct_free(known);
}

void ct_substitution_map(ct_substitution *known, ct_ex symbol, ct_ex value) {
    known->map.kinds |= ct_ex_kinds(known->pool, symbol);
    map_set(&known->map, symbol, value);
}

// The node with substituted children, simplified as it is built.
static ct_ex rebuild(ct_substitution *known, ct_ex a) {
    ct_pool *pool = known->pool;
    uint32_t n = pool->nodes[a].n;
    switch (ct_op_of(pool, a)) {
    case CT_OP_SYMBOL: return a;
    case CT_OP_SUM: {
        // k + sum c_i t_i
        ct_sum_parts sum;
        fmpq_t c;
        fmpq_init(c);
        fmpq_one(c);
        ct_sum_begin(&sum);
        ct_sum_plus(pool, &sum, ct_words(pool, a)[0], c);
        for (uint32_t i = 1; i < n; i += 2) {
            ct_ex term = ct_substitute(known, ct_words(pool, a)[i + 1]);
            fmpq_set(c, ct_value(pool, ct_words(pool, a)[i]));
            ct_sum_plus(pool, &sum, term, c);
        }
        fmpq_clear(c);
        return ct_sum_end(pool, &sum);
    }
    case CT_OP_PRODUCT: {
        // c prod b_i^e_i
        ct_product_parts p;
        ct_product_begin(&p);
        ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
        for (uint32_t i = 1; i < n; i += 2) {
            ct_ex base = ct_substitute(known, ct_words(pool, a)[i]);
            slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
            ct_product_times(pool, &p, base, e);
        }
        return ct_product_end(pool, &p);
    }
    case CT_OP_TABLE: {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table(pool, table, order, ct_substitute(known, ct_words(pool, a)[0]));
    }
    case CT_OP_LET: return ct_let_again(pool, a, ct_substitute(known, ct_words(pool, a)[0]));
    default: {
        // functions of up to three arguments
        ct_ex args[3];
        for (uint32_t i = 0; i < n; i++) args[i] = ct_substitute(known, ct_words(pool, a)[i]);
        return ct_apply(pool, ct_op_of(pool, a), args);
    }
    }
}

ct_ex ct_substitute(ct_substitution *known, ct_ex a) {
    if (!(ct_ex_kinds(known->pool, a) & known->map.kinds)) return a;
    ct_ex image = map_get(&known->map, a);
    if (image == CT_NONE) {
        image = rebuild(known, a);
        map_set(&known->map, a, image);
    }
    return image;
}
