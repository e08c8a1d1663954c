// Closures that factor, in general. The coefficients of  a C + b S = c  are polynomials in one
// known angle or slide. As forms in (cos, sin) of half the angle, at the lengths of the model,
//   (a, b, c) = h (a', b', c'),   a'^2 + b'^2 - c'^2 = g^2 d.
// Where h = 0 the equation says nothing: that is a component of its own (a kite folded onto
// itself), and the other ones are a' C + b' S = c'. Where g = 0 its two solutions cross: with
//   a' S - b' C = sigma g sqrt(d)
// each keeps its way, since g changes its sign. A slide, x^2 + 2 h x + k = 0, has the second case.
// h, g and d are numbers from the lengths, so a guard watches that these still make it so.
#include "closure/binary_form.h"
#include "closure/steps_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct known { // the one angle or slide below the coefficients
    bool turn;
    ct_ex at;      // the sum of angles, or the coordinate
    ct_ex c, s;    // values: cosine and sine (each may be minus a symbol), or the slide
    double length; // unit of the slide
} known;

enum { DEGREE = 4, NODES = 9 }; // of coefficients; directions where they are looked at

// tan of half the angle, or the slide over the unit: round numbers, so that sines are too
static const int node[NODES][2] = {{0, 1}, {1, 2},  {-1, 2}, {2, 1}, {-2, 1},
                                   {1, 3}, {-3, 1}, {3, 1},  {-1, 3}};

static void direction(const known *k, int i, double *g, double *d) {
    double t = (double)node[i][0] / node[i][1];
    *g = k->turn ? 1 / sqrt(1 + t * t) : 1;
    *d = k->turn ? t / sqrt(1 + t * t) : t;
}

static ct_ex from_double(ct_pool *pool, double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    ct_ex whole = ct_int(pool, (long)ldexp(mantissa, 53));
    return ct_mul(pool, whole, ct_power_int(pool, ct_int(pool, 2), exponent - 53));
}

// what is known ----------------------------------------------------------------------------------
static bool note(known *k, bool turn, ct_ex at) {
    bool same = k->at == CT_ZERO || (k->turn == turn && k->at == at);
    k->turn = turn;
    k->at = at;
    return same;
}

static bool find_known(ct_steps *b, int n, const ct_ex *a, known *k) {
    ct_ex *symbols;
    int count = ct_ex_symbols(b->pool, n, a, &symbols);
    bool good = true;
    *k = (known){.at = CT_ZERO, .length = ct_typical_length(b->f->model)};
    for (int i = 0; i < count && good; i++) {
        int v = ct_forms_index(b->forms, symbols[i]);
        ct_ex direct = v >= 0 ? b->closure->direct[v] : symbols[i];
        ct_op op = ct_ex_op(b->pool, direct);
        if (op == CT_OP_SIN || op == CT_OP_COS)
            good = note(k, true, ct_child(b->pool, direct, 0));
        else if (ct_symbol_kind_of(b->pool, direct) == CT_SYMBOL_COORDINATE)
            good = note(k, false, direct);
        else
            good = ct_symbol_kind_of(b->pool, direct) == CT_SYMBOL_PARAMETER;
    }
    free(symbols);
    for (int i = 0; i < b->f->n && good && !k->turn; i++)
        good = k->at != b->f->q[i] || !b->f->is_angle[i];
    if (!good || k->at == CT_ZERO) return false;
    if (k->turn)
        ct_forms_pair(b->forms, k->at, &k->c, &k->s);
    else
        k->c = ct_steps_replace(b, k->at);
    return true;
}

static void map(ct_pool *pool, ct_substitution *s, ct_ex value, ct_ex number) {
    bool minus = ct_ex_op(pool, value) == CT_OP_PRODUCT;
    ct_substitution_map(s, minus ? ct_neg(pool, value) : value,
                        minus ? ct_neg(pool, number) : number);
}

// An expression at node i: parameters are left.
static ct_ex at_node(ct_steps *b, const known *k, int i, ct_ex a) {
    ct_pool *pool = b->pool;
    int t = node[i][0], u = node[i][1], n = t * t + u * u;
    ct_substitution *s = ct_substitution_new(pool);
    if (k->turn) {
        map(pool, s, k->c, ct_rational(pool, u * u - t * t, n));
        map(pool, s, k->s, ct_rational(pool, 2 * t * u, n));
    } else {
        map(pool, s, k->c, ct_mul(pool, ct_rational(pool, t, u), from_double(pool, k->length)));
    }
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

// The form that an expression is at the lengths of the model; false: of higher degree.
static bool form_of(ct_steps *b, const known *k, ct_ex a, ct_binary *f) {
    ct_ex at[NODES];
    double value[NODES], g[NODES], d[NODES];
    for (int i = 0; i < NODES; i++) {
        at[i] = at_node(b, k, i, a);
        direction(k, i, g + i, d + i);
    }
    ct_numbers x;
    ct_numbers_init(&x, b->f->model);
    ct_numbers_eval(&x, NODES, at, value);
    ct_numbers_clear(&x);
    if (!ct_binary_through(DEGREE, g, d, value, f)) return false;
    for (int i = DEGREE + 1; i < NODES; i++)
        if (!(fabs(ct_binary_value(f, g[i], d[i]) - value[i]) <= 1e-11 * ct_binary_size(f)))
            return false;
    return true;
}

// numbers ----------------------------------------------------------------------------------------
static bool finite_root(const known *k, double g0) {
    return k->turn || fabs(g0) > 1e-9;
}

static ct_binary times_root(const ct_binary *f, double g0, double d0) {
    ct_binary l = {.n = 1, .a = {d0, -g0}};
    return ct_binary_mul(f, &l);
}

// Takes common real roots out of n forms; *h is their product. True: one of them counts.
static bool take_common(const known *k, int n, ct_binary *f, ct_binary *h) {
    bool any = false;
    *h = (ct_binary){.n = 0, .a = {1}};
    for (double g0, d0; f[0].n > 0;) {
        ct_binary sum = ct_binary_mul(f, f), rest[3];
        for (int i = 1; i < n; i++) {
            ct_binary more = ct_binary_mul(f + i, f + i);
            sum = ct_binary_add(&sum, 1, &more);
        }
        if (!ct_binary_double_root(&sum, &g0, &d0)) break;
        bool good = true;
        double size = sqrt(ct_binary_size(&sum));
        for (int i = 0; i < n; i++) {
            rest[i] = f[i];
            good = good && fabs(ct_binary_value(f + i, g0, d0)) <= 1e-11 * size;
            if (ct_binary_size(f + i) <= 1e-13 * size) rest[i] = (ct_binary){.n = f[i].n};
            good = ct_binary_divide_root(rest + i, g0, d0) && good;
        }
        if (!good) break;
        memcpy(f, rest, (size_t)n * sizeof *f);
        *h = times_root(h, g0, d0);
        any = any || finite_root(k, g0);
    }
    return any;
}

// f = g^2 d with all double real roots in g. True: one of them counts.
static bool take_square(const known *k, const ct_binary *f, ct_binary *g, ct_binary *d) {
    bool any = false;
    *g = (ct_binary){.n = 0, .a = {1}};
    *d = *f;
    for (double g0, d0; d->n > 1 && ct_binary_double_root(d, &g0, &d0);) {
        ct_binary rest = *d;
        if (!ct_binary_divide_root(&rest, g0, d0) || !ct_binary_divide_root(&rest, g0, d0)) break;
        *d = rest;
        *g = times_root(g, g0, d0);
        any = any || finite_root(k, g0);
    }
    while (k->turn && ct_binary_divide_unit(d)) continue;
    return any;
}

// expressions ------------------------------------------------------------------------------------
// sum over i = first, first + 2, ... of a[i] x^((n - i) / 2) y^(i / 2), x = (1 + c) / 2, y = (1 -
// c) / 2, in powers of c
static ct_ex in_cosine(ct_pool *pool, int n, const double *a, int first, ct_ex c) {
    double p[CT_BINARY_DEGREE + 1] = {0}, size = 0;
    int top = (n - first) / 2;
    for (int i = 0; i <= top; i++) {
        double q[CT_BINARY_DEGREE + 1] = {a[first + 2 * i]};
        for (int k = 0; k < top; k++) // top - i times (1 + c) / 2, i times (1 - c) / 2
            for (int j = top; j >= 0; j--)
                q[j] = 0.5 * (q[j] + (k < i ? -1 : 1) * (j ? q[j - 1] : 0));
        for (int j = 0; j <= top; j++) p[j] += q[j];
    }
    for (int j = 0; j <= top; j++) size = fmax(size, fabs(p[j]));
    ct_ex y = CT_ZERO;
    for (int j = top; j >= 0; j--) {
        ct_ex number = fabs(p[j]) <= 1e-15 * size ? CT_ZERO : from_double(pool, p[j]);
        y = ct_add(pool, ct_mul(pool, y, c), number);
    }
    return y;
}

// The form as an expression in coordinates.
static ct_ex expression(ct_steps *b, const known *k, const ct_binary *f) {
    ct_pool *pool = b->pool;
    if (!k->turn) {
        ct_ex x = ct_div(pool, k->at, from_double(pool, k->length)), y = CT_ZERO;
        for (int i = f->n; i >= 0; i--)
            y = ct_add(pool, ct_mul(pool, y, x), from_double(pool, f->a[i]));
        return y;
    }
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), k->at), c = ct_cos(pool, k->at);
    if (f->n % 2) // g (even) + d (even)
        return ct_add(pool, ct_mul(pool, ct_cos(pool, half), in_cosine(pool, f->n - 1, f->a, 0, c)),
                      ct_mul(pool, ct_sin(pool, half), in_cosine(pool, f->n - 1, f->a + 1, 0, c)));
    ct_ex even = in_cosine(pool, f->n, f->a, 0, c);
    if (f->n == 0) return even;
    ct_ex odd = in_cosine(pool, f->n - 2, f->a + 1, 0, c); // times g d = sin / 2
    return ct_add(
        pool, even,
        ct_product(pool, 3, (ct_ex[]){ct_rational(pool, 1, 2), ct_sin(pool, k->at), odd}));
}

// Guards that expressions still are these forms.
static void watch(ct_steps *b, ct_segment *s, const known *k, int n, const ct_ex *a,
                  const ct_binary *f) {
    ct_pool *pool = b->pool;
    ct_ex off = CT_ZERO, size = CT_ZERO, tiny = ct_power_int(pool, ct_int(pool, 10), -20);
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < n; j++) {
            double g, d;
            direction(k, i, &g, &d);
            ct_ex x = at_node(b, k, i, a[j]), y = from_double(pool, ct_binary_value(f + j, g, d));
            off = ct_add(pool, off, ct_power_int(pool, ct_sub(pool, x, y), 2));
            size = ct_add(pool, size, ct_power_int(pool, x, 2));
        }
    ct_steps_guard(b, s, ct_sub(pool, ct_mul(pool, tiny, size), off));
}

// sigma g sqrt(d), in coordinates; `now`: what it is at the initial position, in values.
static bool signed_root(ct_steps *b, ct_segment *s, const known *k, const ct_binary *g,
                        const ct_binary *d, ct_ex now, ct_ex *root) {
    ct_pool *pool = b->pool;
    ct_binary factor = *g;
    double at[2];
    ct_numbers x;
    if (ct_binary_is_constant(d)) {
        if (!(d->a[0] > 0)) return false;
        for (int i = 0; i <= factor.n; i++) factor.a[i] *= sqrt(d->a[0]);
    }
    ct_ex part[2] = {expression(b, k, &factor), expression(b, k, d)};
    ct_numbers_init(&x, b->f->model);
    ct_numbers_set(&x, b->f->n, b->f->q, b->q0);
    ct_numbers_eval(&x, 2, part, at);
    ct_numbers_clear(&x);
    // where components cross at the start there is nothing to choose by
    if (!(fabs(at[0]) > 1e-9 * ct_binary_size(&factor)) || !(at[1] > 0)) return false;
    *root = part[0];
    if (!ct_binary_is_constant(d)) {
        ct_ex tiny = from_double(pool, 1e-12 * ct_binary_size(d));
        *root = ct_mul(pool, part[0], ct_sqrt(pool, part[1]));
        ct_steps_guard(b, s, ct_sub(pool, ct_steps_replace(b, part[1]), tiny));
        s->guards[s->n_guards - 1].scale = from_double(pool, ct_binary_size(d));
    }
    *root = ct_mul(pool, ct_steps_sign(b, ct_mul(pool, now, ct_steps_replace(b, part[0]))), *root);
    return true;
}

static void restate(ct_steps *b, const ct_segment *s, bool linear) {
    ct_step *step = b->closure->steps + s->step;
    b->closure->components = true;
    step->method = linear ? CT_STEP_LINEAR : CT_STEP_QUADRATIC;
    step->degree = linear ? 1 : 2;
}

// recipes ----------------------------------------------------------------------------------------
bool ct_steps_factor(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb, ct_ex c,
                     ct_ex *cosine, ct_ex *sine, ct_ex *psi) {
    ct_pool *pool = b->pool;
    const ct_ex all[] = {a, bb, c};
    ct_ex part[3], out[3], root = CT_ZERO;
    ct_binary f[3], h, whole[3], g, d;
    known k;
    if (b->torn || !find_known(b, 3, all, &k)) return false;
    for (int i = 0; i < 3; i++)
        if (!form_of(b, &k, all[i], f + i)) return false;
    bool common = take_common(&k, 3, f, &h);
    ct_binary aa = ct_binary_mul(f, f), square = ct_binary_mul(f + 1, f + 1),
              cc = ct_binary_mul(f + 2, f + 2);
    square = ct_binary_add(&square, 1, &aa);
    square = ct_binary_add(&square, -1, &cc);
    bool crossing = take_square(&k, &square, &g, &d);
    if (!common && !crossing) return false;
    for (int i = 0; i < 3; i++) {
        whole[i] = ct_binary_mul(f + i, &h);
        while (k.turn && f[i].n > 1 && ct_binary_divide_unit(f + i)) continue;
        part[i] = common ? expression(b, &k, f + i) : ct_steps_in_coordinates(b, all[i]);
        out[i] = common ? ct_let(pool, ct_steps_replace(b, part[i])) : ct_let(pool, all[i]);
    }
    ct_ex across = ct_sub(pool, ct_mul(pool, out[0], u->s), ct_mul(pool, out[1], u->c));
    ct_ex under = ct_sum(pool, 3,
                         (ct_ex[]){ct_power_int(pool, a, 2), ct_power_int(pool, bb, 2),
                                   ct_neg(pool, ct_power_int(pool, c, 2))});
    if (crossing && !signed_root(b, s, &k, &g, &d, across, &root)) return false;
    if (common)
        watch(b, s, &k, 3, all, whole);
    else
        watch(b, s, &k, 1, &under, &square);
    restate(b, s, crossing && ct_binary_is_constant(&d));
    if (!crossing) {
        ct_steps_trig(b, s, u, out[0], out[1], out[2], cosine, sine);
        *psi =
            ct_sum(pool, 3,
                   (ct_ex[]){ct_mul(pool, part[0], ct_cos(pool, u->form)),
                             ct_mul(pool, part[1], ct_sin(pool, u->form)), ct_neg(pool, part[2])});
        return true;
    }
    ct_ex scale =
        ct_let(pool, ct_add(pool, ct_power_int(pool, out[0], 2), ct_power_int(pool, out[1], 2)));
    ct_ex over = ct_power_int(pool, scale, -1), r = ct_let(pool, ct_steps_replace(b, root));
    *cosine =
        ct_mul(pool, over, ct_sub(pool, ct_mul(pool, out[0], out[2]), ct_mul(pool, out[1], r)));
    *sine = ct_mul(pool, over, ct_add(pool, ct_mul(pool, out[1], out[2]), ct_mul(pool, out[0], r)));
    ct_steps_guard(b, s, ct_sub(pool, scale, ct_power_int(pool, ct_int(pool, 10), -200)));
    // along (x, y): regular wherever a' and b' are not both zero
    ct_ex x = ct_sub(pool, ct_mul(pool, part[0], part[2]), ct_mul(pool, part[1], root)),
          y = ct_add(pool, ct_mul(pool, part[1], part[2]), ct_mul(pool, part[0], root));
    *psi = ct_sub(pool, ct_mul(pool, ct_cos(pool, u->form), y),
                  ct_mul(pool, ct_sin(pool, u->form), x));
    return true;
}

bool ct_steps_factor_slide(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex h, ct_ex k,
                           ct_ex *value, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex square = ct_sub(pool, ct_power_int(pool, h, 2), k), root;
    ct_binary f, g, d;
    known on;
    if (b->torn || !find_known(b, 1, &square, &on) || !form_of(b, &on, square, &f)) return false;
    if (!take_square(&on, &f, &g, &d)) return false;
    if (!signed_root(b, s, &on, &g, &d, ct_add(pool, u->c, h), &root)) return false;
    watch(b, s, &on, 1, &square, &f);
    restate(b, s, ct_binary_is_constant(&d));
    *value = ct_sub(pool, ct_steps_replace(b, root), h);
    *psi = ct_sum(
        pool, 3,
        (ct_ex[]){b->f->q[u->coordinate], ct_steps_in_coordinates(b, h), ct_neg(pool, root)});
    return true;
}
