// Solutions of the loops as assemblies: real ones are put together in the model's own numbers,
// where those that meet are one, complex ones stand behind them; what was left out is told.
#include "configurations/placed.h"
#include "configurations/tolerances.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef ct_configurations_result result;

// Joint coordinates of the model, then bodies' own.
void ct_placed_names(result *r, const ct_loop_system *s) {
    const ct_model *m = s->model;
    r->values = ct_alloc((size_t)(m->n_coordinates + s->f->n) + 1, sizeof *r->values);
    for (int i = 0; i < m->n_coordinates; i++)
        r->values[r->n_values++] = ct_strdup(m->coordinates[i].name);
    for (int k = 0; k < s->f->n; k++)
        if (s->f->coordinate[k] < 0) r->values[r->n_values++] = ct_strdup(s->f->names[k]);
}

// Coordinate k of the formulation among the values.
static int value_index(const ct_loop_system *s, int k) {
    if (s->f->coordinate[k] >= 0) return s->f->coordinate[k];
    int at = s->model->n_coordinates;
    for (int i = 0; i < k; i++) at += s->f->coordinate[i] < 0;
    return at;
}

static void fill_complex(const ct_loop_system *s, const ct_solution *x, ct_configuration *c,
                         int n_values) {
    for (int i = 0; i < n_values; i++) c->re[i] = c->im[i] = NAN;
    double *q_re = ct_alloc((size_t)s->f->n + 1, sizeof *q_re),
           *q_im = ct_alloc((size_t)s->f->n + 1, sizeof *q_im);
    ct_loop_system_complex(s, x->re, x->im, q_re, q_im);
    for (int k = 0; k < s->f->n; k++) {
        c->re[value_index(s, k)] = q_re[k];
        c->im[value_index(s, k)] = q_im[k];
    }
    ct_free(q_re);
    ct_free(q_im);
}

// What becomes of a solution.
typedef enum placing {
    PLACED,    // an assembly
    WRONG_WAY, // a joint is the wrong way round, or the whole mechanism does not close
    NOT_REAL,  // a complex solution
    OUT_OF_REACH // real but for a leg whose universal joint cannot point there: its angles are complex
} placing;

static placing fill_real(ct_loop_system *s, const ct_solution *x, ct_configuration *c) {
    double *q = ct_alloc((size_t)s->f->n + 1, sizeof *q);
    double *joint = ct_alloc((size_t)s->model->n_coordinates + 1, sizeof *joint);
    // a proof for the polynomials is one for the mechanism unless numbers were rounded
    bool rounded = ct_loop_system_rounded(s), proved = true;
    double residual = ct_loop_system_place(s, x ? x->re : NULL, q, joint, rounded ? &proved : NULL);
    c->certified = c->certified && proved;
    for (int i = 0; i < s->model->n_coordinates; i++) ct_configuration_set(c, i, joint[i]);
    for (int k = 0; k < s->f->n; k++)
        if (s->f->coordinate[k] < 0) ct_configuration_set(c, value_index(s, k), q[k]);
    c->residual = residual;
    ct_free(q);
    ct_free(joint);
    if (!isfinite(residual)) return WRONG_WAY;
    if (residual < CT_LOOPS_SOLVED) return PLACED;
    return s->n_legs ? OUT_OF_REACH : s->complete ? PLACED : WRONG_WAY;
}

// A solution at infinity, which rounded numbers made finite.
static bool is_at_infinity(const ct_loop_system *s, const ct_solution *x) {
    return ct_loop_system_rounded(s) && ct_loop_system_size(s, x->re, x->im) > CT_AT_INFINITY;
}

// One of a complex pair that stand-ins have made of a double solution: real in the model's numbers.
static bool is_nearly_real(ct_loop_system *s, const ct_solution *x, ct_configuration *c) {
    double *none = ct_scratch((size_t)s->system.ring->n + 1, sizeof *none);
    if (!ct_loop_system_rounded(s) || ct_loop_system_size(s, x->im, none) > CT_NEARLY_REAL)
        return false;
    c->real = true;
    c->certified = false;
    return fill_real(s, x, c) == PLACED && c->residual < CT_NEARLY_CLOSED;
}

static bool is_one_assembly(const ct_loop_system *s, const ct_configuration *a,
                            const ct_configuration *b) {
    for (int i = 0; i < s->model->n_coordinates; i++) {
        bool is_angle = s->model->coordinates[i].is_angle;
        double d = a->re[i] - b->re[i];
        if (is_angle) d = remainder(d, 2 * M_PI);
        if (fabs(d) > CT_ONE_ASSEMBLY * (is_angle ? 1 : s->f->length)) return false;
    }
    return true;
}

// Real solutions that stand-ins have moved apart are one assembly again. Gives how many went.
static int merge_assemblies(result *r, const ct_loop_system *s) {
    int kept = 0, before = r->real;
    for (int i = 0; i < before && ct_loop_system_rounded(s); i++) {
        ct_configuration *c = r->solutions + i, *same = NULL;
        for (int k = 0; k < kept && !same && !c->certified; k++)
            if (!r->solutions[k].certified && is_one_assembly(s, r->solutions + k, c))
                same = r->solutions + k;
        if (!same) {
            r->solutions[kept++] = *c;
            continue;
        }
        same->multiplicity += c->multiplicity;
        ct_free(c->re);
        ct_free(c->im);
    }
    if (ct_loop_system_rounded(s)) r->count = r->real = kept;
    return before - r->real;
}

void ct_placed_take(ct_configurations_job *j, ct_loop_system *s, const ct_solutions *found) {
    result *r = j->out;
    int dropped = 0, at_infinity = 0, out_of_reach = 0;
    bool *behind = ct_alloc((size_t)found->count + 1, sizeof *behind);
    r->solutions = ct_alloc((size_t)found->count + 1, sizeof *r->solutions);
    // real ones put together, unless a joint is the wrong way round there
    for (int i = 0; i < found->count; i++) {
        const ct_solution *x = found->solutions + i;
        bool infinite = is_at_infinity(s, x);
        at_infinity += infinite;
        r->multiplicity -= infinite ? x->multiplicity : 0;
        behind[i] = !infinite && !x->real;
        if (infinite) continue;
        ct_configuration c = ct_configuration_new(r, x);
        placing placed = x->real                    ? fill_real(s, x, &c)
                         : is_nearly_real(s, x, &c) ? PLACED
                                                    : NOT_REAL;
        if (placed == PLACED) {
            behind[i] = false;
            r->solutions[r->count++] = c;
            r->real++;
            continue;
        }
        behind[i] = placed == OUT_OF_REACH || placed == NOT_REAL;
        out_of_reach += placed == OUT_OF_REACH;
        dropped += placed == WRONG_WAY;
        ct_free(c.re);
        ct_free(c.im);
    }
    int merged = merge_assemblies(r, s);
    // complex ones behind them
    for (int i = 0; i < found->count; i++) {
        if (!behind[i]) continue;
        ct_configuration c = ct_configuration_new(r, found->solutions + i);
        c.real = false;
        fill_complex(s, found->solutions + i, &c, r->n_values);
        r->solutions[r->count++] = c;
    }
    ct_free(behind);
    // what was left out
    if (merged)
        ct_job_note(j, ct_format("%d real solution%s the same as another: where solutions meet, "
                                 "fractions that stand for other numbers move them apart",
                                 merged, merged == 1 ? " is" : "s are"));
    if (at_infinity)
        ct_job_note(
            j, ct_format("%d solution%s of the eliminant left out: at infinity, made finite by "
                         "fractions that stand for other numbers",
                         at_infinity, at_infinity == 1 ? "" : "s"));
    if (dropped)
        ct_job_note(j,
                    ct_format("%d solution%s of the equations left out: a joint is the wrong way "
                              "round there",
                              dropped, dropped == 1 ? "" : "s"));
    if (out_of_reach)
        ct_job_note(
            j, ct_format("%d real position%s counted as complex: a leg does not close there, since "
                         "its universal joint cannot point that way",
                         out_of_reach, out_of_reach == 1 ? "" : "s"));
}

// A mechanism without unknowns: one configuration if it closes, else none.
void ct_placed_take_known(ct_configurations_job *j, ct_loop_system *s) {
    result *r = j->out;
    ct_solution none = {.real = true, .multiplicity = 1};
    ct_configuration c = ct_configuration_new(r, &none);
    bool closes = fill_real(s, NULL, &c) == PLACED && c.residual < CT_LOOPS_CLOSED;
    r->solutions = ct_alloc(1, sizeof *r->solutions);
    if (closes) {
        r->solutions[0] = c;
        r->count = r->real = 1;
        r->total = r->total_real = 1;
        r->multiplicity = 1;
        return;
    }
    ct_free(c.re);
    ct_free(c.im);
    r->dimension = -1;
}
