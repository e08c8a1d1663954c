// Products  c * b1^e1 * b2^e2 ...: flat, like factors joined, sorted by node.
#include "expr/pool.h"

#include <stdlib.h>

enum { EXPONENT_MAX = 1 << 20, NUMBER_BITS_MAX = 20000 };

void ct_product_begin(ct_product_parts *p) {
    fmpq_init(p->coefficient);
    fmpq_one(p->coefficient);
    p->factors = p->small;
    p->n = 0;
    p->room = (int)(sizeof p->small / sizeof *p->small);
    p->undefined = false;
}

static void push(ct_product_parts *p, ct_ex base, slong exponent) {
    if (p->n == p->room) {
        ct_factor *wide = ct_alloc((size_t)(2 * p->room), sizeof *wide);
        for (int i = 0; i < p->n; i++) wide[i] = p->factors[i];
        if (p->factors != p->small) ct_free(p->factors);
        p->factors = wide;
        p->room *= 2;
    }
    p->factors[p->n++] = (ct_factor){base, exponent};
}

// coefficient *= value^exponent. Negative powers of zero and very long numbers are undefined.
static void times_number(ct_product_parts *p, const fmpq *value, slong exponent) {
    if (exponent == 1) {
        fmpq_mul(p->coefficient, p->coefficient, value);
        return;
    }
    slong size = exponent < 0 ? -exponent : exponent;
    slong bits = (slong)(fmpz_bits(fmpq_numref(value)) + fmpz_bits(fmpq_denref(value)));
    if ((fmpq_is_zero(value) && exponent < 0) || (bits > 2 && size > NUMBER_BITS_MAX / bits)) {
        p->undefined = true;
        return;
    }
    fmpq_t power;
    fmpq_init(power);
    fmpq_pow_si(power, value, exponent);
    fmpq_mul(p->coefficient, p->coefficient, power);
    fmpq_clear(power);
}

void ct_product_times(ct_pool *pool, ct_product_parts *p, ct_ex a, slong exponent) {
    if (!exponent) return;
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX) {
        p->undefined = true;
        return;
    }
    switch (ct_op_of(pool, a)) {
    case CT_OP_UNDEFINED: p->undefined = true; return;
    case CT_OP_NUMBER: times_number(p, ct_value(pool, a), exponent); return;
    case CT_OP_PRODUCT: {
        uint32_t n = pool->nodes[a].n;
        times_number(p, ct_value(pool, ct_words(pool, a)[0]), exponent);
        for (uint32_t i = 1; i < n; i += 2) {
            slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
            ct_product_times(pool, p, ct_words(pool, a)[i], e * exponent);
        }
        return;
    }
    default: push(p, a, exponent);
    }
}

static int by_base(const void *x, const void *y) {
    ct_ex a = ((const ct_factor *)x)->base, b = ((const ct_factor *)y)->base;
    return (a > b) - (a < b);
}

// Sorts the factors and joins those with the same base.
static void join(ct_product_parts *p) {
    if (p->n > 1) qsort(p->factors, (size_t)p->n, sizeof *p->factors, by_base);
    int kept = 0;
    for (int i = 0; i < p->n;) {
        ct_factor f = p->factors[i++];
        while (i < p->n && p->factors[i].base == f.base) f.exponent += p->factors[i++].exponent;
        if (f.exponent > EXPONENT_MAX || f.exponent < -EXPONENT_MAX) p->undefined = true;
        if (f.exponent) p->factors[kept++] = f;
    }
    p->n = kept;
}

static int find_factor(const ct_product_parts *p, ct_ex base) {
    for (int i = 0; i < p->n; i++)
        if (p->factors[i].base == base) return i;
    return -1;
}

// sqrt(x)^(2k + r) = x^k sqrt(x)^r,  |x|^(2k + r) = x^2k |x|^r  with r = 0 or +-1, of the same sign
// as the power of x: x / sqrt(x) = sqrt(x), |x| / x^2 = 1 / |x|; but 1/sqrt(2) = sqrt(2) / 2.
// Returns true if a factor changed.
static bool reduce_powers(ct_pool *pool, ct_product_parts *p) {
    for (int i = 0; i < p->n; i++) {
        ct_ex base = p->factors[i].base;
        slong e = p->factors[i].exponent;
        ct_op op = ct_op_of(pool, base);
        if (op != CT_OP_SQRT && op != CT_OP_ABS) continue;
        ct_ex x = ct_words(pool, base)[0];
        slong half = e / 2, step = op == CT_OP_ABS ? 2 : 1;
        if (e == -1 && ct_op_of(pool, x) == CT_OP_NUMBER) half = -1;
        int k = half ? -1 : find_factor(p, x);
        if (k >= 0 && (e > 0 ? p->factors[k].exponent <= -step : p->factors[k].exponent >= step))
            half = e;
        if (!half) continue;
        p->factors[i].exponent = e - 2 * half;
        ct_product_times(pool, p, x, step * half);
        return true;
    }
    return false;
}

static ct_ex make(ct_pool *pool, const ct_product_parts *p) {
    if (p->undefined || fmpq_height_bits(p->coefficient) > NUMBER_BITS_MAX) return pool->undefined;
    if (fmpq_is_zero(p->coefficient)) return CT_ZERO;
    if (!p->n) return ct_number(pool, p->coefficient);
    if (p->n == 1 && p->factors[0].exponent == 1 && fmpq_is_one(p->coefficient))
        return p->factors[0].base;
    uint32_t room[33], n = 1 + 2 * (uint32_t)p->n;
    uint32_t *words = n <= 33 ? room : ct_alloc(n, sizeof *words);
    words[0] = ct_number(pool, p->coefficient);
    for (int i = 0; i < p->n; i++) {
        words[1 + 2 * i] = p->factors[i].base;
        words[2 + 2 * i] = ct_int(pool, p->factors[i].exponent);
    }
    ct_ex a = ct_intern(pool, CT_OP_PRODUCT, n, words);
    if (words != room) ct_free(words);
    return a;
}

ct_ex ct_product_end(ct_pool *pool, ct_product_parts *p) {
    do join(p);
    while (!p->undefined && reduce_powers(pool, p));
    ct_ex a = make(pool, p);
    if (p->factors != p->small) ct_free(p->factors);
    fmpq_clear(p->coefficient);
    return a;
}

ct_ex ct_product(ct_pool *pool, int n, const ct_ex *factors) {
    ct_product_parts p;
    ct_product_begin(&p);
    for (int i = 0; i < n; i++) ct_product_times(pool, &p, factors[i], 1);
    return ct_product_end(pool, &p);
}

ct_ex ct_mul(ct_pool *pool, ct_ex a, ct_ex b) {
    if (a == CT_ONE) return b;
    if (b == CT_ONE) return a;
    if ((a == CT_ZERO && b != pool->undefined) || (b == CT_ZERO && a != pool->undefined))
        return CT_ZERO;
    return ct_product(pool, 2, (ct_ex[]){a, b});
}

ct_ex ct_power_int(ct_pool *pool, ct_ex a, long exponent) {
    if (exponent == 1 || a == pool->undefined) return a;
    ct_product_parts p;
    ct_product_begin(&p);
    ct_product_times(pool, &p, a, exponent);
    return ct_product_end(pool, &p);
}

ct_ex ct_div(ct_pool *pool, ct_ex a, ct_ex b) {
    if (b == CT_ONE) return a;
    ct_product_parts p;
    ct_product_begin(&p);
    ct_product_times(pool, &p, a, 1);
    ct_product_times(pool, &p, b, -1);
    return ct_product_end(pool, &p);
}

ct_ex ct_neg(ct_pool *pool, ct_ex a) {
    return a == CT_ZERO ? a : ct_mul(pool, ct_int(pool, -1), a);
}

ct_ex ct_scale(ct_pool *pool, const fmpq_t coefficient, ct_ex a) {
    return fmpq_is_one(coefficient) ? a : ct_mul(pool, ct_number(pool, coefficient), a);
}

ct_ex ct_split_coefficient(ct_pool *pool, ct_ex a, fmpq_t coefficient) {
    if (ct_op_of(pool, a) == CT_OP_NUMBER) {
        fmpq_set(coefficient, ct_value(pool, a));
        return CT_ONE;
    }
    fmpq_one(coefficient);
    if (ct_op_of(pool, a) != CT_OP_PRODUCT || ct_words(pool, a)[0] == CT_ONE) return a;
    fmpq_set(coefficient, ct_value(pool, ct_words(pool, a)[0]));
    uint32_t n = pool->nodes[a].n;
    if (n == 3 && ct_words(pool, a)[2] == CT_ONE) return ct_words(pool, a)[1];
    uint32_t room[33];
    uint32_t *words = n <= 33 ? room : ct_alloc(n, sizeof *words);
    for (uint32_t i = 0; i < n; i++) words[i] = ct_words(pool, a)[i];
    words[0] = CT_ONE;
    ct_ex rest = ct_intern(pool, CT_OP_PRODUCT, n, words);
    if (words != room) ct_free(words);
    return rest;
}
