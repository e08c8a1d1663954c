// Completes the positions program. Sines and cosines that are used but not yet computed get a
// segment just before their first use: from known pairs by the addition formulas or, for angles
// that gears drive, from the tracked angle.
#include "closure/values/reach.h"

#include <stdlib.h>
#include <string.h>

typedef struct finisher {
    ct_values *s;
    ct_reach r;
    ct_program out;
    bool *is_set; // [values] by an earlier segment
    int room_set;
    ct_ex *missing;
} finisher;

// True if the tracked number is an unknown of the segment.
static bool finds(const ct_segment *seg, int tracked) {
    const int *unknown;
    const bool *is_angle;
    int n = ct_segment_unknowns(seg, &unknown, &is_angle);
    for (int i = 0; i < n; i++)
        if (unknown[i] == tracked) return true;
    return false;
}

static bool is_set(finisher *w, int value) {
    int n = w->s->closure->registers.values.n;
    if (w->room_set < n) {
        w->is_set = ct_scratch_longer(w->is_set, (size_t)w->room_set, (size_t)n, sizeof *w->is_set);
        w->room_set = n;
    }
    return w->is_set[value];
}

// Marks sums of angles and slides as known whose values earlier segments set.
static void know(finisher *w) {
    ct_closure *c = w->s->closure;
    for (int k = 0; k < w->s->n; k++) {
        const ct_angle_sum *p = w->s->item + k;
        if (is_set(w, p->cosine) && is_set(w, p->sine))
            ct_reach_know(&w->r, k, c->registers.values.symbol[p->cosine],
                          c->registers.values.symbol[p->sine]);
    }
    for (int k = 0; k < w->s->f->n; k++)
        if (w->s->slide[k] >= 0 && is_set(w, w->s->slide[k])) w->r.has[k] = true;
}

// Marks what a segment computes as known: values that it sets, angles that it finds or tracks.
static void after(finisher *w, const ct_segment *seg) {
    for (int i = 0; i < seg->n_sets; i++) {
        is_set(w, seg->sets[i].index);
        w->is_set[seg->sets[i].index] = true;
    }
    for (int k = 0; k < w->s->f->n; k++) {
        int t = w->s->tracked[k];
        if (w->s->f->is_angle[k] && t >= 0 && finds(seg, t)) w->r.has[k] = true;
        for (int i = 0; i < seg->n_follows && t >= 0; i++)
            w->r.has[k] = w->r.has[k] || seg->follows[i].index == t;
    }
    know(w);
}

// needs ------------------------------------------------------------------------------------------
// Sums of angles, slides and tracked angles that must be known before a segment.
typedef struct needs {
    int *angle_sums, n, room;
    bool *slide, *tracked; // [f->n]
} needs;

static void need_form(needs *x, int angle_sum) {
    for (int i = 0; i < x->n; i++)
        if (x->angle_sums[i] == angle_sum) return;
    *CT_PUSH_SCRATCH(x->angle_sums, x->n, x->room) = angle_sum;
}

static void need_symbol(finisher *w, ct_ex symbol, needs *x) {
    const ct_values *values = w->s;
    int value = ct_values_index(values, symbol);
    for (int k = 0; k < values->f->n; k++) {
        if (values->tracked[k] >= 0 &&
            values->closure->registers.tracked.symbol[values->tracked[k]] == symbol)
            x->tracked[k] = !w->r.has[k];
        if (value >= 0 && values->slide[k] == value) x->slide[k] = !is_set(w, value);
    }
    for (int k = 0; k < values->n && value >= 0; k++)
        if (values->item[k].cosine == value || values->item[k].sine == value) need_form(x, k);
}

static void need_expressions(finisher *w, int n, const ct_ex *a, needs *x) {
    ct_ex *symbols;
    int count = n && a ? ct_ex_symbols(w->s->pool, n, a, &symbols) : 0;
    for (int i = 0; i < count; i++) need_symbol(w, symbols[i], x);
}

static void need_segment(finisher *w, const ct_segment *seg, needs *x) {
    for (ct_span a = ct_segment_spans(seg, CT_ROLES_EFFECTS); ct_span_next(&a);)
        need_expressions(w, a.n, a.at, x);
    for (ct_span a = ct_segment_spans(seg, CT_ROLES_SOLVER); ct_span_next(&a);)
        need_expressions(w, a.n, a.at, x);
    for (int k = 0; k < w->s->f->n; k++) {
        int t = w->s->tracked[k];
        if (t < 0) continue;
        if (finds(seg, t)) x->tracked[k] = false; // its own unknown
        for (int i = 0; seg->kind == CT_SEGMENT_NEWTON && i < seg->newton.n_last; i++)
            if (seg->newton.last[i] == t) x->tracked[k] = false;
    }
}

static void need_everything(finisher *w, needs *x) {
    for (int k = 0; k < w->s->n; k++) need_form(x, k);
    for (int k = 0; k < w->s->f->n; k++) {
        x->slide[k] = w->s->slide[k] >= 0 && !is_set(w, w->s->slide[k]);
        x->tracked[k] = w->s->tracked[k] >= 0 && !w->r.has[k];
    }
}

// meeting them -----------------------------------------------------------------------------------
static bool known_angle_sum(finisher *w, int angle_sum) {
    return is_set(w, w->s->item[angle_sum].cosine) && is_set(w, w->s->item[angle_sum].sine);
}

// Angles that must be known as numbers: sums of angles hold multiples of them that are not whole.
static void need_angles(const finisher *w, needs *x) {
    const ct_values *values = w->s;
    for (int i = 0; i < x->n; i++) {
        ct_ex angle = values->item[x->angle_sums[i]].angle;
        if (ct_reach_is_whole(&w->r, angle)) continue;
        for (int k = 0; k < values->f->n; k++) {
            if (w->r.has[k] || !ct_depends(values->pool, angle, values->f->q[k])) continue;
            (values->f->is_angle[k] ? x->tracked : x->slide)[k] = true;
        }
    }
}

static bool set_angle_sums(finisher *w, int n, const int *angle_sums, ct_segment *seg) {
    ct_values *values = w->s;
    int failed;
    if (!ct_reach_all(&w->r, n, angle_sums, &failed)) {
        *w->missing = values->item[failed].angle;
        return false;
    }
    for (int i = 0; i < n; i++)
        ct_values_set(values, seg, values->item[angle_sums[i]].angle, w->r.cosine[angle_sums[i]],
                      w->r.sine[angle_sums[i]]);
    return true;
}

static bool slides_are_set(finisher *w, const needs *x) {
    for (int k = 0; k < w->s->f->n; k++)
        if (x->slide[k]) {
            *w->missing = w->s->f->q[k];
            return false;
        }
    return true;
}

// An iteration that finds a slide sets its value.
static void set_iterated_slides(ct_values *values, ct_segment *seg) {
    for (int k = 0; k < values->f->n; k++) {
        if (values->f->is_angle[k] || values->tracked[k] < 0 || !finds(seg, values->tracked[k]))
            continue;
        bool there = false;
        for (int j = 0; j < seg->n_sets; j++)
            there = there || seg->sets[j].index == values->slide[k];
        if (!there)
            ct_values_set_slide(values, seg, k,
                                values->closure->registers.tracked.symbol[values->tracked[k]]);
    }
}

// Tracked angles from their cosine and sine.
static void follow(finisher *w, const needs *x, ct_segment *seg) {
    ct_values *values = w->s;
    for (int k = 0; k < values->f->n; k++) {
        if (!x->tracked[k]) continue;
        int angle_sum = ct_values_of(values, ct_cos(values->pool, values->f->q[k])), index;
        ct_values_tracked(values, k, &index);
        ct_segment_follow(seg, index, w->r.sine[angle_sum], w->r.cosine[angle_sum]);
    }
}

// Appends at most two segments: one with values by the addition formulas and the angles that are
// tracked, then one with values that need those angles as numbers. Returns false if a value cannot
// be computed.
static bool meet(finisher *w, needs *x) {
    ct_values *values = w->s;
    // angles that are needed as numbers; slides must be set already
    need_angles(w, x);
    if (!slides_are_set(w, x)) return false;
    // sums of angles for the first segment, and those that need angles as numbers
    int now = 0, later = 0;
    int *first = ct_scratch((size_t)(x->n + values->f->n) + 1, sizeof *first),
        *second = ct_scratch((size_t)x->n + 1, sizeof *second);
    for (int i = 0; i < x->n; i++) {
        if (known_angle_sum(w, x->angle_sums[i])) continue;
        if (ct_reach_is_whole(&w->r, values->item[x->angle_sums[i]].angle))
            first[now++] = x->angle_sums[i];
        else
            second[later++] = x->angle_sums[i];
    }
    // cosine and sine of every angle that is to be tracked
    bool any = now > 0;
    for (int k = 0; k < values->f->n; k++) {
        any = any || x->tracked[k];
        if (!x->tracked[k]) continue;
        int angle_sum = ct_values_of(values, ct_cos(values->pool, values->f->q[k])), i = 0;
        while (i < now && first[i] != angle_sum) i++;
        if (i == now && !known_angle_sum(w, angle_sum)) first[now++] = angle_sum;
    }
    // values by the addition formulas, then the tracked angles
    bool done = true;
    if (any) {
        ct_segment seg = {.kind = CT_SEGMENT_PLAIN, .step = -1};
        done = set_angle_sums(w, now, first, &seg);
        if (done) follow(w, x, &seg);
        *ct_program_add(&w->out, -1) = seg;
        after(w, &seg);
    }
    // values of multiples of these angles
    if (done && later) {
        ct_segment *seg = ct_program_add(&w->out, -1);
        done = set_angle_sums(w, later, second, seg);
        after(w, seg);
    }
    return done;
}

// Computes what a segment needs; at the end of the program (NULL) all values and tracked angles.
static bool before(finisher *w, const ct_segment *seg) {
    size_t n = (size_t)w->s->f->n + 1;
    needs x = {.slide = ct_scratch(n, sizeof(bool)), .tracked = ct_scratch(n, sizeof(bool))};
    if (seg)
        need_segment(w, seg, &x);
    else
        need_everything(w, &x);
    bool done = meet(w, &x);
    return done;
}

static bool is_basis(const ct_values *values, const ct_whole_rotation_basis *x, ct_ex value) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (x->value[i].v[j] == value || x->value[i].v[j] == ct_neg(values->pool, value))
                return true;
    return false;
}

// Lets the segment of each basis set the other vectors of its whole rotation:
//   seen = sum (weight_j . fixed) value_j
static void set_whole_rotations(ct_values *values) {
    ct_pool *pool = values->pool;
    for (int i = 0; i < values->f->n_whole_rotations; i++) {
        const ct_whole_rotation *b = values->f->whole_rotations + i;
        const ct_whole_rotation_basis *x = values->basis + i;
        for (int k = 0; k < b->n && x->segment >= 0; k++) {
            ct_vec3 sum = ct_vec3_zero();
            for (int j = 0; j < 3; j++) {
                ct_ex share = ct_vec_dot(pool, x->weight[j], b->vectors[k].fixed);
                if (!ct_is_number(pool, share)) share = ct_let(pool, share);
                sum = ct_vec_add(pool, sum, ct_vec_scale(pool, share, x->value[j]));
            }
            for (int j = 0; j < 3; j++) {
                ct_ex value = ct_substitute(values->map, b->vectors[k].seen.v[j]);
                int index = ct_values_index(values, value);
                if (index >= 0 && !is_basis(values, x, value))
                    ct_segment_set(values->closure->positions.segments + x->segment, index,
                                   sum.v[j]);
            }
        }
    }
}

// Vectors of integrated rotations come first: R(e) times what is fixed in the body.
static void set_integrated(finisher *w) {
    const ct_values *values = w->s;
    const ct_register_bank *bank = &values->closure->registers.values;
    const ct_whole_rotation *whole;
    ct_segment seg = {.kind = CT_SEGMENT_PLAIN, .step = -1};
    int component;
    for (int i = 0; i < bank->n; i++) {
        int symbol = ct_node_index_get(&values->vector_of, bank->symbol[i]);
        if (symbol < 0) continue;
        ct_whole_rotation_find(values->f, (ct_ex)symbol, &whole, &component);
        if (whole->integrated) ct_segment_set(&seg, i, bank->meaning[i]);
    }
    if (!seg.n_sets) return;
    *ct_program_add(&w->out, -1) = seg;
    after(w, &seg);
}

bool ct_values_finish(ct_values *values, ct_ex *missing) {
    // vectors of whole rotations
    finisher w = {.s = values, .missing = missing};
    ct_program *p = &values->closure->positions;
    set_whole_rotations(values);
    ct_reach_init(&w.r, values);
    set_integrated(&w);
    // each segment after the values that it needs, then what is left open
    bool done = true;
    int moved = 0;
    for (; moved < p->n && done; moved++) {
        set_iterated_slides(values, p->segments + moved);
        done = before(&w, p->segments + moved);
        *ct_program_add(&w.out, 0) = p->segments[moved];
        after(&w, p->segments + moved);
    }
    done = done && before(&w, NULL);
    // on failure the rest is kept as it was
    for (; moved < p->n; moved++) *ct_program_add(&w.out, 0) = p->segments[moved];
    ct_free(p->segments);
    p->segments = w.out.segments;
    p->n = w.out.n;
    p->room = w.out.room;
    return done;
}

bool ct_values_complete(ct_values *values, int n, const ct_ex *solved, ct_ex *how, ct_ex *missing) {
    const ct_register_bank *bank = &values->closure->registers.values;
    ct_reach r;
    ct_reach_init(&r, values);
    // solved pairs and all slides are known
    for (int i = 0; i < n; i++) {
        ct_signed_trig x = ct_signed_trig_of(values->pool, CT_OP_COS, solved[i]);
        int k = ct_values_of(values, x.node);
        ct_reach_know(&r, k, bank->symbol[values->item[k].cosine],
                      bank->symbol[values->item[k].sine]);
    }
    for (int k = 0; k < values->f->n; k++) r.has[k] = r.has[k] || !values->f->is_angle[k];
    // every pair in the table from these
    int asked = values->n, failed = 0;
    int *all = ct_scratch((size_t)asked + 1, sizeof *all);
    for (int k = 0; k < asked; k++) all[k] = k;
    bool done = ct_reach_all(&r, asked, all, &failed);
    if (!done) *missing = values->item[failed].angle;
    // expressions of those that are not solved
    for (int k = 0; k < bank->n; k++) how[k] = CT_UNSET;
    for (int k = 0; k < asked && done; k++) {
        const ct_angle_sum *p = values->item + k;
        if (r.cosine[k] == bank->symbol[p->cosine]) continue;
        how[p->cosine] = r.cosine[k];
        how[p->sine] = r.sine[k];
    }
    return done;
}
