// Writes the programs of the embedding: segments that solve linear systems, then one segment that
// sets the results and checks the guards.
#include "closure/embed/embed_inside.h"

#include <stdlib.h>

void ct_embed_guard(ct_embedder *e, ct_ex value, int step) {
    ct_segment *seg = &e->last;
    if (ct_is_number(e->pool, value) && ct_constant_value(e->pool, value) >= 0) return;
    for (int i = 0; i < seg->n_guards; i++)
        if (seg->guards[i].value == value) return;
    ct_segment_guard(seg, value, step, CT_ZERO);
}

void ct_embed_segment(ct_embedder *e, int step, int n, int columns, const ct_ex *matrix,
                      ct_ex *right) {
    ct_program *p = e->program;
    ct_linear_solve solve = {.n = n,
                             .columns = columns,
                             .first = p->n_x,
                             .matrix = ct_expressions_copy(n * n, matrix),
                             .right = ct_expressions_copy(n * columns, right)};
    for (int i = 0; i < n * columns; i++) {
        char *name =
            ct_scratch_format("solved %d %s of %zu", p->n_x,
                              p == &e->closure->dynamics ? "dynamics" : "expansion", e->name);
        right[i] = ct_symbol(e->pool, CT_SYMBOL_OTHER, name);
        *CT_PUSH(p->x, p->n_x, p->room_x) = right[i];
    }
    ct_segment *seg = ct_program_add(p, step);
    seg->kind = CT_SEGMENT_SOLVE;
    seg->solve = solve;
}

void ct_embed_begin(ct_embedder *e, ct_program *program) {
    e->program = program;
    e->last = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = -1};
}

void ct_embed_end(ct_embedder *e) {
    *CT_PUSH(e->program->segments, e->program->n, e->program->room) = e->last;
}
