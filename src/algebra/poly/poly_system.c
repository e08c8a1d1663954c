// A polynomial system from expressions. Whatever holds no unknown is abstracted into single symbols
// before anything is expanded; angles become pairs of cosine and sine with their identity.
#include "algebra/poly/poly.h"
#include "expr/pool.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

typedef struct builder {
    ct_context *ctx;
    ct_pool *pool;
    int n_unknowns;
    const ct_ex *unknowns;
    bool *angle;      // per unknown: appears inside sines and cosines
    bool *outside;    // per unknown: appears outside of them
    long *divisor;    // per unknown: angles are multiples of unknown / divisor
    uint8_t *has;     // per node: an unknown below
    uint8_t *reached; // per node: on a way from an equation that passes no sine or cosine
    ct_ex *image;     // per node: with known parts abstracted
    uint32_t n_nodes;
    int n_known, room_known;
    ct_ex *known, *stand_in; // value, symbol
} builder;

static int unknown_index(const builder *b, ct_ex e) {
    for (int k = 0; k < b->n_unknowns; k++)
        if (b->unknowns[k] == e) return k;
    return -1;
}

static bool has_unknown(const builder *b, ct_ex e) {
    return e < b->n_nodes && b->has[e];
}

static bool name_taken(const builder *b, const char *name) {
    for (int k = 0; k < b->n_unknowns; k++)
        if (!strcmp(ct_symbol_name(b->pool, b->unknowns[k]), name)) return true;
    for (int k = 0; k < b->n_known; k++)
        if (!strcmp(ct_symbol_name(b->pool, b->stand_in[k]), name)) return true;
    return false;
}

// The symbol that stands for a known value without a numerical factor.
static ct_ex symbol_for(builder *b, ct_ex e) {
    for (int k = 0; k < b->n_known; k++)
        if (b->known[k] == e) return b->stand_in[k];
    ct_ex symbol = e;
    char name[32];
    for (int k = b->n_known + 1; ct_ex_op(b->pool, e) != CT_OP_SYMBOL; k++) {
        snprintf(name, sizeof name, "k%d", k);
        if (name_taken(b, name)) continue;
        symbol = ct_symbol(b->pool, CT_SYMBOL_OTHER, name);
        break;
    }
    int room = b->room_known, n = b->n_known;
    *CT_PUSH(b->known, n, room) = e;
    *CT_PUSH(b->stand_in, b->n_known, b->room_known) = symbol;
    return symbol;
}

// Numbers stand for themselves, q * value for q * symbol.
static ct_ex stand_in(builder *b, ct_ex e) {
    if (ct_is_number(b->pool, e)) return e;
    fmpq_t q;
    fmpq_init(q);
    ct_ex value = ct_split_coefficient(b->pool, e, q);
    ct_ex result = ct_scale(b->pool, q, symbol_for(b, value));
    fmpq_clear(q);
    return result;
}

// sums and products ------------------------------------------------------------------------------
static ct_ex abstract_sum(builder *b, ct_ex e) {
    ct_pool *pool = b->pool;
    ct_ex known = ct_child(pool, e, 0), rest = CT_ZERO;
    for (int i = 1; i < ct_child_count(pool, e); i += 2) {
        ct_ex c = ct_child(pool, e, i), t = ct_child(pool, e, i + 1);
        if (has_unknown(b, t))
            rest = ct_add(pool, rest, ct_mul(pool, c, b->image[t]));
        else
            known = ct_add(pool, known, ct_mul(pool, c, t));
    }
    return ct_add(pool, rest, stand_in(b, known));
}

static ct_ex abstract_product(builder *b, ct_ex e) {
    ct_pool *pool = b->pool;
    ct_ex known = CT_ONE, rest = ct_child(pool, e, 0);
    for (int i = 1; i < ct_child_count(pool, e); i += 2) {
        ct_ex base = ct_child(pool, e, i), exponent = ct_child(pool, e, i + 1);
        if (has_unknown(b, base))
            rest = ct_mul(pool, rest, ct_power(pool, b->image[base], exponent));
        else
            known = ct_mul(pool, known, ct_power(pool, base, exponent));
    }
    return ct_mul(pool, rest, stand_in(b, known));
}

// angles -----------------------------------------------------------------------------------------
typedef struct angle {
    ct_ex known, unknown;
} angle;

// angle += q * e, split into what is known and what is not
static void split_angle(const builder *b, angle *a, ct_ex q, ct_ex e) {
    ct_pool *pool = b->pool;
    if (!has_unknown(b, e)) {
        a->known = ct_add(pool, a->known, ct_mul(pool, q, e));
    } else if (ct_ex_op(pool, e) == CT_OP_SUM) {
        a->known = ct_add(pool, a->known, ct_mul(pool, q, ct_child(pool, e, 0)));
        for (int i = 1; i < ct_child_count(pool, e); i += 2)
            split_angle(b, a, ct_mul(pool, q, ct_child(pool, e, i)), ct_child(pool, e, i + 1));
    } else if (ct_ex_op(pool, e) == CT_OP_PRODUCT && ct_child_count(pool, e) == 3 &&
               ct_child(pool, e, 2) == CT_ONE) {
        split_angle(b, a, ct_mul(pool, q, ct_child(pool, e, 0)), ct_child(pool, e, 1));
    } else {
        a->unknown = ct_add(pool, a->unknown, ct_mul(pool, q, e));
    }
}

// sin(u + k) = sin u [cos k] + cos u [sin k], and likewise the cosine
static ct_ex abstract_trig(builder *b, ct_ex e) {
    ct_pool *pool = b->pool;
    angle a = {CT_ZERO, CT_ZERO};
    split_angle(b, &a, CT_ONE, ct_child(pool, e, 0));
    if (a.known == CT_ZERO) return e;
    ct_ex c = stand_in(b, ct_cos(pool, a.known)), s = stand_in(b, ct_sin(pool, a.known));
    ct_ex cu = ct_cos(pool, a.unknown), su = ct_sin(pool, a.unknown);
    if (ct_ex_op(pool, e) == CT_OP_SIN)
        return ct_add(pool, ct_mul(pool, su, c), ct_mul(pool, cu, s));
    return ct_sub(pool, ct_mul(pool, cu, c), ct_mul(pool, su, s));
}

static ct_ex abstract(builder *b, ct_ex e) {
    switch (ct_ex_op(b->pool, e)) {
    case CT_OP_SUM: return abstract_sum(b, e);
    case CT_OP_PRODUCT: return abstract_product(b, e);
    case CT_OP_SIN:
    case CT_OP_COS: return abstract_trig(b, e);
    case CT_OP_LET: return b->image[ct_child(b->pool, e, 0)];
    default: return e;
    }
}

// Unknowns of a linear form in an angle; the denominators of their factors.
static void note_angle(builder *b, const fmpq_t q, ct_ex e) {
    int k = unknown_index(b, e), n = ct_child_count(b->pool, e);
    if (k >= 0) {
        b->angle[k] = true;
        long d = fmpz_fits_si(fmpq_denref(q)) ? fmpz_get_si(fmpq_denref(q)) : 0, m = b->divisor[k];
        if (d < 1 || d > 64) return; // left for the conversion to refuse
        while (m % d) m += b->divisor[k];
        if (m <= 64) b->divisor[k] = m;
        return;
    }
    ct_op op = ct_ex_op(b->pool, e);
    fmpq_t c;
    fmpq_init(c);
    for (int i = 1; op == CT_OP_SUM && i < n; i += 2) {
        ct_number_get(b->pool, ct_child(b->pool, e, i), c);
        fmpq_mul(c, c, q);
        note_angle(b, c, ct_child(b->pool, e, i + 1));
    }
    if (op == CT_OP_PRODUCT && n == 3 && ct_number_get(b->pool, ct_child(b->pool, e, 0), c)) {
        fmpq_mul(c, c, q);
        note_angle(b, c, ct_child(b->pool, e, 1));
    }
    fmpq_clear(c);
}

// looking over the expressions -------------------------------------------------------------------
static void note_node(builder *b, ct_ex e) {
    ct_op op = ct_ex_op(b->pool, e);
    bool trig = op == CT_OP_SIN || op == CT_OP_COS;
    b->has[e] = unknown_index(b, e) >= 0;
    for (int i = 0; i < ct_child_count(b->pool, e); i++) {
        ct_ex child = ct_child(b->pool, e, i);
        b->has[e] |= b->has[child];
    }
    if (trig && b->has[e]) {
        fmpq_t one;
        fmpq_init(one);
        fmpq_one(one);
        note_angle(b, one, ct_child(b->pool, e, 0));
        fmpq_clear(one);
    }
}

static void note_reached(builder *b, int n, const ct_ex *equations, const ct_ex *order, int count) {
    for (int i = 0; i < n; i++) b->reached[equations[i]] = 1;
    for (int i = count; i-- > 0;) { // parents before children
        ct_ex e = order[i];
        ct_op op = ct_ex_op(b->pool, e);
        int k = unknown_index(b, e);
        if (!b->reached[e]) continue;
        if (k >= 0) b->outside[k] = true;
        if (op == CT_OP_SIN || op == CT_OP_COS) continue;
        for (int c = 0; c < ct_child_count(b->pool, e); c++)
            b->reached[ct_child(b->pool, e, c)] = 1;
    }
}

static ct_status look_over(builder *b, int n, const ct_ex *equations) {
    ct_ex *order;
    int count = ct_walk(b->pool, n, equations, &order);
    b->n_nodes = (uint32_t)ct_pool_size(b->pool);
    b->has = ct_alloc(b->n_nodes, sizeof *b->has);
    b->image = ct_alloc(b->n_nodes, sizeof *b->image);
    b->reached = ct_alloc(b->n_nodes, sizeof *b->reached);
    for (int i = 0; i < count; i++) note_node(b, order[i]);
    note_reached(b, n, equations, order, count);
    for (int i = 0; i < count; i++)
        b->image[order[i]] =
            b->has[order[i]] && b->reached[order[i]] ? abstract(b, order[i]) : order[i];
    for (int i = 0; i < n; i++)
        if (!b->has[equations[i]]) b->image[equations[i]] = stand_in(b, equations[i]);
    ct_free(order);
    for (int k = 0; k < b->n_unknowns; k++)
        if (b->angle[k] && b->outside[k])
            return ct_fail(b->ctx, CT_WRONG_MODEL,
                           "'%s' appears both as an angle and outside of sines and cosines",
                           ct_symbol_name(b->pool, b->unknowns[k]));
    return CT_OK;
}

// the system -------------------------------------------------------------------------------------
static ct_status make_ring(builder *b, ct_order order, ct_poly_system *system) {
    char **names = ct_scratch(2 * (size_t)b->n_unknowns + 1, sizeof *names);
    const char **symbols = ct_scratch((size_t)b->n_known + 1, sizeof *symbols);
    int n = 0;
    system->pairs = ct_alloc((size_t)b->n_unknowns + 1, sizeof *system->pairs);
    for (int k = 0; k < b->n_unknowns; k++) {
        const char *name = ct_symbol_name(b->pool, b->unknowns[k]);
        if (!b->angle[k]) {
            names[n++] = ct_strdup(name);
            continue;
        }
        system->pairs[system->n_pairs++] = (ct_trig_pair){b->unknowns[k], n + 1, n};
        names[n++] = ct_format("c_%s", name);
        names[n++] = ct_format("s_%s", name);
    }
    for (int k = 0; k < b->n_known; k++) symbols[k] = ct_symbol_name(b->pool, b->stand_in[k]);
    ct_order_block block = {n, order};
    system->ring =
        ct_ring_new(b->ctx, n, (const char *const *)names, 1, &block, b->n_known, symbols);
    for (int k = 0; k < n; k++) ct_free(names[k]);
    return system->ring ? CT_OK : CT_USAGE;
}

static void add_identities(ct_poly_system *system) {
    fmpz_t c;
    fmpz_init(c);
    for (int k = 0; k < system->n_pairs; k++) {
        uint32_t cosine[CT_UNKNOWNS_MAX] = {0}, sine[CT_UNKNOWNS_MAX] = {0},
                 one[CT_UNKNOWNS_MAX] = {0};
        cosine[system->pairs[k].cosine] = sine[system->pairs[k].sine] = 2;
        ct_poly *f = ct_polys_add(&system->equations);
        fmpz_one(c);
        ct_poly_push(system->ring, f, cosine, c);
        ct_poly_push(system->ring, f, sine, c);
        fmpz_set_si(c, -1);
        ct_poly_push(system->ring, f, one, c);
        ct_poly_canonical(system->ring, f);
    }
    fmpz_clear(c);
}

// Angles a that appear as a/d: replaced by d times a, so that only whole multiples are left.
static ct_ex whole_multiples(const builder *b, ct_ex e) {
    ct_substitution *map = ct_substitution_new(b->pool);
    for (int k = 0; k < b->n_unknowns; k++)
        if (b->angle[k] && b->divisor[k] > 1)
            ct_substitution_map(map, b->unknowns[k],
                                ct_mul(b->pool, ct_int(b->pool, b->divisor[k]), b->unknowns[k]));
    e = ct_substitute(map, e);
    ct_substitution_free(map);
    return e;
}

static ct_status build(builder *b, int n, const ct_ex *equations, ct_order order,
                       ct_poly_system *system) {
    ct_status status = look_over(b, n, equations);
    if (status == CT_OK) status = make_ring(b, order, system);
    for (int i = 0; i < n && status == CT_OK; i++)
        status = ct_poly_from_expr(b->ctx, b->pool, system->ring, system->n_pairs, system->pairs,
                                   ct_polys_add(&system->equations),
                                   whole_multiples(b, b->image[equations[i]]));
    if (status != CT_OK) return status;
    add_identities(system);
    for (int k = 0, p = 0; k < b->n_unknowns; k++) { // what the pairs mean in the caller's terms
        if (!b->angle[k]) continue;
        ct_ex share = ct_rational(b->pool, 1, b->divisor[k]);
        system->pairs[p++].angle = ct_mul(b->pool, share, b->unknowns[k]);
    }
    system->n_known = b->n_known;
    system->known = b->known;
    b->known = NULL;
    return CT_OK;
}

ct_status ct_poly_system_from_expr(ct_context *ctx, ct_pool *pool, int n, const ct_ex *equations,
                                   int n_unknowns, const ct_ex *unknowns, ct_order order,
                                   ct_poly_system *system) {
    builder b = {.ctx = ctx, .pool = pool, .n_unknowns = n_unknowns, .unknowns = unknowns};
    size_t count = (size_t)n_unknowns + 1;
    b.angle = ct_alloc(count, sizeof *b.angle);
    b.outside = ct_alloc(count, sizeof *b.outside);
    b.divisor = ct_alloc(count, sizeof *b.divisor);
    for (int k = 0; k < n_unknowns; k++) b.divisor[k] = 1;
    *system = (ct_poly_system){0};
    ct_status status = build(&b, n, equations, order, system);
    if (status != CT_OK) ct_poly_system_clear(system);
    ct_free(b.angle);
    ct_free(b.outside);
    ct_free(b.divisor);
    ct_free(b.has);
    ct_free(b.reached);
    ct_free(b.image);
    ct_free(b.known);
    ct_free(b.stand_in);
    return status;
}

void ct_poly_system_clear(ct_poly_system *system) {
    if (system->ring) ct_polys_clear(system->ring, &system->equations);
    ct_ring_free(system->ring);
    ct_free(system->pairs);
    ct_free(system->known);
    *system = (ct_poly_system){0};
}
