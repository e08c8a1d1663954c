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

static void use_segment(trimmer *t, const ct_segment *g, bool sets) {
    use(t, g->n, g->residual);
    use(t, g->n * g->n, g->matrix);
    use(t, g->n * g->columns, g->right);
    for (int i = 0; i < g->n_guards; i++) use(t, 1, &g->guards[i].value);
    for (int i = 0; i < g->n_follows; i++) {
        use(t, 1, &g->follows[i].sine);
        use(t, 1, &g->follows[i].cosine);
    }
    for (int i = 0; i < g->n_sets && sets; i++) use(t, 1, &g->sets[i].value);
}

// Used: by dynamics and expansion, by what positions check, solve and follow, and by sets of values
// that are.
static void find_used(trimmer *t) {
    ct_closure *c = t->c;
    for (int i = 0; i < c->dynamics.n; i++) use_segment(t, c->dynamics.segments + i, true);
    for (int i = 0; i < c->expansion.n; i++) use_segment(t, c->expansion.segments + i, true);
    use(t, c->f->n, c->q_value);
    use(t, c->f->n, c->q_sine);
    use(t, c->f->n, c->q_cosine);
    for (int i = c->positions.n - 1; i >= 0; i--) {
        const ct_segment *g = c->positions.segments + i;
        use_segment(t, g, false);
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
            const ct_segment *g = programs[p]->segments + i;
            bool two = g->kind == CT_SEGMENT_ROOT && g->columns - g->first >= 6;
            use_segment(&t, g, true);
            for (int k = 0; k < g->n_guards; k++) use(&t, 1, &g->guards[k].scale);
            for (int k = 0; k < g->n_last; k++) t.used[g->last[k]] = true;
            if (g->kind == CT_SEGMENT_NEWTON || g->kind == CT_SEGMENT_ROOT)
                for (int k = 0; k < g->n; k++) t.used[g->unknown[k]] = true;
            if (two) t.used[g->unknown[1]] = t.used[g->unknown[1] + 1] = true;
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
