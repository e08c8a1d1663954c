// Buchberger's algorithm with coefficients that are integer polynomials in symbols: no fractions,
// the content divided out after every step, pairs by sugar (Giovini et al. 1991), the criteria of
// Gebauer and Möller. The result holds for generic symbols: where no leading coefficient met on the
// way vanishes.
#include "algebra/groebner/groebner_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair {
    int i, j; // j < 0: input i waits
    uint32_t lcm[CT_UNKNOWNS_MAX];
    uint64_t sugar;
} pair;
typedef struct element {
    ct_poly f;
    uint64_t sugar; // degree that it would have had in a homogenised computation
    bool redundant;
} element;
typedef struct buchberger {
    const ct_ring *ring;
    ct_limits *limits;
    int n, room;
    element *g;
    int n_pairs, room_pairs;
    pair *pairs;
} buchberger;

static uint64_t degree_of(const ct_ring *ring, const ct_poly *f) {
    uint64_t degree = 0;
    for (slong i = 0; i < f->n; i++) {
        uint64_t d = ct_monomial_degree(ring, ct_poly_exps(ring, f, i));
        if (d > degree) degree = d;
    }
    return degree;
}

static bool equal(const ct_ring *ring, const uint32_t *a, const uint32_t *b) {
    return !memcmp(a, b, (size_t)ring->n * sizeof *a);
}

// pairs ------------------------------------------------------------------------------------------
static const uint32_t *lead(const buchberger *b, int i) {
    return b->g[i].f.exps;
}

static uint64_t pair_sugar(const buchberger *b, int i, int j, const uint32_t *lcm) {
    uint64_t d = ct_monomial_degree(b->ring, lcm);
    uint64_t si = b->g[i].sugar + d - ct_monomial_degree(b->ring, lead(b, i));
    uint64_t sj = b->g[j].sugar + d - ct_monomial_degree(b->ring, lead(b, j));
    return si > sj ? si : sj;
}

static void drop_old(buchberger *b, int h) {
    int kept = 0;
    for (int k = 0; k < b->n_pairs; k++) {
        pair *q = &b->pairs[k];
        uint32_t l[CT_UNKNOWNS_MAX], m[CT_UNKNOWNS_MAX];
        bool drop = false;
        if (q->j >= 0 && ct_monomial_divides(b->ring, lead(b, h), q->lcm)) {
            ct_monomial_lcm(b->ring, l, lead(b, q->i), lead(b, h));
            ct_monomial_lcm(b->ring, m, lead(b, q->j), lead(b, h));
            drop = !equal(b->ring, l, q->lcm) && !equal(b->ring, m, q->lcm);
        }
        if (!drop) b->pairs[kept++] = *q;
    }
    b->n_pairs = kept;
}

static bool superfluous(const buchberger *b, const pair *fresh, const bool *free_pair, int n,
                        int k) {
    if (free_pair[k]) return true;
    for (int l = 0; l < n; l++) {
        if (l == k) continue;
        if (equal(b->ring, fresh[l].lcm, fresh[k].lcm)) {
            if (l < k || free_pair[l]) return true;
        } else if (ct_monomial_divides(b->ring, fresh[l].lcm, fresh[k].lcm)) {
            return true;
        }
    }
    return false;
}

static void update_pairs(buchberger *b, int h) {
    drop_old(b, h);
    pair *fresh = ct_scratch((size_t)h + 1, sizeof *fresh);
    bool *free_pair = ct_scratch((size_t)h + 1, sizeof *free_pair);
    int n = 0;
    for (int i = 0; i < h; i++) {
        if (b->g[i].redundant) continue;
        fresh[n] = (pair){.i = i, .j = h};
        ct_monomial_lcm(b->ring, fresh[n].lcm, lead(b, i), lead(b, h));
        free_pair[n] = ct_monomial_coprime(b->ring, lead(b, i), lead(b, h));
        fresh[n].sugar = pair_sugar(b, i, h, fresh[n].lcm);
        n++;
    }
    for (int k = 0; k < n; k++)
        if (!superfluous(b, fresh, free_pair, n, k))
            *CT_PUSH(b->pairs, b->n_pairs, b->room_pairs) = fresh[k];
    for (int i = 0; i < h; i++) {
        if (ct_monomial_divides(b->ring, lead(b, h), lead(b, i)))
            b->g[i].redundant = true;
        else if (ct_monomial_divides(b->ring, lead(b, i), lead(b, h)))
            b->g[h].redundant = true;
    }
}

// The pair of least sugar, then of least lcm.
static pair take_pair(buchberger *b) {
    int best = 0;
    for (int k = 1; k < b->n_pairs; k++) {
        const pair *p = &b->pairs[k], *q = &b->pairs[best];
        if (p->sugar < q->sugar ||
            (p->sugar == q->sugar && ct_monomial_compare(b->ring, p->lcm, q->lcm) < 0))
            best = k;
    }
    pair p = b->pairs[best];
    b->pairs[best] = b->pairs[--b->n_pairs];
    return p;
}

// reduction --------------------------------------------------------------------------------------
static slong weight(const ct_poly *f) {
    slong w = 0;
    for (slong i = 0; i < f->n; i++) w += f->symbolic[i].length;
    return w;
}

// The lightest element whose lead divides e.
static int reducer(const buchberger *b, const uint32_t *e, int except) {
    int best = -1;
    slong least = 0;
    for (int i = 0; i < b->n; i++) {
        if (i == except || !b->g[i].f.n || !ct_monomial_divides(b->ring, lead(b, i), e)) continue;
        slong w = weight(&b->g[i].f);
        if (best < 0 || w < least) best = i, least = w;
    }
    return best;
}

// Counts the terms of a cancellation before it is carried out. Returns false if a limit would be
// exceeded.
static bool affordable(buchberger *b, const ct_poly *f, slong at, const ct_poly *g) {
    ct_limits_work(b->limits, (double)weight(f) * (double)g->symbolic[0].length +
                                  (double)weight(g) * (double)f->symbolic[at].length);
    return ct_limits_ok(b->limits);
}

static void reduce_lead(buchberger *b, ct_poly *f, uint64_t *sugar) {
    ct_poly none;
    ct_poly_init(&none);
    while (f->n && ct_limits_ok(b->limits)) {
        int i = reducer(b, f->exps, -1);
        if (i < 0) break;
        uint64_t up =
            ct_monomial_degree(b->ring, f->exps) - ct_monomial_degree(b->ring, lead(b, i));
        if (b->g[i].sugar + up > *sugar) *sugar = b->g[i].sugar + up;
        if (!affordable(b, f, 0, &b->g[i].f)) break;
        if (!ct_cancel_term(b->ring, f, 0, &none, &b->g[i].f, 0))
            ct_limits_strike(b->limits, CT_LIMIT_EXPONENT);
        ct_poly_primitive(b->ring, f);
    }
}

// f and r share a factor: divide it out of both.
static void shared_content(const ct_ring *ring, ct_poly *f, ct_poly *r) {
    slong split = r->n;
    for (slong i = 0; i < f->n; i++)
        ct_poly_push_symbolic(ring, r, ct_poly_exps(ring, f, i), f->symbolic + i);
    ct_poly_primitive(ring, r);
    ct_poly rest;
    ct_poly_init(&rest);
    for (slong i = split; i < r->n; i++)
        ct_poly_push_symbolic(ring, &rest, ct_poly_exps(ring, r, i), r->symbolic + i);
    while (r->n > split) fmpz_mpoly_clear(r->symbolic + --r->n, ring->symbol_ctx);
    ct_poly_swap(f, &rest);
    ct_poly_clear(ring, &rest);
}

static void reduce_tail(buchberger *b, int k) {
    ct_poly done, *f = &b->g[k].f;
    ct_poly_init(&done);
    for (slong at = 0; at < f->n && ct_limits_ok(b->limits);) {
        int i = at || done.n ? reducer(b, ct_poly_exps(b->ring, f, at), k) : -1;
        if (i < 0) {
            ct_poly_push_symbolic(b->ring, &done, ct_poly_exps(b->ring, f, at), f->symbolic + at);
            at++;
            continue;
        }
        if (!affordable(b, f, at, &b->g[i].f)) break;
        if (!ct_cancel_term(b->ring, f, at, &done, &b->g[i].f, 0))
            ct_limits_strike(b->limits, CT_LIMIT_EXPONENT);
        at = 0;
        shared_content(b->ring, f, &done);
    }
    ct_poly_swap(f, &done);
    ct_poly_clear(b->ring, &done);
    ct_poly_primitive(b->ring, f);
}

// the algorithm ----------------------------------------------------------------------------------
static void add_element(buchberger *b, ct_poly *f, uint64_t sugar) {
    if (!f->n) {
        ct_poly_clear(b->ring, f);
        return;
    }
    if (degree_of(b->ring, f) > CT_EXPONENT_MAX / 4) ct_limits_strike(b->limits, CT_LIMIT_EXPONENT);
    *CT_PUSH(b->g, b->n, b->room) = (element){*f, sugar, false};
    update_pairs(b, b->n - 1);
}

static void treat(buchberger *b, const pair *q, const ct_polys *in) {
    ct_poly f;
    ct_poly_init(&f);
    uint64_t sugar = q->sugar;
    if (q->j < 0) {
        ct_poly_set(b->ring, &f, &in->p[q->i]);
    } else if (affordable(b, &b->g[q->i].f, 0, &b->g[q->j].f)) {
        (void)ct_s_polynomial(b->ring, &f, &b->g[q->i].f, &b->g[q->j].f, 0);
        ct_poly_primitive(b->ring, &f);
    }
    reduce_lead(b, &f, &sugar);
    add_element(b, &f, sugar);
}

// Redundant elements go, tails are reduced, leads increase.
static void finish(buchberger *b, ct_polys *basis) {
    for (int i = 0; i < b->n; i++)
        if (b->g[i].redundant) ct_poly_clear(b->ring, &b->g[i].f);
    int *order = ct_scratch((size_t)b->n + 1, sizeof *order), n = 0;
    for (int i = 0; i < b->n; i++) {
        if (!b->g[i].f.n) continue;
        int k = n++;
        for (; k > 0 && ct_monomial_compare(b->ring, lead(b, order[k - 1]), lead(b, i)) > 0; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int k = 0; k < n; k++) reduce_tail(b, order[k]);
    for (int k = 0; k < n; k++) ct_poly_swap(ct_polys_add(basis), &b->g[order[k]].f);
}

bool ct_groebner_symbolic(const ct_ring *ring, ct_limits *limits, const ct_polys *in,
                          ct_polys *basis) {
    buchberger b = {.ring = ring, .limits = limits};
    for (int i = 0; i < in->n; i++) {
        pair q = {.i = i, .j = -1, .sugar = degree_of(ring, &in->p[i])};
        memcpy(q.lcm, in->p[i].exps, (size_t)ring->n * sizeof *q.lcm);
        *CT_PUSH(b.pairs, b.n_pairs, b.room_pairs) = q;
    }
    while (b.n_pairs && ct_limits_ok(limits)) {
        ct_limits_progress(limits, "basis with symbols", 0);
        pair q = take_pair(&b);
        treat(&b, &q, in);
    }
    bool ok = ct_limits_ok(limits);
    if (ok) finish(&b, basis);
    for (int i = 0; i < b.n; i++) ct_poly_clear(ring, &b.g[i].f);
    ct_free(b.g);
    ct_free(b.pairs);
    return ok && ct_limits_ok(limits);
}
