// What the tests of the algebra share: a context for each group, lists of texts, a basis compared
// with what it should be.
#ifndef ALGEBRA_FIXTURE_H
#define ALGEBRA_FIXTURE_H

#include "unit.h"

#include "algebra/systems.h"

static ct_context *ctx;

static inline int setup(void **state) {
    (void)state;
    ctx = ct_context_new();
    return 0;
}

static inline int teardown(void **state) {
    (void)state;
    ct_context_free(ctx);
    return 0;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline int count(const char *const *list) {
    int n = 0;
    while (list[n]) n++;
    return n;
}

// The basis of `in` is exactly `expected`, in this order, and the checker agrees.
static inline void assert_basis(const char *const *names, ct_order order,
                                const char *const *in_text, const char *const *expected) {
    ct_ring *ring = ct_ring_simple(ctx, count(names), names, order);
    ct_polys in = {0}, basis = {0};
    assert_true(parse_all(ctx, ring, &in, in_text));
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, &(ct_groebner_options){.prove = true}),
                     CT_OK);
    for (int i = 0; i < basis.n; i++) {
        assert_non_null(expected[i]);
        char *text = print_poly(ring, &basis.p[i]);
        assert_string_equal(text, expected[i]);
        ct_free(text);
    }
    assert_null(expected[basis.n]);
    assert_true(ct_is_groebner(ring, &basis, 0));
    assert_true(ct_is_groebner(ring, &basis, 1000003));
    assert_true(ct_is_reduced(ring, &basis));
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
}

#endif
