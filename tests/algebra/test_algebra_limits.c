// Gröbner bases at the edge: limits in time and memory, progress, degenerate and enormous input.
#include "algebra/fixture.h"

// limits -----------------------------------------------------------------------------------------
static int progress_calls;
static void count_progress(void *data, const char *stage, double share) {
    (void)data;
    assert_non_null(stage);
    assert_true(share >= 0 && share <= 1);
    progress_calls++;
}

static void limits_strike_cleanly(void **state) {
    (void)state;
    ct_polys in = {0}, basis = {0};
    ct_ring *ring = read_system(ctx, "stewart", CT_DEGREVLEX, &in);
    ct_groebner_stats stats;
    // limits well below what the basis takes here
    double start = ct_seconds();
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    double whole = ct_seconds() - start;
    for (double seconds = 1e-9; seconds < whole / 4; seconds *= 4) {
        ct_groebner_options options = {.budget.seconds = seconds, .stats = &stats};
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &options), CT_NUMERICS);
        assert_int_equal(stats.limit, CT_LIMIT_TIME);
        assert_int_equal(basis.n, 0);
    }
    for (size_t bytes = 1000; bytes < 300000; bytes *= 4) {
        ct_groebner_options options = {.budget.bytes = bytes, .stats = &stats};
        assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &options), CT_NUMERICS);
        assert_int_equal(stats.limit, CT_LIMIT_MEMORY);
    }
    volatile sig_atomic_t stop = 1;
    assert_int_equal(
        ct_groebner(ctx, ring, &basis, &in, &(ct_groebner_options){.budget.stop = &stop}),
        CT_INTERRUPTED);
    ct_groebner_options options = {.budget.progress = count_progress};
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &options), CT_OK);
    assert_true(progress_calls > 3);
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

// The same count every time, and it strikes where it says, modulo a prime and with symbols.
static void work_is_counted(void **state) {
    (void)state;
    ct_polys in = {0}, basis = {0};
    ct_ring *ring = read_system(ctx, "stewart", CT_DEGREVLEX, &in);
    ct_order_block block = {2, CT_LEX};
    ct_ring *symbols = ct_ring_new(ctx, 2, LIST("x", "y"), 1, &block, 3, LIST("a", "b", "c"));
    ct_polys with = {0};
    assert_int_equal(ct_poly_parse(ctx, symbols, ct_polys_add(&with), "x^2 + a*x*y + b*y^2 - c"),
                     CT_OK);
    assert_int_equal(ct_poly_parse(ctx, symbols, ct_polys_add(&with), "b*x^2 + c*y^2 + x - a*y"),
                     CT_OK);
    for (int i = 0; i < 2; i++) {
        const ct_ring *r = i ? symbols : ring;
        const ct_polys *f = i ? &with : &in;
        ct_groebner_stats first, again;
        ct_groebner_options o = {.prime = i ? 0 : 2147483647u, .stats = &first};
        assert_int_equal(ct_groebner(ctx, r, &basis, f, &o), CT_OK);
        assert_true(first.work > 100);
        o.stats = &again;
        for (double share = 0.05; share < 1.2; share += 0.1) {
            o.budget.work = share * first.work;
            ct_status want = share < 1 ? CT_NUMERICS : CT_OK;
            assert_int_equal(ct_groebner(ctx, r, &basis, f, &o), want);
            assert_int_equal(again.limit, want ? CT_LIMIT_WORK : CT_LIMIT_NONE);
        }
        assert_true(again.work == first.work);
        ct_polys_clear(r, &basis);
    }
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_polys_clear(symbols, &with);
    ct_ring_free(ring);
    ct_ring_free(symbols);
}

// degenerate input -------------------------------------------------------------------------------
static void degenerate_input(void **state) {
    (void)state;
    const char *const *xy = LIST("x", "y", "unused");
    assert_basis(xy, CT_DEGREVLEX, LIST("0"), (const char *const[]){NULL});
    assert_basis(xy, CT_DEGREVLEX, LIST("0", "7"), LIST("1"));
    assert_basis(xy, CT_DEGREVLEX, LIST("x - y", "x - y", "2*x - 2*y", "0"), LIST("x - y"));
    assert_basis(xy, CT_LEX, LIST("x^2 - 1", "x - 1", "y*x - y"), LIST("x - 1"));
    assert_basis(xy, CT_DEGREVLEX, LIST("x^3 - 1", "x^2 - 1"), LIST("x - 1"));
    assert_basis(xy, CT_DEGREVLEX, LIST("x*y - 1", "x*y - 2"), LIST("1"));
    ct_ring *ring = ct_ring_simple(ctx, 1, xy, CT_LEX);
    ct_polys none = {0}, basis = {0};
    assert_int_equal(ct_groebner(ctx, ring, &basis, &none, NULL), CT_OK);
    assert_int_equal(basis.n, 0);
    assert_int_equal(ct_ideal(ring, &basis).dimension, 1);
    ct_ring_free(ring);
}

static void large_exponents(void **state) {
    (void)state;
    const char *const *xy = LIST("x", "y");
    assert_basis(xy, CT_LEX, LIST("x^1000000 - y", "y - 3"), LIST("y - 3", "x^1000000 - 3"));
    assert_basis(xy, CT_DEGREVLEX, LIST("x^1000000 - 1", "x*y - 1", "x - 1"),
                 LIST("y - 1", "x - 1"));
    // lead exponents that would overflow: refused, not wrong
    ct_ring *ring = ct_ring_simple(ctx, 2, xy, CT_LEX);
    ct_polys in = {0}, basis = {0};
    ct_groebner_stats stats;
    assert_true(parse_all(ctx, ring, &in, LIST("x - y", "x^2 - y - 1")));
    in.p[0].exps[3] = 900000000; // x - y^900000000
    ct_groebner_options options = {.stats = &stats, .budget.seconds = 20};
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &options), CT_NUMERICS);
    assert_int_equal(stats.limit, CT_LIMIT_EXPONENT);
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
}

// 3^power x - y: right where there is time enough, else a message.
static ct_status long_coefficient(ulong power, double seconds) {
    ct_ring *ring = ct_ring_simple(ctx, 2, LIST("x", "y"), CT_DEGREVLEX);
    ct_polys in = {0}, basis = {0};
    assert_true(parse_all(ctx, ring, &in, LIST("3*x - y", "x + y^2 - 1")));
    fmpz_pow_ui(in.p[0].coefs, in.p[0].coefs, power);
    ct_status status =
        ct_groebner(ctx, ring, &basis, &in, &(ct_groebner_options){.budget.seconds = seconds});
    assert_int_equal(basis.n, status == CT_OK ? 2 : 0);
    assert_true(status != CT_OK || ct_is_groebner(ring, &basis, 0));
    ct_messages_clear(ctx);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
    return status;
}

static void a_coefficient_of_a_million_bits(void **state) {
    (void)state;
    assert_int_equal(long_coefficient(63093, 60), CT_OK); // 10^5 bits
    ct_status status = long_coefficient(630930, 2);       // 10^6 bits
    assert_true(status == CT_OK || status == CT_NUMERICS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_strike_cleanly),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(degenerate_input),
        cmocka_unit_test(large_exponents),
        cmocka_unit_test(a_coefficient_of_a_million_bits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
