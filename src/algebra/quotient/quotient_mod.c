// Multiplication in the quotient modulo a prime. The leading monomial of a generator is minus its
// tail; a border monomial x_j c has NF(x_j c) = sum_l NF(c)_l NF(x_j b_l), where all of NF(c), b_l
// and x_j b_l are smaller.
#include "algebra/quotient/quotient_inside.h"

#include <flint/nmod_mat.h>
#include <stdlib.h>
#include <string.h>

bool ct_quotient_mod_init(ct_quotient_mod *m, const ct_quotient *q, ulong p) {
    *m = (ct_quotient_mod){.q = q};
    nmod_init(&m->mod, p);
    m->normal = ct_alloc((size_t)q->n_border + 1, sizeof *m->normal);
    for (int g = 0; g < q->basis->n; g++)
        if (fmpz_fdiv_ui(q->basis->p[g].coefs, p) == 0) return false;
    return true;
}

void ct_quotient_mod_clear(ct_quotient_mod *m) {
    for (slong b = 0; m->normal && b < m->q->n_border; b++) ct_free(m->normal[b]);
    ct_free(m->normal);
    *m = (ct_quotient_mod){0};
}

// v = the leading monomial of generator g
static void minus_tail(const ct_quotient_mod *m, ulong *v, int g) {
    const ct_poly *f = m->q->basis->p + g;
    ulong p = m->mod.n, by = nmod_neg(nmod_inv(fmpz_fdiv_ui(f->coefs, p), m->mod), m->mod);
    for (slong i = 1; i < f->n; i++)
        v[m->q->tail[g][i - 1]] = nmod_mul(fmpz_fdiv_ui(f->coefs + i, p), by, m->mod);
}

static const ulong *normal_form(ct_quotient_mod *m, slong b) {
    if (m->normal[b]) return m->normal[b];
    const ct_border *e = m->q->border + b;
    ulong *v = ct_alloc((size_t)m->q->d + 1, sizeof *v);
    if (e->generator >= 0)
        minus_tail(m, v, e->generator);
    else
        ct_quotient_times(m, v, e->unknown, normal_form(m, e->inner));
    return m->normal[b] = v;
}

void ct_quotient_add(ct_quotient_mod *m, ulong *v, int unknown, slong i, ulong by) {
    slong at = m->q->product[unknown * m->q->d + i];
    if (at < m->q->d)
        v[at] = nmod_add(v[at], by, m->mod);
    else
        _nmod_vec_scalar_addmul_nmod(v, normal_form(m, at - m->q->d), m->q->d, by, m->mod);
}

void ct_quotient_times(ct_quotient_mod *m, ulong *out, int unknown, const ulong *v) {
    memset(out, 0, (size_t)m->q->d * sizeof *out);
    for (slong l = 0; l < m->q->d; l++)
        if (v[l]) ct_quotient_add(m, out, unknown, l, v[l]);
}

void ct_quotient_matrix(ct_quotient_mod *m, const slong *weights, ulong *matrix) {
    slong d = m->q->d;
    memset(matrix, 0, (size_t)(d * d) * sizeof *matrix);
    for (int k = 0; k < m->q->ring->n; k++) {
        if (!weights[k]) continue;
        ulong w = (ulong)labs(weights[k]) % m->mod.n;
        if (weights[k] < 0) w = nmod_neg(w, m->mod);
        for (slong i = 0; i < d && ct_limits_ok(m->limits); i++)
            ct_quotient_add(m, matrix + i * d, k, i, w);
    }
}

void ct_quotient_charpoly(ct_quotient_mod *m, const slong *weights, nmod_poly_t f) {
    slong d = m->q->d;
    ulong *rows = ct_scratch((size_t)(d * d), sizeof *rows);
    ct_quotient_matrix(m, weights, rows);
    nmod_mat_t a;
    nmod_mat_init(a, d, d, m->mod.n);
    for (slong i = 0; i < d; i++)
        for (slong j = 0; j < d; j++) nmod_mat_entry(a, i, j) = rows[i * d + j];
    nmod_mat_charpoly(f, a);
    nmod_mat_clear(a);
}

bool ct_multiplication_matrix(const ct_ring *ring, const ct_polys *basis, int unknown,
                              uint32_t prime, uint32_t *matrix) {
    ct_quotient q;
    ct_quotient_mod m = {0};
    bool ok = ct_quotient_init(&q, ring, basis) && ct_quotient_mod_init(&m, &q, prime);
    if (ok) {
        slong weights[CT_UNKNOWNS_MAX] = {0};
        weights[unknown] = 1;
        ulong *rows = ct_alloc((size_t)(q.d * q.d) + 1, sizeof *rows);
        ct_quotient_matrix(&m, weights, rows);
        for (slong i = 0; i < q.d * q.d; i++) matrix[i] = (uint32_t)rows[i];
        ct_free(rows);
    }
    ct_quotient_mod_clear(&m);
    ct_quotient_clear(&q);
    return ok;
}
