// Reduced Gröbner bases over Q. One prime is run in full and recorded, further primes only replay
// the arithmetic; rational reconstruction; then a check with code that F4 does not use:
//   every input has remainder 0 over Q, and every S-polynomial modulo a prime not used so far
//   (or over Q where a proof is asked for). Where the check fails, the recorded prime was unlucky.
#include "algebra/algebra.h"
#include "algebra/f4/f4.h"
#include "algebra/groebner/lift.h"
#include "algebra/groebner/symbolic.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define PRIME_START 2147483647u
#define ATTEMPTS    50 // recorded primes that may turn out unlucky in a row

// The primes of a computation, downwards from the first; skips divisors of any input coefficient.
typedef struct prime_walk {
    const ct_polys *in;
    uint32_t last;
} prime_walk;

static bool divides_a_coefficient(const ct_polys *in, uint32_t p) {
    for (int i = 0; i < in->n; i++)
        for (slong k = 0; k < in->p[i].n; k++)
            if (fmpz_fdiv_ui(in->p[i].coefs + k, p) == 0) return true;
    return false;
}

// Small first primes (tests) are used up and followed by large ones.
static uint32_t next_prime(prime_walk *w) {
    do {
        if (w->last <= 3) w->last = PRIME_START;
        do w->last -= 1 + (w->last & 1);
        while (w->last > 3 && !n_is_prime(w->last));
    } while (divides_a_coefficient(w->in, w->last));
    return w->last;
}

static void copy_nonzero(const ct_ring *ring, ct_polys *out, const ct_polys *in, uint32_t prime) {
    for (int i = 0; i < in->n; i++) {
        ct_poly f;
        ct_poly_init(&f);
        if (prime) {
            fmpz_t c;
            fmpz_init(c);
            for (slong k = 0; k < in->p[i].n; k++) {
                fmpz_set_ui(c, fmpz_fdiv_ui(in->p[i].coefs + k, prime));
                ct_poly_push(ring, &f, ct_poly_exps(ring, &in->p[i], k), c);
            }
            fmpz_clear(c);
            ct_poly_sort(ring, &f);
        } else {
            ct_poly_set(ring, &f, &in->p[i]);
            ct_poly_canonical(ring, &f);
        }
        if (f.n)
            *ct_polys_add(out) = f;
        else
            ct_poly_clear(ring, &f);
    }
}

static bool same_residues(const ct_polys *basis, const ct_polys *residues, uint32_t p) {
    f4_modulus mod = f4_modulus_of(p);
    for (int i = 0; i < basis->n; i++) {
        const ct_poly *f = &basis->p[i], *r = &residues->p[i];
        if (f->n != r->n) return false;
        uint32_t inverse = f4_invert((uint32_t)fmpz_fdiv_ui(f->coefs, p), p);
        for (slong k = 0; k < f->n; k++)
            if (f4_mod((uint64_t)fmpz_fdiv_ui(f->coefs + k, p) * inverse, mod) !=
                fmpz_get_ui(r->coefs + k))
                return false;
    }
    return true;
}

// check ------------------------------------------------------------------------------------------
static bool inputs_reduce(const ct_ring *ring, const ct_polys *in, const ct_polys *basis) {
    bool ok = true;
    ct_poly r;
    ct_poly_init(&r);
    for (int i = 0; i < in->n && ok; i++) {
        ok = ct_remainder(ring, &r, &in->p[i], basis, 0) && r.n == 0;
    }
    ct_poly_clear(ring, &r);
    return ok;
}

static bool checked(const ct_ring *ring, ct_guard *guard, const ct_polys *in, const ct_polys *basis,
                    prime_walk *walk) {
    if (guard->options.unchecked) return true;
    double start = ct_seconds();
    ct_guard_progress(guard, "check", 0);
    bool ok = inputs_reduce(ring, in, basis);
    uint32_t p = guard->options.prove ? 0 : next_prime(walk);
    ok = ok && ct_is_groebner(ring, basis, p);
    guard->stats.check_seconds += ct_seconds() - start;
    return ok;
}

// multimodular -----------------------------------------------------------------------------------
// Replays the record until the coefficients can be reconstructed. False: a limit struck, or no lane
// follows the record, in which case the recorded prime was unlucky.
static bool lift(const ct_ring *ring, ct_guard *guard, const ct_polys *in, const f4_trace *trace,
                 prime_walk *walk, const ct_polys *shape, ct_polys *basis) {
    ct_lift l;
    ct_lift_init(&l, ct_polys_terms(shape));
    uint32_t *block = ct_alloc((size_t)l.n * F4_LANES + 1, sizeof *block);
    bool found = false, ok = true;
    for (int round = 0; ok && !found; round++) {
        uint32_t primes[F4_LANES];
        bool lucky[F4_LANES];
        for (int k = 0; k < F4_LANES; k++) primes[k] = next_prime(walk);
        ok = f4_replay(trace, guard, in, primes, round == 0, block, lucky);
        int good = 0;
        for (int k = 0; k < F4_LANES && ok; k++) {
            if (lucky[k])
                ct_lift_add(&l, primes[k], block + k, F4_LANES), good++;
            else
                guard->stats.unlucky++;
        }
        ct_guard_hold(guard, (size_t)good * (size_t)l.n * sizeof *block);
        if (2 * good < F4_LANES) ok = false;
        double start = ct_seconds();
        found = ok && ct_lift_try(&l, ring, basis, shape);
        guard->stats.lift_seconds += ct_seconds() - start;
        ct_guard_progress(guard, "lift to the rationals", 1.0 - 1.0 / (1 + round));
    }
    guard->stats.primes = l.n_primes;
    ct_guard_release(guard, (size_t)l.n_primes * (size_t)l.n * sizeof *block);
    free(block);
    ct_lift_clear(&l);
    return ok && found;
}

// One recorded prime and all that follows; true with the basis, false: try another prime or give
// up.
static bool attempt(const ct_ring *ring, ct_guard *guard, const ct_polys *in, prime_walk *walk,
                    ct_polys *basis) {
    f4_trace trace = {0};
    ct_polys shape = {0};
    double start = ct_seconds();
    uint32_t p = next_prime(walk);
    bool ok = f4_learn(ring, guard, in, p, &shape, &trace);
    guard->stats.learn_seconds += ct_seconds() - start;
    ok = ok && lift(ring, guard, in, &trace, walk, &shape, basis);
    f4_trace_clear(&trace, guard);
    ok = ok && same_residues(basis, &shape, p) && checked(ring, guard, in, basis, walk);
    ct_polys_clear(ring, &shape);
    if (!ok) ct_polys_clear(ring, basis);
    return ok;
}

static void note_bits(ct_guard *guard, const ct_polys *basis) {
    for (int i = 0; i < basis->n; i++)
        for (slong k = 0; k < basis->p[i].n; k++) {
            int bits = (int)fmpz_bits(basis->p[i].coefs + k);
            if (bits > guard->stats.bits) guard->stats.bits = bits;
        }
}

static bool coprime_leads(const ct_ring *ring, const ct_poly *f, const ct_poly *g) {
    for (int k = 0; k < ring->n; k++)
        if (f->exps[k] && g->exps[k]) return false;
    return true;
}

// Leading monomials without common factor make a basis (Buchberger's first criterion); a reduced
// one is the answer as it stands, however long its coefficients are.
static bool is_basis_already(const ct_ring *ring, const ct_polys *in) {
    for (int i = 0; i < in->n; i++)
        for (int j = 0; j < i; j++)
            if (!coprime_leads(ring, &in->p[i], &in->p[j])) return false;
    return ct_is_reduced(ring, in);
}

static void copy_sorted(const ct_ring *ring, ct_polys *out, const ct_polys *in) {
    for (int i = 0; i < in->n; i++) {
        ct_poly_set(ring, ct_polys_add(out), &in->p[i]);
        for (int k = i; k > 0 && ct_monomial_compare(ring, out->p[k].exps, out->p[k - 1].exps) < 0;
             k--)
            ct_poly_swap(&out->p[k], &out->p[k - 1]);
    }
}

static ct_status over_rationals(ct_context *ctx, const ct_ring *ring, ct_guard *guard,
                                ct_polys *basis, const ct_polys *in) {
    uint32_t first = guard->options.first_prime;
    prime_walk walk = {in, first > 3 && first < PRIME_START ? first + 1 : PRIME_START};
    guard->stats.lanes = F4_LANES;
    if (is_basis_already(ring, in)) {
        copy_sorted(ring, basis, in);
        note_bits(guard, basis);
        return CT_OK;
    }
    for (int k = 0; k < ATTEMPTS; k++) {
        if (attempt(ring, guard, in, &walk, basis)) {
            note_bits(guard, basis);
            return CT_OK;
        }
        if (!ct_guard_ok(guard)) return CT_OK; // the guard knows why
        guard->stats.unlucky++;
    }
    return ct_fail(ctx, CT_INTERNAL, "%d primes in a row were unlucky", ATTEMPTS);
}

ct_status ct_groebner(ct_context *ctx, const ct_ring *ring, ct_polys *basis, const ct_polys *in,
                      const ct_groebner_options *options) {
    ct_guard guard;
    ct_guard_init(&guard, options);
    uint32_t p = guard.options.prime;
    if (p && (ring->n_symbols || p <= 2 || p > PRIME_START || !n_is_prime(p)))
        return ct_fail(ctx, CT_USAGE, "bases are computed modulo odd primes below 2^31, not %u", p);
    ct_polys inputs = {0}, result = {0};
    copy_nonzero(ring, &inputs, in, p);
    ct_status status = CT_OK;
    if (!inputs.n)
        ;
    else if (ring->n_symbols)
        ct_groebner_symbolic(ring, &guard, &inputs, &result);
    else if (p)
        f4_learn(ring, &guard, &inputs, p, &result, NULL);
    else
        status = over_rationals(ctx, ring, &guard, &result, &inputs);
    ct_status limits = ct_guard_finish(ctx, &guard);
    if (status == CT_OK) status = limits;
    ct_polys_clear(ring, &inputs);
    ct_polys_clear(ring, basis);
    if (status == CT_OK)
        *basis = result;
    else
        ct_polys_clear(ring, &result);
    return status;
}
