// Bases with symbols in the coefficients: mechanisms with free dimensions, and the promise that
// putting numbers in before or after gives the same.
#include <math.h>
#include <time.h>
#include "algebra/fixture.h"

#ifdef __SANITIZE_ADDRESS__
enum { SLOWER = 20 }; // what the sanitizers cost
#else
enum { SLOWER = 1 };
#endif

typedef struct problem {
    const char *const *unknowns, *const *symbols, *const *equations;
    const char *const *plain; // the same with numbers for the symbols
    const int *numbers;       // those numbers
    int degree;
    double seconds; // more is a failure
} problem;

static ct_ring *ring_of(const problem *p, bool symbols) {
    int n = count(p->unknowns);
    ct_order_block block = {n, CT_DEGREVLEX};
    return ct_ring_new(ctx, n, p->unknowns, 1, &block, symbols ? count(p->symbols) : 0, p->symbols);
}

// Puts the numbers in; the result is primitive over the integers.
static void specialise(const ct_ring *from, const ct_ring *to, const problem *p, ct_poly *out,
                       const ct_poly *f) {
    fmpz_t c, numbers[8];
    fmpz *at[8];
    fmpz_init(c);
    for (int k = 0; k < from->n_symbols; k++) {
        fmpz_init_set_si(numbers[k], p->numbers[k]);
        at[k] = numbers[k];
    }
    for (slong i = 0; i < f->n; i++) {
        assert_true(fmpz_mpoly_evaluate_all_fmpz(c, f->symbolic + i, at, from->symbol_ctx));
        ct_poly_push(to, out, ct_poly_exps(from, f, i), c);
    }
    ct_poly_canonical(to, out);
    for (int k = 0; k < from->n_symbols; k++) fmpz_clear(numbers[k]);
    fmpz_clear(c);
}

static void solve(const problem *p) {
    ct_ring *ring = ring_of(p, true), *numbers = ring_of(p, false);
    ct_polys in = {0}, basis = {0}, in_plain = {0}, plain = {0}, special = {0};
    ct_groebner_stats stats;
    assert_true(parse_all(ctx, ring, &in, p->equations) &&
                parse_all(ctx, numbers, &in_plain, p->plain));
    // processor time, and the best of a few runs: other programs may be running
    double best = INFINITY, bar = SLOWER * p->seconds;
    for (int run = 0; run < 20 && best >= bar; run++) {
        clock_t start = clock();
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    assert_true(best < bar);
    assert_true(ct_is_groebner(ring, &basis, 0));
    assert_true(ct_is_reduced(ring, &basis));
    assert_int_equal(ct_ideal(ring, &basis).degree, p->degree);
    assert_int_equal(ct_groebner(ctx, numbers, &plain, &in_plain, NULL), CT_OK);
    for (int i = 0; i < basis.n; i++)
        specialise(ring, numbers, p, ct_polys_add(&special), &basis.p[i]);
    assert_true(ct_polys_equal(numbers, &special, &plain));
    ct_groebner_options hurry = {.budget.seconds = 1e-9, .stats = &stats};
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &hurry), CT_NUMERICS);
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_polys_clear(numbers, &in_plain);
    ct_polys_clear(numbers, &plain);
    ct_polys_clear(numbers, &special);
    ct_ring_free(ring);
    ct_ring_free(numbers);
}

// Sanitizers slow everything down: the limits are those of the optimised program times twenty.
#if defined(__SANITIZE_ADDRESS__)
#define SLOW 20
#else
#define SLOW 1
#endif

static void four_bar_with_five_symbols(void **state) {
    (void)state;
    solve(&(problem){
        LIST("c3", "s3", "c4", "s4"), LIST("l1", "l2", "l3", "c1", "s1"),
        LIST("l1*c1 + l2*c3 - l3*c4 - 1", "l1*s1 + l2*s3 - l3*s4", "c3^2 + s3^2 - 1",
             "c4^2 + s4^2 - 1"),
        LIST("6 + 5*c3 - 7*c4 - 1", "4 + 5*s3 - 7*s4", "c3^2 + s3^2 - 1", "c4^2 + s4^2 - 1"),
        (const int[]){2, 5, 7, 3, 2}, 2, 0.01 * SLOW});
}

// Six-bar of Stephenson's third kind, driven where both loops stay coupled; c1, s1 of the drive.
static void coupled_stephenson_with_two_symbols(void **state) {
    (void)state;
#define LOOPS(C1, S1)                                                                              \
    LIST("0.295*" C1 " + 0.5*c2 - 0.26*c4 - 0.25*c5 + 0.125*s5 - 0.5",                             \
         "0.295*" S1 " + 0.5*s2 - 0.26*s4 - 0.25*s5 - 0.125*c5",                                   \
         "0.295*" C1 " + 0.25*c2 - 0.125*s2 + 0.51*c3 - 0.5*c5 - 0.7",                             \
         "0.295*" S1 " + 0.25*s2 + 0.125*c2 + 0.51*s3 - 0.5*s5 - 0.1", "c2^2 + s2^2 - 1",          \
         "c3^2 + s3^2 - 1", "c4^2 + s4^2 - 1", "c5^2 + s5^2 - 1")
    solve(&(problem){LIST("c2", "s2", "c3", "s3", "c4", "s4", "c5", "s5"), LIST("c1", "s1"),
                     LOOPS("c1", "s1"), LOOPS("3", "5"), (const int[]){3, 5}, 6, 1.0 * SLOW});
}

// A leg of a Stewart platform between abstracted end points.
static void stewart_leg(void **state) {
    (void)state;
    solve(&(problem){
        LIST("L", "cb", "sb", "ca", "sa"), LIST("px", "py", "pz"),
        LIST("L*sb - px", "L*sa*cb + py", "L*ca*cb - pz", "ca^2 + sa^2 - 1", "cb^2 + sb^2 - 1"),
        LIST("L*sb - 2", "L*sa*cb + 3", "L*ca*cb - 5", "ca^2 + sa^2 - 1", "cb^2 + sb^2 - 1"),
        (const int[]){2, 3, 5}, 4, 1.0 * SLOW});
}

static void degenerate_symbols(void **state) {
    (void)state;
    ct_order_block block = {2, CT_LEX};
    ct_ring *ring = ct_ring_new(ctx, 2, LIST("x", "y"), 1, &block, 1, LIST("a"));
    ct_polys in = {0}, basis = {0};
    assert_true(
        parse_all(ctx, ring, &in, LIST("0", "a*x - a*y", "2*a^2*x - 2*a^2*y", "y*a - a^2")));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    assert_int_equal(basis.n, 2);
    char *text = print_poly(ring, &basis.p[1]);
    assert_string_equal(text, "(1)*x + (-a)");
    ct_free(text);
    ct_polys_clear(ring, &in);
    assert_true(parse_all(ctx, ring, &in, LIST("a*x - 1", "a*x - 2")));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    assert_int_equal(basis.n, 1);
    assert_int_equal(ct_ideal(ring, &basis).dimension, -1);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_with_five_symbols),
        cmocka_unit_test(coupled_stephenson_with_two_symbols),
        cmocka_unit_test(stewart_leg),
        cmocka_unit_test(degenerate_symbols),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
