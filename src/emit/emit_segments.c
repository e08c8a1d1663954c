// Segments of a program that cannot be written as expressions: calls of eliminations and iterations
// (ctk_small.h), of roots of polynomials (ctk_root.h, ctk_root_pair.h). One linear equation becomes
// a division.
#include "emit/emit_lower.h"

#include <stdlib.h>

// eliminations ------------------------------------------------------------------------------------
// Declares the array that keeps the factors of a matrix for later right-hand sides.
static void declare_factor(ct_lowering *l, int first, int n) {
    char *name = ct_scratch_format("factor%d", first);
    ct_lower_array(l, name, n * n + 1);
}

// A linear equation in one unknown: x = right / matrix.
void ct_lower_division(ct_lowering *l, const ct_segment *seg) {
    const ct_linear_solve *s = &seg->solve;
    ct_lowered *p = ct_lower_part(l);
    ct_ex divisor = ct_let(l->pool, ct_lower_now(l, s->matrix[0]));
    ct_ex inverse = ct_let(l->pool, ct_power_int(l->pool, divisor, -1));
    ct_lower_target(p, "check", l->n_checks, divisor);
    ct_text_printf(&p->after, "    if (!(fabs(check[%d]) > 0.0))\n        return %d;\n",
                   l->n_checks++, ct_lower_failure(l, seg->step));
    for (int j = 0; j < s->columns; j++)
        ct_substitution_map(
            l->known, l->in->program->x[s->first + j],
            ct_let(l->pool, ct_mul(l->pool, ct_lower_now(l, s->right[j]), inverse)));
}

// True if a later segment has the same matrix.
static bool comes_again(const ct_lowering *l, int first) {
    const ct_program *p = l->in->program;
    bool again = false;
    for (int i = first + 1; i < p->n; i++)
        again = again || (l->needed[i] && p->segments[i].kind == CT_SEGMENT_SOLVE &&
                          ct_program_alike(p, i) == first);
    return again;
}

static void matrix_targets(ct_lowering *l, ct_lowered *p, const ct_linear_solve *s,
                           const int *order) {
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            ct_lower_target(p, "matrix", i * s->n + j,
                            ct_lower_now(l, s->matrix[order[i] * s->n + j]));
}

// A linear system. Small ones are eliminated without exchange of rows, in an order chosen at the
// initial position; a matrix that several segments share is factored once.
void ct_lower_elimination(ct_lowering *l, const ct_segment *seg) {
    const ct_linear_solve *s = &seg->solve;
    ct_lowered *p = ct_lower_part(l);
    // again: an earlier segment has factored this matrix; later: another one will need it
    int own = (int)(seg - l->in->program->segments), first = ct_program_alike(l->in->program, own);
    int n = s->n;
    bool small = n <= CTK_ORDERED, again = small && first != own && l->needed[first];
    bool later = small && !again && comes_again(l, own);
    // rows in the order of the pivots
    int *order = ct_scratch((size_t)n, sizeof *order);
    for (int i = 0; i < n; i++) order[i] = i;
    if (small) ct_emit_row_order(l->e, n, s->matrix, order);
    // matrix, unless it is factored already; right-hand sides
    if (!again) matrix_targets(l, p, s, order);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->columns; j++)
            ct_lower_target(p, "x", s->first + i * s->columns + j,
                            ct_lower_now(l, s->right[order[i] * s->columns + j]));
    // used once: eliminate with the right-hand sides
    if (!again && !later)
        ct_text_printf(
            &p->after,
            "    if (!ctk_small_%s(%d, %d, matrix, x + %d, &determinant))\n        return %d;\n",
            small ? "quick" : "solve", n, s->columns, s->first, ct_lower_failure(l, seg->step));
    else {
        if (!again)
            ct_text_printf(&p->after,
                           "    if (!ctk_small_factor(%d, matrix, factor%d))\n        return %d;\n",
                           n, first, ct_lower_failure(l, seg->step));
        // substitution with the factors
        ct_text_printf(&p->after, "    ctk_small_again(%d, %d, factor%d, x + %d);\n", n, s->columns,
                       first, s->first);
    }
    // locals that it needs
    l->n_eliminations++;
    l->n_determinants += !again && !later;
    if (later) declare_factor(l, first, n);
}

// iterations --------------------------------------------------------------------------------------
static ct_ex written_as(ct_lowering *l, const char *name, int i, int k, const char *array) {
    char *whole = ct_scratch_format("%s %d of iteration %d", name, i, k);
    char *text = ct_scratch_format("%s[%d]", array, i);
    ct_ex a = ct_symbol(l->pool, CT_SYMBOL_OTHER, whole);
    ct_writer_name(l->e->w, a, text);
    return a;
}

// Substitution for expressions inside an iteration: its unknowns are symbols of their own there, so
// that no expression is shared with those after it; so are the sines and cosines of unknown angles,
// which are corrected along with them.
static ct_substitution *unknowns(ct_lowering *l, const ct_newton *s, int k, int carried,
                                 ct_lowered *p) {
    ct_substitution *inside = ct_substitution_new(l->pool);
    char *sine = ct_format("sine%d", k), *cosine = ct_format("cosine%d", k);
    int angles = 0;
    p->moving = ct_alloc(3 * (size_t)s->n, sizeof *p->moving);
    // each unknown starts where it is tracked
    for (int i = 0; i < s->n; i++) {
        ct_ex w = l->k->registers.tracked.symbol[s->unknown[i]],
              y = written_as(l, "unknown", i, k, "y");
        ct_substitution_map(inside, w, p->moving[p->n_moving++] = y);
        ct_text_printf(&p->before, "    y[%d] = w[%d];\n", i, s->unknown[i]);
        if (!s->is_angle[i]) continue;
        // angles: sine and cosine inside, and their last values for what follows
        ct_ex with_sine = ct_sin(l->pool, w), with_cosine = ct_cos(l->pool, w);
        p->moving[p->n_moving] = written_as(l, "sine", i, k, sine);
        ct_substitution_map(inside, with_sine, p->moving[p->n_moving++]);
        p->moving[p->n_moving] = written_as(l, "cosine", i, k, cosine);
        ct_substitution_map(inside, with_cosine, p->moving[p->n_moving++]);
        ct_text_printf(&p->before, "    ctk_pair_at(w + %d, y[%d], %s + %d, %s + %d);\n",
                       carried + CTK_CARRIED * angles++, i, cosine, i, sine, i);
        ct_substitution_map(l->known, with_sine, written_as(l, "last sine", i, k, sine));
        ct_substitution_map(l->known, with_cosine, written_as(l, "last cosine", i, k, cosine));
    }
    // tracked angles that change after the iteration have their old values inside
    for (int i = 0; i < s->n_last; i++)
        ct_substitution_map(inside, l->k->registers.tracked.symbol[s->last[i]],
                            written_as(l, "angle before", s->last[i], k, "w"));
    ct_free(sine);
    ct_free(cosine);
    return inside;
}

// Newton's iteration as a loop in the generated function.
void ct_lower_iteration(ct_lowering *l, const ct_segment *seg) {
    const ct_newton *s = &seg->newton;
    ct_lowered *p = ct_lower_part(l);
    // number of the iteration, its measure, its sign, and what it keeps in w
    int k = l->n_iterations++, measure = l->n_measures++, sign = l->k->registers.signs.n + k;
    int code = ct_lower_failure(l, seg->step), bend = l->k->registers.tracked.n + l->n_carried++,
        carried = bend + 1;
    l->n_newton++;
    // local arrays: which unknowns are angles, their sines and cosines
    ct_text_printf(&l->local, "    static const int angle%d[] = {", k);
    for (int i = 0; i < s->n; i++) ct_text_printf(&l->local, "%s%d", i ? ", " : "", s->is_angle[i]);
    ct_text_printf(&l->local, "};\n    double sine%d[%d], cosine%d[%d];\n", k, s->n, k, s->n);
    // matrix and residual, rows in the order of the pivots, before sines and cosines are renamed
    ct_ex *matrix = ct_scratch((size_t)(s->n * s->n), sizeof *matrix);
    ct_ex *residual = ct_scratch((size_t)s->n, sizeof *residual);
    int *order = ct_scratch((size_t)s->n, sizeof *order);
    ct_emit_row_order(l->e, s->n, s->matrix, order);
    for (int i = 0; i < s->n * s->n; i++)
        matrix[i] = ct_lower_now(l, s->matrix[order[i / s->n] * s->n + i % s->n]);
    for (int i = 0; i < s->n; i++) residual[i] = ct_lower_now(l, s->residual[order[i]]);
    // start and opening of the loop
    ct_substitution *inside = unknowns(l, s, k, carried, p);
    char unit[40];
    ct_emit_length(l->e->w, l->e->f, unit, sizeof unit);
    ct_text_printf(&p->before,
                   "    iteration.count = 0;\n    iteration.last = 0.0;\n"
                   "    iteration.bend = w[%d];\n    iteration.unit = %s;\n    do {\n",
                   bend, unit);
    // targets inside the loop: matrix and residual at the iterate
    for (int i = 0; i < s->n * s->n; i++)
        ct_lower_target(p, "matrix", i, ct_substitute(inside, matrix[i]));
    for (int i = 0; i < s->n; i++)
        ct_lower_target(p, "residual", i, ct_substitute(inside, residual[i]));
    ct_substitution_free(inside);
    // Newton step and end of the loop; the sign of the determinant names the branch,
    // its square measures the distance to the limit position
    ct_text_printf(&p->after,
                   "        state = ctk_newton_step(&iteration, %d, angle%d, matrix, residual, y, "
                   "sine%d, cosine%d);\n"
                   "    } while (state > 0);\n"
                   "    if (state < 0)\n        return %d;\n"
                   "    sign = iteration.determinant < 0.0 ? -1.0 : 1.0;\n"
                   "    if (b[%d] == 0.0)\n        b[%d] = sign;\n"
                   "    if (b[%d] != sign)\n        return %d;\n"
                   "    g[%d] = iteration.determinant*iteration.determinant;\n"
                   "    w[%d] = iteration.bend;\n",
                   s->n, k, k, k, code, sign, sign, sign, code, measure, bend);
    l->guard_step[measure] = seg->step;
    // unknowns, and sines and cosines of angles, for the next call
    for (int i = 0; i < s->n; i++) {
        ct_text_printf(&p->after, "    w[%d] = y[%d];\n", s->unknown[i], i);
        if (!s->is_angle[i]) continue;
        ct_text_printf(&p->after, "    ctk_pair_keep(w + %d, y[%d], cosine%d + %d, sine%d + %d);\n",
                       l->k->registers.tracked.n + l->n_carried, i, k, i, k, i);
        l->n_carried += CTK_CARRIED;
    }
}

// polynomials -------------------------------------------------------------------------------------
// Cosine and sine of a first angle come with it: pair[0] and pair[1].
static void hand_out(ct_lowering *l, int unknown, int k) {
    ct_ex w = l->k->registers.tracked.symbol[unknown];
    char *pair = ct_scratch_format("pair%d", k);
    ct_text_printf(&l->local, "    double %s[2];\n", pair);
    ct_substitution_map(l->known, ct_cos(l->pool, w), written_as(l, "root", 0, k, pair));
    ct_substitution_map(l->known, ct_sin(l->pool, w), written_as(l, "root", 1, k, pair));
    l->n_carried += CTK_CARRIED;
}

// A root of a polynomial under way: its number, and the end of the arguments of its call.
typedef struct root_call {
    int k;
    ct_text rest;
} root_call;

// Takes the next measure and the next sign for a root; an angle also keeps numbers in w.
static root_call begin_call(ct_lowering *l, const ct_segment *seg, bool is_angle) {
    root_call call = {.k = l->n_iterations++};
    int measure = l->n_measures++, sign = l->k->registers.signs.n + call.k;
    if (is_angle)
        ct_text_printf(&call.rest, "w + %d, pair%d, ", l->k->registers.tracked.n + l->n_carried,
                       call.k);
    ct_text_printf(&call.rest, "b + %d, g + %d", sign, measure);
    l->guard_step[measure] = seg->step;
    return call;
}

static void end_call(ct_lowering *l, root_call *call, bool is_angle, int unknown) {
    ct_text_clear(&call->rest);
    if (is_angle) hand_out(l, unknown, call->k);
}

// Coefficients with these roles, one after the other behind poly[first].
static void poly_targets(ct_lowering *l, ct_lowered *p, const ct_segment *seg, unsigned roles,
                         int first) {
    for (ct_span a = ct_segment_spans(seg, roles); ct_span_next(&a);)
        for (int i = 0; i < a.n; i++) ct_lower_target(p, "poly", first++, ct_lower_now(l, a.at[i]));
}

// The root of a polynomial that is followed: in an angle (harmonics) or a slide (powers).
void ct_lower_root(ct_lowering *l, const ct_segment *seg) {
    const ct_root *s = &seg->root;
    ct_lowered *p = ct_lower_part(l);
    root_call call = begin_call(l, seg, s->is_angle);
    char unit[40] = "";
    if (!s->is_angle) ct_emit_length(l->e->w, l->e->f, unit, sizeof unit);
    poly_targets(l, p, seg, CT_ROLES_POLYNOMIAL, 0);
    if (s->is_angle)
        ct_text_printf(&p->after, "    if (!ctk_turn_root(%d, poly, poly[%d], w + %d, ", s->n / 2,
                       s->n, s->unknown);
    else
        ct_text_printf(&p->after, "    if (!ctk_slide_root(%d, poly, %s, w + %d, ", s->n - 1, unit,
                       s->unknown);
    ct_text_printf(&p->after, "%s))\n        return %d;\n", call.rest.s,
                   ct_lower_failure(l, seg->step));
    end_call(l, &call, s->is_angle, s->unknown);
}

// The coefficients of the polynomial that elimination leaves of two angles: seldom needed, so they
// are a function of their own, from the values that are set already.
static void write_left(ct_lowering *l, const ct_root_pair *s, int k) {
    char *signature =
        ct_format("left_%d(const double *restrict c, double t, const double *restrict "
                  "qi,\n    const double *restrict u, const double *restrict b, "
                  "const double *restrict w,\n    const double *restrict v, "
                  "double *restrict poly)",
                  k);
    for (int i = 0; i < s->n_left; i++) ct_emitter_target(l->e, "poly", i, s->left[i]);
    ct_emitter_function(l->e, signature, "c t qi u b w v poly", NULL);
    ct_free(signature);
}

void ct_lower_root_pair(ct_lowering *l, const ct_segment *seg) {
    const ct_root_pair *s = &seg->root_pair;
    ct_lowered *p = ct_lower_part(l);
    root_call call = begin_call(l, seg, s->is_angle[0]);
    // what the pair is, as a constant; lazy: the polynomial that is left is a function of its own
    bool lazy = s->n_left && s->is_angle[0] && s->is_angle[1];
    char unit[40] = "1";
    if (!s->is_angle[0] || !s->is_angle[1]) ct_emit_length(l->e->w, l->e->f, unit, sizeof unit);
    ct_text_printf(&l->local, "    const ctk_root_pair root_pair%d = {{%d, %d}, %d, %d, %s};\n",
                   call.k, s->is_angle[0], s->is_angle[1], s->n_left, s->n, unit);
    // two angles near the last ones need nothing of what is left
    if (lazy) {
        write_left(l, s, call.k);
        ct_text_printf(
            &p->after,
            "    if (!ctk_root_pair_certified(&root_pair%d, poly + %d, w + %d, w + %d, %s)) {\n    "
            "    left_%d(c, t, qi, u, b, w, v, poly);\n    ",
            call.k, s->n_left, s->unknown[0], s->unknown[1], call.rest.s, call.k);
    }
    // other pairs, and two angles farther away: all roots
    ct_text_printf(
        &p->after,
        "    if (!ctk_root_pair_solve(&root_pair%d, poly, w + %d, w + %d, %s%s))\n        %s"
        "return %d;\n%s",
        call.k, s->unknown[0], s->unknown[1], s->is_angle[0] ? "" : "NULL, NULL, ", call.rest.s,
        lazy ? "    " : "", ct_lower_failure(l, seg->step), lazy ? "    }\n" : "");
    // coefficients: of what is left, unless lazy, then of both equations
    poly_targets(l, p, seg, CT_ROLES_POLYNOMIAL & ~(lazy ? (unsigned)CT_ROLE_LEFT : 0),
                 lazy ? s->n_left : 0);
    end_call(l, &call, s->is_angle[0], s->unknown[0]);
}
