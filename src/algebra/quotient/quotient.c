// Border monomials in increasing order: a lead has minus its tail for coordinates; any other is
// x_l times a smaller border monomial b, and  x_l b = sum of coordinates of b times x_l * standard,
// all of which are smaller and known.
#include "algebra/quotient/quotient.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

static slong find(const ct_ring *ring, const uint32_t *exps, slong count, const uint32_t *e) {
    slong low = 0, high = count;
    while (low < high) {
        slong mid = low + (high - low) / 2;
        int sign = ct_monomial_compare(ring, exps + mid * ring->n, e);
        if (sign == 0) return mid;
        if (sign < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return -1;
}

// All x_k * standard that are not standard, each once, increasing.
static void list_border(ct_quotient *q) {
    const ct_ring *ring = q->ring;
    ct_ring plain = *ring;
    plain.n_symbols = 0;
    ct_poly f;
    ct_poly_init(&f);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    for (slong i = 0; i < q->d; i++)
        for (int k = 0; k < ring->n; k++) {
            uint32_t e[CT_UNKNOWNS_MAX];
            memcpy(e, q->exps + i * ring->n, (size_t)ring->n * sizeof *e);
            e[k]++;
            if (find(ring, q->exps, q->d, e) < 0) ct_poly_push(&plain, &f, e, one);
        }
    ct_poly_sort(&plain, &f);
    q->n_border = f.n;
    q->border = ct_alloc((size_t)f.n * (size_t)ring->n + 1, sizeof *q->border);
    for (slong j = 0; j < f.n; j++)
        memcpy(q->border + j * ring->n, ct_poly_exps(ring, &f, f.n - 1 - j),
               (size_t)ring->n * sizeof *q->border);
    ct_poly_clear(&plain, &f);
    fmpz_clear(one);
}

static void index_products(ct_quotient *q) {
    const ct_ring *ring = q->ring;
    q->product = ct_alloc((size_t)q->d * (size_t)ring->n + 1, sizeof *q->product);
    for (int k = 0; k < ring->n; k++)
        for (slong i = 0; i < q->d; i++) {
            uint32_t e[CT_UNKNOWNS_MAX];
            memcpy(e, q->exps + i * ring->n, (size_t)ring->n * sizeof *e);
            e[k]++;
            slong j = find(ring, q->exps, q->d, e);
            q->product[k * q->d + i] = j >= 0 ? j : q->d + find(ring, q->border, q->n_border, e);
        }
}

static slong find_lead(const ct_ring *ring, const ct_polys *basis, const uint32_t *e) {
    for (int i = 0; i < basis->n; i++)
        if (!memcmp(basis->p[i].exps, e, (size_t)ring->n * sizeof *e)) return i;
    return -1;
}

// How each border monomial is had; false where one has no way (the list was no reduced basis).
static bool plan_border(ct_quotient *q) {
    const ct_ring *ring = q->ring;
    size_t n = (size_t)q->n_border + 1;
    q->lead = ct_alloc(n, sizeof *q->lead);
    q->from = ct_alloc(n, sizeof *q->from);
    q->by = ct_alloc(n, sizeof *q->by);
    for (slong j = 0; j < q->n_border; j++) {
        uint32_t e[CT_UNKNOWNS_MAX];
        memcpy(e, q->border + j * ring->n, (size_t)ring->n * sizeof *e);
        q->lead[j] = find_lead(ring, q->basis, e);
        q->from[j] = -1;
        for (int k = 0; k < ring->n && q->lead[j] < 0 && q->from[j] < 0; k++) {
            if (!e[k]) continue;
            e[k]--;
            q->from[j] = find(ring, q->border, q->n_border, e);
            q->by[j] = k;
            e[k]++;
        }
        if (q->lead[j] < 0 && q->from[j] < 0) return false;
    }
    return true;
}

static bool index_tails(ct_quotient *q) {
    q->terms = ct_alloc((size_t)q->basis->n + 1, sizeof *q->terms);
    for (int i = 0; i < q->basis->n; i++) {
        const ct_poly *f = &q->basis->p[i];
        if (!f->n) return false;
        q->terms[i] = ct_alloc((size_t)f->n, sizeof **q->terms);
        for (slong k = 1; k < f->n; k++) {
            q->terms[i][k] = find(q->ring, q->exps, q->d, ct_poly_exps(q->ring, f, k));
            if (q->terms[i][k] < 0) return false;
        }
    }
    return true;
}

bool ct_quotient_init(ct_quotient *q, const ct_ring *ring, const ct_polys *basis) {
    *q = (ct_quotient){.ring = ring, .basis = basis};
    q->d = ct_standard_monomials(ring, basis, &q->exps);
    if (q->d < 0) return false;
    list_border(q);
    index_products(q);
    return plan_border(q) && index_tails(q);
}

void ct_quotient_clear(ct_quotient *q) {
    for (int i = 0; q->terms && i < q->basis->n; i++) free(q->terms[i]);
    free(q->terms);
    free(q->exps);
    free(q->border);
    free(q->product);
    free(q->lead);
    free(q->from);
    free(q->by);
}

// Coordinates of a lead: minus the monic tail.
static bool tail_form(const ct_quotient *q, slong i, uint32_t p, uint32_t *form) {
    const ct_poly *f = &q->basis->p[i];
    uint64_t lead = fmpz_fdiv_ui(f->coefs, p);
    if (!lead) return false;
    uint64_t minus = p - n_invmod(lead, p);
    for (slong k = 1; k < f->n; k++)
        form[q->terms[i][k]] = (uint32_t)(fmpz_fdiv_ui(f->coefs + k, p) * minus % p);
    return true;
}

// form = x_k * (sum of v_i standard_i); sums of products are divided once per four
static void times(const ct_quotient *q, int k, const uint32_t *v, const uint32_t *forms, uint32_t p,
                  uint64_t *sum, uint32_t *form) {
    uint64_t p2 = (uint64_t)p * p;
    memset(sum, 0, (size_t)q->d * sizeof *sum);
    for (slong i = 0; i < q->d; i++) {
        if (!v[i]) continue;
        slong j = q->product[k * q->d + i];
        if (j < q->d) {
            sum[j] += v[i];
            continue;
        }
        const uint32_t *f = forms + (j - q->d) * q->d;
        for (slong c = 0; c < q->d; c++) {
            uint64_t x = sum[c] + (uint64_t)v[i] * f[c];
            sum[c] = x >= 2 * p2 ? x - 2 * p2 : x; // below 3 p^2 < 2^64 - p^2
        }
    }
    for (slong c = 0; c < q->d; c++) form[c] = (uint32_t)(sum[c] % p);
}

bool ct_quotient_border(const ct_quotient *q, ct_guard *guard, uint32_t p, uint32_t *forms) {
    uint64_t *sum = ct_alloc((size_t)q->d + 1, sizeof *sum);
    memset(forms, 0, (size_t)(q->n_border * q->d) * sizeof *forms);
    bool ok = true;
    for (slong j = 0; j < q->n_border && ok; j++) {
        if (q->lead[j] >= 0)
            ok = tail_form(q, q->lead[j], p, forms + j * q->d);
        else
            times(q, q->by[j], forms + q->from[j] * q->d, forms, p, sum, forms + j * q->d);
        ok = ok && ct_guard_poll(guard);
    }
    free(sum);
    return ok;
}

bool ct_multiplication_matrix(const ct_ring *ring, const ct_polys *basis, int unknown,
                              uint32_t prime, uint32_t *matrix) {
    ct_guard guard;
    ct_guard_init(&guard, NULL);
    ct_quotient q;
    bool ok = ct_quotient_init(&q, ring, basis);
    if (ok) {
        uint32_t *forms = ct_alloc((size_t)(q.n_border * q.d) + 1, sizeof *forms);
        ok = ct_quotient_border(&q, &guard, prime, forms);
        memset(matrix, 0, (size_t)(q.d * q.d) * sizeof *matrix);
        for (slong i = 0; i < q.d && ok; i++) {
            slong j = q.product[unknown * q.d + i];
            if (j < q.d)
                matrix[i * q.d + j] = 1;
            else
                memcpy(matrix + i * q.d, forms + (j - q.d) * q.d, (size_t)q.d * sizeof *matrix);
        }
        free(forms);
    }
    ct_quotient_clear(&q);
    return ok;
}
