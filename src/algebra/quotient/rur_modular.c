// Krylov sequences. For a linear form l on the quotient the series sum_i l(v t^i) / T^(i+1) is a
// fraction n_v(T) / mu(T), mu the minimal polynomial of t for almost all l (Berlekamp-Massey). At a
// root of mu the value of v is n_v / n_1: for a simple root by residues, for a multiple one by the
// leading coefficients of the poles, provided t is general enough. Modulo r = mu's square-free part
// n_v / n_1 does not depend on l.
#include "algebra/quotient/quotient_inside.h"

#include <flint/nmod_poly_factor.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

static ulong dot(const ulong *a, const ulong *b, slong n, nmod_t mod) {
    ulong sum = 0;
    while (n > 0) {
        slong m = n < CT_PRODUCTS_MAX ? n : CT_PRODUCTS_MAX;
        ct_wide s = sum;
        for (slong i = 0; i < m; i++) s += (ct_wide)a[i] * b[i];
        sum = ct_wide_mod(s, mod);
        a += m, b += m, n -= m;
    }
    return sum;
}

// A matrix most of whose rows are unit vectors.
typedef struct rows {
    slong d;
    ulong *entries;
    slong *unit; // the one entry 1 of row i, -1: a full row
} rows;

static rows rows_of(ct_quotient_mod *m, const slong *weights) {
    slong d = m->q->d;
    rows r = {d, ct_alloc((size_t)(d * d), sizeof *r.entries), ct_alloc((size_t)d, sizeof *r.unit)};
    ct_quotient_matrix(m, weights, r.entries);
    for (slong i = 0; i < d; i++) {
        slong count = 0;
        r.unit[i] = -1;
        for (slong j = 0; j < d; j++) {
            if (!r.entries[i * d + j]) continue;
            r.unit[i] = ++count == 1 && r.entries[i * d + j] == 1 ? j : -1;
            if (count > 1) break;
        }
    }
    return r;
}

static void rows_free(rows *r) {
    ct_free(r->entries);
    ct_free(r->unit);
}

static void rows_apply(const rows *r, ulong *out, const ulong *in, nmod_t mod) {
    for (slong i = 0; i < r->d; i++)
        out[i] = r->unit[i] >= 0 ? in[r->unit[i]] : dot(r->entries + i * r->d, in, r->d, mod);
}

// The shortest recurrence of s[0..n-1] (Berlekamp-Massey), as its monic characteristic polynomial.
static void berlekamp_massey(nmod_poly_t f, const ulong *s, slong n, nmod_t mod) {
    ulong *c = ct_alloc((size_t)n + 2, sizeof *c), *b = ct_alloc((size_t)n + 2, sizeof *b);
    ulong *t = ct_alloc((size_t)n + 2, sizeof *t), last = 1;
    slong length = 0, shift = 1;
    c[0] = b[0] = 1;
    for (slong i = 0; i < n; i++, shift++) {
        // how far the recurrence so far misses the next number
        ulong delta = s[i];
        for (slong j = 1; j <= length; j++)
            delta = nmod_add(delta, nmod_mul(c[j], s[i - j], mod), mod);
        if (delta == 0) continue;
        // c -= delta / last * T^shift b
        bool longer = 2 * length <= i;
        if (longer) memcpy(t, c, ((size_t)n + 2) * sizeof *c);
        ulong by = nmod_neg(nmod_mul(delta, nmod_inv(last, mod), mod), mod);
        for (slong j = 0; j + shift <= n; j++)
            c[j + shift] = nmod_add(c[j + shift], nmod_mul(by, b[j], mod), mod);
        // a longer recurrence: the one before it becomes the next correction
        if (!longer) continue;
        length = i + 1 - length;
        ulong *swap = b;
        b = t, t = swap;
        last = delta;
        shift = 0;
    }
    nmod_poly_zero(f);
    for (slong j = 0; j <= length; j++) nmod_poly_set_coeff_ui(f, length - j, c[j]);
    ct_free(c), ct_free(b), ct_free(t);
}

// f / gcd(f, f'), monic; degrees are far below the characteristic.
static void square_free(nmod_poly_t r, const nmod_poly_t f) {
    nmod_poly_t slope, common;
    nmod_poly_init_mod(slope, f->mod), nmod_poly_init_mod(common, f->mod);
    nmod_poly_derivative(slope, f);
    nmod_poly_gcd(common, f, slope);
    nmod_poly_div(r, f, common);
    nmod_poly_make_monic(r, r);
    nmod_poly_clear(slope), nmod_poly_clear(common);
}

// Coordinates of x_k.
static void coordinates(ct_quotient_mod *m, ulong *v, int k) {
    memset(v, 0, (size_t)m->q->d * sizeof *v);
    ct_quotient_add(m, v, k, 0, 1);
}

// n_v = f(T) sum_i s_i T^(-i-1), its polynomial part, reduced modulo r.
static void numerator(nmod_poly_t out, const nmod_poly_t f, const ulong *s, const nmod_poly_t r) {
    slong e = nmod_poly_degree(f);
    nmod_poly_t p;
    nmod_poly_init2_preinv(p, f->mod.n, f->mod.ninv, e + 1);
    for (slong i = 0; i < e; i++) nmod_poly_set_coeff_ui(p, e - 1 - i, s[i]);
    nmod_poly_mul(p, p, f);
    nmod_poly_shift_right(p, p, e);
    nmod_poly_rem(out, p, r);
    nmod_poly_clear(p);
}

static void all_values(ct_quotient_mod *m, const ulong *krylov, const nmod_poly_t minimal,
                       const nmod_poly_t radical, nmod_poly_struct *values) {
    slong d = m->q->d, e = nmod_poly_degree(minimal);
    ulong *v = ct_alloc((size_t)d, sizeof *v), *s = ct_alloc((size_t)e + 1, sizeof *s);
    nmod_poly_t by, slope;
    nmod_poly_init_mod(by, m->mod), nmod_poly_init_mod(slope, m->mod);
    for (slong i = 0; i < e; i++) s[i] = krylov[i * d];
    numerator(by, minimal, s, radical);
    nmod_poly_derivative(slope, radical);
    if (!nmod_poly_invmod(by, by, radical))
        nmod_poly_zero(by); // l not general: values come out wrong
    nmod_poly_mulmod(by, by, slope, radical);
    for (int k = 0; k < m->q->ring->n; k++) {
        coordinates(m, v, k);
        for (slong i = 0; i < e; i++) s[i] = dot(v, krylov + i * d, d, m->mod);
        numerator(values + k, minimal, s, radical);
        nmod_poly_mulmod(values + k, values + k, by, radical);
    }
    nmod_poly_clear(by), nmod_poly_clear(slope);
    ct_free(v), ct_free(s);
}

void ct_rur_modular(ct_quotient_mod *m, const slong *weights, ulong seed, nmod_poly_t minimal,
                    nmod_poly_t radical, nmod_poly_struct *values) {
    slong d = m->q->d;
    rows t = rows_of(m, weights);
    ulong *krylov = ct_alloc((size_t)(d * d), sizeof *krylov); // row i: l(b_j t^i)
    ulong *s = ct_alloc(2 * (size_t)d, sizeof *s), *u = ct_alloc(2 * (size_t)d, sizeof *u);
    ulong *next = u + d;
    // a random form l, as its values on the standard monomials
    for (slong j = 0; j < d; j++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        u[j] = seed % m->mod.n;
    }
    // l t^i for i = 0, 1, ..., and the sequence l(t^i)
    ulong *memory = u;
    bool cut = !ct_limits_ok(m->limits);
    for (slong i = 0; i < 2 * d && !cut; i++) {
        if (i < d) memcpy(krylov + i * d, u, (size_t)d * sizeof *u);
        s[i] = u[0];
        rows_apply(&t, next, u, m->mod);
        ulong *swap = u;
        u = next, next = swap;
        cut = !ct_limits_ok(m->limits);
    }
    // minimal polynomial, its square-free part, values
    if (cut) {
        nmod_poly_one(minimal), nmod_poly_one(radical);
        for (int k = 0; values && k < m->q->ring->n; k++) nmod_poly_zero(values + k);
    } else {
        berlekamp_massey(minimal, s, 2 * d, m->mod);
        square_free(radical, minimal);
        if (values) all_values(m, krylov, minimal, radical, values);
    }
    rows_free(&t);
    ct_free(krylov), ct_free(s), ct_free(memory);
}
