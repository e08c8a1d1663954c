// The projected equations block by block, from the last to the first. With
//   x'' = J^-1 (gamma - K e''),   e: the coordinates that are left,
// the unknowns x of a block leave the equations of motion:
//   M_ee <- M_ee - K^T T - T^T K + K^T P K,          T = J^-T M_xe,  P = J^-T M_xx J^-1
//   F_e  <- F_e - M_ex a - K^T J^-T (F_x - M_xx a),  a = J^-1 gamma.
// K is as sparse as the geometry makes it; B, which is dense, does not occur.
#include "closure/embed/embed_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct condenser {
    ct_embedder *e;
    ct_pool *pool;
    int n;
    ct_ex *mass, *force; // [n n], [n]
    bool *gone;          // [n]
    // of the block at hand
    ct_ex *k, *pk, *t; // [its unknowns, n]
    ct_ex p[CT_WRITTEN_OUT * CT_WRITTEN_OUT];
} condenser;

static bool is_zero(int n, const ct_ex *a, int step) {
    for (int i = 0; i < n; i++)
        if (a[i * step] != CT_ZERO) return false;
    return true;
}

// out = J^-T v.
static void transposed(const condenser *c, const ct_inverse *inverse, const ct_ex *v, ct_ex *out) {
    ct_pool *pool = c->pool;
    ct_ex scaled[CT_WRITTEN_OUT];
    for (int i = 0; i < inverse->n; i++)
        scaled[i] = ct_let_whole(pool, ct_mul(pool, inverse->scale[i], v[i]));
    for (int k = 0; k < inverse->n; k++)
        out[k] =
            ct_let_whole(pool, ct_dot(pool, inverse->n, scaled, 1, inverse->base + k, inverse->n));
}

static bool is_multiple_of_sum(const ct_pool *pool, ct_ex a) {
    if (ct_ex_op(pool, a) == CT_OP_PRODUCT && ct_child_count(pool, a) == 3 &&
        ct_child(pool, a, 2) == CT_ONE)
        a = ct_child(pool, a, 1);
    return ct_ex_op(pool, a) == CT_OP_SUM;
}

// P where J^-1 = diag(s) E with unit vectors e_i, M_xx diagonal and w_i = m_i s_i^2:
//   sum w_i e_i e_i^T = w I + sum (w_i - w) e_i e_i^T,  w: the most frequent of the weights.
// Returns false if J^-1 or M_xx is not of this form.
static bool weights(const condenser *c, const ct_rows *rows, ct_ex *w, int *common) {
    ct_pool *pool = c->pool;
    int n = rows->n, most = 0;
    if (!rows->inverse.unit) return false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (i != j && c->mass[rows->unknown[i] * c->n + rows->unknown[j]] != CT_ZERO)
                return false;
        ct_ex m = c->mass[rows->unknown[i] * (c->n + 1)];
        if (is_multiple_of_sum(pool, m)) m = ct_let(pool, m); // as it stands in other weights
        w[i] = ct_let_whole(pool, ct_mul(pool, m, ct_power_int(pool, rows->inverse.length[i], -2)));
    }
    for (int i = 0; i < n; i++) {
        int same = 0;
        for (int j = 0; j < n; j++) same += w[j] == w[i];
        if (same <= most) continue;
        most = same;
        *common = i;
    }
    return true;
}

// P = J^-T M_xx J^-1.
static void find_p(condenser *c, const ct_rows *rows) {
    ct_pool *pool = c->pool;
    const ct_inverse *x = &rows->inverse;
    int n = rows->n, common = 0;
    ct_ex w[CT_WRITTEN_OUT];
    // unit vectors: P = w I + sum (w_i - w) e_i e_i^T
    if (weights(c, rows, w, &common)) {
        ct_ex less[CT_WRITTEN_OUT], e[CT_WRITTEN_OUT * CT_WRITTEN_OUT];
        for (int i = 0; i < n; i++) {
            less[i] = ct_let_whole(pool, ct_sub(pool, w[i], w[common]));
            for (int k = 0; k < n; k++)
                e[i * n + k] = ct_let_whole(pool, ct_mul(pool, less[i], x->base[i * n + k]));
        }
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++) {
                ct_ex sum = ct_dot(pool, n, e + i, n, x->base + k, n);
                if (i == k) sum = ct_add(pool, sum, w[common]);
                c->p[i * n + k] = c->p[k * n + i] = ct_let_whole(pool, sum);
            }
        return;
    }
    // else U = M_xx J^-1, then P = J^-T U
    ct_ex inverse[CT_WRITTEN_OUT * CT_WRITTEN_OUT], m[CT_WRITTEN_OUT * CT_WRITTEN_OUT],
        u[CT_WRITTEN_OUT * CT_WRITTEN_OUT];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            inverse[i * n + k] = ct_inverse_entry(pool, x, i, k);
            m[i * n + k] = ct_let_whole(pool, c->mass[rows->unknown[i] * c->n + rows->unknown[k]]);
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            u[i * n + k] = ct_let_whole(pool, ct_dot(pool, n, m + i * n, 1, inverse + k, n));
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            c->p[i * n + k] = c->p[k * n + i] =
                ct_let_whole(pool, ct_dot(pool, n, inverse + i, n, u + k, n));
}

// K, P K and T, a column for each coordinate that is left.
static void columns(condenser *c, const ct_rows *rows) {
    int n = rows->n, all = c->n;
    memset(c->k, 0, (size_t)(n * all) * sizeof *c->k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < rows->n_others[i]; j++)
            c->k[i * all + rows->other[i][j]] = rows->k[i][j];
    bool any = !is_zero(n * all, c->k, 1);
    if (any) find_p(c, rows);
    for (int q = 0; q < all; q++) {
        ct_ex m[CT_WRITTEN_OUT], t[CT_WRITTEN_OUT];
        for (int i = 0; i < n; i++) {
            bool none = is_zero(n, c->k + q, all);
            c->pk[i * all + q] =
                none ? CT_ZERO
                     : ct_let_whole(c->pool, ct_dot(c->pool, n, c->p + i * n, 1, c->k + q, all));
            m[i] =
                c->gone[q] ? CT_ZERO : ct_let_whole(c->pool, c->mass[rows->unknown[i] * all + q]);
        }
        transposed(c, &rows->inverse, m, t);
        for (int i = 0; i < n; i++) c->t[i * all + q] = any ? t[i] : CT_ZERO;
    }
}

// M_ee <- M_ee + K^T P K - K^T T - T^T K.
static void update_mass(condenser *c, const ct_rows *rows) {
    ct_pool *pool = c->pool;
    int n = rows->n, all = c->n;
    for (int p = 0; p < all; p++)
        for (int q = 0; q <= p; q++) {
            if (c->gone[p] || c->gone[q]) continue;
            ct_ex *m = &c->mass[p * all + q];
            ct_ex terms[] = {*m, ct_dot(pool, n, c->k + p, all, c->pk + q, all),
                             ct_neg(pool, ct_dot(pool, n, c->k + p, all, c->t + q, all)),
                             ct_neg(pool, ct_dot(pool, n, c->t + p, all, c->k + q, all))};
            *m = c->mass[q * all + p] = ct_sum(pool, 4, terms);
        }
}

// pull = J^-T (F_x - M_xx a), or J^-T F_x - P gamma where gamma_own is zero.
static void pull_of(condenser *c, const ct_rows *rows, const ct_ex *a, const ct_ex *gamma,
                    ct_ex *pull) {
    ct_pool *pool = c->pool;
    int n = rows->n;
    bool apart = !is_zero(n, rows->gamma_own, 1);
    ct_ex left[CT_WRITTEN_OUT], m[CT_WRITTEN_OUT];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            m[k] = ct_let_whole(pool, c->mass[rows->unknown[i] * c->n + rows->unknown[k]]);
        ct_ex inert = apart ? ct_dot(pool, n, m, 1, a, 1) : CT_ZERO;
        left[i] = ct_let_whole(pool, ct_sub(pool, c->force[rows->unknown[i]], inert));
    }
    transposed(c, &rows->inverse, left, pull);
    for (int i = 0; i < n && !apart; i++) {
        ct_ex inert = ct_dot(pool, n, c->p + i * n, 1, gamma, 1);
        pull[i] = ct_let_whole(pool, ct_sub(pool, pull[i], inert));
    }
}

// F_e <- F_e - M_ex a - K^T pull.
static void update_force(condenser *c, const ct_rows *rows) {
    ct_pool *pool = c->pool;
    int n = rows->n, all = c->n;
    ct_ex gamma[CT_WRITTEN_OUT], a[CT_WRITTEN_OUT], pull[CT_WRITTEN_OUT] = {0}, m[CT_WRITTEN_OUT];
    for (int i = 0; i < n; i++) gamma[i] = ct_embed_gamma(c->e, rows, i);
    for (int i = 0; i < n; i++)
        a[i] =
            ct_inverse_apply(pool, &rows->inverse, i, gamma, 1, ct_embed_own(c->e, rows, i), false);
    if (!is_zero(n * all, c->k, 1)) pull_of(c, rows, a, gamma, pull);
    for (int q = 0; q < all; q++) {
        if (c->gone[q]) continue;
        for (int i = 0; i < n; i++) m[i] = ct_let_whole(pool, c->mass[rows->unknown[i] * all + q]);
        ct_ex terms[] = {c->force[q], ct_neg(pool, ct_dot(pool, n, m, 1, a, 1)),
                         ct_neg(pool, ct_dot(pool, n, c->k + q, all, pull, 1))};
        c->force[q] = ct_sum(pool, 3, terms);
    }
}

void ct_embed_condense(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x) {
    const ct_closure *closure = e->closure;
    int all = e->f->n, r = closure->r;
    size_t n = (size_t)all, wide = CT_WRITTEN_OUT * n + 1;
    // M as it is, F in the rates of the independent coordinates
    condenser c = {.e = e, .pool = e->pool, .n = all};
    c.mass = ct_scratch(n * n + 1, sizeof *c.mass);
    c.force = ct_scratch(n + 1, sizeof *c.force);
    c.gone = ct_scratch(n + 1, sizeof *c.gone);
    c.k = ct_scratch(wide, sizeof *c.k);
    c.pk = ct_scratch(wide, sizeof *c.pk);
    c.t = ct_scratch(wide, sizeof *c.t);
    memcpy(c.mass, mass, n * n * sizeof *mass);
    ct_embed_rates(e);
    for (int k = 0; k < all; k++) c.force[k] = ct_substitute(e->rates, force[k]);
    // the unknowns of one block after the other leave the equations
    for (int i = e->n_rows - 1; i >= 0; i--) {
        const ct_rows *b = e->rows + i;
        for (int k = 0; k < b->n; k++) c.gone[b->unknown[k]] = true;
        columns(&c, b);
        update_force(&c, b);
        update_mass(&c, b);
    }
    // the equations of the independent coordinates are left
    for (int i = 0; i < r; i++) {
        int p = closure->independent[i];
        for (int k = 0; k <= i; k++)
            h[i * r + k] = ct_let_whole(e->pool, c.mass[p * all + closure->independent[k]]);
        x[i] = ct_let_whole(e->pool, c.force[p]);
    }
}
