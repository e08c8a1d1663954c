// Values and followed angles that nothing uses in the end leave the closure.
#include "closure/values/values.h"

#include <stdlib.h>

typedef struct trimmer {
    ct_closure *c;
    ct_pool *pool;
    int *index; // by symbol: value, or -1
    size_t room;
    bool *used;
} trimmer;

static void use(trimmer *t, int n, const ct_ex *a) {
    if (!n || !a) return;
    ct_ex *symbols;
    int count = ct_ex_symbols(t->pool, n, a, &symbols);
    for (int i = 0; i < count; i++)
        if (symbols[i] < t->room && t->index[symbols[i]] >= 0) t->used[t->index[symbols[i]]] = true;
    free(symbols);
}

static void use_segment(trimmer *t, const ct_segment *seg, unsigned roles) {
    for (ct_span a = ct_segment_spans(seg, roles); ct_span_next(&a);) use(t, a.n, a.at);
}

// Used: by dynamics and expansion, by what positions check, solve and follow, and by sets of values
// that are.
static void find_used(trimmer *t) {
    ct_closure *c = t->c;
    for (int i = 0; i < c->dynamics.n; i++) use_segment(t, c->dynamics.segments + i, CT_ROLES_CODE);
    for (int i = 0; i < c->expansion.n; i++)
        use_segment(t, c->expansion.segments + i, CT_ROLES_CODE);
    use(t, c->f->n, c->q_value);
    use(t, c->f->n, c->q_sine);
    use(t, c->f->n, c->q_cosine);
    for (int i = c->positions.n - 1; i >= 0; i--) {
        const ct_segment *g = c->positions.segments + i;
        use_segment(t, g, CT_ROLES_CODE & ~(unsigned)CT_ROLE_SET);
        for (int k = 0; k < g->n_sets; k++)
            if (t->used[g->sets[k].index]) use(t, 1, &g->sets[k].value);
    }
}

static void drop(trimmer *t) {
    ct_closure *c = t->c;
    int *place = ct_alloc((size_t)c->n_values + 1, sizeof *place), kept = 0;
    ct_substitution *direct = ct_substitution_new(t->pool); // signs are read from coordinates
    for (int k = 0; k < c->n_values; k++) {
        place[k] = t->used[k] ? kept : -1;
        if (!t->used[k]) {
            ct_substitution_map(direct, c->value[k], c->direct[k]);
            continue;
        }
        c->value[kept] = c->value[k];
        c->direct[kept++] = c->direct[k];
    }
    c->n_values = kept;
    for (int i = 0; i < c->n_signs; i++) c->sign_of[i] = ct_substitute(direct, c->sign_of[i]);
    for (int i = 0; i < c->positions.n; i++) {
        ct_segment *g = c->positions.segments + i;
        int sets = 0;
        for (int k = 0; k < g->n_sets; k++)
            if (place[g->sets[k].index] >= 0)
                g->sets[sets++] = (ct_assign){place[g->sets[k].index], g->sets[k].value};
        g->n_sets = sets;
    }
    ct_substitution_free(direct);
    free(place);
}

// Tracked numbers that a solver finds, or needs as they were.
static void use_unknowns(trimmer *t, const ct_segment *seg) {
    const int *unknown;
    const bool *is_angle;
    int n = ct_segment_unknowns(seg, &unknown, &is_angle);
    for (int k = 0; k < n; k++) t->used[unknown[k]] = true;
    if (seg->kind == CT_SEGMENT_NEWTON)
        for (int k = 0; k < seg->newton.n_last; k++) t->used[seg->newton.last[k]] = true;
    if (seg->kind == CT_SEGMENT_ROOT_PAIR)
        for (int k = 0; k <= seg->root_pair.is_angle[1]; k++)
            t->used[seg->root_pair.unknown[1] + k] = true;
}

// Angles are followed because they stood by themselves, or were iterated, before blocks were
// eliminated.
static void drop_follows(ct_closure *c) {
    trimmer t = {.c = c, .pool = c->f->pool, .room = ct_pool_size(c->f->pool)};
    ct_program *programs[] = {&c->positions, &c->dynamics, &c->expansion};
    t.index = ct_alloc(t.room, sizeof *t.index);
    t.used = ct_alloc((size_t)c->n_tracked + 2, sizeof *t.used);
    for (size_t i = 0; i < t.room; i++) t.index[i] = -1;
    for (int k = 0; k < c->n_tracked; k++) t.index[c->tracked[k]] = k;
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < programs[p]->n; i++) {
            use_segment(&t, programs[p]->segments + i, CT_ROLES_CODE | CT_ROLE_SCALE);
            use_unknowns(&t, programs[p]->segments + i);
        }
    use(&t, c->f->n, c->q_value);
    use(&t, c->f->n, c->q_sine);
    use(&t, c->f->n, c->q_cosine);
    use(&t, c->n_signs, c->sign_of);
    for (int i = 0; i < c->positions.n; i++) {
        ct_segment *g = c->positions.segments + i;
        int kept = 0;
        for (int k = 0; k < g->n_follows; k++)
            if (t.used[g->follows[k].index]) g->follows[kept++] = g->follows[k];
        g->n_follows = kept;
    }
    free(t.index);
    free(t.used);
}

void ct_forms_trim(ct_closure *c) {
    drop_follows(c);
    trimmer t = {.c = c, .pool = c->f->pool, .room = ct_pool_size(c->f->pool)};
    t.index = ct_alloc(t.room, sizeof *t.index);
    t.used = ct_alloc((size_t)c->n_values + 1, sizeof *t.used);
    for (size_t i = 0; i < t.room; i++) t.index[i] = -1;
    for (int k = 0; k < c->n_values; k++) t.index[c->value[k]] = k;
    find_used(&t);
    drop(&t);
    free(t.index);
    free(t.used);
}
