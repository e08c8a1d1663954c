// Elimination in blocks of two unknowns whose other quantities are known. Known quantities are
// never multiplied out: coefficients are expressions, shared, below opaque nodes (ct_let).
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
    const ct_step_builder *b;
    ct_pool *pool;
} work;

// Products leave powers above CT_UNIVARIATE out: callers stay below.
static ct_univariate mul(ct_pool *pool, const ct_univariate *a, const ct_univariate *b) {
    ct_univariate r = {0};
    for (int i = 0; i <= CT_UNIVARIATE; i++)
        for (int k = 0; i + k <= CT_UNIVARIATE; k++) {
            ct_ex uu = ct_mul(pool, a->u[i], b->u[k]), vv = ct_mul(pool, a->v[i], b->v[k]);
            ct_ex uv = ct_add(pool, ct_mul(pool, a->u[i], b->v[k]), ct_mul(pool, a->v[i], b->u[k]));
            r.u[i + k] = ct_sum(pool, 3, (ct_ex[]){r.u[i + k], uu, vv});
            r.v[i + k] = ct_add(pool, r.v[i + k], uv);
            if (i + k + 2 <= CT_UNIVARIATE) r.u[i + k + 2] = ct_sub(pool, r.u[i + k + 2], vv);
        }
    return r;
}

static ct_univariate add(ct_pool *pool, const ct_univariate *a, int f, const ct_univariate *b) {
    ct_univariate r;
    ct_ex factor = ct_int(pool, f);
    for (int i = 0; i <= CT_UNIVARIATE; i++) {
        r.u[i] = ct_add(pool, a->u[i], ct_mul(pool, factor, b->u[i]));
        r.v[i] = ct_add(pool, a->v[i], ct_mul(pool, factor, b->v[i]));
    }
    return r;
}

static ct_univariate cross(ct_pool *pool, const ct_univariate *a, const ct_univariate *b,
                           const ct_univariate *c, const ct_univariate *d) {
    ct_univariate x = mul(pool, a, b), y = mul(pool, c, d);
    x = add(pool, &x, -1, &y);
    for (int i = 0; i <= CT_UNIVARIATE; i++) {
        x.u[i] = ct_let(pool, x.u[i]);
        x.v[i] = ct_let(pool, x.v[i]);
    }
    return x;
}

static bool is_zero(const ct_univariate *a) {
    return ct_univariate_top(a) < 0;
}

static void fence(ct_pool *pool, ct_univariate *p) {
    for (int i = 0; i <= CT_UNIVARIATE; i++) {
        p->u[i] = ct_let(pool, p->u[i]);
        p->v[i] = ct_let(pool, p->v[i]);
    }
}

// An equation by powers of the second unknown, 1 C S or 1 y y^2. Returns false if it holds others.
static bool by_second(const work *w, ct_ex a, const ct_unknown *u, ct_ex *part) {
    ct_univariate p;
    if (!ct_steps_polynomial(w->b, a, u, &p)) return false;
    ct_steps_trim(w->b, u, &p);
    part[0] = p.u[0];
    part[1] = p.u[1];
    part[2] = u->is_angle ? p.v[0] : p.u[2];
    return ct_univariate_top(&p) <= (u->is_angle ? 1 : 2);
}

static bool by_first(const work *w, ct_ex a, const ct_unknown *u, ct_univariate *p) {
    if (!ct_steps_polynomial(w->b, a, u, p)) return false;
    ct_steps_trim(w->b, u, p);
    fence(w->pool, p);
    return true;
}

static ct_univariate square(ct_pool *pool, const ct_univariate *a) {
    return mul(pool, a, a);
}

static ct_univariate without_angle(const work *w, const ct_unknown *u, ct_univariate (*f)[3]) {
    ct_pool *pool = w->pool;
    ct_univariate *g = f[1], x = cross(pool, &f[0][2], &g[0], &f[0][0], &g[2]),
                  y = cross(pool, &f[0][0], &g[1], &f[0][1], &g[0]),
                  d = cross(pool, &f[0][1], &g[2], &f[0][2], &g[1]);
    ct_steps_trim(w->b, u, &x);
    ct_steps_trim(w->b, u, &y);
    ct_steps_trim(w->b, u, &d);
    ct_univariate xx = square(pool, &x), yy = square(pool, &y), dd = square(pool, &d);
    xx = add(pool, &xx, 1, &yy);
    return add(pool, &xx, -1, &dd);
}

static ct_univariate without_slide(const work *w, const ct_unknown *u, ct_univariate (*f)[3]) {
    ct_pool *pool = w->pool;
    ct_univariate *g = f[1];
    if (is_zero(&f[0][2]) && is_zero(&g[2])) return cross(pool, &f[0][0], &g[1], &f[0][1], &g[0]);
    ct_univariate low = cross(pool, &f[0][1], &g[0], &f[0][0], &g[1]);
    if (is_zero(&g[2])) { // f2 g0^2 - g1 (f1 g0 - f0 g1)
        ct_univariate top = square(pool, &g[0]);
        return cross(pool, &f[0][2], &top, &g[1], &low);
    }
    ct_univariate mid = cross(pool, &f[0][2], &g[0], &f[0][0], &g[2]),
                  high = cross(pool, &f[0][2], &g[1], &f[0][1], &g[2]);
    ct_steps_trim(w->b, u, &low);
    ct_steps_trim(w->b, u, &mid);
    ct_steps_trim(w->b, u, &high);
    return cross(pool, &mid, &mid, &high, &low);
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
    if (!is_zero(&e->f[0][2])) return;
    for (int k = 0; k < 3; k++) {
        ct_univariate t = e->f[0][k];
        e->f[0][k] = e->f[1][k];
        e->f[1][k] = t;
    }
}

bool ct_tearing_eliminate(const ct_step_builder *build, int n, const ct_ex *equation,
                          const ct_unknown *u, ct_eliminated *e) {
    work w = {build, build->pool};
    memset(e, 0, sizeof *e);
    if (n == 1) {
        if (!by_first(&w, equation[0], u, &e->left)) return false;
    } else {
        // both equations by powers of the second unknown, then of the first
        for (int i = 0; i < 2; i++) {
            ct_ex part[3];
            if (!by_second(&w, equation[i], u + 1, part)) return false;
            for (int k = 0; k < 3; k++)
                if (!by_first(&w, part[k], u, &e->f[i][k])) return false;
        }
        // the second unknown eliminated
        if (bound(e) > CT_UNIVARIATE) return false;
        if (!u[1].is_angle) keep_quadratic_first(e);
        e->left = u[1].is_angle ? without_angle(&w, u, e->f) : without_slide(&w, u, e->f);
    }
    // degree in the first: an angle has two roots for each power
    fence(build->pool, &e->left);
    ct_steps_trim(w.b, u, &e->left);
    e->degree = ct_univariate_top(&e->left) * (u->is_angle ? 2 : 1);
    return e->degree > 0 && e->degree <= CT_UNIVARIATE;
}
