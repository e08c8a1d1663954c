// Straight-line C for a set of expressions: a node that is used more than once gets a temporary,
// which is free again after its last use; the others are written where they are used. What depends
// on parameters alone is lifted out into constants, shared by all functions.
#include "emit/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INLINE_MAX = 72 }; // longest ct_piece that is written inside another

static void grow(void **p, uint32_t *room, uint32_t need, size_t size, int fill) {
    if (need <= *room) return;
    uint32_t more = need + need / 2;
    *p = ct_realloc(*p, more, size);
    memset((char *)*p + (size_t)*room * size, fill, (size_t)(more - *room) * size);
    *room = more;
}

ct_writer *ct_writer_new(ct_pool *pool) {
    ct_writer *w = ct_alloc(1, sizeof *w);
    w->pool = pool;
    return w;
}

void ct_writer_free(ct_writer *w) {
    if (!w) return;
    for (uint32_t i = 0; i < w->room_names; i++) free(w->names[i]);
    free(w->names);
    free(w->constant);
    free(w->constants);
    free(w->slots);
    free(w->free_list);
    free(w->used);
    free(w);
}

void ct_writer_name(ct_writer *w, ct_ex symbol, const char *text) {
    grow((void **)&w->names, &w->room_names, symbol + 1, sizeof *w->names, 0);
    free(w->names[symbol]);
    w->names[symbol] = ct_strdup(text);
}

bool ct_writer_is_constant(const ct_writer *w, ct_ex a) {
    unsigned kinds = ct_ex_kinds(w->pool, a);
    ct_op op = ct_op_of(w->pool, a);
    return !(kinds & ~(1u << CT_SYMBOL_PARAMETER)) && op != CT_OP_NUMBER && op != CT_OP_PI &&
           op != CT_OP_UNDEFINED && op != CT_OP_LET;
}

static int constant_number(ct_writer *w, ct_ex a) {
    grow((void **)&w->constant, &w->room_constant, a + 1, sizeof *w->constant, 0xff);
    if (w->constant[a] < 0) {
        w->constant[a] = w->n_constants;
        *CT_PUSH(w->constants, w->n_constants, w->room_constants) = a;
    }
    return w->constant[a];
}

static bool is_leaf(const ct_writer *w, ct_ex a) {
    return ct_node_children(w->pool, a) == 0;
}

// How often a child is written by its parent: powers up to the fourth are written out, sign()
// twice.
static int times_written(const ct_pool *pool, ct_ex parent, int child) {
    if (ct_op_of(pool, parent) != CT_OP_PRODUCT || child % 2 == 0) return 1;
    slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, parent)[child + 1])));
    e = e < 0 ? -e : e;
    return e > 4 ? 1 : (int)e;
}

static bool is_number_child(ct_op op, int i) // coefficients, exponents
{
    return (op == CT_OP_SUM && i % 2 == (i ? 1 : 0)) || (op == CT_OP_PRODUCT && i % 2 == 0);
}

// sign(x), and if() whose parts should not be evaluated inside it, want their argument as a
// temporary
static bool wants_temporary(ct_op parent) {
    return parent == CT_OP_SIGN;
}

// the statement is written: temporaries that it was the last to use are free
static void release(ct_writer *w) {
    for (int i = 0; i < w->n_used; i++)
        if (--w->slots[w->used[i]].uses == 0)
            *CT_PUSH(w->free_list, w->n_free, w->room_free) = w->slots[w->used[i]].temporary;
    w->n_used = 0;
}

// A statement, broken at blanks where it would be too long to read.
static void statement(ct_text *out, const char *left, const char *right) {
    enum { WIDTH = 96 };
    size_t column = 4 + strlen(left) + 3;
    ct_text_printf(out, "    %s = ", left);
    while (*right) {
        size_t word = strcspn(right + 1, " ") + 1;
        if (*right == ' ' && column + word > WIDTH) {
            ct_text_add(out, "\n       ");
            column = 7;
        }
        ct_text_addn(out, right, word);
        column += word;
        right += word;
    }
    ct_text_add(out, ";\n");
}

static void store(ct_writer *w, ct_ex a, char *text) {
    release(w);
    int k = w->n_free ? w->free_list[--w->n_free] : w->n_temporaries++;
    char name[16];
    snprintf(name, sizeof name, "t%d", k);
    statement(w->out, name, text);
    free(text);
    w->slots[a].temporary = k;
}

// Order of evaluation below the roots, stopping at constants where `lift` says so.
static int order_below(ct_writer *w, int n, const ct_ex *roots, bool lift, ct_ex **order) {
    ct_pool *pool = w->pool;
    ct_ex *all;
    int count = ct_walk(pool, n, roots, &all), kept = 0;
    if (!lift) {
        *order = all;
        return count;
    }
    // keep nodes that a root reaches without passing through a constant
    for (int i = 0; i < n; i++) w->slots[roots[i]].uses = 1;
    for (int i = count - 1; i >= 0; i--) {
        if (!w->slots[all[i]].uses || ct_writer_is_constant(w, all[i])) continue;
        for (int k = 0; k < ct_node_children(pool, all[i]); k++)
            w->slots[ct_words(pool, all[i])[k]].uses = 1;
    }
    for (int i = 0; i < count; i++) {
        bool used = w->slots[all[i]].uses;
        w->slots[all[i]].uses = 0;
        if (used) all[kept++] = all[i];
    }
    *order = all;
    return kept;
}

static void begin(ct_writer *w) {
    uint32_t n = w->pool->n_nodes;
    w->slots = ct_realloc(w->slots, n, sizeof *w->slots);
    w->room_slots = n;
    for (uint32_t i = 0; i < n; i++) w->slots[i] = (ct_slot){.temporary = -1};
    w->n_free = w->n_temporaries = 0;
}

static void write_all(ct_writer *w, int count, const ct_ex *order, bool lift, int n,
                      const ct_target *targets) {
    ct_pool *pool = w->pool;
    // uses
    bool *forced = ct_alloc(pool->n_nodes, sizeof *forced);
    int *first_target = ct_alloc(pool->n_nodes, sizeof *first_target); // 1 + target, 0 none
    int *next_target = ct_alloc((size_t)n + 1, sizeof *next_target);
    for (int i = 0; i < count; i++) {
        ct_ex a = order[i];
        ct_op op = ct_op_of(pool, a);
        if (op == CT_OP_LET || (lift && ct_writer_is_constant(w, a))) continue;
        for (int k = 0; k < ct_node_children(pool, a); k++) {
            if (is_number_child(op, k)) continue;
            ct_ex child = ct_writer_inside(pool, ct_words(pool, a)[k]);
            w->slots[child].uses += times_written(pool, a, k);
            forced[child] |= wants_temporary(op);
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        ct_ex root = ct_writer_inside(pool, targets[i].root);
        next_target[i] = first_target[root];
        first_target[root] = 1 + i;
        w->slots[root].uses++;
    }
    for (int i = 0; i < count; i++) {
        ct_ex a = order[i];
        if (ct_op_of(pool, a) == CT_OP_LET) continue;
        if (lift && ct_writer_is_constant(w, a))
            constant_number(w, a);
        else if (!is_leaf(w, a)) {
            ct_level binds;
            w->n_used = 0;
            char *text = ct_writer_text(w, a, &binds);
            bool alone = w->slots[a].uses == 1 && !first_target[a];
            bool only_target = w->slots[a].uses == 1 && first_target[a];
            if ((alone && !forced[a] && strlen(text) <= INLINE_MAX) || only_target) {
                ct_slot *waiting = w->slots + a;
                waiting->text = text;
                waiting->level = binds;
                waiting->n_held = w->n_used;
                waiting->held = ct_alloc((size_t)w->n_used, sizeof *waiting->held);
                if (w->n_used) memcpy(waiting->held, w->used, (size_t)w->n_used * sizeof *w->used);
            } else {
                store(w, a, text);
            }
        }
        for (int k = first_target[a]; k; k = next_target[k - 1]) {
            w->n_used = 0;
            ct_piece p = ct_writer_operand(w, a);
            char *left = ct_format("%s[%d]", targets[k - 1].array, targets[k - 1].index);
            statement(w->out, left, p.text);
            free(left);
            free(p.text);
            release(w);
        }
    }
    free(forced);
    free(first_target);
    free(next_target);
}

static void declare(const ct_writer *w, ct_text *out, const ct_text *body) {
    for (int i = 0; i < w->n_temporaries; i++)
        ct_text_printf(out, i % 12 == 0 ? "%s    double t%d" : "%s, t%d",
                       i && i % 12 == 0 ? ";\n" : "", i);
    if (w->n_temporaries) ct_text_add(out, ";\n");
    if (body->n) ct_text_addn(out, body->s, body->n);
}

int ct_writer_function(ct_writer *w, ct_text *out, int n, const ct_target *targets,
                       const char *before, ct_operations *count) {
    ct_ex *roots = ct_alloc((size_t)n + 1, sizeof *roots), *order;
    for (int i = 0; i < n; i++) roots[i] = targets[i].root;
    ct_text body = {0};
    if (before) ct_text_add(&body, before);
    w->out = &body;
    begin(w);
    int nodes = order_below(w, n, roots, true, &order);
    write_all(w, nodes, order, true, n, targets);
    declare(w, out, &body);
    ct_text_clear(&body);
    if (count) *count = ct_count_shared(w->pool, n, roots);
    free(order);
    free(roots);
    return w->n_temporaries;
}

int ct_writer_constants(ct_writer *w, ct_text *out) {
    int n = w->n_constants;
    ct_target *targets = ct_alloc((size_t)n + 1, sizeof *targets);
    ct_ex *roots = ct_alloc((size_t)n + 1, sizeof *roots), *order;
    for (int i = 0; i < n; i++) {
        targets[i] = (ct_target){"c", i, w->constants[i]};
        roots[i] = w->constants[i];
    }
    // here nothing is lifted: parameters are written by name
    int *constant = w->constant;
    uint32_t room = w->room_constant;
    w->constant = NULL;
    w->room_constant = 0;
    ct_text body = {0};
    w->out = &body;
    begin(w);
    int nodes = order_below(w, n, roots, false, &order);
    write_all(w, nodes, order, false, n, targets);
    w->constant = constant;
    w->room_constant = room;
    declare(w, out, &body);
    ct_text_clear(&body);
    free(order);
    free(roots);
    free(targets);
    return n;
}
