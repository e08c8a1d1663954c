// Straight-line C for a set of expressions: a node that is used more than once gets a temporary,
// which is free again after its last use; the others are written where they are used. What depends
// on parameters alone is lifted out into constants, shared by all functions.
#include "emit/text/writer.h"

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

void ct_writer_fuse(ct_writer *w) {
    w->fused = true;
}

void ct_writer_steady(ct_writer *w) {
    w->steady = true;
}

void ct_writer_free(ct_writer *w) {
    if (!w) return;
    for (uint32_t i = 0; i < w->room_names; i++) ct_free(w->names[i]);
    ct_free(w->names);
    ct_free(w->constant);
    ct_free(w->constants);
    ct_free(w->slots);
    ct_free(w->free_list);
    ct_free(w->used);
    ct_free(w->section);
    ct_free(w->late);
    ct_free(w);
}

void ct_writer_name(ct_writer *w, ct_ex symbol, const char *text) {
    grow((void **)&w->names, &w->room_names, symbol + 1, sizeof *w->names, 0);
    ct_free(w->names[symbol]);
    w->names[symbol] = ct_strdup(text);
}

bool ct_writer_is_constant(const ct_writer *w, ct_ex a) {
    unsigned kinds = ct_ex_kinds(w->pool, a);
    ct_op op = ct_op_of(w->pool, a);
    return !(kinds & ~(1u << CT_SYMBOL_PARAMETER)) && op != CT_OP_NUMBER && op != CT_OP_PI &&
           op != CT_OP_UNDEFINED && op != CT_OP_LET;
}

int ct_writer_constant(ct_writer *w, ct_ex a) {
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

// Number of times that the text of a child stands in its parent: powers up to the fourth are
// written out, min and max twice.
static int times_written(const ct_pool *pool, ct_ex parent, int child) {
    ct_op op = ct_op_of(pool, parent);
    if (op == CT_OP_MIN || op == CT_OP_MAX) return 2;
    if (ct_op_of(pool, parent) != CT_OP_PRODUCT || child % 2 == 0) return 1;
    slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, parent)[child + 1])));
    e = e < 0 ? -e : e;
    return e > 4 ? 1 : (int)e;
}

static bool is_number_child(ct_op op, int i) // coefficients, exponents
{
    return (op == CT_OP_SUM && i % 2 == (i ? 1 : 0)) || (op == CT_OP_PRODUCT && i % 2 == 0);
}

// sign(x), min and max write their arguments twice
static bool wants_temporary(ct_op parent) {
    return parent == CT_OP_SIGN || parent == CT_OP_MIN || parent == CT_OP_MAX;
}

// the statement is written: temporaries that it was the last to use are free
static void release(ct_writer *w) {
    for (int i = 0; i < w->n_used; i++)
        if (--w->slots[w->used[i]].uses == 0) {
            int k = w->slots[w->used[i]].temporary;
            if (w->in_loop && w->section[w->used[i]] < w->now)
                *CT_PUSH(w->late, w->n_late, w->room_late) = k;
            else
                *CT_PUSH(w->free_list, w->n_free, w->room_free) = k;
        }
    w->n_used = 0;
}

// A statement, broken at blanks where it would be too long to read.
static void statement(const ct_writer *w, const char *left, const char *right) {
    enum { WIDTH = 96 };
    ct_text *out = w->out;
    int indent = w->in_loop ? 8 : 4;
    size_t column = (size_t)indent + strlen(left) + 3;
    ct_text_printf(out, "%*s%s = ", indent, "", left);
    while (*right) {
        size_t word = strcspn(right + 1, " ") + 1;
        if (*right == ' ' && column + word > WIDTH) {
            ct_text_printf(out, "\n%*s", indent + 3, "");
            column = (size_t)indent + 3;
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
    statement(w, name, text);
    ct_free(text);
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
    w->section = ct_realloc(w->section, n, sizeof *w->section);
    w->room_slots = n;
    for (uint32_t i = 0; i < n; i++) w->slots[i] = (ct_slot){.temporary = -1};
    w->n_free = w->n_temporaries = 0;
}

// Parts on their way to text: targets of all of them, nodes with their sections.
typedef struct layout {
    int n_parts;
    const ct_part *parts;
    int count;
    ct_ex *order; // nodes, by section
    bool lift;
    bool *forced; // by node: needs a temporary
    int *first;   // by node: 1 + target, 0 none
    int n;        // targets of all parts
    ct_target *targets;
    int *next, *where; // by target: the next one of the same node; its section
} layout;

static bool is_loop(const ct_part *p) {
    return p->n_moving > 0;
}

static int section_of(const layout *l, int part) { // that of its targets; loops have one before it
    return 2 * part + is_loop(l->parts + part);
}

static void gather_targets(ct_writer *w, layout *l) {
    for (int p = 0; p < l->n_parts; p++) l->n += l->parts[p].n;
    l->targets = ct_alloc((size_t)l->n + 1, sizeof *l->targets);
    l->next = ct_alloc((size_t)l->n + 1, sizeof *l->next);
    l->where = ct_alloc((size_t)l->n + 1, sizeof *l->where);
    l->first = ct_alloc(w->pool->n_nodes, sizeof *l->first);
    l->forced = ct_alloc(w->pool->n_nodes, sizeof *l->forced);
    int k = 0;
    for (int p = 0; p < l->n_parts; p++)
        for (int i = 0; i < l->parts[p].n; i++) {
            l->where[k] = section_of(l, p);
            l->targets[k++] = l->parts[p].targets[i];
        }
}

// Section of every node: part p has the sections 2 p and, for a loop, 2 p + 1. A node is written in
// the first section that needs it; nodes that change in a loop inside that loop.
static void place_nodes(ct_writer *w, layout *l) {
    ct_pool *pool = w->pool;
    bool *moves = ct_scratch(pool->n_nodes, sizeof *moves);
    // targets belong to the section of their part
    for (int i = 0; i < l->count; i++) w->section[l->order[i]] = 2 * l->n_parts;
    for (int p = 0; p < l->n_parts; p++) {
        for (int i = 0; i < l->parts[p].n_moving; i++) moves[l->parts[p].moving[i]] = true;
        for (int i = 0; i < l->parts[p].n; i++) {
            int *s = w->section + ct_writer_inside(pool, l->parts[p].targets[i].root);
            if (2 * p < *s) *s = 2 * p;
        }
    }
    // children no later than their parents, from the roots down
    for (int i = l->count - 1; i >= 0; i--) {
        ct_ex a = l->order[i];
        if (l->lift && ct_writer_is_constant(w, a)) continue;
        for (int k = 0; k < ct_node_children(pool, a); k++) {
            int *s = w->section + ct_words(pool, a)[k];
            if (w->section[a] < *s) *s = w->section[a];
        }
    }
    // nodes that depend on symbols that move: inside the loop
    for (int i = 0; i < l->count; i++) {
        ct_ex a = l->order[i];
        for (int k = 0; k < ct_node_children(pool, a); k++) moves[a] |= moves[ct_words(pool, a)[k]];
        if (moves[a]) w->section[a] |= 1;
    }
    // order of evaluation: by section, children first as before (counting sort)
    ct_ex *sorted = ct_alloc((size_t)l->count + 1, sizeof *sorted);
    int *start = ct_scratch(2 * (size_t)l->n_parts + 3, sizeof *start);
    for (int i = 0; i < l->count; i++) start[w->section[l->order[i]] + 1]++;
    for (int s = 0; s < 2 * l->n_parts + 1; s++) start[s + 1] += start[s];
    for (int i = 0; i < l->count; i++) sorted[start[w->section[l->order[i]]]++] = l->order[i];
    ct_free(l->order);
    l->order = sorted;
}

// Uses of every node by its parents and by targets. forced: a temporary even for a single use,
// since the parent writes it twice or stands in another section. first, next: targets of each node.
static void count_uses(ct_writer *w, layout *l) {
    ct_pool *pool = w->pool;
    for (int i = 0; i < l->count; i++) {
        ct_ex a = l->order[i];
        ct_op op = ct_op_of(pool, a);
        if (op == CT_OP_LET || (l->lift && ct_writer_is_constant(w, a))) continue;
        for (int k = 0; k < ct_node_children(pool, a); k++) {
            if (is_number_child(op, k)) continue;
            ct_ex child = ct_writer_inside(pool, ct_words(pool, a)[k]);
            w->slots[child].uses += times_written(pool, a, k);
            l->forced[child] |= wants_temporary(op) || w->section[child] != w->section[a];
        }
    }
    for (int i = l->n - 1; i >= 0; i--) {
        ct_ex root = ct_writer_inside(pool, l->targets[i].root);
        l->next[i] = l->first[root];
        l->first[root] = 1 + i;
        l->forced[root] |= l->where[i] != w->section[root];
        w->slots[root].uses++;
    }
}

static void write_target(ct_writer *w, const ct_target *target) {
    w->n_used = 0;
    ct_piece p = ct_writer_operand(w, ct_writer_inside(w->pool, target->root));
    char *left = ct_scratch_format("%s[%d]", target->array, target->index);
    statement(w, left, p.text);
    ct_free(p.text);
    release(w);
}

// Writes a node: as a constant, into a temporary, or as text that waits for its one use; then the
// targets that are this node.
static void write_node(ct_writer *w, const layout *l, ct_ex a) {
    if (ct_op_of(w->pool, a) == CT_OP_LET) return;
    if (l->lift && ct_writer_is_constant(w, a))
        ct_writer_constant(w, a);
    else if (!is_leaf(w, a)) {
        ct_level binds;
        w->n_used = 0;
        char *text = ct_writer_text(w, a, &binds);
        bool once = w->slots[a].uses == 1 && !l->forced[a];
        if (once && (l->first[a] || strlen(text) <= INLINE_MAX)) {
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
    for (int k = l->first[a]; k; k = l->next[k - 1])
        if (l->where[k - 1] == w->now) write_target(w, l->targets + k - 1);
}

static void write_all(ct_writer *w, layout *l) {
    // targets, sections and numbers of uses
    gather_targets(w, l);
    place_nodes(w, l);
    count_uses(w, l);
    int i = 0;
    for (w->now = 0; w->now <= 2 * l->n_parts; w->now++) {
        const ct_part *part = w->now < 2 * l->n_parts ? l->parts + w->now / 2 : NULL;
        bool own = part && section_of(l, w->now / 2) == w->now;
        // text before the part; then targets whose nodes earlier sections have computed
        if (own && part->before) ct_text_add(w->out, part->before);
        w->in_loop = own && is_loop(part);
        for (int k = 0; own && k < l->n; k++) // what was computed before
            if (l->where[k] == w->now &&
                w->section[ct_writer_inside(w->pool, l->targets[k].root)] < w->now)
                write_target(w, l->targets + k);
        // nodes of this section, each with its targets
        for (; i < l->count && w->section[l->order[i]] == w->now; i++)
            write_node(w, l, l->order[i]);
        w->in_loop = false;
        // text after it; temporaries that only the loop kept are free
        if (own && part->after) ct_text_add(w->out, part->after);
        while (w->n_late) *CT_PUSH(w->free_list, w->n_free, w->room_free) = w->late[--w->n_late];
    }
    ct_free(l->order);
    ct_free(l->forced);
    ct_free(l->first);
    ct_free(l->targets);
    ct_free(l->next);
    ct_free(l->where);
}

static void declare(const ct_writer *w, ct_text *out, const ct_text *body) {
    for (int i = 0; i < w->n_temporaries; i++)
        ct_text_printf(out, i % 12 == 0 ? "%s    double t%d" : "%s, t%d",
                       i && i % 12 == 0 ? ";\n" : "", i);
    if (w->n_temporaries) ct_text_add(out, ";\n");
    if (body->n) ct_text_addn(out, body->s, body->n);
}

// `lift`: parameters are constants c; else they are written by name.
static void write_parts(ct_writer *w, ct_text *out, int n, const ct_part *parts, bool lift,
                        ct_operations *count) {
    int n_roots = 0;
    for (int p = 0; p < n; p++) n_roots += parts[p].n;
    ct_ex *roots = ct_alloc((size_t)n_roots + 1, sizeof *roots);
    n_roots = 0;
    for (int p = 0; p < n; p++)
        for (int i = 0; i < parts[p].n; i++) roots[n_roots++] = parts[p].targets[i].root;
    ct_text body = {0};
    layout l = {.n_parts = n, .parts = parts, .lift = lift};
    w->out = &body;
    begin(w);
    l.count = order_below(w, n_roots, roots, lift, &l.order);
    if (lift) ct_schedule(w, l.count, l.order);
    write_all(w, &l);
    declare(w, out, &body);
    ct_text_clear(&body);
    if (count) *count = ct_count_shared(w->pool, n_roots, roots);
    ct_free(roots);
}

int ct_writer_parts(ct_writer *w, ct_text *out, int n, const ct_part *parts, ct_operations *count) {
    write_parts(w, out, n, parts, true, count);
    return w->n_temporaries;
}

void ct_writer_by_name(ct_writer *w, ct_text *out, int n, const ct_target *targets) {
    int *constant = w->constant;
    uint32_t room = w->room_constant;
    w->constant = NULL;
    w->room_constant = 0;
    write_parts(w, out, 1, &(ct_part){.n = n, .targets = targets}, false, NULL);
    w->constant = constant;
    w->room_constant = room;
}

int ct_writer_constants(ct_writer *w, ct_text *out) {
    int n = w->n_constants;
    ct_target *targets = ct_alloc((size_t)n + 1, sizeof *targets);
    for (int i = 0; i < n; i++) targets[i] = (ct_target){"c", i, w->constants[i]};
    ct_writer_by_name(w, out, n, targets);
    ct_free(targets);
    return n;
}
