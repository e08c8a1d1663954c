// Order of the statements of a long function. In a recursion each value waits for the one before it, and
// processors look ahead a few hundred instructions only: what they can do meanwhile has to stand near.
// List scheduling: of all values whose operands are there, the one with the longest way to the end of the
// function comes next. Values change places inside a window of the order of need alone, so that
// temporaries stay few. Operations, and with them the bits of results, stay the same.
#include "emit/text/writer.h"

enum {
    LONG = 1000,  // operations: processors reorder shorter functions by themselves
    WINDOW = 500, // nodes that change places: some 300 instructions
};
// Cycles of a processor of these years: until a result is there, and that the operation takes up.
static const double flop_latency = 4, division_latency = 14, call_latency = 60;
static const double flop_share = 0.35, division_share = 2, call_share = 7.5;

typedef struct node {
    ct_ex value;
    bool is_call, is_out;
    double latency, share;
    double way;         // latencies from its start to the end of the function
    double there;       // when its operands, or later itself, are there
    int waits;          // operands that are still to come
    int n_users, first; // who uses it: schedule.users + first
} node;

typedef struct schedule {
    const ct_writer *w;
    ct_pool *pool;
    int count;
    node *nodes;
    int *place; // by node of the pool: 1 + index into `nodes`, 0 none
    int *users;
} schedule;

// queues ------------------------------------------------------------------------------------------
typedef struct queue { // a binary heap of indices
    const schedule *s;
    bool (*before)(const node *a, const node *b);
    int n, *at;
} queue;

static bool sooner(const node *a, const node *b) {
    return a->there != b->there ? a->there < b->there : a < b;
}

// Calls first, since each of them empties the registers.
static bool more_urgent(const node *a, const node *b) {
    if (a->is_call != b->is_call) return a->is_call;
    return a->way != b->way ? a->way > b->way : a < b;
}

static bool precedes(const queue *q, int a, int b) {
    return q->before(q->s->nodes + a, q->s->nodes + b);
}

static void push(queue *q, int a) {
    int i = q->n++;
    for (; i > 0 && precedes(q, a, q->at[(i - 1) / 2]); i = (i - 1) / 2)
        q->at[i] = q->at[(i - 1) / 2];
    q->at[i] = a;
}

static int pop(queue *q) {
    int top = q->at[0], last = q->at[--q->n], i = 0;
    for (int k; (k = 2 * i + 1) < q->n; i = k) {
        if (k + 1 < q->n && precedes(q, q->at[k + 1], q->at[k])) k++;
        if (!precedes(q, q->at[k], last)) break;
        q->at[i] = q->at[k];
    }
    q->at[i] = last;
    return top;
}

// costs -------------------------------------------------------------------------------------------
// Latency and share of each node; constants are there before the function. Returns the operations of all.
static double weigh(schedule *s, const ct_ex *order) {
    double total = 0;
    for (int i = 0; i < s->count; i++) {
        node *x = s->nodes + i;
        x->value = order[i];
        if (ct_writer_is_constant(s->w, order[i])) continue;
        const ct_operations o = ct_count_own(s->pool, order[i]);
        const double longest = o.add > o.mul ? o.add : o.mul; // products are fused with sums
        x->is_call = o.func > 0;
        x->latency = flop_latency * longest + division_latency * o.div + call_latency * o.func;
        x->share = flop_share * (o.add + o.mul) + division_share * o.div + call_share * o.func;
        total += ct_operations_total(o);
    }
    return total;
}

// Index of the k-th operand of node i, -1 if it is none of the nodes.
static int operand(const schedule *s, int i, int k) {
    return s->place[ct_words(s->pool, s->nodes[i].value)[k]] - 1;
}

static void find_users(schedule *s) {
    int edges = 0;
    for (int i = 0; i < s->count; i++) s->place[s->nodes[i].value] = i + 1;
    // operands and users of each node
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < ct_node_children(s->pool, s->nodes[i].value); k++) {
            const int from = operand(s, i, k);
            if (from < 0) continue;
            s->nodes[i].waits++;
            s->nodes[from].n_users++;
            edges++;
        }
    // lists of users
    s->users = ct_scratch((size_t)edges + 1, sizeof *s->users);
    for (int i = 0, first = 0; i < s->count; i++) {
        s->nodes[i].first = first;
        first += s->nodes[i].n_users;
        s->nodes[i].n_users = 0;
    }
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < ct_node_children(s->pool, s->nodes[i].value); k++) {
            const int from = operand(s, i, k);
            if (from < 0) continue;
            node *x = s->nodes + from;
            s->users[x->first + x->n_users++] = i;
        }
}

static void find_ways(schedule *s) {
    for (int i = s->count - 1; i >= 0; i--) {
        node *x = s->nodes + i;
        for (int k = 0; k < x->n_users; k++) {
            const double way = s->nodes[s->users[x->first + k]].way;
            if (way > x->way) x->way = way;
        }
        x->way += x->latency;
    }
}

// order -------------------------------------------------------------------------------------------
static void arrange(schedule *s, ct_ex *order) {
    const size_t room = (size_t)s->count + 1;
    queue waiting = {s, sooner, 0, ct_scratch(room, sizeof(int))},
          ready = {s, more_urgent, 0, ct_scratch(room, sizeof(int))};
    double now = 0;
    for (int n = 0, oldest = 0, end = 0; n < s->count;) {
        // the window begins with the first node in the order of need that is still to come
        while (s->nodes[oldest].is_out) oldest++;
        for (; end < s->count && end < oldest + WINDOW; end++)
            if (!s->nodes[end].waits) push(&waiting, end);
        // operands that have come meanwhile
        while (waiting.n && s->nodes[waiting.at[0]].there <= now) push(&ready, pop(&waiting));
        if (!ready.n) {
            now = s->nodes[waiting.at[0]].there;
            continue;
        }
        // the most urgent node
        node *x = s->nodes + pop(&ready);
        x->is_out = true;
        order[n++] = x->value;
        now += x->share;
        x->there = now + x->latency;
        for (int k = 0; k < x->n_users; k++) {
            const int u = s->users[x->first + k];
            node *user = s->nodes + u;
            if (x->there > user->there) user->there = x->there;
            if (--user->waits == 0 && u < end) push(&waiting, u);
        }
    }
}

void ct_schedule(const ct_writer *w, int count, ct_ex *order) {
    schedule s = {.w = w,
                  .pool = w->pool,
                  .count = count,
                  .nodes = ct_scratch((size_t)count + 1, sizeof *s.nodes)};
    if (weigh(&s, order) < LONG) return;
    s.place = ct_scratch(w->pool->n_nodes, sizeof *s.place);
    find_users(&s);
    find_ways(&s);
    arrange(&s, order);
}
