// The table of value symbols, and expressions written in them. A pair is found by the angle below
// its sine or cosine, which the pool has freed of signs and quarter turns: sin(-a) and cos(a +
// pi/2) lead to the pair of a.
#include "closure/values/values_inside.h"

#include <stdlib.h>
#include <string.h>

static void index_node(ct_node_index *x, ct_ex node, int value) {
    if (node >= x->room) {
        size_t room = node + node / 2 + 256;
        x->at = ct_scratch_longer(x->at, x->room, room, sizeof *x->at);
        memset(x->at + x->room, 0xff, (room - x->room) * sizeof *x->at);
        x->room = room;
    }
    x->at[node] = value;
}

ct_values *ct_values_new(ct_closure *c) {
    ct_values *values = ct_scratch(1, sizeof *values);
    values->closure = c;
    values->f = c->f;
    values->pool = values->f->pool;
    values->name = ct_pool_size(values->pool); // the pool grows with every closure that has symbols
    values->map = ct_substitution_new(values->pool);
    values->slide = ct_scratch((size_t)values->f->n + 1, sizeof *values->slide);
    values->tracked = ct_scratch((size_t)values->f->n + 1, sizeof *values->tracked);
    for (int k = 0; k < values->f->n; k++) {
        values->slide[k] = values->tracked[k] = -1;
        index_node(&values->coordinate_of, values->f->q[k], k);
    }
    values->basis = ct_scratch((size_t)values->f->n_whole_rotations + 1, sizeof *values->basis);
    for (int i = 0; i < values->f->n_whole_rotations; i++) values->basis[i].segment = -1;
    if (values->f->n_whole_rotations) values->in_angles = values->f->in_angles->layout;
    return values;
}

void ct_values_free(ct_values *values) {
    ct_substitution_free(values->map);
}

// symbols ----------------------------------------------------------------------------------------
static ct_ex symbol(ct_values *values, const char *what, int index) {
    char *name = ct_scratch_format("%s %d of %zu", what, index, values->name);
    return ct_symbol(values->pool, CT_SYMBOL_OTHER, name);
}

static int add_value(ct_values *values, ct_ex direct) {
    ct_register_bank *bank = &values->closure->registers.values;
    int k = ct_register_add(bank, symbol(values, "value", bank->n), direct);
    index_node(&values->value_of, bank->symbol[k], k);
    return k;
}

ct_ex ct_values_slide(ct_values *values, int k) {
    if (values->closure->is_independent[k]) return values->f->q[k];
    if (values->slide[k] < 0) values->slide[k] = add_value(values, values->f->q[k]);
    return values->closure->registers.values.symbol[values->slide[k]];
}

int ct_values_follow(ct_values *values, ct_ex direct) {
    ct_register_bank *tracked = &values->closure->registers.tracked;
    return ct_register_add(tracked, symbol(values, "tracked", tracked->n), direct);
}

ct_ex ct_values_tracked(ct_values *values, int k, int *index) {
    if (values->tracked[k] < 0) values->tracked[k] = ct_values_follow(values, values->f->q[k]);
    if (index) *index = values->tracked[k];
    return values->closure->registers.tracked.symbol[values->tracked[k]];
}

// The meaning of value k, in joint coordinates and vectors of whole rotations.
static ct_ex meaning(const ct_values *values, int k) {
    int vector = ct_node_index_get(&values->vector_of, values->closure->registers.values.symbol[k]);
    return vector >= 0 ? (ct_ex)vector : values->closure->registers.values.meaning[k];
}

ct_ex ct_values_in_coordinates(const ct_values *values, ct_ex a) {
    const ct_register_bank *bank = &values->closure->registers.values;
    ct_substitution *map = ct_substitution_new(values->pool);
    for (int i = 0; i < bank->n; i++) ct_substitution_map(map, bank->symbol[i], meaning(values, i));
    a = ct_substitute(map, a);
    ct_substitution_free(map);
    return a;
}

bool ct_values_hold_vectors(const ct_values *values, int n, const ct_ex *a) {
    ct_ex *symbols;
    bool found = false;
    n = ct_ex_symbols(values->pool, n, a, &symbols);
    for (int i = 0; i < n && !found; i++)
        found = ct_node_index_get(&values->vector_of, symbols[i]) >= 0;
    return found;
}

int ct_values_index(const ct_values *values, ct_ex value) {
    return ct_node_index_get(&values->value_of, value);
}

bool ct_values_is_known(const ct_values *values, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(values->pool, 1, &a, &symbols);
    bool known = true;
    for (int i = 0; i < n && known; i++) {
        const ct_whole_rotation *whole;
        int k = ct_node_index_get(&values->coordinate_of, symbols[i]), part;
        known = k < 0 ? !ct_whole_rotation_find(values->f, symbols[i], &whole, &part) ||
                            whole->integrated
                      : values->closure->is_independent[k];
    }
    return known;
}

int ct_values_of(ct_values *values, ct_ex node) {
    ct_ex angle = ct_child(values->pool, node, 0);
    int k = ct_node_index_get(&values->angle_sum_of, angle);
    if (k >= 0) return k;
    k = values->n;
    int cosine = add_value(values, ct_cos(values->pool, angle)),
        sine = add_value(values, ct_sin(values->pool, angle));
    *CT_PUSH_SCRATCH(values->item, values->n, values->room) = (ct_angle_sum){angle, cosine, sine};
    index_node(&values->angle_sum_of, angle, k);
    return k;
}

ct_signed_trig ct_signed_trig_of(ct_pool *pool, ct_op op, ct_ex angle) {
    ct_ex a = op == CT_OP_SIN ? ct_sin(pool, angle) : ct_cos(pool, angle);
    ct_op top = ct_ex_op(pool, a);
    if (top == CT_OP_SIN || top == CT_OP_COS) return (ct_signed_trig){false, a};
    ct_ex minus = ct_neg(pool, a);
    top = ct_ex_op(pool, minus);
    if (top == CT_OP_SIN || top == CT_OP_COS) return (ct_signed_trig){true, minus};
    return (ct_signed_trig){false, a};
}

// replacement ------------------------------------------------------------------------------------
enum {
    MOVING = 1 << CT_SYMBOL_COORDINATE | 1 << CT_SYMBOL_TIME | 1 << CT_SYMBOL_INPUT,
    STILL = 1 << CT_SYMBOL_PARAMETER
};

// True if the node holds a component of a vector of a whole rotation, such as sin(extension) of a
// spring on a ball.
static bool has_vectors(const ct_values *values, ct_ex a) {
    if (!values->f->n_whole_rotations) return false;
    ct_ex *symbols;
    const ct_whole_rotation *whole;
    int n = ct_ex_symbols(values->pool, 1, &a, &symbols), component;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        found = ct_whole_rotation_find(values->f, symbols[i], &whole, &component);
    return found;
}

static bool is_pair(const ct_values *values, ct_ex a) {
    ct_op op = ct_ex_op(values->pool, a);
    unsigned kinds = ct_ex_kinds(values->pool, a);
    return (op == CT_OP_SIN || op == CT_OP_COS) && (kinds & 1 << CT_SYMBOL_COORDINATE) &&
           !(kinds & ~(unsigned)(MOVING | STILL)) && !has_vectors(values, a);
}

static ct_ex value_of_pair(ct_values *values, ct_ex node) {
    int k = ct_values_of(values, node);
    const ct_angle_sum *angle_sum = values->item + k;
    bool cosine = ct_ex_op(values->pool, node) == CT_OP_COS;
    return values->closure->registers.values.symbol[cosine ? angle_sum->cosine : angle_sum->sine];
}

// In the angles of the joint, or in the parameters of an integrated rotation.
static ct_ex in_angles(ct_values *values, const ct_whole_rotation *whole,
                       const ct_whole_rotation_vector *v, int component) {
    if (whole->integrated) return ct_whole_rotation_meaning(values->f, whole, v, component);
    return ct_turn(values->in_angles, v->fixed, whole->body, whole->root).v[component];
}

// Gives every sine, cosine and dependent coordinate below the node its symbol.
static void visit(ct_values *values, ct_ex a) {
    // constants, and nodes that were seen before
    if (!(ct_ex_kinds(values->pool, a) & MOVING) || ct_node_index_get(&values->visited, a) > 0)
        return;
    index_node(&values->visited, a, 1);
    // sines and cosines
    if (is_pair(values, a)) {
        ct_substitution_map(values->map, a, value_of_pair(values, a));
        return;
    }
    // dependent coordinates outside of them
    int k = ct_node_index_get(&values->coordinate_of, a);
    if (k >= 0 && !values->closure->is_independent[k])
        ct_substitution_map(values->map, a,
                            values->f->is_angle[k] ? ct_values_tracked(values, k, NULL)
                                                   : ct_values_slide(values, k));
    // components of vectors of whole rotations
    if (ct_ex_op(values->pool, a) == CT_OP_SYMBOL && values->f->n_whole_rotations) {
        const ct_whole_rotation *whole;
        int component;
        const ct_whole_rotation_vector *v =
            ct_whole_rotation_find(values->f, a, &whole, &component);
        if (v) {
            k = add_value(values, in_angles(values, whole, v, component));
            ct_substitution_map(values->map, a, values->closure->registers.values.symbol[k]);
            index_node(&values->vector_of, values->closure->registers.values.symbol[k], (int)a);
        }
    }
    for (int i = 0; i < ct_child_count(values->pool, a); i++)
        visit(values, ct_child(values->pool, a, i));
}

ct_ex ct_values_replace(ct_values *values, ct_ex a) {
    visit(values, a);
    return ct_substitute(values->map, a);
}

// whole rotations --------------------------------------------------------------------------------
void ct_values_whole_rotation(ct_values *values, int whole, ct_segment *seg, const ct_vec3 *known,
                              const ct_whole_rotation_basis *basis) {
    values->basis[whole] = *basis;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex value = basis->value[i].v[j], minus = ct_neg(values->pool, value);
            bool opposite =
                ct_values_index(values, value) < 0; // the vector stands there as its opposite
            ct_segment_set(seg, ct_values_index(values, opposite ? minus : value),
                           opposite ? ct_neg(values->pool, known[i].v[j]) : known[i].v[j]);
        }
}

ct_ex ct_values_in_angles(ct_values *values, ct_ex a) {
    ct_substitution *map = ct_substitution_new(values->pool);
    for (int i = 0; i < values->f->n_whole_rotations; i++)
        for (int k = 0; k < values->f->whole_rotations[i].n; k++)
            for (int j = 0; j < 3; j++) {
                const ct_whole_rotation_vector *v = values->f->whole_rotations[i].vectors + k;
                ct_substitution_map(map, v->seen.v[j],
                                    in_angles(values, values->f->whole_rotations + i, v, j));
            }
    a = ct_substitute(map, a);
    ct_substitution_free(map);
    return a;
}

void ct_values_freeze(ct_values *values, ct_ex what, ct_ex value) {
    ct_substitution_map(values->map, what, ct_let(values->pool, ct_values_replace(values, value)));
    index_node(&values->visited, what, 1);
}

void ct_values_pair(ct_values *values, ct_ex angle_sum, ct_ex *cosine, ct_ex *sine) {
    *cosine = ct_values_replace(values, ct_cos(values->pool, angle_sum));
    *sine = ct_values_replace(values, ct_sin(values->pool, angle_sum));
}

// residuals --------------------------------------------------------------------------------------
typedef struct inner {
    ct_values *s;
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

// cos(u + e) = cos u cos e - sin u sin e, with u the part of the unknowns.
static ct_ex split_pair(inner *x, ct_ex node) {
    ct_pool *pool = x->s->pool;
    ct_ex angle = ct_child(pool, node, 0), rest = ct_substitute(x->zero, angle);
    ct_ex own = ct_sub(pool, angle, rest);
    bool cosine = ct_ex_op(pool, node) == CT_OP_COS;
    if (!(ct_ex_kinds(pool, rest) & MOVING)) {
        // a product q1 q2 keeps the other coordinate beside the unknown, as tracked or slide
        ct_ex whole = ct_values_replace(x->s, ct_substitute(x->unknowns, angle));
        return cosine ? ct_cos(pool, whole) : ct_sin(pool, whole);
    }
    own = ct_values_replace(x->s, ct_substitute(x->unknowns, own));
    ct_ex cu = ct_cos(pool, own), su = ct_sin(pool, own), ce, se;
    ct_values_pair(x->s, rest, &ce, &se);
    if (cosine) return ct_sub(pool, ct_mul(pool, cu, ce), ct_mul(pool, su, se));
    return ct_add(pool, ct_mul(pool, su, ce), ct_mul(pool, cu, se));
}

// The same for a residual: unknowns become tracked symbols, also below sines and cosines.
static void visit_inner(inner *x, ct_ex a) {
    ct_values *values = x->s;
    if (!(ct_ex_kinds(values->pool, a) & MOVING) || ct_node_index_get(&x->visited, a) > 0) return;
    index_node(&x->visited, a, 1);
    if (is_pair(values, a)) {
        ct_substitution_map(x->map, a,
                            has_unknown(x, a) ? split_pair(x, a) : ct_values_replace(values, a));
        return;
    }
    int k = ct_node_index_get(&values->coordinate_of, a);
    if (k >= 0) {
        bool own = false;
        for (int i = 0; i < x->n; i++) own = own || x->unknown[i] == k;
        ct_substitution_map(
            x->map, a, own ? ct_values_tracked(values, k, NULL) : ct_values_replace(values, a));
    }
    for (int i = 0; i < ct_child_count(values->pool, a); i++)
        visit_inner(x, ct_child(values->pool, a, i));
}

ct_ex ct_values_residual(ct_values *values, ct_ex a, int n, const int *unknown) {
    inner x = {.s = values, .n = n, .unknown = unknown};
    x.map = ct_substitution_new(values->pool);
    x.unknowns = ct_substitution_new(values->pool);
    x.zero = ct_substitution_new(values->pool);
    for (int i = 0; i < n; i++) {
        ct_substitution_map(x.unknowns, values->f->q[unknown[i]],
                            ct_values_tracked(values, unknown[i], NULL));
        ct_substitution_map(x.zero, values->f->q[unknown[i]], CT_ZERO);
    }
    visit_inner(&x, a);
    ct_ex r = ct_substitute(x.map, a);
    ct_substitution_free(x.map);
    ct_substitution_free(x.unknowns);
    ct_substitution_free(x.zero);
    return r;
}

// setting ----------------------------------------------------------------------------------------
void ct_values_set(ct_values *values, ct_segment *seg, ct_ex angle_sum, ct_ex cosine, ct_ex sine) {
    static const ct_op ops[] = {CT_OP_COS, CT_OP_SIN};
    const ct_ex given[] = {cosine, sine};
    for (int i = 0; i < 2; i++) {
        ct_signed_trig x = ct_signed_trig_of(values->pool, ops[i], angle_sum);
        if (!is_pair(values, x.node)) continue;
        int k = ct_values_of(values, x.node);
        const ct_angle_sum *p = values->item + k;
        int index = ct_ex_op(values->pool, x.node) == CT_OP_COS ? p->cosine : p->sine;
        ct_segment_set(seg, index, x.minus ? ct_neg(values->pool, given[i]) : given[i]);
    }
}

void ct_values_set_slide(ct_values *values, ct_segment *seg, int k, ct_ex value) {
    ct_values_slide(values, k);
    ct_segment_set(seg, values->slide[k], value);
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
