// Multiplies short entries of M and F out, cancels, factors, and keeps the cheapest form. Opaque
// nodes (ct_let) and products of sums keep terms from cancelling; example: 1/2 sin u + sin u (p -
// 1/2).
#include "closure/embed/embed_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct expander {
    ct_pool *pool;
    ct_ex *image; // by node
    size_t room;
    bool failed;
} expander;

// The value of an integer exponent.
static long integer(const ct_pool *pool, ct_ex number) {
    fmpq_t v;
    fmpq_init(v);
    ct_number_get(pool, number, v);
    long e = fmpz_get_si(fmpq_numref(v));
    fmpq_clear(v);
    return e;
}

static int term_count(const ct_pool *pool, ct_ex a) {
    return ct_ex_op(pool, a) == CT_OP_SUM
               ? (ct_child_count(pool, a) - 1) / 2 + (ct_child(pool, a, 0) != CT_ZERO)
               : 1;
}

// The product of two sums, term by term. Fails if it has more than CT_EXPANDED_TERMS terms.
static ct_ex distribute(expander *x, ct_ex a, ct_ex b) {
    ct_pool *pool = x->pool;
    ct_ex *p, *q;
    int n = ct_embed_terms(pool, a, &p), m = ct_embed_terms(pool, b, &q);
    ct_ex r = CT_ZERO;
    if (n * m > CT_EXPANDED_TERMS) {
        x->failed = true;
    } else {
        ct_ex *all = ct_scratch((size_t)(n * m), sizeof *all);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) all[i * m + j] = ct_mul(pool, p[i], q[j]);
        r = ct_sum(pool, n * m, all);
    }
    return r;
}

static ct_ex expand(expander *x, ct_ex a);

// True for a sum of rates, such as the angular velocity of a link: it is not multiplied out.
static bool is_rate(const ct_pool *pool, ct_ex a) {
    return ct_ex_kinds(pool, a) == 1u << CT_SYMBOL_RATE;
}

static ct_ex expand_product(expander *x, ct_ex a) {
    ct_pool *pool = x->pool;
    ct_ex r = ct_child(pool, a, 0);
    int n = ct_child_count(pool, a);
    for (int i = 1; i < n && !x->failed; i += 2) {
        ct_ex base = expand(x, ct_child(pool, a, i));
        long e = integer(pool, ct_child(pool, a, i + 1));
        if (e < 0 || e > 4 || term_count(pool, base) == 1 || is_rate(pool, base)) {
            r = distribute(x, r, ct_power(pool, base, ct_child(pool, a, i + 1)));
            continue;
        }
        for (long k = 0; k < e && !x->failed; k++) r = distribute(x, r, base);
    }
    return r;
}

static ct_ex expand(expander *x, ct_ex a) {
    ct_pool *pool = x->pool;
    ct_op op = ct_ex_op(pool, a);
    if (x->failed || (op != CT_OP_SUM && op != CT_OP_PRODUCT && op != CT_OP_LET)) return a;
    if (a < x->room && x->image[a] != CT_UNSET) return x->image[a];
    ct_ex r;
    if (op == CT_OP_LET) {
        r = expand(x, ct_child(pool, a, 0));
    } else if (op == CT_OP_PRODUCT) {
        r = expand_product(x, a);
    } else {
        int n = ct_child_count(pool, a), count = 0;
        ct_ex *terms = ct_scratch((size_t)n, sizeof *terms);
        terms[count++] = ct_child(pool, a, 0);
        for (int i = 1; i < n && !x->failed; i += 2)
            terms[count++] =
                distribute(x, ct_child(pool, a, i), expand(x, ct_child(pool, a, i + 1)));
        r = ct_sum(pool, count, terms);
        x->failed = x->failed || term_count(pool, r) > CT_EXPANDED_TERMS;
    }
    if (a < x->room) x->image[a] = r;
    return r;
}

// common factors ---------------------------------------------------------------------------------
static double cost(ct_pool *pool, ct_ex a) {
    return ct_operations_total(ct_count_shared(pool, 1, &a));
}

// Exponent of a base in a term; 0 if the term lacks it.
static long exponent(const ct_pool *pool, ct_ex term, ct_ex base) {
    if (term == base) return 1;
    if (ct_ex_op(pool, term) != CT_OP_PRODUCT) return 0;
    for (int i = 1; i < ct_child_count(pool, term); i += 2)
        if (ct_child(pool, term, i) == base) return integer(pool, ct_child(pool, term, i + 1));
    return 0;
}

// The base that occurs in most terms, at least in two; CT_UNSET if there is none.
static ct_ex favourite(ct_pool *pool, int n, const ct_ex *terms) {
    ct_ex best = CT_UNSET;
    int most = 1;
    for (int i = 0; i < n; i++) {
        bool product = ct_ex_op(pool, terms[i]) == CT_OP_PRODUCT;
        int count = product ? ct_child_count(pool, terms[i]) : 2;
        for (int k = 1; k < count; k += 2) {
            ct_ex base = product ? ct_child(pool, terms[i], k) : terms[i];
            int members = 0;
            if (exponent(pool, terms[i], base) < 1 || ct_ex_op(pool, base) == CT_OP_NUMBER)
                continue;
            for (int j = 0; j < n; j++) members += exponent(pool, terms[j], base) > 0;
            if (members > most) {
                most = members;
                best = base;
            }
        }
    }
    return best;
}

// x^e (terms with x) + (terms without), recursively, if that takes fewer operations.
static ct_ex factored(ct_pool *pool, ct_ex a) {
    ct_ex *terms;
    // x: the base of most terms
    int n = ct_embed_terms(pool, a, &terms), with = 0, without = 0;
    ct_ex base = n > 1 ? favourite(pool, n, terms) : CT_UNSET, r = a;
    if (base != CT_UNSET) {
        ct_ex *in = ct_scratch((size_t)n, sizeof *in), *rest = ct_scratch((size_t)n, sizeof *rest);
        // e: its lowest exponent
        long lowest = 0;
        for (int i = 0; i < n; i++) {
            long e = exponent(pool, terms[i], base);
            if (e > 0 && (!lowest || e < lowest)) lowest = e;
        }
        for (int i = 0; i < n; i++)
            // terms with x, divided by x^e, and terms without
            if (exponent(pool, terms[i], base) > 0)
                in[with++] = ct_mul(pool, terms[i], ct_power_int(pool, base, -lowest));
            else
                rest[without++] = terms[i];
        // both parts are factored in turn
        ct_ex inside = ct_let(pool, factored(pool, ct_sum(pool, with, in)));
        r = ct_mul(pool, ct_power_int(pool, base, lowest), inside);
        if (without) r = ct_add(pool, r, factored(pool, ct_sum(pool, without, rest)));
        if (cost(pool, r) >= cost(pool, a)) r = a;
    }
    return r;
}

// Number of terms of the expanded expression before cancelling; counting ends above
// CT_EXPANDED_TERMS.
static double estimate(const ct_pool *pool, ct_ex a) {
    ct_op op = ct_ex_op(pool, a);
    int n = ct_child_count(pool, a);
    double count = op == CT_OP_SUM ? ct_child(pool, a, 0) != CT_ZERO : 1;
    if (op == CT_OP_LET) return estimate(pool, ct_child(pool, a, 0));
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) return 1;
    for (int i = 1; i < n && count <= CT_EXPANDED_TERMS; i += 2) {
        if (op == CT_OP_SUM) {
            count += estimate(pool, ct_child(pool, a, i + 1));
        } else {
            double inside = estimate(pool, ct_child(pool, a, i));
            long e = integer(pool, ct_child(pool, a, i + 1));
            for (long k = 0; k < e && inside > 1 && count <= CT_EXPANDED_TERMS; k++)
                count *= inside;
        }
    }
    return count;
}

ct_ex ct_embed_expand(ct_pool *pool, ct_ex a) {
    if (estimate(pool, a) > CT_EXPANDED_TERMS) return a;
    expander x = {.pool = pool, .room = ct_pool_size(pool)};
    ct_stage stage = ct_stage_begin();
    x.image = ct_scratch(x.room, sizeof *x.image);
    memset(x.image, 0xff, x.room * sizeof *x.image);
    ct_ex r = expand(&x, a);
    ct_stage_end(stage);
    return x.failed ? a : r;
}

ct_ex ct_embed_simplify(ct_pool *pool, ct_ex a) {
    ct_ex flat = ct_embed_expand(pool, a), best = a;
    const ct_ex tries[] = {flat, factored(pool, flat)};
    for (int i = 0; i < 2; i++)
        if (cost(pool, tries[i]) < cost(pool, best)) best = tries[i];
    return best;
}
