// Rationals from residues: random groups of numbers, biased to corners, come back as they were; a
// fresh prime confirms them and no others; limits strike.
#include "algebra/fixture.h"

#include "algebra/lift.h"

#include <flint/fmpq_vec.h>
#include <flint/ulong_extras.h>

static uint64_t seed = 88172645463325252u;

static void random_integer(fmpz_t x, int bits) {
    fmpz_zero(x);
    for (int k = 0; k < bits; k += 32) {
        fmpz_mul_2exp(x, x, 32);
        fmpz_add_ui(x, x, draw(&seed) >> 32);
    }
    fmpz_fdiv_r_2exp(x, x, (ulong)bits);
}

// Zero, one, powers of two, long over short, short over long, or anything, of either sign.
static void random_number(fmpq_t x, int bits) {
    fmpz *n = fmpq_numref(x), *d = fmpq_denref(x);
    fmpz_one(d);
    switch (draw(&seed) % 8) {
    case 0: fmpz_zero(n); break;
    case 1: fmpz_one(n); break;
    case 2: fmpz_one(n), fmpz_one_2exp(d, (ulong)bits); break;
    case 3: fmpz_one_2exp(n, (ulong)bits); break;
    case 4: random_integer(n, bits), fmpz_set_ui(d, 3); break;
    case 5: fmpz_one(n), random_integer(d, bits); break;
    case 6: random_integer(n, bits); break;
    default: random_integer(n, bits), random_integer(d, bits); break;
    }
    if (draw(&seed) % 2) fmpz_neg(n, n);
    if (fmpz_is_zero(d)) fmpz_one(d);
    fmpq_canonicalise(x);
}

typedef struct numbers {
    int n_groups;
    slong sizes[5], n;
    fmpq *x;
    int asked, refuse; // how often; every so many primes count as unlucky (0: none)
} numbers;

static void numbers_init(numbers *s, int bits) {
    *s = (numbers){.n_groups = (int)(draw(&seed) % 5)};
    for (int g = 0; g < s->n_groups; g++) s->n += s->sizes[g] = (slong)(draw(&seed) % 6);
    s->x = _fmpq_vec_init(s->n + 1);
    for (slong i = 0; i < s->n; i++) random_number(s->x + i, bits);
}

static void numbers_clear(numbers *s) {
    _fmpq_vec_clear(s->x, s->n + 1);
}

// False where the prime divides a denominator.
static bool residues_of(void *data, ulong p, ulong *out) {
    numbers *s = data;
    if (s->refuse && ++s->asked % s->refuse == 0) return false;
    for (slong i = 0; i < s->n; i++) {
        ulong d = fmpz_fdiv_ui(fmpq_denref(s->x + i), p);
        if (!d) return false;
        out[i] = n_mulmod2(fmpz_fdiv_ui(fmpq_numref(s->x + i), p), n_invmod(d, p), p);
    }
    return true;
}

// values / denominators are the numbers, the denominators no larger than they must be
static void assert_lifted(const ct_lift *l, const numbers *s) {
    fmpz_t common, value;
    fmpz_init(common), fmpz_init(value);
    slong i = 0;
    for (int g = 0; g < s->n_groups; g++) {
        fmpz_one(common);
        for (slong k = 0; k < s->sizes[g]; k++) fmpz_lcm(common, common, fmpq_denref(s->x + i + k));
        assert_true(fmpz_equal(common, l->denominators + g));
        for (slong k = 0; k < s->sizes[g]; k++, i++) {
            fmpz_divexact(value, common, fmpq_denref(s->x + i));
            fmpz_mul(value, value, fmpq_numref(s->x + i));
            assert_true(fmpz_equal(value, l->values + i));
        }
    }
    fmpz_clear(common), fmpz_clear(value);
}

static const int lengths[] = {1, 8, 31, 60, 64, 200, 1500};

// Step by step with primes below 2^31, as for bases: right the first time that it says so.
static void primes_of_31_bits(void **state) {
    (void)state;
    for (int round = 0; round < 210; round++) {
        numbers s;
        numbers_init(&s, lengths[round % 7]);
        ct_lift l;
        ct_lift_init(&l, s.n_groups, s.sizes, NULL);
        ulong p = 1UL << 31, row[32], fresh[32];
        while (!ct_lift_try(&l)) {
            do p = n_nextprime(p >> 31 ? 1UL << 30 : p, 0);
            while (!residues_of(&s, p, row));
            ct_lift_add(&l, p, row);
            assert_true(l.n_primes < 400);
        }
        assert_lifted(&l, &s);
        do p = n_nextprime(p >> 31 ? 1UL << 30 : p, 0);
        while (!residues_of(&s, p, fresh));
        assert_true(ct_lift_confirms(&l, p, fresh));
        for (slong i = 0; i < s.n; i++) { // any other residue is refused
            fresh[i] = (fresh[i] + 1) % p;
            assert_false(ct_lift_confirms(&l, p, fresh));
            fresh[i] = (fresh[i] + p - 1) % p;
        }
        ct_lift_clear(&l);
        numbers_clear(&s);
    }
}

// The whole loop with primes of 60 bits, some of them unlucky, with and without a guess.
static void primes_of_60_bits(void **state) {
    (void)state;
    for (int round = 0; round < 210; round++) {
        numbers s;
        numbers_init(&s, lengths[round % 7]);
        s.refuse = round % 3 ? 2 + round % 5 : 0;
        ct_lift l;
        ct_lift_init(&l, s.n_groups, s.sizes, NULL);
        ct_residues residues = {residues_of, &s, round % 2 ? lengths[round % 7] : 0, "number"};
        assert_int_equal(ct_lift_rationals(ctx, &l, &residues), CT_OK);
        assert_lifted(&l, &s);
        ct_lift_clear(&l);
        numbers_clear(&s);
    }
}

// Too few primes: no number of 1000 bits is made up from half of what it needs.
static void too_few_primes(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        fmpq_t x;
        fmpq_init(x);
        random_integer(fmpq_numref(x), 1000), fmpz_setbit(fmpq_numref(x), 999);
        random_integer(fmpq_denref(x), 1000), fmpz_setbit(fmpq_denref(x), 999);
        fmpq_canonicalise(x);
        numbers s = {.n_groups = 1, .sizes = {1}, .n = 1, .x = x};
        ct_lift l;
        ct_lift_init(&l, 1, s.sizes, NULL);
        ulong p = 0, row[1];
        for (int k = 0; k < 16; k++) {
            p = ct_lift_prime(p);
            assert_true(residues_of(&s, p, row));
            ct_lift_add(&l, p, row);
            assert_false(ct_lift_try(&l));
        }
        ct_lift_clear(&l);
        fmpq_clear(x);
    }
}

static bool always_unlucky(void *data, ulong p, ulong *out) {
    (void)data, (void)p, (void)out;
    return false;
}

static bool noise(void *data, ulong p, ulong *out) { // residues of no number
    (void)data;
    for (int i = 0; i < 8; i++) out[i] = draw(&seed) % p;
    return true;
}

static void limits_strike(void **state) {
    (void)state;
    volatile sig_atomic_t stop = 1;
    const struct {
        ct_budget budget;
        bool (*modulo)(void *data, ulong p, ulong *out);
        ct_status status;
        ct_limit limit;
    } cases[] = {{{.stop = &stop}, noise, CT_INTERRUPTED, CT_LIMIT_NONE},
                 {{.seconds = 0.02}, noise, CT_NUMERICS, CT_LIMIT_TIME},
                 {{.bytes = 20000}, noise, CT_NUMERICS, CT_LIMIT_MEMORY},
                 {{.seconds = 60}, always_unlucky, CT_INTERNAL, CT_LIMIT_NONE}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        long long before = ct_memory_bytes();
        ct_stage stage = ct_stage_begin();
        ct_limits limits;
        ct_limits_init(&limits, &cases[k].budget);
        slong eight = 8;
        ct_lift l;
        ct_lift_init(&l, 1, &eight, &limits);
        ct_residues residues = {.modulo = cases[k].modulo, .what = "number"};
        assert_int_equal(ct_lift_rationals(ctx, &l, &residues), cases[k].status);
        assert_int_equal(limits.struck, cases[k].limit);
        ct_lift_clear(&l);
        ct_messages_clear(ctx);
        ct_stage_end(stage);
        assert_true(k < 2 || ct_memory_bytes() == before); // the list of messages stays
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primes_of_31_bits),
        cmocka_unit_test(primes_of_60_bits),
        cmocka_unit_test(too_few_primes),
        cmocka_unit_test(limits_strike),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
