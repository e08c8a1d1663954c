// Expressions modulo p, children before parents. An angle is given by its point on the circle,
//   (1 - t^2, 2 t) / (1 + t^2),  that of a sum of angles is the product of theirs.
#include "closure/elimination/modular.h"
#include "expr/pool.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>

typedef struct turn {
    uint32_t c, s;
} turn;

typedef struct walk {
    ct_pool *pool;
    uint32_t p;
    uint64_t seed;
    uint32_t *value; // per node
    bool good;
} walk;

uint32_t ct_modular_random(uint64_t *state, uint32_t p) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(1 + (z ^ (z >> 31)) % (p - 1));
}

// A residue for a node that is taken as a symbol; the same for every use.
static uint32_t of_node(const walk *w, ct_ex e) {
    uint64_t state = w->seed ^ ((uint64_t)e << 20);
    return ct_modular_random(&state, w->p);
}

static uint32_t add(const walk *w, uint32_t a, uint32_t b) {
    return (uint32_t)(((uint64_t)a + b) % w->p);
}

static uint32_t mul(const walk *w, uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b % w->p);
}

static uint32_t inverse(walk *w, uint32_t a) {
    if (!a) w->good = false;
    return a ? (uint32_t)n_invmod(a, w->p) : 1;
}

static uint32_t number(walk *w, ct_ex e) {
    fmpq_t q;
    fmpq_init(q);
    ct_number_get(w->pool, e, q);
    uint32_t over = inverse(w, (uint32_t)fmpz_fdiv_ui(fmpq_denref(q), w->p)),
             r = mul(w, (uint32_t)fmpz_fdiv_ui(fmpq_numref(q), w->p), over);
    fmpq_clear(q);
    return r;
}

static turn product(const walk *w, turn a, turn b) {
    return (turn){add(w, mul(w, a.c, b.c), w->p - mul(w, a.s, b.s)),
                  add(w, mul(w, a.s, b.c), mul(w, a.c, b.s))};
}

static turn point_of(walk *w, ct_ex e) {
    uint32_t t = of_node(w, e), tt = mul(w, t, t), over = inverse(w, add(w, 1, tt));
    return (turn){mul(w, add(w, 1, w->p - tt), over), mul(w, add(w, t, t), over)};
}

// k as an integer if it is one and |k| <= 64, else 0.
static long whole(const walk *w, ct_ex k) {
    double x = ct_constant_value(w->pool, k);
    long i = x >= -64 && x <= 64 ? (long)x : 0;
    return (double)i == x ? i : 0;
}

static turn turn_of(walk *w, ct_ex e);

static turn multiple(walk *w, ct_ex k, ct_ex e) {
    long n = whole(w, k);
    turn one = {1, 0}, x;
    if (!n) return point_of(w, ct_mul(w->pool, k, e));
    x = turn_of(w, e);
    if (n < 0) x.s = (w->p - x.s) % w->p;
    for (long i = 0; i < labs(n); i++) one = product(w, one, x);
    return one;
}

static turn turn_of(walk *w, ct_ex e) {
    ct_pool *pool = w->pool;
    if (e == CT_ZERO) return (turn){1, 0};
    if (ct_ex_op(pool, e) == CT_OP_LET) return turn_of(w, ct_child(pool, e, 0));
    if (ct_ex_op(pool, e) == CT_OP_SUM) {
        turn sum = turn_of(w, ct_child(pool, e, 0));
        for (int i = 1; i < ct_child_count(pool, e); i += 2)
            sum = product(w, sum, multiple(w, ct_child(pool, e, i), ct_child(pool, e, i + 1)));
        return sum;
    }
    if (ct_ex_op(pool, e) == CT_OP_PRODUCT && ct_child_count(pool, e) == 3 &&
        ct_child(pool, e, 2) == CT_ONE && whole(w, ct_child(pool, e, 0)))
        return multiple(w, ct_child(pool, e, 0), ct_child(pool, e, 1));
    return point_of(w, e);
}

static uint32_t root(walk *w, uint32_t a) {
    uint32_t r = (uint32_t)n_sqrtmod(a, w->p);
    if (a && !r) w->good = false;
    return r;
}

static uint32_t powers(walk *w, ct_ex e) {
    uint32_t r = number(w, ct_child(w->pool, e, 0));
    for (int i = 1; i < ct_child_count(w->pool, e); i += 2) {
        long k = whole(w, ct_child(w->pool, e, i + 1));
        uint32_t base = w->value[ct_child(w->pool, e, i)];
        if (!k) return of_node(w, e);
        if (k < 0) base = inverse(w, base);
        for (long n = 0; n < labs(k); n++) r = mul(w, r, base);
    }
    return r;
}

static uint32_t value(walk *w, ct_ex e) {
    ct_pool *pool = w->pool;
    uint32_t r;
    switch (ct_ex_op(pool, e)) {
    case CT_OP_NUMBER: return number(w, e);
    case CT_OP_SUM:
        r = number(w, ct_child(pool, e, 0));
        for (int i = 1; i < ct_child_count(pool, e); i += 2)
            r = add(w, r,
                    mul(w, number(w, ct_child(pool, e, i)), w->value[ct_child(pool, e, i + 1)]));
        return r;
    case CT_OP_PRODUCT: return powers(w, e);
    case CT_OP_LET: return w->value[ct_child(pool, e, 0)];
    case CT_OP_SQRT: return root(w, w->value[ct_child(pool, e, 0)]);
    case CT_OP_SIN: return turn_of(w, ct_child(pool, e, 0)).s;
    case CT_OP_COS: return turn_of(w, ct_child(pool, e, 0)).c;
    default: return of_node(w, e);
    }
}

bool ct_modular_values(ct_pool *pool, int n, const ct_ex *roots, uint32_t p, uint64_t seed,
                       uint32_t *out) {
    ct_ex *order;
    int count = ct_walk(pool, n, roots, &order);
    walk w = {pool, p, seed, ct_alloc(ct_pool_size(pool), sizeof(uint32_t)), true};
    for (int i = 0; i < count && w.good; i++) w.value[order[i]] = value(&w, order[i]);
    for (int i = 0; i < n; i++) out[i] = w.value[roots[i]];
    ct_free(w.value);
    ct_free(order);
    return w.good;
}

bool ct_block_point_find(ct_pool *pool, const ct_block_system *system, const ct_ex *meaning,
                         int which, ct_block_point *at) {
    enum { TRIALS = 200 };
    uint32_t p = 2147483647u;
    at->value = ct_alloc((size_t)system->ring->n_symbols + 1, sizeof *at->value);
    for (int i = 0; i < TRIALS; i++) {
        do p -= 2;
        while (!n_is_prime(p));
        at->p = p;
        if (ct_modular_values(pool, system->ring->n_symbols, meaning, p, (uint64_t)i, at->value) &&
            which-- == 0)
            return true;
    }
    ct_block_point_clear(at);
    return false;
}

void ct_block_point_clear(ct_block_point *at) {
    ct_free(at->value);
    at->value = NULL;
}
