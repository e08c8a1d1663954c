// Operations of a program: those of its expressions, shared ones once, and those of the functions
// of the kernel, by formulas in the number of unknowns and the degree.
#include "program/count.h"

#include "expr/optimise.h"

#include <stdlib.h>

static void add(ct_operations *count, double sums, double products, double quotients) {
    count->add += sums;
    count->mul += products;
    count->div += quotients;
}

// calls ------------------------------------------------------------------------------------------
// Factorization L U with the check of the pivots, n^3/3 + ..., then n^2 for each right side.
static void count_elimination(double n, double columns, bool factor, ct_operations *count) {
    double whole = n * (n - 1) * (2 * n - 1) / 6, each = n * (n - 1);
    if (factor) add(count, whole + n * n, whole + n * n + n * (n - 1) / 2, n);
    add(count, columns * each, columns * (each + n), 0);
}

// Cosine and sine of expected angles, their correction, and scaling to length 1.
static void count_turns(int angles, ct_operations *count) {
    add(count, 20 * angles, 28 * angles, 0);
}

// Harmonics of one angle up to the multiple m, with two derivatives; Chebyshev's correction.
static void count_turn_root(double m, ct_operations *count) {
    add(count, 7 * m + 6, 12 * m + 16, 2);
    count_turns(1, count);
}

// Two equations in two angles, likewise: nine sums of harmonics.
static void count_turn_pair(double m, ct_operations *count) {
    add(count, 12 * m + 6 * (2 * m + 1) + 44, 24 * m + 8 * (2 * m + 1) + 72, 2);
    count_turns(2, count);
}

// Root of a polynomial in a slide, by closed forms up to degree 4. parts: coefficients of the
// second unknown, whose corrections count three times.
static void count_slide_root(double left, double parts, ct_operations *count) {
    bool closed = left > 0 && left <= 4;
    add(count, (closed ? 10 : 4) * left * left + 36 * parts,
        (closed ? 12 : 5) * left * left + 36 * parts,
        (closed     ? 12
         : left > 0 ? 4
                    : 0) +
            (parts > 0 ? 6 : 0));
    count->func += (closed ? 8 : left > 0 ? 3 : 0) + (parts > 0 ? 10 : 0);
}

static void count_newton(const ct_newton *s, ct_operations *count) {
    int angles = 0;
    for (int i = 0; i < s->n; i++) angles += s->is_angle[i];
    count_elimination(s->n, 1, true, count);
    count_turns(angles, count);
}

static void count_root(const ct_root *s, ct_operations *count) {
    if (s->is_angle)
        count_turn_root(s->n / 2, count);
    else
        count_slide_root(s->n - 1, 0, count);
}

static void count_root_pair(const ct_root_pair *s, ct_operations *count) {
    if (s->is_angle[0] && s->is_angle[1])
        count_turn_pair(s->n / 2, count);
    else
        count_slide_root(s->n_left ? s->n_left - 1 : 0, s->n, count);
}

void ct_segment_count(const ct_program *program, int segment, ct_operations *count) {
    const ct_segment *seg = program->segments + segment;
    switch (seg->kind) {
    case CT_SEGMENT_PLAIN: break;
    case CT_SEGMENT_NEWTON: count_newton(&seg->newton, count); break;
    case CT_SEGMENT_SOLVE:
        if (seg->solve.n == 1) // a division
            add(count, 0, seg->solve.columns, 1);
        else
            count_elimination(seg->solve.n, seg->solve.columns,
                              ct_program_alike(program, segment) == segment, count);
        break;
    case CT_SEGMENT_ROOT: count_root(&seg->root, count); break;
    case CT_SEGMENT_ROOT_PAIR: count_root_pair(&seg->root_pair, count); break;
    }
}

void ct_program_count_calls(const ct_program *program, ct_operations *count) {
    for (int i = 0; i < program->n; i++) ct_segment_count(program, i, count);
}

// whole programs ---------------------------------------------------------------------------------
ct_operations ct_program_optimise(ct_pool *pool, ct_program *program) {
    int n;
    ct_ex *all = ct_program_expressions(program, CT_ROLES_CODE, &n), *next = all;
    ct_optimise(pool, n, all);
    for (int i = 0; i < program->n; i++)
        for (ct_span a = ct_segment_spans(program->segments + i, CT_ROLES_CODE); ct_span_next(&a);)
            for (int k = 0; k < a.n; k++) a.at[k] = *next++;
    ct_operations count = ct_count_shared(pool, n, all);
    return count;
}

// Replaces cosines and sines of the unknowns of a segment by symbols: the kernel computes them.
static void give_pairs(ct_pool *pool, const ct_segment *seg, const ct_ex *tracked,
                       ct_substitution *given) {
    const int *unknown;
    const bool *is_angle;
    int n = ct_segment_unknowns(seg, &unknown, &is_angle);
    for (int k = 0; k < n; k++) {
        ct_ex w = tracked[unknown[k]];
        char *name = ct_format("sine of %s", ct_symbol_name(pool, w));
        ct_substitution_map(given, ct_cos(pool, w), w);
        ct_substitution_map(given, ct_sin(pool, w), ct_symbol(pool, CT_SYMBOL_OTHER, name));
        ct_free(name);
    }
}

ct_operations ct_program_count(ct_pool *pool, const ct_program *program, const ct_ex *tracked) {
    int n;
    ct_substitution *given = ct_substitution_new(pool);
    for (int i = 0; i < program->n; i++) give_pairs(pool, program->segments + i, tracked, given);
    ct_ex *all = ct_program_expressions(program, CT_ROLES_CODE, &n);
    for (int i = 0; i < n; i++) all[i] = ct_substitute(given, all[i]);
    ct_operations count = ct_count_shared(pool, n, all);
    ct_program_count_calls(program, &count);
    ct_substitution_free(given);
    return count;
}

// Large eliminations search pivots in loops, which takes several times as long as the same
// operations in line.
enum {
    LOOPS = 4,          // price of an operation of an elimination in loops
    LINE = 2,           // price of an operation in line
    LARGEST_IN_LINE = 6 // unknowns
};

// 2/3 n^3 for the factorization, unless an earlier segment has it, and 2 n^2 for each column.
static double solve_cost(const ct_program *program, int segment) {
    const ct_linear_solve *s = &program->segments[segment].solve;
    double n = s->n;
    bool loops = n > LARGEST_IN_LINE;
    double factor = loops || ct_program_alike(program, segment) == segment ? 2 * n * n * n / 3 : 0;
    return (loops ? LOOPS : LINE) * (factor + 2 * n * n * s->columns);
}

double ct_program_cost(ct_pool *pool, const ct_program *program) {
    int n;
    ct_ex *all = ct_program_expressions(program, CT_ROLES_CODE, &n);
    double total = ct_operations_total(ct_count_shared(pool, n, all));
    for (int i = 0; i < program->n; i++) {
        ct_operations calls = {0};
        if (program->segments[i].kind == CT_SEGMENT_SOLVE) {
            total += solve_cost(program, i);
            continue;
        }
        ct_segment_count(program, i, &calls);
        total += ct_operations_total(calls);
    }
    return total;
}
