// Values that no step needs leave the positions: those for the expansion to all coordinates, and
// what only dynamics needs and follows from other values.
#include "program/lighten.h"
#include "numeric/numbers.h"

#include <stdlib.h>

typedef struct light {
    ct_closure *c;
    ct_pool *pool;
    ct_substitution *late; // values that were moved, as expressions in others
    int *index;            // by symbol: value, -1
    size_t room;
    bool *needed; // [values]
    ct_ex *set;   // [values] what plain segments set
    bool *has;
    bool *follows, *moved; // [values] set behind the steps; left to dynamics
} light;

static int value_of(const light *l, ct_ex symbol) {
    return symbol < l->room ? l->index[symbol] : -1;
}

// Marks the values below an expression, and those that these are set from.
static void need(light *l, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(l->pool, 1, &a, &symbols);
    for (int i = 0; i < n; i++) {
        int v = value_of(l, symbols[i]);
        if (v < 0 || l->needed[v]) continue;
        l->needed[v] = true;
        if (l->has[v]) need(l, l->set[v]);
    }
    free(symbols);
}

static void need_segment(light *l, const ct_segment *s) {
    for (int i = 0; i < s->n; i++) {
        if (s->residual) need(l, s->residual[i]);
        for (int k = 0; s->matrix && k < s->n; k++) need(l, s->matrix[i * s->n + k]);
        for (int k = 0; s->right && k < s->columns; k++) need(l, s->right[i * s->columns + k]);
    }
    for (int i = 0; i < s->n_follows; i++) {
        need(l, s->follows[i].sine);
        need(l, s->follows[i].cosine);
    }
    for (int i = 0; i < s->n_guards; i++) need(l, s->guards[i].value);
}

static bool is_sign(const light *l, ct_ex symbol) {
    for (int i = 0; i < l->c->n_signs; i++)
        if (l->c->sign[i] == symbol) return true;
    return false;
}

// Only values, signs and what is always at hand; nothing tracked.
static bool portable(const light *l, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(l->pool, 1, &a, &symbols);
    bool good = true;
    for (int i = 0; i < n && good; i++)
        good = value_of(l, symbols[i]) >= 0 || is_sign(l, symbols[i]) ||
               ct_symbol_kind_of(l->pool, symbols[i]) != CT_SYMBOL_OTHER;
    free(symbols);
    return good;
}

static void begin_light(light *l, ct_closure *c) {
    *l = (light){.c = c, .pool = c->f->pool, .room = ct_pool_size(c->f->pool)};
    size_t n = (size_t)c->n_values + 1;
    l->late = ct_substitution_new(l->pool);
    l->index = ct_alloc(l->room, sizeof(int));
    l->needed = ct_alloc(n, sizeof(bool));
    l->has = ct_alloc(n, sizeof(bool));
    l->follows = ct_alloc(n, sizeof(bool));
    l->moved = ct_alloc(n, sizeof(bool));
    l->set = ct_alloc(n, sizeof(ct_ex));
    for (size_t i = 0; i < l->room; i++) l->index[i] = -1;
    for (int v = 0; v < c->n_values; v++) l->index[c->value[v]] = v;
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *s = c->positions.segments + i;
        for (int k = 0; k < s->n_sets; k++) {
            l->set[s->sets[k].index] = s->sets[k].value;
            l->has[s->sets[k].index] = true;
            l->follows[s->sets[k].index] = s->step < 0;
        }
    }
}

static void end_light(light *l) {
    ct_substitution_free(l->late);
    free(l->index);
    free(l->needed);
    free(l->has);
    free(l->follows);
    free(l->moved);
    free(l->set);
}

static void put_in(light *l, int n, ct_ex *a) {
    for (int i = 0; a && i < n; i++) a[i] = ct_substitute(l->late, a[i]);
}

static void put_in_program(light *l, ct_program *p) {
    for (int i = 0; i < p->n; i++) {
        ct_segment *s = p->segments + i;
        for (int k = 0; k < s->n_sets; k++) put_in(l, 1, &s->sets[k].value);
        for (int k = 0; k < s->n_guards; k++) put_in(l, 1, &s->guards[k].value);
        put_in(l, s->n * s->n, s->matrix);
        put_in(l, s->n * s->columns, s->right);
    }
}

// What dynamics needs of the steps' own values stays as well; what merely follows from these (sums
// of angles, vectors of balls) is as well computed there.
static void need_for_dynamics(light *l, int n, const ct_ex *a) {
    ct_ex *symbols;
    n = a ? ct_ex_symbols(l->pool, n, a, &symbols) : 0;
    for (int i = 0; i < n; i++) {
        int v = value_of(l, symbols[i]);
        if (v < 0 || l->needed[v] || l->moved[v]) continue;
        l->moved[v] = l->has[v] && l->follows[v] && portable(l, l->set[v]);
        if (l->moved[v])
            need_for_dynamics(l, 1, l->set + v);
        else
            need(l, symbols[i]);
    }
    if (a) free(symbols);
}

static void need_dynamics(light *l) {
    const ct_program *p = &l->c->dynamics;
    for (int i = 0; i < p->n; i++) {
        const ct_segment *s = p->segments + i;
        need_for_dynamics(l, s->n * s->n, s->matrix);
        need_for_dynamics(l, s->n * s->columns, s->right);
        for (int k = 0; k < s->n_guards; k++) need_for_dynamics(l, 1, &s->guards[k].value);
        for (int k = 0; k < s->n_sets; k++) need_for_dynamics(l, 1, &s->sets[k].value);
    }
}

void ct_program_lighten(ct_closure *c) {
    light l;
    begin_light(&l, c);
    for (int i = 0; i < c->positions.n; i++) need_segment(&l, c->positions.segments + i);
    need_dynamics(&l);
    // what cannot move stays, with what it is set from
    for (int v = 0; v < c->n_values; v++)
        if (l.has[v] && !l.needed[v] && !portable(&l, l.set[v])) need(&l, c->value[v]);
    for (int i = 0; i < c->positions.n; i++) {
        ct_segment *s = c->positions.segments + i;
        int kept = 0;
        for (int k = 0; k < s->n_sets; k++) {
            int v = s->sets[k].index;
            if (l.needed[v])
                s->sets[kept++] = s->sets[k];
            else // in terms of values that stay, since those before it were moved already
                ct_substitution_map(l.late, c->value[v],
                                    ct_let(l.pool, ct_substitute(l.late, s->sets[k].value)));
        }
        s->n_sets = kept;
    }
    put_in(&l, c->f->n, c->q_value);
    put_in(&l, c->f->n, c->q_sine);
    put_in(&l, c->f->n, c->q_cosine);
    put_in_program(&l, &c->dynamics);
    put_in_program(&l, &c->expansion);
    end_light(&l);
}

// margins ----------------------------------------------------------------------------------------
double ct_closure_margin(const ct_closure *c, const double *q, int *step) {
    ct_numbers x;
    double least = 1,
           *v = ct_alloc((size_t)(c->n_values + c->n_tracked + c->n_signs) + 1, sizeof *v);
    ct_model_numbers(c->f->model, &x);
    ct_numbers_set(&x, c->f->n, c->f->q, q);
    ct_numbers_eval(&x, c->n_values, c->direct, v);
    ct_numbers_set(&x, c->n_values, c->value, v);
    ct_numbers_eval(&x, c->n_tracked, c->tracked_direct, v);
    ct_numbers_set(&x, c->n_tracked, c->tracked, v);
    ct_numbers_eval(&x, c->n_signs, c->sign_of, v);
    for (int i = 0; i < c->n_signs; i++) v[i] = v[i] < 0 ? -1 : 1;
    ct_numbers_set(&x, c->n_signs, c->sign, v);
    *step = -1;
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *s = c->positions.segments + i;
        for (int k = 0; k < s->n_guards; k++) {
            double at[2];
            if (s->guards[k].scale == CT_ZERO) continue;
            ct_numbers_eval(&x, 2, (ct_ex[]){s->guards[k].value, s->guards[k].scale}, at);
            if (!(at[0] / at[1] >= least)) {
                least = at[0] / at[1];
                *step = s->guards[k].step;
            }
        }
    }
    ct_numbers_clear(&x);
    free(v);
    return least;
}
