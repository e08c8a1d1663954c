// Loops that are their own mirror images have polynomials in the cosine (or the sine) of an angle
// alone: half as many roots as in the angle, and the sine follows by a square root. Where the sine
// vanishes both images meet; blocks that start near there follow the angle instead.
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>

// u(c) + s v(c) with even u and v holds s alone, by c^2 = 1 - s^2.
static bool is_pure(ct_pool *pool, const ct_univariate *a, bool *sine, ct_ex *out) {
    bool odd = false, any = false;
    for (int i = 0; i <= CT_UNIVARIATE; i++) {
        any = any || a->v[i] != CT_ZERO;
        odd = odd || (i % 2 && (a->u[i] != CT_ZERO || a->v[i] != CT_ZERO));
        out[i] = a->u[i];
    }
    *sine = any;
    // no sine: u(c)
    if (!any) return true;
    if (odd) return false;
    // only even powers of c: u and v by powers of s
    ct_ex power[CT_UNIVARIATE / 2 + 1] = {CT_ONE}; // (1 - s^2)^i by powers of s^2
    for (int i = 0; i <= CT_UNIVARIATE; i++) out[i] = CT_ZERO;
    for (int i = 0; i <= CT_UNIVARIATE; i += 2) {
        for (int k = 0; 2 * k <= i; k++) {
            out[2 * k] = ct_add(pool, out[2 * k], ct_mul(pool, power[k], a->u[i]));
            if (2 * k < CT_UNIVARIATE)
                out[2 * k + 1] = ct_add(pool, out[2 * k + 1], ct_mul(pool, power[k], a->v[i]));
        }
        for (int k = CT_UNIVARIATE / 2; k > 0; k--) power[k] = ct_sub(pool, power[k], power[k - 1]);
    }
    return true;
}

static double start_of(const ct_step_builder *build, ct_ex value) {
    double x;
    ct_numbers n;
    ct_steps_numbers(build, &n);
    ct_numbers_eval(&n, 1, &value, &x);
    ct_numbers_clear(&n);
    return x;
}

int ct_tearing_cosine(ct_tearing *t, int i, ct_segment *seg, const ct_unknown *u,
                      const ct_univariate *left) {
    const ct_step_builder *build = t->b;
    ct_closure *c = build->closure;
    ct_ex coefficient[CT_UNIVARIATE + 1], cosine, sine;
    bool by_sine;
    // cosine or sine alone, degree 4 or less, away from the mirror image
    int top = ct_univariate_top(left);
    if (!u->is_angle || top < 1 || top > 4 || !is_pure(build->pool, left, &by_sine, coefficient))
        return 0;
    ct_ex found = by_sine ? u->s : u->c;
    if (!(fabs(start_of(build, by_sine ? u->c : u->s)) > CT_TEARING_MIRRORED)) return 0;
    if (!seg) return top;
    // the root is the tracked cosine (or sine); the other one by a square root
    int v = ct_values_index(build->values, found),
        w = ct_values_follow(build->values, c->registers.values.meaning[v]);
    seg->kind = CT_SEGMENT_ROOT;
    seg->root = (ct_root){.unknown = w,
                          .unit = 1,
                          .n = top + 1,
                          .coefficient = ct_expressions_copy(top + 1, coefficient)};
    ct_steps_trig(build, seg, u, by_sine ? CT_ZERO : CT_ONE, by_sine ? CT_ONE : CT_ZERO,
                  c->registers.tracked.symbol[w], &cosine, &sine);
    ct_values_set(build->values, seg, build->f->q[t->unknown[i]], cosine, sine);
    return top;
}
