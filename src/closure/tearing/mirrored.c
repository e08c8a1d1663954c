// Loops that are their own mirror images have polynomials in the cosine (or the sine) of an angle
// alone: half as many roots as in the angle, and the sine follows by a square root. Where the sine
// vanishes both images meet; blocks that start near there follow the angle instead.
#include "closure/tearing/tearing.h"

#include <math.h>
#include <stdlib.h>

void ct_torn_strip(ct_segment *s) {
    ct_segment_clear(s);
}

static double start_of(ct_steps *b, ct_ex value) {
    double x;
    ct_numbers n;
    ct_torn_numbers(b, &n);
    ct_numbers_eval(&n, 1, &value, &x);
    ct_numbers_clear(&n);
    return x;
}

int ct_torn_cosine(ct_torn *t, int i, ct_segment *s, const ct_unknown *x,
                   const ct_univariate *left) {
    const double far = 0.3;
    ct_steps *b = t->b;
    ct_closure *c = b->closure;
    ct_ex coefficient[CT_UNIVARIATE + 1], cosine, sine;
    bool by_sine;
    int top = ct_univariate_top(left);
    if (!x->turn || top < 1 || top > 4 || !ct_univariate_pure(b->pool, left, &by_sine, coefficient))
        return 0;
    ct_ex found = by_sine ? x->s : x->c;
    if (!(fabs(start_of(b, by_sine ? x->c : x->s)) > far)) return 0;
    if (!s) return top;
    int v = ct_forms_index(b->forms, found),
        w = ct_forms_follow(b->forms, c->registers.values.meaning[v]);
    ct_torn_strip(s);
    s->kind = CT_SEGMENT_ROOT;
    s->root = (ct_root){.unknown = w,
                        .unit = 1,
                        .n = top + 1,
                        .coefficient = ct_expressions_copy(top + 1, coefficient)};
    ct_steps_trig(b, s, x, by_sine ? CT_ZERO : CT_ONE, by_sine ? CT_ONE : CT_ZERO,
                  c->registers.tracked.symbol[w], &cosine, &sine);
    ct_forms_set(b->forms, s, b->f->q[t->unknown[i]], cosine, sine);
    return top;
}
