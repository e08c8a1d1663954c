// From residues to rationals: Chinese remaindering over word-size primes, rational reconstruction
// with one denominator per group. A few witnesses decide when it is worth reconstructing all; a
// fresh prime confirms the result.
#include "algebra/quotient/rur.h"
#include "util/flint.h"

#include <flint/fmpq.h>
#include <flint/fmpz_vec.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>

bool ct_solve_struck(const ct_solve_limits *limits) {
    return limits && ((limits->stop && *limits->stop) ||
                      (limits->deadline > 0 && ct_seconds() > limits->deadline));
}

ct_status ct_solve_check(ct_context *ctx, const ct_solve_limits *limits, const char *stage) {
    if (!limits) return CT_OK;
    if (limits->stop && *limits->stop) return CT_INTERRUPTED;
    if (limits->deadline > 0 && ct_seconds() > limits->deadline)
        return ct_fail(ctx, CT_NUMERICS, "out of time (%s)", stage);
    return CT_OK;
}

ulong ct_lift_prime(ulong after) {
    return n_nextprime(after ? after : 1UL << 59, 0);
}

typedef struct lift {
    ct_lift_job *job;
    slong n; // numbers
    slong n_primes, room;
    ulong *primes;
    ulong *residues; // [prime * n + number]
    fmpz_comb_t comb;
    fmpz_comb_temp_t temp;
    fmpz_t modulus, bound, value, numerator, denominator;
} lift;

static void remainder_of(lift *l, slong i) {
    ulong *r = ct_alloc((size_t)l->n_primes, sizeof *r);
    for (slong k = 0; k < l->n_primes; k++) r[k] = l->residues[k * l->n + i];
    fmpz_multi_CRT_ui(l->value, r, l->comb, l->temp, 1);
    free(r);
}

slong ct_polys_bits(const ct_polys *list) {
    slong bits = 0;
    for (int i = 0; i < list->n; i++)
        bits = FLINT_MAX(bits, labs(_fmpz_vec_max_bits(list->p[i].coefs, list->p[i].n)));
    return bits;
}

// A residue that small is no accident: the value is that integer.
static bool is_integer(const lift *l, const fmpz_t common) {
    return fmpz_bits(l->value) + fmpz_bits(common) + 40 < fmpz_bits(l->modulus);
}

// value = numerator / denominator with 2 |numerator| denominator < modulus / 2^40: no accident
// either.
static bool reconstruct(lift *l) {
    fmpz_mod(l->value, l->value, l->modulus);
    return _fmpq_reconstruct_fmpz_2(l->numerator, l->denominator, l->value, l->modulus, l->bound,
                                    l->bound);
}

// The group's denominator so far may already serve; otherwise it grows.
static bool lift_number(lift *l, slong i, slong first, fmpz *common) {
    remainder_of(l, i);
    fmpz_mul(l->value, l->value, common);
    fmpz_smod(l->value, l->value, l->modulus);
    fmpz *values = l->job->values;
    if (is_integer(l, common)) {
        fmpz_set(values + i, l->value);
        return true;
    }
    if (!reconstruct(l)) return false;
    fmpz_set(values + i, l->numerator);
    if (fmpz_is_one(l->denominator)) return true;
    fmpz_mul(common, common, l->denominator);
    for (slong k = first; k < i; k++) fmpz_mul(values + k, values + k, l->denominator);
    return true;
}

static bool lift_all(lift *l) {
    slong first = 0;
    for (int g = 0; g < l->job->n_groups; first += l->job->sizes[g++]) {
        fmpz *common = l->job->denominators + g;
        fmpz_one(common);
        for (slong i = 0; i < l->job->sizes[g]; i++)
            if (!lift_number(l, first + i, first, common)) return false;
    }
    return true;
}

static bool witnesses_settle(lift *l) {
    slong first = 0;
    for (int g = 0; g < l->job->n_groups; first += l->job->sizes[g++]) {
        for (int w = 0; w < 2 && l->job->sizes[g]; w++) {
            remainder_of(l, first + (w ? l->job->sizes[g] / 2 : 0));
            fmpz_one(l->denominator);
            if (!is_integer(l, l->denominator) && !reconstruct(l)) return false;
        }
    }
    return true;
}

static bool attempt(lift *l) {
    fmpz_comb_init(l->comb, l->primes, l->n_primes);
    fmpz_comb_temp_init(l->temp, l->comb);
    fmpz_one(l->modulus);
    for (slong k = 0; k < l->n_primes; k++) fmpz_mul_ui(l->modulus, l->modulus, l->primes[k]);
    fmpz_fdiv_q_2exp(l->bound, l->modulus, 41);
    fmpz_sqrt(l->bound, l->bound);
    bool done = witnesses_settle(l) && lift_all(l);
    fmpz_comb_temp_clear(l->temp);
    fmpz_comb_clear(l->comb);
    return done;
}

// The last row of residues, which the reconstruction has not seen.
static bool confirmed(const lift *l, ulong p, const ulong *fresh) {
    nmod_t mod;
    nmod_init(&mod, p);
    slong i = 0;
    for (int g = 0; g < l->job->n_groups; g++) {
        ulong d = fmpz_fdiv_ui(l->job->denominators + g, p);
        for (slong k = 0; k < l->job->sizes[g]; k++, i++)
            if (fmpz_fdiv_ui(l->job->values + i, p) != nmod_mul(fresh[i], d, mod)) return false;
    }
    return true;
}

static ulong *next_row(lift *l) {
    if (l->n_primes == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->primes = ct_realloc(l->primes, (size_t)l->room, sizeof *l->primes);
        l->residues = ct_realloc(l->residues, (size_t)(l->room * l->n), sizeof *l->residues);
    }
    return l->residues + l->n_primes * l->n;
}

static ct_status collect(ct_context *ctx, lift *l, const ct_solve_limits *limits,
                         const char *stage) {
    ulong p = 0;
    bool candidate = false;
    int unlucky = 0;
    for (slong milestone = 2 + l->job->bits / 60;;) {
        ct_status s = ct_solve_check(ctx, limits, stage);
        if (s) return s;
        p = ct_lift_prime(p);
        ulong *row = next_row(l);
        if (!l->job->residues(l->job->data, p, row)) {
            if (++unlucky > 100) return ct_fail(ctx, CT_INTERNAL, "no prime is lucky (%s)", stage);
            continue;
        }
        if (limits && limits->bytes && (size_t)(l->n_primes * l->n) * 16 > limits->bytes)
            return ct_fail(ctx, CT_NUMERICS, "out of memory (%s)", stage);
        if (candidate && confirmed(l, p, row)) return CT_OK;
        l->primes[l->n_primes++] = p;
        candidate = false;
        if (l->n_primes < milestone) continue;
        candidate = attempt(l);
        milestone = l->n_primes + 1 + l->n_primes / 8;
    }
}

ct_status ct_lift_rationals(ct_context *ctx, ct_lift_job *job, const ct_solve_limits *limits,
                            const char *stage) {
    lift l = {.job = job};
    for (int g = 0; g < job->n_groups; g++) l.n += job->sizes[g];
    fmpz_init(l.modulus), fmpz_init(l.bound), fmpz_init(l.value);
    fmpz_init(l.numerator), fmpz_init(l.denominator);
    if (limits && limits->progress) limits->progress(limits->progress_data, stage, 0);
    ct_status s = collect(ctx, &l, limits, stage);
    job->primes = (int)l.n_primes;
    fmpz_clear(l.modulus), fmpz_clear(l.bound), fmpz_clear(l.value);
    fmpz_clear(l.numerator), fmpz_clear(l.denominator);
    free(l.primes), free(l.residues);
    return s;
}
