// Identities between the terms of a sum, R any common factor, k a number:
//   k R sin^2 u + k R cos^2 u = k R          k R - k R sin^2 u = k R cos^2 u   (and with cos)
//   k R cos a cos b -+ k R sin a sin b = k R cos(a +- b)
//   k R sin a cos b +- k R cos a sin b = k R sin(a +- b)
#include "expr/pool.h"

#include <stdlib.h>

enum { FACTORS_MAX = 14, TERMS_MAX = 400 };

// The factors of a term, unpacked; terms of more than FACTORS_MAX factors are left alone.
typedef struct monomial {
    ct_factor f[FACTORS_MAX + 2];
    int n;
} monomial;

static bool unpack(const ct_pool *pool, ct_ex term, monomial *m) {
    m->n = 0;
    if (ct_op_of(pool, term) != CT_OP_PRODUCT) {
        m->f[m->n++] = (ct_factor){term, 1};
        return true;
    }
    const uint32_t *w = ct_words(pool, term);
    uint32_t n = pool->nodes[term].n;
    if (n > 1 + 2 * FACTORS_MAX) return false;
    for (uint32_t i = 1; i < n; i += 2)
        m->f[m->n++] = (ct_factor){w[i], fmpz_get_si(fmpq_numref(ct_value(pool, w[i + 1])))};
    return true;
}

static bool is_trig(const ct_pool *pool, ct_ex a) {
    return ct_op_of(pool, a) == CT_OP_SIN || ct_op_of(pool, a) == CT_OP_COS;
}

// cos u for sin u, and sin u for cos u.
static ct_ex partner(ct_pool *pool, ct_ex a) {
    ct_ex u = ct_words(pool, a)[0];
    return ct_op_of(pool, a) == CT_OP_SIN ? ct_cos(pool, u) : ct_sin(pool, u);
}

// The node of the monomial times the extra factors, without coefficient. Returns CT_NONE if no such
// node exists: then no sum holds it.
static ct_ex lookup(ct_pool *pool, const monomial *m, const ct_factor *extra, int n_extra) {
    monomial r = *m;
    // each factor joins an equal base or takes its place in the order
    for (int k = 0; k < n_extra; k++) {
        int i = 0;
        while (i < r.n && r.f[i].base < extra[k].base) i++;
        if (i < r.n && r.f[i].base == extra[k].base) {
            r.f[i].exponent += extra[k].exponent;
            if (!r.f[i].exponent) {
                for (r.n--; i < r.n; i++) r.f[i] = r.f[i + 1];
            }
        } else {
            if (r.n >= FACTORS_MAX + 2) return CT_NONE;
            for (int j = r.n++; j > i; j--) r.f[j] = r.f[j - 1];
            r.f[i] = extra[k];
        }
    }
    // one, a single factor, or a product
    if (!r.n) return CT_ONE;
    if (r.n == 1 && r.f[0].exponent == 1) return r.f[0].base;
    uint32_t words[1 + 2 * (FACTORS_MAX + 2)];
    words[0] = CT_ONE;
    for (int i = 0; i < r.n; i++) {
        words[1 + 2 * i] = r.f[i].base;
        words[2 + 2 * i] = ct_int(pool, r.f[i].exponent);
    }
    return ct_find(pool, CT_OP_PRODUCT, 1 + 2 * (uint32_t)r.n, words);
}

static int find_term(const ct_sum_parts *s, ct_ex term) {
    int low = 0, high = s->n - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        if (s->terms[mid].term == term) return mid;
        if (s->terms[mid].term < term)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

// Replaces terms i and j (the constant if j is -1) by the coefficient of term i times the monomial
// and the extra factors.
static void replace(ct_pool *pool, ct_sum_parts *s, int i, int j, const monomial *m,
                    const ct_factor *extra, int n_extra, bool negate) {
    ct_product_parts p;
    ct_product_begin(&p);
    for (int k = 0; k < m->n; k++) ct_product_times(pool, &p, m->f[k].base, m->f[k].exponent);
    for (int k = 0; k < n_extra; k++) ct_product_times(pool, &p, extra[k].base, extra[k].exponent);
    ct_ex product = ct_product_end(pool, &p);
    fmpq_t c;
    fmpq_init(c);
    fmpq_set(c, s->terms[i].coefficient);
    if (negate) fmpq_neg(c, c);
    fmpq_zero(s->terms[i].coefficient);
    if (j >= 0)
        fmpq_zero(s->terms[j].coefficient);
    else
        fmpq_zero(s->constant);
    ct_sum_plus(pool, s, product, c);
    fmpq_clear(c);
}

// Applies the identities of squares to term i. Returns true if one fits.
static bool squares(ct_pool *pool, ct_sum_parts *s, int i, const monomial *m) {
    for (int k = 0; k < m->n; k++) {
        if (m->f[k].exponent < 2 || !is_trig(pool, m->f[k].base)) continue;
        // k R sin^2 u + k R cos^2 u = k R
        ct_ex other = partner(pool, m->f[k].base);
        ct_factor swap[2] = {{m->f[k].base, -2}, {other, 2}};
        ct_ex mate = lookup(pool, m, swap, 2);
        int j = mate == CT_NONE ? -1 : find_term(s, mate);
        if (j >= 0 && fmpq_equal(s->terms[i].coefficient, s->terms[j].coefficient)) {
            replace(pool, s, i, j, m, swap, 1, false);
            return true;
        }
        // k R - k R sin^2 u = k R cos^2 u, R possibly 1
        fmpq_t minus;
        fmpq_init(minus);
        fmpq_neg(minus, s->terms[i].coefficient);
        mate = lookup(pool, m, swap, 1);
        j = mate == CT_NONE || mate == CT_ONE ? -1 : find_term(s, mate);
        bool constant = mate == CT_ONE && fmpq_equal(s->constant, minus);
        bool hit = constant || (j >= 0 && fmpq_equal(s->terms[j].coefficient, minus));
        fmpq_clear(minus);
        if (hit) {
            replace(pool, s, i, constant ? -1 : j, m, swap, 2, true);
            return true;
        }
    }
    return false;
}

// Applies the addition formulas to pairs of sines or cosines in term i. Returns true if one fits.
static bool angle_sums(ct_pool *pool, ct_sum_parts *s, int i, const monomial *m) {
    for (int k = 0; k < m->n; k++) {
        // pairs of sines or cosines of different angles
        if (m->f[k].exponent < 1 || !is_trig(pool, m->f[k].base)) continue;
        for (int l = k + 1; l < m->n; l++) {
            if (m->f[l].exponent < 1 || !is_trig(pool, m->f[l].base)) continue;
            ct_ex f = m->f[k].base, g = m->f[l].base;
            ct_ex a = ct_words(pool, f)[0], b = ct_words(pool, g)[0];
            if (a == b) continue;
            // the mate: both factors exchanged for their partners
            ct_factor swap[4] = {{f, -1}, {g, -1}, {partner(pool, f), 1}, {partner(pool, g), 1}};
            ct_ex mate = lookup(pool, m, swap, 4);
            int j = mate == CT_NONE ? -1 : find_term(s, mate);
            if (j < 0 || j == i) continue;
            // with the same coefficient or its opposite
            fmpq_t minus;
            fmpq_init(minus);
            fmpq_neg(minus, s->terms[j].coefficient);
            bool same = fmpq_equal(s->terms[i].coefficient, s->terms[j].coefficient);
            bool opposite = fmpq_equal(s->terms[i].coefficient, minus);
            fmpq_clear(minus);
            if (!same && !opposite) continue;
            // cos(a -+ b) or sin(a +- b) in the place of both terms
            bool f_sin = ct_op_of(pool, f) == CT_OP_SIN, g_sin = ct_op_of(pool, g) == CT_OP_SIN;
            bool negate = false;
            ct_ex value;
            if (f_sin == g_sin) { // cos cos -+ sin sin, the term at hand may be either
                value = ct_cos(pool, same ? ct_sub(pool, a, b) : ct_add(pool, a, b));
                negate = opposite && f_sin;
            } else { // sin a cos b +- cos a sin b
                ct_ex x = f_sin ? a : b, y = f_sin ? b : a;
                value = ct_sin(pool, same ? ct_add(pool, x, y) : ct_sub(pool, x, y));
            }
            ct_factor made[3] = {{f, -1}, {g, -1}, {value, 1}};
            replace(pool, s, i, j, m, made, 3, negate);
            return true;
        }
    }
    return false;
}

bool ct_sum_trig(ct_pool *pool, ct_sum_parts *s) {
    if (s->n < 1 || s->n > TERMS_MAX || (s->n == 1 && fmpq_is_zero(s->constant))) return false;
    for (int i = 0; i < s->n; i++) {
        monomial m;
        if (!unpack(pool, s->terms[i].term, &m)) continue;
        if (squares(pool, s, i, &m) || angle_sums(pool, s, i, &m)) return true;
    }
    return false;
}
