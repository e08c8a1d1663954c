// Moves values out of the positions that no step needs: values of the expansion, and values of the
// dynamics that follow from other values.
#include "program/trim.h"

#include <stdlib.h>

typedef struct light {
    const ct_programs *p;
    ct_needs needs;
    ct_substitution *late; // values that were moved, as expressions in others
    bool *moved;           // by node: left to dynamics
} light;

static bool holds(const ct_register_bank *bank, ct_ex symbol) {
    for (int i = 0; i < bank->n; i++)
        if (bank->symbol[i] == symbol) return true;
    return false;
}

// True if the expression holds no tracked numbers or solved unknowns, so that every program can
// compute it.
static bool is_portable(const light *l, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(l->p->pool, 1, &a, &symbols);
    bool good = true;
    for (int i = 0; i < n && good; i++)
        good = ct_symbol_kind_of(l->p->pool, symbols[i]) != CT_SYMBOL_OTHER ||
               holds(&l->p->registers->values, symbols[i]) ||
               holds(&l->p->registers->signs, symbols[i]);
    return good;
}

// Values that steps set and dynamics needs stay in the positions. Values that follow from these
// (sums of angles, vectors of whole rotations) are computed in the dynamics.
static void need_for_dynamics(light *l, int n, const ct_ex *a) {
    ct_ex *symbols;
    n = ct_ex_symbols(l->p->pool, n, a, &symbols);
    for (int i = 0; i < n; i++) {
        ct_ex symbol = symbols[i];
        int step = 0;
        ct_ex from = ct_needs_set_from(&l->needs, symbol, &step);
        if (l->needs.has[symbol] || l->moved[symbol]) continue;
        l->moved[symbol] = from != CT_UNSET && step < 0 && is_portable(l, from);
        if (l->moved[symbol])
            need_for_dynamics(l, 1, &from);
        else
            ct_needs_below(&l->needs, 1, &symbol);
    }
}

static void find_needed(light *l) {
    const ct_program *positions = l->p->positions, *dynamics = l->p->dynamics;
    ct_needs_program(&l->needs, positions, CT_ROLES_SOLVER | CT_ROLES_FOLLOW | CT_ROLE_GUARD);
    for (int i = 0; i < dynamics->n; i++)
        for (ct_span a = ct_segment_spans(dynamics->segments + i, CT_ROLES_CODE); ct_span_next(&a);)
            need_for_dynamics(l, a.n, a.at);
    // what cannot move stays, with what it is set from
    const ct_register_bank *values = &l->p->registers->values;
    for (int v = 0, step; v < values->n; v++) {
        ct_ex from = ct_needs_set_from(&l->needs, values->symbol[v], &step);
        if (from != CT_UNSET && !l->needs.has[values->symbol[v]] && !is_portable(l, from))
            ct_needs_below(&l->needs, 1, values->symbol + v);
    }
}

// Removes sets that are not needed and keeps their expressions in values that stay.
static void move_sets(light *l) {
    const ct_ex *value = l->p->registers->values.symbol;
    for (int i = 0; i < l->p->positions->n; i++) {
        ct_segment *seg = l->p->positions->segments + i;
        int kept = 0;
        for (int k = 0; k < seg->n_sets; k++) {
            ct_ex symbol = value[seg->sets[k].index];
            if (l->needs.has[symbol])
                seg->sets[kept++] = seg->sets[k];
            else // those before it were moved already
                ct_substitution_map(l->late, symbol,
                                    ct_let(l->p->pool, ct_substitute(l->late, seg->sets[k].value)));
        }
        seg->n_sets = kept;
    }
}

static void put_in(light *l, int n, ct_ex *a) {
    for (int i = 0; i < n; i++) a[i] = ct_substitute(l->late, a[i]);
}

static void put_in_program(light *l, ct_program *program) {
    for (int i = 0; i < program->n; i++)
        for (ct_span a = ct_segment_spans(program->segments + i, CT_ROLES_CODE); ct_span_next(&a);)
            put_in(l, a.n, a.at);
}

void ct_programs_lighten(const ct_programs *p) {
    light l = {.p = p, .late = ct_substitution_new(p->pool)};
    ct_needs_init(&l.needs, p->pool, p->positions, p->registers->values.symbol);
    l.moved = ct_alloc(l.needs.room, sizeof *l.moved);
    find_needed(&l);
    move_sets(&l);
    put_in(&l, p->n, p->q_value);
    put_in(&l, p->n, p->q_sine);
    put_in(&l, p->n, p->q_cosine);
    put_in(&l, p->n_shown, p->shown);
    put_in_program(&l, p->dynamics);
    put_in_program(&l, p->expansion);
    ct_substitution_free(l.late);
    ct_free(l.moved);
}
