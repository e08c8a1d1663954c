// Segments and programs: building, walking over their expressions, freeing.
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

// segments ---------------------------------------------------------------------------------------
void ct_segment_set(ct_segment *seg, int index, ct_ex value) {
    seg->sets = ct_realloc(seg->sets, (size_t)seg->n_sets + 1, sizeof *seg->sets);
    seg->sets[seg->n_sets++] = (ct_assign){index, value};
}

void ct_segment_guard(ct_segment *seg, ct_ex not_negative, int step, ct_ex scale) {
    seg->guards = ct_realloc(seg->guards, (size_t)seg->n_guards + 1, sizeof *seg->guards);
    seg->guards[seg->n_guards++] = (ct_guard){not_negative, step, scale};
}

void ct_segment_follow(ct_segment *seg, int index, ct_ex sine, ct_ex cosine) {
    seg->follows = ct_realloc(seg->follows, (size_t)seg->n_follows + 1, sizeof *seg->follows);
    seg->follows[seg->n_follows++] = (ct_follow){index, sine, cosine};
}

ct_ex *ct_expressions_copy(int n, const ct_ex *a) {
    ct_ex *copy = ct_alloc((size_t)n + 1, sizeof *copy);
    if (n) memcpy(copy, a, (size_t)n * sizeof *copy);
    return copy;
}

ct_newton ct_newton_new(int n) {
    size_t size = (size_t)n;
    return (ct_newton){.n = n,
                       .unknown = ct_alloc(size, sizeof(int)),
                       .is_angle = ct_alloc(size, sizeof(bool)),
                       .residual = ct_alloc(size, sizeof(ct_ex)),
                       .matrix = ct_alloc(size * size, sizeof(ct_ex))};
}

void ct_segment_clear(ct_segment *seg) {
    *seg = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = seg->step};
}

int ct_segment_unknowns(const ct_segment *seg, const int **unknown, const bool **is_angle) {
    switch (seg->kind) {
    case CT_SEGMENT_PLAIN:
    case CT_SEGMENT_SOLVE: break;
    case CT_SEGMENT_NEWTON:
        *unknown = seg->newton.unknown;
        *is_angle = seg->newton.is_angle;
        return seg->newton.n;
    case CT_SEGMENT_ROOT:
        *unknown = &seg->root.unknown;
        *is_angle = &seg->root.is_angle;
        return 1;
    case CT_SEGMENT_ROOT_PAIR:
        *unknown = seg->root_pair.unknown;
        *is_angle = seg->root_pair.is_angle;
        return 1;
    }
    *unknown = NULL;
    *is_angle = NULL;
    return 0;
}

bool ct_segment_iterates(const ct_segment *seg) {
    const int *unknown;
    const bool *is_angle;
    return ct_segment_unknowns(seg, &unknown, &is_angle) > 0;
}

// expressions ------------------------------------------------------------------------------------
enum { SOLVER_SPANS = 3 };

// Arrays of expressions that the solver of a segment has.
static int solver_spans(const ct_segment *seg, ct_span spans[SOLVER_SPANS]) {
    const ct_newton *newton = &seg->newton;
    const ct_linear_solve *solve = &seg->solve;
    const ct_root *root = &seg->root;
    const ct_root_pair *pair = &seg->root_pair;
    switch (seg->kind) {
    case CT_SEGMENT_PLAIN: break;
    // Newton: residual, then its derivatives
    case CT_SEGMENT_NEWTON:
        spans[0] = (ct_span){.role = CT_ROLE_RESIDUAL, newton->n, newton->residual};
        spans[1] = (ct_span){.role = CT_ROLE_MATRIX, newton->n * newton->n, newton->matrix};
        return 2;
    // linear system: matrix, then right sides
    case CT_SEGMENT_SOLVE:
        spans[0] = (ct_span){.role = CT_ROLE_MATRIX, solve->n * solve->n, solve->matrix};
        spans[1] = (ct_span){.role = CT_ROLE_RIGHT, solve->n * solve->columns, solve->right};
        return 2;
    // roots: the polynomials, then the bounds that certify angles
    case CT_SEGMENT_ROOT:
        spans[0] = (ct_span){.role = CT_ROLE_COEFFICIENT, root->n, root->coefficient};
        spans[1] = (ct_span){.role = CT_ROLE_BOUND, root->bound ? 1 : 0, root->bound};
        return 2;
    case CT_SEGMENT_ROOT_PAIR:
        spans[0] = (ct_span){.role = CT_ROLE_LEFT, pair->n_left, pair->left};
        spans[1] = (ct_span){.role = CT_ROLE_COEFFICIENT, 6 * pair->n, pair->coefficient};
        spans[2] = (ct_span){.role = CT_ROLE_BOUND, pair->bound ? 2 : 0, pair->bound};
        return 3;
    }
    return 0;
}

// Expression k of the effects: sets, then values and scales of guards, then follows.
static bool effect_span(const ct_segment *seg, int k, ct_span *span) {
    span->n = 1;
    if (k < seg->n_sets) {
        span->role = CT_ROLE_SET;
        span->at = &seg->sets[k].value;
        return true;
    }
    k -= seg->n_sets;
    if (k < 2 * seg->n_guards) {
        ct_guard *guard = seg->guards + k / 2;
        span->role = k % 2 ? CT_ROLE_SCALE : CT_ROLE_GUARD;
        span->at = k % 2 ? &guard->scale : &guard->value;
        return true;
    }
    k -= 2 * seg->n_guards;
    if (k >= 2 * seg->n_follows) return false;
    ct_follow *follow = seg->follows + k / 2;
    span->role = k % 2 ? CT_ROLE_COSINE : CT_ROLE_SINE;
    span->at = k % 2 ? &follow->cosine : &follow->sine;
    return true;
}

ct_span ct_segment_spans(const ct_segment *seg, unsigned roles) {
    return (ct_span){.seg = seg, .roles = roles};
}

bool ct_span_next(ct_span *span) {
    ct_span solver[SOLVER_SPANS];
    int n = solver_spans(span->seg, solver);
    do {
        int k = span->next++;
        if (k < n) {
            span->role = solver[k].role;
            span->n = solver[k].n;
            span->at = solver[k].at;
        } else if (!effect_span(span->seg, k - n, span)) {
            return false;
        }
    } while (!span->n || !(span->roles & span->role));
    return true;
}

// programs ---------------------------------------------------------------------------------------
ct_segment *ct_program_add(ct_program *program, int step) {
    ct_segment *seg = CT_PUSH(program->segments, program->n, program->room);
    *seg = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = step};
    return seg;
}

ct_ex *ct_program_expressions(const ct_program *program, unsigned roles, int *n) {
    ct_ex *all = NULL;
    int room = 0;
    *n = 0;
    for (int i = 0; i < program->n; i++)
        for (ct_span a = ct_segment_spans(program->segments + i, roles); ct_span_next(&a);)
            for (int k = 0; k < a.n; k++) *CT_PUSH_SCRATCH(all, *n, room) = a.at[k];
    return all;
}

int ct_program_alike(const ct_program *program, int segment) {
    const ct_linear_solve *own = &program->segments[segment].solve;
    size_t size = (size_t)(own->n * own->n) * sizeof *own->matrix;
    int first = 0;
    for (; first < segment; first++) {
        const ct_segment *seg = program->segments + first;
        if (seg->kind == CT_SEGMENT_SOLVE && seg->solve.n == own->n &&
            !memcmp(seg->solve.matrix, own->matrix, size))
            break;
    }
    return first;
}
