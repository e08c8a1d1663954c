// Two passes over the expressions of a function, both from the leaves up:
// collecting  a p x + b q x = (a p + b q) x, with everything in parameters behind one fence (it is set up
//             once), and fences that have only one user taken down;
// pairing     the pair of factors (or of terms) that occurs most often becomes a value of its own, until
//             no pair occurs twice (Breuer's greedy elimination).
#include "expr/optimise.h"

#include "expr/pool.h"

#include <stdlib.h>
#include <string.h>

// a copy under construction: image of every node
typedef struct copier {
    ct_pool *pool;
    ct_ex *image;
    uint32_t room;
    int *uses;
    void *data;
} copier;

static ct_ex fence(ct_pool *pool, ct_ex a)
{
    ct_op op = ct_op_of(pool, a);
    return op == CT_OP_SUM || op == CT_OP_PRODUCT ? ct_intern(pool, CT_OP_LET, 1, &a) : a;
}

static bool constant(const ct_pool *pool, ct_ex a)
{
    return !(ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

static ct_ex open_fence(const ct_pool *pool, ct_ex a)
{
    return ct_op_of(pool, a) == CT_OP_LET && constant(pool, a) ? ct_words(pool, a)[0] : a;
}

// a = sign * parameters * rest: parameters (with the numerical coefficient, positive) and rest
static ct_ex split(ct_pool *pool, ct_ex a, ct_ex *rest, bool *minus)
{
    *minus = false;
    if (constant(pool, a)) {
        *rest = CT_ONE;
        return open_fence(pool, a);
    }
    if (ct_op_of(pool, a) != CT_OP_PRODUCT) {
        *rest = a;
        return CT_ONE;
    }
    ct_product_parts p, r;
    ct_product_begin(&p);
    ct_product_begin(&r);
    ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
    uint32_t n = pool->nodes[a].n;
    for (uint32_t i = 1; i < n; i += 2) {
        ct_ex base = ct_words(pool, a)[i];
        slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
        if (constant(pool, base))
            ct_product_times(pool, &p, open_fence(pool, base), e);
        else
            ct_product_times(pool, &r, base, e);
    }
    *minus = fmpq_sgn(p.coefficient) < 0;
    fmpq_abs(p.coefficient, p.coefficient);
    *rest = ct_product_end(pool, &r);
    return ct_product_end(pool, &p);
}

static ct_ex join(ct_pool *pool, ct_ex parameters, ct_ex rest, bool minus)
{
    ct_ex a = rest == CT_ONE ? fence(pool, parameters) : ct_mul(pool, fence(pool, parameters), rest);
    return minus ? ct_neg(pool, a) : a;
}

// collecting ------------------------------------------------------------------------------------
typedef struct part {
    ct_ex rest, parameters; // parameters signed
} part;

static int by_rest(const void *x, const void *y)
{
    const part *a = x, *b = y;
    if (a->rest != b->rest)
        return a->rest < b->rest ? -1 : 1;
    return (a->parameters > b->parameters) - (a->parameters < b->parameters);
}

static ct_ex collect_sum(copier *c, ct_ex a)
{
    ct_pool *pool = c->pool;
    uint32_t n = pool->nodes[a].n;
    int count = 0;
    part *parts = ct_alloc(n, sizeof *parts);
    parts[count++] = (part){CT_ONE, ct_words(pool, a)[0]};
    for (uint32_t i = 1; i < n; i += 2) {
        bool minus;
        ct_ex rest, term = ct_mul(pool, ct_words(pool, a)[i], c->image[ct_words(pool, a)[i + 1]]);
        ct_ex p = split(pool, term, &rest, &minus);
        parts[count++] = (part){rest, minus ? ct_neg(pool, p) : p};
    }
    qsort(parts, (size_t)count, sizeof *parts, by_rest);
    ct_ex *terms = ct_alloc((size_t)count, sizeof *terms);
    int kept = 0;
    for (int i = 0; i < count;) {
        ct_ex rest = parts[i].rest, p = CT_ZERO;
        for (; i < count && parts[i].rest == rest; i++)
            p = ct_add(pool, p, parts[i].parameters);
        fmpq_t k;
        fmpq_init(k);
        bool minus = fmpq_sgn((ct_split_coefficient(pool, p, k), k)) < 0;
        fmpq_clear(k);
        terms[kept++] = join(pool, minus ? ct_neg(pool, p) : p, rest, minus);
    }
    ct_ex r = ct_sum(pool, kept, terms);
    free(parts);
    free(terms);
    return r;
}

static ct_ex rebuild_product(copier *c, ct_ex a)
{
    ct_pool *pool = c->pool;
    ct_product_parts p;
    ct_product_begin(&p);
    ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2)
        ct_product_times(pool, &p, c->image[ct_words(pool, a)[i]],
                         fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1]))));
    return ct_product_end(pool, &p);
}

static ct_ex rebuild_function(copier *c, ct_ex a)
{
    ct_pool *pool = c->pool;
    if (ct_op_of(pool, a) == CT_OP_TABLE) {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table(pool, table, order, c->image[ct_words(pool, a)[0]]);
    }
    ct_ex args[3];
    for (int i = 0; i < ct_node_children(pool, a); i++)
        args[i] = c->image[ct_words(pool, a)[i]];
    return ct_apply(pool, ct_op_of(pool, a), args);
}

static ct_ex collected(copier *c, ct_ex a)
{
    ct_pool *pool = c->pool;
    if (constant(pool, a) || !ct_node_children(pool, a))
        return a;
    switch (ct_op_of(pool, a)) {
    case CT_OP_SUM:
        return collect_sum(c, a);
    case CT_OP_PRODUCT: {
        bool minus;
        ct_ex rest, p = split(pool, rebuild_product(c, a), &rest, &minus);
        return join(pool, p, rest, minus);
    }
    case CT_OP_LET: {
        ct_ex inside = c->image[ct_words(pool, a)[0]];
        return c->uses[a] > 1 ? ct_let(pool, inside) : inside;
    }
    default:
        return rebuild_function(c, a);
    }
}

typedef ct_ex rewrite_fn(copier *c, ct_ex a);

static void rewrite(ct_pool *pool, int n, ct_ex *roots, rewrite_fn *f, void *data)
{
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    copier c = {.pool = pool, .room = pool->n_nodes, .data = data};
    c.image = ct_alloc(c.room, sizeof *c.image);
    c.uses = ct_alloc(c.room, sizeof *c.uses);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < ct_node_children(pool, order[i]); k++)
            c.uses[ct_words(pool, order[i])[k]]++;
    for (int i = 0; i < n; i++)
        c.uses[roots[i]]++;
    for (int i = 0; i < count; i++)
        c.image[order[i]] = f(&c, order[i]);
    for (int i = 0; i < n; i++)
        roots[i] = c.image[roots[i]];
    free(c.image);
    free(c.uses);
    free(order);
}

// pairing ---------------------------------------------------------------------------------------
// A list of items per node (factors of a product: base and exponent; terms of a sum: term and coefficient relative
// to the first of the pair), from which the most frequent pairs are taken out.
typedef struct pair {
    ct_ex a, b;
    ct_ex x, y; // exponents; or CT_ONE and the ratio of the coefficients
    int count;
} pair;
typedef struct pair_table {
    pair *slot;
    uint32_t size, used;
} pair_table;

static uint32_t pair_hash(ct_ex a, ct_ex b, ct_ex x, ct_ex y)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f);
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) ^ x * UINT64_C(0x94d049bb133111eb) ^ y * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h ^ (h >> 32));
}

static pair *pair_find(pair_table *t, ct_ex a, ct_ex b, ct_ex x, ct_ex y)
{
    if (2 * t->used >= t->size) {
        pair_table wide = {.size = t->size ? 2 * t->size : 1024};
        wide.slot = ct_alloc(wide.size, sizeof *wide.slot);
        for (uint32_t i = 0; i < t->size; i++)
            if (t->slot[i].count) {
                pair *p = pair_find(&wide, t->slot[i].a, t->slot[i].b, t->slot[i].x, t->slot[i].y);
                p->count = t->slot[i].count;
            }
        free(t->slot);
        *t = wide;
    }
    uint32_t k = pair_hash(a, b, x, y) & (t->size - 1);
    for (; t->slot[k].count; k = (k + 1) & (t->size - 1)) {
        const pair *p = t->slot + k;
        if (p->a == a && p->b == b && p->x == x && p->y == y)
            return t->slot + k;
    }
    t->slot[k] = (pair){a, b, x, y, 0};
    t->used++;
    return t->slot + k;
}

typedef struct pairing {
    ct_pool *pool;
    ct_op op;
    pair_table counts, chosen;
} pairing;

enum { LONGEST = 60, ROUNDS = 40 }; // longer sums are not searched for pairs

static bool pairable(const pairing *p, ct_ex a)
{
    // a sum of two terms, a product of two factors is a pair already; coefficient times one thing is not
    uint32_t n = p->pool->nodes[a].n;
    return ct_op_of(p->pool, a) == p->op && !constant(p->pool, a) && n >= 5 && n <= 1 + 2 * LONGEST;
}

// What identifies the pair (i, j) of a node: items in order of node, and how they go together.
static pair key(pairing *p, ct_ex a, uint32_t i, uint32_t j)
{
    const uint32_t *w = ct_words(p->pool, a);
    if (p->op == CT_OP_PRODUCT)
        return (pair){w[1 + 2 * i], w[1 + 2 * j], w[2 + 2 * i], w[2 + 2 * j], 0};
    fmpq_t ratio;
    fmpq_init(ratio);
    fmpq_div(ratio, ct_value(p->pool, w[1 + 2 * j]), ct_value(p->pool, w[1 + 2 * i]));
    ct_ex first = w[2 + 2 * i], second = w[2 + 2 * j];
    ct_ex y = ct_number(p->pool, ratio);
    fmpq_clear(ratio);
    return (pair){first, second, CT_ONE, y, 0};
}

static uint32_t items(const pairing *p, ct_ex a)
{
    return (p->pool->nodes[a].n - 1) / 2;
}

static pair best_pair(pairing *p, ct_ex a, uint32_t *at, uint32_t *with)
{
    uint32_t m = items(p, a);
    pair best = {0};
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++) {
            pair k = key(p, a, i, j);
            int count = pair_find(&p->counts, k.a, k.b, k.x, k.y)->count;
            if (count > best.count) {
                best = k;
                best.count = count;
                *at = i;
                *with = j;
            }
        }
    return best;
}

static void count_pairs(pairing *p, int n, const ct_ex *order)
{
    for (int i = 0; i < n; i++) {
        if (!pairable(p, order[i]))
            continue;
        uint32_t m = items(p, order[i]);
        for (uint32_t a = 0; a < m; a++)
            for (uint32_t b = a + 1; b < m; b++) {
                pair k = key(p, order[i], a, b);
                pair_find(&p->counts, k.a, k.b, k.x, k.y)->count++;
            }
    }
    // what each node would take
    for (int i = 0; i < n; i++) {
        uint32_t at, with;
        if (!pairable(p, order[i]))
            continue;
        pair k = best_pair(p, order[i], &at, &with);
        if (k.count > 1)
            pair_find(&p->chosen, k.a, k.b, k.x, k.y)->count++;
    }
}

static ct_ex pair_product(copier *c, ct_ex a, const pair *k, uint32_t at, uint32_t with)
{
    ct_pool *pool = c->pool;
    ct_product_parts two, p;
    ct_product_begin(&two);
    ct_product_begin(&p);
    ct_product_times(pool, &p, ct_words(pool, a)[0], 1);
    for (uint32_t i = 0; 1 + 2 * i < pool->nodes[a].n; i++) {
        slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[2 + 2 * i])));
        bool taken = k && (i == at || i == with);
        ct_product_times(pool, taken ? &two : &p, c->image[ct_words(pool, a)[1 + 2 * i]], e);
    }
    ct_product_times(pool, &p, fence(pool, ct_product_end(pool, &two)), 1);
    return ct_product_end(pool, &p);
}

static ct_ex pair_sum(copier *c, ct_ex a, const pair *k, uint32_t at, uint32_t with)
{
    ct_pool *pool = c->pool;
    uint32_t m = (pool->nodes[a].n - 1) / 2;
    ct_ex *terms = ct_alloc((size_t)m + 2, sizeof *terms);
    int n = 0;
    terms[n++] = ct_words(pool, a)[0];
    for (uint32_t i = 0; i < m; i++)
        if (!k || (i != at && i != with))
            terms[n++] = ct_mul(pool, ct_words(pool, a)[1 + 2 * i], c->image[ct_words(pool, a)[2 + 2 * i]]);
    if (k) {
        ct_ex second = ct_mul(pool, k->y, c->image[k->b]);
        ct_ex two = ct_add(pool, c->image[k->a], second);
        terms[n++] = ct_mul(pool, ct_words(pool, a)[1 + 2 * at], ct_let(pool, two));
    }
    ct_ex r = ct_sum(pool, n, terms);
    free(terms);
    return r;
}

static bool unchanged(const copier *c, ct_ex a)
{
    for (int i = 0; i < ct_node_children(c->pool, a); i++)
        if (c->image[ct_words(c->pool, a)[i]] != ct_words(c->pool, a)[i])
            return false;
    return true;
}

static ct_ex paired(copier *c, ct_ex a)
{
    pairing *p = c->data;
    ct_pool *pool = c->pool;
    if (constant(pool, a) || !ct_node_children(pool, a))
        return a;
    uint32_t at = 0, with = 0;
    pair k = {0};
    if (pairable(p, a))
        k = best_pair(p, a, &at, &with);
    bool take = k.count > 1 && pair_find(&p->chosen, k.a, k.b, k.x, k.y)->count > 1;
    if (!take && unchanged(c, a))
        return a;
    switch (ct_op_of(pool, a)) {
    case CT_OP_SUM:
        return pair_sum(c, a, take ? &k : NULL, at, with);
    case CT_OP_PRODUCT:
        return take ? pair_product(c, a, &k, at, with) : rebuild_product(c, a);
    case CT_OP_LET:
        return ct_let(pool, c->image[ct_words(pool, a)[0]]);
    default:
        return rebuild_function(c, a);
    }
}

// One round for products or sums; true while it pays.
static bool pair_round(ct_pool *pool, ct_op op, int n, ct_ex *roots)
{
    pairing p = {.pool = pool, .op = op};
    ct_ex *order, *trial = ct_alloc((size_t)n + 1, sizeof *trial);
    int count = ct_walk(pool, n, roots, &order);
    count_pairs(&p, count, order);
    free(order);
    memcpy(trial, roots, (size_t)n * sizeof *trial);
    rewrite(pool, n, trial, paired, &p);
    double before = ct_operations_total(ct_count_shared(pool, n, roots));
    bool better = ct_operations_total(ct_count_shared(pool, n, trial)) < before;
    if (better)
        memcpy(roots, trial, (size_t)n * sizeof *trial);
    free(trial);
    free(p.counts.slot);
    free(p.chosen.slot);
    return better;
}

void ct_optimise(ct_pool *pool, int n, ct_ex *roots)
{
    ct_ex *trial = ct_alloc((size_t)n + 1, sizeof *trial);
    memcpy(trial, roots, (size_t)n * sizeof *trial);
    rewrite(pool, n, trial, collected, NULL);
    if (ct_operations_total(ct_count_shared(pool, n, trial)) <= ct_operations_total(ct_count_shared(pool, n, roots)))
        memcpy(roots, trial, (size_t)n * sizeof *trial);
    free(trial);
    for (int i = 0; i < ROUNDS && pair_round(pool, CT_OP_PRODUCT, n, roots); i++)
        ;
    for (int i = 0; i < ROUNDS && pair_round(pool, CT_OP_SUM, n, roots); i++)
        ;
}
