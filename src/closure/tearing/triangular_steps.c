// Steps of a triangular system instead of an iteration: every iterated coordinate has a polynomial
// of its own, with coefficients from elimination in terms of the coordinates solved before.
#include "closure/tearing/tearing.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct plan {
    ct_tearing *t;
    const ct_block_system *s;
    const ct_triangular *tri;
    ct_template_result by[CT_TRIANGULAR_UNKNOWNS][2];
    ct_ex *value;   // [variables of the ring] cosine, sine or slide; helpers: none
    ct_numbers now; // at the initial position
} plan;

// coefficients -----------------------------------------------------------------------------------
typedef struct part {   // the coefficient of a power of the unknown
    ct_ex sum, squares; // and the sum of squares of its terms
} part;

// The coefficient of c^i s^j, u the unknown of the step.
static part part_of(const plan *p, const ct_template_result *result, const ct_block_unknown *u,
                    int i, int j) {
    ct_pool *pool = p->t->b->pool;
    part out = {CT_ZERO, CT_ZERO};
    for (int k = 0; k < result->n; k++) {
        const uint8_t *m = result->monomial[k].e;
        if (m[u->c] != i || (u->is_angle && m[u->s] != j)) continue;
        ct_ex term = result->coefficient[k];
        for (int v = 0; v < p->s->ring->n; v++)
            if (m[v] && v != u->c && !(u->is_angle && v == u->s))
                term = ct_mul(pool, term, ct_power_int(pool, p->value[v], m[v]));
        out.sum = ct_add(pool, out.sum, term);
        out.squares = ct_add(pool, out.squares, ct_power_int(pool, term, 2));
    }
    out.sum = ct_let(pool, out.sum);
    out.squares = ct_let(pool, out.squares);
    return out;
}

static double number(plan *p, ct_ex e) {
    double x;
    ct_numbers_eval(&p->now, 1, &e, &x);
    return x;
}

// Returns true if |a| is well above the rounding of a sum; squares: sum of squares of its terms.
static bool is_clear(plan *p, ct_ex a, ct_ex squares) {
    double x = number(p, a), size = number(p, squares);
    return x * x > CT_TOL_CLEAR * size && size > 0;
}

// Returns true if the polynomial vanishes at the initial position.
static bool vanishes(plan *p, const ct_template_result *result) {
    ct_pool *pool = p->t->b->pool;
    double sum = 0, size = 0;
    for (int k = 0; k < result->n; k++) {
        ct_ex term = result->coefficient[k];
        for (int v = 0; v < p->s->ring->n; v++)
            if (result->monomial[k].e[v])
                term =
                    ct_mul(pool, term, ct_power_int(pool, p->value[v], result->monomial[k].e[v]));
        double x = number(p, term);
        sum += x;
        size += fabs(x);
    }
    return size > 0 && fabs(sum) <= CT_TOL_VANISH * size;
}

// steps ------------------------------------------------------------------------------------------
static ct_unknown unknown_of(const plan *p, int i) {
    const ct_step_builder *build = p->t->b;
    int coordinate = p->t->unknown[i];
    const ct_block_unknown *u = p->s->unknown + i;
    return (ct_unknown){.coordinate = coordinate,
                        .is_angle = u->is_angle,
                        .angle_sum = build->f->q[coordinate],
                        .c = p->value[u->c],
                        .s = u->is_angle ? p->value[u->s] : CT_ZERO};
}

static void keep_clear(plan *p, ct_segment *seg, ct_ex a, ct_ex squares) {
    ct_steps_keep_clear(p->t->b, seg, ct_power_int(p->t->b->pool, a, 2), squares);
}

// The solvers below write into a segment. Without one (NULL) they return whether they can be used
// at the initial position.
// d x + n = 0
static bool slide_linear(plan *p, ct_segment *seg, int i, const ct_template_result *result) {
    ct_pool *pool = p->t->b->pool;
    const ct_block_unknown *u = p->s->unknown + i;
    part d = part_of(p, result, u, 1, 0), n = part_of(p, result, u, 0, 0);
    if (!seg) return is_clear(p, d.sum, d.squares);
    keep_clear(p, seg, d.sum, d.squares);
    ct_values_set_slide(p->t->b->values, seg, p->t->unknown[i],
                        ct_neg(pool, ct_div(pool, n.sum, d.sum)));
    return true;
}

// a0 C + b0 S + d0 = 0 = a1 C + b1 S + d1
static bool angle_linear(plan *p, ct_segment *seg, int i, const ct_template_result *result) {
    ct_pool *pool = p->t->b->pool;
    const ct_block_unknown *u = p->s->unknown + i;
    ct_ex a[2], b[2], d[2], size = CT_ONE;
    // coefficients of C, S and 1 in both polynomials
    for (int k = 0; k < 2; k++) {
        a[k] = part_of(p, result + k, u, 1, 0).sum;
        b[k] = part_of(p, result + k, u, 0, 1).sum;
        d[k] = part_of(p, result + k, u, 0, 0).sum;
        size = ct_mul(pool, size,
                      ct_add(pool, ct_power_int(pool, a[k], 2), ct_power_int(pool, b[k], 2)));
    }
    // Cramer's rule, with a determinant that is clear of zero
    ct_ex det = ct_let(pool, ct_sub(pool, ct_mul(pool, a[0], b[1]), ct_mul(pool, a[1], b[0])));
    if (!seg) return is_clear(p, det, size);
    keep_clear(p, seg, det, size);
    ct_ex c = ct_sub(pool, ct_mul(pool, b[0], d[1]), ct_mul(pool, b[1], d[0])),
          sine = ct_sub(pool, ct_mul(pool, d[0], a[1]), ct_mul(pool, d[1], a[0]));
    ct_values_set(p->t->b->values, seg, p->t->b->f->q[p->t->unknown[i]], ct_div(pool, c, det),
                  ct_div(pool, sine, det));
    return true;
}

// a C + b S + d = 0
static bool angle_pair(plan *p, ct_segment *seg, int i, const ct_template_result *result) {
    const ct_step_builder *build = p->t->b;
    ct_pool *pool = build->pool;
    const ct_block_unknown *u = p->s->unknown + i;
    ct_ex a = part_of(p, result, u, 1, 0).sum, bb = part_of(p, result, u, 0, 1).sum,
          d = part_of(p, result, u, 0, 0).sum, cosine, sine,
          scale = ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, bb, 2));
    if (!seg) {
        double x = number(p, scale), y = number(p, d);
        return x > 0 && x - y * y > CT_TOL_CLEAR * x;
    }
    ct_unknown x = unknown_of(p, i);
    ct_steps_trig(build, seg, &x, a, bb, ct_neg(pool, d), &cosine, &sine);
    ct_values_set(build->values, seg, x.angle_sum, cosine, sine);
    return true;
}

// k2 x^2 + k1 x + k0 = 0, x the slide, or the cosine or the sine of the angle.
typedef struct square {
    part top;
    ct_ex x, h, k; // x^2 + 2 h x + k = 0
} square;

static square square_of(plan *p, int i, const ct_template_result *result, bool sine) {
    ct_pool *pool = p->t->b->pool;
    const ct_block_unknown *u = p->s->unknown + i;
    square q = {.top = part_of(p, result, u, sine ? 0 : 2, sine ? 2 : 0),
                .x = p->value[sine ? u->s : u->c]};
    ct_ex middle = part_of(p, result, u, !sine, sine).sum;
    q.h = ct_div(pool, middle, ct_mul(pool, ct_int(pool, 2), q.top.sum));
    q.k = ct_div(pool, part_of(p, result, u, 0, 0).sum, q.top.sum);
    return q;
}

static bool is_square_clear(plan *p, const square *q) {
    double x = number(p, q->h), y = number(p, q->k);
    return is_clear(p, q->top.sum, q->top.squares) && x * x - y > CT_TOL_CLEAR * (x * x + fabs(y));
}

// The slide by a square root.
static bool slide_square(plan *p, ct_segment *seg, int i, const ct_template_result *result) {
    const ct_step_builder *build = p->t->b;
    square q = square_of(p, i, result, false);
    if (!seg) return is_square_clear(p, &q);
    keep_clear(p, seg, q.top.sum, q.top.squares);
    ct_values_set_slide(build->values, seg, p->t->unknown[i],
                        ct_steps_square(build, seg, q.x, q.h, q.k));
    return true;
}

// The cosine (or the sine) by a square root, the other one of the pair by a second.
static bool cosine_square(plan *p, ct_segment *seg, int i, const ct_template_result *result,
                          bool sine) {
    const ct_step_builder *build = p->t->b;
    square q = square_of(p, i, result, sine);
    double x = number(p, q.x);
    if (!seg) return is_square_clear(p, &q) && 1 - x * x > CT_TEARING_COSINE2;
    ct_unknown u = unknown_of(p, i);
    keep_clear(p, seg, q.top.sum, q.top.squares);
    ct_ex found = ct_steps_square(build, seg, q.x, q.h, q.k), c, other;
    ct_steps_trig(build, seg, &u, sine ? CT_ZERO : CT_ONE, sine ? CT_ONE : CT_ZERO,
                  ct_let(build->pool, found), &c, &other);
    ct_values_set(build->values, seg, u.angle_sum, c, other);
    return true;
}

// A polynomial of degree 4 or less: its root is the unknown itself, or its cosine or sine.
static bool root(plan *p, ct_segment *seg, int i, const ct_triangular_step *step,
                 const ct_template_result *result) {
    const ct_step_builder *build = p->t->b;
    const ct_block_unknown *u = p->s->unknown + i;
    ct_univariate left = {0};
    bool is_angle = u->is_angle;
    // the polynomial as u(c) + s v(c)
    for (int k = 0; k < result->n; k++) {
        int top = result->monomial[k].e[u->c], sine = is_angle ? result->monomial[k].e[u->s] : 0;
        if (top + sine > CT_UNIVARIATE / 2) return false;
        ct_univariate_add_term(build->pool, &left, result->coefficient[k], top, sine);
    }
    // in the cosine or the sine alone: that is what is followed
    if (step->kind == CT_TRIANGULAR_COSINE || step->kind == CT_TRIANGULAR_SINE) {
        const ct_unknown x = unknown_of(p, i);
        if (ct_values_index(build->values, x.c) < 0 || ct_values_index(build->values, x.s) < 0)
            return false;
        return ct_tearing_cosine(p->t, i, seg, &x, &left) > 0;
    }
    if (!seg) return step->degree <= 4;
    // in the unknown itself
    ct_ex out[2 * CT_UNIVARIATE + 3] = {0};
    int n = ct_univariate_coefficients(build->pool, &left, is_angle, out);
    ct_ex bound = is_angle ? ct_univariate_bound(build->pool, 1, n, out) : CT_ZERO;
    seg->kind = CT_SEGMENT_ROOT;
    seg->root = (ct_root){.unknown = p->t->index[i],
                          .is_angle = is_angle,
                          .unit = build->f->length,
                          .n = n,
                          .coefficient = ct_expressions_copy(n, out),
                          .bound = is_angle ? ct_expressions_copy(1, &bound) : NULL};
    return true;
}

// Step k of the system, by the solver of its kind.
static bool place(plan *p, ct_segment *seg, int k) {
    const ct_triangular_step *step = p->tri->step + k;
    bool is_angle = p->s->unknown[step->unknown].is_angle;
    switch (step->kind) {
    case CT_TRIANGULAR_LINEAR:
        return is_angle ? angle_linear(p, seg, step->unknown, p->by[k])
                        : slide_linear(p, seg, step->unknown, p->by[k]);
    case CT_TRIANGULAR_PAIR: return angle_pair(p, seg, step->unknown, p->by[k]);
    case CT_TRIANGULAR_SQUARE: return slide_square(p, seg, step->unknown, p->by[k]);
    case CT_TRIANGULAR_COSINE:
    case CT_TRIANGULAR_SINE:
        if (step->degree == 2)
            return cosine_square(p, seg, step->unknown, p->by[k], step->kind == CT_TRIANGULAR_SINE);
        return root(p, seg, step->unknown, step, p->by[k]);
    case CT_TRIANGULAR_ROOT: return root(p, seg, step->unknown, step, p->by[k]);
    }
    return false;
}

// the whole --------------------------------------------------------------------------------------
static void begin(plan *p, ct_tearing *t, const ct_block_system *system,
                  const ct_triangular *triangular) {
    const ct_step_builder *build = t->b;
    *p = (plan){.t = t, .s = system, .tri = triangular};
    p->value = ct_scratch((size_t)system->ring->n + 1, sizeof *p->value);
    for (int i = 0; i < system->n; i++) {
        const ct_block_unknown *u = system->unknown + i;
        if (u->is_angle)
            ct_values_pair(build->values, build->f->q[t->unknown[i]], p->value + u->c,
                           p->value + u->s);
        else
            p->value[u->c] = ct_values_slide(build->values, t->unknown[i]);
    }
    ct_steps_numbers(build, &p->now);
}

// Finds the polynomials of all steps. Returns false if an elimination fails, a polynomial does not
// vanish at the initial position, or a step cannot be solved there.
static bool is_possible(plan *p, const ct_block_known *k) {
    for (int i = 0; i < p->tri->n; i++) {
        const ct_triangular_step *step = p->tri->step + i;
        for (int n = 0; n < step->n; n++)
            if (!ct_template_eliminate(p->t->b->pool, p->s, k->at, step->by + n, &p->by[i][n]) ||
                !ct_triangular_fits(p->s, p->tri, i, &p->by[i][n]) || !vanishes(p, &p->by[i][n]))
                return false;
        if (!place(p, NULL, i)) return false;
    }
    return true;
}

static void describe(const plan *p) {
    static const ct_step_method methods[] = {CT_STEP_LINEAR, CT_STEP_LINEAR, CT_STEP_QUADRATIC,
                                             CT_STEP_CUBIC, CT_STEP_QUARTIC};
    ct_step *s = p->t->b->closure->steps + p->t->step;
    ct_text text = {0};
    char *names[CT_TRIANGULAR_UNKNOWNS];
    ct_text_add(&text, p->tri->n > 1 ? "triangular system of degrees" : "polynomial of degree");
    for (int i = 0; i < p->tri->n; i++) {
        ct_text_printf(&text, "%s %d", i ? "," : "", p->tri->step[i].degree);
        names[i] = s->unknowns[p->tri->step[i].unknown];
    }
    memcpy(s->unknowns, names, (size_t)p->tri->n * sizeof *names);
    s->degree = ct_triangular_degree(p->tri);
    s->method = methods[s->degree];
    s->text = ct_text_take(&text);
}

// Returns true if the coefficients take at most `times` the operations of residuals and matrix.
static bool is_worth_it(plan *p) {
    const double times = 4;
    ct_pool *pool = p->t->b->pool;
    const ct_newton *iteration = &p->t->iteration;
    int n = 0, m = iteration->n;
    ct_ex all[CT_TRIANGULAR_UNKNOWNS * 2 * CT_TEMPLATE_TERMS];
    for (int i = 0; i < p->tri->n; i++)
        for (int k = 0; k < p->tri->step[i].n; k++)
            for (int j = 0; j < p->by[i][k].n; j++) all[n++] = p->by[i][k].coefficient[j];
    double have = ct_operations_total(ct_count_shared(pool, n, all)),
           iterated = ct_operations_total(ct_count_shared(pool, m, iteration->residual)) +
                      ct_operations_total(ct_count_shared(pool, m * m, iteration->matrix));
    return have <= times * iterated;
}

bool ct_tearing_triangular(ct_tearing *t, const ct_block_known *k) {
    plan p;
    if (!k->found) return false;
    begin(&p, t, &k->s, &k->triangular);
    bool good = is_possible(&p, k) && is_worth_it(&p);
    for (int i = 0; i < p.tri->n && good; i++) (void)place(&p, ct_program_add(&t->own, t->step), i);
    if (good) describe(&p);
    ct_numbers_clear(&p.now);
    return good;
}
