// Products x_k b_i of an unknown and a standard monomial come in increasing order from a merge over
// k. One that is not standard is the leading monomial of a generator, or x_j times a smaller such
// product: no other case is left for a reduced basis.
#include "algebra/quotient/quotient.h"

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

slong ct_quotient_find(const ct_quotient *q, const uint32_t *exps) {
    return find_sorted(q->ring, q->exps, q->d, exps);
}

// Tails of the generators as numbers of standard monomials. Returns false if one is not standard.
static bool find_tails(ct_quotient *q) {
    q->tail = ct_alloc((size_t)q->basis->n + 1, sizeof *q->tail);
    for (int g = 0; g < q->basis->n; g++) {
        const ct_poly *f = q->basis->p + g;
        if (!f->n) return false;
        q->tail[g] = ct_alloc((size_t)f->n, sizeof **q->tail);
        for (slong i = 1; i < f->n; i++) {
            q->tail[g][i - 1] = ct_quotient_find(q, ct_poly_exps(q->ring, f, i));
            if (q->tail[g][i - 1] < 0) return false;
        }
    }
    return true;
}

// The origin of a border monomial: a generator, or an unknown times a smaller border monomial. Both
// are -1 if there is none: then the basis is not reduced.
static ct_border describe(const ct_quotient *q, const uint32_t *e) {
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
    return (ct_border){-1, -1, -1};
}

// The number of a new border monomial, or -1 if it has no origin (describe).
static slong add_border(ct_quotient *q, const uint32_t *e) {
    if (q->n_border == q->room) {
        q->room = q->room ? 2 * q->room : 64;
        q->border = ct_realloc(q->border, (size_t)q->room, sizeof *q->border);
        q->border_exps =
            ct_realloc(q->border_exps, (size_t)(q->room * q->ring->n), sizeof *q->border_exps);
    }
    ct_border b = describe(q, e);
    if (b.generator < 0 && b.inner < 0) return -1;
    memcpy(q->border_exps + q->n_border * q->ring->n, e, (size_t)q->ring->n * sizeof *e);
    q->border[q->n_border] = b;
    return q->n_border++;
}

static void product_of(const ct_quotient *q, int k, slong i, uint32_t *e) {
    memcpy(e, q->exps + i * q->ring->n, (size_t)q->ring->n * sizeof *e);
    e[k]++;
}

// The smallest of the products x_k b_head[k]. Returns false if none is left.
static bool least_product(const ct_quotient *q, const slong *head, uint32_t *least) {
    uint32_t e[CT_UNKNOWNS_MAX];
    bool any = false;
    for (int k = 0; k < q->ring->n; k++) {
        if (head[k] == q->d) continue;
        product_of(q, k, head[k], e);
        if (!any || ct_monomial_compare(q->ring, e, least) < 0)
            memcpy(least, e, (size_t)q->ring->n * sizeof *e);
        any = true;
    }
    return any;
}

static bool find_products(ct_quotient *q) {
    const ct_ring *ring = q->ring;
    q->product = ct_alloc((size_t)ring->n * (size_t)q->d + 1, sizeof *q->product);
    slong head[CT_UNKNOWNS_MAX] = {0};
    uint32_t least[CT_UNKNOWNS_MAX], e[CT_UNKNOWNS_MAX];
    while (least_product(q, head, least)) {
        slong name = ct_quotient_find(q, least);
        if (name < 0) {
            slong border = add_border(q, least);
            if (border < 0) return false;
            name = q->d + border;
        }
        for (int k = 0; k < ring->n; k++) {
            if (head[k] == q->d) continue;
            product_of(q, k, head[k], e);
            if (memcmp(e, least, (size_t)ring->n * sizeof *e)) continue;
            q->product[k * q->d + head[k]++] = name;
        }
    }
    return true;
}

bool ct_quotient_init(ct_quotient *q, const ct_ring *ring, const ct_polys *basis) {
    *q = (ct_quotient){.ring = ring, .basis = basis};
    q->d = ct_standard_monomials(ring, basis, &q->exps);
    return q->d >= 0 && find_tails(q) && find_products(q);
}

void ct_quotient_clear(ct_quotient *q) {
    for (int g = 0; q->tail && g < q->basis->n; g++) ct_free(q->tail[g]);
    ct_free(q->tail);
    ct_free(q->exps);
    ct_free(q->product);
    ct_free(q->border);
    ct_free(q->border_exps);
    *q = (ct_quotient){0};
}
