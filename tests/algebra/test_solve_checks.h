// What the tests of the solver share: solving by a method, and what must hold of any list of
// solutions.
#ifndef TEST_SOLVE_CHECKS_H
#define TEST_SOLVE_CHECKS_H

#include "algebra/fixture.h"

#include "algebra/solve/solve.h"

#include <math.h>

static inline ct_solutions solve_by(const ct_ring *ring, const ct_polys *in,
                                    ct_solve_method method) {
    ct_solve_options o;
    ct_solve_options_init(&o);
    o.method = method;
    ct_solutions s;
    assert_int_equal(ct_solve(ctx, ring, in, &o, &s), CT_OK);
    return s;
}

static inline ct_solutions solve_texts(ct_ring **ring, int n_names, const char *const *names, int n,
                                       const char *const *texts, ct_solve_method method) {
    *ring = ct_ring_simple(ctx, n_names, names, CT_LEX);
    ct_polys in = {0};
    for (int i = 0; i < n; i++)
        assert_int_equal(ct_poly_parse(ctx, *ring, ct_polys_add(&in), texts[i]), CT_OK);
    ct_solutions s = solve_by(*ring, &in, method);
    ct_polys_clear(*ring, &in);
    return s;
}

// Multiplicities add up, residuals are small, complex ones come in pairs, nothing twice.
static inline void check_solutions(const ct_solutions *s, int n) {
    int total = 0, real = 0;
    for (int i = 0; i < s->count; i++) {
        const ct_solution *a = s->solutions + i;
        total += a->multiplicity;
        real += a->real;
        assert_true(a->certified);
        assert_true(a->residual < 1e-10);
        bool conjugate = false;
        for (int j = 0; j < s->count; j++) {
            const ct_solution *b = s->solutions + j;
            bool same = true, mirrored = true;
            for (int k = 0; k < n; k++) {
                same &= a->re[k] == b->re[k] && a->im[k] == b->im[k];
                mirrored &= fabs(a->re[k] - b->re[k]) <= 1e-12 * (1 + fabs(a->re[k])) &&
                            fabs(a->im[k] + b->im[k]) <= 1e-12 * (1 + fabs(a->im[k]));
            }
            assert_true(same == (i == j));
            conjugate |= mirrored;
        }
        assert_true(conjugate);
        for (int k = 0; k < n && a->real; k++) assert_true(a->im[k] == 0);
        if (i) assert_true(s->solutions[i - 1].real >= a->real);
    }
    assert_int_equal(total, s->degree);
    assert_int_equal(real, s->n_real);
}

#endif
