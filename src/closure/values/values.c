// Value symbols: which there are, and expressions written in them. A pair is found by the angle
// that stands below the sine or cosine; the pool has already taken signs and quarter turns out of
// it.
#include "closure/values/values_inside.h"

#include <stdlib.h>
#include <string.h>

static void index_node(ct_node_index *x, ct_ex node, int value) {
    if (node >= x->room) {
        size_t room = node + node / 2 + 256;
        x->at = ct_realloc(x->at, room, sizeof *x->at);
        memset(x->at + x->room, 0xff, (room - x->room) * sizeof *x->at);
        x->room = room;
    }
    x->at[node] = value;
}

ct_forms *ct_forms_new(ct_closure *closure) {
    ct_forms *s = ct_alloc(1, sizeof *s);
    s->closure = closure;
    s->f = closure->f;
    s->pool = s->f->pool;
    s->name = ct_pool_size(s->pool); // the pool grows with every closure that has symbols
    s->map = ct_substitution_new(s->pool);
    s->slide = ct_alloc((size_t)s->f->n + 1, sizeof *s->slide);
    s->tracked = ct_alloc((size_t)s->f->n + 1, sizeof *s->tracked);
    for (int k = 0; k < s->f->n; k++) {
        s->slide[k] = s->tracked[k] = -1;
        index_node(&s->coordinate_of, s->f->q[k], k);
    }
    s->basis = ct_alloc((size_t)s->f->n_balls + 1, sizeof *s->basis);
    for (int i = 0; i < s->f->n_balls; i++) s->basis[i].segment = -1;
    if (s->f->n_balls) s->plain = s->f->plain->layout;
    return s;
}

void ct_forms_free(ct_forms *s) {
    if (!s) return;
    ct_substitution_free(s->map);
    ct_free(s->basis);
    ct_free(s->item);
    ct_free(s->form_of.at);
    ct_free(s->value_of.at);
    ct_free(s->vector_of.at);
    ct_free(s->coordinate_of.at);
    ct_free(s->visited.at);
    ct_free(s->slide);
    ct_free(s->tracked);
    ct_free(s);
}

// symbols ----------------------------------------------------------------------------------------
static ct_ex symbol(ct_forms *s, const char *what, int index) {
    char *name = ct_format("%s %d of %zu", what, index, s->name);
    ct_ex a = ct_symbol(s->pool, CT_SYMBOL_OTHER, name);
    ct_free(name);
    return a;
}

static int add_value(ct_forms *s, ct_ex direct) {
    ct_register_bank *values = &s->closure->registers.values;
    int k = ct_register_add(values, symbol(s, "value", values->n), direct);
    index_node(&s->value_of, values->symbol[k], k);
    return k;
}

ct_ex ct_forms_slide(ct_forms *s, int k) {
    if (s->closure->is_independent[k]) return s->f->q[k];
    if (s->slide[k] < 0) s->slide[k] = add_value(s, s->f->q[k]);
    return s->closure->registers.values.symbol[s->slide[k]];
}

int ct_forms_follow(ct_forms *s, ct_ex direct) {
    ct_register_bank *tracked = &s->closure->registers.tracked;
    return ct_register_add(tracked, symbol(s, "tracked", tracked->n), direct);
}

ct_ex ct_forms_tracked(ct_forms *s, int k, int *index) {
    if (s->tracked[k] < 0) s->tracked[k] = ct_forms_follow(s, s->f->q[k]);
    if (index) *index = s->tracked[k];
    return s->closure->registers.tracked.symbol[s->tracked[k]];
}

// What value k stands for, in coordinates and vectors of balls.
static ct_ex meaning(const ct_forms *s, int k) {
    int vector = ct_node_index_get(&s->vector_of, s->closure->registers.values.symbol[k]);
    return vector >= 0 ? (ct_ex)vector : s->closure->registers.values.meaning[k];
}

ct_ex ct_forms_in_coordinates(const ct_forms *s, ct_ex a) {
    const ct_register_bank *values = &s->closure->registers.values;
    ct_substitution *map = ct_substitution_new(s->pool);
    for (int i = 0; i < values->n; i++) ct_substitution_map(map, values->symbol[i], meaning(s, i));
    a = ct_substitute(map, a);
    ct_substitution_free(map);
    return a;
}

bool ct_forms_hold_vectors(const ct_forms *s, int n, const ct_ex *a) {
    ct_ex *symbols;
    bool found = false;
    n = ct_ex_symbols(s->pool, n, a, &symbols);
    for (int i = 0; i < n && !found; i++) found = ct_node_index_get(&s->vector_of, symbols[i]) >= 0;
    ct_free(symbols);
    return found;
}

int ct_forms_index(const ct_forms *s, ct_ex value) {
    return ct_node_index_get(&s->value_of, value);
}

bool ct_forms_is_known(const ct_forms *s, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(s->pool, 1, &a, &symbols);
    bool known = true;
    for (int i = 0; i < n && known; i++) {
        const ct_ball *ball;
        int k = ct_node_index_get(&s->coordinate_of, symbols[i]), part;
        known =
            k < 0 ? !ct_ball_find(s->f, symbols[i], &ball, &part) : s->closure->is_independent[k];
    }
    ct_free(symbols);
    return known;
}

int ct_forms_of(ct_forms *s, ct_ex node) {
    ct_ex angle = ct_child(s->pool, node, 0);
    int k = ct_node_index_get(&s->form_of, angle);
    if (k >= 0) return k;
    k = s->n;
    int cosine = add_value(s, ct_cos(s->pool, angle)), sine = add_value(s, ct_sin(s->pool, angle));
    *CT_PUSH(s->item, s->n, s->room) = (ct_form){angle, cosine, sine};
    index_node(&s->form_of, angle, k);
    return k;
}

ct_trig ct_trig_of(ct_pool *pool, ct_op op, ct_ex angle) {
    ct_ex a = op == CT_OP_SIN ? ct_sin(pool, angle) : ct_cos(pool, angle);
    ct_op top = ct_ex_op(pool, a);
    if (top == CT_OP_SIN || top == CT_OP_COS) return (ct_trig){false, a};
    ct_ex minus = ct_neg(pool, a);
    top = ct_ex_op(pool, minus);
    if (top == CT_OP_SIN || top == CT_OP_COS) return (ct_trig){true, minus};
    return (ct_trig){false, a};
}

// replacement ------------------------------------------------------------------------------------
enum {
    MOVING = 1 << CT_SYMBOL_COORDINATE | 1 << CT_SYMBOL_TIME | 1 << CT_SYMBOL_INPUT,
    STILL = 1 << CT_SYMBOL_PARAMETER
};

static bool is_pair(const ct_forms *s, ct_ex a) {
    ct_op op = ct_ex_op(s->pool, a);
    unsigned kinds = ct_ex_kinds(s->pool, a);
    return (op == CT_OP_SIN || op == CT_OP_COS) && (kinds & 1 << CT_SYMBOL_COORDINATE) &&
           !(kinds & ~(unsigned)(MOVING | STILL));
}

static ct_ex value_of_pair(ct_forms *s, ct_ex node) {
    int k = ct_forms_of(s, node);
    const ct_form *form = s->item + k;
    bool cosine = ct_ex_op(s->pool, node) == CT_OP_COS;
    return s->closure->registers.values.symbol[cosine ? form->cosine : form->sine];
}

static ct_ex in_angles(ct_forms *s, const ct_ball *ball, const ct_ball_vector *v, int component) {
    return ct_turn(s->plain, v->fixed, ball->body, ball->root).v[component];
}

// Gives every sine, cosine and dependent coordinate below the node its symbol.
static void visit(ct_forms *s, ct_ex a) {
    if (!(ct_ex_kinds(s->pool, a) & MOVING) || ct_node_index_get(&s->visited, a) > 0) return;
    index_node(&s->visited, a, 1);
    if (is_pair(s, a)) {
        ct_substitution_map(s->map, a, value_of_pair(s, a));
        return;
    }
    int k = ct_node_index_get(&s->coordinate_of, a);
    if (k >= 0 && !s->closure->is_independent[k])
        ct_substitution_map(
            s->map, a, s->f->is_angle[k] ? ct_forms_tracked(s, k, NULL) : ct_forms_slide(s, k));
    if (ct_ex_op(s->pool, a) == CT_OP_SYMBOL && s->f->n_balls) {
        const ct_ball *ball;
        int component;
        const ct_ball_vector *v = ct_ball_find(s->f, a, &ball, &component);
        if (v) {
            k = add_value(s, in_angles(s, ball, v, component));
            ct_substitution_map(s->map, a, s->closure->registers.values.symbol[k]);
            index_node(&s->vector_of, s->closure->registers.values.symbol[k], (int)a);
        }
    }
    for (int i = 0; i < ct_child_count(s->pool, a); i++) visit(s, ct_child(s->pool, a, i));
}

ct_ex ct_forms_replace(ct_forms *s, ct_ex a) {
    visit(s, a);
    return ct_substitute(s->map, a);
}

// balls ------------------------------------------------------------------------------------------
void ct_forms_ball(ct_forms *s, int ball, ct_segment *g, const ct_vec3 *known,
                   const ct_ball_basis *basis) {
    s->basis[ball] = *basis;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex value = basis->value[i].v[j], minus = ct_neg(s->pool, value);
            bool opposite = ct_forms_index(s, value) < 0; // the vector stands there as its opposite
            ct_segment_set(g, ct_forms_index(s, opposite ? minus : value),
                           opposite ? ct_neg(s->pool, known[i].v[j]) : known[i].v[j]);
        }
}

ct_ex ct_forms_in_angles(ct_forms *s, ct_ex a) {
    ct_substitution *map = ct_substitution_new(s->pool);
    for (int i = 0; i < s->f->n_balls; i++)
        for (int k = 0; k < s->f->balls[i].n; k++)
            for (int j = 0; j < 3; j++) {
                const ct_ball_vector *v = s->f->balls[i].vectors + k;
                ct_substitution_map(map, v->seen.v[j], in_angles(s, s->f->balls + i, v, j));
            }
    a = ct_substitute(map, a);
    ct_substitution_free(map);
    return a;
}

void ct_forms_freeze(ct_forms *s, ct_ex what, ct_ex value) {
    ct_substitution_map(s->map, what, ct_let(s->pool, ct_forms_replace(s, value)));
    index_node(&s->visited, what, 1);
}

void ct_forms_pair(ct_forms *s, ct_ex form, ct_ex *cosine, ct_ex *sine) {
    *cosine = ct_forms_replace(s, ct_cos(s->pool, form));
    *sine = ct_forms_replace(s, ct_sin(s->pool, form));
}

// residuals --------------------------------------------------------------------------------------
typedef struct inner {
    ct_forms *s;
    ct_substitution *map, *unknowns, *zero; // zero: the unknowns are 0
    int n;
    const int *unknown;
    ct_node_index visited;
} inner;

static bool has_unknown(const inner *x, ct_ex a) {
    for (int i = 0; i < x->n; i++)
        if (ct_depends(x->s->pool, a, x->s->f->q[x->unknown[i]])) return true;
    return false;
}

// cos(u + e) = cos u cos e - sin u sin e, u the unknowns' part
static ct_ex split_pair(inner *x, ct_ex node) {
    ct_pool *pool = x->s->pool;
    ct_ex angle = ct_child(pool, node, 0), rest = ct_substitute(x->zero, angle);
    ct_ex own = ct_sub(pool, angle, rest);
    bool cosine = ct_ex_op(pool, node) == CT_OP_COS;
    if (!(ct_ex_kinds(pool, rest) & MOVING)) {
        // a product q1 q2 keeps the other coordinate beside the unknown, as tracked or slide
        ct_ex whole = ct_forms_replace(x->s, ct_substitute(x->unknowns, angle));
        return cosine ? ct_cos(pool, whole) : ct_sin(pool, whole);
    }
    own = ct_forms_replace(x->s, ct_substitute(x->unknowns, own));
    ct_ex cu = ct_cos(pool, own), su = ct_sin(pool, own), ce, se;
    ct_forms_pair(x->s, rest, &ce, &se);
    if (cosine) return ct_sub(pool, ct_mul(pool, cu, ce), ct_mul(pool, su, se));
    return ct_add(pool, ct_mul(pool, su, ce), ct_mul(pool, cu, se));
}

static void visit_inner(inner *x, ct_ex a) {
    ct_forms *s = x->s;
    if (!(ct_ex_kinds(s->pool, a) & MOVING) || ct_node_index_get(&x->visited, a) > 0) return;
    index_node(&x->visited, a, 1);
    if (is_pair(s, a)) {
        ct_substitution_map(x->map, a,
                            has_unknown(x, a) ? split_pair(x, a) : ct_forms_replace(s, a));
        return;
    }
    int k = ct_node_index_get(&s->coordinate_of, a);
    if (k >= 0) {
        bool own = false;
        for (int i = 0; i < x->n; i++) own = own || x->unknown[i] == k;
        ct_substitution_map(x->map, a, own ? ct_forms_tracked(s, k, NULL) : ct_forms_replace(s, a));
    }
    for (int i = 0; i < ct_child_count(s->pool, a); i++) visit_inner(x, ct_child(s->pool, a, i));
}

ct_ex ct_forms_residual(ct_forms *s, ct_ex a, int n, const int *unknown) {
    inner x = {.s = s, .n = n, .unknown = unknown};
    x.map = ct_substitution_new(s->pool);
    x.unknowns = ct_substitution_new(s->pool);
    x.zero = ct_substitution_new(s->pool);
    for (int i = 0; i < n; i++) {
        ct_substitution_map(x.unknowns, s->f->q[unknown[i]], ct_forms_tracked(s, unknown[i], NULL));
        ct_substitution_map(x.zero, s->f->q[unknown[i]], CT_ZERO);
    }
    visit_inner(&x, a);
    ct_ex r = ct_substitute(x.map, a);
    ct_substitution_free(x.map);
    ct_substitution_free(x.unknowns);
    ct_substitution_free(x.zero);
    ct_free(x.visited.at);
    return r;
}

// setting ----------------------------------------------------------------------------------------
void ct_forms_set(ct_forms *s, ct_segment *g, ct_ex form, ct_ex cosine, ct_ex sine) {
    static const ct_op ops[] = {CT_OP_COS, CT_OP_SIN};
    const ct_ex given[] = {cosine, sine};
    for (int i = 0; i < 2; i++) {
        ct_trig x = ct_trig_of(s->pool, ops[i], form);
        if (!is_pair(s, x.node)) continue;
        int k = ct_forms_of(s, x.node);
        const ct_form *p = s->item + k;
        int index = ct_ex_op(s->pool, x.node) == CT_OP_COS ? p->cosine : p->sine;
        ct_segment_set(g, index, x.minus ? ct_neg(s->pool, given[i]) : given[i]);
    }
}

void ct_forms_set_slide(ct_forms *s, ct_segment *g, int k, ct_ex value) {
    ct_forms_slide(s, k);
    ct_segment_set(g, s->slide[k], value);
}

bool ct_linear_value(ct_pool *pool, ct_ex psi, ct_ex q, ct_ex *value) {
    ct_ex factor = ct_diff(pool, psi, q);
    if (factor == CT_ZERO || (ct_ex_kinds(pool, factor) & ~(1u << CT_SYMBOL_PARAMETER)))
        return false;
    ct_substitution *zero = ct_substitution_new(pool);
    ct_substitution_map(zero, q, CT_ZERO);
    *value = ct_neg(pool, ct_div(pool, ct_substitute(zero, psi), factor));
    ct_substitution_free(zero);
    return true;
}
