// Code for the values v of a position that an iteration has found: sines and cosines of sums of
// angles, for the equations of motion. Single angles cost a call each; sums follow by the addition
// formulas, each from a shorter sum.
#include "measure/bench_author.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 24 }; // angles in a sum

typedef struct angle_sum { // of coordinates in order, the first with a plus
    int n, of[LONGEST], sign[LONGEST];
} angle_sum;

typedef struct placer {
    ct_author *a;
    angle_sum *sums; // their cosine in x[2 k], their sine in x[2 k + 1]
    int n, room;
    ct_text text;
    ct_operations count;
} placer;

static int coordinate(const ct_formulation *f, ct_ex symbol) {
    for (int k = 0; k < f->n; k++)
        if (f->q[k] == symbol) return k;
    return -1;
}

static bool insert(angle_sum *s, int of, int sign) {
    if (of < 0 || s->n == LONGEST) return false;
    int i = s->n++;
    for (; i > 0 && s->of[i - 1] > of; i--) {
        s->of[i] = s->of[i - 1];
        s->sign[i] = s->sign[i - 1];
    }
    s->of[i] = of;
    s->sign[i] = sign;
    return true;
}

// Reads an argument as a sum of coordinates. Returns false for any other expression.
static bool read_sum(const ct_formulation *f, ct_ex e, angle_sum *s) {
    ct_pool *pool = f->pool;
    ct_ex minus = ct_int(pool, -1);
    *s = (angle_sum){0};
    if (ct_ex_op(pool, e) == CT_OP_SYMBOL) return insert(s, coordinate(f, e), 1);
    if (ct_ex_op(pool, e) != CT_OP_SUM || ct_child(pool, e, 0) != CT_ZERO) return false;
    for (int i = 1; i < ct_child_count(pool, e); i += 2) {
        ct_ex factor = ct_child(pool, e, i);
        if (factor != CT_ONE && factor != minus) return false;
        if (!insert(s, coordinate(f, ct_child(pool, e, i + 1)), factor == CT_ONE ? 1 : -1))
            return false;
    }
    return true;
}

static bool same(const angle_sum *a, const angle_sum *b) {
    return a->n == b->n && !memcmp(a->of, b->of, (size_t)a->n * sizeof *a->of) &&
           !memcmp(a->sign, b->sign, (size_t)a->n * sizeof *a->sign);
}

// The number of a sum. A new sum gets statements: from the sum without its last angle.
static int sum_number(placer *p, const angle_sum *s) {
    // known already
    for (int k = 0; k < p->n; k++)
        if (same(p->sums + k, s)) return k;
    // the sum without its last angle, and that angle
    int head = -1, tail = -1;
    if (s->n > 1) {
        angle_sum shorter = *s, last = {1, {s->of[s->n - 1]}, {1}};
        shorter.n--;
        head = sum_number(p, &shorter);
        tail = sum_number(p, &last);
    }
    // one angle: two calls
    int k = p->n;
    *CT_PUSH(p->sums, p->n, p->room) = *s;
    if (head < 0) {
        ct_text_printf(&p->text, "    x[%d] = cos(q[%d]);\n    x[%d] = sin(q[%d]);\n", 2 * k,
                       s->of[0], 2 * k + 1, s->of[0]);
        p->count.func += 2;
    } else {
        // cos(h +- t) = cos h cos t -+ sin h sin t,  sin(h +- t) = sin h cos t +- cos h sin t
        bool minus = s->sign[s->n - 1] < 0;
        ct_text_printf(&p->text,
                       "    x[%d] = x[%d] * x[%d] %c x[%d] * x[%d];\n"
                       "    x[%d] = x[%d] * x[%d] %c x[%d] * x[%d];\n",
                       2 * k, 2 * head, 2 * tail, minus ? '+' : '-', 2 * head + 1, 2 * tail + 1,
                       2 * k + 1, 2 * head + 1, 2 * tail, minus ? '-' : '+', 2 * head,
                       2 * tail + 1);
        p->count.mul += 4;
        p->count.add += 2;
    }
    return k;
}

// v[i] = +-cos(sum) or +-sin(sum). Returns false for any other meaning.
static bool place_pair(placer *p, int i, ct_ex direct) {
    const ct_formulation *f = p->a->f;
    ct_pool *pool = f->pool;
    int sign = 1;
    angle_sum s;
    // a factor of -1
    if (ct_ex_op(pool, direct) == CT_OP_PRODUCT) {
        if (ct_child_count(pool, direct) != 3 || ct_child(pool, direct, 2) != CT_ONE ||
            ct_child(pool, direct, 0) != ct_int(pool, -1))
            return false;
        sign = -1;
        direct = ct_child(pool, direct, 1);
    }
    ct_op op = ct_ex_op(pool, direct);
    if ((op != CT_OP_SIN && op != CT_OP_COS) || !read_sum(f, ct_child(pool, direct, 0), &s))
        return false;
    // first angle with a plus: cos(-s) = cos s, sin(-s) = -sin s
    if (s.sign[0] < 0) {
        for (int k = 0; k < s.n; k++) s.sign[k] = -s.sign[k];
        if (op == CT_OP_SIN) sign = -sign;
    }
    int k = sum_number(p, &s);
    ct_text_printf(&p->text, "    v[%d] = %sx[%d];\n", i, sign < 0 ? "-" : "",
                   2 * k + (op == CT_OP_SIN));
    return true;
}

// Which values and tracked values does the program of the dynamics use?
static bool *used_symbols(const ct_closure *c) {
    int n;
    ct_ex *roots = ct_program_expressions(&c->dynamics, CT_ROLES_CODE, &n), *symbols;
    bool *used = ct_alloc(ct_pool_size(c->f->pool) + 1, sizeof *used);
    n = ct_ex_symbols(c->f->pool, n, roots, &symbols);
    for (int i = 0; i < n; i++) used[symbols[i]] = true;
    return used;
}

void ct_author_place(ct_author *a) {
    const ct_closure *c = a->closure;
    placer p = {.a = a};
    bool *used = used_symbols(c);
    for (int i = 0; i < c->registers.values.n; i++)
        if (used[c->registers.values.symbol[i]] &&
            !place_pair(&p, i, c->registers.values.meaning[i]))
            ct_author_target(a, "v", i, c->registers.values.meaning[i]);
    for (int i = 0; i < c->registers.tracked.n; i++)
        if (used[c->registers.tracked.symbol[i]])
            ct_author_target(a, "w", i, c->registers.tracked.meaning[i]);
    ct_text_printf(&a->out,
                   "void bench_place(" CT_AUTHOR_STATE CT_AUTHOR_INPUTS
                   "double *restrict v, double *restrict w)\n{\n    double x[%d];\n",
                   2 * p.n + 1);
    if (p.text.s) ct_text_add(&a->out, p.text.s);
    a->code->place_operations = ct_author_statements(a);
    ct_author_count(&a->code->place_operations, p.count);
    ct_text_add(&a->out, "    (void)c, (void)t, (void)q, (void)u, (void)v, (void)w, (void)x;\n"
                         "}\n\n");
    ct_text_clear(&p.text);
    ct_free(p.sums);
    ct_free(used);
}
