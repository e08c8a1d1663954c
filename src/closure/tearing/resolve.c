// Values that hang on iterated coordinates, written out in them: each step inside the iteration
// sets values by expressions, and angle sums follow from their parts.
#include "closure/tearing/tearing.h"

#include <stdlib.h>
#include <string.h>

typedef ct_tearing torn;

// tables -----------------------------------------------------------------------------------------
// Values of the iterated coordinates themselves.
static void own_values(torn *t) {
    const ct_step_builder *build = t->b;
    for (int k = 0; k < t->n; k++) {
        ct_segment seg = {0};
        if (build->f->is_angle[t->unknown[k]])
            ct_values_set(build->values, &seg, build->f->q[t->unknown[k]],
                          ct_cos(build->pool, t->tracked[k]), ct_sin(build->pool, t->tracked[k]));
        else
            ct_values_set_slide(build->values, &seg, t->unknown[k], t->tracked[k]);
        for (int i = 0; i < seg.n_sets; i++) t->expression[seg.sets[i].index] = seg.sets[i].value;
        ct_free(seg.sets);
    }
}

static bool is_angle(const ct_step_builder *build, ct_ex q) {
    for (int k = 0; k < build->f->n; k++)
        if (build->f->q[k] == q) return build->f->is_angle[k];
    return false;
}

// Asks for the pairs of all tracked angles.
static void ask_for_pairs(const ct_step_builder *build) {
    const ct_closure *c = build->closure;
    for (int i = 0; i < c->registers.tracked.n; i++) {
        ct_ex cosine, sine;
        if (is_angle(build, c->registers.tracked.meaning[i]))
            ct_values_pair(build->values, c->registers.tracked.meaning[i], &cosine, &sine);
    }
}

// Makes a value one of the open symbols.
static void open_value(torn *t, ct_ex value) {
    int v = ct_values_index(t->b->values, value);
    t->expression[v] = CT_UNSET;
    t->done[v] = value;
    t->open[t->n_open++] = value;
}

void ct_tearing_tables(torn *t, int n_open, const ct_ex *open) {
    const ct_step_builder *build = t->b;
    ct_closure *c = build->closure;
    // room for every value, pairs of tracked angles included
    ask_for_pairs(build);
    size_t n = (size_t)c->registers.values.n + 1;
    ct_ex missing;
    t->how = ct_scratch(n, sizeof(ct_ex));
    t->expression = ct_scratch(n, sizeof(ct_ex));
    t->done = ct_scratch(n, sizeof(ct_ex));
    t->busy = ct_scratch(n, sizeof(bool));
    for (int v = 0; v < c->registers.values.n; v++) {
        t->how[v] = t->expression[v] = t->done[v] = CT_UNSET;
        t->busy[v] = false;
    }
    // values from angle sums, from steps that hang on the group, from iterated coordinates
    ct_values_complete(build->values, build->notes->n_solved, build->notes->solved, t->how,
                       &missing);
    for (int i = 0; i < t->hanging.n; i++) {
        const ct_segment *seg = t->hanging.segments + i;
        for (int k = 0; k < seg->n_sets; k++)
            t->expression[seg->sets[k].index] = seg->sets[k].value;
    }
    own_values(t);
    // open: the tracked symbols, then the values that the caller names
    t->n_open = t->n;
    t->open = ct_scratch(n + (size_t)t->n, sizeof(ct_ex));
    memcpy(t->open, t->tracked, (size_t)t->n * sizeof(ct_ex));
    for (int i = 0; i < n_open; i++) open_value(t, open[i]);
}

// resolving --------------------------------------------------------------------------------------
static bool is_open(const torn *t, ct_ex a) {
    for (int k = 0; k < t->n_open; k++)
        if (ct_depends(t->b->pool, a, t->open[k])) return true;
    return false;
}

static ct_ex resolve_value(torn *t, int v) {
    const ct_closure *c = t->b->closure;
    if (t->done[v] != CT_UNSET) return t->done[v];
    ct_ex a = t->expression[v] != CT_UNSET ? t->expression[v] : t->how[v],
          result = c->registers.values.symbol[v];
    if (a != CT_UNSET && !t->busy[v]) {
        t->busy[v] = true;
        ct_ex inner = ct_tearing_resolve(t, a);
        if (t->expression[v] != CT_UNSET || is_open(t, inner)) result = ct_let(t->b->pool, inner);
        t->busy[v] = false;
    }
    return t->done[v] = result;
}

// An angle that stands outside sines and cosines and follows from the iteration: the one with its
// sine and cosine nearest to its last value w, w + atan2(sin(x - w), cos(x - w)).
static ct_ex resolve_angle(torn *t, ct_ex w) {
    const ct_closure *c = t->b->closure;
    ct_pool *pool = t->b->pool;
    ct_ex cosine, sine, angle = CT_ZERO;
    int index = 0;
    // the angle that w tracks; the group's own unknowns stay as they are
    for (int i = 0; i < c->registers.tracked.n; i++)
        if (c->registers.tracked.symbol[i] == w) {
            angle = c->registers.tracked.meaning[i];
            index = i;
        }
    for (int k = 0; k < t->n; k++)
        if (t->tracked[k] == w) return w;
    if (angle == CT_ZERO || !is_angle(t->b, angle)) return w;
    // its sine and cosine in open symbols
    ct_values_pair(t->b->values, angle, &cosine, &sine);
    cosine = ct_tearing_resolve(t, cosine);
    sine = ct_tearing_resolve(t, sine);
    if (!is_open(t, cosine) && !is_open(t, sine)) return w;
    // w + atan2(s cos w - c sin w, c cos w + s sin w)
    *CT_PUSH_SCRATCH(t->last, t->n_last, t->room_last) = index;
    ct_ex cw = ct_cos(pool, w), sw = ct_sin(pool, w);
    ct_ex gap[2] = {ct_sub(pool, ct_mul(pool, sine, cw), ct_mul(pool, cosine, sw)),
                    ct_add(pool, ct_mul(pool, cosine, cw), ct_mul(pool, sine, sw))};
    return ct_let(pool, ct_add(pool, w, ct_apply(pool, CT_OP_ATAN2, gap)));
}

ct_ex ct_tearing_resolve(torn *t, ct_ex a) {
    ct_pool *pool = t->b->pool;
    ct_ex *symbols;
    int n = ct_ex_symbols(pool, 1, &a, &symbols);
    ct_substitution *s = ct_substitution_new(pool);
    for (int i = 0; i < n; i++) {
        int v = ct_values_index(t->b->values, symbols[i]);
        ct_ex to = v >= 0 ? resolve_value(t, v) : resolve_angle(t, symbols[i]);
        if (to != symbols[i]) ct_substitution_map(s, symbols[i], to);
    }
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}
