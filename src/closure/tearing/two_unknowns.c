// Elimination in blocks of two unknowns whose other quantities are known. What is known is never
// multiplied out: coefficients are expressions, shared and fenced.
//
// Second unknown an angle,  f0 + f1 C + f2 S = 0 = g0 + g1 C + g2 S:  C = X / D, S = Y / D with
//   X = f2 g0 - f0 g2,  Y = f0 g1 - f1 g0,  D = f1 g2 - f2 g1,  and  X^2 + Y^2 - D^2 = 0  is left.
// A slide,  f0 + f1 y + f2 y^2 = 0 = g0 + g1 y + g2 y^2:  the resultant
//   (f2 g0 - f0 g2)^2 - (f2 g1 - f1 g2)(f1 g0 - f0 g1) = 0,  less where an equation is linear.
// Terms that cancel whatever the lengths and the position (of the loops before) are recognised by
// their numbers: for distances between bars X^2 + Y^2 - D^2 has six roots, not eight.
#include "closure/tearing/tearing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    ct_steps *b;
    ct_pool *pool;
} work;

// Numbers for everything below n expressions: coordinates and lengths at random, values and what
// else there is as they follow from these. Returns the largest size.
static double random_size(const work *w, int n, const ct_ex *a, double *out) {
    const ct_closure *c = w->b->closure;
    const ct_formulation *f = w->b->f;
    ct_numbers x;
    ct_torn_numbers(w->b, &x);
    ct_ex *symbols;
    int count = ct_ex_symbols(w->pool, n, a, &symbols);
    unsigned state = 12345;
    double *v = ct_alloc((size_t)(f->n + c->registers.values.n) + 1, sizeof *v), largest = 0;
    for (int i = 0; i < f->n + count; i++) {
        bool own = i >= f->n;
        ct_ex symbol = own ? symbols[i - f->n] : f->q[i];
        double r, old;
        state = state * 1664525u + 1013904223u;
        r = 0.4 + (double)(state >> 8) / 16777216.0;
        if (own && ct_symbol_kind_of(w->pool, symbol) != CT_SYMBOL_PARAMETER) continue;
        ct_numbers_eval(&x, 1, &symbol, &old);
        if (own) r *= old;
        ct_numbers_set(&x, 1, &symbol, &r);
    }
    free(symbols);
    ct_numbers_eval(&x, c->registers.values.n, c->registers.values.meaning, v);
    ct_numbers_set(&x, c->registers.values.n, c->registers.values.symbol, v);
    free(v);
    ct_numbers_eval(&x, n, a, out);
    ct_numbers_clear(&x);
    for (int i = 0; i < n; i++)
        if (!(fabs(out[i]) <= largest)) largest = fabs(out[i]);
    return largest;
}

static ct_ex at_zero(const work *w, ct_ex a, const ct_unknown *x) {
    ct_substitution *s = ct_substitution_new(w->pool);
    ct_substitution_map(s, x->c, CT_ZERO);
    if (x->turn) ct_substitution_map(s, x->s, CT_ZERO);
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

// Zero whatever its symbols are; *size grows with what was seen.
static bool vanishes(const work *w, ct_ex a, double *size) {
    double out;
    if (a == CT_ZERO) return true;
    random_size(w, 1, &a, &out);
    *size = fmax(*size, fabs(out));
    return fabs(out) <= 1e-10 * *size;
}

// By derivatives at zero.
bool ct_steps_polynomial(ct_steps *owner, ct_ex a, const ct_unknown *x, ct_univariate *p) {
    const work own = {owner, owner->pool}, *w = &own;
    enum { MOST = 6 };
    ct_pool *pool = w->pool;
    double size = 0;
    memset(p, 0, sizeof *p);
    (void)vanishes(w, a, &size);
    long fi = 1;
    for (int i = 0; !vanishes(w, a, &size) || i == 0; a = ct_diff(pool, a, x->c), fi *= ++i) {
        ct_ex b = a;
        long fj = 1;
        if (i > MOST || !isfinite(size)) return false;
        for (int j = 0; j == 0 || (x->turn && !vanishes(w, b, &size)); fj *= ++j) {
            if (i + j > MOST) return false;
            ct_univariate_add_term(
                pool, p, ct_mul(pool, ct_rational(pool, 1, fi * fj), at_zero(w, b, x)), i, j);
            if (x->turn) b = ct_diff(pool, b, x->s);
        }
    }
    return true;
}

// Drops coefficients that cancel identically.
static void trim(const work *w, ct_univariate *p) {
    enum { ALL = CT_UNIVARIATE + 1 };
    ct_ex all[2 * ALL];
    double out[2 * ALL];
    memcpy(all, p->u, sizeof p->u);
    memcpy(all + ALL, p->v, sizeof p->v);
    double size = random_size(w, 2 * ALL, all, out);
    for (int i = 0; i < ALL; i++) {
        if (fabs(out[i]) < 1e-10 * size) p->u[i] = CT_ZERO;
        if (fabs(out[ALL + i]) < 1e-10 * size) p->v[i] = CT_ZERO;
    }
}

static void fence(ct_pool *pool, ct_univariate *p) {
    for (int i = 0; i <= CT_UNIVARIATE; i++) {
        p->u[i] = ct_let(pool, p->u[i]);
        p->v[i] = ct_let(pool, p->v[i]);
    }
}

// An equation by powers of the second unknown, 1 C S or 1 y y^2; false: it holds others.
static bool by_second(const work *w, ct_ex a, const ct_unknown *x, ct_ex *part) {
    ct_univariate p;
    if (!ct_steps_polynomial(w->b, a, x, &p)) return false;
    trim(w, &p);
    part[0] = p.u[0];
    part[1] = p.u[1];
    part[2] = x->turn ? p.v[0] : p.u[2];
    return ct_univariate_top(&p) <= (x->turn ? 1 : 2);
}

static bool by_first(const work *w, ct_ex a, const ct_unknown *x, ct_univariate *p) {
    if (!ct_steps_polynomial(w->b, a, x, p)) return false;
    trim(w, p);
    fence(w->pool, p);
    return true;
}

static ct_univariate square(ct_pool *pool, const ct_univariate *a) {
    return ct_univariate_mul(pool, a, a);
}

static ct_univariate without_angle(const work *w, ct_univariate (*f)[3]) {
    ct_pool *pool = w->pool;
    ct_univariate *g = f[1], x = ct_univariate_cross(pool, &f[0][2], &g[0], &f[0][0], &g[2]),
                  y = ct_univariate_cross(pool, &f[0][0], &g[1], &f[0][1], &g[0]),
                  d = ct_univariate_cross(pool, &f[0][1], &g[2], &f[0][2], &g[1]);
    trim(w, &x);
    trim(w, &y);
    trim(w, &d);
    ct_univariate xx = square(pool, &x), yy = square(pool, &y), dd = square(pool, &d);
    xx = ct_univariate_add(pool, &xx, 1, &yy);
    return ct_univariate_add(pool, &xx, -1, &dd);
}

static ct_univariate without_slide(const work *w, ct_univariate (*f)[3]) {
    ct_pool *pool = w->pool;
    ct_univariate *g = f[1];
    if (ct_univariate_is_zero(&f[0][2]) && ct_univariate_is_zero(&g[2]))
        return ct_univariate_cross(pool, &f[0][0], &g[1], &f[0][1], &g[0]);
    ct_univariate low = ct_univariate_cross(pool, &f[0][1], &g[0], &f[0][0], &g[1]);
    if (ct_univariate_is_zero(&g[2])) { // f2 g0^2 - g1 (f1 g0 - f0 g1)
        ct_univariate top = square(pool, &g[0]);
        return ct_univariate_cross(pool, &f[0][2], &top, &g[1], &low);
    }
    ct_univariate mid = ct_univariate_cross(pool, &f[0][2], &g[0], &f[0][0], &g[2]),
                  high = ct_univariate_cross(pool, &f[0][2], &g[1], &f[0][1], &g[2]);
    trim(w, &low);
    trim(w, &mid);
    trim(w, &high);
    return ct_univariate_cross(pool, &mid, &mid, &high, &low);
}

// Highest power that elimination may reach, before anything cancels.
static int bound(const ct_eliminated *e) {
    int most = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            int top = ct_univariate_top(&e->f[i][k]);
            if (top > most) most = top;
        }
    return 4 * most;
}

static void keep_quadratic_first(ct_eliminated *e) {
    if (!ct_univariate_is_zero(&e->f[0][2])) return;
    for (int k = 0; k < 3; k++) {
        ct_univariate t = e->f[0][k];
        e->f[0][k] = e->f[1][k];
        e->f[1][k] = t;
    }
}

bool ct_torn_eliminate(ct_steps *b, int n, const ct_ex *equation, const ct_unknown *x,
                       ct_eliminated *e) {
    work w = {b, b->pool};
    memset(e, 0, sizeof *e);
    if (n == 1) {
        if (!by_first(&w, equation[0], x, &e->left)) return false;
    } else {
        for (int i = 0; i < 2; i++) {
            ct_ex part[3];
            if (!by_second(&w, equation[i], x + 1, part)) return false;
            for (int k = 0; k < 3; k++)
                if (!by_first(&w, part[k], x, &e->f[i][k])) return false;
        }
        if (bound(e) > CT_UNIVARIATE) return false;
        if (!x[1].turn) keep_quadratic_first(e);
        e->left = x[1].turn ? without_angle(&w, e->f) : without_slide(&w, e->f);
    }
    fence(b->pool, &e->left);
    trim(&w, &e->left);
    e->degree = ct_univariate_top(&e->left) * (x->turn ? 2 : 1);
    return e->degree > 0 && e->degree <= CT_UNIVARIATE;
}
