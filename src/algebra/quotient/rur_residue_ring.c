// Multiplication in the quotient. Products x_k b_i of an unknown and a standard monomial come in
// increasing order from a merge over k; one that is not standard is the leading monomial of a
// generator (minus its tail) or x_j times a smaller such product c, and then NF(x_j c) = sum_l
// NF(c)_l NF(x_j b_l).
#include "algebra/quotient/rur.h"
#include "util/flint.h"

#include <flint/nmod_mat.h>
#include <stdlib.h>
#include <string.h>

static slong find_sorted(const ct_ring *ring, const uint32_t *list, slong n, const uint32_t *e) {
    slong low = 0, high = n;
    while (low < high) {
        slong mid = (low + high) / 2;
        int c = ct_monomial_compare(ring, list + mid * ring->n, e);
        if (c == 0) return mid;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return -1;
}

slong ct_residue_ring_find(const ct_residue_ring *q, const uint32_t *exps) {
    return find_sorted(q->ring, q->exps, q->d, exps);
}

static void find_tails(ct_residue_ring *q) {
    q->tail = ct_alloc((size_t)q->basis->n + 1, sizeof *q->tail);
    for (int g = 0; g < q->basis->n; g++) {
        const ct_poly *f = q->basis->p + g;
        q->tail[g] = ct_alloc((size_t)f->n, sizeof **q->tail);
        for (slong i = 1; i < f->n; i++)
            q->tail[g][i - 1] = ct_residue_ring_find(q, ct_poly_exps(q->ring, f, i));
    }
}

static ct_border describe(const ct_residue_ring *q, const uint32_t *e) {
    const ct_ring *ring = q->ring;
    for (int g = 0; g < q->basis->n; g++)
        if (!memcmp(ct_poly_exps(ring, q->basis->p + g, 0), e, (size_t)ring->n * sizeof *e))
            return (ct_border){g, -1, -1};
    uint32_t inner[CT_UNKNOWNS_MAX];
    memcpy(inner, e, (size_t)ring->n * sizeof *e);
    for (int k = 0; k < ring->n; k++) {
        if (!inner[k]) continue;
        inner[k]--;
        slong at = find_sorted(ring, q->border_exps, q->n_border, inner);
        if (at >= 0) return (ct_border){-1, k, at};
        inner[k]++;
    }
    return (ct_border){-1, -1, -1}; // cannot be: the basis is reduced and zero-dimensional
}

static slong add_border(ct_residue_ring *q, const uint32_t *e, slong *room) {
    if (q->n_border == *room) {
        *room = *room ? 2 * *room : 64;
        q->border = ct_realloc(q->border, (size_t)*room, sizeof *q->border);
        q->border_exps =
            ct_realloc(q->border_exps, (size_t)(*room * q->ring->n), sizeof *q->border_exps);
    }
    ct_border b = describe(q, e);
    memcpy(q->border_exps + q->n_border * q->ring->n, e, (size_t)q->ring->n * sizeof *e);
    q->border[q->n_border] = b;
    return q->n_border++;
}

static void set_product(const ct_residue_ring *q, int k, slong i, uint32_t *e) {
    memcpy(e, q->exps + i * q->ring->n, (size_t)q->ring->n * sizeof *e);
    e[k]++;
}

bool ct_residue_ring_init(ct_residue_ring *q, const ct_ring *ring, const ct_polys *basis) {
    *q = (ct_residue_ring){.ring = ring, .basis = basis};
    q->d = ct_standard_monomials(ring, basis, &q->exps);
    if (q->d <= 0) return false;
    find_tails(q);
    q->product = ct_alloc((size_t)ring->n * (size_t)q->d, sizeof *q->product);
    slong head[CT_UNKNOWNS_MAX] = {0}, room = 0;
    for (;;) { // the smallest product not yet named
        uint32_t least[CT_UNKNOWNS_MAX], e[CT_UNKNOWNS_MAX];
        bool any = false;
        for (int k = 0; k < ring->n; k++) {
            if (head[k] == q->d) continue;
            set_product(q, k, head[k], e);
            if (!any || ct_monomial_compare(ring, e, least) < 0) memcpy(least, e, sizeof e);
            any = true;
        }
        if (!any) return true;
        slong name = ct_residue_ring_find(q, least);
        if (name < 0) name = q->d + add_border(q, least, &room);
        for (int k = 0; k < ring->n; k++) {
            if (head[k] == q->d) continue;
            set_product(q, k, head[k], e);
            if (memcmp(e, least, (size_t)ring->n * sizeof *e)) continue;
            q->product[k * q->d + head[k]++] = name;
        }
    }
}

void ct_residue_ring_clear(ct_residue_ring *q) {
    for (int g = 0; q->tail && g < q->basis->n; g++) free(q->tail[g]);
    free(q->tail);
    free(q->exps);
    free(q->product);
    free(q->border);
    free(q->border_exps);
    *q = (ct_residue_ring){0};
}

// modulo a prime ---------------------------------------------------------------------------------
bool ct_residue_ring_mod_init(ct_residue_ring_mod *m, const ct_residue_ring *q, ulong p) {
    *m = (ct_residue_ring_mod){.q = q};
    nmod_init(&m->mod, p);
    m->tail = ct_alloc((size_t)q->basis->n + 1, sizeof *m->tail);
    m->normal = ct_alloc((size_t)q->n_border + 1, sizeof *m->normal);
    for (int g = 0; g < q->basis->n; g++) {
        const ct_poly *f = q->basis->p + g;
        ulong lead = fmpz_fdiv_ui(f->coefs, p);
        if (lead == 0) return false;
        ulong by = nmod_neg(nmod_inv(lead, m->mod), m->mod);
        m->tail[g] = ct_alloc((size_t)f->n, sizeof **m->tail);
        for (slong i = 1; i < f->n; i++)
            m->tail[g][i - 1] = nmod_mul(fmpz_fdiv_ui(f->coefs + i, p), by, m->mod);
    }
    return true;
}

void ct_residue_ring_mod_clear(ct_residue_ring_mod *m) {
    for (int g = 0; g < m->q->basis->n; g++) free(m->tail[g]);
    for (slong b = 0; b < m->q->n_border; b++) free(m->normal[b]);
    free(m->tail);
    free(m->normal);
    *m = (ct_residue_ring_mod){0};
}

static const ulong *normal_form(ct_residue_ring_mod *m, slong b) {
    if (m->normal[b]) return m->normal[b];
    const ct_residue_ring *q = m->q;
    const ct_border *e = q->border + b;
    ulong *v = ct_alloc((size_t)q->d, sizeof *v);
    if (e->generator >= 0) {
        for (slong i = 0; i + 1 < q->basis->p[e->generator].n; i++)
            v[q->tail[e->generator][i]] = m->tail[e->generator][i];
    } else {
        const ulong *inner = normal_form(m, e->inner);
        for (slong l = 0; l < q->d; l++)
            if (inner[l]) ct_residue_ring_add(m, v, e->unknown, l, inner[l]);
    }
    return m->normal[b] = v;
}

void ct_residue_ring_add(ct_residue_ring_mod *m, ulong *v, int unknown, slong i, ulong by) {
    slong at = m->q->product[unknown * m->q->d + i];
    if (at < m->q->d)
        v[at] = nmod_add(v[at], by, m->mod);
    else
        _nmod_vec_scalar_addmul_nmod(v, normal_form(m, at - m->q->d), m->q->d, by, m->mod);
}

void ct_residue_ring_matrix(ct_residue_ring_mod *m, const slong *weights, ulong *matrix) {
    slong d = m->q->d;
    memset(matrix, 0, (size_t)(d * d) * sizeof *matrix);
    for (int k = 0; k < m->q->ring->n; k++) {
        if (!weights[k]) continue;
        ulong w = (ulong)labs(weights[k]) % m->mod.n;
        if (weights[k] < 0) w = nmod_neg(w, m->mod);
        for (slong i = 0; i < d && !ct_solve_struck(m->limits); i++)
            ct_residue_ring_add(m, matrix + i * d, k, i, w);
    }
}

void ct_residue_ring_charpoly(ct_residue_ring_mod *m, const slong *weights, nmod_poly_t f) {
    slong d = m->q->d;
    ulong *rows = ct_alloc((size_t)(d * d), sizeof *rows);
    ct_residue_ring_matrix(m, weights, rows);
    nmod_mat_t a;
    nmod_mat_init(a, d, d, m->mod.n);
    for (slong i = 0; i < d; i++)
        for (slong j = 0; j < d; j++) nmod_mat_entry(a, i, j) = rows[i * d + j];
    nmod_mat_charpoly(f, a);
    nmod_mat_clear(a);
    free(rows);
}
