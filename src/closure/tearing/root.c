// Roots instead of iterations. The equations of a group hold one or two unknowns: its iterated
// coordinates, and at most one more that a step hanging on them finds by a square root, or a linear
// slide. Elimination leaves a polynomial in one of them, whose root is followed; the other one
// follows linearly.
#include "closure/tearing/tearing.h"

#include <stdlib.h>
#include <string.h>

enum { ITERATED = -1 };

typedef struct open_unknown {
    ct_unknown x;
    int step;    // that finds it
    int segment; // that finds it, among those that hang on the group; ITERATED: none
    int tracked; // its place in w, -1: none
    ct_ex psi;   // the equation of its step, in values
} open_unknown;

typedef struct block {
    ct_tearing *t;
    int n; // unknowns, first the iterated ones, then square roots
    open_unknown *u;
} block;

static ct_ex strip(ct_pool *pool, ct_ex a) {
    return ct_ex_op(pool, a) == CT_OP_PRODUCT ? ct_neg(pool, a) : a;
}

static ct_unknown unknown_of(const ct_step_builder *build, int coordinate, ct_ex angle_sum) {
    ct_unknown x = {.coordinate = coordinate,
                    .is_angle = build->f->is_angle[coordinate],
                    .angle_sum = angle_sum};
    if (x.is_angle) {
        ct_values_pair(build->values, angle_sum, &x.c, &x.s);
        x.c = strip(build->pool, x.c);
        x.s = strip(build->pool, x.s);
    } else {
        x.c = ct_values_slide(build->values, coordinate);
    }
    return x;
}

// The sum of angles whose pair a segment sets.
static bool angle_sum_of(const ct_step_builder *build, const ct_segment *seg, ct_ex *angle_sum) {
    const ct_closure *c = build->closure;
    for (int i = 0; i < build->notes->n_solved; i++) {
        ct_ex cosine, sine;
        ct_values_pair(build->values, build->notes->solved[i], &cosine, &sine);
        for (int k = 0; k < seg->n_sets; k++)
            if (strip(build->pool, cosine) == c->registers.values.symbol[seg->sets[k].index]) {
                *angle_sum = build->notes->solved[i];
                return true;
            }
    }
    return false;
}

static const ct_rate_block *block_of(const ct_closure *c, int step) {
    for (int i = 0; i < c->n_rate_blocks; i++)
        if (c->rate_blocks[i].step == step && c->rate_blocks[i].n == 1 && !c->rate_blocks[i].tear)
            return c->rate_blocks + i;
    return NULL;
}

static bool is_linear_slide(const ct_closure *c, const ct_segment *seg) {
    const ct_rate_block *own = block_of(c, seg->step);
    return own && seg->n_sets == 1 && c->steps[seg->step].method == CT_STEP_LINEAR &&
           c->steps[seg->step].n_unknowns == 1 && !c->f->is_angle[own->unknown[0]];
}

// Adds the unknowns of hanging steps with a square root, and that of segment `slide`.
static void find_roots(block *k, int slide, int *room) {
    const ct_step_builder *build = k->t->b;
    const ct_closure *c = build->closure;
    for (int i = 0; i < k->t->hanging.n; i++) {
        const ct_segment *seg = k->t->hanging.segments + i;
        const ct_step *step = c->steps + seg->step;
        const ct_rate_block *own = block_of(c, seg->step);
        // segments that find one unknown by a square root
        if (step->n_unknowns != 1 || !own || !seg->n_sets) continue;
        if (step->method != CT_STEP_QUADRATIC && i != slide) continue;
        // the unknown, by its own angle or by an angle sum
        open_unknown u = {.step = seg->step, .segment = i};
        int coordinate = own->unknown[0];
        bool is_angle = build->f->is_angle[coordinate];
        ct_ex angle_sum = CT_ZERO;
        if (seg->n_sets != (is_angle ? 2 : 1) ||
            (is_angle && !angle_sum_of(build, seg, &angle_sum)))
            continue;
        u.x = unknown_of(build, coordinate, angle_sum);
        u.psi = ct_steps_replace(build, own->psi[0]);
        bool own_angle = !is_angle || angle_sum == build->f->q[coordinate];
        u.tracked = own_angle ? 0 : -1; // made where it is needed
        *CT_PUSH_SCRATCH(k->u, k->n, *room) = u;
    }
}

static void find_unknowns(block *k, int slide) {
    ct_tearing *t = k->t;
    int room = 0;
    for (int i = 0; i < t->n; i++) {
        ct_ex angle_sum = t->b->f->q[t->unknown[i]];
        *CT_PUSH_SCRATCH(k->u, k->n, room) =
            (open_unknown){.x = unknown_of(t->b, t->unknown[i], angle_sum),
                           .step = t->step,
                           .segment = ITERATED,
                           .tracked = t->index[i]};
    }
    find_roots(k, slide, &room);
}

static bool depends(ct_pool *pool, ct_ex a, const ct_unknown *u) {
    return ct_depends(pool, a, u->c) || (u->is_angle && ct_depends(pool, a, u->s));
}

// The unknowns that the equations hold, in their order; which[0 .. t->n - 1] are the iterated ones.
// Returns their number.
static int held(const block *k, int n, const ct_ex *equation, int most, int *which) {
    int count = 0;
    for (int i = 0; i < k->n; i++) {
        bool has = i < k->t->n;
        for (int e = 0; e < n; e++) has = has || depends(k->t->b->pool, equation[e], &k->u[i].x);
        if (!has) continue;
        if (count < most) which[count] = i;
        count++;
    }
    return count;
}

// Returns true if an equation holds an angle of the block outside sines and cosines. Couplings may:
// what they give need be no whole multiple.
static bool holds_angles(const block *k, int n, const ct_ex *equation) {
    const ct_closure *c = k->t->b->closure;
    bool has = false;
    for (int e = 0; e < n; e++) {
        for (int i = 0; i < k->t->n; i++)
            has = has || ct_depends(c->f->model->pool, equation[e],
                                    c->registers.tracked.symbol[k->t->index[i]]);
        for (int s = 0; s < k->t->hanging.n; s++) {
            const ct_segment *seg = k->t->hanging.segments + s;
            for (int i = 0; i < seg->n_follows; i++)
                has = has || ct_depends(c->f->model->pool, equation[e],
                                        c->registers.tracked.symbol[seg->follows[i].index]);
        }
    }
    return has;
}

// The equations of the block in its unknowns. Returns their number, 0 if the unknowns are more than
// two or an angle stands outside sines and cosines.
static int equations(block *k, ct_ex *equation, int *which) {
    ct_tearing *t = k->t;
    int n = t->n;
    // the group's equations, written out in its unknowns and in square roots
    for (int i = 0; i < n; i++) equation[i] = ct_steps_replace(t->b, t->psi[i]);
    ct_ex *open = ct_scratch(2 * (size_t)k->n + 1, sizeof *open);
    int n_open = 0;
    for (int i = 0; i < k->n; i++) {
        open[n_open++] = k->u[i].x.c;
        if (k->u[i].x.is_angle) open[n_open++] = k->u[i].x.s;
    }
    ct_tearing_tables(t, n_open, open);
    for (int i = 0; i < n; i++) equation[i] = ct_tearing_resolve(t, equation[i]);
    // at most two unknowns, each by its sine and cosine alone
    int count = held(k, n, equation, 2, which);
    if (count > 2 || holds_angles(k, n, equation)) return 0;
    if (count == n) return n;
    // a square root in it: the equation of its step is the second one
    equation[1] = ct_tearing_resolve(t, k->u[which[1]].psi);
    return !holds_angles(k, 2, equation) && held(k, 2, equation, 2, which) == 2 ? 2 : 0;
}

// the new segments -------------------------------------------------------------------------------
static bool uses(ct_pool *pool, const ct_segment *seg, ct_ex sign) {
    for (ct_span a = ct_segment_spans(seg, CT_ROLE_SET | CT_ROLE_GUARD); ct_span_next(&a);)
        if (ct_depends(pool, a.at[0], sign)) return true;
    return false;
}

// The sign of a step's square root, -1: it has none.
static int sign_of(const ct_tearing *t, const open_unknown *u) {
    const ct_closure *c = t->b->closure;
    for (int i = 0; i < c->registers.signs.n && c->steps[u->step].method == CT_STEP_QUADRATIC; i++)
        if (uses(t->b->pool, t->hanging.segments + u->segment, c->registers.signs.symbol[i]))
            return i;
    return -1;
}

// Returns true if other steps read the sign of this square root.
static bool is_needed(const block *k, const open_unknown *u) {
    const ct_step_builder *build = k->t->b;
    const ct_program *p = &k->t->hanging;
    int sign = sign_of(k->t, u);
    bool needed = false;
    for (int i = 0; i < p->n && sign >= 0; i++)
        needed = needed || (i != u->segment && uses(build->pool, p->segments + i,
                                                    build->closure->registers.signs.symbol[sign]));
    return needed;
}

// The root of the polynomial that is left in one unknown.
static ct_root single_root(const ct_step_builder *build, int index, bool is_angle,
                           const ct_univariate *left) {
    ct_ex out[2 * CT_UNIVARIATE + 3] = {0};
    int n = ct_univariate_coefficients(build->pool, left, is_angle, out);
    ct_ex bound = is_angle ? ct_univariate_bound(build->pool, 1, n, out) : CT_ZERO;
    return (ct_root){.unknown = index,
                     .is_angle = is_angle,
                     .unit = build->f->length,
                     .n = n,
                     .coefficient = ct_expressions_copy(n, out),
                     .bound = is_angle ? ct_expressions_copy(1, &bound) : NULL};
}

// The six polynomials of two equations, padded to one length. Returns the length.
static int six_polynomials(const ct_step_builder *build, const ct_eliminated *e, bool is_angle,
                           ct_ex **coefficient) {
    int length = 1;
    for (int i = 0; i < 6; i++) {
        int top = ct_univariate_top(&e->f[i / 3][i % 3]), n = is_angle ? 2 * top + 1 : top + 1;
        if (n > length) length = n;
    }
    *coefficient = ct_alloc(6 * (size_t)length, sizeof **coefficient);
    for (int i = 0; i < 6; i++) {
        ct_ex out[2 * CT_UNIVARIATE + 3] = {0};
        ct_univariate_coefficients(build->pool, &e->f[i / 3][i % 3], is_angle, out);
        memcpy(*coefficient + i * length, out, (size_t)length * sizeof *out);
    }
    return length;
}

// Both equations with bounds on their second derivatives, and the polynomial that is left where its
// degree is 4 or less.
static ct_root_pair pair_root(const ct_step_builder *build, int index, bool is_angle,
                              bool second_is_angle, const ct_eliminated *e) {
    ct_root_pair x = {
        .unknown = {index}, .is_angle = {is_angle, second_is_angle}, .unit = build->f->length};
    ct_ex out[2 * CT_UNIVARIATE + 3] = {0};
    if (e->degree <= 4) x.n_left = ct_univariate_coefficients(build->pool, &e->left, is_angle, out);
    x.left = ct_expressions_copy(x.n_left, out);
    x.n = six_polynomials(build, e, is_angle, &x.coefficient);
    if (!is_angle || !second_is_angle) return x;
    ct_ex bound[2];
    for (int i = 0; i < 2; i++)
        bound[i] = ct_univariate_bound(build->pool, 3, x.n, x.coefficient + 3 * i * x.n);
    x.bound = ct_expressions_copy(2, bound);
    return x;
}

// The segment that follows the root of one unknown, or of both equations of two.
static void follow_root(block *k, const open_unknown *first, const open_unknown *second,
                        const ct_eliminated *e) {
    const ct_step_builder *build = k->t->b;
    const ct_closure *c = build->closure;
    ct_segment *seg = ct_program_add(&k->t->own, k->t->step);
    int index = first->tracked;
    if (first->segment != ITERATED) ct_values_tracked(build->values, first->x.coordinate, &index);
    // one unknown: the polynomial itself
    if (!second) {
        seg->kind = CT_SEGMENT_ROOT;
        seg->root = single_root(build, index, first->x.is_angle, &e->left);
        return;
    }
    // two unknowns: both equations; the second unknown is tracked by its values
    seg->kind = CT_SEGMENT_ROOT_PAIR;
    seg->root_pair = pair_root(build, index, first->x.is_angle, second->x.is_angle, e);
    const ct_ex of[2] = {second->x.c, second->x.s};
    for (int i = 0; i < (second->x.is_angle ? 2 : 1); i++) {
        int v = ct_values_index(build->values, of[i]),
            w = ct_values_follow(build->values, c->registers.values.meaning[v]);
        if (!i) seg->root_pair.unknown[1] = w;
        ct_segment_set(seg, v, c->registers.tracked.symbol[w]);
    }
}

// descriptions -----------------------------------------------------------------------------------
static void restate(ct_step *s, ct_step_method method, int degree, char *text) {
    s->method = method;
    s->degree = degree;
    s->text = text;
}

static void describe(const block *k, const open_unknown *first, const open_unknown *second,
                     int degree) {
    static const ct_step_method methods[] = {CT_STEP_LINEAR, CT_STEP_LINEAR, CT_STEP_QUADRATIC,
                                             CT_STEP_CUBIC, CT_STEP_QUARTIC};
    ct_closure *c = k->t->b->closure;
    ct_step *s = c->steps + k->t->step;
    restate(
        s, degree <= 4 ? methods[degree] : CT_STEP_POLYNOMIAL, degree,
        ct_format("polynomial of degree %d%s", degree, degree <= 4 ? "" : ", its root followed"));
    if (!second || k->t->n == 2) return;
    ct_step *other = c->steps + (second->step == k->t->step ? first : second)->step;
    restate(other, CT_STEP_LINEAR, 1, ct_strdup("linear in what the polynomial gives"));
    if (second->step != k->t->step) return;
    // the polynomial is that of the other unknown
    char **names = s->unknowns;
    int joint = s->joint;
    s->unknowns = other->unknowns;
    s->joint = other->joint;
    other->unknowns = names;
    other->joint = joint;
}

// Writes the root. If the second unknown is that of a hanging step, the root finds it in its place.
static void rebuild(block *k, const open_unknown *first, const open_unknown *second,
                    const ct_eliminated *e) {
    if (second && k->t->n == 1)
        k->t->absorbed = (first->segment == ITERATED ? second : first)->segment;
    follow_root(k, first, second, e);
    describe(k, first, second, e->degree);
}

// Mirror images: the iterated angle is found by its cosine, hanging steps stay as they are.
static bool halve(block *k, const open_unknown *first, const ct_eliminated *e) {
    ct_tearing *t = k->t;
    if (first->segment != ITERATED || t->n != 1) return false;
    int degree = ct_tearing_cosine(t, 0, NULL, &first->x, &e->left);
    if (!degree) return false;
    ct_tearing_cosine(t, 0, ct_program_add(&t->own, t->step), &first->x, &e->left);
    describe(k, first, NULL, degree);
    return true;
}

// Solves the group by a polynomial of degree `most` or less. slide: the segment whose linear slide
// is an unknown too, -1: none. Returns false, with nothing written, if there is no such polynomial.
static bool reduce(ct_tearing *t, int most, int slide) {
    block k = {.t = t};
    ct_ex equation[2];
    int which[2] = {0}, best = -1;
    // unknowns and equations of the block
    find_unknowns(&k, slide);
    int n = equations(&k, equation, which);
    for (int i = 0; i < n; i++)
        if (which[i] >= t->n && is_needed(&k, k.u + which[i])) n = 0;
    // either unknown may be the one to keep: the polynomial of lower degree is taken
    ct_eliminated *e = ct_scratch(2, sizeof *e);
    for (int order = 0; order < n; order++) {
        ct_unknown x[2] = {k.u[which[order]].x};
        if (n == 2) x[1] = k.u[which[1 - order]].x;
        if (k.u[which[order]].tracked < 0) continue;
        if (!ct_tearing_eliminate(t->b, n, equation, x, e + order)) {
            e[order].degree = 0;
            continue;
        }
        if (best < 0 || e[order].degree < e[best].degree) best = order;
    }
    // mirror images where the degree is above 4, else the whole polynomial
    bool halved = false;
    for (int order = 0; order < n && best >= 0 && e[best].degree > 4 && !halved; order++)
        halved = e[order].degree > 0 && halve(&k, k.u + which[order], e + order);
    bool whole = !halved && best >= 0 && e[best].degree <= most;
    if (whole) rebuild(&k, k.u + which[best], n == 2 ? k.u + which[1 - best] : NULL, e + best);
    return halved || whole;
}

// Linear slides are written out first. Where their divisor depends on the iterated unknown that
// leaves no polynomials; then one linear slide after the other is tried as the second unknown.
bool ct_tearing_polynomial(ct_tearing *t, int most) {
    const ct_closure *c = t->b->closure;
    if (t->n > 2) return false;
    bool done = reduce(t, most, -1);
    for (int i = 0; i < t->hanging.n && !done && t->n == 1; i++)
        if (is_linear_slide(c, t->hanging.segments + i)) done = reduce(t, most, i);
    return done;
}
