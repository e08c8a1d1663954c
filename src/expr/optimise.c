// Collects terms from the leaves up:  a p x + b q x = (a p + b q) x. Expressions in parameters
// become one opaque node, since they are computed once before a run; opaque nodes with a single
// user are opened. Then pairs are taken out (pairs.c).
#include "expr/optimise.h"

#include "expr/rewrite.h"

#include <stdlib.h>
#include <string.h>

ct_ex ct_fence(ct_pool *pool, ct_ex a) {
    ct_op op = ct_op_of(pool, a);
    return op == CT_OP_SUM || op == CT_OP_PRODUCT ? ct_intern(pool, CT_OP_LET, 1, &a) : a;
}

bool ct_is_parametric(const ct_pool *pool, ct_ex a) {
    return !(ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

static ct_ex open_fence(const ct_pool *pool, ct_ex a) {
    return ct_op_of(pool, a) == CT_OP_LET && ct_is_parametric(pool, a) ? ct_words(pool, a)[0] : a;
}

// Splits a = sign * parameters * rest. Returns the parameters with the positive numerical
// coefficient.
static ct_ex split(ct_pool *pool, ct_ex a, ct_ex *rest, bool *minus) {
    *minus = false;
    // all or nothing of it in parameters
    if (ct_is_parametric(pool, a)) {
        *rest = CT_ONE;
        return open_fence(pool, a);
    }
    if (ct_op_of(pool, a) != CT_OP_PRODUCT) {
        *rest = a;
        return CT_ONE;
    }
    // factors in parameters, and the others
    ct_product_parts p, r;
    ct_product_begin(&p);
    ct_product_begin(&r);
    ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
    uint32_t n = pool->nodes[a].n;
    for (uint32_t i = 1; i < n; i += 2) {
        ct_ex base = ct_words(pool, a)[i];
        slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
        if (ct_is_parametric(pool, base))
            ct_product_times(pool, &p, open_fence(pool, base), e);
        else
            ct_product_times(pool, &r, base, e);
    }
    // the sign apart
    *minus = fmpq_sgn(p.coefficient) < 0;
    fmpq_abs(p.coefficient, p.coefficient);
    *rest = ct_product_end(pool, &r);
    return ct_product_end(pool, &p);
}

static ct_ex join(ct_pool *pool, ct_ex parameters, ct_ex rest, bool minus) {
    ct_ex a = rest == CT_ONE ? ct_fence(pool, parameters)
                             : ct_mul(pool, ct_fence(pool, parameters), rest);
    return minus ? ct_neg(pool, a) : a;
}

// collecting ------------------------------------------------------------------------------------
typedef struct part {
    ct_ex rest, parameters; // parameters signed
} part;

static int by_rest(const void *x, const void *y) {
    const part *a = x, *b = y;
    if (a->rest != b->rest) return a->rest < b->rest ? -1 : 1;
    return (a->parameters > b->parameters) - (a->parameters < b->parameters);
}

static ct_ex collect_sum(ct_copier *c, ct_ex a) {
    ct_pool *pool = c->pool;
    uint32_t n = pool->nodes[a].n;
    // terms as parameters * rest
    int count = 0;
    part *parts = ct_scratch(n, sizeof *parts);
    parts[count++] = (part){CT_ONE, ct_words(pool, a)[0]};
    for (uint32_t i = 1; i < n; i += 2) {
        bool minus;
        ct_ex rest, term = ct_mul(pool, ct_words(pool, a)[i], c->image[ct_words(pool, a)[i + 1]]);
        ct_ex p = split(pool, term, &rest, &minus);
        parts[count++] = (part){rest, minus ? ct_neg(pool, p) : p};
    }
    // terms with the same rest side by side
    qsort(parts, (size_t)count, sizeof *parts, by_rest);
    ct_ex *terms = ct_scratch((size_t)count, sizeof *terms);
    int kept = 0;
    for (int i = 0; i < count;) {
        // (sum of their parameters) * rest, with a positive factor inside
        ct_ex rest = parts[i].rest, p = CT_ZERO;
        for (; i < count && parts[i].rest == rest; i++) p = ct_add(pool, p, parts[i].parameters);
        fmpq_t k;
        fmpq_init(k);
        bool minus = fmpq_sgn((ct_split_coefficient(pool, p, k), k)) < 0;
        fmpq_clear(k);
        terms[kept++] = join(pool, minus ? ct_neg(pool, p) : p, rest, minus);
    }
    return ct_sum(pool, kept, terms);
}

ct_ex ct_rewrite_product(ct_copier *c, ct_ex a) {
    ct_pool *pool = c->pool;
    ct_product_parts p;
    ct_product_begin(&p);
    ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2)
        ct_product_times(pool, &p, c->image[ct_words(pool, a)[i]],
                         fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1]))));
    return ct_product_end(pool, &p);
}

ct_ex ct_rewrite_function(ct_copier *c, ct_ex a) {
    ct_pool *pool = c->pool;
    if (ct_op_of(pool, a) == CT_OP_TABLE) {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table(pool, table, order, c->image[ct_words(pool, a)[0]]);
    }
    ct_ex args[3];
    for (int i = 0; i < ct_node_children(pool, a); i++) args[i] = c->image[ct_words(pool, a)[i]];
    return ct_apply(pool, ct_op_of(pool, a), args);
}

static ct_ex collected(ct_copier *c, ct_ex a) {
    ct_pool *pool = c->pool;
    if (ct_is_parametric(pool, a) || !ct_node_children(pool, a)) return a;
    switch (ct_op_of(pool, a)) {
    case CT_OP_SUM: return collect_sum(c, a);
    case CT_OP_PRODUCT: {
        bool minus;
        ct_ex rest, p = split(pool, ct_rewrite_product(c, a), &rest, &minus);
        return join(pool, p, rest, minus);
    }
    case CT_OP_LET: {
        ct_ex inside = c->image[ct_words(pool, a)[0]];
        return c->uses[a] > 1 ? ct_let_again(pool, a, inside) : inside;
    }
    default: return ct_rewrite_function(c, a);
    }
}

void ct_rewrite_walked(ct_pool *pool, int count, const ct_ex *order, int n, ct_ex *roots,
                       ct_rewrite_fn *f, void *data) {
    ct_copier c = {.pool = pool, .data = data};
    c.image = ct_alloc(pool->n_nodes, sizeof *c.image);
    c.uses = ct_alloc(pool->n_nodes, sizeof *c.uses);
    for (int i = 0; i < count; i++) {
        const int children = ct_node_children(pool, order[i]);
        const uint32_t *words = ct_words(pool, order[i]);
        for (int k = 0; k < children; k++) c.uses[words[k]]++;
    }
    for (int i = 0; i < n; i++) c.uses[roots[i]]++;
    for (int i = 0; i < count; i++) c.image[order[i]] = f(&c, order[i]);
    for (int i = 0; i < n; i++) roots[i] = c.image[roots[i]];
    ct_free(c.image);
    ct_free(c.uses);
}

void ct_rewrite(ct_pool *pool, int n, ct_ex *roots, ct_rewrite_fn *f, void *data) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    ct_rewrite_walked(pool, count, order, n, roots, f, data);
    ct_free(order);
}

// Takes pairs out until a round finds none. A round looks at the whole function, so in long functions
// it has to save a share that is worth it.
static void take_pairs(ct_pool *pool, ct_op op, int n, ct_ex *roots, double *operations) {
    enum { ROUNDS = 40, LONG = 20000, SHARE = 100 }; // rounds; operations; 1 of so many
    for (int i = 0; i < ROUNDS; i++) {
        double before = *operations;
        if (!ct_pair_round(pool, op, n, roots, operations)) return;
        if (before > LONG && before - *operations < before / SHARE) return;
    }
}

void ct_optimise(ct_pool *pool, int n, ct_ex *roots) {
    if (n == 0) return;
    ct_ex *trial = ct_scratch((size_t)n + 1, sizeof *trial);
    memcpy(trial, roots, (size_t)n * sizeof *trial);
    ct_rewrite(pool, n, trial, collected, NULL);
    double operations = ct_operations_total(ct_count_shared(pool, n, roots)),
           collected_ones = ct_operations_total(ct_count_shared(pool, n, trial));
    if (collected_ones <= operations) {
        memcpy(roots, trial, (size_t)n * sizeof *trial);
        operations = collected_ones;
    }
    take_pairs(pool, CT_OP_PRODUCT, n, roots, &operations);
    take_pairs(pool, CT_OP_SUM, n, roots, &operations);
}
