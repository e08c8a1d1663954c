// The pool: nodes, each made once (hash-consing), numbers and symbols. The pool of a model outlives
// a call that runs out of memory: what is added gets its room first, beside the pool.
#include "expr/pool.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_words(ct_op op, uint32_t n, const uint32_t *words) {
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) * (op + 1u);
    for (uint32_t i = 0; i < n; i++) {
        h ^= words[i];
        h *= UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ (h >> 29));
}

// A slot has the hash in front of the node, so that other nodes are passed over without a look at them.
static uint64_t slot_of(uint32_t hash, ct_ex id) {
    return (uint64_t)hash << 32 | (id + 1);
}

static ct_ex node_in(uint64_t slot) {
    return (ct_ex)(slot & UINT32_MAX) - 1;
}

static void fill_slots(ct_pool *pool, uint32_t size) {
    uint64_t *slots = ct_alloc_beside(pool, size, sizeof *slots);
    for (uint32_t id = 0; id < pool->n_nodes; id++) {
        uint32_t k = pool->nodes[id].hash & (size - 1);
        while (slots[k]) k = (k + 1) & (size - 1);
        slots[k] = slot_of(pool->nodes[id].hash, id);
    }
    ct_free(pool->slots);
    pool->slots = slots;
    pool->n_slots = size;
}

static void grow_slots(ct_pool *pool) {
    fill_slots(pool, pool->n_slots ? 2 * pool->n_slots : 4096);
}

static ct_ex lookup(const ct_pool *pool, ct_op op, uint32_t n, const uint32_t *words, uint32_t hash,
                    uint32_t *slot) {
    uint32_t k = hash & (pool->n_slots - 1);
    for (; pool->slots[k]; k = (k + 1) & (pool->n_slots - 1)) {
        if (pool->slots[k] >> 32 != hash) continue;
        ct_ex id = node_in(pool->slots[k]);
        const ct_node *node = pool->nodes + id;
        if (node->op == op && node->n == n &&
            !memcmp(pool->args + node->first, words, n * sizeof *words))
            return id;
    }
    *slot = k;
    return CT_NONE;
}

ct_ex ct_find(ct_pool *pool, ct_op op, uint32_t n, const uint32_t *words) {
    uint32_t slot;
    return lookup(pool, op, n, words, hash_words(op, n, words), &slot);
}

int ct_node_children(const ct_pool *pool, ct_ex a) {
    switch (ct_op_of(pool, a)) {
    case CT_OP_NUMBER:
    case CT_OP_PI:
    case CT_OP_UNDEFINED:
    case CT_OP_SYMBOL: return 0;
    case CT_OP_TABLE: return 1;
    default: return (int)pool->nodes[a].n;
    }
}

// Room for a node with n words.
static void room_for_node(ct_pool *pool, uint32_t n) {
    CT_ROOM_BESIDE(pool, pool->nodes, pool->n_nodes, pool->room_nodes);
    if (pool->n_args + n > pool->room_args) {
        uint32_t room = 2 * (pool->n_args + n) + 64;
        pool->args = ct_realloc_beside(pool, pool->args, room, sizeof *pool->args);
        pool->room_args = room;
    }
}

ct_ex ct_intern(ct_pool *pool, ct_op op, uint32_t n, const uint32_t *words) {
    // the node that is there
    uint32_t hash = hash_words(op, n, words), slot;
    if (2 * pool->n_nodes >= pool->n_slots) grow_slots(pool);
    ct_ex id = lookup(pool, op, n, words, hash, &slot);
    if (id != CT_NONE) return id;
    // else a new one, with its words and the kinds of symbols below it
    room_for_node(pool, n);
    id = pool->n_nodes++;
    ct_node *node = pool->nodes + id;
    *node = (ct_node){.op = (uint8_t)op, .n = n, .first = pool->n_args, .hash = hash};
    if (n) memcpy(pool->args + pool->n_args, words, n * sizeof *words);
    pool->n_args += n;
    pool->slots[slot] = slot_of(hash, id);
    for (int i = 0; i < ct_node_children(pool, id); i++)
        node->kinds |= pool->nodes[ct_words(pool, id)[i]].kinds;
    return id;
}

// numbers of the pool are blocks of its own, not FLINT's, and never change: a value of more than a
// word is an mpz with its limbs behind it
static fmpz kept_integer(const ct_pool *pool, const fmpz_t value) {
    if (!COEFF_IS_MPZ(*value)) return *value;
    const __mpz_struct *from = COEFF_TO_PTR(*value);
    size_t limbs = mpz_size(from);
    __mpz_struct *to = ct_alloc_beside(pool, 1, sizeof *to + limbs * sizeof(mp_limb_t));
    *to = (__mpz_struct){(int)limbs, from->_mp_size, (mp_limb_t *)(to + 1)};
    memcpy(to->_mp_d, from->_mp_d, limbs * sizeof(mp_limb_t));
    return (fmpz)PTR_TO_COEFF(to);
}

static void keep_number(const ct_pool *pool, fmpq *number, const fmpq *value) {
    *fmpq_numref(number) = kept_integer(pool, fmpq_numref(value));
    *fmpq_denref(number) = kept_integer(pool, fmpq_denref(value));
}

ct_pool *ct_pool_new(void) {
    ct_pool *pool = ct_region_new(sizeof *pool);
    grow_slots(pool);
    ct_int(pool, 0);
    ct_int(pool, 1);
    pool->pi = ct_intern(pool, CT_OP_PI, 0, NULL);
    pool->undefined = ct_intern(pool, CT_OP_UNDEFINED, 0, NULL);
    ct_region_close(&pool->region);
    return pool;
}

void ct_pool_free(ct_pool *pool) {
    if (pool) ct_region_free(&pool->region);
}

static void *copied(const void *from, size_t count, size_t size) {
    void *to = ct_alloc(count + 1, size);
    if (count) memcpy(to, from, count * size);
    return to;
}

ct_pool *ct_pool_copy(const ct_pool *pool) {
    ct_pool *copy = ct_region_new(sizeof *copy);
    ct_region own = copy->region;
    *copy = *pool;
    copy->region = own;
    // nodes and their words
    copy->nodes = copied(pool->nodes, pool->n_nodes, sizeof *copy->nodes);
    copy->args = copied(pool->args, pool->n_args, sizeof *copy->args);
    copy->slots = copied(pool->slots, pool->n_slots, sizeof *copy->slots);
    copy->room_nodes = pool->n_nodes;
    copy->room_args = pool->n_args;
    copy->marks = NULL;
    copy->room_marks = copy->epoch = 0;
    // numbers, symbols and splines own memory
    copy->numbers = ct_alloc((size_t)pool->n_numbers + 1, sizeof *copy->numbers);
    copy->room_numbers = pool->n_numbers;
    for (uint32_t i = 0; i < pool->n_numbers; i++)
        keep_number(copy, copy->numbers + i, pool->numbers + i);
    copy->symbols = copied(pool->symbols, pool->n_symbols, sizeof *copy->symbols);
    copy->symbol_slots =
        copied(pool->symbol_slots, pool->n_symbol_slots, sizeof *copy->symbol_slots);
    copy->room_symbols = pool->n_symbols;
    for (uint32_t i = 0; i < pool->n_symbols; i++)
        copy->symbols[i].name = ct_strdup(pool->symbols[i].name);
    copy->tables = copied(pool->tables, (size_t)pool->n_tables, sizeof *copy->tables);
    copy->room_tables = pool->n_tables;
    for (int i = 0; i < pool->n_tables; i++) {
        ct_spline_data *t = copy->tables + i;
        t->name = ct_strdup(t->name);
        t->x = copied(t->x, (size_t)t->n, sizeof *t->x);
        t->a = copied(t->a, 4 * (size_t)t->n, sizeof *t->a);
    }
    ct_region_close(&copy->region);
    return copy;
}

static void add_integer(ct_digest *d, const fmpz x) {
    if (!COEFF_IS_MPZ(x)) {
        ct_digest_add_number(d, (uint64_t)x);
        return;
    }
    const __mpz_struct *z = COEFF_TO_PTR(x);
    ct_digest_add_number(d, (uint64_t)mpz_sgn(z));
    ct_digest_add(d, z->_mp_d, mpz_size(z) * sizeof *z->_mp_d);
}

ct_digest ct_pool_digest(const ct_pool *pool) {
    ct_digest d = {0};
    // nodes and their words
    ct_digest_add_number(&d, pool->n_nodes);
    for (uint32_t i = 0; i < pool->n_nodes; i++)
        ct_digest_add_number(&d, (uint64_t)pool->nodes[i].n << 8 | pool->nodes[i].op);
    ct_digest_add(&d, pool->args, pool->n_args * sizeof *pool->args);
    // numbers, symbols and splines
    for (uint32_t i = 0; i < pool->n_numbers; i++) {
        add_integer(&d, *fmpq_numref(pool->numbers + i));
        add_integer(&d, *fmpq_denref(pool->numbers + i));
    }
    for (uint32_t i = 0; i < pool->n_symbols; i++) {
        ct_digest_add_text(&d, pool->symbols[i].name);
        ct_digest_add_number(&d, pool->symbols[i].kind);
        ct_digest_add_number(&d, pool->symbols[i].node);
    }
    for (int i = 0; i < pool->n_tables; i++) {
        const ct_spline_data *t = pool->tables + i;
        ct_digest_add_text(&d, t->name);
        ct_digest_add_number(&d, t->periodic);
        ct_digest_add(&d, t->x, (size_t)t->n * sizeof *t->x);
        ct_digest_add(&d, t->a, 4 * (size_t)t->n * sizeof *t->a);
    }
    return d;
}

size_t ct_pool_size(const ct_pool *pool) {
    return pool->n_nodes;
}

// numbers ----------------------------------------------------------------------------------------
// Looked up by value, in the table of nodes with the hash of the value.
static uint32_t hash_fmpz(const fmpz_t x) {
    if (!COEFF_IS_MPZ(*x)) {
        uint64_t v = (uint64_t)*x * UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)(v >> 32);
    }
    slong bits = (slong)fmpz_bits(x);
    uint64_t low = fmpz_fdiv_ui(x, UWORD(18446744073709551557));
    return (uint32_t)(low ^ (low >> 32)) + (uint32_t)bits;
}

ct_ex ct_number(ct_pool *pool, const fmpq_t value) {
    uint32_t hash = hash_fmpz(fmpq_numref(value)) * 31u + hash_fmpz(fmpq_denref(value)) + 17u;
    if (2 * pool->n_nodes >= pool->n_slots) grow_slots(pool);
    // the number that is there
    uint32_t k = hash & (pool->n_slots - 1);
    for (; pool->slots[k]; k = (k + 1) & (pool->n_slots - 1)) {
        if (pool->slots[k] >> 32 != hash) continue;
        ct_ex id = node_in(pool->slots[k]);
        if (pool->nodes[id].op == CT_OP_NUMBER && fmpq_equal(ct_value(pool, id), value)) return id;
    }
    // else a new one
    room_for_node(pool, 1);
    CT_ROOM_BESIDE(pool, pool->numbers, pool->n_numbers, pool->room_numbers);
    keep_number(pool, pool->numbers + pool->n_numbers, value);
    ct_ex id = pool->n_nodes++;
    pool->nodes[id] = (ct_node){.op = CT_OP_NUMBER, .n = 1, .first = pool->n_args, .hash = hash};
    pool->args[pool->n_args++] = pool->n_numbers++;
    pool->slots[k] = slot_of(hash, id);
    return id;
}

ct_ex ct_rational(ct_pool *pool, long numerator, long denominator) {
    if (!denominator) return pool->undefined;
    fmpq_t v;
    fmpq_init(v);
    fmpz_t p, q;
    fmpz_init_set_si(p, numerator);
    fmpz_init_set_si(q, denominator);
    fmpq_set_fmpz_frac(v, p, q);
    ct_ex a = ct_number(pool, v);
    fmpz_clear(p);
    fmpz_clear(q);
    fmpq_clear(v);
    return a;
}

ct_ex ct_int(ct_pool *pool, long value) {
    return ct_rational(pool, value, 1);
}

ct_ex ct_pi(ct_pool *pool) {
    return pool->pi;
}

ct_ex ct_undefined(ct_pool *pool) {
    return pool->undefined;
}

// symbols ----------------------------------------------------------------------------------------
// A second hash table, by name and kind.
static void fill_symbols(ct_pool *pool, uint32_t size) {
    uint32_t *slots = ct_alloc_beside(pool, size, sizeof *slots);
    ct_free(pool->symbol_slots);
    pool->symbol_slots = slots;
    pool->n_symbol_slots = size;
    for (uint32_t i = 0; i < pool->n_symbols; i++) {
        const ct_symbol_entry *s = pool->symbols + i;
        uint32_t k = (uint32_t)ct_hash(s->name, strlen(s->name), s->kind + 1u) & (size - 1);
        while (pool->symbol_slots[k]) k = (k + 1) & (size - 1);
        pool->symbol_slots[k] = i + 1;
    }
}

ct_ex ct_symbol(ct_pool *pool, ct_symbol_kind kind, const char *name) {
    if (2 * pool->n_symbols >= pool->n_symbol_slots)
        fill_symbols(pool, pool->n_symbol_slots ? 2 * pool->n_symbol_slots : 256);
    uint32_t k = (uint32_t)ct_hash(name, strlen(name), kind + 1u) & (pool->n_symbol_slots - 1);
    for (; pool->symbol_slots[k]; k = (k + 1) & (pool->n_symbol_slots - 1)) {
        const ct_symbol_entry *s = pool->symbols + pool->symbol_slots[k] - 1;
        if (s->kind == kind && !strcmp(s->name, name)) return s->node;
    }
    uint32_t index = pool->n_symbols;
    CT_ROOM_BESIDE(pool, pool->symbols, pool->n_symbols, pool->room_symbols);
    ct_ex node = ct_intern(pool, CT_OP_SYMBOL, 1, &index);
    pool->symbols[index] = (ct_symbol_entry){ct_strdup_beside(pool, name), kind, node};
    pool->n_symbols++;
    pool->symbol_slots[k] = index + 1;
    pool->nodes[node].kinds = (uint8_t)(1u << kind);
    return node;
}

// looking ----------------------------------------------------------------------------------------
ct_op ct_ex_op(const ct_pool *pool, ct_ex a) {
    return ct_op_of(pool, a);
}

bool ct_is_number(const ct_pool *pool, ct_ex a) {
    return ct_op_of(pool, a) == CT_OP_NUMBER;
}

bool ct_number_get(const ct_pool *pool, ct_ex a, fmpq_t value) {
    if (!ct_is_number(pool, a)) return false;
    fmpq_set(value, ct_value(pool, a));
    return true;
}

const char *ct_symbol_name(const ct_pool *pool, ct_ex a) {
    return pool->symbols[ct_words(pool, a)[0]].name;
}

ct_symbol_kind ct_symbol_kind_of(const ct_pool *pool, ct_ex a) {
    return pool->symbols[ct_words(pool, a)[0]].kind;
}

int ct_child_count(const ct_pool *pool, ct_ex a) {
    return ct_node_children(pool, a);
}

ct_ex ct_child(const ct_pool *pool, ct_ex a, int i) {
    return ct_words(pool, a)[i];
}

unsigned ct_ex_kinds(const ct_pool *pool, ct_ex a) {
    return pool->nodes[a].kinds;
}

int ct_table_of(const ct_pool *pool, ct_ex a, int *order) {
    *order = (int)ct_words(pool, a)[2];
    return (int)ct_words(pool, a)[1];
}

// walks ------------------------------------------------------------------------------------------
int ct_walk(ct_pool *pool, int n, const ct_ex *roots, ct_ex **order) {
    // a mark for each node; a new epoch makes all marks invalid
    if (pool->room_marks < pool->n_nodes) {
        pool->marks = ct_realloc_beside(pool, pool->marks, pool->room_nodes, sizeof *pool->marks);
        memset(pool->marks + pool->room_marks, 0,
               (pool->room_nodes - pool->room_marks) * sizeof *pool->marks);
        pool->room_marks = pool->room_nodes;
    }
    uint32_t epoch = ++pool->epoch;
    enum { USUAL = 128 }; // nodes of most walks
    int n_out = 0, room_out = USUAL;
    ct_ex *out = ct_realloc(NULL, USUAL, sizeof *out);
    // depth-first search with a stack of its own: expressions may be deep
    struct frame {
        ct_ex node;
        int next, children;
    } *stack = ct_realloc(NULL, USUAL, sizeof *stack);
    int depth = 0, room = USUAL;
    for (int r = 0; r < n; r++) {
        if (pool->marks[roots[r]] == epoch) continue;
        pool->marks[roots[r]] = epoch;
        *CT_PUSH(stack, depth, room) =
            (struct frame){roots[r], 0, ct_node_children(pool, roots[r])};
        while (depth) {
            struct frame *top = stack + depth - 1;
            // all children are out: the node follows them
            if (top->next == top->children) {
                *CT_PUSH(out, n_out, room_out) = top->node;
                depth--;
                continue;
            }
            // the next child, unless it was seen
            ct_ex child = ct_words(pool, top->node)[top->next++];
            if (pool->marks[child] != epoch) {
                pool->marks[child] = epoch;
                *CT_PUSH(stack, depth, room) =
                    (struct frame){child, 0, ct_node_children(pool, child)};
            }
        }
    }
    ct_free(stack);
    *order = out;
    return n_out;
}

static int by_id(const void *a, const void *b) {
    ct_ex x = *(const ct_ex *)a, y = *(const ct_ex *)b;
    return (x > y) - (x < y);
}

int ct_ex_symbols(ct_pool *pool, int n, const ct_ex *roots, ct_ex **symbols) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order), kept = 0;
    for (int i = 0; i < count; i++)
        if (ct_op_of(pool, order[i]) == CT_OP_SYMBOL) order[kept++] = order[i];
    if (kept) qsort(order, (size_t)kept, sizeof *order, by_id);
    *symbols = ct_scratch_longer(order, (size_t)kept, (size_t)kept, sizeof *order);
    ct_free(order);
    return kept;
}

bool ct_depends(ct_pool *pool, ct_ex a, ct_ex symbol) {
    if (!(pool->nodes[a].kinds & pool->nodes[symbol].kinds)) return false;
    ct_ex *order;
    int count = ct_walk(pool, 1, &a, &order);
    bool found = false;
    for (int i = 0; i < count && !found; i++) found = order[i] == symbol;
    ct_free(order);
    return found;
}
