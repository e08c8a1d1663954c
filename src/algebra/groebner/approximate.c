// Buchberger's algorithm with bracket coefficients at growing precision. A run at too low a
// precision takes small numbers for zero; two runs in a row of the same shape whose digits agree
// are the result.
#include "algebra/groebner/approximate_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST 16384 // bits

typedef struct run {
    ct_context *ctx;
    const ct_ring *ring;
    const ct_approximate_options *options;
    double deadline;
    slong bits;
    ct_brackets g;
} run;

void ct_brackets_clear(ct_brackets *b) {
    for (int i = 0; i < b->n; i++) ct_bracket_clear(b->p + i, b->p[i].n);
    free(b->p);
    *b = (ct_brackets){0};
}

// c as a bracket: an integer of no more than `digits` significant digits is exact.
static void bracket_of(arb_t out, const fmpz_t c, int digits, slong bits) {
    slong extra = digits > 0 ? (slong)fmpz_sizeinbase(c, 10) - digits : 0;
    if (extra <= 0) {
        arb_set_round_fmpz(out, c, bits);
        return;
    }
    fmpz_t unit, q, r;
    fmpz_init(unit), fmpz_init(q), fmpz_init(r);
    fmpz_ui_pow_ui(unit, 10, (ulong)extra);
    fmpz_fdiv_qr(q, r, c, unit);
    bool exact = fmpz_is_zero(r);
    fmpz_mul_ui(r, r, 2);
    if (fmpz_cmp(r, unit) >= 0) fmpz_add_ui(q, q, 1); // to nearest
    fmpz_mul(q, q, unit);
    arb_set_round_fmpz(out, q, bits);
    if (!exact) {
        arf_t half;
        arf_init(half);
        arf_set_fmpz(half, unit);
        arf_mul_2exp_si(half, half, -1);
        arb_add_error_arf(out, half);
        arf_clear(half);
    }
    fmpz_clear(unit), fmpz_clear(q), fmpz_clear(r);
}

static void add(run *r, ct_bracket_poly *f) {
    *CT_PUSH(r->g.p, r->g.n, r->g.room) = *f;
}

static void read_input(run *r, const ct_polys *in) {
    int digits = r->options->digits;
    arb_t c;
    arb_init(c);
    for (int i = 0; i < in->n; i++) {
        const ct_poly *p = in->p + i;
        ct_bracket_poly f, g;
        ct_bracket_init(&f, r->ring, p->n);
        for (slong k = 0; k < p->n; k++) {
            bracket_of(c, p->coefs + k, digits, r->bits);
            if (arb_contains_zero(c)) continue;
            memcpy(f.exps + f.n * r->ring->n, ct_poly_exps(r->ring, p, k),
                   (size_t)r->ring->n * sizeof *f.exps);
            arb_set(f.c + f.n++, c);
        }
        ct_bracket_copy(r->ring, &g, &f);
        ct_bracket_clear(&f, p->n);
        ct_bracket_monic(&g, r->bits);
        if (g.n)
            add(r, &g);
        else
            ct_bracket_clear(&g, 0);
    }
    arb_clear(c);
}

// pairs ------------------------------------------------------------------------------------------
typedef struct pair {
    int i, j;
    uint64_t degree; // of the least common multiple
} pair;
typedef struct pairs {
    int n, room;
    pair *p;
} pairs;

static void add_pairs(const run *r, pairs *list, int j) {
    for (int i = 0; i < j; i++) {
        uint64_t degree = 0, sum = 0;
        for (int k = 0; k < r->ring->n; k++) {
            degree += FLINT_MAX(r->g.p[i].exps[k], r->g.p[j].exps[k]);
            sum += (uint64_t)r->g.p[i].exps[k] + r->g.p[j].exps[k];
        }
        if (degree < sum) *CT_PUSH(list->p, list->n, list->room) = (pair){i, j, degree};
    } // coprime leading monomials reduce to zero
}

static pair take_smallest(pairs *list) {
    int best = 0;
    for (int k = 1; k < list->n; k++)
        if (list->p[k].degree < list->p[best].degree) best = k;
    pair p = list->p[best];
    list->p[best] = list->p[--list->n];
    return p;
}

static ct_status in_time(const run *r) {
    if (r->options->stop && *r->options->stop) return CT_INTERRUPTED;
    if (r->deadline > 0 && ct_seconds() > r->deadline)
        return ct_fail(r->ctx, CT_NUMERICS, "out of time (approximate basis)");
    return CT_OK;
}

static ct_status buchberger(run *r) {
    pairs list = {0};
    ct_status s = CT_OK;
    for (int j = 1; j < r->g.n; j++) add_pairs(r, &list, j);
    while (list.n && !(s = in_time(r))) {
        pair p = take_smallest(&list);
        ct_bracket_poly f;
        ct_bracket_pair(r->ring, &f, r->g.p + p.i, r->g.p + p.j, r->bits);
        ct_bracket_reduce(r->ring, &f, &r->g, -1, r->bits);
        if (!f.n) {
            ct_bracket_clear(&f, 0);
            continue;
        }
        add(r, &f);
        add_pairs(r, &list, r->g.n - 1);
    }
    free(list.p);
    return s;
}

// Inter-reduction: drop what another one's leading monomial divides, reduce tails, sort.
static void remove_at(ct_brackets *g, int i) {
    ct_bracket_clear(g->p + i, g->p[i].n);
    g->p[i] = g->p[--g->n];
}

static bool superfluous(const run *r, int i) {
    for (int j = 0; j < r->g.n; j++) {
        if (j == i || !ct_monomial_divides(r->ring, r->g.p[j].exps, r->g.p[i].exps)) continue;
        bool equal = ct_monomial_divides(r->ring, r->g.p[i].exps, r->g.p[j].exps);
        if (!equal || j < i) return true;
    }
    return false;
}

static void inter_reduce(run *r) {
    for (int i = 0; i < r->g.n;) {
        if (superfluous(r, i))
            remove_at(&r->g, i), i = 0;
        else
            i++;
    }
    for (int i = 0; i < r->g.n; i++) ct_bracket_reduce(r->ring, r->g.p + i, &r->g, i, r->bits);
    for (int i = 1; i < r->g.n; i++) {
        for (int j = i;
             j > 0 && ct_monomial_compare(r->ring, r->g.p[j - 1].exps, r->g.p[j].exps) > 0; j--) {
            ct_bracket_poly t = r->g.p[j];
            r->g.p[j] = r->g.p[j - 1];
            r->g.p[j - 1] = t;
        }
    }
}

// settling ---------------------------------------------------------------------------------------
static bool same_shape(const ct_ring *ring, const ct_brackets *a, const ct_brackets *b) {
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (a->p[i].n != b->p[i].n || memcmp(a->p[i].exps, b->p[i].exps,
                                             (size_t)(a->p[i].n * ring->n) * sizeof *a->p[i].exps))
            return false;
    return true;
}

// Digits are there, or more precision does not bring any (the data do not hold them).
static bool settled(const ct_ring *ring, const ct_brackets *a, const ct_brackets *b, int want) {
    if (!same_shape(ring, a, b)) return false;
    slong bits = (slong)ceil(want * 3.3219281);
    for (int i = 0; i < a->n; i++)
        for (slong k = 0; k < a->p[i].n; k++) {
            slong now = arb_rel_accuracy_bits(b->p[i].c + k),
                  before = arb_rel_accuracy_bits(a->p[i].c + k);
            if (!arb_overlaps(a->p[i].c + k, b->p[i].c + k)) return false;
            if (now < bits && now > before + 1) return false;
        }
    return true;
}

ct_status ct_groebner_approximate(ct_context *ctx, const ct_ring *ring, ct_brackets *out,
                                  const ct_polys *in, const ct_approximate_options *options) {
    ct_approximate_options defaults = {0};
    if (!options) options = &defaults;
    int want = options->want > 0 ? options->want : 10;
    ct_brackets_clear(out);
    if (ring->n_symbols)
        return ct_fail(ctx, CT_USAGE, "an approximate basis needs numbers for all symbols");
    double deadline = options->seconds > 0 ? ct_seconds() + options->seconds : 0;
    ct_brackets before = {0};
    ct_status s = CT_OK;
    bool done = false;
    for (slong bits = 64; !done && !s && bits <= HIGHEST; bits *= 2) {
        run r = {ctx, ring, options, deadline, bits, {0}};
        read_input(&r, in);
        s = buchberger(&r);
        inter_reduce(&r);
        done = !s && bits > 64 && settled(ring, &before, &r.g, want);
        ct_brackets_clear(&before);
        before = r.g;
        before.bits = bits;
    }
    if (done) {
        *out = before;
        return CT_OK;
    }
    ct_brackets_clear(&before);
    return s ? s : ct_fail(ctx, CT_NUMERICS, "the basis has not settled at %d bits", HIGHEST);
}
