// Dot products that use what sines and cosines are.
#include "closure/steps/builder.h"

static int terms_of(ct_pool *pool, ct_ex a, int room, ct_ex *terms) {
    if (ct_ex_op(pool, a) != CT_OP_SUM) {
        terms[0] = a;
        return 1;
    }
    int n = 0, count = ct_child_count(pool, a);
    if (count / 2 + 1 > room) return 0;
    if (ct_child(pool, a, 0) != CT_ZERO) terms[n++] = ct_child(pool, a, 0);
    for (int i = 1; i + 1 < count; i += 2)
        terms[n++] = ct_mul(pool, ct_child(pool, a, i), ct_child(pool, a, i + 1));
    return n;
}

// Sums and products without the fences in them.
static ct_ex without_fences(ct_pool *pool, ct_ex a) {
    ct_op op = ct_ex_op(pool, a);
    if (op == CT_OP_LET) return without_fences(pool, ct_child(pool, a, 0));
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) return a;
    ct_ex r = ct_child(pool, a, 0);
    for (int i = 1; i + 1 < ct_child_count(pool, a); i += 2) {
        ct_ex x = ct_child(pool, a, i), y = ct_child(pool, a, i + 1);
        r = op == CT_OP_SUM ? ct_add(pool, r, ct_mul(pool, x, without_fences(pool, y)))
                            : ct_mul(pool, r, ct_power(pool, without_fences(pool, x), y));
    }
    return r;
}

static double cost_of(ct_pool *pool, ct_ex a) {
    return ct_operations_total(ct_count_shared(pool, 1, &a));
}

ct_ex ct_steps_in_coordinates(ct_steps *b, ct_ex a) {
    const ct_closure *c = b->closure;
    ct_substitution *s = ct_substitution_new(b->pool);
    for (int i = 0; i < c->registers.values.n; i++)
        ct_substitution_map(s, c->registers.values.symbol[i], ct_forms_meaning(b->forms, i));
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

ct_ex ct_steps_dot(ct_steps *b, ct_vec3 x, ct_vec3 y) {
    ct_pool *pool = b->pool;
    enum { ROOM = 6 };
    ct_ex plain = ct_vec_dot(pool, x, y), sum = CT_ZERO;
    for (int i = 0; i < 3; i++) {
        ct_ex s[ROOM], t[ROOM];
        int n = terms_of(pool, without_fences(pool, x.v[i]), ROOM, s),
            m = terms_of(pool, without_fences(pool, y.v[i]), ROOM, t);
        if (!n || !m) return plain;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < m; j++)
                sum = ct_add(pool, sum, ct_steps_in_coordinates(b, ct_mul(pool, s[k], t[j])));
    }
    sum = ct_steps_replace(b, sum);
    return cost_of(pool, sum) < cost_of(pool, plain) ? sum : plain;
}
