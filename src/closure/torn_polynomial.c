// Two unknown angles, two equations that are linear in the cosine and sine of either:
//   f0 + f1 C + f2 S = 0,  g0 + g1 C + g2 S = 0   with C, S of the second angle,
// f and g linear in c, s of the first. So C = (f2 g0 - f0 g2) / d, S = (f0 g1 - f1 g0) / d with
// d = f1 g2 - f2 g1, and C^2 + S^2 = 1 is the univariate equation
//   (f2 g0 - f0 g2)^2 + (f0 g1 - f1 g0)^2 - d^2 = 0.
// For distances between bars its terms of highest degree cancel: six roots for the tangent of half
// the angle.
#include "closure/torn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// u(c) + s v(c), by s^2 = 1 - c^2
enum { TOP = 6 };
typedef struct poly {
    ct_ex u[TOP + 1], v[TOP + 1];
} poly;

static poly multiply(ct_pool *pool, const poly *a, const poly *b) {
    poly r = {0};
    for (int i = 0; i <= TOP; i++)
        for (int k = 0; i + k <= TOP; k++) {
            ct_ex uu = ct_mul(pool, a->u[i], b->u[k]), vv = ct_mul(pool, a->v[i], b->v[k]);
            ct_ex uv = ct_add(pool, ct_mul(pool, a->u[i], b->v[k]), ct_mul(pool, a->v[i], b->u[k]));
            r.u[i + k] = ct_sum(pool, 3, (ct_ex[]){r.u[i + k], uu, vv});
            r.v[i + k] = ct_add(pool, r.v[i + k], uv);
            if (i + k + 2 <= TOP) r.u[i + k + 2] = ct_sub(pool, r.u[i + k + 2], vv);
        }
    return r;
}

static poly combine(ct_pool *pool, const poly *a, const poly *b, int sign) {
    poly r;
    for (int i = 0; i <= TOP; i++) {
        r.u[i] = sign > 0 ? ct_add(pool, a->u[i], b->u[i]) : ct_sub(pool, a->u[i], b->u[i]);
        r.v[i] = sign > 0 ? ct_add(pool, a->v[i], b->v[i]) : ct_sub(pool, a->v[i], b->v[i]);
    }
    return r;
}

static poly fenced(ct_pool *pool, poly a) {
    for (int i = 0; i <= TOP; i++) {
        a.u[i] = ct_let(pool, a.u[i]);
        a.v[i] = ct_let(pool, a.v[i]);
    }
    return a;
}

// a b - c d
static poly cross(ct_pool *pool, const poly *a, const poly *b, const poly *c, const poly *d) {
    poly x = multiply(pool, a, b), y = multiply(pool, c, d);
    return fenced(pool, combine(pool, &x, &y, -1));
}

typedef struct pair {
    ct_ex c, s; // symbols
} pair;

typedef struct work {
    ct_torn *t;
    ct_pool *pool;
    pair first, second;
} work;

// Is the expression zero whatever its symbols are (but parameters near their values)?
static double random_size(work *w, int n, const ct_ex *a, double *out) {
    ct_numbers x;
    ct_torn_numbers(w->t->b, &x);
    ct_ex *symbols;
    int count = ct_ex_symbols(w->pool, n, a, &symbols);
    unsigned state = 12345;
    double largest = 0;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        double r = 0.4 + (double)(state >> 8) / 16777216.0, old;
        ct_numbers_eval(&x, 1, symbols + i, &old);
        if (ct_symbol_kind_of(w->pool, symbols[i]) == CT_SYMBOL_PARAMETER) r *= old;
        ct_numbers_set(&x, 1, symbols + i, &r);
    }
    free(symbols);
    ct_numbers_eval(&x, n, a, out);
    ct_numbers_clear(&x);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(out[i]));
    return largest;
}

static ct_ex strip(ct_pool *pool, ct_ex a) {
    return ct_ex_op(pool, a) == CT_OP_PRODUCT ? ct_neg(pool, a) : a;
}

static ct_ex at_zero(work *w, ct_ex a, pair p) {
    ct_substitution *s = ct_substitution_new(w->pool);
    ct_substitution_map(s, p.c, CT_ZERO);
    ct_substitution_map(s, p.s, CT_ZERO);
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

// a = r0 + r1 c + r2 s + r3 (c^2 + s^2) in the symbols of a pair; false: not of that form.
static bool linear_in(work *w, ct_ex a, pair p, ct_ex *r) {
    ct_pool *pool = w->pool;
    ct_ex half = ct_rational(pool, 1, 2), ac = ct_diff(pool, a, p.c), as = ct_diff(pool, a, p.s);
    ct_ex cc = ct_mul(pool, half, ct_diff(pool, ac, p.c)),
          ss = ct_mul(pool, half, ct_diff(pool, as, p.s)), cs = ct_diff(pool, ac, p.s),
          ccc = ct_diff(pool, cc, p.c);
    r[0] = ct_add(pool, at_zero(w, a, p), at_zero(w, cc, p));
    r[1] = at_zero(w, ac, p);
    r[2] = at_zero(w, as, p);
    ct_ex test[] = {r[0], r[1], r[2], ct_sub(pool, cc, ss), cs, ccc};
    double out[6], size = random_size(w, 6, test, out);
    return isfinite(size) && fabs(out[3]) < 1e-10 * size && fabs(out[4]) < 1e-10 * size &&
           fabs(out[5]) < 1e-10 * size;
}

static bool poly_of(work *w, ct_ex a, poly *p) {
    ct_ex r[3];
    memset(p, 0, sizeof *p);
    if (!linear_in(w, a, w->first, r)) return false;
    p->u[0] = ct_let(w->pool, r[0]);
    p->u[1] = ct_let(w->pool, r[1]);
    p->v[0] = ct_let(w->pool, r[2]);
    return true;
}

static ct_ex evaluate(ct_pool *pool, const poly *p, ct_ex c, ct_ex s) {
    ct_ex u = CT_ZERO, v = CT_ZERO;
    for (int i = TOP; i >= 0; i--) {
        u = ct_add(pool, ct_mul(pool, ct_let(pool, u), c), p->u[i]);
        v = ct_add(pool, ct_mul(pool, ct_let(pool, v), c), p->v[i]);
    }
    return ct_add(pool, u, ct_mul(pool, s, ct_let(pool, v)));
}

// Highest powers that cancel identically are dropped; the degree for the tangent of half the angle.
static int trim(work *w, poly *p) {
    ct_ex all[2 * TOP + 2];
    double out[2 * TOP + 2];
    memcpy(all, p->u, sizeof p->u);
    memcpy(all + TOP + 1, p->v, sizeof p->v);
    double size = random_size(w, 2 * TOP + 2, all, out);
    int degree = 0;
    for (int i = 0; i <= TOP; i++) {
        if (fabs(out[i]) < 1e-10 * size) p->u[i] = CT_ZERO;
        if (fabs(out[TOP + 1 + i]) < 1e-10 * size) p->v[i] = CT_ZERO;
        if (p->u[i] != CT_ZERO && i > degree) degree = i;
        if (p->v[i] != CT_ZERO && i + 1 > degree) degree = i + 1;
    }
    return 2 * degree;
}

// The one step of the group with a square root, if there is exactly one and it is an angle's.
static int only_root(const ct_closure *c, int first_step, int last_step) {
    int found = -1;
    for (int i = first_step; i < last_step; i++)
        if (c->steps[i].method != CT_STEP_LINEAR && c->steps[i].method != CT_STEP_GIVEN) {
            if (found >= 0 || c->steps[i].method != CT_STEP_QUADRATIC ||
                c->steps[i].n_unknowns != 1)
                return -1;
            found = i;
        }
    return found;
}

static void restate(ct_step *s, ct_step_method method, int degree, char *text) {
    s->method = method;
    s->degree = degree;
    free(s->text);
    s->text = text;
}

bool ct_torn_polynomial(ct_torn *t, int first_segment, int step, ct_ex psi) {
    ct_steps *b = t->b;
    ct_closure *c = b->closure;
    ct_pool *pool = b->pool;
    int root = only_root(c, step + 1, c->n_steps);
    if (root < 0 || t->n != 1 || !b->f->is_angle[t->unknown[0]]) return false;
    ct_segment *segment = NULL;
    const ct_block *block = NULL;
    for (int i = first_segment; i < c->positions.n; i++)
        if (c->positions.segments[i].step == root) segment = c->positions.segments + i;
    for (int i = 0; i < c->n_blocks; i++)
        if (c->blocks[i].step == root) block = c->blocks + i;
    if (!segment || !block || segment->n_sets != 2 || !b->f->is_angle[block->unknown[0]])
        return false;
    // both pairs stay as symbols, everything else is written out in them
    work w = {.t = t, .pool = pool};
    ct_forms_pair(b->forms, b->f->q[t->unknown[0]], &w.first.c, &w.first.s);
    w.first = (pair){strip(pool, w.first.c), strip(pool, w.first.s)};
    w.second = (pair){c->value[segment->sets[0].index], c->value[segment->sets[1].index]};
    ct_ex form = CT_ZERO;
    for (int i = 0; i < b->n_solved; i++) { // which of the two is the cosine
        ct_ex cosine, sine;
        ct_forms_pair(b->forms, b->solved[i], &cosine, &sine);
        if (strip(pool, cosine) == w.second.c || strip(pool, sine) == w.second.c) {
            w.second = (pair){strip(pool, cosine), strip(pool, sine)};
            form = b->solved[i];
        }
    }
    if (form == CT_ZERO) return false;
    ct_ex equation[2] = {ct_steps_replace(b, block->psi[0]), ct_steps_replace(b, psi)};
    ct_torn_tables(t, first_segment);
    pair keep[2] = {w.first, w.second};
    for (int i = 0; i < 2; i++) {
        ct_ex of[2] = {keep[i].c, keep[i].s};
        for (int k = 0; k < 2; k++) {
            int v = ct_forms_index(b->forms, of[k]);
            t->expression[v] = CT_UNSET;
            t->done[v] = of[k];
            t->open[t->n_open++] = of[k];
        }
    }
    poly p[2][3];
    ct_ex part[2][3];
    for (int e = 0; e < 2; e++) {
        equation[e] = ct_torn_resolve(t, equation[e]);
        if (!linear_in(&w, equation[e], w.second, part[e])) return false;
        for (int i = 0; i < 3; i++)
            if (!poly_of(&w, part[e][i], &p[e][i])) return false;
    }
    poly x = cross(pool, &p[0][2], &p[1][0], &p[0][0], &p[1][2]),
         y = cross(pool, &p[0][0], &p[1][1], &p[0][1], &p[1][0]),
         d = cross(pool, &p[0][1], &p[1][2], &p[0][2], &p[1][1]);
    trim(&w, &x);
    trim(&w, &y);
    trim(&w, &d);
    poly xx = multiply(pool, &x, &x), yy = multiply(pool, &y, &y), dd = multiply(pool, &d, &d);
    poly all = combine(pool, &xx, &yy, 1);
    all = fenced(pool, combine(pool, &all, &dd, -1));
    int degree = trim(&w, &all);
    if (!degree) return false;
    // the iteration is on the polynomial, the second pair follows linearly
    ct_segment *newton = c->positions.segments + first_segment;
    ct_ex cosine = ct_cos(pool, t->tracked[0]), sine = ct_sin(pool, t->tracked[0]);
    newton->residual[0] = evaluate(pool, &all, cosine, sine);
    newton->matrix[0] = ct_diff(pool, newton->residual[0], t->tracked[0]);
    ct_ex first_c, first_s;
    ct_forms_pair(b->forms, b->f->q[t->unknown[0]], &first_c, &first_s);
    ct_ex over = ct_let(pool, ct_power_int(pool, evaluate(pool, &d, w.first.c, w.first.s), -1));
    free(segment->sets);
    free(segment->guards);
    segment->sets = NULL;
    segment->guards = NULL;
    segment->n_sets = segment->n_guards = 0;
    c->n_signs--; // the root's
    ct_ex second_c, second_s;
    ct_forms_pair(b->forms, form, &second_c, &second_s);
    ct_ex value_c = ct_mul(pool, evaluate(pool, &x, w.first.c, w.first.s), over),
          value_s = ct_mul(pool, evaluate(pool, &y, w.first.c, w.first.s), over);
    if (second_c != w.second.c) value_c = ct_neg(pool, value_c);
    if (second_s != w.second.s) value_s = ct_neg(pool, value_s);
    ct_forms_set(b->forms, segment, form, value_c, value_s);
    ct_ex d2 = ct_power_int(pool, evaluate(pool, &d, w.first.c, w.first.s), 2);
    ct_steps_guard(b, segment, ct_sub(pool, d2, ct_power_int(pool, ct_int(pool, 10), -200)));
    restate(c->steps + step, CT_STEP_POLYNOMIAL, degree,
            ct_format("polynomial of degree %d, its root followed", degree));
    restate(c->steps + root, CT_STEP_LINEAR, 1, ct_strdup("linear in what the polynomial gives"));
    return true;
}
