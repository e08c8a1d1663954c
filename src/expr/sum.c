// Sums  k + c1 t1 + c2 t2 ...: flat, like terms added, sorted by node, monic in the first term.
#include "expr/pool.h"

#include <stdlib.h>

void ct_sum_begin(ct_sum_parts *s) {
    fmpq_init(s->constant);
    s->terms = NULL;
    s->n = s->room = 0;
    s->undefined = false;
}

void ct_sum_plus(ct_pool *pool, ct_sum_parts *s, ct_ex a, const fmpq_t coefficient) {
    if (fmpq_is_zero(coefficient) && a != pool->undefined) return;
    switch (ct_op_of(pool, a)) {
    case CT_OP_UNDEFINED: s->undefined = true; return;
    case CT_OP_NUMBER: fmpq_addmul(s->constant, coefficient, ct_value(pool, a)); return;
    case CT_OP_SUM: {
        // a sum: term by term, times the coefficient
        fmpq_t c;
        fmpq_init(c);
        fmpq_addmul(s->constant, coefficient, ct_value(pool, ct_words(pool, a)[0]));
        for (uint32_t i = 1; i < pool->nodes[a].n; i += 2) {
            ct_term *t = CT_PUSH(s->terms, s->n, s->room);
            t->term = ct_words(pool, a)[i + 1];
            fmpq_init(t->coefficient);
            fmpq_mul(t->coefficient, coefficient, ct_value(pool, ct_words(pool, a)[i]));
        }
        fmpq_clear(c);
        return;
    }
    default: {
        fmpq_t c;
        fmpq_init(c);
        // a multiple c * rest: of a sum distributed, else one term
        ct_ex rest = ct_split_coefficient(pool, a, c);
        fmpq_mul(c, c, coefficient);
        if (ct_op_of(pool, rest) == CT_OP_SUM) {
            ct_sum_plus(pool, s, rest, c);
        } else {
            ct_term *t = CT_PUSH(s->terms, s->n, s->room);
            t->term = rest;
            fmpq_init(t->coefficient);
            fmpq_swap(t->coefficient, c);
        }
        fmpq_clear(c);
    }
    }
}

static int by_term(const void *x, const void *y) {
    ct_ex a = ((const ct_term *)x)->term, b = ((const ct_term *)y)->term;
    return (a > b) - (a < b);
}

void ct_sum_merge(ct_sum_parts *s) {
    if (s->n > 1) qsort(s->terms, (size_t)s->n, sizeof *s->terms, by_term);
    int kept = 0;
    for (int i = 0; i < s->n;) {
        ct_term t = s->terms[i++];
        while (i < s->n && s->terms[i].term == t.term) {
            fmpq_add(t.coefficient, t.coefficient, s->terms[i].coefficient);
            fmpq_clear(s->terms[i++].coefficient);
        }
        if (fmpq_is_zero(t.coefficient))
            fmpq_clear(t.coefficient);
        else
            s->terms[kept++] = t;
    }
    s->n = kept;
}

static ct_ex make(ct_pool *pool, ct_sum_parts *s) {
    // a number, or a single term
    if (s->undefined) return pool->undefined;
    if (!s->n) return ct_number(pool, s->constant);
    if (s->n == 1 && fmpq_is_zero(s->constant))
        return ct_scale(pool, s->terms[0].coefficient, s->terms[0].term);
    // monic: divided by the coefficient of the first term
    fmpq_t lead, c;
    fmpq_init(lead);
    fmpq_init(c);
    fmpq_set(lead, s->terms[0].coefficient);
    uint32_t room[65], n = 1 + 2 * (uint32_t)s->n;
    uint32_t *words = n <= 65 ? room : ct_alloc(n, sizeof *words);
    fmpq_div(c, s->constant, lead);
    words[0] = ct_number(pool, c);
    for (int i = 0; i < s->n; i++) {
        fmpq_div(c, s->terms[i].coefficient, lead);
        words[1 + 2 * i] = ct_number(pool, c);
        words[2 + 2 * i] = s->terms[i].term;
    }
    // lead * (monic sum)
    ct_ex a = ct_intern(pool, CT_OP_SUM, n, words);
    if (!fmpq_is_one(lead)) { // c * (sum): not distributed again
        uint32_t product[3] = {ct_number(pool, lead), a, CT_ONE};
        a = ct_intern(pool, CT_OP_PRODUCT, 3, product);
    }
    if (words != room) ct_free(words);
    fmpq_clear(lead);
    fmpq_clear(c);
    return a;
}

ct_ex ct_sum_end(ct_pool *pool, ct_sum_parts *s) {
    do ct_sum_merge(s);
    while (!s->undefined && ct_sum_trig(pool, s));
    ct_ex a = make(pool, s);
    for (int i = 0; i < s->n; i++) fmpq_clear(s->terms[i].coefficient);
    ct_free(s->terms);
    fmpq_clear(s->constant);
    return a;
}

ct_ex ct_sum(ct_pool *pool, int n, const ct_ex *terms) {
    ct_sum_parts s;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    ct_sum_begin(&s);
    for (int i = 0; i < n; i++) ct_sum_plus(pool, &s, terms[i], one);
    fmpq_clear(one);
    return ct_sum_end(pool, &s);
}

ct_ex ct_add(ct_pool *pool, ct_ex a, ct_ex b) {
    if (a == CT_ZERO) return b;
    if (b == CT_ZERO) return a;
    return ct_sum(pool, 2, (ct_ex[]){a, b});
}

ct_ex ct_sub(ct_pool *pool, ct_ex a, ct_ex b) {
    return ct_add(pool, a, ct_neg(pool, b));
}
