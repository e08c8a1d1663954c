// Rotations along the rotation tree and positions along the translation tree.
#include "formulate/natural/natural.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>

// A rotation as a product of constant matrices and turns about axes. Neighbouring turns about
// parallel axes join:  Rot(u, a) C Rot(v, b) = C Rot(v, a + b)  where C v = u.
typedef struct factor {
    bool turn;
    ct_mat3 constant;
    ct_vec3 axis;
    ct_ex angle;
} factor;
typedef struct factors {
    ct_pool *pool;
    factor *item;
    int n, room;
} factors;

// The factors of a rotation that was met, for those one joint further.
struct ct_rotation_factors {
    int n;
    factor item[];
};

static void push_constant(factors *f, ct_mat3 c) {
    if (ct_mat_is_identity(c)) return;
    if (f->n && !f->item[f->n - 1].turn) {
        factor *last = &f->item[f->n - 1];
        last->constant = ct_mat_mul(f->pool, last->constant, c);
        if (ct_mat_is_identity(last->constant)) f->n--;
        return;
    }
    *CT_PUSH(f->item, f->n, f->room) = (factor){.constant = c};
}

static void push_turn(factors *f, ct_vec3 axis, ct_ex angle) {
    int k = f->n - 1;
    bool between = k >= 1 && !f->item[k].turn;
    ct_vec3 seen = between ? ct_mat_vec(f->pool, f->item[k].constant, axis) : axis;
    int before = between ? k - 1 : k;
    if (before >= 0 && f->item[before].turn) {
        ct_vec3 u = f->item[before].axis;
        bool same = ct_vec_same(u, seen), opposite = ct_vec_same(u, ct_vec_neg(f->pool, seen));
        if (same || opposite) {
            ct_ex a = f->item[before].angle;
            ct_ex total = ct_add(f->pool, same ? a : ct_neg(f->pool, a), angle);
            factor constant = f->item[k];
            f->n = before;
            if (between) push_constant(f, constant.constant);
            if (total != CT_ZERO) push_turn(f, axis, total);
            return;
        }
    }
    *CT_PUSH(f->item, f->n, f->room) = (factor){.turn = true, .axis = axis, .angle = angle};
}

// R(A<-B) of a connection, or its inverse
static void push_connection(ct_layout *l, factors *f, const ct_connection *c, bool inverse) {
    if (c->whole) {
        ct_mat3 r = ct_whole_rotation_matrix(l, c);
        push_constant(f, inverse ? ct_mat_transpose(r) : r);
        return;
    }
    if (c->natural) {
        ct_mat3 r = c->natural->rotation;
        push_constant(f, inverse ? ct_mat_transpose(r) : r);
        return;
    }
    push_constant(f, c->orient[inverse]);
    for (int i = 0; i < c->n_rot; i++) {
        int k = inverse ? c->n_rot - 1 - i : i;
        push_turn(f, c->axis[k], inverse ? ct_neg(f->pool, c->angle[k]) : c->angle[k]);
    }
    push_constant(f, ct_mat_transpose(c->orient[!inverse]));
}

static ct_mat3 multiply(const factors *f) {
    ct_mat3 r = ct_mat3_identity();
    for (int i = 0; i < f->n; i++) {
        const factor *x = f->item + i;
        ct_mat3 m = x->turn ? ct_mat_rotation(f->pool, x->axis, x->angle) : x->constant;
        r = i ? ct_mat_mul(f->pool, r, m) : m;
    }
    return r;
}

static int depth(const ct_layout *l, ct_domain d, int b) {
    int k = 0;
    for (; l->parent[d][b] >= 0; b = l->parent[d][b]) k++;
    return k;
}

int ct_common(const ct_layout *l, ct_domain d, int a, int b) {
    int da = depth(l, d, a), db = depth(l, d, b);
    while (a != b) {
        if (da >= db)
            a = l->parent[d][a], da--;
        else
            b = l->parent[d][b], db--;
    }
    return a;
}

// Starts with the factors of the last R(to <- b) that was met, b on the way from `top` to `from`. Returns
// that b; -1 if there is none.
static int resume(const ct_layout *l, int to, int from, int top, factors *f) {
    for (int b = from; b != top;) {
        b = l->parent[CT_ROTATION][b];
        const struct ct_rotation_factors *kept = l->factors[to * l->n_bodies + b];
        if (!kept) continue;
        for (int i = 0; i < kept->n; i++) *CT_PUSH(f->item, f->n, f->room) = kept->item[i];
        return b;
    }
    return -1;
}

static void keep_factors(ct_layout *l, int slot, const factors *f) {
    size_t size = sizeof(struct ct_rotation_factors) + (size_t)f->n * sizeof *f->item;
    struct ct_rotation_factors *kept = ct_arena_alloc(&l->arena, 1, size);
    kept->n = f->n;
    for (int i = 0; i < f->n; i++) kept->item[i] = f->item[i];
    l->factors[slot] = kept;
}

// R(parent <- b)
static void push_branch(ct_layout *l, factors *f, int b) {
    const ct_connection *c = l->connections + l->branch[CT_ROTATION][b];
    push_connection(l, f, c, c->body[0] == b);
}

// A long product: that of all joints but the last one is kept whole. Written out, numbers in front of
// sums would grow by some digits with each joint.
static ct_mat3 in_parts(ct_layout *l, int to, int from, int top) {
    bool outward = from != top;
    int middle = l->parent[CT_ROTATION][outward ? from : to];
    ct_mat3 a = ct_rotation(l, to, middle), b = ct_rotation(l, middle, from),
            *longer = outward ? &a : &b;
    for (int i = 0; i < 9; i++)
        longer->a[i / 3][i % 3] = ct_let_whole(l->pool, longer->a[i / 3][i % 3]);
    return ct_mat_mul(l->pool, a, b);
}

ct_mat3 ct_rotation(ct_layout *l, int to, int from) {
    int n = l->n_bodies, slot = to * n + from;
    if (l->cached[slot]) return l->cache[slot];
    factors f = {.pool = l->pool};
    int top = ct_common(l, CT_ROTATION, to, from), count = 0, start = resume(l, to, from, top, &f),
        *down = ct_scratch((size_t)n, sizeof *down);
    for (int b = to; b != top && start < 0; b = l->parent[CT_ROTATION][b]) { // R(b <- parent)
        const ct_connection *c = l->connections + l->branch[CT_ROTATION][b];
        push_connection(l, &f, c, c->body[1] == b);
    }
    if (start < 0) start = top;
    for (int b = from; b != start; b = l->parent[CT_ROTATION][b]) down[count++] = b;
    while (count--) push_branch(l, &f, down[count]);
    keep_factors(l, slot, &f);
    l->cache[slot] = f.n > CT_FACTORS_LONG ? in_parts(l, to, from, top) : multiply(&f);
    l->cached[slot] = true;
    ct_free(f.item);
    return l->cache[slot];
}

static bool is_fixed(const ct_layout *l, ct_vec3 v) {
    unsigned kinds = 0;
    for (int i = 0; i < 3; i++) kinds |= ct_ex_kinds(l->pool, v.v[i]);
    return !(kinds & ~(1u << CT_SYMBOL_PARAMETER));
}

ct_vec3 ct_turn(ct_layout *l, ct_vec3 v, int from, int to) {
    if (from == to || ct_vec_is_zero(v)) return v;
    const ct_connection *c = from ? l->connections + l->branch[CT_ROTATION][from] : NULL;
    if (c && c->whole && ct_common(l, CT_ROTATION, to, from) != from && is_fixed(l, v))
        return ct_turn(l, ct_whole_rotation_seen(l, c, v), c->body[0], to);
    return ct_mat_vec(l->pool, ct_rotation(l, to, from), v);
}

ct_mat3 ct_joint_rotation(ct_layout *l, const ct_connection *c) {
    ct_mat3 r = ct_rotation(l, c->body[0], c->body[1]);
    r = ct_mat_mul(l->pool, ct_mat_transpose(c->orient[0]), r);
    return ct_mat_mul(l->pool, r, c->orient[1]);
}

ct_mat3 ct_connection_rotation(ct_pool *pool, const ct_connection *c, int from, int to) {
    if (c->whole) return ct_mat3_identity(); // its axes are those of the root
    factors f = {.pool = pool};
    for (int k = from; k < to; k++) push_turn(&f, c->axis[k], c->angle[k]);
    ct_mat3 r = multiply(&f);
    ct_free(f.item);
    return r;
}

ct_vec3 ct_slide(ct_layout *l, const ct_connection *c) {
    ct_vec3 s = c->offset;
    for (int k = 0; k < c->n_trans; k++)
        s = ct_vec_add(l->pool, s, ct_vec_scale(l->pool, c->slide[k], c->direction[k]));
    return ct_mat_vec(l->pool, c->orient[0], s);
}

// centre of mass of the parent to that of body b, components in `frame`
static ct_vec3 step(ct_layout *l, int b, int frame) {
    const ct_connection *c = l->connections + l->branch[CT_TRANSLATION][b];
    ct_vec3 on_a = ct_turn(l, ct_vec_add(l->pool, c->at[0], ct_slide(l, c)), c->body[0], frame);
    ct_vec3 on_b = ct_turn(l, c->at[1], c->body[1], frame);
    return c->body[1] == b ? ct_vec_sub(l->pool, on_a, on_b) : ct_vec_sub(l->pool, on_b, on_a);
}

ct_vec3 ct_path(ct_layout *l, int a, ct_vec3 p, int b, ct_vec3 q, int frame) {
    ct_vec3 d = ct_vec_sub(l->pool, ct_turn(l, q, b, frame), ct_turn(l, p, a, frame));
    int top = ct_common(l, CT_TRANSLATION, a, b);
    for (; b != top; b = l->parent[CT_TRANSLATION][b])
        d = ct_vec_add(l->pool, d, step(l, b, frame));
    for (; a != top; a = l->parent[CT_TRANSLATION][a])
        d = ct_vec_sub(l->pool, d, step(l, a, frame));
    return d;
}

// World position of a centre of mass far from ground: from that of the body before it, kept whole.
static ct_vec3 far_centre(ct_layout *l, int b) {
    if (l->is_placed[b]) return l->place[b];
    int p = l->parent[CT_TRANSLATION][b];
    ct_vec3 r = ct_vec_add(l->pool, ct_position(l, p, ct_vec3_zero()), step(l, b, 0));
    for (int i = 0; i < 3; i++) r.v[i] = ct_let_whole(l->pool, r.v[i]);
    l->is_placed[b] = true;
    return l->place[b] = r;
}

ct_vec3 ct_position(ct_layout *l, int body, ct_vec3 p) {
    if (depth(l, CT_TRANSLATION, body) <= CT_PATH_LONG)
        return ct_path(l, 0, ct_vec3_zero(), body, p, 0);
    return ct_vec_add(l->pool, far_centre(l, body), ct_turn(l, p, body, 0));
}

ct_vec3 ct_angular_velocity(ct_layout *l, int body, int from) {
    ct_pool *pool = l->pool;
    if (body == from) return ct_vec3_zero();
    const ct_connection *c = l->connections + l->branch[CT_ROTATION][body];
    if (c->natural) return c->natural->spin;
    ct_vec3 w = ct_angular_velocity(l, l->parent[CT_ROTATION][body], from);
    if (c->whole && c->whole->integrated)
        return ct_vec_let(pool, ct_vec_add(pool, w, ct_turn(l, c->whole->spin, c->body[0], from)));
    for (int k = 0; k < c->n_rot; k++) {
        ct_vec3 e = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, k), c->axis[k]);
        e = ct_vec_let(pool, ct_turn(l, ct_mat_vec(pool, c->orient[0], e), c->body[0], from));
        ct_ex rate = c->body[1] == body ? c->angle_d[k] : ct_neg(pool, c->angle_d[k]);
        w = ct_vec_add(pool, w, ct_vec_scale(pool, rate, e));
    }
    return ct_vec_let(pool, w);
}
