// Identities between values: equations that hold at the lengths of the model wherever the bodies
// are, found in numbers. Lengths are parameters of the code, so guards watch the identities.
#include "closure/steps/builder.h"
#include "formulate/whole_rotation.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>

// The values below some expressions, and numbers for them.
typedef struct sampler {
    const ct_step_builder *b;
    ct_numbers x;
    unsigned state;
    int n;
    ct_ex *value, *direct; // [n]
    double *number;
} sampler;

static void sampler_init(sampler *s, const ct_step_builder *build, int n, const ct_ex *roots) {
    ct_ex *symbols;
    int count = ct_ex_symbols(build->pool, n, roots, &symbols);
    *s = (sampler){.b = build,
                   .state = 7,
                   .value = ct_scratch((size_t)count + 1, sizeof(ct_ex)),
                   .direct = ct_scratch((size_t)count + 1, sizeof(ct_ex)),
                   .number = ct_scratch((size_t)(count + ct_position_numbers(build->f)) + 1,
                                        sizeof(double))};
    for (int i = 0; i < count; i++) {
        int v = ct_values_index(build->values, symbols[i]);
        if (v < 0) continue;
        s->value[s->n] = symbols[i];
        s->direct[s->n++] = build->closure->registers.values.meaning[v];
    }
    ct_model_numbers(build->f->model, &s->x);
}

static void sampler_clear(sampler *s) {
    ct_numbers_clear(&s->x);
}

static double next_random(sampler *s) {
    s->state = s->state * 1664525u + 1013904223u;
    return (double)(s->state >> 8) / 16777216.0;
}

static void sample(sampler *s, const double *q) {
    ct_position_set(s->b->f, &s->x, q);
    ct_numbers_eval(&s->x, s->n, s->direct, s->number);
    ct_numbers_set(&s->x, s->n, s->value, s->number);
}

// Random time and inputs: an identity at the start need not hold later.
static void scatter_time(sampler *s) {
    const ct_model *m = s->b->f->model;
    double time = next_random(s);
    ct_numbers_set(&s->x, 1, &m->time, &time);
    for (int i = 0; i < m->n_inputs; i++) {
        double input = ct_model_number(m, m->inputs[i].value) + next_random(s) - 0.5;
        ct_numbers_set(&s->x, 1, &m->inputs[i].symbol, &input);
    }
}

// A random position of the bodies, whether it closes or not; values follow from the coordinates.
// Slides move too: many of them start at zero.
static void scatter(sampler *s) {
    const ct_formulation *f = s->b->f;
    double *q = s->number + s->n, length = s->b->length;
    for (int k = 0; k < f->n; k++) {
        double start = s->b->q0[k], away = 0.4 * next_random(s) - 0.2;
        q[k] = f->is_angle[k] ? 15 * away : start + away * (fabs(start) + length);
    }
    for (int k = f->n; k < ct_position_numbers(f); k++) q[k] = 15 * (0.4 * next_random(s) - 0.2);
    scatter_time(s);
    sample(s, q);
}

bool ct_steps_holds(const ct_step_builder *build, ct_ex a, ct_ex b, ct_ex c, ct_ex cosine,
                    ct_ex sine) {
    const ct_ex all[] = {a, b, c, cosine, sine};
    sampler s;
    sampler_init(&s, build, 5, all);
    bool good = true;
    for (int trial = 0; trial < 8 && good; trial++) {
        double v[5];
        scatter(&s);
        ct_numbers_eval(&s.x, 5, all, v);
        double scale = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
        good = fabs(v[0] * v[3] + v[1] * v[4] - v[2]) < CT_TOL_IDENTITY * scale;
    }
    sampler_clear(&s);
    return good;
}

bool ct_steps_is_identity(const ct_step_builder *build, ct_ex psi) {
    sampler s;
    sampler_init(&s, build, 1, &psi);
    double v = 0;
    for (int trial = 0; trial < 8 && v == 0; trial++) {
        scatter(&s);
        ct_numbers_eval_rounded(&s.x, 1, &psi, &v);
    }
    sampler_clear(&s);
    return v == 0;
}

int ct_steps_angle_sums_in(const ct_step_builder *build, int n, const ct_ex *a,
                           ct_ex **angle_sums) {
    ct_ex *symbols;
    int count = ct_ex_symbols(build->pool, n, a, &symbols), found = 0, room = 0;
    *angle_sums = NULL;
    for (int i = 0; i < count; i++) {
        int v = ct_values_index(build->values, symbols[i]);
        if (v < 0) continue;
        ct_ex direct = build->closure->registers.values.meaning[v];
        ct_op op = ct_ex_op(build->pool, direct);
        if (op != CT_OP_SIN && op != CT_OP_COS) {
            *CT_PUSH_SCRATCH(*angle_sums, found, room) = CT_ZERO; // a slide
            continue;
        }
        ct_ex angle_sum = ct_child(build->pool, direct, 0);
        bool seen = false;
        for (int k = 0; k < found; k++) seen = seen || (*angle_sums)[k] == angle_sum;
        if (!seen) *CT_PUSH_SCRATCH(*angle_sums, found, room) = angle_sum;
    }
    return found;
}

// Identities in angles hold for all of them or not at all, so they are watched at a few fixed ones:
// what is left depends on parameters alone and is computed once. (3 4 5), (5 12 13), (8 15 17), ...
static ct_ex at_fixed_angles(const ct_step_builder *build, ct_ex a, int variant) {
    static const int triple[][3] = {{3, 4, 5},   {5, 12, 13},  {8, 15, 17},
                                    {7, 24, 25}, {20, 21, 29}, {12, 35, 37}};
    enum { TRIPLES = sizeof triple / sizeof *triple };
    ct_pool *pool = build->pool;
    const ct_closure *c = build->closure;
    ct_substitution *s = ct_substitution_new(pool);
    ct_ex *angle_sums;
    int n = ct_steps_angle_sums_in(build, 1, &a, &angle_sums);
    // angle i: cosine and sine of a Pythagorean triple, another one for each variant
    for (int i = 0; i < n; i++) {
        const int *t = triple[(i + 2 * variant) % TRIPLES];
        ct_ex pair[2], number[2] = {ct_rational(pool, t[0], t[2]), ct_rational(pool, t[1], t[2])};
        if (angle_sums[i] == CT_ZERO) continue;
        ct_values_pair(build->values, angle_sums[i], pair, pair + 1);
        for (int k = 0; k < 2; k++) {
            bool minus = ct_ex_op(pool, pair[k]) == CT_OP_PRODUCT;
            ct_substitution_map(s, minus ? ct_neg(pool, pair[k]) : pair[k],
                                minus ? ct_neg(pool, number[k]) : number[k]);
        }
    }
    // slides: 0.7 to 1.1 lengths
    ct_ex length = ct_steps_length(build);
    for (int v = 0; v < c->registers.values.n; v++)
        if (ct_ex_op(pool, c->registers.values.meaning[v]) == CT_OP_SYMBOL)
            ct_substitution_map(s, c->registers.values.symbol[v],
                                ct_mul(pool, ct_rational(pool, 7 + v % 5, 10), length));
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

void ct_steps_watch(const ct_step_builder *build, ct_segment *seg, ct_ex off, ct_ex size) {
    ct_pool *pool = build->pool;
    ct_ex tiny = ct_power_int(pool, ct_int(pool, 10), CT_GUARD_IDENTITY);
    for (int variant = 0; variant < 3; variant++) {
        ct_ex o = at_fixed_angles(build, off, variant), z = at_fixed_angles(build, size, variant);
        if (o == CT_ZERO) continue;
        ct_steps_guard(seg, ct_sub(pool, ct_mul(pool, tiny, ct_power_int(pool, z, 2)),
                                   ct_power_int(pool, o, 2)));
    }
}
