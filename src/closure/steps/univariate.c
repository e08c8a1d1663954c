// Polynomials in one unknown: read off an expression, and written as harmonics or powers for the
// search of roots. Coefficients that cancel for all lengths and positions are recognised by their
// values at random numbers.
#include "closure/steps/steps.h"
#include "closure/steps/univariate.h"
#include "closure/tolerances.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

enum { TOP = CT_UNIVARIATE };

int ct_univariate_top(const ct_univariate *a) {
    int top = -1;
    for (int i = 0; i <= TOP; i++) {
        if (a->u[i] != CT_ZERO && i > top) top = i;
        if (a->v[i] != CT_ZERO && i + 1 > top) top = i + 1;
    }
    return top;
}

// cos k x cos x = (cos (k + 1) x + cos (k - 1) x) / 2, and the same for sines
int ct_univariate_coefficients(ct_pool *pool, const ct_univariate *a, bool is_angle, ct_ex *out) {
    int top = ct_univariate_top(a);
    // a slide: powers as they are
    if (!is_angle) {
        for (int i = 0; i <= top; i++) out[i] = a->u[i];
        return top + 1;
    }
    // Horner in cos x: (sum so far) cos x + u_i + v_i sin x, as harmonics
    ct_ex half = ct_rational(pool, 1, 2), cosine[TOP + 3] = {0}, sine[TOP + 3] = {0};
    for (int i = top; i >= 0; i--) { // Horner
        ct_ex c[TOP + 3] = {0}, s[TOP + 3] = {0};
        for (int k = 0; k <= top; k++) {
            ct_ex hc = ct_mul(pool, half, cosine[k]), hs = ct_mul(pool, half, sine[k]);
            int low = k > 0 ? k - 1 : 1; // of the cosine; sin 0 is nothing
            c[k + 1] = ct_add(pool, c[k + 1], hc);
            c[low] = ct_add(pool, c[low], hc);
            s[k + 1] = ct_add(pool, s[k + 1], hs);
            if (k > 1) s[k - 1] = ct_add(pool, s[k - 1], hs);
        }
        c[0] = ct_add(pool, c[0], a->u[i]);
        s[1] = ct_add(pool, s[1], a->v[i]);
        memcpy(cosine, c, sizeof c);
        memcpy(sine, s, sizeof s);
    }
    // a0 a1 b1 a2 b2 ...
    out[0] = cosine[0];
    for (int k = 1; k <= top; k++) {
        out[2 * k - 1] = cosine[k];
        out[2 * k] = sine[k];
    }
    return 2 * top + 1;
}

ct_ex ct_univariate_bound(ct_pool *pool, int rows, int n, const ct_ex *a) {
    ct_ex *terms = ct_scratch(2 * (size_t)(rows * n) + 1, sizeof *terms), *still = terms + rows * n;
    int moving = 0, constant = 0;
    for (int i = 0; i < rows * n; i++) {
        int k = (i % n + 1) / 2 + (i >= n);
        if (!k || a[i] == CT_ZERO) continue;
        // k^2 |a| for every harmonic; those of parameters alone are summed by themselves
        bool is_still = !(ct_ex_kinds(pool, a[i]) & ~(1u << CT_SYMBOL_PARAMETER));
        ct_ex size = ct_apply(pool, CT_OP_ABS, a + i);
        *(is_still ? still + constant++ : terms + moving++) =
            ct_mul(pool, ct_int(pool, k * k), size);
    }
    terms[moving] = ct_let(pool, ct_sum(pool, constant, still));
    return ct_sum(pool, moving + 1, terms);
}

// from expressions -------------------------------------------------------------------------------
// n expressions at random coordinates, lengths, times and inputs; values as they follow from these.
static void random_values(const ct_step_builder *build, int n, const ct_ex *a, double *out) {
    const ct_closure *c = build->closure;
    const ct_formulation *f = build->f;
    // numbers of the initial position, to begin with
    ct_numbers x;
    ct_steps_numbers(build, &x);
    ct_ex *symbols;
    int count = ct_ex_symbols(build->pool, n, a, &symbols);
    unsigned state = 12345;
    double *v = ct_scratch((size_t)(f->n + c->registers.values.n) + 1, sizeof *v);
    // angles, slides in typical lengths, time and inputs: 0.4 to 1.4; parameters: times 0.4 to 1.4
    for (int i = 0; i < f->n + count; i++) {
        bool own = i >= f->n;
        ct_ex symbol = own ? symbols[i - f->n] : f->q[i];
        double r, old;
        state = state * 1664525u + 1013904223u;
        r = 0.4 + (double)(state >> 8) / 16777216.0;
        ct_symbol_kind kind = ct_symbol_kind_of(build->pool, symbol);
        bool later = kind == CT_SYMBOL_TIME || kind == CT_SYMBOL_INPUT;
        if (own && kind != CT_SYMBOL_PARAMETER && !later) continue;
        ct_numbers_eval(&x, 1, &symbol, &old);
        if (own && !later) r *= old;
        if (!own) r *= ct_coordinate_unit(f, i);
        ct_numbers_set(&x, 1, &symbol, &r);
    }
    // values as they follow from the coordinates
    ct_numbers_eval(&x, c->registers.values.n, c->registers.values.meaning, v);
    ct_numbers_set(&x, c->registers.values.n, c->registers.values.symbol, v);
    ct_numbers_eval(&x, n, a, out);
    ct_numbers_clear(&x);
}

static ct_ex at_zero(const ct_step_builder *build, ct_ex a, const ct_unknown *u) {
    ct_substitution *s = ct_substitution_new(build->pool);
    ct_substitution_map(s, u->c, CT_ZERO);
    if (u->is_angle) ct_substitution_map(s, u->s, CT_ZERO);
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

// What an unknown is measured by: coefficients of its powers compare in these units alone.
static double unit_of(const ct_step_builder *build, const ct_unknown *u) {
    return u->is_angle ? 1 : build->length;
}

// Returns true if a, times its unit, vanishes at random numbers, compared with *size, the largest value
// seen so far.
static bool vanishes(const ct_step_builder *build, ct_ex a, double unit, double *size) {
    double out;
    if (a == CT_ZERO) return true;
    random_values(build, 1, &a, &out);
    out *= unit;
    *size = fmax(*size, fabs(out));
    return fabs(out) <= CT_TOL_CANCEL * *size;
}

// Taylor coefficients at c = s = 0.
bool ct_steps_polynomial(const ct_step_builder *build, ct_ex a, const ct_unknown *u,
                         ct_univariate *p) {
    enum { MOST = 6 };
    ct_pool *pool = build->pool;
    double size = 0, unit = 1;
    memset(p, 0, sizeof *p);
    (void)vanishes(build, a, unit, &size);
    long fi = 1;
    // coefficient of c^i s^j: d^(i + j) a / dc^i ds^j / (i! j!) at c = s = 0
    for (int i = 0; !vanishes(build, a, unit, &size) || i == 0; fi *= ++i) {
        ct_ex y = a;
        long fj = 1;
        if (i > MOST || !isfinite(size)) return false;
        for (int j = 0; j == 0 || (u->is_angle && !vanishes(build, y, unit, &size)); fj *= ++j) {
            if (i + j > MOST) return false;
            ct_univariate_add_term(
                pool, p, ct_mul(pool, ct_rational(pool, 1, fi * fj), at_zero(build, y, u)), i, j);
            if (u->is_angle) y = ct_diff(pool, y, u->s);
        }
        a = ct_diff(pool, a, u->c);
        unit *= unit_of(build, u);
    }
    return true;
}

// Drops coefficients that cancel identically.
void ct_steps_trim(const ct_step_builder *build, const ct_unknown *u, ct_univariate *p) {
    enum { ALL = CT_UNIVARIATE + 1 };
    ct_ex all[2 * ALL];
    double out[2 * ALL], unit = 1, size = 0;
    memcpy(all, p->u, sizeof p->u);
    memcpy(all + ALL, p->v, sizeof p->v);
    random_values(build, 2 * ALL, all, out);
    for (int i = 0; i < ALL; i++, unit *= unit_of(build, u))
        for (int k = i; k < 2 * ALL; k += ALL) {
            out[k] *= unit;
            if (!(fabs(out[k]) <= size)) size = fabs(out[k]);
        }
    for (int i = 0; i < ALL; i++) {
        if (fabs(out[i]) < CT_TOL_CANCEL * size) p->u[i] = CT_ZERO;
        if (fabs(out[ALL + i]) < CT_TOL_CANCEL * size) p->v[i] = CT_ZERO;
    }
}
