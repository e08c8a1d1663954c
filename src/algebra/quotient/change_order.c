// Change of order for zero-dimensional ideals (Faugère, Gianni, Lazard, Mora 1993): monomials in
// the new order, smallest first, until their coordinates in the quotient depend on those of earlier
// ones; each dependence is an element of the new basis. Modulo primes, then lifted to the
// rationals.
#include "algebra/lift.h"
#include "algebra/quotient/quotient_inside.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

// A monomial that waits or was found independent: x_by times staircase element `from`.
typedef struct candidate {
    uint32_t e[CT_UNKNOWNS_MAX];
    slong from; // -1: the monomial 1
    int by;
} candidate;

typedef struct fglm {
    const ct_ring *to;
    ct_quotient_mod *m;
    slong d, found; // independent so far
    candidate *stairs;
    ulong *vectors;     // their coordinates [d]
    ulong *echelon;     // the same in echelon form, monic at pivot[i]
    ulong *combination; // echelon i as a combination of the stairs
    slong *pivot;
    int n_all, room_all;
    candidate *all;
    int n_wait, room_wait;
    int *wait;              // numbers of candidates, decreasing: the smallest is last
    ulong *v, *c;           // under way: coordinates, combination
    ct_wide *v_sum, *c_sum; // the same before division by p
} fglm;

static void wait_for(fglm *s, const candidate *m) {
    int low = 0, high = s->n_wait;
    while (low < high) {
        int mid = (low + high) / 2, sign = ct_monomial_compare(s->to, s->all[s->wait[mid]].e, m->e);
        if (sign == 0) return;
        if (sign > 0)
            low = mid + 1;
        else
            high = mid;
    }
    (void)CT_PUSH(s->wait, s->n_wait, s->room_wait);
    memmove(s->wait + low + 1, s->wait + low, (size_t)(s->n_wait - 1 - low) * sizeof *s->wait);
    s->wait[low] = s->n_all;
    *CT_PUSH(s->all, s->n_all, s->room_all) = *m;
}

// v = coordinates of the candidate
static void coordinates(fglm *s, const candidate *m) {
    if (m->from >= 0) {
        ct_quotient_times(s->m, s->v, m->by, s->vectors + m->from * s->d);
        return;
    }
    memset(s->v, 0, (size_t)s->d * sizeof *s->v);
    s->v[0] = 1; // the monomial 1 is the smallest standard one
}

static void add_multiple(ct_wide *sum, ulong by, const ulong *row, slong n) {
    for (slong k = 0; k < n; k++) sum[k] += (ct_wide)by * row[k];
}

static void divide(ct_wide *sum, slong n, nmod_t mod) {
    for (slong k = 0; k < n; k++) sum[k] = ct_wide_mod(sum[k], mod);
}

// Reduces v by the echelon; c becomes the combination of stairs that was subtracted. Returns the
// first column left, or d.
static slong reduce(fglm *s) {
    nmod_t mod = s->m->mod;
    slong pending = 0, first = 0;
    for (slong k = 0; k < s->d; k++) s->v_sum[k] = s->v[k];
    memset(s->c_sum, 0, (size_t)(s->found + 1) * sizeof *s->c_sum);
    // v -= a echelon_i, c += a combination_i, divided by p once in so many times
    for (slong i = 0; i < s->found; i++) {
        ulong a = ct_wide_mod(s->v_sum[s->pivot[i]], mod);
        if (!a) continue;
        add_multiple(s->v_sum, mod.n - a, s->echelon + i * s->d, s->d);
        add_multiple(s->c_sum, a, s->combination + i * s->d, i + 1);
        if (++pending % (CT_PRODUCTS_MAX - 1)) continue;
        divide(s->v_sum, s->d, mod);
        divide(s->c_sum, s->found, mod);
    }
    for (slong k = 0; k < s->d; k++) s->v[k] = ct_wide_mod(s->v_sum[k], mod);
    for (slong k = 0; k < s->found; k++) s->c[k] = ct_wide_mod(s->c_sum[k], mod);
    while (first < s->d && !s->v[first]) first++;
    return first;
}

// The candidate is independent: v, monic at column `first`, joins the echelon, and the products of
// the candidate with the unknowns wait.
static void add_stair(fglm *s, const candidate *m, slong first) {
    slong i = s->found;
    nmod_t mod = s->m->mod;
    ulong inverse = nmod_inv(s->v[first], mod), minus = nmod_neg(inverse, mod);
    s->stairs[i] = *m;
    s->pivot[i] = first;
    for (slong k = 0; k < s->d; k++) s->echelon[i * s->d + k] = nmod_mul(s->v[k], inverse, mod);
    for (slong k = 0; k < i; k++) s->combination[i * s->d + k] = nmod_mul(s->c[k], minus, mod);
    s->combination[i * s->d + i] = inverse;
    s->found++;
    for (int k = 0; k < s->to->n; k++) {
        candidate next = *m;
        next.e[k]++;
        next.from = i;
        next.by = k;
        wait_for(s, &next);
    }
}

// The element  m - sum of c_k stairs_k,  zero coefficients included so that all primes agree in
// shape.
static void add_element(const fglm *s, const candidate *m, ct_polys *out) {
    ct_poly *f = ct_polys_add(out);
    fmpz_t c;
    fmpz_init_set_ui(c, 1);
    ct_poly_push(s->to, f, m->e, c);
    for (slong k = s->found; k-- > 0;) {
        fmpz_set_ui(c, nmod_neg(s->c[k], s->m->mod));
        ct_poly_push(s->to, f, s->stairs[k].e, c);
    }
    fmpz_clear(c);
}

static void search(fglm *s, ct_limits *limits, ct_polys *out) {
    candidate one = {.from = -1};
    wait_for(s, &one);
    while (s->n_wait && ct_limits_poll(limits)) {
        candidate m = s->all[s->wait[--s->n_wait]];
        if (ct_find_divisor(s->to, out, m.e) >= 0) continue;
        coordinates(s, &m);
        if (s->found < s->d)
            memcpy(s->vectors + s->found * s->d, s->v, (size_t)s->d * sizeof *s->v);
        slong first = reduce(s);
        if (first < s->d)
            add_stair(s, &m, first);
        else
            add_element(s, &m, out);
    }
}

static void fglm_init(fglm *s, const ct_ring *ring, ct_quotient_mod *m) {
    size_t d = (size_t)m->q->d, square = d * d + 1;
    *s = (fglm){.to = ring, .m = m, .d = m->q->d};
    s->stairs = ct_alloc(d + 1, sizeof *s->stairs);
    s->vectors = ct_alloc(square, sizeof *s->vectors);
    s->echelon = ct_alloc(square, sizeof *s->echelon);
    s->combination = ct_alloc(square, sizeof *s->combination);
    s->pivot = ct_alloc(d + 1, sizeof *s->pivot);
    s->v = ct_alloc(d + 1, sizeof *s->v);
    s->c = ct_alloc(d + 1, sizeof *s->c);
    s->v_sum = ct_alloc(d + 1, sizeof *s->v_sum);
    s->c_sum = ct_alloc(d + 1, sizeof *s->c_sum);
}

static void fglm_clear(fglm *s) {
    ct_free(s->stairs);
    ct_free(s->vectors);
    ct_free(s->echelon);
    ct_free(s->combination);
    ct_free(s->pivot);
    ct_free(s->wait);
    ct_free(s->all);
    ct_free(s->v);
    ct_free(s->c);
    ct_free(s->v_sum);
    ct_free(s->c_sum);
}

// The basis modulo p with all its coefficients. Returns false for an unlucky prime, or at a limit.
static bool change_mod(const ct_ring *ring, const ct_quotient *q, ct_limits *limits, ulong p,
                       ct_polys *out) {
    ct_quotient_mod m;
    bool ok = ct_quotient_mod_init(&m, q, p);
    if (ok) {
        fglm s;
        fglm_init(&s, ring, &m);
        search(&s, limits, out);
        fglm_clear(&s);
        ok = ct_limits_ok(limits);
    }
    ct_quotient_mod_clear(&m);
    return ok;
}

// lift -------------------------------------------------------------------------------------------
// What is independent modulo a prime is so over Q: at the first lead that differs the larger is
// right.
static int compare_shapes(const ct_ring *ring, const ct_polys *a, const ct_polys *b) {
    for (int i = 0; i < a->n && i < b->n; i++) {
        int sign = ct_monomial_compare(ring, a->p[i].exps, b->p[i].exps);
        if (sign) return sign;
    }
    return (a->n > b->n) - (a->n < b->n);
}

typedef struct lifting {
    const ct_ring *to;
    ct_limits *limits;
    ct_polys shape;
    ct_lift lift;
    bool started, found, confirmed;
    int unlucky;
} lifting;

static void restart(lifting *s, ct_polys *fresh) {
    ct_polys_clear(s->to, &s->shape);
    ct_lift_clear(&s->lift);
    s->shape = *fresh;
    *fresh = (ct_polys){0};
    s->started = true;
    s->found = false;
    slong *sizes = ct_polys_lengths(&s->shape);
    ct_lift_init(&s->lift, s->shape.n, sizes, s->limits);
    ct_free(sizes);
}

// One more prime: extends the lift, restarts it, or serves as the check of what was found.
static void use_prime(lifting *s, ct_polys *fresh, ulong p) {
    int sign = s->started ? compare_shapes(s->to, fresh, &s->shape) : 1;
    if (sign < 0) {
        s->unlucky++;
        return;
    }
    ulong *residues = ct_polys_residues(fresh);
    if (sign > 0) restart(s, fresh);
    s->confirmed = s->found && ct_lift_confirms(&s->lift, p, residues);
    if (!s->confirmed) {
        ct_lift_add(&s->lift, p, residues);
        s->found = ct_lift_try(&s->lift);
    }
    ct_free(residues);
}

// Small first primes (tests) are used up and followed by large ones.
static ulong next_prime(ulong p) {
    if (p >> 32 || p <= 3) return ct_lift_prime(p >> 32 ? p : 0);
    do p -= 1 + (p & 1);
    while (p > 3 && !n_is_prime(p));
    return p > 3 ? p : ct_lift_prime(0);
}

static void lift_order(lifting *s, const ct_quotient *q, ulong p, ct_polys *out) {
    while (!s->confirmed && ct_limits_ok(s->limits)) {
        p = next_prime(p);
        ct_polys fresh = {0};
        if (change_mod(s->to, q, s->limits, p, &fresh))
            use_prime(s, &fresh, p);
        else
            s->unlucky++;
        ct_polys_clear(s->to, &fresh);
        ct_limits_progress(s->limits, "change of order", 0);
    }
    if (s->confirmed) ct_polys_fill(s->to, out, &s->shape, s->lift.values);
}

// over Q, or modulo a prime ----------------------------------------------------------------------
static void change_over_rationals(const ct_ring *ring, const ct_quotient *q, ct_limits *limits,
                                  const ct_groebner_options *options, ct_polys *out) {
    lifting s = {.to = ring, .limits = limits};
    lift_order(&s, q, options->first_prime, out);
    if (options->stats) {
        options->stats->primes = s.lift.n_primes;
        options->stats->unlucky = s.unlucky;
    }
    ct_lift_clear(&s.lift);
    ct_polys_clear(ring, &s.shape);
}

static ct_status change(ct_context *ctx, const ct_ring *ring, const ct_quotient *q,
                        ct_limits *limits, const ct_groebner_options *options, ct_polys *out) {
    if (!options->prime) {
        change_over_rationals(ring, q, limits, options, out);
        return CT_OK;
    }
    if (!change_mod(ring, q, limits, options->prime, out) && ct_limits_ok(limits))
        return ct_fail(ctx, CT_WRONG_MODEL, "%u divides a leading coefficient of the basis",
                       options->prime);
    for (int i = 0; i < out->n; i++) ct_poly_sort(ring, &out->p[i]);
    return CT_OK;
}

ct_status ct_change_order(ct_context *ctx, const ct_ring *to, ct_polys *out, const ct_ring *from,
                          const ct_polys *basis, const ct_groebner_options *options) {
    if (from->n_symbols || to->n_symbols || from->n != to->n)
        return ct_fail(ctx, CT_USAGE, "a change of order needs the same unknowns and no symbols");
    const ct_groebner_options none = {0};
    if (!options) options = &none;
    ct_limits limits;
    ct_limits_init(&limits, &options->budget);
    if (options->stats) *options->stats = (ct_groebner_stats){0};
    // the new basis, or why there is none
    ct_polys result = {0};
    ct_quotient q;
    ct_status status = CT_OK;
    if (ct_quotient_init(&q, from, basis))
        status = change(ctx, to, &q, &limits, options, &result);
    else
        status = ct_fail(ctx, CT_WRONG_MODEL,
                         "a change of order needs the reduced basis of an ideal with "
                         "finitely many solutions");
    ct_quotient_clear(&q);
    // figures, limits, result
    ct_groebner_figures(options->stats, &limits);
    if (status == CT_OK) status = ct_limits_status(ctx, &limits, "change of order");
    ct_polys_clear(to, out);
    if (status == CT_OK)
        *out = result;
    else
        ct_polys_clear(to, &result);
    return status;
}
