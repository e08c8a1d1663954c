// A program of the closure as one function. Its segments become parts that share what they compute:
// values that are set are known by their expressions from then on. Eliminations and iterations are
// calls of ctk_small.h, roots of polynomials calls of ctk_root.h and ctk_root_pair.h.
#include "emit/emit_lower.h"

#include "expr/optimise.h"
#include "program/count.h"
#include "program/trim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ct_program_measures(const ct_program *program) {
    int n = 0;
    for (int i = 0; i < program->n; i++)
        n += program->segments[i].n_guards + ct_segment_iterates(program->segments + i);
    return n;
}

int ct_program_iterations(const ct_program *program) {
    int n = 0;
    for (int i = 0; i < program->n; i++) n += ct_segment_iterates(program->segments + i);
    return n;
}

// A root keeps its angle with the cosine and sine, and how often they were turned; an iteration how
// far it bends, and the same of every angle. The layout is that of ctk_small.h.
int ct_program_carried(const ct_closure *c, ct_ex *out) {
    ct_pool *pool = c->f->pool;
    int count = 0;
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *seg = c->positions.segments + i;
        const int *unknown;
        const bool *is_angle;
        int n = ct_segment_unknowns(seg, &unknown, &is_angle);
        if (seg->kind == CT_SEGMENT_NEWTON) {
            if (out) out[count] = CT_ZERO;
            count++;
        }
        for (int j = 0; j < n; j++) {
            if (!is_angle[j]) continue;
            ct_ex angle = c->registers.tracked.meaning[unknown[j]];
            const ct_ex carried[CTK_CARRIED] = {angle, ct_cos(pool, angle), ct_sin(pool, angle),
                                                CT_ZERO};
            if (out) memcpy(out + count, carried, sizeof carried);
            count += CTK_CARRIED;
        }
    }
    return count;
}

// what is needed ----------------------------------------------------------------------------------
static bool wanted(const ct_lowering *l, const ct_assign *set, const char **array, int *index) {
    return l->in->place(l->in->data, set->index, array, index);
}

// Segments that are written: those with effects that somebody wants, and those that these need.
static void find_needed(ct_lowering *l) {
    const ct_program *p = l->in->program;
    const unsigned effects = CT_ROLES_FOLLOW | (l->in->guards ? (unsigned)CT_ROLE_GUARD : 0);
    ct_needs needs;
    ct_needs_init(&needs, l->pool, p, NULL);
    l->needed = ct_alloc((size_t)p->n + 1, sizeof *l->needed);
    for (int i = 0; i < l->in->n_last; i++) ct_needs_below(&needs, 1, &l->in->last[i].root);
    for (int i = 0; i < p->n; i++) {
        const ct_segment *seg = p->segments + i;
        const char *array;
        int index;
        bool need = ct_segment_iterates(seg) || seg->n_follows || (seg->n_guards && l->in->guards);
        for (int k = 0; k < seg->n_sets; k++)
            if (wanted(l, seg->sets + k, &array, &index)) {
                need = true;
                ct_needs_below(&needs, 1, &seg->sets[k].value);
            }
        l->needed[i] = need;
        if (need) ct_needs_segment(&needs, seg, CT_ROLES_SOLVER | effects);
    }
    for (int i = 0; i < p->n; i++)
        l->needed[i] = l->needed[i] || ct_needs_solve(&needs, p->segments + i);
}

// parts -------------------------------------------------------------------------------------------
ct_lowered *ct_lower_part(ct_lowering *l) {
    ct_lowered *p = CT_PUSH(l->parts, l->n, l->room);
    *p = (ct_lowered){0};
    return p;
}

void ct_lower_target(ct_lowered *p, const char *array, int index, ct_ex root) {
    *CT_PUSH(p->targets, p->n, p->room) = (ct_target){array, index, root};
}

ct_ex ct_lower_now(ct_lowering *l, ct_ex a) { // with what is known
    return ct_substitute(l->known, a);
}

int ct_lower_failure(const ct_lowering *l, int step) { // the code that is returned
    return 1 + (step >= 0 && step < l->k->n_steps ? step : l->k->n_steps);
}

void ct_lower_array(ct_lowering *l, const char *name, int size) {
    if (size <= 0) return;
    ct_text_printf(&l->local, "    double %s[%d];\n", name, size);
    *CT_PUSH(l->arrays, l->n_arrays, l->room_arrays) = ct_strdup(name);
}

// The end of a segment: values that it sets, tracked angles, guards.
static void finish(ct_lowering *l, const ct_segment *seg) {
    ct_lowered *p = ct_lower_part(l);
    // values; in positions the symbol is known by its expression from here on
    for (int i = 0; i < seg->n_sets; i++) {
        const char *array;
        int index;
        if (!wanted(l, seg->sets + i, &array, &index)) continue;
        ct_ex value = ct_lower_now(l, seg->sets[i].value);
        if (l->in->optional && !strcmp(array, l->in->optional))
            ct_text_printf(&p->before, "    if (!%s)\n        " CT_DONE "\n", array);
        ct_lower_target(p, array, index, value);
        if (!l->in->positions) continue;
        ct_substitution_map(l->known, l->k->registers.values.symbol[seg->sets[i].index],
                            ct_let(l->pool, value));
    }
    // tracked angles: by sine and cosine, on the turn where they were
    for (int i = 0; i < seg->n_follows; i++) {
        ct_lower_target(p, "sine", i, ct_lower_now(l, seg->follows[i].sine));
        ct_lower_target(p, "cosine", i, ct_lower_now(l, seg->follows[i].cosine));
        ct_text_printf(&p->after, "    w[%d] = ctk_angle(sine[%d], cosine[%d], w[%d]);\n",
                       seg->follows[i].index, i, i, seg->follows[i].index);
    }
    // guards: measures g of the positions program, checks elsewhere; negative fails
    for (int i = 0; i < seg->n_guards && l->in->guards; i++) {
        const char *array = l->in->positions ? "g" : "check";
        int k = l->in->positions ? l->n_measures++ : l->n_checks++;
        if (l->in->positions) {
            l->guard_step[k] = seg->guards[i].step;
            l->in->guard_scale[k] = seg->guards[i].scale;
        }
        ct_lower_target(p, array, k, ct_lower_now(l, seg->guards[i].value));
        ct_text_printf(&p->after, "    if (!(%s[%d] >= 0.0))\n        return %d;\n", array, k,
                       ct_lower_failure(l, seg->guards[i].step));
    }
}

// The parts of one segment: its solver, then what it sets.
static void lower(ct_lowering *l, const ct_segment *seg) {
    switch (seg->kind) {
    case CT_SEGMENT_PLAIN: break;
    case CT_SEGMENT_NEWTON: ct_lower_iteration(l, seg); break;
    case CT_SEGMENT_SOLVE:
        if (seg->solve.n == 1)
            ct_lower_division(l, seg);
        else
            ct_lower_elimination(l, seg);
        break;
    case CT_SEGMENT_ROOT: ct_lower_root(l, seg); break;
    case CT_SEGMENT_ROOT_PAIR: ct_lower_root_pair(l, seg); break;
    }
    finish(l, seg);
}

// text --------------------------------------------------------------------------------------------
// Declares the local arrays that calls of the kernel work on.
static void declare_local(ct_lowering *l) {
    const ct_program *p = l->in->program;
    int matrix = 0, unknowns = 0, turns = 0, poly = 0;
    // the largest matrix, polynomial, iteration and number of tracked angles of a segment
    for (int i = 0; i < p->n; i++) {
        const ct_segment *seg = p->segments + i;
        if (!l->needed[i]) continue;
        int coefficients = 0;
        for (ct_span a = ct_segment_spans(seg, CT_ROLE_MATRIX); ct_span_next(&a);)
            if (a.n > matrix) matrix = a.n;
        for (ct_span a = ct_segment_spans(seg, CT_ROLES_POLYNOMIAL); ct_span_next(&a);)
            coefficients += a.n;
        if (coefficients > poly) poly = coefficients;
        if (seg->kind == CT_SEGMENT_NEWTON && seg->newton.n > unknowns) unknowns = seg->newton.n;
        if (seg->n_follows > turns) turns = seg->n_follows;
    }
    // arrays of that size, shared by all segments
    ct_lower_array(l, "matrix", l->n_eliminations || l->n_newton ? matrix : 0);
    ct_lower_array(l, "x", l->n_eliminations ? p->n_x : 0);
    ct_lower_array(l, "poly", poly);
    ct_lower_array(l, "check", l->n_checks);
    ct_lower_array(l, "y", unknowns);
    ct_lower_array(l, "residual", unknowns);
    ct_lower_array(l, "sine", turns);
    ct_lower_array(l, "cosine", turns);
    // scalars of eliminations and iterations
    if (l->n_determinants) ct_text_add(&l->local, "    double determinant;\n");
    if (l->n_newton)
        ct_text_add(&l->local, "    ctk_iteration iteration;\n    double sign;\n    int state;\n");
}

// A function that is not split ends where a part would end all of them.
static void add_whole(ct_text *out, const char *statements) {
    for (const char *done; (done = strstr(statements, CT_DONE));
         statements = done + strlen(CT_DONE)) {
        ct_text_addn(out, statements, (size_t)(done - statements));
        ct_text_add(out, "return 0;");
    }
    ct_text_add(out, statements);
}

// Optimises all parts together and writes the function, in pieces where it is long. count: its
// operations, those inside calls included.
static void write(ct_lowering *l, ct_operations *count) {
    // roots of all parts, optimised as one system
    int n = 0;
    for (int i = 0; i < l->n; i++) n += l->parts[i].n;
    ct_ex *roots = ct_scratch((size_t)n + 1, sizeof *roots);
    ct_part *parts = ct_scratch((size_t)l->n + 1, sizeof *parts);
    n = 0;
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->parts[i].n; k++) roots[n++] = l->parts[i].targets[k].root;
    ct_optimise(l->pool, n, roots);
    n = 0;
    for (int i = 0; i < l->n; i++) {
        ct_lowered *p = l->parts + i;
        for (int k = 0; k < p->n; k++) p->targets[k].root = roots[n++];
        parts[i] = (ct_part){p->before.s, p->after.s, p->n, p->targets, p->n_moving, p->moving};
    }
    // statements, with the most temporaries in use and the operations
    ct_text statements = {0};
    ct_operations own;
    int t = ct_writer_parts(l->e->w, &statements, l->n, parts, &own);
    if (t > l->e->temporaries) l->e->temporaries = t;
    if (count) {
        *count = (ct_operations){own.add + l->extra.add, own.mul + l->extra.mul,
                                 own.div + l->extra.div, own.func + l->extra.func};
    }
    // local arrays, those of the last targets included
    ct_text *out = &l->e->body;
    if (l->in->local) ct_text_add(&l->local, l->in->local);
    for (int i = 0; i < l->in->n_last; i++) { // local arrays of the caller
        char *declared = ct_format(" %s[", l->in->last[i].array);
        bool known = !l->in->local || !strstr(l->in->local, declared);
        ct_free(declared);
        for (int k = 0; k < l->n_arrays; k++)
            known = known || !strcmp(l->arrays[k], l->in->last[i].array);
        if (!known)
            *CT_PUSH(l->arrays, l->n_arrays, l->room_arrays) = ct_strdup(l->in->last[i].array);
    }
    *CT_PUSH(l->arrays, l->n_arrays, l->room_arrays) = NULL;
    // iterations keep their state in local variables: these functions stay whole
    if (l->n_iterations ||
        !ct_emit_split(out, "int", l->in->signature, l->in->arguments,
                       (const char *const *)l->arrays, l->local.s, statements.s)) {
        ct_text_printf(out, "static int %s\n{\n", l->in->signature);
        if (l->local.s) ct_text_add(out, l->local.s);
        if (statements.s) add_whole(out, statements.s);
    }
    // last statements of the caller, and the end
    if (l->in->ending) ct_text_add(out, l->in->ending);
    ct_emitter_silence(out, l->in->arguments);
    ct_text_add(out, "    return 0;\n}\n\n");
    ct_text_clear(&statements);
}

void ct_emit_program(ct_emitter *e, const ct_program_input *in, int *guard_step,
                     ct_operations *count) {
    ct_lowering l = {.e = e,
                     .k = e->in->closure,
                     .in = in,
                     .pool = e->f->pool,
                     .known = ct_substitution_new(e->f->pool),
                     .guard_step = guard_step};
    // segments that are needed, unknowns of small systems as x[i]
    find_needed(&l);
    for (int i = 0; i < in->program->n_x; i++) {
        char *text = ct_format("x[%d]", i);
        ct_writer_name(e->w, in->program->x[i], text);
        ct_free(text);
    }
    // one part of the function or more for each segment; operations inside calls (eliminations,
    // iterations, roots) are added to the count
    for (int i = 0; i < in->program->n; i++)
        if (l.needed[i]) {
            const ct_segment *seg = in->program->segments + i;
            lower(&l, seg);
            if (seg->kind != CT_SEGMENT_SOLVE || seg->solve.n > 1) // else it is written out
                ct_segment_count(in->program, i, &l.extra);
        }
    // targets of the caller at the end
    ct_lowered *last = ct_lower_part(&l);
    for (int i = 0; i < in->n_last; i++)
        ct_lower_target(last, in->last[i].array, in->last[i].index,
                        ct_lower_now(&l, in->last[i].root));
    // the text of the function
    declare_local(&l);
    write(&l, count);
    for (int i = 0; i < l.n; i++) {
        ct_text_clear(&l.parts[i].before);
        ct_text_clear(&l.parts[i].after);
        ct_free(l.parts[i].targets);
        ct_free(l.parts[i].moving);
    }
    ct_free(l.parts);
    ct_free(l.needed);
    for (int i = 0; i < l.n_arrays; i++) ct_free(l.arrays[i]);
    ct_free(l.arrays);
    ct_text_clear(&l.local);
    ct_substitution_free(l.known);
}
