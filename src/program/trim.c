// Removes values, signs and tracked angles that no expression uses. Example of a sign: a polynomial
// in two unknowns has taken the place of its square root.
#include "program/trim.h"

#include <stdlib.h>

enum { BESIDE_SETS = CT_ROLES_CODE & ~CT_ROLE_SET };

static void need_coordinates(ct_needs *needs, const ct_programs *p) {
    ct_needs_below(needs, p->n, p->q_value);
    ct_needs_below(needs, p->n, p->q_sine);
    ct_needs_below(needs, p->n, p->q_cosine);
    ct_needs_below(needs, p->n_shown, p->shown);
}

// values -----------------------------------------------------------------------------------------
// Removes unused values from the registers. The meanings of signs in terms of them are rewritten in
// coordinates. place[v] becomes the new place of value v, -1 if it was removed.
static void drop_registers(const ct_programs *p, const ct_needs *needs, int *place) {
    ct_register_bank *values = &p->registers->values, *signs = &p->registers->signs;
    ct_substitution *meaning = ct_substitution_new(p->pool);
    int kept = 0;
    for (int v = 0; v < values->n; v++) {
        bool used = needs->has[values->symbol[v]];
        place[v] = used ? kept : -1;
        if (!used) {
            ct_substitution_map(meaning, values->symbol[v], values->meaning[v]);
            continue;
        }
        values->symbol[kept] = values->symbol[v];
        values->meaning[kept++] = values->meaning[v];
    }
    values->n = kept;
    for (int i = 0; i < signs->n; i++)
        signs->meaning[i] = ct_substitute(meaning, signs->meaning[i]);
    ct_substitution_free(meaning);
}

static void drop_sets(ct_program *program, const int *place) {
    for (int i = 0; i < program->n; i++) {
        ct_segment *seg = program->segments + i;
        int kept = 0;
        for (int k = 0; k < seg->n_sets; k++)
            if (place[seg->sets[k].index] >= 0)
                seg->sets[kept++] = (ct_assign){place[seg->sets[k].index], seg->sets[k].value};
        seg->n_sets = kept;
    }
}

// A value is used if dynamics, expansion or coordinates need it, or a solver, a guard or a tracked
// angle of the positions, or the set of a used value.
static void trim_values(const ct_programs *p) {
    ct_needs needs;
    int *place = ct_scratch((size_t)p->registers->values.n + 1, sizeof *place);
    ct_needs_init(&needs, p->pool, p->positions, p->registers->values.symbol);
    ct_needs_program(&needs, p->dynamics, CT_ROLES_CODE);
    ct_needs_program(&needs, p->expansion, CT_ROLES_CODE);
    need_coordinates(&needs, p);
    ct_needs_program(&needs, p->positions, BESIDE_SETS);
    drop_registers(p, &needs, place);
    drop_sets(p->positions, place);
}

// signs ------------------------------------------------------------------------------------------
// Removes signs that no expression reads from the registers; the others keep their order.
static void trim_signs(const ct_programs *p) {
    ct_register_bank *signs = &p->registers->signs;
    const ct_program *programs[] = {p->positions, p->dynamics, p->expansion};
    ct_needs needs;
    int kept = 0;
    ct_needs_init(&needs, p->pool, p->positions, NULL);
    for (int k = 0; k < 3; k++)
        ct_needs_program(&needs, programs[k], CT_ROLES_CODE | CT_ROLE_SCALE);
    need_coordinates(&needs, p);
    for (int i = 0; i < signs->n; i++) {
        if (!needs.has[signs->symbol[i]]) continue;
        signs->symbol[kept] = signs->symbol[i];
        signs->meaning[kept++] = signs->meaning[i];
    }
    signs->n = kept;
}

// followed angles --------------------------------------------------------------------------------
// Marks the unknowns of a solver and the tracked numbers of its last position as needed.
static void need_unknowns(ct_needs *needs, const ct_ex *tracked, const ct_segment *seg) {
    const int *unknown;
    const bool *is_angle;
    int n = ct_segment_unknowns(seg, &unknown, &is_angle);
    for (int k = 0; k < n; k++) ct_needs_below(needs, 1, tracked + unknown[k]);
    if (seg->kind == CT_SEGMENT_NEWTON)
        for (int k = 0; k < seg->newton.n_last; k++)
            ct_needs_below(needs, 1, tracked + seg->newton.last[k]);
    if (seg->kind == CT_SEGMENT_ROOT_PAIR)
        ct_needs_below(needs, seg->root_pair.is_angle[1] ? 2 : 1,
                       tracked + seg->root_pair.unknown[1]);
}

// Removes tracked angles that no program needs. Elimination of blocks leaves such angles: they were
// unknowns of an iteration, or occurred outside sines and cosines, before.
static void trim_follows(const ct_programs *p) {
    const ct_ex *tracked = p->registers->tracked.symbol;
    const ct_program *programs[] = {p->positions, p->dynamics, p->expansion};
    // tracked numbers in expressions, and unknowns of solvers
    ct_needs needs;
    ct_needs_init(&needs, p->pool, p->positions, NULL);
    for (int k = 0; k < 3; k++) {
        ct_needs_program(&needs, programs[k], CT_ROLES_CODE | CT_ROLE_SCALE);
        for (int i = 0; i < programs[k]->n; i++)
            need_unknowns(&needs, tracked, programs[k]->segments + i);
    }
    need_coordinates(&needs, p);
    ct_needs_below(&needs, p->registers->signs.n, p->registers->signs.meaning);
    // the others are dropped
    for (int i = 0; i < p->positions->n; i++) {
        ct_segment *seg = p->positions->segments + i;
        int kept = 0;
        for (int k = 0; k < seg->n_follows; k++)
            if (needs.has[tracked[seg->follows[k].index]]) seg->follows[kept++] = seg->follows[k];
        seg->n_follows = kept;
    }
}

void ct_programs_trim(const ct_programs *p) {
    trim_signs(p);
    trim_follows(p);
    trim_values(p);
}
