// Closures that factor, in general. The coefficients of  a C + b S = c  are polynomials in one
// known angle or slide. As forms in (cos, sin) of half the angle
//   (a, b, c) = h (a', b', c'),   a'^2 + b'^2 - c'^2 = g^2 d.
// Where h = 0 the equation says nothing: that is a component of its own (a kite folded onto
// itself), and the other ones are a' C + b' S = c'. Where g = 0 its two solutions cross: with
//   a' S - b' C = sigma g sqrt(d)
// each keeps its way, since g changes its sign. A slide, x^2 + 2 h x + k = 0, has the second case.
// Which roots there are is found in numbers, at the lengths of the model. The quotients are written
// in parameters, and a guard watches that the remainders stay zero.
#include "closure/steps/binary_form.h"
#include "formulate/whole_rotation.h"
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct known { // the one angle or slide below the coefficients
    ct_ex at;          // the sum of angles, or the coordinate
    ct_unknown x;      // its values
    double length;     // unit of a slide
} known;

typedef struct form { // numbers, and the same in parameters
    ct_binary x;
    ct_ex a[CT_BINARY_DEGREE + 1];
} form;

typedef struct factoring {
    const ct_step_builder *b;
    ct_pool *pool;
    known k;
    ct_ex off; // sum of squares of what must vanish
} factoring;

static ct_ex from_double(ct_pool *pool, double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (x == 0) return CT_ZERO;
    ct_ex whole = ct_int(pool, (long)ldexp(mantissa, 53));
    return ct_mul(pool, whole, ct_power_int(pool, ct_int(pool, 2), exponent - 53));
}

// what is known ----------------------------------------------------------------------------------
static bool note(known *k, bool is_angle, ct_ex at) {
    bool same = k->at == CT_ZERO || (k->x.is_angle == is_angle && k->at == at);
    k->x.is_angle = is_angle;
    k->at = at;
    return same;
}

// Finds the one angle sum or slide that n expressions hold. Returns false if they hold several,
// none or anything else beside parameters.
static bool find_known(const ct_step_builder *build, int n, const ct_ex *a, known *k) {
    ct_ex *symbols;
    int count = ct_ex_symbols(build->pool, n, a, &symbols);
    bool good = !ct_values_hold_vectors(build->values, n, a);
    *k = (known){.at = CT_ZERO, .length = build->length};
    // values of one angle sum or one slide, and parameters, nothing else
    for (int i = 0; i < count && good; i++) {
        int v = ct_values_index(build->values, symbols[i]);
        ct_ex direct = v >= 0 ? build->closure->registers.values.meaning[v] : symbols[i];
        ct_op op = ct_ex_op(build->pool, direct);
        if (op == CT_OP_SIN || op == CT_OP_COS)
            good = note(k, true, ct_child(build->pool, direct, 0));
        else if (ct_symbol_kind_of(build->pool, direct) == CT_SYMBOL_COORDINATE)
            good = note(k, false, direct);
        else
            good = ct_symbol_kind_of(build->pool, direct) == CT_SYMBOL_PARAMETER;
    }
    // a coordinate outside sines and cosines is a slide
    for (int i = 0; i < build->f->n && good && !k->x.is_angle; i++)
        good = k->at != build->f->q[i] || !build->f->is_angle[i];
    if (!good || k->at == CT_ZERO) return false;
    // its symbols, without a sign
    if (k->x.is_angle)
        ct_values_pair(build->values, k->at, &k->x.c, &k->x.s);
    else
        k->x.c = ct_steps_replace(build, k->at);
    return ct_ex_op(build->pool, k->x.c) == CT_OP_SYMBOL &&
           (!k->x.is_angle || ct_ex_op(build->pool, k->x.s) == CT_OP_SYMBOL);
}

// forms ------------------------------------------------------------------------------------------
static void numbers_of(const factoring *w, form *f) {
    ct_numbers x;
    ct_model_numbers(w->b->f->model, &x);
    ct_numbers_eval(&x, f->x.n + 1, f->a, f->x.a);
    ct_numbers_clear(&x);
}

// f += a (g^2 - d^2)^i (2 g d)^j (g^2 + d^2)^(m - i - j), all of degree 2 m
static void add_power(ct_pool *pool, form *f, ct_ex a, int i, int j) {
    int m = f->x.n / 2, p[CT_BINARY_DEGREE + 1] = {1};
    for (int k = 0; k < m; k++)
        for (int e = 2 * k + 2; e >= 0; e--) {
            int here = e <= 2 * k ? p[e] : 0, one = e > 0 && e - 1 <= 2 * k ? p[e - 1] : 0,
                two = e > 1 ? p[e - 2] : 0;
            p[e] = k < i ? here - two : k < i + j ? 2 * one : here + two;
        }
    for (int e = 0; e <= f->x.n; e++)
        f->a[e] = ct_add(pool, f->a[e], ct_mul(pool, ct_int(pool, p[e]), a));
}

// n expressions as forms of the same degree, 4 at most. Returns false if they are no such forms.
static bool forms_of(factoring *w, int n, const ct_ex *a, form *f) {
    ct_univariate p[3];
    int top = 0, most = w->k.x.is_angle ? 2 : 4;
    // polynomials in the cosine and sine, or in the slide
    for (int i = 0; i < n; i++) {
        if (!ct_steps_polynomial(w->b, a[i], &w->k.x, p + i)) return false;
        if (ct_univariate_top(p + i) > top) top = ct_univariate_top(p + i);
    }
    if (top < 1 || top > most) return false;
    // coefficients of forms of one degree; slides in typical lengths
    ct_ex unit = CT_ONE, length = from_double(w->pool, w->k.length);
    for (int i = 0; i < n; i++, unit = CT_ONE) {
        f[i] = (form){.x = {.n = w->k.x.is_angle ? 2 * top : top}};
        for (int k = 0; k <= top; k++) {
            if (!w->k.x.is_angle) {
                f[i].a[k] = ct_mul(w->pool, unit, p[i].u[k]);
                unit = ct_mul(w->pool, unit, length);
                continue;
            }
            add_power(w->pool, f + i, p[i].u[k], k, 0);
            if (k < top) add_power(w->pool, f + i, p[i].v[k], k, 1);
        }
        numbers_of(w, f + i);
    }
    return true;
}

static form times(const factoring *w, const form *f, const form *g) {
    form r = {.x = ct_binary_mul(&f->x, &g->x)};
    for (int i = 0; i <= f->x.n; i++)
        for (int k = 0; k <= g->x.n; k++)
            r.a[i + k] = ct_add(w->pool, r.a[i + k], ct_mul(w->pool, f->a[i], g->a[k]));
    return r;
}

static form plus(const factoring *w, const form *f, int sign, const form *g) {
    form r = {.x = ct_binary_add(&f->x, sign, &g->x)};
    for (int i = 0; i <= f->x.n; i++)
        r.a[i] = ct_add(w->pool, f->a[i], ct_mul(w->pool, ct_int(w->pool, sign), g->a[i]));
    return r;
}

static void must_vanish(factoring *w, ct_ex left) {
    w->off = ct_add(w->pool, w->off, ct_power_int(w->pool, left, 2));
}

// Divides by the root (g0, d0), in numbers and in parameters. Returns false if it is none.
static bool divide_root(factoring *w, form *f, double g0, double d0) {
    ct_pool *pool = w->pool;
    form q = {.x = f->x};
    int n = f->x.n;
    if (!ct_binary_divide_root(&q.x, g0, d0)) return false;
    ct_ex g = from_double(pool, g0), d = from_double(pool, d0), carry = CT_ZERO;
    if (fabs(d0) >= fabs(g0)) {
        for (int i = 0; i < n; i++)
            carry = q.a[i] = ct_div(pool, ct_add(pool, f->a[i], ct_mul(pool, g, carry)), d);
        must_vanish(w, ct_add(pool, f->a[n], ct_mul(pool, g, carry)));
    } else {
        for (int i = n; i > 0; i--)
            carry = q.a[i - 1] = ct_div(pool, ct_sub(pool, ct_mul(pool, d, carry), f->a[i]), g);
        must_vanish(w, ct_sub(pool, f->a[0], ct_mul(pool, d, carry)));
    }
    *f = q;
    return true;
}

// Divides a form of an angle by g^2 + d^2 = 1. Returns false if that leaves a remainder.
static bool divide_unit(factoring *w, form *f) {
    ct_pool *pool = w->pool;
    form q = {.x = f->x};
    int n = f->x.n;
    if (!w->k.x.is_angle || !ct_binary_divide_unit(&q.x)) return false;
    for (int i = 0; i <= n - 2; i++) q.a[i] = ct_sub(pool, f->a[i], i > 1 ? q.a[i - 2] : CT_ZERO);
    must_vanish(w, ct_sub(pool, f->a[n], q.a[n - 2]));
    must_vanish(w, ct_sub(pool, f->a[n - 1], n > 2 ? q.a[n - 3] : CT_ZERO));
    *f = q;
    return true;
}

// False for the root at infinity: the end of a slide's line.
static bool counts(const factoring *w, double g0) {
    return w->k.x.is_angle || fabs(g0) > CT_TOL_ROUND;
}

// Divides n forms by the real roots that they have in common. Returns true if one of these roots is
// a position: the root at the end of a slide's line is divided out, but is none.
static bool take_common(factoring *w, int n, form *f) {
    bool any = false;
    for (double g0, d0; f[0].x.n > 0;) {
        // a common root of the forms is a double root of the sum of their squares
        ct_binary sum = ct_binary_mul(&f->x, &f->x);
        for (int i = 1; i < n; i++) {
            ct_binary more = ct_binary_mul(&f[i].x, &f[i].x);
            sum = ct_binary_add(&sum, 1, &more);
        }
        double size = sqrt(ct_binary_size(&sum));
        if (!ct_binary_double_root(&sum, &g0, &d0)) break;
        // every form without it; a form of rounding alone becomes zero
        form rest[3];
        ct_ex off = w->off;
        bool good = true;
        for (int i = 0; i < n && good; i++) {
            rest[i] = f[i];
            good = fabs(ct_binary_value(&f[i].x, g0, d0)) <= CT_TOL_COMMON * size;
            if (ct_binary_size(&f[i].x) <= CT_TOL_COMMON * size)
                memset(rest[i].x.a, 0, sizeof rest->x.a);
            good = good && divide_root(w, rest + i, g0, d0);
        }
        // not a root of each form: the forms stay as they are
        if (!good) {
            w->off = off;
            break;
        }
        // the quotients take the place of the forms
        memcpy(f, rest, (size_t)n * sizeof *f);
        any = any || counts(w, g0);
    }
    return any;
}

// f = g^2 d with the double real roots in g. Returns true if one of these roots is a position, see
// take_common. The form d is freed of factors cos^2 + sin^2 of an angle.
static bool take_square(factoring *w, const form *f, form *g, form *d) {
    bool any = false;
    *g = (form){.x = {.n = 0, .a = {1}}, .a = {CT_ONE}};
    *d = *f;
    for (double g0, d0; d->x.n > 1 && ct_binary_double_root(&d->x, &g0, &d0);) {
        form l = {.x = {.n = 1, .a = {d0, -g0}},
                  .a = {from_double(w->pool, d0), from_double(w->pool, -g0)}};
        form rest = *d;
        ct_ex off = w->off;
        if (!divide_root(w, &rest, g0, d0) || !divide_root(w, &rest, g0, d0)) {
            w->off = off;
            break;
        }
        *d = rest;
        *g = times(w, g, &l);
        any = any || counts(w, g0);
    }
    while (divide_unit(w, d)) continue;
    return any;
}

// expressions ------------------------------------------------------------------------------------
// sum of a[0] x^top, a[2] x^(top - 1) y, ... with x = (1 + c) / 2, y = (1 - c) / 2
static ct_ex in_cosine(ct_pool *pool, int top, const ct_ex *a, ct_ex c) {
    ct_ex p[CT_BINARY_DEGREE + 1] = {0}, y = CT_ZERO;
    for (int i = 0; i <= top; i++) {
        int q[CT_BINARY_DEGREE + 1] = {1};
        for (int k = 0; k < top; k++)
            for (int j = top; j > 0; j--) q[j] += (k < i ? -1 : 1) * q[j - 1];
        for (int j = 0; j <= top; j++)
            p[j] = ct_add(pool, p[j], ct_mul(pool, ct_rational(pool, q[j], 1L << top), a[2 * i]));
    }
    for (int j = top; j >= 0; j--) y = ct_add(pool, ct_mul(pool, y, c), ct_let(pool, p[j]));
    return y;
}

// The form in the joint coordinates q.
static ct_ex expression(const factoring *w, const form *f) {
    ct_pool *pool = w->pool;
    const known *k = &w->k;
    int n = f->x.n;
    if (!k->x.is_angle) {
        ct_ex x = ct_div(pool, k->at, from_double(pool, k->length)), y = CT_ZERO;
        for (int i = n; i >= 0; i--) y = ct_add(pool, ct_mul(pool, y, x), ct_let(pool, f->a[i]));
        return y;
    }
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), k->at), c = ct_cos(pool, k->at);
    if (n % 2) // g (even) + d (even)
        return ct_add(pool, ct_mul(pool, ct_cos(pool, half), in_cosine(pool, n / 2, f->a, c)),
                      ct_mul(pool, ct_sin(pool, half), in_cosine(pool, n / 2, f->a + 1, c)));
    ct_ex even = in_cosine(pool, n / 2, f->a, c);
    if (n == 0) return even; // else g d = sin / 2
    return ct_add(pool, even,
                  ct_product(pool, 3,
                             (ct_ex[]){ct_rational(pool, 1, 2), ct_sin(pool, k->at),
                                       in_cosine(pool, n / 2 - 1, f->a + 1, c)}));
}

// Guards that the sum of squares `off` stays zero, compared with the coefficients of n forms.
static void watch(const factoring *w, ct_segment *seg, ct_ex off, int n, const form *f) {
    ct_ex tiny = ct_power_int(w->pool, ct_int(w->pool, 10), CT_GUARD_IDENTITY), size = CT_ZERO;
    if (off == CT_ZERO) return;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= f[i].x.n; k++)
            size = ct_add(w->pool, size, ct_power_int(w->pool, f[i].a[k], 2));
    ct_steps_guard(seg, ct_sub(w->pool, ct_mul(w->pool, tiny, size), off));
}

// sigma g sqrt(d), in the joint coordinates q; `now`: the same quantity in values, for its sign.
// Returns false where the components cross at the start.
static bool signed_root(const factoring *w, ct_segment *seg, const form *g, const form *d,
                        ct_ex now, ct_ex *root) {
    ct_pool *pool = w->pool;
    const ct_step_builder *build = w->b;
    ct_ex part[2] = {expression(w, g), expression(w, d)}, tiny = from_double(pool, CT_TOL_FORM);
    double at[2], size = ct_binary_size(&g->x);
    // g and d at the initial position
    ct_numbers x;
    ct_model_numbers(build->f->model, &x);
    ct_position_set(build->f, &x, build->q0);
    ct_numbers_eval(&x, 2, part, at);
    ct_numbers_clear(&x);
    // where components cross at the start there is nothing to choose by
    if (!(fabs(at[0]) > CT_TOL_CROSSING * size) || !(at[1] > 0)) return false;
    // a guard keeps d clear of zero
    if (d->x.n > 0) {
        ct_ex under = ct_steps_replace(build, part[1]),
              scale = from_double(pool, ct_binary_size(&d->x));
        ct_segment_guard(seg, ct_sub(pool, under, ct_mul(pool, tiny, scale)), seg->step, scale);
    }
    // sigma: the sign of `now` times g at the initial position
    ct_ex sign = ct_steps_sign(build, ct_mul(pool, now, ct_steps_replace(build, part[0])));
    // an exact root of a fraction with hundreds of digits would leave the range of doubles
    ct_ex size_of =
        ct_is_number(pool, part[1]) ? from_double(pool, sqrt(at[1])) : ct_sqrt(pool, part[1]);
    *root = ct_product(pool, 3, (ct_ex[]){sign, part[0], size_of});
    return true;
}

// The step belongs to a closure with components, and is linear or of degree 2 by itself.
static void restate(const ct_step_builder *build, const ct_segment *seg, bool linear) {
    ct_step *step = build->closure->steps + seg->step;
    build->closure->components = true;
    step->method = linear ? CT_STEP_LINEAR : CT_STEP_QUADRATIC;
    step->degree = linear ? 1 : 2;
}

// recipes ----------------------------------------------------------------------------------------
// The pair of one component through crossings, and an equation psi that is regular wherever a' and
// b' are not both zero. part: a', b', c' in the joint coordinates q, out: in values.
static void pair_of(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                    const ct_ex *part, const ct_ex *out, ct_ex root, ct_ex *cosine, ct_ex *sine,
                    ct_ex *psi) {
    ct_pool *pool = build->pool;
    // C = (a' c' - b' r) / (a'^2 + b'^2), S = (b' c' + a' r) / (a'^2 + b'^2)
    ct_ex scale =
        ct_let(pool, ct_add(pool, ct_power_int(pool, out[0], 2), ct_power_int(pool, out[1], 2)));
    ct_ex over = ct_power_int(pool, scale, -1), r = ct_let(pool, ct_steps_replace(build, root));
    *cosine =
        ct_mul(pool, over, ct_sub(pool, ct_mul(pool, out[0], out[2]), ct_mul(pool, out[1], r)));
    *sine = ct_mul(pool, over, ct_add(pool, ct_mul(pool, out[1], out[2]), ct_mul(pool, out[0], r)));
    ct_steps_guard(seg,
                   ct_sub(pool, scale, ct_power_int(pool, ct_int(pool, 10), CT_GUARD_NONZERO)));
    // psi = cos u y - sin u x: (cos u, sin u) is parallel to (x, y)
    ct_ex x = ct_sub(pool, ct_mul(pool, part[0], part[2]), ct_mul(pool, part[1], root)),
          y = ct_add(pool, ct_mul(pool, part[1], part[2]), ct_mul(pool, part[0], root));
    *psi = ct_sub(pool, ct_mul(pool, ct_cos(pool, u->angle_sum), y),
                  ct_mul(pool, ct_sin(pool, u->angle_sum), x));
}

bool ct_steps_factor(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                     ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi) {
    ct_pool *pool = build->pool;
    const ct_ex all[] = {a, b, c};
    ct_ex part[3], out[3], root = CT_ZERO;
    factoring w = {.b = build, .pool = pool, .off = CT_ZERO};
    form f[3], start[3], g, d;
    // a, b, c as forms in one known angle or slide
    if (build->iterated || !find_known(build, 3, all, &w.k) || !forms_of(&w, 3, all, f))
        return false;
    memcpy(start, f, sizeof start);
    // (a, b, c) = h (a', b', c')
    bool common = take_common(&w, 3, f);
    // a'^2 + b'^2 - c'^2 = g^2 d
    form aa = times(&w, f, f), under = times(&w, f + 1, f + 1), cc = times(&w, f + 2, f + 2);
    under = plus(&w, &under, 1, &aa);
    under = plus(&w, &under, -1, &cc);
    ct_ex common_off = w.off;
    w.off = CT_ZERO;
    bool crossing = take_square(&w, &under, &g, &d);
    if (!common && !crossing) return false;
    // a', b', c' in coordinates (part) and in values (out)
    for (int i = 0; i < 3; i++) {
        part[i] = common ? expression(&w, f + i) : ct_values_in_coordinates(build->values, all[i]);
        out[i] = ct_let(pool, common ? ct_steps_replace(build, part[i]) : all[i]);
    }
    // a' S - b' C = sigma g sqrt(d), with guards that the divisions leave no remainder
    ct_ex across = ct_sub(pool, ct_mul(pool, out[0], u->s), ct_mul(pool, out[1], u->c));
    if (crossing && !signed_root(&w, seg, &g, &d, across, &root)) return false;
    watch(&w, seg, common_off, 3, start);
    if (crossing) watch(&w, seg, w.off, 1, &under);
    restate(build, seg, crossing && d.x.n == 0);
    // with a crossing the pair by this root, else by an ordinary square root
    if (crossing) {
        pair_of(build, seg, u, part, out, root, cosine, sine, psi);
        return true;
    }
    ct_steps_trig(build, seg, u, out[0], out[1], out[2], cosine, sine);
    *psi =
        ct_sum(pool, 3,
               (ct_ex[]){ct_mul(pool, part[0], ct_cos(pool, u->angle_sum)),
                         ct_mul(pool, part[1], ct_sin(pool, u->angle_sum)), ct_neg(pool, part[2])});
    return true;
}

bool ct_steps_factor_slide(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                           ct_ex h, ct_ex k, ct_ex *value, ct_ex *psi) {
    ct_pool *pool = build->pool;
    ct_ex square = ct_sub(pool, ct_power_int(pool, h, 2), k), root;
    factoring w = {.b = build, .pool = pool, .off = CT_ZERO};
    form f, g, d;
    if (build->iterated || !find_known(build, 1, &square, &w.k) || !forms_of(&w, 1, &square, &f))
        return false;
    if (!take_square(&w, &f, &g, &d)) return false;
    if (!signed_root(&w, seg, &g, &d, ct_add(pool, u->c, h), &root)) return false;
    watch(&w, seg, w.off, 1, &f);
    restate(build, seg, d.x.n == 0);
    *value = ct_sub(pool, ct_steps_replace(build, root), h);
    *psi = ct_sum(pool, 3,
                  (ct_ex[]){build->f->q[u->coordinate], ct_values_in_coordinates(build->values, h),
                            ct_neg(pool, root)});
    return true;
}
