// Values that positions leave open, each before the first segment that needs it: by the addition
// formulas, or (gears) by the angle itself, which is then followed.
#include "closure/values/reach.h"

#include <stdlib.h>
#include <string.h>

typedef struct finisher {
    ct_forms *s;
    ct_reach r;
    ct_program out;
    bool *is_set; // [values] by an earlier segment
    int room_set;
    ct_ex *missing;
} finisher;

// Does a segment find this tracked number?
static bool finds(const ct_segment *g, int tracked) {
    const int *unknown;
    const bool *is_angle;
    int n = ct_segment_unknowns(g, &unknown, &is_angle);
    for (int i = 0; i < n; i++)
        if (unknown[i] == tracked) return true;
    return false;
}

static bool is_set(finisher *w, int value) {
    int n = w->s->closure->registers.values.n;
    if (w->room_set < n) {
        w->is_set = ct_realloc(w->is_set, (size_t)n, sizeof *w->is_set);
        for (int k = w->room_set; k < n; k++) w->is_set[k] = false;
        w->room_set = n;
    }
    return w->is_set[value];
}

// what earlier segments have set is known from now on, by its symbols
static void know(finisher *w) {
    ct_closure *c = w->s->closure;
    for (int k = 0; k < w->s->n; k++) {
        const ct_form *p = w->s->item + k;
        if (is_set(w, p->cosine) && is_set(w, p->sine))
            ct_reach_know(&w->r, k, c->registers.values.symbol[p->cosine],
                          c->registers.values.symbol[p->sine]);
    }
    for (int k = 0; k < w->s->f->n; k++)
        if (w->s->slide[k] >= 0 && is_set(w, w->s->slide[k])) w->r.has[k] = true;
}

static void after(finisher *w, const ct_segment *g) {
    for (int i = 0; i < g->n_sets; i++) {
        is_set(w, g->sets[i].index);
        w->is_set[g->sets[i].index] = true;
    }
    for (int k = 0; k < w->s->f->n; k++) {
        int t = w->s->tracked[k];
        if (w->s->f->is_angle[k] && t >= 0 && finds(g, t)) w->r.has[k] = true;
        for (int i = 0; i < g->n_follows && t >= 0; i++)
            w->r.has[k] = w->r.has[k] || g->follows[i].index == t;
    }
    know(w);
}

// needs ------------------------------------------------------------------------------------------
typedef struct needs {
    int *forms, n, room;
    bool *slide, *tracked; // [f->n]
} needs;

static void need_form(needs *x, int form) {
    for (int i = 0; i < x->n; i++)
        if (x->forms[i] == form) return;
    *CT_PUSH(x->forms, x->n, x->room) = form;
}

static void need_symbol(finisher *w, ct_ex symbol, needs *x) {
    const ct_forms *s = w->s;
    int value = ct_forms_index(s, symbol);
    for (int k = 0; k < s->f->n; k++) {
        if (s->tracked[k] >= 0 && s->closure->registers.tracked.symbol[s->tracked[k]] == symbol)
            x->tracked[k] = !w->r.has[k];
        if (value >= 0 && s->slide[k] == value) x->slide[k] = !is_set(w, value);
    }
    for (int k = 0; k < s->n && value >= 0; k++)
        if (s->item[k].cosine == value || s->item[k].sine == value) need_form(x, k);
}

static void need_expressions(finisher *w, int n, const ct_ex *a, needs *x) {
    ct_ex *symbols;
    int count = n && a ? ct_ex_symbols(w->s->pool, n, a, &symbols) : 0;
    for (int i = 0; i < count; i++) need_symbol(w, symbols[i], x);
    if (n && a) ct_free(symbols);
}

static void need_segment(finisher *w, const ct_segment *g, needs *x) {
    for (ct_span a = ct_segment_spans(g, CT_ROLES_EFFECTS); ct_span_next(&a);)
        need_expressions(w, a.n, a.at, x);
    for (ct_span a = ct_segment_spans(g, CT_ROLES_SOLVER); ct_span_next(&a);)
        need_expressions(w, a.n, a.at, x);
    for (int k = 0; k < w->s->f->n; k++) {
        int t = w->s->tracked[k];
        if (t < 0) continue;
        if (finds(g, t)) x->tracked[k] = false; // what it finds itself
        for (int i = 0; g->kind == CT_SEGMENT_NEWTON && i < g->newton.n_last; i++)
            if (g->newton.last[i] == t) x->tracked[k] = false;
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
static bool known_form(finisher *w, int form) {
    return is_set(w, w->s->item[form].cosine) && is_set(w, w->s->item[form].sine);
}

// Angles that forms need as such: in multiples that are not whole.
static void need_angles(const finisher *w, needs *x) {
    const ct_forms *s = w->s;
    for (int i = 0; i < x->n; i++) {
        ct_ex angle = s->item[x->forms[i]].angle;
        if (ct_reach_is_whole(&w->r, angle)) continue;
        for (int k = 0; k < s->f->n; k++) {
            if (w->r.has[k] || !ct_depends(s->pool, angle, s->f->q[k])) continue;
            (s->f->is_angle[k] ? x->tracked : x->slide)[k] = true;
        }
    }
}

static bool set_forms(finisher *w, int n, const int *forms, ct_segment *g) {
    ct_forms *s = w->s;
    int failed;
    if (!ct_reach_all(&w->r, n, forms, &failed)) {
        *w->missing = s->item[failed].angle;
        return false;
    }
    for (int i = 0; i < n; i++)
        ct_forms_set(s, g, s->item[forms[i]].angle, w->r.cosine[forms[i]], w->r.sine[forms[i]]);
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
static void set_iterated_slides(ct_forms *s, ct_segment *g) {
    for (int k = 0; k < s->f->n; k++) {
        if (s->f->is_angle[k] || s->tracked[k] < 0 || !finds(g, s->tracked[k])) continue;
        bool there = false;
        for (int j = 0; j < g->n_sets; j++) there = there || g->sets[j].index == s->slide[k];
        if (!there)
            ct_forms_set_slide(s, g, k, s->closure->registers.tracked.symbol[s->tracked[k]]);
    }
}

static void follow(finisher *w, const needs *x, ct_segment *g) {
    ct_forms *s = w->s;
    for (int k = 0; k < s->f->n; k++) {
        if (!x->tracked[k]) continue;
        int form = ct_forms_of(s, ct_cos(s->pool, s->f->q[k])), index;
        ct_forms_tracked(s, k, &index);
        ct_segment_follow(g, index, w->r.sine[form], w->r.cosine[form]);
    }
}

// Two segments at most: values that the addition formulas give with the angles to follow, then
// values of those angles.
static bool meet(finisher *w, needs *x) {
    ct_forms *s = w->s;
    need_angles(w, x);
    if (!slides_are_set(w, x)) return false;
    int now = 0, later = 0;
    int *first = ct_alloc((size_t)(x->n + s->f->n) + 1, sizeof *first),
        *second = ct_alloc((size_t)x->n + 1, sizeof *second);
    for (int i = 0; i < x->n; i++) {
        if (known_form(w, x->forms[i])) continue;
        if (ct_reach_is_whole(&w->r, s->item[x->forms[i]].angle))
            first[now++] = x->forms[i];
        else
            second[later++] = x->forms[i];
    }
    bool any = now > 0;
    for (int k = 0; k < s->f->n; k++) {
        any = any || x->tracked[k];
        if (!x->tracked[k]) continue;
        int form = ct_forms_of(s, ct_cos(s->pool, s->f->q[k])), i = 0;
        while (i < now && first[i] != form) i++;
        if (i == now && !known_form(w, form)) first[now++] = form;
    }
    bool done = true;
    if (any) {
        ct_segment g = {.kind = CT_SEGMENT_PLAIN, .step = -1};
        done = set_forms(w, now, first, &g);
        if (done) follow(w, x, &g);
        *ct_program_add(&w->out, -1) = g;
        after(w, &g);
    }
    if (done && later) {
        ct_segment *g = ct_program_add(&w->out, -1);
        done = set_forms(w, later, second, g);
        after(w, g);
    }
    ct_free(first);
    ct_free(second);
    return done;
}

static bool before(finisher *w, const ct_segment *g) {
    size_t n = (size_t)w->s->f->n + 1;
    needs x = {.slide = ct_alloc(n, sizeof(bool)), .tracked = ct_alloc(n, sizeof(bool))};
    if (g)
        need_segment(w, g, &x);
    else
        need_everything(w, &x);
    bool done = meet(w, &x);
    ct_free(x.forms);
    ct_free(x.slide);
    ct_free(x.tracked);
    return done;
}

static bool is_basis(const ct_forms *s, const ct_ball_basis *x, ct_ex value) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (x->value[i].v[j] == value || x->value[i].v[j] == ct_neg(s->pool, value))
                return true;
    return false;
}

// Has the segments with their bases set the vectors of balls.
static void set_balls(ct_forms *s) {
    ct_pool *pool = s->pool;
    for (int i = 0; i < s->f->n_balls; i++) {
        const ct_ball *b = s->f->balls + i;
        const ct_ball_basis *x = s->basis + i;
        for (int k = 0; k < b->n && x->segment >= 0; k++) {
            ct_vec3 sum = ct_vec3_zero();
            for (int j = 0; j < 3; j++) {
                ct_ex share = ct_vec_dot(pool, x->weight[j], b->vectors[k].fixed);
                if (!ct_is_number(pool, share)) share = ct_let(pool, share);
                sum = ct_vec_add(pool, sum, ct_vec_scale(pool, share, x->value[j]));
            }
            for (int j = 0; j < 3; j++) {
                ct_ex value = ct_substitute(s->map, b->vectors[k].seen.v[j]);
                int index = ct_forms_index(s, value);
                if (index >= 0 && !is_basis(s, x, value))
                    ct_segment_set(s->closure->positions.segments + x->segment, index, sum.v[j]);
            }
        }
    }
}

bool ct_forms_finish(ct_forms *s, ct_ex *missing) {
    finisher w = {.s = s, .missing = missing};
    ct_program *p = &s->closure->positions;
    set_balls(s);
    ct_reach_init(&w.r, s);
    bool done = true;
    int moved = 0;
    for (; moved < p->n && done; moved++) {
        set_iterated_slides(s, p->segments + moved);
        done = before(&w, p->segments + moved);
        *ct_program_add(&w.out, 0) = p->segments[moved];
        after(&w, p->segments + moved);
    }
    done = done && before(&w, NULL);
    for (; moved < p->n; moved++) *ct_program_add(&w.out, 0) = p->segments[moved];
    ct_free(p->segments);
    p->segments = w.out.segments;
    p->n = w.out.n;
    p->room = w.out.room;
    ct_free(w.is_set);
    ct_reach_clear(&w.r);
    return done;
}

bool ct_forms_complete(ct_forms *s, int n, const ct_ex *solved, ct_ex *how, ct_ex *missing) {
    const ct_register_bank *values = &s->closure->registers.values;
    ct_reach r;
    ct_reach_init(&r, s);
    for (int i = 0; i < n; i++) {
        ct_trig x = ct_trig_of(s->pool, CT_OP_COS, solved[i]);
        int k = ct_forms_of(s, x.node);
        ct_reach_know(&r, k, values->symbol[s->item[k].cosine], values->symbol[s->item[k].sine]);
    }
    for (int k = 0; k < s->f->n; k++) r.has[k] = r.has[k] || !s->f->is_angle[k];
    int asked = s->n, failed = 0;
    int *all = ct_alloc((size_t)asked + 1, sizeof *all);
    for (int k = 0; k < asked; k++) all[k] = k;
    bool done = ct_reach_all(&r, asked, all, &failed);
    if (!done) *missing = s->item[failed].angle;
    for (int k = 0; k < values->n; k++) how[k] = CT_UNSET;
    for (int k = 0; k < asked && done; k++) {
        const ct_form *p = s->item + k;
        if (r.cosine[k] == values->symbol[p->cosine]) continue;
        how[p->cosine] = r.cosine[k];
        how[p->sine] = r.sine[k];
    }
    ct_free(all);
    ct_reach_clear(&r);
    return done;
}
