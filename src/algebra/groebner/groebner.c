// Reduced Gröbner bases over Q. One prime is run in full and recorded, further primes only replay
// the arithmetic; rational reconstruction; then a check with code that F4 does not use:
//   every input has remainder 0 over Q, and every S-polynomial modulo a prime not used so far
//   (or over Q where a proof is asked for). Where the check fails, the recorded prime was unlucky.
#include "algebra/f4/f4.h"
#include "algebra/lift.h"
#include "algebra/groebner/groebner_inside.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define PRIME_START 2147483647u
#define ATTEMPTS    50 // recorded primes that may turn out unlucky in a row

typedef struct job {
    const ct_ring *ring;
    const ct_groebner_options *options;
    ct_groebner_stats stats;
    ct_limits limits;
    ct_polys in;         // no zero polynomial among them
    uint32_t last_prime; // primes are used downwards
} job;

static bool divides_a_coefficient(const ct_polys *in, uint32_t p) {
    for (int i = 0; i < in->n; i++)
        for (slong k = 0; k < in->p[i].n; k++)
            if (fmpz_fdiv_ui(in->p[i].coefs + k, p) == 0) return true;
    return false;
}

// Skips divisors of any input coefficient. Small first primes (tests) are used up and followed by
// large ones.
static uint32_t next_prime(job *j) {
    uint32_t p = j->last_prime;
    do {
        if (p <= 3) p = PRIME_START;
        do p -= 1 + (p & 1);
        while (p > 3 && !n_is_prime(p));
    } while (divides_a_coefficient(&j->in, p));
    return j->last_prime = p;
}

// f = g modulo the prime, over Q if that is 0; canonical
static void copy_poly(const ct_ring *ring, ct_poly *f, const ct_poly *g, uint32_t prime) {
    if (!prime) {
        ct_poly_set(ring, f, g);
        ct_poly_canonical(ring, f);
        return;
    }
    fmpz_t c;
    fmpz_init(c);
    for (slong k = 0; k < g->n; k++) {
        fmpz_set_ui(c, fmpz_fdiv_ui(g->coefs + k, prime));
        ct_poly_push(ring, f, ct_poly_exps(ring, g, k), c);
    }
    fmpz_clear(c);
    ct_poly_sort(ring, f);
}

static void copy_nonzero(const ct_ring *ring, ct_polys *out, const ct_polys *in, uint32_t prime) {
    for (int i = 0; i < in->n; i++) {
        ct_poly f;
        ct_poly_init(&f);
        copy_poly(ring, &f, &in->p[i], prime);
        if (f.n)
            *ct_polys_add(out) = f;
        else
            ct_poly_clear(ring, &f);
    }
}

// check ------------------------------------------------------------------------------------------
static bool inputs_reduce(job *j, const ct_polys *basis) {
    bool ok = true;
    ct_poly r;
    ct_poly_init(&r);
    for (int i = 0; i < j->in.n && ok; i++)
        ok = ct_remainder_within(&j->limits, j->ring, &r, &j->in.p[i], basis, 0) && r.n == 0;
    ct_poly_clear(j->ring, &r);
    return ok;
}

static bool checked(job *j, const ct_polys *basis) {
    if (j->options->unchecked) return true;
    double start = ct_seconds();
    ct_limits_progress(&j->limits, "check", 0);
    bool ok = inputs_reduce(j, basis);
    uint32_t p = j->options->prove ? 0 : next_prime(j);
    ok = ok && ct_is_groebner(j->ring, basis, p);
    j->stats.check_seconds += ct_seconds() - start;
    return ok;
}

// multimodular -----------------------------------------------------------------------------------
// Eight more primes. Returns false if a limit is reached, or less than half of them follow the
// record.
static bool add_lanes(job *j, const f4_trace *trace, ct_lift *l, bool strict, f4_lanes *lanes) {
    for (int k = 0; k < F4_LANES; k++) lanes->primes[k] = next_prime(j);
    if (!f4_replay(trace, &j->limits, &j->in, strict, lanes)) return false;
    ulong *row = ct_scratch((size_t)l->n + 1, sizeof *row);
    int good = 0;
    for (int k = 0; k < F4_LANES; k++) {
        if (!lanes->lucky[k]) continue;
        for (slong i = 0; i < l->n; i++) row[i] = lanes->out[i * F4_LANES + k];
        ct_lift_add(l, lanes->primes[k], row);
        good++;
    }
    j->stats.unlucky += F4_LANES - good;
    return 2 * good >= F4_LANES;
}

// Replays the record until the coefficients can be reconstructed and have the residues of the
// recorded prime p. Returns false if a limit is reached, or the recorded prime was unlucky.
static bool lift(job *j, const f4_trace *trace, uint32_t p, const ct_polys *shape,
                 ct_polys *basis) {
    slong *sizes = ct_polys_lengths(shape);
    ulong *residues = ct_polys_residues(shape);
    ct_lift l;
    ct_lift_init(&l, shape->n, sizes, &j->limits);
    f4_lanes lanes = {.out = ct_alloc((size_t)l.n * F4_LANES + 1, sizeof *lanes.out)};
    // eight primes at a time
    bool found = false, ok = true;
    for (int round = 0; ok && !found; round++) {
        ok = add_lanes(j, trace, &l, round == 0, &lanes);
        double start = ct_seconds();
        found = ok && ct_lift_try(&l);
        j->stats.lift_seconds += ct_seconds() - start;
        ct_limits_progress(&j->limits, "lift to the rationals", 1.0 - 1.0 / (1 + round));
    }
    // the recorded prime, which has no part in the lift, must agree
    found = found && ct_lift_confirms(&l, p, residues);
    if (found) ct_polys_fill(j->ring, basis, shape, l.values);
    j->stats.primes = l.n_primes;
    ct_lift_clear(&l);
    ct_free(lanes.out);
    ct_free(residues);
    ct_free(sizes);
    return found;
}

static bool learn(job *j, uint32_t p, ct_polys *basis, f4_trace *trace) {
    f4_result result = {0};
    double start = ct_seconds();
    bool ok = f4_learn(j->ring, &j->limits, &j->in, p, &result, trace);
    j->stats.learn_seconds += ct_seconds() - start;
    j->stats.matrices = result.figures.matrices;
    j->stats.rows = result.figures.rows;
    j->stats.columns = result.figures.columns;
    *basis = result.basis;
    return ok;
}

// One recorded prime: learn, lift, check. Returns false without a basis: the prime was unlucky, or
// a limit is reached.
static bool attempt(job *j, ct_polys *basis) {
    f4_trace trace = {0};
    ct_polys shape = {0};
    uint32_t p = next_prime(j);
    bool ok = learn(j, p, &shape, &trace) && lift(j, &trace, p, &shape, basis);
    f4_trace_clear(&trace);
    ct_polys_clear(j->ring, &shape);
    ok = ok && checked(j, basis);
    if (!ok) ct_polys_clear(j->ring, basis);
    return ok;
}

// Leading monomials without common factor make a basis (Buchberger's first criterion); a reduced
// one is the answer as it stands, however long its coefficients are.
static bool is_basis_already(const ct_ring *ring, const ct_polys *in) {
    for (int i = 0; i < in->n; i++)
        for (int j = 0; j < i; j++)
            if (!ct_monomial_coprime(ring, in->p[i].exps, in->p[j].exps)) return false;
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

static ct_status over_rationals(ct_context *ctx, job *j, ct_polys *basis) {
    j->stats.lanes = F4_LANES;
    if (is_basis_already(j->ring, &j->in)) {
        copy_sorted(j->ring, basis, &j->in);
        return CT_OK;
    }
    uint32_t first = j->options->first_prime;
    j->last_prime = first > 3 && first < PRIME_START ? first + 1 : PRIME_START;
    for (int k = 0; k < ATTEMPTS; k++) {
        if (attempt(j, basis)) return CT_OK;
        if (!ct_limits_ok(&j->limits)) return CT_OK; // they know why
        j->stats.unlucky++;
    }
    return ct_fail(ctx, CT_INTERNAL, "%d primes in a row were unlucky", ATTEMPTS);
}

void ct_groebner_figures(ct_groebner_stats *stats, const ct_limits *limits) {
    if (!stats) return;
    stats->bytes = (size_t)limits->most;
    stats->work = limits->work;
    stats->seconds = ct_seconds() - limits->start;
    stats->limit = limits->struck;
}

static ct_status compute(ct_context *ctx, job *j, ct_polys *basis) {
    if (!j->in.n) return CT_OK;
    if (!j->ring->n_symbols && !j->options->prime) {
        ct_status status = over_rationals(ctx, j, basis);
        j->stats.bits = (int)ct_polys_bits(basis);
        return status;
    }
    if (j->ring->n_symbols)
        ct_groebner_symbolic(j->ring, &j->limits, &j->in, basis);
    else
        learn(j, j->options->prime, basis, NULL);
    return CT_OK;
}

ct_status ct_groebner(ct_context *ctx, const ct_ring *ring, ct_polys *basis, const ct_polys *in,
                      const ct_groebner_options *options) {
    const ct_groebner_options none = {0};
    job j = {.ring = ring, .options = options ? options : &none};
    uint32_t p = j.options->prime;
    if (p && (ring->n_symbols || p <= 2 || p > PRIME_START || !n_is_prime(p)))
        return ct_fail(ctx, CT_USAGE, "bases are computed modulo odd primes below 2^31, not %u", p);
    ct_limits_init(&j.limits, &j.options->budget);
    copy_nonzero(ring, &j.in, in, p);
    ct_polys result = {0};
    ct_status status = compute(ctx, &j, &result);
    // figures, limits, result
    ct_groebner_figures(&j.stats, &j.limits);
    if (j.options->stats) *j.options->stats = j.stats;
    if (status == CT_OK) status = ct_limits_status(ctx, &j.limits, "Gröbner basis");
    ct_polys_clear(ring, &j.in);
    ct_polys_clear(ring, basis);
    if (status == CT_OK)
        *basis = result;
    else
        ct_polys_clear(ring, &result);
    return status;
}
