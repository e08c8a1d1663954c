// Common pairs: the pair of factors (or of terms) that occurs most often is computed once, until no
// pair occurs twice (Breuer's greedy elimination).
#include "expr/rewrite.h"
#include "util/flint.h"

#include <stdlib.h>
#include <string.h>

// A list of items per node (factors of a product: base and exponent; terms of a sum: term and
// coefficient relative to the first of the pair), from which the most frequent pairs are taken out.
// Ratios of coefficients are told apart modulo the prime 2^61 - 1: exact ones of numbers with many
// digits cost more than all the rest, and a clash would only spoil a count.
typedef struct pair {
    ct_ex a, b;
    uint32_t x, y; // exponents; or the halves of the ratio of the coefficients
    int count;
} pair;
typedef struct pair_table {
    pair *slot;
    uint32_t size, used;
} pair_table;

static uint32_t pair_hash(ct_ex a, ct_ex b, uint32_t x, uint32_t y) {
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xc2b2ae3d27d4eb4f);
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) ^ x * UINT64_C(0x94d049bb133111eb) ^
        y * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h ^ (h >> 32));
}

static pair *pair_find(pair_table *t, ct_ex a, ct_ex b, uint32_t x, uint32_t y) {
    // a table that is half full doubles
    if (2 * t->used >= t->size) {
        pair_table wide = {.size = t->size ? 2 * t->size : 1024};
        wide.slot = ct_alloc(wide.size, sizeof *wide.slot);
        for (uint32_t i = 0; i < t->size; i++)
            if (t->slot[i].count) {
                pair *p = pair_find(&wide, t->slot[i].a, t->slot[i].b, t->slot[i].x, t->slot[i].y);
                p->count = t->slot[i].count;
            }
        ct_free(t->slot);
        *t = wide;
    }
    // open addressing
    uint32_t k = pair_hash(a, b, x, y) & (t->size - 1);
    for (; t->slot[k].count; k = (k + 1) & (t->size - 1)) {
        const pair *p = t->slot + k;
        if (p->a == a && p->b == b && p->x == x && p->y == y) return t->slot + k;
    }
    t->slot[k] = (pair){a, b, x, y, 0};
    t->used++;
    return t->slot + k;
}

enum { LONGEST = 60 }; // longer sums are not searched for pairs

// A coefficient and its inverse modulo the prime, zero if there is none.
typedef struct residue {
    ulong value, inverse;
} residue;

// What a node would take out: its most frequent pair, and where the two stand.
typedef struct choice {
    pair pair;
    uint32_t at, with;
} choice;

typedef struct pairing {
    ct_pool *pool;
    ct_op op;
    pair_table counts, chosen;
    choice *choice; // of each node in the order of the walk
    int next;       // the node that is rewritten next
    nmod_t prime;
    residue *residues; // coefficients of all sums, those of a node from first[node] on
    int *first;        // by node in the order of the walk
} pairing;

static bool pairable(const pairing *p, ct_ex a) {
    // a sum of two terms, a product of two factors is a pair already; coefficient times one thing
    // is not
    uint32_t n = p->pool->nodes[a].n;
    return ct_op_of(p->pool, a) == p->op && !ct_is_parametric(p->pool, a) && n >= 5 &&
           n <= 1 + 2 * LONGEST;
}

// num / den and den / num, by one inverse: that of their product.
static residue residue_of(const fmpq *c, nmod_t prime) {
    // 1 and -1 are their own inverses
    if (fmpz_is_one(fmpq_denref(c)) && fmpz_is_pm1(fmpq_numref(c))) {
        const ulong one = fmpq_sgn(c) > 0 ? 1 : prime.n - 1;
        return (residue){one, one};
    }
    const ulong num = fmpz_fdiv_ui(fmpq_numref(c), prime.n),
                den = fmpz_fdiv_ui(fmpq_denref(c), prime.n), product = nmod_mul(num, den, prime);
    if (!product) return (residue){0};
    const ulong inverse = nmod_inv(product, prime);
    return (residue){nmod_mul(nmod_mul(num, num, prime), inverse, prime),
                     nmod_mul(nmod_mul(den, den, prime), inverse, prime)};
}

static uint32_t items(const pairing *p, ct_ex a) {
    return (p->pool->nodes[a].n - 1) / 2;
}

// Coefficients of all sums modulo the prime.
static void find_residues(pairing *p, int n, const ct_ex *order) {
    int total = 0;
    if (p->op != CT_OP_SUM) return;
    p->first = ct_alloc((size_t)n + 1, sizeof *p->first);
    for (int i = 0; i < n; i++) {
        p->first[i] = total;
        if (pairable(p, order[i])) total += (int)items(p, order[i]);
    }
    p->residues = ct_alloc((size_t)total + 1, sizeof *p->residues);
    for (int i = 0; i < n; i++)
        for (uint32_t k = 0; pairable(p, order[i]) && k < items(p, order[i]); k++)
            p->residues[p->first[i] + (int)k] =
                residue_of(ct_value(p->pool, ct_words(p->pool, order[i])[1 + 2 * k]), p->prime);
}

// Key of the pair (i, j) of a node, whose place in the order of the walk is `at`: its items in order of
// node, and their exponents or the ratio of their coefficients.
static pair key(const pairing *p, ct_ex a, int at, uint32_t i, uint32_t j) {
    const uint32_t *w = ct_words(p->pool, a);
    if (p->op == CT_OP_PRODUCT)
        return (pair){w[1 + 2 * i], w[1 + 2 * j], w[2 + 2 * i], w[2 + 2 * j], 0};
    const residue *c = p->residues + p->first[at];
    ulong ratio = nmod_mul(c[j].value, c[i].inverse, p->prime);
    return (pair){w[2 + 2 * i], w[2 + 2 * j], (uint32_t)(ratio >> 32), (uint32_t)ratio, 0};
}

static choice best_pair(pairing *p, ct_ex a, int at) {
    uint32_t m = items(p, a);
    choice best = {0};
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = i + 1; j < m; j++) {
            pair k = key(p, a, at, i, j);
            int count = pair_find(&p->counts, k.a, k.b, k.x, k.y)->count;
            if (count > best.pair.count) {
                best = (choice){k, i, j};
                best.pair.count = count;
            }
        }
    return best;
}

static void count_pairs(pairing *p, int n, const ct_ex *order) {
    for (int i = 0; i < n; i++) {
        if (!pairable(p, order[i])) continue;
        uint32_t m = items(p, order[i]);
        for (uint32_t a = 0; a < m; a++)
            for (uint32_t b = a + 1; b < m; b++) {
                pair k = key(p, order[i], i, a, b);
                pair_find(&p->counts, k.a, k.b, k.x, k.y)->count++;
            }
    }
    // what each node would take
    for (int i = 0; i < n; i++) {
        if (!pairable(p, order[i])) continue;
        p->choice[i] = best_pair(p, order[i], i);
        const pair *k = &p->choice[i].pair;
        if (k->count > 1) pair_find(&p->chosen, k->a, k->b, k->x, k->y)->count++;
    }
}

static ct_ex pair_product(ct_copier *c, ct_ex a, const pair *k, uint32_t at, uint32_t with) {
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
    ct_product_times(pool, &p, ct_fence(pool, ct_product_end(pool, &two)), 1);
    return ct_product_end(pool, &p);
}

static ct_ex pair_sum(ct_copier *c, ct_ex a, const pair *k, uint32_t at, uint32_t with) {
    ct_pool *pool = c->pool;
    uint32_t m = (pool->nodes[a].n - 1) / 2;
    ct_ex *terms = ct_scratch((size_t)m + 2, sizeof *terms);
    int n = 0;
    terms[n++] = ct_words(pool, a)[0];
    for (uint32_t i = 0; i < m; i++)
        if (!k || (i != at && i != with))
            terms[n++] =
                ct_mul(pool, ct_words(pool, a)[1 + 2 * i], c->image[ct_words(pool, a)[2 + 2 * i]]);
    if (k) {
        ct_ex ratio = ct_div(pool, ct_words(pool, a)[1 + 2 * with], ct_words(pool, a)[1 + 2 * at]);
        ct_ex second = ct_mul(pool, ratio, c->image[k->b]);
        ct_ex two = ct_add(pool, c->image[k->a], second);
        terms[n++] = ct_mul(pool, ct_words(pool, a)[1 + 2 * at], ct_let(pool, two));
    }
    return ct_sum(pool, n, terms);
}

static bool unchanged(const ct_copier *c, ct_ex a) {
    for (int i = 0; i < ct_node_children(c->pool, a); i++)
        if (c->image[ct_words(c->pool, a)[i]] != ct_words(c->pool, a)[i]) return false;
    return true;
}

static ct_ex paired(ct_copier *c, ct_ex a) {
    pairing *p = c->data;
    ct_pool *pool = c->pool;
    const choice *own = p->choice + p->next++;
    if (ct_is_parametric(pool, a) || !ct_node_children(pool, a)) return a;
    const pair *k = &own->pair;
    bool take = k->count > 1 && pair_find(&p->chosen, k->a, k->b, k->x, k->y)->count > 1;
    if (!take && unchanged(c, a)) return a;
    switch (ct_op_of(pool, a)) {
    case CT_OP_SUM: return pair_sum(c, a, take ? k : NULL, own->at, own->with);
    case CT_OP_PRODUCT:
        return take ? pair_product(c, a, k, own->at, own->with) : ct_rewrite_product(c, a);
    case CT_OP_LET: return ct_let_again(pool, a, c->image[ct_words(pool, a)[0]]);
    default: return ct_rewrite_function(c, a);
    }
}

bool ct_pair_round(ct_pool *pool, ct_op op, int n, ct_ex *roots, double *operations) {
    pairing p = {.pool = pool, .op = op};
    nmod_init(&p.prime, (UINT64_C(1) << 61) - 1);
    ct_ex *order, *trial = ct_scratch((size_t)n + 1, sizeof *trial);
    int count = ct_walk(pool, n, roots, &order);
    p.choice = ct_alloc((size_t)count + 1, sizeof *p.choice);
    find_residues(&p, count, order);
    count_pairs(&p, count, order);
    // without a pair that occurs twice all stays as it is
    double after = *operations;
    if (p.chosen.used) {
        memcpy(trial, roots, (size_t)n * sizeof *trial);
        ct_rewrite_walked(pool, count, order, n, trial, paired, &p);
        after = ct_operations_total(ct_count_shared(pool, n, trial));
    }
    bool better = after < *operations;
    if (better) {
        memcpy(roots, trial, (size_t)n * sizeof *trial);
        *operations = after;
    }
    ct_free(order);
    ct_free(p.choice);
    ct_free(p.residues);
    ct_free(p.first);
    ct_free(p.counts.slot);
    ct_free(p.chosen.slot);
    return better;
}
