// Multiplication in the quotient against plain division on random zero-dimensional ideals, and
// against univariate polynomials where one unknown generates it; lists that are no reduced bases.
#include "algebra/fixture.h"

#include "algebra/lift.h"
#include "util/flint.h"

#include <flint/fmpz_vec.h>

static const char *const names[] = {"x", "y", "z", "w"};
static uint64_t seed = 88172645463325252u;

// the remainder of x_k b_i modulo the basis, as coordinates
static void divided(const ct_quotient *q, const ct_polys *basis, int k, slong i, uint32_t p,
                    fmpz *out) {
    const ct_ring *ring = q->ring;
    uint32_t e[CT_UNKNOWNS_MAX];
    memcpy(e, q->exps + i * ring->n, (size_t)ring->n * sizeof *e);
    e[k]++;
    ct_poly f;
    ct_poly_init(&f);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    ct_poly_push(ring, &f, e, one);
    assert_true(ct_remainder(ring, &f, &f, basis, p));
    for (slong j = 0; j < q->d; j++) fmpz_zero(out + j);
    for (slong t = 0; t < f.n; t++) {
        slong at = ct_quotient_find(q, ct_poly_exps(ring, &f, t));
        assert_true(at >= 0);
        fmpz_set(out + at, f.coefs + t);
    }
    fmpz_clear(one);
    ct_poly_clear(ring, &f);
}

// Every product modulo a small prime is what division leaves.
static int small_primes;
static void agrees_modulo(const ct_quotient *q, uint32_t p) {
    ct_quotient_mod m;
    ct_polys residues = {0};
    bool lucky = ct_quotient_mod_init(&m, q, p), vanishes = false;
    for (int g = 0; g < q->basis->n; g++) {
        vanishes = vanishes || !fmpz_fdiv_ui(q->basis->p[g].coefs, p);
        ct_poly_mod(q->ring, ct_polys_add(&residues), &q->basis->p[g], p);
    }
    assert_int_equal(lucky, !vanishes);
    fmpz *want = _fmpz_vec_init(q->d + 1);
    ulong *v = ct_alloc((size_t)q->d + 1, sizeof *v);
    for (int k = 0; k < q->ring->n && lucky; k++)
        for (slong i = q->d; i-- > 0;) { // the last first: forms are found out of order
            divided(q, &residues, k, i, p, want);
            memset(v, 0, (size_t)q->d * sizeof *v);
            ct_quotient_add(&m, v, k, i, 1);
            for (slong j = 0; j < q->d; j++) assert_int_equal(v[j], fmpz_get_ui(want + j));
            small_primes++;
        }
    ct_free(v);
    _fmpz_vec_clear(want, q->d + 1);
    ct_polys_clear(q->ring, &residues);
    ct_quotient_mod_clear(&m);
}

// Modulo a prime of 60 bits: division over Q gives a multiple of the same. Products of vectors are
// sums of products of monomials, and so are rows of the matrix of a form with any weights.
static void agrees_over_rationals(const ct_quotient *q, ulong p) {
    int n = q->ring->n;
    slong d = q->d, weights[CT_UNKNOWNS_MAX];
    ct_quotient_mod m;
    assert_true(ct_quotient_mod_init(&m, q, p));
    fmpz *want = _fmpz_vec_init(d + 1);
    ulong *v = ct_alloc((size_t)d + 1, sizeof *v), *sum = ct_alloc((size_t)d + 1, sizeof *sum);
    ulong *random = ct_alloc((size_t)d + 1, sizeof *random);
    ulong *rows = ct_alloc((size_t)(d * d) + 1, sizeof *rows);
    for (int k = 0; k < n; k++) weights[k] = k % 2 ? -(slong)(draw(&seed) >> 2) : (slong)(k * 3);
    ct_quotient_matrix(&m, weights, rows);
    for (slong i = 0; i < d; i++) random[i] = draw(&seed) % 4 ? draw(&seed) % p : p - 1;
    for (int k = 0; k < n; k++) {
        memset(sum, 0, (size_t)d * sizeof *sum);
        for (slong i = 0; i < d; i++) {
            // a multiple of the remainder: equal cross products
            divided(q, q->basis, k, i, 0, want);
            memset(v, 0, (size_t)d * sizeof *v);
            ct_quotient_add(&m, v, k, i, 1);
            slong lead = 0;
            while (lead < d && fmpz_is_zero(want + lead)) lead++;
            for (slong j = 0; j < d; j++) {
                if (lead == d) assert_int_equal(v[j], 0);
                if (lead == d) continue;
                ulong a = nmod_mul(v[j], fmpz_fdiv_ui(want + lead, p), m.mod);
                assert_int_equal(a, nmod_mul(v[lead], fmpz_fdiv_ui(want + j, p), m.mod));
            }
            _nmod_vec_scalar_addmul_nmod(sum, v, d, random[i], m.mod);
            ulong w = (ulong)labs(weights[k]) % p;
            if (weights[k] > 0) w = nmod_neg(w, m.mod);
            _nmod_vec_scalar_addmul_nmod(rows + i * d, v, d, w, m.mod);
        }
        ct_quotient_times(&m, v, k, random);
        for (slong j = 0; j < d; j++) assert_int_equal(v[j], sum[j]);
    }
    for (slong i = 0; i < d * d; i++) assert_int_equal(rows[i], 0); // all was taken off
    ct_free(v), ct_free(sum), ct_free(random), ct_free(rows);
    _fmpz_vec_clear(want, d + 1);
    ct_quotient_mod_clear(&m);
}

static bool check_ideal(const ct_ring *ring, const ct_polys *in) {
    ct_polys basis = {0};
    assert_int_equal(
        ct_groebner(ctx, ring, &basis, in, &(ct_groebner_options){.budget.seconds = 20}), CT_OK);
    ct_ideal_info info = ct_ideal(ring, &basis);
    ct_quotient q;
    bool finite = ct_quotient_init(&q, ring, &basis);
    assert_int_equal(finite, info.dimension <= 0);
    if (finite) {
        assert_int_equal(q.d, info.dimension < 0 ? 0 : info.degree);
        static const uint32_t primes[] = {3, 5, 7, 101, 65537, 2147483629u};
        for (int i = 0; i < 6; i++) agrees_modulo(&q, primes[i]);
        agrees_over_rationals(&q, ct_lift_prime(0));
        agrees_over_rationals(&q, ct_lift_prime(1UL << 60));
    }
    ct_quotient_clear(&q);
    ct_polys_clear(ring, &basis);
    return finite && info.dimension == 0;
}

static void random_ideals(void **state) {
    (void)state;
    int finite = 0;
    for (int round = 0; round < 160; round++) {
        int n = 1 + (int)(draw(&seed) % 3), bits = 2 + (int)(draw(&seed) % 8);
        ct_order_block halves[] = {{n / 2, CT_DEGREVLEX}, {n - n / 2, CT_LEX}};
        static const ct_order orders[] = {CT_DEGREVLEX, CT_DEGLEX, CT_LEX};
        ct_ring *ring = round % 4 == 3 && n > 1
                            ? ct_ring_new(ctx, n, names, 2, halves, 0, NULL)
                            : ct_ring_simple(ctx, n, names, orders[round % 4 % 3]);
        ct_polys in = {0};
        int m = n + (int)(draw(&seed) % 2);
        for (int i = 0; i < m; i++)
            random_poly(ring, ct_polys_add(&in), &seed, 5, n == 1 ? 9 : 3 - (uint32_t)n / 3, bits);
        finite += check_ideal(ring, &in);
        ct_polys_clear(ring, &in);
        ct_ring_free(ring);
    }
    print_message("%d finite ideals, %d products modulo small primes\n", finite, small_primes);
    assert_true(finite > 60 && small_primes > 1000);
}

// One point, none, multiple points, monomials alone, a lead that is an unknown.
static void corners(void **state) {
    (void)state;
    const char *const *const cases[] = {
        LIST("x - 1", "y + 2"),       LIST("x - 1", "x - 2"),
        LIST("x^3", "y^2", "x*y"),    LIST("x^2", "y^4"),
        LIST("x^2 - 2*x + 1", "y^3"), LIST("x - y^5 + y - 1/3", "y^6 - 2"),
        LIST("x^2 - y", "y^2 - x"),   LIST("3*x^2 - 5*y^2", "x*y - 7")};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int order = 0; order < 3; order++) {
            ct_ring *ring = ct_ring_simple(ctx, 2, names, (ct_order)order);
            ct_polys in = {0};
            assert_true(parse_all(ctx, ring, &in, cases[k]));
            assert_int_equal(check_ideal(ring, &in), k != 1);
            ct_polys_clear(ring, &in);
            ct_ring_free(ring);
        }
}

// What is no reduced basis, or has infinitely many standard monomials, is refused.
static void no_quotient(void **state) {
    (void)state;
    const char *const *const cases[] = {LIST("x*y - 1"), LIST("x^2 - 1"),
                                        LIST("y^2 - 1", "x - y^2"), LIST("y - 1", "x^2 - x*y")};
    ct_ring *ring = ct_ring_simple(ctx, 2, names, CT_LEX);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ct_polys list = {0};
        assert_true(parse_all(ctx, ring, &list, cases[k]));
        ct_quotient q;
        assert_false(ct_quotient_init(&q, ring, &list));
        ct_quotient_clear(&q);
        ct_polys_clear(ring, &list);
    }
    ct_ring_free(ring);
}

// x = g(z) and z^d = h(z) with long coefficients: every x z^i lies in the border, more of them than
// products fit into a sum. Multiplication by x is that by g modulo z^d - h.
static void dense_generator(void **state) {
    (void)state;
    const slong d = 300;
    ct_ring *ring = ct_ring_simple(ctx, 2, LIST("x", "z"), CT_LEX);
    ct_polys basis = {0};
    ct_polys_add(&basis), ct_polys_add(&basis);
    ct_poly *h = &basis.p[0], *g = &basis.p[1];
    fmpz_t c;
    fmpz_init_set_si(c, -1);
    ct_poly_push(ring, h, (uint32_t[]){0, (uint32_t)d}, c);
    ct_poly_push(ring, g, (uint32_t[]){1, 0}, c);
    for (slong i = d; i-- > 0;) {
        fmpz_set_ui(c, draw(&seed) >> 2);
        ct_poly_push(ring, h, (uint32_t[]){0, (uint32_t)i}, c);
        fmpz_set_ui(c, draw(&seed) >> 2);
        ct_poly_push(ring, g, (uint32_t[]){0, (uint32_t)i}, c);
    }
    fmpz_clear(c);
    ct_quotient q;
    assert_true(ct_quotient_init(&q, ring, &basis));
    assert_int_equal(q.d, d);
    ct_quotient_mod m;
    ulong p = ct_lift_prime(1UL << 60 | 1);
    assert_true(ct_quotient_mod_init(&m, &q, p));
    nmod_poly_t modulus, by, product;
    nmod_poly_init(modulus, p), nmod_poly_init(by, p), nmod_poly_init(product, p);
    for (slong i = 0; i <= d; i++) // terms are decreasing
        nmod_poly_set_coeff_ui(modulus, d - i, fmpz_fdiv_ui(h->coefs + i, p));
    for (slong i = 1; i <= d; i++) nmod_poly_set_coeff_ui(by, d - i, fmpz_fdiv_ui(g->coefs + i, p));
    ulong *v = ct_alloc((size_t)d, sizeof *v), *out = ct_alloc((size_t)d, sizeof *out);
    for (int round = 0; round < 4; round++) {
        nmod_poly_zero(product);
        for (slong i = 0; i < d; i++) {
            v[i] = round ? draw(&seed) % p : p - 1;
            nmod_poly_set_coeff_ui(product, i, v[i]);
        }
        nmod_poly_mulmod(product, product, by, modulus);
        ct_quotient_times(&m, out, 0, v);
        for (slong i = 0; i < d; i++) assert_int_equal(out[i], nmod_poly_get_coeff_ui(product, i));
    }
    ct_free(v), ct_free(out);
    nmod_poly_clear(modulus), nmod_poly_clear(by), nmod_poly_clear(product);
    ct_quotient_mod_clear(&m);
    // to another order and back, modulo a prime
    ct_ring *graded = ct_ring_simple(ctx, 2, LIST("x", "z"), CT_DEGREVLEX);
    ct_polys there = {0}, back = {0};
    ct_groebner_options options = {.prime = 2147483629u};
    assert_int_equal(ct_change_order(ctx, graded, &there, ring, &basis, &options), CT_OK);
    assert_int_equal(ct_change_order(ctx, ring, &back, graded, &there, &options), CT_OK);
    assert_int_equal(back.n, 2);
    for (int i = 0; i < 2; i++)
        for (slong k = 0; k <= d; k++) {
            ulong want = fmpz_fdiv_ui(basis.p[i].coefs + k, options.prime);
            ulong have = fmpz_get_ui(back.p[i].coefs + k);
            assert_int_equal(have, want ? options.prime - want : 0); // leads were -1
        }
    ct_polys_clear(graded, &there), ct_polys_clear(ring, &back);
    ct_ring_free(graded);
    ct_quotient_clear(&q);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ideals),
        cmocka_unit_test(corners),
        cmocka_unit_test(no_quotient),
        cmocka_unit_test(dense_generator),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
