// Change of order for zero-dimensional ideals (Faugère, Gianni, Lazard, Mora 1993): monomials in
// the new order, smallest first, until their coordinates in the quotient depend on those of earlier
// ones; each dependence is an element of the new basis. Modulo primes, then lifted to the
// rationals.
#include "algebra/f4/f4.h"
#include "algebra/groebner/lift.h"
#include "algebra/quotient/quotient.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

// A monomial that waits or was found independent: x_by times staircase element `from`.
typedef struct candidate {
    uint32_t e[CT_UNKNOWNS_MAX];
    slong from;
    int by;
} candidate;

typedef struct fglm {
    const ct_ring *to;
    const ct_quotient *q;
    const uint32_t *forms;
    f4_modulus mod;
    slong d, found; // independent so far
    candidate *stairs;
    uint32_t *vectors;     // their coordinates [d]
    uint32_t *echelon;     // the same in echelon form, monic at pivot[i]
    uint32_t *combination; // echelon i as a combination of the stairs
    slong *pivot;
    int n_all, room_all;
    candidate *all;
    int n_wait, room_wait;
    int *wait;       // numbers of candidates, decreasing: the smallest is last
    uint32_t *v, *c; // under way: coordinates, combination
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
    memset(s->v, 0, (size_t)s->d * sizeof *s->v);
    if (m->from < 0) { // the monomial 1, which is the smallest standard one
        s->v[0] = 1;
        return;
    }
    const uint32_t *u = s->vectors + m->from * s->d;
    for (slong i = 0; i < s->d; i++) {
        if (!u[i]) continue;
        slong j = s->q->product[m->by * s->d + i];
        if (j < s->d) {
            s->v[j] = f4_mod((uint64_t)s->v[j] + u[i], s->mod);
            continue;
        }
        const uint32_t *f = s->forms + (j - s->d) * s->d;
        for (slong k = 0; k < s->d; k++) s->v[k] = f4_mod(s->v[k] + (uint64_t)u[i] * f[k], s->mod);
    }
}

// Reduces v by the echelon; c becomes the combination of stairs that was subtracted. Returns the
// first column left, or d.
static slong reduce(fglm *s) {
    memset(s->c, 0, (size_t)(s->found + 1) * sizeof *s->c);
    for (slong i = 0; i < s->found; i++) {
        uint32_t a = s->v[s->pivot[i]];
        if (!a) continue;
        uint64_t minus = s->mod.p - a;
        const uint32_t *row = s->echelon + i * s->d, *comb = s->combination + i * s->d;
        for (slong k = 0; k < s->d; k++) s->v[k] = f4_mod(s->v[k] + minus * row[k], s->mod);
        for (slong k = 0; k <= i; k++) s->c[k] = f4_mod(s->c[k] + (uint64_t)a * comb[k], s->mod);
    }
    slong first = 0;
    while (first < s->d && !s->v[first]) first++;
    return first;
}

static void add_stair(fglm *s, const candidate *m, slong first) {
    slong i = s->found;
    uint32_t p = (uint32_t)s->mod.p;
    uint64_t inverse = f4_invert(s->v[first], p), minus = p - inverse;
    s->stairs[i] = *m;
    s->pivot[i] = first;
    for (slong k = 0; k < s->d; k++) s->echelon[i * s->d + k] = f4_mod(s->v[k] * inverse, s->mod);
    for (slong k = 0; k < i; k++) s->combination[i * s->d + k] = f4_mod(s->c[k] * minus, s->mod);
    s->combination[i * s->d + i] = (uint32_t)inverse;
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
        fmpz_set_ui(c, s->c[k] ? s->mod.p - s->c[k] : 0);
        ct_poly_push(s->to, f, s->stairs[k].e, c);
    }
    fmpz_clear(c);
}

static bool divisible(const ct_ring *to, const ct_polys *out, const uint32_t *e) {
    for (int i = 0; i < out->n; i++)
        if (ct_monomial_divides(to, out->p[i].exps, e)) return true;
    return false;
}

static void search(fglm *s, ct_guard *guard, ct_polys *out) {
    candidate one = {.from = -1};
    wait_for(s, &one);
    while (s->n_wait && ct_guard_poll(guard)) {
        candidate m = s->all[s->wait[--s->n_wait]];
        if (divisible(s->to, out, m.e)) continue;
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

// The basis modulo p with all its coefficients; false: unlucky prime or limit.
static bool change_mod(const ct_ring *to, const ct_quotient *q, ct_guard *guard, uint32_t p,
                       ct_polys *out) {
    size_t d = (size_t)q->d, square = d * d + 1;
    uint32_t *forms = ct_alloc((size_t)q->n_border * d + 1, sizeof *forms);
    bool ok = ct_quotient_border(q, guard, p, forms);
    if (ok) {
        fglm s = {.to = to, .q = q, .forms = forms, .mod = f4_modulus_of(p), .d = q->d};
        s.stairs = ct_alloc(d + 1, sizeof *s.stairs);
        s.vectors = ct_alloc(square, sizeof *s.vectors);
        s.echelon = ct_alloc(square, sizeof *s.echelon);
        s.combination = ct_alloc(square, sizeof *s.combination);
        s.pivot = ct_alloc(d + 1, sizeof *s.pivot);
        s.v = ct_alloc(d + 1, sizeof *s.v);
        s.c = ct_alloc(d + 1, sizeof *s.c);
        search(&s, guard, out);
        ok = ct_guard_ok(guard);
        free(s.stairs);
        free(s.vectors);
        free(s.echelon);
        free(s.combination);
        free(s.pivot);
        free(s.wait);
        free(s.all);
        free(s.v);
        free(s.c);
    }
    free(forms);
    return ok;
}

// lift -------------------------------------------------------------------------------------------
// What is independent modulo a prime is so over Q: at the first lead that differs the larger is
// right.
static int compare_shapes(const ct_ring *to, const ct_polys *a, const ct_polys *b) {
    for (int i = 0; i < a->n && i < b->n; i++) {
        int sign = ct_monomial_compare(to, a->p[i].exps, b->p[i].exps);
        if (sign) return sign;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static uint32_t *residues_of(const ct_polys *list) {
    uint32_t *r = ct_alloc((size_t)ct_polys_terms(list) + 1, sizeof *r), *at = r;
    for (int i = 0; i < list->n; i++)
        for (slong k = 0; k < list->p[i].n; k++)
            *at++ = (uint32_t)fmpz_get_ui(list->p[i].coefs + k);
    return r;
}

static bool same_modulo(const ct_polys *found, const ct_polys *full, const ct_ring *to,
                        uint32_t p) {
    f4_modulus mod = f4_modulus_of(p);
    bool ok = found->n == full->n;
    for (int i = 0; i < full->n && ok; i++) {
        const ct_poly *f = &found->p[i], *g = &full->p[i];
        uint64_t inverse = f4_invert((uint32_t)fmpz_fdiv_ui(f->coefs, p), p);
        slong at = 0;
        for (slong k = 0; k < g->n && ok; k++) {
            bool here = at < f->n &&
                        !ct_monomial_compare(to, ct_poly_exps(to, f, at), ct_poly_exps(to, g, k));
            uint64_t c = here ? f4_mod(fmpz_fdiv_ui(f->coefs + at++, p) * inverse, mod) : 0;
            ok = c == fmpz_get_ui(g->coefs + k);
        }
    }
    return ok;
}

typedef struct lifting {
    const ct_ring *to;
    ct_guard *guard;
    ct_polys shape;
    ct_lift lift;
    bool started, found;
} lifting;

// One more prime: extends the lift, restarts it, or serves as the check of what was found.
static void use_prime(lifting *s, ct_polys *fresh, uint32_t p, ct_polys *out) {
    int sign = s->started ? compare_shapes(s->to, fresh, &s->shape) : 1;
    if (sign < 0) {
        s->guard->stats.unlucky++;
        return;
    }
    if (sign > 0) {
        if (s->started) ct_lift_clear(&s->lift);
        ct_polys_clear(s->to, &s->shape);
        ct_polys_clear(s->to, out);
        ct_lift_init(&s->lift, ct_polys_terms(fresh));
        s->started = true;
    }
    if (out->n && same_modulo(out, fresh, s->to, p)) {
        s->found = true;
        return;
    }
    ct_polys_clear(s->to, out);
    uint32_t *r = residues_of(fresh);
    ct_lift_add(&s->lift, p, r, 1);
    free(r);
    if (sign > 0) {
        s->shape = *fresh;
        *fresh = (ct_polys){0};
    }
    ct_lift_try(&s->lift, s->to, out, &s->shape);
}

static void lift_order(lifting *s, const ct_quotient *q, ct_polys *out) {
    uint32_t p = s->guard->options.first_prime ? s->guard->options.first_prime : 0x7fffffff;
    while (!s->found && ct_guard_ok(s->guard)) {
        do p -= 1 + (p & 1);
        while (p > 3 && !n_is_prime(p));
        if (p <= 3) p = 0x7fffffff;
        ct_polys fresh = {0};
        if (change_mod(s->to, q, s->guard, p, &fresh))
            use_prime(s, &fresh, p, out);
        else
            s->guard->stats.unlucky++;
        ct_polys_clear(s->to, &fresh);
        ct_guard_progress(s->guard, "change of order", 0);
    }
    if (s->started) {
        s->guard->stats.primes = s->lift.n_primes;
        ct_lift_clear(&s->lift);
    }
    ct_polys_clear(s->to, &s->shape);
}

ct_status ct_change_order(ct_context *ctx, const ct_ring *to, ct_polys *out, const ct_ring *from,
                          const ct_polys *basis, const ct_groebner_options *options) {
    ct_guard guard;
    ct_guard_init(&guard, options);
    ct_polys result = {0};
    ct_quotient q;
    ct_status status = CT_OK;
    uint32_t p = guard.options.prime;
    if (from->n_symbols || to->n_symbols || from->n != to->n)
        return ct_fail(ctx, CT_USAGE, "a change of order needs the same unknowns and no symbols");
    if (!ct_quotient_init(&q, from, basis)) {
        status = ct_fail(ctx, CT_WRONG_MODEL,
                         "a change of order needs the reduced basis of an ideal with "
                         "finitely many solutions");
    } else if (p) {
        if (!change_mod(to, &q, &guard, p, &result) && ct_guard_ok(&guard))
            status =
                ct_fail(ctx, CT_WRONG_MODEL, "%u divides a leading coefficient of the basis", p);
        for (int i = 0; i < result.n; i++) ct_poly_sort(to, &result.p[i]);
    } else {
        lifting s = {.to = to, .guard = &guard};
        lift_order(&s, &q, &result);
    }
    ct_quotient_clear(&q);
    ct_status limits = ct_guard_finish(ctx, &guard);
    if (status == CT_OK) status = limits;
    ct_polys_clear(to, out);
    if (status == CT_OK)
        *out = result;
    else
        ct_polys_clear(to, &result);
    return status;
}
