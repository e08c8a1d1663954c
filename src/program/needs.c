// Needed symbols of a program: from the symbols of given expressions back to those that they are
// computed from.
#include "program/trim.h"

#include <stdlib.h>

static void give(ct_needs *needs, ct_ex symbol, int segment, int set) {
    if (symbol >= needs->room) return;
    needs->segment[symbol] = segment;
    needs->set[symbol] = set;
}

void ct_needs_init(ct_needs *needs, ct_pool *pool, const ct_program *program, const ct_ex *target) {
    *needs = (ct_needs){.pool = pool, .program = program, .room = ct_pool_size(pool)};
    needs->seen = ct_scratch(needs->room, sizeof *needs->seen);
    needs->has = ct_scratch(needs->room, sizeof *needs->has);
    needs->segment = ct_scratch(needs->room, sizeof *needs->segment);
    needs->set = ct_scratch(needs->room, sizeof *needs->set);
    for (size_t i = 0; i < needs->room; i++) needs->segment[i] = needs->set[i] = -1;
    for (int i = 0; i < program->n; i++) {
        const ct_segment *seg = program->segments + i;
        for (int k = 0; target && k < seg->n_sets; k++)
            give(needs, target[seg->sets[k].index], i, k);
        for (int k = 0; seg->kind == CT_SEGMENT_SOLVE && k < seg->solve.n * seg->solve.columns; k++)
            give(needs, program->x[seg->solve.first + k], i, -1);
    }
}

// What computes a symbol is needed with it.
static void need(ct_needs *needs, ct_ex symbol) {
    if (needs->has[symbol]) return;
    needs->has[symbol] = true;
    if (needs->segment[symbol] < 0) return;
    const ct_segment *seg = needs->program->segments + needs->segment[symbol];
    if (needs->set[symbol] >= 0)
        ct_needs_below(needs, 1, &seg->sets[needs->set[symbol]].value);
    else
        ct_needs_segment(needs, seg, CT_ROLES_SOLVER);
}

// Every node is walked once, whatever expressions it is part of.
void ct_needs_below(ct_needs *needs, int n, const ct_ex *a) {
    ct_ex *stack = NULL;
    int depth = 0, room = 0;
    for (int i = 0; a && i < n; i++) *CT_PUSH(stack, depth, room) = a[i];
    while (depth) {
        ct_ex node = stack[--depth];
        if (node >= needs->room || needs->seen[node]) continue;
        needs->seen[node] = true;
        if (ct_ex_op(needs->pool, node) == CT_OP_SYMBOL) need(needs, node);
        for (int k = ct_child_count(needs->pool, node) - 1; k >= 0; k--)
            *CT_PUSH(stack, depth, room) = ct_child(needs->pool, node, k);
    }
    ct_free(stack);
}

void ct_needs_segment(ct_needs *needs, const ct_segment *seg, unsigned roles) {
    for (ct_span a = ct_segment_spans(seg, roles); ct_span_next(&a);)
        ct_needs_below(needs, a.n, a.at);
}

void ct_needs_program(ct_needs *needs, const ct_program *program, unsigned roles) {
    for (int i = 0; i < program->n; i++) ct_needs_segment(needs, program->segments + i, roles);
}

bool ct_needs_solve(const ct_needs *needs, const ct_segment *seg) {
    bool any = false;
    for (int k = 0; seg->kind == CT_SEGMENT_SOLVE && k < seg->solve.n * seg->solve.columns; k++)
        any = any || needs->has[needs->program->x[seg->solve.first + k]];
    return any;
}

ct_ex ct_needs_set_from(const ct_needs *needs, ct_ex symbol, int *step) {
    if (symbol >= needs->room || needs->set[symbol] < 0) return CT_UNSET;
    const ct_segment *seg = needs->program->segments + needs->segment[symbol];
    *step = seg->step;
    return seg->sets[needs->set[symbol]].value;
}
